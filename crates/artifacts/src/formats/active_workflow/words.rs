//! The words that state files use, forge's own and those of older layouts.

use crate::formats::workflow_file::TEN_IDS;
use forge_workflow::state::{DebateStatus, PhaseStatus, WorkflowStatus};
use serde_json::Value;

/// The major version that is read and written.
const MAJOR: u64 = 2;

/// A word as it is compared: small letters, `_` between words.
pub(in crate::formats) fn plain(word: &str) -> String {
    let kept = |c: char| !matches!(c, '`' | '*' | '"' | '\'');
    let word: String = word.trim().chars().filter(|c| kept(*c)).collect();
    word.trim().to_lowercase().replace([' ', '-'], "_")
}

/// Whether a value says that there is nothing.
pub(super) fn is_nothing(word: &str) -> bool {
    matches!(plain(word).as_str(), "" | "none" | "null" | "nil" | "~" | "_" | "n/a" | "idle" | "no_active_workflow")
}

/// A phase under the name that forge has for it; names that forge does not know stay as they are.
pub(in crate::formats) fn phase(word: &str) -> String {
    let folded = plain(word);
    let known = |name: &str| TEN_IDS.into_iter().find(|id| *id == name);
    match folded.as_str() {
        "initialize" | "initialise" | "initialization" | "initialisation" => "init".to_owned(),
        folded => known(folded).map_or_else(|| word.trim().trim_matches(['`', '*', '"']).to_owned(), str::to_owned),
    }
}

/// The version, if it is one of a later forge.
pub(super) fn newer_version(value: Option<&Value>) -> Option<String> {
    let version = match value? {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let major = major(&version)?;
    (major > MAJOR).then_some(version)
}

/// Whether a version is the one that is written, but for its smaller numbers.
pub(super) fn is_current(version: &str) -> bool {
    major(version) == Some(MAJOR)
}

fn major(version: &str) -> Option<u64> {
    let digits: String =
        version.trim().trim_start_matches(['v', 'V']).chars().take_while(char::is_ascii_digit).collect();
    // More digits than a number holds are more than two as well.
    if digits.is_empty() { None } else { Some(digits.parse().unwrap_or(u64::MAX)) }
}

/// A word of a status, and whether it says something that forge has no word for.
pub(super) struct Heard<T> {
    pub(super) status: T,
    pub(super) loosely: bool,
}

fn exactly<T>(status: T) -> Option<Heard<T>> {
    Some(Heard { status, loosely: false })
}

fn loosely<T>(status: T) -> Option<Heard<T>> {
    Some(Heard { status, loosely: true })
}

pub(super) fn phase_status(word: &str) -> Option<Heard<PhaseStatus>> {
    match plain(word).as_str() {
        "pending" | "not_started" | "todo" | "planned" => exactly(PhaseStatus::Pending),
        "in_progress" | "inprogress" | "active" | "started" | "running" | "ongoing" | "wip" | "doing" | "open"
        | "exploring" | "under_way" | "underway" => exactly(PhaseStatus::InProgress),
        // The workflow is paused; its phase is as it was.
        "paused" => exactly(PhaseStatus::InProgress),
        "blocked" => exactly(PhaseStatus::Blocked),
        "failed" => loosely(PhaseStatus::Blocked),
        "completed" | "complete" | "done" | "handoff_ready" | "finished" | "archived" => {
            exactly(PhaseStatus::Completed)
        }
        _ => None,
    }
}

pub(super) fn workflow_status(word: &str) -> Option<Heard<WorkflowStatus>> {
    match plain(word).as_str() {
        "in_progress" | "inprogress" | "active" | "started" | "running" | "ongoing" | "wip" | "doing" | "open"
        | "exploring" | "under_way" | "underway" | "handoff_ready" => exactly(WorkflowStatus::Active),
        // What holds a phase is said in `phase_status`.
        "blocked" => exactly(WorkflowStatus::Active),
        "pending" | "not_started" | "failed" => loosely(WorkflowStatus::Active),
        "paused" => exactly(WorkflowStatus::Paused),
        "completed" | "complete" | "done" | "finished" | "archived" => exactly(WorkflowStatus::Completed),
        "abandoned" => exactly(WorkflowStatus::Abandoned),
        _ => None,
    }
}

pub(super) fn debate_status(word: &str) -> Option<Heard<DebateStatus>> {
    match plain(word).as_str() {
        "none" | "" | "not_required" | "skipped" => exactly(DebateStatus::None),
        "pending" | "planned" | "waiting" => exactly(DebateStatus::Pending),
        "running" | "in_progress" | "active" => exactly(DebateStatus::Running),
        "complete" | "completed" | "done" | "passed" => exactly(DebateStatus::Complete),
        _ => None,
    }
}
