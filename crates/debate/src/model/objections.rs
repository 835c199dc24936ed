//! How objections are answered, and how the answers are taken.

use crate::ballot;
use crate::ballot_words;
use crate::model::ballot::Sentence;

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
