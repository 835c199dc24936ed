//! The commands around a debate: what they print, how they end, and that looking changes nothing.

use crate::place::Place;
use std::collections::BTreeSet;

const QUESTION: &str = "Build or buy the billing service?";
const OPTIONS: [&str; 6] = ["--option", "Build it: with our own team", "--option", "Buy it", "--option", "Wait"];
const SPLIT: &str = "replies:\n  - {seat: risk, ballot: {option: A}}\n  - {seat: value, ballot: {option: B}}\n  - {seat: effort, ballot: {option: C}}\n  - {ballot: {option: B, options: [B]}}\n";
const PROTOCOLS: [&str; 4] = ["judges", "gate", "panel", "challenge"];

/// A debate of every protocol in one folder, by a script, as `<protocol>-1`.
fn full() -> Place {
    with(&PROTOCOLS)
}

/// A debate of each of these protocols.
fn with(protocols: &[&str]) -> Place {
    let place = Place::new();
    place.write("split.yaml", SPLIT);
    for protocol in protocols {
        let id = format!("{protocol}-1");
        let args = ["debate", QUESTION, "--protocol", protocol, "--agent", "scripted:split.yaml", "--id", &id];
        let more: &[&str] = match *protocol {
            "panel" => &["--rounds", "2", "--roster", "planning-2"],
            "challenge" => &["--rounds", "1"],
            _ => &[],
        };
        place.forge(&[&args[..], &OPTIONS, more].concat());
    }
    place
}

#[test]
fn looking_changes_nothing() {
    let place = full();
    let before = place.tree();
    for protocol in PROTOCOLS {
        let id = format!("{protocol}-1");
        for args in [
            &["debate", "status", &id][..],
            &["debate", "--status", "--id", &id],
            &["debate", "show", &id],
            &["debate", "list"],
            &["gate", &id],
            &["gate", &id, "--strict"],
            &["export", &id],
            &["export", &id, "--format", "json"],
            &["export", &id, "--format", "yaml"],
            &["export", &id, "--format", "adr"],
            &["classify", QUESTION],
        ] {
            place.forge(args);
            assert_eq!(place.tree(), before, "{args:?}");
        }
    }
}

