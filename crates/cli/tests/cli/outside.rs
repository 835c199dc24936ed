//! People and sessions outside: briefs written, files awaited, taken in whole, never half. And a person's decision.

use crate::place::{Done, Place, front};

const ADVOCATE: &str = include_str!("../data/advocate.md");
const SKEPTIC: &str = include_str!("../data/skeptic.md");
const OPERATOR: &str = include_str!("../data/operator.md");
const SYNTHESIS: &str = include_str!("../data/synthesis.md");
const JUDGE: &str = include_str!("../data/judge.md");

const QUESTION: &str = "Build or buy the billing service?";
const HOME: &str = "docs/forge/debate/g1";

fn open_gate(place: &Place) -> Done {
    open_with(place, &["--option", "Build it", "--option", "Buy it", "--option", "Wait"])
}

fn open_with(place: &Place, more: &[&str]) -> Done {
    place.forge(&[&["debate", QUESTION, "--protocol", "gate", "--agent", "outside", "--id", "g1"][..], more].concat())
}

fn go_on(place: &Place) -> Done {
    place.forge(&["debate", "run", "g1"])
}

fn leave(place: &Place, file: &str, text: &str) {
    place.write(&format!("{HOME}/{file}"), text);
}

fn leave_cases(place: &Place) {
    for (file, text) in [("advocate.md", ADVOCATE), ("skeptic.md", SKEPTIC), ("operator.md", OPERATOR)] {
        leave(place, file, text);
    }
}

// seed: S0-16, S0-78, S0-79, S0-80
#[test]
fn a_gate_waits_for_outside_seats_and_tells_where() {
    let place = Place::new();
    let done = open_gate(&place).code(3).out("WAITING for advocate, skeptic, operator").out("forge debate run g1");
    for seat in ["advocate", "skeptic", "operator"] {
        assert!(done.out.contains(&format!("{HOME}/{seat}.md")), "{done}");
        let brief = place.read(&format!("{HOME}/trail/outside/case-r1-{seat}.md"));
        assert!(brief.contains(&format!("{HOME}/{seat}.md")) && brief.contains("forge turn submit g1"), "{brief}");
        assert!(brief.contains(QUESTION) && brief.contains("# The form of your reply"), "{brief}");
        assert!(
            done.out.contains(&format!("trail/outside/case-r1-{seat}.md")),
            "whoever waits learns where the brief is: {done}"
        );
    }
    assert!(
        !place.has(&format!("{HOME}/trail/outside/synthesis-r1-synthesizer.md")),
        "the second wave is not asked yet"
    );
    assert_eq!(front(&place.read(&format!("{HOME}/debate-plan.md")), "status").as_deref(), Some("pending"));
    let json = place.forge(&["debate", "run", "g1", "--json"]).code(3).json();
    assert_eq!(json["status"], "pending", "running is at least one role file");
    assert_eq!(json["waiting_for"].as_array().unwrap().len(), 3, "{json}");
    assert_eq!(json["waiting_for"][0]["file"], format!("{HOME}/advocate.md"));
    place.forge(&["gate", "g1"]).code(3).out("BLOCKED").out("advocate.md");
    place.forge(&["debate", "show", "g1"]).code(3).out("forge debate run g1");
    place.forge(&["export", "g1"]).code(3).err("no verdict");
}

