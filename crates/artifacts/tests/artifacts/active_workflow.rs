//! The state file: every layout is read, and writing leaves alone what it does not change.

use forge_artifacts::formats::active_workflow::{Context, Layout, Read, context, read, write};
use forge_workflow::state::{DebateFlag, DebateState, DebateStatus, PhaseStatus, State, WorkflowStatus};
use proptest::prelude::*;

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
        Read::State { state, layout, notes } => (state, layout, notes),
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
        status: WorkflowStatus::Blocked,
        debate: DebateState {
            id: Some("brainstorm-20260127-143022".to_owned()),
            phase: Some("brainstorm".to_owned()),
            status: DebateStatus::Running,
            gate_passed: false,
        },
        debate_flag: DebateFlag::Forced,
        debates: vec![("brainstorm".to_owned(), "brainstorm-20260127-143022".to_owned())],
        skipped_debates: vec![("design".to_owned(), "5 components > 3".to_owned())],
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
        "status: blocked",
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
rehearsed_phases: []
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

#[test]
fn the_described_sample_is_written_again_byte_for_byte() {
    let (state, ..) = state_of(DESCRIBED);
    assert_eq!(write(Some(DESCRIBED), &state, &context(DESCRIBED)), DESCRIBED);
    let windows = DESCRIBED.replace('\n', "\r\n");
    assert_eq!(write(Some(&windows), &state, &context(&windows)), windows);
}

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

#[test]
fn a_new_phase_renames_the_workflow() {
    let (mut state, ..) = state_of(DESCRIBED);
    state.phase = "research".to_owned();
    let written = write(Some(DESCRIBED), &state, &context(DESCRIBED));
    assert!(written.contains("\nphase: research\nworkflow: forge-research\nversion: \"2.0\"\n"), "{written}");
    assert_says(&written, &state, &context(DESCRIBED));
}

#[test]
fn the_flat_layout() {
    let (state, layout, notes) = state_of(FLAT);
    assert_eq!(layout, Layout::Flat);
    assert_eq!(
        (state.phase.as_str(), state.status, state.phase_status),
        ("init", WorkflowStatus::Active, PhaseStatus::InProgress)
    );
    assert_eq!(state.completed_phases, ["brainstorm", "research"], "in the order of the phases");
    assert_eq!(state.objective, "Shorten the checkout: one page");
    assert_eq!((state.branch.as_deref(), state.issue), (Some("feat/checkout"), None));
    assert_eq!(state.workflow_id, "forge-20260203-081500");
    assert!(notes.iter().any(|note| note.contains("paused")), "{notes:?}");
    for (word, status, phase) in [
        ("completed", WorkflowStatus::Completed, PhaseStatus::Completed),
        ("failed", WorkflowStatus::Blocked, PhaseStatus::Blocked),
        ("in_progress", WorkflowStatus::Active, PhaseStatus::InProgress),
    ] {
        let (state, ..) = state_of(&FLAT.replace("paused", word));
        assert_eq!((state.status, state.phase_status), (status, phase), "{word}");
    }
}

#[test]
fn the_flat_layout_with_debates_is_edited_in_place() {
    let (mut state, layout, _) = state_of(FLAT_WITH_DEBATE);
    assert_eq!(layout, Layout::FlatWithDebate);
    assert_eq!((state.phase.as_str(), state.phase_status), ("init", PhaseStatus::Pending));
    assert_eq!(state.debate, DebateState::default());
    assert_eq!(state.issue.as_deref(), Some("SRCH-7"));
    state.phase_status = PhaseStatus::Completed;
    state.debate.id = Some("init-1".to_owned());
    let written = write(Some(FLAT_WITH_DEBATE), &state, &Context::default());
    assert!(written.starts_with("---\nworkflow: forge\nversion: \"2.0.0\"\n"), "{written}");
    assert!(written.contains("\nphase_status: completed\n") && written.contains("\ndebate_id: init-1\n"), "{written}");
    assert_says(&written, &state, &Context::default());
}

#[test]
fn the_layout_with_current_phase() {
    let (state, layout, _) = state_of(CURRENT_PHASE);
    assert_eq!(layout, Layout::CurrentPhase);
    assert_eq!(
        (state.phase.as_str(), state.phase_status, state.status),
        ("learn", PhaseStatus::Completed, WorkflowStatus::Completed)
    );
    assert_eq!(state.completed_at.as_deref(), Some("2026-01-21T17:30:00Z"));
    assert_eq!((state.next_phase, state.debate.id), (None, None));
    let written = write(Some(CURRENT_PHASE), &state_of(CURRENT_PHASE).0, &Context::default());
    assert!(written.contains("\narchived_at: 2026-01-21T18:00:00Z\n"), "unknown keys survive: {written}");
    assert!(!written.contains("current_phase:") && written.ends_with("---\n\n# Archived\n"), "{written}");
    assert_eq!(read(&CURRENT_PHASE.replace("completed", "idle")), Read::Idle);
}

