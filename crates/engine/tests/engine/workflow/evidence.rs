//! What shows that a phase had its debate, and whose it is; and words of others that must not be passed over.

use super::foreign::{flat, go_on, started};
use super::walk::when;
use super::*;
use forge_engine::workflow::Entry;
use forge_workflow::next::BlockerKind;
use forge_workflow::state::DebateFlag;

const DECISIONS: &str = "docs/forge/knowledge/decisions.md";
const HANDOFF: &str = "docs/forge/handoffs/brainstorm-to-research.md";
const LATER_HANDOFF: &str = "docs/forge/handoffs/research-to-design.md";
const SYNTHESIS: &str = "docs/forge/debate/brainstorm-20260110-083000/synthesis.md";
const EARLIER_SYNTHESIS: &str = "docs/forge/debate/brainstorm-20251110-083000/synthesis.md";
const FINAL: &str = "docs/forge/brainstorm.md";
/// As much as a synthesis says at least.
pub(super) const REASONS: &str = "We choose postcards: the desk prints them at no cost, every reader has an address, and nobody has to give us a number for it.";
const ARCHIVED: &str = ".claude/forge/archive/workflow_20251201_101010_Lend.md";

pub(super) fn handoff(id: &str, at: &str) -> String {
    format!("---\nfrom_phase: brainstorm\nto_phase: research\n{id}{at}---\n\n# Handoff\n\nDone.\n")
}

pub(super) fn decision(more: &str) -> String {
    format!(
        "# Decisions Registry\n\n## Active Decisions\n\n### D001: Remind by postcard\n\n**Decision:** Postcards\n{more}\n"
    )
}

fn is_held(progress: &Progress) -> bool {
    progress.step.blockers.iter().any(|one| one.fact.sentence().contains("shows its debate"))
}

/// Its name, whether a debate is shown, and the files.
type Case = (&'static str, bool, Vec<(&'static str, String)>);

