//! Adding entries to a knowledge file: decisions as headings at its end, the others as rows of forge's table.
//!
//! Promises: every byte that was there stays, in its order; lines end as the others do; what is added reads back.
//!
//! Must never: let an entry's words become a heading, a row or another entry.
//!
//! Pure; if the process dies here nothing is left.

use super::entries::body_line;
use super::templates::template;
use forge_workflow::extract::passages::{Table, cell, heading_text, key, lines, one_line, table_at, tidy};
use forge_workflow::extract::ratings::level_word;
use forge_workflow::knowledge::{Assumption, Constraint, Decision, Findings, Kind, Risk, Validation};

/// A table that forge adds rows to.
struct Columns {
    /// The heading that it gets where it is not there yet.
    heading: &'static str,
    names: &'static [&'static str],
}

const CONSTRAINTS: Columns = Columns {
    heading: "Constraints",
    names: &["ID", "Constraint", "Rests on", "Violation triggers", "Locked by", "Source"],
};
const ASSUMPTIONS: Columns = Columns {
    heading: "Assumptions",
    names: &["ID", "Assumption", "Status", "Validate by", "Risk if invalid", "Source"],
};
const VALIDATIONS: Columns = Columns { heading: "Validation", names: &["Assumption", "Result", "Because", "Source"] };
const RISKS: Columns =
    Columns { heading: "Risks", names: &["ID", "Risk", "Probability", "Impact", "Score", "Owner", "Status", "Source"] };

impl Columns {
    /// Whether a table has all of them; people may have added others, in any order.
    fn are_in(&self, header: &[String]) -> bool {
        self.names.iter().all(|name| header.contains(&key(name)))
    }

    /// A row for a table with that header.
    fn row(&self, header: &[String], values: &[String]) -> String {
        let value = |column: &String| {
            let at = self.names.iter().position(|name| key(name) == *column);
            at.and_then(|at| values.get(at)).map(|value| cell(&tidy(value))).unwrap_or_default()
        };
        let cells: Vec<String> = header.iter().map(value).collect();
        format!("| {} |\n", cells.join(" | "))
    }

    fn new_table(&self) -> String {
        let rule = vec!["---"; self.names.len()];
        format!("| {} |\n| {} |\n", self.names.join(" | "), rule.join(" | "))
    }

    fn header(&self) -> Vec<String> {
        self.names.iter().map(|name| key(name)).collect()
    }
}

/// Whether a table is the one that forge keeps a kind's entries in.
pub(super) fn is_ours(kind: Kind, header: &[String]) -> bool {
    match kind {
        Kind::Decision => false,
        Kind::Constraint => CONSTRAINTS.are_in(header),
        Kind::Assumption => ASSUMPTIONS.are_in(header),
        Kind::Risk => RISKS.are_in(header),
    }
}

/// The file of a kind with the new entries of that kind, which have their ids from
/// [`Knowledge::news`](forge_workflow::knowledge::Knowledge::news). Nothing that was there is changed; a file that is not
/// there begins as its [`template`]. Without new entries the text stays as it is.
pub fn append(kind: Kind, text: &str, news: &Findings) -> String {
    let start = if text.trim().is_empty() { template(kind) } else { text };
    match kind {
        Kind::Decision if news.decisions.is_empty() => text.to_owned(),
        Kind::Decision => {
            let blocks: Vec<String> = news.decisions.iter().map(decision).collect();
            at_the_end(start, &blocks.join("\n"))
        }
        Kind::Constraint if news.constraints.is_empty() => text.to_owned(),
        Kind::Constraint => with_rows(start, &CONSTRAINTS, news.constraints.iter().map(constraint).collect()),
        Kind::Assumption if news.assumptions.is_empty() && news.validations.is_empty() => text.to_owned(),
        Kind::Assumption => {
            let text = with_rows(start, &ASSUMPTIONS, news.assumptions.iter().map(assumption).collect());
            with_rows(&text, &VALIDATIONS, news.validations.iter().map(validation).collect())
        }
        Kind::Risk if news.risks.is_empty() => text.to_owned(),
        Kind::Risk => with_rows(start, &RISKS, news.risks.iter().map(risk).collect()),
    }
}

