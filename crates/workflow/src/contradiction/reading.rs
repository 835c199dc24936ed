//! Whether a text turns down, keeps or puts forward a thing.

use super::frame::{Frame, alike};
use crate::extract::ids::same_id;
use forge_prose::blanks::is_function_word;
use forge_prose::phrases::{Phrases, lines};
use forge_prose::words::{Token, is_unspaced, tokens, words};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

macro_rules! lists {
    ($($name:ident = $file:literal),+ $(,)?) => {
        $(pub(super) static $name: LazyLock<Phrases> =
            LazyLock::new(|| Phrases::of(include_str!(concat!("../../data/", $file))));)+
    };
}

lists! {
    OVERTURNING = "overturning.txt",
    OVERTURNING_CHOICES = "overturning-choices.txt",
    OVERTURNING_WHOLE = "overturning-whole.txt",
    OVERTURNING_IDS = "overturning-ids.txt",
    OVERTURNED = "overturned.txt",
    KEEPING = "keeping.txt",
    BESIDE = "beside-objects.txt",
    AFTER = "after-objects.txt",
    AFTER_CHOICES = "after-choices.txt",
    WHOLES = "wholes.txt",
    LINKING = "linking.txt",
    CHOOSING = "choosing.txt",
    KEPT = "kept.txt",
    OVERTURNING_DEEDS = "overturning-deeds.txt",
    DEEDS = "deeds.txt",
    MOVING = "moving.txt",
    AWAY = "away-from.txt",
    SETTLING = "settling.txt",
    VERBS = "verbs.txt",
    MOVING_ANYWHERE = "moving-anywhere.txt",
    OPTION_WORDS = "option-words.txt",
    BESIDE_LETTERS = "beside-letters.txt",
    FOR_NEED = "for-need.txt",
    BETTER = "better.txt",
}

/// Words that take back what follows them.
const DENIALS: [&str; 5] = ["not", "without", "never", "cannot", "nor"];
/// Words before a place: what follows them narrows a thing, unless the place is all of it.
const NARROWING: [&str; 5] = ["from", "in", "on", "inside", "within"];
/// Words that turn down what follows them only of what stands before them: "auth without JWT".
const BETWEEN: [&str; 4] = ["without", "ohne", "sin", "sans"];
/// Words behind a thing that say for whom or with what, and so leave the rest of it.
const JOINING: [&str; 16] =
    ["for", "to", "with", "by", "or", "as", "als", "für", "durch", "mit", "pour", "par", "avec", "para", "por", "con"];
/// Words before where somebody goes.
const TO: [&str; 22] = [
    "to", "into", "onto", "zu", "nach", "auf", "à", "vers", "a", "hacia", "para", "naar", "na", "do", "till", "til",
    "на", "к", "到", "へ", "に", "为",
];
/// Words that join two statements.
const JOINTS: [&str; 9] = ["and", "but", "so", "that", "because", "since", "then", "把", "将"];

/// How far behind a thing that is left stands where somebody goes.
const NEAR: usize = 4;

/// A thing by its words.
#[derive(Debug, Clone)]
pub(super) struct Thing {
    /// The words that tell it apart, as stems.
    keys: BTreeSet<String>,
    /// All words of its name, as stems.
    name: BTreeSet<String>,
    /// The words that may stand beside these.
    around: BTreeSet<String>,
    /// Whether a title is all that is known of it.
    pub(super) is_title: bool,
}

impl Thing {
    /// An option, told apart from others by what these do not have.
    pub(super) fn option(label: &str, others: &[String]) -> Self {
        let head = content(head(label));
        let theirs: BTreeSet<String> = others.iter().flat_map(|other| content(other)).collect();
        let own: BTreeSet<String> = head.difference(&theirs).cloned().collect();
        Self {
            keys: if own.is_empty() { head.clone() } else { own },
            name: head,
            around: content(label),
            is_title: false,
        }
    }

