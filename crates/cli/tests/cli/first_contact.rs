//! The first minutes: an empty folder, no configuration, and the built-in agent.

use crate::place::{Place, front, is_turn};
use std::collections::BTreeSet;

const QUESTION: &str = "Redis or Memcached for sessions?";
const PROTOCOLS: [&str; 4] = ["judges", "gate", "panel", "challenge"];
const OPTIONS: [&str; 6] = ["--option", "Redis: fast and known", "--option", "Memcached", "--option", "Neither"];
const LABEL: &str = "REHEARSAL";

fn debate<'a>(protocol: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["debate", QUESTION, "--protocol", protocol];
    args.extend(more);
    args
}

/// Runs a debate to its verdict and checks what every rehearsal promises.
fn rehearse(place: &Place, protocol: &str, more: &[&str]) -> (i32, String) {
    let done = place.forge(&debate(protocol, more)).out(LABEL).err(LABEL);
    assert!(matches!(done.code, 0 | 4), "{done}");
    let verdict = place.json(&place.only(|file| file.ends_with("trail/verdict.json")));
    assert_eq!(verdict["rehearsal"], true);
    assert_eq!(verdict["degraded"], false);
    assert_eq!(verdict["protocol"], format!("{protocol}@1"));
    (done.code, verdict["outcome"].as_str().unwrap().to_owned())
}

#[test]
fn every_protocol_runs_with_nothing_but_a_question() {
    for protocol in PROTOCOLS {
        let place = Place::new();
        rehearse(&place, protocol, &[]);
        let plan = place.read(&place.only(is_plan));
        assert!(plan.contains("label: \"Redis\"") && plan.contains("label: \"Memcached\""), "{plan}");
    }
}

#[test]
fn every_protocol_runs_with_options() {
    for protocol in PROTOCOLS {
        let place = Place::new();
        rehearse(&place, protocol, &OPTIONS);
        let plan = place.read(&place.only(is_plan));
        assert!(plan.contains("description: \"fast and known\"") && plan.contains("label: \"Neither\""), "{plan}");
        assert!(!place.files().iter().any(|file| file.contains("framing")), "nothing is left to frame");
    }
}

#[test]
fn over_seeds_every_outcome_comes_with_its_code() {
    outcomes("judges", &[], &["consensus", "contested"]);
    outcomes("gate", &[], &["decided"]);
    outcomes("challenge", &[], &["consensus", "tradeoff"]);
    outcomes("panel", &["--roster", "planning-2", "--rounds", "2"], &["decided", "contested"]);
}

/// Runs seed after seed until every outcome was seen, each with its exit code.
fn outcomes(protocol: &str, more: &[&str], wanted: &[&str]) {
    let mut seen = BTreeSet::new();
    for seed in 1..=20 {
        let (code, outcome) = rehearse(&Place::new(), protocol, &[more, &["--seed", &seed.to_string()]].concat());
        assert_eq!(
            code,
            if matches!(outcome.as_str(), "consensus" | "decided") { 0 } else { 4 },
            "{protocol} {outcome}"
        );
        assert!(wanted.contains(&outcome.as_str()), "{protocol} {outcome}");
        seen.insert(outcome);
        if seen.len() == wanted.len() {
            return;
        }
    }
    panic!("{protocol}: only {seen:?}");
}

fn is_plan(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    !file.contains("trail/") && (name.ends_with("plan.md") || name == "context.md")
}

/// The files that people read: without the trail and forge's own folder.
fn readable(place: &Place) -> Vec<String> {
    place.files().into_iter().filter(|file| !file.contains("trail/") && !file.starts_with(".claude/")).collect()
}

// seed: S0-3, S0-4, S0-22
#[test]
fn a_gate_lies_where_the_seed_says() {
    let place = Place::new();
    rehearse(&place, "gate", &OPTIONS);
    let plan = place.only(is_plan);
    let folder = plan.strip_prefix("docs/forge/debate/").unwrap().strip_suffix("/debate-plan.md").unwrap().to_owned();
    let stamp = folder.strip_prefix("decision-").unwrap();
    let shape: String = stamp.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(shape, "00000000-000000", "{folder}");
    let expected: Vec<String> =
        ["advocate.md", "debate-plan.md", "operator.md", "skeptic.md", "synthesis.md", "verdict.md"]
            .map(|name| format!("docs/forge/debate/{folder}/{name}"))
            .into();
    assert_eq!(readable(&place), expected);
    let text = place.read(&plan);
    for (key, value) in [
        ("debate_id", folder.as_str()),
        ("phase", "decision"),
        ("objective", QUESTION),
        ("status", "complete"),
        ("protocol", "gate@1"),
    ] {
        assert_eq!(front(&text, key).as_deref(), Some(value), "{key}");
    }
    for section in
        ["Objective", "Options Under Consideration", "Role Prompts", "Expected Outputs", "Completion Criteria"]
    {
        assert!(text.contains(&format!("\n## {section}\n")), "{section}");
    }
}

