//! Every wire against a real server on loopback: what is sent, what comes back, what is tried again, what a failure is
//! called. What is special to chat completions is in `openai`.

use crate::stage::{call, plan, read};
use forge_agents::{Agent, AgentSettings, Call, Failure, FailureKind, Reply, Roster, RosterSettings, UnknownAgent};
use forge_debate::conclude;
use forge_debate::protocols::judges;
use forge_debate::record::Record;
use forge_testkit::model_server::{Answer, Asked, Ending, ModelServer, Reply as Served};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const KEY: &str = "sk-test-do-not-print-1234567890";
const ALL: [&str; 4] = ["anthropic:m-1", "google:m-1", "resp:m-1", "openai:m-1"];
/// Those that go through the crate.
const OTHERS: [&str; 3] = ["anthropic:m-1", "google:m-1", "resp:m-1"];

fn a_call() -> Call {
    let plan = plan("judges", None, "Redis or Memcached?", &["Redis", "Memcached", "Neither"], 1);
    let turns = BTreeMap::new();
    let pending = conclude(&judges::PROTOCOL, &plan, &mut Record::new(&turns)).unwrap_err();
    call(&plan, &pending.asks[0], &turns)
}

fn settings(server: &ModelServer) -> RosterSettings {
    let mut settings = RosterSettings::with_environment([
        ("ANTHROPIC_BASE_URL", &server.root()),
        ("ANTHROPIC_API_KEY", KEY),
        ("GOOGLE_GEMINI_BASE_URL", &server.root()),
        ("GEMINI_API_KEY", KEY),
        ("OPENAI_BASE_URL", &server.base_url()),
        ("OPENAI_API_KEY", KEY),
        ("RESP_KEY", KEY),
    ]);
    let own = AgentSettings {
        api: Some("openai-responses".to_owned()),
        base_url: Some(server.base_url()),
        key_env: Some("RESP_KEY".to_owned()),
        ..AgentSettings::default()
    };
    settings.agents.insert("resp".to_owned(), own);
    settings
}

fn seated(server: &ModelServer, name: &str) -> Arc<dyn Agent> {
    Roster::new(settings(server)).find(name).unwrap()
}

async fn ask(name: &str, answer: Answer) -> (Result<Reply, Failure>, ModelServer) {
    let server = ModelServer::start(move |_| answer.clone()).unwrap();
    let outcome = seated(&server, name).answer(&a_call()).await;
    let shown = format!("{outcome:?}");
    assert!(!shown.contains(KEY), "{name}: the key is shown: {shown}");
    (outcome, server)
}

