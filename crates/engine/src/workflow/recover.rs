//! When the state file is damaged, gone, or in another layout: what was found is said, nothing is lost, and the workflow
//! goes on from the newest snapshot and from what stands in the documents.

use super::read::Standing;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::EntryKind;
use forge_artifacts::document::{self, Document};
use forge_artifacts::formats::handoff as handoff_file;
use forge_workflow::definition::Definition;
use forge_workflow::next::{STATE_FILE, touch};
use forge_workflow::state::State;

const HANDOFFS: &str = "docs/forge/handoffs";
const PHASES: &str = "docs/forge/phases";
const NO_WORKFLOW: &str = "there is no workflow here; begin one with `forge start \"<objective>\"`";

impl Workspace {
    /// Whether there is a workflow to go on with, or something to recover one from.
    pub(crate) fn expect_workflow(&self) -> Result<(), EngineError> {
        let is_there = match self.standing()? {
            Standing::There(_) | Standing::Damaged { .. } => true,
            Standing::Absent => self.lost_workflow()?.is_some(),
            Standing::Idle => false,
        };
        if is_there { Ok(()) } else { Err(EngineError::Usage(NO_WORKFLOW.to_owned())) }
    }

    /// The state to go on from, recovered if need be. Says what it found and what it did.
    pub(crate) fn load(&self, said: &mut Vec<String>) -> Result<State, EngineError> {
        match self.standing()? {
            Standing::Idle => Err(EngineError::Usage(NO_WORKFLOW.to_owned())),
            Standing::There(there) => {
                said.extend(there.notes.iter().map(|note| format!("{}: {note}", there.path)));
                if there.layout.is_edited_in_place() && there.path == STATE_FILE {
                    return Ok(there.state);
                }
                // Another tool's file is kept as it was; ours is written beside it or in its place.
                let kept = if there.path == STATE_FILE { self.copy_aside(&there.path)? } else { there.path.clone() };
                said.push(format!(
                    "{} is in another layout; it is kept as {kept}, and forge writes its own",
                    there.path
                ));
                let mut state = there.state;
                state.revision += 1;
                self.write_state_over(Some(&there.text), &state)?;
                Ok(state)
            }
            Standing::Damaged { path, line, problem } => {
                let Some((state, from)) = self.recovered()? else {
                    return Err(EngineError::Usage(format!(
                        "{path}:{line}: {problem}, and there is neither a snapshot nor a document to recover it from; mend it, or begin anew with `forge start`"
                    )));
                };
                let kept = self.set_aside(&path)?;
                said.push(format!("{path}:{line}: {problem}; the damaged file is kept as {kept}"));
                self.take_over(state, &from, said)
            }
            Standing::Absent => {
                let Some((state, from)) = self.lost_workflow()? else {
                    return Err(EngineError::Usage(NO_WORKFLOW.to_owned()));
                };
                said.push(format!("{STATE_FILE} is gone"));
                self.take_over(state, &from, said)
            }
        }
    }

    fn take_over(&self, mut state: State, from: &str, said: &mut Vec<String>) -> Result<State, EngineError> {
        touch(&mut state, &self.now());
        self.write_state_over(self.text_of(from)?.as_deref(), &state)?;
        said.push(format!("recovered the workflow {} in phase {} from {from}", state.workflow_id, state.phase));
        Ok(state)
    }

    /// A snapshot's text, so that its notes and unknown keys come back too.
    fn text_of(&self, from: &str) -> Result<Option<String>, EngineError> {
        if !from.starts_with(super::keep::SNAPSHOTS) {
            return Ok(None);
        }
        Ok(self.disk.read(from)?.map(|bytes| document::decode(&bytes).text))
    }

    fn copy_aside(&self, path: &str) -> Result<String, EngineError> {
        let Some(bytes) = self.disk.read(path)? else { return Ok(path.to_owned()) };
        let stem = path.rsplit('/').next().unwrap_or("file").trim_end_matches(".md");
        self.put_under(super::keep::ASIDE, &format!("{stem}-{}", (self.clock)().compact()), &bytes)
    }

