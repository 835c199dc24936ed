//! What configuration resolves to: tables of texts and what comes of them. No file is read but the one that documents it.

use forge_agents::keeper::{Keeper, Sandbox};
use forge_agents::prices::Rates;
use forge_agents::{Home, OutputShape, PromptWay, Roster, RosterSettings};
use forge_debate::plan::Hand;
use forge_engine::config::{Among, File, KEYS, Key, Kind, Resolved, SetBy, Sources, Text, resolve, schema};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

const USER: &str = "/home/ada/.config/forge/config.json";
const PROJECT: &str = ".claude/forge/config.json";
const DOCUMENT: &str = "../../docs/configuration.md";

fn resolved(user: &str, project: &str, variables: &[(&str, &str)]) -> Resolved {
    let file = |name: &str, text: &str| {
        let text = if text.is_empty() { Text::Absent } else { Text::Found(text.to_owned()) };
        File { name: name.to_owned(), text }
    };
    let environment: BTreeMap<String, String> =
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    resolve(&Sources {
        user: file(USER, user),
        project: file(PROJECT, project),
        environment: &environment,
        home: Some("/home/ada"),
    })
}

fn from_user(text: &str) -> Resolved {
    resolved(text, "", &[])
}

fn from_project(text: &str) -> Resolved {
    resolved("", text, &[])
}

fn origin(resolved: &Resolved, path: &str) -> String {
    resolved.value(path).map_or("none".to_owned(), |chosen| chosen.origin.to_string())
}

/// The only problem of a text, as it is said.
#[track_caller]
fn problem(resolved: &Resolved) -> String {
    assert_eq!(resolved.problems.len(), 1, "{:?}", resolved.problems);
    assert!(resolved.check().is_err());
    resolved.problems[0].to_string()
}

#[test]
fn without_any_source_the_defaults_hold() {
    let resolved = resolved("", "", &[]);
    let defaults = &resolved.defaults;
    assert_eq!((defaults.timeout_seconds, defaults.parallel, defaults.protocol.as_str()), (120, 16, "judges"));
    assert_eq!((defaults.agent.clone(), defaults.max_calls, defaults.max_tokens), (None, None, None));
    assert!(resolved.roster.agents.is_empty() && !resolved.roster.allow_dangerous);
    assert_eq!(resolved.roster.sandbox, Sandbox::WherePossible);
    assert!(resolved.values.iter().all(|chosen| chosen.origin.to_string() == "default"));
    assert!(resolved.warnings.is_empty() && resolved.check().is_ok());
}

// seed: S1-35
#[test]
fn the_stronger_source_holds_and_is_named() {
    let user = r#"{"agent": "claude", "timeout_seconds": 200, "parallel": 4}"#;
    let project = r#"{"agent": "codex", "timeout_seconds": 100}"#;
    type Row<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], &'a str, &'a str);
    let rows: &[Row<'_>] = &[
        ("", "", &[], "none", "default"),
        (user, "", &[], "claude", "user /home/ada/.config/forge/config.json"),
        ("", project, &[], "codex", "project .claude/forge/config.json"),
        (user, project, &[], "codex", "project .claude/forge/config.json"),
        (user, project, &[("FORGE_AGENT", "gemini")], "gemini", "environment FORGE_AGENT"),
        (user, "", &[("FORGE_AGENT", "  ")], "claude", "user /home/ada/.config/forge/config.json"),
        ("", "", &[("FORGE_AGENT", "scripted:x.yaml")], "scripted:x.yaml", "environment FORGE_AGENT"),
    ];
    for (user, project, variables, agent, from) in rows {
        let resolved = resolved(user, project, variables);
        assert_eq!(resolved.defaults.agent.as_deref().unwrap_or("none"), *agent);
        assert_eq!(origin(&resolved, "agent"), *from);
        assert!(resolved.check().is_ok());
    }
    let both = resolved(user, project, &[]);
    assert_eq!((both.defaults.timeout_seconds, both.defaults.parallel), (100, 4));
    assert_eq!(origin(&both, "parallel"), "user /home/ada/.config/forge/config.json");
    let outdone = &both.value("timeout_seconds").unwrap().outdone;
    assert_eq!(outdone.iter().map(|(value, _)| value.clone()).collect::<Vec<_>>(), [json!(120), json!(200)]);
}

