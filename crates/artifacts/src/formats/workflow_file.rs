//! The workflow file, `workflows/forge-workflow.json`: a project's phases, and the ten that come with forge.
//!
//! A file changes single settings of the ten, or with `"replace": true` lists phases of its own. Keys that forge does
//! not know are listed, and left to whoever wrote them. Sentences add; only forge's own words take away.
//!
//! Promises: every refusal names the place as a JSON path, what stands there, and what was expected; `read(write(d))`
//! is `d` for every definition that [`read`] gave.
//!
//! Must never: panic on any text, half-apply a file, or let a path of it lead out of the workspace.
//!
//! Pure; if the process dies here nothing is left.

mod debate;
mod once;
mod sentences;
mod settings;
mod spot;

pub use forge_workflow::definition::TEN_IDS;

use super::active_workflow::words;
use forge_debate::plan::check_id;
use forge_debate::protocols::DEFAULT_OF_PHASE;
use forge_workflow::definition::{
    BRAINSTORM, DebateConfig, Definition, EntryAction, ExitCriterion, FileRead, Given, PHASES_LIMIT, Phase,
    PhaseDebate, Setting, TEN,
};
use serde_json::{Value, json};
use spot::Spot;
use std::sync::LazyLock;

/// The most entries of one list in a phase.
pub const ENTRIES_LIMIT: usize = 256;

/// The key under which `forge phases --json` tells what was made of a file; whoever reads the file passes it over.
pub const ABOUT: &str = "read";

const KEYS: &[&str] =
    &["name", "version", "description", "replace", "debate_config", "phases", "phase_order", "$schema", ABOUT];
const CONFIG_KEYS: &[&str] = &["default_trigger", "risk_threshold", "component_threshold"];

/// What is wrong with a workflow file, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {expected}")]
pub struct Defect {
    /// Where: a JSON path such as `$.phases[2].debate_trigger`, or `line 3, column 7` where the text is not JSON.
    pub path: String,
    /// What stands there, what was expected, and the nearest valid word.
    pub expected: String,
}

/// The ten phases that come with forge.
pub fn ten() -> Definition {
    // The file is part of the program and a test reads it; without it the ten would still have their names and order.
    static READ: LazyLock<Definition> = LazyLock::new(|| {
        let phases = || TEN_IDS.into_iter().map(bare).collect();
        let read = definition(TEN, None);
        Definition {
            file: FileRead::default(),
            ..read.unwrap_or_else(|_| Definition {
                name: "forge".to_owned(),
                phases: phases(),
                debates: DebateConfig::default(),
                file: FileRead::default(),
            })
        }
    });
    READ.clone()
}

/// Reads a project's workflow file.
pub fn read(text: &str) -> Result<Definition, Defect> {
    definition(text, Some(&ten()))
}

/// Reads a file whose phases build on those of another definition.
fn definition(text: &str, builtin: Option<&Definition>) -> Result<Definition, Defect> {
    let text = text.trim_start_matches('\u{FEFF}');
    let value: Value = serde_json::from_str(text).map_err(|error| misread(&error, "not JSON: "))?;
    once::check(text).map_err(|error| misread(&error, ""))?;
    let root = Spot::root(&value);
    root.object()?;
    let mut file = FileRead { unknown: root.unknown_keys(KEYS), ..FileRead::default() };
    let name = match root.get("name") {
        Some(at) => settings::titled(&at, at.own_text()?)?,
        None => builtin.map_or_else(|| "forge".to_owned(), |known| known.name.clone()),
    };
    let debates = config(&root, builtin.map_or_else(DebateConfig::default, |known| known.debates), &mut file)?;
    let replaces = root.flag("replace")?.unwrap_or(false);
    let listed = root.list("phases", PHASES_LIMIT)?;
    let mut phases = match (listed, builtin) {
        (Some(listed), Some(known)) if !replaces => overridden(&listed, known, &mut file)?,
        (Some(listed), _) => replaced(&listed, builtin, &mut file)?,
        (None, Some(known)) if !replaces => known.phases.iter().cloned().map(Listed::not).collect(),
        (None, _) => return Err(root.at("phases").refuse("it is missing; \"replace\": true needs a list of phases")),
    };
    if phases.is_empty() {
        return Err(root.at("phases").refuse("it is empty; expected at least one phase"));
    }
    if file.place(None, Setting::DefaultTrigger).is_some() {
        phases.iter_mut().for_each(Listed::take_default);
    }
    let phases: Vec<Phase> = phases.into_iter().map(|one| one.phase).collect();
    check_order(&root, &phases, replaces)?;
    Ok(Definition { name, phases, debates, file })
}

