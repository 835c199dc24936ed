//! What holds in every workflow, whatever people, debates, clocks and crashes do.

use crate::world::{Standing, World, choices, definition, phase, risk, task};
use forge_workflow::definition::{
    DebateConfig, Definition, DoneWhen, EntryAction, ExitCriterion, Phase, PhaseDebate, Task, Trigger,
};
use forge_workflow::knowledge::Risk;
use forge_workflow::next::Step;
use forge_workflow::snapshot::{ArtifactStanding, Framing, Rehearsals};
use forge_workflow::state::{DebateFlag, DebateStatus, PhaseStatus, State, WorkflowStatus};
use forge_workflow::todo;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::{RngSeed, TestRunner};
use std::collections::BTreeSet;

/// Something that happens. Numbers choose among what is there, and choose nothing where there is nothing.
#[derive(Debug, Clone)]
enum Event {
    Tick(usize),
    Untick(usize),
    TickInHandoff(usize),
    AddBox(usize),
    WriteSection(usize),
    EraseSection(usize),
    Remark(usize),
    DoTheWork,
    ListOptions(usize),
    AddRisk(u8, u8, bool),
    Components(usize),
    Challenge(bool),
    Escalate(usize),
    Artifact(usize, bool),
    TaskDone(usize),
    TaskBlocked(usize),
    Debate(Standing, bool),
    DamageDebate,
    DeleteDebate,
    Trip(usize),
    Flag(DebateFlag),
    AllowRehearsals(bool),
    LetAgentsFrame(bool),
    Clock(i32),
    /// The first steps are made, of the next one only the first writes, and nothing after it.
    Crash(usize, usize),
    Continue,
    /// The same crash, and then continued.
    CrashAndContinue(usize, usize),
}

/// How often something happens, and what a number makes of it.
type Card = (usize, fn(usize) -> Event);

/// What may happen.
const DECK: &[Card] = &[
    (2, |n| Event::Tick(n % 4)),
    (1, |n| Event::Untick(n % 4)),
    (1, |n| Event::TickInHandoff(n % 4)),
    (1, |n| Event::AddBox(n % 4)),
    (1, |n| Event::WriteSection(n % 2)),
    (1, |n| Event::EraseSection(n % 2)),
    (1, |n| Event::Remark(n % 4)),
    (16, |_| Event::DoTheWork),
    (2, |n| Event::ListOptions([0, 1, 2, 3, 4, 11, 12, 13, 14][n % 9])),
    (1, |n| Event::AddRisk(1 + (n % 3) as u8, 1 + (n / 3 % 3) as u8, n.is_multiple_of(2))),
    (2, |n| Event::Components(n % 6)),
    (1, |n| Event::Challenge(n.is_multiple_of(2))),
    (1, |n| Event::Escalate(n % 4)),
    (1, |n| Event::Artifact(0, n.is_multiple_of(2))),
    (1, |n| Event::TaskDone(n % 3)),
    (1, |n| Event::TaskBlocked(n % 3)),
    (4, |n| Event::Debate(Standing::ALL[n % 6], n.is_multiple_of(4))),
    (16, |n| Event::Debate(Standing::Decided, n.is_multiple_of(3))),
    (1, |_| Event::DamageDebate),
    (2, |_| Event::DeleteDebate),
    (4, |n| Event::Trip(n % 4)),
    (3, |n| Event::Flag(DebateFlag::ALL[n % 3])),
    (2, |n| Event::AllowRehearsals(n.is_multiple_of(2))),
    (1, |n| Event::LetAgentsFrame(n.is_multiple_of(2))),
    (2, |n| Event::Clock(n as i32 * 9 - 3000)),
    (2, |n| Event::Crash(n % 4, n / 4 % 5)),
    (12, |_| Event::Continue),
    (8, |n| Event::CrashAndContinue(n % 6, n / 6 % 5)),
];

fn event() -> impl Strategy<Value = Event> {
    let all: usize = DECK.iter().map(|(often, _)| often).sum();
    (0..all, 0usize..1000).prop_map(|(mut card, number)| {
        for (often, event) in DECK {
            match card.checked_sub(*often) {
                Some(rest) => card = rest,
                None => return event(number),
            }
        }
        Event::Continue
    })
}