fn decision(decision: &Decision) -> String {
    let mut out = format!("## {}: {}", decision.id, heading_text(&one_line(&decision.title)));
    out.truncate(out.trim_end().len());
    out.push_str("\n\n");
    let mut field = |name: &str, value: &str| {
        let value = tidy(value);
        if !value.is_empty() {
            out.push_str(&format!("- {name}: {}\n", indented(&value, "  ")));
        }
    };
    field("Status", if decision.locked { "locked" } else { "decided" });
    field("Phase", &one_line(&decision.phase));
    field("Debate", &one_line(decision.debate.as_deref().unwrap_or_default()));
    field("Date", &one_line(&decision.date));
    field("Decided by", &one_line(decision.by.as_deref().unwrap_or_default()));
    field("Rationale", &decision.rationale);
    field("Supersedes", &decision.supersedes.join(", "));
    let criteria: Vec<String> =
        decision.kill_switch.iter().map(|one| tidy(one)).filter(|one| !one.is_empty()).collect();
    if !criteria.is_empty() {
        out.push_str("- Kill-switch:\n");
        for criterion in criteria {
            out.push_str(&format!("  - {}\n", indented(&criterion, "    ")));
        }
    }
    if let Some(source) = &decision.source {
        out.push_str(&format!("- Source: {}\n", one_line(source)));
    }
    out
}

/// A text whose lines after the first are indented, so that they belong to the list item before them.
fn indented(text: &str, by: &str) -> String {
    let line = |line: &str| if line.is_empty() { String::new() } else { format!("{by}{line}") };
    let mut lines = text.split('\n');
    let first = lines.next().unwrap_or_default().to_owned();
    std::iter::once(first).chain(lines.map(line)).collect::<Vec<_>>().join("\n")
}

fn said(value: &Option<String>) -> String {
    value.as_deref().map(one_line).unwrap_or_default()
}

fn constraint(constraint: &Constraint) -> Vec<String> {
    let Constraint { id, text, origin, violation, locked_by, source } = constraint;
    vec![id.clone(), text.clone(), one_line(origin), violation.clone(), said(locked_by), said(source)]
}

fn assumption(assumption: &Assumption) -> Vec<String> {
    let Assumption { id, text, standing, due, risk_if_invalid, source } = assumption;
    let standing = standing.word().to_owned();
    vec![id.clone(), text.clone(), standing, one_line(due), risk_if_invalid.clone(), said(source)]
}

fn validation(validation: &Validation) -> Vec<String> {
    let Validation { assumption, standing, because, source } = validation;
    vec![assumption.clone(), standing.word().to_owned(), because.clone(), one_line(source)]
}

fn risk(risk: &Risk) -> Vec<String> {
    let level = |level: Option<u8>| level.map(level_word).unwrap_or_default().to_owned();
    let score = risk.score().map(|score| score.to_string()).unwrap_or_default();
    let status = if risk.active { "active" } else { "closed" };
    vec![
        risk.id.clone(),
        risk.text.clone(),
        level(risk.probability),
        level(risk.impact),
        score,
        one_line(&risk.owner),
        status.to_owned(),
        said(&risk.source),
    ]
}

/// A text with rows right below the last row of its table, or with a new table at the end.
fn with_rows(text: &str, columns: &Columns, rows: Vec<Vec<String>>) -> String {
    if rows.is_empty() {
        return text.to_owned();
    }
    let written = |header: &[String]| rows.iter().map(|row| columns.row(header, row)).collect::<String>();
    let all = lines(text).all;
    let Some(table) = last_table(text, columns) else {
        let block = format!("## {}\n\n{}{}", columns.heading, columns.new_table(), written(&columns.header()));
        return at_the_end(text, &block);
    };
    let end = line_end(text);
    let rows = written(&table.header).replace('\n', end);
    match all.get(table.end) {
        Some(next) => format!("{}{rows}{}", &text[..next.start], &text[next.start..]),
        None => format!("{text}{end}{rows}"),
    }
}

fn last_table(text: &str, columns: &Columns) -> Option<Table> {
    let all = lines(text).all;
    let first = body_line(text);
    let mut last = None;
    let mut at = first - 1;
    while at < all.len() {
        match table_at(&all, at) {
            Some(table) => {
                at = table.end;
                last = Some(table).filter(|table| columns.are_in(&table.header)).or(last);
            }
            None => at += 1,
        }
    }
    last
}

/// A text with a block at its end, and an empty line between them. A fence or comment that the text leaves open would
/// hide the block, and is closed.
fn at_the_end(text: &str, block: &str) -> String {
    let end = line_end(text);
    let mut out = text.to_owned();
    let finish_line = |out: &mut String| {
        if !out.is_empty() && !out.ends_with('\n') {
            out.push_str(end);
        }
    };
    finish_line(&mut out);
    if let Some(closing) = lines(text).closing {
        out.push_str(&closing);
        finish_line(&mut out);
    }
    if !out.is_empty() && !out.ends_with("\n\n") && !out.ends_with("\n\r\n") {
        out.push_str(end);
    }
    out.push_str(&block.replace('\n', end));
    out
}

/// How the lines of a text end.
fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}
