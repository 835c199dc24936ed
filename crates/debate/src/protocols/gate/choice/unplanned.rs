//! What a text decides, where nobody knows its options: the synthesis of another tool.

use super::clauses::{doubt_in, without_quotations};
use super::labels::{is_choice_label, labelled, rows_of, spoken};
use super::lists::{ACCEPTED, CONDITIONS, GO_AHEAD, REFUSALS, TURNED_DOWN};
use super::{OptionNames, Reader, Said, is_question};
use crate::rules::option_names::{Unit, is_article, is_option_word};
use forge_prose::blanks::{is_placeholder, puts_off};
use forge_prose::outline::{Block, Kind, Outline, Section};
use forge_prose::words::words;

/// The most words of a line that is nothing but what was chosen.
const LINE_WORDS: usize = 8;

/// What a document decides: by its sections that are called a decision, and where it has none, by its sentences.
pub fn chosen(sections: &[Section], text: &str) -> Option<String> {
    let called = |section: &&Section| is_choice_label(section.title.split([':', '—', '–', '：']).next().unwrap_or(""));
    let deciding: Vec<Unplanned> = sections.iter().filter(called).map(of_section).collect();
    let found = match deciding.is_empty() {
        true => of_outline(&Outline::of(text, 1), false).chosen(),
        false if deciding.contains(&Unplanned::Refuses) => None,
        false => deciding.into_iter().find_map(Unplanned::chosen),
    }?;
    // `Option C` says which, and another line what it is called.
    let named = || text.lines().find_map(|line| behind_reference(line, &found)).map(|name| clause(name).to_owned());
    Some(if is_reference(&found) { named().unwrap_or(found) } else { found })
}

/// Whether a document has labels for what was chosen, and nobody filled one in.
pub fn leaves_open(text: &str) -> bool {
    let labels = labelled(&Outline::of(text, 1));
    let mut values = labels.iter().filter(|(label, _, _)| is_choice_label(label)).map(|(_, value, _)| value).peekable();
    values.peek().is_some() && values.all(|value| is_placeholder(value))
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Unplanned {
    /// With what was chosen.
    Decides(String),
    Refuses,
    Nothing,
}

impl Unplanned {
    fn chosen(self) -> Option<String> {
        match self {
            Unplanned::Decides(chosen) => Some(chosen),
            _ => None,
        }
    }
}

fn of_section(section: &Section) -> Unplanned {
    let in_title = section.title.split_once([':', '—', '–', '：']).map(|(_, value)| of_value(value));
    match (in_title, of_outline(&section.outline(), true)) {
        (Some(Unplanned::Refuses), _) => Unplanned::Refuses,
        (Some(decides @ Unplanned::Decides(_)), Unplanned::Nothing) => decides,
        (_, outcome) => outcome,
    }
}

fn of_outline(outline: &Outline, is_called_decision: bool) -> Unplanned {
    let reader = Reader { names: OptionNames::of(&[]) };
    if reader.refuse_undecided(outline).is_err() {
        return Unplanned::Refuses;
    }
    let labels = labelled(outline);
    let values = labels.iter().filter(|(label, _, _)| is_choice_label(label)).map(|(_, value, _)| of_value(value));
    let values: Vec<Unplanned> = values.collect();
    if values.contains(&Unplanned::Refuses) {
        return Unplanned::Refuses;
    }
    let mut names: Vec<String> = values.into_iter().filter_map(Unplanned::chosen).collect();
    // `PROCEED` leaves it to another label to say with what.
    names.sort_by_key(|name| GO_AHEAD.has_text(name) || is_reference(name));
    let first = || outline.blocks.iter().find(|block| !block.is_quoted && block.kind != Kind::Code);
    let is_first = || first().filter(|_| is_called_decision).and_then(a_name);
    let rows = || outline.blocks.iter().flat_map(rows_of).filter(|_| is_called_decision);
    let in_list = || rows().find(is_accepted).map(|row| before_mark(&row.text()).to_owned());
    let sentences = || spoken(outline).flat_map(Block::sentences).filter(|one| !one.is_blank);
    let without_why =
        |text: String| text.split(" because ").next().unwrap_or_default().trim_end_matches([',', ' ']).to_owned();
    let in_sentence = || sentences().find(|one| chooses(&reader, &one.text)).map(|one| without_why(one.text));
    let plain = names.first().filter(|name| !GO_AHEAD.has_text(name)).cloned();
    let found = plain.or_else(is_first).or_else(in_list).or_else(in_sentence).or_else(|| names.into_iter().next());
    found.map_or(Unplanned::Nothing, Unplanned::Decides)
}

/// The part of a row that names something: `Digest mail` of `Digest mail: SELECTED`.
fn before_mark(row: &str) -> &str {
    row.trim_start_matches('|').split([':', '|', '：', '—', '–']).next().unwrap_or(row).trim()
}

/// Whether a text only says which option: `Option C`, `B`, `2`.
fn is_reference(text: &str) -> bool {
    let said = words(text);
    match said.as_slice() {
        [one] => one.chars().count() == 1,
        [word, one] => is_option_word(word) && one.chars().count() <= 2,
        _ => false,
    }
}

/// What a line calls an option: `Digest mail` of `Option C - Digest mail`.
fn behind_reference<'l>(line: &'l str, reference: &str) -> Option<&'l str> {
    let at = (0..line.len()).find(|at| {
        let begins = line.get(*at..at + reference.len()).is_some_and(|part| part.eq_ignore_ascii_case(reference));
        begins && !line[..*at].ends_with(char::is_alphanumeric)
    })?;
    let rest = line[at + reference.len()..].trim_start_matches(['*', '`', '_', ' ']);
    let name = rest.strip_prefix([':', '-', '–', '—', '(', '：'])?.trim_matches(['*', '`', '_', ' ', ')', '|']);
    (!words(name).is_empty()).then_some(name)
}

