//! `forge debate collect`: take over what sessions wrote in worktrees of their own.

use super::drive;
use crate::args::CollectArgs;
use crate::commands::Context;
use crate::exit::Exit;
use crate::render;
use forge_artifacts::ao::{Session, Worktrees, git_worktrees};
use forge_engine::EngineError;
use forge_engine::collect::Collected;
use forge_engine::workflow::{Drive, Progress};
use forge_workflow::snapshot::Rehearsals;
use serde_json::json;

/// A gate has two waves; a third look finds nothing new.
const LOOKS_LIMIT: usize = 16;

/// Hands in what is found.
pub(crate) fn run(context: &Context<'_>, args: &CollectArgs) -> Result<Exit, EngineError> {
    let debate = match &args.debate {
        Some(debate) => debate.clone(),
        None => current_debate(context)?,
    };
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
        render::out(&render::safe(&format!("{debate}: {} worktrees looked at", found.accepted.len())));
        for line in lines(&found, &collected) {
            render::out(&render::safe(&line));
        }
        if !collected.taken.is_empty() {
            render::out("  next       forge continue");
        }
    }
    Ok(if collected.conflicts.is_empty() { Exit::Done } else { Exit::Blocked })
}

fn current_debate(context: &Context<'_>) -> Result<String, EngineError> {
    let drive = drive(context, None, Rehearsals::Refused)?;
    let current = context.workspace.overview(&drive)?.ok().and_then(|overview| overview.snapshot.state.debate.id);
    current.ok_or_else(|| {
        let text = "no phase waits for a debate here; say which: forge debate collect DEBATE";
        EngineError::Usage(text.to_owned())
    })
}

/// Collects while a workflow waits at its gate under AO, and goes on with what was found.
pub(crate) fn into(context: &Context<'_>, progress: Progress, drive: &Drive) -> Result<Progress, EngineError> {
    let mut progress = progress;
    for _ in 0..LOOKS_LIMIT {
        let Some(debate) = progress.snapshot.debate.there().filter(|debate| debate.outcome.is_none()) else { break };
        let found = worktrees(context);
        let collected = match context.workspace.collect(&debate.id, &found.accepted) {
            // Whoever holds the debate sees them.
            Err(EngineError::Busy { .. }) => break,
            collected => collected?,
        };
        for line in lines(&found, &collected) {
            render::note(line.trim_start());
        }
        if collected.taken.is_empty() {
            break;
        }
        let mut said = std::mem::take(&mut progress.said);
        said.extend(collected.taken.iter().map(|one| format!("collected {} from {}", one.to, one.from.display())));
        progress = context.workspace.continue_workflow(drive)?;
        progress.said.splice(0..0, said);
    }
    Ok(progress)
}

/// The worktrees of this repository; under AO those that its sessions name and git knows.
fn worktrees(context: &Context<'_>) -> Worktrees {
    let variables = &context.environment.ao;
    let root = context.workspace.locks.root();
    let session = Session::from_variables(
        variables.data_dir.as_deref(),
        variables.session.as_deref(),
        variables.session_id.as_deref(),
    );
    match session {
        Some(Ok(session)) => session.worktrees(root),
        _ => Worktrees { accepted: git_worktrees(root), refused: Vec::new() },
    }
}

fn lines(found: &Worktrees, collected: &Collected) -> Vec<String> {
    let mut lines = Vec::new();
    for one in &collected.taken {
        lines.push(format!("  taken      {} from {}", one.to, one.from.display()));
    }
    for one in &collected.not_yet {
        lines.push(format!("  not yet    {}: {}", one.file.display(), one.problems.join("; ")));
    }
    for one in &collected.conflicts {
        let files: Vec<String> = one.files.iter().map(|file| file.display().to_string()).collect();
        lines.push(format!(
            "  conflict   {} has different texts in {}; none was taken. Choose with `forge turn submit`",
            one.key,
            files.join(", ")
        ));
    }
    lines.extend(refusals(found, collected).iter().map(|text| format!("  refused    {text}")));
    lines
}

fn refusals(found: &Worktrees, collected: &Collected) -> Vec<String> {
    let worktrees = found.refused.iter().map(|(path, why)| format!("{}: {why}", path.display()));
    worktrees.chain(collected.refused.iter().map(|one| format!("{}: {}", one.path.display(), one.why))).collect()
}
