//! Names and ids of what was found: what is an id, what is left open, and what stands there twice.

use super::doubt::{Doubt, Unsure};
use super::entries::{self, Entry};
use super::{Found, LISTED_LIMIT};
use crate::model::plan::{LABEL_LIMIT_BYTES, OptionId, bare_text, check_id, letter, same_text};
use crate::rules::brief::{one_line, plain};
use crate::rules::option_line::{self, Mark, OptionLine, Prefix};
use forge_prose::blanks::{holds_place, says_something};
use std::collections::{BTreeMap, BTreeSet};

/// The most characters of a name that is cut out of a paragraph.
const NAME_CHARS: usize = 100;

/// Names, ids and descriptions of what was found; what is left open is none.
pub(super) fn resolved(mut entries: Vec<Entry>) -> (Vec<Found>, Vec<Doubt>) {
    entries.truncate(LISTED_LIMIT);
    let mut doubts = Vec::new();
    let prefixes: Vec<Option<Prefix>> = entries.iter().map(|entry| option_line::prefix(&entry.line)).collect();
    let counts = which_count(&entries, &prefixes);
    let is_only = entries.len() == 1;
    let mut found = Vec::new();
    for ((entry, prefix), counts) in entries.into_iter().zip(prefixes).zip(counts) {
        let prefix = prefix.filter(|_| counts);
        let line = entry.line.line;
        let OptionLine { label, mut description } = option_line::read(&entry.line, prefix.as_ref());
        let mut label = plain(&label).trim().to_owned();
        if holds_place(&description) {
            description.clear();
        }
        let told = [description.clone(), entry.told].into_iter().filter(|part| !part.is_empty());
        let told = entries::joined(told);
        if label.is_empty() && prefix.as_ref().is_some_and(|one| one.mark == Mark::Word) && !told.is_empty() {
            // `### Option B` and nothing else: that is what it is called.
            let short = Some(told.clone()).filter(|told| entries::is_short(told));
            label = plain(&entry.name.or(short).unwrap_or_else(|| entry.line.text.trim().to_owned()));
        }
        let is_code = !entry.line.code.is_empty();
        // A single `None.` is no option.
        let is_nothing = is_only && told.is_empty() && !says_something(&label, "");
        if label.is_empty() || is_nothing || (!is_code && holds_place(&label)) {
            let has_name = label.chars().any(char::is_alphanumeric);
            if has_name && !told.is_empty() {
                doubts.push(Doubt { line, what: Unsure::OpenName { name: label } });
            }
            continue;
        }
        let told = plain(&told);
        let start = prefix.as_ref().map_or(0, |prefix| prefix.end).min(entry.line.text.len());
        let behind = one_line(&plain(&entry.line.text[start..]));
        let whole = if description.is_empty() { label.clone() } else { behind };
        let (label, told) = shortened(label, told);
        found.push(Found { id: entry.id.or(prefix.map(|prefix| prefix.id)), label, description: told, whole, line });
    }
    (found, doubts)
}

/// A whole paragraph is no name; it is told by how it begins.
fn shortened(label: String, description: String) -> (String, String) {
    if label.len() <= LABEL_LIMIT_BYTES {
        return (label, description);
    }
    let begins: String = label.chars().take(NAME_CHARS).collect();
    (
        format!("{}…", begins.trim_end()),
        entries::joined([label, description].into_iter().filter(|part| !part.is_empty())),
    )
}

/// Which prefixes are ids. One that a word marks is; numbering is where it goes up; `C:` may be a name, and is an id only where
/// ids begin with the first or second letter or number and leave none out.
fn which_count(entries: &[Entry], prefixes: &[Option<Prefix>]) -> Vec<bool> {
    let goes_up = |marks: &[Mark]| {
        let ids: Vec<&str> =
            prefixes.iter().flatten().filter(|one| marks.contains(&one.mark)).map(|one| one.id.as_str()).collect();
        let is_first = |id: &str| matches!(id, "A" | "a" | "1" | "I");
        ids.windows(2).all(|pair| comes_before(pair[0], pair[1]))
            && (ids.len() > 1 || ids.iter().all(|id| is_first(id)))
    };
    // `1.2 release` and `1.3 release` are named by their numbers.
    let dotted = entries.iter().zip(prefixes).filter_map(|(entry, prefix)| {
        let prefix = prefix.as_ref().filter(|one| one.id.contains('.'))?;
        Some(entry.line.text[prefix.end..].to_lowercase())
    });
    let mut names: Vec<String> = dotted.collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    let numbering = goes_up(&[Mark::Numbering]) && names.len() == count;
    let separated = || prefixes.iter().flatten().filter(|one| one.mark == Mark::Separator);
    let separators = follow(separated()) || (separated().count() == entries.len() && repeat(separated()));
    let counts = |prefix: &Prefix| match prefix.mark {
        Mark::Word => true,
        Mark::Numbering => numbering,
        Mark::Separator => separators,
    };
    prefixes.iter().map(|prefix| prefix.as_ref().is_some_and(counts)).collect()
}

