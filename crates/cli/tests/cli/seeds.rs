//! What the seeds promise and no other story shows. `docs/seeds.md` has every statement by its number.

use crate::place::{Done, Place, front};

const ADVOCATE: &str = include_str!("../data/advocate.md");
const SKEPTIC: &str = include_str!("../data/skeptic.md");
const OPERATOR: &str = include_str!("../data/operator.md");
const SYNTHESIS: &str = include_str!("../data/synthesis.md");
const JUDGE: &str = include_str!("../data/judge.md");

const QUESTION: &str = "Build or buy the billing service?";
const OPTIONS: [&str; 6] = ["--option", "Build it", "--option", "Buy it", "--option", "Wait"];
const HOME: &str = "docs/forge/debate/g1";
const PLAN: &str = "docs/forge/debate/g1/debate-plan.md";
const FILES: [(&str, &str); 4] =
    [("advocate.md", ADVOCATE), ("skeptic.md", SKEPTIC), ("operator.md", OPERATOR), ("synthesis.md", SYNTHESIS)];

/// The sections of each role's file, as the seed lists them.
const SECTIONS: [(&str, &[&str]); 4] = [
    (
        "advocate.md",
        &["Core Argument", "Key Strengths", "Comparative Advantages", "Success Criteria", "Risk Acceptance"],
    ),
    (
        "skeptic.md",
        &["Critical Questions", "Hidden Assumptions", "Failure Modes", "Risk Analysis", "Second-Order Effects"],
    ),
    (
        "operator.md",
        &[
            "Resource Requirements",
            "Timeline Reality Check",
            "Dependency Analysis",
            "Operational Constraints",
            "Go/No-Go Recommendation",
        ],
    ),
    ("synthesis.md", &["Final Decision", "Decision Criteria", "Kill-Switch Criteria", "Fallback Plan", "Action Items"]),
];

/// A gate of outside seats that waits for its first wave.
fn open() -> Place {
    let place = Place::new();
    let args = ["debate", QUESTION, "--protocol", "gate", "--agent", "outside", "--id", "g1"];
    place.forge(&[&args[..], &OPTIONS].concat()).code(3);
    place
}

/// The same with its four files, one of them in other words.
fn left(file: &str, text: &str) -> Place {
    let place = open();
    for (name, sound) in FILES {
        place.write(&format!("{HOME}/{name}"), if name == file { text } else { sound });
    }
    place
}

fn sound(file: &str) -> &'static str {
    FILES.iter().find(|(name, _)| *name == file).unwrap().1
}

fn gate(place: &Place) -> Done {
    place.forge(&["gate", "g1"])
}

fn strict(place: &Place) -> Done {
    place.forge(&["gate", "g1", "--strict"])
}

/// A text without one of its sections, whatever stands before the title.
fn without(text: &str, title: &str) -> String {
    let heading = text.lines().find(|line| line.starts_with("## ") && line.ends_with(title)).unwrap();
    let (before, rest) = text.split_once(heading).unwrap();
    format!("{before}{}", rest.split_once("\n## ").map_or(String::new(), |(_, after)| format!("## {after}")))
}

// seed: S0-5, S0-6, S0-8, S0-9, S0-10
#[test]
fn a_plan_tells_each_role_what_to_write_and_what_blocks() {
    let plan = open().read(PLAN);
    let section = |title: &str| {
        let body = plan.split_once(&format!("\n## {title}\n")).unwrap().1;
        body.split_once("\n## ").map_or(body, |(body, _)| body).to_owned()
    };
    assert!(section("Objective").contains(QUESTION), "{plan}");
    for option in ["Build it", "Buy it", "Wait"] {
        assert!(section("Options Under Consideration").contains(option), "{option}: {plan}");
    }
    let prompts = section("Role Prompts");
    for (role, (file, titles)) in ["advocate", "skeptic", "operator", "synthesizer"].into_iter().zip(SECTIONS) {
        let (_, own) = prompts.split_once(&format!("**{role}**")).unwrap_or_else(|| panic!("{role}: {prompts}"));
        let own = own.split_once("\n**").map_or(own, |(own, _)| own);
        assert!(own.contains(file), "{role}: {own}");
        assert!(own.lines().any(|line| line.starts_with("> ") && line.len() > 40), "{role} is instructed: {own}");
        for title in titles {
            assert!(own.contains(&format!("`{title}`")), "{role}, {title}: {own}");
        }
        assert!(section("Expected Outputs").contains(&format!("{HOME}/{file}")), "{file}: {plan}");
    }
    let criteria = section("Completion Criteria");
    for word in ["100 characters", "exactly one option", "number or a date", "NO-GO", "--strict", "forge gate"] {
        assert!(criteria.contains(word), "{word}: {criteria}");
    }
    for title in SECTIONS[3].1 {
        assert!(criteria.contains(title), "{title}: {criteria}");
    }
}

