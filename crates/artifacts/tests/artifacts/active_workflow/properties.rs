//! Any state, over any text: what is written is read, stays, and loses nothing.

use super::{ALL, around, assert_says, full, state_of};
use forge_artifacts::formats::active_workflow::{Context, Layout, context, read, write};
use forge_workflow::state::{DebateFlag, DebateState, DebateStatus, PhaseStatus, State, WorkflowStatus};
use proptest::prelude::*;

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
    #![proptest_config(crate::config(256))]

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
    #![proptest_config(crate::config(64))]

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
