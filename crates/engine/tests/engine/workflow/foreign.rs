//! Files that others wrote: nothing of theirs is moved, replaced or passed over without a line that says so and where it is, and
//! no gate is skipped because of them.

use super::walk::when;
use super::*;
use forge_engine::workflow::{Entry, StartSettings};
use forge_workflow::next::BlockerKind;
use forge_workflow::state::{DebateFlag, PhaseStatus, WorkflowStatus};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

const OTHER_STATE: &str = "docs/forge/active-workflow.md";
const RESEARCH: &str = "docs/forge/phases/research.md";
const HANDOFF: &str = "docs/forge/handoffs/brainstorm-to-research.md";

/// Every layout that is known, with its file.
const LAYOUTS: [(&str, &str); 10] = [
    ("described", include_str!("../../../../artifacts/tests/artifacts/state_files/described.md")),
    ("flat", include_str!("../../../../artifacts/tests/artifacts/state_files/flat.md")),
    ("flat_with_debate", include_str!("../../../../artifacts/tests/artifacts/state_files/flat_with_debate.md")),
    ("partial", include_str!("../../../../artifacts/tests/artifacts/state_files/partial.md")),
    ("current_phase", include_str!("../../../../artifacts/tests/artifacts/state_files/current_phase.md")),
    ("plain_status", include_str!("../../../../artifacts/tests/artifacts/state_files/plain_status.md")),
    ("progress", include_str!("../../../../artifacts/tests/artifacts/state_files/progress.md")),
    ("prose", include_str!("../../../../artifacts/tests/artifacts/state_files/prose.md")),
    ("prose_exit", include_str!("../../../../artifacts/tests/artifacts/state_files/prose_exit.md")),
    ("bare", include_str!("../../../../artifacts/tests/artifacts/state_files/bare.yaml")),
];
/// The first of them are gone on with in place.
const IN_PLACE: usize = 4;

pub(super) fn flat(phase: &str, status: &str, completed: &str, next: &str) -> String {
    format!(
        "---\nworkflow: forge\nversion: \"0.4.0\"\nobjective: \"Remind readers\"\nphase: {phase}\nstatus: {status}\nstarted_at: 2026-01-10T08:15:00Z\nlast_updated: 2026-01-10T09:00:00Z\ncompleted_phases: [{completed}]\nnext_phase: {next}\nbranch: feat/remind\nissue: \"\"\n---\n\n# FORGE Workflow State\n\nOurs.\n"
    )
}

pub(super) fn started() -> Stage {
    let stage = Stage::new();
    let start = StartSettings { objective: "Remind readers".to_owned(), abandon: false };
    stage.well(when(0)).start_workflow(&start, &drive()).unwrap();
    stage
}

pub(super) fn go_on(stage: &Stage) -> Progress {
    stage.well(when(1)).continue_workflow(&drive()).unwrap()
}

pub(super) fn holds_in(progress: &Progress, phase: &str, words: &[&str]) {
    assert_eq!(progress.snapshot.state.phase, phase);
    let held = progress.step.blockers.iter().filter(|one| one.kind == BlockerKind::State);
    let held: Vec<&str> = held.map(|one| one.fact.sentence()).collect();
    assert!(held.iter().any(|text| words.iter().all(|word| text.contains(word))), "{held:?}");
}

