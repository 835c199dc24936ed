//! A seat's own folder for one call: where its program runs, its home where that is not the user's, and files beside it.
//!
//! It is made for its owner alone, in a place above which no context file lies, so that no CLI that looks into the
//! folders above its own finds one. The keeper removes it when everything has ended, also where forge is gone by then; until
//! the keeper has it, dropping does. If the process dies in between, or forge and the keeper are both killed, the folder
//! stays until the next run of forge that makes one in the same place. forge writes no key of a call into it: those are in variables. What it may hold is the address that a program is
//! sent to, what of the user's own configuration says where models are served, with the tokens that the user has written
//! there, and links to logins; for its owner alone, as the originals are.

use crate::keeper::{self, mark::Maker};
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// How the names of such folders begin; the process that made them comes next, where it can be told for ever.
const PREFIX: &str = "forge-seat-";
/// The most entries of a place that are looked at for what dead runs left.
const SWEEP_LIMIT: usize = 10_000;
/// How often another name is tried.
const NAMES: u64 = 16;

/// Files that agent CLIs read by themselves, in their folder and in those above it.
pub(crate) const CONTEXT_FILES: &[&str] =
    &["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", "QWEN.md"];

/// The folder.
#[derive(Debug)]
pub(crate) struct Scratch {
    root: PathBuf,
    is_ours: bool,
}

impl Scratch {
    /// A folder in the first of these places that has no context file above it and can be written. Where every place has
    /// one, there is none: what nobody sent must not be read.
    pub(crate) fn make(places: &[PathBuf]) -> io::Result<Self> {
        let mut problem = io::Error::new(io::ErrorKind::NotFound, "no place for it is set");
        for place in places {
            if let Some(file) = context_above(place) {
                problem = io::Error::other(Below { place: place.clone(), file });
                continue;
            }
            match make_in(place) {
                Ok(root) => return Ok(Self { root, is_ours: true }),
                Err(error) => problem = error,
            }
        }
        Err(problem)
    }

    /// All of it.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Where the program runs.
    pub(crate) fn folder(&self) -> PathBuf {
        self.root.join("work")
    }

    /// An empty home.
    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// For files that the program is pointed to.
    pub(crate) fn aside(&self) -> PathBuf {
        self.root.join("aside")
    }

    /// For its temporary files.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// Writes a file for its owner alone, with the folders above it. Only below this folder.
    pub(crate) fn write(&self, path: &Path, text: &str) -> io::Result<()> {
        self.make_parent(path)?;
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.write_all(text.as_bytes())
    }

    /// Makes a link. Only below this folder.
    pub(crate) fn link(&self, path: &Path, to: &Path) -> io::Result<()> {
        self.make_parent(path)?;
        symlink(to, path)
    }

    fn make_parent(&self, path: &Path) -> io::Result<()> {
        let parent = path.parent().filter(|parent| parent.starts_with(&self.root));
        let parent =
            parent.ok_or_else(|| io::Error::other(format!("{} is not below the seat's folder", path.display())))?;
        DirBuilder::new().recursive(true).mode(0o700).create(parent)
    }

    /// Leaves the folder to the keeper.
    pub(crate) fn leave(&mut self) {
        self.is_ours = false;
    }
}

/// Why a place will not do: a program that runs in it reads this file too.
#[derive(Debug, thiserror::Error)]
#[error("{} would be read too; remove it, or set TMPDIR to a folder with no such file above it", file.display())]
pub(crate) struct Below {
    /// The place.
    pub(crate) place: PathBuf,
    /// The context file in it or above it.
    pub(crate) file: PathBuf,
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.is_ours {
            // What cannot be removed now cannot be removed later by us either.
            let _ = fs::remove_dir_all(&self.root);
        }
    }
}

fn make_in(place: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    DirBuilder::new().recursive(true).mode(0o700).create(place)?;
    let place = place.canonicalize()?;
    if COUNT.load(Ordering::Relaxed) == 0 {
        // What still runs in such a folder would make it anew.
        keeper::end_what_killed_runs_left();
        sweep(&place);
    }
    let maker = Maker::this().map_or_else(|| std::process::id().to_string(), Maker::to_string);
    let mut problem = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..NAMES {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = place.join(format!("{PREFIX}{maker}-{count}-{now:08x}"));
        // Fails where something of that name is there already, whoever put it there.
        match DirBuilder::new().mode(0o700).create(&root) {
            Ok(()) => {
                for part in ["work", "home", "aside", "tmp"] {
                    DirBuilder::new().mode(0o700).create(root.join(part))?;
                }
                return Ok(root);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => problem = error,
            Err(error) => return Err(error),
        }
    }
    Err(problem)
}

/// Removes what runs left that were killed together with their keepers. Only folders of ours, and only where the process that
/// made them is certainly gone: one that is shared with another process namespace, or another machine, holds folders of
/// forges that cannot be seen from here. Harmless if it fails.
fn sweep(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    let Ok(own) = fs::metadata("/proc/self").map(|own| own.uid()) else { return };
    for entry in entries.flatten().take(SWEEP_LIMIT) {
        let name = entry.file_name();
        let Some(maker) = name.to_str().and_then(maker_of) else { continue };
        let is_ours = entry.metadata().is_ok_and(|found| found.is_dir() && found.uid() == own);
        if is_ours && maker.is_gone() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Who made the folder of this name: all but its count and its moment.
fn maker_of(name: &str) -> Option<Maker> {
    let mut parts = name.strip_prefix(PREFIX)?.rsplitn(3, '-');
    Maker::of(parts.nth(2)?)
}

/// The nearest context file in a folder or above it.
fn context_above(place: &Path) -> Option<PathBuf> {
    let real = place.canonicalize().or_else(|_| std::path::absolute(place)).ok()?;
    let candidates = real.ancestors().flat_map(|folder| CONTEXT_FILES.iter().map(move |file| folder.join(file)));
    candidates.into_iter().find(|file| file.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_dead_runs_left_is_swept_and_nothing_else() {
        let place = std::env::temp_dir().join(format!("forge-sweep-{}", std::process::id()));
        let Some(here) = Maker::this().map(Maker::to_string) else { return };
        let [boot, machine, namespace, user, ..] = here.split('-').collect::<Vec<_>>()[..] else { return };
        // No process has this number: it is beyond what Linux gives out.
        let dead = format!("{PREFIX}{boot}-{machine}-{namespace}-{user}-4194399-1-0-x");
        let kept = [
            format!("{PREFIX}{here}-0-x"),
            // Of a namespace whose processes cannot be seen from here.
            format!("{PREFIX}{boot}-{machine}-1{namespace}-{user}-4194399-1-0-x"),
            // Of another machine, whose first namespace has the same number as ours.
            format!("{PREFIX}1-1-{namespace}-{user}-4194399-1-0-x"),
            format!("{PREFIX}1-0-{namespace}-{user}-4194399-1-0-x"),
            format!("{PREFIX}4194399-0-x"),
            "forge-seat-note".to_owned(),
        ];
        for name in kept.iter().chain([&dead]) {
            assert!(fs::create_dir_all(place.join(name).join("work")).is_ok());
        }
        sweep(&place);
        let left = kept.each_ref().map(|name| place.join(name).exists());
        let is_swept = !place.join(&dead).exists();
        let _ = fs::remove_dir_all(&place);
        assert_eq!((left, is_swept), ([true; 6], true));
    }
}
