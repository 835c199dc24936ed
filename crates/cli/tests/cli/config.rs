//! Configuration as a user meets it: `forge config`, refusals, and what a debate makes of it.

use crate::place::Place;
use serde_json::{Value, json};
use std::fs;

const PROJECT: &str = ".claude/forge/config.json";
const DEBATE: [&str; 7] = ["debate", "Build or buy the billing?", "--option", "Build", "--option", "Buy", "--dry-run"];

/// A place whose user has this configuration.
fn user(text: &str) -> Place {
    let place = Place::new();
    let folder = place.around().join("home/.config/forge");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.json"), text).unwrap();
    place
}

fn project(text: &str) -> Place {
    let place = Place::new();
    place.write(PROJECT, text);
    place
}

fn planned(place: &Place, more: &[&str]) -> Value {
    place.forge(&[&DEBATE[..], more, &["--json"]].concat()).code(0).json()
}

fn hands(plan: &Value) -> Vec<String> {
    plan["seats"].as_array().unwrap().iter().map(|seat| seat["hand"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_value_is_shown_with_its_origin() {
    let mut place = user(
        r#"{"agent": "claude", "agents": {"claude": {"key_command": ["pass", "hidden"], "env": {"A": "hidden"}}}}"#,
    );
    place.write(PROJECT, "{\"timeout_seconds\": 100,\n \"timeout_secs\": 4}");
    let shown = place.forge(&["config"]).code(0);
    for words in [
        "user     ",
        "home/.config/forge/config.json",
        "agent ",
        "claude",
        "100",
        "project .claude/forge/config.json",
        "default",
    ] {
        assert!(shown.out.contains(words), "{words}: {shown}");
    }
    assert!(!shown.out.contains("hidden"), "{shown}");
    assert!(
        shown
            .err
            .contains("warning: .claude/forge/config.json:2: unknown key timeout_secs; did you mean timeout_seconds?"),
        "{shown}"
    );
    let document = place.forge(&["config", "--json"]).code(0).json();
    assert_eq!(
        document["values"]["timeout_seconds"],
        json!({"value": 100, "origin": "project .claude/forge/config.json"})
    );
    assert_eq!(document["values"]["parallel"], json!({"value": 16, "origin": "default"}));
    assert_eq!(document["values"]["agents.claude.env"]["value"], json!({"A": "set"}));
    assert_eq!(document["files"][1], json!({"whose": "project", "path": PROJECT, "found": true}));
    assert_eq!(document["warnings"][0]["line"], 2);
    assert_eq!(document["problems"], json!([]));
    place.set("FORGE_AGENT", "rehearsal");
    let document = place.forge(&["config", "--json"]).code(0).json();
    assert_eq!(document["values"]["agent"], json!({"value": "rehearsal", "origin": "environment FORGE_AGENT"}));
}

#[test]
fn a_key_is_explained() {
    let place = user(r#"{"max_calls": 9}"#);
    place.write(PROJECT, r#"{"max_calls": 90}"#);
    let shown = place.forge(&["config", "--explain", "max_calls"]).code(0);
    for words in ["The most calls", "the project's may only lower it", "holds    9", "outdone  90"] {
        assert!(shown.out.contains(words), "{words}: {shown}");
    }
    let document = place.forge(&["config", "--explain", "agents.claude.command", "--json"]).code(0).json();
    assert_eq!(
        (&document["key"], &document["set_by"]),
        (&json!("agents.*.command"), &json!("only your own configuration"))
    );
    let unknown = place.forge(&["config", "--explain", "max_cals"]).code(2);
    place.forge(&["config", "--explain", "agents.claude.modle"]).code(2).err("did you mean agents.claude.model?");
    assert!(unknown.err.contains("did you mean max_calls?"), "{unknown}");
}

#[test]
fn the_schema_is_one_document_whatever_the_files_are() {
    let place = project("{broken");
    let schema = place.forge(&["config", "--schema"]).code(0).json();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert!(schema["properties"]["agents"]["additionalProperties"]["properties"]["command"].is_object());
}

/// Without a configuration the first command of a newcomer works, and writes none.
#[test]
fn no_configuration_is_needed_and_none_is_written() {
    let place = Place::new();
    let shown = place.forge(&["config"]).code(0);
    assert!(shown.out.contains("(not there)") && shown.err.is_empty(), "{shown}");
    assert!(place.files().is_empty(), "{:?}", place.files());
    assert!(fs::read_dir(place.around().join("home")).unwrap().next().is_none());
}

#[test]
fn flags_outdo_the_environment_which_outdoes_the_files() {
    let mut place = user(r#"{"agent": "human", "timeout_seconds": 22, "protocol": "challenge", "max_calls": 8}"#);
    assert_eq!(planned(&place, &[])["timeout_seconds"], 22);
    assert!(planned(&place, &[])["protocol"].as_str().unwrap().starts_with("challenge@"));
    place.write(PROJECT, r#"{"timeout_seconds": 11, "protocol": "judges", "seats": {"judges": {"risk": "outside", "framer": "outside"}, "panel": {"ceo": "outside"}}}"#);
    let plan = planned(&place, &[]);
    assert_eq!((&plan["timeout_seconds"], hands(&plan).join(",")), (&json!(11), "outside,human,human".to_owned()));
    assert_eq!(planned(&place, &["--timeout", "33s"])["timeout_seconds"], 33);
    assert_eq!(hands(&planned(&place, &["--seat", "risk=rehearsal"])).join(","), "rehearsal,human,human");
    assert_eq!(hands(&planned(&place, &["--agent", "rehearsal"])).join(","), "rehearsal,rehearsal,rehearsal");
    place.set("FORGE_AGENT", "rehearsal");
    assert_eq!(hands(&planned(&place, &[])).join(","), "rehearsal,rehearsal,rehearsal");
    assert_eq!(hands(&planned(&place, &["--agent", "outside"])).join(","), "outside,outside,outside");
}

// seed: S1-35
#[test]
fn limits_of_the_files_reach_the_plan() {
    let place = user(r#"{"max_calls": 9, "max_tokens": 90000, "parallel": 1}"#);
    place.write(PROJECT, r#"{"max_calls": 7, "max_tokens": 900000}"#);
    let args = ["debate", "Build or buy the billing?", "--option", "Build", "--option", "Buy", "--id", "limits"];
    let done = place.forge(&args);
    assert!(done.err.contains("max_tokens: 90000 stands"), "{done}");
    let plan =
        place.read(&place.only(|file| {
            file.ends_with("limits-debate-plan.md") || file.ends_with("plan.md") && !file.contains("trail")
        }));
    assert!(plan.contains("max_calls: 7") && plan.contains("max_tokens: 90000\n"), "{plan}");
}

/// The project is a stranger's: nothing runs, nothing is written, and it is said what is wrong, where, and where it belongs.
#[test]
fn a_strangers_project_decides_nothing_dangerous() {
    let rows = [
        (r#"{"sandbox": "off"}"#, "sandbox: a project may not set this"),
        (r#"{"allow_dangerous": true}"#, "allow_dangerous: a project may not set this"),
        (r#"{"agents": {"x": {"command": "/bin/sh"}}}"#, "agents.x.command: a project may not set this"),
        (r#"{"agents": {"claude": {"args": ["--yolo"]}}}"#, "agents.claude.args: a project may not set this"),
        (
            r#"{"agents": {"openai": {"base_url": "http://evil.example"}}}"#,
            "agents.openai.base_url: a project may not set this",
        ),
        (r#"{"agents": {"openai": {"key_env": "HOME"}}}"#, "agents.openai.key_env: a project may not set this"),
        (
            r#"{"agents": {"claude": {"pass_env": ["AWS_PROFILE"]}}}"#,
            "agents.claude.pass_env: a project may not set this",
        ),
        (r#"{"agents": {"claude": {"writable": ["/"]}}}"#, "agents.claude.writable: a project may not set this"),
        (r#"{"agent": "acp:touch ran"}"#, "a project may not name an agent that runs or reads what it names"),
        (r#"{"seats": {"judges": {"risk": "scripted:x.yaml"}}}"#, "a project may not name an agent that runs"),
        (r#"{"openai_api_key": "abc"}"#, "openai_api_key: a key may not stand in this file"),
        (
            r#"{"note": "sk-proj-0123456789abcdefghij"}"#,
            ".claude/forge/config.json:1: note: what looks like a key stands in this file",
        ),
        ("{\"agent\": ", "not JSON"),
    ];
    for (text, said) in rows {
        let place = project(text);
        for args in [&["debate", "Build or buy?", "--agent", "rehearsal"][..], &["start", "Sell billing"], &["config"]]
        {
            let done = place.forge(args).code(2);
            assert!(done.err.contains(&format!("{PROJECT}:1: ")) && done.err.contains(said), "{text}: {done}");
            assert!(!done.err.contains("0123456789abcdefghij") && !done.out.contains("0123456789abcdefghij"), "{done}");
            if !said.contains("not JSON") {
                assert!(done.err.contains("home/.config/forge/config.json"), "{done}");
            }
        }
        assert_eq!(place.files(), [PROJECT], "{text}");
    }
}

/// What only looks at files does not need a sound configuration.
#[test]
fn a_broken_configuration_keeps_nobody_from_looking() {
    let place = Place::new();
    place.forge(&[
        "debate",
        "Build or buy the billing?",
        "--option",
        "Build",
        "--option",
        "Buy",
        "--id",
        "look",
        "--agent",
        "rehearsal",
    ]);
    place.forge(&["start", "Sell billing"]);
    let looks: [&[&str]; 7] = [
        &["status"],
        &["gate"],
        &["show", "look"],
        &["debate", "list"],
        &["debate", "status", "look"],
        &["verify", "look"],
        &["classify", "Which database?"],
    ];
    let before = looks.map(|args| place.forge(args).code);
    place.write(PROJECT, "{broken");
    for (args, code) in looks.iter().zip(before) {
        let done = place.forge(args).code(code);
        assert!(!done.err.contains("config.json"), "{done}");
    }
    let done = place.forge(&["debate", "run", "look"]).code(2);
    assert!(done.err.contains(".claude/forge/config.json:1: column 2: not JSON"), "{done}");
}

/// Another tool's keys in the same file stop nothing, and do not fill the screen of every command.
#[test]
fn keys_of_others_are_mentioned_and_no_more() {
    let place = project(r#"{"phases": {"a": 1}, "reviewers": ["x"], "theme": "dark", "hooks": {}, "version": "2.0"}"#);
    let done = place.forge(&DEBATE).code(0);
    assert_eq!(done.err.matches("warning: ").count(), 4, "{done}");
    assert!(done.err.contains("2 more of that kind; `forge config` shows all"), "{done}");
    assert_eq!(place.forge(&["config"]).code(0).err.matches("unknown key").count(), 5);
}

#[test]
fn files_that_are_no_texts_are_refused() {
    let place = Place::new();
    place.write(PROJECT, [b'{', 0xff, b'}']);
    assert!(place.forge(&["config"]).code(2).err.contains("not UTF-8"));
    place.write(PROJECT, format!("{{\"a\": \"{}\"}}", "x".repeat(300 * 1024)));
    assert!(place.forge(&["config"]).code(2).err.contains("at most 256 KiB"));
    fs::remove_file(place.path(PROJECT)).unwrap();
    fs::create_dir(place.path(PROJECT)).unwrap();
    assert!(place.forge(&["config"]).code(2).err.contains("is not a regular file"));
}

/// A link out of the project would show its reader what somebody else's file holds.
#[cfg(unix)]
#[test]
fn a_projects_file_is_inside_the_project() {
    let place = user(r#"{"agent": "human"}"#);
    fs::create_dir_all(place.path(".claude/forge")).unwrap();
    std::os::unix::fs::symlink(place.around().join("home/.config/forge/config.json"), place.path(PROJECT)).unwrap();
    let done = place.forge(&["config"]).code(2);
    assert!(done.err.contains("is a symbolic link"), "{done}");
}

#[test]
fn xdg_names_another_place() {
    let place = Place::new();
    let folder = place.around().join("elsewhere/forge");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.json"), r#"{"timeout_seconds": 77}"#).unwrap();
    let place = {
        let elsewhere = place.around().join("elsewhere").display().to_string();
        place.with("XDG_CONFIG_HOME", &elsewhere)
    };
    assert_eq!(planned(&place, &[])["timeout_seconds"], 77);
}

/// An agent that there is not is named with the file and the key that name it, before and when a debate wants it.
#[test]
fn an_unknown_agent_is_told_with_where_it_comes_from() {
    let place = Place::new();
    place.write(".claude/forge/config.json", "{\n  \"agent\": \"claud\"\n}\n");
    place
        .forge(&["config"])
        .code(0)
        .err(".claude/forge/config.json:2: agent: forge knows no agent \"claud\"; did you mean claude?");
    let debate = ["debate", "Build or buy the billing service?", "--option", "Build it", "--option", "Buy it"];
    place
        .forge(&debate)
        .code(2)
        .err("unknown agent \"claud\"")
        .err("it is what agent says: project .claude/forge/config.json");
    place.forge(&[&debate[..], &["--agent", "rehearsal"]].concat()).code(0);
    place.write(
        ".claude/forge/config.json",
        "{\"seats\": {\"judges\": {\"risk\": \"cloude\"}}, \"agent\": \"rehearsal\"}\n",
    );
    place.forge(&["config"]).code(0).err("seats.judges.risk: forge knows no agent \"cloude\"");
    place.forge(&debate).code(2).err("it is what seats.judges.risk says");
}
