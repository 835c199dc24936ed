//! Three judges, exhaustively: each says A, B, C or nothing in each of two rounds.

use crate::ballots::{say, vote, with};
use crate::world::{self, Ended, Pace, absent, fields, key, option, run, seat};
use forge_debate::anonymity::Speakers;
use forge_debate::plan::Plan;
use forge_debate::protocols::judges::{CHALLENGE, OPENING};
use forge_debate::record::{Ask, Reads};
use forge_debate::turn::{AbsenceKind, Contribution};
use forge_debate::verdict::{Confidence, Contest, Outcome};
use forge_debate::voting::{Merit, Threshold};

const JUDGES: [&str; 3] = ["risk", "value", "effort"];
/// What a judge can do in a round; `-` is an absence.
const MOVES: [char; 4] = ['A', 'B', 'C', '-'];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flips {
    CitePeers,
    CiteNothing,
}

/// Round 1 and round 2 of one world, such as `AB-` and `AAC`.
type Script = [[char; 3]; 2];

fn worlds() -> impl Iterator<Item = Script> {
    (0..4usize.pow(6)).map(|n| {
        let at = |i: usize| MOVES[(n >> (2 * i)) & 3];
        [[at(0), at(1), at(2)], [at(3), at(4), at(5)]]
    })
}

fn play(plan: &Plan, script: Script, flips: Flips) -> Ended {
    let mut turn_of = 0;
    run(plan, Pace::Waves, |ask, _| {
        turn_of += 1;
        answer(plan, ask, script, flips, AbsenceKind::ALL[turn_of % AbsenceKind::ALL.len()])
    })
}

fn answer(plan: &Plan, ask: &Ask, script: Script, flips: Flips, kind: AbsenceKind) -> Contribution {
    let judge = &ask.key.seat;
    let n = JUDGES.iter().position(|name| *name == judge.as_str()).unwrap();
    let (first, now) = (script[0][n], script[usize::from(ask.key.round) - 1][n]);
    if now == '-' {
        return absent(kind);
    }
    let mut ballot = vote(judge, &now.to_string());
    if ask.key.round == 2 {
        let speakers = Speakers::of(plan, judge);
        let peer = (0..3).find(|i| *i != n && script[0][*i] != '-').map(|i| speakers.prefix(&seat(JUDGES[i]))).unwrap();
        ballot = with(ballot, "challenges", [fields! { "to": peer.as_str(), "text": "that ground does not hold" }]);
        if now != first && flips == Flips::CitePeers {
            ballot = with(ballot, "convinced_by", [format!("{peer}.a1")]);
        }
    }
    say(
        plan,
        ask,
        "## Assessment\nSeen.\n## Recommendation\nOption A, B or C.\n## Challenges\nDone.\n## Position\nOption B.",
        ballot,
    )
}

/// What the seeds promise for a world, counted without looking at the protocol's code: a tally on strings.
#[derive(Debug, PartialEq, Eq)]
struct Promise {
    outcome: Outcome,
    option: Option<char>,
    rounds: u16,
    asked_again: String,
    absent: String,
    moved: String,
}