async fn told(name: &str, play: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> (String, Reply, ModelServer) {
    let server = ModelServer::start(play).unwrap();
    let reply = seated(&server, name).answer(&a_call()).await.unwrap();
    (String::from_utf8(reply.bytes.clone()).unwrap(), reply, server)
}

#[tokio::test]
async fn every_wire_answers_with_model_usage_and_cache() {
    for name in ALL {
        let served = Served {
            text: "Grüße — ok\n".to_owned(),
            model: Some("m-1-2026".to_owned()),
            tokens: Some((110, 7)),
            cached_tokens: 100,
            ..Served::default()
        };
        let (text, reply, server) = told(name, move |_| Answer::Reply(served.clone())).await;
        let receipt = &reply.receipt;
        assert_eq!(text, "Grüße — ok\n", "{name}");
        assert_eq!(receipt.served.model.as_deref(), Some("m-1-2026"), "{name}");
        assert_eq!((receipt.served.input_tokens, receipt.served.output_tokens), (Some(110), Some(7)), "{name}");
        assert_eq!((receipt.exit, receipt.tries), (Some(200), 1), "{name}");
        assert_eq!(receipt.model_asked.as_deref(), Some("m-1"), "{name}");
        assert!(receipt.notes.is_empty(), "{name}: {:?}", receipt.notes);
        assert!(receipt.program.starts_with(&format!("POST {}/v1", server.root())), "{name}: {}", receipt.program);
        if !name.starts_with("openai") {
            assert_eq!(receipt.served.cached_tokens, Some(100), "{name}");
        }
    }
}

#[tokio::test]
async fn every_wire_carries_brief_model_and_key() {
    let brief = a_call().brief;
    for (name, path, header, key) in [
        ("anthropic:m-1", "/v1/messages", "x-api-key", KEY.to_owned()),
        ("google:m-1", "/v1beta/models/m-1:streamGenerateContent?alt=sse", "x-goog-api-key", KEY.to_owned()),
        ("resp:m-1", "/v1/responses", "authorization", format!("Bearer {KEY}")),
        ("openai:m-1", "/v1/chat/completions", "authorization", format!("Bearer {KEY}")),
    ] {
        let (_, _, server) = told(name, |_| Answer::Text("yes".to_owned())).await;
        let asked = &server.requests()[0];
        assert_eq!(asked.path, path);
        assert_eq!((asked.system.as_str(), asked.user.as_str()), (brief.case.as_str(), brief.task.as_str()), "{name}");
        assert_eq!((asked.model.as_str(), asked.header(header)), ("m-1", Some(key.as_str())), "{name}");
        assert!(asked.wants_stream && asked.tools.is_empty(), "{name}");
        let limits = ["/max_tokens", "/generationConfig/maxOutputTokens", "/max_output_tokens"];
        assert!(limits.iter().any(|limit| asked.body.pointer(limit) == Some(&json!(4_000))), "{name}: {}", asked.body);
        assert_eq!(asked.header("accept-encoding"), None, "{name}");
    }
}

#[tokio::test]
async fn anthropic_is_asked_to_keep_the_case() {
    let (_, _, server) = told("anthropic:m-1", |_| Answer::Text("yes".to_owned())).await;
    let body = &server.requests()[0].body;
    assert_eq!(body["system"][0]["cache_control"]["type"], "ephemeral");
    assert_eq!(body["system"][0]["text"], json!(a_call().brief.case));
    assert_eq!(body["messages"].as_array().unwrap().len(), 1);
    assert!(body["messages"][0].to_string().find("cache_control").is_none(), "the task is another's every time");
}

#[tokio::test]
async fn names_of_models_are_sent_as_they_are() {
    for name in ["anthropic:claude-4-x-high", "google:gem-low", "resp:other::gpt-none"] {
        let (_, _, server) = told(name, |_| Answer::Text("yes".to_owned())).await;
        let asked = &server.requests()[0];
        assert_eq!(Some(asked.model.as_str()), name.split_once(':').map(|(_, model)| model));
        let added =
            ["/output_config", "/thinking", "/reasoning", "/reasoning_effort", "/generationConfig/thinkingConfig"];
        assert!(added.iter().all(|place| asked.body.pointer(place).is_none()), "{name}: {}", asked.body);
    }
}

#[tokio::test]
async fn every_failure_is_called_by_its_kind_on_every_wire() {
    let ends = |ending: Ending| Answer::Reply(Served { text: "so far".to_owned(), ending, ..Served::default() });
    let table = [
        (Answer::WrongKey, FailureKind::NoAuth),
        (Answer::status(403, "not yours"), FailureKind::NoAuth),
        (Answer::status(404, "no such model"), FailureKind::Unreachable),
        (Answer::status(413, "too much"), FailureKind::TooLong),
        (Answer::status(400, "prompt is too long: 9 > 8"), FailureKind::TooLong),
        (Answer::status(400, "something else"), FailureKind::Crashed),
        (Answer::status(302, "elsewhere"), FailureKind::Unreachable),
        (Answer::rate_limited(3_600), FailureKind::RateLimited),
        (ends(Ending::Length), FailureKind::TooLong),
        (Answer::Text("  ".to_owned()), FailureKind::Crashed),
        (Answer::Garbage, FailureKind::Crashed),
    ];
    for name in ALL {
        for (answer, kind) in &table {
            let (outcome, server) = ask(name, answer.clone()).await;
            let failure = outcome.unwrap_err();
            assert_eq!(failure.kind, *kind, "{name} {answer:?}: {}", failure.detail);
            assert_eq!(server.count(), 1, "{name} {answer:?}: {}", failure.detail);
        }
        let refusal = Served { ending: Ending::Refusal("I will not".to_owned()), ..Served::default() };
        let (outcome, _server) = ask(name, Answer::Reply(refusal)).await;
        assert_eq!(outcome.unwrap_err().kind, FailureKind::Refused, "{name}");
    }
}

#[tokio::test]
async fn what_may_pass_is_tried_again_on_every_wire() {
    let half = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"half\"}]}}]}\n\n";
    for name in ALL {
        let (text, reply, server) = told(name, |asked| match asked.number {
            1 => Answer::rate_limited(0),
            2 => {
                let headers = vec![("retry-after".to_owned(), "0".to_owned())];
                Answer::Status { code: 503, headers, message: "oops".to_owned() }
            }
            3 if asked.path.contains("v1beta") => Answer::Raw(half.as_bytes().to_vec()),
            3 => Answer::CutAfter(2),
            _ => Answer::Reply(Served { text: "late".to_owned(), tokens: Some((110, 7)), ..Served::default() }),
        })
        .await;
        assert_eq!((text.as_str(), server.count(), reply.receipt.tries), ("late", 4, 4), "{name}");
        assert_eq!(
            reply.receipt.untold_tries, 1,
            "{name}: what was cut off may have been paid, what was refused was not"
        );
        let notes = &reply.receipt.notes;
        assert!(notes[0].contains("HTTP 429") && notes[1].contains("HTTP 503: oops"), "{name}: {notes:?}");
        assert!(notes[2].contains("cut off"), "{name}: {notes:?}");
    }
}

#[tokio::test]
async fn a_server_that_closes_or_is_not_there_is_told_from_one_that_answers() {
    for name in OTHERS {
        let (text, reply, _server) = told(name, |asked| match asked.number {
            1 => Answer::Close,
            _ => Answer::Text("back".to_owned()),
        })
        .await;
        assert_eq!((text.as_str(), reply.receipt.tries), ("back", 2), "{name}");
        let gone = ModelServer::start(|_| Answer::Close).unwrap();
        let settings = settings(&gone);
        drop(gone);
        let failure = Roster::new(settings).find(name).unwrap().answer(&a_call()).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Unreachable, "{name}: {}", failure.detail);
    }
}

