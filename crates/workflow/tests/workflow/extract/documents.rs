//! What a person wrote in a phase document.

use super::world::sections;
use forge_debate::turn::Section;
use forge_workflow::extract::statements::is_source;
use forge_workflow::extract::{from_document, unclear};
use forge_workflow::knowledge::{
    Assumption, Constraint, Decision, DecisionStatus, Knowledge, Risk, Standing, says_the_same,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

// seed: S1-65
#[test]
fn a_phase_document_adds_what_a_person_wrote() {
    let text = "## Summary
- not an entry
## Decisions
- Use pgbouncer in front of Postgres
  - Rationale: connection limits
- D1: already known, only repeated here
- [Decision: to be written]
## Constraints
- At most two services (Violation: ask the architects)
## Assumptions
- A2: validated, because the load test passed
- A3: already known
- The disk is fast
## Risks
- Pool exhaustion (Probability: High, Impact: Medium, Owner: ops)
- Slow queries
  - Probability: Low
  - Impact: 3
- **Old driver**
```
- Sample risk
```
";
    let found = from_document("forge-20260127", "design", "2026-01-28", &sections(text));
    let ids: Vec<&str> = found.decisions.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["", "D1"]);
    let known = Knowledge {
        decisions: vec![Decision { id: "D1".to_owned(), title: "Use JWT".to_owned(), ..Decision::default() }],
        assumptions: ["A2", "A3"].map(|id| Assumption { id: id.to_owned(), ..Assumption::default() }).to_vec(),
        ..Knowledge::default()
    };
    let told = unclear("design.md", &sections(text), &known);
    assert_eq!(told.iter().map(|one| (one.line, one.holds)).collect::<Vec<_>>(), [(6, false)]);
    let found = known.news(&found);
    assert_eq!(found.decisions.len(), 1);
    let decision = &found.decisions[0];
    assert_eq!(
        (decision.title.as_str(), decision.rationale.as_str()),
        ("Use pgbouncer in front of Postgres", "connection limits")
    );
    assert!(
        !decision.locked && decision.debate.is_none() && decision.phase == "design" && decision.date == "2026-01-28"
    );
    assert_eq!(found.constraints.len(), 1);
    assert_eq!(
        (found.constraints[0].text.as_str(), found.constraints[0].origin.as_str()),
        ("At most two services", "design")
    );
    assert_eq!(
        (found.constraints[0].violation.as_str(), &found.constraints[0].locked_by),
        ("ask the architects", &None)
    );
    assert_eq!(found.assumptions.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(), ["The disk is fast"]);
    assert_eq!(found.validations.len(), 1);
    assert_eq!(
        (found.validations[0].assumption.as_str(), found.validations[0].because.as_str()),
        ("A2", "the load test passed")
    );
    let risks: Vec<_> = found.risks.iter().map(|one| (one.text.as_str(), one.score(), one.owner.as_str())).collect();
    assert_eq!(risks, [("Pool exhaustion", Some(6), "ops"), ("Slow queries", Some(3), ""), ("Old driver", None, "")]);

    let again = from_document(
        "forge-20260127",
        "design",
        "2026-02-01",
        &sections(&text.replace("Use pgbouncer", "USE  **pgbouncer**")),
    );
    assert_eq!(again.decisions[0].source, decision.source);
    assert!(is_source(decision.source.as_deref().unwrap()));
    assert!(decision.source.as_deref().unwrap().starts_with("forge-20260127/design#"));
    let other = from_document("forge-20260127", "plan", "2026-02-01", &sections(text));
    assert_ne!(other.decisions[0].source, decision.source);
}

#[test]
fn a_documents_title_does_not_own_the_document() {
    let section = |title: &str, body: &str, line| Section {
        title: title.to_owned(),
        body: body.to_owned(),
        line,
        body_line: line + 1,
    };
    let below = "- Slow disks\n";
    let whole = format!("## Context\n- not a risk\n## Risks\n{below}");
    let named = [
        section("Risks of the new store", &whole, 1),
        section("Context", "- not a risk\n", 2),
        section("Risks", below, 4),
    ];
    let found = from_document("wf", "design", "2026-01-28", &named);
    assert_eq!(found.risks.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(), ["Slow disks"]);
    let grouped = [section("Design", "", 1), section("Risks", "### High\n- Slow disks\n### Low\n- Rain\n", 2)];
    assert_eq!(from_document("wf", "design", "2026-01-28", &grouped).risks.len(), 2);
    let noted = [section("Design", "", 1), section("Risks", "- Slow disks\n### Notes\n- nothing to see\n", 2)];
    assert_eq!(from_document("wf", "design", "2026-01-28", &noted).risks.len(), 1);
}

#[test]
fn handoff_tables_are_read_by_their_columns() {
    let text = "## Open Assumptions
| Assumption ID | Description | Validation Due By | Risk if Invalid | Status |
|---|---|---|---|---|
| A1 | OAuth2 provider available | Research phase | High | validated |
| | Team knows JWT | Research phase | Low | open |
## Decisions
| Title | Rationale |
|---|---|
| Use JWT | Stateless |
";
    let found = from_document("wf", "research", "2026-01-28", &sections(text));
    assert_eq!((found.validations.len(), found.assumptions.len(), found.decisions.len()), (1, 1, 1));
    assert_eq!(
        (found.assumptions[0].text.as_str(), found.assumptions[0].due.as_str()),
        ("Team knows JWT", "Research phase")
    );
    assert_eq!(found.decisions[0].rationale, "Stateless");
}

#[test]
fn headings_of_a_section_are_read_too() {
    let titles = |text: &str| -> Vec<(String, String, String)> {
        let found = from_document("wf", "design", "2026-01-28", &sections(text)).decisions.into_iter();
        found.map(|one| (one.id, one.title, one.rationale)).collect()
    };
    let is = |id: &str, title: &str, why: &str| (id.to_owned(), title.to_owned(), why.to_owned());
    let text = "## Key Decisions
### D-design-1: Digest mail
**Rationale:** cheap
**Consequences:**
- Positive: no postage
- Negative: late
### D-design-2: One template
Because branches differ little.
";
    assert_eq!(
        titles(text),
        [is("D-design-1", "Digest mail", "cheap"), is("D-design-2", "One template", "Because branches differ little.")]
    );
    let plain = "## Decisions
### Digest mail
It costs nothing.
### Mail on Monday
**Rationale:** the desk is open
### Notes
Nothing else.
";
    assert_eq!(
        titles(plain),
        [is("", "Digest mail", "It costs nothing."), is("", "Mail on Monday", "the desk is open")]
    );
    let grouped = "## Decisions\n### Mail\n- Digest mail\n### Cards\nFor those without mail:\n- Print on Friday\n";
    assert_eq!(titles(grouped), [is("", "Digest mail", ""), is("", "Print on Friday", "")]);
}