fn promised(script: Script, flips: Flips) -> Promise {
    let names = "rve";
    let two_thirds_of = |ballots: &str| "ABC".chars().find(|o| ballots.matches(*o).count() * 3 >= ballots.len() * 2);
    let first: String = script[0].iter().filter(|c| **c != '-').collect();
    let missing_first: String = names.chars().zip(script[0]).filter(|(_, c)| *c == '-').map(|(name, _)| name).collect();
    let over = |outcome, option| Promise {
        outcome,
        option,
        rounds: 1,
        asked_again: String::new(),
        absent: missing_first.clone(),
        moved: String::new(),
    };
    if first.len() < 2 {
        return over(Outcome::Insufficient, None);
    }
    if let Some(winner) = two_thirds_of(&first) {
        return over(Outcome::Consensus, Some(winner));
    }
    let (mut second, mut asked_again, mut absent, mut moved) =
        (String::new(), String::new(), missing_first.clone(), String::new());
    for (name, (before, now)) in names.chars().zip(script[0].into_iter().zip(script[1])).filter(|(_, (b, _))| *b != '-')
    {
        asked_again.push(name);
        match (now, now == before, flips) {
            ('-', _, _) => absent.push(name),
            (_, true, _) => second.push(now),
            (_, false, Flips::CitePeers) => {
                second.push(now);
                moved.push(name);
            }
            (_, false, Flips::CiteNothing) => second.push(before),
        }
    }
    let outcome = match (second.len(), two_thirds_of(&second)) {
        (0 | 1, _) => Outcome::Insufficient,
        (_, Some(_)) => Outcome::Consensus,
        (_, None) => Outcome::Contested,
    };
    let option = two_thirds_of(&second).filter(|_| outcome == Outcome::Consensus);
    Promise { outcome, option, rounds: 2, asked_again, absent, moved }
}

fn initials<'a>(seats: impl IntoIterator<Item = &'a str>) -> String {
    seats.into_iter().map(|name| name.chars().next().unwrap()).collect()
}

fn check(plan: &Plan, script: Script, flips: Flips) {
    let ended = play(plan, script, flips);
    let verdict = &ended.verdict;
    let earned = verdict.ruling.changes().iter().filter(|change| change.merit == Merit::Earned);
    let found = Promise {
        outcome: verdict.outcome(),
        option: verdict.options().first().map(|id| id.as_str().chars().next().unwrap()),
        rounds: verdict.ruling.rounds,
        asked_again: initials(ended.seats_asked(CHALLENGE, 2)),
        absent: initials(verdict.ruling.missing.iter().map(|missing| missing.key.seat.as_str())),
        moved: initials(earned.map(|change| change.seat.as_str())),
    };
    let world = format!("{} {} {flips:?}", String::from_iter(script[0]), String::from_iter(script[1]));
    assert_eq!(found, promised(script, flips), "{world}");
    assert_eq!(ended.seats_asked(OPENING, 1), JUDGES, "{world}: round 1 is for everyone");
    let together: Vec<&str> = ended.waves[0].iter().map(|ask| ask.key.seat.as_str()).collect();
    assert_eq!(together, JUDGES, "{world}: at the same time");
    let mut openings = ended.asked().into_iter().filter(|ask| ask.key.stage == OPENING);
    assert!(openings.all(|ask| ask.reads == Reads::Blind), "{world}: none sees another");
    assert!(verdict.options().len() <= 1, "{world}");
    for missing in &verdict.ruling.missing {
        let noted =
            verdict.ruling.notes.iter().any(|note| {
                note.fact.code == "judge_absent" && note.fact.values.text("seat") == missing.key.seat.as_str()
            });
        assert!(noted, "{world}: {} is left out without a note: {:?}", missing.key, verdict.ruling.notes);
    }
    for change in verdict.ruling.changes().iter().filter(|change| change.merit == Merit::Unearned) {
        let counted = verdict.ruling.votes().iter().find(|vote| vote.seat == change.seat).map(|vote| &vote.counted);
        assert_eq!(counted, Some(&change.from), "{world}: an unearned flip of {}", change.seat);
    }
    let dissenting: Vec<_> = verdict.ruling.dissents.iter().map(|dissent| &dissent.seat).collect();
    let outvoted: Vec<_> = match verdict.options().first() {
        Some(winner) => {
            verdict.ruling.votes().iter().filter(|vote| vote.counted != *winner).map(|vote| &vote.seat).collect()
        }
        None => Vec::new(),
    };
    assert_eq!(dissenting, outvoted, "{world}: every outvoted judge is a dissent");
}

// seed: S3-3, S3-9, S3-10, S3-49
#[test]
fn every_world_of_three_judges_ends_as_a_plain_count_says_when_flips_cite_a_peer() {
    let plan = world::plan("judges");
    worlds().for_each(|script| check(&plan, script, Flips::CitePeers));
}

