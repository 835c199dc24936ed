//! The commands. One file and one line each.

mod agents;
mod asking;
mod classify;
mod config;
mod debate;
mod doctor;
mod dry_run;
mod export;
mod gate;
mod hook;
mod host;
mod inspect;
mod install;
mod money;
mod turn;
mod verify;
mod vote;
mod workflow;

use crate::args::{Cli, Command, DebateAction};
use crate::environment::Environment;
use crate::exit::Exit;
use crate::failure::{Output, fail};
use crate::render::{self, Style};
use forge_agents::keeper::Keeper;
use forge_agents::{Roster, RosterSettings};
use forge_artifacts::disk::{Disk, Durability, LatePrivateDisk, WorkspaceDisk};
use forge_artifacts::formats::verdict::Account;
use forge_artifacts::git;
use forge_artifacts::stamp::Stamp;
use forge_artifacts::store::DebateFiles;
use forge_debate::protocols::Protocols;
use forge_engine::config::{Resolved, RosterParts};
use forge_engine::{Clock, EngineError, Workspace};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many folders upwards a project is looked for.
const FOLDERS_LIMIT: usize = 64;
/// Folders that say that forge is at work in the one that holds them.
const MARKS: [&str; 2] = [".claude/forge", "docs/forge"];
/// How often, every 10 ms, a seat that hands in tries again while another one does.
const TURN_PATIENCE: usize = 3000;
/// How many warnings about the configuration a command begins with that is about something else.
const WARNINGS_LIMIT: usize = 3;

/// What every command gets.
pub(crate) struct Context<'e> {
    pub(crate) workspace: Workspace,
    pub(crate) environment: &'e Environment,
    /// What the configuration says. Commands that neither ask nor seat anybody do not read it: here is what holds without.
    pub(crate) configuration: Resolved,
    pub(crate) style: Style,
}

impl Context<'_> {
    /// Who speaks here: as typed, else git's user, else the login name.
    pub(crate) fn speaker(&self, typed: Option<&str>) -> Option<String> {
        let environment = self.environment;
        let git = || {
            let folder = self.workspace.locks.root();
            git::user_name(folder, environment.home.as_deref(), environment.config_home.as_deref())
        };
        typed.map(str::to_owned).or_else(git).or_else(|| environment.user.clone())
    }

    /// Says above a verdict what is true here and not in the record: that nobody made its debate here, or typed its decision.
    pub(crate) fn name_origin(&self, files: &DebateFiles) -> Result<(), EngineError> {
        let gate = self.workspace.gate_opened(files, false)?;
        if let Some(origin) = gate.origin {
            render::note(&format!(
                "NOT MADE HERE: {origin}. If you stand by it: forge debate run {} --adopt",
                files.plan.id
            ));
        }
        if let Some(text) = gate.foreign_decision {
            render::note(&format!("NOT DECIDED HERE: {text}"));
        }
        Ok(())
    }

    /// An account for whoever sits here, with the steps as they must be typed.
    pub(crate) fn told(&self, account: Account) -> Account {
        let asks_for_name = account.verdict.outcome().needs_a_person() && self.speaker(None).is_none();
        Account { asks_for_name, ..account }
    }
}

/// Whether a command is about agents, so that the configuration is read and must be sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Concern {
    /// It asks or seats them.
    Agents,
    /// It says what is wrong with the configuration itself.
    Health,
    /// It looks at files only; in an editor's hook it has a few milliseconds.
    Files,
}

/// What a command is about.
fn concern(command: &Command) -> Concern {
    match command {
        Command::Debate(args) => match &args.action {
            None if args.status || args.regenerate => Concern::Files,
            None | Some(DebateAction::Run(_)) => Concern::Agents,
            Some(_) => Concern::Files,
        },
        Command::Agents(_) => Concern::Agents,
        // With a wrong setting it would ask somebody in another way than was meant.
        Command::Doctor(args) if args.probe => Concern::Agents,
        Command::Doctor(_) => Concern::Health,
        Command::Start(_)
        | Command::Brainstorm(_)
        | Command::Research(_)
        | Command::Design(_)
        | Command::Plan(_)
        | Command::Test(_)
        | Command::Build(_)
        | Command::Validate(_)
        | Command::Review(_)
        | Command::Learn(_)
        | Command::Enter(_)
        | Command::Continue(_)
        | Command::Restore(_) => Concern::Agents,
        Command::Tripwires(args) if args.trip.is_some() => Concern::Agents,
        _ => Concern::Files,
    }
}

