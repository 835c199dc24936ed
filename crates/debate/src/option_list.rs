//! The options that a document lists, as people and other tools write them.
//!
//! Below a heading such as *Options* or *Considered Options*: sub-headings, a table, a list, or paragraphs that each begin with
//! a name. Where there is none, headings such as `### Option B: Text message`. What stands below an option describes it.
//!
//! Promises: what is left open, quoted, in code or in a comment is no option; nothing is left out or taken as one without a
//! [`Doubt`] that says so.

mod entries;
mod tables;
mod titles;

use crate::brief::{one_line, plain};
use crate::option_line::{self, Mark, OptionLine, Prefix};
use crate::plan::{Choice, LABEL_LIMIT_BYTES, OptionId, bare_text, check_id, letter, same_text};
use entries::{Entry, entries};
use forge_prose::blanks::{holds_place, says_something};
use forge_prose::outline::{Kind, NoHeading, Outline};
use forge_prose::parts::{BOLD, Part};
use forge_prose::words;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The most options that are read: far more than can be debated, so that their number is told as it is.
const LISTED_LIMIT: usize = 1000;
/// The most characters of a description that go into a debate.
const DESCRIPTION_LIMIT: usize = 2000;
/// The most characters of a name that is cut out of a paragraph.
const NAME_CHARS: usize = 100;

/// What was read of a document's options.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OptionList {
    /// The heading above them: its words, and its line.
    pub heading: Option<(String, usize)>,
    /// The options.
    pub options: Vec<Choice>,
    /// The line of each option.
    pub lines: Vec<usize>,
    /// What could be meant otherwise.
    pub doubts: Vec<Doubt>,
}

/// Something that could be meant otherwise than it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// The line.
    pub line: usize,
    /// What it is.
    pub what: Unsure,
}

/// What could be meant otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unsure {
    /// The same option stands here again.
    Again {
        /// Its name.
        label: String,
        /// Where it stands first.
        first: usize,
    },
    /// Another option of the same name.
    SameName {
        /// The name.
        label: String,
        /// Where it stands first.
        first: usize,
    },
    /// Another option has the id that this one names.
    SameId {
        /// The id.
        id: String,
        /// Where it stands first.
        first: usize,
        /// What this option is called now.
        now: String,
    },
    /// An option whose name is still left open.
    OpenName {
        /// What stands in its place.
        name: String,
    },
    /// A description of which only the beginning is debated.
    Long {
        /// The option.
        label: String,
    },
    /// Something that lists other things than the options that were read.
    Other {
        /// What it is.
        what: &'static str,
        /// Where the options stand that were read.
        instead: usize,
        /// Whether it may just as well be meant.
        as_good: bool,
    },
    /// A line of running text that seems to name options.
    Running {
        /// The first name in it.
        name: String,
    },
    /// Options in code or in a quotation.
    Hidden {
        /// Where.
        place: &'static str,
    },
}

impl Unsure {
    /// Whether no debate may be planned before it is cleared up.
    pub fn holds(&self) -> bool {
        match self {
            Unsure::Again { .. } | Unsure::SameId { .. } | Unsure::Long { .. } => false,
            Unsure::SameName { .. } | Unsure::OpenName { .. } | Unsure::Running { .. } | Unsure::Hidden { .. } => true,
            Unsure::Other { as_good, .. } => *as_good,
        }
    }
}

impl fmt::Display for Unsure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsure::Again { label, first } => {
                write!(f, "the option {label:?} stands on line {first} already; it counts once")
            }
            Unsure::SameName { label, first } => write!(
                f,
                "another option on line {first} is called {label:?} too; give each a name of its own, such as `{label} (weekly)`"
            ),
            Unsure::SameId { id, first, now } => {
                write!(f, "the option on line {first} is called {id} too; this one is {now}")
            }
            Unsure::OpenName { name } => write!(
                f,
                "the option's name is left open: {name:?}; write the name, such as `- Text message: what it is`, or take the line out"
            ),
            Unsure::Long { label } => {
                write!(f, "only the first {DESCRIPTION_LIMIT} characters of what describes {label:?} are debated")
            }
            Unsure::Other { what, instead, as_good: false } => {
                write!(f, "{what} here is not read as options; those from line {instead} on are")
            }
            Unsure::Other { what, instead, as_good: true } => write!(
                f,
                "{what} here lists other options than those from line {instead} on; put all of them below one heading"
            ),
            Unsure::Running { name } => write!(
                f,
                "this looks like options and cannot be read as such; write each on a line of its own, such as `- {name}: what it is`"
            ),
            Unsure::Hidden { place } => write!(
                f,
                "the options stand in {place} and do not count there; write them as a list, such as `- Text message: what it is`"
            ),
        }
    }
}

