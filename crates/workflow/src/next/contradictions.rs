//! What a state file says that cannot all be true: others write it too. Nothing is guessed: the workflow stays in the phase
//! that the file names, and is told how to go on.

use super::STATE_FILE;
use super::step::{Blocker, BlockerKind};
use super::unfinished::not_understood_fact;
use crate::definition::{Phase, Trigger};
use crate::evidence::{Record, shows_debate, shows_work};
use crate::handoff;
use crate::snapshot::Snapshot;
use crate::state::{Answered, DebateFlag, WorkflowStatus};
use forge_debate::fact;
use forge_debate::fact::Fact;

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
    let undebated = undebated(snapshot, phase);
    if !undebated.is_empty() {
        // What would show it may lie there under another workflow's id.
        let others = snapshot.traces.others.iter().filter(|one| one.holds).cloned();
        found.extend(others.map(|one| Blocker {
            kind: BlockerKind::Unclear,
            file: one.file,
            line: Some(one.line),
            fact: not_understood_fact(&one.text),
        }));
    }
    found.extend(undebated);
    found.extend(undone(snapshot, phase));
    found.extend(done_ahead(snapshot, phase));
    found.extend(unsaid_skip(snapshot, phase));
    found.extend(unanswered(snapshot, phase));
    found
}

fn blocker(snapshot: &Snapshot, key: &str, fact: Fact) -> Blocker {
    Blocker { kind: BlockerKind::State, file: STATE_FILE.to_owned(), line: snapshot.traces.line_of(key), fact }
}

fn paused(snapshot: &Snapshot, phase: &Phase) -> Blocker {
    let id = &phase.id;
    let Some((key, word)) = &snapshot.traces.holding_word else {
        return blocker(
            snapshot,
            "status",
            fact!("paused", "the workflow is paused; `forge enter {id}` goes on with it", phase = id),
        );
    };
    let text = format!(
        "{key} says {word:?}, which is none of forge's words (in_progress, paused, completed), so the workflow is held; `forge enter {id}` goes on with it, `forge start --abandon \"<objective>\"` gives it up for another"
    );
    blocker(snapshot, key, fact!("unknown_status_word", "{text}"))
}

/// A workflow whose record is in the archive is over, whatever an older state file says.
fn archived(snapshot: &Snapshot) -> Option<Blocker> {
    let record = snapshot.traces.archived.as_ref()?;
    let text = format!(
        "{} is in the archive: {record}. Begin another with `forge start \"<objective>\"`, or take it up again with `forge restore --adopt {STATE_FILE}`",
        snapshot.state.workflow_id
    );
    Some(blocker(snapshot, "status", fact!("archived", "{text}")))
}

/// The state file has no id, and its documents have different ones.
fn two_ids(snapshot: &Snapshot) -> Option<Blocker> {
    let (first, id) = snapshot.traces.ids.first()?;
    let (other, other_id) = snapshot.traces.ids.iter().find(|(_, other)| other != id)?;
    let text = format!(
        "it has no workflow_id; {first} says {id}, and {other} says {other_id}. Write the right one into it, such as `workflow_id: {id}`"
    );
    Some(blocker(snapshot, "workflow_id", fact!("two_workflow_ids", "{text}")))
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
    Some(blocker(snapshot, "status", fact!("completed_early", "{text}")))
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
    Some(blocker(snapshot, "phase", fact!("phases_skipped", "{text}")))
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
                "{id} counts as completed, and nothing shows its debate: {}. `forge continue --phase {id}` goes back to it",
                missed(snapshot, id)
            );
            blocker(snapshot, "completed_phases", fact!("phase_undebated", "{text}"))
        })
        .collect()
}

/// What would show the debate of a phase.
fn missed(snapshot: &Snapshot, id: &str) -> String {
    let state = &snapshot.state;
    let claims = state.skipped_debates.iter().any(|(skipped, _)| skipped == id);
    if claims || state.rehearsed_phases.iter().any(|one| one == id) {
        let flag = if claims { "--no-debate" } else { "--allow-rehearsal" };
        return format!(
            "the file says that it was left with {flag}, and nobody typed that here. If you know who did: forge restore --adopt {STATE_FILE}"
        );
    }
    let missing = "this workflow has no debate of it that is decided, no decision that names it and no synthesis";
    match snapshot.traces.line_of("completed_phases") {
        Some(_) if state.debates.iter().all(|(owner, _)| owner != id) => missing.to_owned(),
        // Another tool's file that does not list what is done, or a debate whose folder is not here.
        _ => format!("{missing}. If you know that it is done: forge restore --adopt {STATE_FILE}"),
    }
}

fn must_have_debated(snapshot: &Snapshot, phase: &Phase) -> bool {
    let state = &snapshot.state;
    let planned = state.debates.iter().any(|(owner, _)| *owner == phase.id);
    state.completed_phases.contains(&phase.id) && (always_debates(phase) || planned)
}

fn always_debates(phase: &Phase) -> bool {
    phase.always_debates() || (phase.debate.enabled && phase.debate.trigger == Some(Trigger::Always))
}