// seed: S0-2, S0-81
#[test]
fn plain_files_in_the_seeds_spelling_pass_the_gate() {
    let place = Place::new();
    open_gate(&place).code(3);
    leave_cases(&place);
    go_on(&place).code(3).out("WAITING for synthesizer").err("taken in");
    let brief = place.read(&format!("{HOME}/trail/outside/synthesis-r1-synthesizer.md"));
    assert!(
        brief.contains("sold?") && brief.contains("invoice customers this quarter"),
        "the synthesizer reads all three: {brief}"
    );
    leave(&place, "synthesis.md", SYNTHESIS);
    let done = go_on(&place).code(0).out("DECIDED: B (Buy it)");
    assert!(!done.out.contains("blocks") && !done.out.contains("REHEARSAL"), "{done}");
    for (file, text) in
        [("advocate.md", ADVOCATE), ("skeptic.md", SKEPTIC), ("operator.md", OPERATOR), ("synthesis.md", SYNTHESIS)]
    {
        assert_eq!(place.read(&format!("{HOME}/{file}")), text, "somebody's file stays as it is");
    }
    place.forge(&["gate", "g1"]).code(0).out("PASSED").out("B (Buy it)");
    place.forge(&["gate", "g1", "--strict"]).code(0).out("PASSED");
    let before = place.tree();
    go_on(&place).code(0);
    open_gate(&place).code(0);
    assert_eq!(place.tree(), before);
}

// seed: S0-15
#[test]
fn the_same_command_goes_on_too() {
    let place = Place::new();
    open_gate(&place).code(3);
    leave_cases(&place);
    leave(&place, "synthesis.md", SYNTHESIS);
    open_gate(&place).code(0).out("DECIDED: B");
}

// seed: S0-82
#[test]
fn half_a_file_is_not_yet() {
    let place = Place::new();
    open_gate(&place).code(3);
    leave_cases(&place);
    leave(&place, "skeptic.md", "# Skeptic\n\n## Critical Qu");
    let before = place.read(&format!("{HOME}/skeptic.md"));
    let done = go_on(&place).code(3).out("WAITING for skeptic").err("not a turn yet").err("at least 100");
    assert!(done.out.contains("advocate, operator: not on record yet"), "{done}");
    assert_eq!(place.read(&format!("{HOME}/skeptic.md")), before, "not yet is no reason to touch it");
    let status = place.forge(&["debate", "status", "g1"]).code(0);
    assert!(
        status.out.contains("not yet: docs/forge/debate/g1/skeptic.md") && status.out.contains("at least 100"),
        "{status}"
    );
    place.forge(&["gate", "g1"]).code(3).out("skeptic.md: not yet");
    leave(&place, "skeptic.md", SKEPTIC);
    go_on(&place).code(3).out("WAITING for synthesizer");
}

/// Syntheses that do not decide, and the words that say why.
fn undecided() -> Vec<(&'static str, String, Vec<&'static str>)> {
    let tbd = SYNTHESIS
        .replace("**Chosen Option:** B", "**Chosen Option:** TBD")
        .replace("Buying sends invoices", "It sends invoices");
    vec![
        ("unclear", tbd, vec!["decision unclear", "TBD"]),
        (
            "no threshold",
            SYNTHESIS.replace("more than 5 % in any month", "too much"),
            vec!["no kill-switch condition has a number or a date"],
        ),
        (
            "two options",
            SYNTHESIS.replace("**Chosen Option:** B", "**Chosen Option:** A, B"),
            vec!["decision unclear", "names A, B"],
        ),
    ]
}

/// Syntheses that are not written to the end, and the words that say why.
fn unwritten() -> Vec<(&'static str, String, &'static str)> {
    let fallback = "Invoices by hand, as until now, for at most one quarter.";
    let fenced = SYNTHESIS.replace("## 4. Decision Criteria", "```\n## 4. Decision Criteria\n```");
    vec![
        ("a heading in a fence", fenced, "\"Decision Criteria\" is missing"),
        ("no fallback", SYNTHESIS.replace("## 6. Fallback Plan", "## 6. Otherwise"), "\"Fallback Plan\" is missing"),
        ("a placeholder", SYNTHESIS.replace(fallback, "[What to do]"), "\"Fallback Plan\" is not written yet"),
        ("an empty section", SYNTHESIS.replace(fallback, ""), "\"Fallback Plan\" is empty"),
    ]
}

fn blocked(text: &str) -> (Place, Done) {
    let place = Place::new();
    open_gate(&place).code(3);
    leave_cases(&place);
    leave(&place, "synthesis.md", text);
    let done = go_on(&place).code(3).out("BLOCKED");
    (place, done)
}