#[test]
fn show_status_and_list_agree() {
    let place = full();
    let list = place.forge(&["debate", "list"]).code(0);
    let rows = place.forge(&["debate", "list", "--json"]).code(0).json();
    let ids: BTreeSet<String> =
        rows["debates"].as_array().unwrap().iter().map(|row| row["debate"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids, PROTOCOLS.map(|protocol| format!("{protocol}-1")).into());
    for row in rows["debates"].as_array().unwrap() {
        let id = row["debate"].as_str().unwrap();
        let verdict = place.forge(&["debate", "show", id, "--json"]).json();
        let status = place.forge(&["debate", "status", id, "--json"]).code(0).json();
        assert_eq!(row["standing"], verdict["outcome"], "{id}");
        assert_eq!(status["outcome"], verdict["outcome"], "{id}");
        assert_eq!(row["question"], QUESTION);
        assert!(place.has(row["plan_file"].as_str().unwrap()));
        assert!(list.out.contains(id) && list.out.contains(verdict["outcome"].as_str().unwrap()), "{list}");
        let text = place.forge(&["debate", "status", id]).code(0);
        assert!(text.out.starts_with(id) && text.out.contains("complete"), "{text}");
        let shown = place.forge(&["debate", "show", id]);
        let needs_a_person = matches!(verdict["outcome"].as_str().unwrap(), "contested" | "tradeoff");
        assert_eq!(shown.code, if needs_a_person { 4 } else { 0 }, "{shown}");
        assert_eq!(
            verdict["spent"]["calls"].as_u64().unwrap() as usize,
            status["turns"].as_array().unwrap().len(),
            "{id}"
        );
    }
}

#[test]
fn an_empty_folder_has_no_debates_and_says_how_to_begin() {
    let place = Place::new();
    place.forge(&["debate", "list"]).code(0).out("No debates here yet").out("forge debate \"");
    assert_eq!(place.forge(&["debate", "list", "--json"]).code(0).json(), serde_json::json!({"debates": []}));
    assert!(place.files().is_empty(), "{:?}", place.files());
}

#[test]
fn a_debate_is_found_by_id_prefix_and_path() {
    let place = full();
    for (name, id) in [
        ("judges-1", "judges-1"),
        ("jud", "judges-1"),
        ("docs/forge/sadd/debate-judges-1-plan.md", "judges-1"),
        ("./docs/forge/sadd/debate-judges-1-plan.md", "judges-1"),
        ("gate-1", "gate-1"),
        ("docs/forge/debate/gate-1", "gate-1"),
        ("docs/forge/debate/gate-1/", "gate-1"),
        ("docs/forge/debate/gate-1/debate-plan.md", "gate-1"),
        ("debates/challenge-1", "challenge-1"),
        ("pan", "panel-1"),
    ] {
        assert_eq!(place.forge(&["debate", "status", name, "--json"]).code(0).json()["debate"], id, "{name}");
    }
}

#[test]
fn a_debate_is_found_from_anywhere() {
    let place = with(&["judges"]);
    let work = place.work();
    let work = work.to_str().unwrap();
    let elsewhere = Place::new();
    elsewhere.forge(&["-C", work, "debate", "show", "judges-1"]).code(4).out("CONTESTED");
    elsewhere.forge(&["debate", "show", "judges-1", "--workspace", work]).code(4);
    assert!(elsewhere.files().is_empty());
}

#[test]
fn the_gate_says_what_it_checked() {
    let place = with(&["judges", "gate"]);
    place.forge(&["gate", "gate-1"]).code(3).out("BLOCKED").out("a rehearsal passes no gate");
    place.forge(&["gate", "gate-1", "--allow-rehearsal"]).code(0).out("PASSED").out("B (Buy it)").out("rehearsal");
    let json = place.forge(&["gate", "gate-1", "--json", "--allow-rehearsal"]).code(0).json();
    assert_eq!(
        (&json["debate_gate_passed"], &json["rehearsal"], &json["status"], &json["outcome"]),
        (&true.into(), &true.into(), &"complete".into(), &"decided".into())
    );
    let json = place.forge(&["gate", "judges-1", "--json"]).code(3).json();
    assert_eq!(json["debate_gate_passed"], false);
    assert!(json["findings"][0]["text"].as_str().unwrap().contains("forge debate decide judges-1"), "{json}");
    assert_eq!(json["findings"][0]["blocks"], true);
}

#[test]
fn a_damaged_synthesis_shuts_a_gate_that_was_open() {
    let place = with(&["gate"]);
    std::fs::remove_file(place.path("docs/forge/debate/gate-1/synthesis.md")).unwrap();
    place.forge(&["gate", "gate-1"]).code(7).out("synthesis.md").out("forge debate restore gate-1");
    place.forge(&["debate", "status", "gate-1", "--json"]).code(7);
    place.forge(&["debate", "restore", "gate-1"]).code(0).out("put back docs/forge/debate/gate-1/synthesis.md");
    place.forge(&["debate", "status", "gate-1", "--json"]).code(0);
}

// seed: S3-1
#[test]
fn questions_are_sorted_by_whole_words() {
    for (question, debated) in [
        ("Should offline mode be part of the MVP scope?", true),
        ("What is the exact colour of the button?", false),
        ("How are the gymnasts telescoped into the microscope?", false),
    ] {
        let place = Place::new();
        let json = place.forge(&["classify", question, "--json"]).code(0).json();
        assert_eq!(json["goes_to_debate"], debated, "{json}");
        assert_eq!(json["class"] == "SCOPE_CRITICAL", debated, "{json}");
        let text = place.forge(&["classify", question]).code(0);
        assert!(text.out.contains(if debated { "SCOPE_CRITICAL  debate it" } else { "no debate needed" }), "{text}");
        assert!(place.files().is_empty());
    }
}

#[test]
fn a_dry_run_shows_everything_and_writes_nothing() {
    for protocol in PROTOCOLS {
        for options in [&[][..], &OPTIONS[..]] {
            let place = Place::new();
            place.write("notes.txt", "Invoices are sent by hand today.");
            let args = ["debate", QUESTION, "--protocol", protocol, "--context", "notes.txt", "--dry-run"];
            let before = place.tree();
            let done = place
                .forge(&[&args[..], options].concat())
                .code(0)
                .out("nobody was asked")
                .out(QUESTION)
                .out("calls")
                .out("tokens")
                .out("notes.txt");
            let json = place.forge(&[&args[..], options, &["--json"]].concat()).code(0).json();
            assert_eq!(place.tree(), before, "{protocol}");
            let (min, max) = (json["calls"]["min"].as_u64().unwrap(), json["calls"]["max"].as_u64().unwrap());
            assert!(0 < min && min <= max, "{json}");
            assert!(json["tokens"]["min"].as_u64() < json["tokens"]["max"].as_u64(), "{json}");
            let stages = json["stages"].as_array().unwrap();
            assert_eq!(stages.iter().map(|stage| stage["max_calls"].as_u64().unwrap()).sum::<u64>(), max, "{json}");
            assert_eq!(stages[0]["stage"].as_str().unwrap().contains("Framing"), options.is_empty(), "{json}");
            for seat in json["seats"].as_array().unwrap() {
                assert!(done.out.contains(seat["id"].as_str().unwrap()), "{done}");
            }
            assert!(
                json["briefs"].as_array().unwrap().iter().all(|brief| brief["bytes"].as_u64().unwrap() > 1_000),
                "{json}"
            );
        }
    }
}

#[test]
fn a_dry_run_keeps_its_word_on_calls() {
    for protocol in PROTOCOLS {
        for options in [&[][..], &OPTIONS[..]] {
            let place = Place::new();
            let more: &[&str] = if protocol == "panel" { &["--rounds", "2", "--roster", "planning-2"] } else { &[] };
            let args = [&["debate", QUESTION, "--protocol", protocol, "--json"], options, more].concat();
            let told = place.forge(&[&args[..], &["--dry-run"]].concat()).code(0).json();
            let made = place.forge(&args).json()["spent"]["calls"].as_u64().unwrap();
            let (min, max) = (told["calls"]["min"].as_u64().unwrap(), told["calls"]["max"].as_u64().unwrap());
            assert!(min <= made && made <= max, "{protocol}: {made} calls, told {min}..{max}");
        }
    }
}

#[test]
fn the_plan_and_the_announcement_tell_the_same_cost() {
    let place = Place::new();
    let done = place.forge(&["debate", QUESTION, "--id", "q1"]);
    let told = done.err.lines().find(|line| line.contains("calls")).unwrap().to_owned();
    let plan = place.read("docs/forge/sadd/debate-q1-plan.md");
    let total = plan.lines().find(|line| line.starts_with("| Total |")).unwrap();
    let spent = place.forge(&["debate", "show", "q1", "--json"]).json()["spent"]["calls"].as_u64().unwrap();
    let most: u64 = total.trim_end_matches(" |").rsplit("| ").next().unwrap().parse().unwrap();
    assert!(spent <= most, "{spent} calls were made; the plan's table says {total:?}, the announcement {told:?}");
}

#[test]
fn exports_have_their_form() {
    let place = full();
    for protocol in PROTOCOLS {
        let id = format!("{protocol}-1");
        let md = place.forge(&["export", &id]).code(0);
        let outcome = if protocol == "challenge" { "## DEBATE OUTCOME: " } else { "## Debate outcome: " };
        assert!(md.out.starts_with(&format!("# {QUESTION}\n")) && md.out.contains(outcome), "{md}");
        let adr = place.forge(&["export", &id, "--format", "adr"]).code(0);
        for part in [
            "status: ",
            "## Context and Problem Statement",
            "## Considered Options",
            "* Buy it",
            "## Decision Outcome",
            "### Consequences",
        ] {
            assert!(adr.out.contains(part), "no {part:?} in {adr}");
        }
        let json = place.forge(&["export", &id, "--format", "json"]).code(0);
        assert_eq!(json.json(), place.forge(&["debate", "show", &id, "--json"]).json());
        let yaml = place.forge(&["export", &id, "--format", "yaml"]).code(0);
        assert!(yaml.out.starts_with("debate_result:\n"), "{yaml}");
        is_plain_yaml(&yaml.out);
    }
    let yaml = place.forge(&["export", "judges-1", "--format", "yaml"]).code(0);
    assert_eq!(yaml.out, place.read("docs/forge/sadd/debate-judges-1-result.yaml"));
    for part in [
        "question_id: \"judges-1\"",
        "consensus: false",
        "outcome: \"CONTESTED\"",
        "risk_favors: |",
        "user_prompt: |",
        "[B] Buy it",
        "change_log: []",
    ] {
        assert!(yaml.out.contains(part), "no {part:?} in {yaml}");
    }
}

// seed: S3-25
#[test]
fn a_consensus_exports_the_seeds_other_shape() {
    let place = Place::new();
    place.write("agree.yaml", "replies:\n  - {ballot: {option: B, confidence: HIGH}}\n");
    place
        .forge(&[&["debate", QUESTION, "--agent", "scripted:agree.yaml", "--id", "q1"][..], &OPTIONS].concat())
        .code(0);
    let yaml = place.forge(&["export", "q1", "--format", "yaml"]).code(0);
    for part in [
        "consensus: true",
        "recommended_option: \"B\"",
        "confidence: \"HIGH\"",
        "perspectives:",
        "    risk: \"Option B - ",
        "distribution:",
    ] {
        assert!(yaml.out.contains(part), "no {part:?} in {yaml}");
    }
    assert!(!yaml.out.contains("user_prompt"), "{yaml}");
    is_plain_yaml(&yaml.out);
}

/// Every line is indented by twos under a key, a list item or a block, and every quoted value is closed.
fn is_plain_yaml(text: &str) {
    let mut block: Option<usize> = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let indent = line.len() - line.trim_start().len();
        if block.is_some_and(|least| indent > least) {
            continue;
        }
        block = line.ends_with(": |").then_some(indent);
        assert_eq!(indent % 2, 0, "{line:?}");
        let item = line.trim_start().trim_start_matches("- ");
        let is_item = line.trim_start().starts_with("- ");
        let quotes = item.replace("\\\\", "").replace("\\\"", "").matches('"').count();
        assert_eq!(quotes % 2, 0, "{line:?}");
        assert!(is_item || item.contains(": ") || item.ends_with(':'), "{line:?}");
    }
}

