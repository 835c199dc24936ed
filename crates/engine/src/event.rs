//! What happens during a run, for whoever watches. Watching changes nothing.

use forge_debate::turn::{AbsenceKind, TurnKey};

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A run on a debate begins.
    Began {
        /// The debate.
        debate: String,
        /// Its plan's file.
        plan_file: String,
    },
    /// The run goes on where another one stopped.
    Resumed {
        /// Calls made for the turns on record.
        calls: u32,
        /// Their tokens in and out, as far as known.
        tokens: u64,
        /// What they cost, in millionths of a US dollar, as far as known.
        cost: Option<u64>,
    },
    /// The framer proposed options.
    Framed {
        /// The labels.
        options: Vec<String>,
    },
    /// A wave of seats is about to be asked.
    Wave {
        /// The turns that are open.
        keys: Vec<TurnKey>,
    },
    /// A seat is being asked.
    Asking {
        /// Which turn.
        key: TurnKey,
        /// Who.
        agent: String,
        /// The attempt, from 1.
        attempt: u32,
    },
    /// A reply missed its form and is asked for again.
    Repairing {
        /// Which turn.
        key: TurnKey,
        /// What was wrong.
        problems: Vec<String>,
    },
    /// An earlier run ended between a call and its reply.
    PossiblyPaid {
        /// Which turn.
        key: TurnKey,
        /// Which attempt.
        attempt: u32,
    },
    /// A turn is on record.
    Spoke {
        /// Which turn.
        key: TurnKey,
        /// Its file.
        file: String,
        /// How long the answer took.
        milliseconds: u64,
        /// Tokens in and out, where known.
        tokens: Option<u64>,
        /// What it cost, in millionths of a US dollar, where known.
        cost: Option<u64>,
    },
    /// An absence is on record.
    Absent {
        /// Which turn.
        key: TurnKey,
        /// Why.
        kind: AbsenceKind,
        /// What happened.
        detail: String,
        /// Tokens in and out all the same, where known.
        tokens: Option<u64>,
        /// What it cost all the same, in millionths of a US dollar, where known.
        cost: Option<u64>,
    },
    /// Somebody's file was taken in.
    TakenIn {
        /// Which turn.
        key: TurnKey,
        /// The file.
        file: String,
    },
    /// Somebody's file is not in form yet.
    NotYet {
        /// Which turn.
        key: TurnKey,
        /// The file.
        file: String,
        /// What keeps it from being a turn.
        problems: Vec<String>,
        /// What else is missing.
        noted: Vec<String>,
    },
    /// A seat that forge does not ask has not spoken yet.
    Waiting {
        /// Which turn.
        key: TurnKey,
        /// The file it is to write.
        file: String,
        /// The brief it is to read.
        brief: String,
    },
    /// Anything else that a reader must know.
    Note(String),
}

/// Someone who watches a run.
pub trait Watch: Send + Sync {
    /// Something happened.
    fn see(&self, event: Event);
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Watch for Silent {
    fn see(&self, _event: Event) {}
}
