//! Quotes of supplied material: what counts as one, and when it stands where it is said to.

use crate::world::{self, absent, fields, key, seat, speech, turn};
use forge_debate::datum::Fields;
use forge_debate::grounding::{self, Grounding, QUOTES_LIMIT, grounded_seats};
use forge_debate::plan::{Duty, Hand, MATERIAL_LIMIT_BYTES, Material, Plan, Seat};
use forge_debate::turn::{AbsenceKind, Contribution, Speech, Stage, Turn};

const OPENING: Stage = Stage("opening");
const SPEC: &str = "# Sessions\n\nA session lives for thirty minutes\nafter the last request.\n\nTokens are \"opaque\" to clients; they carry no claims.\nThe café keeps its naïve rules.\n";
const NOTES: &str = "Logout must work within one second.\r\nOn every device,\r\nand for every user.\r\n";

fn plan() -> Plan {
    let mut plan = world::plan("judges");
    let material = |name: &str, text: &str| Material { name: name.to_owned(), text: text.to_owned() };
    plan.materials = vec![material("docs/spec.md", SPEC), material("rfc-7519.txt", NOTES)];
    plan
}

fn said(text: &str, ballot: Fields) -> Turn {
    said_by("risk", 1, text, ballot)
}

fn said_by(name: &str, round: u16, text: &str, ballot: Fields) -> Turn {
    let spoken = Speech { text: text.to_owned(), ..speech(ballot) };
    turn(key(OPENING, round, name), Contribution::Speech(spoken))
}

fn risk(plan: &Plan, turns: &[Turn]) -> Grounding {
    let turns: Vec<&Turn> = turns.iter().collect();
    grounding::of(plan, &turns).into_iter().find(|grounding| grounding.seat == seat("risk")).unwrap()
}

/// `spec.md:3` for a quote that stands there, `spec.md:no` for one that does not.
fn outline(grounding: &Grounding) -> Vec<String> {
    let place = |quote: &grounding::Quote| match &quote.found {
        Some(place) => format!("{} -> {}:{}", quote.source, place.material, place.line),
        None => format!("{} -> no", quote.source),
    };
    grounding.quotes.iter().map(place).collect()
}

fn ballot(source: &str, text: &str) -> Fields {
    quotes(&[(source, text)])
}

fn quotes(all: &[(&str, &str)]) -> Fields {
    let rows: Vec<Fields> = all.iter().map(|(source, text)| fields! { "source": *source, "text": *text }).collect();
    fields! { "quotes": rows }
}

/// One quote in the ballot, and where it is found.
fn check_ballot(source: &str, text: &str, expected: &[&str]) {
    assert_eq!(outline(&risk(&plan(), &[said("", ballot(source, text))])), expected, "{source}: {text:?}");
}

#[test]
fn words_are_found_verbatim_with_their_line() {
    check_ballot("docs/spec.md", "A session lives for thirty minutes", &["docs/spec.md -> docs/spec.md:3"]);
    check_ballot("spec.md", "after the last request", &["spec.md -> docs/spec.md:4"]);
    check_ballot("spec", "they carry no claims", &["spec -> docs/spec.md:6"]);
    check_ballot("SPEC.md", "The café keeps its naïve rules.", &["SPEC.md -> docs/spec.md:7"]);
    check_ballot("`spec.md:3`", "A session lives for", &["`spec.md:3` -> docs/spec.md:3"]);
    check_ballot("spec.md, line 3", "A session lives for", &["spec.md, line 3 -> docs/spec.md:3"]);
    check_ballot("section 1 of spec.md", "A session lives for", &["section 1 of spec.md -> docs/spec.md:3"]);
}

#[test]
fn white_space_quotation_marks_and_hidden_characters_are_folded() {
    check_ballot("spec.md", "lives  for thirty minutes\n after the\tlast request", &["spec.md -> docs/spec.md:3"]);
    check_ballot("spec.md", "lives\u{a0}for thirty minutes", &["spec.md -> docs/spec.md:3"]);
    check_ballot("spec.md", "lives for thir\u{ad}ty min\u{200b}utes", &["spec.md -> docs/spec.md:3"]);
    check_ballot("spec.md", "Tokens are “opaque” to clients", &["spec.md -> docs/spec.md:6"]);
    check_ballot("spec.md", "“Tokens are \"opaque\" to clients”", &["spec.md -> docs/spec.md:6"]);
    check_ballot("spec.md", "> Tokens are \"opaque\" to clients", &["spec.md -> no"]);
    check_ballot("rfc-7519.txt", "within one second. On every device,\nand", &["rfc-7519.txt -> rfc-7519.txt:1"]);
    check_ballot("rfc-7519.txt", "and for every user", &["rfc-7519.txt -> rfc-7519.txt:3"]);
}