#[tokio::test]
async fn errors_inside_an_answer_are_understood() {
    let overloaded = |wire: &str| match wire {
        "anthropic" => {
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"hot\"}}\n\n"
        }
        "google" => "data: {\"error\":{\"code\":503,\"message\":\"hot\",\"status\":\"UNAVAILABLE\"}}\n\n",
        _ => {
            "event: response.failed\ndata: {\"type\":\"response.failed\",\"response\":{\"id\":\"r\",\"status\":\"failed\",\"model\":\"m\",\"error\":{\"code\":\"server_error\",\"message\":\"hot\"}}}\n\n"
        }
    };
    for name in OTHERS {
        let raw = overloaded(name.split(':').next().unwrap());
        let (text, reply, _server) = told(name, move |asked| match asked.number {
            1 => Answer::Raw(raw.as_bytes().to_vec()),
            _ => Answer::Text("cool".to_owned()),
        })
        .await;
        assert_eq!(text, "cool", "{name}");
        assert!(reply.receipt.notes[0].contains("hot"), "{name}: {:?}", reply.receipt.notes);
    }
}

#[tokio::test]
async fn a_blocked_brief_is_a_refusal() {
    let raw = "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"},\"modelVersion\":\"m-1\"}\n\n";
    let (outcome, server) = ask("google:m-1", Answer::Raw(raw.as_bytes().to_vec())).await;
    let failure = outcome.unwrap_err();
    assert_eq!((failure.kind, server.count()), (FailureKind::Refused, 1), "{}", failure.detail);
    assert!(failure.detail.contains("SAFETY"), "{}", failure.detail);
}

