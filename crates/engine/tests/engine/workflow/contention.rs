//! Two at once: commands on one workflow, and a workflow whose debate somebody else holds.

use super::walk::{Act, OBJECTIVE, Walked, leave, play, story, when};
use super::{STATE, comparable, drive, staged};
use crate::stage::Stage;
use forge_artifacts::lock::Lock;
use forge_engine::EngineError;
use forge_engine::workflow::StartSettings;
use std::sync::Barrier;

const ROUNDS: usize = 20;

/// Does something twice at the same moment. At least one succeeds, the other may be told to wait.
fn twice(stage: &Stage, act: &Act, number: usize) {
    let barrier = Barrier::new(2);
    let results: Vec<Result<(), EngineError>> = std::thread::scope(|scope| {
        let threads = [0, 1].map(|_| {
            scope.spawn(|| {
                barrier.wait();
                play(stage, stage.disk(), act, when(number)).map(|_| ())
            })
        });
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(results.iter().any(Result::is_ok), "{number} {act:?}: {results:?}");
    let sound = |result: &Result<(), EngineError>| matches!(result, Ok(()) | Err(EngineError::Busy { .. }));
    assert!(results.iter().all(sound), "{number} {act:?}: {results:?}");
}

#[test]
fn two_who_do_the_same_leave_what_one_leaves() {
    let walked = Walked::of(story());
    let twice_is_once = |number: &usize| {
        let act = &walked.acts[*number];
        act.is_command() && !matches!(act, Act::Save)
    };
    let commands: Vec<usize> = (0..walked.acts.len()).filter(twice_is_once).collect();
    for round in 0..ROUNDS {
        let number = commands[round * commands.len() / ROUNDS];
        let stage = staged(&walked.trees[number]);
        twice(&stage, &walked.acts[number], number);
        let wrongs = comparable(&stage.tree()).differences(&comparable(&walked.trees[number + 1]));
        assert_eq!(wrongs, Vec::<String>::new(), "{number} {:?}", walked.acts[number]);
    }
}

/// One begins it; the other is told of it.
#[test]
fn of_two_who_begin_something_else_one_begins() {
    for _ in 0..ROUNDS / 4 {
        let stage = Stage::new();
        let barrier = Barrier::new(2);
        let begun: Vec<bool> = std::thread::scope(|scope| {
            let threads = ["One thing", "Another thing"].map(|objective| {
                let (barrier, stage) = (&barrier, &stage);
                scope.spawn(move || {
                    let start = StartSettings { objective: objective.to_owned(), abandon: false };
                    barrier.wait();
                    match stage.well(when(0)).start_workflow(&start, &drive()) {
                        Ok(_) => true,
                        Err(EngineError::Usage(why)) => {
                            assert!(why.contains("is under way") && why.contains("--abandon"), "{why}");
                            false
                        }
                        Err(error) => panic!("{error}"),
                    }
                })
            });
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(begun.iter().filter(|begun| **begun).count(), 1, "{begun:?}");
        let objective = if begun[0] { "One thing" } else { "Another thing" };
        assert!(stage.said(STATE).contains(&format!("objective: \"{objective}\"")));
        assert!(stage.said("docs/forge/knowledge/brief.md").contains(objective));
    }
}

/// Whoever holds the debate takes in what is left in it; the workflow waits without failing.
#[test]
fn a_debate_that_somebody_holds_is_waited_for() {
    let planned = story().iter().position(|act| matches!(act, Act::Leave(["skeptic"]))).unwrap();
    let stage = staged(Walked::of(story()[..planned].to_vec()).end());
    leave(&stage, when(planned), &["skeptic", "advocate", "operator"]);
    let workspace = stage.well(when(planned));
    let lock = "docs/forge/debate/brainstorm-20260115-161022/trail/lock";
    let taken_in = |stage: &Stage| stage.tree().trail("turns").len();
    {
        let _held = Lock::acquire(&workspace.locks, lock, "a test").unwrap();
        let progress = workspace.continue_workflow(&drive()).unwrap();
        assert!(!progress.step.blockers.is_empty());
        assert_eq!(progress.snapshot.state.phase, "brainstorm");
        assert_eq!(taken_in(&stage), 0, "it is another's to take in");
        assert!(workspace.overview(&drive()).unwrap().is_ok());
    }
    workspace.continue_workflow(&drive()).unwrap();
    assert_eq!(taken_in(&stage), 3);
}

/// A workflow is held for a moment only. Whoever holds it for long is named.
#[test]
fn a_workflow_that_is_held_for_long_is_told_with_its_holder() {
    let stage = Stage::new();
    let workspace = stage.well(when(0));
    let start = StartSettings { objective: OBJECTIVE.to_owned(), abandon: false };
    workspace.start_workflow(&start, &drive()).unwrap();
    let before = stage.tree();
    let _held = Lock::acquire(&workspace.locks, ".claude/forge/workflow.lock", "a long test").unwrap();
    match stage.well(when(1)).continue_workflow(&drive()) {
        Err(EngineError::Busy { what, holder }) => {
            assert!(what.contains("workflow"), "{what}");
            assert!(holder.contains("a long test") && holder.contains(&std::process::id().to_string()), "{holder}");
        }
        other => panic!("{other:?}"),
    }
    // Looking is always possible.
    assert!(stage.well(when(1)).overview(&drive()).unwrap().is_ok());
    assert_eq!(comparable(&stage.tree()), comparable(&before));
}
