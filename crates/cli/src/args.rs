//! What can be typed. The doc comments are the help texts.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Makes AI agents argue before a team commits, counts the votes itself, and leaves a verdict that anyone can check.
///
/// Files are the only state: kill forge anywhere, run the same command again, and nothing is lost, asked twice or paid
/// twice.
///
/// Exit codes: 0 done · 1 forge failed · 2 usage · 3 blocked or waiting for outside seats · 4 contested or tradeoff, a
/// person must decide · 5 insufficient, too few seats spoke · 6 busy, another forge holds it · 130 stopped
#[derive(Debug, Parser)]
#[command(
    name = "forge",
    version,
    max_term_width = 100,
    after_help = "Start with:  forge debate \"Redis or Memcached for sessions?\""
)]
pub(crate) struct Cli {
    /// Work in this folder instead of the current one
    #[arg(short = 'C', long = "workspace", global = true, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands. One line each.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Debate(Box<DebateArgs>),
    Turn(TurnArgs),
    Gate(GateArgs),
    Classify(ClassifyArgs),
    Export(ExportArgs),
}

/// Holds a debate on a question. The same command again goes on where it stopped, or shows the verdict.
///
/// Without --option a framer proposes 3 to 5 options first. Without --agent the built-in rehearsal speaks: it costs
/// nothing, knows nothing, and is labelled as such.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  forge debate \"Redis or Memcached for sessions?\"\n  forge debate \"Which queue?\" --option Kafka --option NATS --agent openai:gpt-5\n  forge debate \"Offline mode in v1?\" --protocol panel --roster board --seat ceo=human\n  forge debate \"Rewrite in Rust?\" --protocol challenge --dry-run"
)]
pub(crate) struct DebateArgs {
    #[command(subcommand)]
    pub(crate) action: Option<DebateAction>,
    /// What is to be decided
    pub(crate) question: Option<String>,
    /// The rules: judges, gate, panel or challenge
    #[arg(long, value_name = "NAME")]
    pub(crate) protocol: Option<String>,
    /// An option, as LABEL or "LABEL: DESCRIPTION"; give two or more (three for gate)
    #[arg(long = "option", value_name = "TEXT")]
    pub(crate) options: Vec<String>,
    /// A file that every seat may read
    #[arg(long = "context", value_name = "FILE")]
    pub(crate) context: Vec<PathBuf>,
    /// Read question, options and context from a file that another tool prepared (debate_context, YAML or JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Who moves the seats: rehearsal, openai:MODEL, scripted:FILE, human or outside
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Who moves one seat, such as risk=openai:gpt-5 or value=human
    #[arg(long = "seat", value_name = "SEAT=AGENT")]
    pub(crate) seats: Vec<String>,
    /// The panel's roster: board, planning-1, planning-2 or planning-3
    #[arg(long, value_name = "NAME")]
    pub(crate) roster: Option<String>,
    /// The panel's seat that writes the synthesis
    #[arg(long, value_name = "SEAT")]
    pub(crate) synthesizer: Option<String>,
    /// The most rounds
    #[arg(long, value_name = "N")]
    pub(crate) rounds: Option<u16>,
    /// How many must agree, such as 2/3 or 0.67
    #[arg(long, value_name = "FRACTION")]
    pub(crate) threshold: Option<String>,
    /// How long one ask may take, such as 120s or 5m
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,
    /// Where all chance comes from; the question itself if not given
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// The most calls, repairs included; seats beyond it are absent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_calls: Option<u32>,
    /// The most tokens, in and out, estimated high before each call
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_tokens: Option<u64>,
    /// Seats asked at the same time
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(crate) parallel: usize,
    /// Show peers by their seats' names instead of Speaker 1..n
    #[arg(long)]
    pub(crate) named: bool,
    /// Let lead and challengers run on one model family; the verdict says so
    #[arg(long)]
    pub(crate) allow_same_family: bool,
    /// The workflow phase that a gate belongs to; names its folder
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<String>,
    /// Where judges leave their files
    #[arg(long, value_name = "DIR")]
    pub(crate) feature_dir: Option<String>,
    /// A name for the debate (for judges the question id); with --status or --regenerate, which debate
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// Hold another debate even if this command has held one before
    #[arg(long)]
    pub(crate) new: bool,
    /// Print the plan, the briefs' sizes and the cost, and ask nobody
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Show where the debate --id stands
    #[arg(long, requires = "id", conflicts_with_all = ["question", "dry_run"])]
    pub(crate) status: bool,
    /// Write the derived files of the debate --id anew
    #[arg(long, requires = "id", conflicts_with_all = ["question", "dry_run", "status"])]
    pub(crate) regenerate: bool,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// What can be done with a debate that is there.
#[derive(Debug, Subcommand)]
pub(crate) enum DebateAction {
    /// Go on with a debate
    Run(RunArgs),
    /// Show where a debate stands, from its files
    Status(NamedArgs),
    /// Show the verdict
    Show(NamedArgs),
    /// List all debates of this folder
    List(ListArgs),
    /// Decide what the seats left contested, as a person
    Decide(DecideArgs),
    /// Write the derived files of a debate anew (plan text, reports)
    Regenerate(NamedArgs),
}

/// Goes on with a debate: asks what is open, takes in what was handed in.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The debate: its id, the beginning of its id, or a path to it
    pub(crate) debate: String,
    /// Ask absent seats again, and a blocked gate's synthesizer; what was said after them is put aside
    #[arg(long)]
    pub(crate) retry_absent: bool,
    /// Start a new debate from this one's plan as it is now
    #[arg(long)]
    pub(crate) fork: bool,
    /// Seats asked at the same time
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub(crate) parallel: usize,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Names a debate.
#[derive(Debug, Args)]
pub(crate) struct NamedArgs {
    /// The debate: its id, the beginning of its id, or a path to it
    pub(crate) debate: String,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Lists debates.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Records a person's decision on a contested or tradeoff debate, with name and time. The split is kept.
#[derive(Debug, Args)]
pub(crate) struct DecideArgs {
    /// The debate: its id, the beginning of its id, or a path to it
    pub(crate) debate: String,
    /// The option: its id or its label
    pub(crate) option: String,
    /// Why, for those who read it later
    #[arg(long, value_name = "TEXT")]
    pub(crate) because: String,
    /// Who decides; $USER if not given
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Turns handed in from outside.
#[derive(Debug, Args)]
pub(crate) struct TurnArgs {
    #[command(subcommand)]
    pub(crate) action: TurnAction,
}

/// What can be done with a turn.
#[derive(Debug, Subcommand)]
pub(crate) enum TurnAction {
    /// Check a turn and put it at its place, whole or not at all
    Submit(SubmitArgs),
}

/// Hands in a turn: checked against its form first, then written at once. Leaving the file at its place works too.
#[derive(Debug, Args)]
pub(crate) struct SubmitArgs {
    /// The debate: its id, the beginning of its id, or a path to it
    pub(crate) debate: String,
    /// The seat that speaks
    pub(crate) seat: String,
    /// The turn's text; - reads standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Checks a debate's gate: every file there, every section, one clear decision. Changes nothing.
#[derive(Debug, Args)]
pub(crate) struct GateArgs {
    /// The debate: its id, the beginning of its id, or a path to it
    pub(crate) debate: String,
    /// Warnings block too
    #[arg(long)]
    pub(crate) strict: bool,
    /// Let a rehearsal pass, to try the gate itself
    #[arg(long)]
    pub(crate) allow_rehearsal: bool,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
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

/// Writes a debate's verdict in another form, to standard output.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The debate: its id, the beginning of its id, or a path to it
    pub(crate) debate: String,
    /// The form
    #[arg(long, value_enum, default_value_t = Format::Md)]
    pub(crate) format: Format,
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
}
