//! What comes next. A pure function of what stands on disk; the engine applies its moves and asks again until there are
//! none.
//!
//! Promises: never passes a phase whose gate is called for and not passed; moves forward only; the same snapshot gives
//! the same step; where there is nothing to do it says what is waited for.
//!
//! If the process dies between two moves: every move may be made again, the state file is written last, and the next
//! call of `forge continue` starts over from what is there.

use crate::definition::{EntryAction, ExitCriterion, Phase};
use crate::handoff::{self, Handoff};
use crate::knowledge::{Findings, Kind};
use crate::snapshot::{ArtifactStanding, DebateRead, DebateThere, Document, Framing, Now, Snapshot};
use crate::state::{DebateFlag, DebateState, DebateStatus, PhaseStatus, State, WorkflowStatus};
use crate::todo::{self, Todo};
use crate::trigger::{self, Call, Facts};
use forge_debate::form::is_placeholder;
use forge_debate::plan::{Choice, OPTIONS_LIMIT};
use forge_debate::protocols;
use forge_debate::turn::title_matches;
use forge_debate::verdict::{Gravity, Outcome};

/// One thing to be done. Each may be done again without harm.
#[derive(Debug, Clone, PartialEq)]
pub enum Move {
    /// Keep a copy of the state file as it is.
    KeepSnapshot,
    /// Make the phase's working document, if it is not there.
    CreateDocument {
        /// The phase.
        phase: String,
        /// The boxes of its TODO list.
        todo: Vec<String>,
    },
    /// Make the phase's options document, if it is not there.
    CreateOptions {
        /// The phase.
        phase: String,
    },
    /// Make the debate's plan. The state then names the debate.
    PlanDebate(DebateOrder),
    /// Add to what is known.
    Learn(Findings),
    /// Write what came of a phase.
    WriteOutcome(Box<PhaseOutcome>),
    /// Write the handoff, if it is not there.
    WriteHandoff(Box<Handoff>),
    /// Write the workflow's record into the archive.
    Archive,
}

/// A debate to be planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebateOrder {
    /// The phase during which it is held.
    pub phase: String,
    /// What it is held for: the phase, or the decision that is reopened.
    pub owner: String,
    /// The protocol.
    pub protocol: String,
    /// What is to be decided.
    pub question: String,
    /// The options; none where a framer is to propose them.
    pub options: Vec<Choice>,
    /// What tells it apart from every other debate: one debate per occasion.
    pub occasion: String,
}

/// What came of a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseOutcome {
    /// The phase: id and name.
    pub phase: (String, String),
    /// Where to.
    pub path: String,
    /// Its working document.
    pub document: String,
    /// The workflow.
    pub workflow_id: String,
    /// What the phase was for.
    pub objective: String,
    /// When it was completed.
    pub completed_at: String,
    /// The debate, where there was one: id, plan file, what was decided.
    pub debate: Option<(String, String, Vec<String>)>,
    /// Decisions taken in it: id, title, rationale.
    pub decisions: Vec<(String, String, String)>,
    /// What a reader must know first.
    pub warnings: Vec<String>,
}

/// What holds a phase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocker {
    /// What kind of thing.
    pub kind: BlockerKind,
    /// The file that it is about.
    pub file: String,
    /// The line, where there is one.
    pub line: Option<usize>,
    /// What is missing, and what to do.
    pub text: String,
}

/// Kinds of blockers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockerKind {
    /// A box that is not ticked, a task that is not done.
    Todo,
    /// A task that somebody marked as blocked.
    Task,
    /// A file that is not there, or says nothing.
    Artifact,
    /// A section that is not written.
    Section,
    /// Too few options to debate.
    Options,
    /// The gate.
    Gate,
    /// The seats do not agree, and a person must decide.
    Person,
    /// Too few seats spoke.
    Insufficient,
    /// The state cannot be acted on.
    State,
}

impl BlockerKind {
    /// Whether the phase is held at its gate by it, rather than merely worked on.
    pub fn is_gate(self) -> bool {
        matches!(self, BlockerKind::Gate | BlockerKind::Person | BlockerKind::Insufficient)
    }

    /// The word for machines.
    pub fn word(self) -> &'static str {
        match self {
            BlockerKind::Todo => "todo",
            BlockerKind::Task => "blocked_task",
            BlockerKind::Artifact => "artifact",
            BlockerKind::Section => "section",
            BlockerKind::Options => "options",
            BlockerKind::Gate => "gate",
            BlockerKind::Person => "person",
            BlockerKind::Insufficient => "insufficient",
            BlockerKind::State => "state",
        }
    }
}

