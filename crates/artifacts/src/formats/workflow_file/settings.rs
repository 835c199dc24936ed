//! The settings of one phase, laid over what is known of it already.

use super::spot::Spot;
use super::{Defect, ENTRIES_LIMIT};
use forge_debate::plan::check_id;
use forge_debate::protocols;
use forge_workflow::definition::{DoneWhen, EntryAction, ExitCriterion, Phase, PhaseDebate, Task, Trigger};

/// The longest part of a task's id that is made from its title.
const SLUG_LIMIT_CHARS: usize = 48;

/// The phase with what the file says about it.
pub(super) fn phase(spot: &Spot<'_>, mut phase: Phase) -> Result<Phase, Defect> {
    if let Some(at) = spot.get("name") {
        phase.name = titled(&at, at.own_text()?)?;
    }
    if let Some(description) = spot.text("description")? {
        phase.description = description;
    }
    if let Some(listed) = spot.list("tasks", ENTRIES_LIMIT)? {
        phase.tasks = tasks(&listed)?;
    }
    if let Some(listed) = spot.list("entry_actions", ENTRIES_LIMIT)? {
        let known = EntryAction::ALL.map(EntryAction::word);
        (phase.entry_actions, phase.entry_notes) = words(&listed, EntryAction::parse, "an entry action", &known)?;
    }
    if let Some(listed) = spot.list("exit_criteria", ENTRIES_LIMIT)? {
        let known = ExitCriterion::ALL.map(ExitCriterion::word);
        (phase.exit_criteria, phase.checklist) = words(&listed, ExitCriterion::parse, "an exit criterion", &known)?;
    }
    if let Some(listed) = spot.list("artifacts", ENTRIES_LIMIT)? {
        phase.artifacts = listed.iter().map(artifact).collect::<Result<_, _>>()?;
    }
    if let Some(listed) = spot.list("sections", ENTRIES_LIMIT)? {
        phase.sections = listed.iter().map(section).collect::<Result<_, _>>()?;
    }
    phase.debate = debate(spot, phase.debate)?;
    Ok(phase)
}

/// The trigger under a key.
pub(super) fn trigger(spot: &Spot<'_>, key: &str) -> Result<Option<Trigger>, Defect> {
    let Some(at) = spot.get(key) else { return Ok(None) };
    let known = Trigger::ALL.map(Trigger::word);
    Trigger::parse(at.own_text()?).map(Some).ok_or_else(|| at.unknown("a trigger", &known))
}