// seed: S0-3
#[test]
fn a_gate_is_named_after_its_phase() {
    let place = Place::new();
    rehearse(&place, "gate", &["--phase", "brainstorm"]);
    assert!(place.only(is_plan).starts_with("docs/forge/debate/brainstorm-2"));
}

// seed: S3-4, S3-17
#[test]
fn judges_lie_where_the_seed_says() {
    let place = Place::new();
    let more = ["--rounds", "1", "--id", "q7", "--feature-dir", "docs/offline"];
    rehearse(&place, "judges", &[&OPTIONS[..], &more].concat());
    let expected = ["effort.md", "plan.md", "result.yaml", "risk.md", "value.md"]
        .map(|name| format!("docs/offline/sadd/debate-q7-{name}"));
    assert_eq!(readable(&place), expected);
}

// seed: S3-24
#[test]
fn a_second_round_of_judges_has_its_own_files() {
    for seed in 1..40 {
        let place = Place::new();
        rehearse(&place, "judges", &[&OPTIONS[..], &["--seed", &seed.to_string()]].concat());
        let second: Vec<String> = readable(&place).into_iter().filter(|file| file.ends_with("-r2.md")).collect();
        if !second.is_empty() {
            let folder = "docs/forge/sadd/debate-redis-or-memcached-for-sessions-";
            assert_eq!(second, ["effort", "risk", "value"].map(|seat| format!("{folder}{seat}-r2.md")));
            return;
        }
    }
    panic!("no seed needs a second round");
}

// seed: S2-4, S2-16, S2-37
#[test]
fn a_panel_lies_in_its_own_folder() {
    let place = Place::new();
    rehearse(&place, "panel", &[&OPTIONS[..], &["--roster", "board", "--id", "board-1"]].concat());
    let files = place.files_in("docs/forge/debate/board-1");
    for seat in ["ceo", "cto", "cfo", "coo", "contrarian", "moonshot"] {
        for file in [format!("positions/{seat}.md"), format!("rounds/r01-{seat}.md"), format!("rounds/r02-{seat}.md")] {
            assert!(files.contains(&file), "{file} in {files:#?}");
        }
    }
    for file in
        ["plan.md", "synthesis.md", "verdict.md", "rounds/r02-referee.md", "reviews/contrarian.md", "reviews/cto.md"]
    {
        assert!(files.contains(&file.to_owned()), "{file} in {files:#?}");
    }
    assert!(!files.contains(&"reviews/ceo.md".to_owned()), "the writer does not review itself");
    let odd: Vec<&String> = files
        .iter()
        .filter(|file| {
            !["positions/", "rounds/", "polls/", "reviews/", "trail/"].iter().any(|folder| file.starts_with(folder))
        })
        .filter(|file| !["plan.md", "synthesis.md", "synthesis-corrected.md", "verdict.md"].contains(&file.as_str()))
        .collect();
    assert!(odd.is_empty(), "{odd:?}");
}

// seed: S4-2, S4-36, S4-37
#[test]
fn a_challenge_has_the_seeds_tree_and_the_next_number() {
    let place = Place::new();
    place.write("debates/004-earlier/context.md", "not a plan, but a number that is taken");
    rehearse(&place, "challenge", &OPTIONS);
    let folder = "debates/005-redis-or-memcached-for-sessions";
    let files = place.files_in(folder);
    for file in ["GEMINI.md", "AGENTS.md", "QWEN.md", "context.md", "transcript.md", "state.json"] {
        assert!(files.contains(&file.to_owned()), "{file} in {files:#?}");
    }
    for challenger in ["architect", "operator", "adversary"] {
        assert!(files.contains(&format!("rounds/r001_{challenger}.md")), "{challenger} in {files:#?}");
    }
    let personas = ["GEMINI.md", "AGENTS.md", "QWEN.md"].map(|file| place.read(&format!("{folder}/{file}")));
    assert!(personas[0] != personas[1] && personas[1] != personas[2] && personas[0] != personas[2]);
    let state = place.json(&format!("{folder}/state.json"));
    assert!(state.is_object(), "{state}");
    assert!(place.read(&format!("{folder}/transcript.md")).contains(QUESTION));
}