/// Runs what was typed.
pub(crate) fn run(typed: Cli, environment: &Environment, output: Output) -> Exit {
    if !matches!(typed.command, Command::Hook(_)) {
        return run_here(typed, environment, output);
    }
    // Whoever forge asks itself is in no debate of a host's.
    if environment.variables.contains_key(forge_agents::keeper::MARK_VARIABLE) {
        return Exit::Done;
    }
    // A hook that fails holds nobody up, and a host takes 2 for a no.
    match run_here(typed, environment, output) {
        Exit::Done => Exit::Done,
        _ => Exit::Failed,
    }
}

fn run_here(typed: Cli, environment: &Environment, output: Output) -> Exit {
    let root = typed.workspace.unwrap_or_else(|| project_root(environment));
    let environment = &environment.within(&root);
    let context = match open(root, environment, concern(&typed.command)) {
        // Seats hand in at the same moment: each waits for the other.
        Ok(mut context) if matches!(typed.command, Command::Turn(_)) => {
            context.workspace.patience = TURN_PATIENCE;
            context
        }
        Ok(context) => context,
        Err(error) => return fail(&error, None, output),
    };
    if let Err(error) = host::check(&context, &typed.command) {
        return fail(&error, None, output);
    }
    let done = match typed.command {
        Command::Start(args) => workflow::start::run(&context, &args),
        Command::Brainstorm(args) => workflow::phase::run(&context, "brainstorm", &args),
        Command::Research(args) => workflow::phase::run(&context, "research", &args),
        Command::Design(args) => workflow::phase::run(&context, "design", &args),
        Command::Plan(args) => workflow::phase::run(&context, "plan", &args),
        Command::Test(args) => workflow::phase::run(&context, "test", &args),
        Command::Build(args) => workflow::phase::run(&context, "build", &args),
        Command::Validate(args) => workflow::phase::run(&context, "validate", &args),
        Command::Review(args) => workflow::phase::run(&context, "review", &args),
        Command::Learn(args) => workflow::phase::run(&context, "learn", &args),
        Command::Enter(args) => workflow::phase::run(&context, &args.phase, &args.args),
        Command::Continue(args) => workflow::go_on::run(&context, &args),
        Command::Status(args) => workflow::status::run(&context, &args),
        Command::Save(args) => workflow::snapshots::save(&context, &args),
        Command::Restore(args) => workflow::snapshots::restore(&context, &args),
        Command::Task(args) => workflow::task::run(&context, &args),
        Command::Decisions(args) => workflow::decisions::run(&context, &args),
        Command::Tripwires(args) => workflow::tripwires::run(&context, &args),
        Command::Phases(args) => workflow::phases::run(&context, &args),
        Command::Debate(args) => debate::run(&context, *args),
        Command::Turn(args) => turn::run(&context, &args),
        Command::Gate(args) => gate::run(&context, &args),
        Command::Verify(args) => verify::run(&context, &args),
        Command::Classify(args) => Ok(classify::run(&args)),
        Command::Agents(args) => agents::run(&context, &args),
        Command::Doctor(args) => doctor::run(&context, &args),
        Command::Install(args) => install::run(&context, &args),
        Command::Config(args) => config::run(&context, &args),
        Command::Hook(args) => hook::run(&context, &args),
        Command::Show(args) => inspect::show(&context, &args.debate, args.json),
        Command::Export(args) => export::run(&context, &args),
    };
    done.unwrap_or_else(|error| fail(&error, Some(&context.configuration), output))
}

/// The nearest folder upwards in which forge was at work, within the repository, or without one within the home and folders
/// of the same owner; else the repository's; else the current one. A git worktree is a repository of its own.
fn project_root(environment: &Environment) -> PathBuf {
    let here = PathBuf::from(".");
    let Ok(absolute) = here.canonicalize() else { return here };
    let home = environment.home.as_ref().and_then(|home| home.canonicalize().ok());
    let root = nearest_project(&absolute, home.as_deref());
    if root == absolute {
        return here;
    }
    render::note(&format!("in {}", root.display()));
    root
}

