//! Why a verdict is what it is, and what lowers its worth: in the first screen, and in the forms that have none.

use crate::{accounts, hostile};
use forge_artifacts::formats::verdict::Account;
use forge_artifacts::formats::{adr, html, report, result, summary};
use forge_debate::blind::BlindVote;
use forge_debate::fact;
use forge_debate::plan::{Choice, Duty, Hand, OptionId, Seat, SeatId};
use forge_debate::robustness::{Robustness, Without};
use forge_debate::turn::{AbsenceKind, Stage, TurnKey};
use forge_debate::verdict::{Abstention, Contest, Debt, Decision, MissedTurn, Outcome};
use forge_debate::voting::Vote;
use pulldown_cmark::{Event, Parser, Tag};

fn cautions(account: &Account, label: &str) -> Vec<String> {
    let all = summary::of(account).cautions;
    all.into_iter().filter(|row| row.label == label).map(|row| row.text).collect()
}

/// Three judges who vote so, left to a person.
fn contested(votes: [&str; 3]) -> Account {
    let mut account = accounts::account(
        "judges",
        &["risk", "value", "effort"],
        &["Redis", "Memcached", "Neither"],
        Outcome::Contested,
    );
    account.verdict.ruling.rounds = 2;
    accounts::ballots(&mut account.verdict).votes = ["risk", "value", "effort"]
        .into_iter()
        .zip(votes)
        .map(|(seat, option)| Vote {
            seat: SeatId::from(seat),
            cast: OptionId::from(option),
            counted: OptionId::from(option),
        })
        .collect();
    account
}

fn won_by(account: &mut Account, pivot: Option<&str>) {
    let a = OptionId::from("A");
    account.verdict.assessment.robustness = Some(Robustness {
        winner: Some(a.clone()),
        without: pivot
            .map(|seat| Without { seat: SeatId::from(seat), winner: None, holds: false, is_quorate: true })
            .into_iter()
            .collect(),
        rules: Vec::new(),
        as_cast: Some(a),
    });
}

/// Everywhere the same reason, and nowhere another.
fn says(account: &Account, why: &str) {
    let sentence = summary::of(account).sentence;
    assert!(sentence.contains(why), "{sentence}");
    let rest = why.trim_start_matches(|c: char| c.is_lowercase() && c.is_ascii());
    for text in [report::headline(account), html::write(account), adr::write(account)] {
        let text = text.replace("&#39;", "'");
        assert!(text.contains(rest), "no {rest:?} in {text}");
    }
    if account.verdict.outcome() == Outcome::Contested {
        let prompt = result::user_prompt(account);
        let agrees = account.verdict.assessment.robustness.as_ref().is_some_and(|one| one.winner.is_some());
        assert_eq!(prompt.contains("Judges disagreed"), !agrees, "{prompt}");
        assert_eq!(prompt.contains(why), agrees, "{prompt}");
        assert_eq!(sentence.contains("do not agree"), !agrees, "{sentence}");
    }
}

#[test]
fn a_contested_headline_says_why() {
    let account = contested(["A", "B", "C"]);
    says(&account, "the seats do not agree after 2 rounds");

    let mut account = contested(["A", "A", "A"]);
    won_by(&mut account, None);
    account.verdict.ruling.contest = Some(Contest::NobodyChallenged);
    says(&account, "A (Redis) has the votes after 2 rounds, but nobody challenged anybody");

    let mut account = contested(["A", "A", "B"]);
    won_by(&mut account, Some("risk"));
    account.verdict.ruling.contest = Some(Contest::Fragile);
    says(&account, "A (Redis) has the votes after 2 rounds, but is fragile, and a robust verdict was demanded");

    let option = |id: &str| OptionId::from(id);
    for (contest, headline) in [
        (Contest::Escalated("it goes in circles".to_owned()), "the referee escalated to a person: it goes in circles"),
        (
            Contest::OtherName { named: Some(option("B")), chosen: option("A") },
            "the synthesis chooses B (Memcached) but the seats' votes chose A (Redis)",
        ),
        (Contest::NoSynthesis, "A (Redis) has the votes after 2 rounds, but there is no synthesis"),
        (
            Contest::Silent(vec![SeatId::from("contrarian"), SeatId::from("moonshot")]),
            "contrarian and moonshot did not speak",
        ),
    ] {
        let mut account = contested(["A", "A", "A"]);
        account.plan.protocol = &forge_debate::protocols::newest("panel").unwrap().profile;
        won_by(&mut account, None);
        account.verdict.ruling.contest = Some(contest);
        says(&account, headline);
    }
}

