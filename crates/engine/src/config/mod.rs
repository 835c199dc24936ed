//! Configuration: what holds where no flag says otherwise, and where each value comes from.
//!
//! Sources, the weakest first: forge's own defaults, the user's file, the project's file, the environment; flags come on
//! top of what is resolved here. Pure: texts go in that somebody has read already, values and remarks come out. A mistake is
//! a value too ([`Resolved::problems`]): whoever asks agents must not go on with one ([`Resolved::check`]), and
//! `forge config` shows all of them.
//!
//! Must never: let a project's file decide what runs, what is seen, where keys go or how much is spent beyond what the
//! user allows; hold or show a key.

mod keys;
mod kinds;
mod made;
mod reading;
mod request;
mod resolving;
mod schema;
mod sense;
mod trust;

pub use keys::{Among, KEYS, Key, SetBy};
pub use kinds::Kind;
pub(crate) use kinds::share;
pub use made::{DebateDefaults, Made, ProtocolDefaults, RosterParts};
pub use resolving::resolve;
pub use schema::schema;

use forge_prose::secrets::redacted;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;

/// Where a project's configuration is, relative to the workspace.
pub const PROJECT_FILE: &str = ".claude/forge/config.json";
/// Where the user's configuration is, relative to the place of all configurations.
pub const USER_FILE: &str = "forge/config.json";
/// The most bytes of a configuration file.
pub const FILE_LIMIT_BYTES: u64 = 256 * 1024;

/// Everything that configuration comes from.
#[derive(Debug, Clone)]
pub struct Sources<'a> {
    /// The user's file.
    pub user: File,
    /// The project's file.
    pub project: File,
    /// forge's environment.
    pub environment: &'a BTreeMap<String, String>,
    /// The user's home, for paths that begin with `~/`.
    pub home: Option<&'a str>,
}

/// A file that may hold configuration.
#[derive(Debug, Clone)]
pub struct File {
    /// Where it is, for people.
    pub name: String,
    /// What is in it.
    pub text: Text,
}

/// What was found at the place of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// Nothing, or nobody looked.
    Absent,
    /// A text.
    Found(String),
    /// Something that cannot be read: why.
    Unreadable(String),
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// forge's own.
    Default,
    /// The user's file, by its name.
    User(String),
    /// The project's file, by its name.
    Project(String),
    /// A variable of the environment.
    Environment(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::User(file) => write!(f, "user {file}"),
            Origin::Project(file) => write!(f, "project {file}"),
            Origin::Environment(name) => write!(f, "environment {name}"),
        }
    }
}

/// Something to be said about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The file, or the variable.
    pub file: String,
    /// The line, where it is about one.
    pub line: Option<usize>,
    /// What is to be said.
    pub text: String,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.text)
    }
}

/// One value, and where it comes from.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// Its key's whole path, such as `agents.claude.model`.
    pub path: String,
    /// Its key.
    pub key: &'static Key,
    /// What holds; null where nobody says anything and there is no default.
    pub value: Value,
    /// Who says so.
    pub origin: Origin,
    /// What others say and what does not hold, the weakest first.
    pub outdone: Vec<(Value, Origin)>,
}

impl Chosen {
    /// The value as it may be shown: of what could hold a secret only that it is set, and names.
    pub fn shown(&self) -> Value {
        shown(self.key, &self.value)
    }

    /// Whether it says who moves seats.
    pub fn names_an_agent(&self) -> bool {
        matches!(self.key.kind, Kind::Agent) && self.origin != Origin::Default
    }
}

/// Whether arguments hold a key: `--api-key KEY`, `--token=KEY`, or what looks like one in any of them.
fn holds_key(list: &[Value]) -> bool {
    let texts: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
    texts.iter().enumerate().any(|(at, text)| {
        let (name, own) = text.split_once('=').unwrap_or((text, ""));
        let is_flag = name.starts_with('-') && trust::is_named_like_a_key(name.trim_start_matches('-'));
        let next = texts.get(at + 1).copied().filter(|next| own.is_empty() && !next.starts_with('-'));
        redacted(text) != *text || (is_flag && (!own.is_empty() || next.is_some()))
    })
}

/// A value of a key as it may be shown.
pub fn shown(key: &Key, value: &Value) -> Value {
    match (key.kind, value) {
        (_, Value::Null) => Value::Null,
        (Kind::Command, _) => json!("set"),
        (Kind::Variables, Value::Object(variables)) => {
            let set = variables.keys().map(|name| (name.clone(), json!("set")));
            Value::Object(set.collect())
        }
        (_, Value::String(text)) => json!(redacted(text)),
        (_, Value::Array(texts)) if holds_key(texts) => json!("set"),
        _ => value.clone(),
    }
}

/// What the configuration says.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// Every value with its origin, in the order of [`KEYS`].
    pub values: Vec<Chosen>,
    /// What agents are told.
    pub roster: RosterParts,
    /// What a debate is where no flag says otherwise.
    pub defaults: DebateDefaults,
    /// What should be known and stops nothing.
    pub warnings: Vec<Remark>,
    /// What must be mended before an agent is asked.
    pub problems: Vec<Remark>,
}

impl Resolved {
    /// The problems as one text, if there are any.
    pub fn check(&self) -> Result<(), String> {
        if self.problems.is_empty() {
            return Ok(());
        }
        Err(self.problems.iter().map(Remark::to_string).collect::<Vec<_>>().join("\n"))
    }

    /// The value of a key, by its whole path.
    pub fn value(&self, path: &str) -> Option<&Chosen> {
        self.values.iter().find(|chosen| chosen.path == path)
    }
}
