//! Phrases with a place for an option, from a data file.

use super::lists::{ADVERBS, BODIES, DECIDERS, DOUBTS, NOT_DECIDERS, OTHER_VERBS, OUT_OF_PLACE, PARTING, REASONS};
use crate::rules::option_names::{Unit, is_article, is_option_word};
use forge_prose::phrases::lines;
use forge_prose::words::{is_unspaced, words};
use std::collections::BTreeMap;

/// Words that may stand between a phrase and its option and belong to neither.
const GAP_WORDS: usize = 2;
/// The same where the phrase goes on behind the option.
const GAP_BEHIND: usize = 6;
/// The most units of an aside between a decider and the verb.
const ASIDE_UNITS: usize = 7;

/// A phrase with a place for an option.
#[derive(Debug)]
pub(super) struct Pattern {
    parts: Vec<Part>,
}

#[derive(Debug)]
pub(super) enum Part {
    Words {
        any: Vec<Vec<String>>,
        may_miss: bool,
    },
    Decider,
    Option,
    /// An option right here, with nothing between: one that is itself a verb.
    VerbOption,
    /// One word that is not in other-verbs.txt.
    Any {
        may_miss: bool,
    },
    End,
}

/// Reads the patterns of a data file.
pub(super) fn patterns(data: &str) -> Vec<Pattern> {
    let mut defined: BTreeMap<String, String> = BTreeMap::new();
    let mut found = Vec::new();
    for line in lines(data) {
        if let Some((name, value)) = line.split_once(" = ") {
            defined.insert(name.trim().to_owned(), value.trim().to_owned());
            continue;
        }
        let parts = line.split_whitespace().map(|word| part(word, &defined)).collect();
        found.push(Pattern { parts });
    }
    found
}

pub(super) fn part(word: &str, defined: &BTreeMap<String, String>) -> Part {
    let (bare, may_miss) = match word.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inside) => (inside, true),
        None => (word, false),
    };
    match bare {
        "WE" => Part::Decider,
        "X" => Part::Option,
        "DO" => Part::VerbOption,
        "ANY" => Part::Any { may_miss },
        "$" => Part::End,
        _ => {
            let expand = |one: &str| defined.get(one).cloned().unwrap_or_else(|| one.to_owned());
            let any = bare.split('|').map(expand).collect::<Vec<_>>().join("|");
            let mut any: Vec<Vec<String>> = any.split('|').map(|one| words(&one.replace('_', " "))).collect();
            any.retain(|words| !words.is_empty());
            // The longest first: "decided on" and not only "decided".
            any.sort_by_key(|words| std::cmp::Reverse(words.len()));
            Part::Words { any, may_miss }
        }
    }
}

impl Pattern {
    /// Whether nothing stands behind the option.
    pub(super) fn ends_with_option(&self) -> bool {
        matches!(self.parts.last(), Some(Part::Option | Part::VerbOption))
    }

    /// Where the pattern ends if it begins here, and which option it names.
    pub(super) fn matches(&self, units: &[Unit], start: usize) -> Option<(usize, usize)> {
        self.rest(0, units, start, None)
    }

    fn rest(&self, part: usize, units: &[Unit], at: usize, option: Option<usize>) -> Option<(usize, usize)> {
        let Some(next) = self.parts.get(part) else { return option.map(|option| (at, option)) };
        match next {
            Part::End => {
                let is_end = units[at.min(units.len())..].iter().all(|unit| matches!(unit, Unit::Mark(_)));
                let is_end = is_end || matches!(units.get(at), Some(Unit::Mark('.' | '—' | ':' | '(' | '!')));
                if is_end { self.rest(part + 1, units, at, option) } else { None }
            }
            Part::Any { may_miss } => {
                let fits = |word: &str| !OTHER_VERBS.has_word(word) && !DOUBTS.has_word(word);
                let taken = units.get(at).and_then(Unit::word).is_some_and(fits);
                let found = if taken { self.rest(part + 1, units, at + 1, option) } else { None };
                found.or_else(|| if *may_miss { self.rest(part + 1, units, at, option) } else { None })
            }
            Part::Decider => {
                let said: Vec<&str> = units[at..].iter().map_while(Unit::word).take(6).collect();
                let whole = DECIDERS.at(&said);
                [whole, body_at(&said)]
                    .into_iter()
                    .filter(|length| *length > 0)
                    .find_map(|length| self.rest(part + 1, units, behind_aside(units, at + length), option))
            }
            Part::Words { any, may_miss } => {
                let from = if part == 0 { vec![at] } else { self.starts_of_words(part, units, at) };
                for start in from {
                    for wanted in any {
                        if stands(wanted, &units[start..])
                            && let Some(found) = self.rest(part + 1, units, start + wanted.len(), option)
                        {
                            return Some(found);
                        }
                    }
                }
                if *may_miss { self.rest(part + 1, units, at, option) } else { None }
            }
            Part::Option | Part::VerbOption => {
                let from = match next {
                    _ if part == 0 => at,
                    Part::VerbOption => self.starts_of_words(part, units, at).pop()?,
                    _ => gap_before_option(units, at)?,
                };
                let option = units.get(from)?.option()?;
                // "MVStore (Option B)", "Option B - MVStore": the same option again.
                let mut end = from + 1;
                while let Some(again) = same_again(units, end, option) {
                    end = again;
                }
                self.rest(part + 1, units, end, Some(option))
            }
        }
    }

