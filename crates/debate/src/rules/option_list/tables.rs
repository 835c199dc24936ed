//! Options in the rows of a table, or in its columns.

use super::entries::{Entry, joined};
use super::titles::{Column, column};
use crate::rules::option_line;
use forge_prose::blanks::holds_place;
use forge_prose::outline::{Block, Kind, Line};

/// The entries of the first table that has any, and whether one of its columns says that it names options.
pub(super) fn entries(own: &[Block]) -> (Vec<Entry>, bool) {
    let mut tables: Vec<(&[String], Vec<&Block>)> = Vec::new();
    let mut is_new = true;
    for block in own.iter().filter(|block| !block.is_quoted) {
        match &block.kind {
            Kind::Row { head } => match tables.last_mut().filter(|_| !is_new) {
                Some((_, rows)) => rows.push(block),
                None => {
                    tables.push((head, vec![block]));
                    is_new = false;
                }
            },
            _ => is_new = true,
        }
    }
    let read = tables.iter().map(|(head, rows)| {
        let columns: Vec<Column> = head.iter().map(|cell| column(cell)).collect();
        let by_columns = across(head, &columns, rows);
        let is_named = columns.contains(&Column::Name) || !by_columns.is_empty();
        (if by_columns.is_empty() { down(head, &columns, rows) } else { by_columns }, is_named)
    });
    let mut read: Vec<(Vec<Entry>, bool)> = read.filter(|(entries, _)| !entries.is_empty()).collect();
    read.sort_by_key(|(_, is_named)| !is_named);
    read.into_iter().next().unwrap_or_default()
}

/// Options in the rows.
fn down(head: &[String], columns: &[Column], rows: &[&Block]) -> Vec<Entry> {
    let cells = |row: &Block, at: usize| row.lines.get(at).map(|cell| cell.text.trim().to_owned()).unwrap_or_default();
    let is_numbered = |at: usize| rows.iter().all(|row| is_bare_id(&cells(row, at)));
    let find = |kind: Column| columns.iter().position(|column| *column == kind);
    let named = find(Column::Name).filter(|at| !is_numbered(*at));
    let second = || (0..columns.len()).find(|at| columns[*at] == Column::Name && !is_numbered(*at));
    let first = (!is_numbered(0) && columns.first() != Some(&Column::Id)).then_some(0);
    let Some(label) = named.or_else(second).or(first).or_else(|| find(Column::Text)) else { return Vec::new() };
    let ids = (0..label).find(|at| is_numbered(*at));
    rows.iter()
        .map(|row| {
            let others = (0..columns.len()).filter(|at| *at != label && Some(*at) != ids);
            let (texts, rest): (Vec<usize>, Vec<usize>) = others.partition(|at| columns[*at] == Column::Text);
            let text = |at: usize| Some(cells(row, at)).filter(|cell| !holds_place(cell));
            let labelled = |at: usize| Some(format!("{}: {}", head.get(at)?, text(at)?));
            let told = texts.into_iter().filter_map(text).chain(rest.into_iter().filter_map(labelled));
            let line = row.lines.get(label).cloned().unwrap_or_default();
            let id = ids.and_then(|at| id_in(&cells(row, at)));
            Entry { line: Line { line: row.line, ..line }, id, name: None, told: joined(told) }
        })
        // `| Option A | | |` is a row of a template.
        .filter(|entry| !is_bare_id(&entry.line.text) || !entry.told.is_empty())
        .collect()
}

/// Options in the columns, each row being a criterion.
fn across(head: &[String], columns: &[Column], rows: &[&Block]) -> Vec<Entry> {
    let [first, rest @ ..] = columns else { return Vec::new() };
    let begins = *first == Column::Criteria || head.first().is_some_and(|cell| cell.trim().is_empty());
    let are_names = rest.len() >= 2 && rest.iter().all(|column| *column == Column::Other);
    if !begins || !are_names || head.iter().skip(1).any(|cell| is_bare_id(cell)) {
        return Vec::new();
    }
    let line = rows.first().map_or(0, |row| row.line.saturating_sub(2));
    let cell = |row: &Block, at: usize| row.lines.get(at).map(|cell| cell.text.trim().to_owned());
    (1..head.len())
        .map(|at| {
            let told = rows.iter().filter_map(|row| {
                let said = cell(row, at).filter(|said| !holds_place(said))?;
                Some(format!("{}: {said}", cell(row, 0)?))
            });
            let name = Line { text: head[at].clone(), line, ..Line::default() };
            Entry { line: name, id: None, name: None, told: joined(told) }
        })
        .collect()
}

/// `A`, `2`, `Option B`: an id and no name.
fn is_bare_id(text: &str) -> bool {
    id_in(text).is_some() || text.trim().is_empty()
}

fn id_in(text: &str) -> Option<String> {
    let bare = text.trim().trim_matches(['(', ')', '.', ':', '#', '[', ']']);
    let is_id = bare.len() <= 3 && bare.chars().all(|c| c.is_ascii_alphanumeric());
    let is_plain = is_id && (bare.len() == 1 || bare.chars().skip(1).all(|c| c.is_ascii_digit()));
    if is_plain && !bare.is_empty() {
        return Some(bare.to_owned());
    }
    let line = Line { text: text.trim().to_owned(), ..Line::default() };
    option_line::prefix(&line).filter(|prefix| prefix.end == line.text.len()).map(|prefix| prefix.id)
}

/// A row as it describes something: `Cost: 60 cents`.
pub(super) fn row(head: &[String], block: &Block) -> String {
    let cells = block.lines.iter().map(|cell| cell.text.trim()).filter(|cell| !holds_place(cell));
    match head {
        [_, _] => cells.collect::<Vec<_>>().join(": "),
        _ => cells.collect::<Vec<_>>().join(", "),
    }
}
