//! How an agent's program authenticates: with which key, and in whose home.

use crate::key::{self, Source};
use crate::recipes::{Recipe, signs};
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
    authentication_by(settings, &settings.agents.get(recipe.name).cloned().unwrap_or_default(), recipe)
}

/// The same with these settings of the agent's.
pub(crate) fn authentication_by(settings: &RosterSettings, own: &AgentSettings, recipe: &Recipe) -> Authentication {
    match key::source(settings, own, &recipe.keys_for(own.model.as_deref())) {
        Source::Variable(variable, _) => return Authentication::Key(variable),
        Source::Command(_) => return Authentication::KeyCommand,
        Source::Unset(_) | Source::Nowhere => {}
    }
    if own.home == Some(Home::Fresh) {
        return Authentication::Missing;
    }
    let Some(home) = settings.variable("HOME").map(Path::new) else { return Authentication::Missing };
    if let Some(file) = first_of(home, recipe.login_files) {
        return Authentication::Login(file);
    }
    signs::look(settings, own, home, recipe).file.map_or(Authentication::Missing, Authentication::Configured)
}

/// The user's own files that are there and do not log a recipe's program in, each with why.
pub(crate) fn no_logins(settings: &RosterSettings, recipe: &Recipe) -> Vec<String> {
    let own = settings.agents.get(recipe.name).cloned().unwrap_or_default();
    let home = settings.variable("HOME").filter(|_| own.home != Some(Home::Fresh));
    home.map(|home| signs::look(settings, &own, Path::new(home), recipe).others).unwrap_or_default()
}

/// The variable that sends a recipe's program to another address, where it counts: with a key that may go there.
pub(crate) fn address_variable(
    settings: &RosterSettings,
    own: &AgentSettings,
    recipe: &Recipe,
    model: Option<&str>,
) -> Option<&'static str> {
    let variable = match key::source(settings, own, &recipe.keys_for(model)) {
        Source::Variable(variable, _) => Some(variable),
        Source::Command(_) => own.key_env.clone(),
        Source::Unset(_) | Source::Nowhere => None,
    };
    if !recipe.makers.is_empty() {
        return recipe.makers.iter().find(|maker| variable.as_deref() == Some(maker.key))?.address;
    }
    recipe.base_url.filter(|_| recipe.base_url_key.is_none_or(|belongs| variable.as_deref() == Some(belongs)))
}

/// The user's home, where the program is to see it.
pub(crate) fn users_home(settings: &RosterSettings, own: &AgentSettings, recipe: Option<&Recipe>) -> Option<PathBuf> {
    let home = PathBuf::from(settings.variable("HOME")?);
    let is_known_there = || {
        let recipe = recipe?;
        let set_up = || first_of(&home, recipe.config_files).or_else(|| signs::look(settings, own, &home, recipe).file);
        first_of(&home, recipe.login_files).or_else(set_up)
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
