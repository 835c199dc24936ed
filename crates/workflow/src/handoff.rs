//! What one phase leaves to the next.

mod account;

use crate::definition::{DoneWhen, Phase};
use crate::extract::criteria::boxed;
use crate::extract::passages::Item;
use crate::knowledge::{Assumption, Constraint, Decision, Knowledge, Risk};
use crate::snapshot::{ArtifactStanding, DebateThere, Snapshot};
use crate::state::Called;
use crate::state::State;

/// The document between two phases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handoff {
    /// The phase that is left: id and name.
    pub from: (String, String),
    /// The phase that is entered: id and name.
    pub to: (String, String),
    /// When it was made.
    pub generated_at: String,
    /// The workflow.
    pub workflow_id: String,
    /// What was done: a sentence, then what was ticked.
    pub summary: Vec<String>,
    /// What came of it.
    pub outcomes: Vec<String>,
    /// How long it took.
    pub time_spent: String,
    /// What a reader must know first: a rehearsal, a skipped debate.
    pub warnings: Vec<String>,
    /// Whether a rehearsal passed the gate of the phase that is left.
    pub rehearsed: bool,
    /// Why its debate was called for, where it was left with `--no-debate`.
    pub skipped: Option<String>,
    /// Decisions that stand.
    pub decisions: Vec<Decision>,
    /// Assumptions that are open.
    pub assumptions: Vec<Assumption>,
    /// Constraints.
    pub constraints: Vec<Constraint>,
    /// What is to be done next.
    pub todo: Vec<String>,
    /// What would need a debate before going on.
    pub escalations: Vec<String>,
    /// Of them those that were ticked when the one before it was lost, and others that were.
    pub ticked: Vec<String>,
    /// Active risks.
    pub risks: Vec<Risk>,
    /// What was produced: name, where, how it stands.
    pub artifacts: Vec<(String, String, String)>,
}

/// The decisions that were taken in a phase of this workflow, by its debates or in its document.
pub(crate) fn taken<'s>(snapshot: &'s Snapshot, phase: &'s Phase) -> impl Iterator<Item = &'s Decision> {
    let state = &snapshot.state;
    snapshot.knowledge.decisions.iter().filter(move |decision| {
        let debated = decision.debate.as_ref().is_some_and(|id| state.debates.iter().any(|(_, known)| known == id));
        decision.phase == phase.id && (debated || is_written(state, phase, decision.source.as_deref()))
    })
}

/// Whether an entry comes from a phase's document.
fn is_written(state: &State, phase: &Phase, source: Option<&str>) -> bool {
    source.is_some_and(|source| source.starts_with(&format!("{}/{}#", state.workflow_id, phase.id)))
}

/// Whether a phase leaves a document on what came of it: only where something was decided, or where its own list of
/// artifacts names that document. Anything else stands in the working document already.
pub(crate) fn leaves_outcome(snapshot: &Snapshot, phase: &Phase) -> bool {
    let is_wanted = phase.artifacts.contains(&phase.outcome_document());
    is_wanted || decided_by(snapshot).is_some() || taken(snapshot, phase).next().is_some()
}

/// Where a handoff is.
pub fn path(from: &str, to: &str) -> String {
    format!("docs/forge/handoffs/{from}-to-{to}.md")
}

/// The handoff out of the snapshot's phase.
pub fn compose(snapshot: &Snapshot, phase: &Phase, next: &Phase, generated_at: &str) -> Handoff {
    let state = &snapshot.state;
    let knowledge = &snapshot.knowledge;
    Handoff {
        from: (phase.id.clone(), phase.name.clone()),
        to: (next.id.clone(), next.name.clone()),
        generated_at: generated_at.to_owned(),
        workflow_id: state.workflow_id.clone(),
        summary: account::summary(snapshot, phase),
        outcomes: account::outcomes(snapshot, phase),
        time_spent: spent(snapshot.phase_seconds),
        warnings: warnings(snapshot, phase),
        rehearsed: state.rehearsed_phases.contains(&phase.id),
        skipped: state.skipped_debates.iter().find(|(skipped, _)| *skipped == phase.id).map(|(_, why)| why.clone()),
        decisions: knowledge.standing_decisions().cloned().collect(),
        assumptions: knowledge.open_assumptions().cloned().collect(),
        constraints: knowledge.standing_constraints().cloned().collect(),
        todo: todo(next),
        escalations: escalations(knowledge).into_iter().chain(handed_on(snapshot)).collect(),
        ticked: snapshot.state.called.iter().filter_map(Called::condition).map(str::to_owned).collect(),
        risks: knowledge.risks.iter().filter(|risk| risk.active).cloned().collect(),
        artifacts: artifacts(snapshot, phase),
    }
}

/// The debate that passed the phase's gate. One that was planned and then skipped decided nothing.
pub(crate) fn decided_by(snapshot: &Snapshot) -> Option<&DebateThere> {
    snapshot.debate.there().filter(|_| snapshot.state.debate.gate_passed)
}

