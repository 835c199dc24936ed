//! The files are what counts: a gate that people and sessions outside fill, from the first stump to the last check.

use crate::place::{Done, Place, front};

const ADVOCATE: &str = include_str!("../data/advocate.md");
const SKEPTIC: &str = include_str!("../data/skeptic.md");
const OPERATOR: &str = include_str!("../data/operator.md");
const SYNTHESIS: &str = include_str!("../data/synthesis.md");

const HOME: &str = "docs/forge/debate/g1";

fn open(place: &Place) -> Done {
    place.forge(&[
        "debate",
        "Build or buy the billing service?",
        "--protocol",
        "gate",
        "--agent",
        "outside",
        "--id",
        "g1",
        "--option",
        "Build it",
        "--option",
        "Buy it",
        "--option",
        "Wait",
    ])
}

fn leave(place: &Place, file: &str, text: &str) {
    place.write(&format!("{HOME}/{file}"), text);
}

fn leave_all(place: &Place) {
    for (file, text) in
        [("advocate.md", ADVOCATE), ("skeptic.md", SKEPTIC), ("operator.md", OPERATOR), ("synthesis.md", SYNTHESIS)]
    {
        leave(place, file, text);
    }
}

fn remove(place: &Place, file: &str) {
    std::fs::remove_file(place.path(&format!("{HOME}/{file}"))).unwrap();
}

fn gate(place: &Place) -> Done {
    place.forge(&["gate", "g1"])
}

fn run(place: &Place) -> Done {
    place.forge(&["debate", "run", "g1"])
}

fn is_on_record(place: &Place, slug: &str) -> bool {
    place.has(&format!("{HOME}/trail/turns/{slug}.md"))
}

/// A gate whose four files are on record.
fn closed() -> Place {
    let place = Place::new();
    open(&place).code(3);
    leave_all(&place);
    run(&place).code(0).out("DECIDED: B");
    place
}

