//! A workspace as a value: every file that counts, by its path.

use forge_artifacts::diff::unified;
use forge_artifacts::disk::TEMP_PREFIX;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Differences are shown up to so many lines.
const DIFF_LINES: usize = 40;
/// The receipt above a reply is within so many bytes; it is ASCII.
const HEADER_BYTES: usize = 1024;
/// So many files are shown with their differences.
const FILES_SHOWN: usize = 3;

/// Files by path. Locks and temporary files are left out, and how long a call took is not compared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Tree(pub(crate) BTreeMap<String, Vec<u8>>);

impl Tree {
    /// Everything below a folder.
    pub(crate) fn read(root: &Path) -> Self {
        let mut files = BTreeMap::new();
        collect(root, "", &mut files);
        Self(files)
    }

    /// Writes the tree to a folder, in place of what is there.
    pub(crate) fn write(&self, root: &Path) {
        if root.exists() {
            std::fs::remove_dir_all(root).unwrap();
        }
        for (path, bytes) in &self.0 {
            let file = root.join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, bytes).unwrap();
        }
    }

    pub(crate) fn paths(&self) -> BTreeSet<&str> {
        self.0.keys().map(String::as_str).collect()
    }

    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8_lossy(&self.0[path]).into_owned()
    }

    /// The files of a folder of the trail, such as `briefs`: (turn, attempt, text).
    pub(crate) fn trail(&self, folder: &str) -> Vec<(String, u32, &[u8])> {
        let part = format!("trail/{folder}/");
        let mut found: Vec<(String, u32, &[u8])> = self
            .0
            .iter()
            .filter_map(|(path, bytes)| {
                let name = path.split_once(&part)?.1.strip_suffix(".md")?;
                let (turn, attempt) = name.rsplit_once('.').unwrap_or((name, "0"));
                Some((turn.to_owned(), attempt.parse().ok()?, bytes.as_slice()))
            })
            .collect();
        found.sort();
        found
    }

    /// How it differs from what is expected; nothing if it does not.
    pub(crate) fn differences(&self, expected: &Tree) -> Vec<String> {
        let mut found = Vec::new();
        for path in expected.paths().difference(&self.paths()) {
            found.push(format!("{path}: is not there"));
        }
        for path in self.paths().difference(&expected.paths()) {
            found.push(format!("{path}: was not expected"));
        }
        let mut shown = 0;
        for (path, bytes) in &self.0 {
            let Some(wanted) = expected.0.get(path).filter(|wanted| *wanted != bytes) else { continue };
            shown += 1;
            let diff = if shown > FILES_SHOWN { String::new() } else { diff(wanted, bytes) };
            found.push(format!("{path}: differs\n{diff}"));
        }
        found
    }
}

fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &path, files);
        } else if !(name == "lock" || name == "create.lock" || name.starts_with(TEMP_PREFIX)) {
            let bytes = std::fs::read(entry.path()).unwrap();
            let is_reply = path.contains("trail/replies/");
            files.insert(path, if is_reply { without_duration(bytes) } else { bytes });
        }
    }
}

/// A reply without the figure of how long it took.
fn without_duration(bytes: Vec<u8>) -> Vec<u8> {
    const KEY: &str = "\nmilliseconds: ";
    let header = String::from_utf8_lossy(&bytes[..bytes.len().min(HEADER_BYTES)]).into_owned();
    let Some(at) = header.find(KEY) else { return bytes };
    let (before, after) = bytes.split_at(at + KEY.len());
    let figures = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
    [before, b"0", &after[figures..]].concat()
}

fn diff(expected: &[u8], found: &[u8]) -> String {
    let (expected, found) = (String::from_utf8_lossy(expected), String::from_utf8_lossy(found));
    let text = unified(&expected, &found, 1, ["expected", "found"]);
    let mut lines: Vec<&str> = text.lines().take(DIFF_LINES).collect();
    if lines.len() == DIFF_LINES {
        lines.push("...");
    }
    lines.iter().map(|line| format!("    {line}\n")).collect()
}