#[test]
fn a_final_stop_belongs_to_the_sentence_that_quotes() {
    check_ballot("spec.md", "A session lives for thirty minutes.", &["spec.md -> docs/spec.md:3"]);
    check_ballot("spec.md", "A session lives for thirty minutes,", &["spec.md -> docs/spec.md:3"]);
    check_ballot("spec.md", "A session lives for thirty minutes!", &["spec.md -> no"]);
}

#[test]
fn other_words_other_case_parts_of_words_and_other_sources_are_not_verified() {
    check_ballot("spec.md", "A session lives for sixty minutes", &["spec.md -> no"]);
    check_ballot("spec.md", "a session lives for thirty minutes", &["spec.md -> no"]);
    check_ballot("spec.md", "ssion lives for thirty", &["spec.md -> no"]);
    check_ballot("spec.md", "session lives for thir", &["spec.md -> no"]);
    check_ballot("rfc-7519.txt", "A session lives for thirty minutes", &["rfc-7519.txt -> no"]);
    check_ballot("handbook.md", "A session lives for thirty minutes", &["handbook.md -> no"]);
    // A form takes no quote without its source.
    check_ballot("", "A session lives for thirty minutes", &[]);
}

#[test]
fn fewer_than_three_words_are_no_quote() {
    check_ballot("spec.md", "thirty minutes", &[]);
    check_ballot("spec.md", "… — thirty minutes ...", &[]);
}

#[test]
fn an_ellipsis_splits_a_quote_into_parts_in_order() {
    for mark in ["…", "...", "[...]", "[…]", " ... "] {
        check_ballot("spec.md", &format!("A session lives{mark}Tokens are \"opaque\""), &["spec.md -> docs/spec.md:3"]);
        check_ballot("spec.md", &format!("Tokens are \"opaque\"{mark}A session lives"), &["spec.md -> no"]);
        check_ballot("spec.md", &format!("A session lives{mark}last request"), &["spec.md -> no"]);
        check_ballot("spec.md", &format!("{mark}after the last request{mark}"), &["spec.md -> docs/spec.md:4"]);
    }
    let mut plan = plan();
    plan.materials[0].text = "wait for it ... and then go\n".to_owned();
    let literal = said("", ballot("spec.md", "for it ... and then"));
    assert_eq!(outline(&risk(&plan, &[literal])), ["spec.md -> docs/spec.md:1"], "the text's own dots are words of it");
}

#[test]
fn quotation_marks_in_prose_are_not_looked_at() {
    let prose = "\"A session lives for thirty minutes\" (spec.md)\n> and for every user (rfc-7519.txt)\n";
    assert_eq!(risk(&plan(), &[said(prose, Fields::new())]).quotes, []);
}

#[test]
fn the_same_words_of_the_same_text_count_once() {
    let words = "A session lives for thirty minutes";
    let turns = [
        said("", quotes(&[("spec", words), ("docs/spec.md:3", "“A session  lives for thirty minutes”")])),
        said_by("risk", 2, "", quotes(&[("spec.md", words), ("rfc-7519", words)])),
    ];
    assert_eq!(outline(&risk(&plan(), &turns)), ["spec -> docs/spec.md:3", "rfc-7519 -> no"]);
}

#[test]
fn a_name_that_several_materials_have_means_any_of_them() {
    let mut plan = plan();
    plan.materials.push(Material { name: "old/spec.md".to_owned(), text: "Sessions never end at all.".to_owned() });
    let lives = "A session lives for";
    let turns = [said("", quotes(&[("spec", lives), ("spec.md", "Sessions never end"), ("old/spec.md", lives)]))];
    assert_eq!(
        outline(&risk(&plan, &turns)),
        ["spec -> docs/spec.md:3", "spec.md -> old/spec.md:1", "old/spec.md -> no"]
    );
}

#[test]
fn seats_come_in_the_plans_order_with_what_they_quoted() {
    let mut plan = plan();
    let officers = [("referee", Duty::Referee), ("framer", Duty::Framer), ("control", Duty::Control)];
    let more = [("lead", Duty::Lead), ("synthesizer", Duty::Synthesizer)];
    for (name, duty) in officers.into_iter().chain(more) {
        plan.seats.push(Seat {
            id: seat(name),
            role: name.to_owned(),
            duty,
            hand: Hand::Human,
            family: None,
            context_file: None,
        });
    }
    let good = || ballot("spec.md", "A session lives for thirty minutes");
    let turns = [
        said_by("synthesizer", 1, "", good()),
        said_by("lead", 1, "", good()),
        said_by("control", 1, "", good()),
        said_by("referee", 1, "", good()),
        said_by("framer", 1, "", good()),
        said_by("person", 1, "", good()),
        turn(key(OPENING, 1, "effort"), absent(AbsenceKind::TimedOut)),
        said_by("value", 1, "I quote nothing.", Fields::new()),
        said_by("risk", 1, "", ballot("spec.md", "no such words here")),
        said_by("risk", 2, "", good()),
    ];
    let turns: Vec<&Turn> = turns.iter().collect();
    let found = grounding::of(&plan, &turns);
    let shares: Vec<(&str, usize, usize)> =
        found.iter().map(|g| (g.seat.as_str(), g.verified(), g.quotes.len())).collect();
    assert_eq!(shares, [("risk", 1, 2), ("value", 0, 0), ("lead", 1, 1), ("synthesizer", 1, 1)]);
    assert_eq!(found[0].quotes[1].turn, key(OPENING, 2, "risk"));
    assert_eq!(grounded_seats(&plan, &turns), [seat("risk"), seat("lead"), seat("synthesizer")]);
}

