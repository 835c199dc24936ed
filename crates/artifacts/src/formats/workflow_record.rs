//! The record of a workflow that is over (`.claude/forge/archive/workflow-<id>.md`): its last state file, with what came
//! of each phase below.
//!
//! Pure; if the process dies here nothing is left.

use forge_workflow::definition::Definition;
use forge_workflow::extract::passages::{cell, one_line};
use forge_workflow::handoff;
use forge_workflow::knowledge::Decision;
use forge_workflow::state::State;
use std::fmt::Write as _;

/// What goes into the record.
#[derive(Debug)]
pub struct Record<'r> {
    /// The last state.
    pub state: &'r State,
    /// The phases.
    pub definition: &'r Definition,
    /// All decisions of the project.
    pub decisions: Vec<&'r Decision>,
    /// The ids of those that stand.
    pub standing: Vec<&'r str>,
}

/// Writes the record over the text of the last state file.
pub fn write(state_text: &str, record: &Record<'_>) -> String {
    let state = record.state;
    let mut text = state_text.trim_end().to_owned();
    let _ = write!(
        text,
        "\n\n# Record of {}\n\n- Objective: {}\n- Status: {}\n- Started: {}\n- Ended: {}\n\n## Phases\n\n| Phase | Debate | Handoff |\n|---|---|---|\n",
        state.workflow_id,
        one_line(&state.objective),
        state.status.word(),
        state.started_at,
        state.last_updated
    );
    for phase in &record.definition.phases {
        let debates: Vec<&str> =
            state.debates.iter().filter(|(owner, _)| *owner == phase.id).map(|(_, id)| id.as_str()).collect();
        let skipped = state.skipped_debates.iter().find(|(owner, _)| *owner == phase.id);
        let debate = match (debates.is_empty(), skipped) {
            (false, _) if state.rehearsed_phases.contains(&phase.id) => format!("{} (rehearsal)", debates.join(", ")),
            (false, _) => debates.join(", "),
            (true, Some((_, why))) => format!("skipped: {}", one_line(why)),
            (true, None) => "none".to_owned(),
        };
        let done = state.completed_phases.contains(&phase.id);
        let handoff = match record.definition.after(&phase.id) {
            Some(next) if done => handoff::path(&phase.id, &next.id),
            _ => String::new(),
        };
        let mark = if done { "" } else { " (not done)" };
        let _ = writeln!(text, "| {}{mark} | {} | {handoff} |", phase.id, cell(&debate));
    }
    text.push_str("\n## Decisions\n\n");
    if record.decisions.is_empty() {
        text.push_str("None.\n");
    }
    for decision in &record.decisions {
        let standing = if record.standing.contains(&decision.id.as_str()) { "" } else { " (superseded)" };
        let _ = writeln!(text, "- {}: {}{standing}", decision.id, one_line(&decision.title));
    }
    text
}
