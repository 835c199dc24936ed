//! What AO is told: eleven keys in its own file where it has one, and nothing else changed.

use super::{DEBATE, GENERATIONS, ISSUE, LATER, NOW, SESSION, Stage, lines};
use crate::place::{Done, tree_of};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// A command that holds five seconds for a lock, and some for a slow machine.
const A_FEW_SECONDS: Duration = Duration::from_secs(12);

/// Where a workflow stands.
struct Told {
    phase: &'static str,
    status: &'static str,
    next: &'static str,
    summary: &'static str,
    debate: Option<&'static str>,
    debate_status: &'static str,
    updated: &'static str,
}

const BEGUN: Told = Told {
    phase: "init",
    status: "in_progress",
    next: "brainstorm",
    summary: "Sessions for the shop",
    debate: None,
    debate_status: "none",
    updated: NOW,
};
const ENTERED: Told = Told { phase: "brainstorm", next: "research", summary: "0 options listed", ..BEGUN };
const WAITING: Told = Told {
    status: "in_progress",
    summary: "the debate waits for advocate, skeptic, operator",
    debate: Some(DEBATE),
    debate_status: "pending",
    ..ENTERED
};
const SECOND_WAVE: Told =
    Told { summary: "the debate waits for synthesizer", debate_status: "running", updated: LATER, ..WAITING };
const DECIDED: Told = Told { phase: "research", next: "design", summary: "not ticked", updated: LATER, ..BEGUN };

#[track_caller]
fn says(stage: &Stage, told: &Told) {
    let pairs = stage.metadata();
    let ours: Vec<(&str, &str)> =
        pairs.iter().filter(|(key, _)| key.starts_with("forge_")).map(|(k, v)| (k.as_str(), v.as_str())).collect();
    let mut expected = vec![
        ("forge_phase", told.phase),
        ("forge_status", told.status),
        ("forge_next", told.next),
        ("forge_debate_status", told.debate_status),
        ("forge_branch", "main"),
        ("forge_issue", ISSUE),
        ("forge_version", "2.0.0"),
        ("forge_started_at", NOW),
        ("forge_last_updated", told.updated),
    ];
    expected.extend(told.debate.map(|id| ("forge_debate_id", id)));
    for pair in &expected {
        assert!(ours.contains(pair), "{}: no {pair:?} in {ours:#?}", stage.generation);
    }
    let summary = ours.iter().find(|(key, _)| *key == "forge_summary").map(|(_, value)| *value).unwrap_or_default();
    assert!(summary.starts_with(told.summary), "{summary:?} does not begin with {:?}", told.summary);
    assert_eq!(ours.len(), expected.len() + 1, "these and no others: {ours:#?}");
    assert!(ours.iter().all(|(_, value)| !value.is_empty() && !value.contains('\n')), "{ours:#?}");
}

// seed: S0-56, S1-14, S1-15, S1-20, S1-21, S1-22, S1-91
#[test]
fn after_each_command_the_metadata_says_where_the_workflow_stands() {
    for generation in GENERATIONS {
        let mut stage = Stage::new(generation);
        let before = tree_of(&stage.stub.data_dir());
        stage.forge(&["start", "Sessions for the shop"]).code(0);
        says(&stage, &BEGUN);
        stage.forge(&["continue"]).code(0);
        says(&stage, &ENTERED);
        stage.place.write("docs/forge/brainstorm-options.md", super::OPTIONS);
        let opened = stage.forge(&["continue"]).code(3);
        says(&stage, &WAITING);
        for args in [&["status"][..], &["gate"], &["debate", "list"], &["debate", "collect"]] {
            stage.forge(args);
            says(&stage, &WAITING);
        }
        if generation == 'C' {
            assert_eq!(tree_of(&stage.stub.data_dir()), before, "AO's database folder is not for us");
        }
        stage.place.set("FORGE_NOW", LATER);
        stage.forge(&["continue"]).code(3);
        says(&stage, &WAITING);
        stage.spawn(&lines(&opened), "worktree");
        let spawned = tree_of(&stage.stub.data_dir());
        let second = stage.forge(&["continue"]).code(3);
        says(&stage, &SECOND_WAVE);
        if generation == 'C' {
            assert_eq!(tree_of(&stage.stub.data_dir()), spawned);
        }
        stage.spawn(&lines(&second), "worktree");
        stage.forge(&["continue"]).code(0);
        says(&stage, &DECIDED);
        let own = stage.place.has(".claude/forge/ao-metadata.json");
        assert_eq!(own, generation == 'C', "one place for the keys, not two");
        let left: Vec<String> = tree_of(&stage.stub.data_dir()).into_keys().collect();
        assert!(!left.iter().any(|name| name.contains(".lock") || name.contains("tmp")), "{left:?}");
    }
}

