//! What forge says to AO, the orchestrator that starts sessions: one spawn line per role, and the eleven `forge_*` keys.
//!
//! Three generations answer to the name `ao`, with three ways to spawn; which one is there is read from its help or
//! from the variables it sets. forge never spawns: it prints these lines, and whoever runs AO runs them.
//!
//! Promises: a line is one line, and a POSIX shell reads from it exactly the words that were meant; a prompt keeps below
//! the generation's limit, and gives up explanations for that, never the role or a path; a value of the metadata is one
//! line without control characters, and never empty.
//!
//! Must never: run anything; print a path that a terminal would show as another one.
//!
//! If the process dies here: nothing is lost, there are only values here.

use crate::shell::{quoted, word};
use crate::state::State;
use forge_debate::brief::plain;
use forge_debate::hidden::{is_unseen, written_out};

/// The most characters of a prompt that generations B and C take; they refuse 4097.
pub const PROMPT_LIMIT_CHARACTERS: usize = 4095;
/// The most characters of a session's name in generation C.
pub const NAME_LIMIT_CHARACTERS: usize = 20;
/// The most characters of `forge_summary`.
pub const SUMMARY_LIMIT_CHARACTERS: usize = 200;
/// The most characters of any other value of the metadata.
pub const VALUE_LIMIT_CHARACTERS: usize = 500;
/// What `forge_version` says: the version of the seeds' contract with AO, not forge's own.
pub const CONTRACT_VERSION: &str = "2.0.0";

/// The keys that forge keeps in a session's metadata, in the order in which new ones are written.
pub const KEYS: [&str; 11] = [
    "forge_phase",
    "forge_status",
    "forge_next",
    "forge_summary",
    "forge_debate_id",
    "forge_debate_status",
    "forge_branch",
    "forge_issue",
    "forge_version",
    "forge_started_at",
    "forge_last_updated",
];

/// Which `ao` it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Generation {
    /// `ao spawn <project> [issue-or-text]`; metadata in `key=value` lines. The seeds' own form.
    A,
    /// `ao spawn [issue] --prompt TEXT`; metadata in JSON.
    B,
    /// `ao spawn --name N --project P --prompt TEXT`; metadata in a database of its own.
    C,
}

impl Generation {
    /// The generation whose `ao spawn --help` this is.
    pub fn from_help(text: &str) -> Self {
        if has_flag(text, "--project") {
            Generation::C
        } else if has_flag(text, "--prompt") {
            Generation::B
        } else {
            Generation::A
        }
    }

    /// The generation that sets these variables in its sessions: `AO_SESSION`, `AO_SESSION_ID`. None without either.
    pub fn from_variables(has_session: bool, has_session_id: bool) -> Option<Self> {
        match (has_session, has_session_id) {
            (true, false) => Some(Generation::A),
            (true, true) => Some(Generation::B),
            (false, true) => Some(Generation::C),
            (false, false) => None,
        }
    }

    /// The most characters that it takes as a prompt, if there is a limit.
    fn prompt_limit(self) -> Option<usize> {
        match self {
            Generation::A => None,
            Generation::B | Generation::C => Some(PROMPT_LIMIT_CHARACTERS),
        }
    }
}

/// Whether a help text names this very flag, not one that only begins like it.
fn has_flag(help: &str, flag: &str) -> bool {
    let goes_on = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    help.match_indices(flag).any(|(at, _)| {
        let before = help[..at].chars().next_back();
        let after = help[at + flag.len()..].chars().next();
        !before.is_some_and(goes_on) && !after.is_some_and(goes_on)
    })
}

/// A session that is to take one role of a debate. All paths are absolute: a session works in a worktree of its own,
/// which has only what is committed.
#[derive(Debug, Clone, Copy)]
pub struct SpawnOrder<'s> {
    /// The debate.
    pub debate_id: &'s str,
    /// The seat, such as `advocate`.
    pub role: &'s str,
    /// The workspace's folder. Its last part is the project's name for generation A where none is given.
    pub workspace: &'s str,
    /// The plan's file.
    pub plan_file: &'s str,
    /// The brief of this role, where one is written.
    pub brief_file: Option<&'s str>,
    /// The file that the session is to write.
    pub turn_file: &'s str,
    /// The project's name in AO.
    pub project: Option<&'s str>,
}

