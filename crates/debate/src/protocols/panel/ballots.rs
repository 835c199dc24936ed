//! What a panel's ballots say at each stage.

use crate::ballot;
use crate::ballot_words;
use crate::model::ballot::{Due, NonEmpty, Sentence};
use crate::model::plan::OptionId;
use crate::model::ruling::Confidence;
use crate::model::turn::Argument;
use crate::model::votes::{self, ChallengeEntry, VoteBallot};

ballot! {
    pub(super) struct Position {
        // A memo may say its vote as its position: `POSITION: REJECT`.
        #[like(VoteBallot)]
        #[also("Vote", "Chosen Option", "Recommendation", "Recommended Option", "Position")]
        option: OptionId,
        #[like(VoteBallot)]
        confidence: Confidence,
        #[like(VoteBallot)]
        reason: Sentence,
        #[like(VoteBallot)]
        arguments: Due<NonEmpty<Argument>>,
    }
}

ballot! {
    pub(super) struct Response {
        #[flatten]
        position: Position,
        #[like(votes::ResponseBallot)]
        challenges: Vec<ChallengeEntry>,
        #[like(votes::ResponseBallot)]
        convinced_by: Vec<String>,
        #[like(votes::ResponseBallot)]
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
        #[like(VoteBallot)]
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
        #[like(VoteBallot)]
        reason: Sentence,
    }
}

ballot! {
    pub(super) struct Synthesis {
        #[like(VoteBallot)]
        option: OptionId,
        #[like(VoteBallot)]
        confidence: Confidence,
        #[like(VoteBallot)]
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
        #[like(VoteBallot)]
        reason: Sentence,
    }
}

/// Whether a text that may be left out says that there is nothing: `none`.
pub(super) fn is_nothing(text: &str) -> bool {
    ["none", "no", "no dissent", "n/a", "na", "null"]
        .contains(&text.trim().trim_end_matches('.').to_lowercase().as_str())
}
