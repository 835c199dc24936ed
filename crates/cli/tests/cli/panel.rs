//! A panel through the binary: what decides, what does not, and what stands above the answer.

use crate::place::{Done, Place};

const QUESTION: &str = "Rewrite or refactor the parser?";
const SEATS: [&str; 6] = ["ceo", "cto", "cfo", "coo", "contrarian", "moonshot"];

/// The five parts of a synthesis that holds.
const PARTS: [(&str, &str); 5] = [
    ("Chosen Approach", "Option A (Rewrite), since the old one cannot report lines."),
    ("Rejected Alternatives", "Refactor: it keeps the two passes that make it slow."),
    ("Dissents", "- contrarian: the tests do not cover it.\n- moonshot: a generated one would go further."),
    (
        "Risk Register",
        "| Risk | Probability | Impact | Owner |\n|---|---|---|---|\n| It takes twice as long | 2 | 2 | cto |",
    ),
    ("Confidence", "MEDIUM, since nobody measured it."),
];

fn synthesis(parts: &[(&str, &str)]) -> String {
    let sections: String = parts.iter().map(|(title, body)| format!("## {title}\n\n{body}\n\n")).collect();
    format!(
        "{sections}```json\n{{\"option\": \"A\", \"confidence\": \"MEDIUM\", \"reason\": \"It reports lines and halves the time\"}}\n```\n"
    )
}

fn without(part: &str) -> String {
    synthesis(&PARTS.into_iter().filter(|(title, _)| *title != part).collect::<Vec<_>>())
}

/// Four seats for A, the contrarian and the moonshot for B, and this synthesis; `more` entries of a script come first.
fn held(more: &str, synthesis: &str, flags: &[&str]) -> (Place, Done) {
    let place = Place::new();
    let said: String = synthesis.lines().map(|line| format!("      {line}\n")).collect();
    let mut script = format!("replies:\n{more}  - stage: synthesis\n    say: |\n{said}");
    for seat in SEATS {
        let option = if ["contrarian", "moonshot"].contains(&seat) { "B" } else { "A" };
        for stage in ["position", "response"] {
            script.push_str(&format!("  - {{seat: {seat}, stage: {stage}, ballot: {{option: {option}}}}}\n"));
        }
    }
    place.write("script.yaml", script);
    let args = ["debate", QUESTION, "--protocol", "panel", "--roster", "board", "--rounds", "2", "--id", "p1"];
    let rest = ["--option", "Rewrite", "--option", "Refactor", "--agent", "scripted:script.yaml"];
    let done = place.forge(&[&args[..], &rest, flags].concat());
    (place, done)
}

// seed: S2-17, S2-18, S2-19, S2-20, S2-21
#[test]
fn a_synthesis_that_lacks_a_part_never_decides() {
    let (place, whole) = held("", &synthesis(&PARTS), &[]);
    whole.code(0).out("DECIDED: A (Rewrite)").out("confidence MEDIUM");
    assert!(place.forge(&["verify", "p1"]).code(0).out.contains("HOLDS"));
    for (part, _) in PARTS {
        let (place, done) = held("", &without(part), &[]);
        let done = done.code(4).out("CONTESTED: A (Rewrite) has the votes after 2 rounds, but there is no synthesis");
        let degraded = done.out.lines().find(|line| line.starts_with("DEGRADED")).unwrap_or_default();
        assert!(degraded.contains("ceo (synthesis)") && degraded.contains(part), "{part}: {degraded}");
        // It was asked for again, once, with what was missing.
        let asked = place.read("docs/forge/debate/p1/trail/briefs/synthesis-r0-ceo.2.md");
        assert!(
            asked.contains("Your reply missed its form") && asked.contains(&format!("section \"{part}\"")),
            "{part}"
        );
        place.forge(&["verify", "p1"]).code(0);
    }
}

// seed: S2-19
#[test]
fn a_dissenter_that_the_synthesis_does_not_name_is_missed() {
    let dissents = |body: &'static str| {
        let parts: Vec<(&str, &str)> = PARTS
            .into_iter()
            .map(|(title, text)| if title == "Dissents" { (title, body) } else { (title, text) })
            .collect();
        synthesis(&parts)
    };
    let cto = "  - {seat: cto, stage: response, ballot: {option: A, dissent: \"Nobody has counted the cost of it\"}}\n";
    // "Refactor", "director" and "vector" hold the letters of cto and name nobody.
    for body in [
        "- contrarian, moonshot: Refactor first.",
        "- contrarian, moonshot: ask the director for a vector.",
        "- contrarian and moonshot.",
    ] {
        held(cto, &dissents(body), &[]).1.code(4).out("section \"Dissents\" does not name cto");
    }
    for body in
        ["- CTO: the cost.\n- Contrarian: no.\n- Moonshot: more.", "**cto**, contrarian and moonshot hold otherwise."]
    {
        held(cto, &dissents(body), &[])
            .1
            .code(0)
            .out("DECIDED")
            .out("dissent    cto (A): Nobody has counted the cost of it");
    }
}

