//! Whether a text may speak against a thing, where no rule says that it does.
//!
//! No list of the ways to give something up is ever complete. So it is asked the other way round: a text that names the thing,
//! denies or ends something, and says of nothing else, is asked about; so is one that says of it one word of which nobody knows
//! that it leaves the thing as it is.

use super::frame::{alike, is_denial, is_light, says_when};
use super::reading::{
    AFTER, BESIDE, DEEDS, LINKING, OPTION_WORDS, OVERTURNED, OVERTURNING, OVERTURNING_CHOICES, OVERTURNING_WHOLE, Text,
    Thing,
};
use super::reading::{CHOOSING, stem};
use forge_prose::blanks::is_function_word;
use forge_prose::phrases::{Phrases, lines};
use forge_prose::words::{Token, is_unspaced};
use std::sync::LazyLock;

static ENDING: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/ending.txt")));
static ENDING_ROOTS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let roots = lines(include_str!("../../data/ending.txt"));
    roots.filter(|word| word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_lowercase())).collect()
});
static UNDERTAKINGS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/undertakings.txt")));
static CARRIERS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/carriers.txt")));
static UPKEEP: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/upkeep.txt")));

/// Denials of what stands right behind them, and of nothing else: "without Wi-Fi".
const NOUN_DENIALS: [&str; 16] = [
    "no", "without", "kein", "keine", "keinen", "keiner", "ohne", "sans", "sin", "senza", "zonder", "geen", "utan",
    "bez", "sem", "aucun",
];
/// Words that choose what follows them only behind another one: "go with".
const JOINING: [&str; 4] = ["with", "to", "on", "via"];
/// Small words before a place, a time or somebody: what stands there narrows what is said.
const NARROWING: [&str; 31] = [
    "in", "within", "on", "at", "from", "to", "for", "with", "by", "before", "after", "during", "behind", "under",
    "below", "into", "onto", "through", "as", "when", "if", "unless", "while", "until", "im", "auf", "für", "bei",
    "dans", "en", "para",
];

/// Words that begin a reason.
const BECAUSE: [&str; 5] = ["because", "since", "weil", "porque", "parce"];

/// Whether a word is said of things that stay.
pub(super) fn is_kept_up(word: &str) -> bool {
    UPKEEP.has_word(word)
}

/// What a word of a text is, where it is asked whether the text speaks against a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A word of the thing.
    Own,
    /// A word of what it was chosen for.
    Beside,
    Denial,
    Ending,
    /// A word that chooses the thing right behind it.
    Choosing,
    /// It says nothing of its own.
    Small,
    /// A figure or a time.
    Figure,
    /// Something else is said.
    Other,
}

impl Text {
    /// Whether a text may speak against a thing: see the module.
    pub(super) fn may_end(&self, thing: &Thing) -> bool {
        self.may_deny(thing) || self.says_one_word(&self.parts_around(thing), thing)
    }

    /// Whether a text, or a clause of it, denies or ends a thing, and says of nothing else.
    pub(super) fn may_deny(&self, thing: &Thing) -> bool {
        let parts = self.parts_around(thing);
        let cuts = |token: &Token| (token.is_mark && token.text != ":") || BECAUSE.contains(&token.text.as_str());
        let ends = |before: usize, at: usize| self.all[before..at].iter().any(cuts);
        let mut clauses = parts.chunk_by(|before, next| !ends(before.0, next.0));
        self.is_about_an_end(&parts, thing) || clauses.any(|clause| self.is_about_an_end(clause, thing))
    }

