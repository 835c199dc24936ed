//! What people and outside sessions leave in a challenge, in the forms of the seed's home.

use crate::ballots::draft;
use crate::world::{self, challenge_with, fields};
use forge_debate::datum::Fields;
use forge_debate::form::Writer;
use forge_debate::plan::{Hand, Plan};
use forge_debate::protocols::challenge::{ANSWER, CHALLENGE, OPENING, REBUTTAL};
use forge_debate::reading::Reading;
use forge_debate::record::Ask;
use forge_debate::turn::{Contribution, Stage};

const SEATS: [&str; 3] = ["architect", "operator", "adversary"];

/// The ask of a stage in a debate whose challengers all object, moved from outside.
fn ask_of(plan: &Plan, stage: Stage) -> Ask {
    let found = std::cell::RefCell::new(None);
    let _ = world::run(plan, world::Pace::Waves, |ask, _| {
        if ask.key.stage == stage && found.borrow().is_none() {
            *found.borrow_mut() = Some(ask.clone());
        }
        let said = match ask.key.stage {
            OPENING => {
                fields! { "option": "A", "position": "Redis with two nodes", "confidence": "HIGH", "reason": "it replicates well enough" }
            }
            CHALLENGE => {
                fields! { "verdict": "disagree", "objection_strength": "strong", "critique": "nobody sees a late replica", "confidence": "HIGH" }
            }
            REBUTTAL => fields! { "response": "MAINTAIN", "reason": "it is still not seen" },
            ANSWER => fields! { "option": "A", "position": "Redis with two nodes", "confidence": "HIGH" },
            _ => Fields::new(),
        };
        Contribution::Speech(world::speech(said))
    });
    found.into_inner().unwrap()
}

fn plan(count: usize) -> Plan {
    let mut plan = challenge_with(&SEATS[..count], 1);
    plan.seats.iter_mut().for_each(|seat| seat.hand = Hand::Outside);
    plan
}

fn read(plan: &Plan, ask: &Ask, text: &str) -> Reading {
    ask.form.read(plan, &ask.key.seat, &draft(text, None), Writer::Outside)
}

/// The word of a rebuttal, and its reason.
fn rebuttal(text: &str) -> Option<(String, String)> {
    let plan = plan(1);
    let speech = read(&plan, &ask_of(&plan, REBUTTAL), text).speech?;
    Some((speech.ballot.text("response").to_owned(), speech.ballot.text("reason").to_owned()))
}

#[test]
fn a_rebuttal_is_a_labelled_word_with_a_reason() {
    let said = |word: &str, reason: &str| Some((word.to_owned(), reason.to_owned()));
    let because = "the alert is part of it now";
    for text in [
        format!("**Response:** ACCEPT - {because}"),
        format!("**Response:** ACCEPT\n**Reason:** {because}"),
        format!("**My response:** Accept: {because}"),
        format!("**ACCEPT**\n\n{because}"),
        format!("**ACCEPT:** {because}"),
        format!("## ACCEPT\n\n{because}"),
        format!("[x] ACCEPT\n[ ] MAINTAIN\n[ ] ESCALATE\n\n**Why:** {because}"),
        format!("- [X] ACCEPT — {because}\n- [ ] MAINTAIN\n- [ ] ESCALATE"),
    ] {
        assert_eq!(rebuttal(&text), said("ACCEPT", because), "{text}");
    }
    assert_eq!(
        rebuttal("**Response:** escalate\n\nThe owner of the data must say."),
        said("ESCALATE", "The owner of the data must say.")
    );
    for text in [
        "I accept that the alert is there and would maintain nothing.",
        "**Response:** ACCEPT / MAINTAIN / ESCALATE\n**Reason:** the alert is part of it now",
        "[x] ACCEPT\n[x] MAINTAIN\n\n**Why:** the alert is part of it now",
        "**ACCEPT**\n\nthe alert\n\n**MAINTAIN**\n\nthe rest of it",
        "**Response:** ACCEPTABLE, the alert is part of it now",
        "**Response:** MAINTAIN",
    ] {
        assert_eq!(rebuttal(text), None, "{text}");
    }
}

/// To whom, the word, and why.
type Answered = (String, String, String);

