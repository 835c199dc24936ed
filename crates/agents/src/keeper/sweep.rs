//! Finding and ending what a program has left behind.
//!
//! Promises: only descendants of this process are ended, each held by a descriptor of its own while it is looked at, so
//! that a number which has meanwhile become another's is not hit; every wait is bounded.
//!
//! What it cannot: end what runs as another user, or outrun a program that only ever forks and exits. Where the table of
//! processes is not that of our own namespace, nothing is found in it, and there is the group alone.

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
    pub(super) parent: i32,
    /// When it was started, in the kernel's count: with the number, it names one process for ever.
    pub(super) started: u64,
    pub(super) state: State,
}

impl Descendant {
    /// Whether two are the same process, and not one that has got the other's number.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        (self.pid, self.started) == (other.pid, other.started)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Running,
    /// Alive, and does nothing until it is told to go on.
    Stopped,
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
    found.into_iter().filter(|process| process.pid != leader && process.state != State::Zombie).cloned().collect()
}

/// All processes that can be seen, where they are numbered as the kernel numbers them for us.
#[cfg(target_os = "linux")]
pub(super) fn processes() -> Vec<Descendant> {
    if !table_is_ours() {
        return Vec::new();
    }
    let Ok(table) = std::fs::read_dir("/proc") else { return Vec::new() };
    let number = |entry: std::fs::DirEntry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?);
    table.flatten().filter_map(|entry| process(number(entry)?)).collect()
}

/// Elsewhere there is no table to be read, and orphans do not come to the keeper either.
#[cfg(not(target_os = "linux"))]
pub(super) fn processes() -> Vec<Descendant> {
    Vec::new()
}

/// Whether the table has our own numbers. In a process namespace that was left with the table of the one outside, every
/// number in it is another process's here.
#[cfg(target_os = "linux")]
pub(super) fn table_is_ours() -> bool {
    static OURS: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *OURS.get_or_init(|| {
        let own = getpid().as_raw_nonzero().to_string();
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        // One number for each namespace from the table's own down to ours.
        match status.lines().find_map(|line| line.strip_prefix("NSpid:")) {
            Some(numbers) => numbers.trim() == own,
            None => std::fs::read_link("/proc/self").is_ok_and(|link| link == std::path::Path::new(&own)),
        }
    })
}

#[cfg(not(target_os = "linux"))]
pub(super) fn table_is_ours() -> bool {
    false
}

/// One process, by the table.
#[cfg(not(target_os = "linux"))]
pub(super) fn process(_pid: Pid) -> Option<Descendant> {
    None
}

/// One process, by the table.
#[cfg(target_os = "linux")]
pub(super) fn process(pid: Pid) -> Option<Descendant> {
    let stat = std::fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    // The name is in brackets and may hold some itself.
    let (before, after) = stat.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    let mut fields = after.split_whitespace();
    let state = match fields.next()? {
        "Z" | "X" => State::Zombie,
        "T" | "t" => State::Stopped,
        _ => State::Running,
    };
    let parent = fields.next()?.parse().ok()?;
    let started = fields.nth(17)?.parse().ok()?;
    let name = name.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect();
    Some(Descendant { pid, name, parent, started, state })
}

/// Whether a process was sent a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    Yes,
    No,
}

/// Kills one that was found, if it is still that, and still what it was found as: both are looked at while it is held.
#[cfg(target_os = "linux")]
pub(super) fn kill(found: &Descendant, is_still: impl FnOnce() -> bool) -> Sent {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
    let held = pidfd_open(found.pid, PidfdFlags::empty());
    let is_same = || process(found.pid).is_some_and(|now| now.is_same(found));
    if !is_still() || !is_same() {
        return Sent::No;
    }
    let sent = match held {
        Ok(held) => pidfd_send_signal(held, Signal::KILL),
        Err(rustix::io::Errno::SRCH) => return Sent::No,
        // A kernel without such descriptors.
        Err(_) => kill_process(found.pid, Signal::KILL),
    };
    if sent.is_ok() { Sent::Yes } else { Sent::No }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn kill(found: &Descendant, is_still: impl FnOnce() -> bool) -> Sent {
    if is_still() && kill_process(found.pid, Signal::KILL).is_ok() { Sent::Yes } else { Sent::No }
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
        // Below this process it stays, whatever it becomes.
        kill(&found, || true);
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
