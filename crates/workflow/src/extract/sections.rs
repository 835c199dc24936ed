//! What a section states in its list items, its tables' rows and its headings.
//!
//! Promises: columns and labels are found by name, in any order; nothing that only holds a place is taken for a value.
//!
//! Pure; if the process dies here nothing is left.

use super::criteria::{boxed, is_kill_switch};
use super::headings::names_kind;
use super::ids::{Head, Letters, head, said_kind};
use super::inline;
use super::labels;
use super::passages::{Item, blocks_at, dedent, heading, indent, key, label, lines, marker, table_at};
use super::rating_names::{IMPACT, PROBABILITY, SCORE};
use super::ratings::{is_active, is_bare, level};
use super::statements::{STRUCK, Statement, is_source};
use crate::knowledge::Kind;
use forge_prose::blanks::is_placeholder;

/// What is stated, with its id where the writer gave it one.
pub type Stated = (Option<String>, Statement);

/// The names of the column that says what an entry is about, the best first.
fn text_columns(kind: Kind) -> [&'static str; 8] {
    let word = kind.word();
    match kind {
        Kind::Decision => ["title", word, "description", "what", "summary", "text", "name", "statement"],
        _ => [word, "description", "text", "title", "what", "statement", "summary", "name"],
    }
}

/// What people call the column with what was decided, beside the one with what it was about.
const CHOICE: &[&str] = &["choice", "chosen", "selected", "selection", "resolution"];

/// Whether a column only numbers the rows.
fn is_id_column(name: &str) -> bool {
    matches!(name, "id" | "#" | "no" | "nr" | "ref" | "number") || name.ends_with(" id")
}

/// Whether a table of a knowledge file lists the kind: it has a column for what an entry says, and none for settings.
pub fn lists(kind: Kind, header: &[String]) -> bool {
    let named = |names: &[&str]| header.iter().any(|column| names.contains(&column.as_str()));
    (named(&text_columns(kind)) || header.iter().any(|column| names_kind(kind, column)))
        && !named(&["setting", "parameter", "default"])
}

/// The same, with a column for ids and one that names the kind: such a table is never part of an entry.
pub fn is_registry(kind: Kind, header: &[String]) -> bool {
    lists(kind, header)
        && header.iter().any(|column| is_id_column(column))
        && header.iter().any(|column| names_kind(kind, column))
}

/// Whether a table only counts entries by their level: `| Risk Level | Count | Highest Priority Risk |`.
pub(super) fn is_tally(header: &[String]) -> bool {
    const COUNTS: &[&str] =
        &["count", "number of risks", "total", "anzahl", "nombre", "cantidad", "numero", "quantidade"];
    let named = |names: &[&str]| header.iter().any(|column| names.contains(&column.as_str()));
    named(COUNTS) && named(&SCORE) | named(&IMPACT) && !named(&PROBABILITY)
}

/// Whether a table has how bad along its top: `| | Low impact | High impact |`.
pub(super) fn is_grid(header: &[String]) -> bool {
    let rates = |column: &String| level(column).is_some() && !column.chars().any(|c| c.is_ascii_digit());
    header.len() > 2 && header[1..].iter().all(rates)
}

/// The risks in a row of a grid that has how likely down its side. Cells that only rate show how to read it.
fn of_grid(header: &[String], cells: &[String], line: usize) -> Vec<Stated> {
    let side = cells.first().map(String::as_str).unwrap_or_default();
    let is_risk = |cell: &str| cell.chars().any(char::is_alphabetic) && !is_bare(cell);
    let columns = header.iter().zip(cells).skip(1).filter(|(_, cell)| is_risk(cell));
    let rated =
        |impact: &str| vec![("probability".to_owned(), side.to_owned()), ("impact".to_owned(), impact.to_owned())];
    columns
        .map(|(column, cell)| {
            (None, Statement { text: cell.clone(), fields: rated(column), line, ..Statement::default() })
        })
        .collect()
}

/// Whether a table lists risks with their ratings, whatever stands above it.
pub(super) fn rates_risks(header: &[String]) -> bool {
    let columns: Vec<String> = header.iter().map(|column| scaled(column, "").0).collect();
    let named = |names: &[&str]| columns.iter().any(|column| names.contains(&column.as_str()));
    columns.iter().any(|column| names_kind(Kind::Risk, column)) && named(&PROBABILITY) && named(&IMPACT)
}

