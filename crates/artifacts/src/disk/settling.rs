//! How often a disk waits: at every write, or once for all that were made since the last time.

use super::Durability;
use cap_std::fs::Dir;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// When a write is on the medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// When its call returns.
    Now,
    /// With the next `settle`.
    Soon,
}

/// Whether there is a call that puts everything of a file system on its medium and tells whether it did. Where there is none
/// every write waits for itself.
const SETTLES_AT_ONCE: bool = cfg!(target_os = "linux");

/// What was written without waiting.
#[derive(Debug, Default)]
pub(super) struct Settling {
    /// The file systems on which something was, each with one of its folders.
    unsettled: Mutex<BTreeMap<u64, File>>,
    /// Whether folders were made: what is put into them must not be on the medium before they are.
    has_folders: AtomicBool,
}

impl Settling {
    /// Notes a write into this folder that did not wait.
    pub(super) fn note(&self, folder: &Dir) -> io::Result<()> {
        let device = rustix::fs::fstat(folder)?.st_dev;
        if let Entry::Vacant(place) = self.unsettled().entry(device) {
            place.insert(folder.try_clone()?.into_std_file());
        }
        Ok(())
    }

    /// Notes that a folder was made without waiting for it.
    pub(super) fn note_folder(&self) {
        self.has_folders.store(true, Ordering::SeqCst);
    }

    /// Waits for the folders that were made without waiting, before a write that waits for itself.
    pub(super) fn settle_folders(&self) -> io::Result<()> {
        if self.has_folders.load(Ordering::SeqCst) { self.settle() } else { Ok(()) }
    }

    /// Waits for all that was noted, if anything was since the last time. Whoever comes meanwhile waits with the first.
    pub(super) fn settle(&self) -> io::Result<()> {
        let mut unsettled = self.unsettled();
        unsettled.values().try_for_each(sync_all)?;
        unsettled.clear();
        self.has_folders.store(false, Ordering::SeqCst);
        Ok(())
    }

    fn unsettled(&self) -> MutexGuard<'_, BTreeMap<u64, File>> {
        self.unsettled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl When {
    /// Whether a write waits for itself on such a disk.
    pub(super) fn waits(self, durability: Durability) -> bool {
        durability == Durability::Full && (self == When::Now || !SETTLES_AT_ONCE)
    }

    /// Whether a write is noted for the next `settle`.
    pub(super) fn is_noted(self, durability: Durability) -> bool {
        durability == Durability::Full && !self.waits(durability)
    }
}

#[cfg(target_os = "linux")]
fn sync_all(folder: &File) -> io::Result<()> {
    Ok(rustix::fs::syncfs(folder)?)
}

#[cfg(not(target_os = "linux"))]
fn sync_all(_: &File) -> io::Result<()> {
    Ok(())
}
