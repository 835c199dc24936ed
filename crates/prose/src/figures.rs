//! Figures and dates: what a threshold can be measured by.

use crate::phrases::Phrases;
use crate::words::{Token, tokens};
use std::sync::LazyLock;

static NUMBER_WORDS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../data/number-words.txt")));
static NO_NUMBERS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../data/no-numbers.txt")));
static UNITS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../data/units.txt")));
static NUMBERED: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../data/numbered-things.txt")));
static DAYS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../data/days-and-months.txt")));
static BEFORE_DAYS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../data/before-days.txt")));

/// Whether a text has a figure that stands for itself, or a date: `over 5 %`, `200ms`, `twice`, `by March`, `三个月`. A
/// digit in a name (`PROJ-123`, `H2`, `p99`, `ticket 4711`) is none, nor are one, first and any.
pub fn has_figure(text: &str) -> bool {
    let all = tokens(text);
    let words: Vec<&str> = all.iter().map(|token| token.text.as_str()).collect();
    (0..all.len()).any(|i| {
        NO_NUMBERS.at(&words[i..]) == 0
            && !(1..=3).any(|back| i >= back && NO_NUMBERS.at(&words[i - back..]) > back)
            && (is_free_number(text, &all, i) || is_number_word(&all, &words, i) || is_day(text, &all, &words, i))
    })
}

fn is_free_number(text: &str, all: &[Token], i: usize) -> bool {
    let word = &all[i].text;
    let digits: String = word.chars().take_while(|c| is_digit(*c)).collect();
    if digits.is_empty() {
        return false;
    }
    let unit = &word[digits.len()..];
    let before = &text[..all[i].at.start];
    let mut back = before.chars().rev();
    let is_glued = match (back.next(), back.next()) {
        (Some('#'), _) => true,
        (Some('-' | '‑' | '_'), Some(c)) => c.is_alphabetic(),
        // `2.1` is one number: what stands before the point tells. `v2.1` and `node.7` are names.
        (Some('.' | ','), Some(c)) => c.is_alphanumeric(),
        _ => false,
    };
    let is_ordinal = matches!(unit, "st" | "nd" | "rd" | "th");
    let is_thing = i > 0 && !all[i - 1].is_mark && NUMBERED.has_word(&all[i - 1].text);
    !is_glued && !is_thing && (unit.is_empty() || is_ordinal || UNITS.has_word(unit))
}

fn is_digit(c: char) -> bool {
    // Full-width digits were made plain; other scripts' digits count as they are.
    c.is_numeric() && !crate::words::is_unspaced(c)
}

fn is_number_word(all: &[Token], words: &[&str], i: usize) -> bool {
    NUMBER_WORDS.at(&words[i..]) > 0 && !(i > 0 && NUMBERED.has_word(&all[i - 1].text))
}

/// A day, month or quarter behind a word such as "by": `by March`, `end of Q3`, `until Friday`.
fn is_day(text: &str, all: &[Token], words: &[&str], i: usize) -> bool {
    let is_quarter = matches!(words[i], "q1" | "q2" | "q3" | "q4");
    let is_named = DAYS.has_word(words[i]) && (all[i].is_capital || !text.is_ascii());
    (is_quarter || is_named) && i > 0 && BEFORE_DAYS.has_word(words[i - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_and_dates() {
        for text in [
            "p99 over 200 ms",
            "more than 5% of users",
            "over 5 %",
            "latency above 200ms",
            "costs exceed $5k",
            "two incidents a month",
            "if more than half leave",
            "costs double",
            "it fails twice",
            "not live by March",
            "not done by end of Q3",
            "no answer until Friday",
            "2026-03-01",
            "under 99.9%",
            "a 2-week slip",
            "超过５％",
            "三个月内没有改善",
            "mehr als zwei Ausfälle",
            "más de la mitad",
            "fewer than ١٠ users",
            "-5% in revenue",
            "a dozen complaints",
            "10x the price",
            "25+ open bugs",
        ] {
            assert!(has_figure(text), "{text}");
        }
        for text in [
            "We grow unhappy with it over time",
            "If one of us changes their mind",
            "We talk about it first and decide then",
            "See ticket PROJ-123",
            "See ticket 4711",
            "when p99 is bad",
            "H2 leaves the classpath",
            "as in ADR-7 and #12",
            "v2.1 disappoints",
            "version 2 is late",
            "any outage at all",
            "RFC 2119 says so",
            "users may march off",
            "in Phase 2 it gets slow",
            "万一出了问题",
            "see Q3",
        ] {
            assert!(!has_figure(text), "{text}");
        }
    }
}
