//! What calls for a debate in every phase.

use super::risks::HighRisk;
use crate::contradiction::Contradiction;
use crate::definition::Trigger;
use crate::snapshot::Overturned;
use crate::state::{Answered, Called};
use forge_debate::plan::Matter;

/// The most characters of a title that a reason repeats.
const TITLE_CHARS: usize = 80;
/// What a debate on many components is kept as.
pub(crate) const COMPONENTS: &str = "components";

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
        /// The document of a phase before that lists them, where it is not the current one's.
        file: Option<String>,
    },
    /// What called for a debate before is gone from its file.
    Vanished(Called),
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
            Reason::Contradicted(Contradiction { decision, .. })
            | Reason::Overturned(Overturned { decision, says_so: false, .. }) => {
                Some(format!("if it does not, write (keeps {decision}) behind it"))
            }
            Reason::Vanished(_) => Some("write it back to say what holds now".to_owned()),
            _ => None,
        }
    }

    /// The decisions that it puts in question: ids and titles.
    fn decisions(&self) -> Vec<(&str, &str)> {
        match self {
            Reason::Challenged(decisions) => {
                decisions.iter().map(|(id, title)| (id.as_str(), title.as_str())).collect()
            }
            Reason::Contradicted(one) => vec![(&one.decision, &one.title)],
            Reason::Overturned(one) => vec![(&one.decision, "")],
            Reason::Vanished(Called { matter: Matter::Decision(id), text }) => vec![(id, text)],
            _ => Vec::new(),
        }
    }

    /// What a debate must have been about to answer it.
    pub fn matters(&self) -> Vec<Matter> {
        match self {
            Reason::Overturned(one) => vec![Matter::Other(one.matter())],
            Reason::Escalation(condition) => vec![Matter::Other(condition.clone())],
            Reason::Components { .. } => vec![Matter::Other(COMPONENTS.to_owned())],
            Reason::NewRisk { risk, .. } => vec![risk.matter()],
            Reason::Vanished(called) => vec![called.matter.clone()],
            _ => self.decisions().into_iter().map(|(id, _)| Matter::Decision(id.to_owned())).collect(),
        }
    }

    /// Whether something of it is not answered.
    pub fn is_open(&self, answered: &[Answered]) -> bool {
        self.matters().iter().any(|one| !is_answered(answered, one.name(), one.score()))
    }

    /// What a debate on it is about, where that is no decision.
    fn about(&self) -> Option<String> {
        match self {
            Reason::Escalation(condition) => Some(format!("what to do now that {condition:?} is ticked")),
            Reason::Components { count, .. } => Some(format!("how to change {count} components")),
            Reason::NewRisk { risk, .. } => Some(risk.about()),
            Reason::Vanished(called) => Some(format!("what to do about {:?}", called.text)),
            _ => None,
        }
    }
}

/// What a debate is about.
#[derive(Debug, Clone, Default)]
pub(super) struct Subject {
    /// In words.
    pub about: Vec<String>,
    /// As values.
    pub matters: Vec<Matter>,
}

/// What the next debate is about, of all that calls for one and is not answered. One choice settles one question: a decision
/// that is put in question has a debate of its own, before everything else.
pub(super) fn subject(reasons: &[Reason], answered: &[Answered]) -> Subject {
    let open: Vec<&Reason> = reasons.iter().filter(|reason| reason.is_open(answered)).collect();
    let questioned = |reason: &&Reason| {
        let mut decisions = reason.decisions().into_iter();
        decisions.find(|(id, _)| !is_answered(answered, id, 0)).map(|(id, title)| (id.to_owned(), title.to_owned()))
    };
    if let Some((id, title)) = open.iter().find_map(questioned) {
        return on_decision(&open, &id, &title);
    }
    Subject {
        about: open.iter().filter_map(|reason| reason.about()).collect(),
        matters: open.iter().flat_map(|reason| reason.matters()).collect(),
    }
}

fn on_decision(open: &[&Reason], id: &str, title: &str) -> Subject {
    let by_hand = || {
        open.iter().filter_map(|reason| match reason {
            Reason::Overturned(one) if one.decision == id => Some(one),
            _ => None,
        })
    };
    let mut about: Vec<String> =
        by_hand().map(|one| format!("whether {} stands or {} takes its place", one.decision, one.by)).collect();
    if about.is_empty() {
        about.push(format!("whether {id} ({}) stands", short(title)));
    }
    let mut matters = vec![Matter::Decision(id.to_owned())];
    matters.extend(by_hand().flat_map(|one| [Matter::Decision(one.by.clone()), Matter::Other(one.matter())]));
    Subject { about, matters }
}

pub(crate) fn is_answered(answered: &[Answered], name: &str, score: u8) -> bool {
    answered.iter().any(|one| one.matter == name && one.score >= score)
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
                write!(out, "{}{line}: {}", one.file, one.told())
            }
            Reason::Components { count, threshold, file } => {
                let place = file.as_ref().map(|file| format!("{file}: ")).unwrap_or_default();
                write!(out, "{place}{count} components > {threshold}")
            }
            Reason::Vanished(called) => write!(out, "{}", called.told()),
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
