//! Files of the record that somebody deleted: named, made again from the record, and missed where that cannot be.

use super::walk::{DECISIONS, OBJECTIVE, RISKS, Walked, finish, play, story, when};
use super::{KNOWLEDGE, STATE, blockers, comparable, drive, staged};
use crate::stage::Stage;
use crate::tree::Tree;
use forge_artifacts::formats::handoff;
use forge_engine::workflow::{Progress, StartSettings};
use forge_workflow::next::BlockerKind;
use forge_workflow::state::PhaseStatus;

const CONSTRAINTS: &str = "docs/forge/knowledge/constraints.md";
const ASSUMPTIONS: &str = "docs/forge/knowledge/assumptions.md";
const ALL: [&str; 4] = [DECISIONS, CONSTRAINTS, ASSUMPTIONS, RISKS];
const INTO_RESEARCH: &str = "docs/forge/handoffs/brainstorm-to-research.md";

fn go_on(stage: &Stage, number: usize) -> Progress {
    stage.well(when(number)).continue_workflow(&drive()).unwrap()
}

/// In research, after brainstorm's debate.
fn in_research() -> Stage {
    staged(&Walked::of(story()[..12].to_vec()).trees[12])
}

/// The same before anything was said about debating there.
fn entered_research() -> Stage {
    staged(&Walked::of(story()[..11].to_vec()).trees[11])
}

fn delete(stage: &Stage, path: &str) {
    std::fs::remove_file(stage.root().join(path)).unwrap();
}

/// Wherever the workflow is, and whichever files are deleted: going on brings them back as they were.
// seed: S1-47
#[test]
fn knowledge_files_come_back_byte_for_byte() {
    let walked = Walked::of(story());
    let subsets: [&[&str]; 6] =
        [&[DECISIONS], &[CONSTRAINTS], &[ASSUMPTIONS], &[RISKS], &[DECISIONS, CONSTRAINTS], &ALL];
    let mut tried = 0;
    for (number, tree) in walked.trees.iter().enumerate() {
        let is_closed = tree.0.get(RISKS).is_some_and(|text| String::from_utf8_lossy(text).contains("| closed |"));
        if !tree.0.contains_key(DECISIONS) || number + 2 >= walked.trees.len() {
            continue;
        }
        let undisturbed = staged(tree);
        go_on(&undisturbed, number);
        for deleted in [subsets[number % subsets.len()], &ALL] {
            // That a person closed a risk stood in its file alone; it counts again.
            if is_closed && deleted.contains(&RISKS) {
                continue;
            }
            let stage = staged(tree);
            deleted.iter().for_each(|path| delete(&stage, path));
            let before = stage.tree();
            assert!(stage.well(when(number)).overview(&drive()).unwrap().is_ok());
            assert!(stage.tree() == before, "looking changes nothing");
            let progress = go_on(&stage, number);
            for path in deleted {
                let said = progress.log.done.iter().any(|line| line.contains(path.rsplit('/').next().unwrap()));
                assert!(said, "{number}: {path} is not named: {:?}", progress.log.done);
            }
            let (again, expected) = (comparable(&stage.tree()), comparable(&undisturbed.tree()));
            for path in again.paths().into_iter().chain(expected.paths()) {
                let text = |tree: &Tree| tree.0.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
                assert_eq!(text(&again), text(&expected), "{number}: {deleted:?}: {path}");
            }
            tried += 1;
        }
    }
    assert!(tried > 40, "{tried}");
}

