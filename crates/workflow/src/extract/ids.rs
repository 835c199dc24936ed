//! Ids of entries, in whichever form somebody gave them: `D1`, `D001`, `DB1`, `ADR-3`, `D-build-4`, `C-R2`, `D1a`, `D1.2`.
//!
//! Pure; if the process dies here nothing is left.

use super::sections::is_struck;
use crate::knowledge::Kind;

/// The longest number of an id, in digits: one more could always be added to it.
const NUMBER_LIMIT_DIGITS: usize = 9;
/// The most letters that an id begins with.
const LETTERS_LIMIT: usize = 8;
/// The longest id, in bytes: what is longer is a name.
const ID_LIMIT_BYTES: usize = 40;

/// An id at the start of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The id, as written.
    pub id: String,
    /// What follows it.
    pub rest: String,
    /// Whether a mark such as `:` stands between them.
    pub is_marked: bool,
}

/// Which letters an id may begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Letters {
    /// Those of the kind: what a name like `S3` says is not known.
    Own,
    /// Any: it stands where only ids stand.
    Any,
}

/// Whether an id is one of the kind's own by its letters alone.
pub fn is_own(kind: Kind, id: &str) -> bool {
    let letters: String = id.chars().take_while(char::is_ascii_uppercase).collect();
    match kind {
        // `DC` is a derived constraint, `AC` an accepted risk.
        Kind::Decision => letters.starts_with('D') && letters != "DC" || letters.starts_with("AD"),
        Kind::Constraint => letters.starts_with('C') || letters == "DC",
        Kind::Assumption => letters.starts_with('A') && !letters.starts_with("AD") && letters != "AC",
        Kind::Risk => letters.starts_with('R'),
    }
}

/// Whether two ids are one: `D1` and `d001` are.
pub fn same_id(a: &str, b: &str) -> bool {
    a == b || plain(a) == plain(b)
}

/// An id in capitals, its numbers without zeros before them.
fn plain(id: &str) -> String {
    let mut out = String::new();
    for c in id.trim().chars().flat_map(char::to_uppercase) {
        let in_number = out.ends_with(|last: char| last.is_ascii_digit());
        if c.is_ascii_digit() && in_number && out.ends_with('0') && !out[..out.len() - 1].ends_with(is_digit) {
            out.pop();
        }
        out.push(c);
    }
    out
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// The number that an id takes among those of a letter: 1 for `D001` and `D1a`, 4 for `D-build-4`, none for `DB1`.
pub fn number(id: &str, letter: char) -> Option<u32> {
    let bare = id.strip_prefix(letter)?;
    if bare.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let last = bare.rsplit(['-', '_']).next()?;
    let digits = last.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

/// The ids that a text names.
pub fn ids_in(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.')));
    let words = words.map(|word| word.trim_end_matches(['.', '-', '_']));
    words.filter(|word| id_length(word) == Some(word.len())).map(str::to_owned).collect()
}

/// The bytes of the id at the start of a text.
pub(super) fn id_length(text: &str) -> Option<usize> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))).unwrap_or(text.len());
    let run = text[..end].trim_end_matches(['-', '_', '.']);
    if run.len() > ID_LIMIT_BYTES || text[run.len()..].starts_with(char::is_alphanumeric) {
        return None;
    }
    let (first, joined) = run.split_at(run.find(['-', '_']).unwrap_or(run.len()));
    let letters = first.bytes().take_while(u8::is_ascii_uppercase).count();
    let after = &first[letters..];
    let last = joined.rsplit(['-', '_']).next().filter(|last| !last.is_empty()).unwrap_or(after);
    let middle = joined.split(['-', '_']).skip(1).all(|part| !part.is_empty() && !part.contains('.'));
    let sound = (1..=LETTERS_LIMIT).contains(&letters)
        && if joined.is_empty() { is_number(after) } else { (after.is_empty() || is_number(after)) && middle };
    let numbered = is_number(last.trim_start_matches(|c: char| c.is_ascii_alphabetic()));
    (sound && numbered).then_some(run.len())
}

/// `14`, `1a`, `1.2`.
fn is_number(text: &str) -> bool {
    let bare = text.strip_suffix(|c: char| c.is_ascii_lowercase()).unwrap_or(text);
    bare.split('.').all(|part| (1..=NUMBER_LIMIT_DIGITS).contains(&part.len()) && part.chars().all(is_digit))
}

/// Reads `D1: Title`, `**D1**: Title`, `[D1] Title`, `D001 - Title`, `Decision D-build-4: Title`, `Decision 4: Title`.
pub fn head(kind: Kind, letters: Letters, text: &str) -> Option<Head> {
    let struck = is_struck(text).then(|| text.trim()[2..].replacen("~~", "", 1));
    let text = struck.as_deref().unwrap_or(text).trim();
    let unbold =
        text.strip_prefix("**").and_then(|rest| rest.split_once("**")).map(|(bold, rest)| format!("{bold}{rest}"));
    let text = unbold.as_deref().unwrap_or(text).trim_start();
    let named = after_word(kind, text);
    if let Some(head) = named.and_then(|rest| counted(kind, rest)) {
        return Some(head);
    }
    let letters = if named.is_some() { Letters::Any } else { letters };
    let text = named.filter(|rest| id_length(rest).is_some()).unwrap_or(text);
    let (text, bracket) = match text.chars().next() {
        Some('[') => (&text[1..], "]"),
        Some('`') => (&text[1..], "`"),
        _ => (text, ""),
    };
    let (id, after) = text.split_at(id_length(text)?);
    let of_kind = letters == Letters::Any || is_own(kind, id);
    let after = after.strip_prefix(bracket).filter(|_| of_kind)?;
    // `[D1](#d1)` is a link.
    let linked = after.strip_prefix('(').filter(|_| bracket == "]").and_then(|link| link.split_once(')'));
    let after = linked.map_or(after, |(_, after)| after);
    let glued = |c: char| after.starts_with(c) && after[c.len_utf8()..].starts_with(char::is_alphanumeric);
    if after.starts_with(char::is_alphanumeric) || ['-', '_', '.', '–', '/'].into_iter().any(glued) {
        return None;
    }
    let rest = after.trim_start();
    let arrow = ["->", "=>", "→", "⇒"].into_iter().find_map(|arrow| rest.strip_prefix(arrow));
    let unmarked = arrow.or_else(|| rest.strip_prefix([':', '-', '–', '—', '.', ')', '=']));
    let spaced = unmarked.is_some() || rest.len() < after.len() || rest.is_empty() || rest.starts_with('(');
    let is_marked = unmarked.is_some() || unbold.is_some() || !bracket.is_empty();
    spaced.then(|| Head { id: id.to_owned(), rest: unmarked.unwrap_or(rest).trim().to_owned(), is_marked })
}

