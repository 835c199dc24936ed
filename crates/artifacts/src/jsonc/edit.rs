//! Adding and taking out, in the file's own hand: its indentation, its line ends, its commas. Cutting what was appended last
//! gives back the text, but for an empty container, which may have been spelled in another way.

use super::parse::parse_with_places;
use super::{Broken, Item, Node};
use serde_json::Value;
use std::ops::Range;

/// What a step of indentation is where the file shows none.
const STEP: &str = "  ";

/// The text with one more element in the list, or one more member in the object, at a path of keys. What is missing on the way is made.
///
/// Nothing at all is taken for an empty object.
pub fn append(text: &str, path: &[&str], item: &Value) -> Result<String, Broken> {
    let (node, comments) = parse_with_places(text)?;
    let Some(root) = node else {
        let value = nested(path, Value::Array(vec![item.clone()]));
        let hand = Hand { newline: newline(text), step: STEP.to_owned() };
        // A remark at the end would swallow the first line.
        let gap = if comments.is_empty() || text.ends_with(['\n', '\r']) { "" } else { hand.newline };
        return Ok(format!("{text}{gap}{}{}", hand.printed(&value, ""), hand.newline));
    };
    let page = Page { text, comments };
    let mut at = &root;
    for (depth, key) in path.iter().enumerate() {
        let Some(found) = at.get(key) else {
            let value = nested(&path[depth + 1..], Value::Array(vec![item.clone()]));
            return Ok(page.appended(at, Some(key), &value, &root));
        };
        at = found;
    }
    Ok(page.appended(at, None, item, &root))
}

/// A value below keys, each an object with one member.
fn nested(path: &[&str], value: Value) -> Value {
    path.iter().rev().fold(value, |inner, key| Value::Object([((*key).to_owned(), inner)].into_iter().collect()))
}

/// The text of a new file with this value, one item below the other.
pub fn printed(value: &Value) -> String {
    let hand = Hand { newline: "\n", step: STEP.to_owned() };
    format!("{}\n", hand.printed(value, ""))
}

/// The text without one item of the container. A container that is empty then has nothing between its brackets but comments.
pub fn cut(text: &str, container: &Node, index: usize) -> Result<String, Broken> {
    let (_, comments) = parse_with_places(text)?;
    let page = Page { text, comments };
    let items = container.items();
    let Some(item) = items.get(index) else { return Ok(text.to_owned()) };
    let is_bare = |from: usize, to: usize| !page.comments.iter().any(|comment| (from..to).contains(&comment.start));
    if let Some(next) = items.get(index + 1).filter(|next| is_bare(item.value.span.end, next.start)) {
        return Ok(format!("{}{}", &text[..item.start], &text[next.start..]));
    }
    let mut gone: Vec<Range<usize>> = Vec::new();
    let after = item.comma.map_or(item.value.span.end, |comma| comma + 1);
    gone.push(page.line_after_remark(page.blanks_before(item.start), after)..item.value.span.end);
    let is_last = index + 1 == items.len();
    match (item.comma, index.checked_sub(1).and_then(|before| items.get(before)).and_then(|item| item.comma)) {
        (Some(comma), _) => gone.push(comma..comma + 1),
        (None, Some(comma)) if is_last => gone.push(comma..comma + 1),
        _ => {}
    }
    if items.len() == 1 {
        let close = container.span.end - 1;
        let from = item.comma.map_or(item.value.span.end, |comma| comma + 1);
        let inside = container.span.start + 1..close;
        let has_comment =
            page.comments.iter().any(|comment| inside.contains(&comment.start) && !within(comment, &item.value.span));
        if !has_comment {
            gone.push(from..close);
        }
    }
    gone.sort_by_key(|range| std::cmp::Reverse(range.start));
    let mut edited = text.to_owned();
    for range in gone {
        edited.replace_range(range, "");
    }
    Ok(edited)
}

fn within(inner: &Range<usize>, outer: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

struct Page<'t> {
    text: &'t str,
    comments: Vec<Range<usize>>,
}

