//! What a host tells a hook.

use forge_debate::texts::Texts;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The role of an agent that takes any seat.
const ANY: &str = "seat";

/// What a host tells a hook, as far as forge reads it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Told {
    /// The session.
    pub session: String,
    /// The folder in which the host is.
    pub folder: PathBuf,
    /// The tool that is about to be used.
    pub tool: String,
    /// What the tool is given.
    pub input: Value,
    /// The subagent, if it is one.
    pub subagent: Option<Subagent>,
    /// Whether an end was put off before.
    pub was_put_off: bool,
    /// Whether something of the host's runs on after the end.
    pub runs_on: bool,
}

/// A subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subagent {
    /// Its type.
    pub kind: String,
    /// Its id.
    pub id: String,
}

impl Told {
    /// Reads what a host wrote; nothing if that is no JSON object.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(bytes).ok().filter(Value::is_object)?;
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let subagent = Subagent { kind: text("agent_type"), id: text("agent_id") };
        Some(Self {
            session: text("session_id"),
            folder: PathBuf::from(text("cwd")),
            tool: text("tool_name"),
            input: value["tool_input"].clone(),
            subagent: Some(subagent).filter(|one| !one.id.is_empty() && !one.kind.is_empty()),
            was_put_off: value["stop_hook_active"] == true,
            runs_on: value["background_tasks"].as_array().is_some_and(|tasks| !tasks.is_empty()),
        })
    }

    /// A text of the tool's input.
    pub(super) fn given(&self, name: &str) -> &str {
        self.input[name].as_str().unwrap_or_default()
    }

    /// A path of the tool's input as one from the workspace's top, if it leads there. Links are followed, as the tool would.
    pub(super) fn path_in(&self, root: &Path, path: &str) -> Option<String> {
        let path = self.folder.join(path);
        let root = root.canonicalize().ok()?;
        let real = path.canonicalize().or_else(|error| match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) => Ok(folder.canonicalize()?.join(name)),
            _ => Err(error),
        });
        let below = real.ok()?.strip_prefix(&root).ok()?.to_str()?.to_owned();
        (!below.is_empty()).then_some(below)
    }
}

impl Subagent {
    /// The one word that names it in a command and in the record; nothing if it would not be one.
    pub(super) fn name(&self) -> Option<String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
        let is_word = |text: &str| text.chars().all(is_plain);
        (is_word(&self.kind) && is_word(&self.id)).then(|| format!("{}/{}", self.kind, self.id))
    }
}

/// The role whose seats an agent of this type takes; nothing if it is none of forge's.
pub(super) fn role_of(kind: &str) -> Option<&str> {
    let role = kind.strip_prefix("forge-").or_else(|| kind.strip_prefix("forge:"))?;
    let is_known = || Texts::names().any(|name| name.strip_prefix("roles/") == Some(role));
    (role == ANY || is_known()).then_some(role)
}

/// Whether an agent for `role` may take a seat of role `of`.
pub(super) fn may_take(role: &str, of: &str) -> bool {
    role == ANY || role == of
}
