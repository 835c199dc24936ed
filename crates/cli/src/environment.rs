//! Every environment variable that forge reads, in one place.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// What the environment says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    /// `FORGE_AGENT`: the agent of seats that nothing else is said about.
    pub(crate) agent: Option<String>,
    /// `OPENAI_BASE_URL`: where `openai:` agents are asked.
    pub(crate) openai_base_url: Option<String>,
    /// `OPENAI_API_KEY`: sent to that address and written nowhere.
    pub(crate) openai_api_key: Option<String>,
    /// `FORGE_DURABILITY=none`: no fsync. For benchmarks and throwaway folders.
    pub(crate) durability: Option<String>,
    /// `FORGE_NOW`: what forge takes for the present, such as `2026-01-27T10:00:00Z`. For tests and replays.
    pub(crate) now: Option<String>,
    /// `NO_COLOR`: no colours.
    pub(crate) no_color: bool,
    /// `USER`: who decides, where `--by` is not given.
    pub(crate) user: Option<String>,
    /// `XDG_STATE_HOME`, or `.local/state` in `HOME`: where sealed votes wait. Relative paths are no places.
    pub(crate) state_home: Option<PathBuf>,
    /// The orchestrator in whose session forge runs, if it does.
    pub(crate) ao: AoVariables,
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
        Self {
            agent: text("FORGE_AGENT"),
            openai_base_url: text("OPENAI_BASE_URL"),
            openai_api_key: text("OPENAI_API_KEY"),
            durability: text("FORGE_DURABILITY"),
            now: text("FORGE_NOW"),
            no_color: text("NO_COLOR").is_some(),
            user: text("USER").or_else(|| text("LOGNAME")),
            state_home: folder("XDG_STATE_HOME").or_else(|| folder("HOME").map(|home| home.join(".local/state"))),
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
}
