//! A debate's folder as if it lay in a workspace: what a check of a folder alone reads from.
//!
//! A debate's files name each other by their places in the workspace they were made in. This disk shows one folder of the
//! machine at such a place, and nothing else.
//!
//! Must never: write.

use super::{Created, Disk, DiskError, Entry, WorkspaceDisk};

/// A folder shown at a place, for reading only.
#[derive(Debug)]
pub struct MountedFolder {
    folder: WorkspaceDisk,
    place: String,
}

impl MountedFolder {
    /// Shows `folder` at `place`, a path in a workspace.
    pub fn at(folder: WorkspaceDisk, place: &str) -> Self {
        Self { folder, place: place.to_owned() }
    }

    /// The path below the folder; none for what lies elsewhere.
    fn below<'p>(&self, path: &'p str) -> Option<&'p str> {
        path.strip_prefix(self.place.as_str())?.strip_prefix('/')
    }

    fn refused<T>(path: &str) -> Result<T, DiskError> {
        Err(DiskError::Denied { path: path.to_owned() })
    }
}

impl Disk for MountedFolder {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, DiskError> {
        self.below(path).map_or(Ok(None), |path| self.folder.read(path))
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>, DiskError> {
        if folder == self.place {
            return self.folder.list("");
        }
        self.below(folder).map_or(Ok(Vec::new()), |folder| self.folder.list(folder))
    }

    fn create_new(&self, path: &str, _bytes: &[u8]) -> Result<Created, DiskError> {
        Self::refused(path)
    }

    fn replace(&self, path: &str, _bytes: &[u8]) -> Result<(), DiskError> {
        Self::refused(path)
    }

    fn remove(&self, path: &str) -> Result<(), DiskError> {
        Self::refused(path)
    }
}
