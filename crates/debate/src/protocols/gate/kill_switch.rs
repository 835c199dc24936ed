//! Kill-switch criteria: whether one of them can be measured.

use crate::model::plan::Plan;
use crate::rules::option_names::OptionNames;
use forge_prose::blanks::{is_number, says_something};
use forge_prose::figures::has_figure;
use forge_prose::outline::{Block, Kind, Section};
use forge_prose::phrases::Phrases;
use std::sync::LazyLock;

/// Labels of what belongs to a condition and is none.
static BESIDE: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../../data/beside-conditions.txt")));

static NO_CONDITIONS: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::of(include_str!("../../../data/no-conditions.txt")));

/// What a criterion should come with.
pub(super) const PARTS: [(&str, &[&str]); 3] = [
    ("Detection", &["detect", "monitor"]),
    ("Timeline", &["timeline", "check"]),
    ("Fallback", &["fallback", "rollback"]),
];

/// Whether a condition has a figure or a date.
pub(super) fn has_threshold(section: &Section, plan: &Plan) -> bool {
    let names = OptionNames::of(&plan.options);
    let outline = section.outline();
    let first = outline.said().next().and_then(|block| block.sentences().into_iter().next());
    if first.is_none_or(|first| first.text.len() < 80 && denies(&first.text, &section.title)) {
        return false;
    }
    outline.said().any(|block| conditions(block).iter().any(|text| has_figure(&names.masked(text))))
}

/// Whether a sentence only says that there are none.
fn denies(sentence: &str, title: &str) -> bool {
    !sentence.trim_end().ends_with([':', '：']) && !says_something(sentence, title)
}

/// The texts of a block that can state a condition.
fn conditions(block: &Block) -> Vec<String> {
    match &block.kind {
        _ if block.is_blank() => Vec::new(),
        Kind::Row { head } => {
            let cells = block.lines.iter().enumerate().filter(|(i, cell)| {
                let column = head.get(*i).map(String::as_str).unwrap_or_default();
                !(BESIDE.has_text(column) || *i == 0 && is_number(&cell.text))
            });
            cells.map(|(_, cell)| cell.text.clone()).collect()
        }
        _ => {
            let is_beside = |text: &str| {
                let label = text.split([':', '：']).next().unwrap_or_default();
                text.contains([':', '：']) && BESIDE.has_text(label)
            };
            let stated = block.sentences().into_iter().map(|sentence| sentence.text);
            stated
                .filter(|text| !is_beside(text) && !text.trim_end().ends_with([':', '：']) && !sets_no_condition(text))
                .map(|text| without_beside(&text))
                .collect()
        }
    }
}

/// A condition without what stands beside it in brackets: `(Detection: after 10 minutes)`.
fn without_beside(text: &str) -> String {
    let opens = text.match_indices('(').map(|(at, _)| at);
    let is_beside = |at: &usize| text[at + 1..].split_once(':').is_some_and(|(label, _)| BESIDE.has_text(label));
    opens.filter(is_beside).min().map_or_else(|| text.to_owned(), |at| text[..at].to_owned())
}

/// Whether a sentence speaks of meetings and authors, or of conditions that are still to be set.
fn sets_no_condition(text: &str) -> bool {
    NO_CONDITIONS.find(&forge_prose::words::words(text)).is_some()
}

/// The parts that no word of the section speaks of.
pub(super) fn missing_parts(section: &Section) -> Vec<&'static str> {
    let said = forge_prose::words::words(&section.body);
    let speaks = |stems: &[&str]| said.iter().any(|word| stems.iter().any(|stem| word.starts_with(stem)));
    PARTS.into_iter().filter(|(_, stems)| !speaks(stems)).map(|(name, _)| name).collect()
}