// seed: S0-44, S1-88
#[test]
fn a_synthesis_that_does_not_decide_blocks() {
    for (name, text, words) in undecided() {
        let (place, done) = blocked(&text);
        let gate = place.forge(&["gate", "g1"]).code(3).out("BLOCKED");
        for word in words {
            assert!(done.out.contains(word) && gate.out.contains(word), "{name}: no {word:?} in {done} or {gate}");
        }
        assert_eq!(
            front(&place.read(&format!("{HOME}/debate-plan.md")), "status").as_deref(),
            Some("running"),
            "{name}: S0's status"
        );
    }
}

// seed: S0-18, S0-43, S1-87, S1-90
#[test]
fn a_synthesis_without_its_sections_is_not_yet() {
    for (name, text, words) in unwritten() {
        let place = Place::new();
        open_gate(&place).code(3);
        leave_cases(&place);
        leave(&place, "synthesis.md", &text);
        let done = go_on(&place).code(3).out("WAITING for synthesizer");
        let gate = place.forge(&["gate", "g1"]).code(3).out("BLOCKED");
        assert!(done.err.contains(words) && gate.out.contains(words), "{name}: no {words:?} in {done} or {gate}");
        leave(&place, "synthesis.md", SYNTHESIS);
        go_on(&place).code(0).out("DECIDED: B (Buy it)");
    }
}

// seed: S0-47
#[test]
fn what_blocks_can_be_mended() {
    for (name, text, _) in undecided() {
        let (place, done) = blocked(&text);
        assert!(done.out.contains("mend docs/forge/debate/g1/synthesis.md, then: forge debate run g1"), "{done}");
        leave(&place, "synthesis.md", SYNTHESIS);
        let gate = place.forge(&["gate", "g1"]);
        assert_eq!(gate.code, 0, "{name}: mended as the hint says, and still: {gate}");
        go_on(&place).code(0).out("DECIDED: B (Buy it)");
    }
}

#[test]
fn findings_name_the_line_of_the_file_that_was_left() {
    let (place, done) = blocked(&undecided().remove(0).1);
    let line = SYNTHESIS.lines().position(|line| line.contains("Final Decision")).unwrap() + 1;
    let place_named = format!("synthesis.md:{line}: decision unclear");
    assert!(done.out.contains(&place_named), "no {place_named:?}: {done}");
    place.forge(&["gate", "g1"]).code(3).out(&place_named);
}

// seed: S0-35
#[test]
fn reasons_are_sentences_and_no_headings() {
    let place = Place::new();
    open_gate(&place).code(3);
    leave_cases(&place);
    leave(&place, "synthesis.md", SYNTHESIS);
    let done = go_on(&place).code(0);
    assert!(!done.out.contains('#'), "a heading in the place of a reason: {done}");
    assert!(
        done.out.contains("Buying sends invoices this quarter"),
        "the synthesizer's own ground is not told: {done}"
    );
}

// seed: S0-33
#[test]
fn an_unanswered_no_go_blocks() {
    let place = Place::new();
    open_gate(&place).code(3);
    leave_cases(&place);
    leave(
        &place,
        "operator.md",
        &OPERATOR.replace("GO, if the monthly export is set up", "NO-GO until the monthly export is set up"),
    );
    leave(&place, "synthesis.md", SYNTHESIS);
    go_on(&place).code(3).out("NO-GO");
}

#[test]
fn what_falls_short_warns_and_blocks_when_strict() {
    let place = Place::new();
    open_gate(&place).code(3);
    leave_cases(&place);
    leave(&place, "advocate.md", &ADVOCATE.replace("## Key Strengths", "One. Two. Three. Four.\n\n## Key Strengths"));
    leave(&place, "synthesis.md", SYNTHESIS);
    go_on(&place).code(0).out("warning").out("Core Argument");
    place.forge(&["gate", "g1"]).code(0).out("PASSED").out("warning");
    place.forge(&["gate", "g1", "--strict"]).code(3).out("BLOCKED").out("blocks");
}

