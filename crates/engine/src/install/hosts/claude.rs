//! Claude Code: loose files in a project, or two plugins for all projects of a user.

use super::{Host, PageFile, guarded, markdown, skills, with_colon};
use crate::install::source::{self, Page, Voice};
use crate::install::{Wanted, settings};
use forge_artifacts::jsonc;
use serde_json::json;

pub(super) static HOST: Host = Host {
    name: "claude",
    title: "Claude Code",
    folder: ".claude",
    next: &[
        "run claude in this folder and trust it: hooks and rules of a folder that is not trusted do not count",
        "start a new session: one that runs does not see new agents",
        "type: /forge:debate \"Redis or Memcached for sessions?\"",
    ],
    files,
};

/// What makes plugins of the pages.
const MANIFESTS: [(&str, &str); 3] = [
    (".claude-plugin/marketplace.json", include_str!("../../../../../plugins/.claude-plugin/marketplace.json")),
    ("forge/.claude-plugin/plugin.json", include_str!("../../../../../plugins/forge/.claude-plugin/plugin.json")),
    ("debate/.claude-plugin/plugin.json", include_str!("../../../../../plugins/debate/.claude-plugin/plugin.json")),
];

fn voice(wanted: &Wanted) -> Voice<'_> {
    Voice {
        program: &wanted.program,
        seats: include_str!("../../../pages/seats/claude.md"),
        hands: "subagents",
        outside: " --agent outside",
        command: with_colon,
        arguments: Some("$ARGUMENTS"),
        hand_in: "",
    }
}

/// The loose files of a project.
fn files(wanted: &Wanted) -> Vec<PageFile> {
    let voice = voice(wanted);
    let page = |page: Page| {
        let file = command(format!(".claude/commands/{}/{}.md", page.plugin, page.name), &page, &voice);
        // A plugin's agents carry its name in front; loose ones have it in theirs.
        PageFile { text: file.text.replace("`forge:", "`forge-"), ..file }
    };
    let agent = |(name, role)| agent(".claude/agents/forge-", &format!("forge-{name}"), name, role, &voice);
    let pages = source::pages().into_iter().map(page).chain(source::seats().map(agent));
    pages.chain(skills(".claude/skills", &voice)).collect()
}

/// The two plugins and the marketplace that holds them. `plugins/` in the repository is this, with `forge` as the program.
pub fn plugin_tree(wanted: &Wanted) -> Vec<PageFile> {
    let voice = voice(wanted);
    let manifest = |(path, text): &(&str, &str)| PageFile { path: (*path).to_owned(), text: (*text).to_owned() };
    let page = |page: Page| command(format!("{}/commands/{}.md", page.plugin, page.name), &page, &voice);
    let agent = |(name, role)| agent("forge/agents/", name, name, role, &voice);
    let hooks = settings::hooks(wanted).into_iter().map(|hook| (hook.event.to_owned(), json!([hook.group()])));
    let hooks = PageFile {
        path: "forge/hooks/hooks.json".to_owned(),
        text: jsonc::printed(&json!({"hooks": serde_json::Value::Object(hooks.collect())})),
    };
    let files = MANIFESTS.iter().map(manifest).chain(source::pages().into_iter().map(page));
    // A skill is a command too, and `/forge:debate` is one already.
    files.chain(source::seats().map(agent)).chain(skills("debate/skills", &voice)).chain([hooks]).collect()
}

fn command(path: String, page: &Page, voice: &Voice<'_>) -> PageFile {
    let mut front = guarded(page);
    let run = |call: &String| match call.strip_prefix('=') {
        Some(exact) => format!("Bash({} {exact})", voice.program),
        None => format!("Bash({} {call}:*)", voice.program),
    };
    let agents = page.agents.then(|| "Agent".to_owned()).into_iter();
    let writes = page.writes.iter().map(|path| format!("Edit({path})"));
    let tools: Vec<String> = agents.chain(page.calls.iter().map(run)).chain(writes).collect();
    if !tools.is_empty() {
        front.push(format!("allowed-tools: {}", tools.join(", ")));
    }
    markdown(path, &front, &page.text(voice))
}

fn agent(place: &str, name: &str, seat: &str, role: Option<&str>, voice: &Voice<'_>) -> PageFile {
    let who = role.map_or_else(|| "Any other seat".to_owned(), |_| format!("The {seat} seat"));
    let front = [
        format!("name: {name}"),
        format!("description: {who} of a forge debate. Only a page of forge starts it."),
        "tools: Bash, Read".to_owned(),
        "omitClaudeMd: true".to_owned(),
        "maxTurns: 16".to_owned(),
    ];
    markdown(format!("{place}{seat}.md"), &front, &voice.seat(role, ".claude"))
}
