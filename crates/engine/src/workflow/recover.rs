//! When the state file is damaged, gone, or in another layout: what was found is said, nothing is lost, and the workflow
//! goes on from the newest snapshot and the handoffs, or from the phase documents where there is neither.

use super::Log;
use super::archive::record_path;
use super::gone::BRIEF;
use super::keep::newest;
use super::standing::{HANDOFFS, Standing};
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::EntryKind;
use forge_artifacts::document::{self, Document};
use forge_artifacts::formats::active_workflow::Layout;
use forge_artifacts::formats::{active_workflow, brief, handoff as handoff_file};
use forge_artifacts::stamp::Stamp;
use forge_debate::plan::check_id;
use forge_prose::blanks::is_placeholder;
use forge_prose::secrets::redacted;
use forge_workflow::definition::Definition;
use forge_workflow::next::{STATE_FILE, touch};
use forge_workflow::state::{PhaseStatus, State};
use std::collections::BTreeMap;

const PHASES: &str = "docs/forge/phases";
/// Where records of workflows that are over are.
const RECORDS: &str = ".claude/forge/archive";
/// Where other tools put whole workflows that are over.
const OTHERS_ARCHIVE: &str = "docs/forge/archive";
/// The id of a workflow whose documents name none.
const RECOVERED_ID: &str = "forge-recovered";
/// The objective of a workflow whose documents tell none.
const LOST_OBJECTIVE: &str = "unknown: it was lost with the state file";
const NO_WORKFLOW: &str = "there is no workflow here; begin one with `forge start \"<objective>\"`";

impl Workspace {
    /// Whether there is a workflow to go on with, or something to recover one from.
    pub(crate) fn expect_workflow(&self) -> Result<(), EngineError> {
        let is_there = match self.standing()? {
            Standing::There(_) | Standing::Damaged { .. } => true,
            Standing::Foreign(foreign) => return Err(EngineError::Usage(foreign.to_string())),
            Standing::Absent => self.lost_workflow()?.is_some(),
            Standing::Idle => false,
        };
        if is_there { Ok(()) } else { Err(EngineError::Usage(NO_WORKFLOW.to_owned())) }
    }

    /// The state to go on from, recovered if need be. Says what it found and what it did.
    pub(crate) fn load(&self, log: &mut Log) -> Result<State, EngineError> {
        match self.standing()? {
            Standing::Idle => Err(EngineError::Usage(NO_WORKFLOW.to_owned())),
            Standing::Foreign(foreign) => Err(EngineError::Usage(foreign.to_string())),
            Standing::There(there) => {
                there.notes.into_iter().for_each(|note| log.note(note));
                Ok(there.state)
            }
            Standing::Damaged { path, line, problem } => {
                let Some((mut state, from)) = self.recovered()? else {
                    return Err(EngineError::Usage(format!(
                        "{path}:{line}: {problem}, and there is neither a snapshot nor a document to recover it from; mend it, or begin anew with `forge start --abandon \"<objective>\"`"
                    )));
                };
                let said = self.disk.read(&path)?.and_then(|bytes| objective_line(&document::decode(&bytes).text));
                if let Some(said) = said.filter(|_| state.objective == LOST_OBJECTIVE) {
                    state.objective = said;
                }
                let kept = self.set_aside(&path)?;
                log.did(format!("{path}:{line}: {problem}; the damaged file is kept as {kept}"));
                self.take_over(state, &from, log)
            }
            Standing::Absent => {
                let Some((state, from)) = self.lost_workflow()? else {
                    return Err(EngineError::Usage(NO_WORKFLOW.to_owned()));
                };
                log.did(format!("{STATE_FILE} is gone"));
                self.take_over(state, &from, log)
            }
        }
    }

    fn take_over(&self, mut state: State, from: &str, log: &mut Log) -> Result<State, EngineError> {
        let definition = self.definition()?;
        self.reattach(&definition, &mut state, log)?;
        if state.objective == LOST_OBJECTIVE
            && let Some((objective, document)) = self.objective_on_record(&definition)?
        {
            log.did(format!("the objective is taken from {document}"));
            state.objective = objective;
        }
        touch(&mut state, &self.now());
        self.write_state_over(self.snapshot_text(&state.workflow_id)?.as_deref(), &state)?;
        log.did(format!("recovered the workflow {} in phase {} from {from}", state.workflow_id, state.phase));
        Ok(state)
    }

    /// The text of a workflow's newest snapshot, so that its notes and unknown keys come back too.
    fn snapshot_text(&self, workflow_id: &str) -> Result<Option<String>, EngineError> {
        let mut all = self.readable_snapshots()?;
        all.retain(|(_, state)| state.workflow_id == workflow_id);
        let Some((path, _)) = newest(&all) else { return Ok(None) };
        Ok(self.disk.read(path)?.map(|bytes| document::decode(&bytes).text))
    }

