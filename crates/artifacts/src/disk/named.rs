//! Files that the user names on the command line. They may be anywhere; but a link on the way that lies in the tree is the
//! tree's, and leads where its author wanted.

use super::{DiskError, Refusal, places, size};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

/// The most links on one path.
const LINKS_LIMIT: usize = 40;

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The path without links.
    pub real: PathBuf,
    /// The first link on the way that lies in the tree.
    pub link: Option<PathBuf>,
}

/// Follows a path part by part. `tree` is a folder without links on its own path. The last part need not be there.
pub fn resolve(path: &Path, tree: &Path) -> io::Result<Named> {
    let mut real = if path.is_absolute() { PathBuf::from("/") } else { std::env::current_dir()?.canonicalize()? };
    let mut link = None;
    let mut links = 0;
    let mut left: Vec<PathBuf> = parts(path);
    while let Some(part) = left.pop() {
        match part.components().next() {
            Some(Component::RootDir) => real = PathBuf::from("/"),
            Some(Component::ParentDir) => drop(real.pop()),
            Some(Component::Normal(name)) => {
                let next = real.join(name);
                match next.symlink_metadata() {
                    Ok(found) if found.is_symlink() => {
                        links += 1;
                        if links > LINKS_LIMIT {
                            return Err(rustix::io::Errno::LOOP.into());
                        }
                        if link.is_none() && real.starts_with(tree) {
                            link = Some(next.clone());
                        }
                        left.extend(parts(&next.read_link()?));
                    }
                    Err(error) if error.kind() != ErrorKind::NotFound || !left.is_empty() => return Err(error),
                    _ => real = next,
                }
            }
            _ => {}
        }
    }
    Ok(Named { real, link })
}

/// A path's parts, the last one first.
fn parts(path: &Path) -> Vec<PathBuf> {
    path.components().rev().map(|part| PathBuf::from(part.as_os_str())).collect()
}

/// Reads a file that the user named on the command line: a regular file anywhere, or a pipe, of at most `limit_bytes`.
pub fn read_named(path: &Path, limit_bytes: u64) -> Result<Vec<u8>, DiskError> {
    let name = path.display().to_string();
    let failed = |error| DiskError::from_io(&name, error);
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(DiskError::NotAFile { path: name });
    }
    let mut bytes = Vec::new();
    file.take(limit_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit_bytes {
        return Err(DiskError::TooLarge { path: name, most: size(limit_bytes) });
    }
    Ok(bytes)
}

/// What is done about a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays.
    Kept,
    /// It is written over: the user said so.
    Replaced,
}

/// Writes a file that the user named: anywhere but into git's own folder or over what is hidden, and through no link of the
/// `tree`. Tells whether
/// it was written; a file that is there and may not be replaced is not.
pub fn write_named(path: &Path, bytes: &[u8], tree: &Path, existing: Existing) -> Result<bool, DiskError> {
    let name = path.display().to_string();
    let failed = |error| DiskError::from_io(&name, error);
    let Named { real, link } = resolve(path, tree).map_err(failed)?;
    if let Some(link) = link {
        return Err(places::refused(&name, Refusal::Link(link.display().to_string())));
    }
    if places::is_in_git(&real) {
        return Err(places::refused(&name, Refusal::Git));
    }
    // In the tree nothing hidden on the way; elsewhere the folders are the user's.
    let tree = tree.canonicalize().unwrap_or_else(|_| tree.to_owned());
    let below = real.strip_prefix(&tree).ok().or_else(|| real.file_name().map(Path::new));
    let is_hidden = |part: std::path::Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
    if below.is_some_and(|below| below.components().any(is_hidden)) {
        return Err(places::refused(&name, Refusal::Hidden));
    }
    if existing == Existing::Replaced && real.is_file() {
        // A new file under the old name: what else has the old one, by a hard link, keeps it.
        let beside = real.with_file_name(format!("{}{}-export", super::TEMP_PREFIX, std::process::id()));
        let written = write_new(&beside, bytes)
            .and_then(|()| std::fs::set_permissions(&beside, real.metadata()?.permissions()))
            .and_then(|()| std::fs::rename(&beside, &real));
        if written.is_err() {
            let _ = std::fs::remove_file(&beside);
        }
        return written.map(|()| true).map_err(failed);
    }
    match write_new(&real, bytes) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && existing == Existing::Kept => Ok(false),
        written => written.map(|()| true).map_err(failed),
    }
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(bytes)
}
