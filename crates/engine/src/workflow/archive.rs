//! The record of a workflow that is over: its last state, with what came of it.

use crate::workspace::{EngineError, Workspace};
use forge_artifacts::document;
use forge_artifacts::formats::active_workflow::{self, Layout};
use forge_artifacts::formats::workflow_record::{self, Record};
use forge_workflow::next::STATE_FILE;
use forge_workflow::snapshot::Snapshot;
use forge_workflow::state::State;

/// The most records of one workflow.
const RECORDS_LIMIT: u32 = 100;

/// Where the records of workflows are.
pub(super) const FOLDER: &str = ".claude/forge/archive";

/// Where the record of a workflow is.
pub(super) fn record_path(workflow_id: &str) -> String {
    format!("{FOLDER}/workflow-{workflow_id}.md")
}

/// Whether this is the record that forge makes of a workflow that ends so.
fn is_of_this_end(bytes: &[u8], state: &State) -> bool {
    match active_workflow::read(&document::decode(bytes).text) {
        active_workflow::Read::State { state: known, layout: Layout::Ours, .. } => {
            (&known.workflow_id, known.status, &known.phase) == (&state.workflow_id, state.status, &state.phase)
        }
        _ => false,
    }
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
        match self.disk.read(&path)? {
            Some(there) if there == text.as_bytes() => return Ok(()),
            // Dying before the state was written leaves the record of this very end.
            Some(there) if !is_of_this_end(&there, state) => self.keep_record(&path, &there)?,
            _ => {}
        }
        Ok(self.disk.replace(&path, text.as_bytes())?)
    }

    /// Keeps the record of another time, or somebody else's, under the next free name.
    fn keep_record(&self, path: &str, bytes: &[u8]) -> Result<(), EngineError> {
        for number in 2..=RECORDS_LIMIT {
            let kept = path.replace(".md", &format!("-{number}.md"));
            match self.disk.read(&kept)? {
                Some(known) if known != bytes => {}
                Some(_) => return Ok(()),
                None => {
                    let _ = self.disk.create_new(&kept, bytes)?;
                    return Ok(());
                }
            }
        }
        let text = format!("{RECORDS_LIMIT} records are in {FOLDER} already; move some of them away");
        Err(EngineError::Usage(text))
    }
}
