//! What comes next. A pure function of what stands on disk; the engine applies its moves and asks again until there are
//! none.
//!
//! Promises: never passes a phase whose gate is called for and not passed; moves forward only; the same snapshot gives
//! the same step; where there is nothing to do it says what is waited for.
//!
//! If the process dies between two moves: every move may be made again, the state file is written last, and the next
//! call of `forge continue` starts over from what is there.

mod contradictions;
mod gate;
mod step;
mod unfinished;

pub use gate::{GateScope, Registry, Topic, debate_call, fewest_options, gate_blockers, occasion, topic, trigger_call};
pub use step::{Blocker, BlockerKind, DebateOrder, Move, PhaseOutcome, Step};

use crate::again::{Again, Gone};
use crate::definition::{EntryAction, Phase};
use crate::extract;
use crate::handoff;
use crate::knowledge::{Decision, Findings, Kind, Risk, says_the_same};
use crate::snapshot::{Now, Snapshot};
use crate::state::{DebateFlag, DebateState, DebateStatus, PhaseStatus, State, WorkflowStatus};
use crate::todo::{self, Todo};
use crate::trigger::Call;
use forge_debate::fact;
use gate::{Gate, said_of};
use unfinished::{not_understood, unfinished};

/// What comes next.
pub fn next(snapshot: &Snapshot, now: &Now) -> Step {
    let state = &snapshot.state;
    if snapshot.definition.is_over(state) {
        return Step::rest(state.clone(), Vec::new());
    }
    let Some(phase) = snapshot.definition.phase(&state.phase) else {
        let near = snapshot.definition.nearest(&state.phase);
        let hint = near.map_or_else(|| ".".to_owned(), |near| format!("; did it mean {near:?}?"));
        let text = format!(
            "the state says phase {:?}, which this workflow does not have{hint} Go on elsewhere with `forge continue --phase PHASE`",
            state.phase
        );
        let blocker = Blocker {
            kind: BlockerKind::State,
            file: STATE_FILE.to_owned(),
            line: None,
            fact: fact!("unknown_phase", "{text}"),
        };
        return Step::rest(state.clone(), vec![blocker]);
    };
    let contradictions = contradictions::contradictions(snapshot, phase);
    if !contradictions.is_empty() {
        let call = Some(debate_call(snapshot, phase));
        return Step { call, ..Step::rest(state.clone(), contradictions) };
    }
    match state.phase_status {
        PhaseStatus::Completed => pass_on(snapshot, phase, now),
        PhaseStatus::Pending | PhaseStatus::InProgress | PhaseStatus::Blocked => work(snapshot, phase, now),
    }
}

/// The phase is called done. Anybody can write that word, so its gate is looked at once more, and without a handoff out of it
/// all of its work.
fn pass_on(snapshot: &Snapshot, phase: &Phase, now: &Now) -> Step {
    let following = snapshot.definition.after(&phase.id);
    if let Some(following) = following
        && !snapshot.traces.is_handed_over(&phase.id)
    {
        let handoff = handoff::path(&phase.id, &following.id);
        let mut step = work(snapshot, phase, now);
        step.notes.push(format!("{} is called completed, and there is no {handoff}: it is checked again", phase.id));
        return step;
    }
    let call = debate_call(snapshot, phase);
    let mut step = match gate::gate(snapshot, phase, &call, now) {
        // Something is to be done at the gate first: it is not passed, and the phase is not done.
        Gate::Step(mut step) => {
            step.state.phase_status = PhaseStatus::InProgress;
            reopen(&mut step.state, phase);
            touch(&mut step.state, now);
            *step
        }
        Gate::Held(blockers) => {
            let mut step = held(snapshot, phase, &call, blockers, now);
            step.notes.push(format!("{} is called completed, and its gate is not passed", phase.id));
            step
        }
        Gate::Open => match following {
            Some(following) => return enter(snapshot, following, None, DebateFlag::Unsaid, now),
            None if unfinished(snapshot, phase, &todo::list(snapshot, phase, &call)).is_empty() => {
                return finish(snapshot, now);
            }
            None => open(snapshot, phase, &call, now),
        },
    };
    step.call = Some(call);
    step
}

/// Where the state is kept.
pub const STATE_FILE: &str = ".claude/forge/active-workflow.md";

