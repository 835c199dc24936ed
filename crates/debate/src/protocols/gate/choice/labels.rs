//! Where a section states something: rows of lists, labelled lines, sentences.

use super::lists::{ACCEPTED, ADVERBS, DECIDERS, LABELS};
use crate::rules::option_names::is_article;
use forge_prose::Line;
use forge_prose::outline::{Block, Kind, Outline};
use forge_prose::words::words;

/// The rows of a list: an item, a row, a heading, or each line of a paragraph of several.
pub(super) fn rows_of(block: &Block) -> Vec<Block> {
    match block.kind {
        Kind::Item { .. } | Kind::Row { .. } | Kind::Heading(_) => vec![block.clone()],
        Kind::Paragraph if block.lines.len() > 1 => {
            let one = |line: &Line| Block { lines: vec![line.clone()], line: line.line, ..block.clone() };
            block.lines.iter().map(one).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether what stands at this word is denied, or told of another time: "was never rejected", "rejected last year".
pub(super) fn is_negated(said: &[String], at: usize) -> bool {
    let before = &said[at.saturating_sub(3)..at];
    let denies = |word: &String| matches!(word.as_str(), "not" | "never" | "nobody" | "none" | "no");
    let other_time = ["if", "unless", "last", "previously", "initially", "originally", "once"];
    before.iter().any(denies) || said.iter().any(|word| other_time.contains(&word.as_str()))
}

/// The blocks whose sentences count: no code, no quotations, no heads of tables.
pub(super) fn spoken(outline: &Outline) -> impl Iterator<Item = &Block> {
    outline.blocks.iter().filter(|block| !block.is_quoted && !matches!(block.kind, Kind::Code | Kind::Head))
}

/// Labels with their values and lines: on one line, on the next one, in a table's row or column, under a sub-heading.
pub(super) fn labelled(outline: &Outline) -> Vec<(String, String, usize)> {
    let mut found = Vec::new();
    let blocks: Vec<&Block> = outline.blocks.iter().filter(|block| block.kind != Kind::Code).collect();
    for (i, block) in blocks.iter().enumerate() {
        // A quotation that is introduced, `as Ana wrote:`, is somebody else's.
        let is_introduced = i > 0 && blocks[i - 1].text().trim_end().ends_with([':', '：']);
        if block.is_quoted && is_introduced {
            continue;
        }
        let next_block = blocks.get(i + 1).and_then(|next| next.lines.first());
        match &block.kind {
            Kind::Heading(_) => {
                let title = block.text();
                let (label, value) = title.split_once([':', '：']).unwrap_or((title.as_str(), ""));
                let value = match (value.trim(), next_block) {
                    ("", Some(next)) => next.text.clone(),
                    (value, _) => value.to_owned(),
                };
                found.push((bare(label), value, block.line));
            }
            Kind::Row { head } => {
                if let [label, value, ..] = block.lines.as_slice() {
                    found.push((bare(&label.text), value.text.clone(), block.line));
                }
                // A table with one row below its head: each column is a label.
                let is_only = outline.blocks.iter().filter(|other| other.is_row()).count() == 1;
                for (label, cell) in head.iter().zip(&block.lines).filter(|_| is_only) {
                    found.push((bare(label), cell.text.clone(), block.line));
                }
            }
            Kind::Head => {
                if let [label, value] = block.lines.as_slice() {
                    found.push((bare(&label.text), value.text.clone(), block.line));
                }
            }
            _ => {
                for (j, line) in block.lines.iter().enumerate() {
                    let Some((label, value)) = line.label() else { continue };
                    let next = block.lines.get(j + 1).or(next_block);
                    let value = match (value, next) {
                        ("", Some(next)) => next.text.clone(),
                        (value, _) => value.to_owned(),
                    };
                    found.push((bare(label), value, line.line));
                }
            }
        }
    }
    found.retain(|(label, value, _)| !label.is_empty() && !value.trim().is_empty());
    found
}

/// A label without pictures and numbers before it, and without what stands in brackets behind it.
pub(super) fn bare(label: &str) -> String {
    let label = label.split(['(', '（']).next().unwrap_or(label);
    forge_prose::bare_title(label).to_owned()
}

/// Whether a label says what was chosen: `Decision`, `Recommendation adopted`, `Decision of the board`.
pub(super) fn is_choice_label(label: &str) -> bool {
    let said = words(label);
    let mut at = 0;
    let mut chooses = false;
    while at < said.len() {
        let labels = LABELS.at(&said[at..]);
        let small = ACCEPTED.at(&said[at..]).max(ADVERBS.at(&said[at..])).max(DECIDERS.at(&said[at..]));
        let small = small.max(usize::from(
            is_article(&said[at])
                || matches!(said[at].as_str(), "of" | "by" | "reached" | "made" | "taken" | "on" | "record"),
        ));
        match labels.max(small) {
            0 => return false,
            length => at += length,
        }
        chooses |= labels > 0;
    }
    chooses
}
