//! What a command says that may be the user's alone; the engine tells whether it is.

use super::{Context, config};
use crate::args::{Command, DebateAction, DebateArgs, PhaseArgs, RunArgs, TurnAction};
use crate::settings;
use forge_debate::profile::Profile;
use forge_debate::protocols;
use forge_debate::voting::Threshold;
use forge_engine::EngineError;
use forge_engine::config::{Chosen, Origin};
use forge_engine::reserved::{Said, Shell};
use std::path::PathBuf;

/// Refuses a command that only the user may type, where a host may have typed it.
pub(crate) fn check(context: &Context<'_>, command: &Command) -> Result<(), EngineError> {
    let Some(host) = &context.environment.host else { return Ok(()) };
    let protocol = match command {
        Command::Debate(args) => protocol(context, args),
        _ => &protocols::DEFAULT.profile,
    };
    let said = said(context, command, protocol).map_err(EngineError::Usage)?;
    let settings = config::users_name(context.environment);
    let shell = Shell { variable: host.variable, settings: &settings };
    context.workspace.refuse_reserved(&said, &context.configuration, shell)
}

/// The rules of the debate that a command is about.
fn protocol(context: &Context<'_>, args: &DebateArgs) -> &'static Profile {
    match &args.action {
        Some(DebateAction::Run(args)) => {
            context.workspace.open(&args.debate).map_or(&protocols::DEFAULT.profile, |files| files.plan.protocol)
        }
        _ => {
            let name = args.protocol.as_ref().unwrap_or(&context.configuration.defaults.protocol);
            protocols::newest(name).map_or(&protocols::DEFAULT.profile, |rules| &rules.profile)
        }
    }
}

fn said<'a>(
    context: &'a Context<'_>,
    command: &'a Command,
    protocol: &'static Profile,
) -> Result<Vec<Said<'a>>, String> {
    Ok(match command {
        Command::Debate(args) => match &args.action {
            None if args.status || args.regenerate => Vec::new(),
            None => debate(context, args, protocol)?,
            Some(DebateAction::Run(args)) => run(context, args, protocol)?,
            Some(DebateAction::Decide(_)) => vec![Said::Word("forge debate decide")],
            // Looking and revealing say nothing in anybody's name.
            Some(DebateAction::Vote(args)) => {
                words([(args.option.is_some() || args.file.is_some() || args.withdraw, "forge debate vote")])
            }
            Some(
                DebateAction::Status(_)
                | DebateAction::Show(_)
                | DebateAction::List(_)
                | DebateAction::Regenerate(_)
                | DebateAction::Restore(_)
                | DebateAction::Collect(_),
            ) => Vec::new(),
        },
        Command::Turn(args) => match &args.action {
            TurnAction::Next(_) | TurnAction::Absent(_) => Vec::new(),
            TurnAction::Submit(args) => vec![Said::Turn { debate: &args.debate, seat: &args.seat }],
        },
        Command::Install(args) => words([(!args.check && !args.dry_run, "forge install")]),
        Command::Tripwires(args) => words([(args.run_commands, "--run-commands"), (args.trip.is_some(), "--trip")]),
        Command::Start(args) => words([(args.abandon, "--abandon")]),
        Command::Restore(args) => words([(args.adopt.is_some(), "--adopt")]),
        Command::Export(args) => words([(args.force, "--force")]),
        Command::Doctor(args) if args.probe => {
            let named = args.agents.iter().map(|name| Said::Agent { by: "--probe", name });
            if args.agents.is_empty() { vec![Said::Commands("--probe")] } else { named.collect() }
        }
        Command::Continue(args) => {
            let mut said =
                words([(args.allow_commands, "--allow-commands"), (args.allow_rehearsal, "--allow-rehearsal")]);
            said.extend(agent(context, args.agent.as_deref()));
            said.extend(args.parallel.map(Said::Parallel));
            if args.run {
                said.extend(projects(context, "agent"));
                said.extend(projects(context, "seats."));
            }
            said
        }
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
        Command::Status(_)
        | Command::Save(_)
        | Command::Task(_)
        | Command::Gate(_)
        | Command::Decisions(_)
        | Command::Phases(_)
        | Command::Verify(_)
        | Command::Classify(_)
        | Command::Agents(_)
        | Command::Doctor(_)
        | Command::Show(_)
        | Command::Config(_)
        | Command::Hook(_) => Vec::new(),
    })
}

/// The flags that were typed.
fn words<'a, const N: usize>(flags: [(bool, &'a str); N]) -> Vec<Said<'a>> {
    flags.into_iter().filter(|(is_typed, _)| *is_typed).map(|(_, word)| Said::Word(word)).collect()
}

fn debate<'a>(
    context: &'a Context<'_>,
    args: &'a DebateArgs,
    protocol: &'static Profile,
) -> Result<Vec<Said<'a>>, String> {
    let seats = args.seats.iter().filter_map(|text| text.split_once('='));
    let mut said: Vec<Said<'a>> = agent(context, args.agent.as_deref()).into_iter().collect();
    said.extend(seats.map(|(_, name)| Said::Agent { by: "--seat", name }));
    // Where a flag names one, no file does.
    if args.agent.is_none() {
        said.extend(projects(context, "agent"));
        said.extend(projects(context, &format!("seats.{}.", protocol.name)));
    }
    said.push(Said::Caps(settings::caps(&args.limits)?, protocol));
    // What cannot be read is refused where it is used.
    let threshold = args.threshold.as_deref().and_then(Threshold::parse);
    said.push(Said::Rules { rounds: args.rounds, threshold, protocol });
    said.extend(args.parallel.map(Said::Parallel));
    let is_twice = |named: &[PathBuf]| named.iter().any(|path| named.iter().filter(|other| *other == path).count() > 1);
    said.extend(words([
        (is_twice(&args.context), "a --context that is named twice"),
        (is_twice(&args.from), "a --from that is named twice"),
    ]));
    Ok(said)
}

fn run<'a>(context: &'a Context<'_>, args: &'a RunArgs, protocol: &'static Profile) -> Result<Vec<Said<'a>>, String> {
    let mut said = words([(args.allow_commands, "--allow-commands"), (args.adopt, "--adopt")]);
    said.extend(agent(context, args.agent.as_deref()));
    said.push(Said::Caps(settings::caps(&args.limits)?, protocol));
    said.extend(args.parallel.map(Said::Parallel));
    Ok(said)
}

fn phase<'a>(context: &'a Context<'_>, args: &'a PhaseArgs) -> Vec<Said<'a>> {
    let mut said = words([(args.no_debate, "--no-debate")]);
    said.extend(agent(context, args.agent.as_deref()));
    said
}

/// Who was named, by flag or in the environment.
fn agent<'a>(context: &'a Context<'_>, typed: Option<&'a str>) -> Option<Said<'a>> {
    let variable = context.environment.variables.get("FORGE_AGENT").map(|name| (name.as_str(), "FORGE_AGENT"));
    let (name, by) = typed.map(|name| (name, "--agent")).or(variable)?;
    Some(Said::Agent { by, name })
}

/// Who is seated by the project's file, under keys that begin so.
fn projects<'a>(context: &'a Context<'_>, key: &str) -> Vec<Said<'a>> {
    let is_it = |chosen: &&Chosen| chosen.path.starts_with(key) && matches!(chosen.origin, Origin::Project(_));
    let seated = context.configuration.values.iter().filter(|chosen| chosen.names_an_agent()).filter(is_it);
    seated.filter_map(|chosen| Some(Said::Agent { by: &chosen.path, name: chosen.value.as_str()? })).collect()
}
