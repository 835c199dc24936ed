//! What a gate's ballots say. The sections may speak for themselves, so nothing here is more than due.

use super::operator::GoWord;
use crate::ballot;
use crate::model::ballot::{Due, NonEmpty, Sentence};
use crate::model::plan::OptionId;
use crate::model::ruling::Confidence;
use crate::model::turn::Argument;
use crate::model::votes::Vote;

ballot! {
    pub(super) struct AdvocateCase {
        #[like(Vote)]
        option: Due<OptionId>,
        #[like(Vote)]
        confidence: Due<Confidence>,
        #[like(Vote)]
        reason: Due<Sentence>,
        #[like(Vote)]
        arguments: Due<NonEmpty<Argument>>,
    }
}

ballot! {
    pub(super) struct SkepticCase {
        #[like(Vote)]
        confidence: Due<Confidence>,
        #[like(Vote)]
        reason: Due<Sentence>,
        #[like(Vote)]
        arguments: Due<NonEmpty<Argument>>,
    }
}

ballot! {
    pub(super) struct OperatorCase {
        /// GO, NO-GO or CONDITIONAL
        #[also("Go/No-Go", "Verdict")]
        recommendation: Due<GoWord>,
        #[like(Vote)]
        confidence: Due<Confidence>,
        #[like(Vote)]
        reason: Due<Sentence>,
        #[like(Vote)]
        arguments: Due<NonEmpty<Argument>>,
    }
}

ballot! {
    pub(super) struct Synthesis {
        /// the chosen option's id, exactly one
        #[also()]
        option: Due<OptionId>,
        #[like(Vote)]
        confidence: Due<Confidence>,
        #[like(Vote)]
        reason: Due<Sentence>,
    }
}
