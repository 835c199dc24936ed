//! Adding entries to a knowledge file: decisions as headings at its end, the others as rows of forge's table.
//!
//! Promises: every byte that was there stays, in its order; lines end as the others do; what is added reads back.
//!
//! Must never: let an entry's words become a heading, a row or another entry.
//!
//! Pure; if the process dies here nothing is left.

use super::templates::template;
use super::{body_line, read_assumptions, read_constraints, read_decisions, read_risks, read_validations};
use forge_workflow::extract::passages::{Table, cell, heading_text, inert, key, lines, one_line, table_at, tidy};
use forge_workflow::extract::ratings::level_word;
use forge_workflow::knowledge::{Assumption, Constraint, Decision, DecisionStatus, Findings, Kind, Risk, Validation};

/// The most tables that are tried before a new one is made.
const TABLES_LIMIT: usize = 4;

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

/// The file of a kind with the new entries of that kind, which have their ids from
/// [`Knowledge::news`](forge_workflow::knowledge::Knowledge::news). Nothing that was there is changed; a file that is not
/// there begins as its [`template`]. Without new entries the text stays as it is.
pub fn append(kind: Kind, text: &str, news: &Findings) -> String {
    let start = if text.trim().is_empty() { template(kind) } else { text };
    match kind {
        Kind::Decision if news.decisions.is_empty() => text.to_owned(),
        Kind::Decision => {
            let blocks = news.decisions.iter().map(decision).collect::<Vec<_>>().join("\n");
            let ways = [at_the_end(start, &blocks), at_the_end(start, &format!("# Decisions\n\n{blocks}"))];
            let reads = |text: &str| read_all(&read_decisions(text), &news.decisions);
            first_that(ways.into_iter(), reads)
        }
        Kind::Constraint if news.constraints.is_empty() => text.to_owned(),
        Kind::Constraint => {
            let reads = |text: &str| read_all(&read_constraints(text), &news.constraints);
            with_rows(start, &CONSTRAINTS, news.constraints.iter().map(constraint).collect(), reads)
        }
        Kind::Assumption if news.assumptions.is_empty() && news.validations.is_empty() => text.to_owned(),
        Kind::Assumption => {
            let reads = |text: &str| read_all(&read_assumptions(text), &news.assumptions);
            let text = with_rows(start, &ASSUMPTIONS, news.assumptions.iter().map(assumption).collect(), reads);
            let reads = |text: &str| read_all(&read_validations(text), &news.validations);
            with_rows(&text, &VALIDATIONS, news.validations.iter().map(validation).collect(), reads)
        }
        Kind::Risk if news.risks.is_empty() => text.to_owned(),
        Kind::Risk => {
            let reads = |text: &str| read_all(&read_risks(text), &news.risks);
            with_rows(start, &RISKS, news.risks.iter().map(risk).collect(), reads)
        }
    }
}

/// Whether everything new was read as it is.
fn read_all<T: PartialEq>(read: &[T], news: &[T]) -> bool {
    news.iter().all(|one| read.contains(one))
}

/// The first way of writing that reads back, else the last: below a heading such as `# Superseded` what is new would be old.
fn first_that(mut ways: impl Iterator<Item = String>, reads: impl Fn(&str) -> bool) -> String {
    let mut last = String::new();
    for way in ways.by_ref() {
        last = way;
        if reads(&last) {
            break;
        }
    }
    last
}

fn decision(decision: &Decision) -> String {
    let mut out = format!("## {}: {}", decision.id, heading_text(&inert(&one_line(&decision.title))));
    out.truncate(out.trim_end().len());
    out.push_str("\n\n");
    let mut field = |name: &str, value: &str| {
        let value = tidy(value);
        if !value.is_empty() {
            out.push_str(&format!("- {name}: {}\n", indented(&inert(&value), "  ")));
        }
    };
    field(
        "Status",
        match decision.status {
            DecisionStatus::Accepted if decision.locked => "locked",
            DecisionStatus::Accepted => "decided",
            other => other.word(),
        },
    );
    field("Phase", &one_line(&decision.phase));
    field("Debate", &one_line(decision.debate.as_deref().unwrap_or_default()));
    field("Date", &one_line(&decision.date));
    field("Decided by", &one_line(decision.by.as_deref().unwrap_or_default()));
    field("Rationale", &decision.rationale);
    field("Supersedes", &decision.supersedes.join(", "));
    if !decision.turned_down.is_empty() {
        out.push_str("- Turned down:\n");
        for option in &decision.turned_down {
            out.push_str(&format!("  - {}\n", inert(&one_line(option))));
        }
    }
    let criteria: Vec<String> =
        decision.kill_switch.iter().map(|one| tidy(one)).filter(|one| !one.is_empty()).collect();
    if !criteria.is_empty() {
        out.push_str("- Kill-switch:\n");
        for criterion in criteria {
            out.push_str(&format!("  - {}\n", indented(&inert(&criterion), "    ")));
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
    let Constraint { id, text, origin, violation, locked_by, lifted: _, source } = constraint;
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
    let status = match &risk.accepted_by {
        _ if !risk.active => "closed".to_owned(),
        Some(who) if who.is_empty() => "accepted".to_owned(),
        Some(who) => format!("accepted by {}", one_line(who)),
        None => "active".to_owned(),
    };
    vec![
        risk.id.clone(),
        risk.text.clone(),
        level(risk.probability),
        level(risk.impact),
        score,
        one_line(&risk.owner),
        status,
        said(&risk.source),
    ]
}

/// A text with rows right below the last row of one of its tables, or with a new table at the end.
fn with_rows(text: &str, columns: &Columns, rows: Vec<Vec<String>>, reads: impl Fn(&str) -> bool) -> String {
    if rows.is_empty() {
        return text.to_owned();
    }
    let written = |header: &[String]| rows.iter().map(|row| columns.row(header, row)).collect::<String>();
    let all = lines(text).all;
    let end = line_end(text);
    let below = |table: Table| {
        let rows = written(&table.header).replace('\n', end);
        match all.get(table.end) {
            Some(next) => format!("{}{rows}{}", &text[..next.start], &text[next.start..]),
            None => format!("{text}{end}{rows}"),
        }
    };
    let new = |marks: &str| {
        let table = format!("{}{}", columns.new_table(), written(&columns.header()));
        at_the_end(text, &format!("{marks} {}\n\n{table}", columns.heading))
    };
    let there = tables(text, columns).into_iter().rev().take(TABLES_LIMIT).map(below);
    first_that(there.chain(["##", "#"].into_iter().map(new)), reads)
}

/// The tables that have all columns.
fn tables(text: &str, columns: &Columns) -> Vec<Table> {
    let all = lines(text).all;
    let mut found = Vec::new();
    let mut at = body_line(text) - 1;
    while at < all.len() {
        match table_at(&all, at) {
            Some(table) => {
                at = table.end;
                found.extend(Some(table).filter(|table| columns.are_in(&table.header)));
            }
            None => at += 1,
        }
    }
    found
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
