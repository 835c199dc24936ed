//! The knowledge files: what people write is found, what forge adds reads back, and nothing else is touched.

use crate::config;
use forge_artifacts::formats::knowledge::*;
use forge_workflow::extract::passages::{one_line, tidy};
use forge_workflow::knowledge::{
    Assumption, Constraint, Decision, Findings, Kind, Knowledge, Risk, Standing, Validation,
};
use proptest::prelude::*;

const ALL_KINDS: [Kind; 4] = Kind::ALL;

/// The four files, in the order of [`Kind::ALL`].
type Files = [String; 4];

fn knowledge(files: &Files) -> Knowledge {
    read_all(&files[0], &files[1], &files[2], &files[3])
}

fn merged(files: &Files, findings: &Findings) -> (Files, Findings) {
    let news = knowledge(files).news(findings);
    let mut after = files.clone();
    for (kind, file) in ALL_KINDS.into_iter().zip(&mut after) {
        *file = append(kind, file, &news);
    }
    (after, news)
}

fn templates() -> Files {
    ALL_KINDS.map(|kind| template(kind).to_owned())
}

fn source(ordinal: &str) -> Option<String> {
    Some(format!("brainstorm-20260127-143022#{ordinal}"))
}

fn findings() -> Findings {
    Findings {
        decisions: vec![Decision {
            title: "Which session store? Redis".to_owned(),
            rationale: "It survives a restart.\n\nAnd the team knows it:\n\n- two years in production\n- one outage"
                .to_owned(),
            phase: "brainstorm".to_owned(),
            debate: Some("brainstorm-20260127-143022".to_owned()),
            date: "2026-01-27".to_owned(),
            kill_switch: vec![
                "p99 latency: over 200 ms for a day\n- Detection: dashboard\n- Due: 2026-12-01".to_owned(),
                "memory: above 80%".to_owned(),
            ],
            locked: true,
            by: Some("Ann Lee".to_owned()),
            source: source("D1"),
            ..Decision::default()
        }],
        constraints: vec![Constraint {
            text: "Which session store? Redis".to_owned(),
            origin: "brainstorm-20260127-143022#D1".to_owned(),
            violation: "Reopen debate".to_owned(),
            locked_by: Some("brainstorm-20260127-143022".to_owned()),
            source: source("C1"),
            ..Constraint::default()
        }],
        assumptions: vec![Assumption {
            text: "Sessions stay below 1 KB".to_owned(),
            due: "research".to_owned(),
            risk_if_invalid: "High: twice the memory".to_owned(),
            source: source("A1"),
            ..Assumption::default()
        }],
        validations: vec![Validation {
            assumption: "A1".to_owned(),
            standing: Standing::Validated,
            because: "measured: 400 bytes".to_owned(),
            source: "brainstorm-20260127-143022#V1".to_owned(),
        }],
        risks: vec![Risk {
            text: "Cache stampede".to_owned(),
            probability: Some(3),
            impact: Some(2),
            owner: "ops".to_owned(),
            active: true,
            source: source("R1"),
            ..Risk::default()
        }],
    }
}

#[test]
fn templates_have_no_entries() {
    assert_eq!(knowledge(&templates()), Knowledge::default());
    assert_eq!(knowledge(&Files::default()), Knowledge::default());
}

#[test]
fn the_other_templates_have_no_entries_either() {
    let brief = brief_template("Make \"logins\" survive a restart\n- D1: not a decision here", "2026-01-27");
    for text in [brief.as_str(), glossary_template(), traceability_template()] {
        assert!(text.starts_with("# ") && text.ends_with('\n'), "{text}");
        assert_eq!(read_constraints(text), []);
        assert_eq!(read_risks(text), []);
    }
}

#[test]
fn a_brief_carries_the_objective_word_for_word() {
    for objective in
        ["plain", "\"quoted\" `code` # not a heading\n\n## heading\n🦀\n", "```\nopen fence", &"x".repeat(10_000)]
    {
        let brief = brief_template(objective, "2026-01-27");
        assert!(brief.contains(objective));
        assert!(brief.contains("2026-01-27") && brief.contains("\n## Success\n"));
    }
}

