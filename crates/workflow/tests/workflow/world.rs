//! A disk in memory around a workflow: what people and debates leave on it, what `next` is shown of it, and what the
//! engine makes of a step. A crash is a step of which only the first writes were made.

use forge_debate::fact;
use forge_debate::plan::{Choice, Matter, letter};
use forge_debate::turn::Section;
use forge_debate::verdict::{Finding, Outcome};
use forge_workflow::definition::{
    DebateConfig, Definition, DoneWhen, EntryAction, ExitCriterion, FileRead, Phase, PhaseDebate, Task, Trigger,
};
use forge_workflow::evidence::{Sign, SignKind};
use forge_workflow::extract;
use forge_workflow::handoff::{self, Handoff};
use forge_workflow::knowledge::{Assumption, Constraint, Decision, Findings, Knowledge, Risk};
use forge_workflow::next::{Blocker, BlockerKind, DebateOrder, Move, PhaseOutcome, Step, next};
use forge_workflow::snapshot::{
    Artifact, ArtifactStanding, Checkbox, DebateRead, DebateThere, Document, Framing, HandoffRead, Now, OptionsRead,
    Overturned, Rehearsals, Reopened, SaidHere, Snapshot, Traces,
};
use forge_workflow::state::{DebateFlag, DebateState, DebateStatus, State};
use std::collections::BTreeMap;

/// What the workflow of these tests is for.
pub(crate) const OBJECTIVE: &str = "Keep logins across deploys";
pub(crate) const WORKFLOW: &str = "forge-20260127-143022";
/// The line of the first box of a document, and of the first one of a handoff.
pub(crate) const DOCUMENT_BOXES: usize = 20;
pub(crate) const HANDOFF_BOXES: usize = 40;
/// The line of the first section of a document.
pub(crate) const SECTIONS: usize = 30;
/// The line of the heading above the options.
pub(crate) const OPTIONS_LINE: usize = 7;

/// A phase with nothing in it, which wants everything done before it is left.
pub(crate) fn phase(id: &str) -> Phase {
    let mut name = id.to_owned();
    name[..1].make_ascii_uppercase();
    Phase {
        id: id.to_owned(),
        name,
        description: String::new(),
        tasks: Vec::new(),
        entry_actions: vec![EntryAction::ReadHandoff, EntryAction::LoadKnowledge, EntryAction::CreatePhaseDocument],
        entry_notes: Vec::new(),
        artifacts: Vec::new(),
        sections: Vec::new(),
        exit_criteria: ExitCriterion::ALL.to_vec(),
        checklist: Vec::new(),
        by_forge: Vec::new(),
        debate: PhaseDebate {
            enabled: false,
            trigger: None,
            protocol: "gate".to_owned(),
            options_document: None,
            occasions: Vec::new(),
        },
    }
}

/// A phase with a trigger of its own.
pub(crate) fn debating(id: &str, trigger: Trigger) -> Phase {
    let debate = PhaseDebate { enabled: true, trigger: Some(trigger), ..phase(id).debate };
    Phase { debate, ..phase(id) }
}

pub(crate) fn task(id: &str, title: &str, done_when: DoneWhen) -> Task {
    Task { id: id.to_owned(), title: title.to_owned(), done_when }
}

/// A box that a project's exit criteria ask for.
pub(crate) fn check(title: &str) -> Task {
    task("check-01", title, DoneWhen::Ticked)
}

pub(crate) fn definition(phases: Vec<Phase>) -> Definition {
    Definition { name: "tests".to_owned(), phases, debates: DebateConfig::default(), file: FileRead::default() }
}