    /// What a title says was chosen: `Use JWT for auth`, `Remind by mail`, `Refresh token rotation`.
    pub(super) fn titled(title: &str, frame: Option<&Frame>) -> Self {
        let named = frame.map_or_else(|| content(head(answer(title))), |frame| frame.object.clone());
        // A name in letters tells it apart from what stands around it without a blank.
        let lettered: BTreeSet<String> = named.iter().filter(|word| !word.starts_with(is_unspaced)).cloned().collect();
        // One without two sides is about all that it says.
        let name = if frame.is_some() { named.clone() } else { content(answer(title)) };
        Self { keys: if lettered.is_empty() { named } else { lettered }, name, around: content(title), is_title: true }
    }

    /// What a title is about, apart from what was chosen.
    pub(super) fn question(title: &str, chosen: &[String]) -> Self {
        let chosen: BTreeSet<String> = chosen.iter().flat_map(|label| content(label)).collect();
        let rest: BTreeSet<String> = content(title).difference(&chosen).cloned().collect();
        Self { keys: rest.clone(), name: rest.clone(), around: rest, is_title: false }
    }

    /// The same with the words of a title beside it.
    pub(super) fn among(mut self, title: &str) -> Self {
        self.around.extend(content(title));
        self
    }

    pub(super) fn has_word(&self, word: &str) -> bool {
        self.name.iter().chain(&self.keys).any(|own| alike(own, word))
    }

    pub(super) fn has_key(&self, word: &str) -> bool {
        self.keys.iter().any(|own| alike(own, word))
    }

    pub(super) fn is_around(&self, word: &str) -> bool {
        self.around.iter().any(|own| alike(own, word))
    }

    /// How many of its own words must be there for it to be meant.
    fn enough(&self) -> usize {
        self.keys.len().div_ceil(2).max(1)
    }
}

/// What follows a question or a subject: `JSON` of `Which format? JSON`, of `Store chats: JSON`.
pub(super) fn answer(title: &str) -> &str {
    let cut = ["? ", ": "].into_iter().filter_map(|mark| title.rfind(mark)).max().map(|at| at + 2);
    cut.and_then(|at| title.get(at..)).filter(|rest| !rest.trim().is_empty()).unwrap_or(title)
}

/// The beginning of a text that names the thing: without a word that chooses before it, and up to a small word behind it.
fn head(text: &str) -> &str {
    let all = tokens(text);
    let plain: Vec<&str> = all.iter().map(|token| token.text.as_str()).collect();
    let mut from = 0;
    while from < all.len() {
        let skipped = CHOOSING.at(&plain[from..]).max(usize::from(is_small(&all[from])));
        if skipped == 0 {
            break;
        }
        from += skipped;
    }
    let joins = |token: &Token| matches!(token.text.as_str(), "-" | "/" | "." | "'" | "`" | "*" | "\"");
    let ends = |token: &&Token| is_small(token) || (token.is_mark && !joins(token));
    let end = all.iter().skip(from).find(ends).map_or(text.len(), |token| token.at.start);
    let start = all.get(from).map_or(0, |token| token.at.start);
    text.get(start..end).filter(|part| !part.trim().is_empty()).unwrap_or(text)
}

fn is_small(token: &Token) -> bool {
    !token.is_mark && is_function_word(&token.text)
}

/// The words of a text that say something, as stems.
pub(super) fn content(text: &str) -> BTreeSet<String> {
    words(text).iter().filter(|word| !is_function_word(word)).map(|word| stem(word)).collect()
}

static ALIASES: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
    let named = lines(include_str!("../../data/aliases.txt")).filter_map(|line| line.split_once(' '));
    named.flat_map(|(name, others)| others.split(' ').map(move |other| (other, name))).collect()
});

/// A word without the `s` of a plural, of several names for one thing the one it is known by.
pub(super) fn stem(word: &str) -> String {
    let word = ALIASES.get(word).copied().unwrap_or(word);
    match word.strip_suffix('s') {
        Some(rest) if rest.chars().count() >= 2 && !rest.ends_with(['s', 'u', 'i']) => rest.to_owned(),
        _ => word.to_owned(),
    }
}

/// How much of a thing must be turned down for it to count.
#[derive(Debug, Clone, Copy)]
enum Reach {
    /// Whatever follows.
    Any,
    /// One use of it.
    Part,
    /// All of it.
    Whole,
}