#[test]
fn a_written_file_looks_like_this() {
    let (files, _) = merged(&templates(), &findings());
    let decisions = files[0].strip_prefix(template(Kind::Decision)).unwrap();
    assert_eq!(
        decisions,
        "
## D1: Which session store? Redis

- Status: locked
- Phase: brainstorm
- Debate: brainstorm-20260127-143022
- Date: 2026-01-27
- Decided by: Ann Lee
- Rationale: It survives a restart.

  And the team knows it:

  - two years in production
  - one outage
- Kill-switch:
  - p99 latency: over 200 ms for a day
    - Detection: dashboard
    - Due: 2026-12-01
  - memory: above 80%
- Source: brainstorm-20260127-143022#D1
"
    );
    assert_eq!(
        files[1].strip_prefix(template(Kind::Constraint)).unwrap(),
        "| C1 | Which session store? Redis | D1 | Reopen debate | brainstorm-20260127-143022 | brainstorm-20260127-143022#C1 |\n"
    );
    assert!(files[2].contains("| --- |\n| A1 | Sessions stay below 1 KB | open | research | High: twice the memory | brainstorm-20260127-143022#A1 |\n\n## Validation"));
    assert!(files[2].ends_with("| A1 | validated | measured: 400 bytes | brainstorm-20260127-143022#V1 |\n"));
    assert!(
        files[3]
            .ends_with("| R1 | Cache stampede | High | Medium | 6 | ops | active | brainstorm-20260127-143022#R1 |\n")
    );
}

#[test]
fn what_was_added_reads_back_and_is_added_once() {
    for start in [templates(), Files::default()] {
        let (files, news) = merged(&start, &findings());
        let read = knowledge(&files);
        assert_eq!(read.decisions, news.decisions);
        assert_eq!(read.constraints, news.constraints);
        assert_eq!(read.assumptions, news.assumptions);
        assert_eq!(read.validations, news.validations);
        assert_eq!(read.risks, news.risks);
        assert_eq!(read.standing(&read.assumptions[0]), Standing::Validated);
        let (again, nothing) = merged(&files, &findings());
        assert!(nothing.is_empty());
        assert_eq!(again, files);
    }
}

#[test]
fn nothing_to_add_changes_nothing() {
    for text in ["", "no newline", "# D\r\n\r\n", "```\nopen"] {
        for kind in ALL_KINDS {
            assert_eq!(append(kind, text, &Findings::default()), text);
        }
    }
}

#[test]
fn rows_go_right_below_the_last_row_of_the_table() {
    let text = "# Risks\n\nIntro.\n\n| ID | Risk | Probability | Impact | Score | Owner | Mitigation | Status | Source |\n|---|:-:|---|---|---|---|---|---|---|\n| R7 | mine | H | H | 9 | me | none | open | |\n\nAfterwards.\n\n## Closed\n\n| ID | Risk | Status |\n|---|---|---|\n| R2 | gone | closed |\n";
    let news = Knowledge { risks: read_risks(text), ..Knowledge::default() }.news(&findings());
    let after = append(Kind::Risk, text, &news);
    let row = "| R8 | Cache stampede | High | Medium | 6 | ops |  | active | brainstorm-20260127-143022#R1 |\n";
    let at = text.find("\nAfterwards.").unwrap();
    assert_eq!(after, format!("{}{row}{}", &text[..at], &text[at..]));
    let read = read_risks(&after);
    assert_eq!(
        read.iter().map(|risk| (risk.id.as_str(), risk.active)).collect::<Vec<_>>(),
        [("R7", true), ("R8", true), ("R2", false)]
    );
}

#[test]
fn a_table_that_ends_the_file_without_a_newline_gets_its_rows() {
    let text = template(Kind::Risk).trim_end();
    let after = append(Kind::Risk, text, &Knowledge::default().news(&findings()));
    assert!(after.starts_with(text));
    assert_eq!(read_risks(&after).len(), 1);
}

