//! Whatever people write is recorded, or stays to be seen.

use super::SYNTHESIS;
use super::world::{extracted, plan, run, sections};
use forge_debate::datum::Fields;
use forge_debate::protocols::gate;
use forge_workflow::extract::from_document;
use forge_workflow::knowledge::{Findings, Knowledge, Risk};
use forge_workflow::tripwire::tripwires;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn document(text: &str) -> Findings {
    let found = from_document("wf", "design", "2026-01-28", &sections(text));
    assert_eq!(from_document("wf", "design", "2026-02-01", &sections(text)).risks, found.risks);
    found
}

fn rated(risk: &Risk) -> (&str, Option<u8>, Option<u8>, &str) {
    (risk.text.as_str(), risk.probability, risk.impact, risk.owner.as_str())
}

/// The only risk of a document with that item.
fn risk(item: &str) -> Risk {
    let found = document(&format!("## Risks\n{item}\n")).risks;
    assert_eq!(found.len(), 1, "{item}: {found:?}");
    found[0].clone()
}

#[test]
fn what_begins_with_no_is_something() {
    let text = "## Risks
| Risk | Probability | Impact | Owner |
|---|---|---|---|
| No backups | high | high | ops |
| No risks | | | |
## Constraints
- No PII in logs
2. No cluster
- Nothing leaves the EU
- None of it in Java
- none
- None.
- n/a
- -
- No new phases
- No further constraints
- **None identified.**
- (no new constraints)
## Assumptions
- No assumptions
## Decisions
- [x] No undocumented decisions found
- We kept D1 as is.
";
    let found = document(text);
    assert_eq!(found.risks.iter().map(rated).collect::<Vec<_>>(), [("No backups", Some(3), Some(3), "ops")]);
    let constraints: Vec<&str> = found.constraints.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(
        constraints,
        ["No PII in logs", "No cluster", "Nothing leaves the EU", "None of it in Java", "No new phases"]
    );
    assert!(found.assumptions.is_empty() && found.decisions.is_empty());
    for nothing in [
        "None",
        "no further risks",
        "No risk",
        "No other risks.",
        "nothing",
        "not applicable",
        "No known risks",
        "None beyond R1.",
        "No new risks were identified in this phase.",
        "Keine weiteren Risiken",
    ] {
        assert_eq!(document(&format!("## Risks\n- {nothing}\n")).risks, [], "{nothing}");
    }
    assert_eq!(risk("- No risks beyond R1 (probability: High, impact: High)").score(), Some(9));
}

#[test]
fn tables_and_lists_of_one_section_both_count() {
    let text = "## Risks
- First (Probability: High, Impact: Low)

| Risk | Probability | Impact | Owner |
|---|---|---|---|
| Second | High | High | Eve |

- Third
  - Impact: 2
- Fourth
| Risk | Owner |
|---|---|
| Fifth | Kim |
* Sixth
";
    let texts: Vec<String> = document(text).risks.into_iter().map(|one| one.text).collect();
    assert_eq!(texts, ["First", "Second", "Third", "Fourth", "Fifth", "Sixth"]);
    for title in ["Constraints", "Assumptions", "Decisions"] {
        let found = document(&format!("## {title}\n| Title |\n|---|\n| One |\n\n- Two\n"));
        let texts = found.constraints.iter().map(|one| &one.text);
        let texts = texts.chain(found.assumptions.iter().map(|one| &one.text));
        let texts: Vec<&String> = texts.chain(found.decisions.iter().map(|one| &one.title)).collect();
        assert_eq!(texts, ["One", "Two"], "{title}");
    }
}

