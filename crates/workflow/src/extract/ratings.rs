//! Words that people rate with: how likely, how bad, whether it still stands.
//!
//! Promises: a word that is not known is no rating; of several the highest counts, since a risk rated too low is not
//! looked at again.
//!
//! Pure; if the process dies here nothing is left.

use super::statements::{IMPACT, PROBABILITY, SCORE};
use crate::knowledge::Standing;
use forge_debate::plan::words;
use forge_prose::blanks::{is_menu, is_placeholder};
use forge_prose::phrases::Phrases;
use forge_prose::words::{Token, tokens};
use std::sync::LazyLock;

/// The most words of a cell that are looked at: what follows explains.
const RATING_WORDS: usize = 3;

static HIGH: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/rating-high.txt")));
static MEDIUM: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/rating-medium.txt")));
static LOW: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/rating-low.txt")));

/// What a single word rates, 1 to 3.
fn rank(word: &str) -> Option<u8> {
    [(3, &HIGH), (2, &MEDIUM), (1, &LOW)].into_iter().find(|(_, names)| names.has_word(word)).map(|(rank, _)| rank)
}

/// Whether a rating says nothing besides: `High`, `2 (Medium)`, `70%`, but not `High on Mondays`.
pub fn is_bare(text: &str) -> bool {
    const BESIDE: &[&str] = &["very", "rather", "to", "of", "out"];
    let is_rating = |word: &str| rank(word).is_some() || BESIDE.contains(&word);
    words(text).all(|word| is_rating(&word) || word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a rating was never given: it is empty, or as its template has it (`High/Med/Low`, `P×I`). `Medium/High` is one.
pub fn is_left_open(text: &str) -> bool {
    const FORMULAS: &[&str] = &["pi", "pxi", "probabilityximpact", "probabilityimpact", "lxi", "li"];
    let bare = text.trim();
    if is_menu(bare) {
        return bare.split(['/', '|']).filter(|part| !part.trim().is_empty()).count() > 2;
    }
    let letters: String = bare.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    is_placeholder(bare) || FORMULAS.contains(&letters.as_str()) || bare == "?"
}

/// How bad, 1 to 3: `High`, `H`, `3`, `2 (Medium)`, `High - blocks everything`.
pub fn level(text: &str) -> Option<u8> {
    let said: Vec<String> = words(text).take(RATING_WORDS).collect();
    if said.iter().any(|word| word == "not") {
        return None;
    }
    // `2/3` is two of three; `4` is on a scale that is not ours.
    let figures: Vec<&String> = said.iter().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit())).collect();
    let figure = figures.split_first().filter(|(_, rest)| rest.iter().all(|other| *other == "3"));
    let spelled = said.iter().filter(|word| !figures.contains(word)).filter_map(|word| rank(word)).max();
    figure.and_then(|(first, _)| rank(first)).or(spelled)
}

/// How likely, 1 to 3: as [`level`], or in percent (67 and more is 3, 34 and more is 2).
pub fn likelihood(text: &str) -> Option<u8> {
    let Some((before, _)) = text.split_once('%') else { return level(text) };
    let figure = before.trim_end().rsplit(|c: char| !(c.is_ascii_digit() || c == '.')).next().unwrap_or_default();
    let whole = figure.split('.').next().unwrap_or_default();
    match whole.parse::<u32>() {
        Ok(67..=100) => Some(3),
        Ok(34..=66) => Some(2),
        Ok(0..=33) => Some(1),
        _ => None,
    }
}

/// How likely and how bad, where a text says both beside their names: `P=3 I=3`, `Likelihood: high / impact: medium`,
/// `high probability and high impact`.
pub fn both_in(text: &str) -> Option<(u8, u8)> {
    let said = tokens(text);
    rated_in(&said, PROBABILITY).zip(rated_in(&said, IMPACT)).or_else(|| product_in(text))
}

/// What a text says beside one of these names.
pub fn named_in(text: &str, names: &[&str]) -> Option<u8> {
    rated_in(&tokens(text), names)
}

/// What stands behind a name, else right before it.
fn rated_in(said: &[Token], names: &[&str]) -> Option<u8> {
    const BETWEEN: &[&str] = &[":", "=", "is", "-", "—", "of", "*", "ist", "est", "es", "rated"];
    let is_name = |at: usize| {
        let word = said[at].text.as_str();
        // A single letter may be a word: `I`.
        let next = said.get(at + 1).map_or("", |next| next.text.as_str());
        names.contains(&word) && (word.chars().count() > 1 || matches!(next, ":" | "="))
    };
    let after = |at: usize| {
        let value =
            said[at + 1..].iter().take(RATING_WORDS + 1).find(|token| !BETWEEN.contains(&token.text.as_str()))?;
        rank(&value.text)
    };
    let glued = |token: &Token| {
        let (name, figure) = token.text.split_at_checked(1)?;
        names.contains(&name).then(|| rank(figure).filter(|_| figure.len() == 1))?
    };
    let named = (0..said.len()).find(|at| is_name(*at));
    let before = |at: usize| at.checked_sub(1).and_then(|before| rank(&said[before].text));
    named.and_then(|at| after(at).or_else(|| before(at))).or_else(|| said.iter().find_map(glued))
}

