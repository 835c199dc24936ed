//! Where AO's sessions work: git worktrees, named by their metadata and by git.
//!
//! A session leaves its role file in its own worktree. Metadata is text that others write, so a folder that it names is
//! searched only if git's own list for this repository has it too. That list is read from the files under `.git`; git
//! is not started.
//!
//! Promises: all paths are canonical and are folders; nothing unbounded is read; what cannot be read is left out.

use super::METADATA_LIMIT_BYTES;
use super::entries::Entries;
use crate::disk::{Disk, EntryKind, WorkspaceDisk};
use std::path::PathBuf;

/// The most sessions whose metadata is looked at.
const SESSIONS_LIMIT: usize = 1000;

/// Which worktrees may be searched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Worktrees {
    /// Those that git knows, canonical, each once.
    pub accepted: Vec<PathBuf>,
    /// Those that only the metadata knows, as it spells them, and why they are not searched.
    pub refused: Vec<(PathBuf, String)>,
}

impl Worktrees {
    /// Parts the claimed worktrees into those that are known and others.
    pub fn among(claimed: &[PathBuf], known: &[PathBuf]) -> Self {
        let mut found = Self::default();
        for path in claimed {
            let why = match path.canonicalize() {
                _ if !path.is_absolute() => "it is not an absolute path",
                // A session that is over, its worktree removed: nothing to say.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(_) => "it cannot be opened",
                Ok(real) if !known.contains(&real) => "git knows no such worktree of this repository",
                Ok(real) => {
                    if !found.accepted.contains(&real) {
                        found.accepted.push(real);
                    }
                    continue;
                }
            };
            found.refused.push((path.clone(), why.to_owned()));
        }
        found
    }
}

/// The worktrees that the metadata files in AO's data folder name.
pub(super) fn claimed(disk: &WorkspaceDisk) -> Vec<PathBuf> {
    let listed = disk.list("").unwrap_or_default();
    let files = listed.iter().filter(|entry| entry.kind == EntryKind::File);
    let named = files.filter(|entry| super::is_name(entry.name.strip_suffix(".json").unwrap_or(&entry.name)));
    let mut found: Vec<PathBuf> = Vec::new();
    for entry in named.take(SESSIONS_LIMIT) {
        let Ok(Some(bytes)) = disk.read(&entry.name) else { continue };
        let Some(text) = std::str::from_utf8(&bytes).ok().filter(|text| text.len() <= METADATA_LIMIT_BYTES) else {
            continue;
        };
        let worktree = Entries::read(text).ok().and_then(|entries| entries.get("worktree"));
        let Some(path) = worktree.map(PathBuf::from).filter(|path| !path.as_os_str().is_empty()) else { continue };
        if !found.contains(&path) {
            found.push(path);
        }
    }
    found
}
