//! Lies told to readers, and folders that are made to bring the check down; and runs that died, which are no liars.

use super::Finished;
use super::held::{self, GATE, JUDGES, Poll};
use crate::scenario::Scenario;
use crate::stage::Stage;
use forge_artifacts::disk::Disk;
use forge_artifacts::document;
use forge_artifacts::formats::commitment;
use forge_artifacts::formats::turn::{self, Read};
use forge_debate::digest::Digest;
use forge_engine::verify::{self, Kind};
use forge_engine::{RunEnd, Survey};
use forge_testkit::dying_disk::{Death, DyingDisk, Manner};
use serde_json::Value;
use std::sync::Arc;

/// One debate of every protocol.
const EACH: [&str; 4] = ["judges-consensus-round-1", "gate-decided", "panel-correction-round", "challenge-fast-exit"];

impl Finished {
    fn verdict(&self) -> String {
        format!("{}/verdict.json", forge_artifacts::layout::trail_beside(&self.plan))
    }

    /// The reports that the verdict lists.
    fn reports(&self) -> Vec<String> {
        let verdict: Value = serde_json::from_str(&self.read(&self.verdict())).unwrap();
        let rows = verdict["reports"].as_array().unwrap();
        rows.iter().map(|row| row["file"].as_str().unwrap().to_owned()).collect()
    }

    fn without_verdict(&self) {
        std::fs::remove_file(self.path(&self.verdict())).unwrap();
    }

    #[track_caller]
    fn notes(&self, words: &str) {
        let report = self.check();
        assert!(report.holds(), "{:#?}", report.discrepancies);
        assert!(report.notes.iter().any(|note| note.contains(words)), "no {words:?} in {:?}", report.notes);
    }
}

/// What is told to readers is held against the turns, whether the verdict for machines is there, is torn down, or is gone.
#[test]
fn a_report_that_lies_beside_no_verdict_or_a_torn_one() {
    for name in EACH {
        let finished = Finished::new(name);
        let (path, reports) = (finished.verdict(), finished.reports());
        assert!(!reports.is_empty());
        let verdict = finished.read(&path);
        for report in &reports {
            let text = finished.read(report);
            for torn in [None, Some("{\"format\":1}"), Some("{\"format\": 1, \"reports\": []}")] {
                match torn {
                    Some(torn) => finished.write(&path, torn),
                    None => finished.without_verdict(),
                }
                finished.write(report, text.replacen(|c: char| c.is_ascii_uppercase(), "Z", 1));
                finished.says(Kind::Report, report);
                let kind = if torn.is_some() { Kind::Verdict } else { Kind::Dropped };
                finished.says(kind, &path);
                finished.write(report, &text);
            }
        }
        finished.write(&path, "{\"format\":1}");
        finished.says(Kind::Verdict, &path);
        let mut torn: Value = serde_json::from_str(&verdict).unwrap();
        for list in ["kept", "reports"] {
            torn.as_object_mut().unwrap().remove(list);
        }
        finished.write(&path, torn.to_string());
        finished.says(Kind::Verdict, &path);
        finished.write(&path, verdict.replacen("\"format\": 1", "\"format\": 2", 1));
        let said = finished.says(Kind::Verdict, &path);
        assert!(said.discrepancies.iter().any(|one| one.text == "format is 2, and 1 follows"), "{said:#?}");
        // A run that is killed before its last write leaves exactly this.
        finished.without_verdict();
        finished.notes("verdict.json is not there");
    }
}

/// A status that nobody derived is told without a verdict on file too.
#[test]
fn a_status_that_lies_beside_no_verdict() {
    let finished = Finished::new("gate-decided");
    finished.without_verdict();
    finished.replace(&finished.plan, "status: \"complete\"", "status: \"running\"");
    finished.notes("verdict.json is not there");
    finished.replace(&finished.plan, "status: \"running\"", "status: \"approved\"");
    finished.says(Kind::Report, &finished.plan);
}

