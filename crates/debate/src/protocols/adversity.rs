//! Adversity: a debate in which nobody was opposed has shown nothing.
//!
//! This looks at what can be seen without judging anybody's arguments: whether a round had a single challenge in it.

use super::Protocol;
use crate::anonymity::Speakers;
use crate::datum::Fields;
use crate::form::is_rubber_stamp;
use crate::plan::Plan;
use crate::turn::{Stage, Turn};
use crate::verdict::{Contest, Finding, Gravity, Outcome, Verdict};

/// Fewer speakers than this cannot challenge each other.
const SPEAKERS_NEEDED: usize = 2;

/// The rounds of a stage in which several seats spoke and none challenged another who had spoken, with the file of the
/// first of them.
pub(crate) fn unchallenged(protocol: &dyn Protocol, plan: &Plan, stage: Stage, said: &[&Turn]) -> Vec<Finding> {
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
        let file = protocol.file(plan, &first.key);
        let seats: Vec<&str> = speakers.iter().map(|turn| turn.seat().as_str()).collect();
        let text = format!(
            "round {round}: nobody challenged anybody; at least one of {} should name another speaker in \"challenges\"",
            seats.join(", ")
        );
        found.push(finding(Gravity::Blocks, &file, None, text));
    }
    found
}

fn challenges_somebody(plan: &Plan, turn: &Turn, said: &[&Turn]) -> bool {
    let Some(speech) = turn.speech() else { return false };
    let speakers = Speakers::of(plan, turn.seat());
    let spoke = |to: &str| {
        speakers.seat(to).is_some_and(|seat| said.iter().any(|other| other.seat() == seat && other.speech().is_some()))
    };
    let is_one = |challenge: &&Fields| spoke(challenge.text("to")) && !is_rubber_stamp(challenge.text("text"), "");
    speech.ballot.records("challenges").iter().any(is_one)
}

/// Lays these findings over a verdict: an agreement that nobody tested is left to a person.
pub(crate) fn hold_against(plan: &Plan, verdict: &mut Verdict, found: Vec<Finding>) {
    let agreed = matches!(verdict.outcome, Outcome::Consensus | Outcome::Decided);
    if agreed && let Some(first) = found.first() {
        let round = first.text.split_once(';').map_or(first.text.as_str(), |(round, _)| round);
        let options: Vec<String> = verdict.options.iter().map(|id| plan.option_name(id)).collect();
        verdict.notes.push(format!(
            "{round}, so the agreement on {} was never tested; a person must decide",
            options.join(" + ")
        ));
        verdict.leave_open(Contest::NobodyChallenged);
    }
    verdict.findings.extend(found);
}

fn finding(gravity: Gravity, file: &str, line: Option<usize>, text: String) -> Finding {
    Finding { gravity, file: file.to_owned(), line, text }
}