#[test]
fn only_what_this_workflow_left_shows_a_debate() {
    let at = |day: &str| format!("generated_at: {day}T09:00:00Z\n");
    let cases: Vec<Case> = vec![
        ("nothing", false, vec![]),
        ("a handoff of this time", true, vec![(HANDOFF, handoff("", &at("2026-01-10")))]),
        ("an earlier handoff without an id", false, vec![(HANDOFF, handoff("", &at("2025-11-10")))]),
        ("an earlier handoff with an id", false, vec![(HANDOFF, handoff("workflow_id: wf-0\n", &at("2025-11-10")))]),
        ("a handoff without a time", true, vec![(HANDOFF, handoff("", ""))]),
        (
            "a handoff without a time after an archived workflow",
            false,
            vec![(HANDOFF, handoff("", "")), (ARCHIVED, flat("learn", "completed", "", "null"))],
        ),
        ("a later handoff", false, vec![(LATER_HANDOFF, handoff("", &at("2026-01-11")))]),
        ("a later handoff of an earlier workflow", false, vec![(LATER_HANDOFF, handoff("", &at("2025-11-11")))]),
        ("a synthesis", true, vec![(SYNTHESIS, format!("# Synthesis\n\n{REASONS}\n"))]),
        (
            "a synthesis that puts the decision off",
            false,
            vec![(SYNTHESIS, format!("# Synthesis\n\n## Debate Summary\n\n{REASONS}\n\n## Final Decision\n\n**Decision:** DEFER\n"))],
        ),
        (
            "a final document beside a synthesis that puts the decision off",
            false,
            vec![
                (FINAL, "---\nphase: brainstorm\ncompleted_at: 2026-01-10\n---\nPostcards.\n".to_owned()),
                (SYNTHESIS, format!("# Synthesis\n\n## Debate Summary\n\n{REASONS}\n\n## Final Decision\n\n**Decision:** DEFER\n")),
            ],
        ),
        (
            "a final document beside a synthesis that decides",
            true,
            vec![
                (FINAL, "---\nphase: brainstorm\ncompleted_at: 2026-01-10\n---\nPostcards.\n".to_owned()),
                (SYNTHESIS, format!("# Synthesis\n\n{REASONS}\n")),
            ],
        ),
        (
            "a final document beside an earlier synthesis that puts the decision off",
            true,
            vec![
                (FINAL, "---\nphase: brainstorm\ncompleted_at: 2026-01-10\n---\nPostcards.\n".to_owned()),
                (EARLIER_SYNTHESIS, "# Synthesis\n\n**Decision:** DEFER\n".to_owned()),
            ],
        ),
        (
            "a final document that says that no debate was held",
            false,
            vec![(FINAL, "---\nphase: brainstorm\ncompleted_at: 2026-01-10\n---\nPostcards.\n\n**Debate:** not held\n".to_owned())],
        ),
        ("an earlier synthesis", false, vec![(EARLIER_SYNTHESIS, format!("# Synthesis\n\n{REASONS}\n"))]),
        ("a short synthesis", false, vec![(SYNTHESIS, "# Synthesis\n\nPostcards.\n".to_owned())]),
        (
            "a template of a synthesis",
            false,
            vec![(SYNTHESIS, "# Synthesis: {{TOPIC}}\n\n## Final Decision\n\n**Selected:** [Option]\n\n**Rationale:** [Why this option was chosen over the others, in two or three sentences]\n\n| Criterion | Weight | Score |\n|---|---|---|\n| [Cost] | High/Med/Low | [1-5] |\n\n## Kill-Switch Criteria\n\n1. **[Condition]:** [Specific, measurable threshold]\n".to_owned())],
        ),
        ("a draft of a handoff", false, vec![(HANDOFF, handoff("status: draft\n", &at("2026-01-10")))]),
        (
            "a template of a handoff",
            false,
            vec![(HANDOFF, "# Phase Handoff: brainstorm → research\n\n## Summary\n\n### What Was Done\n[What was done]\n\n## Locked Decisions\n\n| Decision ID | Title | Rationale |\n|---|---|---|\n| D001 |  |  |\n\n## TODO List for Next Phase\n\n1. [ ] [Task]\n\n## Sign-off\n\nPhase completed: Yes/No\nReady to proceed: Yes/No\n".to_owned())],
        ),
        (
            "a handoff that says that the debate was skipped",
            false,
            vec![(HANDOFF, handoff("", &at("2026-01-10")) + "\n> **DEBATE SKIPPED: brainstorm called for one (always) and was left with --no-debate.**\n")],
        ),
        ("a final document that is to be written", false, vec![(FINAL, "# Brainstorm\n\nTo do.\n".to_owned())]),
        ("a final document that is to be done, in French", false, vec![(FINAL, "# Brainstorm\n\n- à faire\n".to_owned())]),
        (
            "a final document",
            true,
            vec![(FINAL, "---\nphase: brainstorm\ncompleted_at: 2026-01-10\n---\nPostcards.\n".to_owned())],
        ),
        (
            "an earlier final document",
            false,
            vec![(FINAL, "---\nphase: brainstorm\ncompleted_at: 2025-11-10T10:00:00Z\n---\nPostcards.\n".to_owned())],
        ),
        ("a decision of the registry", true, vec![(DECISIONS, decision(""))]),
        ("a decision of this time", true, vec![(DECISIONS, decision("**Date:** 2026-01-10\n"))]),
        ("an earlier decision", false, vec![(DECISIONS, decision("**Date:** 2025-11-10\n"))]),
        ("a decision of a later phase", false, vec![(DECISIONS, decision("**Phase:** research\n"))]),
        (
            "an earlier decision of a debate",
            false,
            vec![(DECISIONS, decision("**Phase:** brainstorm\n**Debate:** brainstorm-20251110-083000\n"))],
        ),
        (
            "a decision of a debate",
            true,
            vec![(DECISIONS, decision("**Phase:** brainstorm\n**Debate:** brainstorm-20260110-083000\n"))],
        ),
    ];
    for (name, shows, files) in cases {
        let stage = Stage::new();
        stage.put(STATE, flat("design", "in_progress", "research, brainstorm, initialize", "plan"));
        for (path, text) in files {
            stage.put(path, text);
        }
        let progress = go_on(&stage);
        assert_eq!(is_held(&progress), !shows, "{name}: {:?}", blockers(&progress));
        // What was good enough once stays so when the file is forge's.
        let again = stage.well(when(2)).continue_workflow(&drive()).unwrap();
        assert_eq!(is_held(&again), !shows, "{name}, the second time: {:?}", blockers(&again));
    }
}

