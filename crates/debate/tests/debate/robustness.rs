//! Whether an outcome hangs on one seat, and what other ways of counting say.

use crate::world::{self, IntoDatum, fields, key, option, seat, speech, turn};
use forge_debate::datum::Fields;
use forge_debate::plan::Plan;
use forge_debate::protocols::panel;
use forge_debate::robustness::{CountingRule, Robustness, of_stands, of_votes};
use forge_debate::turn::{Contribution, Stage, Turn};
use forge_debate::voting::{Rule, Threshold, Vote, Wins};

const SAY: Stage = Stage("say");

/// `A`, or `A>B` for a seat whose vote counts for A and which last cast B.
fn votes(written: &str) -> Vec<Vote> {
    let one = |(i, vote): (usize, &str)| {
        let (counted, cast) = vote.split_once('>').unwrap_or((vote, vote));
        Vote { seat: seat(&format!("s{i}")), cast: option(cast), counted: option(counted) }
    };
    written.split_whitespace().enumerate().map(one).collect()
}

fn said(round: u16, who: &str, ballot: Fields) -> Turn {
    turn(key(SAY, round, who), Contribution::Speech(speech(ballot)))
}

fn two_thirds() -> Rule {
    Rule { wins: Wins::Threshold(Threshold::TWO_THIRDS), quorum: 0 }
}

fn majority() -> Rule {
    Rule { wins: Wins::Majority, quorum: 0 }
}

fn counted(plan: &Plan, written: &str, turns: &[Turn], rule: Rule) -> Robustness {
    of_votes(plan, &votes(written), &turns.iter().collect::<Vec<_>>(), rule)
}

fn top(robustness: &Robustness, rule: CountingRule) -> Option<String> {
    let count = robustness.rules.iter().find(|count| count.rule == rule)?;
    Some(count.top.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(""))
}

#[test]
fn leaving_out_each_seat_in_turn_names_the_seats_on_which_it_hangs() {
    let plan = world::plan("judges");
    let majority = majority();
    for (rule, written, winner, without, fragile) in [
        (two_thirds(), "A A A", Some("A"), "A A A", false),
        (two_thirds(), "A A B", Some("A"), "- - A", true),
        (two_thirds(), "A A", Some("A"), "A A", false),
        (two_thirds(), "A B", None, "B A", false),
        (two_thirds(), "A B C", None, "- - -", false),
        (two_thirds(), "A A B B", None, "B B A A", false),
        (two_thirds(), "A A A B", Some("A"), "A A A A", false),
        (two_thirds(), "A A A A B B", Some("A"), "- - - - A A", true),
        (two_thirds(), "A", Some("A"), "-", true),
        (two_thirds(), "", None, "", false),
        (majority, "A A A A B B", Some("A"), "A A A A A A", false),
        (majority, "A A B", Some("A"), "- - A", true),
        (majority, "A A A B B C", None, "- - - A A A", false),
        (majority, "A A A B B", Some("A"), "- - - A A", true),
        (majority, "A", Some("A"), "-", true),
        (majority, "", None, "", false),
    ] {
        let found = counted(&plan, written, &[], rule);
        assert_eq!(found.winner, winner.map(option), "{rule:?} {written}");
        assert_eq!(found.is_fragile(), fragile, "{rule:?} {written}: {found:?}");
        let then: Vec<&str> =
            found.without.iter().map(|one| one.winner.as_ref().map_or("-", |id| id.as_str())).collect();
        assert_eq!(then.join(" "), without, "{rule:?} {written}");
        for one in &found.without {
            assert_eq!(one.holds, one.winner == found.winner, "{rule:?} {written}: {}", one.seat);
        }
        let named: Vec<String> = votes(written).iter().map(|vote| vote.seat.to_string()).collect();
        let asked: Vec<String> = found.without.iter().map(|one| one.seat.to_string()).collect();
        assert_eq!(asked, named, "{rule:?} {written}: every seat once, in order");
    }
}

