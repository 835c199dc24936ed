//! Three judges as S3 describes them, through the binary: its question file, its configuration, files written by hand in the
//! form of the tools that it comes from, its results, and a person's word.

use crate::place::{Done, Place, front};

/// S3's Step 1, filled in.
const CONTEXT: &str = "debate_context:
  question_id: \"SQ-004\"
  question_text: \"Should offline mode be in the first version?\"
  options:
    - id: \"A\"
      label: \"Online only\"
      description: \"no offline at all\"
    - id: \"B\"
      label: \"Full offline\"
      description: \"everything syncs\"
    - id: \"C\"
      label: \"Limited offline\"
      description: \"reading works offline\"

  spec_context: |
    Field workers are 40% of revenue.

  feature_name: \"offline\"
  feature_dir: \"specs/007-offline\"
";

const SADD: &str = "specs/007-offline/sadd";
const RISK: &str = "Offline sync has high complexity risk; sync bugs only appear after weeks of real usage.";
const VALUE: &str = "Full offline is our competitive advantage, and field workers need this every day.";
const EFFORT: &str = "Limited offline gives 80 percent of the value for 20 percent of the effort.";

/// A judge's file in the form of S3's own tools: blanks below it are those of the form.
fn evaluation(judge: &str, option: &str, title: &str, why: &str) -> String {
    format!(
        "# {judge} Judge Evaluation

> **Question:** Should offline mode be in the first version?
> **Stance:** SKEPTICAL
> **Round:** 1

## My Recommendation

**Chosen Option:** Option {option} (short name)
**Confidence:** HIGH

## {judge} Analysis Per Option

### Option A: Online only

| Aspect | Score |
|---|---|
| Complexity | 2 |

## Why My Choice {title}

{why}

## For Debate Round 2 (if applicable)

### Response to Other Judges

**Other Judge's Position:** {{their position}}
**My Counter-Argument:** {{counter}}

### Did I Change My Mind?

- [ ] Yes, I was convinced by {{judge}}'s argument about {{topic}}
- [x] No, I maintain my recommendation because {{reason}}

If changed:
**New Recommendation:** {{Option Y}}
**What Convinced Me:** {{explanation}}
"
    )
}

fn leave(place: &Place, name: &str, text: &str) {
    place.write(&format!("{SADD}/debate-SQ-004-{name}.md"), text);
}

fn run(place: &Place) -> Done {
    place.forge(&["debate", "run", "SQ-004"])
}

fn result(place: &Place) -> String {
    place.read(&format!("{SADD}/debate-SQ-004-result.yaml"))
}

/// A debate with outside judges, after a blind round of A, B and C.
fn split() -> Place {
    let place = Place::new();
    place.write("ctx.yaml", CONTEXT);
    place.forge(&["debate", "--from", "ctx.yaml", "--agent", "outside"]).code(3).out("debate-SQ-004-risk.md");
    leave(&place, "risk", &evaluation("Risk", "A", "Minimizes Risk", RISK));
    leave(&place, "value", &evaluation("Value", "B", "Maximizes Value", VALUE));
    leave(&place, "effort", &evaluation("Effort", "C", "Optimizes ROI", EFFORT));
    let done = run(&place).code(3).out("debate-SQ-004-risk-r2.md");
    assert!(!done.err.contains("not a turn yet"), "{done}");
    place
}

/// The form as kept from round 1, with the boxes and the answers filled in.
fn second(first: &str, boxes: &str, below: &str, answers: &str) -> String {
    let form = first.split("### Response to Other Judges").next().unwrap();
    format!(
        "{form}### Response to Other Judges\n\n{answers}\n\n### Did I Change My Mind?\n\n{boxes}\n\nIf changed:\n{below}\n"
    )
}

const NO: &str =
    "- [ ] Yes, I was convinced by {judge}'s argument\n- [x] No, I maintain my recommendation because {reason}";
const TO_VALUE: &str = "**Value Judge's Position:** full offline\n**My Counter-Argument:** An advantage that loses data in week three is none.";

