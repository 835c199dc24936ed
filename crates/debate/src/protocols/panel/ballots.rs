//! What a panel's ballots say at each stage.

use crate::ballot;
use crate::ballot_words;
use crate::model::ballot::{Due, NonEmpty, Sentence};
use crate::model::plan::OptionId;
use crate::model::ruling::Confidence;
use crate::model::turn::Argument;
use crate::model::votes::{self, Challenge, Vote};

ballot! {
    pub(super) struct Position {
        // A memo may say its vote as its position: `POSITION: REJECT`.
        #[like(Vote)]
        #[also("Vote", "Chosen Option", "Recommendation", "Recommended Option", "Position")]
        option: OptionId,
        #[like(Vote)]
        confidence: Confidence,
        #[like(Vote)]
        reason: Sentence,
        #[like(Vote)]
        arguments: Due<NonEmpty<Argument>>,
    }
}

ballot! {
    pub(super) struct Response {
        #[flatten]
        position: Position,
        #[like(votes::Response)]
        challenges: Vec<Challenge>,
        #[like(votes::Response)]
        convinced_by: Vec<String>,
        #[like(votes::Response)]
        convinced_because: Option<String>,
        /// a formal dissent in your own words; it is kept word for word in the output
        #[also("Dissent")]
        dissent: Option<String>,
        /// true if you think the panel should move to synthesis
        #[also("Converge")]
        converge: Option<bool>,
    }
}

ballot! {
    pub(super) struct Poll {
        /// true: move to synthesis; false: another round is worth it
        #[also("Vote", "Converge")]
        converge: bool,
        #[like(Vote)]
        reason: Sentence,
    }
}

ballot_words! {
    pub(super) enum RulingWord {
        Continue = "continue",
        Halt = "halt",
        Escalate = "escalate",
    }
}

ballot! {
    pub(super) struct RefereeRuling {
        /// continue: new arguments are still coming; halt: they repeat; escalate: the disagreement is fundamental and a
        /// person must decide
        #[also("Ruling")]
        ruling: RulingWord,
        #[like(Vote)]
        reason: Sentence,
    }
}

ballot! {
    pub(super) struct Synthesis {
        #[like(Vote)]
        option: OptionId,
        #[like(Vote)]
        confidence: Confidence,
        #[like(Vote)]
        reason: Sentence,
    }
}

ballot! {
    pub(super) struct Review {
        /// whether the synthesis represents your position and your dissent truthfully
        #[also("Accurate")]
        accurate: bool,
        /// if not: what it gets wrong about your dissent
        #[also("Misrepresented")]
        misrepresented: Option<String>,
        #[like(Vote)]
        reason: Sentence,
    }
}
