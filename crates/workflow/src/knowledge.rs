//! What a project knows: decisions, constraints, assumptions and risks, with where each comes from.
//!
//! An entry's identity is its source, such as `brainstorm-20260127-143022#D1`: extracting twice adds once. Entries
//! without a source are people's own, and are never touched. An assumption or a risk that says the same as one that is there is
//! not added a second time either. Ids are `D<n>`, `C<n>`, `A<n>`, `R<n>`; the next one is the
//! highest present plus one.

use crate::snapshot::Unclear;
use forge_debate::plan::same_words;

/// The kinds of entries, each with its own file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// What was decided.
    Decision,
    /// What binds the phases that follow.
    Constraint,
    /// What is believed and not yet shown.
    Assumption,
    /// What may go wrong.
    Risk,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Decision, Kind::Constraint, Kind::Assumption, Kind::Risk];

    /// The letter of its ids.
    pub fn letter(self) -> char {
        match self {
            Kind::Decision => 'D',
            Kind::Constraint => 'C',
            Kind::Assumption => 'A',
            Kind::Risk => 'R',
        }
    }

    /// Its file.
    pub const fn file(self) -> &'static str {
        match self {
            Kind::Decision => "docs/forge/knowledge/decisions.md",
            Kind::Constraint => "docs/forge/knowledge/constraints.md",
            Kind::Assumption => "docs/forge/knowledge/assumptions.md",
            Kind::Risk => "docs/forge/knowledge/risks.md",
        }
    }
}

/// What was decided. Never edited afterwards; a later one may supersede it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decision {
    /// Its id; empty until it is merged.
    pub id: String,
    /// What was decided, in a line.
    pub title: String,
    /// Why.
    pub rationale: String,
    /// The phase that it was taken in.
    pub phase: String,
    /// The debate that it was taken in.
    pub debate: Option<String>,
    /// When, as a date.
    pub date: String,
    /// When to reconsider it, one criterion each, with what is indented below it.
    pub kill_switch: Vec<String>,
    /// Earlier decisions that it takes the place of.
    pub supersedes: Vec<String>,
    /// Whether challenging it needs a debate.
    pub locked: bool,
    /// Who decided, where a person did.
    pub by: Option<String>,
    /// Where it comes from; none for people's own entries.
    pub source: Option<String>,
}

/// What binds the phases that follow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Constraint {
    /// Its id; empty until it is merged.
    pub id: String,
    /// What must hold.
    pub text: String,
    /// What it rests on: a decision's id, a policy.
    pub origin: String,
    /// What happens when it is violated.
    pub violation: String,
    /// Whether a debate locked it.
    pub locked_by: Option<String>,
    /// Where it comes from; none for people's own entries.
    pub source: Option<String>,
}

/// What is believed and not yet shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Assumption {
    /// Its id; empty until it is merged.
    pub id: String,
    /// What is believed.
    pub text: String,
    /// Whether it was shown right or wrong meanwhile.
    pub standing: Standing,
    /// When it is to be validated.
    pub due: String,
    /// What happens if it is wrong.
    pub risk_if_invalid: String,
    /// Where it comes from; none for people's own entries.
    pub source: Option<String>,
}

/// Whether an assumption was shown right or wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Standing {
    /// Neither.
    #[default]
    Open,
    /// Right.
    Validated,
    /// Wrong.
    Invalidated,
}

impl Standing {
    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            Standing::Open => "open",
            Standing::Validated => "validated",
            Standing::Invalidated => "invalidated",
        }
    }
}

/// An assumption that was shown right or wrong: a line of its own, so that the assumption's own wording stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Validation {
    /// Which assumption.
    pub assumption: String,
    /// What it turned out to be.
    pub standing: Standing,
    /// How that was found out.
    pub because: String,
    /// Where this comes from.
    pub source: String,
}

/// What may go wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Risk {
    /// Its id; empty until it is merged.
    pub id: String,
    /// What may go wrong.
    pub text: String,
    /// How likely, 1 to 3; none where nobody said.
    pub probability: Option<u8>,
    /// How bad, 1 to 3; none where nobody said.
    pub impact: Option<u8>,
    /// The score, 1 to 9, where somebody gave it without saying both of these.
    pub stated_score: Option<u8>,
    /// Who watches it.
    pub owner: String,
    /// Whether it can still happen.
    pub active: bool,
    /// Where it comes from; none for people's own entries.
    pub source: Option<String>,
}

impl Risk {
    /// Probability times impact where both are known, else the score that was given.
    pub fn score(&self) -> Option<u8> {
        self.probability.zip(self.impact).map(|(p, i)| p.saturating_mul(i)).or(self.stated_score)
    }
}

/// Everything the knowledge files say, as far as it can be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Knowledge {
    /// Decisions, in their file's order.
    pub decisions: Vec<Decision>,
    /// Constraints, in their file's order.
    pub constraints: Vec<Constraint>,
    /// Assumptions, in their file's order.
    pub assumptions: Vec<Assumption>,
    /// What was found out about assumptions.
    pub validations: Vec<Validation>,
    /// Risks, in their file's order.
    pub risks: Vec<Risk>,
    /// Ids that stand elsewhere, as in the state file of another tool: never given again.
    pub taken_ids: Vec<String>,
    /// Entries that were not understood.
    pub unclear: Vec<Unclear>,
}

/// Entries to be merged into the files; ids are given then.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Findings {
    /// Decisions.
    pub decisions: Vec<Decision>,
    /// Constraints. An `origin` that is a decision's source becomes that decision's id; one without a text says that it binds.
    pub constraints: Vec<Constraint>,
    /// Assumptions.
    pub assumptions: Vec<Assumption>,
    /// What was found out about assumptions.
    pub validations: Vec<Validation>,
    /// Risks.
    pub risks: Vec<Risk>,
}

