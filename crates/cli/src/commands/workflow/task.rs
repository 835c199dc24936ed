//! `forge task`: say that a task is done, or cannot go on.

use super::{drive, report};
use crate::args::{TaskAction, TaskArgs};
use crate::commands::Context;
use crate::exit::Exit;
use forge_engine::EngineError;
use forge_engine::workflow::TaskWord;
use forge_workflow::snapshot::Rehearsals;

/// Marks a task of the current phase.
pub(crate) fn run(context: &Context<'_>, args: &TaskArgs) -> Result<Exit, EngineError> {
    let drive = drive(context, None, Rehearsals::Refused)?;
    let (task, word, as_json) = match &args.action {
        TaskAction::Done(done) => (&done.task, TaskWord::Done, done.json),
        TaskAction::Block(block) => (&block.task, TaskWord::Blocked(block.reason.clone()), block.json),
    };
    let progress = context.workspace.mark_task(task, &word, &drive)?;
    report(context, &progress, as_json);
    // The task was marked, whatever else holds the phase.
    Ok(Exit::Done)
}
