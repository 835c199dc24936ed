//! High risks that nobody has answered yet.

use crate::extract;
use crate::knowledge::{Findings, Kind, Knowledge, Risk, says_the_same};
use crate::snapshot::{AcceptedRisk, Document};
use crate::state::Answered;
use forge_debate::plan::Matter;

/// What is known of risks besides the knowledge files.
#[derive(Debug, Clone, Copy, Default)]
pub struct RiskFacts<'f> {
    /// Those that the phase document lists.
    pub listed: &'f [ListedRisk],
    /// Those over which debates of this workflow were held, or left out on record.
    pub answered: &'f [Answered],
    /// Those that debates accepted, with an owner.
    pub accepted: &'f [AcceptedRisk],
    /// Whether those of the knowledge file can be new here: not in the first phase, before which they stood.
    pub registry_counts: bool,
}

/// A risk of a phase document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedRisk {
    /// The risk; with an id where it speaks of one that is known.
    pub risk: Risk,
    /// The document.
    pub file: String,
    /// The line.
    pub line: usize,
}

/// A risk with its score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HighRisk {
    /// Which: its source, or its id where it has none.
    pub key: String,
    /// What it is called where it is listed, which is what it was before a debate recorded it.
    pub listed_as: Option<String>,
    /// Its id, where it has one.
    pub id: Option<String>,
    /// What it says.
    pub text: String,
    /// Its score.
    pub score: u8,
    /// Where it is listed, if not in the knowledge file.
    pub place: Option<(String, usize)>,
}

impl HighRisk {
    /// Its id, or what it says.
    pub fn name(&self) -> String {
        self.id.clone().unwrap_or_else(|| format!("{:?}", self.text))
    }

    /// What a debate's plan calls it.
    pub fn matter(&self) -> Matter {
        Matter::Risk { key: self.key.clone(), score: self.score }
    }

    pub(super) fn about(&self) -> String {
        match &self.id {
            None => format!("what to do about the risk {:?}", self.text),
            Some(id) => format!("what to do about {id} ({})", self.text),
        }
    }
}

/// The risks that a phase document lists, those among them that it says anew of known ones.
pub fn listed(document: &Document, findings: &Findings) -> Vec<ListedRisk> {
    let at = |risk: Risk| ListedRisk {
        file: document.path.clone(),
        line: extract::line_of(Kind::Risk, &document.sections, &risk.text),
        risk,
    };
    findings.risks.iter().cloned().map(at).collect()
}

/// What tells a risk from every other: its source, unless it is another's that stands before it.
fn key(risk: &Risk, knowledge: &Knowledge) -> String {
    let first = knowledge.risks.iter().find(|known| known.source == risk.source);
    let is_copied = first.is_some_and(|first| first.id != risk.id) && !risk.id.is_empty();
    risk.source.clone().filter(|_| !is_copied).unwrap_or_else(|| risk.id.clone())
}

impl RiskFacts<'_> {
    /// The active risks with a score that no debate has accepted at that score, the knowledge file's first.
    fn open(&self, knowledge: &Knowledge) -> Vec<HighRisk> {
        let known = knowledge.risks.iter().map(|risk| (risk, None));
        let listed = self.listed.iter().map(|one| (&one.risk, Some((one.file.clone(), one.line))));
        let mut all: Vec<HighRisk> = Vec::new();
        for (risk, place) in known.chain(listed).filter(|(risk, _)| risk.active) {
            let Some(score) = risk.score() else { continue };
            let by_id = knowledge.risks.iter().find(|known| !risk.id.is_empty() && known.id == risk.id);
            let by_source =
                || knowledge.risks.iter().find(|known| risk.source.is_some() && known.source == risk.source);
            // One that a document names again in the same words adds nothing to what is known.
            let by_words = || {
                let says = |known: &&Risk| known.active && says_the_same(&known.text, &risk.text);
                knowledge.risks.iter().filter(|_| place.is_some()).find(says)
            };
            let same = by_id.or_else(by_source).or_else(by_words);
            let id = same.map_or(risk.id.as_str(), |known| known.id.as_str());
            if self.accepted.iter().any(|one| one.risk == id && one.score >= score) {
                continue;
            }
            let id = Some(id.to_owned()).filter(|id| !id.is_empty());
            let key = key(same.unwrap_or(risk), knowledge);
            let listed_as = risk.source.clone().filter(|source| place.is_some() && *source != key);
            let text = same.unwrap_or(risk).text.clone();
            let high = HighRisk { key, listed_as, id, text, score, place };
            match all.iter_mut().find(|known| known.key == high.key) {
                Some(known) if known.score >= score => {}
                Some(known) => *known = high,
                None => all.push(high),
            }
        }
        all
    }

    /// The open risk with the highest score; the first of equals.
    pub(super) fn highest(&self, knowledge: &Knowledge) -> Option<HighRisk> {
        self.open(knowledge).into_iter().fold(None, |best: Option<HighRisk>, risk| match best {
            Some(best) if best.score >= risk.score => Some(best),
            _ => Some(risk),
        })
    }

    /// The high risks that no debate of this workflow has answered at their score.
    pub fn unanswered(&self, knowledge: &Knowledge, threshold: u8) -> Vec<HighRisk> {
        let is_answered = |risk: &HighRisk| {
            let names = |one: &&Answered| one.matter == risk.key || Some(&one.matter) == risk.listed_as.as_ref();
            self.answered.iter().filter(names).any(|one| one.score >= risk.score)
        };
        let counts = |risk: &HighRisk| self.registry_counts || risk.place.is_some();
        let high = self.open(knowledge).into_iter().filter(|risk| risk.score >= threshold);
        high.filter(|risk| !is_answered(risk) && counts(risk)).collect()
    }
}
