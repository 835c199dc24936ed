//! Registries after the manner of the systems that the seeds come from.

use super::{Files, findings, knowledge, merged};
use forge_artifacts::formats::{knowledge::*, phase_document};
use forge_workflow::extract;
use forge_workflow::knowledge::{Decision, DecisionStatus, Findings, Kind, Knowledge, Standing};
use forge_workflow::tripwire::tripwires;

macro_rules! registry {
    ($name:literal) => {
        [
            include_str!(concat!("../registries/", $name, "/decisions.md")).to_owned(),
            include_str!(concat!("../registries/", $name, "/constraints.md")).to_owned(),
            include_str!(concat!("../registries/", $name, "/assumptions.md")).to_owned(),
            include_str!(concat!("../registries/", $name, "/risks.md")).to_owned(),
        ]
    };
}

fn all() -> [Files; 4] {
    [registry!("untouched"), registry!("filled"), registry!("fork"), registry!("installer")]
}

fn only(decisions: &str) -> Knowledge {
    read_all(decisions, "", "", "")
}

fn standing(known: &Knowledge) -> Vec<&str> {
    known.standing_decisions().map(|one| one.id.as_str()).collect()
}

// seed: S1-31
#[test]
fn an_untouched_registry_knows_nothing_and_keeps_its_numbers() {
    for files in [registry!("untouched"), registry!("installer")] {
        let known = knowledge(&files);
        let nothing = Knowledge { taken_ids: known.taken_ids.clone(), ..Knowledge::default() };
        assert_eq!(known, nothing, "{:#?}", known.unclear);
    }
    let news = knowledge(&registry!("untouched")).news(&findings());
    let ids = (&news.decisions[0].id, &news.constraints[0].id, &news.assumptions[0].id, &news.risks[0].id);
    assert_eq!(ids, (&"D1".to_owned(), &"C2".to_owned(), &"A2".to_owned(), &"R2".to_owned()));
}

// seed: S1-11, S1-31
#[test]
fn a_filled_registry_is_read_as_it_is_meant() {
    let known = knowledge(&registry!("filled"));
    assert_eq!(known.unclear, []);
    let decisions: Vec<_> = known.decisions.iter().map(|one| (one.id.as_str(), one.status)).collect();
    assert_eq!(
        decisions,
        [
            ("DB1", DecisionStatus::Accepted),
            ("D-build-1", DecisionStatus::Superseded),
            ("DT2", DecisionStatus::Proposed),
            ("D007", DecisionStatus::Rejected),
            ("D001", DecisionStatus::Superseded),
        ]
    );
    assert_eq!(standing(&known), ["DB1"]);
    let first = &known.decisions[0];
    assert_eq!(first.rationale, "It costs nothing per reader, and nine of ten readers gave an address.");
    assert_eq!((first.phase.as_str(), first.date.as_str()), ("brainstorm", "2026-05-02"));
    let wires: Vec<_> = tripwires(&known).into_iter().map(|one| (one.id.clone(), one.ticked, one.phrase())).collect();
    assert_eq!(
        wires,
        [
            ("DB1.1".to_owned(), false, "Fewer than 60 of 100 mails are opened in the first month".to_owned()),
            ("DB1.2".to_owned(), true, "More than 5 complaints in a week".to_owned()),
        ]
    );
    let constraints: Vec<&str> = known.standing_constraints().map(|one| one.id.as_str()).collect();
    assert_eq!(constraints, ["C1", "C2", "S1", "DC2"]);
    let assumptions: Vec<_> = known.assumptions.iter().map(|one| (one.id.as_str(), one.standing)).collect();
    assert_eq!(
        assumptions,
        [
            ("T2", Standing::Open),
            ("A014", Standing::Validated),
            ("V1", Standing::Validated),
            ("I1", Standing::Invalidated),
        ]
    );
    let risks: Vec<_> = known.risks.iter().map(|one| (one.id.as_str(), one.active, one.score())).collect();
    assert_eq!(
        risks,
        [
            ("R1", true, Some(6)),
            ("R3", true, Some(3)),
            ("M1", false, None),
            ("AC1", true, None),
            ("RR1", true, Some(4)),
        ]
    );
    assert_eq!(known.risks[1].owner, "");
    assert_eq!(known.risks[3].accepted_by.as_deref(), Some("town council"));
    assert_eq!(known.risks[4].owner, "Bo");
    let news = known.news(&findings());
    let ids = (&news.decisions[0].id, &news.constraints[0].id, &news.assumptions[0].id, &news.risks[0].id);
    assert_eq!(ids, (&"D8".to_owned(), &"C4".to_owned(), &"A15".to_owned(), &"R4".to_owned()));
}