fn leave_seconds(place: &Place, value: &str) {
    leave(
        place,
        "risk-r2",
        &second(&evaluation("Risk", "A", "Minimizes Risk", RISK), NO, "**New Recommendation:** {Option Y}", TO_VALUE),
    );
    leave(place, "value-r2", value);
    let to_risk = "**Risk Judge's Position:** too complex\n**My Counter:** Reading offline has no conflicts to merge.";
    leave(
        place,
        "effort-r2",
        &second(&evaluation("Effort", "C", "Optimizes ROI", EFFORT), NO, "**New Recommendation:** Option B", to_risk),
    );
}

// seed: S3-26
#[test]
fn files_in_the_form_of_s3s_home_count_and_a_ticked_yes_changes_the_vote() {
    let place = split();
    let yes = "- [x] Yes, I was convinced by effort judge's ROI analysis\n- [ ] No, I maintain it";
    let new = "**New Recommendation:** Option C\n**What Convinced Me:** Convinced by effort judge's ROI analysis";
    leave_seconds(
        &place,
        &second(
            &evaluation("Value", "B", "Maximizes Value", VALUE),
            yes,
            new,
            TO_VALUE.replace("Value", "Risk").as_str(),
        ),
    );
    run(&place)
        .code(0)
        .out("CONSENSUS: C (Limited offline)")
        .out("value from B to C in round 2 (convinced by effort.a1)");
    let result = result(&place);
    for line in [
        "  question_id: \"SQ-004\"\n  consensus: true\n  recommended_option: \"C\"\n  confidence: \"HIGH\"\n",
        "    risk: \"Option A - Offline sync has high",
        "    value: \"Option C - ",
        " (changed from B)\"\n",
        "    effort: \"Option C - Limited offline gives",
        "  change_log:\n    - judge: \"value\"\n      round: 2\n      from: \"B\"\n      to: \"C\"\n      reason: \"Convinced by effort judge's ROI analysis\"\n",
    ] {
        assert!(result.contains(line), "{line}: {result}");
    }
    place.forge(&["verify", "SQ-004"]).code(0).out("HOLDS");
    let files = place.files_in(SADD);
    for file in ["risk", "value", "effort", "risk-r2", "value-r2", "effort-r2"] {
        assert!(files.contains(&format!("debate-SQ-004-{file}.md")), "{files:?}");
    }
}

#[test]
fn a_ticked_no_keeps_the_vote_and_the_split_is_contested_in_s3s_shape() {
    let place = split();
    leave_seconds(
        &place,
        &second(
            &evaluation("Value", "B", "Maximizes Value", VALUE),
            NO,
            "**New Recommendation:** Option C",
            TO_VALUE.replace("Value", "Risk").as_str(),
        ),
    );
    let done = run(&place).code(4).out("CONTESTED");
    let prompt = "⚠️ Judges disagreed on this question. Review perspectives above.\n\nWhich option would you like to proceed with?\n[A] Online only: no offline at all\n[B] Full offline: everything syncs\n[C] Limited offline: reading works offline\n";
    assert!(done.out.contains(prompt), "{done}");
    let result = result(&place);
    for line in [
        "  consensus: false\n  outcome: \"CONTESTED\"\n  confidence: \"REQUIRES_INPUT\"\n",
        "  distribution:\n    \"A\": [\"risk\"]\n    \"B\": [\"value\"]\n    \"C\": [\"effort\"]\n",
        "    risk_favors: |\n      Option A - \"Offline sync has high complexity risk;",
        "    value_favors: |\n      Option B - \"Full offline",
        "    effort_favors: |\n      Option C - \"Limited offline",
        "  change_log: []\n",
        "  user_prompt: |\n    ⚠️ Judges disagreed on this question. Review perspectives above.\n",
    ] {
        assert!(result.contains(line), "{line}: {result}");
    }
}