#[test]
fn the_layout_with_status_for_the_phase() {
    let (state, layout, _) = state_of(PLAIN_STATUS);
    assert_eq!(layout, Layout::PlainStatus);
    assert_eq!((state.phase_status, state.status), (PhaseStatus::Blocked, WorkflowStatus::Blocked));
    let reason = "the vendor's API is not final (since 2026-01-13T10:55:00Z)";
    assert_eq!(state.blocked_tasks, [("agree-interfaces".to_owned(), reason.to_owned())]);
    assert_eq!(state.objective, "invoice export");
    let written = write(Some(PLAIN_STATUS), &state, &context(PLAIN_STATUS));
    assert!(written.contains("\n  reviewers: [\"ana\", \"bo\"]\n"), "{written}");
    assert!(written.contains("\nmetadata:\n  priority: low\n"), "{written}");
    assert!(written.contains("\nversion: \"2.0\"\n"), "{written}");
    assert_says(&written, &state, &context(PLAIN_STATUS));
    let (state, ..) = state_of(&PLAIN_STATUS.replace("status: blocked", "status: completed"));
    assert_eq!((state.phase_status, state.status), (PhaseStatus::Completed, WorkflowStatus::Active));
}

#[test]
fn the_layout_with_a_progress_block() {
    let (state, layout, _) = state_of(PROGRESS);
    assert_eq!(layout, Layout::Progress);
    assert_eq!(state.completed_tasks, ["scaffold"]);
    assert_eq!(state.pending_tasks, ["wire-up", "polish"]);
    assert_eq!(state.current_task.as_deref(), Some("wire-up"));
    assert_eq!((state.workflow_id.as_str(), state.objective.as_str()), ("forge-77", "offline mode"));
    let written = write(Some(PROGRESS), &state, &context(PROGRESS));
    assert!(
        written.contains("\nsession:\n  id: s-12\n  host: laptop\n") && !written.contains("progress:"),
        "{written}"
    );
    assert!(
        written.contains("\n  blockers: [\"none so far\"]\n") && written.ends_with("---\n\nWork goes on.\n"),
        "{written}"
    );
}

#[test]
fn bare_yaml() {
    let (state, layout, notes) = state_of(BARE);
    assert_eq!(layout, Layout::BareYaml);
    assert_eq!(
        (state.phase.as_str(), state.phase_status, state.completed_at.as_deref()),
        ("design", PhaseStatus::InProgress, None)
    );
    assert!(notes.iter().any(|note| note.contains("layer")), "{notes:?}");
    let written = write(Some(BARE), &state, &Context::default());
    assert!(
        written.starts_with("---\n# Identity\nphase: design\n") && written.ends_with(&format!("---\n\n{BARE}")),
        "{written}"
    );
    assert_eq!(state_of("phase: build\n\nSome words about it: none.\n\n## Heading\n").0.phase, "build");
}

#[test]
fn prose() {
    let (state, layout, _) = state_of(PROSE);
    assert_eq!(layout, Layout::Prose);
    assert_eq!((state.phase.as_str(), state.phase_status), ("build", PhaseStatus::InProgress));
    assert_eq!(state.started_at, "2026-06-01T07:00:00Z");
    assert_eq!(state.current_task.as_deref(), Some("wire the importer"));
    let written = write(Some(PROSE), &state, &Context::default());
    assert!(written.ends_with(&format!("---\n\n{PROSE}")), "{written}");
    let (state, ..) = state_of(PROSE_EXIT);
    assert_eq!((state.phase.as_str(), state.phase_status), ("build", PhaseStatus::Completed));
    assert_eq!((state.status, state.next_phase.as_deref()), (WorkflowStatus::Active, Some("validate")));
    assert_eq!(state.workflow_id, "forge-recovered");
    assert_eq!(state_of("- **Phase**: `Build`\n- **Status**: In Progress\n").0.phase, "build");
}

#[test]
fn a_partial_file() {
    let (mut state, layout, notes) = state_of(PARTIAL);
    assert_eq!(layout, Layout::Partial);
    assert_eq!((state.phase_status, state.status), (PhaseStatus::Blocked, WorkflowStatus::Blocked));
    assert_eq!(state.debate.status, DebateStatus::Pending);
    assert!(notes.len() >= 3, "{notes:?}");
    assert_eq!(write(Some(PARTIAL), &state, &Context::default()), PARTIAL);
    state.next_phase = None;
    let written = write(Some(PARTIAL), &state, &Context::default());
    assert_eq!(written, PARTIAL.replace("next_phase: research", "next_phase: null"));
    assert_says(&written, &state, &Context::default());
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

fn word() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z][a-z0-9-]{0,12}", "\\PC{1,20}", "(?s).{1,20}"]
        .prop_filter("a name", |word: &String| !matches!(word.trim(), "" | "-" | "~" | "_") && !word.contains("$("))
}

fn phase() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9_-]{0,12}".prop_filter("a phase", |word| !matches!(word.as_str(), "none" | "null" | "nil" | "idle"))
}

fn names() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(word(), 0..4)
}

