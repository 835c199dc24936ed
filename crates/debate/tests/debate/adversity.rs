//! Debates in which nobody was opposed do not pass.

use crate::ballots::{challenging, draft, say, vote, with};
use crate::gate::{Held, SKEPTIC, held, synthesis};
use crate::world::{self, Ended, Pace, fields, option, run, small_panel};
use forge_debate::datum::Fields;
use forge_debate::form::{Rail, Writer};
use forge_debate::plan::Plan;
use forge_debate::protocols::{decision_ask, gate, judges, panel};
use forge_debate::record::Ask;
use forge_debate::turn::Contribution;
use forge_debate::verdict::{Confidence, Finding, Gravity, Outcome};

const ASKING: &str =
    "- What happens to our data when the vendor is sold?\n- Who pays for the migration back?\n- TBD\n- Who?";

/// A gate whose skeptic asks this and whose synthesis has this in a section.
fn asked_and_said(questions: &str, section: &str, body: &str) -> Held<'static> {
    let asked = SKEPTIC.replace("- Who?\n- What?\n- When?\n- Where?\n- Why?", questions);
    let silent = synthesis("Answers to the Skeptic", None);
    let said = match section {
        "Answers to the Skeptic" => format!("{silent}## {section}\n{body}\n"),
        _ => silent.replace(&format!("## {section}\n"), &format!("## {section}\n{body}\n")),
    };
    Held { skeptic: asked, ..held(said) }
}

fn adverse(held: &Held<'_>) -> Vec<Finding> {
    let of_form = |finding: &Finding| finding.text.starts_with("section ");
    held.end().verdict.findings.into_iter().filter(|finding| !of_form(finding)).collect()
}

#[test]
fn a_synthesis_that_answers_none_of_the_questions_does_not_pass() {
    let gate = asked_and_said(ASKING, "Final Decision", "**Chosen Option:** A");
    let expected = Finding {
        gravity: Gravity::Blocks,
        file: "synthesis.md".to_owned(),
        line: None,
        text: "none of the 3 questions that were asked is answered (1. What happens to our data when the vendor is sold?; \
               2. Who pays for the migration back?; 4. Who?); answer each by its number, such as `Q1: ...`, in any section \
               but Debate Summary or in the ballot's \"answers\""
            .to_owned(),
    };
    let verdict = gate.end().verdict;
    assert_eq!(adverse(&gate), [expected]);
    assert_eq!((verdict.outcome, verdict.confidence), (Outcome::Blocked, Confidence::RequiresInput));
}

#[test]
fn some_answers_pass_and_the_open_questions_are_listed() {
    for (section, body, open) in [
        (
            "Answers to the Skeptic",
            "- Q1: the contract gives it back.",
            "2 of the 3 questions that the skeptic asks not answered (2. Who pays for the migration back?; 4. Who?)",
        ),
        (
            "Fallback Plan",
            "The migration back is what finance pays for.",
            "(1. What happens to our data when the vendor is sold?; 4. Who?)",
        ),
        (
            "Risks Accepted",
            "As to question 4: the platform team holds it.",
            "(1. What happens to our data when the vendor is sold?; 2. Who pays for the migration back?)",
        ),
    ] {
        let gate = asked_and_said(ASKING, section, body);
        let found = adverse(&gate);
        assert_eq!(found.len(), 1, "{body}: {found:?}");
        assert_eq!((found[0].gravity, &*found[0].file), (Gravity::Warns, "synthesis.md"), "{body}");
        assert!(found[0].text.contains(open), "{body}: {}", found[0].text);
        assert_eq!(gate.end().verdict.outcome, Outcome::Decided, "{body}");
    }
}

#[test]
fn all_answers_leave_nothing_to_remark() {
    let body = "1. The contract gives it back.\n2. Finance does, from its budget.\n3. Nothing was asked here.\n4. The platform team does that.";
    assert_eq!(adverse(&asked_and_said(ASKING, "Answers to the Skeptic", body)), []);
}

/// The seed's own format has no section for answers; taking up the questions anywhere but in the summary is enough.
#[test]
fn a_synthesis_in_the_seeds_own_format_passes_when_it_takes_up_the_questions() {
    let taken_up = "The vendor may be sold; our data comes back by contract.";
    let gate = asked_and_said(ASKING, "Final Decision", &format!("**Chosen Option:** A\n\n{taken_up}\n"));
    assert_eq!(gate.blocking(), []);
    let reported = asked_and_said(ASKING, "Debate Summary", taken_up);
    assert_eq!(reported.blocking().len(), 1, "a summary reports the question and does not answer it");
}

