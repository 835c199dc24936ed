//! What the readers of all recipes share: events, endings, and what a program's complaints mean.
//!
//! Codes come first. Words are looked at only where a program gives no code, since they change from version to version;
//! what is not understood is a crash that repeats the program's own words.

use super::{Printed, Trouble};
use crate::agent::{FailureKind, Served};
use crate::keeper::How;
use serde_json::Value;

/// What a receipt says where the model is the program's own word and not the provider's.
pub(crate) const OWN_WORD: &str =
    "the model is the one that the program says it asked; it does not tell which one served";

/// The most characters of a program's complaint that are repeated.
const COMPLAINT_CHARS: usize = 300;
/// The most that one call can have cost, in dollars; more is a mistake of whoever printed it.
const COST_DOLLARS: f64 = 1_000_000.0;
/// The most lines of standard error that are looked at, from the end.
const STDERR_LINES: usize = 40;

/// Statuses that mean something, so that a number in a sentence is not taken for one.
const STATUSES: &[u16] = &[400, 401, 402, 403, 404, 408, 413, 429, 500, 501, 502, 503, 504, 529];
/// Words of which one stands close before a status in a sentence.
const ANNOUNCING: &[&str] = &["status", "code", "error", "http", "with"];
/// So many words before it at most.
const CLOSE: usize = 2;
/// A number before one of these is a measure and no status.
const UNITS: &[&str] = &["ms", "s", "seconds", "minutes", "bytes", "lines", "tokens", "times"];

/// The JSON documents that stand on lines of their own, or the elements of one array. Other lines are not events.
pub(crate) fn events(stdout: &str) -> Vec<Value> {
    if let Ok(Value::Array(events)) = serde_json::from_str(stdout.trim()) {
        return events;
    }
    stdout.lines().filter_map(|line| serde_json::from_str(line.trim()).ok()).filter(Value::is_object).collect()
}

/// The string at this JSON pointer, or nothing.
pub(super) fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The count at this JSON pointer.
pub(super) fn count(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer).and_then(Value::as_u64)
}

/// Tokens written: what a model thinks is billed as written, and some count it in their total only.
pub(super) fn written(output: Option<u64>, total: Option<u64>, input: Option<u64>) -> Option<u64> {
    let rest = total.zip(input).map(|(total, input)| total.saturating_sub(input));
    output.map(|output| output.max(rest.unwrap_or(0)))
}

/// Dollars as programs print them, in millionths. What cannot be the cost of one call is none.
pub(super) fn microdollars(value: &Value, pointer: &str) -> Option<u64> {
    let dollars = value.pointer(pointer)?.as_f64().filter(|dollars| (0.0..=COST_DOLLARS).contains(dollars))?;
    Some((dollars * 1_000_000.0).round() as u64)
}

/// The trouble of a program that did not end by itself, or none. What it complained about last tells more than the clock:
/// a program that waits out a rate limit until its time is up was refused for rate.
pub(crate) fn ending(printed: &Printed<'_>, complaint: Option<(&str, Option<u16>)>) -> Option<Trouble> {
    let (kind, mut detail) = match printed.how {
        How::Exited(_) => return None,
        How::Signalled(signal) => (FailureKind::Crashed, format!("was ended by signal {signal}")),
        How::NeverSpoke => (FailureKind::TimedOut, "printed nothing in time and was ended".to_owned()),
        How::FellSilent => (FailureKind::TimedOut, "fell silent and was ended".to_owned()),
        How::OutOfTime => (FailureKind::TimedOut, "its time was up and it was ended".to_owned()),
        How::Flooded => (FailureKind::Crashed, "printed more than is kept and was ended".to_owned()),
        How::NotStarted(why) => (FailureKind::Unreachable, format!("could not be started: {why}")),
        How::Lost(why) => (FailureKind::Crashed, format!("was lost: {why}")),
    };
    let mut trouble = Trouble::new(kind, String::new());
    if let Some((words, status)) = complaint.filter(|(words, _)| !words.trim().is_empty()) {
        let meant = meaning(words, status);
        if kind == FailureKind::TimedOut && matches!(meant, FailureKind::RateLimited | FailureKind::NoAuth) {
            trouble.kind = meant;
        }
        trouble.status = status.or_else(|| status_in(words));
        detail = format!("{detail}; before that: {}", one_line(words));
    }
    Some(Trouble { detail, ..trouble })
}

