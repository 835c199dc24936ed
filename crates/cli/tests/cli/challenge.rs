//! A lead against its challengers, as the seed describes it: workspace, personas, outcomes, failures, files by hand.

use crate::agents::with_programs;
use crate::place::{Done, Place};
use serde_json::json;
use std::fs;

const QUESTION: &str = "Redis or Memcached for sessions?";
const HOME: &str = "debates/001-redis-or-memcached-for-sessions";

/// A debate in which everybody agrees, each having examined a point, unless the entries before say otherwise.
const USUAL: &str = r#"
  - {stage: probe, ballot: {ready: true, angle: what breaks first}}
  - {seat: lead, stage: opening, ballot: {option: A, position: Redis with one replica., confidence: HIGH, reason: It takes the session load off the database.}}
  - {stage: challenge, ballot: {verdict: agree, objection_strength: minor, critique: The replica covers the failover that I looked for., evidence: A restart drill., confidence: HIGH, examined: ["R1: looked for sessions that a restart would lose; the replica has them"]}}
  - {stage: assumptions, ballot: {why: The load is not the same at all hours., what_would_change: A week of figures that are flat., assumption: Nights are quiet.}}
"#;

fn script(place: &Place, entries: &str) {
    place.write("s.yaml", format!("replies:\n{}{USUAL}", entries.trim_start_matches('\n')));
}

fn challenge(place: &Place, more: &[&str]) -> Done {
    let fixed = ["debate", QUESTION, "--protocol", "challenge", "--option", "Redis", "--option", "Memcached"];
    place.forge(&[&fixed[..], more].concat())
}

fn scripted(place: &Place, entries: &str, more: &[&str]) -> Done {
    script(place, entries);
    challenge(place, &[&["--agent", "scripted:s.yaml"][..], more].concat())
}

fn verdict(place: &Place) -> String {
    place.read(&format!("{HOME}/verdict.md"))
}

/// The lines of a report, without empty ones.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.trim().is_empty()).collect()
}

// --- outcomes -----------------------------------------------------------------------------------------------------------

// seed: S4-54, S4-55, S4-56, S4-57
#[test]
fn a_consensus_is_laid_out_as_the_seed_writes_it() {
    let place = Place::new();
    let entries = r#"
  - {seat: architect, stage: challenge, ballot: {verdict: partial, objection_strength: minor, critique: Keys grow without a bound., evidence: No limit is named., confidence: HIGH}}
  - {seat: operator, stage: challenge, ballot: {verdict: disagree, objection_strength: strong, critique: Nobody sees a late replica., evidence: There is no alert., confidence: HIGH}}
  - {seat: lead, stage: answer, ballot: {option: A, position: Redis with one replica and an alert on lag., confidence: HIGH}}
  - {seat: operator, stage: rebuttal, ballot: {response: ACCEPT, objection_strength: minor, reason: The alert shows a late replica.}}
"#;
    scripted(&place, entries, &[]).code(0).out("CONSENSUS: A (Redis)");
    let report = verdict(&place);
    let lines = lines(&report);
    let at = |line: &str| lines.iter().position(|one| *one == line).unwrap_or_else(|| panic!("{line}\nin\n{report}"));
    let order = [
        at("## DEBATE OUTCOME: CONSENSUS"),
        at("**Final position:** Redis with one replica and an alert on lag."),
        at("**Confidence:** HIGH"),
        at("**Rounds to consensus:** 1"),
        at("**Perspectives validated:**"),
        at("- ✅ Architect (scripted:s.yaml): minor objection only: Keys grow without a bound."),
        at("- ✅ Operator (scripted:s.yaml): The alert shows a late replica."),
        at("- ✅ Adversary (scripted:s.yaml): The replica covers the failover that I looked for."),
        at("**What changed:**"),
    ];
    assert!(order.is_sorted(), "{report}");
    assert!(lines[order[8] + 1].starts_with("- Operator: "), "accepted critiques by perspective: {report}");
    assert!(report.contains("- v1 (opening): Redis with one replica.\n- v2 (after round 1, final): "), "{report}");
    assert!(report.contains("\n  └── Changed because: Operator: "), "{report}");
    for args in [&["export", "001", "--format", "md"][..], &["show", "001"]] {
        let shown = place.forge(args).code(0).out("DEBATE OUTCOME: CONSENSUS").out("Perspectives validated:");
        assert!(
            shown.out.contains("✅ Operator (scripted:s.yaml)") && shown.out.contains("└── Changed because"),
            "{shown}"
        );
    }
    place
        .forge(&["export", "001", "--format", "html"])
        .code(0)
        .out("DEBATE OUTCOME: CONSENSUS")
        .out("Rounds to consensus");
    place.forge(&["verify", "001"]).code(0).out("HOLDS");
}

// seed: S4-58, S4-60, S4-61
#[test]
fn a_tradeoff_is_laid_out_as_the_seed_writes_it() {
    let place = Place::new();
    let entries = r#"
  - {seat: adversary, stage: challenge, ballot: {verdict: disagree, objection_strength: strong, critique: "A <b>stolen</b> | session opens everything.", evidence: Nothing expires., confidence: HIGH}}
  - {seat: lead, stage: answer, ballot: {option: A, position: Redis with one replica., confidence: HIGH}}
  - {seat: adversary, stage: rebuttal, ballot: {response: MAINTAIN, objection_strength: strong, reason: "The session | still opens <img src=x> everything."}}
"#;
    scripted(&place, entries, &["--rounds", "2"]).code(4).out("TRADEOFF");
    let report = verdict(&place);
    for line in [
        "## DEBATE OUTCOME: TRADEOFF",
        "**Final position:** Redis with one replica, contested",
        "**Confidence:** MEDIUM",
        "**Rounds:** MAX (no consensus), 2 of 2",
        "**Perspective Breakdown:**",
        "- Architect (scripted:s.yaml): AGREE - The replica covers the failover that I looked for.",
        "- Adversary (scripted:s.yaml): DISAGREE - The session | still opens \\<img src=x> everything.",
        "**Core disagreement:** Adversary: The session | still opens \\<img src=x> everything.",
        "**Assumptions exposed:**",
        "| Assumption | Perspective | Why it still disagrees | What would make the other side right |",
        "| Nights are quiet. | Lead | The load is not the same at all hours. | A week of figures that are flat. |",
        "| Nights are quiet. | Adversary | The load is not the same at all hours. | A week of figures that are flat. |",
    ] {
        assert!(report.lines().any(|one| one == line), "{line}\nin\n{report}");
    }
    let state = place.json(&format!("{HOME}/state.json"));
    assert_eq!(
        (&state["outcome"], &state["confidence"], &state["max_rounds"]),
        (&"tradeoff".into(), &"MEDIUM".into(), &2.into())
    );
    // A person's decision stands above, and what the seats left below.
    place.forge(&["debate", "decide", "001", "A", "--because", "we expire them nightly", "--by", "Ada"]).code(0);
    let report = verdict(&place);
    assert!(report.contains("**Decided by Ada:**") && report.contains("## DEBATE OUTCOME: TRADEOFF"), "{report}");
}

