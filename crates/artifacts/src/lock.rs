//! One forge at a time on one debate or workflow.
//!
//! Promises: at most one holder per lock file; a second one is told at once who holds it; a holder that died is taken
//! over by construction, because the lock belongs to the open file and the kernel lets go of it with the process. The
//! file's text is for readers only and decides nothing.
//!
//! Must never: write into a file that has another name too (a hard link), wait, judge by the text or by a process id whether a holder lives, or remove the lock file (two
//! processes could then hold two files of one name).
//!
//! If the process dies here: the lock is free. The text of the dead holder stays until the next one writes its own.

use crate::disk::{DiskError, WorkspaceDisk};
use crate::formats::summary::one_line;
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};

/// The most bytes of a lock file that are shown to the one that has to go.
const HOLDER_LIMIT_BYTES: u64 = 1024;

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody else holds it.
    #[error("another forge is at work here: {holder}")]
    Busy {
        /// Who, in its own words.
        holder: String,
    },
    /// The lock file cannot be used.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl Lock {
    /// Takes the lock at `path`, which is made if it is not there. `who` says on one line what is at work and since
    /// when; the process id is put before it.
    pub fn acquire(disk: &WorkspaceDisk, path: &str, who: &str) -> Result<Lock, LockError> {
        let mut file = disk.open_or_create(path)?;
        let failed = |error| LockError::Disk(DiskError::from_io(path, error));
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(DiskError::NotAFile { path: path.to_owned() }.into());
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LockError::Busy { holder: holder(&mut file) }),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let text = format!("pid {}, {}\n", std::process::id(), one_line(who));
        file.set_len(0).and_then(|()| file.write_all(text.as_bytes())).map_err(failed)?;
        Ok(Lock { file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // So that the next holder's first moments are not shown under this name.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

fn holder(file: &mut File) -> String {
    let mut bytes = Vec::new();
    let _ = file.rewind().and_then(|()| file.take(HOLDER_LIMIT_BYTES).read_to_end(&mut bytes));
    let text = one_line(&String::from_utf8_lossy(&bytes));
    if text.is_empty() { "it does not say who it is".to_owned() } else { text }
}
