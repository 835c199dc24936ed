//! Turns: what a seat contributed, or the fact that it did not.

use crate::ballot;
use crate::model::ballot::{Ballot, Sentence};
use crate::model::datum::Fields;
use crate::model::defect::Defect;
use crate::model::plan::{OptionId, SeatId};
use crate::model::votes::{Arguments, BallotView, VotedOption};
use std::fmt;
use std::sync::Arc;

/// A part of a debate, named by the protocol that owns it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stage(pub &'static str);

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The stage in which one seat answers alone, once for each turn of the debate.
pub const CONTROL: Stage = Stage("control");

/// Which turn: stage, round, seat. Two asks with one key are one ask.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnKey {
    pub stage: Stage,
    /// The round, counted by the protocol; 0 where there are no rounds.
    pub round: u16,
    /// The seat that is asked.
    pub seat: SeatId,
}

impl TurnKey {
    /// The turn of `seat` in `stage`, round `round`.
    pub fn new(stage: Stage, round: u16, seat: &SeatId) -> Self {
        Self { stage, round, seat: seat.clone() }
    }

    /// A name for files of the trail: `opening-r1-risk`.
    pub fn slug(&self) -> String {
        slug(self.stage.0, &self.round, self.seat.as_str())
    }
}

/// The name that a key would have, from its parts as a file says them.
pub fn slug(stage: &str, round: &dyn fmt::Display, seat: &str) -> String {
    format!("{stage}-r{round}-{seat}")
}

impl fmt::Display for TurnKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.round {
            0 => write!(f, "{} ({})", self.seat, self.stage),
            round => write!(f, "{} ({}, round {round})", self.seat, self.stage),
        }
    }
}

pub use forge_prose::outline::Section;
pub use forge_prose::titles::{bare_title, title_matches};

/// What a seat said, in its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Speech {
    /// The text as peers may read it: without the ballot block.
    pub text: String,
    /// The sections, in order.
    pub sections: Vec<Section>,
    pub ballot: Fields,
    /// What was due and is missing.
    pub shortcomings: Vec<Defect>,
    /// Votes that a repair would have changed.
    pub kept_votes: Vec<KeptVote>,
}

/// A vote that stands although the repaired reply has another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptVote {
    pub field: String,
    /// The first vote that could be read.
    pub kept: String,
    /// What the repair said.
    pub refused: String,
}

impl fmt::Display for KeptVote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, kept, refused } = self;
        write!(f, "the repair changed {field:?} from {kept} to {refused}; the first vote stands")
    }
}

impl Speech {
    /// The section whose title starts with `title`, without regard to case and numbering.
    pub fn section(&self, title: &str) -> Option<&Section> {
        self.sections.iter().find(|section| title_matches(&section.title, title))
    }

    /// What is looked for in any seat's ballot, whatever its form asked for.
    pub(crate) fn said(&self) -> BallotView {
        BallotView::of(&self.ballot).unwrap_or_default()
    }

    /// The option voted for. Forms that carry one have checked that the plan knows it.
    pub fn option(&self) -> Option<OptionId> {
        VotedOption::of(&self.ballot)?.option
    }

    /// The arguments that the ballot lists.
    pub fn arguments(&self) -> Vec<Argument> {
        Arguments::of(&self.ballot).map(|ballot| ballot.arguments).unwrap_or_default()
    }
}

ballot! {
    /// An argument with the id by which others can cite it.
    pub struct Argument {
        /// a1, a2, ...
        id: String,
        /// the argument in one sentence
        text: Sentence,
    }
}

