//! Key-shaped words, which must reach no file, log or brief.
//!
//! Promises: what is no key stays as it is, byte for byte; doing it twice is doing it once; the time is linear in the
//! text's length, whatever the text.
//!
//! Must never: be asked whether what is on record is right. A text meets these shapes once, when it enters the record; what
//! was recorded under other shapes is held against its source by [`is_redaction_of`], which knows none.

mod blocks;
mod held;
mod places;
mod shapes;

pub use held::{Source, is_redaction_of, keys_removed};

use blocks::blocks_redacted;
use places::{addresses_redacted, bots_redacted, led_in_redacted};
use shapes::{Alphabet, Part, SHAPES, Shape};

/// What stands in a key's place.
pub const BLOT: &str = "[key removed]";
/// Whether a key is more than small letters shows within this many characters.
const MIXED_WITHIN: usize = 64;

/// Whether a text holds something key-shaped.
pub fn has_key(text: &str) -> bool {
    redacted(text) != text
}

/// The text with every key-shaped word, signed token, private key, and password in an address blotted out.
pub fn redacted(text: &str) -> String {
    let mut clean = pass(text);
    if clean == text {
        return clean;
    }
    // A key that is glued to another one can be told from it only when that one is gone.
    for _ in 0..PASSES_LIMIT {
        let again = pass(&clean);
        if again == clean {
            break;
        }
        clean = again;
    }
    clean
}

/// How often a text in which keys were found is looked through again.
const PASSES_LIMIT: usize = 4;

fn pass(text: &str) -> String {
    let text = words_redacted(&blocks_redacted(text));
    addresses_redacted(&bots_redacted(&led_in_redacted(&text)))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// How far a run of such bytes reaches from here.
fn run(bytes: &[u8], from: usize, is_part: impl Fn(u8) -> bool) -> usize {
    bytes.get(from..).unwrap_or_default().iter().position(|byte| !is_part(*byte)).map_or(bytes.len(), |n| from + n)
}

/// Whether a word may begin here: not in the middle of another one, unless what stands before it is an escape as JSON and
/// addresses have them.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|i| bytes.get(i)).copied();
    let Some(last) = before(1) else { return true };
    if !(last.is_ascii_alphanumeric() || last == b'-') {
        return true;
    }
    let is_hex = |back: usize| before(back).is_some_and(|byte| byte.is_ascii_hexdigit());
    (before(2) == Some(b'\\') && matches!(last, b'n' | b't' | b'r' | b'b' | b'f'))
        || (before(3) == Some(b'%') && is_hex(1) && is_hex(2))
        || (before(6) == Some(b'\\') && before(5) == Some(b'u') && (1..=4).all(is_hex))
}

/// The text with every word of a known shape blotted out.
fn words_redacted(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let (mut at, mut copied) = (0, 0);
    // Where the run of word characters, and of word characters and dots, ends in which we are: looked for once per run.
    let (mut word_end, mut parts_end) = (0, 0);
    while at < bytes.len() {
        if !is_word(bytes[at]) {
            at += 1;
            continue;
        }
        if word_end <= at {
            word_end = run(bytes, at, is_word);
        }
        if parts_end <= at {
            parts_end = run(bytes, at, |byte| is_word(byte) || byte == b'.');
        }
        match begins_word(bytes, at).then(|| key_end(text, at, word_end, parts_end)).flatten() {
            Some(end) => {
                out.push_str(&text[copied..at]);
                out.push_str(BLOT);
                (at, copied) = (end, end);
            }
            None => at += 1,
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// Where the key ends that begins here, if one does.
fn key_end(text: &str, at: usize, word_end: usize, parts_end: usize) -> Option<usize> {
    let first = text.as_bytes()[at];
    SHAPES.iter().filter(|shape| shape.beginning.as_bytes().first() == Some(&first)).find_map(|shape| {
        let end = if matches!(shape.alphabet, Alphabet::Parts(_)) { parts_end } else { word_end };
        let run = &text[at..end];
        let body = run.strip_prefix(shape.beginning)?;
        let length = fitting(shape, body)?;
        Some(at + shape.beginning.len() + length)
    })
}

/// How much of what follows a shape's beginning is a key of that shape.
fn fitting(shape: &Shape, body: &str) -> Option<usize> {
    if body.len() < shape.least {
        return None;
    }
    // What emphasizes a word, or ends a sentence, is no part of it.
    match shape.alphabet {
        Alphabet::Word => Some(body.trim_end_matches('_').len()),
        Alphabet::Mixed => is_mixed(body).then_some(body.trim_end_matches('_').len()),
        Alphabet::Letters => {
            let length = run(body.as_bytes(), 0, |byte| byte.is_ascii_alphanumeric());
            (length >= shape.least && is_mixed(&body[..length]) && length == body.trim_end_matches(['_', '-']).len())
                .then_some(length)
        }
        Alphabet::Hex => {
            let length = run(body.as_bytes(), 0, |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            // Databricks' tokens may have a number behind them.
            let rest = body[length..].trim_end_matches('_');
            let is_end = rest.is_empty()
                || rest
                    .strip_prefix('-')
                    .is_some_and(|rest| rest.len() <= 2 && rest.bytes().all(|b| b.is_ascii_digit()));
            (length == shape.least && is_end).then_some(length + rest.len())
        }
        Alphabet::Parts(parts) => parts_fitting(parts, body),
    }
}

fn parts_fitting(parts: &[Part], body: &str) -> Option<usize> {
    let mut length = 0;
    let mut rest = body;
    for (n, Part(beginning, least, most)) in parts.iter().enumerate() {
        if n > 0 {
            rest = rest.strip_prefix('.')?;
            length += 1;
        }
        let end = run(rest.as_bytes(), 0, is_word);
        let part = &rest[..end];
        let fits = part.starts_with(beginning) && (*least..=*most).contains(&part.len());
        (fits && (*least < 20 || is_mixed(part))).then_some(())?;
        length += end;
        rest = &rest[end..];
    }
    if rest.is_empty() {
        return Some(body.trim_end_matches('_').len());
    }
    // A signed token may have more parts.
    Some(length + rest.trim_end_matches(['.', '_']).len())
}

/// Whether there is more in it than small letters.
fn is_mixed(word: &str) -> bool {
    let word = word.as_bytes().get(..MIXED_WITHIN).unwrap_or(word.as_bytes());
    word.iter().any(u8::is_ascii_digit)
        || (word.iter().any(u8::is_ascii_uppercase) && word.iter().any(u8::is_ascii_lowercase))
}
