//! The state file: every layout is read, and writing leaves alone what it does not change.

mod ids;
mod layouts;
mod notes;
mod properties;

use forge_artifacts::formats::active_workflow::{Context, Layout, Read, context, read, write};
use forge_workflow::state::{Answered, DebateFlag, DebateState, DebateStatus, PhaseStatus, State, WorkflowStatus};

const DESCRIBED: &str = include_str!("state_files/described.md");
const FLAT: &str = include_str!("state_files/flat.md");
const FLAT_IDLE: &str = include_str!("state_files/flat_idle.md");
const FLAT_WITH_DEBATE: &str = include_str!("state_files/flat_with_debate.md");
const CURRENT_PHASE: &str = include_str!("state_files/current_phase.md");
const PLAIN_STATUS: &str = include_str!("state_files/plain_status.md");
const PROGRESS: &str = include_str!("state_files/progress.md");
const BARE: &str = include_str!("state_files/bare.yaml");
const PROSE: &str = include_str!("state_files/prose.md");
const PROSE_EXIT: &str = include_str!("state_files/prose_exit.md");
const PARTIAL: &str = include_str!("state_files/partial.md");

const ALL: &[&str] = &[
    DESCRIBED,
    FLAT,
    FLAT_IDLE,
    FLAT_WITH_DEBATE,
    CURRENT_PHASE,
    PLAIN_STATUS,
    PROGRESS,
    BARE,
    PROSE,
    PROSE_EXIT,
    PARTIAL,
];

fn state_of(text: &str) -> (State, Layout, Vec<String>) {
    match read(text) {
        Read::State { state, layout, notes, .. } => (state, layout, notes),
        other => panic!("{other:?}\n{text}"),
    }
}

fn assert_says(text: &str, state: &State, around: &Context) {
    assert_eq!(state_of(text).0, *state, "{text}");
    assert_eq!(context(text), *around, "{text}");
}

fn around() -> Context {
    Context {
        feature: "sessions: fast ones".to_owned(),
        related_docs: vec!["docs/forge/brainstorm-options.md".to_owned()],
        decisions: vec!["D1: Redis".to_owned()],
        assumptions: Vec::new(),
    }
}

fn full() -> State {
    State {
        phase_objective: Some("choose a store".to_owned()),
        completed_at: Some("2026-01-27T15:00:00Z".to_owned()),
        next_phase: Some("research".to_owned()),
        completed_phases: vec!["init".to_owned()],
        phase_status: PhaseStatus::Blocked,
        status: WorkflowStatus::Paused,
        debate: DebateState {
            id: Some("brainstorm-20260127-143022".to_owned()),
            phase: Some("brainstorm".to_owned()),
            status: DebateStatus::Running,
            gate_passed: false,
        },
        debate_flag: DebateFlag::Forced,
        debates: vec![("brainstorm".to_owned(), "brainstorm-20260127-143022".to_owned())],
        skipped_debates: vec![("design".to_owned(), "5 components > 3".to_owned())],
        answered: vec![
            Answered { matter: "forge-20260127/design#0a1b2c3d".to_owned(), score: 6, phase: "design".to_owned() },
            Answered { matter: "D3 over D1".to_owned(), score: 0, phase: "research".to_owned() },
        ],
        rehearsed_phases: vec!["research".to_owned()],
        reopened_decision: Some("D4".to_owned()),
        completed_tasks: vec!["task-01-explore-options".to_owned()],
        pending_tasks: vec!["task-02-generate-debate-plan".to_owned()],
        blocked_tasks: vec![("task-03".to_owned(), "waits: \"nobody\" answers".to_owned())],
        current_task: Some("task-02-generate-debate-plan".to_owned()),
        branch: Some("feat/sessions".to_owned()),
        issue: Some("#12".to_owned()),
        revision: 7,
        ..State::new("forge-20260127-100000", "Redis or not?", "brainstorm", "2026-01-27T10:00:00Z")
    }
}