#[test]
fn a_change_without_what_convinced_is_not_counted_unless_none_is_required() {
    let undocumented = "**Chosen Option:** C\n**Reason:** Reading is what people do in a tunnel.\n\n## Challenges\n\nRisk Judge: nobody merges what is only read.\n";
    let place = split();
    leave_seconds(&place, undocumented);
    run(&place).code(4).out("value from B to C in round 2 (unearned: cites no argument of another seat; not counted)");

    let place = Place::new();
    users(&place, r#"{"debate_config": {"require_change_documentation": false}}"#);
    place.write("ctx.yaml", CONTEXT);
    place.forge(&["debate", "--from", "ctx.yaml", "--agent", "outside"]).code(3);
    leave(&place, "risk", &evaluation("Risk", "A", "Minimizes Risk", RISK));
    leave(&place, "value", &evaluation("Value", "B", "Maximizes Value", VALUE));
    leave(&place, "effort", &evaluation("Effort", "C", "Optimizes ROI", EFFORT));
    run(&place).code(3);
    leave_seconds(&place, undocumented);
    let done = run(&place).code(0).out("CONSENSUS: C").out("it counts, since no ground was required");
    let above = done.out.split("CONSENSUS").next().unwrap();
    assert!(above.contains("LOOSENED") && above.contains("a changed vote counts without a ground"), "{done}");
}

/// The user's own configuration.
fn users(place: &Place, text: &str) {
    let home = place.around().join("home/.config/forge");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("config.json"), text).unwrap();
}

#[test]
fn what_a_project_or_a_question_file_loosens_below_the_default_does_not_hold() {
    let plan = format!("{SADD}/debate-SQ-004-plan.md");
    let loose = "max_rounds: 3\n  consensus_threshold: 0.34\n  require_stance_maintenance: false\n  require_change_documentation: false\n";
    let project = r#"{"debate_config": {"max_rounds": 3, "consensus_threshold": 0.34, "require_stance_maintenance": false, "require_change_documentation": false}}"#;
    let lines = [
        "debate_config.max_rounds: 2 stands, forge's own; only you may loosen it: --rounds, or debate_config.max_rounds in your own configuration",
        "debate_config.consensus_threshold: \"2/3\" stands, forge's own; only you may loosen it: --threshold, or",
        "debate_config.require_stance_maintenance: true stands",
        "debate_config.require_change_documentation: true stands, forge's own; only you may loosen it: debate_config.require_change_documentation in",
    ];
    for is_project in [true, false] {
        let place = Place::new();
        let config = if is_project { String::new() } else { format!("debate_config:\n  {loose}") };
        place.write("ctx.yaml", format!("{CONTEXT}{config}"));
        if is_project {
            place.write(".claude/forge/config.json", project);
        }
        let done = place.forge(&["debate", "--from", "ctx.yaml", "--agent", "outside"]).code(3);
        // A debate begins with a few warnings of the configuration; `forge config` shows all.
        let shown = place.forge(&["config"]).code(0);
        let all = if is_project { format!("{}{}", shown.out, shown.err) } else { done.err.clone() };
        for line in lines {
            assert!(all.contains(line), "{line}: {done}");
        }
        assert!(done.err.contains(lines[0]), "{done}");
        let text = place.read(&plan);
        let said = |key: &str| front(&text, key);
        assert_eq!((said("rounds").as_deref(), said("threshold").as_deref()), (Some("2"), Some("2/3")));
        assert_eq!((said("require_stance_maintenance"), said("require_change_documentation")), (None, None));
    }
    // The user's own word, in a file or typed, lets it hold.
    let place = Place::new();
    users(
        &place,
        r#"{"debate_config": {"max_rounds": 3, "consensus_threshold": 0.3, "require_change_documentation": false}}"#,
    );
    place.write(".claude/forge/config.json", project);
    place.write("ctx.yaml", CONTEXT);
    place.forge(&["debate", "--from", "ctx.yaml", "--agent", "outside"]).code(3);
    let text = place.read(&plan);
    assert_eq!((front(&text, "rounds").as_deref(), front(&text, "threshold").as_deref()), (Some("3"), Some("0.34")));
    assert_eq!(front(&text, "require_change_documentation").as_deref(), Some("false"));
    let place = Place::new();
    place.write("ctx.yaml", CONTEXT);
    place.forge(&["debate", "--from", "ctx.yaml", "--agent", "outside", "--rounds", "4", "--threshold", "0.5"]).code(3);
    let text = place.read(&plan);
    assert_eq!((front(&text, "rounds").as_deref(), front(&text, "threshold").as_deref()), (Some("4"), Some("0.5")));
}

