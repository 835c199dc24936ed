//! Files of the record that are not there, although every workflow has them or this one had: what can be made of them again.
//!
//! Only looks. Where nothing is gone, this costs a few reads.

use super::apply::as_it_is;
use super::read::Counts;
use super::{Drive, Log};
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::document;
use forge_artifacts::formats::phase_document::workflow_of;
use forge_artifacts::formats::{active_workflow, brief, handoff as handoff_file, knowledge};
use forge_workflow::again::{self, Again, Gone, Named};
use forge_workflow::definition::{Definition, EntryAction, Phase};
use forge_workflow::extract;
use forge_workflow::extract::ids::ids_in;
use forge_workflow::handoff;
use forge_workflow::knowledge::{Assumption, Decision, Findings, Kind, Knowledge};
use forge_workflow::next::STATE_FILE;
use forge_workflow::snapshot::{DebateRead, Snapshot, Unclear};
use forge_workflow::state::{DebateState, DebateStatus, PhaseStatus, State};

pub(super) const BRIEF: &str = "docs/forge/knowledge/brief.md";
const GLOSSARY: &str = "docs/forge/knowledge/glossary.md";
const TRACEABILITY: &str = "docs/forge/knowledge/traceability.md";
/// How the place of an entry begins of which nothing is on record.
const LOST: &str = "[lost:";

impl Workspace {
    /// The files that are gone around a workflow that is under way. Knowledge comes first: a handoff is made of it.
    pub(super) fn gone(&self, snapshot: &Snapshot, drive: &Drive) -> Result<Vec<Gone>, EngineError> {
        let (definition, state) = (&snapshot.definition, &snapshot.state);
        let is_left = state.phase_status == PhaseStatus::Completed && snapshot.traces.is_handed_over(&state.phase);
        if !state.is_open() || is_left {
            return Ok(Vec::new());
        }
        let mut gone = Vec::new();
        for file in [BRIEF, GLOSSARY, TRACEABILITY] {
            if self.disk.read(file)?.is_none() {
                gone.push(Gone { file: file.to_owned(), again: Again::Empty });
            }
        }
        let missing = self.missing_kinds(state, &snapshot.knowledge)?;
        let before = gone.len();
        if !missing.is_empty() {
            gone.extend(self.knowledge_again(definition, state, drive, &missing)?);
        }
        if gone.len() > before {
            // A handoff is made of what is known.
        } else if let Some(phase) = definition.phase(&state.phase) {
            gone.extend(self.handoff_again(snapshot, phase, drive)?);
        }
        Ok(gone)
    }

    /// The kinds whose file is not there, or has no entry although a handoff or the state file names some.
    fn missing_kinds(&self, state: &State, known: &Knowledge) -> Result<Vec<Kind>, EngineError> {
        let mut missing = Vec::new();
        for kind in Kind::ALL {
            if self.is_blank_or_gone(kind)? || (known.has_none_of(kind) && self.named(state, known)?.has_some_of(kind))
            {
                missing.push(kind);
            }
        }
        Ok(missing)
    }

    fn is_blank_or_gone(&self, kind: Kind) -> Result<bool, EngineError> {
        Ok(self.disk.read(kind.file())?.is_none_or(|bytes| document::is_blank(&bytes)))
    }

    /// Entries that were lost with a file that was made again, and that nobody has written down since.
    pub(super) fn lost_entries(&self) -> Result<Vec<Unclear>, EngineError> {
        let mut lost = Vec::new();
        for kind in Kind::ALL {
            let Some(bytes) = self.disk.read(kind.file())? else { continue };
            let text = document::decode(&bytes).text;
            for (at, line) in text.lines().enumerate().filter(|(_, line)| is_lost(line)) {
                let id = line.trim_start_matches(['-', ' ']).split(':').next().unwrap_or_default();
                let what = format!(
                    "{id} was lost with an earlier copy of this file; write what it was, such as `- {id}: what it says`, or remove the line if nothing rests on it"
                );
                lost.push(Unclear { file: kind.file().to_owned(), line: at + 1, text: what, holds: true });
            }
        }
        Ok(lost)
    }

