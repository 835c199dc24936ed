//! A metadata file as keys with values, in either of its two formats. Of what is not changed, JSON values and lines keep
//! their bytes; the blanks around JSON keys and values, and the spelling of keys, are written anew.
//!
//! JSON where the text begins with `{`: values of others are carried along as they are written, never read and written
//! again, so that no number is rounded and no escape is spelled anew. Otherwise `key=value` lines, where every line that
//! is not ours is kept, comments and blank lines too.

use serde::Deserialize;
use serde::de::{Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// The most keys of one file.
const ENTRIES_LIMIT: usize = 10_000;

/// A metadata file.
#[derive(Debug, Clone)]
pub(super) enum Entries {
    /// An object: keys, with their values as they are written.
    Json {
        /// In order.
        entries: Vec<(String, String)>,
        /// What follows the closing brace.
        tail: String,
    },
    /// Lines without their line feeds; a carriage return before one is part of its line.
    Lines(Vec<String>),
}

impl Entries {
    /// An object without keys.
    pub(super) fn empty_json() -> Self {
        Entries::Json { entries: Vec::new(), tail: "\n".to_owned() }
    }

    /// Reads a file; says what is wrong with it otherwise.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        if text.trim_start().starts_with('{') {
            let object: Object = serde_json::from_str(text).map_err(|error| format!("not a JSON object: {error}"))?;
            let tail = text[text.trim_end().len()..].to_owned();
            return Ok(Entries::Json { entries: object.0, tail });
        }
        let lines: Vec<String> = text.split_terminator('\n').map(str::to_owned).collect();
        // Anything else that does not begin with `{` would be damaged by lines at its end.
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| !is_blank(line)) {
            if pair(line).is_none_or(|(key, _)| !super::is_name(key)) {
                return Err(format!("line {} is not key=value", number + 1));
            }
        }
        if lines.len() > ENTRIES_LIMIT {
            return Err(format!("it has more than {ENTRIES_LIMIT} lines"));
        }
        Ok(Entries::Lines(lines))
    }

    /// The value of a key; only texts are values.
    pub(super) fn get(&self, wanted: &str) -> Option<String> {
        match self {
            Entries::Json { entries, .. } => {
                let (_, raw) = entries.iter().find(|(key, _)| key == wanted)?;
                serde_json::from_str(raw).ok()
            }
            Entries::Lines(lines) => {
                lines.iter().filter_map(|line| pair(line)).find(|(key, _)| *key == wanted).map(|(_, v)| v.to_owned())
            }
        }
    }

    /// Gives a key this value, or removes it; tells whether that changed anything.
    pub(super) fn set(&mut self, wanted: &str, value: Option<&str>) -> bool {
        match self {
            Entries::Json { entries, .. } => {
                let written = value.map(|value| serde_json::Value::from(value).to_string());
                let same = |raw: &str| value.is_some() && serde_json::from_str::<String>(raw).ok().as_deref() == value;
                put(
                    entries,
                    |(key, _)| key == wanted,
                    |(_, raw)| same(raw),
                    written.map(|raw| (wanted.to_owned(), raw)),
                )
            }
            Entries::Lines(lines) => {
                let is_wanted = |line: &String| pair(line).is_some_and(|(key, _)| key == wanted);
                let same = |line: &String| pair(line).map(|(_, now)| now) == value;
                put(lines, is_wanted, same, value.map(|value| format!("{wanted}={value}")))
            }
        }
    }

    /// The file's text.
    pub(super) fn write(&self) -> String {
        match self {
            Entries::Json { entries, tail } if entries.is_empty() => format!("{{}}{tail}"),
            Entries::Json { entries, tail } => {
                let lines: Vec<String> = entries
                    .iter()
                    .map(|(key, raw)| format!("  {}: {raw}", serde_json::Value::from(key.as_str())))
                    .collect();
                format!("{{\n{}\n}}{tail}", lines.join(",\n"))
            }
            Entries::Lines(lines) => lines.iter().map(|line| format!("{line}\n")).collect(),
        }
    }
}

/// Makes exactly one entry say `new`, where the first one was that did; none where `new` is none. Tells whether that
/// changed anything.
fn put<E>(entries: &mut Vec<E>, is_wanted: impl Fn(&E) -> bool, same: impl Fn(&E) -> bool, new: Option<E>) -> bool {
    let at: Vec<usize> = entries.iter().enumerate().filter(|(_, one)| is_wanted(one)).map(|(i, _)| i).collect();
    let settled = match (at.as_slice(), &new) {
        ([], None) => true,
        ([only], Some(_)) => entries.get(*only).is_some_and(same),
        _ => false,
    };
    if settled {
        return false;
    }
    let place = at.first().copied().unwrap_or(entries.len());
    entries.retain(|one| !is_wanted(one));
    if let Some(new) = new {
        entries.insert(place, new);
    }
    true
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

/// A line as AO reads it: the first `=` parts key and value.
fn pair(line: &str) -> Option<(&str, &str)> {
    if is_blank(line) {
        return None;
    }
    line.split_once('=').map(|(key, value)| (key.trim(), value.trim()))
}

/// An object whose values are kept as they are written.
struct Object(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut entries = Vec::new();
                while let Some((key, raw)) = map.next_entry::<String, Box<RawValue>>()? {
                    if entries.len() == ENTRIES_LIMIT {
                        return Err(A::Error::custom(format!("more than {ENTRIES_LIMIT} keys")));
                    }
                    entries.push((key, raw.get().to_owned()));
                }
                Ok(Object(entries))
            }
        }
        deserializer.deserialize_map(Keys)
    }
}
