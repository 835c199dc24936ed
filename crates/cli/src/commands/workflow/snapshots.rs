//! `forge save` and `forge restore`: copies of the state file.

use crate::ao;
use crate::args::{JsonArgs, RestoreArgs};
use crate::commands::Context;
use crate::exit::Exit;
use crate::render;
use crate::workflow_view;
use forge_engine::EngineError;
use forge_engine::workflow::{Kept, Log, Overview, Progress, Restored};
use forge_workflow::snapshot::Rehearsals;
use serde_json::json;

/// The most other snapshots that are listed; the JSON has them all.
const OTHERS_SHOWN: usize = 8;

/// Keeps a copy of the state file.
pub(crate) fn save(context: &Context<'_>, args: &JsonArgs) -> Result<Exit, EngineError> {
    let (path, text) = match context.workspace.save()? {
        Kept::Made(path) => (path.clone(), format!("saved {path}")),
        Kept::Already(path) => (path.clone(), format!("nothing has changed since {path}")),
        Kept::Nothing => {
            let text = "there is no workflow here to save; begin one with `forge start \"<objective>\"`";
            return Err(EngineError::Usage(text.to_owned()));
        }
    };
    if args.json {
        render::json(&json!({"snapshot": path, "said": [text]}));
    } else {
        render::out(&text);
    }
    Ok(Exit::Done)
}

/// Puts a copy of the state file back, or takes over another tool's.
pub(crate) fn restore(context: &Context<'_>, args: &RestoreArgs) -> Result<Exit, EngineError> {
    match &args.adopt {
        Some(path) => adopt(context, path, args.json),
        None => put_back(context, args),
    }
}

fn put_back(context: &Context<'_>, args: &RestoreArgs) -> Result<Exit, EngineError> {
    let restored = context.workspace.restore(args.snapshot.as_deref())?;
    follow(context)?;
    let Restored { path, state, is_new, others, log } = &restored;
    if args.json {
        render::json(&json!({
            "snapshot": path, "workflow_id": state.workflow_id, "phase": state.phase,
            "phase_status": state.phase_status.word(), "changed": is_new, "said": log.done,
            "others": others.iter().map(|(path, state)| json!({
                "snapshot": path, "workflow_id": state.workflow_id, "phase": state.phase,
                "phase_status": state.phase_status.word(), "last_updated": state.last_updated,
            })).collect::<Vec<_>>(),
        }));
        return Ok(Exit::Done);
    }
    let mut text = match is_new {
        true => format!("restored {path}: {} in phase {}\n", state.workflow_id, state.phase),
        false => format!("{path} is the newest snapshot, and the state file says the same\n"),
    };
    for line in &log.done {
        render::row(&mut text, context.style, "done", line);
    }
    if *is_new {
        render::row(&mut text, context.style, "", "documents, debates and knowledge are as they were");
    }
    for (path, state) in others.iter().take(OTHERS_SHOWN) {
        let name = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md");
        let line = format!("{name}  {} in phase {}, {}", state.workflow_id, state.phase, state.phase_status.word());
        render::row(&mut text, context.style, "older", &line);
    }
    let next = if others.is_empty() { "forge status" } else { "forge status, or: forge restore SNAPSHOT" };
    render::row(&mut text, context.style, "next", next);
    render::out(&text);
    Ok(Exit::Done)
}

fn adopt(context: &Context<'_>, typed: &str, as_json: bool) -> Result<Exit, EngineError> {
    let path = inside(context, typed);
    let (state, log) = context.workspace.adopt(&path)?;
    follow(context)?;
    if as_json {
        render::json(&json!({
            "adopted": path, "workflow_id": state.workflow_id, "phase": state.phase,
            "phase_status": state.phase_status.word(), "said": log.done, "notes": log.notes,
        }));
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    for line in workflow_view::condensed(&log.done) {
        render::row(&mut text, context.style, "done", &line);
    }
    for note in &log.notes {
        render::row(&mut text, context.style, "note", note);
    }
    render::row(&mut text, context.style, "next", "forge continue");
    render::out(&text);
    Ok(Exit::Done)
}

/// A path as the workspace has it: typed from its root, from here, or whole.
fn inside(context: &Context<'_>, typed: &str) -> String {
    let root = context.workspace.locks.root();
    let whole = std::path::absolute(typed).unwrap_or_default();
    match whole.strip_prefix(root) {
        Ok(path) if whole.is_file() => path.to_string_lossy().into_owned(),
        _ => typed.trim_start_matches("./").to_owned(),
    }
}

/// Tells an orchestrator where the workflow stands now.
fn follow(context: &Context<'_>) -> Result<(), EngineError> {
    let drive = super::drive(context, None, Rehearsals::Refused)?;
    if let Ok(Overview { snapshot, step, .. }) = context.workspace.overview(&drive)? {
        ao::follow(context, &Progress { snapshot, step, log: Log::default(), entered: None });
    }
    Ok(())
}
