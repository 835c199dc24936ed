//! From raw bytes to words: what is kept of a reply, and whose spelling rules it is held to.

use crate::diff::unified;
use crate::document::{self, Document, Front};
use crate::markdown;
use forge_debate::brief::plain;
use forge_debate::datum::{Datum, Fields};
use forge_debate::form::{Draft, REPLY_LIMIT_BYTES, Writer};
use forge_prose::secrets::{BLOT, has_key, redacted};
use serde_json::Value;
use std::borrow::Cow;

/// The words of a reply: decoded, without escape sequences, control and bidirectional characters, and front matter.
pub fn words_of_reply(bytes: &[u8]) -> (String, Vec<String>) {
    let mut problems = Vec::new();
    let mut end = bytes.len().min(REPLY_LIMIT_BYTES);
    // Never in the middle of a character: that would look like a second defect.
    while end < bytes.len() && end > 0 && bytes.get(end).is_some_and(|byte| byte & 0xC0 == 0x80) {
        end -= 1;
    }
    let kept = bytes.get(..end).unwrap_or(bytes);
    if kept.len() < bytes.len() {
        problems.push(format!("{} bytes; the limit is {REPLY_LIMIT_BYTES}", bytes.len()));
    }
    let decoded = document::decode(kept);
    problems.extend(decoded.problems.iter().map(|problem| format!("line {}: {}", problem.line, problem.text)));
    let text = plain(&markdown::strip_ansi(&decoded.text));
    let document = Document::parse(&text);
    let words = match document.front {
        Front::Fields(_) => document.body,
        _ => text,
    };
    (words.trim().to_owned(), problems)
}

/// The bytes without what looks like a key, if something in them does: what everything passes that is to be kept, shown or
/// sent, whoever wrote it. Bytes that are no text stay as they are, unless there is a key between them.
pub fn without_keys(bytes: &[u8]) -> Option<Vec<u8>> {
    clean(bytes).0
}

/// The same, and the reply taken apart as it then is, where that was seen on the way.
pub(super) fn clean(bytes: &[u8]) -> (Option<Vec<u8>>, Option<Drafted>) {
    let text = match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => Cow::Owned(document::decode(bytes).text),
        _ => String::from_utf8_lossy(bytes),
    };
    let clean = redacted(&text);
    let drafted = drafted(clean.as_bytes(), 1);
    // Nothing that is read out of it may hold more than it does. A spelling that only shows there has no place that could be
    // blotted out alone.
    if !reads_without_keys(&drafted.1) {
        return (Some(BLOT.as_bytes().to_vec()), None);
    }
    let is_text = matches!(text, Cow::Borrowed(_));
    let changed = (clean != text).then(|| clean.into_bytes());
    let drafted = (is_text || changed.is_some()).then_some(drafted);
    (changed, drafted)
}

/// Whether what is read out of a reply holds no key.
fn reads_without_keys(draft: &Draft) -> bool {
    let pairs = draft.labels.iter().chain(&draft.memo).flat_map(|(label, value)| [label, value]);
    let titles = draft.sections.iter().map(|section| &section.title);
    !titles.chain(pairs).any(|text| has_key(text)) && !draft.ballot.as_ref().is_some_and(holds_a_key)
}

fn holds_key(datum: &Datum) -> bool {
    match datum {
        Datum::Null | Datum::Flag(_) => false,
        Datum::Number(text) | Datum::Text(text) => has_key(text),
        Datum::List(items) => items.iter().any(holds_key),
        Datum::Record(fields) => holds_a_key(fields),
    }
}

fn holds_a_key(fields: &Fields) -> bool {
    fields.iter().any(|(name, value)| has_key(name) || holds_key(value))
}

/// The line on which the words of a file begin: after its front matter and empty lines.
pub(super) fn first_line_of_words(bytes: &[u8]) -> usize {
    let text = document::decode(bytes).text;
    let document = Document::parse(&text);
    let (body, line) = match document.front {
        Front::Fields(_) => (document.body, document.body_line),
        _ => (text, 1),
    };
    line + body.lines().take_while(|line| line.trim().is_empty()).count()
}

/// Takes a reply apart; `line` is the one on which its words begin.
pub(super) fn draft_of_reply(bytes: &[u8], line: usize) -> Draft {
    drafted(bytes, line).1
}

/// The words of a reply, and the same taken apart.
pub(super) type Drafted = (String, Draft);

/// Takes a reply apart; `line` is the one on which its words begin.
pub(super) fn drafted(bytes: &[u8], line: usize) -> Drafted {
    let (words, problems) = words_of_reply(bytes);
    let mut draft = markdown::draft(&words, line);
    draft.problems.extend(problems);
    (words, draft)
}

/// Whose spelling rules apply to a turn that this hand left.
pub fn writer(agent: &str) -> Writer {
    match agent {
        "human" | "outside" => Writer::Outside,
        _ => Writer::Agent,
    }
}

/// Marks a file in its front matter as one that is to be taken as it is, though sections are missing.
const AS_IS: &str = "as_is";

/// The text of a file with that mark.
pub fn marked_as_is(text: &str) -> String {
    document::set_front_value(text, AS_IS, "true")
}

/// Whether a file's own front matter says that it is to be taken as it is.
pub fn is_as_is(bytes: &[u8]) -> bool {
    let document = Document::parse(&document::decode(bytes).text);
    document
        .fields()
        .and_then(|fields| fields.get(AS_IS))
        .is_some_and(|value| matches!(value, Value::Bool(true)) || value == "true")
}

/// What changed between two texts, as a unified diff.
pub fn diff(before: &str, now: &str) -> String {
    unified(before, now, 1, ["as sealed", "as it is now"])
}
