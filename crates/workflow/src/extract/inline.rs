//! Values in the line of what is stated: `Eviction under load (probability high, impact low, owner: Bob)`.
//!
//! Promises: a value is taken off the wording only where all that stands with it was understood and is kept; else it is
//! read, and the wording stays whole.
//!
//! Must never: guess. A word that is no rating, and a value that the kind has no place for, stay words.
//!
//! Pure; if the process dies here nothing is left.

use super::passages::{bold_label, key, label, one_line};
use super::rating_names::{IMPACT, OWNER, PROBABILITY, SCORE};
use super::ratings::{is_active, is_bare, level, level_word, likelihood, score, standing};
use super::statements::is_source;
use super::status::{self, Said};
use crate::knowledge::Kind;
use forge_debate::plan::words;

/// The most characters of a line with values in it: what is longer is told, not rated.
const LINE_LIMIT_CHARS: usize = 2000;
/// The most characters in which the first of several values is looked for.
const FIRST_LIMIT_CHARS: usize = 60;
/// The most words of an owner that no mark stands before.
const OWNER_LIMIT_WORDS: usize = 3;
const OPENING: [char; 3] = ['(', '[', '（'];
const CLOSING: [char; 3] = [')', ']', '）'];
/// How a value is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Likelihood,
    Level,
    Score,
    Status,
    Source,
    Words,
}

/// How a kind reads the value of that name; none where it has no place for it.
fn sort(kind: Kind, name: &str) -> Option<Sort> {
    const DECISION: &[&str] = &["rationale", "why", "reason", "because", "decided by", "supersedes"];
    const CONSTRAINT: &[&str] = &["source", "rests on", "origin", "violation", "violation triggers"];
    const ASSUMPTION: &[&str] =
        &["validate by", "validation due by", "due", "due by", "if wrong", "if invalid", "risk if invalid", "impact"];
    let told = match kind {
        Kind::Decision => DECISION,
        Kind::Constraint => CONSTRAINT,
        Kind::Assumption => ASSUMPTION,
        Kind::Risk => &OWNER,
    };
    match name {
        name if told.contains(&name) => Some(Sort::Words),
        name if kind == Kind::Risk && PROBABILITY.contains(&name) => Some(Sort::Likelihood),
        name if kind == Kind::Risk && IMPACT.contains(&name) => Some(Sort::Level),
        name if kind == Kind::Risk && SCORE.contains(&name) => Some(Sort::Score),
        "status" if kind != Kind::Constraint => Some(Sort::Status),
        "source" => Some(Sort::Source),
        _ => None,
    }
}

/// Takes the values off a line, and says what is left of it. The marks around a bold title go too.
pub fn fields(kind: Kind, text: &str, fields: &mut Vec<(String, String)>) -> String {
    if text.chars().nth(LINE_LIMIT_CHARS).is_some() {
        return text.to_owned();
    }
    // `**Title:** ...` is `**Title**: ...`.
    let bold = text.strip_prefix("**").and_then(|rest| rest.split_once(":**")).filter(|(bold, _)| !bold.contains("**"));
    let text = bold.map_or_else(|| text.to_owned(), |(bold, rest)| format!("**{bold}**:{rest}"));
    let kept = tail_taken(kind, &groups_taken(kind, &text, fields), fields);
    let said = if kept.chars().any(char::is_alphanumeric) { kept } else { text };
    unbold(kind, said, fields)
}

fn unbold(kind: Kind, text: String, fields: &mut Vec<(String, String)>) -> String {
    let bold = text.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    let Some((bold, rest)) = bold.map(|(bold, rest)| (bold.trim_end_matches(':').trim(), rest)) else { return text };
    let after = rest.trim_start_matches([':', '-', '–', '—', '→', '⇒', '=', '>', ' ']).trim();
    // `**Storage** → MySQL`, `**Storage**: MySQL`: what it is about, and what was chosen.
    let points = ["→", "⇒", "->", "=>", "="].iter().any(|mark| rest.trim_start().starts_with(mark));
    let is_short = words(bold).count() <= 2 && words(after).count() <= 2 && after.starts_with(char::is_uppercase);
    let is_choice = points || is_short;
    if key(bold) == kind.word() {
        after.to_owned()
    } else if after.is_empty() {
        bold.to_owned()
    } else if kind == Kind::Decision && !is_choice && !fields.iter().any(|(name, _)| name == "rationale") {
        fields.push(("rationale".to_owned(), after.to_owned()));
        bold.to_owned()
    } else {
        format!("{bold}: {after}")
    }
}

