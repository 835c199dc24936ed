//! The real disk: the files below one folder of this machine.
//!
//! What it promises, and what a crash leaves, is said in [`crate::disk`]. Every path is resolved below one open
//! folder and follows no symbolic link, by the kernel (`openat2`) or part by part, so a link that is swapped in between a
//! check and its use gains nothing: there is no check. A folder that a worktree shares with another is opened below the
//! other's root, where it is no link (`shared`).

use super::places::{self, Refusal};
use super::publishing::{self, Way};
use super::settling::{Settling, When};
use super::shared::{self, Shared};
use super::{
    Created, Disk, DiskError, Durability, Entry, EntryKind, LIST_LIMIT_ENTRIES, READ_LIMIT_BYTES, TEMP_PREFIX, size,
};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt, Permissions};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
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
    ways: &'static [Way],
    is_in_git: bool,
    installs: bool,
    shared: Vec<Shared>,
    settling: Settling,
}

impl WorkspaceDisk {
    /// Opens the workspace at `root`, which must be a folder.
    pub fn open(root: &Path, durability: Durability) -> Result<Self, DiskError> {
        let opened = Dir::open_ambient_dir(root, ambient_authority())
            .map_err(|error| DiskError::from_io(&root.display().to_string(), error))?;
        let is_in_git = root.canonicalize().is_ok_and(|real| places::is_in_git(&real));
        let (root_path, shared) = (root.to_owned(), shared::of(root));
        Ok(Self {
            root: opened,
            root_path,
            durability,
            file_mode: FILE_MODE,
            ways: Way::ALL,
            is_in_git,
            installs: false,
            shared,
            settling: Settling::default(),
        })
    }

    /// The same disk as if its file system had only these ways to give a file its name.
    #[must_use]
    pub fn publishing_by(self, ways: &'static [Way]) -> Self {
        Self { ways, ..self }
    }

    /// The same disk for `forge install`, which a person typed: it also touches the host's settings, and forge's pages and
    /// agents beside them.
    #[must_use]
    pub fn for_install(self) -> Self {
        Self { installs: true, ..self }
    }

    /// Removes a folder of the host's if nothing is in it.
    pub fn remove_empty(&self, folder: &str) -> Result<(), DiskError> {
        if !self.installs || !places::is_host_folder(folder) {
            return Err(places::refused(folder, Refusal::Hidden));
        }
        let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
        let removed = self.open_folder(above).and_then(|dir| dir.remove_dir(name));
        match removed {
            Err(error) if !is_absent(&error) && error.kind() != ErrorKind::DirectoryNotEmpty => {
                Err(self.error(folder, error))
            }
            _ => Ok(()),
        }
    }

    /// The same disk, whose new files have this mode from the moment they are there.
    pub(super) fn making_files_of_mode(self, file_mode: u32) -> Self {
        Self { file_mode, ..self }
    }

    /// The workspace's folder as it was given to `open`.
    pub fn root(&self) -> &Path {
        &self.root_path
    }

    /// How much a write costs here.
    pub fn durability(&self) -> Durability {
        self.durability
    }

    /// Removes what dead processes left half-written in a folder, and says how many. Where it cannot be told whether a
    /// process lives (no `/proc`) nothing is removed.
    pub fn sweep(&self, folder: &str) -> Result<usize, DiskError> {
        self.checked_folder(folder)?;
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
        let changed = self.opened(path).ok()??.metadata().ok()?.modified().ok()?;
        SystemTime::now().duration_since(changed).ok()
    }

    /// How many names a file has; nothing where there is none.
    pub fn names(&self, path: &str) -> Result<Option<u64>, DiskError> {
        let Some(file) = self.opened(path)? else { return Ok(None) };
        file.metadata()
            .map(|found| Some(std::os::unix::fs::MetadataExt::nlink(&found)))
            .map_err(|e| self.error(path, e))
    }

    /// A file opened for reading and writing, made if it is not there. It never blocks; the caller must not trust its
    /// kind. One that has other names too is refused: whoever holds it writes into it.
    pub(crate) fn open_or_create(&self, path: &str) -> Result<File, DiskError> {
        let target = self.target_to_write(path)?;
        let failed = |error| self.error(path, error);
        self.folder_for(&target, When::Soon)?;
        let flags = OFlags::RDWR | OFlags::CREATE;
        let file = self.open_at(path, flags, Mode::from_raw_mode(self.file_mode)).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        match std::os::unix::fs::MetadataExt::nlink(&metadata) {
            count if metadata.is_file() && count > 1 => Err(places::refused(path, Refusal::Names(count))),
            _ => Ok(file),
        }
    }