fn misread(error: &serde_json::Error, what: &str) -> Defect {
    let (line, column) = (error.line(), error.column());
    let said = error.to_string();
    let said = said.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&said);
    Defect { path: format!("line {line}, column {column}"), expected: format!("{what}{said}") }
}

fn config(root: &Spot<'_>, mut config: DebateConfig, file: &mut FileRead) -> Result<DebateConfig, Defect> {
    let Some(spot) = root.get("debate_config") else { return Ok(config) };
    spot.object()?;
    file.unknown.extend(spot.unknown_keys(CONFIG_KEYS));
    if let Some(trigger) = settings::trigger(&spot, "default_trigger")? {
        config.default_trigger = trigger;
        let path = spot.at("default_trigger").path();
        file.given.push(Given { phase: None, setting: Setting::DefaultTrigger, path });
    }
    if let Some((number, at)) = spot.number("risk_threshold")? {
        config.risk_threshold = u8::try_from(number)
            .ok()
            .filter(|score| (1..=9).contains(score))
            .ok_or_else(|| at.refuse("expected a risk score from 1 to 9 (probability x impact)"))?;
    }
    if let Some((number, at)) = spot.number("component_threshold")? {
        config.component_threshold =
            u32::try_from(number).map_err(|_| at.refuse("expected a number of components of a sensible size"))?;
    }
    Ok(config)
}

/// A phase, and what the project's file says of its debates.
struct Listed {
    phase: Phase,
    gives_trigger: bool,
    gives_enabled: bool,
}

impl Listed {
    fn of(spot: &Spot<'_>, phase: Phase) -> Self {
        Self { phase, gives_trigger: debate::gives_trigger(spot), gives_enabled: debate::gives_enabled(spot) }
    }

    /// One that the file does not list.
    fn not(phase: Phase) -> Self {
        Self { phase, gives_trigger: false, gives_enabled: false }
    }

    /// A project's default trigger takes the place of the shipped one, `none` of build, review and learn among them.
    fn take_default(&mut self) {
        let debate = &mut self.phase.debate;
        if self.gives_trigger || self.phase.id == TEN_IDS[0] || self.phase.id == BRAINSTORM {
            return;
        }
        debate.trigger = None;
        debate.enabled |= !self.gives_enabled;
    }
}

