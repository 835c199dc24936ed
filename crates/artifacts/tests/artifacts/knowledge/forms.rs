//! Entries that people write close to each other, and kill-switches in the forms that they use.

use super::findings;
use forge_artifacts::formats::knowledge::*;
use forge_workflow::knowledge::{Decision, Knowledge};
use forge_workflow::tripwire::tripwires;

fn titles(decisions: &[Decision]) -> Vec<(&str, &str)> {
    decisions.iter().map(|one| (one.id.as_str(), one.title.as_str())).collect()
}

#[test]
fn a_bullet_right_below_a_heading_is_an_entry_of_its_own() {
    for between in ["", "\n", "- Status: locked\n- Rationale: r\n", "\nSome words.\n\n", "**Rationale:** r\n\n"] {
        let text = format!("## D007: first\n{between}- D9: bullet decision\n  - Rationale: own\n");
        let read = read_decisions(&text);
        assert_eq!(titles(&read), [("D007", "first"), ("D9", "bullet decision")], "{text}");
        assert_eq!(read[1].rationale, "own");
        assert_eq!(read[0].locked, between.contains("locked"));
        assert_eq!(read[0].rationale, if between.contains("Rationale") { "r" } else { "" });
        let news = Knowledge { decisions: read, ..Knowledge::default() }.news(&findings());
        assert_eq!(news.decisions[0].id, "D10");
    }
    assert_eq!(read_risks("## R1: a\n- Impact: 2\n- [ ] R3: b (probability high, impact low)\n").len(), 2);
}

#[test]
fn an_entry_that_a_list_only_names_is_none() {
    for between in ["Related:\n", "**Supersedes:**\n", "### See also\n\n", "- Rationale: as in\n  "] {
        let text = format!("## D7: first\n{between}- D9: another one\n");
        assert_eq!(titles(&read_decisions(&text)), [("D7", "first")], "{text}");
    }
}

#[test]
fn a_kill_switch_in_one_line_keeps_its_criterion() {
    let below = |text: &str| {
        let read = read_decisions(&format!("## D1: a\n- Status: locked\n{text}\n- Source: x\n"));
        assert_eq!((read.len(), read[0].locked), (1, true), "{text}");
        let wires = tripwires(&Knowledge { decisions: read.clone(), ..Knowledge::default() });
        let wires: Vec<_> = wires.iter().map(|one| (one.phrase(), one.due.clone(), one.command.clone())).collect();
        (read[0].kill_switch.clone(), wires)
    };
    let (criteria, _) = below("- Kill-switch: 5xx rate: over 1% for an hour\n  - Due: 2026-01-01");
    assert_eq!(criteria, ["5xx rate: over 1% for an hour\n- Due: 2026-01-01"]);
    let whole = ("5xx rate: over 1% for an hour".to_owned(), Some("2026-01-01".to_owned()), Some("true".to_owned()));
    for text in [
        "- Kill-switch: 5xx rate: over 1% for an hour\n  - Due: 2026-01-01\n  - Check: `true`",
        "- **Kill-switch:** 5xx rate: over 1%\n  for an hour\n\t* Due: 2026-01-01\n\t* Check: `true`",
        "**Kill-switch:** 5xx rate: over 1% for an hour\n\t* Due: 2026-01-01\n\t* Check: `true`",
        "**Kill-switch:** 5xx rate: over 1% for an hour\n  - Due: 2026-01-01\n  - Check: `true`",
        "**Kill-switch:** 5xx rate: over 1% for an hour\n- Due: 2026-01-01\n- Check: `true`",
        "**Kill-switch:**\n\t* 5xx rate: over 1% for an hour\n\t\t* Due: 2026-01-01\n\t\t* Check: `true`",
        "**Kill-switch:**\n\t* 5xx rate: over 1% for an hour\n\t* Due: 2026-01-01\n\t* Check: `true`",
        "**Kill-switch:**\n* 5xx rate: over 1% for an hour\n\t* Due: 2026-01-01\n\t* Check: `true`",
        "**Kill-switch:**\n- 5xx rate: over 1% for an hour\n  - Due: 2026-01-01\n  - Check: `true`",
        "- Kill-switch:\n  - 5xx rate: over 1% for an hour\n    - Due: 2026-01-01\n    - Check: `true`",
        "### Kill-switch\n\n- 5xx rate: over 1% for an hour\n  - Due: 2026-01-01\n  - Check: `true`",
    ] {
        assert_eq!(below(text).1, std::slice::from_ref(&whole), "{text}");
    }
    let (criteria, _) = below("- Kill-switch: We stop if:\n  - cost: over $500\n  - leaks: more than 1");
    assert_eq!(criteria, ["cost: over $500", "leaks: more than 1"]);
    let (criteria, _) = below("- Kill-switch: cost: over $500\n  - leaks: more than 1");
    assert_eq!(criteria, ["cost: over $500", "leaks: more than 1"]);
}
