//! `forge install`: forge inside the program that the user talks to.

use super::Context;
use crate::args::{AO, InstallArgs};
use crate::exit::Exit;
use crate::render;
use forge_agents::ao::find_program;
use forge_agents::bounded::{self, Ended, Kept};
use forge_artifacts::disk::{DiskError, Durability, LatePrivateDisk, WorkspaceDisk};
use forge_artifacts::git;
use forge_engine::EngineError;
use forge_engine::install::{
    ALL, Change, Checked, Finding, Host, HostProgram, HostRun, Line, Project, Strange, User, Wanted, among_pages,
    is_plain_program, orchestrator, plugin_tree, strange,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long one run of the host's program may take.
const HOST_LIMIT: Duration = Duration::from_secs(120);
const HOST_OUTPUT_LIMIT_BYTES: usize = 256 * 1024;
/// What is kept of installations, in the user's state folder.
const KEPT: &str = "forge/install";
/// The marketplace, in the user's data folder.
const MARKETPLACE: &str = "forge/claude";

/// Runs `forge install ...`.
pub(crate) fn run(context: &Context<'_>, args: &InstallArgs) -> Result<Exit, EngineError> {
    let root = context.workspace.locks.root();
    let name = args.host.as_deref().or(args.all.then_some("--all")).ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|host| host.name).chain([AO]).collect();
        EngineError::Usage(format!("say into which program: forge install {}, or --all", names.join("|")))
    })?;
    let is_claude = name == "claude";
    if (args.user && !is_claude) || (args.hold_stop && !is_claude && !args.all) {
        let flag = if args.user { "--user" } else { "--hold-stop" };
        return Err(EngineError::Usage(format!("{flag} is for claude alone: forge install claude {flag}")));
    }
    if name == AO {
        return ao(context, args);
    }
    if args.user {
        return user(context, args);
    }
    if !args.project && git::top_of(root).is_none() {
        let or_user = if is_claude { ", or --user (all of your projects)" } else { "" };
        return Err(EngineError::Usage(format!(
            "{} is in no git repository. Say for whom: forge install {name} --project (this folder){or_user}",
            root.canonicalize().unwrap_or_else(|_| root.to_owned()).display()
        )));
    }
    let hosts: Vec<&'static Host> = match &args.host {
        Some(name) => Host::named(name).into_iter().collect(),
        None => ALL.to_vec(),
    };
    project(context, args, &hosts)
}

fn project(context: &Context<'_>, args: &InstallArgs, hosts: &[&'static Host]) -> Result<Exit, EngineError> {
    let disk = WorkspaceDisk::open(context.workspace.locks.root(), durability(context))?.for_install();
    let kept = kept(context);
    let projects: Vec<Project<'_>> = hosts.iter().map(|host| Project { disk: &disk, kept: &kept, host }).collect();
    let program = program(context)?;
    if args.check {
        return check(context, args, &projects, &program);
    }
    let has_settings = hosts.iter().any(|host| host.has_settings());
    if has_settings && !args.remove && context.environment.state_home.is_none() && !args.dry_run {
        return Err(EngineError::Usage(
            "there is no place for a copy of the settings; set HOME or XDG_STATE_HOME to a whole path".to_owned(),
        ));
    }
    let wanted = Wanted { program: program.clone(), hold_stop: args.hold_stop, agents_md: args.agents_md };
    let plan = |project: &Project<'_>| match args.remove {
        true => project.plan_removal(&program),
        false => project.plan(&wanted),
    };
    let apply = |project: &Project<'_>| match args.remove {
        true => project.remove(&program),
        false => project.install(&wanted),
    };
    // All of them first: what is refused for one is refused before anything is written for another.
    let mut lines = projects.iter().map(plan).collect::<Result<Vec<_>, _>>()?;
    if !args.dry_run {
        lines = projects.iter().map(apply).collect::<Result<Vec<_>, _>>()?;
    }
    let mut lines = lines.concat();
    // AGENTS.md is one file for all of them: what the first did to it counts.
    let mut seen = BTreeSet::new();
    lines.retain(|line| seen.insert(line.path.clone()));
    let backup = projects.iter().find(|_| edits(&lines)).map(Project::backup);
    show(args, &lines, backup.as_deref(), context, hosts);
    if !args.remove {
        for project in &projects {
            let checked = project.check(&program, &|program| is_there(context, program))?;
            let is_told = |one: &&Finding| {
                matches!(one, Finding::Off { .. } | Finding::Settings { .. } | Finding::Changed { .. })
            };
            for finding in checked.findings.iter().filter(is_told) {
                render::note(&format!("warning: {finding}"));
            }
            checked.others.iter().for_each(|path| render::note(&among_pages(path)));
        }
    }
    Ok(Exit::Done)
}