// seed: S0-42, S1-95
#[test]
fn the_whole_story() {
    let place = Place::new();
    open(&place).code(3);

    // A stump is long enough, and not yet; every section that it lacks is named.
    let stump = ADVOCATE.split("## Comparative Advantages").next().unwrap();
    assert!(stump.len() > 100);
    leave_all(&place);
    leave(&place, "advocate.md", stump);
    let done = run(&place).code(3).out("WAITING for advocate");
    for section in ["Comparative Advantages", "Success Criteria", "Risk Acceptance"] {
        assert!(done.err.contains(&format!("section \"{section}\" is missing")), "{done}");
        gate(&place).code(3).out(section);
        place.forge(&["debate", "--status", "--id", "g1"]).code(0).out("not yet").out(section);
    }
    for slug in ["case-r1-skeptic", "case-r1-operator", "case-r1-advocate"] {
        assert!(!is_on_record(&place, slug), "{slug}: nothing of a wave is taken in before all of it is complete");
    }

    // Finished, and anything may still be changed. The gate passes before anything is on record.
    leave(&place, "advocate.md", ADVOCATE);
    leave(&place, "skeptic.md", &SKEPTIC.replace("Skeptic", "The Skeptic"));
    let before = place.tree();
    gate(&place).code(0).out("PASSED").out("not on record yet").out("B (Buy it)");
    gate(&place).code(0);
    place.forge(&["gate", "g1", "--require-record"]).code(3).out("BLOCKED").out("forge debate run g1");
    place.forge(&["debate", "--status", "--id", "g1"]).code(0).out("complete").out("not on record yet");
    place.forge(&["show", "g1"]).code(0).out("not on record yet").out("DECIDED");
    place.forge(&["verify", "g1"]).code(0).out("not on record yet");
    place.forge(&["export", "g1"]).code(0).out("not on record yet");
    place.forge(&["debate", "list"]).code(0).out("decided").out("not on record yet");
    assert_eq!(place.tree(), before, "whoever only looks writes nothing");

    // An unclear decision is mended by editing it.
    leave(&place, "synthesis.md", &SYNTHESIS.replace("**Chosen Option:** B", "**Chosen Option:** A, B"));
    run(&place).code(3).out("BLOCKED").out("decision unclear").out("not on record yet");
    assert!(is_on_record(&place, "case-r1-advocate") && !is_on_record(&place, "synthesis-r1-synthesizer"));
    let plan = place.read(&format!("{HOME}/debate-plan.md"));
    assert_eq!(front(&plan, "status").as_deref(), Some("running"), "blocked is not complete");
    leave(&place, "synthesis.md", SYNTHESIS);
    run(&place).code(0).out("DECIDED: B (Buy it)");
    for slug in ["case-r1-skeptic", "case-r1-operator", "case-r1-advocate", "synthesis-r1-synthesizer"] {
        assert!(is_on_record(&place, slug), "{slug}");
    }
    let done = place.forge(&["gate", "g1", "--require-record", "--strict"]).code(0).out("PASSED");
    assert!(!done.out.contains("not on record"), "{done}");
    place.forge(&["verify", "g1"]).code(0);

    // From then on each file has to be there, and to be what was counted.
    remove(&place, "advocate.md");
    gate(&place).code(7).out("advocate.md").out("forge debate restore g1");
    place.forge(&["verify", "g1"]).code(7).out("advocate.md");
    place.forge(&["show", "g1"]).code(7);
    place.forge(&["debate", "status", "g1"]).code(7).out("advocate");
    place.forge(&["debate", "restore", "g1"]).code(0).out("advocate.md");
    assert_eq!(place.read(&format!("{HOME}/advocate.md")), ADVOCATE);
    gate(&place).code(0).out("PASSED");
    place.forge(&["verify", "g1"]).code(0);
    place.forge(&["debate", "restore", "g1"]).code(0).out("nothing to put back");

    leave(&place, "synthesis.md", &SYNTHESIS.replace("**Chosen Option:** B", "**Chosen Option:** A"));
    gate(&place).code(7).out("synthesis.md");
    place.forge(&["verify", "g1"]).code(7).out("synthesis.md");
    let done = place.forge(&["debate", "restore", "g1"]).code(0).out("synthesis.md");
    assert!(done.out.contains("trail/aside/synthesis-r1-synthesizer.1.md"), "what was written is kept: {done}");
    gate(&place).code(0).out("PASSED").out("B (Buy it)");
    place.forge(&["verify", "g1"]).code(0);
}

/// Everything that is missing is said at once. As it is it can be handed in all the same, and again until the wave closes.
#[test]
fn a_turn_is_handed_in_whole_or_as_it_is() {
    let place = Place::new();
    open(&place).code(3);
    let submit = |file: &str, more: &[&str]| {
        place.forge(&[&["turn", "submit", "g1", "advocate", "--file", file][..], more].concat())
    };
    let stump = ADVOCATE.split("## Comparative Advantages").next().unwrap();
    place.write("stump.md", format!("---\nauthor: dana\n---\n{stump}"));
    place.write("tiny.md", "# Advocate\n\nI am for it.\n");
    place.write("good.md", ADVOCATE);
    let done = submit("stump.md", &[]).code(2).err("--as-is");
    for section in ["Comparative Advantages", "Success Criteria", "Risk Acceptance"] {
        assert!(done.err.contains(section), "{done}");
    }
    assert!(!place.has(&format!("{HOME}/advocate.md")));
    submit("tiny.md", &["--as-is"]).code(2).err("at least 100");
    let done = submit("stump.md", &["--as-is"]).code(0).out("warning").out("Risk Acceptance");
    assert!(done.out.contains("forge debate run g1"), "{done}");
    place.forge(&["debate", "status", "g1"]).code(0).out("advocate (case, round 1)         handed in, sealed");

    // Other words take their place only where that is said; nothing that somebody wrote is lost.
    submit("good.md", &[]).code(7).err("--replace");
    submit("good.md", &["--replace"]).code(0).out("kept in your state folder");
    submit("stump.md", &["--as-is", "--replace"]).code(0);
    leave(&place, "skeptic.md", SKEPTIC);
    place.write("operator.md", OPERATOR);
    let done = place.forge(&["turn", "submit", "g1", "operator", "--file", "operator.md"]).code(0);
    assert!(done.out.contains(&format!("took in {HOME}/skeptic.md")), "with the last of them all are taken in: {done}");
    let text = place.read(&format!("{HOME}/advocate.md"));
    assert!(text.starts_with("---\nauthor: dana\nas_is: true\n---\n"), "{text}");
    submit("good.md", &[]).code(3).err("not asked now");
    place.forge(&["turn", "submit", "g1", "operator", "--file", "operator.md"]).code(0).out("on record already");
    leave(&place, "synthesis.md", SYNTHESIS);
    gate(&place).code(0).out("warning").out("Risk Acceptance").out("not on record yet: synthesizer");
    run(&place).code(0);
    gate(&place).code(0).out("warning").out("Risk Acceptance");
    place.forge(&["gate", "g1", "--strict"]).code(3);
    place.forge(&["verify", "g1"]).code(0);
    // What is put back is what was there, its own front matter included.
    remove(&place, "advocate.md");
    place.forge(&["debate", "restore", "g1"]).code(0);
    assert_eq!(place.read(&format!("{HOME}/advocate.md")), text);
}

