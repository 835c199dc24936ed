//! Ids that may be part of a path, and names that a terminal may show: what a state has besides is taken out of it.

use super::words;
use forge_debate::brief::is_hidden;
use forge_debate::plan::check_id;
use forge_workflow::extract::passages::one_line;
use forge_workflow::state::{DebateState, State};

/// Takes out of a state what must not reach a path or a terminal, and says what that was. Texts that are prose
/// (objectives and reasons) stay as they are.
pub(super) fn make_sound(state: &mut State) -> Vec<String> {
    let mut notes = Vec::new();
    workflow_id(state, &mut notes);
    debate(state, &mut notes);
    keep(&mut state.completed_phases, "completed_phases", &mut notes, |phase| vec![phase]);
    keep(&mut state.rehearsed_phases, "rehearsed_phases", &mut notes, |phase| vec![phase]);
    keep(&mut state.debated_before, "debated_before", &mut notes, |phase| vec![phase]);
    keep(&mut state.debates, "debates", &mut notes, |(phase, id)| vec![phase, id]);
    keep(&mut state.skipped_debates, "skipped_debates", &mut notes, |(phase, _)| vec![phase]);

    for (key, names) in [("completed_tasks", &mut state.completed_tasks), ("pending_tasks", &mut state.pending_tasks)] {
        names.iter_mut().for_each(|name| show(name, key, &mut notes));
        names.retain(|name| !name.is_empty());
    }
    state.blocked_tasks.iter_mut().for_each(|(task, _)| show(task, "blocked_tasks", &mut notes));
    state.blocked_tasks.retain(|(task, _)| !task.is_empty());
    for (key, name) in [
        ("current_task", &mut state.current_task),
        ("phase_started_at", &mut state.phase_started_at),
        ("completed_at", &mut state.completed_at),
        ("reopened_decision", &mut state.reopened_decision),
        ("branch", &mut state.branch),
        ("issue", &mut state.issue),
    ] {
        if let Some(text) = name {
            show(text, key, &mut notes);
        }
        name.take_if(|text| text.is_empty() || key == "current_task" && words::is_nothing(text));
    }
    show(&mut state.started_at, "started_at", &mut notes);
    show(&mut state.last_updated, "last_updated", &mut notes);
    notes
}

/// The id of a workflow that began then, where none is said.
pub(super) fn derived_id(started_at: &str) -> String {
    let digits: String = started_at.chars().take(19).filter(char::is_ascii_digit).collect();
    match digits.split_at_checked(8) {
        Some((day, time)) if time.len() == 6 => format!("forge-{day}-{time}"),
        _ => "forge-recovered".to_owned(),
    }
}

fn workflow_id(state: &mut State, notes: &mut Vec<String>) {
    if let Err(problem) = check_id(&state.workflow_id) {
        let id = derived_id(&state.started_at);
        let said = std::mem::replace(&mut state.workflow_id, id);
        notes.push(format!("workflow_id {said:?}: {problem}; {} is assumed", state.workflow_id));
    }
}

/// A debate that no file can belong to is none, and has passed no gate.
fn debate(state: &mut State, notes: &mut Vec<String>) {
    let bad = state.debate.id.take_if(|id| check_id(id).is_err());
    if let Some((id, problem)) = bad.and_then(|id| check_id(&id).err().map(|problem| (id, problem))) {
        notes.push(format!("debate_id {id:?}: {problem}; there is no such debate"));
        state.debate = DebateState::default();
        state.debates.retain(|(_, known)| *known != id);
    }
    if let Some(Err(problem)) = state.debate.phase.as_deref().map(check_id) {
        let said = state.debate.phase.take().unwrap_or_default();
        notes.push(format!("debate_phase {said:?}: {problem}; left out"));
    }
}

/// Keeps the entries all of whose ids may be part of a path.
fn keep<T>(entries: &mut Vec<T>, key: &str, notes: &mut Vec<String>, ids: impl Fn(&T) -> Vec<&String>) {
    entries.retain(|entry| {
        let bad = ids(entry).into_iter().find_map(|id| check_id(id).err().map(|problem| (id, problem)));
        if let Some((id, problem)) = &bad {
            notes.push(format!("{key}: {id:?}: {problem}; left out"));
        }
        bad.is_none()
    });
}

/// Makes a name one line without characters that cannot be seen.
fn show(name: &mut String, key: &str, notes: &mut Vec<String>) {
    if name.chars().any(|c| is_hidden(c) || matches!(c, '\n' | '\t' | '\u{2028}' | '\u{2029}')) {
        let shown = one_line(name);
        let said = std::mem::replace(name, shown);
        notes.push(format!("{key}: {said:?} is read as {name:?}, without control characters"));
    }
}
