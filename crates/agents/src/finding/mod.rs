//! What could answer here: agent CLIs on the search path, keys in the environment, servers on this machine, and the agents
//! of the user's own configuration; and for what cannot answer, the command that changes it.
//!
//! Promises: runs no program, makes no call that costs anything, and opens connections to this machine only, so that it can
//! be done before every debate. Must never show a key: what is said about keys is the variable that holds them.
//! Nothing is written; if the process dies here, nothing is lost.

pub mod advice;
mod apis;
mod clis;
mod naming;
mod own;
pub mod probe;
mod sandbox;
mod workshop;

pub use naming::{UNKNOWN_VENDOR, named};
pub use sandbox::{Kernel, kernel};
pub use workshop::{Workshop, workshop};

use crate::api::providers;
use crate::recipes;
use crate::roster::Roster;
use crate::settings::{AgentSettings, RosterSettings};
pub(crate) use apis::is_asked_here;
use forge_debate::family;
use forge_debate::plan::Hand;
use futures_util::future::join;
use reqwest::Url;
use std::path::PathBuf;
use std::time::Duration;

/// How long a server on this machine may take to say that it is there.
pub const LOCAL_LIMIT: Duration = Duration::from_millis(250);

/// How an agent is reached. In the order in which one is preferred to another of the same family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// An agent of the user's own configuration.
    Own,
    /// An agent CLI.
    Cli,
    /// A model API.
    Api,
    /// A server on this machine.
    Local,
}

impl Kind {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Own => "own",
            Kind::Cli => "cli",
            Kind::Api => "api",
            Kind::Local => "local",
        }
    }
}

/// How an agent authenticates, as far as can be told without asking it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// With the key in this variable.
    Key(String),
    /// With the key that a command of the user's prints.
    KeyCommand,
    /// With the login that this file holds.
    Login(PathBuf),
    /// With whatever this file of the user's configures.
    Configured(PathBuf),
    /// It needs nothing, or its own configuration has it.
    NotNeeded,
    /// With nothing that could be found.
    Missing,
}

impl Access {
    /// The word used in JSON.
    pub fn word(&self) -> &'static str {
        match self {
            Access::Key(_) => "key",
            Access::KeyCommand => "key_command",
            Access::Login(_) => "login",
            Access::Configured(_) => "configured",
            Access::NotNeeded => "not_needed",
            Access::Missing => "missing",
        }
    }

    /// What it is, for a person.
    pub fn said(&self) -> String {
        match self {
            Access::Key(variable) => format!("key in {variable}"),
            Access::KeyCommand => "key from a command".to_owned(),
            Access::Login(file) => format!("login in {}", file.display()),
            Access::Configured(file) => format!("configured in {}", file.display()),
            Access::NotNeeded => "no key needed".to_owned(),
            Access::Missing => "no key, no login".to_owned(),
        }
    }
}

/// Why an agent is not asked unless somebody changes something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// What it is.
    pub kind: ObstacleKind,
    /// What is in the way, in a few words.
    pub why: String,
    /// The command that changes it, or what else does.
    pub fix: String,
}

/// Kinds of obstacles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObstacleKind {
    /// The program is not there, or nothing listens.
    NotInstalled,
    /// It has neither key nor login.
    NoAccess,
    /// The configuration says that it is not to be chosen.
    Disabled,
    /// It would answer, but not as what its name promises, or nobody knows as what.
    Ambiguous,
    /// What the configuration says about it cannot be.
    Misconfigured,
}

impl ObstacleKind {
    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            ObstacleKind::NotInstalled => "not_installed",
            ObstacleKind::NoAccess => "no_access",
            ObstacleKind::Disabled => "disabled",
            ObstacleKind::Ambiguous => "ambiguous",
            ObstacleKind::Misconfigured => "misconfigured",
        }
    }
}