/// `(3×3)`, `: high × high`: two ratings in brackets or at the end, one times the other.
fn product_in(text: &str) -> Option<(u8, u8)> {
    let product = |inside: &str| {
        let (p, i) = inside.split_once(['×', '*', 'x'])?;
        let i = i.split_once('=').map_or(i, |(i, _)| i);
        rank(p.trim().to_lowercase().as_str()).zip(rank(i.trim().to_lowercase().as_str()))
    };
    // `Data loss: high × high`
    let tail = text.rsplit_once([':', '—', ',']).map(|(_, tail)| tail);
    // No rating has a bracket in it, so each piece is looked at once.
    let pieces = text.split(['(', '[']).skip(1);
    let bracketed = pieces.filter_map(|piece| piece.split_once([')', ']'])).map(|(inside, _)| inside);
    bracketed.chain(tail).find_map(product)
}

/// A rating that stands alone with a text, without saying what it rates: `[HIGH] The disk fills up`, `Disk (critical)`.
pub fn lone(text: &str) -> Option<&str> {
    let bare = text.trim();
    let inside = |text: &'_ str, open: char, close: char| -> Option<(usize, usize)> {
        let start = text.find(open)?;
        text[start + 1..].find(close).map(|end| (start + 1, start + 1 + end))
    };
    let bracketed = [('(', ')'), ('[', ']')].into_iter().filter_map(|(open, close)| inside(bare, open, close));
    let grouped = bracketed.map(|(from, to)| &bare[from..to]);
    let leading = bare.split_once(':').map(|(first, _)| first.trim_matches(['*', '_', ' ']));
    let is_word = |part: &str| part.chars().any(char::is_alphabetic);
    grouped.chain(leading).find(|part| is_word(part) && is_bare(part) && level(part).is_some())
}

/// What a text rates by name, without the other half of a score: `Severity: High`, `Risk level = high`.
pub fn half_in(text: &str) -> Option<String> {
    let said = tokens(text);
    let is_name = |word: &str| [PROBABILITY, IMPACT, SCORE].iter().any(|names| names.contains(&word));
    let rated = |at: usize| {
        let mark = said.get(at + 1).filter(|mark| matches!(mark.text.as_str(), ":" | "="))?;
        let value = said[at + 2..].iter().find(|token| !token.is_mark).filter(|value| rank(&value.text).is_some())?;
        Some(format!("{}{} {}", said[at].text, mark.text, value.text))
    };
    (0..said.len()).filter(|at| is_name(&said[*at].text)).find_map(rated)
}

/// A score, 1 to 9: `6`, `6 (High)`, `6/9`, `2 × 3`, `2 × 3 = 6`. `8/25` is on another scale.
pub fn score(text: &str) -> Option<u8> {
    let text = text.rsplit_once('=').map_or(text, |(_, result)| result);
    let figures: Vec<u32> = words(text).filter_map(|word| word.parse().ok()).collect();
    let (first, second) = (*figures.first()?, figures.get(1).copied());
    let product = text.contains(['×', '*']) || text.contains(" x ");
    let value = match second {
        Some(second) if product && first <= 3 && second <= 3 => first * second,
        Some(_) if product => return None,
        Some(of) if (text.contains('/') || text.contains(" of ")) && of != 9 => return None,
        _ => first,
    };
    u8::try_from(value).ok().filter(|score| (1..=9).contains(score))
}

/// The word for a level.
pub fn level_word(level: u8) -> &'static str {
    match level {
        0 | 1 => "Low",
        2 => "Medium",
        _ => "High",
    }
}

/// What an assumption turned out to be, where a text says so.
pub fn standing(text: &str) -> Option<Standing> {
    const WRONG: &[&str] =
        &["invalidated", "invalid", "disproved", "disproven", "refuted", "wrong", "false", "rejected", "failed"];
    const RIGHT: &[&str] = &["validated", "valid", "confirmed", "verified", "proven", "true", "holds"];
    const OPEN: &[&str] = &["open", "unvalidated", "unverified", "unconfirmed", "pending", "reopened", "untested"];
    let said: Vec<String> = words(text).collect();
    let says = |names: &[&str]| said.iter().any(|word| names.contains(&word.as_str()));
    let denied = says(&["not", "never", "yet", "partially", "partly", "be"]);
    if says(OPEN) || (denied && says(RIGHT)) {
        Some(Standing::Open)
    } else if says(WRONG) {
        Some(Standing::Invalidated)
    } else if says(RIGHT) {
        Some(Standing::Validated)
    } else if said.is_empty() && text.contains(['❌', '✗', '⛔']) {
        Some(Standing::Invalidated)
    } else if said.is_empty() && text.contains(['✅', '✔', '✓']) {
        Some(Standing::Validated)
    } else {
        None
    }
}

/// Whether a risk with that status can still happen. An accepted one can.
pub fn is_active(status: &str) -> bool {
    const OVER: &[&str] = &[
        "closed",
        "mitigated",
        "retired",
        "resolved",
        "inactive",
        "obsolete",
        "expired",
        "eliminated",
        "lifted",
        "fixed",
        "solved",
        "removed",
    ];
    const NOT_YET: &[&str] = &["not", "never", "partially", "partly", "being", "be", "reopened", "open", "active"];
    // Who did it is a name.
    let said: Vec<String> = words(status).take_while(|word| word != "by").collect();
    let says = |names: &[&str]| said.iter().any(|word| names.contains(&word.as_str()));
    !says(OVER) || says(NOT_YET) || status.contains('?')
}
