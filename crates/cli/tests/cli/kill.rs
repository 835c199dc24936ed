//! Killed anywhere, run again: nothing is lost, asked twice or decided otherwise. And one forge at a time.

use crate::model::{self, Votes, serve, serve_slowly};
use crate::place::{Place, Running, front, is_turn};
use forge_testkit::model_server::{Answer, ModelServer};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const QUESTION: &str = "Build or buy the billing service?";
const PAUSE: Duration = Duration::from_millis(15);
const KILLS: u32 = 12;
/// Judges need a second round, the panel has a dissenter, the lead is confronted.
const VOTES: Votes = &[("risk", "C"), ("value", "B"), ("contrarian", "B")];

fn args(protocol: &'static str) -> Vec<&'static str> {
    let mut args =
        vec!["debate", QUESTION, "--protocol", protocol, "--agent", "openai:gpt-test", "--id", "d1", "--seed", "7"];
    args.extend(match protocol {
        "challenge" => &["--allow-same-family"][..],
        "panel" => &["--roster", "planning-2", "--rounds", "2"],
        _ => &[],
    });
    args
}

fn place(server: &ModelServer) -> Place {
    Place::new().with("OPENAI_BASE_URL", &server.base_url())
}

fn verdict(place: &Place) -> Value {
    place.json(&place.only(|file| file.ends_with("trail/verdict.json")))
}

/// What must be the same however often a run was killed: everything but times, attempts, cost and digests.
fn substance(verdict: &Value) -> BTreeMap<String, Value> {
    let passing = ["turns", "spent", "spent_per_seat", "created_at", "plan_digest", "record_digest", "kept", "reports"];
    let fields = verdict.as_object().unwrap().iter().filter(|(name, _)| !passing.contains(&name.as_str()));
    let mut kept: BTreeMap<String, Value> = fields.map(|(name, value)| (name.clone(), value.clone())).collect();
    let files = verdict["turns"].as_array().unwrap().iter().map(|turn| turn["file"].clone());
    kept.insert("turns".to_owned(), files.collect());
    kept
}

/// The turns whose reply is on disk, by name: `opening-r1-risk`.
fn answered(place: &Place) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (file, bytes) in place.tree() {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((_, name)) = file.split_once("trail/replies/") {
            names.insert(name.trim_end_matches(".md").rsplit_once('.').unwrap().0.to_owned());
        } else if is_turn(&text) {
            let part = |key: &str| front(&text, key).unwrap();
            names.insert(format!("{}-r{}-{}", part("stage"), part("round"), part("seat")));
        }
    }
    names
}

/// How often each turn was asked for with the same words. A repair has words of its own.
fn requests(place: &Place, server: &ModelServer) -> BTreeMap<String, usize> {
    let briefs: Vec<(String, String)> = place
        .tree()
        .into_iter()
        .filter_map(|(file, bytes)| {
            let name = file.split_once("trail/briefs/")?.1.strip_suffix(".md")?.rsplit_once('.')?.0.to_owned();
            Some((name, String::from_utf8(bytes).ok()?))
        })
        .collect();
    let mut counts = BTreeMap::new();
    for request in server.requests() {
        let sent = model::sent(&request);
        let brief = briefs.iter().find(|(_, brief)| brief.trim_end().ends_with(sent.trim_end()));
        let (name, _) = brief.expect("every request has its brief on disk first");
        let repair = if sent.contains("# Your reply missed its form") { " (repair)" } else { "" };
        *counts.entry(format!("{name}{repair}")).or_default() += 1;
    }
    counts
}

