//! What stands below a heading of options, as entries: its sub-headings, the rows of a table, the items of a list, or paragraphs
//! that each begin with a name.

use super::names::resolved;
use super::{Doubt, Found, Unsure, tables, titles};
use crate::rules::option_line::{self, Mark};
use forge_prose::outline::{Block, Kind, Line};
use forge_prose::parts::{BOLD, Part};
use forge_prose::words;
use std::collections::{BTreeMap, BTreeSet};

/// The most words of a name in running text.
const NAME_WORDS: usize = 5;

/// Something that may be an option.
#[derive(Debug, Clone, Default)]
pub(super) struct Entry {
    /// The line that names it.
    pub(super) line: Line,
    /// Its id, where that does not stand before the name.
    pub(super) id: Option<String>,
    /// Its name, where that does not stand on the line.
    pub(super) name: Option<String>,
    /// What is said of it below.
    pub(super) told: String,
}

/// One way to read what stands below a heading.
struct Form {
    what: &'static str,
    entries: Vec<Entry>,
    found: Vec<Found>,
}

impl Form {
    fn of(what: &'static str, entries: Vec<Entry>) -> Self {
        let found = resolved(entries.clone()).0;
        Self { what, entries, found }
    }

    fn line(&self) -> usize {
        self.entries.first().map_or(0, |entry| entry.line.line)
    }
}

/// The entries below a heading, and what else there could be meant as such.
pub(super) fn entries(part: &Part) -> (Vec<Entry>, Vec<Doubt>) {
    let below = headings_below(part);
    let mut own = part.own.clone();
    if let Some(lead_in) = lead_in(part) {
        own.extend(lead_in.own.clone());
    }
    let worded = below.iter().any(|entry| is_worded(&entry.line));
    let (rows, is_named) = tables::entries(&own);
    let is_between = are_between(&own);
    let headings = Form::of("the heading", below);
    let table = Form::of("the table", rows);
    let (listed, second_list) = items(&own);
    let list = Form::of("the list", listed);
    let paragraphs = Form::of("the text", paragraphs(&own));
    let forms = [headings, table, list, paragraphs];
    let count = |at: usize| forms[at].found.len();
    let fuller = || [1, 2].into_iter().filter(|at| count(*at) > 1).min_by_key(|at| forms[*at].line());
    let chosen = match () {
        _ if count(0) > 1 || (count(0) == 1 && (worded || count(1) + count(2) == 0)) => 0,
        _ if is_named && count(1) > 0 => 1,
        _ if count(3) > 1 && is_between => 3,
        _ => fuller().or_else(|| (1..4).find(|at| count(*at) > 0)).unwrap_or_else(|| {
            // Nothing is written: what is left open by half is told.
            (0..4).find(|at| !forms[*at].entries.is_empty()).unwrap_or(0)
        }),
    };
    let mut doubts: Vec<Doubt> = forms.iter().filter_map(|form| other(&forms[chosen], form)).collect();
    if let Some(line) = second_list.filter(|_| chosen == 2) {
        let instead = forms[chosen].line();
        doubts.push(Doubt { line, what: Unsure::Other { what: "the list", instead, as_good: true } });
    }
    if chosen == 0 {
        doubts.extend(passed_over(part, &forms[0]));
    }
    let [headings, table, list, paragraphs] = forms;
    let entries = [headings, table, list, paragraphs].into_iter().nth(chosen).map(|form| form.entries);
    (entries.unwrap_or_default(), doubts)
}

/// A doubt about a form that lists several things of which none is among the chosen ones.
fn other(chosen: &Form, form: &Form) -> Option<Doubt> {
    let names = |one: &Found| [words::words(&one.label), words::words(&one.whole)];
    let known: BTreeSet<Vec<String>> = chosen.found.iter().flat_map(names).collect();
    let is_known = |one: &Found| names(one).iter().any(|name| known.contains(name)) || form.line() == chosen.line();
    let is_other = form.found.len() > 1 && !chosen.found.is_empty() && !form.found.iter().any(is_known);
    // Lists between paragraphs describe them, and text describes anything.
    let describes = form.what == "the text" || chosen.what == "the text";
    (is_other && !describes).then(|| Doubt {
        line: form.line(),
        what: Unsure::Other { what: form.what, instead: chosen.line(), as_good: false },
    })
}

/// Sub-headings that were taken for descriptions, where they are as many as the options.
fn passed_over(part: &Part, chosen: &Form) -> Vec<Doubt> {
    let is_details = |one: &&Part| one.level < BOLD && titles::describes(&one.title.text);
    let passed: Vec<&Part> = part.below.iter().filter(is_details).collect();
    if passed.len() < chosen.found.len() || passed.iter().any(|one| is_beside(&one.title.text)) {
        return Vec::new();
    }
    let instead = chosen.line();
    let doubt =
        |one: &&Part| Doubt { line: one.line(), what: Unsure::Other { what: "the heading", instead, as_good: false } };
    passed.iter().map(doubt).collect()
}

fn is_beside(title: &str) -> bool {
    titles::is_elsewhere(title) || title.contains(char::is_whitespace)
}