    /// A file opened for reading, if it is there.
    fn opened(&self, path: &str) -> Result<Option<File>, DiskError> {
        let target = self.target(path)?;
        match self.open_at(target.path, OFlags::RDONLY, Mode::empty()) {
            Ok(file) => Ok(Some(file)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(self.error(path, error)),
        }
    }

    /// The folder below which a path is looked for: the workspace, or the worktree that it shares the path with.
    fn root_of(&self, path: &str) -> &Dir {
        self.shared.iter().find(|shared| shared.has(path)).map_or(&self.root, |shared| &shared.root)
    }

    /// Opens what is at a path below the root, through no link and without waiting for anybody.
    fn open_at(&self, path: &str, flags: OFlags, mode: Mode) -> io::Result<File> {
        let flags = flags | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::ResolveFlags;
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            match rustix::fs::openat2(self.root_of(path), path, flags, mode, resolve) {
                // An old kernel, or a container that does not know the call.
                Err(Errno::NOSYS | Errno::PERM) => {}
                opened => return Ok(opened.map(File::from)?),
            }
        }
        self.walk_to(path, flags, mode)
    }

    /// The same part by part.
    fn walk_to(&self, path: &str, flags: OFlags, mode: Mode) -> io::Result<File> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut at = rustix::fs::openat(self.root_of(path), ".", OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
        let through = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for part in folder.split('/').filter(|part| !part.is_empty()) {
            at = opened_at(&at, part, through, Mode::empty())?;
        }
        Ok(File::from(opened_at(&at, name, flags | OFlags::NOFOLLOW, mode)?))
    }

    /// The error of a call on `path`; a link is named.
    fn error(&self, path: &str, error: io::Error) -> DiskError {
        if !publishing::is_loop(&error) {
            return DiskError::from_io(path, error);
        }
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let is_link = |part: &&str| self.root_of(part).symlink_metadata(part).is_ok_and(|found| found.is_symlink());
        let link = ends.map(|end| &path[..end]).find(is_link).unwrap_or(path);
        places::refused(path, Refusal::Link(link.to_owned()))
    }

    fn is_installed(&self, path: &str) -> bool {
        self.installs && places::is_installed(path)
    }

