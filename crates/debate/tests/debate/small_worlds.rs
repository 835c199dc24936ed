//! Every small world: three seats, all openings, all later votes, all citations, held against a count of its own.
//!
//! The count here ([`Count::of`]) is written from the rules as docs/trust.md tells them, on plain numbers, and uses nothing
//! of the crate: neither its tally nor its robustness nor its course.

use crate::ballots::{vote, with};
use crate::world::{self, IntoDatum, Turns, absent, fields, seat, small_panel, speech, turn};
use forge_debate::anonymity::Speakers;
use forge_debate::plan::{Naming, OptionId, Plan, letter};
use forge_debate::protocols::{judges, panel};
use forge_debate::record::Record;
use forge_debate::robustness::CountingRule;
use forge_debate::turn::{AbsenceKind, Contribution, Stage, Turn, TurnKey};
use forge_debate::verdict::{Outcome, Verdict};
use forge_debate::voting::{Merit, Threshold};

/// What a ballot cites beside its vote. `Next` and `AfterNext` are the other two seats, in a circle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cites {
    Nothing,
    Next,
    AfterNext,
    /// By its own name.
    Itself,
    /// An argument of a peer that this seat had made itself, in the same words.
    WhatItSaidItself,
    /// An id that nobody gave to anything.
    MadeUp,
}

const ALL_CITATIONS: &[Cites] =
    &[Cites::Nothing, Cites::Next, Cites::AfterNext, Cites::Itself, Cites::WhatItSaidItself, Cites::MadeUp];

/// What a seat says in a round: the place of its option, and what it cites.
type Line = (usize, Cites);
/// The lines of three seats in one round.
type Round = [Line; 3];

/// How sure each seat is of what it says: by seat, and another way round in every second round.
fn confidence(seat: usize, round: usize) -> (&'static str, usize) {
    [("HIGH", 3), ("MEDIUM", 2), ("LOW", 1)][if round.is_multiple_of(2) { seat } else { 2 - seat }]
}

/// Which option wins among these votes, if one does.
type Wins = fn(&[usize]) -> Option<usize>;

fn only_one(votes: &[usize], enough: impl Fn(usize) -> bool) -> Option<usize> {
    let winners: Vec<usize> =
        (0..3).filter(|option| enough(votes.iter().filter(|vote| *vote == option).count())).collect();
    match winners[..] {
        [one] if !votes.is_empty() => Some(one),
        _ => None,
    }
}

fn two_thirds(votes: &[usize]) -> Option<usize> {
    only_one(votes, |n| n * 3 >= votes.len() * 2)
}

fn everybody(votes: &[usize]) -> Option<usize> {
    only_one(votes, |n| n == votes.len())
}

fn more_than_half(votes: &[usize]) -> Option<usize> {
    only_one(votes, |n| n * 2 > votes.len())
}

/// What the rules promise for a world.
#[derive(Debug, PartialEq, Eq)]
struct Count {
    rounds: usize,
    winner: Option<usize>,
    cast: Vec<usize>,
    counted: Vec<usize>,
    /// Round, seat, from, to, whether it was earned.
    changes: Vec<(usize, usize, usize, usize, bool)>,
    without: Vec<Option<usize>>,
    as_cast: Option<usize>,
    most_votes: Vec<usize>,
    most_confidence: Vec<usize>,
    pressed: u32,
    yielded: u32,
    convinced: u32,
}