#[test]
fn a_turn_is_submitted_whole_or_not_at_all() {
    let place = Place::new();
    open_gate(&place).code(3);
    place.write("drafts/bad.md", "# Advocate\n\nI am for it.\n");
    place.write("drafts/good.md", ADVOCATE);
    let before = place.tree();
    place
        .forge(&["turn", "submit", "g1", "advocate", "--file", "drafts/bad.md"])
        .code(2)
        .err("not a turn of advocate")
        .err("at least 100");
    place
        .forge(&["turn", "submit", "g1", "advocat", "--file", "drafts/good.md"])
        .code(2)
        .err("did you mean \"advocate\"");
    place
        .forge(&["turn", "submit", "g1", "synthesizer", "--file", "drafts/good.md"])
        .code(3)
        .err("not asked now")
        .err("advocate");
    place.forge(&["turn", "submit", "nobody", "advocate", "--file", "drafts/good.md"]).code(2).err("forge debate list");
    place.forge(&["turn", "submit", "g1", "advocate", "--file", "drafts/none.md"]).code(2).err("drafts/none.md");
    assert_eq!(place.tree().len(), before.len(), "nothing of a refused turn is left");
    let done = place.forge(&["turn", "submit", "g1", "advocate", "--file", "drafts/good.md"]).code(0);
    assert!(done.out.contains(&format!("{HOME}/advocate.md")) && done.out.contains("forge debate run g1"), "{done}");
    assert!(!place.path(&format!("{HOME}/advocate.md")).exists(), "nobody reads it before all have spoken");
    let json = place
        .forge_fed(&["turn", "submit", "g1", "skeptic", "--file", "-", "--json"], SKEPTIC.as_bytes())
        .code(0)
        .json();
    assert_eq!(json["file"], format!("{HOME}/skeptic.md"));
    // The same again is done already; other words do not take its place unasked.
    place.forge(&["turn", "submit", "g1", "advocate", "--file", "drafts/good.md"]).code(0);
    place.write("drafts/other.md", format!("{ADVOCATE}\nOne more thing."));
    let other = ["turn", "submit", "g1", "advocate", "--file", "drafts/other.md"];
    assert_eq!(place.forge(&[&other[..], &["--json"]].concat()).code(7).json()["error"]["code"], "other_text");
    place.forge(&[&other[..], &["--replace"]].concat()).code(0);
    go_on(&place).code(3).out("WAITING for operator");
    place.forge_fed(&["turn", "submit", "g1", "operator", "--file", "-"], OPERATOR.as_bytes()).code(0);
    assert_eq!(place.read(&format!("{HOME}/advocate.md")), format!("{ADVOCATE}\nOne more thing."));
}

#[test]
fn a_submitted_turn_replaces_a_half_written_one() {
    let place = Place::new();
    open_gate(&place).code(3);
    leave(&place, "advocate.md", "# Advo");
    place.write("good.md", ADVOCATE);
    place.forge(&["turn", "submit", "g1", "advocate", "--file", "good.md"]).code(0);
    assert!(!place.path(&format!("{HOME}/advocate.md")).exists());
    assert_eq!(
        place.read(&format!("{HOME}/trail/aside/case-r1-advocate.1.md")),
        "# Advo",
        "nothing that somebody wrote is lost"
    );
}

// seed: S1-96
#[test]
fn nothing_goes_on_over_a_changed_file_of_a_closed_wave() {
    let place = Place::new();
    open_gate(&place).code(3);
    leave_cases(&place);
    go_on(&place).code(3);
    leave(&place, "advocate.md", &ADVOCATE.replace("Buying is", "Building is"));
    std::fs::remove_file(place.path(&format!("{HOME}/skeptic.md"))).unwrap();
    leave(&place, "synthesis.md", SYNTHESIS);
    go_on(&place).code(7).err("was changed since it was taken in").err("forge debate restore g1");
    place.forge(&["gate", "g1"]).code(7).out("advocate.md").out("skeptic.md");
    place.forge(&["debate", "restore", "g1"]).code(0).out("advocate.md").out("skeptic.md");
    go_on(&place).code(0).out("DECIDED");
}

