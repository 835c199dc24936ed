//! `forge debate collect`: take over what sessions wrote in worktrees of their own.

use super::drive;
use crate::args::CollectArgs;
use crate::commands::Context;
use crate::exit::Exit;
use crate::render;
use crate::workflow_view;
use forge_artifacts::ao::{Session, Worktrees};
use forge_artifacts::git;
use forge_engine::EngineError;
use forge_engine::collect::{Collected, Taken};
use forge_engine::workflow::{Drive, NoWorkflow, Progress};
use forge_workflow::snapshot::Rehearsals;
use serde_json::json;
use std::path::Path;

/// How often one command looks: once a wave, and most debates have fewer.
pub(crate) const LOOKS_LIMIT: usize = 16;

/// Hands in what is found.
pub(crate) fn run(context: &Context<'_>, args: &CollectArgs) -> Result<Exit, EngineError> {
    let debate = match &args.debate {
        Some(debate) => debate.clone(),
        None => current_debate(context)?,
    };
    if let Some(missing) = args.from.iter().find(|folder| !folder.is_dir()) {
        let text = format!("--from {}: there is no such folder; a session's worktree is wanted", missing.display());
        return Err(EngineError::Usage(text));
    }
    let found = if args.from.is_empty() {
        worktrees(context)
    } else {
        Worktrees { accepted: args.from.clone(), refused: Vec::new() }
    };
    let collected = context.workspace.collect(&debate, &found.accepted)?;
    if args.json {
        render::json(&json!({
            "debate": debate,
            "worktrees": found.accepted.len(),
            "taken": collected.taken.iter().map(|one| json!({
                "turn": one.key.to_string(), "from": one.from.to_string_lossy(), "to": one.to,
                "shortcomings": one.shortcomings,
            })).collect::<Vec<_>>(),
            "not_yet": collected.not_yet.iter().map(|one| json!({
                "turn": one.key.to_string(), "file": one.file.to_string_lossy(), "problems": one.problems,
            })).collect::<Vec<_>>(),
            "conflicts": collected.conflicts.iter().map(|one| json!({
                "turn": one.key.to_string(),
                "files": one.files.iter().map(|file| file.to_string_lossy()).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "refused": refusals(&found, &collected),
        }));
    } else {
        let looked = match found.accepted.len() {
            0 => "there is no other worktree to look at".to_owned(),
            1 => "1 worktree looked at".to_owned(),
            many => format!("{many} worktrees looked at"),
        };
        render::out(&render::safe(&format!("{debate}: {looked}")));
        let taken = collected.taken.iter().map(|one| format!("  taken      {}", told(one)));
        let lines: Vec<String> = taken.chain(left(&debate, &found, &collected)).collect();
        for line in &lines {
            render::out(&render::safe(line));
        }
        if lines.is_empty() && !found.accepted.is_empty() {
            render::out("  nothing    no turn that the debate waits for is there");
        }
        if !collected.taken.is_empty() {
            render::out("  next       forge continue");
        }
    }
    Ok(if collected.conflicts.is_empty() { Exit::Done } else { Exit::Blocked })
}

fn current_debate(context: &Context<'_>) -> Result<String, EngineError> {
    let drive = drive(context, None, Rehearsals::Refused)?;
    let overview = context.workspace.overview(&drive)?;
    if let Err(standing @ (NoWorkflow::Damaged { .. } | NoWorkflow::Foreign(_))) = &overview {
        return Err(EngineError::Usage(workflow_view::without_state(standing)));
    }
    overview.ok().and_then(|overview| overview.snapshot.state.debate.id).ok_or_else(|| {
        let text = "no phase waits for a debate here; say which: forge debate collect DEBATE";
        EngineError::Usage(text.to_owned())
    })
}

/// Collects while a workflow waits at its gate under AO, and goes on with what was found.
pub(crate) fn into(context: &Context<'_>, progress: Progress, drive: &Drive) -> Result<Progress, EngineError> {
    let mut progress = progress;
    for _ in 0..LOOKS_LIMIT {
        let Some(debate) = progress.snapshot.debate.there().filter(|debate| debate.outcome.is_none()) else { break };
        let taken = look(context, &debate.id)?;
        if taken.is_empty() {
            break;
        }
        let mut said = std::mem::take(&mut progress.log.done);
        said.extend(taken);
        progress = context.workspace.continue_workflow(drive)?;
        progress.log.done.splice(0..0, said);
    }
    Ok(progress)
}

/// Collects while a debate outside a workflow waits, and says what. Whether anything was found.
pub(crate) fn from_sessions(context: &Context<'_>, debate: &str) -> Result<bool, EngineError> {
    let taken = look(context, debate)?;
    taken.iter().for_each(|line| render::note(line));
    Ok(!taken.is_empty())
}

/// Hands in what sessions left in their worktrees: a line for each turn that was taken. What was left there is noted.
fn look(context: &Context<'_>, debate: &str) -> Result<Vec<String>, EngineError> {
    let found = worktrees(context);
    let collected = match context.workspace.collect(debate, &found.accepted) {
        // Whoever holds the debate sees them.
        Err(EngineError::Busy { .. }) => return Ok(Vec::new()),
        collected => collected?,
    };
    for line in left(debate, &found, &collected) {
        render::note(line.trim_start());
    }
    Ok(collected.taken.iter().map(|one| format!("collected {}", told(one))).collect())
}

/// The other worktrees of this repository; under AO those that its sessions name and git knows.
fn worktrees(context: &Context<'_>) -> Worktrees {
    let variables = &context.environment.ao;
    let root = context.workspace.locks.root();
    let own = root.canonicalize().ok();
    let session = Session::from_variables(
        variables.data_dir.as_deref(),
        variables.session.as_deref(),
        variables.session_id.as_deref(),
    );
    let mut found = match session {
        Some(Ok(session)) => session.worktrees(root),
        _ => Worktrees { accepted: git::worktrees(root), refused: Vec::new() },
    };
    found.accepted.retain(|path| Some(path) != own.as_ref());
    found
}

/// What was taken, from which worktree, and where it falls short of its form.
fn told(one: &Taken) -> String {
    let below = Path::new(&one.to).components().count();
    let from = one.from.ancestors().nth(below).unwrap_or(&one.from);
    let short = match one.shortcomings.as_slice() {
        [] => String::new(),
        all => format!(" (it falls short of its form: {})", all.join("; ")),
    };
    format!("{} from {}{short}", one.to, from.display())
}

/// What was left where it is, and why.
fn left(debate: &str, found: &Worktrees, collected: &Collected) -> Vec<String> {
    let mut lines = Vec::new();
    for one in &collected.not_yet {
        lines.push(format!("  not yet    {}: {}", one.file.display(), shortened(&one.problems)));
    }
    for one in &collected.conflicts {
        let files: Vec<String> = one.files.iter().map(|file| file.display().to_string()).collect();
        lines.push(format!(
            "  conflict   {seat} wrote different texts in {}; none was taken. Choose one: forge turn submit {debate} {seat} --file FILE",
            files.join(", "),
            seat = one.key.seat,
        ));
    }
    lines.extend(refusals(found, collected).iter().map(|text| format!("  refused    {text}")));
    lines
}

/// What is missing, without naming every section of a file that has just been begun. What is to be done comes last.
fn shortened(problems: &[String]) -> String {
    match problems {
        [first, second, between @ .., last] if between.len() > 1 => {
            format!("{first}; {second}; and {} more; {last}", between.len())
        }
        all => all.join("; "),
    }
}

fn refusals(found: &Worktrees, collected: &Collected) -> Vec<String> {
    let worktrees = found.refused.iter().map(|(path, why)| format!("{}: {why}", path.display()));
    worktrees.chain(collected.refused.iter().map(|one| format!("{}: {}", one.path.display(), one.why))).collect()
}
