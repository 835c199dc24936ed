//! What decisions and risks of debates call for later: read from the debates themselves, not from what is remembered.

use super::walk::{Act, DECISIONS, RISKS, Walked, finish, reach_the_archive, story, when, words_of};
use super::{STATE, drive, staged};
use crate::stage::Stage;
use forge_engine::workflow::{Progress, StartSettings};
use forge_workflow::knowledge::{Decision, Knowledge};
use forge_workflow::next::Blocker;

const RESEARCH: &str = "docs/forge/phases/research.md";

/// In research, after a debate that chose Files and accepted a risk of 6; with an owner, or without one.
fn in_research(owner: &str) -> (Stage, usize) {
    let last = story().iter().position(|act| matches!(act, Act::Leave(["synthesizer"]))).unwrap();
    let stage = staged(Walked::of(story()[..last].to_vec()).end());
    let overview = stage.well(when(last)).overview(&drive()).unwrap().unwrap();
    let open = &overview.snapshot.debate.there().expect("a debate").waiting[0];
    let text = words_of("synthesizer").replace("| high | medium |  |", &format!("| high | medium | {owner} |"));
    stage.put(&open.turn_file, text);
    let progress = go_on(&stage, last + 1);
    assert_eq!(progress.snapshot.state.phase, "research");
    (stage, last + 2)
}

fn go_on(stage: &Stage, number: usize) -> Progress {
    stage.well(when(number)).continue_workflow(&drive()).unwrap()
}

fn why(progress: &Progress) -> (bool, String) {
    let call = progress.step.call.as_ref().expect("a phase that is worked on");
    (call.debate, call.why.clone())
}

fn standing(knowledge: &Knowledge) -> Vec<String> {
    knowledge.standing_decisions().map(|one| one.id.clone()).collect()
}

// seed: S0-76
#[test]
fn an_accepted_risk_with_an_owner_calls_for_nothing_until_its_score_rises() {
    let (stage, after) = in_research("Ada");
    let (debate, said) = why(&go_on(&stage, after));
    assert_eq!((debate, said.as_str()), (false, "research: R1 is accepted by a debate, with an owner"));
    // What was accepted is read from the debate; the state file has no part in it.
    stage.delete(STATE);
    assert!(!why(&go_on(&stage, after)).0);
    stage.edit(RISKS, "| High | Medium | 6 |", "| High | High | 9 |");
    assert_eq!(why(&go_on(&stage, after)), (true, "research: new risk R1 scores 9 >= 6".to_owned()));

    let (stage, after) = in_research("");
    assert_eq!(why(&go_on(&stage, after)), (true, "research: highest active risk R1 scores 6 >= 6".to_owned()));
}

/// What a phase's document says after it was left is held against what was on record then.
// seed: S1-74
#[test]
fn a_document_of_a_phase_that_was_left_still_calls_for_debates() {
    let brainstorm = "docs/forge/phases/brainstorm.md";
    let cases: [(&str, &str, &str, &str); 7] = [
        ("nothing", "", "", ""),
        ("prose", "", "\nWe asked Ann again.\n", ""),
        ("another decision", "", "\n## Decisions\n\n- Buttons are blue\n", ""),
        ("a contradiction", "", "\n## Decisions\n\n- D1 no longer holds\n", "contradicts D1"),
        ("a risk", "", "\n## Risks\n\n- Fire (probability: high, impact: high)\n", "new risk \"Fire\" scores 9"),
        ("components", "components: [a, b, c, d, e]", "", "brainstorm.md: 5 components > 3"),
        ("a challenge", "challenges: [D1]", "", "prior decision D1 challenged"),
    ];
    for (name, front, body, wanted) in cases {
        let (stage, after) = in_research("Ada");
        let key = front.split_inclusive(": ").next().unwrap_or_default();
        let text = match front {
            "" => stage.said(brainstorm),
            front => stage.said(brainstorm).replace(&format!("{key}[]"), front),
        };
        stage.put(brainstorm, text + body);
        let (debate, said) = why(&go_on(&stage, after));
        assert_eq!(debate, !wanted.is_empty(), "{name}: {said}");
        assert!(said.contains(wanted), "{name}: {said}");
    }
}

/// A debate that was called for stays so when a file is deleted; an entry that says otherwise unasks it.
#[test]
fn deleting_a_file_unasks_no_debate() {
    let (stage, after) = in_research("Ada");
    let all = stage.said(RISKS);
    let row = all.lines().find(|line| line.contains("The figures mislead")).unwrap();
    let other = row.replace("The figures mislead", "The disk fills up").replace("R1", "R9");
    let other = format!("{} |\n", other.rsplit_once(" | ").unwrap().0).replace("| Medium | 6 |", "| High | 9 |");
    stage.put(RISKS, format!("{all}{other}"));
    assert!(why(&go_on(&stage, after)).0);
    stage.delete(RISKS);
    for _ in 0..2 {
        let (debate, said) = why(&go_on(&stage, after + 1));
        assert!(debate && said.contains("\"The disk fills up\", which scored 9, called for this debate"), "{said}");
    }
    stage.put(RISKS, format!("{all}{}", other.replace("High | High | 9", "Low | Low | 1")));
    let (debate, said) = why(&go_on(&stage, after + 2));
    assert!(!debate, "{said}");
}

