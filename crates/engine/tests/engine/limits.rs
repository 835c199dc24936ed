//! Caps are kept: over crashes, over seats that are asked again, and over calls that are no longer part of the record.

use crate::scenario::Scenario;
use crate::stage::Stage;
use forge_artifacts::disk::{Created, Disk, DiskError, Entry, WorkspaceDisk};
use forge_testkit::dying_disk::{Death, DyingDisk, Manner};
use std::sync::Arc;

/// A process that dies again and again at the same write of its run makes no more calls than are allowed, and the one
/// that lives after it ends the debate.
#[test]
fn the_cap_on_calls_holds_over_many_deaths() {
    let scenario = Scenario::load("judges-budget");
    let most = scenario.max_calls.unwrap() as usize;
    for at in 1..=12 {
        for manner in [Manner::Before, Manner::AfterRename] {
            let stage = Stage::new();
            for _ in 0..2 * most {
                let disk = Arc::new(DyingDisk::dying(stage.disk(), Death { at, manner }));
                let shared: Arc<dyn Disk> = Arc::clone(&disk) as Arc<dyn Disk>;
                let lived = stage.play(&scenario, &shared, 0).is_ok();
                let calls = stage.tree().trail("briefs").len();
                assert!(calls <= most, "{calls} calls, dying at write {at} ({manner:?})");
                if lived {
                    break;
                }
            }
            let end = stage.play_calmly(&scenario).end;
            assert!(stage.tree().trail("briefs").len() <= most, "dying at write {at} ({manner:?})");
            assert!(end.contains("missing: ") && end.contains(" budget"), "{end}");
        }
    }
}

/// A seat whose call is lost time and again is given up at last, and said to be absent.
#[test]
fn lost_calls_are_not_repeated_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let text = "question: Which cache?\nprotocol: judges\noptions: [Redis, Memcached]\n";
    let scenario = Scenario::improvise(folder.path(), text, "replies: [{ballot: {option: A}}]");
    let stage = Stage::new();
    for _ in 0..300 {
        // The reply to a brief that this run wrote is never written.
        let disk: Arc<dyn Disk> = Arc::new(NoReplies(stage.disk()));
        if stage.play(&scenario, &disk, 0).is_ok() {
            break;
        }
    }
    let end = stage.play_calmly(&scenario).end;
    assert!(end.contains("outcome: insufficient"), "{end}");
    assert_eq!(stage.tree().trail("briefs").len(), 300, "100 for each of three seats");
}

/// A disk that is full for replies only.
struct NoReplies(Arc<WorkspaceDisk>);

impl Disk for NoReplies {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>, DiskError> {
        self.0.read(path)
    }
    fn list(&self, folder: &str) -> Result<Vec<Entry>, DiskError> {
        self.0.list(folder)
    }
    fn create_new(&self, path: &str, bytes: &[u8]) -> Result<Created, DiskError> {
        if path.contains("trail/replies/") {
            return Err(DiskError::Full { path: path.to_owned() });
        }
        self.0.create_new(path, bytes)
    }
    fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), DiskError> {
        self.0.replace(path, bytes)
    }
    fn remove(&self, path: &str) -> Result<(), DiskError> {
        self.0.remove(path)
    }
}

/// The framer is paid for too: what it used is no longer free for the seats.
#[test]
fn tokens_of_the_framer_count() {
    let folder = tempfile::tempdir().unwrap();
    let text = "question: Which cache?\nprotocol: judges\nmax_tokens: 40000\n";
    let script = "
replies:
  - {stage: framing, input_tokens: 39000, output_tokens: 500, ballot: {options: [{label: Redis}, {label: Memcached}, {label: None of them}]}}
  - {ballot: {option: A}, input_tokens: 2000, output_tokens: 500}
";
    let scenario = Scenario::improvise(folder.path(), text, script);
    let stage = Stage::new();
    let end = stage.play_calmly(&scenario).end;
    assert_eq!(stage.tree().trail("briefs").len(), 1, "nothing is left for the judges:\n{end}");
    assert!(end.contains("outcome: insufficient") && end.contains(" budget"), "{end}");
}

const RETRIED: &str = "
question: Which cache?
protocol: judges
options: [Redis, Memcached]
steps:
  - run: {}
  - run: {retry_absent: true, script: later}
";

/// Effort hangs; risk and value differ twice, at 10,000 tokens a turn. Later effort can be reached.
fn retried(folder: &std::path::Path, limits: &str) -> (String, u64) {
    let script = "
replies:
  - {seat: effort, do: hang}
  - {seat: risk, ballot: {option: A}, input_tokens: 9000, output_tokens: 1000}
  - {seat: value, ballot: {option: B}, input_tokens: 9000, output_tokens: 1000}
";
    std::fs::create_dir(folder.join("later")).unwrap();
    let later = "replies: [{ballot: {option: A}, input_tokens: 9000, output_tokens: 1000}]";
    std::fs::write(folder.join("later/script.yaml"), later).unwrap();
    let scenario = Scenario::improvise(folder, &format!("{RETRIED}{limits}"), script);
    let stage = Stage::new();
    let end = stage.play_calmly(&scenario).end;
    let files = stage.debate(&scenario);
    let spent = stage.healthy(&scenario).survey(&files).unwrap().account(&files).unwrap().spent;
    (end, spent.input_tokens + spent.output_tokens)
}

/// Turns that were put aside cost what they cost.
#[test]
fn tokens_of_withdrawn_turns_count_against_the_cap() {
    let folder = tempfile::tempdir().unwrap();
    // 40,000 are used by four turns, two of which are put aside; effort's call was never answered and may have cost
    // what was set aside for it.
    let (end, _) = retried(folder.path(), "max_tokens: 50000\n");
    assert!(end.contains("missing: effort (opening, round 1) budget"), "{end}");
}

#[test]
fn tokens_of_withdrawn_turns_are_in_the_account() {
    let folder = tempfile::tempdir().unwrap();
    let (_, spent) = retried(folder.path(), "");
    assert_eq!(spent, 50_000, "five answered calls of 10,000 tokens each");
}
