//! What a debate may cost, before it starts: calls per stage and per seat as intervals. What a call is worth is known elsewhere.

use crate::model::plan::{FRAMER, Plan, Seat, SeatId};
use std::ops::RangeInclusive;

/// Calls of one stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageCost {
    /// The stage, in words.
    pub stage: &'static str,
    /// Who is asked, all of them equally often.
    pub seats: Vec<SeatId>,
    pub min_calls: u32,
    /// The most calls, repairs not counted.
    pub max_calls: u32,
    /// How many waves run one after the other at most: what the wall time depends on.
    pub max_waves: u32,
}

impl StageCost {
    /// A stage in which each of these seats is asked once, in one wave.
    pub fn once<'s>(stage: &'static str, seats: impl IntoIterator<Item = &'s Seat>) -> Self {
        Self::each(stage, seats, 1..=1, 1)
    }

    /// A stage in which each of these seats is called so many times, in at most `waves` waves.
    pub fn each<'s>(
        stage: &'static str,
        seats: impl IntoIterator<Item = &'s Seat>,
        calls: RangeInclusive<usize>,
        waves: usize,
    ) -> Self {
        Self::of(stage, seats.into_iter().map(|seat| seat.id.clone()).collect(), calls, waves)
    }

    /// The framer's only call, which comes before everything else.
    pub fn framing() -> Self {
        Self::of("Framing: options", vec![SeatId::from(FRAMER)], 1..=1, 1)
    }

    fn of(stage: &'static str, seats: Vec<SeatId>, calls: RangeInclusive<usize>, waves: usize) -> Self {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let (min_calls, max_calls) = (number(calls.start() * seats.len()), number(calls.end() * seats.len()));
        Self { stage, seats, min_calls, max_calls, max_waves: number(waves) }
    }
}

/// Calls of one phase as a protocol's own description counts them, for readers who know that table. Caps and prices go by
/// [`StageCost`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseCost {
    pub phase: &'static str,
    pub min_calls: u32,
    pub max_calls: u32,
}

impl PhaseCost {
    /// A phase of so many calls.
    pub fn new(phase: &'static str, min: usize, max: usize) -> Self {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { phase, min_calls: number(min), max_calls: number(max) }
    }
}

/// The sums over all stages.
pub fn total(stages: &[StageCost]) -> StageCost {
    StageCost {
        stage: "Total",
        seats: Vec::new(),
        min_calls: stages.iter().map(|s| s.min_calls).sum(),
        max_calls: stages.iter().map(|s| s.max_calls).sum(),
        max_waves: stages.iter().map(|s| s.max_waves).sum(),
    }
}

/// The fewest and the most calls of one seat, repairs not counted.
pub fn of_seat(stages: &[StageCost], seat: &SeatId) -> (u32, u32) {
    let mut calls = (0, 0);
    for stage in stages.iter().filter(|stage| stage.seats.contains(seat)) {
        let seats = u32::try_from(stage.seats.len()).unwrap_or(u32::MAX);
        calls = (calls.0 + stage.min_calls / seats, calls.1 + stage.max_calls / seats);
    }
    calls
}

/// The seats that are asked at all, in the order of the stages.
pub fn seats(stages: &[StageCost]) -> Vec<&SeatId> {
    let mut seats: Vec<&SeatId> = Vec::new();
    for seat in stages.iter().flat_map(|stage| &stage.seats) {
        if !seats.contains(&seat) {
            seats.push(seat);
        }
    }
    seats
}

/// A challenge's lead and its challengers.
pub(crate) fn lead_and_debaters(plan: &Plan) -> impl Iterator<Item = &Seat> {
    plan.with_duty(crate::model::plan::Duty::Lead).take(1).chain(plan.debaters())
}
