//! What each CLI makes of a provider that fails, and the absence that comes of it. All four meet the same fault at once.

use super::Field;
use crate::model::serve_all_wires;
use forge_testkit::model_server::Answer;

const SEATS: [(&str, &str); 4] = [("ceo", "claude"), ("cto", "codex"), ("cfo", "gemini"), ("coo", "qwen")];

/// A board whose four chairs meet a fault, which makes each of them absent in this way; the two others rehearse.
fn all_meet(answer: Answer, timeout: &str, expected: &str) {
    let Some(field) = Field::with(|| serve_all_wires(&[], move |_, _| Some(answer.clone()))) else { return };
    let mut args = vec!["debate", "Build or buy?", "--protocol", "panel", "--roster", "board", "--id", "d1"];
    args.extend(["--agent", "rehearsal", "--option", "Build it", "--option", "Buy it", "--timeout", timeout]);
    let seats: Vec<String> = SEATS.iter().map(|(seat, agent)| format!("{seat}={agent}")).collect();
    args.extend(seats.iter().flat_map(|seat| ["--seat", seat]));
    let done = field.place.forge(&args).code(5).out("INSUFFICIENT");
    let absences = field.verdict()["absences"].as_array().unwrap().clone();
    for (seat, agent) in SEATS {
        let absence = absences.iter().find(|absence| absence["seat"] == seat);
        let absence = absence.unwrap_or_else(|| panic!("{agent} is not absent: {absences:#?}"));
        let kind = absence["kind"].as_str().unwrap();
        assert_eq!(kind, expected, "{agent}: {absence:#?}\n{done}");
        // The reason is a sentence for a person, on one line.
        let detail = absence["detail"].as_str().unwrap_or("");
        assert!(!detail.is_empty() && detail.lines().count() == 1, "{agent}: {absence:#?}");
    }
    field.is_clean(&[&done]);
}

#[test]
fn a_wrong_key_is_no_auth() {
    all_meet(Answer::WrongKey, "60s", "no-auth");
}

#[test]
fn a_429_is_rate_limited() {
    all_meet(Answer::rate_limited(1), "60s", "rate-limited");
}

#[test]
fn a_provider_that_hangs_is_timed_out() {
    all_meet(Answer::Hang, "10s", "timed-out");
}

#[test]
fn an_empty_reply_is_no_turn() {
    all_meet(Answer::Text(String::new()), "60s", "crashed");
}

#[test]
fn garbage_is_no_turn() {
    all_meet(Answer::Garbage, "60s", "crashed");
}
