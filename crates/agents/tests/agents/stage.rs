//! Runs whole debates with one agent in memory, and takes replies apart the way the engine will.

use forge_agents::{Agent, Call};
use forge_debate::brief::{self, Brief};
use forge_debate::conclude;
use forge_debate::datum::{Datum, Fields};
use forge_debate::form::{Draft, REPLY_LIMIT_BYTES, Writer};
use forge_debate::plan::{Choice, Demands, Families, Hand, Limits, Naming, Plan, Seat, letter};
use forge_debate::protocols;
use forge_debate::reading::Reading;
use forge_debate::record::{Ask, Record};
use forge_debate::texts::Texts;
use forge_debate::turn::{Contribution, Section, Turn, TurnKey};
use forge_debate::verdict::Verdict;
use forge_debate::voting::Threshold;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

/// A debate that would need more passes than this does not end.
const PASSES: usize = 100;

/// A sound plan with these labels as options.
pub(crate) fn plan(protocol: &str, roster: Option<&str>, question: &str, labels: &[&str], seed: u64) -> Plan {
    let rules = protocols::newest(protocol).unwrap();
    let hand = Hand::Agent("rehearsal".to_owned());
    let seats = rules.profile.seats(roster, question).unwrap();
    Plan {
        id: format!("trial-{seed}"),
        protocol: &rules.profile,
        question: question.to_owned(),
        options: labels
            .iter()
            .enumerate()
            .map(|(i, label)| Choice { id: letter(i), label: (*label).to_owned(), description: String::new() })
            .collect(),
        materials: Vec::new(),
        seats: seats.iter().map(|spec| Seat::new(spec, hand.clone())).collect(),
        limits: Limits {
            rounds: rules.profile.rounds.default,
            threshold: Threshold::TWO_THIRDS,
            min_rounds: 1,
            timeout_seconds: 60,
            max_calls: None,
            max_tokens: None,
            max_cost: None,
            min_challengers: 1,
        },
        seed,
        naming: Naming::Anonymous,
        families: Families::MustDiffer,
        demands: Demands::default(),
        place: "docs/forge/debate".to_owned(),
        phase: "adhoc".to_owned(),
        roster: roster.map(str::to_owned),
        synthesizer: None,
        at_stake: Vec::new(),
        created_at: String::new(),
    }
}

/// The call that the engine would make for an ask.
pub(crate) fn call(plan: &Plan, ask: &Ask, turns: &BTreeMap<TurnKey, Turn>) -> Call {
    let brief: Brief = brief::render(plan, ask, turns, &Texts::embedded()).unwrap();
    Call {
        brief,
        attempt: 1,
        is_repair: false,
        deadline: Duration::from_secs(5),
        reply_limit_bytes: REPLY_LIMIT_BYTES,
        max_output_tokens: 4_000,
        persona: None,
    }
}

/// A debate that has ended.
pub(crate) struct Debate {
    /// How it ended.
    pub(crate) verdict: Verdict,
    /// Every reply in order, with the brief that it answers.
    pub(crate) replies: Vec<(Brief, String)>,
    /// Every turn.
    pub(crate) turns: BTreeMap<TurnKey, Turn>,
}

/// Holds a debate to its end; every reply must be in form without a single defect.
pub(crate) async fn hold(plan: &Plan, agent: &dyn Agent) -> Debate {
    let rules = protocols::newest(plan.protocol.name).unwrap();
    let mut turns: BTreeMap<TurnKey, Turn> = BTreeMap::new();
    let mut replies = Vec::new();
    for _ in 0..PASSES {
        let asks = match conclude(rules, plan, &mut Record::new(&turns)) {
            Ok(verdict) => return Debate { verdict, replies, turns },
            Err(pending) => pending.asks,
        };
        let mut wave = Vec::new();
        for ask in asks {
            let call = call(plan, &ask, &turns);
            let reply = String::from_utf8(agent.answer(&call).await.unwrap().bytes).unwrap();
            let reading = read(plan, &ask, &reply);
            assert!(reading.defects.is_empty(), "seed {} {}: {:?}\n{reply}", plan.seed, ask.key, reading.lines());
            replies.push((call.brief, reply));
            let speech = reading.speech.unwrap();
            wave.push(Turn { key: ask.key, contribution: Contribution::Speech(speech).into() });
        }
        turns.extend(wave.into_iter().map(|turn| (turn.key.clone(), turn)));
    }
    panic!("seed {}: no end after {PASSES} passes", plan.seed);
}

/// A reply held against the form of its ask.
pub(crate) fn read(plan: &Plan, ask: &Ask, reply: &str) -> Reading {
    ask.form.read(plan, &ask.key.seat, &draft(reply), Writer::Agent)
}

/// The sections and the ballot of a reply.
pub(crate) fn draft(reply: &str) -> Draft {
    let (text, ballot) = match reply.rsplit_once("\n```json\n") {
        Some((text, rest)) => {
            let (json, after) = rest.split_once("\n```").unwrap();
            assert_eq!(after.trim(), "", "something stands after the ballot");
            (text, Some(serde_json::from_str::<Value>(json).unwrap()))
        }
        None => (reply, None),
    };
    assert!(!text.contains("```"), "a fence outside the ballot");
    let mut sections: Vec<Section> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        assert!(!line.starts_with("# ") && !line.starts_with("### "), "an unexpected heading: {line}");
        match (line.strip_prefix("## "), sections.last_mut()) {
            (Some(title), _) => {
                sections.push(Section { title: title.to_owned(), body: String::new(), line: i + 1, body_line: i + 2 })
            }
            (None, Some(section)) => {
                section.body.push_str(line);
                section.body.push('\n');
            }
            (None, None) => {}
        }
    }
    let fields = ballot.map(|value| match datum(&value) {
        Datum::Record(fields) => fields,
        other => panic!("the ballot is {}", other.kind()),
    });
    Draft { text: text.to_owned(), sections, ballot: fields, ..Draft::default() }
}

fn datum(value: &Value) -> Datum {
    match value {
        Value::Null => Datum::Null,
        Value::Bool(flag) => Datum::Flag(*flag),
        Value::Number(number) => Datum::Number(number.to_string()),
        Value::String(text) => Datum::from(text.as_str()),
        Value::Array(items) => Datum::List(items.iter().map(datum).collect()),
        Value::Object(map) => Datum::Record(map.iter().map(|(k, v)| (k.clone(), datum(v))).collect::<Fields>()),
    }
}