// seed: S0-54, S0-57, S1-36, S1-37, S1-41, S1-44
#[test]
fn a_new_file_says_everything_and_shells_can_read_it() {
    let text = write(None, &full(), &around());
    assert_says(&text, &full(), &around());
    let (_, layout, notes) = state_of(&text);
    assert_eq!((layout, notes), (Layout::Ours, Vec::new()));
    for line in [
        "phase: brainstorm",
        "workflow: forge-brainstorm",
        "version: \"2.0\"",
        "status: paused",
        "phase_status: blocked",
        "objective: \"Redis or not?\"",
        "branch: feat/sessions",
        "started_at: 2026-01-27T10:00:00Z",
        "completed_phases: [init]",
        "next_phase: research",
        "debate_id: brainstorm-20260127-143022",
        "debate_gate_passed: false",
    ] {
        assert_eq!(text.lines().filter(|one| *one == line).count(), 1, "{line}\n{text}");
    }
    let headings =
        ["# Identity", "# Status", "# Debate State", "# Progress", "# Context", "# Metadata", "# Workflow Notes"];
    let places: Vec<usize> = headings.iter().map(|heading| text.find(&format!("{heading}\n")).unwrap()).collect();
    assert!(places.is_sorted(), "{text}");
    assert!(text.ends_with("# Workflow Notes\n\n## Current Focus\n\n## Blockers\n\n## Next Actions\n"), "{text}");
}

// seed: S1-38, S1-39
#[test]
fn a_new_file_looks_like_this() {
    let state = State::new("forge-20260127-100000", "Redis?", "init", "2026-01-27T10:00:00Z");
    let expected = "---
# Identity
phase: init
workflow: forge-init
version: \"2.0\"
workflow_id: forge-20260127-100000
objective: \"Redis?\"
phase_objective: null
branch: null
issue: null
revision: 0

# Status
status: in_progress
phase_status: in_progress
started_at: 2026-01-27T10:00:00Z
phase_started_at: 2026-01-27T10:00:00Z
last_updated: 2026-01-27T10:00:00Z
completed_at: null
completed_phases: []
next_phase: null

# Debate State
debate_id: null
debate_phase: null
debate_status: none
debate_gate_passed: false
debate_flag: none
debates: []
skipped_debates: []
answered: []
called: []
rehearsed_phases: []
debated_before: []
reopened_decision: null

# Progress
completed_tasks: []
pending_tasks: []
blocked_tasks: []
blocked_reasons: {}
current_task: null

# Context
context:
  feature: \"\"
  branch: null
  related_docs: []
  decisions: []
  assumptions: []

# Metadata
metadata: {}
---

# Workflow Notes

## Current Focus

## Blockers

## Next Actions
";
    assert_eq!(write(None, &state, &Context::default()), expected);
    assert_eq!(write(Some("  \n"), &state, &Context::default()), expected, "an empty file is no file");
}

#[test]
fn objectives_come_back_exactly() {
    let long = "word ".repeat(2048);
    for objective in [
        "say \"no\": 'maybe'",
        "line\nline\n\nline\n",
        "- a list?",
        "# a heading",
        "a # b",
        "🦀 é \u{202E}x",
        "  ",
        "",
        "---",
        "a\n---\nb",
        "{a: b}",
        "null",
        "$(date)",
        "\\",
        "\t",
        "\u{0}",
        &long,
    ] {
        let state = State { objective: objective.to_owned(), ..full() };
        let text = write(None, &state, &around());
        assert_says(&text, &state, &around());
        assert_says(&write(Some(DESCRIBED), &state, &around()), &state, &around());
        assert_eq!(text.lines().filter(|line| line.starts_with("objective:")).count(), 1);
    }
}

// seed: S1-41, S1-45
#[test]
fn the_described_sample_is_read() {
    let (state, layout, notes) = state_of(DESCRIBED);
    assert_eq!(layout, Layout::Described);
    assert_eq!(state.workflow_id, "forge-20260127-100000");
    assert_eq!(state.objective, "user-authentication");
    assert_eq!((state.phase.as_str(), state.phase_status), ("brainstorm", PhaseStatus::InProgress));
    assert_eq!(state.debate.id.as_deref(), Some("brainstorm-20260127-143022"));
    assert_eq!(state.debate.phase.as_deref(), Some("brainstorm"));
    assert_eq!(state.debate.status, DebateStatus::Pending);
    assert_eq!(state.completed_tasks.len(), 2);
    assert_eq!(state.current_task.as_deref(), Some("task-03-wait-debate-completion"));
    assert_eq!(state.branch.as_deref(), Some("feat/auth"));
    assert_eq!(state.next_phase.as_deref(), Some("research"));
    assert_eq!(state.completed_phases, ["init"]);
    assert_eq!(context(DESCRIBED).decisions, ["D1: Use JWT for authentication"]);
    assert!(!notes.is_empty());
}

// seed: S1-42, S1-43, S1-45
#[test]
fn the_described_sample_is_written_again_byte_for_byte() {
    let (state, ..) = state_of(DESCRIBED);
    assert_eq!(write(Some(DESCRIBED), &state, &context(DESCRIBED)), DESCRIBED);
    let windows = DESCRIBED.replace('\n', "\r\n");
    assert_eq!(write(Some(&windows), &state, &context(&windows)), windows);
}