// seed: S3-42, S3-53
#[test]
fn every_world_of_three_judges_ends_as_a_plain_count_says_when_flips_cite_nothing() {
    let plan = world::plan("judges");
    worlds().for_each(|script| check(&plan, script, Flips::CiteNothing));
}

// seed: S3-21
#[test]
fn the_decimal_of_the_seed_counts_exactly_like_two_thirds() {
    let mut plan = world::plan("judges");
    plan.limits.threshold = Threshold::parse("0.67").unwrap();
    worlds().step_by(7).for_each(|script| check(&plan, script, Flips::CitePeers));
}

// seed: S3-5, S3-31
#[test]
fn the_examples_of_the_seed_come_out_as_printed() {
    let plan = world::plan("judges");
    // The diagram: risk A, value B, effort A.
    let skipped = play(&plan, [['A', 'B', 'A'], ['C', 'C', 'C']], Flips::CitePeers).verdict;
    assert_eq!(
        (skipped.outcome(), skipped.options().to_vec(), skipped.ruling.rounds),
        (Outcome::Consensus, vec![option("A")], 1)
    );
    assert_eq!(skipped.confidence(), Confidence::High);
    // The consensus result: value changed from B to A in round 2.
    let moved = play(&plan, [['A', 'B', 'C'], ['A', 'A', 'C']], Flips::CitePeers).verdict;
    assert_eq!(
        (moved.outcome(), moved.options().to_vec(), moved.ruling.rounds),
        (Outcome::Consensus, vec![option("A")], 2)
    );
    let change = &moved.ruling.changes()[0];
    assert_eq!((change.seat.as_str(), change.round), ("value", 2));
    assert_eq!((change.from.as_str(), change.to.as_str(), change.cites()[0]), ("B", "A", "risk.a1"));
    // The contested result.
    let split = play(&plan, [['A', 'B', 'C'], ['A', 'B', 'C']], Flips::CitePeers).verdict;
    assert_eq!(
        (split.outcome(), split.options().to_vec(), split.confidence()),
        (Outcome::Contested, vec![], Confidence::RequiresInput)
    );
}

// seed: S3-45, S3-46
#[test]
fn a_judge_left_out_is_noted_with_the_perspectives_that_remain() {
    let plan = world::plan("judges");
    let ended = run(&plan, Pace::Waves, |ask, _| match ask.key.seat.as_str() {
        "risk" => absent(AbsenceKind::TimedOut),
        _ => answer(&plan, ask, [['-', 'A', 'A'], ['-', 'A', 'A']], Flips::CitePeers, AbsenceKind::Crashed),
    });
    assert!(ended.has_note("Risk judge timed out"), "{:?}", ended.verdict.ruling.notes);
    assert!(ended.has_note("only 2 perspectives available"), "{:?}", ended.verdict.ruling.notes);
    assert_eq!(ended.verdict.ruling.missing[0].key, key(OPENING, 1, "risk"));
    assert_eq!(ended.verdict.confidence(), Confidence::Medium, "a degraded consensus claims less");
}

/// The reason beside a counted vote must be one for that vote: readers take the two together.
#[test]
fn an_unearned_flip_keeps_the_reason_of_the_vote_that_stands() {
    let plan = world::plan("judges");
    let verdict = play(&plan, [['A', 'B', 'C'], ['A', 'A', 'C']], Flips::CiteNothing).verdict;
    let value = verdict.ruling.reasons.iter().find(|reason| reason.seat.as_str() == "value").unwrap();
    assert_eq!(value.option, Some(option("B")));
    assert_eq!(value.text, "value measured B and found its latency halved");
}

