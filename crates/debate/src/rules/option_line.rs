//! One option as people write it: `B: Memcached - simple`, `**MVStore** — the store of H2`, `**Option B:** Text message`.
//!
//! A bold start is the name; else it ends at the first colon or dash that stands apart, or with the first sentence. What is
//! code, in brackets or in quotes is never cut.

use forge_prose::outline::{Block, Line, Outline};
use forge_prose::phrases::Phrases;
use forge_prose::{sentences, words};
use std::ops::Range;
use std::sync::LazyLock;

static OPTION_WORDS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/option-words.txt")));
static STANDINGS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/options/standings.txt")));

/// The longest id before a name, in characters.
const ID_CHARS: usize = 5;
/// How far into a line a name is looked for, in bytes: what is longer is no name.
const SEARCH_BYTES: usize = 2000;
/// The most brackets in brackets.
const NESTED_LIMIT: usize = 16;
/// Boxes and ticks before a name, and behind it.
const BOXES: [&str; 15] = ["[ ]", "[]", "[x]", "[X]", "☐", "☑", "☒", "✅", "✓", "✔", "❌", "✗", "✘", "⭐", "\u{FE0F}"];

/// An option on a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OptionLine {
    /// Its name.
    pub label: String,
    /// What is said of it.
    pub description: String,
}

/// An id or number before an option's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prefix {
    /// `B`, `2`.
    pub(crate) id: String,
    /// How surely it is one.
    pub(crate) mark: Mark,
    /// Where the name begins.
    pub(crate) end: usize,
}

/// What makes a prefix one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A word: `Option B`.
    Word,
    /// A mark of numbering: `B)`, `2.`, `(b)`.
    Numbering,
    /// A colon or a dash, which may end a name as well: `C: fast`.
    Separator,
}

/// Reads an option that was typed: `LABEL`, `LABEL: DESCRIPTION`, `LABEL — DESCRIPTION` or `**LABEL** DESCRIPTION`.
pub fn of_text(text: &str) -> OptionLine {
    let text = text.trim();
    if text.starts_with("**") {
        let outline = Outline::of(&format!("- {text}"), 1);
        let line = outline.blocks.first().map(Block::joined).unwrap_or_default();
        return read(&line, prefix(&line).filter(|prefix| prefix.mark == Mark::Word).as_ref());
    }
    if let Some(description) = text.strip_prefix(": ") {
        return OptionLine { label: String::new(), description: description.trim().to_owned() };
    }
    let line = Line { text: text.to_owned(), code: code_in(text), ..Line::default() };
    let (label, rest) = parted(&line, 0..text.len(), text.len());
    OptionLine { label: named(&text[label]).to_owned(), description: text[rest].trim().to_owned() }
}

/// Where a text has code between backticks.
fn code_in(text: &str) -> Vec<Range<usize>> {
    let ticks: Vec<usize> = text.match_indices('`').map(|(at, _)| at).collect();
    ticks.chunks_exact(2).map(|pair| pair[0]..pair[1] + 1).collect()
}

/// Reads an option behind its id.
pub(crate) fn read(line: &Line, prefix: Option<&Prefix>) -> OptionLine {
    let text = line.text.as_str();
    let start = prefix.map_or_else(|| unboxed(text), |prefix| prefix.end);
    let bold = bold_end(line, start);
    let (label, rest) = match bold > start {
        true => (start..bold, bold..text.len()),
        false => parted(line, start..text.len(), sentence_end(line, start)),
    };
    let mut label = named(&text[label]);
    if prefix.is_some_and(|prefix| prefix.mark == Mark::Word) {
        // `Option B (Text message)`
        label = label.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).map_or(label, str::trim);
    }
    let mut standing = "";
    while let Some((before, said)) = standing_of(label) {
        (label, standing) = (named(before), if standing.is_empty() { said } else { standing });
    }
    let description = after_separator(&text[rest]).trim();
    let parts = [standing, description].into_iter().filter(|part| !part.is_empty());
    OptionLine { label: label.to_owned(), description: parts.collect::<Vec<_>>().join(" ") }
}

