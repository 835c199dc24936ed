//! `forge install` for every program: what stands where, AGENTS.md, Agent Orchestrator's line, and how all of it goes away again.

use crate::place::{Done, Place};
use std::fs;

/// The programs, and one file of each.
const HOSTS: [(&str, &str); 6] = [
    ("claude", ".claude/commands/forge/brainstorm.md"),
    ("codex", ".codex/skills/forge-brainstorm/SKILL.md"),
    ("gemini", ".gemini/commands/forge/brainstorm.toml"),
    ("qwen", ".qwen/commands/forge/brainstorm.md"),
    ("opencode", ".opencode/command/forge/brainstorm.md"),
    ("cursor", ".cursor/commands/forge-brainstorm.md"),
];
/// Every command that a user may type there.
const COMMANDS: [(&str, &[&str]); 2] = [
    (
        "forge",
        &[
            "start",
            "brainstorm",
            "research",
            "design",
            "plan",
            "test",
            "build",
            "validate",
            "review",
            "learn",
            "continue",
            "status",
            "gate",
            "save",
            "restore",
            "decisions",
            "tripwires",
            "debate",
        ],
    ),
    ("debate", &["start", "doctor", "status", "show", "decide", "export"]),
];

fn repository() -> Place {
    let place = Place::new();
    fs::create_dir(place.path(".git")).unwrap();
    place
}

fn install(place: &Place, flags: &[&str]) -> Done {
    place.forge(&[&["install"], flags].concat())
}

/// Where a program has the page of a command.
fn page(host: &str, plugin: &str, name: &str) -> String {
    match host {
        "claude" => format!(".claude/commands/{plugin}/{name}.md"),
        "codex" => format!(".codex/skills/{plugin}-{name}/SKILL.md"),
        "gemini" => format!(".gemini/commands/{plugin}/{name}.toml"),
        "qwen" => format!(".qwen/commands/{plugin}/{name}.md"),
        "opencode" => format!(".opencode/command/{plugin}/{name}.md"),
        _ => format!(".cursor/commands/{plugin}-{name}.md"),
    }
}

// seed: S0-84, S4-5
#[test]
fn every_program_gets_every_command_and_gives_it_back() {
    for (host, sample) in HOSTS {
        let place = repository();
        // Files of the user's, beside forge's and with names like them.
        place.write(".claude/commands/mine.md", "Mine.\n");
        place.write(".codex/skills/debate-club/SKILL.md", "---\nname: debate-club\ndescription: mine\n---\nMine.\n");
        place.write(".cursor/commands/forge-mine.md", "Mine.\n");
        place.write(".opencode/agent/forge-mine.md", "Mine.\n");
        place.write(".claude/skills/debate_Club/SKILL.md", "Mine.\n");
        place.write(".gemini/agents/forge-My Agent.md", "Mine.\n");
        let before = place.tree();
        install(&place, &[host, "--check"]).code(7).out("nothing of forge's is installed here");
        let plan = install(&place, &[host, "--dry-run"]).code(0).out("Plan (nothing was written)").out(sample);
        assert_eq!(place.tree(), before, "{host}: {plan}");
        install(&place, &[host]).code(0).out("new ").out("next ");
        for (plugin, names) in COMMANDS {
            for name in names {
                let text = place.read(&page(host, plugin, name));
                let path = format!("{host} {plugin}:{name}");
                assert!(!text.contains("{{ "), "{path} has a blank in it: {text}");
                assert!(text.contains("written by `forge install`"), "{path}");
                assert!(
                    !text.contains("!`") && !text.contains("!{"),
                    "{path} runs something before the model is asked"
                );
            }
        }
        for (path, bytes) in place.tree() {
            assert!(!String::from_utf8_lossy(&bytes).contains("{{ "), "{path} has a blank in it");
        }
        install(&place, &[host, "--check"]).code(0).out("whole: ");
        install(&place, &[host]).code(0).out("nothing to do");
        // A page that the user changed is the user's.
        place.edit(sample, |text| format!("{text}\nMore of mine.\n"));
        install(&place, &[host]).code(0).out("kept ");
        fs::remove_file(place.path(sample)).unwrap();
        install(&place, &[host]).code(0).out("new ");
        install(&place, &[host, "--remove"]).code(0).out("removed ");
        assert_eq!(place.tree(), before, "{host}");
        assert!(!place.path(".qwen").exists(), "no empty folder is left");
        install(&place, &[host, "--remove"]).code(0).out("nothing of forge's is installed here");
    }
}

