//! A workflow as people and machines read it.

use crate::exit::Exit;
use crate::render::{self, Style, one_line};
use forge_debate::verdict::Outcome;
use forge_engine::workflow::{Coming, DEFINITION_FILE, NoWorkflow, Progress};
use forge_workflow::definition::EntryAction;
use forge_workflow::knowledge::{Knowledge, Risk};
use forge_workflow::next::{Blocker, BlockerKind, Step};
use forge_workflow::shell::word;
use forge_workflow::snapshot::{DebateRead, DebateThere, Snapshot, Waiting};
use forge_workflow::state::{PhaseStatus, REVISIT, State, WorkflowStatus};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The most characters of one line of a blocker.
const LINE_WIDTH: usize = 300;
/// The most blockers that are shown; the JSON has them all.
const BLOCKERS_SHOWN: usize = 20;

/// The most entries of each kind that are shown on entering a phase.
const KNOWN_SHOWN: usize = 8;

/// Whether forge may ask agents itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asking {
    /// It may.
    Agents,
    /// An orchestrator's sessions speak for the seats.
    Nobody,
}

/// How a command ends that leaves a workflow in this place.
pub(crate) fn exit(step: &Step) -> Exit {
    exit_of(&step.blockers)
}

/// How a command ends that is held by these.
pub(crate) fn exit_of(blockers: &[Blocker]) -> Exit {
    let has = |kind: BlockerKind| blockers.iter().any(|blocker| blocker.kind == kind);
    if has(BlockerKind::Record) {
        Exit::DoesNotHold
    } else if has(BlockerKind::Person) {
        Exit::Contested
    } else if has(BlockerKind::Insufficient) {
        Exit::Insufficient
    } else if blockers.iter().any(|one| one.kind.is_gate())
        || [BlockerKind::State, BlockerKind::Unclear].into_iter().any(has)
    {
        Exit::Blocked
    } else {
        Exit::Done
    }
}

/// Prints where a workflow stands after a command, with what was done.
pub(crate) fn print(progress: &Progress, more: &[(String, Value)], as_json: bool, asking: Asking, style: Style) {
    if as_json {
        let mut value = json(&progress.snapshot, &progress.step, &[]);
        value["said"] = json!(progress.log.done);
        value["notes"] = json!(notes(&progress.snapshot, &progress.step, &progress.log.notes));
        for (key, extra) in more {
            value[key] = extra.clone();
        }
        render::json(&value);
        return;
    }
    let mut text = head(&progress.snapshot, style);
    for said in condensed(&progress.log.done) {
        render::row(&mut text, style, "done", &one_line(&said, LINE_WIDTH));
    }
    let phase = progress.entered.as_ref().and_then(|id| progress.snapshot.definition.phase(id));
    if phase.is_some_and(|phase| phase.entry_actions.contains(&EntryAction::LoadKnowledge)) {
        text.push_str(&known(&progress.snapshot.known_here(), KNOWN_SHOWN, style));
    }
    for note in notes(&progress.snapshot, &progress.step, &progress.log.notes) {
        render::row(&mut text, style, "note", &one_line(&note, LINE_WIDTH));
    }
    text.push_str(&body(&progress.snapshot, &progress.step, asking, style));
    render::out(&text);
}

/// What was noticed: by the command, and in the documents where nothing depends on it.
pub(crate) fn notes(snapshot: &Snapshot, step: &Step, noticed: &[String]) -> Vec<String> {
    let is_stuck = step.blockers.iter().any(|one| one.kind == BlockerKind::State);
    let unclear = snapshot.unclear().filter(|one| !one.holds);
    let unclear = unclear.map(|one| format!("{}:{}: {}", one.file, one.line, one.text));
    let gone = snapshot.gone.iter().filter(|gone| gone.is_made_again() && !is_stuck);
    let gone = gone.map(|gone| format!("{} is not there; `forge continue` makes it", gone.file));
    let mut told: Vec<String> = Vec::new();
    // What was noticed on the way may still be so.
    for note in noticed.iter().cloned().chain(unknown_keys(snapshot)).chain(unclear).chain(gone) {
        if !told.contains(&note) {
            told.push(note);
        }
    }
    told
}

