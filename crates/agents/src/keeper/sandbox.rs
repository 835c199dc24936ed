//! The kernel's sandbox around a program: it writes only below its own folder, and does not read the user's keys and the
//! workspace.
//!
//! Best effort: a kernel that knows fewer kinds of access refuses fewer, one without Landlock none, and the words say which.
//! What it does not cover: the network, names and dates of files, permissions and attributes of the user's own files, shared
//! memory, what is changed through a process outside (a daemon's socket), and on kernels older than 6.2 the truncating of a file.
//!
//! Never: holds the process that is to go on as forge or as the keeper; once entered, it cannot be left.

use super::{Job, Sandbox};
#[cfg(target_os = "linux")]
use std::path::{Path, PathBuf};

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
    drop_capabilities();
    let readable = readable(&job.hidden);
    match restrict(job, readable.as_deref()) {
        Err(error) => format!("none: Landlock could not be set up: {error}"),
        Ok(status) => match (status.landlock, status.ruleset) {
            (LandlockStatus::NotImplemented, _) => "none: the kernel has no Landlock".to_owned(),
            (LandlockStatus::NotEnabled, _) => "none: the kernel's Landlock is switched off".to_owned(),
            (_, RulesetStatus::NotEnforced) => "none: the kernel does not enforce it".to_owned(),
            (LandlockStatus::Available { effective_abi, .. }, _) => {
                let is_elsewhere = |path: &PathBuf| job.scratch.as_ref().is_none_or(|own| !path.starts_with(own));
                let besides =
                    if job.writable.iter().any(is_elsewhere) { " and to what it keeps elsewhere" } else { "" };
                let unread = match (readable.is_some(), &job.hidden.workspace, job.hidden.keys.is_empty()) {
                    (false, _, _) => "; reads what its user may",
                    (true, Some(_), _) => "; reads neither the workspace nor the user's known keys",
                    (true, None, false) => "; does not read the user's known keys",
                    (true, None, true) => "; reads no terminal",
                };
                format!("landlock (abi {}): writes only below its own folder{besides}{unread}", effective_abi as i32)
            }
        },
    }
}

/// Devices that programs write to and that keep nothing. No terminal is among them: what a program has to say it prints.
#[cfg(target_os = "linux")]
const DEVICES: [&str; 6] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    // Shared memory, in which interpreters keep their semaphores.
    "/dev/shm",
];

/// The most places around hidden ones that are made readable one by one.
#[cfg(target_os = "linux")]
const PLACES_LIMIT: usize = 10_000;

/// Where what a user types can be read.
#[cfg(target_os = "linux")]
const TERMINALS: [&str; 5] = ["/dev/pts", "/dev/tty", "/dev/ptmx", "/dev/console", "/dev/input"];

/// All that may be read: whatever lies beside a hidden place or beside a folder above one. The kernel can only be told what
/// is allowed. Nothing where a folder above cannot be listed.
#[cfg(target_os = "linux")]
fn readable(hidden: &super::Hidden) -> Option<Vec<PathBuf>> {
    let terminals = TERMINALS.map(PathBuf::from);
    let hidden: Vec<&PathBuf> = hidden.keys.iter().chain(&hidden.workspace).chain(&terminals).collect();
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from("/")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).ok()? {
            let entry = entry.ok()?;
            let path = entry.path();
            // Where a link leads is judged there.
            if entry.file_type().ok()?.is_symlink() || hidden.contains(&&path) {
                continue;
            }
            if hidden.iter().any(|place| place.starts_with(&path)) {
                open.push(path)
            } else {
                found.push(path)
            }
            if found.len() > PLACES_LIMIT {
                return None;
            }
        }
    }
    Some(found)
}

/// A program that runs as root needs none of what lets root look into other processes or change the machine.
#[cfg(target_os = "linux")]
fn drop_capabilities() {
    use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};
    let kept = CapabilitySet::CHOWN
        | CapabilitySet::DAC_OVERRIDE
        | CapabilitySet::FOWNER
        | CapabilitySet::FSETID
        | CapabilitySet::KILL
        | CapabilitySet::SETGID
        | CapabilitySet::SETUID;
    let Ok(now) = capabilities(None) else { return };
    for one in now.permitted.difference(kept).iter() {
        let _ = rustix::thread::remove_capability_from_bounding_set(one);
    }
    let less = CapabilitySets {
        effective: now.effective & kept,
        permitted: now.permitted & kept,
        inheritable: CapabilitySet::empty(),
    };
    let _ = set_capabilities(None, less);
}

#[cfg(target_os = "linux")]
fn restrict(job: &Job, readable: Option<&[PathBuf]>) -> Result<landlock::RestrictionStatus, landlock::RulesetError> {
    use landlock::{ABI, AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, Scope};

    // The newest whose writes are all changes to files; what comes after it also refuses to talk to local servers.
    let writes = AccessFs::from_write(ABI::V7);
    let reads = if readable.is_some() { AccessFs::from_read(ABI::V7) } else { landlock::BitFlags::EMPTY };
    let files = AccessFs::from_file(ABI::V7);
    let mut rules = Ruleset::default()
        .handle_access(writes | reads)?
        .scope(Scope::Signal)?
        .scope(Scope::AbstractUnixSocket)?
        .create()?;
    let own = std::iter::once(job.folder.as_path()).chain(job.writable.iter().map(PathBuf::as_path));
    let written = own.chain(DEVICES.iter().map(Path::new)).map(|path| (path, writes | reads));
    let read = readable.into_iter().flatten().map(|path| (path.as_path(), reads));
    // Names may be listed everywhere: programs look for their files in folders above their own.
    let listed = readable.map(|_| (Path::new("/"), AccessFs::ReadDir.into()));
    for (path, access) in written.chain(read).chain(listed) {
        // What is not there can be neither written nor read.
        let (Ok(place), Ok(about)) = (PathFd::new(path), std::fs::metadata(path)) else { continue };
        let access = if about.is_dir() { access } else { access & files };
        rules = rules.add_rule(PathBeneath::new(place, access))?;
    }
    rules.restrict_self()
}
