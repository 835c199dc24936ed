//! Texts that are written with something between their letters: `67:68:70`, `67 68 70`, `0x67, 0x68`, `g h p`.
//!
//! Promises: a text without such a thing is passed over in steps; addresses of network cards and fingerprints are read and
//! found to be no key.

use std::ops::Range;

/// What is looked at together.
const STEP: usize = 16;
/// How far apart such places are: the shortest key has 31 characters with signs between them, and so such a place in it.
const STRIDE: usize = 16;
/// What has fewer letters holds no key.
const LEAST: usize = 12;

/// A text that was written so, and where each of its letters stands.
pub(super) struct Spaced {
    pub(super) text: String,
    letters: Vec<Range<usize>>,
}

impl Spaced {
    /// Where a part of it stands in the source.
    pub(super) fn place(&self, from: usize, to: usize) -> (usize, usize) {
        let at = |n: usize| self.letters.get(n).cloned().unwrap_or(0..0);
        (at(from).start, at(to.saturating_sub(1)).end)
    }

    fn push(&mut self, letter: u8, place: Range<usize>) {
        self.text.push(char::from(letter));
        self.letters.push(place);
    }
}

/// What may stand between letters.
static BETWEEN: [bool; 256] = {
    let mut table = [false; 256];
    let signs = b" :,-;=\n\r\t.|";
    let mut n = 0;
    while n < signs.len() {
        table[signs[n] as usize] = true;
        n += 1;
    }
    table
};

fn is_between(byte: u8) -> bool {
    BETWEEN[usize::from(byte)]
}

fn is_in_pairs(byte: u8) -> bool {
    byte.is_ascii_hexdigit() || byte == b'x' || is_between(byte)
}

/// Whether two of the first six bytes are no letters, which in most words they are: digits and signs have not this bit.
fn has_signs(chunk: &[u8]) -> bool {
    let no_letter = |byte: &u8| u8::from((byte & 0x40 == 0) | (*byte == b'|'));
    chunk[..6].iter().map(no_letter).sum::<u8>() >= 2
}

/// Whether signs and letters alternate here as they do in such a text: the same sign two, three or four bytes further, or the
/// `x` of `0x67`. Most texts are passed over by this alone.
fn alternates(six: &[u8]) -> bool {
    let &[a, b, c, d, e, f] = six else { return false };
    let is_same = ((a == c) | (a == d) | (a == e)) & is_between(a)
        | ((b == d) | (b == e) | (b == f)) & is_between(b)
        | (c == f) & is_between(c);
    is_same | (a == b'x') | (b == b'x') | (c == b'x') | (d == b'x') | (e == b'x') | (f == b'x')
}

/// All of them, in their order.
pub(super) fn spaced(text: &str) -> Vec<Spaced> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut done) = (0, 0);
    while let Some(chunk) = bytes.get(at..at + STEP) {
        if !has_signs(chunk) || !alternates(&chunk[..6]) {
            at += STRIDE;
            continue;
        }
        let count = |is: fn(u8) -> bool| chunk.iter().fold(0u8, |sum, byte| sum + u8::from(is(*byte)));
        let between = count(is_between);
        if (3..=12).contains(&between) {
            let before = found.len();
            let mut end = if between >= 7 { singles(bytes, done, at, &mut found) } else { at };
            if found.len() == before && count(is_in_pairs) == STEP as u8 {
                end = pairs(bytes, done, at, &mut found);
            }
            if found.len() > before {
                done = end;
            }
            at = at.max(end);
        }
        at += STRIDE;
    }
    found
}

/// Pairs of hexadecimal digits around here, and where they end.
fn pairs(bytes: &[u8], done: usize, at: usize, found: &mut Vec<Spaced>) -> usize {
    let from = at - bytes[done..at].iter().rev().take_while(|byte| is_in_pairs(**byte)).count();
    let to = at + bytes[at..].iter().take_while(|byte| is_in_pairs(**byte)).count();
    let mut one = Spaced { text: String::new(), letters: Vec::new() };
    let mut begin = from;
    for part in bytes[from..to].split(|byte| is_between(*byte)) {
        let end = begin + part.len();
        let digits = part.strip_prefix(b"0x").unwrap_or(part);
        match (part.is_empty(), letter(digits)) {
            (true, _) => {}
            (false, Some(letter)) => one.push(letter, begin..end),
            (false, None) => keep(&mut one, found),
        }
        begin = end + 1;
    }
    keep(&mut one, found);
    to
}

/// The letter that two digits stand for.
fn letter(digits: &[u8]) -> Option<u8> {
    let &[high @ b'2'..=b'7', low] = digits else { return None };
    let low = char::from(low).to_digit(16)?;
    Some((high - b'0') * 16 + u8::try_from(low).ok()?)
}

