//! `forge debate`: hold a debate, go on with one.

use super::workflow::collect;
use super::{Context, asking, dry_run, inspect, money, vote};
use crate::ao::{self, Awaited, Followed};
use crate::args::{DebateAction, DebateArgs, RunArgs};
use crate::exit::Exit;
use crate::progress::Progress;
use crate::render;
use crate::seating::{self, is_automatic};
use crate::settings::{self, PersonaFile, Supplied};
use forge_artifacts::disk::{Disk, read_named};
use forge_artifacts::document;
use forge_artifacts::formats::verdict::Account;
use forge_artifacts::formats::{question, result, summary, verdict};
use forge_artifacts::outgoing;
use forge_artifacts::store::{DebateFiles, Found};
use forge_debate::plan::{Hand, MATERIAL_LIMIT_BYTES, Material, Plan, REHEARSAL, SeatId};
use forge_debate::profile::Profile;
use forge_debate::protocols::{self, Protocols};
use forge_debate::verdict::Outcome;
use forge_engine::{
    Allowed, Calls, Difference, EngineError, Estimate, Forking, Freshness, MAX_OUTPUT_TOKENS, OpenAsk, Opened, Run,
    RunEnd, RunSettings, Seating,
};
use forge_prose::secrets::redacted;
use forge_workflow::snapshot::Waiting;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long the end of programs is waited for when forge ends. Their keepers go on without forge, if they must.
const KEEPERS_LIMIT: Duration = Duration::from_secs(10);

/// What is said of a debate that somebody else made.
const NOT_MADE_HERE: &str =
    "it lies here and is what you typed, but it was not made on this machine: its record is somebody else's";

/// The width of the labels of what is said before a debate begins.
const LABEL_WIDTH: usize = 9;

/// Runs `forge debate ...`.
pub(crate) fn run(context: &Context<'_>, args: DebateArgs) -> Result<Exit, EngineError> {
    if let (true, Some(id)) = (args.status, &args.id) {
        return inspect::status(context, id, args.json);
    }
    if let (true, Some(id)) = (args.regenerate, &args.id) {
        return inspect::regenerate(context, id, args.json);
    }
    match args.action {
        None => hold(context, &args),
        Some(DebateAction::Run(args)) => go_on(context, &args),
        Some(DebateAction::Status(args)) => inspect::status(context, &args.debate, args.json),
        Some(DebateAction::Show(args)) => inspect::show(context, &args.debate, args.json),
        Some(DebateAction::List(args)) => inspect::list(context, args.json),
        Some(DebateAction::Decide(args)) => inspect::decide(context, &args),
        Some(DebateAction::Vote(args)) => vote::run(context, &args),
        Some(DebateAction::Collect(args)) => collect::run(context, &args),
        Some(DebateAction::Regenerate(args)) => inspect::regenerate(context, &args.debate, args.json),
        Some(DebateAction::Restore(args)) => inspect::restore(context, &args.debate, args.json),
    }
}

/// A file may not seat the rehearsal where the user wants none; a flag may.
fn refuse_rehearsal(
    context: &Context<'_>,
    args: &DebateArgs,
    request: &forge_engine::Request,
) -> Result<(), EngineError> {
    let rehearsal = Hand::parse(REHEARSAL);
    let is_wanted = !args.no_rehearsal && context.configuration.defaults.rehearsal;
    let variable = context.environment.variables.get("FORGE_AGENT").map(String::as_str);
    let is_typed = args.agent.as_deref().or(variable) == Some(REHEARSAL)
        || args.seats.iter().any(|seat| seat.split_once('=').is_some_and(|(_, hand)| hand == REHEARSAL));
    let is_seated = request.hand == rehearsal || request.seats.iter().any(|(_, hand)| *hand == rehearsal);
    if is_seated && !is_wanted && !is_typed {
        return Err(EngineError::Usage(
            "the configuration seats the rehearsal, and no rehearsal is held (--no-rehearsal, or \"rehearsal\": false); `forge config` shows which file says so. Name an agent: --agent NAME".to_owned(),
        ));
    }
    Ok(())
}

