//! The course of a debate: who stood where, round by round, who challenged whom, and how much of the movement was conformity.

use crate::plan::{OptionId, Plan, SeatId};
use crate::tally::Standing;
use crate::turn::{Stage, Turn};

/// The course of a debate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Course {
    /// Where each seat stood at each step, in the order heard.
    pub stands: Vec<Stand>,
    /// Who challenged whom.
    pub challenges: Vec<Challenged>,
    /// How much of the movement was conformity.
    pub conformity: Conformity,
}

/// Where a seat stood after a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stand {
    /// Whose.
    pub seat: SeatId,
    /// The stage.
    pub stage: Stage,
    /// The round.
    pub round: u16,
    /// Which wave of the debate this was, from 0: a column of the picture.
    pub step: usize,
    /// The option that the ballot names, where it names one.
    pub cast: Option<OptionId>,
    /// The option that counts after this turn.
    pub counted: Option<OptionId>,
    /// The stand in a word where it is no option: `agree`, `disagree (strong)`, `ACCEPT`, `NO-GO`.
    pub word: Option<String>,
    /// Whether this turn changed the vote, and whether that was earned.
    pub change: Option<Standing>,
}

/// One seat challenging another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenged {
    /// Who challenges.
    pub from: SeatId,
    /// Who is challenged.
    pub to: SeatId,
    /// In which stage.
    pub stage: Stage,
    /// In which round.
    pub round: u16,
    /// What it says.
    pub text: String,
}

/// Movement under pressure. A seat is *pressed* when it speaks again after seeing that more of the others stand for one
/// other option than for its own; it *yields* when it then moves to that option without an earned ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Conformity {
    /// Turns under pressure.
    pub pressed: u32,
    /// Of those: moves to the others' option without a ground.
    pub yielded: u32,
    /// Of those: moves to the others' option with a ground.
    pub convinced: u32,
}

impl Course {
    /// The course of the turns heard, in their order.
    pub fn of(plan: &Plan, turns: &[&Turn]) -> Self {
        let _ = (plan, turns);
        Self::default()
    }
}
