//! The state file as it stands, whoever wrote it: which workflow it is, and what lies around that shows where it has been.
//!
//! Changes nothing. A layout that forge does not go on with in place is named, and nothing is made of it.

use super::archive;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::{DiskError, EntryKind};
use forge_artifacts::document;
use forge_artifacts::formats::active_workflow::{self, Layout};
use forge_artifacts::formats::phase_document;
use forge_debate::plan::check_id;
use forge_workflow::definition::Definition;
use forge_workflow::evidence::{Record, Span, shows_debate};
use forge_workflow::next::STATE_FILE;
use forge_workflow::snapshot::{Traces, Unclear};
use forge_workflow::state::{DebateState, DebateStatus, PhaseStatus, State, WorkflowStatus};

/// Where handoffs are.
pub(super) const HANDOFFS: &str = "docs/forge/handoffs";
/// Where debates of phases are.
pub(super) const DEBATES: &str = "docs/forge/debate";
/// Where other tools keep a state file.
const OTHER_STATE_FILES: [&str; 2] = ["docs/forge/active-workflow.md", ".claude/forge/state.json"];

/// What stands at the state file's place.
#[derive(Debug, Clone, PartialEq)]
pub enum Standing {
    /// Nothing.
    Absent,
    /// A file that says there is no workflow.
    Idle,
    /// A state.
    There(Box<There>),
    /// A workflow in another tool's layout, which forge takes over only when told to.
    Foreign(Foreign),
    /// Something that cannot be read, where forge's own state file is.
    Damaged {
        /// The file.
        path: String,
        /// The line.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

/// A state on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct There {
    /// What it says.
    pub state: State,
    /// In which layout.
    pub layout: Layout,
    /// What was odd or assumed.
    pub notes: Vec<String>,
}

/// A state file in a layout that forge does not go on with in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// The file.
    pub path: String,
    /// How it is laid out.
    pub layout: Layout,
    /// The phase that it names.
    pub phase: String,
}

impl std::fmt::Display for Foreign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Foreign { path, layout, phase } = self;
        let layout = layout.word();
        write!(
            f,
            "{path} is another tool's state file ({layout}; phase {phase}). `forge restore --adopt {path}` takes it over and keeps it as it is"
        )
    }
}

/// What a text says of a workflow.
pub(super) enum StateText {
    Idle,
    State(Box<(State, Layout, Vec<String>)>),
    Damaged { line: usize, problem: String },
}

impl Workspace {
    /// What stands at the state file's place. Changes nothing.
    pub fn standing(&self) -> Result<Standing, EngineError> {
        let standing = match self.state_text(STATE_FILE)? {
            None => Standing::Absent,
            Some(StateText::Idle) => Standing::Idle,
            Some(StateText::Damaged { line, problem }) => {
                Standing::Damaged { path: STATE_FILE.to_owned(), line, problem }
            }
            Some(StateText::State(read)) => {
                let (state, layout, mut notes) = *read;
                if layout == Layout::Ours || layout.is_edited_in_place() && state.is_open() {
                    notes.extend(self.other_state_file(&state)?);
                    Standing::There(Box::new(There { state, layout, notes }))
                } else if state.is_open() {
                    return Ok(foreign(STATE_FILE, layout, state.phase));
                } else {
                    // Another tool's workflow that is over: there is nothing to take over.
                    Standing::Idle
                }
            }
        };
        match standing {
            Standing::Absent | Standing::Idle => Ok(self.others_standing()?.unwrap_or(standing)),
            other => Ok(other),
        }
    }

    /// A workflow in another tool's file, where forge has not gone on with one itself.
    fn others_standing(&self) -> Result<Option<Standing>, EngineError> {
        for path in OTHER_STATE_FILES {
            let Some((state, layout)) = self.others_state(path)? else { continue };
            let is_over = !state.is_open() || !self.readable_snapshots()?.is_empty();
            if !is_over {
                return Ok(Some(foreign(path, layout, state.phase)));
            }
        }
        Ok(None)
    }