#[test]
fn without_options_outside_seats_wait_for_a_person_to_list_them() {
    let place = Place::new();
    let done = open_with(&place, &[]).code(3).out("WAITING for framer").out("debate-plan.md").out("at least 3");
    assert!(!done.out.contains("WAITING for advocate"), "{done}");
    assert_eq!(open_with(&place, &["--json"]).code(3).json()["needs"], "options");
    place.forge(&["debate", "show", "g1", "--json"]).code(3);
    place.forge(&["gate", "g1"]).code(3).out("no options");
    let plan = format!("{HOME}/debate-plan.md");
    place.edit(&plan, |text| {
        let (before, after) = text.split_once("## Options Under Consideration\n").unwrap();
        let rest = after.split_once("\n## Role Prompts").unwrap().1;
        format!("{before}## Options Under Consideration\n\n- A: Build it - with our own team\n- B: Buy it\n- C: Wait\n\n## Role Prompts{rest}")
    });
    go_on(&place).code(3).out("WAITING for advocate, skeptic, operator");
    let brief = place.read(&format!("{HOME}/trail/outside/case-r1-advocate.md"));
    assert!(brief.contains("Buy it") && brief.contains("with our own team"), "{brief}");
    leave_cases(&place);
    leave(&place, "synthesis.md", SYNTHESIS);
    go_on(&place).code(0).out("DECIDED: B (Buy it)");
}

// seed: S0-7
#[test]
fn too_few_listed_options_are_named() {
    let place = Place::new();
    open_with(&place, &[]).code(3);
    place.edit(&format!("{HOME}/debate-plan.md"), |text| {
        let (before, after) = text.split_once("## Options Under Consideration\n").unwrap();
        let rest = after.split_once("\n## Role Prompts").unwrap().1;
        format!("{before}## Options Under Consideration\n\n- A: Build it\n- B: Buy it\n\n## Role Prompts{rest}")
    });
    go_on(&place).code(2).err("debate-plan.md").err("2 options; gate needs at least 3");
}

#[test]
fn a_person_may_hold_one_seat() {
    let place = Place::new();
    let args = ["debate", QUESTION, "--option", "Build it", "--option", "Buy it", "--seat", "risk=human", "--id", "q1"];
    let done = place.forge(&args).code(3).out("WAITING for risk");
    let file = "docs/forge/sadd/debate-q1-risk.md";
    assert!(done.out.contains(file), "{done}");
    for seat in ["value", "effort"] {
        assert!(!place.has(&format!("docs/forge/sadd/debate-q1-{seat}.md")), "the person speaks first");
    }
    assert!(place.has("docs/forge/sadd/debate-q1-trail/outside/opening-r1-risk.md"));
    place.write(file, JUDGE);
    let done = place.forge(&args);
    assert!(done.out.contains("risk       B  Buying can be undone") || done.out.contains("WAITING for risk"), "{done}");
    let status = place.forge(&["debate", "status", "q1", "--json"]).code(0).json();
    assert_eq!(status["turns"].as_array().unwrap().len() % 3, 0, "{status}");
}

// seed: S3-19
#[test]
fn seeds_spellings_vote() {
    for (spelling, option) in [
        ("**Chosen Option:** B", "B"),
        ("**Recommended Option:** Option B", "B"),
        ("**Recommendation:** Buy it", "B"),
        ("- **Chosen Option**: A (Build it)", "A"),
    ] {
        let place = Place::new();
        let options =
            ["--option", "Build it", "--option", "Buy it", "--rounds", "1", "--agent", "outside", "--id", "q1"];
        place.forge(&[&["debate", QUESTION][..], &options].concat()).code(3);
        let text = JUDGE.replace("**Recommended Option:** Option B", spelling);
        for seat in ["risk", "value", "effort"] {
            place.write(&format!("docs/forge/sadd/debate-q1-{seat}.md"), &text);
        }
        let done = place.forge(&["debate", "run", "q1"]);
        assert!(done.code == 0 && done.out.contains(&format!("CONSENSUS: {option} ")), "{spelling}: {done}");
    }
}