impl Count {
    /// Counts these rounds; `ends_early` where an agreement ends the debate at once.
    fn of(rounds: &[Round], wins: Wins, ends_early: bool) -> Self {
        let mut counted: Vec<usize> = rounds[0].iter().map(|line| line.0).collect();
        let mut cast = counted.clone();
        let (mut changes, mut held) = (Vec::new(), 1);
        let (mut pressed, mut yielded, mut convinced) = (0, 0, 0);
        while held < rounds.len() && !(ends_early && wins(&counted).is_some()) {
            let before = counted.clone();
            for (seat, (now, cites)) in rounds[held].into_iter().enumerate() {
                let others: Vec<usize> = (0..3).filter(|other| *other != seat).map(|other| before[other]).collect();
                let hold = |option: usize| others.iter().filter(|held| **held == option).count();
                let presses = |option: usize| {
                    option != before[seat] && (0..3).all(|other| other == option || hold(other) < hold(option))
                };
                let mut under_pressure = (0..3).any(presses);
                let earned = matches!(cites, Cites::Next | Cites::AfterNext);
                // Saying an unearned vote once more is no second change.
                if now != before[seat] && (earned || now != cast[seat]) {
                    changes.push((held, seat, before[seat], now, earned));
                    let yields = !earned && hold(now) > 0;
                    under_pressure |= yields;
                    yielded += u32::from(yields);
                    convinced += u32::from(presses(now) && earned);
                }
                pressed += u32::from(under_pressure);
                if earned {
                    counted[seat] = now;
                }
                cast[seat] = now;
            }
            held += 1;
        }
        let without = |left_out: usize| {
            let others: Vec<usize> = (0..3).filter(|seat| *seat != left_out).map(|seat| counted[seat]).collect();
            wins(&others)
        };
        // The weight of a vote is how sure the seat was when it last cast what counts.
        let weight = |seat: usize| {
            let said = (0..held).rev().find(|round| rounds[*round][seat].0 == counted[seat]).unwrap();
            confidence(seat, said).1
        };
        let most = |weight: &dyn Fn(usize) -> usize| -> Vec<usize> {
            let sum = |option: usize| (0..3).filter(|seat| counted[*seat] == option).map(weight).sum::<usize>();
            let highest = (0..3).map(sum).max().unwrap();
            (0..3).filter(|option| sum(*option) == highest).collect()
        };
        Self {
            rounds: held,
            winner: wins(&counted),
            without: (0..3).map(without).collect(),
            as_cast: wins(&cast),
            most_votes: most(&|_| 1),
            most_confidence: most(&weight),
            cast,
            changes,
            pressed,
            yielded,
            convinced,
            counted,
        }
    }

    /// What a verdict says, in the same words. `openings` is the number that the protocol gives to the openings.
    fn told_by(plan: &Plan, verdict: &Verdict, openings: u16) -> Self {
        let place = |id: &OptionId| plan.options.iter().position(|option| option.id == *id).unwrap();
        let places = |ids: &[OptionId]| ids.iter().map(place).collect::<Vec<_>>();
        let seats: Vec<_> = plan.debaters().iter().map(|seat| seat.id.clone()).collect();
        let robustness = verdict.assessment.robustness.as_ref().unwrap();
        let named: Vec<_> = robustness.without.iter().map(|without| without.seat.clone()).collect();
        assert_eq!(named, seats, "each seat is left out once");
        for without in &robustness.without {
            assert_eq!(without.holds, without.winner == robustness.winner);
            assert_eq!(robustness.pivots().contains(&&without.seat), !without.holds);
        }
        let top = |rule: CountingRule| {
            places(&robustness.rules.iter().find(|count| count.rule == rule).expect("a way of counting").top)
        };
        let change = |change: &forge_debate::voting::Change| {
            let seat = seats.iter().position(|seat| *seat == change.seat).unwrap();
            let round = usize::from(change.round - openings);
            (round, seat, place(&change.from), place(&change.to), change.merit == Merit::Earned)
        };
        let conformity = verdict.assessment.course.conformity;
        Self {
            rounds: usize::from(verdict.ruling.rounds - openings) + 1,
            winner: robustness.winner.as_ref().map(place),
            cast: verdict.ruling.votes().iter().map(|vote| place(&vote.cast)).collect(),
            counted: verdict.ruling.votes().iter().map(|vote| place(&vote.counted)).collect(),
            changes: verdict.ruling.changes().iter().map(change).collect(),
            without: robustness.without.iter().map(|without| without.winner.as_ref().map(place)).collect(),
            as_cast: robustness.as_cast.as_ref().map(place),
            most_votes: top(CountingRule::Plurality),
            most_confidence: top(CountingRule::ConfidenceWeighted),
            pressed: conformity.pressed,
            yielded: conformity.yielded,
            convinced: conformity.convinced,
        }
    }
}

/// A seat's turn. Everybody makes two arguments: one of its own, and one that all make in the same words.
fn contribution(plan: &Plan, number: usize, round: usize, (chosen, cites): Line) -> Contribution {
    let seats = plan.debaters();
    let who = &seats[number].id;
    let speakers = Speakers::of(plan, who);
    let peer = |steps: usize| speakers.prefix(&seats[(number + steps) % 3].id);
    let mut ballot = with(vote(who, letter(chosen).as_str()), "confidence", confidence(number, round).0);
    let own = fields! { "id": "a1", "text": format!("what only {who} saw before round {round}") };
    ballot.set("arguments", vec![own, fields! { "id": "a2", "text": "what everybody says" }].into_datum());
    if round > 0 {
        ballot = with(ballot, "challenges", [fields! { "to": peer(1), "text": "that ground does not hold" }]);
    }
    let cited = match cites {
        Cites::Nothing => Vec::new(),
        Cites::Next => vec![format!("{}.a1", peer(1))],
        Cites::AfterNext => vec![format!("{}.a1", peer(2))],
        Cites::Itself => vec![format!("{who}.a1")],
        Cites::WhatItSaidItself => vec![format!("{}.a2", peer(1))],
        Cites::MadeUp => vec![format!("{}.a9", peer(2))],
    };
    if !cited.is_empty() {
        ballot = with(ballot, "convinced_by", cited);
    }
    Contribution::Speech(speech(ballot))
}

