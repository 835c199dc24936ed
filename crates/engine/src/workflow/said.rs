//! What the user said of a workflow with a command that was typed here: `--no-debate`, `--allow-rehearsal`, `restore --adopt`.
//!
//! A state file and a handoff say it too, for people; but anybody may have filled the tree, so they are not believed. It is
//! kept beside what tells which debates were made here, one empty file for each word.
//!
//! If the process dies here: the word is kept before the state file says it, and a word that no state file says does nothing.

use crate::workspace::{EngineError, Workspace};
use forge_debate::digest::Digest;
use forge_prose::words::words;
use forge_workflow::knowledge::Decision;
use forge_workflow::snapshot::SaidHere;
use forge_workflow::state::{DebateFlag, PhaseStatus, State};

/// A word of the user's about a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// `--no-debate`.
    NoDebate,
    /// `--allow-rehearsal`.
    Rehearsal,
    /// The phase was left here, or `restore --adopt`.
    Done,
    /// The phase had its debate: `restore --adopt`.
    Debated,
}

impl Word {
    fn name(self) -> &'static str {
        match self {
            Word::NoDebate => "no-debate",
            Word::Rehearsal => "rehearsal",
            Word::Done => "done",
            Word::Debated => "debated",
        }
    }
}

impl Workspace {
    /// What was said here of what a state claims. Where nobody keeps it, the state is believed.
    pub(super) fn said_here(&self, state: &State) -> Result<SaidHere, EngineError> {
        let skipped = state.skipped_debates.iter().map(|(phase, _)| phase);
        let answered = state.answered.iter().map(|one| &one.phase);
        let flag = Some(&state.phase).filter(|_| state.debate_flag == DebateFlag::Skipped);
        let planned = state.debates.iter().map(|(owner, _)| owner);
        let rehearsed = state.rehearsed_phases.iter().chain(Some(&state.phase).filter(|_| state.debate.gate_passed));
        let mut no_debate = self.said_of(state, Word::NoDebate, skipped.chain(answered).chain(flag).chain(planned))?;
        // A phase that was left used the word up: it says nothing of what came up since.
        let is_open = state.phase_status != PhaseStatus::Completed && self.made.is_some();
        if is_open && !self.said_of(state, Word::Done, std::iter::once(&state.phase))?.is_empty() {
            no_debate.retain(|phase| *phase != state.phase);
        }
        Ok(SaidHere {
            no_debate,
            rehearsed: self.said_of(state, Word::Rehearsal, rehearsed)?,
            done: self.said_of(state, Word::Done, state.completed_phases.iter())?,
            debated: match &self.made {
                Some(_) => self.said_of(state, Word::Debated, state.completed_phases.iter())?,
                // Files still show it, or do not.
                None => Vec::new(),
            },
        })
    }

    fn said_of<'p>(
        &self,
        state: &State,
        word: Word,
        phases: impl Iterator<Item = &'p String>,
    ) -> Result<Vec<String>, EngineError> {
        let mut said: Vec<String> = Vec::new();
        for phase in phases {
            let is_said = match &self.made {
                Some(made) => made.read(&self.word_file(state, word, phase))?.is_some(),
                None => true,
            };
            if is_said && !said.contains(phase) {
                said.push(phase.clone());
            }
        }
        Ok(said)
    }

    /// Keeps what was typed.
    pub(super) fn keep_word(&self, state: &State, word: Word, phase: &str) -> Result<(), EngineError> {
        let Some(made) = &self.made else { return Ok(()) };
        made.replace(&self.word_file(state, word, phase), b"").map_err(|error| {
            EngineError::Usage(format!(
                "it cannot be kept that you said this of {phase}: {error}. It is kept in the folder that XDG_STATE_HOME or HOME names"
            ))
        })
    }

    /// Takes back what was typed.
    pub(super) fn drop_word(&self, state: &State, word: Word, phase: &str) -> Result<(), EngineError> {
        let Some(made) = &self.made else { return Ok(()) };
        let file = self.word_file(state, word, phase);
        if made.read(&file)?.is_some() {
            made.remove(&file)?;
        }
        Ok(())
    }

    /// Keeps that forge wrote these entries down. Where it cannot be kept they are held against the record of their debate alone.
    pub(super) fn keep_written(&self, decisions: &[Decision]) {
        let Some(made) = &self.made else { return };
        for one in decisions {
            for root in self.own_roots() {
                let _ = made.replace(&written_file(&root, one), b"");
            }
        }
    }

    /// Whether forge wrote an entry down here as it stands; none where nobody keeps that.
    pub(super) fn wrote_here(&self, one: &Decision) -> Result<Option<bool>, EngineError> {
        let Some(made) = &self.made else { return Ok(None) };
        for root in self.own_roots() {
            if made.read(&written_file(&root, one))?.is_some() {
                return Ok(Some(true));
            }
        }
        Ok(Some(false))
    }

    fn word_file(&self, state: &State, word: Word, phase: &str) -> String {
        let root = self.locks.root();
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let place = Digest::of_parts([root.display().to_string(), "workflow".to_owned(), state.workflow_id.clone()]);
        let phase = Digest::of(phase.as_bytes()).short(16);
        format!("{}/{}-{phase}.md", place.short(32), word.name())
    }
}

/// Where it is kept that forge wrote an entry: by what counts of it.
fn written_file(root: &str, one: &Decision) -> String {
    let title = words(&one.title).join(" ").to_lowercase();
    let source = one.source.clone().unwrap_or_default();
    let what = [root.to_owned(), "decision".to_owned(), source, title, one.supersedes.join(" ")];
    format!("{}/written.md", Digest::of_parts(what).short(32))
}
