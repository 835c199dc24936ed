//! Flags and names that make no sense.

use super::{check, judged, row};
use crate::place::Place;
use std::collections::BTreeMap;

const Q: &str = "Which way is best?";

/// `forge debate Q` with more, refused for these words. Nothing but forge's own folder may be left.
fn refused(name: &str, more: &[&str], says: &[&str]) -> super::Row {
    row(name, &[&["debate", Q], more].concat(), &[2], says).then(|place, done| {
        let left: Vec<String> = place
            .files()
            .into_iter()
            .filter(|file| !file.starts_with(".claude/") && !file.ends_with(".yaml"))
            .collect();
        assert!(left.is_empty(), "a refused request left {left:?}: {done}");
        place.forge(&["debate", "list"]).code(0);
    })
}

#[test]
fn commands_and_questions() {
    check(vec![
        row("nothing at all", &[], &[2], &["Usage: forge"]),
        row("a command that is not there", &["debat", Q], &[2], &["'debat'", "debate"]),
        row("a flag that is not there", &["debate", Q, "--protcol", "gate"], &[2], &["--protcol", "--protocol"]),
        row("no question", &["debate"], &[2], &["forge debate \""]),
        row("an empty question", &["debate", ""], &[2], &["question is empty"]),
        row("a blank question", &["debate", " \n\t "], &[2], &["question is empty"]),
        row("a mistyped action", &["debate", "lst"], &[2], &["forge debate list"]),
        row("an action without its debate", &["debate", "show"], &[2], &["<DEBATE>"]),
        row("a decision without an option", &["debate", "decide", "q1"], &[2], &["<OPTION>", "--because"]),
        row("a turn without a file", &["turn", "submit", "q1", "risk"], &[2], &["--file"]),
        row("a second question", &["debate", Q, "And another?"], &[2], &["And another?"]),
        row("an empty question to classify", &["classify", " "], &[2], &["question is empty"]),
        row("a question of 40 KB", &["debate", &"word ".repeat(8_000)], &[2], &["39999 bytes", "32768", "--context"]),
        row("a question that is a flag", &["debate", "--", "-1 or +1?"], &[0, 4], &["-1 or +1?"]),
        row("--status without --id", &["debate", "--status"], &[2], &["--id"]),
        row("--regenerate without --id", &["debate", "--regenerate"], &[2], &["--id"]),
        row(
            "--status with a question",
            &["debate", Q, "--status", "--id", "x"],
            &[2],
            &["--status", "cannot be used with"],
        ),
        row(
            "--status and --regenerate",
            &["debate", "--status", "--regenerate", "--id", "x"],
            &[2],
            &["cannot be used with"],
        ),
        row(
            "--status and --dry-run",
            &["debate", "--status", "--dry-run", "--id", "x"],
            &[2],
            &["cannot be used with"],
        ),
        row(
            "--status of no debate",
            &["debate", "--status", "--id", "x"],
            &[2],
            &["no debate \"x\"", "forge debate list"],
        ),
        row("--regenerate of no debate", &["debate", "--regenerate", "--id", "x"], &[2], &["no debate \"x\""]),
        row("a workspace that is not there", &["-C", "nowhere", "debate", "list"], &[2], &["nowhere"]),
        row("a workspace that is a file", &["-C", "file", "debate", "list"], &[2], &["file", "folder"])
            .set(|place| place.write("file", "x")),
        row("an export form that is not there", &["export", "x", "--format", "jsn"], &[2], &["jsn", "json"]),
        row(
            "an export form from elsewhere",
            &["export", "x", "--format", "pdf"],
            &[2],
            &["--format", "md, json, yaml, adr"],
        ),
        row("an empty export form", &["export", "x", "--format", ""], &[2], &["--format"]),
    ]);
}

