//! The settings of one phase, laid over what is known of it already.

use super::sentences::{self, Sentences};
use super::spot::Spot;
use super::{Defect, ENTRIES_LIMIT, debate};
use crate::disk::places::is_unseen;
use forge_debate::plan::check_id;
use forge_workflow::definition::{
    DoneWhen, EntryAction, ExitCriterion, FileRead, Given, Phase, Remark, Setting, Task, Trigger,
};
use forge_workflow::todo;

/// The longest part of a task's id that is made from its title.
const SLUG_LIMIT_CHARS: usize = 48;

/// The keys of a phase.
const KEYS: &[&str] = &[
    "id",
    "name",
    "description",
    "tasks",
    "entry_actions",
    "prerequisites",
    "artifacts",
    "sections",
    "exit_criteria",
    "optional",
    "options_document",
    "debate_enabled",
    "debate_trigger",
    "debate_protocol",
    "debate_gate",
];
const TASK_KEYS: &[&str] = &["id", "title", "done_when"];

/// The ways to write where a debate's id stands in a path.
const ID_PLACES: &[&str] =
    &["<debate-id>", "<debate_id>", "${DEBATE_ID}", "{debate-id}", "{debate_id}", "{id}", "<timestamp>"];

/// The phase with what the file says about it.
pub(super) fn phase(spot: &Spot<'_>, mut phase: Phase, read: &mut FileRead) -> Result<Phase, Defect> {
    read.unknown.extend(spot.unknown_keys(KEYS));
    if let Some(at) = spot.get("name") {
        phase.name = titled(&at, at.own_text()?)?;
    }
    if let Some(description) = spot.text("description")? {
        phase.description = description;
    }
    if let Some(listed) = spot.list("tasks", ENTRIES_LIMIT)? {
        phase.tasks = tasks(&listed, read)?;
        given(&phase, Setting::Tasks, &spot.at("tasks"), read);
    }
    entry(spot, &mut phase, read)?;
    exit(spot, &mut phase, read)?;
    if let Some(listed) = spot.texts("artifacts", ENTRIES_LIMIT)? {
        phase.artifacts.clear();
        for one in &listed {
            phase.artifacts.extend(artifact(one, read)?);
        }
        given(&phase, Setting::Artifacts, &spot.at("artifacts"), read);
    }
    if let Some(listed) = spot.list("sections", ENTRIES_LIMIT)? {
        phase.sections = listed.iter().map(section).collect::<Result<_, _>>()?;
        given(&phase, Setting::Sections, &spot.at("sections"), read);
    }
    if spot.flag("optional")? == Some(true) {
        read.remarks.push(Remark::Optional { path: spot.at("optional").path() });
    }
    phase.debate = debate::settings(spot, &phase, read)?;
    Ok(phase)
}

/// Notes where a setting of a phase stands.
pub(super) fn given(phase: &Phase, setting: Setting, at: &Spot<'_>, read: &mut FileRead) {
    read.given.push(Given { phase: Some(phase.id.clone()), setting, path: at.path() });
}

/// What happens on entering. Words act in place of forge's own; sentences are told to people, and change nothing.
fn entry(spot: &Spot<'_>, phase: &mut Phase, read: &mut FileRead) -> Result<(), Defect> {
    let mut told = Vec::new();
    let mut listed_any = false;
    if let Some(listed) = spot.texts("entry_actions", ENTRIES_LIMIT)? {
        let known = EntryAction::ALL.map(EntryAction::word);
        let said = Sentences::read(&listed, EntryAction::parse, "an entry action", &known, read)?;
        if !said.words.is_empty() {
            phase.entry_actions = said.words;
        }
        told.extend(said.prose);
        listed_any = true;
    }
    if let Some(listed) = spot.texts("prerequisites", ENTRIES_LIMIT)? {
        told.extend(sentences::prose(&listed, read).into_iter().map(|one| format!("Prerequisite: {one}")));
        listed_any = true;
    }
    if listed_any {
        phase.entry_notes = told;
    }
    Ok(())
}

/// What must hold before leaving. Words are the whole list of forge's own criteria; without any all of forge's stay. Sentences
/// are added as boxes, but for those that forge fulfils itself.
fn exit(spot: &Spot<'_>, phase: &mut Phase, read: &mut FileRead) -> Result<(), Defect> {
    let Some(listed) = spot.texts("exit_criteria", ENTRIES_LIMIT)? else { return Ok(()) };
    let known = ExitCriterion::ALL.map(ExitCriterion::word);
    let said = Sentences::read(&listed, ExitCriterion::parse, "an exit criterion", &known, read)?;
    if !said.words.is_empty() {
        phase.exit_criteria = said.words;
    }
    let (by_forge, boxes): (Vec<String>, Vec<String>) =
        said.prose.into_iter().partition(|one| forge_workflow::definition::is_fulfilled_by_forge(one));
    phase.by_forge = by_forge;
    phase.checklist.clear();
    for title in boxes {
        let is_known = |other: &Task| todo::key(&other.title) == todo::key(&title);
        if !phase.checklist.iter().any(is_known) {
            let id = made_id("check", &title, phase.checklist.len() + 1);
            phase.checklist.push(Task { id, title, done_when: DoneWhen::Ticked });
        }
    }
    given(phase, Setting::ExitCriteria, &spot.at("exit_criteria"), read);
    Ok(())
}

