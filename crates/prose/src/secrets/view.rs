//! A text as it reads once its spelling is undone: without what nobody sees, with escapes read. Each place in it knows where in
//! the text it comes from.
//!
//! Promises: one walk over the text; nothing is copied where nothing is to be undone. What only parts words (`\n` in JSON)
//! calls for no view: the text itself shows such words as well.

use super::letters::{plain, plain_in_word};
use super::run;
use crate::hidden::{escape_length, folded};
use memchr::{memchr_iter, memchr3_iter};
use std::ops::Range;

/// How often a spelling may be spelled again: JSON in JSON in an address.
const LEVELS: usize = 4;
/// The longest tag that may stand in a word, and the longest name of a character.
const TAG_LIMIT: usize = 64;
/// Characters that have a name in HTML and may be part of a key, of an address, or of nothing.
const NAMES: &[(&str, char)] = &[
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("lowbar", '_'),
    ("UnderBar", '_'),
    ("hyphen", '-'),
    ("dash", '-'),
    ("period", '.'),
    ("colon", ':'),
    ("equals", '='),
    ("plus", '+'),
    ("sol", '/'),
    ("commat", '@'),
    ("percnt", '%'),
    ("bsol", '\\'),
    ("num", '#'),
    ("shy", '\u{AD}'),
    ("nbsp", ' '),
    ("zwj", '\u{200D}'),
    ("zwnj", '\u{200C}'),
    ("ZeroWidthSpace", '\u{200B}'),
    ("NoBreak", '\u{2060}'),
    ("NewLine", '\n'),
    ("Tab", '\t'),
];

/// What stands in a view for the text between two stretches of it: no word, no secret and no spelling goes on over it.
const APART: &str = " }} ";
/// The most marks before a line, and between parts that are put together.
const MARKS_LIMIT: usize = 8;
/// How far the rest of an address or of a known key reaches around what else belongs to a secret.
const WORD_LIMIT: usize = 256;

/// What reads otherwise than it is written: where in the view it was read, and what of the text it is. Between such pieces the
/// view is a copy.
struct Piece {
    at: usize,
    /// Where it ends in the text, and how long it is there.
    to: usize,
    length: u32,
    /// How many bytes were read.
    read: u8,
}

impl Piece {
    fn from(&self) -> usize {
        self.to - self.length as usize
    }

    fn end(&self) -> usize {
        self.at + usize::from(self.read)
    }
}

/// A text with one level of spelling undone, or those stretches of it in which a word may read otherwise than in the text.
pub(super) struct View {
    pub(super) text: String,
    pieces: Vec<Piece>,
    /// Whether something in it may have to be undone again.
    may_go_on: bool,
}

impl View {
    /// Nothing, if there is nothing to undo in the text.
    fn of(text: &str, extent: Extent) -> Option<Self> {
        let mut stretches = stretches(text);
        stretches.first()?;
        if extent == Extent::Whole {
            stretches.clear();
            stretches.push(0..text.len());
        }
        let mut view = Self { text: String::new(), pieces: Vec::new(), may_go_on: false };
        let mut copied = 0;
        for stretch in stretches {
            if copied < stretch.start {
                view.push(stretch.start, stretch.start - copied, APART);
                copied = stretch.start;
            }
            let mut at = copied;
            while let Some((here, Undone { length, read, .. })) =
                next_spelling(text, at..stretch.end, &mut view.may_go_on)
            {
                view.text.push_str(&text[copied..here]);
                copied = here + length;
                at = copied;
                let mut letter = [0; 4];
                view.push(copied, length, read.map_or("", |read| read.encode_utf8(&mut letter)));
            }
            view.text.push_str(&text[copied..stretch.end.max(copied)]);
            copied = copied.max(stretch.end);
        }
        Some(view)
    }

    /// The text with what breaks its lines, and quotes them, taken out.
    pub(super) fn joined(text: &str) -> Option<Self> {
        let mut view = Self { text: String::new(), pieces: Vec::new(), may_go_on: false };
        let mut copied = 0;
        for (at, _) in text.match_indices('\n').filter(|(at, _)| *at > 0) {
            if at < copied {
                continue;
            }
            let to = after_break(text.as_bytes(), at).unwrap_or(at + 1);
            let from = at - usize::from(text.as_bytes()[at - 1] == b'\r');
            let from = (from - usize::from(text.as_bytes()[..from].ends_with(b"="))).max(copied);
            view.text.push_str(&text[copied..from]);
            view.push(to, to - from, "");
            copied = to;
        }
        view.text.push_str(&text[copied..]);
        (copied > 0).then_some(view)
    }

