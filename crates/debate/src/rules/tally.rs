//! Counting. Integers only: a share is compared as a fraction, never as a float.

use crate::model::plan::{OptionId, Plan, SeatId};
use crate::model::turn::{Argument, Turn};
use crate::model::voting::{Change, CitedArgument, Merit, Rule, Threshold, Vote, Wins};
use crate::rules::anonymity::Speakers;
use std::collections::{BTreeMap, BTreeSet};

impl Rule {
    /// The winner among these votes; among none there is none.
    pub(crate) fn winner(self, plan: &Plan, votes: &[Vote]) -> Option<OptionId> {
        if votes.len() < self.quorum {
            return None;
        }
        match self.wins {
            Wins::Threshold(threshold) => agreed(plan, votes, threshold),
            Wins::Majority => majority(plan, votes),
        }
    }
}

/// Counts of votes, most first; ties in the plan's order.
pub fn distribution(plan: &Plan, votes: &[Vote]) -> Vec<(OptionId, Vec<SeatId>)> {
    let mut seats: BTreeMap<&OptionId, Vec<SeatId>> = BTreeMap::new();
    for vote in votes {
        seats.entry(&vote.counted).or_default().push(vote.seat.clone());
    }
    let place = |id: &OptionId| plan.options.iter().position(|o| o.id == *id).unwrap_or(usize::MAX);
    let mut rows: Vec<(OptionId, Vec<SeatId>)> = seats.into_iter().map(|(id, seats)| (id.clone(), seats)).collect();
    rows.sort_by_key(|(id, seats)| (std::cmp::Reverse(seats.len()), place(id)));
    rows
}

/// The option that reaches the threshold among these votes, if exactly one does.
pub fn agreed(plan: &Plan, votes: &[Vote], threshold: Threshold) -> Option<OptionId> {
    let rows = distribution(plan, votes);
    let mut reached = rows.iter().filter(|(_, seats)| threshold.is_reached(seats.len(), votes.len()));
    match (reached.next(), reached.next()) {
        (Some((option, _)), None) => Some(option.clone()),
        _ => None,
    }
}

/// The option with more than half of these votes, if one has.
pub fn majority(plan: &Plan, votes: &[Vote]) -> Option<OptionId> {
    let mut rows = distribution(plan, votes).into_iter();
    rows.find(|(_, seats)| 2 * seats.len() > votes.len()).map(|(option, _)| option)
}

/// Where a seat stands after one of its turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<'t> {
    /// The turn.
    pub turn: &'t Turn,
    /// The vote after it.
    pub vote: Vote,
    /// The change that it made, if it made one.
    pub change: Option<Change>,
}

/// A seat's votes over its turns, with each change judged. `turns` are that seat's turns in order.
///
/// A change counts only if the ballot's `convinced_by` cites an argument of another seat, which the reader was shown,
/// and whose words this seat had not used as an argument of its own before.
pub fn follow(plan: &Plan, turns: &[&Turn], all_turns: &[&Turn]) -> Option<(Vote, Vec<Change>)> {
    let mut steps = steps(plan, turns, all_turns);
    let vote = steps.last()?.vote.clone();
    Some((vote, steps.iter_mut().filter_map(|step| step.change.take()).collect()))
}