#[test]
fn line_ends_stay_what_they_are() {
    for kind in ALL_KINDS {
        let text = template(kind).replace('\n', "\r\n");
        let after = append(kind, &text, &Knowledge::default().news(&findings()));
        assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{after:?}");
        let plain = append(kind, template(kind), &Knowledge::default().news(&findings()));
        assert_eq!(after.replace("\r\n", "\n"), plain);
    }
    let (files, news) = merged(&templates(), &findings());
    let files = files.map(|file| file.replace('\n', "\r\n"));
    assert_eq!(knowledge(&files).decisions, news.decisions);
    assert_eq!(knowledge(&files).risks, news.risks);
}

#[test]
fn decisions_are_found_in_the_forms_that_people_use() {
    let text = "---
title: Decisions
list:
  - D40: not an entry
---
# Decisions

## D1: Use JWT
Status: locked
**Rationale:** scalable
and stateless

**Kill-switch:**
- token leak: more than 1 a week
  - Detection: audit log
- cost: over $500

### D002: Rotate refresh tokens ##
- **Status**: proposed
- **Rationale:** security
- Superseded by: DB1

## Older

- D3: Keep the monolith (Rationale: small team)
- **DB1** - Postgres
  - Rationale: one store
  - Kill-switch:
    - size: above 1 TB
- D5 is mentioned here and is no entry
- see D6: neither is this

| Decision ID | Title | Rationale | Challenge Requires Debate |
|---|---|---|---|
| D8 | Use \\| pipes | a `b` | Yes |
| **D9** | Cache | | No |

```markdown
## D77: a sample
- D78: another
```
<!--
## D79: hidden
| ID | Title |
|---|---|
| D80 | hidden |
-->
Tail.
";
    let read = read_decisions(text);
    let ids: Vec<&str> = read.iter().map(|decision| decision.id.as_str()).collect();
    assert_eq!(ids, ["D1", "D002", "D3", "DB1", "D8", "D9"]);
    assert_eq!((read[0].title.as_str(), read[0].locked), ("Use JWT", true));
    assert_eq!(read[0].rationale, "scalable\nand stateless");
    assert_eq!(read[0].kill_switch, ["token leak: more than 1 a week\n- Detection: audit log", "cost: over $500"]);
    assert_eq!((read[1].title.as_str(), read[1].rationale.as_str()), ("Rotate refresh tokens", "security"));
    assert!(!read[1].locked);
    assert_eq!((read[2].title.as_str(), read[2].rationale.as_str()), ("Keep the monolith", "small team"));
    assert_eq!((read[3].title.as_str(), read[3].rationale.as_str()), ("Postgres", "one store"));
    assert_eq!(read[3].kill_switch, ["size: above 1 TB"]);
    assert_eq!(read[3].supersedes, ["D002"]);
    assert_eq!((read[4].title.as_str(), read[4].locked), ("Use | pipes", true));
    assert_eq!((read[5].title.as_str(), read[5].locked), ("Cache", false));
    assert!(read.iter().all(|decision| decision.source.is_none()));
    let news = Knowledge { decisions: read, ..Knowledge::default() }.news(&findings());
    assert_eq!(news.decisions[0].id, "D10");
    assert_eq!(place_of(Kind::Decision, text, "D1"), Some(8));
    assert_eq!(
        place_of(Kind::Decision, text, "D9"),
        text.lines().position(|line| line.contains("**D9**")).map(|at| at + 1)
    );
    assert_eq!(place_of(Kind::Decision, text, "D77"), None);
}