/// How many keys of the project's workflow file mean nothing to forge.
fn unknown_keys(snapshot: &Snapshot) -> Option<String> {
    let said = match snapshot.definition.file.unknown.len() {
        0 => return None,
        1 => "1 key was not understood; forge phases shows it".to_owned(),
        count => format!("{count} keys were not understood; forge phases lists them"),
    };
    Some(format!("{DEFINITION_FILE}: {said}"))
}

/// What was done, with the files that were made in one folder on one line.
pub(crate) fn condensed(said: &[String]) -> Vec<String> {
    let folder =
        |line: &str| line.strip_prefix("made ").and_then(|path| path.rsplit_once('/')).map(|(at, _)| at.to_owned());
    let mut lines: Vec<String> = Vec::new();
    let mut last = None;
    for line in said {
        let here = folder(line);
        match (lines.last_mut(), line.rsplit_once('/')) {
            (Some(made), Some((_, name))) if here.is_some() && here == last => {
                made.push_str(", ");
                made.push_str(name);
            }
            _ => lines.push(line.clone()),
        }
        last = here;
    }
    lines
}

/// Why a phase debates or not, without its name in front.
pub(crate) fn reason<'w>(why: &'w str, phase: &str) -> &'w str {
    why.strip_prefix(phase).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(why)
}

/// Which workflow, which phase.
pub(crate) fn head(snapshot: &Snapshot, style: Style) -> String {
    let state = &snapshot.state;
    let mut text = String::new();
    let _ = writeln!(text, "{}  {}", style.bold(&state.workflow_id), one_line(&state.objective, 100));
    render::row(&mut text, style, "phase", &phase_line(snapshot));
    for phase in &state.rehearsed_phases {
        render::row(&mut text, style, "REHEARSAL", &format!("the gate of {phase} was passed by a rehearsal"));
    }
    for (phase, why) in &state.skipped_debates {
        let why = if why.is_empty() { String::new() } else { format!(" ({})", one_line(why, LINE_WIDTH)) };
        render::row(&mut text, style, "SKIPPED", &format!("the debate of {phase}{why}"));
    }
    text
}

fn phase_line(snapshot: &Snapshot) -> String {
    let state = &snapshot.state;
    let total = snapshot.definition.phases.len();
    let number = snapshot.definition.position(&state.phase).map_or_else(|| "?".to_owned(), |at| (at + 1).to_string());
    let standing = match (state.status, state.phase_status) {
        (WorkflowStatus::Completed, _) if snapshot.definition.is_over(state) => {
            "done; the workflow is complete".to_owned()
        }
        (WorkflowStatus::Abandoned, _) => "given up".to_owned(),
        (WorkflowStatus::Paused, _) => "paused".to_owned(),
        (_, PhaseStatus::Completed) => match &state.next_phase {
            Some(next) if snapshot.definition.after(&state.phase).is_some_and(|phase| phase.id != *next) => {
                "called completed".to_owned()
            }
            Some(next) => format!("done; {next} is next"),
            None => "done".to_owned(),
        },
        (_, PhaseStatus::Blocked) if state.debate.id.is_some() => "blocked on debate".to_owned(),
        (_, PhaseStatus::Blocked) => "blocked".to_owned(),
        (_, PhaseStatus::InProgress) => "in progress".to_owned(),
        (_, PhaseStatus::Pending) => "not begun".to_owned(),
    };
    format!("{number}/{total} {}, {standing}", state.phase)
}