#[test]
fn a_round_in_which_nobody_is_challenged_settles_nothing() {
    let place = split();
    let file = |option: &str, why: &str| {
        format!("**Chosen Option:** {option}\n**Reason:** {why}\n**What Convinced Me:** the effort judge's analysis\n")
    };
    leave(&place, "risk-r2", &file("C", "Reading alone cannot lose what somebody wrote."));
    leave(&place, "value-r2", &file("C", "Reading is what people do in a tunnel."));
    leave(&place, "effort-r2", &file("C", "Two weeks of work against five months of it."));
    run(&place).code(4).out("CONTESTED").out("nobody challenged anybody");
}

#[test]
fn a_file_that_is_not_a_turn_yet_names_what_blocks_and_what_is_only_noted() {
    let place = Place::new();
    place.write("ctx.yaml", CONTEXT);
    place.forge(&["debate", "--from", "ctx.yaml", "--agent", "outside"]).code(3);
    leave(
        &place,
        "risk",
        &evaluation("Risk", "{X}", "Minimizes Risk", "{Explain}").replace("HIGH", "HIGH | MEDIUM | LOW"),
    );
    let done = run(&place).code(3);
    for line in [
        "- required: no recommendation: write `**Chosen Option:** Option <A, B or C>`",
        "- required: no reason: write `**Reason:** ...`, or a section `## Why My Choice ...`",
        "- noted: no confidence: write `**Confidence:** HIGH`, MEDIUM or LOW; without it MEDIUM counts",
    ] {
        assert!(done.err.contains(line), "{line}: {done}");
        place.forge(&["debate", "status", "SQ-004"]).code(0).out(line);
    }
    leave(&place, "risk", &evaluation("Risk", "A", "Minimizes Risk", RISK));
    let done = run(&place).code(3);
    assert!(!done.err.contains("not a turn yet"), "{done}");
}

// seed: S3-54
#[test]
fn debate_config_is_read_from_the_question_file_the_project_and_the_user() {
    let plan = format!("{SADD}/debate-SQ-004-plan.md");
    let config = "debate_config:\n  max_rounds: 1\n  consensus_threshold: 1.0\n  timeout_per_judge: 7\n  require_stance_maintenance: true\n  require_change_documentation: true\n";
    let inside: String = config.lines().map(|line| format!("  {line}\n")).collect();
    for text in [format!("{CONTEXT}\n{config}"), format!("{CONTEXT}{inside}")] {
        let place = Place::new();
        place.write("ctx.yaml", text);
        place.forge(&["debate", "--from", "ctx.yaml", "--agent", "outside"]).code(3);
        let text = place.read(&plan);
        let said = |key: &str| front(&text, key).unwrap_or_default();
        assert_eq!(
            (said("rounds"), said("threshold"), said("timeout_seconds")),
            ("1".to_owned(), "1.0".to_owned(), "7".to_owned())
        );
        assert_eq!(said("require_stance_maintenance"), "");
    }
    // The user's limits are not raised by a project, nor by a question file; flags stand above all.
    let place = Place::new();
    let home = place.around().join("home/.config/forge");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("config.json"), r#"{"debate_config": {"max_rounds": 2, "timeout_per_judge": 60, "consensus_threshold": "2/3", "require_stance_maintenance": true}}"#).unwrap();
    place.write(
        ".claude/forge/config.json",
        r#"{"debate_config": {"max_rounds": 3, "timeout_per_judge": 30, "consensus_threshold": 0.5}}"#,
    );
    place.write("ctx.yaml", format!("{CONTEXT}debate_config:\n  max_rounds: 4\n  timeout_per_judge: 20\n  consensus_threshold: 0.9\n  require_stance_maintenance: false\n"));
    let done = place.forge(&["debate", "--from", "ctx.yaml", "--agent", "outside"]).code(3);
    for line in [
        "config.json:1: debate_config.max_rounds: 2 stands",
        "ctx.yaml:21: debate_config.max_rounds: 2 stands",
        "ctx.yaml:24: debate_config.require_stance_maintenance: true stands",
    ] {
        assert!(done.err.contains(line), "{line}: {done}");
    }
    let text = place.read(&plan);
    let said = |key: &str| front(&text, key).unwrap_or_default();
    assert_eq!(
        (said("rounds"), said("threshold"), said("timeout_seconds")),
        ("2".to_owned(), "0.9".to_owned(), "20".to_owned())
    );
    assert_eq!(front(&text, "require_stance_maintenance"), None, "as always");
    let flags = [
        "debate",
        "--from",
        "ctx.yaml",
        "--agent",
        "outside",
        "--rounds",
        "3",
        "--threshold",
        "2/3",
        "--timeout",
        "90s",
        "--dry-run",
        "--json",
    ];
    let json = place.forge(&flags).code(0).json();
    assert_eq!((&json["rounds"], &json["timeout_seconds"]), (&serde_json::json!(3), &serde_json::json!(90)), "{json}");
    place.forge(&["config"]).code(0).out("debate_config.max_rounds").out("debate_config.require_change_documentation");
    place.forge(&["config", "--schema"]).code(0).out("timeout_per_judge");
}

