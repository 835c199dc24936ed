//! Flags and variables that switch a program's own safety off. They are refused unless the user's own configuration
//! allows them.

use crate::recipes::{self, Recipe};
use crate::settings::AgentSettings;
use std::path::Path;

/// What every program's dangerous flags have in their names.
const SIGNS: &[&str] = &["dangerous", "yolo", "bypass", "skip-permissions", "skip_permissions", "full-auto"];
/// Variables that put other code into a program, or take it out of its folder and home.
const LOADERS: &[&str] = &["LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "NODE_OPTIONS", "BASH_ENV", "HOME"];

/// The first flag or variable of the settings that is dangerous.
pub(crate) fn found(settings: &AgentSettings, recipe: Option<&Recipe>) -> Option<String> {
    let command = settings.command.as_deref().and_then(|command| Path::new(command).file_name()?.to_str());
    let recipe = recipe.or_else(|| recipes::named(command?));
    let known = recipe.map(|recipe| recipe.dangerous).unwrap_or_default();
    let arguments = settings.args.iter().flatten();
    let argument = arguments.into_iter().find(|argument| is_dangerous(argument, known)).cloned();
    let set = || settings.env.iter().map(|(name, value)| (name, value.as_str()));
    let passed = || settings.pass_env.iter().map(|name| (name, ""));
    argument.or_else(|| {
        set()
            .chain(passed())
            .find(|(name, value)| is_loader(name) || says_so(name) || says_so(value))
            .map(|(name, _)| name.clone())
    })
}

fn is_dangerous(argument: &str, known: &[&str]) -> bool {
    says_so(argument)
        || known.iter().any(|flag| match flag.starts_with('-') {
            true => argument.strip_prefix(flag).is_some_and(|rest| rest.is_empty() || rest.starts_with('=')),
            false => argument.contains(flag),
        })
}

fn says_so(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    SIGNS.iter().any(|sign| lower.contains(sign))
}

fn is_loader(name: &str) -> bool {
    LOADERS.iter().any(|loader| name.eq_ignore_ascii_case(loader))
}