    /// What the newest snapshot tells, or the handoffs where they are further: a snapshot is made before a phase is
    /// left, the handoff is the proof that it was. Phase documents count only where there is neither.
    pub(crate) fn recovered(&self) -> Result<Option<(State, String)>, EngineError> {
        let definition = self.definition()?;
        let mut told = self.told_by_documents(&definition)?;
        let all = self.readable_snapshots()?;
        let Some((path, snapshot)) = newest(&all) else { return self.without_snapshots(&definition, told) };
        let same = all.iter().map(|(_, state)| state).filter(|state| state.workflow_id == snapshot.workflow_id);
        let reached = same.map(|state| reached(&definition, state)).max().flatten();
        // Where a snapshot has been already and the newest is not, somebody went back or restored it, and the handoff
        // was known then. So was one that is older.
        let is_news = |one: &Trace| Some(one.position) > reached && one.at >= Stamp::parse(&snapshot.last_updated);
        if let Some(told) = told.remove(&snapshot.workflow_id).filter(|_| snapshot.is_open())
            && let Some(handoff) = furthest(&told.handoffs).filter(|one| is_news(one))
            && let Some((state, from)) = self.state_told(&definition, &snapshot.workflow_id, &told, handoff)?
        {
            return Ok(Some((merged(snapshot.clone(), state), from)));
        }
        Ok(Some((snapshot.clone(), path.clone())))
    }

    /// What a state file that is gone is recovered from. A workflow whose record is in the archive is not missed.
    pub(crate) fn lost_workflow(&self) -> Result<Option<(State, String)>, EngineError> {
        let Some((state, from)) = self.recovered()? else { return Ok(None) };
        Ok(if self.is_over(&state)? || self.is_in_others_archive(&state)? { None } else { Some((state, from)) })
    }

    /// Whether the archive has a workflow's last word. One that was restored since then goes on.
    pub(super) fn is_over(&self, state: &State) -> Result<bool, EngineError> {
        let Some(bytes) = self.disk.read(&record_path(&state.workflow_id))? else { return Ok(false) };
        Ok(match active_workflow::read(&document::decode(&bytes).text) {
            active_workflow::Read::State { state: last, .. } => state.revision <= last.revision,
            _ => true,
        })
    }

