//! The real disk: the files below one folder of this machine.
//!
//! What it promises, and what a crash leaves, is said in [`crate::disk`]. Every path is resolved below one open
//! folder by the kernel (`openat2` with `RESOLVE_BENEATH`, through cap-std), so a link that is swapped in between a
//! check and its use gains nothing: there is no check.

use super::{
    Created, Disk, DiskError, Durability, Entry, EntryKind, LIST_LIMIT_ENTRIES, READ_LIMIT_BYTES, TEMP_PREFIX, size,
};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt, Permissions};
use rustix::fs::OFlags;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// What the system's own mask leaves of this is the mode of a new file.
const FILE_MODE: u32 = 0o666;
/// How many names are tried for a temporary file: a dead process with our id may have left some.
const TEMP_NAME_ATTEMPTS: u32 = 10_000;

/// The files below one folder of the machine.
#[derive(Debug)]
pub struct WorkspaceDisk {
    root: Dir,
    root_path: PathBuf,
    durability: Durability,
    file_mode: u32,
}

impl WorkspaceDisk {
    /// Opens the workspace at `root`, which must be a folder.
    pub fn open(root: &Path, durability: Durability) -> Result<Self, DiskError> {
        let opened = Dir::open_ambient_dir(root, ambient_authority())
            .map_err(|error| DiskError::from_io(&root.display().to_string(), error))?;
        Ok(Self { root: opened, root_path: root.to_owned(), durability, file_mode: FILE_MODE })
    }

    /// The same disk, whose new files have this mode from the moment they are there.
    pub(super) fn making_files_of_mode(self, file_mode: u32) -> Self {
        Self { file_mode, ..self }
    }

    /// The workspace's folder as it was given to `open`.
    pub fn root(&self) -> &Path {
        &self.root_path
    }

