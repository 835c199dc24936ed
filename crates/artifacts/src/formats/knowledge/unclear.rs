//! What in the knowledge files cannot be read, and what a reader should know about.
//!
//! Promises: something holds a phase only where a trigger or a gate depends on it; prose is left alone.
//!
//! Pure; if the process dies here nothing is left.

use super::Named;
use forge_prose::blanks::is_placeholder;
use forge_workflow::extract::coded::{Coded, coded};
use forge_workflow::extract::entries::Entry;
use forge_workflow::extract::passages::{Line, lines, one_line};
use forge_workflow::extract::statements::Statement;
use forge_workflow::knowledge::{DecisionStatus, Kind, Knowledge};
use forge_workflow::snapshot::Unclear;

/// The most characters of somebody's words in a line.
const SHOWN_CHARS: usize = 80;

/// What is unclear in one file: all that was read, and the entries with an id.
pub(super) fn of_file(kind: Kind, all: &[Entry], named: &[Named]) -> Vec<Unclear> {
    let one = |line: usize, text: String, holds: bool| Unclear { file: kind.file().to_owned(), line, text, holds };
    let mut found = Vec::new();
    for statement in all.iter().filter(|entry| entry.id.is_none()).map(|entry| &entry.statement) {
        let rated = kind == Kind::Risk && statement.risk().active && statement.is_rated();
        let is_locked = kind == Kind::Decision
            && statement.decision().locked
            && statement.decision_status().is_none_or(|status| status == DecisionStatus::Accepted);
        let text = format!(
            "{} has no id and is not read; begin it with one that is free, such as {}1",
            shown(&statement.text),
            kind.letter()
        );
        found.push(one(statement.line, text, rated || is_locked));
    }
    for (at, (id, statement)) in named.iter().enumerate() {
        if let Some((_, first)) = named[..at].iter().find(|(known, _)| known == id) {
            let text = format!("{id} stands on line {} with other words; give one of the two another id", first.line);
            let differ = kind == Kind::Decision && first.decision_status() != statement.decision_status();
            found.push(one(statement.line, text, differ));
        }
        match kind {
            Kind::Decision => {
                found.extend(of_decision(id, statement, named).map(|(text, holds)| one(statement.line, text, holds)))
            }
            Kind::Risk if statement.risk().active => {
                let unread = statement.unread_ratings(id);
                found.extend(unread.map(|(text, holds)| one(statement.line, text, holds)));
            }
            Kind::Risk | Kind::Constraint | Kind::Assumption => {}
        }
    }
    found
}

/// Code that looks like an entry on which a trigger depends: a locked decision, a rated risk. Code is not read.
pub(super) fn in_code(kind: Kind, text: &str, all: &[Entry]) -> Vec<Unclear> {
    let counts = |one: &Statement| match kind {
        Kind::Decision => one.decision().locked,
        Kind::Risk => one.risk().active && one.risk().score().is_some(),
        Kind::Constraint | Kind::Assumption => false,
    };
    let is_read = |id: &str| all.iter().any(|entry| entry.id.as_deref() == Some(id));
    let mut found = Vec::new();
    for Coded { line, id, statement } in coded(text).into_iter().filter(|one| counts(&one.statement)) {
        if is_read(&id) {
            continue;
        }
        let (id, title) = (if id.is_empty() { format!("{}1", kind.letter()) } else { id }, &statement.text);
        let what = match kind {
            Kind::Decision => format!("`### {id}: {title}` and below it `**Status:** locked`"),
            _ => format!("`- {id}: {title} (probability: High, impact: Medium)`"),
        };
        let text = format!("{} stands in code, which is not read; write {what}", shown(title));
        found.push(Unclear { file: kind.file().to_owned(), line, text, holds: true });
    }
    found
}

/// Lines such as `Risk: Data loss` that stand alone, below no entry: whoever wrote them meant a risk.
pub(super) fn labelled_risks(text: &str, all: &[Entry]) -> Vec<Unclear> {
    let is_covered = |line: &Line<'_>| line.hidden || line.text.trim_start().starts_with('|');
    let all_lines = lines(text).all;
    let is_rated = |at: usize| {
        let below = all_lines.iter().skip(at).take_while(|line| !line.text.trim().is_empty());
        below.into_iter().any(|line| RATINGS.iter().any(|name| line.text.to_lowercase().contains(name)))
    };
    let mut since = 0;
    let mut found = Vec::new();
    for (at, line) in all_lines.iter().enumerate() {
        let said = line.text.trim();
        if said.starts_with('#') {
            since = at;
        }
        let bare = said.trim_start_matches(['*', '_', '-', '>', ' ']);
        let Some((label, value)) = bare.split_once(':').filter(|_| !is_covered(line)) else { continue };
        let label = label.trim_matches(['*', '_', ' ']).to_lowercase();
        let value = value.trim_matches(['*', '_', ' ']);
        let is_risk = RISK_LABELS.contains(&label.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' '));
        let is_field = all.iter().any(|entry| (since + 1..=at + 1).contains(&entry.statement.line));
        if is_risk && !is_field && !is_placeholder(value) {
            let text = format!(
                "{} is not read as a risk; write `- R1: {} (probability: High, impact: Medium)`, with a number that is free",
                shown(said),
                one_line(value.split('(').next().unwrap_or(value))
            );
            found.push(Unclear { file: Kind::Risk.file().to_owned(), line: at + 1, text, holds: is_rated(at) });
        }
    }
    found
}

/// Labels of a risk's text.
const RISK_LABELS: [&str; 6] = ["risk", "risiko", "risque", "riesgo", "rischio", "risco"];

const RATINGS: &[&str] = &["probability", "likelihood", "impact", "severity", "score"];

/// What is unclear about a decision, and whether it holds.
fn of_decision(id: &str, statement: &Statement, named: &[Named]) -> Option<(String, bool)> {
    let Some(status) = statement.decision_status() else {
        let text = format!(
            "the status {} of {id} is not understood, and whether {id} stands depends on it; write accepted, proposed, rejected or superseded",
            shown(&statement.status_line())
        );
        return Some((text, true));
    };
    let unknown =
        |later: &String| super::as_known(&named.iter().map(|(id, _)| id.clone()).collect::<Vec<_>>(), later).is_none();
    let missing = statement.superseded_by().into_iter().find(unknown)?;
    (status == DecisionStatus::Superseded)
        .then(|| (format!("{id} says that {missing} superseded it, and {missing} is not here"), false))
}

/// Decisions that supersede each other: none of them would stand.
pub(super) fn of_circles(knowledge: &Knowledge) -> Vec<Unclear> {
    let mut found = Vec::new();
    for (at, one) in knowledge.decisions.iter().enumerate() {
        for other in &knowledge.decisions[at + 1..] {
            if one.id != other.id && one.supersedes.contains(&other.id) && other.supersedes.contains(&one.id) {
                let text = format!(
                    "{} and {} supersede each other, so neither stands; take one of the lines out",
                    one.id, other.id
                );
                found.push(Unclear { file: Kind::Decision.file().to_owned(), line: 1, text, holds: true });
            }
        }
    }
    found
}

fn shown(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{:?}", format!("{}…", &line[..end])),
        None => format!("{line:?}"),
    }
}
