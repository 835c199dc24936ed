//! The course of a debate: who stood where, round by round, who challenged whom, and how much of the movement was conformity.

use crate::model::plan::{Duty, OptionId, Plan, Seat, SeatId};
use crate::model::turn::{Speech, Stage, Turn, TurnKey};
use crate::model::voting::{Change, Merit};
use crate::protocols::Protocol;
use crate::rules::tally::{self, Step};
use std::collections::BTreeMap;

/// The course of a debate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Course {
    /// Where each seat stood at each step, in the order heard.
    pub stands: Vec<Stand>,
    pub challenges: Vec<Challenged>,
    /// How much of the movement was conformity.
    pub conformity: Conformity,
}

/// Where a seat stood after a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stand {
    pub seat: SeatId,
    pub stage: Stage,
    pub round: u16,
    /// Which wave of the debate this was, from 0: a column of the picture.
    pub step: usize,
    /// The option that the ballot names, where it names one.
    pub cast: Option<OptionId>,
    /// The option that counts after this turn.
    pub counted: Option<OptionId>,
    /// The stand in a word where it is no option: `agree`, `disagree (strong)`, `ACCEPT`, `NO-GO`.
    pub word: Option<String>,
    /// Whether this turn changed the vote, and whether that was earned.
    pub change: Option<Merit>,
}

/// One seat challenging another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenged {
    pub from: SeatId,
    pub to: SeatId,
    pub stage: Stage,
    pub round: u16,
    pub text: String,
}

/// Movement under pressure. A seat is *pressed* when it speaks again after seeing that more of the others stand for one
/// option, which is not its own, than for any other; others who are divided evenly press nobody. A challenger is pressed
/// when the lead rejects its objection. A seat *yields* when it moves to what somebody else holds without an earned
/// ground: then it was pressed, however few they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Conformity {
    pub pressed: u32,
    /// Of those: moves to what others hold without a ground.
    pub yielded: u32,
    /// Of those: moves to the others' option with a ground.
    pub convinced: u32,
}

impl Conformity {
    fn count(&mut self, moved: Option<Merit>) {
        match moved {
            Some(Merit::Unearned) => self.yielded += 1,
            Some(Merit::Earned) => self.convinced += 1,
            None => {}
        }
    }
}

impl Course {
    /// The course of the turns heard, in their order.
    pub fn of(protocol: &Protocol, plan: &Plan, turns: &[&Turn]) -> Self {
        let steps = steps(plan, turns);
        Self {
            stands: stands(protocol, plan, turns, &steps),
            challenges: turns.iter().flat_map(|turn| challenges(protocol, plan, turn)).collect(),
            conformity: conformity(protocol, plan, turns, &steps),
        }
    }
}

/// What counts after each turn that voted. Only debaters vote.
type Steps<'t> = BTreeMap<&'t TurnKey, Step<'t>>;

fn steps<'t>(plan: &Plan, turns: &[&'t Turn]) -> Steps<'t> {
    let of_seat = |seat: &Seat| {
        let own = |turn: &&&Turn| *turn.seat() == seat.id && tally::is_own_vote(plan, turn);
        let own: Vec<&Turn> = turns.iter().filter(own).copied().collect();
        tally::steps(plan, &own, turns)
    };
    plan.debaters().into_iter().flat_map(of_seat).map(|step| (&step.turn.key, step)).collect()
}

