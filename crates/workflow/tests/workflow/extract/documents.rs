//! What a person wrote in a phase document.

use super::world::sections;
use forge_debate::turn::Section;
use forge_workflow::extract::from_document;
use forge_workflow::extract::statements::is_source;
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
            prop_assert!(!forge_debate::form::is_placeholder(text), "{text:?}");
        }
    }
}
