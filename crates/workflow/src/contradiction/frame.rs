//! What a decision is about and what it chooses for that: `auth` and `JWT` of `Use JWT for auth`, `remind` and `mail` of
//! `Remind by mail`, `storage` and `Postgres` of `Storage: Postgres`.
//!
//! Two decisions on the same matter with another choice cannot both stand. Which of the small words mean what is data.

use super::doubt::is_kept_up;
use super::reading::{CHOOSING, LINKING, content, stem};
use forge_prose::blanks::is_function_word;
use forge_prose::phrases::{Phrases, lines};
use forge_prose::words::{Token, is_unspaced, tokens, words};
use std::collections::BTreeSet;
use std::sync::LazyLock;

macro_rules! lists {
    ($($name:ident = $file:literal),+ $(,)?) => {
        $(static $name: LazyLock<Phrases> =
            LazyLock::new(|| Phrases::of(include_str!(concat!("../../data/", $file))));)+
    };
}

lists! {
    MEANS = "joining-means.txt",
    PLACES = "joining-places.txt",
    ROLES = "joining-roles.txt",
    PURPOSES = "joining-purposes.txt",
    PLAINLY = "choosing-plainly.txt",
    LIGHT = "light-verbs.txt",
    NO_OBJECTS = "no-objects.txt",
    MAKING = "making.txt",
    MEASURES = "measures.txt",
    DENYING = "denying.txt",
}

/// Labels that say nothing of what a decision is about.
const LABELS: [&str; 6] = ["decision", "choice", "decided", "entscheidung", "décision", "decisión"];

/// What stands between a matter and what is chosen for it.
const CUTS: [&str; 8] = ["? ", ": ", "：", " → ", " -> ", " => ", " = ", " ⇒ "];

/// How a decision names its choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `Storage: Postgres`, `Use Postgres for storage`.
    Named,
    /// `Remind by mail`.
    Means,
    /// `Keep sessions in Redis`.
    Place,
    /// `Serve pages from a CDN`.
    Source,
    /// `Store chats as JSON`.
    Role,
}

/// A matter and a choice.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    form: Form,
    /// What it is about, as stems, in their order.
    matter: Vec<String>,
    /// What is done, where that says more than that it is so.
    verb: Option<String>,
    /// What is chosen, as stems.
    pub(super) object: BTreeSet<String>,
}

/// The most characters of a title that are looked at.
const TITLE_LIMIT_CHARS: usize = 1000;

/// How two decisions stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// They choose different things for the same matter.
    Same,
    /// They may.
    Near,
}

impl Frame {
    /// The frame of a decision's title; none where it does not have two sides.
    pub(super) fn of(title: &str) -> Option<Frame> {
        // What is longer is no title; it would also be cut again and again.
        let end = title.char_indices().nth(TITLE_LIMIT_CHARS).map_or(title.len(), |(at, _)| at);
        let mut title = &title[..end];
        let cut = |title: &str| CUTS.into_iter().filter_map(|mark| Some((title.find(mark)?, mark))).min();
        while let Some((at, mark)) = cut(title) {
            let (about, said) = (&title[..at], &title[at + mark.len()..]);
            let matter = matter(tokens(about).iter());
            if matter.is_empty() || matter.iter().all(|word| LABELS.contains(&word.as_str())) {
                title = said;
                continue;
            }
            // `Storage: use Postgres for the sessions` says more of it itself.
            let object = Parts::of(said).first;
            return Some(Frame { form: Form::Named, matter, verb: None, object: stems(&object) })
                .filter(|frame| !frame.object.is_empty());
        }
        Parts::of(title).frame()
    }

    /// The same read the other way round: `SQLite as storage`.
    pub(super) fn turned(&self) -> Option<Frame> {
        let matter = self.object.iter().cloned().collect();
        let object = self.matter.iter().cloned().collect();
        (self.form == Form::Role).then_some(Frame { form: Form::Named, matter, verb: None, object })
    }