/// Enters a phase.
pub fn enter(snapshot: &Snapshot, phase: &Phase, objective: Option<&str>, flag: DebateFlag, now: &Now) -> Step {
    let before = &snapshot.state;
    let after = snapshot.definition.after(&phase.id).map(|next| next.id.clone());
    let mut state = State {
        phase: phase.id.clone(),
        phase_objective: objective.map(str::to_owned),
        phase_status: PhaseStatus::InProgress,
        status: WorkflowStatus::Active,
        phase_started_at: Some(now.stamp.clone()),
        completed_at: None,
        next_phase: after,
        // Whoever comes back to a phase debates in it again.
        debated_before: before.debated_before.iter().filter(|known| **known != phase.id).cloned().collect(),
        answered: before.answered.iter().filter(|one| one.phase != phase.id).cloned().collect(),
        debate: DebateState::default(),
        debate_flag: flag,
        called: Vec::new(),
        completed_tasks: Vec::new(),
        pending_tasks: phase.all_tasks().map(|task| task.id.clone()).collect(),
        blocked_tasks: Vec::new(),
        current_task: phase.all_tasks().next().map(|task| task.id.clone()),
        ..before.clone()
    };
    touch(&mut state, now);
    Step { said: vec![format!("entered {}", phase.id)], ..Step::rest(state, Vec::new()) }
}

/// The documents that a phase needs and that are not there.
fn documents(snapshot: &Snapshot, phase: &Phase) -> Vec<Move> {
    let mut moves = Vec::new();
    // Where the handoff that the state names says another workflow, the state's id is in doubt: nothing makes room for it.
    let before = snapshot.definition.before(&phase.id).map(|before| handoff::path(&before.id, &phase.id));
    if snapshot.traces.others.iter().any(|one| one.holds && Some(&one.file) == before.as_ref()) {
        return moves;
    }
    if snapshot.document.is_none() && phase.entry_actions.contains(&EntryAction::CreatePhaseDocument) {
        let mut todo = handoff::todo(phase);
        for open in snapshot.handoff.iter().flat_map(|handoff| &handoff.todo).filter(|one| !one.ticked) {
            if !todo.iter().any(|known| todo::key(known) == todo::key(&open.text)) {
                todo.push(open.text.clone());
            }
        }
        moves.push(Move::CreateDocument { phase: phase.id.clone(), todo });
    }
    let wants_options = phase.entry_actions.contains(&EntryAction::CreateOptionsDocument);
    if wants_options && phase.debate.options_document.is_some() && !snapshot.options.there {
        moves.push(Move::CreateOptions { phase: phase.id.clone() });
    }
    moves
}

fn work(snapshot: &Snapshot, phase: &Phase, now: &Now) -> Step {
    let call = debate_call(snapshot, phase);
    // First what every decision rests on.
    let again: Vec<&Gone> = snapshot.gone.iter().filter(|gone| gone.is_made_again()).collect();
    if !again.is_empty() {
        let mut said: Vec<String> = again.iter().flat_map(|gone| gone.told()).collect();
        // A workflow that began here had them all.
        let is_ours =
            snapshot.definition.phases.first().is_some_and(|first| snapshot.traces.said.done.contains(&first.id));
        let blank: Vec<&str> =
            again.iter().filter(|one| one.again == Again::Empty).map(|one| one.file.as_str()).collect();
        if is_ours && !blank.is_empty() {
            let files = blank.join(" ");
            said.push(format!(
                "what stood there before is not on record; if it was committed: git checkout -- {files}"
            ));
        }
        let moves = again.into_iter().map(|gone| Move::MakeAgain(Box::new(gone.clone()))).collect();
        return Step { moves, said, call: Some(call), ..Step::rest(snapshot.state.clone(), not_understood(snapshot)) };
    }
    if !snapshot.unwritten.is_empty() {
        let (said, moves) = (said_of_unwritten(&snapshot.unwritten), vec![Move::Learn(snapshot.unwritten.clone())]);
        return Step { moves, said, call: Some(call), ..Step::rest(snapshot.state.clone(), not_understood(snapshot)) };
    }
    let moves = documents(snapshot, phase);
    if !moves.is_empty() {
        let mut state = snapshot.state.clone();
        touch(&mut state, now);
        return Step { moves, call: Some(call), ..Step::rest(state, not_understood(snapshot)) };
    }
    let gate = gate::gate(snapshot, phase, &call, now);
    let mut step = match gate {
        Gate::Step(step) => *step,
        Gate::Held(blockers) => held(snapshot, phase, &call, blockers, now),
        Gate::Open => open(snapshot, phase, &call, now),
    };
    step.call = Some(call);
    step
}