/// A text taken apart into words and marks.
pub(super) struct Text {
    pub(super) all: Vec<Token>,
    pub(super) plain: Vec<String>,
}

impl Text {
    pub(super) fn of(text: &str) -> Self {
        // Hyphens join words, and emphasis and code marks say nothing.
        let is_silent =
            |token: &Token| token.is_mark && matches!(token.text.as_str(), "-" | "*" | "_" | "`" | "\"" | "'");
        let text = text.replace("->", "→").replace("=>", "→");
        let all: Vec<Token> = tokens(&text).into_iter().filter(|token| !is_silent(token)).collect();
        let plain = all.iter().map(|token| token.text.clone()).collect();
        Self { all, plain }
    }

    /// Where an id stands, and its length.
    pub(super) fn ids<'t>(&'t self, id: &str) -> impl Iterator<Item = (usize, usize)> + 't {
        let wanted: Vec<String> = words(id);
        // `D-1` and `Decision 1` are `D1`.
        let bare = id.trim_start_matches(|c: char| c.is_ascii_alphabetic()).to_owned();
        (0..self.plain.len()).filter_map(move |at| {
            let same = |here: &[String]| here.iter().zip(&wanted).all(|(here, wanted)| same_id(here, wanted));
            let apart = |here: &[String]| ["d", "decision"].contains(&here[0].as_str()) && here[1] == bare;
            let stands = |length: usize, same: &dyn Fn(&[String]) -> bool| {
                self.plain.get(at..at + length).filter(|here| length > 0 && same(here)).map(|_| (at, length))
            };
            stands(wanted.len(), &same).or_else(|| stands(2, &apart))
        })
    }

    /// Whether a decision is turned down by its id.
    pub(super) fn turns_down_id(&self, id: &str) -> bool {
        self.ids(id).any(|(at, length)| {
            let before = self.before_listed(at);
            let turned = |list: &Phrases| self.ends_with(list, before).is_some_and(|start| !self.is_denied(start));
            [&OVERTURNING, &OVERTURNING_CHOICES, &OVERTURNING_IDS, &OVERTURNING_WHOLE]
                .into_iter()
                .any(|list| turned(list))
                || self.is_turned_down_after(at, at + length)
        })
    }

    /// Whether a text says that a decision stands.
    pub(super) fn keeps_id(&self, id: &str) -> bool {
        self.ids(id).any(|(at, length)| {
            let mark = self.plain.get(at + length).is_some_and(|mark| mark == ":");
            let after = self.plain.get(at + length + usize::from(mark)..).unwrap_or_default();
            self.ends_with(&KEEPING, self.before_listed(at)).is_some() || KEPT.at(after) > 0
        })
    }

    /// Whether a text begins with a decision's id.
    pub(super) fn begins_with_id(&self, id: &str) -> bool {
        self.ids(id).next().is_some_and(|(at, _)| at == 0)
    }

    /// Whether a text has no word that says something which another has not.
    pub(super) fn says_no_more_than(&self, other: &str) -> bool {
        let known = content(other);
        let telling = self.all.iter().filter(|token| !token.is_mark && !is_function_word(&token.text));
        telling.map(|token| stem(&token.text)).all(|word| known.contains(&word))
    }

    /// Whether a text names a decision, and has a word that turns something down somewhere else.
    pub(super) fn may_turn_down_id(&self, id: &str) -> bool {
        let turns =
            |list: &Phrases| (0..self.plain.len()).any(|at| list.at(&self.plain[at..]) > 0 && !self.is_denied(at));
        self.ids(id).next().is_some()
            && [&OVERTURNING, &OVERTURNING_CHOICES, &OVERTURNED].into_iter().any(|list| turns(list))
    }

    /// The place before an id, over other ids that are listed with it and words such as `decision`.
    fn before_listed(&self, at: usize) -> usize {
        let is_id = |word: &str| word.starts_with('d') && word.ends_with(|c: char| c.is_ascii_digit());
        let skips = |word: &str| is_id(word) || matches!(word, "," | "and" | "or" | ":" | "&") || BESIDE.has_word(word);
        let mut end = at;
        while end > 0 && skips(&self.plain[end - 1]) {
            end -= 1;
        }
        end
    }

    /// Where a phrase of a list begins that ends at a place.
    fn ends_with(&self, list: &Phrases, end: usize) -> Option<usize> {
        const LONGEST: usize = 5;
        (end.saturating_sub(LONGEST)..end).find(|start| list.at(&self.plain[*start..end]) == end - start)
    }

    fn is_denied(&self, start: usize) -> bool {
        start.checked_sub(1).is_some_and(|before| DENIALS.contains(&self.plain[before].as_str()))
    }

    /// Whether what stands between two places is then said to be out. A single word right behind it says so only where it is
    /// what the text or the clause begins with: `JWT dropped`, but not `turn the mail off`.
    fn is_turned_down_after(&self, from: usize, end: usize) -> bool {
        let begins = from.checked_sub(1).is_none_or(|before| self.all[before].is_mark);
        let rest: Vec<&str> = self.plain.get(end..).unwrap_or_default().iter().map(String::as_str).collect();
        if begins && matches!(rest.as_slice(), [":", "no" | "none" | "never" | "nein" | "non" | "nie" | "нет"]) {
            return true;
        }
        if begins && rest.first().is_some_and(|next| matches!(*next, "→" | "⇒")) {
            return true;
        }
        let mut at =
            end + usize::from(self.plain.get(end).is_some_and(|mark| matches!(mark.as_str(), ":" | ")" | "—")));
        loop {
            let rest = self.plain.get(at..).unwrap_or_default();
            match OVERTURNED.at(rest) {
                0 => {}
                // `Mail over SMS` prefers it.
                1 => return (begins || at > end) && !(rest[0] == "over" && rest.len() > 1),
                _ => return true,
            }
            match LINKING.at(rest) {
                // `Redis durch Postgres ersetzen`
                0 if begins && rest.first().is_some_and(|next| ["durch", "gegen"].contains(&next.as_str())) => {
                    return rest.last().is_some_and(|last| OVERTURNED.has_word(last));
                }
                0 => return false,
                length => at += length,
            }
        }
    }

    /// Whether a thing is turned down.
    pub(super) fn turns_down(&self, thing: &Thing) -> bool {
        let is_object = |at: usize| {
            let rest = &self.plain[at..];
            // The longest counts: "not use" is one word longer than "not".
            let lists =
                [(&OVERTURNING_CHOICES, Reach::Any), (&OVERTURNING, Reach::Part), (&OVERTURNING_WHOLE, Reach::Whole)];
            let found =
                lists.into_iter().map(|(list, reach)| (list.at(rest), reach)).rev().max_by_key(|(length, _)| *length);
            let Some((length, reach)) = found.filter(|(length, _)| *length > 0) else { return false };
            // `Revert to mail` goes for it.
            let chooses = CHOOSING.at(rest) > length;
            let applies = !chooses && !BETWEEN.contains(&rest[0].as_str())
                || at.checked_sub(1).is_some_and(|before| thing.around.contains(&stem(&self.plain[before])));
            let from = at + length;
            // One word may stand before a name of several: `the weekly digest mail`.
            let is_more = thing.keys.len() > 1 && !matches!(reach, Reach::Whole);
            let further = from + 1 + usize::from(BESIDE.at(self.plain.get(from..).unwrap_or_default()) > 0);
            let stands = self.is_object(from, thing, reach) || (is_more && self.is_object(further, thing, reach));
            applies && !self.is_denied(at) && stands
        };
        (0..self.plain.len())
            .any(|at| is_object(at) || self.is_ended(at, thing) || self.is_subject_turned_down(at, thing))
            || self.is_left(thing)
    }

    /// How many words from a place on are those that the locked decision itself has before the thing: `deploy to`.
    fn own_words(&self, from: usize, thing: &Thing) -> usize {
        let rest = self.plain.get(from..).unwrap_or_default();
        let is_own = |word: &String| thing.around.contains(&stem(word)) && !thing.keys.contains(&stem(word));
        let length = rest.iter().take_while(|word| is_own(word) || is_function_word(word)).count();
        if rest.first().is_some_and(is_own) { length } else { 0 }
    }

    /// Whether a thing is left for another: `Move sessions from Redis to Postgres`.
    fn is_left(&self, thing: &Thing) -> bool {
        let goes = |end: usize| self.plain.get(end).is_some_and(|next| TO.contains(&next.as_str()));
        let leaves = |at: usize| {
            let length = AWAY.at(&self.plain[at..]);
            let (hits, end) = self.run(at + length, thing);
            let far = ["off", "away", "out"].contains(&self.plain[at].as_str()) && end == self.plain.len();
            length > 0 && hits.len() >= thing.enough() && (goes(end) || far)
        };
        let moves_on = |at: usize| {
            let length = AWAY.at(&self.plain[at..]);
            let (hits, end) = self.run(at + length, thing);
            let rest = self.plain.get(end..).unwrap_or_default();
            // `from Postgres 15 to 16` stays with it.
            let is_version = rest.first().is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit()));
            let behind = self.plain.get(at + length..self.plain.len().min(end + NEAR)).unwrap_or_default();
            let near = behind.iter().any(|word| TO.contains(&word.as_str()));
            length > 0 && hits.len() >= thing.enough() && near && !is_version
        };
        let moves_anywhere = MOVING_ANYWHERE.find(&self.plain).is_some();
        (MOVING.at(&self.plain) > 0 && (1..self.plain.len()).any(leaves))
            || (moves_anywhere && (0..self.plain.len()).any(|at| moves_on(at) || self.is_left_behind(at, thing)))
    }

    /// `PostgresからSQLiteへ移行`: what is left stands before the small word.
    fn is_left_behind(&self, from: usize, thing: &Thing) -> bool {
        let (hits, end) = self.run(from, thing);
        let rest = self.plain.get(end..).unwrap_or_default();
        let is_from = matches!(rest, [first, second, ..] if first == "か" && second == "ら")
            || matches!(rest, [first, second, ..] if first == "에" && second == "서");
        hits.len() >= thing.enough() && is_from
    }

    /// The letter or number of the option that a text chooses: `Option B`, `we go with B instead`. None where it says more
    /// than a title that is known.
    pub(super) fn option_letter(&self, known: &str) -> Option<String> {
        let is_letter = |token: &Token| {
            let is_one = token.text.chars().count() == 1;
            is_one && (token.is_capital || token.text.starts_with(|c: char| c.is_ascii_digit()))
        };
        let at = (1..self.all.len()).find(|at| {
            let ends = self.all.get(at + 1).is_none_or(|next| next.is_mark || BESIDE_LETTERS.has_word(&next.text));
            let is_named = self.ends_with(&OPTION_WORDS, *at).is_some();
            let is_chosen = self.ends_with(&CHOOSING, *at).is_some() && self.all[*at].is_capital && ends;
            is_letter(&self.all[*at]) && (is_named || is_chosen)
        })?;
        let known = content(known);
        let says_more = |place: usize| {
            let token = &self.all[place];
            let rest = &self.plain[place..];
            let is_beside = BESIDE_LETTERS.at(rest) > 0 || OPTION_WORDS.at(rest) > 0 || CHOOSING.at(rest) > 0;
            place != at
                && !token.is_mark
                && !is_function_word(&token.text)
                && !is_beside
                && !known.contains(&stem(&token.text))
        };
        (!(0..self.all.len()).any(says_more)).then(|| self.plain[at].clone())
    }

    /// Whether what is done with a thing ends: `stop sending the mail`, `no mail is sent`. What narrows it takes that back.
    fn is_ended(&self, at: usize, thing: &Thing) -> bool {
        let length = OVERTURNING_DEEDS.at(&self.plain[at..]);
        if length == 0 || self.is_denied(at) {
            return false;
        }
        let from = at + length;
        let deed = DEEDS.at(self.plain.get(from..).unwrap_or_default()).max(self.own_words(from, thing));
        let (hits, mut end) = self.run(from + deed, thing);
        if deed == 0 {
            let rest = self.plain.get(end..).unwrap_or_default();
            let linked = LINKING.at(rest);
            let done = DEEDS.at(rest.get(linked..).unwrap_or_default());
            if linked == 0 || done == 0 {
                return false;
            }
            end += linked + done;
        }
        let rest = self.plain.get(end..).unwrap_or_default();
        let whole = rest
            .first()
            .is_none_or(|next| self.all[end].is_mark || (AFTER.at(rest) > 0 && !JOINING.contains(&next.as_str())))
            || rest.iter().all(|word| is_function_word(word) || thing.around.contains(&stem(word)));
        hits.len() >= thing.enough() && whole
    }

    /// The words of a thing from a place on, with those beside it: which of its own there are, and where they end.
    fn run(&self, from: usize, thing: &Thing) -> (BTreeSet<String>, usize) {
        let mut hits = BTreeSet::new();
        let mut at = from;
        while let Some(token) = self.all.get(at).filter(|token| !token.is_mark) {
            let word = stem(&token.text);
            let beside = BESIDE.at(&self.plain[at..]);
            if thing.keys.contains(&word) {
                hits.insert(word);
                at += 1;
            } else if thing.around.contains(&word) {
                at += 1;
            } else if beside > 0 {
                at += beside;
            } else {
                break;
            }
        }
        (hits, at)
    }

    /// Whether a thing stands here, and is not only part of the name of another.
    fn is_object(&self, from: usize, thing: &Thing, reach: Reach) -> bool {
        let (hits, end) = self.run(from, thing);
        if hits.len() < thing.enough() {
            return false;
        }
        let rest = self.plain.get(end..).unwrap_or_default();
        let Some(next) = rest.first() else { return true };
        let goes_on = match reach {
            Reach::Any => AFTER.at(rest) > 0 || AFTER_CHOICES.has_word(next) || is_function_word(next),
            Reach::Part => AFTER.at(rest) > 0,
            Reach::Whole => AFTER.at(rest) > 0 && next != "for",
        };
        if self.all[end].is_mark || goes_on {
            return true;
        }
        let mut place = rest.iter().skip(1).skip_while(|word| BESIDE.has_word(word) && !WHOLES.has_word(word));
        NARROWING.contains(&next.as_str()) && place.next().is_some_and(|word| WHOLES.has_word(word))
    }

    /// Whether a thing is named from here on, and then said to be out: `JWT is dropped`.
    fn is_subject_turned_down(&self, from: usize, thing: &Thing) -> bool {
        let begins = from == 0 || {
            let before = &self.plain[from - 1];
            self.all[from - 1].is_mark || JOINTS.contains(&before.as_str())
        };
        let (hits, end) = self.run(from, thing);
        begins && hits.len() >= thing.enough() && self.is_turned_down_after(from, end)
    }

    /// Whether a thing is named.
    pub(super) fn names(&self, thing: &Thing) -> bool {
        let stems: BTreeSet<String> = self.plain.iter().map(|word| stem(word)).collect();
        !thing.keys.is_empty() && thing.keys.intersection(&stems).count() >= thing.enough()
    }

    /// Whether a thing is named in full and by a name: one of several words, or with a capital and no everyday word.
    pub(super) fn names_as_name(&self, thing: &Thing) -> bool {
        let is_name = |(at, token): (usize, &Token)| {
            token.is_capital && thing.keys.contains(&stem(&token.text)) && !(at == 0 && VERBS.has_word(&token.text))
        };
        self.has_all(thing) && (thing.name.len() > 1 || self.all.iter().enumerate().any(is_name))
    }

    /// Whether a word in it chooses something.
    pub(super) fn chooses(&self) -> bool {
        CHOOSING.find(&self.plain).is_some()
    }

    /// Whether a text says that something goes on somewhere as it did: `Postcards stay in the museum shop`.
    pub(super) fn leaves_where_it_is(&self) -> bool {
        const STAYS: [&str; 10] =
            ["keep", "keeps", "stay", "stays", "remain", "remains", "bleibt", "bleiben", "weiterhin", "reste"];
        const PLACES: [&str; 8] = ["in", "on", "at", "for", "im", "für", "dans", "pour"];
        let place = |wanted: &[&str]| self.plain.iter().position(|word| wanted.contains(&word.as_str()));
        place(&STAYS).zip(place(&PLACES)).is_some_and(|(stays, place)| stays < place)
    }

    /// Whether every word of a thing is there.
    pub(super) fn has_all(&self, thing: &Thing) -> bool {
        let stems: BTreeSet<String> = self.plain.iter().map(|word| stem(word)).collect();
        !thing.keys.is_empty() && thing.keys.is_subset(&stems)
    }

    /// Whether all of a thing is named, and as one that could be chosen: a single everyday word counts only as a name, behind
    /// a word that chooses, or in a text on the same question.
    pub(super) fn puts_forward(&self, thing: &Thing, question: &Thing) -> bool {
        let stems: Vec<String> = self.plain.iter().map(|word| stem(word)).collect();
        if thing.name.is_empty() || !thing.name.iter().all(|word| stems.contains(word)) {
            return false;
        }
        if thing.name.len() > 1 || stems.iter().any(|word| question.keys.iter().any(|own| alike(own, word))) {
            return true;
        }
        (0..stems.len()).filter(|at| thing.keys.contains(&stems[*at])).any(|at| {
            let rest = self.plain.get(at + 1..).unwrap_or_default();
            let ends = rest.first().is_none_or(|_| self.all[at + 1].is_mark);
            let ends_settled =
                self.ends_with(&SETTLING, self.plain.len()).is_some_and(|from| from > at && rest.len() > 1);
            if SETTLING.at(rest) > 0 || ends_settled {
                return true;
            }
            // `Buy a domain` and `Wait 5 seconds` begin with a capital because they begin.
            // So does `Wait for the holidays`.
            let is_deed = at == 0 && !ends && VERBS.has_word(&self.plain[at]);
            let is_name = self.all[at].is_capital && !is_deed && (at > 0 || ends || AFTER.at(rest) > 0);
            // `Use a courier`
            let article = (0..at).rev().take_while(|before| BESIDE.has_word(&self.plain[*before])).last().unwrap_or(at);
            let chosen = self.ends_with(&CHOOSING, article);
            // `Keep SMS for staff alarms` is about something else.
            let aside = chosen.is_some_and(|start| self.plain[start].starts_with("keep"))
                && rest.first().is_some_and(|next| next == "for");
            (is_name || chosen.is_some()) && !aside
        })
    }

    /// Whether a thing is only what there is if another fails: `SMS as a fallback`.
    pub(super) fn is_for_need(&self) -> bool {
        FOR_NEED.find(&self.plain).is_some()
    }

    /// Whether a name is written as one word: `TextBlast`.
    pub(super) fn has_joined(&self, name: &str) -> bool {
        const LEAST: usize = 5;
        let parts = words(name);
        let joined = parts.concat();
        parts.len() > 1 && joined.chars().count() >= LEAST && self.plain.contains(&joined)
    }

    /// Whether one thing is preferred to another where both are named: `SMS over mail`, `Mail → SMS`, `prefer SMS to mail`,
    /// `mail was considered, but SMS is better`.
    pub(super) fn prefers(&self, wanted: &Thing, other: &Thing) -> bool {
        let place = |thing: &Thing| (0..self.plain.len()).find(|at| thing.keys.contains(&stem(&self.plain[*at])));
        let (Some(want), Some(leave)) = (place(wanted), place(other)) else { return false };
        let between = |from: usize, to: usize| self.plain.get(from + 1..to).unwrap_or_default();
        let has = |words: &[String], wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
        let prefer = self.plain.iter().any(|word| word.starts_with("prefer"));
        let turned = |list: &Phrases| self.ends_with(list, leave).is_some();
        let better = |from: usize| BETTER.find(&self.plain[from..]).is_some();
        let replaced = leave < want && (turned(&OVERTURNING) || turned(&OVERTURNING_CHOICES));
        if want < leave {
            let between = between(want, leave);
            has(between, &["over", "before", "first", ">"])
                || (prefer && has(between, &["to"]))
                || (has(between, &["than", "als", "que"]) && better(want))
        } else {
            let between = between(leave, want);
            has(between, &["→", "⇒", "->", "/", "vs"])
                || replaced
                || (has(between, &["but", "aber", "mais", "pero"]) && better(want))
        }
    }
}
