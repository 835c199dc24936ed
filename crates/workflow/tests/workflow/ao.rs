//! What is said to AO: spawn lines of three generations, and the eleven keys.

use forge_workflow::ao::{
    Generation, KEYS, NAME_LIMIT_CHARACTERS, PROMPT_LIMIT_CHARACTERS, SUMMARY_LIMIT_CHARACTERS, SpawnOrder,
    SpawnProblem, VALUE_LIMIT_CHARACTERS, metadata, spawn_line,
};
use forge_workflow::state::{DebateState, DebateStatus, State};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const ALL: [Generation; 3] = [Generation::A, Generation::B, Generation::C];

fn order() -> SpawnOrder<'static> {
    SpawnOrder {
        debate_id: "design-20260115-143022",
        role: "advocate",
        workspace: "/home/ada/shop",
        plan_file: "/home/ada/shop/docs/forge/debate/design-20260115-143022/debate-plan.md",
        brief_file: Some("/home/ada/shop/docs/forge/debate/design-20260115-143022/trail/outside/case-r1-advocate.md"),
        turn_file: "/home/ada/shop/docs/forge/debate/design-20260115-143022/advocate.md",
        project: None,
    }
}

/// The words that a POSIX shell reads from a line of bare words and single quotes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut begun, mut quoted) = (Vec::new(), String::new(), false, false);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => (quoted, begun) = (!quoted, true),
            _ if quoted => word.push(c),
            '\\' => word.extend(chars.next()),
            ' ' if begun => {
                words.push(std::mem::take(&mut word));
                begun = false;
            }
            ' ' => {}
            _ => {
                assert!(c.is_ascii_alphanumeric() || "_-./+,:@%=".contains(c), "bare {c:?} in {line}");
                word.push(c);
                begun = true;
            }
        }
    }
    assert!(!quoted, "{line}");
    words.extend(begun.then_some(word));
    words
}

#[test]
fn the_generation_is_read_from_its_help() {
    let a = "Usage: ao spawn [options] <project> [issue]\n  --open  Open the terminal";
    let b = "Usage: ao spawn [options] [issue]\n  --prompt <text>  Initial prompt";
    let c = "Usage:\n  ao spawn [flags]\n      --project string\n      --prompt string";
    assert_eq!([a, b, c].map(Generation::from_help), ALL);
    assert_eq!(Generation::from_help(""), Generation::A);
    assert_eq!(Generation::from_help("--prompt-file F, --no--project, --projects"), Generation::A, "other flags");
    assert_eq!(Generation::from_help("[--prompt=TEXT]"), Generation::B);
}

#[test]
fn the_generation_is_read_from_the_variables() {
    assert_eq!(Generation::from_variables(true, false), Some(Generation::A));
    assert_eq!(Generation::from_variables(true, true), Some(Generation::B));
    assert_eq!(Generation::from_variables(false, true), Some(Generation::C));
    assert_eq!(Generation::from_variables(false, false), None);
}

// seed: S1-25
#[test]
fn each_generation_has_its_line() {
    let a = words(&spawn_line(Generation::A, &order()).unwrap());
    let b = words(&spawn_line(Generation::B, &order()).unwrap());
    let c = words(&spawn_line(Generation::C, &SpawnOrder { project: Some("my shop"), ..order() }).unwrap());
    assert_eq!(a[..3], ["ao", "spawn", "shop"]);
    assert_eq!((a.len(), b.len(), c.len()), (4, 4, 8));
    assert_eq!(b[..3], ["ao", "spawn", "--prompt"]);
    assert_eq!(c[..7], ["ao", "spawn", "--name", "advocate-0115-143022", "--project", "my shop", "--prompt"]);
    assert_eq!(c[3].chars().count(), NAME_LIMIT_CHARACTERS);
    assert_eq!((a.last(), b.last()), (b.last(), c.last()), "one prompt for all");

    let unknown = words(&spawn_line(Generation::C, &order()).unwrap());
    assert_eq!(unknown[4], "--prompt", "AO_PROJECT_ID serves");
}