/// The ten phases in shape: the triggers, how tasks are done, how many sections.
pub(crate) fn ten() -> Definition {
    const ROWS: [(&str, Option<Trigger>, usize, &[&str]); 10] = [
        ("init", None, 0, &[]),
        ("brainstorm", Some(Trigger::Always), 0, &[]),
        ("research", Some(Trigger::RiskThreshold), 2, &["Findings", "Sources"]),
        ("design", Some(Trigger::MajorDecision), 2, &["Overview", "Components", "Interfaces"]),
        ("plan", Some(Trigger::ExplicitOnly), 2, &["Milestones", "Work Items"]),
        ("test", Some(Trigger::RiskThreshold), 2, &["Strategy", "Cases"]),
        ("build", None, 2, &["Log"]),
        ("validate", Some(Trigger::ExplicitOnly), 2, &["Evidence", "Open Issues"]),
        ("review", None, 2, &["Findings", "Resolution"]),
        ("learn", None, 2, &["Lessons"]),
    ];
    let phases = ROWS.map(|(id, trigger, tasks, sections)| {
        let mut one = trigger.map_or_else(|| phase(id), |trigger| debating(id, trigger));
        let ticked = |at: usize| task(&format!("task-0{at}-{id}"), &format!("Do part {at} of {id}"), DoneWhen::Ticked);
        one.tasks = (1..=tasks).map(ticked).collect();
        one.sections = sections.iter().map(|title| (*title).to_owned()).collect();
        match id {
            "init" => one.artifacts.push("docs/forge/knowledge/brief.md".to_owned()),
            "brainstorm" => {
                one.tasks = automatic();
                one.entry_actions.push(EntryAction::CreateOptionsDocument);
                one.debate.options_document = Some("docs/forge/brainstorm-options.md".to_owned());
            }
            _ => {}
        }
        one
    });
    definition(phases.to_vec())
}

/// The four tasks of brainstorm, none of which is for people to tick.
pub(crate) fn automatic() -> Vec<Task> {
    vec![
        task("task-01-explore-options", "List at least three options in the options document", DoneWhen::OptionsListed),
        task("task-02-generate-debate-plan", "Generate the debate plan", DoneWhen::DebatePlanned),
        task("task-03-wait-debate-completion", "Wait for the debate to complete", DoneWhen::GatePassed),
        task("task-04-synthesize-decision", "Record the decision in the knowledge files", DoneWhen::DecisionRecorded),
    ]
}

/// Ways to go; the last is to leave all as it is.
pub(crate) fn choices(count: usize) -> Vec<Choice> {
    let label = |at| if at > 0 && at + 1 == count { "Status quo".to_owned() } else { format!("Way {}", at + 1) };
    let choice = |at| Choice { id: letter(at), label: label(at), description: String::new() };
    (0..count).map(choice).collect()
}

pub(crate) fn ticked(text: &str, line: usize) -> Checkbox {
    Checkbox { text: text.to_owned(), ticked: true, line }
}

pub(crate) fn unticked(text: &str, line: usize) -> Checkbox {
    Checkbox { text: text.to_owned(), ticked: false, line }
}

pub(crate) fn risk(id: &str, probability: u8, impact: u8) -> Risk {
    Risk {
        id: id.to_owned(),
        text: format!("What {id} says may happen"),
        probability: Some(probability),
        impact: Some(impact),
        active: true,
        ..Risk::default()
    }
}

pub(crate) fn decision(id: &str, kill_switch: &[&str]) -> Decision {
    Decision {
        id: id.to_owned(),
        title: format!("What {id} says"),
        phase: "earlier".to_owned(),
        kill_switch: kill_switch.iter().map(|criterion| (*criterion).to_owned()).collect(),
        ..Decision::default()
    }
}

/// How far a debate has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Pending,
    Running,
    Blocked,
    Contested,
    Insufficient,
    Decided,
}

impl Standing {
    pub(crate) const ALL: [Standing; 6] = [
        Standing::Pending,
        Standing::Running,
        Standing::Blocked,
        Standing::Contested,
        Standing::Insufficient,
        Standing::Decided,
    ];

    fn outcome(self) -> Option<Outcome> {
        match self {
            Standing::Pending | Standing::Running => None,
            Standing::Blocked => Some(Outcome::Blocked),
            Standing::Contested => Some(Outcome::Contested),
            Standing::Insufficient => Some(Outcome::Insufficient),
            Standing::Decided => Some(Outcome::Decided),
        }
    }

