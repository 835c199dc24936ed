//! Files that somebody or something damaged, files of other tools, and a clock that lies. Whatever it is: what was found
//! and done is said, nothing is lost, and the workflow gets to its archive.

use super::walk::{Act, DECISIONS, DEFINITION, OBJECTIVE, Walked, go_on, play, reach_the_archive, story, when};
use super::{ASIDE, KNOWLEDGE, SNAPSHOTS, STATE, blockers, comparable, drive, staged};
use crate::stage::Stage;
use crate::tree::Tree;
use forge_artifacts::stamp::Stamp;
use forge_engine::workflow::{Entry, Kept, NoWorkflow, Standing, StartSettings};
use forge_workflow::next::BlockerKind;
use forge_workflow::state::{DebateFlag, PhaseStatus};

/// Files of other tools and of earlier layouts.
const FLAT: &str = include_str!("../../../../artifacts/tests/artifacts/state_files/flat.md");
const FLAT_IDLE: &str = include_str!("../../../../artifacts/tests/artifacts/state_files/flat_idle.md");
const DESCRIBED: &str = include_str!("../../../../artifacts/tests/artifacts/state_files/described.md");

/// The number of the first act that a test holds for the right one.
fn number(of: impl Fn(&Act) -> bool) -> usize {
    story().iter().position(of).unwrap()
}

/// In research, after the first debate, with its debate skipped.
fn in_research() -> (Stage, usize) {
    let after = number(|act| matches!(act, Act::Enter("research", _))) + 1;
    (staged(Walked::of(story()[..after].to_vec()).end()), after)
}

/// In brainstorm, with the skeptic's words taken in and the others still to come.
fn in_a_debate() -> (Stage, usize) {
    let after = number(|act| matches!(act, Act::Leave(["skeptic"]))) + 2;
    (staged(Walked::of(story()[..after].to_vec()).end()), after)
}

fn set_aside(stage: &Stage) -> Vec<Vec<u8>> {
    stage.tree().0.into_iter().filter(|(path, _)| path.starts_with(ASIDE)).map(|(_, bytes)| bytes).collect()
}

fn snapshots(stage: &Stage) -> Vec<String> {
    stage.tree().0.into_keys().filter(|path| path.starts_with(SNAPSHOTS)).collect()
}

/// How many debates a phase has on disk.
fn debates_of(stage: &Stage, phase: &str) -> usize {
    let begins = format!("docs/forge/debate/{phase}-");
    stage.tree().0.into_keys().filter(|path| path.starts_with(&begins) && path.ends_with("/debate-plan.md")).count()
}

fn says(said: &[String], words: &[&str]) -> bool {
    said.iter().any(|line| words.iter().all(|word| line.contains(word)))
}

/// What is the same in the end however often the state was lost: what is known, and that every phase handed over.
fn essentials(tree: &Tree) -> Tree {
    let counts = |path: &str| path.starts_with(KNOWLEDGE) || path.contains("/debate/") || path.contains("/sadd/");
    let mut kept = Tree(tree.0.iter().filter(|(path, _)| counts(path)).map(|(p, b)| (p.clone(), b.clone())).collect());
    for path in tree.paths().into_iter().filter(|path| path.starts_with("docs/forge/handoffs/")) {
        kept.0.insert(path.to_owned(), Vec::new());
    }
    kept
}

#[test]
fn a_state_cut_off_anywhere_is_told_or_says_the_same() {
    let (stage, after) = in_research();
    let workspace = stage.well(when(after));
    let whole = std::fs::read(stage.root().join(STATE)).unwrap();
    let Standing::There(there) = workspace.standing().unwrap() else { panic!() };
    let mut damaged = 0;
    for length in 0..=whole.len() {
        stage.put(STATE, &whole[..length]);
        match workspace.standing().unwrap() {
            Standing::Damaged { path, problem, .. } => {
                assert!(path == STATE && !problem.is_empty());
                damaged += 1;
            }
            Standing::There(other) => assert_eq!(other.state, there.state, "{length}"),
            other => panic!("{length}: {other:?}"),
        }
    }
    assert!(damaged > whole.len() / 2);
}

