//! Where sentences end, as far as that can be seen without understanding them.

use crate::phrases::Phrases;
use crate::words::{is_unspaced, plain_char};
use std::sync::LazyLock;

static MONTHS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../data/days-and-months.txt")));
static ABBREVIATIONS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../data/abbreviations.txt")));

/// What closes a quotation or an emphasis and still belongs to the sentence.
const CLOSING: [char; 11] = ['*', '_', '"', '”', '“', '’', '\'', ')', '`', '」', '»'];

/// The sentences of a text, each with the mark that ends it. A stop ends one where a blank or nothing follows, unless the
/// next word begins with a small letter or the word before is an abbreviation; `。！？` end one anywhere.
pub fn split(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut from = 0;
    while let Some((at, mark)) = text[from..].char_indices().find(|(_, c)| is_stop(*c)).map(|(i, c)| (from + i, c)) {
        let mut end = at + mark.len_utf8();
        // `?!`, `...`, and what closes a quotation belong to the sentence.
        let closing = |c: char| is_stop(c) || CLOSING.contains(&c);
        end += text[end..].chars().take_while(|c| closing(*c)).map(char::len_utf8).sum::<usize>();
        if ends(text, at, mark, end) {
            push(&mut found, &text[start..end]);
            start = end;
        }
        from = end;
    }
    push(&mut found, &text[start..]);
    found
}

fn push<'t>(found: &mut Vec<&'t str>, sentence: &'t str) {
    let sentence = sentence.trim();
    if sentence.chars().any(char::is_alphanumeric) {
        found.push(sentence);
    }
}

fn is_stop(c: char) -> bool {
    matches!(plain_char(c), '.' | '!' | '?' | ';') || c == '…'
}

fn ends(text: &str, at: usize, mark: char, end: usize) -> bool {
    let is_wide = !mark.is_ascii() && mark != '…';
    let rest = &text[end..];
    if is_wide || rest.is_empty() || mark == ';' {
        return true;
    }
    let Some(next) = rest.chars().next() else { return true };
    if is_unspaced(next) {
        return true;
    }
    if !next.is_whitespace() {
        return false;
    }
    let begins_small = rest.trim_start().trim_start_matches(CLOSING).chars().next().is_some_and(char::is_lowercase);
    !(mark == '.' && (begins_small || is_abbreviation(&text[..at]) || is_day(&text[..at], rest)))
        && !(mark == '…' && begins_small)
}

/// Whether a stop belongs to the day of a month: `1. Juni`.
fn is_day(before: &str, rest: &str) -> bool {
    let day = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_number = !day.is_empty() && day.len() <= 2 && day.bytes().all(|byte| byte.is_ascii_digit());
    let month: String = rest.trim_start().chars().take_while(|c| c.is_alphabetic()).collect();
    is_number && MONTHS.has_text(&month)
}

/// Whether the last word before a stop is an abbreviation: `e.g.`, `vs.`, a single letter.
fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let bare = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_initial = bare.chars().count() == 1 && bare.chars().all(|c| c.is_lowercase());
    is_initial || ABBREVIATIONS.has_text(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_marks_before_white_space() {
        assert_eq!(
            split("Use Node.js 7.2. Why? \"Yes.\" **So!** e"),
            ["Use Node.js 7.2.", "Why?", "\"Yes.\"", "**So!**", "e"]
        );
        assert_eq!(split("MVStore vs. JSON, e.g. small files. Yes"), ["MVStore vs. JSON, e.g. small files.", "Yes"]);
        assert_eq!(split("我们选择 MVStore。JSON 被否决。"), ["我们选择 MVStore。", "JSON 被否决。"]);
        assert_eq!(split("It is B; not A."), ["It is B;", "not A."]);
        assert_eq!(split("Well... Maybe. "), ["Well...", "Maybe."]);
    }

    /// Looking behind every character, and not only behind marks, would take days here.
    #[test]
    fn long_runs_are_gone_over_once() {
        let run = "*".repeat(2_000_000);
        assert_eq!(split(&format!("Yes.{run} No")).len(), 2);
        assert_eq!(split(&".".repeat(2_000_000)).len(), 0);
        assert_eq!(split(&". ".repeat(200_000)).len(), 0);
    }
}