#[test]
fn a_table_below_an_item_is_the_items() {
    let text = "## Decisions
- Use Redis
  - Rationale: fast

  | Store | Latency |
  |---|---|
  | Redis | 1 ms |
- Keep it small
";
    let titles: Vec<String> = document(text).decisions.into_iter().map(|one| one.title).collect();
    assert_eq!(titles, ["Use Redis", "Keep it small"]);
    let below = "## Risks\n- Storage\n  | Risk | Impact |\n  |---|---|\n  | Full disk | High |\n- Network\n";
    let texts: Vec<String> = document(below).risks.into_iter().map(|one| one.text).collect();
    assert_eq!(texts, ["Storage", "Full disk", "Network"]);
}

#[test]
fn a_risks_ratings_are_taken_off_its_wording() {
    for (item, wanted) in [
        (
            "- Eviction under load (probability high, impact low, owner: Bob)",
            ("Eviction under load", Some(3), Some(1), "Bob"),
        ),
        ("- Something: probability high, impact high, owner Ann", ("Something", Some(3), Some(3), "Ann")),
        ("- Something [P: high, I: medium, owner: Ann]", ("Something", Some(3), Some(2), "Ann")),
        ("- Something — probability: 2, impact: 3", ("Something", Some(2), Some(3), "")),
        ("- Something - likelihood: 70%; severity = L", ("Something", Some(3), Some(1), "")),
        ("- **Something:** probability low, impact high", ("Something", Some(1), Some(3), "")),
        ("- Something (high probability, low impact).", ("Something.", Some(3), Some(1), "")),
        (
            "- Eviction (probability high) under load, owner: Bob, Ann",
            ("Eviction under load", Some(3), None, "Bob, Ann"),
        ),
        ("- DB down - impact: high - owner: Bob - of ops; Ann", ("DB down", None, Some(3), "Bob - of ops; Ann")),
        ("- Something (P:3,I:2)", ("Something", Some(3), Some(2), "")),
        ("- 5xx: over 1% (a day) (P: h, I: m)", ("5xx: over 1% (a day)", Some(3), Some(2), "")),
        ("- R&D stops; **Probability:** High; **Impact:** 2 (Medium)", ("R&D stops", Some(3), Some(2), "")),
    ] {
        assert_eq!(rated(&risk(item)), wanted, "{item}");
    }
}

#[test]
fn a_wording_without_a_rating_stays_whole() {
    for wording in [
        "Something (probability frequent, impact annoying)",
        "Lost keys, impact on customers",
        "Nobody knows the owner, owner left",
        "The owner Ann (of the shop) leaves",
        "See [the notes](https://x.example/impact: high)",
        "Latency: over 200 ms, on every node",
        "Call f(impact: high) twice",
        "Set `a (impact: high)` and `b, impact: high`",
        "Stuck (see above",
    ] {
        let risk = risk(&format!("- {wording}"));
        assert_eq!(rated(&risk), (wording, None, None, ""), "{wording}");
    }
}

#[test]
fn what_a_rating_says_besides_stays_to_be_seen() {
    for (item, wanted) in [
        (
            "- Something (probability frequent, impact high, owner Ann)",
            ("Something (probability frequent, impact high, owner Ann)", None, Some(3), "Ann"),
        ),
        ("- Something, impact: high - it stops all", ("Something, impact: high - it stops all", None, Some(3), "")),
        ("- (probability high)", ("(probability high)", Some(3), None, "")),
        ("- Something (impact: high on Mondays)", ("Something (impact: high on Mondays)", None, Some(3), "")),
        (
            "- Something (impact: high, owner: Bob, mitigation: backups)",
            ("Something (impact: high, owner: Bob, mitigation: backups)", None, Some(3), "Bob"),
        ),
        (
            "- Something (owner: Bob, probability frequent)",
            ("Something (owner: Bob, probability frequent)", None, None, "Bob"),
        ),
        (
            "- Something\n  - Probability: frequent\n  - Impact: 2",
            ("Something (probability: frequent)", None, Some(2), ""),
        ),
    ] {
        assert_eq!(rated(&risk(item)), wanted, "{item}");
    }
    let text = "## Risks
| Risk | Probability | Impact | Score | Owner |
|---|---|---|---|---|
| Slow | frequent | annoying | | ops |
| Dear | 3 | High - blocks everything | 12 | |
| Dull | ? | TBD | 6 | |
";
    let found = document(text).risks;
    assert_eq!(
        found.iter().map(rated).collect::<Vec<_>>(),
        [
            ("Slow (probability: frequent, impact: annoying)", None, None, "ops"),
            ("Dear (impact: High - blocks everything, score: 12)", Some(3), Some(3), ""),
            ("Dull", None, None, ""),
        ]
    );
    assert_eq!(found.iter().map(Risk::score).collect::<Vec<_>>(), [None, Some(9), Some(6)]);
    let mended = document(&text.replace("| frequent | annoying |", "| high | low |")).risks;
    assert_eq!((mended[0].text.as_str(), &mended[0].source), ("Slow", &found[0].source));
}

