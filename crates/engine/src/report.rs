//! Derived files and exports: what is written for readers, from the record alone, and never read back.

use crate::survey::Survey;
use crate::workspace::EngineError;
use forge_artifacts::formats::picture::{self, Picture};
use forge_artifacts::formats::verdict::Account;
use forge_artifacts::formats::{adr, html, report, result, state, transcript, verdict};
use forge_artifacts::store::{DebateFiles, digest_of_turn};
use forge_debate::profile::ReportFile;
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
    /// The report as one page.
    Html,
    /// A picture, as SVG.
    Picture(Picture),
}

/// The export of an account.
pub fn export(account: &Account, form: Export) -> String {
    match form {
        Export::Markdown => report::write(account),
        Export::Json => pretty(&verdict::json(account)),
        Export::Yaml => result::write(account),
        Export::Adr => adr::write(account),
        Export::Html => html::write(account),
        Export::Picture(picture) => picture::draw(account, picture),
    }
}

/// A derived file: its path and its text.
pub(crate) type Text = (String, String);

/// What a concluded debate shows to readers beside the verdict for machines.
pub(crate) fn texts(files: &DebateFiles, account: &Account) -> Vec<Text> {
    let text = |report: &ReportFile| match report {
        ReportFile::Verdict => report::write(account),
        ReportFile::Result => result::write(account),
        ReportFile::State => pretty(&state::concluded(account)),
        ReportFile::Transcript => transcript::write(account),
    };
    files.plan.protocol.reports.iter().map(|report| (files.layout.path(report.file()), text(report))).collect()
}

/// The verdict for machines as it is written.
pub(crate) fn verdict_text(account: &Account) -> String {
    pretty(&verdict::json(account))
}

/// A turn that the verdict on file was derived from, as that verdict lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    /// Its file.
    pub(crate) file: String,
    /// The digest of that file.
    digest: String,
}

/// A turn that is no longer what the verdict on file was derived from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Difference {
    /// Its file is gone.
    Gone,
    /// Its file is another.
    Changed,
}

/// The turns that the verdict on file was derived from; none where there is no such file, or none that can be read.
pub(crate) fn listed(files: &DebateFiles) -> Result<Vec<Listed>, EngineError> {
    match files.disk().read(&files.layout.verdict()) {
        Err(error) if error.is_about_one_file() => Ok(Vec::new()),
        bytes => Ok(listed_in(&bytes?.unwrap_or_default())),
    }
}

fn listed_in(verdict: &[u8]) -> Vec<Listed> {
    let Ok(verdict) = serde_json::from_slice::<Value>(verdict) else { return Vec::new() };
    let rows = verdict.get("turns").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text = |row: &Value, key: &str| row.get(key).and_then(Value::as_str).map(str::to_owned);
    let rows = rows.iter().filter_map(|row| Some(Listed { file: text(row, "file")?, digest: text(row, "digest")? }));
    rows.collect()
}

/// The files of the turns that are no longer what the verdict on file was derived from, each in words. More turns than it
/// lists are none of these: a decision may have been added. An empty list says nothing about a debate without a verdict on
/// file.
pub(crate) fn contradictions(files: &DebateFiles, survey: &Survey) -> Result<Vec<String>, EngineError> {
    contradictions_to(&listed(files)?, files, survey)
}

fn contradictions_to(listed: &[Listed], files: &DebateFiles, survey: &Survey) -> Result<Vec<String>, EngineError> {
    let found = differing_from(listed, files, survey)?;
    Ok(found
        .into_iter()
        .map(|(file, difference)| match difference {
            Difference::Gone => format!("{file} is gone, and the verdict on file was derived from it"),
            Difference::Changed => format!("{file} is not what the verdict on file was derived from"),
        })
        .collect())
}

/// The same, each with its file.
pub(crate) fn differing(files: &DebateFiles, survey: &Survey) -> Result<Vec<(String, Difference)>, EngineError> {
    differing_from(&listed(files)?, files, survey)
}

fn differing_from(
    listed: &[Listed],
    files: &DebateFiles,
    survey: &Survey,
) -> Result<Vec<(String, Difference)>, EngineError> {
    let mut found = Vec::new();
    for Listed { file, digest } in listed {
        let now = match survey.heard.iter().find(|one| one.line.file == *file) {
            Some(one) => Some(one.line.digest),
            // Not heard, since another turn is missing before it, or since it is no turn any more: then the file tells.
            // A place that is none of the debate's own was never that of its turn.
            None if !files.layout.owns(file) => None,
            None => match files.disk().read(file) {
                Err(error) if error.is_about_one_file() => None,
                bytes => bytes?.as_deref().map(digest_of_turn),
            },
        };
        match now {
            None => found.push((file.clone(), Difference::Gone)),
            Some(now) if now.to_string() != *digest => found.push((file.clone(), Difference::Changed)),
            Some(_) => {}
        }
    }
    Ok(found)
}