/// It stays open, and nobody is asked again in vain.
#[test]
fn when_all_that_is_open_is_escalated_the_rounds_end_at_once() {
    let place = Place::new();
    let entries = r#"
  - {seat: operator, stage: challenge, ballot: {verdict: disagree, objection_strength: strong, critique: Nobody sees a late replica., evidence: There is no alert., confidence: HIGH}}
  - {seat: operator, stage: rebuttal, ballot: {response: ESCALATE, objection_strength: strong, reason: Whether nights are staffed is not ours to say.}}
"#;
    scripted(&place, entries, &[]).code(4);
    assert!(verdict(&place).contains("**Rounds:** 1 (no consensus)"), "{}", verdict(&place));
    assert!(verdict(&place).contains("- Operator (scripted:s.yaml): DISAGREE - Whether nights"), "{}", verdict(&place));
    assert!(!place.has(&format!("{HOME}/rounds/r002_lead.md")));
    assert!(place.has(&format!("{HOME}/rounds/assumptions_operator.md")));
}

// --- skepticism ---------------------------------------------------------------------------------------------------------

// seed: S4-25
#[test]
fn an_agreement_says_what_it_examined_of_the_leads_points() {
    let place = Place::new();
    // Long, with evidence, and about no point of the lead.
    let hollow = r#"
  - {seat: adversary, stage: challenge, ballot: {verdict: agree, objection_strength: minor, critique: It is a popular choice everywhere and people are happy with it in production., evidence: Many teams run it and say so in talks and articles every year., confidence: HIGH, examined: null}}
  - {seat: adversary, stage: rebuttal, ballot: {response: ACCEPT, objection_strength: minor, reason: The answer names who rotates the keys.}}
"#;
    scripted(&place, hollow, &[]).code(0).out("adversary agreed without saying what it examined");
    assert!(place.has(&format!("{HOME}/rounds/r001_adversary_rebuttal.md")), "it was confronted");
    assert!(!place.has(&format!("{HOME}/rounds/r001_operator_rebuttal.md")), "whoever examined something was not");
    let brief = place.read(&format!("{HOME}/trail/briefs/challenge-r1-adversary.1.md"));
    for label in ["- R1: ", "- W1: ", "- A1: "] {
        assert!(brief.contains(label), "{label} in {brief}");
    }
}

// --- who sits -----------------------------------------------------------------------------------------------------------

// seed: S4-44
#[test]
fn challengers_can_be_fewer() {
    for (count, there, gone) in [
        ("1", &["architect"][..], &["operator", "adversary"][..]),
        ("2", &["architect", "operator"], &["adversary"]),
        ("3", &["architect", "operator", "adversary"], &[]),
    ] {
        let place = Place::new();
        scripted(&place, "", &["--challengers", count]).code(0);
        for seat in there {
            assert!(place.has(&format!("{HOME}/rounds/r001_{seat}.md")), "{count}: {seat}");
        }
        for seat in gone {
            assert!(!place.has(&format!("{HOME}/rounds/r001_{seat}.md")), "{count}: {seat}");
        }
        assert_eq!(place.json(&format!("{HOME}/state.json"))["challengers"].as_array().unwrap().len(), there.len());
        place.forge(&["verify", "001"]).code(0);
    }
    let place = Place::new();
    for count in ["0", "4"] {
        scripted(&place, "", &["--challengers", count]).code(2).err("expected 1 to 3 (architect, operator, adversary");
    }
    place
        .forge(&["debate", QUESTION, "--protocol", "judges", "--challengers", "2"])
        .code(2)
        .err("belongs to --protocol challenge");
    scripted(&place, "", &["--challengers", "1", "--seat", "adversary=scripted:s.yaml"]).code(0);
    assert!(
        place.has(&format!("{HOME}/rounds/r001_adversary.md"))
            && !place.has(&format!("{HOME}/rounds/r001_architect.md"))
    );
    let both = ["--challengers", "1", "--seat", "adversary=human", "--seat", "operator=human"];
    scripted(&place, "", &both).code(2).err("--seat names 2 (operator, adversary)");
}

