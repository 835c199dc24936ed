//! Asking whoever sits at the terminal to decide what the judges left open, and recording the answer as `debate decide` does.

use super::Context;
use crate::exit::Exit;
use crate::render;
use forge_artifacts::formats::verdict::Account;
use forge_engine::EngineError;
use std::io::{BufRead as _, IsTerminal as _, Write as _};

/// How often a question is put before it is left open.
const TRIES: usize = 3;
/// The most bytes of an answer.
const ANSWER_LIMIT_BYTES: u64 = 16 * 1024;

/// Whether somebody can be asked: both ends are a terminal.
pub(crate) fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Asks for an option, a reason and, where nobody knows it, a name. An empty answer leaves the debate as it is.
pub(crate) fn decide(context: &Context<'_>, account: &Account, left_open: Exit) -> Result<Exit, EngineError> {
    let plan = &account.plan;
    let Some(option) = ask("Your choice (Enter leaves it open): ", |said| {
        let option = plan.option_meant(said).map(|option| option.id.clone());
        option.ok_or_else(|| {
            let ids: Vec<&str> = plan.options.iter().map(|option| option.id.as_str()).collect();
            format!("{said:?} is none of {}", ids.join(", "))
        })
    }) else {
        return Ok(left_open);
    };
    let any = |said: &str| Ok(said.to_owned());
    let Some(because) = ask("Why? ", any) else { return Ok(left_open) };
    let Some(by) = context.speaker(None).or_else(|| ask("Who decides? ", any)) else { return Ok(left_open) };
    let decided = context.workspace.decide(&account.plan_file, option.as_str(), &because, &by)?;
    render::note(&format!("recorded in {}", decided.file));
    decided.notes.iter().for_each(|note| render::note(note));
    render::out(&render::verdict(&decided.account, context.style));
    Ok(Exit::Done)
}

/// One answer; `None` where there is none.
fn ask<T>(question: &str, read: impl Fn(&str) -> Result<T, String>) -> Option<T> {
    for _ in 0..TRIES {
        let mut stdout = std::io::stdout().lock();
        let _ = stdout.write_all(question.as_bytes());
        let _ = stdout.flush();
        drop(stdout);
        let mut line = String::new();
        let mut input = std::io::Read::take(std::io::stdin().lock(), ANSWER_LIMIT_BYTES);
        let bytes = input.read_line(&mut line).ok()?;
        let said = line.trim();
        if bytes == 0 || said.is_empty() {
            return None;
        }
        match read(said) {
            Ok(answer) => return Some(answer),
            Err(problem) => render::out(&render::safe(&problem)),
        }
    }
    None
}
