//! Asks the `ao` on the search path how it spawns: the only program that forge starts under AO (besides `kill`, should
//! it not end).
//!
//! Promises: it ends, after [`HELP_LIMIT`] at the latest, whatever the program does; reads no more than
//! [`OUTPUT_LIMIT_BYTES`] of it; gives it nothing to read. It looks only in absolute folders of the search path, never in
//! the current one.
//!
//! Must never: spawn a session, or anything else that has an effect.
//!
//! If the process dies here: nothing is left but a program that prints its help and ends.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// How long the program may take.
pub const HELP_LIMIT: Duration = Duration::from_secs(3);
/// The most bytes that are read of each of its two outputs.
pub const OUTPUT_LIMIT_BYTES: u64 = 64 * 1024;
/// How often it is looked whether the program has ended.
const LOOK_PAUSE: Duration = Duration::from_millis(10);
/// How long its outputs are read once it has ended: a child that it left behind may hold them open.
const CHILDREN_LIMIT: Duration = Duration::from_millis(500);
/// The most folders of a search path that are looked into.
const FOLDERS_LIMIT: usize = 1000;

/// What `ao spawn --help` prints, both outputs joined; `None` when there is no `ao` in the folders of `path_variable`, or
/// it says nothing in time.
pub fn spawn_help(path_variable: Option<&OsStr>) -> Option<String> {
    let search_path = path_variable?;
    let program = find(search_path, "ao")?;
    let deadline = Instant::now() + HELP_LIMIT;
    let mut child = Command::new(program)
        .args(["spawn", "--help"])
        .env("PATH", search_path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .ok()?;
    let outputs = [child.stdout.take().map(read_aside), child.stderr.take().map(read_aside)];
    if !wait(&mut child, deadline) {
        end(&mut child);
        return None;
    }
    let mut text = String::new();
    let patience = Instant::now() + CHILDREN_LIMIT;
    for output in outputs.into_iter().flatten() {
        let rest = || patience.saturating_duration_since(Instant::now());
        let pieces: Vec<Vec<u8>> = std::iter::from_fn(|| output.recv_timeout(rest()).ok()).collect();
        text.push_str(&String::from_utf8_lossy(&pieces.concat()));
    }
    (!text.trim().is_empty()).then_some(text)
}

/// The first executable file of that name in an absolute folder of a search path.
fn find(search_path: &OsStr, name: &str) -> Option<PathBuf> {
    let folders = std::env::split_paths(search_path).take(FOLDERS_LIMIT).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Reads an output on a thread of its own. It is closed at the limit, so that a program that prints for ever ends; and
/// where a child of the program holds it open, the thread stays behind, not we.
fn read_aside(output: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut output = output.take(OUTPUT_LIMIT_BYTES);
        let mut piece = [0; 4096];
        while let Ok(count @ 1..) = output.read(&mut piece) {
            if sender.send(piece[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Whether the program ended before the deadline.
fn wait(child: &mut Child, deadline: Instant) -> bool {
    while Instant::now() < deadline {
        match child.try_wait() {
            Ok(Some(_)) => return true,
            Ok(None) => std::thread::sleep(LOOK_PAUSE),
            Err(_) => return false,
        }
    }
    false
}

/// Kills the program with its whole process group, whose id is its own until it is waited for. The standard library
/// signals one process only, so the group is left to `kill` where there is one.
fn end(child: &mut Child) {
    let group = format!("-{}", child.id());
    if let Some(kill) = ["/bin/kill", "/usr/bin/kill"].map(Path::new).into_iter().find(|path| is_executable(path)) {
        let mut signal = Command::new(kill);
        signal.args(["-KILL", "--", &group]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let _ = signal.status();
    }
    let _ = child.kill();
    let _ = child.wait();
}
