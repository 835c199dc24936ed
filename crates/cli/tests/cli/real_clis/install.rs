//! What `forge install claude` writes, in the hands of the real Claude Code.

use super::Field;
use crate::model::serve_all_wires;
use forge_testkit::model_server::Wire;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The plugins of the repository.
fn plugins() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins")
}

/// Every page, every skill and every agent of forge's is known to a session; loose agents and skills have other names.
#[track_caller]
fn knows_all(event: &Value, is_loose: bool) {
    let (commands, agents) = (names(event, "slash_commands"), names(event, "agents"));
    let files = |folder: &str| {
        let entries = std::fs::read_dir(plugins().join(folder)).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| name.to_string_lossy().trim_end_matches(".md").to_owned()).collect::<Vec<_>>()
    };
    let of = |plugin: &str| {
        files(&format!("{plugin}/commands")).into_iter().map(move |name| format!("{plugin}:{name}")).collect()
    };
    let pages: Vec<String> = ["forge", "debate"].into_iter().flat_map(|plugin| -> Vec<String> { of(plugin) }).collect();
    assert_eq!(pages.len(), 24, "{pages:?}");
    let skills =
        files("debate/skills").into_iter().map(|skill| if is_loose { skill } else { format!("debate:{skill}") });
    for command in pages.into_iter().chain(skills) {
        assert!(commands.contains(&command), "{command}: {commands:?}");
    }
    let between = if is_loose { '-' } else { ':' };
    for agent in files("forge/agents") {
        assert!(agents.contains(&format!("forge{between}{agent}")), "{agent}: {agents:?}");
    }
}

impl Field {
    /// Runs Claude Code to its end and returns what it printed.
    fn claude(&self, folder: &Path, args: &[&str]) -> String {
        let mut command = Command::new("claude");
        let pattern = self.place.command(&[]);
        command.args(args).current_dir(folder).env_clear().stdin(Stdio::null());
        command.envs(pattern.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
        let done = command.output().unwrap();
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(done.status.success(), "claude {args:?}: {said}{}", String::from_utf8_lossy(&done.stderr));
        said
    }

    /// The first thing that a session says: the commands and agents that it knows.
    fn session(&self, folder: &Path, prompt: &str) -> Value {
        self.session_with(folder, prompt, &[])
    }

    /// The same with more on the line.
    fn session_with(&self, folder: &Path, prompt: &str, more: &[&str]) -> Value {
        let usual = ["-p", prompt, "--permission-mode", "default", "--output-format", "stream-json", "--verbose"];
        let said = self.claude(folder, &[&usual[..], more].concat());
        let events = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        events.into_iter().find(|event| event["subtype"] == "init").unwrap()
    }
}

fn names(event: &Value, key: &str) -> Vec<String> {
    event[key].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
}

fn field() -> Option<Field> {
    Field::with(|| serve_all_wires(&[], |_, _| None))
}

// seed: S0-84
#[test]
fn the_real_claude_takes_what_is_installed() {
    let Some(field) = field() else { return };
    let place = &field.place;
    place.forge(&["install", "claude", "--project"]).code(0);
    place.forge(&["install", "claude", "--project", "--check"]).code(0).out("claude plugin validate --strict");
    let event = field.session(&place.work(), "/forge:debate \"Tea or `id` $(id) !`touch owned`?\"");
    knows_all(&event, true);
    // The question stands between its lines, and nothing in it ran.
    let asked = field.asked(Wire::Anthropic);
    let page = &asked.first().unwrap().all;
    let question = page.split("-----\n").nth(1).unwrap_or_default();
    assert!(question.contains("Tea or `id` $(id)"), "{page}");
    assert!(!place.has("owned"));
    place.forge(&["install", "claude", "--project", "--remove"]).code(0);
    assert!(place.files().is_empty(), "{:?}", place.files());
}

#[test]
fn the_plugin_tree_validates_and_is_installed_for_a_user() {
    let Some(field) = field() else { return };
    let place = &field.place;
    let both = ["forge", "debate"].map(|plugin| plugins().join(plugin).display().to_string());
    for folder in [&plugins().display().to_string(), &both[0], &both[1]] {
        field.claude(&place.work(), &["plugin", "validate", "--strict", folder]);
    }
    let loaded = ["--plugin-dir", &both[0], "--plugin-dir", &both[1]];
    knows_all(&field.session_with(&place.work(), "hello", &loaded), false);
    let home = place.around().join("home");
    std::fs::create_dir_all(home.join(".claude")).unwrap();
    std::fs::write(home.join(".claude/settings.json"), "{\n  \"model\": \"opus\"\n}\n").unwrap();
    place.forge(&["install", "claude", "--user"]).code(0);
    place.forge(&["install", "claude", "--user"]).code(0).out("nothing to do");
    place.forge(&["install", "claude", "--user", "--check"]).code(0);
    knows_all(&field.session(&place.work(), "hello"), false);
    place.forge(&["install", "claude", "--user", "--remove"]).code(0);
    place.forge(&["install", "claude", "--user", "--check"]).code(7);
    let settings = std::fs::read_to_string(home.join(".claude/settings.json")).unwrap();
    assert!(settings.contains("\"model\": \"opus\"") && !settings.contains("Bash("), "{settings}");
    let event = field.session(&place.work(), "hello");
    assert!(!names(&event, "slash_commands").iter().any(|name| name.starts_with("forge:")));
}