    fn status(self) -> DebateStatus {
        match self {
            Standing::Pending => DebateStatus::Pending,
            Standing::Running | Standing::Blocked => DebateStatus::Running,
            Standing::Contested | Standing::Insufficient | Standing::Decided => DebateStatus::Complete,
        }
    }
}

/// A debate on the disk.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Debate {
    pub(crate) order: DebateOrder,
    pub(crate) standing: Standing,
    pub(crate) rehearsal: bool,
    pub(crate) damaged: bool,
}

/// Everything on the disk, who is at it, and what time it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct World {
    pub(crate) definition: Definition,
    /// The state file.
    pub(crate) state: State,
    /// Working documents by path.
    pub(crate) documents: BTreeMap<String, Document>,
    /// Handoffs by path, as people left them.
    pub(crate) handoffs: BTreeMap<String, HandoffRead>,
    /// Handoffs by path, as they were composed.
    pub(crate) composed: BTreeMap<String, Handoff>,
    /// Options by the path that lists them.
    pub(crate) options: BTreeMap<String, Vec<Choice>>,
    pub(crate) knowledge: Knowledge,
    pub(crate) artifacts: BTreeMap<String, ArtifactStanding>,
    pub(crate) debates: BTreeMap<String, Debate>,
    pub(crate) outcomes: BTreeMap<String, PhaseOutcome>,
    pub(crate) archived: bool,
    /// Debates ever made.
    pub(crate) made: usize,
    /// Snapshots ever kept.
    pub(crate) kept: usize,
    pub(crate) rehearsals: Rehearsals,
    pub(crate) framing: Framing,
    /// Minutes since the clock's beginning.
    pub(crate) minutes: u32,
}

/// What came of `forge continue`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Went {
    /// What was said on the way.
    pub(crate) said: Vec<String>,
    /// The orders for debates on the way.
    pub(crate) planned: Vec<DebateOrder>,
    /// Steps made before it came to rest.
    pub(crate) steps: usize,
    /// Where it rests.
    pub(crate) rest: Step,
}

impl Went {
    /// The blockers, in short.
    pub(crate) fn blocked(&self) -> Vec<(BlockerKind, &str)> {
        self.rest.blockers.iter().map(|blocker| (blocker.kind, blocker.fact.sentence())).collect()
    }

    pub(crate) fn kinds(&self) -> Vec<BlockerKind> {
        self.rest.blockers.iter().map(|blocker| blocker.kind).collect()
    }

    /// The only blocker.
    #[track_caller]
    pub(crate) fn blocker(&self) -> &Blocker {
        assert_eq!(self.rest.blockers.len(), 1, "{:#?}", self.rest.blockers);
        &self.rest.blockers[0]
    }
}

/// A stamp of a clock that counts minutes, in months of 28 days.
pub(crate) fn stamp(minutes: u32) -> String {
    let (day, month) = (minutes / 1440 % 28 + 1, minutes / 1440 / 28 % 12 + 1);
    let year = 2026 + minutes / 1440 / 28 / 12;
    format!("{year}-{month:02}-{day:02}T{:02}:{:02}:00Z", minutes / 60 % 24, minutes % 60)
}

impl World {
    pub(crate) fn new(definition: Definition) -> Self {
        let minutes = 600;
        let mut state = State::new(WORKFLOW, OBJECTIVE, &definition.phases[0].id, &stamp(minutes));
        state.next_phase = definition.phases.get(1).map(|next| next.id.clone());
        state.revision = 1;
        Self {
            state,
            definition,
            documents: BTreeMap::new(),
            handoffs: BTreeMap::new(),
            composed: BTreeMap::new(),
            options: BTreeMap::new(),
            knowledge: Knowledge::default(),
            artifacts: BTreeMap::new(),
            debates: BTreeMap::new(),
            outcomes: BTreeMap::new(),
            archived: false,
            made: 0,
            kept: 0,
            rehearsals: Rehearsals::Refused,
            framing: Framing::ByPeople,
            minutes,
        }
    }

    /// A world with these phases, already continued once.
    pub(crate) fn of(phases: Vec<Phase>) -> Self {
        let mut world = Self::new(definition(phases));
        world.go_on();
        world
    }