/// The sub-headings that are options.
fn headings_below(part: &Part) -> Vec<Entry> {
    let direct = worded(&part.below);
    if !direct.is_empty() {
        return direct;
    }
    let deeper: Vec<Entry> = part.below.iter().flat_map(|one| one.all()).flat_map(|one| worded(&one.below)).collect();
    if !deeper.is_empty() { deeper } else { sub_headings(&part.below) }
}

/// The only bold line below a heading: it leads in what follows it.
fn lead_in(part: &Part) -> Option<&Part> {
    let bold: Vec<&Part> =
        part.below.iter().filter(|one| one.level == BOLD && !titles::describes(&one.title.text)).collect();
    let is_alone = !part.below.iter().any(|one| one.level < BOLD);
    match bold.as_slice() {
        [one] if is_alone && !is_worded(&one.title) => Some(one),
        _ => None,
    }
}

/// Headings that a word marks as options: `Option B: Text message`.
pub(super) fn worded(below: &[Part]) -> Vec<Entry> {
    below.iter().filter(|part| is_worded(&part.title)).map(headed).collect()
}

fn is_worded(line: &Line) -> bool {
    option_line::prefix(line).is_some_and(|prefix| prefix.mark == Mark::Word)
}

/// All sub-headings but those that describe. Bold lines count where there are several, and no other headings.
pub(super) fn sub_headings(below: &[Part]) -> Vec<Entry> {
    let is_option = |part: &&Part| !titles::describes(&part.title.text) && !titles::is_list(&part.title.text);
    let marked: Vec<Entry> = below.iter().filter(|part| part.level < BOLD).filter(is_option).map(headed).collect();
    let has_headings = below.iter().any(|part| part.level < BOLD);
    if has_headings || below.iter().filter(is_option).count() < 2 {
        return marked;
    }
    let mut found: Vec<Entry> = Vec::new();
    for part in below {
        match found.last_mut() {
            // `**Pros:**` below `**Postcard**`.
            Some(entry) if !is_option(&part) => {
                add(entry, [format!("{}:", part.title.text.trim().trim_end_matches(':')), told(&part.blocks())]);
            }
            _ if is_option(&part) => found.push(headed(part)),
            _ => {}
        }
    }
    found
}

fn headed(part: &Part) -> Entry {
    let blocks = part.blocks();
    Entry { line: part.title.clone(), id: None, name: name_in(&blocks), told: told(&blocks) }
}

/// The name of an option whose heading has only its id: `**Name:** Text message`, a bold start, or all that stands there.
fn name_in(blocks: &[Block]) -> Option<String> {
    let labels = blocks.iter().flat_map(|block| &block.lines).filter_map(Line::label);
    let is_name = |label: &str| ["name", "title", "label"].contains(&label.to_lowercase().as_str());
    let mut named = labels.filter(|(label, value)| is_name(label) && !value.is_empty());
    if let Some((_, value)) = named.next() {
        return Some(value.to_owned());
    }
    let line = blocks.first().filter(|block| block.kind == Kind::Paragraph)?.lines.first()?;
    let label = option_line::read(line, None).label;
    let is_bold = line.bold > 0 && !titles::describes(&label);
    let is_all = blocks.len() == 1 && blocks[0].lines.len() == 1 && is_short(&line.text);
    (is_bold || is_all).then_some(label)
}

/// Whether a text can be a name: a few words, and no sentence.
pub(super) fn is_short(text: &str) -> bool {
    words::words(text).len() <= NAME_WORDS && !text.trim_end().ends_with(['.', '!', '?', '。'])
}

fn add(entry: &mut Entry, more: impl IntoIterator<Item = String>) {
    let before = std::mem::take(&mut entry.told);
    entry.told = joined(std::iter::once(before).chain(more).filter(|piece| !piece.trim().is_empty()));
}

/// What blocks say, on one line. What is left open, and code, says nothing.
pub(super) fn told(blocks: &[Block]) -> String {
    let said = blocks.iter().filter(|block| !matches!(block.kind, Kind::Code | Kind::Head));
    let pieces = said.flat_map(|block| match &block.kind {
        Kind::Row { head } => vec![tables::row(head, block)],
        Kind::Heading(_) => vec![format!("{}:", block.text().trim_end_matches(':'))],
        _ => block.lines.iter().filter(|line| !line.is_blank()).map(|line| line.text.trim().to_owned()).collect(),
    });
    joined(pieces.filter(|piece| !piece.is_empty()))
}

/// Pieces in one text: a semicolon stands where a piece ends without a mark.
pub(super) fn joined(pieces: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    for piece in pieces {
        if !text.is_empty() {
            let is_ended = text.ends_with(['.', ':', ';', ',', '!', '?', '。', '：', '…', ')']);
            text.push_str(if is_ended { " " } else { "; " });
        }
        text.push_str(&crate::rules::brief::one_line(&piece));
    }
    text
}

