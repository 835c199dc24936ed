//! What a sentence is cut down to before it counts: quotations, contrasts and reasons go, doubts and conditions are looked
//! for in the rest.

use super::lists::{ADVERBS, CONDITIONS, CONNECTORS, DOUBTS, LEAD_INS, REASONS, REFUSALS, RELATIVES, REPORTS};
use super::patterns::{Pattern, patterns};
use crate::rules::option_names::{Unit, is_article, is_option_word};
use forge_prose::phrases::Phrases;
use std::sync::LazyLock;

static CONTRASTS: LazyLock<Vec<Pattern>> = LazyLock::new(|| patterns(include_str!("../../../../data/contrasts.txt")));

/// How many words behind a dash or a bracket can take back what stands before it.
const TAKEN_BACK_WORDS: usize = 3;

/// The units without what stands in quotation marks, unless that is a name.
pub(super) fn without_quotations(units: Vec<Unit>) -> Vec<Unit> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < units.len() {
        let close = (units[at] == Unit::Mark('"'))
            .then(|| units[at + 1..].iter().position(|unit| *unit == Unit::Mark('"')).map(|i| at + 1 + i))
            .flatten();
        match close {
            Some(close) => {
                let inside = &units[at + 1..close];
                let is_name = inside.iter().any(|unit| unit.option().is_some())
                    && inside
                        .iter()
                        .all(|unit| unit.word().is_none_or(|word| is_article(word) || is_option_word(word)));
                if is_name {
                    kept.extend(inside.iter().filter(|unit| unit.option().is_some()).cloned());
                }
                at = close + 1;
            }
            None => {
                if units[at] != Unit::Mark('"') {
                    kept.push(units[at].clone());
                }
                at += 1;
            }
        }
    }
    kept
}

/// The units without contrasts that name an option.
pub(super) fn without_contrasts(units: Vec<Unit>) -> Vec<Unit> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < units.len() {
        match contrast_at(&units, at, None) {
            Some(end) => at = end,
            None => {
                kept.push(units[at].clone());
                at += 1;
            }
        }
    }
    kept
}

/// Where a contrast that begins here ends: with its option, and with further ones that are listed behind it.
pub(super) fn contrast_at(units: &[Unit], at: usize, but: Option<usize>) -> Option<usize> {
    let (mut end, option) = CONTRASTS.iter().find_map(|pattern| pattern.matches(units, at))?;
    if but == Some(option) {
        return None;
    }
    // "rather than JSON, Custom format or Avro"
    loop {
        let joins = units[end..]
            .iter()
            .take_while(|unit| {
                matches!(unit, Unit::Mark(',' | '/'))
                    || unit.word().is_some_and(|word| {
                        is_article(word)
                            || ["and", "or", "nor", "und", "oder", "y", "o", "et", "ou", "或", "和"].contains(&word)
                    })
            })
            .count();
        match units.get(end + joins) {
            Some(Unit::Option(_)) if joins > 0 => end += joins + 1,
            _ => return Some(end),
        }
    }
}

/// Whether what stands before a phrase reports nobody else: nothing, small words, a clause that is closed by a mark, or
/// one that begins like a reason.
pub(super) fn lead_is_plain(lead: &[Unit]) -> bool {
    let said: Vec<&str> = lead.iter().filter_map(Unit::word).collect();
    // "..., and thus we choose": what is closed by a mark, but for small words behind it.
    let mut end = lead.len();
    while end > 0 && lead[end - 1].word().is_some_and(|word| CONNECTORS.has_word(word) || ADVERBS.has_word(word)) {
        end -= 1;
    }
    let is_closed =
        end > 0 && matches!(lead[end - 1], Unit::Mark(',' | ':' | ';' | '—' | '-' | ')' | '.' | '!' | '*' | '|'));
    let mut at = 0;
    while at < said.len() {
        let small = CONNECTORS.at(&said[at..]).max(ADVERBS.at(&said[at..]));
        let small = small.max(usize::from(is_article(said[at]) || is_option_word(said[at])));
        if small == 0 {
            break;
        }
        at += small;
    }
    is_closed || at == said.len() || LEAD_INS.at(&said) > 0
}

/// What stands before a phrase, without a first clause that begins like a reason and is closed by a comma.
pub(super) fn without_lead_in(lead: &[Unit]) -> &[Unit] {
    let said: Vec<&str> = lead.iter().filter_map(Unit::word).collect();
    let skip = LEAD_INS.at(&said);
    if skip == 0 {
        return lead;
    }
    match lead.iter().rposition(|unit| matches!(unit, Unit::Mark(',' | ':' | '—'))) {
        Some(comma) => &lead[comma + 1..],
        None => &lead[skip.min(lead.len())..],
    }
}