    /// Each knowledge file that is gone, made of what debates, documents, handoffs and the state file tell.
    fn knowledge_again(
        &self,
        definition: &Definition,
        state: &State,
        drive: &Drive,
        missing: &[Kind],
    ) -> Result<Vec<Gone>, EngineError> {
        let mut known: Knowledge = self.knowledge()?;
        let given = self.given_by_debates(definition, state, drive)?;
        let named = self.named(state, &known)?;
        let mut gone = Vec::new();
        for kind in Kind::ALL.into_iter().filter(|kind| missing.contains(kind)) {
            let mut remade = again::knowledge(kind, &given, &known, &named);
            let is_there = !self.is_blank_or_gone(kind)?;
            if is_there {
                // Somebody may have taken out what nothing on record tells.
                remade.lost.clear();
            }
            // Constraints are named after decisions.
            known.decisions.extend(remade.entries.decisions.iter().cloned());
            let is_empty = remade.entries.is_empty() && remade.lost.is_empty();
            if is_empty && is_there {
                continue;
            }
            let again = if is_empty { Again::Empty } else { Again::Knowledge(remade) };
            gone.push(Gone { file: kind.file().to_owned(), again });
        }
        Ok(gone)
    }

    /// What the debates and the documents of this workflow gave, in the order in which they were recorded.
    fn given_by_debates(
        &self,
        definition: &Definition,
        state: &State,
        drive: &Drive,
    ) -> Result<Vec<Findings>, EngineError> {
        let mut given = Vec::new();
        for phase in &definition.phases {
            let is_done = state.completed_phases.contains(&phase.id);
            let is_current = phase.id == state.phase;
            for (_, debate) in self.debates_in(definition, state, phase)? {
                let past = self.past(definition, state, phase, Some(&debate), drive)?;
                // One that was not made here gives nothing before it is taken over.
                let own = past.debate.there().filter(|debate| debate.origin.is_none());
                given.extend(own.map(|debate| debate.knowledge.clone()));
            }
            if is_done && !is_current {
                given.push(self.past(definition, state, phase, None, drive)?.document_findings);
            }
        }
        Ok(given)
    }

    /// The debates that were held in a phase: its own, and those on decisions that were reopened in it.
    fn debates_in(
        &self,
        definition: &Definition,
        state: &State,
        phase: &Phase,
    ) -> Result<Vec<(String, String)>, EngineError> {
        let mut held = Vec::new();
        for (owner, debate) in &state.debates {
            let held_in = match (definition.phase(owner), self.open_if_there(debate)?) {
                (Some(owner), _) => owner.id.clone(),
                (None, Some(Ok(files))) if definition.phase(&files.plan.phase).is_some() => files.plan.phase.clone(),
                (None, _) => state.phase.clone(),
            };
            if held_in == phase.id {
                held.push((owner.clone(), debate.clone()));
            }
        }
        Ok(held)
    }

    /// What stood around a workflow when it left a phase, as far as it can be told today.
    fn past(
        &self,
        definition: &Definition,
        state: &State,
        phase: &Phase,
        debate: Option<&str>,
        drive: &Drive,
    ) -> Result<Snapshot, EngineError> {
        let reopened = state.debates.iter().find(|(_, id)| Some(id.as_str()) == debate).map(|(owner, _)| owner);
        let state = State {
            phase: phase.id.clone(),
            phase_objective: None,
            debate: DebateState {
                id: debate.map(str::to_owned),
                phase: debate.map(|_| phase.id.clone()),
                status: debate.map_or(DebateStatus::None, |_| DebateStatus::Complete),
                gate_passed: debate.is_some(),
            },
            reopened_decision: reopened.filter(|owner| definition.phase(owner).is_none()).cloned(),
            ..state.clone()
        };
        let mut past = self.around(definition, state, drive, Counts::OnRecord)?;
        past.phase_seconds = None;
        past.state.debate.gate_passed = past.debate.there().is_some_and(|debate| debate.passed);
        if let Some(document) = &past.document {
            let (id, date) = (&past.state.workflow_id, self.left_on(definition, phase)?);
            past.document_findings = extract::from_document(id, &phase.id, &date, &document.sections);
        }
        Ok(past)
    }

