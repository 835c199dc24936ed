//! What is found: keys by their variables, servers by their ports, programs on a search path of the test's own.

use forge_agents::finding::{Access, Found, Kind, ObstacleKind, look};
use forge_agents::{AgentSettings, Roster, RosterSettings};
use forge_testkit::model_server::{Answer, ModelServer};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(5);
const KEY: &str = "sk-never-shown-0123456789";

async fn all(settings: &RosterSettings) -> Vec<Found> {
    look(settings, LIMIT).await
}

async fn one(settings: &RosterSettings, name: &str) -> Found {
    all(settings).await.into_iter().find(|found| found.name == name).unwrap()
}

fn with_agent(mut settings: RosterSettings, name: &str, agent: AgentSettings) -> RosterSettings {
    settings.agents.insert(name.to_owned(), agent);
    settings
}

fn obstacle(found: &Found) -> (ObstacleKind, &str) {
    let obstacle = found.obstacle.as_ref().unwrap();
    assert!(!obstacle.why.is_empty());
    (obstacle.kind, obstacle.fix.as_str())
}

/// A program of that name in a folder.
fn program(folder: &Path, name: &str) {
    let path = folder.join(name);
    fs::write(&path, "#!/bin/sh\nexit 1\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn with_nothing_everything_says_what_helps() {
    let found = all(&RosterSettings::default()).await;
    let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
    for name in
        ["claude", "codex", "gemini", "qwen", "opencode", "anthropic", "openai", "google", "openrouter", "ollama"]
    {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    for one in found.iter().filter(|one| one.kind != Kind::Local) {
        let (_, fix) = obstacle(one);
        let helps = if one.kind == Kind::Cli { "npm install -g " } else { "export " };
        assert!(fix.starts_with(helps), "{one:?}");
    }
}

#[tokio::test]
async fn a_key_makes_its_provider_usable_and_is_never_shown() {
    for (provider, variable, family) in [
        ("anthropic", "ANTHROPIC_API_KEY", "anthropic"),
        ("openai", "OPENAI_API_KEY", "openai"),
        ("google", "GEMINI_API_KEY", "google"),
        ("google", "GOOGLE_API_KEY", "google"),
    ] {
        let settings = RosterSettings::with_environment([(variable, KEY)]);
        let found = all(&settings).await;
        assert!(!format!("{found:?}").contains(KEY));
        assert_eq!(found[0].name, provider, "usable ones come first");
        let model = found[0].model.clone().unwrap();
        assert!(found[0].is_usable() && found[0].kind == Kind::Api);
        assert_eq!(found[0].access, Access::Key(variable.to_owned()));
        assert_eq!(found[0].family.as_deref(), Some(family));
        assert_eq!(found[0].seated_as(), format!("{provider}:{model}"));
        assert!(found[0].about().contains(variable), "{}", found[0].about());
    }
    // A variable that says nothing is none.
    let settings = RosterSettings::with_environment([("OPENAI_API_KEY", "  ")]);
    assert_eq!(obstacle(&one(&settings, "openai").await).0, ObstacleKind::NoAccess);
    // A router serves anybody's models, so somebody has to say which.
    let settings = RosterSettings::with_environment([("OPENROUTER_API_KEY", KEY)]);
    assert_eq!(obstacle(&one(&settings, "openrouter").await).0, ObstacleKind::Ambiguous);
    let settings = with_agent(
        settings,
        "openrouter",
        AgentSettings { model: Some("qwen/qwen3-max".to_owned()), ..AgentSettings::default() },
    );
    let found = one(&settings, "openrouter").await;
    assert_eq!((found.family.as_deref(), found.is_usable()), (Some("alibaba"), true));
}

#[tokio::test]
async fn another_address_is_said_without_what_is_secret_in_it() {
    let address = "https://user:hunter2@gate.example:8443/v1?token=hunter3";
    let settings = RosterSettings::with_environment([("OPENAI_BASE_URL", address), ("OPENAI_API_KEY", KEY)]);
    let found = one(&settings, "openai").await;
    // It need not have OpenAI's models.
    assert_eq!(obstacle(&found).0, ObstacleKind::Ambiguous);
    let there = found.redirected.clone().unwrap();
    assert_eq!((there.host.as_str(), there.by.as_str()), ("gate.example:8443", "OPENAI_BASE_URL"));
    assert!(!format!("{found:?}").contains("hunter"), "{found:?}");
    let mut named = settings.clone();
    named.environment.insert("OPENAI_MODEL".to_owned(), "qwen3-coder".to_owned());
    let found = one(&named, "openai").await;
    assert!(found.is_usable());
    assert_eq!((found.family.as_deref(), found.seated_as().as_str()), (Some("alibaba"), "openai:qwen3-coder"));
    // The maker's own address is no other address.
    let own =
        RosterSettings::with_environment([("OPENAI_BASE_URL", "https://api.openai.com/v1"), ("OPENAI_API_KEY", KEY)]);
    let found = one(&own, "openai").await;
    assert!(found.is_usable() && found.redirected.is_none(), "{found:?}");
}

#[tokio::test]
async fn what_is_switched_off_says_so() {
    let off = AgentSettings { enabled: Some(false), ..AgentSettings::default() };
    let settings = with_agent(RosterSettings::with_environment([("ANTHROPIC_API_KEY", KEY)]), "anthropic", off);
    assert_eq!(obstacle(&one(&settings, "anthropic").await).0, ObstacleKind::Disabled);
}

#[tokio::test]
async fn programs_are_found_on_the_path_that_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let (bin, home) = (folder.path().join("bin"), folder.path().join("home"));
    fs::create_dir_all(home.join(".codex")).unwrap();
    fs::create_dir(&bin).unwrap();
    for name in ["claude", "codex", "gemini", "qwen"] {
        program(&bin, name);
    }
    fs::write(home.join(".codex/auth.json"), "{}").unwrap();
    let (bin, home) = (bin.to_str().unwrap(), home.to_str().unwrap());
    let settings = RosterSettings::with_environment([("PATH", bin), ("HOME", home), ("ANTHROPIC_API_KEY", KEY)]);

    let claude = one(&settings, "claude").await;
    assert!(claude.is_usable(), "{claude:?}");
    assert_eq!(claude.program.as_deref(), Some(Path::new(bin).join("claude").as_path()));
    assert_eq!((claude.family.as_deref(), claude.seated_as().as_str()), (Some("anthropic"), "claude"));

    let codex = one(&settings, "codex").await;
    assert!(matches!(&codex.access, Access::Login(file) if file.ends_with(".codex/auth.json")), "{codex:?}");
    assert!(codex.is_usable());

    let gemini = one(&settings, "gemini").await;
    let (kind, fix) = obstacle(&gemini);
    assert_eq!(kind, ObstacleKind::NoAccess);
    assert!(fix.contains("export GEMINI_API_KEY=") && gemini.is_installed(), "{fix}");

    // A file that nobody may run is no program.
    fs::set_permissions(Path::new(bin).join("claude"), fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(obstacle(&one(&settings, "claude").await).0, ObstacleKind::NotInstalled);
}

#[tokio::test]
async fn codex_is_said_to_be_elsewhere_only_with_the_key_that_belongs_there() {
    let address = ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
    for (key, by) in [("CODEX_API_KEY", None), ("OPENAI_API_KEY", Some("OPENAI_BASE_URL"))] {
        let settings = RosterSettings::with_environment([address, (key, KEY)]);
        let found = one(&settings, "codex").await;
        assert_eq!(found.redirected.as_ref().map(|there| there.by.as_str()), by, "{found:?}");
        let told = AgentSettings { base_url: Some("http://127.0.0.1:8/v1".to_owned()), ..AgentSettings::default() };
        let found = one(&with_agent(settings, "codex", told), "codex").await;
        assert_eq!(found.redirected.unwrap().by, "agents.codex.base_url");
    }
    assert_eq!(one(&RosterSettings::with_environment([address]), "codex").await.redirected, None);
}

#[tokio::test]
async fn qwen_with_a_key_for_openai_alone_is_not_chosen() {
    let folder = tempfile::tempdir().unwrap();
    program(folder.path(), "qwen");
    let path = folder.path().to_str().unwrap();
    let settings = RosterSettings::with_environment([("PATH", path), ("OPENAI_API_KEY", KEY)]);
    let found = one(&settings, "qwen").await;
    let (kind, fix) = obstacle(&found);
    assert_eq!(kind, ObstacleKind::Ambiguous);
    assert!(fix.contains("OPENAI_BASE_URL") && found.is_installed(), "{fix}");

    let mut elsewhere = settings.clone();
    elsewhere.environment.insert("OPENAI_BASE_URL".to_owned(), "http://127.0.0.1:9/v1".to_owned());
    let found = one(&elsewhere, "qwen").await;
    assert!(found.is_usable() && found.family.as_deref() == Some("alibaba"), "{found:?}");
    // What it is told to ask is what it is.
    elsewhere.environment.insert("OPENAI_MODEL".to_owned(), "gpt-5".to_owned());
    let found = one(&elsewhere, "qwen").await;
    assert_eq!((found.family.as_deref(), found.seated_as().as_str()), (Some("openai"), "qwen:gpt-5"));
}

#[tokio::test]
async fn agents_of_the_users_own_say_what_they_lack() {
    let folder = tempfile::tempdir().unwrap();
    program(folder.path(), "answerer");
    let settings = RosterSettings::with_environment([("PATH", folder.path().to_str().unwrap()), ("SET", KEY)]);
    let own = |agent: AgentSettings| with_agent(settings.clone(), "mine", agent);
    let command = |command: &str| AgentSettings { command: Some(command.to_owned()), ..AgentSettings::default() };
    let api = |key: Option<&str>| AgentSettings {
        api: Some("openai".to_owned()),
        base_url: Some("http://gate.example/v1".to_owned()),
        model: Some("glm-5".to_owned()),
        key_env: key.map(str::to_owned),
        ..AgentSettings::default()
    };

    let found = one(&own(command("answerer")), "mine").await;
    assert!(found.is_usable() && found.kind == Kind::Own && found.family.is_none(), "{found:?}");
    let stated = AgentSettings { family: Some("Zhipu".to_owned()), ..command("answerer") };
    assert_eq!(one(&own(stated), "mine").await.family.as_deref(), Some("zhipu"));
    let absent = one(&own(command("not-there")), "mine").await;
    assert_eq!(obstacle(&absent).0, ObstacleKind::NotInstalled);

    let found = one(&own(api(Some("SET"))), "mine").await;
    assert!(found.is_usable(), "{found:?}");
    assert_eq!((found.family.as_deref(), found.vendor.as_str()), (Some("zhipu"), "gate.example"));
    assert!(one(&own(api(None)), "mine").await.is_usable());
    let found = one(&own(api(Some("UNSET"))), "mine").await;
    assert_eq!(obstacle(&found), (ObstacleKind::NoAccess, "export UNSET=..."));
    let nothing = one(&own(AgentSettings::default()), "mine").await;
    assert_eq!(obstacle(&nothing).0, ObstacleKind::Misconfigured);
}

#[tokio::test]
async fn a_server_on_this_machine_is_found_with_a_model_that_talks() {
    let list = |list: &'static str| ModelServer::start_listing(Answer::Raw(list.into())).unwrap();
    let server =
        list("{\"data\": [{\"id\": \"nomic-embed-text\"}, {\"id\": \"llama3.2:3b\"}, {\"id\": \"qwen3:8b\"}]}");
    let address = server.base_url();
    let settings = RosterSettings::with_environment([("OLLAMA_HOST", address.as_str())]);
    let found = one(&settings, "ollama").await;
    assert!(found.is_usable() && found.kind == Kind::Local, "{found:?}");
    assert_eq!((found.seated_as().as_str(), found.family.as_deref()), ("ollama:llama3.2:3b", Some("meta")));
    // Whoever names a model gets that one.
    let model = AgentSettings { model: Some("qwen3:8b".to_owned()), ..AgentSettings::default() };
    assert_eq!(one(&with_agent(settings, "ollama", model), "ollama").await.family.as_deref(), Some("alibaba"));

    for nothing in ["{\"data\": []}", "{\"data\": [{\"id\": \"nomic-embed-text\"}]}"] {
        let server = list(nothing);
        let address = server.base_url();
        let found = one(&RosterSettings::with_environment([("OLLAMA_HOST", address.as_str())]), "ollama").await;
        let (kind, fix) = obstacle(&found);
        assert_eq!(kind, ObstacleKind::Ambiguous);
        assert!(fix.starts_with("ollama pull"), "{fix}");
    }
    // What listens there and is something else is nothing.
    let server = list("<html>");
    let address = server.base_url();
    let found = one(&RosterSettings::with_environment([("OLLAMA_HOST", address.as_str())]), "ollama").await;
    assert_eq!(obstacle(&found), (ObstacleKind::NotInstalled, "ollama serve"));
}

#[tokio::test]
async fn a_server_that_is_silent_is_not_waited_for_for_ever() {
    let server = ModelServer::start_listing(Answer::Hang).unwrap();
    let address = server.base_url();
    let settings = RosterSettings::with_environment([("OLLAMA_HOST", address.as_str())]);
    let found = look(&settings, Duration::from_millis(50)).await;
    let ollama = found.iter().find(|found| found.name == "ollama").unwrap();
    assert_eq!(obstacle(ollama).0, ObstacleKind::NotInstalled);
}

#[tokio::test]
async fn another_machine_is_not_asked_who_it_is() {
    let settings = RosterSettings::with_environment([("OLLAMA_HOST", "far.example:11434")]);
    let found = one(&settings, "ollama").await;
    assert_eq!(obstacle(&found).0, ObstacleKind::Ambiguous);
    assert_eq!(found.vendor, "far.example:11434");
    let model = AgentSettings { model: Some("gemma3".to_owned()), ..AgentSettings::default() };
    let found = one(&with_agent(settings, "ollama", model), "ollama").await;
    assert_eq!((found.is_usable(), found.family.as_deref()), (true, Some("google")));
}

#[tokio::test]
async fn a_key_that_no_program_can_print_is_missing_and_an_odd_model_tells_no_family() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", server.local_addr().unwrap());
    let agent = |model: &str, command: &str| AgentSettings {
        api: Some("openai".to_owned()),
        base_url: Some(address.clone()),
        model: Some(model.to_owned()),
        key_command: Some(vec![command.to_owned(), "show".to_owned()]),
        ..AgentSettings::default()
    };
    let settings = RosterSettings::with_environment([("PATH", "/usr/bin:/bin")]);
    let settings = with_agent(settings, "house", agent("house-2", "no-such-program-here"));
    let settings = with_agent(settings, "gateway", agent("qwen3-coder", "sh"));
    let house = one(&settings, "house").await;
    assert_eq!((obstacle(&house).0, house.family.as_deref()), (ObstacleKind::NoAccess, None), "{house:?}");
    let gateway = one(&settings, "gateway").await;
    assert_eq!((gateway.is_usable(), gateway.family.as_deref()), (true, Some("alibaba")), "{gateway:?}");
}

#[tokio::test]
async fn an_address_of_this_machine_is_tried_before_it_is_called_askable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap();
    let agent = |address: String| AgentSettings {
        api: Some("anthropic".to_owned()),
        base_url: Some(address),
        model: Some("glm-5".to_owned()),
        ..AgentSettings::default()
    };
    let at = |address: String| with_agent(RosterSettings::default(), "mine", agent(address));
    for address in [format!("http://{place}"), format!("http://localhost:{}/v1", place.port())] {
        assert!(one(&at(address.clone()), "mine").await.is_usable(), "{address}");
    }
    drop(listener);
    let found = one(&at(format!("http://user:hunter2@{place}/v1?key=hunter3")), "mine").await;
    assert_eq!(obstacle(&found).0, ObstacleKind::NotInstalled);
    assert_eq!(found.obstacle.as_ref().unwrap().why, format!("nothing answers at {place}"));
    assert!(obstacle(&found).1.contains("agents.mine.base_url") && !format!("{found:?}").contains("hunter"));
    // Whoever is elsewhere is not called: a name that nobody has would fail at once.
    assert!(one(&at("http://nobody.invalid/v1".to_owned()), "mine").await.is_usable());
}

#[tokio::test]
async fn a_makers_model_of_an_unknown_name_is_the_makers_where_the_maker_is_asked() {
    for (provider, variable, address, model, family) in [
        ("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "opus", "anthropic"),
        ("openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "computer-use-preview", "openai"),
        ("google", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "learnlm-2", "google"),
    ] {
        let said = AgentSettings { model: Some(model.to_owned()), ..AgentSettings::default() };
        let settings = with_agent(RosterSettings::with_environment([(variable, KEY)]), provider, said);
        assert_eq!(one(&settings, provider).await.family.as_deref(), Some(family));
        let stated = Roster::new(settings.clone()).stated_family(&format!("{provider}:{model}"));
        assert_eq!(stated.as_deref(), Some(family));
        let mut elsewhere = settings;
        elsewhere.environment.insert(address.to_owned(), "http://127.0.0.1:9/v1".to_owned());
        assert_ne!(one(&elsewhere, provider).await.family.as_deref(), Some(family));
        assert_eq!(Roster::new(elsewhere).stated_family(provider), None);
    }
    let settings = RosterSettings::with_environment([("OPENROUTER_API_KEY", KEY)]);
    assert_eq!(Roster::new(settings).stated_family("openrouter:opus"), None);
}
