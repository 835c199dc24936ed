//! What the configuration makes: parts of the roster's settings, and the defaults of debates.

use super::kinds;
use forge_agents::keeper::Sandbox;
use forge_agents::prices::Rates;
use forge_agents::{AgentSettings, Home, OutputShape, PromptWay};
use forge_debate::voting::Threshold;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Everything that values are put into.
#[derive(Debug, Clone, Default)]
pub struct Made {
    /// What agents are told.
    pub roster: RosterParts,
    /// What a debate is where no flag says otherwise.
    pub defaults: DebateDefaults,
}

/// The parts of the roster's settings that come from configuration.
#[derive(Debug, Clone, Default)]
pub struct RosterParts {
    /// What is said about agents, by name.
    pub agents: BTreeMap<String, AgentSettings>,
    /// Whether programs are held in the kernel's sandbox.
    pub sandbox: Sandbox,
    /// Whether flags may switch a program's own safety off.
    pub allow_dangerous: bool,
    /// How long a program may take until its first byte.
    pub first_byte: Option<Duration>,
    /// The longest silence of a program.
    pub idle: Option<Duration>,
    /// What models and agents cost, by their names.
    pub prices: BTreeMap<String, Rates>,
}

/// What a debate is where no flag says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DebateDefaults {
    /// Who moves seats that nothing else is said about.
    pub agent: Option<String>,
    /// Who moves particular seats: the agent by protocol and seat.
    pub seats: BTreeMap<(String, String), String>,
    /// The protocol.
    pub protocol: String,
    /// How long one ask may take.
    pub timeout_seconds: u32,
    /// Seats asked at the same time.
    pub parallel: usize,
    /// The most calls.
    pub max_calls: Option<u32>,
    /// The most tokens.
    pub max_tokens: Option<u64>,
    /// The most that it may cost, in millionths of a US dollar.
    pub max_cost: Option<u64>,
    /// The most tokens of one answer.
    pub max_output_tokens: Option<u32>,
    /// Whether the rehearsal may speak where no agent is configured.
    pub rehearsal: bool,
    /// Whether a host may say what only the user may.
    pub inside_host: bool,
    /// What only some protocols have, by the name of the group of settings.
    pub groups: BTreeMap<&'static str, ProtocolDefaults>,
}

/// What a debate by one protocol is where no flag says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProtocolDefaults {
    /// The most rounds.
    pub max_rounds: Option<u16>,
    /// How many must agree.
    pub threshold: Option<Threshold>,
    /// How long one ask may take.
    pub timeout_seconds: Option<u32>,
    /// The fewest challengers that must have spoken.
    pub min_challengers: Option<u16>,
    /// Whether each judge must keep its stance.
    pub stances: bool,
    /// Whether a changed vote needs a ground that it cites.
    pub documented_changes: bool,
}

impl Default for ProtocolDefaults {
    /// Every rule holds.
    fn default() -> Self {
        Self {
            max_rounds: None,
            threshold: None,
            timeout_seconds: None,
            min_challengers: None,
            stances: true,
            documented_changes: true,
        }
    }
}

impl Made {
    /// The settings of one group.
    pub(super) fn group(&mut self, name: &'static str) -> &mut ProtocolDefaults {
        self.defaults.groups.entry(name).or_default()
    }

    /// Takes down what the first of these names costs.
    pub(super) fn put_price(&mut self, names: &[&str], value: &Value) {
        if let (Some(name), Some(rates)) = (names.first(), kinds::rates(value)) {
            self.roster.prices.insert((*name).to_owned(), rates);
        }
    }

    /// The settings of the agent that the first of these names is.
    pub(super) fn agent(&mut self, names: &[&str]) -> &mut AgentSettings {
        self.roster.agents.entry(names.first().copied().unwrap_or_default().to_owned()).or_default()
    }
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

pub(super) fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(text).collect()
}

pub(super) fn switch(value: &Value) -> bool {
    value.as_bool().unwrap_or_default()
}

pub(super) fn small(value: &Value) -> u32 {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(u32::MAX)
}

pub(super) fn tiny(value: &Value) -> u16 {
    value.as_u64().and_then(|number| u16::try_from(number).ok()).unwrap_or(u16::MAX)
}

pub(super) fn count(value: &Value) -> usize {
    value.as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(usize::MAX)
}

pub(super) fn seconds(value: &Value) -> Duration {
    Duration::from_secs(u64::from(small(value)))
}

pub(super) fn seat(made: &mut Made, names: &[&str], value: &Value) {
    if let [protocol, seat] = names {
        made.defaults.seats.insert(((*protocol).to_owned(), (*seat).to_owned()), text(value));
    }
}

pub(super) fn sandbox(made: &mut Made, _: &[&str], value: &Value) {
    made.roster.sandbox = if value == "off" { Sandbox::Off } else { Sandbox::WherePossible };
}

pub(super) fn prompt(made: &mut Made, names: &[&str], value: &Value) {
    made.agent(names).prompt = Some(if value == "file" { PromptWay::File } else { PromptWay::Stdin });
}

pub(super) fn output(made: &mut Made, names: &[&str], value: &Value) {
    let shape = if value == "text" { OutputShape::Text } else { OutputShape::Json(text(value)) };
    made.agent(names).output = Some(shape);
}

pub(super) fn home(made: &mut Made, names: &[&str], value: &Value) {
    made.agent(names).home = Some(match value.as_str() {
        Some("own") => Home::Own,
        Some("fresh") => Home::Fresh,
        _ => Home::Auto,
    });
}

pub(super) fn env(made: &mut Made, names: &[&str], value: &Value) {
    let variables = value.as_object().into_iter().flatten();
    made.agent(names).env = variables.map(|(name, value)| (name.clone(), text(value))).collect();
}

pub(super) fn writable(made: &mut Made, names: &[&str], value: &Value) {
    made.agent(names).writable = texts(value).into_iter().map(PathBuf::from).collect();
}

pub(super) fn readable(made: &mut Made, names: &[&str], value: &Value) {
    made.agent(names).readable = texts(value).into_iter().map(PathBuf::from).collect();
}