// seed: S0-24, S0-82, S1-91, S1-92
#[test]
fn status_words_are_those_of_the_files() {
    let place = Place::new();
    open(&place).code(3);
    let status = || place.forge(&["debate", "--status", "--id", "g1", "--json"]).code(0).json();
    let plan = || front(&place.read(&format!("{HOME}/debate-plan.md")), "status").unwrap();
    assert_eq!(status()["status"], "pending");
    leave(&place, "advocate.md", "\n \n");
    assert_eq!(status()["status"], "pending", "a file without words is none");
    leave(&place, "advocate.md", "# Advo");
    assert_eq!(status()["status"], "running");
    assert_eq!(status()["open"][0]["standing"], "not yet");
    assert_eq!(status()["open"][1]["standing"], "missing");
    run(&place).code(3).out("WAITING");
    assert_eq!(plan(), "running");
    leave_all(&place);
    leave(&place, "synthesis.md", &SYNTHESIS.replace("**Chosen Option:** B", "**Chosen Option:** A, B"));
    let blocked = status();
    assert_eq!((&blocked["status"], &blocked["debate_gate_passed"]), (&"running".into(), &false.into()));
    assert!(blocked["blocks"][0].as_str().unwrap().contains("decision unclear"), "{blocked}");
    assert!(blocked["next"][0].as_str().unwrap().contains("synthesis.md"), "{blocked}");
    leave(&place, "synthesis.md", SYNTHESIS);
    let passed = status();
    assert_eq!((&passed["status"], &passed["debate_gate_passed"]), (&"complete".into(), &true.into()));
    assert_eq!(plan(), "running", "whoever only looks writes nothing");
    run(&place).code(0);
    assert_eq!(plan(), "complete");
    assert_eq!(status()["not_on_record"], serde_json::json!([]));
}

/// A seat that did not speak leaves no file, and whoever writes one is heard when it is asked again.
#[test]
fn an_absence_leaves_no_role_file() {
    let place = Place::new();
    place.write("crash.yaml", "replies:\n  - {seat: advocate, do: crash}\n  - {ballot: {option: B}}\n");
    let args = ["debate", "Build or buy?", "--protocol", "gate", "--id", "g1", "--agent", "scripted:crash.yaml"];
    let options = ["--option", "Build it", "--option", "Buy it", "--option", "Wait"];
    place.forge(&[&args[..], &options].concat()).code(5).out("INSUFFICIENT");
    assert!(!place.has(&format!("{HOME}/advocate.md")) && place.has(&format!("{HOME}/skeptic.md")));
    assert!(is_on_record(&place, "case-r1-advocate"));
    place.forge(&["verify", "g1"]).code(0);
    gate(&place).code(3).out("advocate");
    let status = place.forge(&["debate", "status", "g1"]).code(0).out("absent");
    assert!(status.out.contains("running"), "incomplete is never complete: {status}");
    leave(&place, "advocate.md", ADVOCATE);
    gate(&place).code(3);
    place.forge(&["debate", "run", "g1", "--retry-absent"]);
    assert_eq!(place.read(&format!("{HOME}/advocate.md")), ADVOCATE, "it is not put aside");
    assert!(place.read(&format!("{HOME}/trail/turns/case-r1-advocate.md")).contains("kind: \"left\""));
    place.forge(&["verify", "g1"]).code(0);
}

