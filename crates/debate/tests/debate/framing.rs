//! Options that a framer proposes.

use crate::ballots::{draft, say};
use crate::world::{self, fields};
use forge_debate::datum::Fields;
use forge_debate::form::Writer;
use forge_debate::framing;
use forge_debate::plan::{LABEL_LIMIT_BYTES, check_id, letter};
use forge_debate::record::Reads;
use forge_debate::turn::Contribution;

fn proposed(labels: &[&str]) -> Fields {
    let records: Vec<Fields> =
        labels.iter().map(|label| fields! { "label": *label, "description": format!("what {label} means") }).collect();
    fields! { "options": records }
}

fn check(labels: &[&str], expected: &[&str]) {
    let plan = world::plan("judges");
    let Contribution::Speech(speech) = say(&plan, &framing::ask(), "", proposed(labels)) else {
        panic!("a framer that spoke")
    };
    let found: Vec<String> =
        framing::options(&speech).iter().map(|option| format!("{}={}", option.id, option.label)).collect();
    assert_eq!(found, expected, "{labels:?}");
}

#[test]
fn the_first_five_that_differ_become_options_a_to_e() {
    check(&["Redis", "Memcached", "Postgres"], &["A=Redis", "B=Memcached", "C=Postgres"]);
    check(&["Redis", "redis!", " REDIS ", "Memcached"], &["A=Redis", "B=Memcached"]);
    check(&["1", "2", "3", "4", "5", "6", "7"], &["A=1", "B=2", "C=3", "D=4", "E=5"]);
    check(&["Redis", "Redis Cluster", "Memcached"], &["A=Redis", "B=Redis Cluster", "C=Memcached"]);
    check(
        &["Redis\n\nwith  a replica", "Memcached", "Postgres"],
        &["A=Redis with a replica", "B=Memcached", "C=Postgres"],
    );
}

#[test]
fn a_label_is_cut_at_the_limit_and_never_inside_a_character() {
    let long = "é".repeat(LABEL_LIMIT_BYTES);
    let plan = world::plan("judges");
    let Contribution::Speech(speech) = say(&plan, &framing::ask(), "", proposed(&[&long, "b", "c"])) else {
        panic!("a framer that spoke")
    };
    assert_eq!(framing::options(&speech)[0].label, "é".repeat(LABEL_LIMIT_BYTES / 2));
}

#[test]
fn framed_options_make_a_sound_plan() {
    let mut plan = world::plan("gate");
    plan.options.clear();
    assert!(framing::is_needed(&plan));
    assert_eq!(plan.defects(), Vec::<String>::new(), "a plan without options waits for its framer");
    let Contribution::Speech(speech) = say(&plan, &framing::ask(), "", proposed(&["x", "y", "z"])) else {
        panic!("a framer that spoke")
    };
    plan.options = framing::options(&speech);
    assert!(!framing::is_needed(&plan));
    assert_eq!(plan.defects(), Vec::<String>::new());
}

#[test]
fn a_framer_proposes_at_least_three_and_reads_nobody() {
    let plan = world::plan("judges");
    let ask = framing::ask();
    assert_eq!(ask.reads, Reads::Blind);
    for labels in [&[][..], &["x"], &["x", "y"], &["x", "y", "TBD"]] {
        let reading = ask.form.read(&plan, &ask.key.seat, &draft("", Some(proposed(labels))), Writer::Agent);
        assert!(reading.speech.is_none(), "{labels:?}");
    }
}

#[test]
fn option_ids_are_letters_and_then_numbers_and_all_differ() {
    let ids: std::collections::BTreeSet<String> = (0..300).map(|i| letter(i).to_string()).collect();
    assert_eq!((ids.len(), letter(0).as_str(), letter(25).as_str(), letter(26).as_str()), (300, "A", "Z", "O27"));
    assert!(ids.iter().all(|id| check_id(id).is_ok()));
}