/// The debate, what is to be done, what holds the phase, and what to do next.
pub(crate) fn body(snapshot: &Snapshot, step: &Step, asking: Asking, style: Style) -> String {
    let mut text = String::new();
    if let Some(call) = &step.call {
        let word = if call.debate { "needed" } else { "none" };
        let why = one_line(reason(&call.why, &snapshot.state.phase), LINE_WIDTH);
        render::row(&mut text, style, "debate", &format!("{word}: {why}"));
    }
    let is_wanted = step.call.as_ref().is_none_or(|call| call.debate);
    match &snapshot.debate {
        DebateRead::There(debate) if !is_wanted => {
            render::row(&mut text, style, "", &format!("{} is left as it is, and not waited for", debate.id));
        }
        DebateRead::There(debate) => {
            render::row(&mut text, style, "", &debate_line(debate));
            for note in &debate.notes {
                render::row(&mut text, style, "", &one_line(note, usize::MAX));
            }
        }
        DebateRead::Gone { id } => render::row(&mut text, style, "", &format!("{id} is gone from the disk")),
        DebateRead::Another { id } => {
            render::row(&mut text, style, "", &format!("{id} was not planned for this phase"))
        }
        DebateRead::Damaged { id, .. } => render::row(&mut text, style, "", &format!("{id} cannot be read")),
        DebateRead::None => {}
    }
    if !step.todo.is_empty() {
        let done = step.todo.iter().filter(|one| one.done).count();
        render::row(&mut text, style, "todo", &format!("{done} of {} done", step.todo.len()));
    }
    let shown = &step.blockers[..step.blockers.len().min(BLOCKERS_SHOWN)];
    blockers(&mut text, shown, style, |kind| {
        if kind.is_gate() || matches!(kind, BlockerKind::State | BlockerKind::Unclear) { "blocks" } else { "open" }
    });
    if step.blockers.len() > BLOCKERS_SHOWN {
        let rest = step.blockers.len() - BLOCKERS_SHOWN;
        render::row(&mut text, style, "", &format!("and {rest} more; --json lists them all"));
    }
    for hint in next_steps(snapshot, step, asking) {
        render::row(&mut text, style, "next", &hint);
    }
    text
}

fn debate_line(debate: &DebateThere) -> String {
    let outcome = match (debate.outcome, debate.decided.is_empty()) {
        (Some(Outcome::Blocked), false) => {
            format!("blocked; it chooses {}", one_line(&debate.decided.join(" + "), 100))
        }
        (Some(outcome), false) => format!("{}: {}", outcome.word(), one_line(&debate.decided.join(" + "), 100)),
        (Some(outcome), true) => outcome.word().to_owned(),
        (None, _) => match debate.waiting.iter().map(|waiting| waiting.seat.as_str()).collect::<Vec<_>>().join(", ") {
            nobody if nobody.is_empty() => debate.status.word().to_owned(),
            seats => format!("{}, waiting for {seats}", debate.status.word()),
        },
    };
    format!("{} {outcome}", debate.id)
}

/// What holds the phase, a line each; what is wrong with one unfinished turn stands below its name.
pub(crate) fn blockers(text: &mut String, all: &[Blocker], style: Style, label: impl Fn(BlockerKind) -> &'static str) {
    let mut above: Option<&str> = None;
    for blocker in all {
        if blocker.kind != BlockerKind::Unfinished {
            render::row(text, style, label(blocker.kind), &place(blocker));
            above = None;
            continue;
        }
        if above != Some(&blocker.file) {
            render::row(text, style, label(blocker.kind), &format!("{}: not yet", blocker.file));
            above = Some(&blocker.file);
        }
        render::row(text, style, "", &format!("  {}", one_line(blocker.fact.values.text("problem"), LINE_WIDTH)));
    }
}

