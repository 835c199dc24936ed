//! What gives a speaker away is masked in what peers read, and never in the record.
//!
//! Masked are: a seat's name, role or model where the speaker signs with it or introduces itself by it, the vendor that
//! it says made it, and sentences of its role text. Seats have ordinary names (`risk`, `value`, `lead`), and a debate may
//! be about models; so a name counts only in such a form, and a form that is also ordinary speech does not count.
//! A name that stays is a smaller harm than an argument made unreadable.
//!
//! English forms only. How somebody argues can give them away too; nothing here hides that.

mod introductions;
mod models;
mod names;
mod role;
mod signatures;
mod words;

use crate::datum::{Datum, Fields, field_name};
use crate::plan::{Plan, SeatId};
use names::Names;
use role::RoleText;
use std::ops::Range;
use words::Words;

/// What stands in place of a name.
pub const MASK: &str = "[masked]";
/// What stands in place of a sentence of a role text.
pub const ROLE_MASK: &str = "[role text masked]";

/// How often a text is gone over: one mask can lay bare another leak, such as a signature above the one masked.
const PASSES_LIMIT: usize = 8;

/// Ballot fields whose whole value is a name, where agents add them on their own.
const IDENTITY_FIELDS: &[&str] =
    &["seat", "role", "judge", "speaker", "name", "author", "by", "from", "model", "agent", "persona", "signed"];
/// Ballot fields that the engine reads; they hold ids and no prose.
const ID_FIELDS: &[&str] = &["id", "to", "option", "options", "approves", "convinced_by"];

/// What is masked in the words of one speaker.
#[derive(Debug)]
pub struct Mask {
    names: Names,
    role: RoleText,
}

/// What kind of text is masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A turn's text: it may have a title, a byline and a signature.
    Prose,
    /// A value of a ballot: a phrase or a sentence, in which `Risk: ...` at the beginning is about the risk.
    Value,
}

impl Mask {
    /// What gives `speaker` away.
    pub fn of(plan: &Plan, speaker: &SeatId, role_text: &str) -> Self {
        Self { names: Names::of(plan, speaker, role_text), role: RoleText::of(role_text) }
    }

    /// A turn's text, masked.
    pub fn prose(&self, text: &str) -> String {
        self.apply(text, Kind::Prose)
    }

    /// A ballot, with every text in it masked that is not an id.
    pub fn ballot(&self, ballot: &Fields) -> Fields {
        ballot.iter().map(|(name, datum)| (name.to_owned(), self.datum(&field_name(name), datum))).collect()
    }

    fn datum(&self, field: &str, datum: &Datum) -> Datum {
        match datum {
            _ if ID_FIELDS.contains(&field) => datum.clone(),
            Datum::Text(text) if IDENTITY_FIELDS.contains(&field) && signatures::is_name(text, &self.names) => {
                Datum::from(MASK)
            }
            Datum::Text(text) => Datum::Text(self.apply(text, Kind::Value)),
            Datum::List(items) => Datum::List(items.iter().map(|item| self.datum(field, item)).collect()),
            Datum::Record(fields) => Datum::Record(self.ballot(fields)),
            Datum::Null | Datum::Flag(_) | Datum::Number(_) => datum.clone(),
        }
    }

    fn apply(&self, text: &str, kind: Kind) -> String {
        let mut text = text.to_owned();
        for _ in 0..PASSES_LIMIT {
            match self.pass(&text, kind) {
                Some(masked) => text = masked,
                None => break,
            }
        }
        text
    }

    /// The text with all leaks masked that can be seen now; none if there are none.
    fn pass(&self, text: &str, kind: Kind) -> Option<String> {
        let words = Words::of(text);
        let mut leaks: Vec<(Range<usize>, &str)> = Vec::new();
        leaks.extend(self.role.quoted(&words).into_iter().map(|range| (range, ROLE_MASK)));
        let mut named = introductions::find(&words, &self.names);
        named.extend(models::find(&words, &self.names));
        named.extend(signatures::find(text, kind, &self.names));
        leaks.extend(named.into_iter().map(|range| (words::with_emphasis(text, range), MASK)));
        // Where two overlap, the one that begins first stands; the next pass sees what is left of the other.
        leaks.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (range, mark) in leaks {
            if range.start >= done && range.end > range.start {
                out.push_str(&text[done..range.start]);
                out.push_str(mark);
                done = range.end;
            }
        }
        if done == 0 {
            return None;
        }
        out.push_str(&text[done..]);
        Some(out)
    }
}
