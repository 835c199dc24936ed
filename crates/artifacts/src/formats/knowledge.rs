//! The knowledge files: `docs/forge/knowledge/*.md`. People write in them, and forge adds to them.
//!
//! Promises: an entry is found in the forms that people use (a heading, a line in bold, a bullet, a table's row), and never
//! in a code fence, an HTML comment or a sample; what [`append`] adds reads back with the same words, as standing; every
//! byte that was there stays.
//!
//! Must never: edit, reorder or remove an entry, or give a number that somebody has used.
//!
//! Pure. If the process dies between writing two of the files, the next run adds what is still missing: entries are
//! known by their source.

mod templates;
mod unclear;
mod writing;

pub use templates::{glossary_template, template, traceability_template};
pub use writing::append;

use crate::document::{self, Document, Front};
use forge_workflow::extract::entries::{Entry, Registry, is_validation, registry};
use forge_workflow::extract::ids::{Letters, head, ids_in, same_id};
use forge_workflow::extract::passages::{lines, spoken, table_at, tidy};
use forge_workflow::extract::ratings::standing;
use forge_workflow::extract::sections::of_row;
use forge_workflow::extract::statements::Statement;
use forge_workflow::knowledge::{Assumption, Constraint, Decision, Kind, Knowledge, Risk, Validation, says_the_same};
use forge_workflow::snapshot::Unclear;
use std::collections::BTreeSet;

/// An entry with its id.
type Named = (String, Statement);

/// The decisions of `decisions.md`, in its order.
pub fn read_decisions(text: &str) -> Vec<Decision> {
    decisions(&named(Kind::Decision, text).0)
}

/// The constraints of `constraints.md`, in its order.
pub fn read_constraints(text: &str) -> Vec<Constraint> {
    constraints(&named(Kind::Constraint, text).0)
}

/// The assumptions of `assumptions.md`, in its order.
pub fn read_assumptions(text: &str) -> Vec<Assumption> {
    assumptions(&named(Kind::Assumption, text).0)
}

/// The risks of `risks.md`, in its order.
pub fn read_risks(text: &str) -> Vec<Risk> {
    risks(&named(Kind::Risk, text).0)
}

fn constraints(entries: &[Named]) -> Vec<Constraint> {
    entries.iter().map(|(id, one)| Constraint { id: id.clone(), source: one.source(), ..one.constraint() }).collect()
}

fn assumptions(entries: &[Named]) -> Vec<Assumption> {
    entries.iter().map(|(id, one)| Assumption { id: id.clone(), source: one.source(), ..one.assumption() }).collect()
}

fn risks(entries: &[Named]) -> Vec<Risk> {
    entries.iter().map(|(id, one)| Risk { id: id.clone(), source: one.source(), ..one.risk() }).collect()
}

fn decisions(entries: &[Named]) -> Vec<Decision> {
    let read = |(id, one): &Named| {
        let read = Decision { id: id.clone(), source: one.source(), ..one.decision() };
        if read.source.is_none() {
            return read;
        }
        // What forge wrote.
        Decision {
            title: spoken(&read.title),
            rationale: spoken(&read.rationale),
            phase: spoken(&read.phase),
            debate: read.debate.as_deref().map(spoken),
            date: spoken(&read.date),
            by: read.by.as_deref().map(spoken),
            kill_switch: read.kill_switch.iter().map(|one| spoken(one)).collect(),
            turned_down: read.turned_down.iter().map(|one| spoken(one)).collect(),
            ..read
        }
    };
    let mut decisions: Vec<Decision> = entries.iter().map(read).collect();
    let known: Vec<String> = entries.iter().map(|(id, _)| id.clone()).collect();
    for (decision, (_, one)) in decisions.iter_mut().zip(entries) {
        let said = one.get(&["supersedes", "replaces"]).unwrap_or_default();
        let spelled = |id: String| as_known(&known, &id).unwrap_or(id);
        decision.supersedes = decision.supersedes.drain(..).map(spelled).collect();
        // Ids in a form of somebody's own.
        for word in said.split([',', ';', ' ', '\n']).map(str::trim) {
            decision.supersedes.extend(known.iter().find(|id| *id == word && !ids_in(word).contains(id)).cloned());
        }
    }
    // People note on the earlier one what took its place; forge notes it on the later one.
    for (id, one) in entries {
        for later in one.superseded_by().iter().filter_map(|later| as_known(&known, later)) {
            let later = decisions.iter_mut().find(|decision| decision.id == later && decision.id != *id);
            if let Some(later) = later.filter(|later| !later.supersedes.contains(id)) {
                later.supersedes.push(id.clone());
            }
        }
    }
    decisions
}