/// What is to be done, and what the state is to say then.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The moves, in order.
    pub moves: Vec<Move>,
    /// The state afterwards. Written last, and only if it says something else than before.
    pub state: State,
    /// What holds the phase.
    pub blockers: Vec<Blocker>,
    /// Whether the phase debates, and why.
    pub call: Option<Call>,
    /// What is to be done in the phase.
    pub todo: Vec<Todo>,
    /// What happened, in words.
    pub said: Vec<String>,
}

impl Step {
    /// Nothing to be done.
    fn rest(state: State, blockers: Vec<Blocker>) -> Self {
        Self { moves: Vec::new(), state, blockers, call: None, todo: Vec::new(), said: Vec::new() }
    }
}

/// What comes next.
pub fn next(snapshot: &Snapshot, now: &Now) -> Step {
    let state = &snapshot.state;
    if !state.is_open() {
        return Step::rest(state.clone(), Vec::new());
    }
    let Some(phase) = snapshot.definition.phase(&state.phase) else {
        let near = snapshot.definition.nearest(&state.phase);
        let hint = near.map_or_else(|| ".".to_owned(), |near| format!("; did it mean {near:?}?"));
        let text = format!(
            "the state says phase {:?}, which this workflow does not have{hint} Go on elsewhere with `forge continue --phase PHASE`",
            state.phase
        );
        let blocker = Blocker { kind: BlockerKind::State, file: STATE_FILE.to_owned(), line: None, text };
        return Step::rest(state.clone(), vec![blocker]);
    };
    match state.phase_status {
        PhaseStatus::Completed => match snapshot.definition.after(&phase.id) {
            Some(following) => enter(snapshot, following, None, DebateFlag::Unsaid, now),
            None => finish(snapshot, now),
        },
        PhaseStatus::Pending | PhaseStatus::InProgress | PhaseStatus::Blocked => work(snapshot, phase, now),
    }
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
        debate: DebateState::default(),
        debate_flag: flag,
        completed_tasks: Vec::new(),
        pending_tasks: phase.tasks.iter().map(|task| task.id.clone()).collect(),
        blocked_tasks: Vec::new(),
        current_task: phase.tasks.first().map(|task| task.id.clone()),
        ..before.clone()
    };
    touch(&mut state, now);
    Step { said: vec![format!("entered {}", phase.id)], ..Step::rest(state, Vec::new()) }
}

/// The documents that a phase needs and that are not there.
fn documents(snapshot: &Snapshot, phase: &Phase) -> Vec<Move> {
    let mut moves = Vec::new();
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
    let moves = documents(snapshot, phase);
    if !moves.is_empty() {
        let mut state = snapshot.state.clone();
        touch(&mut state, now);
        return Step { moves, ..Step::rest(state, Vec::new()) };
    }
    let call = debate_call(snapshot, phase);
    let gate = gate(snapshot, phase, &call, now);
    let mut step = match gate {
        Gate::Step(step) => *step,
        Gate::Held(blockers) => held(snapshot, phase, &call, blockers, now),
        Gate::Open => open(snapshot, phase, &call, now),
    };
    step.call = Some(call);
    step
}

/// What the gate says.
enum Gate {
    /// Something is to be done about the debate first.
    Step(Box<Step>),
    /// It holds.
    Held(Vec<Blocker>),
    /// It is passed, or there is none.
    Open,
}

/// Whether the current phase debates, by everything that stands on disk.
pub fn debate_call(snapshot: &Snapshot, phase: &Phase) -> Call {
    let none = Document::default();
    let document = snapshot.document.as_ref().unwrap_or(&none);
    let facts = Facts {
        flag: snapshot.state.debate_flag,
        components: document.components.len(),
        challenges: &document.challenges,
        knowledge: &snapshot.knowledge,
        escalations: snapshot.handoff.as_ref().map_or(&[], |handoff| handoff.escalations.as_slice()),
    };
    let call = trigger::call(phase, &snapshot.definition.debates, &facts);
    // A kill-switch that tripped is answered by a debate, whatever the phase says; skipping that one is told as well.
    if let Some(decision) = &snapshot.state.reopened_decision {
        let why = format!("the kill-switch of {decision} tripped");
        if facts.flag != DebateFlag::Skipped {
            return Call { debate: true, why: format!("{}: {why}", phase.id), skipped: None };
        }
        let skipped = call.skipped.map_or_else(|| why.clone(), |own| format!("{why}; {own}"));
        return Call { debate: false, why: call.why, skipped: Some(skipped) };
    }
    // Once planned it is held: editing the document afterwards does not unask the question.
    if !call.debate && facts.flag == DebateFlag::Unsaid && snapshot.state.debate.id.is_some() {
        return Call { debate: true, why: format!("{}: its debate is planned already", phase.id), skipped: None };
    }
    call
}

