//! What a step is: moves, what the state is to say then, and what holds the phase.

use crate::again::Gone;
use crate::handoff::Handoff;
use crate::knowledge::Findings;
use crate::state::State;
use crate::todo::Todo;
use crate::trigger::Call;
use forge_debate::fact::Fact;
use forge_debate::plan::{Choice, Matter};

/// One thing to be done. Each may be done again without harm.
#[derive(Debug, Clone, PartialEq)]
pub enum Move {
    /// Keep a copy of the state file as it is.
    KeepSnapshot,
    /// Make the phase's working document, if it is not there.
    CreateDocument {
        /// The phase.
        phase: String,
        /// The boxes of its TODO list.
        todo: Vec<String>,
    },
    /// Make the phase's options document, if it is not there.
    CreateOptions {
        /// The phase.
        phase: String,
    },
    /// Make a file of the record again that is gone.
    MakeAgain(Box<Gone>),
    /// Make the debate's plan. The state then names the debate.
    PlanDebate(DebateOrder),
    /// Add to what is known.
    Learn(Findings),
    /// Write what came of a phase.
    WriteOutcome(Box<PhaseOutcome>),
    /// Write the handoff, if it is not there.
    WriteHandoff(Box<Handoff>),
    /// Write the workflow's record into the archive.
    Archive,
}

/// A debate to be planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebateOrder {
    /// The phase during which it is held.
    pub phase: String,
    /// What it is held for: the phase, or the decision that is reopened.
    pub owner: String,
    /// The protocol.
    pub protocol: String,
    /// What is to be decided.
    pub question: String,
    /// The options; none where a framer is to propose them.
    pub options: Vec<Choice>,
    /// What it is held about.
    pub at_stake: Vec<Matter>,
    /// What tells it apart from every other debate: one debate per occasion.
    pub occasion: String,
}

/// What came of a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseOutcome {
    /// The phase: id and name.
    pub phase: (String, String),
    /// Where to.
    pub path: String,
    /// Its working document.
    pub document: String,
    /// The workflow.
    pub workflow_id: String,
    /// What the phase was for.
    pub objective: String,
    /// When it was completed.
    pub completed_at: String,
    /// The debate, where there was one: id, plan file, what was decided.
    pub debate: Option<(String, String, Vec<String>)>,
    /// Decisions taken in it: id, title, rationale.
    pub decisions: Vec<(String, String, String)>,
    /// What a reader must know first.
    pub warnings: Vec<String>,
}

/// What holds a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocker {
    /// What kind of thing.
    pub kind: BlockerKind,
    /// The file that it is about.
    pub file: String,
    /// The line, where there is one.
    pub line: Option<usize>,
    /// What is missing, and what to do.
    pub fact: Fact,
}

/// Kinds of blockers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockerKind {
    /// A box that is not ticked, a task that is not done.
    Todo,
    /// A task that somebody marked as blocked.
    Task,
    /// A file that is not there, or says nothing.
    Artifact,
    /// A section that is not written.
    Section,
    /// Too few options to debate.
    Options,
    /// The gate.
    Gate,
    /// A turn's file that somebody has begun to write.
    Unfinished,
    /// The seats do not agree, and a person must decide.
    Person,
    /// Too few seats spoke.
    Insufficient,
    /// The debate's record, or the file of a turn on it, is not what it was.
    Record,
    /// The debate was not made here, and the user has not taken it over.
    Stranger,
    /// The state cannot be acted on.
    State,
    /// An entry that a trigger or a gate depends on was not understood.
    Unclear,
}

impl BlockerKind {
    /// Whether the phase is held at its gate by it, rather than merely worked on.
    pub fn is_gate(self) -> bool {
        use BlockerKind::{Gate, Insufficient, Person, Record, Stranger, Unfinished};
        matches!(self, Gate | Unfinished | Person | Insufficient | Record | Stranger)
    }

    /// The word for machines.
    pub fn word(self) -> &'static str {
        match self {
            BlockerKind::Todo => "todo",
            BlockerKind::Task => "blocked_task",
            BlockerKind::Artifact => "artifact",
            BlockerKind::Section => "section",
            BlockerKind::Options => "options",
            BlockerKind::Gate => "gate",
            BlockerKind::Unfinished => "unfinished",
            BlockerKind::Person => "person",
            BlockerKind::Record => "record",
            BlockerKind::Insufficient => "insufficient",
            BlockerKind::Stranger => "stranger",
            BlockerKind::State => "state",
            BlockerKind::Unclear => "unclear",
        }
    }
}

/// What is to be done, and what the state is to say then.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The moves, in order.
    pub moves: Vec<Move>,
    /// The state afterwards. Written last, and only if it says something else than before.
    pub state: State,
    /// What holds the phase.
    pub blockers: Vec<Blocker>,
    /// Whether the phase debates, and why.
    pub call: Option<Call>,
    /// What is to be done in the phase.
    pub todo: Vec<Todo>,
    /// What happened, in words.
    pub said: Vec<String>,
    /// What was noticed, in words.
    pub notes: Vec<String>,
}

impl Step {
    /// Nothing to be done.
    pub(super) fn rest(state: State, blockers: Vec<Blocker>) -> Self {
        Self { moves: Vec::new(), state, blockers, call: None, todo: Vec::new(), said: Vec::new(), notes: Vec::new() }
    }
}
