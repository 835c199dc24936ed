//! Asking until the answer pleases: every way to have a seat speak twice that the files allow, and the ways that the rules do.

use crate::scenario::{Scenario, Step};
use crate::stage::Stage;
use forge_artifacts::disk::Disk;
use forge_artifacts::document;
use forge_artifacts::formats::call::{self, Intent};
use forge_artifacts::formats::turn::{self, Read, TurnBody};
use forge_debate::digest::Digest;
use forge_debate::protocols::Protocols;
use forge_debate::turn::TurnKey;
use forge_engine::verify::{self, Kind, Verification};
use std::path::PathBuf;
use std::sync::Arc;

const JUDGES: &str = "question: Redis or Memcached?\nprotocol: judges\noptions: [Redis, Memcached]\nid: cache\n";
const GATE: &str = "question: How do we split it?\nprotocol: gate\noptions: [Whole, Modules, Services]\nid: split\n";
const HOME: &str = "docs/forge/sadd/debate-cache";

/// Effort hangs in the first round, the two others differ twice.
const CONTESTED: &str = "replies:
  - {seat: effort, round: 1, do: hang}
  - {seat: risk, ballot: {option: A, reason: Replicas survive the loss of a node.}}
  - {seat: value, ballot: {option: B, reason: One process without replicas answers in a millisecond.}}
";
/// The same with a value that gives in, and an effort that answers.
const PLEASED: &str = "replies:
  - {seat: risk, ballot: {option: A, reason: Replicas survive the loss of a node., convinced_by: [risk.a1]}}
  - {seat: value, ballot: {option: A, reason: A lost node would cost us a night on call., convinced_by: [risk.a1]}}
  - {seat: effort, ballot: {option: A, reason: Its replicas run in our cluster already., convinced_by: [risk.a1]}}
";

/// A debate that is played, changed by hand and played again.
struct Trick {
    stage: Stage,
    scripts: tempfile::TempDir,
    setting: &'static str,
}

impl Trick {
    fn played(setting: &'static str, script: &str) -> Self {
        let trick = Self { stage: Stage::new(), scripts: tempfile::tempdir().unwrap(), setting };
        trick.run(script, false);
        trick
    }

    fn scenario(&self, script: &str) -> Scenario {
        Scenario::improvise(self.scripts.path(), self.setting, script)
    }

    fn run(&self, script: &str, retry_absent: bool) {
        let mut scenario = self.scenario(script);
        scenario.steps = vec![Step::Run { retry_absent, script: None }];
        self.stage.play_calmly(&scenario);
    }

    fn path(&self, path: &str) -> PathBuf {
        self.stage.root().join(path)
    }

    fn plan(&self) -> String {
        self.stage.debate(&self.scenario(CONTESTED)).layout.plan()
    }

    fn trail(&self, file: &str) -> String {
        self.stage.debate(&self.scenario(CONTESTED)).layout.trail(file)
    }

    /// What somebody does who wants another answer and knows that a verdict on file would tell.
    fn forget_verdict(&self) {
        std::fs::remove_file(self.path(&self.trail("verdict.json"))).unwrap();
    }

    /// Moves a turn where withdrawn ones lie.
    fn withdraw(&self, file: &str, slug: &str) -> String {
        let to = self.trail(&format!("withdrawn/{slug}.1.md"));
        std::fs::create_dir_all(self.path(&to).parent().unwrap()).unwrap();
        std::fs::rename(self.path(file), self.path(&to)).unwrap();
        to
    }

    fn check(&self) -> Verification {
        let disk: Arc<dyn Disk> = self.stage.disk();
        verify::debate(&disk, Protocols::default(), &self.plan()).unwrap()
    }

    #[track_caller]
    fn is_caught(&self, file: &str) {
        let report = self.check();
        let found = report.discrepancies.iter().any(|found| found.kind == Kind::ReAsked && found.file == file);
        assert!(found, "{file} is not named: {report:#?}");
        assert!(!report.holds());
    }

    #[track_caller]
    fn holds(&self, note: &str) {
        let report = self.check();
        assert!(report.holds(), "{report:#?}");
        assert!(report.notes.iter().any(|said| said.contains(note)), "{:#?}", report.notes);
    }
}