#[test]
fn titles_that_list_entries() {
    let count = |title: &str, item: &str| {
        let found = from_document("wf", "design", "d", &sections(&format!("## {title}\n- {item}\n")));
        (found.decisions.len(), found.constraints.len(), found.assumptions.len(), found.risks.len())
    };
    for title in [
        "Decisions",
        "Decisions Made",
        "Key Decisions",
        "Design Decisions",
        "3. Key Design Decisions",
        "Technical decisions taken",
    ] {
        assert_eq!(count(title, "x"), (1, 0, 0, 0), "{title}");
    }
    for title in [
        "Decisions needed",
        "Open Decisions",
        "Pending Decisions",
        "Decisions to be made",
        "Rejected Decisions",
        "Prior Decisions",
    ] {
        assert_eq!(count(title, "x"), (0, 0, 0, 0), "{title}");
    }
    for title in ["Constraints", "New Constraints Identified", "Hard Constraints", "Constraints & limits"] {
        assert_eq!(count(title, "x"), (0, 1, 0, 0), "{title}");
    }
    for title in ["Assumptions", "Open Assumptions", "Working assumptions", "Assumptions about readers"] {
        assert_eq!(count(title, "x"), (0, 0, 1, 0), "{title}");
    }
    for title in ["Risks", "Risks Accepted", "Risk Register", "Known Risks", "New Risks", "Risks and mitigations"] {
        assert_eq!(count(title, "x"), (0, 0, 0, 1), "{title}");
    }
    assert_eq!(count("Decisions", "Constraint: at most two mails"), (0, 1, 0, 0));
    let boxes = from_document("wf", "design", "d", &sections("## Decisions\n- [x] Mail\n- [ ] Cards\n")).decisions;
    let boxes: Vec<_> = boxes.iter().map(|one| (one.title.as_str(), one.status)).collect();
    assert_eq!(boxes, [("Mail", DecisionStatus::Accepted), ("Cards", DecisionStatus::Proposed)]);
    let table = "## Decisions\n| Decision | Choice | Rationale |\n|---|---|---|\n| Reminder | Digest mail | cheap |\n";
    assert_eq!(from_document("wf", "design", "d", &sections(table)).decisions[0].title, "Reminder: Digest mail");
    assert_eq!(count("Decisions Made", "Risk R-build-1: the queue grows"), (0, 0, 0, 1));
    assert_eq!(count("Critical Issues", "C1: no limit"), (0, 0, 0, 0));
}

#[test]
fn what_is_not_taken_over_is_told() {
    let told = |text: &str, known: &Knowledge| {
        unclear("design.md", &sections(text), known).into_iter().map(|one| (one.line, one.holds)).collect::<Vec<_>>()
    };
    let nothing = Knowledge::default();
    assert_eq!(told("## Decisions\n\nWe send a mail a week.\n", &nothing), [(1, false)]);
    assert_eq!(told("## Decisions\n\nNone.\n## Risks\n\n[Risks: to be written]\n<!-- a hint -->\n", &nothing), []);
    assert_eq!(told("## Summary\n\nWe send a mail a week.\n", &nothing), []);
    assert_eq!(told("## Risks\n- Rain\n  - Probability: often\n  - Impact: High\n", &nothing), [(2, true)]);
    assert_eq!(told("## Risks\n- Rain (probability often, impact annoying)\n", &nothing), []);
    let risk = Risk { id: "R1".to_owned(), text: "Rain".to_owned(), active: true, ..Risk::default() };
    let known = Knowledge { risks: vec![risk], ..Knowledge::default() };
    assert_eq!(told("## Risks\n- R1: Rain\n", &known), []);
    assert_eq!(told("## Risks\n- R1 has happened\n", &known), [(2, false)]);
    let news = known.news(&from_document("wf", "design", "d", &sections("## Risks\n- R1 has happened\n- Hail\n")));
    assert_eq!(news.risks.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(), ["Hail"]);
    assert_eq!(told("## Decisions\n- [x] R1: accepted with D1\n", &known), [(2, false)]);
    let news = |text: &str| known.news(&from_document("wf", "design", "d", &sections(text))).decisions.len();
    assert_eq!(news("## Decisions\n- [x] R1: accepted with D1\n- R2: tents for all\n- R1 tents\n"), 2);
    assert_eq!(told("## Assumptions\n- A7: validated, because we asked\n", &known), [(2, false)]);
    assert_eq!(told("## Risks\n\n- R1: Snow\n", &known), [(3, false)]);
}

/// What is written where it is not read, and a trigger depends on it, holds the phase by its line.
// seed: S0-75, S0-76, S1-66
#[test]
fn what_cannot_be_read_and_decides_holds() {
    let assumption =
        Assumption { id: "A1".to_owned(), text: "Readers read mail weekly".to_owned(), ..Assumption::default() };
    let locked =
        Decision { id: "D1".to_owned(), title: "Remind by mail".to_owned(), locked: true, ..Decision::default() };
    let known = Knowledge { assumptions: vec![assumption], decisions: vec![locked], ..Knowledge::default() };
    let cases: [(&str, Option<usize>); 34] = [
        ("## Risks\n\n- Rain (probability 4, impact 5)\n", Some(3)),
        ("## Risks\n\n- Rain (P: 4, I: 5)\n", Some(3)),
        ("## Risks\n\n- Rain (P4, I5)\n", Some(3)),
        ("## Risks\n\n- Rain (4x5)\n", Some(3)),
        ("## Risks\n\n- Rain (4×5=20)\n", Some(3)),
        ("## Risks\n\n- Rain (20/25)\n", Some(3)),
        ("## Risks\n\n- Rain (P 0.8, I 0.9)\n", Some(3)),
        ("## Risks\n\n- Rain (score: 20)\n", Some(3)),
        ("## Risk Register Update\n\nNo changes to the risk register. R1 remains at 2 (Low × Medium).\n", None),
        ("## Risks\n\nNo new risks. R1 is now at 9 (3 × 3).\n", Some(1)),
        (
            "## Risks that came true\n\n| Risk | Probability then | Impact then |\n|---|---|---|\n| R1 Spam | Low | Medium |\n",
            None,
        ),
        (
            "## Risks that came true\n\n| Risk | Probability then | Impact then |\n|---|---|---|\n| R1 Spam | High | Medium |\n",
            Some(5),
        ),
        ("## Risks\n\n- Rain (2024)\n", None),
        ("## Risks\n\n- Nobody watches the server (24/7)\n", None),
        ("## Risks\n\n- The disk (2 TB) fills up\n", None),
        ("## Risks\n\n```yaml\n- id: R9\n  risk: The disk dies\n  probability: high\n  impact: high\n```\n", Some(5)),
        ("## Risks\n\n```yaml\n- risk: The disk dies\n```\n", None),
        ("## Decisions\n\n```yaml\n- id: D9\n  decision: Use postcards\n```\n", Some(5)),
        ("## Decisions\n\n- Log in JSON\n\n```json\n{\"level\": \"info\"}\n```\n", None),
        ("## Decisions\n\n### Format\n\n```yaml\ndecision: what was decided\n```\n", None),
        ("## Assumptions\n\n- A1 is wrong: readers read monthly\n", None),
        ("## Assumptions\n\n- A1 looks doubtful: readers read monthly\n", Some(3)),
        ("## Assumptions\n\n- A1: widerlegt, weil sie monatlich lesen\n", None),
        ("## Assumptions\n\n- A1: partly validated, mobile only\n", None),
        ("## Assumptions\n\n- A1: partly validated, wrong for mobile\n", Some(3)),
        ("## Assumptions\n\n- A1: mostly wrong\n", Some(3)),
        ("## Assumptions\n\n- A1: almost nobody looks\n", Some(3)),
        ("## Assumptions\n\n- A1: Readers read mail weekly\n", None),
        ("## Assumptions\n\n- A1: Readers read mail weekly, as the survey says\n", None),
        ("## Assumptions\n\n- A1: invalidated, because they read monthly\n", None),
        ("## Assumptions\n\n- A2: The desk answers within a day\n", None),
        ("## Assumptions\n\n- [ ] A1\n", None),
        ("## Findings\n\n- The likelihood of rain (2024) is not known\n", None),
        ("## Summary\n\n```yaml\nrisk: none\n```\n", None),
    ];
    for (text, line) in cases {
        let found = unclear("design.md", &sections(text), &known);
        let held: Vec<usize> = found.iter().filter(|one| one.holds).map(|one| one.line).collect();
        assert_eq!(held, line.into_iter().collect::<Vec<_>>(), "{text}{found:#?}");
    }
}