/// What a reader must know before the answer stands above it.
#[test]
fn debts_and_an_overturned_vote_stand_above_the_answer() {
    let mut account = accounts::judges();
    let key = |round| TurnKey::new(Stage("challenge"), round, &SeatId::from("risk"));
    let owed = |what: &str, turns| Debt { seat: SeatId::from("risk"), what: fact!("form", "{what}"), turns };
    account.verdict.ruling.owed =
        vec![owed("no position is challenged", vec![key(2), key(3)]), owed("no argument", vec![key(2)])];
    assert_eq!(
        cautions(&account, "OWED"),
        ["risk (2 turns): no position is challenged", "risk (challenge, round 2): no argument"]
    );
    assert!(cautions(&account, "OVERTURNED").is_empty());
    let seats = |names: &[&str]| names.iter().map(|name| SeatId::from(*name)).collect();
    account.verdict.assessment.blind = Some(BlindVote::Options(vec![
        (OptionId::from("C"), seats(&["value", "effort"])),
        (OptionId::from("A"), seats(&["risk"])),
    ]));
    let overturned = cautions(&account, "OVERTURNED");
    assert_eq!(overturned.len(), 1);
    assert!(overturned[0].starts_with("the blind vote was for C"), "{overturned:?}");
    assert!(overturned[0].contains("value was moved from C to A by risk.a1"), "{overturned:?}");
    for text in [report::write(&account), html::write(&account), adr::write(&account), result::write(&account)] {
        assert!(text.contains("OVERTURNED") && text.contains("OWED"), "{text}");
    }
}

#[test]
fn an_insufficient_headline_says_why() {
    let insufficient = |protocol: &str, seats: &[&str], spoke: &[&str]| {
        let mut account = accounts::account(protocol, seats, &["Redis", "Memcached"], Outcome::Insufficient);
        account.turns =
            spoke.iter().map(|seat| accounts::turn(accounts::OPENING, 1, seat, &format!("{seat}.md"))).collect();
        account.verdict.ruling.missing = seats
            .iter()
            .filter(|seat| !spoke.contains(seat))
            .map(|seat| MissedTurn {
                key: TurnKey::new(Stage("opening"), 1, &SeatId::from(*seat)),
                kind: AbsenceKind::Crashed,
                detail: "gone".to_owned(),
            })
            .collect();
        account
    };
    let judges = ["risk", "value", "effort"];
    says(&insufficient("judges", &judges, &["risk"]), "too few seats spoke");
    let mut account = insufficient("judges", &judges, &judges);
    account.verdict.ruling.abstentions = ["risk", "value"]
        .map(|seat| Abstention { seat: SeatId::from(seat), option: None, why: fact!("ungrounded", "quotes nothing") })
        .into();
    says(&account, "too few seats are grounded: risk, value spoke and quoted nothing that was found");
    let gate = ["advocate", "skeptic", "operator", "synthesizer"];
    says(&insufficient("gate", &gate, &["advocate", "skeptic", "synthesizer"]), "operator, who must speak, did not");
}

#[test]
fn a_gate_is_of_one_family_only_with_the_seat_that_decides() {
    let served = |families: &[(&str, &str)]| {
        let seats: Vec<&str> = families.iter().map(|(seat, _)| *seat).collect();
        let mut account = accounts::account("gate", &seats, &["Build", "Buy"], Outcome::Decided);
        account.verdict.ruling.options = vec![OptionId::from("A")];
        account.served = families
            .iter()
            .map(|(seat, family)| forge_debate::family::Served {
                seat: SeatId::from(*seat),
                model: None,
                family: Some((*family).to_owned()),
            })
            .collect();
        cautions(&account, "ONE FAMILY")
    };
    let cases = [("advocate", "openai"), ("skeptic", "openai"), ("operator", "openai"), ("synthesizer", "anthropic")];
    assert_eq!(served(&cases), Vec::<String>::new());
    let same: Vec<(&str, &str)> = cases.iter().map(|(seat, _)| (*seat, "openai")).collect();
    assert_eq!(served(&same), ["openai served every seat; models of one family err alike"]);
}

