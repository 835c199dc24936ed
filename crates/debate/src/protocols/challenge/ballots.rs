//! What a challenge's ballots say at each stage.

use crate::ballot;
use crate::ballot_words;
use crate::model::ballot::{Due, NonEmpty, Sentence};
use crate::model::objections::{ObjectionAnswer, RebuttalWord};
use crate::model::plan::OptionId;
use crate::model::ruling::Confidence;
use crate::model::turn::Argument;
use crate::model::votes::VoteBallot;

ballot! {
    pub(super) struct Probe {
        /// true
        #[also("Ready")]
        ready: bool,
        /// the angle from which you will challenge, in a few words
        #[also("Angle")]
        angle: Option<String>,
    }
}

ballot! {
    /// The lead's position, and what it rests on.
    pub struct Opening {
        #[like(VoteBallot)]
        option: OptionId,
        /// your position in one or two sentences
        #[also("Final Position", "My Position")]
        position: Sentence,
        #[like(VoteBallot)]
        confidence: Confidence,
        #[like(VoteBallot)]
        reason: Sentence,
        #[like(VoteBallot)]
        arguments: Due<NonEmpty<Argument>>,
        /// what must be true
        #[also("My Assumptions")]
        assumptions: Due<Vec<String>>,
    }
}

ballot_words! {
    pub(crate) enum Agreement {
        Agree = "agree",
        Partial = "partial",
        Disagree = "disagree",
    }
}

ballot_words! {
    pub(crate) enum Strength {
        Minor = "minor",
        Moderate = "moderate",
        Strong = "strong",
    }
}

ballot! {
    /// What a challenger says to the opening.
    pub(crate) struct Critique {
        /// agree, partial or disagree
        #[also("Verdict")]
        verdict: Agreement,
        /// minor, moderate or strong; how much your objection matters
        #[also("Objection Strength")]
        objection_strength: Option<Strength>,
        /// the heart of it, in one or two sentences
        #[also("Critique")]
        critique: Sentence,
        /// what supports it
        #[also("Evidence")]
        evidence: Option<String>,
        /// what you would do instead
        #[also("Alternative")]
        alternative: Option<String>,
        #[like(VoteBallot)]
        confidence: Confidence,
        /// which of the lead's assumptions you doubt
        #[also("Assumptions Challenged")]
        assumptions_challenged: Vec<String>,
        /// if you agree: which of the lead's points you examined, by label, and what you looked for, such as ["R1: looked
        /// for writes that a failover would lose; the replica confirms each"]; an agree without one counts as a moderate
        /// objection
        #[also("Examined")]
        examined: Vec<String>,
        #[like(VoteBallot)]
        arguments: Due<NonEmpty<Argument>>,
    }
}

impl Critique {
    /// The stand in a word or two: `agree`, `disagree (strong)`.
    pub(crate) fn stand(&self) -> String {
        match (self.verdict, self.objection_strength) {
            (Agreement::Agree, _) | (_, None) => self.verdict.word().to_owned(),
            (verdict, Some(strength)) => format!("{} ({})", verdict.word(), strength.word()),
        }
    }
}

ballot! {
    /// The lead's answers to the open objections, and its position after them.
    pub(crate) struct LeadAnswer {
        #[like(Opening)]
        option: OptionId,
        #[like(Opening)]
        position: Sentence,
        #[like(Opening)]
        confidence: Confidence,
        /// one entry for every open objection
        answers: NonEmpty<ObjectionAnswer>,
        /// what changed the position; empty if nothing did
        changed_because: Vec<String>,
    }
}

ballot! {
    /// Challengers may cite what convinces them, so the lead's answers have arguments too.
    pub(super) struct LeadArguments {
        #[like(Opening)]
        arguments: Due<NonEmpty<Argument>>,
    }
}

ballot! {
    /// How a challenger takes the lead's answer.
    pub(crate) struct Rebuttal {
        /// ACCEPT: the answer settles it; MAINTAIN: it does not; ESCALATE: it cannot be settled here, a person must
        #[also("Response")]
        response: RebuttalWord,
        #[like(Critique)]
        objection_strength: Option<Strength>,
        #[like(VoteBallot)]
        reason: Sentence,
        #[like(VoteBallot)]
        arguments: Due<NonEmpty<Argument>>,
    }
}

ballot! {
    /// What convinced a challenger that accepts an answer by which its objection is rejected.
    pub(super) struct GivesWayTo {
        /// only if you accept an answer that rejects your objection: the arguments of the lead that convinced you, such as
        /// ["S1.a2"]; without one your objection stands
        convinced_by: Vec<String>,
    }
}

ballot! {
    /// What a party's stand rests on.
    pub(super) struct Foundation {
        /// why you still disagree
        #[also("Why", "Why I disagree", "Why do you disagree", "Why I still disagree")]
        why: Sentence,
        /// what would make the other side right
        #[also(
            "What Would Change",
            "What would make the other side right",
            "What would make the other position correct",
            "What would change my mind",
        )]
        what_would_change: Sentence,
        /// the core assumption that your stand rests on
        #[also("Core Assumption", "My Core Assumption", "Assumption")]
        assumption: Sentence,
    }
}

ballot! {
    /// What is read from the text of a lead's or a challenger's file. What is not there is left open.
    #[derive(Default)]
    pub(super) struct ChallengeFile {
        #[like(Opening)]
        option: Option<OptionId>,
        #[like(Opening)]
        position: Option<String>,
        #[like(Opening)]
        confidence: Option<Confidence>,
        #[like(Opening)]
        reason: Option<String>,
        #[like(Opening)]
        arguments: Option<Vec<Argument>>,
        #[like(Opening)]
        assumptions: Option<Vec<String>>,
        #[like(Critique)]
        critique: Option<String>,
        #[like(LeadAnswer)]
        answers: Option<Vec<ObjectionAnswer>>,
        #[like(Rebuttal)]
        response: Option<RebuttalWord>,
    }
}
