//! Words that people rate with: how likely, how bad, whether it still stands.
//!
//! Promises: a word that is not known is no rating; of several the highest counts, since a risk rated too low is not
//! looked at again.
//!
//! Pure; if the process dies here nothing is left.

use super::rating_names::{IMPACT, Names, PROBABILITY, SCORE};
use crate::contradiction::is_denial;
use crate::knowledge::Standing;
use forge_debate::plan::words;
use forge_prose::blanks::{is_menu, is_placeholder};
use forge_prose::phrases::Phrases;
use forge_prose::words::{Token, tokens};
use std::sync::LazyLock;

/// The most words of a cell that are looked at: what follows explains.
const RATING_WORDS: usize = 3;
/// The most words of a rating's name, and the mark behind it.
const NAME_WORDS: usize = 8;

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

/// A figure and of how many: `4/5`, `4 out of 5`. Of more than a hundred there is no scale.
fn of_how_many(text: &str) -> Option<(u32, u32)> {
    const BETWEEN: &[&str] = &["/", "of", "out", "von", "sur", "de", "su", "van", "av", "из", "z"];
    let said = tokens(text);
    let figure = |token: &Token| token.text.parse::<u32>().ok();
    let first = said.iter().position(|token| figure(token).is_some())?;
    let last = said.iter().skip(first + 1).position(|token| figure(token).is_some())? + first + 1;
    let is_scale = said[last - 1].text == "/"
        || (last > first + 1 && said[first + 1..last].iter().all(|token| BETWEEN.contains(&token.text.as_str())));
    let (value, whole) = (figure(&said[first])?, figure(&said[last])?);
    (is_scale && (1..=whole).contains(&value) && whole <= 100).then_some((value, whole))
}

/// Whether a rating is a figure on a scale that is not forge's: `4/5`.
pub fn has_other_scale(text: &str) -> bool {
    of_how_many(text).is_some_and(|(_, whole)| whole > 3)
}

/// How bad, 1 to 3: `High`, `H`, `3`, `2 (Medium)`, `4/5`, `High - blocks everything`.
pub fn level(text: &str) -> Option<u8> {
    let said: Vec<String> = words(text).take(RATING_WORDS).collect();
    if said.iter().any(|word| word == "not") {
        return None;
    }
    let is_figure = |word: &&String| word.bytes().all(|byte| byte.is_ascii_digit());
    // `3 (Medium)` is on a scale of five: what is spelled out counts.
    let spelled = said.iter().filter(|word| !is_figure(word)).filter_map(|word| rank(word)).max();
    let scaled = of_how_many(text).filter(|(_, whole)| *whole >= 3);
    let third = scaled.and_then(|(value, whole)| u8::try_from((value * 3).div_ceil(whole)).ok());
    // `4` alone is on a scale that nobody names.
    let alone = || said.iter().filter(is_figure).try_fold(None, |found, word| found.is_none().then_some(Some(word)));
    spelled.or(third).or_else(|| alone().flatten().and_then(|word| rank(word)))
}

/// How bad whatever stands below a heading is: `High`, `Critical risks (score >= 6)`.
pub(super) fn level_of_group(title: &str) -> Option<u8> {
    const BESIDE: &[&str] = &["risk", "risks", "priority", "severity", "level", "score", "impact", "probability"];
    let said: Vec<String> = words(title).collect();
    let (first, others) = said.split_first()?;
    let is_beside = |word: &String| BESIDE.contains(&word.as_str()) || word.bytes().all(|byte| byte.is_ascii_digit());
    rank(first).filter(|_| first.chars().any(char::is_alphabetic) && others.iter().all(is_beside))
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
    rated_in(&said, &PROBABILITY).zip(rated_in(&said, &IMPACT)).or_else(|| product_in(text))
}

/// What a text says beside one of these names.
pub(super) fn named_in(text: &str, names: &Names) -> Option<u8> {
    rated_in(&tokens(text), names)
}

/// How many words from a place on are a name. A single letter may be a word: `I`.
fn name_at(said: &[Token], at: usize, names: &Names) -> usize {
    let plain: Vec<&str> = said[at..].iter().take(NAME_WORDS).map(|token| token.text.as_str()).collect();
    let length = names.at(&plain);
    let next = plain.get(length).copied().unwrap_or_default();
    let is_letter = length == 1 && plain[0].chars().count() == 1;
    if is_letter && !is_mark_of_value(next) { 0 } else { length }
}

fn is_mark_of_value(mark: &str) -> bool {
    matches!(mark, ":" | "：" | "=" | "＝")
}

