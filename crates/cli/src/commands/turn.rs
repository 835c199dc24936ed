//! `forge turn submit`: hand in a turn, checked and whole.

use super::Context;
use crate::args::{SubmitArgs, TurnAction, TurnArgs};
use crate::exit::Exit;
use crate::render;
use forge_artifacts::disk::read_named;
use forge_artifacts::outgoing;
use forge_debate::form::REPLY_LIMIT_BYTES;
use forge_engine::{EngineError, Strictness};
use serde_json::json;
use std::io::Read as _;
use std::path::Path;

/// Runs `forge turn ...`.
pub(crate) fn run(context: &Context<'_>, args: TurnArgs) -> Result<Exit, EngineError> {
    match args.action {
        TurnAction::Submit(args) => submit(context, &args),
    }
}

fn submit(context: &Context<'_>, args: &SubmitArgs) -> Result<Exit, EngineError> {
    let bytes = words(context, &args.file)?;
    let strictness = if args.as_is { Strictness::AsIs } else { Strictness::InForm };
    let done = context.workspace.submit(&args.debate, &args.seat, &bytes, strictness)?;
    if args.json {
        render::json(
            &json!({"turn": done.turn, "file": done.file, "shortcomings": done.shortcomings, "notes": done.notes}),
        );
    } else {
        render::out(&format!("{}: handed in as {}", done.turn, done.file));
        for shortcoming in &done.shortcomings {
            render::out(&format!("  warning: {shortcoming}"));
        }
        for note in &done.notes {
            render::out(&format!("  note: {note}"));
        }
        render::out(&format!("  next: forge debate run {}", args.debate));
    }
    Ok(Exit::Done)
}

/// The words of a turn: from a file, or from standard input where that is `-`. Other seats read them.
pub(super) fn words(context: &Context<'_>, file: &Path) -> Result<Vec<u8>, EngineError> {
    if file == Path::new("-") {
        return standard_input();
    }
    if let Some(why) = outgoing::held_back(file, context.workspace.locks.root()) {
        return Err(EngineError::Usage(format!(
            "{}: {why}, so nobody is given it to read; if you mean it, name `-` and give its text on standard input",
            file.display()
        )));
    }
    Ok(read_named(file, REPLY_LIMIT_BYTES as u64)?)
}

fn standard_input() -> Result<Vec<u8>, EngineError> {
    let mut bytes = Vec::new();
    let limit = REPLY_LIMIT_BYTES as u64 + 1;
    std::io::stdin()
        .lock()
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| EngineError::Usage(format!("standard input: {error}")))?;
    Ok(bytes)
}