#[test]
fn derived_files_are_written_anew() {
    let place = full();
    let derived = [
        ("judges-1", "docs/forge/sadd/debate-judges-1-result.yaml"),
        ("judges-1", "docs/forge/sadd/debate-judges-1-trail/verdict.json"),
        ("gate-1", "docs/forge/debate/gate-1/verdict.md"),
        ("panel-1", "docs/forge/debate/panel-1/verdict.md"),
        ("challenge-1", "debates/challenge-1/state.json"),
        ("challenge-1", "debates/challenge-1/transcript.md"),
        ("challenge-1", "debates/challenge-1/verdict.md"),
    ];
    let before = place.tree();
    for (id, file) in derived {
        for damage in ["", "{\"outcome\": \"consensus\", \"debate\": \"forged\"}", "\u{0}\u{0}"] {
            for repair in
                [&["debate", "regenerate", id][..], &["debate", "--regenerate", "--id", id], &["debate", "run", id]]
            {
                if damage.is_empty() {
                    std::fs::remove_file(place.path(file)).unwrap();
                } else {
                    place.write(file, damage);
                }
                place.forge(repair);
                assert_eq!(place.tree(), before, "{file} after {repair:?}");
            }
        }
    }
}

// seed: S0-83
#[test]
fn a_plan_may_be_regenerated_until_a_seat_was_asked() {
    let place = Place::new();
    place.forge(&["debate", QUESTION, "--protocol", "gate", "--agent", "outside", "--id", "g1"]).code(3);
    let plan = "docs/forge/debate/g1/debate-plan.md";
    place.edit(plan, |text| text.replace("objective: \"Build or buy", "objective: \"Make or buy"));
    place.forge(&["debate", "--regenerate", "--id", "g1"]).code(0).out("written anew");
    assert!(place.read(plan).contains("## Objective\n\nMake or buy"), "{}", place.read(plan));
    let place = with(&["gate"]);
    let done = place.forge(&["debate", "regenerate", "gate-1"]).code(0);
    assert!(done.out.contains("stays as it is") && done.out.contains("--fork"), "{done}");
}

