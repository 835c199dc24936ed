//! The files of AO, the orchestrator under which forge may run: a session's metadata, and the worktrees of its sessions.
//!
//! Everything that AO says comes in through the environment and is believed as little as anything else from outside:
//! names are held against a pattern before they become part of a path, folders must be there, and a file is only ever
//! reached below the data folder ([`WorkspaceDisk`]). Whatever is wrong is an [`AoProblem`]: the caller warns and goes on
//! without AO, it never fails for it.
//!
//! Promises: metadata that is not there is not created; of what is there only the eleven `forge_*` keys change. Other keys
//! keep their order, and in JSON every value, in `key=value` files every line keeps its bytes; a JSON file that is written
//! is laid out anew between its keys and values, one key a line. A file that already says the same is not written; AO's
//! own lock is kept to, for a bounded time.
//!
//! Must never: write into the data folder of a generation that keeps a database there; follow a link in a metadata
//! file's place; take a folder for a worktree because a metadata file says so.
//!
//! If the process dies here: the metadata is as before or as after. A lock may be left, which everyone takes for stale
//! after 30 seconds.

mod entries;
mod exclusive;
mod worktrees;

pub use worktrees::Worktrees;

use crate::disk::{Disk, DiskError, Durability, WorkspaceDisk};
use crate::git;
use entries::Entries;
use exclusive::Exclusive;
use forge_workflow::ao::{Generation, KEYS};
use std::path::{Path, PathBuf};

/// Where the eleven keys are kept where AO has no place for them.
pub const OWN_FILE: &str = ".claude/forge/ao-metadata.json";
/// The most characters of a session's name.
const NAME_LIMIT_CHARACTERS: usize = 128;
/// The most bytes of a metadata file.
const METADATA_LIMIT_BYTES: usize = 1024 * 1024;

/// Why AO's files are left alone.
#[derive(Debug, thiserror::Error)]
pub enum AoProblem {
    /// A variable does not say what it should.
    #[error("{variable} is {value:?}: {wanted}")]
    Variable {
        /// The variable.
        variable: &'static str,
        /// What it says.
        value: String,
        /// What it should say.
        wanted: &'static str,
    },
    /// Something else than a regular file stands in the metadata's place.
    #[error("{} is a symbolic link; AO's metadata is not written through one", path.display())]
    Link {
        /// What stands there.
        path: PathBuf,
    },
    /// The metadata is there and cannot be read as what it is; writing it would do damage.
    #[error("{} is left as it is: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A key or a value that the format cannot carry.
    #[error("{key}: not a key and a value that AO's metadata can carry")]
    Pair {
        /// The key.
        key: String,
    },
    /// AO or another forge held the lock the whole time.
    #[error("{} is held by somebody else; given up after {waited_seconds} seconds", lock.display())]
    Busy {
        /// The lock's file.
        lock: PathBuf,
        /// How long it was tried.
        waited_seconds: u64,
    },
    /// The lock was taken over or removed before the file was written: whoever did took this process for dead.
    #[error("{} was taken over or removed while forge held it; the metadata is left as it is", lock.display())]
    LockLost {
        /// The lock's file.
        lock: PathBuf,
    },
    /// The disk did not allow it.
    #[error("AO's data folder {}: {source}", folder.display())]
    Disk {
        /// The data folder.
        folder: PathBuf,
        /// What happened.
        source: DiskError,
    },
}

/// What a sync did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Synced {
    /// The metadata was written.
    Written {
        /// The file.
        file: PathBuf,
    },
    /// The metadata said all of it already.
    Unchanged {
        /// The file.
        file: PathBuf,
    },
    /// The session has no metadata file; none was made.
    NoFile,
    /// This generation has no place for keys of others: [`write_own`] keeps them in the workspace.
    NotHere,
}

/// The AO session in which forge runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    data_dir: PathBuf,
    /// `AO_SESSION`, or `AO_SESSION_ID` where there is only that.
    name: String,
    generation: Generation,
}

impl Session {
    /// The session that `AO_DATA_DIR`, `AO_SESSION` and `AO_SESSION_ID` describe; `None` when forge does not run under
    /// AO. An empty variable counts as none.
    pub fn from_variables(
        data_dir: Option<&str>,
        session: Option<&str>,
        session_id: Option<&str>,
    ) -> Option<Result<Session, AoProblem>> {
        let said = |value: Option<&str>| value.filter(|value| !value.is_empty()).map(str::to_owned);
        let (data_dir, session, session_id) = (said(data_dir)?, said(session), said(session_id));
        let generation = Generation::from_variables(session.is_some(), session_id.is_some())?;
        Some(Self::checked(&data_dir, session, session_id, generation))
    }

    fn checked(
        data_dir: &str,
        session: Option<String>,
        session_id: Option<String>,
        generation: Generation,
    ) -> Result<Self, AoProblem> {
        for (variable, name) in [("AO_SESSION", &session), ("AO_SESSION_ID", &session_id)] {
            if let Some(name) = name.as_ref().filter(|name| !is_name(name)) {
                let wanted = "a session's name has only letters, digits, - and _";
                return Err(AoProblem::Variable { variable, value: name.clone(), wanted });
            }
        }
        let folder = Path::new(data_dir);
        let refused = |wanted| AoProblem::Variable { variable: "AO_DATA_DIR", value: data_dir.to_owned(), wanted };
        if !folder.is_absolute() {
            return Err(refused("an absolute path is wanted"));
        }
        if !folder.is_dir() {
            return Err(refused("there is no such folder"));
        }
        let name = session.or(session_id).unwrap_or_default();
        Ok(Self { data_dir: folder.to_owned(), name, generation })
    }

