//! What must never slip through: edited votes, invented recommendations, keys, verdicts that outlive their debate.

use crate::place::Place;

const QUESTION: &str = "Build or buy the billing service?";
const OPTIONS: [&str; 4] = ["--option", "Build it", "--option", "Buy it"];

fn judged(script: &str) -> Place {
    let place = Place::new();
    place.write("script.yaml", script);
    place.forge(&[&["debate", QUESTION, "--agent", "scripted:script.yaml", "--id", "q1"][..], &OPTIONS].concat());
    place
}

const SPLIT: &str = "replies:\n  - {seat: risk, ballot: {option: A}}\n  - {seat: value, ballot: {option: B}}\n  - {seat: effort, do: crash}\n";

/// An edited vote is not counted: the turn is no longer what was said, and comes back from the raw reply.
#[test]
fn an_edited_vote_is_noticed_and_undone() {
    let place = judged(SPLIT);
    place.forge(&["debate", "show", "q1"]).code(4).out("CONTESTED");
    let turn = "docs/forge/sadd/debate-q1-value-r2.md";
    let said = place.read(turn);
    place.edit(turn, |text| text.replace("\"option\": \"B\"", "\"option\": \"A\""));
    assert_ne!(place.read(turn), said);
    place.forge(&["gate", "q1"]).code(7).out("raw reply");
    place.forge(&["debate", "run", "q1"]).code(4).out("CONTESTED");
    assert_eq!(place.read(turn), said);
}

/// A turn and its raw reply edited alike leave the later turns' chain broken, and that is said.
#[test]
fn a_turn_forged_with_its_reply_breaks_the_chain() {
    let place = judged(SPLIT);
    place.forge(&["debate", "run", "q1", "--retry-absent"]);
    let header = "docs/forge/sadd/debate-q1-risk.md";
    place.edit(header, |text| text.replace("agent: \"scripted:script.yaml\"", "agent: \"somebody else\""));
    place.forge(&["debate", "status", "q1"]).code(7).out("made after another record");
}

/// A reopened debate shows no verdict of the past.
#[test]
fn a_reopened_debate_keeps_no_old_verdict() {
    let place = Place::new();
    place.write("script.yaml", "replies:\n  - {seat: value, do: crash}\n  - {seat: effort, do: crash}\n");
    let args = ["debate", QUESTION, "--agent", "scripted:script.yaml", "--seat", "effort=human", "--id", "q1"];
    place.forge(&[&args[..], &OPTIONS].concat()).code(3);
    assert!(!place.has("docs/forge/sadd/debate-q1-trail/verdict.json"));
}

/// An operator who says NO-GO under another heading still says NO-GO, and one who says nothing is not made to say GO.
#[test]
fn no_recommendation_is_invented() {
    for (text, expected) in [("NO-GO. We cannot run this.", "NO-GO"), ("One engineer for three weeks.", "")] {
        let place = Place::new();
        place.write(
            "script.yaml",
            format!("replies:\n  - seat: operator\n    say: |\n      ## Resource Requirements\n\n      {text} This needs a team that is not there, and nobody has said who pays for it after the first year.\n"),
        );
        let args = ["debate", QUESTION, "--protocol", "gate", "--agent", "scripted:script.yaml", "--id", "g1"];
        let options = ["--option", "Build it", "--option", "Buy it", "--option", "Wait"];
        let done = place.forge(&[&args[..], &options, &["--json"]].concat());
        let verdict = done.json();
        let operator = verdict["reasons"].as_array().unwrap().iter().find(|r| r["seat"] == "operator").unwrap().clone();
        assert_eq!(operator["stand"].as_str().unwrap_or(""), expected, "{done}");
    }
}

/// A question may look like anything, also like a line of the plan's own front matter.
#[test]
fn a_question_that_looks_like_a_status_line_does_no_harm() {
    let place = Place::new();
    let question = "Shall we keep the line\nstatus: \"pending\"\nin the report?";
    place.forge(&[&["debate", question, "--seed", "1", "--id", "q1"][..], &OPTIONS].concat());
    let done = place.forge(&["debate", "run", "q1"]);
    assert!(matches!(done.code, 0 | 4), "{done}");
}

/// What looks like a key is removed from supplied texts before anyone reads them.
#[test]
fn keys_in_supplied_texts_reach_no_file() {
    let place = Place::new();
    let key = "sk-test0123456789abcdefghij";
    place.write("notes.md", format!("The old key was {key}, do not use it."));
    let args = ["debate", QUESTION, "--context", "notes.md", "--id", "q1"];
    place.forge(&[&args[..], &OPTIONS].concat()).err("looks like a key");
    for (file, bytes) in place.tree().into_iter().filter(|(file, _)| file != "notes.md") {
        assert!(!String::from_utf8_lossy(&bytes).contains(key), "{file}");
    }
}