// seed: S1-93
#[test]
fn a_plan_of_fewer_than_a_hundred_characters_is_no_plan_of_a_gate() {
    let place = Place::new();
    let plan = |objective: &str| {
        format!(
            "---\ndebate_id: g1\nphase: b\nobjective: {objective}\nstatus: pending\n---\n## Options\n- Build it\n- Buy it\n- Wait\n"
        )
    };
    assert!(plan("X?").chars().count() < 100);
    for (name, sound) in FILES {
        place.write(&format!("{HOME}/{name}"), sound);
    }
    place.write(PLAN, plan("X?"));
    place.forge(&["gate", "g1"]).code(3).out("debate-plan.md").out("characters; at least 100 are needed");
    place.write(PLAN, plan(QUESTION));
    place.forge(&["gate", "g1"]).code(0).out("PASSED");
}

// seed: S0-17, S0-39, S0-40, S1-84, S1-86, S1-93, S1-94
#[test]
fn every_file_of_a_gate_must_be_there_with_words_in_it() {
    for (file, text) in FILES {
        for (name, words, says) in [
            ("empty", String::new(), "missing"),
            ("short", text.chars().take(99).collect(), "at least 100"),
            ("blank", " \n".repeat(200), "missing"),
        ] {
            let place = left(file, &words);
            let done = gate(&place).code(3).out("BLOCKED");
            assert!(done.out.lines().any(|line| line.contains(file) && line.contains(says)), "{name} {file}: {done}");
            place.forge(&["debate", "run", "g1"]).code(3);
        }
        let place = left("", "");
        std::fs::remove_file(place.path(&format!("{HOME}/{file}"))).unwrap();
        gate(&place).code(3).out(file).out("missing");
        place.write(&format!("{HOME}/{file}"), text);
        gate(&place).code(0).out("PASSED");
    }
    for plan in [None, Some("")] {
        let place = left("", "");
        match plan {
            None => std::fs::remove_file(place.path(PLAN)).unwrap(),
            Some(text) => place.write(PLAN, text),
        }
        let done = gate(&place).err("debate-plan.md");
        assert!(matches!(done.code, 2 | 7), "{done}");
    }
}

// seed: S0-18, S0-25, S0-28, S0-31, S1-83, S1-89, S1-90, S1-94
#[test]
fn each_role_file_needs_each_of_its_sections() {
    for (file, titles) in SECTIONS {
        for title in titles {
            let place = left(file, &without(sound(file), title));
            let missing = format!("section \"{title}\" is missing");
            let done = gate(&place).code(3).out("BLOCKED");
            assert!(done.out.lines().any(|line| line.contains(file) && line.contains(&missing)), "{file}: {done}");
            place.forge(&["debate", "run", "g1"]).code(3).err(&missing);
        }
    }
}

// seed: S0-34
#[test]
fn the_other_three_sections_of_a_synthesis_warn() {
    for title in ["Debate Summary", "Key Tradeoffs", "Risks Accepted"] {
        let place = left("synthesis.md", &without(SYNTHESIS, title));
        gate(&place).code(0).out("warning").out(title);
        strict(&place).code(3).out("blocks").out(title);
    }
}

/// What a section must hold: more than that it is there.
// seed: S0-26, S0-27, S0-29, S0-30, S0-32, S0-37, S0-50
#[test]
fn sections_have_the_shapes_of_the_seed() {
    let four = "Buying is quick. It is known. It is cheap. We have not done it.";
    for (file, from, to, says) in [
        (
            "advocate.md",
            "Buying is the only way to invoice customers this quarter. The vendor has done it for others. We have not.",
            four,
            "Core Argument",
        ),
        (
            "advocate.md",
            "- Ready in two weeks, by the vendor's reference customers.\n- Tax rules of twelve countries come with it.",
            "It is ready, and the tax rules come with it.",
            "Key Strengths",
        ),
        ("skeptic.md", "5. How many invoices did we send by hand last year?\n", "", "Critical Questions"),
        (
            "skeptic.md",
            "| Risk | Probability | Impact | Mitigation |",
            "| Risk | Chance | Harm | Mitigation |",
            "Risk Analysis",
        ),
        ("operator.md", "- Pessimistic: a quarter\n", "", "Timeline Reality Check"),
        (
            "synthesis.md",
            "| Risk | Probability | Impact | Owner |",
            "| Risk | Probability | Impact | Note |",
            "Risks Accepted",
        ),
        ("synthesis.md", "- Q3: We sell in four of the twelve countries.\n", "", "Q3"),
        ("synthesis.md", "  - Detection: finance counts them\n", "", "Detection"),
        ("synthesis.md", "  - Timeline: at the end of each month\n", "", "Timeline"),
        ("synthesis.md", "  - Fallback: invoices by hand\n", "", "Fallback"),
    ] {
        assert!(sound(file).contains(from), "{file} has no {from:?}");
        let place = left(file, &sound(file).replace(from, to));
        let done = gate(&place).code(0).out("PASSED");
        assert!(done.out.lines().any(|line| line.contains("warning") && line.contains(says)), "{says}: {done}");
        strict(&place).code(3).out("BLOCKED").out(says);
    }
    strict(&left("", "")).code(0).out("PASSED");
}

