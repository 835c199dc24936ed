//! Every environment variable that forge reads, in one place; those that stand for a key of the configuration are named in
//! its table (`FORGE_AGENT`).

use forge_artifacts::git::Around;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What the environment says.
#[derive(Clone, Default)]
pub(crate) struct Environment {
    /// `FORGE_DURABILITY=none`: no fsync. For benchmarks and throwaway folders.
    pub(crate) durability: Option<String>,
    /// `FORGE_NOW`: what forge takes for the present, such as `2026-01-27T10:00:00Z`. For tests and replays.
    pub(crate) now: Option<String>,
    /// `NO_COLOR`: no colours.
    pub(crate) no_color: bool,
    /// `USER` or `LOGNAME`: who decides, where neither `--by` nor git says it.
    pub(crate) user: Option<String>,
    /// `XDG_STATE_HOME`, or `.local/state` in `HOME`: where sealed votes wait. Relative paths are no places.
    pub(crate) state_home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, or `.config` in `HOME`: where the user's configuration is.
    pub(crate) config_home: Option<PathBuf>,
    /// What the folder of the user's configuration came with, where that is what forge works in.
    pub(crate) config_within: Option<PathBuf>,
    /// `XDG_DATA_HOME`, or `.local/share` in `HOME`: where the plugins lie that a host reads.
    pub(crate) data_home: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`, or `.claude` in `HOME`: where Claude Code keeps the user's settings.
    pub(crate) claude_folder: Option<PathBuf>,
    /// `HOME`: what `~/` is.
    pub(crate) home: Option<PathBuf>,
    /// `TMPDIR`, `XDG_RUNTIME_DIR`, `XDG_CACHE_HOME` or `.cache` in `HOME`: where an agent's own folder may be made, the
    /// best first.
    pub(crate) scratch: Vec<PathBuf>,
    /// Everything, for agents: each is given what its recipe lists, and no more. What is not UTF-8 is left out.
    pub(crate) variables: BTreeMap<String, String>,
    /// The orchestrator in whose session forge runs, if it does.
    pub(crate) ao: AoVariables,
    /// The program in whose shell forge runs, if a model types there.
    pub(crate) host: Option<Host>,
}

/// Variables by which hosts are known, and the hosts' names.
const HOSTS: &str = include_str!("../data/hosts.txt");

/// A program that runs commands for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Host {
    /// Its name.
    pub(crate) name: &'static str,
    /// The variable that tells.
    pub(crate) variable: &'static str,
    /// The subagent that runs this, where the host says so to its shell.
    pub(crate) subagent: Option<String>,
}

impl Host {
    fn among(text: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let lines = HOSTS.lines().filter(|line| !line.starts_with('#'));
        let mut hosts = lines.filter_map(|line| line.split_once(' '));
        let (variable, name) = hosts.find(|(variable, _)| text(variable).is_some())?;
        // Codex names the thread of each shell, which is the session's own for the host itself; Qwen names only subagents.
        let thread =
            text("CODEX_THREAD_ID").filter(|thread| text("CODEX_SESSION_ID").is_some_and(|host| host != *thread));
        let subagent = thread.map(|id| format!("codex/{id}"));
        let subagent = subagent.or_else(|| text("QWEN_CODE_AGENT_ID").map(|id| format!("qwen/{id}")));
        Some(Self { name: name.trim(), variable, subagent })
    }
}

/// What AO tells its sessions. Never trusted as paths before they are checked.
#[derive(Debug, Clone, Default)]
pub(crate) struct AoVariables {
    /// `AO_DATA_DIR`: where AO keeps its sessions.
    pub(crate) data_dir: Option<String>,
    /// `AO_SESSION`: the session's name, up to the second generation.
    pub(crate) session: Option<String>,
    /// `AO_SESSION_ID`: the session's name, from the second generation on.
    pub(crate) session_id: Option<String>,
    /// `AO_PROJECT_ID`: the project's name in AO.
    pub(crate) project: Option<String>,
    /// `AO_ISSUE_ID`: the issue that the session works on.
    pub(crate) issue: Option<String>,
    /// `PATH`: where `ao` is looked for.
    pub(crate) search_path: Option<OsString>,
}

impl AoVariables {
    /// Whether forge runs under AO.
    pub(crate) fn is_active(&self) -> bool {
        self.data_dir.is_some() && (self.session.is_some() || self.session_id.is_some())
    }
}

impl Environment {
    /// Reads the environment once.
    pub(crate) fn read() -> Self {
        let text = |name: &str| env::var(name).ok().filter(|value| !value.trim().is_empty());
        let folder = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let below_home = |path: &str| folder("HOME").map(|home| home.join(path));
        let cache = folder("XDG_CACHE_HOME").or_else(|| below_home(".cache")).map(|cache| cache.join("forge"));
        let scratch = [Some(env::temp_dir()), folder("XDG_RUNTIME_DIR"), cache];
        Self {
            durability: text("FORGE_DURABILITY"),
            now: text("FORGE_NOW"),
            no_color: text("NO_COLOR").is_some(),
            user: text("USER").or_else(|| text("LOGNAME")),
            state_home: folder("XDG_STATE_HOME").or_else(|| below_home(".local/state")),
            config_home: folder("XDG_CONFIG_HOME").or_else(|| below_home(".config")),
            config_within: None,
            data_home: folder("XDG_DATA_HOME").or_else(|| below_home(".local/share")),
            claude_folder: folder("CLAUDE_CONFIG_DIR").or_else(|| below_home(".claude")),
            home: folder("HOME"),
            host: Host::among(text),
            scratch: scratch.into_iter().flatten().filter(|path| path.is_absolute()).collect(),
            variables: env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
                .collect(),
            ao: AoVariables {
                data_dir: text("AO_DATA_DIR"),
                session: text("AO_SESSION"),
                session_id: text("AO_SESSION_ID"),
                project: text("AO_PROJECT_ID"),
                issue: text("AO_ISSUE_ID"),
                search_path: env::var_os("PATH"),
            },
        }
    }

    /// The same in a workspace: what lies inside of its repository, or of one around it, came with it, and is not the user's.
    pub(crate) fn within(&self, workspace: &Path) -> Self {
        let around = Around::of(workspace, self.home.as_deref());
        let is_users = |folder: &PathBuf| around.holding(folder).is_none();
        let config = self.config_home.as_ref().and_then(|folder| around.holding(folder));
        Self {
            state_home: self.state_home.clone().filter(is_users),
            data_home: self.data_home.clone().filter(is_users),
            config_within: config.map(Path::to_owned),
            ..self.clone()
        }
    }
}