fn gate(snapshot: &Snapshot, phase: &Phase, call: &Call, now: &Now) -> Gate {
    if !call.debate {
        return Gate::Open;
    }
    let blocked =
        |kind, file: &str, line, text: String| Gate::Held(vec![Blocker { kind, file: file.to_owned(), line, text }]);
    match &snapshot.debate {
        DebateRead::None => plan_debate(snapshot, phase, now),
        DebateRead::Gone { id } => {
            let mut state = snapshot.state.clone();
            state.debate = DebateState::default();
            state.debates.retain(|(_, known)| known != id);
            touch(&mut state, now);
            let said = vec![format!("the debate {id} is gone from the disk; its plan is made anew")];
            Gate::Step(Box::new(Step { moves: vec![Move::KeepSnapshot], said, ..Step::rest(state, Vec::new()) }))
        }
        DebateRead::Damaged { id, problem } => blocked(
            BlockerKind::Gate,
            STATE_FILE,
            None,
            format!("the debate {id} cannot be read: {problem}. Mend it, or plan another with `forge {} --debate`", phase.id),
        ),
        DebateRead::There(debate) if !debate.passed => Gate::Held(findings(debate)),
        DebateRead::There(debate) if !snapshot.accepts(debate) => {
            blocked(
                BlockerKind::Gate,
                &debate.plan_file,
                None,
                "this was a rehearsal, and a rehearsal passes no gate; `forge continue --allow-rehearsal` lets it pass, says so in the handoff, and writes no knowledge".to_owned(),
            )
        }
        DebateRead::There(debate) => {
            let news = snapshot.knowledge.news(&debate.knowledge);
            if news.is_empty() {
                return Gate::Open;
            }
            let said = said_of(&news, &debate.id);
            let step = Step { moves: vec![Move::Learn(news)], said, ..Step::rest(snapshot.state.clone(), Vec::new()) };
            Gate::Step(Box::new(step))
        }
    }
}

fn plan_debate(snapshot: &Snapshot, phase: &Phase, now: &Now) -> Gate {
    let state = &snapshot.state;
    let (owner, question, protocol, options) = match &snapshot.reopened {
        Some(again) => (&again.decision, again.question.as_str(), &again.protocol, &again.options),
        None => (&phase.id, state.current_objective(), &phase.debate.protocol, &snapshot.options.options),
    };
    let fewest = fewest_options(protocol);
    let enough = options.len() >= fewest;
    if !enough && snapshot.framing == Framing::ByPeople {
        let text = format!(
            "{} option{} listed; a debate of the protocol {protocol} needs {fewest}. List them below a heading \"Options\" as `- Name: description`, or let an agent propose them: `forge continue --agent AGENT`",
            options.len(),
            if options.len() == 1 { "" } else { "s" },
        );
        let file = snapshot.options.path.clone();
        return Gate::Held(vec![Blocker { kind: BlockerKind::Options, file, line: snapshot.options.line, text }]);
    }
    if options.len() > OPTIONS_LIMIT {
        let text = format!("{} options listed; at most {OPTIONS_LIMIT} can be debated", options.len());
        let file = snapshot.options.path.clone();
        return Gate::Held(vec![Blocker { kind: BlockerKind::Options, file, line: snapshot.options.line, text }]);
    }
    let held = state.debates.iter().filter(|(known, _)| known == owner).count();
    let order = DebateOrder {
        phase: phase.id.clone(),
        owner: owner.clone(),
        protocol: protocol.clone(),
        question: question.to_owned(),
        options: if enough { options.clone() } else { Vec::new() },
        occasion: format!("{}/{owner}/{held}", state.workflow_id),
    };
    let mut state = state.clone();
    touch(&mut state, now);
    Gate::Step(Box::new(Step { moves: vec![Move::PlanDebate(order)], ..Step::rest(state, Vec::new()) }))
}

