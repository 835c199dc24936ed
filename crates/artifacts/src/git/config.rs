//! git's configuration files: sections, keys and values, as git reads them.

use super::{Unread, read_whole};
use std::path::{Path, PathBuf};

/// The most bytes of one file.
const LIMIT_BYTES: u64 = 1024 * 1024;
/// How deep files may include each other; git has the same limit.
const DEPTH_LIMIT: usize = 10;

/// One value: `[section "part"] key = value`. Section and key are in small letters.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Setting {
    pub(super) section: String,
    pub(super) key: String,
    /// Nothing for a key that stands alone, which means yes.
    pub(super) value: Option<Vec<u8>>,
}

/// All settings of a file and of those that it includes, whatever the condition of an inclusion is. A file that is not there
/// says nothing.
pub(super) fn with_included(file: &Path, home: Option<&Path>) -> Result<Vec<Setting>, Unread> {
    let mut found = Vec::new();
    include(file, home, 0, &mut found)?;
    Ok(found)
}

fn include(file: &Path, home: Option<&Path>, depth: usize, found: &mut Vec<Setting>) -> Result<(), Unread> {
    let unread = || Unread { file: file.to_owned() };
    let Some(bytes) = read_whole(file, LIMIT_BYTES)? else { return Ok(()) };
    for setting in settings(&bytes).ok_or_else(unread)? {
        let is_path = matches!(setting.section.as_str(), "include" | "includeif") && setting.key == "path";
        match setting.value.as_deref().filter(|_| is_path) {
            Some(path) if depth < DEPTH_LIMIT => {
                let folder = file.parent().unwrap_or(file);
                include(&path_of(path, folder, home).ok_or_else(unread)?, home, depth + 1, found)?;
            }
            Some(_) => return Err(unread()),
            None => found.push(setting),
        }
    }
    Ok(())
}

/// The path that a value names, relative to a folder or, with `~/`, to the user's. Nothing for another user's folder.
pub(super) fn path_of(value: &[u8], folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    let as_path = |bytes| Path::new(std::ffi::OsStr::from_bytes(bytes));
    match value {
        b"~" => home.map(Path::to_owned),
        [b'~', b'/', rest @ ..] => home.map(|home| home.join(as_path(rest))),
        [b'~', ..] => None,
        _ if value.starts_with(b"%(prefix)/") => None,
        _ => Some(folder.join(as_path(value))),
    }
}

/// The settings of a text; nothing if git would refuse it.
pub(super) fn settings(text: &[u8]) -> Option<Vec<Setting>> {
    let mut found = Vec::new();
    let mut section = String::new();
    let mut rest = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    loop {
        rest = rest.trim_ascii_start();
        match rest.first() {
            None => return Some(found),
            Some(b'#' | b';') => rest = after_line(rest),
            Some(b'[') => {
                let (name, after) = header(&rest[1..])?;
                (section, rest) = (name, after);
            }
            Some(first) if first.is_ascii_alphabetic() => {
                let end = rest.iter().position(|c| !c.is_ascii_alphanumeric() && *c != b'-').unwrap_or(rest.len());
                let key = String::from_utf8_lossy(&rest[..end]).to_ascii_lowercase();
                let after = &rest[end..];
                let blank = after.iter().take_while(|c| matches!(c, b' ' | b'\t' | b'\r')).count();
                let value;
                (value, rest) = match after.get(blank) {
                    Some(b'=') => value_of(&after[blank + 1..]).map(|(value, rest)| (Some(value), rest))?,
                    None | Some(b'\n' | b'#' | b';') => (None, after_line(after)),
                    Some(_) => return None,
                };
                found.push(Setting { section: section.clone(), key, value });
            }
            Some(_) => return None,
        }
    }
}

fn after_line(text: &[u8]) -> &[u8] {
    text.iter().position(|c| *c == b'\n').map_or(&[], |end| &text[end + 1..])
}

/// A section's name after its bracket, and what follows. One with a part (`remote "origin"`) has the part in its name,
/// but for conditions of an inclusion.
fn header(text: &[u8]) -> Option<(String, &[u8])> {
    let mut quoted = false;
    let mut escaped = false;
    let end = text.iter().position(|c| {
        let ends = *c == b']' && !quoted;
        if *c == b'"' && !escaped {
            quoted = !quoted;
        }
        escaped = *c == b'\\' && !escaped;
        ends
    })?;
    let name = String::from_utf8_lossy(&text[..end]).to_lowercase();
    let name = if name.starts_with("includeif") { "includeif".to_owned() } else { name.trim().to_owned() };
    (!text[..end].contains(&b'\n')).then_some((name, &text[end + 1..]))
}

/// A value after its `=`, up to the end of its line, and what follows.
fn value_of(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut value = Vec::new();
    // Blanks at the end belong to no value; those in quotes do.
    let mut kept = 0;
    let (mut quoted, mut comment) = (false, false);
    let mut at = 0;
    while let Some(c) = text.get(at) {
        at += 1;
        match c {
            b'\n' if quoted => return None,
            b'\n' => break,
            _ if comment => {}
            b'\r' if text.get(at) == Some(&b'\n') => {}
            b' ' | b'\t' if !quoted => {
                if !value.is_empty() {
                    value.push(*c);
                }
            }
            b'#' | b';' if !quoted => comment = true,
            b'"' => {
                quoted = !quoted;
                kept = value.len();
            }
            b'\\' => {
                let next = if text[at..].starts_with(b"\r\n") { at + 1 } else { at };
                at = next + 1;
                match text.get(next)? {
                    b'\n' => continue,
                    b't' => value.push(b'\t'),
                    b'n' => value.push(b'\n'),
                    b'b' => value.push(8),
                    same @ (b'\\' | b'"') => value.push(*same),
                    _ => return None,
                }
                kept = value.len();
            }
            c => {
                value.push(*c);
                kept = value.len();
            }
        }
    }
    value.truncate(kept);
    (!quoted).then_some((value, &text[at..]))
}