/// Why there is no spawn line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpawnProblem {
    /// Even without explanations the prompt is longer than this generation takes.
    TooLong {
        /// The role.
        role: String,
        /// How many characters are needed.
        needed: usize,
        /// The limit.
        limit: usize,
    },
    /// A word cannot stand on one line of a terminal: it has line breaks, control or invisible characters.
    NotOneLine {
        /// What it is, such as "the plan's file".
        what: &'static str,
        /// The word, escaped.
        text: String,
    },
    /// A path is not absolute, so a session in another worktree would look in the wrong place.
    NotAbsolute {
        /// What it is.
        what: &'static str,
        /// The path.
        path: String,
    },
    /// Generation A wants a project, none is given, and the workspace's folder has no name.
    NoProject,
}

impl std::fmt::Display for SpawnProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SpawnProblem::TooLong { role, needed, limit } => {
                write!(f, "the prompt for {role} needs {needed} characters, and AO takes at most {limit}; ")?;
                f.write_str("work in a folder with a shorter path")
            }
            SpawnProblem::NotOneLine { what, text } => {
                write!(f, "{what} cannot be put on one line: it has invisible or control characters ({text})")
            }
            SpawnProblem::NotAbsolute { what, path } => write!(f, "{what} is not an absolute path: {path}"),
            SpawnProblem::NoProject => f.write_str("AO wants the project's name here; say which in AO_PROJECT_ID"),
        }
    }
}

impl std::error::Error for SpawnProblem {}

/// The shell line that starts a session for one role.
pub fn spawn_line(generation: Generation, order: &SpawnOrder<'_>) -> Result<String, SpawnProblem> {
    check(order)?;
    let prompt = quoted(&prompt(generation, order)?);
    Ok(match generation {
        Generation::A => {
            let folder = order.workspace.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            let project = order.project.unwrap_or(folder);
            if project.is_empty() {
                return Err(SpawnProblem::NoProject);
            }
            let ends_options = if project.starts_with('-') { "-- " } else { "" };
            format!("ao spawn {ends_options}{} {prompt}", word(project))
        }
        Generation::B => format!("ao spawn --prompt {prompt}"),
        Generation::C => {
            let project = match order.project {
                None | Some("") => String::new(),
                Some(name) if name.starts_with('-') => format!(" --project={}", quoted(name)),
                Some(name) => format!(" --project {}", word(name)),
            };
            format!("ao spawn --name {}{project} --prompt {prompt}", word(&session_name(order)))
        }
    })
}

fn check(order: &SpawnOrder<'_>) -> Result<(), SpawnProblem> {
    let paths = [
        ("the workspace's folder", Some(order.workspace)),
        ("the plan's file", Some(order.plan_file)),
        ("the brief's file", order.brief_file),
        ("the turn's file", Some(order.turn_file)),
    ];
    let words =
        [("the debate's id", Some(order.debate_id)), ("the role", Some(order.role)), ("the project", order.project)];
    for (what, text) in paths.iter().chain(&words).filter_map(|(what, text)| Some((*what, (*text)?))) {
        if text.chars().any(|c| is_unseen(c) || c.is_control()) {
            return Err(SpawnProblem::NotOneLine { what, text: written_out(text) });
        }
    }
    for (what, path) in paths.iter().filter_map(|(what, path)| Some((*what, (*path)?))) {
        if !path.starts_with('/') {
            return Err(SpawnProblem::NotAbsolute { what, path: path.to_owned() });
        }
    }
    Ok(())
}

