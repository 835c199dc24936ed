//! A person's decision, laid over what the seats left open.

use crate::world::{self, Ended, Turns, fields, option, pass, turn};
use crate::{ballots, world::Pace};
use forge_debate::plan::Plan;
use forge_debate::protocols::{decision_ask, judges};
use forge_debate::turn::{AbsenceKind, Contribution};
use forge_debate::verdict::{Confidence, Outcome};

fn judged(plan: &Plan, votes: [&str; 3]) -> Ended {
    world::run(plan, Pace::Waves, |ask, _| {
        let n = plan.seats.iter().position(|seat| seat.id == ask.key.seat).unwrap();
        ballots::say(plan, ask, "Said.", ballots::vote(&ask.key.seat, votes[n]))
    })
}

fn decided(plan: &Plan, turns: &Turns, contribution: Contribution) -> Ended {
    let ask = decision_ask();
    let mut turns = turns.clone();
    turns.insert(ask.key.clone(), turn(ask.key, contribution));
    pass(plan, &turns).unwrap()
}

fn decision(plan: &Plan) -> Contribution {
    let ballot = fields! { "option": "Option B", "by": "Ada", "because": "the field workers need it" };
    ballots::say(plan, &decision_ask(), "", ballot)
}

#[test]
fn a_person_decides_what_was_contested_and_the_split_is_kept() {
    let plan = world::plan("judges");
    let open = judged(&plan, ["A", "B", "C"]);
    assert_eq!(open.verdict.outcome(), Outcome::Contested);
    let ended = decided(&plan, &open.turns, decision(&plan));
    let verdict = &ended.verdict;
    assert_eq!((verdict.outcome(), &verdict.options().to_vec()), (Outcome::Decided, &vec![option("B")]));
    let taken = verdict.decision.as_ref().unwrap();
    assert_eq!(
        (taken.by.as_str(), taken.option.as_str(), taken.because.as_str()),
        ("Ada", "B", "the field workers need it")
    );
    assert_eq!((verdict.ruling.votes(), verdict.confidence()), (open.verdict.ruling.votes(), Confidence::Medium));
    assert!(ended.has_note("left this contested") && ended.strangers.is_empty());
}

#[test]
fn a_decision_on_what_the_seats_had_settled_is_a_stranger() {
    let plan = world::plan("judges");
    let settled = judged(&plan, ["A", "A", "C"]);
    let ended = decided(&plan, &settled.turns, decision(&plan));
    assert_eq!((ended.verdict.options().to_vec(), ended.verdict.decision), (vec![option("A")], None));
    assert_eq!(ended.strangers, [decision_ask().key]);
}

#[test]
fn a_decision_that_never_came_decides_nothing() {
    let plan = world::plan("judges");
    let open = judged(&plan, ["A", "B", "C"]);
    let ended = decided(&plan, &open.turns, world::absent(AbsenceKind::TimedOut));
    assert_eq!((ended.verdict.outcome(), ended.verdict.decision), (Outcome::Contested, None));
}

#[test]
fn a_turn_that_nobody_asked_for_is_reported() {
    let plan = world::plan("judges");
    let settled = judged(&plan, ["A", "A", "C"]);
    let extra = world::key(judges::CHALLENGE, 2, "risk");
    let mut turns = settled.turns.clone();
    turns.insert(extra.clone(), turn(extra.clone(), world::absent(AbsenceKind::Crashed)));
    let ended = pass(&plan, &turns).unwrap();
    assert_eq!((ended.strangers, ended.verdict), (vec![extra], settled.verdict));
}
