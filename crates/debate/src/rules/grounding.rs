//! Quotes of supplied material, held against it.
//!
//! A quote is at least three words that a turn attributes to a supplied text in its ballot (`quotes`). It is verified if
//! these very words stand in that text. White space is folded, curly quotation marks equal straight ones, and characters that nobody sees do
//! not count; case and everything else do. An ellipsis splits a quote into parts that must follow one another.
//!
//! Words that stand in another text than the one named do not count: a reader who looks them up does not find them, and
//! a seat that guesses at sources has read none.
//!
//! What stands in quotation marks in a turn's prose is not looked at.

mod fold;
mod sources;

use crate::model::plan::{Duty, Material, Plan, SeatId, words};
use crate::model::turn::{Turn, TurnKey};
use crate::model::votes::QuotedPassage;
use crate::rules::brief::{is_hidden, one_line};
use fold::{Folded, fold};
use forge_prose::blanks::is_placeholder;
use sources::Sources;
use std::collections::BTreeSet;

/// The fewest words that make a quote: two words stand in any text by chance.
pub const QUOTE_WORDS: usize = 3;
/// The most quotes of one seat that are looked up; a seat's later ones are not listed.
pub const QUOTES_LIMIT: usize = 200;
/// The most bytes of one quote.
pub const QUOTE_LIMIT_BYTES: usize = 4096;

/// The most bytes of a line that an agent quotes without reading it.
const PASSAGE_LIMIT_BYTES: usize = 300;

/// Words of the supplied material.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// The material's name.
    pub source: String,
    /// The words.
    pub text: String,
}

/// What one seat quoted, over all its turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grounding {
    /// Whose.
    pub seat: SeatId,
    /// The quotes, in order.
    pub quotes: Vec<Quote>,
}

/// Words that a turn attributes to supplied material.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quote {
    /// In which turn.
    pub turn: TurnKey,
    /// The material's name as the turn gives it.
    pub source: String,
    /// The words.
    pub text: String,
    /// Where they stand, if they do.
    pub found: Option<FoundAt>,
}

/// Where a quote stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundAt {
    /// The material.
    pub material: String,
    /// The line on which the words begin, from 1.
    pub line: usize,
}

impl Grounding {
    /// How many of the quotes stand where they are said to.
    pub fn verified(&self) -> usize {
        self.quotes.iter().filter(|quote| quote.found.is_some()).count()
    }
}

/// What each seat that spoke quoted, in the plan's order. Nothing where no material was supplied.
pub fn of(plan: &Plan, turns: &[&Turn]) -> Vec<Grounding> {
    if plan.materials.is_empty() {
        return Vec::new();
    }
    let library = Library::of(plan);
    plan.seats
        .iter()
        .filter(|seat| matches!(seat.duty, Duty::Debater | Duty::Lead | Duty::Synthesizer))
        .filter_map(|seat| library.grounding(&seat.id, turns))
        .collect()
}

/// The seats that have quoted at least once what is really there, in the plan's order. Nobody where no material was
/// supplied; whether there is any is for the caller to ask first.
pub fn grounded_seats(plan: &Plan, turns: &[&Turn]) -> Vec<SeatId> {
    of(plan, turns).into_iter().filter(|grounding| grounding.verified() > 0).map(|grounding| grounding.seat).collect()
}

/// A line of the supplied material that can be quoted word for word, for agents that quote without reading: the longest
/// of the first material that has one. A line that only holds a place is none, nor is a row of a table, a heading or a
/// fence.
pub fn quotable(materials: &[Material]) -> Option<Passage> {
    let can_be_quoted = |line: &str| {
        let is_plain = !line.starts_with('#') && !line.contains('|') && !line.contains("```");
        let is_as_shown = !line.chars().any(is_hidden) && one_line(line) == line;
        let is_long_enough = words(line).count() >= QUOTE_WORDS && word_count(line) >= QUOTE_WORDS;
        line.len() <= PASSAGE_LIMIT_BYTES && is_plain && is_long_enough && is_as_shown && !is_placeholder(line)
    };
    materials.iter().find_map(|material| {
        let mut lines: Vec<&str> = material.text.lines().map(str::trim).collect();
        lines.sort_by_key(|line| line.len());
        // From the longest: looking at a line costs more than its length, and one is enough.
        let line = lines.into_iter().rev().find(|line| can_be_quoted(line))?;
        Some(Passage { source: material.name.clone(), text: line.to_owned() })
    })
}

