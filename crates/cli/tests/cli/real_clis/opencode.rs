//! The real opencode, where it is installed: `FORGE_REAL_OPENCODE=1 .ci/real-clis`. Each call of it takes several seconds of
//! a processor, so it is no part of what runs by default.

use super::{Field, bin, outside, processes_of};
use crate::model::serve_all_wires;
use crate::place::front;
use forge_testkit::model_server::{Answer, ModelServer, Wire};
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A judge each, at three makers: by the first key, and by the model's name.
const SEATS: [(&str, &str, Wire); 3] = [
    ("risk", "opencode", Wire::Anthropic),
    ("value", "opencode:openai/gpt-5.1", Wire::Responses),
    ("effort", "opencode:google/gemini-2.5-flash", Wire::Gemini),
];
const STRAY: &str = "STRAY-context-that-nobody-asked-for";

/// A field with opencode on its path, or nothing where it is not installed.
fn field(server: impl FnOnce() -> ModelServer) -> Option<Field> {
    let beside = bin()?.parent()?.join("opencode");
    if !beside.join("opencode").exists() {
        let test = std::thread::current().name().unwrap_or("").to_owned();
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: {test}: opencode is not installed; run FORGE_REAL_OPENCODE=1 .ci/real-clis"
        );
        return None;
    }
    let mut field = Field::with(server)?;
    field.place.set("PATH", &format!("{}:/usr/bin:/bin", beside.display()));
    Some(field)
}

fn debate() -> Vec<String> {
    let mut args =
        ["debate", "/help: build or buy?", "--protocol", "judges", "--id", "d1", "--timeout", "120s"].to_vec();
    args.extend(["--option", "Build it", "--option", "Buy it"]);
    let seats = SEATS.iter().flat_map(|(seat, agent, _)| ["--seat".to_owned(), format!("{seat}={agent}")]);
    args.into_iter().map(str::to_owned).chain(seats).collect()
}

/// Leaves context, commands and permissions wherever opencode looks for the user's own.
fn strew(home: &Path, touched: &Path) {
    let serve = json!(["/bin/sh", "-c", format!("touch {}", touched.display())]);
    let settings = json!({
        "mcp": { "mine": { "type": "local", "command": serve, "enabled": true } },
        "instructions": [home.join("AGENTS.md")],
        "permission": { "bash": "allow", "edit": "allow" },
        "tools": { "bash": true },
    });
    for folder in [".opencode", ".config/opencode", ".claude", ".local/share/opencode"] {
        let folder = home.join(folder);
        fs::create_dir_all(&folder).unwrap();
        for name in ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"] {
            fs::write(folder.join(name), STRAY).unwrap();
            fs::write(home.join(name), STRAY).unwrap();
        }
        fs::write(folder.join("opencode.json"), settings.to_string()).unwrap();
    }
    fs::write(home.join(".local/share/opencode/auth.json"), "{}").unwrap();
}

#[test]
fn it_asks_each_maker_with_its_own_key_and_brings_nothing_along() {
    let Some(mut field) = field(|| serve_all_wires(&[], |_, _| None)) else { return };
    let home = field.place.around().join("home");
    let touched = home.join(".local/share/opencode/served");
    strew(&home, &touched);
    // Where the seats' folders are, which is above them.
    let above = field.place.around().join("tmp");
    for name in ["CONTEXT.md", "opencode.json"] {
        let text = if name == "CONTEXT.md" { STRAY } else { r#"{"permission":{"bash":"allow"}}"# };
        fs::write(above.join(name), text).unwrap();
    }
    field.outside = outside(&field.place);
    let args = debate();
    let done = field.place.forge(&args.iter().map(String::as_str).collect::<Vec<_>>()).code(0).out("CONSENSUS");
    assert!(!done.out.contains("DEGRADED"), "{done}");
    for (seat, agent, wire) in SEATS {
        let asked = field.asked(wire);
        assert_eq!(asked.len(), 1, "{agent}: {done}");
        assert!(asked[0].tools.is_empty(), "{agent} is offered {:?}", asked[0].tools);
        assert!(!asked[0].body.to_string().contains(STRAY), "{agent} read what nobody asked for");
        let receipt = field.place.only(|file| file.contains("trail/replies/") && file.contains(seat));
        let receipt = field.place.read(&receipt);
        for key in ["model_served", "input_tokens", "output_tokens", "sandbox", "version"] {
            assert!(front(&receipt, key).is_some_and(|value| value != "null"), "{key}: {receipt}");
        }
    }
    assert!(!touched.exists(), "a command of the user's ran");
    field.place.forge(&["verify", "--all"]).code(0);
    field.is_clean(&[&done]);
}

#[test]
fn what_goes_wrong_is_the_absence_that_it_is() {
    let odd = |wire: Wire| match wire {
        Wire::Anthropic => Answer::WrongKey,
        Wire::Responses => Answer::Text(String::new()),
        Wire::Gemini | Wire::Chat => Answer::rate_limited(1),
    };
    let Some(field) = field(|| serve_all_wires(&[], move |asked, _| Some(odd(asked.wire)))) else { return };
    let args = debate();
    let done = field.place.forge(&args.iter().map(String::as_str).collect::<Vec<_>>()).code(5);
    let absences = field.verdict()["absences"].as_array().unwrap().clone();
    for (seat, kind) in [("risk", "no-auth"), ("value", "crashed"), ("effort", "rate-limited")] {
        let absence = absences.iter().find(|absence| absence["seat"] == seat);
        assert_eq!(absence.map(|absence| &absence["kind"]), Some(&json!(kind)), "{absences:#?}");
    }
    field.is_clean(&[&done]);
}

#[test]
fn a_tool_that_is_called_does_nothing_and_a_killed_forge_leaves_nothing() {
    let silent = Arc::new(AtomicBool::new(false));
    let switch = Arc::clone(&silent);
    let server = || {
        serve_all_wires(&[], move |asked, _| {
            if switch.load(Ordering::SeqCst) {
                return Some(Answer::Hang);
            }
            let call = || Answer::tool("bash", json!({ "command": "touch owned", "description": "look" }));
            asked.results.is_empty().then(call)
        })
    };
    let Some(field) = field(server) else { return };
    let probe = ["doctor", "--probe", "opencode", "--timeout", "60s"];
    let done = field.place.forge(&probe);
    assert!(field.server.requests().iter().any(|asked| !asked.results.is_empty()), "it was told no: {done}");
    silent.store(true, Ordering::SeqCst);
    let before = field.server.count();
    let running = field.place.start(&probe);
    field.waits_for(before + 1);
    assert!(running.kill());
    field.patiently("the end of every process", || processes_of(&field.place).is_empty().then_some(()));
    field.patiently("the end of the seats' folders", || (outside(&field.place) == field.outside).then_some(()));
    field.is_clean(&[&done]);
}
