//! `forge start`: begin a workflow.

use super::{drive, report};
use crate::args::StartArgs;
use crate::commands::Context;
use crate::exit::Exit;
use forge_engine::EngineError;
use forge_engine::workflow::StartSettings;
use forge_workflow::snapshot::Rehearsals;

/// Makes the knowledge files, the state file and the first handoff.
pub(crate) fn run(context: &Context<'_>, args: &StartArgs) -> Result<Exit, EngineError> {
    let mut drive = drive(context, None, Rehearsals::Refused)?;
    drive.issue = args.issue.clone().or(drive.issue);
    let settings = StartSettings { objective: args.objective.clone(), abandon: args.abandon };
    let progress = context.workspace.start_workflow(&settings, &drive)?;
    Ok(report(context, &progress, args.json))
}