#[test]
fn an_earlier_workflow_of_forges_shows_nothing_for_a_later_one() {
    let stage = started();
    go_on(&stage);
    // What an earlier workflow of the same day left, and a script that completes and sets phases.
    stage.put(FINAL, "---\nphase: brainstorm\nworkflow_id: forge-0\n---\nPostcards.\n");
    stage.put(HANDOFF, handoff("workflow_id: forge-0\n", ""));
    stage.put("docs/forge/debate/brainstorm-20260127-000000/debate-plan.md", "---\nprotocol: gate\n---\n# Plan\n");
    stage.put("docs/forge/debate/brainstorm-20260127-000000/synthesis.md", format!("# Synthesis\n\n{REASONS}\n"));
    stage.put(DECISIONS, decision("**Phase:** brainstorm\n**Debate:** brainstorm-20260127-000000\n"));
    stage.edit(STATE, "\nphase: brainstorm\n", "\nphase: research\n");
    stage.edit(STATE, "completed_phases: [init]", "completed_phases: [brainstorm, init]");
    let progress = stage.well(when(2)).continue_workflow(&drive()).unwrap();
    assert!(is_held(&progress), "{:?}", blockers(&progress));
    // Nor does a decision that a person wrote down.
    stage.put(DECISIONS, decision(""));
    assert!(is_held(&stage.well(when(3)).continue_workflow(&drive()).unwrap()));
}

#[test]
fn an_older_document_names_no_later_workflow() {
    let stage = Stage::new();
    stage.put(STATE, flat("brainstorm", "in_progress", "initialize", "research"));
    stage.put(
        "docs/forge/phases/brainstorm.md",
        "---\nworkflow_id: wf-0\ngenerated_at: 2025-11-10T09:00:00Z\n---\n# Old\n",
    );
    let state = go_on(&stage).snapshot.state;
    assert_ne!(state.workflow_id, "wf-0");
}

#[test]
fn a_debate_that_another_tool_triggered_is_called_for_once() {
    for (said, called) in [("true", true), ("\"true\"", true), ("false", false), ("[true/false]", false)] {
        let stage = Stage::new();
        stage.put(
            "docs/forge/active-workflow.md",
            format!("phase: design\nlayer: system\nstatus: in_progress\ndebate_triggered: {said}\n"),
        );
        let (state, log) = stage.well(when(0)).adopt("docs/forge/active-workflow.md").unwrap();
        assert_eq!(state.debate_flag == DebateFlag::Forced, called, "{said}");
        let is_told = log.notes.iter().any(|note| note.contains("debate_triggered"));
        assert_eq!(is_told, said.starts_with('['), "{said}: {:?}", log.notes);
        let call = go_on(&stage).step.call.unwrap();
        assert_eq!(call.debate, called, "{said}: {}", call.why);
    }
    // In forge's own file it holds for the phase in which it was written, and for no other.
    let stage = started();
    go_on(&stage);
    stage.edit(STATE, "debate_flag: none\n", "debate_flag: none\ndebate_triggered: true\n");
    let progress = stage.well(when(2)).continue_workflow(&drive()).unwrap();
    assert_eq!(progress.snapshot.state.debate_flag, DebateFlag::Forced);
    let (definition, now) = (stage.well(when(3)).definition().unwrap(), when(3));
    let now = forge_workflow::snapshot::Now { stamp: now.to_string(), date: now.date() };
    let research = definition.phase("research").unwrap();
    let next = forge_workflow::next::enter(&progress.snapshot, research, None, DebateFlag::Unsaid, &now).state;
    let written =
        forge_artifacts::formats::active_workflow::write(Some(&stage.said(STATE)), &next, &Default::default());
    assert!(written.contains("debate_triggered: false"), "{written}");
}

