//! Opening a debate in order to check it: every problem is noted, and reading goes on with what is most likely right.
//!
//! Must never: write anything, or believe a plan that the turns do not name.

use super::opening::Minding;
use super::{DebateFiles, OpenError, Pinned};
use crate::disk::{Disk, DiskError};
use crate::document;
use crate::formats::plan;
use crate::formats::turn::{self, Read};
use crate::layout::trail_beside;
use forge_debate::digest::Digest;
use forge_debate::protocols::{self, Protocols};
use std::sync::Arc;

impl DebateFiles {
    /// Opens the debate whose plan is at `path` as far as that is possible, and tells everything that is wrong with its plan
    /// and its pinned texts. The error is for a debate of which nothing can be read.
    pub fn inspect(disk: &Arc<dyn Disk>, known: Protocols, path: &str) -> Result<(Self, Vec<OpenError>), OpenError> {
        let mut found = Vec::new();
        let mut files = Self::most_likely(disk, known, path, &mut found)?;
        let mut note = |error: OpenError| match error {
            OpenError::Disk(error) if !error.is_about_one_file() => Err(OpenError::Disk(error)),
            other => {
                found.push(other);
                Ok(())
            }
        };
        let mind: &mut Minding<'_> = &mut note;
        files.read_materials(mind)?;
        files.read_texts(mind)?;
        Ok((files.sound()?, found))
    }

    /// The debate by its plan or, where the two differ, by whichever of plan and sealed plan the turns were made under.
    fn most_likely(
        disk: &Arc<dyn Disk>,
        known: Protocols,
        path: &str,
        found: &mut Vec<OpenError>,
    ) -> Result<Self, OpenError> {
        let seal = format!("{}/plan.md", trail_beside(path));
        let read = |from: &str| -> Result<Option<Vec<u8>>, OpenError> { Ok(disk.read(from)?) };
        let sealed = read(&seal)?;
        let seal_digest = sealed.as_deref().map(Digest::of);
        let parsed = |from: &str, bytes: Option<Vec<u8>>| match bytes {
            Some(bytes) => Self::parse(disk, known, path, from, &bytes),
            None => Err(OpenError::NotThere { path: from.to_owned() }),
        };
        let open = parsed(path, read(path)?);
        let files = match (open, parsed(&seal, sealed)) {
            (Ok(files), Ok(sealed)) if files.essence == sealed.essence || !files.has_begun()? => files,
            (Ok(files), Ok(sealed)) if files.is_named_by_turns()? && !sealed.is_named_by_turns()? => {
                let diff = super::diff(&files.essence, &sealed.essence);
                found.push(OpenError::Edited { path: seal, what: Pinned::Plan, debate: files.plan.id.clone(), diff });
                files
            }
            (Ok(files), Ok(sealed)) => {
                found.push(files.edited(&sealed.plan_text));
                sealed
            }
            // A framer is asked before there is anything to seal.
            (Ok(files), Err(OpenError::NotThere { .. })) => files,
            (Ok(files), Err(error)) => {
                found.push(error);
                files
            }
            (Err(error), Ok(sealed)) => {
                found.push(error);
                sealed
            }
            (Err(error), Err(_)) => return Err(error),
        };
        Ok(Self { sealed: seal_digest, ..files })
    }

    /// Whether a turn of the first wave was made under this very plan.
    fn is_named_by_turns(&self) -> Result<bool, DiskError> {
        for ask in protocols::first_asks(self.protocol, &self.plan) {
            for path in [self.turn_path(&ask.key), self.layout.taken_in(&ask.key)] {
                if let Some(bytes) = self.disk.read(&path)?
                    && let Read::Ours(turn) = turn::read(&document::decode(&bytes).text)
                    && turn.header.plan == self.plan_digest
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The plan's file as it should be, given its status word: the seal with that word in it.
    pub fn plan_with_status(&self, status: &str) -> String {
        document::set_front_value(&self.plan_text, "status", &crate::yaml::quoted(status))
    }

    /// Whether two texts of a plan are the same but for what is derived.
    pub fn is_this_plan(&self, text: &str) -> bool {
        plan::essence(text) == self.essence
    }
}
