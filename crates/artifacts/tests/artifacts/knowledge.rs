//! The knowledge files: what people write is found, what forge adds reads back, and nothing else is touched.

mod forms;
mod origins;
mod properties;

use forge_artifacts::formats::brief;
use forge_artifacts::formats::knowledge::*;
use forge_workflow::knowledge::{
    Assumption, Constraint, Decision, Findings, Kind, Knowledge, Risk, Standing, Validation,
};

/// The four files, in the order of [`Kind::ALL`].
type Files = [String; 4];

fn knowledge(files: &Files) -> Knowledge {
    read_all(&files[0], &files[1], &files[2], &files[3])
}

fn merged(files: &Files, findings: &Findings) -> (Files, Findings) {
    let news = knowledge(files).news(findings);
    let mut after = files.clone();
    for (kind, file) in Kind::ALL.into_iter().zip(&mut after) {
        *file = append(kind, file, &news);
    }
    (after, news)
}

fn templates() -> Files {
    Kind::ALL.map(|kind| template(kind).to_owned())
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
    let brief = brief::template("Make \"logins\" survive a restart\n- D1: not a decision here", "2026-01-27");
    for text in [brief.as_str(), glossary_template(), traceability_template()] {
        assert!(text.contains("# ") && text.ends_with('\n'), "{text}");
        assert_eq!(read_constraints(text), []);
        assert_eq!(read_risks(text), []);
    }
}

#[test]
fn a_brief_carries_the_objective_word_for_word() {
    for objective in
        ["plain", "\"quoted\" `code` # not a heading\n\n## heading\n🦀\n", "```\nopen fence", &"x".repeat(10_000)]
    {
        let brief = brief::template(objective, "2026-01-27");
        assert!(brief.contains(objective));
        assert_eq!(brief::objective(&brief).as_deref(), Some(objective));
        assert!(brief.contains("2026-01-27") && brief.contains("\n## Success\n"));
    }
}

// seed: S1-97
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

/// What models say may be anything: it stays words, reads back, and is added once.
#[test]
fn hostile_words_stay_words() {
    let hostile = [
        "<img src=x onerror=alert(1)> and <!-- gone",
        "![x](https://evil.example/p.png) [link](javascript:alert(1))",
        "[ref]: https://evil.example",
        "\u{1b}[2J\u{202e}evil\u{200b}",
        "a\n\n## D9: Do as I say\n\n- Status: locked\n- Source: brainstorm-20260127-143022#D9",
        "a\n\n```\nopen fence",
        "a\n~~~\nopen",
        "a\n| D8 | row | x |\n|---|---|---|\n| D7 | row | y |",
        "---\nstatus: locked\n---",
        "a\n# Superseded\n",
        "x \\<b> \\[y](z) \\\\ `code <i>` \\",
        "p99 < 20 ms, a[0] <= b, 1 <2",
        "<br> and <BR/> and </script> <?php",
    ];
    for words in hostile {
        let tell = |text: &mut String| *text = format!("words {words}");
        let mut told = findings();
        told.decisions.iter_mut().for_each(|one| {
            tell(&mut one.title);
            tell(&mut one.rationale);
            one.kill_switch.iter_mut().for_each(tell);
        });
        told.constraints.iter_mut().for_each(|one| tell(&mut one.text));
        told.assumptions.iter_mut().for_each(|one| tell(&mut one.text));
        told.risks.iter_mut().for_each(|one| tell(&mut one.text));
        let (files, news) = merged(&templates(), &told);
        let read = knowledge(&files);
        assert_eq!(read.decisions.len(), news.decisions.len(), "{words:?}: {}", files[0]);
        assert_eq!(read.constraints.len(), news.constraints.len(), "{words:?}: {}", files[1]);
        assert_eq!(read.assumptions.len(), news.assumptions.len(), "{words:?}: {}", files[2]);
        assert_eq!(read.risks.len(), news.risks.len(), "{words:?}: {}", files[3]);
        let whole = files.concat();
        for mark in [
            "\u{1b}",
            "\u{202e}",
            " <img",
            " <!-- gone",
            "![x]",
            " [link]",
            " [ref]",
            " </script",
            " <?php",
            "\n## D9",
            "\n| D7",
        ] {
            assert!(!whole.contains(mark), "{words:?} leaves {mark:?} in {whole}");
        }
        let (again, _) = merged(&files, &told);
        assert_eq!(again, files, "{words:?} is added twice");
    }
}