#[test]
fn a_fork_debates_the_changed_plan() {
    let place = with(&["gate"]);
    let plan = "docs/forge/debate/gate-1/debate-plan.md";
    let before = place.read(plan);
    place.edit(plan, |text| text.replace("label: \"Wait\"", "label: \"Wait a year\""));
    let done = place.forge(&["debate", "run", "gate-1"]).code(2).err("debate-plan.md").err("--fork --adopt");
    assert!(
        done.err.contains("-    label: \"Wait\"") && done.err.contains("+    label: \"Wait a year\""),
        "a diff: {done}"
    );
    let forked = place.forge(&["debate", "run", "gate-1", "--fork", "--adopt", "--json"]).code(0).json();
    assert_ne!(forked["debate"], "gate-1");
    assert_eq!(forked["options"][2]["label"], "Wait a year");
    assert!(forked["spent"]["calls"].as_u64().unwrap() >= 4);
    place.write(plan, before);
    place.forge(&["debate", "show", "gate-1"]).code(0);
}

// seed: S3-11, S3-12
#[test]
fn questions_prepared_by_another_tool_are_read() {
    let place = Place::new();
    place.write("agree.yaml", "replies:\n  - {ballot: {option: limited}}\n");
    place.write(
        "question.yaml",
        "debate_context:\n  question_id: \"offline\"\n  question_text: \"Is offline mode in scope?\"\n  options:\n    - {id: full, label: \"Full offline\", description: \"Everything works offline.\"}\n    - {id: limited, label: \"Limited offline\"}\n    - {id: none, label: \"Online only\"}\n  spec_context: |\n    Users travel by train.\n  feature_name: \"Sync\"\n  feature_dir: \"docs/sync\"\n",
    );
    place
        .forge(&["debate", "--from", "question.yaml", "--agent", "scripted:agree.yaml"])
        .code(0)
        .out("CONSENSUS: limited (Limited offline)");
    assert!(place.has("docs/sync/sadd/debate-offline-risk.md"), "{:#?}", place.files());
    let brief = place.read("docs/sync/sadd/debate-offline-trail/briefs/opening-r1-risk.1.md");
    assert!(brief.contains("Users travel by train.") && brief.contains("Everything works offline."), "{brief}");
    place.forge(&["debate", "show", "offline"]).code(0);
    place.forge(&["debate", "list"]).code(0).out("offline");
    place.write("question.json", "{\"question_text\": \"Is it in scope?\", \"options\": [\"Yes\", \"No\"]}");
    place.forge(&["debate", "--from", "question.json"]);
    place.forge(&["debate", "Another question?", "--from", "question.yaml"]).code(2).err("--from");
}

