//! What can be typed to hand in a turn, and to check what is there and show it.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Turns handed in from outside.
#[derive(Debug, Args)]
pub(crate) struct TurnArgs {
    #[command(subcommand)]
    pub(crate) action: TurnAction,
}

/// What can be done with a turn.
#[derive(Debug, Subcommand)]
pub(crate) enum TurnAction {
    /// Close the wave if it is complete, open the next, and give out its seats. Asks no agent
    Next(NextArgs),
    /// Check a turn and hand it in, whole or not at all
    Submit(SubmitArgs),
    /// Go on without a seat that does not come
    Absent(AbsentArgs),
}

/// Says what outside seats are asked now: for each its ask and the prompt of a subagent that takes it.
///
/// Exit 3 while a seat is open. It never asks an agent; where only agents are open, it says what to run.
#[derive(Debug, Args)]
pub(crate) struct NextArgs {
    /// The debate: its id, the beginning of its id, or a path to it; the last one that waits for somebody outside if none is given
    pub(crate) debate: Option<String>,
    /// Give out seats again that were given out and not handed in: whoever had them is gone
    #[arg(long)]
    pub(crate) again: bool,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Puts on record that an outside seat does not come. It stays in the count, and the verdict says so.
#[derive(Debug, Args)]
pub(crate) struct AbsentArgs {
    /// The debate: its id, the beginning of its id, or a path to it
    pub(crate) debate: String,
    /// The seat that does not come
    pub(crate) seat: String,
    /// Why
    #[arg(long, value_name = "WHY")]
    pub(crate) because: String,
    /// The very turn, as its ask names it
    #[arg(long, value_name = "TURN")]
    pub(crate) turn: Option<String>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Hands in a turn. Everything that it misses is named before it is taken. Leaving the file at its place works too.
///
/// The words of an outside seat wait in your state folder until everybody who is asked at the same time has spoken; then all of
/// it is taken in. Exit 2: the form is missed, or there is no such seat; 3: the turn is not open; 7: other words were handed in.
#[derive(Debug, Args)]
pub(crate) struct SubmitArgs {
    /// The debate: its id, the beginning of its id, or a path to it
    pub(crate) debate: String,
    /// The seat that speaks
    pub(crate) seat: String,
    /// The turn's text; - reads standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The very turn, as its ask names it; without it, whatever the seat is asked now
    #[arg(long, value_name = "TURN")]
    pub(crate) turn: Option<String>,
    /// Only tell what is missing; nothing is written
    #[arg(long)]
    pub(crate) check: bool,
    /// Take it although something is missing; the gate warns of it
    #[arg(long)]
    pub(crate) as_is: bool,
    /// Take it in the place of other words of the same turn, while its wave is open
    #[arg(long)]
    pub(crate) replace: bool,
    /// The subagent that wrote it, TYPE/ID: what the host's guard adds to the command
    #[arg(long, value_name = "TYPE/ID", hide = true)]
    pub(crate) subagent: Option<String>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Checks a gate: every file there, every section, one clear decision. Changes nothing.
///
/// Files that are complete count although nothing of them is on record yet. Once they are, each has to be there and to be what
/// was counted: exit 7 if not.
///
/// Without a debate it is the gate of the workflow's current phase: passed, not called for, or what blocks it. For CI.
#[derive(Debug, Args)]
pub(crate) struct GateArgs {
    /// The debate: its id, the beginning of its id, or a path to it; the current phase's if none is given
    pub(crate) debate: Option<String>,
    /// Open boxes, unwritten sections and missing artifacts of the current phase block too
    #[arg(long, conflicts_with = "debate")]
    pub(crate) work: bool,
    /// Warnings block too
    #[arg(long)]
    pub(crate) strict: bool,
    /// What is not on record yet blocks too
    #[arg(long)]
    pub(crate) require_record: bool,
    /// Let a rehearsal pass, to try the gate itself
    #[arg(long)]
    pub(crate) allow_rehearsal: bool,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Derives a verdict again from a debate's files alone, offline, and names everything that was changed.
///
/// Edited, dropped, added, swapped, re-asked and backdated turns, changed texts and receipts, a verdict that does not follow.
/// Writes nothing. Exit 0 only if every verdict was derived again and nothing is wrong; 7 if something is, 3 if a debate is only not over.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["debate", "all"]))]
pub(crate) struct VerifyArgs {
    /// The debate: its id, the beginning of its id, or the path of a debate's folder or plan anywhere
    #[arg(value_name = "DEBATE|PATH")]
    pub(crate) debate: Option<String>,
    /// All debates of this workspace
    #[arg(long)]
    pub(crate) all: bool,
    /// The record's digest as somebody kept it elsewhere: it must be the same
    #[arg(long, value_name = "DIGEST", conflicts_with = "all", value_parser = digest)]
    pub(crate) record: Option<String>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

fn digest(text: &str) -> Result<String, String> {
    match forge_debate::digest::Digest::parse(text) {
        Some(digest) => Ok(digest.to_string()),
        None => Err("expected sha256: and 64 hex digits, as `forge verify` prints them".to_owned()),
    }
}

/// Says whether a question is SCOPE_CRITICAL and goes to debate, by whole words.
#[derive(Debug, Args)]
pub(crate) struct ClassifyArgs {
    /// The question
    pub(crate) question: String,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Writes a debate's verdict in another form, or a picture of it, to standard output or a file.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The debate: its id, the beginning of its id, or a path to it
    pub(crate) debate: String,
    /// The form
    #[arg(long, value_enum, default_value_t = Format::Md)]
    pub(crate) format: Format,
    /// A picture instead, as SVG
    #[arg(long, value_enum, value_name = "NAME", conflicts_with = "format")]
    pub(crate) picture: Option<PictureName>,
    /// Write to this file; one that is there and differs is left alone
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the file, whatever is in it
    #[arg(long, requires = "output")]
    pub(crate) force: bool,
}

/// Pictures of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PictureName {
    /// Who stood where, round by round, and which moves were earned
    Positions,
    /// Who challenged whom, and how often
    Challenges,
}

/// Forms of export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A report in Markdown
    Md,
    /// Everything, for machines
    Json,
    /// The judges' result (debate_result)
    Yaml,
    /// An architecture decision record (MADR 4)
    Adr,
    /// A report as one page, with pictures
    Html,
}