/// What is said when decisions are written down that stand already.
fn said_of_unwritten(unwritten: &Findings) -> Vec<String> {
    let (others, lost): (Vec<_>, Vec<_>) =
        unwritten.decisions.iter().cloned().partition(|one| extract::taken_from(one).is_some());
    let from = others.iter().filter_map(extract::taken_from).collect::<Vec<_>>().join(", ");
    let file = Kind::Decision.file();
    let written_back = |one: &Decision| {
        let debate = one.debate.as_deref().unwrap_or_default();
        format!("{} ({}) had no entry in {file} any more; written back from the debate {debate}", one.id, one.title)
    };
    let said = lost.iter().map(written_back);
    said.chain(said_of(&Findings { decisions: others, ..unwritten.clone() }, &from)).collect()
}

/// The phase is held at its gate; what else is open is said too.
fn held(snapshot: &Snapshot, phase: &Phase, call: &Call, blockers: Vec<Blocker>, now: &Now) -> Step {
    let todo = todo::list(snapshot, phase, call);
    let at_gate = blockers.iter().any(|blocker| blocker.kind.is_gate());
    let mut state = with_progress(&snapshot.state, phase, &todo);
    state.called = gate::called(snapshot, phase, &snapshot.state.answered);
    state.debate = debate_state(snapshot, phase, false);
    state.phase_status = if at_gate { PhaseStatus::Blocked } else { PhaseStatus::InProgress };
    state.status = WorkflowStatus::Active;
    reopen(&mut state, phase);
    settle(&mut state, &snapshot.state, now);
    let mut all = blockers;
    // The missing options are named already, with what to do about them.
    let said = |blocker: &Blocker| blocker.kind == BlockerKind::Todo && blocker.file == snapshot.options.path;
    let names_options = all.iter().any(|blocker| blocker.kind == BlockerKind::Options);
    all.extend(
        unfinished(snapshot, phase, &todo)
            .into_iter()
            .filter(|one| !(names_options && said(one) && one.line.is_none())),
    );
    Step { todo, ..Step::rest(state, all) }
}

/// The gate is passed or there is none: the phase is left if its work is done.
fn open(snapshot: &Snapshot, phase: &Phase, call: &Call, now: &Now) -> Step {
    let todo = todo::list(snapshot, phase, call);
    let by_hand = blocked_by_hand(snapshot, phase, call);
    let is_blocked = by_hand.is_some();
    let strangers = snapshot.traces.strangers.iter().map(gate::rests_on_a_stranger);
    let blockers: Vec<Blocker> =
        by_hand.into_iter().chain(strangers).chain(unfinished(snapshot, phase, &todo)).collect();
    let mut state = with_progress(&snapshot.state, phase, &todo);
    state.phase_status = if is_blocked { PhaseStatus::Blocked } else { PhaseStatus::InProgress };
    state.status = WorkflowStatus::Active;
    state.debate = debate_state(snapshot, phase, call.debate);
    match snapshot.debate.there().filter(|_| call.debate) {
        Some(debate) if debate.rehearsal => add(&mut state.rehearsed_phases, &phase.id),
        // A real debate after a rehearsal: the gate was passed by it.
        Some(_) if state.reopened_decision.is_none() => state.rehearsed_phases.retain(|known| *known != phase.id),
        _ => {}
    }
    // Said and taken back is not skipped; what was skipped stays on record when what called for it is settled by that.
    if call.skipped.is_some() || snapshot.state.debate_flag != DebateFlag::Skipped {
        state.skipped_debates.retain(|(skipped, _)| *skipped != phase.id);
    }
    state.skipped_debates.extend(call.skipped.iter().map(|why| (phase.id.clone(), why.clone())));
    if call.debate
        && let Some(decision) = state.reopened_decision.take()
    {
        // What its debate left is answered by it, whichever phase it is in.
        let matters = snapshot.debate.there().map(gate::debate_answers);
        gate::note(&mut state.answered, matters.unwrap_or_default(), &decision);
        // The decision is debated anew and done with; the phase goes back to its own debate, if it had one.
        let own = state.debates.iter().rev().find(|(owner, _)| *owner == phase.id).map(|(_, id)| id.clone());
        state.debate = DebateState { phase: own.as_ref().map(|_| phase.id.clone()), id: own, ..DebateState::default() };
        touch(&mut state, now);
        return Step { moves: vec![Move::KeepSnapshot], todo, ..Step::rest(state, Vec::new()) };
    }
    answer(snapshot, phase, call, &mut state);
    state.called = match call.skipped {
        Some(_) => Vec::new(),
        None => gate::called(snapshot, phase, &state.answered),
    };
    if !blockers.is_empty() || state.answered != snapshot.state.answered {
        // What was answered is on disk before the phase is left: a copy of the state file must not lack it.
        if !blockers.is_empty() {
            reopen(&mut state, phase);
        }
        settle(&mut state, &snapshot.state, now);
        return Step { todo, ..Step::rest(state, blockers) };
    }
    let news = snapshot.knowledge.news(&recordable(snapshot, call));
    if !news.is_empty() {
        let said = said_of(&news, &phase.document());
        return Step { moves: vec![Move::Learn(news)], said, todo, ..Step::rest(snapshot.state.clone(), Vec::new()) };
    }
    leave(snapshot, phase, state, todo, now)
}

