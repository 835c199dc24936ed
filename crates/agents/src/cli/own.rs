//! Agents of the user's own: a command from the configuration, and where the answer is in what it prints.

use crate::agent::FailureKind;
use crate::agent::Served;
use crate::keeper::How;
use crate::recipes::reading::{ending, events, no_result, nothing, without_ansi};
use crate::recipes::{Printed, Said, Trouble};
use crate::settings::{AgentSettings, OutputShape};
use crate::voice::one_line;
use serde_json::Value;

/// The most characters that are repeated of what cannot be read.
const BEGINNING_CHARS: usize = 80;

/// The arguments, filled in. One that is only a model's place is left out, with the flag before it, where there is no model.
pub(super) fn arguments(settings: &AgentSettings, model: Option<&str>, prompt_file: Option<&str>) -> Vec<String> {
    let mut filled: Vec<String> = Vec::new();
    for argument in settings.args.iter().flatten() {
        if argument == "{model}" && model.is_none() {
            if filled.last().is_some_and(|flag| flag.starts_with('-')) {
                filled.pop();
            }
            continue;
        }
        let argument = argument.replace("{model}", model.unwrap_or_default());
        filled.push(argument.replace("{prompt_file}", prompt_file.unwrap_or_default()));
    }
    filled
}

/// What it said.
pub(super) fn read(printed: &Printed<'_>, shape: &OutputShape) -> Result<Said, Trouble> {
    if let Some(trouble) = ending(printed, None) {
        return Err(trouble);
    }
    if *printed.how != How::Exited(0) {
        return Err(no_result(printed));
    }
    let text = match shape {
        OutputShape::Text => without_ansi(printed.stdout),
        OutputShape::Json(pointer) => at(printed.stdout, pointer)?,
    };
    if text.trim().is_empty() {
        return Err(nothing(Served::default()));
    }
    Ok(Said { text, ..Said::default() })
}

/// What stands at a pointer in the one document that was printed, or in the last line that has something there.
fn at(stdout: &str, pointer: &str) -> Result<String, Trouble> {
    let whole: Option<Value> = serde_json::from_str(stdout.trim()).ok();
    let documents = whole.map_or_else(|| events(stdout), |document| vec![document]);
    if documents.is_empty() {
        let begins = one_line(&without_ansi(stdout), BEGINNING_CHARS);
        let begins = if begins.is_empty() { "nothing".to_owned() } else { format!("{begins:?}") };
        let detail =
            format!("printed no JSON with the answer at {pointer:?}, as its output setting says, but {begins}");
        return Err(Trouble::new(FailureKind::Unparsable, detail));
    }
    let found = documents.iter().rev().find_map(|document| document.pointer(pointer));
    match found {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Null) | None => {
            let begins = one_line(stdout, BEGINNING_CHARS);
            let detail = format!("printed JSON that has nothing at {pointer:?}, as its output setting says: {begins}");
            Err(Trouble::new(FailureKind::Unparsable, detail))
        }
        Some(other) => Ok(other.to_string()),
    }
}