    fn push(&mut self, to: usize, length: usize, read: &str) {
        let at = self.text.len();
        self.text.push_str(read);
        self.may_go_on |= read.bytes().next().is_some_and(|first| SPECIAL[usize::from(first)]);
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        self.pieces.push(Piece { at, to, length, read: read.len() as u8 });
    }

    /// Where a stretch of the view stands in the text.
    pub(super) fn source(&self, from: usize, to: usize) -> (usize, usize) {
        // The last spelling that was read there or before.
        let piece = |at: usize| self.pieces[..self.pieces.partition_point(|piece| piece.at <= at)].last();
        let begin = match piece(from) {
            Some(piece) if from < piece.end() => piece.from(),
            Some(piece) => piece.to + (from - piece.end()),
            None => from,
        };
        let end = match piece(to.saturating_sub(1)) {
            Some(piece) if to <= piece.end() => piece.to,
            Some(piece) => piece.to + (to - piece.end()),
            None => to,
        };
        (begin, end)
    }
}

/// How much of a text is in its views.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The stretches around what is spelled, as far as what belongs to one secret and to what announces it.
    Stretches,
    /// All of it: private keys in blocks go on over what parts others.
    Whole,
}

/// The stretches of a text in which a word may read otherwise than it is written.
fn stretches(text: &str) -> Vec<Range<usize>> {
    let mut places = places(text);
    places.sort_unstable_by_key(|place| (place.start, place.end));
    let mut stretches = Vec::new();
    let mut together = 0;
    for place in places {
        // What was found so far goes on to there.
        if place.end > together {
            together = run(text.as_bytes(), place.end, |byte| TOGETHER[usize::from(byte)]);
            widen(&mut stretches, text, place, together);
        }
    }
    stretches
}

/// Adds the stretch around a spelling that stands here, all others before it being there: as far as what belongs to one secret
/// and to what announces it, which ends there, and to the ends of the words around it.
fn widen(stretches: &mut Vec<Range<usize>>, text: &str, spelling: Range<usize>, together: usize) {
    let bytes = text.as_bytes();
    let done = stretches.last().map_or(0, |last| last.end);
    // What lies before the last end is of its word.
    let limit = bytes.len().min(together + WORD_LIMIT);
    let mut to = run(&bytes[..limit], together.max(done).min(limit), |byte| byte > b' ');
    while !text.is_char_boundary(to) {
        to += 1;
    }
    let back = |from: usize, limit: usize, is_part: fn(u8) -> bool| {
        from - bytes[done.min(from)..from].iter().rev().take(limit).take_while(|byte| is_part(**byte)).count()
    };
    let from = back(spelling.start, usize::MAX, |byte| TOGETHER[usize::from(byte)]);
    let mut from = back(from, WORD_LIMIT, |byte| byte > b' ');
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    match stretches.last_mut().filter(|last| from <= last.end) {
        Some(last) => last.end = last.end.max(to),
        None => stretches.push(from..to),
    }
}

/// The text's views, the outermost spelling undone first; none where there is nothing to undo.
pub(super) fn views(text: &str, extent: Extent) -> Vec<View> {
    let mut views: Vec<View> = View::of(text, extent).into_iter().collect();
    while let Some(last) = views.last().filter(|last| last.may_go_on && views.len() < LEVELS) {
        let Some(next) = View::of(&last.text, extent) else { break };
        views.push(next);
    }
    views
}

/// What follows a line break or a tab, after what indents and quotes the next line; `at` is where the break stands, as it is or as JSON
/// writes it.
pub(super) fn after_break(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    // Most words end otherwise.
    if !matches!(rest.first(), Some(b'\n' | b'\r' | b'\t' | b'\\' | b'=')) {
        return None;
    }
    // Mail breaks a line with a `=` before it.
    let breaks: [&[u8]; 12] =
        [b"=\r\n", b"=\n", b"\r\n", b"\n", b"\\r\\n", b"\\n", b"\r\\n", b"\\r\n", b"\r", b"\t", b"\\r", b"\\t"];
    let length = breaks.iter().find(|one| rest.starts_with(one))?.len();
    let quoting = rest[length..].iter().take(32).take_while(|byte| matches!(byte, b' ' | b'\t' | b'>' | b'|')).count();
    Some(at + length + quoting)
}