fn put(turns: &mut Turns, key: TurnKey, contribution: Contribution) {
    turns.insert(key.clone(), turn(key, contribution));
}

/// Every turn that the three seats can contribute to one round, made once.
struct Lines {
    lines: Vec<Line>,
    turns: Vec<[Turn; 3]>,
}

impl Lines {
    fn of(plan: &Plan, stage: Stage, number: u16, round: usize, lines: &[Line]) -> Self {
        let seats = plan.debaters();
        let said = |line: &Line| {
            [0, 1, 2].map(|i| turn(TurnKey::new(stage, number, &seats[i].id), contribution(plan, i, round, *line)))
        };
        Self { lines: lines.to_vec(), turns: lines.iter().map(said).collect() }
    }

    /// Puts on record what the three seats say of these lines.
    fn put(&self, turns: &mut Turns, picked: [usize; 3]) -> Round {
        for (seat, line) in picked.into_iter().enumerate() {
            let turn = &self.turns[line][seat];
            turns.insert(turn.key.clone(), turn.clone());
        }
        picked.map(|line| self.lines[line])
    }
}

fn verdict(plan: &Plan, turns: &Turns) -> Verdict {
    let mut record = Record::new(turns);
    forge_debate::conclude(world::rules(plan), plan, &mut record).unwrap_or_else(|pending| {
        panic!("still asked for: {:?}", pending.asks.iter().map(|ask| &ask.key).collect::<Vec<_>>())
    })
}

/// Every way in which three seats can pick one of `n` things each.
fn triples(n: usize) -> impl Iterator<Item = [usize; 3]> {
    (0..n * n * n).map(move |i| [i % n, i / n % n, i / (n * n)])
}

fn judges_plan(threshold: &str, naming: Naming) -> Plan {
    let mut plan = world::plan("judges");
    plan.limits.threshold = Threshold::parse(threshold).unwrap();
    plan.naming = naming;
    plan
}

/// Two rounds of judges with all openings among `options`, and every later vote with each of the citations that `cited`
/// gives for these openings; returns how many worlds there were.
fn every_world_of_judges(
    plan: &Plan,
    options: usize,
    wins: Wins,
    cited: impl Fn([usize; 3]) -> &'static [Cites],
) -> usize {
    let with_each = |cites: &[Cites]| -> Vec<Line> {
        (0..options).flat_map(|option| cites.iter().map(move |cites| (option, *cites))).collect()
    };
    let opening = Lines::of(plan, judges::OPENING, 1, 0, &with_each(&[Cites::Nothing]));
    let mut worlds = 0;
    for picked in triples(options) {
        let later = Lines::of(plan, judges::CHALLENGE, 2, 1, &with_each(cited(picked)));
        let mut turns = Turns::new();
        let first = opening.put(&mut turns, picked);
        if wins(&picked).is_some() {
            check_judges(plan, &turns, &[first], wins);
            worlds += 1;
            continue;
        }
        for picked in triples(later.lines.len()) {
            let second = later.put(&mut turns, picked);
            check_judges(plan, &turns, &[first, second], wins);
            worlds += 1;
        }
    }
    worlds
}

fn check_judges(plan: &Plan, turns: &Turns, rounds: &[Round], wins: Wins) {
    let verdict = verdict(plan, turns);
    let expected = Count::of(rounds, wins, true);
    assert_eq!(Count::told_by(plan, &verdict, 1), expected, "{rounds:?}");
    let outcome = if expected.winner.is_some() { Outcome::Consensus } else { Outcome::Contested };
    let options: Vec<OptionId> = expected.winner.into_iter().map(letter).collect();
    assert_eq!((verdict.outcome(), verdict.options().to_vec()), (outcome, options), "{rounds:?}");
}

/// What cites nothing, what cites an argument, and what cites in vain: enough where all six were tried under other names.
const KINDS_OF_CITATION: &[Cites] = &[Cites::Nothing, Cites::Next, Cites::WhatItSaidItself];

#[test]
fn two_options_where_all_must_agree() {
    let plan = judges_plan("1", Naming::Anonymous);
    // With two options, every opening with B first is one with A first and the names exchanged.
    let cited = |openings: [usize; 3]| if openings[0] == 0 { ALL_CITATIONS } else { KINDS_OF_CITATION };
    assert_eq!(every_world_of_judges(&plan, 2, everybody, cited), 2 + 3 * 12 * 12 * 12 + 3 * 6 * 6 * 6);
}