/// The phase is called blocked, and no debate explains it: somebody wrote that, and says when it is over.
fn blocked_by_hand(snapshot: &Snapshot, phase: &Phase, call: &Call) -> Option<Blocker> {
    let (state, id) = (&snapshot.state, &phase.id);
    let is_ours = call.debate || state.debate.id.is_some() || state.debate_flag == DebateFlag::Skipped;
    (state.phase_status == PhaseStatus::Blocked && !is_ours).then(|| Blocker {
        kind: BlockerKind::State,
        file: STATE_FILE.to_owned(),
        line: snapshot.traces.line_of("phase_status"),
        fact: fact!(
            "blocked_by_hand",
            "it says blocked, and no debate is waited for, so somebody wrote it; `forge enter {id}` goes on when it is over",
            phase = id
        ),
    })
}

/// A phase that is held is not completed, whoever wrote that it is.
fn reopen(state: &mut State, phase: &Phase) {
    state.completed_at = None;
    state.completed_phases.retain(|done| *done != phase.id);
}

/// Notes what the phase's debate answered when it was passed, or was left on record without one.
fn answer(snapshot: &Snapshot, phase: &Phase, call: &Call, state: &mut State) {
    let matters = match snapshot.debate.there().filter(|_| call.debate) {
        Some(debate) => gate::debate_answers(debate),
        None if call.skipped.is_some() => {
            state.answered.retain(|one| one.phase != phase.id);
            gate::left_out(snapshot, phase, &state.answered)
        }
        None => return state.answered.retain(|one| one.phase != phase.id),
    };
    gate::note(&mut state.answered, matters, &phase.id);
}

/// What the document adds to what is known. A decision that speaks against a locked one is recorded only where its debate was
/// left out on record, and then it says what it supersedes; a rehearsal settles nothing.
fn recordable(snapshot: &Snapshot, call: &Call) -> Findings {
    let mut findings = snapshot.document_findings.clone();
    // A risk that the phase's debate was about stands as that left it.
    let is_answered = |risk: &Risk| {
        let of_phase = snapshot.state.answered.iter().filter(|one| one.phase == snapshot.state.phase);
        let known = snapshot.knowledge.risks.iter().any(|known| says_the_same(&known.text, &risk.text));
        known && of_phase.into_iter().any(|one| risk.source.as_ref() == Some(&one.matter))
    };
    findings.risks.retain(|risk| !is_answered(risk));
    let contradictions = snapshot.contradictions();
    let before = snapshot.earlier.iter().flat_map(|one| &one.findings.decisions);
    let is_against = |one: &&Decision| one.source.is_some() && contradictions.iter().any(|it| it.source == one.source);
    findings.decisions.extend(before.filter(is_against).cloned());
    for one in contradictions {
        // A constraint takes no decision's place.
        findings.constraints.retain(|constraint| constraint.source.is_none() || constraint.source != one.source);
        let Some(at) = findings.decisions.iter().position(|decision| decision.source == one.source) else { continue };
        if call.skipped.is_none() {
            findings.decisions.remove(at);
        } else if let Some(decision) = findings.decisions.get_mut(at)
            && !decision.supersedes.contains(&one.decision)
        {
            decision.supersedes.push(one.decision);
        }
    }
    findings
}

