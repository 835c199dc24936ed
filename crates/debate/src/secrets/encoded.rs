//! Words that are a text in base64 or hexadecimal digits.
//!
//! Promises: a picture, a hash and a path are passed over without being decoded: of every few characters of a text in base64
//! most can be only some, since its letters have no highest bit.

use super::view::after_break;
use std::ops::Range;
use std::rc::Rc;

/// What has fewer characters holds no key.
const LEAST: usize = 16;
/// The characters that are looked at together, and from where to where: whatever has [`LEAST`] characters has such a block in it.
const BLOCK: usize = 8;
const STEP: usize = 8;
/// A line of base64 that goes on in the next one has at least so many characters.
const LINE: usize = 16;

/// A text that was decoded.
pub(super) struct Decoded {
    pub(super) text: String,
    /// Where its code stands, and how many letters of it stand for how many of the text.
    from: usize,
    ratio: (usize, usize),
    code: Rc<Code>,
}

/// The characters of a code, which may go over several lines.
struct Code {
    bytes: Vec<u8>,
    /// Where each line begins, in the code and in the text.
    lines: Vec<(usize, usize)>,
}

impl Code {
    /// The code that begins with this word, and goes on in the lines below it where lines are long.
    fn of(text: &str, from: usize, to: usize) -> Self {
        let bytes = text.as_bytes();
        let mut code = Self { bytes: bytes[from..to].to_vec(), lines: vec![(0, from)] };
        let (mut length, mut end) = (to - from, to);
        while length >= LINE {
            let Some(next) = after_break(bytes, end) else { break };
            length = bytes[next..].iter().take_while(|byte| VALUES[usize::from(**byte)] < 64).count();
            code.lines.push((code.bytes.len(), next));
            code.bytes.extend_from_slice(&bytes[next..next + length]);
            end = next + length;
        }
        code
    }

    /// Where this part of the code stands in the text: whole words, line by line.
    fn places(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let first = self.lines.partition_point(|(begin, _)| *begin <= from).saturating_sub(1);
        let lines = &self.lines[first..];
        let ends = lines.iter().skip(1).map(|line| line.0).chain([self.bytes.len()]);
        let lines = lines.iter().zip(ends).take_while(|((begin, _), _)| *begin < to);
        lines.map(|((begin, at), end)| (*at, at + (end - begin))).collect()
    }
}

impl Decoded {
    /// The words of the source in which this part of the decoded text is.
    pub(super) fn places(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        let (of_code, of_text) = self.ratio;
        self.code.places(self.from + from * of_code / of_text, self.from + (to * of_code).div_ceil(of_text))
    }
}

/// The texts that are encoded in this word, and where the code ends: what is decoded once is passed over afterwards.
pub(super) fn decoded(text: &str, from: usize, to: usize) -> (Vec<Decoded>, usize) {
    if to - from < LEAST {
        return (Vec::new(), to);
    }
    let word = &text.as_bytes()[from..to];
    if word.len() < LINE || after_break(text.as_bytes(), to).is_none() {
        // Most words are none, and need no copy.
        if !in_hex(word).chain(in_base64(word)).any(|_| true) {
            return (Vec::new(), to);
        }
    }
    let code = Rc::new(Code::of(text, from, to));
    let end = code.lines.last().map_or(to, |(begin, at)| at + code.bytes.len() - begin);
    let hex = in_hex(&code.bytes).map(|part| (hexadecimal(&code.bytes[part.clone()]), part.start, (2, 1)));
    let base64 = in_base64(&code.bytes).map(|part| (base64(&code.bytes[part.clone()]), part.start, (4, 3)));
    let found = hex.chain(base64).map(|(text, from, ratio)| Decoded { text, from, ratio, code: Rc::clone(&code) });
    (found.collect(), end)
}

/// Where texts in base64 stand, of either alphabet, wherever they begin in a word.
fn in_base64(code: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    (0..4).flat_map(|shift| {
        parts(code, shift, 4, is_base64).map(|part| {
            // What is left at the end are two or three characters.
            let rest = code.len() - part.end;
            part.start..if rest < 4 { code.len() } else { part.end }
        })
    })
}

/// Where texts in hexadecimal digits stand.
fn in_hex(code: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    (0..2).flat_map(|shift| parts(code, shift, 2, is_hex)).filter(|part| part.len() >= 2 * 12)
}

/// The parts of a word that are a text in some code, in groups of so many characters.
fn parts(
    code: &[u8],
    shift: usize,
    group: usize,
    is_text: fn(&[u8]) -> bool,
) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = shift;
    let mut done = shift;
    std::iter::from_fn(move || {
        while let Some(block) = code.get(at..at + BLOCK) {
            if !is_text(block) {
                at += STEP;
                continue;
            }
            let before = code[done..at].rchunks_exact(group).take_while(|group| is_text(group)).count();
            let after = code[at..].chunks_exact(group).take_while(|group| is_text(group)).count();
            let part = at - group * before..at + group * after;
            done = part.end;
            at += STEP * (group * after).div_ceil(STEP);
            if part.len() >= LEAST {
                return Some(part);
            }
        }
        None
    })
}

/// Whether characters at the beginning of a group of four may be those of a text without highest bits.
fn is_base64(bytes: &[u8]) -> bool {
    const TOP: [u8; 4] = [0b1010_0000, 0b1000_1000, 0b1000_0010, 0b1000_0000];
    bytes.iter().zip(TOP.iter().cycle()).all(|(byte, top)| VALUES[usize::from(*byte)] & top == 0)
}

/// Whether these are pairs of digits for letters, digits, signs and spaces.
fn is_hex(bytes: &[u8]) -> bool {
    bytes.chunks_exact(2).all(|pair| matches!(pair[0], b'2'..=b'7') && pair[1].is_ascii_hexdigit())
}

/// What characters of base64 stand for; others have the highest bit.
static VALUES: [u8; 256] = {
    let mut table = [0xFF; 256];
    let mut byte = 0;
    while byte < 128 {
        let b = byte as u8;
        table[byte] = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => 0xFF,
        };
        byte += 1;
    }
    table
};

fn hexadecimal(code: &[u8]) -> String {
    let digit = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0);
    code.chunks_exact(2).filter_map(|pair| char::from_u32(digit(pair[0]) * 16 + digit(pair[1]))).collect()
}

fn base64(code: &[u8]) -> String {
    let mut text = String::with_capacity(code.len());
    for group in code.chunks(4) {
        let bits = group.iter().fold(0u32, |bits, byte| bits << 6 | u32::from(VALUES[usize::from(*byte)] & 63));
        let bits = bits << (6 * (4 - group.len()));
        let letters = [bits >> 16, bits >> 8, bits].map(|letter| char::from((letter & 0x7F) as u8));
        text.extend(&letters[..(group.len() * 3) / 4]);
    }
    text
}