    /// The day on which a phase was left; its handoff tells it.
    fn left_on(&self, definition: &Definition, phase: &Phase) -> Result<String, EngineError> {
        let Some(next) = definition.after(&phase.id) else { return Ok(String::new()) };
        let bytes = self.disk.read(&handoff::path(&phase.id, &next.id))?;
        let at = bytes.and_then(|bytes| handoff_file::header(&bytes)).and_then(|(_, _, _, at)| at);
        Ok(at.map(|at| at.chars().take("2026-01-27".len()).collect()).unwrap_or_default())
    }

    /// What handoffs of this workflow and the state file name, and what constraints rest on.
    pub(super) fn named(&self, state: &State, known: &Knowledge) -> Result<Named, EngineError> {
        let mut named = Named::default();
        let mut take = |told: Findings| {
            let entries = &mut named.entries;
            let ids = entries.ids();
            entries.decisions.extend(told.decisions.into_iter().filter(|one| !ids.contains(&one.id)));
            entries.constraints.extend(told.constraints.into_iter().filter(|one| !ids.contains(&one.id)));
            entries.assumptions.extend(told.assumptions.into_iter().filter(|one| !ids.contains(&one.id)));
        };
        let handoffs = self.handoffs_of(&state.workflow_id)?;
        for (_, bytes) in &handoffs {
            take(handoff_file::named(bytes));
        }
        if let Some(bytes) = self.disk.read(STATE_FILE)? {
            let context = active_workflow::context(&document::decode(&bytes).text);
            let split = |entry: &String| {
                let (id, text) = entry.split_once(':')?;
                // `Note: ask Ann` is nobody's entry.
                is_id(id.trim()).then(|| (id.trim().to_owned(), text.trim().to_owned()))
            };
            let decision = |(id, title)| Decision { id, title, ..Decision::default() };
            let assumption = |(id, text)| Assumption { id, text, ..Assumption::default() };
            take(Findings {
                decisions: context.decisions.iter().filter_map(split).map(decision).collect(),
                assumptions: context.assumptions.iter().filter_map(split).map(assumption).collect(),
                ..Findings::default()
            });
        }
        // Only what this workflow counted was in its file.
        let counted = handoffs.first().filter(|(_, bytes)| self.led_the_phase_before(state, bytes));
        named.risks = counted.map_or(0, |(_, bytes)| handoff_file::risks_counted(bytes));
        named.ids = known.constraints.iter().map(|one| one.origin.clone()).collect();
        Ok(named)
    }

    /// Whether the phase out of which a handoff leads was led here: its document names the workflow.
    fn led_the_phase_before(&self, state: &State, handoff: &[u8]) -> bool {
        let from = handoff_file::header(handoff).map(|(from, ..)| format!("docs/forge/phases/{from}.md"));
        let document = from.and_then(|path| self.disk.read(&path).ok().flatten());
        document.and_then(|bytes| workflow_of(&bytes)).as_ref() == Some(&state.workflow_id)
    }

    /// The handoffs of a workflow, the latest first.
    fn handoffs_of(&self, workflow_id: &str) -> Result<Vec<(String, Vec<u8>)>, EngineError> {
        let mut all = Vec::new();
        for (_, bytes) in self.files_in(super::standing::HANDOFFS)? {
            let Some((_, _, owner, at)) = handoff_file::header(&bytes) else { continue };
            if owner.is_none_or(|owner| owner == workflow_id) {
                all.push((at.unwrap_or_default(), bytes));
            }
        }
        all.sort_by(|a, b| b.0.cmp(&a.0));
        Ok(all)
    }