/// What follows the end of a line, or of one part of a text that a program puts together, after what marks the next line as part
/// of a comment, a list, a quote or a change: `\n// `, `" +\n  "`. It is told whether only blanks stand between both.
pub(super) fn after_joint(bytes: &[u8], at: usize) -> Option<(usize, bool)> {
    let is_mark = |byte: u8| {
        matches!(byte, b' ' | b'\t' | b'>' | b'|' | b'+' | b'-' | b'#' | b'*' | b'/' | b';' | b'%' | b'$' | b'!')
    };
    let is_quote = |at: usize| matches!(bytes.get(at), Some(b'"' | b'\'' | b'`'));
    let skip = |from: usize, is_part: &dyn Fn(u8) -> bool| {
        from + bytes[from.min(bytes.len())..].iter().take(MARKS_LIMIT).take_while(|byte| is_part(**byte)).count()
    };
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t');
    let is_in_quotes = is_quote(at);
    let mut next = skip(at + usize::from(is_in_quotes), &is_blank);
    let put_together = skip(next, &|byte| matches!(byte, b'+' | b'.' | b'&' | b'\\'));
    let has_sign = put_together > next;
    next = skip(put_together, &is_blank);
    next += usize::from(bytes.get(next) == Some(&b'\r'));
    let is_broken = bytes.get(next) == Some(&b'\n');
    if is_broken {
        next = skip(next + 1, &is_mark);
    }
    match (is_in_quotes, is_quote(next)) {
        (true, true) => Some((next + 1, !is_broken && !has_sign)),
        (false, _) if is_broken => Some((next, false)),
        _ => None,
    }
}

/// Bytes at which something may have to be undone. Characters beyond ASCII are looked at by their first byte.
static SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = matches!(b, b'\\' | b'%' | b'&' | b'<' | b'*' | b'`' | b'~' | 0..=8 | 11 | 12 | 14..=31 | 127)
            || matches!(b, 0xC2 | 0xCD..=0xD4 | 0xD8 | 0xE1..=0xE3 | 0xEF | 0xF0 | 0xF3);
        byte += 1;
    }
    table
};

/// What stands in and between the words of one secret and what announces it. Whatever else there is parts it from others.
static TOGETHER: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let b = byte as u8;
        table[byte] = b.is_ascii_alphanumeric()
            || matches!(b, b'_' | b'-' | b'+' | b'/' | b'.' | b'=' | b':' | b'~')
            || matches!(b, b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'\\' | b'>' | b'|');
        byte += 1;
    }
    table
};

/// The next place in a range at which something is to be undone.
fn next_spelling(text: &str, range: Range<usize>, passed_over: &mut bool) -> Option<(usize, Undone)> {
    let special = text.as_bytes().get(range.clone()).unwrap_or_default().iter().enumerate();
    for (n, _) in special.filter(|(_, byte)| SPECIAL[usize::from(**byte)]) {
        if let Some(undone) = undone(text, range.start + n) {
            return Some((range.start + n, undone));
        }
        *passed_over = true;
    }
    None
}

/// Where words may read otherwise than they are written, in no order. Most of a text is passed over many bytes at once.
fn places(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut places = Vec::new();
    let mut look = |at: usize| {
        let length = undone(text, at).filter(|undone| undone.matters).map(|undone| undone.length);
        places.extend(length.map(|length| at..at + length));
    };
    let mut second = None;
    let mut path = 0;
    for at in memchr3_iter(b'\\', b'%', b'&', bytes) {
        // What only parts words, as JSON writes it, and the second sign of two.
        if second != Some(at) && !matches!(bytes.get(at + 1), Some(b'n' | b'"')) {
            second = (bytes[at] == b'\\').then_some(at + 1);
            let is_stroke = bytes[at] == b'\\' && bytes.get(at + 1) == Some(&b'/');
            if !is_stroke || (at >= path && !is_plain_path(bytes, at, &mut path)) {
                look(at);
            }
        }
    }
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'>');
    let marks = memchr3_iter(b'<', b'*', b'`', bytes).chain(memchr_iter(b'~', bytes));
    marks.filter(|at| *at > 0 && is_inner(bytes[at - 1])).for_each(&mut look);
    let mut from = 0;
    while let Some(chunk) = next_unusual(bytes, from) {
        let special = chunk.clone().filter(|at| SPECIAL[usize::from(bytes[*at])]);
        special.filter(|at| bytes[*at] < b' ' || bytes[*at] >= 0x7F).for_each(&mut look);
        from = chunk.end;
    }
    places
}