#[test]
fn layouts_are_gone_on_with_in_place_or_named_with_the_command_that_takes_them_over() {
    for (i, (name, text)) in LAYOUTS.iter().enumerate() {
        let stage = Stage::new();
        stage.put(STATE, text);
        let went = stage.well(when(0)).continue_workflow(&drive());
        if i < IN_PLACE {
            let progress = went.unwrap_or_else(|error| panic!("{name}: {error}"));
            let said: Vec<&String> = progress.log.done.iter().chain(&progress.log.notes).collect();
            let kept = stage.tree().0.into_iter().find(|(_, bytes)| bytes == text.as_bytes()).unwrap().0;
            assert!(kept == STATE || said.iter().any(|line| line.contains(&kept)), "{name}: {said:?}");
            let body = text.split("\n---\n").nth(1).unwrap_or_default();
            assert!(body.lines().all(|line| stage.said(STATE).contains(line)), "{name}: its notes are lost");
            continue;
        }
        let error = went.unwrap_err().to_string();
        // One of them says that its workflow is over.
        if *name == "current_phase" {
            assert!(error.contains("forge start") && !error.contains("--adopt"), "{name}: {error}");
            continue;
        }
        assert!(error.contains(&format!("`forge restore --adopt {STATE}`")), "{name}: {error}");
        assert_eq!(stage.said(STATE), *text, "{name} is changed");
        match stage.well(when(0)).adopt(STATE) {
            Ok((state, log)) => {
                let kept = stage.tree().0.into_iter().find(|(_, bytes)| bytes == text.as_bytes()).unwrap().0;
                assert!(log.done.iter().any(|line| line.contains(&kept)), "{name}: {:?}", log.done);
                assert!(stage.said(STATE).contains(&format!("workflow_id: {}", state.workflow_id)), "{name}");
                go_on(&stage);
            }
            Err(error) => assert!(error.to_string().contains("completed"), "{name}: {error}"),
        }
    }
}

#[test]
fn a_state_without_an_id_takes_its_documents() {
    let state = "---\nphase: research\nphase_status: in_progress\n---\n";
    let document = "---\nworkflow_id: \"wf-1\"\ncomponents: [api, ui]\n---\n# Research\n\n## Findings\nIt works.\n";
    let handoff = "---\nfrom_phase: brainstorm\nto_phase: research\nworkflow_id: wf-1\n---\n\n## Escalation Conditions\n\n- [x] The provider is gone\n";
    for (with_document, with_handoff) in [(true, false), (false, true), (true, true)] {
        let stage = Stage::new();
        stage.put(STATE, state);
        if with_document {
            stage.put(RESEARCH, document);
        }
        if with_handoff {
            stage.put(HANDOFF, handoff);
        }
        let progress = go_on(&stage);
        assert_eq!(progress.snapshot.state.workflow_id, "wf-1");
        assert!(!with_document || stage.said(RESEARCH) == document, "the real document was pushed aside");
        assert_eq!(progress.step.call.as_ref().is_some_and(|call| call.debate), with_handoff, "the escalation counts");
    }
}

#[test]
fn documents_with_two_ids_are_both_named_and_neither_is_moved() {
    let stage = Stage::new();
    stage.put(STATE, "---\nphase: research\nphase_status: in_progress\n---\n");
    stage.put(RESEARCH, "---\nworkflow_id: wf-1\n---\n# Research\n");
    stage.put(HANDOFF, "---\nfrom_phase: brainstorm\nto_phase: research\nworkflow_id: wf-2\n---\n# Handoff\n");
    let before = stage.tree();
    let progress = go_on(&stage);
    holds_in(&progress, "research", &[RESEARCH, "wf-1", HANDOFF, "wf-2", "workflow_id: wf-1"]);
    for path in [STATE, RESEARCH, HANDOFF] {
        assert_eq!(stage.tree().0.get(path), before.0.get(path), "{path}");
    }
}

#[test]
fn another_tools_workflow_that_is_over_makes_room() {
    let over = "---\nworkflow_id: wf-lib-9\ncurrent_phase: learn\nphase_status: completed\ncompleted_phases:\n  - brainstorm\n  - learn\nworkflow_status: complete\n---\n\nRing Ann.\n";
    let stage = Stage::new();
    stage.put(STATE, over);
    let error = stage.well(when(0)).continue_workflow(&drive()).unwrap_err().to_string();
    assert!(error.contains("forge start") && !error.contains("--adopt"), "{error}");
    let start = StartSettings { objective: "Remind readers".to_owned(), abandon: false };
    let begun = stage.well(when(1)).start_workflow(&start, &drive()).unwrap();
    let kept = begun.log.done.iter().find_map(|line| line.split("is kept as ").nth(1)).unwrap();
    assert_eq!(stage.said(kept), over);
}

