//! `forge status`: where the workflow stands, and what would come of going on. Changes nothing.

use super::{asking, drive};
use crate::args::StatusArgs;
use crate::commands::Context;
use crate::exit::Exit;
use crate::render;
use crate::workflow_view;
use forge_engine::EngineError;
use forge_engine::workflow::{NoWorkflow, Overview};
use forge_workflow::snapshot::Rehearsals;
use serde_json::json;

/// Shows where the workflow stands.
pub(crate) fn run(context: &Context<'_>, args: &StatusArgs) -> Result<Exit, EngineError> {
    let drive = drive(context, None, Rehearsals::Refused)?;
    match context.workspace.overview(&drive)? {
        Ok(overview) => show(context, args, &overview),
        Err(standing) => no_state(&standing, args),
    }
}

fn show(context: &Context<'_>, args: &StatusArgs, overview: &Overview) -> Result<Exit, EngineError> {
    let (snapshot, step, style) = (&overview.snapshot, &overview.step, context.style);
    if args.json {
        let mut value = workflow_view::json(snapshot, step, &overview.coming);
        value["notes"] = json!(workflow_view::notes(snapshot, step, &overview.notes));
        render::json(&value);
        return Ok(Exit::Done);
    }
    let mut text = workflow_view::head(snapshot, style);
    for note in workflow_view::notes(snapshot, step, &overview.notes) {
        render::row(&mut text, style, "note", &render::one_line(&note, 300));
    }
    if args.verbose {
        for one in &step.todo {
            let mark = if one.done { "[x]" } else { "[ ]" };
            render::row(&mut text, style, "", &format!("{mark} {}", render::one_line(&one.text, 200)));
        }
    }
    text.push_str(&workflow_view::body(snapshot, step, asking(context), style));
    let shown = if args.verbose { overview.coming.len() } else { 1 };
    for coming in overview.coming.iter().take(shown) {
        let word = if coming.call.debate { "with a debate" } else { "no debate" };
        let why = render::one_line(workflow_view::reason(&coming.call.why, &coming.phase), 200);
        render::row(&mut text, style, "coming", &format!("{}, {word}: {why}", coming.phase));
    }
    if args.verbose {
        text.push_str(&workflow_view::known(&overview.snapshot.known_here(), usize::MAX, style));
    }
    render::out(&text);
    Ok(Exit::Done)
}

fn no_state(standing: &NoWorkflow, args: &StatusArgs) -> Result<Exit, EngineError> {
    let word = match standing {
        NoWorkflow::Damaged { .. } => "damaged",
        NoWorkflow::Foreign(_) => "foreign",
        NoWorkflow::Lost { .. } => "lost",
        NoWorkflow::Here => "none",
    };
    let text = workflow_view::without_state(standing);
    if args.json {
        render::json(&json!({"workflow_id": null, "status": word, "notes": [text]}));
    }
    if matches!(standing, NoWorkflow::Damaged { .. } | NoWorkflow::Foreign(_)) {
        render::error(&text);
        return Ok(Exit::Usage);
    }
    if !args.json {
        render::out(&text);
    }
    Ok(Exit::Done)
}
