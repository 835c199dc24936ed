//! What a project knows: decisions, constraints, assumptions and risks, with where each comes from.
//!
//! An entry's identity is its source, such as `brainstorm-20260127-143022#D1`: extracting twice adds once. Entries
//! without a source are people's own, and are never touched. A constraint, an assumption or a risk that says the same as one
//! that is there is not added a second time either. Ids are `D<n>`, `C<n>`, `A<n>`, `R<n>`; the next one is the
//! highest present plus one. An id that a writer gave stays, where it is free.

use crate::contradiction::on_its_matter;
use crate::extract::ids::{ids_in, is_own, number, same_id};
use crate::extract::taken_from;
use crate::snapshot::{LockedDecision, Unclear};
use forge_prose::phrases::Phrases;
use forge_prose::words::tokens;
use std::sync::LazyLock;

/// What stands for the name of somebody where there is nobody.
static NOBODY: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../data/nobody.txt")));

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

    /// What one of them is called.
    pub const fn word(self) -> &'static str {
        match self {
            Kind::Decision => "decision",
            Kind::Constraint => "constraint",
            Kind::Assumption => "assumption",
            Kind::Risk => "risk",
        }
    }

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
    /// Its heading and the statement below it, where it has both: what speaks against one speaks against the decision.
    pub phrasings: Vec<String>,
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
    /// What could have been chosen instead and was not, each with its letter: `B: Redis`.
    pub turned_down: Vec<String>,
    /// Earlier decisions that it takes the place of.
    pub supersedes: Vec<String>,
    /// Whether challenging it needs a debate.
    pub locked: bool,
    /// What its own file says of how it stands.
    pub status: DecisionStatus,
    /// Who decided, where a person did.
    pub by: Option<String>,
    /// Where it comes from; none for people's own entries.
    pub source: Option<String>,
    /// Whether it is shown as what a debate that was not made here claims: before that is taken over it takes nobody's place.
    pub claimed: bool,
}

impl Decision {
    /// The debate that it says it comes from, of forge's own.
    pub fn debate_named(&self) -> Option<&str> {
        let source = || self.source.as_deref()?.rsplit_once("#D").map(|(debate, _)| debate);
        self.debate.as_deref().or_else(source).filter(|_| taken_from(self).is_none())
    }
}

/// How a decision stands by itself; a later one may supersede it all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DecisionStatus {
    /// It was taken.
    #[default]
    Accepted,
    /// It was not taken yet.
    Proposed,
    /// It was turned down.
    Rejected,
    /// Another one took its place.
    Superseded,
    /// It was taken, and is on its way out.
    Deprecated,
    /// It was taken back.
    Withdrawn,
}

impl DecisionStatus {
    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            DecisionStatus::Accepted => "accepted",
            DecisionStatus::Proposed => "proposed",
            DecisionStatus::Rejected => "rejected",
            DecisionStatus::Superseded => "superseded",
            DecisionStatus::Deprecated => "deprecated",
            DecisionStatus::Withdrawn => "withdrawn",
        }
    }

    /// Whether it was in force at some time, so that it could take the place of another.
    pub fn was_taken(self) -> bool {
        !matches!(self, DecisionStatus::Proposed | DecisionStatus::Rejected)
    }
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
    /// Whether its file says that it binds no more.
    pub lifted: bool,
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
    /// The score, 1 to 9, where somebody gave it without saying both of these, or a higher one than they come to.
    pub stated_score: Option<u8>,
    /// Who watches it.
    pub owner: String,
    /// Whether it can still happen.
    pub active: bool,
    /// Who accepted it, where its file says that somebody did; empty where it does not say who.
    pub accepted_by: Option<String>,
    /// Where it comes from; none for people's own entries.
    pub source: Option<String>,
}

impl Risk {
    /// Probability times impact where both are known, or the score that was given where that is higher or alone.
    pub fn score(&self) -> Option<u8> {
        self.probability.zip(self.impact).map(|(p, i)| p.saturating_mul(i)).max(self.stated_score)
    }