#[test]
fn without_material_there_is_nothing_to_quote() {
    let mut plan = plan();
    plan.materials.clear();
    let turns = [said("", ballot("spec.md", "A session lives for thirty minutes"))];
    let turns: Vec<&Turn> = turns.iter().collect();
    assert_eq!(grounding::of(&plan, &turns), []);
    assert_eq!(grounded_seats(&plan, &turns), []);
}

#[test]
fn a_verdict_carries_what_its_seats_quoted() {
    let mut plan = plan();
    plan.protocol = world::plan("judges").protocol;
    let ended = world::run(&plan, world::Pace::Waves, |ask, _| {
        let more = ballot("spec.md", "A session lives for thirty minutes");
        let ballot = crate::ballots::vote(&ask.key.seat, "A");
        let ballot = crate::ballots::with(ballot, "quotes", more.get("quotes").cloned().unwrap());
        crate::ballots::say(&plan, ask, "A lives.", ballot)
    });
    let shares: Vec<(usize, usize)> =
        ended.verdict.assessment.grounding.iter().map(|g| (g.verified(), g.quotes.len())).collect();
    assert_eq!(shares, [(1, 1); 3]);
}

/// The largest material, the most quotes, lines to the last: all of it in one go.
#[test]
fn large_material_is_searched_and_lines_are_right_to_the_end() {
    let mut plan = plan();
    let mut text = String::new();
    let mut n = 0;
    while text.len() < MATERIAL_LIMIT_BYTES - 64 {
        n += 1;
        text.push_str(&format!("line number {n} of the text\n"));
    }
    plan.materials[0].text = text;
    let lines: Vec<String> = (0..3 * QUOTES_LIMIT).map(|i| format!("line number {} of the text", n - i)).collect();
    let all: Vec<(&str, &str)> = lines.iter().map(|line| ("spec.md", line.as_str())).collect();
    let found = risk(&plan, &[said("", quotes(&all))]);
    assert_eq!(found.quotes.len(), QUOTES_LIMIT, "a seat's later quotes are not looked up");
    for (i, quote) in found.quotes.iter().enumerate() {
        assert_eq!(quote.found.as_ref().map(|place| place.line), Some(n - i));
    }
}

/// Quotes made to cost much: marks without end, one endless quote, a source without end.
#[test]
fn hostile_quotes_are_read_to_their_end() {
    let mut plan = plan();
    plan.materials[0].text = "ab ".repeat(100_000);
    for (source, text) in [
        ("spec.md".to_owned(), "\"".repeat(100_000)),
        ("spec.md".to_owned(), "b ab ".repeat(90_000)),
        ("spec.md".to_owned(), "b ab ab ".repeat(400)),
        ("spec ".repeat(100_000), "ab ab ab".to_owned()),
    ] {
        assert!(risk(&plan, &[said("", ballot(&source, &text))]).quotes.len() <= QUOTES_LIMIT);
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        cases: 400, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..Default::default()
    })]

    /// Any characters, anywhere; and words really taken from a material are always found on their line.
    #[test]
    fn any_text_is_read_and_what_stands_there_is_found(noise in "\\PC*", material in "([a-zé“]{1,6}[ \\n\\t]{1,2}){3,40}", skip in 0usize..20) {
        let mut plan = plan();
        plan.materials[0].text = material.clone();
        let lines: Vec<(usize, &str)> =
            material.lines().enumerate().flat_map(|(i, line)| line.split_whitespace().map(move |word| (i + 1, word))).collect();
        let from = skip % (lines.len() - 2);
        let words: Vec<&str> = lines[from..from + 3].iter().map(|(_, word)| *word).collect();
        let turns = [said(&noise, ballot("spec.md", &words.join(" ")))];
        let found = risk(&plan, &turns);
        let quote = &found.quotes.first();
        // Marks at the edge may leave fewer than three words.
        if let Some(place) = quote.and_then(|quote| quote.found.as_ref()) {
            proptest::prop_assert!(place.line <= lines[from].0);
        } else {
            proptest::prop_assert!(quote.is_none() || words.iter().any(|word| word.contains('“')), "{words:?} in {material:?}");
        }
    }
}
