//! forge inside a host: the pages, agents, hooks and permission rules with which a program that runs a model holds debates.
//!
//! Promises: installing twice is installing once; a file that forge did not write is not written over; of the settings only
//! the bytes change that must, and what was there before is kept; taking out leaves what the user changed.
//!
//! Must never: be called for anybody but the user (`commands/host.rs` of the binary holds that).
//!
//! If the process dies here: the settings come last, and each file is there whole or not at all. The same command again does
//! the rest.

mod agents_md;
mod check;
mod hosts;
mod mark;
pub mod orchestrator;
mod project;
mod record;
mod settings;
mod source;
mod strange;
mod user;

pub use check::{Checked, Finding, among_pages};
pub use hosts::{ALL, Host, PageFile, plugin_tree};
pub use project::{Change, Line, Project};
pub use settings::{HOOK_EVENTS, SettingsError, with_forge, without_forge};
pub use strange::{Strange, strange};
pub use user::{HostProgram, HostRun, User};

/// What is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// How forge is called: a name on the search path, or an absolute path.
    pub program: String,
    /// Whether a closed gate holds up the end of a turn.
    pub hold_stop: bool,
    /// Whether AGENTS.md gets a block.
    pub agents_md: bool,
}

/// Whether a name or path can stand in a shell command and in a permission rule as it is.
pub fn is_plain_program(program: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._+@%-".contains(c);
    !program.is_empty() && !program.starts_with('-') && program.chars().all(is_plain)
}
