//! Counting. Integers only: a share is compared as a fraction, never as a float.

use crate::anonymity::Speakers;
use crate::plan::{OptionId, Plan, SeatId};
use crate::turn::{Argument, Turn};
use std::collections::{BTreeMap, BTreeSet};
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

    /// Whether it asks for as much as another, or more.
    pub fn is_at_least(&self, other: &Threshold) -> bool {
        let product = |a: u32, b: u32| u64::from(a) * u64::from(b);
        product(self.numerator, other.denominator) >= product(other.numerator, self.denominator)
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
    /// The arguments of other seats that it cites.
    pub cited: Vec<Cited>,
    /// Whether an argument of another seat is cited that this seat had not made itself.
    pub standing: Standing,
}

impl Change {
    /// Whether it counts although it cites nothing: where no ground is required.
    pub fn is_undocumented(&self) -> bool {
        self.standing == Standing::Earned && self.cited.is_empty()
    }

    /// The names of the arguments cited: `effort.a2`.
    pub fn cites(&self) -> Vec<&str> {
        self.cited.iter().map(|cited| cited.name.as_str()).collect()
    }
}

/// An argument of another seat that a change rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cited {
    /// Its name, with its real owner: `effort.a2`.
    pub name: String,
    /// Its words.
    pub text: String,
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
                let standing = if counts { Standing::Earned } else { Standing::Unearned };
                // Saying the same again without a ground is not a second change.
                let said_before = standing == Standing::Unearned && before.cast == cast;
                let change = (!said_before).then(|| Change {
                    seat: turn.seat().clone(),
                    round: turn.key.round,
                    from: before.counted.clone(),
                    to: cast.clone(),
                    reason: reason_for_change(speech),
                    cited,
                    standing,
                });
                let vote = match standing {
                    Standing::Earned => Vote { seat: before.seat, counted: cast.clone(), cast },
                    Standing::Unearned => Vote { cast, ..before },
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

fn reason_for_change(speech: &crate::turn::Speech) -> String {
    let said = speech.said();
    said.convinced_because.or(said.reason).unwrap_or_default()
}

/// The arguments of others that a turn cites.
fn cited_arguments(plan: &Plan, turn: &Turn, all_turns: &[&Turn]) -> Vec<Cited> {
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
            Some(Cited { name: format!("{owner}.{}", argument.id), text: argument.text.to_string() })
        })
        .collect()
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