/// Whether a table has columns for how likely and how bad, whatever it calls what it lists.
pub(super) fn rates_both(header: &[String]) -> bool {
    let columns: Vec<String> = header.iter().map(|column| scaled(column, "").0).collect();
    let named = |names: &[&str]| columns.iter().skip(1).any(|column| names.contains(&column.as_str()));
    named(&PROBABILITY) && named(&IMPACT)
}

/// The statement of a table's row, and its id where the row has one.
pub fn of_row(kind: Kind, header: &[String], cells: &[String]) -> Stated {
    let counted = header.iter().position(|column| is_id_column(column));
    let at = counted.unwrap_or(0);
    let letters = if counted.is_some() { Letters::Any } else { Letters::Own };
    let cell = cells.get(at).map(String::as_str).unwrap_or_default();
    let first = head(kind, letters, cell).or_else(|| name(cell).filter(|_| counted.is_some()));
    let id = first.as_ref().map(|head| head.id.clone());
    let columns = header.iter().zip(cells).enumerate().filter(|(place, _)| id.is_none() || *place != at);
    let mut fields: Vec<(String, String)> = columns.map(|(_, (column, value))| scaled(column, value)).collect();
    let get = |name: &&str| fields.iter().find(|(column, value)| column == name && !value.trim().is_empty());
    let own = || fields.iter().find(|(column, value)| names_kind(kind, column) && !value.trim().is_empty());
    let stated = text_columns(kind).iter().find_map(get).or_else(own).map(|(_, value)| value.clone());
    let in_head = first.map(|head| head.rest).filter(|rest| !rest.is_empty());
    let leading = || fields.iter().find(|(column, _)| !is_id_column(column)).map(|(_, value)| value.clone());
    let chosen = CHOICE.iter().find_map(get).filter(|_| kind == Kind::Decision).map(|(_, value)| value.clone());
    let text = stated.or(in_head).or_else(leading).unwrap_or_default();
    let text = chosen.map_or(text.clone(), |chosen| format!("{text}: {chosen}"));
    // `| Change | Risk |` with levels below *Risk* rates what the first column names.
    let is_level = kind == Kind::Risk
        && is_bare(&text)
        && level(&text).is_some()
        && text.chars().any(char::is_alphabetic)
        && cells.first().is_some_and(|first| *first != text);
    let named = fields.iter().find(|(column, value)| !is_id_column(column) && *value != text).map(|(_, it)| it.clone());
    let text = match named.filter(|_| is_level) {
        Some(named) => {
            fields.push((SCORE[0].to_owned(), text));
            named
        }
        None => text,
    };
    let text = unstruck(cell, text, &mut fields);
    (id, Statement { text, fields, ..Statement::default() })
}

/// A cell of an id's column that is one word: an id in a form of somebody's own.
fn name(cell: &str) -> Option<Head> {
    let bare = cell.trim_matches(['*', '`', '~', ' ']);
    let word = !bare.is_empty() && bare.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'));
    let named = word && bare.chars().any(char::is_alphabetic) && !is_placeholder(bare);
    named.then(|| Head { id: bare.to_owned(), rest: String::new(), is_marked: true })
}

/// A column's name without what stands in brackets behind it. A scale there that is not forge's goes to the value:
/// `Impact (1-5)`, `Impact 1-5`, `Impact /5`.
fn scaled(column: &str, value: &str) -> (String, String) {
    let column = column.trim_end_matches('.');
    let is_rating = |name: &str| PROBABILITY.contains(&name) || IMPACT.contains(&name) || SCORE.contains(&name);
    let end = column.find(['(', '[', '/', '（']).or_else(|| column.find(|c: char| c.is_ascii_digit()));
    let Some((name, scale)) = end.map(|end| (column[..end].trim_end(), &column[end..])) else {
        return (column.to_owned(), value.to_owned());
    };
    if !is_rating(name) {
        let bare = column.split_once(" (").map_or(column, |(name, _)| name);
        return (bare.to_owned(), value.to_owned());
    }
    let highest = scale.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<u32>().ok()).max().unwrap_or(0);
    let ours = if SCORE.contains(&name) { 9 } else { 3 };
    let is_figure = value.chars().any(|c| c.is_ascii_digit()) && !value.contains(['/', '%']);
    let other = highest > ours && !scale.contains('%') && is_figure;
    (name.to_owned(), if other { format!("{value}/{highest}") } else { value.to_owned() })
}

