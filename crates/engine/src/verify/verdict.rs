//! The verdict as derived now, against what stands on file: the verdict for machines, the files that it lists, the reports.

use super::{Kind, Verification};
use crate::report;
use crate::survey::Survey;
use crate::workspace::EngineError;
use forge_artifacts::formats::verdict::{self, Account};
use forge_artifacts::layout::Layout;
use forge_artifacts::store::DebateFiles;
use forge_debate::digest::Digest;
use forge_debate::turn::slug;
use serde_json::{Map, Value};

/// The most characters of a value that are shown.
const SHOWN: usize = 100;
/// The most differences that are listed.
const DIFFERENCES: usize = 5;

/// What is said of a report that was changed.
const NOT_WHAT_FOLLOWS: &str = "it is not what follows from the turns";

/// The verdict on file, as it is.
pub(super) struct OnFile {
    bytes: Option<Vec<u8>>,
    value: Value,
    problem: Option<String>,
    home: Layout,
}

/// What follows from the turns now.
pub(super) struct Derived {
    pub(super) account: Account,
    /// Everything that a debate of this protocol shows to readers beside the verdict for machines, in the order in which it
    /// is written. Of a debate that is not over only the paths mean something.
    pub(super) texts: Vec<report::Text>,
}

impl Derived {
    pub(super) fn of(files: &DebateFiles, survey: &Survey) -> Result<Self, EngineError> {
        let (account, mut texts) = survey.account_and_texts(files)?;
        if survey.verdict.is_none() {
            texts = report::texts(files, &account);
        }
        Ok(Self { account, texts })
    }

    /// The reports that are there and are not what follows.
    fn differing(&self, files: &DebateFiles) -> Result<Vec<&str>, EngineError> {
        let mut differing = Vec::new();
        for (file, text) in &self.texts {
            if files.disk().read(file)?.is_some_and(|bytes| bytes != text.as_bytes()) {
                differing.push(file.as_str());
            }
        }
        Ok(differing)
    }

    /// The report that is written last, and taken back first when a debate is open again, if it is there.
    fn last_report(&self, files: &DebateFiles) -> Result<Option<&str>, EngineError> {
        let Some((file, _)) = self.texts.last() else { return Ok(None) };
        Ok(files.disk().read(file)?.map(|_| file.as_str()))
    }
}

/// A turn in the list of the verdict on file.
pub(super) struct Row<'v> {
    pub(super) file: &'v str,
    pub(super) digest: &'v str,
    pub(super) slug: String,
}

impl OnFile {
    pub(super) fn read(files: &DebateFiles) -> Result<Self, EngineError> {
        let bytes = files.disk().read(&files.layout.verdict())?;
        let (value, problem) = match bytes.as_deref().map(serde_json::from_slice::<Value>) {
            None => (Value::Null, None),
            Some(Ok(value)) => (value, None),
            Some(Err(error)) => (Value::Null, Some(error.to_string())),
        };
        Ok(Self { bytes, value, problem, home: files.layout.clone() })
    }

    pub(super) fn is_there(&self) -> bool {
        self.bytes.is_some()
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.value.get(key)?.as_str()
    }

    /// The turns that it lists. Paths that lead anywhere else are left to the comparison of the whole.
    pub(super) fn turns(&self) -> Vec<Row<'_>> {
        let rows = self.value.get("turns").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let text = |row: &'_ Value, key: &str| row.get(key).and_then(Value::as_str).map(str::to_owned);
        rows.iter()
            .filter_map(|row| {
                let slug = slug(&text(row, "stage")?, row.get("round")?, &text(row, "seat")?);
                Some(Row { file: row.get("file")?.as_str()?, digest: row.get("digest")?.as_str()?, slug })
            })
            .filter(|row| self.home.owns(row.file))
            .collect()
    }

    /// Files with their digests under a key; nothing where it has no such key.
    pub(super) fn list(&self, key: &str) -> Option<Vec<(&str, &str)>> {
        let rows = self.value.get(key)?.as_array()?;
        Some(rows.iter().filter_map(pair).filter(|(file, _)| self.home.owns(file)).collect())
    }
}

fn pair(row: &Value) -> Option<(&str, &str)> {
    Some((row.get("file")?.as_str()?, row.get("digest")?.as_str()?))
}

/// Derives the verdict and compares.
pub(super) fn check(
    files: &DebateFiles,
    survey: &Survey,
    derived: &Derived,
    on_file: &OnFile,
    report: &mut Verification,
) -> Result<(), EngineError> {
    let path = files.layout.verdict();
    let Some(verdict) = &survey.verdict else {
        if on_file.is_there() {
            report.found(
                Kind::Verdict,
                path,
                "there is a verdict on file, and none follows from the turns that are there",
            );
            // What it lists can still be held against it.
            kept(files, on_file, None, report)?;
            listed_reports(files, on_file, report)?;
        } else if let Some(file) = derived.last_report(files)? {
            report.note(format!("{file}: it is there, and no verdict follows from the turns that are there"));
        }
        return Ok(());
    };
    let account = &derived.account;
    report.outcome = Some(verdict.outcome());
    report.decided = verdict.options().iter().map(|id| files.plan.option_name(id)).collect();
    report.record_digest = Some(account.record.to_string());
    let Some(bytes) = &on_file.bytes else {
        return without_verdict(files, derived, report);
    };
    if let Some(problem) = &on_file.problem {
        report.found(Kind::Verdict, path, format!("it is not JSON: {problem}"));
        return Ok(());
    }
    kept(files, on_file, Some(&account.kept), report)?;
    // Where something else is wrong already, other reports follow, and saying so for each would hide the cause.
    let is_first = report.discrepancies.is_empty();
    let expected = verdict::json(account);
    if on_file.value != expected {
        report.found(Kind::Verdict, &path, differences(&on_file.value, &expected));
    } else if *bytes != report::verdict_text(account).as_bytes() {
        report.found(Kind::Verdict, &path, "it says the same in another spelling; forge did not write it so");
    }
    listed_reports(files, on_file, report)?;
    if is_first {
        for file in derived.differing(files)? {
            report.found(Kind::Report, file, NOT_WHAT_FOLLOWS);
        }
    }
    Ok(())
}