// seed: S1-23
#[test]
fn keys_of_others_keep_their_order_and_their_bytes() {
    let stage = Stage::new('A');
    let theirs = "# by hand\nworktree=/nowhere/at all\n\nforge_phase=old\nstatus=working\nurl=https://x.org/?a=b=c\n";
    std::fs::write(stage.metadata_file(), theirs).unwrap();
    stage.open();
    let text = std::fs::read_to_string(stage.metadata_file()).unwrap();
    let now = theirs.replace("forge_phase=old", "forge_phase=brainstorm");
    assert!(text.starts_with(&now), "{text}");
    assert!(text[now.len()..].lines().all(|line| line.starts_with("forge_")), "{text}");
    assert_eq!(text.matches("forge_").count(), 11, "{text}");

    let stage = Stage::new('B');
    let theirs = r#"{
  "worktree": "/nowhere",
  "forge_phase": "old",
  "status": "working",
  "count": 12345678901234567890.10,
  "escaped": "\u00e9\/",
  "lifecycle": {
    "version": 2
  }"#;
    std::fs::write(stage.metadata_file(), format!("{theirs}\n}}")).unwrap();
    stage.open();
    let text = std::fs::read_to_string(stage.metadata_file()).unwrap();
    let now = theirs.replace(r#""old""#, r#""brainstorm""#);
    assert!(text.starts_with(&format!("{now},\n  \"forge_status\": \"in_progress\"")), "{text}");
    assert_eq!(text.matches("\"forge_").count(), 11, "{text}");
}

#[test]
fn metadata_that_is_not_there_is_not_made() {
    for generation in ['A', 'B'] {
        let stage = Stage::new(generation);
        std::fs::remove_file(stage.metadata_file()).unwrap();
        let done = stage.open();
        assert!(!done.err.contains("AO is not told"), "{done}");
        assert!(tree_of(&stage.stub.data_dir()).is_empty());
        assert_eq!(lines(&done).len(), 3, "{done}");
    }
}

#[test]
fn a_held_lock_costs_a_warning_and_a_few_seconds() {
    let stage = Stage::new('B');
    stage.forge(&["start", "Sessions for the shop"]).code(0);
    let lock = stage.stub.data_dir().join(format!("{SESSION}.json.lock"));
    std::fs::write(&lock, "4711").unwrap();
    let before = std::fs::read(stage.metadata_file()).unwrap();
    let began = Instant::now();
    stage.forge(&["continue"]).code(0).err("AO is not told where the workflow stands").err("json.lock").err("seconds");
    assert!(began.elapsed() < A_FEW_SECONDS, "{:?}", began.elapsed());
    assert_eq!(std::fs::read(stage.metadata_file()).unwrap(), before);
    assert_eq!(std::fs::read_to_string(&lock).unwrap(), "4711", "somebody else's lock stays");
    // Forgotten by its holder.
    let old = SystemTime::now() - Duration::from_secs(60);
    std::fs::File::options().write(true).open(&lock).unwrap().set_modified(old).unwrap();
    let done = stage.forge(&["continue"]).code(0);
    assert!(!done.err.contains("AO"), "{done}");
    says(&stage, &ENTERED);
    assert!(!lock.exists());
}

/// Variables that cannot be believed, and the words that say why.
fn unsound(stage: &Stage) -> Vec<(&'static str, String, &'static str)> {
    let data = stage.stub.data_dir();
    vec![
        ("AO_SESSION", "../shop-1".to_owned(), "only letters, digits, - and _"),
        ("AO_SESSION", "..".to_owned(), "only letters, digits, - and _"),
        ("AO_SESSION", "a/b".to_owned(), "only letters, digits, - and _"),
        ("AO_SESSION", format!("{}/shop-1", data.display()), "only letters, digits, - and _"),
        ("AO_SESSION_ID", "shop 1".to_owned(), "only letters, digits, - and _"),
        ("AO_DATA_DIR", "ao/data".to_owned(), "an absolute path is wanted"),
        ("AO_DATA_DIR", "../ao/data".to_owned(), "an absolute path is wanted"),
        ("AO_DATA_DIR", data.join("nothing").display().to_string(), "there is no such folder"),
        ("AO_DATA_DIR", data.join(format!("{SESSION}.json")).display().to_string(), "there is no such folder"),
    ]
}

#[test]
fn variables_that_cannot_be_believed_cost_a_warning() {
    let mut stage = Stage::new('B');
    std::fs::write(stage.place.around().join("shop-1.json"), "{}").unwrap();
    for (variable, value, word) in unsound(&stage) {
        stage.set_ao(true);
        let sound = stage.place.has(super::HOME);
        if !sound {
            stage.open();
        }
        let around = outside(&stage);
        stage.place.set(variable, &value);
        let done = stage.forge(&["continue"]).code(3).err("AO is not told where the workflow stands").err(word);
        assert!(done.err.contains(variable), "{done}");
        assert_eq!(done.err.matches("AO is not told").count(), 1, "{done}");
        assert_eq!(lines(&done).len(), 3, "the lines come all the same: {done}");
        stage.forge(&["debate", "collect"]).code(0);
        assert_eq!(outside(&stage), around, "{variable}={value}");
    }
}

/// Everything around the workspace.
fn outside(stage: &Stage) -> Vec<(String, Vec<u8>)> {
    let all = tree_of(stage.place.around()).into_iter();
    all.filter(|(name, _)| !name.starts_with("work/") && name != "ao/log").collect()
}

#[test]
fn what_is_no_metadata_is_left_as_it_is() {
    let texts: [(&str, &[u8], &str); 4] = [
        ("not JSON", b"{\"worktree\": ", "not a JSON object"),
        ("not UTF-8", b"{\"a\": \"\xff\"}", "not UTF-8"),
        ("no pairs", b"what is this", "not key=value"),
        ("empty", b"", "it is empty"),
    ];
    for (name, bytes, word) in texts {
        let stage = Stage::new('B');
        std::fs::write(stage.metadata_file(), bytes).unwrap();
        stage.forge(&["start", "Sessions for the shop"]).code(0).err("is left as it is").err(word);
        assert_eq!(std::fs::read(stage.metadata_file()).unwrap(), bytes, "{name}");
    }
}

#[test]
fn a_link_in_the_metadatas_place_is_not_followed() {
    let stage = Stage::new('B');
    let target = stage.place.around().join("precious.json");
    std::fs::write(&target, "{}").unwrap();
    std::fs::remove_file(stage.metadata_file()).unwrap();
    std::os::unix::fs::symlink(&target, stage.metadata_file()).unwrap();
    stage.forge(&["start", "Sessions for the shop"]).code(0).err("is a symbolic link");
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "{}");
}