#[test]
fn bad_settings_are_errors_with_their_place() {
    for (setting, said) in [
        ("max_round: 2", "ctx.yaml:21: unknown key debate_config.max_round; did you mean debate_config.max_rounds?"),
        ("max_rounds: 0", "ctx.yaml:21: debate_config.max_rounds: expected a whole number from 1 to 5, found 0"),
        ("max_rounds: two", "debate_config.max_rounds: expected a whole number"),
        ("consensus_threshold: 1.5", "debate_config.consensus_threshold: expected a share"),
        ("timeout_per_judge: -1", "debate_config.timeout_per_judge: expected"),
        ("require_stance_maintenance: maybe", "expected true or false"),
    ] {
        let place = Place::new();
        place.write("ctx.yaml", format!("{CONTEXT}debate_config:\n  {setting}\n"));
        place.forge(&["debate", "--from", "ctx.yaml", "--agent", "outside"]).code(2).err(said);
        assert!(!place.has(SADD), "{setting}");
    }
    let place = Place::new();
    place.write(".claude/forge/config.json", "{\"debate_config\": {\n  \"max_round\": 2}}");
    place
        .forge(&["debate", "Which queue?", "--option", "x y", "--option", "z w", "--agent", "outside"])
        .code(2)
        .err("config.json:2: unknown key debate_config.max_round");
    place.write("ctx.yaml", format!("{CONTEXT}debate_config: 3\n"));
    place.forge(&["debate", "--from", "ctx.yaml", "--agent", "outside"]).code(2);
}

#[test]
fn an_unfilled_question_file_is_refused_with_every_blank() {
    let template = "debate_context:
  question_id: \"{id}\"
  question_text: \"{full question}\"
  options:
    - id: \"A\"
      label: \"{option A name}\"
      description: \"{option A details}\"
    - id: \"B\"
      label: \"{option B name}\"
      description: \"{option B details}\"

  spec_context: |
    {relevant excerpt from specification}

  feature_name: \"{name}\"
  feature_dir: \"{dir}\"
";
    let place = Place::new();
    place.write("ctx.yaml", template);
    let done = place
        .forge(&["debate", "--from", "ctx.yaml", "--agent", "outside"])
        .code(2)
        .err("ctx.yaml: this is a template that is not filled in");
    for line in [
        "line 2: question_id is {id}",
        "line 3: question_text is {full question}",
        "line 6: options[0].label is {option A name}",
        "line 10: options[1].description is {option B details}",
        "line 13: spec_context is {relevant excerpt from specification}",
        "line 16: feature_dir is {dir}",
    ] {
        assert!(done.err.contains(line), "{line}: {done}");
    }
    assert_eq!(place.files(), ["ctx.yaml"]);
}

