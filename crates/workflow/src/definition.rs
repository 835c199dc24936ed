//! What the phases are. Data: the ten that come with forge are a file in the format that projects use for their own.

mod forges_own;
mod given;

pub use forges_own::is_fulfilled_by_forge;
pub use given::{FileRead, Given, Remark, Setting, UnknownKey};

use crate::state::{State, WorkflowStatus};
use forge_debate::plan::nearest;

/// The ten phases, in the format of a project's `workflows/forge-workflow.json`.
pub const TEN: &str = include_str!("../forge-workflow.json");

/// The ids of the phases that come with forge, in their order.
pub const TEN_IDS: [&str; 10] =
    ["init", BRAINSTORM, "research", "design", "plan", "test", "build", "validate", "review", "learn"];

/// The most phases of a workflow.
pub const PHASES_LIMIT: usize = 64;

/// A workflow: its phases in order, and when debates are called for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// The phases, first to last. Never empty, ids differ.
    pub phases: Vec<Phase>,
    /// What applies where a phase says nothing.
    pub debates: DebateConfig,
    /// What was made of the project's file. Nothing of it acts.
    pub file: FileRead,
}

/// When debates are called for, across phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DebateConfig {
    /// The trigger of phases that name none.
    pub default_trigger: Trigger,
    /// The lowest risk score that calls for a debate.
    pub risk_threshold: u8,
    /// More components than this make a decision a major one.
    pub component_threshold: u32,
}

impl Default for DebateConfig {
    fn default() -> Self {
        Self { default_trigger: Trigger::MajorDecision, risk_threshold: 6, component_threshold: 3 }
    }
}

/// One phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// Its id, such as `brainstorm`; part of file names.
    pub id: String,
    /// Its name for readers.
    pub name: String,
    /// What it is for, in a sentence.
    pub description: String,
    /// What is to be done in it.
    pub tasks: Vec<Task>,
    /// What happens on entering it.
    pub entry_actions: Vec<EntryAction>,
    /// What a person is told on entering it: entry actions that are prose.
    pub entry_notes: Vec<String>,
    /// Files that must be there, and not as placeholders, before it is left. A path that ends in `/` is a folder with
    /// something in it; `<id>` stands for the rest of the phase's debate id after `<phase>-`, or for the whole.
    pub artifacts: Vec<String>,
    /// Sections of the phase document that must be written.
    pub sections: Vec<String>,
    /// What must hold before it is left, besides the gate, which always must.
    pub exit_criteria: Vec<ExitCriterion>,
    /// What a person must tick besides the tasks: exit criteria that are prose.
    pub checklist: Vec<Task>,
    /// Exit criteria in prose that forge itself fulfils on leaving, such as `Handoff written: plan-to-test`.
    pub by_forge: Vec<String>,
    /// When it debates.
    pub debate: PhaseDebate,
}

/// When and how a phase debates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseDebate {
    /// Whether its trigger is looked at; what is mandatory, and `--debate`, work either way.
    pub enabled: bool,
    /// Its own trigger.
    pub trigger: Option<Trigger>,
    /// The protocol.
    pub protocol: String,
    /// Where the options are listed; the phase document if nothing is said.
    pub options_document: Option<String>,
    /// Occasions for a debate, in prose: for readers.
    pub occasions: Vec<String>,
}

/// When a debate is called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// In every such phase.
    Always,
    /// When many components or a prior decision are at stake.
    MajorDecision,
    /// When an active risk scores high.
    RiskThreshold,
    /// Never by itself.
    Never,
    /// Only when asked for.
    ExplicitOnly,
}

impl Trigger {
    /// All of them.
    pub const ALL: [Trigger; 5] =
        [Trigger::Always, Trigger::MajorDecision, Trigger::RiskThreshold, Trigger::Never, Trigger::ExplicitOnly];

    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            Trigger::Always => "always",
            Trigger::MajorDecision => "major_decision",
            Trigger::RiskThreshold => "risk_threshold",
            Trigger::Never => "never",
            Trigger::ExplicitOnly => "explicit_only",
        }
    }

    /// Reads the word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trigger| trigger.word() == word.trim())
    }
}

/// One thing to be done in a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its id, such as `task-01-explore-options`.
    pub id: String,
    /// What is to be done.
    pub title: String,
    /// How it is known to be done.
    pub done_when: DoneWhen,
}

/// How a task is known to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DoneWhen {
    /// Somebody ticks its box, or says `forge task done`.
    Ticked,
    /// The options document lists as many options as the debate needs.
    OptionsListed,
    /// The debate's plan is there, or no debate is called for.
    DebatePlanned,
    /// The gate is passed, or no debate is called for.
    GatePassed,
    /// The debate's decision is in the knowledge files, or no debate is called for.
    DecisionRecorded,
}

