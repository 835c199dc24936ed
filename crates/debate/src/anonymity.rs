//! Peers as Speaker 1..n, in an order shuffled per reader by the plan's seed.
//!
//! The order is a pure function of the seed, the reader and the peers, so a citation such as `S2.a1` can be led back to
//! its author by anyone who has the plan.

use crate::digest::Digest;
use crate::plan::{Duty, Naming, Plan, SeatId};

/// What one reader calls the others.
#[derive(Debug, Clone)]
pub struct Speakers<'p> {
    naming: Naming,
    order: Vec<&'p SeatId>,
}

impl<'p> Speakers<'p> {
    /// The names under which `reader` sees the plan's other seats.
    pub fn of(plan: &'p Plan, reader: &SeatId) -> Self {
        let mut order: Vec<&SeatId> = plan
            .seats
            .iter()
            .filter(|seat| matches!(seat.duty, Duty::Debater | Duty::Lead))
            .map(|seat| &seat.id)
            .filter(|id| *id != reader)
            .collect();
        let rank = |id: &SeatId| {
            Digest::of_parts([&plan.seed.to_be_bytes() as &[u8], reader.as_str().as_bytes(), id.as_str().as_bytes()])
        };
        order.sort_by_key(|id| rank(id));
        Self { naming: plan.naming, order }
    }

    /// The name shown for a seat: `Speaker 2`, or the seat's own.
    pub fn name(&self, seat: &SeatId) -> String {
        match (self.naming, self.position(seat)) {
            (Naming::Anonymous, Some(n)) => format!("Speaker {n}"),
            _ => seat.to_string(),
        }
    }

    /// The prefix of its arguments in citations: `S2`, or the seat's own name.
    pub fn prefix(&self, seat: &SeatId) -> String {
        match (self.naming, self.position(seat)) {
            (Naming::Anonymous, Some(n)) => format!("S{n}"),
            _ => seat.to_string(),
        }
    }

    /// The seat that a name or prefix means: `S2`, `Speaker 2`, or a seat's name where names are shown.
    pub fn seat(&self, name: &str) -> Option<&'p SeatId> {
        let name = name.trim();
        let number = name
            .strip_prefix("Speaker ")
            .or_else(|| name.strip_prefix("speaker "))
            .or_else(|| name.strip_prefix(['S', 's']))
            .and_then(|digits| digits.trim().parse::<usize>().ok());
        match (self.naming, number) {
            (Naming::Anonymous, Some(n)) => n.checked_sub(1).and_then(|i| self.order.get(i).copied()),
            _ => self.order.iter().find(|id| id.as_str().eq_ignore_ascii_case(name)).copied(),
        }
    }

    /// Seats in the order in which this reader sees them.
    pub fn order(&self) -> &[&'p SeatId] {
        &self.order
    }

    fn position(&self, seat: &SeatId) -> Option<usize> {
        self.order.iter().position(|id| *id == seat).map(|i| i + 1)
    }
}
