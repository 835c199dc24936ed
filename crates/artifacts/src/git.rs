//! What git's own files say, read without git.

use crate::disk::read_named;
use std::path::{Path, PathBuf};

/// The most bytes of a file of git that holds one line.
const POINTER_LIMIT_BYTES: u64 = 16 * 1024;
/// How many folders upwards a repository is looked for.
const DEPTH_LIMIT: usize = 64;

/// The branch that is checked out where `folder` is; `None` outside a repository or with a detached head.
pub fn branch(folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let at = folder.ancestors().take(DEPTH_LIMIT).map(|above| above.join(".git")).find(|at| at.exists())?;
    let dir = if at.is_dir() { at } else { pointed_to(&at)? };
    let head = line(&dir.join("HEAD"))?;
    let name = head.strip_prefix("ref: refs/heads/")?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Where a worktree's `.git` file points.
fn pointed_to(file: &Path) -> Option<PathBuf> {
    let target = PathBuf::from(line(file)?.strip_prefix("gitdir: ")?.trim());
    Some(if target.is_absolute() { target } else { file.parent()?.join(target) })
}

fn line(path: &Path) -> Option<String> {
    let bytes = read_named(path, POINTER_LIMIT_BYTES).ok()?;
    String::from_utf8(bytes).ok()?.lines().next().map(str::to_owned)
}
