//! Which items of an assumptions section are new, and which say what became of one that is there.
//!
//! `A3: validated - because ...`, `A3 invalidated: ...` and `[x] A3 ... validated` are about A3 and are no assumptions.
//!
//! Pure; if the process dies here nothing is left.

use super::ids::{Letters, head};
use super::if_wrong::if_wrong;
use super::passages::one_line;
use super::ratings;
use super::statements::Statement;
use crate::knowledge::{Assumption, Kind, Standing, Validation};

/// An assumptions section, taken apart.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) assumptions: Vec<Assumption>,
    /// Of each assumption, the id that the writer gave it.
    pub(super) ids: Vec<Option<String>>,
    pub(super) validations: Vec<Validation>,
    /// Of each validation, its line.
    pub(super) lines: Vec<usize>,
}

/// Takes statements apart. Sources are still to be given.
pub(super) fn read(statements: Vec<(Option<String>, Statement)>) -> Read {
    let mut read = Read::default();
    for (id, statement) in statements {
        let (ticked, text) = unboxed(&statement.text);
        let id = id.map(|id| (id, text.to_owned())).or_else(|| {
            // "A3 invalidated: ..." and "[x] A3 ..." have no mark after the id. Another letter is an id only before a verdict.
            let own = head(Kind::Assumption, Letters::Own, text);
            let any = || head(Kind::Assumption, Letters::Any, text).filter(|head| verdict_in(&head.rest).is_some());
            own.or_else(any).map(|head| (head.id, head.rest))
        });
        let column = statement.get(&["status", "result"]).and_then(ratings::standing);
        let above = || statement.below.iter().find_map(|title| ratings::standing(title));
        let column = column.or_else(above).filter(|it| *it != Standing::Open);
        let found = id.as_ref().and_then(|(id, rest)| {
            let said = verdict_in(rest);
            let (standing, because) = match (said, column, ticked) {
                (Some(said), _, None | Some(true)) => said,
                // An item below such a heading tells how it was found out; a row has a column for that.
                (None, Some(standing), None | Some(true)) if statement.fields.is_empty() => (standing, one_line(rest)),
                (None, Some(standing), None | Some(true)) => (standing, reason_of(&statement)),
                (None, None, Some(true)) => (Standing::Validated, one_line(rest)),
                _ => return None,
            };
            Some(Validation { assumption: id.clone(), standing, because, source: String::new() })
        });
        match (found, id) {
            (Some(validation), _) => {
                read.validations.push(validation);
                read.lines.push(statement.line);
            }
            (None, Some((_, rest))) if verdict_in(&rest).is_some() => {}
            (None, id) => {
                let (id, text) = id.map_or_else(|| (None, text.to_owned()), |(id, rest)| (Some(id), rest));
                let mut assumption = Statement { text, ..statement }.assumption();
                if assumption.risk_if_invalid.is_empty() {
                    assumption.risk_if_invalid = if_wrong(&assumption.text).to_owned();
                }
                read.assumptions.push(assumption);
                read.ids.push(id);
            }
        }
    }
    read
}

fn reason_of(statement: &Statement) -> String {
    one_line(statement.get(&["because", "evidence", "reason", "notes", "how", "validation method"]).unwrap_or_default())
}

/// A text without the box before it, and whether that is ticked.
fn unboxed(text: &str) -> (Option<bool>, &str) {
    let text = text.trim();
    let rest = text.get(..3).filter(|start| start.starts_with('[') && start.ends_with(']')).map(|_| text[3..].trim());
    match (text.as_bytes().get(1), rest) {
        (Some(b'x' | b'X'), Some(rest)) => (Some(true), rest),
        (Some(b' '), Some(rest)) => (Some(false), rest),
        _ => (None, text),
    }
}

/// `validated - because ...`, `OAuth works: validated`, `(invalidated) since ...`: what, and why. The word counts where it
/// stands alone between marks, before a ground, or last; "validated tokens expire" says nothing about the assumption.
fn verdict_in(text: &str) -> Option<(Standing, String)> {
    const NAMES: &[(&str, Standing)] = &[
        ("validated", Standing::Validated),
        ("confirmed", Standing::Validated),
        ("invalidated", Standing::Invalidated),
        ("disproved", Standing::Invalidated),
        ("refuted", Standing::Invalidated),
    ];
    const LINKS: &[&str] = &["is", "was", "now", "has", "been", "status"];
    const GROUNDS: &[&str] = &["because", "by", "in", "since", "as", "with", "on", "after", "through", "via"];
    const MARKS: &[char] = &[':', ';', ',', '.', '(', ')', '-', '–', '—'];
    let bare = text.replace("**", "");
    let said: Vec<&str> = bare.split_whitespace().collect();
    for (at, word) in said.iter().enumerate() {
        let name = word.trim_matches(MARKS);
        let Some((_, standing)) = NAMES.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)) else { continue };
        let among = |word: &str, names: &[&str]| names.iter().any(|known| word.eq_ignore_ascii_case(known));
        let before = said[..at].iter().rev().find(|word| !among(word, LINKS));
        let after = said.get(at + 1);
        let opens = word.starts_with('(') || before.is_none_or(|word| word.ends_with(MARKS));
        let closes = word.ends_with(MARKS) || after.is_none_or(|word| word.starts_with(MARKS) || among(word, GROUNDS));
        let denied = before.is_some_and(|word| among(word, &["not", "never"]));
        if denied || !((opens && closes) || after.is_none()) {
            continue;
        }
        let trimmed = |words: &[&str]| words.join(" ").trim_matches([' ', ':', ';', ',', '-', '–', '—']).to_owned();
        let (why, what) = (trimmed(&said[at + 1..]), trimmed(&said[..at]));
        let why = why.strip_prefix("because ").unwrap_or(&why);
        return Some((*standing, if why.is_empty() { what } else { why.to_owned() }));
    }
    None
}
