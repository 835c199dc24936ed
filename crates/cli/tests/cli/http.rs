//! Debates against a model API: a loopback server that answers in form, and every way in which one does not.

use crate::model::{self, Votes, serve};
use crate::place::{Done, Place, front, is_turn};
use forge_testkit::model_server::{Answer, Ending, ModelServer, Reply};
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};

const QUESTION: &str = "Build or buy the billing service?";
const KEY: &str = "sk-test-0123456789abcdefSECRET";
const OPTIONS: [&str; 6] = ["--option", "Build it", "--option", "Buy it", "--option", "Wait"];
const SPLIT: Votes = &[("risk", "C"), ("value", "B"), ("effort", "A")];

fn place(server: &ModelServer) -> Place {
    Place::new().with("OPENAI_BASE_URL", &server.base_url()).with("OPENAI_API_KEY", KEY)
}

fn ask(place: &Place, protocol: &str, more: &[&str]) -> Done {
    let args = ["debate", QUESTION, "--protocol", protocol, "--agent", "openai:gpt-test", "--id", "d1"];
    let family: &[&str] = if protocol == "challenge" { &["--allow-same-family"] } else { &[] };
    let done = place.forge(&[&args[..], family, more].concat());
    keeps_the_key(place, &done);
    done
}

/// The key is in no file and in no output.
fn keeps_the_key(place: &Place, done: &Done) {
    assert!(!done.out.contains("SECRET") && !done.err.contains("SECRET"), "{done}");
    for (file, bytes) in place.tree() {
        assert!(!String::from_utf8_lossy(&bytes).contains("SECRET"), "{file}");
    }
}

fn verdict(place: &Place) -> Value {
    place.json(&place.only(|file| file.ends_with("trail/verdict.json")))
}

/// The receipt of a turn's last attempt.
fn receipt(place: &Place, turn: &str) -> String {
    let replies: Vec<String> =
        place.files().into_iter().filter(|file| file.contains(&format!("replies/{turn}."))).collect();
    place.read(replies.last().unwrap_or_else(|| panic!("no reply of {turn} in {:#?}", place.files())))
}

/// Judges whose `risk` meets with something odd; everybody else answers in form.
fn odd_risk(answer: impl Fn(usize) -> Option<Answer> + Send + Sync + 'static) -> ModelServer {
    let count = AtomicUsize::new(0);
    serve(&[], move |_, asked| (asked.seat == "risk").then(|| count.fetch_add(1, Ordering::SeqCst)).and_then(&answer))
}

#[test]
fn every_protocol_runs_and_every_request_is_counted() {
    for protocol in ["judges", "gate", "panel", "challenge"] {
        for options in [&[][..], &OPTIONS[..]] {
            let server = serve(&[], |_, _| None);
            let place = place(&server);
            let done = ask(&place, protocol, options).code(0);
            assert!(!done.out.contains("REHEARSAL") && !done.err.contains("REHEARSAL"), "{done}");
            assert!(!done.err.contains("missed its form"), "the test's own replies are in form: {done}");
            let verdict = verdict(&place);
            assert_eq!(verdict["rehearsal"], false);
            assert_eq!(verdict["spent"]["calls"], server.total(), "{protocol}: {}", verdict["spent"]);
            assert!(done.out.contains(&format!("{} calls", server.total())), "{done}");
            place.forge(&["verify", "--all"]).code(0).out("1 of 1 debates hold");
            for request in server.requests() {
                assert_eq!(request.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
                assert_eq!(request.model, "gpt-test");
                let briefs: Vec<(String, Vec<u8>)> =
                    place.tree().into_iter().filter(|(file, _)| file.contains("/briefs/")).collect();
                let sent = model::sent(&request);
                assert!(
                    briefs.iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains(&sent)),
                    "a request that is on no brief"
                );
            }
        }
    }
}