/// Whether what is installed is whole. With --all a host that nothing was installed for is none that lacks anything.
fn check(
    context: &Context<'_>,
    args: &InstallArgs,
    projects: &[Project<'_>],
    program: &str,
) -> Result<Exit, EngineError> {
    let mut all = Vec::new();
    for project in projects {
        let mut checked = project.check(program, &|program| is_there(context, program))?;
        let is_there = !checked.findings.contains(&Finding::NotInstalled);
        let validator = Claude::find(context).filter(|_| project.host.name == "claude");
        if let Some(claude) = validator.as_ref().filter(|_| is_there) {
            let folder = project.disk.root().join(".claude").canonicalize().unwrap_or_default().display().to_string();
            let run = claude.run(&["plugin", "validate", "--strict", &folder]);
            checked.findings.extend((!run.is_done).then(|| Finding::Host(run.said.trim().to_owned())));
        }
        if is_there || !args.all {
            all.push((project.host, checked, validator.is_some()));
        }
    }
    if all.is_empty() {
        let checked = Checked {
            installed: Wanted { program: program.to_owned(), hold_stop: false, agents_md: false },
            pages: 0,
            findings: vec![Finding::NotInstalled],
            others: Vec::new(),
        };
        return Ok(show_check(args, None, &checked, false));
    }
    let is_whole = all.iter().all(|(_, checked, _)| is_whole(checked));
    if args.json && args.all {
        let hosts: Vec<Value> =
            all.iter().map(|(host, checked, by_host)| checked_json(Some(host.name), checked, *by_host)).collect();
        render::json(&json!({"whole": is_whole, "hosts": hosts}));
    } else {
        for (host, checked, by_host) in &all {
            show_check(args, Some(host), checked, *by_host);
        }
    }
    Ok(if is_whole { Exit::Done } else { Exit::DoesNotHold })
}

/// The line of Agent Orchestrator's configuration.
fn ao(context: &Context<'_>, args: &InstallArgs) -> Result<Exit, EngineError> {
    let disk = WorkspaceDisk::open(context.workspace.locks.root(), durability(context))?;
    if args.check {
        let is_whole = orchestrator::is_installed(&disk)?;
        match (args.json, is_whole) {
            (true, _) => render::json(
                &json!({"whole": is_whole, "findings": if is_whole { vec![] } else { vec![orchestrator::MISSING] }}),
            ),
            (false, true) => render::out("whole: the worktrees of Agent Orchestrator see docs/forge"),
            (false, false) => render::out(&format!("  wrong  {}\n  next   forge install ao", orchestrator::MISSING)),
        }
        return Ok(if is_whole { Exit::Done } else { Exit::DoesNotHold });
    }
    let line = orchestrator::plan(&disk, args.remove)?;
    if !args.dry_run {
        orchestrator::write(&disk, &line)?;
    }
    show(args, &[line], None, context, &[]);
    Ok(Exit::Done)
}

fn user(context: &Context<'_>, args: &InstallArgs) -> Result<Exit, EngineError> {
    let environment = context.environment;
    let Some(claude) = Claude::find(context) else {
        return Err(EngineError::Usage(
            "there is no program claude on PATH, whose own commands --user goes through. Install it (npm install -g @anthropic-ai/claude-code), or install into one project: forge install claude --project".to_owned(),
        ));
    };
    let no_home = || EngineError::Usage("--user needs a home; set HOME to a whole path".to_owned());
    let data = environment.data_home.as_ref().ok_or_else(no_home)?.join(MARKETPLACE);
    let folder = environment.claude_folder.as_ref().ok_or_else(no_home)?;
    let program = program(context)?;
    let wanted = Wanted { program: program.clone(), hold_stop: args.hold_stop, agents_md: false };
    if (args.check || args.remove || args.dry_run) && !(data.is_dir() && folder.is_dir()) {
        return Ok(never_installed(args, &data, folder, wanted, context));
    }
    for folder in [&data, folder] {
        fs::create_dir_all(folder).map_err(|error| DiskError::from_io(&folder.display().to_string(), error))?;
    }
    let marketplace = WorkspaceDisk::open(&data, durability(context))?.for_install();
    let host_folder = WorkspaceDisk::open(folder, durability(context))?;
    let kept = kept(context);
    let user = User { marketplace: &marketplace, host_folder: &host_folder, kept: &kept, host: &claude };
    if args.check {
        let mut findings = Vec::new();
        let wanted = user.installed(&program)?;
        if user.is_installed()? {
            let differs = user.plan(&wanted)?.into_iter().filter(|line| line.change != Change::Same);
            findings.extend(differs.map(|line| Finding::Old(line.path)));
            findings.extend(user.validated().into_iter().map(Finding::Host));
            findings
                .extend((!is_there(context, &wanted.program)).then(|| Finding::ProgramGone(wanted.program.clone())));
        } else {
            findings.push(Finding::NotInstalled);
        }
        return Ok(show_check(
            args,
            None,
            &Checked { pages: user.plan(&wanted)?.len() - 1, installed: wanted, findings, others: Vec::new() },
            true,
        ));
    }
    let lines = match (args.remove, args.dry_run) {
        (true, dry_run) => user.remove(&program, dry_run)?,
        (false, true) => user.plan(&wanted)?,
        (false, false) => user.install(&wanted)?,
    };
    show(args, &lines, None, context, &[]);
    Ok(Exit::Done)
}

/// Looking makes no folder.
fn never_installed(args: &InstallArgs, data: &Path, folder: &Path, wanted: Wanted, context: &Context<'_>) -> Exit {
    if args.check {
        return show_check(
            args,
            None,
            &Checked { installed: wanted, pages: 0, findings: vec![Finding::NotInstalled], others: Vec::new() },
            true,
        );
    }
    let settings = folder.join("settings.json");
    let change = if settings.is_file() { Change::Edited } else { Change::New };
    let line = |path: PathBuf, change| Line { path: path.display().to_string(), change, text: None };
    let files = plugin_tree(&wanted).into_iter().map(|file| line(data.join(file.path), Change::New));
    let lines: Vec<Line> = if args.remove { Vec::new() } else { files.chain([line(settings, change)]).collect() };
    show(args, &lines, None, context, &[]);
    Exit::Done
}

fn durability(context: &Context<'_>) -> Durability {
    context.workspace.locks.durability()
}

fn kept(context: &Context<'_>) -> LatePrivateDisk {
    LatePrivateDisk::at(context.environment.state_home.as_ref().map(|home| home.join(KEPT)), durability(context))
}

fn edits(lines: &[Line]) -> bool {
    let is_settings = |line: &&Line| line.path.ends_with("settings.json");
    lines.iter().filter(is_settings).any(|line| matches!(line.change, Change::Edited | Change::Restored))
}

/// How forge is called: by the name that was typed where that finds this very program, else by its whole path.
fn program(context: &Context<'_>) -> Result<String, EngineError> {
    let typed = std::env::args_os().next().map(PathBuf::from).unwrap_or_default();
    let this = std::env::current_exe().ok().and_then(|path| path.canonicalize().ok());
    let name = typed.file_name().map(OsString::from).unwrap_or_default();
    let search_path = context.environment.ao.search_path.as_deref();
    let found = search_path.and_then(|path| find_program(path, &name.to_string_lossy()));
    if found.is_some_and(|found| found.canonicalize().ok() == this) && this.is_some() {
        return plain(&name.to_string_lossy());
    }
    let whole = std::path::absolute(&typed).ok().filter(|path| path.is_file()).or(this);
    plain(&whole.unwrap_or(typed).to_string_lossy())
}

/// Pages and agents of forge's names here that are not forge's.
pub(super) fn strange_pages(context: &Context<'_>) -> Result<Vec<Strange>, EngineError> {
    strange(context.workspace.locks.root(), &program(context).unwrap_or_else(|_| "forge".to_owned()))
}

fn plain(program: &str) -> Result<String, EngineError> {
    if is_plain_program(program) {
        return Ok(program.to_owned());
    }
    Err(EngineError::Usage(format!(
        "{program:?} cannot stand in a permission rule as it is. Put forge on your PATH, under a plain name such as forge, and run it by that name"
    )))
}

fn is_there(context: &Context<'_>, program: &str) -> bool {
    let path = if program.contains('/') { None } else { context.environment.ao.search_path.as_deref() };
    match path {
        Some(path) => find_program(path, program).is_some(),
        None => Path::new(program).is_file(),
    }
}

/// Claude Code, as it is found on the search path.
struct Claude {
    program: PathBuf,
}

impl Claude {
    fn find(context: &Context<'_>) -> Option<Self> {
        let search_path = context.environment.ao.search_path.as_deref()?;
        find_program(search_path, "claude").map(|program| Self { program })
    }
}

impl HostProgram for Claude {
    fn run(&self, args: &[&str]) -> HostRun {
        let mut command = Command::new(&self.program);
        command.args(args);
        let kept = if args.contains(&"--json") { Kept::Stdout } else { Kept::Both };
        match bounded::run_keeping(command, HOST_LIMIT, HOST_OUTPUT_LIMIT_BYTES, kept) {
            Ended::Exited { code, output } => HostRun { is_done: code == 0, said: output },
            Ended::Signalled { signal, output } => {
                HostRun { is_done: false, said: format!("{output} (signal {signal})") }
            }
            Ended::NotStarted(why) | Ended::Lost(why) => HostRun { is_done: false, said: why },
            Ended::TimedOut => HostRun { is_done: false, said: format!("no end within {} s", HOST_LIMIT.as_secs()) },
        }
    }
}

fn word(change: Change) -> &'static str {
    match change {
        Change::New => "new",
        Change::Renewed => "renewed",
        Change::Edited => "edited",
        Change::Restored => "restored",
        Change::Removed => "removed",
        Change::Same => "same",
        Change::Kept => "kept",
    }
}