#[test]
fn a_turn_moved_away_while_an_absence_stands() {
    let trick = Trick::played(JUDGES, CONTESTED);
    trick.forget_verdict();
    let withdrawn = trick.withdraw(&format!("{HOME}-value-r2.md"), "challenge-r2-value");
    trick.run(PLEASED, false);
    trick.is_caught(&withdrawn);
    // What a run with --retry-absent would have done from the start: then everything after the absence is asked anew.
    trick.run(PLEASED, true);
    trick.holds("said after an absence that was put aside");
}

#[test]
fn a_turn_moved_away_beside_an_absence_that_was_asked_again() {
    let script = "replies:
  - {seat: risk, ballot: {option: A}}
  - {seat: value, ballot: {option: B}}
  - {seat: effort, round: 1, ballot: {option: B, reason: It was set up within an hour last year.}}
  - {seat: effort, round: 2, do: hang}
";
    let trick = Trick::played(UNANIMOUS, script);
    let withdrawn = trick.withdraw(&format!("{HOME}-risk-r2.md"), "challenge-r2-risk");
    trick.forget_verdict();
    trick.run("replies: [{ballot: {option: B, convinced_by: [value.a1]}}]", true);
    trick.is_caught(&withdrawn);
    let honest = Trick::played(UNANIMOUS, script);
    honest.run("replies: [{seat: effort, ballot: {option: B}}]", true);
    honest.holds("the seat had not answered and was asked again");
}

/// Everybody must agree.
const UNANIMOUS: &str =
    "question: Redis or Memcached?\nprotocol: judges\noptions: [Redis, Memcached]\nid: cache\nthreshold: 3/3\n";

#[test]
fn a_first_turn_moved_away_with_what_followed_it() {
    let trick = Trick::played(JUDGES, CONTESTED);
    trick.forget_verdict();
    let first = trick.withdraw(&format!("{HOME}-value.md"), "opening-r1-value");
    let second = trick.withdraw(&format!("{HOME}-value-r2.md"), "challenge-r2-value");
    trick.withdraw(&format!("{HOME}-risk-r2.md"), "challenge-r2-risk");
    trick.run(PLEASED, true);
    // The absence beside it is no reason; what came after an absence that was put aside had to go.
    trick.is_caught(&first);
    assert!(!trick.check().discrepancies.iter().any(|found| found.file == second));
}

#[test]
fn a_decision_moved_away() {
    let trick = Trick::played(JUDGES, CONTESTED);
    let workspace = trick.stage.healthy(&trick.scenario(CONTESTED));
    let decided = workspace.decide("cache", "A", "It is known", "Ada").unwrap();
    trick.forget_verdict();
    let withdrawn = trick.withdraw(&decided.file, &forge_debate::protocols::decision_ask().key.slug());
    workspace.decide("cache", "B", "It is new", "Ada").unwrap();
    trick.is_caught(&withdrawn);
}

const DECIDES: &str = "replies: [{seat: synthesizer, ballot: {option: B}}]";
const BLOCKS: &str = "replies:
  - seat: synthesizer
    ballot: {option: B}
    sections:
      Kill-Switch Criteria: |
        - If it does not work out, we stop.
";

#[test]
fn a_synthesis_moved_away_that_did_not_block() {
    let trick = Trick::played(GATE, DECIDES);
    trick.forget_verdict();
    let synthesis = trick.plan().replace("debate-plan.md", "synthesis.md");
    let withdrawn = trick.withdraw(&synthesis, "synthesis-r1-synthesizer");
    trick.run("replies: [{seat: synthesizer, ballot: {option: A}}]", false);
    trick.is_caught(&withdrawn);
}

#[test]
fn a_gate_that_blocked_may_be_mended() {
    let trick = Trick::played(GATE, BLOCKS);
    trick.run(DECIDES, true);
    trick.holds("a gate that blocks may be mended");
}

#[test]
fn a_case_moved_away_that_did_not_keep_the_gate_shut() {
    let trick = Trick::played(GATE, BLOCKS);
    trick.forget_verdict();
    let file = |name: &str| trick.plan().replace("debate-plan.md", name);
    let case = trick.withdraw(&file("advocate.md"), "case-r1-advocate");
    trick.withdraw(&file("synthesis.md"), "synthesis-r1-synthesizer");
    trick.run("replies: [{seat: advocate, ballot: {option: C}}, {seat: synthesizer, ballot: {option: C}}]", false);
    trick.is_caught(&case);
}