fn hold(context: &Context<'_>, args: &DebateArgs) -> Result<Exit, EngineError> {
    let mut request = settings::request(args, supplied(context, args)?, context).map_err(EngineError::Usage)?;
    let freshness = if args.new { Freshness::New } else { Freshness::GoOn };
    let is_open = matches!(request.seating, Seating::Chosen { .. });
    let by_sessions = context.environment.ao.is_active() && args.agent.is_none();
    // A debate that is under way keeps its seats, whatever is found today.
    let earlier = if is_open && freshness == Freshness::GoOn && !args.dry_run {
        context.workspace.made_before(&request)?
    } else {
        None
    };
    if is_open && earlier.is_none() {
        // What was typed comes first: nothing is looked for on behalf of flags that cannot be.
        context.workspace.check_named(&request)?;
        match by_sessions {
            true => seating::leave_to_sessions(&mut request)?,
            false => seating::fill(context, &mut request, args.no_rehearsal)?,
        }
    }
    if earlier.is_none() {
        refuse_rehearsal(context, args, &request)?;
    }
    if args.dry_run {
        return dry_run::run(context, &request, &args.context, args.json);
    }
    let opened = match earlier {
        Some(files) => Opened { files, existed: true, note: None },
        None => context.workspace.open_or_create(&request, freshness)?,
    };
    if let Some(note) = &opened.note {
        render::note(&format!("warning: {note}"));
    }
    let mut outlook = Outlook::Open;
    if opened.existed {
        outlook = Outlook::of(context, &opened.files)?;
        let id = &opened.files.plan.id;
        let (made, held) = match context.workspace.is_found(&opened.files)? {
            false => ("this command made it before", "this command held it before"),
            true => (NOT_MADE_HERE, NOT_MADE_HERE),
        };
        render::note(&match outlook {
            Outlook::Open => format!("going on with {id} ({made}; --new holds another)"),
            Outlook::Over => format!("{id} is over, and nobody is asked ({held}; --new holds another)"),
        });
    }
    let allowed = Allowed::of_request(&request)?;
    announce(context, &opened.files, outlook, &allowed)?;
    // Under AO only those are asked whom the user has typed.
    let is_asked = |hand: &Hand| !hand.is_agent() || request.seats.iter().any(|(_, typed)| typed == hand);
    let asks = !by_sessions || opened.files.plan.seats.iter().all(|seat| is_asked(&seat.hand));
    let settings = RunSettings {
        parallel: settings::parallel(args.parallel, context),
        calls: if asks { Calls::Made } else { Calls::None },
        retry_absent: false,
        tidies_up: opened.existed,
        allowed: Some(allowed),
        ..run_settings(context)
    };
    drive(context, opened.files, settings, args.json)
}

fn go_on(context: &Context<'_>, args: &RunArgs) -> Result<Exit, EngineError> {
    let typed = settings::caps(&args.limits).map_err(EngineError::Usage)?;
    let allow = |plan: &Plan| {
        let allowed = context.configuration.allowed(plan)?;
        let caps = typed.or(allowed.caps);
        let rehearsal = allowed.rehearsal && !args.no_rehearsal;
        Ok(Allowed { caps, commands: args.allow_commands, reseats: args.agent.is_some(), rehearsal, ..allowed })
    };
    if args.adopt && !args.fork {
        let found = context.workspace.open(&args.debate)?;
        context.workspace.adopt_debate(&found, Some(&allow(&found.plan)?))?;
    }
    let mut files = match args.fork {
        true => context.workspace.fork(&args.debate, Forking { anew: typed, adopts: args.adopt }, Some(&allow))?,
        false => context.workspace.open(&args.debate)?,
    };
    if let Some(agent) = &args.agent {
        files = match is_automatic(agent) {
            true => {
                let found = seating::for_plan(context, &files.plan, args.no_rehearsal)?;
                context.workspace.seat_anew(&files.layout.plan(), &found)?
            }
            false => context.workspace.reseat(&files.layout.plan(), &Hand::parse(agent))?,
        };
    }
    let allowed = allow(&files.plan)?;
    if args.fork {
        render::note(&format!("forked into {}", files.layout.plan()));
    }
    let by_sessions = context.environment.ao.is_active() && args.agent.is_none();
    if by_sessions && args.retry_absent && files.plan.seats.iter().any(|seat| seat.hand.is_agent()) {
        return Err(EngineError::Usage(format!(
            "--retry-absent: under AO forge asks nobody itself, and the plan has agents in its seats. In a shell without AO's variables: forge debate run {} --retry-absent",
            files.plan.id
        )));
    }
    let outlook = if args.retry_absent { Outlook::Open } else { Outlook::of(context, &files)? };
    announce(context, &files, outlook, &allowed)?;
    let settings = RunSettings {
        parallel: settings::parallel(args.parallel, context),
        calls: if by_sessions { Calls::None } else { Calls::Made },
        retry_absent: args.retry_absent,
        tidies_up: true,
        allowed: Some(allowed),
        ..run_settings(context)
    };
    drive(context, files, settings, args.json)
}