    /// What the newest snapshot and the documents tell, and which of them told it. The one that is further along counts:
    /// a snapshot is made before a change, the documents of that change may be there already.
    pub(crate) fn recovered(&self) -> Result<Option<(State, String)>, EngineError> {
        let definition = self.definition()?;
        let snapshot = self.newest_snapshot(&|_| true)?.map(|(path, state)| (state, path));
        let documents = self.told_by_documents(&definition)?;
        let position = |state: &State| definition.position(&state.phase);
        Ok(match (snapshot, documents) {
            (Some(snapshot), Some(documents)) => {
                let same = snapshot.0.workflow_id == documents.0.workflow_id;
                let further = same && snapshot.0.is_open() && position(&documents.0) > position(&snapshot.0);
                Some(if further { (merged(snapshot.0, documents.0), documents.1) } else { snapshot })
            }
            (snapshot, documents) => snapshot.or(documents),
        })
    }

    /// What a state file that is gone is recovered from. A workflow whose record is in the archive is not missed.
    pub(crate) fn lost_workflow(&self) -> Result<Option<(State, String)>, EngineError> {
        let Some((state, from)) = self.recovered()? else { return Ok(None) };
        let is_over = self.disk.read(&super::archive::record_path(&state.workflow_id))?.is_some();
        Ok(Some((state, from)).filter(|_| !is_over))
    }

    /// The phase that the furthest handoff leads to, or else the furthest phase with a document.
    fn told_by_documents(&self, definition: &Definition) -> Result<Option<(State, String)>, EngineError> {
        let mut best: Option<(usize, State, String)> = None;
        let mut consider = |phase: &str, id: Option<String>, objective: Option<String>, at: String, path: String| {
            let Some(position) = definition.position(phase) else { return };
            if best.as_ref().is_some_and(|(known, ..)| *known >= position) {
                return;
            }
            let mut state = State::new(
                &id.unwrap_or_else(|| "forge-recovered".to_owned()),
                &objective.unwrap_or_else(|| "unknown: it was lost with the state file".to_owned()),
                phase,
                &at,
            );
            state.completed_phases = definition.phases.iter().take(position).map(|phase| phase.id.clone()).collect();
            state.next_phase = definition.after(phase).map(|next| next.id.clone());
            best = Some((position, state, path));
        };
        let objective = self.objective_on_record()?;
        for entry in self.disk.list(HANDOFFS)?.into_iter().filter(|entry| entry.kind == EntryKind::File) {
            let path = format!("{HANDOFFS}/{}", entry.name);
            let Some(bytes) = self.disk.read(&path)? else { continue };
            if let Some((_, to, id, at)) = handoff_file::header(&bytes) {
                consider(&to, id, objective.clone(), at.unwrap_or_else(|| self.now().stamp), path);
            }
        }
        for entry in self.disk.list(PHASES)?.into_iter().filter(|entry| entry.kind == EntryKind::File) {
            let path = format!("{PHASES}/{}", entry.name);
            let Some(bytes) = self.disk.read(&path)? else { continue };
            let text = document::decode(&bytes).text;
            let parsed = Document::parse(&text);
            let field = |key: &str| parsed.fields()?.get(key)?.as_str().map(str::to_owned);
            let phase = field("phase").unwrap_or_else(|| entry.name.trim_end_matches(".md").to_owned());
            let began = field("created_at").unwrap_or_else(|| self.now().stamp);
            consider(&phase, field("workflow_id"), field("objective"), began, path);
        }
        Ok(best.map(|(_, state, path)| (state, path)))
    }

    fn objective_on_record(&self) -> Result<Option<String>, EngineError> {
        let Some(bytes) = self.disk.read("docs/forge/knowledge/brief.md")? else { return Ok(None) };
        Ok(forge_artifacts::formats::brief::objective(&document::decode(&bytes).text))
    }
}

/// A snapshot brought up to where the documents are.
fn merged(snapshot: State, documents: State) -> State {
    let fresh = State::new(&snapshot.workflow_id, &snapshot.objective, &documents.phase, &documents.started_at);
    State {
        started_at: snapshot.started_at,
        completed_phases: documents.completed_phases,
        next_phase: documents.next_phase,
        debates: snapshot.debates,
        skipped_debates: snapshot.skipped_debates,
        rehearsed_phases: snapshot.rehearsed_phases,
        reopened_decision: snapshot.reopened_decision,
        branch: snapshot.branch,
        issue: snapshot.issue,
        revision: snapshot.revision,
        last_updated: snapshot.last_updated,
        ..fresh
    }
}
