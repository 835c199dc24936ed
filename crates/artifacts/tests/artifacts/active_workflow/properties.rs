//! Any state, over any text: what is written is read, stays, and loses nothing.

use super::{ALL, around, assert_says, full, state_of};
use forge_artifacts::formats::active_workflow::{Context, Layout, context, read, write};
use forge_debate::brief::is_hidden;
use forge_debate::plan::check_id;
use forge_workflow::state::{DebateFlag, DebateState, DebateStatus, PhaseStatus, State, WorkflowStatus};
use proptest::prelude::*;

/// A name; a wild one may have characters that must not be read.
fn word(wild: bool) -> impl Strategy<Value = String> {
    let is_wild = |c: char| is_hidden(c) || matches!(c, '\n' | '\t' | '\u{2028}' | '\u{2029}');
    prop_oneof!["[a-z][a-z0-9-]{0,12}", "\\PC{1,20}", "(?s).{1,20}"]
        .prop_filter("a name", |word: &String| !matches!(word.trim(), "" | "-" | "~" | "_") && !word.contains("$("))
        .prop_filter("a tame one", move |word| wild || !word.chars().any(is_wild))
}

fn phase() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9_-]{0,12}".prop_filter("a phase", |word| !matches!(word.as_str(), "none" | "null" | "nil" | "idle"))
}

/// An id; a wild one may lead anywhere.
fn id(wild: bool) -> impl Strategy<Value = String> {
    if wild { prop_oneof![word(true), "[./]{1,3}[a-z]{0,3}"].boxed() } else { phase().boxed() }
}

fn names(wild: bool) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(word(wild), 0..4)
}

fn ids(wild: bool) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(id(wild), 0..4)
}

fn maybe(wild: bool) -> impl Strategy<Value = Option<String>> {
    prop::option::of(word(wild).prop_filter("no word for nothing", |word| {
        let bare: String = word.chars().filter(|c| !matches!(c, '`' | '*' | '"' | '\'')).collect();
        !matches!(bare.trim().to_lowercase().as_str(), "" | "-" | "_" | "~" | "none" | "null" | "nil" | "idle" | "n/a")
    }))
}

prop_compose! {
    fn any_state(wild: bool)(
        (workflow_id, objective, phase_name) in (id(wild), "(?s).{0,40}", phase()),
        (next_phase, completed_phases, rehearsed_phases) in (prop::option::of(phase()), prop::collection::vec(phase(), 0..4), ids(wild)),
        (started_at, last_updated) in ("2026-0[1-9]-1[0-9]T10:00:0[0-9]Z", "[0-9TZ:-]{0,20}"),
        (phase_started_at, completed_at, phase_objective, reopened_decision) in (maybe(wild), maybe(wild), maybe(wild), maybe(wild)),
        (debate_id, debate_phase, gate_passed, revision) in (prop::option::of(id(wild)), prop::option::of(id(wild)), any::<bool>(), any::<u64>()),
        (phase_status, status, debate_status, debate_flag) in (
            prop::sample::select(PhaseStatus::ALL), prop::sample::select(WorkflowStatus::ALL),
            prop::sample::select(DebateStatus::ALL), prop::sample::select(DebateFlag::ALL)),
        (debates, skipped_debates, blocked_tasks) in (
            prop::collection::vec((id(wild), id(wild)), 0..4), prop::collection::vec((id(wild), "(?s).{0,20}"), 0..4),
            prop::collection::vec((word(wild), "(?s).{0,20}"), 0..4)),
        (completed_tasks, pending_tasks, current_task, branch, issue) in (names(wild), names(wild), maybe(wild), maybe(wild), maybe(wild)),
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
    fn any_context()(feature in "(?s).{0,20}", related_docs in names(true), decisions in names(true), assumptions in names(true)) -> Context {
        Context { feature, related_docs, decisions, assumptions }
    }
}

proptest! {
    #![proptest_config(crate::config(256))]

    #[test]
    fn what_is_written_is_read(state in any_state(false), around in any_context()) {
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

    // seed: S1-43
    #[test]
    fn whatever_was_there_it_says_the_state_and_stays(
        which in 0..ALL.len(), state in any_state(false), other in any_state(false), around in any_context(), notes in "(?s)\\PC{0,60}",
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
    fn what_must_not_be_read_is_never_in_a_file(which in 0..ALL.len(), wild in any_state(true), around in any_context()) {
        let written = write(Some(ALL[which]), &wild, &around);
        let (state, _, notes) = state_of(&written);
        prop_assert!(notes.is_empty(), "{:?}\n{}", notes, written);
        prop_assert_eq!(&write(Some(&written), &wild, &around), &written);
        let phases = state.rehearsed_phases.iter().chain(&state.completed_phases).chain(state.skipped_debates.iter().map(|(phase, _)| phase));
        let pairs = state.debates.iter().flat_map(|(phase, id)| [phase, id]);
        for id in phases.chain(pairs).chain([&state.workflow_id]).chain(&state.debate.id).chain(&state.debate.phase) {
            prop_assert_eq!(check_id(id), Ok(()));
        }
        let tasks = state.completed_tasks.iter().chain(&state.pending_tasks).chain(state.blocked_tasks.iter().map(|(task, _)| task));
        for name in tasks.chain(&state.current_task).chain(&state.branch).chain(&state.issue).chain(&state.reopened_decision) {
            prop_assert!(!name.chars().any(|c| c.is_control() || is_hidden(c)), "{name:?}");
        }
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