/// The items that stand furthest left, up to a second list that a line such as `We judge them by:` leads in, and its line.
fn items(own: &[Block]) -> (Vec<Entry>, Option<usize>) {
    let is_item = |block: &&Block| matches!(block.kind, Kind::Item { .. }) && !block.is_quoted;
    let Some(outermost) = own.iter().filter(is_item).map(|block| block.depth).min() else { return (Vec::new(), None) };
    let outer: Vec<Line> = own.iter().filter(is_item).filter(|one| one.depth == outermost).map(first).collect();
    let mut times: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    for line in &outer {
        *times.entry(words::words(&option_line::read(line, None).label)).or_default() += 1;
    }
    let has_words = outer.iter().any(is_worded);
    let is_detail = |line: &Line| {
        let label = option_line::read(line, None).label;
        let is_beside = has_words || times.get(&words::words(&label)).is_some_and(|times| *times > 1);
        titles::is_reason(&line.text) || titles::is_pro_or_con(&label) || (is_beside && titles::describes(&label))
    };
    let mut found: Vec<Entry> = Vec::new();
    let (mut describes, mut is_second) = (false, false);
    for block in own.iter().filter(|block| !block.is_quoted) {
        let is_outer = is_item(&block) && block.depth == outermost;
        if block.depth == 0 {
            let last = block.lines.last().map(|line| line.text.trim().to_owned()).unwrap_or_default();
            let leads = last.ends_with([':', '：']);
            is_second = leads && !found.is_empty() && !titles::is_list(&last);
            describes = leads && (titles::describes(&last) || titles::turns_down(&last));
        } else if is_second && !describes && is_outer && !is_detail(&first(block)) {
            return (found, Some(block.line));
        } else if describes {
            continue;
        } else if is_outer && !is_detail(&first(block)) {
            let told = joined(block.pieces().into_iter().skip(1).map(|line| line.text));
            found.push(Entry { line: first(block), told, ..Entry::default() });
        } else if let Some(entry) = found.last_mut() {
            add(entry, [told(std::slice::from_ref(block))]);
        }
    }
    (found, None)
}

/// The line that names a list item: what was only wrapped belongs to it.
fn first(item: &Block) -> Line {
    item.pieces().into_iter().next().unwrap_or_default()
}

/// Paragraphs that each begin with a name in bold, an id or number, or whose next line begins with a colon.
fn paragraphs(own: &[Block]) -> Vec<Entry> {
    let mut found: Vec<Entry> = Vec::new();
    for block in own.iter().filter(|block| !block.is_quoted && !matches!(block.kind, Kind::Code | Kind::Head)) {
        if block.kind != Kind::Paragraph || block.depth > 0 {
            if let Some(entry) = found.last_mut() {
                add(entry, [told(std::slice::from_ref(block))]);
            }
            continue;
        }
        for (at, line) in block.lines.iter().enumerate() {
            let is_defined = block.lines.get(at + 1).is_some_and(|next| defines(&next.text).is_some());
            match (found.last_mut(), defines(&line.text)) {
                (Some(entry), Some(text)) => add(entry, [text.to_owned()]),
                (_, None) if is_defined || begins(line) => {
                    found.push(Entry { line: line.clone(), ..Entry::default() });
                }
                (Some(entry), None) if !line.is_blank() => add(entry, [line.text.clone()]),
                _ => {}
            }
        }
    }
    found
}

/// `: what it is`, below a name.
fn defines(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix(": ").map(str::trim)
}

/// Whether a line of a paragraph begins with the name of an option.
fn begins(line: &Line) -> bool {
    let label = option_line::read(line, None).label;
    let is_bold = line.bold > 0 && !titles::describes(&label) && !titles::is_list(&label);
    is_bold || option_line::prefix(line).is_some()
}

/// Paragraphs of a part that a word marks as options.
pub(super) fn worded_paragraphs(part: &Part) -> Vec<Entry> {
    paragraphs(&part.own).into_iter().filter(|entry| is_worded(&entry.line)).collect()
}

/// Whether list items stand between the paragraphs: they describe them then.
fn are_between(own: &[Block]) -> bool {
    let is_start = |block: &&Block| block.kind == Kind::Paragraph && block.depth == 0 && block.lines.iter().any(begins);
    let (first, last) = (own.iter().position(|one| is_start(&one)), own.iter().rposition(|one| is_start(&one)));
    let inside = first.zip(last).and_then(|(first, last)| own.get(first..last)).unwrap_or_default();
    let items = own.iter().filter(|block| block.depth > 0).count();
    items == 0 || inside.iter().any(|block| block.depth > 0)
}

/// The first name in a line of running text that seems to list options.
pub(super) fn running_name(line: &Line) -> Option<String> {
    let text = line.text.trim();
    let label = option_line::read(line, None).label;
    let is_labelled = label.len() < text.trim_end_matches('.').len() && !titles::is_list(&label);
    let listed = if titles::is_list(&label) { line.label().map_or("", |(_, value)| value) } else { text };
    let first =
        listed.split([',', ';', '/']).next().unwrap_or_default().split(" or ").next().unwrap_or_default().trim();
    let name = if is_labelled && label.len() < first.len() { label.as_str() } else { first };
    let is_plain = !name.is_empty() && !titles::describes(name);
    (is_short(name) && is_plain).then(|| name.trim_end_matches([':', ' ']).to_owned())
}
