//! Where an agent of the Agent Client Protocol runs: a folder, a home and an environment by the rules for agent CLIs. A program
//! that is one of them, or brings one to the protocol, is given what its recipe lists and sets; its arguments are the
//! user's own.
//!
//! If the process dies here: a folder without anything of a user's is left among the scratch folders.

use super::trouble::Setback;
use crate::agent::{Call, FailureKind};
use crate::cli::scratch::Scratch;
use crate::cli::secrets::Secrets;
use crate::cli::{access, surroundings};
use crate::key::Key;
use crate::recipes::{self, Occasion, Preparation, Recipe};
use crate::settings::{AgentSettings, RosterSettings};
use serde_json::{Map, json};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Programs that are an agent CLI, or bring one to the protocol.
const KNOWN: &[(&str, &str)] = &[
    ("gemini", "gemini"),
    ("gemini-cli", "gemini"),
    ("qwen", "qwen"),
    ("qwen-code", "qwen"),
    ("opencode", "opencode"),
    ("opencode-ai", "opencode"),
    ("claude-agent-acp", "claude"),
    ("claude-code-acp", "claude"),
    ("codex-acp", "codex"),
];
/// Codex's features that are switched off: tools, other agents, what phones home, and waiting without end.
const CODEX_OFF: &[&str] = &[
    "apps",
    "goals",
    "hooks",
    "memories",
    "multi_agent",
    "plugins",
    "shell_snapshot",
    "shell_tool",
    "unbounded_connection_retries",
    "unified_exec",
    "view_image",
];

/// A place to run.
pub(super) struct Place {
    /// All of it; removed at the end.
    pub(super) scratch: Scratch,
    /// The whole environment.
    pub(super) environment: BTreeMap<String, String>,
    /// What may be written.
    pub(super) writable: Vec<PathBuf>,
    /// What must not be repeated.
    pub(super) secrets: Secrets,
}

/// The recipe of a command, where one of its words names a program that is known, and the place of that word.
pub(super) fn recipe_of(words: &[String]) -> Option<(usize, &'static Recipe)> {
    words.iter().enumerate().find_map(|(at, word)| {
        let file = word.rsplit('/').next().unwrap_or(word);
        let name = file.split_once('@').map_or(file, |(name, _)| name);
        let name = name.strip_suffix(".js").unwrap_or(name);
        let (_, known) = KNOWN.iter().find(|(program, _)| *program == name)?;
        Some((at, recipes::named(known)?))
    })
}

/// For whom a place is made.
pub(super) struct Tenant<'a> {
    pub(super) settings: &'a RosterSettings,
    pub(super) own: &'a AgentSettings,
    pub(super) recipe: Option<&'static Recipe>,
    pub(super) key: &'a Key,
}