#[test]
fn a_registry_of_one_table_is_read() {
    let known = knowledge(&registry!("fork"));
    // It says how bad its risk is, and not how likely: whether that calls for a debate cannot be told.
    let unclear: Vec<_> = known.unclear.iter().map(|one| (one.file.as_str(), one.line, one.holds)).collect();
    assert_eq!(unclear, [(Kind::Risk.file(), 5, true)]);
    assert_eq!(standing(&known), ["D2"]);
    assert_eq!(known.standing_constraints().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["C2"]);
    assert_eq!(known.open_assumptions().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["A1"]);
    assert_eq!((known.risks[0].impact, known.risks[0].score(), known.risks[0].active), (Some(3), None, true));
}

#[test]
fn what_is_added_to_any_registry_stands_and_changes_no_byte() {
    for files in all() {
        for crlf in [false, true] {
            let files = if crlf { files.clone().map(|file| file.replace('\n', "\r\n")) } else { files.clone() };
            let before = knowledge(&files);
            let (after, news) = merged(&files, &findings());
            let read = knowledge(&after);
            for (was, is) in files.iter().zip(&after) {
                assert!(is.starts_with(was.as_str()), "{is}");
            }
            assert!(read.news(&findings()).is_empty());
            assert_eq!(read.decisions.last(), news.decisions.last());
            assert_eq!(standing(&read).len(), standing(&before).len() + 1);
            assert_eq!(read.constraints.len(), before.constraints.len() + 1);
            assert!(read.standing_constraints().any(|one| *one == news.constraints[0]));
            assert_eq!(read.risks.len(), before.risks.len() + 1);
            assert!(read.risks.iter().any(|one| one.active && *one == news.risks[0]));
            assert_eq!(read.unclear, before.unclear);
        }
    }
}

#[test]
fn what_is_added_below_old_entries_is_not_old() {
    let text = "# Decisions\n\n# Superseded\n\n## D1: Cards\n";
    let (after, news) =
        merged(&[text.to_owned(), String::new(), String::new(), "# R\n\n# Mitigated Risks\n".to_owned()], &findings());
    let read = knowledge(&after);
    assert_eq!(standing(&read), [news.decisions[0].id.as_str()]);
    assert!(after[0].starts_with(text) && after[3].starts_with("# R\n\n# Mitigated Risks\n"));
    assert_eq!(read.risks, news.risks);
    let full = "# Risks\n\n## Mitigated Risks\n\n| ID | Risk | Probability | Impact | Score | Owner | Status | Source |\n|---|---|---|---|---|---|---|---|\n| R1 | Rain | Low | Low | 1 | | | |\n";
    let (after, news) = merged(&[String::new(), String::new(), String::new(), full.to_owned()], &findings());
    let read = knowledge(&after);
    assert_eq!((read.risks[0].active, &read.risks[1]), (false, &news.risks[0]));
}

