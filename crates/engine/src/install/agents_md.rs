//! The block for AGENTS.md, which many programs read: between two marks, and only where the user asks for it.

use super::project::{Change, Line};
use crate::workspace::EngineError;
use forge_artifacts::disk::{Disk, WorkspaceDisk};
use forge_debate::digest::Digest;

/// The file.
const FILE: &str = "AGENTS.md";
const BEGIN: &str = "<!-- forge begin: written by `forge install --agents-md`; change it and it is yours: ";
const END: &str = "<!-- forge end -->";
/// In the first mark, where the text before it has no end of line.
const JOINED: &str = " (the line above had no end)";
/// In the first mark, where the file was there with nothing in it.
const EMPTY: &str = " (the file was empty)";
const BLOCK: &str = include_str!("../../pages/agents-md.md");

/// A text with forge's block in it.
struct Found<'t> {
    before: &'t str,
    after: &'t str,
    note: &'static str,
    is_changed: bool,
}

/// What becomes of the file when forge is installed with it.
pub(super) fn plan(disk: &WorkspaceDisk, program: &str) -> Result<Line, EngineError> {
    let Some(text) = read(disk)? else { return Ok(line(Change::New, Some(block(program, "\n", "")))) };
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let (edited, change) = match find(&text)? {
        Some(found) if found.is_changed => return Ok(line(Change::Kept, None)),
        Some(found) => {
            let block = block(program, newline, found.note);
            (format!("{}{block}{}", found.before, found.after), Change::Renewed)
        }
        None if text.trim().is_empty() => {
            let note = if text.is_empty() { EMPTY } else { "" };
            (format!("{text}{}", block(program, newline, note)), Change::Edited)
        }
        None => {
            let (end, note) = if text.ends_with('\n') { ("", "") } else { (newline, JOINED) };
            (format!("{text}{end}{newline}{}", block(program, newline, note)), Change::Edited)
        }
    };
    let change = if edited == text { Change::Same } else { change };
    Ok(line(change, (change != Change::Same).then_some(edited)))
}

/// What becomes of it when forge is taken out; nothing where forge has no block there.
pub(super) fn plan_removal(disk: &WorkspaceDisk) -> Result<Option<Line>, EngineError> {
    let Some(text) = read(disk)? else { return Ok(None) };
    let Some(found) = find(&text)? else { return Ok(None) };
    if found.is_changed {
        return Ok(Some(line(Change::Kept, None)));
    }
    let without_end = |text: &str| {
        let text = text.strip_suffix('\n').unwrap_or(text);
        text.strip_suffix('\r').unwrap_or(text).to_owned()
    };
    // The empty line before it is forge's too.
    let mut before = found.before.to_owned();
    if !before.trim().is_empty() && (before.ends_with("\n\n") || before.ends_with("\n\r\n")) {
        before = without_end(&before);
    }
    if found.note == JOINED {
        before = without_end(&before);
    }
    let rest = format!("{before}{}", found.after);
    let is_forges = rest.is_empty() && found.note != EMPTY;
    Ok(Some(if is_forges { line(Change::Removed, None) } else { line(Change::Edited, Some(rest)) }))
}

fn line(change: Change, text: Option<String>) -> Line {
    Line { path: FILE.to_owned(), change, text }
}

fn read(disk: &WorkspaceDisk) -> Result<Option<String>, EngineError> {
    let Some(bytes) = disk.read(FILE)? else { return Ok(None) };
    let not_text =
        |_| EngineError::Usage(format!("{FILE} is not UTF-8; save it as UTF-8, then run the same command again"));
    String::from_utf8(bytes).map(Some).map_err(not_text)
}

fn block(program: &str, newline: &str, note: &str) -> String {
    let inner = BLOCK.replace("`forge ", &format!("`{program} "));
    format!("{BEGIN}{}{note} -->\n{inner}{END}\n", digest(&inner)).replace('\n', newline)
}

fn find(text: &str) -> Result<Option<Found<'_>>, EngineError> {
    let Some(at) = text.find(BEGIN) else { return Ok(None) };
    let broken = || {
        let number = text[..at].lines().count() + 1;
        EngineError::Usage(format!(
            "{FILE}:{number}: forge's block begins here and has no end; put a line {END} behind it, or take the line out, then run the same command again"
        ))
    };
    let (mark, rest) = text[at + BEGIN.len()..].split_once(" -->").ok_or_else(broken)?;
    let (inner, after) = rest.split_once(END).ok_or_else(broken)?;
    let after = after.strip_prefix('\r').unwrap_or(after);
    let inner = inner.replace("\r\n", "\n");
    let noted = [JOINED, EMPTY].into_iter().find_map(|note| Some((mark.strip_suffix(note)?, note)));
    let (said, note) = noted.unwrap_or((mark, ""));
    let is_changed = inner.strip_prefix('\n').is_none_or(|inner| digest(inner) != said);
    Ok(Some(Found { before: &text[..at], after: after.strip_prefix('\n').unwrap_or(after), note, is_changed }))
}

fn digest(text: &str) -> String {
    Digest::of(text.as_bytes()).short(16)
}
