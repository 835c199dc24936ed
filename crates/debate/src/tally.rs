//! Counting. Integers only: a share is compared as a fraction, never as a float.

use crate::anonymity::Speakers;
use crate::plan::{OptionId, Plan, SeatId};
use crate::turn::Turn;
use std::collections::BTreeMap;
use std::fmt;

/// How many of how many must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Threshold {
    numerator: u32,
    denominator: u32,
    written_as: Written,
}

/// A decimal means what its digits say: 2 of 3 is 0.67 to two digits, so 2 of 3 passes `0.67`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Written {
    Fraction,
    Decimal,
}

impl Threshold {
    /// Two thirds.
    pub const TWO_THIRDS: Threshold = Threshold { numerator: 2, denominator: 3, written_as: Written::Fraction };

    /// Reads `2/3`, `0.67`, `67%` or `1`. Must be more than 0 and at most 1.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let threshold = if let Some((numerator, denominator)) = text.split_once('/') {
            Threshold {
                numerator: numerator.trim().parse().ok()?,
                denominator: denominator.trim().parse().ok()?,
                written_as: Written::Fraction,
            }
        } else if let Some(percent) = text.strip_suffix('%') {
            Threshold { numerator: percent.trim().parse().ok()?, denominator: 100, written_as: Written::Decimal }
        } else if let Some((whole, digits)) = text.split_once('.') {
            if digits.is_empty() || digits.len() > 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            let denominator = 10u32.pow(u32::try_from(digits.len()).ok()?);
            let whole: u32 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
            Threshold {
                numerator: whole.checked_mul(denominator)?.checked_add(digits.parse().ok()?)?,
                denominator,
                written_as: Written::Decimal,
            }
        } else {
            Threshold { numerator: text.parse().ok()?, denominator: 1, written_as: Written::Fraction }
        };
        let sound =
            threshold.numerator > 0 && threshold.numerator <= threshold.denominator && threshold.denominator <= 10_000;
        sound.then_some(threshold)
    }

    /// Whether `votes` of `all` reach the threshold.
    pub fn is_reached(&self, votes: usize, all: usize) -> bool {
        if all == 0 {
            return false;
        }
        let (votes, all) = (votes as u64, all as u64);
        let (numerator, denominator) = (u64::from(self.numerator), u64::from(self.denominator));
        match self.written_as {
            Written::Fraction => votes * denominator >= numerator * all,
            // round(votes / all) to the digits of the threshold, half up; 0.7 is 0.70, or 2 of 3 would pass it
            Written::Decimal => {
                let scale = (100 / denominator).max(1);
                (2 * votes * denominator * scale + all) / (2 * all) >= numerator * scale
            }
        }
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.written_as {
            Written::Fraction => write!(f, "{}/{}", self.numerator, self.denominator),
            Written::Decimal => {
                let digits = self.denominator.ilog10() as usize;
                let (whole, rest) = (self.numerator / self.denominator, self.numerator % self.denominator);
                write!(f, "{whole}.{rest:0digits$}")
            }
        }
    }
}

/// A vote as cast and as counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vote {
    /// Whose.
    pub seat: SeatId,
    /// What its last ballot said.
    pub cast: OptionId,
    /// What it counts as: an unearned change leaves the earlier vote standing.
    pub counted: OptionId,
}

/// A change of position between two turns of one seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Whose.
    pub seat: SeatId,
    /// The round in which it changed.
    pub round: u16,
    /// From.
    pub from: OptionId,
    /// To.
    pub to: OptionId,
    /// What it says convinced it.
    pub reason: String,
    /// The arguments cited, by their real owners: `effort.a2`.
    pub cites: Vec<String>,
    /// Whether an argument of another seat is cited that this seat had not made itself.
    pub standing: Standing,
}

/// Whether a change counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// It cites another seat's argument: it counts.
    Earned,
    /// It cites nothing that could have convinced it: the earlier vote stands.
    Unearned,
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

/// The option that reaches the threshold among `all` seats, if exactly one does.
pub fn agreed(plan: &Plan, votes: &[Vote], threshold: Threshold, all: usize) -> Option<OptionId> {
    let rows = distribution(plan, votes);
    let mut reached = rows.iter().filter(|(_, seats)| threshold.is_reached(seats.len(), all));
    match (reached.next(), reached.next()) {
        (Some((option, _)), None) => Some(option.clone()),
        _ => None,
    }
}

/// The option with more than half of `all` seats, if one has.
pub fn majority(plan: &Plan, votes: &[Vote], all: usize) -> Option<OptionId> {
    distribution(plan, votes).into_iter().find(|(_, seats)| 2 * seats.len() > all).map(|(option, _)| option)
}

