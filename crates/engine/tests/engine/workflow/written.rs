//! Words that people put where forge writes, and what is said of them.

use super::evidence::{decision, handoff};
use super::foreign::{flat, go_on, started};
use super::walk::{Act, DECISIONS, RISKS, finish, leave, play, story, when, words_of};
use super::*;
use crate::stage::on_a_free_clock;
use forge_debate::plan::Hand;
use forge_engine::workflow::{Entry, StartSettings, TaskWord};
use forge_engine::{EngineError, RunEnd, RunSettings, Silent};
use forge_workflow::next::{GateScope, gate_blockers};
use forge_workflow::state::{DebateFlag, PhaseStatus};

const OUTCOME: &str = "docs/forge/brainstorm.md";
const INTO_BRAINSTORM: &str = "docs/forge/handoffs/init-to-brainstorm.md";
const INTO_RESEARCH: &str = "docs/forge/handoffs/brainstorm-to-research.md";
const OPTIONS: &str = "docs/forge/brainstorm-options.md";

/// In research, with everything that brainstorm left.
fn in_research() -> (Stage, usize) {
    let stage = Stage::new();
    for (number, act) in story().iter().enumerate() {
        play(&stage, stage.disk(), act, when(number)).unwrap();
        if stage.said(STATE).contains("\nphase: research\n") {
            return (stage, number + 1);
        }
        assert!(!matches!(act, Act::Trip(_)), "research is not reached");
    }
    panic!("research is not reached");
}

/// In brainstorm with three options, its debate planned for a hand.
fn planned(hand: &str, script: &str) -> (Stage, Drive, String) {
    let stage = Stage::new();
    stage.put("script.yaml", script);
    let drive = Drive { hand: Hand::parse(hand), ..Drive::default() };
    let start = StartSettings { objective: "Remind readers".to_owned(), abandon: false };
    stage.well(when(0)).start_workflow(&start, &drive).unwrap();
    stage.well(when(1)).continue_workflow(&drive).unwrap();
    stage.put(OPTIONS, "## Options\n\n- Files: as today\n- Redis: one server\n- Postgres: a table\n");
    let progress = stage.well(when(2)).continue_workflow(&drive).unwrap();
    let id = progress.snapshot.debate.there().unwrap_or_else(|| panic!("{:?}", blockers(&progress))).id.clone();
    (stage, drive, id)
}

fn hold(stage: &Stage, id: &str, retry_absent: bool) -> RunEnd {
    let settings = RunSettings { retry_absent, ..RunSettings::default() };
    on_a_free_clock(stage.well(when(3)).hold_debate(id, None, settings, &Silent)).unwrap()
}