/// Whether the word with this escaped stroke in it is a path or an address without a secret in it, and where it ends: what
/// nobody would choose as a name has capitals or several digits, an address with a password has an `@`.
fn is_plain_path(bytes: &[u8], at: usize, end: &mut usize) -> bool {
    let is_part = |byte: u8| byte > b' ' && !matches!(byte, b'"' | b',');
    let from = at - bytes[..at].iter().rev().take(WORD_LIMIT).take_while(|byte| is_part(**byte)).count();
    let to = run(&bytes[..bytes.len().min(at + WORD_LIMIT)], at, is_part);
    let word = &bytes[from..to];
    let is_odd = |byte: &u8| byte.is_ascii_uppercase() || *byte == b'@';
    let is_plain = word.iter().filter(|byte| byte.is_ascii_digit()).count() < 3
        && !word.iter().any(is_odd)
        && !word.windows(5).any(|five| five == b"hooks");
    if is_plain {
        *end = to;
    }
    is_plain
}

/// The next bytes among which something may be that no key is made of: what steers a terminal, what nobody sees, and letters and
/// signs that look like others.
///
/// Without a branch or a table, so that it is done for many bytes at once. Most texts have none of these at all.
fn next_unusual(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    const CHUNK: usize = 32;
    let is_control = |byte: u8| (byte == 0x7F) | ((byte < b' ') & (byte != b'\n') & (byte != b'\t') & (byte != b'\r'));
    let may_be = |byte: u8| {
        (byte == 0xC2)
            | (byte == 0xCD)
            | (byte == 0xD8)
            | (byte == 0xE1)
            | (byte == 0xE2)
            | (byte >= 0xEF)
            | is_control(byte)
    };
    // Letters that look like others mean something only in the middle of a word.
    let is_letter = |byte: u8| byte.wrapping_sub(0xCE) < 7;
    let is_inner = |byte: u8| {
        ((byte | 0x20).wrapping_sub(b'a') < 26)
            | (byte.wrapping_sub(b'0') < 10)
            | (byte == b'_')
            | (byte == b'-')
            | (byte == b'>')
    };
    let mut at = from;
    while let Some(chunk) = bytes.get(at..at + CHUNK) {
        if !chunk.iter().fold(false, |any, byte| any | is_control(*byte) | (*byte == 0xC2) | (*byte >= 0xCD)) {
            at += CHUNK;
            continue;
        }
        let beside = |from: Option<usize>| from.and_then(|from| bytes.get(from..from + CHUNK));
        let all = beside(at.checked_sub(1)).zip(beside(Some(at + 1))).zip(beside(Some(at + 2)));
        let Some(((before, next), second)) = all else { return Some(at..at + CHUNK) };
        let is_special = |any: bool, (((byte, before), next), second): (((&u8, &u8), &u8), &u8)| {
            any | may_be(*byte)
                | ((*byte == 0xE3) & ((*next == 0x85) | ((*next == 0x80) & (*second == 0x80))))
                | (is_letter(*byte) & (is_inner(*before) | is_inner(*second)))
        };
        if chunk.iter().zip(before).zip(next).zip(second).fold(false, is_special) {
            return Some(at..at + CHUNK);
        }
        at += CHUNK;
    }
    (at < bytes.len()).then_some(at..bytes.len())
}

/// What a spelling reads as.
struct Undone {
    length: usize,
    read: Option<char>,
    /// Whether words may read otherwise than they are written.
    matters: bool,
}

fn gone(length: usize) -> Option<Undone> {
    Some(Undone { length, read: None, matters: true })
}

fn reads(length: usize, c: char) -> Option<Undone> {
    Some(Undone { length, read: Some(c), matters: true })
}

fn undone(text: &str, at: usize) -> Option<Undone> {
    let bytes = text.as_bytes();
    match bytes[at] {
        b'\\' => backslash(text, at),
        b'%' => percent(text, at),
        b'&' => entity(text, at),
        b'<' => tag(bytes, at),
        mark @ (b'*' | b'`' | b'~') => emphasis(bytes, at, mark),
        0x1B => gone(escape_length(&text[at..])),
        0..=0x7F => gone(1),
        // Most letters of Japanese, and all of Chinese but a few marks, are none of those that are looked for.
        0xE3 if !matches!(bytes[at + 1..], [0x85, ..] | [0x80, 0x80, ..]) => None,
        _ => {
            let c = text[at..].chars().next()?;
            let length = c.len_utf8();
            match folded(c) {
                // The blank of Braille.
                _ if c == '\u{2800}' => gone(length),
                _ if is_odd_blank(c) => {
                    let is_sign =
                        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_graphic() || !byte.is_ascii());
                    let is_between = at > 0 && is_sign(bytes.get(at - 1)) && is_sign(bytes.get(at + length));
                    is_between.then(|| gone(length))?
                }
                None if c == '\u{9B}' => gone(escape_length(&text[at..])),
                None => gone(length),
                Some(same) if same == c => plain_in_word(text, at, c).and_then(|read| reads(length, read)),
                Some(other) => reads(length, other),
            }
        }
    }
}