/// Whoever sits for another reason than --seat keeps the agent that was configured for it.
#[test]
fn a_configured_challenger_that_sits_keeps_its_agent() {
    for (named, configured, sits) in [
        (&["architect"][..], "operator", true),
        (&["architect"], "adversary", false),
        (&["adversary"], "architect", true),
        (&["adversary"], "operator", false),
        (&["operator"], "architect", true),
        (&[], "operator", true),
        (&["operator", "adversary"], "architect", false),
    ] {
        let place = Place::new();
        let user = place.around().join("home/.config/forge");
        fs::create_dir_all(&user).unwrap();
        let settings =
            format!(r#"{{"agent": "scripted:s.yaml", "seats": {{"challenge": {{"{configured}": "outside"}}}}}}"#);
        fs::write(user.join("config.json"), settings).unwrap();
        script(&place, "");
        let seats: Vec<String> = named.iter().map(|seat| format!("--seat={seat}=scripted:s.yaml")).collect();
        let mut more = vec!["--challengers", "2"];
        more.extend(seats.iter().map(String::as_str));
        let done = challenge(&place, &more);
        if sits {
            done.code(3).out(&format!("WAITING for {configured}"));
        } else {
            done.code(0);
        }
    }
}

// seed: S4-41
#[test]
fn settings_hold_for_challenges() {
    let place = Place::new();
    let settings = |text: &str| place.write(".claude/forge/config.json", text);
    settings(r#"{"challenge": {"max_rounds": 2, "timeout_seconds": 33, "min_challengers": 2}}"#);
    let shown = place.forge(&["config"]).code(0);
    for key in ["challenge.max_rounds", "challenge.timeout_seconds", "challenge.min_challengers"] {
        assert!(shown.out.contains(key), "{shown}");
        place.forge(&["config", "--schema"]).code(0).out(key.split_once('.').unwrap().1);
    }
    let entries = "
  - {seat: architect, stage: challenge, do: crash}
  - {seat: operator, stage: challenge, do: crash}
";
    scripted(&place, entries, &[]).code(5).out("INSUFFICIENT");
    assert!(verdict(&place).contains("1 challenger spoke, and at least 2 must"), "{}", verdict(&place));
    let state = place.json(&format!("{HOME}/state.json"));
    assert_eq!(
        (&state["max_rounds"], &state["timeout_seconds"], &state["min_challengers"]),
        (&2.into(), &33.into(), &2.into())
    );
    // A flag says more; other protocols have their own.
    scripted(&place, "", &["--rounds", "4", "--timeout", "50s", "--id", "flags"]).code(0);
    let state = place.json("debates/flags/state.json");
    assert_eq!((&state["max_rounds"], &state["timeout_seconds"]), (&4.into(), &50.into()));
    let judges = place.forge(&[
        "debate",
        QUESTION,
        "--option",
        "A1",
        "--option",
        "B1",
        "--agent",
        "rehearsal",
        "--json",
        "--id",
        "j",
    ]);
    assert!(place.read("docs/forge/sadd/debate-j-plan.md").contains("timeout_seconds: 120"), "{judges}");
    // A project may tighten what the user says, and no more.
    let user = place.around().join("home/.config/forge");
    fs::create_dir_all(&user).unwrap();
    fs::write(
        user.join("config.json"),
        r#"{"challenge": {"max_rounds": 3, "timeout_seconds": 20, "min_challengers": 2}}"#,
    )
    .unwrap();
    settings(r#"{"challenge": {"max_rounds": 9, "timeout_seconds": 900, "min_challengers": 1}}"#);
    scripted(&place, "", &["--id", "both"]).code(0);
    let state = place.json("debates/both/state.json");
    assert_eq!(
        (&state["max_rounds"], &state["timeout_seconds"], &state["min_challengers"]),
        (&3.into(), &20.into(), &2.into())
    );
    scripted(&place, "", &["--id", "alone", "--challengers", "1"]).code(2).err("min_challengers is 2, and 1 sit here");
    for bad in [
        r#"{"challenge": {"max_rounds": 0}}"#,
        r#"{"challenge": {"min_challengers": 4}}"#,
        r#"{"challenge": {"timeout_seconds": "x"}}"#,
    ] {
        settings(bad);
        scripted(&place, "", &["--id", "bad"]).code(2).err("challenge.");
    }
}

// seed: S4-41
#[test]
fn the_seeds_defaults_hold() {
    let place = Place::new();
    scripted(&place, "", &[]).code(0);
    let state = place.json(&format!("{HOME}/state.json"));
    assert_eq!(
        (&state["max_rounds"], &state["timeout_seconds"], &state["min_challengers"]),
        (&5.into(), &120.into(), &1.into())
    );
}

// --- personas -----------------------------------------------------------------------------------------------------------

fn own_personas(place: &Place, names: [&str; 3]) {
    for (name, who) in names.iter().zip(["boundaries", "nights", "thieves"]) {
        place.write(&format!("mine/{name}"), format!("# Expert Challenger Profile\n\nYou know all about {who}.\n"));
    }
}

#[test]
fn ones_own_personas_are_copied_and_belong_to_the_request() {
    for names in [
        ["architect.md", "operator.md", "adversary.md"],
        ["ARCHITECT.md", "OPERATOR.md", "ADVERSARY.md"],
        ["GEMINI.md", "AGENTS.md", "QWEN.md"],
    ] {
        let place = Place::new();
        own_personas(&place, names);
        let done = scripted(&place, "", &["--personas", "mine"]).code(0);
        let line = "personas given for this debate stand for forge's: architect, operator, adversary";
        assert!(done.err.contains(&format!("REPLACED: {line}")) && done.out.contains(line), "{done}");
        assert!(!done.err.contains(".claude/forge/roles") && !done.out.contains(".claude/forge/roles"), "{done}");
        for (file, who) in [("GEMINI.md", "boundaries"), ("AGENTS.md", "nights"), ("QWEN.md", "thieves")] {
            let text = place.read(&format!("{HOME}/{file}"));
            assert!(text.contains(&format!("You know all about {who}.")), "{names:?}: {text}");
        }
        assert!(place.read(&format!("{HOME}/trail/briefs/challenge-r1-adversary.1.md")).contains("about thieves"));
        place.forge(&["verify", "001"]).code(0);
        // The same again is the same debate; another text is another.
        scripted(&place, "", &["--personas", "mine"]).code(0);
        assert!(!place.has("debates/002-redis-or-memcached-for-sessions"));
        place.edit(&format!("mine/{}", names[2]), |text| text.replace("thieves", "burglars"));
        scripted(&place, "", &["--personas", "mine"]).code(0);
        assert!(place.read("debates/002-redis-or-memcached-for-sessions/QWEN.md").contains("burglars"));
    }
}

#[test]
fn personas_that_will_not_do_are_refused_by_name() {
    let refused = |change: &dyn Fn(&Place), says: &str| {
        let place = Place::new();
        own_personas(&place, ["architect.md", "operator.md", "adversary.md"]);
        change(&place);
        scripted(&place, "", &["--personas", "mine"]).code(2).err("--personas").err(says);
        assert!(!place.has("debates"), "nothing was made");
    };
    let gone = |file: &'static str| move |place: &Place| fs::remove_file(place.path(file)).unwrap();
    refused(&gone("mine/operator.md"), "operator.md or AGENTS.md");
    refused(&|place| place.write("mine/operator.md", " \n\n"), "is empty");
    refused(&|place| place.write("mine/operator.md", place.read("mine/architect.md")), "say the same");
    refused(&|place| place.write("mine/ARCHITECT.md", "Another one.\n"), "both for the seat architect");
    refused(&|place| place.write("mine/operator.md", [0xff, 0xfe, 0x00]), "operator.md");
    refused(&|place| fs::remove_dir_all(place.path("mine")).unwrap(), "expected a folder");
    refused(
        &|place| {
            place.write(".env", "TOKEN=x\n");
            fs::remove_file(place.path("mine/operator.md")).unwrap();
            std::os::unix::fs::symlink(place.path(".env"), place.path("mine/operator.md")).unwrap();
        },
        "sent to nobody",
    );
    let place = Place::new();
    own_personas(&place, ["architect.md", "operator.md", "adversary.md"]);
    fs::remove_file(place.path("mine/adversary.md")).unwrap();
    scripted(&place, "", &["--personas", "mine", "--challengers", "2"]).code(0);
    place.forge(&["debate", QUESTION, "--personas", "mine"]).code(2).err("--personas belongs to --protocol challenge");
}

#[test]
fn a_persona_speaks_to_one_seat_only() {
    let place = Place::new();
    scripted(&place, "", &[]).code(0);
    for (file, seat) in [("GEMINI.md", "architect"), ("AGENTS.md", "operator"), ("QWEN.md", "adversary")] {
        let text = place.read(&format!("{HOME}/{file}"));
        let first = text.lines().next().unwrap();
        assert!(
            first.contains(&format!("the seat `{seat}` of the forge debate")) && first.contains("nobody else"),
            "{text}"
        );
        let brief = place.read(&format!("{HOME}/trail/briefs/challenge-r1-{seat}.1.md"));
        assert!(brief.contains("You speak in this role") && !brief.contains("nobody else. If you"), "{brief}");
    }
}

/// S4: abort that challenger, log the error, go on.
// seed: S4-11, S4-50
#[test]
fn a_missing_persona_costs_one_challenger() {
    let place = Place::new();
    scripted(&place, "", &["--seat", "lead=outside"]).code(3);
    fs::remove_file(place.path(&format!("{HOME}/QWEN.md"))).unwrap();
    place.write(&format!("{HOME}/rounds/r000_lead.md"), OPENING);
    let done = place.forge(&["debate", "run", "001"]).code(0).out("CONSENSUS").out("DEGRADED");
    assert!(done.out.contains("adversary") && done.out.contains("context file is missing"), "{done}");
    let absent = place.read(&format!("{HOME}/rounds/r001_adversary.md"));
    assert!(absent.contains("no-context-file") && absent.contains("QWEN.md is missing"), "{absent}");
    place.forge(&["verify", "001"]).code(0).out("HOLDS");
    place.forge(&["show", "001"]).code(0).out("❌ Adversary");
    // Put back, and asked again.
    place.forge(&["debate", "restore", "001"]).code(0).out("QWEN.md");
    place.forge(&["debate", "run", "001", "--retry-absent"]).code(0);
    assert!(place.read(&format!("{HOME}/verdict.md")).contains("✅ Adversary"));
}

#[test]
fn without_any_persona_nobody_challenges() {
    let place = Place::new();
    let lead = ["--seat", "lead=outside"];
    scripted(&place, "", &[&lead[..], &["--challengers", "1"]].concat()).code(3);
    fs::remove_file(place.path(&format!("{HOME}/GEMINI.md"))).unwrap();
    place.write(&format!("{HOME}/rounds/r000_lead.md"), OPENING);
    place.forge(&["debate", "run", "001"]).code(5).out("INSUFFICIENT");
    place.forge(&["verify", "001"]).code(0);
}

// seed: S4-11
#[test]
fn a_changed_persona_stops_the_debate_with_a_diff_and_can_be_forked() {
    let place = Place::new();
    scripted(&place, "", &["--seat", "operator=outside"]).code(3);
    place.edit(&format!("{HOME}/GEMINI.md"), |text| format!("{text}\nAlways agree.\n"));
    for args in [&["debate", "run", "001"][..], &["debate", "show", "001"]] {
        place.forge(args).code(2).err("GEMINI.md").err("+Always agree.");
    }
    place.forge(&["debate", "run", "001", "--fork"]).code(2).err("persona of architect").err("--fork --adopt");
    place.forge(&["debate", "run", "001", "--fork", "--adopt"]).code(3);
    let forked = place.read("debates/002-redis-or-memcached-for-sessions/GEMINI.md");
    assert!(forked.contains("Always agree.") && forked.contains("debate `002-redis"), "{forked}");
    assert_eq!(forked.matches("nobody else").count(), 1, "{forked}");
}

/// A persona lies open whatever the debate is called; only the trail is the record.
#[test]
fn a_name_that_ends_in_trail_makes_a_persona_no_record() {
    for id in ["audit-trail", "trail", "001-trail"] {
        let place = Place::new();
        scripted(&place, "", &["--seat", "operator=outside", "--id", id]).code(3);
        place.edit(&format!("debates/{id}/GEMINI.md"), |text| format!("{text}\nAlways agree.\n"));
        place.forge(&["debate", "run", id]).code(2).err("GEMINI.md");
        place.edit(&format!("debates/{id}/GEMINI.md"), |text| text.replace("\nAlways agree.\n", ""));
        place.edit(&format!("debates/{id}/trail/roles/operator.md"), |text| format!("{text}\nAlways agree.\n"));
        place.forge(&["debate", "run", id]).code(7);
    }
}

/// An agent of one's own: told what it finds in its folder, it tells it in its replies.
const LISTER: &str = r#"#!/bin/sh
brief=$(cat)
files=$(ls -a | tr '\n' ' ')
who=$(cat AGENTS.md 2>/dev/null | head -n 1 | tr -d '`"')
case "$brief" in *"You speak in this role"*) role=yes;; *) role=no;; esac
case "$brief" in
  *'"ready"'*) printf '```json\n{"ready": true, "angle": "FILES %s WHO %s ROLE %s"}\n```\n' "$files" "$who" "$role";;
  *'"verdict"'*) printf '## Critique\n\nHolds.\n\n```json\n{"verdict": "agree", "objection_strength": "minor", "critique": "A restart loses nothing that was confirmed.", "evidence": "drill", "confidence": "HIGH", "examined": ["R1: looked for sessions lost in a restart"], "arguments": [{"id": "a1", "text": "nothing confirmed is lost"}]}\n```\n';;
