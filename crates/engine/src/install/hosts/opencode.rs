//! opencode.

use super::{Host, PageFile, commands, described, markdown, skills};
use crate::install::Wanted;
use crate::install::source::Voice;

pub(super) static HOST: Host = Host {
    name: "opencode",
    title: "opencode",
    folder: ".opencode",
    next: &["run opencode in this folder, and type: /forge/debate \"Redis or Memcached for sessions?\""],
    files,
};

fn files(wanted: &Wanted) -> Vec<PageFile> {
    let voice = Voice {
        program: &wanted.program,
        seats: include_str!("../../../pages/seats/opencode.md"),
        hands: "subagents",
        outside: " --agent outside",
        command: |plugin, name| format!("/{plugin}/{name}"),
        arguments: Some("$ARGUMENTS"),
        hand_in: "",
    };
    let front = [
        "description: \"One seat of a forge debate. Only a page of forge starts it.\"".to_owned(),
        "mode: subagent".to_owned(),
        // A seat reads its ask and runs one command.
        "tools:\n  write: false\n  edit: false\n  patch: false\n  webfetch: false\n  task: false".to_owned(),
    ];
    let seat = markdown(".opencode/agent/forge-seat.md".to_owned(), &front, &voice.seat(None, ".opencode"));
    let pages = commands(".opencode/command", &voice, described).into_iter();
    pages.chain([seat]).chain(skills(".opencode/skill", &voice)).collect()
}