/// The reports of a concluded debate that has no verdict on file. The verdict is written last, so a run that was killed may
/// leave reports without it; none that do not follow.
fn without_verdict(files: &DebateFiles, derived: &Derived, report: &mut Verification) -> Result<(), EngineError> {
    let path = files.layout.verdict();
    let last = derived.last_report(files)?;
    report.note(format!("{path} is not there; the verdict was derived from the turns alone"));
    // Other turns give other reports, and that the turns are others is told already.
    if !report.discrepancies.is_empty() {
        return Ok(());
    }
    let differing = derived.differing(files)?;
    if last.is_none() {
        for file in differing {
            report.note(format!("{file}: it is of an earlier state of the debate, and is not checked"));
        }
        return Ok(());
    }
    if !differing.is_empty() {
        report.found(Kind::Dropped, path, "it is gone, and a report that it listed is another one now");
    }
    for file in differing {
        report.found(Kind::Report, file, NOT_WHAT_FOLLOWS);
    }
    Ok(())
}

/// Files beside the chain, against their digests in the verdict on file. What is there `now` is known once a verdict was
/// derived.
fn kept(
    files: &DebateFiles,
    on_file: &OnFile,
    now: Option<&[(String, Digest)]>,
    report: &mut Verification,
) -> Result<(), EngineError> {
    let now = now.unwrap_or_default();
    let Some(listed) = on_file.list("kept") else { return Ok(()) };
    for (file, digest) in &listed {
        let there = now.iter().find(|(path, _)| path == file).map(|(_, digest)| *digest);
        let there = match there {
            Some(digest) => Some(digest),
            None => files.disk().read(file)?.as_deref().map(Digest::of),
        };
        match there {
            None => report.found(Kind::Dropped, *file, "the verdict on file lists it, and it is gone"),
            Some(now) if now.to_string() != *digest => {
                let kind = if *file == files.layout.sealed_plan() { Kind::Plan } else { Kind::Edited };
                report.found(kind, *file, "it is not the file that the verdict lists");
            }
            Some(_) => {}
        }
    }
    for (file, _) in now.iter().filter(|(file, _)| !listed.iter().any(|(path, _)| path == file)) {
        report.found(Kind::Added, file, "nobody asked for it, and the verdict does not list it");
    }
    Ok(())
}

/// The reports, against their digests in the verdict on file.
fn listed_reports(files: &DebateFiles, on_file: &OnFile, report: &mut Verification) -> Result<(), EngineError> {
    let Some(listed) = on_file.list("reports") else { return Ok(()) };
    for (file, digest) in &listed {
        let now = files.disk().read(file)?;
        match now.as_deref().map(Digest::of) {
            None => report.found(Kind::Report, *file, "it is gone"),
            Some(now) if now.to_string() != *digest => {
                report.found(Kind::Report, *file, "it is not the report that the verdict lists");
            }
            Some(_) => {}
        }
    }
    Ok(())
}

fn short(value: Option<&Value>) -> String {
    let text = value.map_or_else(|| "nothing".to_owned(), Value::to_string);
    if text.chars().count() <= SHOWN { text } else { format!("{}…", text.chars().take(SHOWN).collect::<String>()) }
}

fn shortened(found: &[String]) -> String {
    let more = found.len().saturating_sub(DIFFERENCES);
    let mut texts: Vec<String> = found.iter().take(DIFFERENCES).cloned().collect();
    if more > 0 {
        texts.push(format!("and {more} more"));
    }
    texts.join("; ")
}

/// The places in which two verdicts differ, with both values.
fn differences(there: &Value, expected: &Value) -> String {
    let mut found = Vec::new();
    contained(there, expected, "", &mut found);
    let empty = Map::new();
    let (there, expected) = (there.as_object().unwrap_or(&empty), expected.as_object().unwrap_or(&empty));
    found.extend(expected.keys().filter(|key| !there.contains_key(*key)).map(|key| format!("{key} is missing")));
    if found.is_empty() {
        found.push("a part of it is missing".to_owned());
    }
    shortened(&found)
}

/// Everything in `there` that does not follow.
fn contained(there: &Value, expected: &Value, at: &str, found: &mut Vec<String>) {
    match (there, expected) {
        (Value::Object(there), Value::Object(expected)) => {
            for (key, value) in there.iter() {
                let place = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                match expected.get(key) {
                    Some(follows) => contained(value, follows, &place, found),
                    None => found.push(format!("{place} is {}, and nothing follows", short(Some(value)))),
                }
            }
        }
        (Value::Array(there), Value::Array(expected)) if there.len() == expected.len() => {
            for (i, (one, other)) in there.iter().zip(expected).enumerate() {
                contained(one, other, &format!("{at}[{i}]"), found);
            }
        }
        (there, expected) if there == expected => {}
        (there, expected) => {
            found.push(format!("{at} is {}, and {} follows", short(Some(there)), short(Some(expected))))
        }
    }
}