// seed: S1-48
#[test]
fn a_handoff_comes_back_with_its_boxes_open() {
    let walked = Walked::of(story());
    let mut tried = 0;
    for (number, tree) in walked.trees.iter().enumerate() {
        let stage = staged(tree);
        let Ok(Ok(now)) = stage.well(when(number)).overview(&drive()) else { continue };
        let Some(before) = now.snapshot.handoff.filter(|_| now.snapshot.state.phase_status != PhaseStatus::Completed)
        else {
            continue;
        };
        delete(&stage, &before.path);
        let progress = go_on(&stage, number);
        assert!(progress.log.done.iter().any(|line| line.contains(&before.path) && line.contains("was not there")));
        let again = handoff::read(&before.path, stage.said(&before.path).as_bytes());
        let texts =
            |boxes: &[forge_workflow::snapshot::Checkbox]| boxes.iter().map(|one| one.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&again.todo), texts(&before.todo), "{number}");
        // Knowledge may have grown since, and assumptions may have been settled.
        let known = progress.snapshot.knowledge;
        for escalation in texts(&before.escalations) {
            let id = escalation.split(' ').next().unwrap();
            let stands =
                known.open_assumptions().any(|one| one.id == id) || known.standing_decisions().any(|one| one.id == id);
            assert!(!stands || texts(&again.escalations).contains(&escalation), "{number}: {escalation}");
        }
        assert!(again.todo.iter().chain(&again.escalations).all(|one| !one.ticked));
        let text = stage.said(&before.path);
        go_on(&stage, number);
        assert_eq!(stage.said(&before.path), text, "once");
        tried += 1;
    }
    assert!(tried > 20, "{tried}");
}

/// A condition that called for a debate is ticked when its handoff comes back.
// seed: S1-78
#[test]
fn a_ticked_condition_outlives_its_handoff() {
    let stage = entered_research();
    let text = stage.said(INTO_RESEARCH);
    let (above, conditions) = text.split_once("## Escalation").unwrap();
    let ticked = conditions.lines().find(|line| line.starts_with("- [ ] ")).unwrap().replace("[ ]", "[x]");
    stage.put(INTO_RESEARCH, format!("{above}## Escalation{}", conditions.replacen("- [ ] ", "- [x] ", 1)));
    let calls = |progress: &Progress| {
        let whys = progress.step.call.as_ref().map(|call| call.why.clone()).unwrap_or_default();
        whys.contains("is ticked")
    };
    assert!(calls(&go_on(&stage, 13)));
    delete(&stage, INTO_RESEARCH);
    for _ in 0..2 {
        let progress = go_on(&stage, 14);
        assert!(calls(&progress), "{:?}", progress.log.done);
        let text = stage.said(INTO_RESEARCH);
        assert!(text.contains(&ticked) && text.matches("- [x] ").count() == 1, "{text}");
    }
    // Whoever takes the tick away unasks it.
    stage.edit(INTO_RESEARCH, "- [x] ", "- [ ] ");
    assert!(!calls(&go_on(&stage, 15)));
}

/// Entries that people wrote, as far as handoffs and the state file name them.
// seed: S1-47
#[test]
fn what_only_handoffs_tell_is_made_of_that_under_its_own_id() {
    let stage = Stage::new();
    let start = StartSettings { objective: OBJECTIVE.to_owned(), abandon: false };
    stage.well(when(0)).start_workflow(&start, &drive()).unwrap();
    stage.put(
        DECISIONS,
        stage.said(DECISIONS) + "\n## D1: We stay in one region\n\n- Status: locked\n- Rationale: we pay for it\n",
    );
    stage.put(CONSTRAINTS, stage.said(CONSTRAINTS) + "| C1 | No cookies | D1 | a lawyer |  |  |\n");
    for (number, act) in story()[2..11].iter().enumerate() {
        play(&stage, stage.disk(), act, when(number + 1)).unwrap();
    }
    assert!(stage.said(INTO_RESEARCH).contains("| D1 | We stay in one region |"), "{}", stage.said(INTO_RESEARCH));
    assert!(stage.said(INTO_RESEARCH).contains("| D2 | Pick a session store: Files |"));
    let (before, known) = (stage.said(CONSTRAINTS), stage.well(when(20)).knowledge().unwrap());
    delete(&stage, DECISIONS);
    let progress = go_on(&stage, 20);
    let again = stage.well(when(20)).knowledge().unwrap();
    let ids = |known: &forge_workflow::knowledge::Knowledge| {
        known.decisions.iter().map(|one| (one.id.clone(), one.title.clone(), one.locked)).collect::<Vec<_>>()
    };
    assert_eq!(ids(&again), ids(&known));
    assert!(progress.log.done.iter().any(|line| line.contains("of D1 only what handoffs")), "{:?}", progress.log.done);
    delete(&stage, CONSTRAINTS);
    go_on(&stage, 20);
    assert_eq!(stage.said(CONSTRAINTS), before);
}

