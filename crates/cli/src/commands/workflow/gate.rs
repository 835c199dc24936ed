//! `forge gate` without a debate: the gate of the current phase, for CI. Changes nothing.

use super::drive;
use crate::args::GateArgs;
use crate::commands::Context;
use crate::exit::Exit;
use crate::render;
use crate::workflow_view;
use forge_engine::EngineError;
use forge_engine::workflow::NoWorkflow;
use forge_workflow::next::Blocker;
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
    let mut blockers: Vec<Blocker> = step
        .blockers
        .iter()
        .filter(|blocker| {
            blocker.kind.is_gate() || blocker.kind == forge_workflow::next::BlockerKind::Options || args.work
        })
        .cloned()
        .collect();
    if needed && debate.is_none() && blockers.is_empty() {
        blockers.push(Blocker {
            kind: forge_workflow::next::BlockerKind::Gate,
            file: snapshot.options.path.clone(),
            line: None,
            text: "a debate is called for and not planned yet; `forge continue` plans it".to_owned(),
        });
    }
    if args.strict
        && let Some(debate) = debate.filter(|_| needed)
    {
        blockers.extend(debate.findings.iter().filter(|one| one.gravity == forge_debate::verdict::Gravity::Warns).map(
            |one| {
                let kind = forge_workflow::next::BlockerKind::Gate;
                Blocker { kind, file: one.file.clone(), line: one.line, text: one.text.clone() }
            },
        ));
    }
    let passed = blockers.is_empty();
    if args.json {
        render::json(&json!({
            "workflow_id": state.workflow_id,
            "phase": state.phase,
            "debate_needed": needed,
            "why": call.map(|call| &call.why),
            "debate": debate.map(|debate| &debate.id),
            "debate_gate_passed": needed && passed,
            "passed": passed,
            "blockers": blockers.iter().map(|one| json!({
                "kind": one.kind.word(), "file": one.file, "line": one.line, "text": one.text,
            })).collect::<Vec<_>>(),
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
        workflow_view::blockers(&mut text, &blockers, context.style, |_| "blocks");
        if !text.is_empty() {
            render::out(&text);
        }
    }
    let kinds = step.blockers.iter().any(|one| one.kind.is_gate());
    Ok(match (passed, kinds) {
        (true, _) => Exit::Done,
        (false, true) => workflow_view::exit(step),
        (false, false) => Exit::Blocked,
    })
}

/// Why there is no phase whose gate could be checked.
fn no_gate(standing: &NoWorkflow) -> String {
    match standing {
        NoWorkflow::Damaged { .. } => workflow_view::without_state(standing),
        _ => format!(
            "{}, or check a single debate with `forge gate DEBATE` (`forge debate list` shows them)",
            workflow_view::without_state(standing)
        ),
    }
}