impl Knowledge {
    /// Decisions that no later one supersedes.
    pub fn standing_decisions(&self) -> impl Iterator<Item = &Decision> {
        self.decisions.iter().filter(|decision| self.superseded_by(&decision.id).is_none())
    }

    /// The decision that took the place of another.
    pub fn superseded_by(&self, id: &str) -> Option<&Decision> {
        self.decisions.iter().find(|later| later.supersedes.iter().any(|earlier| earlier == id))
    }

    /// Constraints but those that rest on a decision that no longer stands.
    pub fn standing_constraints(&self) -> impl Iterator<Item = &Constraint> {
        self.constraints.iter().filter(|constraint| self.superseded_by(&constraint.origin).is_none())
    }

    /// How an assumption stands: its last validation decides, else its own word.
    pub fn standing(&self, assumption: &Assumption) -> Standing {
        self.validations
            .iter()
            .rev()
            .find(|validation| validation.assumption == assumption.id)
            .map_or(assumption.standing, |validation| validation.standing)
    }

    /// Assumptions that are still open.
    pub fn open_assumptions(&self) -> impl Iterator<Item = &Assumption> {
        self.assumptions.iter().filter(|assumption| self.standing(assumption) == Standing::Open)
    }

    /// The active risk with the highest score; the first of equals.
    pub fn highest_risk(&self) -> Option<&Risk> {
        let scored = self.risks.iter().filter(|risk| risk.active && risk.score().is_some());
        scored.fold(None, |best: Option<&Risk>, risk| match best {
            Some(best) if best.score() >= risk.score() => Some(best),
            _ => Some(risk),
        })
    }

    fn next_id<'i>(&'i self, ids: impl Iterator<Item = &'i str>, letter: char) -> u32 {
        next_number(ids.chain(self.taken_ids.iter().map(String::as_str)), letter)
    }

    /// The findings that are not there yet, with their ids. Merging them a second time gives nothing.
    pub fn news(&self, findings: &Findings) -> Findings {
        let mut news = Findings::default();
        let mut next_decision = self.next_id(self.decisions.iter().map(|entry| entry.id.as_str()), 'D');
        let mut given: Vec<(String, String)> = Vec::new();
        for decision in &findings.decisions {
            if let Some(there) = self.decisions.iter().find(|there| same_source(&there.source, &decision.source)) {
                given.push((decision.source.clone().unwrap_or_default(), there.id.clone()));
                continue;
            }
            let id = format!("D{next_decision}");
            next_decision += 1;
            given.push((decision.source.clone().unwrap_or_default(), id.clone()));
            let supersedes: Vec<String> =
                decision.supersedes.iter().filter(|earlier| **earlier != id).cloned().collect();
            news.decisions.push(Decision { id, supersedes, ..decision.clone() });
        }
        let mut next = self.next_id(self.constraints.iter().map(|entry| entry.id.as_str()), 'C');
        for constraint in &findings.constraints {
            if self.constraints.iter().any(|there| same_source(&there.source, &constraint.source)) {
                continue;
            }
            let origin = given
                .iter()
                .find(|(source, _)| *source == constraint.origin && !source.is_empty())
                .map_or_else(|| constraint.origin.clone(), |(_, id)| id.clone());
            let text = match constraint.text.as_str() {
                "" => bound_by(self.decisions.iter().chain(&news.decisions).find(|decision| decision.id == origin)),
                text => text.to_owned(),
            };
            news.constraints.push(Constraint { id: format!("C{next}"), text, origin, ..constraint.clone() });
            next += 1;
        }
        let mut next = self.next_id(self.assumptions.iter().map(|entry| entry.id.as_str()), 'A');
        for assumption in &findings.assumptions {
            let known = |there: &Assumption| {
                same_source(&there.source, &assumption.source) || same_words(&there.text, &assumption.text)
            };
            if self.assumptions.iter().chain(&news.assumptions).any(known) {
                continue;
            }
            news.assumptions.push(Assumption { id: format!("A{next}"), ..assumption.clone() });
            next += 1;
        }
        let mut next = self.next_id(self.risks.iter().map(|entry| entry.id.as_str()), 'R');
        for risk in &findings.risks {
            let known = |there: &Risk| same_source(&there.source, &risk.source) || same_words(&there.text, &risk.text);
            if self.risks.iter().chain(&news.risks).any(known) {
                continue;
            }
            news.risks.push(Risk { id: format!("R{next}"), ..risk.clone() });
            next += 1;
        }
        let known = |validation: &&Validation| !self.validations.iter().any(|there| there.source == validation.source);
        news.validations = findings.validations.iter().filter(known).cloned().collect();
        news
    }
}

impl Findings {
    /// Whether there is nothing in them.
    pub fn is_empty(&self) -> bool {
        *self == Findings::default()
    }
}

/// What a decision that a debate locked means for whoever comes later.
fn bound_by(decision: Option<&Decision>) -> String {
    decision.map_or_else(String::new, |one| format!("Bound by {} ({}); changing it needs a debate", one.id, one.title))
}

fn same_source(a: &Option<String>, b: &Option<String>) -> bool {
    a.is_some() && a == b
}

/// The highest number among ids of a letter, plus one.
pub fn next_number<'i>(ids: impl Iterator<Item = &'i str>, letter: char) -> u32 {
    let number = |id: &str| id.strip_prefix(letter).and_then(|digits| digits.parse::<u32>().ok());
    ids.filter_map(number).max().unwrap_or(0).saturating_add(1)
}