/// Below its quorum a protocol decides nothing, so what is left of a vote there wins nothing.
#[test]
fn a_winner_that_falls_below_the_quorum_without_a_seat_hangs_on_it() {
    let plan = world::plan("judges");
    for (rule, quorum, written, winner, without, fragile) in [
        (two_thirds(), 2, "A A", Some("A"), "- -", true),
        (two_thirds(), 2, "A A A", Some("A"), "A A A", false),
        (two_thirds(), 2, "A B", None, "- -", false),
        (two_thirds(), 2, "A", None, "-", false),
        (majority(), 4, "A A A A", Some("A"), "- - - -", true),
        (majority(), 4, "A A A A B", Some("A"), "A A A A A", false),
        (majority(), 4, "A A A", None, "- - -", false),
    ] {
        let found = counted(&plan, written, &[], Rule { quorum, ..rule });
        let then: Vec<&str> =
            found.without.iter().map(|one| one.winner.as_ref().map_or("-", |id| id.as_str())).collect();
        assert_eq!((found.winner.clone(), then.join(" ").as_str()), (winner.map(option), without), "{written}");
        assert_eq!(found.is_fragile(), fragile, "{written}: {found:?}");
    }
}

#[test]
fn as_cast_counts_what_an_unearned_flip_would_have_won_and_breaks_nothing() {
    let plan = world::plan("judges");
    for (written, winner, as_cast) in [
        ("A B>A C", None, Some("A")),
        ("A>B A>B A>B", Some("A"), Some("B")),
        ("A>B A>C A", Some("A"), None),
        ("A A B>A", Some("A"), Some("A")),
        ("A B C", None, None),
        ("", None, None),
    ] {
        let found = counted(&plan, written, &[], two_thirds());
        assert_eq!(
            (found.winner.clone(), found.as_cast.clone()),
            (winner.map(option), as_cast.map(option)),
            "{written}"
        );
    }
    let polite = counted(&plan, "A>B A>B A>B", &[], two_thirds());
    assert!(!polite.is_fragile(), "seats that flip out of politeness contest nothing: {polite:?}");
}

#[test]
fn the_confidence_that_weighs_is_that_of_the_turn_whose_vote_counts() {
    let plan = world::plan("judges");
    let turns = [
        said(1, "s0", fields! { "option": "A", "confidence": "LOW" }),
        said(1, "s1", fields! { "option": "A", "confidence": "low" }),
        // Sure of B when it counted; its unearned flip to A says nothing about B.
        said(1, "s2", fields! { "option": "B", "confidence": "HIGH" }),
        said(2, "s2", fields! { "option": "A", "confidence": "LOW" }),
    ];
    let found = counted(&plan, "A A B>A", &turns, two_thirds());
    assert_eq!(top(&found, CountingRule::ConfidenceWeighted).as_deref(), Some("B"), "1 + 1 against 3");
    assert_eq!(top(&found, CountingRule::Plurality).as_deref(), Some("A"));
    let rules: Vec<_> = found.disagreeing().iter().map(|count| count.rule).collect();
    assert_eq!(rules, [CountingRule::ConfidenceWeighted]);
    assert!(found.is_fragile());

    // The last turn with that vote: a seat may become surer.
    let surer = [turns.as_slice(), &[said(2, "s0", fields! { "option": "A", "confidence": "HIGH" })]].concat();
    let found = counted(&plan, "A A B>A", &surer, two_thirds());
    assert_eq!(top(&found, CountingRule::ConfidenceWeighted).as_deref(), Some("A"), "3 + 1 against 3");
}

#[test]
fn a_seat_that_says_nothing_of_its_confidence_weighs_two() {
    let plan = world::plan("judges");
    for (confidence, expected) in [(Some("HIGH"), "A"), (Some("MED"), "AB"), (None, "AB"), (Some("LOW"), "B")] {
        let mut ballot = fields! { "option": "A" };
        if let Some(word) = confidence {
            ballot.set("confidence", word.into_datum());
        }
        let turns = [said(1, "s0", ballot), said(1, "s1", fields! { "option": "B" })];
        let found = counted(&plan, "A B", &turns, two_thirds());
        assert_eq!(top(&found, CountingRule::ConfidenceWeighted).as_deref(), Some(expected), "{confidence:?}");
    }
}