/// A run as the configuration wants it.
pub(crate) fn run_settings(context: &Context<'_>) -> RunSettings {
    let defaults = &context.configuration.defaults;
    RunSettings { max_output_tokens: defaults.max_output_tokens.unwrap_or(MAX_OUTPUT_TOKENS), ..RunSettings::default() }
}

/// Whether anybody is still to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outlook {
    /// Somebody may be.
    Open,
    /// Nobody is: the verdict is there.
    Over,
}

impl Outlook {
    fn of(context: &Context<'_>, files: &DebateFiles) -> Result<Self, EngineError> {
        let is_over = context.workspace.survey(files)?.verdict.is_some();
        Ok(if is_over { Outlook::Over } else { Outlook::Open })
    }
}

/// Says what is about to happen and what it may cost, before anyone is asked.
pub(crate) fn announce(
    context: &Context<'_>,
    files: &DebateFiles,
    outlook: Outlook,
    allowed: &Allowed,
) -> Result<(), EngineError> {
    let plan = &files.plan;
    let bounds = match outlook {
        Outlook::Open => Some(context.workspace.bounds(files, allowed)?),
        Outlook::Over => None,
    };
    render::note(&format!("{}  {}", plan.protocol, render::one_line(&plan.question, 120)));
    let mut hands: Vec<(String, Vec<&str>)> = Vec::new();
    for seat in &plan.seats {
        let hand = seat.hand.to_string();
        match hands.iter_mut().find(|(name, _)| *name == hand) {
            Some((_, seats)) => seats.push(seat.id.as_str()),
            None => hands.push((hand, vec![seat.id.as_str()])),
        }
    }
    for (hand, seats) in hands {
        render::note(&format!("  seats    {} ({hand})", seats.join(", ")));
    }
    for one in bounds.iter().flat_map(|bounds| &bounds.lowered) {
        let Difference { what, plan, yours } = one;
        render::note(&format!("  limit    {what} is {yours}, as you allow; the plan says {plan}"));
    }
    let replaced = context.workspace.replaced(files)?;
    if outlook == Outlook::Open {
        announce_cost(context, files, bounds.as_ref().and_then(|bounds| bounds.limits.max_cost))?;
        let sent = dry_run::egress::sent(plan, &files.texts, replaced.clone());
        for line in dry_run::egress::files_sent(context, plan, &sent)? {
            render::note(&format!("  sends    {line}"));
        }
    }
    render::note(&format!("  plan     {}", files.layout.plan()));
    if let Some(text) = summary::replaced(&replaced) {
        render::note(&format!("  REPLACED: {text}"));
    }
    if plan.is_rehearsal() {
        render::note("  REHEARSAL: no model is asked. `forge agents` shows which agents there are and how to get one");
    }
    Ok(())
}

fn announce_cost(context: &Context<'_>, files: &DebateFiles, max_cost: Option<u64>) -> Result<(), EngineError> {
    let plan = &files.plan;
    let max_output_tokens = run_settings(context).max_output_tokens;
    let estimate = Estimate::of(&context.workspace, plan, files.protocol, &files.texts, max_output_tokens)?;
    render::note(&format!(
        "  cost     {}..{} calls, and one repair for a reply that misses its form",
        estimate.total.min_calls, estimate.total.max_calls
    ));
    if !plan.is_rehearsal() {
        let (least, most) = estimate.tokens;
        render::note(&format!("  tokens   about {least} to {most}"));
        let lines = money::lines(&estimate, max_cost, LABEL_WIDTH);
        lines.iter().for_each(|line| render::note(&format!("  {line}")));
    }
    let phases = (plan.protocol.phases)(plan);
    if !phases.is_empty() {
        let line = |what: &str, least: u32, most: u32| {
            render::note(&format!("             {what:<42} {least:>3} .. {most:<3}"))
        };
        render::note(&format!("           {}", dry_run::phases_title(plan)));
        phases.iter().for_each(|phase| line(phase.phase, phase.min_calls, phase.max_calls));
        render::note("           as forge counts and caps them");
        estimate.stages.iter().for_each(|stage| line(stage.stage, stage.min_calls, stage.max_calls));
    }
    Ok(())
}