fn stands(protocol: &Protocol, plan: &Plan, turns: &[&Turn], steps: &Steps<'_>) -> Vec<Stand> {
    let mut waves: Vec<(Stage, u16)> = Vec::new();
    let mut stands = Vec::new();
    for turn in turns {
        let (Some(seat), Some(speech)) = (plan.seat(turn.seat()), turn.speech()) else { continue };
        let step = steps.get(&turn.key);
        let cast = match (step, seat.duty) {
            (Some(step), _) => Some(step.vote.cast.clone()),
            (None, Duty::Lead) => speech.option(),
            (None, Duty::Synthesizer) => speech.option().or_else(|| first_option(plan, speech)),
            _ => None,
        };
        let word = match seat.duty {
            Duty::Debater => (protocol.stand)(plan, seat, speech),
            _ => None,
        };
        if cast.is_none() && word.is_none() {
            continue;
        }
        let wave = (turn.key.stage, turn.key.round);
        let known = waves.iter().position(|other| *other == wave);
        if known.is_none() {
            waves.push(wave);
        }
        stands.push(Stand {
            seat: seat.id.clone(),
            stage: turn.key.stage,
            round: turn.key.round,
            step: known.unwrap_or(waves.len() - 1),
            counted: step.map(|step| step.vote.counted.clone()).or_else(|| cast.clone()),
            cast,
            word,
            change: match step {
                Some(step) => step.change.as_ref().map(|change| change.merit),
                None => (protocol.judge_reply)(plan, turn, turns).and_then(|judged| judged.gives_way),
            },
        });
    }
    stands
}

/// A synthesis may choose several options; the picture has room for the first.
fn first_option(plan: &Plan, speech: &Speech) -> Option<OptionId> {
    plan.option_meant(speech.option()?.as_str()).map(|option| option.id.clone())
}

fn challenges(protocol: &Protocol, plan: &Plan, turn: &Turn) -> Vec<Challenged> {
    let (Some(seat), Some(speech)) = (plan.seat(turn.seat()), turn.speech()) else { return Vec::new() };
    let challenged = |(to, text)| {
        let TurnKey { stage, round, seat: from } = turn.key.clone();
        Challenged { from, to, stage, round, text }
    };
    (protocol.challenges)(plan, seat, speech).into_iter().map(challenged).collect()
}

/// What a seat had seen when it spoke are the votes before its wave, as they counted. A challenger is pressed by the lead: by
/// an answer that rejects its objection.
fn conformity(protocol: &Protocol, plan: &Plan, turns: &[&Turn], steps: &Steps<'_>) -> Conformity {
    let mut conformity = Conformity::default();
    for judged in turns.iter().filter_map(|turn| (protocol.judge_reply)(plan, turn, turns)) {
        if judged.is_rejected {
            conformity.pressed += 1;
            conformity.count(judged.gives_way);
        }
    }
    let mut standing: BTreeMap<&SeatId, &OptionId> = BTreeMap::new();
    let mut of_wave: Vec<(&SeatId, &OptionId)> = Vec::new();
    let mut wave = None;
    for turn in turns {
        let now = Some((turn.key.stage, turn.key.round));
        if now != wave {
            standing.extend(of_wave.drain(..));
            wave = now;
        }
        let Some(step) = steps.get(&turn.key) else { continue };
        let pressing = pressing(&standing, &step.vote.seat);
        let moved = step.change.as_ref();
        let follows = |to: &OptionId| standing.iter().any(|(seat, held)| **seat != step.vote.seat && *held == to);
        let without_ground = moved.is_some_and(|change| change.merit == Merit::Unearned && follows(&change.to));
        if pressing.is_some() || without_ground {
            conformity.pressed += 1;
            let counts = |change: &&Change| without_ground || Some(&change.to) == pressing;
            conformity.count(moved.filter(counts).map(|change| change.merit));
        }
        of_wave.push((&step.vote.seat, &step.vote.counted));
    }
    conformity
}

/// The option to which this seat is pressed: the one that more of the others hold than any other, if it is not its own.
/// Nothing for a seat that has not voted yet.
fn pressing<'o>(standing: &BTreeMap<&SeatId, &'o OptionId>, seat: &SeatId) -> Option<&'o OptionId> {
    let own = *standing.get(seat)?;
    let mut held: BTreeMap<&OptionId, usize> = BTreeMap::new();
    for (_, option) in standing.iter().filter(|(other, _)| **other != seat) {
        *held.entry(option).or_default() += 1;
    }
    let most = held.values().copied().max()?;
    let mut leading = held.into_iter().filter(|(_, seats)| *seats == most).map(|(option, _)| option);
    match (leading.next(), leading.next()) {
        (Some(option), None) if option != own => Some(option),
        _ => None,
    }
}
