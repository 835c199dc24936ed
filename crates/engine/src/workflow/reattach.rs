//! A recovered workflow finds its debates again: each is known by its occasion, which follows from the workflow, the phase and
//! its number. Without this a lost state file would open every gate that a planned debate holds.

use super::Log;
use crate::create::occasion_digest;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::catalog;
use forge_artifacts::store::DebateFiles;
use forge_workflow::definition::Definition;
use forge_workflow::next::occasion;
use forge_workflow::snapshot::Snapshot;
use forge_workflow::state::{DebateState, State};

/// The most debates of one phase that are looked for.
const DEBATES_LIMIT: usize = 100;

impl Workspace {
    /// Whether the debate that a state names was planned for its phase, or for the decision that is taken again.
    pub(super) fn is_of_phase(&self, snapshot: &Snapshot, files: &DebateFiles) -> Result<bool, EngineError> {
        let state = &snapshot.state;
        for owner in std::iter::once(&state.phase).chain(&state.reopened_decision) {
            if self.is_planned_for(&state.workflow_id, owner, files)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a debate was planned for a phase of a workflow, or for a decision: by the plan's mark, as forge made it. A plan of
    /// another tool's has none, and is another phase's where it says so.
    pub(super) fn is_planned_for(
        &self,
        workflow_id: &str,
        owner: &str,
        files: &DebateFiles,
    ) -> Result<bool, EngineError> {
        let made = self.kept_plan(files)?;
        let file = made.as_ref().unwrap_or(&files.file);
        let Some(mark) = file.request else {
            return Ok(file.plan.phase == owner || self.definition()?.phase(&file.plan.phase).is_none());
        };
        Ok((0..DEBATES_LIMIT).any(|number| mark == occasion_digest(&occasion(workflow_id, owner, number))))
    }

    /// Puts the debates of the phases so far back into a state that does not know them.
    pub(crate) fn reattach(
        &self,
        definition: &Definition,
        state: &mut State,
        log: &mut Log,
    ) -> Result<(), EngineError> {
        let reached = definition.position(&state.phase).map_or(0, |at| at + 1);
        for phase in definition.phases.iter().take(reached) {
            for number in 0..DEBATES_LIMIT {
                let digest = occasion_digest(&occasion(&state.workflow_id, &phase.id, number));
                let Some(plan_file) = catalog::find_request(self.disk.as_ref(), digest)? else { break };
                let Ok(files) = self.open_file(&plan_file) else { break };
                let known = (phase.id.clone(), files.plan.id.clone());
                if !state.debates.contains(&known) {
                    log.did(format!("found the debate {} of {} again", known.1, known.0));
                    state.debates.push(known);
                }
            }
        }
        if state.debate.id.is_none() && state.reopened_decision.is_none() {
            let own = state.debates.iter().rev().find(|(owner, _)| *owner == state.phase).map(|(_, id)| id.clone());
            if let Some(id) = own {
                state.debate = DebateState { id: Some(id), phase: Some(state.phase.clone()), ..DebateState::default() };
            }
        }
        Ok(())
    }
}
