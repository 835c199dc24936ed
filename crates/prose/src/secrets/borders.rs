//! Where a long text is cut, so that each part is read by itself and what is built for it stays small.
//!
//! Promises: no key, no secret with what announces it, and no spelling of one reaches over a border. Private keys in blocks may;
//! a text that has one is not cut.

use std::ops::Range;

/// A part has at least so many bytes, but for the last.
const PART: usize = 16 * 1024;
/// A text that has no border within so many bytes is read as it is.
const SEARCH: usize = 4 * PART;
/// So many bytes before a sign that ends a line are looked at, where it may be the rest of a spelling.
const PLAIN: usize = 64;

/// The parts of a text, in their order.
pub(super) fn parts(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut from = 0;
    std::iter::from_fn(move || {
        let begin = from;
        let window = bytes.get(begin + PART..).map(|rest| rest.get(..SEARCH).unwrap_or(rest)).unwrap_or_default();
        let mut breaks = window.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(n, _)| begin + PART + n);
        from = breaks.find(|at| is_border(bytes, *at)).map_or(bytes.len(), |at| at + 1);
        (begin < from).then_some(begin..from)
    })
}

/// Whether the line break that stands here ends whatever stands before it: no word and no spelling goes on behind the sign
/// before it, which is neither what stands between digits nor the one letter of a line.
fn is_border(bytes: &[u8], at: usize) -> bool {
    let line = bytes[..at].strip_suffix(b"\r").unwrap_or(&bytes[..at]);
    let &[.., a, b, last] = line else { return false };
    let is_close = |byte: u8| matches!(byte, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'"' | b'\'' | b'!' | b'?');
    // What reads as another character, or steers a terminal, ends with none of these.
    let is_letter = b.is_ascii_alphabetic() && !b.is_ascii_hexdigit() && b != b'x';
    let ends = match last {
        b',' | b':' => is_close(b) || is_letter,
        b';' => is_close(b),
        b'.' => (is_close(b) || is_letter) && bytes.get(at + 1) == Some(&b'\n'),
        _ => is_close(last),
    };
    ends && !matches!(a, b'\n' | b'\r') && !matches!(b, b'\n' | b'\r') && (is_letter || is_plain(line))
}

/// Whether nothing is spelled at the end of a line.
fn is_plain(line: &[u8]) -> bool {
    let Some(from) = line.len().checked_sub(PLAIN) else { return false };
    let is_plain =
        |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t') && !matches!(byte, b'\\' | b'%' | b'&');
    line[from..].iter().all(is_plain) && line[from..].iter().any(u8::is_ascii_alphabetic)
}