/// What a complaint means: by its status, where there is one, by its words otherwise.
pub(crate) fn meaning(words: &str, status: Option<u16>) -> FailureKind {
    let lower = words.to_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    // A full context has no status of its own: it comes as a bad request.
    if says(TOO_LONG) {
        return FailureKind::TooLong;
    }
    match status.or_else(|| status_in(words)) {
        Some(401..=403) => return FailureKind::NoAuth,
        Some(404) => return FailureKind::Unreachable,
        Some(413) => return FailureKind::TooLong,
        Some(429 | 529) => return FailureKind::RateLimited,
        Some(408 | 504) => return FailureKind::TimedOut,
        Some(500..) => return FailureKind::Crashed,
        _ => {}
    }
    let known: &[(&[&str], FailureKind)] = &[
        (NO_AUTH, FailureKind::NoAuth),
        (RATE_LIMITED, FailureKind::RateLimited),
        (UNREACHABLE, FailureKind::Unreachable),
        (REFUSED, FailureKind::Refused),
    ];
    known.iter().find(|(phrases, _)| says(phrases)).map_or(FailureKind::Crashed, |(_, kind)| *kind)
}

const TOO_LONG: &[&str] = &[
    "prompt is too long",
    "prompt too long",
    "context length",
    "context window",
    "context_length_exceeded",
    "exceeds the maximum number of tokens",
    "output token maximum",
    "max_output_tokens",
    "input_too_large",
    "stdin input exceeds",
    "input is too long",
];
const NO_AUTH: &[&str] = &[
    "not logged in",
    "unauthorized",
    "unauthenticated",
    "invalid api key",
    "api key not valid",
    "invalid x-api-key",
    "api key is missing",
    "missing api key",
    "missing environment variable",
    "authentication",
    "no auth type",
    "auth method",
    "please log in",
    "please run /login",
    "api_key environment variable",
];
const RATE_LIMITED: &[&str] =
    &["rate limit", "rate_limit", "too many requests", "quota", "usage limit", "resource_exhausted", "overloaded"];
const UNREACHABLE: &[&str] = &[
    "connection refused",
    "econnrefused",
    "enotfound",
    "eai_again",
    "getaddrinfo",
    "unable to connect",
    "failed to lookup",
    "error sending request",
    "connection error",
    "fetch failed",
    "connection failed",
    "does not exist",
    "is not found for api version",
    "model_not_found",
    "no such model",
];
const REFUSED: &[&str] = &["usage policy", "content_filter", "content filter", "safety", "prohibited_content"];

/// The HTTP status that a sentence tells: a known one soon after a word that announces it, or with which it begins.
pub(crate) fn status_in(words: &str) -> Option<u16> {
    let words: Vec<&str> = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_among = |word: &str, known: &[&str]| known.iter().any(|one| word.eq_ignore_ascii_case(one));
    words.iter().enumerate().find_map(|(at, word)| {
        let status = word.parse().ok().filter(|status| STATUSES.contains(status))?;
        let before = &words[at.saturating_sub(CLOSE)..at];
        let is_announced = at == 0 || before.iter().any(|word| is_among(word, ANNOUNCING));
        let is_measure = words.get(at + 1).is_some_and(|after| is_among(after, UNITS));
        (is_announced && !is_measure).then_some(status)
    })
}

/// The trouble that a complaint is.
pub(super) fn complained(words: &str, status: Option<u16>) -> Trouble {
    let status = status.or_else(|| status_in(words));
    Trouble { status, ..Trouble::new(meaning(words, status), one_line(words)) }
}