/// The listed phases are the whole workflow.
fn replaced(listed: &[Spot<'_>], builtin: Option<&Definition>, file: &mut FileRead) -> Result<Vec<Listed>, Defect> {
    let mut phases: Vec<Listed> = Vec::with_capacity(listed.len());
    for spot in listed {
        let id = new_id(spot, phases.iter().map(|one| &one.phase))?;
        let base = builtin.and_then(|known| known.phase(&id)).cloned().unwrap_or_else(|| bare(&id));
        phases.push(Listed::of(spot, settings::phase(spot, base, file)?));
    }
    Ok(phases)
}

/// The listed phases are known ones, some of whose settings differ.
fn overridden(listed: &[Spot<'_>], builtin: &Definition, file: &mut FileRead) -> Result<Vec<Listed>, Defect> {
    let mut phases: Vec<Listed> = builtin.phases.iter().cloned().map(Listed::not).collect();
    let mut seen: Vec<Phase> = Vec::new();
    for spot in listed {
        let id = words::phase(&new_id(spot, seen.iter())?);
        let Some(place) = builtin.position(&id) else {
            let near = builtin.nearest(&id).map(|near| format!("did you mean {near:?}? ")).unwrap_or_default();
            let said = format!(
                "{id:?} is not one of forge's phases ({}); {near}for phases of your own set \"replace\": true at the top, and list all phases in their order",
                TEN_IDS.join(", ")
            );
            return Err(spot.at("id").refuse(&said));
        };
        if let Some(one) = phases.get_mut(place) {
            *one = Listed::of(spot, settings::phase(spot, one.phase.clone(), file)?);
            seen.push(one.phase.clone());
        }
    }
    Ok(phases)
}

/// `phase_order` repeats the order; one that says something else is a wish that nobody would see fail.
fn check_order(root: &Spot<'_>, phases: &[Phase], replaces: bool) -> Result<(), Defect> {
    let Some(listed) = root.list("phase_order", PHASES_LIMIT)? else { return Ok(()) };
    let mut wanted = Vec::with_capacity(listed.len());
    for one in &listed {
        let id = one.own_text()?;
        wanted.push(if replaces { id.to_owned() } else { words::phase(id) });
    }
    let ids: Vec<&str> = phases.iter().map(|phase| phase.id.as_str()).collect();
    if wanted == ids {
        return Ok(());
    }
    let what_to_do = if replaces {
        "list the phases in the order in which they are to be gone through, or leave phase_order out"
    } else {
        "leave phase_order out, or set \"replace\": true at the top and list your phases in your order"
    };
    Err(root.at("phase_order").refuse(&format!("the phases are {}; {what_to_do}", ids.join(", "))))
}

/// A phase's id, fit for file names and not taken yet, not even in other letters' case.
fn new_id<'p>(spot: &Spot<'_>, mut taken: impl Iterator<Item = &'p Phase>) -> Result<String, Defect> {
    spot.object()?;
    let at = spot.at("id");
    let id = spot.text("id")?.ok_or_else(|| at.refuse("it is missing; every phase has an id"))?;
    check_id(&id).map_err(|problem| at.refuse(&format!("{id:?} cannot be an id: {problem}")))?;
    match taken.find(|phase| phase.id.eq_ignore_ascii_case(&id)) {
        Some(other) => Err(at.refuse(&format!("there is a phase {:?} already; ids must differ", other.id))),
        None => Ok(id),
    }
}

/// A phase of which only the id is known.
fn bare(id: &str) -> Phase {
    let mut letters = id.chars();
    let name = letters.next().map(|first| first.to_uppercase().chain(letters).collect());
    Phase {
        id: id.to_owned(),
        name: name.unwrap_or_default(),
        description: String::new(),
        tasks: Vec::new(),
        entry_actions: vec![EntryAction::ReadHandoff, EntryAction::LoadKnowledge, EntryAction::CreatePhaseDocument],
        entry_notes: Vec::new(),
        artifacts: Vec::new(),
        sections: Vec::new(),
        exit_criteria: ExitCriterion::ALL.to_vec(),
        checklist: Vec::new(),
        by_forge: Vec::new(),
        debate: PhaseDebate {
            enabled: true,
            trigger: None,
            protocol: DEFAULT_OF_PHASE.profile.name.to_owned(),
            options_document: None,
            occasions: Vec::new(),
        },
    }
}

/// Writes a definition as a file that lists all of it.
pub fn write(definition: &Definition) -> String {
    format!("{:#}\n", value(definition))
}

/// A definition as the JSON of a file that lists all of it.
pub fn value(definition: &Definition) -> Value {
    let debates = definition.debates;
    json!({
        "name": definition.name,
        "replace": true,
        "debate_config": {
            "default_trigger": debates.default_trigger.word(),
            "risk_threshold": debates.risk_threshold,
            "component_threshold": debates.component_threshold,
        },
        "phases": definition.phases.iter().map(phase_value).collect::<Vec<_>>(),
    })
}

fn phase_value(phase: &Phase) -> Value {
    let tasks =
        phase.tasks.iter().map(|task| json!({"id": task.id, "title": task.title, "done_when": task.done_when.word()}));
    let entry = phase.entry_actions.iter().map(|one| one.word()).chain(phase.entry_notes.iter().map(String::as_str));
    let sentences = phase.checklist.iter().map(|check| &check.title).chain(&phase.by_forge).map(String::as_str);
    let exit = phase.exit_criteria.iter().map(|one| one.word()).chain(sentences);
    let mut value = json!({
        "id": phase.id,
        "name": phase.name,
        "description": phase.description,
        "tasks": tasks.collect::<Vec<_>>(),
        "entry_actions": entry.collect::<Vec<_>>(),
        "artifacts": phase.artifacts,
        "sections": phase.sections,
        "exit_criteria": exit.collect::<Vec<_>>(),
        "options_document": phase.debate.options_document,
        "debate_enabled": phase.debate.enabled,
        "debate_trigger": phase.debate.trigger.map(|trigger| trigger.word()),
        "debate_protocol": phase.debate.protocol,
    });
    if !phase.debate.occasions.is_empty() {
        value["debate_gate"] = json!({"triggers": phase.debate.occasions});
    }
    value
}
