//! One value of a front matter set anew, with every other byte left as it was.

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

/// Sets a value that may take several lines, at the top (`[key]`) or one level down (`[parent, key]`), and leaves every
/// other byte as it was. `lines` are YAML already: the first stands behind `key:` (or is empty), the others below it,
/// indented as they would be under a key at the margin. A line that is there already keeps its comment. A key that is
/// not there is added at the end of its block.
///
/// Nothing is set where there is no closed front matter, or where the parent is not a block of `key: value` lines; then
/// `None`.
pub fn set_front_block(text: &str, path: &[&str], lines: &[String]) -> Option<String> {
    let block = Block::find(text)?;
    let close = block.close?;
    let end = lines_of(text).next().map(|(_, first)| end_of(first)).filter(|end| !end.is_empty()).unwrap_or("\n");
    let (key, parents) = path.split_last()?;
    let mut area = block.start..close.start;
    for parent in parents {
        area = below(text, &area, parent)?;
    }
    let inside = &text[area.clone()];
    if inside.trim_start().starts_with('{') {
        return None;
    }
    let pad = " ".repeat(margin(inside));
    let (first, rest) = lines.split_first().map_or(("", [].as_slice()), |(first, rest)| (first.as_str(), rest));
    let blank = if first.is_empty() { "" } else { " " };
    let key_line = format!("{}:{blank}{first}", yaml::plain_or_quoted(key));
    let place = Place::of(inside, key);
    let old = place.as_ref().map_or("", |place| &inside[place.lines.clone()]);
    let below = |line: &String| {
        let line = format!("{pad}{line}");
        let kept = lines_of(old).find(|(_, old)| old.strip_prefix(line.as_str()).is_some_and(is_comment));
        kept.map_or_else(|| format!("{line}{end}"), |(_, old)| old.to_owned())
    };
    let rest: String = rest.iter().map(below).collect();
    let (before, after, key_line) = match place {
        Some(place) => {
            let (from, to) = (area.start + place.lines.start, area.start + place.lines.end);
            (&text[..from], &text[to..], format!("{key_line}{}{end}", place.comment))
        }
        None => (&text[..area.end], &text[area.end..], format!("{pad}{key_line}{end}")),
    };
    Some(format!("{before}{key_line}{rest}{after}"))
}

/// Whether the rest of a line says nothing.
fn is_comment(rest: &str) -> bool {
    rest.trim().is_empty() || (rest.starts_with([' ', '\t']) && rest.trim_start().starts_with('#'))
}

/// The lines below a key whose value is a block.
fn below(text: &str, area: &Range<usize>, parent: &str) -> Option<Range<usize>> {
    let inside = &text[area.clone()];
    let place = Place::of(inside, parent)?;
    let lines = &inside[place.lines.clone()];
    let (_, first) = lines_of(lines).next()?;
    let value = value_after(first, parent, 0)?.trim();
    let is_block = value.is_empty() || value.starts_with('#');
    let start = area.start + place.lines.start + first.len();
    let end = area.start + place.lines.end;
    let holds_keys = !text[start..end].trim_start().starts_with(['-', '{', '[']);
    (is_block && start < end && holds_keys).then_some(start..end)
}

/// The lines of a top-level key and its value, as they are written.
pub(crate) fn front_text<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let block = Block::find(text)?;
    let inside = &text[block.start..block.close?.start];
    if margin(inside) > 0 {
        return None;
    }
    Some(&inside[Place::of(inside, key)?.lines])
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
    /// The comment on the key's line, with the blanks before it.
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
        let comment = match value.trim_start().starts_with('#') {
            true => value.trim_end(),
            false if one_line => comment_in(value),
            false => "",
        };
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

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\n# top\na: [x] # why\nlist: # of\n  - one # first\n  # about two\n  - two\n\n# block\nouter:\n  inner: 1 # one\n  rows:\n    - x\n\nlast: 1\n---\nlist:\n  - not this\n";

    fn set(path: &[&str], lines: &[&str]) -> Option<String> {
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let set = set_front_block(TEXT, path, &lines)?;
        assert_eq!(set_front_block(&set, path, &lines).as_ref(), Some(&set), "twice is once");
        Some(set)
    }

    fn with(before: &str, after: &str) -> Option<String> {
        assert!(TEXT.contains(before));
        Some(TEXT.replacen(before, after, 1))
    }

    #[test]
    fn a_value_becomes_a_block_and_a_block_a_value() {
        assert_eq!(set(&["a"], &["", "  - y", "  - z"]), with("a: [x] # why\n", "a: # why\n  - y\n  - z\n"));
        assert_eq!(
            set(&["list"], &["[]"]),
            with("list: # of\n  - one # first\n  # about two\n  - two\n", "list: [] # of\n")
        );
        assert_eq!(set(&["last"], &["2"]), with("last: 1", "last: 2"));
        assert_eq!(set(&["new"], &["", "  k: v"]), with("last: 1\n", "last: 1\nnew:\n  k: v\n"));
    }

    #[test]
    fn lines_that_stay_keep_their_comments() {
        let expected = with("  # about two\n  - two\n", "  - three\n");
        assert_eq!(set(&["list"], &["", "  - one", "  - three"]), expected);
    }

    #[test]
    fn one_level_down() {
        assert_eq!(set(&["outer", "inner"], &["2"]), with("inner: 1 # one", "inner: 2 # one"));
        assert_eq!(set(&["outer", "rows"], &["", "  - y"]), with("    - x\n", "    - y\n"));
        assert_eq!(set(&["outer", "new"], &["", "  - y"]), with("    - x\n", "    - x\n  new:\n    - y\n"));
        for path in [["a", "x"], ["list", "x"], ["last", "x"], ["missing", "x"]] {
            assert_eq!(set(&path, &["1"]), None, "{path:?}");
        }
    }

    #[test]
    fn line_ends_stay_and_what_is_no_front_matter_is_left_alone() {
        let lines = vec![String::new(), "  - b".to_owned()];
        let set = |text: &str| set_front_block(text, &["a"], &lines);
        assert_eq!(set("---\r\na: 1\r\n---\r\nx"), Some("---\r\na:\r\n  - b\r\n---\r\nx".to_owned()));
        for text in ["", "a: 1\n", "---\na: 1\n", "---\n{a: 1}\n---\n"] {
            assert_eq!(set(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_key_is_given_as_it_is_written() {
        assert_eq!(front_text(TEXT, "outer"), Some("outer:\n  inner: 1 # one\n  rows:\n    - x\n"));
        assert_eq!(front_text(TEXT, "missing"), None);
    }
}
