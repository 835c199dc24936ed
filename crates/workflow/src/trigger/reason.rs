//! What calls for a debate in every phase.

use super::risks::HighRisk;
use crate::contradiction::Contradiction;
use crate::definition::Trigger;
use crate::snapshot::Overturned;

/// The most characters of a title that a reason repeats.
const TITLE_CHARS: usize = 80;

/// What calls for a debate, whatever the phase's settings say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// An escalation condition of the handoff is ticked.
    Escalation(String),
    /// The phase document challenges locked decisions: ids and titles.
    Challenged(Vec<(String, String)>),
    /// A decision of the phase document speaks against a locked one.
    Contradicted(Contradiction),
    /// A person superseded a debate's decision without a debate.
    Overturned(Overturned),
    /// Many components are at stake.
    Components {
        /// How many.
        count: usize,
        /// More than this are many.
        threshold: u32,
    },
    /// A high risk that no debate has answered.
    NewRisk {
        /// The risk.
        risk: HighRisk,
        /// From this score on it is high.
        threshold: u8,
    },
}

impl Reason {
    /// Whether a phase with this trigger says the same by itself.
    pub(super) fn is_told_by(&self, trigger: Trigger) -> bool {
        matches!(
            (self, trigger),
            (Reason::Challenged(_) | Reason::Components { .. }, Trigger::MajorDecision)
                | (Reason::NewRisk { .. }, Trigger::RiskThreshold)
        )
    }

    /// What to do where it is not so.
    pub(super) fn advice(&self) -> Option<String> {
        match self {
            Reason::Contradicted(one) => Some(format!("if it does not, write (keeps {}) behind it", one.decision)),
            _ => None,
        }
    }

    /// The locked decisions that it puts in question: ids and titles.
    fn questioned(&self) -> Vec<(&str, &str)> {
        match self {
            Reason::Challenged(decisions) => {
                decisions.iter().map(|(id, title)| (id.as_str(), title.as_str())).collect()
            }
            Reason::Contradicted(one) => vec![(&one.decision, &one.title)],
            _ => Vec::new(),
        }
    }
}

/// What a debate is about that these call for: each thing once.
pub(super) fn about(reasons: &[Reason]) -> Vec<String> {
    let mut questioned: Vec<(&str, &str)> = Vec::new();
    for one in reasons.iter().flat_map(Reason::questioned) {
        if !questioned.iter().any(|(id, _)| *id == one.0) {
            questioned.push(one);
        }
    }
    let named: Vec<String> = questioned.iter().map(|(id, title)| format!("{id} ({})", short(title))).collect();
    let verb = if named.len() == 1 { "stands" } else { "stand" };
    let whether = (!named.is_empty()).then(|| format!("whether {} {verb}", named.join(", ")));
    let others = reasons.iter().filter_map(|reason| match reason {
        Reason::Challenged(_) | Reason::Contradicted(_) => None,
        Reason::Escalation(condition) => Some(format!("what to do now that {condition:?} is ticked")),
        Reason::Overturned(one) => Some(format!("whether {} stands or {} takes its place", one.decision, one.by)),
        Reason::Components { count, .. } => Some(format!("how to change {count} components")),
        Reason::NewRisk { risk, .. } => Some(risk.about()),
    });
    whether.into_iter().chain(others).collect()
}

impl std::fmt::Display for Reason {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Escalation(condition) => {
                write!(out, "the escalation condition {condition:?} of the handoff is ticked")
            }
            Reason::Challenged(decisions) => {
                let ids: Vec<&str> = decisions.iter().map(|(id, _)| id.as_str()).collect();
                write!(out, "prior decision {} challenged", ids.join(", "))
            }
            Reason::Contradicted(one) => write!(
                out,
                "{}:{}: {:?} contradicts {} ({}), which is locked",
                one.file,
                one.line,
                short(&one.text),
                one.decision,
                short(&one.title)
            ),
            Reason::Overturned(one) => {
                let line = one.line.map(|line| format!(":{line}")).unwrap_or_default();
                write!(
                    out,
                    "{}{line}: {} supersedes {}, which the debate {} took, without a debate",
                    one.file, one.by, one.decision, one.debate
                )
            }
            Reason::Components { count, threshold } => write!(out, "{count} components > {threshold}"),
            Reason::NewRisk { risk, threshold } => {
                let place = risk.place.as_ref().map(|(file, line)| format!("{file}:{line}: ")).unwrap_or_default();
                write!(out, "{place}new risk {} scores {} >= {threshold}", risk.name(), risk.score)
            }
        }
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(TITLE_CHARS) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}