/// The trigger under a key.
pub(super) fn trigger(spot: &Spot<'_>, key: &str) -> Result<Option<Trigger>, Defect> {
    let Some(at) = spot.get(key) else { return Ok(None) };
    let known = Trigger::ALL.map(Trigger::word);
    Trigger::parse(at.own_text()?).map(Some).ok_or_else(|| at.unknown("a trigger", &known))
}

fn tasks(listed: &[Spot<'_>], read: &mut FileRead) -> Result<Vec<Task>, Defect> {
    let mut tasks: Vec<Task> = Vec::with_capacity(listed.len());
    for (i, spot) in listed.iter().enumerate() {
        let task = task(spot, i + 1)?;
        read.unknown.extend(spot.unknown_keys(TASK_KEYS));
        if tasks.iter().any(|other| other.id == task.id) {
            return Err(spot.refuse(&format!("there is a task {:?} already in this phase; ids must differ", task.id)));
        }
        tasks.push(task);
    }
    Ok(tasks)
}

fn task(spot: &Spot<'_>, number: usize) -> Result<Task, Defect> {
    let made = |title: &str| made_id("task", title, number);
    if !spot.is_object() {
        let title = spot.own_text().map_err(|_| spot.not("a task; expected a text or {id, title, done_when}"))?;
        return Ok(Task { id: made(title), title: titled(spot, title)?, done_when: DoneWhen::Ticked });
    }
    let title = spot.text("title")?.ok_or_else(|| spot.at("title").refuse("it is missing; every task has a title"))?;
    let title = titled(&spot.at("title"), &title)?;
    let id = match spot.text("id")? {
        Some(id) => {
            let refuse = |problem| spot.at("id").refuse(&format!("{id:?} cannot be an id: {problem}"));
            check_id(&id).map_err(refuse)?;
            id
        }
        None => made(&title),
    };
    let done_when = match spot.get("done_when") {
        None => DoneWhen::Ticked,
        Some(at) => {
            let known = DoneWhen::ALL.map(DoneWhen::word);
            DoneWhen::parse(at.own_text()?).ok_or_else(|| at.unknown("a way to know that a task is done", &known))?
        }
    };
    Ok(Task { id, title, done_when })
}

/// A title or name: words on one line.
pub(super) fn titled(at: &Spot<'_>, title: &str) -> Result<String, Defect> {
    let title = title.trim();
    if title.is_empty() || title.contains(char::is_control) {
        return Err(at.not("a title; expected words on one line"));
    }
    Ok(title.to_owned())
}

/// `task-NN-slug`, or `task-NN` where a title has nothing to make a slug of.
fn made_id(kind: &str, title: &str, number: usize) -> String {
    let mut id = format!("{kind}-{number:02}");
    let limit = id.len() + SLUG_LIMIT_CHARS;
    let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    for word in words {
        if id.len() + 1 + word.len() > limit {
            break;
        }
        id.push('-');
        id.push_str(&word.to_ascii_lowercase());
    }
    id
}

fn section(spot: &Spot<'_>) -> Result<String, Defect> {
    let title = spot.own_text()?.trim_start_matches(|c: char| c == '#' || c.is_whitespace());
    titled(spot, title)
}

/// A path that can be looked for, if it is one: patterns, places to fill in, hidden files and prose are only named.
fn artifact(spot: &Spot<'_>, read: &mut FileRead) -> Result<Option<String>, Defect> {
    let mut path = inside(spot)?;
    for place in ID_PLACES {
        path = path.replace(place, "<id>");
    }
    let is_prose = path.contains(' ') && !path.contains('/');
    let is_hidden = path.split('/').any(|part| part.starts_with('.')) && !path.starts_with(".claude/forge/");
    if is_prose || is_hidden || path.replace("<id>", "").contains(['<', '>', '*', '?', '{', '}', '$']) {
        read.remarks.push(Remark::UncheckedArtifact { path: spot.path(), artifact: path });
        return Ok(None);
    }
    Ok(Some(path))
}

/// A path that stays inside the workspace.
pub(super) fn inside(spot: &Spot<'_>) -> Result<String, Defect> {
    let path = spot.own_text()?;
    let drive = path.as_bytes().get(1) == Some(&b':');
    let problem = if path.trim().is_empty() {
        "it is empty"
    } else if path.starts_with(['/', '~']) || drive {
        "it is absolute"
    } else if path.split('/').any(|part| part == "..") {
        "it leads upwards with .."
    } else if path.contains(|c: char| is_unseen(c) || c == '\\') {
        "it has characters in it that paths here do not have"
    } else {
        return Ok(path.to_owned());
    };
    Err(spot.not(&format!("a path inside the workspace: {problem}")))
}
