//! Whether a changed vote was earned, and who is counted for what.

use crate::world::{self, IntoDatum, fields, key, option, seat, speech, turn};
use forge_debate::anonymity::Speakers;
use forge_debate::datum::Fields;
use forge_debate::plan::{Naming, Plan};
use forge_debate::tally;
use forge_debate::turn::{AbsenceKind, Contribution, Stage, Turn};
use forge_debate::voting::{Change, CitedArgument, Merit, Threshold, Vote};

const SAY: Stage = Stage("say");

/// What one seat says in one round: its vote, its argument, and whom it cites (`@seat` becomes the name that it sees).
type Line = (u16, &'static str, &'static str, &'static str, &'static [&'static str]);

fn turns(plan: &Plan, lines: &[Line]) -> Vec<Turn> {
    let one = |(round, who, vote, argument, cites): &Line| {
        let speakers = Speakers::of(plan, &seat(who));
        let cited: Vec<String> = cites
            .iter()
            .map(|cite| match cite.strip_prefix('@').and_then(|cite| cite.split_once('.')) {
                Some((name, id)) => format!("{}.{id}", speakers.prefix(&seat(name))),
                None => (*cite).to_owned(),
            })
            .collect();
        let mut ballot = fields! { "option": *vote, "reason": "because of this", "convinced_by": cited };
        if !argument.is_empty() {
            ballot.set("arguments", vec![fields! { "id": "a1", "text": *argument }].into_datum());
        }
        turn(key(SAY, *round, who), Contribution::Speech(speech(ballot)))
    };
    lines.iter().map(one).collect()
}

/// Follows `value` through a debate in which it starts at B.
fn check(name: &str, lines: &[Line], counted: &str, cites: &[&str]) {
    let plan = world::plan("judges");
    let all = turns(&plan, lines);
    let all: Vec<&Turn> = all.iter().collect();
    let own: Vec<&Turn> = all.iter().filter(|turn| turn.seat().as_str() == "value").copied().collect();
    let (vote, changes) = tally::follow(&plan, &own, &all).unwrap();
    assert_eq!(vote.counted, option(counted), "{name}: {changes:?}");
    assert_eq!(changes.last().map(Change::cites), Some(cites.to_vec()), "{name}");
    let standing = if counted == "B" { Merit::Unearned } else { Merit::Earned };
    assert_eq!(changes.last().map(|change| change.merit), Some(standing), "{name}");
    assert_eq!(vote.cast, own.last().unwrap().speech().unwrap().option().unwrap(), "{name}: what was cast is kept");
}

const OPENINGS: [Line; 3] = [
    (1, "risk", "A", "failover loses sessions", &[]),
    (1, "value", "B", "users wait less", &[]),
    (1, "effort", "C", "we know it already", &[]),
];

fn then(later: &[Line]) -> Vec<Line> {
    OPENINGS.iter().chain(later).copied().collect()
}

#[test]
fn a_flip_counts_when_it_cites_another_seats_argument() {
    check("one citation", &then(&[(2, "value", "A", "", &["@risk.a1"])]), "A", &["risk.a1"]);
    check("the other seat's", &then(&[(2, "value", "A", "", &["@effort.a1"])]), "A", &["effort.a1"]);
    check("ids in any case", &then(&[(2, "value", "A", "", &["@risk.A1"])]), "A", &["risk.a1"]);
    check("one good among bad", &then(&[(2, "value", "A", "", &["S9.a1", "@risk.a1"])]), "A", &["risk.a1"]);
}

#[test]
fn a_flip_that_nothing_could_have_caused_leaves_the_earlier_vote_standing() {
    check("cites nothing", &then(&[(2, "value", "A", "", &[])]), "B", &[]);
    check("cites itself by name", &then(&[(2, "value", "A", "", &["value.a1"])]), "B", &[]);
    check("cites an id that nobody made", &then(&[(2, "value", "A", "", &["@risk.a7"])]), "B", &[]);
    check("cites a speaker who is not there", &then(&[(2, "value", "A", "", &["S3.a1"])]), "B", &[]);
    check("cites Speaker 0", &then(&[(2, "value", "A", "", &["S0.a1"])]), "B", &[]);
    check("cites without a speaker", &then(&[(2, "value", "A", "", &["a1"])]), "B", &[]);
    check("cites prose", &then(&[(2, "value", "A", "", &["risk has a point about failover"])]), "B", &[]);
}

#[test]
fn an_argument_that_the_seat_had_made_itself_convinces_it_of_nothing() {
    let same = [
        (1, "risk", "A", "Users wait LESS.", &[] as &[&str]),
        OPENINGS[1],
        OPENINGS[2],
        (2, "value", "A", "", &["@risk.a1"]),
    ];
    check("the same words", &same, "B", &["risk.a1"]);
}

#[test]
fn an_argument_of_the_same_round_was_not_there_to_convince_anyone() {
    let at_once = [
        OPENINGS[1],
        OPENINGS[2],
        (2, "risk", "A", "new in round two", &[] as &[&str]),
        (2, "value", "A", "", &["@risk.a1"]),
    ];
    check("said at the same time", &at_once, "B", &[]);
}

#[test]
fn an_argument_of_the_future_was_not_there_to_convince_anyone() {
    let early = [
        OPENINGS[1],
        OPENINGS[2],
        (2, "value", "A", "", &["@risk.a1"] as &[&str]),
        (3, "risk", "A", "new in round three", &[]),
    ];
    check("said afterwards", &early, "B", &[]);
}

/// Ids start again at a1 every round; a citation means what stood there last.
#[test]
fn a_citation_means_the_latest_argument_of_that_id() {
    let lines = [
        (1, "risk", "A", "users wait less", &[] as &[&str]),
        OPENINGS[1],
        (2, "risk", "A", "failover loses sessions", &[]),
        (3, "value", "A", "", &["@risk.a1"]),
    ];
    check("made anew in round two", &lines, "A", &["risk.a1"]);
}

#[test]
fn named_peers_are_cited_by_name() {
    let mut plan = world::plan("judges");
    plan.naming = Naming::Named;
    let all = turns(&plan, &then(&[(2, "value", "A", "", &["risk.a1"])]));
    let all: Vec<&Turn> = all.iter().collect();
    let own = [all[1], all[3]];
    let (vote, changes) = tally::follow(&plan, &own, &all).unwrap();
    assert_eq!((vote.counted, changes[0].cites()), (option("A"), vec!["risk.a1"]));
}

/// Seat names may contain dots; so the argument's id is what comes after the last one.
#[test]
fn a_named_peer_with_a_dot_in_its_name_can_be_cited() {
    let mut plan = world::plan("judges");
    plan.naming = Naming::Named;
    plan.seats[0].id = seat("v1.risk");
    assert_eq!(plan.defects(), Vec::<String>::new());
    let all = turns(
        &plan,
        &[(1, "v1.risk", "A", "failover loses sessions", &[]), OPENINGS[1], (2, "value", "A", "", &["v1.risk.a1"])],
    );
    let all: Vec<&Turn> = all.iter().collect();
    let (vote, _) = tally::follow(&plan, &[all[1], all[2]], &all).unwrap();
    assert_eq!(vote.counted, option("A"));
}

#[test]
fn a_seat_that_returns_to_the_vote_that_stands_has_changed_nothing() {
    let plan = world::plan("judges");
    let all = turns(&plan, &then(&[(2, "value", "A", "", &[]), (3, "value", "B", "", &[])]));
    let all: Vec<&Turn> = all.iter().collect();
    let own: Vec<&Turn> = all.iter().filter(|turn| turn.seat().as_str() == "value").copied().collect();
    let (vote, changes) = tally::follow(&plan, &own, &all).unwrap();
    assert_eq!((vote.cast, vote.counted, changes.len()), (option("B"), option("B"), 1));
}

#[test]
fn a_seat_that_never_votes_has_no_vote() {
    let plan = world::plan("judges");
    let silent = turn(key(SAY, 1, "value"), world::absent(AbsenceKind::TimedOut));
    let vague = turn(key(SAY, 2, "value"), Contribution::Speech(speech(Fields::new())));
    assert!(tally::follow(&plan, &[&silent, &vague], &[&silent, &vague]).is_none());
}

fn votes(cast: &str) -> Vec<Vote> {
    let one = |(i, c): (usize, char)| {
        let id = option(&c.to_string());
        Vote { seat: seat(&format!("seat{i}")), cast: id.clone(), counted: id }
    };
    cast.chars().enumerate().map(one).collect()
}

#[test]
fn exactly_one_option_may_reach_the_threshold() {
    let plan = world::plan("judges");
    for (cast, threshold, agreed) in [
        ("AAB", "2/3", Some("A")),
        ("ABC", "2/3", None),
        ("AA", "2/3", Some("A")),
        ("AB", "2/3", None),
        ("ABC", "1/3", None),
        ("AB", "1/2", None),
        ("AABB", "1/2", None),
        ("", "2/3", None),
    ] {
        let found = tally::agreed(&plan, &votes(cast), Threshold::parse(threshold).unwrap());
        assert_eq!(found, agreed.map(option), "{cast} at {threshold}");
    }
}

#[test]
fn a_majority_is_more_than_half() {
    let plan = world::plan("judges");
    for (cast, majority) in
        [("AAB", Some("A")), ("AABB", None), ("AA", Some("A")), ("ABC", None), ("BBBBAAC", Some("B")), ("", None)]
    {
        assert_eq!(tally::majority(&plan, &votes(cast)), majority.map(option), "{cast}");
    }
}

#[test]
fn a_distribution_lists_most_votes_first_and_ties_in_the_plans_order() {
    let mut plan = world::plan("judges");
    plan.options.reverse();
    let found: Vec<String> = tally::distribution(&plan, &votes("ABCA"))
        .into_iter()
        .map(|(id, seats)| format!("{id}{}", seats.len()))
        .collect();
    assert_eq!(found, ["A2", "C1", "B1"]);
}

#[test]
fn what_is_cited_is_kept_with_its_words() {
    let plan = world::plan("judges");
    let all = turns(&plan, &then(&[(2, "value", "A", "", &["@risk.a1"])]));
    let all: Vec<&Turn> = all.iter().collect();
    let (_, changes) = tally::follow(&plan, &[all[1], all[3]], &all).unwrap();
    assert_eq!(
        changes[0].cited,
        [CitedArgument { name: "risk.a1".to_owned(), text: "failover loses sessions".to_owned() }]
    );
}

/// Finishes at all only where arguments are folded once and not once for each citation.
#[test]
fn a_flood_of_citations_is_gone_through_once() {
    const MANY: usize = 20_000;
    let plan = world::plan("judges");
    let risk = Speakers::of(&plan, &seat("value")).prefix(&seat("risk"));
    let list = || (0..MANY).map(|n| fields! { "id": format!("a{n}"), "text": format!("ground {n} stands") });
    let says = |round, who: &str, ballot: Fields| turn(key(SAY, round, who), Contribution::Speech(speech(ballot)));
    let cites: Vec<String> = (0..MANY).map(|n| format!("{risk}.a{n}")).collect();
    let all = [
        says(1, "risk", fields! { "option": "A", "arguments": list().collect::<Vec<_>>() }),
        says(1, "value", fields! { "option": "B", "arguments": list().collect::<Vec<_>>() }),
        says(2, "value", fields! { "option": "A", "convinced_by": cites }),
    ];
    let all: Vec<&Turn> = all.iter().collect();
    let (vote, changes) = tally::follow(&plan, &[all[1], all[2]], &all).unwrap();
    assert_eq!((vote.counted, changes[0].cited.len()), (option("B"), MANY), "it had made them all itself");
}
