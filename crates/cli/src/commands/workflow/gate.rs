//! `forge gate` without a debate: the gate of the current phase, for CI. Changes nothing.

use super::{asking, drive};
use crate::args::GateArgs;
use crate::commands::Context;
use crate::exit::Exit;
use crate::render;
use crate::workflow_view;
use forge_engine::EngineError;
use forge_engine::workflow::NoWorkflow;
use forge_workflow::next::{GateScope, gate_blockers};
use forge_workflow::snapshot::Rehearsals;
use serde_json::json;

/// Checks whether the current phase's gate is passed, or not called for.
pub(crate) fn run(context: &Context<'_>, args: &GateArgs) -> Result<Exit, EngineError> {
    let rehearsals = if args.allow_rehearsal { Rehearsals::Allowed } else { Rehearsals::Refused };
    let drive = drive(context, None, rehearsals)?;
    let overview = context.workspace.overview(&drive)?.map_err(|standing| EngineError::Usage(no_gate(&standing)))?;
    let (snapshot, step) = (&overview.snapshot, &overview.step);
    let state = &snapshot.state;
    let call = step.call.as_ref();
    let needed = call.is_some_and(|call| call.debate);
    let debate = snapshot.debate.there();
    let scope = GateScope { work: args.work, strict: args.strict, record: args.require_record };
    let blockers = gate_blockers(snapshot, step, scope);
    let passed = blockers.is_empty();
    let next = if passed { Vec::new() } else { workflow_view::next_steps(snapshot, step, asking(context)) };
    if args.json {
        render::json(&json!({
            "workflow_id": state.workflow_id,
            "phase": state.phase,
            "debate_needed": needed,
            "why": call.map(|call| &call.why),
            "debate": debate.map(|debate| &debate.id),
            "debate_gate_passed": needed && passed,
            "not_on_record": debate.map(|debate| &debate.not_on_record),
            "made_here": debate.map(|debate| debate.origin.is_none()),
            "notes": debate.map(|debate| &debate.notes),
            "passed": passed,
            "blockers": blockers.iter().map(|one| json!({
                "kind": one.kind.word(), "file": one.file, "line": one.line, "code": one.fact.code, "text": one.fact.sentence(),
            })).collect::<Vec<_>>(),
            "next": next,
        }));
    } else {
        let word = if passed { "PASSED" } else { "BLOCKED" };
        let phase = &state.phase;
        let why = call.map(|call| workflow_view::reason(&call.why, phase)).unwrap_or_default();
        let what = match (call.is_some(), needed, passed) {
            (false, _, _) => format!("{phase} is {}", state.phase_status.word()),
            (_, true, _) => format!("the gate of {phase} ({why})"),
            (_, _, true) => format!("{phase} needs no debate ({why})"),
            (_, _, false) => format!("{phase} is not done, and needs no debate ({why})"),
        };
        render::out(&render::safe(&format!("{word}: {what}")));
        let mut text = String::new();
        if let Some(debate) = debate.filter(|debate| !debate.not_on_record.is_empty()) {
            let seats = debate.not_on_record.join(", ");
            render::row(&mut text, context.style, "open", &format!("{}: not on record yet: {seats}", debate.id));
        }
        for note in debate.iter().flat_map(|debate| &debate.notes) {
            render::row(&mut text, context.style, "note", note);
        }
        workflow_view::blockers(&mut text, &blockers, context.style, |_| "blocks");
        for hint in &next {
            render::row(&mut text, context.style, "next", hint);
        }
        if !text.is_empty() {
            render::out(&text);
        }
    }
    Ok(match (passed, workflow_view::exit_of(&blockers)) {
        (true, _) => Exit::Done,
        // Open work alone holds no phase at its gate, and was asked for here.
        (false, Exit::Done) => Exit::Blocked,
        (false, exit) => exit,
    })
}

/// Why there is no phase whose gate could be checked.
fn no_gate(standing: &NoWorkflow) -> String {
    match standing {
        NoWorkflow::Damaged { .. } | NoWorkflow::Foreign(_) => workflow_view::without_state(standing),
        _ => format!(
            "{}, or check a single debate with `forge gate DEBATE` (`forge debate list` shows them)",
            workflow_view::without_state(standing)
        ),
    }
}
