//! Hard caps, kept by reservation: a call is made only after its worst case was set aside.
//!
//! The reservation of a call is its brief on disk, written before the call. So the caps hold after a crash too: what
//! an ended run may have spent is read back from its briefs.

use forge_artifacts::disk::DiskError;
use forge_artifacts::store::DebateFiles;
use forge_debate::plan::Limits;
use std::sync::{Mutex, PoisonError};

/// Tokens that an answer may have at most, where nothing else is said. Models that think first need many.
pub const MAX_OUTPUT_TOKENS: u32 = 8192;
/// A token is at least this many bytes of ordinary text; the estimate errs on the high side.
const BYTES_PER_TOKEN: u64 = 3;

/// What may still be spent in this debate.
#[derive(Debug)]
pub(crate) struct Budget {
    max_calls: Option<u32>,
    max_tokens: Option<u64>,
    max_output_tokens: u32,
    used: Mutex<Used>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Used {
    calls: u32,
    tokens: u64,
}

/// Tokens set aside for one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reservation {
    pub(crate) tokens: u64,
}

impl Budget {
    /// The budget of a debate, less what its record shows as spent in all runs so far.
    pub(crate) fn of(files: &DebateFiles, limits: &Limits, max_output_tokens: u32) -> Result<Self, DiskError> {
        let mut used = Used::default();
        if limits.max_calls.is_some() {
            used.calls = files.calls()?.calls;
        }
        if limits.max_tokens.is_some() {
            used.tokens = files.tokens_used()?;
        }
        let used = Mutex::new(used);
        Ok(Self { max_calls: limits.max_calls, max_tokens: limits.max_tokens, max_output_tokens, used })
    }

    /// The most tokens that one answer may have.
    pub(crate) fn max_output_tokens(&self) -> u32 {
        self.max_output_tokens
    }

    /// Sets a call's worst case aside, or says which cap it would break.
    pub(crate) fn reserve(&self, brief_bytes: usize) -> Result<Reservation, String> {
        let tokens = estimate(brief_bytes) + u64::from(self.max_output_tokens);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(max) = self.max_calls
            && used.calls >= max
        {
            return Err(format!("all {max} calls of --max-calls are used"));
        }
        if let Some(max) = self.max_tokens
            && used.tokens + tokens > max
        {
            return Err(format!(
                "this call may need {tokens} tokens; {} of --max-tokens {max} are used or set aside",
                used.tokens
            ));
        }
        used.calls += 1;
        used.tokens += tokens;
        Ok(Reservation { tokens })
    }

    /// Replaces a reservation by what the provider says was used.
    pub(crate) fn settle(&self, reservation: Reservation, spent: Option<u64>) {
        if let Some(spent) = spent {
            let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
            used.tokens = used.tokens.saturating_sub(reservation.tokens).saturating_add(spent);
        }
    }
}

/// Tokens of a text, estimated high.
pub(crate) fn estimate(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(BYTES_PER_TOKEN)
}