/// Reads the options of a text whose first line is line `first_line` of its file.
pub fn read(text: &str, first_line: usize) -> OptionList {
    let outline = Outline::of(text, first_line);
    let root = outline.parts(text);
    let all = root.all();
    let led = led_lists(&all);
    let lists: Vec<&Part> = all.iter().copied().filter(|part| titles::is_list(&part.title.text)).chain(&led).collect();
    let readings: Vec<Reading<'_>> = lists.iter().map(|part| Reading::of(part)).collect();
    let listed = || readings.iter().filter(|one| one.is_innermost(&readings));
    let mut chosen = listed().find(|one| !one.found.is_empty()).cloned();
    if chosen.is_none() {
        chosen = option_headings(&root).or_else(|| option_paragraphs(&all)).or_else(|| elsewhere(&all));
    }
    let Some(mut chosen) = chosen else {
        let seen = listed().next().or(readings.first());
        let heading = seen.and_then(Reading::heading);
        let mut doubts: Vec<Doubt> = seen.map(|one| one.doubts.clone()).unwrap_or_default();
        if doubts.is_empty() {
            doubts.extend(seen.map_or_else(|| hidden(&outline), |one| unread(one.part)));
        }
        return OptionList { heading, doubts, ..OptionList::default() };
    };
    for one in listed().filter(|one| one.part.line() != chosen.part.line() && !one.contains(chosen.part)) {
        let as_good = words::same_words(&one.part.title.text, &chosen.part.title.text);
        chosen.doubts.extend(chosen.other(one.part.line(), &one.found, "the list", as_good));
        chosen.doubts.extend(one.doubts.iter().filter(|doubt| doubt.what.holds() && as_good).cloned());
    }
    chosen.describe(&all);
    chosen.list()
}

/// An option that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    id: Option<String>,
    label: String,
    description: String,
    /// The name with what was cut off behind it.
    whole: String,
    line: usize,
}

/// What was found below a heading.
#[derive(Debug, Clone)]
struct Reading<'p> {
    part: &'p Part,
    found: Vec<Found>,
    doubts: Vec<Doubt>,
}

impl<'p> Reading<'p> {
    fn of(part: &'p Part) -> Self {
        let (entries, mut doubts) = entries(part);
        let (found, more) = resolved(entries);
        doubts.extend(more);
        Self { part, found, doubts }
    }

    fn of_entries(part: &'p Part, entries: Vec<Entry>) -> Self {
        let (found, doubts) = resolved(entries);
        Self { part, found, doubts }
    }

    fn heading(&self) -> Option<(String, usize)> {
        let title = forge_prose::bare_title(self.part.title.text.trim()).trim_end_matches(':').to_owned();
        (self.part.line() > 0).then_some((title, self.part.line()))
    }

    fn contains(&self, other: &Part) -> bool {
        self.part.all().iter().skip(1).any(|part| part.line() == other.line())
            || self.part.own.iter().any(|block| block.line == other.line())
    }

