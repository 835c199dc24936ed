//! Under AO: what the orchestrator is told, and the lines with which it spawns the sessions of a debate.
//!
//! forge starts no session and asks no agent here. The one program that it starts is `ao spawn --help`, to learn which of
//! the three generations of AO is at hand, once per debate.

use crate::commands::Context;
use crate::render::{self, Style};
use forge_agents::ao as program;
use forge_artifacts::ao::{self as metadata, Session, Synced};
use forge_debate::plan::Duty;
use forge_debate::profile::Profile;
use forge_engine::workflow::Progress;
use forge_workflow::ao::{self, Generation, SpawnOrder, spawn_line};
use forge_workflow::snapshot::{DebateThere, Waiting};
use serde_json::{Value, json};

/// Which generation was found for which debate: asked once, since it starts a program.
const GENERATION_FILE: &str = ".claude/forge/ao-generation";

/// What AO makes of a command.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    /// For the JSON document.
    pub(crate) json: Vec<(String, Value)>,
    lines: Vec<String>,
    notes: Vec<String>,
}

impl Followed {
    /// Prints the spawn lines below everything else, each on a line of its own, to be copied.
    pub(crate) fn print(&self, style: Style) {
        if !self.lines.is_empty() {
            // Two sessions of one role write two texts, of which none is taken.
            let head = "spawn one session for each of these roles, unless it has one (forge starts none itself):";
            render::out(&style.bold(head));
        }
        for line in &self.lines {
            render::out(line);
        }
        for note in &self.notes {
            render::note(note);
        }
    }
}

/// A debate that waits for sessions.
pub(crate) struct Awaited<'d> {
    pub(crate) id: &'d str,
    pub(crate) protocol: &'static Profile,
    pub(crate) plan_file: &'d str,
    pub(crate) waiting: &'d [Waiting],
    /// The command that goes on when they have written.
    pub(crate) again: &'d str,
}

/// Tells AO where the workflow stands, and makes the spawn lines of roles that are waited for.
pub(crate) fn follow(context: &Context<'_>, progress: &Progress) -> Followed {
    if !context.environment.ao.is_active() {
        return Followed::default();
    }
    sync(context, progress);
    match progress.snapshot.debate.there().filter(|debate| debate.outcome.is_none()) {
        Some(DebateThere { id, protocol, plan_file, waiting, .. }) => {
            spawn(context, &Awaited { id, protocol, plan_file, waiting, again: "forge continue" })
        }
        None => Followed::default(),
    }
}

/// The spawn lines of the roles that a debate waits for.
pub(crate) fn spawn(context: &Context<'_>, debate: &Awaited<'_>) -> Followed {
    let mut followed = Followed::default();
    followed.notes.extend(held_by_agents(debate));
    let generation = debate.waiting.iter().any(|one| !one.is_agent).then(|| {
        let (generation, note) = generation(context, debate.id);
        followed.notes.extend(note);
        followed.lines = spawn_lines(context, generation, debate, &mut followed.notes);
        generation_letter(generation)
    });
    let last = debate.protocol.fixed_seats().iter().find(|seat| seat.duty == Duty::Synthesizer);
    if let Some(last) = last.filter(|last| debate.waiting.iter().all(|one| one.seat != last.id))
        && !followed.lines.is_empty()
    {
        followed.notes.push(format!("the {}'s line comes when the others have written: {}", last.id, debate.again));
    }
    followed.json.push((
        "spawn".to_owned(),
        json!({"generation": generation, "commands": followed.lines, "notes": followed.notes}),
    ));
    followed
}

/// A plan from elsewhere may have given seats to agents, whom nobody asks here.
fn held_by_agents(debate: &Awaited<'_>) -> Option<String> {
    let seats: Vec<&str> = debate.waiting.iter().filter(|one| one.is_agent).map(|one| one.seat.as_str()).collect();
    (!seats.is_empty()).then(|| {
        format!(
            "the plan gives {} to agents, and under AO forge asks nobody itself; while nobody has spoken, this gives all seats to sessions: {} --agent outside",
            seats.join(", "),
            debate.again
        )
    })
}