/// A text without the marks that strike it out; that it was is kept as a value. Marks that forge wrote are words.
pub(super) fn unstruck(head: &str, text: String, fields: &mut Vec<(String, String)>) -> String {
    let ours = fields.iter().any(|(name, value)| name == "source" && is_source(value));
    let whole = |text: &str| text.trim().strip_suffix("~~").is_some_and(|rest| is_struck(text) && rest.len() > 2);
    if ours || !(is_struck(head) || whole(&text)) {
        return text;
    }
    fields.push((STRUCK.to_owned(), "yes".to_owned()));
    text.replace("~~", "").trim().to_owned()
}

/// Whether something else is stated behind what is struck out: `~~Use Postgres~~ Use SQLite`, but not `~~Cards~~ (see D2)`.
fn goes_on(text: &str) -> bool {
    let Some((_, rest)) = text.trim().strip_prefix("~~").and_then(|rest| rest.split_once("~~")) else { return false };
    let rest = rest.trim_start_matches([' ', '→', '-', '>', '—', '–', ':', '*', '=', '⇒']);
    let is_remark =
        ["(", "[", "see ", "superseded", "replaced", "dropped", "withdrawn", "rejected", "obsolete", "no longer"];
    let lower = rest.to_lowercase();
    let is_remark = is_remark.iter().any(|start| lower.starts_with(start)) || !is_active(rest);
    rest.chars().any(char::is_alphabetic) && !is_remark
}

/// Whether a text begins struck out.
pub(super) fn is_struck(text: &str) -> bool {
    let rest = text.trim().strip_prefix("~~");
    rest.is_some_and(|rest| !rest.starts_with('~') && rest.contains("~~"))
}

/// What a section states: the rows of its tables and the items of its lists, in their order. A table that stands below an
/// item is the item's, unless it lists the kind.
pub fn of_section(kind: Kind, body: &str) -> Vec<Stated> {
    let lines = lines(body).all;
    let items = |from: usize, to: usize, first: usize| {
        let at = move |(line, block): (usize, String)| {
            let (id, statement) = of_item(kind, &block);
            (id, Statement { line: first + line - 1, ..statement })
        };
        blocks_at(&body[from..to]).into_iter().map(at).collect::<Vec<_>>()
    };
    let mut found = Vec::new();
    let (mut at, mut from) = (0, 0);
    let mut first = 1;
    while at < lines.len() {
        let own = |header: &[String]| !lines[at].nested || header.iter().any(|column| column == kind.word());
        let Some(table) = table_at(&lines, at).filter(|table| own(&table.header)) else {
            at += 1;
            continue;
        };
        found.extend(items(from, lines[at].start, first));
        if kind == Kind::Risk && is_grid(&table.header) {
            found.extend(table.rows.iter().flat_map(|(line, cells)| of_grid(&table.header, cells, line + 1)));
        }
        let is_list = !(is_tally(&table.header) || kind == Kind::Risk && is_grid(&table.header));
        let rows = table.rows.iter().filter(|_| is_list);
        found.extend(rows.map(|(line, cells)| {
            let (id, statement) = of_row(kind, &table.header, cells);
            (id, Statement { line: line + 1, ..statement })
        }));
        at = table.end;
        from = lines.get(at).map_or(body.len(), |line| line.start);
        first = at + 1;
    }
    found.extend(items(from, body.len(), first));
    found
}