/// What stands behind a name, else right before it.
fn rated_in(said: &[Token], names: &Names) -> Option<u8> {
    const BETWEEN: &[&str] =
        &[":", "：", "=", "is", "-", "—", "of", "*", "ist", "est", "es", "è", "é", "rated", "now", "が", "は", "为"];
    let after = |at: usize| {
        let value = said[at..].iter().take(RATING_WORDS + 1).find(|token| !BETWEEN.contains(&token.text.as_str()))?;
        rank(&value.text)
    };
    let glued = |token: &Token| {
        let (name, figure) = token.text.split_at_checked(1)?;
        names.contains(&name).then(|| rank(figure).filter(|_| figure.len() == 1))?
    };
    let named = (0..said.len()).find_map(|at| Some((at, name_at(said, at, names))).filter(|(_, length)| *length > 0));
    let before = |at: usize| at.checked_sub(1).and_then(|before| rank(&said[before].text));
    named.and_then(|(at, length)| after(at + length).or_else(|| before(at))).or_else(|| said.iter().find_map(glued))
}

/// `(3×3)`, `(H/M)`, `: high × high`: two ratings in brackets or at the end, one times the other.
fn product_in(text: &str) -> Option<(u8, u8)> {
    let product = |inside: &str| {
        // A stroke between figures may be a share: 2/3.
        let by_stroke = || inside.split_once('/').filter(|_| !inside.contains(|c: char| c.is_ascii_digit()));
        let (p, i) = inside.split_once(['×', '*', 'x']).or_else(by_stroke)?;
        let i = i.split_once('=').map_or(i, |(i, _)| i);
        rank(p.trim().to_lowercase().as_str()).zip(rank(i.trim().to_lowercase().as_str()))
    };
    // `Data loss: high × high`
    let tail = text.rsplit_once([':', '—', ',']).map(|(_, tail)| tail);
    // `R1: now High/High`, `R1: Low x Low -> High x High`
    let last = text.rsplit_once("->").or_else(|| text.rsplit_once('→')).map_or(text, |(_, last)| last).trim();
    let whole = ["now ", "is now ", "is "].into_iter().find_map(|word| last.strip_prefix(word)).unwrap_or(last);
    // No rating has a bracket in it, so each piece is looked at once.
    let pieces = text.split(['(', '[']).skip(1);
    let bracketed = pieces.filter_map(|piece| piece.split_once([')', ']'])).map(|(inside, _)| inside);
    bracketed.chain(tail).chain([whole]).find_map(product)
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
    let leading = leading.map(|first| first.strip_suffix(" risk").or(first.strip_suffix(" Risk")).unwrap_or(first));
    let is_word = |part: &str| part.chars().any(char::is_alphabetic);
    grouped.chain(leading).find(|part| is_word(part) && is_bare(part) && level(part).is_some())
}

/// What stands in a text's brackets and rates something in a way that is not understood: `(probability 4, impact 5)`, `(4x5)`,
/// `(20/25)`.
pub fn unread_in(text: &str) -> Option<&str> {
    let inside = text.split(['(', '[', '（']).skip(1).filter_map(|piece| piece.split_once([')', ']', '）']));
    inside.map(|(inside, _)| inside).find(|inside| rates_somehow(inside))
}

fn rates_somehow(inside: &str) -> bool {
    let said = tokens(inside);
    let is_figure = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let names: [&Names; 3] = [&PROBABILITY, &IMPACT, &SCORE];
    let plain: Vec<&str> = said.iter().map(|token| token.text.as_str()).collect();
    let is_named = (0..said.len()).any(|at| {
        let length = names.iter().map(|names| names.at(&plain[at..])).max().unwrap_or(0);
        let next = plain.get(at + length).copied().unwrap_or_default();
        let glued = plain[at].split_at_checked(1).is_some_and(|(name, rest)| {
            names.iter().any(|names| names.contains(&name))
                && !rest.is_empty()
                && rest.chars().all(|c| c.is_ascii_digit())
        });
        // A letter is a name only where a figure stands behind it.
        let is_word = length > 1 || length == 1 && plain[at].chars().count() > 1;
        glued || is_word || length == 1 && (is_figure(next) || is_mark_of_value(next))
    });
    let rates = plain.iter().any(|word| rank(word).is_some() || word.chars().any(|c| c.is_ascii_digit()));
    let figures: Vec<u32> =
        plain.iter().flat_map(|word| word.split(['x', '×', '*', '/'])).filter_map(|word| word.parse().ok()).collect();
    let is_sum =
        inside.chars().all(|c| c.is_ascii_digit() || " x×*/=.".contains(c)) && inside.contains(['x', '×', '*', '/']);
    let is_score = is_sum && figures.len() > 1 && (!inside.contains('/') || figures[0] <= figures[1]);
    is_named && rates || is_score
}

