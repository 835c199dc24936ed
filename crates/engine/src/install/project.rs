//! Loose files in a project: pages and agents below the host's own folder, and where it has settings, rules and hooks in them.

use super::agents_md;
use super::mark::{self, Owner};
use super::record::{self, Record, SettingsFile};
use super::settings::{self, Names, Own};
use super::{Host, PageFile, Wanted};
use crate::workspace::EngineError;
use forge_artifacts::disk::places::{self, HOST_SETTINGS};
use forge_artifacts::disk::{Disk, DiskError, Entry, EntryKind, Refusal, WorkspaceDisk};
use std::collections::{BTreeMap, BTreeSet};

/// A project, and where what is kept of it lies.
pub struct Project<'d> {
    /// The project's folder, opened for an installation.
    pub disk: &'d WorkspaceDisk,
    /// The user's own folder for what is kept.
    pub kept: &'d dyn Disk,
    /// The host.
    pub host: &'static Host,
}

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It was not there.
    New,
    /// It was forge's, of another version or for another program.
    Renewed,
    /// Some of its bytes.
    Edited,
    /// It is as it was before forge came.
    Restored,
    /// It is gone.
    Removed,
    /// It is as it should be.
    Same,
    /// Somebody changed it, so it stays.
    Kept,
}

/// One file and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// The file.
    pub path: String,
    /// What becomes of it.
    pub change: Change,
    /// What it is to be, where it is written.
    pub text: Option<String>,
}

impl Line {
    fn new(path: &str, change: Change) -> Self {
        Self { path: path.to_owned(), change, text: None }
    }
}

/// What is to be done about the settings.
#[derive(Default)]
struct Edit {
    read: Option<String>,
    text: Option<String>,
    record: Option<Record>,
}

