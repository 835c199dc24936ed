//! Words that are a text in base64 or hexadecimal digits.
//!
//! Promises: a picture, a hash and a path are passed over without being decoded: of every few characters of a text in base64
//! most can be only some, since its letters have no highest bit.

use super::view::after_break;
use std::ops::Range;
use std::rc::Rc;

/// What has fewer characters holds no key.
const LEAST: usize = 16;
/// The characters that are looked at together: whatever has [`LEAST`] characters has such a block in it.
const BLOCK: usize = 8;
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
    // Most words are none, and need no copy.
    if after_break(text.as_bytes(), to).is_none() && parts(&text.as_bytes()[from..to]).next().is_none() {
        return (Vec::new(), to);
    }
    let code = Rc::new(Code::of(text, from, to));
    let end = code.lines.last().map_or(to, |(begin, at)| at + code.bytes.len() - begin);
    let found = parts(&code.bytes).map(|(part, is_hex)| {
        let bytes = &code.bytes[part.clone()];
        let (text, ratio) = if is_hex { (hexadecimal(bytes), (2, 1)) } else { (base64(bytes), (4, 3)) };
        Decoded { text, from: part.start, ratio, code: Rc::clone(&code) }
    });
    (found.collect(), end)
}

/// The ways to read a code: base64 from its first to its fourth character on, and hexadecimal digits from the first and the
/// second on. Each has a bit.
const BASE64_WAYS: usize = 4;
const WAYS: usize = BASE64_WAYS + 2;

/// In which ways a character can be one of a text, by its place in a group of four: letters of a text have no highest bit, and
/// digits stand for letters, digits, signs and spaces.
static READINGS: [[u8; 256]; 4] = {
    const TOP: [u8; 4] = [0b1010_0000, 0b1000_1000, 0b1000_0010, 0b1000_0000];
    let mut table = [[0; 256]; 4];
    let mut n = 0;
    while n < 4 * 256 {
        let (place, byte) = (n / 256, n % 256);
        let mut way = 0;
        while way < WAYS {
            let fits = if way < BASE64_WAYS {
                VALUES[byte] & TOP[(place + 4 - way) % 4] == 0
            } else if (place + way) % 2 == 0 {
                matches!(byte as u8, b'2'..=b'7')
            } else {
                (byte as u8).is_ascii_hexdigit()
            };
            table[place][byte] |= (fits as u8) << way;
            way += 1;
        }
        n += 1;
    }
    table
};

/// In which ways all of these may be read, of which the first stands at this place.
fn readings(at: usize, bytes: &[u8]) -> u8 {
    bytes.iter().enumerate().fold(u8::MAX, |ways, (n, byte)| ways & READINGS[(at + n) % 4][usize::from(*byte)])
}

/// Where texts stand in a code, wherever they begin in it, and whether in hexadecimal digits.
fn parts(code: &[u8]) -> impl Iterator<Item = (Range<usize>, bool)> + '_ {
    let blocks = code.chunks_exact(BLOCK).enumerate().map(|(n, block)| (n * BLOCK, readings(0, block)));
    // Up to where each way was followed.
    let mut done: [usize; WAYS] = std::array::from_fn(|way| way % BASE64_WAYS);
    blocks.filter(|(_, ways)| *ways > 0).flat_map(move |(at, ways)| {
        let mut found: [Option<(Range<usize>, bool)>; WAYS] = Default::default();
        for way in (0..WAYS).filter(|way| ways >> way & 1 == 1) {
            let is_hex = way >= BASE64_WAYS;
            let (group, least) = if is_hex { (2, 2 * 12) } else { (4, LEAST) };
            let is_text = |at: usize| code.get(at..at + group).is_some_and(|group| readings(at, group) >> way & 1 == 1);
            let Some(behind) = at.checked_sub(done[way]).map(|behind| behind.next_multiple_of(group)) else { continue };
            let (mut from, mut to) = (done[way] + behind, done[way] + behind);
            while from > done[way] && is_text(from - group) {
                from -= group;
            }
            while is_text(to) {
                to += group;
            }
            done[way] = to;
            // What is left at the end of base64 are two or three characters.
            let end = if !is_hex && code.len() - to < 4 { code.len() } else { to };
            found[way] = (to - from >= least).then_some((from..end, is_hex));
        }
        found.into_iter().flatten()
    })
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
