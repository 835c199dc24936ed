//! What comes next, in examples: what holds a phase and in which words, and what is left to the phase after it.

use crate::world::{
    Debate, OBJECTIVE, OPTIONS_LINE, SECTIONS, Standing, WORKFLOW, World, check, choices, debating, decision,
    definition, phase, risk, stamp, task, ten, unticked,
};
use forge_debate::plan::OPTIONS_LIMIT;
use forge_debate::turn::Section;
use forge_workflow::definition::{DoneWhen, Phase, Trigger};
use forge_workflow::evidence::{Sign, SignKind, Span};
use forge_workflow::handoff;
use forge_workflow::knowledge::{Assumption, Decision, Risk, Standing as Shown, Validation};
use forge_workflow::next::{BlockerKind, Move, STATE_FILE, debate_call, enter, fewest_options, next};
use forge_workflow::snapshot::{
    ArtifactStanding, Checkbox, Framing, HandoffRead, LockedDecision, Rehearsals, Snapshot, Unclear,
};
use forge_workflow::state::{DebateFlag, DebateState, DebateStatus, PhaseStatus, WorkflowStatus};

const DESIGN: &str = "docs/forge/phases/design.md";

/// A design that always debates, has its three options, and one thing left to tick; then a build.
fn debated() -> World {
    let design = Phase { checklist: vec![check("Hold it here")], ..debating("design", Trigger::Always) };
    let mut world = World::of(vec![design, phase("build")]);
    world.list_options(3);
    world.go_on();
    world
}

/// The same, with its debate come this far.
fn debated_until(standing: Standing) -> World {
    let mut world = debated();
    world.debate(standing);
    world.go_on();
    world
}

/// All ten phases, from the first continue to the archive.
// seed: S1-27, S1-52, S1-68
#[test]
fn the_ten_phases_are_gone_through_one_by_one() {
    let mut world = World::new(ten());
    let mut said = world.go_on().said;
    for _ in 0..40 {
        if !world.state.is_open() {
            break;
        }
        world.minutes += 45;
        world.do_the_work();
        if world.state.debate.id.is_some() {
            world.debate(Standing::Decided);
        }
        said.extend(world.go_on().said);
    }
    let order: Vec<String> = world.definition.phases.iter().map(|phase| phase.id.clone()).collect();
    assert_eq!(world.state.completed_phases, order);
    assert_eq!(world.state.status, WorkflowStatus::Completed);
    assert!(world.archived);
    let made: Vec<&str> = world.handoffs.keys().map(String::as_str).collect();
    assert_eq!(made.len(), 9);
    let outcomes: Vec<&str> = world.outcomes.keys().map(String::as_str).collect();
    assert_eq!(outcomes, ["docs/forge/brainstorm.md"], "no paper where nothing was decided");
    assert_eq!(world.state.debates, [("brainstorm".to_owned(), "brainstorm-1".to_owned())], "only brainstorm must");
    let opening: Vec<&str> = said.iter().map(String::as_str).take(9).collect();
    assert_eq!(
        opening,
        [
            "completed init",
            "handed over in docs/forge/handoffs/init-to-brainstorm.md",
            "entered brainstorm",
            "recorded D1: Way 1, by brainstorm-1 (from brainstorm-1)",
            "recorded C1: Whatever brainstorm decides holds (from brainstorm-1)",
            "recorded A1: brainstorm-1 was told the truth (from brainstorm-1)",
            "recorded R1: What the debate brainstorm-1 says may happen (from brainstorm-1)",
            "completed brainstorm",
            "handed over in docs/forge/handoffs/brainstorm-to-research.md",
        ]
    );
    let over = format!("{WORKFLOW} is complete; its record is .claude/forge/archive/workflow-{WORKFLOW}.md");
    assert_eq!(said.last(), Some(&over));
    assert_eq!(world.knowledge.constraints[0].origin, "D1", "a locked decision binds by its id");
}

#[test]
fn what_is_over_stays_as_it_is() {
    let mut world = World::of(vec![phase("only")]);
    assert_eq!(world.state.status, WorkflowStatus::Completed);
    assert_eq!(world.state.next_phase, None);
    for status in [WorkflowStatus::Completed, WorkflowStatus::Abandoned] {
        world.state.status = status;
        world.minutes += 60;
        let before = world.clone();
        let went = world.go_on();
        assert_eq!((went.steps, went.said.len(), went.rest.blockers.len()), (0, 0, 0));
        assert_eq!(world, before);
    }
}

// seed: S1-60
#[test]
fn entering_a_phase_starts_with_nothing_of_the_one_before() {
    let mut world = debated_until(Standing::Decided);
    world.task_blocked("anything", "at all");
    world.state.phase_objective = Some("Something else".to_owned());
    world.minutes += 5;
    let build = Phase { tasks: vec![task("task-01-b", "Build", DoneWhen::Ticked)], ..phase("build") };
    let step = enter(&world.snapshot(), &build, Some("Make it"), DebateFlag::Forced, &world.now());
    assert_eq!((step.moves, step.said), (Vec::new(), vec!["entered build".to_owned()]));
    let state = step.state;
    assert_eq!((state.phase.as_str(), state.current_objective()), ("build", "Make it"));
    assert_eq!((state.debate, state.debate_flag), (DebateState::default(), DebateFlag::Forced));
    assert_eq!((state.pending_tasks, state.blocked_tasks), (vec!["task-01-b".to_owned()], Vec::new()));
    assert_eq!(state.current_task.as_deref(), Some("task-01-b"));
    assert_eq!((state.next_phase, state.phase_started_at), (None, Some(stamp(world.minutes))));
    assert_eq!(state.debates, world.state.debates, "what was debated stays known");
}

