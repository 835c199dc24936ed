//! `forge debate vote`: a person's vote, sealed until all people have voted.

use super::{Context, turn};
use crate::args::VoteArgs;
use crate::exit::Exit;
use crate::render;
use forge_artifacts::disk::{Disk, Durability, PrivateDisk};
use forge_debate::plan::SeatId;
use forge_engine::{EngineError, OpenVote, Unsealed, Vault, Vote, VoteState, Voted, Wanted, Words};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Runs `forge debate vote ...`.
pub(crate) fn run(context: &Context<'_>, args: &VoteArgs) -> Result<Exit, EngineError> {
    if let (true, Some(seat), Some(because)) = (args.withdraw, &args.seat, &args.because) {
        return take_back(context, args, seat, because);
    }
    match (&args.option, &args.file, args.reveal) {
        (_, _, true) => reveal(context, args),
        (Some(option), _, _) => {
            let vote = spoken(option, args)?;
            cast(context, args, &Words::Vote(&vote))
        }
        (None, Some(file), _) => {
            let bytes = turn::words(context, file)?;
            cast(context, args, &Words::Turn(&bytes))
        }
        (None, None, _) => list(context, args),
    }
}

fn spoken(option: &str, args: &VoteArgs) -> Result<Vote, EngineError> {
    let Some(because) = &args.because else {
        return Err(EngineError::Usage("why? pass --because WHY, for those who read it later".to_owned()));
    };
    Ok(Vote {
        option: option.to_owned(),
        because: because.clone(),
        confidence: args.confidence.clone(),
        arguments: args.arguments.clone(),
        challenges: pairs("--challenge", "SPEAKER=TEXT, such as S1=\"nobody has tried it\"", &args.challenges)?,
        convinced_by: args.convinced_by.clone(),
        convinced_because: args.because_convinced.clone(),
        approves: args.approves.clone(),
        quotes: pairs("--quote", "SOURCE=TEXT, such as notes.md=\"the quota is 5 TB\"", &args.quotes)?,
    })
}

fn pairs(flag: &str, expected: &str, given: &[String]) -> Result<Vec<(String, String)>, EngineError> {
    let pair = |text: &String| match text.split_once('=') {
        Some((left, right)) if !left.trim().is_empty() && !right.trim().is_empty() => {
            Ok((left.trim().to_owned(), right.trim().to_owned()))
        }
        _ => Err(EngineError::Usage(format!("{flag} {text:?}: expected {expected}"))),
    };
    given.iter().map(pair).collect()
}

fn cast(context: &Context<'_>, args: &VoteArgs, words: &Words<'_>) -> Result<Exit, EngineError> {
    let place = vault(context)?;
    let salt = salt()?;
    let vault = Vault { disk: &place, salt: &salt };
    let voted = context.workspace.vote(&args.debate, args.seat.as_deref(), words, &vault)?;
    if args.json {
        render::json(&voted_json(args, &voted));
        return Ok(Exit::Done);
    }
    match (voted.state, &voted.commitment) {
        (VoteState::Cast, _) | (_, None) => render::out(&format!("{}: cast in {}", voted.key, voted.file)),
        (VoteState::Sealed, Some((sealed, file))) => {
            render::out(&format!("{}: sealed in {file}", voted.key));
            render::out(&format!("  commitment {}", sealed.commitment));
            render::out(&format!("  words      wait in {}", place.root().display()));
        }
        (VoteState::Revealed, Some((_, file))) => {
            render::out(&format!(
                "{}: sealed in {file} and, since everybody has voted, revealed in {}",
                voted.key, voted.file
            ));
        }
    }
    for shortcoming in voted.shortcomings.iter().chain(&voted.notes) {
        render::out(&format!("  note: {shortcoming}"));
    }
    if voted.waiting_for.is_empty() {
        render::out(&format!("  next: forge debate run {}", args.debate));
    } else {
        render::out(&format!("  revealed once {} voted", have(&voted.waiting_for)));
    }
    Ok(Exit::Done)
}

fn voted_json(args: &VoteArgs, voted: &Voted) -> Value {
    json!({
        "debate": args.debate, "seat": voted.key.seat.as_str(), "stage": voted.key.stage.0, "round": voted.key.round,
        "state": voted.state.word(), "file": voted.file,
        "commitment": voted.commitment.as_ref().map(|(sealed, _)| sealed.commitment.to_string()),
        "commitment_file": voted.commitment.as_ref().map(|(_, file)| file),
        "committed_at": voted.commitment.as_ref().map(|(sealed, _)| &sealed.committed_at),
        "waiting_for": names(&voted.waiting_for), "shortcomings": voted.shortcomings, "notes": voted.notes,
    })
}

fn reveal(context: &Context<'_>, args: &VoteArgs) -> Result<Exit, EngineError> {
    let place = vault(context)?;
    let unsealed = context.workspace.reveal(&args.debate, &place)?;
    if args.json {
        let revealed: Vec<Value> = unsealed
            .revealed
            .iter()
            .map(|(key, file)| json!({"seat": key.seat.as_str(), "stage": key.stage.0, "round": key.round, "file": file}))
            .collect();
        let elsewhere: Vec<&str> = unsealed.elsewhere.iter().map(|key| key.seat.as_str()).collect();
        render::json(&json!({
            "debate": args.debate, "revealed": revealed, "elsewhere": elsewhere,
            "waiting_for": names(&unsealed.waiting_for),
        }));
    } else {
        show_revealed(args, &unsealed);
    }
    let done = unsealed.waiting_for.is_empty() && unsealed.elsewhere.is_empty();
    Ok(if done { Exit::Done } else { Exit::Blocked })
}