esac
"#;

fn with_lister(place: &Place) {
    let program = place.around().join("lister");
    fs::write(&program, LISTER).unwrap();
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let user = place.around().join("home/.config/forge");
    fs::create_dir_all(&user).unwrap();
    let config = format!(r#"{{"agents": {{"lister": {{"command": "{}", "family": "other"}}}}}}"#, program.display());
    fs::write(user.join("config.json"), config).unwrap();
}

#[test]
fn an_agent_of_ones_own_finds_its_persona_in_its_folder_and_not_in_its_brief() {
    let place = Place::new();
    with_lister(&place);
    let seats = ["--seat", "architect=lister", "--seat", "operator=lister", "--seat", "adversary=lister"];
    scripted(&place, "", &seats).code(0);
    // Three seats of one program: separate files, separate folders.
    for seat in ["architect", "operator", "adversary"] {
        let persona = place.read(&format!("{HOME}/{}.md", seat.to_uppercase()));
        assert!(persona.contains(&format!("the seat `{seat}`")), "{persona}");
        let said = place.read(&format!("{HOME}/rounds/r000_{seat}_probe.md"));
        assert!(said.contains("FILES . .. AGENTS.md  WHO"), "nothing else lies in its folder: {said}");
        assert!(said.contains(&format!("the seat {seat} of")) && said.contains("ROLE no"), "{said}");
    }
    assert!(!place.has(&format!("{HOME}/AGENTS.md")));
    place.forge(&["verify", "001"]).code(0).out("HOLDS");
}

// seed: S4-7
#[test]
fn one_program_among_others_gives_its_file_its_name() {
    let place = Place::new();
    with_lister(&place);
    scripted(&place, "", &["--seat", "operator=lister"]).code(0);
    for file in ["ARCHITECT.md", "AGENTS.md", "ADVERSARY.md"] {
        assert!(place.has(&format!("{HOME}/{file}")), "{file} in {:?}", place.files());
    }
    // Seated anew, they are named anew.
    let other = ["--seat", "lead=outside", "--challengers", "1", "--seat", "architect=outside", "--id", "c2"];
    challenge(&place, &other).code(3);
    assert!(place.has("debates/c2/GEMINI.md"));
    place.forge(&["debate", "run", "c2", "--agent", "lister"]);
    assert!(
        place.has("debates/c2/AGENTS.md") && !place.has("debates/c2/GEMINI.md"),
        "{:?}",
        place.files_in("debates/c2")
    );
}

/// The seed's tree comes out for the seed's programs; and one that is not logged in is an absent challenger.
// seed: S4-7
#[test]
fn personas_are_named_for_the_programs_in_the_seats() {
    let no_login = json!({"print": {"text": "Error: 401 Unauthorized: invalid API key\n", "to": "stderr"}});
    let logged_out = json!(["read_stdin", no_login, {"exit": 1}]);
    for (programs, files) in [
        (["gemini", "codex", "qwen"], ["GEMINI.md", "AGENTS.md", "QWEN.md"]),
        (["qwen", "gemini", "claude"], ["QWEN.md", "GEMINI.md", "CLAUDE.md"]),
        (["claude", "claude", "claude"], ["ARCHITECT.md", "OPERATOR.md", "ADVERSARY.md"]),
        (["codex", "opencode", "gemini"], ["ARCHITECT.md", "OPERATOR.md", "GEMINI.md"]),
        (["gemini", "rehearsal", "rehearsal"], ["GEMINI.md", "OPERATOR.md", "ADVERSARY.md"]),
    ] {
        let all = ["claude", "codex", "gemini", "opencode", "qwen"].map(|name| (name, logged_out.clone()));
        let mut place = with_programs(&all);
        for key in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "CODEX_API_KEY", "GEMINI_API_KEY"] {
            place.set(key, "a-key-that-nobody-may-see");
        }
        let seats =
            ["architect", "operator", "adversary"].iter().zip(programs).map(|(seat, name)| format!("{seat}={name}"));
        let seats: Vec<String> = seats.collect();
        let mut more = vec!["--timeout", "20s"];
        more.extend(seats.iter().flat_map(|seat| ["--seat", seat.as_str()]));
        let done = scripted(&place, "", &more);
        let is_heard = programs.contains(&"rehearsal");
        assert!(if is_heard { matches!(done.code, 0 | 4) } else { done.code == 5 }, "{programs:?}: {done}");
        let logged = done.err.lines().find(|line| line.contains("architect (probe)") && line.contains("key"));
        assert!(logged.is_some(), "a login that is refused is logged: {done}");
        for (file, seat) in files.iter().zip(["architect", "operator", "adversary"]) {
            let text = place.read(&format!("{HOME}/{file}"));
            assert!(text.contains(&format!("the seat `{seat}` of")), "{programs:?}: {file}: {text}");
        }
        let there = place.files_in(HOME);
        let personas = there.iter().filter(|file| {
            !file.contains('/') && file.to_uppercase().trim_end_matches("MD") == file.trim_end_matches("md")
        });
        assert_eq!(personas.count(), 3, "{programs:?}: {there:?}");
        place.forge(&["verify", "001"]).code(0);
    }
}