fn tasks(listed: &[Spot<'_>]) -> Result<Vec<Task>, Defect> {
    let mut tasks: Vec<Task> = Vec::with_capacity(listed.len());
    for (i, spot) in listed.iter().enumerate() {
        let task = task(spot, i + 1)?;
        if tasks.iter().any(|other| other.id == task.id) {
            return Err(spot.refuse(&format!("there is a task {:?} already in this phase; ids must differ", task.id)));
        }
        tasks.push(task);
    }
    Ok(tasks)
}

fn task(spot: &Spot<'_>, number: usize) -> Result<Task, Defect> {
    if !spot.is_object() {
        let title = spot.own_text().map_err(|_| spot.not("a task; expected a text or {id, title, done_when}"))?;
        return Ok(Task { id: made_id(title, number), title: titled(spot, title)?, done_when: DoneWhen::Ticked });
    }
    let title = spot.text("title")?.ok_or_else(|| spot.at("title").refuse("it is missing; every task has a title"))?;
    let title = titled(&spot.at("title"), &title)?;
    let id = match spot.text("id")? {
        Some(id) => {
            let refuse = |problem| spot.at("id").refuse(&format!("{id:?} cannot be an id: {problem}"));
            check_id(&id).map_err(refuse)?;
            id
        }
        None => made_id(&title, number),
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
fn made_id(title: &str, number: usize) -> String {
    let mut id = format!("task-{number:02}");
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

/// Words that act, and prose for people: prose has a blank in it.
fn words<T>(
    listed: &[Spot<'_>],
    parse: fn(&str) -> Option<T>,
    kind: &str,
    known: &[&str],
) -> Result<(Vec<T>, Vec<String>), Defect> {
    let (mut acting, mut prose) = (Vec::new(), Vec::new());
    for spot in listed {
        let said = spot.own_text()?.trim();
        match parse(said) {
            Some(word) => acting.push(word),
            None if said.contains(' ') => prose.push(titled(spot, said)?),
            None => return Err(spot.unknown(kind, known)),
        }
    }
    Ok((acting, prose))
}

fn section(spot: &Spot<'_>) -> Result<String, Defect> {
    let title = spot.own_text()?.trim_start_matches(|c: char| c == '#' || c.is_whitespace());
    titled(spot, title)
}

fn artifact(spot: &Spot<'_>) -> Result<String, Defect> {
    let path = inside(spot)?;
    if path.replace("<id>", "").contains(['<', '>']) {
        return Err(spot.not("a path; only <id> may stand in angle brackets, for the rest of the debate's id"));
    }
    if path.contains(['*', '?']) {
        return Err(
            spot.not("a path; patterns are not read, and a path that ends in / is a folder with something in it")
        );
    }
    Ok(path)
}

/// A path that stays inside the workspace.
fn inside(spot: &Spot<'_>) -> Result<String, Defect> {
    let path = spot.own_text()?;
    let drive = path.as_bytes().get(1) == Some(&b':');
    let problem = if path.trim().is_empty() {
        "it is empty"
    } else if path.starts_with(['/', '~']) || drive {
        "it is absolute"
    } else if path.split('/').any(|part| part == "..") {
        "it leads upwards with .."
    } else if path.contains(|c: char| c.is_control() || c == '\\') {
        "it has characters in it that paths here do not have"
    } else {
        return Ok(path.to_owned());
    };
    Err(spot.not(&format!("a path inside the workspace: {problem}")))
}

/// Debate settings: flat, or nested under `debate_gate`, or both where they agree.
fn debate(spot: &Spot<'_>, mut debate: PhaseDebate) -> Result<PhaseDebate, Defect> {
    let gate = spot.at("debate_gate");
    if spot.get("debate_gate").is_some() {
        gate.object()?;
    }
    let flat = spot.flag("debate_enabled")?;
    let (enabled, required) = (gate.flag("enabled")?, gate.flag("required")?);
    agreed("debate_gate.enabled", enabled, required, &gate.at("required"))?;
    let nested = if enabled.is_some() { gate.at("enabled") } else { gate.at("required") };
    let said = agreed("debate_enabled", flat, enabled.or(required), &nested)?;

    let (flat, nested) = (trigger(spot, "debate_trigger")?, trigger(&gate, "trigger")?);
    let own = agreed("debate_trigger", flat, nested, &gate.at("trigger"))?;
    if own.is_some() || spot.names("debate_trigger") || gate.names("trigger") {
        debate.trigger = own;
    }
    // Who names a trigger wants it looked at.
    debate.enabled = said.unwrap_or(debate.enabled || own.is_some());

    let (flat, nested) = (protocol(spot, "debate_protocol")?, protocol(&gate, "protocol")?);
    if let Some(name) = agreed("debate_protocol", flat, nested, &gate.at("protocol"))? {
        debate.protocol = name;
    }

    let (flat, nested) = (document(spot, "options_document")?, document(&gate, "options_document")?);
    let options = agreed("the phase's options_document", flat, nested, &gate.at("options_document"))?;
    if options.is_some() || spot.names("options_document") || gate.names("options_document") {
        debate.options_document = options;
    }
    Ok(debate)
}

/// One value from two spellings, `twin` and `at`.
fn agreed<T: PartialEq>(twin: &str, one: Option<T>, other: Option<T>, at: &Spot<'_>) -> Result<Option<T>, Defect> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => Err(at.not(&format!("what {twin} says; leave one of the two out"))),
        (one, other) => Ok(one.or(other)),
    }
}

fn protocol(spot: &Spot<'_>, key: &str) -> Result<Option<String>, Defect> {
    let Some(at) = spot.get(key) else { return Ok(None) };
    let name = at.own_text()?;
    protocols::newest(name).map_err(|problem| at.refuse(&problem))?;
    Ok(Some(name.to_owned()))
}

fn document(spot: &Spot<'_>, key: &str) -> Result<Option<String>, Defect> {
    let Some(at) = spot.get(key) else { return Ok(None) };
    let path = inside(&at)?;
    match path.ends_with('/') {
        true => Err(at.not("a document: it is a folder")),
        false => Ok(Some(path)),
    }
}