#[test]
fn a_value_that_a_kind_does_not_keep_stays_in_its_words() {
    let text = "## Constraints
- EU only (Owner: legal)
- Two services (Violation: ask, then wait)
## Assumptions
- Disks are fast (Probability: High)
- Memory is cheap (If wrong: high, twice the cost)
## Decisions
- Use JWT (Rationale: stateless, small (1 KB))
";
    let found = document(text);
    assert_eq!(found.constraints[0].text, "EU only (Owner: legal)");
    assert_eq!(
        (found.constraints[1].text.as_str(), found.constraints[1].violation.as_str()),
        ("Two services", "ask, then wait")
    );
    assert_eq!(found.assumptions[0].text, "Disks are fast (Probability: High)");
    assert_eq!(found.assumptions[1].risk_if_invalid, "high, twice the cost");
    assert_eq!(
        (found.decisions[0].title.as_str(), found.decisions[0].rationale.as_str()),
        ("Use JWT", "stateless, small (1 KB)")
    );
}

fn hidden_assumptions(body: &str) -> Vec<String> {
    let plan = plan("gate");
    let (verdict, turns) = run(&plan, None, |ask| match (ask.key.stage, ask.key.seat.as_str()) {
        (gate::SYNTHESIS, _) => (SYNTHESIS.replace("## Assumptions", "## Beliefs"), Fields::new()),
        (_, "skeptic") => (
            format!(
                "## Hidden Assumptions\n{body}\n## Critical Questions\n- Why?\n## Risk Analysis\n| Risk |\n|---|\n| loss |\n"
            ),
            Fields::new(),
        ),
        _ => ("## Core Argument\nRedis is fast.\n## Go/No-Go Recommendation\n**Status:** GO".to_owned(), Fields::new()),
    });
    extracted(&plan, &verdict, &turns).assumptions.into_iter().map(|one| one.text).collect()
}

#[test]
fn a_skeptics_paragraphs_are_assumptions() {
    assert_eq!(
        hidden_assumptions(
            "That the cache is warm\nafter a deploy.\n\n**Load**: it stays as it is.\n\nTBD\n\n```\ncode\n```\n"
        ),
        ["That the cache is warm after a deploy.", "Load: it stays as it is."]
    );
    assert_eq!(hidden_assumptions("All of these:\n\n- one\n- two\n"), ["one", "two"]);
    assert_eq!(hidden_assumptions("None identified.\n"), [""; 0]);
    let many = "It holds, number N.\n\n".repeat(3).replace('N', "7");
    assert_eq!(hidden_assumptions(&many).len(), 1);
    let many: String = (0..200).map(|n| format!("It holds {n} times.\n\n")).collect();
    assert_eq!(hidden_assumptions(&many).len(), 64);
}

