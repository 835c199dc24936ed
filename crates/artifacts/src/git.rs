//! What git's own files say, read without git: the branch, and the worktrees of a repository.
//!
//! Promises: starts no program; reads small regular files only, and a bounded number of them; a worktree counts only if it
//! and the repository point at each other.
//!
//! Must never: write anything.

mod around;
mod config;
pub mod ignored;
mod pattern;

pub use around::Around;
pub use config::Setting;

use crate::disk::read_named;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The most worktrees of git's list that are looked at.
const WORKTREES_LIMIT: usize = 1000;
/// The most bytes of a file that holds one path.
const POINTER_LIMIT_BYTES: u64 = 16 * 1024;

/// The branch that is checked out where `folder` is; `None` outside a repository or with a detached head.
pub fn branch(folder: &Path) -> Option<String> {
    let (top, _) = repository(folder)?;
    let head = one_line(&git_folder(&top)?.join("HEAD"))?;
    let name = head.strip_prefix("ref: refs/heads/")?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Who works here, as git's own files say: the repository's first, then the user's, `~/.gitconfig` before the other.
pub fn user_name(folder: &Path, home: Option<&Path>, config_home: Option<&Path>) -> Option<String> {
    let own = repository(folder).and_then(|(top, _)| common_folder(&top)).map(|common| common.join("config"));
    let users = home.map(|home| home.join(".gitconfig"));
    let other = config_home.map(|folder| folder.join("git/config"));
    [own, users, other].into_iter().flatten().find_map(|path| {
        let found = config::with_included(&path, home).ok()?.into_iter().rev();
        let name = found.filter(|one| one.section == "user" && one.key == "name").find_map(|one| one.value)?;
        Some(String::from_utf8_lossy(&name).into_owned()).filter(|name| !name.trim().is_empty())
    })
}

/// Where the workspace is in each worktree of its repository, the main one and the workspace itself among them: the
/// worktree's top, or the same folder below it. Nothing where the workspace is in no repository.
pub fn worktrees(workspace_root: &Path) -> Vec<PathBuf> {
    let Some((top, below)) = repository(workspace_root) else { return Vec::new() };
    self::below(tops(&top), &below)
}

/// Where a workspace is in the main worktree of its repository, or beside the repository where it has none: one place for all
/// worktrees. Only for a workspace in an added worktree that the repository lists; any other is a place of its own.
pub fn shared_place(workspace_root: &Path) -> Option<PathBuf> {
    if !is_linked_worktree(workspace_root) {
        return None;
    }
    let (top, below) = repository(workspace_root)?;
    let common = common_folder(&top)?;
    let main = common.parent().filter(|_| common.file_name().is_some_and(|name| name == ".git"));
    // Without the stroke that joining nothing leaves at the end.
    Some(main.unwrap_or(&common).join(below).components().collect())
}

/// Whether the folder lies in a worktree that was added to a repository: its `.git` is a file, and git's list has it.
pub(crate) fn is_linked_worktree(folder: &Path) -> bool {
    let Some((top, _)) = repository(folder) else { return false };
    let is_file = top.join(".git").symlink_metadata().is_ok_and(|found| found.is_file());
    is_file && git_folder(&top).and_then(|kept| linked_worktree(&kept)).is_some_and(|listed| listed == top)
}

/// The same folder below each of these tops, where it is there.
pub(crate) fn below(tops: Vec<PathBuf>, below: &Path) -> Vec<PathBuf> {
    tops.into_iter().map(|top| top.join(below)).filter(|folder| folder.is_dir()).collect()
}

/// The top of the worktree that a folder is in, and the folder's place below it.
pub(crate) fn repository(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let folder = folder.canonicalize().ok()?;
    let top = folder.ancestors().find(|above| above.join(".git").exists())?.to_owned();
    let below = folder.strip_prefix(&top).ok()?.to_owned();
    Some((top, below))
}

/// The top of the repository that a folder is in, if it is in one.
pub fn top_of(folder: &Path) -> Option<PathBuf> {
    repository(folder).map(|(top, _)| top)
}

/// The top of the repository that a folder is in, or the folder itself.
pub fn top(folder: &Path) -> PathBuf {
    let own = || folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    repository(folder).map_or_else(own, |(top, _)| top)
}

/// The top of the outermost repository that a folder is in, or the folder itself: whoever filled that filled what lies in it.
pub(crate) fn outermost(folder: &Path) -> PathBuf {
    let own = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    own.ancestors().filter(|above| above.join(".git").exists()).last().unwrap_or(&own).to_owned()
}

/// The tops of all worktrees of the repository with this one.
pub(crate) fn tops(top: &Path) -> Vec<PathBuf> {
    let Some(common) = common_folder(top) else { return Vec::new() };
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

/// A file that is there and cannot be read whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The file.
    pub file: PathBuf,
}

/// All bytes of a regular file; nothing if it is not there.
fn read_whole(path: &Path, limit_bytes: u64) -> Result<Option<Vec<u8>>, Unread> {
    let unread = || Unread { file: path.to_owned() };
    // Asked first, since opening a fifo would wait for its other end.
    match path.metadata() {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Ok(found) if found.is_file() => read_named(path, limit_bytes).map(Some).map_err(|_| unread()),
        _ if path == Path::new("/dev/null") => Ok(None),
        _ => Err(unread()),
    }
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