#[test]
fn a_document_of_another_workflow_is_named_when_it_makes_room() {
    let stage = started();
    let theirs = "---\nworkflow_id: wf-9\n---\n# Brainstorm of last year\n";
    stage.put("docs/forge/phases/brainstorm.md", theirs);
    let progress = go_on(&stage);
    let kept = "docs/forge/archive/wf-9/phases/brainstorm.md";
    assert_eq!(stage.said(kept), theirs);
    let back = format!("mv {kept} docs/forge/phases/brainstorm.md");
    assert!(progress.log.done.iter().any(|line| line.contains("wf-9") && line.contains(&back)), "{:?}", progress.log);
}

// seed: S1-52
#[test]
fn a_phase_that_a_script_completed_is_no_completed_workflow_and_is_checked() {
    let stage = Stage::new();
    stage.put(STATE, flat("brainstorm", "completed", "brainstorm, initialize", "research"));
    let progress = go_on(&stage);
    let state = &progress.snapshot.state;
    assert_eq!((state.phase.as_str(), state.status), ("brainstorm", WorkflowStatus::Active));
    assert_ne!(state.phase_status, PhaseStatus::Completed, "its debate was never held");
    assert_eq!(state.branch.as_deref(), Some("feat/remind"));
}

#[test]
fn phases_are_not_skipped_because_a_script_says_so() {
    // What `set-phase design` changes in forge's own file.
    let stage = started();
    stage.edit(STATE, "phase: init\n", "phase: design\n");
    let progress = go_on(&stage);
    holds_in(&progress, "design", &["brainstorm, research", "`forge continue --phase brainstorm`"]);
    let back = stage.well(when(2)).continue_in("brainstorm", &drive()).unwrap();
    assert_eq!(back.snapshot.state.phase, "brainstorm");
    assert!(!back.step.blockers.iter().any(|one| one.kind == BlockerKind::State), "{:?}", blockers(&back));
}

#[test]
fn a_phase_that_had_to_debate_shows_its_debate() {
    let stage = Stage::new();
    stage.put(STATE, flat("research", "in_progress", "brainstorm, initialize", "design"));
    holds_in(&go_on(&stage), "research", &["brainstorm", "nothing shows its debate"]);
    let synthesis = format!("# Synthesis\n\n## Final Decision\n\n{}\n", super::evidence::REASONS);
    for (path, text) in [
        (HANDOFF, "# Phase Handoff: brainstorm → research\n\n## Summary\n\nDone.\n"),
        ("docs/forge/debate/brainstorm-20260110-083000/synthesis.md", synthesis.as_str()),
    ] {
        let stage = Stage::new();
        stage.put(STATE, flat("research", "in_progress", "brainstorm, initialize", "design"));
        stage.put(path, text);
        let progress = go_on(&stage);
        assert!(
            !progress.step.blockers.iter().any(|one| one.kind == BlockerKind::State),
            "{path}: {:?}",
            blockers(&progress)
        );
    }
}

#[test]
fn the_word_completed_written_by_hand_opens_no_gate() {
    let stage = started();
    go_on(&stage);
    stage.edit(STATE, "phase_status: in_progress", "phase_status: completed");
    let overview = stage.well(when(2)).overview(&drive()).unwrap().unwrap();
    let found = forge_workflow::next::gate_blockers(&overview.snapshot, &overview.step, Default::default());
    assert!(!found.is_empty(), "the gate would say PASSED");
    let progress = stage.well(when(2)).continue_workflow(&drive()).unwrap();
    assert_eq!(progress.snapshot.state.phase, "brainstorm");
    // The whole workflow is no more completed than its phase.
    stage.edit(STATE, "status: in_progress", "status: completed");
    holds_in(&stage.well(when(3)).continue_workflow(&drive()).unwrap(), "brainstorm", &["status says completed"]);
    let back = stage.well(when(4)).continue_in("brainstorm", &drive()).unwrap();
    assert_eq!(back.snapshot.state.status, WorkflowStatus::Active);
}