/// The same, turn by turn: one step for each turn that votes.
pub fn steps<'t>(plan: &Plan, turns: &[&'t Turn], all_turns: &[&Turn]) -> Vec<Step<'t>> {
    let mut steps: Vec<Step<'t>> = Vec::new();
    for turn in turns {
        let Some(speech) = turn.speech() else { continue };
        let Some(cast) = speech.option() else { continue };
        let (vote, change) = match steps.last().map(|step| step.vote.clone()) {
            None => (Vote { seat: turn.seat().clone(), counted: cast.clone(), cast }, None),
            Some(before) if before.counted == cast => (Vote { cast, ..before }, None),
            Some(before) => {
                let cited = cited_arguments(plan, turn, all_turns);
                let argued = arguments_of(&steps);
                let earned = cited.iter().any(|cited| !argued.contains(&folded(&cited.text)));
                let counts = earned || !plan.demands.documented_changes;
                let merit = if counts { Merit::Earned } else { Merit::Unearned };
                // Saying the same again without a ground is not a second change.
                let said_before = merit == Merit::Unearned && before.cast == cast;
                let change = (!said_before).then(|| Change {
                    seat: turn.seat().clone(),
                    round: turn.key.round,
                    from: before.counted.clone(),
                    to: cast.clone(),
                    reason: reason_for_change(speech),
                    cited,
                    merit,
                });
                let vote = match merit {
                    Merit::Earned => Vote { seat: before.seat, counted: cast.clone(), cast },
                    Merit::Unearned => Vote { cast, ..before },
                };
                (vote, change)
            }
        };
        steps.push(Step { turn, vote, change });
    }
    steps
}

/// Whether a turn cites an argument of another seat that its own seat had not made before.
pub(crate) fn cites_another(plan: &Plan, turn: &Turn, all_turns: &[&Turn]) -> bool {
    let before = all_turns.iter().take_while(|other| other.key != turn.key).filter(|other| other.seat() == turn.seat());
    let own: BTreeSet<String> = before
        .filter_map(|other| other.speech())
        .flat_map(|speech| speech.arguments())
        .map(|argument| folded(&argument.text))
        .collect();
    cited_arguments(plan, turn, all_turns).iter().any(|cited| !own.contains(&folded(&cited.text)))
}

/// The arguments that these turns make, folded.
fn arguments_of(steps: &[Step<'_>]) -> BTreeSet<String> {
    let speeches = steps.iter().filter_map(|step| step.turn.speech());
    speeches.flat_map(|speech| speech.arguments()).map(|argument| folded(&argument.text)).collect()
}

/// Whether an option in this turn's ballot is the seat's own vote. A synthesis names the option that the seats chose,
/// whoever writes it.
pub(crate) fn is_own_vote(plan: &Plan, turn: &Turn) -> bool {
    !plan.protocol.is_document(turn.key.stage)
}

fn reason_for_change(speech: &crate::model::turn::Speech) -> String {
    let said = speech.said();
    said.convinced_because.or(said.reason).unwrap_or_default()
}

/// The arguments of others that a turn cites.
fn cited_arguments(plan: &Plan, turn: &Turn, all_turns: &[&Turn]) -> Vec<CitedArgument> {
    let Some(speech) = turn.speech() else { return Vec::new() };
    let citations = speech.said().convinced_by;
    if citations.is_empty() {
        return Vec::new();
    }
    let speakers = Speakers::of(plan, turn.seat());
    // Turns come in the order in which they were heard; what the reader had seen ends where its own wave begins.
    let own_wave = |other: &&&Turn| (other.key.stage, other.key.round) == (turn.key.stage, turn.key.round);
    let seen = all_turns.iter().position(|other| own_wave(&other)).unwrap_or(all_turns.len());
    let seen = all_turns.get(..seen).unwrap_or_default();
    // What a seat said last under an id is what it says under it.
    let mut made: BTreeMap<(&SeatId, String), Argument> = BTreeMap::new();
    for other in seen.iter().rev().filter(|other| other.seat() != turn.seat()) {
        for argument in other.speech().into_iter().flat_map(|speech| speech.arguments()) {
            made.entry((other.seat(), argument.id.to_ascii_lowercase())).or_insert(argument);
        }
    }
    citations
        .iter()
        .filter_map(|citation| {
            // A seat's name may have dots of its own.
            let (owner, id) = citation
                .match_indices('.')
                .find_map(|(i, _)| Some((speakers.seat(&citation[..i])?, &citation[i + 1..])))?;
            let argument = made.get(&(owner, id.trim().to_ascii_lowercase()))?;
            Some(CitedArgument { name: format!("{owner}.{}", argument.id), text: argument.text.to_string() })
        })
        .collect()
}

fn folded(text: &str) -> String {
    crate::model::plan::words(text).collect::<Vec<_>>().join(" ")
}