/// The seed's own words, with its blanks and with them filled in.
// seed: S0-49, S0-51, S1-89
#[test]
fn kill_switch_criteria_in_the_seeds_words() {
    let template = "**We will ABORT and reconsider if:**\n\n- [Condition]: [Specific, measurable threshold]\n  - Detection: [How we'll monitor]\n  - Timeline: [When to check]\n  - Fallback: [What to do instead]";
    let sound_words =
        SYNTHESIS.split_once("## 5. Kill-Switch Criteria\n\n").unwrap().1.split_once("\n\n## 6.").unwrap().0;
    let with = |words: &str| left("synthesis.md", &SYNTHESIS.replace(sound_words, words));
    gate(&with(template)).code(3).out("\"Kill-Switch Criteria\" is not written yet");
    let filled = template
        .replace("[Condition]", "Corrected invoices")
        .replace("[How we'll monitor]", "finance counts them")
        .replace("[When to check]", "each month")
        .replace("[What to do instead]", "invoices by hand");
    gate(&with(&filled.replace("[Specific, measurable threshold]", "over 5 % in a month"))).code(0).out("PASSED");
    strict(&with(&filled.replace("[Specific, measurable threshold]", "over 5 % in a month"))).code(0);
    gate(&with(&filled.replace("[Specific, measurable threshold]", "too many"))).code(3).out("number or a date");
}

/// A file that was counted and is gone afterwards keeps the gate shut, whichever it is.
// seed: S0-42, S1-86
#[test]
fn a_file_that_is_gone_after_it_was_counted_blocks() {
    for (file, text) in FILES {
        let place = left("", "");
        place.forge(&["debate", "run", "g1"]).code(0).out("DECIDED: B (Buy it)");
        gate(&place).code(0);
        for words in [None, Some(String::new()), Some(text.replace("invoice", "bill"))] {
            let path = format!("{HOME}/{file}");
            match &words {
                None => std::fs::remove_file(place.path(&path)).unwrap(),
                Some(words) => place.write(&path, words),
            }
            gate(&place).code(7).out(file).out("forge debate restore g1");
            place.write(&path, text);
            gate(&place).code(0).out("PASSED");
        }
    }
}

// seed: S0-7
#[test]
fn a_gate_wants_three_options() {
    let args = ["debate", QUESTION, "--protocol", "gate", "--agent", "outside"];
    Place::new().forge(&[&args[..], &OPTIONS[..4]].concat()).code(2).err("2 options; gate needs at least 3");
}

/// Three judges by files, with these options in these rounds.
fn judges(rounds: &[[&str; 3]]) -> (Place, Done) {
    let place = Place::new();
    let args = ["debate", QUESTION, "--agent", "outside", "--id", "q1"];
    let mut done = place.forge(&[&args[..], &OPTIONS].concat()).code(3);
    for (round, votes) in ["", "-r2"].iter().zip(rounds) {
        for (judge, vote) in ["risk", "value", "effort"].iter().zip(votes) {
            let words = JUDGE
                .replace("**Recommended Option:** Option B", &format!("**Recommended Option:** {vote}"))
                .replace("Buying can be undone", &format!("As {judge} sees it in round{round} {vote} can be undone"));
            place.write(&format!("docs/forge/sadd/debate-q1-{judge}{round}.md"), words);
        }
        done = place.forge(&["debate", "run", "q1"]);
    }
    (place, done)
}

