//! JSON as people keep it in settings files: with comments, trailing commas, a byte order mark, any line ends. Read with
//! places, so that an edit changes the bytes that it must and no others.
//!
//! Must never: print a document anew.

mod edit;
mod parse;

pub use edit::{append, cut, printed};
pub use parse::parse;

use std::fmt;
use std::ops::Range;

/// How deep values may be nested.
pub const DEPTH_LIMIT: usize = 100;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Its bytes.
    pub span: Range<usize>,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// An object: its members in their order.
    Object(Vec<Item>),
    /// An array: its elements.
    Array(Vec<Item>),
    /// A string, without its escapes.
    String(String),
    /// A number, `true`, `false` or `null`.
    Scalar,
}

/// A member of an object or an element of an array.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The key of a member.
    pub key: Option<String>,
    /// Where it begins: at its key, or at its value.
    pub start: usize,
    /// The comma behind it.
    pub comma: Option<usize>,
    /// Its value.
    pub value: Node,
}

impl Node {
    /// The members or elements.
    pub fn items(&self) -> &[Item] {
        match &self.kind {
            Kind::Object(items) | Kind::Array(items) => items,
            Kind::String(_) | Kind::Scalar => &[],
        }
    }

    /// The value of a member. Of several with one key the last counts, as it does for those who read the file.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.position(key).and_then(|at| self.items().get(at)).map(|item| &item.value)
    }

    /// Where a member stands among the others.
    pub fn position(&self, key: &str) -> Option<usize> {
        let is_it = |item: &Item| item.key.as_deref() == Some(key);
        if matches!(self.kind, Kind::Object(_)) { self.items().iter().rposition(is_it) } else { None }
    }

    /// The text of a string.
    pub fn text(&self) -> Option<&str> {
        if let Kind::String(text) = &self.kind { Some(text) } else { None }
    }

    /// What it is, for a message.
    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Object(_) => "an object",
            Kind::Array(_) => "a list",
            Kind::String(_) => "a text",
            Kind::Scalar => "a number, true, false or null",
        }
    }
}

/// Why a text is no JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

/// The line of a place in a text, from 1.
pub fn line_of(text: &str, at: usize) -> usize {
    let before = &text.as_bytes()[..at.min(text.len())];
    let ends = before.iter().enumerate().filter(|(index, byte)| match byte {
        b'\n' => true,
        b'\r' => before.get(index + 1).is_some_and(|next| *next != b'\n'),
        _ => false,
    });
    ends.count() + 1
}
