//! What a gate's ballots say. The sections may speak for themselves, so nothing here is more than due.

use super::operator::GoWord;
use crate::ballot;
use crate::model::ballot::{Due, NonEmpty, Sentence};
use crate::model::plan::OptionId;
use crate::model::ruling::Confidence;
use crate::model::turn::Argument;
use crate::model::votes::VoteBallot;

ballot! {
    pub(super) struct AdvocateCase {
        #[like(VoteBallot)]
        option: Due<OptionId>,
        #[like(VoteBallot)]
        confidence: Due<Confidence>,
        #[like(VoteBallot)]
        reason: Due<Sentence>,
        #[like(VoteBallot)]
        arguments: Due<NonEmpty<Argument>>,
    }
}

ballot! {
    pub(super) struct SkepticCase {
        #[like(VoteBallot)]
        confidence: Due<Confidence>,
        #[like(VoteBallot)]
        reason: Due<Sentence>,
        #[like(VoteBallot)]
        arguments: Due<NonEmpty<Argument>>,
    }
}

ballot! {
    pub(super) struct OperatorCase {
        /// GO, NO-GO or CONDITIONAL
        #[also("Go/No-Go", "Verdict")]
        recommendation: Due<GoWord>,
        #[like(VoteBallot)]
        confidence: Due<Confidence>,
        #[like(VoteBallot)]
        reason: Due<Sentence>,
        #[like(VoteBallot)]
        arguments: Due<NonEmpty<Argument>>,
    }
}

ballot! {
    pub(super) struct Synthesis {
        /// the chosen option's id, exactly one
        #[also()]
        option: Due<OptionId>,
        #[like(VoteBallot)]
        confidence: Due<Confidence>,
        #[like(VoteBallot)]
        reason: Due<Sentence>,
    }
}
