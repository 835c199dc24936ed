//! Long words, and the keys among them that are known by how they begin.
//!
//! Promises: most of a text is never looked at: a word of so many characters stands on every so many-th byte, and where that is
//! no part of a word, none does.

use super::places::{Ends, secret_after};
use super::shapes::{Alphabet, LEAD_INS, LeadIn, Part, SHAPES, Shape, Then};
use super::view::{after_break, after_joint};
use super::{is_word, run};
use std::ops::Range;
use std::sync::LazyLock;

/// No key and no secret that has a shape is shorter, what it begins with included.
pub(super) const LEAST: usize = 12;
/// Whether a key is more than small letters shows within this many characters.
const MIXED_WITHIN: usize = 64;
/// A key on two lines has at least so many characters on the second.
const SECOND_LINE: usize = 6;
/// What is glued to a word has to be surer: so many letters and digits in a row, of both cases.
const GLUED: usize = 16;
/// What is put together of words has to change between letters and digits so often: `scoreOfTheModel2024` is
/// a word.
const CHANGES: usize = 3;
/// The most words before a long one that may be the beginning of a key.
const PARTS_LIMIT: usize = 4;
/// The most bytes between such words.
const GAP_LIMIT: usize = 32;
/// No key of letters and digits alone is longer.
const LETTERS_LIMIT: usize = 1024;

/// Which bytes long words are made of: those of keys, and of what is decoded.
static IN_RUN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let b = byte as u8;
        table[byte] = b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+' | b'/' | b'.');
        byte += 1;
    }
    table
};

/// How many whole chunks of such bytes a text begins with. Without a branch or a table, so that it is done for many bytes at once.
fn in_run(bytes: &[u8]) -> usize {
    let is_part = |byte: u8| {
        ((byte | 0x20).wrapping_sub(b'a') < 26)
            | (byte.wrapping_sub(b'0') < 10)
            | (byte == b'_')
            | ((byte.wrapping_sub(b'+') < 5) & (byte != b','))
    };
    let chunks = bytes.chunks_exact(CHUNK);
    CHUNK * chunks.take_while(|chunk| chunk.iter().fold(true, |all, byte| all & is_part(*byte))).count()
}

/// The words in a text that are long enough to be a key.
pub(super) fn runs(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let is_part = |at: usize| IN_RUN[usize::from(bytes[at])];
    let mut at = LEAST - 1;
    let mut last = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            if !is_part(at) {
                at += LEAST;
                continue;
            }
            let (mut from, mut to) = (at, at + 1);
            while from > last && is_part(from - 1) {
                from -= 1;
            }
            while to < bytes.len() && is_part(to) {
                to += 1;
                if (to - at).is_multiple_of(CHUNK) {
                    to += in_run(&bytes[to..]);
                }
            }
            at = to + LEAST;
            last = to;
            if to - from >= LEAST {
                return Some(from..to);
            }
        }
        None
    })
}

/// Which shape or address it is, and how it begins.
type Beginning = (usize, &'static [u8]);

/// How keys and secret addresses begin, shapes first, then addresses.
fn all_beginnings() -> impl Iterator<Item = Beginning> {
    let beginnings = SHAPES.iter().map(|shape| shape.beginning).chain(addresses().map(|lead_in| lead_in.words));
    beginnings.map(str::as_bytes).enumerate()
}

/// Addresses that are secret themselves.
fn addresses() -> impl Iterator<Item = &'static LeadIn> {
    LEAD_INS.iter().filter(|lead_in| lead_in.then == Then::Nothing)
}

/// The beginnings by their first three letters, the shortest first: most words have no such letters.
struct Beginnings {
    /// For every three letters the number of a group; the first group is empty.
    groups_of: Vec<u8>,
    groups: Vec<Vec<Beginning>>,
}