/// What people have to do in a phase, as boxes: tasks that forge cannot see done by itself, and the checklist.
pub fn todo(phase: &Phase) -> Vec<String> {
    let tasks = phase.tasks.iter().filter(|task| task.done_when == DoneWhen::Ticked);
    let checks = phase.checklist.iter().map(|check| check.title.clone());
    tasks.map(|task| format!("{}: {}", task.id, task.title)).chain(checks).collect()
}

/// What a reader of the handoff must know first.
pub(crate) fn warnings(snapshot: &Snapshot, phase: &Phase) -> Vec<String> {
    let state = &snapshot.state;
    let mut warnings = Vec::new();
    if state.rehearsed_phases.contains(&phase.id) {
        warnings.push(format!(
            "REHEARSAL: the gate of {} was passed by a rehearsal (--allow-rehearsal). No model was asked, and nothing of it was written to the knowledge files.",
            phase.id
        ));
    }
    for (skipped, why) in state.skipped_debates.iter().filter(|(skipped, _)| *skipped == phase.id) {
        warnings.push(format!("DEBATE SKIPPED: {skipped} called for one ({why}) and was left with --no-debate."));
    }
    warnings
}

/// How forge names the conditions that follow from the knowledge files.
const TURNS_OUT_WRONG: &str = " turns out wrong: ";
const KILL_SWITCH: &str = " kill-switch: ";

/// What would need a debate before going on.
pub(crate) fn escalations(knowledge: &Knowledge) -> Vec<String> {
    let assumptions = knowledge
        .open_assumptions()
        .map(|assumption| format!("{}{TURNS_OUT_WRONG}{}", assumption.id, Item::of(&assumption.text).text));
    let tripwires = knowledge.standing_decisions().flat_map(|decision| {
        decision.kill_switch.iter().map(move |criterion| {
            let said = boxed(criterion).map_or(criterion.as_str(), |(_, said)| said);
            format!("{}{KILL_SWITCH}{}", decision.id, Item::of(said).text)
        })
    });
    assumptions.chain(tripwires).collect()
}

/// The open conditions that people wrote into the handoff of the phase that is left: they stand nowhere else.
fn handed_on(snapshot: &Snapshot) -> impl Iterator<Item = String> {
    let is_forges = |text: &str| {
        let mut marks = [TURNS_OUT_WRONG, KILL_SWITCH].into_iter();
        marks.any(|mark| text.split_once(mark).is_some_and(|(id, _)| !id.contains(' ')))
    };
    let all = snapshot.handoff.iter().flat_map(|handoff| &handoff.escalations);
    all.filter(move |one| !one.ticked && !is_forges(&one.text)).map(|one| one.text.clone())
}

fn artifacts(snapshot: &Snapshot, phase: &Phase) -> Vec<(String, String, String)> {
    let mut rows = vec![(format!("{} working document", phase.name), phase.document(), "Complete".to_owned())];
    match (snapshot.debate.there(), decided_by(snapshot)) {
        (_, Some(debate)) => {
            let file = debate.result_file.as_ref().unwrap_or(&debate.plan_file);
            let name = if file.ends_with("synthesis.md") { "Debate synthesis" } else { "Debate verdict" };
            rows.push((name.to_owned(), file.clone(), "Complete".to_owned()));
        }
        (Some(debate), None) => {
            rows.push(("Debate plan".to_owned(), debate.plan_file.clone(), "Open".to_owned()));
        }
        (None, None) => {}
    }
    rows.extend(snapshot.artifacts.iter().map(|artifact| {
        let standing = match artifact.standing {
            ArtifactStanding::There => "Complete",
            ArtifactStanding::Begun => "Begun",
            _ => "Open",
        };
        (name_of(&artifact.path), artifact.path.clone(), standing.to_owned())
    }));
    if leaves_outcome(snapshot, phase) {
        rows.push((format!("{} outcome", phase.name), phase.outcome_document(), "Complete".to_owned()));
    }
    let mut seen: Vec<String> = Vec::new();
    rows.retain(|(_, path, _)| {
        let new = !seen.contains(path);
        seen.push(path.clone());
        new
    });
    rows
}

fn name_of(path: &str) -> String {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".md").unwrap_or(name).replace(['-', '_'], " ")
}

/// Seconds in words.
pub fn spent(seconds: Option<i64>) -> String {
    match seconds {
        None => "unknown".to_owned(),
        Some(seconds) if seconds < 60 => "less than a minute".to_owned(),
        Some(seconds) if seconds < 120 => "1 minute".to_owned(),
        Some(seconds) if seconds < 3600 => format!("{} minutes", seconds / 60),
        Some(seconds) if seconds < 3960 => "1 hour".to_owned(),
        Some(seconds) => {
            let tenths = seconds / 360;
            format!("{}.{} hours", tenths / 10, tenths % 10)
        }
    }
}