/// What a section states, its own headings among it: `### D3: Title` is an entry, and so is a heading with words below it;
/// one with a list below it groups that list. Where the section begins with a list, only headings with an id count.
pub fn of_parts(kind: Kind, body: &str) -> Vec<Stated> {
    let body = &bold_as_headings(kind, body);
    let lines = lines(body).all;
    let visible = lines.iter().filter(|line| !line.hidden && !line.nested);
    let headings: Vec<(usize, usize, String)> =
        visible.filter_map(|line| heading(line.text).map(|(level, title)| (line.number, level, title))).collect();
    let Some(level) = headings.iter().map(|(_, level, _)| *level).min() else { return of_section(kind, body) };
    let own: Vec<&(usize, usize, String)> = headings.iter().filter(|(_, of, _)| *of == level).collect();
    let text = |from: usize, to: usize| {
        let start = |number: usize| lines.get(number - 1).map_or(body.len(), |line| line.start);
        &body[start(from)..start(to)]
    };
    let before = text(1, headings[0].0);
    let mut found = of_section(kind, before);
    let listed = !found.is_empty();
    for (at, (number, _, title)) in own.iter().enumerate() {
        let end = own.get(at + 1).map_or(lines.len() + 1, |(next, ..)| *next);
        let below = text(number + 1, end);
        let head = own_head(kind, title);
        let shifted = |(id, statement): Stated| (id, Statement { line: statement.line + number, ..statement });
        match head {
            Some((id, rest)) => found.push((id, by_heading(kind, &rest, below, *number))),
            None if listed || is_aside(title) => {}
            None if groups(below) => found.extend(of_parts(kind, below).into_iter().map(|one| {
                let (id, mut statement) = shifted(one);
                // What heads a part of a list may be a name: `### Pending orders` says nothing of decisions.
                if matches!(kind, Kind::Assumption | Kind::Risk) {
                    statement.below.push(title.clone());
                }
                (id, statement)
            })),
            None => found.push((None, by_heading(kind, title, below, *number))),
        }
    }
    found
}

/// A body in which a line in bold that names an entry is a heading: `**DD-1: Jinja for templates**`, with its values below it. No
/// line is added or taken away.
fn bold_as_headings(kind: Kind, body: &str) -> String {
    let all = lines(body).all;
    let names = |at: usize| {
        let line = &all[at];
        let bold = line.text.strip_prefix("**")?.trim_end().strip_suffix("**")?;
        let is_name = !line.hidden && !line.nested && !bold.contains("**") && !bold.trim_end().ends_with(':');
        let below = all[at + 1..].iter().find(|below| !below.text.trim().is_empty())?;
        let value = marker(below.text).map_or(below.text, |item| item.content);
        let has_values =
            labels::of_line(value).is_some() || head(kind, Letters::Own, bold).is_some_and(|head| head.is_marked);
        (is_name && has_values && heading(below.text).is_none()).then_some(bold)
    };
    let written = |at: usize| match names(at) {
        Some(bold) => format!("###### {bold}\n"),
        None => format!("{}\n", all[at].text),
    };
    if (0..all.len()).all(|at| names(at).is_none()) {
        return body.to_owned();
    }
    (0..all.len()).map(written).collect()
}

/// The id at the start of a text, and what follows. What a document numbers by itself has none: `Decision 1: Use Jinja`.
fn own_head(kind: Kind, text: &str) -> Option<(Option<String>, String)> {
    let head = head(kind, Letters::Own, text)?;
    let is_written = text.to_ascii_uppercase().contains(&head.id.to_ascii_uppercase());
    Some((Some(head.id).filter(|_| is_written), head.rest))
}

/// Whether a heading's title only leads to words about the section.
fn is_aside(title: &str) -> bool {
    const TITLES: &[&str] = &[
        "notes",
        "note",
        "overview",
        "summary",
        "context",
        "background",
        "introduction",
        "details",
        "rationale",
        "see also",
        "references",
    ];
    TITLES.contains(&key(title).as_str())
}

/// Whether what stands below a heading begins with a list, a table or other headings.
fn groups(below: &str) -> bool {
    let mut said = below.lines().map(str::trim_start).filter(|line| !line.is_empty());
    match said.next() {
        None => true,
        Some(first) if first.ends_with(':') && labels::of_line(first).is_none() => {
            said.next().is_some_and(|next| marker(next).is_some() || next.starts_with('|'))
        }
        Some(first) => {
            let describes = |content: &str| label(content).is_some_and(|(name, _)| labels::describes(&name));
            marker(first).is_some_and(|item| !describes(item.content))
                || first.starts_with('|')
                || heading(first).is_some()
        }
    }
}

/// Whether a value of a decision says what was decided, or why.
fn said_by_heading(name: &str) -> bool {
    ["rationale", "why", "reason", "decision", "choice", "chosen", "because"].contains(&name) || is_kill_switch(name)
}

