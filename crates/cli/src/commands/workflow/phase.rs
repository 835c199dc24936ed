//! `forge brainstorm`, `forge research`, ... and `forge enter PHASE`: enter a phase.

use super::{drive, report};
use crate::args::PhaseArgs;
use crate::commands::Context;
use crate::exit::Exit;
use forge_engine::EngineError;
use forge_engine::workflow::Entry;
use forge_workflow::snapshot::{Framing, Rehearsals};
use forge_workflow::state::DebateFlag;

/// Enters a phase, if everything before it is done.
pub(crate) fn run(context: &Context<'_>, phase: &str, args: &PhaseArgs) -> Result<Exit, EngineError> {
    let mut drive = drive(context, args.agent.as_deref(), Rehearsals::Refused)?;
    // Whoever enters a phase lists its options; `forge continue --agent` lets an agent propose them.
    drive.framing = Framing::ByPeople;
    let flag = match (args.debate, args.no_debate) {
        (true, _) => DebateFlag::Forced,
        (_, true) => DebateFlag::Skipped,
        _ => DebateFlag::Unsaid,
    };
    let entry = Entry { phase: phase.to_owned(), objective: args.objective.clone(), flag };
    let entered = context.workspace.enter_phase(&entry, &drive)?;
    let exit = report(context, &entered.progress, args.json);
    if entered.reached {
        return Ok(exit);
    }
    let held = &entered.progress.snapshot.state.phase;
    crate::render::error(&format!("{phase} is not reached: {held} is not done"));
    Ok(if exit == Exit::Done { Exit::Blocked } else { exit })
}
