//! Which items of an assumptions section are new, and which say what became of one that is there.
//!
//! `A3: validated - because ...`, `A3 invalidated: ...` and `[x] A3 ... validated` are about A3 and are no assumptions.
//!
//! Pure; if the process dies here nothing is left.

use super::ids::{Letters, head, same_id};
use super::if_wrong::if_wrong;
use super::passages::{cells, marker, one_line};
use super::ratings;
use super::statements::Statement;
use crate::knowledge::{Assumption, Kind, Standing, Validation, said_words};
use forge_prose::words::words;

/// What people call the column that says what an assumption turned out to be.
pub(super) const RESULTS: &[&str] = &[
    "status",
    "result",
    "outcome",
    "verdict",
    "conclusion",
    "finding",
    "state",
    "ergebnis",
    "befund",
    "stand",
    "urteil",
    "résultat",
    "resultado",
    "resultat",
];

/// An assumptions section, taken apart.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) assumptions: Vec<Assumption>,
    /// Of each assumption, the id that the writer gave it.
    pub(super) ids: Vec<Option<String>>,
    pub(super) validations: Vec<Validation>,
    /// Of each validation, its line.
    pub(super) lines: Vec<usize>,
}

/// Takes statements apart. Sources are still to be given.
pub(super) fn read(statements: Vec<(Option<String>, Statement)>) -> Read {
    let mut read = Read::default();
    for (id, statement) in statements {
        let (ticked, text) = unboxed(&statement.text);
        let id = id.map(|id| (id, text.to_owned())).or_else(|| {
            // "A3 invalidated: ..." and "[x] A3 ..." have no mark after the id. Another letter is an id only before a verdict.
            let own = head(Kind::Assumption, Letters::Own, text);
            let any = || head(Kind::Assumption, Letters::Any, text).filter(|head| verdict_in(&head.rest).is_some());
            own.or_else(any).map(|head| (head.id, head.rest))
        });
        let column = statement.get(RESULTS).and_then(|said| ratings::standing(said).or_else(|| spoken(said)));
        let column = column.or_else(|| answered(&statement));
        let above = || statement.below.iter().find_map(|title| ratings::standing(title));
        let column = column.or_else(above).filter(|it| *it != Standing::Open);
        let found = id.as_ref().and_then(|(id, rest)| {
            let said = verdict_in(rest).or_else(|| short_verdict(rest));
            let (standing, because) = match (said, column, ticked) {
                (Some(said), _, None | Some(true)) => said,
                // An item below such a heading tells how it was found out; a row has a column for that.
                (None, Some(standing), None | Some(true)) if statement.fields.is_empty() => (standing, one_line(rest)),
                (None, Some(standing), None | Some(true)) => (standing, reason_of(&statement)),
                (None, None, Some(true)) => (Standing::Validated, one_line(rest)),
                _ => return None,
            };
            Some(Validation { assumption: id.clone(), standing, because, source: String::new() })
        });
        match (found, id) {
            (Some(validation), _) => {
                read.validations.push(validation);
                read.lines.push(statement.line);
            }
            (None, Some((_, rest))) if verdict_in(&rest).is_some() => {}
            (None, id) => {
                let (id, text) = id.map_or_else(|| (None, text.to_owned()), |(id, rest)| (Some(id), rest));
                let mut assumption = Statement { text, ..statement }.assumption();
                if assumption.risk_if_invalid.is_empty() {
                    assumption.risk_if_invalid = if_wrong(&assumption.text).to_owned();
                }
                read.assumptions.push(assumption);
                read.ids.push(id);
            }
        }
    }
    read
}

/// What a column that asks whether it was right says: `| Was it right? | Yes, 95% |`.
fn answered(statement: &Statement) -> Option<Standing> {
    const ASKS: &[&str] = &["right", "valid", "true", "hold", "holds", "held", "confirmed", "correct", "validated"];
    let asks = |name: &str| name.split_whitespace().any(|word| ASKS.contains(&word.trim_matches('?')));
    let (_, value) = statement.fields.iter().find(|(name, _)| asks(name))?;
    let first = value.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty())?;
    match first.to_lowercase().as_str() {
        "yes" => Some(Standing::Validated),
        "no" => Some(Standing::Invalidated),
        _ => None,
    }
}

fn reason_of(statement: &Statement) -> String {
    one_line(statement.get(&["because", "evidence", "reason", "notes", "how", "validation method"]).unwrap_or_default())
}