#[test]
fn a_rehearsal_says_which_seats_rehearsed() {
    let mut account = accounts::judges();
    assert_eq!(cautions(&account, "REHEARSAL"), Vec::<String>::new());
    account.plan.seats[1].hand = Hand::Agent("rehearsal".to_owned());
    assert!(cautions(&account, "REHEARSAL")[0].starts_with("no model was asked for value;"));
    account.plan.seat_all(&Hand::Agent("rehearsal".to_owned()));
    assert!(cautions(&account, "REHEARSAL")[0].starts_with("no model was asked;"));
}

#[test]
fn quotes_that_are_not_there_stand_above_the_verdict() {
    let account = accounts::judges();
    assert_eq!(cautions(&account, "UNFOUND"), ["risk quotes words that are not in notes.md (1 of 2 quotes)"]);
}

/// Files that other tools take up without a look at the report say the same.
#[test]
fn records_and_results_say_what_lowers_the_worth() {
    let mut account = accounts::judges();
    account.plan.seats[0].hand = Hand::Agent("rehearsal".to_owned());
    account.contradictions = vec!["risk.md is gone".to_owned()];
    account.verdict.ruling.abstentions =
        vec![Abstention { seat: SeatId::from("effort"), option: None, why: fact!("ungrounded", "it quotes nothing") }];
    account.verdict.ruling.missing = accounts::gate().verdict.ruling.missing;
    for text in [adr::write(&account), result::write(&account)] {
        for word in [
            "CHANGED: risk.md is gone",
            "REHEARSAL: ",
            "DEGRADED: ",
            "ONE FAMILY: ",
            "FRAGILE: ",
            "UNFOUND: ",
            "ABSTAINS: effort",
        ] {
            assert!(text.contains(word), "no {word:?} in {text}");
        }
    }
    assert!(adr::write(&account).contains("status: \"proposed\""));
    let plain = accounts::account("judges", &["risk", "value"], &["Redis", "Memcached"], Outcome::Consensus);
    assert!(adr::write(&plain).contains("no caveat is on record"));
    // What seats agree on is proposed; a person accepts it.
    assert!(adr::write(&plain).contains("status: \"proposed\""));
    let mut accepted = plain.clone();
    let because = "it is known".to_owned();
    accepted.verdict.decision =
        Some(Decision { by: "Ada".to_owned(), option: OptionId::from("A"), because, overrules: None });
    assert!(adr::write(&accepted).contains("status: \"accepted\""));
    assert!(!result::write(&plain).contains("cautions:"));
}

#[test]
fn a_record_lists_the_split_and_who_decided() {
    let mut account = contested(["A", "B", "C"]);
    account.plan.seats.push(Seat {
        id: SeatId::from("control"),
        role: "control".to_owned(),
        duty: Duty::Control,
        hand: Hand::Agent("openai:gpt-5".to_owned()),
        family: None,
        context_file: None,
    });
    let record = adr::write(&account);
    assert!(!record.contains("No dissent is on record"), "{record}");
    assert!(record.contains("* Neutral, because 1 of 3 stood for B (Memcached): value"), "{record}");
    assert!(record.contains("decision-makers: \"risk, value, effort\""), "{record}");
}

#[test]
fn a_record_of_hostile_words_is_words() {
    for text in hostile::texts() {
        let record = adr::write(&hostile::among_judges(&text));
        let (_, body) = record.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
        for event in Parser::new(body) {
            let acts = matches!(
                event,
                Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::Image { .. } | Tag::Link { .. })
            );
            assert!(!acts, "{event:?} from {text:?}");
        }
    }
}

#[test]
fn a_person_is_asked_by_label_and_description() {
    let mut account = contested(["A", "B", "C"]);
    account.plan.options =
        vec![Choice { id: OptionId::from("A"), label: "Redis".to_owned(), description: "we know it".to_owned() }];
    assert!(result::user_prompt(&account).ends_with("[A] Redis: we know it\n"));
}