#[test]
fn a_file_of_the_users_at_forges_place_refuses_all_of_them() {
    let place = repository();
    place.write(".qwen/commands/forge/status.md", "Mine.\n");
    let before = place.tree();
    install(&place, &["--all"]).code(2).err(".qwen/commands/forge/status.md").err("Nothing was written");
    assert_eq!(place.tree(), before);
}

#[test]
fn flags_that_are_not_a_programs_are_refused() {
    let place = repository();
    install(&place, &["codex", "--user"]).code(2).err("--user is for claude alone");
    install(&place, &["gemini", "--hold-stop"]).code(2).err("--hold-stop is for claude alone");
    install(&place, &[]).code(2).err("--all");
    install(&place, &["emacs"]).code(2).err("claude, codex, gemini, qwen, opencode, cursor, ao");
    install(&place, &["codex", "--all"]).code(2);
    assert_eq!(place.files(), Vec::<String>::new());
    Place::new().forge(&["install", "codex"]).code(2).err("forge install codex --project (this folder)");
}

#[test]
fn all_programs_are_checked_and_taken_out_at_once() {
    let place = repository();
    place.write("AGENTS.md", "# Ours\n\nWrite tests.");
    let before = place.tree();
    install(&place, &["--all", "--check"]).code(7).out("nothing of forge's is installed here");
    install(&place, &["--all", "--agents-md"]).code(0).out("edited    AGENTS.md").out("Codex: ");
    for (_, sample) in HOSTS {
        assert!(place.has(sample), "{sample}");
    }
    install(&place, &["--all", "--check"]).code(0).out("whole: Codex: ").out("whole: Cursor: ");
    let all = install(&place, &["--all", "--check", "--json"]).code(0).json();
    assert_eq!((all["whole"].as_bool(), all["hosts"].as_array().unwrap().len()), (Some(true), 6), "{all}");
    fs::remove_file(place.path(HOSTS[3].1)).unwrap();
    install(&place, &["--all", "--check"]).code(7).out(HOSTS[3].1).out("next   forge install qwen");
    install(&place, &["--all", "--remove"]).code(0).out("removed   .codex/").out("edited    AGENTS.md");
    assert_eq!(place.tree(), before);
}

#[test]
fn the_block_in_agents_md_comes_and_goes_with_the_rest_as_it_was() {
    let texts: [Option<&str>; 8] = [
        None,
        Some(""),
        Some("# Ours\n"),
        Some("# Ours"),
        Some("# Ours\n\n"),
        Some("# Ours\r\n\r\nWrite tests.\r\n"),
        Some("# Ours\r\nWrite tests."),
        Some("\u{feff}# Ours\n\n<!-- a comment -->\n"),
    ];
    for text in texts {
        let place = repository();
        if let Some(text) = text {
            place.write("AGENTS.md", text);
        }
        install(&place, &["qwen"]).code(0);
        assert_eq!(place.has("AGENTS.md"), text.is_some(), "only where it is asked for");
        install(&place, &["qwen", "--agents-md"]).code(0).out("AGENTS.md");
        let with = place.read("AGENTS.md");
        assert!(with.starts_with(text.unwrap_or_default()), "{with}");
        assert_eq!(with.matches("forge begin").count(), 1, "{with}");
        assert_eq!(with.contains("\r\n"), text.unwrap_or_default().contains("\r\n"), "{with:?}");
        install(&place, &["codex", "--agents-md"]).code(0);
        assert_eq!(place.read("AGENTS.md"), with, "one block for all");
        // What the user writes around it stays.
        place.edit("AGENTS.md", |text| format!("{text}\nMore.\n"));
        install(&place, &["codex", "--remove"]).code(0);
        assert_eq!(place.read("AGENTS.md"), format!("{}\nMore.\n", text.unwrap_or_default()));
        match text {
            Some(text) => place.write("AGENTS.md", text),
            None => fs::remove_file(place.path("AGENTS.md")).unwrap(),
        }
        install(&place, &["qwen", "--agents-md"]).code(0);
        install(&place, &["qwen", "--remove"]).code(0);
        match text {
            Some(text) => assert_eq!(place.read("AGENTS.md"), text),
            None => assert!(!place.has("AGENTS.md")),
        }
    }
    // A block that the user changed is the user's; one without an end is named.
    let place = repository();
    install(&place, &["qwen", "--agents-md"]).code(0);
    place.edit("AGENTS.md", |text| text.replace("Propose one", "Always propose one"));
    let changed = place.read("AGENTS.md");
    install(&place, &["qwen", "--agents-md"]).code(0).out("kept      AGENTS.md");
    install(&place, &["qwen", "--remove"]).code(0).out("kept      AGENTS.md");
    assert_eq!(place.read("AGENTS.md"), changed);
    place.edit("AGENTS.md", |text| text.replace("<!-- forge end -->", ""));
    install(&place, &["qwen", "--agents-md"]).code(2).err("AGENTS.md:1: forge's block begins here and has no end");
}

