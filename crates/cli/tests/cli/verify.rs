//! `forge verify`: a verdict that anyone can check, with nothing but the debate's folder.

use crate::place::Place;
use serde_json::Value;
use std::fs;
use std::path::Path;

const QUESTION: &str = "Build or buy the billing service?";

fn place(protocol: &str) -> Place {
    let place = Place::new();
    let args = [
        "debate",
        QUESTION,
        "--protocol",
        protocol,
        "--id",
        "q1",
        "--option",
        "Build it",
        "--option",
        "Buy it",
        "--option",
        "Rent it",
        "--agent",
        "rehearsal",
    ];
    place.forge(&args);
    place
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copied(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn a_finished_debate_holds_by_name_and_by_path() {
    for (protocol, folder) in [
        ("judges", "docs/forge/sadd"),
        ("gate", "docs/forge/debate/q1"),
        ("panel", "docs/forge/debate/q1"),
        ("challenge", "debates/q1"),
    ] {
        let place = place(protocol);
        place.forge(&["verify", "q1"]).code(0).out("HOLDS  q1").out("record sha256:").out("rewritten as a whole");
        place.forge(&["verify", folder]).code(0).out("HOLDS  q1");
        place.forge(&["verify", "--all"]).code(0).out("1 of 1 debates hold");
    }
}

/// A person who received only the folder, on another machine, where nothing may be written.
#[test]
fn the_folder_alone_is_enough() {
    for (protocol, folder, plan) in [
        ("judges", "docs/forge/sadd", "debate-q1-plan.md"),
        ("gate", "docs/forge/debate/q1", "debate-plan.md"),
        ("panel", "docs/forge/debate/q1", "plan.md"),
        ("challenge", "debates/q1", "context.md"),
    ] {
        let held = place(protocol);
        let there = Place::called("elsewhere");
        copied(&held.work().join(folder), &there.work().join("received"));
        read_only(&there.work(), true);
        let before = listing(&there.work());
        there.forge(&["verify", "received"]).code(0).out("HOLDS  q1");
        there.forge(&["verify", &format!("received/{plan}")]).code(0).out("HOLDS  q1");
        assert_eq!(listing(&there.work()), before, "{protocol}: a check left something behind");
        read_only(&there.work(), false);
        let turns = fs::read_dir(there.work().join("received")).unwrap().count();
        assert!(turns > 0);
    }
}

/// Takes away, or gives back, the permission to write. A user who may do anything is not held up by it, and then only that
/// nothing was written is checked.
fn read_only(folder: &Path, on: bool) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = if on { 0o555 } else { 0o755 };
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_only(&path, on);
        }
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
}

fn listing(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        found.push(path.display().to_string());
        if path.is_dir() {
            found.extend(listing(&path));
        }
    }
    found.sort();
    found
}

#[test]
fn an_edited_vote_is_named() {
    let place = place("judges");
    let turn = "docs/forge/sadd/debate-q1-value.md";
    place.edit(turn, |text| text.replace("\"option\"", "\"optional\""));
    place.forge(&["verify", "q1"]).code(7).out("DOES NOT HOLD  q1").out(&format!("edited     {turn}: "));
    let report: Value = place.forge(&["verify", "--all", "--json"]).code(7).json();
    assert_eq!(report["holds"], false);
    assert_eq!(report["debates"][0]["debate"], "q1");
    let found = report["debates"][0]["discrepancies"].as_array().unwrap();
    assert!(found.iter().any(|one| one["kind"] == "edited" && one["file"] == turn), "{found:?}");
    // From the folder alone the file is named as the reader sees it.
    let path = place.work().join("docs/forge/sadd");
    place.forge(&["verify", path.to_str().unwrap()]).code(7).out("DOES NOT HOLD  q1");
}

