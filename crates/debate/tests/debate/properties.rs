//! What holds for every protocol in every world: random worlds for all, every world where there are few.

use crate::paths;
use crate::voices::Voices;
use crate::world::{self, Ended, IntoDatum, Pace, Turns, absent, challenge_with, pass, run, small_panel};
use forge_debate::cost;
use forge_debate::form::{Field, Kind};
use forge_debate::plan::{Material, Naming, Plan};
use forge_debate::protocols::{ALL, challenge, panel};
use forge_debate::record::{Ask, Reads};
use forge_debate::turn::{AbsenceKind, Contribution, Stage, Turn, TurnKey};
use forge_debate::verdict::Outcome;
use forge_debate::voting::Merit;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use std::collections::BTreeSet;

/// A protocol, its plan, and how its seats behave.
#[derive(Debug, Clone)]
struct Case {
    plan: Plan,
    voices: Voices,
}

impl Case {
    fn run(&self, pace: Pace) -> Ended {
        run(&self.plan, pace, |ask, _| self.voices.answer(&self.plan, ask))
    }
}

fn cases() -> impl Strategy<Value = Case> {
    let absences = prop_oneof![2 => Just(0usize), 3 => 1usize..15, 2 => 15usize..60, 1 => Just(100usize)];
    let sloppiness = prop_oneof![Just(0usize), 1usize..40];
    (0..ALL.len(), any::<u64>(), any::<u64>(), absences, sloppiness, 0u16..100, any::<bool>(), 0..3u8).prop_map(
        |(protocol, seed, plan_seed, absent_percent, sloppy_percent, rounds, named, supplied)| {
            let protocol = ALL[protocol];
            let mut plan = world::plan(protocol.profile.name);
            let bounds = protocol.profile.rounds;
            plan.limits.rounds = bounds.least + rounds % (bounds.most - bounds.least + 1).min(4);
            plan.seed = plan_seed;
            plan.naming = if named { Naming::Named } else { Naming::Anonymous };
            if supplied > 0 {
                let text = "Sessions must survive a restart.".to_owned();
                plan.materials = vec![Material { name: "spec.md".to_owned(), text }];
                plan.demands.grounded = supplied > 1;
            }
            Case { plan, voices: Voices { seed, absent_percent, sloppy_percent } }
        },
    )
}

