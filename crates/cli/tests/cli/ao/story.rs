//! From the first command to the next phase, in each generation's form.

use super::{DEBATE, FIRST_WAVE, GENERATIONS, HOME, Stage, lines, roles};
use crate::place::Done;

/// How what the sessions wrote comes in.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Taking {
    /// `forge debate collect`, then `forge continue`.
    Collected,
    /// `forge continue` alone.
    Found,
}

fn holds_the_debate(generation: char, taking: Taking, writes: &str) -> Stage {
    let stage = Stage::new(generation);
    let opened = stage.open();
    let first = lines(&opened);
    has_the_form(&stage, &first, &["advocate", "skeptic", "operator"]);
    assert!(opened.err.contains("the synthesizer's line comes when the others have written"), "{opened}");

    let json = stage.forge(&["continue", "--json"]).code(3).json();
    assert_eq!(json["spawn"]["commands"], serde_json::json!(first), "the same lines for machines");
    assert_eq!(json["spawn"]["generation"], generation.to_string());
    assert_eq!(json["phase_status"], "blocked");

    stage.spawn(&first, writes);
    take(&stage, taking, writes, &["advocate.md", "skeptic.md", "operator.md"]);
    let second = stage.forge(&["continue"]).code(3);
    has_the_form(&stage, &lines(&second), &["synthesizer"]);
    assert!(!second.err.contains("the synthesizer's line comes"), "{second}");

    stage.spawn(&lines(&second), writes);
    take(&stage, taking, writes, &["synthesis.md"]);
    stage
}

/// Brings in what is there. `forge continue` goes on as far as it goes: the last file leads into the next phase.
fn take(stage: &Stage, taking: Taking, writes: &str, files: &[&str]) {
    if writes == "absolute" {
        assert!(files.iter().all(|file| stage.has_turn(file)), "sessions wrote here themselves");
        return;
    }
    assert!(!files.iter().any(|file| stage.has_turn(file)), "every session wrote in its own tree");
    match taking {
        Taking::Collected => {
            let done = stage.forge(&["debate", "collect"]).code(0).out("worktrees looked at").out("forge continue");
            for file in files {
                let taken = done.out.lines().find(|line| line.contains(file)).unwrap_or_else(|| panic!("{done}"));
                assert!(taken.starts_with(&format!("  taken      {HOME}/{file} from /")), "{done}");
            }
            let before = stage.place.tree();
            stage.forge(&["debate", "collect"]).code(0).out("no turn that the debate waits for is there");
            assert_eq!(stage.place.tree(), before, "the second time there is nothing to do");
        }
        Taking::Found => {
            let done = stage.forge(&["continue"]);
            for file in files {
                assert!(done.out.contains(&format!("collected {HOME}/{file} from /")), "{done}");
            }
            assert!(!done.err.contains("taken"), "said once, not twice: {done}");
        }
    }
    assert!(files.iter().all(|file| stage.has_turn(file)), "{:#?}", stage.place.files());
}

fn has_the_form(stage: &Stage, lines: &[String], roles: &[&str]) {
    assert_eq!(lines.len(), roles.len(), "{lines:#?}");
    let root = stage.place.work().canonicalize().unwrap();
    let root = root.display();
    for (line, role) in lines.iter().zip(roles) {
        let head = match stage.generation {
            'A' => "ao spawn work '".to_owned(),
            'B' => "ao spawn --prompt '".to_owned(),
            _ => {
                let name = line.split(' ').nth(3).unwrap();
                assert!(name.starts_with(role) && name.len() <= 20, "{name}");
                format!("ao spawn --name {name} --project stub --prompt '")
            }
        };
        let file = if *role == "synthesizer" { "synthesis.md" } else { &format!("{role}.md") };
        let words = format!("{head}debate-role: {role} --debate-id={DEBATE} --plan={root}/{HOME}/debate-plan.md ");
        assert!(line.starts_with(&words), "{line}\nbegins otherwise than\n{words}");
        assert!(line.contains(&format!("Write your turn to the file \"{root}/{HOME}/{file}\"")), "{line}");
        assert!(line.contains(&format!("Read the brief \"{root}/{HOME}/trail/outside/")), "{line}");
        assert!(line.len() < 4096 && line.ends_with('\''), "{line}");
    }
}