fn drive(context: &Context<'_>, files: DebateFiles, settings: RunSettings, as_json: bool) -> Result<Exit, EngineError> {
    let shown = context.workspace.open(&files.layout.plan())?;
    let mut end = run_to_end(context, files, settings.clone())?;
    // What sessions left in worktrees of their own is looked for while they are waited for.
    for _ in 0..collect::LOOKS_LIMIT {
        let waits = matches!(end, Some(RunEnd::Waiting { .. })) && context.environment.ao.is_active();
        if !waits || !collect::from_sessions(context, &shown.plan.id)? {
            break;
        }
        let files = context.workspace.open(&shown.layout.plan())?;
        end = run_to_end(context, files, RunSettings { retry_absent: false, ..settings.clone() })?;
    }
    match end {
        None => Ok(Exit::Interrupted),
        Some(RunEnd::Concluded(account)) => {
            context.name_origin(&shown)?;
            let account = context.told(*account);
            let exit = conclude(context, &shown, RunEnd::Concluded(Box::new(account.clone())), as_json);
            let is_asked = account.verdict.outcome() == Outcome::Contested && account.plan.protocol.asks_person;
            if is_asked && !as_json && asking::can_ask() && context.workspace.host.is_none() {
                asking::decide(context, &account, exit)
            } else {
                Ok(exit)
            }
        }
        Some(end) => Ok(conclude(context, &shown, end, as_json)),
    }
}

/// Runs a debate with its progress on standard error. `None` if it was stopped by a signal.
pub(crate) fn run_to_end(
    context: &Context<'_>,
    files: DebateFiles,
    settings: RunSettings,
) -> Result<Option<RunEnd>, EngineError> {
    let id = files.plan.id.clone();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| EngineError::Bug(format!("no runtime: {error}")))?;
    let progress = Progress::new();
    let vault = vote::existing_vault(context)?;
    let run =
        Run::new(&context.workspace, settings, &progress).revealing(vault.as_ref().map(|vault| vault as &dyn Disk));
    let end = runtime.block_on(async {
        tokio::select! {
            end = run.opened(files) => Some(end),
            () = stopped() => None,
        }
    });
    // Calls under way were dropped with the run; what they would have said is asked again by the next one. The programs that
    // they started are ended before forge is.
    context.workspace.roster.rest();
    runtime.block_on(forge_agents::keeper::all_ended(KEEPERS_LIMIT));
    runtime.shutdown_background();
    if end.is_none() {
        render::note(&format!("stopped. What was recorded is safe; go on with: forge debate run {id}"));
    }
    end.transpose()
}

#[cfg(unix)]
async fn stopped() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        },
        Err(_) => drop(tokio::signal::ctrl_c().await),
    }
}

#[cfg(not(unix))]
async fn stopped() {
    drop(tokio::signal::ctrl_c().await);
}

fn conclude(context: &Context<'_>, files: &DebateFiles, end: RunEnd, as_json: bool) -> Exit {
    match end {
        RunEnd::Concluded(account) => {
            if as_json {
                render::json(&verdict::json(&account));
            } else {
                render::out(&format!("\n{}", render::verdict(&account, context.style)));
                if account.verdict.outcome() == Outcome::Contested && account.plan.protocol.asks_person {
                    render::out(&render::safe(&result::user_prompt(&account)));
                }
            }
            Exit::from(account.verdict.outcome())
        }
        RunEnd::Held(account) => {
            if as_json {
                render::json(&verdict::json(&account));
            } else {
                render::out(&format!("\n{}", render::verdict(&account, context.style)));
            }
            Exit::Blocked
        }
        RunEnd::Waiting { open, handed_in, held_back, sealed, account } => {
            let waits = Waits { files, open: &open, handed_in: &handed_in, held_back: &held_back, sealed: &sealed };
            let more = waits.to_be_spawned(context);
            if as_json {
                let names = |seats: &[SeatId]| seats.iter().map(ToString::to_string).collect::<Vec<_>>();
                let mut told = json!({
                    "debate": account.plan.id, "status": waits.status(&account),
                    "waiting_for": waits.json(), "handed_in": names(&handed_in), "held_back": names(&held_back),
                    "spent": verdict::spent(&account.spent), "plan_file": account.plan_file,
                });
                if account.plan.options.is_empty() {
                    told["needs"] = json!("options");
                }
                more.json.into_iter().for_each(|(key, value)| told[key] = value);
                render::json(&told);
            } else {
                waits.show();
                more.print(context.style);
            }
            Exit::Blocked
        }
        RunEnd::NeedsOptions { plan_file, why } => {
            let exit = if why.is_some() { Exit::Insufficient } else { Exit::Blocked };
            if as_json {
                render::json(&json!({
                    "debate": files.plan.id, "status": "pending", "needs": "options", "why": why, "plan_file": plan_file,
                }));
            } else {
                if let Some(why) = &why {
                    render::out(&render::safe(&format!("INSUFFICIENT: no options: {why}")));
                    render::out(&format!("  next       ask again: forge debate run {} --retry-absent", files.plan.id));
                }
                render::out(&format!(
                    "WAITING for options: list at least {} in {plan_file}",
                    files.plan.protocol.fewest_options
                ));
                render::out(&format!("  next       then: forge debate run {}", files.plan.id));
            }
            exit
        }
    }
}

