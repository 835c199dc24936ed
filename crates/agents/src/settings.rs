//! What agents need to know about where they run. Values only: whoever makes them has read the environment and the
//! configuration already.

use crate::keeper::{Keeper, Sandbox};
use crate::prices::Rates;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Everything that the roster needs.
#[derive(Clone, Default)]
pub struct RosterSettings {
    /// forge's own environment. Agents are given what their recipe lists, and no more.
    pub environment: BTreeMap<String, String>,
    /// The workspace: where relative paths of scripts and models start (the current directory where there is none), and what
    /// no program that answers needs to read.
    pub workspace: Option<PathBuf>,
    /// How programs are kept; where there is none, no program can be seated.
    pub keeper: Option<Keeper>,
    /// Folders in which a seat's own folder may be made, the best first. Nothing in them or above them may be a context file.
    pub scratch: Vec<PathBuf>,
    /// What the configuration says about agents, by their names: the built-in ones, and the user's own.
    pub agents: BTreeMap<String, AgentSettings>,
    /// Whether programs are held in the kernel's sandbox.
    pub sandbox: Sandbox,
    /// Whether the user's own configuration allows flags that switch a program's own safety off.
    pub allow_dangerous: bool,
    /// How long a program may take until its first byte; the recipe's own figure where there is none.
    pub first_byte: Option<Duration>,
    /// The longest silence of a program; the recipe's own figure where there is none.
    pub idle: Option<Duration>,
    /// What the user's own configuration says that models and agents cost, by their names.
    pub prices: BTreeMap<String, Rates>,
}

impl RosterSettings {
    /// Settings with these variables and nothing else.
    pub fn with_environment<const N: usize>(variables: [(&str, &str); N]) -> Self {
        let environment = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        Self { environment, ..Self::default() }
    }

    /// A variable of forge's environment, if it says anything.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.environment.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }
}

impl fmt::Debug for RosterSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Values of the environment and addresses may be secrets.
        f.debug_struct("RosterSettings")
            .field("environment", &format_args!("{} variables", self.environment.len()))
            .field("workspace", &self.workspace)
            .field("agents", &self.agents.keys())
            .finish_non_exhaustive()
    }
}

/// What the configuration says about one agent. Every field is optional: what is not said is the recipe's.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct AgentSettings {
    /// The program: a name on the search path, or a path. With it, an agent of the user's own is an agent CLI.
    pub command: Option<String>,
    /// Its arguments. `{model}` and `{prompt_file}` are filled in.
    pub args: Option<Vec<String>>,
    /// Where the prompt goes.
    pub prompt: Option<PromptWay>,
    /// Where the answer is in what it prints.
    pub output: Option<OutputShape>,
    /// The wire that it speaks, where it is a model API: `openai`, `openai-responses`, `anthropic`, `gemini`.
    pub api: Option<String>,
    /// Where it is asked.
    pub base_url: Option<String>,
    /// The variable that holds its key.
    pub key_env: Option<String>,
    /// A command that prints its key.
    pub key_command: Option<Vec<String>>,
    /// The model where the seat names none.
    pub model: Option<String>,
    /// Whose weights it runs on.
    pub family: Option<String>,
    /// Variables to set. No keys: those come from `key_env` or `key_command`.
    pub env: BTreeMap<String, String>,
    /// Variables of forge's environment to pass on.
    pub pass_env: Vec<String>,
    /// Whether it sees the user's home.
    pub home: Option<Home>,
    /// What it may write besides its own folder.
    pub writable: Vec<PathBuf>,
    /// What it may read although it holds keys or lies in the workspace.
    pub readable: Vec<PathBuf>,
    /// How many calls may be under way at once.
    pub parallel: Option<usize>,
    /// Whether the form is sent as a schema, where the wire can; by default to the makers' own addresses only.
    pub structured: Option<bool>,
    /// Whether it may be chosen without being named.
    pub enabled: Option<bool>,
}

impl AgentSettings {
    /// Whether this says what the agent is or how it is reached, and not only how much it is used.
    pub(crate) fn sets_up(&self) -> bool {
        let texts = [&self.command, &self.api, &self.base_url, &self.key_env, &self.model];
        texts.iter().any(|text| text.is_some()) || self.key_command.is_some()
    }
}

impl fmt::Debug for AgentSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentSettings")
            .field("command", &self.command)
            .field("api", &self.api)
            .field("model", &self.model)
            .field("family", &self.family)
            .finish_non_exhaustive()
    }
}

/// Whether a model can be called this. What begins with a dash would be a flag to the program that it is passed to.
pub fn is_model_name(text: &str) -> bool {
    let is_odd = |c: char| c.is_whitespace() || c.is_control();
    !text.is_empty() && !text.starts_with('-') && !text.contains(is_odd)
}

/// Where a program reads its prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptWay {
    /// From its standard input, which is then closed.
    Stdin,
    /// From a file in its folder, whose path replaces `{prompt_file}` in its arguments.
    File,
}

/// Where the answer is in what a program prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputShape {
    /// All of it.
    Text,
    /// One JSON document (or the last of several lines), at this JSON pointer, such as `/result/text`.
    Json(String),
}

/// Which home a program sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// The user's, where the program is logged in or configured there; an empty one otherwise.
    Auto,
    /// The user's.
    Own,
    /// An empty one.
    Fresh,
}
