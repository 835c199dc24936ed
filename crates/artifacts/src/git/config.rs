//! git's configuration files: sections, keys and values, as git reads them.

use super::{Unread, read_whole};
use std::path::{Path, PathBuf};

/// The most bytes of one file.
const LIMIT_BYTES: u64 = 1024 * 1024;
/// The most settings that the environment gives.
const GIVEN_LIMIT: usize = 1000;
/// How deep files may include each other; git has the same limit.
const DEPTH_LIMIT: usize = 10;

/// One value: `[section "part"] key = value`. Section and key are in small letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub(super) section: String,
    pub(super) key: String,
    /// Nothing for a key that stands alone, which means yes.
    pub(super) value: Option<Vec<u8>>,
}

impl Setting {
    /// One by its whole name, such as `core.excludesFile`.
    fn named(name: &str, value: Vec<u8>) -> Option<Self> {
        let (section, key) = (name.split_once('.')?.0, name.rsplit_once('.')?.1);
        Some(Self { section: section.to_lowercase(), key: key.to_lowercase(), value: Some(value) })
    }

    fn includes(&self) -> bool {
        matches!(self.section.as_str(), "include" | "includeif") && self.key == "path"
    }
}

/// All settings of a file and of those that it includes, whatever the condition of an inclusion is. A file that is not there
/// says nothing.
pub(super) fn with_included(file: &Path, home: Option<&Path>) -> Result<Vec<Setting>, Unread> {
    let mut found = Vec::new();
    include(file, home, 0, &mut found)?;
    Ok(found)
}

/// Follows an inclusion that stands in no file.
pub(super) fn with_given(given: &[Setting], home: Option<&Path>) -> Result<Vec<Setting>, Unread> {
    let mut found = given.to_vec();
    for setting in given.iter().filter(|setting| setting.includes()) {
        let named = setting.value.as_deref().and_then(|path| path_of(path, Path::new("/"), home));
        found.extend(named.map(|file| with_included(&file, home)).transpose()?.into_iter().flatten());
    }
    Ok(found)
}

/// What the environment adds to git's files: `GIT_CONFIG_COUNT` with its keys and values, and what `git -c` hands on.
pub(super) fn given(variable: impl Fn(&str) -> Option<Vec<u8>>) -> Vec<Setting> {
    let text = |name: &str| String::from_utf8(variable(name)?).ok();
    let count = text("GIT_CONFIG_COUNT").and_then(|count| count.trim().parse().ok()).unwrap_or(0);
    let numbered = (0..GIVEN_LIMIT.min(count))
        .filter_map(|n| Some((text(&format!("GIT_CONFIG_KEY_{n}"))?, variable(&format!("GIT_CONFIG_VALUE_{n}"))?)));
    let handed_on = variable("GIT_CONFIG_PARAMETERS").map(|text| handed_on(&text)).unwrap_or_default();
    numbered.chain(handed_on).filter_map(|(name, value)| Setting::named(&name, value)).collect()
}

/// `'core.excludesfile'='path'`, or both within the same quotes.
fn handed_on(text: &[u8]) -> Vec<(String, Vec<u8>)> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), None::<Vec<u8>>, false);
    let mut rest = text.iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            b' ' if !is_quoted => words.extend(word.take()),
            b'\\' if !is_quoted => word.get_or_insert_default().extend(rest.next()),
            other => word.get_or_insert_default().push(*other),
        }
    }
    words.extend(word);
    let split = |word: Vec<u8>| {
        let at = word.iter().position(|byte| *byte == b'=')?;
        Some((String::from_utf8_lossy(&word[..at]).into_owned(), word[at + 1..].to_vec()))
    };
    words.into_iter().filter_map(split).collect()
}

fn include(file: &Path, home: Option<&Path>, depth: usize, found: &mut Vec<Setting>) -> Result<(), Unread> {
    let unread = || Unread { file: file.to_owned() };
    let Some(bytes) = read_whole(file, LIMIT_BYTES)? else { return Ok(()) };
    for setting in settings(&bytes).ok_or_else(unread)? {
        match setting.value.as_deref().filter(|_| setting.includes()) {
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
