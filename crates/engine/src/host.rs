//! What forge answers to the hooks of a host, a program that runs a model and subagents of its own.
//!
//! A hook runs before every step of a model, in whatever folder the host was pointed at. So it reads little, runs nothing, sends
//! nothing, and decides only about what is forge's: a subagent that holds a seat, a file that is on record, the gate of the open
//! phase. Decisions are values; whoever asks puts them into the host's own form.
//!
//! Nothing here proves anything. A host that wants to cheat can; one that only forgets is held to the rules.

mod ending;
mod guard;
mod memory;
mod opening;
mod shell;
mod told;

pub use guard::Refusal;
pub use opening::Line;
pub use shell::NotTaken;
pub use told::Told;

use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::Disk;
use serde_json::Value;

/// When a host asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hook {
    /// A session begins.
    SessionStart,
    /// A tool is about to be used.
    PreToolUse,
    /// A tool was used.
    PostToolUse,
    /// The host is about to forget most of the conversation.
    PreCompact,
    /// A subagent is about to end.
    SubagentStop,
    /// The host is about to end its turn.
    Stop,
}

impl Hook {
    /// The hook of this name, as it is typed.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "session-start" => Hook::SessionStart,
            "pre-tool-use" => Hook::PreToolUse,
            "post-tool-use" => Hook::PostToolUse,
            "pre-compact" => Hook::PreCompact,
            "subagent-stop" => Hook::SubagentStop,
            "stop" => Hook::Stop,
            _ => return None,
        })
    }

    /// Its name as the host writes it.
    pub fn event(self) -> &'static str {
        match self {
            Hook::SessionStart => "SessionStart",
            Hook::PreToolUse => "PreToolUse",
            Hook::PostToolUse => "PostToolUse",
            Hook::PreCompact => "PreCompact",
            Hook::SubagentStop => "SubagentStop",
            Hook::Stop => "Stop",
        }
    }
}

/// What forge has to say to a hook.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Nothing: the host goes on.
    Nothing,
    /// The workflow may stand elsewhere now: whoever follows it is told.
    Follow,
    /// The model should know this.
    Tell(Vec<Line>),
    /// The step is not made, or the end is put off; the model is told why.
    Refuse(Refusal),
    /// The person is asked first: the step would have this agent answer, who costs what it costs.
    Ask(String),
    /// The step is made with this input.
    Change {
        /// What the tool is given.
        input: Value,
        /// Whether nobody need be asked for leave: it is the one command that a seat is there for.
        is_granted: bool,
    },
}

/// What a hook may use besides the workspace.
pub struct Around<'a> {
    /// Where it is kept which subagent holds which seat: the user's, outside of the workspace. Without it no seat is held to
    /// anything, and no turn carries a subagent's name.
    pub memory: Option<&'a dyn Disk>,
    /// How forge was called now.
    pub program: &'a str,
    /// The spellings of forge's own program that a seat may use.
    pub programs: &'a [String],
}

impl Workspace {
    /// What forge has to say to a hook.
    pub fn hook(&self, hook: Hook, told: &Told, around: &Around<'_>) -> Result<Decision, EngineError> {
        match hook {
            Hook::SessionStart => self.session_start(),
            Hook::PreToolUse => self.pre_tool_use(told, around),
            Hook::PostToolUse => Ok(self.post_tool_use(told)),
            // What the conversation held is gone soon; what the files hold is not, and this is the copy of the file that leads.
            Hook::PreCompact => self.save().map(|_| Decision::Nothing),
            Hook::SubagentStop => self.subagent_stop(told, around),
            Hook::Stop => self.stop(told),
        }
    }
}
