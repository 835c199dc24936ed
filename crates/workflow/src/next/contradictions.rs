//! What a state file says that cannot all be true: others write it too. Nothing is guessed: the workflow stays in the phase
//! that the file names, and is told how to go on.

use super::STATE_FILE;
use super::step::{Blocker, BlockerKind};
use crate::definition::{Phase, Trigger};
use crate::evidence::{BareDecisions, shows_debate};
use crate::snapshot::Snapshot;
use crate::state::WorkflowStatus;

/// What contradicts itself around a state in this phase, and what to type. Empty where the state can be acted on.
pub(super) fn contradictions(snapshot: &Snapshot, phase: &Phase) -> Vec<Blocker> {
    if snapshot.state.status == WorkflowStatus::Paused {
        return vec![paused(snapshot, phase)];
    }
    if let Some(archived) = archived(snapshot) {
        return vec![archived];
    }
    let mut found: Vec<Blocker> = two_ids(snapshot).into_iter().collect();
    found.extend(ended_early(snapshot, phase));
    found.extend(skipped(snapshot, phase));
    found.extend(undebated(snapshot, phase));
    found
}

fn blocker(snapshot: &Snapshot, key: &str, text: String) -> Blocker {
    Blocker { kind: BlockerKind::State, file: STATE_FILE.to_owned(), line: snapshot.traces.line_of(key), text }
}

fn paused(snapshot: &Snapshot, phase: &Phase) -> Blocker {
    blocker(snapshot, "status", format!("the workflow is paused; `forge enter {}` goes on with it", phase.id))
}

/// A workflow whose record is in the archive is over, whatever an older state file says.
fn archived(snapshot: &Snapshot) -> Option<Blocker> {
    let record = snapshot.traces.archived.as_ref()?;
    let text = format!(
        "{} is in the archive: {record}. Begin another with `forge start \"<objective>\"`, or take it up again with `forge restore --adopt {STATE_FILE}`",
        snapshot.state.workflow_id
    );
    Some(blocker(snapshot, "status", text))
}

/// The state file has no id, and its documents have different ones.
fn two_ids(snapshot: &Snapshot) -> Option<Blocker> {
    let (first, id) = snapshot.traces.ids.first()?;
    let (other, other_id) = snapshot.traces.ids.iter().find(|(_, other)| other != id)?;
    let text = format!(
        "it has no workflow_id; {first} says {id}, and {other} says {other_id}. Write the right one into it, such as `workflow_id: {id}`"
    );
    Some(blocker(snapshot, "workflow_id", text))
}

/// `completed` is said of the workflow, and there is more to come.
fn ended_early(snapshot: &Snapshot, phase: &Phase) -> Option<Blocker> {
    let state = &snapshot.state;
    let following = snapshot.definition.after(&phase.id).map(|next| next.id.as_str());
    let more = state.next_phase.as_deref().or(following)?;
    if state.status != WorkflowStatus::Completed {
        return None;
    }
    let text = format!(
        "status says completed, and {more} is still to come: status is the word for the whole workflow, phase_status for {}. `forge continue --phase {}` goes on with the phase",
        phase.id, phase.id
    );
    Some(blocker(snapshot, "status", text))
}

/// Phases before the current one that are not done. The first is done by whoever made the state file.
fn skipped(snapshot: &Snapshot, phase: &Phase) -> Option<Blocker> {
    let state = &snapshot.state;
    let position = snapshot.definition.position(&phase.id)?;
    let before = snapshot.definition.phases.iter().take(position).skip(1);
    let open: Vec<&str> = before
        .map(|earlier| earlier.id.as_str())
        .filter(|id| !state.completed_phases.iter().any(|done| done == id))
        .collect();
    let first = open.first()?;
    let verb = if open.len() == 1 { "is" } else { "are" };
    let text = format!(
        "phase says {}, and {} {verb} not in completed_phases; no phase is skipped. `forge continue --phase {first}` goes back to it",
        phase.id,
        open.join(", "),
    );
    Some(blocker(snapshot, "phase", text))
}

/// Phases that are listed as done, had to debate, and left no sign of it.
fn undebated(snapshot: &Snapshot, phase: &Phase) -> Vec<Blocker> {
    let position = snapshot.definition.position(&phase.id).unwrap_or(0);
    let before = snapshot.definition.phases.iter().take(position);
    let undebated =
        before.filter(|earlier| must_have_debated(snapshot, earlier) && !shows_its_debate(snapshot, earlier));
    undebated
        .map(|earlier| {
            let id = &earlier.id;
            let text = format!(
                "{id} counts as completed, and nothing shows its debate: this workflow has no handoff out of it, no decision that names it and no synthesis. `forge continue --phase {id}` goes back to it"
            );
            blocker(snapshot, "completed_phases", text)
        })
        .collect()
}

fn must_have_debated(snapshot: &Snapshot, phase: &Phase) -> bool {
    let state = &snapshot.state;
    let always = phase.always_debates() || phase.debate.trigger == Some(Trigger::Always);
    let planned = state.debates.iter().any(|(owner, _)| *owner == phase.id);
    state.completed_phases.contains(&phase.id) && (always || planned)
}

fn shows_its_debate(snapshot: &Snapshot, phase: &Phase) -> bool {
    let (definition, state, signs) = (&snapshot.definition, &snapshot.state, &snapshot.traces.signs);
    // A handoff that is gone is missed in its own right.
    let leads_out = format!("/{}-to-", phase.id);
    shows_debate(definition, state, phase, signs, BareDecisions::DoNotCount)
        || snapshot.gone.iter().any(|gone| gone.file.contains(&leads_out))
        || state.skipped_debates.iter().any(|(skipped, _)| *skipped == phase.id)
        || state.rehearsed_phases.contains(&phase.id)
        || state.debated_before.contains(&phase.id)
}