#[test]
fn a_debate_whose_plan_was_removed_is_not_passed_over() {
    for (protocol, plan) in [
        ("judges", "docs/forge/sadd/debate-q1-plan.md"),
        ("gate", "docs/forge/debate/q1/debate-plan.md"),
        ("challenge", "debates/q1/context.md"),
    ] {
        let place = place(protocol);
        fs::remove_file(place.path(plan)).unwrap();
        place.forge(&["verify", "--all"]).code(7).out("0 of 1 debates hold").out(&format!("dropped    {plan}: "));
        place.forge(&["verify", "q1"]).code(7).out("DOES NOT HOLD  q1").out(&format!("dropped    {plan}: "));
        for args in [&["show", "q1"][..], &["debate", "run", "q1"]] {
            place.forge(args).code(7).err(&format!("its plan {plan} is gone; its sealed copy is "));
        }
    }
}

#[test]
fn a_record_that_was_kept_elsewhere_is_compared() {
    let place = place("judges");
    let report: Value = place.forge(&["verify", "q1", "--json"]).code(0).json();
    let record = report["debates"][0]["record_digest"].as_str().unwrap().to_owned();
    place.forge(&["verify", "q1", "--record", &record]).code(0);
    let other = format!("sha256:{}", "0".repeat(64));
    place.forge(&["verify", "q1", "--record", &other]).code(7).out("record");
    place.forge(&["verify", "q1", "--record", "abc"]).code(2);
}

#[test]
fn what_is_not_there_is_a_mistake_in_what_was_typed() {
    let place = place("judges");
    place.forge(&["verify", "q9"]).code(2);
    place.forge(&["verify", "no/such/folder"]).code(2);
    place.forge(&["verify", ".claude"]).code(2);
    place.forge(&["verify"]).code(2);
    place.forge(&["verify", "q1", "--all"]).code(2);
    let empty = Place::new();
    empty.forge(&["verify", "--all"]).code(2);
}

#[test]
fn a_debate_that_is_not_over_does_not_hold() {
    let place = Place::new();
    let args = [
        "debate",
        QUESTION,
        "--id",
        "q1",
        "--option",
        "Build it",
        "--option",
        "Buy it",
        "--agent",
        "rehearsal",
        "--seat",
        "value=outside",
    ];
    place.forge(&args).code(3);
    place.forge(&["verify", "q1"]).code(3).out("NOT OVER  q1");
    place.edit("docs/forge/sadd/debate-q1-risk.md", |text| text.replace("\"option\"", "\"optional\""));
    place.forge(&["verify", "q1"]).code(7).out("DOES NOT HOLD  q1").out("edited     docs/forge/sadd/debate-q1-risk.md");
}

/// A person's vote was sealed before anybody else was asked, and that can be checked too.
#[test]
fn a_sealed_vote_is_held_against_its_commitment() {
    let place = Place::new();
    let options = ["--option", "Build it", "--option", "Buy it", "--agent", "rehearsal", "--seat", "value=human"];
    place.forge(&[&["debate", QUESTION, "--id", "q1"][..], &options].concat()).code(3);
    place.forge(&["debate", "vote", "q1", "A", "--because", "Nobody else can stop our invoices"]).code(0);
    place.forge(&["debate", "run", "q1"]).code(0);
    place.forge(&["verify", "q1"]).code(0).out("HOLDS  q1");
    let sealed = "docs/forge/sadd/debate-q1-trail/sealed/opening-r1-value.md";
    let before = place.read(sealed);
    place.edit(sealed, |text| text.replace("committed_at: \"20", "committed_at: \"21"));
    place.forge(&["verify", "q1"]).code(7).out(&format!("backdated  {sealed}"));
    place.write(sealed, before.replace("commitment: \"sha256:", "commitment: \"sha256:0"));
    place.forge(&["verify", "q1"]).code(7).out(sealed);
    place.write(sealed, before);
    place.forge(&["verify", "q1"]).code(0);
}

/// A debate's own name is stronger than a path of that name, and a path than the beginning of a name.
#[test]
fn names_and_paths() {
    let place = place("judges");
    fs::create_dir(place.work().join("q1")).unwrap();
    place.forge(&["verify", "q1"]).code(0).out("HOLDS  q1");
    fs::create_dir(place.work().join("q")).unwrap();
    place.forge(&["verify", "q"]).code(2);
    fs::remove_dir(place.work().join("q")).unwrap();
    place.forge(&["verify", "q"]).code(0).out("HOLDS  q1");
}

