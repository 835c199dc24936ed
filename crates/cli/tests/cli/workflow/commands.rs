//! The workflow's commands beyond stories: looking changes nothing, dying loses nothing, and what scripts rely on.

use super::{NOW, git, repository};
use crate::place::Place;
use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

const ADVOCATE: &str = include_str!("../../../../testkit/fixtures/stub-ao/texts/advocate.md");
const SKEPTIC: &str = include_str!("../../../../testkit/fixtures/stub-ao/texts/skeptic.md");
const OPERATOR: &str = include_str!("../../../../testkit/fixtures/stub-ao/texts/operator.md");
const SYNTHESIS: &str = include_str!("../../../../testkit/fixtures/stub-ao/texts/synthesis.md");

const OBJECTIVE: &str = "Pick a session store";
const OPTIONS: &str = "# Options\n\n## Options\n\n- Files: as today\n- Redis: one server\n- Postgres: a table\n";
const OPTIONS_FILE: &str = "docs/forge/brainstorm-options.md";
const STATE: &str = ".claude/forge/active-workflow.md";
const GATE: &str = "docs/forge/debate/brainstorm-20260127-100000";
/// So often a command is killed on its way.
const KILLS: u32 = 24;

/// Commands that only look.
const LOOKS: [&[&str]; 12] = [
    &["status"],
    &["status", "--verbose"],
    &["status", "--json"],
    &["gate"],
    &["gate", "--work"],
    &["gate", "--strict", "--json"],
    &["decisions"],
    &["decisions", "--json"],
    &["tripwires"],
    &["tripwires", "--json"],
    &["phases"],
    &["phases", "--json"],
];

/// A workflow at each place in which it can be.
fn places() -> Vec<(&'static str, Place)> {
    let mut places = vec![("nothing", repository())];
    let mut add = |name, from: &Place, change: &dyn Fn(&Place)| {
        let place = copy(from);
        change(&place);
        places.push((name, copy(&place)));
        place
    };
    let begun = add("started", &repository(), &started);
    let brainstorm = add("options are wanted", &begun, &|place| {
        place.forge(&["continue"]).code(0);
    });
    let wanted = add("a debate is wanted", &brainstorm, &|place| place.write(OPTIONS_FILE, OPTIONS));
    let waiting = add("seats are waited for", &wanted, &|place| {
        place.forge(&["continue"]).code(3);
    });
    add("a turn was left", &waiting, &|place| place.write(&format!("{GATE}/skeptic.md"), SKEPTIC));
    add("the synthesis is not in form", &waiting, &|place| {
        speak(place, &SYNTHESIS.replace("**Chosen Option:** A", "We shall see."));
        place.forge(&["continue"]).code(3);
    });
    let decided = add("decided", &waiting, &|place| {
        // Nobody has spoken when the copy is gone on with: what is said then is said in it.
        place.forge(&["continue"]).code(3);
        speak(place, SYNTHESIS);
        place.forge(&["continue"]).code(0);
    });
    add("a decision is reopened", &decided, &|place| {
        place.forge(&["tripwires", "--trip", "D1.1"]).code(3);
    });
    add("the state is damaged", &decided, &|place| place.write(STATE, "---\nphase: [\n"));
    add("the state is gone", &decided, &|place| fs::remove_file(place.path(STATE)).unwrap());
    add("complete", &decided, &|place| {
        // The debate was held in another place.
        place.forge(&["restore", "--adopt", STATE]).code(0);
        finish(place);
    });
    places
}

/// Another place with the same files.
fn copy(from: &Place) -> Place {
    let place = Place::new().with("FORGE_NOW", NOW);
    for (file, bytes) in from.tree() {
        if !file.starts_with(".git/hooks/") {
            place.write(&file, bytes);
        }
    }
    place
}

fn started(place: &Place) {
    place.forge(&["start", OBJECTIVE]).code(0);
}

fn brainstorming(place: &Place) {
    started(place);
    place.forge(&["continue"]).code(0);
}

