//! A workflow from its start to the archive, as data: what somebody types, and what people do to the files in between.

use super::{KNOWLEDGE, STATE, blockers, drive};
use crate::scenario::moment;
use crate::stage::Stage;
use crate::tree::Tree;
use forge_artifacts::disk::Disk;
use forge_artifacts::stamp::Stamp;
use forge_debate::plan::Hand;
use forge_engine::EngineError;
use forge_engine::workflow::{Entry, Progress, StartSettings, TaskWord};
use forge_workflow::next::BlockerKind;
use forge_workflow::state::DebateFlag;
use std::sync::Arc;

/// What lies between two acts.
const PAUSE_SECONDS: i64 = 25 * 60;

pub(super) const OBJECTIVE: &str = "Pick a session store";
pub(super) const OPTIONS: &str = "docs/forge/brainstorm-options.md";
pub(super) const DEFINITION: &str = "workflows/forge-workflow.json";
pub(super) const DECISIONS: &str = "docs/forge/knowledge/decisions.md";
pub(super) const RISKS: &str = "docs/forge/knowledge/risks.md";

const SYNTHESIS: &str = include_str!("../../../../testkit/fixtures/stub-ao/texts/synthesis.md");

/// One command, or something that a person does.
#[derive(Debug, Clone)]
pub(super) enum Act {
    /// `forge start`.
    Start,
    /// `forge start --abandon`, for something else.
    Abandon(&'static str),
    /// `forge continue`.
    Continue,
    /// `forge continue --phase`.
    GoBack(&'static str),
    /// `forge <phase>`, perhaps with `--debate` or `--no-debate`.
    Enter(&'static str, DebateFlag),
    /// `forge task done`.
    TaskDone(&'static str),
    /// The debate that is waited for gets another hand in every seat.
    Seat(&'static str),
    /// `forge save`.
    Save,
    /// `forge tripwires --trip`.
    Trip(&'static str),
    /// A person writes a file.
    Write(&'static str, String),
    /// A person edits a file.
    Edit(&'static str, &'static str, &'static str),
    /// A person fills in a phase's document, ticks its boxes, and adds something at its end.
    Finish(&'static str, &'static str),
    /// Sessions outside leave their words at the places where they belong.
    Leave(&'static [&'static str]),
}

impl Act {
    /// Whether forge does it, and may die of it.
    pub(super) fn is_command(&self) -> bool {
        !matches!(self, Act::Write(..) | Act::Edit(..) | Act::Finish(..) | Act::Leave(..))
    }
}

/// When an act happens, by its number.
pub(super) fn when(number: usize) -> Stamp {
    Stamp(moment().0 + PAUSE_SECONDS * i64::try_from(number).unwrap())
}

/// The whole way: an outside debate of the protocol gate in brainstorm, one of the protocol judges in design, where four
/// components make a major decision, and one on a decision whose kill-switch tripped; a debate that is skipped in
/// research; findings from debates and from documents; an assumption that is validated; a way back.
pub(super) fn story() -> Vec<Act> {
    use Act::*;
    let unsaid = DebateFlag::Unsaid;
    vec![
        Write(DEFINITION, r#"{"phases": [{"id": "design", "debate_protocol": "judges"}]}"#.to_owned()),
        Start,
        Continue,
        Edit(
            OPTIONS,
            "- [Name]: [What it is]\n- [Name]: [What it is]\n- [Name]: [What it is]\n",
            "- Files: as today\n- Redis: one server\n- Postgres: a table in the database that is there\n",
        ),
        Continue,
        Leave(&["skeptic"]),
        Continue,
        Leave(&["advocate", "operator"]),
        Continue,
        Leave(&["synthesizer"]),
        Continue,
        Enter("research", DebateFlag::Skipped),
        Finish(
            "research",
            "\n## Assumptions\n\n- A1: validated, because the restore was tried on Monday\n- Nobody stores more than 4 KB per session.\n\n## Risks\n\n- The vendor changes its prices (probability: low, impact: high)\n",
        ),
        Save,
        Edit("docs/forge/phases/research.md", "- [x] task-01", "- [ ] task-01"),
        TaskDone("task-01"),
        Continue,
        Edit("docs/forge/phases/design.md", "components: [] #", "components: [api, store, worker, page] #"),
        Continue,
        Edit(
            "docs/forge/phases/design.md",
            "- [Name]: [What it is]\n",
            "- One table: sessions beside users\n- Two tables: sessions apart from their values\n",
        ),
        Continue,
        Leave(&["risk", "value", "effort"]),
        Continue,
        Finish(
            "design",
            "\n## Decisions\n\n- Sessions expire after 30 minutes\n\n## Constraints\n\n- No session leaves the region\n",
        ),
        Enter("plan", unsaid),
        Edit(RISKS, "| active |", "| closed |"),
        Finish("plan", ""),
        Continue,
        Finish("test", ""),
        Continue,
        Trip("D1.1"),
        Leave(&["advocate", "skeptic", "operator"]),
        Continue,
        Leave(&["synthesizer"]),
        Continue,
        Finish("build", ""),
        Continue,
        Finish("validate", ""),
        Continue,
        Edit("docs/forge/phases/validate.md", "- [x] task-01", "- [ ] task-01"),
        GoBack("validate"),
        Finish("validate", ""),
        TaskDone("revisit"),
        Continue,
        Finish("review", ""),
        Continue,
        Finish("learn", ""),
        Continue,
        Continue,
    ]
}

/// What the other story leaves out: seats that are filled anew, a workflow that is given up for another, and its
/// documents, which make room.
pub(super) fn given_up() -> Vec<Act> {
    use Act::*;
    let begun = &story()[..5];
    let again = [Seat("human"), Abandon("Something else"), Continue, Finish("brainstorm", ""), Continue];
    begun.iter().cloned().chain(again).collect()
}

/// Plays one act on a disk. What people do is done to the folder itself.
pub(super) fn play(stage: &Stage, disk: Arc<dyn Disk>, act: &Act, now: Stamp) -> Result<Option<Progress>, EngineError> {
    let workspace = stage.at(disk, now);
    let drive = drive();
    match act {
        Act::Start => {
            let settings = StartSettings { objective: OBJECTIVE.to_owned(), abandon: false };
            return workspace.start_workflow(&settings, &drive).map(Some);
        }
        Act::Abandon(objective) => {
            let settings = StartSettings { objective: (*objective).to_owned(), abandon: true };
            return workspace.start_workflow(&settings, &drive).map(Some);
        }
        Act::Seat(hand) => {
            let overview = stage.well(now).overview(&drive)?.unwrap();
            let id = &overview.snapshot.debate.there().expect("a debate").id;
            return workspace.reseat(id, &Hand::parse(hand)).map(|_| None);
        }
        Act::Continue => return workspace.continue_workflow(&drive).map(Some),
        Act::GoBack(phase) => return workspace.continue_in(phase, &drive).map(Some),
        Act::Enter(phase, flag) => {
            let entry = Entry { phase: (*phase).to_owned(), objective: None, flag: *flag };
            let entered = workspace.enter_phase(&entry, &drive)?;
            assert!(entered.reached, "{phase} is not reached: {:?}", blockers(&entered.progress));
            return Ok(Some(entered.progress));
        }
        Act::TaskDone(task) => return workspace.mark_task(task, &TaskWord::Done, &drive).map(Some),
        Act::Save => return workspace.save().map(|_| None),
        Act::Trip(id) => return workspace.trip(id, &drive).map(Some),
        Act::Write(path, text) => stage.put(path, text),
        Act::Edit(path, from, to) => stage.edit(path, from, to),
        Act::Finish(phase, extra) => finish(stage, phase, extra),
        Act::Leave(seats) => leave(stage, now, seats),
    }
    Ok(None)
}

/// Fills in what a phase's document leaves open.
pub(super) fn finish(stage: &Stage, phase: &str, extra: &str) {
    let path = format!("docs/forge/phases/{phase}.md");
    let text = stage.said(&path);
    let held = || stage.well(when(99)).continue_workflow(&drive()).map(|progress| (blockers(&progress), progress.log));
    assert!(!text.is_empty(), "{path} is not there: {:?}", held());
    let written = |line: &str| match line.strip_prefix('[').and_then(|rest| rest.strip_suffix(": to be written]\n")) {
        Some(section) => format!("What there is to say about {section}.\n"),
        None => line.replace("- [ ]", "- [x]"),
    };
    stage.put(&path, text.split_inclusive('\n').map(written).collect::<String>() + extra);
}

/// Puts the words of seats that are waited for where they belong.
pub(super) fn leave(stage: &Stage, now: Stamp, seats: &[&str]) {
    let overview = stage.well(now).overview(&drive()).unwrap().unwrap();
    let waiting = &overview.snapshot.debate.there().expect("a debate").waiting;
    for seat in seats {
        let open = waiting.iter().find(|open| open.seat == **seat);
        let open = open.unwrap_or_else(|| panic!("{seat} is not waited for: {waiting:?}"));
        stage.put(&open.turn_file, words_of(seat));
    }
}

/// What a seat says.
pub(super) fn words_of(seat: &str) -> String {
    match seat {
        "advocate" => include_str!("../../../../testkit/fixtures/stub-ao/texts/advocate.md").to_owned(),
        "skeptic" => include_str!("../../../../testkit/fixtures/stub-ao/texts/skeptic.md").to_owned(),
        "operator" => include_str!("../../../../testkit/fixtures/stub-ao/texts/operator.md").to_owned(),
        "synthesizer" => synthesis(),
        judge => format!(
            "## Assessment\n\nThe {judge} of both was looked at.\n\n## Recommendation\n\nOption A.\n\n```json\n{{\"option\": \"A\", \"confidence\": \"HIGH\", \"reason\": \"Two tables need a join for each request, says {judge}.\"}}\n```\n"
        ),
    }
}

/// A synthesis that accepts a high risk without an owner, and states more than it must.
fn synthesis() -> String {
    let text = SYNTHESIS.replace(
        "| The figures mislead | low | medium | platform team |",
        "| The figures mislead | high | medium |  |",
    );
    assert!(text.contains("| high | medium |  |"));
    format!("{text}\n## Assumptions\n\n- The backup can be restored.\n\n## Constraints\n\n- No new service is run.\n")
}

/// A person who does whatever is asked for until the workflow is over. Tells what forge said on the way.
pub(super) fn reach_the_archive(stage: &Stage, first: usize) -> Vec<String> {
    const TRIES: usize = 60;
    let mut said = Vec::new();
    for number in first..first + TRIES {
        let progress = stage.well(when(number)).continue_workflow(&drive());
        let progress = progress.unwrap_or_else(|error| panic!("{error}\n{said:#?}"));
        said.extend(progress.log.done.iter().cloned());
        if !progress.snapshot.state.is_open() {
            let id = &progress.snapshot.state.workflow_id;
            assert!(stage.root().join(format!(".claude/forge/archive/workflow-{id}.md")).exists());
            return said;
        }
        oblige(stage, &progress, when(number));
    }
    panic!("does not get to its end: {:?}\n{said:#?}", stage.said(STATE));
}

/// Does what holds a phase.
fn oblige(stage: &Stage, progress: &Progress, now: Stamp) {
    let phase = &progress.snapshot.state.phase;
    for blocker in &progress.step.blockers {
        match blocker.kind {
            BlockerKind::Options => {
                let text = stage.said(&blocker.file);
                stage.put(
                    &blocker.file,
                    format!("{text}\n### Option A: Files\n\n### Option B: Redis\n\n### Option C: Postgres\n"),
                );
            }
            BlockerKind::Gate => {
                let debate = progress.snapshot.debate.there();
                let waiting = debate.map(|debate| debate.waiting.as_slice()).unwrap_or_default();
                assert!(!waiting.is_empty(), "{:?}", blockers(progress));
                for open in waiting {
                    let words = if open.seat == "synthesizer" { SYNTHESIS.to_owned() } else { words_of(&open.seat) };
                    stage.put(&open.turn_file, words);
                }
            }
            BlockerKind::Todo | BlockerKind::Section => finish(stage, phase, ""),
            BlockerKind::Artifact => stage.put(&blocker.file, "Something.\n"),
            BlockerKind::Task => {
                for (task, _) in &progress.snapshot.state.blocked_tasks {
                    stage.well(now).mark_task(task, &TaskWord::Done, &drive()).unwrap();
                }
            }
            _ => panic!("{:?}", blockers(progress)),
        }
    }
}

/// A story that went undisturbed.
pub(super) struct Walked {
    pub(super) acts: Vec<Act>,
    /// The tree before each act, and after the last.
    pub(super) trees: Vec<Tree>,
}

impl Walked {
    pub(super) fn of(acts: Vec<Act>) -> Self {
        let stage = Stage::new();
        let mut trees = vec![stage.tree()];
        for (number, act) in acts.iter().enumerate() {
            play(&stage, stage.disk(), act, when(number)).unwrap_or_else(|error| panic!("{number} {act:?}: {error}"));
            trees.push(stage.tree());
        }
        Self { acts, trees }
    }

    /// The tree in the end.
    pub(super) fn end(&self) -> &Tree {
        self.trees.last().unwrap()
    }
}

/// Plays the acts from a number on.
pub(super) fn go_on(stage: &Stage, acts: &[Act], from: usize) -> Result<(), String> {
    for (number, act) in acts.iter().enumerate().skip(from) {
        play(stage, stage.disk(), act, when(number)).map_err(|error| format!("{number} {act:?}: {error}"))?;
    }
    Ok(())
}

// seed: S1-30, S1-32, S1-56, S1-67, S1-69, S1-101
#[test]
fn a_workflow_goes_from_start_to_archive() {
    let walked = Walked::of(story());
    let tree = walked.end();
    let all = ["init", "brainstorm", "research", "design", "plan", "test", "build", "validate", "review", "learn"];

    let state = tree.text(STATE);
    for line in [
        "phase: learn",
        "status: completed",
        "phase_status: completed",
        "next_phase: null",
        "reopened_decision: null",
        "workflow_id: forge-20260115-145522",
        "  - \"brainstorm: brainstorm-20260115-161022\"",
        "  - \"design: pick-a-session-store\"",
        "  - \"D1: build-20260116-030022\"",
        "  - \"research: highest active risk R1 scores 6 >= 6\"",
    ] {
        assert_eq!(state.matches(&format!("\n{line}\n")).count(), 1, "{line}\n{state}");
    }
    assert!(state.contains(&format!("\ncompleted_phases: [{}]\n", all.join(", "))), "{state}");
    let record = tree.text(".claude/forge/archive/workflow-forge-20260115-145522.md");
    assert!(record.contains(OBJECTIVE) && record.contains("status: completed"), "{record}");

    for pair in all.windows(2) {
        let handoff = tree.text(&format!("docs/forge/handoffs/{}-to-{}.md", pair[0], pair[1]));
        assert!(handoff.contains("workflow_id: \"forge-20260115-145522\""), "{handoff}");
        assert_eq!(handoff.contains("DEBATE SKIPPED: research"), pair[0] == "research", "{handoff}");
    }
    // A document of its own only where something was decided: no empty paper.
    let papers: Vec<&str> =
        all.into_iter().filter(|phase| tree.0.contains_key(&format!("docs/forge/{phase}.md"))).collect();
    assert_eq!(papers, ["brainstorm", "design", "build"]);
    for phase in papers {
        assert!(tree.text(&format!("docs/forge/{phase}.md")).contains("generated_by: \"forge\""), "{phase}");
    }
    // The way back: the handoff that was taken back is kept.
    let kept = "docs/forge/archive/forge-20260115-145522/handoffs/validate-to-review.md";
    assert!(tree.0.contains_key(kept), "{:?}", tree.paths());
}

/// What debates and documents added, each once.
// seed: S1-11, S1-31, S1-65, S1-66
#[test]
fn a_workflow_leaves_what_was_learned_in_it() {
    let walked = Walked::of(story());
    let tree = walked.end();
    let once = |path: &str, words: &[&str]| {
        let text = tree.text(&format!("{KNOWLEDGE}/{path}.md"));
        for words in words {
            assert_eq!(text.matches(words).count(), 1, "{path}: {words}\n{text}");
        }
        text
    };
    let decisions = once(
        "decisions",
        &[
            "\n## D1: Pick a session store: Files\n",
            "\n- Source: brainstorm-20260115-161022#D1\n",
            "\n## D2: Design: One table\n",
            "\n- Source: pick-a-session-store#D1\n",
            "\n## D3: Sessions expire after 30 minutes\n",
            "\n- Phase: brainstorm\n",
            "\n## D4: ",
            "\n- Supersedes: D1\n",
            "\n- Source: build-20260116-030022#D1\n",
        ],
    );
    assert_eq!(decisions.matches("\n## D").count(), 4, "{decisions}");
    once(
        "constraints",
        &[
            "| C1 | Bound by D1 (Pick a session store: Files); changing it needs a debate | D1 |",
            "| C4 | No session leaves the region | design |",
        ],
    );
    // The debate on D1 assumes the same in the same words.
    once(
        "assumptions",
        &[
            "| A1 | The backup can be restored. |",
            " | That the figures that are kept today measure the right thing. |",
            " | Nobody stores more than 4 KB",
            "| A1 | validated | the restore was tried on Monday |",
        ],
    );
    once(
        "risks",
        &[
            "| R1 | The figures mislead | High | Medium | 6 |  | closed |",
            "| R2 | The vendor changes its prices | Low | High | 3 |",
        ],
    );
    let state = tree.text(STATE);
    assert!(
        !state.contains("\"D1: Pick") && state.contains("\"D2: Design: One") && !state.contains("\"A1: "),
        "{state}"
    );
}

/// Every act again and again: nothing more happens.
// seed: S1-12
#[test]
fn a_command_that_is_repeated_changes_nothing() {
    let walked = Walked::of(story());
    for (number, act) in walked.acts.iter().enumerate().filter(|(_, act)| act.is_command()) {
        let stage = super::staged(&walked.trees[number + 1]);
        play(&stage, stage.disk(), act, when(number)).unwrap_or_else(|error| panic!("{number} {act:?}: {error}"));
        assert_eq!(stage.tree().differences(&walked.trees[number + 1]), Vec::<String>::new(), "{number} {act:?}");
    }
}

/// Saying where things stand writes nothing, wherever they stand.
#[test]
fn looking_changes_nothing() {
    let walked = Walked::of(story());
    for (number, tree) in walked.trees.iter().enumerate() {
        let stage = super::staged(tree);
        let overview = stage.well(when(number)).overview(&drive()).unwrap();
        assert_eq!(overview.is_ok(), tree.0.contains_key(STATE), "{number}");
        let _ = stage.well(when(number)).tripwires(forge_engine::workflow::Commands::Shown).unwrap();
        assert_eq!(stage.tree().differences(tree), Vec::<String>::new(), "{number}");
    }
}