/// What an answer says to whom, with the position after it.
fn answers(count: usize, text: &str) -> Option<(Vec<Answered>, String)> {
    let plan = plan(count);
    let ask = ask_of(&plan, ANSWER);
    let speech = read(&plan, &ask, text).speech?;
    let speakers = forge_debate::anonymity::Speakers::of(&plan, &ask.key.seat);
    let one = |entry: &Fields| {
        let to = speakers.seat(entry.text("to")).unwrap().to_string();
        (to, entry.text("answer").to_owned(), entry.text("reason").to_owned())
    };
    let mut all: Vec<_> = speech.ballot.records("answers").into_iter().map(one).collect();
    all.sort();
    Some((all, speech.ballot.text("position").to_owned()))
}

#[test]
fn an_answer_ticks_a_box_for_each_objector() {
    let one = |to: &str, word: &str, reason: &str| (to.to_owned(), word.to_owned(), reason.to_owned());
    let both = "### Response to the Architect\n[x] ACCEPT\n[ ] PARTIALLY ACCEPT\n[ ] REJECT\n**Reasoning:** growth was not bounded before\n\n**Operator:** Nobody sees it.\n\n- [ ] ACCEPT\n- [x] PARTIALLY ACCEPT - an alert, and no second replica\n- [ ] REJECT\n\n**Updated position (if changed):** Redis with a limit and an alert.\n";
    assert_eq!(
        answers(2, both),
        Some((
            vec![
                one("architect", "ACCEPT", "growth was not bounded before"),
                one("operator", "PARTIAL", "an alert, and no second replica")
            ],
            "Redis with a limit and an alert.".to_owned()
        ))
    );
    // With one objector nobody need be named; what did not change stands.
    for same in ["", "unchanged", "N/A", "[new position]"] {
        let text = format!(
            "[ ] ACCEPT\n[ ] PARTIALLY ACCEPT\n[x] REJECT\n\nThe load is flat at all hours.\n\n**Updated position (if changed):** {same}\n"
        );
        let said = answers(1, &text);
        assert_eq!(
            said,
            Some((
                vec![one("architect", "REJECT", "The load is flat at all hours.")],
                "Redis with two nodes".to_owned()
            )),
            "{same}"
        );
    }
    for text in [
        "[ ] ACCEPT\n[ ] PARTIALLY ACCEPT\n[ ] REJECT\n\nThe load is flat at all hours.",
        "[x] ACCEPT\n[ ] PARTIALLY ACCEPT\n[x] REJECT\n\nThe load is flat at all hours.",
        "I accept all of it and change nothing.",
    ] {
        assert_eq!(answers(1, text), None, "{text}");
    }
    // Two objectors and no name: nobody knows whose it is.
    assert_eq!(answers(2, "[x] ACCEPT\n[ ] REJECT\n\nThe load is flat at all hours."), None);
}

#[test]
fn an_opening_by_hand_chooses_only_what_it_chooses_without_a_doubt() {
    let plan = plan(1);
    let ask = ask_of(&plan, OPENING);
    let opening = |position: &str| {
        let text = format!(
            "## CLAUDE'S OPENING POSITION\n\n**My position:** {position}\n\n**Reasoning:**\n1. It survives a restart.\n\n**Confidence:** HIGH\n\n**Potential weaknesses I see:**\n- Memory.\n\n**My assumptions:**\n- Flat load.\n"
        );
        read(&plan, &ask, &text).speech.map(|speech| speech.ballot.text("option").to_owned())
    };
    let [first, second] = [&plan.options[0].label, &plan.options[1].label];
    for position in [
        format!("Use {first} for all sessions."),
        format!("{first}, because it is known."),
        format!("{first} rather than {second}."),
        format!("We choose {first} and keep the database for a month."),
    ] {
        assert_eq!(opening(&position), Some("A".to_owned()), "{position}");
    }
    for position in [
        format!("Not {first}."),
        format!("Either {first} or {second}."),
        "Do what is right here.".to_owned(),
        format!("{first} might do."),
    ] {
        assert_eq!(opening(&position), None, "{position}");
    }
}

/// Everything that is said of a file that does not count.
fn missing(stage: Stage, count: usize, text: &str) -> String {
    let plan = plan(count);
    let reading = read(&plan, &ask_of(&plan, stage), text);
    assert!(reading.speech.is_none(), "{text}");
    reading.required().join("\n")
}

