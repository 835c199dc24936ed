//! A state from a file's fields. What a file does not say is filled in, and every such guess is noted.

use super::sound::derived_id;
use super::source::{Shape, Source};
use super::{Layout, Read, line_of, words};
use crate::formats::scalar;
use crate::formats::workflow_file::TEN_IDS;
use forge_debate::plan::{Matter, check_id};
use forge_workflow::extract::passages::one_line;
use forge_workflow::state::{
    Answered, Called, DebateFlag, DebateState, DebateStatus, PhaseStatus, State, WorkflowStatus,
};
use serde_json::{Map, Value};

/// Keys that say something about a workflow; a file in which all of them are empty says that there is none.
const TELLING: &[&str] =
    &["objective", "workflow_id", "debate_id", "active_debate_id", "completed_phases", "current_task", "started_at"];

/// Keys that say how a workflow or its phase stands.
const STATUS_KEYS: [&str; 3] = ["status", "phase_status", "workflow_status"];

/// A status that forge has no word for: the key, and what stands there.
fn unknown_word(fields: &Map<String, Value>) -> Option<(String, String)> {
    let is_known = |word: &str| {
        words::is_nothing(word) || words::phase_status(word).is_some() || words::workflow_status(word).is_some()
    };
    let said = STATUS_KEYS.iter().filter_map(|key| Some(((*key).to_owned(), scalar(fields, key)?)));
    said.into_iter().find(|(_, word)| !is_known(word))
}

/// The key and the word by which a workflow is held, where the word is none of forge's.
pub(super) fn holding_word(fields: &Map<String, Value>) -> Option<(String, String)> {
    let given_up = || scalar(fields, "status").filter(|word| words::plain(word) == "abandoned");
    unknown_word(fields).or_else(|| given_up().map(|word| ("status".to_owned(), word)))
}

/// Reads the fields of a file.
pub(super) fn read(text: &str, source: &Source) -> Read {
    let fields = Fields { map: &source.fields, layout: layout(source) };
    let mut notes = source.notes.clone();
    if scalar(fields.map, "phase_status").is_some_and(|word| words::plain(&word) == "idle") {
        return Read::Idle;
    }
    let phase = match fields.phase(text) {
        Ok(Some(phase)) => phase,
        Ok(None) => return Read::Idle,
        Err(problem) => return Read::Damaged { line: line_of(text, &["phase", "current_phase"]), problem },
    };
    let state = fields.state(phase, &mut notes);
    let has_completed =
        fields.layout == Layout::Ours || fields.map.get("completed_phases").is_some_and(|list| !list.is_null());
    Read::State { state, layout: fields.layout, has_id: fields.said("workflow_id").is_some(), has_completed, notes }
}

fn layout(source: &Source) -> Layout {
    let has = |key: &str| source.fields.get(key).is_some_and(|value| !value.is_null());
    let is_flat = scalar(&source.fields, "workflow").as_deref() == Some("forge");
    match source.shape {
        Shape::Bare => return Layout::BareYaml,
        Shape::Json => return Layout::Json,
        Shape::Prose => return Layout::Prose,
        Shape::Front => {}
    }
    if has("current_phase") || has("active_debate_id") || has("workflow_status") {
        Layout::CurrentPhase
    } else if source.fields.get("progress").is_some_and(Value::is_object) {
        Layout::Progress
    } else if !has("phase_status") {
        if is_flat { Layout::Flat } else { Layout::PlainStatus }
    } else if has("workflow_id") && has("revision") {
        Layout::Ours
    } else if is_flat {
        Layout::FlatWithDebate
    } else if has("context") || has("completed_tasks") {
        Layout::Described
    } else {
        Layout::Partial
    }
}

