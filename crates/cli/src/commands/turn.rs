//! `forge turn next | submit | absent`: the seats that somebody outside moves.

use super::{Context, vote};
use crate::args::{AbsentArgs, NextArgs, SubmitArgs, TurnAction, TurnArgs};
use crate::exit::Exit;
use crate::render::{self, Style};
use forge_artifacts::disk::read_named;
use forge_artifacts::formats::commitment::Host;
use forge_artifacts::formats::verdict::Account;
use forge_artifacts::outgoing;
use forge_debate::form::REPLY_LIMIT_BYTES;
use forge_debate::plan::SeatId;
use forge_engine::{EngineError, GivingOut, HandIn, Next, OpenSeat, Strictness, Submitted, Wave};
use serde_json::{Value, json};
use std::io::Read as _;
use std::path::Path;

/// The longest name of a subagent.
const SUBAGENT_LIMIT: usize = 200;

/// Runs `forge turn ...`.
pub(crate) fn run(context: &Context<'_>, args: &TurnArgs) -> Result<Exit, EngineError> {
    match &args.action {
        TurnAction::Next(args) => next(context, args),
        TurnAction::Submit(args) => submit(context, args),
        TurnAction::Absent(args) => absent(context, args),
    }
}

fn submit(context: &Context<'_>, args: &SubmitArgs) -> Result<Exit, EngineError> {
    let bytes = words(context, &args.file)?;
    let host = context.environment.host.as_ref().map(|host| Host {
        name: host.name.to_owned(),
        subagent: args.subagent.as_deref().and_then(subagent),
        shell: host.subagent.as_deref().and_then(subagent),
    });
    if context.workspace.vault.is_none() {
        return Err(EngineError::Usage(
            "there is no place for your words outside of the project, where others could read them before they have spoken; set HOME or XDG_STATE_HOME to a whole path".to_owned(),
        ));
    }
    let salt = vote::salt()?;
    let handed = HandIn {
        strictness: if args.as_is { Strictness::AsIs } else { Strictness::InForm },
        turn: args.turn.as_deref(),
        replaces: args.replace,
        host: host.as_ref(),
        ..HandIn::new(&args.seat, &bytes, &salt)
    };
    if args.check {
        let done = context.workspace.check_turn(&args.debate, &handed)?;
        show(&done, args, "in form; nothing was handed in");
        return Ok(Exit::Done);
    }
    let done = context.workspace.submit(&args.debate, &handed)?;
    context.workspace.take_away_draft(&args.file)?;
    let what = match done.is_sealed {
        true => "handed in; it is shown to nobody before every seat of its wave has spoken",
        false => "handed in",
    };
    show(&done, args, what);
    if !args.json {
        render::out("done: this seat has nothing more to do");
        // A seat in a host's shell is to stop here; whoever sits at a terminal goes on.
        if host.is_none() {
            done.taken_in.iter().for_each(|line| render::out(&format!("  note: {line}")));
            render::out(&format!("  next: forge debate run {}", args.debate));
        }
    }
    Ok(Exit::Done)
}

fn show(done: &Submitted, args: &SubmitArgs, what: &str) {
    if args.json {
        render::json(&json!({
            "turn": done.turn, "file": done.file, "sealed": done.is_sealed, "checked_only": args.check,
            "shortcomings": done.shortcomings, "notes": done.notes, "taken_in": done.taken_in,
        }));
        return;
    }
    render::out(&format!("{}: {what} ({})", done.turn, done.file));
    for shortcoming in &done.shortcomings {
        render::out(&format!("  warning: {shortcoming}"));
    }
    for note in &done.notes {
        render::out(&format!("  note: {note}"));
    }
}

/// A subagent's name as a host's guard gives it: one word.
fn subagent(text: &str) -> Option<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.' | '/');
    (text.len() <= SUBAGENT_LIMIT && !text.is_empty() && text.chars().all(is_name)).then(|| text.to_owned())
}

