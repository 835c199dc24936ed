//! Words that say that there is nothing: `None.`, `No decisions beyond D1.`, `Keine neuen.`
//!
//! Pure; if the process dies here nothing is left.

use super::headings::is_of_kinds;
use super::ids::ids_in;
use forge_prose::blanks::is_function_word;
use forge_prose::phrases::Phrases;
use forge_prose::sentences;
use forge_prose::words::words;
use std::sync::LazyLock;

static OPENING: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/nothing.txt")));
static BESIDE: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/beside-nothing.txt")));
static BEYOND: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/beyond.txt")));

/// Whether a word is one with which a sentence begins that says that there is nothing.
pub(super) fn opens(word: &str) -> bool {
    OPENING.has_word(word)
}

/// Whether words deny, and say nothing but what they deny: the kind's own words, and ids behind a word such as `beyond`. What
/// only begins so is something: `No backups`.
pub(super) fn denies(text: &str) -> bool {
    const DETERMINERS: [&str; 2] = ["no", "neither"];
    const THINGS_OF_TIME: [&str; 5] = ["phase", "register", "time", "moment", "present"];
    const MOST_WORDS: usize = 16;
    let ids = ids_in(text);
    let plain = ids.iter().fold(text.to_owned(), |text, id| text.replacen(id.as_str(), " ", 1));
    let said = words(&plain);
    let Some((first, rest)) = said.split_first().filter(|(first, _)| opens(first)) else { return false };
    let beyond = BEYOND.find(rest);
    let is_kind = |at: usize| is_of_kinds(&rest[at]);
    // `No new phase` is something, `None in this phase` is not.
    let stands_behind = |at: usize| at > 0 && (is_function_word(&rest[at - 1]) || is_kind(at - 1));
    let adds_nothing = |at: usize| {
        let word = rest[at].as_str();
        let is_beyond = beyond.is_some_and(|(from, length)| (from..from + length).contains(&at));
        let is_thing = THINGS_OF_TIME.contains(&word);
        is_beyond || is_kind(at) || is_function_word(word) || BESIDE.has_word(word) && (!is_thing || stands_behind(at))
    };
    let has_kind = (0..rest.len()).any(is_kind);
    let says_of_what = has_kind || !ids.is_empty();
    let needs_it = DETERMINERS.contains(&first.as_str()) && !rest.is_empty();
    rest.len() <= MOST_WORDS
        && (ids.is_empty() || beyond.is_some())
        && (beyond.is_none() || says_of_what)
        && (says_of_what || !needs_it)
        && (0..rest.len()).all(adds_nothing)
}

/// What stands behind a first clause that says that there is nothing; none where the text does not begin so.
pub(super) fn after_denial(text: &str) -> Option<Vec<&str>> {
    let all = sentences::split(text);
    let (first, others) = all.split_first()?;
    let end = first.find([';', ':', '–', '—', '(']).or_else(|| first.find(", ")).unwrap_or(first.len());
    let (clause, rest) = first.split_at(end);
    let whole = denies(first);
    let rest = Some(rest).filter(|rest| !whole && rest.chars().any(char::is_alphanumeric));
    (whole || denies(clause)).then(|| rest.into_iter().chain(others.iter().copied()).collect())
}