/// A text without the box before it, and whether that is ticked.
fn unboxed(text: &str) -> (Option<bool>, &str) {
    let text = text.trim();
    let rest = text.get(..3).filter(|start| start.starts_with('[') && start.ends_with(']')).map(|_| text[3..].trim());
    match (text.as_bytes().get(1), rest) {
        (Some(b'x' | b'X'), Some(rest)) => (Some(true), rest),
        (Some(b' '), Some(rest)) => (Some(false), rest),
        _ => (None, text),
    }
}

/// `✔ holds`, `TRUE - by the survey`: a first clause that is nothing but a result.
fn short_verdict(text: &str) -> Option<(Standing, String)> {
    let end = text.find([',', ';', '.', '(', ':', '–', '—']).or_else(|| text.find(" - ")).unwrap_or(text.len());
    let (first, rest) = text.split_at(end);
    let bare = first.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let mut said = bare.filter(|word| !word.is_empty() && !LINKS.iter().any(|link| word.eq_ignore_ascii_case(link)));
    let (only, next) = (said.next()?, said.next());
    let standing = ratings::standing(only).or_else(|| spoken(only));
    let standing = standing.filter(|it| *it != Standing::Open && next.is_none())?;
    // `was right, mostly`
    if standing == Standing::Validated && begins_in_part(rest) {
        return None;
    }
    Some((standing, one_line(rest.trim_start_matches([',', ';', '.', ':', '–', '—', '-', ' ']))))
}

/// What a single word says that would say nothing in a heading: `right`, `OK`.
fn spoken(text: &str) -> Option<Standing> {
    const RIGHT: &[&str] = &["right", "correct", "ok", "okay", "held", "richtig", "stimmt"];
    matches!(words(text).as_slice(), [one] if RIGHT.contains(&one.as_str())).then_some(Standing::Validated)
}

/// Whether a text begins with a word that takes back some of the result before it.
fn begins_in_part(text: &str) -> bool {
    words(text).first().is_some_and(|word| IN_PART.contains(&word.as_str()))
}

/// Whether it is said that nobody knows yet, or not of all of it: `still open, cannot be checked before the pilot`, `partially
/// validated`, `assumed to hold`, `was right, mostly`.
pub(super) fn is_left_open(said: &str) -> bool {
    const OPEN: &[&str] = &["needs", "need", "unknown", "tbd", "n/a", "unclear", "assumed"];
    let first = said.split([',', ';', '.', ':', '(', '–', '—']).next().unwrap_or_default();
    let first = first.split(" - ").next().unwrap_or_default();
    let bare = first.split_whitespace().find(|word| !LINKS.iter().any(|link| word.eq_ignore_ascii_case(link)));
    let begins_open = bare.is_some_and(|word| OPEN.iter().any(|it| word.eq_ignore_ascii_case(it)));
    let in_part = words(first).iter().any(|word| IN_PART.contains(&word.as_str()));
    let is_partial = in_part && words(first).len() == 1
        || begins_in_part(said[first.len()..].trim_start())
            && ratings::standing(first).or_else(|| spoken_of(first)).is_some();
    let clauses = || said.split([',', ';', '.', ':', '(', '–', '—']);
    let is_wrong_somewhere = || clauses().any(|clause| ratings::standing(clause) == Some(Standing::Invalidated));
    match begins_open || in_part || is_partial {
        true => {
            (begins_open || is_partial || ratings::standing(first) == Some(Standing::Open)) && !is_wrong_somewhere()
        }
        false => ratings::standing(first) == Some(Standing::Open),
    }
}

fn spoken_of(clause: &str) -> Option<Standing> {
    clause.split_whitespace().last().and_then(spoken)
}

/// Words beside a result that take some of it back.
const IN_PART: &[&str] = &["mostly", "partly", "partially", "largely", "almost", "teilweise", "größtenteils"];

/// What may stand between an assumption and what it turned out to be.
const LINKS: &[&str] =
    &["is", "was", "were", "ist", "war", "wurde", "now", "has", "been", "status", "turned", "out", "to"];