/// A blank that no keyboard has a key for: in the middle of a word it is none.
fn is_odd_blank(c: char) -> bool {
    matches!(c, '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}')
}

/// An escape of JSON, YAML, a programming language or Markdown.
fn backslash(text: &str, at: usize) -> Option<Undone> {
    let rest = &text[at + 1..];
    let next = *rest.as_bytes().first()?;
    let coded = |from: usize, digits: usize, radix: u32| {
        let code = rest.get(from..from + digits).filter(|code| code.bytes().all(|b| b.is_ascii_hexdigit()))?;
        char::from_u32(u32::from_str_radix(code, radix).ok()?)
    };
    match next {
        b'u' if rest.as_bytes().get(1) == Some(&b'{') => {
            let digits = rest[2..].bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
            let closed = rest.as_bytes().get(2 + digits) == Some(&b'}');
            coded(2, digits, 16).filter(|_| closed).and_then(|c| reads(digits + 4, c))
        }
        b'u' => match coded(1, 4, 16) {
            Some(c) => Some(Undone { length: 6, read: Some(c), matters: !stands_alone(text, at..at + 6, c) }),
            None => surrogates(rest),
        },
        b'U' => coded(1, 8, 16).and_then(|c| reads(10, c)),
        b'x' => coded(1, 2, 16).and_then(|c| reads(4, c)),
        b'0'..=b'7' => match coded(0, 3, 8).filter(|_| next <= b'3' && !rest.starts_with("0000")) {
            Some(c) => reads(4, c),
            None => style_escape(rest).or_else(|| if next == b'0' { gone(2) } else { None }),
        },
        b'n' | b'r' | b't' => {
            Some(Undone { length: 2, read: Some(if next == b't' { '\t' } else { '\n' }), matters: false })
        }
        b'b' | b'f' | b'a' | b'v' | b'e' => gone(2),
        // Another level of the same.
        b'\\' => {
            // No more of them can be undone than there are levels.
            let more = rest.bytes().take(2 << LEVELS).take_while(|byte| *byte == b'\\').count();
            let after = rest.as_bytes().get(more);
            let matters = matches!(after, Some(b'u' | b'U' | b'x' | b'0'..=b'3' | b'/' | b'_' | b'-' | b'~'));
            Some(Undone { length: 2, read: Some('\\'), matters })
        }
        // The line goes on.
        b'\n' => gone(2 + rest[1..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()),
        _ if next.is_ascii_punctuation() => {
            let is_in_word = || text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
            let matters = match next {
                // Marks and tags that show once this is undone.
                b'*' | b'`' | b'<' => is_in_word(),
                next => matches!(next, b'_' | b'-' | b'/' | b'.' | b':' | b'=' | b'+' | b'@' | b'~'),
            };
            Some(Undone { length: 2, read: Some(char::from(next)), matters })
        }
        _ => None,
    }
}

/// Whether a sign stands between blanks, as a dash in a sentence does: then it is part of no word, whatever it looks like.
fn stands_alone(text: &str, place: Range<usize>, c: char) -> bool {
    let bytes = text.as_bytes();
    let is_sign = || folded(c).is_some_and(|c| !plain(c).unwrap_or(c).is_alphanumeric());
    let is_apart = place.start > 0 && bytes[place.start - 1] == b' ' && bytes.get(place.end) == Some(&b' ');
    is_apart && !c.is_ascii() && is_sign()
}

/// `\67 ` and `\000067`, as style sheets write a character that may be part of a key.
fn style_escape(rest: &str) -> Option<Undone> {
    const LONGEST: usize = 6;
    let digits = rest.bytes().take(LONGEST).take_while(u8::is_ascii_hexdigit).count();
    // Digits that go on are those of a word, unless there is room for no more.
    let length = if digits == LONGEST { LONGEST } else { 2 };
    let ends = digits == length || !rest.as_bytes().get(length).is_some_and(u8::is_ascii_hexdigit);
    let code = u32::from_str_radix(rest.get(..length).filter(|_| ends)?, 16).ok()?;
    let c = char::from_u32(code).filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))?;
    let blank = usize::from(rest.as_bytes().get(length) == Some(&b' '));
    reads(1 + length + blank, c)
}

