//! What was done in a phase and what came of it, in the words of its documents.

use super::{decided_by, is_written, taken};
use crate::definition::Phase;
use crate::extract::passages::one_line;
use crate::extract::{TEXT_LIMIT_CHARS, is_of_knowledge, shortened};
use crate::knowledge::Risk;
use crate::snapshot::{Document, Snapshot};
use forge_debate::turn::{Section, title_matches};
use forge_prose::measure::first_sentence;

/// The most sections that are told, and the most boxes.
const SHOWN: usize = 8;
/// The most characters of one line.
const LINE_LIMIT_CHARS: usize = 240;

/// What was done: the debate if there was one, and what was ticked.
pub(super) fn summary(snapshot: &Snapshot, phase: &Phase) -> Vec<String> {
    let objective = one_line(snapshot.state.current_objective());
    let first = match decided_by(snapshot) {
        Some(debate) => {
            let labels: Vec<String> = debate.options.iter().map(|option| one_line(&option.label)).collect();
            format!("{}: {objective}. Debated {} (protocol {}).", phase.name, labels.join(", "), debate.protocol.name)
        }
        None => format!("{}: {objective}.", phase.name),
    };
    let mut lines = vec![first];
    lines.extend(snapshot.document.iter().filter_map(ticked));
    lines
}

/// What came of it: what was chosen and decided, how each section begins that was written, what was found out, what may go
/// wrong.
pub(super) fn outcomes(snapshot: &Snapshot, phase: &Phase) -> Vec<String> {
    let (state, knowledge) = (&snapshot.state, &snapshot.knowledge);
    let mut outcomes: Vec<String> = Vec::new();
    let debate = decided_by(snapshot);
    if let Some(debate) = debate {
        if !debate.decided.is_empty() {
            outcomes.push(format!("Selected: {}", debate.decided.join(" + ")));
        }
        outcomes.extend(debate.by.iter().map(|person| format!("Decided by: {person}")));
        outcomes.extend(debate.confidence.iter().map(|confidence| format!("Confidence: {confidence}")));
        outcomes.push(format!("Debate ID: {}", debate.id));
        outcomes.extend(debate.notes.iter().cloned());
    }
    outcomes.extend(taken(snapshot, phase).map(|decision| format!("{}: {}", decision.id, decision.title)));
    outcomes.extend(snapshot.document.iter().flat_map(sections));
    let is_of_phase = |source: Option<&str>| {
        let of_debate = |id: &String| source.is_some_and(|source| source.starts_with(&format!("{id}#")));
        is_written(state, phase, source) || debate.is_some_and(|debate| of_debate(&debate.id))
    };
    let found_out = knowledge.validations.iter().filter(|one| is_of_phase(Some(&one.source)));
    outcomes.extend(found_out.map(|one| {
        let because = if one.because.is_empty() { String::new() } else { format!(": {}", one.because) };
        format!("{} {}{because}", one.assumption, one.standing.word())
    }));
    let score = |risk: &Risk| risk.score().map(|score| format!(" (risk, score {score})")).unwrap_or_default();
    let risks = knowledge.risks.iter().filter(|one| is_of_phase(one.source.as_deref()));
    outcomes.extend(risks.map(|one| format!("{}: {}{}", one.id, one.text, score(one))));
    outcomes.iter().map(|one| shortened(&one_line(one), TEXT_LIMIT_CHARS)).collect()
}

/// How each section begins that was written, but for lists that have their own place in a handoff.
fn sections(document: &Document) -> Vec<String> {
    let has_own_place = |section: &Section| {
        ["TODO", "Options"].iter().any(|title| title_matches(&section.title, title)) || is_of_knowledge(&section.title)
    };
    let mut lines = Vec::new();
    let mut end = 0;
    for section in document.sections.iter().filter(|section| !has_own_place(section)) {
        // What stands below another section is told by it.
        if section.line < end {
            continue;
        }
        end = section.body_line + section.body.lines().count();
        if let Some(sentence) = first_sentence(&section.body) {
            lines.push(shortened(&format!("{}: {}", section.title, one_line(&sentence)), LINE_LIMIT_CHARS));
        }
    }
    lines.truncate(SHOWN);
    lines
}

/// The boxes that were ticked, without the names of their tasks.
fn ticked(document: &Document) -> Option<String> {
    let title = |text: &str| match text.split_once(": ") {
        Some((task, title)) if task.starts_with("task-") => one_line(title),
        _ => one_line(text),
    };
    let mut done: Vec<String> =
        document.todo.iter().filter(|one| one.ticked).map(|one| title(&one.text)).take(SHOWN + 1).collect();
    if done.is_empty() {
        return None;
    }
    if done.len() > SHOWN {
        done.truncate(SHOWN);
        done.push("and more".to_owned());
    }
    Some(format!("Ticked: {}", done.join("; ")))
}