/// S0's words, then what to read and what to write; then explanations as long as they fit.
fn prompt(generation: Generation, order: &SpawnOrder<'_>) -> Result<String, SpawnProblem> {
    let read = match order.brief_file {
        Some(brief) => format!("Read the brief \"{brief}\": it says what is wanted, and in which form."),
        None => {
            format!("Read the plan \"{}\": it says what your role is to write, and in which form.", order.plan_file)
        }
    };
    let mut text = format!(
        "debate-role: {} --debate-id={} --plan={} {read} Write your turn to the file \"{}\", whole and in one go, then exit.",
        order.role, order.debate_id, order.plan_file, order.turn_file
    );
    let limit = generation.prompt_limit().unwrap_or(usize::MAX);
    if length(&text) > limit {
        return Err(SpawnProblem::TooLong { role: order.role.to_owned(), needed: length(&text), limit });
    }
    for more in explanations(order) {
        if length(&text) + 1 + length(&more) <= limit {
            text.push(' ');
            text.push_str(&more);
        }
    }
    Ok(text)
}

/// What is said besides, the most important first.
fn explanations(order: &SpawnOrder<'_>) -> Vec<String> {
    let root = format!("{}/", order.workspace.trim_end_matches('/'));
    let relative = order.turn_file.strip_prefix(&root);
    let mut all = vec![
        "These paths are absolute: your own worktree has only what is committed, so read and write there, not in a copy."
            .to_owned(),
    ];
    all.extend(relative.map(|relative| {
        format!(
            "Only if you may not write there, write \"{relative}\" in your own worktree: forge debate collect {} finds it.",
            order.debate_id
        )
    }));
    all.push(
        "Write a file of another name beside it first and rename it when it is complete: a half-written file is not taken."
            .to_owned(),
    );
    all.push(
        "Change nothing else. What other roles wrote is not for you unless the brief or the plan says so.".to_owned(),
    );
    all
}

/// Characters as AO counts them: UTF-16 units, which are never fewer than characters.
fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

/// A name for the session: the role, and as much of the end of the debate's id as fits.
fn session_name(order: &SpawnOrder<'_>) -> String {
    let safe = |text: &str| -> String {
        let kept = text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' });
        kept.collect::<String>().trim_matches('-').to_owned()
    };
    let role: String = safe(order.role).chars().take(NAME_LIMIT_CHARACTERS).collect();
    let role = if role.is_empty() { "role".to_owned() } else { role };
    let id = safe(order.debate_id);
    let room = NAME_LIMIT_CHARACTERS.saturating_sub(role.len() + 1);
    let tail = id.get(id.len().saturating_sub(room)..).unwrap_or_default().trim_start_matches('-');
    if tail.is_empty() { role } else { format!("{role}-{tail}") }
}

/// The metadata of a workflow: those of the eleven keys that have a value, in their order. `next` is what comes next,
/// the next phase where nothing else is said; `summary` is what is being done, the current objective where nothing else
/// is said.
pub fn metadata(state: &State, next: Option<&str>, summary: Option<&str>) -> Vec<(&'static str, String)> {
    let value = |key: &str| -> Option<&str> {
        match key {
            "forge_phase" => Some(&state.phase),
            "forge_status" => Some(state.status.word()),
            "forge_next" => next.or(state.next_phase.as_deref()),
            "forge_summary" => Some(summary.unwrap_or_else(|| state.current_objective())),
            "forge_debate_id" => state.debate.id.as_deref(),
            "forge_debate_status" => Some(state.debate.status.word()),
            "forge_branch" => state.branch.as_deref(),
            "forge_issue" => state.issue.as_deref(),
            "forge_version" => Some(CONTRACT_VERSION),
            "forge_started_at" => Some(&state.started_at),
            "forge_last_updated" => Some(&state.last_updated),
            _ => None,
        }
    };
    let limit = |key: &str| if key == "forge_summary" { SUMMARY_LIMIT_CHARACTERS } else { VALUE_LIMIT_CHARACTERS };
    KEYS.iter()
        .filter_map(|key| Some((*key, flat(value(key)?, limit(key)))))
        .filter(|(_, text)| !text.is_empty())
        .collect()
}

/// One line of at most `limit` characters, without hidden ones; `…` at the end says that there was more.
fn flat(text: &str, limit: usize) -> String {
    // A carriage return parts words as a line feed does, and would otherwise vanish between them.
    let parted: String = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    let line = plain(&parted).split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= limit {
        return line;
    }
    let kept: String = line.chars().take(limit.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}