/// Tells AO where the workflow stands, if it is AO that runs this.
pub(crate) fn sync(context: &Context<'_>, progress: &Progress) {
    let variables = &context.environment.ao;
    // What is on the disk; the step's state is what going on would make of it.
    let state = &progress.snapshot.state;
    let summary = waited_for(progress).or_else(|| progress.step.blockers.first().map(|one| one.fact.to_string()));
    let summary = summary.unwrap_or_else(|| state.current_objective().to_owned());
    let pairs = ao::metadata(state, state.next_phase.as_deref(), Some(&summary));
    let session = Session::from_variables(
        variables.data_dir.as_deref(),
        variables.session.as_deref(),
        variables.session_id.as_deref(),
    );
    match session {
        None => {}
        Some(Err(problem)) => render::note(&format!("AO is not told where the workflow stands: {problem}")),
        Some(Ok(session)) => match session.sync(&pairs) {
            Ok(Synced::NotHere) => {
                if let Err(error) = metadata::write_own(context.workspace.disk.as_ref(), &pairs) {
                    render::note(&format!("AO's keys are not kept: {error}"));
                }
            }
            Ok(_) => {}
            Err(problem) => render::note(&format!("AO is not told where the workflow stands: {problem}")),
        },
    }
}

/// Who is waited for.
fn waited_for(progress: &Progress) -> Option<String> {
    let debate = progress.snapshot.debate.there().filter(|debate| debate.outcome.is_none())?;
    let seats: Vec<&str> = debate.waiting.iter().map(|one| one.seat.as_str()).collect();
    (!seats.is_empty()).then(|| format!("the debate waits for {}", seats.join(", ")))
}

/// The generation of the `ao` at hand, and what is to be said about it.
fn generation(context: &Context<'_>, debate: &str) -> (Generation, Option<String>) {
    let disk = context.workspace.disk.as_ref();
    let known = disk.read(GENERATION_FILE).ok().flatten().and_then(|bytes| String::from_utf8(bytes).ok());
    if let Some((letter, of)) = known.as_deref().and_then(|text| text.trim().split_once(' '))
        && of == debate
        && let Some(generation) =
            [Generation::A, Generation::B, Generation::C].into_iter().find(|one| generation_letter(*one) == letter)
    {
        return (generation, None);
    }
    match program::spawn_help(context.environment.ao.search_path.as_deref()) {
        Some(help) => {
            let generation = Generation::from_help(&help);
            let text = format!("{} {debate}\n", generation_letter(generation));
            // Only saves the next command a question.
            let _ = disk.replace(GENERATION_FILE, text.as_bytes());
            (generation, None)
        }
        None => (
            Generation::A,
            Some(
                "`ao` is not on PATH, or does not say how it spawns, so these lines have the oldest form: ao spawn <project> '<prompt>'"
                    .to_owned(),
            ),
        ),
    }
}

fn generation_letter(generation: Generation) -> &'static str {
    match generation {
        Generation::A => "A",
        Generation::B => "B",
        Generation::C => "C",
    }
}

fn spawn_lines(
    context: &Context<'_>,
    generation: Generation,
    debate: &Awaited<'_>,
    notes: &mut Vec<String>,
) -> Vec<String> {
    let root = context.workspace.locks.root();
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    // A path that is nearly right is worse than none: a session would write where nobody looks.
    let Some(workspace) = root.to_str() else {
        notes.push(format!("no spawn lines: the folder's name is not UTF-8, and no line can carry it: {root:?}"));
        return Vec::new();
    };
    let absolute = |path: &str| format!("{}/{path}", workspace.trim_end_matches('/'));
    let plan_file = absolute(debate.plan_file);
    let project = context.environment.ao.project.as_deref();
    let mut lines = Vec::new();
    for one in debate.waiting.iter().filter(|one| !one.is_agent) {
        let (turn_file, brief_file) = (absolute(&one.turn_file), one.brief_file.as_deref().map(absolute));
        let order = SpawnOrder {
            debate_id: debate.id,
            role: &one.seat,
            workspace,
            plan_file: &plan_file,
            brief_file: brief_file.as_deref(),
            turn_file: &turn_file,
            project,
        };
        match spawn_line(generation, &order) {
            Ok(line) => lines.push(line),
            Err(problem) => notes.push(format!("no spawn line for {}: {problem}", one.seat)),
        }
    }
    if generation == Generation::A && project.is_none() && !lines.is_empty() {
        notes.push("the project's name in these lines is this folder's; where AO knows it by another, set AO_PROJECT_ID or change it".to_owned());
    }
    lines
}