#[test]
fn a_paused_workflow_holds_until_its_phase_is_entered() {
    let stage = started();
    go_on(&stage);
    stage.edit(STATE, "\nstatus: in_progress", "\nstatus: paused");
    let before = stage.said(STATE);
    holds_in(
        &stage.well(when(2)).continue_workflow(&drive()).unwrap(),
        "brainstorm",
        &["paused", "forge enter brainstorm"],
    );
    assert_eq!(stage.said(STATE), before);
    let entry = Entry { phase: "brainstorm".to_owned(), objective: None, flag: DebateFlag::Unsaid };
    let entered = stage.well(when(3)).enter_phase(&entry, &drive()).unwrap().progress;
    assert_eq!(entered.snapshot.state.status, WorkflowStatus::Active);
}

#[test]
fn an_archived_workflow_stays_archived() {
    let documents = |stage: &Stage| {
        stage.put(RESEARCH, "---\nphase: research\n---\n# Research\n");
        stage.put(HANDOFF, "---\nfrom_phase: brainstorm\nto_phase: research\nworkflow_id: wf-1\n---\n# Handoff\n");
    };
    let records = [
        (".claude/forge/archive/workflow-wf-1.md", flat("learn", "completed", "", "null")),
        ("docs/forge/archive/20260301-wf-1/MANIFEST.md", "# Manifest\n".to_owned()),
    ];
    for (path, text) in records {
        let stage = Stage::new();
        documents(&stage);
        stage.put(path, text);
        let error = stage.well(when(0)).continue_workflow(&drive()).unwrap_err().to_string();
        assert!(error.contains("there is no workflow here"), "{path}: {error}");
    }
    // A script's record names no workflow: what is older than it belongs to it, and what is younger does not.
    for (at, is_over) in [("2026-02-01T15:00:00Z", true), ("2026-03-05T15:00:00Z", false)] {
        let stage = Stage::new();
        stage.put(HANDOFF, format!("---\nfrom_phase: brainstorm\nto_phase: research\nworkflow_id: wf-1\ngenerated_at: {at}\n---\n# Handoff\n"));
        stage.put(
            ".claude/forge/archive/workflow_20260301_101010_O.md",
            "---\nworkflow: forge\nversion: \"0.4.0\"\nobjective: \"O\"\nphase: learn\nstatus: completed\n---\n",
        );
        assert_eq!(stage.well(when(0)).continue_workflow(&drive()).is_err(), is_over, "{at}");
    }
    // Its state file came back from an old commit.
    let stage = started();
    let id = go_on(&stage).snapshot.state.workflow_id;
    let record = format!(".claude/forge/archive/workflow-{id}.md");
    stage.put(&record, stage.said(STATE).replace("\nstatus: in_progress", "\nstatus: completed"));
    holds_in(
        &stage.well(when(2)).continue_workflow(&drive()).unwrap(),
        "brainstorm",
        &[&record, "forge start", "--adopt"],
    );
    let (state, _) = stage.well(when(3)).adopt(STATE).unwrap();
    assert_eq!(state.workflow_id, id);
    assert!(!go_on(&stage).step.blockers.iter().any(|one| one.kind == BlockerKind::State));
}

/// A folder as others left it, and what is typed in it.
#[derive(Debug, Clone)]
struct Folder {
    files: Vec<(String, String)>,
    commands: Vec<u8>,
}

fn front() -> impl Strategy<Value = String> {
    let id = prop_oneof![
        Just(String::new()),
        Just("workflow_id: wf-1\n".to_owned()),
        Just("workflow_id: \"wf-2\"\n".to_owned())
    ];
    let more = prop_oneof![Just(""), Just("components: [a, b]\n"), Just("mine: {x: 1}\n")];
    (id, more).prop_map(|(id, more)| format!("---\nphase: research\n{id}{more}---\n"))
}