#[test]
fn a_clock_that_goes_backwards_does_not_take_the_workflow_with_it() {
    let mut world = debated();
    let (before, revision) = (world.state.last_updated.clone(), world.state.revision);
    world.minutes = 0;
    world.debate(Standing::Running);
    world.go_on();
    assert_eq!(world.state.last_updated, before);
    assert_eq!(world.state.revision, revision + 1);
}

// What holds a phase.

#[test]
fn a_phase_that_the_workflow_does_not_have_is_named_with_the_nearest() {
    let mut world = World::new(ten());
    world.state.phase = "desing".to_owned();
    let went = world.go_on();
    let text = "the state says phase \"desing\", which this workflow does not have; did it mean \"design\"? Go on elsewhere with `forge continue --phase PHASE`";
    assert_eq!(went.blocked(), [(BlockerKind::State, text)]);
    assert_eq!(went.blocker().file, STATE_FILE);
    world.state.phase = "zzzzzzzz".to_owned();
    let text = "the state says phase \"zzzzzzzz\", which this workflow does not have. Go on elsewhere with `forge continue --phase PHASE`";
    assert_eq!(world.go_on().blocked(), [(BlockerKind::State, text)]);
}

// seed: S1-49, S1-63
#[test]
fn sections_hold_a_phase_until_they_are_written() {
    let design = Phase { sections: ["Overview", "Components"].map(str::to_owned).to_vec(), ..phase("design") };
    let mut world = World::of(vec![design, phase("build")]);
    let went = world.go_on();
    assert_eq!(
        went.blocked(),
        [
            (BlockerKind::Section, "\"Overview\" is not written yet"),
            (BlockerKind::Section, "\"Components\" is not written yet")
        ]
    );
    assert_eq!(went.rest.blockers[1].file, DESIGN);
    assert_eq!(went.rest.blockers[1].line, Some(SECTIONS + 1));
    world.document().sections.remove(1);
    world.write_section("Overview", "Two parts.");
    let went = world.go_on();
    assert_eq!(went.blocked(), [(BlockerKind::Section, "there is no section \"## Components\"")]);
    assert_eq!(went.blocker().line, None);
    world.write_section("2. Components of it", "A store and a door.");
    world.go_on();
    assert_eq!(world.state.phase, "build");
}

#[test]
fn places_and_comments_are_not_writing_and_writing_between_comments_is() {
    let written = |body: &str| {
        let mut world = World::of(vec![Phase { sections: vec!["Overview".to_owned()], ..phase("design") }]);
        world.write_section("Overview", body);
        world.go_on();
        !world.state.is_open()
    };
    for body in ["", " \n\n ", "TBD", "[One paragraph]", "<!-- What? -->", "<!-- What? -->\n\nTODO\n\n[more]"] {
        assert!(!written(body), "{body:?}");
    }
    assert!(!written("<!-- What is it?\n\nAnd what is it not? -->"), "a comment of two paragraphs");
    assert!(!written("[One paragraph]\n<!-- about what it is -->"), "a comment right below a place");
    for body in
        ["Two parts.", "TBD\n\nTwo parts.", "<!-- What? -->\nTwo parts.\n<!-- Until here. -->", "1 < 2 <!-- sic"]
    {
        assert!(written(body), "{body:?}");
    }
}

#[test]
fn a_document_that_cannot_be_read_holds_the_phase_at_the_line() {
    let mut world = World::of(vec![Phase { checklist: vec![check("Hold it here")], ..phase("design") }]);
    let text = "components is not a list".to_owned();
    world.document().unclear.push(Unclear { file: DESIGN.to_owned(), line: 3, text, holds: true });
    world.tick("Hold");
    let went = world.go_on();
    assert_eq!(went.blocked(), [(BlockerKind::Unclear, "components is not a list")]);
    assert_eq!((went.blocker().file.as_str(), went.blocker().line), (DESIGN, Some(3)));
}

#[test]
fn doubts_about_options_hold_only_a_debate_that_is_to_be_planned() {
    let doubt = || Unclear { file: DESIGN.to_owned(), line: 9, text: "left open".to_owned(), holds: true };
    let mut world = World::of(vec![debating("design", Trigger::Always)]);
    world.list_options(3);
    let mut snapshot = world.snapshot();
    snapshot.options.unclear.push(doubt());
    let step = next(&snapshot, &world.now());
    assert!(step.moves.is_empty(), "nothing is planned on options that are in doubt");
    assert!(step.blockers.iter().any(|one| one.kind == BlockerKind::Unclear && one.line == Some(9)), "{step:?}");

    let mut world = World::of(vec![debating("design", Trigger::ExplicitOnly)]);
    world.list_options(1);
    let mut snapshot = world.snapshot();
    snapshot.options.unclear.push(doubt());
    let step = next(&snapshot, &world.now());
    assert!(!step.blockers.iter().any(|one| one.kind == BlockerKind::Unclear), "nothing depends on it: {step:?}");
    assert!(snapshot.unclear().any(|one| !one.holds && one.line == 9), "it is named all the same");
}

