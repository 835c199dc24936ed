//! What earlier phases left and is not as they left it. Nothing waits for it, and it is told.
//!
//! Only looks.

use super::standing::DEBATES;
use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::catalog::{self, FindError};
use forge_artifacts::formats::phase_document::workflow_of;
use forge_artifacts::store::Since;
use forge_workflow::definition::{Definition, Phase};
use forge_workflow::next::STATE_FILE;
use forge_workflow::snapshot::{Traces, Unclear};
use forge_workflow::state::State;

impl Workspace {
    /// What is missed of earlier phases.
    pub(super) fn missed(
        &self,
        definition: &Definition,
        state: &State,
        traces: &Traces,
    ) -> Result<Vec<Unclear>, EngineError> {
        let mut missed = self.debates_gone(state, traces.line_of("debates"))?;
        missed.extend(self.records_gone(state)?);
        missed.extend(self.turns_changed(state)?);
        missed.extend(self.handoffs_gone(definition, state, traces.line_of("completed_phases"))?);
        Ok(missed)
    }

    /// Debates of the workflow that are not on disk any more. That of the current phase is told at its gate.
    fn debates_gone(&self, state: &State, line: Option<usize>) -> Result<Vec<Unclear>, EngineError> {
        let mut found = Vec::new();
        for (owner, id) in state.debates.iter().filter(|(_, id)| state.debate.id.as_ref() != Some(id)) {
            if matches!(catalog::find(self.disk.as_ref(), id), Err(FindError::Unknown { .. })) {
                let text = format!(
                    "the debate {id} of {owner} is gone from the disk; what it decided stands. If it was committed: git checkout -- {DEBATES}/{id}"
                );
                found.push(Unclear { file: STATE_FILE.to_owned(), line: line.unwrap_or(1), text, holds: false });
            }
        }
        Ok(found)
    }

    /// Decided debates of the workflow whose plan cannot be read or whose record is gone. That of the current phase is told at its
    /// gate.
    fn records_gone(&self, state: &State) -> Result<Vec<Unclear>, EngineError> {
        let decisions = self.knowledge()?.decisions;
        let mut found = Vec::new();
        for (_, id) in state.debates.iter().filter(|(_, id)| state.debate.id.as_ref() != Some(id)) {
            if !decisions.iter().any(|one| one.debate.as_ref() == Some(id)) {
                continue;
            }
            let (folder, what) = match self.open_if_there(id)? {
                Some(Ok(files)) if Survey::of(&files)?.heard.is_empty() => {
                    (files.layout.path("trail"), "its record is gone".to_owned())
                }
                Some(Ok(_)) => continue,
                Some(Err(error)) => (format!("{DEBATES}/{id}"), error.to_string()),
                None if self.disk.list(&format!("{DEBATES}/{id}"))?.is_empty() => continue,
                None => (format!("{DEBATES}/{id}"), "its plan is gone".to_owned()),
            };
            let text = format!(
                "the debate {id} cannot be read any more: {what}; what it decided stands. If it was committed: git checkout -- {folder}"
            );
            found.push(Unclear { file: folder, line: 1, text, holds: false });
        }
        Ok(found)
    }

    /// Turns of the workflow's earlier debates that are not as they were taken in. Those of the current one are told at its gate.
    fn turns_changed(&self, state: &State) -> Result<Vec<Unclear>, EngineError> {
        let mut found = Vec::new();
        for (_, id) in state.debates.iter().filter(|(_, id)| state.debate.id.as_ref() != Some(id)) {
            let Some(Ok(files)) = self.open_if_there(id)? else { continue };
            for one in Survey::of(&files)?.heard {
                let how = match one.since {
                    Some(Since::Changed) => "changed",
                    Some(Since::Gone) => "gone",
                    None => continue,
                };
                let text = format!(
                    "{how} since it was taken in; what counts is what was said then. `forge debate restore {id}` puts that back"
                );
                found.push(Unclear { file: files.turn_path(&one.turn.key), line: 1, text, holds: false });
            }
        }
        Ok(found)
    }

    /// Handoffs between phases that are done: nothing waits for them, and their absence is told. A phase that another tool led
    /// may have had none.
    fn handoffs_gone(
        &self,
        definition: &Definition,
        state: &State,
        line: Option<usize>,
    ) -> Result<Vec<Unclear>, EngineError> {
        let mut gone = Vec::new();
        for pair in definition.phases.windows(2) {
            let [from, to] = pair else { continue };
            let is_done = |phase: &Phase| state.phase != phase.id && state.completed_phases.contains(&phase.id);
            if !is_done(from) || !is_done(to) {
                continue;
            }
            let path = forge_workflow::handoff::path(&from.id, &to.id);
            let document = self.disk.read(&from.document())?;
            let is_led_here = document.and_then(|bytes| workflow_of(&bytes)).as_ref() == Some(&state.workflow_id);
            if is_led_here && self.disk.read(&path)?.is_none() {
                gone.push(path);
            }
        }
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let files = gone.join(" ");
        let text = format!(
            "{} gone; what was handed over there stands in the later ones. If committed: git checkout -- {files}",
            if gone.len() == 1 { format!("{files} is") } else { format!("{} are", gone.join(", ")) }
        );
        Ok(vec![Unclear { file: STATE_FILE.to_owned(), line: line.unwrap_or(1), text, holds: false }])
    }
}