#[test]
fn a_refusal_never_counts_as_giving_way() {
    let labels =
        ["**Response:**", "**My Response:**", "**Verdict:**", "**Decision:**", "- **Rebuttal:**", "## Response:"];
    for label in labels {
        for value in [
            "Accept? No, writes are still lost",
            "Accept nothing of this",
            "Accept the point on cost, maintain the one on failover",
            "accept, but only the cost",
            "ACCEPT - not at all",
            "ACCEPT (if the alert is added)",
            "ACCEPT,\nalthough writes are lost",
            "accept / maintain",
        ] {
            let text = format!("{label} {value}\n\n**Reason:** the writes of a minute are lost\n");
            // A heading ends with its line.
            if label.starts_with('#') && value.contains('\n') {
                continue;
            }
            assert_eq!(rebuttal(&text), None, "{text}");
            let told = missing(REBUTTAL, 1, &text);
            assert!(told.contains("line 1") && told.contains("`**Response:** ACCEPT`"), "{text}\n{told}");
        }
        for menu in ["ACCEPT / MAINTAIN / ESCALATE", "accept / maintain / escalate", "Accept | Maintain | Escalate"] {
            let text = format!("{label} {menu}\n\n**Reason:** the writes of a minute are lost\n");
            assert_eq!(rebuttal(&text), None, "{text}");
            // A menu that was left whole contradicts nothing.
            let ticked = format!("{text}\n[x] MAINTAIN\n");
            assert_eq!(rebuttal(&ticked).map(|(word, _)| word).as_deref(), Some("MAINTAIN"), "{ticked}");
        }
    }
    for value in
        ["Agree? Hardly.", "agree with nothing", "agree, but not on cost", "agree/disagree", "Agree - disagree on cost"]
    {
        let text = format!(
            "**Verdict:** {value}\n**Critique:** the replica is late and nobody sees it\n**Confidence:** HIGH\n"
        );
        let told = missing(CHALLENGE, 1, &text);
        assert!(told.contains("line 1") && told.contains("`**Verdict:** agree`"), "{text}\n{told}");
    }
}

#[test]
fn two_readings_say_nothing_and_both_lines_are_named() {
    let reason = "**Reason:** the alert is part of it now";
    for (lines, text) in [
        ([1, 3], format!("[x] ACCEPT\n[ ] MAINTAIN\n**Response:** MAINTAIN\n{reason}\n")),
        ([1, 2], format!("**Response:** ACCEPT\n**Response:** MAINTAIN\n{reason}\n")),
        ([1, 3], format!("**Response:** MAINTAIN\n\n**My Response:** accept\n\n{reason}\n")),
        ([1, 2], format!("- [x] ACCEPT\n- [x] MAINTAIN\n\n{reason}\n")),
        ([1, 5], format!("## ACCEPT\n\n{reason}\n\n[x] ESCALATE\n")),
    ] {
        let told = missing(REBUTTAL, 1, &text);
        let wanted = format!("lines {} (", lines[0]);
        assert!(told.contains(&wanted) && told.contains(&format!("and {} (", lines[1])), "{text}\n{told}");
        assert!(told.contains("`**Response:** ACCEPT`"), "{text}\n{told}");
    }
    let critique = "**Critique:** the replica is late and nobody sees it\n**Confidence:** HIGH";
    for text in [
        format!("**Verdict:** agree\n{critique}\n**Verdict:** disagree\n"),
        format!("**Verdict:** disagree\n{critique}\n\n- [x] agree\n- [ ] disagree\n"),
        format!("**Verdict:** partial\n**Objection Strength:** minor\n**Objection Strength:** strong\n{critique}\n"),
    ] {
        let told = missing(CHALLENGE, 1, &text);
        assert!(told.contains("contradict each other") && told.contains("lines "), "{text}\n{told}");
    }
    let block = |word: &str| format!("### Architect\n[x] {word}\n\nThe load is flat at all hours.\n\n");
    for (count, text) in [
        (2, format!("{}### Operator\n[x] REJECT\n\nThe load is flat.\n\n{}", block("ACCEPT"), block("REJECT"))),
        (1, "[x] ACCEPT\n[x] REJECT\n\nThe load is flat at all hours.\n".to_owned()),
        (1, "[x] ACCEPT\n[ ] REJECT\n\n**Answer:** REJECT\n\nThe load is flat at all hours.\n".to_owned()),
    ] {
        let told = missing(ANSWER, count, &text);
        assert!(told.contains("contradict each other") && told.contains("`[x]` before one of"), "{text}\n{told}");
    }
    let moved = "[x] ACCEPT\n\nThe load is flat at all hours.\n\n**Updated Position:** Redis with an alert.\n\n**New Position:** Memcached.\n";
    let told = missing(ANSWER, 1, moved);
    assert!(!told.is_empty(), "{told}");
}