fn one_phase(at: usize) -> impl Strategy<Value = Phase> {
    let tasks = prop::collection::vec(select(&DoneWhen::ALL[..]), 0..3);
    let criteria = prop_oneof![3 => Just(ExitCriterion::ALL.to_vec()), 1 => subsequence(&ExitCriterion::ALL[..], 0..4)];
    let actions = prop_oneof![3 => Just(EntryAction::ALL.to_vec()), 1 => subsequence(&EntryAction::ALL[..], 0..4)];
    let trigger = prop_oneof![2 => Just(Some(Trigger::Always)), 3 => prop::option::of(select(&Trigger::ALL[..]))];
    let shape = (0usize..3, 0usize..2, 0usize..2, any::<bool>());
    let debate = (prop::bool::weighted(0.7), trigger, select(vec!["gate", "judges"]));
    (tasks, criteria, actions, shape, debate).prop_map(
        move |(tasks, exit_criteria, entry_actions, shape, (enabled, trigger, protocol))| {
            let (sections, checks, artifacts, own_options) = shape;
            let id = format!("phase{at}");
            let tasks: Vec<Task> = (1..)
                .zip(tasks)
                .map(|(number, done_when)| task(&format!("task-0{number}-part"), "Do a part of it", done_when))
                .collect();
            Phase {
                tasks,
                exit_criteria,
                entry_actions,
                sections: ["Overview", "Log"].iter().take(sections).map(|&title| title.to_owned()).collect(),
                checklist: (0..checks)
                    .map(|at| task(&format!("check-0{at}"), &format!("Somebody looked {at} times"), DoneWhen::Ticked))
                    .collect(),
                artifacts: (0..artifacts).map(|at| format!("docs/forge/{id}-{at}.txt")).collect(),
                debate: PhaseDebate {
                    enabled,
                    trigger,
                    protocol: protocol.to_owned(),
                    options_document: own_options.then(|| format!("docs/forge/{id}-options.md")),
                    occasions: Vec::new(),
                },
                ..phase(&id)
            }
        },
    )
}

fn workflows() -> impl Strategy<Value = Definition> {
    let phases = (1usize..=6).prop_flat_map(|count| (0..count).map(one_phase).collect::<Vec<_>>());
    (phases, select(&Trigger::ALL[..]), 1u8..10, 0u32..6).prop_map(
        |(phases, default_trigger, risk_threshold, component_threshold)| Definition {
            debates: DebateConfig { default_trigger, risk_threshold, component_threshold },
            ..definition(phases)
        },
    )
}

/// Chooses one of what is there.
fn pick<T>(all: &mut [T], at: usize) -> Option<&mut T> {
    let count = all.len();
    if count == 0 { None } else { all.get_mut(at % count) }
}

/// What is checked while a world goes on, and what must be remembered for it.
struct Watched {
    world: World,
    /// Debates that a `continue` which allowed rehearsals let pass.
    allowed: BTreeSet<String>,
}

