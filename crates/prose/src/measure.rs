//! What can be measured of a section's text without understanding it: read through the outline.

use crate::blanks::is_placeholder;
use crate::outline::{Block, Kind, Outline};

/// The list items of a body that stand furthest left, with what is wrapped below them; items nested under them do not count.
pub fn items(body: &str) -> Vec<String> {
    let outline = Outline::of(body, 1);
    let is_item = |block: &&Block| matches!(block.kind, Kind::Item { .. }) && !block.is_quoted;
    let outermost = outline.blocks.iter().filter(is_item).map(|block| block.depth).min().unwrap_or(0);
    outline.blocks.iter().filter(is_item).filter(|block| block.depth == outermost).map(Block::text).collect()
}

/// The rows of the first table, its head first.
pub fn table_rows(body: &str) -> Vec<String> {
    let outline = Outline::of(body, 1);
    let is_row = |block: &&Block| matches!(block.kind, Kind::Row { .. } | Kind::Head);
    let rows = outline.blocks.iter().skip_while(|block| block.kind != Kind::Head).take_while(is_row);
    let mut heads = 0;
    rows.take_while(|block| {
        heads += usize::from(block.kind == Kind::Head);
        heads <= 1
    })
    .map(|block| format!("| {} |", block.text()))
    .collect()
}

/// Sentences of a body.
pub fn sentences(body: &str) -> usize {
    Outline::of(body, 1).said().map(|block| block.sentences().len()).sum()
}

/// The first sentence of a body that is neither a heading nor left open.
pub fn first_sentence(body: &str) -> Option<String> {
    let outline = Outline::of(body, 1);
    let mut said = outline.said().map(Block::text).filter(|text| !is_placeholder(text));
    said.find_map(|text| crate::sentences::split(&text).first().map(|sentence| (*sentence).to_owned()))
}