fn debating(place: &Place) {
    brainstorming(place);
    place.write(OPTIONS_FILE, OPTIONS);
    place.forge(&["continue"]).code(3);
}

fn speak(place: &Place, synthesis: &str) {
    for (role, text) in [("advocate", ADVOCATE), ("skeptic", SKEPTIC), ("operator", OPERATOR), ("synthesis", synthesis)]
    {
        place.write(&format!("{GATE}/{role}.md"), text);
    }
}

fn decided(place: &Place) {
    debating(place);
    speak(place, SYNTHESIS);
    place.forge(&["continue"]).code(0);
}

/// Does the work of a phase: every place filled, every box ticked.
fn work(place: &Place, phase: &str) {
    place.edit(&format!("docs/forge/phases/{phase}.md"), |text| {
        text.replace("[ ]", "[x]").replace(": to be written]", " is written.").replace("\n[", "\n")
    });
}

/// Does the work of all phases from research on.
fn finish(place: &Place) {
    for phase in ["research", "design", "plan", "test", "build", "validate", "review", "learn"] {
        work(place, phase);
        place.forge(&["continue"]).code(0);
    }
    place.forge(&["status"]).code(0).out("the workflow is complete");
}

/// The workspace without what belongs to git or to a run.
fn tree(place: &Place) -> BTreeMap<String, Vec<u8>> {
    let mut tree = place.tree();
    tree.retain(|file, _| {
        let name = file.rsplit('/').next().unwrap_or_default();
        !(file.starts_with(".git/") || name == "lock" || name.ends_with(".lock") || name.starts_with(".forge-tmp-"))
    });
    tree
}

#[test]
fn looking_changes_no_byte() {
    for (name, place) in places() {
        let before = place.tree();
        for args in LOOKS {
            place.forge(args);
            assert_eq!(place.tree(), before, "{name}: {args:?}");
        }
    }
}

#[test]
fn every_report_is_one_json_document() {
    for (name, place) in places() {
        for args in LOOKS.iter().filter(|args| args.contains(&"--json")) {
            let done = place.forge(args);
            // Only what cannot be answered at all has no document.
            if done.code != 2 {
                assert!(done.json().is_object(), "{name}: {done}");
            }
        }
        if matches!(name, "nothing" | "complete") {
            continue;
        }
        for args in [
            &["save", "--json"][..],
            &["start", OBJECTIVE, "--json"],
            &["continue", "--json"],
            &["enter", "learn", "--json"],
            &["continue", "--run", "--json"],
            &["continue", "--agent", "rehearsal", "--json"],
            &["restore", "--json"],
        ] {
            let done = place.forge(args);
            assert!(done.code == 2 || done.json().is_object(), "{name}: {done}");
        }
    }
    let place = repository();
    decided(&place);
    for args in [
        &["task", "done", "01", "--json"][..],
        &["task", "block", "02", "--reason", "it rains", "--json"],
        &["research", "--debate", "--json"],
        &["tripwires", "--check", "--json"],
        &["tripwires", "--trip", "D1.1", "--json"],
        &["debate", "collect", "--json"],
    ] {
        let done = place.forge(args);
        assert!(done.json().is_object(), "{done}");
    }
}

#[test]
fn what_phases_prints_as_json_is_what_the_file_wants() {
    let place = repository();
    let shipped = place.forge(&["phases", "--json"]).code(0);
    place.write("workflows/forge-workflow.json", &shipped.out);
    let read = place.forge(&["phases", "--json"]).code(0);
    let (shipped, mut read) = (shipped.json(), read.json());
    assert_eq!(read["read"]["unknown_keys"], serde_json::json!([]));
    assert_eq!(read["read"]["phases"][2]["debates"]["from"], "$.phases[2].debate_trigger");
    assert_eq!(shipped["read"]["phases"][2]["debates"]["from"], "forge");
    read["read"] = shipped["read"].clone();
    assert_eq!(read, shipped);
}

