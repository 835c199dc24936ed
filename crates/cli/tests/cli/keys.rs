//! What looks like a key is in no file that forge writes and in nothing that it sends or shows, whoever brought it.

use crate::place::{Done, Place};
use std::collections::BTreeSet;

const QUESTION: &str = "Build or buy the billing service?";

/// Put together, so that nobody who searches for leaked keys finds one here.
fn key(mark: &str) -> String {
    format!("{}{}{mark}a8Kq3Zt0Lm5Xw9Rb2Vn7Yc4Hd6Jf1Gs8", "gh", "p_")
}

/// Files that hold a key, of those that are not listed.
fn with_keys(place: &Place, left: &BTreeSet<String>) -> Vec<String> {
    let holds = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains("a8Kq3Zt0Lm5Xw9Rb2Vn7");
    let tree = place.tree();
    tree.iter().filter(|(file, bytes)| holds(bytes) && !left.contains(*file)).map(|(file, _)| file.clone()).collect()
}

/// Everything that was printed.
fn shown(done: &Done) -> String {
    format!("{}{}", done.out, done.err)
}

/// The words of a turn that the rehearsal wrote, without its header.
fn words(turn: &str) -> String {
    turn.splitn(3, "---\n").nth(2).unwrap_or(turn).trim().to_owned()
}

/// Everything that a person or a writer outside can say, in every protocol.
#[test]
fn no_protocol_writes_or_sends_a_key_whoever_brings_it() {
    for (protocol, agent_seat) in
        [("judges", "risk"), ("gate", "operator"), ("panel", "contrarian"), ("challenge", "adversary")]
    {
        let question = format!("{QUESTION} {}", key("Q"));
        let option = format!("Buy it {}", key("O"));
        let args = |agent: &'static str| {
            [
                &[
                    "debate",
                    question.as_str(),
                    "--protocol",
                    protocol,
                    "--id",
                    "q1",
                    "--agent",
                    agent,
                    "--allow-same-family",
                ][..],
                &["--option", "Build it", "--option", option.as_str(), "--option", "Wait", "--context", "notes.md"],
            ]
            .concat()
        };
        let model = Place::new();
        model.write("notes.md", "The quota is 5 TB.\n");
        model.forge(&args("rehearsal"));
        let place = Place::new();
        let mut left: BTreeSet<String> = BTreeSet::new();
        for (file, text) in [
            ("notes.md", format!("The quota is 5 TB.\n{}\n", key("C"))),
            (".claude/forge/roles/risk.md", format!("You weigh risks. {}\n", key("R"))),
            (".claude/forge/roles/skeptic.md", format!("You doubt. {}\n", key("R"))),
        ] {
            place.write(file, text);
            left.insert(file.to_owned());
        }
        let seat = format!("{agent_seat}=rehearsal");
        place.forge(&[args("outside"), vec!["--seat", &seat]].concat()).code(3);
        let mut turns = 0;
        for _ in 0..40 {
            let done = place.forge(&["debate", "run", "q1", "--json"]);
            let waiting = done.json()["waiting_for"].as_array().cloned().unwrap_or_default();
            assert!(!shown(&done).contains("a8Kq3Zt0Lm5Xw9Rb2Vn7"), "{protocol}: {done}");
            let mut did = false;
            for one in &waiting {
                let (file, seat) = (one["file"].as_str().unwrap(), one["seat"].as_str().unwrap());
                if !model.has(file) {
                    continue;
                }
                let text = format!("A secret: {}, and\u{200b} more.\n\n{}\n", key(seat), words(&model.read(file)));
                did = true;
                turns += 1;
                if turns % 2 == 0 {
                    let done = place.forge_fed(&["turn", "submit", "q1", seat, "--file", "-"], text.as_bytes()).code(0);
                    done.out("looks like a key");
                } else {
                    place.write(file, text);
                    left.insert(file.to_owned());
                }
            }
            if !did {
                break;
            }
        }
        assert!(turns >= 2, "{protocol}: only {turns} turns came from outside");
        assert_eq!(with_keys(&place, &left), Vec::<String>::new(), "{protocol}");
        let tree = place.tree();
        let blotted = |file: &str| {
            tree.iter().any(|(path, bytes)| {
                path.contains(file) && String::from_utf8_lossy(bytes).contains("A secret: [key removed]")
            })
        };
        assert!(blotted("/turns/"), "{protocol}: what was left is on record, but for its key");
        place.forge(&["verify", "q1"]).code(0);
        for what in [&["debate", "show", "q1"][..], &["debate", "status", "q1"], &["export", "q1", "--format", "md"]] {
            let done = place.forge(what);
            assert!(!shown(&done).contains("a8Kq3Zt0Lm5Xw9Rb2Vn7"), "{protocol}: {done}");
        }
    }
}

