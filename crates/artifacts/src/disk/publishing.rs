//! Giving a complete temporary file its name, unless that name is taken: at once, whatever the file system can do.

use cap_std::fs::Dir;
use rustix::fs::{FlockOperation, RenameFlags};
use rustix::io::Errno;
use std::io::{self, ErrorKind};
use std::time::Duration;

/// How long a locked folder is waited for: ten seconds.
const LOCK_ATTEMPTS: u32 = 1000;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// How a file gets its name and nobody else's file is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// A rename that replaces nothing.
    Rename,
    /// A hard link; then the temporary name goes.
    Link,
    /// An ordinary rename while the folder is locked against every other forge, for file systems that have neither.
    Locked,
}

impl Way {
    /// All of them, the best first.
    pub const ALL: &'static [Way] = &[Way::Rename, Way::Link, Way::Locked];
}

/// Gives the temporary file its name by the first way that the file system has. The temporary name is gone afterwards.
pub(super) fn publish(dir: &Dir, temp: &str, name: &str, ways: &[Way]) -> io::Result<()> {
    let mut done = Err(io::Error::from(ErrorKind::Unsupported));
    for way in ways {
        done = by(*way, dir, temp, name);
        if !done.as_ref().is_err_and(is_unsupported) {
            break;
        }
    }
    if done.is_err() {
        let _ = dir.remove_file(temp);
    }
    done
}

fn by(way: Way, dir: &Dir, temp: &str, name: &str) -> io::Result<()> {
    match way {
        Way::Rename => Ok(rustix::fs::renameat_with(dir, temp, dir, name, RenameFlags::NOREPLACE)?),
        Way::Link => {
            dir.hard_link(temp, dir, name)?;
            let _ = dir.remove_file(temp);
            Ok(())
        }
        Way::Locked => {
            lock(dir)?;
            let renamed = match dir.symlink_metadata(name) {
                Ok(_) => Err(io::Error::from(ErrorKind::AlreadyExists)),
                Err(error) if error.kind() == ErrorKind::NotFound => dir.rename(temp, dir, name),
                Err(error) => Err(error),
            };
            let _ = rustix::fs::flock(dir, FlockOperation::Unlock);
            renamed
        }
    }
}

/// Locks a folder. Another forge holds it for the time of a rename; whoever holds it longer is no forge.
fn lock(dir: &Dir) -> io::Result<()> {
    for _ in 0..LOCK_ATTEMPTS {
        match rustix::fs::flock(dir, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK | Errno::INTR) => std::thread::sleep(LOCK_PAUSE),
            locked => return Ok(locked?),
        }
    }
    Err(io::Error::new(ErrorKind::TimedOut, "another program keeps the folder locked; end it and try again"))
}

/// What file systems say of a call that they do not have; permission to write here was shown by the temporary file.
fn is_unsupported(error: &io::Error) -> bool {
    let said = error.raw_os_error();
    [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::PERM, Errno::ACCESS, Errno::MLINK]
        .iter()
        .any(|known| said == Some(known.raw_os_error()))
}

/// Whether the system met a symbolic link where it was to follow none.
pub(super) fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::LOOP.raw_os_error())
}
