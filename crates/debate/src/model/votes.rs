//! The ballots of seats that vote, and what other ballots share with them.

use crate::ballot;
use crate::model::ballot::{Ballot, Due, NonEmpty, Sentence};
use crate::model::form::Kind;
use crate::model::plan::OptionId;
use crate::model::ruling::Confidence;
use crate::model::turn::Argument;

ballot! {
    /// A vote, before anybody else was read.
    pub(crate) struct VoteBallot {
        /// the id of the one option you vote for
        #[also("Chosen Option", "Recommended Option", "Recommendation", "Recommended", "Final Recommendation", "Vote")]
        option: OptionId,
        /// how sure you are: HIGH, MEDIUM or LOW
        #[also("Confidence Level")]
        confidence: Confidence,
        /// why, in one or two sentences that name a ground
        #[also("Rationale", "Why", "Reasoning")]
        reason: Sentence,
        /// your arguments, each with an id (a1, a2, ...) by which others can cite it
        #[also("Arguments", "Reasoning")]
        arguments: Due<NonEmpty<Argument>>,
    }
}

ballot! {
    /// A vote of a seat that has read the others.
    pub(crate) struct ResponseBallot {
        #[flatten]
        vote: VoteBallot,
        /// at least one position of another speaker that you challenge, and why (`to` is their short name, such as S1)
        #[also("Challenges", "Disagreements", "Specific Disagreements")]
        challenges: Vec<ChallengeEntry>,
        /// only if you change your vote: the arguments of others that convinced you, such as ["S1.a2"]; a change that
        /// cites none is not counted
        convinced_by: Vec<String>,
        /// only if you change your vote: what exactly convinced you
        #[also("Changed Because", "What Convinced Me")]
        convinced_because: Option<String>,
    }
}

ballot! {
    /// A position of another seat, and what is wrong with it. Where one is due, a rail says so.
    pub(crate) struct ChallengeEntry {
        /// who, as shown above
        to: String,
        /// what is wrong with that position
        text: Sentence,
    }
}

ballot! {
    /// Asked where there is something else than a seat's own option and one other.
    pub(crate) struct Approvals {
        /// every option that you could live with, your own included
        #[also("Could Live With")]
        approves: Vec<OptionId>,
    }
}

ballot! {
    /// A passage of the supplied material.
    pub(crate) struct QuotedPassage {
        /// the file's name as shown above
        source: String,
        /// its words, exactly
        text: Sentence,
    }
}

ballot! {
    /// Asked where there is something to quote.
    pub(crate) struct Quotes {
        /// what you rest on in the supplied files, word for word; every quote is looked up
        quotes: Vec<QuotedPassage>,
    }
}

ballot! {
    /// The same where a grounded verdict is demanded and the seat has not quoted anything yet that is there.
    pub(crate) struct QuotesDemanded {
        /// at least one passage of the supplied files that you rest on, word for word; every quote is looked up, and a seat
        /// without one that is there is not counted
        quotes: Due<NonEmpty<QuotedPassage>>,
    }
}

ballot! {
    /// What is looked for in any seat's ballot, whatever its form asked for: what is not there is left open.
    #[derive(Default)]
    pub(crate) struct BallotView {
        #[like(VoteBallot)]
        option: Option<OptionId>,
        #[like(VoteBallot)]
        confidence: Option<Confidence>,
        #[like(VoteBallot)]
        reason: Option<String>,
        #[like(VoteBallot)]
        arguments: Vec<Argument>,
        #[like(ResponseBallot)]
        challenges: Vec<ChallengeEntry>,
        #[like(ResponseBallot)]
        convinced_by: Vec<String>,
        #[like(ResponseBallot)]
        convinced_because: Option<String>,
        #[like(Approvals)]
        approves: Vec<OptionId>,
        #[like(Quotes)]
        quotes: Vec<QuotedPassage>,
    }
}

ballot! {
    /// The one thing that is looked for most.
    pub(crate) struct VotedOption {
        #[like(VoteBallot)]
        option: Option<OptionId>,
    }
}

ballot! {
    pub(crate) struct Arguments {
        #[like(VoteBallot)]
        arguments: Vec<Argument>,
    }
}

/// How files of outside writers spell the option that is voted for.
pub(crate) fn option_spellings() -> &'static [&'static str] {
    VoteBallot::FIELDS.iter().find(|field| matches!(field.kind, Kind::Option)).map_or(&[], |field| field.also)
}
