//! Every scenario on a disk that is full, or that denies a write: the run stops and says so, nothing that was recorded
//! is lost, and the next run ends as if nothing had been.

use crate::recovery::Calm;
use crate::scenario::Scenario;
use crate::stage::Stage;
use crate::tree::Tree;
use forge_artifacts::catalog::FindError;
use forge_artifacts::disk::{Disk, DiskError};
use forge_artifacts::store::OpenError;
use forge_engine::EngineError;
use forge_testkit::dying_disk::{DyingDisk, Lasting, Refusal, Refusing};
use std::sync::Arc;

/// Scenarios with more writes than this are refused every fourth one, the kind changing all the same.
const WRITES_REFUSED_ONE_BY_ONE: usize = 60;
const SHOWN: usize = 3;

each_scenario!(super::refusal::sweep);

fn sweep(name: &str) {
    let scenario = Scenario::load(name);
    let calm = Calm::of(&scenario);
    let stride = if calm.writes > WRITES_REFUSED_ONE_BY_ONE { 4 } else { 1 };
    let mut failures = Vec::new();
    for at in (1..=calm.writes).step_by(stride) {
        let kind = if (at / stride).is_multiple_of(2) { Refusal::Full } else { Refusal::Denied };
        let lasting = if (at / stride / 2).is_multiple_of(2) { Lasting::Once } else { Lasting::Forever };
        let refusing = Refusing { at, kind, lasting };
        let wrongs = refuse_and_run_again(&scenario, &calm, refusing);
        if !wrongs.is_empty() {
            failures.push(format!("{refusing:?}:\n{}", wrongs.join("\n")));
        }
    }
    let shown: Vec<&str> = failures.iter().take(SHOWN).map(String::as_str).collect();
    assert!(failures.is_empty(), "{name}: {} refusals went wrong\n{}", failures.len(), shown.join("\n"));
}

fn refuse_and_run_again(scenario: &Scenario, calm: &Calm, refusing: Refusing) -> Vec<String> {
    let stage = Stage::new();
    let disk: Arc<dyn Disk> = Arc::new(DyingDisk::refusing(stage.disk(), refusing));
    let stopped = match stage.play(scenario, &disk, 0) {
        Ok(_) => return vec!["the run went on as if the write had been done".to_owned()],
        Err(stopped) => stopped,
    };
    let mut wrongs = Vec::new();
    match (disk_error(&stopped.error), refusing.kind) {
        (Some(DiskError::Full { .. }), Refusal::Full) | (Some(DiskError::Denied { .. }), Refusal::Denied) => {}
        _ => wrongs.push(format!("stopped with something else: {}", stopped.error)),
    }
    let recorded = stage.tree();
    let disk: Arc<dyn Disk> = stage.disk();
    match stage.play(scenario, &disk, stopped.step) {
        Ok(tale) => {
            let tree = stage.tree();
            wrongs.extend(lost(&recorded, &tree));
            wrongs.extend(calm.wrongs(scenario, &tree, &tale, 1));
        }
        Err(stopped) => wrongs.push(format!("step {} does not go on: {}", stopped.step + 1, stopped.error)),
    }
    wrongs
}

/// What the disk said, wherever on the way it was said.
fn disk_error(error: &EngineError) -> Option<&DiskError> {
    match error {
        EngineError::Midway { error, .. } => disk_error(error),
        EngineError::Disk(error)
        | EngineError::Open(OpenError::Disk(error))
        | EngineError::Find(FindError::Disk(error)) => Some(error),
        _ => None,
    }
}

/// Turns, briefs and replies that were there and are no longer, not even under another name.
fn lost(before: &Tree, after: &Tree) -> Vec<String> {
    let is_record = |path: &str, bytes: &[u8]| {
        let trail = ["trail/briefs/", "trail/replies/", "trail/turns/"].iter().any(|part| path.contains(part));
        trail || bytes.starts_with(b"---\nforge_turn:")
    };
    before
        .0
        .iter()
        .filter(|(path, bytes)| is_record(path, bytes))
        .filter(|(path, bytes)| after.0.get(*path) != Some(bytes) && !after.0.values().any(|other| other == *bytes))
        .map(|(path, _)| format!("{path} is lost"))
        .collect()
}