#[test]
fn prose_does_not_vote() {
    let place = Place::new();
    let options = ["--option", "Build it", "--option", "Buy it", "--agent", "outside", "--id", "q1"];
    place.forge(&[&["debate", QUESTION][..], &options].concat()).code(3);
    for seat in ["risk", "value", "effort"] {
        place.write(
            &format!("docs/forge/sadd/debate-q1-{seat}.md"),
            "I would choose option B, because it is clearly the best of all.\n".repeat(5),
        );
    }
    place.forge(&["debate", "run", "q1"]).code(3).out("WAITING for risk, value, effort").err("no recommendation");
}

/// Judges who are contested, by a script.
fn contested(place: &Place) {
    place.write("split.yaml", "replies:\n  - {seat: risk, ballot: {option: A}}\n  - {seat: value, ballot: {option: B}}\n  - {seat: effort, ballot: {option: C}}\n");
    let options = ["--option", "Build it", "--option", "Buy it", "--option", "Wait"];
    place
        .forge(&[&["debate", QUESTION, "--agent", "scripted:split.yaml", "--id", "q1"][..], &options].concat())
        .code(4)
        .out("CONTESTED")
        .out("Which option would you like to proceed with?")
        .out("forge debate decide q1 A|B|C");
}

// seed: S3-10, S3-44
#[test]
fn a_person_decides_what_is_contested() {
    let place = Place::new().with("USER", "dana");
    contested(&place);
    place.forge(&["gate", "q1"]).code(3).out("forge debate decide q1");
    let done = place.forge(&["debate", "decide", "q1", "buy it", "--because", "we need invoices this quarter"]).code(0);
    assert!(done.out.contains("DECIDED by dana: B (Buy it), because we need invoices this quarter"), "{done}");
    for seat in ["risk", "value", "effort"] {
        assert!(done.out.contains(seat), "the split is kept: {done}");
    }
    let verdict = place.json("docs/forge/sadd/debate-q1-trail/verdict.json");
    assert_eq!(verdict["outcome"], "decided");
    assert_eq!(verdict["decided_by"]["name"], "dana", "{}", verdict["decided_by"]);
    assert_eq!(verdict["distribution"], serde_json::json!({"A": ["risk"], "B": ["value"], "C": ["effort"]}));
    let decision = place.read("docs/forge/sadd/debate-q1-decision.md");
    assert!(decision.contains("dana") && front(&decision, "answered_at").is_some(), "{decision}");
    place.forge(&["debate", "show", "q1"]).code(0).out("DECIDED by dana");
    place.forge(&["debate", "run", "q1"]).code(0).out("DECIDED by dana");
    place.forge(&["gate", "q1"]).code(3).out("a rehearsal passes no gate");
    place.forge(&["gate", "q1", "--allow-rehearsal"]).code(0).out("PASSED");
    place.forge(&["export", "q1", "--format", "yaml"]).code(0).out("decided_by: \"dana\"");
    place.forge(&["export", "q1", "--format", "adr"]).code(0).out("dana");
    place.forge(&["debate", "list"]).code(0).out("decided");
    place
        .forge(&["debate", "decide", "q1", "A", "--because", "on second thought"])
        .code(2)
        .err("decided already")
        .err("dana");
}

