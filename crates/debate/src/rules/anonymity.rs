//! Seats as Speaker 1..n: one numbering per debate, shuffled by the plan's seed, the same for every reader.
//!
//! It is a pure function of the seed and the seats, so a citation such as `S2.a1` means one argument to all who read it,
//! and can be led back to its author by anyone who has the plan.

use crate::model::digest::Digest;
use crate::model::plan::{Duty, Naming, Plan, Seat, SeatId, contains_phrase};
use std::ops::Range;

/// What the seats of a debate are called among each other, as one of them reads it.
#[derive(Debug, Clone)]
pub struct Speakers<'p> {
    naming: Naming,
    all: Vec<&'p SeatId>,
    reader: SeatId,
}

/// How a speaker is called in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Called {
    /// `Speaker 2`.
    ByName,
    /// `S2`.
    ByPrefix,
}

/// Whether a bare `S3` may be something else than a speaker: the plan uses the word, or what follows makes it a product.
fn is_word_of(plan: &Plan, name: &str, after: &str) -> bool {
    const PRODUCT: &[&str] = &[" bucket", " storage", " object", " api", " compatible"];
    let texts = [plan.question.as_str()]
        .into_iter()
        .chain(plan.options.iter().flat_map(|option| [option.label.as_str(), option.description.as_str()]));
    let follows = |word: &str| after.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    PRODUCT.iter().any(|word| follows(word)) || texts.into_iter().any(|text| contains_phrase(text, name))
}

impl<'p> Speakers<'p> {
    /// The names of the plan's seats, read by `reader`.
    pub fn of(plan: &'p Plan, reader: &SeatId) -> Self {
        let argues = |seat: &&Seat| matches!(seat.duty, Duty::Debater | Duty::Lead);
        let mut all: Vec<&SeatId> = plan.seats.iter().filter(argues).map(|seat| &seat.id).collect();
        all.sort_by_cached_key(|id| shuffled(plan, b"speaker", id));
        Self { naming: plan.naming, all, reader: reader.clone() }
    }

    /// The name shown for a seat: `Speaker 2`, or the seat's own.
    pub fn name(&self, seat: &SeatId) -> String {
        match (self.naming, self.position(seat)) {
            (Naming::Anonymous, Some(n)) => format!("Speaker {n}"),
            _ => seat.to_string(),
        }
    }

    /// The prefix of its arguments in citations: `S2`, or the seat's own name.
    pub fn prefix(&self, seat: &SeatId) -> String {
        match (self.naming, self.position(seat)) {
            (Naming::Anonymous, Some(n)) => format!("S{n}"),
            _ => seat.to_string(),
        }
    }

    /// The peer that a name or prefix means: `S2`, `Speaker 2`, or a seat's name. Nobody is its own peer.
    pub fn seat(&self, name: &str) -> Option<&'p SeatId> {
        self.speaker(name).filter(|id| **id != self.reader)
    }

    /// The same, the reader included.
    fn speaker(&self, name: &str) -> Option<&'p SeatId> {
        let name = name.trim();
        let number = name
            .strip_prefix("Speaker ")
            .or_else(|| name.strip_prefix("speaker "))
            .or_else(|| name.strip_prefix(['S', 's']))
            .and_then(|digits| digits.trim().parse::<usize>().ok());
        match (self.naming, number) {
            (Naming::Anonymous, Some(n)) => n.checked_sub(1).and_then(|i| self.all.get(i).copied()),
            _ => self.all.iter().find(|id| id.as_str().eq_ignore_ascii_case(name)).copied(),
        }
    }

    /// Words in which seats are called by their numbers, told with the names that `called` has: `Speaker 2`, `S2.a1` and a
    /// bare `S2`. A bare one that is also a word of the plan's (a product, say) stays.
    pub fn retold(&self, plan: &Plan, words: &str, called: &dyn Fn(&SeatId, Called) -> String) -> String {
        let mut out = String::with_capacity(words.len());
        let mut end = 0;
        for (range, seat, how) in self.names_in(plan, words) {
            out.push_str(&words[end..range.start]);
            out.push_str(&called(seat, how));
            end = range.end;
        }
        out + &words[end..]
    }

    /// The seats that words call by their numbers.
    pub fn named_in(&self, plan: &Plan, words: &str) -> Vec<&'p SeatId> {
        self.names_in(plan, words).into_iter().map(|(_, seat, _)| seat).collect()
    }

    fn names_in(&self, plan: &Plan, words: &str) -> Vec<(Range<usize>, &'p SeatId, Called)> {
        let mut found = Vec::new();
        if self.naming != Naming::Anonymous {
            return found;
        }
        let mut end = 0;
        let mut before = ' ';
        for (at, next) in words.char_indices() {
            if at < end {
                continue;
            }
            if !(before.is_alphanumeric() || matches!(before, '_' | '-' | '/'))
                && let Some((seat, how, length)) = self.name_at(plan, &words[at..])
            {
                end = at + length;
                found.push((at..end, seat, how));
                before = 'x';
                continue;
            }
            before = next;
        }
        found
    }

    /// The name at the beginning of a text, the seat that it means, and its length.
    fn name_at(&self, plan: &Plan, text: &str) -> Option<(&'p SeatId, Called, usize)> {
        let (how, start) = match text {
            _ if text.starts_with("Speaker ") => (Called::ByName, "Speaker ".len()),
            _ if text.starts_with('S') => (Called::ByPrefix, 1),
            _ => return None,
        };
        let digits = text.get(start..)?.bytes().take_while(u8::is_ascii_digit).count();
        if !(1..=2).contains(&digits) {
            return None;
        }
        let (name, after) = text.split_at(start + digits);
        let is_citation = after.starts_with('.') && after[1..].starts_with(char::is_alphanumeric);
        let ends = is_citation || !after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/'));
        if !ends || (how == Called::ByPrefix && !is_citation && is_word_of(plan, name, after)) {
            return None;
        }
        Some((self.speaker(name)?, how, start + digits))
    }

    /// The reader's peers, by number.
    pub fn order(&self) -> Vec<&'p SeatId> {
        self.all.iter().filter(|id| ***id != self.reader).copied().collect()
    }

    fn position(&self, seat: &SeatId) -> Option<usize> {
        self.all.iter().position(|id| *id == seat).map(|i| i + 1)
    }
}

/// Where a seat's words stand in what all seats read in a round: another order in every round, the same for every reader.
pub(crate) fn place_in_round(plan: &Plan, round: u16, seat: &SeatId) -> Digest {
    shuffled(plan, &round.to_be_bytes(), seat)
}

fn shuffled(plan: &Plan, what: &[u8], seat: &SeatId) -> Digest {
    Digest::of_parts([&plan.seed.to_be_bytes() as &[u8], what, seat.as_str().as_bytes()])
}