// seed: S3-13
#[test]
fn context_reaches_every_seat() {
    let place = Place::new();
    place.write("notes/spec.md", "The invoice number must never repeat.");
    place.forge(&["debate", QUESTION, "--context", "notes/spec.md", "--id", "q1"]);
    for seat in ["risk", "value", "effort"] {
        let brief = place.read(&format!("docs/forge/sadd/debate-q1-trail/briefs/opening-r1-{seat}.1.md"));
        assert!(brief.contains("must never repeat"), "{seat}");
    }
    // What counts is what the file said when the debate began.
    place.write("notes/spec.md", "The invoice number may repeat.");
    place.forge(&["debate", "run", "q1"]);
}

#[test]
fn help_is_there_for_every_command() {
    let place = Place::new();
    for args in [
        &["--help"][..],
        &["-h"],
        &["--version"],
        &["debate", "--help"],
        &["debate", "run", "--help"],
        &["debate", "status", "--help"],
        &["debate", "show", "--help"],
        &["debate", "list", "--help"],
        &["debate", "decide", "--help"],
        &["debate", "regenerate", "--help"],
        &["turn", "--help"],
        &["turn", "submit", "--help"],
        &["gate", "--help"],
        &["classify", "--help"],
        &["export", "--help"],
        &["agents", "--help"],
        &["doctor", "--help"],
        &["help"],
        &["help", "debate"],
    ] {
        let done = place.forge(args).code(0);
        assert!(!done.out.is_empty() && done.err.is_empty(), "{done}");
    }
    for code in ["0 done", "2 usage", "3 blocked", "4 contested", "5 insufficient", "6 busy", "130 stopped"] {
        place.forge(&["--help"]).out(code);
    }
}

#[test]
fn the_environment_names_the_default_agent() {
    let place = Place::new().with("FORGE_AGENT", "scripted:agree.yaml");
    place.write("agree.yaml", "replies:\n  - {ballot: {option: B}}\n");
    place.forge(&[&["debate", QUESTION][..], &OPTIONS].concat()).code(0).out("CONSENSUS: B").out("REHEARSAL");
    place.forge(&[&["debate", QUESTION, "--agent", "rehearsal"][..], &OPTIONS].concat()).out("REHEARSAL");
    Place::new().with("FORGE_AGENT", "opnai:x").forge(&["debate", QUESTION]).code(2).err("opnai");
    Place::new()
        .with("FORGE_DURABILITY", "half")
        .forge(&["debate", QUESTION])
        .code(2)
        .err("FORGE_DURABILITY")
        .err("full or none");
}