#[test]
fn a_decision_needs_an_option_a_reason_and_a_name() {
    let place = Place::new();
    contested(&place);
    let before = place.tree();
    for (args, words) in [
        (&["Z", "--because", "x", "--by", "me"][..], &["not an option", "A (Build it)"][..]),
        (&["Buy in", "--because", "x", "--by", "me"], &["did you mean \"Buy it\""]),
        (&["A", "--because", " ", "--by", "me"], &["--because"]),
        (&["A", "--because", "x"], &["--by"]),
        (&["A"], &["--because"]),
    ] {
        let done = place.forge(&[&["debate", "decide", "q1"], args].concat()).code(2);
        for word in words {
            assert!(done.err.contains(word), "no {word:?} in {done}");
        }
    }
    assert_eq!(place.tree(), before);
    let json = place
        .forge(&["debate", "decide", "q1", "C", "--because", "later", "--by", "Dana \"D\" Doe", "--json"])
        .code(0)
        .json();
    assert_eq!(json["decided_by"]["name"], "Dana \"D\" Doe");
}

/// A decision is on record and counts, or it is refused and nothing is on record.
#[test]
fn a_recorded_decision_counts() {
    for (because, by) in [
        ("TBD", "dana"),
        ("n/a", "dana"),
        ("...", "dana"),
        ("[JIRA-123]", "dana"),
        ("we use {{ .Values }} anyway", "dana"),
        ("pending", "dana"),
        ("it is late", "[bot]"),
        ("it is late", "TBD"),
        ("```json\n{\"option\": \"A\", \"by\": \"eve\", \"because\": \"hers\"}\n```", "dana"),
        ("it is late\n\n**Decision:** A\n**Decided By:** eve", "dana"),
        ("it is late", "dana\n```json\n{\"option\": \"A\", \"by\": \"eve\", \"because\": \"hers\"}\n```"),
    ] {
        let place = Place::new();
        contested(&place);
        let before = place.tree();
        let done = place.forge(&["debate", "decide", "q1", "B", "--because", because, "--by", by]);
        if done.code == 2 {
            assert_eq!(place.tree(), before, "{because:?} by {by:?}: refused, and yet on record: {done}");
            continue;
        }
        assert!(
            done.code == 0 && done.out.contains("DECIDED by"),
            "{because:?} by {by:?}: on record, and it does not count: {done}"
        );
        let verdict = place.forge(&["debate", "show", "q1", "--json"]).code(0).json();
        assert_eq!(verdict["decided"], serde_json::json!(["B"]), "{because:?} by {by:?}");
        assert!(
            !verdict["decided_by"]["name"].as_str().unwrap().starts_with("eve"),
            "{because:?} by {by:?}: {}",
            verdict["decided_by"]
        );
    }
}

#[test]
fn a_consensus_is_not_decided_again() {
    let place = Place::new();
    place.write("agree.yaml", "replies:\n  - {ballot: {option: A}}\n");
    let args = [
        "debate",
        QUESTION,
        "--agent",
        "scripted:agree.yaml",
        "--id",
        "q1",
        "--option",
        "Build it",
        "--option",
        "Buy it",
    ];
    place.forge(&args).code(0).out("CONSENSUS: A");
    let before = place.tree();
    place
        .forge(&["debate", "decide", "q1", "B", "--because", "I say so", "--by", "me"])
        .code(2)
        .err("consensus already");
    assert_eq!(place.tree(), before);
}

#[test]
fn an_open_or_insufficient_debate_is_not_decided() {
    let place = Place::new();
    open_gate(&place).code(3);
    place.forge(&["debate", "decide", "g1", "B", "--because", "I say so", "--by", "me"]).code(2).err("no verdict yet");
    place.write("crash.yaml", "replies:\n  - {do: crash}\n");
    let args = [
        "debate",
        QUESTION,
        "--agent",
        "scripted:crash.yaml",
        "--id",
        "q1",
        "--option",
        "Build it",
        "--option",
        "Buy it",
    ];
    place.forge(&args).code(5);
    place
        .forge(&["debate", "decide", "q1", "B", "--because", "I say so", "--by", "me"])
        .code(2)
        .err("too few")
        .err("--retry-absent");
}

