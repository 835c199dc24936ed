//! Decisions of a phase document that speak against a locked one.
//!
//! A document's decision contradicts a locked one that stands when it names its id with a word that turns it down
//! (`Supersedes: D1`, `D1 no longer holds`), when it turns down what was chosen (`Drop JWT`), or when it names what the
//! locked one's debate turned down and not what it chose. `(keeps D1)` says that it does not.
//!
//! It guesses at words, errs on the side of asking, and says what to write where it is wrong. Word lists are data.
//!
//! Pure; if the process dies here nothing is left.

mod reading;

use crate::extract;
use crate::extract::ids::same_id;
use crate::knowledge::{Decision, DecisionStatus, Findings, Kind, Knowledge};
use crate::snapshot::Document;
use reading::{Text, Thing};

/// What a locked decision chose and what it turned down, as the plan of its debate has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The decision's id.
    pub decision: String,
    /// The options that were chosen, by name.
    pub chosen: Vec<String>,
    /// The others.
    pub rejected: Vec<String>,
}

/// A decision of a document that speaks against a locked one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The document.
    pub file: String,
    /// Where it says so.
    pub line: usize,
    /// What it says.
    pub text: String,
    /// Where the document's decision comes from, if it is one of its own.
    pub source: Option<String>,
    /// The locked decision's id.
    pub decision: String,
    /// What that decided.
    pub title: String,
}

/// The decisions of a document that speak against locked ones that stand.
pub fn find(
    document: &Document,
    findings: &Findings,
    knowledge: &Knowledge,
    settled: &[Settled],
) -> Vec<Contradiction> {
    // One that only this document's own decisions supersede is still contradicted by them.
    let is_own = |one: &Decision| one.source.is_some() && findings.decisions.iter().any(|own| own.source == one.source);
    let stands = |one: &&Decision| knowledge.superseding(&one.id).all(is_own);
    let locked: Vec<&Decision> = knowledge.decisions.iter().filter(|one| one.locked).filter(stands).collect();
    // One that begins with the id of another entry says something of that entry.
    let is_known = |one: &Decision| !one.id.is_empty() && knowledge.decision(&one.id).is_some();
    let mut found = Vec::new();
    for known in locked {
        let matter = settled.iter().find(|one| one.decision == known.id);
        let mut put = |text: &str, source: Option<&String>| {
            found.push(Contradiction {
                file: document.path.clone(),
                line: extract::line_of(Kind::Decision, &document.sections, text),
                text: text.to_owned(),
                source: source.cloned(),
                decision: known.id.clone(),
                title: known.title.clone(),
            });
        };
        for decision in findings.decisions.iter().filter(|one| one.source != known.source || one.source.is_none()) {
            // An entry that begins with the locked one's id says something of that, and is none of its own.
            if same_id(&decision.id, &known.id) {
                if is_turned_down_by(decision, known, matter) {
                    put(&decision.title, None);
                }
            } else if !is_known(decision) && contradicts(decision, known, matter) {
                put(&decision.title, decision.source.as_ref());
            }
        }
    }
    found
}

/// Whether a decision speaks against a locked one.
pub fn contradicts(decision: &Decision, locked: &Decision, settled: Option<&Settled>) -> bool {
    if decision.supersedes.contains(&locked.id) {
        return true;
    }
    let (title, why) = (Text::of(&decision.title), Text::of(&decision.rationale));
    if title.turns_down_id(&locked.id) || why.turns_down_id(&locked.id) {
        return true;
    }
    if title.keeps_id(&locked.id) || why.keeps_id(&locked.id) {
        return false;
    }
    let chosen = chosen_by(locked, settled);
    if chosen.iter().any(|thing| title.turns_down(thing) || why.turns_down(thing)) {
        return true;
    }
    let Some(settled) = settled else { return false };
    let names_chosen = chosen.iter().any(|thing| title.names(thing));
    let question = Thing::question(&locked.title, &settled.chosen);
    let rejected = settled.rejected.iter().map(|label| Thing::option(label, &settled.chosen));
    !names_chosen
        && rejected.into_iter().any(|thing| title.puts_forward(&thing, &question) && !title.turns_down(&thing))
}

/// Whether an item that begins with a locked decision's id says that it does not stand any more.
fn is_turned_down_by(again: &Decision, locked: &Decision, settled: Option<&Settled>) -> bool {
    let said = Text::of(&format!("{}: {}", locked.id, again.title));
    let chosen = chosen_by(locked, settled);
    again.status != DecisionStatus::Accepted
        || said.turns_down_id(&locked.id)
        || chosen.iter().any(|thing| said.turns_down(thing))
}

fn chosen_by(locked: &Decision, settled: Option<&Settled>) -> Vec<Thing> {
    match settled.filter(|settled| !settled.chosen.is_empty()) {
        Some(settled) => settled.chosen.iter().map(|label| Thing::option(label, &settled.rejected)).collect(),
        None => vec![Thing::titled(&locked.title)],
    }
    .into_iter()
    .map(|thing| thing.among(&locked.title))
    .collect()
}