#[test]
fn the_ballot_answers_by_number() {
    for (answer, passes) in [("finance pays for it", true), ("finance", false), ("TBD", false)] {
        let gate = asked_and_said(ASKING, "Key Tradeoffs", "Nothing more.");
        let ended = run(&gate.plan, Pace::Waves, |ask, _| match ask.key.stage {
            gate::SYNTHESIS => {
                let ballot = fields! {
                    "options": ["A"], "confidence": "HIGH", "reason": "it weighs most of all",
                    "answers": [fields! { "question": "2", "answer": answer }],
                };
                say(&gate.plan, ask, &gate.synthesis, ballot)
            }
            _ => gate.answer(ask),
        });
        assert_eq!(ended.verdict.outcome == Outcome::Decided, passes, "{answer}: {:?}", ended.verdict.findings);
    }
}

#[test]
fn a_skeptic_who_asks_nothing_keeps_the_gate_shut() {
    for questions in ["- TBD\n- [Question 2]", "Everything looks fine to me.", "- ?", "None."] {
        let gate = asked_and_said(questions, "Final Decision", "**Chosen Option:** A");
        let found = adverse(&gate);
        let blocking: Vec<&Finding> = found.iter().filter(|finding| finding.gravity == Gravity::Blocks).collect();
        assert_eq!(blocking.len(), 1, "{questions}: {found:?}");
        assert_eq!((&*blocking[0].file, blocking[0].line), ("skeptic.md", Some(1)), "{questions}");
        assert!(blocking[0].text.starts_with("nobody challenged anybody: the skeptic asks no question;"), "{found:?}");
    }
}

#[test]
fn questions_without_their_heading_are_questions_still() {
    let headless = SKEPTIC.replace("## Critical Questions", "## What I would ask");
    assert_eq!(Held { skeptic: headless, ..held(synthesis("", None)) }.blocking(), []);
}

#[test]
fn a_risk_analysis_without_a_risk_keeps_the_gate_shut() {
    let row = "| loss | low | high |";
    for (body, blocks) in [
        (row, false),
        ("| | | |", true),
        ("| TBD | | |", true),
        ("| [Risk] | [Low] | [High] |", true),
        ("| None | - | - |", true),
        ("", true),
        ("| 1 | | |\n| loss | low | |", false),
    ] {
        let gate = Held { skeptic: SKEPTIC.replace(row, body), ..held(synthesis("", None)) };
        let texts: Vec<(String, Option<usize>, String)> =
            gate.blocking().into_iter().map(|finding| (finding.file, finding.line, finding.text)).collect();
        let expected = "\"Risk Analysis\" names no risk; a table with at least one filled row is expected".to_owned();
        let wanted = if blocks { vec![("skeptic.md".to_owned(), Some(11), expected)] } else { vec![] };
        assert_eq!(texts, wanted, "{body:?}");
    }
    let missing = SKEPTIC.replace("## Risk Analysis", "## Something Else");
    assert_eq!(Held { skeptic: missing, ..held(synthesis("", None)) }.blocking().len(), 1);
    let table = "| Risk | Probability | Impact |\n|---|---|---|\n| loss | low | high |";
    let prose = SKEPTIC.replace(table, "We may lose a day of writes; unlikely, and bad.");
    let verdict = Held { skeptic: prose, ..held(synthesis("", None)) }.end().verdict;
    assert_eq!(verdict.outcome, Outcome::Decided, "risks in prose are named; {:?}", verdict.findings);
    assert!(verdict.findings.iter().any(|finding| finding.text.contains("no table")));
}

#[test]
fn a_risk_analysis_that_only_says_that_there_is_no_risk_keeps_the_gate_shut() {
    let table = "| Risk | Probability | Impact |\n|---|---|---|\n| loss | low | high |";
    for (body, blocks) in [
        ("None.", true),
        ("There are no risks.", true),
        ("- None", true),
        ("**No significant risks were identified at this time.**", true),
        ("We see nothing.", true),
        ("No known risks.\n\nThere are none.", true),
        ("| Risk | Probability | Impact |\n|---|---|---|\n| No known risks | none | none |", true),
        ("No rollback: a bad write stays.", false),
        ("There are no risks but the loss of a day of writes.", false),
        ("Nothing limits the queue.", false),
    ] {
        let gate = Held { skeptic: SKEPTIC.replace(table, body), ..held(synthesis("", None)) };
        let found = gate.blocking();
        assert_eq!(found.len(), usize::from(blocks), "{body:?}: {found:?}");
        assert!(found.iter().all(|one| one.text.starts_with("\"Risk Analysis\" names no risk")), "{found:?}");
    }
}

