//! `forge debate status | show | list | decide | regenerate`: looking at debates, and a person's word.

use super::Context;
use super::verify::is_its_name;
use crate::args::DecideArgs;
use crate::exit::Exit;
use crate::render;
use forge_artifacts::catalog::{self, FindError};
use forge_artifacts::formats::verdict;
use forge_artifacts::store::{DebateFiles, Found};
use forge_engine::{EngineError, Survey, Workspace};
use serde_json::json;
use std::path::Path;

/// Where a debate stands, from its files.
pub(crate) fn status(context: &Context<'_>, name: &str, as_json: bool) -> Result<Exit, EngineError> {
    status_of(context, &context.workspace.open(name)?, as_json)
}

fn status_of(context: &Context<'_>, files: &DebateFiles, as_json: bool) -> Result<Exit, EngineError> {
    let survey = context.workspace.survey(files)?;
    let gate = context.workspace.gate_opened(DebateFiles::open(files.disk(), &files.layout.plan())?, false)?;
    let outcome = survey.verdict.as_ref().map(|verdict| verdict.outcome);
    let spent = survey.account(files)?.spent;
    let contradicts = survey.contradictions(files)?;
    if as_json {
        let turns: Vec<_> = survey
            .heard
            .iter()
            .map(|one| {
                json!({
                    "seat": one.turn.seat().as_str(), "stage": one.turn.key.stage.0, "round": one.turn.key.round,
                    "file": one.line.file, "spoke": one.turn.speech().is_some(),
                })
            })
            .collect();
        let open: Vec<_> = survey
            .open
            .iter()
            .map(|open| {
                json!({
                    "seat": open.ask.key.seat.as_str(), "stage": open.ask.key.stage.0, "round": open.ask.key.round,
                    "file": files.turn_path(&open.ask.key), "problems": problems(&open.found),
                })
            })
            .collect();
        render::json(&json!({
            "debate": files.plan.id,
            "protocol": format!("{}@{}", files.plan.protocol, files.plan.version),
            "question": files.plan.question,
            "status": gate.status,
            "outcome": outcome.map(|outcome| outcome.word()),
            "debate_gate_passed": gate.passed && !gate.rehearsal,
            "rehearsal": gate.rehearsal,
            "contradicts": contradicts,
            "turns": turns,
            "open": open,
            "spent": verdict::spent(&spent),
            "plan_file": files.layout.plan(),
        }));
        return Ok(Exit::Done);
    }
    let mut text = render::changed(&files.plan.id, &contradicts, context.style);
    text.push_str(&format!("{}  {}@{}  {}\n", files.plan.id, files.plan.protocol, files.plan.version, gate.status));
    text.push_str(&format!("  question   {}\n", render::one_line(&files.plan.question, 160)));
    if let Some(outcome) = outcome {
        text.push_str(&format!("  outcome    {}\n", outcome.word()));
    }
    text.push_str(&format!(
        "  gate       {}\n",
        match (gate.passed, gate.rehearsal) {
            (true, false) => "passed",
            (true, true) => "not passed: a rehearsal passes no gate",
            (false, _) => "not passed",
        }
    ));
    for one in &survey.heard {
        let what =
            one.turn.absence().map_or_else(|| "spoke".to_owned(), |absence| format!("absent: {}", absence.kind.told()));
        text.push_str(&format!("  {:<32} {what}\n", one.turn.key.to_string()));
    }
    for open in &survey.open {
        text.push_str(&format!("  {:<32} open: {}\n", open.ask.key.to_string(), files.turn_path(&open.ask.key)));
        for problem in problems(&open.found) {
            text.push_str(&format!("      - {}\n", render::one_line(&problem, 200)));
        }
    }
    for warning in survey.warnings() {
        text.push_str(&format!("  warning    {warning}\n"));
    }
    if survey.verdict.is_none() {
        text.push_str(&format!("  next       forge debate run {}\n", files.plan.id));
    }
    render::out(&text);
    Ok(Exit::Done)
}

fn problems(found: &Found) -> Vec<String> {
    match found {
        Found::NotYet { problems, .. } | Found::Damaged { problems, .. } => problems.clone(),
        _ => Vec::new(),
    }
}