    /// Which AO it is, going by the variables.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// Makes the eleven keys of the session's metadata say what `pairs` says: those that `pairs` leaves out are removed,
    /// keys of others are left alone.
    pub fn sync(&self, pairs: &[(&'static str, String)]) -> Result<Synced, AoProblem> {
        if self.generation == Generation::C {
            return Ok(Synced::NotHere);
        }
        if let Some((key, _)) = pairs.iter().find(|(key, value)| !is_pair(key, value)) {
            return Err(AoProblem::Pair { key: (*key).to_owned() });
        }
        let disk = self.disk()?;
        let Some((name, before)) = self.metadata(&disk)? else { return Ok(Synced::NoFile) };
        let file = self.data_dir.join(&name);
        if self.merged(&name, &before, pairs)?.is_none() {
            return Ok(Synced::Unchanged { file });
        }
        // Generation A has no lock, and would take a lock's file for a session.
        let held = name.ends_with(".json").then(|| Exclusive::acquire(&self.data_dir, &name)).transpose()?;
        let Some(now) = self.read(&disk, &name)? else { return Ok(Synced::NoFile) };
        let Some(bytes) = self.merged(&name, &now, pairs)? else { return Ok(Synced::Unchanged { file }) };
        if let Some(held) = &held {
            held.confirm()?;
        }
        disk.replace(&name, &bytes).map_err(|source| self.failed(source))?;
        Ok(Synced::Written { file })
    }

    /// The sessions' worktrees that may be searched: those that the metadata names and git knows too. Where AO keeps no
    /// readable metadata, all that git knows.
    pub fn worktrees(&self, workspace_root: &Path) -> Worktrees {
        let Some((top, below)) = git::repository(workspace_root) else {
            return Worktrees::among(&self.claimed_worktrees(), &[]);
        };
        let known = git::tops(&top);
        let mut found = match self.generation {
            Generation::C => Worktrees { accepted: known, refused: Vec::new() },
            Generation::A | Generation::B => Worktrees::among(&self.claimed_worktrees(), &known),
        };
        // A session works at the top of its worktree; the workspace may be a folder below it.
        found.accepted = git::below(found.accepted, &below);
        found
    }

    fn disk(&self) -> Result<WorkspaceDisk, AoProblem> {
        WorkspaceDisk::open(&self.data_dir, Durability::Full).map_err(|source| self.failed(source))
    }

    fn failed(&self, source: DiskError) -> AoProblem {
        AoProblem::Disk { folder: self.data_dir.clone(), source }
    }

    /// The name and bytes of the session's metadata file.
    fn metadata(&self, disk: &WorkspaceDisk) -> Result<Option<(String, Vec<u8>)>, AoProblem> {
        for name in [format!("{}.json", self.name), self.name.clone()] {
            if let Some(bytes) = self.read(disk, &name)? {
                return Ok(Some((name, bytes)));
            }
        }
        Ok(None)
    }

    /// A metadata file, if there is a regular file of that name.
    fn read(&self, disk: &WorkspaceDisk, name: &str) -> Result<Option<Vec<u8>>, AoProblem> {
        let path = self.data_dir.join(name);
        match std::fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => return Err(AoProblem::Link { path }),
            Ok(found) if found.is_file() => {}
            _ => return Ok(None),
        }
        let bytes = disk.read(name).map_err(|source| self.failed(source))?;
        if bytes.as_ref().is_some_and(|bytes| bytes.len() > METADATA_LIMIT_BYTES) {
            let why = format!("it has more than {} KiB", METADATA_LIMIT_BYTES / 1024);
            return Err(AoProblem::Unreadable { path, why });
        }
        Ok(bytes)
    }

    /// The file with the pairs in it; `None` where it says the same already.
    fn merged(&self, name: &str, bytes: &[u8], pairs: &[(&'static str, String)]) -> Result<Option<Vec<u8>>, AoProblem> {
        let unreadable = |why| AoProblem::Unreadable { path: self.data_dir.join(name), why };
        let text = std::str::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8".to_owned()))?;
        if text.trim().is_empty() && name.ends_with(".json") {
            return Err(unreadable("it is empty".to_owned()));
        }
        let mut entries = Entries::read(text).map_err(unreadable)?;
        let mut changed = false;
        for key in KEYS {
            let value = pairs.iter().find(|(name, _)| *name == key).map(|(_, value)| value.as_str());
            changed |= entries.set(key, value);
        }
        Ok(changed.then(|| entries.write().into_bytes()))
    }

    /// The worktrees that the sessions' metadata names, unchecked; [`Session::worktrees`] checks them.
    fn claimed_worktrees(&self) -> Vec<PathBuf> {
        let Ok(disk) = self.disk() else { return Vec::new() };
        worktrees::claimed(&disk)
    }
}

/// Keeps the eleven keys in the workspace: for a generation that has no place for them.
pub fn write_own(disk: &dyn Disk, pairs: &[(&'static str, String)]) -> Result<(), DiskError> {
    let mut entries = Entries::empty_json();
    for (key, value) in pairs {
        entries.set(key, Some(value));
    }
    let text = entries.write();
    if disk.read(OWN_FILE)?.as_deref() == Some(text.as_bytes()) {
        return Ok(());
    }
    disk.replace(OWN_FILE, text.as_bytes())
}

/// Whether AO takes it as a session's name or a key: `^[A-Za-z0-9_-]+$`.
fn is_name(text: &str) -> bool {
    let sound = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !text.is_empty() && text.len() <= NAME_LIMIT_CHARACTERS && text.chars().all(sound)
}

/// One of our keys, and a value that is one line and says something.
fn is_pair(key: &str, value: &str) -> bool {
    KEYS.contains(&key) && !value.trim().is_empty() && !value.chars().any(char::is_control)
}
