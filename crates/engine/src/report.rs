//! Derived files and exports: what is written for readers, from the record alone, and never read back.

use crate::survey::Survey;
use crate::workspace::EngineError;
use forge_artifacts::formats::verdict::Account;
use forge_artifacts::formats::{adr, report, result, state, transcript, verdict};
use forge_artifacts::store::DebateFiles;
use forge_debate::verdict::Outcome;
use serde_json::Value;

/// A form in which a debate can be exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Export {
    /// The report for people.
    Markdown,
    /// The verdict for machines.
    Json,
    /// S3's result.
    Yaml,
    /// An architecture decision record (MADR 4).
    Adr,
}

/// The export of an account.
pub fn export(account: &Account, form: Export) -> String {
    match form {
        Export::Markdown => report::write(account),
        Export::Json => pretty(&verdict::json(account)),
        Export::Yaml => result::write(account),
        Export::Adr => adr::write(account),
    }
}

/// Writes everything that a concluded debate shows to readers, where it is not already as it should be.
pub(crate) fn publish(files: &DebateFiles, survey: &Survey) -> Result<Account, EngineError> {
    let account = survey.account(files)?;
    let put = |path: &str, text: String| files.put_derived(path, text.as_bytes());
    match files.plan.protocol.as_str() {
        "judges" => put(&files.layout.path("result.yaml"), result::write(&account))?,
        "challenge" => {
            put(&files.layout.path("state.json"), pretty(&state::concluded(&account)))?;
            put(&files.layout.path("transcript.md"), transcript::write(&account))?;
            put(&files.layout.path("verdict.md"), report::write(&account))?;
        }
        _ => put(&files.layout.path("verdict.md"), report::write(&account))?,
    }
    // A blocked gate is not complete: S0's status goes back to running until the synthesis is mended.
    let status = if account.verdict.outcome == Outcome::Blocked { "running" } else { survey.status(true) };
    files.put_status(status)?;
    put(&files.layout.verdict(), pretty(&verdict::json(&account)))?;
    Ok(account)
}

/// Writes what an open debate shows to readers.
pub(crate) fn publish_open(files: &DebateFiles, survey: &Survey) -> Result<Account, EngineError> {
    let account = survey.account(files)?;
    if files.plan.protocol == "challenge" {
        let waiting: Vec<String> = survey.open.iter().map(|open| open.ask.key.to_string()).collect();
        files.put_derived(&files.layout.path("state.json"), pretty(&state::open(&account, &waiting)).as_bytes())?;
        files.put_derived(&files.layout.path("transcript.md"), transcript::write(&account).as_bytes())?;
    }
    retract(files)?;
    files.put_status(survey.status(files.is_sealed()?))?;
    Ok(account)
}

/// Takes back what a concluded debate showed to readers, when it is open again.
pub(crate) fn retract(files: &DebateFiles) -> Result<(), EngineError> {
    for path in [files.layout.verdict(), files.layout.path("verdict.md"), files.layout.path("result.yaml")] {
        files.disk().remove(&path)?;
    }
    Ok(())
}

fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}