fn nearest_project(here: &Path, home: Option<&Path>) -> PathBuf {
    let mut nearest = None;
    for folder in here.ancestors().take(FOLDERS_LIMIT) {
        if nearest.is_none() && MARKS.iter().any(|mark| folder.join(mark).is_dir()) {
            nearest = Some(folder.to_owned());
        }
        if folder.join(".git").exists() {
            return nearest.unwrap_or_else(|| folder.to_owned());
        }
    }
    // Without a repository whatever lies above may be anybody's.
    let owner = |folder: &Path| folder.metadata().map(|found| found.uid()).ok();
    let is_above = |folder: &Path| home.is_some_and(|home| home.starts_with(folder) && home != folder);
    let is_own = |folder: &&Path| owner(folder) == owner(here) && !is_above(folder);
    let own = here.ancestors().take(FOLDERS_LIMIT).take_while(is_own);
    nearest.filter(|found| own.into_iter().any(|folder| folder == found)).unwrap_or_else(|| here.to_owned())
}

fn open(root: PathBuf, environment: &Environment, concern: Concern) -> Result<Context<'_>, EngineError> {
    let durability = match environment.durability.as_deref() {
        Some("none") => Durability::None,
        None | Some("full") => Durability::Full,
        Some(other) => {
            return Err(EngineError::Usage(format!("FORGE_DURABILITY={other}: expected full or none")));
        }
    };
    if !root.is_dir() {
        return Err(EngineError::Usage(format!("--workspace {}: expected a folder that is there", root.display())));
    }
    let disk = Arc::new(WorkspaceDisk::open(&root, durability)?);
    let configuration = match concern {
        Concern::Agents | Concern::Health => config::read(disk.as_ref(), environment),
        Concern::Files => config::unread(environment),
    };
    // What is printed of a file may hold a key that only the configuration names.
    let known = (concern == Concern::Files).then(|| config::read(disk.as_ref(), environment));
    let said = known.as_ref().unwrap_or(&configuration);
    forge_agents::keep_secret(&environment.variables, said.roster.agents.values());
    let defaults = Arc::new(said.defaults.clone());
    let (host, is_allowed) = (environment.host.as_ref().map(|host| host.name.to_owned()), defaults.inside_host);
    if concern == Concern::Agents {
        for warning in configuration.warnings.iter().take(WARNINGS_LIMIT) {
            render::note(&format!("warning: {warning}"));
        }
        let more = configuration.warnings.len().saturating_sub(WARNINGS_LIMIT);
        if more > 0 {
            render::note(&format!("warning: {more} more of that kind; `forge config` shows all"));
        }
        configuration.check().map_err(EngineError::Usage)?;
    }
    let roster = Roster::new(roster_settings(root, environment, &configuration.roster));
    let workspace = Workspace {
        disk: Arc::clone(&disk) as Arc<dyn Disk>,
        locks: disk,
        roster: Arc::new(roster),
        protocols: Protocols::default(),
        clock: clock(environment)?,
        defaults,
        made: Some(Arc::new(LatePrivateDisk::at(
            environment.state_home.as_ref().map(|home| home.join("forge/made")),
            durability,
        ))),
        vault: environment
            .state_home
            .as_ref()
            .map(|home| Arc::new(LatePrivateDisk::at(Some(home.join("forge/sealed")), durability)) as Arc<dyn Disk>),
        patience: 0,
        host: host.filter(|_| !is_allowed),
    };
    Ok(Context { workspace, environment, configuration, style: Style::for_stdout(environment.no_color) })
}

fn roster_settings(root: PathBuf, environment: &Environment, configured: &RosterParts) -> RosterSettings {
    RosterSettings {
        environment: environment.variables.clone(),
        workspace: Some(root),
        keeper: Keeper::this_program().ok(),
        scratch: environment.scratch.clone(),
        agents: configured.agents.clone(),
        sandbox: configured.sandbox,
        allow_dangerous: configured.allow_dangerous,
        first_byte: configured.first_byte,
        idle: configured.idle,
        prices: configured.prices.clone(),
    }
}

fn clock(environment: &Environment) -> Result<Clock, EngineError> {
    let Some(text) = &environment.now else { return Ok(Arc::new(Stamp::now)) };
    let now = Stamp::parse(text)
        .ok_or_else(|| EngineError::Usage(format!("FORGE_NOW={text}: expected a time such as 2026-01-27T10:00:00Z")))?;
    Ok(Arc::new(move || now))
}
