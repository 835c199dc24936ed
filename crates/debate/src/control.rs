//! The control arm: the same question to one seat alone, as often as the debate took turns. Did the debate change anything?

use crate::plan::{OptionId, SeatId};
use crate::turn::Stage;

/// The stage in which the control seat answers, once for each turn of the debate.
pub const CONTROL: Stage = Stage("control");
/// The seat's name where nobody gives it another.
pub const SEAT: &str = "control";

/// What the debate was worth beside one seat alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The debate decided for something else.
    ChangedTheAnswer,
    /// The same answer, with grounds or risks that the seat alone never named.
    AddedGrounds,
    /// The same answer and nothing new: it only cost.
    OnlyCost,
    /// The seat alone gave no clear answer, or the debate did not.
    Unclear,
}

impl Effect {
    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            Effect::ChangedTheAnswer => "changed-the-answer",
            Effect::AddedGrounds => "added-grounds",
            Effect::OnlyCost => "only-cost",
            Effect::Unclear => "unclear",
        }
    }
}

/// The debate held against one seat alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The seat.
    pub seat: SeatId,
    /// How often it was asked.
    pub asked: u32,
    /// How often it answered.
    pub answered: u32,
    /// What it answered, most first.
    pub votes: Vec<(OptionId, u32)>,
    /// The option it answered more often than any other.
    pub answer: Option<OptionId>,
    /// What the debate was worth.
    pub effect: Effect,
    /// Arguments and risks of the debate that the seat alone never named.
    pub only_in_debate: Vec<String>,
    /// Arguments and risks that only the seat alone named.
    pub only_in_control: Vec<String>,
}
