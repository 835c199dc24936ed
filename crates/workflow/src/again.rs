//! Files of the record that are gone, and what can be made of them again.
//!
//! Promises: an entry keeps the id by which anything else on record names it; no id is given twice; what nothing on record
//! tells is named, and not made up.
//!
//! Pure; if the process dies here nothing is left.

use crate::extract::ids::number;
use crate::handoff::Handoff;
use crate::knowledge::{Assumption, Constraint, Decision, Findings, Kind, Knowledge, Risk};
use forge_debate::plan::same_words;

/// A file that every workflow has, or that this one had, and that is not there.
#[derive(Debug, Clone, PartialEq)]
pub struct Gone {
    /// The file.
    pub file: String,
    /// What can be made of it again.
    pub again: Again,
}

/// What can be made again of a file that is gone.
#[derive(Debug, Clone, PartialEq)]
pub enum Again {
    /// Nothing was in it that anybody knows of: it is made as at the start.
    Empty,
    /// Knowledge.
    Knowledge(Remade),
    /// A handoff, with every box open.
    Handoff(Box<Handoff>),
    /// Nothing: why.
    No(String),
}

/// A knowledge file as far as the record tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct Remade {
    /// Which.
    pub kind: Kind,
    /// Its entries, with their ids.
    pub entries: Findings,
    /// Of them, those of which only handoffs or the state file tell, and no debate or document.
    pub retold: Vec<String>,
    /// Ids that others name and of which nothing else is known.
    pub lost: Vec<String>,
}

/// What other files name: entries under their ids, and ids alone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Named {
    /// Entries as handoffs and the state file tell them; of two with one id the first counts.
    pub entries: Findings,
    /// Ids alone.
    pub ids: Vec<String>,
    /// How many risks the last handoff counts: it has no ids for them.
    pub risks: usize,
}

impl Named {
    /// Whether some entries of a kind are named.
    pub fn has_some_of(&self, kind: Kind) -> bool {
        match kind {
            Kind::Decision => !self.entries.decisions.is_empty(),
            Kind::Constraint => !self.entries.constraints.is_empty(),
            Kind::Assumption => !self.entries.assumptions.is_empty(),
            Kind::Risk => self.risks > 0,
        }
    }
}

impl Gone {
    /// Whether it is made again, wholly or in part.
    pub fn is_made_again(&self) -> bool {
        !matches!(self.again, Again::No(_))
    }

    /// What is said when it was made again.
    pub fn told(&self) -> Vec<String> {
        let file = &self.file;
        let besides =
            format!("what else may have stood there is not on record; if it was committed: git checkout -- {file}");
        match &self.again {
            Again::Empty => {
                vec![format!("made {file}")]
            }
            Again::Handoff(_) => {
                vec![
                    format!(
                        "{file} was not there or empty; made again from the record, with every box open but those of conditions that had called for a debate"
                    ),
                    besides,
                ]
            }
            Again::Knowledge(Remade { kind, entries, retold, lost }) => {
                let ids = entries.ids().join(", ");
                let mut told =
                    vec![format!("{file} was not there or had no entries; made again from the record: {ids}")];
                if !retold.is_empty() {
                    told.push(format!("of {} only what handoffs and the state file tell is known", retold.join(", ")));
                }
                if !lost.is_empty() {
                    let order = "; the others have the numbers of their order on record";
                    let order = if *kind == Kind::Risk { order } else { "" };
                    told.push(format!("of {} nothing is on record{order}", lost.join(", ")));
                }
                told.push(besides);
                told
            }
            Again::No(_) => Vec::new(),
        }
    }
}