/// So is a decision that says whose place it takes.
// seed: S0-75
#[test]
fn a_superseding_decision_is_found_below_any_heading() {
    for (text, wanted) in [
        ("## D9: Remind by postcard\n\n- Supersedes: D1\n", &["Remind by postcard"] as &[&str]),
        ("## D9: Remind by postcard\n\nWe talked about it.\n", &[]),
        ("## Plan\n\n- Supersedes: D1\n", &[]),
    ] {
        let found = from_document("wf", "design", "d", &sections(text)).decisions;
        let titles: Vec<&str> = found.iter().map(|one| one.title.as_str()).collect();
        assert_eq!(titles, wanted, "{text}");
    }
}

/// A risk with both its ratings is one, wherever it stands.
// seed: S0-76
#[test]
fn a_rated_risk_is_found_below_any_heading() {
    let cases: [(&str, &[Option<u8>]); 8] = [
        ("## R1: The list leaks\n\n**Probability:** High\n**Impact:** High\n**Owner:** Bob\n", &[Some(9)]),
        (
            "## What could go wrong\n\n- The list leaks (probability: high, impact: medium)\n- The sun shines\n",
            &[Some(6)],
        ),
        ("## Findings\n\n- The list leaks\n  - Probability: High\n  - Impact: Low\n", &[Some(3)]),
        ("## Findings\n\n- The probability of a leak is high\n", &[]),
        ("## Findings\n\n- Impact: High\n- Probability: Low\n", &[]),
        ("## Closed risks\n\n- The list leaks (probability: high, impact: high)\n", &[]),
        ("## Options\n\n- Mail (probability: high, impact: high)\n- Cards\n", &[]),
        (
            "## Risks\n\n| Risk | Probability | Impact |\n|---|---|---|\n| Rain | Low | Low |\n\n| Fire | High | High |\n",
            &[Some(1), Some(9)],
        ),
    ];
    for (text, wanted) in cases {
        let found = from_document("wf", "design", "d", &sections(text)).risks;
        let active: Vec<Option<u8>> = found.iter().filter(|one| one.active).map(Risk::score).collect();
        assert_eq!(active, wanted, "{text}{found:#?}");
    }
}

