//! What is to be done in a phase, and where it may be ticked.

use crate::world::{
    DOCUMENT_BOXES, HANDOFF_BOXES, Standing, World, automatic, check, debating, definition, phase, task, ticked,
    unticked,
};
use forge_workflow::definition::{DoneWhen, ExitCriterion, Phase, Trigger};
use forge_workflow::next::{BlockerKind, STATE_FILE};
use forge_workflow::state::DebateFlag;
use forge_workflow::todo::{self, Todo};

const EXPLORE: &str = "task-01-explore: Look around";

/// A phase with one task to tick, after another one.
fn exploring() -> World {
    let second = Phase {
        tasks: vec![task("task-01-explore", "Look around", DoneWhen::Ticked)],
        checklist: vec![check("Somebody else agrees")],
        ..phase("second")
    };
    World::of(vec![phase("first"), second, phase("third")])
}

fn open(world: &World) -> Vec<String> {
    world.look().todo.into_iter().filter(|one| !one.done).map(|one| one.text).collect()
}

// seed: S1-58
#[test]
fn the_tasks_and_the_checklist_are_boxes_of_the_document_and_the_handoff() {
    let mut world = exploring();
    let wanted = vec![unticked(EXPLORE, DOCUMENT_BOXES), unticked("Somebody else agrees", DOCUMENT_BOXES + 1)];
    assert_eq!(world.document().todo, wanted);
    let handed = vec![unticked(EXPLORE, HANDOFF_BOXES), unticked("Somebody else agrees", HANDOFF_BOXES + 1)];
    assert_eq!(world.handoff().todo, handed);
    assert_eq!(world.look().todo.len(), 2, "each is one thing to do, wherever it stands");
    let went = world.go_on();
    let document = "docs/forge/phases/second.md";
    let said: Vec<_> =
        went.rest.blockers.iter().map(|one| (one.file.as_str(), one.line, one.fact.sentence())).collect();
    assert_eq!(
        said,
        [
            (document, Some(DOCUMENT_BOXES), "not ticked: task-01-explore: Look around"),
            (document, Some(DOCUMENT_BOXES + 1), "not ticked: Somebody else agrees"),
        ]
    );
    assert!(went.rest.blockers.iter().all(|one| one.kind == BlockerKind::Todo));
}

// seed: S1-77
#[test]
fn a_box_may_be_ticked_in_the_document_or_in_the_handoff() {
    for in_handoff in [false, true] {
        let mut world = exploring();
        let boxes = if in_handoff { &mut world.handoff().todo } else { &mut world.document().todo };
        boxes[0].ticked = true;
        world.go_on();
        assert_eq!(open(&world), ["Somebody else agrees"], "in the handoff: {in_handoff}");
        assert_eq!(world.state.completed_tasks, ["task-01-explore"]);
        assert_eq!(world.state.pending_tasks, ["check-01"]);
    }
}

#[test]
fn unticking_a_box_undoes_it() {
    let mut world = exploring();
    world.tick("task-01");
    world.go_on();
    assert_eq!(world.state.completed_tasks, ["task-01-explore"]);
    assert_eq!(world.state.current_task.as_deref(), Some("check-01"));
    world.set_box("task-01", false);
    world.go_on();
    assert_eq!(open(&world), [EXPLORE, "Somebody else agrees"]);
    assert!(world.state.completed_tasks.is_empty());
    assert_eq!(world.state.pending_tasks, ["task-01-explore", "check-01"]);
    assert_eq!(world.state.current_task.as_deref(), Some("task-01-explore"));
}

// seed: S1-62
#[test]
fn a_box_that_people_add_holds_the_phase() {
    let mut world = exploring();
    world.do_the_work();
    world.add_box("Ask the lawyers");
    let went = world.go_on();
    assert_eq!(went.blocked(), [(BlockerKind::Todo, "not ticked: Ask the lawyers")]);
    assert_eq!(went.blocker().line, Some(DOCUMENT_BOXES + 2));
    world.tick("Ask the lawyers");
    world.go_on();
    assert_eq!(world.state.phase, "third");
}

#[test]
fn a_box_that_people_add_to_the_handoff_holds_the_phase_and_goes_into_its_document() {
    let mut world = exploring();
    world.handoff().todo.push(unticked("Ask the lawyers", 50));
    world.documents.remove("docs/forge/phases/second.md");
    world.go_on();
    let texts: Vec<_> = world.document().todo.iter().map(|one| one.text.clone()).collect();
    assert_eq!(texts, [EXPLORE, "Somebody else agrees", "Ask the lawyers"]);
    world.do_the_work();
    world.handoff().todo.iter_mut().for_each(|one| one.ticked = false);
    world.go_on();
    assert_eq!(world.state.phase, "third", "ticked in the document is enough");
}

