//! Inside a host, an agent's own shell, whatever is typed may be a model's idea. What runs a program of the typist's choice, or
//! speaks for the user, is then refused, unless the user's own configuration allows it.

use super::{Context, config};
use crate::args::{Command, DebateAction, DebateArgs, InstallHost, PhaseArgs, RunArgs, TurnAction, VoteArgs};
use crate::environment::Environment;
use crate::settings;
use forge_debate::plan::Hand;
use forge_engine::config::Resolved;
use forge_engine::{Caps, EngineError};

/// The key that allows it.
const KEY: &str = "inside_host.allow";

/// Refuses a command that only the user may type, where a host may have typed it.
pub(crate) fn check(context: &Context<'_>, command: &Command) -> Result<(), EngineError> {
    let Some(host) = &context.environment.host else { return Ok(()) };
    let Some(what) = reserved(context, command)? else { return Ok(()) };
    if is_allowed(context) {
        return Ok(());
    }
    Err(EngineError::Usage(format!(
        "{what}: this runs inside {} ({} is set), and that is for you to say. Type it in a terminal of your own; or allow it once and for all with {{\"inside_host\": {{\"allow\": true}}}} in {}",
        host.name,
        host.variable,
        config::users_name(context.environment)
    )))
}

/// Whether whoever types may speak for the user here.
pub(crate) fn may_speak(context: &Context<'_>) -> bool {
    context.environment.host.is_none() || is_allowed(context)
}

/// The host that may not speak for people, if one runs this.
pub(crate) fn reserving(environment: &Environment, configuration: &Resolved) -> Option<String> {
    let host = environment.host.as_ref()?;
    let is_allowed = configuration.value(KEY).is_some_and(|chosen| chosen.value == true);
    (!is_allowed).then(|| host.name.to_string())
}

/// Commands that only look at files have not read the configuration.
fn is_allowed(context: &Context<'_>) -> bool {
    let read = config::read(context.workspace.disk.as_ref(), context.environment);
    read.value(KEY).is_some_and(|chosen| chosen.value == true)
}

/// What of a command is reserved, in the words that were typed.
fn reserved(context: &Context<'_>, command: &Command) -> Result<Option<String>, EngineError> {
    Ok(match command {
        Command::Debate(args) => match &args.action {
            None if args.status || args.regenerate => None,
            None => debate(context, args)?,
            Some(DebateAction::Run(args)) => run(context, args)?,
            Some(DebateAction::Decide(_)) => Some("forge debate decide".to_owned()),
            Some(DebateAction::Vote(args)) => vote(args),
            Some(
                DebateAction::Status(_)
                | DebateAction::Show(_)
                | DebateAction::List(_)
                | DebateAction::Regenerate(_)
                | DebateAction::Restore(_)
                | DebateAction::Collect(_),
            ) => None,
        },
        Command::Turn(args) => match &args.action {
            TurnAction::Next(_) | TurnAction::Absent(_) => None,
            TurnAction::Submit(args) => {
                let files = context.workspace.open(&args.debate).ok();
                let is_person =
                    |seat: &forge_debate::plan::Seat| seat.id.as_str() == args.seat && seat.hand == Hand::Human;
                let is_persons = files.is_some_and(|files| files.plan.seats.iter().any(is_person));
                is_persons.then(|| format!("forge turn submit for {}, which is a person's seat", args.seat))
            }
        },
        Command::Install(args) => {
            let InstallHost::Claude(args) = &args.host;
            (!args.check && !args.dry_run).then(|| "forge install".to_owned())
        }
        Command::Tripwires(args) if args.run_commands => Some("--run-commands".to_owned()),
        Command::Continue(args) if args.allow_commands => Some("--allow-commands".to_owned()),
        Command::Continue(args) if args.allow_rehearsal => Some("--allow-rehearsal".to_owned()),
        Command::Continue(args) => agent(context, args.agent.as_deref())
            .or_else(|| raised("--parallel", args.parallel, said_parallel(context))),
        Command::Brainstorm(args)
        | Command::Research(args)
        | Command::Design(args)
        | Command::Plan(args)
        | Command::Test(args)
        | Command::Build(args)
        | Command::Validate(args)
        | Command::Review(args)
        | Command::Learn(args) => phase(context, args),
        Command::Enter(args) => phase(context, &args.args),
        Command::Start(_)
        | Command::Status(_)
        | Command::Save(_)
        | Command::Restore(_)
        | Command::Task(_)
        | Command::Gate(_)
        | Command::Decisions(_)
        | Command::Tripwires(_)
        | Command::Phases(_)
        | Command::Verify(_)
        | Command::Classify(_)
        | Command::Agents(_)
        | Command::Doctor(_)
        | Command::Show(_)
        | Command::Export(_)
        | Command::Config(_)
        | Command::Hook(_) => None,
    })
}

