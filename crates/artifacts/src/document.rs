//! Documents: bytes that somebody may have edited, as a text, its front matter and its body.
//!
//! Reading never fails: what is wrong comes back as a value with its line, and the rest is read as well as it can be.
//! Writing touches one value: [`set_front_value`] and [`set_front_block`] leave every other byte as it was.
//!
//! Promises: no panic on any bytes; line numbers are those of the file, counted from 1.
//!
//! Must never: guess a value, drop an unknown key, or reformat what a person wrote.
//!
//! Pure; if the process dies here nothing is left.

mod edit;
mod hidden;

pub(crate) use edit::front_text;
pub use edit::{set_front_block, set_front_value};
pub use hidden::hidden;

use crate::yaml;
use serde_json::{Map, Value};
use std::ops::Range;

/// The most problems of one file that are listed; what comes after them is like them.
pub const PROBLEM_LIMIT: usize = 16;

/// Whether a file has nothing in it.
pub fn is_blank(bytes: &[u8]) -> bool {
    decode(bytes).text.trim().is_empty()
}

/// Something wrong with a file's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub text: String,
}

/// A file's bytes as a text with `\n` at the end of its lines, and without a byte order mark.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decoded {
    /// The text; what could not be read is U+FFFD in it.
    pub text: String,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// Reads bytes as a text, however they were saved.
pub fn decode(bytes: &[u8]) -> Decoded {
    let needs_care = |byte: &u8| matches!(byte, b'\r' | 0 | 0xEF | 0xFE | 0xFF);
    if !bytes.iter().any(needs_care)
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return Decoded { text: text.to_owned(), problems: Vec::new() };
    }
    let mut problems = Problems::default();
    let text = match bytes {
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes, &mut problems),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes, &mut problems),
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest, &mut problems),
        _ => utf8(bytes, &mut problems),
    };
    let mut clean = String::with_capacity(text.len());
    let mut line = 1;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                chars.next_if_eq(&'\n');
                clean.push('\n');
                line += 1;
            }
            '\n' => {
                clean.push('\n');
                line += 1;
            }
            '\0' => {
                problems.note(line, "a NUL byte");
                clean.push(char::REPLACEMENT_CHARACTER);
            }
            c => clean.push(c),
        }
    }
    Decoded { text: clean, problems: problems.0 }
}

/// What keeps a document from being read, with its line: bytes that are no text, or a header that is no YAML.
pub fn damage(bytes: &[u8]) -> Option<(usize, String)> {
    let decoded = decode(bytes);
    if let Some(problem) = decoded.problems.into_iter().next() {
        return Some((problem.line, problem.text));
    }
    match Document::parse(&decoded.text).front {
        Front::Broken { line, text } => Some((line, text)),
        Front::None | Front::Fields(_) => None,
    }
}

#[derive(Default)]
struct Problems(Vec<Problem>);

impl Problems {
    /// Notes each kind of problem once per line.
    fn note(&mut self, line: usize, text: &str) {
        let known = self.0.iter().any(|problem| problem.line == line && problem.text == text);
        if !known && self.0.len() < PROBLEM_LIMIT {
            self.0.push(Problem { line, text: text.to_owned() });
        }
    }
}

fn utf8(bytes: &[u8], problems: &mut Problems) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut line = 1;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        line += line_ends(chunk.valid());
        if !chunk.invalid().is_empty() {
            problems.note(line, "bytes that are not UTF-8");
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    text
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, problems: &mut Problems) -> String {
    problems.note(1, "the file is UTF-16; save it as UTF-8");
    let (pairs, odd) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    let mut text = String::from_utf16_lossy(&units);
    if !odd.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}

/// How many lines end in a text, however they end.
fn line_ends(text: &str) -> usize {
    let bytes = text.as_bytes();
    let lone = |at: usize| bytes.get(at + 1) != Some(&b'\n');
    bytes.iter().enumerate().filter(|(at, byte)| **byte == b'\n' || (**byte == b'\r' && lone(*at))).count()
}

/// A text in two parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// What stands between the `---` lines at the very start.
    pub front: Front,
    /// Everything after it; everything, where the front matter is not closed.
    pub body: String,
    /// The line of the file on which the body begins.
    pub body_line: usize,
}

/// A document's front matter.
#[derive(Debug, Clone, PartialEq)]
pub enum Front {
    /// There is none.
    None,
    /// Its fields, in their order.
    Fields(Map<String, Value>),
    /// It is there but cannot be read.
    Broken {
        /// The line of the file.
        line: usize,
        /// What is wrong.
        text: String,
    },
}

impl Document {
    /// Takes a text apart. Front matter begins with `---` on the first line and ends with `---` or `...`; a first `---`
    /// with an empty line or a Markdown heading of level two or more below it is a rule and begins none.
    pub fn parse(text: &str) -> Document {
        let Some(block) = Block::find(text) else {
            return Document { front: Front::None, body: text.to_owned(), body_line: 1 };
        };
        let Some(close) = block.close else {
            let front = Front::Broken { line: 1, text: "the front matter is not closed with a --- line".to_owned() };
            return Document { front, body: text.to_owned(), body_line: 1 };
        };
        let inside = &text[block.start..close.start];
        let front = match yaml::ours::read(inside)
            .map_or_else(|| yaml::read(inside, 2), |fields| Ok(Value::Object(fields)))
        {
            Ok(Value::Object(fields)) => Front::Fields(fields),
            Ok(Value::Null) => Front::Fields(Map::new()),
            Ok(_) => Front::Broken { line: 2, text: "the front matter is not a list of `key: value` lines".to_owned() },
            Err(problem) => Front::Broken { line: problem.line, text: problem.text },
        };
        let body_line = 1 + line_ends(&text[..close.end]);
        Document { front, body: text[close.end..].to_owned(), body_line }
    }

    /// The fields of the front matter, if it could be read.
    pub fn fields(&self) -> Option<&Map<String, Value>> {
        match &self.front {
            Front::Fields(fields) => Some(fields),
            Front::None | Front::Broken { .. } => None,
        }
    }
}

/// Where the front matter stands in a text, in bytes.
#[derive(Debug)]
struct Block {
    /// The first byte after the opening line.
    start: usize,
    /// The closing line with its line end.
    close: Option<Range<usize>>,
}

impl Block {
    fn find(text: &str) -> Option<Block> {
        let mut lines = lines_of(text);
        let (_, opening) = lines.next()?;
        // A text that was not decoded may still begin with a byte order mark.
        if bare(opening).trim_start_matches('\u{FEFF}') != "---" {
            return None;
        }
        let start = opening.len();
        let mut rest = lines.peekable();
        let first = rest.peek().map_or("", |(_, line)| bare(line));
        let is_heading = first.starts_with("##") && first.trim_start_matches('#').starts_with(' ');
        if first.trim().is_empty() || is_heading {
            return None;
        }
        let close = rest.find(|(_, line)| matches!(bare(line), "---" | "...")).map(|(at, line)| at..at + line.len());
        Some(Block { start, close })
    }
}

/// The lines of a text with their ends (`\n`, `\r\n` or `\r`), and where each begins.
fn lines_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let length = match rest.find(['\n', '\r']) {
            Some(end) if rest[end..].starts_with("\r\n") => end + 2,
            Some(end) => end + 1,
            None => rest.len(),
        };
        at += length;
        Some((at - length, &rest[..length]))
    })
}

/// A line without its end and the blanks before it.
fn bare(line: &str) -> &str {
    line.trim_end()
}