#[tokio::test]
async fn silence_ends_at_the_deadline_and_long_replies_are_cut_on_every_wire() {
    for name in ALL {
        let server = ModelServer::start(|asked| match asked.number {
            1 => Answer::Hang,
            _ => Answer::Text("é".repeat(1_000)),
        })
        .unwrap();
        let agent = seated(&server, name);
        let call = Call { deadline: Duration::from_millis(100), ..a_call() };
        assert_eq!(agent.answer(&call).await.unwrap_err().kind, FailureKind::TimedOut, "{name}");
        let reply = agent.answer(&Call { reply_limit_bytes: 31, ..a_call() }).await.unwrap();
        assert_eq!(String::from_utf8(reply.bytes).unwrap(), "é".repeat(15), "{name}");
        assert!(reply.receipt.notes[0].contains("cut at 31 bytes"), "{name}: {:?}", reply.receipt.notes);
    }
}

#[tokio::test]
async fn addresses_are_shown_without_user_and_query_on_every_wire() {
    for name in OTHERS {
        let server = ModelServer::start(|asked| match asked.number {
            1 => Answer::Text("a".to_owned()),
            2 => Answer::CutAfter(1),
            _ => Answer::Close,
        })
        .unwrap();
        let secret = |address: String| address.replace("http://", "http://user:hunter2@") + "?v=hunter3";
        let mut settings = settings(&server);
        settings.environment.insert("ANTHROPIC_BASE_URL".to_owned(), secret(server.root()));
        settings.environment.insert("GOOGLE_GEMINI_BASE_URL".to_owned(), secret(server.root()));
        settings.agents.entry("resp".to_owned()).or_default().base_url = Some(secret(server.base_url()));
        let agent = Roster::new(settings).find(name).unwrap();
        let reply = agent.answer(&a_call()).await.unwrap();
        let failed = agent.answer(&a_call()).await;
        assert!(server.requests()[0].path.contains("v=hunter3"), "{name}");
        drop(server);
        let gone = agent.answer(&a_call()).await.unwrap_err();
        let shown = format!("{reply:?} {failed:?} {gone:?}");
        assert!(!shown.contains("hunter"), "{name}: {shown}");
    }
}

#[tokio::test]
async fn seats_share_a_lane_by_address_and_key() {
    let server = ModelServer::start(|_| Answer::Text("a".to_owned())).unwrap();
    let mut settings = settings(&server);
    let own = |key: &str| AgentSettings {
        api: Some("openai".to_owned()),
        base_url: Some(server.base_url()),
        key_env: Some(key.to_owned()),
        ..AgentSettings::default()
    };
    settings.environment.insert("OTHER_KEY".to_owned(), "another".to_owned());
    settings.agents.insert("same".to_owned(), own("OPENAI_API_KEY"));
    settings.agents.insert("other".to_owned(), own("OTHER_KEY"));
    let roster = Roster::new(settings);
    let lane = |name: &str| roster.find(name).unwrap().lane().unwrap();
    assert!(Arc::ptr_eq(&lane("openai:a"), &lane("openai:b")));
    assert!(Arc::ptr_eq(&lane("openai:a"), &lane("same:a")));
    assert!(!Arc::ptr_eq(&lane("openai:a"), &lane("other:a")));
    assert!(!Arc::ptr_eq(&lane("openai:a"), &lane("google:a")));
}

#[tokio::test]
async fn one_seats_rate_limit_holds_the_lane() {
    let server = ModelServer::start(|asked| match asked.number {
        1 => Answer::rate_limited(120),
        _ => Answer::Text("a".to_owned()),
    })
    .unwrap();
    let roster = Roster::new(settings(&server));
    let first = roster.find("anthropic:a").unwrap();
    let failure = first.answer(&a_call()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::RateLimited);
    let lane = roster.find("anthropic:b").unwrap().lane().unwrap();
    assert!(lane.held_for() > Duration::from_secs(60), "{:?}", lane.held_for());
    assert!(roster.find("google:b").unwrap().lane().unwrap().held_for().is_zero());
}

fn structured(server: &ModelServer, name: &str) -> Arc<dyn Agent> {
    let kind = name.split(':').next().unwrap();
    let mut settings = settings(server);
    settings.agents.entry(kind.to_owned()).or_default().structured = Some(true);
    Roster::new(settings).find(name).unwrap()
}

