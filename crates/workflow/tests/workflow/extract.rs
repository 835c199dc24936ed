//! What debates and documents add to the knowledge.

mod documents;
mod wordings;
mod world;

use forge_debate::datum::{Datum, Fields};
use forge_debate::plan::{Hand, OptionId, Plan, SeatId};
use forge_debate::protocols::{challenge, gate, judges, panel};
use forge_debate::record::Ask;
use forge_debate::turn::{Turn, TurnKey};
use forge_debate::verdict::{Outcome, Ruling, Verdict};
use forge_workflow::knowledge::{Decision, Knowledge, Standing};
use world::{Turns, extracted, fields, plan, run, speech};

const SYNTHESIS: &str = "## Debate Summary
Two for Redis, one for Postgres.
## Final Decision
**Chosen Option:** A (Redis)

Redis survives a restart, and two people on the team have run it.

[Add more rationale here]

### Rationale
The operator's NO-GO is answered by the managed offer.
## Decision Criteria
Latency 0.6, cost 0.4.
## Kill-Switch Criteria

**We will ABORT and reconsider if:**

- p99 latency: over 200 ms for a day
  - Detection: dashboard
  - Timeline: weekly until 2026-12-01
  - Fallback: Postgres table
- **Memory**: above 80%
  - Check: `redis-cli info memory`
- [Condition]: [Specific, measurable threshold]
## Fallback Plan
The table.
## Decisions
- Keep sessions for 24 hours
  - Rationale: the audit asks for it
- **Encrypt at rest**: the keys are in the vault
- TBD
## Constraints
- Token expiry at most 24 hours (Source: Security policy)
- No session data in logs
## Assumptions
- Sessions stay below 1 KB
  - Validate by: research
  - If wrong: High, twice the memory
- A3: validated - because the spike ran for a week
- A4 invalidated: the provider has no EU region
- [x] A5 the team knows Redis, validated
- A7: Traffic doubles within a year
- none
## Risks Accepted
| Owner | Impact | Risk | Likelihood |
|---|:-:|---|---|
| ops | H | Cache stampede \\| thundering herd | 70% |
| TBD | Medium | Vendor lock-in | 2 |
| Kim | 1 | Cost overrun | 10 % |
| | | [Risk] | |
## Action Items
- Kim: set it up by Friday
## Answers to the Skeptic
- Q1: because the table is too slow.
";

const SKEPTIC: &str = "## Hidden Assumptions
1. Sessions stay below 1 KB.
2. **Failover**: it works within a second
3. TBD
## Critical Questions
- Why?
## Risk Analysis
| Risk | Probability | Impact |
|---|---|---|
| loss | low | high |
";

fn gate_debate() -> (Plan, Verdict, Turns) {
    let plan = plan("gate");
    let (verdict, turns) = run(&plan, None, |ask| match (ask.key.stage, ask.key.seat.as_str()) {
        (gate::SYNTHESIS, _) => (SYNTHESIS.to_owned(), Fields::new()),
        (_, "skeptic") => (SKEPTIC.to_owned(), Fields::new()),
        _ => ("## Core Argument\nRedis is fast.\n## Go/No-Go Recommendation\n**Status:** GO".to_owned(), Fields::new()),
    });
    (plan, verdict, turns)
}

// seed: S0-19, S1-26
#[test]
fn a_gate_leaves_its_decision_with_grounds_and_kill_switch() {
    let (plan, verdict, turns) = gate_debate();
    assert_eq!(verdict.outcome(), Outcome::Decided, "{:?}", verdict.ruling.findings);
    let found = extracted(&plan, &verdict, &turns);
    let first = &found.decisions[0];
    assert_eq!(first.title, "Which session store? Redis");
    assert_eq!(
        first.rationale,
        "Redis survives a restart, and two people on the team have run it.\n\nThe operator's NO-GO is answered by the managed offer."
    );
    assert_eq!(
        first.kill_switch,
        [
            "p99 latency: over 200 ms for a day\n- Detection: dashboard\n- Timeline: weekly until 2026-12-01\n- Fallback: Postgres table",
            "**Memory**: above 80%\n- Check: `redis-cli info memory`",
        ]
    );
    assert_eq!((first.phase.as_str(), first.date.as_str(), first.locked), ("design", "2026-01-28", true));
    assert_eq!((first.by.as_deref(), first.supersedes.as_slice()), (None, ["D4".to_owned()].as_slice()));
    assert_eq!(first.source.as_deref(), Some("design-20260127-143022#D1"));
    let further: Vec<(&str, &str)> =
        found.decisions[1..].iter().map(|one| (one.title.as_str(), one.rationale.as_str())).collect();
    assert_eq!(
        further,
        [("Keep sessions for 24 hours", "the audit asks for it"), ("Encrypt at rest", "the keys are in the vault")]
    );
    assert!(found.decisions[1..].iter().all(|one| one.locked && one.supersedes.is_empty()));
}