#[test]
fn constraints_assumptions_and_risks_are_found_in_the_forms_that_people_use() {
    let text = "| Constraint ID | Description | Source | Violation Triggers |\n|---|---|---|---|\n| C1 | Must use existing auth provider | D1 | Reopen debate |\n| C2 | Token expiry ≤ 24 hours | Security policy | Security review |\n\n- C3: EU only (Source: legal)\n";
    let read = read_constraints(text);
    assert_eq!(read.iter().map(|c| c.origin.as_str()).collect::<Vec<_>>(), ["D1", "Security policy", "legal"]);
    assert_eq!(read[1].violation, "Security review");
    assert_eq!(read[2].text, "EU only");

    let text = "| ID | Assumption | Phase Introduced | Validation Method | Status |\n|---|---|---|---|---|\n| A1 | OAuth2 available | brainstorm | spike | Validated |\n| A2 | Team knows JWT | brainstorm | ask | not validated |\n\n## A3: EU region exists\n- Status: invalidated\n- Validation due by: Research phase\n- Risk if invalid: High\n\n## Validation\n\n| Assumption | Result | Evidence |\n|---|---|---|\n| A2 | confirmed | survey |\n";
    let read = read_all("", "", text, "");
    let standings: Vec<Standing> = read.assumptions.iter().map(|assumption| assumption.standing).collect();
    assert_eq!(standings, [Standing::Validated, Standing::Open, Standing::Invalidated]);
    assert_eq!(
        (read.assumptions[2].due.as_str(), read.assumptions[2].risk_if_invalid.as_str()),
        ("Research phase", "High")
    );
    assert_eq!(read.validations.len(), 1);
    assert_eq!(
        (read.standing(&read.assumptions[1]), read.validations[0].because.as_str()),
        (Standing::Validated, "survey")
    );

    let text = "| ID | Risk | Probability | Impact | Score | Owner | Mitigation | Status |\n|---|---|---|---|---|---|---|---|\n| R1 | a | High | Medium | 6 | ops | x | Open |\n| R2 | b | | | 8 | | | accepted |\n| R3 | c | 70% | H | | | | Accepted and closed |\n| R4 | d | 3 | 3 | | | | partially mitigated |\n| R5 | e | | | 12 | | | mitigated |\n\n## R006: f\n**Probability:** likely\n**Impact:** severe\n**Status:** Resolved in 2025\n";
    let read = read_risks(text);
    assert_eq!(read.iter().map(Risk::score).collect::<Vec<_>>(), [Some(6), Some(8), Some(9), Some(9), None, Some(9)]);
    assert_eq!(read.iter().map(|risk| risk.active).collect::<Vec<_>>(), [true, true, false, true, false, false]);
    assert_eq!(read[1].stated_score, Some(8));
    assert_eq!(place_of(Kind::Risk, text, "R006"), Some(9));
    let news = Knowledge { risks: read, ..Knowledge::default() }.news(&findings());
    assert_eq!(news.risks[0].id, "R7");
}

#[test]
fn entries_are_never_hidden_by_what_a_person_left_open() {
    for tail in [
        "```\n## D50: sample",
        "~~~~\nx",
        "<!-- note\n| R9 |",
        "- item\n  ```\n  code",
        "text",
        "| a | b |\n|---|---|\n| c | d |",
    ] {
        for kind in ALL_KINDS {
            let files = ALL_KINDS.map(|_| format!("# T\n\n{tail}"));
            let (after, news) = merged(&files, &findings());
            for (before, after) in files.iter().zip(&after) {
                assert!(after.starts_with(before.as_str()), "{kind:?} {after}");
            }
            assert!(!news.is_empty());
            assert!(knowledge(&after).news(&findings()).is_empty(), "{tail:?}: {after:#?}");
        }
    }
}

/// Texts that break naive writers.
fn nasty() -> impl Strategy<Value = String> {
    let long = "x\\|".repeat(1700);
    let piece = prop_oneof![
        Just("|".to_owned()),
        Just("\\|".to_owned()),
        Just("\\".to_owned()),
        Just("`".to_owned()),
        Just("\n```\n".to_owned()),
        Just("```rust\nfn main() {}\n".to_owned()),
        Just("~~~".to_owned()),
        Just("\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("\n# ".to_owned()),
        Just("\n## D7: trap\n".to_owned()),
        Just("\n- Source: x#D9\n".to_owned()),
        Just("- Status: locked".to_owned()),
        Just("\n| R9 | x | y |\n".to_owned()),
        Just("\n---\n".to_owned()),
        Just("---".to_owned()),
        Just(" ##".to_owned()),
        Just("#".to_owned()),
        Just("<br>".to_owned()),
        Just("<BR />".to_owned()),
        Just("<!-- ".to_owned()),
        Just("\n<!--\n".to_owned()),
        Just("-->".to_owned()),
        Just("<script>alert(1)</script>".to_owned()),
        Just("**bold:** ".to_owned()),
        Just("🦀👩‍🚀".to_owned()),
        Just("\u{202E}\u{0}\u{7}".to_owned()),
        Just("\t".to_owned()),
        Just("   ".to_owned()),
        Just("\n    indented\n".to_owned()),
        Just("TBD".to_owned()),
        Just("- Detection: x".to_owned()),
        Just("\n1. one\n".to_owned()),
        Just("D1: ".to_owned()),
        prop::sample::select(vec!["a, b.", ": (x)", "[y] {z}", "! ? *_~", "< > & % $", "@/+= \"q\" 'r'"]).prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ];
    let short = prop::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat());
    prop_oneof![40 => short.clone(), 1 => short.prop_map(move |text| format!("{text}{long}"))]
}

