//! Whether a text says that its writer was convinced, and by whom. Pure words, a few languages.
//!
//! A vote that changes without a ground is not counted, so a text that denies, doubts, supposes or only reports it is none.
//! Where it is in doubt it is none either: a labelled line says it plainly.

use super::lists;
use crate::model::plan::words;
use std::ops::Range;

const STEMS: &[&str] = &["convinc", "persuad", "persuas", "überzeug", "convenc", "convainc"];
/// Stems of languages in which whom it convinces stands before the verb.
const OBJECT_FIRST: &[&str] = &["überzeug", "convenc", "convainc"];
const QUALITIES: &[&str] = &["convincing", "persuasive", "überzeugend", "convincente", "convaincant"];
const ME: &[&str] = &["me", "us", "mich", "uns", "nos", "m"];
const I: &[&str] = &["i", "we", "ich", "wir", "yo", "je", "nous"];
const BY: &[&str] = &["by", "when", "after", "through", "thanks", "von", "vom", "durch", "por", "par"];
const BEING: &[&str] =
    &["is", "was", "are", "were", "find", "found", "most", "ist", "war", "finde", "fand", "es", "fue"];
/// What follows a quality that is said of an argument, and not of somebody who is busy convincing.
const AFTER_QUALITY: &[&str] = &["and", "because", "since", "enough", "here", "on", "as", "in", "for"];
/// Where what somebody was convinced of begins.
const THAT: &[&str] = &["that", "because", "since", "how", "about", "dass", "weil", "que", "porque"];
const RIGHT: &[&str] = &["right", "correct", "holds", "recht", "razón", "raison"];
/// How many words before a judge's name, or behind a verb, can turn it down.
const NEAR: usize = 4;

pub(super) fn is_convincing(word: &str) -> bool {
    STEMS.iter().any(|stem| word.starts_with(stem))
}

/// The words of a text, with `didn't` as two.
pub(super) fn said(text: &str) -> Vec<String> {
    words(&text.replace('’', "'").replace("n't", " not")).collect()
}

/// The clauses of a text. Questions are none.
pub(super) fn clauses(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for sentence in forge_prose::sentences::split(text).into_iter().filter(|one| !one.trim_end().ends_with('?')) {
        found.push(String::new());
        let mut is_behind_comma = false;
        for word in sentence.split_whitespace() {
            let plain = words(word).collect::<Vec<_>>().join(" ");
            let goes_on = is_behind_comma && matches!(plain.as_str(), "so" | "and" | "hence" | "und" | "y");
            if goes_on
                || word.starts_with('(')
                || matches!(word, "-" | "–" | "—")
                || lists::CLAUSE_WORDS.has_word(&plain)
            {
                found.push(String::new());
            }
            if let Some(clause) = found.last_mut() {
                clause.push_str(if clause.is_empty() { "" } else { " " });
                clause.push_str(word);
            }
            is_behind_comma = word.ends_with(',');
        }
    }
    found.retain(|clause| words(clause).next().is_some());
    found
}

/// Whether a clause says that nobody was convinced. The places of judges' names end what is said about the verb.
pub(super) fn is_denied(said: &[String], judges: &[Range<usize>]) -> bool {
    if lists::UNCONVINCED_WORDS.find(&without_looks(said)).is_some() {
        return true;
    }
    said.iter().enumerate().filter(|(_, word)| is_convincing(word)).any(|(at, _)| {
        let before = without_looks(&said[..=at]);
        let behind = &said[at + 1..];
        let content = behind.iter().position(|word| THAT.contains(&word.as_str())).unwrap_or(behind.len());
        let judge = judges.iter().map(|judge| judge.start).filter(|start| *start > at).min();
        let near = judge.map_or(content, |start| content.min(start - at - 1)).min(NEAR);
        lists::UNCONVINCED.find(&before).is_some()
            || lists::UNCONVINCED.find(&behind[..near]).is_some()
            || lists::CONDITIONS_BEHIND.find(&behind[..content]).is_some()
    })
}

/// The words without those that only look like doubts, such as `no doubt`.
fn without_looks(said: &[String]) -> Vec<&String> {
    let mut rest = Vec::with_capacity(said.len());
    let mut at = 0;
    while let Some(word) = said.get(at) {
        match lists::BEYOND_DOUBT.at(&said[at..]) {
            0 => {
                rest.push(word);
                at += 1;
            }
            length => at += length,
        }
    }
    rest
}

/// The words of a clause in which its writer was convinced by what it names: `... convinced me`, `I was convinced by ...`.
pub(super) fn is_of_oneself(said: &[String]) -> bool {
    let has = |words: &[String], wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    said.iter().enumerate().filter(|(_, word)| is_convincing(word)).any(|(at, verb)| {
        let (before, behind) = (&said[..at], &said[at + 1..]);
        let is_helped = |words: &[String]| words.iter().all(|word| lists::VERB_HELPERS.has_word(word));
        if QUALITIES.contains(&verb.as_str()) {
            let follows = match behind {
                [] => true,
                [to, whom, ..] if to == "to" => ME.contains(&whom.as_str()),
                [next, ..] => AFTER_QUALITY.contains(&next.as_str()) || ME.contains(&next.as_str()),
            };
            return follows && has(before, BEING);
        }
        if has(&behind[..behind.len().min(3)], ME) {
            return true;
        }
        if OBJECT_FIRST.iter().any(|stem| verb.starts_with(stem))
            && (has(before, ME) || (has(before, I) && has(said, BY)))
        {
            return true;
        }
        let subject = before.iter().rposition(|word| I.contains(&word.as_str())).map_or(0, |at| at + 1);
        is_helped(&before[subject..]) && has(&behind[..behind.len().min(2)], BY)
    })
}

/// Whether a line about what convinced begins by saying that nothing did.
pub(super) fn names_nothing(said: &[String]) -> bool {
    let rest = without_looks(said);
    let start = rest.iter().take_while(|word| lists::VERB_HELPERS.has_word(word) || word.ends_with("ly")).count();
    (rest.len() == 1 && rest.first().is_some_and(|word| *word == "no")) || lists::NO_GROUND.at(&rest[start..]) > 0
}

/// Whether the judge at this place is named as one who did not convince, or as what one was convinced about.
pub(super) fn is_passed_over(said: &[String], judge: &Range<usize>) -> bool {
    let before = without_looks(&said[..judge.start]);
    let near = &before[before.len().saturating_sub(NEAR)..];
    let mut behind = &said[judge.end..];
    while let [word, rest @ ..] = behind
        && matches!(word.as_str(), "judge" | "judges" | "seat" | "s" | "richter" | "argument" | "arguments")
    {
        behind = rest;
    }
    let verb = said[..judge.start].iter().position(|word| is_convincing(word));
    let is_content = verb.is_some_and(|at| said[at..judge.start].iter().any(|word| THAT.contains(&word.as_str())));
    lists::BESIDE_JUDGES.find(near).is_some()
        || lists::BEHIND_JUDGES.at(behind) > 0
        || (is_content && !said[judge.end..].iter().any(|word| RIGHT.contains(&word.as_str())))
}