/// What was accepted is a risk in its words, not whatever stands beside the same source.
#[test]
fn another_risk_with_an_accepted_source_calls_for_its_debate() {
    let other = |row: &str| row.replace("R1", "R2").replace("The figures mislead", "The disk fills up");
    type Change = fn(&str, &str) -> String;
    let cases: [(&str, Change, &str); 3] = [
        ("a second row", |all, row| format!("{all}{row}\n"), "R2 scores 6 >= 6"),
        (
            "a second row of 9",
            |all, row| format!("{all}{}\n", row.replace("| Medium | 6 |", "| High | 9 |")),
            "R2 scores 9 >= 6",
        ),
        ("another text", |all, _| all.replace("The figures mislead", "The disk fills up"), "R1 scores 6 >= 6"),
    ];
    for (name, change, wanted) in cases {
        let (stage, after) = in_research("Ada");
        let all = stage.said(RISKS);
        let row = all.lines().find(|line| line.contains("The figures mislead")).unwrap();
        stage.put(RISKS, change(&all, &other(row)));
        let (debate, said) = why(&go_on(&stage, after));
        assert!(debate && said.contains(wanted), "{name}: {said}");
    }
}

/// Without its debate a risk counts as accepted only where a decision shows that the debate was held.
// seed: S0-76
#[test]
fn a_risk_whose_debate_is_gone_is_accepted_only_beside_a_decision_of_it() {
    let (stage, after) = in_research("Ada");
    let debate = stage.well(when(after)).knowledge().unwrap().decisions[0].debate.clone().expect("a debate's decision");
    stage.delete(&format!("docs/forge/debate/{debate}/debate-plan.md"));
    assert!(!why(&go_on(&stage, after)).0, "its decision is on record");
    stage.edit(DECISIONS, &debate, "brainstorm-20200101-000000");
    let (calls, said) = why(&go_on(&stage, after + 1));
    assert!(calls && said.contains("R1 scores 6 >= 6"), "{said}");
}

#[test]
fn what_an_archived_workflow_accepted_does_not_hold_the_next() {
    let (stage, after) = in_research("Ada");
    reach_the_archive(&stage, after);
    let start = StartSettings { objective: "Pick a queue".to_owned(), abandon: false };
    let now = after + 70;
    let begun = stage.well(when(now)).start_workflow(&start, &drive()).unwrap();
    assert_eq!(begun.snapshot.state.completed_phases, ["init"]);
    let overview = stage.well(when(now)).overview(&drive()).unwrap().unwrap();
    let research = overview.coming.iter().find(|one| one.phase == "research").unwrap();
    assert!(!research.call.debate, "{:?}", research.call);
}

/// A person's own high risk is accepted by the debate that names it with an owner, in the same words.
#[test]
fn a_debate_accepts_the_risk_of_a_person_in_its_words() {
    let last = story().iter().position(|act| matches!(act, Act::Leave(["synthesizer"]))).unwrap();
    let stage = staged(Walked::of(story()[..last].to_vec()).end());
    let risks = stage.said(RISKS);
    stage.put(RISKS, format!("{risks}| R1 | The figures mislead | High | Medium | 6 |  | active |  |\n"));
    let overview = stage.well(when(last)).overview(&drive()).unwrap().unwrap();
    let open = &overview.snapshot.debate.there().expect("a debate").waiting[0];
    stage.put(&open.turn_file, words_of("synthesizer").replace("| high | medium |  |", "| high | medium | Ada |"));
    assert_eq!(
        why(&go_on(&stage, last + 1)),
        (false, "research: R1 is accepted by a debate, with an owner".to_owned())
    );
}