/// What follows the word for the kind.
fn after_word(kind: Kind, text: &str) -> Option<&str> {
    let word = kind.word();
    let rest = text.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word)).map(|_| &text[word.len()..])?;
    rest.starts_with(char::is_whitespace).then(|| rest.trim_start())
}

/// `4: Title` and `#4 - Title`, after the word for the kind.
fn counted(kind: Kind, text: &str) -> Option<Head> {
    let text = text.strip_prefix('#').unwrap_or(text);
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let rest = text[digits..].trim_start().strip_prefix([':', '-', '–', '—'])?;
    let id = format!("{}{}", kind.letter(), &text[..digits]);
    ((1..=NUMBER_LIMIT_DIGITS).contains(&digits)).then(|| Head { id, rest: rest.trim().to_owned(), is_marked: true })
}

/// The kind that a list item says it is: `Constraint DC-build-4: ...`, `**Risk:** ...`.
pub(super) fn said_kind(text: &str) -> Option<Kind> {
    let bare = text.trim_start_matches(['*', '_', ' ']);
    Kind::ALL.into_iter().find(|kind| {
        let word = kind.word();
        let Some(start) = bare.get(..word.len()) else { return false };
        let rest = bare[word.len()..].trim_start_matches(['*', '_', ' ']);
        let with_id = || id_length(rest).is_some_and(|end| rest[end..].trim_start_matches('*').starts_with(':'));
        start.eq_ignore_ascii_case(word) && (rest.starts_with(':') || with_id() || counted(*kind, rest).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_many_forms() {
        for id in [
            "D1",
            "D001",
            "DB1",
            "DT2",
            "D-build-1",
            "DC-build-4",
            "ADR-3",
            "ADR-0003",
            "C-R2",
            "T2",
            "D_4",
            "D1a",
            "D1.2",
            "DEC-2026-001",
            "AC12",
        ] {
            assert_eq!(id_length(id), Some(id.len()), "{id}");
            assert_eq!(ids_in(&format!("see {id}, then")), [id]);
            assert_eq!(ids_in(&format!("[{id}](x).")), [id]);
        }
        for none in
            ["D", "d1", "D{phase}{number}", "Build4", "D1-Title", "D1234567890", "DX", "1", "D-", "D--1", "D1.x"]
        {
            assert_ne!(id_length(none), Some(none.len()), "{none}");
        }
    }

    #[test]
    fn numbers_that_ids_take() {
        for (id, taken) in [
            ("D1", Some(1)),
            ("D001", Some(1)),
            ("D-build-4", Some(4)),
            ("D_7", Some(7)),
            ("D12a", Some(12)),
            ("D3.2", Some(3)),
            ("DB9", None),
            ("DC-build-4", None),
            ("ADR-3", None),
            ("C4", None),
        ] {
            assert_eq!(number(id, 'D'), taken, "{id}");
        }
        assert_eq!(number("C-R2", 'C'), Some(2));
        assert!(same_id("D1", "D001") && same_id("d-build-04", "D-Build-4") && !same_id("D10", "D1"));
        assert!(!same_id("D100", "D10") && same_id("D0", "D00"));
    }

    #[test]
    fn heads() {
        let id = |kind, text| head(kind, Letters::Own, text).map(|head| (head.id, head.rest));
        let is = |id: &str, rest: &str| Some((id.to_owned(), rest.to_owned()));
        assert_eq!(id(Kind::Decision, "Decision D-build-4: Cards"), is("D-build-4", "Cards"));
        assert_eq!(id(Kind::Decision, "Decision 4: Cards"), is("D4", "Cards"));
        assert_eq!(id(Kind::Decision, "~~D3: Cards~~"), is("D3", "Cards"));
        assert_eq!(id(Kind::Constraint, "Constraint DC-build-4: Two mails"), is("DC-build-4", "Two mails"));
        assert_eq!(id(Kind::Decision, "DC-build-4: Two mails"), None);
        assert_eq!(id(Kind::Decision, "Decisions 4: x"), None);
        assert_eq!(id(Kind::Assumption, "T2: mails are read"), None);
        assert_eq!(head(Kind::Assumption, Letters::Any, "T2: x").map(|head| head.id).as_deref(), Some("T2"));
        assert_eq!(said_kind("Constraint DC-build-4: x"), Some(Kind::Constraint));
        assert_eq!(said_kind("**Risk:** x"), Some(Kind::Risk));
        assert_eq!(said_kind("Risk of rain"), None);
    }
}