    /// Whether somebody watches it: `unassigned` and `?` are nobody.
    pub fn has_owner(&self) -> bool {
        self.owner.chars().any(char::is_alphabetic) && !NOBODY.has_text(&self.owner)
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
    /// Gives each decision that took another one's place that one's matter: what speaks of it speaks of the later one.
    pub fn inherit_matters(&mut self) {
        for at in 0..self.decisions.len() {
            let later = &self.decisions[at];
            let earlier = self.decisions.iter().filter(|one| later.supersedes.contains(&one.id) && one.id != later.id);
            let matters: Vec<String> = earlier.filter_map(|earlier| on_its_matter(later, earlier)).collect();
            self.decisions[at].phrasings.extend(matters);
        }
    }

    /// Whether there is no entry of a kind.
    pub fn has_none_of(&self, kind: Kind) -> bool {
        match kind {
            Kind::Decision => self.decisions.is_empty(),
            Kind::Constraint => self.constraints.is_empty(),
            Kind::Assumption => self.assumptions.is_empty(),
            Kind::Risk => self.risks.is_empty(),
        }
    }

    /// Decisions that are in force.
    pub fn standing_decisions(&self) -> impl Iterator<Item = &Decision> {
        self.decisions.iter().filter(|decision| self.stands(decision))
    }

    /// Whether a decision is in force: taken, and not superseded.
    pub fn stands(&self, decision: &Decision) -> bool {
        decision.status == DecisionStatus::Accepted && self.superseded_by(&decision.id).is_none()
    }

    /// The decision with that id; `D1` finds `D001` where there is no `D1`.
    pub fn decision(&self, id: &str) -> Option<&Decision> {
        let id = id.trim();
        let exact = self.decisions.iter().find(|decision| decision.id == id);
        exact.or_else(|| self.decisions.iter().find(|decision| same_id(&decision.id, id)))
    }

    /// Holds what handoffs locked, whatever the registry says of it meanwhile: such a decision is locked, and one that a debate
    /// took is in force until another one supersedes it.
    pub fn lock(&mut self, locked: &[LockedDecision]) {
        for one in locked.iter().filter(|one| one.needs_debate && !one.id.is_empty()) {
            let known = self.decision(&one.id).map(|known| known.id.clone());
            match known.and_then(|id| self.decisions.iter_mut().find(|decision| decision.id == id)) {
                Some(decision) => {
                    decision.locked = true;
                    if decision.debate.is_some() {
                        decision.status = DecisionStatus::Accepted;
                    }
                }
                None => {
                    let (id, title) = (one.id.clone(), one.title.clone());
                    self.decisions.push(Decision { id, title, locked: true, ..Decision::default() });
                }
            }
        }
    }

    /// The decision that took the place of another. One that was only proposed, or rejected, took nobody's.
    pub fn superseded_by(&self, id: &str) -> Option<&Decision> {
        self.superseding(id).find(|later| later.id != id)
    }

    /// The decisions that say that they take the place of another. What was only proposed, or rejected, takes nobody's.
    pub fn superseding(&self, id: &str) -> impl Iterator<Item = &Decision> {
        let taken = self.decisions.iter().filter(|later| later.status.was_taken() && !later.claimed);
        taken.filter(move |later| later.supersedes.iter().any(|earlier| earlier == id))
    }

    /// Decisions that a debate took, or that are locked elsewhere, and that only people's own entries supersede: the entry, and
    /// what it supersedes.
    pub fn overturned_by_hand(&self, elsewhere: &[String]) -> Vec<(&Decision, &Decision)> {
        let is_taken = |one: &&Decision| one.locked && (one.debate.is_some() || elsewhere.contains(&one.id));
        let taken = self.decisions.iter().filter(is_taken);
        let by_hand = |one: &Decision| one.debate.is_none() && one.source.is_none();
        let mut pairs = Vec::new();
        for earlier in taken {
            let mut later = self.superseding(&earlier.id);
            let Some(first) = later.next() else { continue };
            if by_hand(first) && later.all(by_hand) {
                pairs.push((first, earlier));
            }
        }
        pairs
    }

    /// Constraints but those that were lifted or rest on decisions none of which stands.
    pub fn standing_constraints(&self) -> impl Iterator<Item = &Constraint> {
        self.constraints.iter().filter(|constraint| !constraint.lifted && self.is_founded(constraint))
    }

    fn is_founded(&self, constraint: &Constraint) -> bool {
        let named = ids_in(&constraint.origin);
        let whole = self.decision(&constraint.origin);
        let rests_on: Vec<&Decision> = named.iter().filter_map(|id| self.decision(id)).chain(whole).collect();
        rests_on.is_empty() || rests_on.iter().any(|decision| self.stands(decision))
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

    /// The ids that are taken, whatever has them.
    fn ids(&self) -> impl Iterator<Item = &str> {
        let decisions = self.decisions.iter().flat_map(|one| std::iter::once(&one.id).chain(&one.supersedes));
        let constraints = self.constraints.iter().map(|one| &one.id);
        let assumptions = self.assumptions.iter().map(|one| &one.id);
        let validations = self.validations.iter().map(|one| &one.assumption);
        let risks = self.risks.iter().map(|one| &one.id);
        let all = decisions.chain(constraints).chain(assumptions).chain(validations).chain(risks);
        all.chain(&self.taken_ids).map(String::as_str)
    }

    /// The known entry of a kind that a text without an id of its own begins with: it is about that one, and is none of its own.
    /// A decision is none either where it begins with the id of another kind's entry and a colon: `C1: bound by D1`.
    pub fn begun_with(&self, kind: Kind, text: &str) -> Option<(Kind, &str)> {
        let first = text.split_whitespace().next()?;
        let is_marked = first.ends_with(':') && kind == Kind::Decision;
        let first = first.trim_matches(|c: char| !c.is_alphanumeric());
        let kinds = std::iter::once(kind).chain(Kind::ALL.into_iter().filter(|_| is_marked));
        kinds
            .flat_map(|kind| self.ids_of(kind).into_iter().map(move |id| (kind, id)))
            .find(|(_, id)| same_id(id, first))
    }

    fn ids_of(&self, kind: Kind) -> Vec<&str> {
        let all: Vec<&String> = match kind {
            Kind::Decision => self.decisions.iter().map(|one| &one.id).collect(),
            Kind::Constraint => self.constraints.iter().map(|one| &one.id).collect(),
            Kind::Assumption => self.assumptions.iter().map(|one| &one.id).collect(),
            Kind::Risk => self.risks.iter().map(|one| &one.id).collect(),
        };
        all.into_iter().map(String::as_str).filter(|id| !id.is_empty()).collect()
    }

    /// The findings that are not there yet, with their ids. Merging them a second time gives nothing.
    pub fn news(&self, findings: &Findings) -> Findings {
        let mut news = Findings::default();
        let mut given: Vec<(String, String)> = Vec::new();
        let mut ids = Ids::of(self, findings);
        for decision in &findings.decisions {
            let source = decision.source.clone().unwrap_or_default();
            if let Some(there) = self.decisions.iter().find(|there| same_source(&there.source, &decision.source)) {
                given.push((source, there.id.clone()));
                continue;
            }
            let is_about = decision.supersedes.is_empty() && decision.debate.is_none() && decision.id.is_empty();
            if is_about && self.begun_with(Kind::Decision, &decision.title).is_some() {
                continue;
            }
            let there = self.decisions.iter().chain(&news.decisions).map(|there| there.id.as_str());
            let Some(id) = ids.next(Kind::Decision, &decision.id, there) else { continue };
            given.push((source, id.clone()));
            let supersedes: Vec<String> =
                decision.supersedes.iter().filter(|earlier| **earlier != id).cloned().collect();
            news.decisions.push(Decision { id, supersedes, ..decision.clone() });
        }
        for constraint in &findings.constraints {
            let replaced = |there: &Constraint| {
                news.decisions.iter().any(|later| later.supersedes.iter().any(|id| same_id(id, &there.origin)))
            };
            let binds_alike =
                |there: &Constraint| (there.locked_by.is_some() || constraint.locked_by.is_none()) && !replaced(there);
            let known = |there: &Constraint| binds_alike(there) && says_the_same(&there.text, &constraint.text);
            let added = self.constraints.iter().any(|there| same_source(&there.source, &constraint.source));
            let is_about = constraint.id.is_empty() && self.begun_with(Kind::Constraint, &constraint.text).is_some();
            if added || is_about || self.standing_constraints().chain(&news.constraints).any(known) {
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
            let there = self.constraints.iter().chain(&news.constraints).map(|there| there.id.as_str());
            let Some(id) = ids.next(Kind::Constraint, &constraint.id, there) else { continue };
            news.constraints.push(Constraint { id, text, origin, ..constraint.clone() });
        }
        for assumption in &findings.assumptions {
            let known = |there: &Assumption| {
                same_source(&there.source, &assumption.source) || says_the_same(&there.text, &assumption.text)
            };
            if self.assumptions.iter().chain(&news.assumptions).any(known) {
                continue;
            }
            let there = self.assumptions.iter().chain(&news.assumptions).map(|there| there.id.as_str());
            let Some(id) = ids.next(Kind::Assumption, &assumption.id, there) else { continue };
            news.assumptions.push(Assumption { id, ..assumption.clone() });
        }
        for risk in &findings.risks {
            // Rated higher, or open again, it is not what is there.
            let covers = |there: &Risk| (there.active || !risk.active) && there.score() >= risk.score();
            let known = |there: &Risk| {
                same_source(&there.source, &risk.source) || covers(there) && says_the_same(&there.text, &risk.text)
            };
            let is_about = risk.id.is_empty() && self.begun_with(Kind::Risk, &risk.text).is_some();
            if is_about || self.risks.iter().chain(&news.risks).any(known) {
                continue;
            }
            let there = self.risks.iter().chain(&news.risks).map(|there| there.id.as_str());
            let Some(id) = ids.next(Kind::Risk, &risk.id, there) else { continue };
            news.risks.push(Risk { id, ..risk.clone() });
        }
        let known = |validation: &&Validation| !self.validations.iter().any(|there| there.source == validation.source);
        news.validations = findings.validations.iter().filter(known).cloned().collect();
        news
    }
}

/// The numbers that are still free.
struct Ids([u32; 4]);

impl Ids {
    fn of(knowledge: &Knowledge, findings: &Findings) -> Self {
        let decisions = findings.decisions.iter().map(|one| &one.id);
        let constraints = findings.constraints.iter().map(|one| &one.id);
        let assumptions = findings.assumptions.iter().map(|one| &one.id);
        let risks = findings.risks.iter().map(|one| &one.id);
        let given = decisions.chain(constraints).chain(assumptions).chain(risks).map(String::as_str);
        Self(Kind::ALL.map(|kind| next_number(knowledge.ids().chain(given.clone()), kind.letter())))
    }

    /// The id of a new entry: its writer's, if it gave one, else the next number. None where an entry has its writer's id: it
    /// speaks of that one.
    fn next<'i>(&mut self, kind: Kind, given: &str, mut there: impl Iterator<Item = &'i str>) -> Option<String> {
        if !given.is_empty() && (kind != Kind::Decision || is_own(kind, given)) {
            let free = !there.any(|id| same_id(id, given));
            return free.then(|| given.to_owned());
        }
        let at = Kind::ALL.iter().position(|one| *one == kind).unwrap_or(0);
        let id = format!("{}{}", kind.letter(), self.0[at]);
        self.0[at] = self.0[at].saturating_add(1);
        Some(id)
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
    ids.filter_map(|id| number(id, letter)).max().unwrap_or(0).saturating_add(1)
}

/// Whether two entries say the same, whatever the case, spacing and marks. Numbers, units and signs count: `< 24 hours` is
/// neither `> 24 hours` nor `< 48 hours`.
pub fn says_the_same(a: &str, b: &str) -> bool {
    said_words(a) == said_words(b)
}

/// The words and signs of a text that tell it from another.
pub(crate) fn said_words(text: &str) -> Vec<String> {
    const SIGNS: &[&str] = &["≤", "≥", "≠", "−", "¬", "∉", "∈", "≈"];
    let all = tokens(text);
    let minus = |at: usize| {
        let (mark, next) = (&all[at], all.get(at + 1));
        let before = text[..mark.at.start].chars().next_back();
        mark.text == "-"
            && before.is_none_or(|c| !c.is_alphanumeric())
            && next
                .is_some_and(|next| next.at.start == mark.at.end && next.text.starts_with(|c: char| c.is_ascii_digit()))
    };
    let counts = |at: &usize| !all[*at].is_mark || SIGNS.contains(&all[*at].text.as_str()) || minus(*at);
    (0..all.len()).filter(counts).map(|at| all[at].text.clone()).collect()
}
