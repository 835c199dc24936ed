//! What a host is given to read: the pages as they stand in `plugins/`, and one agent for each role, made of the role's text.

use super::{Wanted, mark, settings};
use forge_artifacts::jsonc;
use forge_debate::texts::Texts;
use serde_json::json;

/// The pages: the plugin, which is also the first part of the command, and the command's name.
const COMMANDS: [(&str, &str, &str); 4] = [
    ("forge", "debate", include_str!("../../../../plugins/forge/commands/debate.md")),
    ("forge", "status", include_str!("../../../../plugins/forge/commands/status.md")),
    ("forge", "continue", include_str!("../../../../plugins/forge/commands/continue.md")),
    ("debate", "start", include_str!("../../../../plugins/debate/commands/start.md")),
];
/// What makes plugins of them.
const MANIFESTS: [(&str, &str); 3] = [
    (".claude-plugin/marketplace.json", include_str!("../../../../plugins/.claude-plugin/marketplace.json")),
    ("forge/.claude-plugin/plugin.json", include_str!("../../../../plugins/forge/.claude-plugin/plugin.json")),
    ("debate/.claude-plugin/plugin.json", include_str!("../../../../plugins/debate/.claude-plugin/plugin.json")),
];
/// What every agent is told; `{{ role }}` is its role's text, `{{ forge }}` the program.
const SEAT: &str = include_str!("seat.md");
/// A role that is asked alone, beside a debate, by forge itself.
const NO_SEAT: &str = "control";

/// A file and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFile {
    /// Where it stands, below the project's root or the marketplace's folder.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// The loose files of a project.
pub(super) fn project_files(wanted: &Wanted) -> Vec<PageFile> {
    let page = |(plugin, name, text): &(&str, &str, &str)| PageFile {
        path: format!(".claude/commands/{plugin}/{name}.md"),
        text: mark::marked(&called(text, wanted).replace("`forge:", "`forge-")),
    };
    let agent = |(name, role): (&str, Option<&str>)| PageFile {
        path: format!(".claude/agents/forge-{name}.md"),
        text: mark::marked(&agent(&format!("forge-{name}"), name, role, wanted)),
    };
    COMMANDS.iter().map(page).chain(seats().map(agent)).collect()
}

/// The two plugins and the marketplace that holds them. `plugins/` in the repository is this, with `forge` as the program.
pub fn plugin_tree(wanted: &Wanted) -> Vec<PageFile> {
    let manifest = |(path, text): &(&str, &str)| PageFile { path: (*path).to_owned(), text: (*text).to_owned() };
    let page = |(plugin, name, text): &(&str, &str, &str)| PageFile {
        path: format!("{plugin}/commands/{name}.md"),
        text: called(text, wanted),
    };
    let agent = |(name, role): (&str, Option<&str>)| PageFile {
        path: format!("forge/agents/{name}.md"),
        text: agent(name, name, role, wanted),
    };
    let hooks = settings::hooks(wanted).into_iter().map(|hook| (hook.event.to_owned(), json!([hook.group()])));
    let hooks = PageFile {
        path: "forge/hooks/hooks.json".to_owned(),
        text: jsonc::printed(&json!({"hooks": serde_json::Value::Object(hooks.collect())})),
    };
    let files = MANIFESTS.iter().map(manifest).chain(COMMANDS.iter().map(page));
    files.chain(seats().map(agent)).chain([hooks]).collect()
}

/// A page with the program called as it is called here.
fn called(page: &str, wanted: &Wanted) -> String {
    let program = &wanted.program;
    ["`", "Bash("]
        .iter()
        .fold(page.to_owned(), |page, before| page.replace(&format!("{before}forge "), &format!("{before}{program} ")))
}

/// The agents by name: one for each role, and one for every other.
fn seats() -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    let roles = Texts::names().filter_map(|name| name.strip_prefix("roles/")).filter(|role| *role != NO_SEAT);
    roles.map(|role| (role, Some(role))).chain([("seat", None)])
}

fn agent(name: &str, seat: &str, role: Option<&str>, wanted: &Wanted) -> String {
    let texts = Texts::embedded();
    let text = role.and_then(|role| texts.get(&format!("roles/{role}"))).unwrap_or("");
    let text = text
        .replace("{{ domain }}", "the field of this question")
        .replace("{{ focus }}", "What your ask names under this heading.");
    // A project may have a text of its own for the role, and the ask has that.
    let text = role.map_or_else(String::new, |_| {
        format!("This is your role; where the ask tells it otherwise, the ask counts.\n\n{text}")
    });
    let who = role.map_or_else(|| "Any other seat".to_owned(), |_| format!("The {seat} seat"));
    SEAT.replace("{{ name }}", name)
        .replace("{{ who }}", &who)
        .replace("{{ forge }}", &wanted.program)
        .replace("{{ role }}", &text)
        .trim_end()
        .to_owned()
        + "\n"
}