static BEGINNINGS: LazyLock<Beginnings> = LazyLock::new(|| {
    let mut all = Beginnings { groups_of: vec![0; 1 << 15], groups: vec![Vec::new()] };
    for (n, beginning) in all_beginnings() {
        let third = beginning.get(2).map_or(&b"0123456789abcdef"[..], std::slice::from_ref);
        for third in third {
            let group = &mut all.groups_of[letters(&[beginning[0], beginning[1], *third])];
            if *group == 0 {
                *group = u8::try_from(all.groups.len()).unwrap_or(0);
                all.groups.push(Vec::new());
            }
            all.groups[usize::from(*group)].push((n, beginning));
        }
    }
    all.groups.iter_mut().for_each(|group| {
        group.sort_by_key(|(_, beginning)| beginning.len());
        group.dedup();
    });
    all
});

/// How much of a word is looked at together, and how far behind it the sign may stand that ends a beginning's first
/// part.
const CHUNK: usize = 64;
const BEHIND: usize = 16;

/// Whether a key may begin in the first part of so many bytes: most beginnings have a sign in them, and the others these letters.
fn may_begin(bytes: &[u8]) -> bool {
    // Without a branch or a table, so that it is done for many bytes at once.
    let is_beginning = |a: u8, b: u8, c: u8| {
        (a == b'-')
            | (a == b'_')
            | (a == b'.')
            | ((a == b'A') & ((((b == b'K') | (b == b'S')) & (c == b'I')) | ((b == b'I') & (c == b'z'))))
            | ((b == b'a') & (((a == b'y') & (c == b'2')) | ((a == b'd') & (c == b'p'))))
            | ((a == b'S') & (b == b'K'))
            | ((a == b'e') & (b == b'y') & (c == b'J'))
    };
    let three = bytes.iter().zip(&bytes[1..]).zip(&bytes[2..]);
    three.fold(false, |any, ((a, b), c)| any | is_beginning(*a, *b, *c))
}

/// Where something in a long word begins as a key does, and as which.
struct Candidates<'b> {
    bytes: &'b [u8],
    /// What is left to look at.
    rest: Range<usize>,
    /// Up to where something may begin.
    hopeful: usize,
    /// Where something begins, and what may begin so.
    here: (usize, std::slice::Iter<'static, Beginning>),
}

impl<'b> Candidates<'b> {
    fn new(bytes: &'b [u8], word: &Range<usize>) -> Self {
        Self { bytes, rest: word.clone(), hopeful: 0, here: (0, [].iter()) }
    }

    fn skip_to(&mut self, at: usize) {
        self.rest.start = at;
        self.here.1 = [].iter();
    }

    /// The next place at which three letters are those of a beginning.
    fn next_place(&mut self) -> Option<(usize, &'static [Beginning])> {
        let all = &*BEGINNINGS;
        let Range { start: at, end } = &mut self.rest;
        while *at + 2 < *end {
            if *at >= self.hopeful {
                self.hopeful = *at + CHUNK;
                // A short word is looked at as soon. What stands behind a word only makes it hopeful.
                let is_long = *end - *at >= CHUNK / 2;
                let window = self.bytes.get(*at..self.hopeful + BEHIND).filter(|_| is_long);
                if !window.is_none_or(may_begin) {
                    *at = self.hopeful;
                    continue;
                }
            }
            let window = &self.bytes[*at..(*end).min(self.hopeful + 2)];
            let groups = window.windows(3).map(|three| all.groups_of[letters(three)]);
            let Some((n, group)) = groups.enumerate().find(|(_, group)| *group > 0) else {
                *at = self.hopeful;
                continue;
            };
            *at += n + 1;
            return Some((*at - 1, &all.groups[usize::from(group)]));
        }
        None
    }
}

impl Iterator for Candidates<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        loop {
            let (at, beginnings) = &mut self.here;
            let rest = &self.bytes[*at..self.rest.end];
            if let Some((shape, _)) = beginnings.find(|(_, beginning)| rest.starts_with(beginning)) {
                return Some((*at, *shape));
            }
            let (at, beginnings) = self.next_place()?;
            self.here = (at, beginnings.iter());
        }
    }
}

/// Three letters as a number.
fn letters(three: &[u8]) -> usize {
    three.iter().fold(0, |number, letter| number << 5 | usize::from(letter & 31))
}

