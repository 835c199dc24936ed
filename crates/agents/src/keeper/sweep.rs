//! Finding and ending what a program has left behind.
//!
//! Promises: only descendants of this process are ended, each held by a descriptor of its own while it is looked at, so
//! that a number which has meanwhile become another's is not hit; every wait is bounded.
//!
//! What it cannot: end what runs as another user, or outrun a program that only ever forks and exits.

// Where there is no table of processes, nothing is ever found in it.
#![cfg_attr(not(target_os = "linux"), allow(dead_code))]

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, wait, waitpid};

/// A process below this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Descendant {
    /// Its number.
    pub(super) pid: Pid,
    /// Its name, as far as it can be printed.
    pub(super) name: String,
    parent: i32,
    /// When it was started, in the kernel's count: with the number, it names one process for ever.
    started: u64,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Alive,
    /// Ended, and not yet taken out of the table.
    Zombie,
}

/// Signals the program and its group. It must not have been reaped yet: until then the number is its own.
pub(super) fn signal_group(leader: Pid, signal: Signal) {
    // An error says that there is none of it left, or that the group is not made yet; then there is only the leader.
    let _ = kill_process_group(leader, signal);
    let _ = kill_process(leader, signal);
}

/// All living processes below this one, but for `leader`.
pub(super) fn descendants(leader: Pid) -> Vec<Descendant> {
    let all = processes();
    let mut found: Vec<&Descendant> = Vec::new();
    let mut parents = vec![getpid().as_raw_nonzero().get()];
    // Every process is found at most once, since it has one parent; the count bounds a table that changes meanwhile.
    for _ in 0..=all.len() {
        let Some(parent) = parents.pop() else { break };
        for child in all.iter().filter(|process| process.parent == parent) {
            parents.push(child.pid.as_raw_nonzero().get());
            found.push(child);
        }
    }
    found.into_iter().filter(|process| process.pid != leader && process.state == State::Alive).cloned().collect()
}

#[cfg(target_os = "linux")]
fn processes() -> Vec<Descendant> {
    let Ok(table) = std::fs::read_dir("/proc") else { return Vec::new() };
    table.flatten().filter_map(|entry| process(entry.file_name().to_str()?.parse().ok()?)).collect()
}

/// Elsewhere there is no table to be read, and orphans do not come to the keeper either.
#[cfg(not(target_os = "linux"))]
fn processes() -> Vec<Descendant> {
    Vec::new()
}

#[cfg(target_os = "linux")]
fn process(number: i32) -> Option<Descendant> {
    let stat = std::fs::read(format!("/proc/{number}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The name is in brackets and may hold some itself.
    let (before, after) = stat.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    let mut fields = after.split_whitespace();
    let state = if matches!(fields.next()?, "Z" | "X") { State::Zombie } else { State::Alive };
    let parent = fields.next()?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    let name = name.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect();
    Some(Descendant { pid: Pid::from_raw(number)?, name, parent, started, state })
}

/// Kills one that was found.
#[cfg(target_os = "linux")]
fn kill(found: &Descendant) {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
    match pidfd_open(found.pid, PidfdFlags::empty()) {
        Ok(held) => {
            if process(found.pid.as_raw_nonzero().get()).is_some_and(|now| now.started == found.started) {
                let _ = pidfd_send_signal(held, Signal::KILL);
            }
        }
        Err(rustix::io::Errno::SRCH) => {}
        // A kernel without such descriptors.
        Err(_) => drop(kill_process(found.pid, Signal::KILL)),
    }
}

#[cfg(not(target_os = "linux"))]
fn kill(found: &Descendant) {
    let _ = kill_process(found.pid, Signal::KILL);
}

/// What is left after one pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// Nothing: this process has no children any more.
    Nothing,
    /// Something is still ending, or was only seen now.
    Something,
}

/// Kills every descendant once, and takes the ended ones out of the table, the leader as well.
pub(super) fn pass(leader: Pid) -> Left {
    for found in descendants(leader) {
        kill(&found);
    }
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
            Ok(None) => return Left::Something,
            Err(_) => return Left::Nothing,
        }
    }
}

/// Takes ended orphans out of the table while the program runs.
pub(super) fn reap_orphans(leader: Pid) {
    let own = getpid().as_raw_nonzero().get();
    let orphan =
        |process: &Descendant| process.parent == own && process.pid != leader && process.state == State::Zombie;
    for process in processes().iter().filter(|process| orphan(process)) {
        let _ = waitpid(Some(process.pid), WaitOptions::NOHANG);
    }
}
