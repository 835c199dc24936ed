//! What `forge install claude` writes, in the hands of the real Claude Code.

use super::Field;
use crate::model::serve_all_wires;
use forge_testkit::model_server::Wire;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

/// The pages, as commands.
const COMMANDS: [&str; 4] = ["forge:debate", "forge:status", "forge:continue", "debate:start"];

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
        let said = self.claude(
            folder,
            &["-p", prompt, "--permission-mode", "default", "--output-format", "stream-json", "--verbose"],
        );
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
    let (commands, agents) = (names(&event, "slash_commands"), names(&event, "agents"));
    assert!(COMMANDS.iter().all(|command| commands.iter().any(|known| known == command)), "{commands:?}");
    for role in ["risk", "skeptic", "challenger-operator", "framer", "seat"] {
        assert!(agents.contains(&format!("forge-{role}")), "{agents:?}");
    }
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
    let plugins = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins");
    for folder in [plugins.clone(), plugins.join("forge"), plugins.join("debate")] {
        field.claude(&place.work(), &["plugin", "validate", "--strict", &folder.display().to_string()]);
    }
    let home = place.around().join("home");
    std::fs::create_dir_all(home.join(".claude")).unwrap();
    std::fs::write(home.join(".claude/settings.json"), "{\n  \"model\": \"opus\"\n}\n").unwrap();
    place.forge(&["install", "claude", "--user"]).code(0);
    place.forge(&["install", "claude", "--user"]).code(0).out("nothing to do");
    place.forge(&["install", "claude", "--user", "--check"]).code(0);
    let event = field.session(&place.work(), "hello");
    let (commands, agents) = (names(&event, "slash_commands"), names(&event, "agents"));
    assert!(COMMANDS.iter().all(|command| commands.iter().any(|known| known == command)), "{commands:?}");
    assert!(agents.contains(&"forge:risk".to_owned()) && agents.contains(&"forge:seat".to_owned()), "{agents:?}");
    place.forge(&["install", "claude", "--user", "--remove"]).code(0);
    place.forge(&["install", "claude", "--user", "--check"]).code(7);
    let settings = std::fs::read_to_string(home.join(".claude/settings.json")).unwrap();
    assert!(settings.contains("\"model\": \"opus\"") && !settings.contains("Bash("), "{settings}");
    let event = field.session(&place.work(), "hello");
    assert!(!names(&event, "slash_commands").iter().any(|name| name.starts_with("forge:")));
}