/// Who is waited for.
struct Waits<'a> {
    files: &'a DebateFiles,
    open: &'a [OpenAsk],
    handed_in: &'a [SeatId],
    held_back: &'a [SeatId],
    sealed: &'a [(SeatId, String)],
}

impl Waits<'_> {
    fn since(&self, seat: &SeatId) -> Option<&str> {
        self.sealed.iter().find(|(one, _)| one == seat).map(|(_, since)| since.as_str())
    }

    /// Running is at least one file with words in it.
    fn status(&self, account: &Account) -> &'static str {
        let is_begun = |open: &OpenAsk| matches!(open.found, Found::NotYet { has_words: true, .. });
        let spoke = account.turns.iter().any(|turn| turn.text.is_some());
        if spoke || !self.handed_in.is_empty() || self.open.iter().any(is_begun) { "running" } else { "pending" }
    }

    fn json(&self) -> Vec<Value> {
        let one = |open: &OpenAsk| {
            let key = &open.ask.key;
            json!({
                "seat": key.seat.as_str(), "stage": key.stage.0, "round": key.round,
                "file": self.files.turn_path(key), "sealed_since": self.since(&key.seat),
            })
        };
        self.open.iter().map(one).collect()
    }

    /// Under AO: the lines that spawn the sessions that are waited for. People are asked elsewhere.
    fn to_be_spawned(&self, context: &Context<'_>) -> Followed {
        if !context.environment.ao.is_active() {
            return Followed::default();
        }
        let hand_of = |open: &OpenAsk| self.files.plan.seat(&open.ask.key.seat).map(|seat| &seat.hand);
        let open = self.open.iter().filter(|open| hand_of(open) != Some(&Hand::Human));
        let waiting: Vec<Waiting> = open
            .map(|open| Waiting {
                seat: open.ask.key.seat.to_string(),
                is_agent: hand_of(open).is_some_and(Hand::is_agent),
                turn_file: self.files.turn_path(&open.ask.key),
                brief_file: Some(self.files.outside_brief_path(&open.ask.key)),
            })
            .collect();
        let (plan, plan_file) = (&self.files.plan, self.files.layout.plan());
        let again = format!("forge debate run {}", plan.id);
        let awaited =
            Awaited { id: &plan.id, protocol: plan.protocol, plan_file: &plan_file, waiting: &waiting, again: &again };
        ao::spawn(context, &awaited)
    }

    fn show(&self) {
        let id = &self.files.plan.id;
        let seats: Vec<&SeatId> = self.open.iter().map(|open| &open.ask.key.seat).collect();
        let names = |seats: &[&SeatId]| seats.iter().map(|seat| seat.as_str()).collect::<Vec<_>>().join(", ");
        let is_human = |seat: &&&SeatId| self.files.plan.seat(seat).is_some_and(|seat| seat.hand == Hand::Human);
        let voters: Vec<&SeatId> =
            seats.iter().filter(is_human).filter(|seat| self.since(seat).is_none()).copied().collect();
        render::out(&format!("WAITING for {}", names(&seats)));
        for open in self.open {
            let key = &open.ask.key;
            match self.since(&key.seat) {
                Some(since) if voters.is_empty() => {
                    render::out(&format!(
                        "  {:<10} sealed since {since}; its words are not on this machine",
                        key.seat.as_str()
                    ));
                    render::out(&format!("  {:<10} reveal: forge debate vote {id} --reveal, where it was sealed", ""));
                    let lost = vote::how_to_take_back(id, key.seat.as_str());
                    render::out(&format!("  {:<10} if they are lost: {lost}", ""));
                }
                Some(since) => render::out(&format!("  {:<10} sealed since {since}", key.seat.as_str())),
                None => {
                    render::out(&format!("  {:<10} {}", key.seat.as_str(), self.files.turn_path(key)));
                    render::out(&format!("  {:<10} brief: {}", "", self.files.outside_brief_path(key)));
                }
            }
        }
        if !self.handed_in.is_empty() {
            let here: Vec<&SeatId> = self.handed_in.iter().collect();
            render::out(&format!("  here       {}: not on record yet, and may still be changed", names(&here)));
        }
        if !voters.is_empty() {
            render::out(&format!("  vote       forge debate vote {id} <option> --because WHY"));
        }
        if !self.held_back.is_empty() {
            let (votes, sealed) = if voters.len() == 1 { ("votes", "the vote is") } else { ("vote", "the votes are") };
            let agents: Vec<&SeatId> = self.held_back.iter().collect();
            render::out(&format!(
                "  {} {votes} first: agents ({}) are asked once {sealed} sealed",
                names(&voters),
                names(&agents)
            ));
        }
        if self.files.plan.options.is_empty() {
            let (least, plan) = (self.files.plan.protocol.fewest_options, self.files.layout.plan());
            render::out(&format!("  options    or list at least {least} yourself in {plan}"));
        }
        render::out(&format!("  next       when they have written: forge debate run {id}"));
        let hand = |open: &OpenAsk| self.files.plan.seat(&open.ask.key.seat).map(|seat| seat.hand.clone());
        let is_outside = |open: &OpenAsk| hand(open).is_none_or(|hand| hand == Hand::Outside);
        if self.open.iter().any(is_outside) {
            render::out(&format!("  subagents  forge turn next {id} gives the seats out"));
        }
    }
}

