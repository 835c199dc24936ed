//! The workflow's commands. One file each.

pub(crate) mod collect;
pub(crate) mod decisions;
pub(crate) mod gate;
pub(crate) mod go_on;
pub(crate) mod phase;
pub(crate) mod phases;
pub(crate) mod snapshots;
pub(crate) mod start;
pub(crate) mod status;
pub(crate) mod task;
pub(crate) mod tripwires;

use super::Context;
use crate::ao;
use crate::exit::Exit;
use crate::seating::{self, is_automatic};
use crate::workflow_view::{self, Asking};
use forge_artifacts::git;
use forge_debate::plan::Hand;
use forge_debate::protocols::DEFAULT_OF_PHASE;
use forge_engine::EngineError;
use forge_engine::workflow::{Drive, Progress};
use forge_prose::secrets::redacted;
use forge_workflow::snapshot::{Framing, Rehearsals};

/// How the workflow is driven, by what was typed and what the environment says.
pub(crate) fn drive(context: &Context<'_>, agent: Option<&str>, rehearsals: Rehearsals) -> Result<Drive, EngineError> {
    let under_ao = context.environment.ao.is_active();
    if let (true, Some(agent)) = (under_ao, agent)
        && Hand::parse(agent).is_agent()
    {
        return Err(EngineError::Usage(format!(
            "--agent {agent}: under AO forge asks nobody itself; its sessions speak for the seats"
        )));
    }
    let configured = &context.configuration.defaults;
    let defaults = match agent {
        Some(agent) => configured.seating_all(agent),
        None if under_ao => configured.seating_all(&Hand::Outside.to_string()),
        None => configured.clone(),
    };
    let hand = match defaults.agent.as_deref() {
        None => Hand::Outside,
        // Planned with one agent in every seat; whoever holds the debate seats the others.
        Some(name) if is_automatic(name) => seating::first(context, &DEFAULT_OF_PHASE.profile)?,
        Some(name) => Hand::parse(name),
    };
    // Whoever is typed proposes options too, an outside seat as well.
    let framing = if agent.is_some() && hand != Hand::Human { Framing::ByAgent } else { Framing::ByPeople };
    if let Hand::Agent(name) = &hand {
        context.workspace.roster.find(name).map_err(EngineError::from)?;
    }
    Ok(Drive {
        defaults,
        // Whoever speaks from outside needs to know what to write and in which form.
        briefs_at_once: !hand.is_agent(),
        hand,
        rehearsals,
        framing,
        branch: git::branch(context.workspace.locks.root()).map(|name| redacted(&name)),
        issue: context.environment.ao.issue.clone(),
    })
}

/// Whether forge may ask agents itself here.
pub(crate) fn asking(context: &Context<'_>) -> Asking {
    if context.environment.ao.is_active() { Asking::Nobody } else { Asking::Agents }
}

/// Prints where the workflow stands now, and tells AO if there is one.
pub(crate) fn report(context: &Context<'_>, progress: &Progress, as_json: bool) -> Exit {
    let more = ao::follow(context, progress);
    workflow_view::print(progress, &more.json, as_json, asking(context), context.style);
    if !as_json {
        more.print(context.style);
    }
    workflow_view::exit(&progress.step)
}
