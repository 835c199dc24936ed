//! Putting the program into place, and reading what it has recorded.

use super::Record;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

const PROGRAM: &str = "scripted-agent";

/// Puts the program into `folder`, which is made, as `name` with its script. Gives back its path.
pub fn install(folder: &Path, name: &str, script: &serde_json::Value) -> io::Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| built(PROGRAM, "src/scripted_agent").map_err(|error| error.to_string()));
    let built = built.as_ref().map_err(|error| io::Error::other(error.clone()))?;
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(format!("{name}.json")), serde_json::to_vec_pretty(script)?)?;
    put(built, &folder.join(name))
}

/// Puts a program that was built under another name.
pub(crate) fn put(built: &Path, program: &Path) -> io::Result<PathBuf> {
    match std::fs::remove_file(program) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // A link, where it can be: a program that is being written cannot be started, and a fork elsewhere in this process
    // may hold the file open for a moment longer.
    if std::fs::hard_link(built, program).is_err() {
        std::fs::copy(built, program)?;
    }
    Ok(program.to_owned())
}

/// What the program `name` in `folder` has recorded, in order.
pub fn records(folder: &Path, name: &str) -> io::Result<Vec<Record>> {
    match std::fs::read_to_string(folder.join(format!("{name}.record.jsonl"))) {
        Ok(text) => text.lines().map(|line| serde_json::from_str(line).map_err(io::Error::other)).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// A program of this crate as it was built with the tests, or else built now. One older than its source is built anew.
pub(crate) fn built(program: &str, source: &str) -> io::Result<PathBuf> {
    let test = std::env::current_exe()?;
    // A test is in `deps` below the folder of its profile, a benchmark or an example likewise.
    let profile = test.parent().and_then(Path::parent).ok_or_else(|| io::Error::other("tests run from nowhere"))?;
    let beside = profile.join(program);
    if is_current(&beside, source) {
        return Ok(beside);
    }
    let target = profile.parent().ok_or_else(|| io::Error::other("there is no target folder"))?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let done = Command::new(cargo)
        .args(["build", "--quiet", "--package", "forge-testkit", "--bin", program, "--target-dir"])
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()?;
    if !done.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&done.stderr).into_owned()));
    }
    Ok(target.join("debug").join(program))
}

/// Whether a program is newer than its source, a file or a folder of files.
fn is_current(program: &Path, source: &str) -> bool {
    let changed = |path: &Path| path.metadata().and_then(|about| about.modified());
    let Ok(made) = changed(program) else { return false };
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let files = source.read_dir().map(|files| files.flatten().map(|file| file.path()).collect());
    let files: Vec<PathBuf> = files.unwrap_or_else(|_| vec![source]);
    let newest = files.iter().filter_map(|file| changed(file).ok()).max();
    made >= newest.unwrap_or(SystemTime::UNIX_EPOCH)
}