/// Something that could answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The agent's name, such as `claude`.
    pub name: String,
    /// How it is reached.
    pub kind: Kind,
    /// The program, where it is one and is there.
    pub program: Option<PathBuf>,
    /// The program's version, where its package says so.
    pub version: Option<String>,
    /// How it authenticates.
    pub access: Access,
    /// The model that would be asked; the agent's own choice where there is none.
    pub model: Option<String>,
    /// Whose weights that is, where it can be told.
    pub family: Option<String>,
    /// Who is sent what is asked.
    pub vendor: String,
    /// Where it is asked instead of at its vendor: host and port, and what says so.
    pub redirected: Option<Redirection>,
    /// Why it cannot be chosen, if it cannot.
    pub obstacle: Option<Obstacle>,
}

/// Another address than the vendor's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirection {
    /// Host and port, without user, password, path and query.
    pub host: String,
    /// The variable or the setting that says so.
    pub by: String,
}

impl Redirection {
    /// Whether it is this machine's discard port, which no model server has: so a server is said not to be there.
    fn is_nowhere(&self) -> bool {
        matches!(self.host.as_str(), "127.0.0.1:9" | "localhost:9" | "[::1]:9")
    }
}

impl Found {
    /// Whether it can be chosen without being named.
    pub fn is_usable(&self) -> bool {
        self.obstacle.is_none()
    }

    /// Whether somebody has set it up here: in a configuration file, by a key, an address or a model in the environment, or by
    /// logging in. What merely is not there, or is switched off, is not.
    pub fn is_configured(&self, settings: &RosterSettings) -> bool {
        if matches!(&self.obstacle, Some(Obstacle { kind: ObstacleKind::Disabled, .. })) {
            return false;
        }
        let said = settings.agents.get(&self.name).is_some_and(AgentSettings::sets_up);
        let has_access =
            matches!(self.access, Access::Key(_) | Access::KeyCommand | Access::Login(_) | Access::Configured(_));
        let is_there = self.kind != Kind::Cli || self.program.is_some();
        let is_sent = self.redirected.as_ref().is_some_and(|there| !there.is_nowhere());
        said || (has_access && is_there) || is_sent || apis::is_model_named(settings, &self.name)
    }

    /// Whether it is there, usable or not.
    pub fn is_installed(&self) -> bool {
        !matches!(&self.obstacle, Some(Obstacle { kind: ObstacleKind::NotInstalled, .. }))
    }

    /// The name under which it is seated: with the model where the agent alone does not tell it.
    pub fn seated_as(&self) -> String {
        match &self.model {
            Some(model) if self.name_needs_model() => format!("{}:{model}", self.name),
            _ => self.name.clone(),
        }
    }

    /// The name under which it is asked: with the model wherever one is known.
    pub fn asked_as(&self) -> String {
        match &self.model {
            Some(model) => format!("{}:{model}", self.name),
            None => self.name.clone(),
        }
    }

    /// The family of a plan's seat is read from its name, so what runs on anybody's weights says which.
    fn name_needs_model(&self) -> bool {
        match self.kind {
            Kind::Api | Kind::Local => true,
            Kind::Own => false,
            Kind::Cli => self.family != family::of_hand(&Hand::Agent(self.name.clone())),
        }
    }

    /// What a reader should know, in a few words: version, how it authenticates, where it is asked.
    pub fn about(&self) -> String {
        let mut parts = Vec::new();
        if let Some(version) = &self.version {
            parts.push(format!("version {version}"));
        }
        parts.push(self.access.said());
        if let Some(model) = self.model.as_ref().filter(|_| !self.name_needs_model()) {
            parts.push(format!("model {model}"));
        }
        if let Some(redirection) = &self.redirected {
            parts.push(format!("asked at {} ({})", redirection.host, redirection.by));
        } else if let Some(provider) = providers::ALL.iter().find(|one| one.is_local && one.name == self.name) {
            parts.push(format!("whatever answers at {} on this machine", host(provider.base_url)));
        }
        parts.join(", ")
    }
}