#[test]
fn a_decision_that_only_a_handoff_locks_can_be_challenged() {
    let mut world = World::of(vec![Phase { checklist: vec![check("Hold it here")], ..phase("design") }]);
    world.document().challenges = vec!["D014".to_owned()];
    let mut snapshot = world.snapshot();
    let said = |snapshot: &Snapshot| {
        let blockers = next(snapshot, &world.now()).blockers;
        blockers.into_iter().map(|one| one.fact.to_string()).filter(|text| text.contains("D014")).collect::<Vec<_>>()
    };
    assert!(said(&snapshot)[0].contains("locked by a handoff"), "{:?}", said(&snapshot));
    let locked = LockedDecision {
        id: "D014".to_owned(),
        title: "Remind by digest mail".to_owned(),
        needs_debate: true,
        file: "docs/forge/handoffs/brainstorm-to-research.md".to_owned(),
        line: 20,
    };
    snapshot.handoff = Some(HandoffRead { locked: vec![locked], ..HandoffRead::default() });
    assert!(said(&snapshot).is_empty(), "{:?}", said(&snapshot));
}

// seed: S1-7, S1-63
#[test]
fn artifacts_hold_a_phase_until_they_say_something() {
    let path = "docs/forge/knowledge/brief.md";
    let init = Phase { artifacts: vec![path.to_owned()], ..phase("init") };
    for (standing, text) in [
        (ArtifactStanding::Missing, "missing"),
        (ArtifactStanding::Placeholder, "it only holds a place; write it"),
        (ArtifactStanding::Unreadable("it is a folder".to_owned()), "it is a folder"),
    ] {
        let mut world = World::new(definition(vec![init.clone()]));
        world.artifacts.insert(path.to_owned(), standing);
        let went = world.go_on();
        assert_eq!(went.blocked(), [(BlockerKind::Artifact, text)]);
        assert_eq!(went.blocker().file, path);
        assert_eq!(world.state.phase_status, PhaseStatus::InProgress, "worked on, not held at a gate");
        world.artifacts.insert(path.to_owned(), ArtifactStanding::There);
        world.go_on();
        assert!(!world.state.is_open());
    }
}

#[test]
fn too_few_options_are_asked_for_and_too_many_refused() {
    let gate = fewest_options("gate");
    assert_eq!((gate, fewest_options("judges"), fewest_options("no such protocol")), (3, 2, 2));
    let mut world = World::of(vec![debating("design", Trigger::Always)]);
    let went = world.go_on();
    let how = "List them below a heading \"Options\" as `- Name: description`, or go on without it, on record: forge design --no-debate";
    let text = format!("0 options listed; the debate on \"Keep logins across deploys\" needs 3. {how}");
    assert_eq!(went.blocked(), [(BlockerKind::Options, text.as_str())]);
    assert_eq!((went.blocker().file.as_str(), went.blocker().line), (DESIGN, None));
    assert_eq!(world.state.status, WorkflowStatus::Active, "options are work, not a gate");

    world.list_options(1);
    let went = world.go_on();
    let text = format!("1 option listed: Way 1; the debate on \"Keep logins across deploys\" needs 3. {how}");
    assert_eq!(went.blocked(), [(BlockerKind::Options, text.as_str())]);
    assert_eq!(went.blocker().line, Some(OPTIONS_LINE));

    world.list_options(OPTIONS_LIMIT + 1);
    let went = world.go_on();
    assert_eq!(went.blocked(), [(BlockerKind::Options, "13 options listed; at most 12 can be debated")]);
    assert!(went.planned.is_empty());

    world.list_options(OPTIONS_LIMIT);
    assert_eq!(world.go_on().planned[0].options.len(), OPTIONS_LIMIT);
}

#[test]
fn an_agent_may_propose_the_options_and_then_gets_none() {
    for listed in [0, 2] {
        let mut world = World::of(vec![debating("design", Trigger::Always)]);
        world.list_options(listed);
        world.framing = Framing::ByAgent;
        let planned = world.go_on().planned;
        assert_eq!(planned.len(), 1);
        assert!(planned[0].options.is_empty(), "{listed} listed: too few to debate are none");
    }
}

// seed: S1-24
#[test]
fn the_debate_is_planned_once_about_what_the_phase_is_for() {
    let mut world = World::of(vec![debating("design", Trigger::Always)]);
    world.list_options(3);
    let went = world.go_on();
    let order = &went.planned[0];
    assert_eq!(went.planned.len(), 1);
    assert_eq!((order.phase.as_str(), order.owner.as_str(), order.protocol.as_str()), ("design", "design", "gate"));
    assert_eq!((order.question.as_str(), &order.options), (OBJECTIVE, &choices(3)));
    assert_eq!(order.occasion, format!("{WORKFLOW}/design/0"));
    assert_eq!(world.state.debates, [("design".to_owned(), "design-1".to_owned())]);
    assert!(world.go_on().planned.is_empty());
    // Asked for again when it is done: another occasion.
    world.debate(Standing::Contested);
    world.go_on();
    world.flag(DebateFlag::Forced);
    let planned = world.go_on().planned;
    assert_eq!(planned[0].occasion, format!("{WORKFLOW}/design/1"));
    world.flag(DebateFlag::Forced);
    assert!(world.go_on().planned.is_empty(), "asking twice in a row asks once");
}

