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
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often it is looked whether the program has ended.
const LOOK_PAUSE: Duration = Duration::from_millis(5);

/// How long outputs that a grandchild holds open are waited for after the program has ended.
const GRACE: Duration = Duration::from_millis(200);

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
    /// By a signal that was not ours; one that prints more than is read ends by a closed pipe.
    Signalled {
        /// The signal.
        signal: i32,
        /// Both outputs, joined.
        output: String,
    },
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
    let stdout = child.stdout.take().map(|output| Output::follow(output, output_limit));
    let stderr = child.stderr.take().map(|output| Output::follow(output, output_limit));
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
    let output: String = [stdout, stderr].into_iter().flatten().map(Output::text).collect();
    match status.code() {
        Some(code) => Ended::Exited { code, output },
        None => Ended::Signalled { signal: status.signal().unwrap_or(0), output },
    }
}

/// An output that is read on a thread of its own. It is closed at the limit, so that a program that prints for ever ends;
/// where a grandchild holds it open, the thread stays behind, not we.
struct Output {
    read: Arc<Mutex<Vec<u8>>>,
    closed: Receiver<()>,
}

impl Output {
    fn follow(output: impl Read + Send + 'static, limit: u64) -> Self {
        let read = Arc::new(Mutex::new(Vec::new()));
        let (sender, closed) = mpsc::channel();
        let kept = Arc::clone(&read);
        std::thread::spawn(move || {
            let mut output = output.take(limit);
            let mut piece = [0; 4096];
            while let Ok(length @ 1..) = output.read(&mut piece) {
                kept.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&piece[..length]);
            }
            drop(output);
            let _ = sender.send(());
        });
        Self { read, closed }
    }

    fn text(self) -> String {
        let _ = self.closed.recv_timeout(GRACE);
        String::from_utf8_lossy(&self.read.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

/// Kills the program with its whole process group, whose id is its own until it is waited for.
fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}