/// The supplied material, folded once for all quotes.
struct Library<'p> {
    plan: &'p Plan,
    sources: Sources,
    texts: Vec<Folded>,
}

impl<'p> Library<'p> {
    fn of(plan: &'p Plan) -> Self {
        Self {
            plan,
            sources: Sources::of(&plan.materials),
            texts: plan.materials.iter().map(|material| Folded::of(&material.text)).collect(),
        }
    }

    /// What the seat quoted; none if it never spoke.
    fn grounding(&self, seat: &SeatId, turns: &[&Turn]) -> Option<Grounding> {
        let mut spoke = false;
        let mut quotes: Vec<Quote> = Vec::new();
        let mut seen = BTreeSet::new();
        let own = turns.iter().filter(|turn| turn.seat() == seat);
        for (turn, speech) in own.filter_map(|turn| Some((turn, turn.speech()?))) {
            spoke = true;
            for QuotedPassage { source, text } in speech.said().quotes {
                let text = one_line(&text);
                let words = bare(&text);
                if word_count(&words) < QUOTE_WORDS {
                    continue;
                }
                let materials = self.sources.meant(&source);
                let meant = match materials.as_slice() {
                    [] => source.to_lowercase(),
                    some => format!("{some:?}"),
                };
                if quotes.len() >= QUOTES_LIMIT || !seen.insert((meant, words.clone())) {
                    continue;
                }
                let found = materials.iter().find_map(|index| self.place(*index, &words));
                quotes.push(Quote { turn: turn.key.clone(), source, text, found });
            }
        }
        spoke.then(|| Grounding { seat: seat.clone(), quotes })
    }

    fn place(&self, index: usize, words: &str) -> Option<FoundAt> {
        let (material, text) = (self.plan.materials.get(index)?, self.texts.get(index)?);
        let at = begins_at(text, words)?;
        Some(FoundAt { material: material.name.clone(), line: text.line(at) })
    }
}

/// Where the words begin, if they stand there: as they are; without a final full stop or comma, which by custom moves
/// inside the quotation marks; or in parts around ellipses.
fn begins_at(text: &Folded, words: &str) -> Option<usize> {
    if words.len() > QUOTE_LIMIT_BYTES {
        return None;
    }
    let whole = text.find(words, 0).map(|range| range.start);
    let unstopped = || text.find(words.strip_suffix(['.', ','])?.trim_end(), 0).map(|range| range.start);
    whole.or_else(unstopped).or_else(|| parts_begin_at(text, words))
}

fn parts_begin_at(text: &Folded, words: &str) -> Option<usize> {
    let parts: Vec<&str> = split_at_ellipses(words);
    if parts.len() < 2 || parts.iter().any(|part| word_count(part) < QUOTE_WORDS) {
        return None;
    }
    let mut begin = None;
    let mut from = 0;
    for part in parts {
        let at = text.find(part, from)?;
        begin.get_or_insert(at.start);
        from = at.end;
    }
    begin
}

const ELLIPSES: [&str; 6] = ["[...]", "[…]", "(...)", "(…)", "...", "…"];

fn split_at_ellipses(words: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in words.char_indices() {
        // The longer spellings come first, so that the brackets go with their dots.
        let mark = ELLIPSES.iter().find(|mark| at >= start && words[at..].starts_with(**mark));
        if let Some(mark) = mark {
            parts.push(words[start..at].trim());
            start = at + mark.len();
        }
    }
    parts.push(words[start..].trim());
    parts
}

/// The words of a quote, folded, without what surrounds them: quotation marks, ellipses.
fn bare(quote: &str) -> String {
    const MARKS: [(char, char); 5] = [('"', '"'), ('\'', '\''), ('«', '»'), ('»', '«'), ('‹', '›')];
    let folded = fold(quote);
    let mut words = folded.as_str();
    loop {
        let mut shorter = words.trim();
        for mark in ELLIPSES {
            shorter = shorter.trim_start_matches(mark).trim_end_matches(mark).trim();
        }
        for (open, close) in MARKS {
            if let Some(inside) = shorter.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)) {
                shorter = inside.trim();
            }
        }
        if shorter.len() == words.len() {
            return shorter.to_owned();
        }
        words = shorter;
    }
}

/// How many words a text has. Scripts that put no blanks between words count by character.
fn word_count(text: &str) -> usize {
    text.split_whitespace()
        .map(|word| {
            let unspaced = word.chars().filter(|c| *c >= '\u{2E80}' && c.is_alphabetic()).count();
            unspaced.max(usize::from(word.chars().any(char::is_alphanumeric)))
        })
        .sum()
}
