//! What earlier phases left, by another tool's hand or changed after they were left, and what it calls for now.

use super::foreign::{flat, go_on};
use super::walk::when;
use super::*;

const DECISIONS: &str = "docs/forge/knowledge/decisions.md";
const BRAINSTORM: &str = "docs/forge/phases/brainstorm.md";
const RESEARCH: &str = "docs/forge/phases/research.md";
const HANDOFF: &str = "docs/forge/handoffs/brainstorm-to-research.md";
const DEBATE: &str = "docs/forge/debate/brainstorm-20260110-083000";

fn synthesis(decision: &str) -> String {
    format!(
        "# Synthesis\n\n## Debate Summary\n\nAll three spoke of costs; the desk counted, and the server copes with it.\n\n## Final Decision\n\n{decision}\n\n## Kill-Switch Criteria\n\n- Fewer than 60 of 100 mails are opened\n"
    )
}

fn research(decision: &str) -> String {
    let decisions = if decision.is_empty() { String::new() } else { format!("\n## Decisions\n\n- {decision}\n") };
    format!("# Research\n\n## Findings\n\nWe looked at it.\n\n## Sources\n\nThe desk.\n{decisions}")
}

/// A repository in which another tool held a debate and left brainstorm.
fn left_by_another(decided: &str, registry: Option<&str>, decision: &str) -> Stage {
    let stage = Stage::new();
    stage.put(STATE, flat("research", "in_progress", "brainstorm, initialize", "design"));
    stage.put(HANDOFF, "# Phase Handoff: brainstorm → research\n\n## Summary\n\nThe debate is done.\n");
    stage.put(&format!("{DEBATE}/synthesis.md"), synthesis(decided));
    if let Some(registry) = registry {
        stage.put(DECISIONS, registry);
    }
    stage.put(RESEARCH, research(decision));
    stage
}

/// Whether something asks for a debate, or for a word on whether a locked decision stands.
fn is_asked(progress: &Progress) -> bool {
    progress.step.call.as_ref().is_some_and(|call| call.debate)
        || blockers(progress).iter().any(|text| text.contains("which is locked"))
}

