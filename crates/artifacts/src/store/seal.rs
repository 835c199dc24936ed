//! The seal of a plan: a copy made when the first seat is asked. Until somebody was called or has spoken the plan may still
//! change; then it is held against the seal in every pass.
//!
//! If the process dies here the seal is there whole or not at all, and the next run makes it.

use super::{DebateFiles, OpenError, Pinned, diff};
use crate::disk::DiskError;
use crate::document;
use crate::formats::plan;
use forge_debate::digest::Digest;
use forge_prose::secrets::{has_key, redacted};

impl DebateFiles {
    /// Refuses a plan that is not the sealed one, once somebody was called or has spoken.
    pub(super) fn check_seal(&mut self) -> Result<(), OpenError> {
        let Some(sealed) = self.disk.read(&self.layout.sealed_plan())? else { return Ok(()) };
        self.sealed = Some(Digest::of(&sealed));
        if self.is_sealed_by(&sealed) || !self.has_begun()? {
            return Ok(());
        }
        Err(self.edited(&document::decode(&sealed).text))
    }

    pub(super) fn edited(&self, sealed: &str) -> OpenError {
        OpenError::Edited {
            path: self.layout.plan(),
            what: Pinned::Plan,
            debate: self.plan.id.clone(),
            diff: redacted(&diff(&plan::essence(sealed), &self.essence)),
        }
    }

    /// Refuses a plan that is not the one for which people were given their briefs. Until somebody writes it may change.
    pub fn check_laid_out(&self) -> Result<(), OpenError> {
        let Some(sealed) = self.disk.read(&self.layout.sealed_plan())? else { return Ok(()) };
        if self.is_sealed_by(&sealed) { Ok(()) } else { Err(self.edited(&document::decode(&sealed).text)) }
    }

    /// Whether this seal is one of the plan as it is.
    fn is_sealed_by(&self, sealed: &[u8]) -> bool {
        sealed == self.plan_text.as_bytes() || plan::essence(&document::decode(sealed).text) == self.essence
    }

    /// Whether somebody was called or has spoken: from then on the plan may not change. Briefs that were laid out for people
    /// bind nobody yet.
    pub(super) fn has_begun(&self) -> Result<bool, DiskError> {
        for folder in ["briefs", "turns"] {
            if !self.disk.list(&self.layout.trail(folder))?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Fixes the plan as it is: once somebody has spoken it may not change. One into which somebody wrote what looks like a
    /// key is refused: from here on everybody is shown it.
    pub fn seal(&self) -> Result<(), OpenError> {
        let path = self.layout.sealed_plan();
        match self.disk.read(&path)? {
            Some(sealed) if self.is_sealed_by(&sealed) => Ok(()),
            there => {
                self.refuse_keys()?;
                match there {
                    None => self.disk.create_new(&path, self.plan_text.as_bytes()).map(drop)?,
                    // Edited before anybody spoke; otherwise it could not have been opened.
                    Some(_) => self.disk.replace(&path, self.plan_text.as_bytes())?,
                }
                Ok(())
            }
        }
    }

    /// Refuses a plan into which somebody wrote what looks like a key.
    pub fn refuse_keys(&self) -> Result<(), OpenError> {
        if !has_key(&self.plan_text) {
            return Ok(());
        }
        let line = self.plan_text.lines().position(has_key).unwrap_or(0) + 1;
        let text = "what looks like a key stands in the plan, which every seat is shown; remove it, then run again";
        Err(OpenError::Broken { path: self.layout.plan(), line, text: text.to_owned() })
    }

    /// Whether the plan is fixed.
    pub fn is_sealed(&self) -> Result<bool, DiskError> {
        Ok(self.disk.read(&self.layout.sealed_plan())?.is_some() && self.has_begun()?)
    }
}