// seed: S1-97
#[test]
fn how_a_decision_stands_is_said_by_its_line_or_its_heading() {
    for (text, stands) in [
        ("## D1: Cards\n", true),
        ("## D1: Cards\nStatus: accepted\n", true),
        ("## D1: Cards\n**Status:** ✅ Accepted (2026-05-01)\n", true),
        ("## D1: Cards\n**Status:** superseded\n", false),
        ("## D1: Cards\n- Status: Superseded by D7\n", false),
        ("## D1: Cards\n**Superseded by:** D7\n", false),
        ("## D1: Cards\n**Superseded by:** -\n", true),
        ("## D1: Cards\n**Status:** rejected\n", false),
        ("## D1: Cards\n**Status:** Deprecated\n", false),
        ("## D1: Cards\n**Status:** withdrawn\n", false),
        ("## D1: Cards\n**Status:** proposed\n", false),
        ("## D1: Cards\n### Status\nrejected\n", false),
        ("## ~~D1: Cards~~\n", false),
        ("- ~~D1: Cards~~\n", false),
        ("- D1: Cards (status: rejected)\n", false),
        ("## Superseded Decisions\n### D1: Cards\n", false),
        ("## Superseded Decisions\n### 2025\n#### D1: Cards\n**Status:** accepted\n", false),
        ("## Superseded\n- D1: Cards\n", false),
        ("## Superseded\n\n| ID | Decision |\n|---|---|\n| D1 | Cards |\n", false),
        ("## Superseded Decisions\n## Active Decisions\n### D1: Cards\n", true),
        ("# Decision Archive\n\n## D1: Cards\n", true),
        ("| ID | Decision | Status |\n|---|---|---|\n| D1 | Cards | Superseded by D2 |\n", false),
        ("| ID | Decision | Status |\n|---|---|---|\n| D1 | Cards | accepted |\n", true),
        ("| ID | Decision |\n|---|---|\n| ~~D1~~ | ~~Cards~~ |\n", false),
        (
            "| ID | Decision | Status |\n|---|---|---|\n| D1 | Cards | rejected |\n\n## D1: Cards\n**Rationale:** r\n",
            false,
        ),
        ("## D1: Cards\r\n**Status:** superseded\r\n", false),
        ("\u{FEFF}## Superseded Decisions\n### D1: Cards\n", false),
        ("## D1: Cards\n## D2: Mail\nSupersedes: D1\n", false),
        ("## D1: Cards\n## D2: Mail\nStatus: proposed\nSupersedes: D1\n", true),
        ("## D1: Cards\n## D2: Mail\nStatus: rejected\nSupersedes: D1\n", true),
        ("## D1: Cards\n## D2: Mail\nStatus: superseded\nSupersedes: D1\n", false),
        ("## D001: Cards\n## D2: Mail\nSupersedes: D1\n", false),
        ("## D1: Cards\n**Supersedes:** D1\n", true),
        ("### D1: Cards (superseded by D7)\n", false),
        ("Registry\n========\n\nSuperseded Decisions\n--------------------\n\n### D1: Cards\n", false),
        ("Registry\n========\n\nActive Decisions\n---\n\n### D1: Cards\nmore\n---\n", true),
        ("D1: Cards\n---------\n\nStatus: rejected\n", false),
        ("### D1: Cards [REJECTED]\n", false),
        ("### D1: [SUPERSEDED] Cards\n", false),
        ("### D1 (superseded): Cards\n", false),
        ("### D1: HTTP/1.0 (deprecated)\n", true),
        ("### D1: Cards (rejected)\n**Status:** accepted\n", true),
        ("*Status:* none\n\n## D1: Cards\n_Status_: rejected\n", false),
        ("**D1: Cards**\n\n**Status:** rejected\n\n**D2: Mail**\n", false),
        ("### 1. D1: Cards\nStatus: rejected\n", false),
        ("### ✅ D1: Cards\n", true),
        ("### [D1](#d1): Cards\n", true),
        ("## Decisions\n- Brainstorm\n  - D1: Cards\n    - Status: rejected\n  - D2: Mail\n", false),
    ] {
        let known = only(text);
        let first = known.decisions.first().unwrap_or_else(|| panic!("{text}: nothing"));
        assert_eq!(known.decisions.iter().filter(|one| one.id == first.id).count(), 1, "{text}");
        assert_eq!(known.stands(first), stands, "{text}");
        assert!(!known.unclear.iter().any(|one| one.holds), "{text}: {:?}", known.unclear);
    }
}