/// A risk's score as far as it can be read, and whether what cannot be read holds the phase.
// seed: S0-76
#[test]
fn a_live_risk_is_rated_or_holds() {
    let read = |body: &str| {
        let text = format!("## Risks\n{body}\n");
        let found = from_document("wf", "design", "d", &sections(&text));
        let holds = unclear("design.md", &sections(&text), &Knowledge::default()).iter().any(|one| one.holds);
        (found.risks.first().and_then(Risk::score), holds)
    };
    let row = |p: &str, i: &str, s: &str| {
        format!("| Risk | Probability | Impact | Score |\n|---|---|---|---|\n| Rain | {p} | {i} | {s} |")
    };
    for (body, score) in [
        ("- Rain P=3 I=3", 9),
        ("- Rain (P=3, I=3)", 9),
        ("- Rain (P=3 I=2)", 6),
        ("- Rain P3/I3", 9),
        ("- Rain [P3 I2]", 6),
        ("- Rain: P: 2, I: 3", 6),
        ("- Rain. Likelihood: high, Impact: medium", 6),
        ("- Rain. Likelihood: high / Impact: medium.", 6),
        ("- Rain. Probability is high and impact is high", 9),
        ("- Rain, high probability, low impact", 3),
        ("- Rain (3×3)", 9),
        ("- Rain (H/M)", 6),
        ("- Rain: H/H", 9),
        ("- Rain — high/medium", 6),
        ("- Rain (L/L)", 1),
        ("- Rain (2x3 = 6)", 6),
        ("- Regen (Wahrscheinlichkeit: hoch, Auswirkung: mittel)", 6),
        ("- Regen\n  - Eintrittswahrscheinlichkeit: hoch\n  - Schaden: gering", 3),
        ("- Pluie (probabilité : élevée, impact : moyen)", 6),
        ("- Lluvia (probabilidad: alta, impacto: alto)", 9),
        ("- Rain\n  - Probability: Likely\n  - Severity: Critical", 9),
        ("- Rain (score: 6)", 6),
        ("| Risiko | Wahrscheinlichkeit | Auswirkung |\n|---|---|---|\n| Regen | hoch | hoch |", 9),
        (row("High", "Medium", "").as_str(), 6),
        // On other scales.
        (row("4/5", "5/5", "20").as_str(), 9),
        (row("4/5", "5/5", "20/25").as_str(), 9),
        (row("3/5", "3/5", "9").as_str(), 4),
        (row("1/5", "5/5", "5").as_str(), 3),
        (row("7/10", "4/10", "").as_str(), 6),
        (row("4 (High)", "3 (Medium)", "12").as_str(), 6),
        (row("", "", "20/25").as_str(), 8),
        ("| Risk | Probability (1-5) | Impact (1-5) | Score |\n|---|---|---|---|\n| Rain | 4 | 5 | 20 |", 9),
        ("| Risk | Likelihood 1–5 | Impact 1–5 |\n|---|---|---|\n| Rain | 2 | 2 |", 4),
        ("| Risk | L (1-5) | I (1-5) | L×I |\n|---|---|---|---|\n| Rain | 4 | 4 | 16 |", 9),
        ("| Risk | Score (1-25) |\n|---|---|\n| Rain | 6 |", 3),
        ("- Rain (likelihood: 4 of 5, impact: 2 of 5)", 6),
        ("| | Low impact | High impact |\n|---|---|---|\n| Low likelihood | | |\n| High likelihood | | Rain |", 9),
        ("| Likelihood / Impact | Low | Medium | High |\n|---|---|---|---|\n| Medium | | Rain | |", 4),
        // In other languages.
        ("- 退信（概率：高，影响：高）", 9),
        ("- 退信 (概率: 高, 影响: 中)", 6),
        ("- 退信：概率高，影响低", 3),
        ("| 风险 | 概率 | 影响 |\n|---|---|---|\n| 退信 | 高 | 高 |", 9),
        ("- 障害（発生確率：高、影響度：中）", 6),
        ("- 장애 (확률: 높음, 영향: 높음)", 9),
        ("- Дождь (вероятность: высокая, влияние: среднее)", 6),
        ("- Deszcz (prawdopodobieństwo: wysokie, wpływ: wysoki)", 9),
        ("- Regn (sannolikhet: hög, påverkan: låg)", 3),
        ("- Chuva (probabilidade: alta, impacto: médio)", 6),
        ("- Pioggia (probabilità: alta, impatto: alto)", 9),
        ("- Regen (kans: hoog, gevolg: middel)", 6),
    ] {
        assert_eq!(read(body), (Some(score), false), "{body}");
    }
    for body in [
        "- Rain (Severity: High)",
        "- Rain. Severity: High",
        "- Rain\n  - Severity: High",
        "- Rain\n  - Impact: Medium",
        "- Rain\n  - Probability: High",
        "- [HIGH] Rain",
        "- **High:** Rain",
        "- Rain (critical)",
        "- Rain\n  - Level: High",
        "- Rain. Risk level: High",
        "- Regen. Schwere: hoch",
        row("tbd", "High", "").as_str(),
        row("", "High", "").as_str(),
        row("High", "?", "").as_str(),
        row("4", "5", "20").as_str(),
        row("5", "2", "").as_str(),
        "| Risk | Exposure | Damage |\n|---|---|---|\n| Rain | High | High |",
        "- 退信（影响：高）",
        row("often", "High", "").as_str(),
        "Rain is a high risk, probability and impact alike.",
    ] {
        let (score, holds) = read(body);
        assert!(score.is_none() && holds, "{body}: {score:?}");
    }
    for body in [
        "- Rain",
        "- Rain on the day of the move, which nobody can plan for",
        "- Rain (Severity: High, Status: closed)",
        "- ~~Rain (critical)~~",
        "- A high wall falls",
        "- I see rain",
        "- Impact on readers is not known",
        row("", "", "").as_str(),
        row("tbd", "tbd", "tbd").as_str(),
        "There are no risks that are new here.",
        "We see no high risks here; impact on readers is low.",
        "Keine hohen Risiken.",
        "| Risk | Priority | Mitigation |\n|---|---|---|\n| Rain | High | A roof |",
        "| Risk | Mitigation |\n|---|---|\n| Rain | A high roof |",
        "| | Low impact | High impact |\n|---|---|---|\n| Low likelihood | Low | Medium |\n| High likelihood | 🟡 | 9 |",
        "| Risk Level | Count | Highest Priority Risk |\n|---|---|---|\n| High | 0 | None |\n| Medium | 1 | Spam |",
        "None.",
    ] {
        assert_eq!(read(body), (None, false), "{body}");
    }
}

/// Rated risks in a table count below whichever heading; how they are rated, and those that are over, do not.
#[test]
fn a_table_of_rated_risks_counts_below_any_heading() {
    let table = "| Risk | Probability | Impact | Test |\n|---|---|---|---|\n| Bounce storm | High | High | load |\n";
    let score = |text: &str| {
        let found = from_document("wf", "test", "d", &sections(text));
        found.risks.first().and_then(Risk::score)
    };
    for heading in [
        "## Risk-Based Test Priorities",
        "## Risk Matrix",
        "## What could go wrong",
        "## 风险",
        "## Risiken",
        "## Riesgos",
        "## Risques",
        "## Principaux risques",
        "## Mögliche Risiken",
        "## Potential Risks",
        "## Риски",
        "## Ryzyka",
        "## Test Plan",
    ] {
        assert_eq!(score(&format!("{heading}\n\nWe test these first.\n\n{table}")), Some(9), "{heading}");
    }
    for heading in ["## Mitigated Risks", "## Closed", "## Options", "## Example", "## Risk Scoring Scale"] {
        assert_eq!(score(&format!("{heading}\n\n{table}")), None, "{heading}");
    }
    for other in [
        "## Strategy\n\n| Area | Risk | Priority |\n|---|---|---|\n| Login | High | 1 |\n",
        "## Scores\n\n| Probability | Impact | Score |\n|---|---|---|\n| High | High | 9 |\n",
        "## Findings\n\n| ID | Severity | Finding |\n|---|---|---|\n| F1 | High | No test |\n",
    ] {
        assert_eq!(score(other), None, "{other}");
    }
    let unread = "## Risk Matrix\n\n| Risk | Likelihood | Impact |\n|---|---|---|\n| Bounce storm | 4 | 5 |\n";
    let told = unclear("test.md", &sections(unread), &Knowledge::default());
    assert_eq!(told.iter().map(|one| (one.line, one.holds)).collect::<Vec<_>>(), [(5, true)]);
    assert!(told[0].text.contains("Impact (1-5)"), "{}", told[0].text);
}

