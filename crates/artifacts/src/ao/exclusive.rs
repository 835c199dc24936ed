//! AO's own lock on a metadata file: a file `<name>.lock` that exists while somebody writes.
//!
//! Its rule is AO's, generation B: made with `O_EXCL`; who finds it taken tries again after 10 ms, doubling to 250 ms, and
//! gives up after 5 seconds; one that is older than 30 seconds is stale and may be taken over.
//!
//! Promises: what is removed in the end is the very file that was made; a stale lock is taken over by one only.
//!
//! If the process dies here: the lock stays, and is stale after 30 seconds. In the middle of a takeover a hidden
//! `.forge-stale-<pid>-<n>` may stay, which nobody reads.

use super::AoProblem;
use crate::disk::DiskError;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
const GIVE_UP_AFTER: Duration = Duration::from_secs(5);
const STALE_AFTER: Duration = Duration::from_secs(30);

/// The lock, held until it is dropped.
#[derive(Debug)]
pub(super) struct Exclusive {
    path: PathBuf,
    file: File,
}

impl Exclusive {
    /// Takes the lock of the metadata file `name` in `folder`.
    pub(super) fn acquire(folder: &Path, name: &str) -> Result<Self, AoProblem> {
        let path = folder.join(format!("{name}.lock"));
        let failed = |error| AoProblem::Disk {
            folder: folder.to_owned(),
            source: DiskError::from_io(&format!("{name}.lock"), error),
        };
        let began = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    // For whoever looks; nothing depends on it.
                    let _ = write!(file, "{}", std::process::id());
                    return Ok(Self { path, file });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
            if began.elapsed() >= GIVE_UP_AFTER {
                return Err(AoProblem::Busy { lock: path, waited_seconds: GIVE_UP_AFTER.as_secs() });
            }
            if !remove_stale(folder, &path) {
                std::thread::sleep(pause);
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }

    /// Makes sure that the lock was not taken over meanwhile, from a process that slept for too long.
    pub(super) fn confirm(&self) -> Result<(), AoProblem> {
        if self.is_ours() {
            return Ok(());
        }
        Err(AoProblem::LockLost { lock: self.path.clone() })
    }

    fn is_ours(&self) -> bool {
        let (Ok(made), Ok(there)) = (self.file.metadata(), std::fs::symlink_metadata(&self.path)) else { return false };
        is_same(&made, &there)
    }
}

impl Drop for Exclusive {
    fn drop(&mut self) {
        if self.is_ours() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn is_same(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

fn is_stale(lock: &Metadata) -> bool {
    let age = lock.modified().ok().and_then(|made| SystemTime::now().duration_since(made).ok());
    !lock.is_dir() && age.is_some_and(|age| age > STALE_AFTER)
}

/// Removes a lock that its holder forgot; tells whether the lock may be tried again at once. It is moved away first: of
/// two that find it stale, the second would otherwise remove the lock that the first has just made.
fn remove_stale(folder: &Path, path: &Path) -> bool {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let Ok(seen) = std::fs::symlink_metadata(path) else { return true };
    if !is_stale(&seen) {
        return false;
    }
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let aside = folder.join(format!(".forge-stale-{}-{count}", std::process::id()));
    if std::fs::rename(path, &aside).is_err() {
        return false;
    }
    let moved = std::fs::symlink_metadata(&aside);
    if !moved.is_ok_and(|moved| is_same(&seen, &moved)) {
        let _ = std::fs::hard_link(&aside, path);
    }
    std::fs::remove_file(&aside).is_ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::Exclusive;

    #[test]
    fn a_lock_that_was_taken_over_is_told_as_lost_and_left() {
        let folder = tempfile::tempdir().unwrap();
        let held = Exclusive::acquire(folder.path(), "app-1.json").unwrap();
        held.confirm().unwrap();
        let lock = folder.path().join("app-1.json.lock");
        std::fs::remove_file(&lock).unwrap();
        std::fs::write(&lock, "4711").unwrap();
        let told = held.confirm().unwrap_err().to_string();
        assert!(told.contains("taken over") && !told.contains("seconds"), "{told}");
        drop(held);
        assert_eq!(std::fs::read_to_string(&lock).unwrap(), "4711");
    }
}
