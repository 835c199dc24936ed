//! What forge keeps of an installation, outside of the project, where only the user reads: the settings as they were before
//! forge came, and what forge made of them.

use super::SettingsError;
use crate::workspace::EngineError;
use forge_artifacts::disk::{Disk, DiskError};
use forge_debate::digest::Digest;
use serde_json::{Value, json};
use std::path::Path;

/// A settings file as it is read and edited.
pub(super) struct SettingsFile<'d> {
    pub(super) disk: &'d dyn Disk,
    /// Where it stands on its disk.
    pub(super) path: &'d str,
    /// How it is called in messages.
    pub(super) shown: String,
    pub(super) kept: &'d dyn Disk,
    /// The folder of what is kept.
    pub(super) folder: String,
}

/// What was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    /// The text before forge came; nothing where there was no file.
    pub(super) before: Option<String>,
    /// The digest of what forge made of it.
    pub(super) after: String,
    /// What forge was called by.
    pub(super) program: String,
}

/// A name for what is kept about a folder.
pub(super) fn key(folder: &Path) -> String {
    let path = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
    let digest = Digest::of(path.as_os_str().as_encoded_bytes()).short(12);
    format!("{}-{digest}", if name.is_empty() { "project" } else { name.as_str() })
}

impl SettingsFile<'_> {
    /// The text on file; nothing where there is no file.
    pub(super) fn read(&self) -> Result<Option<String>, EngineError> {
        let Some(bytes) = self.disk.read(self.path)? else { return Ok(None) };
        String::from_utf8(bytes).map(Some).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count() + 1;
            EngineError::Usage(format!(
                "{}:{line}: this is not UTF-8; save the file as UTF-8, then run the same command again",
                self.shown
            ))
        })
    }

    /// An error about the file, with its line.
    pub(super) fn refused(&self, error: &SettingsError) -> EngineError {
        let SettingsError { line, what } = error;
        EngineError::Usage(format!(
            "{}:{line}: {what}. Nothing was written; mend that line, then run the same command again",
            self.shown
        ))
    }

    pub(super) fn record(&self) -> Result<Option<Record>, DiskError> {
        let bytes = self.kept.read(&self.record_path())?;
        let value: Option<Value> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Ok(value.and_then(|value| {
            let before = value.get("before")?.as_str().map(str::to_owned);
            let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
            Some(Record { before, after: text("after")?, program: text("program")? })
        }))
    }

    fn record_path(&self) -> String {
        format!("{}/record.json", self.folder)
    }

    /// Where the copy lies.
    pub(super) fn backup_path(&self) -> String {
        format!("{}/settings.json", self.folder)
    }

    /// Writes the file anew, unless somebody else did since it was read; a copy of what was there is kept first.
    pub(super) fn write(
        &self,
        read: Option<&str>,
        text: Option<&str>,
        record: Option<&Record>,
    ) -> Result<(), EngineError> {
        if let Some(read) = read {
            self.kept.replace(&self.backup_path(), read.as_bytes())?;
        }
        if let Some(record) = record {
            let value = json!({"format": 1, "file": self.shown, "program": record.program, "before": record.before, "after": record.after});
            self.kept.replace(&self.record_path(), format!("{value:#}\n").as_bytes())?;
        }
        if self.read()?.as_deref() != read {
            return Err(EngineError::Usage(format!(
                "{} was changed while forge was at work; run the same command again",
                self.shown
            )));
        }
        match text {
            Some(text) => self.disk.replace(self.path, text.as_bytes())?,
            None => self.disk.remove(self.path)?,
        }
        Ok(())
    }

    /// Forgets what was kept, but for the copy.
    pub(super) fn forget(&self) -> Result<(), DiskError> {
        self.kept.remove(&self.record_path())
    }
}

/// The digest of a text, as a record holds it.
pub(super) fn digest(text: &str) -> String {
    Digest::of(text.as_bytes()).to_string()
}