#[test]
fn every_token_is_in_the_bill() {
    for options in [&[][..], &OPTIONS[..]] {
        let reply = |text: String| Answer::Reply(Reply { text, tokens: Some((100, 10)), ..Reply::default() });
        let server = serve(&[], move |_, asked| Some(reply(asked.reply(&[]))));
        let place = place(&server);
        ask(&place, "judges", options).code(0);
        let spent = verdict(&place)["spent"].clone();
        let calls = server.total() as u64;
        assert_eq!(spent["input_tokens"], 100 * calls, "options given: {}; {spent}", !options.is_empty());
        assert_eq!(spent["output_tokens"], 10 * calls, "{spent}");
    }
}

#[test]
fn the_model_that_served_is_on_record() {
    let server = serve(&[], |_, asked| {
        let model = Some("gpt-test-2026-01-31".to_owned());
        Some(Answer::Reply(Reply { text: asked.reply(&[]), model, ..Reply::default() }))
    });
    let place = place(&server);
    ask(&place, "judges", &OPTIONS).code(0);
    for turn in verdict(&place)["turns"].as_array().unwrap() {
        assert_eq!(turn["model_served"], "gpt-test-2026-01-31");
        let text = place.read(turn["file"].as_str().unwrap());
        assert!(is_turn(&text));
        assert_eq!(front(&text, "model_asked").as_deref(), Some("gpt-test"));
        assert_eq!(front(&text, "model_served").as_deref(), Some("gpt-test-2026-01-31"));
    }
    place.forge(&["export", "d1", "--format", "md"]).code(0).out("gpt-test-2026-01-31");
}

#[test]
fn another_model_than_asked_for_is_noted() {
    let server = serve(&[], |_, asked| {
        Some(Answer::Reply(Reply { text: asked.reply(&[]), model: Some("mini".to_owned()), ..Reply::default() }))
    });
    let place = place(&server);
    ask(&place, "judges", &OPTIONS).code(0);
    assert!(receipt(&place, "opening-r1-risk").contains("asked for gpt-test, served by mini"));
}

/// One judge is absent: two of two still agree, and the answer says above all that it is degraded.
fn degraded(place: &Place, done: Done, kind: &str) -> Done {
    let done = done.code(0).out("DEGRADED").out("CONSENSUS");
    assert!(done.out.find("DEGRADED") < done.out.find("CONSENSUS"), "{done}");
    let verdict = verdict(place);
    assert_eq!((&verdict["degraded"], &verdict["outcome"]), (&Value::Bool(true), &Value::from("consensus")));
    assert_eq!(verdict["absences"][0]["seat"], "risk", "{}", verdict["absences"]);
    assert_eq!(verdict["absences"][0]["kind"], kind, "{}", verdict["absences"]);
    let turn = place.read("docs/forge/sadd/debate-d1-risk.md");
    assert_eq!(front(&turn, "kind").as_deref(), Some("absence"), "{turn}");
    assert!(turn.contains(kind), "{turn}");
    let result = place.read("docs/forge/sadd/debate-d1-result.yaml");
    assert!(result.contains("degraded: true"), "{result}");
    place.forge(&["debate", "show", "d1"]).code(0).out("DEGRADED");
    place.forge(&["debate", "list"]).code(0).out("degraded");
    done
}

// seed: S3-47, S3-48, S4-49
#[test]
fn a_judge_that_answers_garbage_twice_is_absent() {
    let server = odd_risk(|_| Some(Answer::Text("I had rather talk about the weather.".to_owned())));
    let place = place(&server);
    let done = ask(&place, "judges", &OPTIONS);
    degraded(&place, done, "unparsable");
    assert_eq!(server.total(), 4, "one repair, no more");
    assert_eq!(verdict(&place)["spent"]["calls"], 4);
    let repair = server.requests().into_iter().find(|request| request.user.contains("# Your reply missed its form"));
    let repair = repair.expect("the second ask says what was wrong").user;
    assert!(repair.contains("there is no ballot") && repair.contains("rather talk about the weather"), "{repair}");
}