    /// Removes what dead processes left half-written in a folder, and says how many. Where it cannot be told whether a
    /// process lives (no `/proc`) nothing is removed.
    pub fn sweep(&self, folder: &str) -> Result<usize, DiskError> {
        checked_folder(folder)?;
        let failed = |error| DiskError::from_io(folder, error);
        let dir = match self.open_folder(folder) {
            Ok(dir) => dir,
            Err(error) if is_absent(&error) => return Ok(0),
            Err(error) => return Err(failed(error)),
        };
        let mut removed = 0;
        for entry in dir.entries().map_err(failed)?.take(LIST_LIMIT_ENTRIES) {
            let entry = entry.map_err(failed)?;
            let left_behind = entry.file_name().to_str().and_then(temp_owner).is_some_and(is_dead);
            if left_behind && entry.remove_file().is_ok() {
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// How long ago a file was changed, by the machine's own clock: the one that its time was taken from.
    pub fn age(&self, path: &str) -> Option<Duration> {
        let changed = self.root.metadata(path).ok()?.modified().ok()?.into_std();
        SystemTime::now().duration_since(changed).ok()
    }

    /// A file opened for reading and writing, made if it is not there. It never blocks; the caller must not trust its
    /// kind.
    pub(crate) fn open_or_create(&self, path: &str) -> Result<std::fs::File, DiskError> {
        let target = Target::of(path)?;
        let folder = self.folder_for(&target)?;
        // A link in a lock's place would have its target emptied.
        if folder.symlink_metadata(target.name).is_ok_and(|found| found.is_symlink()) {
            return Err(DiskError::NotAFile { path: path.to_owned() });
        }
        let mut options = never_waiting();
        options.write(true).create(true);
        let file = self.root.open_with(path, &options).map_err(|error| DiskError::from_io(path, error))?;
        Ok(file.into_std())
    }

    /// The target's folder, made if it is not there.
    fn folder_for(&self, target: &Target<'_>) -> Result<Dir, DiskError> {
        let opened = match self.open_folder(target.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.make_folders(target.folder).and_then(|()| self.open_folder(target.folder))
            }
            opened => opened,
        };
        opened.map_err(|error| DiskError::from_io(target.path, error))
    }

    /// A folder opened such that it can be synced too, which cap-std's own folder handles cannot.
    fn open_folder(&self, folder: &str) -> io::Result<Dir> {
        let path = if folder.is_empty() { "./".to_owned() } else { format!("{folder}/") };
        self.root.open_with(path, &never_waiting()).map(|file| Dir::from_std_file(file.into_std()))
    }

    /// Makes a folder and those above it. Each new one is synced into its parent: otherwise a power loss could take the
    /// folder away with the synced files in it.
    fn make_folders(&self, folder: &str) -> io::Result<()> {
        let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
        for end in ends {
            let (path, parent) = (&folder[..end], folder[..end].rsplit_once('/').map_or("", |(parent, _)| parent));
            match self.root.create_dir(path) {
                Ok(()) => self.sync_folder(&self.open_folder(parent)?)?,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Writes a temporary file into the folder and returns its name. On failure nothing is left.
    fn write_temp(&self, dir: &Dir, bytes: &[u8], permissions: Option<Permissions>) -> io::Result<String> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        for _ in 0..TEMP_NAME_ATTEMPTS {
            let name = format!("{TEMP_PREFIX}{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
            match self.write_claimed(dir, &name, bytes, permissions.clone()) {
                Ok(()) => return Ok(name),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("no name is free for a temporary file"))
    }

    /// Claims a name and writes the file under it. On failure nothing is left, unless the name was taken before.
    fn write_claimed(&self, dir: &Dir, name: &str, bytes: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
        let mut file = dir.open_with(name, OpenOptions::new().write(true).create_new(true).mode(self.file_mode))?;
        let written = (|| {
            if let Some(permissions) = permissions {
                file.set_permissions(permissions)?;
            }
            file.write_all(bytes)?;
            if self.durability == Durability::Full { file.sync_all() } else { Ok(()) }
        })();
        if written.is_err() {
            let _ = dir.remove_file(name);
        }
        written
    }

    /// Gives a complete temporary file its name unless that is taken, and removes the temporary name.
    fn publish(&self, dir: &Dir, temp: &str, name: &str, bytes: &[u8]) -> io::Result<()> {
        let linked = match dir.hard_link(temp, dir, name) {
            // What file systems without hard links say; permission to write here was shown by the temporary file.
            Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::Unsupported) => {
                self.write_claimed(dir, name, bytes, None)
            }
            linked => linked,
        };
        let _ = dir.remove_file(temp);
        linked
    }

    /// What it means that the name is taken: `AlreadyThere` is said of files only, otherwise a reader would look in
    /// vain.
    fn found(&self, path: &str) -> Result<Created, DiskError> {
        let not_a_file = || DiskError::NotAFile { path: path.to_owned() };
        match self.root.metadata(path) {
            Ok(metadata) if metadata.is_file() => Ok(Created::AlreadyThere),
            Ok(_) => Err(not_a_file()),
            Err(error) if error.kind() == ErrorKind::NotFound => match self.root.symlink_metadata(path) {
                Ok(_) => Err(not_a_file()),
                Err(_) => Ok(Created::AlreadyThere),
            },
            Err(error) => Err(DiskError::from_io(path, error)),
        }
    }

    fn sync_folder(&self, dir: &Dir) -> io::Result<()> {
        match self.durability {
            Durability::Full => Ok(rustix::fs::fsync(dir)?),
            Durability::None => Ok(()),
        }
    }
}

impl Disk for WorkspaceDisk {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, DiskError> {
        let target = Target::of(path)?;
        let file = match self.root.open_with(target.path, &never_waiting()) {
            Ok(file) => file,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(DiskError::from_io(path, error)),
        };
        let metadata = file.metadata().map_err(|error| DiskError::from_io(path, error))?;
        if !metadata.is_file() {
            return Err(DiskError::NotAFile { path: path.to_owned() });
        }
        let too_large = || DiskError::TooLarge { path: path.to_owned(), most: size(READ_LIMIT_BYTES) };
        if metadata.len() > READ_LIMIT_BYTES {
            return Err(too_large());
        }
        let bytes = read_all(file, metadata.len()).map_err(|error| DiskError::from_io(path, error))?;
        bytes.map(Some).ok_or_else(too_large)
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>, DiskError> {
        checked_folder(folder)?;
        let failed = |error| DiskError::from_io(folder, error);
        let opened = if folder.is_empty() { self.root.entries() } else { self.root.read_dir(folder) };
        let listing = match opened {
            Ok(listing) => listing,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut entries = Vec::new();
        for entry in listing {
            let entry = entry.map_err(failed)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with(TEMP_PREFIX) {
                continue;
            }
            if entries.len() == LIST_LIMIT_ENTRIES {
                return Err(DiskError::TooLarge {
                    path: folder.to_owned(),
                    most: format!("{LIST_LIMIT_ENTRIES} entries"),
                });
            }
            let found = entry.file_type().map_err(failed)?;
            let kind = if found.is_file() {
                EntryKind::File
            } else if found.is_dir() {
                EntryKind::Folder
            } else {
                // A link, or a file system that does not say.
                let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
                match self.root.metadata(path) {
                    Ok(metadata) if metadata.is_file() => EntryKind::File,
                    Ok(metadata) if metadata.is_dir() => EntryKind::Folder,
                    _ => EntryKind::Other,
                }
            };
            entries.push(Entry { name, kind });
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn create_new(&self, path: &str, bytes: &[u8]) -> Result<Created, DiskError> {
        let target = Target::of(path)?;
        let failed = |error| DiskError::from_io(path, error);
        let dir = self.folder_for(&target)?;
        if dir.symlink_metadata(target.name).is_ok() {
            return self.found(path);
        }
        let temp = self.write_temp(&dir, bytes, None).map_err(failed)?;
        match self.publish(&dir, &temp, target.name, bytes) {
            Ok(()) => self.sync_folder(&dir).map(|()| Created::New).map_err(failed),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => self.found(path),
            Err(error) => Err(failed(error)),
        }
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), DiskError> {
        let target = Target::of(path)?;
        let failed = |error| DiskError::from_io(path, error);
        let dir = self.folder_for(&target)?;
        // A file that its owner closed to others stays closed; one on a disk with a mode of its own gets that.
        let keeps_mode = self.file_mode == FILE_MODE;
        let before = dir.symlink_metadata(target.name).ok().filter(|metadata| keeps_mode && metadata.is_file());
        let temp = self.write_temp(&dir, bytes, before.map(|metadata| metadata.permissions())).map_err(failed)?;
        if let Err(error) = dir.rename(&temp, &dir, target.name) {
            let _ = dir.remove_file(&temp);
            return Err(failed(error));
        }
        self.sync_folder(&dir).map_err(failed)
    }

    fn remove(&self, path: &str) -> Result<(), DiskError> {
        let target = Target::of(path)?;
        let removed = self.open_folder(target.folder).and_then(|dir| {
            dir.remove_file(target.name)?;
            self.sync_folder(&dir)
        });
        match removed {
            Err(error) if !is_absent(&error) => Err(DiskError::from_io(path, error)),
            _ => Ok(()),
        }
    }
}

/// A checked path in two parts.
struct Target<'p> {
    path: &'p str,
    folder: &'p str,
    name: &'p str,
}

impl<'p> Target<'p> {
    fn of(path: &'p str) -> Result<Self, DiskError> {
        let sound = !path.contains('\0') && path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if !sound {
            return Err(DiskError::Escapes { path: path.to_owned() });
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        Ok(Self { path, folder, name })
    }
}

fn checked_folder(folder: &str) -> Result<(), DiskError> {
    if folder.is_empty() { Ok(()) } else { Target::of(folder).map(|_| ()) }
}

/// Whether the error says that there is no such file: not there, or a file stands where a folder should be.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// All bytes of a file whose size is known but may be wrong; `None` beyond the limit. A read that ends exactly at the
/// size is taken as the end, which saves the call that would say so.
fn read_all(mut file: cap_std::fs::File, size_bytes: u64) -> io::Result<Option<Vec<u8>>> {
    let size_bytes = usize::try_from(size_bytes).unwrap_or(usize::MAX);
    let mut bytes = vec![0; size_bytes.saturating_add(1)];
    let mut filled = 0;
    loop {
        let count = match file.read(&mut bytes[filled..]) {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        filled += count;
        if count == 0 || filled == size_bytes {
            bytes.truncate(filled);
            return Ok(Some(bytes));
        }
        if filled as u64 > READ_LIMIT_BYTES {
            return Ok(None);
        }
        if filled == bytes.len() {
            bytes.resize(filled.saturating_mul(2), 0);
        }
    }
}

/// The process that made a temporary file, from its name.
fn temp_owner(name: &str) -> Option<u32> {
    let (pid, _) = name.strip_prefix(TEMP_PREFIX)?.split_once('-')?;
    pid.parse().ok()
}

fn is_dead(pid: u32) -> bool {
    let processes = Path::new("/proc");
    cfg!(target_os = "linux") && processes.join("self").exists() && !processes.join(pid.to_string()).exists()
}

/// Options to open for reading without waiting for the other end of a fifo.
fn never_waiting() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    options
}