/// A seat's votes over its turns, with each change judged. `turns` are that seat's turns in order.
///
/// A change counts only if the ballot's `convinced_by` cites an argument of another seat, which the reader was shown,
/// and whose words this seat had not used as an argument of its own before.
pub fn follow(plan: &Plan, turns: &[&Turn], all_turns: &[&Turn]) -> Option<(Vote, Vec<Change>)> {
    let mut vote: Option<Vote> = None;
    let mut changes = Vec::new();
    let mut own_arguments: Vec<String> = Vec::new();
    for turn in turns {
        let Some(speech) = turn.speech() else { continue };
        let Some(cast) = speech.option() else { continue };
        vote = Some(match vote {
            None => Vote { seat: turn.seat().clone(), counted: cast.clone(), cast },
            Some(before) if before.counted == cast => Vote { cast, ..before },
            Some(before) => {
                let cited = cited_arguments(plan, turn, all_turns);
                let earned = cited.iter().any(|(_, text)| !own_arguments.contains(&folded(text)));
                let standing = if earned { Standing::Earned } else { Standing::Unearned };
                // Saying the same again without a ground is not a second change.
                let said_before = standing == Standing::Unearned && before.cast == cast;
                if !said_before {
                    changes.push(Change {
                        seat: turn.seat().clone(),
                        round: turn.key.round,
                        from: before.counted.clone(),
                        to: cast.clone(),
                        reason: reason_for_change(speech),
                        cites: cited.into_iter().map(|(name, _)| name).collect(),
                        standing,
                    });
                }
                match standing {
                    Standing::Earned => Vote { seat: before.seat, counted: cast.clone(), cast },
                    Standing::Unearned => Vote { cast, ..before },
                }
            }
        });
        own_arguments.extend(speech.arguments().iter().map(|argument| folded(&argument.text)));
    }
    vote.map(|vote| (vote, changes))
}

fn reason_for_change(speech: &crate::turn::Speech) -> String {
    match speech.ballot.text("convinced_because") {
        "" => speech.ballot.text("reason").to_owned(),
        because => because.to_owned(),
    }
}

/// The arguments of others that a turn cites, as (`seat.id`, text).
fn cited_arguments(plan: &Plan, turn: &Turn, all_turns: &[&Turn]) -> Vec<(String, String)> {
    let Some(speech) = turn.speech() else { return Vec::new() };
    let speakers = Speakers::of(plan, turn.seat());
    // Turns come in the order in which they were heard; what the reader had seen ends where its own wave begins.
    let own_wave = |other: &&&Turn| (other.key.stage, other.key.round) == (turn.key.stage, turn.key.round);
    let seen = all_turns.iter().position(|other| own_wave(&other)).unwrap_or(all_turns.len());
    let seen = all_turns.get(..seen).unwrap_or_default();
    let mut found = Vec::new();
    for citation in speech.ballot.texts("convinced_by") {
        // A seat's name may have dots of its own.
        let split =
            citation.match_indices('.').find_map(|(i, _)| Some((speakers.seat(&citation[..i])?, &citation[i + 1..])));
        let Some((owner, id)) = split else { continue };
        if owner == turn.seat() {
            continue;
        }
        let text = seen
            .iter()
            .rev()
            .filter(|other| other.seat() == owner)
            .filter_map(|other| other.speech())
            .flat_map(|speech| speech.arguments())
            .find(|argument| argument.id.eq_ignore_ascii_case(id.trim()));
        if let Some(argument) = text {
            found.push((format!("{owner}.{}", argument.id), argument.text));
        }
    }
    found
}

fn folded(text: &str) -> String {
    crate::plan::words(text).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_three_passes_every_spelling_of_two_thirds() {
        for text in ["2/3", "0.67", "0.6", "67%", "4/6", ".67"] {
            let threshold = Threshold::parse(text).unwrap();
            assert!(threshold.is_reached(2, 3), "{text}");
            assert!(threshold.is_reached(2, 2), "{text}");
            assert!(!threshold.is_reached(1, 3), "{text}");
            assert!(!threshold.is_reached(1, 2), "{text}");
        }
    }

    #[test]
    fn unsound_thresholds_are_refused() {
        for text in ["0", "0/3", "4/3", "1.01", "", "x", "2/0", "-1", "0.66666", "101%", "NaN"] {
            assert_eq!(Threshold::parse(text), None, "{text}");
        }
    }

    #[test]
    fn thresholds_print_as_written() {
        for text in ["2/3", "0.67", "1/1", "0.5"] {
            assert_eq!(Threshold::parse(text).unwrap().to_string(), text);
        }
    }
}
