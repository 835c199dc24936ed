//! `forge debate vote` and `--control`, as a user meets them.

use crate::model::serve;
use crate::place::{Done, Place};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

const QUESTION: &str = "Build or buy the billing service?";
const OPTIONS: [&str; 6] = ["--option", "Build it", "--option", "Buy it", "--option", "Wait"];
const HOME: &str = "docs/forge/sadd/debate-q1-";

fn held(place: &Place, more: &[&str]) -> Done {
    place.forge(&[&["debate", QUESTION, "--id", "q1"][..], &OPTIONS, more].concat())
}

fn with_people(seats: &[&str]) -> Place {
    let place = Place::new();
    place.write("script.yaml", "replies:\n  - {ballot: {option: B, reason: The lynx has bought it before.}}\n");
    let seats: Vec<String> = seats.iter().map(|seat| format!("{seat}=human")).collect();
    let mut args = vec!["--agent", "scripted:script.yaml"];
    args.extend(seats.iter().flat_map(|seat| ["--seat", seat.as_str()]));
    held(&place, &args).code(3);
    place
}

fn says(place: &Place, word: &str) -> bool {
    place.tree().values().any(|bytes| String::from_utf8_lossy(bytes).contains(word))
}

/// One person and two agents, from the first word to the verdict.
#[test]
fn a_person_votes_first_and_agents_after() {
    let place = with_people(&["value"]);
    let done = place.forge(&["debate", "run", "q1"]).code(3).out("WAITING for value\n");
    let done = done.out("value votes first: agents (risk, effort) are asked once the vote is sealed");
    done.out("forge debate vote q1 <option> --because WHY");
    assert!(place.files_in(&format!("{HOME}trail/briefs")).is_empty(), "{:#?}", place.files());
    let waiting = place.forge(&["debate", "run", "q1", "--json"]).code(3).json();
    assert_eq!(waiting["waiting_for"][0]["seat"], "value");
    assert_eq!(waiting["held_back"], serde_json::json!(["risk", "effort"]));

    let brief = format!("{HOME}trail/outside/opening-r1-value.md");
    place.forge(&["debate", "vote", "q1"]).code(3).out(&brief).out("--because WHY --seat value").out("B (Buy it)");
    assert!(
        place
            .read(&brief)
            .starts_with("Vote with `forge debate vote q1 <option> --because WHY --seat value`, which seals")
    );
    let open = place.forge(&["debate", "vote", "q1", "--json"]).code(3).json();
    assert_eq!(
        (&open["open"][0]["wants"], &open["open"][0]["sealed_since"]),
        (&"option".into(), &serde_json::Value::Null)
    );

    let voted = place.forge(&[
        "debate",
        "vote",
        "q1",
        "buy it",
        "--because",
        "We can leave the vendor within a month",
        "--json",
    ]);
    let voted = voted.code(0).json();
    assert_eq!(
        (&voted["state"], &voted["seat"], &voted["shortcomings"]),
        (&"revealed".into(), &"value".into(), &serde_json::json!([]))
    );
    let done = place.forge(&["debate", "run", "q1"]).code(0).out("CONSENSUS: B (Buy it)");
    assert!(done.err.contains("value (opening, round 1): taken in"), "{done}");
    assert_eq!(place.files_in(&format!("{HOME}trail/briefs")).len(), 2);
}

/// The digest can be checked with nothing but a shell.
#[test]
fn anybody_can_check_a_revealed_vote() {
    let place = with_people(&["value"]);
    place
        .forge(&["debate", "vote", "q1", "B", "--because", "We can leave the vendor within a month"])
        .code(0)
        .out("revealed in");
    let revealed = place.read(&format!("{HOME}trail/revealed/opening-r1-value.md"));
    let command = revealed.split('`').nth(1).unwrap().to_owned();
    let told = std::process::Command::new("/bin/sh").args(["-c", &command]).current_dir(place.work()).output().unwrap();
    let digest = String::from_utf8(told.stdout).unwrap().split(' ').next().unwrap().to_owned();
    let sealed = place.read(&format!("{HOME}trail/sealed/opening-r1-value.md"));
    assert!(digest.len() == 64 && sealed.contains(&format!("commitment: \"sha256:{digest}\"")), "{digest}\n{sealed}");
}