/// Reads the files that the flags name.
fn supplied(context: &Context<'_>, args: &DebateArgs) -> Result<Supplied, EngineError> {
    let mut supplied = Supplied { defaults: context.configuration.defaults.clone(), ..Supplied::default() };
    for (index, path) in args.context.iter().enumerate() {
        if !is_sent(context, "--context", index, &args.context)? {
            continue;
        }
        let bytes = read_named(path, MATERIAL_LIMIT_BYTES as u64)?;
        let decoded = document::decode(&bytes);
        if let Some(problem) = decoded.problems.first() {
            let text =
                format!("--context {}: line {}: {}; give a text file", path.display(), problem.line, problem.text);
            return Err(EngineError::Usage(text));
        }
        let text = redacted(&decoded.text);
        if text != decoded.text {
            render::note(&format!(
                "--context {}: what looks like a key was removed before anyone reads it",
                path.display()
            ));
        }
        let name = another_name(&supplied.materials, name_among(path, &args.context));
        supplied.materials.push(Material { name, text });
    }
    if let Some(folder) = &args.personas {
        supplied.personas = personas_in(context, folder)?;
    }
    for (index, path) in args.from.iter().enumerate() {
        if let Some(other) = args.from.iter().find(|other| *other != path) {
            let text = format!("--from {} --from {}: expected one question file", path.display(), other.display());
            return Err(EngineError::Usage(text));
        }
        if !is_sent(context, "--from", index, &args.from)? {
            continue;
        }
        let decoded = document::decode(&read_named(path, MATERIAL_LIMIT_BYTES as u64)?);
        if let Some(problem) = decoded.problems.first() {
            let text = format!("--from {}: line {}: {}", path.display(), problem.line, problem.text);
            return Err(EngineError::Usage(text));
        }
        let text = decoded.text;
        let read = question::read(&text)
            .map_err(|problem| EngineError::Usage(format!("--from {}: {problem}", path.display())))?;
        if !read.unused.is_empty() {
            render::note(&format!("--from {}: not used: {}", path.display(), read.unused.join(", ")));
        }
        let name = format!("--from {}", path.display());
        let (defaults, passed_over) =
            context.configuration.with_question_file(&name, &read.config).map_err(|problems| {
                EngineError::Usage(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
            })?;
        passed_over.iter().for_each(|remark| render::note(&format!("warning: {remark}")));
        let protocol = args.protocol.as_ref().unwrap_or(&defaults.protocol);
        let uses_it = |protocol: &Profile| protocol.settings == Some(question::CONFIG);
        if !read.config.is_empty() && !protocols::newest(protocol).is_ok_and(|rules| uses_it(&rules.profile)) {
            let owner = Protocols::default().name_where(uses_it);
            render::note(&format!("{name}: {} is for {owner}; {protocol} does not use it", question::CONFIG));
        }
        supplied.defaults = defaults;
        supplied.question = Some(read);
    }
    Ok(supplied)
}

/// The Markdown files of the folder that `--personas` names. What usually holds secrets, and what the repository leaves out,
/// is sent to nobody.
fn personas_in(context: &Context<'_>, folder: &Path) -> Result<Vec<PersonaFile>, EngineError> {
    let usage = |text: String| EngineError::Usage(text);
    let shown = folder.display();
    let entries = std::fs::read_dir(folder).map_err(|error| {
        usage(format!("--personas {shown}: {error}; expected a folder with one file per challenger"))
    })?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    let name_of = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_for = |path: &PathBuf, name: &str| name_of(path).eq_ignore_ascii_case(name);
    paths.retain(|path| {
        let seats = protocols::ALL.iter().flat_map(|protocol| protocol.profile.fixed_seats());
        let personas = seats.filter_map(|seat| Some([format!("{}.md", seat.id), seat.persona?.to_owned()]));
        personas.flatten().any(|name| is_for(path, &name))
    });
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let (shown, name) = (path.display().to_string(), name_of(&path));
        if let Some(why) = outgoing::held_back(&path, context.workspace.locks.root()) {
            return Err(usage(format!("--personas {shown}: {why}, so it is sent to nobody; move it elsewhere")));
        }
        let decoded = document::decode(&read_named(&path, MATERIAL_LIMIT_BYTES as u64)?);
        if let Some(problem) = decoded.problems.first() {
            let text = format!("--personas {shown}: line {}: {}; give a text file", problem.line, problem.text);
            return Err(usage(text));
        }
        let text = redacted(&decoded.text);
        if text != decoded.text {
            render::note(&format!("--personas {shown}: what looks like a key was removed before anyone reads it"));
        }
        files.push(PersonaFile { path: shown, name, text });
    }
    Ok(files)
}