// seed: S1-74
#[test]
fn what_another_tools_debate_chose_is_a_locked_decision() {
    let digest = "**Selected:** Option C - Digest mail";
    let same = "# D\n\n### D001: Remind by digest mail\n**Status:** accepted\n";
    let other = "# D\n\n### D001: Use postcards instead of the digest mail\n**Status:** accepted\n";
    let replaced = "# D\n\n### D002: Remind by postcard\n**Status:** accepted\n\n## Superseded Decisions\n\n### D001: Remind by digest mail\n**Status:** superseded\n";
    type Case = (&'static str, Option<&'static str>, &'static str, bool, &'static [&'static str]);
    let cases: [Case; 15] = [
        (digest, None, "", false, &["D1: Remind readers: Digest mail"]),
        (digest, None, "Remind by postcard", true, &["D1: Remind readers: Digest mail"]),
        (digest, None, "Use postcards instead of the digest mail", true, &["D1: Remind readers: Digest mail"]),
        (digest, None, "Send the digest mail on Mondays", false, &["D1: Remind readers: Digest mail"]),
        (digest, None, "Postcards for those without mail (keeps D1)", false, &["D1: Remind readers: Digest mail"]),
        (digest, Some(same), "", false, &["D001: Remind by digest mail"]),
        (digest, Some(same), "Remind by postcard", true, &["D001: Remind by digest mail"]),
        (
            digest,
            Some(other),
            "",
            true,
            &["D001: Use postcards instead of the digest mail", "D2: Remind readers: Digest mail"],
        ),
        (digest, Some(replaced), "", false, &["D002: Remind by postcard", "D001: Remind by digest mail"]),
        (
            "We choose the digest mail, because it is cheap.",
            None,
            "Drop the digest mail",
            true,
            &["D1: Remind readers: We choose the digest mail"],
        ),
        ("We choose the digest mail, because it is cheap.", Some(same), "", false, &["D001: Remind by digest mail"]),
        (
            "**Decision:** PROCEED\n**Chosen Option:** Digest mail",
            None,
            "Drop the digest mail",
            true,
            &["D1: Remind readers: Digest mail"],
        ),
        (
            "| Option | Verdict |\n|---|---|\n| Digest mail | Selected |\n| Postcard | Rejected |",
            None,
            "Drop the digest mail",
            true,
            &["D1: Remind readers: Digest mail"],
        ),
        (
            "**Selected:** Option C\n\nOption A: Postcard is slow. Option C: Digest mail",
            None,
            "Drop the digest mail",
            true,
            &["D1: Remind readers: Digest mail"],
        ),
        ("**Decision:** REJECT", None, "Remind by postcard", false, &[]),
    ];
    for (decided, registry, decision, asked, known) in cases {
        let name = format!("{decided} / {registry:?} / {decision}");
        let stage = left_by_another(decided, registry, decision);
        // Whoever only looks sees it, and writes nothing.
        let seen = stage.well(when(0)).decisions().unwrap();
        let titles = |known: &forge_workflow::knowledge::Knowledge| -> Vec<String> {
            known
                .decisions
                .iter()
                .filter(|one| one.phase != "research")
                .map(|one| format!("{}: {}", one.id, one.title))
                .collect()
        };
        assert_eq!(titles(&seen), known, "{name}");
        let progress = go_on(&stage);
        assert_eq!(is_asked(&progress), asked, "{name}: {:?}", blockers(&progress));
        assert_eq!(titles(&stage.well(when(1)).knowledge().unwrap()), known, "{name}");
        let before = stage.said(DECISIONS);
        assert_eq!(is_asked(&go_on(&stage)), asked, "{name}");
        assert_eq!(stage.said(DECISIONS), before, "{name}: recorded twice");
    }
}

/// What another tool's debate took, or a handoff locks, is overturned by no entry of a person's own.
// seed: S1-73, S1-74
#[test]
fn an_entry_of_ones_own_overturns_no_locked_decision_of_others() {
    let digest = "**Selected:** Option C - Digest mail";
    let registry = |entry: &str| format!("# D\n\n### D001: Remind by digest mail\n**Status:** accepted\n\n{entry}");
    let cases = [
        ("### D002: Remind by postcard\n**Status:** accepted\n**Supersedes:** D001\n", true),
        ("### D002: Drop the digest mail\n**Status:** accepted\n", true),
        ("### D002: Print the logo in blue\n**Status:** accepted\n", false),
    ];
    for (entry, asked) in cases {
        let stage = left_by_another(digest, Some(&registry(entry)), "");
        let progress = go_on(&stage);
        assert_eq!(is_asked(&progress), asked, "{entry}: {:?}", blockers(&progress));
        // The same where only a handoff locks it.
        stage.delete(DEBATE);
        let locked = "\n## Locked Decisions\n\n| ID | Decision | Challenge Requires Debate |\n|---|---|---|\n| D001 | Remind by digest mail | Yes |\n";
        let stage = left_by_another(digest, Some(&registry(entry)), "");
        stage.delete(DEBATE);
        stage.put(HANDOFF, stage.said(HANDOFF) + locked);
        let progress = go_on(&stage);
        assert_eq!(is_asked(&progress), asked, "handoff, {entry}: {:?}", blockers(&progress));
    }
}

/// A synthesis whose choice is none of its plan's options, or that says otherwise than a locked decision, records nothing.
#[test]
fn a_synthesis_that_does_not_decide_or_speaks_against_a_locked_decision_is_named() {
    let plan = "---\ndebate_id: brainstorm-20260110-083000\nphase: brainstorm\nobjective: How are readers reminded?\n---\n\n# Debate Plan\n\n## Objective\n\nHow are readers reminded?\n\n## Options to Debate\n\n1. **Option A**: Postcard\n2. **Option B**: Text message\n3. **Option C**: Digest mail\n";
    let locked = "# D\n\n### D001: Remind by postcard\n**Status:** locked\n";
    let cases = [
        ("We lean towards the digest mail, because it is cheap.", None, "decision unclear"),
        ("**Chosen Option:** Carrier pigeons", None, "decision unclear"),
        ("**Selected:** Option C - Digest mail", Some(locked), "says otherwise"),
        ("**Selected:** Option C - Digest mail", None, ""),
    ];
    for (decided, registry, wanted) in cases {
        let stage = left_by_another(decided, registry, "");
        stage.put(&format!("{DEBATE}/debate-plan.md"), plan);
        let progress = go_on(&stage);
        let told: Vec<String> = progress.snapshot.unclear().map(|one| format!("{}: {}", one.file, one.text)).collect();
        let is_told = told.iter().any(|one| one.contains("synthesis.md") && one.contains(wanted));
        assert_eq!(is_told, !wanted.is_empty(), "{decided}: {told:#?}");
        let known = stage.well(when(1)).knowledge().unwrap();
        let count = usize::from(registry.is_some()) + usize::from(wanted.is_empty());
        assert_eq!(known.decisions.len(), count, "{decided}: {:?}", known.decisions);
    }
}

/// What another tool's phase said and no knowledge file has is named.
// seed: S1-65
#[test]
fn what_a_phase_of_another_tool_said_is_named() {
    let stage = Stage::new();
    stage.put(STATE, flat("design", "in_progress", "research, brainstorm, initialize", "plan"));
    stage.put(
        "docs/forge/handoffs/research-to-design.md",
        "# Phase Handoff: research → design\n\n## Summary\n\nDone.\n",
    );
    stage.put(HANDOFF, "# Phase Handoff: brainstorm → research\n\n## Summary\n\nThe debate is done.\n");
    stage.put(&format!("{DEBATE}/synthesis.md"), synthesis("**Selected:** Option C - Digest mail"));
    stage.put(DECISIONS, "# D\n\n### D001: Remind by digest mail\n**Status:** accepted\n");
    stage.put(BRAINSTORM, research("The vault is in the cellar"));
    stage.put(RESEARCH, research(""));
    let progress = go_on(&stage);
    let told: Vec<String> = progress.snapshot.unclear().map(|one| format!("{}: {}", one.file, one.text)).collect();
    assert!(
        told.iter().any(|one| one.starts_with(BRAINSTORM) && one.contains("The vault is in the cellar")),
        "{told:#?}"
    );
}

#[test]
fn a_decision_of_another_tools_debate_says_where_it_was_found() {
    let stage = left_by_another("**Selected:** Option C - Digest mail", None, "");
    go_on(&stage);
    let known = stage.well(when(1)).knowledge().unwrap();
    let [one] = known.decisions.as_slice() else { panic!("{:?}", known.decisions) };
    assert!(one.locked);
    assert_eq!(forge_workflow::extract::taken_from(one), Some(format!("{DEBATE}/synthesis.md").as_str()));
    assert_eq!((one.phase.as_str(), one.date.as_str()), ("brainstorm", "2026-01-10"));
    assert_eq!(one.kill_switch, ["Fewer than 60 of 100 mails are opened"]);
    // Such a source is no debate of forge's: nobody supersedes anything with it.
    let claimed = "\n## D2: Remind by postcard\n\n- Status: locked\n- Debate: brainstorm-20260111-083000\n- Supersedes: D1\n- Source: docs/forge/debate/brainstorm-20260111-083000/synthesis.md#D1\n";
    stage.put(DECISIONS, stage.said(DECISIONS) + claimed);
    let progress = go_on(&stage);
    assert!(is_asked(&progress), "{:?}", blockers(&progress));
}

/// The debate's plan, in the words of another tool.
fn with_plan(stage: &Stage) {
    stage.put(
        &format!("{DEBATE}/debate-plan.md"),
        "---\ndebate_id: brainstorm-20260110-083000\nphase: brainstorm\nobjective: Remind readers of books due\nstatus: completed\n---\n\n# Debate Plan\n\n## Decision Context\n\nReaders forget.\n\n## Options Under Consideration\n\n1. **Option A**: Postcard\n2. **Option B**: Text message\n3. **Option C**: Digest mail\n",
    );
}

#[test]
fn what_another_tools_synthesis_leaves_unclear_is_held_with_its_line() {
    for decided in [
        "We lean towards the Digest mail, because it is cheap.",
        "**Chosen Option:** Digest mail\n**Decision:** Postcard",
        "**Chosen Option:** Carrier pigeon",
    ] {
        let stage = left_by_another(decided, None, "");
        with_plan(&stage);
        let progress = go_on(&stage);
        let held = blockers(&progress).join("\n");
        assert!(held.contains("synthesis.md: decision unclear"), "{decided}: {held}");
        assert!(held.contains("`**Chosen Option:** <A|B|C>`"), "{decided}: {held}");
        assert!(stage.well(when(1)).knowledge().unwrap().decisions.is_empty(), "{decided}");
    }
    let stage = left_by_another("**Chosen Option:** C", None, "");
    with_plan(&stage);
    go_on(&stage);
    let known = stage.well(when(1)).knowledge().unwrap();
    assert_eq!(known.decisions.len(), 1);
    assert!(known.decisions[0].title.ends_with("Digest mail"), "{:?}", known.decisions);
}

#[test]
fn a_debate_that_decided_nothing_is_named() {
    let stage = left_by_another("**Decision:** REJECT", None, "");
    let progress = go_on(&stage);
    let is_named = |one: &forge_workflow::snapshot::Unclear| {
        one.file.ends_with("/synthesis.md") && one.text.contains("nothing is decided in it")
    };
    let named = progress.snapshot.unclear().find(|one| is_named(one)).map(|one| one.holds);
    assert_eq!(named, Some(false), "{:?}", progress.snapshot.unclear().collect::<Vec<_>>());
}

#[test]
fn an_entry_that_says_what_another_tools_debate_chose_is_that_debates() {
    let registry = "# D\n\n### D1: Remind by digest mail\n**Status:** accepted\n\n### D2: Remind by postcard\n**Supersedes:** D1\n";
    let stage = left_by_another("**Chosen Option:** C", Some(registry), "");
    with_plan(&stage);
    let progress = go_on(&stage);
    assert!(is_asked(&progress), "{:?}", blockers(&progress));
}

/// A snapshot of another tool's is read as the same file in place: by the id and the debates of its documents.
#[test]
fn a_recovered_snapshot_of_others_has_the_id_of_its_documents() {
    let stage = left_by_another("**Selected:** Option C - Digest mail", None, "");
    let header = "---\nfrom_phase: brainstorm\nto_phase: research\nworkflow_id: remind-77\nstatus: final\n---\n\n";
    stage.put(HANDOFF, format!("{header}{}", stage.said(HANDOFF)));
    stage.put(&format!("{SNAPSHOTS}20260110-090000.md"), stage.said(STATE));
    stage.delete(STATE);
    let progress = go_on(&stage);
    assert_eq!(progress.snapshot.state.workflow_id, "remind-77", "{:?}", progress.log);
    let told = blockers(&progress).join("\n");
    assert!(!told.contains("belongs to the workflow") && !told.contains("shows its debate"), "{told}");
}
