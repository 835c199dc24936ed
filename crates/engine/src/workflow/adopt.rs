//! Taking over a state file that another tool wrote, in a layout that forge does not go on with in place: only when told to, and
//! with the file as it was kept where it is said.
//!
//! If the process dies here: the copy is made first and forge's state file is written last; the same command does it again.

use super::said::Word;
use super::standing::{Standing, StateText, There};
use super::start::OBJECTIVE_CHARS;
use super::{Log, archive};
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::document;
use forge_artifacts::formats::active_workflow::{self, Layout};
use forge_artifacts::formats::summary::shortened;
use forge_workflow::definition::Definition;
use forge_workflow::evidence::{Record, shows_debate, shows_work};
use forge_workflow::knowledge::{Decision, Kind};
use forge_workflow::next::{STATE_FILE, touch};
use forge_workflow::snapshot::Stranger;
use forge_workflow::state::State;

impl Workspace {
    /// Makes a state file of forge's from another one, with its notes and unknown keys.
    pub fn adopt(&self, path: &str) -> Result<(State, Log), EngineError> {
        Log::telling(|log| {
            let (mut state, layout, notes) = self.adoptable(path)?;
            let definition = self.definition()?;
            let _held = self.hold_workflow()?;
            log.notes = notes;
            let text = self.disk.read(path)?.map(|bytes| document::decode(&bytes).text);
            self.copy_state_file(log)?;
            self.reattach(&definition, &mut state, log)?;
            if !text.as_deref().is_some_and(lists_what_is_done) {
                self.skip_unseen(&definition, &mut state, layout, log)?;
            }
            self.take_word_for(&definition, &state, log)?;
            state.revision = self.last_revision(&state)?;
            touch(&mut state, &self.now());
            self.write_state_over(text.as_deref(), &state)?;
            log.did(format!("took over {path} ({}): {} in phase {}", layout.word(), state.workflow_id, state.phase));
            self.keep()?;
            Ok((state, std::mem::take(log)))
        })
    }

    /// What a file says that can be taken over.
    fn adoptable(&self, path: &str) -> Result<(State, Layout, Vec<String>), EngineError> {
        let Some(found) = self.state_text(path)? else {
            return Err(EngineError::Usage(format!("there is no file {path} in this workspace")));
        };
        let (mut state, layout, mut notes) = match found {
            StateText::State(read) => *read,
            StateText::Idle => return Err(EngineError::Usage(format!("{path} says that there is no workflow"))),
            StateText::Damaged { line, problem } => {
                return Err(EngineError::Usage(format!(
                    "{path}:{line}: {problem}. A state file has at least a line such as `phase: brainstorm`"
                )));
            }
        };
        let is_archived = self.is_over(&state)?;
        let is_shown = |state: &State| -> Result<bool, EngineError> {
            let definition = self.definition()?;
            let rests_on_none = self.strangers(&definition, state, &self.knowledge()?)?.is_empty();
            Ok(rests_on_none
                && self.claims(&definition, state)?.is_empty()
                && self.not_shown(&definition, state)?.is_empty())
        };
        if layout == Layout::Ours && path == STATE_FILE && !is_archived && is_shown(&state)? {
            return Err(EngineError::Usage(format!("{path} is forge's own already; `forge continue` goes on with it")));
        }
        if !state.is_open() {
            return Err(EngineError::Usage(format!(
                "{path} tells of a workflow that is {}; begin another with `forge start \"<objective>\"`",
                state.status.word()
            )));
        }
        if let Standing::There(there) = self.standing()?
            && path != STATE_FILE
        {
            refuse_over_own(path, &there)?;
            if state.objective.trim().is_empty() && !there.state.objective.trim().is_empty() {
                state.objective = there.state.objective;
                notes.push(format!("the objective is taken from {STATE_FILE}"));
            }
        }
        Ok((state, layout, notes))
    }

    /// What a state claims of earlier phases and nothing here shows: the user takes it over with the file.
    fn claims(&self, definition: &Definition, state: &State) -> Result<Vec<(Word, String)>, EngineError> {
        let traces = self.traces(definition, state)?;
        let reached = definition.position(&state.phase).unwrap_or(0);
        let mut claims = Vec::new();
        for phase in definition.phases.iter().take(reached).skip(1) {
            let id = &phase.id;
            let is_done = state.completed_phases.contains(id);
            if is_done && !traces.said.done.contains(id) && !shows_work(phase, &traces.signs) {
                claims.push((Word::Done, id.clone()));
            }
            let is_debated = traces.said.debated.contains(id)
                || shows_debate(definition, state, phase, &traces.signs, Record::Forges)
                || (state.debated_before.contains(id)
                    && shows_debate(definition, state, phase, &traces.signs, Record::Others));
            let is_named = state.debates.iter().any(|(owner, _)| owner == id);
            if is_done && is_named && phase.always_debates() && !is_debated {
                claims.push((Word::Debated, id.clone()));
            }
            let skips = state.skipped_debates.iter().any(|(skipped, _)| skipped == id);
            if skips && !traces.said.no_debate.contains(id) {
                claims.push((Word::NoDebate, id.clone()));
            }
            if state.rehearsed_phases.contains(id) && !traces.said.rehearsed.contains(id) {
                claims.push((Word::Rehearsal, id.clone()));
            }
        }
        Ok(claims)
    }

