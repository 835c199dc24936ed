//! How objections are answered, and how the answers are taken.

use crate::ballot;
use crate::ballot_words;
use crate::model::ballot::Sentence;
use crate::model::voting::Merit;

ballot_words! {
    pub(crate) enum AnswerWord {
        Accept = "ACCEPT",
        Partial = "PARTIAL",
        Reject = "REJECT",
    }
}

ballot! {
    pub(crate) struct ObjectionAnswer {
        /// the objector's short name, as shown above
        to: String,
        /// ACCEPT, PARTIAL or REJECT
        answer: AnswerWord,
        /// why
        reason: Sentence,
    }
}

ballot_words! {
    pub(crate) enum RebuttalWord {
        Accept = "ACCEPT",
        Maintain = "MAINTAIN",
        Escalate = "ESCALATE",
    }
}

ballot! {
    /// What rails look at.
    #[derive(Default)]
    pub(crate) struct Exchange {
        answers: Vec<ObjectionAnswer>,
        response: Option<RebuttalWord>,
    }
}

/// How a challenger's reply to an answer is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReplyJudgement {
    /// Whether the answer rejects the objection.
    pub is_rejected: bool,
    /// Where the challenger accepts it: whether it had a ground. The answer took the objection up, at least in part, or the
    /// challenger cites an argument of the lead that it had not made itself.
    pub gives_way: Option<Merit>,
}