fn kept() -> impl Strategy<Value = String> {
    nasty().prop_map(|text| tidy(&text))
}

fn lined() -> impl Strategy<Value = String> {
    nasty().prop_map(|text| one_line(&text))
}

fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

prop_compose! {
    fn decision()(title in lined(), rationale in kept(), phase in lined(), debate in lined(), by in lined(),
        date in lined(), kill_switch in prop::collection::vec(kept(), 0..4), locked: bool, n in 1..500_u32,
        supersedes in prop::collection::vec(100..900_u32, 0..3)) -> Decision {
        Decision {
            id: String::new(), title, rationale, phase, debate: some(debate), date,
            kill_switch: kill_switch.into_iter().filter(|one| !one.is_empty()).collect(),
            supersedes: supersedes.into_iter().map(|n| format!("D{n}")).collect(),
            locked, by: some(by), source: Some(format!("debate-{n}#D{n}")),
        }
    }
}

prop_compose! {
    fn findings_of()(
        mut decisions in prop::collection::vec(decision(), 0..3),
        constraints in prop::collection::vec((kept(), lined(), kept(), lined()), 0..3),
        assumptions in prop::collection::vec((kept(), 0..3_usize, lined(), kept()), 0..3),
        validations in prop::collection::vec((1..9_u32, 0..3_usize, kept()), 0..3),
        risks in prop::collection::vec((kept(), 0..4_u8, 0..4_u8, 0..10_u8, lined(), any::<bool>()), 0..3),
    ) -> Findings {
        let standings = [Standing::Open, Standing::Validated, Standing::Invalidated];
        decisions.iter_mut().enumerate().for_each(|(at, one)| one.source = Some(format!("debate-1#D{}", at + 1)));
        Findings {
            decisions,
            constraints: constraints.into_iter().enumerate().map(|(at, (text, origin, violation, locked))| Constraint {
                id: String::new(), text, origin, violation, locked_by: some(locked), source: Some(format!("wf/design#{at:08x}")),
            }).collect(),
            assumptions: assumptions.into_iter().enumerate().map(|(at, (text, standing, due, risk))| Assumption {
                id: String::new(), text, standing: standings[standing], due, risk_if_invalid: risk,
                source: Some(format!("debate-1#A{}", at + 1)),
            }).collect(),
            validations: validations.into_iter().enumerate().map(|(at, (n, standing, because))| Validation {
                assumption: format!("A{n}"), standing: standings[standing], because, source: format!("debate-1#V{}", at + 1),
            }).collect(),
            risks: risks.into_iter().enumerate().map(|(at, (text, p, i, score, owner, active))| {
                let level = |n: u8| Some(n).filter(|n| (1..=3).contains(n));
                let both = level(p).is_some() && level(i).is_some();
                Risk {
                    id: String::new(), text, probability: level(p), impact: level(i),
                    stated_score: Some(score).filter(|n| (1..=9).contains(n) && !both),
                    owner, active, source: Some(format!("debate-1#R{}", at + 1)),
                }
            }).collect(),
        }
    }
}

