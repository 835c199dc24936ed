//! Workflows: read everything once, let [`next`](forge_workflow::next::next) decide, apply its moves, the state file
//! last; again until there is nothing to do.
//!
//! Promises: never asks an agent (only `hold_debate` does, when told to); never prompts; running it twice is running it
//! once; what people wrote is not changed.
//!
//! If the process dies here: every move may be made again. A document is there whole or not at all, knowledge is merged by
//! identity, a debate is found by its occasion, and the state file says what was true before or after.

mod adopt;
mod apply;
mod archive;
mod enter;
mod evidence;
mod gone;
mod keep;
mod log;
mod missed;
mod overview;
mod read;
pub(crate) use read::AskedFor;
mod reattach;
mod recorded;
mod recover;
mod said;
mod stakes;
mod standing;
mod start;
mod taken_over;
mod task;
mod tripwire;

pub use enter::{Entered, Entry};
pub use keep::{Kept, Restored};
pub use log::Log;
pub use overview::{Coming, NoWorkflow, Overview};
use read::Counts;
use said::Word;
pub use standing::{Foreign, Standing, There};
pub use start::StartSettings;
pub use task::TaskWord;
pub use tripwire::{Checked, Commands, TripwireReport};

use crate::config::DebateDefaults;
use crate::event::{Event, Watch};
use crate::run::{Calls, Run, RunEnd, RunSettings};
use crate::survey::Survey;
use crate::vote;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::Disk;
use forge_artifacts::lock::Lock;
use forge_artifacts::store::DebateFiles;
use forge_debate::plan::Hand;
use forge_debate::turn::TurnKey;
use forge_prose::secrets::redacted;
use forge_workflow::definition::Definition;
use forge_workflow::next::{Step, next};
use forge_workflow::snapshot::{Framing, Now, Rehearsals, Snapshot};
use forge_workflow::state::{DebateStatus, PhaseStatus, State};
use futures_util::FutureExt as _;
use std::sync::{Mutex, PoisonError};

/// Where a project's own phases are.
pub const DEFINITION_FILE: &str = "workflows/forge-workflow.json";
const LOCK_FILE: &str = ".claude/forge/workflow.lock";
/// It is held for moments only; a hook that runs at the same time is waited for.
const LOCK_TRIES: usize = 50;
/// A workflow moves at most this often in one command; more means that something does not settle.
const STEPS_LIMIT: usize = 400;

/// How a workflow is driven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drive {
    /// What debates that are planned now are: limits, timeouts, and who moves particular seats.
    pub defaults: DebateDefaults,
    /// Who moves the seats that nothing else is said about.
    pub hand: Hand,
    /// Whether a rehearsal may pass a gate.
    pub rehearsals: Rehearsals,
    /// Who lists a debate's options.
    pub framing: Framing,
    /// Whether seats are told where their briefs are as soon as the debate is planned: sessions of an orchestrator
    /// need them at once.
    pub briefs_at_once: bool,
    /// The git branch, where it is known.
    pub branch: Option<String>,
    /// The issue, where it is known.
    pub issue: Option<String>,
}

impl Drive {
    /// What is to be said where the state file and git name different branches: the file's stays.
    fn other_branch(&self, state: &State) -> Option<String> {
        let (here, said) = (self.branch.as_deref()?, state.branch.as_deref()?);
        (here != said).then(|| format!("the workflow is on the branch {said}, and git is on {here}"))
    }
}

impl Default for Drive {
    fn default() -> Self {
        Self {
            defaults: DebateDefaults::of_forge(),
            hand: Hand::Outside,
            rehearsals: Rehearsals::Refused,
            framing: Framing::ByPeople,
            briefs_at_once: false,
            branch: None,
            issue: None,
        }
    }
}

/// Where a workflow stands after a command.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// What was read last.
    pub snapshot: Snapshot,
    /// What it comes to: no moves are left, only what is waited for.
    pub step: Step,
    /// What was done, and what was noticed.
    pub log: Log,
    /// The phase that was entered by it, if one was.
    pub entered: Option<String>,
}

/// How far a command goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until<'p> {
    /// As far as it can.
    Settled,
    /// Until a phase is entered.
    Entered(&'p str),
    /// Until the current phase is left.
    Left,
}