// seed: S1-28
#[test]
fn one_change_is_one_line() {
    let (mut state, ..) = state_of(DESCRIBED);
    state.current_task = Some("task-04-synthesize-decision".to_owned());
    state.debate.status = DebateStatus::Complete;
    state.branch = Some("feat/auth-2".to_owned());
    let expected = DESCRIBED
        .replace("current_task: task-03-wait-debate-completion", "current_task: task-04-synthesize-decision")
        .replace("debate_status: pending             #", "debate_status: complete             #")
        .replace("branch: \"feat/auth\"", "branch: \"feat/auth-2\"");
    assert_eq!(write(Some(DESCRIBED), &state, &context(DESCRIBED)), expected);
}

// seed: S1-40
#[test]
fn lists_change_and_their_neighbours_stay() {
    let (mut state, ..) = state_of(DESCRIBED);
    state.completed_tasks.push("task-03-wait-debate-completion".to_owned());
    state.pending_tasks.clear();
    state.blocked_tasks = vec![("task-04-synthesize-decision".to_owned(), "nobody: decides".to_owned())];
    let mut around = context(DESCRIBED);
    around.decisions.push("D2: \"rotate\" tokens".to_owned());
    around.assumptions.clear();
    let expected = DESCRIBED
        .replace(
            "  - task-02-generate-debate-plan\n",
            "  - task-02-generate-debate-plan\n  - task-03-wait-debate-completion\n",
        )
        .replace(
            "pending_tasks:\n  - task-03-wait-debate-completion\n  - task-04-synthesize-decision\n",
            "pending_tasks: []\n",
        )
        .replace("blocked_tasks: []\n", "blocked_tasks:\n  - task-04-synthesize-decision\n")
        .replace("authentication\"\n  assum", "authentication\"\n    - \"D2: \\\"rotate\\\" tokens\"\n  assum")
        .replace("assumptions:\n    - \"A1: OAuth2 provider available\"\n", "assumptions: []\n")
        .replace("score: 4.5\n", "score: 4.5\nblocked_reasons:\n  task-04-synthesize-decision: \"nobody: decides\"\n");
    let written = write(Some(DESCRIBED), &state, &around);
    assert_eq!(written, expected);
    assert_says(&written, &state, &around);
    assert_eq!(write(Some(&written), &state, &around), written);
}

// seed: S1-36
#[test]
fn a_new_phase_renames_the_workflow() {
    let (mut state, ..) = state_of(DESCRIBED);
    state.phase = "research".to_owned();
    let written = write(Some(DESCRIBED), &state, &context(DESCRIBED));
    assert!(written.contains("\nphase: research\nworkflow: forge-research\nversion: \"2.0\"\n"), "{written}");
    assert_says(&written, &state, &context(DESCRIBED));
}

#[test]
fn idle_damaged_and_newer_files() {
    for text in [
        FLAT_IDLE,
        "# Active Workflow State\n\nNo active workflow.\n",
        "---\nphase: none\nstatus: idle\n---\n",
        "---\nworkflow: forge\nversion: \"0.4.0\"\nphase: null\nobjective: \"\"\n---\n",
        "**Current Phase:** none\n",
    ] {
        assert_eq!(read(text), Read::Idle, "{text}");
    }
    let damaged = |text: &str| match read(text) {
        Read::Damaged { line, problem } => (line, problem),
        other => panic!("{text:?}: {other:?}"),
    };
    assert_eq!(damaged("").0, 1);
    assert_eq!(damaged("words\n").0, 1);
    assert_eq!(damaged("---\nstatus: in_progress\n---\n").0, 1);
    assert_eq!(damaged("---\nobjective: x\nphase: null\n---\n").0, 3);
    assert_eq!(damaged("---\na: 1\nphase: ../../etc\nphase_status: pending\n---\n").0, 3);
    assert_eq!(damaged("---\nphase: build\n  bad: [\n---\n").0, 3);
    assert!(damaged("---\nphase: build\n").1.contains("not closed"));
    assert_eq!(read("---\nphase: build\nversion: \"3.1\"\n---\n"), Read::Newer { version: "3.1".to_owned() });
    assert_eq!(read("---\nversion: 10\n---\n"), Read::Newer { version: "10".to_owned() });
    assert!(matches!(read(&DESCRIBED.replace("\"2.0\"", "2.7")), Read::State { .. }));
}