/// Numbers in headers are somebody's words: none of them may decide how long a check takes or how much it holds.
#[test]
fn numbers_that_nobody_can_count_to() {
    let finished = Finished::new("judges-one-hangs-one-garbage-repaired");
    let files = finished.stage.debate(&Scenario::load("judges-one-hangs-one-garbage-repaired"));
    let heard = Survey::of(&files).unwrap().heard;
    assert!(heard.iter().any(|one| one.turn.absence().is_some()), "nobody is absent");
    for one in &heard {
        let Read::Ours(mut file) = turn::read(&document::decode(finished.read(&one.line.file).as_bytes()).text) else {
            panic!("{}: no turn", one.line.file)
        };
        file.header.attempts = u32::MAX;
        (file.header.input_tokens, file.header.output_tokens) = (Some(u64::MAX), Some(u64::MAX));
        finished.write(&one.line.file, turn::write(&one.turn.key, &file.header, &file.body));
        finished.says(Kind::Edited, &one.line.file);
    }
    finished.without_verdict();
    for one in &heard {
        finished.says(Kind::Edited, &one.line.file);
    }
}

/// Links are not followed, wherever they lead; they are strangers in the debate's folder. In the place of a file they are a
/// finding, and no failure of the disk.
#[cfg(unix)]
#[test]
fn links_in_a_debates_folder() {
    let finished = Finished::new("gate-decided");
    let home = finished.path(&finished.plan).parent().unwrap().to_owned();
    for number in 0..20 {
        std::os::unix::fs::symlink(".", home.join(format!("again-{number}"))).unwrap();
    }
    assert!(finished.check().holds(), "beside the debate's files: {:#?}", finished.check());
    for file in ["trail/plan.md", "trail/verdict.json", "trail/briefs", "verdict.md"] {
        let finished = Finished::new("gate-decided");
        let path = finished.path(&finished.plan).parent().unwrap().join(file);
        if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) }.unwrap();
        std::os::unix::fs::symlink(path.file_name().unwrap(), &path).unwrap();
        let report = finished.check();
        assert!(!report.holds(), "{file}: {report:#?}");
        assert!(report.discrepancies.iter().any(|found| found.text.contains("symbolic link")), "{file}: {report:#?}");
    }
}

/// Only what this protocol writes for readers is taken for a report of it.
#[test]
fn a_report_of_another_protocol() {
    for (name, own) in EACH.into_iter().zip([1, 1, 1, 3]) {
        let finished = Finished::new(name);
        let reports = finished.reports();
        assert_eq!(reports.len(), own, "{name}: {reports:?}");
        let stem = match finished.plan.strip_suffix("-plan.md") {
            Some(stem) if name.starts_with("judges") => format!("{stem}-"),
            _ => format!("{}/", finished.plan.rsplit_once('/').unwrap().0),
        };
        for other in ["result.yaml", "state.json", "transcript.md", "verdict.md"] {
            let path = format!("{stem}{other}");
            if !reports.contains(&path) {
                finished.write(&path, "winner: me\n");
                finished.says(Kind::Added, &path);
                std::fs::remove_file(finished.path(&path)).unwrap();
            }
        }
        assert!(finished.check().holds(), "{name}");
    }
}

/// What opens a commitment names it.
#[test]
fn a_vote_that_opens_another_commitment() {
    let finished = held::sealed_votes();
    let path = format!("{JUDGES}trail/revealed/opening-r1-value.md");
    let revealed = commitment::read_revealed(finished.read(&path).as_bytes()).unwrap();
    let other = Digest::of(b"another vote").to_string();
    finished.replace(&path, &revealed.commitment.to_string(), &other);
    // Even where the list of the verdict does not tell.
    finished.without_verdict();
    finished.says(Kind::Edited, &path);
}

/// A person who writes openly has voted; readers learn that nothing was sealed.
#[test]
fn a_first_vote_that_was_not_sealed() {
    assert!(held::sealed_votes().check().notes.iter().all(|note| !note.contains("not sealed")));
    let poll = Poll::open();
    poll.vote("risk", "a");
    let words = "## Assessment\n\nIt has run for years without a leak.\n\n## Recommendation\n\nOption A. It has run for years without a leak.\n\n```json\n{\"option\": \"A\", \"confidence\": \"LOW\", \"reason\": \"It has run for years without a leak\", \"arguments\": [{\"id\": \"a1\", \"text\": \"It has run for years without a leak\"}]}\n```\n";
    std::fs::write(poll.stage.root().join(format!("{JUDGES}value.md")), words).unwrap();
    let end = poll.run(poll.stage.disk()).unwrap();
    assert!(matches!(end, RunEnd::Concluded(_)), "{end:?}");
    let finished = poll.finished();
    finished.notes("value's first vote was not sealed: it was written openly");
    assert!(finished.check().notes.iter().all(|note| !note.contains("risk's")));
}

