//! The blind vote beside the verdict: what the first round alone would have said, and when the debate says otherwise.

use crate::ballots::{challenging, say, vote, with};
use crate::world::{self, Ended, Pace, absent, option, run, seat};
use forge_debate::anonymity::Speakers;
use forge_debate::blind::BlindVote;
use forge_debate::plan::Plan;
use forge_debate::turn::AbsenceKind;
use forge_debate::verdict::Outcome;

const TEXT: &str = "## Assessment\nSeen.\n## Recommendation\nOption A.\n## Challenges\nDone.\n## Position\nOption B.\n\
    ## What Can Go Wrong\n- A node dies.\n## What Would Be Lost\n- Speed.\n## What It Costs\n- A week.";

/// Three judges; each string has their votes in a round, `-` for an absence. Whoever moves cites the peer that `cites` names.
fn judged(plan: &Plan, rounds: [&str; 2], cites: Option<&str>) -> Ended {
    run(plan, Pace::Waves, |ask, _| {
        let who = &ask.key.seat;
        let n = plan.debaters().iter().position(|seat| seat.id == *who).unwrap();
        let of_round = |round: u16| rounds[usize::from(round) - 1].chars().nth(n).unwrap().to_string();
        let now = of_round(ask.key.round);
        if now == "-" {
            return absent(AbsenceKind::Crashed);
        }
        let mut ballot = challenging(ask, vote(who, &now));
        if let Some(peer) = cites.filter(|_| ask.key.round == 2 && now != of_round(1)) {
            let peer = Speakers::of(plan, who).prefix(&seat(peer));
            ballot = with(ballot, "convinced_by", [format!("{peer}.a1")]);
        }
        say(plan, ask, TEXT, ballot)
    })
}

/// Four of five judges must agree, so that a majority is not enough to end the debate blind.
fn five_judges() -> Plan {
    let mut plan = world::plan("judges");
    for name in ["cost", "law"] {
        let mut more = plan.seats[0].clone();
        more.id = seat(name);
        plan.seats.push(more);
    }
    plan.limits.threshold = forge_debate::voting::Threshold::parse("4/5").unwrap();
    plan
}

#[test]
fn every_vote_has_the_blind_one_beside_it() {
    let plan = world::plan("judges");
    let ended = judged(&plan, ["AAB", "---"], None);
    let rows = vec![(option("A"), vec![seat("risk"), seat("value")]), (option("B"), vec![seat("effort")])];
    assert_eq!(ended.verdict.assessment.blind, Some(BlindVote::Options(rows)));
    assert_eq!(ended.verdict.assessment.blind.as_ref().unwrap().leader(), Some(&option("A")));
    assert_eq!(ended.verdict.overturned(), None);
    // A later vote changes nothing of it.
    let moved = judged(&plan, ["ABC", "AAC"], Some("risk"));
    assert_eq!(moved.verdict.options(), [option("A")]);
    assert_eq!(moved.verdict.assessment.blind.as_ref().unwrap().leader(), None, "a tie has no leader");
    assert_eq!(moved.verdict.overturned(), None, "a tie cannot be overturned");
}

#[test]
fn a_debate_that_ends_elsewhere_is_overturned_and_names_who_was_moved() {
    let plan = five_judges();
    let ended = judged(&plan, ["AAABB", "BBABB"], Some("cost"));
    let verdict = &ended.verdict;
    assert_eq!((verdict.outcome(), &verdict.options().to_vec()), (Outcome::Consensus, &vec![option("B")]));
    assert_eq!(verdict.overturned(), Some(&option("A")));
    let moved: Vec<(&str, Vec<&str>)> =
        verdict.overturning().iter().map(|change| (change.seat.as_str(), change.cites())).collect();
    assert_eq!(moved, [("risk", vec!["cost.a1"]), ("value", vec!["cost.a1"])]);
}

#[test]
fn what_is_contested_or_left_where_it_was_overturns_nothing() {
    let plan = five_judges();
    let contested = judged(&plan, ["AAABB", "AAABB"], None);
    assert_eq!((contested.verdict.outcome(), contested.verdict.overturned()), (Outcome::Contested, None));
    // Without a ground nobody is moved, so nothing is overturned.
    let polite = judged(&plan, ["AAABB", "BBABB"], None);
    assert_eq!((polite.verdict.outcome(), polite.verdict.overturned()), (Outcome::Contested, None));
    let same = judged(&plan, ["AAABB", "AAAAA"], Some("risk"));
    assert_eq!((same.verdict.outcome(), same.verdict.overturned()), (Outcome::Consensus, None));
}

/// A judge that falls silent is left out of the last count; the blind vote keeps it.
#[test]
fn a_vote_can_be_overturned_because_its_voters_are_gone() {
    let mut plan = five_judges();
    plan.limits.threshold = forge_debate::voting::Threshold::parse("2/3").unwrap();
    let ended = judged(&plan, ["AAABB", "--ABB"], None);
    assert_eq!(ended.verdict.overturned(), Some(&option("A")));
    assert!(ended.verdict.overturning().is_empty());
}
