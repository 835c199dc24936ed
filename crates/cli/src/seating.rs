//! Who sits where when the user named nobody: what is found on this machine, chosen by the engine's rule, and said.

use crate::commands::Context;
use crate::render;
use forge_agents::finding::{self, Found, ObstacleKind};
use forge_debate::plan::{Duty, Hand, Plan, REHEARSAL, SeatId};
use forge_debate::profile::Profile;
use forge_debate::{control, framing};
use forge_engine::choose::{self, Candidate, Chosen};
use forge_engine::config::Origin;
use forge_engine::{AUTOMATIC, EngineError, Request, Reseating, Seating, seats_of};
use std::time::Duration;

/// How long a server on this machine may take to answer that it is there.
const LOOK_LIMIT: Duration = finding::LOCAL_LIMIT;

/// Whether a name leaves the choice to forge.
pub(crate) fn is_automatic(name: &str) -> bool {
    name.trim() == AUTOMATIC
}

/// What is found on this machine. Nobody is asked and nothing is paid.
pub(crate) fn everything(context: &Context<'_>) -> Result<Vec<Found>, EngineError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| EngineError::Bug(format!("no runtime: {error}")))?;
    Ok(runtime.block_on(finding::look(context.workspace.roster.settings(), LOOK_LIMIT)))
}

/// The request with an agent in every seat that the user left open, and a line for each agent that says why.
pub(crate) fn fill(context: &Context<'_>, request: &mut Request, no_rehearsal: bool) -> Result<(), EngineError> {
    let mut seats = open_seats(request)?;
    if request.options.is_empty() && request.seats.iter().all(|(named, _)| named.as_str() != framing::FRAMER) {
        seats.push((SeatId::from(framing::FRAMER), Duty::Framer));
    }
    if seats.is_empty() {
        // Every seat was named.
        request.hand = request.seats.first().map_or_else(|| Hand::parse(REHEARSAL), |(_, hand)| hand.clone());
        return Ok(());
    }
    let chosen = choose(context, request.protocol, &seats, no_rehearsal)?;
    request.stated_families.extend(chosen.stated_families);
    request.hand = chosen.seats.first().map_or_else(|| Hand::parse(REHEARSAL), |(_, hand)| hand.clone());
    request.seating = Seating::Chosen { seats: chosen.seats };
    Ok(())
}

/// The request with a session of the orchestrator in every seat that the user left open. Sessions propose no options.
pub(crate) fn leave_to_sessions(request: &mut Request) -> Result<(), EngineError> {
    let is_framed = request.seats.iter().any(|(seat, _)| seat.as_str() == framing::FRAMER);
    if request.options.is_empty() && !is_framed {
        return Err(EngineError::Usage(
            "under AO forge asks nobody itself, for options either; give them: --option \"NAME: what it is\", two or more (three for gate)"
                .to_owned(),
        ));
    }
    let seats = open_seats(request)?.into_iter().map(|(seat, _)| (seat, Hand::Outside)).collect();
    request.hand = Hand::Outside;
    request.seating = Seating::Chosen { seats };
    Ok(())
}

/// The seats of the debate itself that the user named nobody for, and the one that answers alone.
fn open_seats(request: &Request) -> Result<Vec<(SeatId, Duty)>, EngineError> {
    let specs = seats_of(request.protocol, request.roster.as_deref(), &request.question)?;
    let mut seats: Vec<(SeatId, Duty)> = specs.iter().map(|spec| (SeatId::from(spec.id), spec.duty)).collect();
    if request.control.is_some() {
        seats.push((SeatId::from(control::SEAT), Duty::Control));
    }
    seats.retain(|(id, _)| !request.seats.iter().any(|(named, _)| named == id));
    Ok(seats)
}

/// Agents for the seats of a plan that is there already.
pub(crate) fn for_plan(context: &Context<'_>, plan: &Plan, no_rehearsal: bool) -> Result<Reseating, EngineError> {
    let seats: Vec<(SeatId, Duty)> = plan.seats.iter().map(|seat| (seat.id.clone(), seat.duty)).collect();
    let chosen = choose(context, plan.protocol, &seats, no_rehearsal)?;
    Ok(Reseating::Each(chosen.seats))
}

/// The agent that would take the first seat of a debate.
pub(crate) fn first(context: &Context<'_>, protocol: &Profile) -> Result<Hand, EngineError> {
    let lead = [(SeatId::from("lead"), Duty::Lead)];
    let found = everything(context)?;
    let chosen = choose::seat_agents(&candidates(&found), protocol, &lead);
    if chosen.is_rehearsal() {
        refuse_rehearsal(context, &found, false)?;
    }
    Ok(chosen.seats.into_iter().next().map_or_else(|| Hand::parse(REHEARSAL), |(_, hand)| hand))
}

fn candidates(found: &[Found]) -> Vec<Candidate> {
    found.iter().filter_map(Candidate::of).collect()
}

/// A rehearsal is no answer for whoever has configured an agent, or wants none.
fn refuse_rehearsal(context: &Context<'_>, found: &[Found], no_rehearsal: bool) -> Result<(), EngineError> {
    let settings = context.workspace.roster.settings();
    let reason = |one: &Found| {
        let obstacle = one.obstacle.as_ref()?;
        Some(format!("{}: {}: {}", one.name, obstacle.why, obstacle.fix))
    };
    // Whoever switched it off: what a project does to an agent of the user's is no reason to make one up.
    let is_off_here = |one: &Found| {
        let said = context.configuration.value(&format!("agents.{}.enabled", one.name));
        said.is_some_and(|said| said.value == false && matches!(said.origin, Origin::Project(_)))
    };
    let is_meant = |one: &&Found| one.is_configured(settings) || is_off_here(one);
    let reasons: Vec<String> = found.iter().filter(is_meant).filter_map(reason).collect();
    if !reasons.is_empty() {
        return Err(EngineError::NobodyAnswers { reasons });
    }
    if no_rehearsal || !context.configuration.defaults.rehearsal {
        return Err(EngineError::NoRehearsal { how: choose::HOW_TO_GET_ONE });
    }
    Ok(())
}

/// Chooses, and says whom and why; where nobody can be asked, what those lack that nearly can.
fn choose(
    context: &Context<'_>,
    protocol: &Profile,
    seats: &[(SeatId, Duty)],
    no_rehearsal: bool,
) -> Result<Chosen, EngineError> {
    let found = everything(context)?;
    let candidates = candidates(&found);
    let chosen = choose::seat_agents(&candidates, protocol, seats);
    if chosen.is_rehearsal() {
        refuse_rehearsal(context, &found, no_rehearsal)?;
    }
    render::note("agents, as found on this machine (--agent or --seat name others):");
    for line in choose::explain(&chosen, &candidates) {
        render::note(&format!("  {line}"));
    }
    if chosen.is_rehearsal() {
        let nearly = |one: &&Found| one.obstacle.as_ref().is_some_and(|o| o.kind == ObstacleKind::Ambiguous);
        for one in found.iter().filter(nearly) {
            if let Some(obstacle) = &one.obstacle {
                render::note(&format!("  {} is there, but {}: {}", one.name, obstacle.why, obstacle.fix));
            }
        }
    }
    Ok(chosen)
}
