//! What can be typed to install forge into a host.

use clap::Args;
use clap::builder::PossibleValuesParser;
use forge_engine::install;

/// The orchestrator that takes no pages, but a line in its configuration.
pub(crate) const AO: &str = "ao";

/// Installs forge into the program that you talk to: a page for each command, so that its own subagents sit in the seats.
///
/// claude    /forge:debate, /forge:brainstorm, /debate:start and the others, an agent for each role, skills, hooks, and rules for
/// what may run unasked (nothing that spends or decides); --user installs it for all of your projects ·
/// codex     skills $forge-debate and the others, and rules ·
/// gemini, qwen, opencode    pages, the agent forge-seat, skills ·
/// cursor    pages; it starts no subagents ·
/// ao        the line of Agent Orchestrator's configuration by which its worktrees see docs/forge
///
/// Running it again changes nothing, or brings what is there up to date. A file that forge did not write is never written over,
/// and of settings only forge's own entries change; a copy is kept.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  forge install claude               for this project\n  forge install claude --user        for all of your projects\n  forge install codex --agents-md    and a short block in AGENTS.md\n  forge install --all                every program that forge knows, in this project\n  forge install --all --check        whether what is installed is whole\n  forge install codex --remove       take it out again"
)]
pub(crate) struct InstallArgs {
    /// The program
    #[arg(value_name = "HOST", value_parser = hosts())]
    pub(crate) host: Option<String>,
    /// Every program but ao
    #[arg(long, conflicts_with_all = ["host", "user"])]
    pub(crate) all: bool,
    /// Into this folder; the default inside a git repository
    #[arg(long, conflicts_with = "user")]
    pub(crate) project: bool,
    /// For all of your projects, through the program's own plugin commands (claude)
    #[arg(long)]
    pub(crate) user: bool,
    /// Say whether what is installed is whole, and change nothing
    #[arg(long, conflicts_with_all = ["remove", "dry_run", "hold_stop", "agents_md"])]
    pub(crate) check: bool,
    /// Take out what is forge's; what you changed stays
    #[arg(long, conflicts_with_all = ["hold_stop", "agents_md"])]
    pub(crate) remove: bool,
    /// Say what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Let a closed gate hold up the end of a turn once (claude)
    #[arg(long)]
    pub(crate) hold_stop: bool,
    /// Also write a short block, between marks, into AGENTS.md
    #[arg(long, conflicts_with = "user")]
    pub(crate) agents_md: bool,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

fn hosts() -> PossibleValuesParser {
    PossibleValuesParser::new(install::ALL.iter().map(|host| host.name).chain([AO]))
}
