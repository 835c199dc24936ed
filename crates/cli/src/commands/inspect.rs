//! `forge debate status | show | list | decide | regenerate`: looking at debates, and a person's word.

use super::Context;
use super::verify::is_its_name;
use crate::args::DecideArgs;
use crate::exit::Exit;
use crate::render;
use forge_artifacts::catalog::{self, FindError};
use forge_artifacts::formats::summary;
use forge_artifacts::formats::verdict::{self, Account};
use forge_artifacts::store::{DebateFiles, Found, Since};
use forge_debate::plan::{Duty, Seat, SeatId};
use forge_debate::turn::TurnKey;
use forge_debate::verdict::{Finding, FindingKind, Gravity};
use forge_engine::{EngineError, OpenAsk, Survey, Workspace, marked};
use serde_json::json;
use std::path::Path;

/// Where a debate stands, from its files.
pub(crate) fn status(context: &Context<'_>, name: &str, as_json: bool) -> Result<Exit, EngineError> {
    status_of(context, &context.workspace, &context.workspace.open(name)?, as_json)
}

fn status_of(
    context: &Context<'_>,
    workspace: &Workspace,
    files: &DebateFiles,
    as_json: bool,
) -> Result<Exit, EngineError> {
    let survey = workspace.look(files)?;
    let gate = workspace.gate_opened(files, false)?;
    let outcome = survey.verdict.as_ref().map(|verdict| verdict.outcome());
    let account = context.told(survey.account(files)?);
    let exit = if gate.holds { Exit::Done } else { Exit::DoesNotHold };
    let has_spoken = |open: &OpenAsk| workspace.has_spoken(files, open).unwrap_or_default();
    let seats = seats(files, &survey, has_spoken);
    let is_of_a_seat =
        |finding: &&Finding| seats.iter().any(|seat| seat.file == finding.file && !seat.problems.is_empty());
    let is_missing = |finding: &&Finding| finding.kind == FindingKind::Missing;
    let mut blocks: Vec<&Finding> = gate.findings.iter().filter(|finding| finding.gravity == Gravity::Blocks).collect();
    blocks.retain(|finding| !is_of_a_seat(finding) && !is_missing(finding));
    let next = next(files, &survey, &account, gate.holds, has_spoken);
    if as_json {
        let of = |is_open: bool| {
            let rows = seats.iter().filter(|seat| seat.is_open() == is_open);
            rows.map(|seat| {
                json!({
                    "seat": seat.key.seat.as_str(), "stage": seat.key.stage.0, "round": seat.key.round,
                    "file": seat.file, "standing": seat.standing, "on_record": seat.on_record,
                    "spoke": seat.spoke, "problems": seat.problems,
                })
            })
            .collect::<Vec<_>>()
        };
        render::json(&json!({
            "debate": files.plan.id,
            "protocol": files.plan.protocol.to_string(),
            "question": files.plan.question,
            "status": gate.status,
            "outcome": outcome.map(|outcome| outcome.word()),
            "debate_gate_passed": gate.passed && !gate.rehearsal,
            "rehearsal": gate.rehearsal,
            "holds": gate.holds,
            "contradicts": account.contradictions,
            "not_on_record": gate.not_on_record,
            "turns": of(false),
            "open": of(true),
            "blocks": blocks.iter().map(|finding| render::place(finding)).collect::<Vec<_>>(),
            "next": next,
            "spent": verdict::spent(&account.spent),
            "plan_file": files.layout.plan(),
        }));
        return Ok(exit);
    }
    let mut text = format!("{}  {}  {}\n", files.plan.id, files.plan.protocol, gate.status);
    text.push_str(&format!("  question   {}\n", render::one_line(&files.plan.question, 160)));
    if let Some(outcome) = outcome {
        text.push_str(&format!("  outcome    {}\n", outcome.word()));
    }
    if let Some(rehearsal) = summary::rehearsal(&account) {
        text.push_str(&format!("  REHEARSAL  {}\n", render::one_line(&rehearsal, 160)));
    }
    text.push_str(&format!(
        "  gate       {}\n",
        match (gate.passed, gate.rehearsal) {
            (true, false) => "passed",
            (true, true) => "not passed: a rehearsal passes no gate",
            (false, _) => "not passed",
        }
    ));
    for seat in &seats {
        let on_record = if seat.on_record || !seat.spoke { "" } else { ", not on record yet" };
        let file = if seat.is_open() { format!(": {}", seat.file) } else { String::new() };
        text.push_str(&format!("  {:<32} {}{on_record}{file}\n", seat.key.to_string(), seat.standing));
        for problem in &seat.problems {
            text.push_str(&format!("      - {}\n", render::one_line(problem, 200)));
        }
    }
    // A role that is asked once the others have spoken.
    let is_later = |seat: &&Seat| seat.duty == Duty::Synthesizer && !seats.iter().any(|row| row.key.seat == seat.id);
    for seat in files.plan.seats.iter().filter(is_later) {
        text.push_str(&format!("  {:<32} comes after the others\n", seat.id.as_str()));
    }
    for finding in &blocks {
        text.push_str(&format!("  blocks     {}\n", render::place(finding)));
    }
    for step in next {
        text.push_str(&format!("  next       {step}\n"));
    }
    render::out(&text);
    Ok(exit)
}