/// An id as its own entry spells it: `D001` for `D1`.
fn as_known(known: &[String], id: &str) -> Option<String> {
    known.iter().find(|known| *known == id).or_else(|| known.iter().find(|known| same_id(known, id))).cloned()
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
            let id = head(Kind::Assumption, Letters::Any, cells.first()?)?.id;
            let (_, row) = of_row(Kind::Assumption, &table.header, cells);
            let because = row.get(&["because", "evidence", "why", "reason", "notes", "how"]).map(tidy);
            let source = row.get(&["source"]).unwrap_or_default().trim().to_owned();
            let standing = row.get(&["result"]).and_then(standing)?;
            Some(Validation { assumption: id, standing, because: because.unwrap_or_default(), source })
        }));
    }
    found
}

/// Everything that the four files say; an empty text is a file that is not there.
pub fn read_all(decisions: &str, constraints: &str, assumptions: &str, risks: &str) -> Knowledge {
    let mut knowledge = Knowledge { validations: read_validations(assumptions), ..Knowledge::default() };
    for (kind, text) in Kind::ALL.into_iter().zip([decisions, constraints, assumptions, risks]) {
        let (entries, found) = named(kind, text);
        match kind {
            Kind::Decision => knowledge.decisions = self::decisions(&entries),
            Kind::Constraint => knowledge.constraints = self::constraints(&entries),
            Kind::Assumption => knowledge.assumptions = self::assumptions(&entries),
            Kind::Risk => knowledge.risks = self::risks(&entries),
        }
        knowledge.taken_ids.extend(found.places);
        knowledge.taken_ids.extend(entries.iter().flat_map(|(_, one)| one.references()));
        knowledge.unclear.extend(unclear::of_file(kind, &found.entries, &entries));
        knowledge.unclear.extend(unclear::in_code(kind, text, &found.entries));
        knowledge.unclear.extend(document::hidden(text).into_iter().map(|problem| Unclear {
            file: kind.file().to_owned(),
            line: problem.line,
            text: problem.text,
            holds: true,
        }));
        if kind == Kind::Risk {
            knowledge.unclear.extend(unclear::labelled_risks(text, &found.entries));
        }
    }
    knowledge.unclear.extend(unclear::of_circles(&knowledge));
    knowledge
}

/// The ids that stand in a document in the places where entries have theirs: the first cells of tables, headings, items.
pub fn ids_of(text: &str) -> Vec<String> {
    let all = Kind::ALL.into_iter().map(|kind| registry(kind, text, body_line(text)));
    let all = all.flat_map(|found| found.entries.into_iter().filter_map(|entry| entry.id).chain(found.places));
    all.collect::<BTreeSet<String>>().into_iter().collect()
}

/// The entries with an id, and the file as it was read. Where a table lists what headings below it tell, both are one entry.
fn named(kind: Kind, text: &str) -> (Vec<Named>, Registry) {
    let found = registry(kind, text, body_line(text));
    let mut named: Vec<Named> = Vec::new();
    for Entry { id, statement } in &found.entries {
        let Some(id) = id.clone() else { continue };
        let alike = |(known, there): &&mut Named| {
            *known == id && there.source() == statement.source() && says_the_same(&there.text, &statement.text)
        };
        match named.iter_mut().find(alike) {
            Some((_, there)) => {
                there.fields.extend(statement.fields.clone());
                there.below.extend(statement.below.clone());
            }
            None => named.push((id, statement.clone())),
        }
    }
    (named, found)
}

/// The line after the front matter.
fn body_line(text: &str) -> usize {
    if !text.trim_start_matches('\u{FEFF}').starts_with("---") {
        return 1;
    }
    let document = Document::parse(text);
    if matches!(document.front, Front::Fields(_)) { document.body_line } else { 1 }
}
