//! What can be typed. The doc comments are the help texts.

mod config;
mod vote;

pub(crate) use config::ConfigArgs;
pub(crate) use vote::VoteArgs;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Makes AI agents argue before a team commits, counts the votes itself, and leaves a verdict that anyone can check.
///
/// Files are the only state: kill forge anywhere, run the same command again, and nothing is lost, asked twice or paid
/// twice.
///
/// Exit codes: 0 done · 1 forge failed · 2 usage · 3 blocked, waiting or changed · 4 contested or tradeoff, a
/// person must decide · 5 insufficient, too few seats spoke · 6 busy, another forge holds it · 130 stopped
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
    /// Show a debate's verdict: one screen first, then everything that it rests on
    Show(NamedArgs),
    Export(ExportArgs),
    Config(ConfigArgs),
}

/// Begins a workflow: makes the knowledge files, the state file and the first handoff.
///
/// The same objective again goes on with the same workflow.
#[derive(Debug, Args)]
pub(crate) struct StartArgs {
    /// What it is for
    pub(crate) objective: String,
    /// Give up the workflow that is under way; its record goes to the archive
    #[arg(long)]
    pub(crate) abandon: bool,
    /// The issue that it belongs to
    #[arg(long, value_name = "ID")]
    pub(crate) issue: Option<String>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Enters a phase, if everything before it is done; in the phase it is in, changes what is said about its debate.
#[derive(Debug, Args)]
pub(crate) struct PhaseArgs {
    /// What the phase is for, if not what the workflow is for
    pub(crate) objective: Option<String>,
    /// Debate, whatever the settings say
    #[arg(short = 'd', long, conflicts_with = "no_debate")]
    pub(crate) debate: bool,
    /// Do not debate, whatever the settings say; a debate that was called for is recorded as skipped
    #[arg(short = 'D', long)]
    pub(crate) no_debate: bool,
    /// Who moves the seats of the phase's debate; outside if nothing is said
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Enters a phase by its name: for the phases that a project defines itself.
#[derive(Debug, Args)]
pub(crate) struct EnterArgs {
    /// The phase
    pub(crate) phase: String,
    #[command(flatten)]
    pub(crate) args: PhaseArgs,
}

/// Goes on with the workflow as far as it goes by itself. Never prompts, and is safe to run from a hook every minute.
///
/// It takes in what people and sessions wrote, plans a debate where one is called for, records what was decided, leaves a
/// phase that is done and enters the next. Agents are asked only with --run or --agent.
#[derive(Debug, Args)]
pub(crate) struct ContinueArgs {
    /// Go on in this phase: the current one, or an earlier one, to which it goes back
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<String>,
    /// Hold the debate that the phase waits for, with the agents of its plan
    #[arg(long)]
    pub(crate) run: bool,
    /// Hold the debate that the phase waits for, with this agent in every seat, or `auto` for those that are found; it may
    /// propose the options too
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Run the commands that the debate's plan names: agents given as `acp:COMMAND`, `local:FILE` or a script elsewhere
    #[arg(long)]
    pub(crate) allow_commands: bool,
    /// Let a rehearsal pass the gate; the handoff says so, and no knowledge is written
    #[arg(long)]
    pub(crate) allow_rehearsal: bool,
    /// Seats asked at the same time; 16 if nothing is said
    #[arg(long, value_name = "N")]
    pub(crate) parallel: Option<usize>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Shows where the workflow stands, what holds it, and whether the next phase would debate. Changes nothing.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// All tasks, all phases to come, and what is known
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Only the choice of output.
#[derive(Debug, Args)]
pub(crate) struct JsonArgs {
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Puts a snapshot of the workflow's state back. Documents, debates and knowledge stay as they are.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The snapshot, or how its name begins; the newest that differs if none is given
    pub(crate) snapshot: Option<String>,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Says that a task of the current phase is done, or cannot go on.
#[derive(Debug, Args)]
pub(crate) struct TaskArgs {
    #[command(subcommand)]
    pub(crate) action: TaskAction,
}

/// What can be said about a task.
#[derive(Debug, Subcommand)]
pub(crate) enum TaskAction {
    /// Tick it
    Done(TaskDoneArgs),
    /// Mark it as blocked; the phase is not left until it is done
    Block(TaskBlockArgs),
}

/// A task that is done.
#[derive(Debug, Args)]
pub(crate) struct TaskDoneArgs {
    /// The task: its id, how that begins, or its number
    pub(crate) task: String,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// A task that cannot go on.
#[derive(Debug, Args)]
pub(crate) struct TaskBlockArgs {
    /// The task: its id, how that begins, or its number
    pub(crate) task: String,
    /// What stands in the way
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Lists the kill-switch criteria of all decisions that stand, with what is due.
///
/// A criterion may carry a command (`- Check: `make slo``): exit 0 while all is well. Such commands stand in files that
/// models may have written, so they are shown, and run only with --run-commands: in the workspace, each for at most a
/// minute, with PATH, HOME, LANG, LC_*, TERM, USER and TMPDIR as their environment. One that is longer than 500
/// characters, of several lines or with characters that cannot be seen is never run.
#[derive(Debug, Args)]
pub(crate) struct TripwireArgs {
    /// Exit 3 if one is due, has tripped or cannot be told; one that has tripped reopens its decision
    #[arg(long)]
    pub(crate) check: bool,
    /// Run the commands that the criteria carry
    #[arg(long, requires = "check")]
    pub(crate) run_commands: bool,
    /// Say that this one has tripped, such as D1.2: its decision is debated again
    #[arg(long, value_name = "ID", conflicts_with_all = ["check", "run_commands"])]
    pub(crate) trip: Option<String>,
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
    /// Read question, options and context from a file that another tool prepared (debate_context, YAML or JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
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
    /// Seats asked at the same time; 16 if nothing is said
    #[arg(long, value_name = "N")]
    pub(crate) parallel: Option<usize>,
    /// Show peers by their seats' names instead of Speaker 1..n
    #[arg(long)]
    pub(crate) named: bool,
    /// Let lead and challengers run on one model family; the verdict says so
    #[arg(long)]
    pub(crate) allow_same_family: bool,
    /// Leave a verdict that hangs on one seat or one way of counting to a person (judges, panel, challenge)
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
    /// Start a new debate from this one's plan as it is now
    #[arg(long)]
    pub(crate) fork: bool,
    /// Put this agent into every seat first, or `auto` for those that are found; only while nobody has spoken
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Run the commands that the plan names: agents given as `acp:COMMAND`, `local:FILE` or a script elsewhere
    #[arg(long)]
    pub(crate) allow_commands: bool,
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

/// Checks a gate: every file there, every section, one clear decision. Changes nothing.
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
/// Writes nothing. Exit 0 only if every verdict was derived again and nothing is wrong; 3 if not, or if a debate is not over.
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

/// Lists what could answer here: agent CLIs, model APIs, servers on this machine, agents of your own.
///
/// First those that can be asked now, then those that could be, each with the command that gets it there. Runs no program,
/// calls nobody, and looks for servers on this machine only.
#[derive(Debug, Args)]
pub(crate) struct AgentsArgs {
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Checks the machine and every agent, and says what to do about what does not work.
///
/// Says at which level `challenge` can be held: DISABLED, nobody of another model family than the lead's can challenge it;
/// MINIMAL, one other family; FUNCTIONAL, two; OPTIMAL, three or more. Without --probe that is by what is installed and has a
/// key or a login, with it by what answered.
///
/// Exit 0 if at least one agent can answer, 5 if none can.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Only these agents, such as claude or openai:gpt-5; all that could answer if none is named
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<String>,
    /// Ask every agent one tiny question: real calls, which may cost a fraction of a cent each
    #[arg(long)]
    pub(crate) probe: bool,
    /// How long one answer may take, such as 30s or 2m
    #[arg(long, value_name = "TIME", default_value = "60s", requires = "probe")]
    pub(crate) timeout: String,
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
