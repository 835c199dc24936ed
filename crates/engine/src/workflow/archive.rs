//! The record of a workflow that is over: its last state, with what came of it.

use crate::workspace::{EngineError, Workspace};
use forge_artifacts::document;
use forge_artifacts::formats::active_workflow;
use forge_artifacts::formats::workflow_record::{self, Record};
use forge_workflow::next::STATE_FILE;
use forge_workflow::snapshot::Snapshot;
use forge_workflow::state::State;

/// Where the records of workflows are.
pub(super) const FOLDER: &str = ".claude/forge/archive";

/// Where the record of a workflow is.
pub(super) fn record_path(workflow_id: &str) -> String {
    format!("{FOLDER}/workflow-{workflow_id}.md")
}

impl Workspace {
    /// Writes `.claude/forge/archive/workflow-<id>.md`.
    pub(crate) fn write_archive(&self, snapshot: &Snapshot, state: &State) -> Result<(), EngineError> {
        let previous = self.disk.read(STATE_FILE)?.map(|bytes| document::decode(&bytes).text);
        let state_text = active_workflow::write(previous.as_deref(), state, &self.context(state, previous.as_deref())?);
        let record = Record {
            state,
            definition: &snapshot.definition,
            decisions: snapshot.knowledge.decisions.iter().collect(),
            standing: snapshot.knowledge.standing_decisions().map(|one| one.id.as_str()).collect(),
        };
        let path = record_path(&state.workflow_id);
        let text = workflow_record::write(&state_text, &record);
        if self.disk.read(&path)?.as_deref() != Some(text.as_bytes()) {
            self.disk.replace(&path, text.as_bytes())?;
        }
        Ok(())
    }
}