#[test]
fn a_status_that_cannot_be_read_holds() {
    for (text, line) in [
        ("# D\n\n## D1: Cards\n**Status:** green\n", 3),
        ("## D1: Cards\n**Status:** proposed | accepted | superseded | rejected\n", 1),
        ("## D1: Cards\n- Status: not accepted\n", 1),
        ("| ID | Decision | Status |\n|---|---|---|\n| D1 | Cards | ask Ann |\n", 3),
        ("## D1: Cards\nSupersedes: D2\n## D2: Mail\nSupersedes: D1\n", 1),
        ("## D1: Cards\n**Status:** rejected\n\n## D1: Mail\n", 4),
    ] {
        let known = only(text);
        let held: Vec<_> = known.unclear.iter().filter(|one| one.holds).collect();
        assert_eq!(held.len(), 1, "{text}: {:?}", known.unclear);
        assert_eq!((held[0].line, held[0].file.as_str()), (line, "docs/forge/knowledge/decisions.md"), "{text}");
    }
    let moved = only("## Superseded Decisions\n### D1: Cards\n**Status:** green\n");
    assert_eq!((moved.unclear.len(), standing(&moved).len()), (0, 0));
}

#[test]
fn ids_of_any_form_are_read_and_never_given_again() {
    for (text, ids, next) in [
        ("## D1: a\n## D001: b\n", vec!["D1", "D001"], "D2"),
        ("- Decision D-build-4: Queue\n- D-build-1: One template\n", vec!["D-build-4", "D-build-1"], "D5"),
        ("## ADR-3: a\n## DB1: b\n## DT2: c\n", vec!["ADR-3", "DB1", "DT2"], "D1"),
        ("## D12a: a\n### D3.2: b\n", vec!["D12a", "D3.2"], "D13"),
        ("## Decision 4: Cards\n", vec!["D4"], "D5"),
        ("## Decisions\n### X7: Cards\n### KD-2: Mail\n", vec!["X7", "KD-2"], "D1"),
        ("| ID | Decision |\n|---|---|\n| mail-first | Mail |\n| 3 | Cards |\n", vec!["mail-first", "D3"], "D4"),
        ("## D1: a\n**Supersedes:** D9\n", vec!["D1"], "D10"),
        ("| ID | Decision |\n|---|---|\n| D6 | |\n| D7 | [text] |\n| D8 | TBD |\n", vec![], "D9"),
        ("### D5: [Title]\n### D6: Title\n", vec![], "D7"),
        ("## C1: not here\n- R1: nor this\n", vec![], "D1"),
        ("- DC-build-4: a constraint\n", vec![], "D1"),
        ("## Format\n\n### D5: An example\n\n## Decisions\n\n### D6: real\n", vec!["D6"], "D7"),
        ("## D1: a\n\n## References\n\n- D9: elsewhere\n", vec!["D1"], "D2"),
        ("## Active Decisions\n\n**D1: a**\nStatus: accepted\n\n**D2: b**\n", vec!["D1", "D2"], "D3"),
        ("> ## D5: quoted\n\n    ## D6: code\n", vec![], "D1"),
        ("| [D1](#d1) | x |\n|---|---|\n\n| ID | Title |\n|---|---|\n| [D3](#d3) | Cards |\n", vec!["D3"], "D4"),
        ("## Decision Rules\n\n- D5: how ids look\n\n### D6: real\n", vec!["D6"], "D7"),
    ] {
        let known = only(text);
        assert_eq!(known.decisions.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ids, "{text}");
        let found = Findings { decisions: findings().decisions, ..Findings::default() };
        assert_eq!(known.news(&found).decisions[0].id, next, "{text}");
    }
    let ours = "## mail-first: x\n";
    assert_eq!(only(ours).decisions, []);
    let own = "| ID | Decision | Supersedes |\n|---|---|---|\n| cards | Cards | |\n| mail | Mail | cards |\n";
    assert_eq!(standing(&only(own)), ["mail"]);
    assert_eq!(ids_of("## Locked Decisions\n\n| Decision ID | Title |\n|---|---|\n| D014 | Cards |\n"), ["D014"]);
}