    /// Whether a word that ends something stands beside a thing or what it runs on: `Decommission the Vault cluster`, `The Redis
    /// cluster can be shut down`. Where it is narrowed, it ends only that: `Halt the boards during updates`.
    pub(super) fn ends_beside(&self, thing: &Thing) -> bool {
        let own = |at: usize| thing.has_key(&stem(&self.plain[at]));
        let ending = |at: usize, lists: [&Phrases; 3]| {
            let length = lists.into_iter().map(|list| list.at(&self.plain[at..])).max().unwrap_or(0);
            let is_denied = at > 0 && is_denial(&self.plain[at - 1]);
            let is_plain = !is_denied && !is_denial(&self.plain[at]) && !thing.has_word(&stem(&self.plain[at]));
            (length > 0 && is_plain).then_some(length)
        };
        let is_small = |at: usize| {
            let word = &self.plain[at];
            let narrows = self.all[at].is_mark || NARROWING.contains(&word.as_str());
            !narrows && (is_function_word(word) || is_light(word) || BESIDE.has_word(word) || LINKING.has_word(word))
        };
        let goes_on = |end: usize| self.plain.get(end).is_some_and(|_| !self.all[end].is_mark && !is_small(end));
        (0..self.plain.len()).filter(|at| own(*at) && (*at == 0 || !own(at - 1))).any(|from| {
            let length = (from..self.plain.len()).take_while(|at| own(*at)).count();
            let carrier = CARRIERS.at(&self.plain[from + length..]);
            let end = from + length + carrier;
            let rest = self.plain.get(end..).unwrap_or_default();
            let stops =
                rest.first().is_none_or(|next| self.all[end].is_mark || (AFTER.at(rest) > 0 && !is_denial(next)));
            let begins = (0..from).rev().find(|at| !is_small(*at)).map_or(0, |at| at + 1);
            let small = (end..self.plain.len()).take_while(|at| is_small(*at)).count();
            let before = (0..begins).any(|at| {
                ending(at, [&ENDING, &OVERTURNING, &OVERTURNING_CHOICES]).is_some_and(|length| at + length == begins)
            });
            let behind = (end..=end + small).filter(|at| *at < self.plain.len()).any(|at| {
                ending(at, [&ENDING, &OVERTURNED, &OVERTURNED])
                    .is_some_and(|length| (at > end || length > 1) && !goes_on(at + length))
            });
            self.names(thing) && ((before && (carrier > 0 || stops)) || (behind && begins == 0))
        })
    }

    /// Whether a text may speak against the decision with an id.
    pub(super) fn may_end_id(&self, id: &str) -> bool {
        let its: Vec<usize> = self.ids(id).flat_map(|(at, length)| at..at + length).collect();
        let parts = self.parts(&|at| its.contains(&at).then_some(Part::Own));
        let ends = parts.iter().any(|(_, part)| matches!(part, Part::Denial | Part::Ending));
        !its.is_empty() && ends && !is_taken_back(&parts) && parts.iter().all(|(_, part)| *part != Part::Other)
    }

    /// Whether a text says of nothing but options by their letters, and names one of these: `Not A but C`.
    pub(super) fn names_only_letters(&self, letters: &[String]) -> bool {
        let is_letter = |at: usize| self.all[at].is_capital && self.plain[at].chars().count() == 1;
        let named = |at: usize| is_letter(at) && letters.iter().any(|one| one.eq_ignore_ascii_case(&self.plain[at]));
        let parts = self.parts(&|at| (is_letter(at) || OPTION_WORDS.has_word(&self.plain[at])).then_some(Part::Own));
        parts.iter().any(|(at, _)| named(*at)) && parts.iter().all(|(_, part)| *part != Part::Other)
    }

    fn parts_around(&self, thing: &Thing) -> Vec<(usize, Part)> {
        self.parts(&|at| {
            let word = stem(&self.plain[at]);
            match thing.has_word(&word) {
                true => Some(Part::Own),
                false if word.strip_prefix("un").is_some_and(|rest| thing.has_word(rest)) => Some(Part::Denial),
                false => thing.is_around(&word).then_some(Part::Beside),
            }
        })
    }

    fn is_about_an_end(&self, parts: &[(usize, Part)], thing: &Thing) -> bool {
        let count = |wanted: Part| parts.iter().filter(|(_, part)| *part == wanted).count();
        let (denies, ends) = (count(Part::Denial) > 0, count(Part::Ending) > 0);
        let is_kept = parts.windows(2).enumerate().any(|(at, two)| {
            let is_denied = at > 0 && parts[at - 1].1 == Part::Denial;
            two[0].1 == Part::Choosing && two[1].1 == Part::Own && !is_denied
        });
        // Of a title alone nobody knows which part of it was chosen.
        let is_named = count(Part::Own) > 0 || (thing.is_title && count(Part::Beside) > 0);
        // `The nightly digest mail is descoped`: one word before the thing narrows it, and ends it all the same.
        if let [(at, part @ (Part::Other | Part::Figure)), rest @ ..] = parts
            && rest.first().is_some_and(|(own, part)| *part == Part::Own && *own == at + 1)
            && rest.iter().all(|(_, part)| *part != Part::Other)
            && (*part == Part::Figure || self.has_all(thing))
            // Of several some may go: `Expired JWTs are dropped`.
            && stem(&self.plain[at + 1]) == self.plain[at + 1]
        {
            return self.is_about_an_end(rest, thing);
        }
        if is_kept || is_taken_back(parts) || count(Part::Figure) > 0 || !is_named {
            return false;
        }
        match parts.iter().find(|(_, part)| *part == Part::Other) {
            None => denies || ends,
            Some((at, _)) => {
                let noun = |(at, part): &(usize, Part)| {
                    *part == Part::Denial && !NOUN_DENIALS.contains(&self.plain[*at].as_str())
                };
                let denies = parts.iter().any(noun);
                let is_only = count(Part::Other) == 1 && !self.is_narrowing(*at) && UPKEEP.at(&self.plain[*at..]) == 0;
                denies && !ends && is_only && self.has_all(thing)
            }
        }
    }

