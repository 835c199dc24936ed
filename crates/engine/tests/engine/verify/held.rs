//! Debates that no scenario tells: with people who seal their votes, with one seat alone beside, with a gate that was mended.

use super::Finished;
use crate::scenario::{Scenario, Step, golden};
use crate::stage::{Notes, Stage, on_a_free_clock};
use forge_artifacts::disk::{Disk, Durability, WorkspaceDisk};
use forge_engine::{EngineError, Freshness, Run, RunEnd, RunSettings, Vault, Vote, Words, Workspace};
use std::path::Path;
use std::sync::Arc;

/// Where the judges of these debates lie.
pub(super) const JUDGES: &str = "docs/forge/sadd/debate-q1-";
/// Where the gate of these debates lies.
pub(super) const GATE: &str = "docs/forge/debate/design-20260115-143022";

/// Three judges of whom two are people, who have voted.
pub(super) struct Poll {
    pub(super) stage: Stage,
    scripts: tempfile::TempDir,
    vault: tempfile::TempDir,
}

impl Poll {
    /// The question is put, and nobody has voted.
    pub(super) fn open() -> Self {
        let scripts = tempfile::tempdir().unwrap();
        let text = "question: Rewrite the parser?\nprotocol: judges\noptions: [Rewrite it, Keep it, Buy one]\nsame_family: true\nid: q1\nseats: {risk: human, value: human}\n";
        let scenario = Scenario::improvise(scripts.path(), text, "replies: [{ballot: {option: A}}]\n");
        let poll = Self { stage: Stage::new(), scripts, vault: tempfile::tempdir().unwrap() };
        poll.workspace(poll.stage.disk()).open_or_create(&scenario.request(), Freshness::GoOn).unwrap();
        poll
    }

    pub(super) fn workspace(&self, disk: Arc<dyn Disk>) -> Workspace {
        self.stage.workspace(disk, self.scripts.path())
    }

    pub(super) fn vote(&self, seat: &str, digit: &str) {
        let vote = Vote { option: "A".to_owned(), because: format!("{seat} has seen B fail often"), ..Vote::default() };
        let vault = WorkspaceDisk::open(self.vault.path(), Durability::None).unwrap();
        let vault = Vault { disk: &vault, salt: &digit.repeat(64) };
        let workspace = self.workspace(self.stage.disk());
        workspace.vote("q1", Some(seat), &Words::Vote(&vote), &vault).unwrap();
    }

    pub(super) fn run(&self, disk: Arc<dyn Disk>) -> Result<RunEnd, EngineError> {
        let workspace = self.workspace(disk);
        let vault = WorkspaceDisk::open(self.vault.path(), Durability::None).unwrap();
        let files = workspace.open("q1")?;
        let notes = Notes::default();
        on_a_free_clock(
            Run::new(&workspace, RunSettings::default(), &notes).revealing(Some(&vault as &dyn Disk)).opened(files),
        )
    }

    pub(super) fn finished(self) -> Finished {
        Finished { stage: self.stage, plan: format!("{JUDGES}plan.md") }
    }
}

/// Judges with two people who sealed their votes.
pub(super) fn sealed_votes() -> Finished {
    let poll = Poll::open();
    poll.vote("risk", "a");
    poll.vote("value", "b");
    let end = poll.run(poll.stage.disk()).unwrap();
    assert!(matches!(end, RunEnd::Concluded(_)), "{end:?}");
    poll.finished()
}

/// Judges beside one seat that answers alone.
pub(super) fn control_arm() -> Finished {
    let scripts = tempfile::tempdir().unwrap();
    let text = "question: Rewrite the parser in Rust?\nprotocol: judges\noptions: [Rewrite it, Keep it, Buy one]\nseed: 2\nid: q1\nseats: {control: \"scripted:script.yaml\"}\n";
    let alone = "option: B, confidence: HIGH, reason: A fuzzer found nine crashes in the tokenizer last year, arguments: [{id: a1, text: Borrowed lifetimes are checked by the compiler}], risks: []";
    let script = format!("replies:\n  - {{stage: control, ballot: {{{alone}}}}}\n  - {{ballot: {{option: A}}}}\n");
    Finished::played(&Scenario::improvise(scripts.path(), text, &script))
}

/// A gate of sessions outside whose synthesizer is an agent: what it says blocks, and it is asked again in the last step.
pub(super) fn mended_gate_in(folder: &Path) -> Scenario {
    let mut scenario = Scenario::load("gate-outside-files");
    for file in ["advocate", "skeptic", "operator"] {
        std::fs::copy(golden().join(format!("gate-outside-files/hands/{file}.md")), folder.join(format!("{file}.md")))
            .unwrap();
    }
    let answers = "Answers to the Skeptic: \"- Q1: The build fails on an import across a wall.\"";
    let says = |sections: &str| {
        format!("replies:\n  - {{seat: synthesizer, sections: {{{sections}{answers}}}, ballot: {{option: B}}}}\n")
    };
    std::fs::write(folder.join("script.yaml"), says("Kill-Switch Criteria: null, ")).unwrap();
    std::fs::create_dir_all(folder.join("mended")).unwrap();
    std::fs::write(folder.join("mended/script.yaml"), says("")).unwrap();
    scenario.seats.insert("synthesizer".to_owned(), "scripted:script.yaml".to_owned());
    let leave = |file: &str| Step::Leave { file: file.to_owned(), at: format!("{GATE}/{file}") };
    scenario.steps = vec![
        Step::Run { retry_absent: false, script: None },
        leave("advocate.md"),
        leave("skeptic.md"),
        leave("operator.md"),
        Step::Run { retry_absent: false, script: None },
        Step::Run { retry_absent: true, script: Some("mended".to_owned()) },
    ];
    scenario.folder = folder.to_owned();
    scenario
}

/// A gate that blocked and was mended.
pub(super) fn mended_gate() -> Finished {
    let folder = tempfile::tempdir().unwrap();
    let finished = Finished::played(&mended_gate_in(folder.path()));
    assert!(finished.path(&format!("{GATE}/trail/withdrawn")).is_dir(), "nothing was taken off the record");
    finished
}
