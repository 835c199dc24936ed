//! Gemini CLI. It lets no command through with a backtick in it, so that a seat writes its turn into a file first.

use super::{BY_FILE, Host, PageFile, markdown, quoted, skills, with_colon};
use crate::install::Wanted;
use crate::install::source::{self, Page, Voice};

pub(super) static HOST: Host = Host {
    name: "gemini",
    title: "Gemini CLI",
    folder: ".gemini",
    next: &[
        "run gemini in this folder, trust it, and acknowledge the agent forge-seat with /agents",
        "type: /forge:debate \"Redis or Memcached for sessions?\"",
    ],
    files,
};

fn files(wanted: &Wanted) -> Vec<PageFile> {
    let voice = Voice {
        program: &wanted.program,
        seats: include_str!("../../../pages/seats/gemini.md"),
        hands: "subagents",
        outside: " --agent outside",
        command: with_colon,
        arguments: Some("{{args}}"),
        hand_in: BY_FILE,
    };
    let command = |page: Page| PageFile {
        path: format!(".gemini/commands/{}/{}.toml", page.plugin, page.name),
        // In a text between three quotes only these two mean something else.
        text: format!(
            "description = {}\nprompt = \"\"\"\n{}\"\"\"\n",
            quoted(&page.description),
            page.text(&voice).replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"")
        ),
    };
    let front = [
        "name: forge-seat".to_owned(),
        "description: \"One seat of a forge debate. Only a page of forge starts it.\"".to_owned(),
        "tools: [read_file, write_file, run_shell_command]".to_owned(),
        "max_turns: 16".to_owned(),
    ];
    let seat = markdown(".gemini/agents/forge-seat.md".to_owned(), &front, &voice.seat(None, ".gemini"));
    let pages = source::pages().into_iter().map(command);
    pages.chain([seat]).chain(skills(".gemini/skills", &voice)).collect()
}
