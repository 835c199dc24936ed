//! What can be typed about the configuration.

use clap::Args;

/// Shows the configuration: every value that holds, and where it comes from.
///
/// Sources, the weakest first: forge's own defaults, your own file ($XDG_CONFIG_HOME/forge/config.json, or
/// ~/.config/forge/config.json), the project's file (.claude/forge/config.json), the environment, flags. A project's file
/// cannot decide what runs, what is seen, where keys go or how much is spent beyond what you allow. Keys are never in a
/// file, and never shown. Exit 2 if a file must be mended before agents can be asked.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  forge config\n  forge config --explain agents.claude.model\n  forge config --schema > config.schema.json\n\nA file:\n  {\n    \"agent\": \"claude\",\n    \"seats\": {\"judges\": {\"risk\": \"codex\"}},\n    \"timeout_seconds\": 300,\n    \"max_calls\": 40\n  }"
)]
pub(crate) struct ConfigArgs {
    /// Say what a key is for, who may set it, and what each source says
    #[arg(long, value_name = "KEY", conflicts_with = "schema")]
    pub(crate) explain: Option<String>,
    /// Print the JSON schema of the files (draft 2020-12), for editors
    #[arg(long)]
    pub(crate) schema: bool,
    /// One JSON document on standard output
    #[arg(long)]
    pub(crate) json: bool,
}