/// What nothing tells holds the phase, by its own line, until somebody writes it or says that nothing rests on it.
// seed: S1-47
#[test]
fn what_nothing_tells_is_named_and_holds_the_phase() {
    let write = |stage: &Stage| {
        let rest = "| C9 | No cookies | D7 | a lawyer | | |\n";
        stage.put(CONSTRAINTS, stage.said(CONSTRAINTS) + rest);
        delete(stage, DECISIONS);
        let progress = go_on(stage, 12);
        assert!(stage.said(DECISIONS).contains("## D1: Pick a session store: Files"), "{}", stage.said(DECISIONS));
        let held = blockers(&progress);
        let named =
            held.iter().any(|line| line.starts_with("unclear") && line.contains(DECISIONS) && line.contains("D7"));
        assert!(named, "{held:?}");
        finish(stage, "research", "");
        let still = go_on(stage, 13);
        assert_eq!(still.snapshot.state.phase, "research", "it is held");
    };
    let stage = in_research();
    write(&stage);
    stage.edit(DECISIONS, "[lost: nothing on record says what it was]", "We stay in one region");
    let on = go_on(&stage, 14);
    assert!(on.snapshot.state.phase != "research" || !blockers(&on).iter().any(|line| line.contains("D7")));
    assert!(stage.well(when(14)).knowledge().unwrap().decisions.iter().any(|one| one.id == "D7"));

    let stage = in_research();
    write(&stage);
    let text = stage.said(DECISIONS);
    stage.put(
        DECISIONS,
        text.lines().filter(|line| !line.contains("[lost:")).map(|line| format!("{line}\n")).collect::<String>(),
    );
    assert!(!blockers(&go_on(&stage, 14)).iter().any(|line| line.contains("D7")));
}

/// One that was emptied is missed like one that is gone.
#[test]
fn an_emptied_handoff_is_made_again() {
    for left in ["", "\n\n", "\u{feff}"] {
        let stage = in_research();
        let before = stage.said(INTO_RESEARCH);
        stage.put(INTO_RESEARCH, left);
        let progress = go_on(&stage, 13);
        assert!(progress.log.done.iter().any(|line| line.contains(INTO_RESEARCH)), "{:?}", progress.log.done);
        assert_eq!(stage.said(INTO_RESEARCH).lines().count(), before.lines().count());
    }
}

#[test]
fn what_a_handoff_says_of_itself_is_told_by_the_going_on_that_leaves_the_phase() {
    let stage = in_research();
    stage.put(INTO_RESEARCH, "We talked about it, go ahead.\n");
    finish(&stage, "research", "");
    let notes = go_on(&stage, 13).log.notes;
    assert!(
        notes.iter().any(|note| note.contains(INTO_RESEARCH) && note.contains("no part of a handoff")),
        "{notes:?}"
    );
    let cases = [
        ("status: \"final\"", "status: draft", "its status is \"draft\""),
        ("to_phase: \"research\"", "to_phase: \"test\"", "to_phase is \"test\""),
        ("Ready to proceed: Yes", "Ready to proceed: Conditional", "Conditional"),
        ("Ready to proceed: Yes", "- [ ] Ready to proceed", "an open box stands"),
        ("\n| C1 | ", "\n| C7 | No cookies | law | Reopen |\n| C1 | ", "C7 (No cookies) is not in"),
    ];
    for (from, to, wanted) in cases {
        let stage = in_research();
        let text = stage.said(INTO_RESEARCH).replace("[ ]", "[x]").replace("- [x]", "- [ ]");
        stage.put(INTO_RESEARCH, text.replace(from, to));
        finish(&stage, "research", "");
        let progress = go_on(&stage, 13);
        assert_eq!(progress.snapshot.state.phase, "design", "{to}: {:?}", blockers(&progress));
        assert!(progress.log.notes.iter().any(|note| note.contains(wanted)), "{to}: {:?}", progress.log.notes);
    }
}