    pub(crate) fn now(&self) -> Now {
        let stamp = stamp(self.minutes);
        Now { date: stamp[..10].to_owned(), stamp }
    }

    pub(crate) fn phase(&self) -> &Phase {
        self.definition.phase(&self.state.phase).unwrap()
    }

    fn position(&self) -> Option<usize> {
        self.definition.position(&self.state.phase)
    }

    /// Where the handoff into the current phase is.
    fn handoff_path(&self) -> Option<String> {
        let before = self.definition.before(&self.state.phase)?;
        Some(handoff::path(&before.id, &self.state.phase))
    }

    /// Phases out of which a handoff leads, and those whose debate is decided.
    fn signs(&self) -> Vec<Sign> {
        let pairs = self.definition.phases.windows(2);
        let there = pairs.filter(|pair| self.handoffs.contains_key(&handoff::path(&pair[0].id, &pair[1].id)));
        let sign = |phase: &str, kind| Sign { phase: phase.to_owned(), kind, workflow: None, at: String::new() };
        let debated = self.state.debates.iter().filter(|(_, id)| self.debates.contains_key(id));
        let debates = debated.map(|(phase, _)| sign(phase, SignKind::Debate));
        there.map(|pair| sign(&pair[0].id, SignKind::Handoff)).chain(debates).collect()
    }

    /// All that the state tells was typed here.
    fn said_here(&self) -> SaidHere {
        let state = &self.state;
        let skipped = state.skipped_debates.iter().map(|(phase, _)| phase.clone());
        let answered = state.answered.iter().map(|one| one.phase.clone());
        SaidHere {
            no_debate: skipped.chain(answered).chain([state.phase.clone()]).collect(),
            rehearsed: state.rehearsed_phases.iter().cloned().chain([state.phase.clone()]).collect(),
            done: Vec::new(),
            debated: Vec::new(),
        }
    }

