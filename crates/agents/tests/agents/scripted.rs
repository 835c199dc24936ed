//! Scripts answer, change and break replies call by call.

use crate::stage::{call, draft, hold, plan, read};
use forge_agents::{Agent, Call, FailureKind, Roster, RosterSettings, UnknownAgent};
use forge_debate::conclude;
use forge_debate::protocols::judges;
use forge_debate::record::{Ask, Record};
use forge_debate::verdict::Outcome;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

const LABELS: [&str; 3] = ["Redis", "Memcached", "Neither"];

fn seated(script: &str) -> (Arc<dyn Agent>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("script.yaml"), script).unwrap();
    let settings = RosterSettings { workspace: Some(folder.path().to_owned()), ..RosterSettings::default() };
    (Roster::new(settings).find("scripted:script.yaml").unwrap(), folder)
}

/// The opening calls of risk, value and effort.
fn openings() -> (forge_debate::plan::Plan, Vec<(Ask, Call)>) {
    let plan = plan("judges", None, "Redis or Memcached?", &LABELS, 7);
    let turns = BTreeMap::new();
    let pending = conclude(&judges::PROTOCOL, &plan, &mut Record::new(&turns)).unwrap_err();
    let calls = pending.asks.into_iter().map(|ask| (ask.clone(), call(&plan, &ask, &turns))).collect();
    (plan, calls)
}

#[tokio::test]
async fn votes_are_what_the_script_says_and_the_rest_is_in_form() {
    let script = "
replies:
  - {stage: opening, seat: risk, ballot: {option: A}}
  - {stage: opening, seat: value, ballot: {option: B}}
  - {stage: opening, seat: effort, ballot: {option: C}}
  - {stage: challenge, seat: effort, ballot: {option: B, confidence: HIGH}}
  - {stage: challenge, seat: risk, ballot: {option: A}}
  - {stage: challenge, seat: value, ballot: {option: B}}
";
    let (agent, _folder) = seated(script);
    let debate = hold(&plan("judges", None, "Redis or Memcached?", &LABELS, 7), agent.as_ref()).await;
    assert_eq!((debate.verdict.outcome(), debate.verdict.ruling.rounds), (Outcome::Consensus, 2));
    assert_eq!(debate.verdict.options()[0].as_str(), "B");
    assert_eq!(debate.verdict.ruling.changes().len(), 1);
    assert!(debate.replies.iter().all(|(_, reply)| reply.starts_with("*Scripted")));
}

#[tokio::test]
async fn an_empty_script_answers_every_form() {
    let (agent, _folder) = seated("replies: []\n");
    for (protocol, roster) in crate::rehearsal::PROTOCOLS {
        hold(&plan(protocol, roster, "Redis or Memcached?", &LABELS, 2), agent.as_ref()).await;
    }
}

#[tokio::test]
async fn mishaps_happen_as_written() {
    let script = "
replies:
  - {seat: risk, attempt: 1, do: crash, model: m-1, input_tokens: 5, output_tokens: 6}
  - {seat: risk, attempt: 2, do: garbage}
  - {seat: risk, attempt: 3, do: half}
  - {seat: risk, attempt: 4, do: empty}
  - {seat: risk, attempt: 5, do: refuse}
  - {seat: risk, attempt: 6, do: hang}
  - {seat: risk, attempt: 7, say: 'just this', delay_ms: 1}
  - {seat: risk, attempt: 8, delay_ms: 60000}
";
    let (agent, _folder) = seated(script);
    let (_, mut calls) = openings();
    let call = &mut calls[0].1;
    call.deadline = Duration::from_millis(50);
    let mut outcomes = Vec::new();
    for attempt in 1..=9 {
        call.attempt = attempt;
        outcomes.push(agent.answer(call).await);
    }
    let failure = |n: usize| outcomes[n].as_ref().unwrap_err();
    let bytes = |n: usize| outcomes[n].as_ref().unwrap().bytes.clone();
    assert_eq!(failure(0).kind, FailureKind::Crashed);
    let served = &failure(0).receipt.served;
    assert_eq!((served.model.as_deref(), served.input_tokens, served.output_tokens), (Some("m-1"), Some(5), Some(6)));
    assert!(String::from_utf8(bytes(1)).is_err());
    let whole = bytes(8);
    assert_eq!(bytes(2), whole[..whole.len() / 2]);
    assert!(bytes(3).is_empty());
    assert_eq!(failure(4).kind, FailureKind::Refused);
    assert_eq!(failure(5).kind, FailureKind::TimedOut);
    assert_eq!(bytes(6), b"just this");
    assert_eq!(failure(7).kind, FailureKind::TimedOut);
}

#[tokio::test]
async fn a_script_can_leave_the_form_on_purpose() {
    let script = "
replies:
  - {seat: risk, ballot: {option: null, reason: looks good to me}, sections: {Recommendation: null, Assessment: mine, Extra: more}}
";
    let (agent, _folder) = seated(script);
    let (plan, calls) = openings();
    let (ask, call) = &calls[0];
    let text = String::from_utf8(agent.answer(call).await.unwrap().bytes).unwrap();
    let titles: Vec<String> = draft(&text).sections.into_iter().map(|section| section.title).collect();
    assert_eq!(titles, ["Assessment", "What Can Go Wrong", "Extra"]);
    let reading = read(&plan, ask, &text);
    assert!(reading.speech.is_none());
    assert!(reading.lines().iter().any(|line| line.contains("\"option\" is missing")), "{:?}", reading.lines());
    assert!(reading.lines().iter().any(|line| line.contains("says too little of its own")), "{:?}", reading.lines());
}

#[test]
fn a_bad_script_is_refused_when_it_is_seated() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bad.yaml"), "replies:\n  - seet: risk\n").unwrap();
    let settings = RosterSettings { workspace: Some(folder.path().to_owned()), ..RosterSettings::default() };
    let Err(error) = Roster::new(settings).find("scripted:bad.yaml") else { panic!("a bad script was seated") };
    assert!(matches!(&error, UnknownAgent::Script { problem, .. } if problem.line == Some(2)), "{error}");
    assert!(error.to_string().contains("bad.yaml:2: unknown field"), "{error}");
}