/// A seat's turn, as its file is.
struct SeatRow<'s> {
    key: &'s TurnKey,
    file: String,
    standing: String,
    spoke: bool,
    on_record: bool,
    problems: Vec<String>,
}

impl SeatRow<'_> {
    /// Whether somebody has still to write it.
    fn is_open(&self) -> bool {
        !self.on_record && !self.spoke
    }
}

/// Every turn that was asked for: complete, not yet, or missing.
fn seats<'s>(files: &DebateFiles, survey: &'s Survey, has_spoken: impl Fn(&OpenAsk) -> bool) -> Vec<SeatRow<'s>> {
    let heard = survey.heard.iter().map(|one| {
        let standing = match (one.turn.absence(), one.since) {
            (Some(absence), _) => format!("absent: {}", absence.kind.told()),
            (None, Some(Since::Gone)) => "gone since it was taken in".to_owned(),
            (None, Some(Since::Changed)) => "changed since it was taken in".to_owned(),
            (None, None) => "complete".to_owned(),
        };
        let on_record = !survey.provisional.contains(&one.turn.key);
        let file = if one.turn.speech().is_some() { files.turn_path(&one.turn.key) } else { one.line.file.clone() };
        let spoke = one.turn.speech().is_some();
        SeatRow { key: &one.turn.key, file, standing, spoke, on_record, problems: Vec::new() }
    });
    let open = survey.open.iter().map(|open| {
        let standing = match &open.found {
            Found::Nothing if has_spoken(open) => "handed in, sealed",
            Found::Nothing => "missing",
            Found::NotYet { .. } => "not yet",
            Found::Damaged { .. } => "damaged",
            Found::HandedIn { .. } | Found::Turn(_) => "complete",
        };
        let spoke = has_spoken(open);
        let key = &open.ask.key;
        let problems = problems(&open.found);
        SeatRow { key, file: files.turn_path(key), standing: standing.to_owned(), spoke, on_record: false, problems }
    });
    heard.chain(open).collect()
}

/// What to do next.
fn next(
    files: &DebateFiles,
    survey: &Survey,
    account: &Account,
    holds: bool,
    has_spoken: impl Fn(&OpenAsk) -> bool,
) -> Vec<String> {
    let id = &files.plan.id;
    let run = format!("forge debate run {id}");
    if !holds {
        return vec![format!(
            "forge debate restore {id} puts back what was counted; forge verify {id} names what changed"
        )];
    }
    if survey.verdict.is_some() {
        return summary::of(account).next;
    }
    let unwritten = |open: &&OpenAsk| !has_spoken(open);
    let is_agent = |open: &OpenAsk| files.plan.seat(&open.ask.key.seat).is_none_or(|seat| seat.hand.is_agent());
    let files: Vec<String> = survey
        .open
        .iter()
        .filter(unwritten)
        .filter(|open| !is_agent(open))
        .map(|open| files.turn_path(&open.ask.key))
        .collect();
    if files.is_empty() { vec![run] } else { vec![format!("write {}, then: {run}", files.join(", "))] }
}

fn problems(found: &Found) -> Vec<String> {
    match found {
        Found::NotYet { problems, noted, .. } => marked(problems, noted).collect(),
        Found::Damaged { problems, .. } => problems.clone(),
        _ => Vec::new(),
    }
}

/// A debate by its own name, by its folder or plan anywhere, or by the beginning of its name, for reading.
pub(crate) fn opened(context: &Context<'_>, name: &str) -> Result<(Workspace, DebateFiles), EngineError> {
    let workspace = &context.workspace;
    let path = Path::new(name);
    match catalog::find(workspace.disk.as_ref(), name) {
        Ok(plan) if is_its_name(&plan, name) || !path.exists() => Ok((workspace.clone(), workspace.open_file(&plan)?)),
        Err(FindError::Unknown { .. }) | Ok(_) if path.exists() => workspace.open_folder(path),
        Ok(plan) => Ok((workspace.clone(), workspace.open_file(&plan)?)),
        Err(error) => Err(error.into()),
    }
}

