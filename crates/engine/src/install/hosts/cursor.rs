//! Cursor: pages without front matter, and no subagents that could sit in a seat.

use super::{Host, PageFile, joined};
use crate::install::Wanted;
use crate::install::source::{self, Page, Voice};

pub(super) static HOST: Host = Host {
    name: "cursor",
    title: "Cursor",
    folder: ".cursor",
    next: &[
        "open this folder in Cursor, and type: /forge-status, /forge-debate, ...",
        "Cursor starts no subagents for the seats: agents on this machine take them, or sessions of their own",
    ],
    files,
};

fn files(wanted: &Wanted) -> Vec<PageFile> {
    let voice = Voice {
        program: &wanted.program,
        seats: include_str!("../../../pages/seats/cursor.md"),
        hands: "calls of agents",
        outside: "",
        command: |plugin, name| format!("/{}", joined(plugin, name)),
        arguments: None,
        hand_in: "",
    };
    let command = |page: Page| PageFile {
        path: format!(".cursor/commands/{}.md", joined(page.plugin, &page.name)),
        text: format!("{}.\n\n{}", page.description.trim_end_matches('.'), page.text(&voice)),
    };
    source::pages().into_iter().map(command).collect()
}