/// Refuses to write over a verdict that was derived from another record: whoever changed the files would have their changes
/// believed. Whoever reopens a debate takes its verdict back first.
pub(crate) fn refuse_another_record(files: &DebateFiles, survey: &Survey) -> Result<(), EngineError> {
    let found = contradictions(files, survey)?;
    match found.is_empty() {
        true => Ok(()),
        false => Err(contradicted(files, &found)),
    }
}

/// Refuses to go on from a turn on record that is another than the one that the verdict on file was derived from. Turns that
/// are missing may still come back from their raw replies.
pub(crate) fn refuse_changed_turns(listed: &[Listed], files: &DebateFiles, survey: &Survey) -> Result<(), EngineError> {
    let heard = |file: &str| survey.heard.iter().any(|one| one.line.file == file);
    let found: Vec<String> = differing_from(listed, files, survey)?
        .into_iter()
        .filter(|(file, _)| heard(file))
        .map(|(file, _)| format!("{file} is not what the verdict on file was derived from"))
        .collect();
    match found.is_empty() {
        true => Ok(()),
        false => Err(contradicted(files, &found)),
    }
}

/// The refusal that names these contradictions.
pub(crate) fn contradicted(files: &DebateFiles, found: &[String]) -> EngineError {
    let more = found.len().saturating_sub(1);
    let first = found.first().cloned().unwrap_or_default();
    let what = if more == 0 { first } else { format!("{first} (and {more} more)") };
    EngineError::Contradicted { debate: files.plan.id.clone(), what, verdict_file: files.layout.verdict() }
}

/// Writes everything that a concluded debate shows to readers, where it is not already as it should be. The verdict for
/// machines comes last: it names the others.
pub(crate) fn publish(files: &DebateFiles, survey: &Survey) -> Result<Account, EngineError> {
    publish_telling(files, survey, &|_| ())
}

/// The same, and tells what made room: before forge's first verdict a file at the place of a report is somebody else's.
pub(crate) fn publish_telling(
    files: &DebateFiles,
    survey: &Survey,
    tell: &dyn Fn(String),
) -> Result<Account, EngineError> {
    let on_file = files.disk().read(&files.layout.verdict())?;
    let found = contradictions_to(&listed_in(on_file.as_deref().unwrap_or_default()), files, survey)?;
    if !found.is_empty() {
        return Err(contradicted(files, &found));
    }
    let (account, texts) = survey.account_and_texts(files)?;
    for (path, text) in texts {
        if let Some(kept) = files.put_report(&path, text.as_bytes(), on_file.is_none())? {
            tell(format!("{path} was not written by forge; moved to {kept}"));
        }
    }
    files.put_status(survey.status())?;
    let verdict = verdict_text(&account);
    if on_file.as_deref() != Some(verdict.as_bytes()) {
        files.disk().replace_soon(&files.layout.verdict(), verdict.as_bytes())?;
    }
    files.settle()?;
    Ok(account)
}

/// Writes what an open debate shows to readers.
pub(crate) fn publish_open(files: &DebateFiles, survey: &Survey) -> Result<Account, EngineError> {
    refuse_another_record(files, survey)?;
    let account = survey.account(files)?;
    for report in files.plan.protocol.reports {
        let text = match report {
            ReportFile::State => {
                let waiting: Vec<String> = survey.open.iter().map(|open| open.ask.key.to_string()).collect();
                pretty(&state::open(&account, &waiting))
            }
            ReportFile::Transcript => transcript::write(&account),
            ReportFile::Verdict | ReportFile::Result => continue,
        };
        files.put_derived(&files.layout.path(report.file()), text.as_bytes())?;
    }
    retract(files)?;
    files.put_status(survey.status())?;
    files.settle()?;
    Ok(account)
}

/// Takes back what a concluded debate showed to readers, when it is open again. What lies there without a verdict of forge's
/// and does not read as forge writes it is somebody else's, and stays until forge has a verdict to put there.
pub(crate) fn retract(files: &DebateFiles) -> Result<(), EngineError> {
    let verdict = files.layout.verdict();
    let is_concluded = files.disk().read(&verdict)?.is_some();
    files.disk().remove(&verdict)?;
    for report in ReportFile::ALL.into_iter().filter(|report| !report.is_of_open()) {
        let path = files.layout.path(report.file());
        if is_concluded || is_forges(files, report, &path)? {
            files.disk().remove(&path)?;
        }
    }
    Ok(())
}

/// Whether a report reads as forge begins it: a run that died may have left it without its verdict.
fn is_forges(files: &DebateFiles, report: ReportFile, path: &str) -> Result<bool, EngineError> {
    let bytes = match files.disk().read(path) {
        Err(error) if error.is_about_one_file() => return Ok(false),
        bytes => bytes?.unwrap_or_default(),
    };
    let text = String::from_utf8_lossy(&bytes);
    Ok(match report {
        ReportFile::Verdict => report::is_ours(&files.plan, &text),
        ReportFile::Result => result::is_ours(&files.plan, &text),
        ReportFile::State | ReportFile::Transcript => true,
    })
}

fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}