#[test]
fn a_ticked_kill_switch_holds_the_phase_until_its_decision_is_reopened() {
    let stage = in_research();
    stage.edit(DECISIONS, "  - More than 2 rollbacks", "  - [x] More than 2 rollbacks");
    finish(&stage, "research", "");
    let held = go_on(&stage, 13);
    assert_eq!(held.snapshot.state.phase, "research");
    let is_held = |line: &String| line.contains("forge tripwires --trip D");
    let said = blockers(&held).into_iter().find(is_held).unwrap_or_else(|| panic!("{:?}", blockers(&held)));
    let id = said.split("--trip ").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
    let reopened = stage.well(when(14)).trip(id, &drive()).unwrap();
    assert!(!blockers(&reopened).iter().any(is_held), "{:?}", blockers(&reopened));
    assert!(reopened.step.call.is_some_and(|call| call.debate));
}

/// The id was changed in the state file alone: nothing makes room, and writing one id into all of them is enough.
#[test]
fn documents_stay_where_the_handoff_that_the_state_names_has_their_id() {
    let stage = in_research();
    let (research, wanted) = ("docs/forge/phases/research.md", "write one workflow_id into both files");
    let id = go_on(&stage, 12).snapshot.state.workflow_id;
    finish(&stage, "research", "");
    let ours = stage.said(research);
    stage.edit(super::STATE, &format!("\nworkflow_id: {id}"), "\nworkflow_id: other-7");
    let progress = go_on(&stage, 13);
    assert_eq!(stage.said(research), ours, "{:?}", progress.log.done);
    let held = blockers(&progress);
    assert_eq!(held.iter().filter(|line| line.contains(wanted)).count(), 2, "{held:?}");
    for path in [research, INTO_RESEARCH] {
        stage.edit(path, &id, "other-7");
    }
    assert_eq!(go_on(&stage, 14).snapshot.state.phase, "design");
}

/// What the registry says against a handoff that locks a decision is told.
#[test]
fn a_locked_decision_that_the_registry_denies_or_lacks_is_named() {
    let cases: [(&str, &str, &str); 2] = [
        ("- Status: locked\n", "- Status: rejected\n", "D1 is called rejected here, and the debate brainstorm-"),
        ("- Status: locked\n", "- Status: superseded\n", "D1 is called superseded here"),
    ];
    for (from, to, wanted) in cases {
        let stage = in_research();
        let text = stage.said(DECISIONS).replace(from, to);
        stage.put(DECISIONS, text);
        let unclear: Vec<_> = go_on(&stage, 13).snapshot.unclear().filter(|one| one.file == DECISIONS).collect();
        assert!(unclear.iter().any(|one| one.text.contains(wanted)), "{to}: {unclear:?}");
    }
    let unclear: Vec<_> = go_on(&in_research(), 13).snapshot.unclear().collect();
    assert_eq!(unclear, []);
}

/// A debate's decision whose entry is gone is written back under its id, and stands meanwhile.
// seed: S1-47
#[test]
fn a_debates_decision_without_an_entry_is_written_back() {
    for (left, is_handoff_there) in [("# Decisions\n", true), ("# Decisions\n", false), ("", true), ("\n", false)] {
        let stage = entered_research();
        let before = stage.said(DECISIONS);
        stage.put(DECISIONS, left);
        if !is_handoff_there {
            delete(&stage, INTO_RESEARCH);
        }
        finish(&stage, "research", "\n## Decisions\n\n- Redis it is\n");
        let progress = go_on(&stage, 13);
        let against: Vec<String> = progress.snapshot.contradictions().into_iter().map(|one| one.decision).collect();
        assert_eq!(against, ["D1"], "{left:?}: {:?}", blockers(&progress));
        let told = progress.log.done.join("\n");
        assert!(told.contains(DECISIONS) && told.contains("D1"), "{left:?}: {told}");
        let entry = |text: &str| text[text.find("## D1: ").unwrap()..].to_owned();
        assert_eq!(entry(&stage.said(DECISIONS)), entry(&before), "{left:?}");
        let again = go_on(&stage, 14);
        assert!(!again.log.done.iter().any(|line| line.contains(DECISIONS)), "{:?}", again.log.done);
    }
}

/// It is missed too where it is deleted before the phase is entered that it leads into.
// seed: S1-48
#[test]
fn a_handoff_is_missed_from_the_moment_it_was_written() {
    let stage = Stage::new();
    let start = StartSettings { objective: OBJECTIVE.to_owned(), abandon: false };
    stage.well(when(0)).start_workflow(&start, &drive()).unwrap();
    let first = "docs/forge/handoffs/init-to-brainstorm.md";
    delete(&stage, first);
    let progress = go_on(&stage, 1);
    let said = [progress.log.done, progress.log.notes].concat();
    assert!(said.iter().any(|line| line.contains(&format!("there is no {first}"))), "{said:?}");
    assert!(stage.said(first).contains("# Phase Handoff: Init → Brainstorm"));
}