// --- the folder of debates ----------------------------------------------------------------------------------------------

/// Workspaces as the seed's own plugin makes them.
fn others(place: &Place) {
    for file in ["GEMINI.md", "AGENTS.md", "QWEN.md", "state.json", "transcript.md", "rounds/r001_gemini.md"] {
        place.write(&format!("debates/007-theirs/{file}"), "{}\n");
    }
    place.write("debates/007-theirs/context.md", "# Initial context\n\nRedis vs Memcached.\n");
    place.write("debates/050-bar/notes.md", "nothing yet\n");
    place.write("debates/051-front/context.md", "---\ntopic: caches\ndate: 2026-01-01\n---\n\n# Context\n");
}

// seed: S4-3
#[test]
fn numbers_continue_from_the_highest_whoever_made_it() {
    let place = Place::new();
    others(&place);
    scripted(&place, "", &[]).code(0);
    assert!(place.has("debates/052-redis-or-memcached-for-sessions/context.md"), "{:?}", place.files());
    place.write("debates/0099", "a file\n");
    place.write("debates/1x-none/a.md", "no number\n");
    place.write("debates/99999999999999999999-huge/a.md", "too much\n");
    scripted(&place, "", &["--new"]).code(0);
    assert!(place.has("debates/100-redis-or-memcached-for-sessions/context.md"), "{:?}", place.files());
}

