//! What was spent on a debate, kept where only the user writes. The record says it too, but its files lie in a folder from which
//! anybody may take them away, and a cap must not grow by that.
//!
//! Of both counts the larger one holds. A call is written here after its brief is on disk and before it is made: if the process
//! dies in between, the brief counts it. What a call turned out to use is written apart from what is set aside for calls that are
//! under way: if the process dies before it writes that, the reply counts it. Where it cannot be written the record alone counts.

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

    /// The larger of both. What was set aside for calls under way counts where calls are missing: else their briefs count it.
    fn or_more(self, kept: Kept) -> Self {
        let least = if kept.made.calls > self.calls { kept.made } else { kept.settled };
        Self {
            calls: self.calls.max(least.calls),
            tokens: self.tokens.max(least.tokens),
            cost: self.cost.max(least.cost),
        }
    }
}

/// What is kept of a debate.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kept {
    /// With what is set aside for calls under way.
    pub(crate) made: Used,
    /// Without.
    pub(crate) settled: Used,
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
    pub(crate) fn write(&self, kept: Kept) {
        let line = |used: Used| format!("{} {} {}\n", used.calls, used.tokens, used.cost);
        let _ = self.disk.replace(&self.file, (line(kept.made) + &line(kept.settled)).as_bytes());
    }

    fn read(&self) -> Result<Kept, DiskError> {
        let text = self.disk.read(&self.file)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let mut numbers = text.split_whitespace().map(|number| number.parse::<u64>().unwrap_or(0));
        let mut next = || numbers.next().unwrap_or(0);
        let mut used = || Used { calls: u32::try_from(next()).unwrap_or(u32::MAX), tokens: next(), cost: next() };
        Ok(Kept { made: used(), settled: used() })
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
        Ok(self.ledger_of(files, "given").map(|given| given.read()).transpose()?.unwrap_or_default().made)
    }

    pub(crate) fn charge_for_fork(&self, files: &DebateFiles, taken: Used) -> Result<(), EngineError> {
        let sum = self.spent_by_forks(files)? + taken;
        if let Some(given) = self.ledger_of(files, "given") {
            given.write(Kept { made: sum, settled: sum });
        }
        Ok(())
    }
}
