//! `forge debate` outside a workflow: under AO its seats are sessions too.

use super::{GENERATIONS, Stage, lines, roles};
use crate::model::serve;
use forge_testkit::model_server::ModelServer;

const QUESTION: &str = "Where do sessions go?";
const OPTIONS: [&str; 6] =
    ["--option", "Redis: a server", "--option", "Cookies: no server", "--option", "Postgres: a table"];
const JUDGE: &str = include_str!("../../data/judge.md");

/// A stage on which a model would answer, if anybody asked it.
fn with_a_model(generation: char) -> (Stage, ModelServer) {
    let server = serve(&[], |_, _| None);
    let mut stage = Stage::new(generation);
    stage.place.set("OPENAI_BASE_URL", &server.base_url());
    stage.place.set("OPENAI_API_KEY", "sk-test-0123456789abcdef");
    stage.place.set("OPENAI_MODEL", "gpt-test");
    stage.place.set("FORGE_AGENT", "openai:gpt-test");
    let seats = r#"{"judges": {"risk": "openai:gpt-test"}, "challenge": {"lead": "openai:gpt-test"}}"#;
    stage.place.write(".claude/forge/config.json", format!(r#"{{"agent": "openai:gpt-test", "seats": {seats}}}"#));
    (stage, server)
}

fn debate<'a>(protocol: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["debate", QUESTION, "--protocol", protocol, "--id", "d1"], more].concat()
}

// seed: S1-5, S1-25
#[test]
fn a_plain_debate_prints_its_spawn_lines_and_asks_nobody() {
    let first_waves = [
        ("judges", "risk value effort"),
        ("gate", "advocate skeptic operator"),
        ("panel", "software-architect security-architect data-architect contrarian moonshot"),
        ("challenge", "lead"),
    ];
    for generation in GENERATIONS {
        for (protocol, wave) in first_waves {
            let (stage, server) = with_a_model(generation);
            let args = debate(protocol, &OPTIONS);
            let done = stage.forge(&args).code(3).out("WAITING for").out("forge debate run d1");
            assert_eq!(roles(&done), wave, "{generation} {protocol}: {done}");
            let root = stage.place.work().canonicalize().unwrap();
            for line in lines(&done) {
                let brief = line.split('"').nth(1).unwrap();
                assert!(brief.starts_with(root.to_str().unwrap()) && std::path::Path::new(brief).is_file(), "{line}");
            }
            for again in [&args[..], &["debate", "run", "d1"]] {
                assert_eq!(lines(&stage.forge(again).code(3)), lines(&done), "the same again: {again:?}");
            }
            let json = stage.forge(&["debate", "run", "d1", "--json"]).code(3).json();
            assert_eq!(json["spawn"]["commands"], serde_json::json!(lines(&done)));
            assert_eq!(json["spawn"]["generation"], generation.to_string());
            assert_eq!((server.connections(), stage.asked()), (0, 1), "{generation} {protocol}");
        }
    }
}

// seed: S1-5
#[test]
fn sessions_hold_a_gate_outside_a_workflow() {
    for generation in GENERATIONS {
        let (stage, server) = with_a_model(generation);
        let opened = stage.forge(&debate("gate", &OPTIONS)).code(3).err("forge debate run d1");
        stage.spawn(&lines(&opened), "worktree");
        let second =
            stage.forge(&debate("gate", &OPTIONS)).code(3).err("collected docs/forge/debate/d1/advocate.md from");
        assert_eq!(roles(&second), "synthesizer", "{second}");
        stage.spawn(&lines(&second), "worktree");
        stage.forge(&["debate", "run", "d1"]).code(0).out("DECIDED");
        assert_eq!(server.connections(), 0);
    }
}

// seed: S1-5
#[test]
fn what_sessions_left_is_taken_in_and_the_next_wave_is_theirs() {
    let (stage, server) = with_a_model('B');
    let more = [&OPTIONS[..], &["--min-rounds", "2"]].concat();
    let args = debate("judges", &more);
    stage.forge(&args).code(3);
    for seat in ["risk", "value", "effort"] {
        stage.place.write(&format!("docs/forge/sadd/debate-d1-{seat}.md"), JUDGE);
    }
    let second = stage.forge(&args).code(3);
    assert_eq!(roles(&second), "risk value effort", "{second}");
    assert!(lines(&second).iter().all(|line| line.contains("challenge-r2-")), "{second}");
    assert_eq!(server.connections(), 0);
}

// seed: S1-5
#[test]
fn options_are_given_and_no_framer_is_asked() {
    let (stage, server) = with_a_model('B');
    let before = stage.place.tree();
    for protocol in ["judges", "gate", "panel", "challenge"] {
        stage.forge(&debate(protocol, &[])).code(2).err("under AO forge asks nobody itself").err("--option");
        stage.forge(&debate(protocol, &["--dry-run"])).code(2).err("--option");
    }
    stage.forge(&debate("judges", &[&OPTIONS[..], &["--control"]].concat())).code(2).err("--seat control=AGENT");
    assert_eq!((stage.place.tree(), server.connections()), (before, 0));
}

// seed: S1-5
#[test]
fn an_agent_that_is_typed_is_asked() {
    let (stage, server) = with_a_model('B');
    let typed = [&OPTIONS[..], &["--agent", "openai:gpt-test"]].concat();
    stage.forge(&debate("judges", &typed)).code(0);
    assert_eq!(server.count(), 3, "all three");

    let (stage, server) = with_a_model('B');
    stage.forge(&debate("judges", &OPTIONS)).code(3);
    stage.forge(&["debate", "run", "d1", "--agent", "openai:gpt-test"]).code(0);
    assert_eq!(server.count(), 3, "while nobody has spoken");

    let (stage, server) = with_a_model('B');
    let typed = [&OPTIONS[..], &["--seat", "risk=openai:gpt-test"]].concat();
    let done = stage.forge(&debate("judges", &typed)).code(3);
    assert_eq!((server.count(), roles(&done).as_str()), (1, "value effort"), "the others are sessions: {done}");

    let (stage, server) = with_a_model('B');
    stage.forge(&debate("judges", &[&OPTIONS[..], &["--agent", "auto"]].concat())).code(0);
    assert!(server.count() >= 3, "to leave it to forge is said, too");
}

// seed: S1-5
#[test]
fn agents_of_an_earlier_plan_are_not_asked() {
    let (mut stage, server) = with_a_model('B');
    stage.place.set("FORGE_AGENT", "");
    stage.place.write(".claude/forge/config.json", "{}");
    stage.set_ao(false);
    // Made by the same command in a shell without AO; nobody could be reached then.
    stage.place.set("OPENAI_BASE_URL", "http://127.0.0.1:9/v1");
    stage.forge(&debate("judges", &[&OPTIONS[..], &["--agent", "outside"]].concat())).code(3);
    stage.place.edit("docs/forge/sadd/debate-d1-plan.md", |text| text.replace("outside", "openai:gpt-test"));
    stage.place.set("OPENAI_BASE_URL", &server.base_url());
    stage.set_ao(true);
    let done =
        stage.forge(&["debate", "run", "d1", "--adopt"]).code(3).err("the plan gives risk, value, effort to agents");
    assert!(done.err.contains("forge debate run d1 --agent outside"), "{done}");
    stage.forge(&["debate", "run", "d1", "--retry-absent"]).code(2).err("under AO forge asks nobody itself");
    assert_eq!((lines(&done).len(), server.connections()), (0, 0), "{done}");
    assert_eq!(lines(&stage.forge(&["debate", "run", "d1", "--agent", "outside"]).code(3)).len(), 3);
    assert_eq!(server.connections(), 0);
}

/// People vote where they sit: no session is spawned for them.
#[test]
fn a_person_gets_no_spawn_line() {
    let (stage, server) = with_a_model('A');
    let done = stage.forge(&debate("judges", &[&OPTIONS[..], &["--seat", "value=human"]].concat())).code(3);
    assert_eq!(roles(&done), "risk effort", "{done}");
    assert!(done.out.contains("forge debate vote d1"), "{done}");
    assert_eq!(server.connections(), 0);
}