    /// Whether another tool archived the workflow: its record names it, or tells of the same objective. Documents that do
    /// not say whose they are belong to what was archived, and so do those that tell no objective and are older than a
    /// record that names no workflow.
    fn is_in_others_archive(&self, state: &State) -> Result<bool, EngineError> {
        let id = state.workflow_id.as_str();
        if self.in_others_archive(id)?.is_some() {
            return Ok(true);
        }
        for (path, bytes) in self.files_in(RECORDS)? {
            let read = active_workflow::read(&document::decode(&bytes).text);
            let active_workflow::Read::State { state: last, layout, has_id, .. } = read else { continue };
            // A script copies the state file as it is, whoever wrote it.
            let is_others = layout != Layout::Ours || path != record_path(&last.workflow_id);
            let is_same = last.workflow_id == id || last.objective.trim() == state.objective.trim();
            let is_older = || state.objective == LOST_OBJECTIVE && !has_id && archived_after(&path, &last, state);
            if is_others && (is_same || id == RECOVERED_ID || is_older()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Where another tool put a whole workflow when it was over: a folder of the day and its id.
    pub(super) fn in_others_archive(&self, id: &str) -> Result<Option<String>, EngineError> {
        let is_it = |name: &str| {
            let day = name.strip_suffix(id).and_then(|rest| rest.strip_suffix('-'));
            day.is_some_and(|day| !day.is_empty() && day.chars().all(|c| c.is_ascii_digit() || c == '-'))
        };
        let found = self.disk.list(OTHERS_ARCHIVE)?.into_iter().find(|entry| is_it(&entry.name));
        Ok(found.map(|entry| format!("{OTHERS_ARCHIVE}/{}", entry.name)))
    }

    /// The workflow whose documents are the latest, of those without a record in the archive.
    fn without_snapshots(
        &self,
        definition: &Definition,
        told: BTreeMap<String, Told>,
    ) -> Result<Option<(State, String)>, EngineError> {
        let mut latest: Option<(String, Told)> = None;
        for (id, told) in told {
            let is_later = latest.as_ref().is_none_or(|(_, known)| told.latest() >= known.latest());
            if is_later && self.disk.read(&record_path(&id))?.is_none() {
                latest = Some((id, told));
            }
        }
        let Some((id, told)) = latest else { return Ok(None) };
        let Some(trace) = furthest(&told.handoffs).or_else(|| furthest(&told.documents)) else { return Ok(None) };
        let mut found = self.state_told(definition, &id, &told, trace)?;
        if let Some((state, _)) = &mut found {
            self.note_earlier_debates(definition, state)?;
        }
        Ok(found)
    }

    /// Which phases had a debate of another tool's, as decisions and syntheses tell. A handoff is written when a phase is
    /// left: the workflow began before its debates, unless another one was here before.
    fn note_earlier_debates(&self, definition: &Definition, state: &mut State) -> Result<(), EngineError> {
        if self.span(state, Layout::Flat)?.follows_another {
            return Ok(());
        }
        for phase in &state.completed_phases {
            for (_, digits) in self.debates_of(phase)? {
                let at =
                    digits.split_at_checked(8).and_then(|(day, time)| Stamp::parse_compact(&format!("{day}-{time}")));
                if let Some(at) = at.map(|at| at.to_string()).filter(|at| *at < state.started_at) {
                    state.started_at = at;
                }
            }
        }
        let signs = self.signs(definition, state, Layout::Flat)?;
        let shows = |phase: &String| signs.iter().any(|sign| sign.kind.is_debate() && sign.phase == *phase);
        state.debated_before = state.completed_phases.iter().filter(|phase| shows(phase)).cloned().collect();
        Ok(())
    }

    /// A workflow in the phase that a document leads to.
    fn state_told(
        &self,
        definition: &Definition,
        id: &str,
        told: &Told,
        trace: &Trace,
    ) -> Result<Option<(State, String)>, EngineError> {
        let Some(phase) = definition.phases.get(trace.position) else { return Ok(None) };
        // A phase may have an objective of its own; the first has the workflow's.
        let first = told.documents.iter().min_by_key(|one| one.position).and_then(|one| one.objective.clone());
        let objective = self.objective_in_brief()?.or(first);
        let objective = objective.unwrap_or_else(|| LOST_OBJECTIVE.to_owned());
        let at = trace.at.map_or_else(|| self.now().stamp, |at| at.to_string());
        let mut state = State::new(id, &objective, &phase.id, &at);
        state.started_at = told.earliest().map_or(at, |first| first.to_string());
        state.completed_phases = definition.phases.iter().take(trace.position).map(|phase| phase.id.clone()).collect();
        state.next_phase = definition.after(&phase.id).map(|next| next.id.clone());
        for phase in &state.completed_phases {
            state.skipped_debates.extend(told.skipped.iter().filter(|(skipped, _)| skipped == phase).cloned());
            state.rehearsed_phases.extend(told.rehearsed.iter().filter(|rehearsed| *rehearsed == phase).cloned());
        }
        Ok(Some((state, trace.path.clone())))
    }

    /// What handoffs and phase documents tell, by workflow.
    fn told_by_documents(&self, definition: &Definition) -> Result<BTreeMap<String, Told>, EngineError> {
        let mut told: BTreeMap<String, Told> = BTreeMap::new();
        for (path, bytes) in self.files_in(HANDOFFS)? {
            let Some((from, to, id, at)) = handoff_file::header(&bytes) else { continue };
            let Some(position) = definition.position(&to) else { continue };
            let one = told.entry(owner(id)).or_default();
            let (is_rehearsed, skipped) = handoff_file::marks(&bytes);
            one.rehearsed.extend(is_rehearsed.then(|| from.clone()));
            one.skipped.extend(skipped.map(|why| (from.clone(), why)));
            one.handoffs.push(Trace { position, at: at.as_deref().and_then(Stamp::parse), path, objective: None });
        }
        for (path, bytes) in self.files_in(PHASES)? {
            let text = document::decode(&bytes).text;
            let parsed = Document::parse(&text);
            let field = |key: &str| parsed.fields()?.get(key)?.as_str().map(str::to_owned);
            let name = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md");
            let Some(position) = definition.position(&field("phase").unwrap_or_else(|| name.to_owned())) else {
                continue;
            };
            let at = field("created_at").as_deref().and_then(Stamp::parse);
            let trace = Trace { position, at, path, objective: field("objective") };
            told.entry(owner(field("workflow_id"))).or_default().documents.push(trace);
        }
        Ok(told)
    }

    pub(super) fn files_in(&self, folder: &str) -> Result<Vec<(String, Vec<u8>)>, EngineError> {
        let mut files = Vec::new();
        for entry in self.disk.list(folder)?.into_iter().filter(|entry| entry.kind == EntryKind::File) {
            let path = format!("{folder}/{}", entry.name);
            if let Some(bytes) = self.disk.read(&path)? {
                files.push((path, bytes));
            }
        }
        Ok(files)
    }

    fn objective_in_brief(&self) -> Result<Option<String>, EngineError> {
        Ok(self.disk.read(BRIEF)?.and_then(|bytes| objective_of(&bytes)))
    }

    /// What documents say that the workflow is for, and which of them: the brief, else the first phase's.
    pub(super) fn objective_on_record(&self, definition: &Definition) -> Result<Option<(String, String)>, EngineError> {
        let documents = definition.phases.iter().map(|phase| phase.document());
        for path in std::iter::once(BRIEF.to_owned()).chain(documents) {
            let objective = self.disk.read(&path)?.and_then(|bytes| objective_of(&bytes));
            if let Some(objective) = objective.filter(|text| !is_placeholder(text)) {
                return Ok(Some((objective, path)));
            }
        }
        Ok(None)
    }
}

/// Whether a record was made after the last that is known of a workflow: by the time in its name, else by what it says.
fn archived_after(path: &str, record: &State, state: &State) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let digits: String = name.chars().filter(char::is_ascii_digit).take(14).collect();
    let told = digits.split_at_checked(8).and_then(|(day, time)| Stamp::parse_compact(&format!("{day}-{time}")));
    let at = told.or_else(|| Stamp::parse(&record.last_updated));
    at.zip(Stamp::parse(&state.last_updated)).is_some_and(|(at, last)| at >= last)
}

/// The objective in a state file that cannot be read as a whole, without what looks like a key.
fn objective_line(text: &str) -> Option<String> {
    let said = text.lines().find_map(|line| line.trim().strip_prefix("objective:"))?;
    let said = redacted(said.trim().trim_matches(['"', '\'', ' ']));
    Some(said).filter(|said| !said.is_empty() && !is_placeholder(said))
}

/// The objective in a document's front matter, without what looks like a key.
fn objective_of(bytes: &[u8]) -> Option<String> {
    brief::objective(&redacted(&document::decode(bytes).text))
}

/// What the documents tell of one workflow.
#[derive(Debug, Default)]
struct Told {
    handoffs: Vec<Trace>,
    documents: Vec<Trace>,
    /// Phases that were left without the debate that they called for, and why they did.
    skipped: Vec<(String, String)>,
    /// Phases whose gate a rehearsal passed.
    rehearsed: Vec<String>,
}

/// A document that a workflow left.
#[derive(Debug)]
struct Trace {
    /// The place of the phase that it leads to or belongs to.
    position: usize,
    at: Option<Stamp>,
    path: String,
    objective: Option<String>,
}

impl Told {
    fn latest(&self) -> Option<Stamp> {
        self.handoffs.iter().chain(&self.documents).filter_map(|one| one.at).max()
    }

    fn earliest(&self) -> Option<Stamp> {
        self.handoffs.iter().chain(&self.documents).filter_map(|one| one.at).min()
    }
}

fn furthest(traces: &[Trace]) -> Option<&Trace> {
    traces.iter().max_by_key(|one| one.position)
}

/// How far a state is: a phase that is done leads to the next one.
fn reached(definition: &Definition, state: &State) -> Option<usize> {
    let is_done = state.phase_status == PhaseStatus::Completed;
    definition.position(&state.phase).map(|position| position + usize::from(is_done))
}

/// The workflow that a document names, if that can be the name of one.
fn owner(id: Option<String>) -> String {
    id.filter(|id| check_id(id).is_ok()).unwrap_or_else(|| RECOVERED_ID.to_owned())
}

/// A snapshot brought up to where the handoffs are.
fn merged(snapshot: State, told: State) -> State {
    let mut skipped_debates = snapshot.skipped_debates;
    skipped_debates.retain(|(phase, _)| !told.skipped_debates.iter().any(|(skipped, _)| skipped == phase));
    skipped_debates.extend(told.skipped_debates);
    let mut rehearsed_phases = snapshot.rehearsed_phases;
    rehearsed_phases.retain(|phase| !told.rehearsed_phases.contains(phase));
    rehearsed_phases.extend(told.rehearsed_phases);
    State {
        objective: snapshot.objective,
        started_at: snapshot.started_at,
        debates: snapshot.debates,
        skipped_debates,
        answered: snapshot.answered,
        rehearsed_phases,
        debated_before: snapshot.debated_before,
        reopened_decision: snapshot.reopened_decision,
        branch: snapshot.branch,
        issue: snapshot.issue,
        revision: snapshot.revision,
        last_updated: snapshot.last_updated,
        ..told
    }
}