#[test]
fn a_decision_in_prose_holds_beside_a_locked_one() {
    let decided = |locked, status| Decision {
        id: "D1".to_owned(),
        title: "Use JWT".to_owned(),
        locked,
        status,
        ..Decision::default()
    };
    let holds = |text: &str, one: Decision| {
        let known = Knowledge { decisions: vec![one], ..Knowledge::default() };
        let text = format!("## Decisions\n\n{text}\n");
        unclear("design.md", &sections(&text), &known).into_iter().any(|one| one.holds)
    };
    for text in [
        "We send a mail a week.",
        "Cookies take over.\nMore of it.",
        "> Cookies take over",
        "**Cookies** it is",
        "No JWT.",
        "See that we drop JWT and all its keys before the summer comes.",
        "As decided in D1, we use JWT. Cookies take over in May.",
        "As decided in D1, we drop JWT.",
        "Nothing of decision D1 stands.",
        "None. We drop JWT.",
        "No decisions beyond D1; we use cookies.",
        "None. From May we go with cookies.",
    ] {
        assert!(holds(text, decided(true, DecisionStatus::Accepted)), "{text}");
        assert!(!holds(text, decided(false, DecisionStatus::Accepted)), "{text}");
        assert!(!holds(text, decided(true, DecisionStatus::Withdrawn)), "{text}");
    }
    for text in [
        "None.",
        "No decisions were taken in this phase.",
        "[Decisions: to be written]",
        "<!-- one a line -->",
        "- Cookies",
        "No new decisions.",
        "Nothing new; all earlier decisions stand.",
        "As decided in D1, we use JWT.",
        "Nothing new was decided. As decided in D1, we use JWT.",
        "Keine.",
        "Aucune.",
        "无",
        "See docs/forge/knowledge/decisions.md.",
        "Same as research.",
        "No change to D1.",
        "No decisions beyond D1.",
        "None in this phase beyond D1.",
        "Keine neuen.",
        "**None.** This phase only gathers facts.",
        "We stay with D1. Nothing else was decided.",
    ] {
        assert!(!holds(text, decided(true, DecisionStatus::Accepted)), "{text}");
    }
    // Beside a list only what speaks of the locked one.
    let beside = |prose: &str| {
        holds(&format!("{prose}\n\n- Cache keys\n  for an hour\n"), decided(true, DecisionStatus::Accepted))
    };
    assert!(beside("We drop JWT.") && beside("Above all:\nno more JWT."));
    assert!(!beside("What we decided this week:") && !beside("We drop JWT in health checks (keeps D1)."));
    let after = |prose: &str| holds(&format!("- Cache keys\n\n{prose}"), decided(true, DecisionStatus::Accepted));
    assert!(after("JWT is dropped.") && !after("JWT keys are rotated."));
}

#[test]
fn what_became_of_assumptions_is_told_by_a_heading_too() {
    let text = "## Validated Assumptions\n- A1: the survey says so\n- Readers have mail\n## Invalidated Assumptions\n- T2: they do not\n";
    let found = from_document("wf", "research", "d", &sections(text));
    let validations: Vec<_> =
        found.validations.iter().map(|one| (one.assumption.as_str(), one.standing, one.because.as_str())).collect();
    assert_eq!(validations, [("A1", Standing::Validated, "the survey says so")]);
    let assumptions: Vec<_> = found.assumptions.iter().map(|one| (one.text.as_str(), one.standing)).collect();
    assert_eq!(assumptions, [("Readers have mail", Standing::Validated), ("T2: they do not", Standing::Invalidated)]);
    let short = "## Risks\n| Risk | L | I |\n|---|---|---|\n| Spam | H | M |\n";
    assert_eq!(from_document("wf", "research", "d", &sections(short)).risks[0].score(), Some(6));
}

#[test]
fn the_same_is_added_once_and_what_differs_is_added() {
    for (a, b) in [("Mails within 24 hours", "mails within  24 hours."), ("**Postage** stays", "Postage stays")] {
        assert!(says_the_same(a, b), "{a} {b}");
    }
    for (a, b) in [
        ("Mails within 24 hours", "Mails within 48 hours"),
        ("cost < 5", "cost > 5"),
        ("cost ≤ 5", "cost ≥ 5"),
        ("cost <= 5", "cost < 5"),
        ("5 ms", "5 s"),
        ("above -5 degrees", "above 5 degrees"),
        ("5%", "5"),
    ] {
        assert!(!says_the_same(a, b), "{a} {b}");
    }
    let found = |text: &str| from_document("wf", "design", "d", &sections(text));
    let known = Knowledge {
        constraints: vec![Constraint {
            id: "C1".to_owned(),
            text: "At most 24 hours".to_owned(),
            ..Constraint::default()
        }],
        risks: vec![
            Risk {
                id: "R1".to_owned(),
                text: "Rain".to_owned(),
                probability: Some(1),
                impact: Some(1),
                active: true,
                ..Risk::default()
            },
            Risk { id: "R2".to_owned(), text: "Snow".to_owned(), ..Risk::default() },
        ],
        ..Knowledge::default()
    };
    let news = |text: &str| {
        let news = known.news(&found(text));
        let constraints = news.constraints.into_iter().map(|one| one.id);
        constraints.chain(news.risks.into_iter().map(|one| one.id)).collect::<Vec<_>>()
    };
    assert_eq!(news("## Constraints\n- at most 24 hours\n"), [""; 0]);
    assert_eq!(news("## Constraints\n- At most 48 hours\n"), ["C2"]);
    assert_eq!(news("## Risks\n- Rain\n"), [""; 0]);
    assert_eq!(news("## Risks\n- Rain (probability high, impact high)\n"), ["R3"]);
    assert_eq!(news("## Risks\n- Snow\n"), ["R3"]);
    assert_eq!(news("## Risks\n- R9: Ice\n- Hail\n- R2: gone\n"), ["R9", "R10"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, rng_seed: RngSeed::Fixed(20_260_801), ..ProptestConfig::default() })]

    #[test]
    fn no_section_is_too_broken(bodies in prop::collection::vec("([a-zA3é]|[|*`:\\[\\]()<>!#.-]|\n|  |- ){0,60}", 5)) {
        let titles = ["Decisions", "Constraints", "Assumptions", "Risks", "Kill-Switch Criteria"];
        let sections: Vec<Section> = titles.iter().zip(bodies).map(|(title, body)| {
            Section { title: (*title).to_owned(), body, line: 1, body_line: 2 }
        }).collect();
        let found = from_document("wf", "design", "2026-01-28", &sections);
        prop_assert_eq!(&found, &from_document("wf", "design", "2026-01-28", &sections));
        let named = found.decisions.iter().map(|one| one.title.as_str())
            .chain(found.risks.iter().map(|one| one.text.as_str()))
            .chain(found.assumptions.iter().map(|one| one.text.as_str()));
        for text in named {
            prop_assert!(!forge_prose::blanks::is_placeholder(text), "{text:?}");
        }
    }
}

