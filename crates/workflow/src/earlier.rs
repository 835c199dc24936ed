//! What documents of the phases before say that nobody had on record when those were left: written by another tool, or since.
//!
//! Promises: an honest walk leaves nothing here. What a document said when forge left its phase is in the knowledge files, was
//! answered by a debate, or was left out on record.
//!
//! Pure; if the process dies here nothing is left.

use crate::contradiction::{self, Contradiction, Found, Settled};
use crate::definition::Phase;
use crate::evidence::Sign;
use crate::extract::{self, passages::one_line};
use crate::knowledge::{Decision, Findings, Kind, Knowledge, Risk, says_the_same};
use crate::snapshot::{Document, Snapshot, Unclear, standing};
use crate::state::{Answered, State};
use crate::trigger::{COMPONENTS, is_answered};

/// The document of a phase before, as far as it says something new.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Earlier {
    /// The phase.
    pub phase: String,
    /// Its number among the phases.
    pub position: usize,
    /// Whether forge left the phase here, with all that the document said on record.
    pub left_here: bool,
    /// Whether another tool's debate of the phase answered what its document counts.
    pub is_debated: bool,
    /// The document.
    pub document: Document,
    /// What it adds to what is known, without what is on record.
    pub findings: Findings,
}

impl Earlier {
    /// What the document of a phase before says that is not on record.
    pub fn of(snapshot: &Snapshot, phase: &Phase, document: Document, findings: Findings) -> Self {
        let (state, knowledge) = (&snapshot.state, &snapshot.knowledge);
        let left_here = snapshot.traces.said.done.contains(&phase.id) && !state.debated_before.contains(&phase.id);
        let is_shown = |sign: &Sign| sign.phase == phase.id && sign.kind.is_debate();
        let is_debated = !left_here && snapshot.traces.signs.iter().any(is_shown);
        let is_rehearsed = state.rehearsed_phases.contains(&phase.id);
        let mut findings = Findings { assumptions: Vec::new(), validations: Vec::new(), ..findings };
        findings.decisions.retain(|one| !is_rehearsed && !is_recorded(one, knowledge));
        findings.constraints.retain(|one| {
            let is_known = knowledge.constraints.iter().any(|known| {
                one.source.is_some() && known.source == one.source || says_the_same(&known.text, &one.text)
            });
            !is_rehearsed && !is_known
        });
        findings.risks.retain(|one| !is_debated && is_new(one, knowledge, left_here));
        let position = snapshot.definition.position(&phase.id).unwrap_or(0);
        Self { phase: phase.id.clone(), position, left_here, is_debated, document, findings }
    }