pub(super) fn starts(list: &Phrases, units: &[Unit]) -> bool {
    let said: Vec<&str> = units.iter().map_while(Unit::word).collect();
    list.at(&said) > 0
}

/// What stands behind a choice up to its reason, and the rest. A doubt of several words goes before a reason that begins in
/// the middle of it: "siempre que".
pub(super) fn cut_at_reason(tail: &[Unit]) -> (&[Unit], &[Unit]) {
    let length_of = |list: &Phrases, i: usize| {
        let said: Vec<&str> = tail[i..].iter().map_while(Unit::word).collect();
        list.at(&said)
    };
    let mut i = 0;
    while i < tail.len() {
        let opens = matches!(tail[i], Unit::Mark('—' | ':' | '(' | '[' | '.' | '-' | '!'));
        let is_aside = i > 0 && tail[i - 1] == Unit::Mark(',') && starts(&RELATIVES, &tail[i..]);
        let (reason, doubt) = (length_of(&REASONS, i), length_of(&DOUBTS, i));
        if opens || is_aside || reason > doubt || (reason > 0 && doubt <= 1) {
            break;
        }
        i += doubt.max(1);
    }
    tail.split_at(i.min(tail.len()))
}

/// Another option's name right behind a choice, alone in brackets or behind a dash.
pub(super) fn other_name(tail: &[Unit], option: usize) -> Option<usize> {
    let opens = matches!(tail.first(), Some(Unit::Mark('(' | '-' | '—' | ':')));
    let other = tail.get(1).and_then(Unit::option).filter(|other| opens && *other != option)?;
    let ends = matches!(tail.get(2), None | Some(Unit::Mark(')' | '.' | ',' | ';' | '—' | '-')));
    ends.then_some(other)
}

/// The units without phrases such as "there is no doubt".
pub(super) fn without_connectors(units: &[Unit]) -> Vec<Unit> {
    let mut kept = Vec::new();
    let mut i = 0;
    while i < units.len() {
        let said: Vec<&str> = units[i..].iter().map_while(Unit::word).take(6).collect();
        match CONNECTORS.at(&said) {
            length if length > 1 => i += length,
            _ => {
                kept.push(units[i].clone());
                i += 1;
            }
        }
    }
    kept
}

pub(super) fn doubt_in(units: &[Unit]) -> Option<String> {
    let said: Vec<&str> = units
        .iter()
        .map(|unit| match unit {
            // The month.
            Unit::Capital(word) if word == "may" => "",
            Unit::Word(word) | Unit::Capital(word) => word,
            _ => "",
        })
        .collect();
    DOUBTS.find(&said).map(|(at, length)| said[at..at + length].join(" "))
}

/// A word with which what follows is somebody else's, or a condition that stands before the choice.
pub(super) fn report_in(lead: &[Unit]) -> Option<String> {
    let said: Vec<&str> = lead.iter().filter_map(Unit::word).collect();
    let reports = said.iter().find(|word| REPORTS.has_word(word)).map(|word| (*word).to_owned());
    let is_phrase = CONNECTORS.at(&said) > 1;
    let condition = if is_phrase { &said[..0] } else { &said[..CONDITIONS.at(&said)] };
    reports.or_else(|| (!condition.is_empty()).then(|| condition.join(" ")))
}

/// A condition in what follows a choice's reason: at the start of one of its clauses. A dash or bracket right behind the
/// choice may also take it back.
pub(super) fn condition_in(rest: &[Unit]) -> Option<String> {
    let opens = matches!(rest.first(), Some(Unit::Mark('—' | ':' | '(' | '[' | '-')));
    if opens {
        let said: Vec<&str> = rest[1..].iter().map_while(Unit::word).take(TAKEN_BACK_WORDS).collect();
        let doubt = (0..said.len().min(2)).map(|i| &said[i..i + DOUBTS.at(&said[i..])]).find(|found| !found.is_empty());
        let refusal = &said[..REFUSALS.at(&said)];
        if let Some(found) = doubt.or((!refusal.is_empty()).then_some(refusal)) {
            return Some(found.join(" "));
        }
    }
    (0..rest.len()).find_map(|i| {
        matches!(rest[i], Unit::Mark(',' | '—' | '-' | '(' | ')')).then_some(())?;
        let said: Vec<&str> = rest[i + 1..].iter().map_while(Unit::word).take(6).collect();
        let said = if matches!(said.first(), Some(&"but" | &"and" | &"though")) { &said[1..] } else { &said[..] };
        match CONDITIONS.at(said) {
            0 => None,
            length => Some(said[..length].join(" ")),
        }
    })
}