/// The trouble of a program that printed no result of its own: what stands on its standard error, or that there is nothing.
pub(crate) fn no_result(printed: &Printed<'_>) -> Trouble {
    let code = match printed.how {
        How::Exited(code) => *code,
        _ => 0,
    };
    let lines: Vec<&str> = printed.stderr.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let tail = lines[lines.len().saturating_sub(STDERR_LINES)..].join("\n");
    if tail.is_empty() {
        // Some print their complaint where the answer belongs.
        let said = one_line(printed.stdout);
        let about = if said.is_empty() { "nothing".to_owned() } else { format!("no result: {said}") };
        let kind = if code == 0 && !said.is_empty() { FailureKind::Unparsable } else { meaning(&said, None) };
        return Trouble::new(kind, format!("ended with code {code} and printed {about}"));
    }
    let speaking = lines.iter().rev().find(|line| meaning(line, None) != FailureKind::Crashed);
    let said = speaking.or(lines.last()).copied().unwrap_or_default();
    let trouble = complained(&tail, None);
    Trouble { detail: format!("ended with code {code}: {}", one_line(said)), ..trouble }
}

/// An empty answer.
pub(crate) fn nothing(served: Served) -> Trouble {
    Trouble { served: served.into(), ..Trouble::new(FailureKind::Crashed, "answered with nothing".to_owned()) }
}

/// A well-formed result from a program that says otherwise by its exit code.
pub(super) fn contradicted(code: i32, served: Served) -> Trouble {
    let detail = format!("printed an answer and ended with code {code}");
    Trouble { served: served.into(), ..Trouble::new(FailureKind::Crashed, detail) }
}

/// A text on one line, not too long.
pub(super) fn one_line(text: &str) -> String {
    let plain: String = without_ansi(text).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(COMPLAINT_CHARS) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// A text without the escape sequences by which terminals are told colours and titles.
pub(crate) fn without_ansi(text: &str) -> String {
    if !text.contains('\u{1b}') {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            // Colours and the cursor: up to a letter.
            Some('[') => while characters.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
            // Titles and links: up to BEL or ESC \.
            Some(']') => {
                while let Some(c) = characters.next() {
                    if c == '\u{7}' || (c == '\u{1b}' && characters.next_if_eq(&'\\').is_some()) {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_only_where_one_is_announced() {
        assert_eq!(status_in("unexpected status 401 Unauthorized: x"), Some(401));
        assert_eq!(status_in("[API Error: 429 slow down]"), Some(429));
        assert_eq!(status_in("{\"error\":{\"code\":403,\"message\":\"no\"}}"), Some(403));
        assert_eq!(status_in("401 Incorrect key"), Some(401));
        assert_eq!(status_in("session/prompt failed with 500: oops"), Some(500));
        for measure in ["wrote 404 bytes", "took 404 ms", "Internal error (took 404 ms)", "404 lines", "try 429"] {
            assert_eq!(status_in(measure), None, "{measure}");
        }
        assert_eq!(status_in("ended with code 1 after 500 tries"), None);
        assert_eq!(status_in("error 1234"), None);
    }

    #[test]
    fn complaints_are_understood() {
        for (words, kind) in [
            ("prompt is too long: 250000 tokens > 200000 maximum", FailureKind::TooLong),
            ("Not logged in · Please run /login", FailureKind::NoAuth),
            ("exceeded retry limit, last status: 429 Too Many Requests", FailureKind::RateLimited),
            ("connect ECONNREFUSED 127.0.0.1:9", FailureKind::Unreachable),
            ("unexpected status 500", FailureKind::Crashed),
            ("it just broke", FailureKind::Crashed),
        ] {
            assert_eq!(meaning(words, None), kind, "{words}");
        }
        assert_eq!(meaning("no", Some(404)), FailureKind::Unreachable);
    }

    #[test]
    fn escape_sequences_go_and_text_stays() {
        assert_eq!(without_ansi("\u{1b}[1;31mred\u{1b}[0m plain"), "red plain");
        assert_eq!(without_ansi("\u{1b}]0;title\u{7}after"), "after");
        assert_eq!(without_ansi("\u{1b}]8;;http://x\u{1b}\\link"), "link");
        assert_eq!(without_ansi("cut \u{1b}["), "cut ");
        assert_eq!(without_ansi("schön"), "schön");
    }
}