#[test]
fn a_decisions_kill_switch_keeps_what_is_below_it() {
    let text = "## Decisions
- Use Redis
  - Rationale: fast
  - Kill-switch: 5xx rate: over 1% for an hour
    - Due: 2026-01-01
- Use JWT
\t* Kill-switch:
\t\t* leaks: more than 1
\t\t\t* Check: `true`
\t\t* cost: over $500
\t* Rationale: small
";
    let found = document(text).decisions;
    assert_eq!(found[0].kill_switch, ["5xx rate: over 1% for an hour\n- Due: 2026-01-01"]);
    assert_eq!(found[0].rationale, "fast");
    assert_eq!(found[1].kill_switch, ["leaks: more than 1\n* Check: `true`", "cost: over $500"]);
    assert_eq!(found[1].rationale, "small");
    let wires = tripwires(&Knowledge { decisions: found, ..Knowledge::default() });
    assert_eq!((wires[0].threshold.as_str(), wires[0].due.as_deref()), ("over 1% for an hour", Some("2026-01-01")));
    assert_eq!(wires[1].command.as_deref(), Some("true"));
}

const OWN_WORDS: &[&str] = &["Eviction", "frequent", "annoying", "Bob", "Ann", "mitigation", "notably"];
const OTHERS: &[&str] = &[
    "probability",
    "impact",
    "owner",
    "high",
    "low",
    "2",
    "70%",
    "P:",
    "I:",
    "owner:",
    "impact:",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    ":",
    "-",
    "—",
    "=",
    "**",
    "`",
    "status:",
    "closed",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, rng_seed: RngSeed::Fixed(20_260_802), ..ProptestConfig::default() })]

    #[test]
    fn no_word_of_a_risk_is_lost(pieces in prop::collection::vec((0..OWN_WORDS.len() + OTHERS.len(), any::<bool>()), 1..14)) {
        let said = |at: usize| OWN_WORDS.get(at).or_else(|| OTHERS.get(at - OWN_WORDS.len())).copied().unwrap_or_default();
        let item: String = pieces.iter().map(|(at, spaced)| said(*at).to_owned() + if *spaced { " " } else { "" }).collect();
        let found = document(&format!("## Risks\n- Eviction {item}\n")).risks;
        prop_assert_eq!(found.len(), 1);
        let kept = format!("{} {}", found[0].text, found[0].owner);
        for word in OWN_WORDS {
            prop_assert!(kept.matches(word).count() >= item.matches(word).count(), "{word} of {item:?}: {kept:?}");
        }
    }
}

/// A known risk may be rated anew in a few words behind its id.
#[test]
fn a_known_risk_is_rated_anew_behind_its_id() {
    for item in [
        "- R1: High x High",
        "- R1: now High/High",
        "- R1: Low x Medium -> High x High",
        "- R1: score is now 9",
        "- R1: 3 × 3",
    ] {
        let found = risk(item);
        assert_eq!((found.id.as_str(), found.score()), ("R1", Some(9)), "{item}: {found:?}");
    }
    for item in ["- Fix x High", "- Load/memory", "- The score is not known", "- Disk x slow"] {
        assert_eq!(risk(item).score(), None, "{item}");
    }
}

/// What became of an assumption may stand below a heading that names it.
#[test]
fn a_result_below_a_heading_with_an_assumption_is_read() {
    for (heading, result) in [
        ("## Assumptions", "**Result:** WRONG"),
        ("## Assumptions", "**Result: WRONG**"),
        ("## Assumption Validation Results", "**Result: INVALIDATED**"),
        ("## Assumption Validation Results", "- Result: invalidated, only 40 of 100"),
        ("## 2. Assumption Validation", "**Status:** Invalidated"),
        ("## Assumptions", "Result: invalidated"),
    ] {
        let text = format!("{heading}\n### A1: Readers look at their mail\n{result}\n");
        let found = document(&text).validations;
        let read: Vec<(&str, &str)> = found.iter().map(|one| (one.assumption.as_str(), one.standing.word())).collect();
        assert_eq!(read, [("A1", "invalidated")], "{text}");
    }
}