/// However the folder is spelled: with blanks and umlauts, a slash at its end, as the place where one stands, through a link.
#[test]
fn a_folder_by_any_spelling() {
    for (protocol, folder) in [("judges", "docs/forge/sadd"), ("gate", "docs/forge/debate/q1")] {
        let held = place(protocol);
        let there = Place::called("else where, ümlaut");
        let name = "received from Jürgen (2)";
        copied(&held.work().join(folder), &there.work().join(name));
        std::os::unix::fs::symlink(name, there.work().join("link")).unwrap();
        let whole = there.work().join(name).display().to_string();
        let spelled =
            [name.to_owned(), format!("{name}/"), format!("./{name}//"), "link".to_owned(), "link/".to_owned()];
        for folder in spelled.iter().chain([&whole, &format!("{whole}/")]) {
            there.forge(&["verify", folder]).code(0).out("HOLDS  q1");
        }
        for here in [".", "./", whole.as_str()] {
            let (code, out) = standing_in(&there, name, here);
            assert!(code == Some(0) && out.contains("HOLDS  q1"), "{here}: {code:?} {out}");
        }
        // What is wrong is named so that the reader finds it.
        let report = if protocol == "judges" { "debate-q1-result.yaml" } else { "verdict.md" };
        there.edit(&format!("{name}/{report}"), |text| text.replacen('e', "f", 1));
        there.forge(&["verify", "link/"]).code(7).out(&format!("report     link/{report}: "));
        there.forge(&["verify", name]).code(7).out(&format!("report     {name}/{report}: "));
        let (code, out) = standing_in(&there, name, ".");
        assert!(code == Some(7) && out.contains(&format!("report     ./{report}: ")), "{code:?} {out}");
    }
}

/// Checks a folder from within it.
fn standing_in(place: &Place, folder: &str, spelled: &str) -> (Option<i32>, String) {
    let done = place.command(&["verify", spelled]).current_dir(place.work().join(folder)).output().unwrap();
    (done.status.code(), String::from_utf8(done.stdout).unwrap())
}

/// A folder without a debate is a mistake in what was typed, and the message says what was expected.
#[test]
fn a_folder_without_a_debate() {
    let place = Place::new();
    fs::create_dir_all(place.work().join("bare/docs")).unwrap();
    fs::write(place.work().join("bare/notes.md"), "nothing\n").unwrap();
    for folder in ["bare", "bare/", "./bare"] {
        let done = place.forge(&["verify", folder]).code(2);
        assert!(done.err.contains("there is no debate in this folder") && done.err.contains("plan.md"), "{done}");
        assert!(done.err.contains("bare"), "{done}");
    }
    let done = place.forge(&["verify", "bare/notes.md"]).code(2);
    assert!(done.err.contains("no debate's plan"), "{done}");
    // Something of a plan's name that is none is a finding, not a crash.
    fs::write(place.work().join("bare/plan.md"), "nothing\n").unwrap();
    place.forge(&["verify", "bare"]).code(7).out("DOES NOT HOLD").out("bare/plan.md");
}

/// A file under a name that forge might use and that nobody asked for is named, and is never passed over.
#[test]
fn a_framing_and_a_decision_that_nobody_asked_for_are_named() {
    let place = Place::new();
    for (protocol, prefix) in [
        ("judges", "docs/forge/sadd/debate-judges-"),
        ("gate", "docs/forge/debate/gate/"),
        ("panel", "docs/forge/debate/panel/"),
        ("challenge", "debates/challenge/"),
    ] {
        let question =
            ["debate", "Redis or Memcached?", "--option", "Redis", "--option", "Memcached", "--option", "None"];
        place.forge(&[&question[..], &["--protocol", protocol, "--id", protocol, "--agent", "rehearsal"]].concat());
        for name in ["framing.md", "decision.md"] {
            place.forge(&["verify", protocol]).code(0);
            place.write(&format!("{prefix}{name}"), "junk\n");
            let done = place.forge(&["verify", protocol]);
            assert!(done.out.contains(name), "{protocol} {name}: {done}");
            assert!(name == "framing.md" || done.out.contains("DOES NOT HOLD"), "{protocol} {name}: {done}");
            std::fs::remove_file(place.path(&format!("{prefix}{name}"))).unwrap();
        }
    }
}