/// A line without the brackets in which there are only values.
fn groups_taken(kind: Kind, text: &str, fields: &mut Vec<(String, String)>) -> String {
    let mut kept = String::new();
    let mut from = 0;
    while let Some((start, end)) = group(text, from) {
        let inside = &text[start..end];
        let inside = inside.strip_prefix(OPENING).and_then(|inside| inside.strip_suffix(CLOSING)).unwrap_or(inside);
        let read = values(kind, inside);
        kept.push_str(&text[from..start]);
        if read.fields.is_empty() || !read.is_whole {
            kept.push_str(&text[start..end]);
        } else {
            kept.truncate(kept.trim_end().len());
        }
        fields.extend(read.fields);
        from = end;
    }
    kept + &text[from..]
}

/// The next brackets that stand apart from the word before them, with the byte after them.
fn group(text: &str, from: usize) -> Option<(usize, usize)> {
    let apart = |at: usize| {
        let before = &text[..at];
        let in_code = before.matches('`').count() % 2 == 1;
        let is_wide = text[at..].starts_with('（');
        !in_code && (is_wide || before.chars().next_back().is_none_or(char::is_whitespace))
    };
    let opening = text[from..].match_indices(OPENING).map(|(at, _)| from + at).find(|at| apart(*at))?;
    let mut depth = 0_usize;
    for (at, c) in text[opening..].char_indices() {
        depth = deeper(depth, c);
        if depth == 0 {
            return Some((opening, opening + at + c.len_utf8()));
        }
    }
    None
}

fn deeper(depth: usize, c: char) -> usize {
    match c {
        c if OPENING.contains(&c) => depth + 1,
        c if CLOSING.contains(&c) => depth.saturating_sub(1),
        _ => depth,
    }
}

/// A line without the values at its end.
fn tail_taken(kind: Kind, text: &str, fields: &mut Vec<(String, String)>) -> String {
    let (mut depth, mut in_code) = (0, false);
    for (at, c) in text.char_indices() {
        depth = deeper(depth, c);
        in_code ^= c == '`';
        let (before, after) = (&text[..at], &text[at + c.len_utf8()..]);
        let parts = is_between(text, at, c) || (c == ':' && after.starts_with(char::is_whitespace)) || c == '：';
        let said = before.trim_end_matches([' ', ',', ';', ':', '|', '-', '–', '—', '·', '，', '：']);
        if !parts || depth > 0 || in_code || said.is_empty() {
            continue;
        }
        let near = after.char_indices().nth(FIRST_LIMIT_CHARS).map_or(after, |(end, _)| &after[..end]);
        if !pieces(near).next().is_some_and(|(_, first)| is_value(kind, first)) {
            continue;
        }
        let read = values(kind, after);
        let is_rated = !read.fields.is_empty();
        fields.extend(read.fields);
        return if is_rated && read.is_whole { said.to_owned() } else { text.to_owned() };
    }
    text.to_owned()
}

/// Whether the character at that byte stands between values.
fn is_between(text: &str, at: usize, c: char) -> bool {
    let (before, after) = (&text[..at], &text[at + c.len_utf8()..]);
    match c {
        // "1,5" is a figure.
        ',' | ';' | '|' => !after.starts_with(|c: char| c.is_ascii_digit()),
        '-' | '–' => after.starts_with(char::is_whitespace) && before.ends_with(char::is_whitespace),
        '—' | '·' | '，' | '、' | '；' => true,
        _ => false,
    }
}

/// The pieces of a list of values, each with what parts it from the one before. Marks in brackets part nothing.
fn pieces(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut next = Some(("", text));
    std::iter::from_fn(move || {
        let (mark, rest) = next.take()?;
        let mut depth = 0;
        let end = rest.char_indices().find(|(at, c)| {
            depth = deeper(depth, *c);
            depth == 0 && is_between(rest, *at, *c)
        });
        let Some((at, c)) = end else { return Some((mark, rest)) };
        let piece = rest[..at].trim_end();
        let after = at + c.len_utf8();
        next = Some((&rest[piece.len()..after], &rest[after..]));
        Some((mark, piece))
    })
}

/// What a list of values says.
struct Values {
    fields: Vec<(String, String)>,
    /// Whether the values say all that stood there.
    is_whole: bool,
}