#[test]
fn the_sign_off_of_a_handoff_counts() {
    let cases = [
        ("", "Phase completed: Yes\nBlocked by: None\nReady to proceed: Yes", None),
        ("", "- **Blocked by:** Nothing so far\n- **Ready to proceed:** Yes, at once", None),
        ("", "Blocked by: No blockers\nReady to proceed: ✅", None),
        ("", "Phase completed: Yes/No\nBlocked by: [names]\nReady to proceed: Yes/No", None),
        ("", "Blocked by: legal", Some((true, "blocked by legal"))),
        ("", "- **Blocked by:** the printer", Some((true, "blocked by the printer"))),
        ("", "| Blocked by | legal |\n|---|---|\n| Blocked by | legal |", Some((true, "blocked by legal"))),
        ("", "Ready to proceed: No", Some((true, "Ready to proceed: No"))),
        ("", "Ready to proceed: no, not before May", Some((true, "Ready to proceed"))),
        ("", "**Phase completed:** No", Some((true, "Phase completed: No"))),
        ("", "Phase completed: Partial", Some((true, "Phase completed: Partial"))),
        ("", "Ready to proceed: Conditional", Some((false, "Conditional"))),
        ("", "Blocked by:\n- Legal review", Some((true, "blocked by Legal review"))),
        (
            "",
            "- **Blocked by:**\n  - Legal: review\n  - the printer\n- Ready to proceed: Yes",
            Some((true, "Legal: review, the printer")),
        ),
        ("", "Blocked by:\n\n1. [ ] Legal review", Some((true, "blocked by Legal review"))),
        ("", "Blocked by:\nthe printer", Some((true, "blocked by the printer"))),
        ("", "Blocked by:\n- None\n\nReady to proceed: Yes", None),
        ("", "Blocked by:\n- [x] Legal review\n\nReady to proceed: Yes", None),
        ("", "Blocked by:\nReady to proceed: Yes\nSigned: Ann", None),
        ("", "Ready to proceed: Yes, but only after the legal review", Some((true, "waits for something"))),
        ("", "Ready to proceed: Ja, sobald der Drucker da ist", Some((true, "waits for something"))),
        ("", "Ready to proceed: ✅ (pending legal)", Some((true, "waits for something"))),
        ("", "Phase completed: ❌", Some((true, "Phase completed: ❌"))),
        ("", "Phase completed: ✗ open", Some((true, "Phase completed: ✗"))),
        ("", "| Item | Answer |\n|---|---|\n| Ready to proceed | ☐ |", Some((true, "Ready to proceed: ☐"))),
        ("", "Phase completed: ✔\nReady to proceed: ☑️ yes", None),
        ("", "Ready to proceed: [x]", None),
        ("", "Ready to proceed: noch nicht", Some((true, "noch nicht"))),
        ("status: draft\n", "Ready to proceed: Yes", Some((false, "\"draft\""))),
        ("status: final\n", "Ready to proceed: Yes", None),
        ("from_phase: plan\n", "Ready to proceed: Yes", Some((false, "from_phase is \"plan\""))),
        (
            "from_phase: brainstorm\nto_phase: design\n",
            "Ready to proceed: Yes",
            Some((false, "to_phase is \"design\"")),
        ),
    ];
    for (front, signed, wanted) in cases {
        let stage = Stage::new();
        stage.put(STATE, flat("research", "in_progress", "brainstorm, initialize", "design"));
        stage.put(
            HANDOFF,
            format!("---\nworkflow_id: wf-1\n{front}---\n\n# Handoff\n\nPostcards.\n\n## Sign-off\n\n{signed}\n"),
        );
        let progress = go_on(&stage);
        let found: Vec<_> = progress.snapshot.unclear().filter(|one| one.file == HANDOFF).collect();
        match wanted {
            None => assert_eq!(found, [], "{front}{signed}"),
            Some((holds, words)) => {
                assert!(
                    found.iter().any(|one| one.holds == holds && one.text.contains(words)),
                    "{front}{signed}: {found:?}"
                );
                assert_eq!(blockers(&progress).iter().any(|line| line.contains(words)), holds, "{front}{signed}");
            }
        }
    }
}