    // What is read.

    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot {
            gone: Vec::new(),
            definition: self.definition.clone(),
            state: self.state.clone(),
            phase_seconds: Some(5400),
            document: None,
            handoff: self.handoff_path().and_then(|path| self.handoffs.get(&path)).cloned(),
            knowledge: self.knowledge.clone(),
            unwritten: Findings::default(),
            locked_elsewhere: Vec::new(),
            earlier: Vec::new(),
            decided_here: None,
            document_findings: Findings::default(),
            settled: Vec::new(),
            accepted: Vec::new(),
            overturned: self.overturned(),
            options: OptionsRead::default(),
            artifacts: Vec::new(),
            debate: DebateRead::None,
            reopened: self.reopened(),
            traces: Traces {
                signs: self.signs(),
                said: self.said_here(),
                answers: self.state.answered.clone(),
                ..Traces::default()
            },
            rehearsals: self.rehearsals,
            framing: self.framing,
        };
        let Some(phase) = self.definition.phase(&self.state.phase) else {
            snapshot.debate = self.debate_read();
            return snapshot;
        };
        snapshot.document = self.documents.get(&phase.document()).cloned();
        if let Some(document) = &snapshot.document {
            let (workflow, date) = (&self.state.workflow_id, self.now().date);
            snapshot.document_findings = extract::from_document(workflow, &phase.id, &date, &document.sections);
        }
        let path = phase.options_document();
        let listed = self.options.get(&path);
        snapshot.options = OptionsRead {
            there: listed.is_some() || self.documents.contains_key(&path),
            line: listed.map(|_| OPTIONS_LINE),
            options: listed.cloned().unwrap_or_default(),
            path,
            ..OptionsRead::default()
        };
        snapshot.artifacts = phase
            .artifacts
            .iter()
            .map(|path| Artifact {
                path: path.clone(),
                standing: self.artifacts.get(path).cloned().unwrap_or(ArtifactStanding::Missing),
            })
            .collect();
        snapshot.debate = self.debate_read();
        snapshot
    }

    fn overturned(&self) -> Vec<Overturned> {
        let told = |(by, earlier): &(&Decision, &Decision)| Overturned {
            by: by.id.clone(),
            says_so: true,
            file: "docs/forge/knowledge/decisions.md".to_owned(),
            line: Some(9),
            decision: earlier.id.clone(),
            debate: earlier.debate.clone(),
        };
        self.knowledge.overturned_by_hand(&[]).iter().map(told).collect()
    }

    fn debate_read(&self) -> DebateRead {
        let Some(id) = self.state.debate.id.clone() else { return DebateRead::None };
        match self.debates.get(&id) {
            None => DebateRead::Gone { id },
            Some(debate) if debate.damaged => {
                DebateRead::Damaged { id, problem: "line 3 of the plan is not YAML".to_owned(), of_the_record: false }
            }
            Some(debate) => DebateRead::There(Box::new(self.there(id, debate))),
        }
    }

    fn there(&self, id: String, debate: &Debate) -> DebateThere {
        let plan_file = format!("docs/forge/debate/{id}/debate-plan.md");
        let finding = |file: String, line, text: &str| Finding::blocks(file, line, fact!("any", "{text}"));
        let at = |file: &str| format!("docs/forge/debate/{id}/{file}");
        let findings = match debate.standing {
            Standing::Pending | Standing::Decided => Vec::new(),
            Standing::Running => vec![finding(at("skeptic.md"), None, "missing")],
            Standing::Blocked => vec![finding(at("synthesis.md"), Some(31), "the kill-switch holds a place")],
            Standing::Contested => vec![finding(at("verdict.md"), None, "the seats do not agree; a person decides")],
            Standing::Insufficient => vec![finding(at("verdict.md"), None, "one seat of three spoke")],
        };
        let passed = debate.standing == Standing::Decided;
        DebateThere {
            holds: true,
            not_on_record: Vec::new(),
            protocol: &forge_debate::protocols::newest(&debate.order.protocol).unwrap().profile,
            options: debate.order.options.clone(),
            at_stake: debate.order.at_stake.clone(),
            plan_file,
            result_file: passed.then(|| at("synthesis.md")),
            status: debate.standing.status(),
            passed,
            rehearsal: debate.rehearsal,
            outcome: debate.standing.outcome(),
            decided: if passed { vec!["Way 1".to_owned()] } else { Vec::new() },
            by: None,
            confidence: passed.then(|| "high".to_owned()),
            findings,
            spoken: (0, 4),
            waiting: Vec::new(),
            origin: None,
            notes: Vec::new(),
            knowledge: if passed && !debate.rehearsal { self.learned(&id, debate) } else { Findings::default() },
            id,
        }
    }

    /// What a debate that is decided adds to what is known.
    fn learned(&self, id: &str, debate: &Debate) -> Findings {
        let named = debate.order.at_stake.iter().filter(|one| matches!(one, Matter::Decision(_)));
        let supersedes: Vec<String> = named.map(|one| one.name().to_owned()).collect();
        Findings {
            decisions: vec![Decision {
                title: format!("Way 1, by {id}"),
                rationale: "It is the simplest".to_owned(),
                phase: self.state.phase.clone(),
                debate: Some(id.to_owned()),
                date: self.now().date,
                kill_switch: vec!["More than 1% of logins fail".to_owned()],
                supersedes,
                locked: true,
                source: Some(format!("{id}#D1")),
                ..Decision::default()
            }],
            constraints: vec![Constraint {
                text: format!("Whatever {} decides holds", debate.order.owner),
                origin: format!("{id}#D1"),
                locked_by: Some(id.to_owned()),
                source: Some(format!("{id}#C1")),
                ..Constraint::default()
            }],
            assumptions: vec![Assumption {
                text: format!("{id} was told the truth"),
                source: Some(format!("{id}#A1")),
                ..Assumption::default()
            }],
            risks: vec![Risk {
                source: Some(format!("{id}#R1")),
                id: String::new(),
                ..risk(&format!("the debate {id}"), 2, 2)
            }],
            validations: Vec::new(),
        }
    }

    fn reopened(&self) -> Option<Reopened> {
        let id = self.state.reopened_decision.as_ref()?;
        let decision = self.knowledge.decisions.iter().find(|decision| decision.id == *id)?;
        let plan = decision.debate.as_ref().and_then(|debate| self.debates.get(debate));
        Some(Reopened {
            decision: id.clone(),
            question: format!("{} (reopened)", decision.title),
            protocol: "gate".to_owned(),
            options: plan.map(|plan| plan.order.options.clone()).unwrap_or_default(),
        })
    }

    // What is written.

    /// The moves of a step as single writes; the state file, which comes last, is not among them.
    pub(crate) fn writes(step: &Step) -> Vec<Move> {
        let one = |one: &Move| match one {
            Move::Learn(news) => {
                let none = Findings::default();
                vec![
                    Findings { decisions: news.decisions.clone(), ..none.clone() },
                    Findings { constraints: news.constraints.clone(), ..none.clone() },
                    Findings {
                        assumptions: news.assumptions.clone(),
                        validations: news.validations.clone(),
                        ..none.clone()
                    },
                    Findings { risks: news.risks.clone(), ..none },
                ]
                .into_iter()
                .map(Move::Learn)
                .collect()
            }
            other => vec![other.clone()],
        };
        step.moves.iter().flat_map(one).collect()
    }

    fn write(&mut self, one: &Move, state: &mut State) {
        match one {
            Move::KeepSnapshot => self.kept += 1,
            Move::CreateDocument { phase, todo } => {
                let phase = self.definition.phase(phase).unwrap().clone();
                self.documents.entry(phase.document()).or_insert_with(|| template(&phase, todo));
            }
            Move::CreateOptions { phase } => {
                let path = self.definition.phase(phase).unwrap().options_document();
                self.options.entry(path).or_default();
            }
            Move::PlanDebate(order) => {
                let debate = self.plan(order);
                let known = (order.owner.clone(), debate.clone());
                if !state.debates.contains(&known) {
                    state.debates.push(known);
                }
                state.debate = DebateState {
                    id: Some(debate),
                    phase: Some(order.phase.clone()),
                    status: DebateStatus::Pending,
                    gate_passed: false,
                };
            }
            Move::Learn(news) => {
                self.knowledge.decisions.extend(news.decisions.iter().cloned());
                self.knowledge.constraints.extend(news.constraints.iter().cloned());
                self.knowledge.assumptions.extend(news.assumptions.iter().cloned());
                self.knowledge.validations.extend(news.validations.iter().cloned());
                self.knowledge.risks.extend(news.risks.iter().cloned());
            }
            Move::WriteOutcome(outcome) => drop(self.outcomes.insert(outcome.path.clone(), (**outcome).clone())),
            Move::WriteHandoff(handoff) => self.hand_over(handoff),
            Move::MakeAgain(_) => unreachable!("nothing is gone here"),
            Move::Archive => self.archived = true,
        }
    }

    /// One occasion, one debate.
    fn plan(&mut self, order: &DebateOrder) -> String {
        if let Some((id, _)) = self.debates.iter().find(|(_, debate)| debate.order.occasion == order.occasion) {
            return id.clone();
        }
        self.made += 1;
        let id = format!("{}-{}", order.phase, self.made);
        let mut order = order.clone();
        if order.options.is_empty() {
            order.options = choices(3);
        }
        let debate = Debate { order, standing: Standing::Pending, rehearsal: false, damaged: false };
        self.debates.insert(id.clone(), debate);
        id
    }

    fn hand_over(&mut self, handoff: &Handoff) {
        let path = handoff::path(&handoff.from.0, &handoff.to.0);
        if self.handoffs.contains_key(&path) {
            return;
        }
        let boxes = |texts: &[String], first: usize| -> Vec<Checkbox> {
            texts.iter().enumerate().map(|(at, text)| unticked(text, first + at)).collect()
        };
        let todo = boxes(&handoff.todo, HANDOFF_BOXES);
        let escalations = boxes(&handoff.escalations, HANDOFF_BOXES + todo.len());
        self.handoffs
            .insert(path.clone(), HandoffRead { path: path.clone(), todo, escalations, ..HandoffRead::default() });
        self.composed.insert(path, handoff.clone());
    }

    /// Makes a step's moves and writes the state, last.
    pub(crate) fn apply(&mut self, step: &Step) {
        let mut state = step.state.clone();
        for one in Self::writes(step) {
            self.write(&one, &mut state);
        }
        if !state.says_the_same(&self.state) {
            assert!(state.revision > self.state.revision, "a state that says something new counts up");
            self.state = state;
        }
    }

    /// Makes the first writes of a step and dies: the state file is not written.
    pub(crate) fn crash(&mut self, step: &Step, writes: usize) {
        let mut lost = step.state.clone();
        for one in Self::writes(step).iter().take(writes) {
            self.write(one, &mut lost);
        }
    }

    /// What `next` says now.
    pub(crate) fn look(&self) -> Step {
        next(&self.snapshot(), &self.now())
    }

    /// `forge continue`.
    pub(crate) fn go_on(&mut self) -> Went {
        self.go_on_watched(|_, _| {})
    }

    /// `forge continue`, looking at every step before it is made.
    pub(crate) fn go_on_watched(&mut self, mut watch: impl FnMut(&World, &Step)) -> Went {
        let bound = 10 + 10 * self.definition.phases.len();
        let (mut said, mut planned) = (Vec::new(), Vec::new());
        for steps in 0..bound {
            let step = self.look();
            watch(self, &step);
            said.extend(step.said.iter().cloned());
            planned.extend(step.moves.iter().filter_map(|one| match one {
                Move::PlanDebate(order) => Some(order.clone()),
                _ => None,
            }));
            if step.moves.is_empty() && step.state.says_the_same(&self.state) {
                return Went { said, planned, steps, rest: step };
            }
            self.apply(&step);
        }
        panic!("does not settle within {bound} steps: {:#?}", self.state);
    }

    // What people do.

    /// The state as a command leaves it, which said something about the workflow.
    fn said(&mut self, change: impl FnOnce(&mut State)) {
        let mut state = self.state.clone();
        change(&mut state);
        if !state.says_the_same(&self.state) {
            state.revision += 1;
            state.last_updated = state.last_updated.max(self.now().stamp);
            self.state = state;
        }
    }

    /// The current phase's document; people make it where forge did not.
    pub(crate) fn document(&mut self) -> &mut Document {
        let phase = self.phase().clone();
        self.documents.entry(phase.document()).or_insert_with(|| template(&phase, &[]))
    }

    /// The handoff into the current phase; people make it where forge did not.
    pub(crate) fn handoff(&mut self) -> &mut HandoffRead {
        let path = self.handoff_path().unwrap();
        self.handoffs.entry(path.clone()).or_insert_with(|| HandoffRead { path, ..HandoffRead::default() })
    }

    /// What forge composed for the handoff into the current phase.
    pub(crate) fn composed(&self) -> &Handoff {
        &self.composed[&self.handoff_path().unwrap()]
    }

    /// Ticks or unticks the boxes of the document whose text begins like this.
    #[track_caller]
    pub(crate) fn set_box(&mut self, begins: &str, to: bool) {
        let found: Vec<_> = self.document().todo.iter_mut().filter(|one| one.text.starts_with(begins)).collect();
        assert!(!found.is_empty(), "no box {begins:?}");
        found.into_iter().for_each(|one| one.ticked = to);
    }

    #[track_caller]
    pub(crate) fn tick(&mut self, begins: &str) {
        self.set_box(begins, true);
    }

    pub(crate) fn add_box(&mut self, text: &str) {
        let document = self.document();
        let line = DOCUMENT_BOXES + document.todo.len();
        document.todo.push(unticked(text, line));
    }

    /// Writes a section, anew or over what it said.
    pub(crate) fn write_section(&mut self, title: &str, body: &str) {
        let sections = &mut self.document().sections;
        match sections.iter_mut().find(|section| section.title == title) {
            Some(section) => section.body = body.to_owned(),
            None => {
                let line = SECTIONS + sections.len();
                sections.push(Section { title: title.to_owned(), body: body.to_owned(), line, body_line: line + 1 });
            }
        }
    }

    pub(crate) fn list_options(&mut self, count: usize) {
        let path = self.phase().options_document();
        self.options.insert(path, choices(count));
    }

    pub(crate) fn components(&mut self, count: usize) {
        self.document().components = (1..=count).map(|at| format!("part {at}")).collect();
    }

    pub(crate) fn challenge(&mut self, id: &str) {
        self.document().challenges.push(id.to_owned());
    }

    /// Everything that people can do in a phase, the gate apart.
    pub(crate) fn do_the_work(&mut self) {
        let phase = self.phase().clone();
        for section in &phase.sections {
            self.write_section(section, "All of it.");
        }
        if self.documents.contains_key(&phase.document()) {
            self.document().todo.iter_mut().for_each(|one| one.ticked = true);
        }
        if self.position() != Some(0) {
            self.handoff().todo.iter_mut().for_each(|one| one.ticked = true);
        }
        for artifact in phase.artifacts {
            self.artifacts.insert(artifact, ArtifactStanding::There);
        }
        if self.snapshot().options.options.len() < 3 {
            self.list_options(3);
        }
        let tasks: Vec<String> = phase.tasks.into_iter().chain(phase.checklist).map(|task| task.id).collect();
        self.said(|state| {
            state.blocked_tasks.clear();
            state.completed_tasks = tasks;
        });
    }

    /// `forge <phase> --debate` or `--no-debate`, without going on.
    pub(crate) fn flag(&mut self, flag: DebateFlag) {
        let gone = !self.debate_is_sound();
        self.said(|state| {
            let asks_again = state.debate_flag != DebateFlag::Forced && state.debate.status == DebateStatus::Complete;
            if flag == DebateFlag::Forced && (asks_again || gone) {
                state.debate = DebateState::default();
            }
            state.debate_flag = flag;
        });
    }

    /// Whether the debate that the state names, if it names one, is there and can be read.
    pub(crate) fn debate_is_sound(&self) -> bool {
        let id = self.state.debate.id.as_ref();
        id.is_none_or(|id| self.debates.get(id).is_some_and(|debate| !debate.damaged))
    }

    /// `forge task done`, for one without a box.
    pub(crate) fn task_done(&mut self, id: &str) {
        self.said(|state| {
            state.blocked_tasks.retain(|(known, _)| known != id);
            if !state.completed_tasks.iter().any(|known| known == id) {
                state.completed_tasks.push(id.to_owned());
            }
        });
    }

    /// `forge task block`.
    pub(crate) fn task_blocked(&mut self, id: &str, reason: &str) {
        self.said(|state| {
            state.blocked_tasks.retain(|(known, _)| known != id);
            state.blocked_tasks.push((id.to_owned(), reason.to_owned()));
        });
    }

    /// `forge tripwires --trip`, without going on.
    pub(crate) fn trip(&mut self, decision: &str) {
        self.said(|state| {
            state.reopened_decision = Some(decision.to_owned());
            state.debate = DebateState::default();
        });
    }

    /// The debate that the state names comes this far.
    #[track_caller]
    pub(crate) fn debate(&mut self, standing: Standing) -> &mut Debate {
        let id = self.state.debate.id.clone().expect("the state names a debate");
        let debate = self.debates.get_mut(&id).expect("the debate is there");
        debate.standing = standing;
        debate
    }

    /// The debate that the state names is removed from the disk.
    pub(crate) fn delete_debate(&mut self) -> String {
        let id = self.state.debate.id.clone().unwrap();
        self.debates.remove(&id);
        id
    }
}

/// A working document as forge makes it.
fn template(phase: &Phase, todo: &[String]) -> Document {
    let boxes = todo.iter().enumerate().map(|(at, text)| unticked(text, DOCUMENT_BOXES + at));
    let section = |(at, title): (usize, &String)| Section {
        title: title.clone(),
        body: "[What there is to say]".to_owned(),
        line: SECTIONS + at,
        body_line: SECTIONS + at + 1,
    };
    Document {
        path: phase.document(),
        todo: boxes.collect(),
        sections: phase.sections.iter().enumerate().map(section).collect(),
        ..Document::default()
    }
}