    /// Whether no list in it has options of its own: the title of an options document may say *Options* too. Headings such as
    /// `Option B: Text message` right below it settle that.
    fn is_innermost(&self, all: &[Reading<'_>]) -> bool {
        let is_worded = !self.found.is_empty() && !entries::worded(&self.part.below).is_empty();
        is_worded || !all.iter().any(|one| self.contains(one.part) && (!one.found.is_empty() || self.part.level == 1))
    }

    /// A doubt about something that lists what is not among the options.
    fn other(&self, line: usize, found: &[Found], what: &'static str, as_good: bool) -> Option<Doubt> {
        let known: BTreeSet<Vec<String>> = self.found.iter().map(|one| words::words(&one.label)).collect();
        let is_known = |one: &Found| known.contains(&words::words(&one.label));
        let instead = self.found.first().map_or(line, |first| first.line);
        let is_other = found.iter().any(|one| !is_known(one));
        is_other.then_some(Doubt { line, what: Unsure::Other { what, instead, as_good } })
    }

    /// Options without a description get what stands below a heading of their name.
    fn describe(&mut self, all: &[&Part]) {
        let mut headed: BTreeMap<String, &Part> = BTreeMap::new();
        for part in all.iter().rev() {
            let read = option_line::read(&part.title, option_line::prefix(&part.title).as_ref());
            headed.insert(bare_text(&read.label), part);
        }
        for one in self.found.iter_mut().filter(|one| one.description.is_empty()) {
            let part = headed.get(&bare_text(&one.label)).filter(|part| part.line() != one.line);
            one.description = part.map(|part| entries::told(&part.blocks())).unwrap_or_default();
        }
    }

    fn list(mut self) -> OptionList {
        let heading = self.heading();
        let found = distinct(std::mem::take(&mut self.found), &mut self.doubts);
        let ids = ids(&found, &mut self.doubts);
        let mut list = OptionList { heading, ..OptionList::default() };
        for (one, id) in found.into_iter().zip(ids) {
            let mut description = one.description;
            if description.chars().count() > DESCRIPTION_LIMIT {
                self.doubts.push(Doubt { line: one.line, what: Unsure::Long { label: one.label.clone() } });
                description = description.chars().take(DESCRIPTION_LIMIT - 1).chain(['…']).collect();
            }
            list.lines.push(one.line);
            list.options.push(Choice { id, label: one.label, description });
        }
        list.doubts = self.doubts;
        list.doubts.sort_by_key(|doubt| doubt.line);
        list
    }
}

/// The parts that plain lines such as `Options:` begin, each with the list or table right below it.
fn led_lists(all: &[&Part]) -> Vec<Part> {
    let mut found = Vec::new();
    for part in all {
        for (at, block) in part.own.iter().enumerate().filter(|(_, block)| block.kind == Kind::Paragraph) {
            let Some(title) = block.lines.last().filter(|line| line.text.trim_end().ends_with([':', '：'])) else {
                continue;
            };
            if block.is_quoted || block.depth > 0 || !titles::is_list(&title.text) {
                continue;
            }
            let is_of_it = |kind: &Kind, depth: usize| depth > 0 || !matches!(kind, Kind::Paragraph);
            let own: Vec<_> =
                part.own[at + 1..].iter().take_while(|block| is_of_it(&block.kind, block.depth)).cloned().collect();
            if !own.is_empty() {
                found.push(Part { level: BOLD, title: title.clone(), own, below: Vec::new() });
            }
        }
    }
    found
}

/// Headings such as `### Option B: Text message`: those of one parent, of which there are most.
fn option_headings(root: &Part) -> Option<Reading<'_>> {
    let groups = root.all().into_iter().map(|part| Reading::of_entries(part, entries::worded(&part.below)));
    let mut best: Option<Reading<'_>> = None;
    for group in groups.filter(|group| !group.found.is_empty()) {
        if best.as_ref().is_none_or(|best| group.found.len() > best.found.len()) {
            best = Some(group);
        }
    }
    best
}

/// Paragraphs such as `**Option B:** Text message`, at least two of them.
fn option_paragraphs<'p>(all: &[&'p Part]) -> Option<Reading<'p>> {
    let readings = all.iter().map(|part| Reading::of_entries(part, entries::worded_paragraphs(part)));
    readings.into_iter().find(|reading| reading.found.len() >= 2)
}

/// The sub-headings of an analysis, where the options themselves are listed nowhere.
fn elsewhere<'p>(all: &[&'p Part]) -> Option<Reading<'p>> {
    let parts = all.iter().filter(|part| titles::is_elsewhere(&part.title.text));
    let readings = parts.map(|part| Reading::of_entries(part, entries::sub_headings(&part.below)));
    readings.into_iter().find(|reading| reading.found.len() >= 2)
}

/// Options that seem to stand below a heading from which none could be read.
fn unread(part: &Part) -> Option<Doubt> {
    let looks_listed = |text: &str| option_line::looks_listed(text);
    for block in &part.own {
        let line = block.line;
        let is_hidden = |place| Some(Doubt { line, what: Unsure::Hidden { place } });
        match &block.kind {
            Kind::Code if block.lines.iter().any(|line| looks_listed(&line.text)) => return is_hidden("code"),
            Kind::Item { .. } | Kind::Row { .. } if block.is_quoted && !block.is_blank() => {
                return is_hidden("a quotation");
            }
            _ => {}
        }
    }
    let running = part.own.iter().filter(|block| block.kind == Kind::Paragraph && !block.is_quoted && block.depth == 0);
    let lines: Vec<_> = running.flat_map(|block| &block.lines).filter(|line| !line.is_blank()).collect();
    let is_open = |text: &str| text.trim().is_empty() || holds_place(text);
    let names: Vec<(usize, String)> = lines
        .iter()
        .filter(|line| !is_open(&line.text))
        .filter_map(|line| Some((line.line, entries::running_name(line)?)))
        .collect();
    let is_sentence = |text: &str| text.trim_end().ends_with(['.', '!', '?', '。', ':', '：']);
    let seems = names.len() >= 2 || lines.iter().any(|line| !is_open(&line.text) && !is_sentence(&line.text));
    let (line, name) = names.into_iter().next().filter(|_| seems)?;
    Some(Doubt { line, what: Unsure::Running { name } })
}