    /// Records as skipped what had to be debated in a workflow whose file does not list what is done, and nothing shows.
    fn skip_unseen(
        &self,
        definition: &Definition,
        state: &mut State,
        layout: Layout,
        log: &mut Log,
    ) -> Result<(), EngineError> {
        let signs = self.signs(definition, state, layout)?;
        for phase in definition.phases.iter().filter(|phase| phase.always_debates()) {
            let is_before = state.phase != phase.id && state.completed_phases.contains(&phase.id);
            let is_recorded = state.skipped_debates.iter().any(|(known, _)| *known == phase.id);
            if is_before && !is_recorded && !shows_debate(definition, state, phase, &signs, Record::Others) {
                let why = "done before forge came, and nothing shows it".to_owned();
                log.note(format!("nothing shows the debate of {}: it counts as skipped", phase.id));
                state.skipped_debates.push((phase.id.clone(), why));
            }
        }
        Ok(())
    }

    /// Takes over what a file claims on the word of whoever typed the command, and tells what that was.
    fn take_word_for(&self, definition: &Definition, state: &State, log: &mut Log) -> Result<(), EngineError> {
        let claims = self.claims(definition, state)?;
        for (word, phase) in &claims {
            self.keep_word(state, *word, phase)?;
        }
        for (Stranger { debate, what, .. }, files) in self.strangers(definition, state, &self.knowledge()?)? {
            self.adopt_debate(&files, None)?;
            log.note(format!("on your word: the debate {debate}, on which {what} rests; it was not made here"));
        }
        let decisions = self.not_shown(definition, state)?;
        self.keep_written(&decisions);
        for Decision { id, supersedes, .. } in &decisions {
            log.note(format!(
                "on your word: {id} supersedes {}, as {} says",
                supersedes.join(", "),
                Kind::Decision.file()
            ));
        }
        let named = |wanted: Word| -> Vec<&str> {
            claims.iter().filter(|(word, _)| *word == wanted).map(|(_, phase)| phase.as_str()).collect()
        };
        for (word, what) in [
            (Word::Done, "done"),
            (Word::Debated, "debated"),
            (Word::NoDebate, "left with --no-debate"),
            (Word::Rehearsal, "passed by a rehearsal"),
        ] {
            if !named(word).is_empty() {
                log.note(format!(
                    "on your word: {} {what}, as the file says; nothing here shows it",
                    named(word).join(", ")
                ));
            }
        }
        Ok(())
    }

    /// Keeps the state file as it is where nothing prunes it, and says where: it is about to be replaced.
    pub(super) fn copy_state_file(&self, log: &mut Log) -> Result<(), EngineError> {
        if self.disk.read(STATE_FILE)?.is_some() {
            let kept = self.copy_aside(STATE_FILE)?;
            log.did(format!("{STATE_FILE} as it was is kept as {kept}"));
        }
        Ok(())
    }

    /// The highest revision at which a workflow was ever written.
    pub(super) fn last_revision(&self, state: &State) -> Result<u64, EngineError> {
        let all = self.readable_snapshots()?;
        let same = all.iter().map(|(_, known)| known).filter(|known| known.workflow_id == state.workflow_id);
        let mut last = same.map(|known| known.revision).max().unwrap_or(0).max(state.revision);
        if let Some(bytes) = self.disk.read(&archive::record_path(&state.workflow_id))?
            && let active_workflow::Read::State { state: record, .. } =
                active_workflow::read(&document::decode(&bytes).text)
        {
            last = last.max(record.revision);
        }
        Ok(last)
    }
}

fn lists_what_is_done(text: &str) -> bool {
    matches!(active_workflow::read(text), active_workflow::Read::State { has_completed: true, .. })
}

/// A workflow that forge keeps is not given up for what another file says.
fn refuse_over_own(path: &str, there: &There) -> Result<(), EngineError> {
    if there.layout != Layout::Ours || !there.state.is_open() {
        return Ok(());
    }
    let (id, phase) = (&there.state.workflow_id, &there.state.phase);
    let objective = shortened(&there.state.objective, OBJECTIVE_CHARS);
    Err(EngineError::Usage(format!(
        "{id} ({objective}) is under way in phase {phase}, and {path} would take its place. If that is meant: forge save && rm {STATE_FILE} && forge restore --adopt {path}"
    )))
}
