//! `forge doctor --probe` tells the truth about each of the four.

use super::{CLIS, Field};
use crate::model::serve_all_wires;
use forge_testkit::model_server::{Answer, Wire};
use serde_json::Value;
use std::fs;

#[test]
fn a_probe_says_who_answers_and_who_does_not() {
    // Two keys are good, one is not, and one provider is overrun.
    let odd = |wire: Wire| match wire {
        Wire::Gemini => Some(Answer::status(401, "who are you")),
        Wire::Chat => Some(Answer::rate_limited(1)),
        Wire::Anthropic | Wire::Responses => None,
    };
    let Some(field) = Field::with(|| serve_all_wires(&[], move |asked, _| odd(asked.wire))) else { return };
    let done = field.place.forge(&["doctor", "--probe", "--timeout", "60s", "--json"]).code(0);
    let report = done.json();
    for (name, wire) in CLIS {
        let agents = report["agents"].as_array().unwrap();
        let agent = agents.iter().find(|agent| agent["name"] == name).unwrap_or_else(|| panic!("no {name}: {done}"));
        assert_eq!(agent["kind"], "cli", "{agent:#}");
        assert!(agent["version"].is_string() && agent["program"].is_string(), "{agent:#}");
        let probe = &agent["probe"];
        assert!(!field.asked(wire).is_empty() && probe.is_object(), "{name} was probed: {agent:#}");
        assert!(probe["milliseconds"].as_u64() > Some(0), "{agent:#}");
        let (result, failure) = match wire {
            Wire::Gemini => ("failed", Value::from("no-auth")),
            Wire::Chat => ("failed", Value::from("rate-limited")),
            Wire::Anthropic | Wire::Responses => ("answered", Value::Null),
        };
        assert_eq!((&probe["result"], &probe["failure"]), (&Value::from(result), &failure), "{agent:#}");
        assert_eq!(agent["works"], failure.is_null(), "{agent:#}");
        // What is wrong comes with what to do about it.
        assert_eq!(probe["fix"].is_string(), !failure.is_null(), "{agent:#}");
        // Codex is the one that does not say which model served.
        assert!(!failure.is_null() || name == "codex" || probe["model"].is_string(), "{agent:#}");
    }
    assert_eq!(report["challenge"]["level"], "MINIMAL", "two families answered: {done}");
    field.is_clean(&[&done]);
}

#[test]
fn what_is_not_installed_or_has_no_key_is_said_with_what_to_do() {
    let Some(mut field) = Field::with(|| serve_all_wires(&[], |_, _| None)) else { return };
    field.place.set("GEMINI_API_KEY", "");
    let done = field.place.forge(&["agents", "--json"]).code(0);
    let agents = done.json()["agents"].as_array().unwrap().clone();
    let of = |name: &str| agents.iter().find(|agent| agent["name"] == name).unwrap().clone();
    for name in ["claude", "codex", "qwen"] {
        assert_eq!((&of(name)["usable"], &of(name)["access"]["how"]), (&Value::from(true), &Value::from("key")));
    }
    assert_eq!((&of("gemini")["usable"], &of("gemini")["installed"]), (&Value::from(false), &Value::from(true)));
    assert!(of("gemini")["obstacle"]["fix"].as_str().unwrap().contains("GEMINI_API_KEY"), "{:#}", of("gemini"));
    assert_eq!(of("opencode")["installed"], false);
    assert!(of("opencode")["obstacle"]["fix"].as_str().unwrap().contains("npm install"), "{:#}", of("opencode"));
    assert_eq!(field.server.requests().len(), 0, "nobody was asked");
    field.is_clean(&[&done]);
}

#[test]
fn settings_without_a_login_are_no_login() {
    let Some(mut field) = Field::with(|| serve_all_wires(&[], |_, _| None)) else { return };
    for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"] {
        field.place.set(name, "");
    }
    for variable in ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"] {
        field.place.set(variable, "");
    }
    let home = field.place.around().join("home");
    for (file, text) in [
        (".claude/settings.json", r#"{"theme":"dark"}"#),
        (".gemini/settings.json", r#"{"ui":{"theme":"Default"}}"#),
        (".qwen/settings.json", r#"{"ui":{"theme":"Default"}}"#),
        (".codex/config.toml", "model = \"gpt-5.5\"\n"),
    ] {
        fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
        fs::write(home.join(file), text).unwrap();
    }
    let done = field.place.forge(&["agents", "--json"]).code(0);
    for (name, _) in CLIS {
        let report = done.json();
        let agent = report["agents"].as_array().unwrap().iter().find(|agent| agent["name"] == name).unwrap();
        assert_eq!((&agent["usable"], &agent["obstacle"]["kind"]), (&Value::from(false), &Value::from("no_access")));
        assert!(agent["obstacle"]["why"].as_str().unwrap().contains("holds nothing that logs it in"), "{agent:#}");
    }
    // Who names it all the same is told where the user would change something, not where it ran.
    let mut args = vec!["debate", "Build or buy?", "--protocol", "judges", "--id", "d1", "--timeout", "60s"];
    args.extend(["--option", "Build it", "--option", "Buy it", "--agent", "rehearsal", "--seat", "risk=gemini"]);
    let held = field.place.forge(&args);
    let verdict = field.verdict();
    let absence = verdict["absences"].as_array().unwrap().iter().find(|absence| absence["seat"] == "risk").unwrap();
    assert_eq!(absence["kind"], "no-auth", "{held}");
    let detail = absence["detail"].as_str().unwrap();
    assert!(detail.contains("~/.gemini/settings.json") && !detail.contains("forge-seat-"), "{detail}");
    assert!(super::processes_of(&field.place).is_empty());
}
