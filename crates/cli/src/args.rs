//! What can be typed: the commands, and everything about debates; the rest is in the files beside. The doc comments are the
//! help texts.

mod agents;
mod checking;
mod config;
mod install;
mod vote;
mod workflow;

pub(crate) use agents::{AgentsArgs, DoctorArgs};
pub(crate) use checking::{
    AbsentArgs, ClassifyArgs, ExportArgs, Format, GateArgs, NextArgs, PictureName, SubmitArgs, TurnAction, TurnArgs,
    VerifyArgs,
};
pub(crate) use config::ConfigArgs;
pub(crate) use install::{AO, InstallArgs};
pub(crate) use vote::VoteArgs;
pub(crate) use workflow::{
    ContinueArgs, EnterArgs, PhaseArgs, RestoreArgs, StartArgs, StatusArgs, TaskAction, TaskArgs, TripwireArgs,
};

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Makes AI agents argue before a team commits, counts the votes itself, and leaves a verdict that anyone can check.
///
/// Files are the only state: kill forge anywhere, run the same command again, and nothing is lost, asked twice or paid
/// twice.
///
/// Exit codes: 0 done · 1 forge failed · 2 usage · 3 blocked or waiting · 4 contested or tradeoff, a person must decide ·
/// 5 insufficient, too few seats spoke · 6 busy, another forge holds it · 7 does not hold, something was changed or is gone ·
/// 130 stopped
#[derive(Debug, Parser)]
#[command(
    name = "forge",
    version,
    max_term_width = 100,
    after_help = "Start with:  forge debate \"Redis or Memcached for sessions?\"\nOr with:     forge start \"Sessions that survive a restart\"   and then   forge continue"
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
    Start(StartArgs),
    /// Explore options and let them be debated: the phase before research
    Brainstorm(PhaseArgs),
    /// Check what was decided against what is known outside
    Research(PhaseArgs),
    /// Say how it will be built
    Design(PhaseArgs),
    /// Say in which steps it will be built
    Plan(PhaseArgs),
    /// Say how it will be tested
    Test(PhaseArgs),
    /// Build it
    Build(PhaseArgs),
    /// Show that it does what it should
    Validate(PhaseArgs),
    /// Let others look at it
    Review(PhaseArgs),
    /// Keep what was learned
    Learn(PhaseArgs),
    Enter(EnterArgs),
    Continue(ContinueArgs),
    Status(StatusArgs),
    /// Keep a copy of the workflow's state
    Save(JsonArgs),
    Restore(RestoreArgs),
    Task(TaskArgs),
    Gate(GateArgs),
    /// List what was decided, and what stands
    Decisions(JsonArgs),
    Tripwires(TripwireArgs),
    /// Show the phases of this project's workflow; --json prints them as workflows/forge-workflow.json wants them
    Phases(JsonArgs),
    Debate(Box<DebateArgs>),
    Turn(TurnArgs),
    Verify(VerifyArgs),
    Classify(ClassifyArgs),
    Agents(AgentsArgs),
    Doctor(DoctorArgs),
    Install(InstallArgs),
    /// Show a debate's verdict: one screen first, then everything that it rests on
    Show(NamedArgs),
    Export(ExportArgs),
    Config(ConfigArgs),
    Hook(HookArgs),
}

/// Answers a host's hook: reads the host's JSON on standard input. `forge install` puts it into the host's settings.
#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// session-start, pre-tool-use, post-tool-use, pre-compact, subagent-stop or stop
    // Whatever is typed is taken: a usage error would have the exit code with which a hook says no.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "EVENT")]
    pub(crate) event: Vec<String>,
}