fn outside_judges(place: &Place) {
    let options = ["--option", "Build it", "--option", "Buy it"];
    let seats = ["--agent", "rehearsal", "--seat", "value=outside", "--id", "q1"];
    place.forge(&[&["debate", QUESTION][..], &options, &seats].concat()).code(3);
}

const VALUE: &str = "docs/forge/sadd/debate-q1-value.md";

/// Who left a key is told so, may take it out of the file, and the record stays what it is.
#[test]
fn a_file_with_a_key_is_named_and_may_be_cleaned() {
    let place = Place::new();
    outside_judges(&place);
    let words = include_str!("../data/judge.md");
    place.write(VALUE, format!("My key is {}.\n\n{words}", key("V")));
    place.forge(&["debate", "run", "q1"]).err("holds what looks like a key").err(VALUE);
    let turn = place.read("docs/forge/sadd/debate-q1-trail/turns/opening-r1-value.md");
    assert!(turn.contains("keys_removed: 1") && turn.contains("My key is [key removed]."), "{turn}");
    assert_eq!(place.read(VALUE), format!("My key is {}.\n\n{words}", key("V")), "the file is its writer's");
    place.forge(&["verify", "q1"]).code(0);
    place.edit(VALUE, |text| text.replace(&key("V"), "(gone)"));
    place.forge(&["verify", "q1"]).code(0);
    place.edit(VALUE, |text| text.replace("My key", "Our key"));
    assert_ne!(place.forge(&["verify", "q1"]).code, 0, "other words are other words");
}

#[test]
fn reasons_and_names_of_people_lose_their_keys() {
    let place = Place::new();
    place.write("split.yaml", "replies:\n  - {seat: risk, ballot: {option: A}}\n  - {seat: value, ballot: {option: B}}\n  - {seat: effort, ballot: {option: C}}\n");
    let options = ["--option", "Build it", "--option", "Buy it", "--option", "Wait"];
    place
        .forge(&[&["debate", QUESTION, "--agent", "scripted:split.yaml", "--id", "q1"][..], &options].concat())
        .code(4);
    let (why, who) = (format!("the key {} is ours", key("W")), format!("dana {}", key("N")));
    let decide = ["debate", "decide", "q1", "B", "--because", &why, "--by", &who];
    let done = place.forge(&decide).code(0).err("looks like a key").out("the key [key removed] is ours");
    assert!(!shown(&done).contains(&key("W")) && !shown(&done).contains(&key("N")), "{done}");
    place.forge(&decide).code(0);
    assert_eq!(with_keys(&place, &BTreeSet::new()), Vec::<String>::new());
    place.forge(&["verify", "q1"]).code(0);
}

#[test]
fn a_sealed_vote_is_sealed_without_its_key() {
    let place = Place::new();
    let options = ["--option", "Build it", "--option", "Buy it"];
    place
        .forge(
            &[&["debate", QUESTION, "--agent", "rehearsal", "--seat", "risk=human", "--id", "q1"][..], &options]
                .concat(),
        )
        .code(3);
    let why = format!("the key {} is ours", key("W"));
    let vote = ["debate", "vote", "q1", "B", "--because", &why];
    place.forge(&vote).code(0).out("looks like a key");
    let done = place.forge(&["debate", "run", "q1"]);
    assert!(!shown(&done).contains(&key("W")), "{done}");
    assert_eq!(with_keys(&place, &BTreeSet::new()), Vec::<String>::new());
    place.forge(&["verify", "q1"]).code(0);
}

