//! Kill-switch criteria: which there are, which are due, which have tripped; and reopening the decision of one that has.
//!
//! A command stands in a file that a model may have written. It runs only when the user says so for this very call, in
//! the workspace, with a limit on its time; `forge tripwires` shows it first.

use super::{Drive, Progress, Until};
use crate::workspace::{EngineError, Workspace};
use forge_agents::bounded::{self, Ended};
use forge_debate::plan::nearest;
use forge_workflow::next::touch;
use forge_workflow::state::DebateState;
use forge_workflow::tripwire::{Tripwire, tripwires};
use std::process::Command;
use std::time::Duration;

/// How long one check may take.
const CHECK_LIMIT: Duration = Duration::from_secs(60);
const OUTPUT_LIMIT_BYTES: u64 = 16 * 1024;
/// A shell's codes for a program that is not there or cannot be run.
const NOT_RUNNABLE: [i32; 2] = [126, 127];

/// Whether commands of criteria are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Commands {
    /// They are shown.
    Shown,
    /// They are run: the user said so.
    Run,
}

/// How a criterion stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Checked {
    /// Nothing speaks against it, and nothing was checked.
    Armed,
    /// Its day has come: somebody has to look.
    Due,
    /// Its command says that all is well.
    Holds,
    /// Its command says that it is not; with what it printed.
    Tripped(String),
    /// It cannot be told.
    Unknown(String),
}

impl Checked {
    /// The word for machines.
    pub fn word(&self) -> &'static str {
        match self {
            Checked::Armed => "armed",
            Checked::Due => "due",
            Checked::Holds => "holds",
            Checked::Tripped(_) => "tripped",
            Checked::Unknown(_) => "unknown",
        }
    }
}

/// One criterion with how it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TripwireReport {
    /// The criterion.
    pub tripwire: Tripwire,
    /// How it stands.
    pub checked: Checked,
}

impl Workspace {
    /// All criteria of decisions that stand. Changes nothing.
    pub fn tripwires(&self, commands: Commands) -> Result<Vec<TripwireReport>, EngineError> {
        let today = self.now().date;
        let all = tripwires(&self.knowledge()?);
        Ok(all
            .into_iter()
            .map(|tripwire| TripwireReport { checked: self.check(&tripwire, &today, commands), tripwire })
            .collect())
    }

    fn check(&self, tripwire: &Tripwire, today: &str, commands: Commands) -> Checked {
        if let (Some(command), Commands::Run) = (&tripwire.command, commands) {
            let mut shell = Command::new("/bin/sh");
            shell.arg("-c").arg(command).current_dir(self.locks.root());
            return match bounded::run(shell, CHECK_LIMIT, OUTPUT_LIMIT_BYTES) {
                Ended::Exited { code: 0, .. } => Checked::Holds,
                Ended::Exited { code, output } if NOT_RUNNABLE.contains(&code) => {
                    Checked::Unknown(format!("the command cannot be run: {}", output.trim()))
                }
                Ended::Exited { code, output } if output.trim().is_empty() => Checked::Tripped(format!("exit {code}")),
                Ended::Exited { code, output } => Checked::Tripped(format!("exit {code}: {}", output.trim())),
                Ended::NotStarted(why) => Checked::Unknown(why),
                Ended::Signalled { signal, .. } => {
                    Checked::Unknown(format!("the command was ended by signal {signal}"))
                }
                Ended::TimedOut => Checked::Unknown(format!("no answer in {} seconds", CHECK_LIMIT.as_secs())),
            };
        }
        if tripwire.is_due(today) { Checked::Due } else { Checked::Armed }
    }

    /// Reopens the decision of a criterion that has tripped: the current phase is held until a debate on it is done.
    pub fn trip(&self, id: &str, drive: &Drive) -> Result<Progress, EngineError> {
        let _held = self.hold_existing()?;
        let mut said = Vec::new();
        let mut state = self.load(&mut said)?;
        self.keep_hourly()?;
        let all = tripwires(&self.knowledge()?);
        let Some(tripwire) = all.iter().find(|one| one.id == id.trim()) else {
            let hint = nearest(id, all.iter().map(|one| one.id.as_str()))
                .map(|near| format!("; did you mean {near:?}?"))
                .unwrap_or_else(|| ".".to_owned());
            return Err(EngineError::Usage(format!(
                "no decision that stands has a kill-switch criterion {id:?}{hint} `forge tripwires` lists them"
            )));
        };
        if !state.is_open() {
            return Err(EngineError::Usage(format!(
                "the workflow {} is {}; `forge start` begins one in which {} can be debated again",
                state.workflow_id,
                state.status.word(),
                tripwire.decision
            )));
        }
        if state.reopened_decision.as_deref() == Some(&tripwire.decision) {
            said.push(format!("{} is reopened already", tripwire.decision));
        } else {
            if let Some(other) = &state.reopened_decision {
                return Err(EngineError::Usage(format!("{other} is being debated again already; one at a time")));
            }
            self.keep()?;
            state.reopened_decision = Some(tripwire.decision.clone());
            state.debate = DebateState::default();
            touch(&mut state, &self.now());
            self.write_state(&state)?;
            self.keep()?;
            said.push(format!("{} tripped: {} is reopened", tripwire.id, tripwire.decision));
        }
        self.advance(state, drive, Until::Settled, said)
    }
}
