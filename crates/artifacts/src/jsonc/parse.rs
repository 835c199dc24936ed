//! Reading, with the place of everything.

use super::{Broken, DEPTH_LIMIT, Item, Kind, Node, line_of};
use std::ops::Range;

/// The value of a text; nothing where the text has none (it is empty, or has comments alone).
pub fn parse(text: &str) -> Result<Option<Node>, Broken> {
    parse_with_places(text).map(|(node, _)| node)
}

/// The same, with the places of the comments.
pub(super) fn parse_with_places(text: &str) -> Result<(Option<Node>, Vec<Range<usize>>), Broken> {
    let mut reader = Reader { text, at: 0, comments: Vec::new() };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    reader.skip_blanks()?;
    if reader.at == text.len() {
        return Ok((None, reader.comments));
    }
    let node = reader.value(0)?;
    reader.skip_blanks()?;
    if reader.at < text.len() {
        return Err(reader.broken("something stands behind the end of the JSON value; expected nothing more"));
    }
    Ok((Some(node), reader.comments))
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    comments: Vec<Range<usize>>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn broken(&self, what: impl Into<String>) -> Broken {
        self.broken_at(self.at, what)
    }

    fn broken_at(&self, at: usize, what: impl Into<String>) -> Broken {
        Broken { line: line_of(self.text, at), what: what.into() }
    }

    /// Whitespace and comments.
    fn skip_blanks(&mut self) -> Result<(), Broken> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Result<(), Broken> {
        let start = self.at;
        let rest = self.rest();
        let length = if rest.starts_with("//") {
            rest.find(['\n', '\r']).unwrap_or(rest.len())
        } else if let Some(inside) = rest.strip_prefix("/*") {
            let end = inside.find("*/").ok_or_else(|| self.broken("this comment has no end; expected */"))?;
            end + 4
        } else {
            return Err(self.broken("a single / stands here; a comment begins with // or /*"));
        };
        self.at += length;
        self.comments.push(start..self.at);
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Node, Broken> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{' | b'[') if depth >= DEPTH_LIMIT => {
                return Err(self.broken(format!("values are nested deeper than {DEPTH_LIMIT}")));
            }
            Some(b'{') => Kind::Object(self.items(b'}', depth)?),
            Some(b'[') => Kind::Array(self.items(b']', depth)?),
            Some(b'"') => Kind::String(self.string()?),
            Some(_) => self.scalar()?,
            None => return Err(self.broken("the file ends where a value is expected")),
        };
        Ok(Node { kind, span: start..self.at })
    }

    /// What stands between two brackets.
    fn items(&mut self, close: u8, depth: usize) -> Result<Vec<Item>, Broken> {
        let opened = self.at;
        self.at += 1;
        let mut items: Vec<Item> = Vec::new();
        loop {
            self.skip_blanks()?;
            match self.peek() {
                None => {
                    let close = char::from(close);
                    return Err(self
                        .broken_at(opened, format!("the bracket that opens here is never closed; expected {close}")));
                }
                Some(byte) if byte == close => {
                    self.at += 1;
                    return Ok(items);
                }
                Some(_) if items.last().is_some_and(|item| item.comma.is_none()) => {
                    return Err(self.broken(format!("expected , or {}", char::from(close))));
                }
                Some(_) => items.push(self.item(close == b'}', depth)?),
            }
        }
    }

    fn item(&mut self, has_key: bool, depth: usize) -> Result<Item, Broken> {
        let start = self.at;
        let mut key = None;
        if has_key {
            if self.peek() != Some(b'"') {
                return Err(self.broken("expected a key in double quotes"));
            }
            key = Some(self.string()?);
            self.skip_blanks()?;
            if self.peek() != Some(b':') {
                return Err(self.broken("expected : behind the key"));
            }
            self.at += 1;
            self.skip_blanks()?;
        }
        let value = self.value(depth + 1)?;
        self.skip_blanks()?;
        let comma = (self.peek() == Some(b',')).then_some(self.at);
        if comma.is_some() {
            self.at += 1;
        }
        Ok(Item { key, start, comma, value })
    }

    fn string(&mut self) -> Result<String, Broken> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        loop {
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => at += 2,
                Some(b'\n' | b'\r') | None => {
                    return Err(self.broken_at(start, "this text has no end on its line; expected \""));
                }
                Some(_) => at += 1,
            }
        }
        self.at = at + 1;
        serde_json::from_str(&self.text[start..self.at])
            .map_err(|_| self.broken_at(start, "a text that is no JSON: an unknown escape, or a control character"))
    }

    fn scalar(&mut self) -> Result<Kind, Broken> {
        let is_end = |c: char| c.is_whitespace() || matches!(c, ',' | ':' | '{' | '}' | '[' | ']' | '"' | '/');
        let length = self.rest().find(is_end).unwrap_or(self.rest().len());
        let word = &self.rest()[..length];
        if word.is_empty() {
            let found: String = self.rest().chars().take(1).collect();
            return Err(self.broken(format!("{found:?} stands where a value is expected")));
        }
        if serde_json::from_str::<serde_json::Value>(word).is_err() {
            let shown: String = word.chars().take(40).collect();
            return Err(self.broken(format!("{shown:?} is no value; a text needs double quotes")));
        }
        self.at += length;
        Ok(Kind::Scalar)
    }
}