/// A knowledge file made again: what debates and documents gave, in their order, under the ids by which others name it, then
/// what only others tell. `known` is what the files that are there say.
pub fn knowledge(kind: Kind, given: &[Findings], known: &Knowledge, named: &Named) -> Remade {
    let mut entries = Findings::default();
    let mut known = known.clone();
    known.taken_ids.clear();
    for findings in given {
        let mut news = known.news(findings);
        match kind {
            Kind::Decision => add(&mut entries.decisions, &mut news.decisions, &named.entries.decisions, 'D'),
            Kind::Constraint => add(&mut entries.constraints, &mut news.constraints, &named.entries.constraints, 'C'),
            Kind::Assumption => {
                add(&mut entries.assumptions, &mut news.assumptions, &named.entries.assumptions, 'A');
                entries.validations.append(&mut news.validations);
            }
            Kind::Risk => add(&mut entries.risks, &mut news.risks, &named.entries.risks, 'R'),
        }
        // What was made already is known from here on.
        match kind {
            Kind::Decision => known.decisions.clone_from(&entries.decisions),
            Kind::Constraint => known.constraints.clone_from(&entries.constraints),
            Kind::Assumption => {
                known.assumptions.clone_from(&entries.assumptions);
                known.validations.clone_from(&entries.validations);
            }
            Kind::Risk => known.risks.clone_from(&entries.risks),
        }
    }
    let retold = match kind {
        Kind::Decision => retell(&mut entries.decisions, &named.entries.decisions),
        Kind::Constraint => retell(&mut entries.constraints, &named.entries.constraints),
        Kind::Assumption => retell(&mut entries.assumptions, &named.entries.assumptions),
        Kind::Risk => retell(&mut entries.risks, &named.entries.risks),
    };
    let is_of_kind = |id: &&String| number(id, kind.letter()).is_some();
    let made = entries.ids();
    let mut lost: Vec<String> = named.ids.iter().filter(is_of_kind).filter(|id| !made.contains(id)).cloned().collect();
    lost.sort();
    lost.dedup();
    if kind == Kind::Risk {
        lost.extend((entries.risks.len()..named.risks).map(|_| "R?".to_owned()));
    }
    Remade { kind, entries, retold, lost }
}

/// What all kinds have.
trait Entry: Clone {
    fn id(&self) -> &str;
    fn set_id(&mut self, id: String);
    fn text(&self) -> &str;
}

macro_rules! entry {
    ($($kind:ident: $text:ident),+) => {
        $(impl Entry for $kind {
            fn id(&self) -> &str {
                &self.id
            }
            fn set_id(&mut self, id: String) {
                self.id = id;
            }
            fn text(&self) -> &str {
                &self.$text
            }
        })+
    };
}

entry!(Decision: title, Constraint: text, Assumption: text, Risk: text);

/// Adds entries under the ids by which others name the same words, else under the next number that nobody uses.
fn add<E: Entry>(entries: &mut Vec<E>, news: &mut Vec<E>, named: &[E], letter: char) {
    for mut entry in news.drain(..) {
        let is_used = |id: &str| entries.iter().any(|there| there.id() == id);
        let same = named.iter().filter(|one| same_words(one.text(), entry.text()) && !is_used(one.id()));
        // Of two that say the same the earlier one was recorded first.
        let id = same.min_by_key(|one| number(one.id(), letter)).map(|one| one.id().to_owned()).unwrap_or_else(|| {
            let is_taken = |id: &str| is_used(id) || named.iter().any(|one| one.id() == id);
            let last = entries.iter().filter_map(|one| number(one.id(), letter)).max().unwrap_or(0);
            let mut free = (last.saturating_add(1)..).map(|next| format!("{letter}{next}")).filter(|id| !is_taken(id));
            free.next().unwrap_or_default()
        });
        entry.set_id(id);
        entries.push(entry);
    }
}

/// Adds what only others tell, and says which it is.
fn retell<E: Entry>(entries: &mut Vec<E>, named: &[E]) -> Vec<String> {
    let mut retold = Vec::new();
    for one in named {
        if entries.iter().all(|there| there.id() != one.id()) {
            retold.push(one.id().to_owned());
            entries.push(one.clone());
        }
    }
    entries.sort_by_key(|one| number(one.id(), one.id().chars().next().unwrap_or(' ')).unwrap_or(u32::MAX));
    retold
}

impl Findings {
    /// The ids of all entries.
    pub fn ids(&self) -> Vec<String> {
        let decisions = self.decisions.iter().map(|one| &one.id);
        let constraints = self.constraints.iter().map(|one| &one.id);
        let assumptions = self.assumptions.iter().map(|one| &one.id);
        decisions.chain(constraints).chain(assumptions).chain(self.risks.iter().map(|one| &one.id)).cloned().collect()
    }
}
