//! The agents that can be seated, by name.
//!
//! To add a kind, write its file and add one line to [`KINDS`]. The roster reads no environment: what it needs comes in
//! as settings. An agent is made when it is first asked for and kept, so that all seats share connections.

use crate::agent::Agent;
use crate::openai::{OpenAi, Provider};
use crate::rehearsal::Rehearsal;
use crate::script::ScriptError;
use crate::scripted::Scripted;
use forge_debate::plan::{REHEARSAL, nearest};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What agents need to know about where they run.
#[derive(Clone, Default)]
pub struct RosterSettings {
    /// Where chat completions are asked for (`OPENAI_BASE_URL`); OpenAI itself where there is none.
    pub openai_base_url: Option<String>,
    /// The key for it (`OPENAI_API_KEY`).
    pub openai_api_key: Option<String>,
    /// Where relative paths of scripts start; the current directory where there is none.
    pub script_root: Option<PathBuf>,
}

impl fmt::Debug for RosterSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Addresses may carry a password.
        f.debug_struct("RosterSettings")
            .field("openai_base_url", &self.openai_base_url.as_ref().map(|_| "[set]"))
            .field("openai_api_key", &self.openai_api_key.as_ref().map(|_| "[set]"))
            .field("script_root", &self.script_root)
            .finish()
    }
}

/// One kind of agent.
struct Kind {
    name: &'static str,
    pattern: &'static str,
    description: &'static str,
    seat: Seating,
}

/// Makes the agent of a whole name, such as `openai:gpt-5`, and what stands after its colon.
type Seating = fn(&Roster, &str, &str) -> Result<Arc<dyn Agent>, UnknownAgent>;

/// Every kind of agent. One line each.
#[rustfmt::skip]
static KINDS: &[Kind] = &[
    Kind { name: REHEARSAL, pattern: "rehearsal", description: "built in: no model, no network, no cost; shows the form of a debate and knows nothing", seat: rehearsal },
    Kind { name: "scripted", pattern: "scripted:FILE", description: "follows a YAML or JSON script of replies and failures", seat: scripted },
    Kind { name: "openai", pattern: "openai:MODEL", description: "a model behind OpenAI's chat completions, or any server that speaks them (OPENAI_BASE_URL, OPENAI_API_KEY)", seat: openai },
];

/// An agent that cannot be seated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnknownAgent {
    /// No kind has that name.
    #[error("unknown agent {name:?}; agents are {}{}", patterns(), hint.as_ref().map(|near| format!("; did you mean {near:?}?")).unwrap_or_default())]
    NoSuch {
        /// What was asked for.
        name: String,
        /// What was probably meant.
        hint: Option<String>,
    },
    /// The kind is known, and something is missing or too much after it.
    #[error("agent {name:?}: expected {pattern}")]
    Malformed {
        /// What was asked for.
        name: String,
        /// What it should look like.
        pattern: &'static str,
    },
    /// The script is not sound.
    #[error("agent {name:?}: {problem}")]
    Script {
        /// What was asked for.
        name: String,
        /// What is wrong, with file and line.
        problem: ScriptError,
    },
    /// The settings do not allow it: no key, no address.
    #[error("agent {name:?}: {problem}")]
    Settings {
        /// What was asked for.
        name: String,
        /// What is wrong.
        problem: String,
    },
}

/// The agents that can be seated.
pub struct Roster {
    settings: RosterSettings,
    provider: OnceLock<Result<Arc<Provider>, String>>,
    seated: Mutex<BTreeMap<String, Arc<dyn Agent>>>,
}

impl fmt::Debug for Roster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Roster").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Roster {
    /// A roster with these settings. Opens nothing before an agent is asked for.
    pub fn new(settings: RosterSettings) -> Self {
        Self { settings, provider: OnceLock::new(), seated: Mutex::new(BTreeMap::new()) }
    }

    /// The agent of that name, always the same one.
    pub fn find(&self, name: &str) -> Result<Arc<dyn Agent>, UnknownAgent> {
        let name = name.trim();
        let mut seated = self.seated.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(agent) = seated.get(name) {
            return Ok(Arc::clone(agent));
        }
        let (kind, rest) = name.split_once(':').unwrap_or((name, ""));
        let Some(known) = KINDS.iter().find(|known| known.name == kind) else {
            let near = nearest(kind, KINDS.iter().map(|known| known.name));
            let hint = near.map(|near| if rest.is_empty() { near.to_owned() } else { format!("{near}:{rest}") });
            return Err(UnknownAgent::NoSuch { name: name.to_owned(), hint });
        };
        if known.pattern.contains(':') == rest.trim().is_empty() {
            return Err(UnknownAgent::Malformed { name: name.to_owned(), pattern: known.pattern });
        }
        let agent = (known.seat)(self, name, rest.trim())?;
        seated.insert(name.to_owned(), Arc::clone(&agent));
        Ok(agent)
    }

    /// Every kind of agent: how its name is written, and what it is.
    pub fn known() -> Vec<(&'static str, &'static str)> {
        KINDS.iter().map(|kind| (kind.pattern, kind.description)).collect()
    }
}

fn patterns() -> String {
    KINDS.iter().map(|kind| kind.pattern).collect::<Vec<_>>().join(", ")
}

fn rehearsal(_: &Roster, _: &str, _: &str) -> Result<Arc<dyn Agent>, UnknownAgent> {
    Ok(Arc::new(Rehearsal))
}

fn scripted(roster: &Roster, name: &str, file: &str) -> Result<Arc<dyn Agent>, UnknownAgent> {
    let root = roster.settings.script_root.clone().unwrap_or_default();
    match Scripted::new(name, &root.join(file)) {
        Ok(agent) => Ok(Arc::new(agent)),
        Err(problem) => Err(UnknownAgent::Script { name: name.to_owned(), problem }),
    }
}

fn openai(roster: &Roster, name: &str, model: &str) -> Result<Arc<dyn Agent>, UnknownAgent> {
    let settings = &roster.settings;
    let made = roster.provider.get_or_init(|| {
        Provider::new(settings.openai_base_url.as_deref(), settings.openai_api_key.as_deref()).map(Arc::new)
    });
    match made {
        Ok(provider) => Ok(Arc::new(OpenAi::new(name, model, Arc::clone(provider)))),
        Err(problem) => Err(UnknownAgent::Settings { name: name.to_owned(), problem: problem.clone() }),
    }
}