pub(super) fn by_heading(kind: Kind, title: &str, below: &str, line: usize) -> Statement {
    let mut fields = labels::fields(below);
    let paragraph: Vec<&str> = below
        .lines()
        .skip_while(|line| line.trim().is_empty())
        .take_while(|line| {
            !line.trim().is_empty()
                && marker(line).is_none()
                && heading(line).is_none()
                && labels::of_line(line).is_none()
        })
        .collect();
    if kind == Kind::Decision && !paragraph.is_empty() && !fields.iter().any(|(name, _)| name == "rationale") {
        fields.push(("rationale".to_owned(), paragraph.join("\n")));
    }
    if kind == Kind::Decision && paragraph.is_empty() && !fields.iter().any(|(name, _)| said_by_heading(name)) {
        // What describes it and has no place of its own is kept as why: `- Pros: simple`.
        let items = below.lines().filter_map(marker).map(|item| item.content);
        let items: Vec<&str> = items.filter(|content| labels::of_line(content).is_none()).collect();
        if !items.is_empty() {
            fields.push(("rationale".to_owned(), items.join("\n")));
        }
    }
    let text = unstruck(title, title.to_owned(), &mut fields);
    Statement { text, fields, line, ..Statement::default() }
}

/// What a section states, paragraph by paragraph where it has neither a table nor a list.
pub fn of_prose(kind: Kind, body: &str) -> Vec<Stated> {
    let listed = of_section(kind, body);
    if !listed.is_empty() {
        return listed;
    }
    let mut paragraphs = vec![String::new()];
    for line in lines(body).all {
        let is_prose = !line.hidden && heading(line.text).is_none() && !line.text.trim_start().starts_with('>');
        match paragraphs.last_mut().filter(|_| is_prose && !line.text.trim().is_empty()) {
            Some(last) => last.push_str(&format!("{}\n", line.text.trim())),
            None => paragraphs.push(String::new()),
        }
    }
    paragraphs.iter().filter(|paragraph| !paragraph.is_empty()).map(|paragraph| of_item(kind, paragraph)).collect()
}

/// The statement of a list item, and its id where it begins with one.
pub fn of_item(kind: Kind, block: &str) -> Stated {
    let (block, kill_switch) = match kind {
        Kind::Decision => without_kill_switch(block),
        _ => (block.to_owned(), None),
    };
    let item = Item::of(&block);
    let mut fields = item.labels;
    let (ticked, said) = boxed(&item.text).map_or((None, item.text.as_str()), |(ticked, said)| (Some(ticked), said));
    // What became of an assumption is told by its box.
    let said = if kind == Kind::Assumption { item.text.as_str() } else { said };
    if kind == Kind::Decision && ticked == Some(false) {
        fields.push(("status".to_owned(), "proposed".to_owned()));
    }
    fields.extend(kill_switch.map(|text| ("kill switch".to_owned(), text)));
    let first = head(kind, Letters::Own, said).filter(|head| head.is_marked && !head.rest.is_empty());
    let (id, text) = match first.and_then(|_| own_head(kind, said)) {
        Some((id, rest)) => (id, rest),
        None if said_kind(said) == Some(kind) && !said.starts_with('*') => {
            (None, said.split_once(':').map_or("", |(_, text)| text).trim().to_owned())
        }
        None => (None, said.to_owned()),
    };
    let text = inline::fields(kind, &text, &mut fields);
    let text = if goes_on(said) { text } else { unstruck(said, text, &mut fields) };
    if !item.rest.is_empty() && kind == Kind::Decision && !fields.iter().any(|(name, _)| name == "rationale") {
        fields.push(("rationale".to_owned(), item.rest));
    }
    (id, Statement { text, fields, ..Statement::default() })
}

/// A decision's item without the lines of its kill-switch, and what these say with all that is below them.
fn without_kill_switch(block: &str) -> (String, Option<String>) {
    let (mut rest, mut said): (Vec<&str>, Option<String>) = (Vec::new(), None);
    let mut within: Option<usize> = None;
    for line in lines(block).all {
        let blank = line.text.trim().is_empty();
        within = within.filter(|columns| blank || indent(line.text) > *columns);
        if let (Some(columns), Some(said)) = (within, &mut said) {
            said.push_str(&format!("\n{}", dedent(line.text, columns + 2)));
            continue;
        }
        let content = marker(line.text).map_or(line.text, |item| item.content);
        let named = label(content).filter(|(name, _)| is_kill_switch(name) && !line.hidden && line.number > 1);
        match named.filter(|_| said.is_none()) {
            Some((_, value)) => (said, within) = (Some(value), Some(indent(line.text))),
            None => rest.push(line.text),
        }
    }
    (rest.join("\n"), said)
}
