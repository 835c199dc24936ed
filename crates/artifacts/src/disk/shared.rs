//! Folders of forge's that a git worktree shares with another worktree of its repository, by a symbolic link.
//!
//! Whoever gives each session a worktree may link `docs/forge` into it, so that all see one debate. Such a link counts if the
//! workspace lies in a linked worktree, which no clone can bring along, and leads to the same place of another worktree that
//! git itself lists for the repository. Every other link stays refused.

use super::places;
use crate::git;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::path::Path;

/// The folders that may be shared.
const PLACES: [&str; 3] = ["docs/forge", "debates", places::OWN];

/// A folder that is opened elsewhere.
#[derive(Debug)]
pub(super) struct Shared {
    place: &'static str,
    /// The other worktree, in which the folder has the same path.
    pub(super) root: Dir,
}

impl Shared {
    /// Whether a path leads there.
    pub(super) fn has(&self, path: &str) -> bool {
        path.strip_prefix(self.place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Whether it is this entry of this folder.
    pub(super) fn is_at(&self, folder: &str, name: &str) -> bool {
        self.place.rsplit_once('/').unwrap_or(("", self.place)) == (folder, name)
    }
}

/// What the workspace shares with other worktrees.
pub(super) fn of(workspace: &Path) -> Vec<Shared> {
    let links: Vec<_> = PLACES.into_iter().filter(|place| workspace.join(place).is_symlink()).collect();
    if links.is_empty() || !git::is_linked_worktree(workspace) {
        return Vec::new();
    }
    let others = git::worktrees(workspace);
    let shared = |place: &'static str| {
        let real = workspace.join(place).canonicalize().ok()?;
        let other = others.iter().find(|other| other.join(place) == real && !places::is_in_git(other))?;
        let root = Dir::open_ambient_dir(other, ambient_authority()).ok()?;
        Some(Shared { place, root })
    };
    links.into_iter().filter_map(shared).collect()
}
