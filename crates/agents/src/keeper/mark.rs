//! The mark by which a seat's processes are known when nobody is left who knows them.
//!
//! Every program is given one variable of forge's own, [`VARIABLE`], and whatever it starts inherits it: which forge made
//! the call, and which of its calls it was. The kernel shows it to the same user, also after forge and the keeper are gone.
//!
//! Promises: a mark holds nothing secret and names one forge process for ever, wherever it is read: its number, when it was
//! started, its user, the namespace in which the number means anything, and the boot of the machine in which the namespace
//! does; the first one has the same number everywhere. [`Maker::is_gone`] says yes only where that is certain.
//!
//! What it cannot: there is no mark without a table of processes that counts as the kernel does for us (no Linux, no
//! `/proc`, somebody else's `/proc`), nor in a time namespace, where starts are counted otherwise, nor where boots have no
//! names. A program that empties its environment has lost its mark. Machines that share an identity, a name and a folder are
//! taken for one.

use super::sweep::{self, State};
use forge_debate::digest::Digest;
use rustix::io::Errno;
use rustix::process::{Pid, geteuid, getpid, test_kill_process};
use std::fmt;
use std::num::NonZeroU32;
use std::os::unix::fs::MetadataExt as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The variable that every program is given.
pub const VARIABLE: &str = "FORGE_SEAT";

/// The time namespace that every machine begins with has this number.
const FIRST_TIME_NAMESPACE: u64 = 0xEFFF_FFFA;

/// The name that the kernel gives to every boot, by chance.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// The identity that a machine was given when it was set up. It is not to be shown, so only a digest of it is.
const MACHINE: &str = "/etc/machine-id";

/// What the machine is called. Containers of one image share an identity, and have names of their own.
const HOST: &str = "/proc/sys/kernel/hostname";

/// The forge process that made a call, or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Maker {
    /// In which boot, of whichever machine.
    boot: u32,
    /// On which machine, where that is known.
    machine: Option<NonZeroU32>,
    /// In which process namespace its number is one.
    namespace: u64,
    user: u32,
    pid: Pid,
    /// In the kernel's count.
    started: u64,
}

impl fmt::Display for Maker {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machine = self.machine.map_or(0, NonZeroU32::get);
        let Self { boot, namespace, user, started, .. } = self;
        write!(to, "{boot:x}-{machine:x}-{namespace:x}-{user}-{}-{started}", self.pid.as_raw_nonzero())
    }
}

impl Maker {
    /// This process, where it can be told for ever.
    pub(crate) fn this() -> Option<&'static Self> {
        static THIS: OnceLock<Option<Maker>> = OnceLock::new();
        THIS.get_or_init(|| {
            let namespace = |kind: &str| std::fs::metadata(format!("/proc/self/ns/{kind}")).map(|about| about.ino());
            if !sweep::table_is_ours() || namespace("time").is_ok_and(|time| time != FIRST_TIME_NAMESPACE) {
                return None;
            }
            let pid = getpid();
            let started = sweep::process(pid)?.started;
            let (boot, machine) = (digest_of([said(BOOT)?]), machine());
            Some(Maker { boot, machine, namespace: namespace("pid").ok()?, user: geteuid().as_raw(), pid, started })
        })
        .as_ref()
    }

    /// The one that this text names; none where it is not exactly what one is written as.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut part = || parts.next();
        let maker = Self {
            boot: u32::from_str_radix(part()?, 16).ok()?,
            machine: NonZeroU32::new(u32::from_str_radix(part()?, 16).ok()?),
            namespace: u64::from_str_radix(part()?, 16).ok()?,
            user: part()?.parse().ok()?,
            pid: part()?.parse().ok().filter(|pid| *pid > 0).and_then(Pid::from_raw)?,
            started: part()?.parse().ok()?,
        };
        (maker.to_string() == text).then_some(maker)
    }

    /// Whether it was started since this machine was.
    pub(super) fn is_of_this_boot(&self) -> bool {
        Self::this().is_some_and(|this| this.boot == self.boot)
    }

    /// Whether it is certain that it runs no more. Of another user's, one in another namespace or one on another machine,
    /// nobody here can say.
    pub(crate) fn is_gone(&self) -> bool {
        let Some(this) = Self::this() else { return false };
        if self.user != this.user {
            return false;
        }
        if self.boot != this.boot {
            // Nothing has outlived an earlier boot of this machine. Of a machine that is not known, that cannot be told.
            return self.machine.is_some() && self.machine == this.machine;
        }
        if self.namespace != this.namespace {
            return false;
        }
        // The table may be closed to us; whether there is such a number is told all the same.
        if test_kill_process(self.pid) == Err(Errno::SRCH) {
            return true;
        }
        sweep::process(self.pid).is_some_and(|now| now.started != self.started || now.state == State::Zombie)
    }
}

