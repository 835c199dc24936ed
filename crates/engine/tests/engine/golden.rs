//! Every scenario, played once: the whole workspace afterwards, byte for byte.

use crate::scenario::{Scenario, golden};
use crate::stage::{Stage, on_a_free_clock};
use crate::tree::Tree;
use forge_artifacts::disk::Disk;
use forge_debate::protocols;
use forge_engine::{Freshness, Run, RunEnd, RunSettings, Silent};
use forge_testkit::dying_disk::DyingDisk;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What happened in a scenario, beside the files that it left.
const OUTCOME: &str = "outcome.txt";
/// Set, what the engine writes now is what is expected from now on.
const BLESS: &str = "FORGE_BLESS";

each_scenario!(super::golden::check);

fn check(name: &str) {
    let scenario = Scenario::load(name);
    let stage = Stage::new();
    let tale = stage.play_calmly(&scenario);
    let mut found = stage.tree();
    let calls = found.trail("briefs").len();
    found.0.insert(OUTCOME.to_owned(), format!("{}calls: {calls}\n", tale.text).into_bytes());
    let expected = scenario.folder.join("expected");
    if blessing() {
        found.write(&expected);
    }
    let differences = found.differences(&Tree::read(&expected));
    assert!(
        differences.is_empty(),
        "{name}: {} differences from {}; if they are wanted: {BLESS}=1 cargo test -p forge-engine golden\n{}",
        differences.len(),
        expected.display(),
        differences.join("\n")
    );
    the_same_command_again_changes_nothing(&scenario, &stage);
}

fn blessing() -> bool {
    std::env::var_os(BLESS).is_some()
}

/// A debate that is over is neither asked nor paid again, and nothing is written.
fn the_same_command_again_changes_nothing(scenario: &Scenario, stage: &Stage) {
    let before = stage.tree();
    let disk = Arc::new(DyingDisk::counting(stage.disk()));
    let shared: Arc<dyn Disk> = Arc::clone(&disk) as Arc<dyn Disk>;
    let workspace = stage.workspace(shared, &scenario.folder);
    let opened = workspace.open_or_create(&scenario.request(), Freshness::GoOn).unwrap();
    assert!(opened.existed);
    let run = Run::new(&workspace, RunSettings::default(), &Silent);
    let end = on_a_free_clock(run.opened(opened.files)).unwrap();
    assert!(matches!(end, RunEnd::Concluded(_)), "{}: {end:?}", scenario.name);
    assert_eq!(disk.writes(), 0, "{}: a finished debate was written to", scenario.name);
    assert_eq!(stage.tree().differences(&before), Vec::<String>::new(), "{}", scenario.name);
}

#[test]
fn every_folder_is_a_scenario() {
    let folders: BTreeSet<String> = std::fs::read_dir(golden())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    let listed: BTreeSet<String> = SCENARIOS.iter().map(|name| name.replace('_', "-")).collect();
    assert_eq!(folders, listed);
}

/// Everything that a debate can be occurs in some scenario: protocols, stages, outcomes.
// seed: S2-1
#[test]
fn every_protocol_stage_and_outcome_occurs() {
    if blessing() {
        // The folders are being written by the tests beside this one.
        return;
    }
    let mut seen = BTreeSet::new();
    for name in SCENARIOS {
        let scenario = Scenario::load(&name.replace('_', "-"));
        seen.insert(scenario.protocol.clone());
        let expected = Tree::read(&scenario.folder.join("expected"));
        for line in expected.text(OUTCOME).lines().filter(|line| line.starts_with("outcome: ")) {
            seen.insert(line.to_owned());
        }
        for folder in ["briefs", "outside"] {
            for (turn, ..) in expected.trail(folder) {
                let stage = turn.split_once("-r").map_or("", |(stage, _)| stage);
                seen.insert(format!("{} {stage}", scenario.protocol));
            }
        }
    }
    let mut wanted: BTreeSet<String> = protocols::ALL.iter().map(|protocol| protocol.profile.name.to_owned()).collect();
    for outcome in ["consensus", "decided", "contested", "tradeoff", "blocked", "insufficient"] {
        wanted.insert(format!("outcome: {outcome}"));
    }
    let stages = [
        ("judges", "framing opening challenge"),
        ("gate", "case synthesis"),
        ("panel", "position response poll referee synthesis review correction recheck"),
        ("challenge", "probe opening challenge answer rebuttal assumptions"),
    ];
    for (protocol, stages) in stages {
        wanted.extend(stages.split(' ').map(|stage| format!("{protocol} {stage}")));
    }
    let missing: Vec<&String> = wanted.difference(&seen).collect();
    assert!(missing.is_empty(), "no scenario has {missing:?}");
}