/// What is said where there is no state that can be read.
pub(crate) fn without_state(missing: &NoWorkflow) -> String {
    match missing {
        NoWorkflow::Damaged { path, line, problem, from: Some(from) } => format!(
            "{path}:{line}: {problem}\n`forge continue` keeps the damaged file aside and recovers the workflow from {from}"
        ),
        NoWorkflow::Damaged { path, line, problem, from: None } => format!(
            "{path}:{line}: {problem}\nthere is nothing to recover the workflow from: mend it, or begin anew with `forge start --abandon \"<objective>\"`"
        ),
        NoWorkflow::Lost { from, workflow_id, phase } => format!(
            "the state file is gone, but {from} tells of the workflow {workflow_id} in phase {phase}; `forge continue` recovers it"
        ),
        NoWorkflow::Foreign(foreign) => foreign.to_string(),
        NoWorkflow::Here => "there is no workflow here; begin one with `forge start \"<objective>\"`".to_owned(),
    }
}

/// A blocker with its place.
fn place(blocker: &Blocker) -> String {
    let line = blocker.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}: {}", blocker.file, one_line(blocker.fact.sentence(), LINE_WIDTH))
}

/// What to do next: how, where what holds the phase says only what.
pub(crate) fn next_steps(snapshot: &Snapshot, step: &Step, asking: Asking) -> Vec<String> {
    let state = &snapshot.state;
    if snapshot.definition.is_over(state) {
        return vec![
            "forge start \"<objective>\" begins another workflow; `forge decisions` lists what was decided".to_owned(),
        ];
    }
    let is_first = snapshot.definition.position(&state.phase) == Some(0);
    if is_first && state.phase_status == PhaseStatus::Completed {
        return vec![
            "say more in docs/forge/knowledge/brief.md, which every debate reads; then: forge continue".to_owned(),
        ];
    }
    if step.blockers.iter().any(|blocker| blocker.kind == BlockerKind::State) {
        // What blocks says what to do about it.
        return Vec::new();
    }
    if step.state.phase != state.phase || !step.moves.is_empty() || step.blockers.is_empty() {
        return vec!["forge continue".to_owned()];
    }
    let has = |kind: BlockerKind| step.blockers.iter().any(|blocker| blocker.kind == kind);
    let mut hints = Vec::new();
    let is_wanted = step.call.as_ref().is_none_or(|call| call.debate);
    if let Some(debate) = snapshot.debate.there().filter(|debate| is_wanted && !debate.passed) {
        hints.extend(debate_steps(debate, &state.phase, asking));
    } else if let Some(debate) = snapshot.debate.there().filter(|_| has(BlockerKind::Stranger)) {
        hints.push(format!("read what it says: forge show {}", debate.id));
        hints.push(format!("if you stand by it: forge debate run {} --adopt, then: forge continue", debate.id));
    } else if let Some(one) = snapshot.traces.strangers.first().filter(|_| has(BlockerKind::Stranger)) {
        hints.push(format!("read what it says: forge show {}", one.debate));
        hints.push(format!("if you stand by it: forge debate run {} --adopt, then: forge continue", one.debate));
    } else if has(BlockerKind::Options) {
        hints.push("list them there, then: forge continue".to_owned());
        if asking == Asking::Agents {
            hints.push("or let an agent propose and debate them: forge continue --agent AGENT".to_owned());
        }
    }
    if hints.is_empty() {
        let mut work = step.blockers.iter().filter(|blocker| blocker.kind != BlockerKind::Task);
        hints.push(
            match (has(BlockerKind::Gate) || has(BlockerKind::Unfinished), work.next(), state.blocked_tasks.first()) {
                (true, _, _) if matches!(snapshot.debate, DebateRead::Damaged { .. }) => {
                    format!("mend its files, or plan another: forge enter {} --debate", state.phase)
                }
                (true, _, _) => format!("plan a real debate: forge enter {} --debate", state.phase),
                (false, None, Some((task, _))) if task == REVISIT => {
                    format!("change what you came for, then: forge task done {task}, and: forge continue")
                }
                (false, None, Some((task, _))) => {
                    format!("see to what blocks it, then: forge task done {}, and: forge continue", word(task))
                }
                (false, first, _) => {
                    format!("work on {}, then: forge continue", first.map(|one| one.file.as_str()).unwrap_or_default())
                }
            },
        );
    }
    hints
}