/// The texts of a list; a single value is a list of one.
pub(super) fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().filter_map(text).collect(),
        Value::Null | Value::Object(_) => Vec::new(),
        Value::String(one) if one.is_empty() => Vec::new(),
        one => text(one).into_iter().collect(),
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Object(record) => ["task", "id", "phase", "name"].iter().find_map(|key| scalar(record, key)),
        Value::Null | Value::Array(_) => None,
    }
}

struct Fields<'m> {
    map: &'m Map<String, Value>,
    layout: Layout,
}

impl Fields<'_> {
    /// The phase; none where the file says that there is no workflow.
    fn phase(&self, text: &str) -> Result<Option<String>, String> {
        let said = scalar(self.map, "phase").or_else(|| scalar(self.map, "current_phase"));
        let Some(said) = said.filter(|word| !words::is_nothing(word)) else {
            let named = self.map.contains_key("phase") || self.map.contains_key("current_phase");
            let silent = TELLING.iter().all(|key| self.map.get(*key).is_none_or(is_empty));
            let idle = scalar(self.map, "status").is_some_and(|word| words::is_nothing(&word));
            let over = scalar(self.map, "status").is_some_and(|word| words::plain(&word) == "completed");
            return match self.list("completed_phases").last() {
                _ if named && silent || idle || text.to_lowercase().contains("no active workflow") => Ok(None),
                Some(last) if over => self.valid_phase(last).map(Some),
                _ => Err("the phase is not said; expected a line such as `phase: brainstorm`".to_owned()),
            };
        };
        self.valid_phase(&said).map(Some)
    }

    fn valid_phase(&self, said: &str) -> Result<String, String> {
        // What forge wrote is a project's own word, whatever it reminds of.
        let phase = if self.layout == Layout::Ours { said.to_owned() } else { words::phase(said) };
        check_id(&phase).map_err(|problem| format!("{said:?} cannot be a phase: {problem}"))?;
        Ok(phase)
    }

    fn state(&self, phase: String, notes: &mut Vec<String>) -> State {
        let phase_status = self.phase_status(notes);
        let context = self.map.get("context").and_then(Value::as_object);
        let in_context = |key: &str| context.and_then(|block| scalar(block, key)).filter(|said| !said.is_empty());
        let maybe_time = |key: &str, notes: &mut Vec<String>| self.time(key, notes).filter(|said| !said.is_empty());
        let phase_started_at = maybe_time("phase_started_at", notes);
        let started_at = self.time("started_at", notes).or_else(|| phase_started_at.clone()).unwrap_or_else(|| {
            notes.push("when the workflow began is not said".to_owned());
            String::new()
        });
        let objective = scalar(self.map, "objective").or_else(|| in_context("feature")).unwrap_or_else(|| {
            notes.push("the objective is not said".to_owned());
            String::new()
        });
        let completed_tasks = self.list("completed_tasks");
        let pending_tasks = self.list("pending_tasks");
        let current_task = match self.task_field("current_task") {
            None => pending_tasks.first().cloned(),
            Some(said) => text(said).filter(|task| !words::is_nothing(task)),
        };
        State {
            workflow_id: self.workflow_id(&started_at),
            objective,
            phase_objective: self.said("phase_objective"),
            phase_status,
            last_updated: self.time("last_updated", notes).unwrap_or_else(|| started_at.clone()),
            completed_at: maybe_time("completed_at", notes).or_else(|| maybe_time("phase_completed_at", notes)),
            next_phase: self.next_phase(&phase, notes),
            completed_phases: self.completed_phases(&phase, notes),
            status: self.workflow_status(&phase, notes),
            debate_flag: self.debate_flag(notes),
            debates: self.debates(&phase),
            debate: self.debate(&phase, notes),
            skipped_debates: self.pairs("skipped_debates"),
            answered: self.pairs("answered").iter().filter_map(answered).collect(),
            called: self.pairs("called").iter().filter_map(called).collect(),
            rehearsed_phases: self.list("rehearsed_phases"),
            debated_before: self.list("debated_before"),
            reopened_decision: self.said("reopened_decision"),
            completed_tasks,
            pending_tasks,
            blocked_tasks: self.blocked_tasks(),
            current_task,
            branch: self.said("branch").or_else(|| in_context("branch")),
            issue: self.said("issue"),
            revision: self.map.get("revision").and_then(Value::as_u64).unwrap_or_default(),
            started_at,
            phase_started_at,
            phase,
        }
    }

    /// A text that says something.
    fn said(&self, key: &str) -> Option<String> {
        scalar(self.map, key).filter(|said| !said.is_empty())
    }

    /// The name of something, where `none` is no name.
    fn named(&self, key: &str) -> Option<String> {
        self.said(key).filter(|said| !words::is_nothing(said))
    }

    /// A time as it is written; a command that some script failed to run is none.
    fn time(&self, key: &str, notes: &mut Vec<String>) -> Option<String> {
        let said = scalar(self.map, key)?;
        if said.contains("$(") {
            notes.push(format!("{key} is {said:?}, a command and not a time; left out"));
            return None;
        }
        Some(said)
    }

    fn task_field(&self, key: &str) -> Option<&Value> {
        let progress = self.map.get("progress").and_then(Value::as_object);
        self.map.get(key).or_else(|| progress.and_then(|block| block.get(key)))
    }

    fn list(&self, key: &str) -> Vec<String> {
        self.task_field(key).map(texts).unwrap_or_default()
    }

    fn workflow_id(&self, started_at: &str) -> String {
        self.said("workflow_id").unwrap_or_else(|| derived_id(started_at))
    }

    fn phase_status(&self, notes: &mut Vec<String>) -> PhaseStatus {
        let key = if self.named("phase_status").is_some() { "phase_status" } else { "status" };
        let said = self.named(key).unwrap_or_default();
        match words::phase_status(&said) {
            Some(heard) => {
                if heard.loosely {
                    notes.push(format!("{key} {said:?} is taken for {:?}", heard.status.word()));
                }
                heard.status
            }
            None => {
                if said.is_empty() {
                    notes.push("how the phase stands is not said; in_progress is assumed".to_owned());
                }
                PhaseStatus::InProgress
            }
        }
    }

    /// A word that forge does not know holds the workflow, as `paused` does.
    fn workflow_status(&self, phase: &str, notes: &mut Vec<String>) -> WorkflowStatus {
        let is_paused = |key: &str| self.named(key).is_some_and(|word| words::plain(&word) == "paused");
        if STATUS_KEYS.iter().any(|key| is_paused(key)) || unknown_word(self.map).is_some() {
            return WorkflowStatus::Paused;
        }
        // A script that completes a phase says so in `status`: only of the last one is the workflow over.
        let is_last = TEN_IDS.last() == Some(&phase);
        let is_of_the_phase = self.named("phase_status").is_none() && !is_last;
        let own = if is_of_the_phase { None } else { self.named("status") };
        let Some(said) = self.named("workflow_status").or(own) else { return WorkflowStatus::Active };
        let Some(heard) = words::workflow_status(&said) else { return WorkflowStatus::Active };
        if heard.loosely {
            notes.push(format!("status {said:?} is taken for {:?}", heard.status.word()));
        }
        if words::plain(&said) == "blocked" {
            notes.push(
                "status says blocked, which is a word for phase_status; what holds a workflow is `status: paused`"
                    .to_owned(),
            );
        }
        heard.status
    }

    fn next_phase(&self, phase: &str, notes: &mut Vec<String>) -> Option<String> {
        if let Some(said) = self.named("next_phase") {
            match self.valid_phase(&said) {
                Ok(next) => return Some(next),
                Err(problem) => notes.push(format!("next_phase: {problem}; left out")),
            }
        }
        // `null` says that there is none only where forge, or a file in its words, says so.
        if self.map.contains_key("next_phase") && self.layout.is_edited_in_place() {
            return None;
        }
        let next = TEN_IDS.iter().skip_while(|id| **id != phase).nth(1)?;
        notes.push(format!("the next phase is not said; {next} is assumed"));
        Some((*next).to_owned())
    }

    fn completed_phases(&self, phase: &str, notes: &mut Vec<String>) -> Vec<String> {
        if self.map.get("completed_phases").is_none_or(Value::is_null) {
            // Forge always writes the list: without it nothing is done.
            if self.layout == Layout::Ours {
                notes.push("the completed phases are not said".to_owned());
                return Vec::new();
            }
            let before: Vec<String> =
                TEN_IDS.iter().take_while(|id| **id != phase).map(|id| (*id).to_owned()).collect();
            if before.is_empty() || before.len() == TEN_IDS.len() {
                return Vec::new();
            }
            notes.push(format!("the completed phases are not said; assumed: {}", before.join(", ")));
            return before;
        }
        let listed = self.list("completed_phases");
        let listed: Vec<String> = match listed.as_slice() {
            [one] if one.contains(',') => one.split(',').map(|part| part.trim().to_owned()).collect(),
            _ => listed,
        };
        let mut phases = Vec::new();
        for said in &listed {
            match self.valid_phase(said) {
                Ok(phase) => phases.push(phase),
                Err(problem) => notes.push(format!("completed_phases: {problem}; left out")),
            }
        }
        if self.layout == Layout::Flat {
            // The scripts of that layout put the newest first.
            phases.sort_by_key(|phase| TEN_IDS.iter().position(|id| id == phase).unwrap_or(TEN_IDS.len()));
        }
        phases
    }

    /// `debate_triggered` is another tool's word for a debate that is called for.
    fn debate_flag(&self, notes: &mut Vec<String>) -> DebateFlag {
        let flag = self.said("debate_flag").and_then(|word| DebateFlag::parse(&word)).unwrap_or_default();
        let Some(said) = self.map.get("debate_triggered").filter(|said| !is_empty(said)) else { return flag };
        match text(said).map(|word| words::plain(&word)).as_deref() {
            Some("false" | "no") => flag,
            Some("true" | "yes") if flag == DebateFlag::Skipped => flag,
            Some("true" | "yes") => DebateFlag::Forced,
            _ => {
                notes.push("debate_triggered is neither true nor false; left out".to_owned());
                flag
            }
        }
    }

    fn debate_id(&self) -> Option<String> {
        self.named("debate_id").or_else(|| self.named("active_debate_id"))
    }

    /// The phase that a debate's name begins with, or the current one.
    fn owner(&self, id: &str, phase: &str) -> String {
        let begins = |one: &str| id.strip_prefix(one).is_some_and(|rest| rest.starts_with('-'));
        match TEN_IDS.into_iter().find(|one| begins(one)).filter(|_| !begins(phase)) {
            Some(other) => other.to_owned(),
            None => phase.to_owned(),
        }
    }

    fn debate(&self, phase: &str, notes: &mut Vec<String>) -> DebateState {
        let id = self.debate_id();
        let assumed = if id.is_some() { DebateStatus::Pending } else { DebateStatus::None };
        let status = match scalar(self.map, "debate_status") {
            None => {
                if id.is_some() {
                    notes.push("how the debate stands is not said; pending is assumed".to_owned());
                }
                assumed
            }
            Some(word) => words::debate_status(&word).map(|heard| heard.status).unwrap_or_else(|| {
                notes.push(format!("debate_status {word:?} is not known; {} is assumed", assumed.word()));
                assumed
            }),
        };
        let owner = match self.map.contains_key("debate_phase") {
            true => self.named("debate_phase"),
            false => id.as_deref().map(|id| self.owner(id, phase)),
        };
        // Another tool's state goes on naming the debate of a phase that is over; its files tell what it decided.
        let is_over = status == DebateStatus::Complete && owner.as_deref().is_some_and(|owner| owner != phase);
        if is_over && !self.map.contains_key("debates") {
            return DebateState { id: None, phase: None, status: DebateStatus::None, gate_passed: false };
        }
        let gate_passed = self.said("debate_gate_passed").is_some_and(|word| words::plain(&word) == "true");
        DebateState { id, phase: owner, status, gate_passed }
    }

    fn debates(&self, phase: &str) -> Vec<(String, String)> {
        if self.map.contains_key("debates") {
            return self.pairs("debates");
        }
        // A state without the list is another tool's: what it held in earlier phases was not planned by forge.
        let debate =
            self.debate_id().map(|id| (self.said("debate_phase").unwrap_or_else(|| self.owner(&id, phase)), id));
        debate.into_iter().filter(|(owner, _)| owner == phase).collect()
    }

    /// A list of pairs: `"phase: text"`, `phase: text`, or `{phase, id}`; or a map.
    fn pairs(&self, key: &str) -> Vec<(String, String)> {
        match self.map.get(key) {
            Some(Value::Array(items)) => items.iter().filter_map(pair).collect(),
            Some(Value::Object(map)) => {
                map.iter().map(|(key, value)| (key.clone(), text(value).unwrap_or_default())).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Blocked tasks, with reasons beside them or in a block of their own.
    fn blocked_tasks(&self) -> Vec<(String, String)> {
        let Some(listed) = self.task_field("blocked_tasks") else { return Vec::new() };
        let alone = std::slice::from_ref(listed);
        let items = listed.as_array().map_or(alone, Vec::as_slice);
        let reasons = self.map.get("blocked_reasons");
        let reason = |i: usize, task: &str, item: &Value| {
            let apart = reasons.and_then(|all| all.get(task).or_else(|| all.get(i))).and_then(text);
            apart.or_else(|| beside(item.as_object()?)).unwrap_or_default()
        };
        items
            .iter()
            .enumerate()
            .filter_map(|(i, item)| text(item).map(|task| (reason(i, &task, item), task)))
            .map(|(reason, task)| (task, reason))
            .collect()
    }
}

/// The reason in a blocked task's record, with the time that forge has no field for.
fn beside(record: &Map<String, Value>) -> Option<String> {
    let reason = scalar(record, "reason")?;
    Some(scalar(record, "blocked_at").map_or(reason.clone(), |since| format!("{reason} (since {since})")))
}

/// `6 in research` of a risk.
fn answered((matter, said): &(String, String)) -> Option<Answered> {
    let (score, phase) = said.trim().split_once(" in ")?;
    Some(Answered { matter: one_line(matter), score: score.parse().ok()?, phase: one_line(phase) })
}

/// `risk of 9, Fire` of a risk, `decision, Use Postgres` of a decision, `ticked, Mail does not cope` of a condition.
fn called((name, said): &(String, String)) -> Option<Called> {
    let (name, (kind, text)) = (one_line(name), said.trim().split_once(", ")?);
    let matter = match kind.strip_prefix("risk of ") {
        Some(score) => Matter::Risk { key: name, score: score.parse().ok()? },
        None if kind == "decision" => Matter::Decision(name),
        None if kind == "ticked" => Matter::Other(one_line(text)),
        None => return None,
    };
    Some(Called { matter, text: one_line(text) })
}

fn pair(item: &Value) -> Option<(String, String)> {
    match item {
        Value::String(line) => {
            let (phase, rest) = line.split_once(": ").unwrap_or((line, ""));
            Some((phase.to_owned(), rest.to_owned()))
        }
        Value::Object(record) => {
            let rest = ["id", "debate_id", "reason", "why"].iter().find_map(|key| scalar(record, key));
            match (scalar(record, "phase"), rest) {
                (Some(phase), Some(rest)) => Some((phase, rest)),
                _ => record.iter().next().map(|(phase, rest)| (phase.clone(), text(rest).unwrap_or_default())),
            }
        }
        _ => None,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => words::is_nothing(text),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}
