//! A challenge with four CLIs: each reads its own persona, and nobody else's.

use super::{CLIS, Field};
use crate::model::serve_all_wires;
use forge_testkit::model_server::Wire;
use serde_json::json;
use std::fs;

const SEATS: [(&str, &str, Wire); 4] = [
    ("lead", "claude", Wire::Anthropic),
    ("architect", "gemini", Wire::Gemini),
    ("operator", "codex", Wire::Responses),
    ("adversary", "qwen", Wire::Chat),
];

const CONTEXT_FILES: [&str; 4] = ["CLAUDE.md", "AGENTS.md", "GEMINI.md", "QWEN.md"];
/// What stands in context files that nobody asked for.
const STRAY: &str = "STRAY-context-that-nobody-asked-for";

/// Leaves context files where the CLIs look for the user's own.
fn context_at_home(field: &Field) {
    for folder in [".claude", ".codex", ".gemini", ".qwen"] {
        let folder = field.place.around().join("home").join(folder);
        fs::create_dir_all(&folder).unwrap();
        for name in CONTEXT_FILES {
            fs::write(folder.join(name), STRAY).unwrap();
        }
    }
}

// seed: S4-17, S4-39
#[test]
fn every_seat_reads_its_own_persona_and_nobody_elses() {
    let Some(mut field) = Field::with(|| serve_all_wires(&[], |_, _| None)) else { return };
    // The temporary folder holds context files, so the seats' folders must be made elsewhere.
    let run = field.place.around().join("run");
    fs::create_dir(&run).unwrap();
    field.place.set("XDG_RUNTIME_DIR", &run.display().to_string());
    let temporary = field.place.around().join("tmp");
    for name in CONTEXT_FILES {
        field.place.write(name, STRAY);
        fs::write(temporary.join(name), STRAY).unwrap();
    }
    context_at_home(&field);
    field.outside = super::outside(&field.place);

    let seats: Vec<String> = SEATS.iter().map(|(seat, agent, _)| format!("{seat}={agent}")).collect();
    let mut args = vec!["debate", "Build or buy the billing service?", "--protocol", "challenge", "--id", "d1"];
    args.extend(["--option", "Build it", "--option", "Buy it", "--timeout", "60s"]);
    args.extend(seats.iter().flat_map(|seat| ["--seat", seat]));
    let done = field.place.forge(&args);
    assert!(matches!(done.code, 0 | 4), "{done}");
    assert!(!done.out.contains("DEGRADED") && !done.out.contains("one model family"), "{done}");

    let persona = |file: &str| field.place.read(&format!("debates/d1/{file}"));
    let personas = [
        (Wire::Gemini, persona("GEMINI.md")),
        (Wire::Responses, persona("AGENTS.md")),
        (Wire::Chat, persona("QWEN.md")),
    ];
    for (name, wire) in CLIS {
        let asked = field.asked(wire);
        assert!(!asked.is_empty(), "{name} was asked");
        for request in asked {
            assert!(!request.body.to_string().contains(STRAY), "{name} read what nobody asked for");
            for (whose, text) in &personas {
                // The first paragraph of a persona stands in no other text.
                let mark = text.lines().find(|line| line.len() > 80).unwrap();
                assert_eq!(request.all.contains(mark), *whose == wire, "{name}: {mark}");
            }
        }
    }
    field.place.forge(&["verify", "--all"]).code(0);
    field.is_clean(&[&done]);
}

#[test]
fn a_home_gives_the_login_and_nothing_else() {
    let Some(field) = Field::with(|| serve_all_wires(&[], |_, _| None)) else { return };
    context_at_home(&field);
    // Configured in the home, so that each of them sees it; and with more than forge wants.
    let home = field.place.around().join("home");
    let folders = [".claude", ".gemini", ".qwen"].map(|folder| home.join(folder));
    for folder in &folders {
        // In the one folder of the home that its program may write.
        let touch = |file: &str| format!("touch {}", folder.join(file).display());
        let hook = json!([{ "hooks": [{ "type": "command", "command": touch("hooked") }] }]);
        let settings = json!({
            "hooks": { "UserPromptSubmit": hook, "SessionStart": hook, "BeforeAgent": hook },
            "mcpServers": { "mine": { "command": "/bin/sh", "args": ["-c", touch("served")], "trust": true } },
            "tools": { "discoveryCommand": touch("discovered") },
        });
        fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
    }
    fs::write(home.join(".codex/config.toml"), "sandbox_mode = \"danger-full-access\"\n").unwrap();

    let mut args = vec!["debate", "Build or buy?", "--protocol", "gate", "--id", "d1", "--timeout", "60s"];
    args.extend(["--option", "Build it", "--option", "Buy it", "--option", "Wait"]);
    for seat in ["advocate=claude", "skeptic=gemini", "operator=qwen", "synthesizer=codex"] {
        args.extend(["--seat", seat]);
    }
    let done = field.place.forge(&args).code(0);
    assert!(!done.out.contains("DEGRADED"), "{done}");
    for (name, wire) in CLIS {
        let asked = field.asked(wire);
        assert!(!asked.is_empty(), "{name} was asked");
        for request in asked {
            assert!(!request.body.to_string().contains(STRAY), "{name} read the user's own context");
            field.is_harmless(&request);
        }
    }
    for (folder, file) in
        folders.iter().flat_map(|folder| ["hooked", "served", "discovered"].map(|file| (folder, file)))
    {
        assert!(!folder.join(file).exists(), "a command of the user's ran: {file} in {}", folder.display());
    }
    assert!(super::processes_of(&field.place).is_empty());
}
