//! Forms: what becomes a turn, what is asked for again, and what is not taken.

use crate::ballots::{draft, left_outside, vote, with};
use crate::world::{self, IntoDatum, fields, seat};
use forge_debate::anonymity::Speakers;
use forge_debate::datum::{Datum, Fields};
use forge_debate::form::{
    BALLOT_LIST_LIMIT, BallotBlock, Draft, Field, Form, Kind, Need, Rail, SectionRule, Shape, Writer,
};
use forge_debate::plan::Plan;
use forge_debate::reading::is_rubber_stamp;
use forge_debate::record::Ask;
use forge_prose::blanks::is_placeholder;
use forge_prose::measure::{items, sentences, table_rows};
use proptest::prelude::*;

fn plan() -> Plan {
    world::plan("judges")
}

/// One section of a shape, under `Section`.
fn shaped(shape: Shape) -> &'static [SectionRule] {
    Box::leak(Box::new([SectionRule { title: "Section", need: Need::Due, shape, hint: "a hint" }]))
}

fn check_shape(shape: Shape, body: &str, fits: bool) {
    let form = Form::new("test", shaped(shape), &[], BallotBlock::Optional);
    let reading = form.read(&plan(), &seat("risk"), &draft(&format!("## Section\n{body}"), None), Writer::Agent);
    assert!(reading.speech.is_some(), "a shape is asked for again, and then the turn stands");
    assert_eq!(reading.defects.is_empty(), fits, "{shape:?} {body:?}: {:?}", reading.defects);
    assert!(reading.defects.iter().all(|defect| defect.line == Some(1)), "{:?}", reading.defects);
}

#[test]
fn a_section_has_the_shape_that_the_form_says() {
    for (shape, body, fits) in [
        (Shape::Text, "Anything.", true),
        (Shape::Sentences(3), "One. Two! Three?", true),
        (Shape::Sentences(3), "One.\n\nTwo.\nThree", true),
        (Shape::Sentences(3), "One. Two. Three. Four.", false),
        (Shape::Sentences(1), "Version 7.2 is fine", true),
        (Shape::Sentences(2), "Some stores, e.g. Redis, replicate. Others do not.", true),
        (Shape::Items(2), "- one\n- two", true),
        (Shape::Items(2), "1. one\n2) two", true),
        (Shape::Items(2), "- one", false),
        (Shape::Items(1), "No list at all.", false),
        (Shape::Questions(5), "- a?\n- b?\n- c?\n- d?\n- e?", true),
        (Shape::Questions(5), "a? b? c? d?", false),
        (
            Shape::Table(&["Probability", "Impact"]),
            "| Risk | Probability | Impact |\n|---|---|---|\n| loss | low | high |",
            true,
        ),
        (
            Shape::Table(&["Probability", "Impact"]),
            "| Risk | Likelihood | Impact |\n|---|---|---|\n| loss | low | high |",
            false,
        ),
        (Shape::Table(&["Risk"]), "| Risk |\n|---|", false),
        (Shape::Table(&["Risk"]), "no table", false),
        (
            Shape::Mentions(&["Optimistic", "Realistic", "Pessimistic"]),
            "optimistic 1, REALISTIC 2, pessimistic 3",
            true,
        ),
        (Shape::Mentions(&["Optimistic", "Realistic", "Pessimistic"]), "optimistic 1, pessimistic 3", false),
    ] {
        check_shape(shape, body, fits);
    }
}