#[test]
fn question_files_of_other_shapes() {
    let place = Place::new();
    place.write(
        "q.yaml",
        "question:\n  id: STQ-7\n  text: Which limit do exports have?\n  options:\n    - {id: A, description: \"1000 rows\"}\n    - {id: B, description: \"no limit at all\"}\nfeature_dir: specs/x\nowner: ana\n",
    );
    place
        .forge(&["debate", "--from", "q.yaml", "--agent", "outside"])
        .code(3)
        .err("--from q.yaml: not used: owner")
        .out("specs/x/sadd/debate-STQ-7-risk.md");
    assert!(place.read("specs/x/sadd/debate-STQ-7-plan.md").contains("label: \"no limit at all\""));
    for (text, said) in [
        (
            "title: x\nchoices: [a, b]\n",
            "expected debate_context with question_text and options (or question with id, text and options); found title, choices",
        ),
        ("- a\n- b\n", "expected debate_context"),
        ("debate_context: 3\n", "line 1: debate_context is not a mapping"),
        ("debate_context:\n  question_id: q\n", "question_text is missing or empty"),
        ("question_text: Which?\noptions: 3\n", "line 2: options is not a list"),
        ("question_text: Which one?\noptions:\n  - {id: A}\n", "options[0] has neither a label nor a description"),
    ] {
        place.write("bad.yaml", text);
        place.forge(&["debate", "--from", "bad.yaml", "--agent", "outside"]).code(2).err(said);
    }
}

/// Three scripted judges who say this in rounds 1 and 2.
fn script(rounds: [[&str; 3]; 2]) -> String {
    let mut text = "replies:\n".to_owned();
    for (round, said) in rounds.iter().enumerate() {
        for (judge, said) in ["risk", "value", "effort"].iter().zip(said) {
            text.push_str(&format!("  - {{seat: {judge}, round: {}, {said}}}\n", round + 1));
        }
    }
    text
}

const OPTIONS: [&str; 6] = ["--option", "Online only", "--option", "Full offline", "--option", "Limited offline"];

fn hold(place: &Place, script: &str, more: &[&str]) -> Done {
    place.write("judges.yaml", script);
    place.forge(
        &[
            &["debate", "Should offline mode be in v1?", "--agent", "scripted:judges.yaml", "--id", "q"][..],
            &OPTIONS,
            more,
        ]
        .concat(),
    )
}

#[test]
fn two_of_three_are_a_consensus_that_skips_round_2_and_0_67_is_two_thirds() {
    let said = script([["ballot: {option: A}", "ballot: {option: B}", "ballot: {option: A}"]; 2]);
    for threshold in ["0.67", "2/3", "67%"] {
        let place = Place::new();
        hold(&place, &said, &["--threshold", threshold]).code(0).out("CONSENSUS: A").out("3 calls");
        assert!(!place.has("docs/forge/sadd/debate-q-risk-r2.md"));
    }
    hold(&Place::new(), &said, &["--threshold", "0.7"]).code(4).out("CONTESTED").out("6 calls");
    // Asked to argue, they do, although the blind round agreed.
    let place = Place::new();
    place.write("judges.yaml", &said);
    let args = [
        &[
            "debate",
            "Should offline mode be in v1?",
            "--agent",
            "scripted:judges.yaml",
            "--id",
            "q",
            "--min-rounds",
            "2",
        ][..],
        &OPTIONS,
    ]
    .concat();
    place.forge(&[&args[..], &["--dry-run"]].concat()).code(0).out("6");
    place.forge(&args).code(0).out("CONSENSUS: A").out("6 calls").err("6..6 calls");
    assert_eq!(front(&place.read("docs/forge/sadd/debate-q-plan.md"), "min_rounds").as_deref(), Some("2"));
    place.forge(&args).code(0).err("this command held it before");
    place.forge(&["verify", "q"]).code(0);
    for (flags, said) in [
        (&["--min-rounds", "3"][..], "--min-rounds 3: expected 1 to 2, the most rounds (--rounds)"),
        (&["--min-rounds", "0"], "--min-rounds 0: expected 1 to 2"),
        (&["--min-rounds", "2", "--protocol", "panel"], "--min-rounds belongs to --protocol judges, not to panel"),
    ] {
        hold(&Place::new(), "replies: []\n", flags).code(2).err(said);
    }
}