// seed: S0-20, S1-98, S1-99
#[test]
fn a_gate_leaves_constraints_risks_and_assumptions() {
    let (plan, verdict, turns) = gate_debate();
    let found = extracted(&plan, &verdict, &turns);
    let id = "design-20260127-143022";
    // A decision and what it binds to are two sentences.
    let merged = Knowledge::default().news(&found).constraints;
    let constraints: Vec<(&str, &str)> = merged.iter().map(|one| (one.text.as_str(), one.origin.as_str())).collect();
    assert_eq!(
        constraints,
        [
            ("Bound by D1 (Which session store? Redis); changing it needs a debate", "D1"),
            ("Bound by D2 (Keep sessions for 24 hours); changing it needs a debate", "D2"),
            ("Bound by D3 (Encrypt at rest); changing it needs a debate", "D3"),
            ("Token expiry at most 24 hours", "Security policy"),
            ("No session data in logs", "D1"),
        ]
    );
    assert!(
        found.constraints.iter().all(|one| one.violation == "Reopen debate" && one.locked_by.as_deref() == Some(id))
    );

    let risks: Vec<_> =
        found.risks.iter().map(|one| (one.text.as_str(), one.probability, one.impact, one.owner.as_str())).collect();
    assert_eq!(
        risks,
        [
            ("Cache stampede | thundering herd", Some(3), Some(3), "ops"),
            ("Vendor lock-in", Some(2), Some(2), ""),
            ("Cost overrun", Some(1), Some(1), "Kim"),
        ]
    );
    assert!(found.risks.iter().all(|one| one.active));
    assert_eq!(found.risks[2].source, Some(format!("{id}#R3")));

    let assumptions: Vec<&str> = found.assumptions.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(
        assumptions,
        ["Sessions stay below 1 KB", "Traffic doubles within a year", "Failover: it works within a second"]
    );
    assert_eq!(found.assumptions[0].due, "research");
    assert_eq!(found.assumptions[0].risk_if_invalid, "High, twice the memory");
    let validations: Vec<_> =
        found.validations.iter().map(|one| (one.assumption.as_str(), one.standing, one.because.as_str())).collect();
    assert_eq!(
        validations,
        [
            ("A3", Standing::Validated, "the spike ran for a week"),
            ("A4", Standing::Invalidated, "the provider has no EU region"),
            ("A5", Standing::Validated, "the team knows Redis"),
        ]
    );
    assert_eq!(found.validations[2].source, format!("{id}#V3"));
}

// seed: S1-97
#[test]
fn merging_gives_ids_once() {
    let (plan, verdict, turns) = gate_debate();
    let found = extracted(&plan, &verdict, &turns);
    let own = Decision { id: "D007".to_owned(), title: "mine".to_owned(), ..Decision::default() };
    let mut knowledge = Knowledge { decisions: vec![own], ..Knowledge::default() };
    let news = knowledge.news(&found);
    assert_eq!(news.decisions[0].id, "D8");
    assert_eq!(news.constraints[0].origin, "D8");
    assert_eq!(news.constraints[1].origin, "D9");
    knowledge.decisions.extend(news.decisions);
    knowledge.constraints.extend(news.constraints);
    knowledge.assumptions.extend(news.assumptions);
    knowledge.validations.extend(news.validations);
    knowledge.risks.extend(news.risks);
    assert!(knowledge.news(&found).is_empty());
}

#[test]
fn nothing_comes_of_a_debate_that_is_open_or_a_rehearsal() {
    let (plan, verdict, turns) = gate_debate();
    for outcome in [Outcome::Blocked, Outcome::Contested, Outcome::Tradeoff, Outcome::Insufficient] {
        let verdict = Verdict { ruling: Ruling { outcome, ..verdict.ruling.clone() }, ..verdict.clone() };
        assert!(extracted(&plan, &verdict, &turns).is_empty());
    }
    let mut rehearsed = plan.clone();
    rehearsed.seats[2].hand = Hand::Agent("rehearsal".to_owned());
    assert!(extracted(&rehearsed, &verdict, &turns).is_empty());
    let undecided = Verdict { ruling: Ruling { options: Vec::new(), ..verdict.ruling.clone() }, ..verdict };
    assert!(extracted(&plan, &undecided, &turns).is_empty());
}