/// Where the bold start ends, if the name does.
fn bold_end(line: &Line, start: usize) -> usize {
    let goes_on = line.text.get(line.bold..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    if goes_on || !line.text.is_char_boundary(line.bold) { start } else { line.bold }
}

/// A name without what only sets it apart: blanks, a colon, a full stop.
fn named(text: &str) -> &str {
    let bare = text.trim().trim_end_matches([':', '：', ';']).trim_end();
    bare.strip_suffix('.').filter(|bare| !bare.ends_with('.')).unwrap_or(bare).trim_end()
}

/// A name before `(REJECTED)` or a tick, and what that says.
fn standing_of(label: &str) -> Option<(&str, &str)> {
    if let Some((before, sign)) = BOXES.iter().find_map(|sign| Some((label.strip_suffix(sign)?, *sign))) {
        return (!before.trim().is_empty()).then_some((before, if sign == "\u{FE0F}" { "" } else { sign }));
    }
    let open = label.rfind(['(', '['])?;
    let inner = label[open + 1..].strip_suffix([')', ']'])?;
    let is_standing = STANDINGS.at(&words::words(inner)) > 0 && open > 0;
    is_standing.then(|| (&label[..open], &label[open..]))
}

/// Where a name begins behind boxes and ticks.
fn unboxed(text: &str) -> usize {
    let mut rest = text.trim_start();
    while let Some(after) = BOXES.iter().find_map(|sign| rest.strip_prefix(sign)) {
        if after.trim().is_empty() {
            break;
        }
        rest = after.trim_start();
    }
    text.len() - rest.len()
}

/// The id or number before an option's name.
pub(crate) fn prefix(line: &Line) -> Option<Prefix> {
    let text = line.text.as_str();
    let start = unboxed(text);
    let worded = option_word(&text[start..]).map(|length| start + length);
    let at = worded.unwrap_or(start);
    let open = text[at..].starts_with(['(', '[', '#']);
    let from = at + usize::from(open);
    // A `1` with a key drawn around it.
    let spelled = text[from..].chars().next().filter(|_| worded.is_some()).filter(|c| spelled(*c).is_some());
    let id: String = match spelled {
        Some(figure) => figure.to_string(),
        None => text[from..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '.').collect(),
    };
    let id = id.trim_end_matches('.');
    let after = &text[from + id.len()..];
    let keycap = after.strip_prefix("\u{FE0F}\u{20E3}").or_else(|| after.strip_prefix('\u{20E3}'));
    let closed =
        after.strip_prefix([')', ']', '.']).filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
    let separated = separator_at(after.trim_start()).map(|length| &after.trim_start()[length..]);
    let is_apart = after.starts_with(char::is_whitespace) || after.starts_with([':', '：', '—', '–']);
    let separated = separated.filter(|rest| is_apart && !rest.trim().is_empty() || worded.is_some());
    let is_dotted = id.contains('.') && after.starts_with(char::is_whitespace);
    let (rest, mark) = match (closed.or(keycap).or(is_dotted.then_some(after)), separated) {
        (Some(rest), _) => (rest.strip_prefix([':', '：']).unwrap_or(rest), Mark::Numbering),
        (None, Some(rest)) if !open || text[at..].starts_with('#') => (rest, Mark::Separator),
        // `Option B`, and nothing else or its name in brackets.
        (None, None) if worded.is_some() && (after.trim().is_empty() || after.trim_start().starts_with('(')) => {
            (after, Mark::Word)
        }
        _ => return None,
    };
    let mark = if worded.is_some() { Mark::Word } else { mark };
    let rest = if mark == Mark::Word { after_separator(rest) } else { rest.trim_start() };
    let figure = spelled.and_then(self::spelled);
    let id = figure.map_or_else(|| id.to_owned(), |figure| figure.to_string());
    is_id(&id, mark).then(|| Prefix { id, mark, end: text.len() - rest.len() })
}

/// The number that a Chinese or Japanese figure stands for.
fn spelled(c: char) -> Option<usize> {
    "一二三四五六七八九十".chars().position(|figure| figure == c).map(|at| at + 1)
}

/// The length of a word for an option at the start, with the blanks behind it.
fn option_word(text: &str) -> Option<usize> {
    // `方案一`, `案A`: a script without blanks.
    const UNSPACED: [&str; 7] = ["方案", "选项", "選択肢", "オプション", "候補", "案", "방안"];
    let is_figure = |c: char| c.is_ascii_alphanumeric() || spelled(c).is_some();
    let unspaced =
        UNSPACED.iter().find(|word| text.strip_prefix(**word).is_some_and(|rest| rest.starts_with(is_figure)));
    if let Some(word) = unspaced {
        return Some(word.len());
    }
    let word: String = text.chars().take_while(|c| c.is_alphabetic()).collect();
    let rest = &text[word.len()..];
    let blanks = rest.len() - rest.trim_start().len();
    (blanks > 0 && OPTION_WORDS.has_word(&word.to_lowercase())).then_some(word.len() + blanks)
}

/// `B`, `2`, `1.2`, `O3`; small letters only where they are marked as numbering.
fn is_id(id: &str, mark: Mark) -> bool {
    let mut chars = id.chars();
    let Some(first) = chars.next() else { return false };
    let rest = chars.as_str();
    let digits = |text: &str| text.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    let is_letter = first.is_ascii_uppercase() || (first.is_ascii_lowercase() && mark != Mark::Separator);
    let fits = id.len() <= ID_CHARS && (digits(id) || (is_letter && (rest.is_empty() || digits(rest))));
    let is_roman = mark != Mark::Separator && id.chars().all(|c| matches!(c, 'I' | 'V' | 'X'));
    fits || (is_roman && id.len() <= ID_CHARS)
}

/// As much of a text as a name is looked for in.
fn within(text: &str) -> &str {
    let mut end = text.len().min(SEARCH_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Where the first sentence ends that begins at `start`.
fn sentence_end(line: &Line, start: usize) -> usize {
    let text = within(&line.text[start..]);
    let first = sentences::split(text).into_iter().next().unwrap_or(text);
    let end = start + (first.as_ptr() as usize - text.as_ptr() as usize) + first.len();
    let is_covered =
        covered(line, &(start..line.text.len())).iter().any(|cover| cover.contains(&end.saturating_sub(1)));
    if is_covered { line.text.len() } else { end }
}

/// The part of a line that is a name, and the part behind what ends it: a separator, or `end`.
fn parted(line: &Line, range: Range<usize>, end: usize) -> (Range<usize>, Range<usize>) {
    let text = within(&line.text[range.clone()]);
    let covered = covered(line, &(range.start..range.start + text.len()));
    let is_free = |at: usize| !covered.iter().any(|cover| cover.contains(&(range.start + at)));
    let sentence_end = end.saturating_sub(range.start).min(text.len());
    let separator = text[..sentence_end].char_indices().filter(|(at, _)| is_free(*at)).find_map(|(at, _)| {
        let blanks = &text[text[..at].trim_end().len()..at];
        // A dash that begins a line parts nothing.
        let is_apart = !blanks.is_empty() && !blanks.contains('\n');
        let length = separator_at(&text[at..])?;
        let needs_blank = text[at..].starts_with(['-', '–']);
        (at > 0 && (is_apart || !needs_blank)).then_some((at, at + length))
    });
    let whole = if end < range.end { sentence_end } else { range.len() };
    let (end, rest) = separator.unwrap_or((whole, whole));
    (range.start..range.start + end, range.start + rest..range.end)
}

/// The length of what parts a name from what is said of it, at the start of a text: `: `, `- `, `-- `, `– `, `—`.
fn separator_at(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let rest = &text[first.len_utf8()..];
    let ends = |rest: &str| rest.is_empty() || rest.starts_with(char::is_whitespace);
    match first {
        '：' | '—' => Some(first.len_utf8()),
        ':' | '–' if ends(rest) => Some(first.len_utf8()),
        '-' => {
            let dashes = 1 + rest.bytes().take_while(|byte| *byte == b'-').count();
            ends(&text[dashes..]).then_some(dashes)
        }
        _ => None,
    }
}

/// What must not be cut: code, and what stands in brackets or quotes.
fn covered(line: &Line, range: &Range<usize>) -> Vec<Range<usize>> {
    let mut covered = line.code.clone();
    let is_code = |at: usize| line.code.iter().any(|code| code.contains(&at));
    let mut open: Vec<(usize, char)> = Vec::new();
    for (at, c) in line.text[range.clone()].char_indices().map(|(at, c)| (range.start + at, c)) {
        if is_code(at) {
            continue;
        }
        let closes = open.iter().rposition(|(_, close)| *close == c);
        match (closes, closing(c)) {
            (Some(level), _) => {
                covered.push(open[level].0..at + c.len_utf8());
                open.truncate(level);
            }
            (None, Some(close)) if open.len() < NESTED_LIMIT => open.push((at, close)),
            (None, _) => {}
        }
    }
    covered
}

fn closing(open: char) -> Option<char> {
    Some(match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '"' => '"',
        '“' => '”',
        '«' => '»',
        '「' => '」',
        _ => return None,
    })
}

/// Whether a line of code looks like one of a list.
pub(crate) fn looks_listed(text: &str) -> bool {
    let bare = text.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", "+ ", ". ", ") ", "| ", "#"].iter().any(|mark| bare.starts_with(mark))
}

fn after_separator(rest: &str) -> &str {
    let bare = rest.trim_start();
    separator_at(bare).map_or(bare, |length| bare[length..].trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(text: &str) -> (Option<String>, String, String) {
        let outline = Outline::of(&format!("- {text}"), 1);
        let line = outline.blocks[0].joined();
        let found = prefix(&line);
        let read = read(&line, found.as_ref());
        (found.map(|prefix| prefix.id), read.label, read.description)
    }

    #[test]
    fn options_as_people_list_them() {
        for (text, id, label, description) in [
            ("Redis", None, "Redis", ""),
            ("Redis: fast and known", None, "Redis", "fast and known"),
            ("Redis - fast: really", None, "Redis", "fast: really"),
            ("Redis -- fast", None, "Redis", "fast"),
            ("Redis—fast", None, "Redis", "fast"),
            ("Redis : fast", None, "Redis", "fast"),
            ("**MVStore** — the store of H2", None, "MVStore", "the store of H2"),
            ("**MVStore**: the store of H2", None, "MVStore", "the store of H2"),
            ("**MVStore:** the store of H2", None, "MVStore", "the store of H2"),
            ("**MVStore** the store of H2", None, "MVStore", "the store of H2"),
            ("**Post**card", None, "Postcard", ""),
            ("B: Memcached - simple", Some("B"), "Memcached", "simple"),
            ("**B: Memcached** - simple", Some("B"), "Memcached", "simple"),
            ("B) Memcached", Some("B"), "Memcached", ""),
            ("(b) Memcached", Some("b"), "Memcached", ""),
            ("**B.** Memcached", Some("B"), "Memcached", ""),
            ("**Option B**: Text message", Some("B"), "Text message", ""),
            ("**Option B:** Text message - costs 6 cents each", Some("B"), "Text message", "costs 6 cents each"),
            ("**Option B: Text message** costs 6 cents", Some("B"), "Text message", "costs 6 cents"),
            ("Option B: Text message", Some("B"), "Text message", ""),
            ("Option 2 – Text message", Some("2"), "Text message", ""),
            ("Alternative B. Text message", Some("B"), "Text message", ""),
            ("Option B (Text message)", Some("B"), "Text message", ""),
            ("Option B: Text message (REJECTED)", Some("B"), "Text message", "(REJECTED)"),
            ("Text message (by SMS): costs 6 cents", None, "Text message (by SMS)", "costs 6 cents"),
            ("Text message (weekly: on Monday): dear", None, "Text message (weekly: on Monday)", "dear"),
            ("\"Remind me: soon\" button", None, "\"Remind me: soon\" button", ""),
            ("Text message ✅", None, "Text message", "✅"),
            ("[ ] Keep it", None, "Keep it", ""),
            ("[ ] **Keep it**: cheap", None, "Keep it", "cheap"),
            ("☐ Keep it", None, "Keep it", ""),
            ("Add `* Category: X` below the heading", None, "Add * Category: X below the heading", ""),
            ("Use the character `§`", None, "Use the character §", ""),
            ("MADR 4.0.0 – The Markdown Records", None, "MADR 4.0.0", "The Markdown Records"),
            ("http://a.example", None, "http://a.example", ""),
            ("Text at 10:30", None, "Text at 10:30", ""),
            ("Send a postcard. It costs: 60 cents.", None, "Send a postcard", "It costs: 60 cents."),
            ("数据库表：简单", None, "数据库表", "简单"),
            ("npm: slow", None, "npm", "slow"),
            ("C++: fast", None, "C++", "fast"),
            ("2 postcards", None, "2 postcards", ""),
            ("A/B test", None, "A/B test", ""),
            ("1️⃣ Postcard", Some("1"), "Postcard", ""),
        ] {
            let wanted = (id.map(str::to_owned), label.to_owned(), description.to_owned());
            assert_eq!(item(text), wanted, "{text}");
        }
    }

    #[test]
    fn options_as_people_type_them() {
        for (text, label, description) in [
            ("Postcard", "Postcard", ""),
            ("Postcard: sent weekly", "Postcard", "sent weekly"),
            ("Postcard — sent weekly", "Postcard", "sent weekly"),
            ("Postcard - sent weekly", "Postcard", "sent weekly"),
            ("**Postcard** sent weekly", "Postcard", "sent weekly"),
            ("Add `* Category: X` below the heading", "Add `* Category: X` below the heading", ""),
            ("Add `* Category: X`: short", "Add `* Category: X`", "short"),
            ("https://x: a page", "https://x", "a page"),
            ("https://x", "https://x", ""),
            ("a:b", "a:b", ""),
            ("std::vec", "std::vec", ""),
            ("C++", "C++", ""),
            ("an odd ` tick: yes", "an odd ` tick", "yes"),
            ("Do it now. Ask later.", "Do it now. Ask later", ""),
        ] {
            let read = of_text(text);
            assert_eq!((read.label.as_str(), read.description.as_str()), (label, description), "{text}");
        }
    }
}