#[test]
fn a_project_may_spend_less_than_the_user_allows_and_never_more() {
    for key in ["max_calls", "max_tokens", "max_output_tokens"] {
        for (user, project, holds, from, warns) in
            [(2000, 500, 500, "project", 0), (2000, 9000, 2000, "user", 1), (2000, 2000, 2000, "project", 0)]
        {
            let resolved = resolved(&json!({ key: user }).to_string(), &json!({ key: project }).to_string(), &[]);
            assert_eq!(resolved.value(key).unwrap().value, json!(holds), "{key}");
            assert!(origin(&resolved, key).starts_with(from), "{key} {from}");
            assert_eq!(resolved.warnings.len(), warns, "{:?}", resolved.warnings);
        }
        assert_eq!(from_project(&json!({ key: 9000 }).to_string()).value(key).unwrap().value, json!(9000));
    }
}

#[test]
fn a_project_may_lower_the_most_that_a_debate_costs() {
    for (user, project, holds, micro) in [
        (json!(0.5), json!(0.25), "project", 250_000),
        (json!(0.5), json!(2), "user", 500_000),
        (json!(2), json!(0.5), "project", 500_000),
    ] {
        let says = |amount: &Value| json!({"max_cost": amount}).to_string();
        let resolved = resolved(&says(&user), &says(&project), &[]);
        assert!(origin(&resolved, "max_cost").starts_with(holds), "{user} {project}");
        assert_eq!(resolved.defaults.max_cost, Some(micro));
    }
}