    /// Where the words of this part may begin: behind adverbs, and behind a few words where the option stands before them.
    fn starts_of_words(&self, part: usize, units: &[Unit], at: usize) -> Vec<usize> {
        let mut starts = vec![at];
        let mut end = at;
        loop {
            let said: Vec<&str> = units[end..].iter().map_while(Unit::word).take(4).collect();
            match ADVERBS.at(&said) {
                0 => break,
                length => end += length,
            }
            starts.push(end);
        }
        let behind_option = self.parts[..part].iter().any(|part| matches!(part, Part::Option | Part::VerbOption));
        // Particles of scripts without blanks belong to the word before them.
        let is_particle = matches!(&self.parts[part], Part::Words { any, .. }
            if any.iter().flatten().any(|word| word.chars().any(is_unspaced)));
        if behind_option && !is_particle {
            let mut words = 0;
            for (i, unit) in units.iter().enumerate().skip(at) {
                match unit {
                    Unit::Option(_) | Unit::Mark('.' | ';' | ':' | '!' | '?' | '—') => break,
                    Unit::Mark(_) => {}
                    Unit::Word(word) | Unit::Capital(word) if DOUBTS.has_word(word) || OUT_OF_PLACE.has_word(word) => {
                        break;
                    }
                    _ => words += 1,
                }
                if words > GAP_BEHIND {
                    break;
                }
                starts.push(i + 1);
            }
        }
        starts.retain(|start| *start <= units.len());
        starts.dedup();
        starts
    }
}

/// Where a sentence goes on behind an aside: "We, the platform team, choose".
fn behind_aside(units: &[Unit], at: usize) -> usize {
    if units.get(at) != Some(&Unit::Mark(',')) {
        return at;
    }
    let close = units.iter().skip(at + 1).take(ASIDE_UNITS).position(|unit| *unit == Unit::Mark(','));
    close.map_or(at, |length| at + 1 + length + 1)
}

/// How many words name a body that decides: `the investment committee`.
pub(super) fn body_at(said: &[&str]) -> usize {
    if !said.first().is_some_and(|first| matches!(*first, "the" | "our" | "this")) {
        return 0;
    }
    for length in 2..=said.len().min(4) {
        let word = said[length - 1];
        if NOT_DECIDERS.has_word(word) {
            return 0;
        }
        if BODIES.has_word(word) {
            return length;
        }
    }
    0
}

pub(super) fn stands(wanted: &[String], units: &[Unit]) -> bool {
    units.len() >= wanted.len() && wanted.iter().zip(units).all(|(word, unit)| unit.word() == Some(word))
}

/// Where the option stands behind a phrase: articles, marks of quotation and words for an option may stand between, and a
/// word or two that part nothing.
pub(super) fn gap_before_option(units: &[Unit], at: usize) -> Option<usize> {
    let mut others = 0;
    for (i, unit) in units.iter().enumerate().skip(at) {
        // "We choose nothing because Redis is slow": the reason names it.
        let said: Vec<&str> = units[i..].iter().map_while(Unit::word).take(3).collect();
        if REASONS.at(&said) > 0 {
            return None;
        }
        match unit {
            Unit::Option(_) => return Some(i),
            Unit::Mark(':' | '—' | '-' | '(') if others > 0 => return None,
            Unit::Mark(':' | '"' | '*' | '—' | '-' | '\'' | '`' | '(') => {}
            Unit::Mark(_) => return None,
            Unit::Word(word) | Unit::Capital(word) => {
                if is_article(word) || is_option_word(word) {
                    continue;
                }
                others += 1;
                let parts = PARTING.has_word(word) || DOUBTS.has_word(word) || OTHER_VERBS.has_word(word);
                if others > GAP_WORDS || parts {
                    return None;
                }
            }
        }
    }
    None
}

/// The end of the same option's name that follows right here, in brackets or behind a dash.
pub(super) fn same_again(units: &[Unit], at: usize, option: usize) -> Option<usize> {
    let mut i = at;
    while let Some(unit) = units.get(i) {
        match unit {
            Unit::Mark('(' | '-' | '—' | ':' | ',' | '"' | '*') if i - at < 2 => i += 1,
            Unit::Option(again) if *again == option => {
                let closes = matches!(units.get(i + 1), Some(Unit::Mark(')' | '"')));
                return Some(i + 1 + usize::from(closes));
            }
            Unit::Word(word) | Unit::Capital(word) if is_option_word(word) && i - at < 3 => i += 1,
            _ => return None,
        }
    }
    None
}
