//! `forge continue`: go on as far as it goes by itself. Never prompts; asks agents only when told to.

use super::{collect, drive, report};
use crate::args::ContinueArgs;
use crate::commands::{Context, debate, vote};
use crate::exit::Exit;
use crate::seating::{self, is_automatic};
use crate::settings;
use forge_engine::workflow::{Drive, Progress};
use forge_engine::{Allowed, EngineError, RunSettings};
use forge_workflow::snapshot::{Framing, Rehearsals};

/// The most debates that one command holds.
const DEBATES_LIMIT: usize = 16;

/// Goes on; with `--run` or `--agent` it holds the debate that it then waits for.
pub(crate) fn run(context: &Context<'_>, args: &ContinueArgs) -> Result<Exit, EngineError> {
    if args.debate || args.no_debate {
        return Err(flag_of_a_phase(context, if args.debate { "--debate" } else { "--no-debate" }));
    }
    let under_ao = context.environment.ao.is_active();
    if args.run && under_ao {
        let text = "--run: under AO forge asks nobody itself; its sessions speak for the seats";
        return Err(EngineError::Usage(text.to_owned()));
    }
    let rehearsals = if args.allow_rehearsal { Rehearsals::Allowed } else { Rehearsals::Refused };
    let mut drive = drive(context, args.agent.as_deref(), rehearsals)?;
    if args.run && drive.hand.is_agent() {
        drive.framing = Framing::ByAgent;
    }
    let revealed = match vote::existing_vault(context)? {
        Some(vault) => context.workspace.reveal_open_votes(&vault)?,
        None => Vec::new(),
    };
    let mut progress = match &args.phase {
        Some(phase) => context.workspace.continue_in(phase, &drive)?,
        None => context.workspace.continue_workflow(&drive)?,
    };
    progress.log.done.splice(0..0, revealed);
    if under_ao {
        progress = collect::into(context, progress, &drive)?;
    }
    if args.run || args.agent.is_some() {
        let mut last = None;
        for _ in 0..DEBATES_LIMIT {
            let Some(debate) = to_be_held(&progress, &drive) else { break };
            // A debate that holding did not move will not be moved by holding it again.
            if last.as_ref() == Some(&progress.snapshot.debate) {
                break;
            }
            last = Some(progress.snapshot.debate.clone());
            if !hold(context, &debate, args, &drive)? {
                return Ok(Exit::Interrupted);
            }
            let said = std::mem::take(&mut progress.log.done);
            progress = context.workspace.continue_workflow(&drive)?;
            progress.log.done.splice(0..0, said);
        }
    }
    Ok(report(context, &progress, args.json))
}

/// Whether a phase debates is said of the phase.
fn flag_of_a_phase(context: &Context<'_>, flag: &str) -> EngineError {
    let overview = context.workspace.overview(&Drive::default());
    let phase = overview.ok().and_then(Result::ok).and_then(|overview| {
        let phase = overview.snapshot.definition.phase(&overview.snapshot.state.phase)?;
        Some(phase.command())
    });
    let command = phase.unwrap_or_else(|| "forge PHASE".to_owned());
    EngineError::Usage(format!("`forge continue` takes no {flag}; say it of the phase: {command} {flag}"))
}

/// The debate that is waited for and that agents may hold.
fn to_be_held(progress: &Progress, drive: &Drive) -> Option<String> {
    let debate = progress.snapshot.debate.there().filter(|debate| debate.outcome.is_none())?;
    let by_agents = debate.waiting.iter().any(|waiting| waiting.is_agent) || drive.hand.is_agent();
    by_agents.then(|| debate.id.clone())
}

/// False if it was stopped by a signal.
fn hold(context: &Context<'_>, id: &str, args: &ContinueArgs, drive: &Drive) -> Result<bool, EngineError> {
    let files = match &args.agent {
        Some(agent) if is_automatic(agent) => {
            let plan = context.workspace.open(id)?.plan;
            context.workspace.seat_anew(id, &seating::for_plan(context, &plan, args.no_rehearsal)?)?
        }
        Some(_) => context.workspace.reseat(id, &drive.hand)?,
        None => context.workspace.open(id)?,
    };
    let allowed = context.configuration.allowed(&files.plan)?;
    let allowed = Allowed {
        commands: args.allow_commands,
        reseats: args.agent.is_some(),
        rehearsal: allowed.rehearsal && !args.no_rehearsal,
        ..allowed
    };
    debate::announce(context, &files, debate::Outlook::Open, &allowed)?;
    let settings = RunSettings {
        parallel: settings::parallel(args.parallel, context),
        tidies_up: true,
        allowed: Some(allowed),
        ..debate::run_settings(context)
    };
    Ok(debate::run_to_end(context, files, settings)?.is_some())
}
