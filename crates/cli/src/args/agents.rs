//! What can be typed about agents.

use clap::Args;

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
