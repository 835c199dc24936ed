//! What only the user may say. Inside a host, an agent's own shell, whatever is typed may be a model's idea: what runs a program
//! of the typist's choice, or speaks for the user, is refused there, unless the user's own configuration allows it.

use crate::allowed::Caps;
use crate::config::{Resolved, share};
use crate::workspace::{EngineError, Workspace};
use forge_debate::plan::Hand;
use forge_debate::profile::Profile;
use forge_debate::voting::Threshold;

/// Something that a command says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said<'a> {
    /// Words that are the user's whatever stands beside them, such as `--adopt`.
    Word(&'a str),
    /// Who is asked, and by which flag or variable.
    Agent {
        /// The flag or variable.
        by: &'a str,
        /// Its name.
        name: &'a str,
    },
    /// That everybody who can be is asked, by which flag.
    Commands(&'a str),
    /// How long and by how many a debate under these rules is agreed.
    Rules {
        /// The most rounds.
        rounds: Option<u16>,
        /// How many must agree.
        threshold: Option<Threshold>,
        /// The rules.
        protocol: &'static Profile,
    },
    /// Limits for a debate under these rules.
    Caps(Caps, &'static Profile),
    /// So many calls at once.
    Parallel(usize),
    /// The words of a seat.
    Turn {
        /// The debate.
        debate: &'a str,
        /// The seat.
        seat: &'a str,
    },
}

/// The shell in which a command was typed.
#[derive(Debug, Clone, Copy)]
pub struct Shell<'a> {
    /// The variable that tells whose it is.
    pub variable: &'a str,
    /// The file in which the user allows it.
    pub settings: &'a str,
}

impl Workspace {
    /// Refuses what only the user may say, where a host may have said it.
    pub fn refuse_reserved(
        &self,
        said: &[Said<'_>],
        configuration: &Resolved,
        shell: Shell<'_>,
    ) -> Result<(), EngineError> {
        let Some(host) = &self.host else { return Ok(()) };
        let Some(what) = said.iter().find_map(|one| self.reserved(one, configuration)) else { return Ok(()) };
        Err(EngineError::Usage(format!(
            "{what}: this runs inside {host} ({} is set), and that is for you to say. Type it in a terminal of your own; or allow it once and for all with {{\"inside_host\": {{\"allow\": true}}}} in {}",
            shell.variable, shell.settings
        )))
    }

    /// What of it is the user's alone, in the words that were typed.
    fn reserved(&self, said: &Said<'_>, configuration: &Resolved) -> Option<String> {
        match *said {
            Said::Word(word) => Some(word.to_owned()),
            Said::Agent { by, name } => {
                let is_command =
                    self.roster.settings().is_own_command(name) || forge_agents::command_in(name).is_some();
                // Outside of a host whoever names it means it.
                (is_command || self.roster.is_switched_off(name)).then(|| format!("{by} {name}"))
            }
            Said::Commands(by) => {
                let own = configuration.roster.agents.keys().find(|name| self.roster.settings().is_own_command(name));
                own.map(|name| format!("{by} of all agents, of which {name} is a command of yours"))
            }
            Said::Rules { rounds, threshold, protocol } => {
                // Where nobody configured anything, forge's own figures hold.
                let configured =
                    |key: &str| Some(&configuration.value(&format!("{}.{key}", protocol.settings?))?.value);
                let most = configured("max_rounds").and_then(|value| u16::try_from(value.as_u64()?).ok());
                let least = configured("consensus_threshold").and_then(share);
                raised("--rounds", rounds, most).or_else(|| {
                    let is_less = !threshold?.is_at_least(&least?);
                    is_less.then(|| "--threshold below what is configured".to_owned())
                })
            }
            Said::Caps(typed, protocol) => {
                // Where nobody says how long an ask may take, forge's own figure holds. What is spent has none.
                let most = configuration.caps(protocol);
                let seconds = most.timeout_seconds.or(Some(configuration.defaults.timeout_seconds));
                raised("--max-calls", typed.max_calls, most.max_calls)
                    .or_else(|| raised("--max-tokens", typed.max_tokens, most.max_tokens))
                    .or_else(|| raised("--max-cost", typed.max_cost, most.max_cost))
                    .or_else(|| raised("--timeout", typed.timeout_seconds, seconds))
            }
            Said::Parallel(typed) => raised("--parallel", Some(typed), Some(configuration.defaults.parallel)),
            Said::Turn { debate, seat } => {
                let files = self.open(debate).ok()?;
                let is_person = files.plan.seats.iter().any(|one| one.id.as_str() == seat && one.hand == Hand::Human);
                is_person.then(|| format!("forge turn submit for {seat}, which is a person's seat"))
            }
        }
    }
}

/// A limit that is typed higher than it is configured.
fn raised<N: Ord>(flag: &str, typed: Option<N>, most: Option<N>) -> Option<String> {
    (typed? > most?).then(|| format!("{flag} above what is configured"))
}