impl Project<'_> {
    pub(super) fn settings(&self) -> SettingsFile<'_> {
        SettingsFile {
            disk: self.disk,
            path: HOST_SETTINGS,
            shown: HOST_SETTINGS.to_owned(),
            kept: self.kept,
            folder: record::key(self.disk.root()),
        }
    }

    /// Where the copy of the settings lies, below the folder of what is kept.
    pub fn backup(&self) -> String {
        self.settings().backup_path()
    }

    /// What installing would do. Refuses before anything is written: files of others, links, settings that cannot be edited.
    pub fn plan(&self, wanted: &Wanted) -> Result<Vec<Line>, EngineError> {
        Ok(self.planned(wanted)?.0)
    }

    /// Installs, and tells what was done.
    pub fn install(&self, wanted: &Wanted) -> Result<Vec<Line>, EngineError> {
        let (lines, edit) = self.planned(wanted)?;
        self.sweep()?;
        for line in lines.iter().filter(|line| line.path != HOST_SETTINGS) {
            self.write_file(line)?;
        }
        // Last: the hooks and rules call for what is there by now.
        self.write(&edit)?;
        Ok(lines)
    }

    fn write_file(&self, line: &Line) -> Result<(), EngineError> {
        match (&line.text, line.change) {
            (Some(text), _) => self.disk.replace(&line.path, text.as_bytes())?,
            (None, Change::Removed) => self.disk.remove(&line.path)?,
            (None, _) => {}
        }
        Ok(())
    }

    fn planned(&self, wanted: &Wanted) -> Result<(Vec<Line>, Edit), EngineError> {
        let mut found = self.pages()?;
        let mut lines = Vec::new();
        let mut others = Vec::new();
        for file in self.wanted_files(wanted) {
            let change = match found.remove(&file.path) {
                None => Change::New,
                Some((bytes, _)) if bytes == file.text.as_bytes() => Change::Same,
                Some((_, Owner::Forge)) => Change::Renewed,
                Some((_, Owner::Changed)) => Change::Kept,
                Some((_, Owner::Other)) => {
                    others.push(file.path);
                    continue;
                }
            };
            let text = matches!(change, Change::New | Change::Renewed).then_some(file.text);
            lines.push(Line { path: file.path, change, text });
        }
        if !others.is_empty() {
            return Err(EngineError::Usage(format!(
                "forge did not write {}, so it does not write over {}. Nothing was written; move or rename what is there, then run the same command again",
                others.join(", "),
                if others.len() == 1 { "it" } else { "them" }
            )));
        }
        // Pages of a forge that had others.
        let stale = found.iter().filter(|(_, (_, owner))| *owner == Owner::Forge);
        lines.extend(stale.map(|(path, _)| Line::new(path, Change::Removed)));
        let edit = self.edit(wanted)?;
        if wanted.agents_md {
            lines.push(agents_md::plan(self.disk, &wanted.program)?);
        }
        lines.extend(self.host.has_settings().then(|| settings_line(&edit)));
        for line in lines.iter().filter(|line| line.text.is_some()) {
            self.refuse_other_names(&line.path)?;
        }
        Ok((lines, edit))
    }

    /// What is to stand in the project, with forge's marks.
    pub(super) fn wanted_files(&self, wanted: &Wanted) -> Vec<PageFile> {
        let marked = |file: PageFile| PageFile { text: mark::marked(&file.path, &file.text), path: file.path };
        self.host.files(wanted).into_iter().map(marked).collect()
    }

    fn edit(&self, wanted: &Wanted) -> Result<Edit, EngineError> {
        if !self.host.has_settings() {
            return Ok(Edit::default());
        }
        let file = self.settings();
        let read = file.read()?;
        let record = file.record()?;
        let names = Names::of(
            [&wanted.program].into_iter().chain(record.iter().map(|record| &record.program)).map(String::as_str),
        );
        let text = read.as_deref().unwrap_or("");
        let refused = |error| file.refused(&error);
        // Rules without a hook are the user's own: forge never writes the ones without the others.
        let found = names.found(text).map_err(refused)?;
        let is_new = !found.iter().any(|own| matches!(own, Own::Hook(..)));
        let before = if is_new { Some(text) } else { record.as_ref().and_then(|record| record.before.as_deref()) };
        let (rules, hooks) = (settings::rules(wanted), settings::hooks(wanted));
        let edited = settings::with(text, &rules, &hooks, &names, before).map_err(refused)?;
        if read.as_deref() == Some(edited.as_str()) {
            return Ok(Edit { text: read.clone(), read, record: None });
        }
        // Nothing is known to the byte where somebody else wrote since.
        let is_known = is_new || record.as_ref().is_some_and(|record| record.after == record::digest(text));
        let before = if is_new { read.clone() } else { record.and_then(|record| record.before) };
        let after = if is_known { record::digest(&edited) } else { String::new() };
        let record = Record { before, after, program: wanted.program.clone() };
        Ok(Edit { read, text: Some(edited), record: Some(record) })
    }

    fn write(&self, edit: &Edit) -> Result<(), EngineError> {
        if edit.read == edit.text {
            return Ok(());
        }
        self.settings().write(edit.read.as_deref(), edit.text.as_deref(), edit.record.as_ref())
    }

    /// What taking out would do.
    pub fn plan_removal(&self, program: &str) -> Result<Vec<Line>, EngineError> {
        Ok(self.planned_removal(program)?.0)
    }

    /// Takes out what is forge's, and tells what was done.
    pub fn remove(&self, program: &str) -> Result<Vec<Line>, EngineError> {
        let (lines, edit) = self.planned_removal(program)?;
        // First: nothing calls for what goes next.
        self.write(&edit)?;
        for line in lines.iter().filter(|line| line.path != HOST_SETTINGS) {
            self.write_file(line)?;
        }
        if self.host.has_settings() {
            self.settings().forget()?;
        }
        self.sweep()?;
        for folder in self.own_folders()?.iter().rev() {
            self.disk.remove_empty(folder)?;
        }
        Ok(lines)
    }

    fn planned_removal(&self, program: &str) -> Result<(Vec<Line>, Edit), EngineError> {
        let mut lines: Vec<Line> = Vec::new();
        for (path, (_, owner)) in self.pages()? {
            match owner {
                Owner::Forge => lines.push(Line::new(&path, Change::Removed)),
                Owner::Changed => lines.push(Line::new(&path, Change::Kept)),
                Owner::Other => {}
            }
        }
        let edit = self.removal(program)?;
        if edit.read != edit.text {
            self.refuse_other_names(HOST_SETTINGS)?;
            let change = match (&edit.text, &edit.record) {
                (None, _) => Change::Removed,
                (Some(_), Some(_)) => Change::Restored,
                (Some(_), None) => Change::Edited,
            };
            lines.push(Line { path: HOST_SETTINGS.to_owned(), change, text: edit.text.clone() });
        }
        lines.extend(agents_md::plan_removal(self.disk)?);
        Ok((lines, Edit { record: None, ..edit }))
    }

    /// The settings without forge. The record is there where they are what they were, to the byte.
    fn removal(&self, program: &str) -> Result<Edit, EngineError> {
        if !self.host.has_settings() {
            return Ok(Edit::default());
        }
        let file = self.settings();
        let read = file.read()?;
        let Some(text) = read.as_deref() else { return Ok(Edit { read: None, text: None, record: None }) };
        let record = file.record()?;
        if let Some(record) = record.clone().filter(|record| record.after == record::digest(text)) {
            return Ok(Edit { text: record.before.clone(), read, record: Some(record) });
        }
        let names = Names::of([program].into_iter().chain(record.iter().map(|record| record.program.as_str())));
        let before = record.as_ref().and_then(|record| record.before.as_deref());
        let cleared = settings::cleared(text, &names, before).map_err(|error| file.refused(&error))?;
        let was_made = record.is_some_and(|record| record.before.is_none() && !record.after.is_empty());
        let text = (!(was_made && cleared.trim() == "{}")).then_some(cleared);
        Ok(Edit { text, read, record: None })
    }

    /// Takes away what a killed installation left half-written.
    fn sweep(&self) -> Result<(), EngineError> {
        for folder in self.own_folders()? {
            self.disk.sweep(&folder)?;
        }
        Ok(())
    }

    /// The folders where the host looks and those on the way to them, the outer ones first; a folder that is one file's own too,
    /// which may be there before or after the file is.
    fn own_folders(&self) -> Result<BTreeSet<String>, EngineError> {
        let above = |path: &str| path.match_indices('/').map(|(at, _)| path[..at].to_owned()).collect::<Vec<_>>();
        let mut folders = BTreeSet::new();
        for place in self.places() {
            folders.extend(above(&format!("{}/", place.folder)));
            let entries = self.disk.list(place.folder)?;
            let folder = |entry: &Entry| place.file_at(&entry.name).filter(|_| entry.kind == EntryKind::Folder);
            folders.extend(entries.iter().filter_map(folder).flat_map(|file| above(&file)));
        }
        Ok(folders)
    }

    fn places(&self) -> impl Iterator<Item = &'static places::HostPlace> {
        places::HOST_PLACES.iter().filter(|place| place.is_below(self.host.folder))
    }

    /// Every page and agent at forge's places, and whose it is.
    pub(super) fn pages(&self) -> Result<BTreeMap<String, (Vec<u8>, Owner)>, EngineError> {
        let mut found = BTreeMap::new();
        for place in self.places() {
            for entry in self.disk.list(place.folder)? {
                let Some(path) = place.file_at(&entry.name) else { continue };
                if entry.kind == EntryKind::Folder && !place.is_in_folder() {
                    return Err(DiskError::NotAFile { path }.into());
                }
                if let Some(bytes) = self.disk.read(&path)? {
                    let owner = mark::owner(&bytes);
                    found.insert(path, (bytes, owner));
                }
            }
        }
        Ok(found)
    }

    /// What else lies in the folders that are forge's alone, where the host takes it for a page of forge's.
    pub(super) fn strays(&self) -> Result<Vec<String>, EngineError> {
        let mut found = Vec::new();
        for place in self.places().filter(|place| place.is_own_folder()) {
            for entry in self.disk.list(place.folder)? {
                if place.file_at(&entry.name).is_none() && place.is_taken_for(&entry) {
                    found.push(format!("{}/{}", place.folder, entry.name));
                }
            }
        }
        Ok(found)
    }

    /// A file with other names would lose them, since it is written anew.
    fn refuse_other_names(&self, path: &str) -> Result<(), EngineError> {
        match self.disk.names(path)? {
            Some(count) if count > 1 => {
                Err(DiskError::Refused { path: path.to_owned(), why: Refusal::Names(count) }.into())
            }
            _ => Ok(()),
        }
    }
}

fn settings_line(edit: &Edit) -> Line {
    let change = match &edit.read {
        read if *read == edit.text => Change::Same,
        None => Change::New,
        Some(_) => Change::Edited,
    };
    let text = edit.text.clone().filter(|_| change != Change::Same);
    Line { path: HOST_SETTINGS.to_owned(), change, text }
}
