//! Kill-switch criteria: which there are, which are due, which have tripped; and reopening the decision of one that has.
//!
//! A command stands in a file that a model may have written. It runs only when the user says so for this very call, and
//! only if `forge tripwires` shows it as it is: in the workspace, with a limit on its time, without the user's keys in
//! its environment. What it prints is shown without keys, and so is the criterion: one whose command holds a key never runs.

use super::read::Keys;
use super::{Drive, Log, Progress, Standing, Until};
use crate::workspace::{EngineError, Workspace};
use forge_agents::bounded::{self, Ended};
use forge_debate::plan::nearest;
use forge_prose::secrets::redacted;
use forge_workflow::knowledge::Kind;
use forge_workflow::next::touch;
use forge_workflow::state::DebateState;
use forge_workflow::tripwire::{Tripwire, tripwires};
use std::ffi::OsStr;
use std::process::Command;
use std::time::Duration;

/// How long one check may take.
const CHECK_LIMIT: Duration = Duration::from_secs(60);
/// The most bytes that are kept of each of its two outputs.
const OUTPUT_LIMIT_BYTES: usize = 16 * 1024;
/// What a command sees of our environment, besides `LC_*`: enough to find programs, and none of our keys.
const SEEN_VARIABLES: [&str; 6] = ["PATH", "HOME", "LANG", "TERM", "USER", "TMPDIR"];
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
    /// Its day has come: somebody has to look. With why its command gave no answer, where it was asked.
    Due(Option<String>),
    /// Its command says that all is well.
    Holds,
    /// Its command says that it is not, or somebody ticked its box; with how it shows.
    Tripped(String),
    /// It cannot be told.
    Unknown(String),
}

impl Checked {
    /// The word for machines.
    pub fn word(&self) -> &'static str {
        match self {
            Checked::Armed => "armed",
            Checked::Due(_) => "due",
            Checked::Holds => "holds",
            Checked::Tripped(_) => "tripped",
            Checked::Unknown(_) => "unknown",
        }
    }

    /// What there is to say about it.
    pub fn detail(&self) -> Option<&str> {
        match self {
            Checked::Tripped(text) | Checked::Unknown(text) => Some(text),
            Checked::Due(why) => why.as_deref(),
            Checked::Armed | Checked::Holds => None,
        }
    }

    /// Whether all is well, as far as was asked.
    pub fn is_well(&self) -> bool {
        matches!(self, Checked::Armed | Checked::Holds)
    }
}

/// Whether a criterion's command may see a variable.
fn may_see(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| SEEN_VARIABLES.contains(&name) || name.starts_with("LC_"))
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
    /// All criteria of decisions that stand, without what looks like a key. Changes nothing.
    pub fn tripwires(&self, commands: Commands) -> Result<Vec<TripwireReport>, EngineError> {
        let today = self.now().date;
        // As written: whether a command holds a key decides whether it may run.
        let mut all = tripwires(&self.knowledge_with(Keys::Kept)?);
        // What the record has besides stands, and only a command that can be seen in the file is run.
        let is_here = |one: &Tripwire| all.iter().any(|there| there.id == one.id);
        let besides: Vec<Tripwire> = tripwires(&self.decisions()?).into_iter().filter(|one| !is_here(one)).collect();
        all.extend(besides);
        // What reading takes away nobody has seen, and it would not be the command that stands there.
        let raw = self.disk.read(Kind::Decision.file())?.unwrap_or_default();
        let raw = String::from_utf8_lossy(&raw).into_owned();
        let reopened = match self.standing()? {
            Standing::There(there) => there.state.reopened_decision,
            _ => None,
        };
        let report = |mut tripwire: Tripwire| {
            if tripwire.command.as_ref().is_some_and(|command| !raw.contains(command.as_str())) {
                let why = format!("the command is never run: it does not stand like that in {}", Kind::Decision.file());
                tripwire.refusal.get_or_insert(why);
            }
            let checked = match &reopened {
                Some(decision) if *decision == tripwire.decision => {
                    Checked::Tripped(format!("{decision} is reopened, and a debate on it is called for"))
                }
                _ => self.check(&tripwire, &today, commands),
            };
            TripwireReport { checked, tripwire: tripwire.without_keys() }
        };
        Ok(all.into_iter().map(report).collect())
    }

    fn check(&self, tripwire: &Tripwire, today: &str, commands: Commands) -> Checked {
        if tripwire.ticked {
            return Checked::Tripped(format!("its box is ticked in {}", Kind::Decision.file()));
        }
        let is_due = tripwire.is_due(today);
        let Some(command) = tripwire.command.as_ref().filter(|_| commands == Commands::Run) else {
            return match &tripwire.unread_due {
                _ if is_due => Checked::Due(None),
                // A day that nobody can read would never come.
                Some(text) => Checked::Unknown(format!("{:?} is no day; write it as YYYY-MM-DD", redacted(text))),
                None => Checked::Armed,
            };
        };
        let answer = tripwire.refusal.clone().map_or_else(|| self.ask(command), Checked::Unknown);
        match answer {
            // Without an answer it is as if there were no command: the day counts.
            Checked::Unknown(why) if is_due => Checked::Due(Some(why)),
            answer => answer,
        }
    }

    /// Runs a criterion's command.
    fn ask(&self, command: &str) -> Checked {
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(command).current_dir(self.locks.root()).env_clear();
        shell.envs(std::env::vars_os().filter(|(name, _)| may_see(name)));
        let shown = |output: &str| redacted(output.trim());
        match bounded::run(shell, CHECK_LIMIT, OUTPUT_LIMIT_BYTES) {
            Ended::Exited { code: 0, .. } => Checked::Holds,
            Ended::Exited { code, output } if NOT_RUNNABLE.contains(&code) => {
                Checked::Unknown(format!("the command cannot be run: {}", shown(&output)))
            }
            Ended::Exited { code, output } if output.trim().is_empty() => Checked::Tripped(format!("exit {code}")),
            Ended::Exited { code, output } => Checked::Tripped(format!("exit {code}: {}", shown(&output))),
            Ended::NotStarted(why) => Checked::Unknown(format!("the command cannot be started: {why}")),
            Ended::Signalled { signal, .. } => Checked::Unknown(format!("the command was ended by signal {signal}")),
            Ended::TimedOut => Checked::Unknown(format!("no answer in {} seconds", CHECK_LIMIT.as_secs())),
            Ended::Lost(why) => Checked::Unknown(format!("how the command ended is not known: {why}")),
        }
    }

    /// Reopens the decision of a criterion that has tripped: the current phase is held until a debate on it is done.
    pub fn trip(&self, id: &str, drive: &Drive) -> Result<Progress, EngineError> {
        Log::telling(|log| {
            let _held = self.hold_existing()?;
            let mut state = self.load(log)?;
            self.keep_hourly()?;
            let all = tripwires(&self.decisions()?);
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
                log.did(format!("{} is reopened already", tripwire.decision));
            } else {
                if let Some(other) = &state.reopened_decision {
                    return Err(EngineError::Usage(format!("{other} is being debated again already; one at a time")));
                }
                self.keep()?;
                state.reopened_decision = Some(tripwire.decision.clone());
                state.debate = DebateState::default();
                touch(&mut state, &self.now());
                self.write_state(&state, log)?;
                self.keep()?;
                log.did(format!("{} tripped: {} is reopened", tripwire.id, tripwire.decision));
            }
            self.advance(state, drive, Until::Settled, log)
        })
    }
}