#[test]
fn protocols_seats_agents_rosters() {
    check(vec![
        refused(
            "protocol: one letter short",
            &["--protocol", "judge"],
            &["unknown protocol \"judge\"", "did you mean \"judges\""],
        ),
        refused("protocol: one letter too many", &["--protocol", "pannel"], &["did you mean \"panel\""]),
        refused("protocol: in capitals", &["--protocol", "GATE"], &["judges, gate, panel, challenge"]),
        refused("protocol: empty", &["--protocol", ""], &["protocol"]),
        refused("protocol: with a version", &["--protocol", "judges@1"], &["protocol"]),
        refused("seat: mistyped", &["--seat", "rsk=human"], &["no seat \"rsk\"", "did you mean \"risk\""]),
        refused(
            "seat: of another protocol",
            &["--seat", "advocate=human"],
            &["no seat \"advocate\"", "risk, value, effort"],
        ),
        refused("seat: without an agent", &["--seat", "risk"], &["--seat", "SEAT=AGENT"]),
        refused("seat: with an empty agent", &["--seat", "risk="], &["--seat", "SEAT=AGENT"]),
        refused("seat: without a seat", &["--seat", "=human"], &["--seat", "SEAT=AGENT"]),
        refused(
            "seat: with an unknown agent",
            &["--seat", "risk=rehersal"],
            &["rehersal", "did you mean \"rehearsal\""],
        ),
        refused(
            "agent: mistyped",
            &["--agent", "rehersal"],
            &["unknown agent \"rehersal\"", "did you mean \"rehearsal\""],
        ),
        refused("agent: mistyped with a model", &["--agent", "opnai:gpt-5"], &["did you mean \"openai:gpt-5\""]),
        refused("agent: a mistyped person", &["--agent", "humen"], &["humen", "did you mean \"human\""]),
        refused("agent: a mistyped outsider", &["--agent", "outsde"], &["outsde", "did you mean \"outside\""]),
        refused("agent: without its key", &["--agent", "openai"], &["OPENAI_API_KEY"]),
        refused("agent: with an empty model", &["--agent", "openai:"], &["openai[:MODEL]"]),
        refused("agent: rehearsal with a model", &["--agent", "rehearsal:big"], &["rehearsal"]),
        refused("agent: nothing like any", &["--agent", "zzzzzz"], &["zzzzzz", "rehearsal", "openai[:MODEL]"]),
        refused("agent: a script without a file", &["--agent", "scripted:"], &["scripted:FILE"]),
        refused(
            "roster: mistyped",
            &["--protocol", "panel", "--roster", "bord"],
            &["unknown roster \"bord\"", "did you mean \"board\""],
        ),
        refused("roster: for judges", &["--roster", "board"], &["--roster", "panel"]),
        refused(
            "synthesizer: mistyped",
            &["--protocol", "panel", "--roster", "board", "--synthesizer", "ceoo"],
            &["ceoo", "ceo"],
        ),
    ]);
}

/// As --roster is. A flag that is taken and does nothing misleads.
#[test]
fn flags_of_another_protocol() {
    check(vec![
        refused("synthesizer: for judges", &["--synthesizer", "risk"], &["--synthesizer", "panel"]),
        refused(
            "feature dir: for a gate",
            &["--protocol", "gate", "--feature-dir", "docs/x"],
            &["--feature-dir", "judges"],
        ),
    ]);
}

#[test]
fn numbers() {
    let mut rows = vec![
        refused("rounds: none", &["--rounds", "0"], &["--rounds 0", "1 to 5"]),
        refused("rounds: too many judges' rounds", &["--rounds", "6"], &["--rounds 6", "1 to 5"]),
        refused("rounds: of a gate", &["--protocol", "gate", "--rounds", "2"], &["--rounds 2", "gate"]),
        refused("rounds: one of a panel", &["--protocol", "panel", "--rounds", "1"], &["--rounds 1", "2 to 10"]),
        refused("rounds: eleven of a panel", &["--protocol", "panel", "--rounds", "11"], &["2 to 10"]),
        row(
            "max calls: none",
            &["debate", Q, "--max-calls", "0", "--option", "One", "--option", "Two"],
            &[2, 5],
            &["--max-calls"],
        ),
        row("parallel: none", &["debate", Q, "--parallel", "0"], &[0, 2, 4], &[]),
        row("seed: the largest", &["debate", Q, "--seed", "18446744073709551615"], &[0, 4], &[]),
    ];
    for text in [
        "0",
        "0/3",
        "2/0",
        "3/2",
        "1.5",
        "-1",
        "abc",
        "",
        "2/3/4",
        "NaN",
        "inf",
        "99999999999999999999/3",
        "0.0",
        "1/",
        "/3",
    ] {
        rows.push(refused(&format!("threshold {text:?}"), &[&format!("--threshold={text}")], &["--threshold", "2/3"]));
    }
    for text in ["0", "0s", "-1", "abc", "", "25h", "1.5s", "1d", "99999999999999999999s", "s", "5 parsecs"] {
        rows.push(refused(&format!("timeout {text:?}"), &[&format!("--timeout={text}")], &["--timeout", "120s"]));
    }
    for (flag, texts) in [
        ("--seed", &["-1", "abc", "1.5", "18446744073709551616", ""][..]),
        ("--rounds", &["-1", "two", "65536"]),
        ("--max-calls", &["-1", "many", "4294967296"]),
        ("--max-tokens", &["-1", "many", "1e6"]),
        ("--parallel", &["-1", "all"]),
    ] {
        for text in texts {
            rows.push(refused(&format!("{flag} {text:?}"), &[&format!("{flag}={text}")], &[flag]));
        }
    }
    check(rows);
}

