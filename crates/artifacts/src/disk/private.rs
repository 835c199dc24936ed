//! A folder whose files are one user's alone: where sealed words wait.
//!
//! The folder is closed to everybody else before anything is put into it, and each file is closed from its first byte on:
//! there is no moment in which somebody could open it.

use super::{Created, Disk, DiskError, Durability, Entry, WorkspaceDisk};
use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// The mode of the folder: nobody else may even look into it.
const FOLDER_MODE: u32 = 0o700;
/// The mode of its files; it holds wherever they are copied to.
const FILE_MODE: u32 = 0o600;
/// Everything that others may be allowed.
const OTHERS: u32 = 0o077;

/// The files of a folder that only this user can read.
#[derive(Debug)]
pub struct PrivateDisk {
    disk: WorkspaceDisk,
}

impl PrivateDisk {
    /// Opens the folder, made if it is not there. One that is open to others is closed first.
    pub fn open(root: &Path, durability: Durability) -> Result<Self, DiskError> {
        let shown = root.display().to_string();
        let made = DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(root);
        made.and_then(|()| close(root)).map_err(|error| DiskError::from_io(&shown, error))?;
        Ok(Self { disk: WorkspaceDisk::open(root, durability)?.making_files_of_mode(FILE_MODE) })
    }

    /// Opens the folder if it is there.
    pub fn open_existing(root: &Path, durability: Durability) -> Result<Option<Self>, DiskError> {
        if root.is_dir() { Self::open(root, durability).map(Some) } else { Ok(None) }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        self.disk.root()
    }
}

/// The same, made when something is first put into it: whoever only looks leaves nothing behind.
#[derive(Debug)]
pub struct LatePrivateDisk {
    root: Option<PathBuf>,
    durability: Durability,
}

impl LatePrivateDisk {
    /// The folder, which need not be there. Without one nothing is found, and nothing can be kept.
    pub fn at(root: Option<PathBuf>, durability: Durability) -> Self {
        Self { root, durability }
    }

    fn existing(&self) -> Result<Option<PrivateDisk>, DiskError> {
        self.root.as_ref().map_or(Ok(None), |root| PrivateDisk::open_existing(root, self.durability))
    }

    fn made(&self) -> Result<PrivateDisk, DiskError> {
        let missing = || io::Error::other("there is no home to keep it in; set HOME or XDG_STATE_HOME to a whole path");
        let root = self.root.as_ref().ok_or_else(|| DiskError::from_io("the user's state folder", missing()))?;
        PrivateDisk::open(root, self.durability)
    }
}

impl Disk for LatePrivateDisk {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, DiskError> {
        self.existing()?.map_or(Ok(None), |disk| disk.read(path))
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>, DiskError> {
        self.existing()?.map_or(Ok(Vec::new()), |disk| disk.list(folder))
    }

    fn create_new(&self, path: &str, bytes: &[u8]) -> Result<Created, DiskError> {
        self.made()?.create_new(path, bytes)
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), DiskError> {
        self.made()?.replace(path, bytes)
    }

    fn remove(&self, path: &str) -> Result<(), DiskError> {
        self.existing()?.map_or(Ok(()), |disk| disk.remove(path))
    }
}

fn close(folder: &Path) -> io::Result<()> {
    let mode = std::fs::metadata(folder)?.permissions().mode() & 0o777;
    if mode & OTHERS == 0 {
        return Ok(());
    }
    std::fs::set_permissions(folder, Permissions::from_mode(FOLDER_MODE)).map_err(|error| {
        io::Error::other(format!(
            "others may look into it (its mode is {mode:o}), and it cannot be closed to them: {error}; expected mode 700"
        ))
    })
}

impl Disk for PrivateDisk {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, DiskError> {
        self.disk.read(path)
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>, DiskError> {
        self.disk.list(folder)
    }

    fn create_new(&self, path: &str, bytes: &[u8]) -> Result<Created, DiskError> {
        self.disk.create_new(path, bytes)
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), DiskError> {
        self.disk.replace(path, bytes)
    }

    fn remove(&self, path: &str) -> Result<(), DiskError> {
        self.disk.remove(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_folder_that_was_open_to_others_is_closed() {
        let around = tempfile::tempdir().unwrap();
        let folder = around.path().join("state/sealed");
        assert!(PrivateDisk::open_existing(&folder, Durability::None).unwrap().is_none());
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        let disk = PrivateDisk::open(&folder, Durability::None).unwrap();
        assert_eq!(mode(&folder), 0o700);
        let _ = disk.create_new("a.md", b"words").unwrap();
        std::fs::write(folder.join("b.md"), "words that others may read").unwrap();
        std::fs::set_permissions(folder.join("b.md"), Permissions::from_mode(0o644)).unwrap();
        disk.replace("b.md", b"other words").unwrap();
        assert_eq!((mode(&folder.join("a.md")), mode(&folder.join("b.md"))), (0o600, 0o600));
        assert_eq!(disk.read("b.md").unwrap().unwrap(), b"other words");
        std::fs::set_permissions(&folder, Permissions::from_mode(0o750)).unwrap();
        assert!(PrivateDisk::open_existing(&folder, Durability::None).unwrap().is_some());
        assert_eq!(mode(&folder), 0o700);
    }

    /// Whatever name a file has on its way to its own, it was never open to others.
    #[test]
    fn files_are_closed_from_their_first_byte_on() {
        let around = tempfile::tempdir().unwrap();
        let disk = PrivateDisk::open(around.path(), Durability::None).unwrap();
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                let mut open = Vec::new();
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    for entry in std::fs::read_dir(around.path()).unwrap().flatten() {
                        let Ok(metadata) = entry.metadata() else { continue };
                        if metadata.permissions().mode() & OTHERS != 0 {
                            open.push(entry.file_name());
                        }
                    }
                }
                open
            });
            for number in 0..200 {
                let _ = disk.create_new(&format!("{number}.md"), &[b'x'; 4096]).unwrap();
                disk.remove(&format!("{number}.md")).unwrap();
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            assert_eq!(watcher.join().unwrap(), Vec::<std::ffi::OsString>::new());
        });
    }
}
