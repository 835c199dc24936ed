//! Asks the `ao` on the search path how it spawns: the only program that forge starts under AO.
//!
//! Promises: it ends, [`bounded::GRACE`] after [`HELP_LIMIT`] at the latest, whatever the program does. It looks only in
//! absolute folders of the search path, never in the current one.
//!
//! Must never: spawn a session, or anything else that has an effect.
//!
//! If the process dies here: nothing is left but a program that prints its help and ends.

use crate::bounded::{self, Ended};
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long the program may take.
pub const HELP_LIMIT: Duration = Duration::from_secs(3);
/// The most bytes that are kept of each of its two outputs.
pub const OUTPUT_LIMIT_BYTES: usize = 64 * 1024;
/// The most folders of a search path that are looked into.
const FOLDERS_LIMIT: usize = 1000;

/// What `ao spawn --help` prints, both outputs joined; `None` when there is no `ao` in the folders of `path_variable`, or
/// it says nothing in time.
pub fn spawn_help(path_variable: Option<&OsStr>) -> Option<String> {
    let search_path = path_variable?;
    let mut help = Command::new(find_program(search_path, "ao")?);
    help.args(["spawn", "--help"]).env("PATH", search_path);
    match bounded::run(help, HELP_LIMIT, OUTPUT_LIMIT_BYTES) {
        Ended::Exited { output, .. } | Ended::Signalled { output, .. } if !output.trim().is_empty() => Some(output),
        _ => None,
    }
}

/// The first executable file of that name in an absolute folder of a search path.
pub fn find_program(search_path: &OsStr, name: &str) -> Option<PathBuf> {
    let folders = std::env::split_paths(search_path).take(FOLDERS_LIMIT).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