fn show(args: &InstallArgs, lines: &[Line], backup: Option<&str>, context: &Context<'_>, hosts: &[&'static Host]) {
    let changed: Vec<&Line> = lines.iter().filter(|line| line.change != Change::Same).collect();
    let backup = backup.and_then(|file| Some(context.environment.state_home.as_ref()?.join(KEPT).join(file)));
    if args.json {
        let files: Vec<_> = lines.iter().map(|line| json!({"path": line.path, "change": word(line.change)})).collect();
        render::json(&json!({"dry_run": args.dry_run, "files": files, "backup": backup}));
        return;
    }
    let same = lines.len() - changed.len();
    match (args.remove, changed.is_empty()) {
        (true, true) => render::out("nothing of forge's is installed here"),
        (false, true) => render::out(&match same {
            1 => "nothing to do: the file is as it should be".to_owned(),
            _ => format!("nothing to do: all {same} files are as they should be"),
        }),
        (_, false) if args.dry_run => render::out("Plan (nothing was written)"),
        _ => {}
    }
    for (change, what) in listed(&changed, args.dry_run) {
        let why = match (change, what.as_str(), args.remove) {
            (Change::Kept, "AGENTS.md", _) => {
                "  (forge's block in it is not as forge wrote it: it is yours, take it out yourself)"
            }
            (Change::Kept, _, true) => "  (not as forge wrote it: it is yours)",
            (Change::Kept, _, false) => "  (not as forge wrote it; read it, or delete it to get forge's)",
            _ => "",
        };
        render::out(&format!("  {:<9} {what}{why}", word(change)));
    }
    if same > 0 && !changed.is_empty() && !args.remove {
        render::out(&format!("  {:<9} {same} more", "same"));
    }
    if args.dry_run {
        return;
    }
    if let Some(backup) = backup.filter(|_| !changed.is_empty()) {
        render::out(&format!("  {:<9} {}", "backup", backup.display()));
    }
    if args.remove && changed.is_empty() {
        return;
    }
    match args.host.as_deref() {
        Some(AO) if args.remove => {}
        Some(AO) => render::out("  next      commit it; sessions that ao spawns from now on see docs/forge"),
        _ if args.remove => render::out("  next      start a new session: one that runs still has the pages"),
        _ => next(context, args, hosts),
    }
}