#[test]
fn editing_the_document_does_not_unask_the_question() {
    let design = debating("design", Trigger::MajorDecision);
    let mut world = World::of(vec![Phase { checklist: vec![check("Hold it here")], ..design }]);
    world.list_options(3);
    world.components(5);
    let went = world.go_on();
    assert_eq!(went.rest.call.unwrap().why, "design: 5 components > 3");
    world.components(1);
    let went = world.go_on();
    let call = went.rest.call.as_ref().unwrap();
    assert_eq!((call.debate, call.why.as_str()), (true, "design: its debate is planned already"));
    assert_eq!(went.kinds(), [BlockerKind::Gate, BlockerKind::Todo]);
}

/// How a debate stands, what holds the phase then, and the words.
// seed: S0-1, S0-45, S1-8, S1-50, S1-100
#[test]
fn a_debate_holds_its_phase_until_it_is_decided() {
    let rows = [
        (
            Standing::Pending,
            BlockerKind::Gate,
            "debate-plan.md",
            "the debate design-1 has no verdict that passes its gate",
        ),
        (Standing::Running, BlockerKind::Gate, "skeptic.md", "missing"),
        (Standing::Blocked, BlockerKind::Gate, "synthesis.md", "the kill-switch holds a place"),
        (Standing::Contested, BlockerKind::Person, "verdict.md", "the seats do not agree; a person decides"),
        (Standing::Insufficient, BlockerKind::Insufficient, "verdict.md", "one seat of three spoke"),
    ];
    for (standing, kind, file, text) in rows {
        let mut world = debated_until(standing);
        let went = world.go_on();
        let held = &went.rest.blockers[0];
        assert_eq!((held.kind, held.fact.sentence()), (kind, text), "{standing:?}");
        assert_eq!(held.file, format!("docs/forge/debate/design-1/{file}"));
        assert!(kind.is_gate());
        assert_eq!(went.kinds()[1..], [BlockerKind::Todo], "what else is open is said too");
        assert_eq!(world.state.phase_status, PhaseStatus::Blocked);
        assert_eq!(world.state.phase_status, PhaseStatus::Blocked);
        assert_eq!(world.state.status, WorkflowStatus::Active, "status is the word for the whole workflow");
        assert!(!world.state.debate.gate_passed);
        world.debate(Standing::Decided);
        world.go_on();
        assert_eq!(world.state.status, WorkflowStatus::Active, "the gate is passed, the work goes on");
        assert_eq!((world.state.debate.status, world.state.debate.gate_passed), (DebateStatus::Complete, true));
        world.tick("Hold");
        world.go_on();
        assert_eq!(world.state.completed_phases, ["design", "build"]);
    }
}

#[test]
fn what_was_decided_is_known_before_the_phase_is_left_and_is_learned_once() {
    let mut world = debated_until(Standing::Decided);
    assert_eq!(world.state.phase, "design");
    let ids = |world: &World| -> Vec<String> { world.knowledge.decisions.iter().map(|one| one.id.clone()).collect() };
    assert_eq!(ids(&world), ["D1"]);
    assert!(world.go_on().said.is_empty());
    world.tick("Hold");
    world.go_on();
    assert_eq!(ids(&world), ["D1"]);
}

#[test]
fn what_the_document_says_is_learned_when_the_phase_is_left() {
    let mut world = World::of(vec![Phase { checklist: vec![check("Hold it here")], ..phase("research") }]);
    world.write_section("Risks", "- The vendor goes away\n");
    world.go_on();
    assert!(world.knowledge.risks.is_empty(), "people may still be writing");
    world.tick("Hold");
    let went = world.go_on();
    assert_eq!(world.knowledge.risks[0].id, "R1");
    assert_eq!(went.said[0], "recorded R1: The vendor goes away (from docs/forge/phases/research.md)");
}

#[test]
fn a_debate_that_was_deleted_is_planned_anew_and_that_is_said() {
    for standing in [Standing::Pending, Standing::Running, Standing::Contested] {
        let mut world = debated_until(standing);
        assert_eq!(world.delete_debate(), "design-1");
        let went = world.go_on();
        assert_eq!(went.said, ["the debate design-1 is gone from the disk; its plan is made anew"]);
        assert_eq!(went.planned[0].occasion, format!("{WORKFLOW}/design/0"), "it is the same occasion");
        assert_eq!(world.state.debates, [("design".to_owned(), "design-2".to_owned())]);
        assert_eq!(world.state.phase_status, PhaseStatus::Blocked);
        assert!(!world.state.debate.gate_passed);
    }
}

/// What is recorded rests on it, also where the phase was done already and not left yet.
#[test]
fn a_debate_that_was_recorded_and_deleted_holds_its_phase_until_it_is_back_or_another_is_held() {
    for is_done in [false, true] {
        let mut world = debated_until(Standing::Decided);
        if is_done {
            world.do_the_work();
            while world.state.phase_status != PhaseStatus::Completed {
                let step = world.look();
                world.apply(&step);
            }
        }
        let before = world.debates.clone();
        world.delete_debate();
        let went = world.go_on();
        let held = &went.rest.blockers[0];
        assert_eq!((held.kind, went.said.len()), (BlockerKind::Record, 0), "{held:?}");
        for part in ["design-1 is gone", "D1 rests on it", "git checkout --", "forge design --debate"] {
            assert!(held.fact.sentence().contains(part), "{part}: {}", held.fact.sentence());
        }
        assert_eq!((world.state.phase.as_str(), world.state.phase_status), ("design", PhaseStatus::Blocked));
        let back = &mut World { debates: before, ..world.clone() };
        back.do_the_work();
        back.go_on();
        assert_ne!(back.state.phase, "design", "{:#?}", back.look().blockers);
        world.flag(DebateFlag::Forced);
        assert_eq!(world.go_on().planned.len(), 1);
    }
}