/// A heading of options that stands where no heading counts.
fn hidden(outline: &Outline) -> Option<Doubt> {
    outline.lookalikes().into_iter().find_map(|one| {
        let place = match one.why {
            NoHeading::InCode => "a code fence",
            NoHeading::Nested => "a quotation or a list",
            NoHeading::Bold | NoHeading::Plain => return None,
        };
        titles::is_list(&one.title).then_some(Doubt { line: one.line, what: Unsure::Hidden { place } })
    })
}

/// Names, ids and descriptions of what was found; what is left open is none.
fn resolved(mut entries: Vec<Entry>) -> (Vec<Found>, Vec<Doubt>) {
    entries.truncate(LISTED_LIMIT);
    let mut doubts = Vec::new();
    let prefixes: Vec<Option<Prefix>> = entries.iter().map(|entry| option_line::prefix(&entry.line)).collect();
    let counts = which_count(&entries, &prefixes);
    let is_only = entries.len() == 1;
    let mut found = Vec::new();
    for ((entry, prefix), counts) in entries.into_iter().zip(prefixes).zip(counts) {
        let prefix = prefix.filter(|_| counts);
        let line = entry.line.line;
        let OptionLine { label, mut description } = option_line::read(&entry.line, prefix.as_ref());
        let mut label = plain(&label).trim().to_owned();
        if holds_place(&description) {
            description.clear();
        }
        let told = [description.clone(), entry.told].into_iter().filter(|part| !part.is_empty());
        let told = entries::joined(told);
        if label.is_empty() && prefix.as_ref().is_some_and(|one| one.mark == Mark::Word) && !told.is_empty() {
            // `### Option B` and nothing else: that is what it is called.
            let short = Some(told.clone()).filter(|told| entries::is_short(told));
            label = plain(&entry.name.or(short).unwrap_or_else(|| entry.line.text.trim().to_owned()));
        }
        let is_code = !entry.line.code.is_empty();
        // A single `None.` is no option.
        let is_nothing = is_only && told.is_empty() && !says_something(&label, "");
        if label.is_empty() || is_nothing || (!is_code && holds_place(&label)) {
            let has_name = label.chars().any(char::is_alphanumeric);
            if has_name && !told.is_empty() {
                doubts.push(Doubt { line, what: Unsure::OpenName { name: label } });
            }
            continue;
        }
        let told = plain(&told);
        let start = prefix.as_ref().map_or(0, |prefix| prefix.end).min(entry.line.text.len());
        let behind = one_line(&plain(&entry.line.text[start..]));
        let whole = if description.is_empty() { label.clone() } else { behind };
        let (label, told) = shortened(label, told);
        found.push(Found { id: entry.id.or(prefix.map(|prefix| prefix.id)), label, description: told, whole, line });
    }
    (found, doubts)
}

/// A whole paragraph is no name; it is told by how it begins.
fn shortened(label: String, description: String) -> (String, String) {
    if label.len() <= LABEL_LIMIT_BYTES {
        return (label, description);
    }
    let begins: String = label.chars().take(NAME_CHARS).collect();
    (
        format!("{}…", begins.trim_end()),
        entries::joined([label, description].into_iter().filter(|part| !part.is_empty())),
    )
}

/// Which prefixes are ids. One that a word marks is; numbering is where it goes up; `C:` may be a name, and is an id only where
/// ids begin with the first or second letter or number and leave none out.
fn which_count(entries: &[Entry], prefixes: &[Option<Prefix>]) -> Vec<bool> {
    let goes_up = |marks: &[Mark]| {
        let ids: Vec<&str> =
            prefixes.iter().flatten().filter(|one| marks.contains(&one.mark)).map(|one| one.id.as_str()).collect();
        let is_first = |id: &str| matches!(id, "A" | "a" | "1" | "I");
        ids.windows(2).all(|pair| comes_before(pair[0], pair[1]))
            && (ids.len() > 1 || ids.iter().all(|id| is_first(id)))
    };
    // `1.2 release` and `1.3 release` are named by their numbers.
    let dotted = entries.iter().zip(prefixes).filter_map(|(entry, prefix)| {
        let prefix = prefix.as_ref().filter(|one| one.id.contains('.'))?;
        Some(entry.line.text[prefix.end..].to_lowercase())
    });
    let mut names: Vec<String> = dotted.collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    let numbering = goes_up(&[Mark::Numbering]) && names.len() == count;
    let separators = follow(prefixes.iter().flatten().filter(|one| one.mark == Mark::Separator));
    let counts = |prefix: &Prefix| match prefix.mark {
        Mark::Word => true,
        Mark::Numbering => numbering,
        Mark::Separator => separators,
    };
    prefixes.iter().map(|prefix| prefix.as_ref().is_some_and(counts)).collect()
}