/// What a text rates by name, without the other half of a score: `Severity: High`, `Risk level = high`.
pub fn half_in(text: &str) -> Option<String> {
    let said = tokens(text);
    let names: [&Names; 3] = [&PROBABILITY, &IMPACT, &SCORE];
    let rated = |at: usize| {
        let end = at + names.iter().map(|names| name_at(&said, at, names)).max().filter(|length| *length > 0)?;
        let mark = said.get(end).filter(|mark| is_mark_of_value(&mark.text))?;
        let value = said[end + 1..].iter().find(|token| !token.is_mark).filter(|value| rank(&value.text).is_some())?;
        let name: Vec<&str> = said[at..end].iter().map(|token| token.text.as_str()).collect();
        Some(format!("{}{} {}", name.join(" "), mark.text, value.text))
    };
    (0..said.len()).find_map(rated)
}

/// A score that a text says by its name: `Relay outage. Risk score: 9/9.`
pub(super) fn score_in(text: &str) -> Option<&str> {
    let said = tokens(text);
    let named = (0..said.len()).find_map(|at| {
        let length = name_at(&said, at, &SCORE);
        let is_small = |token: &&Token| matches!(token.text.as_str(), "is" | "now");
        let next = said[at + length..].iter().find(|token| !is_small(token)).filter(|_| length > 0)?;
        let is_figure = |token: &Token| token.text.starts_with(|c: char| c.is_ascii_digit());
        let is_score = said[at + length - 1].text == "score" && is_figure(next);
        (is_score || is_mark_of_value(&next.text) && said.get(at + length + 1).is_some_and(is_figure)).then_some(at)
    })?;
    let name = &said[named].text;
    let lower = text.to_lowercase();
    // Lower case may be of another length; then nothing is read.
    let from = lower.find(name.as_str()).filter(|_| lower.len() == text.len())?;
    let rest = text.get(from..)?;
    let figure = rest.find(|c: char| c.is_ascii_digit())?;
    let end = rest[figure..].find(|c: char| !(c.is_ascii_digit() || c == '/')).unwrap_or(rest.len() - figure);
    Some(rest[figure..figure + end].trim_end_matches('/'))
}

/// A score, 1 to 9: `6`, `6 (High)`, `6/9`, `2 × 3`, `2 × 3 = 6`, `20/25` as so much of 9.
pub fn score(text: &str) -> Option<u8> {
    let text = text.rsplit_once('=').map_or(text, |(_, result)| result);
    if let Some((value, whole)) = of_how_many(text) {
        let ninths = if whole < 9 { return None } else { (value * 9).div_ceil(whole) };
        return u8::try_from(ninths).ok();
    }
    let figures: Vec<u32> = words(text).filter_map(|word| word.parse().ok()).collect();
    let (first, second) = (*figures.first()?, figures.get(1).copied());
    let product = text.contains(['×', '*']) || text.contains(" x ");
    let value = match second {
        Some(second) if product && first <= 3 && second <= 3 => first * second,
        Some(_) if product => return None,
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
    const WRONG: &[&str] = &[
        "invalidated",
        "invalid",
        "disproved",
        "disproven",
        "refuted",
        "wrong",
        "false",
        "rejected",
        "failed",
        "widerlegt",
        "falsch",
        "réfutée",
        "réfuté",
        "infirmée",
        "infirmé",
        "refutada",
        "refutado",
    ];
    const RIGHT: &[&str] = &[
        "validated",
        "valid",
        "confirmed",
        "verified",
        "proven",
        "true",
        "holds",
        "bestätigt",
        "confirmée",
        "confirmé",
        "confirmada",
        "confirmado",
    ];
    const OPEN: &[&str] = &[
        "open",
        "unvalidated",
        "unverified",
        "unconfirmed",
        "pending",
        "reopened",
        "untested",
        "offen",
        "ungeprüft",
        "unbestätigt",
    ];
    let said: Vec<String> = words(text).collect();
    let says = |names: &[&str]| said.iter().any(|word| names.contains(&word.as_str()));
    let denied = says(&["not", "never", "yet", "partially", "partly", "mostly", "be", "nicht", "noch", "teilweise"]);
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

static OVER: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/risk-over.txt")));
static OVER_ALONE: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/risk-over-alone.txt")));
static NOT_YET: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/risk-not-over.txt")));

/// Whether a risk with that status can still happen. An accepted one can.
pub fn is_active(status: &str) -> bool {
    // Who did it is a name.
    let said: Vec<String> = forge_prose::words::words(status).into_iter().take_while(|word| word != "by").collect();
    let over = OVER.find(&said);
    let is_over = over.is_some() || OVER_ALONE.has(&said);
    let is_denied = over.is_some_and(|(at, _)| said[..at].iter().any(|word| is_denial(word)));
    !is_over || is_denied || NOT_YET.find(&said).is_some() || status.contains('?')
}