/// The keys in one long word, and what of them stands on the next lines.
pub(super) fn keys(text: &str, word: &Range<usize>, ends: &mut Ends, out: &mut Vec<(usize, usize)>) {
    let bytes = text.as_bytes();
    // Where the run of word characters, and of word characters and dots, ends in which we are: looked for once per run.
    let (mut word_end, mut parts_end) = (0, 0);
    // Where the dots stand in the latter.
    let (mut dots, mut dots_of) = (Vec::new(), 0);
    let mut candidates = Candidates::new(bytes, word);
    while let Some((at, found)) = candidates.next() {
        if word_end <= at {
            word_end = run(bytes, at, is_word);
        }
        if parts_end <= at {
            parts_end = run(bytes, at, |byte| is_word(byte) || byte == b'.');
        }
        let Some(shape) = SHAPES.get(found) else {
            let address = addresses().nth(found - SHAPES.len());
            out.extend(address.and_then(|one| secret_after(text, at + one.words.len(), one, ends)));
            continue;
        };
        let end = if matches!(shape.alphabet, Alphabet::Parts(_)) { parts_end } else { word_end };
        let begins = at + shape.beginning.len();
        // A beginning of parts has its dot in it.
        if end < begins {
            continue;
        }
        let body = &text[begins..end];
        if !begins_word(bytes, at) && !is_sure(shape, body) {
            continue;
        }
        let length = match shape.alphabet {
            Alphabet::Parts(parts) => {
                if dots_of != end {
                    dots = (begins..end).filter(|at| bytes[*at] == b'.').collect();
                    dots_of = end;
                }
                let length = parts_fitting(parts, text, begins..end, &dots);
                if length.is_none() && parts.len() > 1 {
                    parts_on_lines(shape, parts, text, at..end, out);
                }
                length
            }
            _ => fitting(shape, body),
        };
        if let Some(length) = length {
            out.push((at, begins + length));
            candidates.skip_to(begins + length);
        }
        if end == length.map_or(end, |length| begins + length) && (length.is_some() || shape.goes_on()) {
            let next = on_next_lines(bytes, end, out);
            if next > end && length.is_none() {
                out.push((at, end));
            }
        }
    }
    discord(text, word, out);
    telegram(text, word, out);
    begun_above(text, word, out);
}

/// The rest of a key that was broken over lines: words that nobody would write, each at the beginning of its line. After a mere
/// blank they have to be long.
fn on_next_lines(bytes: &[u8], from: usize, out: &mut Vec<(usize, usize)>) -> usize {
    let mut end = from;
    loop {
        let blanks = bytes[end..].iter().take(3).take_while(|byte| **byte == b' ').count();
        let (next, least) = match (after_break(bytes, end), after_joint(bytes, end)) {
            (Some(next), joint) => (joint.map_or(next, |(joint, _)| joint.max(next)), SECOND_LINE),
            (None, Some((next, is_apart))) => (next, if is_apart { GLUED } else { SECOND_LINE }),
            (None, None) if blanks > 0 => (end + blanks, GLUED),
            (None, None) => break,
        };
        let to = run(bytes, next, is_word);
        if to - next < least || !is_random(&bytes[next..to]) {
            break;
        }
        out.push((next, to));
        end = to;
    }
    end
}

/// A key of which the beginning stands apart, in one or more words that are too short to be seen by themselves.
fn begun_above(text: &str, word: &Range<usize>, out: &mut Vec<(usize, usize)>) {
    let bytes = text.as_bytes();
    let is_escape = word.start > 0 && bytes[word.start - 1] == b'\\' && matches!(bytes[word.start], b'n' | b'r' | b't');
    let begin = word.start + usize::from(is_escape);
    let Some(first) = short_word_before(bytes, begin) else { return };
    let end = run(bytes, begin, is_word);
    if end - begin < SECOND_LINE || !is_mixed(&text[begin..end]) {
        return;
    }
    let mut parts = vec![first, (begin, end)];
    while parts.len() <= PARTS_LIMIT {
        let from = parts[0].0;
        let whole: String = parts.iter().map(|(from, to)| &text[*from..*to]).collect();
        if begins_word(bytes, from) && SHAPES.iter().any(|shape| is_put_together(shape, &whole)) {
            out.append(&mut parts);
            on_next_lines(bytes, end, out);
            return;
        }
        let Some(part) = short_word_before(bytes, from) else { return };
        parts.insert(0, part);
    }
}

