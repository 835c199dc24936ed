//! Ending what a lost keeper could not end: processes that are known by their mark alone.
//!
//! Promises: ends a process only where it carries the mark of the call that was lost, or of a forge process that is gone;
//! never one of another user, never this process or one above it, never one that a keeper is still at work on. Before it is
//! ended, each is held by a descriptor of its own, and its mark and its user are looked at again; every wait is bounded.
//!
//! What it cannot: find what has emptied its environment, outrun a program that only ever forks and exits, or see what a
//! process becomes between that look and the signal.
//!
//! If the process dies here: the next run of forge ends the rest.

use super::mark;
use super::sweep::{self, Descendant, Sent, State};
use rustix::process::{Pid, geteuid, getpid};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How long what a lost program has started may take to end after it, before it counts as left behind.
const SETTLE: Duration = Duration::from_millis(200);

/// How long all of it may take.
const LIMIT: Duration = Duration::from_secs(3);

/// How long between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// How many looks in a row must find nothing where something has run a moment ago: one may fall into a process's exec.
const QUIET_LOOKS: usize = 2;

/// The most bytes of an environment that are read; the system takes no longer one.
const ENVIRONMENT_LIMIT: u64 = 8 << 20;

/// The most names that are told.
const NAMES: usize = 32;

/// Ends every process that carries this mark, and says what they were.
pub(super) fn end_call(mark: &str) -> Vec<String> {
    end(QUIET_LOOKS, |_, _, found| found == mark)
}

/// What was ended, once somebody has looked.
static ENDED: OnceLock<Vec<String>> = OnceLock::new();

/// What this process has ended of killed runs; looks at nothing.
pub fn what_was_ended() -> &'static [String] {
    ENDED.get().map_or(&[], Vec::as_slice)
}

/// Ends what runs of forge have left running that were killed together with their keepers, and says what that was. Looks
/// once in the life of this process, at the first call, since it looks at every process of the machine; call it before
/// the first program is started.
pub fn end_what_killed_runs_left() -> &'static [String] {
    ENDED.get_or_init(|| {
        end(1, |all, one, found| {
            // Nothing outlives a boot: whoever carries a mark of another has it from somewhere else.
            let gone = || mark::maker(found).is_some_and(|maker| maker.is_of_this_boot() && maker.is_gone());
            let above = || lineage(all, one.parent);
            let keeps = |process: &Descendant| process.name == super::NAME && process.state == State::Running;
            gone() && !above().iter().any(|process| keeps(process) || process.pid == getpid())
        })
    })
}

fn end(quiet_looks: usize, is_stray: impl Fn(&[Descendant], &Descendant, &str) -> bool) -> Vec<String> {
    let began = Instant::now();
    let mut ended: Vec<Descendant> = Vec::new();
    let mut quiet = 0;
    while began.elapsed() < LIMIT {
        let all = sweep::processes();
        let found = strays(&all, &is_stray);
        quiet = if found.is_empty() { quiet + 1 } else { 0 };
        if quiet >= quiet_looks {
            break;
        }
        if began.elapsed() >= SETTLE {
            for one in found {
                let sent = kill(&all, one, &is_stray);
                if sent == Sent::Yes && !ended.iter().any(|known| known.is_same(one)) {
                    ended.push(one.clone());
                }
            }
        }
        std::thread::sleep(LOOK);
    }
    let mut names: Vec<String> = ended.into_iter().map(|process| process.name).take(NAMES).collect();
    names.sort();
    names
}

fn strays(all: &[Descendant], is_stray: impl Fn(&[Descendant], &Descendant, &str) -> bool) -> Vec<&Descendant> {
    let own = lineage(all, getpid().as_raw_nonzero().get());
    let is_found = |one: &&Descendant| {
        one.state != State::Zombie
            && !own.iter().any(|above| above.pid == one.pid)
            && is_marked(one.pid, |found| is_stray(all, one, found))
    };
    all.iter().filter(is_found).collect()
}

/// Kills one that was found, unless it has become something else since: a program that was started in its place without the
/// mark, or as another user.
fn kill(all: &[Descendant], one: &Descendant, is_stray: impl Fn(&[Descendant], &Descendant, &str) -> bool) -> Sent {
    sweep::kill(one, || is_marked(one.pid, |found| is_stray(all, one, found)))
}

/// Whether a process of this user's, through and through, carries such a mark.
fn is_marked(pid: Pid, is_such: impl FnOnce(&str) -> bool) -> bool {
    mark_of(pid).is_some_and(|found| is_such(&found)) && is_the_users(pid)
}

/// A process and all above it.
fn lineage(all: &[Descendant], pid: i32) -> Vec<&Descendant> {
    let mut found: Vec<&Descendant> = Vec::new();
    let mut next = pid;
    // The count bounds a table that changed while it was read.
    for _ in 0..all.len() {
        let Some(process) = all.iter().find(|process| process.pid.as_raw_nonzero().get() == next) else { break };
        next = process.parent;
        found.push(process);
    }
    found
}

/// The mark that a process was started with. That of another user is not looked at.
fn mark_of(pid: Pid) -> Option<String> {
    let process = format!("/proc/{}", pid.as_raw_nonzero());
    std::fs::metadata(&process).ok().filter(|about| about.uid() == geteuid().as_raw())?;
    let mut environment = Vec::new();
    let file = std::fs::File::open(format!("{process}/environ")).ok()?;
    file.take(ENVIRONMENT_LIMIT).read_to_end(&mut environment).ok()?;
    let mut variables = environment.split(|byte| *byte == 0);
    let value = variables.find_map(|variable| variable.strip_prefix(mark::VARIABLE.as_bytes())?.strip_prefix(b"="))?;
    String::from_utf8(value.to_vec()).ok()
}

/// Whether a process is this user's through and through: one that has taken on another user, or could, is not.
fn is_the_users(pid: Pid) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).unwrap_or_default();
    let own = geteuid().as_raw().to_string();
    let users = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    users.is_some_and(|users| users.split_whitespace().all(|user| user == own))
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::process::{Child, Command, Stdio};

    /// A process with this mark, which becomes another program without it when it is told to.
    fn marked(mark: &str) -> Child {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "read word; exec env -i sleep 600"]).env(mark::VARIABLE, mark).stdin(Stdio::piped());
        command.spawn().unwrap()
    }

    #[test]
    fn what_has_become_something_else_since_it_was_looked_at_is_left_alone() {
        let mark = format!("of-a-test-{}", getpid().as_raw_nonzero());
        let (mut same, mut other) = (marked(&mark), marked(&mark));
        let pid = |child: &Child| Pid::from_child(child);
        let is_stray = |_: &[Descendant], _: &Descendant, found: &str| found == mark;
        let all = sweep::processes();
        let found = strays(&all, is_stray);
        assert_eq!(found.len(), 2, "{found:?}");
        other.stdin.take().unwrap().write_all(b"go\n").unwrap();
        let began = Instant::now();
        while mark_of(pid(&other)).is_some() && began.elapsed() < LIMIT {
            std::thread::sleep(LOOK);
        }
        let sent = |child: &Child| {
            let one = found.iter().find(|one| one.pid == pid(child)).unwrap();
            kill(&all, one, is_stray)
        };
        let sent = (sent(&same), sent(&other));
        let ended = same.wait();
        let goes_on = other.try_wait();
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!(sent, (Sent::Yes, Sent::No));
        assert!(ended.is_ok_and(|how| !how.success()) && goes_on.is_ok_and(|how| how.is_none()));
    }
}