/// A risk that a person wrote stands in its file alone; that it is missing is known from the handoff's count.
#[test]
fn a_risk_that_only_a_count_tells_of_holds_the_phase() {
    let stage = Stage::new();
    let start = StartSettings { objective: OBJECTIVE.to_owned(), abandon: false };
    stage.well(when(0)).start_workflow(&start, &drive()).unwrap();
    stage.put(RISKS, stage.said(RISKS) + "| R1 | Ada leaves | Low | Low | 1 | Bob | active | |\n");
    for (number, act) in story()[2..12].iter().enumerate() {
        play(&stage, stage.disk(), act, when(number + 1)).unwrap();
    }
    delete(&stage, RISKS);
    let overview = stage.well(when(20)).overview(&drive()).unwrap().unwrap();
    let gate = forge_workflow::next::gate_blockers(&overview.snapshot, &overview.step, Default::default());
    assert!(gate.iter().any(|one| one.file == RISKS), "a gate does not pass without it: {gate:?}");
    let held = blockers(&go_on(&stage, 20));
    assert!(held.iter().any(|line| line.contains(RISKS) && line.contains("R? was lost")), "{held:?}");
    assert!(stage.said(RISKS).contains("The figures mislead"), "{}", stage.said(RISKS));
}

// seed: S1-48
#[test]
fn a_handoff_that_cannot_be_made_again_holds_the_phase() {
    let stage = in_research();
    delete(&stage, INTO_RESEARCH);
    std::fs::remove_dir_all(stage.root().join("docs/forge/debate")).unwrap();
    stage.put(DECISIONS, "# Decisions\n");
    finish(&stage, "research", "");
    let held = go_on(&stage, 13);
    let blocker = held
        .step
        .blockers
        .iter()
        .find(|one| one.file == INTO_RESEARCH)
        .unwrap_or_else(|| panic!("{:?}", blockers(&held)));
    assert_eq!(blocker.kind, BlockerKind::Unclear);
    assert!(
        blocker.fact.sentence().contains("brainstorm-20260115-161022")
            && blocker.fact.sentence().contains("git checkout --"),
        "{}",
        blocker.fact.sentence()
    );
    stage.put(INTO_RESEARCH, "# Handoff\n");
    assert!(!blockers(&go_on(&stage, 14)).iter().any(|line| line.contains(INTO_RESEARCH)), "written by hand it counts");
}

/// A workflow of another tool that never had such files gets empty ones, and is not stuck.
#[test]
fn an_adopted_workflow_gets_empty_files_and_goes_on() {
    let stage = Stage::new();
    let state = "---\nphase: design\nworkflow: forge-design\nversion: \"2.0\"\nphase_status: in_progress\nstarted_at: 2026-01-27T10:00:00Z\nlast_updated: 2026-01-27T14:30:00Z\ncontext:\n  feature: \"auth\"\n  decisions:\n    - \"D1: Use JWT for authentication\"\n  assumptions:\n    - \"A1: OAuth2 provider available\"\n---\n";
    stage.put(STATE, state);
    stage.well(when(2)).adopt(STATE).unwrap();
    let progress = go_on(&stage, 3);
    let done = progress.log.done.join("\n");
    for file in ["brief.md", "glossary.md", "traceability.md", "constraints.md", "risks.md"] {
        assert!(done.contains(&format!("made {KNOWLEDGE}/{file}")), "{file}: {done}");
    }
    assert!(done.contains("assumptions.md was not there or had no entries; made again from the record: A1"), "{done}");
    let known = stage.well(when(3)).knowledge().unwrap();
    assert_eq!(known.decisions[0].title, "Use JWT for authentication");
    assert!(
        !blockers(&progress).iter().any(|line| line.contains(KNOWLEDGE) || line.contains("handoffs")),
        "{:?}",
        blockers(&progress)
    );
    let before = stage.tree();
    go_on(&stage, 3);
    assert!(stage.tree() == before, "twice is once");
}