#[test]
fn the_same_task_or_the_same_words_are_the_same_box() {
    for (one, other) in [
        (EXPLORE, "**task-01-explore**: look, around!"),
        (EXPLORE, "**task-01-explore:** look around"),
        (EXPLORE, "`task-01-explore` whatever"),
        (EXPLORE, "task-01-explore"),
        ("Somebody else agrees", "**somebody**  ELSE agrees."),
        ("Größe prüfen", "größe   prüfen?"),
    ] {
        assert_eq!(todo::key(one), todo::key(other));
    }
    for (one, other) in [
        (EXPLORE, "task-02-explore: Look around"),
        (EXPLORE, "task-01-explore-more: Look around"),
        (EXPLORE, "Look around"),
        ("Ask Ada", "Ask Bob"),
        ("C", "C++"),
    ] {
        assert_ne!(todo::key(one), todo::key(other));
    }
}

#[test]
fn a_task_without_a_box_is_done_when_the_state_says_so() {
    let first = Phase {
        tasks: vec![task("task-01-explore", "Look around", DoneWhen::Ticked)],
        entry_actions: Vec::new(),
        ..phase("first")
    };
    let mut world = World::of(vec![first, phase("second")]);
    let went = world.go_on();
    let text = "not ticked: task-01-explore: Look around; write it as a ticked box below TODO, or: forge task done task-01-explore";
    assert_eq!(went.blocked(), [(BlockerKind::Todo, text)]);
    assert_eq!((went.blocker().file.as_str(), went.blocker().line), ("docs/forge/phases/first.md", None));
    world.task_done("task-01-explore");
    world.go_on();
    assert_eq!(world.state.completed_phases, ["first", "second"]);
}

#[test]
fn where_there_is_a_box_it_decides_and_not_the_state() {
    let mut world = exploring();
    world.task_done("task-01-explore");
    world.go_on();
    assert_eq!(open(&world), [EXPLORE, "Somebody else agrees"]);
}

#[test]
fn tasks_that_forge_sees_for_itself_have_no_boxes_and_cannot_be_ticked() {
    let mut brainstorm = debating("brainstorm", Trigger::Always);
    brainstorm.tasks = automatic();
    let mut world = World::of(vec![brainstorm]);
    assert!(world.document().todo.is_empty());
    for task in automatic() {
        let line = DOCUMENT_BOXES + world.document().todo.len();
        world.document().todo.push(ticked(&format!("{}: {}", task.id, task.title), line));
        world.task_done(&task.id);
    }
    let went = world.go_on();
    let done: Vec<bool> = went.rest.todo.iter().map(|one: &Todo| one.done).collect();
    assert_eq!(done, [false; 4]);
    assert!(world.state.completed_tasks.is_empty());
    assert_eq!(went.kinds(), [BlockerKind::Options], "the missing options are said once");
}

// seed: S1-51
#[test]
fn automatic_tasks_are_done_as_the_debate_goes_on() {
    let mut brainstorm = debating("brainstorm", Trigger::Always);
    brainstorm.tasks = automatic();
    brainstorm.checklist = vec![check("Hold it here")];
    let mut world = World::of(vec![brainstorm]);
    let done = |world: &World| -> Vec<bool> {
        let all = world.look().todo;
        all.iter().filter(|one| one.task.is_some() && !one.is_criterion).map(|one| one.done).collect()
    };
    assert_eq!(done(&world), [false; 4]);
    world.list_options(3);
    world.go_on();
    assert_eq!(done(&world), [true, true, false, false]);
    assert_eq!(world.state.current_task.as_deref(), Some("task-03-wait-debate-completion"));
    world.debate(Standing::Decided);
    world.go_on();
    assert_eq!(done(&world), [true; 4]);
    assert_eq!(world.state.current_task.as_deref(), Some("check-01"));
    assert_eq!(world.state.completed_tasks.len(), 4);
    assert_eq!(open(&world), ["Hold it here"]);
}