#[test]
fn a_tradeoff_is_decided_by_a_person() {
    let place = Place::new();
    place.write("maintain.yaml", "replies:\n  - {stage: challenge, ballot: {verdict: disagree, objection_strength: strong}}\n  - {stage: rebuttal, ballot: {response: MAINTAIN}}\n");
    let args = [
        "debate",
        QUESTION,
        "--protocol",
        "challenge",
        "--agent",
        "scripted:maintain.yaml",
        "--rounds",
        "1",
        "--option",
        "Build it",
        "--option",
        "Buy it",
    ];
    place.forge(&args).code(4).out("TRADEOFF");
    place
        .forge(&["debate", "decide", "001-build", "A", "--because", "we know how", "--by", "dana"])
        .code(0)
        .out("DECIDED by dana: A (Build it)");
    assert!(place.has("debates/001-build-or-buy-the-billing-service/decision.md"));
}

/// A host that cannot put a turn into a command leaves it in a file, which goes when it is in.
#[test]
fn a_draft_is_taken_away_once_it_is_handed_in() {
    let place = Place::new().with("GEMINI_CLI", "1");
    let args = ["debate", "Build or buy?", "--protocol", "judges", "--agent", "outside", "--id", "d1"];
    place.forge(&[&args[..], &["--option", "Build it", "--option", "Buy it"]].concat()).code(3);
    let words = "**Recommended Option:** Build it\n**Confidence Level:** LOW\n\n**Rationale:** It can be undone within a week.\n";
    let draft = "docs/forge/turns/opening-r1-risk.md";
    let submit = |more: &[&str]| {
        place.forge(&[&["turn", "submit", "d1", "risk", "--turn", "opening-r1-risk", "--file", draft], more].concat())
    };
    place.write(draft, "nothing of a turn\n");
    submit(&[]).code(2);
    assert!(place.has(draft), "what was not taken stays");
    place.write(draft, words);
    submit(&["--as-is", "--check"]).code(0);
    assert!(place.has(draft), "a check takes nothing");
    submit(&["--as-is"]).code(0);
    assert!(!place.has(draft));
    // A file of one's own stays.
    place.write("mine.md", words);
    place.forge(&["turn", "submit", "d1", "value", "--as-is", "--file", "mine.md"]).code(0);
    assert!(place.has("mine.md"));
}

/// Codex and Qwen name a subagent to its own shell; that goes on record, and claims no guard.
#[test]
fn a_subagent_that_its_shell_names_is_on_record() {
    let cases = [
        (vec![("CODEX_THREAD_ID", "t-2"), ("CODEX_SESSION_ID", "t-1")], Some("codex/t-2")),
        (vec![("CODEX_THREAD_ID", "t-1"), ("CODEX_SESSION_ID", "t-1")], None),
        (vec![("QWEN_CODE", "1"), ("QWEN_CODE_AGENT_ID", "seat-7")], Some("qwen/seat-7")),
        (vec![("QWEN_CODE", "1"), ("QWEN_CODE_AGENT_ID", "a b\"c")], None),
    ];
    for (variables, expected) in cases {
        let place = variables.iter().fold(Place::new(), |place, (name, value)| place.with(name, value));
        let args = ["debate", "Build or buy?", "--protocol", "judges", "--agent", "outside", "--id", "d1"];
        place.forge(&[&args[..], &["--option", "Build it", "--option", "Buy it"]].concat()).code(3);
        for seat in ["risk", "value", "effort"] {
            let words = format!(
                "**Recommended Option:** Build it\n**Confidence Level:** LOW\n\n**Rationale:** The {seat} of it can be undone within a week.\n"
            );
            place.forge_fed(&["turn", "submit", "d1", seat, "--as-is", "--file", "-"], words.as_bytes()).code(0);
        }
        place.forge(&["debate", "run", "d1"]);
        let shown = place.forge(&["show", "d1", "--json"]).json();
        let turns = shown["turns"].as_array().unwrap();
        let risk = turns.iter().find(|turn| turn["seat"] == "risk").unwrap();
        assert_eq!(risk["subagent"].as_str(), expected, "{risk}");
        place.forge(&["show", "d1"]).out("not sealed");
        place.forge(&["verify", "d1"]).code(0);
    }
}
