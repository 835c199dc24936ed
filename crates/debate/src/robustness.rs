//! Does the outcome hang on one seat, or on one way of counting?

use crate::plan::{OptionId, Plan, SeatId};
use crate::tally::{Threshold, Vote};
use crate::turn::Turn;

/// How a protocol finds its winner among counted votes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The one option that reaches the threshold among the votes.
    Threshold(Threshold),
    /// The option with more than half of the votes.
    Majority,
}

/// Other usual ways of counting the same ballots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CountingRule {
    /// Most votes.
    Plurality,
    /// Most approvals, where seats said what else they could live with; a vote approves its own option.
    Approval,
    /// Most votes, weighted by the seats' stated confidence: HIGH 3, MEDIUM 2, LOW 1.
    ConfidenceWeighted,
}

impl CountingRule {
    /// The word used in files and output.
    pub fn word(self) -> &'static str {
        match self {
            CountingRule::Plurality => "plurality",
            CountingRule::Approval => "approval",
            CountingRule::ConfidenceWeighted => "confidence-weighted",
        }
    }
}

/// What the outcome would be without one seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Without {
    /// The seat that is left out.
    pub seat: SeatId,
    /// The winner then, if there is one.
    pub winner: Option<OptionId>,
    /// Whether the outcome is the same without it.
    pub holds: bool,
}

/// What another way of counting says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// The way of counting.
    pub rule: CountingRule,
    /// The option with most, or several that are even.
    pub top: Vec<OptionId>,
}

/// Whether the outcome survives leaving out any one seat, and other ways of counting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Robustness {
    /// The winner as the protocol counts, if there is one.
    pub winner: Option<OptionId>,
    /// Without each seat in turn.
    pub without: Vec<Without>,
    /// Other ways of counting.
    pub rules: Vec<Count>,
    /// The winner if every vote counted as it was last cast, earned or not. Told, and not held against the verdict:
    /// seats that flip out of politeness must not be able to contest what they could not win.
    pub as_cast: Option<OptionId>,
}

impl Robustness {
    /// The seats without which the outcome would be another.
    pub fn pivots(&self) -> Vec<&SeatId> {
        self.without.iter().filter(|without| !without.holds).map(|without| &without.seat).collect()
    }

    /// The ways of counting under which another option would win.
    pub fn disagreeing(&self) -> Vec<&Count> {
        let Some(winner) = &self.winner else { return Vec::new() };
        self.rules.iter().filter(|count| !count.top.contains(winner)).collect()
    }

    /// Whether a winner depends on one seat or one way of counting. Without a winner there is nothing that could break.
    pub fn is_fragile(&self) -> bool {
        self.winner.is_some() && !(self.pivots().is_empty() && self.disagreeing().is_empty())
    }
}

/// The robustness of a vote. `votes` are those that count; `turns` are all turns heard, for confidence and approval.
pub fn of_votes(plan: &Plan, votes: &[Vote], turns: &[&Turn], rule: Rule) -> Robustness {
    let _ = (plan, votes, turns, rule);
    Robustness { winner: None, without: Vec::new(), rules: Vec::new(), as_cast: None }
}