#[test]
fn workspaces_of_others_are_not_forges_and_stay_as_they_are() {
    let place = Place::new();
    others(&place);
    scripted(&place, "", &[]).code(0);
    let before = place.tree();
    let list = place.forge(&["debate", "list"]).code(0).out("not forge's").out("052-redis");
    for name in ["007-theirs", "050-bar", "051-front"] {
        assert!(list.out.contains(name) && !list.out.contains("damaged"), "{list}");
        for args in [
            &["verify"][..],
            &["debate", "status"],
            &["debate", "show"],
            &["show"],
            &["debate", "run"],
            &["export"],
            &["debate", "regenerate"],
        ] {
            let done = place.forge(&[args, &[name]].concat()).code(2).err("not forge's").err("context.md");
            assert!(!done.out.contains("DOES NOT HOLD"), "{done}");
            place.forge(&[args, &[&format!("debates/{name}")]].concat()).code(2);
        }
    }
    place
        .forge(&["verify", "--all"])
        .code(0)
        .out("HOLDS  052-redis")
        .out("NOT FORGE'S  debates/007-theirs")
        .out("1 of 1 debates hold");
    place.forge(&["verify", "debates/007-theirs/context.md"]).code(2);
    assert_eq!(place.forge(&["verify", "--all", "--json"]).code(0).json()["not_forges"].as_array().unwrap().len(), 3);
    for id in ["007-theirs", "050-bar"] {
        scripted(&place, "", &["--id", id, "--new"]).code(2).err("not forge's");
    }
    let after = place.tree();
    for (file, bytes) in &before {
        assert_eq!(after.get(file), Some(bytes), "{file}");
    }
}

#[test]
fn folders_of_others_among_gates_are_not_forges_either() {
    let place = Place::new();
    let fork = "name: reminders\nproblem: How to remind readers\nroles: [advocate, skeptic]\nmaxRounds: 3\n";
    place.write("docs/forge/debate/forge-1746090000000-1a2b3c4d/debate-plan.md", fork);
    place.write("docs/forge/debate/forge-1746090000001-1a2b3c4d/plan.md", format!("---\n{fork}"));
    place.write(
        "docs/forge/debate/brainstorm-x/debate-plan.md",
        "# Debate Plan: Brainstorm-x\n\n**Objective:** Remind\n",
    );
    place.write("docs/forge/debate/bare/debate-plan.md", "---\ndebate_id: bare\nphase: brainstorm\nobjective: Remind readers\nstatus: pending\n---\n\n## Options\n\n1. Postcard\n2. Text message\n3. Digest mail\n");
    place.write("docs/forge/debate/cut/debate-plan.md", "---\ndebate_id: cut\nphase: brainstorm\n");
    let before = place.tree();
    let list = place.forge(&["debate", "list"]).code(0);
    for (id, standing) in [
        ("forge-1746090000000-1a2b3c4d", "not forge's"),
        ("forge-1746090000001-1a2b3c4d", "not forge's"),
        ("brainstorm-x", "not forge's"),
        ("bare", "pending"),
        ("cut", "damaged"),
    ] {
        let line = list.out.lines().find(|line| line.contains(&format!(" {id} ")));
        assert!(line.is_some_and(|line| line.starts_with(standing)), "{id}: {list}");
    }
    place.forge(&["verify", "brainstorm-x"]).code(2).err("not forge's").err("debate_id: ID");
    place.forge(&["debate", "show", "docs/forge/debate/brainstorm-x"]).code(2).err("not forge's");
    std::fs::remove_dir_all(place.work().join("docs/forge/debate/cut")).unwrap();
    let all = place.forge(&["verify", "--all"]);
    assert!(
        all.out.contains("NOT FORGE'S  docs/forge/debate/brainstorm-x") && !all.out.contains("DOES NOT HOLD"),
        "{all}"
    );
    for (file, bytes) in before.iter().filter(|(file, _)| !file.contains("/cut/")) {
        assert_eq!(place.tree().get(file), Some(bytes), "{file}");
    }
}

/// A plan of forge's own that was cut off is damaged, not somebody else's.
#[test]
fn a_plan_of_ours_that_is_cut_off_is_ours() {
    let place = Place::new();
    scripted(&place, "", &[]).code(0);
    place.edit(&format!("{HOME}/context.md"), |text| text[..80].to_owned());
    place.forge(&["verify", "--all"]).code(7).out("DOES NOT HOLD");
}

// --- failures, row by row of the seed's table ---------------------------------------------------------------------------

