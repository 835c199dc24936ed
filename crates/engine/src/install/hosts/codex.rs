//! Codex: a skill for each page, of which those that spend are never taken up by the model itself, and rules for what may run
//! unasked. Its subagents are told their task by the page. Its rules hold for a command alone, not for one with a
//! here-document or a redirection, which stays in the sandbox: a seat writes its turn into a file first.

use super::{BY_FILE, Host, PageFile, joined, markdown, quoted, skills};
use crate::install::source::{self, Page, Voice};
use crate::install::{Wanted, settings};

pub(super) static HOST: Host = Host {
    name: "codex",
    title: "Codex",
    folder: ".codex",
    next: &[
        "run codex in this folder and trust it: rules of a folder that is not trusted do not count",
        "type: $forge-debate Redis or Memcached for sessions?",
    ],
    files,
};

const NOT_BY_ITSELF: &str = "# The user calls it by its name.\npolicy:\n  allow_implicit_invocation: false\n";

fn files(wanted: &Wanted) -> Vec<PageFile> {
    let voice = Voice {
        program: &wanted.program,
        seats: include_str!("../../../pages/seats/codex.md"),
        hands: "subagents",
        outside: " --agent outside",
        command: |plugin, name| format!("${}", joined(plugin, name)),
        arguments: None,
        hand_in: BY_FILE,
    };
    let pages = source::pages();
    let folder = |page: &Page| format!(".codex/skills/{}", joined(page.plugin, &page.name));
    let skill = |page: &Page| {
        let front = [
            format!("name: {}", joined(page.plugin, &page.name)),
            format!("description: {}", quoted(&page.description)),
        ];
        markdown(format!("{}/SKILL.md", folder(page)), &front, &page.text(&voice))
    };
    let policy =
        |page: &Page| PageFile { path: format!("{}/agents/openai.yaml", folder(page)), text: NOT_BY_ITSELF.to_owned() };
    let policies = pages.iter().filter(|page| page.spends).map(policy);
    let files = pages.iter().map(skill).chain(policies).chain(skills(".codex/skills", &voice));
    files.chain([rules(wanted)]).collect()
}

/// What may run unasked, and outside of the sandbox: turns are kept in the user's state folder until their wave is closed.
fn rules(wanted: &Wanted) -> PageFile {
    let rule = |command: &str| {
        format!("prefix_rule(pattern=[{}, {}], decision=\"allow\")\n", quoted(&wanted.program), quoted(command))
    };
    let rules: String = settings::UNASKED.into_iter().map(rule).collect();
    PageFile {
        path: ".codex/rules/forge.rules".to_owned(),
        text: format!("# What forge may do unasked: nothing that spends or decides.\n{rules}"),
    }
}