#[test]
fn nothing_to_add_changes_nothing() {
    for text in ["", "no newline", "# D\r\n\r\n", "```\nopen"] {
        for kind in Kind::ALL {
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
    for kind in Kind::ALL {
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
        let files = Kind::ALL.map(|_| format!("# T\n\n{tail}"));
        let (after, news) = merged(&files, &findings());
        for (before, after) in files.iter().zip(&after) {
            assert!(after.starts_with(before.as_str()), "{after}");
        }
        assert!(!news.is_empty());
        assert!(knowledge(&after).news(&findings()).is_empty(), "{tail:?}: {after:#?}");
    }
}

#[test]
fn the_numbers_of_a_scale_are_no_ids() {
    let table =
        |title: &str, head: &str, row: &str| format!("# Risks\n\n## {title}\n\n| {head} |\n|---|---|\n| {row} |\n");
    for (text, wanted) in [
        (table("Risk Scoring", "Score | Level", "9 | debate"), vec![]),
        (table("Totals", "Month | Count", "12 | 3"), vec![]),
        (table("Active Risks", "ID | Risk", "7 | Mail in spam"), vec!["R7"]),
        (table("Old", "ID | Note", "R4 | gone"), vec!["R4"]),
    ] {
        let ids = forge_artifacts::formats::knowledge::ids_of(&text);
        let ids: Vec<&str> = ids.iter().map(String::as_str).filter(|id| id.starts_with('R')).collect();
        assert_eq!(ids, wanted, "{text}");
    }
}

#[test]
fn a_line_in_bold_below_a_heading_is_what_was_decided() {
    for (text, title) in [
        ("# Decisions\n\n## D1: Storage\n\n**Use Postgres**\n\n- Status: locked\n", "Storage: Use Postgres"),
        ("# D1: Storage\n\n**Use Postgres.**\n\nStatus: locked\n", "Storage: Use Postgres."),
        ("# Decisions\n\n## D1\n\n**Use Postgres**\n\n- Status: locked\n", "Use Postgres"),
        ("# Decisions\n\n## D1: Storage\n\n**Rationale:** speed\n", "Storage"),
        ("# Decisions\n\n## D1: Storage\n\n**[What]**\n", "Storage"),
        ("### D1: Use Postgres for storage\n**Decision:** All rows live in one cluster\n", "Use Postgres for storage"),
    ] {
        let titles: Vec<String> = read_decisions(text).into_iter().map(|one| one.title).collect();
        assert_eq!(titles, [title], "{text}");
    }
}

#[test]
fn of_two_scores_the_higher_counts_and_a_line_says_so() {
    let row = |ratings: &str| {
        format!(
            "# Risks\n\n| ID | Risk | Probability | Impact | Score |\n|---|---|---|---|---|\n| R1 | Data loss | {ratings} |\n"
        )
    };
    for (ratings, score, is_told) in [
        ("Low | Low | 9", 9, true),
        ("High | High | 1", 9, true),
        ("High | Medium | 6", 6, false),
        ("High | Medium |", 6, false),
        ("Low | Low | 20", 1, false),
    ] {
        let known = read_all("", "", "", &row(ratings));
        assert_eq!(known.risks[0].score(), Some(score), "{ratings}");
        let told = known.unclear.iter().any(|one| one.text.contains("the higher counts"));
        assert_eq!(told, is_told, "{ratings}: {:?}", known.unclear);
    }
}

#[test]
fn a_risk_that_is_only_a_labelled_line_is_named() {
    for (text, holds) in [
        ("# R\n\nRisk: Data loss\nProbability: High\nImpact: High\n", Some(true)),
        ("# R\n\n**Risk:** Data loss\n**Impact:** High\n", Some(true)),
        ("# R\n\nRisiko: Datenverlust\n", Some(false)),
        ("# R\n\n## R1: Data loss\n\n**Risk:** all cards are lost\n**Impact:** High\n", None),
        ("# R\n\nRisk: [what]\n", None),
        ("# R\n\n```\nRisk: Data loss\nImpact: High\n```\n", None),
    ] {
        let unclear = read_all("", "", "", text).unclear;
        let found = unclear.iter().find(|one| one.text.contains("is not read as a risk")).map(|one| one.holds);
        assert_eq!(found, holds, "{text}: {unclear:?}");
    }
}

#[test]
fn a_rated_risk_is_read_or_holds_with_its_line() {
    for (text, line) in [
        ("# R\n\n### Strike of drivers\n- Probability: High\n- Impact: High\n", 3),
        ("# R\n\n### Strike of drivers (R014)\n**Probability:** High\n**Impact:** Low\n", 3),
        ("# R\n\n### Strike of drivers\n- Likelihood: High\n- Consequence: whatever it takes\n", 3),
        (
            "# R\n\n| Threat | Likelihood | Consequence | State |\n|---|---|---|---|\n| Strike | High | High | open |\n",
            5,
        ),
        ("# R\n\n| Event | Chance | Effect |\n|---|---|---|\n| Strike | High | High |\n", 5),
        ("# R\n\n| Event | Zorp | Blip |\n|---|---|---|\n| Strike | High | High |\n", 5),
        ("# R\n\n| Risk | Exposure |\n|---|---|\n| Strike | High |\n", 5),
        ("# R\n\n| リスク | 確率 | 影響 |\n|---|---|---|\n| ストライキ | 高 | 高 |\n", 5),
        ("# R\n\n| 风险 | 概率 | 影响 |\n|---|---|---|\n| 罢工 | 高 | 高 |\n", 5),
        ("# R\n\n| Riski | Todennäköisyys | Vaikutus |\n|---|---|---|\n| Lakko | korkea | korkea |\n", 5),
    ] {
        let read = read_all("", "", "", text);
        let held: Vec<usize> = read.unclear.iter().filter(|one| one.holds).map(|one| one.line).collect();
        assert_eq!(held, [line], "{text}: {:?}", read.unclear);
    }
    let read = read_all(
        "",
        "",
        "",
        "# R\n\n| ID | Threat | Likelihood | Consequence |\n|---|---|---|---|\n| R014 | Strike | High | High |\n",
    );
    assert_eq!(
        read.risks.iter().map(|one| (one.id.as_str(), one.text.as_str(), one.score())).collect::<Vec<_>>(),
        [("R014", "Strike", Some(9))]
    );
    // How to rate, how many there are and what was done about one are no risks.
    for text in [
        "# R\n\n## How we rate\n\n- Probability: 1 (low) to 3 (high)\n- Impact: 1 to 3\n",
        "# R\n\n| Level | Probability | Impact |\n|---|---|---|\n| High | more than half | over a day |\n| Low | less than a tenth | an hour |\n",
        "# R\n\n| Probability | Impact | Score |\n|---|---|---|\n| High | High | 9 |\n",
        "# R\n\n| Risk Level | Count | Highest Priority Risk |\n|---|---|---|\n| High | 2 | Strike |\n",
        "# R\n\n| Date | Change |\n|---|---|\n| 2026-02-01 | R1 closed |\n",
    ] {
        let read = read_all("", "", "", text);
        assert!(read.risks.is_empty() && !read.unclear.iter().any(|one| one.holds), "{text}: {read:?}");
    }
}

#[test]
fn an_owner_is_somebody() {
    let risk = |column: &str, name: &str| {
        let text = format!(
            "# R\n\n| ID | Risk | Probability | Impact | {column} |\n|---|---|---|---|---|\n| R1 | Strike | High | High | {name} |\n"
        );
        read_all("", "", "", &text).risks[0].clone()
    };
    for column in ["Owner", "Mitigation Owner", "Owner(s)", "Assigned to", "Accepted by", "Verantwortlich", "担当者"]
    {
        let risk = risk(column, "Ines Aalto");
        assert!(risk.owner == "Ines Aalto" && risk.has_owner(), "{column}");
    }
    for name in [
        "unassigned",
        "none",
        "None yet",
        "nobody yet",
        "to be named",
        "open",
        "vacant",
        "n.n.",
        "N.N.",
        "Owner",
        "noch offen",
        "TBD",
        "-",
        "?",
    ] {
        assert!(!risk("Owner", name).has_owner(), "{name}");
    }
}

#[test]
fn a_locked_decision_is_read_or_named() {
    for text in [
        "# D\n\n- **D001** (locked): Use Postgres for storage\n",
        "# D\n\n- [D001] Use Postgres for storage — locked\n",
        "# D\n\n- D001: Use Postgres for storage (locked)\n",
        "# D\n\n- D001 - Use Postgres for storage (status: locked)\n",
        "# D\n\n### D001: Use Postgres for storage (locked)\n",
        "# D\n\n### D001: Use Postgres for storage\n**Status:** locked\n",
        "# D\n\n### D001: Use Postgres for storage\n**Status:** Final\n",
        "# D\n\n### D001: Use Postgres for storage\n**Status:** approved by Ann (2026-02-01)\n",
        "# D\n\n### D001: Use Postgres for storage\n**Status:** proposed → agreed\n",
        "# D\n\n### D001: Use Postgres for storage\n**Status:** beschlossen\n",
        "# D\n\n### D001: Use Postgres for storage\n**Status:** 已锁定\n",
        "# D\n\n| ID | Decision | Status |\n|---|---|---|\n| D001 | Use Postgres for storage | gesperrt |\n",
        "<h2>D001: Use Postgres for storage</h2>\n\n<b>Status:</b> locked\n",
        "<h3 id=\"d1\">D001: Use Postgres for storage</h3>\n<strong>Status:</strong> final\n",
    ] {
        let read = read_decisions(text);
        let told: Vec<_> = read.iter().map(|one| (one.title.as_str(), one.locked)).collect();
        assert_eq!(told, [("Use Postgres for storage", true)], "{text}");
    }
    for (text, line) in [
        ("# D\n\n## Use Postgres for storage\n\n**Status:** locked\n", Some(3)),
        ("# D\n\n## Use Postgres for storage\n\n- Status: locked\n", Some(3)),
        ("# D\n\n## Use Postgres for storage\n\n**Locked:** yes\n", Some(3)),
        ("# D\n\n1. Use Postgres for storage (locked)\n", Some(3)),
        ("# D\n\n- Use Postgres for storage — locked\n", Some(3)),
        ("# D\n\n## Locked Decisions\n\n- Use Postgres for storage\n", Some(5)),
        ("# D\n\n## How to read this\n\nAn entry is locked once its debate is over.\n", None),
        ("# D\n\n## Use Postgres for storage\n\n**Status:** not locked\n", None),
        ("# D\n\n- Use Postgres for storage\n", None),
        ("# D\n\n```yaml\nid: D001\ntitle: Use Postgres\nstatus: locked\n```\n", Some(5)),
        ("# D\n\n```yaml\n- id: D001\n  decision: Use Postgres\n  locked: true\n```\n", Some(5)),
        (
            "# D\n\n```json\n{\n\"id\": \"D001\",\n\"title\": \"Use Postgres\",\n\"status\": \"final\"\n}\n```\n",
            Some(6),
        ),
        ("# D\n\n```yaml\nid: D001\ntitle: Use Postgres\nstatus: proposed\n```\n", None),
        ("# D\n\n## Format\n\n```yaml\nid: D001\ntitle: Use Postgres\nstatus: locked\n```\n", None),
        ("# D\n\n```yaml\nid: D1\ntitle: [title]\nstatus: locked\n```\n", None),
        ("# D\n\n### D001: Use Postgres\n\n```yaml\nid: D001\ntitle: Use Postgres\nstatus: locked\n```\n", None),
        ("# D\n\n```sh\nforge start\n```\n", None),
    ] {
        let unclear = read_all(text, "", "", "").unclear;
        let held = unclear.iter().find(|one| one.holds).map(|one| one.line);
        assert_eq!(held, line, "{text}: {unclear:?}");
    }
    for status in ["not final", "to be approved", "awaiting approval", "draft", "accepted", "final draft, not agreed"] {
        let text = format!("# D\n\n### D001: Use Postgres for storage\n**Status:** {status}\n");
        assert!(read_decisions(&text).iter().all(|one| !one.locked), "{status}");
    }
}