#[test]
fn a_section_that_must_be_there_keeps_the_turn_out_and_others_do_not() {
    for (need, text, taken, defects) in [
        (Need::Required, "## Other\nx", false, 1),
        (Need::Required, "## Section\n", false, 1),
        (Need::Required, "## Section\nTBD", false, 1),
        (Need::Required, "## Section\nText.", true, 0),
        (Need::Due, "## Other\nx", true, 1),
        (Need::Due, "## Section\n[...]", true, 1),
        // Named where something else is asked for again, and never by itself.
        (Need::Optional, "## Other\nx", true, 1),
    ] {
        let rules: &'static [SectionRule] =
            Box::leak(Box::new([SectionRule { title: "Section", need, shape: Shape::Text, hint: "a hint" }]));
        let reading = Form::new("test", rules, &[], BallotBlock::Optional).read(
            &plan(),
            &seat("risk"),
            &draft(text, None),
            Writer::Agent,
        );
        assert_eq!(
            (reading.speech.is_some(), reading.defects.len()),
            (taken, defects),
            "{need:?} {text:?}: {:?}",
            reading.defects
        );
        assert_eq!(reading.is_whole(), defects == 0 || need == Need::Optional);
        let owed = reading.speech.map_or(0, |speech| speech.shortcomings.len());
        assert_eq!(owed, usize::from(need == Need::Due), "only what is due is owed: {need:?} {text:?}");
    }
}

#[test]
fn a_duplicated_heading_is_named_with_its_line() {
    let form = Form::new("test", shaped(Shape::Text), &[], BallotBlock::Optional);
    let reading = form.read(&plan(), &seat("risk"), &draft("## Section\na\n## Section\nb", None), Writer::Agent);
    assert_eq!(reading.lines(), ["line 3: section \"Section\" stands here again (first on line 1)"]);
}

/// A form with one field of this kind.
fn field(kind: Kind, need: Need) -> Form {
    let fields: &'static [Field] =
        Box::leak(Box::new([Field { name: "field", kind, need, help: "a hint", also: &["Other Name"] }]));
    Form::new("test", &[], fields, BallotBlock::Required)
}

fn accepted(kind: Kind, value: impl IntoDatum) -> Result<Datum, String> {
    let reading = field(kind, Need::Required).read(
        &plan(),
        &seat("risk"),
        &draft("Text.", Some(fields! { "field": value })),
        Writer::Agent,
    );
    match reading.speech {
        Some(speech) => Ok(speech.ballot.get("field").unwrap().clone()),
        None => Err(reading.lines().join("; ")),
    }
}

#[test]
fn ballot_values_are_taken_in_their_spellings_and_kept_in_one() {
    const WORDS: Kind = Kind::Word(&["HIGH", "MEDIUM", "LOW"]);
    const GO: Kind = Kind::Word(&["GO", "NO-GO"]);
    for (kind, value, expected) in [
        (Kind::Option, "option b".into_datum(), Some("B".into_datum())),
        (Kind::Option, "D".into_datum(), None),
        (Kind::Option, true.into_datum(), None),
        (Kind::Options, ["A", "Memcached"].into_datum(), Some(["A", "B"].into_datum())),
        (Kind::Options, "B".into_datum(), Some(["B"].into_datum())),
        (Kind::Options, ["A", "D"].into_datum(), None),
        (Kind::Options, Datum::List(vec![]), None),
        (WORDS, "medium".into_datum(), Some("MEDIUM".into_datum())),
        (WORDS, "Med".into_datum(), Some("MEDIUM".into_datum())),
        (WORDS, "**High**".into_datum(), Some("HIGH".into_datum())),
        (WORDS, "certain".into_datum(), None),
        (GO, "no go".into_datum(), Some("NO-GO".into_datum())),
        (Kind::Flag, "Yes".into_datum(), Some(true.into_datum())),
        (Kind::Flag, false.into_datum(), Some(false.into_datum())),
        (Kind::Flag, "maybe".into_datum(), None),
        (Kind::Flag, Datum::Number("1".to_owned()), None),
        (Kind::Text(3), "one two three".into_datum(), Some("one two three".into_datum())),
        (Kind::Text(3), "one two".into_datum(), None),
        (Kind::Text(1), "TBD".into_datum(), None),
        (Kind::Text(0), "".into_datum(), Some("".into_datum())),
        (Kind::Texts(1), ["x"].into_datum(), Some(["x"].into_datum())),
        (Kind::Texts(1), "x".into_datum(), Some(["x"].into_datum())),
        (Kind::Texts(1), Datum::List(vec![]), None),
        (Kind::Texts(0), vec!["x"; BALLOT_LIST_LIMIT].into_datum(), Some(vec!["x"; BALLOT_LIST_LIMIT].into_datum())),
        (Kind::Texts(0), vec!["x"; BALLOT_LIST_LIMIT + 1].into_datum(), None),
        (Kind::Option, Datum::Null, None),
    ] {
        assert_eq!(accepted(kind, value.clone()).ok(), expected, "{kind:?} {value}");
    }
}

