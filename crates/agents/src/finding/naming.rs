//! Agents that the user names: those that were found, and those that nobody can find, such as a command or a model's file.

use super::advice::acp_command;
use super::{Access, Found, Kind, Obstacle, ObstacleKind, clis, family_of, redirection};
use crate::cli::{access, program};
use crate::roster::{Roster, UnknownAgent, check_rest};
use crate::settings::RosterSettings;
use forge_debate::family;
use forge_debate::plan::Hand;

/// The vendor of an agent of which nobody knows whom it asks.
pub const UNKNOWN_VENDOR: &str = "whoever it asks";

/// What is known about an agent that the user names, with a model or without: it need not be one that would be chosen.
/// One that is known and cannot be started has an obstacle.
pub fn named(settings: &RosterSettings, found: &[Found], name: &str) -> Result<Found, UnknownAgent> {
    let name = name.trim();
    let (short, model) = name.split_once(':').unwrap_or((name, ""));
    check_rest(name)?;
    let Some(known) = found.iter().find(|one| one.name == short) else {
        let obstacle = match Roster::new(settings.clone()).find(name) {
            Ok(_) => None,
            Err(UnknownAgent::Script { problem, .. }) => Some(unsound(problem.to_string())),
            Err(UnknownAgent::Settings { problem, .. }) => Some(unsound(problem)),
            Err(unknown) => return Err(unknown),
        };
        return Ok(unlisted(settings, name, obstacle));
    };
    let mut known = known.clone();
    if !model.is_empty() {
        known.family = family_of(settings, short, Some(model), None);
        known.model = Some(model.to_owned());
    }
    // Who names an agent means it.
    let is_meant = |kind: ObstacleKind| {
        kind == ObstacleKind::Disabled || (kind == ObstacleKind::Ambiguous && known.model.is_some())
    };
    if known.obstacle.as_ref().is_some_and(|obstacle| is_meant(obstacle.kind)) {
        known.obstacle = None;
    }
    Ok(known)
}

fn unsound(problem: String) -> Obstacle {
    Obstacle { kind: ObstacleKind::Misconfigured, why: problem, fix: "correct what stands after the colon".to_owned() }
}

/// An agent that its name alone describes.
fn unlisted(settings: &RosterSettings, name: &str, obstacle: Option<Obstacle>) -> Found {
    let mut found = Found {
        name: name.to_owned(),
        kind: Kind::Own,
        program: None,
        version: None,
        access: Access::NotNeeded,
        model: None,
        family: family::of_hand(&Hand::Agent(name.to_owned())),
        vendor: UNKNOWN_VENDOR.to_owned(),
        redirected: None,
        obstacle,
    };
    if name.starts_with("local:") {
        found.kind = Kind::Local;
        found.vendor = "this machine (llama.cpp)".to_owned();
    }
    let Some(command) = acp_command(name) else { return found };
    let recipe = crate::acp::recipe_in(command);
    let first = command.split_whitespace().next().unwrap_or_default();
    found.program = program::find(settings, first);
    if found.program.is_none() && found.obstacle.is_some() {
        found.obstacle = Some(Obstacle {
            kind: ObstacleKind::NotInstalled,
            why: format!("no program {first} on PATH"),
            fix: recipe.map_or("install it, or correct its command", |recipe| recipe.install).to_owned(),
        });
    }
    if let Some(recipe) = recipe {
        let own = settings.agents.get("acp").cloned().unwrap_or_default();
        found.kind = Kind::Cli;
        found.access = clis::access(access::authentication_by(settings, &own, recipe));
        found.vendor = recipe.vendor.to_owned();
        found.redirected =
            redirection(settings, "acp", access::address_variable(settings, &own, recipe, own.model.as_deref()));
    }
    found
}