fn shows_its_debate(snapshot: &Snapshot, phase: &Phase) -> bool {
    let (definition, state, traces) = (&snapshot.definition, &snapshot.state, &snapshot.traces);
    let shows = |record| shows_debate(definition, state, phase, &traces.signs, record);
    shows(Record::Forges)
        || (state.debated_before.contains(&phase.id) && shows(Record::Others))
        // One that was planned may have been left out again where nothing made it mandatory.
        || (!always_debates(phase) && traces.is_handed_over(&phase.id))
        || traces.said.no_debate.contains(&phase.id)
        || traces.said.debated.contains(&phase.id)
        || (state.rehearsed_phases.contains(&phase.id) && traces.said.rehearsed.contains(&phase.id))
}

/// Phases that are listed as done, and left nothing that shows it. The first is done by whoever made the state file.
fn undone(snapshot: &Snapshot, phase: &Phase) -> Option<Blocker> {
    let (definition, traces) = (&snapshot.definition, &snapshot.traces);
    let position = definition.position(&phase.id)?;
    let is_listed = |one: &&Phase| snapshot.state.completed_phases.contains(&one.id);
    let is_shown = |one: &Phase| shows_work(one, &traces.signs) || traces.said.done.contains(&one.id);
    // A debate that is missed is told already.
    let is_told = |one: &Phase| must_have_debated(snapshot, one) && !shows_its_debate(snapshot, one);
    let before = definition.phases.iter().take(position).skip(1).filter(is_listed);
    let open: Vec<&Phase> = before.filter(|one| !is_shown(one) && !is_told(one)).collect();
    let first = open.first()?;
    let handoffs: Vec<String> = open
        .iter()
        .filter_map(|one| Some(handoff::path(&one.id, &definition.after(&one.id)?.id)))
        .map(|path| path.rsplit('/').next().unwrap_or_default().to_owned())
        .collect();
    let names: Vec<String> = open.iter().map(|one| one.id.clone()).collect();
    let text = format!(
        "{} {} as completed, and nothing that this workflow left shows it: no finished handoff ({}), no final document. `forge continue --phase {}` goes back to it; if you know that it is done: forge restore --adopt {STATE_FILE}",
        shown(&names),
        if open.len() == 1 { "counts" } else { "count" },
        shown(&handoffs),
        first.id,
    );
    Some(blocker(snapshot, "completed_phases", fact!("phases_undone", "{text}")))
}

/// The first of these, and how many more there are: what to type stands behind them, and must not be cut off.
fn shown(all: &[String]) -> String {
    match all {
        [first, second, more @ ..] if !more.is_empty() => format!("{first}, {second} and {} more", more.len()),
        all => all.join(", "),
    }
}

/// Phases that are listed as done and come after the current one.
fn done_ahead(snapshot: &Snapshot, phase: &Phase) -> Option<Blocker> {
    let position = snapshot.definition.position(&phase.id)?;
    let is_ahead = |id: &&String| snapshot.definition.position(id).is_some_and(|at| at > position);
    let ahead: Vec<&str> = snapshot.state.completed_phases.iter().filter(is_ahead).map(String::as_str).collect();
    let verb = if ahead.len() == 1 { "comes" } else { "come" };
    let text = format!(
        "it lists {}, which {verb} after {}, the phase that the file names. Take {} out of completed_phases, or `forge continue --phase {}` does it",
        ahead.join(", "),
        phase.id,
        if ahead.len() == 1 { "it" } else { "them" },
        phase.id
    );
    (!ahead.is_empty()).then(|| blocker(snapshot, "completed_phases", fact!("phases_done_ahead", "{text}")))
}

/// `--no-debate` is the user's word: a file that says so was written by somebody.
fn unsaid_skip(snapshot: &Snapshot, phase: &Phase) -> Option<Blocker> {
    let state = &snapshot.state;
    if state.debate_flag != DebateFlag::Skipped || snapshot.traces.said.no_debate.contains(&phase.id) {
        return None;
    }
    let text = format!(
        "it says skipped, and nobody typed --no-debate here. `{0} --no-debate` leaves the debate out, on record; or write `debate_flag: none`",
        phase.command()
    );
    Some(blocker(snapshot, "debate_flag", fact!("unsaid_skip", "{text}")))
}

/// What is said to be answered by a phase of which neither a debate nor a word of the user's says so.
fn unanswered(snapshot: &Snapshot, phase: &Phase) -> Option<Blocker> {
    let (state, said) = (&snapshot.state, &snapshot.traces.said);
    let is_same = |one: &Answered, shown: &Answered| {
        shown.phase == one.phase && shown.matter == one.matter && shown.score >= one.score
    };
    let is_shown = |one: &Answered| snapshot.traces.answers.iter().any(|shown| is_same(one, shown));
    let one = state
        .answered
        .iter()
        .find(|one| one.phase != phase.id && !is_shown(one) && !said.no_debate.contains(&one.phase))?;
    let why = match state.debates.iter().any(|(owner, _)| *owner == one.phase) {
        true => "whose debate says nothing of it",
        false => "which had no debate",
    };
    let text = format!(
        "it says that {} was answered in {}, {why}. Take the entry out, or `forge continue --phase {}` goes back to it",
        one.matter, one.phase, one.phase
    );
    Some(blocker(snapshot, "answered", fact!("unsaid_answer", "{text}")))
}