/// Looks for everything that could answer. Usable ones first, each kind in its order of preference.
pub async fn look(settings: &RosterSettings, limit: Duration) -> Vec<Found> {
    let (local, mut found) = join(apis::listening(settings, limit), own::look(settings, limit)).await;
    found.extend(recipes::ALL.iter().map(|recipe| clis::look(settings, recipe)));
    found.extend(apis::look(settings));
    found.extend(local);
    for one in found.iter_mut().filter(|one| one.program.is_some() && one.is_usable()) {
        one.obstacle = unseatable(settings, &one.name);
    }
    for one in found.iter_mut().filter(|one| one.access == Access::KeyCommand && one.is_usable()) {
        one.obstacle = no_key_command(settings, &one.name);
    }
    found.sort_by_key(|one| !one.is_usable());
    found
}

/// Why a key cannot come from the command that is to print it. The command is not run.
fn no_key_command(settings: &RosterSettings, name: &str) -> Option<Obstacle> {
    let command = settings.agents.get(name)?.key_command.as_ref()?.first()?;
    if crate::cli::program::find(settings, command).is_some() {
        return None;
    }
    Some(Obstacle {
        kind: ObstacleKind::NoAccess,
        why: format!("no program {command} on PATH, which is to print its key"),
        fix: format!("install it, or correct agents.{name}.key_command"),
    })
}

/// Why a program that is there cannot be seated, such as a flag that would switch its safety off.
fn unseatable(settings: &RosterSettings, name: &str) -> Option<Obstacle> {
    settings.keeper.as_ref()?;
    // Seating a program starts nothing.
    let problem = Roster::new(settings.clone()).find(name).err()?;
    Some(Obstacle {
        kind: ObstacleKind::Misconfigured,
        why: problem.to_string(),
        fix: format!("forge config shows what agents.{name} says, and where"),
    })
}

/// The family that a name and a model tell, unless the configuration says it.
fn family_of(settings: &RosterSettings, name: &str, model: Option<&str>, otherwise: Option<&str>) -> Option<String> {
    if let Some(told) = settings.agents.get(name).and_then(|agent| agent.family.as_ref()) {
        return Some(told.to_lowercase());
    }
    match (model, makers_own(settings, name)) {
        (Some(model), Some(maker)) if family::known(model).is_none() => Some(maker.to_owned()),
        (Some(model), _) => family::of_hand(&Hand::Agent(format!("{name}:{model}"))),
        (None, _) => otherwise.map(str::to_owned),
    }
}

/// The family of a maker's own API that is asked at the maker: whatever a model is called there, its weights are the
/// maker's. None for routers, for servers on this machine, and where another address is asked.
pub fn makers_own(settings: &RosterSettings, name: &str) -> Option<&'static str> {
    let provider = providers::ALL.iter().find(|provider| provider.name == name)?;
    let elsewhere = redirection(settings, name, provider.base_url_variable)
        .is_some_and(|there| there.host != host(provider.base_url));
    provider.family.filter(|_| !elsewhere)
}

/// Where an agent is asked, if not at its vendor: as its settings say, or else this variable.
fn redirection(settings: &RosterSettings, name: &str, variable: Option<&str>) -> Option<Redirection> {
    if let Some(address) = settings.agents.get(name).and_then(|agent| agent.base_url.as_deref()) {
        return Some(Redirection { host: host(address), by: format!("agents.{name}.base_url") });
    }
    let variable = variable?;
    settings.variable(variable).map(|address| Redirection { host: host(address), by: variable.to_owned() })
}

/// Host and port of an address, and nothing that may be secret in it.
fn host(address: &str) -> String {
    let parsed = Url::parse(address).ok().filter(Url::has_host);
    let Some(url) = parsed.or_else(|| Url::parse(&format!("http://{address}")).ok()) else {
        return "an address that cannot be read".to_owned();
    };
    match (url.host_str(), url.port()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (Some(host), None) => host.to_owned(),
        (None, _) => "an address that cannot be read".to_owned(),
    }
}

/// The obstacle that the configuration itself puts up.
fn disabled(settings: &RosterSettings, name: &str) -> Option<Obstacle> {
    let is_off = settings.agents.get(name).and_then(|agent| agent.enabled) == Some(false);
    is_off.then(|| Obstacle {
        kind: ObstacleKind::Disabled,
        why: "switched off by configuration".to_owned(),
        fix: format!("set agents.{name}.enabled to true, or name it: --agent {name}"),
    })
}