#[test]
fn a_value_that_is_not_taken_is_named_with_what_was_expected() {
    for (said, part) in [
        (accepted(Kind::Option, "Z"), "the options are A (Redis), B (Memcached), C (Postgres table)"),
        (accepted(Kind::Word(&["GO", "NO-GO"]), "perhaps"), "expected one of GO, NO-GO"),
        (accepted(Kind::Flag, "perhaps"), "expected true or false"),
        (accepted(Kind::Text(3), "no"), "has 1 word; at least 3"),
    ] {
        assert!(said.as_ref().is_err_and(|said| said.contains(part)), "{said:?}");
    }
}

#[test]
fn a_reply_without_a_ballot_is_not_a_turn_where_one_is_required() {
    let form = field(Kind::Option, Need::Required);
    for (draft, writer, taken) in [
        (draft("I vote for option B.", None), Writer::Agent, false),
        (draft("I vote for option B.", None), Writer::Outside, false),
        (draft("**Field:** B", None), Writer::Agent, false),
        (draft("**Field:** B", None), Writer::Outside, true),
        (draft("**Other Name:** B", None), Writer::Outside, true),
        (draft("", None), Writer::Outside, false),
        (Draft { ballot_problem: Some("half a JSON".to_owned()), ..draft("B", None) }, Writer::Agent, false),
        (
            Draft { problems: vec!["not UTF-8".to_owned()], ..draft("B", Some(fields! { "field": "B" })) },
            Writer::Agent,
            false,
        ),
    ] {
        let reading = form.read(&plan(), &seat("risk"), &draft, writer);
        assert_eq!(reading.speech.is_some(), taken, "{writer:?} {:?}: {:?}", draft.text, reading.defects);
        assert_eq!(reading.defects.is_empty(), taken);
    }
}

#[test]
fn the_ballot_outweighs_a_label_in_the_text() {
    let form = field(Kind::Option, Need::Required);
    let reading =
        form.read(&plan(), &seat("risk"), &draft("**Field:** A", Some(fields! { "field": "B" })), Writer::Outside);
    assert_eq!(reading.speech.unwrap().ballot.text("field"), "B");
}

/// The asks of a running judges debate, round 2, for `value`.
fn second_round() -> (Plan, Ask) {
    let plan = plan();
    let mut turns = world::Turns::new();
    for (ask, option) in world::pass(&plan, &turns).unwrap_err().into_iter().zip(["A", "B", "C"]) {
        let contribution = crate::ballots::say(&plan, &ask, "Said.", vote(&ask.key.seat, option));
        turns.insert(ask.key.clone(), world::turn(ask.key, contribution));
    }
    let ask = world::pass(&plan, &turns).unwrap_err().into_iter().find(|ask| ask.key.seat.as_str() == "value").unwrap();
    (plan, ask)
}

fn rail_defects(ballot: Fields) -> Vec<String> {
    let (plan, ask) = second_round();
    let text = "## Challenges\nThose.\n## Position\nOption B.\n## What Is Lost\n- A second of every login.";
    ask.form.read(&plan, &ask.key.seat, &draft(text, Some(ballot)), Writer::Agent).lines()
}

fn challenging(option: &str, to: &str) -> Fields {
    with(vote(&seat("value"), option), "challenges", [fields! { "to": to, "text": "that does not hold" }])
}

