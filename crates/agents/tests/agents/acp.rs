//! Agents of the Agent Client Protocol, as real programs that do what a script says.

use crate::stage;
use forge_agents::keeper::{Keeper, Sandbox};
use forge_agents::{Agent, AgentSettings, Call, Failure, FailureKind, Reply, Roster, RosterSettings, UnknownAgent};
use forge_debate::conclude;
use forge_debate::protocols::judges;
use forge_debate::record::Record;
use forge_testkit::acp_agent::AcpAgent;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Longer than any agent here takes.
const PATIENCE: Duration = Duration::from_secs(60);

struct Scene {
    _folder: tempfile::TempDir,
    agent: AcpAgent,
    settings: RosterSettings,
}

impl Scene {
    /// A scripted agent under this name, and settings in which it is the only program.
    fn of(name: &str, script: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let agent = AcpAgent::install(&folder.path().join("bin"), name, script).unwrap();
        let path = agent.folder().display().to_string();
        let settings = RosterSettings {
            keeper: Some(Keeper { program: env!("CARGO_BIN_EXE_forge-keeper").into() }),
            scratch: vec![folder.path().join("scratch")],
            sandbox: Sandbox::Off,
            ..RosterSettings::with_environment([("PATH", &path), ("SECRET_OF_MINE_KEY", "sesame-sesame")])
        };
        Self { _folder: folder, agent, settings }
    }

    fn seat(&self, name: &str) -> Result<Arc<dyn Agent>, UnknownAgent> {
        Roster::new(self.settings.clone()).find(name)
    }

    /// What the agent answers when it is asked.
    async fn ask(&self, name: &str, call: &Call) -> Result<Reply, Failure> {
        let outcome = self.seat(name).unwrap().answer(call).await;
        self.is_tidy().await;
        outcome
    }

