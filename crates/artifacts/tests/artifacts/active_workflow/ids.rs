//! Ids that lead elsewhere, and names that a terminal would obey: the file is read all the same, without them.

use super::*;
use forge_debate::plan::check_id;

fn file(lines: &str) -> String {
    format!("---\nphase: design\nphase_status: in_progress\nstarted_at: 2026-01-27T10:00:00Z\n{lines}---\nNotes.\n")
}

fn noted(notes: &[String], key: &str) -> bool {
    notes.iter().any(|note| note.contains(key) && !note.chars().any(char::is_control))
}

const BAD: &[&str] =
    &["../../etc/x", "a/b", ".hidden", "a b", "\\e[31mred", "a\\u0007", "\\u202Ea", "a\\nb", "..", "-x"];

#[test]
fn a_workflow_id_that_cannot_be_in_a_path_is_derived() {
    for bad in BAD.iter().map(|bad| (*bad).to_owned()).chain([format!("a{}", "b".repeat(500))]) {
        let text = file(&format!("workflow_id: \"{bad}\"\n"));
        let (state, _, notes) = state_of(&text);
        assert_eq!(state.workflow_id, "forge-20260127-100000", "{bad}");
        assert!(noted(&notes, "workflow_id"), "{notes:?}");
        let written = write(Some(&text), &state, &context(&text));
        assert_eq!(written, text.replace(&format!("\"{bad}\""), "forge-20260127-100000"));
        assert!(!noted(&state_of(&written).2, "workflow_id"), "told until it is written: {written}");
    }
    assert_eq!(state_of(&file("workflow_id: my-own.id_7\n")).0.workflow_id, "my-own.id_7");
}

#[test]
fn a_debate_id_that_cannot_be_in_a_path_is_none() {
    for bad in BAD {
        for key in ["debate_id", "active_debate_id"] {
            let text = file(&format!("{key}: \"{bad}\"\ndebate_status: complete\ndebate_gate_passed: true\n"));
            let (state, _, notes) = state_of(&text);
            assert_eq!(state.debate, DebateState::default(), "{bad}: no gate is passed by a debate that cannot be");
            assert_eq!(state.debates, []);
            assert!(noted(&notes, "debate_id"), "{notes:?}");
            let written = write(Some(&text), &state, &context(&text));
            assert_says(&written, &state, &context(&text));
            assert!(!noted(&state_of(&written).2, "debate_id"), "told until it is written: {written}");
        }
    }
    let (state, _, notes) =
        state_of(&file("debate_id: design-1\ndebate_phase: \"../design\"\ndebate_status: pending\n"));
    assert_eq!((state.debate.id.as_deref(), state.debate.phase), (Some("design-1"), None));
    assert!(noted(&notes, "debate_phase"), "{notes:?}");
}

#[test]
fn entries_with_such_ids_are_left_out() {
    let (state, _, notes) = state_of(&file(
        "completed_phases: [init, \"../x\", \"a\\e[2J\"]\nrehearsed_phases: [research, \"a\\e[2J\", \"../x\"]\ndebates:\n  - \"init: init-1\"\n  - \"research: ../../etc\"\n  - {phase: \"a\\nb\", id: x-1}\nskipped_debates:\n  - \"init: \\e[31m small: it is\"\n  - \"../x: why\"\n",
    ));
    assert_eq!(
        (state.completed_phases, state.rehearsed_phases),
        (vec!["init".to_owned()], vec!["research".to_owned()])
    );
    assert_eq!(state.debates, [("init".to_owned(), "init-1".to_owned())]);
    let phases: Vec<&str> = state.skipped_debates.iter().map(|(phase, _)| phase.as_str()).collect();
    assert_eq!(phases, ["init"]);
    for key in ["completed_phases", "rehearsed_phases", "debates", "skipped_debates"] {
        assert!(noted(&notes, key), "{key}: {notes:?}");
    }
}

#[test]
fn names_are_what_a_terminal_may_show() {
    let (state, _, notes) = state_of(&file(
        "completed_tasks: [\"a\\e]0;t\\u0007b\", plain  one]\npending_tasks: [\"two\\nlines\", \"\\u200B\"]\nblocked_tasks: [\"t\\u202Ex\"]\nblocked_reasons: [waits]\ncurrent_task: \"two\\nlines\"\nbranch: \"feat/\\e[31mx\"\nissue: \"#1\\r2\"\nreopened_decision: \"D1\\u0000\"\nlast_updated: \"2026\\e[1m\"\n",
    ));
    assert_eq!(state.completed_tasks, ["a]0;tb", "plain  one"]);
    assert_eq!(state.pending_tasks, ["two lines"]);
    assert_eq!(state.blocked_tasks, [("tx".to_owned(), "waits".to_owned())]);
    assert_eq!(state.current_task.as_deref(), Some("two lines"));
    assert_eq!((state.branch.as_deref(), state.issue.as_deref()), (Some("feat/[31mx"), Some("#1 2")));
    assert_eq!((state.reopened_decision.as_deref(), state.last_updated.as_str()), (Some("D1"), "2026[1m"));
    for key in ["completed_tasks", "pending_tasks", "blocked_tasks", "branch", "issue", "reopened_decision"] {
        assert!(noted(&notes, key), "{key}: {notes:?}");
    }
}

#[test]
fn what_must_not_be_read_is_not_written() {
    let state = State { workflow_id: "../elsewhere".to_owned(), pending_tasks: vec!["a\u{1B}b".to_owned()], ..full() };
    for before in [None, Some(DESCRIBED), Some(PROSE)] {
        let written = write(before, &state, &around());
        let (said, _, notes) = state_of(&written);
        check_id(&said.workflow_id).unwrap();
        assert_eq!(
            said,
            State { workflow_id: "forge-20260127-100000".to_owned(), pending_tasks: vec!["ab".to_owned()], ..full() }
        );
        assert_eq!(notes, Vec::<String>::new(), "{written}");
        assert_eq!(write(Some(&written), &state, &around()), written);
    }
}

#[test]
fn fields_in_comments_and_code_say_nothing() {
    for hidden in [
        "<!-- **Current Phase:** plan -->",
        "<!--\n**Current Phase:** plan\n-->",
        "```\n~~~\n**Current Phase:** plan\n```",
        "~~~~\n~~~\n**Current Phase:** plan\n~~~~",
        "> ```\n> **Current Phase:** plan\n> ```",
    ] {
        let text = format!("# State\n\n{hidden}\n\n- **Current Phase:** build\n");
        assert_eq!(state_of(&text).0.phase, "build", "{text}");
    }
    assert_eq!(state_of("# State\n\n> **Current Phase:** build\n").0.phase, "build");
}