impl Watched {
    fn happens(&mut self, event: &Event) {
        let open = self.world.state.is_open();
        let world = &mut self.world;
        match *event {
            Event::Continue => self.continues(),
            Event::CrashAndContinue(steps, writes) => {
                let mut calm = Watched { world: world.clone(), allowed: self.allowed.clone() };
                calm.continues();
                self.crashes(steps, writes);
                self.continues();
                let crashed = World { kept: calm.world.kept, ..self.world.clone() };
                assert_eq!(crashed, calm.world, "a crash after {steps} steps and {writes} writes is not made good");
            }
            Event::Crash(steps, writes) => self.crashes(steps, writes),
            Event::Clock(by) => world.minutes = world.minutes.saturating_add_signed(by),
            Event::AllowRehearsals(yes) => {
                world.rehearsals = if yes { Rehearsals::Allowed } else { Rehearsals::Refused };
            }
            Event::LetAgentsFrame(yes) => world.framing = if yes { Framing::ByAgent } else { Framing::ByPeople },
            // Nobody touches a workflow that is over, or rather: it would change nothing.
            _ if !open => {}
            Event::Tick(at) => {
                let _ = pick(&mut world.document().todo, at).map(|one| one.ticked = true);
            }
            Event::Untick(at) => {
                let _ = pick(&mut world.document().todo, at).map(|one| one.ticked = false);
            }
            Event::TickInHandoff(at) if world.state.phase != "phase0" => {
                let _ = pick(&mut world.handoff().todo, at).map(|one| one.ticked = true);
            }
            Event::TickInHandoff(_) => {}
            Event::AddBox(at) => world.add_box(&format!("Ask person {at}")),
            Event::WriteSection(at) => {
                let titles = world.phase().sections.clone();
                let _ = titles.get(at).map(|title| world.write_section(title, "Something."));
            }
            Event::EraseSection(at) => {
                let titles = world.phase().sections.clone();
                let _ = titles.get(at).map(|title| world.write_section(title, "TBD"));
            }
            Event::Remark(at) => {
                let title = ["Decisions", "Constraints", "Assumptions", "Risks"][at];
                world.write_section(title, &format!("- Somebody said {at} in {}", world.state.phase.clone()));
            }
            Event::DoTheWork => world.do_the_work(),
            Event::ListOptions(count) => world.list_options(count),
            Event::AddRisk(p, i, active) => {
                let id = format!("R{}", world.knowledge.risks.len() + 1);
                world.knowledge.risks.push(Risk { active, ..risk(&id, p, i) });
            }
            Event::Components(count) => world.components(count),
            Event::Challenge(yes) => {
                let challenged = world.knowledge.decisions.first().filter(|_| yes).map(|one| one.id.clone());
                world.document().challenges = challenged.into_iter().collect();
            }
            Event::Escalate(at) if world.state.phase != "phase0" => {
                let _ = pick(&mut world.handoff().escalations, at).map(|one| one.ticked = !one.ticked);
            }
            Event::Escalate(_) => {}
            Event::Artifact(at, there) => {
                let mut paths = world.phase().artifacts.clone();
                let standing = if there { ArtifactStanding::There } else { ArtifactStanding::Placeholder };
                let _ = pick(&mut paths, at).map(|path| world.artifacts.insert(path.clone(), standing));
            }
            Event::TaskDone(at) => {
                let mut tasks = world.phase().tasks.clone();
                let _ = pick(&mut tasks, at).map(|task| world.task_done(&task.id));
            }
            Event::TaskBlocked(at) => {
                let mut tasks = world.phase().tasks.clone();
                let _ = pick(&mut tasks, at).map(|task| world.task_blocked(&task.id, "nobody has the key"));
            }
            Event::Debate(standing, rehearsal) => {
                let id = world.state.debate.id.clone().unwrap_or_default();
                if let Some(debate) = world.debates.get_mut(&id) {
                    // What was decided stays decided.
                    if debate.standing != Standing::Decided {
                        (debate.standing, debate.rehearsal) = (standing, rehearsal);
                    }
                    debate.damaged = false;
                }
            }
            Event::DamageDebate => {
                let id = world.state.debate.id.clone().unwrap_or_default();
                let _ = world.debates.get_mut(&id).map(|debate| debate.damaged = true);
            }
            Event::DeleteDebate => drop(world.state.debate.id.is_some().then(|| world.delete_debate())),
            Event::Trip(at) => {
                let mut standing: Vec<String> =
                    world.knowledge.standing_decisions().map(|decision| decision.id.clone()).collect();
                if let Some(decision) = pick(&mut standing, at).filter(|_| world.state.reopened_decision.is_none()) {
                    world.trip(decision);
                }
            }
            Event::Flag(flag) => world.flag(flag),
        }
    }

    fn crashes(&mut self, steps: usize, writes: usize) {
        for _ in 0..steps {
            let step = self.world.look();
            if step.moves.is_empty() && step.state.says_the_same(&self.world.state) {
                return;
            }
            sees(&self.world, &step, &mut self.allowed);
            self.world.apply(&step);
        }
        let step = self.world.look();
        sees(&self.world, &step, &mut self.allowed);
        self.world.crash(&step, writes);
    }