#[test]
fn prices_are_the_users_own() {
    let text = r#"{"prices": {"gpt-6.1-sol": {"input": 1.25, "output": 10}, "acme*": {"input": 0, "output": 0.1, "cached_input": 0.000001}}}"#;
    let resolved = from_user(text);
    assert!(resolved.check().is_ok() && resolved.warnings.is_empty(), "{:?}", resolved.problems);
    let rates = |name: &str| resolved.roster.prices[name];
    assert_eq!(rates("gpt-6.1-sol"), Rates { input: 1_250_000, output: 10_000_000, cached_input: 1_250_000 });
    assert_eq!(rates("acme*"), Rates { input: 0, output: 100_000, cached_input: 1 });
    assert!(origin(&resolved, "prices.gpt-6.1-sol").starts_with("user "));
    // A project that understates a price would lift the user's cap.
    let refused = from_project(text).problems;
    assert!(
        refused.len() == 2 && refused.iter().all(|one| one.text.contains("a project may not set this")),
        "{refused:?}"
    );
    for half in [
        r#"{"input": 1}"#,
        r#"{"output": 1}"#,
        r#"{"input": -1, "output": 1}"#,
        r#"{"input": 1, "output": 1, "cached": 1}"#,
        r#"{"input": 1, "output": 1, "cached_input": "x"}"#,
        r#"{"input": 0.0000001, "output": 1}"#,
        r#"{"input": 1000001, "output": 1}"#,
    ] {
        let said = problem(&from_user(&format!(r#"{{"prices": {{"m": {half}}}}}"#)));
        assert!(said.contains("prices.m: expected an object of US dollars per million tokens"), "{half}: {said}");
    }
    for amount in ["0", "-1", "\"2\"", "0.0000001", "1e400"] {
        assert!(!from_user(&format!(r#"{{"max_cost": {amount}}}"#)).problems.is_empty(), "{amount}");
    }
}

#[test]
fn a_project_may_switch_an_agent_off_and_never_on() {
    let says = |enabled: bool| json!({"agents": {"codex": {"enabled": enabled}}}).to_string();
    for (user, project, holds) in
        [(true, false, false), (false, true, false), (true, true, true), (false, false, false)]
    {
        let resolved = resolved(&says(user), &says(project), &[]);
        assert_eq!(resolved.roster.agents["codex"].enabled, Some(holds), "{user} {project}");
    }
    let names = r#"{"agent": "codex:gpt-5", "seats": {"judges": {"risk": "codex", "value": "gemini"}}}"#;
    let off = resolved(&says(false), names, &[]);
    assert_eq!(off.defaults.agent, None, "a project cannot name what the user switched off");
    assert_eq!(off.defaults.seat("judges", "value"), Some(Hand::parse("gemini")));
    assert_eq!(off.defaults.seat("judges", "risk"), None);
    assert_eq!(off.warnings.len(), 2, "{:?}", off.warnings);
    assert!(off.warnings[0].text.contains("is switched off in /home/ada"), "{:?}", off.warnings);
}

#[test]
fn everything_that_a_user_says_about_an_agent_arrives() {
    let text = r#"{
        "sandbox": "off", "allow_dangerous": true, "first_byte_seconds": 30, "idle_seconds": 60,
        "agents": {"acme": {
            "command": "~/bin/acme", "args": ["--model", "{model}"], "prompt": "file", "output": "/result/text",
            "key_command": ["pass", "show", "acme"], "key_env": "ACME_KEY", "model": "acme-1", "family": "acme",
            "env": {"ACME_QUIET": "1"}, "pass_env": ["ACME_REGION"], "home": "fresh", "writable": ["~/.acme", "/var/acme"],
            "parallel": 2, "enabled": true},
          "house": {"api": "openai-responses", "base_url": "http://127.0.0.1:9000/v1", "structured": true}}}"#;
    let resolved = from_user(text);
    assert!(
        resolved.check().is_ok() && resolved.warnings.is_empty(),
        "{:?} {:?}",
        resolved.problems,
        resolved.warnings
    );
    let roster = &resolved.roster;
    assert_eq!((roster.sandbox, roster.allow_dangerous), (Sandbox::Off, true));
    assert_eq!((roster.first_byte, roster.idle), (Some(Duration::from_secs(30)), Some(Duration::from_secs(60))));
    let acme = &roster.agents["acme"];
    assert_eq!(acme.command.as_deref(), Some("/home/ada/bin/acme"));
    assert_eq!(acme.args.as_deref(), Some(&["--model".to_owned(), "{model}".to_owned()][..]));
    assert_eq!(
        (acme.prompt, acme.output.clone()),
        (Some(PromptWay::File), Some(OutputShape::Json("/result/text".into())))
    );
    assert_eq!(acme.key_command.as_ref().unwrap().len(), 3);
    assert_eq!((acme.key_env.as_deref(), acme.model.as_deref()), (Some("ACME_KEY"), Some("acme-1")));
    assert_eq!((acme.family.as_deref(), acme.home), (Some("acme"), Some(Home::Fresh)));
    assert_eq!((acme.env["ACME_QUIET"].as_str(), acme.pass_env.join(",").as_str()), ("1", "ACME_REGION"));
    assert_eq!(acme.writable, [Path::new("/home/ada/.acme"), Path::new("/var/acme")]);
    assert_eq!((acme.parallel, acme.enabled), (Some(2), Some(true)));
    let house = &roster.agents["house"];
    assert_eq!(house.api.as_deref(), Some("openai-responses"));
    assert_eq!(house.base_url.as_deref(), Some("http://127.0.0.1:9000/v1"));
    assert_eq!((house.structured, acme.structured), (Some(true), None));
}

/// Every key that only a user may set is refused in a project's file, whatever it says: with file, line, key and place.
#[test]
fn a_project_cannot_decide_what_is_the_users_to_decide() {
    let mut refused = Vec::new();
    for key in KEYS.iter().filter(|key| key.set_by == SetBy::User) {
        let text = nested(key, example(key.kind));
        let said = problem(&from_project(&text));
        let path = key.path.replace('*', "claude");
        assert!(said.starts_with(&format!("{PROJECT}:1: {path}: a project may not set this")), "{said}");
        assert!(said.ends_with(USER), "{said}");
        assert!(from_user(&text).check().is_ok(), "{text}: {:?}", from_user(&text).problems);
        refused.push(key.path.rsplit('.').next().unwrap());
    }
    let safety = [
        "allow_dangerous",
        "sandbox",
        "command",
        "args",
        "env",
        "pass_env",
        "key_command",
        "key_env",
        "base_url",
        "writable",
        "home",
        "api",
        "family",
    ];
    assert!(safety.iter().all(|key| refused.contains(key)), "{refused:?}");
}

#[test]
fn a_project_names_agents_and_models_and_nothing_that_runs() {
    for agent in [
        "acp:sh -c id",
        "ACP:sh",
        " acp : sh",
        "local:model.gguf",
        "scripted:x.yaml",
        "/bin/sh",
        "./run",
        "claude:/etc/passwd",
        "claude:../x",
        "claude:--dangerously-skip-permissions",
        "claude:a b",
        "openai:~/x",
        "openai:@file",
        "a;b",
        "x:",
    ] {
        for text in [json!({ "agent": agent }), json!({"seats": {"judges": {"risk": agent}}})] {
            let said = problem(&from_project(&text.to_string()));
            assert!(said.contains("a project may") && said.ends_with(USER), "{said}");
            assert!(from_project(&text.to_string()).defaults.agent.is_none());
        }
    }
    for agent in
        ["claude", "codex:gpt-5.1-codex", "openrouter:acme/large-2", "ollama:qwen3:8b", "human", "outside", "my-own"]
    {
        assert!(from_project(&json!({ "agent": agent }).to_string()).check().is_ok(), "{agent}");
    }
    for agent in ["acp:codex-acp --quiet", "scripted:/x/y.yaml", "local:/models/x.gguf"] {
        assert!(from_user(&json!({ "agent": agent }).to_string()).check().is_ok(), "{agent}");
    }
    for model in ["/models/x.gguf", "../x", "~x", "@x"] {
        let text = json!({"agents": {"claude": {"model": model}}}).to_string();
        assert!(problem(&from_project(&text)).contains("not a path"));
        assert!(from_user(&text).check().is_ok());
    }
}

#[test]
fn no_file_may_hold_a_key() {
    let secret = "sk-proj-0123456789abcdefghij";
    let texts = [
        json!({ "api_key": "abc" }),
        json!({ "other": {"tool": [{"accessToken": "abc"}]} }),
        json!({ "agents": {"claude": {"secret": "abc"}} }),
        json!({ "agents": {"claude": {"token": "abc"}} }),
        json!({ "key": "abc" }),
        json!({ "note": secret }),
        json!({ "list": [secret] }),
        json!({ "agents": {"claude": {"model": secret}} }),
    ];
    for text in &texts {
        for resolved in [from_project(&text.to_string()), from_user(&text.to_string())] {
            let said = resolved.check().unwrap_err();
            assert!(said.contains("keys come from the environment") && said.contains(USER), "{said}");
            assert!(!said.contains(secret) && !said.contains("abc"), "{said}");
            assert!(resolved.warnings.iter().all(|warning| !warning.text.contains(secret)));
        }
    }
    let escaped = r#"{"note": "\u0073k-proj-0123456789abcdefghij"}"#;
    assert!(problem(&from_project(escaped)).contains("what looks like a key"));
    let twice = format!("{{\"note\": \"{secret}\",\n \"note\": 1}}");
    assert!(problem(&from_project(&twice)).starts_with(".claude/forge/config.json:1: what looks like a key"));
    let env = r#"{"agents": {"claude": {"env": {"ANTHROPIC_API_KEY": "abc"}}}}"#;
    assert!(problem(&from_user(env)).contains("agents.claude.env.ANTHROPIC_API_KEY: a key may not stand"));
    for harmless in
        [r#"{"max_tokens": 5}"#, r#"{"tokens": "x"}"#, r#"{"key": 5}"#, r#"{"monkey": "x"}"#, r#"{"key": ""}"#]
    {
        assert!(from_project(harmless).check().is_ok(), "{harmless}");
    }
}

#[test]
fn what_may_hold_a_secret_is_not_shown() {
    let resolved = from_user(r#"{"agents": {"claude": {"env": {"A": "hidden"}, "key_command": ["pass", "hidden"]}}}"#);
    let shown: Vec<Value> = resolved.values.iter().map(|chosen| chosen.shown()).collect();
    assert!(shown.contains(&json!({"A": "set"})) && shown.contains(&json!("set")));
    assert!(!format!("{shown:?}").contains("hidden"));
}

#[test]
fn unknown_keys_warn_with_the_nearest_and_their_line() {
    let rows = [
        (r#"{"agnet": "claude"}"#, 1, "unknown key agnet; did you mean agent?"),
        ("{\n\n\"timeout\": 3}", 3, "unknown key timeout; did you mean timeout_seconds?"),
        (r#"{"model": "x"}"#, 1, "unknown key model; did you mean agents.NAME.model?"),
        (
            "{\"agents\": {\"claude\":\n {\"comand\": \"x\"}}}",
            2,
            "unknown key agents.claude.comand; did you mean agents.claude.command?",
        ),
        (r#"{"phases": {"a": [1]}}"#, 1, "unknown key phases; `forge config` shows all that there are"),
    ];
    for (text, line, said) in rows {
        for resolved in [from_user(text), from_project(text)] {
            assert!(resolved.check().is_ok(), "{text}");
            assert_eq!(resolved.warnings.len(), 1, "{:?}", resolved.warnings);
            assert_eq!((resolved.warnings[0].line, resolved.warnings[0].text.as_str()), (Some(line), said));
        }
    }
}

#[test]
fn what_makes_no_sense_is_said() {
    let warned =
        |text: &str| from_user(text).warnings.iter().map(|one| one.text.clone()).collect::<Vec<_>>().join("\n");
    assert!(warned(r#"{"agents": {"claud": {"model": "x"}}}"#).ends_with("did you mean agents.claude?"));
    assert!(warned(r#"{"seats": {"judge": {"risk": "claude"}}}"#).contains("did you mean seats.judges?"));
    assert!(warned(r#"{"seats": {"judges": {"rsik": "claude"}}}"#).contains("did you mean risk?"));
    assert_eq!(warned(r#"{"seats": {"judges": {"framer": "claude"}, "panel": {"ceo": "claude"}}}"#), "");
    for (text, said) in [
        (r#"{"agents": {"x": {"command": "x", "api": "openai"}}}"#, "either command or api"),
        (r#"{"agents": {"human": {"command": "x"}}}"#, "a word of forge's own"),
        (r#"{"agents": {"local": {"api": "openai", "base_url": "http://127.0.0.1:1/v1"}}}"#, "a word of forge's own"),
        (r#"{"agents": {"acp": {"command": "x"}}}"#, "a word of forge's own"),
        (r#"{"agents": {"a b": {"command": "x"}}}"#, "letters, digits"),
        (r#"{"agents": {"a.b": {"command": "x"}}}"#, "letters, digits"),
        (r#"{"agents": {"": {"command": "x"}}}"#, "letters, digits"),
    ] {
        assert!(problem(&from_user(text)).contains(said), "{text}");
    }
    let program = from_user(r#"{"agents": {"local": {"command": "/opt/llama/llama-server", "args": ["-c", "8192"]}}}"#);
    assert!(program.check().is_ok() && program.warnings.is_empty(), "what runs model files may be said");
}

#[test]
fn wrong_values_are_named_with_what_is_expected() {
    let rows = [
        (r#"{"agent": 5}"#, "agent: expected an agent's name", "found 5"),
        (r#"{"agent": "-x"}"#, "agent: expected", "found \"-x\""),
        (r#"{"timeout_seconds": "5m"}"#, "a whole number from 1 to 86400", "found \"5m\""),
        (r#"{"timeout_seconds": 0}"#, "from 1 to 86400", "found 0"),
        (r#"{"timeout_seconds": 86401}"#, "from 1 to 86400", "found 86401"),
        (r#"{"timeout_seconds": 1.5}"#, "from 1 to 86400", "found 1.5"),
        (r#"{"parallel": -1}"#, "from 1 to 256", "found -1"),
        (r#"{"protocol": "judge"}"#, "\"judges\" or \"gate\" or \"panel\" or \"challenge\"", "found \"judge\""),
        (r#"{"sandbox": true}"#, "\"auto\" or \"off\"", "found true"),
        (r#"{"allow_dangerous": "yes"}"#, "true or false", "found \"yes\""),
        (r#"{"seats": "claude"}"#, "seats: expected an object", "found \"claude\""),
        (r#"{"seats": {"judges": []}}"#, "seats.judges: expected an object", "found a list"),
        (r#"{"agents": {"x": {"command": "./x"}}}"#, "agents.x.command: expected a program", "found \"./x\""),
        (r#"{"agents": {"x": {"command": "/a/../x"}}}"#, "agents.x.command: expected a program", "found"),
        (r#"{"agents": {"claude": {"args": "x"}}}"#, "a list of texts", "found \"x\""),
        (r#"{"agents": {"claude": {"model": "-x"}}}"#, "a model's name", "found \"-x\""),
        (r#"{"agents": {"claude": {"base_url": "ftp://x"}}}"#, "begins with http://", "found"),
        (r#"{"agents": {"claude": {"base_url": "https://me:pw@x"}}}"#, "without a user name", "found"),
        (r#"{"agents": {"claude": {"key_env": "A B"}}}"#, "the name of an environment variable", "found"),
        (r#"{"agents": {"claude": {"key_command": []}}}"#, "a list: a program", "found a list"),
        (r#"{"agents": {"claude": {"key_command": ["../x"]}}}"#, "a list: a program", "found a list"),
        (r#"{"agents": {"claude": {"writable": ["x"]}}}"#, "a list of absolute paths", "found a list"),
        (r#"{"agents": {"claude": {"env": {"A": 1}}}}"#, "an object of environment variables", "found an object"),
        (r#"{"agents": {"claude": {"output": "json"}}}"#, "a JSON pointer", "found \"json\""),
        (r#"[]"#, "expected an object of keys", "found a list"),
    ];
    for (text, expected, found) in rows {
        let said = problem(&from_user(text));
        assert!(said.starts_with(&format!("{USER}:1: ")), "{said}");
        assert!(said.contains(expected) && said.contains(found), "{text}: {said}");
    }
    assert!(problem(&resolved("", "", &[("FORGE_AGENT", "-x")])).starts_with("FORGE_AGENT: expected an agent's name"));
}

#[test]
fn text_that_is_no_json_is_named_with_line_and_column() {
    for (text, place) in
        [("{\n  \"agent\": claude\n}", ":2: column 12: not JSON"), ("{\"a\": 1,}", ":1: column 9: not JSON")]
    {
        for (resolved, file) in [(from_user(text), USER), (from_project(text), PROJECT)] {
            let said = problem(&resolved);
            assert!(said.starts_with(&format!("{file}{place}")), "{said}");
        }
    }
    for nothing in [" ", "\n", "\u{feff}", "\u{feff}{}", "{}", r#"{"agent": null}"#, r#"{"agents": {"claude": null}}"#]
    {
        let resolved = from_project(nothing);
        assert!(resolved.check().is_ok() && resolved.warnings.is_empty(), "{nothing:?}");
    }
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(5000), "]".repeat(5000));
    assert!(problem(&from_project(&deep)).contains("not JSON"));
}

#[test]
fn a_file_with_very_many_mistakes_is_not_recited() {
    let many: Map<String, Value> = (0..5000).map(|number| (format!("unknown{number}"), json!(1))).collect();
    let resolved = from_project(&Value::Object(many).to_string());
    assert_eq!(resolved.warnings.len(), 51);
    assert_eq!(resolved.warnings[50].text, "and 4950 more");
}

/// A value that is sound for its kind.
fn example(kind: Kind) -> Value {
    match kind {
        Kind::Text => json!("words"),
        Kind::Texts => json!(["--quiet"]),
        Kind::Integer { least, .. } => json!(least),
        Kind::Dollars { .. } => json!(0.5),
        Kind::Share => json!(0.67),
        Kind::Rates => json!({"input": 1.25, "output": 10}),
        Kind::Switch => json!(true),
        Kind::Words(words) => json!(words()[0]),
        Kind::Agent => json!("claude"),
        Kind::Model => json!("large-2"),
        Kind::Program => json!("claude"),
        Kind::Command => json!(["pass", "show"]),
        Kind::Output => json!("/result"),
        Kind::Address => json!("https://models.example/v1"),
        Kind::Variable => json!("ACME_NAME"),
        Kind::VariableNames => json!(["ACME_REGION"]),
        Kind::Variables => json!({"ACME_QUIET": "1"}),
        Kind::Paths => json!(["~/.acme"]),
    }
}

/// A text with this one key.
fn nested(key: &Key, value: Value) -> String {
    let path = key.path.replacen("seats.*.*", "seats.judges.risk", 1).replace('*', "claude");
    path.rsplit('.').fold(value, |inner, name| json!({ name: inner })).to_string()
}

#[test]
fn every_key_is_read_checked_and_put_somewhere() {
    for key in KEYS {
        let text = nested(key, example(key.kind));
        let resolved = from_user(&text);
        assert!(resolved.check().is_ok() && resolved.warnings.is_empty(), "{text}: {:?}", resolved.problems);
        let said = resolved.values.iter().find(|chosen| chosen.key.path == key.path).expect(key.path);
        assert!(said.origin.to_string().starts_with("user "), "{}", key.path);
        let wrong = nested(key, json!([[1]]));
        assert_eq!(from_user(&wrong).problems.len(), 1, "{wrong}");
        assert!(!key.doc.is_empty() && key.doc.ends_with('.'), "{}", key.path);
        if let Some(default) = key.default {
            let default: Value = serde_json::from_str(default).unwrap();
            assert!(from_user(&nested(key, default)).check().is_ok(), "{}", key.path);
        }
    }
}

/// The few words of JSON schema that the schema uses, so that it is held against what is really read.
fn fits(schema: &Value, value: &Value) -> bool {
    let typed = match schema.get("type").and_then(Value::as_str) {
        None => true,
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some(other) => panic!("{other}"),
    };
    let among = schema.get("enum").and_then(Value::as_array).is_none_or(|words| words.contains(value));
    let number = |name: &str| schema.get(name).and_then(Value::as_u64);
    let bounded = value.as_i64().is_none_or(|n| {
        number("minimum").is_none_or(|least| n >= least as i64) && number("maximum").is_none_or(|most| n <= most as i64)
    });
    let members = value.as_object().is_none_or(|members| {
        members.iter().all(|(name, value)| {
            let own = schema.get("properties").and_then(|properties| properties.get(name));
            own.or_else(|| schema.get("additionalProperties")).is_none_or(|schema| fits(schema, value))
        })
    });
    let entries = value
        .as_array()
        .is_none_or(|entries| entries.iter().all(|entry| schema.get("items").is_none_or(|schema| fits(schema, entry))));
    let any = schema.get("anyOf").and_then(Value::as_array);
    let any = any.is_none_or(|schemas| schemas.iter().any(|schema| fits(schema, value)));
    typed && among && bounded && members && entries && any
}

#[test]
fn the_schema_knows_every_key() {
    let schema = schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    for key in KEYS {
        let value = |text: String| serde_json::from_str::<Value>(&text).unwrap();
        assert!(fits(&schema, &value(nested(key, example(key.kind)))), "{}", key.path);
        assert!(!fits(&schema, &value(nested(key, json!([[1]])))), "{}", key.path);
        let mut at = &schema;
        for name in key.path.split('.') {
            at = if name == "*" { &at["additionalProperties"] } else { &at["properties"][name] };
        }
        assert!(at["description"].as_str().unwrap().starts_with(key.doc), "{}", key.path);
        assert_eq!(at["description"].as_str().unwrap().contains("refused in a project's"), key.set_by == SetBy::User);
        assert_eq!(at.get("default"), key.default.map(|text| value(text.to_owned())).as_ref(), "{}", key.path);
    }
    assert!(fits(&schema, &json!({"phases": {"other": "tools"}})), "unknown keys are no mistake");
}

/// The documented table is the table. To accept what it is now: `FORGE_BLESS=1 cargo test -p forge-engine config`.
#[test]
fn the_document_is_in_step_with_the_table() {
    let mut rows = String::from("| key | value | default | who may set it | what it is for |\n|---|---|---|---|---|\n");
    for key in KEYS {
        let who = match (key.set_by, key.among) {
            (SetBy::User, _) => "you",
            (SetBy::Anyone, Among::TheProjects) => "you, project",
            (SetBy::Anyone, Among::TheSmaller) => "you, project (the smaller holds)",
            (SetBy::Anyone, Among::TheLarger) => "you, project (the larger holds)",
            (SetBy::Anyone, Among::TheTrue) => "you, project (`true` holds)",
            (SetBy::Anyone, Among::TheFalse) => "you, project (`false` holds)",
        };
        let default = key.default.map_or("-".to_owned(), |default| format!("`{default}`"));
        let variable = key.variable.map(|name| format!(" Also `{name}`.")).unwrap_or_default();
        let expected = key.kind.expected();
        rows.push_str(&format!("| `{}` | {expected} | {default} | {who} | {}{variable} |\n", key.path, key.doc));
    }
    let document = std::fs::read_to_string(DOCUMENT).unwrap();
    let (before, rest) = document.split_once("<!-- keys -->\n").expect("a mark before the table");
    let (table, after) = rest.split_once("<!-- end of keys -->").expect("a mark after the table");
    if std::env::var_os("FORGE_BLESS").is_some() {
        let text = format!("{before}<!-- keys -->\n{rows}<!-- end of keys -->{after}");
        std::fs::write(DOCUMENT, text).unwrap();
        return;
    }
    assert_eq!(table, rows);
}

#[test]
fn the_documents_examples_are_sound() {
    let document = std::fs::read_to_string(DOCUMENT).unwrap();
    let mut blocks = document.split("```json").skip(1).map(|rest| rest.split("```").next().unwrap());
    let (user, project) = (blocks.next().unwrap(), blocks.next().unwrap());
    let resolved = resolved(user, project, &[]);
    assert!(
        resolved.check().is_ok() && resolved.warnings.is_empty(),
        "{:?} {:?}",
        resolved.problems,
        resolved.warnings
    );
    for text in [user, project] {
        assert!(fits(&schema(), &serde_json::from_str(text).unwrap()), "{text}");
    }
    // The agents that they define can be seated, where their programs are there. Seating starts nothing.
    let bin = tempfile::tempdir().unwrap();
    let mut settings = RosterSettings::with_environment([("PATH", bin.path().to_str().unwrap())]);
    settings.keeper = Some(Keeper { program: "/nowhere".into() });
    settings.agents = resolved.roster.agents.clone();
    for (name, agent) in &settings.agents {
        let command = agent.command.as_deref().unwrap_or(name);
        let program = bin.path().join(command);
        std::fs::write(&program, "").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    for name in settings.agents.keys() {
        let seated = Roster::new(settings.clone()).find(name);
        assert!(seated.is_ok(), "{name}: {:?}", seated.err());
    }
}

/// Any JSON, with our own names in it so that it gets somewhere.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop_oneof![
            Just("claude"),
            Just("acp:x"),
            Just("off"),
            Just("~/x"),
            Just("/"),
            Just(":"),
            Just("-"),
            Just("judges")
        ]
        .prop_map(Value::from),
    ];
    let names: Vec<String> = KEYS
        .iter()
        .flat_map(|key| key.path.split('.'))
        .chain(["claude", "judges", "risk", "key", "", ".", "*"])
        .map(str::to_owned)
        .collect();
    leaf.prop_recursive(5, 64, 8, move |inner| {
        let name = prop_oneof![4 => prop::sample::select(names.clone()), 1 => any::<String>()];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..8).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_resolved(user in any_json(), project in any_json(), agent in any::<String>()) {
        let resolved = resolved(&user.to_string(), &project.to_string(), &[("FORGE_AGENT", &agent)]);
        // Whatever a project says, what is the user's to decide is the user's or forge's own.
        for chosen in resolved.values.iter().filter(|chosen| chosen.key.set_by == SetBy::User) {
            prop_assert!(!chosen.origin.to_string().starts_with("project"), "{}", chosen.path);
        }
        let alone = resolved_roster(&from_project(&project.to_string()));
        prop_assert!(alone, "a project alone made an agent");
    }

    #[test]
    fn any_text_is_resolved(user in any::<String>(), project in "[{}\\[\\]\":,agents.claude\\\\ \n]{0,80}") {
        let resolved = resolved(&user, &project, &[]);
        for remark in resolved.problems.iter().chain(&resolved.warnings) {
            prop_assert!(!remark.to_string().is_empty());
        }
    }
}

/// Whether nothing in the roster's part could run, see or reach more than without a file.
fn resolved_roster(resolved: &Resolved) -> bool {
    let roster = &resolved.roster;
    let harmless = roster.agents.values().all(|agent| {
        agent.command.is_none()
            && agent.args.is_none()
            && agent.api.is_none()
            && agent.base_url.is_none()
            && agent.key_env.is_none()
            && agent.key_command.is_none()
            && agent.env.is_empty()
            && agent.pass_env.is_empty()
            && agent.home.is_none()
            && agent.writable.is_empty()
    });
    harmless && roster.sandbox == Sandbox::WherePossible && !roster.allow_dangerous
}