#[test]
fn three_people_see_nothing_of_each_other_before_all_have_voted() {
    let mut place = with_people(&["risk", "value", "effort"]);
    let vote = |place: &Place, seat: &str, option: &str, why: &str| {
        place.forge(&["debate", "vote", "q1", option, "--because", why, "--seat", seat])
    };
    place
        .forge(&["debate", "vote", "q1", "B", "--because", "It is cheaper and needs no night shift"])
        .code(2)
        .err("--seat risk or --seat value");
    let done =
        vote(&place, "risk", "A", "The heron has seen it fail").code(0).out("revealed once value, effort have voted");
    done.out("commitment sha256:");
    assert!(!says(&place, "heron"));
    let vault = place.around().join("home/.local/state/forge/sealed");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let kept = fs::read_dir(&vault).unwrap().next().unwrap().unwrap().path();
    assert_eq!((mode(&vault), mode(&kept)), (0o700, 0o600));
    assert!(fs::read_to_string(kept).unwrap().contains("heron"));

    vote(&place, "risk", "B", "The heron has read the contract since")
        .code(2)
        .err("sealed since")
        .err("may not be changed");
    place.forge(&["debate", "run", "q1"]).code(3).out("risk       sealed since");
    place
        .forge(&["debate", "vote", "q1", "--reveal"])
        .code(3)
        .out("nothing is revealed before value, effort have voted");
    vote(&place, "value", "B", "A badger would sign the contract").code(0).out("revealed once effort has voted");
    // The third works on another machine.
    let home = place.around().join("elsewhere").display().to_string();
    place.set("XDG_STATE_HOME", &home);
    vote(&place, "effort", "B", "The otter counts the nights").code(0).out("revealed in");
    assert!(says(&place, "otter") && !says(&place, "heron") && !says(&place, "badger"));
    let done = place.forge(&["debate", "run", "q1"]).code(3).out("its words are not on this machine");
    done.out("reveal: forge debate vote q1 --reveal");
    place.forge(&["debate", "vote", "q1", "--reveal", "--json"]).code(3);
    place.set("XDG_STATE_HOME", "relative/paths/are/no/places");
    let revealed = place.forge(&["debate", "vote", "q1", "--reveal", "--json"]).code(0).json();
    assert_eq!(revealed["revealed"].as_array().unwrap().len(), 2, "{revealed}");
    place.forge(&["debate", "run", "q1"]).code(0).out("CONSENSUS: B (Buy it)");
    assert_eq!(fs::read_dir(&vault).unwrap().count(), 0);
    place
        .forge(&["debate", "vote", "q1", "A", "--because", "The invoices come too late"])
        .code(2)
        .err("q1 is over (consensus)");
}

#[test]
fn a_file_that_is_not_what_was_sealed_is_refused() {
    let place = with_people(&["risk", "value"]);
    place.forge(&["debate", "vote", "q1", "A", "--because", "The heron has seen it fail", "--seat", "risk"]).code(0);
    place.write(&format!("{HOME}risk.md"), include_str!("../data/judge.md"));
    let done = place.forge(&["debate", "run", "q1"]).code(2).err(&format!("{HOME}risk.md"));
    done.err(&format!("{HOME}trail/sealed/opening-r1-risk.md"));
    assert!(!place.has(&format!("{HOME}trail/turns/opening-r1-risk.md")));
}

