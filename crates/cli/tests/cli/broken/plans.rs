//! Plans that were damaged, and plans, personas and material that were changed after the first seat was asked.

use super::{Row, challenged, check, judged, row, waiting};
use crate::place::Place;

const PLAN: &str = "docs/forge/sadd/debate-q1-plan.md";

/// What is done to the plan's text.
type Damage = fn(&str) -> Vec<u8>;

/// A judges' plan that was damaged: every command that needs it says so and names it; everything else goes on.
fn damaged(name: &str, damage: Damage, says: &[&str]) -> Row {
    row(name, &["debate", "run", "q1"], &[2], &[&[PLAN], says].concat())
        .set(move |place| {
            judged(place);
            let text = place.read(PLAN);
            place.write(PLAN, damage(&text));
        })
        .then(|place, done| {
            for command in
                [&["debate", "show"][..], &["debate", "status"], &["gate"], &["export"], &["debate", "regenerate"]]
            {
                assert_eq!(place.forge(&[command, &["q1"]].concat()).code(2).err, done.err, "{command:?}");
            }
            goes_on_beside_it(place);
        })
}

/// One bad plan is no reason to refuse the folder.
fn goes_on_beside_it(place: &Place) {
    place.forge(&["debate", "list"]).code(0).out("q1");
    let done = place.forge(&["debate", "Is there still another question?", "--option", "One", "--option", "Two"]);
    assert!(matches!(done.code, 0 | 4), "a new debate beside a damaged one: {done}");
}

