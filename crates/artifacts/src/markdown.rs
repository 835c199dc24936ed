//! A reply, or a turn that somebody left as a file, taken apart: sections, ballot, labels.
//!
//! Promises: only real headings count (not those in code, quotes, lists or HTML); the ballot is the last fenced
//! `json` block and is read whole or not at all; nothing is judged here (forms do that, in `forge_debate::form`); no
//! panic and no long work on any bytes.
//!
//! Must never: take a vote from prose or from quoted words, repair JSON, or hide what it could not read.
//!
//! Pure; if the process dies here nothing is left.

mod ballot;

use crate::document::{Document, Front, decode};
use forge_debate::brief::plain;
use forge_debate::form::Draft;
pub use forge_debate::hidden::strip_ansi;
use forge_prose::outline::Outline;

/// Takes the bytes of a reply or a turn file apart; at most `limit_bytes` of them are read.
pub fn draft_of_bytes(bytes: &[u8], limit_bytes: usize) -> Draft {
    let mut problems = Vec::new();
    let mut read = bytes;
    if bytes.len() > limit_bytes {
        problems.push(format!("only the first {limit_bytes} of {} bytes were read", bytes.len()));
        read = &bytes[..limit_bytes];
        // Not in the middle of a character.
        while read.last().is_some_and(|byte| *byte >= 0x80) && bytes[read.len()] & 0xC0 == 0x80 {
            read = &read[..read.len() - 1];
        }
    }
    let decoded = decode(read);
    problems.extend(decoded.problems.iter().map(|problem| format!("line {}: {}", problem.line, problem.text)));
    let text = strip_ansi(&decoded.text);
    let document = Document::parse(&text);
    let mut draft = match document.front {
        Front::None | Front::Fields(_) => draft(&document.body, document.body_line),
        // A reply may begin with a rule; what follows it is front matter only if it looks like it.
        Front::Broken { line, text: problem } => {
            if text.lines().nth(1).is_some_and(looks_like_a_field) {
                problems.push(format!("line {line}: {problem}"));
            }
            draft(&text, 1)
        }
    };
    draft.problems = problems;
    draft
}

fn looks_like_a_field(line: &str) -> bool {
    let Some((name, value)) = line.split_once(':') else { return false };
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    is_name && !name.is_empty() && (value.is_empty() || value.starts_with([' ', '\t']))
}

/// Takes a text apart whose first line is line `first_line` of its file.
pub fn draft(text: &str, first_line: usize) -> Draft {
    let outline = Outline::of(text, first_line);
    let found = ballot::find(text, &outline.fences, first_line);
    let hole = found.lines.unwrap_or(text.len()..text.len());
    let mut sections = outline.sections(text, first_line, &hole);
    for section in &mut sections {
        section.title = plain(&section.title);
    }
    let plain_of = |labels: Vec<(String, String)>| {
        labels.into_iter().map(|(label, value)| (plain(&label), plain(&value))).collect()
    };
    Draft {
        text: [&text[..hole.start], &text[hole.end..]].concat(),
        sections,
        ballot: found.ballot,
        ballot_problem: found.problem,
        labels: plain_of(outline.bold_labels()),
        memo: plain_of(outline.memo_labels()),
        lookalikes: outline.lookalikes(),
        problems: Vec::new(),
        first_line,
    }
}
