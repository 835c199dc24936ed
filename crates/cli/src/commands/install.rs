//! `forge install`: forge inside the program that the user talks to.

use super::Context;
use crate::args::{InstallArgs, InstallClaudeArgs, InstallHost};
use crate::exit::Exit;
use crate::render;
use forge_agents::ao::find_program;
use forge_agents::bounded::{self, Ended, Kept};
use forge_artifacts::disk::{DiskError, Durability, LatePrivateDisk, WorkspaceDisk};
use forge_artifacts::git;
use forge_engine::EngineError;
use forge_engine::install::{
    Change, Checked, Finding, HostProgram, HostRun, Line, Project, User, Wanted, is_plain_program, plugin_tree,
};
use serde_json::json;
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
    let InstallHost::Claude(args) = &args.host;
    let root = context.workspace.locks.root();
    if args.user {
        return user(context, args);
    }
    if !args.project && git::top_of(root).is_none() {
        return Err(EngineError::Usage(format!(
            "{} is in no git repository. Say for whom: forge install claude --project (this folder), or --user (all of your projects)",
            root.canonicalize().unwrap_or_else(|_| root.to_owned()).display()
        )));
    }
    project(context, args)
}

fn project(context: &Context<'_>, args: &InstallClaudeArgs) -> Result<Exit, EngineError> {
    let disk = WorkspaceDisk::open(context.workspace.locks.root(), durability(context))?.for_install();
    let kept = kept(context);
    let project = Project { disk: &disk, kept: &kept };
    let program = program(context)?;
    if args.check {
        let mut checked = project.check(&program, &|program| is_there(context, program))?;
        let validator = Claude::find(context);
        if let Some(claude) = validator.as_ref().filter(|_| !checked.findings.contains(&Finding::NotInstalled)) {
            let folder = disk.root().join(".claude").canonicalize().unwrap_or_default().display().to_string();
            let run = claude.run(&["plugin", "validate", "--strict", &folder]);
            checked.findings.extend((!run.is_done).then(|| Finding::Host(run.said.trim().to_owned())));
        }
        return Ok(show_check(args, &checked, validator.is_some()));
    }
    if args.remove {
        let lines = if args.dry_run { project.plan_removal(&program)? } else { project.remove(&program)? };
        show(args, &lines, edits(&lines).then(|| project.backup()).as_deref(), context);
        return Ok(Exit::Done);
    }
    if context.environment.state_home.is_none() && !args.dry_run {
        return Err(EngineError::Usage(
            "there is no place for a copy of the settings; set HOME or XDG_STATE_HOME to a whole path".to_owned(),
        ));
    }
    let wanted = Wanted { program: program.clone(), hold_stop: args.hold_stop };
    let lines = if args.dry_run { project.plan(&wanted)? } else { project.install(&wanted)? };
    show(args, &lines, edits(&lines).then(|| project.backup()).as_deref(), context);
    let checked = project.check(&program, &|program| is_there(context, program))?;
    let is_told = |one: &&Finding| matches!(one, Finding::Off(_) | Finding::Settings { .. } | Finding::Changed { .. });
    for finding in checked.findings.iter().filter(is_told) {
        render::note(&format!("warning: {finding}"));
    }
    Ok(Exit::Done)
}

fn user(context: &Context<'_>, args: &InstallClaudeArgs) -> Result<Exit, EngineError> {
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
    let wanted = Wanted { program: program.clone(), hold_stop: args.hold_stop };
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
            &Checked { pages: user.plan(&wanted)?.len() - 1, installed: wanted, findings },
            true,
        ));
    }
    let lines = match (args.remove, args.dry_run) {
        (true, dry_run) => user.remove(&program, dry_run)?,
        (false, true) => user.plan(&wanted)?,
        (false, false) => user.install(&wanted)?,
    };
    show(args, &lines, None, context);
    Ok(Exit::Done)
}