/// The schema as each wire carries it.
fn schema(asked: &Asked) -> Option<&Value> {
    [
        "/response_format/json_schema/schema",
        "/output_config/format/schema",
        "/generationConfig/responseJsonSchema",
        "/text/format/schema",
    ]
    .iter()
    .find_map(|place| asked.body.pointer(place))
}

#[tokio::test]
async fn the_form_is_sent_as_a_schema_and_the_object_becomes_a_reply_in_form() {
    let plan = plan("judges", None, "Redis or Memcached?", &["Redis", "Memcached", "Neither"], 1);
    let turns = BTreeMap::new();
    let ask = conclude(&judges::PROTOCOL, &plan, &mut Record::new(&turns)).unwrap_err().asks.remove(0);
    let call = call(&plan, &ask, &turns);
    // What a rehearsal says is in form; the same as an object.
    let rehearsed = Roster::new(RosterSettings::default()).find("rehearsal").unwrap().answer(&call).await.unwrap();
    let rehearsed = String::from_utf8(rehearsed.bytes).unwrap();
    let (text, ballot) = rehearsed.split_once("```json").unwrap();
    let ballot: Value = serde_json::from_str(ballot.trim().trim_end_matches("```")).unwrap();
    let object = json!({ "text": text, "ballot": ballot }).to_string();
    for name in ALL {
        let object = object.clone();
        let server = ModelServer::start(move |_| Answer::Text(object.clone())).unwrap();
        let reply = structured(&server, name).answer(&call).await.unwrap();
        let made = String::from_utf8(reply.bytes).unwrap();
        assert!(read(&plan, &ask, &made).defects.is_empty(), "{name}: {made}");
        assert!(reply.receipt.notes[0].contains("schema"), "{name}: {:?}", reply.receipt.notes);
        let asked = &server.requests()[0];
        let schema = schema(asked).unwrap_or_else(|| panic!("{name}: {}", asked.body));
        assert_eq!(schema["properties"]["text"]["type"], "string", "{name}");
        let fields = schema["properties"]["ballot"]["properties"].as_object().unwrap();
        assert!(call.brief.form.fields.iter().all(|field| fields.contains_key(field.name)), "{name}: {fields:?}");
        assert!(schema.to_string().contains("\"enum\":[\"A\",\"B\",\"C\"]"), "{name}: {schema}");
    }
}

#[tokio::test]
async fn a_server_that_refuses_the_schema_is_asked_plainly_from_then_on() {
    for name in ALL {
        let server = ModelServer::start(|asked| match schema(asked) {
            Some(_) => {
                Answer::status(400, "Invalid parameter: json_schema (response_format, output_config) is not supported")
            }
            None => Answer::Text("plain".to_owned()),
        })
        .unwrap();
        let agent = structured(&server, name);
        let first = agent.answer(&a_call()).await.unwrap();
        let second = agent.answer(&a_call()).await.unwrap();
        assert_eq!((first.receipt.tries, second.receipt.tries), (2, 1), "{name}");
        assert_eq!(first.bytes, b"plain", "{name}");
    }
}

#[tokio::test]
async fn elsewhere_the_form_is_not_sent_as_a_schema() {
    for name in ALL {
        let (_, _, server) = told(name, |_| Answer::Text("yes".to_owned())).await;
        assert_eq!(schema(&server.requests()[0]), None, "{name}");
    }
}