#[test]
fn a_heading_is_known_by_its_words_in_whichever_form_it_is_written() {
    let titles = |text: &str| -> Vec<String> {
        let found = from_document("forge-20260127", "design", "2026-01-28", &sections(text));
        found.decisions.into_iter().map(|one| one.title).collect()
    };
    let item = "- Use MySQL for storage\n";
    for heading in [
        "## Decision",
        "## Final Decision",
        "## Decision Log",
        "## Decided",
        "## What we decided",
        "## ADRs",
        "## Technology choices",
        "## Entscheidungen",
        "## Getroffene Entscheidungen",
        "## Décisions",
        "## Decisiones",
        "## Decisões",
        "## Decisioni",
        "## Beslissingen",
        "## Решения",
        "## 决定",
        "## 決定事項",
        "## 결정 사항",
        "## Findings\n\n**Decisions:**",
        "## Findings\n\n**Decisions**",
        "## Findings\n\n**Decisions**:",
        "## Findings\n\nDecisions:",
        "## Findings\n\nWe looked.\n\n**Key decisions:**\n",
    ] {
        let text = format!("{heading}\n{item}\n**Next steps:**\n\n## Notes\n- other\n");
        assert_eq!(titles(&text), ["Use MySQL for storage"], "{heading}");
    }
    for text in [
        "## Decision: Use MySQL for storage\n\nIt is faster.\n",
        "## Decision 3: Use MySQL for storage\n\nIt is faster.\n",
        "## ADR-3: Use MySQL for storage\n",
        "## Decision\n\nUse MySQL for storage\n",
        "## Findings\n\n**Decision:** Use MySQL for storage\n",
        "## Findings\n\nDecision: Use MySQL for storage\nRationale: speed\n",
        "## Findings\n\n- **Decision:** Use MySQL for storage\n- **Why:** speed\n",
    ] {
        assert_eq!(titles(text), ["Use MySQL for storage"], "{text}");
    }
    for (text, title) in [
        ("## Design Decisions\n\n### Storage\n**Decision:** MySQL\n**Rationale:** speed\n", "Storage: MySQL"),
        ("## Decisions\n\n- Storage\n  - Decision: MySQL\n", "Storage: MySQL"),
        ("## Storage\n\n**Decision:** MySQL\n", "Storage: MySQL"),
        ("## Decisions\n\n### Use MySQL\n**Decision:** Use MySQL for storage\n", "Use MySQL for storage"),
        ("## Decisions\n\n* **Storage** → MySQL\n", "Storage: MySQL"),
        ("## Decisions\n\n- **Storage**: MySQL\n", "Storage: MySQL"),
    ] {
        assert_eq!(titles(text), [title], "{text}");
    }
    for none in [
        "## Decision criteria\n- cheap\n",
        "## Decisions needed\n- MySQL or Postgres\n",
        "## Open decisions\n- MySQL or Postgres\n",
        "## Decision drivers\n- cost\n",
        "## To be decided\n- MySQL or Postgres\n",
        "## Findings\n\nOur decision process: slow\n- one\n",
        "## Options\n\n### MySQL\n**Decision:** pending\n**Risks:**\n- slow\n",
        "## Decision\n\nNo decision was taken in this phase.\n",
        "## Decision\n\nNone yet.\n",
    ] {
        assert_eq!(titles(none), Vec::<String>::new(), "{none}");
    }
    let risks = |text: &str| -> Vec<(String, Option<u8>)> {
        let found = from_document("forge-20260127", "design", "2026-01-28", &sections(text));
        found.risks.iter().map(|one| (one.text.clone(), one.score())).collect()
    };
    for text in [
        "## Findings\n\n**Risks:**\n- Loss (probability: high, impact: high)\n",
        "## Risiken\n- Loss (Wahrscheinlichkeit: hoch, Auswirkung: hoch)\n",
        "## Riesgos\n- Loss (probabilidad: alta, impacto: alto)\n",
        "## Risques\n- Loss (probabilité : élevée, impact : élevé)\n",
        "## Findings\n\nRisk: Loss\nProbability: High\nImpact: High\n",
        "## Risks\n- Loss: high × high\n",
        "## Risiken\n| Risiko | Wahrscheinlichkeit | Auswirkung |\n|---|---|---|\n| Loss | hoch | hoch |\n",
    ] {
        let found = risks(text);
        assert!(found.len() == 1 && found[0].0.starts_with("Loss") && found[0].1 == Some(9), "{text}: {found:?}");
    }
}

/// A status that denies that a risk is over leaves it open, whatever the language.
#[test]
fn a_denied_status_closes_nothing() {
    let active = |status: &str| {
        let text = format!(
            "## Risks\n\n| Risk | Probability | Impact | Status |\n|---|---|---|---|\n| Rain | High | High | {status} |\n"
        );
        from_document("wf", "design", "d", &sections(&text)).risks.iter().any(|one| one.active)
    };
    for status in ["no cerrado", "no resuelto", "non chiuso", "nicht geschlossen", "not closed", "open", ""] {
        assert!(active(status), "{status}");
    }
    for status in ["closed", "cerrado", "chiuso", "no longer relevant", "closed, no cost", "mitigated by Ann"] {
        assert!(!active(status), "{status}");
    }
}

