//! Who is Speaker 1: one seat of the debate, and the same to every reader.

use crate::world::{self, seat};
use forge_debate::anonymity::{Called, Speakers};
use forge_debate::plan::{Duty, Naming, Plan, SeatId};
use forge_debate::protocols;
use std::collections::BTreeSet;

fn readers(plan: &Plan) -> Vec<SeatId> {
    plan.seats.iter().map(|seat| seat.id.clone()).collect()
}

/// Seats that others see: those who argue. Officers are nobody's peers.
fn peers(plan: &Plan, reader: &SeatId) -> BTreeSet<SeatId> {
    let argues = |duty: Duty| matches!(duty, Duty::Debater | Duty::Lead);
    plan.seats.iter().filter(|seat| argues(seat.duty) && seat.id != *reader).map(|seat| seat.id.clone()).collect()
}

/// For every protocol, seed and reader: each peer has one name and one prefix, and both lead back to it.
fn check(naming: Naming) {
    for protocol in protocols::ALL {
        let mut plan = world::plan(protocol.profile.name);
        plan.naming = naming;
        for seed in 0..50 {
            plan.seed = seed;
            for reader in readers(&plan) {
                let speakers = Speakers::of(&plan, &reader);
                let expected = peers(&plan, &reader);
                assert_eq!(speakers.order().iter().map(|id| (*id).clone()).collect::<BTreeSet<_>>(), expected);
                let names: BTreeSet<String> = expected.iter().map(|id| speakers.name(id)).collect();
                let prefixes: BTreeSet<String> = expected.iter().map(|id| speakers.prefix(id)).collect();
                assert_eq!(
                    (names.len(), prefixes.len()),
                    (expected.len(), expected.len()),
                    "{reader} under seed {seed}"
                );
                for id in &expected {
                    assert_eq!(speakers.seat(&speakers.name(id)), Some(id));
                    assert_eq!(speakers.seat(&speakers.prefix(id)), Some(id));
                    assert_eq!(speakers.seat(&speakers.prefix(id).to_lowercase()), Some(id));
                }
                for own in [reader.to_string(), speakers.name(&reader), speakers.prefix(&reader)] {
                    assert_eq!(speakers.seat(&own), None, "nobody is its own peer");
                }
            }
        }
    }
}

#[test]
fn anonymous_names_are_a_bijection_for_every_reader() {
    check(Naming::Anonymous);
}

#[test]
fn shown_names_are_a_bijection_for_every_reader() {
    check(Naming::Named);
}

#[test]
fn anonymous_names_are_numbers_from_one_and_say_nothing_of_the_seat() {
    let plan = world::plan("judges");
    let speakers = Speakers::of(&plan, &seat("risk"));
    let names: BTreeSet<String> = ["risk", "value", "effort"].iter().map(|id| speakers.name(&seat(id))).collect();
    let prefixes: BTreeSet<String> = ["risk", "value", "effort"].iter().map(|id| speakers.prefix(&seat(id))).collect();
    assert_eq!(names, ["Speaker 1", "Speaker 2", "Speaker 3"].map(str::to_owned).into());
    assert_eq!(prefixes, ["S1", "S2", "S3"].map(str::to_owned).into());
}

#[test]
fn named_mode_shows_the_seats_own_names() {
    let mut plan = world::plan("judges");
    plan.naming = Naming::Named;
    let speakers = Speakers::of(&plan, &seat("risk"));
    assert_eq!(
        (speakers.name(&seat("value")), speakers.prefix(&seat("value"))),
        ("value".to_owned(), "value".to_owned())
    );
    assert_eq!(speakers.seat("S1"), None, "numbers mean nothing where names are shown");
}

#[test]
fn numbers_out_of_range_mean_nobody() {
    let plan = world::plan("judges");
    let speakers = Speakers::of(&plan, &seat("risk"));
    for name in ["S0", "S4", "Speaker 0", "Speaker 99", "S-1", "S", "Speaker", "", "S1x", "S18446744073709551616"] {
        assert_eq!(speakers.seat(name), None, "{name:?}");
    }
}

#[test]
fn a_number_means_one_seat_to_every_reader() {
    for protocol in protocols::ALL {
        let plan = world::plan(protocol.profile.name);
        let readers = readers(&plan);
        let named = |reader: &SeatId| -> Vec<String> {
            let speakers = Speakers::of(&plan, reader);
            readers.iter().map(|id| speakers.name(id)).collect()
        };
        let first = named(&readers[0]);
        assert!(readers.iter().all(|reader| named(reader) == first), "{}", protocol.profile.name);
    }
}

#[test]
fn another_seed_can_give_another_order() {
    let mut plan = world::plan("panel");
    let orders: BTreeSet<Vec<String>> = (0..20)
        .map(|seed| {
            plan.seed = seed;
            Speakers::of(&plan, &seat("contrarian")).order().iter().map(ToString::to_string).collect()
        })
        .collect();
    assert!(orders.len() > 10, "{} orders from 20 seeds", orders.len());
}

#[test]
fn the_numbers_depend_on_nothing_but_seed_and_seats() {
    let plan = world::plan("panel");
    let mut shuffled = plan.clone();
    shuffled.seats.reverse();
    shuffled.question = "Something else?".to_owned();
    for reader in readers(&plan) {
        assert_eq!(Speakers::of(&plan, &reader).order(), Speakers::of(&shuffled, &reader).order());
    }
}

/// Officers and reports name seats where speakers use numbers.
#[test]
fn numbers_in_somebodys_words_can_be_told_as_names() {
    let plan = world::plan("judges");
    let (risk, value, effort) = (seat("risk"), seat("value"), seat("effort"));
    let theirs = Speakers::of(&plan, &risk);
    let (to_value, to_effort) = (theirs.prefix(&value), theirs.prefix(&effort));
    let told = |words: &str| {
        theirs.retold(&plan, words, &|other, how| match how {
            Called::ByName => format!("<{other}>"),
            Called::ByPrefix => other.to_string(),
        })
    };
    let named = theirs.name(&effort);
    for (said, expected) in [
        (format!("To {to_value}: {to_effort}.a1 is weak."), "To value: effort.a1 is weak.".to_owned()),
        (
            format!("{named} overlooks {to_value}'s point ({to_effort})"),
            "<effort> overlooks value's point (effort)".to_owned(),
        ),
        (format!("a {to_value} bucket"), format!("a {to_value} bucket")),
        (format!("I, {}, hold it", theirs.prefix(&risk)), "I, risk, hold it".to_owned()),
        (
            "S9 and S and Speaker x and THIS1 and aws-S1 stay".to_owned(),
            "S9 and S and Speaker x and THIS1 and aws-S1 stay".to_owned(),
        ),
        ("…S".to_owned(), "…S".to_owned()),
    ] {
        assert_eq!(told(&said), expected, "{said}");
    }
    let about_products = Plan { question: format!("Do we keep {to_value} or not?"), ..plan.clone() };
    let theirs = Speakers::of(&about_products, &risk);
    assert_eq!(
        theirs.retold(&about_products, &format!("{to_value} is cheap"), &|_, _| String::new()),
        format!("{to_value} is cheap")
    );
    let open = Plan { naming: Naming::Named, ..plan.clone() };
    assert_eq!(Speakers::of(&open, &risk).retold(&open, "S1 and Speaker 2", &|_, _| String::new()), "S1 and Speaker 2");
}