    /// Whether another decision chooses something else for the same matter.
    pub(super) fn likeness(&self, other: &Frame) -> Option<Likeness> {
        let differ = self.object.iter().any(|word| !has(&other.object, word))
            && other.object.iter().any(|word| !has(&self.object, word));
        let is_choice = other.object.iter().any(|word| !says_when(word))
            || self.object.iter().any(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        let named = self.form == Form::Named || other.form == Form::Named;
        // `Uploads are at most 10 MB` says how much, and takes no place of `Keep uploads in S3`.
        let is_other_sort = is_quantity(&self.object) != is_quantity(&other.object);
        let (own, theirs) = (&self.matter, &other.matter);
        // `Served by nginx` and `served from the CDN`.
        let is_same_deed = self.verb == other.verb && own == theirs && own.len() > 1;
        if !differ || !is_choice || is_other_sort || !(named || self.form == other.form || is_same_deed) {
            return None;
        }
        let shared = theirs.iter().filter(|word| own.iter().any(|one| alike(one, word))).count();
        let is_known = |word: &String| own.iter().any(|one| alike(one, word));
        if shared == theirs.len() && own.iter().all(|one| theirs.iter().any(|word| alike(one, word))) {
            return Some(if self.form == other.form { Likeness::Same } else { Likeness::Near });
        }
        let same_deed = other.verb.as_ref().is_none_or(is_known);
        let near = if shared == theirs.len() {
            // It speaks of less: of most of the matter.
            shared * 3 >= own.len()
        } else {
            // It speaks of more: of a part of the matter.
            let deeds = self.verb.as_ref().zip(other.verb.as_ref());
            let of_it = theirs.last().is_some_and(is_known) || deeds.is_some_and(|(own, other)| alike(own, other));
            shared == own.len() && of_it
        };
        (shared > 0 && same_deed && near).then_some(Likeness::Near)
    }
}

/// Whether a word denies what follows it.
pub(crate) fn is_denial(word: &str) -> bool {
    DENYING.has_word(word)
}

/// Whether a word says no more than that something is so.
pub(super) fn is_light(word: &str) -> bool {
    LIGHT.has_word(word)
}

/// The words that tell what a title says, without those that deny it; and whether there are such.
fn denied(title: &str) -> (bool, Vec<String>) {
    let said: Vec<String> = tokens(title).into_iter().filter(|token| !token.is_mark).map(|token| token.text).collect();
    let is_denied = said.iter().any(|word| is_denial(word));
    let tells =
        |word: &&String| !is_denial(word) && !is_function_word(word) && !LIGHT.has_word(word) && !says_when(word);
    let rest = said.iter().filter(tells).filter(|word| CHOOSING.at(&[word.as_str()]) == 0);
    (is_denied, rest.map(|word| stem(word)).collect())
}

/// Whether one title denies what the other says: `Encrypt backups` and `Backups are not encrypted`.
pub(super) fn is_opposite(title: &str, said_title: &str) -> bool {
    const FURTHER: usize = 2;
    let ((known_no, known), (said_no, said)) = (denied(title), denied(said_title));
    let within = |part: &[String], whole: &[String]| {
        part.iter().filter(|word| !whole.iter().any(|other| alike(word, other))).count()
    };
    let further = if known_no { FURTHER } else { 0 };
    // `Readers may not reserve a book twice` narrows it.
    let narrows = words(said_title).iter().any(|word| says_when(word) && !words(title).contains(word));
    known_no != said_no && !narrows && known.len() > 1 && within(&known, &said) == 0 && within(&said, &known) <= further
}

/// Whether one title may deny what the other says: it says all that a denied one forbids (`No cookies`, `Use cookies`), the
/// opposite of one of its words (`Prices include VAT`, `Prices exclude VAT`), or another single word (`Masts are steel`, `Masts
/// are wood`).
pub(super) fn may_be_opposite(known: &str, said: &str) -> bool {
    let telling = |title: &str| {
        let all = words(title).into_iter();
        let all = all.filter(|word| !is_function_word(word) && !is_denial(word) && CHOOSING.at(&[word.as_str()]) == 0);
        all.filter(|word| LINKING.at(&[word.as_str()]) == 0).collect::<Vec<String>>()
    };
    let ((known_no, _), (said_no, _), titles) = (denied(known), denied(said), (words(known), words(said)));
    let (known, said) = (telling(known), telling(said));
    let is_in = |word: &String, all: &[String]| all.iter().any(|other| alike(&stem(word), &stem(other)));
    if known_no && !said_no && !known.is_empty() && known.iter().all(|word| is_in(word, &said)) {
        return true;
    }
    let others = |part: &[String], whole: &[String]| -> Vec<String> {
        part.iter().filter(|word| !is_in(word, whole)).cloned().collect()
    };
    let (gone, new) = (others(&known, &said), others(&said, &known));
    let ([gone], [new]) = (gone.as_slice(), new.as_slice()) else { return false };
    let is_pair = |line: &str| line.split(' ').any(|word| word == gone) && line.split(' ').any(|word| word == new);
    if lines(include_str!("../../data/opposites.txt")).any(is_pair) {
        return true;
    }
    let is_plain = |word: &String| !says_when(word) && !is_kept_up(word) && !word.starts_with(is_unspaced);
    let is_one_word =
        titles.0.len() == titles.1.len() && titles.0.iter().zip(&titles.1).filter(|(a, b)| a != b).count() == 1;
    let is_shared = |word: &&String| *word != gone && !word.starts_with(is_unspaced);
    known_no == said_no && known.iter().any(|word| is_shared(&word)) && is_one_word && is_plain(gone) && is_plain(new)
}

/// Whether two titles say the same with other figures: `At most 3 retries per request` and `Ten retries per request`.
pub(super) fn differs_in_figures(known: &str, said: &str) -> bool {
    const SPELLED: [&str; 13] =
        ["single", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    const PERIODS: [&[&str]; 5] = [
        &["hour", "hourly", "hours"],
        &["day", "daily", "nightly", "days"],
        &["week", "weekly", "weeks"],
        &["month", "monthly", "months"],
        &["year", "yearly", "years"],
    ];
    let figure = |word: &String| -> Option<String> {
        let at = SPELLED.iter().position(|spelled| spelled == word).map(|at| at.max(1).to_string());
        let period =
            PERIODS.iter().position(|names| names.contains(&word.as_str())).map(|at| PERIODS[at][0].to_owned());
        at.or(period).or_else(|| word.bytes().all(|byte| byte.is_ascii_digit()).then(|| word.clone()))
    };
    let parts = |title: &str| {
        let all = words(title);
        let figures: BTreeSet<String> = all.iter().filter_map(figure).collect();
        let rest = all.iter().filter(|word| figure(word).is_none() && !is_function_word(word) && !LIGHT.has_word(word));
        let bounds = ["most", "least", "maximum", "minimum", "max", "min", "exactly", "up"];
        let rest: BTreeSet<String> =
            rest.filter(|word| !bounds.contains(&word.as_str())).map(|word| stem(word)).collect();
        (figures, rest)
    };
    let ((known_figures, known), (figures, said)) = (parts(known), parts(said));
    // `One mail a day to each reader` says enough of `One mail a week to each reader with books due`.
    let most_of_it = said.is_subset(&known) && said.len() > 1 && said.len() * 2 >= known.len() && figures.len() > 1;
    !known_figures.is_empty()
        && !figures.is_empty()
        && known_figures != figures
        && (known == said && !known.is_empty() || most_of_it)
}

/// Whether two titles are the same but for a name: `使用 Postgres 存储` and `使用 SQLite 存储`. What they have in common must
/// say what they are about.
pub(super) fn swaps_a_name(known: &str, said: &str) -> bool {
    const NAME_WORDS: usize = 2;
    let plain = |title: &str| tokens(title).into_iter().filter(|token| !token.is_mark).collect::<Vec<_>>();
    let (known, said) = (plain(known), plain(said));
    let same = |(a, b): &(&Token, &Token)| a.text == b.text;
    let front = known.iter().zip(&said).take_while(same).count();
    let most = known.len().min(said.len()) - front;
    let back = known.iter().rev().zip(said.iter().rev()).take(most).take_while(same).count();
    let is_name = |part: &[Token]| {
        (1..=NAME_WORDS).contains(&part.len())
            && part.iter().all(|token| token.is_capital && !token.text.starts_with(|c: char| c.is_ascii_digit()))
    };
    // `Only staff may reserve books` and `All readers may reserve books`.
    let is_who = |part: &[Token]| (1..=NAME_WORDS).contains(&part.len()) && part.iter().any(is_choice);
    let deeds = known[known.len() - back..]
        .iter()
        .filter(|token| is_choice(token) && !token.text.starts_with(is_unspaced))
        .count();
    if front == 0 && deeds >= NAME_WORDS && is_who(&known[..known.len() - back]) && is_who(&said[..said.len() - back]) {
        return true;
    }
    let others: Vec<&str> =
        known[..front].iter().chain(&known[known.len() - back..]).map(|token| token.text.as_str()).collect();
    let tells = |at: usize| {
        let rest = &others[at..];
        let is_choosing = (at.saturating_sub(2)..=at).any(|from| from + CHOOSING.at(&others[from..]) > at);
        !is_choosing && !is_function_word(rest[0]) && !LIGHT.has_word(rest[0]) && !says_when(rest[0])
    };
    // A name at the very front may be what it is about.
    front > 0
        && is_name(&known[front..known.len() - back])
        && is_name(&said[front..said.len() - back])
        && (0..others.len()).any(tells)
}

/// Whether a word says when or how often, and is no choice.
pub(super) fn says_when(word: &str) -> bool {
    NO_OBJECTS.has_word(word)
        || NO_OBJECTS.has_word(&format!("{word}s"))
        || word.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether words say how much: a figure, its unit and its bound.
fn is_quantity(said: &BTreeSet<String>) -> bool {
    let is_figure = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
    let is_beside = |word: &String| is_figure(word) || says_when(word) || MEASURES.has_word(word);
    said.iter().any(is_figure) && said.iter().all(is_beside)
}

fn has(words: &BTreeSet<String>, wanted: &str) -> bool {
    words.iter().any(|word| alike(word, wanted))
}

/// Whether two words are forms of one: `remind` and `reminders`, `store` and `storage`.
pub(super) fn alike(a: &str, b: &str) -> bool {
    const ENDINGS: [&str; 21] = [
        "", "e", "s", "es", "d", "ed", "r", "er", "ers", "ing", "ings", "ment", "ion", "ation", "age", "al", "ung",
        "en", "t", "n", "up",
    ];
    const ROOT_LETTERS: usize = 4;
    if a == b {
        return true;
    }
    let common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let rest = |word: &str| word.chars().skip(common).collect::<String>();
    common >= ROOT_LETTERS && ENDINGS.contains(&rest(a).as_str()) && ENDINGS.contains(&rest(b).as_str())
}

fn stems(said: &[Token]) -> BTreeSet<String> {
    said.iter().flat_map(|token| content(&token.text)).collect()
}

/// The words that a matter is known by.
fn matter<'t>(said: impl Iterator<Item = &'t Token>) -> Vec<String> {
    let says = |token: &&Token| !token.is_mark && !is_function_word(&token.text);
    let telling = |word: &&&str| !LIGHT.has_word(word) && !says_when(word);
    let said: Vec<&str> = said.filter(says).map(|token| token.text.as_str()).collect();
    let known: Vec<String> = said.iter().filter(telling).map(|word| stem(word)).collect();
    // `Login by password`: there is nothing else to know it by.
    match (known.is_empty(), said.as_slice()) {
        (true, [only]) if !LIGHT.has_word(only) => vec![stem(only)],
        _ => known,
    }
}

/// The parts of a title between the small words that join them.
struct Parts {
    /// Whether it begins with a word that chooses.
    chooses: bool,
    /// Whether that chooses what follows it, whatever comes then.
    plainly: bool,
    /// That word.
    lead: Vec<Token>,
    first: Vec<Token>,
    /// What is joined, with the word that joins it.
    joined: Vec<(Join, Vec<Token>, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Join {
    Means,
    Place,
    Source,
    Role,
    Purpose,
    /// `to remind readers`.
    Deed,
}

impl Parts {
    fn of(title: &str) -> Parts {
        let silent =
            |token: &Token| token.is_mark && matches!(token.text.as_str(), "-" | "*" | "_" | "`" | "\"" | "'" | "/");
        let all: Vec<Token> = tokens(title).into_iter().filter(|token| !silent(token)).collect();
        let end = all.iter().position(|token| token.is_mark).unwrap_or(all.len());
        let all = &all[..end];
        let plain: Vec<&str> = all.iter().map(|token| token.text.as_str()).collect();
        let (mut chooses, mut plainly) = (false, false);
        let (mut at, mut lead) = (0, Vec::new());
        while at < all.len() {
            let (any, only) = (CHOOSING.at(&plain[at..]), PLAINLY.at(&plain[at..]));
            let joins = join(&plain[at..], false).is_some();
            let length = if joins && chooses { 0 } else { any.max(only) };
            if length > 0 && !chooses {
                (chooses, plainly) = (true, only > 0);
                lead = all[at..at + length].to_vec();
                at += length;
            } else if is_function_word(plain[at]) && !joins {
                at += 1;
            } else {
                break;
            }
        }
        let mut parts = Parts { chooses, plainly, lead, first: Vec::new(), joined: Vec::new() };
        while at < all.len() {
            if let Some((kind, length)) = join(&plain[at..], plainly) {
                parts.joined.push((kind, Vec::new(), plain[at].to_owned()));
                at += length;
                continue;
            }
            let part = parts.joined.last_mut().map_or(&mut parts.first, |(_, part, _)| part);
            part.push(all[at].clone());
            at += 1;
        }
        parts
    }

    fn frame(&self) -> Option<Frame> {
        // `from Postgres to SQLite` goes to the second.
        let goes_on =
            |at: usize| self.joined[at].2 == "from" && self.joined[at + 1..].iter().any(|(_, _, by)| by == "to");
        let joined = |wanted: &[Join]| {
            let said = |at: &usize| {
                let (kind, part, _) = &self.joined[*at];
                wanted.contains(kind) && part.iter().any(is_choice) && !goes_on(*at)
            };
            (0..self.joined.len()).find(said).map(|at| (self.joined[at].0, &self.joined[at].1))
        };
        if !self.plainly
            && let Some((kind, part)) = joined(&[Join::Means, Join::Place, Join::Source, Join::Role])
            && let matter = self.matter()
            && !matter.is_empty()
        {
            let made = self.lead.iter().chain(&self.first).any(|token| MAKING.has_word(&token.text));
            let form = match kind {
                Join::Means if !made => Form::Means,
                Join::Role => Form::Role,
                Join::Source => Form::Source,
                _ => Form::Place,
            };
            return Some(Frame { form, verb: self.verb(&matter), matter, object: stems(part) });
        }
        if let Some(frame) = self.told() {
            return Some(frame);
        }
        let (kind, purpose) = joined(&[Join::Purpose, Join::Deed, Join::Role, Join::Place])?;
        let (matter, object) = (matter(purpose.iter()), stems(&self.first));
        let verb = matter.first().cloned().filter(|_| kind == Join::Deed);
        let frame = Frame { form: Form::Named, matter, verb, object };
        Some(frame).filter(|frame| !frame.matter.is_empty() && !frame.object.is_empty())
    }

    /// What it is about: what stands before the first joining word, else what is done.
    fn matter(&self) -> Vec<String> {
        match matter(self.first.iter()) {
            none if none.is_empty() => matter(self.lead.iter()),
            matter => matter,
        }
    }

    /// What is done: the word behind `is`, else the first one, unless a word that says no more than that it is so stands there.
    fn verb(&self, matter: &[String]) -> Option<String> {
        let plain: Vec<&str> = self.first.iter().map(|token| token.text.as_str()).collect();
        if self.chooses || plain.iter().any(|word| LIGHT.has_word(word)) {
            return None;
        }
        let linked = (0..plain.len()).find_map(|at| Some(at + LINKING.at(&plain[at..])).filter(|end| *end > at));
        match linked {
            Some(end) => plain.get(end).map(|word| stem(word)),
            None => matter.first().cloned(),
        }
    }

    /// `Reminders use postcards`, `The database is SQLite`.
    fn told(&self) -> Option<Frame> {
        let plain: Vec<&str> = self.first.iter().map(|token| token.text.as_str()).collect();
        let is_name = |token: &Token| {
            (token.is_capital || token.text.contains(|c: char| c.is_ascii_digit())) && !says_when(&token.text)
        };
        (1..plain.len()).find_map(|at| {
            let (chosen, linked) = (PLAINLY.at(&plain[at..]), LINKING.at(&plain[at..]));
            // `Events have a version field` chooses nothing.
            let chosen = if matches!(plain[at], "have" | "has") { 0 } else { chosen };
            let from = at + chosen.max(linked);
            let named = linked > 0 && self.first.get(from..)?.iter().any(is_name);
            let (matter, object) = (matter(self.first[..at].iter()), stems(self.first.get(from..)?));
            let frame = Frame { form: Form::Named, matter, verb: None, object };
            (chosen > 0 || named).then_some(frame).filter(|one| !one.matter.is_empty() && !one.object.is_empty())
        })
    }
}

fn is_choice(token: &Token) -> bool {
    !is_function_word(&token.text) && (token.is_capital || !says_when(&token.text))
}

/// The joining word at the beginning of these words, and its length. Behind a word that chooses, `to` says what for.
fn join(plain: &[&str], plainly: bool) -> Option<(Join, usize)> {
    let lists = [(Join::Means, &MEANS), (Join::Place, &PLACES), (Join::Role, &ROLES), (Join::Purpose, &PURPOSES)];
    let found = lists.into_iter().map(|(kind, list)| (kind, list.at(plain))).max_by_key(|(_, length)| *length);
    let (kind, length) = found.filter(|(_, length)| *length > 0)?;
    let kind = match plain[0] {
        "to" if plainly => Join::Deed,
        "from" => Join::Source,
        _ => kind,
    };
    Some((kind, length))
}