impl Page<'_> {
    /// A place, or the next line where a remark reaches to it: what stands on the line after it must not become part of the
    /// remark.
    fn line_after_remark(&self, at: usize, after: usize) -> usize {
        let is_remark = |comment: &Range<usize>| comment.end == at && self.text[comment.start..].starts_with("//");
        let ends_line = self.text[after..].trim_start_matches([' ', '\t']).starts_with(['\n', '\r']);
        if ends_line || !self.comments.iter().any(is_remark) {
            return at;
        }
        self.text[at..].find('\n').map_or(at, |newline| at + newline + 1)
    }

    /// The text with one more item in a container.
    fn appended(&self, container: &Node, key: Option<&str>, value: &Value, root: &Node) -> String {
        let hand = Hand { newline: newline(self.text), step: self.step(root) };
        let close = container.span.end - 1;
        let key = key.map(|key| format!("{}: ", Value::from(key))).unwrap_or_default();
        let mut edited = self.text.to_owned();
        match container.items() {
            [] => {
                let outer = self.indentation(container.span.start);
                let inner = format!("{outer}{}", hand.step);
                let last = self.comments.iter().rfind(|comment| container.span.contains(&comment.start));
                let at = last.map_or(container.span.start + 1, |comment| comment.end);
                let gap = &self.text[at..close];
                let printed = format!("{}{inner}{key}{}", hand.newline, hand.printed(value, &inner));
                let is_one_line = !root.items().is_empty() && !self.text.trim().contains(['\n', '\r']);
                if is_one_line {
                    edited.insert_str(at, &format!("{key}{value}"));
                } else if gap.contains(['\n', '\r']) {
                    edited.insert_str(at, &printed);
                } else {
                    edited.replace_range(at..close, &format!("{printed}{}{outer}", hand.newline));
                }
            }
            [first, .., last] | [first @ last] => {
                let is_one_line = !self.text[container.span.start..first.start].contains(['\n', '\r']);
                let (inner, printed) = if is_one_line {
                    let is_airy = self.text.contains("\": ") || self.text.contains("\", ");
                    (if is_airy { " " } else { "" }.to_owned(), format!("{key}{value}"))
                } else {
                    let inner = self.indentation(first.start);
                    (format!("{}{inner}", hand.newline), format!("{key}{}", hand.printed(value, &inner)))
                };
                let after = last.comma.map_or(last.value.span.end, |comma| comma + 1);
                let at = if is_one_line { after } else { self.end_of_remarks(after, close) };
                let trailing = if last.comma.is_some() { "," } else { "" };
                edited.insert_str(at, &format!("{inner}{printed}{trailing}"));
                if last.comma.is_none() {
                    edited.insert(last.value.span.end, ',');
                }
            }
        }
        edited
    }

    /// Where the remarks on an item's own line end.
    fn end_of_remarks(&self, from: usize, close: usize) -> usize {
        let mut at = from;
        for comment in self.comments.iter().filter(|comment| comment.start >= from && comment.end <= close) {
            if self.text[at..comment.start].contains(['\n', '\r']) || self.text[comment.clone()].contains(['\n', '\r'])
            {
                break;
            }
            at = comment.end;
        }
        at
    }

    /// Where the whitespace before a place begins.
    fn blanks_before(&self, at: usize) -> usize {
        self.text[..at].trim_end_matches([' ', '\t', '\n', '\r']).len()
    }

    /// The whitespace that a place's line begins with.
    fn indentation(&self, at: usize) -> String {
        let start = self.text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let line = self.text[start..at].trim_start_matches('\u{feff}');
        line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
    }

    /// One step of indentation, as the file's first member shows it.
    fn step(&self, root: &Node) -> String {
        let outer = self.indentation(root.span.start);
        let shown = root.items().iter().find_map(|item: &Item| {
            let is_below = self.text[root.span.start..item.start].contains(['\n', '\r']);
            let inner = self.indentation(item.start);
            inner.strip_prefix(&outer).filter(|step| is_below && !step.is_empty()).map(str::to_owned)
        });
        shown.unwrap_or_else(|| STEP.to_owned())
    }
}

/// How a file is written.
struct Hand {
    newline: &'static str,
    step: String,
}

impl Hand {
    /// A value over several lines, the first of which is already indented.
    fn printed(&self, value: &Value, indent: &str) -> String {
        let inner = format!("{indent}{}", self.step);
        let (open, close, items): (_, _, Vec<String>) = match value {
            Value::Object(members) if !members.is_empty() => {
                let member = |(key, value): (&String, &Value)| {
                    format!("{}: {}", Value::from(key.as_str()), self.printed(value, &inner))
                };
                ('{', '}', members.iter().map(member).collect())
            }
            Value::Array(elements) if !elements.is_empty() => {
                ('[', ']', elements.iter().map(|value| self.printed(value, &inner)).collect())
            }
            plain => return plain.to_string(),
        };
        let newline = self.newline;
        let items: Vec<String> = items.into_iter().map(|item| format!("{newline}{inner}{item}")).collect();
        format!("{open}{}{newline}{indent}{close}", items.join(","))
    }
}

/// How the file ends its lines.
fn newline(text: &str) -> &'static str {
    match text.find(['\n', '\r']) {
        Some(at) if text[at..].starts_with("\r\n") => "\r\n",
        Some(at) if text[at..].starts_with('\r') => "\r",
        _ => "\n",
    }
}