/// A way to damage a state file.
type Damage = (&'static str, fn(&[u8]) -> Option<Vec<u8>>);

const DAMAGES: [Damage; 7] = [
    ("cut off", |whole| Some(whole[..whole.len() / 3].to_vec())),
    ("gone", |_| None),
    ("empty", |_| Some(Vec::new())),
    ("garbage", |whole| {
        let mix = |at: usize| u8::try_from((at * 37 + at / 3 * 101) % 256).unwrap();
        Some((0..whole.len()).map(mix).collect())
    }),
    ("no YAML", |whole| Some([b"---\nphase: [design\n  revision: {\n---\n", whole].concat())),
    ("no UTF-8", |whole| Some([&whole[..whole.len() / 2], b"\xC3\x28\xFF", &whole[whole.len() / 2..]].concat())),
    ("a NUL", |whole| Some([&whole[..20], b"\0", &whole[20..]].concat())),
];

/// The state is damaged before every third command of the story, each time in another way, and the command recovers
/// it. Of what was said since the last snapshot, only that a task is done is said again.
// seed: S1-17, S1-46
#[test]
fn a_damaged_state_is_recovered_anywhere_on_the_way() {
    let walked = Walked::of(story());
    let begun = number(|act| matches!(act, Act::Start)) + 1;
    let over = walked.acts.len() - 1;
    let commands = |at: &usize| walked.acts[*at].is_command() && !matches!(walked.acts[*at], Act::Save);
    for (nth, at) in (begun..over).filter(commands).step_by(3).enumerate() {
        let (name, damage) = DAMAGES[nth % DAMAGES.len()];
        let what = format!("{name} before {at} {:?}", walked.acts[at]);
        let stage = staged(&walked.trees[at]);
        let bytes = damage(&std::fs::read(stage.root().join(STATE)).unwrap());
        match &bytes {
            Some(bytes) => stage.put(STATE, bytes),
            None => stage.delete(STATE),
        }
        let mut said = Vec::new();
        for act in said_again(&walked.acts, at) {
            let progress = play(&stage, stage.disk(), act, when(at));
            let progress = progress.unwrap_or_else(|error| panic!("{what}: {act:?}: {error}"));
            said.extend(progress.into_iter().flat_map(|progress| progress.log.done));
        }
        assert!(says(&said, &["recovered the workflow", "in phase"]), "{what}: {said:?}");
        match &bytes {
            Some(bytes) => {
                assert!(says(&said, &[STATE, "kept as", ASIDE]), "{what}: {said:?}");
                assert!(set_aside(&stage).contains(bytes), "{what}: the damaged bytes are lost");
            }
            None => assert!(says(&said, &[STATE, "is gone"]), "{what}: {said:?}"),
        }
        go_on(&stage, &walked.acts, at + 1).unwrap_or_else(|error| panic!("{what}: {error}"));
        let end = stage.tree();
        assert_eq!(essentials(&end).differences(&essentials(walked.end())), Vec::<String>::new(), "{what}");
        assert!(end.text(STATE).contains("\nstatus: completed\n"), "{what}: {}", end.text(STATE));
    }
}

/// An act, and before it the one whose effect stands in the state alone.
fn said_again(acts: &[Act], at: usize) -> &[Act] {
    let is_lost = matches!(acts[at - 1], Act::TaskDone(_));
    &acts[at - usize::from(is_lost)..=at]
}

// seed: S1-1, S1-55
#[test]
fn without_state_the_snapshots_do() {
    let (stage, after) = in_research();
    stage.delete(STATE);
    stage.delete("docs/forge/handoffs");
    stage.delete("docs/forge/phases");
    let said = reach_the_archive(&stage, after);
    assert!(says(&said, &["recovered", "from .claude/forge/snapshots/"]), "{said:?}");
}

// seed: S1-1
#[test]
fn without_state_and_snapshots_the_handoffs_do() {
    let (stage, after) = in_research();
    stage.delete(STATE);
    stage.delete(SNAPSHOTS);
    stage.delete("docs/forge/phases");
    let before = stage.tree();
    let progress = stage.well(when(after)).continue_workflow(&drive()).unwrap();
    let state = &progress.snapshot.state;
    assert!(
        says(&progress.log.done, &["recovered", "research", "brainstorm-to-research.md"]),
        "{:?}",
        progress.log.done
    );
    assert_eq!((state.phase.as_str(), state.objective.as_str()), ("research", OBJECTIVE));
    assert_eq!(state.completed_phases, ["init", "brainstorm"]);
    let owner = format!("workflow_id: \"{}\"", state.workflow_id);
    assert!(before.text("docs/forge/handoffs/brainstorm-to-research.md").contains(&owner), "{owner}");
    reach_the_archive(&stage, after + 1);
}

// seed: S1-1
#[test]
fn without_anything_else_the_phase_documents_do() {
    let (stage, after) = in_research();
    stage.delete(STATE);
    stage.delete(SNAPSHOTS);
    stage.delete("docs/forge/handoffs");
    let progress = stage.well(when(after)).continue_workflow(&drive()).unwrap();
    assert!(says(&progress.log.done, &["recovered", "phases/research.md"]), "{:?}", progress.log.done);
    assert_eq!(progress.snapshot.state.phase, "research");
    assert_eq!(progress.snapshot.state.objective, OBJECTIVE);
    reach_the_archive(&stage, after + 1);
}

/// In a debate: the state comes back without it, and finds it by its occasion.
// seed: S1-3
#[test]
fn a_debate_under_way_is_found_again() {
    for lost in [&[STATE][..], &[STATE, SNAPSHOTS], &[STATE, SNAPSHOTS, ".claude/forge/requests"]] {
        let (stage, after) = in_a_debate();
        for path in lost {
            stage.delete(path);
        }
        reach_the_archive(&stage, after);
        assert_eq!(debates_of(&stage, "brainstorm"), 1, "{lost:?}");
        assert_eq!(stage.said(DECISIONS).matches("\n- Phase: brainstorm\n").count(), 1, "{lost:?}");
    }
}

#[test]
fn a_damaged_snapshot_is_passed_over() {
    let (stage, after) = in_research();
    let all = snapshots(&stage);
    let newest = all.last().unwrap();
    let said = stage.said(newest);
    stage.put(newest, &said[..said.len() / 4]);
    stage.put(STATE, "garbage");
    let said = reach_the_archive(&stage, after);
    assert!(says(&said, &["recovered", "research"]), "{said:?}");
    assert!(snapshots(&stage).contains(newest), "a damaged one is kept too");
}

#[test]
fn with_nothing_to_recover_from_the_damaged_file_stays() {
    let stage = Stage::new();
    stage.put(STATE, "---\nphase: [\n---\n");
    let error = stage.well(when(0)).continue_workflow(&drive()).unwrap_err().to_string();
    assert!(error.contains(STATE) && error.contains("forge start"), "{error}");
    let start = StartSettings { objective: OBJECTIVE.to_owned(), abandon: false };
    let error = stage.well(when(0)).start_workflow(&start, &drive()).unwrap_err().to_string();
    assert!(error.contains(STATE) && error.contains("--abandon"), "{error}");
    assert_eq!(stage.said(STATE), "---\nphase: [\n---\n");
    let start = StartSettings { abandon: true, ..start };
    let progress = stage.well(when(0)).start_workflow(&start, &drive()).unwrap();
    assert!(says(&progress.log.done, &["damaged", "kept as", ASIDE]), "{:?}", progress.log.done);
    assert!(set_aside(&stage).contains(&b"---\nphase: [\n---\n".to_vec()));
    reach_the_archive(&stage, 1);
}

#[test]
fn a_state_file_that_is_too_large_is_left_alone() {
    let (stage, after) = in_research();
    stage.put(STATE, vec![b'x'; 9 * 1024 * 1024]);
    let error = stage.well(when(after)).continue_workflow(&drive()).unwrap_err().to_string();
    assert!(error.contains(STATE) && error.contains("too large"), "{error}");
    assert_eq!(std::fs::metadata(stage.root().join(STATE)).unwrap().len(), 9 * 1024 * 1024);
}

#[test]
fn a_newer_state_is_refused_and_untouched() {
    let (stage, after) = in_research();
    stage.edit(STATE, "version: \"2.0\"", "version: \"3.1\"");
    let before = stage.tree();
    let workspace = stage.well(when(after));
    let start = StartSettings { objective: OBJECTIVE.to_owned(), abandon: true };
    let entry = Entry { phase: "design".to_owned(), objective: None, flag: DebateFlag::Unsaid };
    let refusals = [
        workspace.continue_workflow(&drive()).map(|_| ()),
        workspace.start_workflow(&start, &drive()).map(|_| ()),
        workspace.enter_phase(&entry, &drive()).map(|_| ()),
        workspace.restore(None).map(|_| ()),
        workspace.trip("D1.1", &drive()).map(|_| ()),
    ];
    for refused in refusals {
        let error = refused.unwrap_err().to_string();
        assert!(error.contains(STATE) && error.contains("3.1") && error.contains("newer forge"), "{error}");
    }
    assert_eq!(stage.tree().differences(&before), Vec::<String>::new());
}

#[test]
fn an_idle_state_is_no_workflow_and_is_kept_when_one_begins() {
    let stage = Stage::new();
    let idle = format!("{FLAT_IDLE}\nNotes of a person.\n");
    stage.put(STATE, &idle);
    let error = stage.well(when(0)).continue_workflow(&drive()).unwrap_err().to_string();
    assert!(error.contains("forge start"), "{error}");
    assert_eq!(stage.said(STATE), idle);
    let start = StartSettings { objective: OBJECTIVE.to_owned(), abandon: false };
    stage.well(when(0)).start_workflow(&start, &drive()).unwrap();
    assert!(stage.tree().0.values().any(|bytes| bytes == idle.as_bytes()), "a person's notes are lost");
    reach_the_archive(&stage, 1);
}

/// A workflow that another tool completed was never in forge's archive.
#[test]
fn a_completed_state_of_another_tool_is_kept_when_a_workflow_begins() {
    let stage = Stage::new();
    let done = FLAT.replace("status: paused", "status: completed").replace("phase: initialize", "phase: learn");
    stage.put(STATE, &done);
    let start = StartSettings { objective: OBJECTIVE.to_owned(), abandon: false };
    stage.well(when(0)).start_workflow(&start, &drive()).unwrap();
    assert!(stage.tree().0.values().any(|bytes| bytes == done.as_bytes()), "it is lost");
    reach_the_archive(&stage, 1);
}

#[test]
fn a_workflow_given_up_in_the_same_second_keeps_its_record() {
    let stage = Stage::new();
    let start = |objective: &str, abandon| {
        let start = StartSettings { objective: objective.to_owned(), abandon };
        stage.well(when(0)).start_workflow(&start, &drive()).unwrap().snapshot.state.workflow_id
    };
    let first = start("The first", false);
    let second = start("The second", true);
    assert_ne!(first, second);
    reach_the_archive(&stage, 1);
    let archive = |id: &str| stage.said(&format!(".claude/forge/archive/workflow-{id}.md"));
    assert!(archive(&first).contains("The first") && archive(&first).contains("abandoned"));
    assert!(archive(&second).contains("The second") && archive(&second).contains("completed"));
}

#[test]
fn a_debate_that_is_deleted_is_planned_anew() {
    let story = story();
    let planned = number(|act| matches!(act, Act::Leave(["skeptic"])));
    for after in planned..=planned + 4 {
        let stage = staged(Walked::of(story[..after].to_vec()).end());
        stage.delete("docs/forge/debate");
        let said = reach_the_archive(&stage, after);
        assert!(says(&said, &["brainstorm-20260115-161022", "gone from the disk", "anew"]), "{after}: {said:?}");
        assert_eq!(stage.said(DECISIONS).matches("\n- Phase: brainstorm\n").count(), 1, "{after}");
    }
}

#[test]
fn a_damaged_debate_holds_its_gate_and_another_takes_its_place() {
    const PLAN: &str = "docs/forge/debate/brainstorm-20260115-161022/debate-plan.md";
    for flag in [DebateFlag::Unsaid, DebateFlag::Forced] {
        let (stage, after) = in_a_debate();
        let entry = Entry { phase: "brainstorm".to_owned(), objective: None, flag };
        stage.well(when(after)).enter_phase(&entry, &drive()).unwrap();
        let text = stage.said(PLAN);
        stage.put(PLAN, text.replace("seats:", "chairs: ["));
        let damaged = stage.said(PLAN);
        let progress = stage.well(when(after)).continue_workflow(&drive()).unwrap();
        let held = blockers(&progress);
        assert!(says(&held, &["gate", "brainstorm-20260115-161022", "cannot be read", "--debate"]), "{held:?}");
        assert_eq!(progress.snapshot.state.phase_status, PhaseStatus::Blocked);
        let entry = Entry { flag: DebateFlag::Forced, ..entry };
        let entered = stage.well(when(after + 1)).enter_phase(&entry, &drive()).unwrap();
        assert!(says(&entered.progress.log.done, &["planned the debate"]), "{flag:?}: {:?}", entered.progress);
        let again = stage.well(when(after + 1)).enter_phase(&entry, &drive()).unwrap();
        assert!(!says(&again.progress.log.done, &["planned the debate"]), "asking twice asks once");
        reach_the_archive(&stage, after + 2);
        assert_eq!(stage.said(PLAN), damaged, "what is damaged is left for people");
    }
}

/// Between two acts the clock goes back by a year, and stays there.
#[test]
fn a_clock_that_goes_back_takes_nothing_with_it() {
    const YEAR: i64 = 365 * 24 * 3600;
    let calm = Walked::of(story());
    for back in [6, 21] {
        let stage = Stage::new();
        let now = |number: usize| if number < back { when(number) } else { Stamp(when(number).0 - YEAR) };
        let mut updated = String::new();
        for (number, act) in calm.acts.iter().enumerate() {
            let played = play(&stage, stage.disk(), act, now(number));
            played.unwrap_or_else(|error| panic!("back at {back}: {number} {act:?}: {error}"));
            let Ok(Standing::There(there)) = stage.well(now(number)).standing() else { continue };
            assert!(there.state.last_updated >= updated, "back at {back}: {number} {act:?}");
            updated = there.state.last_updated;
        }
        let without_dates = |tree: &Tree| -> String {
            let text = tree.text(DECISIONS);
            let lines = text
                .lines()
                .filter(|line| ["- Date:", "- Debate:", "- Source:"].iter().all(|key| !line.starts_with(key)));
            lines.map(|line| format!("{line}\n")).collect()
        };
        let end = stage.tree();
        assert!(end.text(STATE).contains("\nstatus: completed\n"), "back at {back}");
        assert_eq!(without_dates(&end), without_dates(calm.end()), "back at {back}");
    }
}

/// The newest snapshot is the one that was written last, not the one with the highest date.
#[test]
fn recovery_and_restoring_do_not_trust_the_clock() {
    let (stage, after) = in_research();
    let past = Stamp(when(after).0 - 365 * 24 * 3600);
    super::walk::finish(&stage, "research", "");
    let design = stage.well(past).continue_workflow(&drive()).unwrap();
    assert_eq!(design.snapshot.state.phase, "design");
    stage.well(past).save().unwrap();
    let saved = stage.said(STATE);
    stage.put(STATE, "garbage");
    let progress = stage.well(past).continue_workflow(&drive()).unwrap();
    assert_eq!(progress.snapshot.state.phase, "design", "{:?}", progress.log.done);

    // A change, and the change taken back.
    stage.put(STATE, saved);
    let entry = Entry { phase: "design".to_owned(), objective: None, flag: DebateFlag::Skipped };
    stage.well(past).enter_phase(&entry, &drive()).unwrap();
    let newest = stage.well(past).restore(None).unwrap();
    assert!(!newest.is_new, "what was said last is in the newest snapshot");
    let before = newest
        .others
        .iter()
        .find(|(_, state)| state.phase == "design" && state.debate_flag == DebateFlag::Unsaid)
        .unwrap();
    let restored = stage.well(past).restore(Some(&before.0)).unwrap().state;
    assert_eq!((restored.phase.as_str(), restored.debate_flag), ("design", DebateFlag::Unsaid));
    reach_the_archive(&stage, after);
}

// seed: S1-54
#[test]
fn the_hour_is_counted_on_a_clock_that_went_back() {
    let (stage, after) = in_research();
    let past = Stamp(when(after).0 - 365 * 24 * 3600);
    let entry = Entry { phase: "research".to_owned(), objective: Some("Another".to_owned()), flag: DebateFlag::Unsaid };
    stage.well(past).enter_phase(&entry, &drive()).unwrap();
    let before = snapshots(&stage).len();
    stage.well(Stamp(past.0 + 2 * 3600)).continue_workflow(&drive()).unwrap();
    assert_eq!(snapshots(&stage).len(), before + 1, "no snapshot for a year");
}

#[test]
fn a_phase_that_the_definition_does_not_have_is_told_and_left() {
    let (stage, after) = in_research();
    stage.edit(STATE, "phase: research\n", "phase: reserch\n");
    let progress = stage.well(when(after)).continue_workflow(&drive()).unwrap();
    let held = blockers(&progress);
    assert!(says(&held, &["state", STATE, "\"reserch\"", "did it mean \"research\"?", "--phase"]), "{held:?}");
    stage.edit(STATE, "phase: reserch\n", "phase: quux\n");
    let progress = stage.well(when(after)).continue_workflow(&drive()).unwrap();
    let held = blockers(&progress);
    assert!(says(&held, &["\"quux\"", "does not have. Go on elsewhere"]), "{held:?}");
    let entry = Entry { phase: "design".to_owned(), objective: None, flag: DebateFlag::Unsaid };
    assert!(!stage.well(when(after)).enter_phase(&entry, &drive()).unwrap().reached);
    let progress = stage.well(when(after)).continue_in("research", &drive()).unwrap();
    assert_eq!(progress.snapshot.state.phase, "research");
    reach_the_archive(&stage, after + 1);
}

#[test]
fn a_bad_definition_is_named_to_the_place_and_changes_nothing() {
    let cases = [
        (r#"{"phases": [{"id": "design", "debate_trigger": "sometimes"}]}"#, "$.phases[0].debate_trigger"),
        (r#"{"phases": [{"id": "dezign"}]}"#, "$.phases[0].id"),
        (r#"{"replace": true, "phases": []}"#, "$.phases"),
        (r#"{"phases": [{"id": "design", "debate_protocol": "duel"}]}"#, "$.phases[0].debate_protocol"),
        ("{\"phases\": [\n", "line 2"),
        ("", "line 1"),
    ];
    let (stage, after) = in_research();
    for (text, place) in cases {
        stage.put(DEFINITION, text);
        let before = stage.tree();
        let error = stage.well(when(after)).continue_workflow(&drive()).unwrap_err().to_string();
        assert!(error.contains(DEFINITION) && error.contains(place), "{text}: {error}");
        assert_eq!(comparable(&stage.tree()), comparable(&before), "{text}");
    }
    stage.put(DEFINITION, b"{\"phases\": [{\"id\": \"d\xFFsign\"}]}");
    let error = stage.well(when(after)).continue_workflow(&drive()).unwrap_err().to_string();
    assert!(error.contains(DEFINITION) && error.contains("line 1"), "{error}");
    stage.delete(DEFINITION);
    reach_the_archive(&stage, after);
}

/// The phases change while a workflow is under way: some are gone, one is new, one asks for more.
#[test]
fn a_definition_may_change_under_way() {
    let (stage, after) = in_research();
    stage.put(
        DEFINITION,
        r#"{"replace": true, "phases": [
            {"id": "init"}, {"id": "brainstorm"},
            {"id": "research", "sections": ["Findings", "Sources", "Interviews"]},
            {"id": "security", "tasks": ["Ask somebody who breaks things"], "artifacts": ["docs/threats.md"],
             "exit_criteria": ["todo_ticked", "artifacts_present"], "debate_enabled": false},
            {"id": "build"}, {"id": "learn"}
        ]}"#,
    );
    super::walk::finish(&stage, "research", "");
    let progress = stage.well(when(after)).continue_workflow(&drive()).unwrap();
    let held = blockers(&progress);
    assert!(says(&held, &["section", "docs/forge/phases/research.md", "Interviews"]), "{held:?}");
    stage.put(
        "docs/forge/phases/research.md",
        stage.said("docs/forge/phases/research.md") + "\n## Interviews\n\nThree.\n",
    );
    let progress = stage.well(when(after)).continue_workflow(&drive()).unwrap();
    assert_eq!(progress.snapshot.state.phase, "security");
    // The new phase goes away again while the workflow is in it.
    stage.delete(DEFINITION);
    let progress = stage.well(when(after + 1)).continue_workflow(&drive()).unwrap();
    assert_eq!(progress.step.blockers.first().map(|one| one.kind), Some(BlockerKind::State));
    stage.well(when(after + 1)).continue_in("design", &drive()).unwrap();
    reach_the_archive(&stage, after + 2);
    assert!(
        stage.said(STATE).contains("completed_phases: [init, brainstorm, research, design"),
        "{}",
        stage.said(STATE)
    );
}

/// What would be recovered of a state file that is gone: the workflow and its phase.
fn lost(stage: &Stage, now: Stamp) -> (String, String) {
    match stage.well(now).overview(&drive()).unwrap() {
        Err(NoWorkflow::Lost { workflow_id, phase, .. }) => (workflow_id, phase),
        other => panic!("{other:?}"),
    }
}

/// Back in design, from build, with something left to do there.
fn back_in_design() -> (Stage, usize) {
    let after = number(|act| matches!(act, Act::Trip(_)));
    let stage = staged(Walked::of(story()[..after].to_vec()).end());
    stage.edit("docs/forge/phases/design.md", "- [x] task-01", "- [ ] task-01");
    let progress = stage.well(when(after)).continue_in("design", &drive()).unwrap();
    assert_eq!(progress.snapshot.state.phase, "design");
    assert!(stage.root().join("docs/forge/phases/build.md").exists());
    (stage, after)
}

#[test]
fn a_lost_state_does_not_undo_going_back() {
    let (whole, after) = back_in_design();
    for gone in [&[][..], &[SNAPSHOTS]] {
        for garbage in [false, true] {
            let stage = staged(&whole.tree());
            if garbage {
                stage.put(STATE, "garbage")
            } else {
                stage.delete(STATE)
            }
            for path in gone {
                stage.delete(path);
            }
            let progress = stage.well(when(after)).continue_workflow(&drive()).unwrap();
            let state = progress.snapshot.state;
            assert_eq!(state.phase, "design", "without {gone:?}: {:?}", progress.log.done);
            assert_eq!(state.completed_phases, ["init", "brainstorm", "research"], "without {gone:?}");
            reach_the_archive(&stage, after + 1);
        }
    }
}

/// Whatever the clock says: at once, an hour later, or a year before.
#[test]
fn a_lost_state_does_not_undo_restoring() {
    const HOUR: i64 = 3600;
    let in_phase = |stage: &Stage, phase: &str| {
        let line = format!("\nphase: {phase}\n");
        snapshots(stage).into_iter().find(|path| stage.said(path).contains(&line)).unwrap()
    };
    for later in [0, HOUR, -365 * 24 * HOUR] {
        let (stage, after) = in_research();
        let now = Stamp(when(after - 1).0 + later);
        let earlier = in_phase(&stage, "brainstorm");
        stage.well(now).restore(Some(&earlier)).unwrap();
        let restored = stage.said(STATE);
        assert!(snapshots(&stage).iter().any(|path| stage.said(path) == restored), "{later}: it is nowhere else");
        stage.delete(STATE);
        assert_eq!(lost(&stage, now).1, "brainstorm", "{later}");
        reach_the_archive(&stage, after);
    }
    // A state that was damaged before is no snapshot.
    let (stage, after) = in_research();
    stage.put(STATE, "garbage");
    let earlier = in_phase(&stage, "init");
    stage.well(when(after)).restore(Some(&earlier)).unwrap();
    stage.delete(STATE);
    assert_eq!(lost(&stage, when(after)).1, "init");
    reach_the_archive(&stage, after);
}

/// Given up by mistake, and brought back: the record in the archive is older than what was brought back.
#[test]
fn a_workflow_that_was_given_up_and_restored_is_missed() {
    for later in [0, 1] {
        let (stage, after) = in_research();
        let state = stage.said(STATE);
        let start = StartSettings { objective: "Something else".to_owned(), abandon: true };
        stage.well(when(after)).start_workflow(&start, &drive()).unwrap();
        stage.well(when(after)).continue_workflow(&drive()).unwrap();
        let mine = snapshots(&stage).into_iter().find(|path| stage.said(path) == state).unwrap();
        stage.well(when(after + later)).restore(Some(&mine)).unwrap();
        stage.delete(STATE);
        let expected = ("forge-20260115-145522".to_owned(), "research".to_owned());
        assert_eq!(lost(&stage, when(after + later)), expected, "{later}");
    }
}

/// What somebody wrote into the state file is in its snapshots, and comes back from there.
#[test]
fn notes_come_back_although_a_handoff_tells_the_phase() {
    let (stage, after) = in_research();
    stage.edit(STATE, "## Current Focus\n", "## Current Focus\n\nAsk Bo about the licence.\n");
    super::walk::finish(&stage, "research", "");
    let progress = stage.well(when(after)).continue_workflow(&drive()).unwrap();
    assert_eq!(progress.snapshot.state.phase, "design");
    stage.delete(STATE);
    let progress = stage.well(when(after + 1)).continue_workflow(&drive()).unwrap();
    assert!(says(&progress.log.done, &["recovered", "design", "research-to-design.md"]), "{:?}", progress.log.done);
    assert!(stage.said(STATE).contains("Ask Bo about the licence."), "{}", stage.said(STATE));
    assert_eq!(progress.snapshot.state.skipped_debates.len(), 1, "{:?}", progress.snapshot.state);
}

/// The first workflow is done; the second is in brainstorm, which was entered for something of its own.
fn in_the_second() -> (Stage, Stamp, String) {
    let stage = staged(Walked::of(story()).end());
    let now = when(story().len());
    let start = StartSettings { objective: "Pick a queue".to_owned(), abandon: false };
    stage.well(now).start_workflow(&start, &drive()).unwrap();
    let entry =
        Entry { phase: "brainstorm".to_owned(), objective: Some("Only names".to_owned()), flag: DebateFlag::Unsaid };
    let entered = stage.well(now).enter_phase(&entry, &drive()).unwrap();
    assert!(stage.said("docs/forge/phases/brainstorm.md").contains("objective: \"Only names\""));
    (stage, now, entered.progress.snapshot.state.workflow_id)
}

#[test]
fn documents_of_an_earlier_workflow_are_passed_over() {
    let archive = ".claude/forge/archive";
    let ways = [&[][..], &["docs/forge/handoffs"], &[archive], &["docs/forge/handoffs", archive]];
    let (whole, now, id) = in_the_second();
    for gone in ways {
        let stage = staged(&whole.tree());
        assert!(stage.root().join("docs/forge/phases/learn.md").exists());
        for path in [STATE, SNAPSHOTS].iter().chain(gone) {
            stage.delete(path);
        }
        let state = stage.well(now).continue_workflow(&drive()).unwrap().snapshot.state;
        let found = (state.workflow_id.as_str(), state.phase.as_str(), state.objective.as_str());
        assert_eq!(found, (id.as_str(), "brainstorm", "Pick a queue"), "without {gone:?}");
        assert_eq!(state.completed_phases, ["init"], "without {gone:?}");
    }
}

#[test]
fn what_an_archived_workflow_left_is_not_missed() {
    let stage = staged(Walked::of(story()).end());
    stage.delete(STATE);
    stage.delete(SNAPSHOTS);
    let overview = stage.well(when(99)).overview(&drive()).unwrap();
    assert_eq!(overview.unwrap_err(), NoWorkflow::Here);
}

#[test]
fn ids_of_documents_are_held_for_nothing_unless_they_can_be_ids() {
    for id in ["../../../etc/forge", "a b", "-x", ""] {
        let (stage, after) = in_research();
        for path in stage.tree().0.into_keys().filter(|path| path.starts_with("docs/forge/")) {
            let text = stage.said(&path);
            stage.put(&path, text.replace("workflow_id: \"forge-20260115-145522\"", &format!("workflow_id: \"{id}\"")));
        }
        stage.delete(STATE);
        stage.delete(SNAPSHOTS);
        assert_eq!(lost(&stage, when(after)), ("forge-recovered".to_owned(), "research".to_owned()), "{id:?}");
        // What carries such an id is named, and nothing is taken for this workflow's that is not.
        let held = blockers(&stage.well(when(after)).continue_workflow(&drive()).unwrap());
        let is_named = held.iter().any(|line| line.contains("brainstorm-to-research.md") && line.contains(id));
        assert_eq!(is_named, !id.is_empty(), "{id:?}: {held:#?}");
        // A debate under an id that is none is not this workflow's.
        assert!(held.iter().any(|line| line.contains("nothing shows its debate")), "{id:?}: {held:#?}");
    }
}

/// What was skipped or only rehearsed stands below a handoff's title.
#[test]
fn what_was_skipped_or_rehearsed_is_told_by_the_handoffs() {
    let (stage, after) = in_research();
    super::walk::finish(&stage, "research", "");
    let before = stage.well(when(after)).continue_workflow(&drive()).unwrap().snapshot.state;
    assert_eq!((before.phase.as_str(), before.skipped_debates.len()), ("design", 1));
    stage.edit(
        "docs/forge/handoffs/brainstorm-to-research.md",
        "\nstatus: \"final\"\n",
        "\nstatus: \"final\"\ngate_rehearsed: true\n",
    );
    // Below the header it is somebody's words.
    stage.edit(
        "docs/forge/handoffs/init-to-brainstorm.md",
        "\n## Sign-off\n",
        "\n> **DEBATE SKIPPED: init called for one (always) and was left with --no-debate.**\n\n## Sign-off\n",
    );
    stage.delete(STATE);
    stage.delete(SNAPSHOTS);
    let state = stage.well(when(after)).continue_workflow(&drive()).unwrap().snapshot.state;
    assert_eq!(state.phase, "design");
    assert_eq!(state.skipped_debates, before.skipped_debates);
    assert_eq!(state.rehearsed_phases, ["brainstorm"]);
}

const OTHER_STATE: &str = "docs/forge/active-workflow.md";

/// What another tool keeps under the same name, and forge cannot read.
fn unreadable() -> Vec<Vec<u8>> {
    vec![
        b"# Notes\n\nWe meet on Mondays.\n".to_vec(),
        b"---\nphase: [\n---\n".to_vec(),
        b"\xC3\x28\xFF".to_vec(),
        b"---\nversion: \"9.0\"\nphase: design\n---\n".to_vec(),
        vec![b'x'; 9 * 1024 * 1024],
        Vec::new(),
    ]
}

#[test]
fn an_unreadable_file_of_another_tool_stands_in_nobodys_way() {
    for bytes in unreadable() {
        let what = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned();
        let untouched = |stage: &Stage| {
            assert!(std::fs::read(stage.root().join(OTHER_STATE)).unwrap() == bytes, "{what:?} is changed");
            assert_eq!(set_aside(stage), Vec::<Vec<u8>>::new(), "{what:?}");
        };
        // Without a workflow.
        let stage = Stage::new();
        stage.put(OTHER_STATE, &bytes);
        let error = stage.well(when(0)).continue_workflow(&drive()).unwrap_err().to_string();
        assert!(error.contains("there is no workflow here"), "{what:?}: {error}");
        assert!(stage.well(when(0)).restore(None).is_err());
        for abandon in [false, true] {
            let objective = if abandon { "Something else" } else { OBJECTIVE }.to_owned();
            let start = StartSettings { objective, abandon };
            stage.well(when(0)).start_workflow(&start, &drive()).unwrap();
            untouched(&stage);
        }
        // With one whose state file is gone.
        for way in ["continue", "restore", "abandon"] {
            let (stage, after) = in_research();
            stage.delete(STATE);
            stage.put(OTHER_STATE, &bytes);
            let workspace = stage.well(when(after));
            match way {
                "continue" => drop(workspace.continue_workflow(&drive()).unwrap()),
                "restore" => drop(workspace.restore(None).unwrap()),
                _ => {
                    let start = StartSettings { objective: OBJECTIVE.to_owned(), abandon: true };
                    drop(workspace.start_workflow(&start, &drive()).unwrap());
                }
            }
            untouched(&stage);
        }
    }
}

/// Another tool that has nothing to do says nothing about a workflow of forge's.
#[test]
fn an_idle_file_of_another_tool_hides_no_lost_workflow() {
    let (stage, after) = in_research();
    stage.delete(STATE);
    stage.put(OTHER_STATE, FLAT_IDLE);
    assert_eq!(lost(&stage, when(after)).1, "research");
}

/// Its file stays where it is when forge goes on with it, and is out of date from then on.
#[test]
fn a_file_of_another_tool_is_taken_over_once() {
    let stage = Stage::new();
    stage.put(OTHER_STATE, DESCRIBED);
    let error = stage.well(when(0)).continue_workflow(&drive()).unwrap_err().to_string();
    assert!(error.contains(&format!("`forge restore --adopt {OTHER_STATE}`")), "{error}");
    let (taken_over, _) = stage.well(when(0)).adopt(OTHER_STATE).unwrap();
    let entry = Entry { phase: "brainstorm".to_owned(), objective: None, flag: DebateFlag::Skipped };
    stage.well(when(1)).enter_phase(&entry, &drive()).unwrap();
    stage.delete(STATE);
    let again = stage.well(when(2)).continue_workflow(&drive()).unwrap();
    assert_eq!(again.snapshot.state.workflow_id, taken_over.workflow_id);
    assert_eq!(again.snapshot.state.debate_flag, DebateFlag::Skipped, "{:?}", again.log.done);
    assert_eq!(stage.said(OTHER_STATE), DESCRIBED);
}

#[test]
fn saving_and_restoring_leave_a_folder_without_a_workflow_as_it_is() {
    let stage = Stage::new();
    assert_eq!(stage.well(when(0)).save().unwrap(), Kept::Nothing);
    for name in [None, Some("20260115")] {
        let error = stage.well(when(0)).restore(name).unwrap_err().to_string();
        assert!(error.contains("no snapshot"), "{error}");
    }
    assert!(stage.tree().0.is_empty(), "{:?}", stage.tree().paths());
    // Where the snapshots are still there, so is what can be restored.
    let (stage, after) = in_research();
    stage.delete(STATE);
    stage.well(when(after)).restore(None).unwrap();
    assert!(stage.said(STATE).contains("\nphase: "));
}