fn absent(context: &Context<'_>, args: &AbsentArgs) -> Result<Exit, EngineError> {
    let turn = context.workspace.absent(&args.debate, &args.seat, args.turn.as_deref(), &args.because)?;
    if args.json {
        render::json(&json!({"turn": turn, "absent": true}));
    } else {
        render::out(&format!("{turn}: on record as absent; the debate goes on without it"));
        render::out(&format!("  next: forge turn next {}", args.debate));
    }
    Ok(Exit::Done)
}

fn next(context: &Context<'_>, args: &NextArgs) -> Result<Exit, EngineError> {
    let last = || context.workspace.waiting_debate();
    let Some(debate) = args.debate.clone().map_or_else(last, |debate| Ok(Some(debate)))? else {
        if args.json {
            render::json(&json!({"debate": Value::Null, "state": "none", "seats": []}));
        } else {
            render::out("no debate here waits for somebody outside");
        }
        return Ok(Exit::Done);
    };
    let giving = if args.again { GivingOut::Again } else { GivingOut::Free };
    match context.workspace.next_turns(&debate, giving, &whose(context))? {
        Next::Open(wave) => {
            let mut strange = Vec::new();
            if !wave.seats.is_empty() {
                strange.extend(context.workspace.gate(&wave.debate, false)?.notes);
                strange.extend(super::install::strange_pages(context)?.iter().map(ToString::to_string));
            }
            if args.json {
                let mut told = wave_json(&wave);
                told["warnings"] = json!(strange);
                render::json(&told);
            } else {
                for one in &strange {
                    render::out(&format!("  WARNING: {one}"));
                }
                show_wave(&wave);
            }
            Ok(Exit::Blocked)
        }
        Next::Over(account) => {
            let account = context.told(*account);
            if args.json {
                render::json(&json!({
                    "debate": account.plan.id, "state": "over", "seats": [],
                    "next": format!("forge show {}", account.plan.id), "outcome": account.verdict.outcome().word(),
                    "shown": shown(&account),
                }));
            } else {
                render::out(&render::verdict(&account, context.style));
            }
            Ok(Exit::from(account.verdict.outcome()))
        }
        Next::Held(account) => {
            let account = context.told(*account);
            if args.json {
                render::json(&json!({
                    "debate": account.plan.id, "state": "held", "seats": [],
                    "next": format!("mend what blocks: forge gate {}", account.plan.id), "shown": shown(&account),
                }));
            } else {
                render::out(&render::verdict(&account, context.style));
            }
            Ok(Exit::Blocked)
        }
        Next::NeedsOptions { debate, plan_file } => {
            let next = format!("list options in {plan_file}, then: forge turn next {debate}");
            if args.json {
                render::json(&json!({"debate": debate, "state": "needs_options", "seats": [], "next": next}));
            } else {
                render::out(&format!("{debate}: no options yet\n  next: {next}"));
            }
            Ok(Exit::Blocked)
        }
    }
}

/// The first screen of a verdict: hosts cut longer texts in the middle.
fn shown(account: &Account) -> String {
    render::verdict(account, Style::plain(None))
}

/// To whom a seat is given out.
fn whose(context: &Context<'_>) -> String {
    let session = context.environment.variables.get("CLAUDE_CODE_SESSION_ID").map(|id| format!(" session {id}"));
    match &context.environment.host {
        Some(host) => format!("{}{}", host.name, session.unwrap_or_default()),
        None => "a terminal".to_owned(),
    }
}

/// What is to be done while a wave is open.
fn then(wave: &Wave) -> String {
    let id = &wave.debate;
    if wave.seats.iter().any(|seat| seat.taken.is_none()) {
        format!(
            "start one subagent per prompt, all at once, each with that line and nothing else; when all have reported: forge turn next {id}"
        )
    } else if !wave.seats.is_empty() {
        format!(
            "wait for those who took them, then: forge turn next {id}; if they are gone: forge turn next {id} --again"
        )
    } else if !wave.agents.is_empty() {
        format!("forge debate run {id}")
    } else {
        format!("forge debate vote {id}")
    }
}