#[test]
fn an_escalation_condition_counts_in_words_too() {
    let table = |head: &str, row: &str| format!("## Escalation Conditions\n\n{head}\n|---|---|\n{row}\n");
    let cases = [
        (table("| Condition | Triggered |", "| Cards run out | Yes |"), true),
        (table("| Condition | Met? |", "| Cards run out | ✔ |"), true),
        (table("| Condition | Met |", "| Cards run out | ❌ |"), false),
        (table("| Condition | Status |", "| Cards run out | **Triggered** (May) |"), true),
        (table("| Condition | Status |", "| Cards run out | not triggered |"), false),
        (table("| Condition | Requires debate |", "| Cards run out | Yes |"), false),
        (table("| Condition | Cards run out |", "| Triggered | Yes |"), true),
        (table("| Condition | Cards run out |", "| Triggered | No |"), false),
        ("## Escalation Conditions\n\n- Cards run out: MET\n".to_owned(), true),
        ("## Escalation Conditions\n\n- Cards run out (triggered)\n".to_owned(), true),
        ("## Escalation Conditions\n\n- Cards run out: we order more\n".to_owned(), false),
        ("## Escalation Conditions\n\nCards run out\nTriggered: yes\n".to_owned(), true),
        ("## Eskalationsbedingungen\n\n- [x] Karten gehen aus\n".to_owned(), true),
        ("## Conditions d'escalade\n\n- [x] Plus de cartes\n".to_owned(), true),
        ("## Условия эскалации\n\n- [x] Нет карт\n".to_owned(), true),
        ("## 升级条件\n\n- [x] 没有卡\n".to_owned(), true),
    ];
    for (section, wanted) in cases {
        let stage = Stage::new();
        stage.put(STATE, flat("research", "in_progress", "brainstorm, initialize", "design"));
        stage.put(HANDOFF, handoff("workflow_id: wf-1\n", "") + "\n" + &section);
        let progress = go_on(&stage);
        assert_eq!(progress.step.call.as_ref().is_some_and(|call| call.debate), wanted, "{section}");
        let read = progress.snapshot.handoff.unwrap();
        assert!(!read.unclear.iter().any(|one| one.holds), "{section}: {:?}", read.unclear);
    }
}

#[test]
fn tasks_of_others_stay_and_are_waited_for() {
    let stage = Stage::new();
    stage.put(
        STATE,
        "---\nphase: research\nphase_status: in_progress\nstarted_at: 2026-01-10T08:00:00Z\ncompleted_tasks: [call-ann]\npending_tasks:\n  - ask-printer\n  - Weigh the cards\n---\n",
    );
    stage.put(HANDOFF, handoff("workflow_id: wf-1\n", ""));
    let progress = go_on(&stage);
    let held = blockers(&progress);
    for task in ["ask-printer", "Weigh the cards"] {
        assert!(held.iter().any(|line| line.contains(task) && line.contains("forge task done")), "{task}: {held:?}");
        assert!(progress.snapshot.state.pending_tasks.iter().any(|one| one == task), "{task}");
    }
    let done = stage.well(when(2)).mark_task("ask-printer", &forge_engine::workflow::TaskWord::Done, &drive()).unwrap();
    let state = &done.snapshot.state;
    assert!(
        state.completed_tasks.contains(&"ask-printer".to_owned())
            && state.completed_tasks.contains(&"call-ann".to_owned())
    );
    assert!(!state.pending_tasks.contains(&"ask-printer".to_owned()));
}

#[test]
fn a_registry_that_is_no_text_holds_and_one_with_a_few_odd_bytes_is_told() {
    let odd = [
        b"# Risks\n\n- R001: Caf\xE9 closes at noon, and nobody can fetch the cards there any more\n".as_slice(),
        b"\n",
    ]
    .concat();
    for (bytes, holds) in [(vec![0x81_u8, 0xFE, 0x00, 0x93, 0xA0, 0xFF, b'\n', 0x99], true), (odd, false)] {
        let stage = started();
        stage.put("docs/forge/knowledge/risks.md", &bytes);
        let progress = go_on(&stage);
        let found: Vec<_> = progress.snapshot.unclear().filter(|one| one.file.ends_with("risks.md")).collect();
        assert!(found.iter().any(|one| one.holds == holds && one.text.contains("UTF-8")), "{found:?}");
        assert_eq!(std::fs::read(stage.root().join("docs/forge/knowledge/risks.md")).unwrap(), bytes);
    }
}

