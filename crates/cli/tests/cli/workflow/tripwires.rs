//! `forge tripwires` with criteria that a model may have written to do harm, and what scripts may rely on.

use super::{NOW, repository};
use crate::place::{Done, Place};

const DECISIONS: &str = "docs/forge/knowledge/decisions.md";
const RUN: [&str; 3] = ["tripwires", "--check", "--run-commands"];
const OPTIONS: &str = "# Options\n\n## Options\n\n- Files: as today\n- Redis: one server\n- Postgres: a table\n";
const GATE: &str = "docs/forge/debate/brainstorm-20260127-100000";

/// Writes decisions, each with one criterion whose label lines are these.
fn decide(place: &Place, criteria: &[&str]) {
    let decision = |(at, labels): (usize, &&str)| {
        let labels = labels.replace('\n', "\n    ");
        format!("## D{}: Use it\n\n- Status: locked\n- Kill-switch:\n  - errors: over 1%\n    {labels}\n", at + 1)
    };
    let text: Vec<String> = criteria.iter().enumerate().map(decision).collect();
    place.write(DECISIONS, format!("# Decisions\n\n{}", text.join("\n")));
}

/// A folder with a decision whose criterion has these label lines.
fn with(labels: &str) -> Place {
    let place = Place::new().with("FORGE_NOW", NOW);
    decide(&place, &[labels]);
    place
}

/// How the first criterion stands, and why.
fn standing(done: &Done) -> (String, String) {
    let first = &done.json()["tripwires"][0];
    let text = |key: &str| first[key].as_str().unwrap_or_default().to_owned();
    (text("standing"), text("detail"))
}

fn run_as_json(place: &Place) -> Done {
    place.forge(&["tripwires", "--check", "--run-commands", "--json"])
}

#[test]
fn a_command_is_shown_as_it_runs() {
    let command = format!("true {} && touch  \"at the end\"", "a".repeat(400));
    let place = with(&format!("- Check: `{command}`"));
    place.forge(&["tripwires"]).code(0).out(&format!("check (not run; --check --run-commands runs it): {command}\n"));
    place.forge(&RUN).code(0).out(&format!("check (ran): {command}\n")).out("D1.1       holds");
    assert!(place.has("at the end"));
}

#[test]
fn a_command_that_cannot_be_shown_is_never_run() {
    let long = format!("touch ran #{}", "x".repeat(500));
    for (command, why) in [
        (long.as_str(), "511 characters, more than 500"),
        ("touch ran\t# aside", "cannot be seen"),
        ("touch ran #\u{2028}aside", "cannot be seen"),
        ("touch\nran", "several lines"),
    ] {
        let place = with(&format!("- Check: `{}`", command.replace('\n', "\n  ")));
        let listed = place.forge(&["tripwires"]).code(0).out("check (never run): touch");
        assert!(!listed.out.contains(['\t', '\u{2028}']), "{listed}");
        place.forge(&RUN).code(3).out("D1.1       unknown: errors: over 1%").out("check (never run): touch").out(why);
        let (word, detail) = standing(&run_as_json(&place).code(3));
        assert!(word == "unknown" && detail.contains(why), "{word}: {detail}");
        assert!(!place.has("ran"), "{command:?}");
    }
}

#[test]
fn a_command_sees_no_keys() {
    let mut place = with("- Check: `env > seen; exit 1`");
    for (name, value) in [
        ("OPENAI_API_KEY", "sk-secret123456789012345678"),
        ("AWS_SECRET_ACCESS_KEY", "hidden"),
        ("FORGE_AGENT", "rehearsal"),
        ("LD_PRELOAD", ""),
        ("LANG", "C"),
        ("LC_TIME", "C"),
        ("TERM", "dumb"),
        ("USER", "ada"),
        ("TMPDIR", "/tmp"),
    ] {
        place.set(name, value);
    }
    place.forge(&RUN).code(3);
    let seen = place.read("seen");
    let mut names: Vec<&str> = seen.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    names.sort_unstable();
    // The shell adds where it stands.
    names.retain(|name| !matches!(*name, "PWD" | "OLDPWD" | "SHLVL" | "_"));
    assert_eq!(names, ["HOME", "LANG", "LC_TIME", "PATH", "TERM", "TMPDIR", "USER"]);
}

#[test]
fn keys_that_a_command_prints_are_blotted_out() {
    for code in ["1", "127"] {
        let command = format!("printf 'found %s%s' sk-sec ret123456789012345678; exit {code}");
        let place = with(&format!("- Check: `{command}`"));
        let (_, detail) = standing(&run_as_json(&place).code(3));
        assert!(detail.contains("found [key removed]"), "{detail}");
        let done = place.forge(&RUN).code(3).out("found [key removed]").out(&format!("check (ran): {command}\n"));
        assert!(!done.out.contains("sk-secret"), "{done}");
    }
}