/// Whether a file that the user names is sent. What usually holds secrets and what the repository leaves out is sent only when
/// it is named twice, and then once; never what a link of the repository leads to.
fn is_sent(context: &Context<'_>, flag: &str, index: usize, named: &[PathBuf]) -> Result<bool, EngineError> {
    let path = &named[index];
    let name = path.display();
    let before = named[..index].iter().filter(|other| *other == path).count();
    let Some(why) = outgoing::held_back(path, context.workspace.locks.root()) else {
        return Ok(before == 0 || flag == "--context");
    };
    // A link of the repository leads where its author wanted: that is not what was typed, however often.
    if let Some(real) = outgoing::linked_to(path, context.workspace.locks.root()) {
        let real = real.display();
        return Err(EngineError::Usage(format!(
            "{flag} {name}: {why}, so it is sent to nobody; a link of this folder leads from there to {real}. If you mean that file, name it itself, twice: {flag} {real} {flag} {real}"
        )));
    }
    if before > 0 {
        render::note(&format!("{flag} {name}: {why}; it is named twice, so it is sent all the same"));
        return Ok(before == 1);
    }
    if named[index + 1..].contains(path) {
        return Ok(false);
    }
    Err(EngineError::Usage(format!(
        "{flag} {name}: {why}, so it is sent to nobody; if you mean it, name it twice: {flag} {name} {flag} {name}"
    )))
}

/// The name of a supplied file: its own, with its folder's where another file is called the same.
fn name_among(path: &Path, all: &[PathBuf]) -> String {
    let own = path.file_name().map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy());
    let is_alone = all.iter().filter(|other| other.file_name() == path.file_name()).count() < 2;
    match path.parent().and_then(Path::file_name) {
        Some(folder) if !is_alone => format!("{}/{own}", folder.to_string_lossy()),
        _ => own.into_owned(),
    }
}

/// A name that no other supplied text has: seats quote by name, and two texts of one name could not be told apart.
fn another_name(others: &[Material], name: String) -> String {
    let taken = |name: &str| others.iter().any(|other| other.name == name);
    let numbered = (2..).map(|number| format!("{name} ({number})"));
    std::iter::once(name.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(name)
}
