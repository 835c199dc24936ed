//! Holding a record against its source: the same words, but for blots. Which words look like keys is not asked, for that may
//! have been another forge's opinion; what is asked is whether a key could have stood there at all.
//!
//! Promises: a blot stands for one word, or for one private key in its block; where the source was cleaned since, for what
//! somebody wrote in the key's place on the same line. The work is bounded, and what would need more is no redaction.

use super::blocks::{Closings, furthest, quoting};
use super::{BLOT, run};

/// The most bytes that somebody may have written in a key's place.
const STAND_IN_LIMIT_BYTES: usize = 4096;
/// The most places that are looked at.
const PLACES_LIMIT: usize = 1 << 24;

/// What a record is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The very text that it was made from.
    AsLeft,
    /// That text after somebody took keys out of it.
    Cleaned,
}

/// How many keys were removed from a source to get a text: the blots that the source does not have. At least one where the two
/// differ.
pub fn keys_removed(text: &str, source: &str) -> u32 {
    if text == source {
        return 0;
    }
    let blots = |text: &str| text.matches(BLOT).count();
    u32::try_from(blots(text).saturating_sub(blots(source)).max(1)).unwrap_or(u32::MAX)
}

/// Whether a text is another one with nothing but parts of it blotted out that may have been keys.
pub fn is_redaction_of(text: &str, source: &str, state: Source) -> bool {
    let pieces: Vec<&str> = text.split(BLOT).collect();
    let Some((first, rest)) = pieces.split_first().filter(|(first, _)| source.starts_with(**first)) else {
        return false;
    };
    let Some((last, middle)) = rest.split_last() else { return first.len() == source.len() };
    // Wherever a blot may begin, in ascending order: one place at first, and more where a piece is found more than once.
    let mut begins = vec![first.len()];
    let mut places = 0;
    for piece in middle {
        let mut next = Vec::new();
        let mut seen = 0;
        let mut reach = Reach::new(source, state);
        for from in begins {
            let to = reach.from(from);
            places += (to + 1).saturating_sub(seen.max(from)) + 1;
            if places > PLACES_LIMIT {
                return false;
            }
            let fits = |at: &usize| source.as_bytes()[*at..].starts_with(piece.as_bytes());
            next.extend((seen.max(from)..=to).filter(fits).map(|at| at + piece.len()));
            seen = seen.max(to + 1);
        }
        begins = next;
    }
    let mut reach = Reach::new(source, state);
    let Some(at) = source.len().checked_sub(last.len()).filter(|_| source.ends_with(last)) else { return false };
    begins.into_iter().any(|from| from <= at && at <= reach.from(from))
}

/// How far what a blot stands for may reach, asked for places in ascending order.
struct Reach<'s> {
    source: &'s str,
    state: Source,
    /// Where the word and the line end in which we are: looked for once each.
    word: usize,
    line: usize,
    closings: Closings,
}

impl<'s> Reach<'s> {
    fn new(source: &'s str, state: Source) -> Self {
        Self { source, state, word: 0, line: 0, closings: Closings::default() }
    }

    fn from(&mut self, at: usize) -> usize {
        let bytes = self.source.as_bytes();
        let rest = &bytes[at..];
        let begins_line = self.source.is_char_boundary(at) && quoting(self.source, at).is_some();
        // What gives a text its form is no key.
        if begins_line && ["#", "```", "~~~"].iter().any(|mark| rest.starts_with(mark.as_bytes())) {
            return at;
        }
        if self.word < at || self.word == 0 {
            self.word = run(bytes, at, |byte| !byte.is_ascii_whitespace());
        }
        if self.line < at || self.line == 0 {
            self.line = run(bytes, at, |byte| !matches!(byte, b'\n' | b'\r'));
        }
        let to = match self.state {
            // What was blotted out before stays so.
            Source::AsLeft if rest.starts_with(BLOT.as_bytes()) => self.word.max(at + BLOT.len()),
            Source::AsLeft => self.word,
            Source::Cleaned => self.word.max(self.line.min(at + STAND_IN_LIMIT_BYTES)),
        };
        furthest(self.source, at, &mut self.closings).map_or(to, |block| block.max(to))
    }
}
