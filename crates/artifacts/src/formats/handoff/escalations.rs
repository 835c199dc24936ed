//! Escalation conditions whose standing is said in words: `| Mail does not cope | Triggered: Yes |`, `- Mail does not cope: MET`.
//!
//! Pure; if the process dies here nothing is left.

use super::answer::answer;
use crate::formats::boxes::Boxes;
use forge_prose::outline::{Block, Kind, Line, Outline};
use forge_prose::parts::Part;
use forge_workflow::extract::passages::{key, one_line};
use forge_workflow::snapshot::Checkbox;

const COLUMNS: &str = include_str!("../../../data/met-columns.txt");
const WORDS: &str = include_str!("../../../data/met-words.txt");

/// Adds the conditions that words tell of to those that boxes do. Where both do, the words count.
pub(super) fn add(found: &mut Boxes, body: &str, body_line: usize, is_wanted: &dyn Fn(&str) -> bool) {
    let outline = Outline::of(body, body_line);
    let root = outline.parts(body);
    let is_below = |part: &&Part| (part.level > 1 || part.below.is_empty()) && is_wanted(&part.title.text);
    let parts = root.all().into_iter().filter(is_below);
    let blocks = parts.flat_map(|part| part.blocks()).filter(|block| !block.is_quoted);
    for one in blocks.flat_map(|block| told(&block)) {
        let is_new = !found.boxes.iter().any(|known| known.line == one.line && known.ticked == one.ticked);
        found.unread.retain(|(line, _)| *line != one.line);
        found.without.retain(|line| *line != one.line);
        if is_new {
            found.boxes.retain(|known| known.line != one.line);
            found.boxes.push(one);
        }
    }
    found.boxes.sort_by_key(|one| one.line);
}

fn told(block: &Block) -> Vec<Checkbox> {
    match &block.kind {
        Kind::Row { head } => row(head, block).into_iter().collect(),
        Kind::Head => pair(&[], block).into_iter().collect(),
        Kind::Item { ticked: None } | Kind::Paragraph => block.lines.iter().filter_map(line).collect(),
        _ => Vec::new(),
    }
}

/// A row under a column that says whether the condition has come about, or one that is about that alone.
fn row(head: &[String], block: &Block) -> Option<Checkbox> {
    let at = head.iter().position(|cell| is_one_of(cell, COLUMNS)).filter(|at| *at > 0);
    let Some(at) = at else { return pair(head, block) };
    let ticked = is_met(&block.lines.get(at)?.text);
    let others = block.lines.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, cell)| one_line(&cell.text));
    let text = others.filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(" | ");
    (!text.is_empty()).then_some(Checkbox { text, ticked, line: block.line })
}

/// `| Triggered | Yes |`, in a table of one condition.
fn pair(head: &[String], block: &Block) -> Option<Checkbox> {
    let [about, value] = block.lines.as_slice() else { return None };
    if !is_one_of(&about.text, COLUMNS) || !is_met(&value.text) {
        return None;
    }
    let text = head.get(1).map(|cell| one_line(cell)).filter(|cell| !cell.is_empty());
    let text = text.unwrap_or_else(|| format!("{}: {}", one_line(&about.text), one_line(&value.text)));
    Some(Checkbox { text, ticked: true, line: block.line })
}

/// `Triggered: Yes`, `Mail does not cope: MET`, `Mail does not cope (triggered)`.
fn line(line: &Line) -> Option<Checkbox> {
    let text = line.text.trim();
    let met = |text: &str| Some(Checkbox { text: one_line(text), ticked: true, line: line.line });
    if let Some((about, value)) = line.label()
        && is_one_of(about, COLUMNS)
    {
        return is_met(value).then(|| met(text))?;
    }
    let at = text.rfind([':', '(', '[', '–', '—', '→'])?;
    let (about, said) = text.split_at(at);
    let said = said.trim_matches(|c: char| !c.is_alphanumeric());
    let is_said = !about.trim().is_empty() && (is_one_of(said, WORDS) || matches!(key(said).as_str(), "yes" | "true"));
    is_said.then(|| met(about))?
}

/// Whether a text says that it is so.
fn is_met(text: &str) -> bool {
    answer(text).unwrap_or_else(|| {
        let first = text.split(['(', ',', ';', ':', '–', '—']).next().unwrap_or_default();
        is_one_of(first, WORDS) || key(first).split_whitespace().next().is_some_and(|word| is_one_of(word, WORDS))
    })
}

fn is_one_of(text: &str, words: &str) -> bool {
    let bare = key(text);
    forge_prose::phrases::lines(words).any(|word| bare == word)
}