fn said(progress: &Progress) -> String {
    progress
        .log
        .done
        .iter()
        .chain(&progress.log.notes)
        .cloned()
        .chain(blockers(progress))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Whether a text lies somewhere, in a file that these lines name.
fn is_named(stage: &Stage, words: &str, lines: &str) -> bool {
    let holds = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains(words);
    stage.tree().0.iter().any(|(path, bytes)| holds(bytes) && lines.contains(path.as_str()))
}

#[test]
fn a_decision_without_a_debate_may_say_of_itself_that_it_does_not_stand() {
    let (stage, at) = in_research();
    let taken = stage.said(DECISIONS);
    let moved = "\n## Superseded Decisions\n\n### D0: Remind by postcard\n\n**Superseded by:** D1\n";
    stage.put(DECISIONS, format!("{taken}{moved}"));
    let progress = stage.well(when(at)).continue_workflow(&drive()).unwrap();
    assert!(!said(&progress).contains("D0"), "{}", said(&progress));
    // Another debate's decision does not: only its own debate takes its place.
    let with_source = moved
        .replace("### D0: Remind by postcard\n", "### D0: Remind by postcard\n\n- Debate: another-20250101-000000\n");
    stage.put(DECISIONS, format!("{taken}{with_source}"));
    let progress = stage.well(when(at + 1)).continue_workflow(&drive()).unwrap();
    assert!(said(&progress).contains("D1 is said to supersede D0 here"), "{}", said(&progress));
}

/// What people wrote at the place of a report stays while the debate is open, whatever it says and however often somebody looks.
#[test]
fn a_report_that_forge_did_not_write_waits() {
    let (stage, drive, id) = planned("outside", "replies: []");
    let question = "# Remind readers\n\n";
    let words = [
        "Ann's own words on it.\n",
        question,
        "debate_result:\n  question_id: \"x\"\n",
        "",
        "\u{FEFF}| | |\n|---|---|\n",
    ];
    for report in ["verdict.md", "result.yaml"] {
        let path = format!("docs/forge/debate/{id}/{report}");
        for words in words {
            stage.put(&path, words);
            hold(&stage, &id, false);
            let progress = stage.well(when(4)).continue_workflow(&drive).unwrap();
            assert!(stage.root().join(&path).exists(), "{path}: {}", said(&progress));
            assert_eq!(stage.said(&path), words, "{path}: {}", said(&progress));
        }
    }
}

/// A debate that lies there is gone on with, although somebody took its name out of the state file.
#[test]
fn a_debate_that_the_state_does_not_name_is_gone_on_with() {
    for gone in ["null", "\"\""] {
        let (stage, drive, id) = planned("outside", "replies: []");
        leave(&stage, when(3), &["advocate", "skeptic", "operator"]);
        let named = stage.said(STATE).lines().find(|line| line.starts_with("debate_id:")).unwrap().to_owned();
        stage.edit(STATE, &named, &format!("debate_id: {gone}"));
        let progress = stage.well(when(60)).continue_workflow(&drive).unwrap();
        assert_eq!(progress.snapshot.state.debate.id.as_ref(), Some(&id), "{}", said(&progress));
        assert!(said(&progress).contains("is not over; it goes on"), "{}", said(&progress));
        assert_eq!(progress.snapshot.debate.there().map(|debate| debate.spoken.0), Some(3), "{}", said(&progress));
    }
}

/// A decision that only a handoff locks binds, and is named; whose word it is nobody knows, so it is not written down.
#[test]
fn a_decision_that_only_a_handoff_has_binds_and_is_named() {
    let (stage, at) = in_research();
    let handoff = stage.said(INTO_RESEARCH);
    let row = handoff.lines().find(|line| line.starts_with("| D1 |")).unwrap();
    stage.edit(INTO_RESEARCH, row, &format!("{row}\n| D9 | No trackers in mails | the law | Yes |"));
    let progress = stage.well(when(at)).continue_workflow(&drive()).unwrap();
    let told = &progress.snapshot.knowledge.unclear;
    assert!(told.iter().any(|one| one.text.starts_with("D9 (No trackers in mails) is locked here")), "{told:?}");
    assert!(!stage.said(DECISIONS).contains("D9"), "{}", stage.said(DECISIONS));
    finish(&stage, "research", "\n## Decisions\n\n- Put trackers into the mails (supersedes D9)\n");
    let progress = stage.well(when(at + 1)).continue_workflow(&drive()).unwrap();
    assert_eq!(progress.snapshot.state.phase, "research", "{}", said(&progress));
    assert!(
        progress.step.call.as_ref().is_some_and(|call| call.debate && call.why.contains("D9")),
        "{:?}",
        progress.step.call
    );
}

/// A condition that people marked as met in words holds the phase, and one that is ticked in the phase's document counts.
#[test]
fn a_condition_counts_in_whichever_way_it_is_marked() {
    let condition = |stage: &Stage| {
        let handoff = stage.said(INTO_RESEARCH);
        handoff.lines().find(|line| line.starts_with("- [ ] A") && line.contains("turns out wrong")).unwrap().to_owned()
    };
    for mark in [" **TRIGGERED**", " (yes!)", " -> happened on 12 November", "\n  - this is now the case, see poll"] {
        let (stage, at) = in_research();
        let open = condition(&stage);
        finish(&stage, "research", "");
        stage.edit(INTO_RESEARCH, &open, &format!("{open}{mark}"));
        let progress = stage.well(when(at)).continue_workflow(&drive()).unwrap();
        assert_eq!(progress.snapshot.state.phase, "research", "{mark}: {}", said(&progress));
    }
    let (stage, at) = in_research();
    let ticked = condition(&stage).replace("[ ]", "[x]");
    finish(&stage, "research", &format!("\n## Escalation Conditions\n\n{ticked}\n- [x] Pager duty is set up\n"));
    let progress = stage.well(when(at)).continue_workflow(&drive()).unwrap();
    assert!(progress.step.call.as_ref().is_some_and(|call| call.debate), "{}", said(&progress));
    let progress = stage.well(when(at + 1)).overview(&drive()).unwrap().unwrap();
    assert!(progress.snapshot.unclear().any(|one| one.text.contains("Pager duty") && !one.holds));
}

/// Of people's files in forge's places nothing is lost.
#[test]
fn a_verdict_and_a_record_that_forge_did_not_write_are_kept() {
    let (stage, _, id) = planned("rehearsal", "replies: []");
    let verdict = format!("docs/forge/debate/{id}/verdict.md");
    stage.put(&verdict, "Ann's own words on it.\n");
    hold(&stage, &id, false);
    assert!(stage.said(&verdict).starts_with("# "), "{}", stage.said(&verdict));
    let kept = format!("docs/forge/debate/{id}/trail/aside/1-verdict.md");
    assert_eq!(stage.said(&kept), "Ann's own words on it.\n");

    let (stage, at) = in_research();
    let state = stage.said(STATE);
    let id = state.lines().find_map(|line| line.strip_prefix("workflow_id: ")).unwrap().trim_matches('"').to_owned();
    let record = format!(".claude/forge/archive/workflow-{id}.md");
    stage.put(&record, "What Ann wrote down.\n");
    let start = StartSettings { objective: "Another".to_owned(), abandon: true };
    let _ = stage.well(when(at)).start_workflow(&start, &drive()).unwrap();
    assert!(stage.said(&record).contains("status: \"abandoned\"") || stage.said(&record).contains("status: abandoned"));
    assert_eq!(stage.said(&record.replace(".md", "-2.md")), "What Ann wrote down.\n");
}

#[test]
fn what_came_of_a_phase_is_kept_when_it_is_written_anew() {
    let (stage, at) = in_research();
    stage.edit(OUTCOME, "\n## ", "\nMy remark: ring Ana.\n\n## ");
    stage.well(when(at)).continue_in("brainstorm", &drive()).unwrap();
    stage.well(when(at + 1)).mark_task("revisit", &TaskWord::Done, &drive()).unwrap();
    let progress = stage.well(when(at + 2)).continue_workflow(&drive()).unwrap();
    assert_eq!(progress.snapshot.state.phase, "research", "{}", said(&progress));
    assert!(!stage.said(OUTCOME).contains("ring Ana"));
    assert!(is_named(&stage, "ring Ana", &said(&progress)), "{}", said(&progress));
}

#[test]
fn a_handoff_that_cannot_pass_for_this_workflows_makes_room() {
    for words in
        ["# Handoff: Init → Brainstorm\n\nRing Ana first.\n", "---\nfrom_phase: init\nring Ana\n---\n\nRing Ana.\n"]
    {
        let stage = started();
        stage.put(INTO_BRAINSTORM, words);
        let start = StartSettings { objective: "Send cards".to_owned(), abandon: true };
        let done = stage.well(when(1)).start_workflow(&start, &drive()).unwrap().log.done.join("\n");
        let progress = stage.well(when(2)).continue_workflow(&drive()).unwrap();
        assert_eq!(progress.snapshot.state.phase, "brainstorm", "{words:?}");
        let all = format!("{done}\n{}", said(&progress));
        assert!(is_named(&stage, words, &all), "{words:?}: {all}");
        assert!(stage.said(INTO_BRAINSTORM).contains("workflow_id: "), "{words:?}");
    }
}

#[test]
fn a_refusal_tells_what_was_moved_before_it() {
    let (stage, at) = in_research();
    let file =
        stage.tree().0.keys().find(|path| path.ends_with("/advocate.md") && !path.contains("trail")).unwrap().clone();
    stage.put(&file, stage.said(&file) + "\nmore\n");
    stage.put(INTO_RESEARCH, stage.said(INTO_RESEARCH) + "\nMine too.\n");
    let error = stage.well(when(at)).continue_in("brainstorm", &drive()).unwrap_err();
    let told = error.to_string();
    assert!(matches!(error, EngineError::Midway { .. }), "{told}");
    assert!(told.contains(&file) && is_named(&stage, "Mine too.", &told), "{told}");
    assert!(told.contains("went back to brainstorm"), "{told}");
}

#[test]
fn an_edited_file_of_an_agent_stays_where_it_lies() {
    let (stage, drive, id) = planned("rehearsal", "replies: []\n");
    hold(&stage, &id, false);
    let file = format!("docs/forge/debate/{id}/advocate.md");
    let mine = stage.said(&file) + "\nmy words\n";
    stage.put(&file, &mine);
    for _ in 0..2 {
        let told = match stage.well(when(4)).continue_workflow(&drive) {
            Ok(progress) => said(&progress),
            Err(error) => error.to_string(),
        };
        assert_eq!(stage.said(&file), mine, "{told}");
        assert!(told.contains(&file) && !told.contains("is gone"), "{told}");
    }
}

#[test]
fn a_file_that_is_written_for_an_absent_seat_is_named_and_taken_in() {
    let (stage, by, id) = planned("stub", "replies:\n  - {do: crash}\n");
    hold(&stage, &id, false);
    let file = format!("docs/forge/debate/{id}/operator.md");
    stage.put(&file, words_of("operator"));
    let told = said(&stage.well(when(4)).continue_workflow(&by).unwrap());
    let line = told.lines().find(|line| line.contains(&file)).unwrap_or_else(|| panic!("{told}"));
    assert!(line.contains("written later") && line.contains("--retry-absent"), "{told}");
    hold(&stage, &id, true);
    let told = said(&stage.well(when(5)).continue_workflow(&by).unwrap());
    assert!(!told.contains("written later"), "{told}");
    assert_eq!(stage.said(&file), words_of("operator"));
}

#[test]
fn a_debate_to_which_too_few_came_makes_room_for_another() {
    let (stage, drive, id) = planned("stub", "replies:\n  - {do: crash}\n");
    hold(&stage, &id, false);
    let again = Entry { phase: "brainstorm".to_owned(), objective: None, flag: DebateFlag::Forced };
    let other = |at: usize| {
        let entered = stage.well(when(at)).enter_phase(&again, &drive).unwrap().progress;
        entered.snapshot.debate.there().unwrap_or_else(|| panic!("{}", said(&entered))).id.clone()
    };
    let second = other(4);
    assert_ne!(second, id);
    // Asked for again, nothing is planned while nobody was asked.
    assert_eq!(other(5), second);
    hold(&stage, &second, false);
    assert_ne!(other(6), second);
}

#[test]
fn a_workflow_in_another_tools_archive_stays_there() {
    let stage = Stage::new();
    let state = flat("research", "in_progress", "initialize, brainstorm", "design")
        .replace("workflow: forge\n", "workflow: forge\nworkflow_id: remind-77\n");
    stage.put(STATE, &state);
    stage.put("docs/forge/archive/20260509-remind-77/workflow-state.md", &state);
    stage.put("docs/forge/archive/20260509-remind-77/MANIFEST.md", "# Manifest\n");
    let told = said(&go_on(&stage));
    assert!(told.contains("docs/forge/archive/20260509-remind-77") && told.contains("--adopt"), "{told}");
    // Another one's archive is not this one's, nor is what forge kept of it.
    for folder in ["20260509-other-remind-77", "remind-77", "20260509-remind-78"] {
        let stage = Stage::new();
        stage.put(STATE, &state);
        stage.put(&format!("docs/forge/archive/{folder}/MANIFEST.md"), "# Manifest\n");
        assert!(!said(&go_on(&stage)).contains("is in the archive"), "{folder}");
    }
}

#[test]
fn what_others_left_counts_when_their_state_file_is_lost() {
    let stage = Stage::new();
    let folder = "docs/forge/debate/brainstorm-20260430-101112";
    stage.put(&format!("{folder}/synthesis.md"), words_of("synthesizer"));
    stage.put(INTO_RESEARCH, handoff("workflow_id: remind-77\n", "generated_at: 2026-05-01T10:00:00Z\n"));
    stage.put(DECISIONS, decision("**Status:** locked\n**Debate:** brainstorm-20260430-101112\n"));
    stage.put(STATE, "---\nobjective: \"Remind readers\"\nphase: research\n\tbad: [\n---\n");
    let progress = go_on(&stage);
    let told = said(&progress);
    assert_eq!(progress.snapshot.state.phase, "research", "{told}");
    assert_eq!(progress.snapshot.state.objective, "Remind readers", "{told}");
    assert!(!told.contains("shows its debate"), "{told}");
    // What no debate shows is still missed.
    stage.delete(folder);
    let stage = Stage::new();
    stage.put(INTO_RESEARCH, handoff("workflow_id: remind-77\n", "generated_at: 2026-05-01T10:00:00Z\n"));
    assert!(said(&go_on(&stage)).contains("shows its debate"));
}

#[test]
fn a_phase_that_somebody_calls_blocked_is_held_until_it_is_entered() {
    let (stage, at) = in_research();
    stage.edit(STATE, "phase_status: in_progress", "phase_status: blocked");
    finish(&stage, "research", "");
    stage.edit(RISKS, "| High | Medium | 6 |", "| Low | Low | 1 |");
    for _ in 0..2 {
        let progress = stage.well(when(at)).continue_workflow(&drive()).unwrap();
        assert_eq!(progress.snapshot.state.phase_status, PhaseStatus::Blocked);
        assert_eq!(progress.snapshot.state.phase, "research");
        assert!(said(&progress).contains("`forge enter research` goes on"), "{}", said(&progress));
    }
    let entry = Entry { phase: "research".to_owned(), objective: None, flag: DebateFlag::Unsaid };
    let entered = stage.well(when(at)).enter_phase(&entry, &drive()).unwrap().progress;
    assert_eq!(entered.snapshot.state.phase, "design", "{}", said(&entered));

    stage.edit(STATE, "\nstatus: in_progress", "\nstatus: blocked");
    let told = said(&stage.well(when(at + 1)).continue_workflow(&drive()).unwrap());
    assert!(told.contains("status says blocked"), "{told}");
}

#[test]
fn a_gate_does_not_pass_with_a_risk_that_its_debate_does_not_answer() {
    let (stage, drive, id) = planned("outside", "replies: []\n");
    for (seat, file) in
        [("advocate", "advocate"), ("skeptic", "skeptic"), ("operator", "operator"), ("synthesizer", "synthesis")]
    {
        stage.put(&format!("docs/forge/debate/{id}/{file}.md"), words_of(seat));
    }
    let gate = |stage: &Stage| {
        let overview = stage.well(when(4)).overview(&drive).unwrap().unwrap();
        gate_blockers(&overview.snapshot, &overview.step, GateScope::default())
    };
    assert_eq!(gate(&stage), []);
    let document = "docs/forge/phases/brainstorm.md";
    stage.put(document, stage.said(document) + "\n## Risks\n\n- The list leaks (probability: high, impact: high)\n");
    let found = gate(&stage);
    assert!(found.iter().any(|one| one.fact.sentence().contains("does not answer")), "{found:?}");
}

/// Documents that name no workflow are not the next one's.
#[test]
fn the_next_workflow_does_not_live_on_documents_of_the_last() {
    let (stage, drive, _) = planned("outside", "replies: []\n");
    let words = "## Options\n\n- Postcard: slow\n- Mail: cheap\n- Nothing: easy\n";
    stage.put(OPTIONS, words);
    let start = StartSettings { objective: "Choose a mail server".to_owned(), abandon: true };
    let done = stage.well(when(4)).start_workflow(&start, &drive).unwrap().log.done.join("\n");
    assert!(is_named(&stage, words, &done) && done.contains("names no workflow"), "{done}");
    let progress = stage.well(when(5)).continue_workflow(&drive).unwrap();
    assert_eq!(progress.snapshot.state.debate.id, None, "{}", said(&progress));
    // What is listed for the new one counts, with or without its id.
    stage.put(OPTIONS, words);
    let progress = stage.well(when(6)).continue_workflow(&drive).unwrap();
    assert!(progress.snapshot.state.debate.id.is_some(), "{}", said(&progress));
}

#[test]
fn a_gate_names_what_is_missing_of_another_tools_debate() {
    let (stage, drive, id) = planned("outside", "replies: []\n");
    stage.put(&format!("docs/forge/debate/{id}/advocate.md"), words_of("advocate"));
    // A document that is gone makes a move, and moves come before what holds.
    stage.delete("docs/forge/phases/brainstorm.md");
    let overview = stage.well(when(4)).overview(&drive).unwrap().unwrap();
    let found = gate_blockers(&overview.snapshot, &overview.step, GateScope::default());
    assert!(found.iter().any(|one| one.file.ends_with("/operator.md")), "{found:?}");
    assert!(!found.iter().any(|one| one.file == OPTIONS), "{found:?}");
}
