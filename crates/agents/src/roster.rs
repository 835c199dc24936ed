//! The agents that can be seated, by name.
//!
//! To add a kind, write its file and add one line to [`KINDS`]. The roster reads no environment: what it needs comes in
//! as settings. An agent is made when it is first asked for and kept, so that all seats share connections.

use crate::agent::Agent;
use crate::api::{Apis, is_same_host, providers};
use crate::cli::access;
use crate::finding;
use crate::key::Keys;
use crate::lane::Lane;
use crate::prices::{self, Asked, Price};
use crate::recipes;
use crate::rehearsal::Rehearsal;
use crate::script::ScriptError;
use crate::scripted::Scripted;
use crate::settings::{AgentSettings, RosterSettings};
use forge_debate::plan::{REHEARSAL, nearest};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// One kind of agent.
struct Kind {
    name: &'static str,
    pattern: &'static str,
    description: &'static str,
    rest: Rest,
    seat: Seating,
}

/// What stands after the colon of an agent's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// Nothing.
    Never,
    /// A model, where the user wants another than the agent's own.
    Maybe,
    /// A model, a file or a command.
    Always,
}

/// Makes the agent of a whole name, such as `openai:gpt-5`, and what stands after its colon.
type Seating = fn(&Roster, &str, &str) -> Result<Arc<dyn Agent>, UnknownAgent>;

/// Every kind of agent. One line each.
#[rustfmt::skip]
static KINDS: &[Kind] = &[
    Kind { name: REHEARSAL, pattern: "rehearsal", description: "built in: no model, no network, no cost; shows the form of a debate and knows nothing", rest: Rest::Never, seat: rehearsal },
    Kind { name: "scripted", pattern: "scripted:FILE", description: "follows a YAML or JSON script of replies and failures", rest: Rest::Always, seat: scripted },
    Kind { name: "claude", pattern: "claude[:MODEL]", description: "Claude Code, without tools", rest: Rest::Maybe, seat: crate::cli::seat },
    Kind { name: "codex", pattern: "codex[:MODEL]", description: "Codex, read-only and without a shell", rest: Rest::Maybe, seat: crate::cli::seat },
    Kind { name: "gemini", pattern: "gemini[:MODEL]", description: "Gemini CLI, without tools", rest: Rest::Maybe, seat: crate::cli::seat },
    Kind { name: "qwen", pattern: "qwen[:MODEL]", description: "Qwen Code, without tools", rest: Rest::Maybe, seat: crate::cli::seat },
    Kind { name: "opencode", pattern: "opencode[:MODEL]", description: "opencode, without tools", rest: Rest::Maybe, seat: crate::cli::seat },
    Kind { name: "acp", pattern: "acp:COMMAND", description: "any agent that speaks the Agent Client Protocol", rest: Rest::Always, seat: crate::acp::seat },
    Kind { name: "anthropic", pattern: "anthropic[:MODEL]", description: "a model behind Anthropic's messages (ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL)", rest: Rest::Maybe, seat: crate::api::seat },
    Kind { name: "openai", pattern: "openai[:MODEL]", description: "a model behind OpenAI's chat completions, or any server that speaks them (OPENAI_BASE_URL, OPENAI_API_KEY)", rest: Rest::Maybe, seat: crate::api::seat },
    Kind { name: "google", pattern: "google[:MODEL]", description: "a model behind Gemini's API (GEMINI_API_KEY)", rest: Rest::Maybe, seat: crate::api::seat },
    Kind { name: "openrouter", pattern: "openrouter:MODEL", description: "a model behind OpenRouter (OPENROUTER_API_KEY)", rest: Rest::Always, seat: crate::api::seat },
    Kind { name: "ollama", pattern: "ollama[:MODEL]", description: "a model of Ollama on this machine", rest: Rest::Maybe, seat: crate::api::seat },
    Kind { name: "llamacpp", pattern: "llamacpp[:MODEL]", description: "llama.cpp's server on this machine", rest: Rest::Maybe, seat: crate::api::seat },
    Kind { name: "lmstudio", pattern: "lmstudio[:MODEL]", description: "LM Studio on this machine", rest: Rest::Maybe, seat: crate::api::seat },
    Kind { name: "local", pattern: "local:FILE.gguf", description: "a model file on this machine, run by llama.cpp's llama-server", rest: Rest::Always, seat: crate::api::seat_file },
];

/// Kinds after whose colon stands a command or a file.
const NAME_NO_MODEL: &[&str] = &["acp", "local", "scripted"];

/// How an agent of the configuration's is written.
const OWN_PATTERN: &str = "NAME[:MODEL]";

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

impl UnknownAgent {
    /// What was asked for.
    pub fn name(&self) -> &str {
        match self {
            UnknownAgent::NoSuch { name, .. }
            | UnknownAgent::Malformed { name, .. }
            | UnknownAgent::Script { name, .. }
            | UnknownAgent::Settings { name, .. } => name,
        }
    }
}

/// The agents that can be seated.
pub struct Roster {
    settings: RosterSettings,
    apis: Apis,
    seated: Mutex<BTreeMap<String, Arc<dyn Agent>>>,
    lanes: Mutex<BTreeMap<String, Arc<Lane>>>,
    keys: Arc<Keys>,
}