    /// Whether a text says one word of a thing of which nobody knows that it leaves it as it is.
    fn says_one_word(&self, parts: &[(usize, Part)], thing: &Thing) -> bool {
        let mut others = parts.iter().filter(|(_, part)| !matches!(part, Part::Own | Part::Beside));
        let (Some((at, Part::Other)), None) = (others.next(), others.next()) else { return false };
        let is_small = |word: &String| is_function_word(word) || LINKING.has_word(word);
        let own = |(place, part): &&(usize, Part)| matches!(part, Part::Own | Part::Beside) && place < at;
        let behind = parts.iter().rfind(own).map_or(0, |(place, _)| place + 1);
        let is_last = behind > 0 && *at + 1 >= self.plain.len() && self.plain[behind..*at].iter().all(is_small);
        let is_mark = |token: &Token| token.is_mark && token.text != ":";
        let is_first = self.plain[..*at].iter().all(is_small);
        self.has_all(thing)
            && (is_first || is_last)
            && UPKEEP.at(&self.plain[*at..]) == 0
            && !self.all.iter().any(is_mark)
            && !self.plain.iter().any(|word| NARROWING.contains(&word.as_str()))
    }

    /// Whether a word narrows what is said: `to staff`.
    fn is_narrowing(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| NARROWING.contains(&self.plain[before].as_str()))
    }

    /// The words of a text by what they say; those that say nothing are left out.
    fn parts(&self, known: &dyn Fn(usize) -> Option<Part>) -> Vec<(usize, Part)> {
        let mut parts: Vec<(usize, Part)> = Vec::new();
        let mut at = 0;
        while at < self.plain.len() {
            let (part, length) = self.part(at, known);
            // What is written without blanks is one word.
            let goes_on = part == Part::Other
                && self.plain[at].starts_with(is_unspaced)
                && parts.last().is_some_and(|(before, last)| *last == Part::Other && *before + 1 == at);
            if part != Part::Small && !goes_on {
                parts.push((at, part));
            }
            at += length;
        }
        // A denial of something else denies nothing of the thing: `without Wi-Fi`, `mail, not SMS`.
        let noun = |at: usize| {
            let is_contrast = at > 0 && self.all[at - 1].is_mark;
            is_contrast || NOUN_DENIALS.contains(&self.plain[at].as_str())
        };
        let others: Vec<usize> = (0..parts.len())
            .filter(|i| parts[*i].1 == Part::Denial && noun(parts[*i].0))
            .filter(|i| parts.get(i + 1).is_some_and(|next| next.1 == Part::Other))
            .collect();
        others.into_iter().for_each(|i| parts[i].1 = Part::Other);
        parts
    }

    fn part(&self, at: usize, known: &dyn Fn(usize) -> Option<Part>) -> (Part, usize) {
        let (rest, word) = (&self.plain[at..], self.plain[at].as_str());
        let known_part = known(at);
        if let Some(part) = known_part.filter(|part| *part != Part::Beside) {
            return (part, 1);
        }
        let lists = [&ENDING, &OVERTURNED, &OVERTURNING, &OVERTURNING_CHOICES, &OVERTURNING_WHOLE];
        let ending = lists.into_iter().map(|list| list.at(rest)).max().unwrap_or(0);
        if let length @ 1.. = CHOOSING.at(rest)
            && length > ending
            && !JOINING.contains(&word)
        {
            return (Part::Choosing, length);
        }
        if let Some(part) = known_part {
            return (part, 1);
        }
        if ending > 1 && (0..ending).all(|i| known(at + i).is_none()) {
            return (if is_denial(word) { Part::Denial } else { Part::Ending }, ending);
        }
        if is_denial(word) {
            return (Part::Denial, 1);
        }
        if ending > 0 || ENDING_ROOTS.iter().any(|root| alike(root, word)) {
            return (Part::Ending, 1);
        }
        let small = [&LINKING, &BESIDE, &DEEDS, &UNDERTAKINGS].into_iter().map(|list| list.at(rest)).max().unwrap_or(0);
        if small > 0 || self.all[at].is_mark || is_function_word(word) || is_light(word) || NARROWING.contains(&word) {
            return (Part::Small, small.max(1));
        }
        let part = if says_when(word) { Part::Figure } else { Part::Other };
        (part, 1)
    }
}

/// Whether what ends something is denied: `Do not drop it`.
fn is_taken_back(parts: &[(usize, Part)]) -> bool {
    parts.windows(2).any(|two| two[0].1 == Part::Denial && two[1].1 == Part::Ending)
}
