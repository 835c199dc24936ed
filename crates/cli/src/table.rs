//! Text in the width that there is: wrapped paragraphs, and tables whose long cells go below their row where it is narrow.
//!
//! Where no width is known, as in a pipe, nothing is wrapped and nothing is cut.

use crate::render::{Style, one_line};
use std::fmt::Write as _;

/// The most characters of a cell; whoever says more than this says it elsewhere too.
const CELL_LIMIT: usize = 4_000;
/// The least characters of a column in which sentences are still easy to read.
const READABLE: usize = 36;
/// What stands before every row.
const INDENT: usize = 2;
/// What stands before a cell that goes below its row.
const BELOW: usize = 6;
/// What stands between two columns.
const GAP: usize = 2;

/// A row of a table.
pub(crate) struct Row {
    /// One for each column.
    pub(crate) cells: Vec<String>,
    /// What is always below the row, a line each.
    pub(crate) below: Vec<String>,
}

/// Where the long columns of a table go.
enum Layout {
    /// All beside each other, as wide as they are.
    Beside,
    /// The first of them beside the short ones, in so many characters; the others below.
    Wrapped(usize),
    /// All below.
    Below,
}

/// Rows with aligned columns, of which those from `long` on may hold sentences.
pub(crate) fn table(text: &mut String, style: Style, head: &[&str], long: usize, rows: Vec<Row>) {
    let flat = |cell: &String| one_line(cell, CELL_LIMIT);
    let cells: Vec<Vec<String>> = rows.iter().map(|row| row.cells.iter().map(flat).collect()).collect();
    let widths: Vec<usize> = (0..head.len())
        .map(|column| cells.iter().filter_map(|row| row.get(column)).map(|cell| length(cell)).max().unwrap_or(0))
        .zip(head)
        .map(|(width, name)| width.max(length(name)))
        .collect();
    let layout = layout(&widths, long, style.width());
    let beside = match layout {
        Layout::Beside => head.len(),
        Layout::Wrapped(_) => long + 1,
        Layout::Below => long,
    };
    let line = |cells: &[String]| {
        let last = cells.len().saturating_sub(1);
        let pad = |(at, cell): (usize, &String)| if at == last { cell.clone() } else { padded(cell, widths[at]) };
        cells.iter().enumerate().map(pad).collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end().to_owned()
    };
    let names: Vec<String> = head.iter().take(beside).map(|name| (*name).to_owned()).collect();
    let _ = writeln!(text, "{}{}", " ".repeat(INDENT), style.dim(&line(&names)));
    let short: usize = widths.iter().take(long).map(|width| width + GAP).sum();
    for (row, cells) in rows.iter().zip(&cells) {
        let mut first = cells.iter().take(beside).cloned().collect::<Vec<_>>();
        let mut rest = Vec::new();
        if let (Layout::Wrapped(room), Some(cell)) = (&layout, first.last_mut()) {
            let mut lines = wrapped(&parted(cell, *room), Some(*room)).into_iter();
            *cell = lines.next().unwrap_or_default();
            rest.extend(lines.map(|line| format!("{}{line}", " ".repeat(INDENT + short))));
        }
        let _ = writeln!(text, "{}{}", " ".repeat(INDENT), line(&first));
        rest.iter().for_each(|line| {
            let _ = writeln!(text, "{line}");
        });
        let named = cells.iter().zip(head).skip(beside).filter(|(cell, _)| !cell.is_empty());
        let named = named.map(|(cell, name)| if name.is_empty() { cell.clone() } else { format!("{name}: {cell}") });
        for one in named.chain(row.below.iter().map(flat)) {
            paragraph(text, &one, BELOW, BELOW + GAP, style.width());
        }
    }
}

fn layout(widths: &[usize], long: usize, width: Option<usize>) -> Layout {
    let short: usize = INDENT + widths.iter().take(long).map(|width| width + GAP).sum::<usize>();
    let whole = INDENT + widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
    match width {
        None => Layout::Beside,
        Some(width) if whole <= width => Layout::Beside,
        Some(width) if width >= short + READABLE => Layout::Wrapped(width - short),
        Some(_) => Layout::Below,
    }
}

/// Writes a paragraph, its first line behind so many blanks and the others behind so many.
pub(crate) fn paragraph(text: &mut String, words: &str, first: usize, others: usize, width: Option<usize>) {
    let room = width.map(|width| width.saturating_sub(first.max(others)).max(READABLE / 2));
    for (at, line) in wrapped(words, room).into_iter().enumerate() {
        let _ = writeln!(text, "{}{line}", " ".repeat(if at == 0 { first } else { others }));
    }
}

/// The words on lines of at most so many characters, unless one word alone is longer.
pub(crate) fn wrapped(words: &str, room: Option<usize>) -> Vec<String> {
    let Some(room) = room else { return vec![words.to_owned()] };
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in words.split_whitespace() {
        if !line.is_empty() && length(&line) + 1 + length(word) > room {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// The text with words that no line can hold in parts.
fn parted(words: &str, room: usize) -> String {
    let part = |word: &str| {
        let letters: Vec<char> = word.chars().collect();
        letters.chunks(room.max(1)).map(|part| part.iter().collect()).collect::<Vec<String>>().join(" ")
    };
    words.split_whitespace().map(part).collect::<Vec<_>>().join(" ")
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn padded(text: &str, width: usize) -> String {
    format!("{text:<width$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &[&str] = &["agent", "kind", "why not", "what helps"];
    const WHY: &str =
        "with OPENAI_API_KEY and no other OPENAI_BASE_URL than OpenAI's, whose models it asks is not known";
    const FIX: &str = "export OPENAI_BASE_URL=... OPENAI_MODEL=..., or qwen, then /auth";

    fn drawn(width: Option<usize>) -> String {
        let cells = ["qwen", "cli", WHY, FIX].map(str::to_owned).to_vec();
        let rows = vec![Row { cells, below: vec!["and what always stands below".to_owned()] }];
        let mut text = String::new();
        table(&mut text, Style::plain(width), HEAD, 2, rows);
        text
    }

    fn widest(text: &str) -> usize {
        text.lines().map(length).max().unwrap_or(0)
    }

    #[test]
    fn nothing_is_cut_or_wrapped_where_no_width_is_known() {
        let text = drawn(None);
        assert!(text.lines().any(|line| line.contains(WHY) && line.ends_with(FIX)), "{text}");
    }

    #[test]
    fn a_word_that_no_line_can_hold_stays_in_its_column() {
        let row = Row { cells: vec!["gemini".to_owned(), "{\"error\":".repeat(30)], below: Vec::new() };
        let mut text = String::new();
        table(&mut text, Style::plain(Some(60)), &["agent", ""], 1, vec![row]);
        assert!(widest(&text) <= 60, "{text}");
    }

    #[test]
    fn every_width_is_kept_to_and_every_word_is_there() {
        for width in [30, 60, 80, 100, 140, 200] {
            let text = drawn(Some(width));
            assert!(widest(&text) <= width, "{width}:\n{text}");
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words.contains(WHY) && words.contains(FIX), "{width}:\n{text}");
        }
        assert!(drawn(Some(200)).lines().any(|line| line.contains(WHY) && line.ends_with(FIX)));
        let narrow = drawn(Some(40));
        assert!(narrow.contains("\n      why not: with") && narrow.contains("\n      what helps: export"), "{narrow}");
    }
}