/// The debate over a risk of its phase's document answers it, also where it brings its score down.
#[test]
fn a_debate_that_brings_its_own_risk_down_answers_it() {
    const TRIES: usize = 4;
    for rating in ["low | high", "medium | medium", "high | high"] {
        let (stage, after) = in_research("Ada");
        let listed = "\n## Risks\n\n| Risk | Probability | Impact | Owner |\n|---|---|---|---|\n| Relay outage | High | High | Ada |\n";
        finish(&stage, "research", &format!("{listed}\n## Options\n\n- Files\n- Redis\n- Postgres\n"));
        let mut progress = go_on(&stage, after);
        assert!(why(&progress).1.ends_with("new risk \"Relay outage\" scores 9 >= 6"));
        for number in 1..=TRIES {
            for open in &progress.snapshot.debate.there().expect("a debate").waiting {
                let row = format!("| Relay outage | {rating} | Ada |");
                stage.put(
                    &open.turn_file,
                    words_of(&open.seat).replace("| The figures mislead | high | medium |  |", &row),
                );
            }
            progress = go_on(&stage, after + number);
            if progress.snapshot.state.phase != "research" {
                break;
            }
        }
        assert_eq!(progress.snapshot.state.phase, "design", "{rating}: {:?}", progress.step.blockers);
        assert_eq!(stage.said(RISKS).matches("Relay outage").count(), 1, "{rating}: {}", stage.said(RISKS));
    }
}

/// A condition that a person wrote into a handoff stands in the next one too, until it is ticked.
// seed: S1-78
#[test]
fn a_persons_escalation_condition_is_handed_on() {
    const INTO: [&str; 2] =
        ["docs/forge/handoffs/brainstorm-to-research.md", "docs/forge/handoffs/research-to-design.md"];
    let (stage, after) = in_research("Ada");
    let condition = "- [ ] The county closes its relay (*all* of it)\n";
    stage.edit(
        INTO[0],
        "Conditions that require debate before proceeding:\n\n",
        &format!("Conditions that require debate before proceeding:\n\n{condition}"),
    );
    finish(&stage, "research", "");
    assert_eq!(go_on(&stage, after).snapshot.state.phase, "design");
    assert!(stage.said(INTO[1]).contains(condition), "{}", stage.said(INTO[1]));
    stage.edit(INTO[1], "- [ ] The county", "- [x] The county");
    let (debate, said) = why(&go_on(&stage, after + 1));
    assert!(debate && said.contains("The county closes its relay"), "{said}");
}

// seed: S0-75, S1-74
#[test]
fn what_a_debate_turned_down_is_known_from_its_plan() {
    for (text, contradicts) in [
        ("Keep sessions in Redis", true),
        ("Use Postgres", true),
        ("No Redis", false),
        ("Rotate session files daily", false),
        ("Compress old log files", false),
    ] {
        let (stage, after) = in_research("Ada");
        finish(&stage, "research", &format!("\n## Decisions\n\n- {text}\n"));
        let progress = go_on(&stage, after);
        let (debate, said) = progress.step.call.as_ref().map(|call| (call.debate, call.why.clone())).unwrap();
        assert_eq!(debate && progress.snapshot.state.phase == "research", contradicts, "{text}: {said}");
        if contradicts {
            assert!(said.contains(&format!("{text:?} contradicts D1 (Pick a session store: Files)")), "{said}");
            let line = stage.said(RESEARCH).lines().position(|line| line == format!("- {text}")).unwrap() + 1;
            assert!(said.contains(&format!("{RESEARCH}:{line}:")), "{said}");
            assert_eq!(standing(&progress.snapshot.knowledge), ["D1"]);
        }
    }
}

// seed: S1-74
#[test]
fn superseding_by_hand_is_named_with_its_line() {
    let (stage, after) = in_research("Ada");
    let decisions = stage.said(DECISIONS);
    stage.put(DECISIONS, format!("{decisions}\n## D8: Redis after all\n\n- Supersedes: D1\n"));
    let line = stage.said(DECISIONS).lines().position(|line| line.starts_with("## D8")).unwrap() + 1;
    let (debate, said) = why(&go_on(&stage, after));
    assert!(debate && said.contains(&format!("{DECISIONS}:{line}: D8 supersedes D1")), "{said}");
}