    /// Nothing is left of the call, soon.
    async fn is_tidy(&self) {
        let is_left = || self.settings.scratch[0].read_dir().is_ok_and(|mut left| left.next().is_some());
        for _ in 0..500 {
            if !is_left() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("the scratch folder is left");
    }
}

/// A call with a real brief.
fn call() -> Call {
    let plan = stage::plan("judges", None, "Which @/etc/hostname is it?", &["One", "Two"], 7);
    let turns = BTreeMap::new();
    let ask = conclude(&judges::PROTOCOL, &plan, &mut Record::new(&turns)).unwrap_err().asks.remove(0);
    let mut call = stage::call(&plan, &ask, &turns);
    call.deadline = PATIENCE;
    call
}

async fn of(script: &Value) -> Result<Reply, Failure> {
    Scene::of("agent", script).ask("acp:agent --acp", &call()).await
}

fn said(reply: &Reply) -> &str {
    std::str::from_utf8(&reply.bytes).unwrap()
}

async fn failure(script: &Value) -> Failure {
    let failure = of(script).await.unwrap_err();
    assert!(!failure.detail.is_empty());
    failure
}

#[tokio::test]
async fn an_agent_answers_and_says_what_it_used() {
    let script = json!({ "session/prompt": [
        { "update": { "sessionUpdate": "available_commands_update", "availableCommands": [] } },
        { "update": { "sessionUpdate": "agent_thought_chunk", "content": { "type": "text", "text": "hm" } } },
        { "update": { "sessionUpdate": "something_new", "x": 1 } },
        { "chunk": "An " }, { "chunk": "answer." },
        { "update": { "sessionUpdate": "usage_update", "used": 9, "size": 10, "cost": { "amount": 0.5, "currency": "USD" } } },
        { "result": { "stopReason": "end_turn", "usage": { "inputTokens": 10, "outputTokens": 2, "totalTokens": 12 } } },
    ] });
    let scene = Scene::of("agent", &script);
    let reply = scene.ask("acp:agent --acp -m 'a model'", &call()).await.unwrap();
    assert_eq!(said(&reply), "An answer.");
    let receipt = &reply.receipt;
    assert_eq!(receipt.version.as_deref(), Some("scripted 1.2.3"));
    assert_eq!(receipt.arguments, ["--acp", "-m", "a model"]);
    assert_eq!(receipt.model_asked.as_deref(), Some("a model"));
    assert_eq!((receipt.served.input_tokens, receipt.served.output_tokens), (Some(10), Some(2)));
    assert_eq!(receipt.served.cost_microdollars, Some(500_000));
    assert!(receipt.sandbox.is_some());
    let heard = scene.agent.heard();
    assert_eq!(scene.agent.heard_methods(), ["initialize", "session/new", "session/prompt"]);
    assert_eq!(heard[0]["params"]["protocolVersion"], 1);
    assert_eq!(
        heard[0]["params"]["clientCapabilities"]["fs"],
        json!({ "readTextFile": false, "writeTextFile": false })
    );
    assert_eq!(heard[0]["params"]["clientCapabilities"]["terminal"], false);
    assert_eq!(heard[1]["params"]["mcpServers"], json!([]));
    assert!(Path::new(heard[1]["params"]["cwd"].as_str().unwrap()).is_absolute());
}

#[tokio::test]
async fn paths_in_the_brief_stay_words() {
    let script = json!({ "session/prompt": [{ "echo": true }, { "result": { "stopReason": "end_turn" } }] });
    let scene = Scene::of("agent", &script);
    let call = call();
    let reply = scene.ask("acp:agent", &call).await.unwrap();
    let heard = scene.agent.heard();
    let prompt = heard[2]["params"]["prompt"][0]["text"].as_str().unwrap();
    assert!(!prompt.contains("@/etc"), "{prompt}");
    assert!(!prompt.starts_with('/'));
    assert_eq!(said(&reply), call.brief.text(), "what is said of them is given back as it was");
}

#[tokio::test]
async fn an_agent_sees_nothing_of_the_environment_that_it_is_not_given() {
    let script = json!({ "session/prompt": [{ "environment": true }, { "result": { "stopReason": "end_turn" } }] });
    let mut scene = Scene::of("agent", &script);
    let reply = scene.ask("acp:agent", &call()).await.unwrap();
    assert!(!said(&reply).contains("SECRET_OF_MINE"), "{}", said(&reply));
    #[cfg(target_os = "linux")]
    assert!(said(&reply).contains("FORGE_SEAT="), "{}", said(&reply));
    let settings = AgentSettings { pass_env: vec!["SECRET_OF_MINE_KEY".to_owned()], ..AgentSettings::default() };
    scene.settings.agents.insert("acp".to_owned(), settings);
    let reply = scene.ask("acp:agent", &call()).await.unwrap();
    assert!(said(&reply).contains("SECRET_OF_MINE_KEY=[key removed]"), "{}", said(&reply));
    assert!(!said(&reply).contains("sesame"), "{}", said(&reply));
}

#[tokio::test]
async fn nothing_that_an_agent_asks_for_is_granted() {
    let permission = |options: Value| {
        json!({ "ask": { "method": "session/request_permission", "params": {
        "sessionId": "session-1", "toolCall": { "toolCallId": "t" }, "options": options } } })
    };
    let script = json!({ "session/prompt": [
        permission(json!([
            { "optionId": "y", "name": "Yes", "kind": "allow_once" },
            { "optionId": "yy", "name": "Always", "kind": "allow_always" },
            { "optionId": "n", "name": "No", "kind": "reject_once" },
        ])), { "tell": true }, { "chunk": "\n" },
        permission(json!([{ "optionId": "y", "name": "Yes", "kind": "allow_once" }])), { "tell": true }, { "chunk": "\n" },
        { "ask": { "method": "fs/read_text_file", "params": { "sessionId": "session-1", "path": "/etc/hostname" } } },
        { "tell": true }, { "chunk": "\n" },
        { "ask": { "method": "terminal/create", "params": { "sessionId": "session-1", "command": "id" } } },
        { "tell": true }, { "chunk": "\n" },
        { "ask": { "method": "craft/drainMidTurnQueue", "params": { "sessionId": "session-1" } } }, { "tell": true },
        { "result": { "stopReason": "end_turn" } },
    ] });
    let reply = of(&script).await.unwrap();
    let answers: Vec<Value> = said(&reply).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers[0]["result"]["outcome"], json!({ "outcome": "selected", "optionId": "n" }));
    assert_eq!(answers[1]["result"]["outcome"], json!({ "outcome": "cancelled" }));
    for answer in &answers[2..] {
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
    assert!(reply.receipt.notes.iter().any(|note| note.contains("2 permissions")), "{:?}", reply.receipt.notes);
}

#[tokio::test]
async fn codex_is_put_into_its_read_only_mode_or_not_asked() {
    let session = json!([{ "result": { "sessionId": "session-1", "modes": { "currentModeId": "agent", "availableModes": [
        { "id": "read-only", "name": "Read only" }, { "id": "agent", "name": "Agent" }] } } }]);
    let warning = json!([
        { "chunk": "Model metadata not found." }, { "chunk": "An answer.", "message": "m1" },
        { "result": { "stopReason": "end_turn" } },
    ]);
    let scene = Scene::of("codex-acp", &json!({ "session/new": session, "session/prompt": warning }));
    let reply = scene.ask("acp:codex-acp", &call()).await.unwrap();
    assert_eq!(said(&reply), "An answer.");
    let heard = scene.agent.heard();
    assert_eq!(heard[2]["method"], "session/set_mode");
    assert_eq!(heard[2]["params"], json!({ "sessionId": "session-1", "modeId": "read-only" }));

    let stubborn = json!([{ "error": { "code": -32603, "message": "Internal error" } }]);
    let scene = Scene::of("codex-acp", &json!({ "session/new": session, "session/set_mode": stubborn }));
    let failure = scene.ask("acp:codex-acp", &call()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Crashed);
    assert!(failure.detail.contains("read-only"), "{}", failure.detail);
    assert!(!scene.agent.heard_methods().contains(&"session/prompt".to_owned()));
}

#[tokio::test]
async fn a_turn_that_holds_only_the_programs_own_remarks_is_no_answer() {
    let script = json!({
        "initialize": [{ "result": { "protocolVersion": 1, "agentInfo": { "name": "@agentclientprotocol/codex-acp", "version": "2" } } }],
        "session/prompt": [
            { "chunk": "Warning: Falling back.\n\n" },
            { "update": { "sessionUpdate": "session_info_update", "_meta": { "codex": { "threadStatus": { "type": "systemError" } } } } },
            { "chunk": "exceeded retry limit, last status: 429 Too Many Requests\n\n" },
            { "result": { "stopReason": "end_turn", "usage": null } },
        ],
    });
    let failure = failure(&script).await;
    assert_eq!(failure.kind, FailureKind::RateLimited);
    assert!(failure.detail.contains("exceeded retry limit"), "{}", failure.detail);
}

#[tokio::test]
async fn long_lines_and_stray_lines_are_borne() {
    let script = json!({
        "start": [{ "print": "Loading..." }, { "print": "" }, { "print": "[1, 2]" }, { "complain": "a warning" }],
        "session/prompt": [{ "long": 2_000_000 }, { "print": "{ not json" }, { "chunk": "An answer." }, { "result": { "stopReason": "end_turn" } }],
    });
    let reply = of(&script).await.unwrap();
    assert_eq!(said(&reply), "An answer.");
    assert!(reply.receipt.notes.iter().any(|note| note.starts_with("3 lines")), "{:?}", reply.receipt.notes);
}

#[tokio::test]
async fn every_end_of_a_turn_that_is_no_answer_is_an_absence() {
    for (reason, kind) in [
        ("max_tokens", FailureKind::TooLong),
        ("refusal", FailureKind::Refused),
        ("cancelled", FailureKind::Crashed),
        ("max_turn_requests", FailureKind::Crashed),
        ("because", FailureKind::Unparsable),
    ] {
        let script = json!({ "session/prompt": [{ "chunk": "Half an" }, { "result": { "stopReason": reason } }] });
        assert_eq!(failure(&script).await.kind, kind, "{reason}");
    }
    let nothing = json!({ "session/prompt": [{ "chunk": " \n" }, { "result": { "stopReason": "end_turn" } }] });
    assert_eq!(failure(&nothing).await.kind, FailureKind::Crashed);
}

#[tokio::test]
async fn errors_are_the_absence_that_they_are() {
    for (error, kind) in [
        (json!({ "code": -32000, "message": "Authentication required" }), FailureKind::NoAuth),
        (json!({ "code": 401, "message": "API key not valid" }), FailureKind::NoAuth),
        (
            json!({ "code": -32603, "message": "Internal error", "data": { "details": "401 no such key" } }),
            FailureKind::NoAuth,
        ),
        (
            json!({ "code": -32603, "message": "Internal error", "data": { "details": "429 slow down" } }),
            FailureKind::RateLimited,
        ),
        (json!({ "code": -32603, "message": "Internal error" }), FailureKind::Crashed),
    ] {
        // One agent streams the error's sentence as if the model had said it.
        let script = json!({ "session/prompt": [{ "chunk": "Please run /login" }, { "error": error }] });
        assert_eq!(failure(&script).await.kind, kind, "{error}");
    }
    let login = json!({ "session/new": [{ "error": { "code": -32000, "message": "Authentication required" } }] });
    let failure = failure(&login).await;
    assert_eq!(failure.kind, FailureKind::NoAuth);
    assert!(failure.detail.contains("Log in at the desk"), "{}", failure.detail);
}

#[tokio::test]
async fn an_agent_that_ends_early_has_crashed() {
    for script in [
        json!({ "start": [{ "complain": "no config" }, { "exit": 3 }] }),
        json!({ "session/new": [{ "exit": 0 }] }),
        json!({ "session/prompt": [{ "chunk": "Half an" }, { "exit": 1 }] }),
    ] {
        assert_eq!(failure(&script).await.kind, FailureKind::Crashed, "{script}");
    }
    let failure = failure(&json!({ "start": [{ "complain": "no config" }, { "exit": 3 }] })).await;
    assert_eq!(failure.receipt.exit, Some(3));
    assert!(failure.detail.contains("no config"), "{}", failure.detail);
}

#[tokio::test]
async fn what_is_not_the_protocol_is_said() {
    let garbage = json!({ "start": [{ "print": "usage: agent [options]" }, { "exit": 0 }] });
    let found = failure(&garbage).await;
    assert_eq!(found.kind, FailureKind::Unparsable);
    assert!(found.detail.contains("usage: agent"), "{}", found.detail);
    let flood = json!({ "start": [{ "repeat": 2_000, "actions": [{ "print": "garbage" }] }] });
    assert_eq!(failure(&flood).await.kind, FailureKind::Unparsable);
    let other = json!({ "initialize": [{ "result": { "protocolVersion": 7 } }] });
    let found = failure(&other).await;
    assert_eq!(found.kind, FailureKind::Crashed);
    assert!(found.detail.contains("version 7"), "{}", found.detail);
    let nameless = json!({ "session/new": [{ "result": {} }] });
    assert_eq!(failure(&nameless).await.kind, FailureKind::Unparsable);
}

#[tokio::test]
async fn an_agent_that_never_answers_runs_out_of_time() {
    for method in ["initialize", "session/new"] {
        let mut scene = Scene::of("agent", &json!({ method: [{ "hang": true }] }));
        scene.settings.first_byte = Some(Duration::from_millis(800));
        let failure = scene.ask("acp:agent", &call()).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::TimedOut);
        assert!(failure.detail.contains(method), "{}", failure.detail);
    }
}