/// A file as people leave it: entries in several forms, and lines that look like something.
fn peoples() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[DCAR][0-9]{1,3}: [a-z]{1,6}".prop_map(|line| format!("## {line}")),
        "[DCAR][0-9]{1,3}: [a-z]{1,6}".prop_map(|line| format!("# {line}")),
        "[DCAR][0-9]{1,3}: [a-z]{1,6}".prop_map(|line| format!("- {line}")),
        "[DCAR][0-9]{1,3}".prop_map(|id| format!("| ID | Title | Status |\n|---|---|---|\n| {id} | t | open |")),
        Just("```".to_owned()),
        Just("~~~".to_owned()),
        Just("<!--".to_owned()),
        Just("-->".to_owned()),
        Just("  ```".to_owned()),
        Just("- Rationale: because".to_owned()),
        Just("**Owner:** me".to_owned()),
        Just("Status: closed".to_owned()),
        Just("### Notes".to_owned()),
        Just("---".to_owned()),
        Just("key: value".to_owned()),
        Just(String::new()),
        Just("    indented".to_owned()),
        Just("> quoted".to_owned()),
        "[a-z |`#\\-]{0,20}",
    ];
    (prop::collection::vec(line, 0..12), any::<bool>(), any::<bool>()).prop_map(|(lines, ended, crlf)| {
        let text = lines.join("\n") + if ended { "\n" } else { "" };
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

fn sorted<T: std::fmt::Debug>(all: impl IntoIterator<Item = T>) -> Vec<String> {
    let mut all: Vec<String> = all.into_iter().map(|one| format!("{one:?}")).collect();
    all.sort();
    all
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn anything_reads_back_as_it_was(found in findings_of()) {
        let (files, news) = merged(&templates(), &found);
        let read = knowledge(&files);
        prop_assert_eq!(&read.decisions, &news.decisions);
        prop_assert_eq!(&read.constraints, &news.constraints);
        prop_assert_eq!(&read.assumptions, &news.assumptions);
        prop_assert_eq!(&read.validations, &news.validations);
        prop_assert_eq!(&read.risks, &news.risks);
        prop_assert!(read.news(&found).is_empty());
    }

    #[test]
    fn peoples_entries_stay_and_news_are_added_once(
        texts in prop::array::uniform4(peoples()), first in findings_of(), second in findings_of(),
    ) {
        let before = knowledge(&texts);
        let (after, news) = merged(&texts, &first);
        let read = knowledge(&after);
        prop_assert_eq!(sorted(&read.decisions), sorted(before.decisions.iter().chain(&news.decisions)));
        prop_assert_eq!(sorted(&read.constraints), sorted(before.constraints.iter().chain(&news.constraints)));
        prop_assert_eq!(sorted(&read.assumptions), sorted(before.assumptions.iter().chain(&news.assumptions)));
        prop_assert_eq!(sorted(&read.risks), sorted(before.risks.iter().chain(&news.risks)));
        prop_assert!(read.news(&first).is_empty());
        let (again, _) = merged(&after, &second);
        prop_assert!(knowledge(&again).news(&first).is_empty());
        for (was, is) in texts.iter().zip(&after).filter(|(was, _)| !was.trim().is_empty()) {
            prop_assert!(is.starts_with(was.as_str()), "{:?} {:?}", was, is);
        }
    }

    #[test]
    fn every_entry_has_a_place(texts in prop::array::uniform4(peoples()), found in findings_of()) {
        let (files, _) = merged(&texts, &found);
        for decision in read_decisions(&files[0]) {
            let line = place_of(Kind::Decision, &files[0], &decision.id).unwrap();
            prop_assert!(files[0].split('\n').nth(line - 1).unwrap().contains(&decision.id));
        }
        for risk in read_risks(&files[3]) {
            let line = place_of(Kind::Risk, &files[3], &risk.id).unwrap();
            prop_assert!(files[3].split('\n').nth(line - 1).unwrap().contains(&risk.id));
        }
    }

    #[test]
    fn no_text_is_too_broken(text in "(\\PC|[\n\r\t|#`<>!-]){0,200}") {
        let read = read_all(&text, &text, &text, &text);
        let news = read.news(&findings());
        for kind in ALL_KINDS {
            let after = append(kind, &text, &news);
            prop_assert!(text.trim().is_empty() || after.starts_with(text.as_str()));
        }
    }
}
