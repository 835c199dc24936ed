//! Peers as Speaker 1..n, in an order shuffled per reader by the plan's seed.
//!
//! The order is a pure function of the seed, the reader and the peers, so a citation such as `S2.a1` can be led back to
//! its author by anyone who has the plan.

use crate::digest::Digest;
use crate::plan::{Duty, Naming, Plan, SeatId, contains_phrase};

/// What one reader calls the others.
#[derive(Debug, Clone)]
pub struct Speakers<'p> {
    naming: Naming,
    order: Vec<&'p SeatId>,
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
    /// The names under which `reader` sees the plan's other seats.
    pub fn of(plan: &'p Plan, reader: &SeatId) -> Self {
        let mut order: Vec<&SeatId> = plan
            .seats
            .iter()
            .filter(|seat| matches!(seat.duty, Duty::Debater | Duty::Lead))
            .map(|seat| &seat.id)
            .filter(|id| *id != reader)
            .collect();
        let rank = |id: &SeatId| {
            Digest::of_parts([&plan.seed.to_be_bytes() as &[u8], reader.as_str().as_bytes(), id.as_str().as_bytes()])
        };
        order.sort_by_key(|id| rank(id));
        Self { naming: plan.naming, order }
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

    /// The seat that a name or prefix means: `S2`, `Speaker 2`, or a seat's name where names are shown.
    pub fn seat(&self, name: &str) -> Option<&'p SeatId> {
        let name = name.trim();
        let number = name
            .strip_prefix("Speaker ")
            .or_else(|| name.strip_prefix("speaker "))
            .or_else(|| name.strip_prefix(['S', 's']))
            .and_then(|digits| digits.trim().parse::<usize>().ok());
        match (self.naming, number) {
            (Naming::Anonymous, Some(n)) => n.checked_sub(1).and_then(|i| self.order.get(i).copied()),
            _ => self.order.iter().find(|id| id.as_str().eq_ignore_ascii_case(name)).copied(),
        }
    }

    /// Words of this reader in which it calls others by its own names for them, told with the names that `called` has:
    /// `Speaker 2`, `S2.a1` and a bare `S2`. A bare one that is also a word of the plan's (a product, say) stays.
    pub fn retold(&self, plan: &Plan, words: &str, called: &dyn Fn(&SeatId, Called) -> String) -> String {
        if self.naming != Naming::Anonymous {
            return words.to_owned();
        }
        let mut out = String::with_capacity(words.len());
        let mut rest = words;
        let mut before = ' ';
        while let Some(next) = rest.chars().next() {
            if !(before.is_alphanumeric() || matches!(before, '_' | '-' | '/'))
                && let Some((seat, how, length)) = self.name_at(plan, rest)
            {
                out.push_str(&called(seat, how));
                before = 'x';
                rest = rest.get(length..).unwrap_or_default();
                continue;
            }
            out.push(next);
            before = next;
            rest = rest.get(next.len_utf8()..).unwrap_or_default();
        }
        out
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
        Some((self.seat(name)?, how, start + digits))
    }

    /// Seats in the order in which this reader sees them.
    pub fn order(&self) -> &[&'p SeatId] {
        &self.order
    }

    fn position(&self, seat: &SeatId) -> Option<usize> {
        self.order.iter().position(|id| *id == seat).map(|i| i + 1)
    }
}
