//! One line of a front matter set anew, with every other byte left as it was.

use super::{Block, bare, lines_of};
use crate::yaml::{self, quoted};
use serde_json::Value;
use std::ops::Range;

/// Sets one top-level key of the front matter and leaves every other byte as it was: other keys, comments (also the one
/// on the same line), order, line ends. A key that is not there is added at the end; a text without front matter gets
/// one; where the front matter is not closed nothing is changed.
///
/// `value` is YAML on one line: a word, a number, `[a, b]`, or what [`yaml::plain_or_quoted`] makes of any text. What
/// is not one YAML value on one line is quoted, so that the file stays readable whatever comes in.
pub fn set_front_value(text: &str, key: &str, value: &str) -> String {
    let line = front_line(key, value);
    let end = lines_of(text).next().map(|(_, first)| end_of(first)).filter(|end| !end.is_empty()).unwrap_or("\n");
    let Some(block) = Block::find(text) else {
        let (mark, rest) = text.strip_prefix('\u{FEFF}').map_or(("", text), |rest| ("\u{FEFF}", rest));
        return format!("{mark}---{end}{line}{end}---{end}{rest}");
    };
    let Some(close) = block.close else { return text.to_owned() };
    let inside = &text[block.start..close.start];
    match Place::of(inside, key) {
        Some(place) => {
            let (before, after) = (&text[..block.start + place.lines.start], &text[block.start + place.lines.end..]);
            format!("{before}{line}{}{}{after}", place.comment, place.end)
        }
        None if inside.trim_start().starts_with('{') => {
            format!("{}{}{line}{end}{}", &text[..block.start], spread(inside, key, end), &text[close.start..])
        }
        None => {
            let pad = " ".repeat(margin(inside));
            format!("{}{pad}{line}{end}{}", &text[..close.start], &text[close.start..])
        }
    }
}

/// `key: value`; a value that cannot stand as it is is quoted.
fn front_line(key: &str, value: &str) -> String {
    let (key, value) = (yaml::plain_or_quoted(key), value.trim());
    let line = if value.is_empty() { format!("{key}:") } else { format!("{key}: {value}") };
    let one_line = !value.contains(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
    let one_value = !value.starts_with(['#', '&', '*', '!', '|', '>', '{']) && comment_in(value).is_empty();
    let readable = matches!(yaml::read(&line, 1), Ok(Value::Object(fields)) if fields.len() == 1);
    if one_line && one_value && readable { line } else { format!("{key}: {}", quoted(value)) }
}

/// The fields of a front matter that is one `{...}`, a line each: the only form whose other bytes cannot be kept.
fn spread(inside: &str, without: &str, end: &str) -> String {
    let Ok(Value::Object(fields)) = yaml::read(inside, 1) else { return String::new() };
    let kept = fields.iter().filter(|(name, _)| *name != without);
    kept.map(|(name, value)| format!("{}: {value}{end}", quoted(name))).collect()
}

/// How far the keys of a front matter are indented.
fn margin(inside: &str) -> usize {
    let first = lines_of(inside)
        .map(|(_, line)| line)
        .find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    first.map_or(0, indent)
}

/// How a line ends.
fn end_of(line: &str) -> &str {
    &line[line.trim_end_matches(['\n', '\r']).len()..]
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Where a key and its value stand inside a front matter.
struct Place<'t> {
    /// From the key to the end of the value's last line.
    lines: Range<usize>,
    /// The comment behind a value on one line, with the blanks before it.
    comment: &'t str,
    /// How the line ends.
    end: &'t str,
}

impl<'t> Place<'t> {
    fn of(inside: &'t str, key: &str) -> Option<Self> {
        let margin = margin(inside);
        let mut lines = lines_of(inside).skip_while(|(_, line)| value_after(line, key, margin).is_none());
        let (start, line) = lines.next()?;
        let value = value_after(line, key, margin)?;
        let literal = value.trim_start().starts_with(['|', '>']);
        let mut end = start + line.len();
        for (at, next) in lines {
            let content = bare(next).trim_start();
            let item = content == "-" || content.starts_with("- ") || content.starts_with([']', '}']);
            let belongs = indent(next) > margin || (indent(next) == margin && item);
            let comment = content.starts_with('#') && !literal;
            match content {
                "" => {}
                _ if !belongs => break,
                _ if comment => {}
                _ => end = at + next.len(),
            }
        }
        let one_line = end == start + line.len();
        let comment = if one_line { comment_in(value) } else { "" };
        Some(Self { lines: start + margin..end, comment, end: end_of(line) })
    }
}

/// What stands after `key:` on a line with that key at the margin.
fn value_after<'t>(line: &'t str, key: &str, margin: usize) -> Option<&'t str> {
    if indent(line) != margin {
        return None;
    }
    let line = line[margin..].trim_end_matches(['\n', '\r']);
    let spellings = [key.to_owned(), quoted(key), format!("'{key}'")];
    let rest = spellings.iter().find_map(|spelling| line.strip_prefix(spelling.as_str()))?;
    let value = rest.trim_start_matches([' ', '\t']).strip_prefix(':')?;
    (value.is_empty() || value.starts_with([' ', '\t'])).then_some(value)
}

/// The comment behind a value, with the blanks before it; empty when there is none.
fn comment_in(value: &str) -> &str {
    let scalar = value.trim_start();
    let offset = value.len() - scalar.len();
    let after_quote = |quote: char| {
        let mut escaped = false;
        let close = scalar.char_indices().skip(1).find(|(_, c)| {
            let closes = *c == quote && !escaped;
            escaped = *c == '\\' && quote == '"' && !escaped;
            closes
        });
        close.map_or(value.len(), |(at, _)| offset + at + 1)
    };
    let from = match scalar.chars().next() {
        Some(quote @ ('"' | '\'')) => after_quote(quote),
        Some('[' | '{') => value.find([']', '}']).unwrap_or(0),
        _ => 0,
    };
    let mark = value[from..].find(" #").or_else(|| value[from..].find("\t#"));
    mark.map_or("", |at| {
        let start = value[..from + at].trim_end().len();
        value[start..].trim_end()
    })
}
