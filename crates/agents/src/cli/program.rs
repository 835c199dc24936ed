//! Where an agent's program is, and which version of it.
//!
//! A program whose package does not tell its version is asked for it, under the keeper and in its sandbox, in an empty
//! folder and home, without keys.

use super::scratch::Scratch;
use crate::keeper::{Hidden, How, Job, Limits};
use crate::recipes;
use crate::settings::RosterSettings;
use serde_json::Value;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// How far above a program its package is looked for.
const PACKAGE_LEVELS: usize = 5;
/// The most bytes of a package's description that are read.
const PACKAGE_LIMIT: u64 = 1024 * 1024;
/// How long a program may take to say its version.
const VERSION_LIMIT: Duration = Duration::from_secs(10);
/// The most bytes of what it says then.
const VERSION_BYTES: usize = 4096;
/// How long it has to end when it is told to.
const VERSION_GRACE: Duration = Duration::from_secs(1);
/// The most characters of a version.
const VERSION_CHARS: usize = 60;

/// The program of an agent, as an absolute path, where it is on the search path of these settings. An agent of the user's
/// own, or a recipe for which the configuration names a command, has that one.
pub fn program_of(settings: &RosterSettings, name: &str) -> Option<PathBuf> {
    let command = settings.agents.get(name).and_then(|agent| agent.command.as_deref());
    let command = command.or_else(|| recipes::named(name).map(|recipe| recipe.name))?;
    find(settings, command)
}

/// A command as an absolute path: itself where it is a path, or the first of that name on the search path.
pub(crate) fn find(settings: &RosterSettings, command: &str) -> Option<PathBuf> {
    if let Some(below_home) = command.strip_prefix("~/") {
        return Some(Path::new(settings.variable("HOME")?).join(below_home)).filter(|path| is_program(path));
    }
    if command.contains('/') {
        return std::path::absolute(command).ok().filter(|path| is_program(path));
    }
    // A relative entry of the search path would mean another program in every folder.
    let folders = std::env::split_paths(settings.variable("PATH")?).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(command)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// A program as it was when it was asked.
type Edition = (PathBuf, Option<SystemTime>);

/// The version of a program: from the package that it came in, or from itself. Asks it at most once and keeps the answer.
pub async fn version_of(settings: &RosterSettings, program: &Path) -> Option<String> {
    static ASKED: Mutex<BTreeMap<Edition, Option<String>>> = Mutex::new(BTreeMap::new());
    let resolved = program.canonicalize().ok()?;
    if let Some(version) = packaged(&resolved) {
        return Some(version);
    }
    let changed = resolved.metadata().and_then(|found| found.modified()).ok();
    let key = (resolved, changed);
    let lock = || ASKED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get(&key) {
        return known.clone();
    }
    let version = asked(settings, program).await;
    lock().insert(key, version.clone());
    version
}

/// The version that a program's package states, if it came in one. Runs nothing.
pub(crate) fn packaged_version(program: &Path) -> Option<String> {
    packaged(&program.canonicalize().ok()?)
}

fn packaged(program: &Path) -> Option<String> {
    program.ancestors().skip(1).take(PACKAGE_LEVELS).find_map(|folder| {
        let text = recipes::bounded_file(&folder.join("package.json"), PACKAGE_LIMIT)?;
        let package: Value = serde_json::from_str(&text).ok()?;
        // Some programs have descriptions without a name below their package's, to say how files are read.
        package.get("name")?.as_str()?;
        short(package.get("version")?.as_str()?)
    })
}

async fn asked(settings: &RosterSettings, program: &Path) -> Option<String> {
    let keeper = settings.keeper.as_ref()?;
    let mut scratch = Scratch::make(&settings.scratch).ok()?;
    let environment = [
        ("HOME", scratch.home().into_os_string()),
        ("TMPDIR", scratch.temporary().into_os_string()),
        ("TERM", "dumb".into()),
        ("PATH", settings.variable("PATH").unwrap_or_default().into()),
    ];
    let job = Job {
        program: program.to_owned(),
        arguments: vec!["--version".into()],
        environment: environment.map(|(name, value)| (name.into(), value)).to_vec(),
        folder: scratch.folder(),
        writable: vec![scratch.root().to_owned()],
        hidden: Hidden::default(),
        sandbox: settings.sandbox,
        scratch: Some(scratch.root().to_owned()),
        limits: Limits {
            first_byte: VERSION_LIMIT,
            idle: VERSION_LIMIT,
            total: VERSION_LIMIT,
            grace: VERSION_GRACE,
            stdout_bytes: VERSION_BYTES,
            stderr_bytes: VERSION_BYTES,
        },
    };
    scratch.leave();
    let ended = keeper.run(&job, &[]).await;
    if ended.how != How::Exited(0) {
        return None;
    }
    // Some say it where they complain.
    let output = [ended.stdout, ended.stderr].concat();
    let output = String::from_utf8_lossy(&output);
    let word =
        |word: &&str| word.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    output.split_whitespace().find(word).and_then(|word| short(word.trim_start_matches('v')))
}

fn short(version: &str) -> Option<String> {
    let version: String = version.trim().chars().filter(|c| !c.is_control()).take(VERSION_CHARS).collect();
    (!version.is_empty()).then_some(version)
}
