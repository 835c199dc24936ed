//! Every environment variable that forge reads, in one place.

use std::env;

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
    /// `NO_COLOR`: no colours.
    pub(crate) no_color: bool,
    /// `USER`: who decides, where `--by` is not given.
    pub(crate) user: Option<String>,
}

impl Environment {
    /// Reads the environment once.
    pub(crate) fn read() -> Self {
        let text = |name: &str| env::var(name).ok().filter(|value| !value.trim().is_empty());
        Self {
            agent: text("FORGE_AGENT"),
            openai_base_url: text("OPENAI_BASE_URL"),
            openai_api_key: text("OPENAI_API_KEY"),
            durability: text("FORGE_DURABILITY"),
            no_color: text("NO_COLOR").is_some(),
            user: text("USER").or_else(|| text("LOGNAME")),
        }
    }
}