#[test]
fn another_file_takes_no_open_workflows_place() {
    let other = "docs/forge/active-workflow.md";
    let stage = started();
    stage.put(other, "# Active Workflow State\n\n**Current Phase:** build\n**Status:** in_progress\n");
    let before = stage.tree();
    let error = stage.well(when(1)).adopt(other).unwrap_err().to_string();
    for words in ["Remind readers", "under way", "forge save && rm", &format!("forge restore --adopt {other}")] {
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(stage.tree(), before);
    // Over another tool's file it is taken over, with the objective that this one says.
    let stage = Stage::new();
    stage.put(STATE, flat("test", "in_progress", "plan, design, research, brainstorm, initialize", "build"));
    stage.put(other, "# Active Workflow State\n\n**Current Phase:** build\n**Status:** in_progress\n");
    let (state, log) = stage.well(when(1)).adopt(other).unwrap();
    assert_eq!((state.phase.as_str(), state.objective.as_str()), ("build", "Remind readers"));
    assert!(log.done.iter().any(|line| line.contains(ASIDE)), "{log:?}");
}

#[test]
fn headings_alone_list_options_and_so_may_the_working_document() {
    const OPTIONS: &str = "docs/forge/brainstorm-options.md";
    const WORKING: &str = "docs/forge/phases/brainstorm.md";
    let headings =
        "# Brainstorm\n\n## Options\n\n### A. Use postcards\n\n### B. Use text messages\n\n### C. Use a digest\n";
    let exploration = "# Brainstorm\n\n## Exploration\n\n### Option A: Postcard\n\n**Pros:**\n- paper\n\n### Option B: Text message\n\n**Cons:**\n- dear\n\n### Option C: Digest\n\nWeekly.\n";
    for (path, text) in [(OPTIONS, headings), (WORKING, exploration)] {
        let stage = started();
        stage.put(path, text);
        let progress = go_on(&stage);
        assert_eq!(progress.snapshot.options.options.len(), 3, "{path}");
        assert!(progress.snapshot.debate.there().is_some(), "{path}: {:?}", blockers(&progress));
        let held = progress.step.blockers.iter().filter(|one| one.kind == BlockerKind::Artifact);
        assert_eq!(held.count(), 0, "{path}: {:?}", blockers(&progress));
        assert_eq!(stage.said(path), text);
    }
}

#[test]
fn a_copy_of_forges_state_in_anothers_archive_ends_the_workflow() {
    // What the script's `archive` does: a copy, and the state file is gone.
    let stage = started();
    go_on(&stage);
    stage.put(".claude/forge/archive/workflow_20260127_101010_Remindreaders.md", stage.said(STATE));
    stage.delete(STATE);
    let error = stage.well(when(2)).continue_workflow(&drive()).unwrap_err().to_string();
    assert!(error.contains("there is no workflow here"), "{error}");
}

#[test]
fn a_file_that_is_gone_is_missed_behind_the_word_completed() {
    let stage = started();
    go_on(&stage);
    stage.edit(STATE, "phase_status: in_progress", "phase_status: completed");
    stage.delete("docs/forge/knowledge/risks.md");
    let progress = stage.well(when(2)).continue_workflow(&drive()).unwrap();
    assert_eq!(progress.snapshot.state.phase, "brainstorm");
    assert!(
        progress.log.done.iter().any(|line| line.contains("made docs/forge/knowledge/risks.md")),
        "{:?}",
        progress.log
    );
}

#[test]
fn a_plan_that_is_made_anew_is_kept_as_it_was() {
    let stage = started();
    let listed = "# Options\n\n## Options\n\n- Postcard: paper\n- Text message: phone\n- Digest: mail\n";
    stage.put("docs/forge/brainstorm-options.md", listed);
    let id = go_on(&stage).snapshot.state.debate.id.unwrap();
    let plan = format!("docs/forge/debate/{id}/debate-plan.md");
    let before = stage.said(&plan);
    assert_eq!(stage.well(when(2)).regenerate(&id).unwrap().kept, None, "nothing changed");
    stage.edit("docs/forge/brainstorm-options.md", "Digest: mail", "Fax: by wire");
    let done = stage.well(when(3)).regenerate(&id).unwrap();
    assert_eq!(stage.said(&done.kept.unwrap()), before);
    assert!(stage.said(&plan).contains("Fax"));
}

#[test]
fn a_handoff_of_another_id_is_there_and_not_made_again() {
    let stage = Stage::new();
    stage.put(STATE, flat("research", "in_progress", "brainstorm, initialize", "design"));
    stage.put(HANDOFF, handoff("workflow_id: wf-1\n", ""));
    go_on(&stage);
    let before = stage.said(HANDOFF);
    stage.edit(STATE, "workflow_id: wf-1", "workflow_id: wf-2");
    let progress = stage.well(when(2)).continue_workflow(&drive()).unwrap();
    assert!(!progress.log.done.iter().any(|line| line.contains("was not there")), "{:?}", progress.log.done);
    assert!(blockers(&progress).iter().any(|line| line.contains(HANDOFF) || line.contains("shows its debate")));
    assert_eq!(stage.said(HANDOFF), before);
}

#[test]
fn a_disk_that_fails_midway_tells_what_was_done_before() {
    use forge_engine::EngineError;
    let error = EngineError::Midway {
        error: Box::new(EngineError::Bug("it broke".to_owned())),
        done: vec!["STATE is kept as KEPT".to_owned()],
    };
    assert!(error.to_string().ends_with("done before that: STATE is kept as KEPT"), "{error}");
}

#[test]
fn what_nobody_typed_here_opens_nothing() {
    let home = tempfile::tempdir().unwrap();
    let here = |stage: &Stage, at| Workspace {
        made: Some(std::sync::Arc::new(
            forge_artifacts::disk::WorkspaceDisk::open(home.path(), forge_artifacts::disk::Durability::None).unwrap(),
        )),
        ..stage.well(when(at))
    };
    let is_doubted = |progress: &Progress| blockers(progress).iter().any(|line| line.contains("nobody typed"));
    let stage = started();
    go_on(&stage);
    stage.edit(STATE, "debate_flag: none", "debate_flag: skipped");
    let before = stage.said(STATE);
    assert!(is_doubted(&here(&stage, 2).continue_workflow(&drive()).unwrap()));
    assert_eq!(stage.said(STATE), before);
    let entry = Entry { phase: "brainstorm".to_owned(), objective: None, flag: DebateFlag::Skipped };
    assert!(!is_doubted(&here(&stage, 3).enter_phase(&entry, &drive()).unwrap().progress));
    assert!(!is_doubted(&here(&stage, 4).continue_workflow(&drive()).unwrap()));

    // A list of phases shows none of them, until somebody takes it over.
    let stage = started();
    go_on(&stage);
    stage.edit(STATE, "\nphase: brainstorm\n", "\nphase: design\n");
    stage.edit(STATE, "completed_phases: [init]", "completed_phases: [init, brainstorm, research]");
    stage.edit(STATE, "next_phase: research", "next_phase: plan");
    stage.edit(STATE, "skipped_debates: []", "skipped_debates: [\"brainstorm: always\"]");
    let before = stage.said(STATE);
    let held = here(&stage, 2).continue_workflow(&drive()).unwrap();
    assert!(is_doubted(&held), "{:?}", blockers(&held));
    assert!(blockers(&held).iter().any(|line| line.contains("research counts as completed")), "{:?}", blockers(&held));
    assert_eq!(stage.said(STATE), before);
    let (_, log) = here(&stage, 3).adopt(STATE).unwrap();
    assert!(log.notes.iter().any(|note| note.contains("on your word: brainstorm, research done")), "{:?}", log.notes);
    let taken = here(&stage, 4).continue_workflow(&drive()).unwrap();
    assert!(!taken.step.blockers.iter().any(|one| one.kind == BlockerKind::State), "{:?}", blockers(&taken));
}
