//! The workspace as five calls: read, list, create-new, replace, remove; the writes also without waiting for the medium.
//!
//! Everything that forge keeps goes through [`Disk`], so that a test can count and kill each call, and an object store
//! could serve it. [`WorkspaceDisk`] is the real one.
//!
//! Promises: a file appears with all of its bytes or not at all; of many that create one file exactly one is told
//! `New`; what was written is on the medium when the call returns (`Durability::Full`), or for a write that does not wait
//! (`create_soon`, `replace_soon`) when the next [`Disk::settle`] does; no path leads out of the
//! workspace, into what is hidden in it, or through a symbolic link ([`places`]), but for a folder that worktrees of one
//! repository share (`shared`); a call never waits for a writer (a fifo
//! is refused); nothing unbounded is read.
//!
//! Must never: change a file in place, follow a link or a path given by a model unchecked, delete a folder that has
//! anything in it.
//!
//! If the machine loses its power before a `settle`: what was written since the one before may be there, be empty, or not be
//! there.
//!
//! If the process dies here: at most a hidden `.forge-tmp-<pid>-<n>` is left, which no listing shows and
//! [`WorkspaceDisk::sweep`] removes.

mod mounted;
pub mod named;
pub mod places;
mod private;
mod publishing;
mod settling;
mod shared;
mod workspace;

pub use mounted::MountedFolder;
pub use named::read_named;
pub use places::Refusal;
pub use private::{LatePrivateDisk, PrivateDisk};
pub use publishing::Way;
pub use workspace::WorkspaceDisk;

use std::io::{self, ErrorKind};
use std::sync::Arc;

/// The most bytes that are read of one file of the workspace.
pub const READ_LIMIT_BYTES: u64 = 8 * 1024 * 1024;
/// The most entries that a folder may have.
pub const LIST_LIMIT_ENTRIES: usize = 2_000_000;
/// How the names of our own temporary files begin; no listing shows them.
pub const TEMP_PREFIX: &str = ".forge-tmp-";

/// The five calls. Paths are relative to the workspace, with `/` between their parts.
pub trait Disk: Send + Sync {
    /// The bytes of a file; `None` when it is not there.
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, DiskError>;
    /// What is in a folder, sorted by name; nothing when it is not there. `""` is the workspace itself.
    fn list(&self, folder: &str) -> Result<Vec<Entry>, DiskError>;
    /// Writes a file that must not be there yet; its folders are made as needed.
    fn create_new(&self, path: &str, bytes: &[u8]) -> Result<Created, DiskError>;
    /// Writes a file, in the place of the one that may be there; its folders are made as needed.
    fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), DiskError>;
    /// Removes a file; that it is not there is fine.
    fn remove(&self, path: &str) -> Result<(), DiskError>;
    /// Like [`create_new`](Self::create_new), without waiting for the medium: [`settle`](Self::settle) does, once for many.
    fn create_soon(&self, path: &str, bytes: &[u8]) -> Result<Created, DiskError> {
        self.create_new(path, bytes)
    }
    /// Like [`replace`](Self::replace), without waiting for the medium.
    fn replace_soon(&self, path: &str, bytes: &[u8]) -> Result<(), DiskError> {
        self.replace(path, bytes)
    }
    /// Waits until all that was written without waiting is on the medium.
    fn settle(&self) -> Result<(), DiskError> {
        Ok(())
    }
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name, without the folder.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
}

/// What an entry of a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A fifo, a device, a symbolic link.
    Other,
}

/// Who made the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use]
pub enum Created {
    /// This call did.
    New,
    /// Somebody else did, earlier; nothing was written.
    AlreadyThere,
}

/// How much a write costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Durability {
    /// A write is on the medium when its call returns, or with the next `settle`: it survives a power loss.
    Full,
    /// A write survives the death of the process, not a power loss. For benchmarks.
    None,
}

