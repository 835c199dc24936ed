//! Gathers what the phases of a workflow left behind. Whose it is, and what it shows, [`evidence`](forge_workflow::evidence)
//! tells. Only looks.

use super::standing::{DEBATES, HANDOFFS};
use crate::create::occasion_digest;
use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::catalog;
use forge_artifacts::document::{self, Document};
use forge_artifacts::formats::active_workflow::Layout;
use forge_artifacts::formats::{phase_document, proof};
use forge_artifacts::stamp::Stamp;
use forge_debate::plan::check_id;
use forge_debate::verdict::Outcome;
use forge_workflow::definition::{Definition, Phase};
use forge_workflow::evidence::{Sign, SignKind, Span};
use forge_workflow::knowledge::Decision;
use forge_workflow::next::occasion;
use forge_workflow::state::State;

/// Where workflows that are over are kept, by forge and by other tools.
const ARCHIVES: [&str; 2] = [".claude/forge/archive", "docs/forge/archive"];
/// The keys under which documents say when they were written.
const TIMES: [&str; 5] = ["generated_at", "completed_at", "created_at", "decided_at", "date"];
/// The digits of a day.
const DAY_DIGITS: usize = 8;
/// The fewest characters of a synthesis that says what was decided and why.
const SYNTHESIS_CHARS: usize = 100;
/// The names of final documents in other tools, besides the phase's own.
const OTHER_NAMES: [(&str, &[&str]); 5] = [
    ("test", &["test-strategy", "test-plan", "test-results"]),
    ("build", &["build-log"]),
    ("validate", &["validation-report", "validation"]),
    ("review", &["review-report"]),
    ("learn", &["learnings"]),
];
/// The owner of what belongs to a debate of forge's that the workflow does not know.
const ANOTHER: &str = "";

impl Workspace {
    /// What the phases of this workflow left behind.
    pub(super) fn signs(
        &self,
        definition: &Definition,
        state: &State,
        layout: Layout,
    ) -> Result<Vec<Sign>, EngineError> {
        let mut signs = self.handoff_signs(definition)?;
        let mut undecided = Vec::new();
        for decision in self.knowledge()?.decisions.iter().filter(|one| one.status.was_taken()) {
            signs.push(self.decision_sign(state, layout, decision)?);
        }
        for phase in state.completed_phases.iter().filter(|phase| definition.phase(phase).is_some()) {
            let (decided, open): (Vec<_>, Vec<_>) =
                self.debates_beside(phase)?.into_iter().partition(|(_, _, decides)| *decides);
            signs.extend(decided.into_iter().map(|(_, sign, _)| sign));
            undecided.extend(open.into_iter().map(|(_, sign, _)| sign));
            let others = OTHER_NAMES.iter().filter(|(id, _)| id == phase).flat_map(|(_, names)| names.iter());
            for name in std::iter::once(phase.as_str()).chain(others.copied()) {
                signs.extend(self.document_sign(&format!("docs/forge/{name}.md"), phase, SignKind::FinalDocument)?);
            }
        }
        for phase in definition.phases.iter().filter(|phase| state.completed_phases.contains(&phase.id)) {
            signs.extend(self.debate_sign(state, phase, &signs)?);
        }
        let span = self.span(state, layout)?;
        signs.retain(|sign| sign.is_of(&state.workflow_id, &span));
        undecided.retain(|sign| sign.is_of(&state.workflow_id, &span));
        // A document beside a debate that came to nothing shows no debate.
        let decided: Vec<String> =
            signs.iter().filter(|sign| sign.kind == SignKind::Synthesis).map(|sign| sign.phase.clone()).collect();
        for sign in signs.iter_mut().filter(|sign| sign.kind == SignKind::FinalDocument) {
            if undecided.iter().any(|one| one.phase == sign.phase) && !decided.contains(&sign.phase) {
                sign.kind = SignKind::DocumentWithoutDebate;
            }
        }
        Ok(signs)
    }

