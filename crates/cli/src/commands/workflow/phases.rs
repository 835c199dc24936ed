//! `forge phases`: the phases of this project's workflow, what holds each, where that comes from, and what of the project's
//! file was not understood.

use crate::args::JsonArgs;
use crate::commands::Context;
use crate::exit::Exit;
use crate::render::{self, Style};
use forge_artifacts::formats::workflow_file;
use forge_engine::EngineError;
use forge_engine::workflow::DEFINITION_FILE;
use forge_workflow::definition::{Definition, DoneWhen, ExitCriterion, Phase, Setting, Trigger};
use serde_json::{Value, json};

/// The most unknown keys that are shown; the JSON has them all.
const UNKNOWN_SHOWN: usize = 60;
/// The most characters of one line.
const LINE_WIDTH: usize = 300;

/// Prints the phases; with `--json` in the format of `workflows/forge-workflow.json`.
pub(crate) fn run(context: &Context<'_>, args: &JsonArgs) -> Result<Exit, EngineError> {
    let definition = context.workspace.definition()?;
    if args.json {
        let mut value = workflow_file::value(&definition);
        value[workflow_file::ABOUT] = about(&definition);
        render::json(&value);
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    for (i, phase) in definition.phases.iter().enumerate() {
        let debates = from(when(&definition, phase), trigger_place(&definition, phase));
        text.push_str(&format!("{:>2}  {:<12} {}\n", i + 1, phase.id, render::one_line(&debates, LINE_WIDTH)));
        show(&mut text, &definition, phase, context.style);
    }
    text.push('\n');
    render::row(&mut text, context.style, "left when", &criteria(&ExitCriterion::ALL).join(", "));
    render::row(&mut text, context.style, "mandatory", &mandatory(&definition));
    not_understood(&mut text, &definition, context.style);
    render::out(&text);
    Ok(Exit::Done)
}

fn show(text: &mut String, definition: &Definition, phase: &Phase, style: Style) {
    let mut row = |label: &str, line: String| render::row(text, style, label, &render::one_line(&line, LINE_WIDTH));
    let place = |setting| definition.file.place(Some(&phase.id), setting);
    if !phase.description.is_empty() {
        row("", phase.description.clone());
    }
    for occasion in &phase.debate.occasions {
        row("debate if", format!("{occasion} (say it with --debate)"));
    }
    for note in &phase.entry_notes {
        row("at first", note.clone());
    }
    for task in &phase.tasks {
        let how = match task.done_when {
            DoneWhen::Ticked => String::new(),
            by_itself => format!(" (done when {})", by_itself.word().replace('_', " ")),
        };
        row("task", from(format!("{}: {}{how}", task.id, task.title), place(Setting::Tasks)));
    }
    for check in &phase.checklist {
        row("box", from(check.title.clone(), place(Setting::ExitCriteria)));
    }
    for sentence in &phase.by_forge {
        row("by forge", from(sentence.clone(), place(Setting::ExitCriteria)));
    }
    if !phase.sections.is_empty() {
        row("sections", from(phase.sections.join(", "), place(Setting::Sections)));
    }
    for artifact in &phase.artifacts {
        row("artifact", from(artifact.clone(), place(Setting::Artifacts)));
    }
    if phase.exit_criteria.len() < ExitCriterion::ALL.len() {
        row("left when", from(criteria(&phase.exit_criteria).join(", "), place(Setting::ExitCriteria)));
    }
}

/// A line, with its place in the project's file where it comes from there.
fn from(line: String, place: Option<&str>) -> String {
    place.map_or(line.clone(), |place| format!("{line}  ({place})"))
}

/// Where a phase's trigger comes from, if from the project's file.
fn trigger_place<'d>(definition: &'d Definition, phase: &Phase) -> Option<&'d str> {
    let file = &definition.file;
    let own = file.place(Some(&phase.id), Setting::Trigger);
    let enabled = file.place(Some(&phase.id), Setting::Enabled);
    match (phase.debate.enabled, phase.debate.trigger) {
        (false, _) => enabled,
        (true, Some(_)) => own,
        (true, None) => file.place(None, Setting::DefaultTrigger),
    }
}

