//! A walk through the workflow in the real `claude`, by its pages alone: a start, a brainstorm whose debate is held by four
//! subagents, and on to research.

use super::super::holding::{CLAUDE, Call, Seat, told};
use super::Host;
use crate::place::front;
use forge_testkit::model_server::{Answer, Asked};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const OBJECTIVE: &str = "Sessions that survive a restart, \"whatever\" the shop's load";
const BRIEF: &str = "docs/forge/knowledge/brief.md";
const OPTIONS: &str = "docs/forge/brainstorm-options.md";
const EMPTY: &str = "- [Name]: [What it is]\n- [Name]: [What it is]\n- [Name]: [What it is]";
const LISTED: &str =
    "- Redis: a store beside the shop\n- Sticky: the balancer sends people back\n- Nothing: people log in again";
const DOCUMENT: &str = "docs/forge/phases/brainstorm.md";

/// What a page has the model do before a debate begins, a step each.
fn steps(page: &str, asked: &Asked) -> Vec<Call> {
    let run = |command: &str| (CLAUDE.run)(command);
    let read = |file: &str| (CLAUDE.read)(asked, file);
    let edit = |file: &str, old: &str, new: &str| {
        let (_, mut input) = read(file);
        input["old_string"] = json!(old);
        input["new_string"] = json!(new);
        ("Edit", input)
    };
    let write = |file: &str, text: &str| {
        let (_, mut input) = read(file);
        input["content"] = json!(text);
        ("Write", input)
    };
    match page {
        "start" => vec![
            run(&format!("forge start '{}'", OBJECTIVE.replace('\'', "'\\''"))),
            read(BRIEF),
            edit(BRIEF, "## Success\n", "## Success\n\n- Nobody logs in twice.\n"),
        ],
        "brainstorm" => vec![
            run("forge brainstorm"),
            read(BRIEF),
            read("docs/forge/handoffs/init-to-brainstorm.md"),
            run("forge decisions"),
            read(OPTIONS),
            edit(OPTIONS, EMPTY, LISTED),
            read(DOCUMENT),
            // What was read comes with its numbers.
            write(
                DOCUMENT,
                &format!(
                    "{}\n## Risks\n\n- The store is down (probability: low, impact: high)\n",
                    without_numbers(asked)
                ),
            ),
            run("forge continue"),
            run("forge continue --agent outside"),
            run("forge turn next --json"),
        ],
        _ => vec![run("forge continue")],
    }
}

fn without_numbers(asked: &Asked) -> String {
    let told = told(asked);
    let text = |line: &str| line.split_once(['\t', '→']).map_or("", |(_, rest)| rest).to_owned();
    let lines = told.lines().take_while(|line| !line.contains("<system-reminder>"));
    lines.map(|line| text(line) + "\n").collect()
}

fn answer(asked: &Asked) -> Answer {
    if asked.subagent().is_some() {
        let seat = Seat::of(asked, &CLAUDE);
        return seat.map_or_else(|| Answer::Text("This is no task for a seat.".to_owned()), |seat| seat.usual(&[]));
    }
    let is_typed = |page: &&str| asked.all.contains(&format!("<command-name>/forge:{page}<"));
    let Some(page) = ["start", "brainstorm", "continue"].into_iter().find(is_typed) else {
        return Answer::Text("Nothing to do.".to_owned());
    };
    let done = asked.calls();
    let steps = steps(page, asked);
    if let Some(step) = steps.get(done.len()) {
        return Answer::tools([step.clone()]);
    }
    let goes_on = (CLAUDE.run)("forge continue").1;
    match done.last() {
        Some((_, input)) if *input == goes_on || page == "start" => Answer::Text(told(asked)),
        _ => CLAUDE.hold(asked).unwrap_or_else(|| CLAUDE.runs("forge continue")),
    }
}

/// Types a page, with no leave but that of the page and of what is installed.
fn types(host: &Host, typed: &str) -> Value {
    let said = Host::said(host.session_with(typed, &[]));
    assert_eq!(said["permission_denials"], json!([]), "{typed}: {said:#}");
    said
}

#[test]
fn from_a_start_through_a_brainstorm_to_research() {
    let Some(host) = Host::answering(answer) else { return };
    let place = &host.place;
    types(&host, &format!("/forge:start {OBJECTIVE}"));
    assert!(place.read(BRIEF).contains("Nobody logs in twice."), "{}", place.read(BRIEF));
    let said = types(&host, "/forge:brainstorm");
    let verdict = host.ends(&said);
    assert_eq!(verdict["protocol"], "gate@1", "{verdict:#}");
    let turns = verdict["turns"].as_array().unwrap().iter().map(|turn| place.read(turn["file"].as_str().unwrap()));
    let subagents: BTreeSet<String> = turns.filter_map(|turn| front(&turn, "subagent")).collect();
    for role in ["advocate", "skeptic", "operator", "synthesizer"] {
        assert!(subagents.iter().any(|name| name.starts_with(&format!("forge-{role}/"))), "{role}: {subagents:?}");
    }
    assert_eq!(subagents.len(), 4, "{subagents:?}");
    let state = place.read(".claude/forge/active-workflow.md");
    assert!(state.contains("completed_phases: [init, brainstorm]"), "{state}\n{said:#}");
    let said = types(&host, "/forge:continue");
    let state = place.read(".claude/forge/active-workflow.md");
    for line in ["phase: research", "phase_status: in_progress", "completed_phases: [init, brainstorm]"] {
        assert!(state.lines().any(|known| known == line), "{line}: {state}\n{said:#}");
    }
    let decisions = place.read("docs/forge/knowledge/decisions.md");
    assert!(decisions.contains("Redis"), "{decisions}");
    assert!(place.read("docs/forge/knowledge/risks.md").contains("The store is down"));
    place.forge(&["gate"]).code(0);
}