#[test]
fn approval_is_counted_only_where_somebody_said_what_else_it_could_live_with() {
    let plan = world::plan("judges");
    let ballot = |vote: &str, approves: &[&str]| fields! { "option": vote, "approves": approves.to_vec() };
    let turns = |first: &[&str], second: &[&str], third: &[&str]| {
        [said(1, "s0", ballot("A", first)), said(1, "s1", ballot("A", second)), said(1, "s2", ballot("B", third))]
    };
    for (name, turns, expected) in [
        ("nobody said", turns(&[], &[], &[]), None),
        ("their own only", turns(&["A"], &[], &[]), Some("A")),
        ("both could live with B", turns(&["B"], &["B"], &[]), Some("B")),
        ("one of them could", turns(&["B"], &[], &[]), Some("AB")),
        ("B could live with A", turns(&["B"], &["B"], &["A"]), Some("AB")),
        ("their own is always approved", turns(&["C"], &["C"], &["C"]), Some("C")),
        ("what the plan does not know", turns(&["Z"], &[], &[]), None),
        ("named twice is once", turns(&["B", "B"], &[], &[]), Some("AB")),
    ] {
        let found = counted(&plan, "A A B", &turns, two_thirds());
        assert_eq!(top(&found, CountingRule::Approval).as_deref(), expected, "{name}");
    }
    let stale = counted(&plan, "A A A", &turns(&["C"], &["C"], &["C"]), two_thirds());
    assert_eq!(top(&stale, CountingRule::Approval).as_deref(), Some("A"), "what s2 approved went with a vote for B");
    let rival = counted(
        &plan,
        "A A B",
        &turns(&["B"], &["B"], &[]),
        Rule { wins: Wins::Threshold(Threshold::parse("1/2").unwrap()), quorum: 0 },
    );
    assert_eq!(rival.disagreeing().len(), 1, "A has the votes, B everybody's approval: {rival:?}");
}

#[test]
fn where_nobody_voted_no_way_of_counting_says_anything() {
    let plan = world::plan("judges");
    let none = counted(&plan, "", &[], two_thirds());
    assert_eq!(none, Robustness { winner: None, without: Vec::new(), rules: Vec::new(), as_cast: None });
    assert!(none.pivots().is_empty() && none.disagreeing().is_empty());
}

#[test]
fn even_votes_are_all_at_the_top() {
    let plan = world::plan("judges");
    let found = counted(&plan, "B A C", &[], two_thirds());
    assert_eq!(top(&found, CountingRule::Plurality).as_deref(), Some("ABC"), "in the plan's order");
}

/// The writer of a panel's synthesis names what the panel chose, not what itself votes for.
#[test]
fn a_document_that_a_seat_writes_for_all_is_not_its_ballot() {
    let plan = world::small_panel(2);
    let turns = [
        said(1, "s0", fields! { "option": "A", "confidence": "LOW" }),
        said(1, "s1", fields! { "option": "B", "confidence": "MEDIUM" }),
        turn(
            key(panel::SYNTHESIS, 0, "s0"),
            Contribution::Speech(speech(fields! { "option": "A", "confidence": "HIGH" })),
        ),
    ];
    let found = counted(&plan, "A B", &turns, majority());
    assert_eq!(top(&found, CountingRule::ConfidenceWeighted).as_deref(), Some("B"));
}

#[test]
fn a_position_stands_when_it_was_challenged_and_no_objection_is_open() {
    let a = option("A");
    for (stands, winner, pivots) in [
        (&[("s0", true), ("s1", true), ("s2", true)][..], true, &[][..]),
        (&[("s0", true), ("s1", false), ("s2", true)], false, &["s1"]),
        (&[("s0", false), ("s1", false)], false, &[]),
        // Without its only challenger nobody would have looked at it.
        (&[("s0", true)], true, &["s0"]),
        (&[("s0", false)], false, &[]),
        (&[], false, &[]),
    ] {
        let stands: Vec<_> = stands.iter().map(|(name, settled)| (seat(name), *settled)).collect();
        let found = of_stands(Some(&a), &stands);
        assert_eq!(found.winner, winner.then(|| a.clone()), "{stands:?}");
        assert_eq!(found.as_cast, found.winner, "{stands:?}");
        assert_eq!(found.pivots().iter().map(|id| id.as_str()).collect::<Vec<_>>(), pivots, "{stands:?}");
        assert_eq!(found.is_fragile(), winner && !pivots.is_empty(), "{stands:?}");
        assert_eq!((found.without.len(), found.rules.len()), (stands.len(), 0), "{stands:?}");
    }
    let unnamed = of_stands(None, &[(seat("s0"), true), (seat("s1"), true)]);
    assert_eq!(
        (unnamed.winner.clone(), unnamed.pivots().len()),
        (None, 0),
        "settled without an option, with or without"
    );
}