/// The gate is passed, what was decided is known with its source, and the next phase is entered.
fn has_decided(stage: &Stage) -> Done {
    stage.forge(&["continue"]).code(0);
    let status = stage.forge(&["status"]).code(0).out("3/10 research, in progress");
    let decisions = stage.place.read("docs/forge/knowledge/decisions.md");
    for line in [
        "## D1: Sessions for the shop: Redis",
        &format!("- Debate: {DEBATE}"),
        "- Status: locked",
        &format!("- Source: {DEBATE}#D1"),
    ] {
        assert!(decisions.lines().any(|there| there == line), "no {line:?} in\n{decisions}");
    }
    assert!(!decisions.contains("## D2"), "{decisions}");
    assert!(stage.place.has("docs/forge/handoffs/brainstorm-to-research.md"));
    stage.forge(&["gate", DEBATE]).code(0).out("PASSED");
    stage.forge(&["debate", "collect", DEBATE]).code(0).out("no turn that the debate waits for is there");
    let before = stage.place.tree();
    let again = stage.forge(&["continue"]).code(0);
    assert_eq!(lines(&again), Vec::<String>::new(), "nobody is waited for");
    assert_eq!(stage.place.tree(), before, "going on again changes nothing");
    assert_eq!(stage.asked(), 1, "`ao` is asked once for a debate:\n{}", stage.stub.log());
    status
}

// seed: S0-13, S1-16
#[test]
fn sessions_write_in_their_own_trees_and_are_collected() {
    for generation in GENERATIONS {
        has_decided(&holds_the_debate(generation, Taking::Collected, "worktree"));
    }
}

// seed: S1-6
#[test]
fn continue_alone_finds_what_sessions_wrote() {
    for generation in GENERATIONS {
        has_decided(&holds_the_debate(generation, Taking::Found, "worktree"));
    }
}

// seed: S1-6
#[test]
fn sessions_write_straight_into_the_main_tree() {
    for generation in GENERATIONS {
        has_decided(&holds_the_debate(generation, Taking::Found, "absolute"));
    }
}

/// Two waves are there at once: one command takes both.
// seed: S0-15
#[test]
fn one_command_takes_all_that_is_there() {
    let stage = Stage::new('B');
    let first = lines(&stage.open());
    stage.spawn(&first, "worktree");
    let texts = ["advocate", "skeptic", "operator", "synthesis"].map(|name| format!("{name}.md"));
    let text = std::fs::read_to_string(stage.stub.bin().join("texts/synthesis.md")).unwrap();
    let tree = stage.worktree("early", &[("synthesis.md", text.as_str())]);
    stage.session("early", &tree);
    let done = stage.forge(&["continue"]).code(0).out("entered research");
    assert!(texts.iter().all(|file| done.out.contains(&format!("collected {HOME}/{file}"))), "{done}");
}

// seed: S1-95
#[test]
fn half_a_file_is_not_yet_and_never_an_error() {
    for generation in GENERATIONS {
        let stage = Stage::new(generation);
        stage.spawn(&lines(&stage.open()), "half");
        let done = stage.forge(&["continue"]).code(3).err("not yet").err("advocate.md");
        assert_eq!(roles(&done), FIRST_WAVE, "{done}");
        let done = stage.forge(&["debate", "collect"]).code(0).out("not yet");
        assert!(!done.out.contains("  taken ") && !done.out.contains("  next "), "{done}");
        assert!(done.out.lines().all(|line| line.len() < 600), "not a wall of words: {done}");
        assert!(!["advocate.md", "skeptic.md", "operator.md"].iter().any(|file| stage.has_turn(file)));
        let json = stage.forge(&["debate", "collect", "--json"]).code(0).json();
        assert_eq!((json["not_yet"].as_array().unwrap().len(), json["worktrees"].as_u64()), (3, Some(3)), "{json}");
        // The sessions finish.
        for (number, role) in [(1, "advocate"), (2, "skeptic"), (3, "operator")] {
            let tree = stage.stub.data_dir().with_extension("worktrees").join(format!("stub-{number}"));
            let text = stage.stub.bin().join(format!("texts/{role}.md"));
            std::fs::copy(text, tree.join(format!("{HOME}/{role}.md"))).unwrap();
        }
        assert_eq!(roles(&stage.forge(&["continue"]).code(3)), "synthesizer");
    }
}