#[tokio::test]
async fn an_agent_is_told_to_stop_when_its_time_is_up() {
    let script = json!({ "session/prompt": [
        { "chunk": "Half an" }, { "wait": "session/cancel" },
        { "result": { "stopReason": "cancelled", "usage": { "inputTokens": 5, "outputTokens": 1 } } },
    ] });
    let scene = Scene::of("agent", &script);
    let call = Call { deadline: Duration::from_secs(3), ..call() };
    let failure = scene.ask("acp:agent", &call).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::TimedOut);
    assert_eq!(failure.receipt.served.input_tokens, Some(5), "what it used is known all the same");
    assert!(scene.agent.heard_methods().contains(&"session/cancel".to_owned()));
    let deaf = Scene::of("agent", &json!({ "session/prompt": [{ "hang": true }] }));
    assert_eq!(deaf.ask("acp:agent", &call).await.unwrap_err().kind, FailureKind::TimedOut);
}

#[tokio::test]
async fn an_agent_that_goes_too_far_is_stopped() {
    let permission = json!({ "ask": { "method": "session/request_permission", "params": { "options": [] } } });
    let (tool, unknown) =
        (json!({ "update": { "sessionUpdate": "tool_call" } }), json!({ "ask": { "method": "x/y", "params": {} } }));
    for (action, words) in [
        (tool, "tools"),
        (permission, "permissions"),
        (unknown, "requests"),
        (json!({ "chunk": "x".repeat(10_000) }), "bytes"),
        (json!({ "long": 15_000_000 }), "printed more"),
    ] {
        let script = json!({ "session/prompt": [{ "repeat": 1_000, "actions": [action] }, { "result": { "stopReason": "end_turn" } }] });
        let failure = failure(&script).await;
        assert_eq!(failure.kind, FailureKind::Crashed, "{}", failure.detail);
        assert!(failure.detail.contains(words), "{}", failure.detail);
    }
    let script = json!({ "session/prompt": [
        { "repeat": 60, "actions": [{ "update": { "sessionUpdate": "tool_call" } }] },
        { "wait": "session/cancel" }, { "result": { "stopReason": "cancelled" } },
    ] });
    let scene = Scene::of("agent", &script);
    assert_eq!(scene.ask("acp:agent", &call()).await.unwrap_err().kind, FailureKind::Crashed);
    assert!(scene.agent.heard_methods().contains(&"session/cancel".to_owned()));
}

