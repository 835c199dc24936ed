//! The options that a document lists, as people and other tools write them.
//!
//! Below a heading such as *Options* or *Considered Options*: sub-headings, a table, a list, or paragraphs that each begin with
//! a name. Where there is none, headings such as `### Option B: Text message`. What stands below an option describes it.
//!
//! Promises: what is left open, quoted, in code or in a comment is no option; nothing is left out or taken as one without a
//! [`Doubt`] that says so.

mod doubt;
mod entries;
mod names;
mod tables;
mod titles;

pub use doubt::{Doubt, Unsure};

use crate::model::plan::{Choice, bare_text};
use crate::rules::option_line;
use entries::{Entry, entries};
use forge_prose::blanks::holds_place;
use forge_prose::outline::{Block, Kind, NoHeading, Outline};
use forge_prose::parts::{BOLD, Part};
use forge_prose::words;
use names::{distinct, ids, resolved};
use std::collections::{BTreeMap, BTreeSet};

/// The most options that are read: far more than can be debated, so that their number is told as it is.
const LISTED_LIMIT: usize = 1000;
/// The most characters of a description that go into a debate.
const DESCRIPTION_LIMIT: usize = 2000;

/// What was read of a document's options.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OptionList {
    /// The line of the heading above them; of the first option, where there is none.
    pub line: Option<usize>,
    /// The options.
    pub options: Vec<Choice>,
    /// What could be meant otherwise.
    pub doubts: Vec<Doubt>,
    /// Where nothing was read: the line and the heading of a list that may be meant.
    pub passed_over: Option<(usize, String)>,
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
        let line = seen.and_then(Reading::line);
        let mut doubts: Vec<Doubt> = seen.map(|one| one.doubts.clone()).unwrap_or_default();
        if doubts.is_empty() {
            doubts.extend(seen.map_or_else(|| hidden(&outline), |one| unread(one.part)));
        }
        let passed_over = seen.map_or_else(|| passed_over(&all), |_| None);
        return OptionList { line, doubts, passed_over, ..OptionList::default() };
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

    fn line(&self) -> Option<usize> {
        let first = self.found.first().map(|one| one.line);
        Some(self.part.line()).filter(|line| *line > 0).or(first)
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
        let line = self.line();
        let found = distinct(std::mem::take(&mut self.found), &mut self.doubts);
        let ids = ids(&found, &mut self.doubts);
        let mut list = OptionList { line, ..OptionList::default() };
        for (one, id) in found.into_iter().zip(ids) {
            let mut description = one.description;
            if description.chars().count() > DESCRIPTION_LIMIT {
                self.doubts.push(Doubt { line: one.line, what: Unsure::Long { label: one.label.clone() } });
                description = description.chars().take(DESCRIPTION_LIMIT - 1).chain(['…']).collect();
            }
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

/// The first list below a heading that is not known for one of options: its line and the heading.
fn passed_over(all: &[&Part]) -> Option<(usize, String)> {
    let is_item =
        |block: &&Block| matches!(block.kind, Kind::Item { ticked: None }) && block.depth == 1 && !block.is_quoted;
    let is_list = |part: &&&Part| {
        let items = part.own.iter().filter(is_item).filter(|block| !holds_place(&block.text())).count();
        part.level > 0 && items > 1 && !titles::describes(&part.title.text)
    };
    all.iter().find(is_list).map(|part| (part.line(), part.title.text.clone()))
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