#[test]
fn a_debate_that_cannot_be_read_holds_its_phase_and_is_left_alone() {
    let mut world = debated();
    world.debate(Standing::Decided).damaged = true;
    let went = world.go_on();
    let held = &went.rest.blockers[0];
    let text = "the debate design-1 cannot be read: line 3 of the plan is not YAML. Mend it, or plan another with `forge design --debate`";
    assert_eq!((held.kind, held.file.as_str(), held.fact.sentence()), (BlockerKind::Gate, STATE_FILE, text));
    assert_eq!(world.state.debate.id.as_deref(), Some("design-1"));
    world.flag(DebateFlag::Forced);
    world.go_on();
    assert_eq!(world.state.debate.id.as_deref(), Some("design-2"), "as it said");
}

// Rehearsals.

fn rehearse(world: &mut World) {
    let debate: &mut Debate = world.debate(Standing::Decided);
    debate.rehearsal = true;
}

#[test]
fn a_rehearsal_passes_no_gate_unless_it_is_allowed_and_then_the_handoff_says_so() {
    let mut world = debated();
    rehearse(&mut world);
    world.tick("Hold");
    let went = world.go_on();
    let text = "this was a rehearsal, and a rehearsal passes no gate; `forge continue --allow-rehearsal` lets it pass, says so in the handoff, and writes no knowledge";
    assert_eq!(went.blocked(), [(BlockerKind::Gate, text)]);
    assert_eq!(went.blocker().file, "docs/forge/debate/design-1/debate-plan.md");
    assert!(world.state.rehearsed_phases.is_empty());

    world.rehearsals = Rehearsals::Allowed;
    world.go_on();
    assert_eq!(world.state.completed_phases, ["design", "build"]);
    assert_eq!(world.state.rehearsed_phases, ["design"]);
    assert_eq!(world.knowledge, Default::default(), "and writes no knowledge");
    let warning = "REHEARSAL: the gate of design was passed by a rehearsal (--allow-rehearsal). No model was asked, and nothing of it was written to the knowledge files.";
    assert_eq!(world.composed["docs/forge/handoffs/design-to-build.md"].warnings, [warning]);
    assert_eq!(world.outcomes["docs/forge/design.md"].warnings, [warning]);
    assert!(!world.outcomes.contains_key("docs/forge/build.md"), "nothing was decided there");
}

#[test]
fn a_rehearsal_that_was_allowed_once_stays_allowed_until_the_phase_is_left() {
    let mut world = debated();
    rehearse(&mut world);
    world.rehearsals = Rehearsals::Allowed;
    world.go_on();
    assert_eq!(world.state.phase, "design");
    world.rehearsals = Rehearsals::Refused;
    world.tick("Hold");
    world.go_on();
    assert_eq!(world.state.completed_phases, ["design", "build"]);
}

// --no-debate.

#[test]
fn a_debate_that_is_skipped_is_recorded_with_what_called_for_it() {
    let world = World::of(vec![debating("design", Trigger::MajorDecision), phase("build")]);
    assert_eq!(world.state.completed_phases, ["design", "build"], "nothing calls for one");

    let mut world = World::new(definition(vec![debating("design", Trigger::MajorDecision), phase("build")]));
    world.components(5);
    world.flag(DebateFlag::Skipped);
    let call = debate_call(&world.snapshot(), world.phase());
    assert_eq!((call.debate, call.why.as_str()), (false, "design: skipped with --no-debate"));
    world.go_on();
    assert_eq!(world.state.skipped_debates, [("design".to_owned(), "5 components > 3".to_owned())]);
    let warning = "DEBATE SKIPPED: design called for one (5 components > 3) and was left with --no-debate.";
    assert_eq!(world.composed["docs/forge/handoffs/design-to-build.md"].warnings, [warning]);
    assert!(world.outcomes.is_empty(), "nothing was decided");
}

#[test]
fn what_was_skipped_stays_on_record_when_that_settles_what_called_for_it() {
    let design = Phase { checklist: vec![check("Hold it here")], ..debating("design", Trigger::MajorDecision) };
    let mut world = World::of(vec![design, phase("build")]);
    world.components(5);
    world.flag(DebateFlag::Skipped);
    world.go_on();
    let skipped = [("design".to_owned(), "5 components > 3".to_owned())];
    assert_eq!((world.state.phase.as_str(), world.state.skipped_debates.as_slice()), ("design", skipped.as_slice()));
    world.components(2);
    world.tick("Hold");
    world.go_on();
    assert_eq!(world.state.completed_phases, ["design", "build"]);
    assert_eq!(world.state.skipped_debates, skipped);
}

