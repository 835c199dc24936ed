//! A debate inside the real `claude`, whose own subagents take the seats. Its model is played: the host's part and the
//! seats', told apart by the header of subagents.

mod playing;

use super::{KEYS, Turn, bin};
use crate::place::{FORGE, Place, Running};
use forge_testkit::model_server::{Asked, ModelServer};
use playing::{Manner, Play};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

const PAGE: &str = include_str!("../../data/hosted/debate.md");
const SEAT: &str = include_str!("../../data/hosted/forge-seat.md");
/// What is typed.
const TYPED: &str = "/forge:debate Redis or Memcached for sessions?";

/// The real claude in a repository of its own, with forge on its path.
struct Host {
    place: Place,
    server: ModelServer,
    _turn: Turn,
}

impl Host {
    /// A host whose model plays like this, or nothing where claude is not installed.
    fn playing(play: Play) -> Option<Self> {
        let bin = bin()?;
        let turn = Turn::take();
        let server = ModelServer::start(move |asked| play.answer(asked)).unwrap();
        let place = Place::new();
        let tools = place.around().join("bin");
        fs::create_dir(&tools).unwrap();
        symlink(FORGE, tools.join("forge")).unwrap();
        let (key, value, _) = KEYS[0];
        let place = place
            .with("PATH", &format!("{}:{}:/usr/bin:/bin", tools.display(), bin.display()))
            .with("ANTHROPIC_BASE_URL", &server.root())
            .with(key, value)
            .with("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        let host = Self { place, server, _turn: turn };
        host.git(&["init", "-q"]);
        host.install();
        Some(host)
    }

    /// What `forge install claude` leaves.
    fn install(&self) {
        self.place.write(".claude/commands/forge/debate.md", PAGE);
        self.place.write(".claude/agents/forge-seat.md", SEAT);
        let hook =
            |event: &str| json!([{ "hooks": [{ "type": "command", "command": format!("forge hook {event}") }] }]);
        let settings = json!({
            "permissions": { "allow": ["Bash(forge:*)"] },
            "hooks": {
                "SessionStart": hook("session-start"),
                "PreToolUse": hook("pre-tool-use"),
                "SubagentStop": hook("subagent-stop"),
            },
        });
        self.place.write(".claude/settings.json", settings.to_string());
    }

    fn git(&self, args: &[&str]) {
        let mut git = Command::new("git");
        git.args(args).current_dir(self.place.work()).env_clear().env("PATH", "/usr/bin:/bin");
        assert!(git.status().unwrap().success());
    }

    /// A session in which this is typed.
    fn session(&self, typed: &str) -> Running {
        let args = ["-p", typed, "--output-format", "json", "--permission-mode", "default"];
        let mut command = self.place.command(&[]);
        let mut claude = Command::new(bin().unwrap().join("claude"));
        claude.args(args).current_dir(self.place.work()).env_clear();
        claude.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        claude.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped());
        claude.stderr(std::process::Stdio::piped());
        command.env_clear();
        Running::begin(claude, &args)
    }

    /// What a whole session ends with.
    fn says(&self, typed: &str) -> Value {
        let done = self.session(typed).end();
        assert_eq!(done.code, 0, "{done}");
        let value: Value = serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{error}: {done}"));
        assert_eq!(value["is_error"], false, "{value:#}");
        value
    }

    /// The requests of subagents.
    fn of_seats(&self) -> Vec<Asked> {
        self.server.requests().into_iter().filter(|asked| asked.subagent().is_some()).collect()
    }

    fn verdict(&self) -> Value {
        self.place.json(&self.place.only(|file| file.ends_with("trail/verdict.json")))
    }
}

/// Three subagents hold a debate of one round and leave a verdict that holds.
#[test]
fn three_subagents_hold_a_debate() {
    let Some(host) = Host::playing(Play::new(Manner::Foreground, &[("effort", "B")])) else { return };
    let said = host.says(TYPED);
    let verdict = host.verdict();
    assert_eq!(verdict["outcome"], "consensus", "{said:#}\n{verdict:#}");
    assert_eq!(said["permission_denials"], json!([]), "{said:#}");
    let id = verdict["debate"].as_str().unwrap();
    host.place.forge(&["verify", id]).code(0).out("HOLDS");
    let seats = host.of_seats();
    assert!(seats.iter().all(|asked| asked.tools.len() == 2), "a seat has Bash and Read: {:?}", seats[0].tools);
}