    fn continues(&mut self) {
        let allowed = &mut self.allowed;
        let went = self.world.go_on_watched(|world, step| sees(world, step, allowed));
        let world = &self.world;
        assert_eq!(went.rest.state, world.state, "at rest nothing is counted up");
        if world.state.is_open() {
            assert!(!went.rest.blockers.is_empty(), "nothing to do and nothing waited for: {:#?}", world.state);
            for blocker in &went.rest.blockers {
                assert!(!blocker.fact.sentence().is_empty() && !blocker.file.is_empty(), "{blocker:?}");
            }
        } else {
            assert_eq!(world.state.status, WorkflowStatus::Completed);
            assert_eq!(world.state.completed_phases.len(), world.definition.phases.len());
            assert!(world.archived && went.rest.blockers.is_empty() && world.state.next_phase.is_none());
        }
        // Twice is once, and the time of day changes nothing.
        for minutes in [world.minutes, world.minutes + 90, 0] {
            let mut again = World { minutes, ..world.clone() };
            let went = again.go_on();
            assert_eq!(went.steps, 0, "{went:#?}");
            assert_eq!(World { minutes: world.minutes, ..again }, *world);
        }
    }
}

/// What must hold of every step.
fn sees(world: &World, step: &Step, allowed: &mut BTreeSet<String>) {
    let (before, after) = (&world.state, &step.state);
    assert_eq!(world.look(), *step, "the same snapshot gives the same step");
    moves_forward(world, before, after);
    assert!(after.revision >= before.revision, "{} after {}", after.revision, before.revision);
    assert!(after.last_updated >= before.last_updated, "{} after {}", after.last_updated, before.last_updated);
    if !before.is_open() {
        assert_eq!(before, after);
        assert!(step.moves.is_empty() && step.said.is_empty() && step.blockers.is_empty());
    }
    if world.rehearsals == Rehearsals::Allowed && after.debate.gate_passed {
        allowed.extend(after.debate.id.clone());
    }
    if let (Some(decision), None) = (&before.reopened_decision, &after.reopened_decision) {
        let debate =
            before.debate.id.as_ref().and_then(|id| world.debates.get(id)).map(|one| (one.standing, &one.order.owner));
        assert_eq!(debate, Some((Standing::Decided, decision)), "{decision} is done with before its debate is");
    }
    if after.completed_phases.len() > before.completed_phases.len() {
        assert!(step.blockers.is_empty());
        the_gate_is_passed(world, after, allowed);
        the_work_is_done(world);
    }
}

fn moves_forward(world: &World, before: &State, after: &State) {
    let order: Vec<&str> = world.definition.phases.iter().map(|phase| phase.id.as_str()).collect();
    let (from, to) =
        (world.definition.position(&before.phase).unwrap(), world.definition.position(&after.phase).unwrap());
    let is_done = before.phase_status == PhaseStatus::Completed && before.is_open();
    let is_left = is_done && is_still_done(world) && from + 1 < order.len();
    assert_eq!(to, from + usize::from(is_left), "{} to {}", before.phase, after.phase);
    let is_done_still = after.phase_status == PhaseStatus::Completed && before.is_open();
    assert!(!is_done || is_left || !is_done_still || is_still_done(world), "{} is called done", after.phase);
    let done = to + usize::from(after.phase_status == PhaseStatus::Completed);
    assert_eq!(after.completed_phases, order[..done], "what is done is what comes before");
    let following = order.get(to + 1).map(|next| (*next).to_owned());
    assert_eq!(after.next_phase, following.filter(|_| after.is_open()));
}

/// Whether a phase that was done is done still. Before it is left, its debate may be damaged or go away, and something may come
/// up that calls for another.
fn is_still_done(world: &World) -> bool {
    let state = &world.state;
    if state.debate_flag == DebateFlag::Skipped {
        return true;
    }
    let document = world.snapshot().document.unwrap_or_default();
    let is_of_another = |id: &String| {
        let mut decisions = world.knowledge.decisions.iter();
        decisions.any(|one| one.id == *id && one.locked && one.debate != state.debate.id)
    };
    let debate = state.debate.id.as_ref().and_then(|id| world.debates.get(id));
    let is_debated = |id: &String| {
        let before = state.answered.iter().any(|one| one.phase == state.phase && one.matter == *id);
        before || debate.is_some_and(|debate| debate.order.at_stake.iter().any(|one| one.name() == id))
    };
    let is_rehearsed = debate.is_some_and(|debate| debate.rehearsal);
    let challenged = !is_rehearsed && document.challenges.iter().any(|id| is_of_another(id) && !is_debated(id));
    let is_held = state.debate.id.is_some() || !(calls(world) || state.debate_flag == DebateFlag::Forced);
    world.debate_is_sound() && is_held && !challenged && state.reopened_decision.is_none()
}