/// Signs carry an id, a time, both or neither.
#[test]
fn a_sign_belongs_to_a_workflow_by_its_id_else_by_its_time() {
    let cases = [
        (Some("wf-1"), "20250101", "20260110081500", true, true),
        (Some("wf-0"), "20260111", "20260110081500", false, false),
        (None, "20260110081500", "20260110081500", true, true),
        (None, "20260110081459", "20260110081500", false, false),
        (None, "20260109", "20260110081500", false, false),
        (None, "20260111", "20260110081500", true, true),
        (None, "20260110", "20260110081500", false, true),
        (None, "20260110", "20260110081500", true, false),
        (None, "", "20260110081500", false, true),
        (None, "", "20260110081500", true, false),
        (None, "20250101", "", false, true),
        (None, "20250101", "", true, false),
    ];
    for (owner, at, began, follows_another, wanted) in cases {
        let sign = Sign {
            phase: "brainstorm".to_owned(),
            kind: SignKind::Handoff,
            workflow: owner.map(str::to_owned),
            at: at.to_owned(),
        };
        let span = Span { began: began.to_owned(), follows_another };
        assert_eq!(sign.is_of("wf-1", &span), wanted, "{owner:?} {at} {began} {follows_another}");
    }
}

#[test]
fn nothing_is_recorded_where_nothing_was_skipped() {
    let mut world = World::new(definition(vec![debating("plan", Trigger::ExplicitOnly), phase("build")]));
    world.flag(DebateFlag::Skipped);
    world.go_on();
    assert!(world.state.skipped_debates.is_empty());
    assert!(world.composed["docs/forge/handoffs/plan-to-build.md"].warnings.is_empty());
}

#[test]
fn what_was_skipped_and_then_debated_after_all_was_not_skipped() {
    let mut world = debated();
    world.flag(DebateFlag::Skipped);
    world.go_on();
    assert_eq!(world.state.skipped_debates, [("design".to_owned(), "debates always".to_owned())]);
    world.flag(DebateFlag::Forced);
    world.go_on();
    world.debate(Standing::Decided);
    world.tick("Hold");
    world.go_on();
    assert_eq!(world.state.completed_phases, ["design", "build"]);
    assert!(world.state.skipped_debates.is_empty());
    assert!(world.composed["docs/forge/handoffs/design-to-build.md"].warnings.is_empty());
}

#[test]
fn a_debate_that_was_planned_and_then_skipped_decided_nothing() {
    let mut world = debated();
    world.tick("Hold");
    world.flag(DebateFlag::Skipped);
    world.go_on();
    let handed = &world.composed["docs/forge/handoffs/design-to-build.md"];
    assert_eq!(handed.summary, [format!("Design: {OBJECTIVE}."), "Ticked: Hold it here".to_owned()]);
    assert!(handed.outcomes.is_empty(), "{:?}", handed.outcomes);
    let row = ("Debate plan", "docs/forge/debate/design-1/debate-plan.md", "Open");
    assert!(handed.artifacts.iter().any(|(name, path, how)| (name.as_str(), path.as_str(), how.as_str()) == row));
    assert!(world.outcomes.is_empty());
}

// Decisions that are reopened.

/// A phase whose own debate is decided and recorded as D1, held by its last box, with D1 tripped.
fn tripped() -> World {
    let mut world = debated_until(Standing::Decided);
    world.trip("D1");
    world.go_on();
    world
}

#[test]
fn a_reopened_decision_holds_the_phase_until_its_debate_is_done_and_then_the_phase_has_its_own_again() {
    let mut world = tripped();
    assert_eq!(world.state.debate.id.as_deref(), Some("design-2"));
    let order = world.debates["design-2"].order.clone();
    assert_eq!((order.phase.as_str(), order.owner.as_str()), ("design", "D1"));
    assert_eq!(order.question, "Way 1, by design-1 (reopened)");
    assert_eq!((order.options, order.occasion), (choices(3), format!("{WORKFLOW}/D1/0")));
    world.tick("Hold");
    let went = world.go_on();
    assert_eq!(went.kinds(), [BlockerKind::Gate]);
    assert_eq!(went.rest.call.unwrap().why, "design: the kill-switch of D1 tripped");

    world.debate(Standing::Decided);
    let went = world.go_on();
    assert!(went.said[0].starts_with("recorded D2: Way 1, by design-2"));
    assert_eq!(world.state.completed_phases, ["design", "build"]);
    assert_eq!(world.state.reopened_decision, None);
    assert_eq!(
        world.state.debates,
        [("design".to_owned(), "design-1".to_owned()), ("D1".to_owned(), "design-2".to_owned())]
    );
    let (_, _, decided) = world.outcomes["docs/forge/design.md"].debate.clone().unwrap();
    assert_eq!(decided, ["Way 1"]);
    let standing: Vec<&str> = world.knowledge.standing_decisions().map(|one| one.id.as_str()).collect();
    assert_eq!(standing, ["D2"]);
    let handed = &world.composed["docs/forge/handoffs/design-to-build.md"];
    assert!(handed.outcomes.contains(&"Debate ID: design-1".to_owned()), "its own again: {:?}", handed.outcomes);
}

#[test]
fn a_reopened_decision_is_debated_in_a_phase_that_never_debates_and_leaves_it_without_a_debate() {
    let never = Phase { checklist: vec![check("Hold it here")], ..debating("build", Trigger::Never) };
    let mut world = World::of(vec![never]);
    world.knowledge.decisions.push(decision("D1", &["p99 above 1 s"]));
    world.framing = Framing::ByAgent;
    world.trip("D1");
    world.go_on();
    assert_eq!(world.state.debates, [("D1".to_owned(), "build-1".to_owned())]);
    world.debate(Standing::Decided);
    world.go_on();
    assert_eq!((&world.state.reopened_decision, &world.state.debate.id), (&None, &None));
    world.tick("Hold");
    world.go_on();
    assert!(!world.state.is_open());
}