/// Looking makes no folder.
fn never_installed(
    args: &InstallClaudeArgs,
    data: &Path,
    folder: &Path,
    wanted: Wanted,
    context: &Context<'_>,
) -> Exit {
    if args.check {
        return show_check(args, &Checked { installed: wanted, pages: 0, findings: vec![Finding::NotInstalled] }, true);
    }
    let settings = folder.join("settings.json");
    let change = if settings.is_file() { Change::Edited } else { Change::New };
    let line = |path: PathBuf, change| Line { path: path.display().to_string(), change, text: None };
    let files = plugin_tree(&wanted).into_iter().map(|file| line(data.join(file.path), Change::New));
    let lines: Vec<Line> = if args.remove { Vec::new() } else { files.chain([line(settings, change)]).collect() };
    show(args, &lines, None, context);
    Exit::Done
}

fn durability(context: &Context<'_>) -> Durability {
    context.workspace.locks.durability()
}

fn kept(context: &Context<'_>) -> LatePrivateDisk {
    LatePrivateDisk::at(context.environment.state_home.as_ref().map(|home| home.join(KEPT)), durability(context))
}

fn edits(lines: &[Line]) -> bool {
    lines.iter().any(|line| matches!(line.change, Change::Edited | Change::Restored))
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

fn show(args: &InstallClaudeArgs, lines: &[Line], backup: Option<&str>, context: &Context<'_>) {
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
        (false, true) => render::out(&format!("nothing to do: all {same} files are as they should be")),
        (_, false) if args.dry_run => render::out("Plan (nothing was written)"),
        _ => {}
    }
    for line in &changed {
        let why = if line.change == Change::Kept {
            "  (not as forge wrote it; read it, or delete it to get forge's)"
        } else {
            ""
        };
        render::out(&format!("  {:<9} {}{why}", word(line.change), line.path));
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
    if args.remove {
        render::out("  next      start a new session in Claude Code: one that runs still has the pages");
        return;
    }
    next(context, args);
}

/// What the user does now.
fn next(context: &Context<'_>, args: &InstallClaudeArgs) {
    if let Ok(path) = program(context)
        && path.contains('/')
        && !args.user
    {
        render::out(&format!(
            "  note      forge is called by {path}, which is of this machine alone; put forge on your PATH and run this again before you commit .claude"
        ));
    }
    if !args.user {
        render::out(
            "  next      run claude in this folder and trust it: hooks and rules of a folder that is not trusted do not count",
        );
    }
    render::out("  next      start a new session: one that runs does not see new agents");
    render::out("  next      type: /forge:debate \"Redis or Memcached for sessions?\"");
}

fn show_check(args: &InstallClaudeArgs, checked: &Checked, by_host: bool) -> Exit {
    let is_whole = checked.findings.is_empty();
    let validator =
        if by_host { "claude plugin validate --strict" } else { "forge's own check; claude is not on PATH" };
    if args.json {
        let findings: Vec<String> = checked.findings.iter().map(ToString::to_string).collect();
        render::json(&json!({
            "whole": is_whole,
            "program": checked.installed.program,
            "hold_stop": checked.installed.hold_stop,
            "validator": if by_host { "claude" } else { "forge" },
            "findings": findings,
        }));
    } else {
        for finding in &checked.findings {
            render::out(&format!("  wrong  {finding}"));
        }
        if is_whole {
            let program = &checked.installed.program;
            render::out(&format!("whole: {} pages and agents, which call {program} ({validator})", checked.pages));
        } else {
            let scope = if args.user { " --user" } else { "" };
            let is_changed = |one: &Finding| matches!(one, Finding::Changed { .. });
            let is_users = |one: &Finding| matches!(one, Finding::Off(_) | Finding::Settings { .. }) || is_changed(one);
            match checked.findings.iter().all(is_users) {
                true if checked.findings.iter().all(is_changed) => {}
                true => render::out("  next   change that; the settings are yours"),
                false => render::out(&format!("  next   forge install claude{scope}")),
            }
        }
    }
    if is_whole { Exit::Done } else { Exit::DoesNotHold }
}
