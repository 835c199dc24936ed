//! Runs a program that must end: in time, with little output, and with everything that it started.
//!
//! Promises: it returns after `limit` at the latest; reads no more than `output_limit` of each output; gives the program
//! nothing to read; ends its whole process group when its time is up.
//!
//! If the process dies here: a program that has its own end is left running.

use std::io::Read;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// How often it is looked whether the program has ended.
const LOOK_PAUSE: Duration = Duration::from_millis(5);

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Exited {
        /// Its code.
        code: i32,
        /// Both outputs, joined.
        output: String,
    },
    /// It could not be started.
    NotStarted(String),
    /// By a signal that was not ours.
    Signalled(i32),
    /// Its time was up.
    TimedOut,
}

/// Runs a program to its end.
pub fn run(mut command: Command, limit: Duration, output_limit: u64) -> Ended {
    let deadline = Instant::now() + limit;
    let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) => return Ended::NotStarted(error.to_string()),
    };
    let outputs = [
        child.stdout.take().map(|output| read_aside(output, output_limit)),
        child.stderr.take().map(|output| read_aside(output, output_limit)),
    ];
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => std::thread::sleep(LOOK_PAUSE),
            Ok(None) | Err(_) => {
                end(&mut child);
                return Ended::TimedOut;
            }
        }
    };
    let Some(code) = status.code() else { return Ended::Signalled(status.signal().unwrap_or(0)) };
    let mut output = String::new();
    for one in outputs.into_iter().flatten() {
        let rest = deadline.saturating_duration_since(Instant::now());
        output.push_str(&String::from_utf8_lossy(&one.recv_timeout(rest).unwrap_or_default()));
    }
    Ended::Exited { code, output }
}

/// Reads an output on a thread of its own. It is closed at the limit, so that a program that prints for ever ends; and
/// where a grandchild holds it open, the thread stays behind, not we.
fn read_aside(output: impl Read + Send + 'static, limit: u64) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = output.take(limit).read_to_end(&mut bytes);
        let _ = sender.send(bytes);
    });
    receiver
}

/// Kills the program with its whole process group, whose id is its own until it is waited for.
fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}