/// The place of an id in its order, from 0 on.
fn place(id: &str) -> Option<usize> {
    match id.as_bytes() {
        [letter] if letter.is_ascii_uppercase() => Some(usize::from(letter - b'A')),
        _ => id.parse::<usize>().ok()?.checked_sub(1),
    }
}

/// Whether these are ids of which one was written twice: A, A, C.
fn repeat<'p>(prefixes: impl Iterator<Item = &'p Prefix>) -> bool {
    let Some(places) = prefixes.map(|one| place(&one.id)).collect::<Option<Vec<usize>>>() else { return false };
    let is_near = places.iter().enumerate().all(|(at, place)| *place == at || at.checked_sub(1) == Some(*place));
    is_near && places.windows(2).any(|pair| pair[0] == pair[1]) && places.len() > 2
}

/// Whether ids follow each other from the first or the second letter or number on.
fn follow<'p>(prefixes: impl Iterator<Item = &'p Prefix>) -> bool {
    let places: Vec<Option<usize>> = prefixes.map(|one| place(&one.id)).collect();
    let first = places.first().copied().flatten().filter(|first| *first <= 1);
    first.is_some_and(|first| places.iter().enumerate().all(|(at, place)| *place == Some(first + at)))
        && (places.len() > 1 || first == Some(0))
}

/// Whether one id comes before another of the same shape: A before B, 2 before 10, I before V.
fn comes_before(one: &str, other: &str) -> bool {
    const ROMAN: [&str; 12] = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];
    let roman = |id: &str| ROMAN.iter().position(|known| *known == id);
    let parts = |id: &str| -> Vec<(String, u32)> {
        let parts = id.split('.').map(|part| {
            let letters: String = part.chars().take_while(|c| c.is_alphabetic()).collect();
            let number = part[letters.len()..].parse().unwrap_or(0);
            (letters.to_ascii_uppercase(), number)
        });
        parts.collect()
    };
    let is_roman = roman(one).zip(roman(other)).is_some_and(|(one, other)| one < other);
    is_roman || parts(one) < parts(other)
}

/// What was found without what stands there twice. Names that were cut to the same are told apart by what was cut off.
pub(super) fn distinct(mut found: Vec<Found>, doubts: &mut Vec<Doubt>) -> Vec<Found> {
    let mut wholes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for one in &found {
        wholes.entry(bare_text(&one.label)).or_default().insert(bare_text(&one.whole));
    }
    for one in found.iter_mut().filter(|one| one.whole.len() <= LABEL_LIMIT_BYTES) {
        if wholes.get(&bare_text(&one.label)).is_some_and(|wholes| wholes.len() > 1) {
            one.label.clone_from(&one.whole);
        }
    }
    let mut kept: Vec<Found> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for one in found {
        let name = bare_text(&one.label);
        let Some(known) = places.get(&name).and_then(|at| kept.get_mut(*at)) else {
            places.insert(name, kept.len());
            kept.push(one);
            continue;
        };
        let (label, first) = (one.label.clone(), known.line);
        let is_told_once = known.description.is_empty() || one.description.is_empty();
        let is_same = is_told_once || same_text(&known.description, &one.description);
        let what = if is_same { Unsure::Again { label, first } } else { Unsure::SameName { label, first } };
        doubts.push(Doubt { line: one.line, what });
        if known.description.is_empty() {
            known.description = one.description;
        }
    }
    kept
}

/// The options' ids: their own where each has one, else letters in order.
pub(super) fn ids(found: &[Found], doubts: &mut Vec<Doubt>) -> Vec<OptionId> {
    let in_order = |i: usize, id: &str| id.parse::<usize>().is_ok_and(|number| number == i + 1);
    let said: Vec<&str> = found.iter().filter_map(|one| one.id.as_deref()).collect();
    let different: BTreeSet<String> = said.iter().map(|id| id.to_ascii_uppercase()).collect();
    let is_own = said.len() == found.len()
        && different.len() == said.len()
        && said.iter().all(|id| check_id(id).is_ok())
        && !said.iter().enumerate().all(|(i, id)| in_order(i, id));
    if is_own {
        return said.iter().map(|id| OptionId::new(id.to_ascii_uppercase())).collect();
    }
    for (i, one) in found.iter().enumerate() {
        let Some(id) = &one.id else { continue };
        let first =
            found[..i].iter().find(|other| other.id.as_ref().is_some_and(|other| other.eq_ignore_ascii_case(id)));
        if let Some(first) = first.map(|first| first.line) {
            let (id, now) = (id.clone(), letter(i).to_string());
            doubts.push(Doubt { line: one.line, what: Unsure::SameId { id, first, now } });
        }
    }
    (0..found.len()).map(letter).collect()
}
