//! The layouts that are found in projects: what they say, and what becomes of them.

use super::*;

#[test]
fn the_flat_layout() {
    let (state, layout, notes) = state_of(FLAT);
    assert_eq!(layout, Layout::Flat);
    assert_eq!(
        (state.phase.as_str(), state.status, state.phase_status),
        ("init", WorkflowStatus::Paused, PhaseStatus::InProgress)
    );
    assert_eq!(state.completed_phases, ["brainstorm", "research"], "in the order of the phases");
    assert_eq!(state.objective, "Shorten the checkout: one page");
    assert_eq!((state.branch.as_deref(), state.issue), (Some("feat/checkout"), None));
    assert_eq!(state.workflow_id, "forge-20260203-081500");
    assert!(!notes.iter().any(|note| note.contains("paused")), "{notes:?}");
    for (word, status, phase) in [
        ("completed", WorkflowStatus::Active, PhaseStatus::Completed),
        ("failed", WorkflowStatus::Active, PhaseStatus::Blocked),
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
    assert_eq!(read(&CURRENT_PHASE.replace("completed", "idle").replace("learn", "null")), Read::Idle);
}

#[test]
fn the_layout_with_status_for_the_phase() {
    let (state, layout, _) = state_of(PLAIN_STATUS);
    assert_eq!(layout, Layout::PlainStatus);
    assert_eq!((state.phase_status, state.status), (PhaseStatus::Blocked, WorkflowStatus::Active));
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
    assert_eq!((state.phase_status, state.status), (PhaseStatus::Blocked, WorkflowStatus::Active));
    assert_eq!(state.debate.status, DebateStatus::Pending);
    assert!(notes.len() >= 3, "{notes:?}");
    assert_eq!(write(Some(PARTIAL), &state, &Context::default()), PARTIAL);
    state.next_phase = None;
    let written = write(Some(PARTIAL), &state, &Context::default());
    assert_eq!(written, PARTIAL.replace("next_phase: research", "next_phase: null"));
    assert_says(&written, &state, &Context::default());
}