// seed: S0-12, S0-16
#[test]
fn a_prompt_begins_with_the_seed_s_words_and_names_its_files() {
    let order = order();
    let prompt = words(&spawn_line(Generation::B, &order).unwrap()).pop().unwrap();
    let begin = format!("debate-role: advocate --debate-id=design-20260115-143022 --plan={} ", order.plan_file);
    assert!(prompt.starts_with(&begin), "{prompt}");
    assert!(prompt.contains(&format!("Read the brief \"{}\"", order.brief_file.unwrap())), "{prompt}");
    assert!(prompt.contains(&format!("Write your turn to the file \"{}\", whole", order.turn_file)), "{prompt}");
    assert!(prompt.contains("then exit"), "{prompt}");
    assert!(
        prompt.contains("\"docs/forge/debate/design-20260115-143022/advocate.md\" in your own worktree"),
        "{prompt}"
    );

    let without = words(&spawn_line(Generation::B, &SpawnOrder { brief_file: None, ..order }).unwrap()).pop().unwrap();
    assert!(without.contains(&format!("Read the plan \"{}\"", order.plan_file)), "{without}");
}

#[test]
fn a_project_that_looks_like_an_option_stays_a_project() {
    let dashed = SpawnOrder { project: Some("-rf"), ..order() };
    assert_eq!(words(&spawn_line(Generation::A, &dashed).unwrap())[..4], ["ao", "spawn", "--", "-rf"]);
    assert_eq!(words(&spawn_line(Generation::C, &dashed).unwrap())[4], "--project=-rf");
    let nameless = SpawnOrder { workspace: "/", ..order() };
    assert_eq!(spawn_line(Generation::A, &nameless), Err(SpawnProblem::NoProject));
    assert!(spawn_line(Generation::B, &nameless).is_ok());
}