// seed: S1-12
#[test]
fn going_on_twice_is_going_on_once() {
    for (name, place) in places().into_iter().skip(1) {
        let first = place.forge(&["continue"]);
        let before = place.tree();
        let second = place.forge(&["continue"]);
        assert_eq!(place.tree(), before, "{name}");
        assert_eq!(second.code, first.code, "{name}: {first}{second}");
        assert!(!second.out.contains("  done "), "{name}: nothing is left to do: {second}");
    }
}

#[test]
fn exit_codes_are_those_of_the_specification() {
    let expected = [
        // name, status, continue, gate, gate --work
        ("nothing", [0, 2, 2, 2]),
        ("started", [0, 0, 0, 0]),
        ("options are wanted", [0, 0, 3, 3]),
        ("a debate is wanted", [0, 3, 3, 3]),
        ("seats are waited for", [0, 3, 3, 3]),
        ("a turn was left", [0, 3, 3, 3]),
        ("the synthesis is not in form", [0, 3, 3, 3]),
        // Its debate was held in another place, and is asked about; a gate goes by the files.
        ("decided", [0, 3, 0, 3]),
        ("a decision is reopened", [0, 3, 3, 3]),
        ("the state is damaged", [2, 3, 2, 2]),
        ("the state is gone", [0, 3, 2, 2]),
        ("complete", [0, 0, 0, 0]),
    ];
    for ((name, place), (expected_name, codes)) in places().into_iter().zip(expected) {
        assert_eq!(name, expected_name);
        let gates = [place.forge(&["gate"]).code, place.forge(&["gate", "--work"]).code];
        let status = place.forge(&["status"]).code;
        let found = [status, place.forge(&["continue"]).code, gates[0], gates[1]];
        assert_eq!(found, codes, "{name}");
    }
}

#[test]
fn a_held_workflow_is_busy_and_open_to_readers() {
    let place = repository();
    debating(&place);
    let lock = fs::File::options().write(true).open(place.path(".claude/forge/workflow.lock")).unwrap();
    lock.lock().unwrap();
    let done = place.forge(&["continue", "--json"]).code(6).err("another forge");
    assert!(done.out.contains("\"busy\""), "{done}");
    place.forge(&["status"]).code(0).out("brainstorm");
    place.forge(&["gate"]).code(3);
    place.forge(&["decisions"]).code(0);
    drop(lock);
    place.forge(&["continue"]).code(3);
}

#[test]
fn help_is_there_for_every_command() {
    let place = repository();
    for command in [
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
        "enter",
        "continue",
        "status",
        "save",
        "restore",
        "task",
        "task done",
        "task block",
        "gate",
        "decisions",
        "tripwires",
        "phases",
        "debate collect",
    ] {
        let args: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        let done = place.forge(&args).code(0).out("Usage: forge");
        let first = done.out.lines().next().unwrap_or_default();
        assert!(first.len() > 5 && !first.starts_with("Usage"), "begins with what it is for: {done}");
        let topmost = place.forge(&["--help"]).code(0);
        let name = command.split(' ').next().unwrap_or_default();
        assert!(topmost.out.lines().any(|line| line.trim_start().starts_with(&format!("{name} "))), "{topmost}");
    }
}

#[test]
fn wrong_flags_say_what_is_wrong() {
    let place = repository();
    started(&place);
    let before = place.tree();
    for (args, words) in [
        (&["brainstorm", "-d", "-D"][..], &["--debate", "--no-debate"][..]),
        (&["brainstorm", "--debate=yes"], &["--debate"]),
        (&["brainstrom"], &["brainstrom", "brainstorm"]),
        (&["continue", "--phase"], &["--phase"]),
        (&["continue", "--phase", "desing"], &["desing", "\"design\""]),
        (&["continue", "--agent", "opnai:gpt"], &["opnai"]),
        (&["continue", "--agent", ""], &["agent"]),
        (&["continue", "--parallel", "many"], &["--parallel", "many"]),
        (&["enter"], &["<PHASE>"]),
        (&["enter", "../design"], &["../design"]),
        (&["task"], &["Usage"]),
        (&["task", "block", "01"], &["--reason"]),
        (&["gate", "x", "--work"], &["--work"]),
        (&["tripwires", "--run-commands"], &["--check"]),
        (&["tripwires", "--trip", "D1.1", "--check"], &["--trip", "--check"]),
        (&["tripwires", "--trip", "D7.1"], &["D7.1", "forge tripwires"]),
        (&["restore", "../../etc/passwd"], &["passwd"]),
        (&["start", ""], &["forge start"]),
        (&["start", " \n "], &["forge start"]),
    ] {
        let done = place.forge(args).code(2);
        for word in words {
            assert!(done.err.contains(word), "no {word:?}: {done}");
        }
    }
    let mut after = place.tree();
    after.retain(|file, _| !file.ends_with(".lock"));
    let mut before = before;
    before.retain(|file, _| !file.ends_with(".lock"));
    assert_eq!(after, before, "what is refused changes nothing");
    Place::new().with("FORGE_NOW", "yesterday").forge(&["start", OBJECTIVE]).code(2).err("FORGE_NOW");
}

