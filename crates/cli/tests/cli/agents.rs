//! `forge agents`: what is found, what is not, and what helps. Nobody is asked.

use crate::place::{Done, Place};
use forge_testkit::scripted_agent::{install, records};
use serde_json::{Value, json};

pub(crate) const KEY: &str = "sk-ant-a-key-that-nobody-may-see";

/// A place with these programs on its search path, each doing what its script says.
pub(crate) fn with_programs(programs: &[(&str, Value)]) -> Place {
    let mut place = Place::new();
    let bin = place.around().join("bin");
    for (name, script) in programs {
        install(&bin, name, script).unwrap();
    }
    std::fs::create_dir_all(&bin).unwrap();
    place.set("PATH", &format!("{}:/usr/bin:/bin", bin.display()));
    place
}

/// One agent of a report.
pub(crate) fn agent(done: &Done, name: &str) -> Value {
    let report = done.json();
    let found = report["agents"].as_array().unwrap().iter().find(|agent| agent["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {done}")).clone()
}

#[test]
fn with_nothing_every_agent_says_how_to_get_it() {
    let place = with_programs(&[]);
    let done = place.forge(&["agents"]).code(0).out("No agent can be asked now");
    for helps in [
        "npm install -g @anthropic-ai/claude-code",
        "npm install -g @openai/codex",
        "npm install -g @google/gemini-cli",
        "npm install -g @qwen-code/qwen-code",
        "export ANTHROPIC_API_KEY=",
        "export OPENAI_API_KEY=",
        "export GEMINI_API_KEY=",
    ] {
        assert!(done.out.contains(helps), "{helps} in {done}");
    }
    assert!(place.files().is_empty(), "looking writes nothing: {:?}", place.files());
}

#[test]
fn what_can_be_asked_comes_first_and_no_program_is_run() {
    let mut place = with_programs(&[("claude", json!(["record"])), ("gemini", json!(["record"]))]);
    place.set("ANTHROPIC_API_KEY", KEY);
    let done = place.forge(&["agents"]).code(0).out("Can be asked now").out("key in ANTHROPIC_API_KEY");
    assert!(!done.out.contains(KEY) && !done.err.contains(KEY), "{done}");
    let first = done.out.find("claude").unwrap();
    assert!(first < done.out.find("Could be asked").unwrap(), "{done}");

    let done = place.forge(&["agents", "--json"]).code(0);
    assert!(!done.out.contains(KEY));
    let claude = agent(&done, "claude");
    assert_eq!((&claude["usable"], &claude["kind"]), (&json!(true), &json!("cli")));
    assert_eq!(claude["access"], json!({"how": "key", "variable": "ANTHROPIC_API_KEY", "file": null}));
    assert_eq!((&claude["family"], &claude["seated_as"]), (&json!("anthropic"), &json!("claude")));
    assert!(claude["program"].as_str().unwrap().ends_with("/bin/claude"));
    assert_eq!(claude["obstacle"], json!(null));
    let gemini = agent(&done, "gemini");
    assert_eq!((&gemini["usable"], &gemini["installed"]), (&json!(false), &json!(true)));
    assert_eq!(gemini["obstacle"]["kind"], "no_access");
    let codex = agent(&done, "codex");
    assert_eq!((&codex["installed"], &codex["obstacle"]["kind"]), (&json!(false), &json!("not_installed")));
    for name in ["claude", "gemini"] {
        assert!(records(&place.around().join("bin"), name).unwrap().is_empty(), "{name} was run");
    }
}

#[test]
fn agents_of_the_users_own_configuration_are_among_them() {
    let place = with_programs(&[("answerer", json!([{"exit": 0}])), ("claude", json!([{"exit": 0}]))])
        .with("ANTHROPIC_API_KEY", KEY);
    let config = place.around().join("home/.config/forge");
    std::fs::create_dir_all(&config).unwrap();
    let text = json!({"agents": {
        "mine": {"command": "answerer", "family": "zhipu"},
        "claude": {"enabled": false},
    }});
    std::fs::write(config.join("config.json"), text.to_string()).unwrap();
    let done = place.forge(&["agents", "--json"]).code(0);
    let mine = agent(&done, "mine");
    assert_eq!((&mine["kind"], &mine["usable"], &mine["family"]), (&json!("own"), &json!(true), &json!("zhipu")));
    assert_eq!(agent(&done, "claude")["obstacle"]["kind"], "disabled");
}