/// The phase is done.
fn leave(snapshot: &Snapshot, phase: &Phase, mut state: State, todo: Vec<Todo>, now: &Now) -> Step {
    state.phase_status = PhaseStatus::Completed;
    state.completed_at = Some(now.stamp.clone());
    add(&mut state.completed_phases, &phase.id);
    touch(&mut state, now);
    // What the documents say is the state as it will be, not as it was.
    let told = Snapshot { state: state.clone(), ..snapshot.clone() };
    let mut moves = vec![Move::KeepSnapshot];
    if handoff::leaves_outcome(&told, phase) {
        moves.push(Move::WriteOutcome(Box::new(outcome(&told, phase, now))));
    }
    let following = snapshot.definition.after(&phase.id);
    if let Some(following) = following {
        moves.push(Move::WriteHandoff(Box::new(handoff::compose(&told, phase, following, &now.stamp))));
    }
    let is_skipped = state.debate_flag == DebateFlag::Skipped;
    let is_constraint = |source: &Option<String>| {
        source.is_some() && snapshot.document_findings.constraints.iter().any(|one| one.source == *source)
    };
    let mut said: Vec<String> = Vec::new();
    for one in snapshot.contradictions() {
        let (file, line, decision) = (&one.file, one.line, &one.decision);
        let why = match is_constraint(&one.source) {
            true if is_skipped => {
                format!("a constraint takes no decision's place: write `(supersedes {decision})` behind a decision")
            }
            _ if is_skipped => continue,
            _ => "a rehearsal settles nothing".to_owned(),
        };
        said.push(format!("{file}:{line}: not recorded: it contradicts {decision}, and {why}"));
    }
    said.push(format!("completed {}", phase.id));
    if let Some(following) = following {
        said.push(format!("handed over in {}", handoff::path(&phase.id, &following.id)));
    }
    Step { moves, said, todo, ..Step::rest(state, Vec::new()) }
}

/// The last phase is done.
fn finish(snapshot: &Snapshot, now: &Now) -> Step {
    let mut state = snapshot.state.clone();
    state.status = WorkflowStatus::Completed;
    state.next_phase = None;
    touch(&mut state, now);
    let said = vec![format!(
        "{} is complete; its record is .claude/forge/archive/workflow-{}.md",
        state.workflow_id, state.workflow_id
    )];
    Step { moves: vec![Move::KeepSnapshot, Move::Archive], said, ..Step::rest(state, Vec::new()) }
}

fn outcome(snapshot: &Snapshot, phase: &Phase, now: &Now) -> PhaseOutcome {
    let state = &snapshot.state;
    let decisions = handoff::taken(snapshot, phase);
    PhaseOutcome {
        phase: (phase.id.clone(), phase.name.clone()),
        path: phase.outcome_document(),
        document: phase.document(),
        workflow_id: state.workflow_id.clone(),
        objective: state.current_objective().to_owned(),
        completed_at: now.stamp.clone(),
        debate: handoff::decided_by(snapshot).map(|one| (one.id.clone(), one.plan_file.clone(), one.decided.clone())),
        decisions: decisions.map(|one| (one.id.clone(), one.title.clone(), one.rationale.clone())).collect(),
        warnings: handoff::warnings(snapshot, phase),
    }
}

fn debate_state(snapshot: &Snapshot, phase: &Phase, passed: bool) -> DebateState {
    match snapshot.debate.there() {
        Some(debate) => DebateState {
            id: Some(debate.id.clone()),
            phase: Some(phase.id.clone()),
            status: debate.status,
            gate_passed: passed,
        },
        None => DebateState { status: DebateStatus::None, gate_passed: false, ..snapshot.state.debate.clone() },
    }
}

fn with_progress(state: &State, phase: &Phase, todo: &[Todo]) -> State {
    let done = |id: &str| todo.iter().any(|one| one.task.as_deref() == Some(id) && one.done);
    let blocked = |id: &str| state.blocked_tasks.iter().any(|(task, _)| task == id);
    // Others put tasks of their own into the state file.
    let is_own = |id: &String| phase.all_tasks().any(|task| task.id == *id);
    let others = todo.iter().filter_map(|one| one.task.clone()).filter(|id| !is_own(id));
    let ids: Vec<String> = phase.all_tasks().map(|task| task.id.clone()).chain(others).collect();
    let pending: Vec<String> = ids.iter().filter(|id| !done(id) && !blocked(id)).cloned().collect();
    let mut completed: Vec<String> = ids.into_iter().filter(|id| done(id)).collect();
    completed.extend(state.completed_tasks.iter().filter(|id| !is_own(id)).cloned());
    State {
        completed_tasks: completed,
        current_task: pending.first().cloned(),
        pending_tasks: pending,
        ..state.clone()
    }
}

/// Marks a state as written now, where it says something new.
fn settle(state: &mut State, before: &State, now: &Now) {
    if !state.says_the_same(before) {
        touch(state, now);
    }
}

/// Marks a state as written now. A clock that went backwards does not take the workflow with it.
pub fn touch(state: &mut State, now: &Now) {
    if now.stamp > state.last_updated {
        state.last_updated.clone_from(&now.stamp);
    }
    state.revision += 1;
}

fn add(list: &mut Vec<String>, one: &str) {
    if !list.iter().any(|known| known == one) {
        list.push(one.to_owned());
    }
}