#[test]
fn the_orchestrators_line_comes_and_goes() {
    let cases = [
        ("projects:\n  shop:\n    repo: a/shop\n    path: .\n", "    path: .\n    symlinks: [docs/forge]\n"),
        ("projects:\n  shop:\n    repo: a/shop", "    repo: a/shop\n    symlinks: [docs/forge]"),
        (
            "projects:\n  shop:\n    symlinks: [.env, .claude] # mine\n    repo: a/shop\n",
            "[.env, .claude, docs/forge] # mine",
        ),
        ("projects:\n  shop:\n    symlinks: []\n", "symlinks: [docs/forge]"),
        (
            "port: 3000\nprojects:\n  shop:\n    symlinks:\n      - .env\n      - .claude\n    repo: a/shop\nnotify: [x]\n",
            "      - .claude\n      - docs/forge\n    repo",
        ),
        (
            "projects:\n  other:\n    path: /nowhere\n    symlinks: [x]\n  # this one\n  \"shop\":\n    path: .\n\n    # notes\n  last:\n    path: /elsewhere\n",
            "    path: .\n    symlinks: [docs/forge]\n",
        ),
        ("projects:\r\n  shop:\r\n    repo: a/shop\r\n", "    repo: a/shop\r\n    symlinks: [docs/forge]\r\n"),
    ];
    for (text, expected) in cases {
        let place = repository();
        place.write("agent-orchestrator.yaml", text);
        install(&place, &["ao", "--check"]).code(7).out("does not link docs/forge");
        install(&place, &["ao", "--dry-run"]).code(0).out("edited    agent-orchestrator.yaml");
        assert_eq!(place.read("agent-orchestrator.yaml"), text);
        install(&place, &["ao"]).code(0).out("edited    agent-orchestrator.yaml");
        let with = place.read("agent-orchestrator.yaml");
        assert!(with.contains(expected), "{text}\n->\n{with}");
        install(&place, &["ao"]).code(0).out("nothing to do");
        install(&place, &["ao", "--check"]).code(0).out("whole");
        install(&place, &["ao", "--remove"]).code(0);
        assert_eq!(place.read("agent-orchestrator.yaml"), text);
    }
    let refused = [
        ("projects: {shop: {repo: a/shop}}\n", "shop"),
        ("projects: {}\n", "no projects"),
        ("projects:\n  a:\n    path: /x\n  b:\n    path: /y\n", "which of a, b"),
        ("projects:\n  shop: [\n", "agent-orchestrator.yaml:"),
    ];
    for (text, why) in refused {
        let place = repository();
        place.write("agent-orchestrator.yaml", text);
        install(&place, &["ao"]).code(2).err(why);
        assert_eq!(place.read("agent-orchestrator.yaml"), text);
    }
    install(&repository(), &["ao"]).code(2).err("there is no agent-orchestrator.yaml here").err("--symlink docs/forge");
}