/// The seed's diagram: risk and effort for one option, value for another.
// seed: S3-5
#[test]
fn two_judges_of_three_are_a_consensus_without_a_second_round() {
    let (place, done) = judges(&[["A", "B", "A"]]);
    done.code(0).out("CONSENSUS: A (Build it)");
    assert!(!place.files().iter().any(|file| file.contains("-r2")), "{:#?}", place.files());
}

// seed: S3-6, S3-24
#[test]
fn judges_who_all_differ_are_asked_again_with_files_of_their_own() {
    let (place, done) = judges(&[["A", "B", "C"]]);
    done.code(3).out("WAITING for risk, value, effort").out("docs/forge/sadd/debate-q1-risk-r2.md");
    place.forge(&["debate", "show", "q1"]).code(3);
}

// seed: S2-8, S3-50, S3-51, S3-52, S4-40, S4-42
#[test]
fn the_limits_of_a_debate_are_the_seeds() {
    for (protocol, rounds) in [("judges", "2"), ("panel", "10"), ("challenge", "5")] {
        let place = Place::new();
        let args = ["debate", QUESTION, "--protocol", protocol, "--agent", "outside", "--id", "d1"];
        place.forge(&[&args[..], &OPTIONS].concat());
        let plan = place.read(
            &place
                .only(|file| !file.contains("trail/") && (file.ends_with("plan.md") || file.ends_with("/context.md"))),
        );
        assert_eq!(front(&plan, "rounds").as_deref(), Some(rounds), "{protocol}");
        assert_eq!(front(&plan, "timeout_seconds").as_deref(), Some("120"), "{protocol}");
        assert_eq!(front(&plan, "threshold").as_deref(), Some("2/3"), "{protocol}");
    }
}

/// The seed's example: one judge is convinced in round 2, and the result says from what to what and why.
// seed: S3-25, S3-27, S3-28, S3-29
#[test]
fn a_change_of_vote_is_in_the_result_file() {
    let place = Place::new();
    place.write(
        "script.yaml",
        "replies:\n  - {seat: risk, ballot: {option: A, reason: A is what can be restored from a backup today.}}\n  - {seat: effort, ballot: {option: C, reason: C runs already and costs nobody a day.}}\n  - {seat: value, round: 1, ballot: {option: B, reason: B is what the customers asked for by name.}}\n  - {seat: value, round: 2, ballot: {option: A, reason: A restore that works is worth more to customers.}}\n",
    );
    let args = ["debate", QUESTION, "--agent", "scripted:script.yaml", "--id", "q1"];
    place.forge(&[&args[..], &OPTIONS].concat()).code(0).out("CONSENSUS: A (Build it)");
    let result = place.read("docs/forge/sadd/debate-q1-result.yaml");
    for line in [
        "  question_id: \"q1\"",
        "  consensus: true",
        "  recommended_option: \"A\"",
        "    risk: \"Option A - A is what can be restored from a backup today.\"",
        "    value: \"Option A - A restore that works is worth more to customers. (changed from B)\"",
        "    - judge: \"value\"",
        "      round: 2",
        "      from: \"B\"",
        "      to: \"A\"",
    ] {
        assert!(result.lines().any(|there| there == line), "no {line:?} in\n{result}");
    }
    assert!(result.contains("\n      reason: \""), "{result}");
}

/// Three judges who differ to the end: the seed's other result, and its prompt with every option.
// seed: S3-30, S3-31, S3-32, S3-33, S3-34, S3-44
#[test]
fn a_contested_result_is_the_seeds() {
    let place = Place::new();
    place.write("split.yaml", "replies:\n  - {seat: risk, ballot: {option: A}}\n  - {seat: value, ballot: {option: B}}\n  - {seat: effort, ballot: {option: C}}\n");
    let args = ["debate", QUESTION, "--agent", "scripted:split.yaml", "--id", "q1"];
    let done = place.forge(&[&args[..], &OPTIONS].concat()).code(4);
    let result = place.read("docs/forge/sadd/debate-q1-result.yaml");
    for line in [
        "  consensus: false",
        "  outcome: \"CONTESTED\"",
        "  confidence: \"REQUIRES_INPUT\"",
        "    \"A\": [\"risk\"]",
        "    \"B\": [\"value\"]",
        "    \"C\": [\"effort\"]",
        "    risk_favors: |",
        "    value_favors: |",
        "    effort_favors: |",
        "  user_prompt: |",
        "    Which option would you like to proceed with?",
        "    [A] Build it",
        "    [B] Buy it",
        "    [C] Wait",
    ] {
        assert!(result.lines().any(|there| there == line), "no {line:?} in\n{result}");
    }
    assert!(result.contains("Judges disagreed on this question"), "{result}");
    assert!(!result.contains("recommended_option"), "nobody won: {result}");
    done.out("Which option would you like to proceed with?");
}