/// The word before a gap, if it is too short to be a key.
fn short_word_before(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let mut end = at;
    // What marks a line counts only where a line is broken.
    let (mut has_marks, mut has_break) = (false, false);
    while at - end < GAP_LIMIT {
        match &bytes[..end] {
            // As JSON and Markdown escape them, once or again.
            [before @ .., b'\\', b'n' | b'r' | b't' | b'>' | b'|'] => {
                end = before.len() - before.iter().rev().take_while(|byte| **byte == b'\\').count()
            }
            [.., b'\n'] => (end, has_break) = (end - 1, true),
            [.., b' ' | b'\t' | b'\r' | b'>' | b'|'] => end -= 1,
            [.., b'+' | b'#' | b'*' | b'/' | b';' | b'%' | b'$' | b'!' | b'"' | b'\''] => {
                (end, has_marks) = (end - 1, true);
            }
            [.., b' ' | b'\n' | b'-', b'-'] if !has_break => (end, has_marks) = (end - 1, true),
            _ => break,
        }
    }
    if has_marks && !has_break {
        return None;
    }
    let length = bytes[..end].iter().rev().take(LEAST).take_while(|byte| is_word(**byte)).count();
    let from = end - length;
    // The letter of an escape before it is none of its own.
    let is_escape = length > 1 && bytes[..from].ends_with(b"\\") && matches!(bytes[from], b'n' | b'r' | b't');
    (end < at && (1..LEAST).contains(&length)).then_some((from + usize::from(is_escape), end))
}

/// Whether words put together are a key: what is no accident begins as one and goes on as nobody writes.
fn is_put_together(shape: &Shape, whole: &str) -> bool {
    let Some(body) = whole.strip_prefix(shape.beginning) else { return false };
    let mut parts = body.split(['_', '-']);
    let is_long = |part: &str| {
        let is_hex = part.len() >= 32 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hex || part.len() >= GLUED && is_random(part.as_bytes()) && changes(part.as_bytes()) >= CHANGES
    };
    match (shape.whole, shape.alphabet) {
        (_, Alphabet::Hex | Alphabet::Parts(_)) => false,
        (0, _) => body.len() >= shape.least && parts.any(is_long),
        (length, _) => body.len() == length && is_mixed(body),
    }
}

/// Whether a word may begin here: not in the middle of another one, unless what stands before it is an escape as JSON and
/// addresses have them.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|i| bytes.get(i)).copied();
    let Some(last) = before(1) else { return true };
    if !(last.is_ascii_alphanumeric() || last == b'-') {
        return true;
    }
    // The mark of a line, not of a word.
    let marks = bytes[..at].iter().rev().take(LEAST).take_while(|byte| **byte == b'-').count();
    if marks > 0 && at.checked_sub(marks + 1).is_none_or(|before| bytes[before].is_ascii_whitespace()) {
        return true;
    }
    let is_hex = |back: usize| before(back).is_some_and(|byte| byte.is_ascii_hexdigit());
    (before(2) == Some(b'\\') && matches!(last, b'n' | b't' | b'r' | b'b' | b'f'))
        || (before(3) == Some(b'%') && is_hex(1) && is_hex(2))
        || (before(6) == Some(b'\\') && before(5) == Some(b'u') && (1..=4).all(is_hex))
}

/// Whether this is a key though it is glued to a letter before it.
fn is_sure(shape: &Shape, body: &str) -> bool {
    let window = body.as_bytes().get(..MIXED_WITHIN).unwrap_or(body.as_bytes());
    let mut parts = window.split(|byte| matches!(byte, b'_' | b'-'));
    match shape.whole {
        // Its parts have to fit, which no word does.
        0 if matches!(shape.alphabet, Alphabet::Parts(parts) if parts.len() > 1) => true,
        0 => shape.beginning.ends_with(['_', '-', '.']) && parts.any(|part| part.len() >= GLUED && is_random(part)),
        whole => is_followed_by(body, whole, |byte| matches!(byte, b'_' | b'-')) && is_mixed(body),
    }
}