/// What was closed has a record: without it nothing that lies there is believed.
#[test]
fn a_record_that_is_gone_does_not_hold() {
    let place = closed();
    std::fs::remove_dir_all(place.path(&format!("{HOME}/trail"))).unwrap();
    gate(&place).code(7);
    place.forge(&["verify", "g1"]).code(7);

    let place = closed();
    std::fs::remove_dir_all(place.path(&format!("{HOME}/trail/turns"))).unwrap();
    gate(&place).code(7).out("trail/turns/case-r1-advocate.md: it is gone");
    place.forge(&["debate", "restore", "g1"]).code(7);
    std::fs::remove_file(place.path(&format!("{HOME}/trail/verdict.json"))).unwrap();
    place.write(
        "docs/forge/knowledge/decisions.md",
        "# Decisions\n\n## D1: Buy it\n- Phase: brainstorm\n- Debate: g1\n- Decision: Buy it\n",
    );
    gate(&place).code(7).out("decisions.md").out("record is gone");
    place.forge(&["verify", "g1"]).code(7).out("decisions.md");

    // A turn with forge's own header, whose reply is gone.
    let place = Place::new();
    let args = ["debate", "Build or buy?", "--protocol", "gate", "--id", "g1", "--agent", "rehearsal"];
    let options = ["--option", "Build it", "--option", "Buy it", "--option", "Wait"];
    place.forge(&[&args[..], &options].concat());
    place.forge(&["gate", "g1", "--allow-rehearsal"]).code(0);
    std::fs::remove_file(place.path(&format!("{HOME}/trail/replies/case-r1-skeptic.1.md"))).unwrap();
    gate(&place).code(7).out("skeptic.md");
    place.forge(&["verify", "g1"]).code(7);
    place.forge(&["debate", "restore", "g1"]).code(7);
}

/// What lies at a seat's place before the debate is made speaks for nobody.
#[test]
fn a_debate_is_not_made_over_files_that_lie_at_its_places() {
    const OLD: &str =
        "**Chosen Option:** B\n\n**Confidence:** HIGH\n\n**Reason:** The team has run it for nine years.\n";
    for (protocol, file) in [
        ("judges", "docs/forge/sadd/debate-d1-risk.md"),
        ("judges", "docs/forge/sadd/debate-d1-value-r2.md"),
        ("judges", "docs/forge/sadd/debate-d1-result.yaml"),
        ("panel", "docs/forge/debate/d1/positions/contrarian.md"),
        ("gate", "docs/forge/debate/d1/advocate.md"),
    ] {
        for agent in ["rehearsal", "outside"] {
            let place = Place::new();
            place.write(file, OLD);
            let args = ["debate", "Build or buy?", "--protocol", protocol, "--agent", agent, "--id", "d1"];
            let done = place.forge(&[&args[..], &["--option", "A", "--option", "B", "--option", "C"]].concat()).code(2);
            assert!(
                done.err.contains("from before this debate") && done.err.contains("--id"),
                "{protocol} {file}: {done}"
            );
            assert_eq!(place.read(file), OLD);
        }
    }
    // A name of forge's own choice goes on to the next; another debate's files are none of this one's.
    let place = Place::new();
    place.write("docs/forge/sadd/debate-build-or-buy-risk.md", OLD);
    place.write("docs/forge/sadd/debate-d1-2-risk.md", OLD);
    let args = ["debate", "Build or buy?", "--option", "A", "--option", "B", "--agent", "rehearsal"];
    place.forge(&args);
    assert!(
        place.files().iter().any(|file| file.ends_with("sadd/debate-build-or-buy-2-plan.md")),
        "{:?}",
        place.files()
    );
    place.forge(&[&args[..], &["--id", "d1"]].concat());
    assert!(place.files().iter().any(|file| file.ends_with("sadd/debate-d1-plan.md")), "{:?}", place.files());
}
