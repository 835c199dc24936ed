//! What can be typed about the workflow and its phases.

use clap::{Args, Subcommand};

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
    /// Run or read what the debate's plan names: agents given as `acp:COMMAND`, `local:FILE` or `scripted:FILE`
    #[arg(long)]
    pub(crate) allow_commands: bool,
    /// Hold no rehearsal where no agent is configured: exit 5 instead
    #[arg(long)]
    pub(crate) no_rehearsal: bool,
    /// Let a rehearsal pass the gate; the handoff says so, and no knowledge is written
    #[arg(long)]
    pub(crate) allow_rehearsal: bool,
    /// Seats asked at the same time; 16 if nothing is said
    #[arg(long, value_name = "N")]
    pub(crate) parallel: Option<usize>,
    /// Said of a phase, and not here
    #[arg(short = 'd', long, hide = true)]
    pub(crate) debate: bool,
    /// Said of a phase, and not here
    #[arg(short = 'D', long, hide = true)]
    pub(crate) no_debate: bool,
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

/// Puts a snapshot of the workflow's state back, or takes over the state file of another tool. Documents, debates and
/// knowledge stay as they are.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The snapshot, or how its name begins; the newest if none is given
    pub(crate) snapshot: Option<String>,
    /// Take over this state file, whatever its layout; it is kept as it is
    #[arg(long, value_name = "FILE", conflicts_with = "snapshot")]
    pub(crate) adopt: Option<String>,
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