// seed: S3-47
#[test]
fn a_judge_that_mends_its_reply_speaks() {
    let server = odd_risk(|number| (number == 0).then(|| Answer::Text("```json\n{\"option\": \"A\"".to_owned())));
    let place = place(&server);
    ask(&place, "judges", &OPTIONS).code(0);
    assert_eq!(verdict(&place)["degraded"], false);
    assert_eq!(server.total(), 4);
    assert_eq!(front(&place.read("docs/forge/sadd/debate-d1-risk.md"), "attempts").as_deref(), Some("2"));
}

// seed: S3-45
#[test]
fn a_judge_that_hangs_is_timed_out() {
    let server = odd_risk(|_| Some(Answer::Hang));
    let place = place(&server);
    let done = ask(&place, "judges", &[&OPTIONS[..], &["--timeout", "1s"]].concat());
    degraded(&place, done, "timed-out");
    assert_eq!(server.total(), 3, "nobody is asked again after the deadline");
}

#[test]
fn a_rate_limit_that_ends_is_waited_out() {
    let limited = |after: &str| Answer::Body {
        code: 429,
        headers: vec![("retry-after".to_owned(), after.to_owned())],
        body: "{}".to_owned(),
    };
    let server = odd_risk(move |number| (number == 0).then(|| limited("1")));
    let place = place(&server);
    ask(&place, "judges", &[&OPTIONS[..], &["--timeout", "30s"]].concat()).code(0);
    let verdict = verdict(&place);
    assert_eq!(verdict["degraded"], false);
    let receipt = receipt(&place, "opening-r1-risk");
    assert_eq!(front(&receipt, "tries").as_deref(), Some("2"), "{receipt}");
    assert!(receipt.contains("429") && receipt.contains("tried again after 1."), "{receipt}");
    assert_eq!(server.total(), 4);
    assert_eq!(verdict["spent"]["calls"], 3, "a try that was refused is no call of its own; {}", verdict["spent"]);
}

#[test]
fn a_rate_limit_that_does_not_end_is_an_absence() {
    let server = odd_risk(|_| Some(Answer::error(429, "rate_limit_exceeded", "slow down")));
    let place = place(&server);
    let done = ask(&place, "judges", &[&OPTIONS[..], &["--timeout", "2s"]].concat());
    degraded(&place, done, "rate-limited");
}

// seed: S4-48
#[test]
fn a_refused_key_is_said_and_not_repeated() {
    let server =
        odd_risk(|_| Some(Answer::error(401, "invalid_api_key", &format!("Incorrect API key provided: {KEY}"))));
    let place = place(&server);
    let done =
        ask(&place, "judges", &OPTIONS).err("has no key or login that is accepted: the key is refused, HTTP 401");
    degraded(&place, done, "no-auth");
    place.forge(&["debate", "status", "d1"]).code(0).out("absent: has no key or login that is accepted");
    assert_eq!(server.total(), 3, "a refused key is not tried again");
}

#[test]
fn other_failures_are_absences_of_their_kind() {
    for (name, answer, kind) in [
        ("a filter", Answer::Reply(Reply { ending: Ending::Filter, ..Reply::default() }), "refused"),
        (
            "a refusal",
            Answer::Reply(Reply { ending: Ending::Refusal("I will not.".to_owned()), ..Reply::default() }),
            "refused",
        ),
        (
            "an answer cut at the limit",
            Answer::Reply(Reply { text: "So".to_owned(), ending: Ending::Length, ..Reply::default() }),
            "too-long",
        ),
        ("a context too long", Answer::error(400, "context_length_exceeded", "too long"), "too-long"),
        ("no such model", Answer::error(404, "model_not_found", "no such model"), "unreachable"),
        ("no completion at all", Answer::Garbage, "crashed"),
        ("a body of HTML", Answer::Raw(b"<html>\x1b[31mlogin</html>".to_vec()), "crashed"),
    ] {
        let server = odd_risk(move |_| Some(answer.clone()));
        let place = place(&server);
        let done = ask(&place, "judges", &OPTIONS);
        eprintln!("{name}");
        degraded(&place, done, kind);
    }
}