    /// The debates of a phase with a synthesis that another tool left, the oldest first: id, what it shows, whether it decides.
    pub(super) fn debates_beside(&self, phase: &str) -> Result<Vec<(String, Sign, bool)>, EngineError> {
        let mut found = Vec::new();
        for (name, digits) in self.debates_of(phase)? {
            if self.is_planned_by_forge(&name)? == Some(true) {
                continue;
            }
            let Some(bytes) = self.disk.read(&format!("{DEBATES}/{name}/synthesis.md"))? else { continue };
            let shown = sign(&bytes, phase, SignKind::Synthesis);
            let decides = shown.is_some();
            let mut one = shown.unwrap_or_else(|| owned(&bytes, phase, SignKind::Synthesis));
            if one.at.is_empty() {
                one.at = day_or_more(digits);
            }
            found.push((name, one, decides));
        }
        Ok(found)
    }

    /// What tells the workflow's own documents from those of an earlier one.
    pub(super) fn span(&self, state: &State, layout: Layout) -> Result<Span, EngineError> {
        let began = if layout.tells_start() { digits_of(&state.started_at) } else { String::new() };
        let mut follows_another = false;
        for folder in ARCHIVES {
            let entries = self.disk.list(folder)?;
            follows_another |= entries.iter().any(|entry| !entry.name.contains(&state.workflow_id));
        }
        Ok(Span { began, follows_another })
    }

    /// Handoffs with something in them, by the phase that their names begin with.
    fn handoff_signs(&self, definition: &Definition) -> Result<Vec<Sign>, EngineError> {
        let mut signs = Vec::new();
        for (path, bytes) in self.files_in(HANDOFFS)? {
            let name = path.rsplit('/').next().unwrap_or_default();
            let from = definition.phases.iter().find(|phase| name.starts_with(&format!("{}-to-", phase.id)));
            signs.extend(from.and_then(|from| sign(&bytes, &from.id, SignKind::Handoff)));
        }
        Ok(signs)
    }

    /// A debate that forge planned for a phase of this workflow and that is decided, where no decision tells of it.
    fn debate_sign(&self, state: &State, phase: &Phase, known: &[Sign]) -> Result<Option<Sign>, EngineError> {
        let tells = |sign: &Sign| sign.kind == SignKind::DebatedDecision && sign.phase == phase.id;
        let planned: Vec<&String> =
            state.debates.iter().filter(|(owner, _)| *owner == phase.id).map(|(_, id)| id).collect();
        if known.iter().any(tells) {
            return Ok(None);
        }
        for number in 0..planned.len() {
            let digest = occasion_digest(&occasion(&state.workflow_id, &phase.id, number));
            let Some(plan_file) = catalog::find_request(self.disk.as_ref(), digest)? else { continue };
            let Ok(files) = self.open_file(&plan_file) else { continue };
            let is_decided = !files.plan.is_rehearsal()
                && Survey::of(&files)?
                    .verdict
                    .is_some_and(|verdict| matches!(verdict.outcome(), Outcome::Consensus | Outcome::Decided));
            if is_decided {
                let workflow = Some(state.workflow_id.clone());
                return Ok(Some(Sign { phase: phase.id.clone(), kind: SignKind::Debate, workflow, at: String::new() }));
            }
        }
        Ok(None)
    }

    fn document_sign(&self, path: &str, phase: &str, kind: SignKind) -> Result<Option<Sign>, EngineError> {
        Ok(self.disk.read(path)?.and_then(|bytes| sign(&bytes, phase, kind)))
    }