fn state_text() -> impl Strategy<Value = String> {
    const PHASES: &[&str] = &["init", "brainstorm", "research", "design", "learn", "\"build\"", "security"];
    const WORDS: &[&str] = &["pending", "in_progress", "blocked", "completed", "paused", "failed", "handoff_ready"];
    const LISTS: &[&str] = &["", "initialize", "brainstorm, initialize", "design, research, brainstorm, init"];
    let flat = (
        prop::sample::select(PHASES),
        prop::sample::select(WORDS),
        prop::sample::select(LISTS),
        prop::sample::select(&["null", "research", "brainstorm"][..]),
    )
        .prop_map(|(phase, word, list, next)| flat(phase, word, list, next));
    let layout = prop::sample::select(&LAYOUTS[..]).prop_map(|(_, text)| text.to_owned());
    let loose = (prop::sample::select(PHASES), prop::sample::select(WORDS)).prop_map(|(phase, word)| {
        format!("---\nphase: {phase}   # now\nphase_status: {word}\nmy_key: 7\n---\n\nA note.\n")
    });
    prop_oneof![3 => flat, 3 => layout, 2 => loose, 1 => "[a-z:# \n-]{0,60}"]
}

fn folder() -> impl Strategy<Value = Folder> {
    let document = |path: &str| {
        let path = path.to_owned();
        prop::option::of((front(), "[A-Za-z .\n]{0,40}")).prop_map(move |text| {
            text.map(|(front, body)| (path.clone(), format!("{front}\n# Title\n\n## Findings\n\n{body}\n")))
        })
    };
    let files = (
        prop::option::of(state_text().prop_map(|text| (STATE.to_owned(), text))),
        prop::option::weighted(0.3, state_text().prop_map(|text| (OTHER_STATE.to_owned(), text))),
        document(RESEARCH),
        document("docs/forge/phases/brainstorm.md"),
        document("docs/forge/brainstorm-options.md"),
        document(HANDOFF),
        document("docs/forge/research.md"),
        prop::option::of(Just((
            "docs/forge/knowledge/decisions.md".to_owned(),
            "# Decisions\n\n### D001: Postcards\n".to_owned(),
        ))),
        prop::option::of(Just(("docs/forge/knowledge/brief.md".to_owned(), "# Brief\n\nMine.\n".to_owned()))),
    )
        .prop_map(|(a, b, c, d, e, f, g, h, i)| [a, b, c, d, e, f, g, h, i].into_iter().flatten().collect::<Vec<_>>());
    (files, prop::collection::vec(0..8u8, 1..5)).prop_map(|(files, commands)| Folder { files, commands })
}

/// Runs a command, and tells all that it said.
fn typed(stage: &Stage, command: u8, number: usize) -> String {
    let workspace = stage.well(when(number));
    let of = |progress: Progress| [progress.log.done, progress.log.notes].concat().join("\n");
    let enter = |flag| Entry { phase: "brainstorm".to_owned(), objective: Some("Remind readers".to_owned()), flag };
    let start = |abandon| StartSettings { objective: "Something new".to_owned(), abandon };
    let said = match command {
        0 | 1 => workspace.continue_workflow(&drive()).map(of),
        2 => workspace.start_workflow(&start(false), &drive()).map(of),
        3 => workspace.start_workflow(&start(true), &drive()).map(of),
        4 => workspace.enter_phase(&enter(DebateFlag::Skipped), &drive()).map(|entered| of(entered.progress)),
        5 => workspace.adopt(STATE).or_else(|_| workspace.adopt(OTHER_STATE)).map(|(_, log)| log.done.join("\n")),
        6 => workspace.restore(None).map(|restored| restored.log.done.join("\n")),
        _ => workspace.continue_in("brainstorm", &drive()).map(of),
    };
    said.unwrap_or_else(|error| error.to_string())
}

/// Whether a person's file is where it was, was only added to, or is kept elsewhere and said to be.
fn is_safe(after: &Tree, path: &str, bytes: &[u8], said: &str) -> bool {
    let here = after.0.get(path);
    let is_added_to = path.starts_with(KNOWLEDGE) && here.is_some_and(|now| now.starts_with(bytes));
    let is_named = |kept: &String| said.contains(kept.as_str());
    here.is_some_and(|now| now == bytes)
        || is_added_to
        || after.0.iter().any(|(kept, there)| there == bytes && is_named(kept))
}