impl Tenant<'_> {
    /// Makes a place for one call.
    pub(super) fn place(&self, call: &Call) -> Result<Place, Setback> {
        let furnished = self.furnish(call, self.key.variable.as_deref(), self.key.value.as_deref());
        furnished.map_err(|error| Setback::new(FailureKind::Crashed, format!("its folder cannot be made: {error}")))
    }

    fn furnish(&self, call: &Call, variable: Option<&str>, key: Option<&str>) -> io::Result<Place> {
        let scratch = Scratch::make(&self.settings.scratch)?;
        let users = access::users_home(self.settings, self.own, self.recipe);
        let home = users.clone().unwrap_or_else(|| scratch.home());
        let address = self.recipe.and_then(|recipe| self.settings.variable(recipe.base_url?));
        let occasion = Occasion {
            model: self.own.model.as_deref(),
            folder: &scratch.folder(),
            home: &home,
            home_is_the_users: users.is_some(),
            aside: &scratch.aside(),
            has_context_file: call.persona.is_some(),
            key_variable: variable,
            key,
            base_url: self.own.base_url.as_deref().or(address),
            deadline: call.deadline,
            settings: self.own,
        };
        let mut prepared = match self.recipe {
            Some(recipe) => (recipe.prepare)(&occasion),
            None => Preparation::default(),
        };
        if self.recipe.is_none() {
            prepared.environment.extend(variable.zip(key).map(|(name, value)| (name.to_owned(), value.to_owned())));
        } else if self.recipe.is_some_and(|recipe| recipe.name == "codex") {
            prepared.environment.extend(for_codex(&occasion));
        }
        for (file, text) in &prepared.files {
            scratch.write(file, text)?;
        }
        for (link, to) in &prepared.links {
            scratch.link(link, to)?;
        }
        if let (Some(recipe), Some(persona)) = (self.recipe, &call.persona) {
            let name = prepared.context_file.unwrap_or(recipe.context_file);
            scratch.write(&scratch.folder().join(name), &super::guarded(persona))?;
        }
        let whose = if users.is_some() { surroundings::Whose::Users } else { surroundings::Whose::Fresh };
        let asked =
            surroundings::Asked { settings: self.settings, own: self.own, recipe: self.recipe, home: &home, whose };
        let environment = surroundings::environment(&asked, &scratch.temporary(), prepared.environment);
        let mut secrets = Secrets::default();
        key.into_iter().for_each(|key| secrets.add(key));
        environment.iter().for_each(|(name, value)| secrets.add_variable(name, value));
        occasion.base_url.into_iter().for_each(|address| secrets.add_variable("", address));
        let writable = self.writable(scratch.root(), users.as_deref());
        Ok(Place { scratch, environment, writable, secrets })
    }

    fn writable(&self, root: &Path, users_home: Option<&Path>) -> Vec<PathBuf> {
        let writes = self.recipe.map(|recipe| recipe.writes).unwrap_or_default();
        let below_home = users_home.into_iter().flat_map(|home| writes.iter().map(move |path| home.join(path)));
        let outside = below_home.chain(self.own.writable.iter().cloned()).filter(|path| path.exists());
        std::iter::once(root.to_owned()).chain(outside).collect()
    }
}

/// What codex's adapter takes from its environment, since Codex itself is told by arguments. It starts in the mode that it
/// is put into anyway. Without a login of the user's it logs in by itself with the key, in the home that is removed.
fn for_codex(occasion: &Occasion<'_>) -> Vec<(String, String)> {
    let off: Map<_, _> = CODEX_OFF.iter().map(|feature| ((*feature).to_owned(), json!(false))).collect();
    let mut config = json!({ "analytics": { "enabled": false }, "web_search": "disabled", "features": off });
    if let Some(address) = occasion.base_url {
        let mut provider = json!({
            "name": "forge",
            "base_url": address.trim_end_matches('/'),
            "wire_api": "responses",
            "request_max_retries": 2,
            "stream_max_retries": 1,
        });
        if occasion.key.is_some() {
            provider["env_key"] = json!("CODEX_API_KEY");
        }
        config["model_provider"] = json!("forge");
        config["model_providers"] = json!({ "forge": provider });
    }
    let mut variables = vec![
        ("INITIAL_AGENT_MODE", "read-only".to_owned()),
        ("NO_BROWSER", "1".to_owned()),
        ("CODEX_CONFIG", config.to_string()),
    ];
    if occasion.key.is_some() {
        variables.push(("DEFAULT_AUTH_REQUEST", json!({ "methodId": "api-key" }).to_string()));
    }
    variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::recipe_of;

    #[test]
    fn adapters_are_known_however_they_are_started() {
        let named = |command: &str| {
            let words: Vec<_> = command.split(' ').map(str::to_owned).collect();
            recipe_of(&words).map(|(_, recipe)| recipe.name)
        };
        assert_eq!(named("gemini --acp"), Some("gemini"));
        assert_eq!(named("/opt/bin/qwen --acp"), Some("qwen"));
        assert_eq!(named("codex-acp"), Some("codex"));
        assert_eq!(named("npx -y @agentclientprotocol/claude-agent-acp@0.99.1"), Some("claude"));
        assert_eq!(named("goose acp"), None);
    }
}
