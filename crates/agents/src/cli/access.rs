//! How an agent's program authenticates: with which key, and in whose home.

use crate::key::{self, Source};
use crate::recipes::Recipe;
use crate::settings::{AgentSettings, Home, RosterSettings};
use std::path::{Path, PathBuf};

/// How an agent CLI authenticates, as far as can be told without asking it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Authentication {
    /// With the key in this variable.
    Key(String),
    /// With the key that a command of the user's prints.
    KeyCommand,
    /// With the login that this file holds.
    Login(PathBuf),
    /// With whatever this file of the user's configures.
    Configured(PathBuf),
    /// With nothing that could be found.
    Missing,
}

/// How a recipe's program would authenticate.
pub fn authentication(settings: &RosterSettings, recipe: &Recipe) -> Authentication {
    let own = settings.agents.get(recipe.name).cloned().unwrap_or_default();
    match key::source(settings, &own, recipe.keys) {
        Source::Variable(variable, _) => return Authentication::Key(variable),
        Source::Command(_) => return Authentication::KeyCommand,
        Source::Unset(_) | Source::Nowhere => {}
    }
    if own.home == Some(Home::Fresh) {
        return Authentication::Missing;
    }
    let found = |files: &[&str]| settings.variable("HOME").and_then(|home| first_of(Path::new(home), files));
    if let Some(file) = found(recipe.login_files) {
        return Authentication::Login(file);
    }
    found(recipe.config_files).map_or(Authentication::Missing, Authentication::Configured)
}

/// The variable that sends a recipe's program to another address, where it counts: with a key that may go there.
pub(crate) fn address_variable(
    settings: &RosterSettings,
    own: &AgentSettings,
    recipe: &Recipe,
) -> Option<&'static str> {
    let variable = match key::source(settings, own, recipe.keys) {
        Source::Variable(variable, _) => Some(variable),
        Source::Command(_) => own.key_env.clone(),
        Source::Unset(_) | Source::Nowhere => None,
    };
    recipe.base_url.filter(|_| recipe.base_url_key.is_none_or(|belongs| variable.as_deref() == Some(belongs)))
}

/// The user's home, where the program is to see it.
pub(crate) fn users_home(settings: &RosterSettings, own: &AgentSettings, recipe: Option<&Recipe>) -> Option<PathBuf> {
    let home = PathBuf::from(settings.variable("HOME")?);
    let is_known_there = || {
        let recipe = recipe?;
        first_of(&home, recipe.login_files).or_else(|| first_of(&home, recipe.config_files))
    };
    match own.home.unwrap_or(Home::Auto) {
        Home::Own => Some(home),
        Home::Fresh => None,
        Home::Auto => is_known_there().is_some().then_some(home),
    }
}

fn first_of(home: &Path, files: &[&str]) -> Option<PathBuf> {
    files.iter().map(|file| home.join(file)).find(|file| file.exists())
}