#[test]
fn a_reopened_decision_that_is_skipped_is_recorded_and_stays_reopened() {
    let build = Phase { checklist: vec![check("Hold it here too")], ..phase("build") };
    let design = Phase { checklist: vec![check("Hold it here")], ..phase("design") };
    let mut world = World::of(vec![design, build]);
    world.knowledge.decisions.push(decision("D1", &["p99 above 1 s"]));
    world.trip("D1");
    world.flag(DebateFlag::Skipped);
    world.tick("Hold");
    let went = world.go_on();
    assert_eq!(world.state.phase, "build");
    let why = "the kill-switch of D1 tripped";
    assert_eq!(world.state.skipped_debates, [("design".to_owned(), why.to_owned())]);
    let warning = format!("DEBATE SKIPPED: design called for one ({why}) and was left with --no-debate.");
    assert_eq!(world.composed().warnings, [warning]);
    assert_eq!(world.state.reopened_decision.as_deref(), Some("D1"), "until the debate on it is done");
    assert_eq!(went.rest.call.unwrap().why, "build: the kill-switch of D1 tripped");
}

#[test]
fn both_are_told_where_a_reopened_decision_and_the_phases_own_debate_are_skipped() {
    let mut world = tripped();
    world.flag(DebateFlag::Skipped);
    world.go_on();
    let why = "the kill-switch of D1 tripped; debates always";
    assert_eq!(world.state.skipped_debates, [("design".to_owned(), why.to_owned())]);
}

// Handoffs.

// seed: S1-9, S1-80
#[test]
fn a_handoff_tells_what_was_decided_what_is_open_and_what_comes_next() {
    let build = Phase {
        tasks: vec![
            task("task-01-build", "Build it", DoneWhen::Ticked),
            task("task-02-options", "List options", DoneWhen::OptionsListed),
        ],
        checklist: vec![check("Somebody read it")],
        artifacts: vec!["docs/api/open_api-v1.md".to_owned()],
        ..phase("build")
    };
    let design = Phase { artifacts: vec!["docs/design-notes.md".to_owned()], ..debating("design", Trigger::Always) };
    let mut world = World::of(vec![design, build]);
    world.artifacts.insert("docs/design-notes.md".to_owned(), ArtifactStanding::There);
    let known = &mut world.knowledge;
    known.decisions.push(decision("D1", &["never heard of again"]));
    known.decisions.push(Decision {
        supersedes: vec!["D1".to_owned()],
        ..decision("D2", &["p99 above 1 s\n  for a week", "costs double"])
    });
    let assumption =
        |id: &str, text: &str| Assumption { id: id.to_owned(), text: text.to_owned(), ..Default::default() };
    known.assumptions.push(assumption("A1", "The network is fast\nmostly"));
    known.assumptions.push(assumption("A2", "Nobody restarts it"));
    known.assumptions.push(Assumption { standing: Shown::Invalidated, ..assumption("A3", "It never rains") });
    known.validations.push(Validation {
        assumption: "A2".to_owned(),
        standing: Shown::Validated,
        because: "measured".to_owned(),
        source: "research#1".to_owned(),
    });
    known.risks.extend([risk("R1", 2, 3), Risk { active: false, ..risk("R2", 3, 3) }]);
    world.list_options(3);
    world.go_on();
    world.debate(Standing::Decided);
    world.go_on();

    assert_eq!(world.state.phase, "build");
    let handed = world.composed();
    assert_eq!((handed.from.0.as_str(), handed.to.1.as_str()), ("design", "Build"));
    assert_eq!(handed.workflow_id, WORKFLOW);
    assert_eq!(handed.summary, [format!("Design: {OBJECTIVE}. Debated Way 1, Way 2, Status quo (protocol gate).")]);
    assert_eq!(
        handed.outcomes,
        [
            "Selected: Way 1",
            "Confidence: high",
            "Debate ID: design-1",
            "D3: Way 1, by design-1",
            "R3: What the debate design-1 says may happen (risk, score 4)",
        ]
    );
    assert_eq!(handed.time_spent, "1.5 hours");
    let ids: Vec<&str> = handed.decisions.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["D2", "D3"], "what is superseded is left out");
    let ids: Vec<&str> = handed.assumptions.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["A1", "A4"], "what is shown right or wrong is left out");
    let ids: Vec<&str> = handed.risks.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["R1", "R3"], "what cannot happen any more is left out");
    assert_eq!(handed.constraints[0].origin, "D3");
    assert_eq!(handed.todo, ["task-01-build: Build it", "Somebody read it"], "what forge sees by itself is no box");
    assert_eq!(
        handed.escalations,
        [
            "A1 turns out wrong: The network is fast mostly",
            "A4 turns out wrong: design-1 was told the truth",
            "D2 kill-switch: p99 above 1 s for a week",
            "D2 kill-switch: costs double",
            "D3 kill-switch: More than 1% of logins fail",
        ]
    );
    let rows: Vec<_> = handed.artifacts.iter().map(|(a, b, c)| (a.as_str(), b.as_str(), c.as_str())).collect();
    assert_eq!(
        rows,
        [
            ("Design working document", DESIGN, "Complete"),
            ("Debate synthesis", "docs/forge/debate/design-1/synthesis.md", "Complete"),
            ("design notes", "docs/design-notes.md", "Complete"),
            ("Design outcome", "docs/forge/design.md", "Complete"),
        ]
    );
    assert!(handed.warnings.is_empty());
}

