//! The keeper: a small process of forge's own between forge and a program that answers.
//!
//! It starts the program in a session and process group of its own, holds it in the sandbox, drains both outputs, keeps the
//! deadlines, ends it (TERM to the group, grace, KILL) and sweeps whatever it has left behind, also what has left the group:
//! orphans come to the keeper, since it is their subreaper. It ends itself, and all of that with it, when forge's end of its
//! standard input closes, which the kernel does however forge dies.
//!
//! Promises: when [`Keeper::run`] or [`Ending::end`] comes back, nothing that the program has started runs any more, as far
//! as this user may end it; when either is dropped, the same is true soon after, and [`all_ended`] waits for it.
//!
//! Never: shows a job, or puts it into an argument list or a file; it holds keys. Never signals what is not its own.
//!
//! If forge dies, by any signal: the keeper sees its input closed, and ends everything as for a call that was dropped. If
//! the keeper itself is killed: the kernel kills the program with it, and forge finds what the program has started by the
//! mark in its environment, and ends that. If both are killed: the kernel kills the program, and the next run of forge ends
//! the rest ([`end_what_killed_runs_left`]); until then it runs. The keeper's name in a listing has nothing of forge's, so
//! that `pkill forge` leaves it to its work. What has emptied its environment, or taken on another user, is not found. Only
//! Linux can do any of this but the first; elsewhere there is the session and the group alone, and what has left the group
//! is not found.
//!
//! Read in this order: `call` (forge's side), `serve` and `watch` (the keeper's), `stage` (what becomes the program), then
//! `sweep`, `mark` and `stray` (who is ended, and how it is known).

mod call;
pub(crate) mod mark;
mod sandbox;
mod scratch;
mod serve;
mod stage;
mod stray;
mod sweep;
mod watch;
mod wire;

pub use call::{Conversation, Ending, all_ended};
pub use mark::VARIABLE as MARK_VARIABLE;
pub use stray::{end_what_killed_runs_left, what_was_ended};

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// The first argument by which a program knows that it is asked to be a keeper.
pub const KEEPER_ARGUMENT: &str = "__keeper";

/// What a keeper is called in a listing of processes: not as forge is, so that whoever ends forge by its name leaves the
/// keeper to end the rest.
const NAME: &str = "seat-keeper";

/// How a keeper is started: a program that calls [`serve_if_asked`] first thing in its `main`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keeper {
    /// The program, usually forge itself.
    pub program: PathBuf,
}

impl Keeper {
    /// The running program as its own keeper: it must call [`serve_if_asked`]. On Linux it is the very same program even
    /// where its file has been replaced since, so that both ends always understand each other.
    pub fn this_program() -> std::io::Result<Self> {
        let running = PathBuf::from("/proc/self/exe");
        let program = if cfg!(target_os = "linux") && running.exists() { running } else { std::env::current_exe()? };
        Ok(Self { program })
    }
}

/// A program to be run.
#[derive(Clone, PartialEq, Eq)]
pub struct Job {
    /// The program, as an absolute path.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its whole environment but for [`MARK_VARIABLE`], which is added; nothing is inherited. May hold keys: never shown,
    /// never in an argument list.
    pub environment: Vec<(OsString, OsString)>,
    /// Where it runs.
    pub folder: PathBuf,
    /// What it may write besides its folder.
    pub writable: Vec<PathBuf>,
    /// What it may not read, where the kernel can refuse that.
    pub hidden: Hidden,
    /// Whether it is held in the kernel's sandbox.
    pub sandbox: Sandbox,
    /// A folder that is removed when everything has ended, also where forge is gone by then.
    pub scratch: Option<PathBuf>,
    /// Its limits.
    pub limits: Limits,
}

/// Shows what may be shown: of the environment only the names.
impl std::fmt::Debug for Job {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&OsString> = self.environment.iter().map(|(name, _)| name).collect();
        to.debug_struct("Job")
            .field("program", &self.program)
            .field("arguments", &self.arguments)
            .field("environment", &names)
            .field("folder", &self.folder)
            .field("writable", &self.writable)
            .field("hidden", &self.hidden)
            .field("sandbox", &self.sandbox)
            .field("scratch", &self.scratch)
            .field("limits", &self.limits)
            .finish()
    }
}

/// What a program has no business reading; whole paths, without links.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hidden {
    /// Files and folders with keys and logins.
    pub keys: Vec<PathBuf>,
    /// The workspace.
    pub workspace: Option<PathBuf>,
}

/// Whether a program is held in the kernel's sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Sandbox {
    /// Wherever the kernel has one.
    #[default]
    WherePossible,
    /// Not at all: the user's own configuration says so.
    Off,
}

/// What bounds a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// How long until its first byte on either output.
    pub first_byte: Duration,
    /// The longest silence after that.
    pub idle: Duration,
    /// How long in all.
    pub total: Duration,
    /// How long between TERM and KILL.
    pub grace: Duration,
    /// The most bytes of standard output; more ends the program.
    pub stdout_bytes: usize,
    /// The most bytes of standard error that are kept; more is read and dropped.
    pub stderr_bytes: usize,
}

/// What became of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// How it ended.
    pub how: How,
    /// What it printed. Empty in a conversation, where the caller read it.
    pub stdout: Vec<u8>,
    /// What was kept of its complaints.
    pub stderr: Vec<u8>,
    /// What the sandbox was, in words for the receipt.
    pub sandbox: String,
    /// Processes that it left behind and that were ended, by name.
    pub left_behind: Vec<String>,
    /// Whether something it left behind still held an output open after it had ended.
    pub leaked_pipe: bool,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum How {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal that was not ours.
    Signalled(i32),
    /// It printed nothing in time and was ended.
    NeverSpoke,
    /// It fell silent and was ended.
    FellSilent,
    /// Its time was up and it was ended.
    OutOfTime,
    /// It printed too much and was ended.
    Flooded,
    /// It could not be started: why.
    NotStarted(String),
    /// The keeper was lost: why. What ran under it was ended by the kernel, and by its mark.
    Lost(String),
}

/// If this process was started to be a keeper, is one, and says with which code to end. Call it first in `main`, before
/// any thread is started.
pub fn serve_if_asked() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != KEEPER_ARGUMENT {
        return None;
    }
    Some(match arguments.next() {
        None => serve::serve(),
        Some(asked) if asked == serve::STAGE_ARGUMENT => stage::become_program(arguments.next()),
        Some(_) => ExitCode::FAILURE,
    })
}