#[test]
fn a_challenger_that_fails_is_logged_and_the_others_go_on() {
    for (mishap, says) in [
        ("do: hang", "timed out"),
        ("do: crash", "crashed"),
        ("do: refuse", "refused"),
        ("do: garbage", "did not answer in form"),
        ("say: I rather like it.", "did not answer in form"),
    ] {
        let place = Place::new();
        let entries = format!("\n  - {{seat: operator, stage: challenge, {mishap}}}\n");
        let done = scripted(&place, &entries, &["--timeout", "1s"]).code(0).out("DEGRADED").out(says);
        assert!(verdict(&place).contains("- ❌ Operator (scripted:s.yaml): "), "{done}");
        assert!(verdict(&place).contains("- ✅ Architect"), "{done}");
        // What came back is kept, whatever it was.
        assert!(place.has(&format!("{HOME}/trail/replies/challenge-r1-operator.1.md")));
        place.forge(&["verify", "001"]).code(0);
    }
}

#[test]
fn a_probe_that_fails_is_an_absent_challenger() {
    let place = Place::new();
    scripted(&place, "\n  - {seat: operator, stage: probe, do: crash}\n", &[]).code(0).out("DEGRADED");
    assert!(!place.has(&format!("{HOME}/rounds/r001_operator.md")));
    assert!(verdict(&place).contains("❌ Operator"), "{}", verdict(&place));
}

#[test]
fn when_all_fail_the_debate_is_off() {
    for stage in ["probe", "challenge"] {
        let place = Place::new();
        scripted(&place, &format!("\n  - {{stage: {stage}, do: crash}}\n"), &[]).code(5).out("INSUFFICIENT");
        assert_eq!(place.has(&format!("{HOME}/rounds/r000_lead.md")), stage == "challenge", "no lead is asked in vain");
        assert!(!verdict(&place).contains("DEBATE OUTCOME: CONSENSUS"));
    }
}

#[test]
fn a_workspace_that_cannot_be_made_ends_it() {
    let place = Place::new();
    script(&place, "");
    place.write("debates", "a file stands where the folder belongs\n");
    let done = challenge(&place, &["--agent", "scripted:s.yaml"]);
    assert!(matches!(done.code, 1 | 2) && done.err.contains("debates"), "{done}");
    assert!(!done.out.contains("CONSENSUS"), "{done}");
}

// --- files by hand ------------------------------------------------------------------------------------------------------

/// The opening as the seed's home writes it.
const OPENING: &str = "## CLAUDE'S OPENING POSITION

**Topic:** Redis or Memcached for sessions?

**My position:** Use Redis, because sessions must survive a restart.

**Reasoning:**
1. Sessions must survive a restart.
2. The team runs Redis already.

**Confidence:** HIGH

**Potential weaknesses I see:**
- Memory is dearer than disk.

**My assumptions:**
- Sessions stay below ten gigabytes.
";

const ANSWER: &str = "## Response to the challengers

### Operator's critique

[ ] ACCEPT
[x] PARTIALLY ACCEPT
[ ] REJECT

**Reasoning:** An alert on lag is worth it, a second replica is not yet.

### Adversary's critique

[ ] ACCEPT
[ ] PARTIALLY ACCEPT
[x] REJECT - sessions expire after an hour, so a stolen one is soon worth nothing

**Updated position (if changed):** Use Redis with an alert on replication lag.
";

#[test]
fn files_by_hand_count_in_the_seeds_own_forms() {
    let place = Place::new();
    challenge(&place, &["--agent", "outside"]).code(3).out("WAITING for lead");
    let leave = |file: &str, text: &str| place.write(&format!("{HOME}/rounds/{file}"), text);
    let go_on = || place.forge(&["debate", "run", "001"]);
    leave("r000_lead.md", &format!("---\nmodel: claude-opus-5\n---\n\n{OPENING}"));
    go_on().code(3).out("WAITING for architect, operator, adversary");
    let asked = place.read(&format!("{HOME}/trail/outside/challenge-r1-operator.md"));
    for point in ["R1: Sessions must survive", "R2: The team runs", "W1: Memory is dearer", "A1: Sessions stay below"] {
        assert!(asked.contains(point), "{point} in {asked}");
    }
    // Bare, fenced, and with keys of its own.
    leave(
        "r001_architect.md",
        r#"{"verdict": "agree", "critique": "Growth is bounded by the expiry.", "evidence": "A1", "alternative": "", "confidence": "high", "objection_strength": "minor", "assumptions_challenged": [], "your_perspective": "bounded growth first", "examined": ["A1: looked for growth beyond ten gigabytes; expiry bounds it"]}"#,
    );
    leave(
        "r001_operator.md",
        "Here is what I think.\n\n```json\n{\"verdict\": \"disagree\", \"critique\": \"Nobody sees a late replica.\", \"evidence\": \"No alert is named.\", \"confidence\": \"medium\", \"objection_strength\": \"strong\", \"assumptions_challenged\": []}\n```\n",
    );
    leave(
        "r001_adversary.md",
        "**Verdict:** disagree\n**Objection strength:** strong\n**Critique:** A stolen session\nopens everything.\n**Evidence:** Nothing binds it to a device.\n**Confidence:** HIGH\n",
    );
    go_on().code(3).out("WAITING for lead");
    leave("r001_lead.md", ANSWER);
    go_on().code(3).out("WAITING for operator, adversary");
    leave("r001_operator_rebuttal.md", "**Response:** ACCEPT - the alert shows a late replica\n");
    leave(
        "r001_adversary_rebuttal.md",
        "## ESCALATE\n\nWhether an hour is short enough is for the owner of the data to say.\n",
    );
    go_on().code(3).out("WAITING for lead, adversary");
    let why = "**Why I disagree:** A session is as good as a password for an hour.\n**What would make the other side right:** A log without a single stolen session.\n**Core assumption:** Sessions do get stolen here.\n";
    leave("assumptions_lead.md", why);
    leave("assumptions_adversary.md", why);
    let done = go_on().code(4).out("TRADEOFF");
    let report = verdict(&place);
    for part in [
        "**Final position:** Use Redis with an alert on replication lag, contested",
        "- Architect (outside): AGREE - Growth is bounded by the expiry.",
        "- Operator (outside): AGREE - the alert shows a late replica",
        "- Adversary (outside): DISAGREE - Whether an hour is short enough",
        "└── Changed because: Operator: An alert on lag is worth it, a second replica is not yet.",
        "| Sessions do get stolen here. | Adversary |",
        "forge did not ask lead, architect, operator, adversary itself",
        // What its writer says it is.
        "anthropic: lead",
    ] {
        assert!(report.contains(part), "{part}\nin\n{report}");
    }
    assert!(!report.contains("Changed because: Adversary"), "what was rejected changed nothing: {report}");
    assert!(!report.contains("_probe"), "nobody outside is probed: {done}");
    place.forge(&["verify", "001"]).code(0).out("HOLDS");
}