#[test]
fn options_that_an_agent_proposed_count_as_listed() {
    let mut brainstorm = debating("brainstorm", Trigger::Always);
    brainstorm.tasks = automatic();
    let mut world = World::of(vec![brainstorm]);
    world.framing = forge_workflow::snapshot::Framing::ByAgent;
    let went = world.go_on();
    assert!(went.rest.todo[0].done && went.rest.todo[1].done);
}

#[test]
fn without_a_debate_one_option_is_enough_and_none_is_too_few() {
    let mut sketch = debating("sketch", Trigger::Never);
    sketch.tasks = automatic();
    let mut world = World::of(vec![sketch]);
    let went = world.go_on();
    let text = "not done: task-01-explore-options: List at least three options in the options document";
    assert_eq!(went.blocked(), [(BlockerKind::Todo, text)]);
    world.list_options(1);
    world.go_on();
    assert!(!world.state.is_open());
}

#[test]
fn a_blocked_task_holds_the_phase_until_it_is_done() {
    let mut world = exploring();
    world.task_blocked("task-01-explore", "the map is lost");
    world.do_the_work();
    world.task_blocked("task-01-explore", "the map is lost");
    let went = world.go_on();
    let text = "task-01-explore is blocked: the map is lost; `forge task done task-01-explore` when it is not any more";
    assert_eq!(went.blocked(), [(BlockerKind::Task, text)]);
    assert_eq!(went.blocker().file, STATE_FILE);
    assert!(world.state.pending_tasks.is_empty(), "what is blocked is not pending");
    world.task_done("task-01-explore");
    world.go_on();
    assert_eq!(world.state.phase, "third");
}

#[test]
fn what_leaving_a_phase_does_not_need_does_not_hold_it() {
    let held = |criteria: Vec<ExitCriterion>| {
        let one = Phase {
            tasks: vec![task("task-01-explore", "Look around", DoneWhen::Ticked)],
            sections: vec!["Overview".to_owned()],
            artifacts: vec!["docs/map.md".to_owned()],
            exit_criteria: criteria,
            ..phase("one")
        };
        let mut world = World::new(definition(vec![one]));
        world.task_blocked("task-01-explore", "the map is lost");
        world.go_on().kinds()
    };
    assert_eq!(held(Vec::new()), []);
    assert_eq!(held(vec![ExitCriterion::NothingBlocked]), [BlockerKind::Task]);
    assert_eq!(held(vec![ExitCriterion::TodoTicked]), [BlockerKind::Todo]);
    assert_eq!(held(vec![ExitCriterion::SectionsWritten]), [BlockerKind::Section]);
    assert_eq!(held(vec![ExitCriterion::ArtifactsPresent]), [BlockerKind::Artifact]);
    let all = [BlockerKind::Task, BlockerKind::Todo, BlockerKind::Section, BlockerKind::Artifact];
    assert_eq!(held(ExitCriterion::ALL.to_vec()), all);
}

#[test]
fn skipping_the_debate_does_the_tasks_about_it() {
    let mut brainstorm = debating("brainstorm", Trigger::Always);
    brainstorm.tasks = automatic();
    let mut world = World::of(vec![brainstorm]);
    world.flag(DebateFlag::Skipped);
    let went = world.go_on();
    let done: Vec<bool> = went.rest.todo.iter().map(|one| one.done).collect();
    assert_eq!(done, [false, true, true, true]);
}

/// Somebody's document, older than the project's exit criteria, has no box for them.
#[test]
fn a_criterion_holds_the_phase_where_no_document_has_its_box() {
    for criteria in [ExitCriterion::ALL.to_vec(), vec![ExitCriterion::NothingBlocked]] {
        let only = Phase { checklist: vec![check("Somebody else agrees")], exit_criteria: criteria, ..phase("only") };
        let mut world = World::new(crate::world::definition(vec![only]));
        world.document();
        let went = world.go_on();
        let blocker = went.blocker();
        assert_eq!((blocker.kind, blocker.line), (BlockerKind::Todo, None));
        assert_eq!(
            blocker.fact.sentence(),
            "not ticked: Somebody else agrees; write it as a ticked box below TODO, or: forge task done check-01"
        );
        let mut ticked_there = world.clone();
        ticked_there.document().todo.push(crate::world::ticked("somebody ELSE agrees.", 9));
        assert!(ticked_there.go_on().rest.blockers.is_empty(), "a box with the same words is its box");
        world.task_done("check-01");
        assert!(world.go_on().rest.blockers.is_empty());
        assert_eq!(world.state.completed_phases, ["only"]);
    }
}