fn all_files_parse(place: &Place) {
    // A file on its way to its name is no file yet.
    for (file, bytes) in place.tree().into_iter().filter(|(file, _)| !file.contains("/.forge-tmp-")) {
        let text = String::from_utf8(bytes).unwrap_or_else(|_| panic!("{file}"));
        if file.ends_with(".json") {
            serde_json::from_str::<Value>(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        }
        if let Some(rest) = text.strip_prefix("---\n") {
            assert!(rest.contains("\n---\n"), "{file}: {text}");
        }
        assert!(!text.is_empty() || file.ends_with("lock"), "{file} is empty");
    }
}

fn killed_anywhere(protocol: &'static str) {
    let calm_server = serve_slowly(VOTES, PAUSE);
    let calm = place(&calm_server);
    let began = Instant::now();
    let undisturbed = calm.forge(&args(protocol));
    let length = began.elapsed();
    let expected = substance(&verdict(&calm));
    let mut interrupted = 0;
    for kill in 0..KILLS {
        let server = serve_slowly(VOTES, PAUSE);
        let place = place(&server);
        let run = place.start(&args(protocol));
        std::thread::sleep(length * (2 * kill + 1) / (2 * KILLS));
        interrupted += u32::from(run.kill());
        let on_disk = answered(&place);
        let done = place.forge(&args(protocol));
        assert_eq!(done.code, undisturbed.code, "{done}");
        let verdict = verdict(&place);
        assert_eq!(substance(&verdict), expected, "{protocol}, kill {kill}");
        let counts = requests(&place, &server);
        for (turn, count) in &counts {
            assert!(
                *count <= if on_disk.contains(turn) { 1 } else { 2 },
                "{turn} was asked {count} times; on disk were {on_disk:?}"
            );
        }
        let (calls, lost) =
            (verdict["spent"]["calls"].as_u64().unwrap(), verdict["spent"]["possibly_paid"].as_u64().unwrap());
        let asked = counts.values().sum::<usize>() as u64;
        assert!(calls - lost <= asked && asked <= calls, "{asked} requests; {}", verdict["spent"]);
        assert_eq!(lost > 0, done.err.contains("may have been paid") || done.out.contains("possibly paid"), "{done}");
        all_files_parse(&place);
        // What the killed run left half-written may be tidied away; nothing else may change.
        let files = || {
            let mut tree = place.tree();
            tree.retain(|file, _| !file.contains(".forge-tmp-"));
            tree
        };
        let before = files();
        place.forge(&args(protocol));
        assert_eq!(files(), before, "{protocol}: a finished debate is left alone");
    }
    assert!(interrupted > 0, "no kill hit anything");
}

#[test]
fn judges_killed_anywhere_come_to_the_same_verdict() {
    killed_anywhere("judges");
}

#[test]
fn a_gate_killed_anywhere_comes_to_the_same_verdict() {
    killed_anywhere("gate");
}

#[test]
fn a_panel_killed_anywhere_comes_to_the_same_verdict() {
    killed_anywhere("panel");
}

#[test]
fn a_challenge_killed_anywhere_comes_to_the_same_verdict() {
    killed_anywhere("challenge");
}

#[test]
fn killed_again_and_again_a_debate_still_ends() {
    let calm_server = serve_slowly(VOTES, PAUSE);
    let calm = place(&calm_server);
    calm.forge(&args("judges"));
    let server = serve_slowly(VOTES, PAUSE);
    // With syncing, as users have it.
    let place = place(&server).with("FORGE_DURABILITY", "full");
    for kill in 1..=20 {
        let run = place.start(&args("judges"));
        std::thread::sleep(Duration::from_millis(8 * kill));
        if !run.kill() {
            break;
        }
    }
    place.forge(&args("judges"));
    assert_eq!(substance(&verdict(&place)), substance(&verdict(&calm)));
    all_files_parse(&place);
}

#[test]
fn what_a_killed_write_leaves_is_not_counted() {
    let server = serve(VOTES, |_, _| None);
    let place = place(&server);
    place.forge(&args("judges"));
    let folder = "docs/forge/sadd/debate-d1-trail";
    for (i, sub) in ["briefs", "replies", "turns", "withdrawn"].iter().enumerate() {
        place.write(&format!("{folder}/{sub}/.forge-tmp-999999999-{i}"), "half a fi");
    }
    place.write("docs/forge/sadd/.forge-tmp-999999999-9", "---\ndebate");
    std::fs::remove_file(place.path(&format!("{folder}/verdict.json"))).unwrap();
    place.forge(&args("judges"));
    assert_eq!(verdict(&place)["spent"]["calls"], server.total());
    assert_eq!(place.forge(&["debate", "list", "--json"]).json()["debates"].as_array().unwrap().len(), 1);
}

/// Waits until the server has seen so many requests.
fn until_asked(server: &ModelServer, count: usize, run: &mut Running) {
    for _ in 0..4_000 {
        if server.total() >= count {
            return;
        }
        assert!(!run.is_over(), "ended before it asked");
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("only {} requests", server.total());
}

/// Waits until a file is there.
fn until_there(place: &Place, file: &str) {
    for _ in 0..4_000 {
        if place.has(file) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("{file} does not come: {:#?}", place.files());
}

/// A server on which one seat hangs while the switch is on.
fn hanging(seat: &'static str) -> (ModelServer, Arc<AtomicBool>) {
    let switch = Arc::new(AtomicBool::new(true));
    let hangs = Arc::clone(&switch);
    (serve(VOTES, move |_, asked| (asked.seat == seat && hangs.load(Ordering::SeqCst)).then_some(Answer::Hang)), switch)
}

#[test]
fn stopped_runs_say_how_to_go_on_and_do() {
    for signal in ["INT", "TERM"] {
        let (server, hangs) = hanging("effort");
        let place = place(&server);
        let mut run = place.start(&args("judges"));
        until_asked(&server, 4, &mut run);
        for seat in ["risk", "value"] {
            until_there(&place, &format!("docs/forge/sadd/debate-d1-{seat}.md"));
        }
        run.signal(signal);
        let done = run.end().code(130).err("What was recorded is safe").err("forge debate run d1");
        assert_eq!(done.out, "", "a stopped run has no verdict");
        hangs.store(false, Ordering::SeqCst);
        let before = server.total();
        place.forge(&["debate", "run", "d1"]).code(4).out("CONTESTED").err("may have been paid");
        // effort once more, then the second round of three
        assert_eq!(server.total() - before, 4, "{signal}");
        assert_eq!(verdict(&place)["spent"]["possibly_paid"], 1);
    }
}

#[test]
fn a_held_debate_is_busy_at_once_for_writers_and_open_to_readers() {
    let (server, hangs) = hanging("effort");
    let place = place(&server);
    let mut run = place.start(&args("judges"));
    until_asked(&server, 4, &mut run);
    let turn = place.path("turn.md");
    std::fs::write(&turn, "**Chosen Option:** A").unwrap();
    for args in [
        &args("judges")[..],
        &["debate", "run", "d1"],
        &["debate", "run", "d1", "--json"],
        &["debate", "run", "d1", "--retry-absent"],
        &["debate", "regenerate", "d1"],
        &["debate", "decide", "d1", "A", "--because", "it is late", "--by", "me"],
        &["turn", "submit", "d1", "effort", "--file", "turn.md"],
    ] {
        let done = place.forge(args).code(6).err("another forge").err("pid ");
        assert_eq!(done.out.contains("\"busy\""), args.contains(&"--json"), "{done}");
        assert_eq!(done.err.matches("pid ").count(), 1, "the holder is named once: {done}");
    }
    place.forge(&["debate", "status", "d1"]).code(0).out("running");
    place.forge(&["debate", "list"]).code(0).out("running");
    place.forge(&["debate", "show", "d1"]).code(3);
    place.forge(&["gate", "d1"]).code(3);
    // Another debate of the same folder is not held.
    place.forge(&["debate", "Is this another question?"]);
    // A dead holder is taken over.
    assert!(run.kill());
    hangs.store(false, Ordering::SeqCst);
    place.forge(&args("judges")).code(4);
}

#[test]
fn debates_begun_at_once_do_not_stand_in_each_others_way() {
    let place = Place::new();
    let questions: Vec<String> = (0..8).map(|n| format!("Which of the {n} ways is best?")).collect();
    let runs: Vec<Running> =
        questions.iter().map(|question| place.start(&["debate", question, "--protocol", "gate"])).collect();
    let ended: Vec<_> = runs.into_iter().map(Running::end).collect();
    let list = place.forge(&["debate", "list", "--json"]).json();
    let listed: BTreeSet<&str> =
        list["debates"].as_array().unwrap().iter().map(|row| row["question"].as_str().unwrap()).collect();
    for (question, done) in questions.iter().zip(&ended) {
        assert_eq!(done.code, 0, "eight questions at once are eight debates: {done}");
        assert!(listed.contains(question.as_str()), "{question} is not among {listed:?}");
    }
}

#[test]
fn runs_of_one_command_at_once_make_one_debate() {
    // What they race for takes a moment, so they race several times.
    for _ in 0..8 {
        let place = Place::new();
        let command = ["debate", "Which way is best?", "--protocol", "gate"];
        let runs: Vec<Running> = (0..6).map(|_| place.start(&command)).collect();
        let ended: Vec<_> = runs.into_iter().map(Running::end).collect();
        for done in &ended {
            assert!(matches!(done.code, 0 | 6), "{done}");
        }
        assert!(ended.iter().any(|done| done.code == 0), "somebody holds it to its end");
        assert_eq!(place.forge(&["debate", "list", "--json"]).json()["debates"].as_array().unwrap().len(), 1);
        place.forge(&command).code(0);
    }
}

/// Whoever looks while another forge runs sees a debate that runs, never one that is broken.
#[test]
fn looking_at_a_debate_that_runs_is_never_an_error() {
    for _ in 0..6 {
        let place = Place::new();
        let mut run = place.start(&["debate", "Which way is best?", "--protocol", "gate", "--id", "g1"]);
        until_there(&place, "docs/forge/debate/g1/debate-plan.md");
        for _ in 0..400 {
            place.forge(&["debate", "status", "g1"]).code(0);
            if run.is_over() {
                break;
            }
        }
        run.end().code(0);
    }
}

// seed: S0-54
#[test]
fn debates_of_one_second_never_share_a_folder() {
    let place = Place::new();
    let runs: Vec<Running> =
        (0..6).map(|_| place.start(&["debate", "Which way is best?", "--protocol", "gate", "--new"])).collect();
    let made = runs.into_iter().map(Running::end).filter(|done| done.code == 0).count();
    let list = place.forge(&["debate", "list", "--json"]).json();
    assert_eq!(list["debates"].as_array().unwrap().len(), made);
}

#[test]
fn a_script_that_takes_its_time_can_be_killed_too() {
    let place = Place::new();
    place.write("slow.yaml", "replies:\n  - seat: risk\n    delay_ms: 60000\n");
    let command = [
        "debate",
        "Which way is best?",
        "--agent",
        "scripted:slow.yaml",
        "--option",
        "One",
        "--option",
        "Two",
        "--id",
        "d1",
    ];
    let run = place.start(&command);
    until_there(&place, "docs/forge/sadd/debate-d1-effort.md");
    place.forge(&command).code(6);
    assert!(run.kill());
    place.write("slow.yaml", "replies: []\n");
    let done = place.forge(&command);
    assert!(matches!(done.code, 0 | 4), "{done}");
}