// seed: S1-48, S1-78
#[test]
fn a_ticked_escalation_of_the_handoff_calls_for_a_debate_in_any_phase() {
    let mut world = World::of(vec![phase("design"), Phase { checklist: vec![check("Hold")], ..phase("build") }]);
    world.handoff().escalations.push(unticked("A1 turns out wrong: The network is fast mostly", 44));
    assert_eq!(world.go_on().rest.call.unwrap().why, "build: debates are off in this phase");
    world.handoff().escalations[0].ticked = true;
    let went = world.go_on();
    assert_eq!(
        went.rest.call.as_ref().unwrap().why,
        "build: the escalation condition \"A1 turns out wrong: The network is fast mostly\" of the handoff is ticked"
    );
    assert_eq!(went.kinds(), [BlockerKind::Options, BlockerKind::Todo]);
}

#[test]
fn a_handoff_is_written_once_because_people_tick_boxes_in_it() {
    let build = Phase { checklist: vec![check("Read it")], ..phase("build") };
    let mut world = World::new(definition(vec![phase("design"), build]));
    world.apply(&world.look());
    let leaving = world.look();
    assert!(leaving.moves.iter().any(|one| matches!(one, Move::WriteHandoff(_))));
    world.crash(&leaving, 3);
    let path = handoff::path("design", "build");
    world.handoffs.get_mut(&path).unwrap().todo[0].ticked = true;
    world.minutes += 60;
    world.go_on();
    assert!(world.handoffs[&path].todo[0].ticked);
    assert_eq!(world.composed[&path].generated_at, stamp(600));
}

// seed: S1-72
#[test]
fn a_handoff_says_what_was_written_in_the_phase() {
    let mut world = World::new(definition(vec![phase("design"), phase("build")]));
    world.apply(&world.look());
    let section = |title: &str, body: &str, line: usize| Section {
        title: title.to_owned(),
        body: body.to_owned(),
        line,
        body_line: line + 1,
    };
    let document = world.documents.get_mut(DESIGN).unwrap();
    document.sections = vec![
        section(
            "Overview",
            "<!-- What? -->\n\nTwo services share one store. They never write at once.\n\n### Why\n\nIt is cheap.",
            20,
        ),
        section("Why", "It is cheap.", 24),
        section("Components", "- api: answers\n- worker: cleans up", 30),
        section("Interfaces", "[Interfaces: to be written]", 40),
        section("Decisions", "- Keep one store", 50),
        section("Options", "- One: a", 60),
    ];
    document.todo = vec![
        Checkbox { text: "task-01-name: Name the parts".to_owned(), ticked: true, line: 10 },
        Checkbox { text: "Ask Ada: today".to_owned(), ticked: true, line: 11 },
    ];
    world.go_on();
    let handed = world.composed();
    assert_eq!(handed.summary[1..], ["Ticked: Name the parts; Ask Ada: today".to_owned()]);
    let written = ["Overview: Two services share one store.", "Components: api: answers"];
    assert!(written.iter().all(|line| handed.outcomes.iter().any(|one| one == line)), "{:?}", handed.outcomes);
    let told = handed.outcomes.join("\n");
    assert!(!told.contains("Why") && !told.contains("Interfaces") && !told.contains("One: a"), "{told}");
}

// seed: S1-72
#[test]
fn time_is_told_in_words() {
    for (seconds, text) in [
        (None, "unknown"),
        (Some(0), "less than a minute"),
        (Some(59), "less than a minute"),
        (Some(60), "1 minute"),
        (Some(119), "1 minute"),
        (Some(120), "2 minutes"),
        (Some(3599), "59 minutes"),
        (Some(3600), "1 hour"),
        (Some(3960), "1.1 hours"),
        (Some(5400), "1.5 hours"),
        (Some(360_000), "100.0 hours"),
    ] {
        assert_eq!(handoff::spent(seconds), text);
    }
}

#[test]
fn options_listed_as_told_are_used_for_a_reopened_decision() {
    let mut world = World::of(vec![Phase { checklist: vec![check("Hold")], ..phase("build") }]);
    world.knowledge.decisions.push(decision("D1", &["p99 above 1 s"]));
    world.trip("D1");
    assert_eq!(world.go_on().kinds()[0], BlockerKind::Options);
    world.list_options(3);
    let went = world.go_on();
    assert_eq!(went.planned.len(), 1, "{:?}", went.blocked());
}
#[test]
fn a_real_debate_after_a_rehearsal_warns_no_more() {
    let mut world = debated();
    rehearse(&mut world);
    world.rehearsals = Rehearsals::Allowed;
    world.go_on();
    world.rehearsals = Rehearsals::Refused;
    world.flag(DebateFlag::Forced);
    world.go_on();
    world.debate(Standing::Decided);
    world.tick("Hold");
    world.go_on();
    assert_eq!(world.composed["docs/forge/handoffs/design-to-build.md"].warnings, Vec::<String>::new());
}
#[test]
fn another_rehearsal_is_not_allowed_by_the_first() {
    let mut world = debated();
    rehearse(&mut world);
    world.rehearsals = Rehearsals::Allowed;
    world.go_on();
    world.rehearsals = Rehearsals::Refused;
    world.delete_debate();
    world.go_on();
    rehearse(&mut world);
    world.tick("Hold");
    world.go_on();
    assert_eq!(world.state.phase, "design");
}
