//! The names that a speaker could give itself.

use super::models;
use super::words::{Words, is_apostrophe, is_blank};
use crate::plan::{Hand, Plan, SeatId, words as plain_words};
use std::ops::Range;

/// What may stand before a name and is masked with it.
const ARTICLES: &[&str] = &["the", "a", "an", "your", "this", "our"];
/// What may stand after a seat's name and is masked with it.
const TITLES: &[&str] = &[
    "judge",
    "seat",
    "panelist",
    "panellist",
    "debater",
    "challenger",
    "persona",
    "role",
    "reviewer",
    "agent",
    "expert",
    "member",
    "representative",
    "voice",
    "speaker",
];
/// Words that make a name the name of a seat: nobody says `the risk judge` of anything but the seat.
const SEAT_WORDS: &[&str] = &["judge", "seat", "panelist", "panellist", "debater", "challenger", "persona"];
/// The most words of a role text's heading that count as a name.
const HEADING_WORDS: usize = 4;

/// How sure it is that a name is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// It is a word like any other: `risk`, `operator`.
    Word,
    /// It can only be the seat: `risk judge`.
    Seat,
    /// It is a model.
    Model,
}

/// A name in a text, with its article and title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phrase {
    /// Its place.
    pub(super) span: Range<usize>,
    /// The word after it.
    pub(super) next: usize,
    pub(super) sort: Sort,
    /// Whether `the`, `your`, `this` or `our` stands before it.
    pub(super) is_definite: bool,
    /// Whether `a` or `an` does.
    pub(super) is_indefinite: bool,
}

/// All names of one speaker.
#[derive(Debug)]
pub(super) struct Names {
    seat: Vec<Vec<String>>,
    agent: Vec<Vec<String>>,
    /// Whether the seat's name is what its role text calls it: then the name means a person, not a thing.
    pub(super) means_a_person: bool,
    /// The words of the question and the options: what is debated cannot be a signature.
    debated: Vec<String>,
}

impl Names {
    pub(super) fn of(plan: &Plan, speaker: &SeatId, role_text: &str) -> Self {
        let found = plan.seat(speaker);
        let id = split(speaker.as_str());
        let role = found.map(|seat| split(&seat.role)).unwrap_or_default();
        let heading = role_text.lines().map(str::trim).find(|line| !line.is_empty());
        let mut heading = heading.and_then(|line| line.strip_prefix('#')).map(split).unwrap_or_default();
        if heading.first().is_some_and(|word| ARTICLES.contains(&word.as_str())) {
            heading.remove(0);
        }
        let about_it = heading.iter().any(|word| id.contains(word) || role.contains(word));
        if heading.len() > HEADING_WORDS || !about_it {
            heading.clear();
        }
        let means_a_person = heading == id;
        let mut seat = vec![id, role, heading];
        let agent = match found.map(|seat| &seat.hand) {
            Some(Hand::Agent(name)) if !name.starts_with("rehearsal") && !name.starts_with("scripted") => {
                let model = name.split_once(':').map_or(name.as_str(), |(_, model)| model);
                vec![split(name), split(model)]
            }
            _ => Vec::new(),
        };
        let mut agent: Vec<Vec<String>> = agent.into_iter().filter(|name| !name.is_empty()).collect();
        seat.retain(|name| !name.is_empty());
        // The longest first: `risk judge` before `risk`.
        seat.sort_by_key(|name| std::cmp::Reverse(name.len()));
        agent.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let options = plan.options.iter().flat_map(|option| [&option.label, &option.description]);
        let debated = options.chain([&plan.question]).flat_map(|text| plain_words(text)).collect();
        Self { seat, agent, means_a_person, debated }
    }

    /// Whether the question or an option has this word.
    pub(super) fn is_debated(&self, word: &str) -> bool {
        self.debated.iter().any(|other| other == word)
    }

    /// The name that begins at this word, with its article and title.
    pub(super) fn phrase(&self, words: &Words<'_>, i: usize) -> Option<Phrase> {
        let has_article = words.is(i, ARTICLES) && words.follows_directly(i + 1);
        let first = if has_article { i + 1 } else { i };
        if first >= words.len()
            || words.is_joined(i)
            || words.before(i).ends_with('[')
            || words.before(first).ends_with('[')
        {
            return None;
        }
        let seat = self.seat.iter().find_map(|name| spelled(words, first, name)).map(|next| (next, Sort::Word));
        let agent = self.agent.iter().find_map(|name| spelled(words, first, name)).map(|next| (next, Sort::Model));
        let model = models::model(words, first).map(|next| (next, Sort::Model));
        let (mut next, mut sort) = [seat, agent, model].into_iter().flatten().max_by_key(|(next, _)| *next)?;
        let mut end = words.span(next - 1).end;
        if sort == Sort::Word && words.is(next, TITLES) {
            let gap = words.before(next);
            if is_blank(gap) || gap == "-" {
                end = words.span(next).end;
                next += 1;
            } else if gap.trim_start() == "(" && words.after(next).starts_with(')') {
                end = words.span(next).end + 1;
                next += 1;
            }
        }
        if sort == Sort::Word && (first..next).any(|n| words.is(n, SEAT_WORDS)) {
            sort = Sort::Seat;
        }
        let possessive = is_apostrophe(words.before(next)) && words.at(next) == "s";
        if words.is_joined(next) && !possessive {
            return None;
        }
        // An article outside the emphasis stays outside: `the **[masked]**`.
        let dressed = has_article && words.before(first).contains(['*', '_', '`', '"', '“', '”', '‘']);
        let start = words.span(if dressed { first } else { i }).start;
        let article = if has_article { words.at(i) } else { "" };
        Some(Phrase {
            span: start..end,
            next,
            sort,
            is_definite: has_article && !matches!(article, "a" | "an"),
            is_indefinite: matches!(article, "a" | "an"),
        })
    }
}

fn split(name: &str) -> Vec<String> {
    name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// The word after the name, if it stands here: with blanks, hyphens or what else joins the parts of a name.
fn spelled(words: &Words<'_>, i: usize, name: &[String]) -> Option<usize> {
    let stands = name.iter().enumerate().all(|(n, part)| {
        words.at(i + n) == part && (n == 0 || words.follows_directly(i + n) || words.is_joined(i + n))
    });
    stands.then_some(i + name.len())
}