/// Only the choice of output.
#[derive(Debug, Args)]
pub(crate) struct JsonArgs {
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Holds a debate on a question. The same command again goes on where it stopped, or shows the verdict.
///
/// Without --option a framer proposes 3 to 5 options first. Without --agent the agents that are found on this machine take the
/// seats, of different model families where there are such (`forge agents` lists them); where there is none, the built-in
/// rehearsal speaks: it costs nothing, knows nothing, and is labelled as such.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  forge debate \"Redis or Memcached for sessions?\"\n  forge debate \"Which queue?\" --option Kafka --option NATS --agent claude\n  forge debate \"Which queue?\" --seat risk=codex --seat value=gemini --seat effort=openai:gpt-5\n  forge debate \"Offline mode in v1?\" --protocol panel --roster board --seat ceo=human\n  forge debate \"Rewrite in Rust?\" --protocol challenge --dry-run"
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
    /// A file that every seat may read. What usually holds secrets (.env, keys) or is ignored by git must be named twice
    #[arg(long = "context", value_name = "FILE")]
    pub(crate) context: Vec<PathBuf>,
    /// Read question, options and context from a file that another tool prepared (debate_context, YAML or JSON). Named twice
    /// as with --context
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Vec<PathBuf>,
    /// Who moves the seats: `auto` (what is found), claude, codex, gemini, qwen, opencode, anthropic, openai, google,
    /// openrouter, ollama, llamacpp or lmstudio, each with :MODEL where another than its own is wanted; acp:COMMAND,
    /// local:FILE.gguf, an agent of your configuration; rehearsal, scripted:FILE, human or outside
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
    /// How many challengers sit (1 to 3): those that --seat names, then architect, operator, adversary
    #[arg(long, value_name = "N")]
    pub(crate) challengers: Option<u16>,
    /// Personas of your own for the challengers: a folder with architect.md, operator.md, adversary.md (or GEMINI.md,
    /// AGENTS.md, QWEN.md)
    #[arg(long, value_name = "DIR")]
    pub(crate) personas: Option<PathBuf>,
    /// The most rounds
    #[arg(long, value_name = "N")]
    pub(crate) rounds: Option<u16>,
    /// Rounds that are held even where the blind round agrees: with 2 the judges always argue (judges)
    #[arg(long, value_name = "N")]
    pub(crate) min_rounds: Option<u16>,
    /// How many must agree, such as 2/3 or 0.67
    #[arg(long, value_name = "FRACTION")]
    pub(crate) threshold: Option<String>,
    /// Where all chance comes from; the question itself if not given
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Seats asked at the same time; 16 if nothing is said
    #[arg(long, value_name = "N")]
    pub(crate) parallel: Option<usize>,
    /// Hold no rehearsal where no agent is configured: exit 5 instead
    #[arg(long)]
    pub(crate) no_rehearsal: bool,
    /// Show peers by their seats' names instead of Speaker 1..n
    #[arg(long)]
    pub(crate) named: bool,
    /// Let lead and challengers run on one model family; the verdict says so
    #[arg(long)]
    pub(crate) allow_same_family: bool,
    /// Leave a verdict that hangs on one seat to a person (judges, panel, challenge)
    #[arg(long)]
    pub(crate) require_robust: bool,
    /// Count no seat that quotes nothing of the --context files that is really there
    #[arg(long, requires = "context")]
    pub(crate) require_grounding: bool,
    /// Ask one seat alone the same question as often as the debate took turns, and say what the debate changed
    #[arg(long)]
    pub(crate) control: bool,
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

/// What a debate may spend and wait. Of a debate that is there already, what its plan says holds if it is less; a fork is given
/// it anew.
#[derive(Debug, Args)]
pub(crate) struct LimitArgs {
    /// The most calls, repairs and those of earlier runs included; seats beyond it are absent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_calls: Option<u32>,
    /// The most tokens, in and out, estimated high before each call
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_tokens: Option<u64>,
    /// The most that it may cost in US dollars, such as 0.50; needs a price of every agent
    #[arg(long, value_name = "USD", allow_hyphen_values = true)]
    pub(crate) max_cost: Option<String>,
    /// How long one ask may take, such as 120s or 5m
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,
}

/// What can be done with a debate that is there.
#[derive(Debug, Subcommand)]
pub(crate) enum DebateAction {
    /// Go on with a debate
    Run(RunArgs),
    /// Show where a debate stands, from its files
    Status(NamedArgs),
    /// Show the verdict with its details
    Show(NamedArgs),
    /// List all debates of this folder
    List(ListArgs),
    /// Decide what the seats left contested, as a person
    Decide(DecideArgs),
    Vote(VoteArgs),
    /// Write the derived files of a debate anew (plan text, reports)
    Regenerate(NamedArgs),
    /// Put back the files of turns on record that are gone or were changed
    Restore(NamedArgs),
    /// Take over what sessions wrote in git worktrees of their own
    Collect(CollectArgs),
}

/// Looks for open turns in the worktrees of this repository, and hands in what is in form.
#[derive(Debug, Args)]
pub(crate) struct CollectArgs {
    /// The debate; the one of the current phase if none is given
    pub(crate) debate: Option<String>,
    /// Look only in this worktree; may be given more than once
    #[arg(long = "from", value_name = "DIR")]
    pub(crate) from: Vec<PathBuf>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Goes on with a debate: asks what is open, takes in what was handed in.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The debate: its id, the beginning of its id, or a path to it
    pub(crate) debate: String,
    /// Ask absent seats again, and those whose files keep a gate shut; what was said after them is put aside
    #[arg(long)]
    pub(crate) retry_absent: bool,
    /// Start a new debate from this one's plan, with what it has left or the limits that are given; with --adopt as the plan and its texts are now, whoever changed them
    #[arg(long)]
    pub(crate) fork: bool,
    /// Put this agent into every seat first, or `auto` for those that are found; only while nobody has spoken
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Run or read what the plan names: agents given as `acp:COMMAND`, `local:FILE` or `scripted:FILE`
    #[arg(long)]
    pub(crate) allow_commands: bool,
    /// Take a debate over that was not made here, as if you had made it: its rules, and the files that lie in it
    #[arg(long)]
    pub(crate) adopt: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Hold no rehearsal where no agent is configured: exit 5 instead
    #[arg(long)]
    pub(crate) no_rehearsal: bool,
    /// Seats asked at the same time; 16 if nothing is said
    #[arg(long, value_name = "N")]
    pub(crate) parallel: Option<usize>,
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

/// Records a person's decision on a contested or tradeoff debate, or with --overrule against a consensus, with name and time.
/// The split is kept.
#[derive(Debug, Args)]
pub(crate) struct DecideArgs {
    /// The debate: its id, the beginning of its id, or a path to it
    pub(crate) debate: String,
    /// The option: its id or its label
    pub(crate) option: String,
    /// Why, for those who read it later
    #[arg(long, value_name = "TEXT")]
    pub(crate) because: String,
    /// Who decides; git's user name if not given, else the login name
    #[arg(long, value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// Decide against what the seats came to: the verdict says so, and keeps the split
    #[arg(long)]
    pub(crate) overrule: bool,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}
