//! Entering a phase because somebody says so: forward through the gates in between, or back when told.

use super::read::Counts;
use super::said::Word;
use super::standing::Standing;
use super::start::StartSettings;
use super::{Drive, Log, Progress, Until};
use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use forge_debate::verdict::Outcome;
use forge_prose::secrets::redacted;
use forge_workflow::definition::{Definition, Phase};
use forge_workflow::handoff;
use forge_workflow::next::{self, Step};
use forge_workflow::snapshot::DebateRead;
use forge_workflow::state::{DebateFlag, DebateState, DebateStatus, PhaseStatus, REVISIT, State, WorkflowStatus};

/// A phase to enter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The phase.
    pub phase: String,
    /// What it is for, if not what the workflow is for.
    pub objective: Option<String>,
    /// What is said about debating in it.
    pub flag: DebateFlag,
}

/// What came of entering.
#[derive(Debug, Clone, PartialEq)]
pub struct Entered {
    /// Where the workflow stands.
    pub progress: Progress,
    /// Whether the phase was reached; if not, the progress says what holds the one before it.
    pub reached: bool,
}

impl Workspace {
    /// Enters a phase: the current one, or a later one if everything before it is done.
    pub fn enter_phase(&self, entry: &Entry, drive: &Drive) -> Result<Entered, EngineError> {
        Log::telling(|log| {
            let definition = self.definition()?;
            let phase = known(&definition, &entry.phase)?;
            let objective =
                entry.objective.as_deref().map(|text| redacted(text.trim())).filter(|text| !text.is_empty());
            let objective = objective.as_deref();
            let open = match self.standing()? {
                Standing::There(there) => !definition.is_over(&there.state),
                Standing::Foreign(foreign) => return Err(EngineError::Usage(foreign.to_string())),
                Standing::Damaged { .. } => true,
                Standing::Absent => self.lost_workflow()?.is_some_and(|(state, _)| state.is_open()),
                Standing::Idle => false,
            };
            if !open {
                let (Some(1), Some(objective)) = (definition.position(&phase.id), objective) else {
                    return Err(EngineError::Usage(format!(
                        "there is no workflow here to enter {} in; begin one with `forge start \"<objective>\"`",
                        phase.id
                    )));
                };
                let start = StartSettings { objective: objective.to_owned(), abandon: false };
                *log = self.start_workflow(&start, drive)?.log;
            }
            let _held = self.hold_workflow()?;
            let mut state = self.load(log)?;
            self.keep_hourly()?;
            let (wanted, current) = (definition.position(&phase.id), definition.position(&state.phase));
            let is_left = wanted == current && state.phase_status == PhaseStatus::Completed;
            if wanted < current || is_left {
                return Err(EngineError::Usage(format!(
                    "{} is done; the workflow is {} {}. `forge continue --phase {}` goes back to it",
                    phase.id,
                    if is_left { "about to leave" } else { "in" },
                    state.phase,
                    phase.id
                )));
            }
            if wanted > current {
                let progress = self.advance(state, drive, Until::Entered(&phase.id), log)?;
                if progress.snapshot.state.phase != phase.id {
                    return Ok(Entered { progress, reached: false });
                }
                (state, *log) = (progress.snapshot.state, progress.log);
            }
            let is_blocked = state.phase_status == PhaseStatus::Blocked && state.debate.id.is_none();
            if state.status == WorkflowStatus::Paused || is_blocked {
                state = self.resume(state, log)?;
            }
            let own = objective.filter(|text| *text != state.objective.trim()).map(str::to_owned);
            if wanted == current && own.is_some() && own != state.phase_objective {
                let planned = state.debate.id.as_ref().filter(|_| state.debate.status != DebateStatus::Complete);
                let then =
                    planned.map(|id| format!("; its debate takes it over with: forge debate --regenerate --id {id}"));
                log.did(format!("took the objective over for {}{}", phase.id, then.unwrap_or_default()));
            }
            let state = self.say(state, entry.flag, own.as_deref(), log)?;
            let progress = self.advance(state, drive, Until::Settled, log)?;
            Ok(Entered { reached: true, progress })
        })
    }

    /// Goes on with a workflow that was paused, or called blocked.
    fn resume(&self, mut state: State, log: &mut Log) -> Result<State, EngineError> {
        let was = if state.status == WorkflowStatus::Paused { "paused" } else { "blocked" };
        if state.phase_status == PhaseStatus::Blocked && state.debate.id.is_none() {
            state.phase_status = PhaseStatus::InProgress;
        }
        state.status = WorkflowStatus::Active;
        next::touch(&mut state, &self.now());
        self.write_state(&state, log)?;
        log.did(format!("went on with {}, which was {was}", state.workflow_id));
        Ok(state)
    }

    /// Records what was said about the current phase.
    fn say(
        &self,
        before: State,
        flag: DebateFlag,
        objective: Option<&str>,
        log: &mut Log,
    ) -> Result<State, EngineError> {
        let mut state = before.clone();
        if let Some(objective) = objective {
            state.phase_objective = Some(objective.to_owned());
        }
        if flag != DebateFlag::Unsaid {
            // Asking for a debate after one is done asks for another; asking twice in a row does not, unless what was
            // held was a rehearsal. One that is gone or cannot be read is never asked about, however often it was asked for.
            let rehearsed = self.is_rehearsal(&before.debate)? && !before.rehearsed_phases.contains(&before.phase);
            let asks_again = before.debate_flag != DebateFlag::Forced || rehearsed;
            let done = before.debate.status == DebateStatus::Complete && asks_again;
            let another = done || !self.is_readable(&before.debate)? || self.came_to_nothing(&before.debate)?;
            if flag == DebateFlag::Forced && another {
                state.debate = DebateState::default();
            }
            state.debate_flag = flag;
            match flag {
                DebateFlag::Skipped => {
                    self.keep_word(&state, Word::NoDebate, &state.phase)?;
                    if state.phase_status != PhaseStatus::Completed {
                        self.drop_word(&state, Word::Done, &state.phase)?;
                    }
                }
                _ => self.drop_word(&state, Word::NoDebate, &state.phase)?,
            }
        }
        if !state.says_the_same(&before) {
            next::touch(&mut state, &self.now());
            self.write_state(&state, log)?;
            // What somebody said is nowhere else; a state file that is lost must not take it along.
            self.keep()?;
        }
        Ok(state)
    }

