//! Removing a folder that a program has worked in.
//!
//! Promises: follows no link out of it; a folder that the program has made unwritable is removed as well.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// How deep folders are opened up again.
const DEPTH_LIMIT: usize = 64;

/// Removes the folder, if there is one. What cannot be removed stays, and nobody is told: it is in a place for such things.
pub(super) fn remove(folder: &Path) {
    if std::fs::remove_dir_all(folder).is_err() && folder.symlink_metadata().is_ok_and(|about| about.is_dir()) {
        open_up(folder, DEPTH_LIMIT);
        let _ = std::fs::remove_dir_all(folder);
    }
}

fn open_up(folder: &Path, depth: usize) {
    let _ = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700));
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    if depth == 0 {
        return;
    }
    // The kind of an entry is its own, not that of what it links to.
    for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        open_up(&entry.path(), depth - 1);
    }
}
