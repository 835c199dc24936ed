//! Recorded files that no turn on record names: what was withdrawn, put aside or laid out for people, and calls that led to
//! no turn. A verdict lists them with their digests, so that whoever checks it can tell that they are as they were.

use super::DebateFiles;
use crate::disk::{DiskError, EntryKind};
use crate::document;
use crate::formats::turn::{self, Read, TurnHeader};
use forge_debate::digest::Digest;
use std::collections::BTreeSet;

/// Folders of the trail whose files are pinned by the plan or by turns.
const PINNED: [&str; 6] = ["briefs", "materials", "prompts", "replies", "roles", "turns"];
/// Files of the trail that are no record: the sealed plan is listed by itself, the rest is derived or a lock.
const NOT_KEPT: [&str; 3] = ["lock", "plan.md", "verdict.json"];
/// Folders are looked into this deep.
const DEPTH_LIMIT: usize = 8;
/// The most folders of a debate that are looked into: links that lead in circles would make more of them than anybody has.
const FOLDERS_LIMIT: usize = 1000;

impl DebateFiles {
    /// The files that none of these turns names, each with its digest, sorted by path. Turns are given by their slugs.
    pub fn kept(&self, turns: &[(String, &TurnHeader)]) -> Result<Vec<(String, Digest)>, DiskError> {
        let mut kept = Vec::new();
        kept.extend(self.sealed.map(|digest| (self.layout.sealed_plan(), digest)));
        let mut named: BTreeSet<String> = turns.iter().flat_map(|(slug, header)| calls_of(slug, header)).collect();
        let mut others = Vec::new();
        for entry in self.disk.list(&self.layout.trail_folder())? {
            match entry.kind {
                EntryKind::Folder if PINNED.contains(&entry.name.as_str()) => {}
                // A desktop's own file, or a stranger's: never forge's.
                _ if entry.name.starts_with('.') => {}
                EntryKind::Folder => others.extend(self.files_below(&self.layout.trail(&entry.name))?),
                _ if NOT_KEPT.contains(&entry.name.as_str()) => {}
                _ => others.push(self.layout.trail(&entry.name)),
            }
        }
        for path in others {
            let Some(bytes) = self.disk.read(&path)? else { continue };
            // A withdrawn turn names its own calls.
            if let Read::Ours(file) = turn::read(&document::decode(&bytes).text) {
                named.extend(calls_of(&file.written_key, &file.header));
            }
            kept.push((path, Digest::of(&bytes)));
        }
        for folder in ["briefs", "replies"] {
            for entry in self.disk.list(&self.layout.trail(folder))? {
                if !named.contains(&entry.name) && !entry.name.starts_with('.') {
                    let path = self.layout.trail(&format!("{folder}/{}", entry.name));
                    kept.extend(self.disk.read(&path)?.map(|bytes| (path, Digest::of(&bytes))));
                }
            }
        }
        kept.sort();
        Ok(kept)
    }

    /// Every file below a folder, as far as debates have folders: what is deeper is told as one entry.
    pub fn files_below(&self, folder: &str) -> Result<Vec<String>, DiskError> {
        let mut found = Vec::new();
        let mut folders = vec![(folder.to_owned(), DEPTH_LIMIT)];
        let mut next = 0;
        while let Some((inside, depth)) = folders.get(next).cloned() {
            next += 1;
            for entry in self.disk.list(&inside)? {
                let path = format!("{inside}/{}", entry.name);
                match entry.kind {
                    EntryKind::Folder if depth > 0 && !entry.name.starts_with('.') => folders.push((path, depth - 1)),
                    _ => found.push(path),
                }
            }
            if folders.len() > FOLDERS_LIMIT {
                let most = format!("{FOLDERS_LIMIT} folders in it");
                return Err(DiskError::TooLarge { path: folder.to_owned(), most });
            }
        }
        found.sort();
        Ok(found)
    }
}

/// The names of the files of the calls that a turn names.
fn calls_of(slug: &str, header: &TurnHeader) -> Vec<String> {
    (1..=header.calls.len()).map(|attempt| format!("{slug}.{attempt}.md")).collect()
}
