//! The state of a workflow: what the state file says, as values.
//!
//! It is the commit point of every move: everything else is written first, idempotently, and this last.

use forge_debate::plan::Matter;

/// The version that is written.
pub const VERSION: &str = "2.0";

/// The task that going back to a phase leaves open: a phase whose boxes are all ticked would be left again at once.
pub const REVISIT: &str = "revisit";

/// Where a workflow stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// Which workflow, such as `forge-20260127-143022`.
    pub workflow_id: String,
    /// What it is for.
    pub objective: String,
    /// The current phase.
    pub phase: String,
    /// What the current phase is for, where that was said when it was entered.
    pub phase_objective: Option<String>,
    /// How the phase stands.
    pub phase_status: PhaseStatus,
    /// When the workflow began.
    pub started_at: String,
    /// When the current phase began.
    pub phase_started_at: Option<String>,
    /// When this was last written.
    pub last_updated: String,
    /// When the current phase was completed.
    pub completed_at: Option<String>,
    /// The phase that comes next; none after the last.
    pub next_phase: Option<String>,
    /// The phases that are done, in order.
    pub completed_phases: Vec<String>,
    /// The whole workflow.
    pub status: WorkflowStatus,
    /// The debate that the current phase waits for or has passed.
    pub debate: DebateState,
    /// What was said about debating in this phase.
    pub debate_flag: DebateFlag,
    /// The debates of all phases so far: phase and debate id, in order.
    pub debates: Vec<(String, String)>,
    /// Debates that were called for and not held: phase and why.
    pub skipped_debates: Vec<(String, String)>,
    /// What called for a debate and was answered by one, or left on record without.
    pub answered: Vec<Answered>,
    /// What calls for a debate of the current phase, as it was when that was told: deleting a file unasks nothing.
    pub called: Vec<Called>,
    /// Phases whose gate a rehearsal passed.
    pub rehearsed_phases: Vec<String>,
    /// Phases whose debate was held before forge came, as what another tool left shows.
    pub debated_before: Vec<String>,
    /// A decision whose kill-switch tripped, until the debate on it is done: decision id.
    pub reopened_decision: Option<String>,
    /// Tasks of the current phase that are done.
    pub completed_tasks: Vec<String>,
    /// Tasks of the current phase that are not.
    pub pending_tasks: Vec<String>,
    /// Tasks of the current phase that cannot go on: task and why.
    pub blocked_tasks: Vec<(String, String)>,
    /// The first task that is not done.
    pub current_task: Option<String>,
    /// The git branch.
    pub branch: Option<String>,
    /// The issue that it belongs to.
    pub issue: Option<String>,
    /// How often this was written; grows by one with every write, whatever the clock does.
    pub revision: u64,
}

/// The debate of the current phase.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DebateState {
    /// Its id.
    pub id: Option<String>,
    /// The phase that owns it.
    pub phase: Option<String>,
    /// How it stands.
    pub status: DebateStatus,
    /// Whether its gate is passed.
    pub gate_passed: bool,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The word used in files.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }

            /// Reads the word.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.word() == word.trim())
            }
        }
    };
}

words! {
    /// How a phase stands.
    PhaseStatus {
        /// Not yet begun.
        #[default]
        Pending = "pending",
        /// Being worked on.
        InProgress = "in_progress",
        /// Held at its gate.
        Blocked = "blocked",
        /// Done.
        Completed = "completed",
    }
}

words! {
    /// How a workflow stands.
    WorkflowStatus {
        /// Under way.
        #[default]
        Active = "in_progress",
        /// Held until somebody goes on with it.
        Paused = "paused",
        /// Done.
        Completed = "completed",
        /// Given up for another.
        Abandoned = "abandoned",
    }
}

words! {
    /// How a phase's debate stands.
    DebateStatus {
        /// There is none.
        #[default]
        None = "none",
        /// Planned.
        Pending = "pending",
        /// Somebody has spoken.
        Running = "running",
        /// It has a verdict.
        Complete = "complete",
    }
}

words! {
    /// What was said about debating in a phase.
    DebateFlag {
        /// Nothing: the phase's settings decide.
        #[default]
        Unsaid = "none",
        /// `--debate`.
        Forced = "forced",
        /// `--no-debate`.
        Skipped = "skipped",
    }
}

/// Something that called for a debate and was answered by one, or left on record without: it is not asked about again until its
/// score rises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// What: a risk's source, or its id where it has none; `D3 over D1`.
    pub matter: String,
    /// The score at which it was answered; 0 where it has none.
    pub score: u8,
    /// The phase whose debate was held while it stood, or left out on record.
    pub phase: String,
}

/// Something that calls for a debate of the current phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// What it is.
    pub matter: Matter,
    /// What it said.
    pub text: String,
}

impl Called {
    /// The condition of a handoff that it is.
    pub fn condition(&self) -> Option<&str> {
        match &self.matter {
            Matter::Other(condition) => Some(condition),
            _ => None,
        }
    }

    /// That it is gone.
    pub fn told(&self) -> String {
        let (name, text) = (self.matter.name(), &self.text);
        let what = match &self.matter {
            Matter::Risk { score, .. } => format!("the risk {text:?}, which scored {score},"),
            Matter::Other(_) => format!("the condition {text:?}, which was ticked,"),
            _ => format!("{name} ({text}), which is contradicted,"),
        };
        format!("{what} called for this debate and is gone from its file")
    }
}

impl State {
    /// A workflow that has just begun, in its first phase.
    pub fn new(workflow_id: &str, objective: &str, first_phase: &str, now: &str) -> Self {
        Self {
            workflow_id: workflow_id.to_owned(),
            objective: objective.to_owned(),
            phase: first_phase.to_owned(),
            phase_objective: None,
            phase_status: PhaseStatus::InProgress,
            started_at: now.to_owned(),
            phase_started_at: Some(now.to_owned()),
            last_updated: now.to_owned(),
            completed_at: None,
            next_phase: None,
            completed_phases: Vec::new(),
            status: WorkflowStatus::Active,
            debate: DebateState::default(),
            debate_flag: DebateFlag::Unsaid,
            debates: Vec::new(),
            skipped_debates: Vec::new(),
            answered: Vec::new(),
            called: Vec::new(),
            rehearsed_phases: Vec::new(),
            debated_before: Vec::new(),
            reopened_decision: None,
            completed_tasks: Vec::new(),
            pending_tasks: Vec::new(),
            blocked_tasks: Vec::new(),
            current_task: None,
            branch: None,
            issue: None,
            revision: 0,
        }
    }

    /// Whether there is something left to do in it. A completed workflow with a next phase contradicts itself, and is not over.
    pub fn is_open(&self) -> bool {
        match self.status {
            WorkflowStatus::Active | WorkflowStatus::Paused => true,
            WorkflowStatus::Completed => self.next_phase.is_some(),
            WorkflowStatus::Abandoned => false,
        }
    }

    /// Whether two states say the same, but for when and how often they were written.
    pub fn says_the_same(&self, other: &State) -> bool {
        let settled = |state: &State| State { last_updated: String::new(), revision: 0, ..state.clone() };
        settled(self) == settled(other)
    }

    /// What the current phase is for.
    pub fn current_objective(&self) -> &str {
        self.phase_objective.as_deref().unwrap_or(&self.objective)
    }
}
