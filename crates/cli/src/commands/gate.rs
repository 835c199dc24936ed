//! `forge gate`: is this debate really done, and did it really decide?

use super::Context;
use crate::args::GateArgs;
use crate::exit::Exit;
use crate::render;
use forge_debate::fact;
use forge_debate::verdict::{Finding, Gravity};
use forge_engine::EngineError;
use serde_json::json;

/// Checks the gate. Changes nothing.
pub(crate) fn run(context: &Context<'_>, args: &GateArgs) -> Result<Exit, EngineError> {
    let Some(debate) = &args.debate else { return super::workflow::gate::run(context, args) };
    let mut report = context.workspace.gate(debate, args.strict)?;
    if args.require_record {
        report = report.require_record();
    }
    if report.rehearsal && !args.allow_rehearsal {
        report.passed = false;
        let fact = fact!(
            "rehearsal",
            "this was a rehearsal, and a rehearsal passes no gate; --allow-rehearsal tries the rest"
        );
        report.findings.push(Finding::blocks(&report.plan_file, None, fact));
    }
    if args.json {
        render::json(&json!({
            "debate": report.debate,
            "debate_gate_passed": report.passed,
            "status": report.status,
            "outcome": report.outcome.map(|outcome| outcome.word()),
            "decided": report.decided,
            "rehearsal": report.rehearsal,
            "holds": report.holds,
            "not_on_record": report.not_on_record,
            "made_here": report.origin.is_none(),
            "spoke_by_files": report.origin.map(|origin| origin.by_files),
            "notes": report.notes,
            "strict": args.strict,
            "findings": report.findings.iter().map(|f| json!({
                "blocks": f.gravity == Gravity::Blocks || args.strict, "file": f.file, "line": f.line, "code": f.fact.code, "text": f.fact.sentence(),
            })).collect::<Vec<_>>(),
        }));
    } else {
        let word = if report.passed { "PASSED" } else { "BLOCKED" };
        let decided =
            if report.decided.is_empty() { String::new() } else { format!("  {}", report.decided.join(" + ")) };
        let rehearsal = if report.rehearsal { "  (rehearsal)" } else { "" };
        render::out(&format!("{word}  {}{decided}{rehearsal}", report.debate));
        if !report.not_on_record.is_empty() {
            render::out(&format!("  {:<8} not on record yet: {}", "open", report.not_on_record.join(", ")));
        }
        for note in &report.notes {
            render::out(&format!("  {:<8} {note}", "note"));
        }
        for finding in &report.findings {
            let blocks = finding.gravity == Gravity::Blocks || args.strict;
            render::out(&format!("  {:<8} {}", if blocks { "blocks" } else { "warning" }, render::place(finding)));
        }
    }
    Ok(match (report.holds, report.passed) {
        (false, _) => Exit::DoesNotHold,
        (true, true) => Exit::Done,
        (true, false) => Exit::Blocked,
    })
}