/// What a value says before it goes on to say why.
fn clause(value: &str) -> &str {
    const ENDS: [&str; 9] = [", ", ";", " (", ". ", "，", "。", " — ", " – ", " because "];
    let end = ENDS.iter().filter_map(|mark| value.find(mark)).min().unwrap_or(value.len());
    value[..end].trim_matches(['*', '`', '_', ' ', '"', '.', '|'])
}

/// What a value names, without the letter before it: `Digest mail` of `Option C - Digest mail, because it is cheap`.
fn name_in(value: &str) -> String {
    let marks = [" - ", ": ", " – ", " — ", ") ", "："];
    let cut = marks.iter().filter_map(|mark| Some((value.find(mark)?, mark.len()))).min();
    let behind = cut.filter(|(at, _)| is_reference(&value[..*at])).map(|(at, length)| &value[at + length..]);
    let name = clause(behind.unwrap_or(value));
    if name.is_empty() { value.trim().to_owned() } else { name.to_owned() }
}

/// What the value of a label such as `Selected` comes to.
fn of_value(value: &str) -> Unplanned {
    let said = words(value);
    if said.is_empty() || is_placeholder(value) || puts_off(value) || is_question(value) {
        return Unplanned::Nothing;
    }
    if REFUSALS.at(&said) > 0 {
        return Unplanned::Refuses;
    }
    let mut clauses = value.split([',', ';', '(', '—', '–', '.', '，', '。']).map(words);
    let first = clauses.next().unwrap_or_default();
    let is_plain = |clause: Vec<String>| CONDITIONS.at(&clause) == 0;
    match !has_doubt(&first.join(" ")) && clauses.all(is_plain) {
        true => Unplanned::Decides(name_in(value)),
        false => Unplanned::Nothing,
    }
}

fn has_doubt(text: &str) -> bool {
    doubt_in(&OptionNames::of(&[]).units(text)).is_some()
}

/// A first line that is nothing but a name: `Option C - Digest mail`.
fn a_name(block: &Block) -> Option<String> {
    let sentence = block.sentences().into_iter().next().filter(|sentence| !sentence.is_blank)?;
    let is_label = block.lines.first().is_some_and(|line| line.label().is_some());
    let is_open = matches!(block.kind, Kind::Item { ticked: Some(false) } | Kind::Head | Kind::Row { .. });
    let is_short = words(&sentence.text).len() <= LINE_WORDS;
    of_value(&sentence.text).chosen().filter(|_| !is_label && !is_open && is_short)
}

/// A row of a list that says of something that it is the one: `Digest mail: SELECTED`.
fn is_accepted(row: &Block) -> bool {
    let text = row.text();
    let said = words(&text);
    let accepts = said.len() > 1 && ACCEPTED.find(&said[1..]).is_some();
    accepts && !is_placeholder(&text) && TURNED_DOWN.find(&said).is_none() && !has_doubt(&text)
}

/// Whether a sentence has a phrase that chooses, whatever it chooses.
fn chooses(reader: &Reader, sentence: &str) -> bool {
    if is_question(sentence) || is_placeholder(sentence) {
        return false;
    }
    let units = without_quotations(reader.names.units(sentence));
    let is_name = |unit: &Unit| {
        unit.word().is_some_and(|word| {
            !is_article(word) && REFUSALS.at(&[word]) == 0 && !["to", "that", "for", "on", "it"].contains(&word)
        })
    };
    (0..units.len()).filter(|at| is_name(&units[*at])).any(|at| {
        let mut units = units.clone();
        units[at] = Unit::Option(0);
        matches!(reader.units_of_sentence(units, 1), Said::Chooses(_))
    })
}