fn take_back(context: &Context<'_>, args: &VoteArgs, seat: &str, because: &str) -> Result<Exit, EngineError> {
    let place = existing_vault(context)?;
    let vault = place.as_ref().map(|place| place as &dyn Disk);
    let done = context.workspace.take_back_vote(&args.debate, seat, because, vault)?;
    if args.json {
        render::json(&json!({
            "debate": args.debate, "seat": done.key.seat.as_str(), "stage": done.key.stage.0, "round": done.key.round,
            "state": "withdrawn", "file": done.file,
        }));
    } else {
        render::out(&format!("{}: taken back, as {} says", done.key, done.file));
        render::out(&format!("  next: forge debate vote {} <option> --because WHY --seat {seat}", args.debate));
    }
    Ok(Exit::Done)
}

fn show_revealed(args: &VoteArgs, unsealed: &Unsealed) {
    if !unsealed.waiting_for.is_empty() {
        render::out(&format!("WAITING: nothing is revealed before {} voted", have(&unsealed.waiting_for)));
        return;
    }
    for (key, file) in &unsealed.revealed {
        render::out(&format!("{key}: revealed in {file}"));
    }
    for key in &unsealed.elsewhere {
        render::out(&format!("{key}: its words are not on this machine; reveal it where it was sealed"));
        render::out(&format!("  if they are lost: {}", how_to_take_back(&args.debate, key.seat.as_str())));
    }
    render::out(&format!("  next: forge debate run {}", args.debate));
}

fn list(context: &Context<'_>, args: &VoteArgs) -> Result<Exit, EngineError> {
    let mut open = context.workspace.open_votes(&args.debate)?;
    open.retain(|vote| args.seat.as_deref().is_none_or(|seat| vote.key.seat.as_str() == seat));
    let files = context.workspace.open(&args.debate)?;
    if args.json {
        let votes: Vec<Value> = open
            .iter()
            .map(|vote| {
                json!({
                    "seat": vote.key.seat.as_str(), "stage": vote.key.stage.0, "round": vote.key.round,
                    "brief": vote.brief, "file": vote.file, "sealed_since": vote.sealed_since,
                    "wants": match vote.asks_for { Wanted::Vote => "option", Wanted::Turn => "turn" },
                })
            })
            .collect();
        render::json(&json!({"debate": files.plan.id, "open": votes}));
        return Ok(Exit::Blocked);
    }
    let id = &files.plan.id;
    let question = render::one_line(&files.plan.question, 120);
    render::out(&format!(
        "WAITING for {} in {id}: {question}",
        open.iter().map(|vote| vote.key.seat.as_str()).collect::<Vec<_>>().join(", ")
    ));
    for vote in &open {
        show_open(id, vote);
    }
    for option in &files.plan.options {
        render::out(&format!("  option     {}", render::one_line(&option.to_string(), 120)));
    }
    Ok(Exit::Blocked)
}

fn show_open(id: &str, vote: &OpenVote) {
    let seat = vote.key.seat.as_str();
    if let Some(since) = &vote.sealed_since {
        render::out(&format!("  {seat:<10} sealed since {since}"));
        return;
    }
    render::out(&format!("  {seat:<10} {}, round {}; brief: {}", vote.key.stage, vote.key.round, vote.brief));
    let how = match vote.asks_for {
        Wanted::Vote => format!("forge debate vote {id} <option> --because WHY --seat {seat}"),
        Wanted::Turn => format!("forge debate vote {id} --seat {seat} --file FILE, as the brief says"),
    };
    render::out(&format!("  {:<10} {how}", ""));
}

/// The command that takes back a sealed vote whose words are lost.
pub(super) fn how_to_take_back(debate: &str, seat: &str) -> String {
    format!("forge debate vote {debate} --withdraw --seat {seat} --because WHY")
}

fn names(seats: &[SeatId]) -> Vec<&str> {
    seats.iter().map(SeatId::as_str).collect()
}

fn have(seats: &[SeatId]) -> String {
    format!("{} {}", names(seats).join(", "), if seats.len() == 1 { "has" } else { "have" })
}

/// 64 random hex digits from the system's own source.
pub(super) fn salt() -> Result<String, EngineError> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| EngineError::Bug(format!("the system has no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The folder in which sealed words wait, made if it is not there.
fn vault(context: &Context<'_>) -> Result<PrivateDisk, EngineError> {
    Ok(PrivateDisk::open(&root(context)?, Durability::Full)?)
}

/// The folder in which sealed words wait, if any vote was ever sealed on this machine.
pub(crate) fn existing_vault(context: &Context<'_>) -> Result<Option<PrivateDisk>, EngineError> {
    match root(context) {
        Ok(root) => Ok(PrivateDisk::open_existing(&root, Durability::Full)?),
        Err(_) => Ok(None),
    }
}

fn root(context: &Context<'_>) -> Result<PathBuf, EngineError> {
    match &context.environment.state_home {
        Some(home) => Ok(home.join("forge/sealed")),
        None => Err(EngineError::Usage(
            "there is no place for sealed words outside of the debate; set HOME or XDG_STATE_HOME to an absolute path"
                .to_owned(),
        )),
    }
}
