//! Agents are found by name, made once, and never looked for in the environment.

use forge_agents::{Roster, RosterSettings, UnknownAgent};
use std::sync::Arc;

fn error(settings: RosterSettings, name: &str) -> UnknownAgent {
    match Roster::new(settings).find(name) {
        Ok(agent) => panic!("{} was seated", agent.name()),
        Err(error) => error,
    }
}

#[test]
fn one_name_is_one_agent() {
    let settings = RosterSettings::with_environment([("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")]);
    let roster = Roster::new(settings);
    for name in ["rehearsal", "openai:some-model"] {
        let agent = roster.find(name).unwrap();
        assert_eq!(agent.name(), name);
        assert!(Arc::ptr_eq(&agent, &roster.find(name).unwrap()));
    }
}

#[test]
fn unknown_names_are_told_what_there_is() {
    let said = error(RosterSettings::default(), "rehersal").to_string();
    assert!(said.contains("did you mean \"rehearsal\"?"), "{said}");
    for (pattern, description) in Roster::known() {
        assert!(said.contains(pattern) && !description.is_empty(), "{said}");
    }
    let said = error(RosterSettings::default(), "opnai:gpt-5").to_string();
    assert!(said.contains("did you mean \"openai:gpt-5\"?"), "{said}");
    for name in ["openai:", "openrouter", "scripted: ", "rehearsal:2"] {
        assert!(matches!(error(RosterSettings::default(), name), UnknownAgent::Malformed { .. }), "{name}");
    }
}

#[test]
fn openai_itself_needs_a_key_and_a_sound_address() {
    let said = error(RosterSettings::default(), "openai:gpt-5").to_string();
    assert!(said.contains("OPENAI_API_KEY"), "{said}");
    for base in ["no address", "ftp://host/v1", "http://"] {
        let settings = RosterSettings::with_environment([("OPENAI_BASE_URL", base)]);
        let said = error(settings, "openai:gpt-5").to_string();
        assert!(said.contains("OPENAI_BASE_URL"), "{said}");
    }
    let settings = RosterSettings::with_environment([("OPENAI_API_KEY", "bad\nkey")]);
    let said = error(settings, "openai:gpt-5").to_string();
    assert!(said.contains("OPENAI_API_KEY") && !said.contains("bad"), "{said}");
}

#[test]
fn settings_show_no_secret() {
    let settings = RosterSettings::with_environment([
        ("OPENAI_BASE_URL", "http://user:hunter2@127.0.0.1:9/v1?key=hunter3"),
        ("OPENAI_API_KEY", "sk-very-secret"),
    ]);
    let roster = Roster::new(settings.clone());
    roster.find("openai:m").unwrap();
    let shown = format!("{settings:?} {roster:?}");
    for secret in ["sk-very-secret", "hunter2", "hunter3"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}