#[tokio::test]
async fn a_rate_limit_holds_everybody_of_the_same_account() {
    let script = json!({ "session/prompt": [{ "error": { "code": 429, "message": "slow down" } }] });
    for (program, first, second, other) in [
        ("agent", "acp:agent --acp -m one", "acp:agent --acp --model=two", "acp:agent --other"),
        ("gemini", "acp:gemini --acp", "gemini:some-model", "acp:gemini-not --acp"),
    ] {
        let scene = Scene::of(program, &script);
        AcpAgent::install(scene.agent.folder(), "gemini-not", &script).unwrap();
        let roster = Roster::new(scene.settings.clone());
        let lane = |name: &str| roster.find(name).unwrap().lane().unwrap();
        assert!(Arc::ptr_eq(&lane(first), &lane(second)), "{first}, {second}");
        let failure = roster.find(first).unwrap().answer(&call()).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::RateLimited);
        assert!(!lane(second).held_for().is_zero(), "{second}");
        assert!(lane(other).held_for().is_zero(), "{other}");
    }
}

#[tokio::test]
async fn a_key_is_looked_for_where_the_configuration_says() {
    let script = json!({ "session/prompt": [{ "environment": true }, { "result": { "stopReason": "end_turn" } }] });
    let mut scene = Scene::of("agent", &script);
    let own = |variable: Option<&str>, command: Option<Vec<String>>| AgentSettings {
        key_env: variable.map(str::to_owned),
        key_command: command,
        ..AgentSettings::default()
    };
    let mut with = |own: AgentSettings| {
        scene.settings.agents.insert("acp".to_owned(), own);
        Roster::new(scene.settings.clone())
    };
    let roster = with(own(Some("NOT_SET"), None));
    let failure = roster.find("acp:agent").unwrap().answer(&call()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::NoAuth);
    assert!(failure.detail.contains("NOT_SET is not set"), "{}", failure.detail);

    let place = tempfile::tempdir().unwrap();
    let count = place.path().join("count");
    let script = format!("echo run >> '{}'; echo key-of-the-house", count.display());
    let command = ["/bin/sh", "-c", &script].map(str::to_owned).to_vec();
    let problem = with(own(None, Some(command.clone()))).find("acp:agent").err().unwrap().to_string();
    assert!(problem.contains("no key_env"), "{problem}");
    // The command counts where both are there.
    let roster = with(own(Some("SECRET_OF_MINE_KEY"), Some(command)));
    for name in ["acp:agent", "acp:agent", "acp:agent --acp"] {
        let reply = roster.find(name).unwrap().answer(&call()).await.unwrap();
        let given = said(&reply).lines().find(|line| line.starts_with("SECRET_OF_MINE_KEY=")).unwrap().to_owned();
        assert_eq!(given, "SECRET_OF_MINE_KEY=[key removed]");
        assert!(!said(&reply).contains("sesame"), "{}", said(&reply));
    }
    assert_eq!(std::fs::read_to_string(&count).unwrap(), "run\n", "once for the whole roster");
}