    fn target<'p>(&self, path: &'p str) -> Result<Target<'p>, DiskError> {
        let sound = !path.contains('\0') && path.split('/').all(|part| !matches!(part, "" | "." | ".."));
        if !sound {
            return Err(DiskError::Escapes { path: path.to_owned() });
        }
        if let Some(why) = places::not_read(path).filter(|_| !self.is_installed(path)) {
            return Err(places::refused(path, why));
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        Ok(Target { path, folder, name })
    }

    fn checked_folder(&self, folder: &str) -> Result<(), DiskError> {
        let is_open = folder.is_empty() || (self.installs && places::is_host_folder(folder));
        if is_open { Ok(()) } else { self.target(folder).map(|_| ()) }
    }

    fn target_to_write<'p>(&self, path: &'p str) -> Result<Target<'p>, DiskError> {
        let target = self.target(path)?;
        let why = match () {
            () if self.is_in_git => Some(Refusal::Git),
            () if self.is_installed(path) => None,
            () => places::not_written(path),
        };
        why.map_or(Ok(target), |why| Err(places::refused(path, why)))
    }

    /// The target's folder, made if it is not there.
    fn folder_for(&self, target: &Target<'_>, when: When) -> Result<Dir, DiskError> {
        let opened = match self.open_folder(target.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => self.make_folders(target.folder, when),
            opened => opened,
        };
        opened.map_err(|error| self.error(target.path, error))
    }

    /// A folder opened such that it can be synced too, which cap-std's own folder handles cannot.
    fn open_folder(&self, folder: &str) -> io::Result<Dir> {
        let path = if folder.is_empty() { "." } else { folder };
        self.open_at(path, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).map(Dir::from_std_file)
    }

    /// Makes a folder and those above it, and opens it. Each new one is synced into its parent: otherwise a power loss could
    /// take the folder away with the synced files in it.
    fn make_folders(&self, folder: &str, when: When) -> io::Result<Dir> {
        let ends: Vec<usize> = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]).collect();
        // Most often only the last one is missing.
        let mut there = ends.len().saturating_sub(1);
        let mut inside = loop {
            let above = there.checked_sub(1).and_then(|at| ends.get(at)).map_or("", |end| &folder[..*end]);
            match self.open_folder(above) {
                Err(error) if error.kind() == ErrorKind::NotFound && there > 0 => there -= 1,
                opened => break opened?,
            }
        };
        for end in ends.into_iter().skip(there) {
            let path = &folder[..end];
            match inside.create_dir(path.rsplit_once('/').map_or(path, |(_, name)| name)) {
                Ok(()) => {
                    self.sync_folder(&inside, when)?;
                    if when.is_noted(self.durability) {
                        self.settling.note_folder();
                    }
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            inside = self.open_folder(path)?;
        }
        Ok(inside)
    }

    /// Writes a temporary file into the folder and returns its name. On failure nothing is left.
    fn write_temp(&self, dir: &Dir, bytes: &[u8], permissions: Option<Permissions>, when: When) -> io::Result<String> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        for _ in 0..TEMP_NAME_ATTEMPTS {
            let name = format!("{TEMP_PREFIX}{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
            match self.write_claimed(dir, &name, bytes, permissions.clone(), when) {
                Ok(()) => return Ok(name),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("no name is free for a temporary file"))
    }

    /// Claims a name and writes the file under it. On failure nothing is left, unless the name was taken before.
    fn write_claimed(
        &self,
        dir: &Dir,
        name: &str,
        bytes: &[u8],
        permissions: Option<Permissions>,
        when: When,
    ) -> io::Result<()> {
        let mut file = dir.open_with(name, OpenOptions::new().write(true).create_new(true).mode(self.file_mode))?;
        let written = (|| {
            if let Some(permissions) = permissions {
                file.set_permissions(permissions)?;
            }
            file.write_all(bytes)?;
            if when.waits(self.durability) { file.sync_all() } else { Ok(()) }
        })();
        if written.is_err() {
            let _ = dir.remove_file(name);
        }
        written
    }

    /// What it means that the name is taken: `AlreadyThere` is said of files only, otherwise a reader would look in
    /// vain.
    fn found(&self, dir: &Dir, target: &Target<'_>) -> Result<Created, DiskError> {
        match dir.symlink_metadata(target.name) {
            Ok(metadata) if metadata.is_symlink() => Err(self.error(target.path, Errno::LOOP.into())),
            Ok(metadata) if !metadata.is_file() => Err(DiskError::NotAFile { path: target.path.to_owned() }),
            Err(error) if error.kind() != ErrorKind::NotFound => Err(self.error(target.path, error)),
            _ => Ok(Created::AlreadyThere),
        }
    }

    fn sync_folder(&self, dir: &Dir, when: When) -> io::Result<()> {
        if when.is_noted(self.durability) {
            return self.settling.note(dir);
        }
        if when.waits(self.durability) {
            self.settling.settle_folders()?;
            rustix::fs::fsync(dir)?;
        }
        Ok(())
    }

    fn create(&self, path: &str, bytes: &[u8], when: When) -> Result<Created, DiskError> {
        let target = self.target_to_write(path)?;
        let failed = |error| self.error(path, error);
        let dir = self.folder_for(&target, when)?;
        let temp = self.write_temp(&dir, bytes, None, when).map_err(failed)?;
        match publishing::publish(&dir, &temp, target.name, self.ways) {
            Ok(()) => self.sync_folder(&dir, when).map(|()| Created::New).map_err(failed),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => self.found(&dir, &target),
            Err(error) => Err(failed(error)),
        }
    }

    fn put(&self, path: &str, bytes: &[u8], when: When) -> Result<(), DiskError> {
        let target = self.target_to_write(path)?;
        let failed = |error| self.error(path, error);
        let dir = self.folder_for(&target, when)?;
        let before = dir.symlink_metadata(target.name).ok();
        if before.as_ref().is_some_and(|found| found.is_symlink()) {
            return Err(failed(Errno::LOOP.into()));
        }
        // A file that its owner closed to others stays closed; one on a disk with a mode of its own gets that.
        let keeps_mode = self.file_mode == FILE_MODE;
        let before = before.filter(|metadata| keeps_mode && metadata.is_file());
        let temp = self.write_temp(&dir, bytes, before.map(|metadata| metadata.permissions()), when).map_err(failed)?;
        if let Err(error) = dir.rename(&temp, &dir, target.name) {
            let _ = dir.remove_file(&temp);
            return Err(failed(error));
        }
        self.sync_folder(&dir, when).map_err(failed)
    }
}

impl Disk for WorkspaceDisk {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, DiskError> {
        let Some(file) = self.opened(path)? else { return Ok(None) };
        let metadata = file.metadata().map_err(|error| self.error(path, error))?;
        if !metadata.is_file() {
            return Err(DiskError::NotAFile { path: path.to_owned() });
        }
        let too_large = || DiskError::TooLarge { path: path.to_owned(), most: size(READ_LIMIT_BYTES) };
        if metadata.len() > READ_LIMIT_BYTES {
            return Err(too_large());
        }
        let bytes = read_all(file, metadata.len()).map_err(|error| self.error(path, error))?;
        bytes.map(Some).ok_or_else(too_large)
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>, DiskError> {
        self.checked_folder(folder)?;
        let failed = |error| self.error(folder, error);
        let opened = match self.open_folder(folder) {
            Ok(opened) => opened,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut entries = Vec::new();
        let mut listed = rustix::fs::Dir::new(opened).map_err(|error| failed(error.into()))?;
        while let Some(entry) = listed.read() {
            let entry = entry.map_err(|error| failed(error.into()))?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            if matches!(name, "." | "..") || name.starts_with(TEMP_PREFIX) {
                continue;
            }
            if entries.len() == LIST_LIMIT_ENTRIES {
                return Err(DiskError::TooLarge {
                    path: folder.to_owned(),
                    most: format!("{LIST_LIMIT_ENTRIES} entries"),
                });
            }
            let ask = || rustix::fs::statat(listed.fd()?, name, AtFlags::SYMLINK_NOFOLLOW);
            let kind = match kind_of(entry.file_type(), ask) {
                EntryKind::Other if self.shared.iter().any(|shared| shared.is_at(folder, name)) => EntryKind::Folder,
                kind => kind,
            };
            entries.push(Entry { name: name.to_owned(), kind });
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn create_new(&self, path: &str, bytes: &[u8]) -> Result<Created, DiskError> {
        self.create(path, bytes, When::Now)
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), DiskError> {
        self.put(path, bytes, When::Now)
    }

    fn create_soon(&self, path: &str, bytes: &[u8]) -> Result<Created, DiskError> {
        self.create(path, bytes, When::Soon)
    }

    fn replace_soon(&self, path: &str, bytes: &[u8]) -> Result<(), DiskError> {
        self.put(path, bytes, When::Soon)
    }

    fn settle(&self) -> Result<(), DiskError> {
        self.settling.settle().map_err(|error| self.error("", error))
    }

    fn remove(&self, path: &str) -> Result<(), DiskError> {
        let target = self.target_to_write(path)?;
        let removed = self.open_folder(target.folder).and_then(|dir| {
            dir.remove_file(target.name)?;
            self.sync_folder(&dir, When::Now)
        });
        match removed {
            Err(error) if !is_absent(&error) => Err(self.error(path, error)),
            _ => Ok(()),
        }
    }
}

/// Opens one part of a path and follows no link; that it is one is said, whatever was asked for.
fn opened_at(at: &impl std::os::fd::AsFd, part: &str, flags: OFlags, mode: Mode) -> io::Result<std::os::fd::OwnedFd> {
    rustix::fs::openat(at, part, flags, mode).map_err(|error| {
        let found = rustix::fs::statat(at, part, AtFlags::SYMLINK_NOFOLLOW);
        let is_link = found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_symlink());
        if is_link { Errno::LOOP.into() } else { error.into() }
    })
}

/// What an entry is. Where the file system does not say, the entry itself tells.
fn kind_of(said: FileType, ask: impl FnOnce() -> rustix::io::Result<rustix::fs::Stat>) -> EntryKind {
    let told = match said {
        FileType::Unknown => ask().map_or(said, |found| FileType::from_raw_mode(found.st_mode)),
        said => said,
    };
    match told {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Folder,
        _ => EntryKind::Other,
    }
}

/// A checked path in two parts.
struct Target<'p> {
    path: &'p str,
    folder: &'p str,
    name: &'p str,
}

/// Whether the error says that there is no such file: not there, or a file stands where a folder should be.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// All bytes of a file whose size is known but may be wrong; `None` beyond the limit. A read that ends exactly at the
/// size is taken as the end, which saves the call that would say so.
fn read_all(mut file: File, size_bytes: u64) -> io::Result<Option<Vec<u8>>> {
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
