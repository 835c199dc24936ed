//! What can be typed to install forge into a host.

use clap::{Args, Subcommand};

/// Installs forge into the program that you talk to, so that its own subagents sit in the seats.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    #[command(subcommand)]
    pub(crate) host: InstallHost,
}

/// The programs that forge can be installed into.
#[derive(Debug, Subcommand)]
pub(crate) enum InstallHost {
    Claude(InstallClaudeArgs),
}

/// Claude Code: the commands /forge:debate, /forge:status, /forge:continue and /debate:start, an agent for each role, hooks,
/// and rules for what may run unasked (nothing that spends or decides).
///
/// Running it again changes nothing, or brings what is there up to date. A file that forge did not write is never written over,
/// and of .claude/settings.json only forge's own entries change; a copy is kept.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  forge install claude               for this project\n  forge install claude --user        for all of your projects\n  forge install claude --check       whether it is whole\n  forge install claude --remove      take it out again"
)]
pub(crate) struct InstallClaudeArgs {
    /// Into this project's .claude folder; the default inside a git repository
    #[arg(long, conflicts_with = "user")]
    pub(crate) project: bool,
    /// For all of your projects, through Claude Code's own plugin commands
    #[arg(long)]
    pub(crate) user: bool,
    /// Say whether what is installed is whole, and change nothing
    #[arg(long, conflicts_with_all = ["remove", "dry_run", "hold_stop"])]
    pub(crate) check: bool,
    /// Take out what is forge's; what you changed stays
    #[arg(long, conflicts_with = "hold_stop")]
    pub(crate) remove: bool,
    /// Say what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Let a closed gate hold up the end of a turn once
    #[arg(long)]
    pub(crate) hold_stop: bool,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}