    /// What another tool's phase says, and no knowledge file: it is told.
    pub(crate) fn unrecorded(&self) -> Option<Unclear> {
        let decisions = self.findings.decisions.iter().map(|one| (Kind::Decision, one.id.as_str(), one.title.as_str()));
        let constraints =
            self.findings.constraints.iter().map(|one| (Kind::Constraint, one.id.as_str(), one.text.as_str()));
        let risks = self.findings.risks.iter().map(|one| (Kind::Risk, one.id.as_str(), one.text.as_str()));
        let all: Vec<(Kind, &str, &str)> = decisions.chain(constraints).chain(risks).collect();
        let (kind, _, first) = all.first().filter(|_| !self.left_here)?;
        const SHOWN: usize = 3;
        let shown = all.iter().take(SHOWN).map(|(_, id, text)| match *id {
            "" => format!("{:?}", one_line(text)),
            id => format!("{id} {:?}", one_line(text)),
        });
        let shown = shown.collect::<Vec<_>>().join(", ");
        let more = match all.len() - all.len().min(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = format!(
            "{shown}{more} stand here and in no knowledge file: {} was left by another tool. What holds belongs there, such as `- {}1: ...` in {}",
            self.phase,
            kind.letter(),
            kind.file()
        );
        let line = extract::line_of(*kind, &self.document.sections, first);
        Some(Unclear { file: self.document.path.clone(), line, text, holds: false })
    }

    /// Its decisions that speak against locked ones, or may. What another tool's phase says of decisions that came after it was
    /// no contradiction when it was written.
    pub(crate) fn found(&self, snapshot: &Snapshot, settled: &[Settled]) -> Found {
        let mut found = contradiction::find(&self.document, &standing(&self.findings), &snapshot.knowledge, settled);
        let counts = |one: &Contradiction| {
            let decision = snapshot.knowledge.decision(&one.decision);
            let is_before = decision.is_some_and(|decision| taken_at(snapshot, decision) < self.position);
            (self.left_here || is_before) && !(one.source.is_none() && self.is_skipped_since(snapshot))
        };
        found.against.retain(counts);
        found.doubtful.retain(counts);
        found
    }

    /// Whether its phase or a later one was left without its debate, on the user's word.
    fn is_skipped_since(&self, snapshot: &Snapshot) -> bool {
        let position = |id: &str| snapshot.definition.position(id).unwrap_or(0);
        let said = &snapshot.traces.said.no_debate;
        snapshot.state.skipped_debates.iter().any(|(id, _)| said.contains(id) && position(id) >= self.position)
    }

    /// How many components it lists, where no debate since was about them.
    pub(crate) fn components(&self, snapshot: &Snapshot, answered: &[Answered]) -> usize {
        let is_over = self.is_debated || is_answered(&self.since(snapshot, answered), COMPONENTS, 0);
        if is_over { 0 } else { self.document.components.len() }
    }

    /// The decisions that it challenges, where no debate since was about them.
    pub(crate) fn challenges<'e>(
        &'e self,
        snapshot: &'e Snapshot,
        answered: &[Answered],
    ) -> impl Iterator<Item = &'e String> {
        let since = self.since(snapshot, answered);
        let is_over =
            self.is_debated || snapshot.state.rehearsed_phases.contains(&self.phase) || self.is_skipped_since(snapshot);
        self.document.challenges.iter().filter(move |id| {
            let decision = snapshot.knowledge.decision(id).filter(|one| snapshot.knowledge.stands(one));
            let is_before = decision.is_some_and(|one| self.left_here || taken_at(snapshot, one) < self.position);
            !is_over && is_before && !decision.is_some_and(|one| is_answered(&since, &one.id, 0))
        })
    }

    /// What was answered in its phase or later.
    fn since(&self, snapshot: &Snapshot, answered: &[Answered]) -> Vec<Answered> {
        let position = |one: &Answered| snapshot.definition.position(&one.phase).unwrap_or(usize::MAX);
        answered.iter().filter(|one| position(one) >= self.position).cloned().collect()
    }
}

/// The phases before the current one that are done.
pub fn phases<'d>(snapshot: &'d Snapshot, state: &'d State) -> impl Iterator<Item = &'d Phase> {
    let reached = snapshot.definition.position(&state.phase).unwrap_or(0);
    let before = snapshot.definition.phases.iter().take(reached);
    before.filter(|phase| state.completed_phases.contains(&phase.id))
}

/// The number of the phase in which a decision was taken; where it does not say, the first that had to debate.
fn taken_at(snapshot: &Snapshot, decision: &Decision) -> usize {
    let definition = &snapshot.definition;
    let first = || definition.phases.iter().position(Phase::always_debates).unwrap_or(0);
    definition.position(&decision.phase).unwrap_or_else(first)
}

fn is_recorded(one: &Decision, knowledge: &Knowledge) -> bool {
    knowledge.decisions.iter().any(|known| {
        let is_same = one.source.is_some() && known.source == one.source;
        is_same || says_the_same(&known.title, &one.title)
    })
}

/// Whether a risk is on no record, or was rated higher after its phase was left.
fn is_new(one: &Risk, knowledge: &Knowledge, left_here: bool) -> bool {
    let is_same = |known: &&Risk| {
        (one.source.is_some() && known.source == one.source)
            || (!one.id.is_empty() && known.id == one.id)
            || says_the_same(&known.text, &one.text)
    };
    match knowledge.risks.iter().find(is_same) {
        Some(known) => left_here && known.active && one.score() > known.score(),
        None => true,
    }
}