    fn decision_sign(&self, state: &State, layout: Layout, decision: &Decision) -> Result<Sign, EngineError> {
        let (mut workflow, mut at) = (None, digits_of(&decision.date));
        if let Some(debate) = &decision.debate {
            if let Some((owner, _)) = state.debates.iter().find(|(_, known)| known == debate) {
                let is_its = match self.open_if_there(debate)? {
                    Some(Ok(files)) => self.is_planned_for(&state.workflow_id, owner, &files)?,
                    _ => true,
                };
                workflow = Some(if is_its { state.workflow_id.clone() } else { ANOTHER.to_owned() });
            } else if decision.source.is_some()
                || layout == Layout::Ours && !state.debated_before.contains(&decision.phase)
                || self.is_planned_by_forge(debate)? == Some(true)
            {
                workflow = Some(ANOTHER.to_owned());
            }
            let told = day_or_more(debate.chars().filter(char::is_ascii_digit).take(14).collect());
            at = if told.is_empty() { at } else { told };
        }
        if let Some((owner, _)) = decision.source.as_deref().and_then(|source| source.split_once('/')) {
            workflow = Some(owner.to_owned());
        }
        // An entry can name any debate.
        let was_held = |debate: &String| -> Result<bool, EngineError> {
            if check_id(debate).is_err() {
                return Ok(false);
            }
            let is_there = self.open_if_there(debate)?.is_some();
            Ok(is_there || !self.disk.list(&format!("{DEBATES}/{debate}"))?.is_empty() || self.knew_debate(debate)?)
        };
        let kind = match decision.debate.as_ref().map(was_held).transpose()? {
            Some(true) => SignKind::DebatedDecision,
            Some(false) | None => SignKind::Decision,
        };
        Ok(Sign { phase: decision.phase.clone(), kind, workflow, at })
    }

    /// Whether forge made a debate's plan: its own name their protocol, and are found by their occasion.
    pub(super) fn is_planned_by_forge(&self, debate: &str) -> Result<Option<bool>, EngineError> {
        let Some(bytes) = self.disk.read(&format!("{DEBATES}/{debate}/debate-plan.md"))? else { return Ok(None) };
        let text = document::decode(&bytes).text;
        Ok(Some(Document::parse(&text).fields().is_some_and(|fields| fields.contains_key("protocol"))))
    }

    /// Whether a document was written before a workflow began, as far as both tell.
    pub(super) fn is_older(bytes: &[u8], span: &Span) -> bool {
        let dated = Sign { phase: String::new(), kind: SignKind::Decision, workflow: None, at: time_of(bytes) };
        let alone = Span { follows_another: false, ..span.clone() };
        !dated.is_of("", &alone)
    }
}

/// Whose a document is, and when it was written.
fn owned(bytes: &[u8], phase: &str, kind: SignKind) -> Sign {
    let workflow = phase_document::workflow_of(bytes).filter(|id| check_id(id).is_ok());
    Sign { phase: phase.to_owned(), kind, workflow, at: time_of(bytes) }
}

/// What a document shows; nothing where it is a draft, a template or a stub.
fn sign(bytes: &[u8], phase: &str, kind: SignKind) -> Option<Sign> {
    let proof = proof::of(bytes);
    let kind = match kind {
        SignKind::Handoff if proof.is_without_debate => SignKind::HandoffWithoutDebate,
        SignKind::FinalDocument if proof.is_without_debate => SignKind::DocumentWithoutDebate,
        kind => kind,
    };
    let shows = match kind {
        SignKind::Synthesis => proof.said >= SYNTHESIS_CHARS && proof::synthesis(bytes).is_some(),
        _ => proof.said > 0,
    } && !proof.is_draft;
    shows.then(|| owned(bytes, phase, kind))
}

/// Whether a handoff is more than a draft or a template.
pub(super) fn shows_a_handoff(bytes: &[u8]) -> bool {
    sign(bytes, "", SignKind::Handoff).is_some()
}

/// When a document says that it was written.
fn time_of(bytes: &[u8]) -> String {
    let text = document::decode(bytes).text;
    let parsed = Document::parse(&text);
    let said = |key: &&str| parsed.fields()?.get(*key)?.as_str().map(digits_of).filter(|at| !at.is_empty());
    TIMES.iter().find_map(said).unwrap_or_default()
}

/// The digits of a time or a day; none where it is neither.
fn digits_of(time: &str) -> String {
    let time = Stamp::parse(time).map_or_else(|| time.to_owned(), |stamp| stamp.to_string());
    day_or_more(time.chars().take(19).filter(char::is_ascii_digit).collect())
}

fn day_or_more(digits: String) -> String {
    if digits.len() >= DAY_DIGITS { digits } else { String::new() }
}
