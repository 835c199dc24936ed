//! A disk that dies, or refuses, at a chosen write.
//!
//! # The fault model
//!
//! A process can die between any two instructions, and a machine can lose its power. What forge must survive is what
//! may then be found on the disk, so that is what is modelled, write by write. A *write* is one call of `create_new`,
//! `replace` or `remove`; they are counted from 1 in the order in which they begin. At the chosen write one of these
//! is left behind:
//!
//! - [`Manner::Before`]: nothing; the process died before it touched the disk.
//! - [`Manner::TornTemp`]: half of the bytes in a temporary file beside the target; the target is as it was.
//! - [`Manner::TempOnly`]: all of the bytes in a temporary file; the target is as it was.
//! - [`Manner::AfterRename`]: the write took effect, but the caller never learned it. With the folder not yet synced, a
//!   power loss may still undo it, which looks like `TempOnly` or `Before`.
//!
//! A `remove` has no temporary file: for it the first three are the same. From that write on the process is dead:
//! every call fails, reads too, so nothing can be learned or done after the death. The next run is another disk over
//! the same files.
//!
//! A full disk and a missing permission are another fault: [`Refusing`]. The write fails, nothing is left, the process
//! lives, reads go on.
//!
//! Not modelled: bytes that rot after they were synced, a file system that loses synced data or reorders renames, and
//! two machines that write one network file system.
//!
//! The way to use it is a loop: die at write 1, run again to the end, compare; then at write 2; until a run ends with
//! fewer writes than the chosen one ([`DyingDisk::writes`]). It visits every point without imagination.

use forge_artifacts::disk::{Created, Disk, DiskError, Entry, TEMP_PREFIX};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The process id in the names of temporary files that a death leaves: none that a Linux system hands out.
const DEAD_PID: u32 = u32::MAX;

/// A death at one write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Death {
    /// Which write, counted from 1.
    pub at: usize,
    /// What it leaves.
    pub manner: Manner,
}

/// What a death leaves of the write during which it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Manner {
    /// Nothing.
    Before,
    /// A temporary file with half of the bytes.
    TornTemp,
    /// A complete temporary file.
    TempOnly,
    /// The whole write.
    AfterRename,
}

impl Manner {
    /// All of them, for sweeps.
    pub(crate) const ALL: [Manner; 4] = [Manner::Before, Manner::TornTemp, Manner::TempOnly, Manner::AfterRename];
}

/// A write that fails while the process lives on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Refusing {
    /// Which write, counted from 1.
    pub at: usize,
    /// Why.
    pub kind: Refusal,
    /// Whether the later ones fail too.
    pub lasting: Lasting,
}

/// Why a write is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Refusal {
    /// The disk is full.
    Full,
    /// Permission is missing.
    Denied,
}

/// How long a refusal lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Lasting {
    /// One write.
    Once,
    /// All writes from then on.
    Forever,
}

#[derive(Debug, Clone, Copy)]
enum Fault {
    None,
    Death(Death),
    Refusing(Refusing),
}

/// What is to happen to a write.
enum Fate {
    Done,
    Refused(DiskError),
    Dies(Manner),
}

/// A disk with a fault, over another one.
#[derive(Debug)]
pub(crate) struct DyingDisk<D> {
    inner: D,
    fault: Fault,
    writes: AtomicUsize,
    dead: AtomicBool,
}

impl<D: Disk> DyingDisk<D> {
    /// A disk without a fault, which counts.
    pub(crate) fn counting(inner: D) -> Self {
        Self::with(inner, Fault::None)
    }

    /// A disk that dies.
    pub(crate) fn dying(inner: D, death: Death) -> Self {
        Self::with(inner, Fault::Death(death))
    }

    /// A disk that refuses.
    pub(crate) fn refusing(inner: D, refusing: Refusing) -> Self {
        Self::with(inner, Fault::Refusing(refusing))
    }

    fn with(inner: D, fault: Fault) -> Self {
        Self { inner, fault, writes: AtomicUsize::new(0), dead: AtomicBool::new(false) }
    }

    /// How many writes have begun, the one that died or was refused among them.
    pub(crate) fn writes(&self) -> usize {
        self.writes.load(Ordering::SeqCst)
    }

    /// Whether the death has come.
    pub(crate) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::SeqCst)
    }

    fn alive(&self, path: &str) -> Result<(), DiskError> {
        if self.is_dead() { Err(death(path)) } else { Ok(()) }
    }

    /// Counts a write and says what becomes of it.
    fn fate(&self, path: &str) -> Result<Fate, DiskError> {
        self.alive(path)?;
        let write = self.writes.fetch_add(1, Ordering::SeqCst) + 1;
        Ok(match self.fault {
            Fault::Death(death) if death.at == write => {
                self.dead.store(true, Ordering::SeqCst);
                Fate::Dies(death.manner)
            }
            Fault::Refusing(refusing)
                if write == refusing.at || (write > refusing.at && refusing.lasting == Lasting::Forever) =>
            {
                let path = path.to_owned();
                Fate::Refused(match refusing.kind {
                    Refusal::Full => DiskError::Full { path },
                    Refusal::Denied => DiskError::Denied { path },
                })
            }
            _ => Fate::Done,
        })
    }

    /// Leaves what a write of these bytes leaves in the middle, then is dead.
    fn leave_temp(&self, path: &str, bytes: &[u8], manner: Manner) -> DiskError {
        let left = match manner {
            Manner::TornTemp => &bytes[..bytes.len() / 2],
            _ => bytes,
        };
        let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let temp = format!("{folder}{TEMP_PREFIX}{DEAD_PID}-{}", self.writes());
        match self.inner.create_new(&temp, left) {
            Ok(_) => death(path),
            Err(error) => error,
        }
    }
}

fn death(path: &str) -> DiskError {
    DiskError::Io { path: path.to_owned(), source: io::Error::other("the process is dead (a test killed it)") }
}

impl<D: Disk> Disk for DyingDisk<D> {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, DiskError> {
        self.alive(path)?;
        self.inner.read(path)
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>, DiskError> {
        self.alive(folder)?;
        self.inner.list(folder)
    }

    fn create_new(&self, path: &str, bytes: &[u8]) -> Result<Created, DiskError> {
        match self.fate(path)? {
            Fate::Done => self.inner.create_new(path, bytes),
            Fate::Refused(error) => Err(error),
            Fate::Dies(Manner::Before) => Err(death(path)),
            Fate::Dies(Manner::AfterRename) => self.inner.create_new(path, bytes).and_then(|_| Err(death(path))),
            Fate::Dies(manner) => Err(self.leave_temp(path, bytes, manner)),
        }
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), DiskError> {
        match self.fate(path)? {
            Fate::Done => self.inner.replace(path, bytes),
            Fate::Refused(error) => Err(error),
            Fate::Dies(Manner::Before) => Err(death(path)),
            Fate::Dies(Manner::AfterRename) => self.inner.replace(path, bytes).and_then(|()| Err(death(path))),
            Fate::Dies(manner) => Err(self.leave_temp(path, bytes, manner)),
        }
    }

    fn remove(&self, path: &str) -> Result<(), DiskError> {
        match self.fate(path)? {
            Fate::Done => self.inner.remove(path),
            Fate::Refused(error) => Err(error),
            Fate::Dies(Manner::AfterRename) => self.inner.remove(path).and_then(|()| Err(death(path))),
            Fate::Dies(_) => Err(death(path)),
        }
    }
}