/// Single letters around here with the same sign between them, and where they end.
fn singles(bytes: &[u8], done: usize, at: usize, found: &mut Vec<Spaced>) -> usize {
    for at in [at, at + 1] {
        let Some(between) = bytes.get(at + 1).copied().filter(|byte| is_between(*byte)) else { continue };
        let is_one = |pair: &[u8]| pair[0].is_ascii_graphic() && pair.get(1).is_none_or(|byte| *byte == between);
        let before = bytes[done.min(at)..at].rchunks_exact(2).take_while(|pair| is_one(pair)).count();
        let after = bytes[at..].chunks(2).take_while(|pair| is_one(pair)).count();
        let from = at - 2 * before;
        let mut one = Spaced { text: String::new(), letters: Vec::new() };
        for n in 0..before + after {
            one.push(bytes[from + 2 * n], from + 2 * n..from + 2 * n + 1);
        }
        // The last letter has no sign behind it.
        let end = from + 2 * (before + after);
        if bytes.get(end).is_some_and(u8::is_ascii_graphic) && bytes.get(end - 1) == Some(&between) {
            one.push(bytes[end], end..end + 1);
        }
        if one.letters.len() >= LEAST {
            keep(&mut one, found);
            return end;
        }
    }
    at
}

/// The most digits of an offset, and of bytes on a line of a dump.
const OFFSET: std::ops::RangeInclusive<usize> = 4..=16;
const LINE_BYTES: usize = 64;
/// The bytes of a line before the wider gap that some dumps have.
const HALF: usize = 8;

/// What dumps show, as `xxd`, `hexdump` and `od` write them: lines of an offset, digits in groups, and perhaps the text. Each
/// is read twice: as it stands, and with the bytes of a group the other way round.
pub(super) fn dumps(text: &str) -> Vec<Spaced> {
    let bytes = text.as_bytes();
    let (mut found, mut done) = (Vec::new(), 0);
    // So begin the offsets of all but the longest.
    for at in memchr::memmem::find_iter(bytes, b"000") {
        let is_lead = |byte: u8| matches!(byte, b' ' | b'\t' | b'>' | b'|' | b'#' | b'+' | b'-' | b'*' | b'/');
        let lead = bytes[..at].iter().rev().take(STRIDE).take_while(|byte| is_lead(**byte)).count();
        if at < done || !(at == lead || bytes[at - lead - 1] == b'\n') {
            continue;
        }
        let mut both = [(); 2].map(|()| Spaced { text: String::new(), letters: Vec::new() });
        let mut line = at;
        while let Some(end) = dump_line(bytes, line, &mut both) {
            done = end;
            line = end + 1;
            line +=
                bytes.get(line..).unwrap_or_default().iter().take(STRIDE).take_while(|byte| is_lead(**byte)).count();
        }
        both.iter_mut().for_each(|one| keep(one, &mut found));
    }
    found
}

/// One line of a dump, and where it ends. What stands for a letter is its digits and all behind them on the line.
fn dump_line(bytes: &[u8], at: usize, both: &mut [Spaced; 2]) -> Option<usize> {
    let run = |from: usize, most: usize, is: fn(&u8) -> bool| {
        bytes.get(from..).unwrap_or_default().iter().take(most).take_while(|byte| is(byte)).count()
    };
    let offset = run(at, OFFSET.end() + 1, u8::is_ascii_hexdigit);
    if !OFFSET.contains(&offset) {
        return None;
    }
    let mut next = at + offset + run(at + offset, 1, |byte| *byte == b':');
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut count = 0;
    while count < LINE_BYTES {
        let blanks = run(next, 4, |byte| matches!(byte, b' ' | b'\t'));
        let digits = run(next + blanks, 9, u8::is_ascii_hexdigit);
        let is_text = blanks > 1 && count > 0 && count != HALF;
        if blanks == 0 || is_text || !matches!(digits, 2 | 4 | 8) {
            break;
        }
        groups.push(next + blanks..next + blanks + digits);
        count += digits / 2;
        next += blanks + digits;
    }
    let end = next + bytes[next..].iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len() - next);
    for group in &groups {
        let pairs: Vec<usize> = group.clone().step_by(2).collect();
        for (one, order) in both.iter_mut().zip([pairs.clone(), pairs.into_iter().rev().collect()]) {
            order.into_iter().for_each(|pair| one.push(letter(&bytes[pair..pair + 2]).unwrap_or(b' '), pair..end));
        }
    }
    (!groups.is_empty()).then_some(end)
}

fn keep(one: &mut Spaced, found: &mut Vec<Spaced>) {
    let one = std::mem::replace(one, Spaced { text: String::new(), letters: Vec::new() });
    if one.letters.len() >= LEAST {
        found.push(one);
    }
}