impl fmt::Debug for Roster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Roster").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Roster {
    /// A roster with these settings. Opens nothing before an agent is asked for.
    pub fn new(settings: RosterSettings) -> Self {
        Self {
            settings,
            apis: Apis::default(),
            seated: Mutex::default(),
            lanes: Mutex::default(),
            keys: Arc::default(),
        }
    }

    /// What agents know about where they run.
    pub fn settings(&self) -> &RosterSettings {
        &self.settings
    }

    /// Connections to model APIs, and the lanes to them.
    pub(crate) fn apis(&self) -> &Apis {
        &self.apis
    }

    /// The lane of an agent's account, which is the same one whatever model is asked for.
    pub(crate) fn lane(&self, account: &str, places: usize) -> Arc<Lane> {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(lanes.entry(account.to_owned()).or_insert_with(|| Arc::new(Lane::new(places))))
    }

    /// The keys that commands of the configuration have printed.
    pub(crate) fn keys(&self) -> Arc<Keys> {
        Arc::clone(&self.keys)
    }

    /// Ends what agents keep running between their calls, such as the server of a model file; whoever is asked next starts
    /// it anew. For when nobody is asked any more: before the runtime ends on which it was started, and before
    /// [`crate::keeper::all_ended`], which waits for its end.
    pub fn rest(&self) {
        let seated = self.seated.lock().unwrap_or_else(PoisonError::into_inner);
        seated.values().for_each(|agent| agent.rest());
    }

    /// The families that are known besides what names tell, by the agents' names: those of makers' own APIs, and those that
    /// the user's configuration states.
    pub fn stated_families(&self) -> BTreeMap<String, String> {
        let makers = providers::ALL.iter().map(|provider| provider.name);
        let names = makers.chain(self.settings.agents.keys().map(String::as_str));
        names.filter_map(|name| Some((name.to_owned(), self.stated_family(name)?))).collect()
    }

    /// The file in which an agent looks for its context; none for those that read no file: model APIs, rehearsals, scripts,
    /// agents of the Agent Client Protocol.
    pub fn context_file(&self, name: &str) -> Option<&'static str> {
        let short = name.split(':').next().unwrap_or(name).trim();
        let own = self.settings.agents.get(short);
        let recipe = recipes::named(short);
        let is_program = recipe.is_some() || own.is_some_and(|own| own.command.is_some() && short != "local");
        is_program.then(|| recipes::context_file(recipe, own.unwrap_or(&AgentSettings::default())))
    }

    /// Whose weights an agent runs on, where that is known besides what its name tells.
    pub fn stated_family(&self, name: &str) -> Option<String> {
        let short = name.split(':').next().unwrap_or(name).trim();
        let stated = self.settings.agents.get(short).and_then(|agent| agent.family.clone());
        stated.or_else(|| finding::makers_own(&self.settings, short).map(str::to_owned))
    }

    /// What an agent costs: with the model that served, where that is known, and otherwise with the one that it is asked
    /// for. A served model that nobody knows costs what the one costs that was asked for.
    pub fn price(&self, agent: &str, served: Option<&str>) -> Price {
        let (agent, kind) = (agent.trim(), prices::kind(agent));
        let rest = agent.split_once(':').map(|(_, model)| model.trim()).filter(|model| !model.is_empty());
        let named = rest.filter(|_| !NAME_NO_MODEL.contains(&kind));
        let own = self.settings.agents.get(kind).and_then(|own| own.model.as_deref());
        let asked = named.or(own).or_else(|| crate::recipes::default_model(kind));
        let of = |model: Option<&str>| {
            let is_at_maker = prices::maker(agent, model).is_some_and(|maker| self.is_asked_at(maker, kind, model));
            let is_here = finding::is_asked_here(&self.settings, kind);
            prices::price(Asked { agent, model, is_at_maker, is_here }, &self.settings.prices)
        };
        match served.map(|model| of(Some(model))) {
            None => of(asked),
            // Whoever is asked here is free, unless what served turns out not to be here.
            Some(Price::Unknown) => Some(of(asked)).filter(|asked| *asked != Price::Free).unwrap_or(Price::Unknown),
            Some(known) => known,
        }
    }

    /// Whether an agent asks a maker at its own address, as far as settings tell.
    fn is_asked_at(&self, maker: &str, kind: &str, model: Option<&str>) -> bool {
        let Some(provider) = providers::ALL.iter().find(|provider| provider.name == maker) else { return false };
        let own = self.settings.agents.get(kind).cloned().unwrap_or_default();
        let recipe = recipes::named(kind);
        let variable = match recipe {
            Some(recipe) => access::address_variable(&self.settings, &own, recipe, model),
            None => provider.base_url_variable,
        };
        let said = own.base_url.as_deref().or_else(|| self.settings.variable(variable?));
        match said {
            Some(address) => is_same_host(address, provider.base_url),
            None => !recipe.is_some_and(|recipe| {
                let home = access::users_home(&self.settings, &own, Some(recipe));
                home.is_some_and(|home| recipes::is_sent_elsewhere(recipe, &home))
            }),
        }
    }

    /// Seats an agent of the caller's own under a name.
    pub fn seat(&self, name: &str, agent: Arc<dyn Agent>) {
        let _ = self.seated.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), agent);
    }

    /// Whether the configuration says that this agent is not to be asked unless it is named.
    pub fn is_switched_off(&self, name: &str) -> bool {
        let kind = name.split(':').next().unwrap_or(name).trim();
        self.settings.agents.get(kind).and_then(|agent| agent.enabled) == Some(false)
    }

    /// The agent of that name, always the same one.
    pub fn find(&self, name: &str) -> Result<Arc<dyn Agent>, UnknownAgent> {
        let name = name.trim();
        let mut seated = self.seated.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(agent) = seated.get(name) {
            return Ok(Arc::clone(agent));
        }
        let (kind, rest) = name.split_once(':').unwrap_or((name, ""));
        let (pattern, allowed, seat) = match KINDS.iter().find(|known| known.name == kind) {
            Some(known) => (known.pattern, known.rest, known.seat),
            None => match self.settings.agents.get(kind) {
                Some(own) if own.command.is_some() => (OWN_PATTERN, Rest::Maybe, crate::cli::seat as Seating),
                Some(own) if own.api.is_some() => (OWN_PATTERN, Rest::Maybe, crate::api::seat as Seating),
                _ => return Err(self.no_such(name, kind, rest)),
            },
        };
        let is_malformed = match allowed {
            Rest::Never => name.contains(':'),
            Rest::Maybe => name.contains(':') && rest.trim().is_empty(),
            Rest::Always => rest.trim().is_empty(),
        };
        if is_malformed {
            return Err(UnknownAgent::Malformed { name: name.to_owned(), pattern });
        }
        check_rest(name)?;
        let agent = seat(self, name, rest.trim())?;
        seated.insert(name.to_owned(), Arc::clone(&agent));
        Ok(agent)
    }

    fn no_such(&self, name: &str, kind: &str, rest: &str) -> UnknownAgent {
        if self.settings.agents.contains_key(kind) {
            let problem = format!("agents.{kind} says neither which `command` it is nor which `api` it speaks");
            return UnknownAgent::Settings { name: name.to_owned(), problem };
        }
        let own = self.settings.agents.keys().map(String::as_str);
        let near = nearest(kind, KINDS.iter().map(|known| known.name).chain(own));
        let hint = near.map(|near| if rest.is_empty() { near.to_owned() } else { format!("{near}:{rest}") });
        UnknownAgent::NoSuch { name: name.to_owned(), hint }
    }

    /// Every kind of agent: how its name is written, and what it is.
    pub fn known() -> Vec<(&'static str, &'static str)> {
        KINDS.iter().map(|kind| (kind.pattern, kind.description)).collect()
    }
}

