//! Model APIs against a real server on loopback: what comes back, what is tried again, what a failure is called.

use crate::stage::{call, plan};
use forge_agents::{Agent, Call, Failure, FailureKind, Reply, Roster, RosterSettings};
use forge_debate::conclude;
use forge_debate::protocols::judges;
use forge_debate::record::Record;
use forge_testkit::model_server::{self, Answer, Asked, Ending, ModelServer};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const KEY: &str = "sk-test-do-not-print-1234567890";

fn a_call() -> Call {
    let plan = plan("judges", None, "Redis or Memcached?", &["Redis", "Memcached", "Neither"], 1);
    let turns = BTreeMap::new();
    let pending = conclude(&judges::PROTOCOL, &plan, &mut Record::new(&turns)).unwrap_err();
    call(&plan, &pending.asks[0], &turns)
}

fn seated(server: &ModelServer) -> Arc<dyn Agent> {
    let settings = RosterSettings::with_environment([("OPENAI_BASE_URL", &server.base_url()), ("OPENAI_API_KEY", KEY)]);
    Roster::new(settings).find("openai:test-model").unwrap()
}

async fn ask(play: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> (Result<Reply, Failure>, ModelServer) {
    let server = ModelServer::start(play).unwrap();
    let outcome = seated(&server).answer(&a_call()).await;
    let shown = format!("{outcome:?}");
    assert!(!shown.contains(KEY), "the key is shown: {shown}");
    (outcome, server)
}

async fn failure(play: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> (Failure, ModelServer) {
    let (outcome, server) = ask(play).await;
    (outcome.unwrap_err(), server)
}

async fn text(play: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> (String, Reply, ModelServer) {
    let (outcome, server) = ask(play).await;
    let reply = outcome.unwrap();
    (String::from_utf8(reply.bytes.clone()).unwrap(), reply, server)
}

fn refused(code: u16, headers: &[(&str, &str)], body: &str) -> Answer {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Answer::Body { code, headers, body: body.to_owned() }
}

#[tokio::test]
async fn a_streamed_answer_with_model_and_usage() {
    let (text, reply, server) = text(|_| {
        Answer::Reply(model_server::Reply {
            text: "Grüße — ok".to_owned(),
            model: Some("test-model-2026".to_owned()),
            tokens: Some((11, 7)),
            ..model_server::Reply::default()
        })
    })
    .await;
    assert_eq!(text, "Grüße — ok");
    let receipt = &reply.receipt;
    assert_eq!(receipt.program, format!("POST {}/chat/completions", server.base_url()));
    assert_eq!(receipt.model_asked.as_deref(), Some("test-model"));
    assert_eq!(receipt.served.model.as_deref(), Some("test-model-2026"));
    assert_eq!((receipt.served.input_tokens, receipt.served.output_tokens), (Some(11), Some(7)));
    assert_eq!((receipt.exit, receipt.tries), (Some(200), 1));
    assert!(receipt.notes.is_empty(), "{:?}", receipt.notes);
}

#[tokio::test]
async fn the_request_carries_brief_model_and_key() {
    let (_, _, server) = text(|_| Answer::Text("yes".to_owned())).await;
    let requests = server.requests();
    let request = &requests[0];
    let brief = a_call().brief;
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/chat/completions"));
    assert_eq!(request.model, "test-model");
    assert_eq!(request.system, brief.case);
    assert_eq!(request.user, brief.task);
    assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(request.body["stream"], true);
    assert_eq!(request.body["stream_options"]["include_usage"], true);
    assert_eq!(request.body["max_tokens"], 4_000);
}

#[tokio::test]
async fn a_stream_in_pieces_is_put_together() {
    let pieces: Vec<String> = ["One ", "two\n", "", "thrée."].map(str::to_owned).into();
    let (text, ..) = text(move |_| Answer::Stream { pieces: pieces.clone(), delay: Duration::from_millis(1) }).await;
    assert_eq!(text, "One two\nthrée.");
}

#[tokio::test]
async fn a_server_that_ignores_stream_is_understood() {
    let reply =
        model_server::Reply { text: "whole".to_owned(), tokens: Some((3, 1)), ..model_server::Reply::default() };
    let (text, reply, _server) = text(move |_| Answer::Whole(reply.clone())).await;
    assert_eq!(text, "whole");
    assert_eq!(reply.receipt.served.input_tokens, Some(3));
}

#[tokio::test]
async fn a_refused_key_is_no_auth_and_stays_hidden() {
    let (failure, server) =
        failure(|_| Answer::error(401, "invalid_api_key", &format!("Incorrect API key: {KEY}"))).await;
    assert_eq!(failure.kind, FailureKind::NoAuth);
    assert!(failure.detail.contains("[key removed]"), "{}", failure.detail);
    assert_eq!((server.total(), failure.receipt.exit), (1, Some(401)));
}

#[tokio::test]
async fn a_rate_limit_is_waited_out() {
    let (text, reply, server) = text(|request| match request.number {
        1 => refused(429, &[("retry-after", "0")], "{}"),
        2 => refused(429, &[("retry-after-ms", "5")], "slow down"),
        _ => Answer::Text("late".to_owned()),
    })
    .await;
    assert_eq!((text.as_str(), server.total(), reply.receipt.tries), ("late", 3, 3));
    assert_eq!(reply.receipt.notes.len(), 2, "{:?}", reply.receipt.notes);
    assert!(reply.receipt.notes[1].contains("slow down"));
}

#[tokio::test]
async fn a_rate_limit_past_the_deadline_is_not_waited_for() {
    let (failure, server) = failure(|_| refused(429, &[("retry-after", "3600")], "{}")).await;
    assert_eq!((failure.kind, server.total()), (FailureKind::RateLimited, 1));
    assert!(failure.detail.contains("deadline"), "{}", failure.detail);
}

#[tokio::test]
async fn a_used_up_quota_is_not_tried_again() {
    let (failure, server) = failure(|_| Answer::error(429, "insufficient_quota", "pay first")).await;
    assert_eq!((failure.kind, server.total()), (FailureKind::RateLimited, 1));
}

#[tokio::test]
async fn a_failing_server_is_tried_again() {
    let (text, reply, _server) = text(|request| match request.number {
        1 => refused(500, &[("retry-after", "0")], "oops"),
        2 => Answer::Close,
        _ => Answer::Text("third time".to_owned()),
    })
    .await;
    assert_eq!((text.as_str(), reply.receipt.tries), ("third time", 3));
    assert!(reply.receipt.notes[0].contains("HTTP 500: oops"), "{:?}", reply.receipt.notes);
}

#[tokio::test]
async fn a_server_that_keeps_failing_crashed() {
    let (failure, server) = failure(|_| refused(503, &[("retry-after", "0")], "down")).await;
    assert_eq!(failure.kind, FailureKind::Crashed);
    assert_eq!(failure.detail, "HTTP 503: down");
    assert!(server.total() > 1);
}

#[tokio::test]
async fn a_cut_stream_is_tried_again() {
    let (text, reply, _server) = text(|request| match request.number {
        1 => Answer::CutAfter(2),
        _ => Answer::Text("whole".to_owned()),
    })
    .await;
    assert_eq!((text.as_str(), reply.receipt.tries), ("whole", 2));
    assert!(reply.receipt.notes[0].contains("cut off"), "{:?}", reply.receipt.notes);
}

#[tokio::test]
async fn silence_ends_at_the_deadline() {
    let server = ModelServer::start(|request| match request.model.as_str() {
        "m" => Answer::Hang,
        _ => Answer::Stream { pieces: vec!["on ".to_owned(); 10_000], delay: Duration::from_millis(5) },
    })
    .unwrap();
    let settings = RosterSettings::with_environment([("OPENAI_BASE_URL", &server.base_url())]);
    let roster = Roster::new(settings);
    for (name, deadline_ms, served) in [("openai:m", 100, None), ("openai:slow", 4_000, Some("slow"))] {
        let call = Call { deadline: Duration::from_millis(deadline_ms), ..a_call() };
        let failure = roster.find(name).unwrap().answer(&call).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::TimedOut);
        assert_eq!(failure.receipt.served.model.as_deref(), served);
        assert_eq!(failure.receipt.untold_tries, 1, "{name} was under way");
    }
    assert_eq!(server.requests()[0].header("authorization"), None);
}

#[tokio::test]
async fn garbage_is_a_crash() {
    let (failure, server) = failure(|_| Answer::Garbage).await;
    assert_eq!((failure.kind, server.total()), (FailureKind::Crashed, 1));
}

#[tokio::test]
async fn ends_are_called_by_their_kind() {
    let reply = |ending: Ending, text: &str| model_server::Reply {
        text: text.to_owned(),
        ending,
        ..model_server::Reply::default()
    };
    let refusal = || reply(Ending::Refusal("I will not".to_owned()), "");
    let table = [
        (Answer::Reply(reply(Ending::Length, "half an ans")), FailureKind::TooLong),
        (Answer::Reply(reply(Ending::Filter, "so")), FailureKind::Refused),
        (Answer::Whole(refusal()), FailureKind::Refused),
        (Answer::Reply(refusal()), FailureKind::Refused),
        (Answer::Reply(reply(Ending::Done, "  \n")), FailureKind::Crashed),
        (Answer::error(404, "model_not_found", "no test-model here"), FailureKind::Unreachable),
        (refused(404, &[], "nothing here"), FailureKind::Unreachable),
        (refused(302, &[("location", "http://elsewhere")], ""), FailureKind::Unreachable),
        (Answer::error(400, "context_length_exceeded", "too many"), FailureKind::TooLong),
        (refused(400, &[], r#"{"message": "exceeds the maximum context length"}"#), FailureKind::TooLong),
        (Answer::error(400, "content_filter", "no"), FailureKind::Refused),
        (Answer::error(400, "whatever", "bad request"), FailureKind::Crashed),
        (refused(403, &[], ""), FailureKind::NoAuth),
    ];
    for (answer, kind) in table {
        let shown = format!("{answer:?}");
        let (failure, server) = failure(move |_| answer.clone()).await;
        assert_eq!(failure.kind, kind, "{shown}: {}", failure.detail);
        assert_eq!(server.total(), 1, "{shown}");
    }
}

#[tokio::test]
async fn an_error_inside_a_stream_is_tried_again() {
    let body = json!({ "error": { "message": "overheated", "code": "server_error" } });
    let (text, reply, _server) = text(move |request| match request.number {
        1 => Answer::Raw(format!(": wait\n\ndata: {body}\n\n").into_bytes()),
        _ => Answer::Text("cool".to_owned()),
    })
    .await;
    assert_eq!(text, "cool");
    assert!(reply.receipt.notes[0].contains("overheated"));
}

#[tokio::test]
async fn unknown_parameters_are_said_differently_and_remembered() {
    let server = ModelServer::start(|request| {
        let unknown = ["max_tokens", "stream_options"].into_iter().find(|name| request.body.get(name).is_some());
        match unknown {
            Some(name) => {
                let error = json!({ "error": { "message": "no", "code": "unsupported_parameter", "param": name } });
                Answer::Body { code: 400, headers: Vec::new(), body: error.to_string() }
            }
            None => Answer::Text("fine".to_owned()),
        }
    })
    .unwrap();
    let agent = seated(&server);
    let first = agent.answer(&a_call()).await.unwrap();
    let second = agent.answer(&a_call()).await.unwrap();
    assert_eq!((first.receipt.tries, second.receipt.tries), (3, 1));
    assert_eq!(server.requests()[2].body["max_completion_tokens"], 4_000);
}

#[tokio::test]
async fn a_reply_past_its_limit_is_cut() {
    let server = ModelServer::start(|_| Answer::Text("é".repeat(100))).unwrap();
    let call = Call { reply_limit_bytes: 31, ..a_call() };
    let reply = seated(&server).answer(&call).await.unwrap();
    assert_eq!(String::from_utf8(reply.bytes).unwrap(), "é".repeat(15));
    assert!(reply.receipt.notes[0].contains("cut at 31 bytes"), "{:?}", reply.receipt.notes);
}

/// Neither an event nor an error's body without an end is kept for longer than it could be an answer.
#[tokio::test]
async fn what_never_ends_is_given_up_long_before_the_deadline() {
    for (code, words) in [(200, "bytes came for one answer"), (400, "the provider refused the request, HTTP 400: ")] {
        let (failure, server) = failure(move |_| Answer::Flood(code)).await;
        assert_eq!((failure.kind, server.total()), (FailureKind::Crashed, 1), "{}", failure.detail);
        assert!(failure.detail.contains(words) && failure.detail.len() < 1_000, "{}", failure.detail);
    }
}

#[tokio::test]
async fn nobody_there_is_unreachable() {
    let base = ModelServer::start(|_| Answer::Close).unwrap().base_url();
    let settings = RosterSettings::with_environment([("OPENAI_BASE_URL", &base)]);
    let failure = Roster::new(settings).find("openai:m").unwrap().answer(&a_call()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    assert!(failure.receipt.tries > 1);
}

#[tokio::test]
async fn a_wrong_model_is_noted() {
    let (_, reply, _server) = text(|_| {
        Answer::Reply(model_server::Reply {
            text: "a".to_owned(),
            model: Some("other".to_owned()),
            ..model_server::Reply::default()
        })
    })
    .await;
    assert_eq!(reply.receipt.notes, ["asked for test-model, served by other"]);
}

#[tokio::test]
async fn addresses_are_shown_without_user_and_query() {
    let server = ModelServer::start(|_| Answer::Text("a".to_owned())).unwrap();
    let base = server.base_url().replace("http://", "http://user:hunter2@") + "?api-version=hunter3";
    let settings = RosterSettings::with_environment([("OPENAI_BASE_URL", &base)]);
    let reply = Roster::new(settings).find("openai:m").unwrap().answer(&a_call()).await.unwrap();
    assert!(!format!("{reply:?}").contains("hunter"), "{reply:?}");
    assert_eq!(server.requests()[0].path, "/v1/chat/completions?api-version=hunter3");
}

#[tokio::test]
async fn calls_share_a_connection() {
    let server = ModelServer::start(|_| Answer::Text("a".to_owned())).unwrap();
    let agent = seated(&server);
    for _ in 0..20 {
        agent.answer(&a_call()).await.unwrap();
    }
    assert_eq!((server.total(), server.connections()), (20, 1));
}