// seed: S3-8, S3-40, S3-42
#[test]
fn rails_hold_a_second_round_to_challenging_and_to_giving_causes() {
    for (ballot, expected) in [
        (challenging("B", "S1"), vec![]),
        (challenging("B", "Speaker 2"), vec![]),
        (challenging("B", "S7"), vec!["no position is challenged"]),
        (challenging("B", "value"), vec!["no position is challenged"]),
        (with(vote(&seat("value"), "B"), "challenges", Datum::List(vec![])), vec!["no position is challenged"]),
        (challenging("A", "S1"), vec!["the option changed from B to A"]),
        (with(challenging("A", "S1"), "convinced_by", ["S1.a1"]), vec![]),
        (with(challenging("B", "S1"), "reason", "looks good to me"), vec!["says too little of its own"]),
    ] {
        let found = rail_defects(ballot.clone());
        assert_eq!(found.len(), expected.len(), "{ballot:?}: {found:?}");
        assert!(found.iter().zip(&expected).all(|(line, part)| line.contains(part)), "{ballot:?}: {found:?}");
    }
}

/// The rail names those who spoke. Someone who said nothing cannot be challenged.
// seed: S3-40
#[test]
fn a_challenge_to_a_seat_that_did_not_speak_is_none() {
    let (plan, ask) = second_round();
    let speakers = Speakers::of(&plan, &seat("value"));
    let (there, gone) = (speakers.prefix(&seat("risk")), speakers.prefix(&seat("effort")));
    let mut form = Form::clone(&ask.form);
    form.rails = vec![Rail::OwesChallenge { peers: vec![there.clone()] }];
    for (to, owed) in [(&there, false), (&gone, true)] {
        let reading = form.read(
            &plan,
            &ask.key.seat,
            &draft("## Challenges\nX.\n## Position\nOption B.", Some(challenging("B", to))),
            Writer::Agent,
        );
        assert_eq!(
            reading.lines().iter().any(|line| line.contains("no position is challenged")),
            owed,
            "{to}: {:?}",
            reading.lines()
        );
    }
}

// seed: S3-19
#[test]
fn the_seeds_own_spellings_count_for_outside_writers() {
    let plan = plan();
    let ask = &world::pass(&plan, &world::Turns::new()).unwrap_err()[0];
    for label in ["Chosen Option", "Recommended Option", "Recommendation", "Vote", "option"] {
        let text =
            format!("**{label}:** B\n**Confidence:** Med\n**Rationale:** one binary, no cluster, four people run it\n");
        let speech = left_outside(&plan, ask, &text);
        assert_eq!((speech.ballot.text("option"), speech.ballot.text("confidence")), ("B", "MEDIUM"), "{label}");
    }
}

// seed: S2-40
#[test]
fn assent_without_a_ground_is_a_rubber_stamp() {
    for reason in
        ["LGTM", "Looks good to me.", "I agree", "sounds good!", "Ship it", "", "ok", "yes yes", "no objections"]
    {
        assert!(is_rubber_stamp(reason, ""), "{reason:?}");
    }
    for reason in [
        "I agree because failover was tested under load",
        "It halves the p99 latency",
        "Redis replicates sessions twice",
    ] {
        assert!(!is_rubber_stamp(reason, ""), "{reason:?}");
    }
}

#[test]
fn placeholders_are_told_from_text() {
    for text in [
        "",
        " ",
        "TBD",
        "tbd.",
        "**TBD**",
        "TODO",
        "[...]",
        "[Clear choice]",
        "{{decision}}",
        "{{ decision }}",
        "...",
        "-",
        "N/A",
        "to be decided",
        "<fill in>",
        "TBD: later",
        "TBD by Friday",
        "- [Condition]: [Specific, measurable threshold]",
    ] {
        assert!(is_placeholder(text), "{text:?}");
    }
    for text in [
        "Redis",
        "None",
        "Not to be decided here",
        "See [the plan](plan.md)",
        "[Redis](https://redis.io) it is",
        "a < b > c",
        "A",
        "tbdx",
    ] {
        assert!(!is_placeholder(text), "{text:?}");
    }
}

/// A sentence between two bracketed references is a sentence.
#[test]
fn text_that_begins_and_ends_with_brackets_is_not_a_template() {
    for text in ["[A] is chosen for its speed, see [1]", "[Redis] beats [Memcached]"] {
        assert!(!is_placeholder(text), "{text:?}");
    }
}