/// What is not shown must not run: whatever stands for a key on the screen, the shell would have got something else.
#[test]
fn a_command_with_a_key_is_never_run_and_shown_nowhere() {
    let private = ["PRIVATE", "KEY"].join(" ");
    for (command, secret) in [
        (format!("true \"-----BEGIN {private}-----\"; touch ran"), private.as_str()),
        ("touch ran sk-secret123456789012345678".to_owned(), "sk-secret"),
        ("touch ran; curl https://me:hunter2345@host/".to_owned(), "hunter2345"),
    ] {
        let place = with(&format!("- Check: `{command}`\n- Detection: {command}\n- Fallback: {command}"));
        place.edit(DECISIONS, |text| text.replace("errors: over 1%", &format!("errors of {command}: over 1%")));
        let listed = [
            place.forge(&["tripwires"]).code(0).out("check (never run): t").out("holds what looks like a key"),
            place.forge(&["tripwires", "--json"]).code(0).out("[key removed]"),
            place.forge(&RUN).code(3).out("check (never run): t").out("holds what looks like a key"),
            run_as_json(&place).code(3),
        ];
        for done in &listed {
            assert!(!done.out.contains(secret) && !done.err.contains(secret), "{done}");
        }
        let (word, detail) = standing(&listed[3]);
        assert!(word == "unknown" && detail.contains("cannot be shown"), "{word}: {detail}");
        assert!(!place.has("ran"), "{command:?}");
    }
}

#[test]
fn what_cannot_be_told_is_not_well() {
    for command in ["no-such-program-here", "kill -9 $$"] {
        let place = with(&format!("- Check: `{command}`"));
        assert_eq!(standing(&run_as_json(&place).code(3)).0, "unknown");
        place.forge(&["tripwires", "--check"]).code(0);
    }
}

#[test]
fn a_day_that_has_come_counts_also_without_an_answer() {
    let place = with("- Check: `no-such-program-here`\n- Due: 2026-01-01");
    let (word, detail) = standing(&run_as_json(&place).code(3));
    assert!(word == "due" && detail.contains("cannot be run"), "{word}: {detail}");
    place.forge(&RUN).code(3).out("cannot be run").out("look whether D1.1 tripped");
    let place = with("- Check: `no-such-program-here`\n- Due: 2026-12-01");
    assert_eq!(standing(&run_as_json(&place).code(3)).0, "unknown");
    let place = with("- Check: `true`\n- Due: 2026-01-01");
    assert_eq!(standing(&run_as_json(&place).code(0)).0, "holds");
}

#[test]
fn one_that_tripped_is_told_although_nothing_can_be_reopened() {
    let told = |place: &Place, why: &str| {
        place.forge(&RUN).code(3).out("D1.1       tripped").err("D1.1 tripped").err(why);
        assert_eq!(standing(&run_as_json(place).code(3).err(why)).0, "tripped");
        place.forge(&["tripwires", "--trip", "D1.1"]).code(2).err(why);
    };
    told(&with("- Check: `false`"), "forge start");

    let place = repository();
    place.forge(&["start", "Pick a session store"]).code(0);
    decide(&place, &["- Check: `false`", "- Check: `true`"]);
    place.forge(&["tripwires", "--trip", "D2.1"]).code(0).out("D2 is reopened");
    told(&place, "D2 is being debated again already");

    let place = repository();
    place.write("workflows/forge-workflow.json", r#"{"name": "short", "replace": true, "phases": [{"id": "draft"}]}"#);
    place.forge(&["start", "Answer the landlord"]).code(0);
    decide(&place, &["- Check: `false`"]);
    place.edit("docs/forge/phases/draft.md", |text| {
        text.replace("[ ]", "[x]").replace(": to be written]", " is written.").replace("\n[", "\n")
    });
    place.forge(&["continue"]).code(0);
    place.forge(&["status"]).code(0).out("complete");
    told(&place, "completed");
}

#[test]
fn a_criterion_of_a_debate_has_a_length() {
    const TEXTS: [(&str, &str); 4] = [
        ("advocate", include_str!("../../../../testkit/fixtures/stub-ao/texts/advocate.md")),
        ("skeptic", include_str!("../../../../testkit/fixtures/stub-ao/texts/skeptic.md")),
        ("operator", include_str!("../../../../testkit/fixtures/stub-ao/texts/operator.md")),
        ("synthesis", include_str!("../../../../testkit/fixtures/stub-ao/texts/synthesis.md")),
    ];
    let place = repository();
    place.forge(&["start", "Pick a session store"]).code(0);
    place.forge(&["continue"]).code(0);
    place.write("docs/forge/brainstorm-options.md", OPTIONS);
    place.forge(&["continue"]).code(3);
    let criterion = format!(
        "- {}: over 1%\n  - Check: `true {}`\n  - Due: 2026-12-01\n",
        "errors ".repeat(1000).trim(),
        "y".repeat(3000)
    );
    for (role, text) in TEXTS {
        let text = text.replace("- More than 2 rollbacks in a month: stop and go back.\n", &criterion);
        place.write(&format!("{GATE}/{role}.md"), text);
    }
    place.forge(&["continue"]).code(0);
    let listed = place.forge(&["tripwires", "--json"]).code(0).json();
    let wire = &listed["tripwires"][0];
    assert!(wire["condition"].as_str().unwrap().chars().count() <= 1000, "{wire}");
    assert!(wire["command"].is_null() && wire["due"] == "2026-12-01", "{wire}");
    let decisions = place.read(DECISIONS);
    assert!(!decisions.contains("yyyy"), "{decisions}");
}