/// Checks a property in random worlds; the same ones every time.
fn in_random_worlds(check: impl Fn(&Case)) {
    let config = ProptestConfig {
        cases: 150,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20260115),
        ..ProptestConfig::default()
    };
    let outcome = TestRunner::new(config).run(&cases(), |case| {
        check(&case);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

fn spoke(ended: &Ended) -> bool {
    ended.turns.values().all(|turn| turn.speech().is_some())
}

/// Ends within its cost; and when everybody speaks and takes part, not below it.
fn is_total_and_bounded(plan: &Plan, ended: &Ended) {
    let total = cost::total(&(world::rules(plan).profile.cost)(plan));
    let calls = ended.turns.len() as u32;
    assert!(calls <= total.max_calls, "{calls} calls; at most {} were announced", total.max_calls);
    let stages = (world::rules(plan).profile.cost)(plan);
    let each = cost::seats(&stages).into_iter().map(|seat| cost::of_seat(&stages, seat));
    let sums = each.fold((0, 0), |sum, calls| (sum.0 + calls.0, sum.1 + calls.1));
    assert_eq!(sums, (total.min_calls, total.max_calls), "what seats are asked is what is asked in all");
    for seat in &plan.seats {
        let spoke = ended.turns.keys().filter(|key| key.seat == seat.id).count() as u32;
        let (_, most) = cost::of_seat(&stages, &seat.id);
        assert!(spoke <= most, "{}: {spoke} calls; at most {most} were announced", seat.id);
    }
    assert!(
        ended.waves.len() as u32 <= total.max_waves,
        "{} waves; at most {} were announced",
        ended.waves.len(),
        total.max_waves
    );
    let declined = ended
        .turns
        .values()
        .filter_map(|turn| turn.speech())
        .any(|speech| speech.ballot.get("ready").is_some() && !speech.ballot.flag("ready"));
    if spoke(ended) && !declined && ended.verdict.outcome() != Outcome::Insufficient {
        assert!(calls >= total.min_calls, "{calls} calls; at least {} were announced", total.min_calls);
    }
}

#[test]
fn every_debate_ends_within_the_calls_and_waves_announced() {
    in_random_worlds(|case| is_total_and_bounded(&case.plan, &case.run(Pace::Waves)));
}

#[test]
fn a_panel_without_a_referee_stays_within_the_calls_announced() {
    for seed in 0..40 {
        let mut plan = small_panel(2);
        plan.seats.retain(|seat| seat.id.as_str() != "referee");
        assert_eq!(plan.defects(), Vec::<String>::new());
        let case = Case { plan, voices: Voices { seed, absent_percent: 0, sloppy_percent: 0 } };
        let ended = case.run(Pace::Waves);
        assert_eq!(ended.asked_in(panel::REFEREE), 0);
        is_total_and_bounded(&case.plan, &ended);
    }
}

/// One pass never asks the same thing twice, and reads only what earlier waves of it said.
fn asks_are_sound(ended: &Ended) {
    let mut before: BTreeSet<_> = BTreeSet::new();
    for wave in &ended.waves {
        for ask in wave {
            assert!(!before.contains(&ask.key), "{} is asked twice in one pass", ask.key);
            for read in ask.reads.keys() {
                assert!(before.contains(read), "{} reads {read}, which is not of an earlier wave", ask.key);
                assert!(ended.turns[read].speech().is_some(), "{} reads {read}, which is an absence", ask.key);
            }
            if let Reads::Peers { others, own } = &ask.reads {
                assert!(
                    others.iter().all(|key| key.seat != ask.key.seat) && own.iter().all(|key| key.seat == ask.key.seat)
                );
            }
        }
        let keys: BTreeSet<_> = wave.iter().map(|ask| ask.key.clone()).collect();
        assert_eq!(keys.len(), wave.len(), "one wave asks the same thing twice");
        before.extend(keys);
    }
    let first = &ended.waves[0];
    assert!(first.iter().all(|ask| ask.reads == Reads::Blind), "the first wave is blind");
}

#[test]
fn no_pass_asks_twice_or_reads_its_own_wave_or_the_future() {
    in_random_worlds(|case| asks_are_sound(&case.run(Pace::Waves)));
}

/// `run` holds that no open ask is on record; here, that every pass on the way is sound too.
#[test]
fn no_pass_on_the_way_asks_for_a_turn_already_given() {
    in_random_worlds(|case| {
        let mut given = 0;
        let ended = run(&case.plan, Pace::FirstOnly, |ask, turns| {
            assert_eq!(turns.len(), given);
            given += 1;
            case.voices.answer(&case.plan, ask)
        });
        assert_eq!(ended.turns.len(), given);
        asks_are_sound(&ended);
    });
}

#[test]
fn the_order_of_answers_changes_nothing() {
    in_random_worlds(|case| {
        let waves = case.run(Pace::Waves);
        for pace in [Pace::LastOnly, Pace::AnyOne(case.voices.seed)] {
            let other = case.run(pace);
            assert_eq!(other.verdict, waves.verdict, "{pace:?}");
            assert_eq!(other.turns, waves.turns, "{pace:?}");
            assert_eq!(other.waves, waves.waves, "{pace:?}");
        }
    });
}

#[test]
fn a_concluded_debate_stays_concluded_and_knows_all_its_turns() {
    in_random_worlds(|case| {
        let ended = case.run(Pace::Waves);
        let again = pass(&case.plan, &ended.turns).unwrap();
        assert_eq!(again, ended);
        assert_eq!(ended.strangers, []);
        assert_eq!(ended.asked().len(), ended.turns.len());
    });
}

/// Without what was said from some wave on, exactly that wave is open; without one of its turns, exactly that turn.
fn prefixes_reopen(plan: &Plan, ended: &Ended) {
    for n in 0..ended.waves.len() {
        let mut turns: Turns = ended.turns.clone();
        for ask in ended.waves[n..].iter().flatten() {
            turns.remove(&ask.key);
        }
        assert_eq!(pass(plan, &turns).unwrap_err(), ended.waves[n], "without wave {n}");
    }
    if let Some(last) = ended.waves.last() {
        for ask in last {
            let mut turns: Turns = ended.turns.clone();
            turns.remove(&ask.key);
            assert_eq!(pass(plan, &turns).unwrap_err(), vec![ask.clone()], "without {}", ask.key);
        }
    }
}

#[test]
fn dropping_the_last_waves_reopens_exactly_their_asks() {
    in_random_worlds(|case| prefixes_reopen(&case.plan, &case.run(Pace::Waves)));
}

#[test]
fn every_turn_has_a_file_of_its_own() {
    in_random_worlds(|case| {
        let ended = case.run(Pace::Waves);
        paths::check(&case.plan, ended.asked().into_iter().map(|ask| ask.key.clone()));
    });
}

/// Absences are facts: each is in the verdict, and any of a seat that argues marks it. An absent officer is a note.
fn absences_are_kept(plan: &Plan, ended: &Ended) {
    // Who answers a probe and is not ready is lost in it.
    let declines = |turn: &&Turn| {
        turn.key.stage == challenge::PROBE && turn.speech().is_some_and(|speech| !speech.ballot.flag("ready"))
    };
    let absent = ended.turns.values().filter(|turn| turn.absence().is_some() || declines(turn));
    let absent = absent.map(|turn| turn.key.clone());
    let (offices, absent): (BTreeSet<_>, BTreeSet<_>) =
        absent.partition(|key: &TurnKey| plan.protocol.is_office(key.stage));
    for key in offices {
        assert!(ended.has_note(&format!("{key} ")), "nothing is said of {key}");
    }
    let missing: BTreeSet<_> = ended.verdict.ruling.missing.iter().map(|missing| missing.key.clone()).collect();
    assert_eq!(missing, absent);
    assert_eq!(missing.len(), ended.verdict.ruling.missing.len(), "each once");
    assert_eq!(ended.verdict.ruling.is_degraded(), !absent.is_empty());
    for missing in &ended.verdict.ruling.missing {
        let turn = &ended.turns[&missing.key];
        assert!(turn.absence().is_none_or(|absence| absence.kind == missing.kind), "{}", missing.key);
    }
}

#[test]
fn a_verdict_is_degraded_exactly_when_someone_was_absent() {
    in_random_worlds(|case| absences_are_kept(&case.plan, &case.run(Pace::Waves)));
}

/// Nothing in a verdict is invented: options are the plan's, seats are the plan's, dissents are words that were said.
fn verdict_is_grounded(plan: &Plan, ended: &Ended) {
    let verdict = &ended.verdict;
    let decides = matches!(verdict.outcome(), Outcome::Consensus | Outcome::Decided);
    assert_eq!(
        decides,
        !verdict.options().is_empty() && verdict.outcome() != Outcome::Blocked,
        "{:?} with {:?}",
        verdict.outcome(),
        verdict.options()
    );
    assert!(verdict.options().iter().all(|id| plan.option(id).is_some()));
    let debaters: BTreeSet<_> = plan.seats.iter().map(|seat| &seat.id).collect();
    assert!(verdict.ruling.votes().iter().all(|vote| debaters.contains(&vote.seat)
        && plan.option(&vote.counted).is_some()
        && plan.option(&vote.cast).is_some()));
    for dissent in &verdict.ruling.dissents {
        let said = ended.turns.values().filter(|turn| *turn.seat() == dissent.seat).filter_map(|turn| turn.speech());
        let verbatim = said
            .flat_map(|speech| ["dissent", "reason", "critique"].map(|name| speech.ballot.text(name).to_owned()))
            .any(|words| words == dissent.text);
        assert!(verbatim, "{} never said {:?}", dissent.seat, dissent.text);
    }
    for vote in verdict.ruling.votes() {
        let last =
            verdict.ruling.changes().iter().rfind(|change| change.seat == vote.seat && change.merit == Merit::Earned);
        assert!(last.is_none_or(|change| change.to == vote.counted), "{vote:?} after {last:?}");
    }
}

#[test]
fn a_verdict_holds_nothing_that_nobody_said() {
    in_random_worlds(|case| verdict_is_grounded(&case.plan, &case.run(Pace::Waves)));
}

fn everything_holds(plan: &Plan, ended: &Ended) {
    is_total_and_bounded(plan, ended);
    asks_are_sound(ended);
    absences_are_kept(plan, ended);
    prefixes_reopen(plan, ended);
    verdict_is_grounded(plan, ended);
    assert_eq!(ended.strangers, []);
}

/// Every world in which each ask has one of a few answers: an odometer over the choices that a run makes.
fn in_every_world(plan: &Plan, mut answer: impl FnMut(&Ask, &mut dyn FnMut(usize) -> usize) -> Contribution) -> usize {
    let mut digits: Vec<(usize, usize)> = Vec::new();
    for worlds in 1.. {
        let mut at = 0;
        let ended = run(plan, Pace::Waves, |ask, _| {
            answer(ask, &mut |n| {
                if at == digits.len() {
                    digits.push((0, n));
                }
                at += 1;
                digits[at - 1].0
            })
        });
        everything_holds(plan, &ended);
        digits.truncate(at);
        while digits.last().is_some_and(|(digit, n)| digit + 1 == *n) {
            digits.pop();
        }
        match digits.last_mut() {
            Some((digit, _)) => *digit += 1,
            None => return worlds,
        }
    }
    0
}

/// Ballot words on which the course of a debate depends.
const DECIDING: &[&str] = &["ready", "verdict", "objection_strength", "response", "ruling", "accurate"];

/// Where they change nothing but a note: how strong an objection still is, what a recheck finds.
const NOT_DECIDING: &[Stage] = &[challenge::REBUTTAL, panel::RECHECK];

/// Absent, or a voice that follows the form and says every deciding word in turn.
fn absent_or_any_word(seed: u64, plan: &Plan, ask: &Ask, choose: &mut dyn FnMut(usize) -> usize) -> Contribution {
    if choose(2) == 0 {
        return absent(AbsenceKind::ALL[ask.key.slug().len() % AbsenceKind::ALL.len()]);
    }
    let voices = Voices { seed, absent_percent: 0, sloppy_percent: 0 };
    let Contribution::Speech(mut speech) = voices.answer(plan, ask) else { panic!("a voice that is never absent") };
    let decides = |field: &&Field| {
        DECIDING.contains(&field.name) && (field.name == "response" || !NOT_DECIDING.contains(&ask.key.stage))
    };
    for field in ask.form.fields.iter().filter(decides) {
        match field.kind {
            Kind::Word(all) => speech.ballot.set(field.name, all[choose(all.len())].into_datum()),
            Kind::Flag => speech.ballot.set(field.name, (choose(2) == 1).into_datum()),
            _ => {}
        }
    }
    Contribution::Speech(speech)
}

#[test]
fn everything_holds_in_every_small_gate() {
    let plan = world::plan("gate");
    let worlds = in_every_world(&plan, |ask, choose| match choose(4) {
        0 => absent(AbsenceKind::Crashed),
        n => Voices { seed: n as u64, absent_percent: 0, sloppy_percent: 30 }.answer(&plan, ask),
    });
    assert_eq!(worlds, 4usize.pow(3) - 3usize.pow(3) + 3usize.pow(3) * 4, "a synthesis only where all three spoke");
}

#[test]
fn everything_holds_in_every_challenge_with_one_challenger() {
    for rounds in [1, 2] {
        let plan = challenge_with(&["operator"], rounds);
        let worlds = in_every_world(&plan, |ask, choose| absent_or_any_word(1, &plan, ask, choose));
        assert!(worlds > 50, "{worlds}");
    }
}

#[test]
fn everything_holds_in_every_challenge_with_two_challengers_and_one_round() {
    let plan = challenge_with(&["operator", "adversary"], 1);
    let worlds = in_every_world(&plan, |ask, choose| match ask.key.stage {
        // What happens here is told by one challenger alone.
        challenge::PROBE | challenge::OPENING | challenge::ASSUMPTIONS => {
            Voices { seed: 1, absent_percent: 0, sloppy_percent: 0 }.answer(&plan, ask)
        }
        _ => absent_or_any_word(1, &plan, ask, choose),
    });
    assert!(worlds > 500, "{worlds}");
}

#[test]
fn everything_holds_in_every_small_panel() {
    let plan = small_panel(2);
    let present = Voices { seed: 3, absent_percent: 0, sloppy_percent: 0 };
    let worlds = in_every_world(&plan, |ask, choose| match (ask.key.stage, ask.key.round) {
        // Absences of these stages are random elsewhere; here they would only multiply the worlds.
        (panel::RECHECK, _) | (panel::RESPONSE, 1) => present.answer(&plan, ask),
        _ => absent_or_any_word(present.seed, &plan, ask, choose),
    });
    assert!(worlds > 300, "{worlds}");
}
