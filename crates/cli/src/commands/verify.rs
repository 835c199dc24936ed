//! `forge verify`: is a verdict what its files say?

use super::Context;
use crate::args::VerifyArgs;
use crate::exit::Exit;
use crate::render::{self, Style};
use forge_artifacts::catalog::{self, FindError};
use forge_debate::verdict::Outcome;
use forge_engine::EngineError;
use forge_engine::verify::{self, Verification};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// What no check of files alone can tell.
const LIMIT: &str = "This cannot tell a debate that was rewritten as a whole from one that was held: compare the record with a digest kept elsewhere (--record sha256:…).";
/// The most characters of a line about a problem.
const WIDTH: usize = 400;

/// Checks debates. Changes nothing.
pub(crate) fn run(context: &Context<'_>, args: &VerifyArgs) -> Result<Exit, EngineError> {
    let mut reports = match &args.debate {
        Some(name) => named(context, name)?,
        None => context.workspace.verify_all()?,
    };
    let others = if args.debate.is_none() { catalog::foreign(context.workspace.disk.as_ref())? } else { Vec::new() };
    if reports.is_empty() {
        let others: String = others.iter().map(|one| format!("\n{} is not forge's: {}", one.dir, one.why)).collect();
        return Err(EngineError::Usage(format!("there are no debates here; nothing was checked{others}")));
    }
    if let Some(record) = &args.record {
        let [only] = reports.as_mut_slice() else {
            return Err(EngineError::Usage(format!(
                "--record is the digest of one debate's record, and {} debates are in this folder; give one's plan",
                reports.len()
            )));
        };
        only.compare_record(record);
    }
    let holds = reports.iter().all(Verification::holds);
    if args.json {
        let others: Vec<Value> =
            others.iter().map(|one| json!({"folder": one.dir, "why": one.why.to_string()})).collect();
        let debates = reports.iter().map(value).collect::<Vec<_>>();
        render::json(&json!({"debates": debates, "holds": holds, "not_forges": others}));
    } else {
        let mut text: String = reports.iter().map(|report| shown(report, context.style)).collect();
        for one in &others {
            let line = format!("{}  {}: {}", context.style.bold("NOT FORGE'S"), render::safe(&one.dir), one.why);
            let _ = writeln!(text, "{line}");
        }
        if reports.len() > 1 || args.all {
            let held = reports.iter().filter(|report| report.holds()).count();
            let _ = writeln!(text, "{held} of {} debates hold", reports.len());
        }
        let _ = writeln!(text, "{}", context.style.dim(LIMIT));
        render::out(&text);
    }
    Ok(match (holds, reports.iter().any(Verification::is_broken)) {
        (true, _) => Exit::Done,
        (false, true) => Exit::DoesNotHold,
        (false, false) => Exit::Blocked,
    })
}

/// A debate by its own name, a folder or plan anywhere, or a debate by the beginning of its name: in this order.
fn named(context: &Context<'_>, name: &str) -> Result<Vec<Verification>, EngineError> {
    let disk = &context.workspace.disk;
    let found = catalog::find(disk.as_ref(), name);
    let path = Path::new(name);
    match found {
        Ok(plan) if is_its_name(&plan, name) || !path.exists() => Ok(vec![context.workspace.verify_plan(&plan)?]),
        Err(FindError::PlanGone { .. }) => Ok(vec![context.workspace.verify(name)?]),
        Err(FindError::Unknown { .. }) | Ok(_) if path.exists() => verify::folder(path, context.workspace.protocols),
        Err(FindError::Unknown { .. }) if name.contains('/') => {
            Err(EngineError::Usage(format!("{name}: there is no such file or folder, and no debate of that name")))
        }
        Err(error) => Err(error.into()),
        Ok(plan) => Ok(vec![context.workspace.verify_plan(&plan)?]),
    }
}

/// Whether a name is a debate's whole name or its place in the workspace, not the beginning of its name.
pub(super) fn is_its_name(plan: &str, name: &str) -> bool {
    let bare = name.trim().trim_end_matches('/');
    let bare = bare.strip_prefix("./").unwrap_or(bare);
    let folder = plan.rsplit_once('/').map_or("", |(folder, _)| folder);
    plan == bare
        || folder == bare
        || folder.ends_with(&format!("/{bare}"))
        || plan.ends_with(&format!("/debate-{bare}-plan.md"))
}

fn shown(report: &Verification, style: Style) -> String {
    let mut text = String::new();
    let id = render::safe(&report.debate);
    let outcome = report.outcome.map(|outcome| outcome.word().to_uppercase());
    let decided = report.decided.iter().map(|name| render::one_line(name, 80)).collect::<Vec<_>>().join(" + ");
    let verdict = match (&outcome, decided.is_empty()) {
        (Some(outcome), true) => format!("  {outcome}"),
        // What a blocked gate names is not decided.
        (Some(outcome), false) if report.outcome == Some(Outcome::Blocked) => format!("  {outcome} (names {decided})"),
        (Some(outcome), false) => format!("  {outcome}: {decided}"),
        (None, _) => String::new(),
    };
    let record = report.record_digest.as_deref().map(|digest| format!(", record {digest}")).unwrap_or_default();
    let word = match (&outcome, report.discrepancies.is_empty()) {
        (Some(_), true) => "HOLDS",
        (None, true) => "NOT OVER",
        (_, false) => "DOES NOT HOLD",
    };
    let _ = writeln!(text, "{}  {id}{verdict}  {} turns{record}", style.bold(word), report.turns);
    if let Some(rehearsal) = &report.rehearsal {
        let _ = writeln!(text, "  {:<10} {}", "REHEARSAL", render::one_line(rehearsal, WIDTH));
    }
    for found in &report.discrepancies {
        let mut lines = found.text.lines();
        let first = render::one_line(lines.next().unwrap_or_default(), WIDTH);
        let _ = writeln!(text, "  {:<10} {}: {first}", found.kind.word(), render::safe(&found.file));
        for line in lines {
            let _ = writeln!(text, "             {}", render::one_line(line, WIDTH));
        }
    }
    for note in &report.notes {
        let _ = writeln!(text, "  {}", style.dim(&format!("{:<10} {}", "note", render::one_line(note, WIDTH))));
    }
    text
}

fn value(report: &Verification) -> Value {
    json!({
        "debate": report.debate,
        "holds": report.holds(),
        "outcome": report.outcome.map(|outcome| outcome.word()),
        "decided": report.decided,
        "record_digest": report.record_digest,
        "turns": report.turns,
        "rehearsal": report.rehearsal.is_some(),
        "discrepancies": report.discrepancies.iter().map(|found| json!({
            "kind": found.kind.word(), "file": found.file, "text": found.text,
        })).collect::<Vec<_>>(),
        "notes": report.notes,
    })
}