#[test]
fn judges_leave_the_reasons_of_those_who_won() {
    let plan = plan("judges");
    let vote = |ask: &Ask| {
        let (option, reason) = match ask.key.seat.as_str() {
            "risk" => ("A", "it survives a restart"),
            "value" => ("A", "users stay\nlogged in"),
            _ => ("C", "no new service"),
        };
        (String::new(), fields(&[("option", option), ("reason", reason), ("confidence", "HIGH")]))
    };
    let (verdict, turns) = run(&plan, None, vote);
    assert_eq!(verdict.outcome(), Outcome::Consensus);
    let found = extracted(&plan, &verdict, &turns);
    assert_eq!(found.decisions.len(), 1);
    assert_eq!(found.decisions[0].rationale, "risk: it survives a restart\nvalue: users stay logged in");
    assert_eq!(found.constraints.len(), 1);
    assert!(found.risks.is_empty() && found.assumptions.is_empty() && found.validations.is_empty());
}

#[test]
fn a_person_who_decides_is_named_and_heard() {
    let plan = plan("judges");
    let vote = |ask: &Ask| {
        let option = match ask.key.seat.as_str() {
            "risk" => "A",
            "value" => "B",
            _ => "C",
        };
        assert!([judges::OPENING, judges::CHALLENGE].contains(&ask.key.stage));
        (String::new(), fields(&[("option", option), ("reason", "as I said before"), ("confidence", "HIGH")]))
    };
    let (verdict, turns) = run(&plan, None, vote);
    assert!(extracted(&plan, &verdict, &turns).is_empty());
    let (verdict, turns) = run(&plan, Some("C"), vote);
    let found = extracted(&plan, &verdict, &turns);
    assert_eq!(found.decisions[0].title, "Which session store? Postgres table");
    assert_eq!(found.decisions[0].rationale, "we know how to run it");
    assert_eq!(found.decisions[0].by.as_deref(), Some("Ann Lee"));
}

/// A panel whose synthesis is corrected once.
fn panel_debate(votes: &dyn Fn(&str) -> &'static str, person: Option<&str>) -> (Plan, Verdict, Turns) {
    let plan = plan("panel");
    let (verdict, turns) = run(&plan, person, |ask| {
        let risks = |owner: &str| {
            format!(
                "## Chosen Approach\nOption A.\n## Risk Register\n| Risk | Probability | Impact | Owner |\n|---|---|---|---|\n| Lock-in | High | Low | {owner} |\n## Kill-Switch Criteria\n- cost: over $500\n- Detection: invoice\n"
            )
        };
        let vote = |option: &str| fields(&[("option", option), ("reason", "it fits our load"), ("confidence", "HIGH")]);
        match ask.key.stage {
            panel::SYNTHESIS => (risks("nobody"), vote("A")),
            panel::CORRECTION => (risks("cto"), vote("A")),
            panel::REVIEW => {
                let mut ballot = fields(&[("misrepresented", "my dissent is cut short"), ("reason", "read it again")]);
                ballot.set("accurate", Datum::from(ask.key.seat.as_str() != "contrarian"));
                (String::new(), ballot)
            }
            panel::RECHECK => {
                let mut ballot = fields(&[("reason", "now it is right")]);
                ballot.set("accurate", Datum::from(true));
                (String::new(), ballot)
            }
            panel::REFEREE => (String::new(), fields(&[("ruling", "continue"), ("reason", "new arguments")])),
            panel::POLL => (String::new(), fields(&[("reason", "more to say")])),
            panel::RESPONSE => {
                let mut ballot = vote(votes(ask.key.seat.as_str()));
                let to = if ask.key.seat.as_str() == "contrarian" { "ceo" } else { "contrarian" };
                let challenge = fields(&[("to", to), ("text", "that ground does not hold")]);
                ballot.set("challenges", Datum::List(vec![Datum::Record(challenge)]));
                (String::new(), ballot)
            }
            _ => (String::new(), vote(votes(ask.key.seat.as_str()))),
        }
    });
    (plan, verdict, turns)
}

#[test]
fn a_panel_leaves_the_risk_register_of_its_last_document() {
    let most = |seat: &str| if seat == "contrarian" { "B" } else { "A" };
    let (plan, verdict, turns) = panel_debate(&most, None);
    assert_eq!(verdict.outcome(), Outcome::Decided);
    let found = extracted(&plan, &verdict, &turns);
    assert_eq!(found.risks.len(), 1);
    assert_eq!((found.risks[0].owner.as_str(), found.risks[0].score()), ("cto", Some(3)));
    assert_eq!(found.decisions[0].kill_switch, ["cost: over $500\n- Detection: invoice"]);
    assert!(found.decisions[0].rationale.starts_with("ceo: it fits our load\n"));
    assert!(!found.decisions[0].rationale.contains("contrarian"));
}

#[test]
fn a_document_for_another_option_than_the_persons_is_left_out() {
    let split = |seat: &str| match seat {
        "ceo" | "cto" => "A",
        "cfo" | "coo" => "B",
        _ => "C",
    };
    let (plan, verdict, turns) = panel_debate(&split, Some("A"));
    assert_eq!(extracted(&plan, &verdict, &turns).risks.len(), 1);
    let (plan, verdict, turns) = panel_debate(&split, Some("B"));
    let found = extracted(&plan, &verdict, &turns);
    assert_eq!(found.decisions[0].title, "Which session store? Memcached");
    assert!(found.risks.is_empty() && found.decisions[0].kill_switch.is_empty());
}