/// Whether a phase calls for a debate, by the words of the specification.
fn calls(world: &World) -> bool {
    let phase = world.phase();
    let config = &world.definition.debates;
    let snapshot = world.snapshot();
    let document = snapshot.document.clone().unwrap_or_default();
    let escalated = snapshot.handoff.as_ref().is_some_and(|handoff| handoff.escalations.iter().any(|one| one.ticked));
    let many = document.components.len() > config.component_threshold as usize;
    let is_locked = |id: &String| world.knowledge.decisions.iter().any(|one| one.id == *id && one.locked);
    let challenged = document.challenges.iter().any(is_locked);
    let scored = |risk: &&Risk| risk.active && risk.score() >= Some(config.risk_threshold);
    let listed = snapshot.document_findings.risks.iter().filter(scored);
    let high: Vec<&Risk> = world.knowledge.risks.iter().filter(scored).chain(listed).collect();
    let is_answered = |risk: &&&Risk| {
        let key = risk.source.as_ref().unwrap_or(&risk.id);
        // What this phase itself answered is no reason for it to be left without a debate.
        let earlier = world.state.answered.iter().filter(|one| one.phase != phase.id);
        earlier.into_iter().any(|one| one.matter == *key && Some(one.score) >= risk.score())
    };
    let first = world.definition.position(&phase.id) == Some(0);
    let is_known = |risk: &&&Risk| world.knowledge.risks.iter().any(|known| known.id == risk.id);
    let new_risk = high.iter().filter(|risk| !is_answered(risk)).any(|risk| !(first && is_known(&risk)));
    let by_trigger = match phase.debate.trigger.unwrap_or(config.default_trigger) {
        Trigger::Always => true,
        Trigger::Never | Trigger::ExplicitOnly => false,
        Trigger::MajorDecision => many || !document.challenges.is_empty(),
        Trigger::RiskThreshold => !high.is_empty(),
    };
    let mandatory = escalated || many || challenged || new_risk;
    mandatory || (phase.debate.enabled && by_trigger)
}

/// A phase is left: no debate was called for, or it passed, or somebody skipped it and that is written down.
fn the_gate_is_passed(world: &World, after: &State, allowed: &BTreeSet<String>) {
    let state = &world.state;
    let called = calls(world) || state.reopened_decision.is_some();
    let skipped = after.skipped_debates.iter().any(|(phase, why)| *phase == state.phase && !why.is_empty());
    if state.debate_flag == DebateFlag::Skipped {
        // What was skipped stays on record when nothing calls for it any more.
        let before = state.skipped_debates.iter().any(|(phase, _)| *phase == state.phase);
        assert_eq!(
            skipped,
            called || before,
            "{}: a debate is skipped silently, or none is and it is said",
            state.phase
        );
        return;
    }
    assert!(!skipped, "{} is left with its debate and said to be left without", state.phase);
    assert_eq!(state.reopened_decision, None, "left before the reopened decision is debated");
    if !called && state.debate_flag == DebateFlag::Unsaid && state.debate.id.is_none() {
        assert!(!after.debate.gate_passed && after.debate.status == DebateStatus::None);
        return;
    }
    let id = state.debate.id.as_ref().unwrap_or_else(|| panic!("{} is left without its debate", state.phase));
    let debate = world.debates.get(id).unwrap_or_else(|| panic!("{id} is passed and not there"));
    assert_eq!((debate.standing, debate.damaged), (Standing::Decided, false), "{id}");
    assert_eq!(debate.order.owner, state.phase, "the phase's own debate passes its gate");
    assert!(after.debate.gate_passed && after.debate.status == DebateStatus::Complete);
    let source = Some(format!("{id}#D1"));
    let known = world.knowledge.decisions.iter().any(|decision| decision.source == source);
    assert_eq!(known, !debate.rehearsal, "{id}: what was decided is known, what was rehearsed is not");
    if debate.rehearsal {
        assert!(allowed.contains(id), "{id} is a rehearsal that nobody allowed");
        assert!(after.rehearsed_phases.contains(&state.phase), "{id} is a rehearsal, and that is not said");
    }
}

