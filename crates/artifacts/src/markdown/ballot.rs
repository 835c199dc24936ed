//! The machine-readable part of a reply: which block it is, and its values.
//!
//! JSON is read by serde_json, never repaired. Numbers keep their spelling; of a field that is there twice the first
//! counts.

use forge_debate::datum::{Datum, Fields};
use forge_prose::outline::{Fence, Lines};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;
use std::ops::Range;

/// The deepest nesting of a ballot.
const DEPTH_LIMIT: usize = 16;
/// The most fields of one object of a ballot.
const FIELD_LIMIT: usize = 128;
/// The most values of a ballot in all.
const VALUE_LIMIT: usize = 4096;

/// What the line behind an opening fence says.
enum Info {
    Json,
    Other,
    None,
}

fn info(fence: &Fence) -> Info {
    match fence.info.split_whitespace().next() {
        Some(word) if word.eq_ignore_ascii_case("json") => Info::Json,
        Some(_) => Info::Other,
        None => Info::None,
    }
}

/// Whether the last line of a block is the fence that its first line asks for.
fn is_closed(block: &str) -> bool {
    let Some((opening, rest)) = block.trim().split_once('\n') else { return false };
    let Some(mark) = opening.chars().next() else { return false };
    let length = opening.chars().take_while(|c| *c == mark).count();
    let last = rest.lines().next_back().unwrap_or("").trim();
    last.chars().count() >= length && last.chars().all(|c| c == mark)
}

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) ballot: Option<Fields>,
    pub(super) problem: Option<String>,
    /// The lines that the ballot takes up, if it could be read.
    pub(super) lines: Option<Range<usize>>,
}

impl Found {
    fn problem(text: String) -> Self {
        Self { problem: Some(text), ..Self::default() }
    }
}

/// The ballot: the last `json` block; without one, the last block without a language that holds an object; without one,
/// the whole text, if it is an object.
pub(super) fn find(text: &str, fences: &[Fence], first_line: usize) -> Found {
    let lines = Lines::of(text, first_line);
    if let Some(fence) = fences.iter().rev().find(|fence| matches!(info(fence), Info::Json)) {
        return of_fence(text, fence, &lines);
    }
    let opens_an_object = |fence: &Fence| fence.content.trim_start().starts_with('{');
    let mut unnamed = fences.iter().rev().filter(|fence| matches!(info(fence), Info::None) && opens_an_object(fence));
    let candidate = unnamed.find(|fence| !is_closed(&text[fence.range.clone()]) || read(&fence.content, 1).is_ok());
    match candidate {
        Some(fence) => of_fence(text, fence, &lines),
        None => of_whole(text, &lines),
    }
}

fn of_fence(text: &str, fence: &Fence, lines: &Lines) -> Found {
    let line = lines.number(fence.range.start);
    if !is_closed(&text[fence.range.clone()]) {
        return Found::problem(format!("the json block on line {line} is not closed: the reply seems to be cut off"));
    }
    match read(&fence.content, line + 1) {
        Ok(ballot) => Found { ballot: Some(ballot), lines: Some(lines.whole(&fence.range)), problem: None },
        Err(problem) => Found::problem(format!("the json block on line {line} cannot be read: {problem}")),
    }
}

fn of_whole(text: &str, lines: &Lines) -> Found {
    let Some(inside) = text.trim().strip_prefix('{') else { return Found::default() };
    // `{{placeholder}}` and a set in braces are prose.
    if !inside.trim_start().starts_with(['"', '}']) {
        return Found::default();
    }
    let start = text.len() - text.trim_start().len();
    match read(text.trim(), lines.number(start)) {
        Ok(ballot) => Found { ballot: Some(ballot), lines: Some(0..text.len()), problem: None },
        Err(problem) => Found::problem(format!("the reply begins like a JSON object but cannot be read: {problem}")),
    }
}

/// Reads an object whose first line is line `first_line` of its file.
fn read(json: &str, first_line: usize) -> Result<Fields, String> {
    // The first pass finds every defect with its line, and refuses what is nested too deep for the second.
    let value: Value = serde_json::from_str(json).map_err(|error| located(&error, first_line))?;
    if !value.is_object() {
        return Err("it must be an object, { ... }".to_owned());
    }
    let raw: &RawValue = serde_json::from_str(json).map_err(|error| located(&error, first_line))?;
    match datum(raw, DEPTH_LIMIT, &mut VALUE_LIMIT.clone())? {
        Datum::Record(fields) => Ok(fields),
        _ => Err("it must be an object, { ... }".to_owned()),
    }
}

fn located(error: &serde_json::Error, first_line: usize) -> String {
    let said = error.to_string();
    let what = said.rsplit_once(" at line ").map_or(said.as_str(), |(what, _)| what);
    let line = first_line + error.line().saturating_sub(1);
    format!("{what} on line {line}, column {}", error.column())
}

fn datum(raw: &RawValue, depth: usize, values_left: &mut usize) -> Result<Datum, String> {
    *values_left = values_left.checked_sub(1).ok_or_else(|| format!("it has more than {VALUE_LIMIT} values"))?;
    let depth = depth.checked_sub(1).ok_or_else(|| format!("it is nested deeper than {DEPTH_LIMIT} levels"))?;
    let json = raw.get();
    let parsed = |error: serde_json::Error| error.to_string();
    Ok(match json.as_bytes().first() {
        Some(b'{') => {
            let Entries(entries) = serde_json::from_str(json).map_err(parsed)?;
            if entries.len() > FIELD_LIMIT {
                return Err(format!("an object in it has more than {FIELD_LIMIT} fields"));
            }
            let fields = entries.into_iter().map(|(name, value)| Ok((name, datum(value, depth, values_left)?)));
            Datum::Record(fields.collect::<Result<Fields, String>>()?)
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(json).map_err(parsed)?;
            Datum::List(items.into_iter().map(|item| datum(item, depth, values_left)).collect::<Result<_, _>>()?)
        }
        Some(b'"') => Datum::Text(serde_json::from_str(json).map_err(parsed)?),
        Some(b't') => Datum::Flag(true),
        Some(b'f') => Datum::Flag(false),
        Some(b'n') => Datum::Null,
        _ => Datum::Number(json.to_owned()),
    })
}

/// The entries of an object as they stand there, duplicates too.
struct Entries<'j>(Vec<(String, &'j RawValue)>);

impl<'j> Deserialize<'j> for Entries<'j> {
    fn deserialize<D: Deserializer<'j>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor;
        impl<'j> Visitor<'j> for EntriesVisitor {
            type Value = Entries<'j>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'j>>(self, mut access: A) -> Result<Entries<'j>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = access.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(EntriesVisitor)
    }
}