/// How many options a debate of a protocol needs at least.
pub fn fewest_options(protocol: &str) -> usize {
    protocols::newest(protocol).map_or(2, |protocol| protocol.fewest_options())
}

fn findings(debate: &DebateThere) -> Vec<Blocker> {
    let kind = match debate.outcome {
        Some(outcome) if outcome.needs_a_person() => BlockerKind::Person,
        Some(Outcome::Insufficient) => BlockerKind::Insufficient,
        _ => BlockerKind::Gate,
    };
    let mut blockers: Vec<Blocker> = debate
        .findings
        .iter()
        .filter(|finding| finding.gravity == Gravity::Blocks)
        .map(|finding| Blocker { kind, file: finding.file.clone(), line: finding.line, text: finding.text.clone() })
        .collect();
    if blockers.is_empty() {
        let text = format!("the debate {} has no verdict that passes its gate", debate.id);
        blockers.push(Blocker { kind, file: debate.plan_file.clone(), line: None, text });
    }
    blockers
}

fn said_of(news: &Findings, from: &str) -> Vec<String> {
    let mut said = Vec::new();
    said.extend(news.decisions.iter().map(|entry| format!("recorded {}: {} (from {from})", entry.id, entry.title)));
    said.extend(news.constraints.iter().map(|entry| format!("recorded {}: {} (from {from})", entry.id, entry.text)));
    said.extend(news.assumptions.iter().map(|entry| format!("recorded {}: {} (from {from})", entry.id, entry.text)));
    said.extend(news.risks.iter().map(|entry| format!("recorded {}: {} (from {from})", entry.id, entry.text)));
    said.extend(
        news.validations.iter().map(|entry| format!("{} {} (from {from})", entry.assumption, entry.standing.word())),
    );
    said
}

/// The phase is held at its gate; what else is open is said too.
fn held(snapshot: &Snapshot, phase: &Phase, call: &Call, blockers: Vec<Blocker>, now: &Now) -> Step {
    let todo = todo::list(snapshot, phase, call);
    let at_gate = blockers.iter().any(|blocker| blocker.kind.is_gate());
    let mut state = with_progress(&snapshot.state, phase, &todo);
    state.debate = debate_state(snapshot, phase, false);
    (state.phase_status, state.status) = if at_gate {
        (PhaseStatus::Blocked, WorkflowStatus::Blocked)
    } else {
        (PhaseStatus::InProgress, WorkflowStatus::Active)
    };
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
    let blockers = unfinished(snapshot, phase, &todo);
    let mut state = with_progress(&snapshot.state, phase, &todo);
    state.phase_status = PhaseStatus::InProgress;
    state.status = WorkflowStatus::Active;
    state.debate = debate_state(snapshot, phase, call.debate);
    if call.debate && snapshot.debate.there().is_some_and(|debate| debate.rehearsal) {
        add(&mut state.rehearsed_phases, &phase.id);
    }
    // Said and taken back is not skipped.
    state.skipped_debates.retain(|(skipped, _)| *skipped != phase.id);
    state.skipped_debates.extend(call.skipped.iter().map(|why| (phase.id.clone(), why.clone())));
    if call.debate && state.reopened_decision.take().is_some() {
        // The decision is debated anew and done with; the phase goes back to its own debate, if it had one.
        let own = state.debates.iter().rev().find(|(owner, _)| *owner == phase.id).map(|(_, id)| id.clone());
        state.debate = DebateState { phase: own.as_ref().map(|_| phase.id.clone()), id: own, ..DebateState::default() };
        touch(&mut state, now);
        return Step { moves: vec![Move::KeepSnapshot], todo, ..Step::rest(state, Vec::new()) };
    }
    if !blockers.is_empty() {
        settle(&mut state, &snapshot.state, now);
        return Step { todo, ..Step::rest(state, blockers) };
    }
    let news = snapshot.knowledge.news(&snapshot.document_findings);
    if !news.is_empty() {
        let said = said_of(&news, &phase.document());
        return Step { moves: vec![Move::Learn(news)], said, todo, ..Step::rest(snapshot.state.clone(), Vec::new()) };
    }
    leave(snapshot, phase, state, todo, now)
}

