//! The knowledge files: `docs/forge/knowledge/*.md`. People write in them, and forge adds to them.
//!
//! Promises: an entry is found in the forms that people use (a heading, a bullet, a table's row), and never in a code
//! fence or an HTML comment; what [`append`] adds reads back with the same words; every byte that was there stays.
//!
//! Must never: edit, reorder or remove an entry, or give a number that somebody has used.
//!
//! Pure. If the process dies between writing two of the files, the next run adds what is still missing: entries are
//! known by their source.

mod entries;
mod templates;
mod writing;

pub use templates::{glossary_template, template, traceability_template};
pub use writing::append;

use entries::{Entry, entries, is_validation};
use forge_workflow::extract::passages::{lines, table_at, tidy};
use forge_workflow::extract::ratings::standing;
use forge_workflow::extract::statements::{head, is_source, of_row};
use forge_workflow::knowledge::{Assumption, Constraint, Decision, Kind, Knowledge, Risk, Validation};

/// The decisions of `decisions.md`, in its order.
pub fn read_decisions(text: &str) -> Vec<Decision> {
    let all = entries(Kind::Decision, text);
    let mut decisions: Vec<Decision> = all
        .iter()
        .map(|entry| Decision { id: entry.id.clone(), source: source(entry), ..entry.statement.decision() })
        .collect();
    // People note on the earlier one what took its place; forge notes it on the later one.
    for entry in &all {
        for later in entry.statement.superseded_by() {
            let later = decisions.iter_mut().find(|decision| decision.id == later && decision.id != entry.id);
            if let Some(later) = later.filter(|later| !later.supersedes.contains(&entry.id)) {
                later.supersedes.push(entry.id.clone());
            }
        }
    }
    decisions
}

/// The constraints of `constraints.md`, in its order.
pub fn read_constraints(text: &str) -> Vec<Constraint> {
    let read =
        |entry: &Entry| Constraint { id: entry.id.clone(), source: source(entry), ..entry.statement.constraint() };
    entries(Kind::Constraint, text).iter().map(read).collect()
}

/// The assumptions of `assumptions.md`, in its order.
pub fn read_assumptions(text: &str) -> Vec<Assumption> {
    let read =
        |entry: &Entry| Assumption { id: entry.id.clone(), source: source(entry), ..entry.statement.assumption() };
    entries(Kind::Assumption, text).iter().map(read).collect()
}

/// What `assumptions.md` says was found out: the rows of tables with a column *Result*.
pub fn read_validations(text: &str) -> Vec<Validation> {
    let lines = lines(text).all;
    let mut found = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let Some(table) = table_at(&lines, at) else {
            at += 1;
            continue;
        };
        at = table.end;
        if !is_validation(&table.header) {
            continue;
        }
        found.extend(table.rows.iter().filter_map(|(_, cells)| {
            let id = head(Kind::Assumption, cells.first()?)?.id;
            let (_, row) = of_row(Kind::Assumption, &table.header, cells);
            let because = row.get(&["because", "evidence", "why", "reason", "notes", "how"]).map(tidy);
            let source = row.get(&["source"]).unwrap_or_default().trim().to_owned();
            let standing = row.get(&["result"]).and_then(standing)?;
            Some(Validation { assumption: id, standing, because: because.unwrap_or_default(), source })
        }));
    }
    found
}

/// The risks of `risks.md`, in its order.
pub fn read_risks(text: &str) -> Vec<Risk> {
    let read = |entry: &Entry| Risk { id: entry.id.clone(), source: source(entry), ..entry.statement.risk() };
    entries(Kind::Risk, text).iter().map(read).collect()
}

/// Everything that the four files say; an empty text is a file that is not there.
pub fn read_all(decisions: &str, constraints: &str, assumptions: &str, risks: &str) -> Knowledge {
    Knowledge {
        decisions: read_decisions(decisions),
        constraints: read_constraints(constraints),
        assumptions: read_assumptions(assumptions),
        validations: read_validations(assumptions),
        risks: read_risks(risks),
        ..Knowledge::default()
    }
}

fn source(entry: &Entry) -> Option<String> {
    entry.statement.get(&["source"]).map(str::trim).filter(|source| is_source(source)).map(str::to_owned)
}