#[test]
fn one_entry_may_stand_in_a_list_and_below_a_heading() {
    let text = "| ID | Decision | Status |\n|---|---|---|\n| D1 | Cards | accepted |\n\n## D1: Cards\n**Rationale:** cheap\n**Kill-Switch:**\n- lost cards: over 3\n";
    let known = only(text);
    assert_eq!((known.decisions.len(), known.unclear.len()), (1, 0));
    let Decision { rationale, kill_switch, .. } = &known.decisions[0];
    assert_eq!((rationale.as_str(), kill_switch.len()), ("cheap", 1));
    let twice = only("## D1: Cards\n\n## D1: Mail\n");
    assert_eq!((twice.decisions.len(), twice.unclear.len(), twice.unclear[0].holds), (2, 1, false));
}

#[test]
fn what_has_no_id_is_told() {
    for (text, holds) in [
        ("| ID | Risk | Probability | Impact |\n|---|---|---|---|\n| | Rain | High | High |\n", true),
        ("| Risk | Owner |\n|---|---|\n| Rain | Ann |\n", false),
        ("## Active Risks\n- Rain (probability high, impact high)\n", true),
        ("# Risks\n\n- Rain\n", false),
        ("## Active Risks\n### Rain\n**Probability:** High\n", true),
    ] {
        let known = read_all("", "", "", text);
        assert_eq!(known.risks, [], "{text}");
        assert_eq!(
            known.unclear.iter().map(|one| one.holds).collect::<Vec<_>>(),
            [holds],
            "{text}: {:?}",
            known.unclear
        );
    }
    for quiet in [
        "# Risks\n\nRain is likely.\n\n## Overview\n\n- Rain\n- Snow\n",
        "## Risk Rules\n\n- Each has an owner\n",
        "## Active Risks\n\n### By area\n\nSee below.\n",
        "## Notes\n\n| Who | What |\n|---|---|\n| Ann | writes |\n",
    ] {
        assert_eq!(read_all("", "", "", quiet).unclear, [], "{quiet}");
    }
}

#[test]
fn ratings_on_another_scale_are_read_as_so_much_of_ours_or_held() {
    let table = |cells: &str, head: &str| {
        format!(
            "## Active Risks\n\n| ID | Risk | {head} | Score | Status |\n|---|---|---|---|---|---|\n| R1 | Rain | {cells} |\n"
        )
    };
    let plain = "Probability | Impact";
    for (cells, head, score, held) in [
        ("High | High | 9 | open", plain, Some(9), false),
        ("3 | 2 | | open", plain, Some(6), false),
        ("4 | 5 | 20 | open", plain, None, true),
        ("4 | 2 | 8 | open", plain, None, true),
        ("3 | 3 | 9 | open", "Probability (1-5) | Impact (1-5)", Some(4), false),
        ("4 | 4 | 16 | open", "Probability (1-5) | Impact (1-5)", Some(9), false),
        ("3 | 3 | 9 | open", "Probability (1-3) | Impact (1-3)", Some(9), false),
        ("High | Low | | open", "Likelihood (1-5) | Severity", Some(3), false),
        ("3/5 | 3/5 | | open", plain, Some(4), false),
        ("often | High | | open", plain, None, true),
        ("🔴 | High | | open", plain, None, true),
        ("| | 20 | open", plain, None, true),
        ("| | 8/25 | open", plain, Some(3), false),
        ("| | 2 × 3 | open", plain, Some(6), false),
        ("| | 4 × 5 = 20 | open", plain, None, true),
        ("High | High | P×I | open", plain, Some(9), false),
        ("High/Med/Low | High | | open", plain, None, true),
        ("tbd | High | | open", plain, None, true),
        ("tbd | tbd | | open", plain, None, false),
        ("tbd | High | | closed", plain, None, false),
        ("Medium/High | High | | open", plain, Some(9), false),
        ("4 | 5 | 20 | mitigated", plain, None, false),
        ("70% | High | | open", plain, Some(9), false),
    ] {
        let known = read_all("", "", "", &table(cells, head));
        assert_eq!(known.risks[0].score(), score, "{cells} | {head}");
        let holds = known.unclear.iter().filter(|one| one.holds).count();
        assert_eq!(holds, usize::from(held), "{cells} | {head}: {:?}", known.unclear);
    }
}