#[test]
fn judges_that_are_missing_are_left_out_with_a_note() {
    let (a, b) = ("ballot: {option: A}", "ballot: {option: B}");
    let place = Place::new();
    hold(&place, &script([["do: hang", a, a]; 2]), &["--timeout", "1s"]).code(0).out("CONSENSUS: A").out("DEGRADED");
    let result = place.read("docs/forge/sadd/debate-q-result.yaml");
    assert!(result.contains("- \"Risk judge timed out in round 1 - only 2 perspectives available\""), "{result}");
    // One clarification, then no recommendation.
    let place = Place::new();
    hold(&place, &script([["say: \"I would rather not say.\"", a, b]; 2]), &[]).code(4).out("CONTESTED");
    let trail: Vec<String> = place.files_in("docs/forge/sadd/debate-q-trail/replies");
    assert_eq!(
        trail.iter().filter(|file| file.starts_with("opening-r1-risk")).count() % 2,
        0,
        "asked twice: {trail:?}"
    );
    assert!(
        place
            .read("docs/forge/sadd/debate-q-result.yaml")
            .contains("Risk judge did not answer in form in round 1 - only 2 perspectives available")
    );
    hold(&Place::new(), &script([["do: crash", "do: refuse", a]; 2]), &[]).code(5).out("INSUFFICIENT");
    // Silent in round 2: left out of that round's count.
    let place = Place::new();
    let moved = "ballot: {option: A, convinced_by: [\"S1.a1\", \"S2.a1\"], convinced_because: their figures}";
    let first = [a, b, "ballot: {option: C}"];
    hold(&place, &script([first, [a, "do: crash", moved]]), &[])
        .code(0)
        .out("CONSENSUS: A")
        .out("vote       A (Online only)  2  risk, effort");
    assert!(
        place
            .read("docs/forge/sadd/debate-q-result.yaml")
            .contains("Value judge crashed in round 2 - only 2 perspectives available")
    );
}