// seed: S3-50
#[test]
fn one_round_is_enough_where_the_plan_says_so() {
    let mut plan = world::plan("judges");
    plan.limits.rounds = 1;
    let ended = play(&plan, [['A', 'B', 'C'], ['A', 'A', 'A']], Flips::CitePeers);
    assert_eq!((ended.verdict.outcome(), ended.verdict.ruling.rounds), (Outcome::Contested, 1));
    assert_eq!(ended.verdict.ruling.contest, Some(Contest::NoWinner));
    assert_eq!(ended.verdict.confidence(), Confidence::RequiresInput);
    assert_eq!(ended.asked_in(CHALLENGE), 0);
}

/// Round 2 of a longer debate: a flip counts for what was known when it was made.
#[test]
fn a_flip_is_not_earned_by_an_argument_that_is_made_later() {
    let mut plan = world::plan("judges");
    plan.limits.rounds = 3;
    let ended = run(&plan, Pace::Waves, |ask, _| {
        let judge = ask.key.seat.as_str();
        let speakers = Speakers::of(&plan, &ask.key.seat);
        let ballot = match (judge, ask.key.round) {
            ("value", 2 | 3) => {
                let later = format!("{}.a9", speakers.prefix(&seat("risk")));
                let cites = if ask.key.round == 2 { vec![later] } else { vec![] };
                with(vote(&ask.key.seat, "A"), "convinced_by", cites)
            }
            ("risk", 3) => with(
                vote(&ask.key.seat, "A"),
                "arguments",
                [fields! { "id": "a9", "text": "what nobody knew before round three" }],
            ),
            ("risk", _) => vote(&ask.key.seat, "A"),
            ("value", _) => vote(&ask.key.seat, "B"),
            _ => vote(&ask.key.seat, "C"),
        };
        say(&plan, ask, "Said.", ballot)
    });
    assert_eq!(ended.verdict.ruling.changes()[0].merit, Merit::Unearned, "{:?}", ended.verdict.ruling.changes());
    assert_eq!(ended.verdict.outcome(), Outcome::Contested);
}

/// Silence costs a judge the round, not its seat.
#[test]
fn a_judge_that_is_silent_in_one_round_speaks_again_in_the_next() {
    let mut plan = world::plan("judges");
    plan.limits.rounds = 3;
    let ended = run(&plan, Pace::Waves, |ask, _| {
        let own = match ask.key.seat.as_str() {
            "risk" => "A",
            "value" => "B",
            _ => "C",
        };
        if ask.key.round == 2 && ask.key.seat.as_str() == "risk" {
            return absent(AbsenceKind::TimedOut);
        }
        let text = "## What Can Go Wrong\n- It stops.\n## What Is Lost\n- Speed.\n## What It Costs\n- A week.";
        say(&plan, ask, text, crate::ballots::challenging(ask, vote(&ask.key.seat, own)))
    });
    assert_eq!(ended.seats_asked(CHALLENGE, 3), JUDGES);
    assert_eq!((ended.verdict.outcome(), ended.verdict.ruling.votes().len()), (Outcome::Contested, 3));
    assert!(ended.verdict.ruling.is_degraded());
}

/// What is counted is who spoke in that round, not how many turns are missing in all.
#[test]
fn a_judge_that_is_silent_twice_leaves_two_perspectives_each_time() {
    let mut plan = world::plan("judges");
    plan.limits.rounds = 3;
    let ended = run(&plan, Pace::Waves, |ask, _| {
        let own = match ask.key.seat.as_str() {
            "risk" if ask.key.round > 1 => return absent(AbsenceKind::TimedOut),
            "risk" => "A",
            "value" => "B",
            _ => "C",
        };
        let text = "## What Can Go Wrong\n- It stops.\n## What Is Lost\n- Speed.\n## What It Costs\n- A week.";
        say(&plan, ask, text, crate::ballots::challenging(ask, vote(&ask.key.seat, own)))
    });
    for round in [2, 3] {
        let note = format!("Risk judge timed out in round {round} - only 2 perspectives available");
        assert!(ended.has_note(&note), "{note}: {:?}", ended.verdict.ruling.notes);
    }
}