/// A debate by its own name, by its folder or plan anywhere, or by the beginning of its name, for reading.
pub(crate) fn opened(context: &Context<'_>, name: &str) -> Result<(Workspace, DebateFiles), EngineError> {
    let workspace = &context.workspace;
    let path = Path::new(name);
    match catalog::find(workspace.disk.as_ref(), name) {
        Ok(plan) if is_its_name(&plan, name) || !path.exists() => {
            Ok((workspace.clone(), DebateFiles::open(&workspace.disk, &plan)?))
        }
        Err(FindError::Unknown { .. }) | Ok(_) if path.exists() => workspace.open_folder(path),
        Ok(plan) => Ok((workspace.clone(), DebateFiles::open(&workspace.disk, &plan)?)),
        Err(error) => Err(error.into()),
    }
}

/// The verdict with its details, computed from the files: `forge show` and `forge debate show`.
pub(crate) fn show(context: &Context<'_>, name: &str, as_json: bool) -> Result<Exit, EngineError> {
    let (workspace, files) = opened(context, name)?;
    let survey: Survey = workspace.survey(&files)?;
    let Some(found) = &survey.verdict else {
        if as_json {
            return status_of(context, &files, true).map(|_| Exit::Blocked);
        }
        render::out(&format!(
            "{}{} has no verdict yet; {} open. Go on with: forge debate run {1}",
            render::changed(&files.plan.id, &survey.contradictions(&files)?, context.style),
            files.plan.id,
            survey.open.len()
        ));
        return Ok(Exit::Blocked);
    };
    let exit = Exit::from(found.outcome);
    let account = survey.account(&files)?;
    if as_json {
        render::json(&verdict::json(&account));
    } else {
        for warning in survey.warnings() {
            render::note(&format!("warning: {warning}"));
        }
        render::out(&format!(
            "{}  {}\n\n{}",
            files.plan.id,
            render::one_line(&files.plan.question, 160),
            render::verdict_in_full(&account, context.style)
        ));
    }
    Ok(exit)
}

/// All debates of the folder.
pub(crate) fn list(context: &Context<'_>, as_json: bool) -> Result<Exit, EngineError> {
    let all = context.workspace.list()?;
    if as_json {
        let rows: Vec<_> = all
            .iter()
            .map(|row| json!({
                "debate": row.id, "protocol": row.protocol, "question": row.question, "created_at": row.created_at,
                "standing": row.standing, "degraded": row.degraded, "rehearsal": row.rehearsal, "plan_file": row.plan_file,
            }))
            .collect();
        render::json(&json!({ "debates": rows }));
        return Ok(Exit::Done);
    }
    if all.is_empty() {
        render::out("No debates here yet. Start one: forge debate \"Redis or Memcached for sessions?\"");
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    for row in &all {
        let mut marks = String::new();
        if row.degraded {
            marks.push_str(" degraded");
        }
        if row.rehearsal {
            marks.push_str(" rehearsal");
        }
        text.push_str(&format!(
            "{:<12} {:<12} {:<44} {}{}\n",
            row.standing,
            row.protocol,
            render::safe(&row.id),
            render::one_line(&row.question, 70),
            if marks.is_empty() { String::new() } else { format!("  [{}]", marks.trim()) }
        ));
    }
    render::out(&text);
    Ok(Exit::Done)
}

/// Records a person's decision.
pub(crate) fn decide(context: &Context<'_>, args: &DecideArgs) -> Result<Exit, EngineError> {
    let by = args.by.clone().or_else(|| context.environment.user.clone()).unwrap_or_default();
    let decided = context.workspace.decide(&args.debate, &args.option, &args.because, &by)?;
    if args.json {
        render::json(&verdict::json(&decided.account));
    } else {
        render::note(&format!("recorded in {}", decided.file));
        decided.notes.iter().for_each(|note| render::note(note));
        render::out(&render::verdict(&decided.account, context.style));
    }
    Ok(Exit::Done)
}

/// Writes the derived files of a debate anew.
pub(crate) fn regenerate(context: &Context<'_>, name: &str, as_json: bool) -> Result<Exit, EngineError> {
    let done = context.workspace.regenerate(name)?;
    if as_json {
        render::json(&json!({"plan_file": done.plan_file, "plan_rewritten": !done.sealed}));
    } else if done.sealed {
        render::out(&format!(
            "The reports were written anew. {} stays as it is: a seat has been asked already.\nTo debate a changed plan: edit it, then forge debate run {name} --fork",
            done.plan_file
        ));
    } else {
        render::out(&format!("{} was written anew.", done.plan_file));
    }
    Ok(Exit::Done)
}
