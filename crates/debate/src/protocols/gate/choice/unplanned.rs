//! Whether a text decides, where nobody knows its options: the synthesis of another tool.

use super::clauses::{doubt_in, without_quotations};
use super::labels::{is_choice_label, labelled, rows_of, spoken};
use super::lists::{ACCEPTED, CONDITIONS, REFUSALS, TURNED_DOWN};
use super::{OptionNames, Reader, Said, is_question};
use crate::option_names::{Unit, is_article};
use forge_prose::blanks::{is_placeholder, puts_off};
use forge_prose::outline::{Block, Kind, Outline, Section};
use forge_prose::words::words;

/// The most words of a line that is nothing but what was chosen.
const LINE_WORDS: usize = 8;

/// Whether a document decides: by its sections that are called a decision, and where it has none, by its sentences.
pub fn decides(sections: &[Section], text: &str) -> bool {
    let called = |section: &&Section| is_choice_label(section.title.split([':', '—', '–', '：']).next().unwrap_or(""));
    let deciding: Vec<Outcome> = sections.iter().filter(called).map(of_section).collect();
    match deciding.is_empty() {
        true => of_outline(&Outline::of(text, 1), false) == Outcome::Decides,
        false => deciding.contains(&Outcome::Decides) && !deciding.contains(&Outcome::Refuses),
    }
}

/// Whether a document has labels for what was chosen, and nobody filled one in.
pub fn leaves_open(text: &str) -> bool {
    let labels = labelled(&Outline::of(text, 1));
    let mut values = labels.iter().filter(|(label, _, _)| is_choice_label(label)).map(|(_, value, _)| value).peekable();
    values.peek().is_some() && values.all(|value| is_placeholder(value))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Decides,
    Refuses,
    Nothing,
}

fn of_section(section: &Section) -> Outcome {
    let in_title = section.title.split_once([':', '—', '–', '：']).map(|(_, value)| of_value(value));
    match (in_title, of_outline(&section.outline(), true)) {
        (Some(Outcome::Refuses), _) => Outcome::Refuses,
        (Some(Outcome::Decides), Outcome::Nothing) => Outcome::Decides,
        (_, outcome) => outcome,
    }
}

fn of_outline(outline: &Outline, is_called_decision: bool) -> Outcome {
    let reader = Reader { names: OptionNames::of(&[]) };
    if reader.refuse_undecided(outline).is_err() {
        return Outcome::Refuses;
    }
    let labels = labelled(outline);
    let values = labels.iter().filter(|(label, _, _)| is_choice_label(label)).map(|(_, value, _)| of_value(value));
    let values: Vec<Outcome> = values.collect();
    if values.contains(&Outcome::Refuses) {
        return Outcome::Refuses;
    }
    let first = || outline.blocks.iter().find(|block| !block.is_quoted && block.kind != Kind::Code);
    let is_first = || is_called_decision && first().is_some_and(is_a_name);
    let in_list = || is_called_decision && outline.blocks.iter().flat_map(rows_of).any(|row| is_accepted(&row));
    let chosen = || spoken(outline).flat_map(Block::sentences).any(|one| !one.is_blank && chooses(&reader, &one.text));
    match values.contains(&Outcome::Decides) || is_first() || in_list() || chosen() {
        true => Outcome::Decides,
        false => Outcome::Nothing,
    }
}

/// What the value of a label such as `Selected` comes to.
fn of_value(value: &str) -> Outcome {
    let said = words(value);
    if said.is_empty() || is_placeholder(value) || puts_off(value) || is_question(value) {
        return Outcome::Nothing;
    }
    if REFUSALS.at(&said) > 0 {
        return Outcome::Refuses;
    }
    let mut clauses = value.split([',', ';', '(', '—', '–', '.', '，', '。']).map(words);
    let first = clauses.next().unwrap_or_default();
    let is_plain = |clause: Vec<String>| CONDITIONS.at(&clause) == 0;
    match !has_doubt(&first.join(" ")) && clauses.all(is_plain) {
        true => Outcome::Decides,
        false => Outcome::Nothing,
    }
}

fn has_doubt(text: &str) -> bool {
    doubt_in(&OptionNames::of(&[]).units(text)).is_some()
}

/// A first line that is nothing but a name: `Option C - Digest mail`.
fn is_a_name(block: &Block) -> bool {
    let Some(sentence) = block.sentences().into_iter().next().filter(|sentence| !sentence.is_blank) else {
        return false;
    };
    let is_label = block.lines.first().is_some_and(|line| line.label().is_some());
    let is_open = matches!(block.kind, Kind::Item { ticked: Some(false) } | Kind::Head | Kind::Row { .. });
    let is_short = words(&sentence.text).len() <= LINE_WORDS;
    !is_label && !is_open && is_short && of_value(&sentence.text) == Outcome::Decides
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