/// Two `\uXXXX` for one character.
fn surrogates(rest: &str) -> Option<Undone> {
    let unit = |from: usize| u16::from_str_radix(rest.get(from..from + 4)?, 16).ok();
    let second = rest.get(5..7).filter(|mark| *mark == "\\u").and_then(|_| unit(7))?;
    let c = char::decode_utf16([unit(1)?, second]).next()?.ok()?;
    reads(12, c)
}

/// `%67`, and several of them for one character; `%u0067`.
fn percent(text: &str, at: usize) -> Option<Undone> {
    if let Some(digits) = text.get(at + 1..at + 6).and_then(|rest| rest.strip_prefix(['u', 'U'])) {
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex);
        return code.and_then(char::from_u32).and_then(|c| reads(6, c));
    }
    let code = |at: usize| {
        let digits = text.get(at..at + 3)?.strip_prefix('%').filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
        u8::from_str_radix(digits, 16).ok()
    };
    let first = code(at)?;
    let count = match first {
        0..=0x7F => return reads(3, char::from(first)),
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        _ => 4,
    };
    let bytes: Option<Vec<u8>> = (0..count).map(|n| code(at + 3 * n)).collect();
    let c = std::str::from_utf8(&bytes?).ok()?.chars().next()?;
    reads(3 * count, c)
}

/// `&#103;`, `&#x67;`, `&lowbar;`; numbers also without the mark at their end, as browsers take them.
fn entity(text: &str, at: usize) -> Option<Undone> {
    let rest = &text.as_bytes()[at + 1..];
    if let Some(digits) = rest.strip_prefix(b"#") {
        let is_hex = matches!(digits.first(), Some(b'x' | b'X'));
        let skipped = usize::from(is_hex);
        let is_digit = |byte: &&u8| if is_hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
        let count = digits[skipped.min(digits.len())..].iter().take(TAG_LIMIT).take_while(is_digit).count();
        let code = std::str::from_utf8(&digits[skipped..skipped + count]).ok()?;
        let c = char::from_u32(u32::from_str_radix(code, if is_hex { 16 } else { 10 }).ok()?)?;
        let end = usize::from(digits.get(skipped + count) == Some(&b';'));
        return reads(2 + skipped + count + end, c);
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric();
    let length = rest.iter().take(TAG_LIMIT).position(|byte| !is_name(byte)).filter(|length| rest[*length] == b';')?;
    let name = std::str::from_utf8(&rest[..length]).ok()?;
    let c = NAMES.iter().find(|(known, _)| *known == name)?.1;
    reads(length + 2, c)
}

fn is_within_word(bytes: &[u8], from: usize, to: usize) -> bool {
    let is_word =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    // A line break, as JSON writes it, is no letter.
    let is_break = matches!(bytes[..from], [.., b'\\', b'n' | b'r' | b't']);
    from > 0 && is_word(bytes.get(from - 1)) && is_word(bytes.get(to)) && !is_break
}

/// A tag or a comment in the middle of a word.
fn tag(bytes: &[u8], at: usize) -> Option<Undone> {
    let rest = &bytes[at + 1..];
    let begins = matches!(rest.first(), Some(b'/' | b'!' | b'a'..=b'z' | b'A'..=b'Z'));
    let before = at
        .checked_sub(1)
        .is_some_and(|before| bytes[before].is_ascii_alphanumeric() || matches!(bytes[before], b'_' | b'-' | b'>'));
    if !begins || !before {
        return None;
    }
    let length =
        rest.iter().take(TAG_LIMIT).position(|byte| matches!(byte, b'>' | b'\n')).filter(|n| rest[*n] == b'>')? + 2;
    let after = bytes.get(at + length);
    after
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'<'))
        .then(|| gone(length))?
}

/// Marks of emphasis in the middle of a word.
fn emphasis(bytes: &[u8], at: usize, mark: u8) -> Option<Undone> {
    let length = bytes[at..].iter().take(4).take_while(|byte| **byte == mark).count();
    is_within_word(bytes, at, at + length).then(|| gone(length))?
}