/// What a file of the system's says in a line, where it says anything.
fn said(file: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    Some(text.trim().to_owned()).filter(|said| !said.is_empty())
}

/// This machine, where it has an identity and a name: a file of `uninitialized` is none yet.
fn machine() -> Option<NonZeroU32> {
    let identity = said(MACHINE).filter(|said| said.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    NonZeroU32::new(digest_of([identity, said(HOST)?]))
}

/// Half of a digest's seed: short, since it is part of folders' names.
fn digest_of<const N: usize>(parts: [String; N]) -> u32 {
    let parts = ["forge-seat".to_owned()].into_iter().chain(parts);
    (Digest::of_parts(parts).seed() >> 32) as u32
}

/// A mark for one more call of this process.
pub(super) fn of_another_call() -> Option<String> {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let maker = Maker::this()?;
    Some(format!("{maker}-{}", CALLS.fetch_add(1, Ordering::Relaxed)))
}

/// Who made the call that this is the mark of.
pub(super) fn maker(mark: &str) -> Option<Maker> {
    let (maker, call) = mark.rsplit_once('-')?;
    call.parse::<u64>().ok().filter(|number| number.to_string() == call)?;
    Maker::of(maker)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_is_written_and_nothing_else_is_one() {
        let this = Maker::this().unwrap_or_else(|| unreachable!());
        assert_eq!(of_another_call().as_deref().and_then(maker).as_ref(), Some(this));
        assert_ne!(of_another_call(), of_another_call());
        assert!(maker("b-a-effffffc-0-1-2-3").is_some() && maker("b-0-effffffc-0-1-2-3").is_some());
        for text in ["", "-", "1", "effffffc-0-1-2-3"] {
            assert_eq!(maker(text), None, "{text}");
        }
        let odd = ["0-1-2", "0-1-2-", "0-1-2-x", "0-0-2-3", "0-+1-2-3", "0-01-2-3", "0--1-2-3", "0-1-2-3-4 "];
        let odd = odd.map(|rest| format!("b-a-effffffc-{rest}"));
        for text in odd.iter().map(String::as_str).chain(["b-a-EFFFFFFC-0-1-2-3", "b-0a-effffffc-0-1-2-3"]) {
            assert_eq!(maker(text), None, "{text}");
        }
    }

    #[test]
    fn only_what_is_certainly_gone_is_gone() {
        let this = Maker::this().unwrap_or_else(|| unreachable!());
        // No process has this number: it is beyond what Linux gives out.
        let nobody = Pid::from_raw(4_194_399).unwrap_or(this.pid);
        assert!(!this.is_gone(), "we run");
        assert!(Maker { pid: nobody, ..this.clone() }.is_gone());
        assert!(Maker { started: this.started + 1, ..this.clone() }.is_gone(), "its number is another's by now");
        for (namespace, user) in [(this.namespace + 1, this.user), (this.namespace, this.user + 1)] {
            let other = Maker { namespace, user, pid: nobody, started: 1, ..this.clone() };
            assert!(!other.is_gone(), "that is not for us to say");
        }
    }

    /// The first namespace and small numbers are the same everywhere: a folder on a shared disk may be another machine's.
    #[test]
    fn of_another_machine_nobody_here_can_say_and_of_an_earlier_boot_all_are_gone() {
        let this = Maker::this().unwrap_or_else(|| unreachable!());
        let nobody = Pid::from_raw(4_194_399).unwrap_or(this.pid);
        let boot = this.boot.wrapping_add(1);
        let machine = |of: u32| NonZeroU32::new(of);
        let elsewhere = machine(this.machine.map_or(7, |own| own.get() ^ 6));
        for machine in [elsewhere, None] {
            let other = Maker { boot, machine, pid: nobody, ..this.clone() };
            assert!(!other.is_gone() && !other.is_of_this_boot(), "{other}");
        }
        assert!(Maker { machine: elsewhere, pid: nobody, ..this.clone() }.is_gone(), "it has another name by now");
        let earlier = Maker { boot, ..this.clone() };
        assert_eq!(earlier.is_gone(), this.machine.is_some(), "whatever has its number now");
        assert!(!Maker { user: this.user + 1, ..earlier }.is_gone());
    }
}