/// What an objective says goes into one line of a file that shells read.
#[test]
fn words_of_others_cannot_add_a_key() {
    for generation in ['A', 'B'] {
        let stage = Stage::new(generation);
        stage.forge(&["start", "Sessions\nstatus=done\u{202e}\"}\r\nforge_phase=learn"]).code(0);
        let text = std::fs::read_to_string(stage.metadata_file()).unwrap();
        assert_eq!(stage.told("forge_phase").as_deref(), Some("init"), "{text}");
        assert_eq!(stage.told("status").as_deref(), Some("working"), "{text}");
        assert!(!text.contains('\u{202e}') && !text.contains('\r'), "{text:?}");
    }
}

#[test]
fn another_issue_and_another_branch_are_told() {
    let stage = Stage::new('B');
    super::git(&stage.place.work(), &["checkout", "-q", "-b", "feat/sessions"]);
    stage.forge(&["start", "Sessions for the shop", "--issue", "SHOP-8"]).code(0);
    assert_eq!(stage.told("forge_branch").as_deref(), Some("feat/sessions"));
    assert_eq!(stage.told("forge_issue").as_deref(), Some("SHOP-8"));
}

/// A folder that forge may not write in: as root nothing is forbidden, so a file stands in the folder's place.
#[test]
fn keys_that_cannot_be_kept_cost_a_warning() {
    let stage = Stage::new('C');
    stage.forge(&["start", "Sessions for the shop"]).code(0);
    let own = stage.metadata_file();
    std::fs::remove_file(&own).unwrap();
    std::fs::create_dir(&own).unwrap();
    let done: Done = stage.forge(&["continue"]).code(0).err("AO's keys are not kept");
    assert!(Path::new(&own).is_dir(), "{done}");
}
