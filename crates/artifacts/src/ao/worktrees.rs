//! Where AO's sessions work: git worktrees, named by their metadata and by git.
//!
//! A session leaves its role file in its own worktree. Metadata is text that others write, so a folder that it names is
//! searched only if git's own list for this repository has it too. That list is read from the files under `.git`; git
//! is not started.
//!
//! Promises: all paths are canonical and are folders; nothing unbounded is read; what cannot be read is left out.

use super::METADATA_LIMIT_BYTES;
use super::entries::Entries;
use crate::disk::{Disk, EntryKind, WorkspaceDisk, read_named};
use std::path::{Path, PathBuf};

/// The most sessions, and the most worktrees of git, that are looked at.
const WORKTREES_LIMIT: usize = 1000;
/// The most bytes of a file that holds one path.
const POINTER_LIMIT_BYTES: u64 = 16 * 1024;

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
    for entry in named.take(WORKTREES_LIMIT) {
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

/// The worktrees of the repository whose top is `workspace_root`, the main one and `workspace_root` itself among them;
/// nothing where that is no repository.
pub fn git_worktrees(workspace_root: &Path) -> Vec<PathBuf> {
    let Some(common) = common_folder(workspace_root) else { return Vec::new() };
    let mut found: Vec<PathBuf> = Vec::new();
    let mut add = |path: PathBuf| {
        if !found.contains(&path) {
            found.push(path);
        }
    };
    // A repository without a main worktree has its folder under another name.
    if common.file_name().is_some_and(|name| name == ".git")
        && let Some(main) = common.parent()
    {
        add(main.to_owned());
    }
    let Ok(linked) = std::fs::read_dir(common.join("worktrees")) else { return found };
    let mut kept: Vec<PathBuf> = linked.take(WORKTREES_LIMIT).filter_map(|one| Some(one.ok()?.path())).collect();
    kept.sort();
    kept.iter().filter_map(|kept| linked_worktree(kept)).for_each(add);
    found
}

/// The worktree that git keeps under `<common>/worktrees/<id>`, if it is still there and agrees.
fn linked_worktree(kept: &Path) -> Option<PathBuf> {
    let link = kept.join(one_line(&kept.join("gitdir"))?);
    let worktree = link.parent()?.canonicalize().ok()?;
    let back = git_folder(&worktree)?;
    (back == kept.canonicalize().ok()?).then_some(worktree)
}

/// The folder that all worktrees of a repository share.
fn common_folder(root: &Path) -> Option<PathBuf> {
    let own = git_folder(root)?;
    let Some(common) = one_line(&own.join("commondir")) else { return Some(own) };
    own.join(common).canonicalize().ok().filter(|common| common.is_dir())
}

/// What `.git` is or leads to.
fn git_folder(worktree: &Path) -> Option<PathBuf> {
    let link = worktree.join(".git");
    if link.is_dir() {
        return link.canonicalize().ok();
    }
    let line = one_line(&link)?;
    let path = line.strip_prefix("gitdir:")?.trim();
    worktree.join(path).canonicalize().ok().filter(|folder| folder.is_dir())
}

/// The text of a small regular file, without the line feed at its end.
fn one_line(path: &Path) -> Option<String> {
    // Asked first, since opening a fifo would wait for its other end.
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let text = String::from_utf8(read_named(path, POINTER_LIMIT_BYTES).ok()?).ok()?;
    let line = text.trim_end_matches(['\n', '\r']);
    (!line.is_empty() && !line.contains('\0')).then(|| line.to_owned())
}