/// Whatever may be a refusal counts as nothing, and the line to write is shown.
#[test]
fn a_file_by_hand_that_can_be_read_in_two_ways_counts_for_nothing() {
    let place = Place::new();
    let objects = "
  - {seat: architect, stage: challenge, ballot: {verdict: disagree, objection_strength: strong, critique: Writes are lost in a failover.}}
  - {seat: lead, stage: answer, ballot: {option: A, position: Redis with one replica., confidence: HIGH, answers: [{to: architect, answer: PARTIAL, reason: An alert shows a late replica.}]}}
";
    let fixed = ["--challengers", "1", "--seat", "architect=outside"];
    scripted(&place, objects, &fixed).code(3).out("WAITING for architect");
    let leave = |file: &str, text: &str| place.write(&format!("{HOME}/rounds/{file}"), text);
    let run = || place.forge(&["debate", "run", "001"]);
    let rest = "**Critique:** Writes are lost in a failover.\n**Confidence:** HIGH\n";
    for (text, says) in [
        (format!("**Verdict:** agree? No.\n{rest}"), "line 1"),
        (format!("**Verdict:** agree\n{rest}**Verdict:** disagree\n"), "lines 1 (agree) and 4 (disagree)"),
        (format!("> **Verdict:** agree\n\n{rest}"), "\"verdict\" is missing"),
        (format!("~~~\n**Verdict:** agree\n~~~\n\n{rest}"), "\"verdict\" is missing"),
        (format!("```\nVERDICT: agree\n```\n\n{rest}"), "\"verdict\" is missing"),
    ] {
        leave("r001_architect.md", &text);
        run().code(3).out("WAITING for architect").err(says);
    }
    // A ballot in a fence is one.
    let ballot = r#"{"verdict": "disagree", "critique": "Writes are lost in a failover.", "confidence": "high", "objection_strength": "strong"}"#;
    leave("r001_architect.md", &format!("> **Verdict:** agree\n\n```json\n{ballot}\n```\n"));
    run().code(3).out("WAITING for architect");
    let reason = "**Reason:** Writes are lost all the same.\n";
    for (text, says) in [
        (format!("**My Response:** Accept? No, writes are still lost\n{reason}"), "line 1"),
        (format!("**Response:** Accept nothing of this\n{reason}"), "line 1"),
        (format!("RESPONSE: Accept nothing of this\n\n{reason}"), "line 1"),
        (format!("**Response:** Accept the point on cost, maintain the one on failover\n{reason}"), "line 1"),
        (format!("[x] ACCEPT\n[ ] MAINTAIN\n\n**Response:** MAINTAIN\n{reason}"), "lines 1 (ACCEPT) and 4 (MAINTAIN)"),
        (format!("```\n[x] ACCEPT\n```\n\n{reason}"), "\"response\" is missing"),
        (format!("**Response:** accept / maintain / escalate\n{reason}"), "\"response\""),
    ] {
        leave("r001_architect_rebuttal.md", &text);
        let done = run().code(3).out("WAITING for architect").err(says);
        assert!(!says.starts_with("line") || done.err.contains("`**Response:** ACCEPT`"), "{done}");
    }
    leave("r001_architect_rebuttal.md", "**Response:** accept\n\n**Reason:** The alert shows it.\n");
    run().code(0).out("CONSENSUS");
}

#[test]
fn what_a_file_by_hand_lacks_is_named() {
    let place = Place::new();
    challenge(&place, &["--agent", "outside"]).code(3);
    let leave = |file: &str, text: &str| place.write(&format!("{HOME}/rounds/{file}"), text);
    let lead = |text: &str| {
        leave("r000_lead.md", text);
        place.forge(&["debate", "run", "001"]).code(3).out("WAITING for lead")
    };
    for (text, says) in [
        (OPENING.replace("Use Redis, because", "We might go with Redis, if"), "\"option\" is missing"),
        (OPENING.replace("**Confidence:** HIGH", ""), "\"confidence\" is missing"),
        (OPENING.replace("**Confidence:** HIGH", "**Confidence:** HIGH / MEDIUM / LOW"), "\"confidence\""),
        (OPENING.replace("Use Redis, because sessions must survive a restart.", "[your position]"), "position"),
    ] {
        let done = lead(&text);
        assert!(done.err.contains(says), "{says}: {done}");
    }
    lead(&OPENING.replace("**Topic:**", "**Option:** B\n\n**Topic:**").replace("**Confidence:** HIGH", ""))
        .err("\"confidence\"");
    leave("r000_lead.md", OPENING);
    place.forge(&["debate", "run", "001"]).code(3).out("WAITING for architect");
    for (text, says) in [
        (r#"{"raw_response": "I like it", "parse_error": true, "model": "gemini"}"#, "\"verdict\" is missing"),
        (r#"{"error": "timeout", "model": "gemini"}"#, "\"verdict\" is missing"),
        (
            r#"{"verdict": "agree|partial|disagree", "critique": "text", "confidence": "high|medium|low"}"#,
            "\"verdict\"",
        ),
    ] {
        leave("r001_architect.md", text);
        place.forge(&["debate", "run", "001"]).code(3).err(says);
    }
}