/// The rules of the CLI that it brings to the protocol hold for an adapter too.
#[tokio::test]
async fn codex_is_sent_elsewhere_only_with_the_key_that_belongs_there() {
    let session = json!([{ "result": { "sessionId": "session-1", "modes": { "currentModeId": "agent", "availableModes": [
        { "id": "read-only", "name": "Read only" }, { "id": "agent", "name": "Agent" }] } } }]);
    let token = "theirs-0123456789";
    let prompt = json!([
        { "chunk": format!("{token} ") }, { "environment": true },
        { "result": { "stopReason": "end_turn" } },
    ]);
    let mut scene = Scene::of("codex-acp", &json!({ "session/new": session, "session/prompt": prompt }));
    let home = scene.agent.folder().join("home");
    std::fs::create_dir_all(home.join(".codex")).unwrap();
    std::fs::write(home.join(".codex/auth.json"), "{}").unwrap();
    let theirs = format!("model_provider = \"t\"\n[model_providers.t]\nexperimental_bearer_token = \"{token}\"\n");
    std::fs::write(home.join(".codex/config.toml"), theirs).unwrap();
    let set = |settings: &mut RosterSettings, name: &str, value: &str| {
        settings.environment.insert(name.to_owned(), value.to_owned());
    };
    set(&mut scene.settings, "HOME", home.to_str().unwrap());
    set(&mut scene.settings, "OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
    set(&mut scene.settings, "CODEX_API_KEY", "codex-key-0123456789");
    let reply = scene.ask("acp:codex-acp", &call()).await.unwrap();
    assert!(!said(&reply).contains("127.0.0.1:9"), "a key of its maker's was sent elsewhere: {}", said(&reply));
    assert!(!said(&reply).contains(token), "{}", said(&reply));
    scene.settings.environment.remove("CODEX_API_KEY");
    set(&mut scene.settings, "OPENAI_API_KEY", "openai-key-0123456789");
    let reply = scene.ask("acp:codex-acp", &call()).await.unwrap();
    assert!(said(&reply).contains("127.0.0.1:9"), "{}", said(&reply));
}

#[test]
fn a_launchers_flags_are_not_its_agents() {
    let scene = Scene::of("npx", &json!({}));
    for name in ["acp:npx -y @google/gemini-cli --acp", "acp:npx --yes @qwen-code/qwen-code@latest --acp"] {
        assert!(scene.seat(name).is_ok(), "{name}: {:?}", scene.seat(name).err());
    }
    for name in [
        "acp:npx -y @google/gemini-cli --acp -y",
        "acp:npx -y @google/gemini-cli --yolo",
        "acp:npx --yolo @google/gemini-cli",
        "acp:npx -y some-agent --yolo",
    ] {
        let problem = scene.seat(name).err().unwrap().to_string();
        assert!(problem.contains("switch its safety off"), "{problem}");
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_leaves_nothing() {
    let scene = Scene::of("agent", &json!({ "session/prompt": [{ "hang": true }] }));
    let agent = scene.seat("acp:agent").unwrap();
    let call = call();
    assert!(tokio::time::timeout(Duration::from_secs(1), agent.answer(&call)).await.is_err());
    scene.is_tidy().await;
}

#[tokio::test]
async fn an_agent_writes_only_in_its_own_folder() {
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("file");
    let script = json!({ "session/prompt": [
        { "write": "inside" }, { "chunk": "\n" }, { "write": file }, { "result": { "stopReason": "end_turn" } },
    ] });
    let mut scene = Scene::of("agent", &script);
    scene.settings.sandbox = Sandbox::WherePossible;
    let reply = scene.ask("acp:agent", &call()).await.unwrap();
    let sandbox = reply.receipt.sandbox.clone().unwrap();
    assert!(said(&reply).starts_with("written\n"), "{}", said(&reply));
    assert_eq!(file.exists(), !sandbox.starts_with("landlock"), "{sandbox}");
}

#[test]
fn what_cannot_be_seated_is_said() {
    let scene = Scene::of("agent", &json!({}));
    for (name, words) in [
        ("acp:agent 'x", "never closed"),
        ("acp:nobody --acp", "on PATH"),
        ("acp:gemini --acp", "npm install"),
        ("acp:agent --yolo", "allow"),
        ("acp:agent --dangerously-skip-permissions", "allow"),
    ] {
        let problem = scene.seat(name).err().unwrap().to_string();
        assert!(problem.contains(words), "{problem}");
    }
    let mut free = Scene::of("agent", &json!({}));
    free.settings.allow_dangerous = true;
    assert!(free.seat("acp:agent --yolo").is_ok());
    free.settings.keeper = None;
    assert!(free.seat("acp:agent").is_err());
}