#[test]
fn sessions_that_write_nothing_are_waited_for() {
    for generation in GENERATIONS {
        let stage = Stage::new(generation);
        let first = stage.open();
        stage.spawn(&lines(&first), "nothing");
        let before = stage.place.tree();
        for _ in 0..2 {
            let done = stage.forge(&["continue"]).code(3).out("unless it has one");
            assert_eq!(lines(&done), lines(&first));
            assert_eq!(stage.place.tree(), before, "waiting leaves no traces");
        }
        stage.forge(&["debate", "collect"]).code(0).out("3 worktrees looked at").out("no turn that the debate waits");
        stage.forge(&["gate"]).code(3).out("advocate has not spoken");
    }
}

// seed: S0-12
#[test]
fn without_ao_on_the_search_path_the_seeds_form_is_printed_and_it_says_so() {
    for generation in GENERATIONS {
        let mut stage = Stage::new(generation);
        stage.place.set("PATH", "/usr/bin:/bin");
        let done = stage.open().err("`ao` is not on PATH").err("ao spawn <project>");
        let project = if generation == 'C' { "stub" } else { "work" };
        for line in lines(&done) {
            assert!(line.starts_with(&format!("ao spawn {project} 'debate-role: ")), "{line}");
        }
        assert_eq!(lines(&done).len(), 3);
        assert_eq!(done.err.contains("AO_PROJECT_ID"), generation != 'C', "a guess is called one: {done}");
        let json = stage.forge(&["continue", "--json"]).code(3).json();
        assert_eq!(json["spawn"]["generation"], "A");
        assert!(json["spawn"]["notes"][0].as_str().unwrap().contains("not on PATH"), "{json}");
        // As soon as it is there, it is asked.
        stage.place.set("PATH", stage.stub.search_path(Some("/usr/bin:/bin".into())).to_str().unwrap());
        let json = stage.forge(&["continue", "--json"]).code(3).json();
        assert_eq!((json["spawn"]["generation"].as_str(), stage.asked()), (Some(&*generation.to_string()), 1));
    }
}

// seed: S1-13
#[test]
fn without_aos_variables_nothing_is_said_of_it() {
    let mut stage = Stage::new('B').without_ao();
    let before = crate::place::tree_of(&stage.stub.data_dir());
    for (data_dir, session) in [("", ""), ("", "shop-1"), (stage.stub.data_dir().to_str().unwrap(), "")] {
        stage.place.set("AO_DATA_DIR", data_dir);
        stage.place.set("AO_SESSION", session);
        let done = if stage.place.has(HOME) { stage.forge(&["continue"]).code(3) } else { stage.open() };
        assert!(!done.out.contains("ao spawn") && !done.err.contains("AO"), "{done}");
        assert_eq!(stage.forge(&["continue", "--json"]).code(3).json()["spawn"], serde_json::Value::Null);
    }
    assert_eq!((stage.asked(), stage.stub.log().as_str()), (0, ""));
    assert_eq!(crate::place::tree_of(&stage.stub.data_dir()), before);
    assert!(!stage.place.has(".claude/forge/ao-metadata.json") && !stage.place.has(".claude/forge/ao-generation"));
}

/// forge itself runs in a session's worktree, as AO's sessions do.
#[test]
fn forge_in_a_sessions_own_worktree() {
    let stage = Stage::new('B');
    let own = stage.worktree("own", &[]);
    std::fs::remove_dir_all(own.join("docs")).unwrap();
    stage.session(super::SESSION, &own);
    let own = own.to_str().unwrap().to_owned();
    let forge = |args: &[&str]| stage.forge(&[&["--workspace", &own], args].concat());
    forge(&["start", "Sessions for the shop"]).code(0);
    forge(&["continue"]).code(0);
    std::fs::write(format!("{own}/docs/forge/brainstorm-options.md"), super::OPTIONS).unwrap();
    let opened = forge(&["continue"]).code(3);
    assert!(lines(&opened).iter().all(|line| line.contains(&format!("--plan={own}/{HOME}/debate-plan.md"))));
    assert_eq!(stage.told("forge_branch").as_deref(), Some("own"));
    stage.spawn(&lines(&opened), "worktree");
    let second = forge(&["continue"]).code(3);
    assert_eq!(roles(&second), "synthesizer");
    stage.spawn(&lines(&second), "worktree");
    forge(&["continue"]).code(0).out("entered research");
    assert!(!stage.place.has("docs"), "the main tree is not touched");
}
