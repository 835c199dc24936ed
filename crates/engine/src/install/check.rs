//! Whether what was installed is there, whole, and calls a program that is there.

use super::mark::Owner;
use super::settings::{self, Names, Own};
use super::{Project, Wanted};
use crate::workspace::EngineError;
use forge_artifacts::disk::places::HOST_SETTINGS;
use forge_artifacts::disk::read_named;
use forge_artifacts::document::{self, Document, Front};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

/// What a host reads over the project's settings, and the most of it that is looked at.
const LOCAL_SETTINGS: &str = ".claude/settings.local.json";
const LOCAL_SETTINGS_LIMIT_BYTES: u64 = 1024 * 1024;

/// What is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// Nothing of forge's is there.
    NotInstalled,
    /// A page or agent is not there.
    Missing(String),
    /// A page of another forge.
    Old(String),
    /// A page that somebody changed: the user, or whoever filled the repository. It is left alone.
    Changed {
        /// The page.
        path: String,
        /// The first line that differs.
        line: usize,
    },
    /// A page at forge's place that forge did not write.
    Other(String),
    /// A page that a host cannot read.
    Unreadable {
        /// The page.
        path: String,
        /// The line.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// A permission rule is not in the settings.
    Rule(String),
    /// A hook is not in the settings.
    Hook(String),
    /// The settings cannot be read.
    Settings {
        /// The file.
        path: String,
        /// The line.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// Settings keep forge's entries from working.
    Off {
        /// The file.
        path: String,
        /// How.
        what: String,
    },
    /// The program that pages and hooks call is not there.
    ProgramGone(String),
    /// The host's own validator found something.
    Host(String),
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::NotInstalled => write!(f, "nothing of forge's is installed here"),
            Finding::Missing(path) => write!(f, "{path} is not there"),
            Finding::Old(path) => write!(f, "{path} is of another version of forge"),
            Finding::Changed { path, line } => write!(
                f,
                "{path}:{line} is not as forge wrote it, and the host's models follow it; whether you changed it or the repository did cannot be told, so it is left alone. Read it; for forge's own: rm {path}, then the same forge install"
            ),
            Finding::Other(path) => write!(f, "{path} was not written by forge, and stands in its place"),
            Finding::Unreadable { path, line, what } | Finding::Settings { path, line, what } => {
                write!(f, "{path}:{line}: {what}")
            }
            Finding::Rule(rule) => write!(f, "{HOST_SETTINGS} has no rule {rule}, so the host asks each time"),
            Finding::Hook(event) => write!(f, "{HOST_SETTINGS} has no {event} hook of forge's"),
            Finding::Off { path, what } => write!(f, "{path}: {what}"),
            Finding::ProgramGone(program) => {
                write!(
                    f,
                    "{program} is gone: the pages and hooks call it. Put it back, or run `forge install` with the forge that is there"
                )
            }
            Finding::Host(said) => write!(f, "claude plugin validate: {said}"),
        }
    }
}

/// What a check came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// What is installed, as far as it can be told.
    pub installed: Wanted,
    /// How many pages and agents were looked at.
    pub pages: usize,
    /// What is not as it should be.
    pub findings: Vec<Finding>,
    /// What stands among forge's pages and is none of them: the user's own, or whoever filled the repository put it there.
    pub others: Vec<String>,
}

/// What is said of such a page.
pub fn among_pages(path: &str) -> String {
    format!(
        "{path} stands among forge's pages, and this forge has none of that name; the host's models follow it. Read it, if it is not yours"
    )
}