impl RosterSettings {
    /// Whether an agent is a command of the user's own.
    pub fn is_own_command(&self, name: &str) -> bool {
        let kind = name.split(':').next().unwrap_or(name).trim();
        !is_kind(kind) && self.agents.get(kind).is_some_and(|own| own.command.is_some())
    }
}

/// Whether a kind of agent has that name, so that no agent of the configuration's can.
pub fn is_kind(name: &str) -> bool {
    KINDS.iter().any(|kind| kind.name == name)
}

/// What an agent's name would run or read that is of the name's own choosing: a command, a model's file, a script.
/// Names that stand in files from elsewhere are held against this. None for every other name.
pub fn command_in(name: &str) -> Option<String> {
    let (kind, rest) = name.trim().split_once(':')?;
    let rest = rest.trim();
    match kind.trim() {
        "acp" => Some(format!("the command `{rest}`")),
        "local" => Some(format!("the file {rest:?}")),
        "scripted" => Some(format!("the script {rest:?}")),
        _ => None,
    }
}

/// Refuses what would be a flag to somebody further down, whoever is asked: no model, file or command begins with a dash.
pub(crate) fn check_rest(name: &str) -> Result<(), UnknownAgent> {
    let rest = name.split_once(':').map_or("", |(_, rest)| rest.trim());
    if !rest.starts_with('-') {
        return Ok(());
    }
    let problem = format!("{rest:?} stands where a model, a file or a command is named, and none begins with -");
    Err(UnknownAgent::Settings { name: name.to_owned(), problem })
}

fn patterns() -> String {
    KINDS.iter().map(|kind| kind.pattern).collect::<Vec<_>>().join(", ")
}

fn rehearsal(_: &Roster, _: &str, _: &str) -> Result<Arc<dyn Agent>, UnknownAgent> {
    Ok(Arc::new(Rehearsal))
}

fn scripted(roster: &Roster, name: &str, file: &str) -> Result<Arc<dyn Agent>, UnknownAgent> {
    let root = roster.settings.workspace.clone().unwrap_or_default();
    match Scripted::new(name, &root.join(file)) {
        Ok(agent) => Ok(Arc::new(agent)),
        Err(problem) => Err(UnknownAgent::Script { name: name.to_owned(), problem }),
    }
}