fn values(kind: Kind, text: &str) -> Values {
    let mut read = Values { fields: Vec::new(), is_whole: true };
    let mut open: Option<Sort> = None;
    let is_rated = pieces(text).any(|(_, piece)| rating(kind, piece).is_some());
    for (mark, piece) in pieces(text).filter(|(_, piece)| !piece.trim().is_empty()) {
        if let Some((name, sort, value)) = named(kind, piece) {
            let (value, is_whole) = understood(kind, sort, &value);
            read.is_whole &= is_whole;
            read.fields.extend(value.map(|value| (name, value)));
            open = Some(sort);
        } else if let Some((name, value)) = rating(kind, piece) {
            read.fields.push((name, value));
            open = None;
        } else if let Some(owner) = owner(kind, piece).filter(|_| is_rated) {
            read.fields.push(("owner".to_owned(), owner));
            open = Some(Sort::Words);
        } else if let Some((_, value)) = read.fields.last_mut().filter(|_| open == Some(Sort::Words))
            && label(piece).is_none()
            && !speaks_of(kind, piece)
        {
            // "Bob, Ann" is one value.
            *value = one_line(&format!("{value}{mark}{piece}"));
        } else {
            read.is_whole = false;
            open = None;
        }
    }
    read
}

fn is_value(kind: Kind, piece: &str) -> bool {
    named(kind, piece).is_some() || rating(kind, piece).is_some()
}

/// Reads `Impact: high`, `impact = high` and `**Impact:** high`.
fn named(kind: Kind, piece: &str) -> Option<(String, Sort, String)> {
    let plain = || piece.split_once([':', '=', '：']).map(|(name, value)| (key(name), value.trim().to_owned()));
    let (name, value) = bold_label(piece).or_else(plain)?;
    let sort = sort(kind, &name).filter(|_| !value.is_empty())?;
    Some((name, sort, value))
}

/// Reads `impact high` and `high impact`.
fn rating(kind: Kind, piece: &str) -> Option<(String, String)> {
    let read = |name: &str, value: &str| {
        let (name, value) = (key(name), value.trim().trim_end_matches('.'));
        let sort = sort(kind, &name).filter(|sort| matches!(sort, Sort::Likelihood | Sort::Level | Sort::Score))?;
        let (value, is_whole) = understood(kind, sort, value);
        value.filter(|_| is_whole).map(|value| (name, value))
    };
    let piece = piece.trim();
    let first = piece.split_once(char::is_whitespace).and_then(|(name, value)| read(name, value));
    first.or_else(|| piece.rsplit_once(char::is_whitespace).and_then(|(value, name)| read(name, value)))
}

/// Reads `owner Ann`.
fn owner(kind: Kind, piece: &str) -> Option<String> {
    let (name, value) = piece.trim().split_once(char::is_whitespace)?;
    let is_owner = kind == Kind::Risk && key(name) == "owner";
    let is_name = !value.contains([':', '=']) && value.split_whitespace().count() <= OWNER_LIMIT_WORDS;
    (is_owner && is_name).then(|| one_line(value))
}

/// Whether a piece begins or ends with the name of a value.
fn speaks_of(kind: Kind, piece: &str) -> bool {
    let mut said = piece.split_whitespace();
    let ends = [said.next(), said.next_back()];
    ends.into_iter().flatten().any(|word| sort(kind, &key(word)).is_some())
}

/// What is kept of a value, and whether that is all of it.
fn understood(kind: Kind, sort: Sort, value: &str) -> (Option<String>, bool) {
    let rank = match sort {
        Sort::Likelihood => likelihood(value),
        Sort::Level => level(value),
        Sort::Score => score(value),
        Sort::Status => return (Some(one_line(value)), is_known_status(kind, value)),
        Sort::Source => return (Some(one_line(value)).filter(|value| is_source(value)), is_source(value)),
        Sort::Words => return (Some(one_line(value)), true),
    };
    let word = |rank: u8| if sort == Sort::Score { rank.to_string() } else { level_word(rank).to_owned() };
    (rank.map(word), rank.is_some() && is_bare(value))
}

/// Whether a status is one word that the kind understands.
fn is_known_status(kind: Kind, value: &str) -> bool {
    let is_word = words(value).count() == 1;
    is_word
        && match kind {
            Kind::Decision => matches!(status::status(value), Said::Status(_)),
            Kind::Constraint => false,
            Kind::Assumption => standing(value).is_some(),
            Kind::Risk => ["open", "active"].contains(&key(value).as_str()) || !is_active(value),
        }
}