/// The verdict with its details, computed from the files: `forge show` and `forge debate show`.
pub(crate) fn show(context: &Context<'_>, name: &str, as_json: bool) -> Result<Exit, EngineError> {
    let (workspace, files) = opened(context, name)?;
    let survey: Survey = workspace.look(&files)?;
    let Some(found) = &survey.verdict else {
        if as_json {
            let exit = status_of(context, &workspace, &files, true)?;
            return Ok(if exit == Exit::Done { Exit::Blocked } else { exit });
        }
        let contradicts = survey.contradictions(&files)?;
        render::out(&format!(
            "{}{} has no verdict yet; {} open. Go on with: forge debate run {1}",
            render::changed(&files.plan.id, &contradicts, context.style),
            files.plan.id,
            survey.open.len()
        ));
        let is_damaged = |open: &OpenAsk| matches!(open.found, Found::Damaged { .. });
        let holds = contradicts.is_empty() && !survey.open.iter().any(is_damaged);
        return Ok(if holds { Exit::Blocked } else { Exit::DoesNotHold });
    };
    // Of a folder that is looked at from elsewhere nobody says that it is one's own.
    if workspace.locks.root() == context.workspace.locks.root() {
        context.name_origin(&files)?;
    }
    let account = context.told(survey.account(&files)?);
    let exit = if account.contradictions.is_empty() { Exit::from(found.outcome()) } else { Exit::DoesNotHold };
    if as_json {
        render::json(&verdict::json(&account));
    } else {
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
                "standing": row.standing, "degraded": row.degraded, "rehearsal": row.rehearsal, "on_record": !row.is_open,
                "plan_file": row.plan_file,
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
        if row.is_open && !matches!(row.standing.as_str(), "pending" | "running") {
            marks.push_str(" not on record yet");
        }
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
    let by = context.speaker(args.by.as_deref()).unwrap_or_default();
    let decided = match args.overrule {
        true => context.workspace.overrule(&args.debate, &args.option, &args.because, &by)?,
        false => context.workspace.decide(&args.debate, &args.option, &args.because, &by)?,
    };
    if args.json {
        render::json(&verdict::json(&decided.account));
    } else {
        render::note(&format!("recorded in {}", decided.file));
        decided.notes.iter().for_each(|note| render::note(note));
        render::out(&render::verdict(&decided.account, context.style));
    }
    Ok(Exit::Done)
}

/// Puts back the files of turns on record that are gone or were changed.
pub(crate) fn restore(context: &Context<'_>, name: &str, as_json: bool) -> Result<Exit, EngineError> {
    let done = context.workspace.restore_turns(name)?;
    if as_json {
        let rows: Vec<_> = done.iter().map(|one| json!({"file": one.file, "kept_aside": one.aside})).collect();
        render::json(&json!({ "put_back": rows }));
        return Ok(Exit::Done);
    }
    if done.is_empty() {
        render::out(&format!("{name}: nothing to put back; every file is what was counted"));
    }
    for one in &done {
        let aside = one.aside.as_ref().map(|aside| format!("; what stood there is now {aside}")).unwrap_or_default();
        render::out(&format!("put back {}{aside}", one.file));
    }
    Ok(Exit::Done)
}

/// Renews a debate's plan while nobody has written, and its derived files.
pub(crate) fn regenerate(context: &Context<'_>, name: &str, as_json: bool) -> Result<Exit, EngineError> {
    let done = context.workspace.regenerate(name)?;
    let writers: Vec<&str> = done.writers.iter().map(SeatId::as_str).collect();
    if as_json {
        let rewritten = !done.is_left_alone();
        render::json(&json!({
            "plan_file": done.plan_file, "plan_rewritten": rewritten, "changed": done.changed, "writers": writers,
        }));
    } else if done.is_left_alone() {
        let why = match writers.as_slice() {
            [] => "a seat has been asked already".to_owned(),
            names => format!("{} wrote for it already", names.join(", ")),
        };
        render::out(&format!(
            "The reports were written anew. {} stays as it is: {why}.\nTo debate a changed plan: edit it, then forge debate run {name} --fork --adopt",
            done.plan_file
        ));
    } else {
        render::out(&format!("{} was written anew.", done.plan_file));
        if let Some(kept) = &done.kept {
            render::out(&format!("As it was it is kept as {kept}."));
        }
        done.changed.iter().for_each(|line| render::out(&format!("  {line}")));
    }
    Ok(Exit::Done)
}