/// A decision may honestly accept no risk; one that leaves the table empty has not thought about it.
#[test]
fn risks_accepted_may_be_missing_or_none_and_may_not_be_empty() {
    let head = "| Risk | Owner |\n|---|---|";
    for (body, gravity) in [
        (None, None),
        (Some(head.to_owned()), Some(Gravity::Blocks)),
        (Some(format!("{head}\n| | ... |")), Some(Gravity::Blocks)),
        (Some("TBD".to_owned()), Some(Gravity::Blocks)),
        (Some("None.".to_owned()), Some(Gravity::Warns)),
        (Some("There are no risks.".to_owned()), Some(Gravity::Warns)),
        (Some(format!("{head}\n| None | - |")), Some(Gravity::Warns)),
        (Some(format!("{head}\n| loss of a day | ops |")), None),
    ] {
        let gate = held(synthesis("Risks Accepted", body.as_deref()));
        let said =
            |one: &Finding| one.file == "synthesis.md" && one.text.starts_with("\"Risks Accepted\" names no risk");
        let found: Vec<Finding> = gate.end().verdict.findings.into_iter().filter(said).collect();
        assert_eq!(found.first().map(|one| one.gravity), gravity, "{body:?}: {found:?}");
        assert_eq!(gate.blocking().len(), usize::from(gravity == Some(Gravity::Blocks)), "{body:?}");
    }
}

#[test]
fn a_finding_that_blocks_is_not_said_again_as_a_remark() {
    let gate = asked_and_said("- TBD", "Final Decision", "**Chosen Option:** A");
    let about = |title: &str| gate.end().verdict.findings.iter().filter(|finding| finding.text.contains(title)).count();
    assert_eq!(about("Critical Questions"), 1, "{:?}", gate.end().verdict.findings);
}

/// An agent whose synthesis answers nothing is asked once more; a file that was left is not.
#[test]
fn the_form_of_a_synthesis_asks_for_an_answer_where_there_are_questions() {
    let gate = asked_and_said(ASKING, "Final Decision", "**Chosen Option:** A");
    let ended = gate.end();
    let ask = ended.asked().into_iter().find(|ask| ask.key.stage == gate::SYNTHESIS).unwrap();
    assert_eq!(ask.facts.text("questions"), "3");
    assert!(
        ask.form.rails.iter().any(|rail| matches!(rail, Rail::AnswersQuestions { questions } if questions.len() == 3))
    );
    let reading = ask.form.read(&gate.plan, &ask.key.seat, &draft(&gate.synthesis, None), Writer::Outside);
    let lines = reading.lines();
    assert!(
        lines.iter().any(|line| line.starts_with("none of the 3 questions that were asked is answered")),
        "{lines:?}"
    );
}

/// Judges who differ, then move to A in round 2, citing each other; `challenge` makes their ballots of round 2.
fn moved(plan: &Plan, challenge: impl Fn(&Ask, Fields) -> Fields) -> Ended {
    run(plan, Pace::Waves, |ask, _| {
        let seat = &ask.key.seat;
        let own = match seat.as_str() {
            "risk" => "A",
            "value" => "B",
            _ => "C",
        };
        if ask.key.round == 1 {
            return judge_says(plan, ask, vote(seat, own));
        }
        let cites: Vec<String> = ["S1.a1", "S2.a1"].map(str::to_owned).to_vec();
        judge_says(plan, ask, challenge(ask, with(vote(seat, "A"), "convinced_by", cites)))
    })
}

fn judge_says(plan: &Plan, ask: &Ask, ballot: Fields) -> Contribution {
    say(
        plan,
        ask,
        "## Assessment\nSeen.\n## Recommendation\nOption A.\n## Challenges\nNone.\n## Position\nOption A.",
        ballot,
    )
}

#[test]
fn judges_who_agree_in_a_round_without_a_challenge_leave_it_to_a_person() {
    let plan = world::plan("judges");
    let silent = moved(&plan, |_, ballot| ballot).verdict;
    assert_eq!((silent.outcome, silent.confidence), (Outcome::Contested, Confidence::RequiresInput));
    assert_eq!(silent.options, []);
    assert_eq!(
        silent.findings,
        [Finding {
            gravity: Gravity::Blocks,
            file: "risk-r2.md".to_owned(),
            line: None,
            text: "round 2: nobody challenged anybody; at least one of risk, value, effort should name another speaker in \"challenges\"".to_owned(),
        }]
    );
    let note =
        "round 2: nobody challenged anybody, so the agreement on A (Redis) was never tested; a person must decide";
    assert!(silent.notes.iter().any(|said| said == note), "{:?}", silent.notes);
    let one_is_enough =
        |ask: &Ask, ballot| if ask.key.seat.as_str() == "effort" { challenging(ask, ballot) } else { ballot };
    let held = moved(&plan, one_is_enough).verdict;
    assert_eq!((held.outcome, held.options, held.findings), (Outcome::Consensus, vec![option("A")], vec![]));
}

