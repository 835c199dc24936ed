//! What a handoff says of itself: whether it is final, which phases it is between, and its sign-off.
//!
//! A sign-off that says no holds the phase. What forge goes on without is told.
//!
//! Pure; if the process dies here nothing is left.

use super::answer::answer;
use crate::document::Document;
use crate::formats::plan::line_of;
use crate::formats::{active_workflow::words, scalar};
use forge_prose::blanks::{holds_place, says_something};
use forge_prose::outline::{Kind, Outline};
use forge_prose::phrases::Phrases;
use forge_prose::title_matches;
use forge_workflow::extract::passages::{key, one_line};
use forge_workflow::snapshot::Unclear;
use std::sync::LazyLock;

/// Words of `status` for a handoff that is done.
const FINAL: [&str; 7] = ["final", "complete", "completed", "done", "approved", "accepted", "signed_off"];

/// What the lines of a sign-off are about.
const ABOUT: [&str; 3] = ["phase completed", "blocked by", "ready to proceed"];
static CONDITIONS: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::of(include_str!("../../../data/sign-off-conditions.txt")));
static IN_PART: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../../data/in-part.txt")));

/// What is to be held or told because of what a handoff says of itself.
pub(super) fn doubts(path: &str, text: &str, parsed: &Document) -> Vec<Unclear> {
    let mut doubts = header(path, text, parsed);
    doubts.extend(signed(parsed).into_iter().filter_map(|said| sign_off(path, &said)));
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
            format!("its status is {status:?}; it is read, and a draft does not show that its phase is done: `status: final` when it is"),
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

/// A line of the sign-off.
struct Said {
    line: usize,
    about: String,
    value: String,
}

/// The lines of the sign-off. What is listed below a label without a value is its value.
fn signed(parsed: &Document) -> Vec<Said> {
    let outline = Outline::of(&parsed.body, parsed.body_line);
    let root = outline.parts(&parsed.body);
    let parts = root.all().into_iter().filter(|part| title_matches(&part.title.text, "Sign-off"));
    let mut said: Vec<Said> = Vec::new();
    let mut is_open = false;
    for block in parts.flat_map(|part| part.blocks()).filter(|block| !block.is_quoted && block.kind != Kind::Code) {
        if let (Kind::Row { .. }, [about, value, ..]) = (&block.kind, block.lines.as_slice()) {
            said.push(Said { line: block.line, about: key(&about.text), value: one_line(&value.text) });
            continue;
        }
        // What is ticked below "Blocked by" blocks no more.
        let is_settled = matches!(block.kind, Kind::Item { ticked: Some(true) });
        for line in &block.lines {
            let label = line.label().map(|(about, value)| (key(about), one_line(value)));
            let is_ours = |about: &str| ABOUT.contains(&about);
            match (label, said.last_mut().filter(|_| is_open)) {
                (Some((about, value)), None) => said.push(Said { line: line.line, about, value }),
                (Some((about, value)), Some(_)) if is_ours(&about) || block.kind == Kind::Paragraph => {
                    said.push(Said { line: line.line, about, value });
                }
                (_, Some(open)) if !is_settled => {
                    let gap = if open.value.is_empty() { "" } else { ", " };
                    open.value = format!("{}{gap}{}", open.value, one_line(&line.text));
                    continue;
                }
                _ => continue,
            }
            is_open = said.last().is_some_and(|last| last.value.is_empty() && is_ours(&last.about));
        }
    }
    said
}

fn sign_off(path: &str, said: &Said) -> Option<Unclear> {
    let Said { line, about, value } = said;
    let doubt = |text: String, holds| Some(Unclear { file: path.to_owned(), line: *line, text, holds });
    let answer = answer(value);
    if answer.is_none() && holds_place(value) {
        return None;
    }
    let shown = format!("`{}: {value}`", capital(about));
    match (about.as_str(), answer) {
        ("blocked by", answer) if answer != Some(false) && !is_nothing(value) => {
            doubt(format!("the handoff is blocked by {value}; write `Blocked by: None` when it is not any more"), true)
        }
        ("phase completed" | "ready to proceed", Some(false)) => {
            doubt(format!("the sign-off says {shown}; write `Yes` when it is so"), true)
        }
        ("phase completed" | "ready to proceed", Some(true)) if waits(value) => doubt(
            format!("the sign-off says {shown}, a yes that waits for something; write `Yes` when that is done"),
            true,
        ),
        ("phase completed" | "ready to proceed", None) if is_in_part(value) => {
            doubt(format!("the sign-off says {shown}, which is not all of it; write `Yes` when it is so"), true)
        }
        ("phase completed" | "ready to proceed", None) => {
            doubt(format!("the sign-off says {shown}, and the phase goes on"), false)
        }
        _ => None,
    }
}

/// Whether a yes is given on a condition.
fn waits(value: &str) -> bool {
    let lower = value.to_lowercase().replace("at once", "");
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    CONDITIONS.find(&words).is_some()
}

/// `Partial`, `mostly done`, `80 %`.
fn is_in_part(value: &str) -> bool {
    let said = forge_prose::words::words(value);
    let percent = said.windows(2).find(|pair| pair[1] == "%").map(|pair| pair[0].as_str());
    IN_PART.find(&said).is_some() || percent.is_some_and(|figure| figure != "100")
}

/// `None`, `nothing so far`, `No blockers`.
fn is_nothing(value: &str) -> bool {
    let first = value.split(['-', '–', '—', ';', ',', '.', '(']).next().unwrap_or_default();
    !says_something(first, "Blocked by blocker blockers anyone anything")
}

fn capital(about: &str) -> String {
    let mut letters = about.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
