//! What was spent on a debate, kept where only the user writes. The record says it too, but its files lie in a folder from which
//! anybody may take them away, and a cap must not grow by that.
//!
//! Of both counts the larger one holds. A call is written here after its brief is on disk and before it is made: if the process
//! dies in between, the brief counts it. Where it cannot be written the record alone counts.

use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::{Disk, DiskError};
use forge_artifacts::store::DebateFiles;
use std::sync::Arc;

/// Calls, tokens and millionths of a US dollar.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Used {
    pub(crate) calls: u32,
    pub(crate) tokens: u64,
    pub(crate) cost: u64,
}

impl Used {
    /// What the record shows. `wants` says whether tokens and cost matter: they take a look at every reply.
    pub(crate) fn on_record(files: &DebateFiles, wants: (bool, bool)) -> Result<Self, DiskError> {
        Ok(Self {
            calls: files.calls()?.calls,
            tokens: if wants.0 { files.tokens_used()? } else { 0 },
            cost: if wants.1 { files.cost_used()? } else { 0 },
        })
    }

    /// These, or the larger of both where calls are missing among them.
    fn or_more(self, kept: Self) -> Self {
        if kept.calls <= self.calls {
            return self;
        }
        Self { calls: kept.calls, tokens: self.tokens.max(kept.tokens), cost: self.cost.max(kept.cost) }
    }
}

impl std::ops::Add for Used {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            tokens: self.tokens.saturating_add(other.tokens),
            cost: self.cost.saturating_add(other.cost),
        }
    }
}

/// Where the count of one debate is kept.
pub(crate) struct Ledger {
    disk: Arc<dyn Disk>,
    file: String,
}

impl Ledger {
    pub(crate) fn write(&self, used: Used) {
        let _ = self.disk.replace(&self.file, format!("{} {} {}\n", used.calls, used.tokens, used.cost).as_bytes());
    }

    fn read(&self) -> Result<Used, DiskError> {
        let text = self.disk.read(&self.file)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let mut numbers = text.split_whitespace().map(|number| number.parse::<u64>().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        Ok(Used { calls: u32::try_from(next()).unwrap_or(u32::MAX), tokens: next(), cost: next() })
    }
}

impl Workspace {
    pub(crate) fn ledger(&self, files: &DebateFiles) -> Option<Ledger> {
        self.ledger_of(files, "spent")
    }

    fn ledger_of(&self, files: &DebateFiles, what: &str) -> Option<Ledger> {
        let disk = Arc::clone(self.made.as_ref()?);
        Some(Ledger { disk, file: self.kept_file(&files.layout.plan(), &files.plan, what) })
    }

    /// What was spent on a debate, by its record and by what is kept here.
    pub(crate) fn spent(&self, files: &DebateFiles, wants: (bool, bool)) -> Result<Used, EngineError> {
        let record = Used::on_record(files, wants)?;
        Ok(match self.ledger(files) {
            Some(ledger) => record.or_more(ledger.read()?),
            None => record,
        })
    }

    /// What forks took with them of what a debate had left: all of them share its cap.
    pub(crate) fn spent_by_forks(&self, files: &DebateFiles) -> Result<Used, EngineError> {
        Ok(self.ledger_of(files, "given").map(|given| given.read()).transpose()?.unwrap_or_default())
    }

    pub(crate) fn charge_for_fork(&self, files: &DebateFiles, taken: Used) -> Result<(), EngineError> {
        let sum = self.spent_by_forks(files)? + taken;
        if let Some(given) = self.ledger_of(files, "given") {
            given.write(sum);
        }
        Ok(())
    }
}
