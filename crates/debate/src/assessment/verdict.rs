//! The verdict: what the seats came to, what was found out about their debate, and what a person decided over it. A pure
//! function of the files.

pub use crate::model::ruling::*;

use crate::assessment::control::Comparison;
use crate::assessment::course::Course;
use crate::assessment::notes;
use crate::assessment::robustness::Robustness;
use crate::model::plan::{OptionId, Plan};
use crate::model::voting::{Change, Merit};
use crate::rules::blind::BlindVote;
use crate::rules::decision::DecisionBallot;
use crate::rules::grounding::Grounding;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub ruling: Ruling,
    pub assessment: Assessment,
    /// A person's decision, if one was needed and taken. It never rewrites the ruling.
    pub decision: Option<Decision>,
}

/// What is found out about a finished debate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assessment {
    /// Whether the outcome hangs on one seat, where anything was counted, and what other ways of counting say.
    pub robustness: Option<Robustness>,
    /// What the sealed first round alone would have said.
    pub blind: Option<BlindVote>,
    /// Who stood where, round by round, and who challenged whom.
    pub course: Course,
    /// Quotes of the supplied material, held against it, seat by seat; empty where nothing was supplied.
    pub grounding: Vec<Grounding>,
    /// What one seat alone said to the same question, where the plan has such a seat.
    pub control: Option<Comparison>,
}

/// A ruling of which nothing was found out yet.
impl From<Ruling> for Verdict {
    fn from(ruling: Ruling) -> Self {
        Self { ruling, assessment: Assessment::default(), decision: None }
    }
}

impl Verdict {
    /// How the debate ended.
    pub fn outcome(&self) -> Outcome {
        if self.decision.is_some() { Outcome::Decided } else { self.ruling.outcome }
    }

    /// The option that stands. More than one only for a stated combination (`gate`).
    pub fn options(&self) -> &[OptionId] {
        match &self.decision {
            Some(decision) => std::slice::from_ref(&decision.option),
            None => &self.ruling.options,
        }
    }

    /// How sure. A decision of one person is not as sure as an agreement.
    pub fn confidence(&self) -> Confidence {
        if self.decision.is_some() { Confidence::Medium } else { self.ruling.confidence }
    }

    /// The option that led the blind vote, where the seats ended on another.
    pub fn overturned(&self) -> Option<&OptionId> {
        let leader = self.assessment.blind.as_ref()?.leader()?;
        let (decided, options) = (self.decision.is_none() && self.outcome().is_settled(), self.options());
        (decided && !options.is_empty() && !options.contains(leader)).then_some(leader)
    }

    /// The changes that carried an overturned vote to where it ended.
    pub fn overturning(&self) -> Vec<&Change> {
        let counts = |change: &&Change| change.merit == Merit::Earned && self.options().contains(&change.to);
        self.ruling.changes().iter().filter(counts).collect()
    }

    /// Lays a person's decision over the ruling.
    pub(super) fn decide(&mut self, plan: &Plan, ballot: DecisionBallot) {
        let DecisionBallot { option, by, because, .. } = ballot;
        let (outcome, options) = (self.ruling.outcome, self.ruling.options.clone());
        self.ruling.notes.push(match outcome.is_settled() {
            true => notes::overruled(plan, &by, outcome, &options),
            false => notes::person_decided(outcome),
        });
        // What kept the seats' own agreement from standing does not keep a person's decision from it.
        self.ruling.findings.iter_mut().for_each(|finding| finding.gravity = Gravity::Warns);
        let overrules = outcome.is_settled().then_some(PriorOutcome { outcome, options });
        self.decision = Some(Decision { by, option, because, overrules });
    }
}
