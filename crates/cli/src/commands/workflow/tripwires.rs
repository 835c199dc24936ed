//! `forge tripwires`: the kill-switch criteria of all decisions that stand, and what is due.

use super::{drive, report};
use crate::args::TripwireArgs;
use crate::commands::Context;
use crate::exit::Exit;
use crate::render;
use forge_debate::hidden::written_out;
use forge_engine::EngineError;
use forge_engine::workflow::{Checked, Commands, Progress, TripwireReport};
use forge_workflow::snapshot::Rehearsals;
use serde_json::json;

/// The most characters of what a criterion says on one line.
const TEXT_WIDTH: usize = 200;

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
        match trip(context, &one.tripwire.id) {
            // The list is the one document; where the workflow stands is `forge status --json`.
            Ok(progress) if args.json => render::note(&progress.log.done.join("\n")),
            Ok(progress) => {
                render::out("");
                report(context, &progress, false);
            }
            // What was asked for is whether one tripped, and that is known.
            Err(EngineError::Usage(why)) => {
                render::note(&format!("{} tripped, but its decision is not reopened: {why}", one.tripwire.id));
            }
            Err(error) => return Err(error),
        }
    }
    let well = all.iter().all(|one| one.checked.is_well());
    Ok(if args.check && !well { Exit::Blocked } else { Exit::Done })
}

/// Reopens the decision of a criterion that has tripped.
fn trip(context: &Context<'_>, id: &str) -> Result<Progress, EngineError> {
    context.workspace.trip(id, &drive(context, None, Rehearsals::Refused)?)
}

fn value(one: &TripwireReport) -> serde_json::Value {
    let tripwire = &one.tripwire;
    json!({
        "id": tripwire.id, "decision": tripwire.decision, "title": tripwire.title, "condition": tripwire.condition,
        "threshold": tripwire.threshold, "detection": tripwire.detection, "timeline": tripwire.timeline,
        "fallback": tripwire.fallback, "command": tripwire.command, "due": tripwire.due,
        "standing": one.checked.word(), "detail": one.checked.detail(),
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
            |label: &str, line: &str| render::row(&mut text, context.style, label, &render::one_line(line, TEXT_WIDTH));
        row(&tripwire.id, &format!("{}: {}", one.checked.word(), tripwire.phrase()));
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
            let ran = match (&tripwire.refusal, args.run_commands) {
                (Some(_), _) => "never run",
                (None, true) => "ran",
                (None, false) => "not run; --check --run-commands runs it",
            };
            render::row(&mut text, context.style, "", &format!("check ({ran}): {}", whole(command)));
        }
        if let Some(detail) = one.checked.detail().or(tripwire.refusal.as_deref()) {
            render::row(&mut text, context.style, "", &render::one_line(detail, TEXT_WIDTH));
        }
    }
    let due: Vec<&str> =
        all.iter().filter(|one| matches!(one.checked, Checked::Due(_))).map(|one| one.tripwire.id.as_str()).collect();
    if let Some(first) = due.first() {
        let line = format!(
            "look whether {} tripped; if so: forge tripwires --trip {first}. If not, give it a later day in docs/forge/knowledge/decisions.md",
            due.join(", ")
        );
        render::row(&mut text, context.style, "next", &line);
    }
    render::out(&text);
}

/// A command on one line, and never cut, with what nobody sees written out: what is not shown must not run.
fn whole(command: &str) -> String {
    render::safe(&written_out(command))
}
