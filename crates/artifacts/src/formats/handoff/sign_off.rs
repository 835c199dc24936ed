//! What a handoff says of itself: whether it is final, which phases it is between, and its sign-off.
//!
//! A sign-off that says no holds the phase. What forge goes on without is told.
//!
//! Pure; if the process dies here nothing is left.

use super::is_no;
use crate::document::Document;
use crate::formats::plan::line_of;
use crate::formats::{active_workflow::words, scalar};
use forge_prose::blanks::{holds_place, says_something};
use forge_prose::outline::{Block, Kind, Outline};
use forge_prose::title_matches;
use forge_workflow::extract::passages::{key, one_line};
use forge_workflow::snapshot::Unclear;

/// Words of `status` for a handoff that is done.
const FINAL: [&str; 7] = ["final", "complete", "completed", "done", "approved", "accepted", "signed_off"];

/// What is to be held or told because of what a handoff says of itself.
pub(super) fn doubts(path: &str, text: &str, parsed: &Document) -> Vec<Unclear> {
    let mut doubts = header(path, text, parsed);
    doubts.extend(signed(parsed).into_iter().filter_map(|(line, about, value)| sign_off(path, line, &about, &value)));
    doubts
}

fn header(path: &str, text: &str, parsed: &Document) -> Vec<Unclear> {
    let Some(fields) = parsed.fields() else { return Vec::new() };
    let said = |key: &str| scalar(fields, key).filter(|said| !holds_place(said));
    let doubt =
        |key: &str, what: String| Unclear { file: path.to_owned(), line: line_of(text, key), text: what, holds: false };
    let mut doubts = Vec::new();
    if let Some(status) = said("status").filter(|status| !FINAL.contains(&words::plain(status).as_str())) {
        doubts.push(doubt(
            "status",
            format!("its status is {status:?}, and it is read all the same; `status: final` when it is"),
        ));
    }
    let name = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
    let Some((from, to)) = name.split_once("-to-") else { return doubts };
    for (key, named) in [("from_phase", from), ("to_phase", to)] {
        if let Some(said) = said(key).filter(|said| words::phase(said) != named) {
            doubts.push(doubt(key, format!("{key} is {said:?}, and the file's name says {named}; the name counts")));
        }
    }
    doubts
}

/// The lines of the sign-off: line, what it is about, what it says.
fn signed(parsed: &Document) -> Vec<(usize, String, String)> {
    let outline = Outline::of(&parsed.body, parsed.body_line);
    let root = outline.parts(&parsed.body);
    let parts = root.all().into_iter().filter(|part| title_matches(&part.title.text, "Sign-off"));
    let blocks = parts.flat_map(|part| part.blocks()).filter(|block| !block.is_quoted && block.kind != Kind::Code);
    blocks.flat_map(|block| labelled(&block)).collect()
}

fn labelled(block: &Block) -> Vec<(usize, String, String)> {
    if let (Kind::Row { .. }, [about, value, ..]) = (&block.kind, block.lines.as_slice()) {
        return vec![(block.line, key(&about.text), one_line(&value.text))];
    }
    let label = |line: &forge_prose::outline::Line| {
        let (about, value) = line.label()?;
        Some((line.line, key(about), one_line(value)))
    };
    block.lines.iter().filter_map(label).collect()
}

fn sign_off(path: &str, line: usize, about: &str, value: &str) -> Option<Unclear> {
    let doubt = |text: String, holds| Some(Unclear { file: path.to_owned(), line, text, holds });
    if holds_place(value) {
        return None;
    }
    let answer = value.split([' ', ',', ';', '(']).next().unwrap_or_default().to_lowercase();
    match about {
        "blocked by" if !is_nothing(value) => {
            doubt(format!("the handoff is blocked by {value}; write `Blocked by: None` when it is not any more"), true)
        }
        "phase completed" | "ready to proceed" if is_no(value) => {
            doubt(format!("the sign-off says `{}: {value}`; write `Yes` when it is so", capital(about)), true)
        }
        "phase completed" | "ready to proceed"
            if !matches!(answer.as_str(), "yes" | "y" | "true" | "✅" | "ja" | "oui") =>
        {
            doubt(format!("the sign-off says `{}: {value}`, and the phase goes on", capital(about)), false)
        }
        _ => None,
    }
}

/// `None`, `nothing so far`, `No blockers`.
fn is_nothing(value: &str) -> bool {
    let first = value.split(['-', '–', '—', ';', ',', '.', '(']).next().unwrap_or_default();
    is_no(value) || !says_something(first, "Blocked by blocker blockers anyone anything")
}

fn capital(about: &str) -> String {
    let mut letters = about.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
