//! `forge tripwires`: the kill-switch criteria of all decisions that stand, and what is due.

use super::{drive, report};
use crate::args::TripwireArgs;
use crate::commands::Context;
use crate::exit::Exit;
use crate::render;
use forge_engine::EngineError;
use forge_engine::workflow::{Checked, Commands, Progress, TripwireReport};
use forge_workflow::snapshot::Rehearsals;
use serde_json::json;

/// Lists the criteria, checks them, or reopens the decision of one that has tripped.
pub(crate) fn run(context: &Context<'_>, args: &TripwireArgs) -> Result<Exit, EngineError> {
    if let Some(id) = &args.trip {
        let progress = trip(context, id)?;
        return Ok(report(context, &progress, args.json));
    }
    let commands = if args.run_commands { Commands::Run } else { Commands::Shown };
    let all = context.workspace.tripwires(commands)?;
    let tripped = all.iter().find(|one| matches!(one.checked, Checked::Tripped(_)));
    if args.json {
        render::json(&json!({"tripwires": all.iter().map(value).collect::<Vec<_>>()}));
    } else {
        print(context, args, &all);
    }
    if let (true, Some(one)) = (args.check, tripped) {
        let progress = trip(context, &one.tripwire.id)?;
        if args.json {
            // The list is the one document; where the workflow stands is `forge status --json`.
            render::note(&progress.said.join("\n"));
        } else {
            render::out("");
            report(context, &progress, false);
        }
        return Ok(Exit::Blocked);
    }
    let due = all.iter().any(|one| matches!(one.checked, Checked::Due | Checked::Tripped(_)));
    Ok(if args.check && due { Exit::Blocked } else { Exit::Done })
}

/// Reopens the decision of a criterion that has tripped.
fn trip(context: &Context<'_>, id: &str) -> Result<Progress, EngineError> {
    context.workspace.trip(id, &drive(context, None, Rehearsals::Refused)?)
}

fn value(one: &TripwireReport) -> serde_json::Value {
    let tripwire = &one.tripwire;
    let detail = match &one.checked {
        Checked::Tripped(text) | Checked::Unknown(text) => Some(text),
        _ => None,
    };
    json!({
        "id": tripwire.id, "decision": tripwire.decision, "title": tripwire.title, "condition": tripwire.condition,
        "threshold": tripwire.threshold, "detection": tripwire.detection, "timeline": tripwire.timeline,
        "fallback": tripwire.fallback, "command": tripwire.command, "due": tripwire.due,
        "standing": one.checked.word(), "detail": detail,
    })
}

fn print(context: &Context<'_>, args: &TripwireArgs, all: &[TripwireReport]) {
    if all.is_empty() {
        render::out("no decision that stands has kill-switch criteria");
        return;
    }
    let mut text = String::new();
    for one in all {
        let tripwire = &one.tripwire;
        let mut row =
            |label: &str, line: &str| render::row(&mut text, context.style, label, &render::one_line(line, 200));
        let threshold = if tripwire.threshold.is_empty() { String::new() } else { format!(": {}", tripwire.threshold) };
        row(&tripwire.id, &format!("{}: {}{threshold}", one.checked.word(), tripwire.condition));
        row("", &format!("of {}: {}", tripwire.decision, tripwire.title));
        for (label, line) in [
            ("detection", &tripwire.detection),
            ("timeline", &tripwire.timeline),
            ("fallback", &tripwire.fallback),
            ("due", &tripwire.due),
        ] {
            if let Some(line) = line {
                row("", &format!("{label}: {line}"));
            }
        }
        if let Some(command) = &tripwire.command {
            let ran = if args.run_commands { "ran" } else { "not run; --check --run-commands runs it" };
            row("", &format!("check ({ran}): {command}"));
        }
        if let Checked::Tripped(detail) | Checked::Unknown(detail) = &one.checked {
            row("", detail);
        }
    }
    let due: Vec<&str> =
        all.iter().filter(|one| one.checked == Checked::Due).map(|one| one.tripwire.id.as_str()).collect();
    if let Some(first) = due.first() {
        let line = format!(
            "look whether {} tripped; if so: forge tripwires --trip {first}. If not, give it a later day in docs/forge/knowledge/decisions.md",
            due.join(", ")
        );
        render::row(&mut text, context.style, "next", &line);
    }
    render::out(&text);
}