#[test]
fn kill_switches_in_many_forms() {
    for (below, wanted) in [
        ("**Kill-Switch Conditions:**\n- [ ] over 5\n- [X] over 9\n", vec![(false, "over 5"), (true, "over 9")]),
        ("**Kill switch:** over 5 complaints\n", vec![(false, "over 5 complaints")]),
        ("- Kill criteria:\n  - [x] over 5\n", vec![(true, "over 5")]),
        ("#### Kill-Switch Conditions\n\n[ ] over 5\n[x] over 9\n", vec![(false, "over 5"), (true, "over 9")]),
        (
            "**Kill-Switch Criteria:**\n\n| Condition | Threshold |\n|---|---|\n| opened | < 60% |\n",
            vec![(false, "opened: < 60%")],
        ),
        (
            "**Kill-Switch Criteria:**\n1. [x] Complaints: more than 5\n   - Detection: log\n",
            vec![(true, "Complaints: more than 5")],
        ),
        ("**Tripwires:**\n* over 5\n\n---\n\n*Last updated: 2026-05-01*\n", vec![(false, "over 5")]),
        ("**Kill-Switch:** none\n", vec![]),
        ("**Kill-Switch Conditions:**\n- [ ] [Condition]\n- [ ] {{X}}\n", vec![]),
        ("**Kill-Switch Owner:** Ann\n", vec![]),
    ] {
        let known = only(&format!("### D-build-1: Mail\n\n{below}"));
        let wires = tripwires(&known);
        let found: Vec<_> = wires.iter().map(|one| (one.ticked, one.phrase())).collect();
        let wanted: Vec<_> = wanted.into_iter().map(|(ticked, text)| (ticked, text.to_owned())).collect();
        assert_eq!(found, wanted, "{below}");
        assert!(wires.iter().enumerate().all(|(at, one)| one.id == format!("D-build-1.{}", at + 1)));
    }
}

// seed: S1-65
#[test]
fn phase_documents_of_others_are_taken_over_with_their_ids() {
    let read = |text: &str| {
        let document = phase_document::read("docs/forge/phases/build.md", text.as_bytes());
        let found = extract::from_document("wf", "build", "2026-05-10", &document.sections);
        let unclear = extract::unclear(&document.path, &document.sections, &Knowledge::default());
        (found, unclear)
    };
    let (found, unclear) = read(include_str!("../registries/build.md"));
    assert_eq!(unclear, []);
    let titles: Vec<_> = found.decisions.iter().map(|one| (one.id.as_str(), one.title.as_str())).collect();
    assert_eq!(titles, [("D-build-4", "Send the digest from a queue"), ("D-build-5", "One template for all branches")]);
    let constraints: Vec<_> = found.constraints.iter().map(|one| (one.id.as_str(), one.text.as_str())).collect();
    assert_eq!(constraints, [("DC-build-4", "The queue keeps mails for 24 hours")]);
    let (files, news) = merged(&registry!("filled"), &found);
    assert_eq!(news.decisions.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["D-build-4", "D-build-5"]);
    assert!(knowledge(&files).news(&found).is_empty());

    let (found, unclear) = read(include_str!("../registries/design.md"));
    assert_eq!((found.decisions[0].id.as_str(), found.decisions[0].rationale.as_str()), ("D-design-1", "one query"));
    assert_eq!((found.constraints[0].id.as_str(), found.constraints[0].origin.as_str()), ("C-D1", "D-design-1"));
    assert_eq!(unclear.iter().map(|one| (one.line, one.holds)).collect::<Vec<_>>(), [(19, true)]);
}