/// The files that changed, in their order; where many of one folder fared the same, the folder and how many. A plan names all.
fn listed(changed: &[&Line], is_plan: bool) -> Vec<(Change, String)> {
    let place = |line: &Line| {
        let mut parts = line.path.splitn(3, '/');
        let folder = format!("{}/{}", parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        (line.change, parts.next().map_or_else(|| line.path.clone(), |_| folder))
    };
    let is_one = |line: &Line| is_plan || line.change == Change::Kept || line.path.starts_with('/');
    let mut all: Vec<(Change, String, Vec<&str>)> = Vec::new();
    for line in changed {
        let (change, at) = if is_one(line) { (line.change, line.path.clone()) } else { place(line) };
        match all.iter_mut().find(|(other, path, _)| (*other, path.as_str()) == (change, at.as_str())) {
            Some((_, _, files)) => files.push(&line.path),
            None => all.push((change, at, vec![&line.path])),
        }
    }
    let shown = |(change, at, files): (Change, String, Vec<&str>)| match files.as_slice() {
        [one] => (change, (*one).to_owned()),
        many => (change, format!("{at}/ ({} files)", many.len())),
    };
    all.into_iter().map(shown).collect()
}

/// What the user does now.
fn next(context: &Context<'_>, args: &InstallArgs, hosts: &[&'static Host]) {
    if let Ok(path) = program(context)
        && path.contains('/')
        && !args.user
    {
        let folders: Vec<&str> = hosts.iter().map(|host| host.folder).collect();
        render::out(&format!(
            "  note      forge is called by {path}, which is of this machine alone; put forge on your PATH and run this again before you commit {}",
            folders.join(", ")
        ));
    }
    let user = [
        "start a new session: one that runs does not see new agents",
        "type: /forge:debate \"Redis or Memcached for sessions?\"",
    ];
    for host in hosts {
        let title = if hosts.len() > 1 { format!("{}: ", host.title) } else { String::new() };
        host.next.iter().for_each(|line| render::out(&format!("  next      {title}{line}")));
    }
    user.iter().filter(|_| args.user).for_each(|line| render::out(&format!("  next      {line}")));
}