impl DoneWhen {
    /// All of them.
    pub const ALL: [DoneWhen; 5] = [
        DoneWhen::Ticked,
        DoneWhen::OptionsListed,
        DoneWhen::DebatePlanned,
        DoneWhen::GatePassed,
        DoneWhen::DecisionRecorded,
    ];

    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            DoneWhen::Ticked => "ticked",
            DoneWhen::OptionsListed => "options_listed",
            DoneWhen::DebatePlanned => "debate_planned",
            DoneWhen::GatePassed => "gate_passed",
            DoneWhen::DecisionRecorded => "decision_recorded",
        }
    }

    /// Reads the word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word.trim())
    }
}

/// What happens on entering a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryAction {
    /// The handoff from the phase before is read and its TODO list taken over.
    ReadHandoff,
    /// Decisions, constraints, assumptions and risks are shown.
    LoadKnowledge,
    /// The phase document is made.
    CreatePhaseDocument,
    /// The options document is made.
    CreateOptionsDocument,
}

impl EntryAction {
    /// All of them.
    pub const ALL: [EntryAction; 4] = [
        EntryAction::ReadHandoff,
        EntryAction::LoadKnowledge,
        EntryAction::CreatePhaseDocument,
        EntryAction::CreateOptionsDocument,
    ];

    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            EntryAction::ReadHandoff => "read_handoff",
            EntryAction::LoadKnowledge => "load_knowledge",
            EntryAction::CreatePhaseDocument => "create_phase_document",
            EntryAction::CreateOptionsDocument => "create_options_document",
        }
    }

    /// Reads the word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word.trim())
    }
}

/// What must hold before a phase is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExitCriterion {
    /// Every TODO box is ticked and every task done.
    TodoTicked,
    /// No task is blocked.
    NothingBlocked,
    /// Every artifact is there.
    ArtifactsPresent,
    /// Every section of the phase document is written.
    SectionsWritten,
}

impl ExitCriterion {
    /// All of them.
    pub const ALL: [ExitCriterion; 4] = [
        ExitCriterion::TodoTicked,
        ExitCriterion::NothingBlocked,
        ExitCriterion::ArtifactsPresent,
        ExitCriterion::SectionsWritten,
    ];

    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            ExitCriterion::TodoTicked => "todo_ticked",
            ExitCriterion::NothingBlocked => "nothing_blocked",
            ExitCriterion::ArtifactsPresent => "artifacts_present",
            ExitCriterion::SectionsWritten => "sections_written",
        }
    }

    /// Reads the word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word.trim())
    }
}

impl Definition {
    /// The phase with this id.
    pub fn phase(&self, id: &str) -> Option<&Phase> {
        self.phases.iter().find(|phase| phase.id == id)
    }

    /// Where a phase stands in the order.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.phases.iter().position(|phase| phase.id == id)
    }

    /// The phase after this one.
    pub fn after(&self, id: &str) -> Option<&Phase> {
        self.phases.get(self.position(id)? + 1)
    }

    /// The phase before this one.
    pub fn before(&self, id: &str) -> Option<&Phase> {
        self.phases.get(self.position(id)?.checked_sub(1)?)
    }

    /// Whether nothing is left of a workflow. One that is called completed before its last phase is not over.
    pub fn is_over(&self, state: &State) -> bool {
        !state.is_open() && (state.status == WorkflowStatus::Abandoned || self.after(&state.phase).is_none())
    }

    /// The nearest phase to a mistyped one.
    pub fn nearest(&self, id: &str) -> Option<&str> {
        nearest(id, self.phases.iter().map(|phase| phase.id.as_str()))
    }
}

/// The phase that debates whatever its settings say.
pub const BRAINSTORM: &str = "brainstorm";

impl Phase {
    /// Everything that is to be done or ticked in it.
    pub fn all_tasks(&self) -> impl Iterator<Item = &Task> {
        self.tasks.iter().chain(&self.checklist)
    }

    /// Whether it debates whatever its settings say, unless somebody says `--no-debate`.
    pub fn always_debates(&self) -> bool {
        self.id == BRAINSTORM
    }

    /// The command that enters it: forge's own have one each, but for the first, which `forge start` begins.
    pub fn command(&self) -> String {
        let has_own = TEN_IDS.iter().skip(1).any(|id| *id == self.id);
        if has_own { format!("forge {}", self.id) } else { format!("forge enter {}", self.id) }
    }

    /// Where its working document is.
    pub fn document(&self) -> String {
        format!("docs/forge/phases/{}.md", self.id)
    }

    /// Where forge leaves what came of it.
    pub fn outcome_document(&self) -> String {
        format!("docs/forge/{}.md", self.id)
    }

    /// Where its options are listed.
    pub fn options_document(&self) -> String {
        self.debate.options_document.clone().unwrap_or_else(|| self.document())
    }

    /// Whether leaving it needs this.
    pub fn requires(&self, criterion: ExitCriterion) -> bool {
        self.exit_criteria.contains(&criterion)
    }
}