#[test]
fn what_is_typed_wrong_is_said_exactly() {
    let place = with_people(&["value"]);
    let refused = |args: &[&str], word: &str| {
        place.forge(&[&["debate", "vote", "q1"][..], args].concat()).code(2).err(word);
    };
    refused(&["B"], "--because WHY");
    refused(
        &["D", "--because", "It is cheaper and needs no night shift"],
        "the options are A (Build it), B (Buy it), C (Wait)",
    );
    refused(&["B", "--because", "cheap"], "\"reason\" has 1 word; at least 3");
    refused(&["B", "--because", "I fully agree, buy it is the best option"], "\"reason\" says too little of its own");
    refused(&["B", "--because", QUESTION], "\"reason\" repeats another text of the debate");
    refused(
        &["B", "--because", "It is cheaper and needs no night shift", "--confidence", "sure"],
        "expected one of HIGH, MEDIUM, LOW",
    );
    refused(
        &["B", "--because", "It is cheaper and needs no night shift", "--challenge", "S1"],
        "expected SPEAKER=TEXT",
    );
    refused(
        &["B", "--because", "It is cheaper and needs no night shift", "--challenge", "S1=is wrong there"],
        "has no place for it",
    );
    refused(
        &["B", "--because", "It is cheaper and needs no night shift", "--argument", "short"],
        "has 1 word; at least 3",
    );
    refused(&["B", "--because", "It is cheaper and needs no night shift", "--approve", "Z"], "\"Z\" is not an option");
    refused(
        &["B", "--because", "It is cheaper and needs no night shift", "--seat", "risk"],
        "risk is moved by scripted:script.yaml",
    );
    refused(&["--file", "nothing.md"], "nothing.md");
    refused(&["--because", "It is cheaper and needs no night shift"], "<OPTION|--withdraw>");
    refused(&["--withdraw"], "--seat <SEAT>");
    refused(&["--withdraw", "--seat", "value", "--because", "It is gone"], "value has no sealed vote in q1");
    refused(&["B", "--reveal"], "--reveal");
    refused(&["--reveal"], "q1 has no sealed vote to reveal");
    assert!(!place.has(&format!("{HOME}trail/sealed")), "nothing of it was sealed");
    place.write("turn.md", include_str!("../data/judge.md"));
    place.forge(&["debate", "vote", "q1", "--file", "turn.md"]).code(0).out("revealed in");
}

/// The machine with the words is gone: the vote is taken back on record, and given again.
#[test]
fn a_vote_whose_words_are_lost_is_taken_back() {
    let mut place = with_people(&["risk", "value"]);
    let vote = |place: &Place, seat: &str, option: &str| {
        place.forge(&["debate", "vote", "q1", option, "--because", "The heron has seen it fail", "--seat", seat])
    };
    vote(&place, "risk", "A").code(0);
    let take_back = ["debate", "vote", "q1", "--withdraw", "--seat", "risk", "--because", "the laptop is gone"];
    place.forge(&take_back).code(2).err("nothing is lost");
    let home = place.around().join("elsewhere").display().to_string();
    place.set("XDG_STATE_HOME", &home);
    vote(&place, "value", "B").code(0);
    let how = "forge debate vote q1 --withdraw --seat risk --because WHY";
    place.forge(&["debate", "run", "q1", "--allow-commands"]).code(3).out("its words are not on this machine").out(how);
    place.forge(&["debate", "vote", "q1", "--reveal"]).code(3).out(how);
    let file = format!("{HOME}trail/withdrawn-votes/opening-r1-risk.1.md");
    place.forge(&take_back).code(0).out(&format!("taken back, as {file} says")).out("forge debate vote q1 <option>");
    assert!(place.read(&file).contains("because: \"the laptop is gone\""));
    vote(&place, "risk", "B").code(0);
    place.forge(&["debate", "run", "q1", "--allow-commands"]).code(0).out("CONSENSUS: B (Buy it)");
    place.forge(&["verify", "q1"]).code(0).out("a sealed vote of risk was taken back");
}

/// A folder that others may look into is closed before anything is put there.
#[test]
fn a_folder_for_sealed_words_that_is_open_to_others_is_closed() {
    let place = with_people(&["risk", "value"]);
    let vault = place.around().join("home/.local/state/forge/sealed");
    fs::create_dir_all(&vault).unwrap();
    fs::set_permissions(&vault, fs::Permissions::from_mode(0o755)).unwrap();
    place.forge(&["debate", "vote", "q1", "A", "--because", "The heron has seen it fail", "--seat", "risk"]).code(0);
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let kept = fs::read_dir(&vault).unwrap().next().unwrap().unwrap().path();
    assert_eq!((mode(&vault), mode(&kept)), (0o700, 0o600));
}

