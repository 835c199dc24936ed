//! What came with a workspace: its repository, in all worktrees; the repositories that it is a part of; and, without one,
//! its folder.

use super::{common_folder, git_folder, repository, tops};
use std::path::{Path, PathBuf};

/// The folders around a workspace that are somebody else's.
#[derive(Debug, Default)]
pub struct Around {
    folders: Vec<PathBuf>,
}

impl Around {
    /// Those around a workspace. People keep their settings in git: of a home that is the top of a repository, what lies in it
    /// under git of its own is no part.
    pub fn of(workspace: &Path, home: Option<&Path>) -> Self {
        let own: Vec<PathBuf> = repository(workspace).into_iter().map(|(top, _)| top).collect();
        let mut folders = with_kin(own);
        let is_home = |folder: &Path| home.is_some_and(|home| home.canonicalize().is_ok_and(|home| home == folder));
        let is_elses = |folder: &&Path| !is_home(folder) && folder.parent().is_some();
        let outer = folders.iter().flat_map(|top| top.ancestors().skip(1)).filter(|above| above.join(".git").exists());
        let outer: Vec<PathBuf> = outer.filter(is_elses).map(Path::to_owned).collect();
        folders.extend(with_kin(outer));
        let itself = workspace.canonicalize().ok();
        folders.extend(itself.filter(|folder| is_elses(&folder.as_path())));
        Self { folders }
    }

    /// The folder of these that a place lies in, or a link to it.
    pub fn holding(&self, place: &Path) -> Option<&Path> {
        let real = |path: &Path| path.ancestors().find_map(|part| part.canonicalize().ok());
        let reals: Vec<PathBuf> = [Some(place), place.parent()].into_iter().flatten().filter_map(real).collect();
        let holds = |folder: &&PathBuf| reals.iter().any(|real| real.starts_with(folder));
        self.folders.iter().find(holds).map(PathBuf::as_path)
    }
}

/// These tops, those of their other worktrees, and of the repositories that they are submodules of.
fn with_kin(tops_there: Vec<PathBuf>) -> Vec<PathBuf> {
    let (mut kin, mut seen) = (tops_there, Vec::new());
    let mut next = 0;
    while let Some(top) = kin.get(next).cloned() {
        next += 1;
        let Some(common) = common_folder(&top).filter(|common| !seen.contains(common)) else { continue };
        let outer = repository(&common).map(|(top, _)| top);
        let keeps = |outer: &PathBuf| git_folder(outer).is_some_and(|git| common.starts_with(git));
        let more: Vec<PathBuf> = tops(&top).into_iter().chain(outer.filter(keeps)).collect();
        kin.extend(more.into_iter().filter(|top| !kin.contains(top)).collect::<Vec<_>>());
        seen.push(common);
    }
    kin
}
