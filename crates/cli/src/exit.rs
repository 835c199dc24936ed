//! Exit codes. Public: scripts depend on them.

use forge_artifacts::disk::DiskError;
use forge_artifacts::store::OpenError;
use forge_debate::verdict::Outcome;
use forge_engine::{EngineError, Refused};
use std::process::ExitCode;

/// How the process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Consensus or decided, gate passed, command did its job.
    Done = 0,
    /// forge itself failed; what was recorded is safe.
    Failed = 1,
    /// Bad flags, bad plan, bad config.
    Usage = 2,
    /// A gate is not passed, or outside seats have not written yet.
    Blocked = 3,
    /// Contested or tradeoff: a person must decide.
    Contested = 4,
    /// No agent, or too few, could answer.
    Insufficient = 5,
    /// Another forge holds this debate.
    Busy = 6,
    /// A record, or a file that it was made from, is not what it was, or is gone.
    DoesNotHold = 7,
    /// Stopped by Ctrl-C or SIGTERM; the same command goes on.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

impl From<Outcome> for Exit {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Consensus | Outcome::Decided => Exit::Done,
            Outcome::Contested | Outcome::Tradeoff => Exit::Contested,
            Outcome::Blocked => Exit::Blocked,
            Outcome::Insufficient => Exit::Insufficient,
        }
    }
}

impl From<&EngineError> for Exit {
    fn from(error: &EngineError) -> Self {
        match error {
            EngineError::Disk(error) | EngineError::Open(OpenError::Disk(error)) => disk(error),
            EngineError::Find(forge_artifacts::catalog::FindError::Disk(error)) => disk(error),
            EngineError::Open(error) if error.is_of_the_record() => Exit::DoesNotHold,
            EngineError::Find(forge_artifacts::catalog::FindError::PlanGone { .. }) => Exit::DoesNotHold,
            EngineError::Open(_)
            | EngineError::Find(_)
            | EngineError::Prompt(_)
            | EngineError::Agent { .. }
            | EngineError::Usage(_) => Exit::Usage,
            EngineError::Turn(refused) => match refused.as_ref() {
                Refused::FormMissed { .. } | Refused::UnknownSeat { .. } => Exit::Usage,
                Refused::NotOpen { .. } => Exit::Blocked,
                Refused::OtherText { .. } => Exit::DoesNotHold,
            },
            EngineError::NotAsTyped { .. } | EngineError::NotAsHeld { .. } | EngineError::Looser { .. } => Exit::Usage,
            EngineError::NobodyAnswers { .. } | EngineError::NoRehearsal { .. } => Exit::Insufficient,
            EngineError::Busy { .. } => Exit::Busy,
            EngineError::Contradicted { .. } => Exit::DoesNotHold,
            EngineError::Midway { error, .. } => Exit::from(error.as_ref()),
            EngineError::Bug(_) => Exit::Failed,
        }
    }
}

/// A path that leads out of the workspace or to something that is no file is a mistake in what was given; everything
/// else is the disk's.
pub(crate) fn is_bad_input(error: &DiskError) -> bool {
    match error {
        error if error.is_about_one_file() => true,
        DiskError::Io { source, .. } => {
            matches!(source.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
        }
        _ => false,
    }
}

fn disk(error: &DiskError) -> Exit {
    if is_bad_input(error) { Exit::Usage } else { Exit::Failed }
}