#[test]
fn a_folder_without_a_workflow_is_left_as_it_is() {
    for args in [
        &["continue"][..],
        &["brainstorm"],
        &["save"],
        &["restore"],
        &["task", "done", "1"],
        &["tripwires", "--check"],
        &["debate", "collect"],
    ] {
        let place = Place::new();
        place.forge(args);
        let left: Vec<String> = place.files();
        assert!(left.is_empty(), "{args:?} leaves {left:?}");
    }
}

#[test]
fn an_objective_of_ten_kilobytes_is_carried_through() {
    let place = repository();
    let objective = format!("Sessions: {} the end", "that \"survive\" a restart, ".repeat(400));
    assert!(objective.len() > 10_000);
    let done = place.forge(&["start", &objective]).code(0);
    assert!(done.out.lines().all(|line| line.chars().count() < 400), "{done}");
    place.forge(&["continue"]).code(0);
    assert_eq!(place.forge(&["status", "--json"]).json()["objective"], objective.trim());
    place.write(OPTIONS_FILE, OPTIONS);
    place.forge(&["continue"]).code(3);
    speak(&place, SYNTHESIS);
    let done = place.forge(&["continue"]).code(0).out("recorded D1");
    assert!(done.out.lines().all(|line| line.chars().count() < 400), "{done}");
    let title = place.forge(&["decisions", "--json"]).json()["decisions"][0]["title"].as_str().unwrap().len();
    assert!(title < 400, "a title is a line: {title}");
    place.forge(&["start", &objective]).code(0).out("under way already");
}

#[test]
fn a_huge_objective_is_taken_or_refused_in_words() {
    let place = repository();
    // Arguments on Linux end at 128 KiB each.
    let done = place.forge(&["start", &"x".repeat(120_000)]);
    assert!(matches!(done.code, 0 | 2), "{done}");
}

#[test]
fn scripts_may_grep_the_state() {
    let place = repository();
    let is = |line: &str| {
        let state = place.read(STATE);
        assert_eq!(state.lines().filter(|one| *one == line).count(), 1, "no single {line:?} in\n{state}");
    };
    brainstorming(&place);
    is("phase: brainstorm");
    is("status: in_progress");
    is("debate_gate_passed: false");
    is("completed_phases: [init]");
    is("branch: main");
    place.write(OPTIONS_FILE, OPTIONS);
    place.forge(&["continue"]).code(3);
    is("phase_status: blocked");
    is("debate_id: brainstorm-20260127-100000");
    is("debate_status: pending");
    speak(&place, SYNTHESIS);
    place.forge(&["continue"]).code(0);
    is("phase: research");
    is("status: in_progress");
    is("completed_phases: [init, brainstorm]");
    is("next_phase: design");
    finish(&place);
    is("status: completed");
    is("next_phase: null");
}