fn debate_steps(debate: &DebateThere, phase: &str, asking: Asking) -> Vec<String> {
    let id = &debate.id;
    match debate.outcome {
        Some(outcome) if outcome.needs_a_person() => vec![
            format!("forge debate show {id}  shows who wants what"),
            format!("forge debate decide {id} OPTION --because \"...\""),
            "then: forge continue".to_owned(),
        ],
        Some(Outcome::Insufficient) => vec![
            format!("forge debate run {id} --retry-absent"),
            format!("or another, with the limits and agents of now: forge enter {phase} --debate"),
        ],
        Some(_) => vec![format!(
            "mend what blocks, then: forge continue (an agent is asked again with: forge debate run {id} --retry-absent)"
        )],
        None if debate.waiting.is_empty() => vec![
            format!(
                "forge debate run {id} --retry-absent  asks for options again, or list them in {}",
                debate.plan_file
            ),
            "then: forge continue".to_owned(),
        ],
        None => {
            let mut steps = Vec::new();
            let outside: Vec<&Waiting> = debate.waiting.iter().filter(|waiting| !waiting.is_agent).collect();
            steps.extend(who_writes(&outside));
            let by_agents = debate.waiting.iter().any(|waiting| waiting.is_agent);
            if by_agents && asking == Asking::Agents {
                steps.push("forge continue --run  holds the debate with the agents of its plan".to_owned());
            } else if debate.spoken.0 == 0 && asking == Asking::Agents {
                steps.push(
                    "or let agents hold it: forge continue --agent AGENT (such as openai:MODEL; rehearsal to try it)"
                        .to_owned(),
                );
            }
            steps
        }
    }
}

/// Who is to write, and where it says what. Which files, the blockers say.
fn who_writes(outside: &[&Waiting]) -> Option<String> {
    let seats: Vec<&str> = outside.iter().map(|one| one.seat.as_str()).collect();
    let briefs: Vec<&str> = outside.iter().filter_map(|one| one.brief_file.as_deref()).collect();
    let (who, verb) = match seats.as_slice() {
        [] => return None,
        [one] => ((*one).to_owned(), "writes its file"),
        [all @ .., last] => (format!("{} and {last}", all.join(", ")), "write these files"),
    };
    let folder = briefs.first().and_then(|brief| brief.rsplit_once('/')).map(|(folder, _)| folder);
    let brief = match (briefs.as_slice(), folder) {
        ([one], _) => format!(" (brief: {one})"),
        ([_, ..], Some(folder)) => format!(" (briefs: {folder}/)"),
        _ => String::new(),
    };
    Some(format!("{who} {verb}{brief}, then: forge continue"))
}