#[test]
fn broken_answers_are_asked_for_again() {
    for (name, answer) in [
        ("a server that fails", Answer::error(503, "overloaded", "try later")),
        ("a stream that is cut", Answer::CutAfter(2)),
        ("a connection that is closed", Answer::Close),
    ] {
        let server = odd_risk(move |number| (number == 0).then(|| answer.clone()));
        let place = place(&server);
        let done = ask(&place, "judges", &OPTIONS);
        assert_eq!((done.code, server.total()), (0, 4), "{name}: {done}");
        assert_eq!(verdict(&place)["degraded"], false, "{name}");
    }
}

#[test]
fn hostile_words_reach_no_terminal() {
    let hostile = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}reversed\u{200b} \u{9b}31m";
    let server = serve(SPLIT, move |_, asked| {
        Some(Answer::Text(asked.reply(SPLIT).replace("names a ground", &format!("names {hostile} a ground"))))
    });
    let place = place(&server);
    ask(&place, "judges", &OPTIONS).code(4).out("CONTESTED");
    for args in [
        &["debate", "show", "d1"][..],
        &["debate", "status", "d1"],
        &["debate", "list"],
        &["gate", "d1"],
        &["export", "d1"],
        &["export", "d1", "--format", "adr"],
        &["export", "d1", "--format", "yaml"],
    ] {
        place.forge(args);
    }
}

// seed: S3-49
#[test]
fn two_absent_judges_are_too_few() {
    let server = serve(&[], |_, asked| (asked.seat != "effort").then_some(Answer::Hang));
    let place = place(&server);
    let done = ask(&place, "judges", &[&OPTIONS[..], &["--timeout", "1s"]].concat())
        .code(5)
        .out("INSUFFICIENT")
        .out("--retry-absent");
    assert_eq!(done.out.matches("DEGRADED").count(), 2, "{done}");
    let verdict = verdict(&place);
    assert_eq!((&verdict["outcome"], &verdict["degraded"]), (&Value::from("insufficient"), &Value::Bool(true)));
    assert_eq!(verdict["decided"], Value::Array(Vec::new()), "a verdict is never invented");
    place.forge(&["debate", "show", "d1"]).code(5);
    place.forge(&["gate", "d1"]).code(3).out("BLOCKED");
}

#[test]
fn absent_seats_can_be_asked_again() {
    let broken = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let switch = std::sync::Arc::clone(&broken);
    let server = serve(&[], move |_, asked| {
        (asked.seat != "effort" && switch.load(Ordering::SeqCst)).then(|| Answer::error(401, "invalid_api_key", "no"))
    });
    let place = place(&server);
    ask(&place, "judges", &OPTIONS).code(5);
    let before = server.total();
    ask(&place, "judges", &OPTIONS).code(5);
    assert_eq!(server.total(), before, "an absence is a fact; the same command asks nobody");
    broken.store(false, Ordering::SeqCst);
    place.forge(&["debate", "run", "d1", "--retry-absent"]).code(0).out("CONSENSUS");
    assert_eq!(server.total(), before + 2, "only those who were absent");
    assert_eq!(verdict(&place)["spent"]["calls"], server.total());
}

#[test]
fn a_gate_needs_every_role() {
    let server = serve(&[], |_, asked| (asked.seat == "skeptic").then(|| Answer::error(401, "invalid_api_key", "no")));
    let place = place(&server);
    ask(&place, "gate", &OPTIONS).code(5).out("INSUFFICIENT").out("skeptic");
    assert_eq!(server.total(), 3, "no synthesis of an incomplete debate");
}

// seed: S4-51
#[test]
fn nobody_answers() {
    for protocol in ["judges", "gate", "panel", "challenge"] {
        let server = serve(&[], |_, _| Some(Answer::error(401, "invalid_api_key", "no")));
        let place = place(&server);
        ask(&place, protocol, &OPTIONS).code(5).out("INSUFFICIENT").out("is not logged in");
    }
}

