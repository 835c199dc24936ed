//! Runs a program that must end: in time, with little output kept, and with everything that it started.
//!
//! Promises: once the program is started, it returns [`GRACE`] after `limit` at the latest; keeps no more than the first
//! `output_limit` bytes of each output, and reads on, so that no program ends because it prints much; gives the program
//! nothing to read; ends its whole process group, however the program itself ended.
//!
//! What it cannot: end what has left the process group (`setsid`). Such a process is not waited for longer than
//! [`GRACE`]. Where somebody else has reaped the program, its group is left alone: the number may be another's by then.
//!
//! If the process dies here: the program is left running, and nobody ends it.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::{ErrorKind, Read};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often it is looked whether the program has ended.
const LOOK_PAUSE: Duration = Duration::from_millis(5);

/// How long it may take until what was killed is gone, and its outputs are closed.
pub const GRACE: Duration = Duration::from_millis(200);

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Exited {
        /// Its code.
        code: i32,
        /// What was kept of both outputs, joined.
        output: String,
    },
    /// It could not be started.
    NotStarted(String),
    /// By a signal that was not ours.
    Signalled {
        /// The signal.
        signal: i32,
        /// What was kept of both outputs, joined.
        output: String,
    },
    /// Its time was up.
    TimedOut,
    /// It was started, and how it ended cannot be told.
    Lost(String),
}

/// Which of a program's outputs are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Both, joined.
    Both,
    /// What it prints, without its complaints.
    Stdout,
}

/// Runs a program to its end.
pub fn run(command: Command, limit: Duration, output_limit: usize) -> Ended {
    run_keeping(command, limit, output_limit, Kept::Both)
}

/// Runs a program to its end, and keeps these of its outputs.
pub fn run_keeping(mut command: Command, limit: Duration, output_limit: usize, kept: Kept) -> Ended {
    let deadline = Instant::now() + limit;
    let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) => return Ended::NotStarted(error.to_string()),
    };
    let stdout = child.stdout.take().map(|output| Output::follow(output, output_limit));
    let stderr = child.stderr.take().map(|output| Output::follow(output, output_limit));
    let waited = wait(&child, deadline);
    let grace = Instant::now() + GRACE;
    if waited != Err(Errno::CHILD) {
        end_group(&child);
    }
    match waited {
        Ok(Waited::Over) => {}
        Ok(Waited::TimeIsUp) => {
            reap(&mut child, grace);
            return Ended::TimedOut;
        }
        Err(error) => {
            reap(&mut child, grace);
            return Ended::Lost(format!("it cannot be waited for: {error}"));
        }
    }
    let Some(status) = reap(&mut child, grace) else {
        return Ended::Lost("it has ended, and its status cannot be read".to_owned());
    };
    let stderr = stderr.filter(|_| kept == Kept::Both);
    let output: String = [stdout, stderr].into_iter().flatten().map(|output| output.text(grace)).collect();
    match status.code() {
        Some(code) => Ended::Exited { code, output },
        None => Ended::Signalled { signal: status.signal().unwrap_or(0), output },
    }
}

/// What came of waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waited {
    /// The program has ended. It is not reaped: until then its number, and so its group's, is nobody else's.
    Over,
    /// It has not.
    TimeIsUp,
}

fn wait(child: &Child, deadline: Instant) -> Result<Waited, Errno> {
    let program = pid(child).ok_or(Errno::SRCH)?;
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    loop {
        match waitid(WaitId::Pid(program), look) {
            Ok(Some(_)) => return Ok(Waited::Over),
            Ok(None) | Err(Errno::INTR) if Instant::now() < deadline => std::thread::sleep(LOOK_PAUSE),
            Ok(None) | Err(Errno::INTR) => return Ok(Waited::TimeIsUp),
            Err(error) => return Err(error),
        }
    }
}

fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Kills the program, if it still runs, with its whole process group.
fn end_group(child: &Child) {
    if let Some(group) = pid(child) {
        // An error says that none of it is left, or that it has become somebody else's.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Takes the program out of the table of processes. One that the system does not let go of in time stays there.
fn reap(child: &mut Child, until: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < until => std::thread::sleep(LOOK_PAUSE),
            Ok(None) | Err(_) => return None,
        }
    }
}

/// An output that is read on a thread of its own: where a process that left the group holds it open, the thread stays
/// behind, not we.
struct Output {
    kept: Arc<Mutex<Vec<u8>>>,
    closed: Receiver<()>,
}

impl Output {
    fn follow(mut output: impl Read + Send + 'static, limit: usize) -> Self {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (sender, closed) = mpsc::channel();
        let wanted = Arc::downgrade(&kept);
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            loop {
                let length = match output.read(&mut piece) {
                    Ok(length @ 1..) => length,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Ok(0) | Err(_) => break,
                };
                // Nobody wants it any more once the run is over.
                let Some(kept) = wanted.upgrade() else { break };
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                let room = limit.saturating_sub(kept.len());
                kept.extend_from_slice(&piece[..length.min(room)]);
            }
            let _ = sender.send(());
        });
        Self { kept, closed }
    }

    /// What was kept, as soon as the output is closed or the time is up.
    fn text(self, until: Instant) -> String {
        let _ = self.closed.recv_timeout(until.saturating_duration_since(Instant::now()));
        String::from_utf8_lossy(&self.kept.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}