#[test]
fn explanations_go_first_when_a_prompt_gets_long_and_paths_never() {
    let mut cut = 0;
    for length in (10..2200).step_by(7) {
        let turn = format!("/{}/advocate.md", "d".repeat(length));
        let order = SpawnOrder { turn_file: &turn, plan_file: &turn, brief_file: None, ..order() };
        match spawn_line(Generation::B, &order) {
            Ok(line) => {
                let prompt = words(&line).pop().unwrap();
                assert!(prompt.chars().count() <= PROMPT_LIMIT_CHARACTERS);
                assert!(
                    prompt
                        .starts_with(&format!("debate-role: advocate --debate-id={} --plan={turn} ", order.debate_id))
                );
                assert!(prompt.contains(&format!("to the file \"{turn}\", whole and in one go, then exit.")));
                cut += usize::from(!prompt.contains("rename it when it is complete"));
            }
            Err(SpawnProblem::TooLong { role, needed, limit }) => {
                assert_eq!((role.as_str(), limit), ("advocate", PROMPT_LIMIT_CHARACTERS));
                assert!(needed > limit);
                assert!(spawn_line(Generation::A, &order).is_ok(), "A has no limit");
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(cut > 0, "some prompts were short of room");
}

#[test]
fn a_path_that_cannot_stand_on_one_line_is_refused() {
    for path in ["/tmp/a\nb.md", "/tmp/a\u{1b}[2J.md", "/tmp/\u{202e}dm.md", "/tmp/a\tb.md", "/tmp/\u{2028}.md"] {
        let refused = spawn_line(Generation::B, &SpawnOrder { turn_file: path, ..order() });
        assert!(matches!(&refused, Err(SpawnProblem::NotOneLine { what: "the turn's file", .. })), "{refused:?}");
        assert!(!refused.unwrap_err().to_string().chars().any(char::is_control));
    }
    let relative = spawn_line(Generation::B, &SpawnOrder { plan_file: "docs/plan.md", ..order() });
    assert!(matches!(relative, Err(SpawnProblem::NotAbsolute { what: "the plan's file", .. })), "{relative:?}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None, rng_seed: RngSeed::Fixed(20_260_801), ..ProptestConfig::with_cases(500)
    })]

    #[test]
    fn a_shell_reads_the_words_that_were_meant(
        folder in "/[ '\"$`!\\\\a-zé漢*?~#&;|<>(){}-]{1,40}",
        project in proptest::option::of("[ '\"$`\\\\a-z漢-]{1,20}"),
        role in "[a-z-]{0,30}",
    ) {
        let turn = format!("{folder}/docs/forge/debate/x/advocate.md");
        let order = SpawnOrder {
            workspace: &folder, turn_file: &turn, plan_file: &turn, brief_file: Some(&turn), project: project.as_deref(),
            role: &role, ..order()
        };
        for generation in ALL {
            let Ok(line) = spawn_line(generation, &order) else {
                prop_assert!(generation == Generation::A && project.is_none());
                continue;
            };
            prop_assert!(!line.contains('\n'));
            let words = words(&line);
            let prompt = words.last().unwrap();
            let turn_named = format!("to the file \"{}\"", turn);
            prop_assert!(prompt.contains(&turn_named), "{}", prompt);
            if let Some(project) = &project && generation != Generation::B {
                prop_assert!(words.iter().any(|word| word.strip_prefix("--project=").unwrap_or(word) == project));
            }
            if generation == Generation::C {
                let name = &words[3];
                prop_assert!(name.len() <= NAME_LIMIT_CHARACTERS && name.starts_with(|c: char| c.is_ascii_alphanumeric()));
            }
        }
    }

    // seed: S1-22
    #[test]
    fn values_are_flat_whatever_the_state_says(text in any::<String>(), summary in any::<String>()) {
        let mut state = State::new(&text, &text, &text, &text);
        state.branch = Some(text.clone());
        state.next_phase = Some(text);
        for (key, value) in metadata(&state, None, Some(&summary)) {
            prop_assert!(!value.is_empty() && value.trim() == value, "{}={:?}", key, value);
            prop_assert!(!value.chars().any(char::is_control), "{}={:?}", key, value);
            let limit = if key == "forge_summary" { SUMMARY_LIMIT_CHARACTERS } else { VALUE_LIMIT_CHARACTERS };
            prop_assert!(value.chars().count() <= limit);
        }
    }
}

#[test]
fn a_new_workflow_has_the_keys_that_have_values() {
    let state = State::new("forge-1", "Exploring\nauth", "init", "2026-01-27T14:30:22Z");
    let pairs = metadata(&state, None, None);
    let said: Vec<(&str, &str)> = pairs.iter().map(|(key, value)| (*key, value.as_str())).collect();
    assert_eq!(
        said,
        [
            ("forge_phase", "init"),
            ("forge_status", "in_progress"),
            ("forge_summary", "Exploring auth"),
            ("forge_debate_status", "none"),
            ("forge_version", "2.0.0"),
            ("forge_started_at", "2026-01-27T14:30:22Z"),
            ("forge_last_updated", "2026-01-27T14:30:22Z"),
        ]
    );
}

// seed: S1-21
#[test]
fn a_full_workflow_has_all_eleven_in_order() {
    let mut state = State::new("forge-1", "Auth", "design", "2026-01-27T14:30:22Z");
    state.next_phase = Some("plan".to_owned());
    state.branch = Some("feat/auth".to_owned());
    state.issue = Some("PROJ-123".to_owned());
    state.debate =
        DebateState { id: Some("design-1".to_owned()), status: DebateStatus::Running, ..DebateState::default() };
    let long = "word ".repeat(100);
    let pairs = metadata(&state, Some("design"), Some(&long));
    assert_eq!(pairs.iter().map(|(key, _)| *key).collect::<Vec<_>>(), KEYS);
    let value = |wanted: &str| pairs.iter().find(|(key, _)| *key == wanted).unwrap().1.as_str();
    assert_eq!((value("forge_next"), value("forge_debate_status")), ("design", "running"));
    assert!(value("forge_summary").ends_with("word…"), "{}", value("forge_summary"));
    assert!(value("forge_summary").chars().count() <= SUMMARY_LIMIT_CHARACTERS);
}