#[test]
fn projects_may_change_roles_and_prompts() {
    let place = Place::new();
    place.write(".claude/forge/roles/risk.md", "# Risk judge\n\nYou fear the auditors more than anything.\n");
    place.forge(&["debate", QUESTION, "--dry-run"]).code(0).out("REPLACED").out(".claude/forge/roles/risk.md");
    place.forge(&["debate", QUESTION, "--id", "q1"]).err("REPLACED");
    place.forge(&["verify", "q1"]).out("the project's own text stands for forge's: .claude/forge/roles/risk.md");
    let brief = place.read("docs/forge/sadd/debate-q1-trail/briefs/opening-r1-risk.1.md");
    assert!(brief.contains("You fear the auditors"), "{brief}");
    let place = Place::new();
    place.write(".claude/forge/prompts/judges/opening.md", "Decide about {{ question.\n");
    place.forge(&["debate", QUESTION, "--id", "q1"]).code(2).err("prompts/judges/opening.md");
}

/// What the plan rests on is read anew with it.
#[test]
fn a_regenerated_plan_sends_the_documents_as_they_are_now() {
    let place = Place::new();
    place.forge(&["start", "Sessions that survive a restart"]).code(0);
    place.forge(&["brainstorm"]);
    let options = "# Options\n\n## Options\n\n- Redis: a server\n- Cookies: no server\n- Postgres: a table\n";
    place.write("docs/forge/brainstorm-options.md", options);
    place.forge(&["continue"]).code(3);
    let plan = place.only(|file| file.ends_with("/debate-plan.md"));
    let id = plan.rsplit('/').nth(1).unwrap();
    place.edit("docs/forge/knowledge/brief.md", |text| format!("{text}\nIt must run offline.\n"));
    place.write("docs/forge/brainstorm-options.md", options.replace("a table", "one table"));
    place.forge(&["debate", "--regenerate", "--id", id]).code(0).out("docs/forge/knowledge/brief.md");
    place.forge(&["turn", "next", id]).code(3);
    let ask = place.read(&place.only(|file| file.ends_with("outside/case-r1-advocate.md")));
    assert!(ask.contains("It must run offline.") && !ask.contains("a table"), "{ask}");
    place.forge(&["debate", "--regenerate", "--id", id]).code(0);
    place.forge(&["gate", id]).code(3);
}

/// Another tool's state goes on naming brainstorm's debate when brainstorm is over.
#[test]
fn a_finished_debate_of_an_earlier_phase_is_that_phases() {
    let text = |name: &str| match name {
        "advocate" => include_str!("../../../testkit/fixtures/stub-ao/texts/advocate.md"),
        "skeptic" => include_str!("../../../testkit/fixtures/stub-ao/texts/skeptic.md"),
        "operator" => include_str!("../../../testkit/fixtures/stub-ao/texts/operator.md"),
        _ => include_str!("../../../testkit/fixtures/stub-ao/texts/synthesis.md"),
    };
    for status in ["complete", "completed"] {
        let place = Place::new();
        let folder = "docs/forge/debate/brainstorm-20260201-100000";
        for name in ["advocate", "skeptic", "operator", "synthesis"] {
            place.write(&format!("{folder}/{name}.md"), text(name));
        }
        place.write(
            &format!("{folder}/debate-plan.md"),
            "---\ndebate_id: \"brainstorm-20260201-100000\"\nphase: \"brainstorm\"\nstatus: \"complete\"\n---\n\n# Debate Plan\n\n## Objective\nWhere sessions are kept\n\n## Options Under Consideration\n- Redis\n- Cookies\n- Postgres\n",
        );
        place.write(
            "docs/forge/handoffs/brainstorm-to-research.md",
            "---\nfrom_phase: \"brainstorm\"\nto_phase: \"research\"\ngenerated_at: \"2026-02-01T15:00:00Z\"\nworkflow_id: \"wf-7\"\nstatus: \"final\"\n---\n\n# Phase Handoff\n\n## Summary\n\nThe debate chose Redis.\n",
        );
        place.write(
            ".claude/forge/active-workflow.md",
            format!(
                "---\nworkflow: forge\nobjective: \"Sessions\"\nphase: research\nphase_status: in_progress\nstarted_at: 2026-02-01T09:00:00Z\ncompleted_phases: [init, brainstorm]\nnext_phase: design\ndebate_id: \"brainstorm-20260201-100000\"\ndebate_status: {status}\n---\n\nAsk Ann.\n"
            ),
        );
        let done = place.forge(&["continue"]).code(0).out("3/10 research, in progress").out("debate     none");
        assert!(!done.out.contains("blocks"), "{done}");
        place.forge(&["decisions"]).out("Redis");
        assert!(place.read(".claude/forge/active-workflow.md").contains("Ask Ann."), "what a person wrote stays");
    }
}