#[test]
fn two_options_where_peers_have_names() {
    let plan = judges_plan("1", Naming::Named);
    assert_eq!(every_world_of_judges(&plan, 2, everybody, |_| KINDS_OF_CITATION), 2 + 6 * 6 * 6 * 6);
}

#[test]
fn three_options_where_two_thirds_must_agree() {
    let plan = judges_plan("2/3", Naming::Anonymous);
    // Whoever differs from everybody else differs as A, B, C do.
    let cited = |openings: [usize; 3]| if openings == [0, 1, 2] { ALL_CITATIONS } else { &KINDS_OF_CITATION[..2] };
    assert_eq!(every_world_of_judges(&plan, 3, two_thirds, cited), 21 + 18 * 18 * 18 + 5 * 6 * 6 * 6);
}

/// A panel holds two rounds of response after the positions, so a vote can move, be said again, and return. Of the 16,384
/// worlds with A first, every eleventh: a panel's pass takes long, and 11 meets every line of every seat.
#[test]
fn a_small_panel_over_three_waves_of_votes() {
    let plan = small_panel(2);
    let opening = Lines::of(&plan, panel::POSITION, 0, 0, &[(0, Cites::Nothing), (1, Cites::Nothing)]);
    let lines = [(0, Cites::Nothing), (1, Cites::Nothing), (0, Cites::Next), (1, Cites::AfterNext)];
    let [first, second] = [1, 2].map(|round| Lines::of(&plan, panel::RESPONSE, round, usize::from(round), &lines));
    let openings = triples(2).filter(|openings| openings[0] == 0);
    let worlds =
        openings.flat_map(|one| triples(4).flat_map(move |two| triples(4).map(move |three| (one, two, three))));
    let mut turns = Turns::new();
    for (one, two, three) in worlds.step_by(11) {
        let rounds = [opening.put(&mut turns, one), first.put(&mut turns, two), second.put(&mut turns, three)];
        let expected = Count::of(&rounds, more_than_half, false);
        finish(&mut turns, &plan, expected.winner);
        let verdict = verdict(&plan, &turns);
        assert_eq!(Count::told_by(&plan, &verdict, 0), expected, "{rounds:?}");
        let options: Vec<OptionId> = expected.winner.into_iter().map(letter).collect();
        assert_eq!((verdict.outcome(), verdict.options().to_vec()), (Outcome::Decided, options), "{rounds:?}");
    }
}

/// What follows the votes of a panel: a silent referee, a synthesis of what the votes chose, and fair reviews.
fn finish(turns: &mut Turns, plan: &Plan, winner: Option<usize>) {
    let writer = &seat("ceo");
    put(turns, world::key(panel::REFEREE, 2, "referee"), absent(AbsenceKind::Crashed));
    let named = letter(winner.unwrap_or(0));
    put(turns, TurnKey::new(panel::SYNTHESIS, 0, writer), Contribution::Speech(speech(vote(writer, named.as_str()))));
    for seat in plan.debaters().into_iter().filter(|seat| seat.id != *writer) {
        let fair = fields! { "accurate": true, "reason": "it says what I said" };
        put(turns, TurnKey::new(panel::REVIEW, 0, &seat.id), Contribution::Speech(speech(fair)));
    }
}

/// The count above must be able to fail: worlds whose results were worked out by hand.
#[test]
fn the_count_of_its_own_says_what_a_person_would() {
    let line = |option| (option, Cites::Nothing);
    let split = [line(0), line(1), line(2)];
    let polite = Count::of(&[split, [line(0), line(0), line(0)]], two_thirds, true);
    assert_eq!((polite.winner, polite.as_cast, polite.counted, polite.yielded), (None, Some(0), vec![0, 1, 2], 2));
    let moved = Count::of(&[split, [line(0), (0, Cites::AfterNext), line(0)]], two_thirds, true);
    assert_eq!((moved.winner, moved.counted.clone(), moved.convinced), (Some(0), vec![0, 0, 2], 0));
    assert_eq!(moved.without, [None, None, Some(0)], "the two that agree are the pivots");
    // Two who agree press the third, and see one of each themselves.
    let outvoted = Count::of(&[[line(0), line(0), line(1)], [line(0), line(0), line(0)]], two_thirds, false);
    assert_eq!((outvoted.pressed, outvoted.yielded, outvoted.convinced), (1, 1, 0));
    let at_once = Count::of(&[[line(0), line(0), line(1)], split], two_thirds, true);
    assert_eq!((at_once.rounds, at_once.winner, at_once.pressed), (1, Some(0), 0));
}
