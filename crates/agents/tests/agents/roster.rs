//! Agents are found by name, made once, and never looked for in the environment.

use forge_agents::prices::Price;
use forge_agents::{AgentSettings, Roster, RosterSettings, UnknownAgent};
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

#[test]
fn what_would_be_a_flag_is_no_model_file_or_command() {
    let mut settings = RosterSettings::with_environment([("ANTHROPIC_API_KEY", "sk-0123456789")]);
    let own = AgentSettings { command: Some("cat".to_owned()), ..AgentSettings::default() };
    settings.agents.insert("mine".to_owned(), own);
    let kinds = Roster::known().into_iter().filter_map(|(pattern, _)| pattern.split(['[', ':']).next());
    for kind in kinds.filter(|kind| *kind != "rehearsal").chain(["mine"]) {
        for rest in ["-x", " --yolo"] {
            let said = error(settings.clone(), &format!("{kind}:{rest}")).to_string();
            assert!(said.contains("none begins with -"), "{kind}: {said}");
        }
    }
}

fn price_in(variables: &[(&str, &str)], agent: &str) -> Price {
    let environment = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let settings = RosterSettings { environment, ..RosterSettings::default() };
    Roster::new(settings).price(agent, None)
}

#[test]
fn a_list_price_goes_by_the_address_that_is_really_asked() {
    let priced = |price: Price| matches!(price, Price::Priced(_));
    let (agent, elsewhere) = ("codex:gpt-6.1-sol", ("OPENAI_BASE_URL", "https://gateway.example/v1"));
    assert!(priced(price_in(&[("CODEX_API_KEY", "k")], agent)));
    assert!(priced(price_in(&[("CODEX_API_KEY", "k"), elsewhere], agent)), "meant for another program");
    assert!(!priced(price_in(&[("OPENAI_API_KEY", "k"), elsewhere], agent)), "goes there with its key");
    assert!(!priced(price_in(&[("OPENAI_API_KEY", "k"), elsewhere], "openai:gpt-6.1-sol")));

    let home = tempfile::tempdir().unwrap();
    let at = home.path().display().to_string();
    std::fs::create_dir(home.path().join(".codex")).unwrap();
    std::fs::write(home.path().join(".codex/auth.json"), "{\"OPENAI_API_KEY\":\"k\"}").unwrap();
    for (configuration, is_priced) in [
        ("model = \"gpt-6.1-sol\"\n", true),
        ("model_provider = \"openai\"\n", true),
        ("model_provider = \"azure\"\n[model_providers.azure]\nname = \"a\"\n", false),
        ("openai_base_url = \"https://gateway.example/v1\"\n", false),
        ("[model_providers.azure]\nmodel_provider = \"azure\"\n", true),
    ] {
        std::fs::write(home.path().join(".codex/config.toml"), configuration).unwrap();
        assert_eq!(priced(price_in(&[("HOME", &at), elsewhere], agent)), is_priced, "{configuration}");
    }
}

#[test]
fn a_server_is_free_where_it_is_on_this_machine() {
    for here in ["127.0.0.1:11434", "http://localhost:11434", "0.0.0.0", "[::1]:11434", "http://127.0.0.2"] {
        assert_eq!(price_in(&[("OLLAMA_HOST", here)], "ollama:llama3"), Price::Free, "{here}");
    }
    for elsewhere in ["https://ollama.com", "http://192.168.1.7:11434", "http://localhost.example"] {
        assert_eq!(price_in(&[("OLLAMA_HOST", elsewhere)], "ollama:llama3"), Price::Unknown, "{elsewhere}");
    }
    assert_eq!(price_in(&[], "ollama:gpt-oss:120b-cloud"), Price::Unknown);
    let roster = Roster::new(RosterSettings::default());
    assert_eq!(roster.price("ollama", Some("llama3")), Price::Free);
    assert_eq!(roster.price("ollama", Some("gpt-oss:120b-cloud")), Price::Unknown, "served elsewhere after all");
    let mut settings = RosterSettings::default();
    let own = AgentSettings { base_url: Some("https://gateway.example/v1".to_owned()), ..AgentSettings::default() };
    settings.agents.insert("lmstudio".to_owned(), own);
    assert_eq!(Roster::new(settings).price("lmstudio:m", None), Price::Unknown);
}