/// What a line says that a known assumption turned out to be, wherever it stands: `A1 is wrong`, `**A1: INVALIDATED**`, a row with
/// its id and a cell that is a result. A condition says nothing: `if A1 is wrong`.
pub(super) fn said_of(known: &Assumption, line: &str) -> Option<Standing> {
    const CONDITIONS: &[&str] = &["if", "when", "whether", "should", "unless", "once", "until", "in", "case"];
    const OF_TESTS: &[&str] = &["failed", "passed"];
    const CELL_WORDS: usize = 3;
    const LONG: usize = 4;
    let (id, line) = (known.id.as_str(), line.trim());
    if line.contains('?') || marker(line).is_some_and(|item| item.content.starts_with("[ ]")) {
        return None;
    }
    let result = |text: &str| ratings::standing(text).filter(|it| *it != Standing::Open);
    if line.starts_with('|') {
        let cells = cells(line);
        let names_it = cells.first().is_some_and(|cell| same_id(cell.trim_matches(['*', '`', ' ', '[', ']']), id));
        let short = cells.iter().skip(1).filter(|cell| cell.split_whitespace().count() <= CELL_WORDS);
        // Rows of other lists have such numbers too: `| A1 | Login works | failed |`.
        let about = said_words(&known.text);
        let shares = |cell: &str| said_words(cell).iter().any(|word| word.len() >= LONG && about.contains(word));
        let is_other = cells
            .get(1)
            .is_some_and(|cell| cell.split_whitespace().count() > 1 && result(cell).is_none() && !shares(cell));
        return short.filter(|_| names_it && !is_other).find_map(|cell| result(cell));
    }
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let said: Vec<String> = line.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let at = said.iter().position(|word| same_id(word, id))?;
    let is_one_of = |word: &String, names: &[&str]| names.iter().any(|known| word.eq_ignore_ascii_case(known));
    if said[..at].iter().any(|word| is_one_of(word, CONDITIONS)) {
        return None;
    }
    let what = said[at + 1..].iter().find(|word| !is_one_of(word, LINKS))?;
    result(what).filter(|_| !is_one_of(what, OF_TESTS))
}

/// `validated - because ...`, `OAuth works: validated`, `(invalidated) since ...`: what, and why. The word counts where it
/// stands alone between marks, before a ground, or last; "validated tokens expire" says nothing about the assumption.
fn verdict_in(text: &str) -> Option<(Standing, String)> {
    const NAMES: &[(&str, Standing)] = &[
        ("validated", Standing::Validated),
        ("confirmed", Standing::Validated),
        ("invalidated", Standing::Invalidated),
        ("disproved", Standing::Invalidated),
        ("refuted", Standing::Invalidated),
        ("bestätigt", Standing::Validated),
        ("widerlegt", Standing::Invalidated),
    ];
    const DENIALS: &[&str] = &[
        "not",
        "never",
        "yet",
        "be",
        "partially",
        "partly",
        "mostly",
        "almost",
        "hardly",
        "nicht",
        "noch",
        "teilweise",
    ];
    const GROUNDS: &[&str] = &[
        "because", "by", "in", "since", "as", "with", "on", "after", "through", "via", "weil", "da", "durch", "laut",
        "im",
    ];
    const MARKS: &[char] = &[':', ';', ',', '.', '(', ')', '-', '–', '—'];
    let bare = text.replace("**", "");
    let said: Vec<&str> = bare.split_whitespace().collect();
    for (at, word) in said.iter().enumerate() {
        let name = word.trim_matches(MARKS);
        let Some((_, standing)) = NAMES.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)) else { continue };
        let among = |word: &str, names: &[&str]| names.iter().any(|known| word.eq_ignore_ascii_case(known));
        let before = said[..at].iter().rev().find(|word| !among(word, LINKS));
        let after = said.get(at + 1);
        // A sign before the word belongs to it: `❌ Invalidated`.
        let is_mark = |word: &str| word.ends_with(MARKS) || !word.contains(char::is_alphanumeric);
        let opens = word.starts_with('(') || before.is_none_or(|word| is_mark(word));
        let closes = word.ends_with(MARKS) || after.is_none_or(|word| word.starts_with(MARKS) || among(word, GROUNDS));
        let denied = before.is_some_and(|word| among(word, DENIALS));
        let in_part =
            [&["in", "part"][..], &["partially"], &["partly"], &["mostly"], &["teilweise"]].iter().any(|words| {
                said[at + 1..].iter().map(|word| word.trim_matches(MARKS)).take(words.len()).eq(words.iter().copied())
            });
        if denied || in_part || !((opens && closes) || after.is_none()) {
            continue;
        }
        let trimmed = |words: &[&str]| words.join(" ").trim_matches([' ', ':', ';', ',', '-', '–', '—']).to_owned();
        let (why, what) = (trimmed(&said[at + 1..]), trimmed(&said[..at]));
        let why = why.strip_prefix("because ").unwrap_or(&why);
        return Some((*standing, if why.is_empty() { what } else { why.to_owned() }));
    }
    None
}
