//! Qwen Code.

use super::{Host, PageFile, commands, guarded, markdown, skills, with_colon};
use crate::install::Wanted;
use crate::install::source::Voice;

pub(super) static HOST: Host = Host {
    name: "qwen",
    title: "Qwen Code",
    folder: ".qwen",
    next: &["run qwen in this folder, and type: /forge:debate \"Redis or Memcached for sessions?\""],
    files,
};

fn files(wanted: &Wanted) -> Vec<PageFile> {
    let voice = Voice {
        program: &wanted.program,
        seats: include_str!("../../../pages/seats/qwen.md"),
        hands: "subagents",
        outside: " --agent outside",
        command: with_colon,
        arguments: Some("{{args}}"),
        hand_in: "",
    };
    let front = [
        "name: forge-seat".to_owned(),
        "description: \"One seat of a forge debate. Only a page of forge starts it.\"".to_owned(),
        "tools:\n  - read_file\n  - run_shell_command".to_owned(),
    ];
    let seat = markdown(".qwen/agents/forge-seat.md".to_owned(), &front, &voice.seat(None, ".qwen"));
    let pages = commands(".qwen/commands", &voice, guarded).into_iter();
    pages.chain([seat]).chain(skills(".qwen/skills", &voice)).collect()
}