// seed: S2-26
#[test]
fn a_panel_that_did_not_hear_contrarian_and_moonshot_decides_nothing() {
    for (seat, stage) in
        [("contrarian", "position"), ("moonshot", "position"), ("contrarian", "response"), ("moonshot", "response")]
    {
        let gone = format!("  - {{seat: {seat}, stage: {stage}, do: crash}}\n");
        let (place, done) = held(&gone, &synthesis(&PARTS), &[]);
        done.code(4).out(&format!("CONTESTED: {seat} did not speak")).out("DEGRADED");
        let verdict = place.forge(&["show", "p1", "--json"]).code(4).json();
        assert_eq!(verdict["contested_because"]["seats"][0], seat, "{stage}");
    }
    let both = "  - {seat: contrarian, do: crash}\n  - {seat: moonshot, do: crash}\n";
    held(both, &synthesis(&PARTS), &[]).1.code(4).out("CONTESTED: contrarian and moonshot did not speak");
    // One round unheard is not all of them.
    let once = "  - {seat: contrarian, stage: response, round: 1, do: crash}\n";
    held(once, &synthesis(&PARTS), &[]).1.code(0).out("DEGRADED").out("DECIDED");
}

// seed: S2-41
#[test]
fn a_response_without_a_challenge_counts_and_is_named_above_the_answer() {
    let mute = "  - {seat: cfo, stage: response, ballot: {option: A, challenges: []}}\n";
    let (place, done) = held(mute, &synthesis(&PARTS), &[]);
    let done = done.code(0).out("OWED       cfo (2 turns): no position is challenged").out("DECIDED: A (Rewrite)");
    assert!(done.out.find("OWED") < done.out.find("DECIDED"), "{done}");
    let asked = place.read("docs/forge/debate/p1/trail/briefs/response-r1-cfo.2.md");
    assert!(asked.contains("no position is challenged"), "it was asked for twice");
    let verdict = place.forge(&["show", "p1", "--json"]).json();
    assert_eq!(verdict["owed"][0]["seat"], "cfo");
    assert_eq!(verdict["owed"][0]["turns"].as_array().map(Vec::len), Some(2));
    for seat in SEATS {
        let option = if ["contrarian", "moonshot"].contains(&seat) { "B" } else { "A" };
        let mute = format!("  - {{seat: {seat}, stage: response, ballot: {{option: {option}, challenges: []}}}}\n");
        let owed = format!("OWED       {seat} (2 turns): no position is challenged");
        held(&mute, &synthesis(&PARTS), &[]).1.out(&owed);
    }
}

#[test]
fn an_absent_referee_or_reviewer_is_a_note_below_the_answer() {
    for gone in ["  - {seat: referee, do: crash}\n", "  - {seat: cfo, stage: review, do: crash}\n"] {
        let done = held(gone, &synthesis(&PARTS), &[]).1.code(0).out("DECIDED").out("crashed");
        assert!(!done.out.contains("DEGRADED"), "{done}");
    }
}

// seed: S2-35, S2-36
#[test]
fn the_seeds_table_of_calls_stands_above_forges_own() {
    let place = Place::new();
    let args =
        ["debate", QUESTION, "--protocol", "panel", "--roster", "board", "--option", "Rewrite", "--option", "Refactor"];
    let plan = place.forge(&[&args[..], &["--agent", "rehearsal", "--dry-run"]].concat()).code(0);
    let table: Vec<Vec<&str>> = plan.out.lines().map(|line| line.split_whitespace().collect()).collect();
    for row in [["Phase", "1", "6", "6"], ["Phase", "2", "12", "60"], ["Phase", "3", "7", "12"]] {
        assert!(table.iter().any(|line| line[..] == row), "{row:?}: {plan}");
    }
    assert!(table.iter().any(|line| line[..] == ["Total", "25", "78"]), "{plan}");
    let own = table.iter().position(|line| line[..] == ["Total", "25", "135"]).expect("forge's own total");
    assert!(own > table.iter().position(|line| line[..] == ["Total", "25", "78"]).unwrap());
    assert!(plan.out.contains("Phase 3: synthesis, reviews, correction       6     12"), "{plan}");
    // And in the plan that it writes.
    place.forge(&[&args[..], &["--agent", "outside", "--id", "p1"]].concat()).code(3);
    let written = place.read("docs/forge/debate/p1/plan.md");
    for row in ["| Phase 1 | 6 | 6 |", "| Phase 2 | 12 | 60 |", "| Phase 3 | 7 | 12 |", "| Total | 25 | 78 |"] {
        assert!(written.contains(row), "{row}: {written}");
    }
}

/// Who moves the referee where nobody says so.
#[test]
fn the_referee_is_moved_by_an_agent_that_does_not_write_the_synthesis() {
    let place = Place::new();
    let script = "replies:\n  - {stage: position}\n";
    place.write("one.yaml", script);
    place.write("two.yaml", script);
    let args =
        ["debate", QUESTION, "--protocol", "panel", "--roster", "board", "--option", "A", "--option", "B", "--dry-run"];
    let referee = |flags: &[&str]| -> String {
        let plan = place.forge(&[&args[..], &["--json"], flags].concat()).code(0).json();
        let seats = plan["seats"].as_array().unwrap().clone();
        seats.iter().find(|seat| seat["id"] == "referee").unwrap()["hand"].as_str().unwrap().to_owned()
    };
    assert_eq!(referee(&["--agent", "outside"]), "outside");
    assert_eq!(referee(&["--agent", "scripted:one.yaml"]), "scripted:one.yaml");
    assert_eq!(referee(&["--agent", "scripted:one.yaml", "--seat", "cfo=scripted:two.yaml"]), "scripted:two.yaml");
    assert_eq!(referee(&["--agent", "outside", "--seat", "cto=scripted:one.yaml"]), "scripted:one.yaml");
    assert_eq!(
        referee(&["--agent", "scripted:one.yaml", "--synthesizer", "cto", "--seat", "cto=scripted:two.yaml"]),
        "scripted:one.yaml"
    );
    assert_eq!(referee(&["--agent", "outside", "--seat", "referee=human"]), "human");
}