/// Files that say something, each with its stage.
fn files() -> Vec<(Stage, String)> {
    [
        (REBUTTAL, "**Response:** MAINTAIN\n\n**Reason:** writes are still lost in a failover\n"),
        (REBUTTAL, "[ ] ACCEPT\n[x] MAINTAIN\n\nWrites are still lost in a failover.\n"),
        (REBUTTAL, "## ESCALATE\n\nThe owner of the data must say.\n"),
        (REBUTTAL, "**Reason:** writes are still lost in a failover\n"),
        (CHALLENGE, "**Verdict:** disagree\n\n**Objection Strength:** strong\n\n**Critique:** nobody sees a late replica\n\n**Confidence:** HIGH\n"),
        (CHALLENGE, "**Critique:** nobody sees a late replica\n\n**Confidence:** HIGH\n"),
        (ANSWER, "### Architect\n\n[ ] ACCEPT\n[x] REJECT\n\nThe load is flat at all hours.\n\n**Updated position (if changed):** unchanged\n"),
        (ANSWER, "[ ] ACCEPT\n[ ] REJECT\n\nThe load is flat at all hours.\n"),
    ]
    .map(|(stage, text)| (stage, text.to_owned()))
    .to_vec()
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(11),
        ..proptest::prelude::ProptestConfig::default()
    })]
    #[test]
    fn quotations_and_code_never_change_what_is_read(
        which in 0..8_usize,
        place in 0..9_usize,
        how in 0..6_usize,
        what in proptest::collection::vec(0..14_usize, 1..5),
    ) {
        const LINES: [&str; 14] = [
            "**Verdict:** agree", "**Response:** ACCEPT", "[x] ACCEPT", "- [x] ACCEPT", "## ACCEPT", "**ACCEPT**",
            "[x] REJECT", "**Objection Strength:** minor", "**Critique:** all is well here", "### Operator",
            "**Updated Position:** Memcached on one node", "**Reason:** all of it is settled", "- [x] agree", "VERDICT: agree",
        ];
        let (stage, text) = files().swap_remove(which);
        let lines: Vec<&str> = what.iter().map(|at| LINES[*at]).collect();
        let said = match how {
            0 => lines.iter().map(|line| format!("> {line}\n")).collect(),
            1 => format!("```\n{}\n```\n", lines.join("\n")),
            2 => format!("~~~\n{}\n~~~\n", lines.join("\n")),
            3 => format!("````md\n```\n{}\n```\n````\n", lines.join("\n")),
            4 => lines.iter().map(|line| format!("> > {line}\n>\n")).collect(),
            _ => format!("<!--\n{}\n-->\n", lines.join("\n")),
        };
        // Between two paragraphs.
        let parts: Vec<&str> = text.trim_end().split("\n\n").collect();
        let (before, after) = parts.split_at(place.min(parts.len()));
        let mixed = [before.join("\n\n"), said, after.join("\n\n")].join("\n\n");
        let plan = plan(1);
        let ask = ask_of(&plan, stage);
        let (alone, beside) = (read(&plan, &ask, &text), read(&plan, &ask, &mixed));
        proptest::prop_assert_eq!(alone.ballot, beside.ballot, "{}", mixed);
        proptest::prop_assert_eq!(alone.speech.is_some(), beside.speech.is_some(), "{}", mixed);
    }
}

/// An agent was given the form: boxes and labels are prose there.
#[test]
fn agents_are_held_to_the_form() {
    let plan = plan(1);
    let ask = ask_of(&plan, REBUTTAL);
    let text = draft("**Response:** ACCEPT - the alert is part of it now", None);
    assert!(ask.form.read(&plan, &ask.key.seat, &text, Writer::Agent).speech.is_none());
}