/// What the world did not allow. Each carries the path once.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// The path is absolute, or has an empty part, `.`, `..` or NUL.
    #[error("{path:?} is not a path inside the workspace")]
    Escapes {
        /// As it was given.
        path: String,
    },
    /// forge leaves it alone.
    #[error("{}", why.about(path))]
    Refused {
        /// As it was given.
        path: String,
        /// Why.
        why: Refusal,
    },
    /// There is more than is ever read.
    #[error("{path} is too large: at most {most} are read")]
    TooLarge {
        /// The file or folder.
        path: String,
        /// The limit with its unit.
        most: String,
    },
    /// A folder, a fifo, a device or a dangling link stands where a file is expected.
    #[error("{path} is not a regular file")]
    NotAFile {
        /// What stands there.
        path: String,
    },
    /// The disk or the quota is used up.
    #[error("{path} cannot be written: the disk is full")]
    Full {
        /// The file that was to be written.
        path: String,
    },
    /// Permission is missing, or the file system is read-only.
    #[error("{path} cannot be accessed: permission denied, or the file system is read-only")]
    Denied {
        /// The file or folder.
        path: String,
    },
    /// Anything else.
    #[error("{path} cannot be used: {source}")]
    Io {
        /// The file or folder.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl DiskError {
    /// The error of a call on `path`.
    pub fn from_io(path: &str, error: io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            ErrorKind::InvalidFilename => DiskError::Refused { path, why: Refusal::Long },
            _ if publishing::is_loop(&error) => DiskError::Refused { why: Refusal::Link(path.clone()), path },
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => DiskError::Denied { path },
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => DiskError::Full { path },
            ErrorKind::IsADirectory => DiskError::NotAFile { path },
            _ => DiskError::Io { path, source: error },
        }
    }

    /// Whether it is about what stands in one place, so that everything else can still be read.
    pub fn is_about_one_file(&self) -> bool {
        match self {
            DiskError::TooLarge { .. }
            | DiskError::NotAFile { .. }
            | DiskError::Escapes { .. }
            | DiskError::Refused { .. } => true,
            DiskError::Full { .. } | DiskError::Denied { .. } | DiskError::Io { .. } => false,
        }
    }

    /// The path that it is about.
    pub fn path(&self) -> &str {
        match self {
            DiskError::Escapes { path }
            | DiskError::Refused { path, .. }
            | DiskError::TooLarge { path, .. }
            | DiskError::NotAFile { path }
            | DiskError::Full { path }
            | DiskError::Denied { path }
            | DiskError::Io { path, .. } => path,
        }
    }
}

/// A disk behind a pointer is a disk.
macro_rules! forward {
    ($pointer:ty) => {
        impl<D: Disk + ?Sized> Disk for $pointer {
            fn read(&self, path: &str) -> Result<Option<Vec<u8>>, DiskError> {
                (**self).read(path)
            }
            fn list(&self, folder: &str) -> Result<Vec<Entry>, DiskError> {
                (**self).list(folder)
            }
            fn create_new(&self, path: &str, bytes: &[u8]) -> Result<Created, DiskError> {
                (**self).create_new(path, bytes)
            }
            fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), DiskError> {
                (**self).replace(path, bytes)
            }
            fn remove(&self, path: &str) -> Result<(), DiskError> {
                (**self).remove(path)
            }
            fn create_soon(&self, path: &str, bytes: &[u8]) -> Result<Created, DiskError> {
                (**self).create_soon(path, bytes)
            }
            fn replace_soon(&self, path: &str, bytes: &[u8]) -> Result<(), DiskError> {
                (**self).replace_soon(path, bytes)
            }
            fn settle(&self) -> Result<(), DiskError> {
                (**self).settle()
            }
        }
    };
}

forward!(&D);
forward!(Arc<D>);

fn size(bytes: u64) -> String {
    const KIB: u64 = 1024;
    const MIB: u64 = 1024 * KIB;
    match bytes {
        _ if bytes >= MIB && bytes.is_multiple_of(MIB) => format!("{} MiB", bytes / MIB),
        _ if bytes >= KIB && bytes.is_multiple_of(KIB) => format!("{} KiB", bytes / KIB),
        _ => format!("{bytes} bytes"),
    }
}