impl Project<'_> {
    /// Holds what is there against what forge writes. `program` is what forge is called by now; what is installed may call it
    /// in another way.
    pub fn check(&self, program: &str, is_there: &dyn Fn(&str) -> bool) -> Result<Checked, EngineError> {
        let file = self.settings();
        let has_settings = self.host.has_settings();
        let text = if has_settings { file.read()?.unwrap_or_default() } else { String::new() };
        let record = if has_settings { file.record()? } else { None };
        let names = Names::of([program].into_iter().chain(record.iter().map(|record| record.program.as_str())));
        let mut findings = Vec::new();
        let found = names.found(&text).unwrap_or_else(|error| {
            findings.push(Finding::Settings { path: file.shown.clone(), line: error.line, what: error.what });
            BTreeSet::new()
        });
        if findings.is_empty() {
            findings.extend(ineffective(&file.shown, &text, &names));
        }
        if has_settings {
            findings.extend(self.ineffective_here(&names));
        }
        let called: BTreeSet<&str> = found.iter().map(Own::program).collect();
        let hold_stop = found.iter().any(|own| matches!(own, Own::Hook(event, _) if event == "Stop"));
        let installed = Wanted {
            program: called.first().map_or(program, |program| *program).to_owned(),
            hold_stop,
            agents_md: false,
        };
        let wanted = self.wanted_files(&installed);
        let is_wanted = |path: &String| wanted.iter().any(|file| file.path == *path);
        let mut pages = self.pages()?;
        let mut others = self.strays()?;
        others.extend(
            pages
                .iter()
                .filter(|(path, (_, owner))| *owner == Owner::Other && !is_wanted(path))
                .map(|(path, _)| path.clone()),
        );
        pages.retain(|path, (_, owner)| *owner != Owner::Other || is_wanted(path));
        if found.is_empty() && pages.values().all(|(_, owner)| *owner == Owner::Other) && findings.is_empty() {
            return Ok(Checked { installed, pages: 0, findings: vec![Finding::NotInstalled], others: Vec::new() });
        }
        for file in &wanted {
            match pages.get(&file.path) {
                None => findings.push(Finding::Missing(file.path.clone())),
                Some((bytes, Owner::Forge)) if *bytes != file.text.as_bytes() => {
                    // A checkout may end lines in another way.
                    if document::decode(bytes).text != file.text {
                        findings.push(Finding::Old(file.path.clone()));
                    }
                }
                Some((_, Owner::Forge)) => {}
                Some((bytes, Owner::Changed)) => {
                    let line = first_difference(&document::decode(bytes).text, &file.text);
                    findings.push(Finding::Changed { path: file.path.clone(), line });
                }
                Some((_, Owner::Other)) => findings.push(Finding::Other(file.path.clone())),
            }
        }
        let stale = pages.iter().filter(|(path, (_, owner))| *owner == Owner::Forge && !is_wanted(path));
        findings.extend(stale.map(|(path, _)| Finding::Old(path.clone())));
        let is_page = |path: &str| has_settings && path.ends_with(".md");
        let read = pages.iter().filter(|(path, _)| is_page(path));
        findings.extend(read.filter_map(|(path, (bytes, _))| unreadable(path, bytes)));
        if !has_settings {
            return Ok(Checked { installed, pages: pages.len(), findings, others });
        }
        let has = |own: Own| found.contains(&own);
        let rules = settings::rules(&installed).into_iter().filter(|rule| !has(Own::Rule(rule.clone())));
        findings.extend(rules.map(Finding::Rule));
        let hooks = settings::hooks(&installed).into_iter();
        let hooks = hooks.filter(|hook| !has(Own::Hook(hook.event.to_owned(), hook.command.clone())));
        findings.extend(hooks.map(|hook| Finding::Hook(hook.event.to_owned())));
        findings.extend(
            called.iter().filter(|program| !is_there(program)).map(|gone| Finding::ProgramGone((*gone).to_owned())),
        );
        Ok(Checked { installed, pages: pages.len(), findings, others })
    }
}

impl Project<'_> {
    /// What keeps forge's entries from having an effect in the settings that a host reads over the project's.
    fn ineffective_here(&self, names: &Names) -> Vec<Finding> {
        let bytes = read_named(&self.disk.root().join(LOCAL_SETTINGS), LOCAL_SETTINGS_LIMIT_BYTES).unwrap_or_default();
        let found = ineffective(LOCAL_SETTINGS, &document::decode(&bytes).text, names);
        // One that the host cannot read has no effect.
        found.into_iter().filter(|one| matches!(one, Finding::Off { .. })).collect()
    }
}

/// The first line in which two texts differ, and neither is forge's mark.
pub(super) fn first_difference(there: &str, own: &str) -> usize {
    const MARK_LINE: usize = 2;
    let mut lines = there.lines().zip(own.lines()).enumerate().map(|(i, both)| (i + 1, both));
    let differs = lines.find(|(line, (there, own))| *line != MARK_LINE && there != own);
    differs.map_or(there.lines().count().min(own.lines().count()) + 1, |(line, _)| line)
}

/// What keeps settings that forge can read from having an effect.
pub(super) fn ineffective(path: &str, text: &str, names: &Names) -> Vec<Finding> {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    if bare.trim().is_empty() {
        return Vec::new();
    }
    let value: Value = match serde_json::from_str(bare) {
        Ok(value) => value,
        Err(error) => {
            let what = "the host reads plain JSON only, so nothing in this file is in effect: take out comments and trailing commas".to_owned();
            return vec![Finding::Settings { path: path.to_owned(), line: error.line(), what }];
        }
    };
    let off = |what| Finding::Off { path: path.to_owned(), what };
    let mut findings = Vec::new();
    if value.get("disableAllHooks") == Some(&Value::Bool(true)) {
        findings.push(off("disableAllHooks is true, so no seat is held to its ask".to_owned()));
    }
    let denied = value.pointer("/permissions/deny").and_then(Value::as_array).into_iter().flatten();
    for rule in denied.filter_map(Value::as_str).filter(|rule| names.is_ruled(rule)) {
        findings.push(off(format!("permissions.deny has {rule}, so the pages cannot call forge")));
    }
    findings
}

/// What keeps a host from reading a page.
fn unreadable(path: &str, bytes: &[u8]) -> Option<Finding> {
    let page = Document::parse(&document::decode(bytes).text);
    let (line, what) = match page.front {
        Front::Broken { line, text } => (line, text),
        Front::None => (1, "there is no front matter between two --- lines".to_owned()),
        Front::Fields(fields) if !fields.contains_key("description") => {
            (1, "the front matter has no description".to_owned())
        }
        Front::Fields(_) if page.body.trim().is_empty() => (page.body_line, "the page has no text".to_owned()),
        Front::Fields(_) => return None,
    };
    Some(Finding::Unreadable { path: path.to_owned(), line, what })
}