// seed: S2-27, S2-37, S2-38
#[test]
fn the_levels_of_the_seed_are_rosters() {
    let place = Place::new();
    for (roster, experts) in [
        ("board", &["ceo", "cto", "cfo", "coo"][..]),
        ("planning-1", &["software-architect", "security-architect", "infrastructure-engineer", "data-architect"]),
        ("planning-2", &["lead-specialist"]),
        ("planning-3", &["delivery-lead", "quality-lead", "release-engineer", "estimator"]),
    ] {
        let args = ["debate", "Do we do it?", "--protocol", "panel", "--agent", "rehearsal", "--dry-run", "--json"];
        let json = place.forge(&[&args[..], &["--roster", roster]].concat()).code(0).json();
        let debaters = json["seats"].as_array().unwrap().iter().filter(|seat| seat["duty"] == "debater");
        let seats: Vec<&str> = debaters.map(|seat| seat["id"].as_str().unwrap()).collect();
        assert!(seats.starts_with(experts), "{roster}: {seats:?}");
        assert!(seats.ends_with(&["contrarian", "moonshot"]), "{roster}: {seats:?}");
        assert!(seats.len() == 6 || roster == "planning-2", "{roster}: {seats:?}");
    }
}

/// The persona files of a challenge, whatever they are called.
fn personas(question: &str) -> Vec<String> {
    let place = Place::new();
    let args = ["debate", question, "--protocol", "challenge", "--agent", "rehearsal", "--id", "c1"];
    place.forge(&[&args[..], &OPTIONS].concat());
    let others = ["context.md", "transcript.md", "verdict.md", "decision.md"];
    let files = place.files_in("debates/c1").into_iter();
    files
        .filter(|file| file.ends_with(".md") && !file.contains('/') && !others.contains(&file.as_str()))
        .map(|file| place.read(&format!("debates/c1/{file}")))
        .collect()
}

// seed: S4-4, S4-6
#[test]
fn challengers_are_three_experts_of_the_topics_domain() {
    let storage = personas("Redis or Memcached as the cache for sessions?");
    let identity = personas("Passkeys or passwords for the login?");
    for experts in [&storage, &identity] {
        assert_eq!(experts.len(), 3, "{experts:#?}");
        assert!(experts[0] != experts[1] && experts[1] != experts[2] && experts[0] != experts[2]);
    }
    for expert in &storage {
        assert!(!identity.contains(expert), "the same expert for another domain: {expert}");
    }
}

/// Every objection stands to the last round: the lead's position is a tradeoff, with what each side assumes.
// seed: S4-35, S4-36, S4-62
#[test]
fn objections_that_stand_end_in_a_tradeoff_with_assumptions() {
    let place = Place::new();
    place.write(
        "stand.yaml",
        "replies:\n  - {stage: challenge, seat: operator, ballot: {verdict: disagree, objection_strength: strong}}\n  - {stage: rebuttal, ballot: {response: MAINTAIN}}\n  - {stage: assumptions, seat: lead, ballot: {assumption: Traffic stays flat for a year.}}\n  - {stage: assumptions, seat: operator, ballot: {assumption: Traffic doubles before summer.}}\n",
    );
    let args = ["debate", QUESTION, "--protocol", "challenge", "--agent", "scripted:stand.yaml", "--id", "c1"];
    place.forge(&[&args[..], &OPTIONS, &["--rounds", "2"]].concat()).code(4).out("TRADEOFF");
    let report = place.read("debates/c1/verdict.md");
    for words in ["Traffic stays flat for a year.", "Traffic doubles before summer.", "v1 (opening)"] {
        assert!(report.contains(words), "no {words:?} in\n{report}");
    }
    for file in ["rounds/r001_operator.md", "rounds/r002_lead.md", "transcript.md", "state.json", "context.md"] {
        assert!(place.has(&format!("debates/c1/{file}")), "{file} in {:#?}", place.files());
    }
}

// seed: S2-7, S2-8
#[test]
fn a_panel_holds_two_to_ten_rounds() {
    let place = Place::new();
    let args = ["debate", QUESTION, "--protocol", "panel", "--agent", "rehearsal", "--dry-run", "--rounds"];
    for (rounds, code) in [("1", 2), ("2", 0), ("10", 0), ("11", 2)] {
        let done = place.forge(&[&args[..], &[rounds], &OPTIONS].concat()).code(code);
        assert!(code == 0 || done.err.contains("2 to 10 rounds"), "{done}");
    }
}