    /// The handoff into the current phase, if it was emptied, or the state names it and it is not there.
    fn handoff_again(&self, now: &Snapshot, phase: &Phase, drive: &Drive) -> Result<Option<Gone>, EngineError> {
        let Some(before) = now.definition.before(&phase.id) else { return Ok(None) };
        let file = handoff::path(&before.id, &phase.id);
        let is_read = phase.entry_actions.contains(&EntryAction::ReadHandoff);
        let is_missed = match self.disk.read(&file)? {
            Some(bytes) => document::is_blank(&bytes),
            None => self.state_names(&file)?,
        };
        if !is_read || now.handoff.is_some() || !is_missed {
            return Ok(None);
        }
        let (definition, state) = (&now.definition, &now.state);
        let debate = state.debates.iter().rev().find(|(owner, _)| *owner == before.id).map(|(_, id)| id.as_str());
        let past = self.past(definition, state, before, debate, drive)?;
        let rests_on = match &past.debate {
            DebateRead::Gone { id } => Some((id, "is gone")),
            DebateRead::Damaged { id, .. } => Some((id, "cannot be read")),
            DebateRead::Another { id } => Some((id, "was planned for something else")),
            _ => None,
        };
        let decided = |id: &str| past.knowledge.decisions.iter().any(|one| one.debate.as_deref() == Some(id));
        let again = match rests_on {
            Some((id, how)) if !decided(id) => Again::No(format!("the debate {id} of {} {how}, too", before.id)),
            _ => Again::Handoff(Box::new(handoff::compose(&past, before, phase, &self.now().stamp))),
        };
        Ok(Some(Gone { file, again }))
    }

    /// Whether the state file lists a document as one that belongs to it.
    pub(super) fn state_names(&self, file: &str) -> Result<bool, EngineError> {
        let Some(bytes) = self.disk.read(STATE_FILE)? else { return Ok(false) };
        let context = active_workflow::context(&document::decode(&bytes).text);
        Ok(context.related_docs.iter().any(|one| one == file))
    }

    /// Makes a file again, if nobody has meanwhile.
    pub(super) fn make_again(&self, gone: &Gone, state: &State, log: &mut Log) -> Result<(), EngineError> {
        let kind = Kind::ALL.into_iter().find(|kind| kind.file() == gone.file);
        let text = match (&gone.again, kind) {
            (Again::Handoff(handoff), _) => return self.write_handoff(handoff, state, log),
            (Again::No(_), _) => return Ok(()),
            (Again::Knowledge(remade), _) => {
                let there = self.disk.read(&gone.file)?.filter(|bytes| !document::is_blank(bytes));
                let start = there.map(|bytes| as_it_is(&gone.file, bytes)).transpose()?;
                let start = start.unwrap_or_else(|| knowledge::template(remade.kind).to_owned());
                let mut text = knowledge::append(remade.kind, &start, &remade.entries);
                for id in &remade.lost {
                    text.push_str(&format!("\n- {id}: {LOST} nothing on record says what it was]\n"));
                }
                text
            }
            (Again::Empty, Some(kind)) => knowledge::template(kind).to_owned(),
            (Again::Empty, None) if gone.file == BRIEF => brief::template(&state.objective, &self.now().date),
            (Again::Empty, None) if gone.file == GLOSSARY => knowledge::glossary_template().to_owned(),
            (Again::Empty, None) => knowledge::traceability_template().to_owned(),
        };
        match self.disk.read(&gone.file)? {
            Some(_) => self.disk.replace(&gone.file, text.as_bytes())?,
            None => drop(self.disk.create_new(&gone.file, text.as_bytes())?),
        }
        Ok(())
    }
}

fn is_id(text: &str) -> bool {
    ids_in(text).first().is_some_and(|id| id == text)
}

/// Whether a line is the place of an entry of which nothing is on record.
fn is_lost(line: &str) -> bool {
    let entry = line.strip_prefix("- ").and_then(|item| item.split_once(": "));
    entry.is_some_and(|(id, text)| (is_id(id) || id == "R?") && text.starts_with(LOST))
}