#[test]
fn a_framer_that_cannot_answer_says_why() {
    let broken = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let switch = std::sync::Arc::clone(&broken);
    let server =
        serve(&[], move |_, _| switch.load(Ordering::SeqCst).then(|| Answer::error(401, "invalid_api_key", "no")));
    let place = place(&server);
    let done = ask(&place, "judges", &[]);
    assert!(matches!(done.code, 3 | 5), "{done}");
    broken.store(false, Ordering::SeqCst);
    place.forge(&["debate", "run", "d1", "--retry-absent"]).code(0).out("CONSENSUS");
    let told = ["the framer has no key or login that is accepted: ", "the key is refused", "--retry-absent"];
    let told = told.into_iter().all(|words| done.out.contains(words));
    assert!(told, "standard output tells neither that the key was refused nor how to ask again: {done}");
}

#[test]
fn nobody_is_there() {
    let place = Place::new().with("OPENAI_BASE_URL", "http://127.0.0.1:1/v1");
    let done = ask(&place, "judges", &OPTIONS).code(5);
    assert_eq!(verdict(&place)["absences"][0]["kind"], "unreachable", "{done}");
}

#[test]
fn without_a_key_the_real_address_is_not_asked() {
    let place = Place::new();
    ask(&place, "judges", &OPTIONS).code(2).err("OPENAI_API_KEY").err("OPENAI_BASE_URL");
    assert!(place.files().iter().all(|file| file.starts_with(".claude/")), "{:?}", place.files());
    let place = Place::new().with("OPENAI_BASE_URL", "ftp://example");
    ask(&place, "judges", &OPTIONS).code(2).err("http://");
}

#[test]
fn caps_hold_and_are_named() {
    for protocol in ["judges", "gate", "panel", "challenge"] {
        let server = serve(SPLIT, |_, _| None);
        let place = place(&server);
        let done = ask(&place, protocol, &[&OPTIONS[..], &["--max-calls", "2"]].concat()).code(5).out("DEGRADED");
        assert!(done.out.contains("--max-calls"), "{done}");
        assert_eq!(server.total(), 2, "{protocol}");
        ask(&place, protocol, &[&OPTIONS[..], &["--max-calls", "2"]].concat()).code(5);
        assert_eq!(server.total(), 2, "{protocol}: and they still hold in the next run");
    }
    let server = serve(&[], |_, _| None);
    let place = place(&server);
    ask(&place, "judges", &[&OPTIONS[..], &["--max-tokens", "100"]].concat()).code(5).out("--max-tokens");
    assert_eq!(server.total(), 0);
}

#[test]
fn seats_may_be_moved_by_different_agents() {
    let server = serve(&[], |_, _| None);
    let place = place(&server);
    let done =
        ask(&place, "judges", &[&OPTIONS[..], &["--seat", "risk=rehearsal", "--seat", "value=openai:other"]].concat());
    assert!(matches!(done.code, 0 | 4), "{done}");
    assert!(done.out.contains("REHEARSAL"), "one rehearsed seat makes a rehearsal: {done}");
    let models: Vec<String> = server.requests().iter().map(|request| request.model.clone()).collect();
    assert!(models.contains(&"other".to_owned()) && models.contains(&"gpt-test".to_owned()), "{models:?}");
}

#[test]
fn one_model_family_may_not_fill_a_challenge_unnoticed() {
    let server = serve(&[], |_, _| None);
    let place = place(&server);
    let args = ["debate", QUESTION, "--protocol", "challenge", "--agent", "openai:gpt-test", "--id", "d1"];
    place.forge(&[&args[..], &OPTIONS].concat()).code(2).err("--allow-same-family");
    assert_eq!(server.total(), 0);
    let other = ["--seat", "adversary=openai:qwen-test"];
    place.forge(&[&args[..], &OPTIONS, &other].concat()).code(0);
    let done = ask(&Place::new().with("OPENAI_BASE_URL", &server.base_url()), "challenge", &OPTIONS).code(0);
    assert!(done.out.contains("one model family"), "the verdict says so: {done}");
}