fn show_wave(wave: &Wave) {
    let free = wave.seats.iter().filter(|seat| seat.taken.is_none()).count();
    render::out(&format!(
        "{}: {}, {} to give out of up to {} turns in this debate",
        wave.debate,
        wave.turn,
        match free {
            1 => "1 seat".to_owned(),
            n => format!("{n} seats"),
        },
        wave.turns_limit
    ));
    for seat in &wave.seats {
        match &seat.taken {
            Some(taken) => render::out(&format!("  {:<10} taken {} by {}", seat.seat.as_str(), taken.at, taken.by)),
            None => {
                render::out(&format!("  {:<10} role {}, ask {}", seat.seat.as_str(), seat.role, seat.ask));
                render::out(&format!("  {:<10} prompt: {}", "", seat.prompt(&wave.debate)));
            }
        }
        for problem in &seat.problems {
            render::out(&format!("  {:<10} what lies there is no turn yet: {problem}", ""));
        }
    }
    for (what, seats) in [("handed in", &wave.handed_in), ("agents", &wave.agents), ("people", &wave.people)] {
        if !seats.is_empty() {
            render::out(&format!("  {what:<10} {}", names(seats).join(", ")));
        }
    }
    render::out(&format!("  next: {}", then(wave)));
}

fn wave_json(wave: &Wave) -> Value {
    let id = &wave.debate;
    let seat = |seat: &OpenSeat| {
        json!({
            "seat": seat.seat.as_str(), "role": seat.role, "turn": seat.turn, "ask": seat.ask, "parts": seat.parts.len(),
            "prompt": seat.prompt(id), "submit": seat.submit(id), "problems": seat.problems,
            "taken": seat.taken.as_ref().map(|taken| json!({"at": taken.at, "by": taken.by})),
        })
    };
    let state = if wave.seats.is_empty() { "run" } else { "waiting" };
    let free = wave.seats.iter().filter(|seat| seat.taken.is_none()).count();
    json!({
        "debate": id, "state": state, "round": wave.round,
        "seats": wave.seats.iter().map(seat).collect::<Vec<_>>(),
        "handed_in": names(&wave.handed_in), "agents": names(&wave.agents), "people": names(&wave.people),
        "subagents": {"now": free, "up_to": wave.turns_limit}, "next": then(wave),
    })
}

fn names(seats: &[SeatId]) -> Vec<&str> {
    seats.iter().map(SeatId::as_str).collect()
}

/// The words of a turn: from a file, or from standard input where that is `-`. Other seats read them.
pub(super) fn words(context: &Context<'_>, file: &Path) -> Result<Vec<u8>, EngineError> {
    if file == Path::new("-") {
        return standard_input();
    }
    if let Some(why) = outgoing::held_back(file, context.workspace.locks.root()) {
        return Err(EngineError::Usage(format!(
            "{}: {why}, so nobody is given it to read; if you mean it, name `-` and give its text on standard input",
            file.display()
        )));
    }
    // A host may run this unasked, and what is handed in goes into the project's files.
    let root = context.workspace.locks.root().canonicalize();
    let is_inside = || root.is_ok_and(|root| file.canonicalize().is_ok_and(|file| file.starts_with(root)));
    if context.workspace.host.is_some() && file.exists() && !is_inside() {
        return Err(EngineError::Usage(format!(
            "{}: it lies outside of the project; inside a host a turn is handed in from a file of the project, such as docs/forge/turns/TURN.md, or on standard input",
            file.display()
        )));
    }
    Ok(read_named(file, REPLY_LIMIT_BYTES as u64)?)
}

fn standard_input() -> Result<Vec<u8>, EngineError> {
    let mut bytes = Vec::new();
    let limit = REPLY_LIMIT_BYTES as u64 + 1;
    std::io::stdin()
        .lock()
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| EngineError::Usage(format!("standard input: {error}")))?;
    Ok(bytes)
}