/// A phase is left: everything that leaving it needs is there.
fn the_work_is_done(world: &World) {
    let phase = world.phase();
    let snapshot = world.snapshot();
    let boxes: Vec<_> =
        [snapshot.document.as_ref().map(|one| &one.todo), snapshot.handoff.as_ref().map(|one| &one.todo)]
            .into_iter()
            .flatten()
            .flatten()
            .collect();
    // What a project's own exit criteria say holds whatever else does.
    for check in &phase.checklist {
        let mut its = boxes.iter().filter(|one| one.text == check.title).peekable();
        let done = match its.peek() {
            Some(_) => its.any(|one| one.ticked),
            None => world.state.completed_tasks.contains(&check.id),
        };
        assert!(done, "{:?} is left open in {}", check.title, phase.id);
    }
    if phase.requires(ExitCriterion::TodoTicked) {
        for one in &boxes {
            let ticked = boxes.iter().any(|other| other.ticked && other.text == one.text);
            let seen =
                phase.tasks.iter().any(|task| todo::key(&one.text) == task.id && task.done_when != DoneWhen::Ticked);
            assert!(ticked || seen, "{:?} is left open in {}", one.text, phase.id);
        }
        for task in phase.tasks.iter().filter(|task| task.done_when == DoneWhen::Ticked) {
            let text = format!("{}: {}", task.id, task.title);
            let has_box = boxes.iter().any(|one| one.text == text);
            assert!(has_box || world.state.completed_tasks.contains(&task.id), "{text:?} is left open in {}", phase.id);
        }
        if phase.tasks.iter().any(|task| task.done_when == DoneWhen::OptionsListed) && world.state.debate.id.is_none() {
            assert!(!snapshot.options.options.is_empty(), "{} is left without an option", phase.id);
        }
    }
    if phase.requires(ExitCriterion::SectionsWritten) {
        let document = snapshot.document.as_ref();
        for title in &phase.sections {
            let body = document.and_then(|one| one.sections.iter().find(|section| section.title == *title));
            let body = body.map(|section| section.body.as_str());
            assert!(matches!(body, Some("All of it." | "Something.")), "{title} of {}: {body:?}", phase.id);
        }
    }
    if phase.requires(ExitCriterion::ArtifactsPresent) {
        for path in &phase.artifacts {
            assert_eq!(world.artifacts.get(path), Some(&ArtifactStanding::There), "{path}");
        }
    }
    if phase.requires(ExitCriterion::NothingBlocked) {
        assert_eq!(world.state.blocked_tasks, Vec::new());
    }
}

/// Runs a property in random workflows with random events; the same ones every time.
fn in_random_workflows(cases: u32, check: impl Fn(&Definition, &[Event])) {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20260127),
        max_shrink_iters: 4096,
        ..ProptestConfig::default()
    };
    let events = prop::collection::vec(event(), 10..90);
    let outcome = TestRunner::new(config).run(&(workflows(), events), |(definition, events)| {
        check(&definition, &events);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

// seed: S1-57, S1-64
#[test]
fn no_gate_is_skipped_no_step_goes_back_and_no_crash_shows_whatever_happens() {
    in_random_workflows(300, |definition, events| {
        let mut watched = Watched { world: World::new(definition.clone()), allowed: BTreeSet::new() };
        for event in events {
            watched.happens(event);
        }
    });
}

/// The same, for a disk on which everything that people and debates can do is done again and again.
#[test]
fn every_workflow_can_be_finished_from_wherever_it_stands() {
    in_random_workflows(120, |definition, events| {
        let mut watched = Watched { world: World::new(definition.clone()), allowed: BTreeSet::new() };
        for event in events {
            watched.happens(event);
        }
        watched.world.framing = Framing::ByAgent;
        watched.world.rehearsals = Rehearsals::Allowed;
        for round in 0..4 * definition.phases.len() + 8 {
            watched.continues();
            if !watched.world.state.is_open() {
                break;
            }
            watched.world.do_the_work();
            let path = watched.world.phase().options_document();
            watched.world.options.insert(path, choices(3 + round % 2));
            if !watched.world.debate_is_sound() {
                watched.happens(&Event::Flag(DebateFlag::Forced));
            }
            watched.happens(&Event::Debate(Standing::Decided, false));
        }
        assert_eq!(watched.world.state.status, WorkflowStatus::Completed, "{:#?}", watched.world.look());
    });
}