#[test]
fn rehearsals_say_so_in_every_turn_and_in_every_verdict() {
    for protocol in PROTOCOLS {
        let place = Place::new();
        rehearse(&place, protocol, &[]);
        let mut turns = 0;
        for (file, bytes) in place.tree() {
            let text = String::from_utf8(bytes).unwrap();
            if !file.contains("trail/") && is_turn(&text) {
                turns += 1;
                assert_eq!(front(&text, "rehearsal").as_deref(), Some("true"), "{file}");
                assert!(text.to_lowercase().contains("*rehearsal: "), "{file}: {text}");
            }
            if file.ends_with("verdict.md") {
                assert!(text.contains(LABEL), "{file}: {text}");
            }
            if file.ends_with("result.yaml") {
                assert!(text.contains("rehearsal: true"), "{file}: {text}");
            }
        }
        assert!(turns >= 4, "{protocol}: {turns} turns");
        let id = front(&place.read(&place.only(is_plan)), "debate_id").unwrap();
        place.forge(&["export", &id, "--format", "md"]).code(0).out(LABEL);
        place.forge(&["export", &id, "--format", "adr"]).code(0).out("Rehearsal: no model was asked");
        place.forge(&["export", &id, "--format", "yaml"]).code(0).out("rehearsal: true");
        place.forge(&["export", &id, "--format", "json"]).code(0).out("\"rehearsal\": true");
        place.forge(&["gate", &id]).out("rehearsal");
    }
}

#[test]
fn the_same_command_again_changes_no_byte_and_asks_nobody() {
    for protocol in PROTOCOLS {
        for more in [&[][..], &OPTIONS[..]] {
            let place = Place::new();
            let first = place.forge(&debate(protocol, more));
            let before = place.tree();
            let again = place.forge(&debate(protocol, more));
            assert_eq!(again.code, first.code, "{again}");
            assert!(!again.err.contains("thinking"), "{again}");
            assert_eq!(again.out, first.out, "{protocol}");
            for (file, bytes) in place.tree() {
                assert_eq!(before.get(&file), Some(&bytes), "{protocol}: {file} is another now");
            }
            assert_eq!(place.files().len(), before.len(), "{protocol}");
        }
    }
}

#[test]
fn with_new_the_same_command_holds_another_debate() {
    for protocol in PROTOCOLS {
        let place = Place::new();
        place.forge(&debate(protocol, &OPTIONS));
        place.forge(&debate(protocol, &[&OPTIONS[..], &["--new"]].concat()));
        place.forge(&debate(protocol, &[&OPTIONS[..], &["--new"]].concat()));
        let list = place.forge(&["debate", "list", "--json"]).code(0).json();
        let ids: BTreeSet<&str> =
            list["debates"].as_array().unwrap().iter().map(|row| row["debate"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), 3, "{protocol}: {ids:?}");
    }
}

#[test]
fn every_command_that_reports_has_one_json_document() {
    for protocol in PROTOCOLS {
        let place = Place::new();
        let held = place.forge(&debate(protocol, &[&OPTIONS[..], &["--json"]].concat()));
        let verdict = held.json();
        let id = verdict["debate"].as_str().unwrap().to_owned();
        assert_eq!(place.forge(&["debate", "show", &id, "--json"]).json(), verdict);
        assert_eq!(place.forge(&["debate", "run", &id, "--json"]).json(), verdict);
        assert_eq!(place.forge(&["debate", "status", &id, "--json"]).code(0).json()["status"], "complete");
        assert_eq!(place.forge(&["debate", "--status", "--id", &id, "--json"]).code(0).json()["debate"], id.as_str());
        assert!(place.forge(&["debate", "regenerate", &id, "--json"]).code(0).json()["plan_file"].is_string());
        assert!(
            place.forge(&["debate", "--regenerate", "--id", &id, "--json"]).code(0).json()["plan_file"].is_string()
        );
        assert!(place.forge(&["debate", "list", "--json"]).code(0).json()["debates"].is_array());
        assert_eq!(place.forge(&["gate", &id, "--json"]).json()["debate"], id.as_str());
        assert!(place.forge(&["classify", QUESTION, "--json"]).code(0).json()["class"].is_string());
        assert_eq!(place.forge(&debate(protocol, &["--dry-run", "--json"])).code(0).json()["dry_run"], true);
        let export = place.forge(&["export", &id, "--format", "json"]).code(0);
        assert_eq!(export.json(), verdict);
    }
}