fn error(settings: RosterSettings, name: &str) -> String {
    match Roster::new(settings).find(name) {
        Ok(agent) => panic!("{} was seated", agent.name()),
        Err(error @ UnknownAgent::Settings { .. }) => error.to_string(),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn what_is_missing_is_named_with_what_fixes_it() {
    for (name, key) in [
        ("anthropic:m", "ANTHROPIC_API_KEY"),
        ("google:m", "GEMINI_API_KEY"),
        ("openrouter:m", "OPENROUTER_API_KEY"),
        ("openai:m", "OPENAI_BASE_URL"),
    ] {
        let said = error(RosterSettings::default(), name);
        assert!(said.contains(key), "{said}");
    }
    let own = |own: AgentSettings| {
        let mut settings = RosterSettings::default();
        settings.agents.insert("mine".to_owned(), own);
        settings
    };
    let api = |name: &str| AgentSettings { api: Some(name.to_owned()), ..AgentSettings::default() };
    assert!(error(own(api("smoke")), "mine:m").contains("openai-responses"));
    assert!(error(own(api("openai")), "mine:m").contains("agents.mine.base_url"));
    let there = |name: &str| AgentSettings { base_url: Some("http://127.0.0.1:9/v1".to_owned()), ..api(name) };
    assert!(error(own(there("openai")), "mine").contains("agents.mine.model"));
    let keyed = AgentSettings { key_env: Some("NOT_SET".to_owned()), ..there("openai") };
    assert!(error(own(keyed), "mine:m").contains("NOT_SET"));
}

#[tokio::test]
async fn a_key_may_come_from_a_command() {
    let server = ModelServer::start(|_| Answer::Text("a".to_owned())).unwrap();
    let with = |words: &[&str]| {
        let mut settings = RosterSettings::with_environment([("PATH", "/usr/bin:/bin"), ("HELD", KEY)]);
        let own = AgentSettings {
            api: Some("openai".to_owned()),
            base_url: Some(server.base_url()),
            key_command: Some(words.iter().map(|word| (*word).to_owned()).collect()),
            ..AgentSettings::default()
        };
        settings.agents.insert("mine".to_owned(), own);
        settings
    };
    let roster = Roster::new(with(&["sh", "-c", "echo noise >&2; echo \" $HELD\""]));
    let reply = roster.find("mine:m").unwrap().answer(&a_call()).await.unwrap();
    assert!(!format!("{reply:?} {roster:?}").contains(KEY));
    assert_eq!(server.requests()[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    for (words, why) in [
        (["sh", "-c", "echo $HELD; exit 3"].as_slice(), "agents.mine.key_command: \"sh\" ended with code 3"),
        (&["/nonexistent/program"], "there is no program"),
        (&["true"], "printed no key"),
    ] {
        let roster = Roster::new(with(words));
        let failure = roster.find("mine:m").unwrap().answer(&a_call()).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::NoAuth, "{}", failure.detail);
        assert!(failure.detail.contains(why) && !failure.detail.contains(KEY), "{}", failure.detail);
        let probed = forge_agents::finding::probe::probe(&roster, "mine:m", Duration::from_secs(30)).await;
        assert!(format!("{:?}", probed.result).contains("NoAuth"), "{:?}", probed.result);
        let found = forge_agents::finding::look(roster.settings(), Duration::from_millis(1)).await;
        let found = forge_agents::finding::named(roster.settings(), &found, "mine:m").unwrap();
        let fault = forge_agents::finding::advice::Fault::Plain(FailureKind::NoAuth);
        let advice = forge_agents::finding::advice::remedy(roster.settings(), &found, fault);
        assert_eq!(advice, "correct agents.mine.key_command, or the key that it prints");
    }
    assert_eq!(server.count(), 1);
}

#[tokio::test]
async fn a_command_for_a_key_is_run_by_the_first_call_and_once() {
    let server = ModelServer::start(|_| Answer::Text("a".to_owned())).unwrap();
    let place = tempfile::tempdir().unwrap();
    let count = place.path().join("count");
    let mut settings = RosterSettings::with_environment([("PATH", "/usr/bin:/bin"), ("MINE", "not-this-one")]);
    let script = format!("echo run >> '{}'; echo {KEY}", count.display());
    for name in ["mine", "also"] {
        let own = AgentSettings {
            api: Some("openai".to_owned()),
            base_url: Some(server.base_url()),
            key_command: Some(vec!["sh".to_owned(), "-c".to_owned(), script.clone()]),
            // The command counts where both are set.
            key_env: Some("MINE".to_owned()),
            ..AgentSettings::default()
        };
        settings.agents.insert(name.to_owned(), own);
    }
    let roster = Roster::new(settings);
    let names = ["mine:a", "mine:b", "also:a"];
    let agents = names.map(|name| roster.find(name).unwrap());
    assert!(!count.exists(), "nothing runs while somebody is seated");
    assert!(Arc::ptr_eq(&agents[0].lane().unwrap(), &agents[2].lane().unwrap()));
    let call = a_call();
    let answers = tokio::join!(agents[0].answer(&call), agents[1].answer(&call), agents[2].answer(&call));
    assert!(answers.0.is_ok() && answers.1.is_ok() && answers.2.is_ok(), "{answers:?}");
    let expected = format!("Bearer {KEY}");
    assert!(server.requests().iter().all(|asked| asked.header("authorization") == Some(expected.as_str())));
    assert_eq!(std::fs::read_to_string(&count).unwrap(), "run\n");
}

#[tokio::test]
async fn a_key_that_comes_back_is_blotted_out_on_every_wire() {
    // Not a key by its looks.
    let key = "open sesame, 40 thieves";
    for name in ALL {
        let served =
            Served { text: format!("You sent {key}."), model: Some(format!("m-1 {key}")), ..Served::default() };
        let server = ModelServer::start(move |_| Answer::Reply(served.clone())).unwrap();
        let mut settings = settings(&server);
        for variable in ["ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY", "RESP_KEY"] {
            settings.environment.insert(variable.to_owned(), key.to_owned());
        }
        let reply = Roster::new(settings).find(name).unwrap().answer(&a_call()).await.unwrap();
        assert_eq!(String::from_utf8_lossy(&reply.bytes), "You sent [key removed].", "{name}");
        assert!(!format!("{:?}", reply.receipt).contains(key), "{name}: {:?}", reply.receipt);
    }
}

#[tokio::test]
async fn a_local_server_needs_neither_key_nor_model() {
    let server = ModelServer::start(|_| Answer::Text("a".to_owned())).unwrap();
    let host = server.root().replace("http://", "");
    let roster = Roster::new(RosterSettings::with_environment([("OLLAMA_HOST", host.as_str())]));
    let agent = roster.find("ollama").unwrap();
    let reply = agent.answer(&a_call()).await.unwrap();
    agent.answer(&a_call()).await.unwrap();
    assert_eq!(reply.receipt.model_asked.as_deref(), Some("loopback-1"));
    assert!(reply.receipt.notes[0].contains("loopback-1"), "{:?}", reply.receipt.notes);
    let asked = server.requests();
    let paths: Vec<&str> = asked.iter().map(|asked| asked.path.as_str()).collect();
    assert_eq!(paths, ["/v1/models", "/v1/chat/completions", "/v1/chat/completions"]);
    assert_eq!(asked[1].header("authorization"), None);
}

#[tokio::test]
async fn where_no_model_is_named_the_default_is_asked() {
    let (_, reply, server) = told("anthropic", |_| Answer::Text("yes".to_owned())).await;
    assert_eq!(Some(server.requests()[0].model.as_str()), forge_agents::recipes::default_model("anthropic"));
    assert_eq!(reply.receipt.model_asked.as_deref(), forge_agents::recipes::default_model("anthropic"));
    let mut settings = settings(&server);
    settings.agents.entry("anthropic".to_owned()).or_default().model = Some("mine".to_owned());
    Roster::new(settings).find("anthropic").unwrap().answer(&a_call()).await.unwrap();
    assert_eq!(server.requests()[1].model, "mine");
}

#[tokio::test]
async fn local_servers_are_found_where_they_listen() {
    use forge_agents::api::{local, providers};
    let server = ModelServer::start(|_| Answer::Hang).unwrap();
    let provider = |name: &str| providers::ALL.iter().find(|provider| provider.name == name).unwrap();
    let base = server.base_url();
    let places = [(provider("ollama"), base.as_str()), (provider("lmstudio"), "http://127.0.0.1:1/v1")];
    let found = local::found_at(places, Duration::from_secs(5)).await;
    let expected =
        local::LocalServer { provider: "ollama", base_url: base.clone(), models: vec!["loopback-1".to_owned()] };
    assert_eq!(found, [expected]);
}
