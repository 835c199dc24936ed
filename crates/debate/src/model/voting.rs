//! Votes as they are counted, changes of position, and what wins. Integers only: a share is compared as a fraction, never
//! as a float.

use crate::model::plan::{OptionId, SeatId};
use std::fmt;

/// How many of how many must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Threshold {
    numerator: u32,
    denominator: u32,
    written_as: Notation,
}

/// A decimal means what its digits say: 2 of 3 is 0.67 to two digits, so 2 of 3 passes `0.67`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Notation {
    Fraction,
    Decimal,
}

impl Threshold {
    pub const TWO_THIRDS: Threshold = Threshold { numerator: 2, denominator: 3, written_as: Notation::Fraction };

    /// Reads `2/3`, `0.67`, `67%` or `1`. Must be more than 0 and at most 1.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let threshold = if let Some((numerator, denominator)) = text.split_once('/') {
            Threshold {
                numerator: numerator.trim().parse().ok()?,
                denominator: denominator.trim().parse().ok()?,
                written_as: Notation::Fraction,
            }
        } else if let Some(percent) = text.strip_suffix('%') {
            Threshold { numerator: percent.trim().parse().ok()?, denominator: 100, written_as: Notation::Decimal }
        } else if let Some((whole, digits)) = text.split_once('.') {
            if digits.is_empty() || digits.len() > 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            let denominator = 10u32.pow(u32::try_from(digits.len()).ok()?);
            let whole: u32 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
            Threshold {
                numerator: whole.checked_mul(denominator)?.checked_add(digits.parse().ok()?)?,
                denominator,
                written_as: Notation::Decimal,
            }
        } else {
            Threshold { numerator: text.parse().ok()?, denominator: 1, written_as: Notation::Fraction }
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
            Notation::Fraction => votes * denominator >= numerator * all,
            // round(votes / all) to the digits of the threshold, half up; 0.7 is 0.70, or 2 of 3 would pass it
            Notation::Decimal => {
                let scale = (100 / denominator).max(1);
                (2 * votes * denominator * scale + all) / (2 * all) >= numerator * scale
            }
        }
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.written_as {
            Notation::Fraction => write!(f, "{}/{}", self.numerator, self.denominator),
            Notation::Decimal => {
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
    pub seat: SeatId,
    /// What its last ballot said.
    pub cast: OptionId,
    /// What it counts as: an unearned change leaves the earlier vote standing.
    pub counted: OptionId,
}

/// A change of position between two turns of one seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub seat: SeatId,
    /// The round in which it changed.
    pub round: u16,
    pub from: OptionId,
    pub to: OptionId,
    /// What it says convinced it.
    pub reason: String,
    /// The arguments of other seats that it cites.
    pub cited: Vec<CitedArgument>,
    /// Whether an argument of another seat is cited that this seat had not made itself.
    pub merit: Merit,
}

impl Change {
    /// Whether it counts although it cites nothing: where no ground is required.
    pub fn is_undocumented(&self) -> bool {
        self.merit == Merit::Earned && self.cited.is_empty()
    }

    /// The names of the arguments cited: `effort.a2`.
    pub fn cites(&self) -> Vec<&str> {
        self.cited.iter().map(|cited| cited.name.as_str()).collect()
    }
}

/// An argument of another seat that a change rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedArgument {
    /// Its name, with its real owner: `effort.a2`.
    pub name: String,
    pub text: String,
}

/// Whether a change counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Merit {
    /// It cites another seat's argument: it counts.
    Earned,
    /// It cites nothing that could have convinced it: the earlier vote stands.
    Unearned,
}

/// How a protocol finds its winner among counted votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    pub wins: Wins,
    /// The fewest votes that decide anything; among fewer nothing wins.
    pub quorum: usize,
}

/// What wins a vote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wins {
    /// The one option that reaches the threshold among the votes.
    Threshold(Threshold),
    /// The option with more than half of the votes.
    Majority,
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
