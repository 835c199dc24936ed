//! Debates run in memory to their end.

use forge_debate::datum::{Datum, Fields};
use forge_debate::plan::{Choice, Demands, Families, Hand, Limits, Naming, Plan, Seat, SeatId, letter};
use forge_debate::profile::SeatSpec;
use forge_debate::protocols::{self, DECISION, PERSON};
use forge_debate::record::{Ask, Pending, Record};
use forge_debate::turn::{Contribution, Section, Speech, Turn, TurnKey};
use forge_debate::verdict::Verdict;
use forge_debate::voting::Threshold;
use forge_workflow::extract::{Debated, from_debate};
use forge_workflow::knowledge::Findings;
use std::collections::BTreeMap;

pub(super) type Turns = BTreeMap<TurnKey, Turn>;

pub(super) fn plan(protocol: &str) -> Plan {
    let rules = protocols::newest(protocol).unwrap();
    let roster = (protocol == "panel").then_some("board");
    let seat = |spec: SeatSpec| Seat::new(&spec, Hand::Agent(format!("openai:{}", spec.id)));
    let label =
        |(at, label): (usize, &str)| Choice { id: letter(at), label: label.to_owned(), description: String::new() };
    Plan {
        id: "design-20260127-143022".to_owned(),
        protocol: &rules.profile,
        question: "Which session store?\n\nWe lose logins on every deploy.".to_owned(),
        options: ["Redis", "Memcached", "Postgres table"].into_iter().enumerate().map(label).collect(),
        materials: Vec::new(),
        seats: rules.profile.seats(roster, "Which session store?").unwrap().into_iter().map(seat).collect(),
        limits: Limits {
            rounds: rules.profile.rounds.default.min(2),
            threshold: Threshold::TWO_THIRDS,
            min_rounds: 1,
            timeout_seconds: 120,
            max_calls: None,
            max_tokens: None,
            max_cost: None,
            min_challengers: 1,
        },
        seed: 7,
        naming: Naming::Named,
        families: Families::MustDiffer,
        demands: Demands::default(),
        place: "docs/forge/debate".to_owned(),
        phase: "design".to_owned(),
        roster: roster.map(str::to_owned),
        synthesizer: None,
        at_stake: Vec::new(),
        created_at: "2026-01-27T14:30:22Z".to_owned(),
    }
}

pub(super) fn sections(text: &str) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if let Some(title) = line.strip_prefix("## ") {
            found.push(Section { title: title.to_owned(), body: String::new(), line: at + 1, body_line: at + 2 });
        } else if let Some(section) = found.last_mut() {
            section.body.push_str(&format!("{line}\n"));
        }
    }
    found
}

pub(super) fn fields(pairs: &[(&str, &str)]) -> Fields {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), Datum::from(*value))).collect()
}

pub(super) fn speech(text: &str, ballot: Fields) -> Contribution {
    Contribution::Speech(Speech {
        text: text.to_owned(),
        sections: sections(text),
        ballot,
        shortcomings: Vec::new(),
        kept_votes: Vec::new(),
    })
}

/// Runs a debate to its end; `person` is what a person decides if it comes to that.
pub(super) fn run(plan: &Plan, person: Option<&str>, answer: impl Fn(&Ask) -> (String, Fields)) -> (Verdict, Turns) {
    let mut turns = Turns::new();
    if let Some(option) = person {
        let key = TurnKey::new(DECISION, 0, &SeatId::from(PERSON));
        let ballot = fields(&[("option", option), ("by", "Ann Lee"), ("because", "we know how to run it")]);
        turns.insert(key.clone(), Turn { key, contribution: speech("", ballot).into() });
    }
    for _ in 0..100 {
        let mut record = Record::new(&turns);
        let rules = protocols::Protocols::default().of(plan.protocol).unwrap();
        match forge_debate::conclude(rules, plan, &mut record) {
            Ok(verdict) => return (verdict, turns),
            Err(Pending { asks }) => {
                for ask in asks {
                    let (text, ballot) = answer(&ask);
                    turns.insert(ask.key.clone(), Turn { key: ask.key, contribution: speech(&text, ballot).into() });
                }
            }
        }
    }
    panic!("no verdict");
}

pub(super) fn extracted(plan: &Plan, verdict: &Verdict, turns: &Turns) -> Findings {
    let supersedes = ["D4".to_owned()];
    let debated =
        Debated { plan, verdict, turns, phase: "design", date: "2026-01-28", about: None, supersedes: &supersedes };
    let found = from_debate(&debated);
    assert_eq!(from_debate(&debated), found);
    found
}