/// A run that was killed at any write of its last step is accused of nothing, and holds once it is run to its end.
#[test]
fn a_last_step_that_died_is_innocent() {
    let folder = tempfile::tempdir().unwrap();
    for scenario in
        [Scenario::load("judges-flip-unearned-contested-then-decided-by-person"), held::mended_gate_in(folder.path())]
    {
        let last = scenario.steps.len() - 1;
        let mut before = scenario.clone();
        before.steps.truncate(last);
        let mut died = true;
        for at in 1.. {
            let stage = Stage::new();
            stage.play_calmly(&before);
            let death = Death { at, manner: Manner::AfterRename };
            let disk: Arc<dyn Disk> = Arc::new(DyingDisk::dying(stage.disk(), death));
            died = stage.play(&scenario, &disk, last).is_err();
            let name = &scenario.name;
            for mut report in stage.healthy(&scenario).verify_all().unwrap() {
                // A file that was mended is another one until it is taken in anew.
                report.discrepancies.retain(|found| found.file != format!("{GATE}/synthesis.md"));
                assert_eq!(report.discrepancies, Vec::new(), "{name}, died at write {at}");
            }
            if !died {
                break;
            }
            let healthy: Arc<dyn Disk> = stage.disk();
            stage.play(&scenario, &healthy, last).unwrap();
            let reports = stage.healthy(&scenario).verify_all().unwrap();
            assert!(reports.iter().all(verify::Verification::holds), "{name}, died at write {at}: {reports:#?}");
        }
        assert!(!died);
    }
}

/// A challenge shows its state while it is open: one that died before it was published shows an earlier one.
#[test]
fn a_state_of_before_the_end() {
    let finished = Finished::new("challenge-fast-exit");
    let home = finished.plan.trim_end_matches("context.md").to_owned();
    finished.without_verdict();
    finished.replace(&format!("{home}state.json"), "\"status\": \"complete\"", "\"status\": \"running\"");
    finished.says(Kind::Report, &format!("{home}state.json"));
    std::fs::remove_file(finished.path(&format!("{home}verdict.md"))).unwrap();
    finished.notes("state.json: it is of an earlier state of the debate");
}

/// People's votes, too: they leave files that no list names until the verdict is written.
#[test]
fn sealed_votes_after_a_run_that_died() {
    for at in 1.. {
        let poll = Poll::open();
        poll.vote("risk", "a");
        poll.vote("value", "b");
        let death = Death { at, manner: Manner::AfterRename };
        let died = poll.run(Arc::new(DyingDisk::dying(poll.stage.disk(), death))).is_err();
        let report = poll.workspace(poll.stage.disk()).verify("q1").unwrap();
        assert_eq!(report.discrepancies, Vec::new(), "died at write {at}");
        if !died {
            assert!(at > 5, "{at}");
            break;
        }
        poll.run(poll.stage.disk()).unwrap();
        let report = poll.workspace(poll.stage.disk()).verify("q1").unwrap();
        assert!(report.holds(), "died at write {at}: {report:#?}");
    }
}

/// A file among the commitments that belongs to no vote is nobody's.
#[test]
fn a_commitment_to_no_vote() {
    let finished = held::sealed_votes();
    finished.without_verdict();
    assert!(finished.check().holds(), "{:#?}", finished.check());
    for folder in ["sealed", "revealed"] {
        let path = format!("{JUDGES}trail/{folder}/opening-r1-nobody.md");
        finished.write(&path, finished.read(&format!("{JUDGES}trail/{folder}/opening-r1-value.md")));
        finished.says(Kind::Added, &path);
        std::fs::remove_file(finished.path(&path)).unwrap();
    }
}

/// A gate that blocked and was mended holds, and says what was taken off the record.
#[test]
fn a_mended_gate() {
    let finished = held::mended_gate();
    finished.notes("a gate that blocks may be mended");
    assert!(finished.plan.starts_with(GATE));
}
