//! The kernel's sandbox around a program: it reads and executes what its user may, and writes only below its own folder.
//!
//! Best effort: a kernel that knows fewer kinds of access refuses fewer, one without Landlock none, and the words say which.
//! What it does not cover: the network, what is changed through a process outside (a daemon's socket), and on kernels
//! older than 6.2 the truncating of a file.
//!
//! Never: holds the process that is to go on as forge or as the keeper; once entered, it cannot be left.

use super::{Job, Sandbox};

/// The words where the user's own configuration says that there is to be none.
const SWITCHED_OFF: &str = "none: switched off by the user's configuration";

/// Puts this process into the sandbox that the job asks for, and says in words for the receipt which it is.
pub(super) fn enter(job: &Job) -> String {
    match job.sandbox {
        Sandbox::Off => SWITCHED_OFF.to_owned(),
        Sandbox::WherePossible => hold(job),
    }
}

#[cfg(not(target_os = "linux"))]
fn hold(_job: &Job) -> String {
    "none: this system has none, and what leaves its process group is not ended".to_owned()
}

#[cfg(target_os = "linux")]
fn hold(job: &Job) -> String {
    use landlock::{LandlockStatus, RulesetStatus};
    use std::path::PathBuf;
    match restrict(job) {
        Err(error) => format!("none: Landlock could not be set up: {error}"),
        Ok(status) => match (status.landlock, status.ruleset) {
            (LandlockStatus::NotImplemented, _) => "none: the kernel has no Landlock".to_owned(),
            (LandlockStatus::NotEnabled, _) => "none: the kernel's Landlock is switched off".to_owned(),
            (_, RulesetStatus::NotEnforced) => "none: the kernel does not enforce it".to_owned(),
            (LandlockStatus::Available { effective_abi, .. }, _) => {
                let is_elsewhere = |path: &PathBuf| job.scratch.as_ref().is_none_or(|own| !path.starts_with(own));
                let besides =
                    if job.writable.iter().any(is_elsewhere) { " and to what it keeps elsewhere" } else { "" };
                format!("landlock (abi {}): writes only below its own folder{besides}", effective_abi as i32)
            }
        },
    }
}

/// Devices that programs write to and that keep nothing.
#[cfg(target_os = "linux")]
const DEVICES: [&str; 9] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    // Shared memory: not a file that stays, but what interpreters keep their semaphores in.
    "/dev/shm",
];

#[cfg(target_os = "linux")]
fn restrict(job: &Job) -> Result<landlock::RestrictionStatus, landlock::RulesetError> {
    use landlock::{ABI, AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, Scope};
    use std::path::Path;

    // The newest whose writes are all changes to files; what comes after it also refuses to talk to local servers.
    let writes = AccessFs::from_write(ABI::V7);
    let to_files = writes & AccessFs::from_file(ABI::V7);
    let mut rules = Ruleset::default().handle_access(writes)?.scope(Scope::Signal)?.create()?;
    let own = std::iter::once(job.folder.as_path()).chain(job.writable.iter().map(std::path::PathBuf::as_path));
    for path in own.chain(DEVICES.iter().map(Path::new)) {
        // What is not there cannot be written either.
        let (Ok(place), Ok(about)) = (PathFd::new(path), std::fs::metadata(path)) else { continue };
        let access = if about.is_dir() { writes } else { to_files };
        rules = rules.add_rule(PathBeneath::new(place, access))?;
    }
    rules.restrict_self()
}
