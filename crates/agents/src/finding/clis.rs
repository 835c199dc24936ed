//! Agent CLIs that forge has a recipe for.

use super::advice::{address_beside, export};
use super::{Access, Found, Kind, Obstacle, ObstacleKind, disabled, family_of, redirection};
use crate::cli::{self, Authentication};
use crate::recipes::{self, Recipe};
use crate::settings::RosterSettings;

/// Where OpenAI itself answers.
const OPENAI_HOST: &str = "api.openai.com";

/// What can be told about a recipe's program without running it.
pub(super) fn look(settings: &RosterSettings, recipe: &Recipe) -> Found {
    let program = cli::program_of(settings, recipe.name);
    let access = access_of(settings, recipe);
    let own = settings.agents.get(recipe.name).cloned().unwrap_or_default();
    let model = model(settings, recipe);
    let address = cli::access::address_variable(settings, &own, recipe, model.as_deref());
    let redirected = redirection(settings, recipe.name, address);
    let obstacle = disabled(settings, recipe.name)
        .or_else(|| if program.is_none() { Some(not_installed(recipe)) } else { None })
        .or_else(|| no_access(settings, recipe, &access))
        .or_else(|| asks_another_vendor(settings, recipe, &access));
    Found {
        name: recipe.name.to_owned(),
        kind: Kind::Cli,
        version: program.as_deref().and_then(cli::packaged_version),
        program,
        family: family_of(settings, recipe.name, model.as_deref(), recipe.family),
        access,
        model,
        vendor: recipe.vendor.to_owned(),
        redirected,
        obstacle,
    }
}

/// The model that the program would be asked for, where that can be told.
fn model(settings: &RosterSettings, recipe: &Recipe) -> Option<String> {
    let said = settings.agents.get(recipe.name).and_then(|agent| agent.model.clone());
    let passed = || recipe.passes.iter().find(|name| name.ends_with("_MODEL")).and_then(|name| settings.variable(name));
    said.or_else(|| passed().map(str::to_owned)).or_else(|| recipes::default_model(recipe.name).map(str::to_owned))
}

/// How a recipe's program would authenticate.
pub(super) fn access_of(settings: &RosterSettings, recipe: &Recipe) -> Access {
    access(cli::authentication(settings, recipe))
}

pub(super) fn access(authentication: Authentication) -> Access {
    match authentication {
        Authentication::Key(variable) => Access::Key(variable),
        Authentication::KeyCommand => Access::KeyCommand,
        Authentication::Login(file) => Access::Login(file),
        Authentication::Configured(file) => Access::Configured(file),
        Authentication::Missing => Access::Missing,
    }
}

fn not_installed(recipe: &Recipe) -> Obstacle {
    Obstacle {
        kind: ObstacleKind::NotInstalled,
        why: format!("no program {} on PATH", recipe.name),
        fix: recipe.install.to_owned(),
    }
}

fn no_access(settings: &RosterSettings, recipe: &Recipe, access: &Access) -> Option<Obstacle> {
    let export = if recipe.keys.is_empty() { String::new() } else { format!("{}, or ", export(recipe)) };
    (*access == Access::Missing).then(|| Obstacle {
        kind: ObstacleKind::NoAccess,
        why: [&["not logged in, and no key".to_owned()][..], &cli::access::no_logins(settings, recipe)]
            .concat()
            .join("; "),
        fix: format!("{export}{}", recipe.login),
    })
}

/// Qwen Code with a key that may well be OpenAI's: at OpenAI it would be no other family than codex, and nobody meant that.
fn asks_another_vendor(settings: &RosterSettings, recipe: &Recipe, access: &Access) -> Option<Obstacle> {
    let Access::Key(key) = access else { return None };
    let base_url = address_beside(recipe, key)?;
    let told = settings.agents.get(recipe.name).is_some_and(|agent| agent.base_url.is_some() || agent.model.is_some());
    let elsewhere = settings.variable(base_url).is_some_and(|url| !url.contains(OPENAI_HOST));
    (!told && !elsewhere).then(|| Obstacle {
        kind: ObstacleKind::Ambiguous,
        why: format!("with {key} and no other {base_url} than OpenAI's, whose models it would ask is not known"),
        fix: format!("export {base_url}=... OPENAI_MODEL=..., or {}", recipe.login),
    })
}