#[test]
fn options() {
    let many: Vec<String> = (1..=13).flat_map(|n| ["--option".to_owned(), format!("Way {n}")]).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    check(vec![
        refused("one option", &["--option", "One"], &["1 option", "at least 2"]),
        refused(
            "two options for a gate",
            &["--protocol", "gate", "--option", "One", "--option", "Two"],
            &["2 options", "at least 3"],
        ),
        refused("thirteen options", &many, &["13 options", "12"]),
        refused("the same option twice", &["--option", "Redis", "--option", "Redis"], &["the same", "Redis"]),
        refused("the same option in another case", &["--option", "Redis", "--option", "  rEDIS "], &["the same"]),
        refused("an option without a label", &["--option", "One", "--option", ""], &["no label"]),
        refused(
            "an option with a description only",
            &["--option", "One", "--option", ": what it means"],
            &["no label"],
        ),
        refused("an option of blanks", &["--option", "One", "--option", " \t "], &["no label"]),
        refused(
            "an option of 500 bytes",
            &["--option", "One", "--option", &"long ".repeat(100)],
            &["499 bytes", "400"],
        ),
    ]);
}

#[test]
fn ids_and_folders() {
    let mut rows = Vec::new();
    for id in [
        "../x",
        "..",
        ".",
        "/etc/passwd",
        "a/b",
        "a\\b",
        "-x",
        ".hidden",
        "a b",
        "caf\u{e9}",
        "a\nb",
        "a\u{202e}b",
        "~",
        "*",
        "$(id)",
        "",
    ] {
        for protocol in ["judges", "gate", "challenge"] {
            rows.push(refused(
                &format!("{protocol} id {id:?}"),
                &["--protocol", protocol, &format!("--id={id}")],
                &["--id"],
            ));
        }
    }
    rows.push(refused("an id of 101 bytes", &["--id", &"x".repeat(101)], &["--id", "101 bytes", "100"]));
    check(rows);
}

#[test]
fn feature_dirs() {
    let mut rows = Vec::new();
    for dir in ["../x", "..", "/tmp/x", "a/../../x", "", "a\nb"] {
        for id in [&["--id", "q1"][..], &[]] {
            rows.push(refused(
                &format!("feature dir {dir:?} {id:?}"),
                &[&[&format!("--feature-dir={dir}")[..]][..], id].concat(),
                &["--feature-dir"],
            ));
        }
    }
    for dir in [".", "./docs/x/", "a//b", "a/./b", "two words"] {
        rows.push(
            row(&format!("feature dir {dir:?}"), &["debate", Q, "--feature-dir", dir, "--id", "q1"], &[0, 2, 4], &[])
                .then(|place, done| {
                    let listed = place.forge(&["debate", "list", "--json"]).code(0).json();
                    assert_eq!(
                        listed["debates"].as_array().unwrap().len(),
                        usize::from(done.code != 2),
                        "{listed}: {done}"
                    );
                }),
        );
    }
    check(rows);
}

/// A request that was refused leaves nothing that a later one stumbles over.
#[test]
fn a_refused_folder_poisons_nothing() {
    for dir in ["../x", "/tmp/x", "a/../../x"] {
        let place = Place::new();
        judged(&place);
        place.forge(&["debate", Q, "--id", "q2", "--feature-dir", dir]).code(2);
        place.forge(&["debate", "list"]).code(0).out("q1");
        place.forge(&["debate", "show", "q"]).code(0);
    }
}