// seed: S3-38
#[test]
fn a_judge_that_drops_its_stance_misses_its_form() {
    let dropped = "ballot: {option: A}, sections: {What Can Go Wrong: null}";
    let rounds = [[dropped, "ballot: {option: A}", "ballot: {option: A}"]; 2];
    hold(&Place::new(), &script(rounds), &[]).code(0).out("CONSENSUS: A").out("DEGRADED").out("What Can Go Wrong");
    let place = Place::new();
    users(&place, r#"{"debate_config": {"require_stance_maintenance": false}}"#);
    let done = hold(&place, &script(rounds), &[]).code(0).out("CONSENSUS: A").out("3 calls");
    assert!(!done.out.contains("DEGRADED"), "{done}");
}

// seed: S3-37
#[test]
fn a_role_that_the_project_replaces_is_named_before_anybody_is_asked_and_above_the_verdict() {
    let place = Place::new();
    place.write(".claude/forge/roles/risk.md", "# Risk\n\nYou love everything and agree with all.\n");
    let said = script([["ballot: {option: A}"; 3]; 2]);
    let line = "the project's own text stands for forge's: .claude/forge/roles/risk.md";
    let done = hold(&place, &said, &[]).code(0).err(&format!("REPLACED: {line}"));
    let above = done.out.split("CONSENSUS").next().unwrap();
    assert!(above.contains("REPLACED") && above.contains(line), "{done}");
    place.forge(&["show", "q"]).code(0).out(line);
    assert!(place.read("docs/forge/sadd/debate-q-result.yaml").contains(line));
    place.forge(&["verify", "q"]).code(0);
    let done = hold(&Place::new(), &said, &[]).code(0);
    assert!(!done.out.contains("REPLACED") && !done.err.contains("REPLACED"), "{done}");
}

fn contested() -> Place {
    let place = Place::new();
    let said = ["ballot: {option: A}", "ballot: {option: B}", "ballot: {option: C}"];
    hold(&place, &script([said; 2]), &[]).code(4);
    place
}

#[test]
fn the_command_that_next_prints_works_as_it_is_printed() {
    let mut place = contested();
    let next = |place: &Place| {
        let done = place.forge(&["show", "q"]).code(4);
        let line = done.out.lines().find(|line| line.contains("forge debate decide")).unwrap().trim().to_owned();
        line.trim_start_matches("next").trim().to_owned()
    };
    assert_eq!(next(&place), "forge debate decide q A|B|C --because \"...\" --by NAME", "nobody knows who sits here");
    place.forge(&["debate", "decide", "q", "A", "--because", "it is small"]).code(2).err("--by NAME");
    let home = place.around().join("home");
    std::fs::write(
        home.join(".gitconfig"),
        "[core]\n\teditor = vi\n[user]\n\temail = d@x.y\n\tname = \"Dana Git\" # me\n",
    )
    .unwrap();
    assert_eq!(next(&place), "forge debate decide q A|B|C --because \"...\"");
    place.set("USER", "dana-login");
    place
        .forge(&["debate", "decide", "q", "A", "--because", "it is small"])
        .code(0)
        .out("DECIDED by Dana Git: A (Online only)");
    let mut place = contested();
    place.set("USER", "dana-login");
    place.forge(&["debate", "decide", "q", "A", "--because", "it is small"]).code(0).out("DECIDED by dana-login");
}

// seed: S3-35
#[test]
fn on_a_terminal_the_question_is_asked_and_the_answer_recorded() {
    let place = Place::new().with("USER", "dana");
    let said = ["ballot: {option: A}", "ballot: {option: B}", "ballot: {option: C}"];
    place.write("judges.yaml", script([said; 2]));
    let args =
        [&["debate", "Should offline mode be in v1?", "--agent", "scripted:judges.yaml", "--id", "q"][..], &OPTIONS]
            .concat();
    place.forge_typed(&args, "\n").code(4).out("Which option would you like to proceed with?").out("Your choice");
    place
        .forge_typed(&["debate", "run", "q"], "Z\nB\nfield workers need it\n")
        .code(0)
        .out("\"Z\" is none of A, B, C")
        .out("DECIDED by dana: B (Full offline), because field workers need it");
    assert!(place.read("docs/forge/sadd/debate-q-decision.md").contains("field workers need it"));
    place.forge(&["verify", "q"]).code(0);
    let done = place.forge_typed(&["debate", "run", "q"], "").code(0);
    assert!(!done.out.contains("Your choice"), "{done}");
    // Nobody is asked where nobody sits.
    let done = contested().forge(&["debate", "run", "q"]).code(4).out("forge debate decide");
    assert!(!done.out.contains("Your choice"), "{done}");
}

#[test]
fn a_person_may_overrule_a_consensus_and_the_verdict_says_so() {
    let place = Place::new();
    let said = ["ballot: {option: A}", "ballot: {option: B}", "ballot: {option: A}"];
    hold(&place, &script([said; 2]), &[]).code(0).out("CONSENSUS: A");
    let decide = |more: &[&str]| {
        place.forge(
            &[&["debate", "decide", "q", "--because", "field workers need it", "--by", "Dana"][..], more].concat(),
        )
    };
    decide(&["B"]).code(2).err("q is consensus already (A (Online only))").err("--overrule");
    decide(&["A", "--overrule"]).code(2).err("there is nothing to overrule");
    let done = decide(&["B", "--overrule"])
        .code(0)
        .out("OVERRULED by Dana: B (Full offline) instead of A (Online only), because field workers need it");
    assert!(done.out.contains("vote       A (Online only)  2  risk, effort"), "the split is kept: {done}");
    decide(&["B", "--overrule"]).code(0);
    decide(&["C", "--overrule"]).code(2).err("is decided already");
    place.forge(&["show", "q"]).code(0).out("overruled by Dana: the seats had come to A (Online only) (consensus)");
    let json = place.forge(&["show", "q", "--json"]).code(0).json();
    assert_eq!(
        json["decided_by"]["overrules"],
        serde_json::json!({"outcome": "consensus", "decided": ["A"]}),
        "{json}"
    );
    let result = place.read("docs/forge/sadd/debate-q-result.yaml");
    assert!(
        result.contains("consensus: false\n  recommended_option: \"B\"") && result.contains("overrules: [\"A\"]"),
        "{result}"
    );
    place.forge(&["verify", "q"]).code(0).out("HOLDS");
    place.edit("docs/forge/sadd/debate-q-decision.md", |text| text.replace("overrules", "overlooks"));
    place.forge(&["verify", "q"]).code(7);

    let place = Place::new();
    hold(&place, &script([["do: crash", "do: crash", "ballot: {option: A}"]; 2]), &[]).code(5);
    place
        .forge(&["debate", "decide", "q", "A", "--because", "x y z", "--by", "Dana", "--overrule"])
        .code(2)
        .err("too few seats spoke");
}