fn is_whole(checked: &Checked) -> bool {
    checked.findings.is_empty()
}

fn checked_json(host: Option<&str>, checked: &Checked, by_host: bool) -> Value {
    let findings: Vec<String> = checked.findings.iter().map(ToString::to_string).collect();
    json!({
        "host": host,
        "whole": is_whole(checked),
        "program": checked.installed.program,
        "hold_stop": checked.installed.hold_stop,
        "validator": if by_host { "claude" } else { "forge" },
        "findings": findings,
        "others": checked.others,
    })
}

fn show_check(args: &InstallArgs, host: Option<&Host>, checked: &Checked, by_host: bool) -> Exit {
    let name = host.map(|host| host.name).or(args.host.as_deref());
    let end = if is_whole(checked) { Exit::Done } else { Exit::DoesNotHold };
    if args.json {
        render::json(&checked_json(name, checked, by_host));
        return end;
    }
    for finding in &checked.findings {
        render::out(&format!("  wrong  {finding}"));
    }
    checked.others.iter().for_each(|path| render::out(&format!("  note   {}", among_pages(path))));
    if is_whole(checked) {
        let title = host.filter(|_| args.all).map_or_else(String::new, |host| format!("{}: ", host.title));
        let validator = match (by_host, name) {
            (true, _) => "claude plugin validate --strict",
            (false, Some("claude")) => "forge's own check; claude is not on PATH",
            (false, _) => "forge's own check",
        };
        let program = &checked.installed.program;
        render::out(&format!("whole: {title}{} pages and agents, which call {program} ({validator})", checked.pages));
        return end;
    }
    let scope = if args.user { " --user" } else { "" };
    let is_changed = |one: &Finding| matches!(one, Finding::Changed { .. });
    let is_users = |one: &Finding| matches!(one, Finding::Off { .. } | Finding::Settings { .. }) || is_changed(one);
    match checked.findings.iter().all(is_users) {
        true if checked.findings.iter().all(is_changed) => {}
        true => render::out("  next   change that; the settings are yours"),
        false => render::out(&format!("  next   forge install {}{scope}", name.unwrap_or("--all"))),
    }
    end
}