    fn is_readable(&self, debate: &DebateState) -> Result<bool, EngineError> {
        let Some(id) = &debate.id else { return Ok(true) };
        Ok(matches!(self.open_if_there(id)?, Some(Ok(_))))
    }

    /// Whether too few seats spoke: a plan keeps its limits, so the debate may never come to more.
    fn came_to_nothing(&self, debate: &DebateState) -> Result<bool, EngineError> {
        let Some(Some(Ok(files))) = debate.id.as_ref().map(|id| self.open_if_there(id)).transpose()? else {
            return Ok(false);
        };
        Ok(Survey::of(&files)?.verdict.is_some_and(|verdict| verdict.outcome() == Outcome::Insufficient))
    }

    fn is_rehearsal(&self, debate: &DebateState) -> Result<bool, EngineError> {
        let Some(id) = &debate.id else { return Ok(false) };
        Ok(matches!(self.open_if_there(id)?, Some(Ok(files)) if files.plan.is_rehearsal()))
    }

    /// Goes on in a phase: the current one, or an earlier one, to which it goes back. Handoffs from there on go to the
    /// archive; documents, debates and knowledge stay.
    pub fn continue_in(&self, phase: &str, drive: &Drive) -> Result<Progress, EngineError> {
        Log::telling(|log| {
            let definition = self.definition()?;
            let phase = known(&definition, phase)?;
            let _held = self.hold_existing()?;
            let state = self.load(log)?;
            self.keep_hourly()?;
            if definition.is_over(&state) {
                return Err(EngineError::Usage(format!(
                    "the workflow {} is {}; begin another with `forge start \"<objective>\"`",
                    state.workflow_id,
                    state.status.word()
                )));
            }
            let wanted = definition.position(&phase.id);
            let current = definition.position(&state.phase);
            if current.is_some() && wanted > current {
                return Err(EngineError::Usage(format!(
                    "{} comes after {}, and no phase is skipped; `forge {}` goes on to it when what is between is done",
                    phase.id, state.phase, phase.id
                )));
            }
            // One that is listed as done, or has phases after it that are, is gone back to.
            let is_done = |id: &String| definition.position(id).is_some_and(|at| Some(at) >= wanted);
            let is_here = wanted == current
                && !state.completed_phases.iter().any(is_done)
                && state.phase_status != PhaseStatus::Completed
                && state.status != WorkflowStatus::Completed;
            let state = if is_here { state } else { self.go_back(&definition, phase, state, drive, log)? };
            self.advance(state, drive, Until::Settled, log)
        })
    }

    fn go_back(
        &self,
        definition: &Definition,
        phase: &Phase,
        state: State,
        drive: &Drive,
        log: &mut Log,
    ) -> Result<State, EngineError> {
        let from = definition.position(&phase.id).unwrap_or(0);
        let snapshot = self.snapshot(definition, state, drive, Counts::OnRecord)?;
        let now = self.now();
        self.keep()?;
        let mut step: Step = next::enter(&snapshot, phase, None, DebateFlag::Unsaid, &now);
        let before: Vec<&str> = definition.phases.iter().take(from).map(|phase| phase.id.as_str()).collect();
        step.state.completed_phases.retain(|done| before.contains(&done.as_str()));
        let own = step.state.debates.iter().rev().find(|(owner, _)| *owner == phase.id).map(|(_, id)| id.clone());
        if let Some(id) = own {
            step.state.debate = DebateState { id: Some(id), phase: Some(phase.id.clone()), ..DebateState::default() };
        }
        step.state
            .blocked_tasks
            .push((REVISIT.to_owned(), "the phase was gone back to: change what you came for".to_owned()));
        for pair in definition.phases.windows(2).skip(from) {
            let [leaving, entering] = pair else { continue };
            let path = handoff::path(&leaving.id, &entering.id);
            if self.disk.read(&path)?.is_some() {
                let kept = self.move_to_archive(&path, &step.state.workflow_id)?;
                log.did(format!("{path} is kept as {kept}"));
            }
        }
        for later in definition.phases.iter().skip(from) {
            self.drop_word(&step.state, Word::NoDebate, &later.id)?;
            self.drop_word(&step.state, Word::Done, &later.id)?;
        }
        log.did(format!("went back to {}", phase.id));
        let snapshot = forge_workflow::snapshot::Snapshot { debate: DebateRead::None, ..snapshot };
        let state = self.apply(&snapshot, &step, drive, &now, log)?;
        self.keep()?;
        Ok(state)
    }
}

fn known<'d>(definition: &'d Definition, id: &str) -> Result<&'d Phase, EngineError> {
    definition.phase(id).ok_or_else(|| {
        let all: Vec<&str> = definition.phases.iter().map(|phase| phase.id.as_str()).collect();
        let hint = definition.nearest(id).map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
        EngineError::Usage(format!("this workflow has no phase {id:?}; it has {}{hint}", all.join(", ")))
    })
}