/// Where a workflow stands, for machines.
pub(crate) fn json(snapshot: &Snapshot, step: &Step, coming: &[Coming]) -> Value {
    let state: &State = &snapshot.state;
    let phases: Vec<Value> = snapshot
        .definition
        .phases
        .iter()
        .map(|phase| {
            let status = if state.completed_phases.contains(&phase.id) {
                "completed"
            } else if phase.id == state.phase {
                state.phase_status.word()
            } else {
                "pending"
            };
            let call = coming.iter().find(|one| one.phase == phase.id).map(|one| &one.call);
            let call = call.or(step.call.as_ref().filter(|_| phase.id == state.phase));
            json!({
                "id": phase.id, "name": phase.name, "status": status,
                "debate": call.map(|call| json!({"needed": call.debate, "why": call.why})),
            })
        })
        .collect();
    json!({
        "workflow_id": state.workflow_id,
        "objective": state.objective,
        "phase": state.phase,
        "phase_number": snapshot.definition.position(&state.phase).map(|at| at + 1),
        "phases_total": snapshot.definition.phases.len(),
        "phase_status": state.phase_status.word(),
        "status": state.status.word(),
        "next_phase": state.next_phase,
        "completed_phases": state.completed_phases,
        "started_at": state.started_at,
        "last_updated": state.last_updated,
        "branch": state.branch,
        "issue": state.issue,
        "revision": state.revision,
        "debate_call": step.call.as_ref().map(|call| json!({"needed": call.debate, "why": call.why, "skipped": call.skipped})),
        "debate": debate_json(&snapshot.debate, state),
        "skipped_debates": state.skipped_debates.iter().map(|(phase, why)| json!({"phase": phase, "why": why})).collect::<Vec<_>>(),
        "rehearsed_phases": state.rehearsed_phases,
        "reopened_decision": state.reopened_decision,
        "todo": step.todo.iter().map(|one| json!({
            "task": one.task, "text": one.text, "done": one.done, "done_when": one.done_when.word(),
            "file": one.file, "line": one.line,
        })).collect::<Vec<_>>(),
        "blocked": step.blockers.iter().any(|one| one.kind.is_gate() || one.kind == BlockerKind::Unclear),
        "blockers": step.blockers.iter().map(|one| json!({
            "kind": one.kind.word(), "file": one.file, "line": one.line, "code": one.fact.code, "text": one.fact.sentence(),
        })).collect::<Vec<_>>(),
        "moves_left": !step.moves.is_empty(),
        "phases": phases,
    })
}

fn debate_json(debate: &DebateRead, state: &State) -> Value {
    match debate {
        DebateRead::None => Value::Null,
        DebateRead::Gone { id } => json!({"id": id, "status": "gone"}),
        DebateRead::Another { id } => json!({"id": id, "status": "another"}),
        DebateRead::Damaged { id, problem, .. } => json!({"id": id, "status": "damaged", "problem": problem}),
        DebateRead::There(debate) => json!({
            "id": debate.id,
            "protocol": debate.protocol.name,
            "plan_file": debate.plan_file,
            "status": debate.status.word(),
            "gate_passed": state.debate.gate_passed,
            "passed": debate.passed,
            "rehearsal": debate.rehearsal,
            "outcome": debate.outcome.map(|outcome| outcome.word()),
            "decided": debate.decided,
            "made_here": debate.origin.is_none(),
            "notes": debate.notes,
            "spoken": debate.spoken.0,
            "seats": debate.spoken.1,
            "waiting": debate.waiting.iter().map(|one| json!({
                "seat": one.seat, "agent": one.is_agent, "turn_file": one.turn_file, "brief_file": one.brief_file,
            })).collect::<Vec<_>>(),
        }),
    }
}

/// What is known: decisions that stand, what binds, what is still believed only, what may go wrong. At most so many of each.
pub(crate) fn known(knowledge: &Knowledge, most: usize, style: Style) -> String {
    let mut text = String::new();
    let mut rows = |label: &str, lines: Vec<String>| {
        for line in lines.iter().take(most) {
            render::row(&mut text, style, label, &one_line(line, 200));
        }
        if lines.len() > most {
            render::row(&mut text, style, label, &format!("and {} more; forge status --verbose", lines.len() - most));
        }
    };
    rows("decision", knowledge.standing_decisions().map(|one| format!("{}: {}", one.id, one.title)).collect());
    rows("constraint", knowledge.standing_constraints().map(|one| format!("{}: {}", one.id, one.text)).collect());
    rows("assumption", knowledge.open_assumptions().map(|one| format!("{}: {}", one.id, one.text)).collect());
    let score = |risk: &Risk| risk.score().map_or_else(|| "no score".to_owned(), |score| format!("score {score}"));
    let risks = knowledge.risks.iter().filter(|risk| risk.active);
    rows("risk", risks.map(|one| format!("{}: {} ({})", one.id, one.text, score(one))).collect());
    text
}