#[test]
fn a_key_in_a_name_or_in_a_plan_that_was_edited_is_refused() {
    let place = Place::new();
    let options = ["--option", "Build it", "--option", "Buy it"];
    let agent = format!("acp:my-agent --token {}", key("A"));
    let done = place.forge(&[&["debate", QUESTION, "--agent", &agent][..], &options].concat()).code(2).err("key_env");
    assert!(!shown(&done).contains(&key("A")), "{done}");
    place.forge(&[&["debate", QUESTION, "--agent", "outside", "--id", "q2"][..], &options].concat()).code(3);
    place.edit("docs/forge/sadd/debate-q2-plan.md", |text| text.replace("Buy it", &format!("Buy {}", key("P"))));
    let done = place.forge(&["debate", "run", "q2", "--adopt"]).err("debate-q2-plan.md:").err("looks like a key");
    assert!(!shown(&done).contains(&key("P")), "{done}");
    let left = BTreeSet::from(["docs/forge/sadd/debate-q2-plan.md".to_owned()]);
    assert_eq!(with_keys(&place, &left), Vec::<String>::new());
}

/// A key that only the user's configuration names goes from whatever a command prints or writes, also of those that ask nobody.
#[test]
fn a_key_of_no_shape_is_known_to_every_command() {
    const KEY: &str = "correct-horse-battery-77";
    let place = Place::new().with("HOUSE_KEY", KEY);
    let home = place.around().join("home/.config/forge");
    std::fs::create_dir_all(&home).unwrap();
    let config =
        r#"{"agents": {"house": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "key_env": "HOUSE_KEY"}}}"#;
    std::fs::write(home.join("config.json"), config).unwrap();
    let question = format!("Which store {KEY}?");
    let args = ["debate", &question, "--agent", "rehearsal", "--id", "q1", "--option", "A one", "--option", "B two"];
    let run = place.forge(&args);
    assert!(!shown(&run).contains(KEY), "{run}");
    place.forge(&["start", &format!("Use {KEY} now"), "--issue", KEY]);
    let leaked: Vec<String> = place
        .tree()
        .into_iter()
        .filter(|(_, text)| String::from_utf8_lossy(text).contains(KEY))
        .map(|(file, _)| file)
        .collect();
    assert_eq!(leaked, Vec::<String>::new());
    let commands = [
        "debate show q1",
        "debate show q1 --json",
        "debate status q1",
        "debate status q1 --json",
        "debate list",
        "debate list --json",
        "debate run q1",
        "gate q1",
        "gate q1 --json",
        "verify q1",
        "verify q1 --json",
        "export q1 --format md",
        "export q1 --format html",
        "export q1 --picture positions",
        "status",
        "decisions",
        "tripwires",
        "doctor",
        "config",
        "debate regenerate q1",
    ];
    // What was planted afterwards is printed by nobody either.
    place.edit("docs/forge/sadd/debate-q1-plan.md", |text| text.replace("Which store", &format!("Which {KEY} store")));
    place.write("docs/forge/knowledge/decisions.md", format!("# Decisions\n\n## D1: Use {KEY}\n\n- Status: locked\n"));
    for command in commands {
        let done = place.forge(&command.split(' ').collect::<Vec<_>>());
        assert!(!shown(&done).contains(KEY), "{done}");
    }
    for args in [&["debate", "show", KEY][..], &["export", KEY, "--format", "md"], &["gate", KEY], &["verify", KEY]] {
        let done = place.forge(args);
        assert!(!done.err.contains(KEY) && !done.out.contains(KEY), "{done}");
    }
}