/// What a person writes over a debate's decision, or beside it: the record counts, the line is told, and no byte is changed.
// seed: S1-74
#[test]
fn a_debates_decision_is_what_its_record_says() {
    /// What comes of it.
    #[derive(Debug, PartialEq)]
    enum Then {
        /// The phase is held at the decision's line.
        Held,
        /// The line is told.
        Told,
        /// A debate is called for.
        Debated,
        /// Nothing: it says the same.
        Nothing,
    }
    type Change = fn(&str, &str) -> String;
    let cases: [(&str, Change, Then); 18] = [
        ("without its source alone", |all, _| without(all, &["- Source:"]), Then::Nothing),
        ("a weaker kill-switch", |all, _| all.replace("More than 2 ", "More than 200 "), Then::Told),
        ("no kill-switch", |all, _| without(all, &["- Kill-switch:", "  - More than 2 "]), Then::Told),
        (
            "a kill-switch with a box and a day",
            |all, _| all.replace("  - More than 2 ", "  - Due: 2030-01-01\n  - [ ] More than 2 "),
            Then::Nothing,
        ),
        ("both options", |all, title| all.replace(title, "Files and Redis"), Then::Held),
        ("another option", |all, title| all.replace(title, "Pick a session store: Redis"), Then::Held),
        ("another title", |all, title| all.replace(title, "We do nothing"), Then::Held),
        ("without its source", |all, title| without(&all.replace(title, "Redis"), &["- Source:"]), Then::Held),
        ("as one's own", |all, title| without(&all.replace(title, "Redis"), &["- Source:", "- Debate:"]), Then::Held),
        ("a second one under its id", |all, _| format!("{all}\n## D1: Redis\n\n- Status: locked\n"), Then::Held),
        ("withdrawn", |all, _| all.replace("Status: locked", "Status: withdrawn"), Then::Told),
        ("not locked", |all, _| without(all, &["- Status:"]), Then::Told),
        ("a contrary one", |all, title| format!("{all}\n## D8: We drop {}\n", last(title)), Then::Debated),
        (
            "a contrary locked one",
            |all, title| format!("{all}\n## D8: No {}\n\n- Status: locked\n", last(title)),
            Then::Debated,
        ),
        ("by a debate that nobody held", |all, _| format!("{all}{OTHERS}"), Then::Debated),
        (
            "one that keeps it",
            |all, title| format!("{all}\n## D8: No {} for guests (keeps D1)\n", last(title)),
            Then::Nothing,
        ),
        ("one on another matter", |all, _| format!("{all}\n## D8: Use Rust\n\n- Status: locked\n"), Then::Nothing),
        ("other marks", |all, title| all.replace(title, &format!("**{}**", title.to_lowercase())), Then::Nothing),
    ];
    for (name, change, then) in cases {
        let (stage, after) = in_research("Ada");
        let before = stage.said(DECISIONS);
        let title = before.lines().find_map(|line| line.strip_prefix("## D1: ")).unwrap().to_owned();
        stage.put(DECISIONS, change(&before, &title));
        let written = stage.said(DECISIONS);
        let progress = go_on(&stage, after);
        let (debate, why) = why(&progress);
        let is_here = |one: &&Blocker| one.file == DECISIONS && one.line.is_some();
        let held: Vec<&Blocker> = progress.step.blockers.iter().filter(is_here).collect();
        let told: Vec<_> = progress.snapshot.unclear().filter(|one| one.file == DECISIONS).collect();
        let found = match () {
            () if !held.is_empty() => Then::Held,
            () if debate && (why.contains("contradicts D1") || why.contains("supersedes D1")) => Then::Debated,
            () if !told.is_empty() => Then::Told,
            () => Then::Nothing,
        };
        assert_eq!(found, then, "{name}: {why} {held:#?} {told:#?}");
        assert_eq!(stage.said(DECISIONS), written, "{name}: a person's bytes");
        let known = stage.well(when(after)).decisions().unwrap();
        let first = known.decisions.iter().find(|one| one.id == "D1").unwrap();
        assert!(known.stands(first) && first.locked, "{name}");
        assert!(first.kill_switch.iter().any(|one| one.contains("More than 2 rollbacks")), "{name}");
        assert_eq!(first.title.trim_matches('*').to_lowercase(), title.to_lowercase(), "{name}");
        let same = |one: &Decision| (one.id.clone(), one.title.clone(), known.stands(one));
        let read: Vec<_> = progress.snapshot.knowledge.decisions.iter().map(same).collect();
        assert_eq!(known.decisions.iter().map(same).collect::<Vec<_>>(), read, "{name}: both read the same");
    }
}

const OTHERS: &str = "\n## D8: Redis\n\n- Status: locked\n- Supersedes: D1\n- Debate: brainstorm-20250101-101010\n- Source: brainstorm-20250101-101010#D1\n";

fn without(text: &str, starts: &[&str]) -> String {
    let lines = text.lines().filter(|line| !starts.iter().any(|start| line.starts_with(start)));
    lines.map(|line| format!("{line}\n")).collect()
}

fn last(title: &str) -> &str {
    title.rsplit(": ").next().unwrap_or(title)
}

/// What earlier phases left and somebody changed since: nothing waits for it, and it is told.
#[test]
fn what_earlier_phases_left_is_missed() {
    let (stage, after) = in_research("Ada");
    let debate = "docs/forge/debate/brainstorm-20260115-161022";
    stage.put(&format!("{debate}/synthesis.md"), "Something else.");
    stage.delete("docs/forge/handoffs/init-to-brainstorm.md");
    let told: Vec<String> =
        go_on(&stage, after).snapshot.unclear().map(|one| format!("{}: {}", one.file, one.text)).collect();
    let synthesis = format!("{debate}/synthesis.md: changed since it was taken in");
    for part in [synthesis.as_str(), "docs/forge/handoffs/init-to-brainstorm.md is gone"] {
        assert!(told.iter().any(|line| line.contains(part)), "{part}: {told:#?}");
    }
}
