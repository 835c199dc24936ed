//! What shows that a phase was left and had its debate, and whose it is: files of an earlier workflow prove nothing for a later
//! one.
//!
//! Pure; if the process dies here nothing is left.

use crate::definition::{Definition, Phase};
use crate::state::State;
use std::cmp::Ordering;

/// Something that a phase left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sign {
    /// The phase; empty where a decision does not say in which one it was taken.
    pub phase: String,
    /// What it is.
    pub kind: SignKind,
    /// The workflow that it names.
    pub workflow: Option<String>,
    /// When it was written, digits only: a day, or a second. Empty where it does not say.
    pub at: String,
}

/// What a phase leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignKind {
    /// The handoff out of it.
    Handoff,
    /// A handoff out of it that says that its debate was left out.
    HandoffWithoutDebate,
    /// A final document that tells that its phase was left without a debate.
    DocumentWithoutDebate,
    /// A debate that forge planned for it in this workflow, and that is decided.
    Debate,
    /// A decision that names the debate in which it was taken.
    DebatedDecision,
    /// A decision that names none.
    Decision,
    /// What another tool's debate came to.
    Synthesis,
    /// Its final document.
    FinalDocument,
}

/// What tells the workflow's own signs from those of an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    /// When the workflow began, digits only; empty where that is not known.
    pub began: String,
    /// Whether the archive tells of another workflow.
    pub follows_another: bool,
}

/// Whose record tells of the phases before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record {
    /// Forge's own: a debate is shown by what forge planned and recorded.
    Forges,
    /// Another tool's, which leaves its documents and no other record.
    Others,
}

impl Sign {
    /// Whether it is this workflow's: it carries its id; without an id it is not older; without a time no other workflow was
    /// here before.
    pub fn is_of(&self, workflow_id: &str, span: &Span) -> bool {
        if let Some(owner) = &self.workflow {
            return owner == workflow_id;
        }
        let length = self.at.len().min(span.began.len());
        match self.at.get(..length).cmp(&span.began.get(..length)) {
            _ if length == 0 => !span.follows_another,
            Ordering::Less => false,
            Ordering::Greater => true,
            // Both on one day, and nothing tells the hour.
            Ordering::Equal => self.at.len() >= span.began.len() || !span.follows_another,
        }
    }
}

impl SignKind {
    /// Whether it is what a debate left.
    pub fn is_debate(self) -> bool {
        matches!(self, SignKind::Debate | SignKind::DebatedDecision | SignKind::Synthesis)
    }

    /// Whether it is a handoff.
    pub fn is_handoff(self) -> bool {
        matches!(self, SignKind::Handoff | SignKind::HandoffWithoutDebate)
    }
}

/// Whether a workflow's own signs show that a phase had its debate.
pub fn shows_debate(definition: &Definition, state: &State, phase: &Phase, own: &[Sign], record: Record) -> bool {
    // A debate that forge planned leaves more than its files.
    let is_planned = state.debates.iter().any(|(owner, _)| *owner == phase.id);
    let others = record == Record::Others && !is_planned;
    own.iter().any(|sign| {
        let is_here = sign.phase == phase.id;
        match sign.kind {
            SignKind::Debate | SignKind::DebatedDecision => is_here,
            SignKind::Handoff | SignKind::Synthesis | SignKind::FinalDocument => others && is_here,
            SignKind::Decision => others && (is_here || definition.position(&sign.phase).is_none()),
            SignKind::HandoffWithoutDebate | SignKind::DocumentWithoutDebate => false,
        }
    })
}

/// Whether a workflow's own signs show that a phase was done.
pub fn shows_work(phase: &Phase, own: &[Sign]) -> bool {
    own.iter().any(|sign| sign.phase == phase.id && sign.kind != SignKind::Decision)
}