#[test]
fn phases() {
    check(
        ["../x", "a/b", "-x", "..", "", "two words"]
            .map(|phase| {
                refused(&format!("phase {phase:?}"), &["--protocol", "gate", &format!("--phase={phase}")], &["--phase"])
            })
            .into(),
    );
}

#[test]
fn an_id_that_is_taken_is_told() {
    let place = Place::new();
    judged(&place);
    let before = place.tree();
    place.forge(&["debate", "Another question?", "--id", "q1"]).code(2).err("q1").err("already there");
    place.forge(&["debate", "Another question?", "--id", "q1", "--new"]).code(2).err("already there");
    unchanged(&place, &before);
}

fn unchanged(place: &Place, before: &BTreeMap<String, Vec<u8>>) {
    let after = place.tree();
    for (file, bytes) in before {
        assert_eq!(after.get(file), Some(bytes), "{file} was changed by a request that was refused");
    }
    let more: Vec<&String> =
        after.keys().filter(|file| !before.contains_key(*file) && !file.starts_with(".claude/")).collect();
    assert!(more.is_empty(), "{more:?}");
}

#[test]
fn a_refused_id_does_not_harm_the_debate_that_has_it() {
    for protocol in ["judges", "gate", "panel", "challenge"] {
        let place = Place::new();
        place.write("notes.md", "what the first debate read");
        let options = ["--option", "One", "--option", "Two", "--option", "Three", "--id", "d1", "--protocol", protocol];
        let rounds: &[&str] = match protocol {
            "panel" => &["--rounds", "2", "--roster", "planning-2"],
            "challenge" => &["--rounds", "1"],
            _ => &[],
        };
        place.forge(
            &[&["debate", "Which database for the sessions?", "--context", "notes.md"], &options[..], rounds].concat(),
        );
        let before = place.tree();
        place.write("notes.md", "what the second debate would read");
        place
            .forge(
                &[&["debate", "Which price for the new product?", "--context", "notes.md"], &options[..], rounds]
                    .concat(),
            )
            .code(2)
            .err("already there");
        place.write("notes.md", "what the first debate read");
        unchanged(&place, &before);
        let shown = place.forge(&["debate", "show", "d1"]);
        assert!(matches!(shown.code, 0 | 4), "{protocol}: {shown}");
    }
}

#[test]
fn names_of_debates() {
    let place = Place::new();
    judged(&place);
    for name in ["../x", "/etc/passwd", "..", ".", "", " ", "a\nb", "*", "-", "docs", "\u{202e}x", "q1/../q1"] {
        for command in [&["debate", "show"][..], &["debate", "status"], &["debate", "run"], &["gate"], &["export"]] {
            let done = place.forge(&[command, &["--", name]].concat()).code(2);
            done.err("there is no debate").err("forge debate list");
        }
    }
    let mut rows = Vec::new();
    let near = |args: &[&str]| {
        row(&format!("nearest of {args:?}"), args, &[2], &["did you mean \"offline-mode\"", "forge debate list"]).set(
            |place| {
                place.forge(&["debate", "Which?", "--id", "offline-mode", "--option", "One", "--option", "Two"]);
            },
        )
    };
    rows.extend([
        near(&["debate", "show", "ofline-mode"]),
        near(&["gate", "offlinemode"]),
        near(&["export", "offline-modes"]),
        near(&["debate", "run", "Offline-mode"]),
    ]);
    let ambiguous =
        row("a prefix of two", &["debate", "show", "offline"], &[2], &["could be", "offline-a", "offline-b"]);
    rows.push(ambiguous.set(|place| {
        for id in ["offline-a", "offline-b"] {
            place.forge(&["debate", "Which?", "--id", id, "--option", "One", "--option", "Two"]);
        }
    }));
    let twins = row(
        "one id in two protocols",
        &["debate", "show", "twin"],
        &[2],
        &["could be", "debates/twin", "sadd/debate-twin"],
    );
    rows.push(twins.set(|place| {
        place.forge(&["debate", "Which?", "--id", "twin", "--option", "One", "--option", "Two"]);
        place.forge(&[
            "debate",
            "Which?",
            "--id",
            "twin",
            "--option",
            "One",
            "--option",
            "Two",
            "--protocol",
            "challenge",
            "--rounds",
            "1",
        ]);
    }));
    check(rows);
}
