//! Adversity: a debate in which nobody was opposed has shown nothing.
//!
//! This looks at what can be seen without judging anybody's arguments: whether a round had a single challenge in it.

use super::notes;
use crate::fact;
use crate::model::plan::{Plan, SeatId};
use crate::model::ruling::{Finding, Outcome, Ruling};
use crate::model::turn::{Stage, Turn};
use crate::model::votes::ChallengeEntry;
use crate::rules::anonymity::Speakers;
use crate::rules::reading::is_rubber_stamp;

/// Fewer speakers than this cannot challenge each other.
const SPEAKERS_NEEDED: usize = 2;

/// The rounds of a stage in which several seats spoke and none challenged another who had spoken, with the file of the
/// first of them.
pub(crate) fn unchallenged(plan: &Plan, stage: Stage, said: &[&Turn]) -> Vec<Unchallenged> {
    let mut rounds: Vec<u16> = said.iter().filter(|turn| turn.key.stage == stage).map(|turn| turn.key.round).collect();
    rounds.dedup();
    let mut found = Vec::new();
    for round in rounds {
        let of_round = |turn: &&&Turn| turn.key.stage == stage && turn.key.round == round && turn.speech().is_some();
        let speakers: Vec<&Turn> = said.iter().filter(of_round).copied().collect();
        let Some(first) = speakers.first().filter(|_| speakers.len() >= SPEAKERS_NEEDED) else { continue };
        if speakers.iter().any(|turn| challenges_somebody(plan, turn, said)) {
            continue;
        }
        let file = plan.protocol.file(&first.key);
        found.push(Unchallenged { round, file, seats: speakers.iter().map(|turn| turn.seat().clone()).collect() });
    }
    found
}

fn challenges_somebody(plan: &Plan, turn: &Turn, said: &[&Turn]) -> bool {
    let Some(speech) = turn.speech() else { return false };
    let speakers = Speakers::of(plan, turn.seat());
    let spoke = |to: &str| {
        speakers.seat(to).is_some_and(|seat| said.iter().any(|other| other.seat() == seat && other.speech().is_some()))
    };
    let is_one = |challenge: &ChallengeEntry| spoke(&challenge.to) && !is_rubber_stamp(&challenge.text, "");
    speech.said().challenges.iter().any(is_one)
}

/// Lays these rounds over a verdict: an agreement that nobody tested is left to a person.
pub(crate) fn hold_against(plan: &Plan, ruling: &mut Ruling, found: Vec<Unchallenged>) {
    let agreed = matches!(ruling.outcome, Outcome::Consensus | Outcome::Decided);
    if agreed && let Some(first) = found.first() {
        ruling.note(notes::never_tested(plan, first.round, &ruling.options));
    }
    ruling.findings.extend(found.into_iter().map(Unchallenged::finding));
}

/// A round in which several seats spoke and nobody challenged anybody.
pub(crate) struct Unchallenged {
    round: u16,
    /// Of the first of them.
    file: String,
    seats: Vec<SeatId>,
}

impl Unchallenged {
    fn finding(self) -> Finding {
        let Self { round, file, seats } = self;
        let names = seats.iter().map(SeatId::as_str).collect::<Vec<_>>().join(", ");
        let fact = fact!(
            "nobody_challenged",
            "round {round}: nobody challenged anybody; at least one of {names} should name another speaker in \"challenges\"",
            round,
            seats
        );
        Finding::blocks(file, None, fact)
    }
}