fn pairs() -> impl Strategy<Value = Vec<(String, String)>> {
    prop::collection::vec((word(), "(?s).{0,20}"), 0..4)
}

fn maybe() -> impl Strategy<Value = Option<String>> {
    prop::option::of(word().prop_filter("no word for nothing", |word| {
        let bare: String = word.chars().filter(|c| !matches!(c, '`' | '*' | '"' | '\'')).collect();
        !matches!(bare.trim().to_lowercase().as_str(), "" | "-" | "_" | "~" | "none" | "null" | "nil" | "idle" | "n/a")
    }))
}

prop_compose! {
    fn any_state()(
        (workflow_id, objective, phase_name) in (word(), "(?s).{0,40}", phase()),
        (next_phase, completed_phases, rehearsed_phases) in (prop::option::of(phase()), prop::collection::vec(phase(), 0..4), names()),
        (started_at, last_updated) in ("2026-0[1-9]-1[0-9]T10:00:0[0-9]Z", "[0-9TZ:-]{0,20}"),
        (phase_started_at, completed_at, phase_objective, reopened_decision) in (maybe(), maybe(), maybe(), maybe()),
        (debate_id, debate_phase, gate_passed, revision) in (maybe(), maybe(), any::<bool>(), any::<u64>()),
        (phase_status, status, debate_status, debate_flag) in (
            prop::sample::select(PhaseStatus::ALL), prop::sample::select(WorkflowStatus::ALL),
            prop::sample::select(DebateStatus::ALL), prop::sample::select(DebateFlag::ALL)),
        (debates, skipped_debates, blocked_tasks) in (pairs(), pairs(), pairs()),
        (completed_tasks, pending_tasks, current_task, branch, issue) in (names(), names(), maybe(), maybe(), maybe()),
    ) -> State {
        State {
            phase_objective, phase_status, phase_started_at, last_updated, completed_at, next_phase, completed_phases, status,
            debate: DebateState { id: debate_id, phase: debate_phase, status: debate_status, gate_passed },
            debate_flag, debates, skipped_debates, rehearsed_phases, reopened_decision, completed_tasks, pending_tasks,
            blocked_tasks, current_task, branch, issue, revision,
            ..State::new(&workflow_id, &objective, &phase_name, &started_at)
        }
    }
}

prop_compose! {
    fn any_context()(feature in "(?s).{0,20}", related_docs in names(), decisions in names(), assumptions in names()) -> Context {
        Context { feature, related_docs, decisions, assumptions }
    }
}

proptest! {
    #![proptest_config(proptest::test_runner::Config{cases:1500,failure_persistence:None,..Default::default()})]

    #[test]
    fn what_is_written_is_read(state in any_state(), around in any_context()) {
        let text = write(None, &state, &around);
        let (said, layout, notes) = state_of(&text);
        prop_assert_eq!(said, state);
        prop_assert_eq!(context(&text), around);
        prop_assert_eq!(layout, Layout::Ours);
        prop_assert!(notes.is_empty(), "{:?}", notes);
    }
}

proptest! {
    #![proptest_config(proptest::test_runner::Config{cases:1500,failure_persistence:None,..Default::default()})]

    #[test]
    fn whatever_was_there_it_says_the_state_and_stays(
        which in 0..ALL.len(), state in any_state(), other in any_state(), around in any_context(), notes in "(?s)\\PC{0,60}",
    ) {
        let before = format!("{}{notes}", ALL[which]);
        let written = write(Some(&before), &state, &around);
        assert_says(&written, &state, &around);
        prop_assert_eq!(&write(Some(&written), &state, &around), &written);
        prop_assert!(written.ends_with(&notes));
        let again = write(Some(&written), &other, &around);
        assert_says(&again, &other, &around);
        prop_assert!(again.ends_with(&notes));
        let unknown = if which == 0 { "karpathy_score: 4.5\n" } else { "" };
        prop_assert!(again.contains(unknown));
    }

    #[test]
    fn no_text_breaks_it(text in "(?s).{0,200}", lines in prop::collection::vec("(---|phase|status|context|\\*\\*Phase:\\*\\*|- a|  b|#|:|[{\\[]){1,4}( .{0,8})?", 0..12)) {
        for text in [text, lines.join("\n"), format!("---\n{}\n---\n", lines.join("\n")), format!("---\nphase: build\nphase_status: pending\n{}\n---\nx", lines.join("\n"))] {
            let _ = read(&text);
            let written = write(Some(&text), &full(), &around());
            assert_says(&written, &full(), &around());
            prop_assert_eq!(&write(Some(&written), &full(), &around()), &written);
        }
    }

    #[test]
    fn no_damage_breaks_it(which in 0..ALL.len(), cut in 0usize..2000, put in ".{0,3}") {
        let text = ALL[which];
        let at = text.char_indices().map(|(at, _)| at).nth(cut % text.chars().count()).unwrap_or(0);
        for text in [format!("{}{put}{}", &text[..at], &text[at..]), text[..at].to_owned()] {
            let written = write(Some(&text), &full(), &around());
            assert_says(&written, &full(), &around());
        }
    }
}