#[test]
fn lists_tables_and_sentences_are_found_in_markdown() {
    assert_eq!(items("- a\n* b\n+ c\n1. d\n2) e\n\ntext\n-not\n1234. no"), ["a", "b", "c", "d", "e"]);
    assert_eq!(table_rows("text\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n| x |"), ["| a | b |", "| 1 | 2 |"]);
    assert_eq!((sentences(""), sentences("One"), sentences("One. Two."), sentences("Version 7.2 runs.")), (0, 1, 2, 1));
}

/// What `items` promises of itself: the items nested under each are kept out, however they are indented.
#[test]
fn nested_items_are_not_items() {
    for body in ["- a\n  - nested\n- b", "- a\n    - nested\n- b", "- a\n\t- nested\n- b", "1. a\n   - nested\n2. b"] {
        assert_eq!(items(body), ["a", "b"], "{body:?}");
    }
}

#[test]
fn every_form_describes_each_of_its_parts_with_an_example_ballot() {
    for protocol in forge_debate::protocols::ALL {
        let plan = world::plan(protocol.profile.name);
        for ask in world::pass(&plan, &world::Turns::new()).unwrap_err() {
            let text = ask.form.describe(&plan);
            for rule in &ask.form.sections {
                assert!(text.contains(&format!("## {}", rule.title)), "{}: {}", ask.form.name, rule.title);
            }
            for field in &ask.form.fields {
                assert!(
                    text.contains(&format!("\"{}\"", field.name)) && text.contains(field.help),
                    "{}: {}",
                    ask.form.name,
                    field.name
                );
            }
            assert_eq!(text.matches("```json").count(), if ask.form.fields.is_empty() { 0 } else { 2 }, "{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(5), ..ProptestConfig::default() })]

    /// Replies are broken input until shown otherwise: any text may come, and none may end the program.
    #[test]
    fn no_text_breaks_a_reader(text in any::<String>(), markup in "[-*#|\\[\\](){}<>.:?!0-9A-Ca-z§é \n\t]{0,80}") {
        let mut gate = world::plan("gate");
        gate.options = world::options(&["Redis", "Redis Cluster", "C++"]);
        for said in [&text, &markup] {
            let _ = (is_placeholder(said), is_rubber_stamp(said, said), items(said), table_rows(said), sentences(said));
            let _ = (gate.option_meant(said), forge_debate::plan::check_id(said), forge_debate::turn::title_matches(said, "Final Decision"));
            let _ = (forge_debate::voting::Threshold::parse(said), forge_debate::triage::classify(said), forge_debate::digest::Digest::parse(said));
            let _ = (Speakers::of(&gate, &seat("skeptic")).seat(said), forge_debate::plan::nearest(said, ["gate"]));
            let fenced = forge_debate::brief::fenced(said, said, &gate.nonce());
            prop_assert_eq!(fenced.matches(&gate.nonce()).count(), 2);
            for ask in world::pass(&gate, &world::Turns::new()).unwrap_err() {
                let body = format!("## Core Argument\n{said}\n## Critical Questions\n{said}\n1. {said}?\n## Risks Accepted\n|a|\n|{said}|\n## Final Decision\n{said}\n## Kill-Switch Criteria\n{said}\n## Go/No-Go Recommendation\n{said}");
                let ballot = fields! { "option": said.as_str(), "confidence": said.as_str(), "arguments": said.as_str(), "recommendation": said.as_str() };
                let reading = ask.form.read(&gate, &ask.key.seat, &draft(&body, Some(ballot)), Writer::Outside);
                if let Some(speech) = reading.speech {
                    let turn = world::turn(ask.key.clone(), forge_debate::turn::Contribution::Speech(speech));
                    if let Some(speech) = turn.speech() {
                        let chosen = forge_debate::protocols::gate::decided_option(&gate, speech);
                        let _ = forge_debate::protocols::gate::findings(&gate, &[&turn], &turn, &chosen);
                    }
                }
            }
        }
    }
}