/// A real model's debate beside a rehearsed seat alone is no rehearsal; only what is said alone is.
#[test]
fn a_rehearsed_control_makes_no_rehearsal_of_the_debate() {
    let server = serve(&[], |_, _| None);
    let place = Place::new().with("OPENAI_BASE_URL", &server.base_url()).with("OPENAI_API_KEY", "sk-test");
    let args = ["--agent", "openai:gpt-test", "--seat", "control=rehearsal"];
    let done = held(&place, &args).code(0).out("(a rehearsal: no model was asked)");
    assert!(!done.out.contains("REHEARSAL"), "{done}");
    let verdict = held(&place, &[&args[..], &["--json"]].concat()).code(0).json();
    assert_eq!(verdict["rehearsal"], false);
    place.forge(&["gate", "q1"]).code(0);
}

/// Without a home there is no place for words that must not lie in the debate's folder.
#[test]
fn without_a_home_nothing_is_sealed() {
    let place = with_people(&["value"]);
    let mut command =
        place.command(&["debate", "vote", "q1", "B", "--because", "It is cheaper and needs no night shift"]);
    let done = command.env_remove("HOME").output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.code() == Some(2) && said.contains("set HOME or XDG_STATE_HOME"), "{said}");
}

/// The rehearsal answers alone as it answers in a debate: every protocol, with the wave in the cost and in the verdict.
#[test]
fn every_protocol_can_be_held_against_one_seat_alone() {
    for protocol in ["judges", "gate", "panel", "challenge"] {
        let place = Place::new();
        let options: &[&str] = if protocol == "panel" { &["--rounds", "2"] } else { &[] };
        let id: &[&str] = if protocol == "challenge" { &["--allow-same-family"] } else { &[] };
        let args = [&["debate", QUESTION, "--protocol", protocol, "--control"][..], &OPTIONS, options, id].concat();
        let dry = place.forge(&[&args[..], &["--dry-run", "--json"]].concat()).code(0).json();
        let stages = dry["stages"].as_array().unwrap().clone();
        let (control, debate) = stages.split_last().unwrap();
        let sum = |name: &str| debate.iter().map(|stage| stage[name].as_u64().unwrap()).sum::<u64>();
        assert_eq!(control["stage"], "Control: one seat alone", "{protocol}");
        assert_eq!(
            (control["min_calls"].as_u64(), control["max_calls"].as_u64()),
            (Some(sum("min_calls")), Some(sum("max_calls")))
        );
        let done = place.forge(&[&args[..], &["--json"]].concat());
        assert!(matches!(done.code, 0 | 3 | 4), "{done}");
        let verdict = done.json();
        let plan =
            place.only(|file| file.ends_with("plan.md") && !file.contains("trail") || file.ends_with("context.md"));
        assert!(place.read(&plan).contains("| Control: one seat alone |"), "{protocol}");
        if done.code != 3 {
            let control = &verdict["control"];
            assert!(control["asked"].as_u64().unwrap() > 0, "{protocol}: {verdict}");
            assert_eq!(control["asked"], control["answered"], "{protocol}: {control}");
        }
    }
}

#[test]
fn the_control_seat_can_be_moved_by_another_agent() {
    let place = Place::new();
    place.write("alone.yaml", "replies:\n  - {ballot: {option: C}}\n");
    place.write("script.yaml", "replies:\n  - {ballot: {option: B}}\n");
    let done = held(&place, &["--agent", "scripted:script.yaml", "--seat", "control=scripted:alone.yaml", "--json"]);
    let verdict = done.code(0).json();
    assert_eq!(verdict["control"]["effect"], "changed-the-answer", "{verdict}");
    assert_eq!((&verdict["control"]["asked"], verdict["degraded"].as_bool()), (&3.into(), Some(false)));
    assert!(place.read(&format!("{HOME}control/03.md")).contains("\"option\": \"C\""));
    let place = Place::new();
    held(&place, &["--agent", "human", "--control"]).code(2).err("--seat control=AGENT");
}
