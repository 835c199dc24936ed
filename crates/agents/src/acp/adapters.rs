//! What is prepared for an agent of the Agent Client Protocol. A program that is an agent CLI, or brings one to the protocol,
//! is given what its recipe lists and sets; its arguments are the user's own, and after them what takes its tools away. Where
//! it runs is the matter of `cli::place`.

use crate::recipes::{self, Occasion, Preparation, Recipe};
use serde_json::json;

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

/// Arguments of recipes, each with what comes after it, that are given over this protocol too: they take tools away. Without
/// them a program offers its model tools that are refused when they are called, and some end their turn then.
const WITHOUT_TOOLS: &[(&str, &str)] = &[("gemini", "--policy"), ("qwen", "--exclude-tools")];

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

/// What is prepared for a program that speaks the protocol: its recipe's files and variables, or the key alone. Arguments are the
/// user's own, so of a recipe's only those are taken that take tools away.
pub(super) fn preparation(recipe: Option<&Recipe>, occasion: &Occasion<'_>) -> Preparation {
    let Some(recipe) = recipe else {
        let key = occasion.key_variable.zip(occasion.key);
        let environment = key.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect();
        return Preparation { environment, ..Preparation::default() };
    };
    let mut prepared = (recipe.prepare)(occasion);
    let flags = WITHOUT_TOOLS.iter().filter(|(known, _)| *known == recipe.name);
    let taken = flags.filter_map(|(_, flag)| prepared.arguments.windows(2).find(|two| two[0] == *flag));
    prepared.arguments = taken.flatten().cloned().collect();
    if recipe.name == "codex" {
        prepared.environment.extend(for_codex(occasion));
        // The adapter asks for a title in a session that the variable does not hold for. Comes first: tables may follow.
        for (_, text) in prepared.files.iter_mut().filter(|(path, _)| path.ends_with("config.toml")) {
            *text = recipes::codex::settings(occasion).join("\n") + "\n" + text;
        }
    }
    prepared
}

/// What codex's adapter takes from its environment, since Codex itself is told by arguments. It starts in the mode that it
/// is put into anyway. Without a login of the user's it logs in by itself with the key, in the home that is removed.
fn for_codex(occasion: &Occasion<'_>) -> Vec<(String, String)> {
    let mut config = recipes::codex::settings_as_json(occasion);
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
    use super::{preparation, recipe_of};
    use crate::recipes::{self, Occasion};
    use crate::settings::AgentSettings;
    use serde_json::Value;
    use std::path::Path;
    use std::time::Duration;

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

    /// Codex over the protocol is told all that it is told as a program of its own.
    #[test]
    fn codex_is_set_alike_over_the_protocol() {
        fn leaves(value: &Value) -> usize {
            value.as_object().map_or(1, |fields| fields.values().map(leaves).sum())
        }
        let codex = recipes::named("codex").unwrap();
        let occasion = Occasion {
            model: None,
            folder: Path::new("/s/work"),
            home: Path::new("/s/home"),
            home_is_the_users: false,
            aside: Path::new("/s/aside"),
            has_context_file: false,
            key_variable: None,
            key: None,
            base_url: None,
            deadline: Duration::from_secs(60),
            settings: &AgentSettings::default(),
        };
        let arguments = (codex.prepare)(&occasion).arguments;
        let told = arguments.windows(2).filter(|two| two[0] == "-c").filter_map(|two| two[1].split_once('='));
        let told: Vec<(&str, &str)> = told.collect();
        let prepared = preparation(Some(codex), &occasion);
        let (_, file) = prepared.files.iter().find(|(path, _)| path.ends_with("config.toml")).unwrap();
        let lines: Vec<_> = file.lines().filter_map(|line| line.split_once('=')).collect();
        assert_eq!(lines, told);
        let (_, config) = prepared.environment.iter().find(|(name, _)| name == "CODEX_CONFIG").unwrap();
        let config: Value = serde_json::from_str(config).unwrap();
        for (path, value) in &told {
            let pointer = format!("/{}", path.replace('.', "/"));
            assert_eq!(config.pointer(&pointer).map(Value::to_string).as_deref(), Some(*value), "{path}");
        }
        assert!(told.contains(&("agents.enabled", "false")) && told.contains(&("features.code_mode_host", "false")));
        assert_eq!(leaves(&config), told.len(), "{config}");
    }
}
