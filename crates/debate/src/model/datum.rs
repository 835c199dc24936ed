//! A ballot's contents as plain values.
//!
//! The same shape as JSON, kept apart from any serialisation crate so that this crate stays free of formats. Numbers
//! are kept as the text that was written: forge compares and prints them, it never computes with them.

use std::fmt;

/// One value of a ballot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Datum {
    Null,
    Flag(bool),
    /// A number, as written.
    Number(String),
    Text(String),
    /// Several values in order.
    List(Vec<Datum>),
    /// Named values in the order in which they were written.
    Record(Fields),
}

/// Named values in the order in which they were written; a later duplicate of a name is ignored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fields(Vec<(String, Datum)>);

impl Fields {
    pub fn new() -> Self {
        Self::default()
    }

    /// The value under `name`; names are compared without case, and `-` and blanks count as `_`.
    pub fn get(&self, name: &str) -> Option<&Datum> {
        self.0.iter().find(|(key, _)| is_same_name(key, name)).map(|(_, value)| value)
    }

    /// The value under `name`, if there is one.
    pub fn given(&self, name: &str) -> Option<&Datum> {
        self.get(name).filter(|value| **value != Datum::Null)
    }

    /// Adds a value unless the name is taken.
    pub fn put(&mut self, name: impl Into<String>, value: Datum) {
        let name = name.into();
        if self.get(&name).is_none() {
            self.0.push((name, value));
        }
    }

    /// Puts a value under a name, replacing what was there.
    pub fn set(&mut self, name: &str, value: Datum) {
        match self.0.iter_mut().find(|(key, _)| is_same_name(key, name)) {
            Some(slot) => slot.1 = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// Takes a value away, if it is there.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(key, _)| !is_same_name(key, name));
    }

    /// The fields in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Datum)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text under `name`, trimmed; empty when there is none.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).and_then(Datum::as_text).unwrap_or("").trim()
    }

    /// The flag under `name`; false when there is none.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Datum::Flag(true)))
    }

    /// The texts of the list under `name`; a single text counts as a list of one.
    pub fn texts(&self, name: &str) -> Vec<&str> {
        match self.get(name) {
            Some(Datum::List(items)) => {
                items.iter().filter_map(Datum::as_text).map(str::trim).filter(|t| !t.is_empty()).collect()
            }
            Some(Datum::Text(one)) if !one.trim().is_empty() => vec![one.trim()],
            _ => Vec::new(),
        }
    }

    /// The records of the list under `name`.
    pub fn records(&self, name: &str) -> Vec<&Fields> {
        match self.get(name) {
            Some(Datum::List(items)) => items.iter().filter_map(Datum::as_record).collect(),
            Some(Datum::Record(one)) => vec![one],
            _ => Vec::new(),
        }
    }
}

impl FromIterator<(String, Datum)> for Fields {
    fn from_iter<T: IntoIterator<Item = (String, Datum)>>(iter: T) -> Self {
        let mut fields = Fields::new();
        fields.extend(iter);
        fields
    }
}

impl IntoIterator for Fields {
    type Item = (String, Datum);
    type IntoIter = std::vec::IntoIter<(String, Datum)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Extend<(String, Datum)> for Fields {
    fn extend<T: IntoIterator<Item = (String, Datum)>>(&mut self, iter: T) {
        for (name, value) in iter {
            self.put(name, value);
        }
    }
}

/// The comparable form of a field's name: `Chosen Option`, `chosen-option` and `chosen_option` are one name.
pub fn field_name(written: &str) -> String {
    comparable(written).collect()
}

fn is_same_name(one: &str, other: &str) -> bool {
    comparable(one).eq(comparable(other))
}

fn comparable(written: &str) -> impl Iterator<Item = char> {
    written.trim().chars().map(|c| if c == '-' || c.is_whitespace() { '_' } else { c.to_ascii_lowercase() })
}

impl Datum {
    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Datum::Text(text) | Datum::Number(text) => Some(text),
            _ => None,
        }
    }

    /// The named values, if it is a record.
    pub fn as_record(&self) -> Option<&Fields> {
        match self {
            Datum::Record(fields) => Some(fields),
            _ => None,
        }
    }

    /// What a person would call it in an error message.
    pub fn kind(&self) -> &'static str {
        match self {
            Datum::Null => "nothing",
            Datum::Flag(_) => "true/false",
            Datum::Number(_) => "a number",
            Datum::Text(_) => "a text",
            Datum::List(_) => "a list",
            Datum::Record(_) => "an object",
        }
    }
}

impl From<&str> for Datum {
    fn from(text: &str) -> Self {
        Datum::Text(text.to_owned())
    }
}

impl From<String> for Datum {
    fn from(text: String) -> Self {
        Datum::Text(text)
    }
}

impl From<bool> for Datum {
    fn from(flag: bool) -> Self {
        Datum::Flag(flag)
    }
}

impl fmt::Display for Datum {
    /// JSON. The one place where this crate spells a format: ballots shown in briefs are JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Datum::Null => f.write_str("null"),
            Datum::Flag(flag) => write!(f, "{flag}"),
            Datum::Number(number) => f.write_str(number),
            Datum::Text(text) => write_json_text(f, text),
            Datum::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{item}")?;
                }
                f.write_str("]")
            }
            Datum::Record(fields) => {
                f.write_str("{")?;
                for (i, (name, value)) in fields.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write_json_text(f, name)?;
                    write!(f, ": {value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

fn write_json_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if (c as u32) < 0x20 => write!(f, "\\u{:04x}", c as u32)?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}