/// Whether ids follow each other from the first or the second letter or number on.
fn follow<'p>(prefixes: impl Iterator<Item = &'p Prefix>) -> bool {
    let place = |id: &str| match id.as_bytes() {
        [letter] if letter.is_ascii_uppercase() => Some(usize::from(letter - b'A')),
        _ => id.parse::<usize>().ok()?.checked_sub(1),
    };
    let places: Vec<Option<usize>> = prefixes.map(|one| place(&one.id)).collect();
    let first = places.first().copied().flatten().filter(|first| *first <= 1);
    first.is_some_and(|first| places.iter().enumerate().all(|(at, place)| *place == Some(first + at)))
        && (places.len() > 1 || first == Some(0))
}

/// Whether one id comes before another of the same shape: A before B, 2 before 10, I before V.
fn comes_before(one: &str, other: &str) -> bool {
    const ROMAN: [&str; 12] = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];
    let roman = |id: &str| ROMAN.iter().position(|known| *known == id);
    let parts = |id: &str| -> Vec<(String, u32)> {
        let parts = id.split('.').map(|part| {
            let letters: String = part.chars().take_while(|c| c.is_alphabetic()).collect();
            let number = part[letters.len()..].parse().unwrap_or(0);
            (letters.to_ascii_uppercase(), number)
        });
        parts.collect()
    };
    let is_roman = roman(one).zip(roman(other)).is_some_and(|(one, other)| one < other);
    is_roman || parts(one) < parts(other)
}

/// What was found without what stands there twice. Names that were cut to the same are told apart by what was cut off.
fn distinct(mut found: Vec<Found>, doubts: &mut Vec<Doubt>) -> Vec<Found> {
    let mut wholes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for one in &found {
        wholes.entry(bare_text(&one.label)).or_default().insert(bare_text(&one.whole));
    }
    for one in found.iter_mut().filter(|one| one.whole.len() <= LABEL_LIMIT_BYTES) {
        if wholes.get(&bare_text(&one.label)).is_some_and(|wholes| wholes.len() > 1) {
            one.label.clone_from(&one.whole);
        }
    }
    let mut kept: Vec<Found> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for one in found {
        let name = bare_text(&one.label);
        let Some(known) = places.get(&name).and_then(|at| kept.get_mut(*at)) else {
            places.insert(name, kept.len());
            kept.push(one);
            continue;
        };
        let (label, first) = (one.label.clone(), known.line);
        let is_told_once = known.description.is_empty() || one.description.is_empty();
        let is_same = is_told_once || same_text(&known.description, &one.description);
        let what = if is_same { Unsure::Again { label, first } } else { Unsure::SameName { label, first } };
        doubts.push(Doubt { line: one.line, what });
        if known.description.is_empty() {
            known.description = one.description;
        }
    }
    kept
}

/// The options' ids: their own where each has one, else letters in order.
fn ids(found: &[Found], doubts: &mut Vec<Doubt>) -> Vec<OptionId> {
    let in_order = |i: usize, id: &str| id.parse::<usize>().is_ok_and(|number| number == i + 1);
    let said: Vec<&str> = found.iter().filter_map(|one| one.id.as_deref()).collect();
    let different: BTreeSet<String> = said.iter().map(|id| id.to_ascii_uppercase()).collect();
    let is_own = said.len() == found.len()
        && different.len() == said.len()
        && said.iter().all(|id| check_id(id).is_ok())
        && !said.iter().enumerate().all(|(i, id)| in_order(i, id));
    if is_own {
        return said.iter().map(|id| OptionId::new(id.to_ascii_uppercase())).collect();
    }
    for (i, one) in found.iter().enumerate() {
        let Some(id) = &one.id else { continue };
        let first =
            found[..i].iter().find(|other| other.id.as_ref().is_some_and(|other| other.eq_ignore_ascii_case(id)));
        if let Some(first) = first.map(|first| first.line) {
            let (id, now) = (id.clone(), letter(i).to_string());
            doubts.push(Doubt { line: one.line, what: Unsure::SameId { id, first, now } });
        }
    }
    (0..found.len()).map(letter).collect()
}