impl Until<'_> {
    fn is_reached(self, state: &State) -> bool {
        match self {
            Until::Settled => false,
            Until::Entered(phase) => state.phase == phase && state.phase_status != PhaseStatus::Completed,
            Until::Left => state.phase_status == PhaseStatus::Completed,
        }
    }
}

impl Workspace {
    /// Goes on with the workflow as far as it goes by itself.
    pub fn continue_workflow(&self, drive: &Drive) -> Result<Progress, EngineError> {
        Log::telling(|log| {
            let _held = self.hold_existing()?;
            let state = self.load(log)?;
            self.keep_hourly()?;
            self.advance(state, drive, Until::Settled, log)
        })
    }

    /// Reveals the sealed votes of the current phase's debate whose words are in this folder, if everybody has voted, and
    /// tells what it did. What it cannot reveal is left to whoever can.
    pub fn reveal_open_votes(&self, vault: &dyn Disk) -> Result<Vec<String>, EngineError> {
        let Standing::There(there) = self.standing()? else { return Ok(Vec::new()) };
        let Some(id) = there.state.debate.id else { return Ok(Vec::new()) };
        let Some(Ok(files)) = self.open_if_there(&id)? else { return Ok(Vec::new()) };
        if !vote::is_any_sealed(&files)? {
            return Ok(Vec::new());
        }
        match self.reveal(&files.plan.id, vault) {
            Ok(unsealed) => {
                let told = |(key, file): &(TurnKey, String)| format!("the vote of {key} is revealed in {file}");
                Ok(unsealed.revealed.iter().map(told).collect())
            }
            // Nothing to reveal, or whoever holds the debate does it.
            Err(EngineError::Usage(_) | EngineError::Busy { .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Runs the open debate of the current phase with the agents of its plan, or with `hand` in every seat if nobody
    /// has spoken. The workflow itself is not held meanwhile.
    pub async fn hold_debate(
        &self,
        debate: &str,
        hand: Option<&Hand>,
        settings: RunSettings,
        watch: &dyn Watch,
    ) -> Result<RunEnd, EngineError> {
        let files = match hand {
            Some(hand) => self.reseat(debate, hand)?,
            None => self.open(debate)?,
        };
        Run::new(self, settings, watch).opened(files).await
    }

    /// Moves until nothing is left to do, or until it is far enough.
    pub(crate) fn advance(
        &self,
        mut state: State,
        drive: &Drive,
        until: Until<'_>,
        log: &mut Log,
    ) -> Result<Progress, EngineError> {
        let definition = self.definition()?;
        let before = state.phase.clone();
        for _ in 0..STEPS_LIMIT {
            log.done.extend(self.take_in_turns(&state, drive)?);
            let snapshot = self.snapshot(&definition, state.clone(), drive, Counts::OnRecord)?;
            let now = self.now();
            let step = next(&snapshot, &now);
            let entered = Some(state.phase.clone()).filter(|phase| *phase != before);
            let is_settled = step.moves.is_empty() && step.state.says_the_same(&state);
            if until.is_reached(&state) || is_settled {
                drive.other_branch(&state).into_iter().for_each(|note| log.note(note));
                self.keep_notes(&snapshot, &step)?;
            }
            if until.is_reached(&state) {
                return Ok(Progress { snapshot, step, log: std::mem::take(log), entered });
            }
            log.done.extend(step.said.iter().cloned());
            step.notes.iter().for_each(|note| log.note(note));
            if is_settled {
                return Ok(Progress { snapshot, step, log: std::mem::take(log), entered });
            }
            if step.state.phase_status == PhaseStatus::Completed {
                // The next look is at the next phase's documents.
                snapshot.unclear().for_each(|one| log.note(format!("{}:{}: {}", one.file, one.line, one.text)));
            }
            if drive.rehearsals == Rehearsals::Allowed && step.state.rehearsed_phases.contains(&state.phase) {
                self.keep_word(&state, Word::Rehearsal, &state.phase)?;
            }
            let is_left =
                step.state.phase_status == PhaseStatus::Completed && state.phase_status != PhaseStatus::Completed;
            state = self.apply(&snapshot, &step, drive, &now, log)?;
            if is_left {
                // Its handoff shows it too; this is for one that is deleted. What was said of the phase is used up by it.
                let _ = self.keep_word(&state, Word::Done, &state.phase);
            }
        }
        Err(EngineError::Bug(format!("{} does not settle after {STEPS_LIMIT} steps", state.workflow_id)))
    }

    /// Takes in what sessions and people left at their places, and tells what it was. Asks nobody.
    fn take_in_turns(&self, state: &State, drive: &Drive) -> Result<Vec<String>, EngineError> {
        let Some(id) = &state.debate.id else { return Ok(Vec::new()) };
        if state.debate.status == DebateStatus::Complete && state.debate.gate_passed {
            return Ok(Vec::new());
        }
        let Some(files) = self.open_if_there(id)? else { return Ok(Vec::new()) };
        let Ok(files) = files else { return Ok(Vec::new()) };
        if Survey::of(&files)?.verdict.is_some_and(|verdict| verdict.decision.is_some()) {
            self.refuse_found_decision(&files)?;
        }
        if !(drive.briefs_at_once || self.has_something_to_take_in(&files, state.debate.status)?) {
            return Ok(Vec::new());
        }
        self.close_waves(files)
    }

    /// Takes in every wave of a debate that is complete, and tells what it took in. Asks nobody.
    pub(crate) fn close_waves(&self, files: DebateFiles) -> Result<Vec<String>, EngineError> {
        let settings = RunSettings { calls: Calls::None, tidies_up: true, ..RunSettings::default() };
        let seen = Seen::default();
        let run = Run::new(self, settings, &seen).revealing(self.vault.as_deref());
        let ended = run.opened(files).now_or_never();
        match ended {
            // Whoever holds the debate takes them in.
            Some(Ok(_) | Err(EngineError::Busy { .. })) => Ok(seen.said()),
            Some(Err(error)) => Log::telling(|log| {
                log.done = seen.said();
                Err(error)
            }),
            None => Err(EngineError::Bug("taking in turns waited for somebody".to_owned())),
        }
    }

    /// The same after something was handed in that stands whatever else is wrong: that is told, and no failure.
    pub(crate) fn close_waves_after(&self, files: DebateFiles) -> Result<Vec<String>, EngineError> {
        match self.close_waves(files) {
            Err(EngineError::Usage(text)) => Ok(vec![text]),
            Err(error @ (EngineError::NotAsHeld { .. } | EngineError::Looser { .. })) => Ok(vec![error.to_string()]),
            Err(EngineError::Midway { error, done })
                if matches!(*error, EngineError::NotAsHeld { .. } | EngineError::Looser { .. }) =>
            {
                Ok(done.into_iter().chain([error.to_string()]).collect())
            }
            other => other,
        }
    }

    /// The project's phases, or the ten.
    pub fn definition(&self) -> Result<Definition, EngineError> {
        use forge_artifacts::formats::workflow_file;
        let Some(bytes) = self.disk.read(DEFINITION_FILE)? else { return Ok(workflow_file::ten()) };
        let decoded = forge_artifacts::document::decode(&bytes);
        if let Some(problem) = decoded.problems.first() {
            return Err(EngineError::Usage(format!("{DEFINITION_FILE}: line {}: {}", problem.line, problem.text)));
        }
        workflow_file::read(&redacted(&decoded.text))
            .map_err(|defect| EngineError::Usage(format!("{DEFINITION_FILE}: {defect}")))
    }

    /// Holds the workflow that is here. A folder without one is left as it is.
    pub(crate) fn hold_existing(&self) -> Result<Lock, EngineError> {
        self.expect_workflow()?;
        self.hold_workflow()
    }

    /// Holds the workflow against every other forge until dropped.
    pub(crate) fn hold_workflow(&self) -> Result<Lock, EngineError> {
        self.ignore_own_files()?;
        self.lock_with_patience(LOCK_FILE, "this workflow", LOCK_TRIES)
    }

    pub(crate) fn now(&self) -> Now {
        let stamp = (self.clock)();
        Now { stamp: stamp.to_string(), date: stamp.date() }
    }
}

/// What a run took in or left alone, in words.
#[derive(Debug, Default)]
struct Seen(Mutex<Vec<String>>);

impl Seen {
    fn said(self) -> Vec<String> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Seen {
    fn see(&self, event: Event) {
        let said = match event {
            Event::TakenIn { file, .. } => format!("took in {file}"),
            Event::Note(note) => note,
            _ => return,
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(said);
    }
}
