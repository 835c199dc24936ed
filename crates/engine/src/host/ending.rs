//! After a step: a workflow that may have moved is followed. Before a subagent or the host ends: a seat that has not handed in is sent back once, and, where the user wants that, the host
//! is told once that the open phase's gate is closed.

use super::opening::is_forges;
use super::told::{Told, role_of};
use super::{Around, Decision, Refusal};
use crate::survey::Survey;
use crate::workflow::Drive;
use crate::workspace::{EngineError, Workspace};
use forge_workflow::next::{GateScope, gate_blockers};

/// Where the files lie that a workflow is read from.
const WORKFLOW: [&str; 3] = ["docs/forge/", ".claude/forge/", "workflows/"];

impl Workspace {
    /// After a file was written: only what a workflow is read from moves it.
    pub(super) fn post_tool_use(&self, told: &Told) -> Decision {
        let file = told.path_in(self.locks.root(), told.given("file_path"));
        let is_read = file.is_some_and(|file| WORKFLOW.iter().any(|place| file.starts_with(place)));
        if is_read { Decision::Follow } else { Decision::Nothing }
    }

    pub(super) fn subagent_stop(&self, told: &Told, around: &Around<'_>) -> Result<Decision, EngineError> {
        let Some(subagent) = told.subagent.as_ref().filter(|one| role_of(&one.kind).is_some()) else {
            return Ok(Decision::Nothing);
        };
        let Some(memory) = self.memory(told, around) else { return Ok(Decision::Nothing) };
        let held = memory.held_by(&subagent.id)?;
        let is_open = match &held {
            Some(held) => self.is_missing(&held.plan_file, &held.turn)?,
            None => true,
        };
        if is_open && !told.was_put_off {
            return Ok(Decision::Refuse(Refusal::NotHandedIn { submit: held.map(|held| held.submit()) }));
        }
        if let Some(held) = held {
            memory.forget(&subagent.id, &held)?;
        }
        Ok(Decision::Nothing)
    }

    /// Whether a turn is asked for, and nobody has handed anything in for it.
    fn is_missing(&self, plan_file: &str, turn: &str) -> Result<bool, EngineError> {
        let files = self.open(plan_file)?;
        let survey = Survey::of(&files)?;
        let Some(open) = survey.open.iter().find(|open| open.ask.key.slug() == turn) else { return Ok(false) };
        Ok(!self.has_spoken(&files, open)?)
    }

    pub(super) fn stop(&self, told: &Told) -> Result<Decision, EngineError> {
        // Once is enough, and whoever waits for its subagents is not done.
        if told.was_put_off || told.runs_on || told.subagent.is_some() {
            return Ok(Decision::Nothing);
        }
        let Ok(overview) = self.overview(&Drive::default())? else { return Ok(Decision::Nothing) };
        let (snapshot, step) = (&overview.snapshot, &overview.step);
        let is_called_for = step.call.as_ref().is_some_and(|call| call.debate);
        let is_closed = is_called_for && !gate_blockers(snapshot, step, GateScope::default()).is_empty();
        let phase = Some(snapshot.state.phase.clone()).filter(|phase| is_forges(phase));
        Ok(if is_closed { Decision::Refuse(Refusal::Gate { phase }) } else { Decision::Nothing })
    }
}