#[test]
fn nothing_that_a_person_wrote_is_lost_moved_or_replaced_without_a_word() {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(96);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(
        config,
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let checked = runner.run(&folder(), |folder| {
        let stage = Stage::new();
        for (path, text) in &folder.files {
            stage.put(path, text);
        }
        let mut said = String::new();
        for (number, command) in folder.commands.iter().enumerate() {
            said.push_str(&typed(&stage, *command, number));
            said.push('\n');
            let after = stage.tree();
            for (path, text) in &folder.files {
                prop_assert!(
                    is_safe(&after, path, text.as_bytes(), &said),
                    "{path} after {:?}:\n{said}",
                    &folder.commands[..=number]
                );
            }
        }
        Ok(())
    });
    checked.unwrap();
}

#[test]
fn an_empty_handoff_shows_no_debate() {
    let stage = Stage::new();
    stage.put(STATE, flat("research", "in_progress", "brainstorm, initialize", "design"));
    stage.put(HANDOFF, "\n");
    holds_in(&go_on(&stage), "research", &["nothing shows its debate"]);
}

#[test]
fn a_workflow_that_is_called_completed_without_a_record_is_checked() {
    let stage = started();
    go_on(&stage);
    stage.edit(STATE, "\nphase: brainstorm\n", "\nphase: learn\n");
    stage.edit(STATE, "\nstatus: in_progress", "\nstatus: completed");
    stage.edit(STATE, "phase_status: in_progress", "phase_status: completed");
    stage.edit(
        STATE,
        "completed_phases: [init]",
        "completed_phases: [init, brainstorm, research, design, plan, test, build, validate, review, learn]",
    );
    stage.edit(STATE, "next_phase: research", "next_phase: null");
    let progress = stage.well(when(2)).continue_workflow(&drive()).unwrap();
    holds_in(&progress, "learn", &["brainstorm", "nothing shows its debate"]);
    assert!(progress.log.notes.iter().any(|note| note.contains("no record")), "{:?}", progress.log.notes);
}

// seed: S1-74
#[test]
fn what_a_handoff_locks_is_challenged_only_with_a_debate() {
    let stage = Stage::new();
    let handoff = "---\nfrom_phase: test\nto_phase: build\nworkflow_id: wf-1\n---\n\n## Locked Decisions\n\n| Decision ID | Title | Rationale | Challenge Requires Debate |\n|---|---|---|---|\n| D001 | Remind by mail | cheap | Yes |\n| D002 | Use blue paper | taste | No |\n";
    stage.put("docs/forge/handoffs/test-to-build.md", handoff);
    stage.put(HANDOFF, handoff);
    let done = "test, plan, design, research, brainstorm, initialize";
    for (challenged, calls) in [("D001", true), ("D1", true), ("D002", false)] {
        stage.put(STATE, flat("build", "in_progress", done, "validate"));
        stage.put(
            "docs/forge/phases/build.md",
            format!("---\nworkflow_id: wf-1\nchallenges: [{challenged}]\n---\n# Build\n"),
        );
        let call = go_on(&stage).step.call.unwrap();
        assert_eq!(call.debate, calls, "{challenged}: {}", call.why);
    }
}

#[test]
fn a_debate_folder_without_its_plan_is_not_gone() {
    let stage = started();
    go_on(&stage);
    let words = "# Advocate\n\nMine.\n";
    stage.put("docs/forge/debate/brainstorm-20260101-101010/advocate.md", words);
    stage.edit(STATE, "debate_id: null", "debate_id: brainstorm-20260101-101010");
    let progress = stage.well(when(2)).continue_workflow(&drive()).unwrap();
    assert!(
        blockers(&progress).iter().any(|line| line.contains("debate-plan.md is not there")),
        "{:?}",
        blockers(&progress)
    );
    assert_eq!(progress.snapshot.state.debate.id.as_deref(), Some("brainstorm-20260101-101010"));
}