    /// What another tool's file says, where it can be read; anything else is no damage of forge's.
    fn others_state(&self, path: &str) -> Result<Option<(State, Layout)>, EngineError> {
        match self.state_text(path) {
            Ok(Some(StateText::State(read))) => Ok(Some((read.0, read.1))),
            Ok(_) | Err(EngineError::Usage(_)) => Ok(None),
            Err(EngineError::Disk(error)) if error.is_about_one_file() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Another tool's state file that says something else, or has open conditions that this one has not.
    fn other_state_file(&self, state: &State) -> Result<Option<String>, EngineError> {
        for path in OTHER_STATE_FILES {
            let Some((other, layout)) = self.others_state(path)?.filter(|(other, _)| other.is_open()) else { continue };
            if other.phase != state.phase {
                return Ok(Some(format!(
                    "{path} says phase {}; forge goes by {STATE_FILE}, which says {}",
                    other.phase, state.phase
                )));
            }
            let open: Vec<&str> = other.pending_tasks.iter().map(String::as_str).collect();
            if layout == Layout::Prose && !open.is_empty() {
                return Ok(Some(format!(
                    "{path} has open conditions that nothing waits for, since forge goes by {STATE_FILE}: {}. What is to be done belongs below `## TODO` in docs/forge/phases/{}.md",
                    open.join(", "),
                    state.phase
                )));
            }
        }
        Ok(None)
    }

    /// Reads a state file wherever it is, with the id and the debate that its documents tell where it has none.
    pub(super) fn state_text(&self, path: &str) -> Result<Option<StateText>, EngineError> {
        let bytes = match self.disk.read(path) {
            Ok(None) => return Ok(None),
            Ok(Some(bytes)) => bytes,
            Err(DiskError::TooLarge { .. }) => {
                let problem = "it is far too large for a state file".to_owned();
                return Ok(Some(StateText::Damaged { line: 1, problem }));
            }
            Err(error) => return Err(error.into()),
        };
        let decoded = document::decode(&bytes);
        if let Some(problem) = decoded.problems.into_iter().next() {
            return Ok(Some(StateText::Damaged { line: problem.line, problem: problem.text }));
        }
        Ok(Some(match active_workflow::read(&decoded.text) {
            active_workflow::Read::State { mut state, layout, has_id, mut notes, .. } => {
                if !has_id {
                    notes.push(self.identify(&mut state, layout)?);
                }
                if layout != Layout::Ours && state.is_open() {
                    notes.extend(self.find_objective(&mut state)?);
                    notes.extend(self.find_debate(&mut state)?);
                    self.note_debates(&mut state, layout)?;
                }
                if state.is_open() {
                    notes.extend(self.pass_over_next(&mut state));
                }
                if layout == Layout::Ours
                    && state.status == WorkflowStatus::Completed
                    && state.next_phase.is_none()
                    && !self.is_over(&state)?
                {
                    // forge writes the record first: without it the word is only a claim.
                    state.status = WorkflowStatus::Active;
                    notes
                        .push("it says completed, and the archive has no record of it: it is checked again".to_owned());
                }
                if state.status == WorkflowStatus::Abandoned && !self.is_over(&state)? {
                    // Whoever gives it up with forge leaves a record.
                    state.status = WorkflowStatus::Paused;
                }
                let notes = notes.into_iter().map(|note| format!("{path}: {note}")).collect();
                StateText::State(Box::new((state, layout, notes)))
            }
            active_workflow::Read::Idle => StateText::Idle,
            active_workflow::Read::Damaged { line, problem } => StateText::Damaged { line, problem },
            active_workflow::Read::Newer { version } => {
                return Err(EngineError::Usage(format!(
                    "{path} is of version {version}, which a newer forge wrote; this one reads versions up to 2 and leaves it as it is"
                )));
            }
        }))
    }

    /// A state without an id takes its phase document's, else its handoff's. Tells which.
    pub(super) fn identify(&self, state: &mut State, layout: Layout) -> Result<String, EngineError> {
        Ok(match self.ids_around(state, layout)?.into_iter().next() {
            Some((path, id)) => {
                state.workflow_id = id;
                format!("it has no workflow_id; {} is taken from {path}", state.workflow_id)
            }
            None => format!("it has no workflow_id; {} is assumed", state.workflow_id),
        })
    }

    /// The ids that the documents of a state's phase carry: its own, then those of the handoffs into it and out of it; else
    /// that of the last handoff there is. What is older than the workflow is not asked.
    fn ids_around(&self, state: &State, layout: Layout) -> Result<Vec<(String, String)>, EngineError> {
        let phase = &state.phase;
        let span = self.span(state, layout)?;
        let handoffs = self.disk.list(HANDOFFS)?.into_iter().filter(|entry| entry.kind == EntryKind::File);
        let handoffs: Vec<String> = handoffs.map(|entry| format!("{HANDOFFS}/{}", entry.name)).collect();
        let (into, out) = (format!("-to-{phase}.md"), format!("{HANDOFFS}/{phase}-to-"));
        let mut near = vec![format!("docs/forge/phases/{phase}.md")];
        near.extend(handoffs.iter().filter(|path| path.ends_with(&into)).cloned());
        near.extend(handoffs.iter().filter(|path| path.starts_with(&out)).cloned());
        let found = self.ids_in(&near, &span)?;
        if !found.is_empty() {
            return Ok(found);
        }
        Ok(self.ids_in(&handoffs, &span)?.pop().into_iter().collect())
    }

    fn ids_in(&self, paths: &[String], span: &Span) -> Result<Vec<(String, String)>, EngineError> {
        let mut found = Vec::new();
        for path in paths {
            let bytes = self.disk.read(path)?.filter(|bytes| !Self::is_older(bytes, span));
            let id = bytes.and_then(|bytes| phase_document::workflow_of(&bytes));
            found.extend(id.filter(|id| check_id(id).is_ok()).map(|id| (path.clone(), id)));
        }
        Ok(found)
    }

    /// The objective where a state file does not say it and another document does.
    fn find_objective(&self, state: &mut State) -> Result<Option<String>, EngineError> {
        if !state.objective.trim().is_empty() {
            return Ok(None);
        }
        let Some((objective, from)) = self.objective_on_record(&self.definition()?)? else { return Ok(None) };
        state.objective = objective;
        Ok(Some(format!("the objective is taken from {from}")))
    }

    /// The debate of the phase that another tool planned and its state file does not name: the newest since it began.
    fn find_debate(&self, state: &mut State) -> Result<Option<String>, EngineError> {
        if state.debate.id.is_some() || check_id(&state.phase).is_err() {
            return Ok(None);
        }
        let began: String = state.started_at.chars().take(19).filter(char::is_ascii_digit).collect();
        let known = self.knowledge()?;
        let mut newest = None;
        for (name, digits) in self.debates_of(&state.phase)? {
            let is_older = began.len() == 14 && digits.len() == 14 && digits < began;
            let is_known = known.decisions.iter().any(|one| one.debate.as_deref() == Some(&name));
            if !is_older && !is_known && self.is_planned_by_forge(&name)? == Some(false) {
                newest = Some(name);
            }
        }
        let Some(id) = newest else { return Ok(None) };
        let note = format!("it names no debate; {DEBATES}/{id} is taken for the debate of {}", state.phase);
        state.debates.push((state.phase.clone(), id.clone()));
        state.debate = DebateState {
            id: Some(id),
            phase: Some(state.phase.clone()),
            status: DebateStatus::Pending,
            gate_passed: false,
        };
        Ok(Some(note))
    }

    /// Scripts set the phase and leave the next one as it was, people change it, and the phases may change under way. What
    /// follows is what the phases say.
    fn pass_over_next(&self, state: &mut State) -> Option<String> {
        let definition = self.definition().ok().filter(|definition| definition.phase(&state.phase).is_some())?;
        let following = definition.after(&state.phase).map(|next| next.id.clone());
        // A script that has not begun the phase says that it is next.
        let is_current =
            state.next_phase.as_ref() == Some(&state.phase) && state.phase_status != PhaseStatus::Completed;
        let is_right = state.next_phase.is_none() || state.next_phase == following || is_current;
        if state.status == WorkflowStatus::Completed || is_right {
            return None;
        }
        let said = std::mem::replace(&mut state.next_phase, following.clone()).unwrap_or_default();
        let following = following.unwrap_or_else(|| "nothing".to_owned());
        Some(format!("next_phase says {said}, and {following} follows {}; it is passed over", state.phase))
    }

    /// Records which debates of earlier phases another tool's files show.
    pub(super) fn note_debates(&self, state: &mut State, layout: Layout) -> Result<(), EngineError> {
        let definition = self.definition()?;
        let signs = self.signs(&definition, state, layout)?;
        for phase in definition.phases.iter().filter(|phase| phase.always_debates()) {
            let is_before = state.phase != phase.id && state.completed_phases.contains(&phase.id);
            if is_before && shows_debate(&definition, state, phase, &signs, Record::Others) {
                state.debated_before.push(phase.id.clone());
            }
        }
        Ok(())
    }

    /// Folders of debates that are named after a phase, oldest first, with the digits of their time.
    pub(super) fn debates_of(&self, phase: &str) -> Result<Vec<(String, String)>, EngineError> {
        let begins = format!("{phase}-");
        let mut found: Vec<(String, String)> = Vec::new();
        for entry in self.disk.list(DEBATES)? {
            let is_of_it = entry.kind == EntryKind::Folder && check_id(&entry.name).is_ok();
            if let Some(rest) = entry.name.strip_prefix(&begins).filter(|_| is_of_it) {
                let digits = rest.chars().filter(char::is_ascii_digit).take(14).collect();
                found.push((entry.name.clone(), digits));
            }
        }
        found.sort_by(|a, b| (&a.1, &a.0).cmp(&(&b.1, &b.0)));
        Ok(found)
    }

    /// What lies around a workflow and shows where it has been.
    pub(super) fn traces(&self, definition: &Definition, state: &State) -> Result<Traces, EngineError> {
        let text = self.disk.read(STATE_FILE)?.map(|bytes| document::decode(&bytes).text).unwrap_or_default();
        let mut traces = Traces { state_lines: active_workflow::key_lines(&text), ..Traces::default() };
        let (layout, has_id) = match active_workflow::read(&text) {
            active_workflow::Read::State { layout, has_id, .. } => (layout, has_id),
            _ => (Layout::Ours, true),
        };
        if !has_id {
            traces.ids = self.ids_around(state, layout)?;
        }
        traces.signs = self.signs(definition, state, layout)?;
        traces.said = self.said_here(state)?;
        traces.answers = self.answers(state)?;
        traces.holding_word = active_workflow::holding_word(&text);
        let is_ending = state.phase_status == PhaseStatus::Completed && definition.after(&state.phase).is_none();
        if state.is_open() && !is_ending {
            traces.archived = self.archived(state, layout)?;
        }
        traces.others = self.documents_of_others(definition, state)?;
        traces.others.extend(self.missed(definition, state, &traces)?);
        Ok(traces)
    }

    /// The record of a workflow in the archive, where it is the last word.
    fn archived(&self, state: &State, layout: Layout) -> Result<Option<String>, EngineError> {
        if self.is_over(state)? {
            return Ok(Some(archive::record_path(&state.workflow_id)));
        }
        // What forge took over since goes on.
        if layout == Layout::Ours { Ok(None) } else { self.in_others_archive(&state.workflow_id) }
    }

    /// Documents at the phase's places that belong to another workflow, and so are not read.
    fn documents_of_others(&self, definition: &Definition, state: &State) -> Result<Vec<Unclear>, EngineError> {
        let Some(phase) = definition.phase(&state.phase) else { return Ok(Vec::new()) };
        let mut paths = vec![phase.document(), phase.options_document()];
        paths.extend(definition.before(&phase.id).map(|before| forge_workflow::handoff::path(&before.id, &phase.id)));
        paths.dedup();
        let mut found = Vec::new();
        for path in paths {
            let Some(bytes) = self.disk.read(&path)? else { continue };
            let Some(owner) = phase_document::workflow_of(&bytes).filter(|owner| *owner != state.workflow_id) else {
                continue;
            };
            let text = document::decode(&bytes).text;
            let line = text.lines().position(|line| line.starts_with("workflow_id")).map_or(1, |i| i + 1);
            let (id, holds) = (&state.workflow_id, self.state_names(&path)?);
            let what = format!("it belongs to the workflow {owner} and is not read; this one is {id}");
            let text =
                if holds { format!("{what}. If they are one, write one workflow_id into both files") } else { what };
            found.push(Unclear { file: path, line, text, holds });
        }
        Ok(found)
    }
}

fn foreign(path: &str, layout: Layout, phase: String) -> Standing {
    Standing::Foreign(Foreign { path: path.to_owned(), layout, phase })
}