/// A challenge in which the architect gives in at once or never.
fn challenge_debate(agrees: bool, person: Option<&str>) -> (Plan, Verdict, Turns) {
    let mut plan = plan("challenge");
    plan.seats.retain(|seat| ["lead", "architect"].contains(&seat.id.as_str()));
    plan.limits.rounds = 1;
    let text = |text: &str| text.to_owned();
    let (verdict, turns) = run(&plan, person, |ask| match ask.key.stage {
        challenge::PROBE => {
            let mut ballot = Fields::new();
            ballot.set("ready", Datum::from(true));
            (text(""), ballot)
        }
        challenge::OPENING => (
            text("## Position\nRedis.\n## Assumptions\n- Failover takes seconds\n- Memory is cheap\n"),
            fields(&[("option", "A"), ("position", "Redis with a replica."), ("reason", "it survives a restart")]),
        ),
        challenge::CHALLENGE if agrees => (
            text(""),
            fields(&[
                ("verdict", "agree"),
                ("critique", "The replica covers the restart, and the failover was drilled last month."),
                ("evidence", "drill report of March"),
                ("examined", "R1: looked for sessions that a restart loses, and found none"),
            ]),
        ),
        challenge::CHALLENGE => {
            (text(""), fields(&[("verdict", "disagree"), ("objection_strength", "strong"), ("critique", "too costly")]))
        }
        challenge::ANSWER => (text(""), fields(&[("option", "A"), ("position", "Redis with a replica.")])),
        challenge::ASSUMPTIONS => (
            text(""),
            fields(&[
                ("why", "cost"),
                ("what_would_change", "a cheaper plan"),
                ("assumption", if ask.key.seat.as_str() == "lead" { "Memory is cheap" } else { "Memory stays dear" }),
            ]),
        ),
        _ => (text(""), fields(&[("response", "MAINTAIN"), ("reason", "still too costly")])),
    });
    (plan, verdict, turns)
}

#[test]
fn a_challenge_leaves_the_position_and_what_it_rests_on() {
    let (plan, verdict, turns) = challenge_debate(true, None);
    assert_eq!(verdict.outcome(), Outcome::Consensus);
    let found = extracted(&plan, &verdict, &turns);
    assert_eq!(found.decisions[0].title, "Which session store? Redis");
    assert_eq!(found.decisions[0].rationale, "Redis with a replica.");
    let texts: Vec<&str> = found.assumptions.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, ["Failover takes seconds", "Memory is cheap"]);

    let (plan, verdict, turns) = challenge_debate(false, Some("A"));
    let found = extracted(&plan, &verdict, &turns);
    let texts: Vec<&str> = found.assumptions.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, ["Failover takes seconds", "Memory is cheap", "Memory stays dear"]);
    assert_eq!(found.assumptions[2].risk_if_invalid, "a cheaper plan");
    assert_eq!(found.decisions[0].rationale, "we know how to run it");

    let (plan, verdict, turns) = challenge_debate(false, Some("C"));
    let texts: Vec<String> = extracted(&plan, &verdict, &turns).assumptions.into_iter().map(|one| one.text).collect();
    assert_eq!(texts, ["Memory is cheap", "Memory stays dear"]);
}

#[test]
fn titles_and_rationales_are_kept_short() {
    let (mut plan, mut verdict, turns) = gate_debate();
    verdict.ruling.options = vec![OptionId::from("A"), OptionId::from("C")];
    plan.question = "Choose a session store.".to_owned();
    assert_eq!(extracted(&plan, &verdict, &turns).decisions[0].title, "Choose a session store: Redis + Postgres table");
    plan.question = format!("# {}", "very ".repeat(100));
    let title = extracted(&plan, &verdict, &turns).decisions[0].title.clone();
    assert!(
        title.starts_with("very very") && title.ends_with("… Redis + Postgres table") && title.chars().count() < 200
    );
    let long =
        SYNTHESIS.replace("Redis survives", &format!("{}\n\nRedis survives", "A sentence of some length. ".repeat(60)));
    let mut turns = turns;
    let key = TurnKey::new(gate::SYNTHESIS, 1, &SeatId::from("synthesizer"));
    turns.insert(key.clone(), Turn { key, contribution: speech(&long, Fields::new()).into() });
    let rationale = extracted(&plan, &verdict, &turns).decisions[0].rationale.clone();
    assert!(rationale.ends_with("A sentence of some length.") && rationale.chars().count() <= 1200, "{rationale}");
}
