//! The state file, `.claude/forge/active-workflow.md`: where a workflow stands, for forge, for shells and for people.
//!
//! Reads what forge writes, what the format's own description shows, and the older layouts that are found in projects
//! ([`Layout`]). Writing touches only the values that changed; everything else in the file is its reader's.
//!
//! Promises: `read(write(p, s, c))` is `s`, whatever `p` is, but for ids and names in `s` that must not be read; what
//! was written before is written again byte for byte while the state is the same; unknown keys and the notes below the
//! front matter survive; a text that cannot be edited is kept whole below a new front matter.
//!
//! Must never: panic on any text, take a file whose phase is unclear for a workflow, or hand on an id that leads out of
//! its folder, or a name that a terminal would obey.
//!
//! Pure; if the process dies here nothing is left. The file itself is the commit point of every move.

mod fields;
mod notes;
mod sound;
mod source;
pub(super) mod words;
mod writing;

use forge_workflow::state::State;
pub use notes::{Metadata, keep_current};
use serde_json::{Map, Value};
pub use writing::write;

/// What a state file turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there is one per command")]
pub enum Read {
    /// A workflow.
    State {
        /// Where it stands.
        state: State,
        /// How the file is laid out.
        layout: Layout,
        /// Whether the file itself says which workflow it is; else the id is made from when it began.
        has_id: bool,
        /// Whether the file itself says which phases are done; else those before its phase are taken for done.
        has_completed: bool,
        /// What was odd, assumed or converted, for people.
        notes: Vec<String>,
    },
    /// A file that says that there is no active workflow.
    Idle,
    /// A file that cannot be made sense of.
    Damaged {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// A file of a later forge.
    Newer {
        /// The version that it says.
        version: String,
    },
}

/// How a state file is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// As forge writes it.
    Ours,
    /// As the format's description shows it: `phase_status`, tasks as lists, a `context` block.
    Described,
    /// Flat, with `phase_status` and `debate_status`, and `workflow: forge`.
    FlatWithDebate,
    /// A few of forge's own keys, `phase` and `phase_status` among them.
    Partial,
    /// Flat, with `status` for the phase, and `workflow: forge`: what shell scripts write.
    Flat,
    /// With `current_phase` instead of `phase`.
    CurrentPhase,
    /// With `status` for the phase.
    PlainStatus,
    /// With the tasks in a `progress` block.
    Progress,
    /// YAML without the `---` lines.
    BareYaml,
    /// JSON.
    Json,
    /// Markdown alone: `**Current Phase:** build`.
    Prose,
}

impl Layout {
    /// What it is, in words.
    pub fn word(self) -> &'static str {
        match self {
            Layout::Ours => "forge's own",
            Layout::Described => "the described one",
            Layout::FlatWithDebate => "flat with phase_status",
            Layout::Partial => "a partial one",
            Layout::Flat => "flat with status",
            Layout::CurrentPhase => "with current_phase",
            Layout::PlainStatus => "with status for the phase",
            Layout::Progress => "with a progress block",
            Layout::BareYaml => "YAML without --- lines",
            Layout::Json => "JSON",
            Layout::Prose => "Markdown without front matter",
        }
    }

    /// Whether `started_at` is when the workflow began. Elsewhere it is written when a phase begins.
    pub fn tells_start(self) -> bool {
        matches!(self, Layout::Ours | Layout::FlatWithDebate | Layout::Flat | Layout::Partial)
    }

    /// Whether forge goes on with such a file value by value. Any other is taken over only when somebody says so.
    pub fn is_edited_in_place(self) -> bool {
        matches!(self, Layout::Ours | Layout::Described | Layout::FlatWithDebate | Layout::Flat | Layout::Partial)
    }
}

/// What the `context` block says for people who come to the workflow new. Forge fills it and decides nothing by it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Context {
    /// What is being made.
    pub feature: String,
    /// Files that matter now.
    pub related_docs: Vec<String>,
    /// Locked decisions, one line each.
    pub decisions: Vec<String>,
    /// Open assumptions, one line each.
    pub assumptions: Vec<String>,
}

/// Reads a state file. Never fails: what is wrong is said in what comes back.
pub fn read(text: &str) -> Read {
    match understood(text).0 {
        Read::State { mut state, layout, has_id, has_completed, mut notes } => {
            notes.extend(sound::make_sound(&mut state));
            Read::State { state, layout, has_id, has_completed, notes }
        }
        other => other,
    }
}

/// The `context` block of a state file; what is not there is empty.
pub fn context(text: &str) -> Context {
    context_in(&understood(text).1)
}

/// What a text says, word for word, and the fields that it says it with.
fn understood(text: &str) -> (Read, Map<String, Value>) {
    let source = match source::of(text) {
        Ok(source) => source,
        Err((line, problem)) => return (Read::Damaged { line, problem }, Map::new()),
    };
    let read = match words::newer_version(source.fields.get("version")) {
        Some(version) => Read::Newer { version },
        None => fields::read(text, &source),
    };
    (read, source.fields)
}

fn context_in(fields: &Map<String, Value>) -> Context {
    let Some(Value::Object(block)) = fields.get("context") else { return Context::default() };
    let list = |key: &str| block.get(key).map(fields::texts).unwrap_or_default();
    Context {
        feature: super::scalar(block, "feature").unwrap_or_default(),
        related_docs: list("related_docs"),
        decisions: list("decisions"),
        assumptions: list("assumptions"),
    }
}

/// The key and the word with which a state file says how it stands, where that is none of forge's words and so holds it.
pub fn holding_word(text: &str) -> Option<(String, String)> {
    fields::holding_word(&understood(text).1)
}

/// The top-level keys of a state file's front matter, with their lines.
pub fn key_lines(text: &str) -> Vec<(String, usize)> {
    let key = |line: &str| line.split_once(':').map(|(key, _)| key.to_owned());
    let lines = text.lines().enumerate().skip(1).take_while(|(_, line)| line.trim_end() != "---");
    lines
        .filter(|(_, line)| line.starts_with(|c: char| c.is_ascii_alphabetic()))
        .filter_map(|(i, line)| Some((key(line)?, i + 1)))
        .collect()
}

/// The line of a key, or the first.
fn line_of(text: &str, keys: &[&str]) -> usize {
    let begins = |line: &str| {
        let line = line.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace(' ', "_");
        keys.iter().any(|key| line.strip_prefix(key).is_some_and(|rest| rest.starts_with([':', '*'])))
    };
    text.lines().position(begins).map_or(1, |i| i + 1)
}
