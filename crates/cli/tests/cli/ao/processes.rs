//! Under AO forge starts nothing but `ao spawn --help`, and asks nobody.

use super::{DEBATE, GENERATIONS, LATER, OPTIONS, Stage, lines, roles};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

/// What somebody might be tempted to start.
const PROGRAMS: [&str; 20] = [
    "claude", "codex", "gemini", "opencode", "ollama", "git", "gh", "sh", "bash", "env", "kill", "tmux", "node", "npx",
    "python3", "curl", "ssh", "nohup", "forge", "cat",
];

/// A search path on which every program but `ao` only writes down that it ran.
fn with_traps(stage: &mut Stage) {
    let folder = stage.place.around().join("traps");
    std::fs::create_dir(&folder).unwrap();
    let sprung = folder.join("sprung");
    for name in PROGRAMS {
        let script = format!("#!/bin/sh\nprintf '%s\\n' \"{name} $*\" >>'{}'\n", sprung.display());
        std::fs::write(folder.join(name), script).unwrap();
        std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", folder.display(), stage.stub.bin().display());
    stage.place.set("PATH", &path);
    // The stand-in looks for its texts with a program otherwise.
    stage.place.set("STUB_AO_TEXTS", stage.stub.bin().join("texts").to_str().unwrap());
}

fn sprung(stage: &Stage) -> String {
    std::fs::read_to_string(stage.place.around().join("traps/sprung")).unwrap_or_default()
}

// seed: S0-11, S1-4, S1-29
#[test]
fn only_aos_help_is_started_and_once_for_a_debate() {
    for generation in GENERATIONS {
        let mut stage = Stage::new(generation);
        with_traps(&mut stage);
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        stage.place.set("OPENAI_BASE_URL", &format!("http://{}/v1", server.local_addr().unwrap()));
        stage.place.set("FORGE_AGENT", "openai:some-model");
        let opened = stage.open();
        assert_eq!(stage.stub.log(), "[spawn][--help]\n");
        let everything: [&[&str]; 16] = [
            &["continue"],
            &["continue", "--json"],
            &["status"],
            &["gate"],
            &["debate", "collect"],
            &["debate", "list"],
            &["debate", "status", DEBATE],
            &["debate", "show", DEBATE],
            &["decisions"],
            &["tripwires", "--check"],
            &["save"],
            &["brainstorm"],
            &["continue", "--run"],
            &["continue", "--agent", "openai:some-model"],
            &["continue", "--agent", "rehearsal"],
            &["continue", "--agent", "outside"],
        ];
        for args in everything {
            stage.forge(args);
        }
        assert_eq!(stage.stub.log(), "[spawn][--help]\n", "{generation}");
        stage.spawn(&lines(&opened), "worktree");
        let second = stage.forge(&["continue"]).code(3);
        stage.spawn(&lines(&second), "worktree");
        stage.forge(&["continue"]).code(0).out("entered research");
        let log = stage.stub.log();
        assert_eq!((stage.asked(), log.lines().count()), (1, 5), "the other four are ours:\n{log}");

        // Another debate: `ao` may be another by now.
        stage.place.set("FORGE_NOW", LATER);
        stage.forge(&["start", "Payments for the shop", "--abandon"]).code(0);
        stage.place.write("docs/forge/brainstorm-options.md", OPTIONS);
        for _ in 0..3 {
            stage.forge(&["continue"]);
        }
        assert_eq!(lines(&stage.forge(&["continue"]).code(3)).len(), 3);
        assert_eq!(stage.asked(), 2, "{}", stage.stub.log());

        assert_eq!(sprung(&stage), "", "{generation}");
        assert!(Command::new(stage.place.around().join("traps/claude")).status().unwrap().success());
        assert_eq!(sprung(&stage), "claude \n", "the traps work");
        server.set_nonblocking(true).unwrap();
        assert_eq!(server.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock, "no model was asked");
    }
}

// seed: S0-77, S1-4
#[test]
fn agents_are_refused_and_nothing_happens() {
    let stage = Stage::new('B');
    stage.open();
    let before = stage.place.tree();
    for args in [
        &["continue", "--agent", "openai:x"][..],
        &["continue", "--agent", "rehearsal"],
        &["continue", "--agent", "rehearsal", "--allow-rehearsal"],
        &["continue", "--run"],
        &["continue", "--run", "--json"],
    ] {
        let done = stage.forge(args).code(2).err(args[1]).err("under AO forge asks nobody itself");
        assert_eq!(done.out.contains("\"error\""), args.contains(&"--json"), "{done}");
        assert_eq!(stage.place.tree(), before, "{args:?}");
    }
}

/// A plan that was made elsewhere, with agents in its seats.
// seed: S0-77
#[test]
fn agents_of_a_plan_are_not_asked_either() {
    let mut stage = Stage::new('B').without_ao();
    stage.place.set("FORGE_AGENT", "rehearsal");
    stage.open().out("forge continue --run");
    stage.set_ao(true);
    let done = stage.forge(&["continue"]).code(3).err("the plan gives advocate, skeptic, operator to agents");
    assert!(done.err.contains("forge continue --agent outside"), "{done}");
    assert_eq!((lines(&done).len(), stage.asked()), (0, 0), "{done}");
    let before = stage.place.tree();
    stage.forge(&["continue", "--run"]).code(2).err("under AO forge asks nobody itself");
    assert_eq!(stage.place.tree(), before);
    let reseated = stage.forge(&["continue", "--agent", "outside"]).code(3);
    assert_eq!(lines(&reseated).len(), 3, "{reseated}");
    assert!(!stage.has_turn("advocate.md"), "{reseated}");
    stage.spawn(&lines(&reseated), "worktree");
    assert_eq!(roles(&stage.forge(&["continue"]).code(3)), "synthesizer");
}

#[test]
fn a_plan_with_agents_that_has_begun_is_not_held() {
    let mut stage = Stage::new('B').without_ao();
    stage.place.set("FORGE_AGENT", "rehearsal");
    stage.open();
    stage.place.write(&format!("{}/advocate.md", super::HOME), super::ADVOCATE);
    stage.set_ao(true);
    stage.forge(&["continue", "--agent", "outside"]).code(2).err("has begun");
    assert!(!stage.has_turn("skeptic.md") && !stage.has_turn("synthesis.md"), "nobody was asked");
}

/// It may hang, flood or say nothing: forge goes on, with the oldest form.
#[test]
fn an_ao_that_does_not_answer_does_no_harm() {
    for script in ["exit 1", "kill -9 $$", "exec sleep 1000"] {
        let stage = Stage::new('B');
        std::fs::write(stage.stub.bin().join("ao"), format!("#!/bin/sh\n{script}\n")).unwrap();
        stage.forge(&["start", "Sessions for the shop"]).code(0);
        stage.place.write("docs/forge/brainstorm-options.md", OPTIONS);
        let done = stage.forge(&["continue"]).code(3).err("does not say how it spawns");
        assert!(lines(&done).iter().all(|line| line.starts_with("ao spawn work '")), "{done}");
        assert_eq!(lines(&done).len(), 3, "{done}");
    }
}
