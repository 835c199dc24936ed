//! `forge phases`: the phases of this project's workflow.

use crate::args::JsonArgs;
use crate::commands::Context;
use crate::exit::Exit;
use crate::render;
use forge_artifacts::formats::workflow_file;
use forge_engine::EngineError;
use forge_workflow::definition::DoneWhen;

/// Prints the phases; with `--json` in the format of `workflows/forge-workflow.json`.
pub(crate) fn run(context: &Context<'_>, args: &JsonArgs) -> Result<Exit, EngineError> {
    let definition = context.workspace.definition()?;
    if args.json {
        render::out(&workflow_file::write(&definition));
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    for (i, phase) in definition.phases.iter().enumerate() {
        let trigger = match (phase.debate.enabled, phase.debate.trigger) {
            (false, _) => "no debate".to_owned(),
            (true, Some(trigger)) => trigger.word().to_owned(),
            (true, None) => format!("{} (default)", definition.debates.default_trigger.word()),
        };
        text.push_str(&format!("{:>2}  {:<12} {trigger}\n", i + 1, phase.id));
        if !phase.description.is_empty() {
            render::row(&mut text, context.style, "", &render::one_line(&phase.description, 160));
        }
        for task in &phase.tasks {
            let how = match task.done_when {
                DoneWhen::Ticked => String::new(),
                by_itself => format!(" (done when {})", by_itself.word().replace('_', " ")),
            };
            render::row(&mut text, context.style, "task", &format!("{}: {}{how}", task.id, task.title));
        }
        if !phase.sections.is_empty() {
            render::row(&mut text, context.style, "sections", &phase.sections.join(", "));
        }
        for artifact in &phase.artifacts {
            render::row(&mut text, context.style, "artifact", artifact);
        }
    }
    render::out(&text);
    Ok(Exit::Done)
}