/// The phase is done.
fn leave(snapshot: &Snapshot, phase: &Phase, mut state: State, todo: Vec<Todo>, now: &Now) -> Step {
    state.phase_status = PhaseStatus::Completed;
    state.completed_at = Some(now.stamp.clone());
    add(&mut state.completed_phases, &phase.id);
    touch(&mut state, now);
    // What the documents say is the state as it will be, not as it was.
    let told = Snapshot { state: state.clone(), ..snapshot.clone() };
    let mut moves = vec![Move::KeepSnapshot, Move::WriteOutcome(Box::new(outcome(&told, phase, now)))];
    let following = snapshot.definition.after(&phase.id);
    if let Some(following) = following {
        moves.push(Move::WriteHandoff(Box::new(handoff::compose(&told, phase, following, &now.stamp))));
    }
    let mut said = vec![format!("completed {}", phase.id)];
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
    let said = vec![format!("the workflow {} is complete; its record is in the archive", state.workflow_id)];
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

/// What is not done, the gate apart.
fn unfinished(snapshot: &Snapshot, phase: &Phase, todo: &[Todo]) -> Vec<Blocker> {
    let mut blockers = Vec::new();
    if let Some(document) = &snapshot.document {
        blockers.extend(document.problems.iter().map(|(line, problem)| Blocker {
            kind: BlockerKind::Section,
            file: document.path.clone(),
            line: Some(*line),
            text: problem.clone(),
        }));
    }
    if let Some(document) = &snapshot.document {
        let unknown = |id: &&String| !snapshot.knowledge.decisions.iter().any(|decision| decision.id == **id);
        blockers.extend(document.challenges.iter().filter(unknown).map(|id| Blocker {
            kind: BlockerKind::Section,
            file: document.path.clone(),
            line: None,
            text: format!("challenges {id}, which is not in {}", Kind::Decision.file()),
        }));
    }
    if phase.requires(ExitCriterion::NothingBlocked) {
        blockers.extend(snapshot.state.blocked_tasks.iter().map(|(task, reason)| Blocker {
            kind: BlockerKind::Task,
            file: STATE_FILE.to_owned(),
            line: None,
            text: format!("{task} is blocked: {reason}; `forge task done {task}` when it is not any more"),
        }));
    }
    if phase.requires(ExitCriterion::TodoTicked) {
        blockers.extend(todo.iter().filter(|one| !one.done && !one.is_about_the_gate()).map(|one| Blocker {
            kind: BlockerKind::Todo,
            file: one.file.clone(),
            line: one.line,
            text: one.wanted(),
        }));
    }
    if phase.requires(ExitCriterion::SectionsWritten) {
        blockers.extend(sections(snapshot, phase));
    }
    if phase.requires(ExitCriterion::ArtifactsPresent) {
        blockers.extend(snapshot.artifacts.iter().filter_map(|artifact| {
            let text = match &artifact.standing {
                ArtifactStanding::There => return None,
                ArtifactStanding::Missing => "missing".to_owned(),
                ArtifactStanding::Placeholder => "it only holds a place; write it".to_owned(),
                ArtifactStanding::Unreadable(problem) => problem.clone(),
            };
            Some(Blocker { kind: BlockerKind::Artifact, file: artifact.path.clone(), line: None, text })
        }));
    }
    blockers
}

fn sections(snapshot: &Snapshot, phase: &Phase) -> Vec<Blocker> {
    let path = phase.document();
    let blocker = |line, text| Blocker { kind: BlockerKind::Section, file: path.clone(), line, text };
    let written = snapshot.document.as_ref().map(|document| document.sections.as_slice()).unwrap_or_default();
    phase
        .sections
        .iter()
        .filter_map(|wanted| {
            let mut candidates = written.iter().filter(|section| title_matches(&section.title, wanted));
            match (candidates.clone().next(), candidates.any(|section| !is_unwritten(&section.body))) {
                (None, _) => Some(blocker(None, format!("there is no section \"## {wanted}\""))),
                (Some(section), false) => {
                    Some(blocker(Some(section.line), format!("\"{}\" is not written yet", section.title)))
                }
                (Some(_), true) => None,
            }
        })
        .collect()
}

/// Whether a body is empty or only holds places. Comments say nothing.
fn is_unwritten(body: &str) -> bool {
    without_comments(body).split("\n\n").all(is_placeholder)
}

fn without_comments(text: &str) -> String {
    let (mut kept, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("<!--")
        && let Some((_, after)) = after.split_once("-->")
    {
        kept.push_str(before);
        rest = after;
    }
    kept + rest
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
    let ids = || phase.tasks.iter().map(|task| task.id.clone());
    let pending: Vec<String> = ids().filter(|id| !done(id) && !blocked(id)).collect();
    State {
        completed_tasks: ids().filter(|id| done(id)).collect(),
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