#[test]
fn a_challenge_to_nobody_who_spoke_is_none() {
    let plan = world::plan("judges");
    for to in ["S0", "S9", "nobody", "me", ""] {
        let challenge =
            |_: &Ask, ballot| with(ballot, "challenges", [fields! { "to": to, "text": "it does not hold" }]);
        // An empty name keeps the list out of the ballot altogether.
        assert_eq!(moved(&plan, challenge).verdict.outcome, Outcome::Contested, "{to:?}");
    }
}

#[test]
fn agreement_in_the_blind_round_owes_nobody_a_challenge() {
    let plan = world::plan("judges");
    let verdict = run(&plan, Pace::Waves, |ask, _| judge_says(&plan, ask, vote(&ask.key.seat, "A"))).verdict;
    assert_eq!((verdict.outcome, verdict.rounds, verdict.findings), (Outcome::Consensus, 1, vec![]));
}

#[test]
fn a_person_can_decide_what_nobody_challenged() {
    let plan = world::plan("judges");
    let mut turns = moved(&plan, |_, ballot| ballot).turns;
    let ask = decision_ask();
    let ballot = fields! { "option": "A", "by": "Ada", "because": "we asked around" };
    turns.insert(ask.key.clone(), world::turn(ask.key.clone(), say(&plan, &ask, "", ballot)));
    let verdict = world::pass(&plan, &turns).unwrap().verdict;
    assert_eq!((verdict.outcome, verdict.options), (Outcome::Decided, vec![option("A")]));
    let gravities: Vec<Gravity> = verdict.findings.iter().map(|finding| finding.gravity).collect();
    assert_eq!(gravities, [Gravity::Warns], "it is still said, and no longer in the way");
}

/// A small panel that holds A; `challenges` says who challenges in which round.
fn panel_held(plan: &Plan, challenges: impl Fn(&Ask) -> bool) -> Ended {
    const TEXT: &str =
        "## Position\nOption A.\n## Moonshot\nAll of it.\n## Stepping Stone\nA part.\n## Chosen Approach\nOption A.";
    run(plan, Pace::Waves, |ask, _| {
        let ballot = match ask.key.stage {
            panel::REFEREE => fields! { "ruling": "continue", "reason": "new arguments still come" },
            panel::REVIEW => fields! { "accurate": true, "reason": "it says what I said" },
            panel::RESPONSE if challenges(ask) => challenging(ask, vote(&ask.key.seat, "A")),
            _ => vote(&ask.key.seat, "A"),
        };
        say(plan, ask, TEXT, ballot)
    })
}

#[test]
fn a_panel_in_which_a_round_has_no_challenge_decides_nothing() {
    let plan = small_panel(2);
    let held = panel_held(&plan, |ask| ask.key.seat.as_str() == "contrarian").verdict;
    assert_eq!((held.outcome, held.options, held.findings), (Outcome::Decided, vec![option("A")], vec![]));
    let silent = panel_held(&plan, |ask| ask.key.round == 1).verdict;
    assert_eq!((silent.outcome, silent.options), (Outcome::Contested, vec![]));
    let found: Vec<(&str, bool)> =
        silent.findings.iter().map(|f| (&*f.file, f.text.starts_with("round 2: nobody challenged anybody"))).collect();
    assert_eq!(found, [("rounds/r02-ceo.md", true)]);
    let never = panel_held(&plan, |_| false).verdict;
    assert_eq!(never.findings.len(), 2, "each silent round is named");
}

/// What a round lacks is about rounds after the blind one, and about several speakers.
#[test]
fn one_judge_left_alone_has_nobody_to_challenge() {
    let plan = world::plan("judges");
    let ended = run(&plan, Pace::Waves, |ask, _| match (ask.key.round, ask.key.seat.as_str()) {
        (2, "risk" | "value") => world::absent(forge_debate::turn::AbsenceKind::Crashed),
        (_, "risk") => judge_says(&plan, ask, vote(&ask.key.seat, "B")),
        (_, "value") => judge_says(&plan, ask, vote(&ask.key.seat, "C")),
        _ => judge_says(&plan, ask, vote(&ask.key.seat, "A")),
    });
    assert_eq!((ended.verdict.outcome, ended.verdict.findings), (Outcome::Insufficient, vec![]));
    assert_eq!(ended.waves[1][0].key.stage, judges::CHALLENGE);
}