/// Why a seat did not speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AbsenceKind {
    /// No answer before the deadline.
    TimedOut,
    /// The agent's program or connection failed.
    Crashed,
    /// The agent would not answer.
    Refused,
    /// The reply missed its form, and the repaired one did too.
    Unparsable,
    /// The agent is not logged in, or its key is refused.
    NoAuth,
    /// The provider kept refusing for rate until the deadline.
    RateLimited,
    /// A cap on calls, tokens or cost was reached.
    Budget,
    /// The agent could not be reached or started at all.
    Unreachable,
    /// The reply was cut off by the provider's length limit, or the brief was too long for it.
    TooLong,
    /// The file with the seat's persona is gone, so nobody knows who would speak.
    NoContextFile,
    /// Whoever gave the seat out, outside of forge, said that nobody comes.
    GivenUp,
}

impl AbsenceKind {
    pub const ALL: [AbsenceKind; 11] = [
        AbsenceKind::TimedOut,
        AbsenceKind::Crashed,
        AbsenceKind::Refused,
        AbsenceKind::Unparsable,
        AbsenceKind::NoAuth,
        AbsenceKind::RateLimited,
        AbsenceKind::Budget,
        AbsenceKind::Unreachable,
        AbsenceKind::TooLong,
        AbsenceKind::NoContextFile,
        AbsenceKind::GivenUp,
    ];

    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            AbsenceKind::TimedOut => "timed-out",
            AbsenceKind::Crashed => "crashed",
            AbsenceKind::Refused => "refused",
            AbsenceKind::Unparsable => "unparsable",
            AbsenceKind::NoAuth => "no-auth",
            AbsenceKind::RateLimited => "rate-limited",
            AbsenceKind::Budget => "budget",
            AbsenceKind::Unreachable => "unreachable",
            AbsenceKind::TooLong => "too-long",
            AbsenceKind::NoContextFile => "no-context-file",
            AbsenceKind::GivenUp => "given-up",
        }
    }

    /// Reads the word back.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// What whoever looks on is told. Files and reports keep to [`phrase`](Self::phrase), whose words are part of their formats.
    pub fn told(self) -> &'static str {
        match self {
            AbsenceKind::NoAuth => "has no key or login that is accepted",
            other => other.phrase(),
        }
    }

    /// What a reader is told.
    pub fn phrase(self) -> &'static str {
        match self {
            AbsenceKind::TimedOut => "timed out",
            AbsenceKind::Crashed => "crashed",
            AbsenceKind::Refused => "refused to answer",
            AbsenceKind::Unparsable => "did not answer in form",
            AbsenceKind::NoAuth => "is not logged in",
            AbsenceKind::RateLimited => "was rate-limited until the deadline",
            AbsenceKind::Budget => "was not asked: the budget is spent",
            AbsenceKind::Unreachable => "could not be reached",
            AbsenceKind::TooLong => "hit a length limit",
            AbsenceKind::NoContextFile => "was not asked: its context file is missing",
            AbsenceKind::GivenUp => "did not come",
        }
    }
}

/// The fact that a seat did not speak.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absence {
    pub kind: AbsenceKind,
    /// What happened, in a sentence.
    pub detail: String,
}

/// A contribution on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Which turn it is.
    pub key: TurnKey,
    /// Shared: a turn is handed from pass to pass, and never changed.
    pub contribution: Arc<Contribution>,
}

/// A speech, or its absence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contribution {
    Speech(Speech),
    /// The seat did not.
    Absence(Absence),
}

impl Turn {
    /// The speech, if the seat spoke.
    pub fn speech(&self) -> Option<&Speech> {
        match &*self.contribution {
            Contribution::Speech(speech) => Some(speech),
            Contribution::Absence(_) => None,
        }
    }

    /// What the seat's ballot says, if it spoke.
    pub fn ballot<B: Ballot>(&self) -> Option<B> {
        B::of(&self.speech()?.ballot)
    }

    /// The absence, if the seat did not speak.
    pub fn absence(&self) -> Option<&Absence> {
        match &*self.contribution {
            Contribution::Speech(_) => None,
            Contribution::Absence(absence) => Some(absence),
        }
    }

    pub fn seat(&self) -> &SeatId {
        &self.key.seat
    }
}