/// When a phase debates, besides what is mandatory.
fn when(definition: &Definition, phase: &Phase) -> String {
    let trigger = match (phase.debate.enabled, phase.debate.trigger) {
        (false, _) => None,
        (true, own) => Some(own.unwrap_or(definition.debates.default_trigger)),
    };
    let by_default = if phase.debate.enabled && phase.debate.trigger.is_none() { " (default)" } else { "" };
    match trigger {
        _ if phase.always_debates() && trigger != Some(Trigger::Always) => {
            "always: it debates whatever its settings say".to_owned()
        }
        None => "debates are off, but for mandatory ones".to_owned(),
        Some(trigger) => format!("{}{by_default}", trigger.word()),
    }
}

/// What must hold before a phase is left.
fn criteria(own: &[ExitCriterion]) -> Vec<&'static str> {
    let word = |criterion: &ExitCriterion| match criterion {
        ExitCriterion::TodoTicked => "every box is ticked",
        ExitCriterion::NothingBlocked => "no task is blocked",
        ExitCriterion::ArtifactsPresent => "every artifact is there",
        ExitCriterion::SectionsWritten => "every section is written",
    };
    // The boxes of a project's own criteria count in any case.
    let boxes = (!own.contains(&ExitCriterion::TodoTicked)).then_some("every box of exit_criteria is ticked");
    own.iter().map(word).chain(boxes).chain(["the gate is passed"]).collect()
}

fn mandatory(definition: &Definition) -> String {
    let config = &definition.debates;
    format!(
        "in every phase: a locked decision challenged or contradicted, more than {} components, a new risk of {} or more, a ticked escalation; only --no-debate passes them, on record",
        config.component_threshold, config.risk_threshold
    )
}

fn not_understood(text: &mut String, definition: &Definition, style: Style) {
    let file = &definition.file;
    for remark in &file.remarks {
        let line = format!("{DEFINITION_FILE} {}: {remark}", remark.path());
        render::row(text, style, "note", &render::one_line(&line, LINE_WIDTH));
    }
    if file.unknown.is_empty() {
        return;
    }
    let count = file.unknown.len();
    let plural = if count == 1 { "key" } else { "keys" };
    render::row(text, style, "unknown", &format!("{count} {plural} of {DEFINITION_FILE} that forge does not act on:"));
    for key in file.unknown.iter().take(UNKNOWN_SHOWN) {
        let near = key.nearest.as_ref().map(|near| format!(": did you mean {near:?}?")).unwrap_or_default();
        render::row(text, style, "", &render::one_line(&format!("{}{near}", key.path), LINE_WIDTH));
    }
    if count > UNKNOWN_SHOWN {
        render::row(text, style, "", &format!("and {} more; --json lists them all", count - UNKNOWN_SHOWN));
    }
}

/// What was made of the project's file, for machines.
fn about(definition: &Definition) -> Value {
    let phase = |phase: &Phase| {
        let place = |setting| definition.file.place(Some(&phase.id), setting).unwrap_or("forge");
        let ids =
            |tasks: &[forge_workflow::definition::Task]| tasks.iter().map(|task| task.id.clone()).collect::<Vec<_>>();
        json!({
            "id": phase.id,
            "debates": {"when": when(definition, phase), "from": trigger_place(definition, phase).unwrap_or("forge")},
            "tasks": {"ids": ids(&phase.tasks), "from": place(Setting::Tasks)},
            "boxes": {"ids": ids(&phase.checklist), "from": place(Setting::ExitCriteria)},
            "by_forge": phase.by_forge,
            "sections": {"titles": phase.sections, "from": place(Setting::Sections)},
            "artifacts": {"paths": phase.artifacts, "from": place(Setting::Artifacts)},
            "left_when": criteria(&phase.exit_criteria),
        })
    };
    let file = &definition.file;
    json!({
        "mandatory": mandatory(definition),
        "phases": definition.phases.iter().map(phase).collect::<Vec<_>>(),
        "notes": file.remarks.iter().map(|one| json!({"path": one.path(), "text": one.to_string()})).collect::<Vec<_>>(),
        "unknown_keys": file.unknown.iter().map(|one| json!({"path": one.path, "nearest": one.nearest})).collect::<Vec<_>>(),
    })
}
