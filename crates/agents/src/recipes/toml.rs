//! TOML, as far as a part of somebody's file is to be copied: its statements, each as it stands, however many lines it has.
//!
//! What it cannot read to its end is left out with everything after it: a part of a value is worse than none.

/// What the reader is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    Comment,
    /// A text that ends with this.
    Text(&'static str),
}

/// How texts begin and end; the longer ones first.
const QUOTES: [&str; 4] = ["\"\"\"", "'''", "\"", "'"];

/// The statements of a document: the headers of tables, and settings. Without blank lines and comments between them.
pub(super) fn statements(document: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut at, mut depth) = (0, 0, 0_usize);
    let mut inside = Inside::Nothing;
    while let Some(rest) = document.get(at..).filter(|rest| !rest.is_empty()) {
        let next = rest.chars().next().map_or(1, char::len_utf8);
        let is_line_end = rest.starts_with('\n');
        match inside {
            Inside::Text(quote) => {
                if rest.starts_with('\\') && quote.starts_with('"') {
                    let escaped = rest[1..].chars().next().map_or(0, char::len_utf8);
                    at += 1 + escaped;
                    continue;
                }
                if let Some(after) = rest.strip_prefix(quote) {
                    // Up to two more at the end of a long text are its own.
                    let own = after.bytes().take(2).take_while(|b| quote.len() == 3 && *b == quote.as_bytes()[0]);
                    at += quote.len() + own.count();
                    inside = Inside::Nothing;
                    continue;
                }
                if is_line_end && quote.len() == 1 {
                    return found;
                }
            }
            Inside::Comment if !is_line_end => {}
            Inside::Comment | Inside::Nothing => {
                inside = Inside::Nothing;
                if let Some(quote) = QUOTES.into_iter().find(|quote| rest.starts_with(quote)) {
                    inside = Inside::Text(quote);
                    at += quote.len();
                    continue;
                }
                match rest.as_bytes()[0] {
                    b'#' => inside = Inside::Comment,
                    b'[' | b'{' => depth += 1,
                    b']' | b'}' => depth = depth.saturating_sub(1),
                    b'\n' if depth == 0 => {
                        found.push(&document[start..at]);
                        start = at + 1;
                    }
                    _ => {}
                }
            }
        }
        at += next;
    }
    if depth == 0 && !matches!(inside, Inside::Text(_)) {
        found.push(&document[start..]);
    }
    let is_said = |statement: &&str| !statement.is_empty() && !statement.starts_with('#');
    found.into_iter().map(str::trim).filter(is_said).collect()
}

/// The first part of a name: of a table's header, or of what stands before `=`.
pub(super) fn first_name(statement: &str) -> &str {
    let name = statement.trim_start_matches(['[', ' ', '\t']);
    let end = name.find(['.', '=', ']', ' ', '\t']).unwrap_or(name.len());
    name[..end].trim_matches(['"', '\''])
}

/// The parts of a dotted name. A dot within quotes is part of a name.
pub(super) fn names(dotted: &str) -> Vec<&str> {
    let ends = outside_quotes(dotted, '.').chain([dotted.len()]);
    let parts = ends.scan(0, |start, end| Some(&dotted[std::mem::replace(start, end + 1)..end]));
    parts.map(|part| part.trim().trim_matches(['"', '\''])).collect()
}

/// Where a sign stands in the name of a statement, but not within quotes.
pub(super) fn outside_quotes(statement: &str, sign: char) -> impl Iterator<Item = usize> {
    let mut quote = None;
    let mut is_escaped = false;
    statement.char_indices().filter_map(move |(at, letter)| {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some('"') if letter == '\\' => is_escaped = true,
            Some(open) if letter == open => quote = None,
            Some(_) => {}
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            None if letter == sign => return Some(at),
            None => {}
        }
        None
    })
}

/// The texts in a statement, as they are written.
pub(super) fn texts(statement: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = statement;
    while let Some(at) = rest.find(['"', '\'']) {
        let Some(quote) = QUOTES.into_iter().find(|quote| rest[at..].starts_with(quote)) else { break };
        let begun = &rest[at + quote.len()..];
        let Some(end) = begun.match_indices(quote).find(|(end, _)| !is_escaped(begun, *end, quote)) else { break };
        found.push(&begun[..end.0]);
        rest = &begun[end.0 + quote.len()..];
    }
    found
}

fn is_escaped(text: &str, at: usize, quote: &str) -> bool {
    quote.starts_with('"') && text[..at].bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_whole_however_many_lines_they_have() {
        let document = "# note\na = \"x # y\" # z\n\nb = [\n  1, # ]\n  2,\n]\n[t.\"u]v\"]\nc = \"\"\"\n[not.a.table]\n\\\"\"\"\"\"\n\
            d = { e = 'f', g = \"\\\"\" }\n[[h]]\n";
        assert_eq!(
            statements(document),
            [
                "a = \"x # y\" # z",
                "b = [\n  1, # ]\n  2,\n]",
                "[t.\"u]v\"]",
                "c = \"\"\"\n[not.a.table]\n\\\"\"\"\"\"",
                "d = { e = 'f', g = \"\\\"\" }",
                "[[h]]"
            ]
        );
        assert_eq!(first_name("[ model_providers.azure ]"), "model_providers");
        assert_eq!(first_name("\"model\" = 1"), "model");
        assert_eq!(names(" a . \"b.c\".'d.e\\'.\"f\\\".g\""), ["a", "b.c", "d.e\\", "f\\\".g"]);
        assert_eq!(texts("x = { \"k\" = 'v', l = \"a\\\"b\" }"), ["k", "v", "a\\\"b"]);
    }

    #[test]
    fn what_has_no_end_is_left_out() {
        for broken in ["a = 1\nb = \"x\nc = 2\n", "a = 1\nb = \"\"\"x\nc = 2\n", "a = 1\nb = [1,\nc = 2\n"] {
            assert_eq!(statements(broken), ["a = 1"], "{broken:?}");
        }
        assert_eq!(statements(""), Vec::<&str>::new());
        assert_eq!(statements("ä = 'ö"), Vec::<&str>::new());
    }
}