#[test]
fn front_matter_above_prose_is_kept() {
    let text = format!("---\ntitle: mine\n---\n{PROSE}");
    let (state, layout, _) = state_of(&text);
    assert_eq!((state.phase.as_str(), layout), ("build", Layout::Prose));
    let written = write(Some(&text), &state, &Context::default());
    assert!(written.contains("\ntitle: mine\n---\n") && written.ends_with(PROSE), "{written}");
}

#[test]
fn a_projects_own_phase_is_kept() {
    assert_eq!(state_of("---\nphase: Ship-It\nphase_status: pending\n---\n").0.phase, "Ship-It");
    let state = State { phase: "Initialize".to_owned(), ..full() };
    assert_says(&write(None, &state, &around()), &state, &around());
}

#[test]
fn nothing_is_lost_when_a_file_cannot_be_edited() {
    for text in [
        "---\nphase: build\nnever closed\n",
        "words\n",
        "---\nphase: build\nversion: 9\n---\nLater.\n",
        "\u{FEFF}words\n",
    ] {
        let written = write(Some(text), &full(), &around());
        assert_says(&written, &full(), &around());
        assert!(written.ends_with(text.trim_start_matches('\u{FEFF}')), "{written}");
        assert_eq!(write(Some(&written), &full(), &around()), written);
    }
    // Inline and repeated keys have no line of their own to edit.
    for text in [
        "---\n{phase: build, phase_status: pending, mine: [1, {a: b}]}\n---\nNotes.\n",
        "---\nphase: build\nphase_status: pending\nmine: [1, {a: b}]\nphase_status: blocked\n---\nNotes.\n",
        "---\nphase: build\nphase_status: pending\ncontext: {feature: x, mine: [1, {a: b}]}\n---\nNotes.\n",
    ] {
        let written = write(Some(text), &full(), &around());
        assert_says(&written, &full(), &around());
        assert!(written.contains("mine") && written.ends_with("Notes.\n"), "{written}");
    }
}

#[test]
fn a_status_that_forge_does_not_know_holds() {
    let file = |status: &str, phase_status: &str| {
        format!(
            "---\nworkflow_id: wf-1\nrevision: 3\nphase: research\nphase_status: {phase_status}\nstatus: {status}\ncompleted_phases: [init, brainstorm]\n---\n"
        )
    };
    for word in [
        "on hold",
        "on-hold",
        "waiting",
        "frozen",
        "cancelled",
        "canceled",
        "stopped",
        "parked",
        "pausiert",
        "en pause",
        "later",
    ] {
        for (text, key) in [(file(word, "in_progress"), "status"), (file("in_progress", word), "phase_status")] {
            let (state, _, _) = state_of(&text);
            assert_eq!(state.status, WorkflowStatus::Paused, "{text}");
            let said = forge_artifacts::formats::active_workflow::holding_word(&text);
            assert_eq!(said, Some((key.to_owned(), word.to_owned())), "{text}");
        }
    }
    for word in ["in_progress", "In Progress", "active", "ongoing", "blocked", "paused"] {
        let text = file(word, "in_progress");
        assert_eq!(forge_artifacts::formats::active_workflow::holding_word(&text), None, "{word}");
        assert_eq!(state_of(&text).0.status == WorkflowStatus::Paused, word == "paused", "{word}");
    }
}

#[test]
fn open_exit_conditions_are_tasks_of_the_phase() {
    let file = |status: &str, boxes: &str| {
        format!(
            "# Active Workflow State\n\n**Current Phase:** build{status}\n\n**Exit Conditions:**\n{boxes}\n**Current Task:** Print\n\n**Artifacts:**\n- [ ] not a condition\n"
        )
    };
    for (status, boxes, open, phase_status) in [
        (
            "",
            "- [x] Cards are printed\n- [ ] The desk has seen one\n",
            vec!["The desk has seen one"],
            PhaseStatus::InProgress,
        ),
        (
            " (complete)\n**Status:** handoff_ready",
            "- [ ] The desk has seen one\n",
            vec!["The desk has seen one"],
            PhaseStatus::InProgress,
        ),
        (" (complete)\n**Status:** handoff_ready", "- [x] The desk has seen one\n", vec![], PhaseStatus::Completed),
        ("", "1. [ ] One\n2. [ ] Two\n", vec!["One", "Two"], PhaseStatus::InProgress),
    ] {
        let text = file(status, boxes);
        let Read::State { state, .. } = read(&text) else { panic!("{text}") };
        assert_eq!(state.pending_tasks, open, "{text}");
        assert_eq!(state.phase_status, phase_status, "{text}");
    }
}