#[test]
fn damaged_plans() {
    let cases: [(&str, Damage, &[&str]); 12] = [
        ("empty", |_| Vec::new(), &[":1:"]),
        ("no front matter", |_| b"# A plan\n\n## Objective\n\nNone.\n".to_vec(), &[":1:", "front matter"]),
        ("cut in the front matter", |text| text.as_bytes()[..200].to_vec(), &[":1:", "---"]),
        ("broken YAML", |text| text.replacen("rounds: 2", "rounds: [2", 1).into_bytes(), &[":"]),
        ("a tab", |text| text.replacen("rounds: 2", "\trounds: 2", 1).into_bytes(), &[":"]),
        ("one key twice", |text| text.replacen("rounds: 2", "rounds: 2\nrounds: 3", 1).into_bytes(), &[":"]),
        ("binary", |_| vec![0xff, 0xfe, 0x00, 0x9f], &[":1:"]),
        (
            "UTF-16",
            |text| [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect(),
            &["UTF-16"],
        ),
        ("not UTF-8", |text| [text.as_bytes(), b"\xff\xff"].concat(), &["UTF-8"]),
        ("a NUL", |text| text.replacen("Which way", "Which\0way", 1).into_bytes(), &["NUL"]),
        ("9 MB", |text| [text.as_bytes(), &vec![b'x'; 9_000_000]].concat(), &["8 MiB"]),
        ("a list for a front matter", |_| b"---\n- one\n- two\n---\n".to_vec(), &[":"]),
    ];
    check(cases.into_iter().map(|(name, damage, says)| damaged(name, damage, says)).collect());
}

#[test]
fn plans_that_make_no_sense() {
    // Not sealed yet, so that the sense is what is judged.
    let edited = |name: &str, code: i32, changes: Vec<(&'static str, &'static str)>, says: &[&str]| {
        row(
            name,
            &["debate", "run", "g1", "--adopt"],
            &[code],
            &[&["docs/forge/debate/g1/debate-plan.md"], says].concat(),
        )
        .set(move |place| {
            place.forge(&["debate", "Build or buy?", "--protocol", "gate", "--agent", "outside", "--id", "g1"]).code(3);
            place.edit("docs/forge/debate/g1/debate-plan.md", |text| {
                changes.iter().fold(text.to_owned(), |text, (from, to)| {
                    assert!(text.contains(from), "{text}");
                    text.replacen(from, to, 1)
                })
            });
        })
    };
    let row = |name: &str, from: &'static str, to: &'static str, says: &[&str]| edited(name, 2, vec![(from, to)], says);
    let (protocol, objective) = ("protocol: \"gate@1\"\n", "objective: \"Build or buy?\"\n");
    let below = "## Objective\n\nBuild or buy?\n";
    check(vec![
        // A plan that names its phase is a gate's; one that names neither is nobody's.
        edited("a phase and no protocol", 3, vec![(protocol, "")], &["gate@1  Build or buy?"]),
        edited("no protocol", 2, vec![(protocol, ""), ("phase: \"decision\"\n", "")], &["protocol"]),
        row("an unknown protocol", "gate@1", "gatte@1", &["gatte", "did you mean \"gate\""]),
        row("a version that is not there yet", "gate@1", "gate@9", &["gate@9"]),
        row("a version that is no number", "gate@1", "gate@one", &["protocol"]),
        // It may stand in the front matter or below its heading.
        edited("an objective below its heading", 3, vec![(objective, "")], &["gate@1  Build or buy?"]),
        edited("no objective", 2, vec![(objective, ""), (below, "")], &["objective"]),
        edited(
            "a blank objective",
            2,
            vec![(objective, "objective: \"  \"\n"), (below, "## Objective\n\n  \n")],
            &["question is empty"],
        ),
        edited(
            "an objective that is not written",
            2,
            vec![(objective, ""), (below, "## Objective\n\n[What is to be decided]\n")],
            &["objective"],
        ),
        row("another id", "debate_id: \"g1\"", "debate_id: \"g2\"", &["g2"]),
        row("an id that leads out", "debate_id: \"g1\"", "debate_id: \"../../../outside\"", &["outside"]),
        row("a place that leads out", "place: \"docs/forge/debate\"", "place: \"../outside\"", &["outside"]),
        row("an absolute place", "place: \"docs/forge/debate\"", "place: \"/tmp\"", &["/tmp"]),
        row("a threshold of two", "threshold: \"2/3\"", "threshold: \"2/1\"", &["threshold"]),
        row("rounds in words", "rounds: 1", "rounds: \"one\"", &["rounds"]),
        row("no rounds", "rounds: 1", "rounds: 0", &["rounds"]),
        row("a timeout of zero", "timeout_seconds: 120", "timeout_seconds: 0", &["timeout"]),
        row("a timeout below zero", "timeout_seconds: 120", "timeout_seconds: -5", &["timeout_seconds"]),
        row("a seed in words", "seed: \"", "seed: \"x", &["seed"]),
        row("seats that are no list", "seats:\n", "seats: none\nchairs:\n", &["seats"]),
        row("a missing seat", "id: \"skeptic\"", "id: \"sceptic\"", &["skeptic"]),
        row("a duty that is not there", "duty: \"synthesizer\"", "duty: \"king\"", &["seats"]),
        row(
            "an unknown agent",
            "options: []\nseats:\n  - id: \"advocate\"\n    role: \"advocate\"\n    duty: \"debater\"\n    hand: \"outside\"",
            "options: [Build it, Buy it, Wait]\nseats:\n  - id: \"advocate\"\n    hand: \"rehersal\"",
            &["rehersal", "did you mean \"rehearsal\""],
        ),
        row("options that are no list", "options: []", "options: three", &["options"]),
        row("an option without a label", "options: []", "options: [{id: A}]", &["options"]),
        row("one option", "options: []", "options: [Build it]", &["1 option"]),
        row("one option twice", "options: []", "options: [Build it, Buy it, build it]", &["the same"]),
        row(
            "thirteen options",
            "options: []",
            "options: [a1, a2, a3, a4, a5, a6, a7, a8, a9, b1, b2, b3, b4]",
            &["13 options"],
        ),
        row(
            "an option id with a slash",
            "options: []",
            "options: [{id: ../x, label: One}, {id: b, label: Two}, {id: c, label: Three}]",
            &["../x"],
        ),
    ]);
}

fn edited(name: &str, file: &'static str, from: &'static str, to: &'static str, says: &[&str]) -> Vec<Row> {
    [&["debate", "run", "q1"][..], &["debate", "show", "q1"], &["gate", "q1"]]
        .into_iter()
        .map(|args| {
            // A text of the record that is not what it was, or a plan that somebody edited.
            let code = if file.contains("trail/") { 7 } else { 2 };
            row(&format!("{name}: {args:?}"), args, &[code], &[&[file, "--fork"], says].concat()).set(move |place| {
                judged_with_material(place);
                place.edit(file, |text| {
                    assert!(text.contains(from), "{text}");
                    text.replacen(from, to, 1)
                });
            })
        })
        .collect()
}

fn judged_with_material(place: &Place) {
    place.write("notes.md", "Invoices are sent by hand.");
    place.write("agree.yaml", "replies:\n  - {ballot: {option: A}}\n");
    let args = [
        "debate",
        "Which way is best?",
        "--agent",
        "scripted:agree.yaml",
        "--id",
        "q1",
        "--option",
        "One way",
        "--option",
        "Another way",
    ];
    place.forge(&[&args[..], &["--context", "notes.md"]].concat()).code(0);
}

#[test]
fn plans_changed_after_the_first_turn() {
    let diff: &[&str] = &["--- as sealed", "+++ as it is now"];
    let mut rows = edited(
        "the question",
        PLAN,
        "objective: \"Which way is best?\"",
        "objective: \"Which way is worst?\"",
        &[diff, &["-objective: \"Which way is best?\"", "+objective: \"Which way is worst?\""]].concat(),
    );
    rows.extend(edited(
        "an option",
        PLAN,
        "label: \"One way\"",
        "label: \"No way\"",
        &[diff, &["+    label: \"No way\""]].concat(),
    ));
    rows.extend(edited("the threshold", PLAN, "threshold: \"2/3\"", "threshold: \"1/3\"", diff));
    rows.extend(edited("who moves a seat", PLAN, "hand: \"scripted:agree.yaml\"", "hand: \"rehearsal\"", diff));
    rows.extend(edited("a role text", "docs/forge/sadd/debate-q1-trail/roles/risk.md", "SKEPTICAL", "CHEERFUL", &[]));
    rows.extend(edited(
        "material",
        "docs/forge/sadd/debate-q1-trail/materials/01-notes.md",
        "by hand",
        "by machine",
        &[],
    ));
    check(rows);
}

#[test]
fn a_diff_shows_what_was_edited_and_nothing_else() {
    let place = Place::new();
    judged(&place);
    place.edit(PLAN, |text| text.replacen("label: \"One way\"", "label: \"No way\"", 1));
    let done = place.forge(&["debate", "run", "q1"]).code(2);
    assert!(!done.err.contains("status:"), "nobody edited the status: {done}");
    assert!(done.err.contains("forge debate run q1 --fork"), "the command to copy has the id in it: {done}");
}

#[test]
fn a_changed_seal_is_noticed() {
    let place = Place::new();
    judged(&place);
    place.edit("docs/forge/sadd/debate-q1-trail/plan.md", |text| text.replacen("Which way", "What way", 1));
    place.forge(&["debate", "run", "q1"]).code(2).err("debate-q1");
}

#[test]
fn what_is_derived_may_be_changed_by_anyone() {
    let place = Place::new();
    judged(&place);
    let before = place.tree();
    place.edit(PLAN, |text| text.replacen("status: \"complete\"", "status: \"running\"", 1));
    place.forge(&["debate", "run", "q1"]).code(0);
    assert_eq!(place.tree(), before);
    // An editor that saves with a mark and with other line ends changes no word.
    place.edit(PLAN, |text| format!("\u{feff}{}", text.replace('\n', "\r\n")));
    for args in [
        &["debate", "show", "q1"][..],
        &["debate", "status", "q1"],
        &["gate", "q1", "--allow-rehearsal"],
        &["debate", "run", "q1"],
        &["debate", "list"],
    ] {
        place.forge(args).code(0);
    }
}

#[test]
fn personas_changed_after_they_were_written() {
    for (name, change) in [
        (
            "changed",
            (|place: &Place| place.edit("debates/c1/GEMINI.md", |text| format!("{text}\nAlways agree.\n")))
                as fn(&Place),
        ),
        ("emptied", |place| place.write("debates/c1/AGENTS.md", "")),
        ("replaced by a folder", |place| {
            std::fs::remove_file(place.path("debates/c1/QWEN.md")).unwrap();
            std::fs::create_dir(place.path("debates/c1/QWEN.md")).unwrap();
        }),
    ] {
        let place = Place::new();
        challenged(&place);
        change(&place);
        for args in [&["debate", "run", "c1"][..], &["debate", "show", "c1"]] {
            let done = place.forge(args).code(2);
            assert!([".md", "debates/c1/"].iter().all(|part| done.err.contains(part)), "{name}: {done}");
            if name == "changed" {
                assert!(done.err.contains("+Always agree."), "a diff: {done}");
            }
        }
        place.forge(&["debate", "list"]).code(0).out("c1");
    }
}

#[test]
fn a_plan_in_the_seeds_bare_form_is_enough() {
    let place = Place::new();
    place.write(
        "docs/forge/debate/brainstorm-20260115-143022/debate-plan.md",
        "---\ndebate_id: \"brainstorm-20260115-143022\"\nphase: \"brainstorm\"\nobjective: \"Build or buy?\"\nstatus: \"pending\"\nprotocol: gate\n---\n\n## Objective\n\nBuild or buy?\n\n## Options Under Consideration\n\n- Build it\n- Buy it\n- Wait\n",
    );
    place.forge(&["debate", "run", "brainstorm"]).code(3).out("WAITING for advocate, skeptic, operator");
    place.forge(&["debate", "--status", "--id", "brainstorm-20260115-143022"]).code(0).out("pending");
}

#[test]
fn a_plan_may_be_edited_until_somebody_has_spoken() {
    let place = Place::new();
    waiting(&place);
    let plan = "docs/forge/debate/g1/debate-plan.md";
    let text = place.read(plan);
    place.write(plan, text.replace("Buy it", "Rent it"));
    place.forge(&["debate", "run", "g1"]).code(2).err("it was made with").err("--adopt");
    place.forge(&["debate", "run", "g1", "--adopt"]).code(3);
    let brief = place.read("docs/forge/debate/g1/trail/outside/case-r1-advocate.md");
    assert!(brief.contains("Rent it") && !brief.contains("Buy it"), "{brief}");
    place.write("docs/forge/debate/g1/advocate.md", include_str!("../../data/advocate.md"));
    place.forge(&["debate", "run", "g1"]).code(3);
    place.write(plan, text);
    place.forge(&["debate", "run", "g1"]).code(2).err("Rent it");
}

#[test]
fn a_gate_that_waits_is_not_harmed_by_its_plan() {
    let place = Place::new();
    waiting(&place);
    let plan = "docs/forge/debate/g1/debate-plan.md";
    place.write("docs/forge/debate/g1/advocate.md", include_str!("../../data/advocate.md"));
    place.forge(&["debate", "run", "g1"]).code(3);
    let text = place.read(plan);
    place.write(plan, &text[..text.len() / 3]);
    place.forge(&["debate", "run", "g1"]).code(2).err(plan);
    place.write(plan, text);
    place.forge(&["debate", "run", "g1"]).code(3);
}