/// An answer made to look like one to another brief.
#[test]
fn a_touched_brief() {
    for (slug, file) in [("opening-r1-value", "value.md"), ("challenge-r2-value", "value-r2.md")] {
        let trick = Trick::played(JUDGES, CONTESTED);
        trick.forget_verdict();
        let brief = trick.trail(&format!("briefs/{slug}.1.md"));
        let (intent, text) = call::read_brief(&std::fs::read(trick.path(&brief)).unwrap()).unwrap();
        let text = format!("{}\n", String::from_utf8(text).unwrap());
        let intent = Intent { brief: Digest::of(text.as_bytes()), ..intent };
        std::fs::write(trick.path(&brief), call::write_brief(&intent, slug, &text)).unwrap();
        for gone in [file, "value-r2.md", "risk-r2.md"] {
            let _ = std::fs::remove_file(trick.path(&format!("{HOME}-{gone}")));
        }
        trick.run(PLEASED, false);
        trick.is_caught(&trick.trail(&format!("replies/{slug}.1.md")));
    }
}

/// An absence that nobody's calls come to explains nothing.
#[test]
fn an_absence_made_up_of_words() {
    let trick = Trick::played(JUDGES, CONTESTED);
    trick.forget_verdict();
    let file = trick.path(&format!("{HOME}-value.md"));
    let Read::Ours(said) = turn::read(&document::decode(&std::fs::read(&file).unwrap()).text) else { panic!() };
    let key = TurnKey::new(forge_debate::turn::Stage("opening"), 1, &"value".into());
    let kind = forge_debate::turn::AbsenceKind::TimedOut;
    let body = TurnBody::Absence(forge_debate::turn::Absence { kind, detail: "no answer".to_owned() });
    std::fs::write(&file, turn::write(&key, &said.header, &body)).unwrap();
    let withdrawn = trick.withdraw(&format!("{HOME}-value.md"), "opening-r1-value");
    for seat in ["risk", "value"] {
        std::fs::remove_file(trick.path(&format!("{HOME}-{seat}-r2.md"))).unwrap();
    }
    trick.run(PLEASED, false);
    let report = trick.check();
    let found = report.discrepancies.iter().any(|found| found.kind == Kind::Edited && found.file == withdrawn);
    assert!(found, "{report:#?}");
}

/// Whoever only ever uses --retry-absent is never accused, whatever seats were absent when.
#[test]
fn seats_that_come_and_go_are_innocent() {
    let settings = [
        UNANIMOUS,
        GATE,
        "question: Redis or Memcached?\nprotocol: panel\noptions: [Redis, Memcached]\nid: cache\n",
        "question: Redis or Memcached?\nprotocol: challenge\noptions: [Redis, Memcached]\nid: cache\nsame_family: true\n",
    ];
    for setting in settings {
        for chance in 0..2_usize {
            let trick = Trick::played(setting, "replies: []");
            let files = trick.stage.debate(&trick.scenario("replies: []"));
            let seats: Vec<String> = files.plan.seats.iter().map(|seat| seat.id.to_string()).collect();
            let trick = Trick { stage: Stage::new(), ..trick };
            for run in 0..4_usize {
                let is_gone = |i: usize| (i * 7 + run * 5 + chance * 3).is_multiple_of(4) && run < 3;
                let gone = seats.iter().enumerate().filter(|(i, _)| is_gone(*i));
                let mut script = String::from("replies:\n");
                for (i, seat) in gone {
                    let round = 1 + (i + run + chance) % 2;
                    script.push_str(&format!("  - {{seat: {seat}, round: {round}, do: hang}}\n"));
                }
                let script = if script.lines().count() == 1 { "replies: []".to_owned() } else { script };
                trick.run(&script, run > 0);
                let report = trick.check();
                assert_eq!(report.discrepancies, Vec::new(), "{setting}{chance}, run {run}\n{script}");
            }
            assert!(trick.check().holds());
        }
    }
}