/// Whether nothing but such bytes follows the first so many.
fn is_followed_by(body: &str, length: usize, is_such: fn(u8) -> bool) -> bool {
    body.as_bytes().get(length..).is_some_and(|rest| rest.iter().all(|byte| is_such(*byte)))
}

/// How much of what follows a shape's beginning is a key of that shape.
fn fitting(shape: &Shape, body: &str) -> Option<usize> {
    if body.len() < shape.least {
        return None;
    }
    // What emphasizes a word, or ends a sentence, is no part of it.
    match shape.alphabet {
        Alphabet::Word => Some(body.trim_end_matches('_').len()),
        Alphabet::Mixed => is_mixed(body).then(|| body.trim_end_matches('_').len()),
        Alphabet::Letters => {
            let window = body.as_bytes().get(..LETTERS_LIMIT).unwrap_or(body.as_bytes());
            let length = run(window, 0, |byte| byte.is_ascii_alphanumeric());
            let is_end = || is_followed_by(body, length, |byte| matches!(byte, b'_' | b'-'));
            (length >= shape.least && is_mixed(&body[..length]) && is_end()).then_some(length)
        }
        Alphabet::Hex => {
            let window = body.as_bytes().get(..=shape.least).unwrap_or(body.as_bytes());
            let length = run(window, 0, |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
            // Databricks' tokens may have a number behind them.
            let number = body.as_bytes()[length..].iter().take(4).rposition(|byte| *byte != b'_').map_or(0, |n| n + 1);
            let rest = &body[length..length + number];
            if length != shape.least || !is_followed_by(body, length + number, |byte| byte == b'_') {
                return None;
            }
            let is_end = rest.is_empty()
                || rest
                    .strip_prefix('-')
                    .is_some_and(|rest| rest.len() <= 2 && rest.bytes().all(|b| b.is_ascii_digit()));
            is_end.then_some(length + rest.len())
        }
        Alphabet::Parts(_) => None,
    }
}

/// The same for a key of parts; `dots` are the places of the dots, of which some may stand before it.
fn parts_fitting(parts: &[Part], text: &str, body: Range<usize>, dots: &[usize]) -> Option<usize> {
    let mut at = body.start;
    for (n, Part(beginning, least, most)) in parts.iter().enumerate() {
        if n > 0 {
            dots.binary_search(&at).ok()?;
            at += 1;
        }
        let end = dots.get(dots.partition_point(|dot| *dot < at)).copied().unwrap_or(body.end);
        let part = &text[at..end];
        let fits = part.starts_with(beginning) && (*least..=*most).contains(&part.len());
        (fits && (*least < 20 || is_mixed(part))).then_some(())?;
        at = end;
    }
    // A signed token may have more parts.
    let signs: &[char] = if at == body.end { &['_'] } else { &['.', '_'] };
    Some(text[body].trim_end_matches(signs).len())
}

/// A signed token that was broken over lines, as a terminal and mail do it: one word on each.
fn parts_on_lines(shape: &Shape, parts: &[Part], text: &str, first: Range<usize>, out: &mut Vec<(usize, usize)>) {
    const LINES: usize = 32;
    // A longer one is no line of such a token, and would be copied for each beginning in it.
    const LINE: usize = 512;
    let bytes = text.as_bytes();
    if first.len() > LINE {
        return;
    }
    let mut words = vec![first];
    let mut whole = String::new();
    for _ in 0..LINES {
        let last = words[words.len() - 1].clone();
        whole.push_str(&text[last.clone()]);
        let Some(next) = after_break(bytes, last.end) else { break };
        let to = run(bytes, next, |byte| is_word(byte) || byte == b'.');
        if to - next < SECOND_LINE || !is_random(&bytes[next..to]) {
            break;
        }
        words.push(next..to);
    }
    let dots: Vec<usize> = whole.match_indices('.').map(|(at, _)| at).collect();
    if words.len() > 1 && parts_fitting(parts, &whole, shape.beginning.len()..whole.len(), &dots).is_some() {
        out.extend(words.into_iter().map(|word| (word.start, word.end)));
    }
}

/// Discord's bots: the bot's number in base64, which begins with one of three letters, a time and a signature.
fn discord(text: &str, word: &Range<usize>, out: &mut Vec<(usize, usize)>) {
    const NUMBER: (usize, usize) = (23, 28);
    const TIME: usize = 6;
    const SIGNATURE: (usize, usize) = (27, 40);
    let bytes = text.as_bytes();
    if word.len() < NUMBER.0 + TIME + SIGNATURE.0 + 2 {
        return;
    }
    let dots = text[word.clone()].match_indices('.').map(|(at, _)| word.start + at);
    for dot in dots.filter(|at| bytes.get(at + TIME + 1) == Some(&b'.')) {
        let signature = dot + TIME + 2;
        let end = run(bytes.get(..(signature + SIGNATURE.1 + 2).min(bytes.len())).unwrap_or(bytes), signature, is_word);
        let end = signature + text[signature..end].trim_end_matches('_').len();
        let signs = (SIGNATURE.0..=SIGNATURE.1).contains(&(end - signature)) && is_mixed(&text[signature..end]);
        let begins = (NUMBER.0..=NUMBER.1).filter_map(|length| dot.checked_sub(length)).find(|from| {
            matches!(bytes[*from], b'M' | b'N' | b'O')
                && begins_word(bytes, *from)
                && bytes[*from..dot].iter().all(|b| is_word(*b))
        });
        if let Some(from) = begins.filter(|from| signs && is_mixed(&text[*from..dot])) {
            out.push((from, end));
        }
    }
}

/// Telegram's bots: a number, a colon, `AA` and 33 characters more.
fn telegram(text: &str, word: &Range<usize>, out: &mut Vec<(usize, usize)>) {
    const DIGITS: (usize, usize) = (6, 12);
    const SECRET: usize = 35;
    let bytes = text.as_bytes();
    let Some(secret) = bytes.get(word.start..word.start + SECRET) else { return };
    let ends = !bytes.get(word.start + SECRET).is_some_and(u8::is_ascii_alphanumeric);
    let Some(colon) = word.start.checked_sub(1).filter(|colon| bytes[*colon] == b':') else { return };
    let digits = bytes[..colon].iter().rev().take(DIGITS.1 + 1).take_while(|byte| byte.is_ascii_digit()).count();
    let fits = secret.starts_with(b"AA") && secret.iter().all(|byte| is_word(*byte)) && ends;
    if fits && (DIGITS.0..=DIGITS.1).contains(&digits) {
        out.push((colon - digits, word.start + SECRET));
    }
}

/// Whether there is more in it than small letters.
fn is_mixed(word: &str) -> bool {
    let word = word.as_bytes().get(..MIXED_WITHIN).unwrap_or(word.as_bytes());
    word.iter().any(u8::is_ascii_digit)
        || (word.iter().any(u8::is_ascii_uppercase) && word.iter().any(u8::is_ascii_lowercase))
}

/// How often letters follow digits and digits letters.
fn changes(word: &[u8]) -> usize {
    let is_change = |two: &&[u8]| matches!(two, [a, b] if a.is_ascii_digit() != b.is_ascii_digit());
    word.windows(2).take(MIXED_WITHIN).filter(is_change).count()
}

/// Whether there are digits and letters of both cases in it.
fn is_random(word: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| word.iter().take(MIXED_WITHIN).any(is);
    has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No key is passed over because of what a long word is first looked through for.
    #[test]
    fn whatever_begins_a_key_is_looked_at() {
        for (_, beginning) in all_beginnings() {
            for at in 0..CHUNK {
                let mut word = vec![b'Q'; CHUNK + BEHIND];
                let end = word.len().min(at + beginning.len());
                word[at..end].copy_from_slice(&beginning[..end - at]);
                assert!(may_begin(&word), "{} at {at}", String::from_utf8_lossy(beginning));
            }
        }
    }
}