/// What a document says of an assumption is taken over or asked about, whatever stands above it.
// seed: S1-66
#[test]
fn a_result_is_never_lost() {
    let assumption =
        |id: &str, text: &str| Assumption { id: id.to_owned(), text: text.to_owned(), ..Assumption::default() };
    let known = Knowledge {
        assumptions: vec![
            assumption("A1", "Readers look at their mail weekly"),
            assumption("A2", "All have a printer"),
        ],
        ..Knowledge::default()
    };
    let (wrong, right) = (Standing::Invalidated, Standing::Validated);
    let read: [(&str, &[(&str, Standing)]); 22] = [
        ("## Assumptions\n| Assumption | Verdict |\n|---|---|\n| A1 | Partially validated |\n", &[]),
        ("## Assumptions\n| ID | Status | Notes |\n|---|---|---|\n| A2 | Partially validated | 20 only |\n", &[]),
        ("## Assumptions\n- A1: partially confirmed\n- A2 is assumed to hold during the tests\n", &[]),
        (
            "## Annahmen\n| ID | Annahme | Ergebnis | Beleg |\n|---|---|---|---|\n| A1 | Leser sehen wöchentlich in ihre Mails | bestätigt | Umfrage |\n| A2 | Alle haben einen Drucker | widerlegt | Umfrage |\n",
            &[("A1", right), ("A2", wrong)],
        ),
        ("## Annahmen\n- A1: noch offen, wird im Pilot geprüft\n- A2: bestätigt\n", &[("A2", right)]),
        ("## Annahmen\n- A1: noch nicht bestätigt\n- A2: teilweise bestätigt\n", &[]),
        ("## Assumptions: what we learned\n- A1 was right\n- A2 was right, mostly\n", &[("A1", right)]),
        ("## Assumptions\n- A1: falsch\n- A2: OK\n", &[("A1", wrong), ("A2", right)]),
        ("## Assumptions\n\nA1: validated (poll of 212 readers).\n", &[]),
        ("## Detailed notes\n- A1 holds: 95% of readers look weekly.\n- A2 holds as well.\n", &[]),
        ("## Assumptions to be verified by tests\n- A1 is verified in the pilot by the open rate\n", &[]),
        (
            "## Assumption Validation\n| ID | Result | Evidence |\n|---|---|---|\n| A1 | Invalidated | 40 of 100 |\n| A2 | Validated | sample |\n",
            &[("A1", wrong), ("A2", right)],
        ),
        (
            "## Hypotheses\n| # | Hypothesis | Outcome |\n|---|---|---|\n| A1 | Readers look weekly | rejected |\n",
            &[("A1", wrong)],
        ),
        ("## Assumption Check\n- A1: invalidated, because 40 of 100\n", &[("A1", wrong)]),
        (
            "## Assumptions\n- A1: ❌ Invalidated - only 40 of 100\n- A2: ✅ Validated\n",
            &[("A1", wrong), ("A2", right)],
        ),
        ("## Assumptions\n- A1 - still open, cannot be checked before the pilot\n- A2: not yet validated\n", &[]),
        ("## Assumptions\n- A1: still to be validated\n", &[]),
        ("## Assumptions\n- A1: could not be validated\n", &[]),
        ("## Assumptions\n- A1: validation pending\n- A2: needs validation in design\n", &[]),
        ("## Assumptions\n- A1: FALSE - 40 of 100\n- A2: ✔ holds\n", &[("A1", wrong), ("A2", right)]),
        (
            "## Assumptions\n### Invalidated\n- A1: only 40 of 100\n### Open\n- A2: All have a printer\n",
            &[("A1", wrong)],
        ),
        ("## Findings\n| A1 | Login works | failed |\n|---|---|---|\n| A2 | Mail is sent | passed |\n", &[]),
    ];
    for (text, wanted) in read {
        let found = from_document("wf", "research", "d", &sections(text)).validations;
        let found: Vec<_> = found.iter().map(|one| (one.assumption.as_str(), one.standing)).collect();
        assert_eq!(found, wanted, "{text}");
        let told = unclear("research.md", &sections(text), &known);
        assert!(told.iter().all(|one| !one.holds), "{text}{told:#?}");
    }
    for (text, line) in [
        ("## Assumption Check\n\nA1 is wrong: only 40 of 100 readers look at their mail weekly.\n", 3),
        ("## Findings on A1\n\nReaders do not look weekly. **A1: INVALIDATED**\n", 3),
        ("## Findings\n\n| Id | Result |\n|---|---|\n| A1 | wrong |\n", 5),
        ("## Assumptions\n- A1: only in big towns\n", 2),
        ("## Assumptions\n\nA1: invalidated (poll of 212 readers).\n", 3),
    ] {
        let held: Vec<usize> = unclear("research.md", &sections(text), &known)
            .iter()
            .filter(|one| one.holds)
            .map(|one| one.line)
            .collect();
        assert_eq!(held, [line], "{text}");
        assert!(from_document("wf", "research", "d", &sections(text)).validations.is_empty(), "{text}");
    }
    for text in [
        "## Findings\n\nIf A1 is wrong we write cards.\n",
        "## Findings\n\n- [ ] A1 is wrong\n",
        "## Findings\n\nIs A1 wrong?\n",
    ] {
        assert_eq!(unclear("research.md", &sections(text), &known), [], "{text}");
    }
}

/// Entries whose names stand in bold above their values are entries, and nothing of what was decided is lost.
// seed: S1-65
#[test]
fn an_entry_may_be_a_line_in_bold() {
    let text = "## Decisions\n\n**DD-1: Jinja for templates**\n- Status: accepted\n- Rationale: known\n\n**DD-2: Weekly cron job**\n- Status: proposed\n
## Constraints\n\n**C-10: At most 200 mails per slice**\n- Source: handbook\n
## Assumptions\n\n**A-10: Relay speaks TLS**\n- Risk if wrong: High\n
## Risks\n\n**R-1: Relay outage on Sunday**\n- Probability: High\n- Impact: High\n";
    let found = from_document("wf", "design", "d", &sections(text));
    let decisions: Vec<_> = found
        .decisions
        .iter()
        .map(|one| (one.id.as_str(), one.title.as_str(), one.rationale.as_str(), one.status))
        .collect();
    assert_eq!(
        decisions,
        [
            ("DD-1", "Jinja for templates", "known", DecisionStatus::Accepted),
            ("DD-2", "Weekly cron job", "", DecisionStatus::Proposed)
        ]
    );
    assert_eq!(
        found.constraints.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(),
        ["At most 200 mails per slice"]
    );
    assert_eq!(found.assumptions.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(), ["Relay speaks TLS"]);
    assert_eq!(
        found.risks.iter().map(|one| (one.text.as_str(), one.score())).collect::<Vec<_>>(),
        [("Relay outage on Sunday", Some(9))]
    );
    let kept = |text: &str| {
        let found = from_document("wf", "design", "d", &sections(text)).decisions;
        found.iter().map(|one| format!("{} | {}", one.title, one.rationale)).collect::<Vec<_>>()
    };
    let split = "## Decisions\n1. **Templates:** Jinja, because the team knows it\n2. **Schedule:** Sundays at 04:00\n   - Rationale: nobody is in\n";
    assert_eq!(
        kept(split),
        ["Templates | Jinja, because the team knows it", "Schedule: Sundays at 04:00 | nobody is in"]
    );
    assert_eq!(
        kept("## Decisions\n\n### Templates\n\n- Engine: Jinja\n- Escaping: on\n"),
        ["Engine: Jinja | ", "Escaping: on | "]
    );
    let grouped = "## Decisions\n\n**Backend**\n- Use Postgres\n\n**Rationale:**\n- it is known\n";
    assert_eq!(kept(grouped)[0], "Use Postgres | ");
}