fn debate(context: &Context<'_>, args: &DebateArgs) -> Result<Option<String>, EngineError> {
    let seats = args.seats.iter().filter_map(|text| text.split_once('=')).map(|(_, hand)| hand);
    let caps = Caps {
        max_calls: args.max_calls,
        max_tokens: args.max_tokens,
        max_cost: args.max_cost.as_deref().map(settings::max_cost).transpose().map_err(EngineError::Usage)?,
        timeout_seconds: args.timeout.as_deref().map(settings::seconds).transpose().map_err(EngineError::Usage)?,
    };
    let protocol = args.protocol.as_deref().unwrap_or(&context.configuration.defaults.protocol);
    let named = std::iter::once(args.agent.as_deref()).chain(seats.map(Some)).find_map(|hand| agent(context, hand));
    Ok(named
        .or_else(|| raised_caps(context, caps, protocol))
        .or_else(|| raised("--parallel", args.parallel, said_parallel(context))))
}

fn run(context: &Context<'_>, args: &RunArgs) -> Result<Option<String>, EngineError> {
    if args.allow_commands {
        return Ok(Some("--allow-commands".to_owned()));
    }
    if args.adopt {
        return Ok(Some("--adopt".to_owned()));
    }
    let caps = settings::caps(args).map_err(EngineError::Usage)?;
    let protocol = context.workspace.open(&args.debate).map(|files| files.plan.protocol).unwrap_or_default();
    Ok(agent(context, args.agent.as_deref())
        .or_else(|| raised_caps(context, caps, &protocol))
        .or_else(|| raised("--parallel", args.parallel, said_parallel(context))))
}

fn phase(context: &Context<'_>, args: &PhaseArgs) -> Option<String> {
    agent(context, args.agent.as_deref())
}

/// Looking and revealing say nothing in anybody's name.
fn vote(args: &VoteArgs) -> Option<String> {
    let speaks = args.option.is_some() || args.file.is_some() || args.withdraw;
    speaks.then(|| "forge debate vote".to_owned())
}

/// An agent that runs or reads what whoever types chooses, typed as a flag or in the environment.
fn agent(context: &Context<'_>, typed: Option<&str>) -> Option<String> {
    let variable = context.environment.variables.get("FORGE_AGENT").map(|name| (name.as_str(), "FORGE_AGENT"));
    let (name, by) = typed.map(|name| (name, "--agent")).or(variable)?;
    let is_command = context.workspace.roster.settings().is_own_command(name);
    (is_command || forge_agents::command_in(name).is_some()).then(|| format!("{by} {name}"))
}

fn raised_caps(context: &Context<'_>, typed: Caps, protocol: &str) -> Option<String> {
    let said = context.configuration.caps(protocol);
    raised("--max-calls", typed.max_calls, said.max_calls)
        .or_else(|| raised("--max-tokens", typed.max_tokens, said.max_tokens))
        .or_else(|| raised("--max-cost", typed.max_cost, said.max_cost))
        .or_else(|| raised("--timeout", typed.timeout_seconds, said.timeout_seconds))
}

fn said_parallel(context: &Context<'_>) -> Option<usize> {
    let said = context.configuration.value("parallel")?;
    (said.origin != forge_engine::config::Origin::Default).then_some(context.configuration.defaults.parallel)
}

/// A limit that is typed higher than it is configured.
fn raised<N: Ord>(flag: &str, typed: Option<N>, said: Option<N>) -> Option<String> {
    (typed? > said?).then(|| format!("{flag} above what is configured"))
}
