//! The workspace as five calls: read, list, create-new, replace, remove.
//!
//! Everything that forge keeps goes through [`Disk`], so that a test can count and kill each call, and an object store
//! could serve it. [`WorkspaceDisk`] is the real one.
//!
//! Promises: a file appears with all of its bytes or not at all; of many that create one file exactly one is told
//! `New`; what was written is on the medium when the call returns (`Durability::Full`); no path and no symbolic link
//! leads out of the workspace (cap-std resolves each path below one open folder); a call never waits for a writer (a
//! fifo is refused); nothing unbounded is read.
//!
//! Must never: change a file in place, follow a path given by a model unchecked, delete a folder.
//!
//! If the process dies here: at most a hidden `.forge-tmp-<pid>-<n>` is left, which no listing shows and
//! [`WorkspaceDisk::sweep`] removes. The one exception is a file system without hard links (FAT, some network
//! mounts): there `create_new` writes the file itself after claiming its name, so a crash in the middle leaves a torn
//! file, which readers must take as "not there yet".

mod mounted;
mod private;
mod workspace;

pub use mounted::MountedFolder;
pub use private::{LatePrivateDisk, PrivateDisk};
pub use workspace::WorkspaceDisk;

use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

/// The most bytes that are read of one file of the workspace.
pub const READ_LIMIT_BYTES: u64 = 8 * 1024 * 1024;
/// The most entries that a folder may have.
pub const LIST_LIMIT_ENTRIES: usize = 100_000;
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
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name, without the folder.
    pub name: String,
    /// What it is; a symbolic link counts as what it leads to.
    pub kind: EntryKind,
}

/// What an entry of a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A fifo, a device, a link that leads nowhere or out of the workspace.
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
    /// A write is on the medium when its call returns: it survives a power loss.
    Full,
    /// A write survives the death of the process, not a power loss. For benchmarks.
    None,
}

/// What the world did not allow. Each carries the path once.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// The path is absolute, has an empty part, `.`, `..` or NUL, or a symbolic link on it leads out of the workspace.
    #[error("{path:?} is not a path inside the workspace, or a symbolic link on it leads out")]
    Escapes {
        /// As it was given.
        path: String,
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
            // cap-std's own refusal; the system's has a code.
            ErrorKind::PermissionDenied if error.raw_os_error().is_none() => DiskError::Escapes { path },
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => DiskError::Denied { path },
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => DiskError::Full { path },
            ErrorKind::IsADirectory => DiskError::NotAFile { path },
            _ => DiskError::Io { path, source: error },
        }
    }

    /// Whether it is about what stands in one place, so that everything else can still be read.
    pub fn is_about_one_file(&self) -> bool {
        matches!(self, DiskError::TooLarge { .. } | DiskError::NotAFile { .. } | DiskError::Escapes { .. })
    }

    /// The path that it is about.
    pub fn path(&self) -> &str {
        match self {
            DiskError::Escapes { path }
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
        }
    };
}

forward!(&D);
forward!(Arc<D>);

/// Reads a file that the user named on the command line: a regular file anywhere, or a pipe, of at most `limit_bytes`.
pub fn read_named(path: &Path, limit_bytes: u64) -> Result<Vec<u8>, DiskError> {
    let name = path.display().to_string();
    let failed = |error| DiskError::from_io(&name, error);
    let file = std::fs::File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(DiskError::NotAFile { path: name });
    }
    let mut bytes = Vec::new();
    file.take(limit_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit_bytes {
        return Err(DiskError::TooLarge { path: name, most: size(limit_bytes) });
    }
    Ok(bytes)
}

fn size(bytes: u64) -> String {
    const KIB: u64 = 1024;
    const MIB: u64 = 1024 * KIB;
    match bytes {
        _ if bytes >= MIB && bytes.is_multiple_of(MIB) => format!("{} MiB", bytes / MIB),
        _ if bytes >= KIB && bytes.is_multiple_of(KIB) => format!("{} KiB", bytes / KIB),
        _ => format!("{bytes} bytes"),
    }
}
