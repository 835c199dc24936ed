//! What the state file says for people who open it: what the phase is about now, what holds it, what to do next.

use crate::next::{BlockerKind, Step};
use crate::snapshot::Snapshot;
use crate::state::{PhaseStatus, WorkflowStatus};

/// The most lines below one heading; `forge status` has them all.
const LINES_LIMIT: usize = 8;

/// What stands below the headings of the state file's notes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notes {
    /// Current Focus.
    pub focus: String,
    /// Blockers.
    pub blockers: Vec<String>,
    /// Next Actions.
    pub actions: Vec<String>,
}

impl Notes {
    /// What is to be said of a workflow where nothing is left to be done by itself.
    pub fn of(snapshot: &Snapshot, step: &Step) -> Self {
        let state = &snapshot.state;
        if snapshot.definition.is_over(state) {
            return Self { focus: format!("The workflow is {}.", state.status.word()), ..Self::default() };
        }
        let holds = |kind: BlockerKind| kind.is_gate() || matches!(kind, BlockerKind::Task | BlockerKind::Unclear);
        let mut blockers: Vec<String> = Vec::new();
        for one in step.blockers.iter().filter(|one| holds(one.kind)) {
            let line = one.line.map(|line| format!(":{line}")).unwrap_or_default();
            blockers.push(format!("{}{line}: {}", one.file, one.fact));
        }
        let mut actions = Vec::new();
        if let Some(debate) = snapshot.debate.there().filter(|debate| !debate.passed) {
            actions.extend(debate.waiting.iter().map(|one| format!("{} writes {}", one.seat, one.turn_file)));
        }
        actions
            .extend(step.todo.iter().filter(|one| !one.done && !one.is_about_the_gate()).map(|one| one.text.clone()));
        actions.truncate(LINES_LIMIT - 1);
        actions.push("Run `forge continue`".to_owned());
        blockers.truncate(LINES_LIMIT);
        Self { focus: focus(snapshot), blockers, actions }
    }
}

fn focus(snapshot: &Snapshot) -> String {
    let state = &snapshot.state;
    let phase = snapshot.definition.phase(&state.phase).map_or(state.phase.as_str(), |phase| phase.name.as_str());
    let standing = match (state.status, state.phase_status) {
        (WorkflowStatus::Paused, _) => "paused",
        (_, PhaseStatus::Blocked) => "blocked on debate",
        (_, PhaseStatus::Completed) => "done",
        (_, PhaseStatus::Pending | PhaseStatus::InProgress) => "in progress",
    };
    match &state.current_task {
        Some(task) => format!("{phase}, {standing}: {task}"),
        None => format!("{phase}, {standing}."),
    }
}