// seed: S1-102
#[test]
fn the_history_of_a_repository_tells_the_decisions() {
    let place = repository();
    let commit = |step: &str| {
        git(&place, &["add", "-A"]);
        git(&place, &["commit", "-q", "--allow-empty", "-m", step]);
    };
    started(&place);
    commit("start");
    debating(&place);
    commit("plan the debate");
    speak(&place, SYNTHESIS);
    place.forge(&["continue"]).code(0);
    commit("decide");
    place.forge(&["tripwires", "--trip", "D1.1"]).code(3);
    commit("reopen");
    let log = git(&place, &["log", "-p", "--reverse"]);
    for line in [
        "+## D1: Pick a session store: Files",
        "+| C1 | Bound by D1 (Pick a session store: Files); changing it needs a debate |",
        "+**Chosen Option:** A",
        "+reopened_decision: D1",
        "+completed_phases: [init, brainstorm]",
    ] {
        assert!(log.contains(line), "no {line:?} in the history");
    }
    let tracked = git(&place, &["ls-files"]);
    assert!(!tracked.contains(".lock") && !tracked.contains("/lock"), "{tracked}");
    assert_eq!(git(&place, &["status", "--porcelain"]), "");
}

/// What must be the same however often a run was killed: everything but how often the state was written.
fn substance(place: &Place) -> BTreeMap<String, String> {
    let text = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        text.lines().filter(|line| !line.starts_with("revision: ")).map(|line| format!("{line}\n")).collect()
    };
    tree(place).into_iter().map(|(file, bytes)| (file, text(bytes))).collect()
}

/// Runs a command in places that are alike, kills it at many moments, runs it again, and wants the same tree.
fn killed_anywhere(args: &[&str], set: impl Fn(&Place)) {
    let begin = repository();
    set(&begin);
    let calm = copy(&begin);
    let began = Instant::now();
    let undisturbed = calm.forge(args);
    let length = began.elapsed();
    // A start that is run again goes on.
    let code = calm.forge(&["continue"]).code;
    let expected = substance(&calm);
    let mut interrupted = 0;
    for kill in 0..KILLS {
        let place = copy(&begin);
        let run = place.start(args);
        std::thread::sleep(length * kill / KILLS);
        interrupted += u32::from(run.kill());
        let done = place.forge(args);
        assert_eq!(done.code, undisturbed.code, "{done}");
        assert_eq!(place.forge(&["continue"]).code, code);
        let found = substance(&place);
        let names = |tree: &BTreeMap<String, String>| tree.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&found), names(&expected), "{args:?}, kill {kill}: {done}");
        for (file, text) in &found {
            assert_eq!(text, &expected[file], "{args:?}, kill {kill}: {file}");
        }
    }
    assert!(interrupted > 0, "no kill hit anything");
}

#[test]
fn a_start_killed_anywhere_is_a_start() {
    killed_anywhere(&["start", OBJECTIVE], |_| {});
}

#[test]
fn planning_a_debate_killed_anywhere_plans_one() {
    killed_anywhere(&["continue"], |place| {
        brainstorming(place);
        place.write(OPTIONS_FILE, OPTIONS);
    });
}

#[test]
fn leaving_a_phase_killed_anywhere_leaves_it_once() {
    killed_anywhere(&["continue"], |place| {
        debating(place);
        speak(place, SYNTHESIS);
    });
}

#[test]
fn a_read_only_folder_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let place = repository();
    brainstorming(&place);
    place.write(OPTIONS_FILE, OPTIONS);
    let folder = place.path("docs/forge");
    let set = |mode| fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
    set(0o555);
    let is_root = fs::write(folder.join("probe"), "").is_ok();
    if !is_root {
        let done = place.forge(&["continue"]).code(1).err("docs/forge");
        assert_eq!(done.out, "", "{done}");
        set(0o755);
        place.forge(&["continue"]).code(3).out("planned the debate");
    }
    set(0o755);
}

#[test]
fn the_clock_may_go_backwards() {
    let mut place = repository();
    debating(&place);
    place.set("FORGE_NOW", "2025-12-31T23:59:59Z");
    speak(&place, SYNTHESIS);
    place.forge(&["continue"]).code(0).out("research");
    assert!(place.read(STATE).contains(&format!("last_updated: {NOW}")), "{}", place.read(STATE));
}