/// A high rating is read, or asked about, in whichever words it is given; a low one holds nothing.
// seed: S0-76
#[test]
fn a_rating_in_other_words_is_read_or_asked_about() {
    let read = |text: &str| {
        let found = from_document("wf", "design", "d", &sections(text));
        let holds = unclear("design.md", &sections(text), &Knowledge::default()).iter().any(|one| one.holds);
        let highest = found.risks.iter().filter(|one| one.active).filter_map(Risk::score).max();
        (highest, holds)
    };
    for text in [
        "## Risks\n- Relay outage. Risk score: 9/9.\n",
        "## Risks\n- Relay outage. Score: 9\n",
        "## Risks\n| Risk | Prob. | Impact |\n|---|---|---|\n| Relay outage | H | H |\n",
        "## What could go wrong\n| What | How likely | How bad |\n|---|---|---|\n| Relay outage | High | High |\n",
        "## Risks\n### Technical\n- Relay outage (probability: High, impact: High)\n- Footer (probability: Low, impact: Low)\n### Legal\n- Fine (probability: Low, impact: High)\n",
        "## Options\n\n- [Name]: [What it is]\n\n**Risks**\n\n- Relay outage (probability: High, impact: High)\n",
        "## Risk Update\n| Risk ID | Description | P | I | Score |\n|---|---|---|---|---|\n| R2 | Relay outage | High | High | 9 |\n",
        "## Risk: Relay outage on Sunday\n\n- Probability: High\n- Impact: High\n",
        "## Failure Modes\n| Failure Mode | Probability | Impact |\n|---|---|---|\n| Relay outage | High | High |\n",
    ] {
        assert_eq!(read(text), (Some(9), false), "{text}");
    }
    for text in [
        "## Risks\n- High risk: Relay outage\n- Low risk: footer\n",
        "## Risks\n### High\n- Relay outage\n### Low\n- Footer\n",
        "## Risks\n### Critical risks (score >= 6)\n- Relay outage\n",
        "## Findings about the relay\nThe relay fails often. **Risk level: HIGH** (probability 3, impact 3).\n",
        "## Updated risk picture\nR1 turned out worse: probability is now High and impact High.\n",
    ] {
        assert!(read(text).1, "{text}");
    }
    for text in [
        "## Risk Assessment\n| Area | Risk Level | Comment |\n|---|---|---|\n| Security | Low | TLS |\n| Operations | Medium | one person |\n",
        "## Risks\n- Low risk: footer\n",
        "## Risks\n### Low\n- Footer\n",
        "## Risks\n### Closed\n- Relay outage (probability: High, impact: High)\n",
        "## Risks\n### Operations\n- Footer\n",
        "## Risks\n- ~~Relay outage (probability: High, impact: High)~~ closed on Friday\n",
        "## Risks\n- [x] Relay outage (probability: High, impact: High) - closed\n",
        "## Risks\n- Level 3 support is missing\n",
    ] {
        let (score, holds) = read(text);
        assert!(score.is_none() && !holds, "{text}: {score:?} {holds}");
    }
}

/// Who writes that nothing is challenged challenges nothing.
// seed: S0-75
#[test]
fn a_decision_is_challenged_by_words_that_do() {
    use forge_workflow::extract::{challenged, challenges_unread};
    let read = |text: &str| (challenged(&sections(text)), challenges_unread(&sections(text)).is_some());
    for text in [
        "## Prior Decisions Challenged\nN/A - D1 confirmed by the pilot.\n",
        "## Prior Decisions Challenged\nNo challenges to D1 or to any other locked decision were identified in this phase.\n",
        "## Challenges to Prior Decisions\nNone. D1 holds.\n",
        "## Challenged Decisions\n- None. D1 is respected throughout.\n",
        "## Prior Decisions Challenged\n- D1: no challenge\n",
        "## Prior Decisions Challenged\nD1 (digest mail) is confirmed; nothing is challenged.\n",
        "## Prior Decisions Challenged\n| Decision | Challenged? |\n|---|---|\n| D1 | No |\n",
        "## Challenges Encountered\n- D1 was harder to test than expected\n",
        "## Challenges and solutions\n- D1: took a week\n",
    ] {
        assert_eq!(read(text), (Vec::new(), false), "{text}");
    }
    for text in [
        "## Prior Decisions Challenged\n- D1: it is slow\n",
        "## Prior Decisions Challenged\n- D1: no longer holds\n",
        "## Prior Decisions Challenged\n- D1 does not hold\n",
        "## Prior Decisions Challenged\n- D1: stands in the way\n",
        "## Prior Decisions Challenged\n- D1: figures do not match, so it is challenged\n",
        "## Prior Decisions Challenged\n- [x] D1\n",
        "## Prior Decisions Challenged\n| Decision | Why |\n|---|---|\n| D1 | No confidence left |\n",
        "## Challenges\n- D1: it is slow\n",
        "## Summary\n**Challenges:** D1\n",
    ] {
        assert_eq!(read(text), (vec!["D1".to_owned()], false), "{text}");
    }
    for text in [
        "## Challenged Decisions\nThe mail is too slow.\n",
        "## Challenged Decisions\n| Decision | Why |\n|---|---|\n| Digest mail | too slow |\n",
        "## Challenged Decisions\n- [ ] D1\n",
    ] {
        assert_eq!(read(text), (Vec::new(), true), "{text}");
    }
}

/// A number behind the bare word for an entry counts the document's own entries.
#[test]
fn a_documents_own_numbers_are_no_ids() {
    let text = "## Decisions\n### Decision 1: Jinja for the templates\n### Decision 2: Sundays\n## Assumptions\n- Assumption 1: Relay speaks TLS\n## Risks\n- Risk 1: Relay outage\n";
    let found = from_document("wf", "design", "d", &sections(text));
    let titles: Vec<_> = found.decisions.iter().map(|one| (one.id.as_str(), one.title.as_str())).collect();
    assert_eq!(titles, [("", "Jinja for the templates"), ("", "Sundays")]);
    assert_eq!((found.assumptions[0].id.as_str(), found.assumptions[0].text.as_str()), ("", "Relay speaks TLS"));
    assert_eq!((found.risks[0].id.as_str(), found.risks[0].text.as_str()), ("", "Relay outage"));
}

/// What speaks against a locked decision where no decision is read is named with its line.
// seed: S0-75
#[test]
fn words_against_a_locked_decision_are_found_anywhere() {
    use forge_workflow::extract::against_locked;
    let locked = Decision { id: "D1".to_owned(), title: "Digest mail".to_owned(), locked: true, ..Decision::default() };
    let known = Knowledge { decisions: vec![locked], ..Knowledge::default() };
    let read =
        |text: &str| against_locked(&sections(text), &known).into_iter().map(|(line, ..)| line).collect::<Vec<_>>();
    for (text, line) in [
        ("## Outcome\nWe supersede D1: text messages for all readers.\n", 2),
        ("## Conclusion\nThe new figures invalidate D1; a debate is needed before we go on.\n", 2),
        ("## Prior Decision Status\n- D1: ❌ invalidated by the pilot\n", 2),
        ("## Decisions in hindsight\n| Decision | Good? |\n|---|---|\n| D1 | No |\n", 4),
        (
            "## Decision Check\n| Decision | Still valid? | Comment |\n|---|---|---|\n| D1 | No | 31 of 100 opened |\n",
            4,
        ),
    ] {
        assert_eq!(read(text), [line], "{text}");
    }
    for text in [
        "## Outcome\nNothing here supersedes D1.\n",
        "## Outcome\nDoes this supersede D1?\n",
        "## Outcome\nIf the figures invalidate D1 we debate.\n",
        "## Outcome\nWe would supersede D1 if mails were read less (keeps D1).\n",
        "## Decision Check\n| Decision | Still valid? |\n|---|---|\n| D1 | Yes |\n",
        "## Outcome\nD1 holds.\n",
    ] {
        assert_eq!(read(text), Vec::<usize>::new(), "{text}");
    }
}
