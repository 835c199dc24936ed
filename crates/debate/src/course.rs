//! The course of a debate: who stood where, round by round, who challenged whom, and how much of the movement was conformity.

use crate::anonymity::Speakers;
use crate::ballot::Ballot;
use crate::form;
use crate::plan::{Duty, OptionId, Plan, Seat, SeatId};
use crate::protocols::challenge::{
    Agreement, AnswerWord, Critique, LeadAnswer, Rebuttal, RebuttalWord, Rebutted, Strength,
};
use crate::protocols::gate;
use crate::protocols::gate::operator::GoWord;
use crate::tally::{self, Standing, Step};
use crate::turn::{Section, Speech, Stage, Turn, TurnKey, title_matches};
use std::collections::BTreeMap;

/// The course of a debate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Course {
    /// Where each seat stood at each step, in the order heard.
    pub stands: Vec<Stand>,
    /// Who challenged whom.
    pub challenges: Vec<Challenged>,
    /// How much of the movement was conformity.
    pub conformity: Conformity,
}

/// Where a seat stood after a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stand {
    /// Whose.
    pub seat: SeatId,
    /// The stage.
    pub stage: Stage,
    /// The round.
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
    pub change: Option<Standing>,
}

/// One seat challenging another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenged {
    /// Who challenges.
    pub from: SeatId,
    /// Who is challenged.
    pub to: SeatId,
    /// In which stage.
    pub stage: Stage,
    /// In which round.
    pub round: u16,
    /// What it says.
    pub text: String,
}

/// Movement under pressure. A seat is *pressed* when it speaks again after seeing that more of the others stand for one
/// option, which is not its own, than for any other; others who are divided evenly press nobody. A challenger is pressed
/// when the lead rejects its objection. A seat *yields* when it moves to what somebody else holds without an earned
/// ground: then it was pressed, however few they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Conformity {
    /// Turns under pressure.
    pub pressed: u32,
    /// Of those: moves to what others hold without a ground.
    pub yielded: u32,
    /// Of those: moves to the others' option with a ground.
    pub convinced: u32,
}

impl Conformity {
    fn count(&mut self, moved: Option<Standing>) {
        match moved {
            Some(Standing::Unearned) => self.yielded += 1,
            Some(Standing::Earned) => self.convinced += 1,
            None => {}
        }
    }
}

impl Course {
    /// The course of the turns heard, in their order.
    pub fn of(plan: &Plan, turns: &[&Turn]) -> Self {
        let steps = steps(plan, turns);
        Self {
            stands: stands(plan, turns, &steps),
            challenges: turns.iter().flat_map(|turn| challenges(plan, turn)).collect(),
            conformity: conformity(plan, turns, &steps),
        }
    }
}

/// What counts after each turn that voted. Only debaters vote.
type Steps<'t> = BTreeMap<&'t TurnKey, Step<'t>>;

fn steps<'t>(plan: &Plan, turns: &[&'t Turn]) -> Steps<'t> {
    let of_seat = |seat: &Seat| {
        let own = |turn: &&&Turn| *turn.seat() == seat.id && tally::is_own_vote(turn);
        let own: Vec<&Turn> = turns.iter().filter(own).copied().collect();
        tally::steps(plan, &own, turns)
    };
    plan.debaters().into_iter().flat_map(of_seat).map(|step| (&step.turn.key, step)).collect()
}

fn stands(plan: &Plan, turns: &[&Turn], steps: &Steps<'_>) -> Vec<Stand> {
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
        let word = word(plan, seat, speech);
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
                Some(step) => step.change.as_ref().map(|change| change.standing),
                None => Rebutted::by(plan, turn, turns).and_then(|rebutted| rebutted.gives_way),
            },
        });
    }
    stands
}

/// A synthesis may choose several options; the picture has room for the first.
fn first_option(plan: &Plan, speech: &Speech) -> Option<OptionId> {
    plan.option_meant(speech.option()?.as_str()).map(|option| option.id.clone())
}

/// The stand of a debater in a word, where its ballot takes one instead of an option.
fn word(plan: &Plan, seat: &Seat, speech: &Speech) -> Option<String> {
    if seat.duty != Duty::Debater {
        return None;
    }
    if is_operator(plan, seat) {
        return gate::go_word(plan, speech, None).map(|word| word.word().to_owned());
    }
    plan.with_duty(Duty::Lead).next()?;
    let critique = Critique::of(&speech.ballot).map(|critique| critique.stand());
    critique.or_else(|| Some(Rebuttal::of(&speech.ballot)?.response.word().to_owned()))
}

fn is_operator(plan: &Plan, seat: &Seat) -> bool {
    plan.protocol == GATE && seat.id.as_str() == "operator"
}

/// The protocol whose cases are written blind: its challenges follow from the roles.
const GATE: &str = "gate";

fn challenges(plan: &Plan, turn: &Turn) -> Vec<Challenged> {
    let (Some(seat), Some(speech)) = (plan.seat(turn.seat()), turn.speech()) else { return Vec::new() };
    let edge = |to: &SeatId, text: &str| Challenged {
        from: seat.id.clone(),
        to: to.clone(),
        stage: turn.key.stage,
        round: turn.key.round,
        text: text.to_owned(),
    };
    let speakers = || Speakers::of(plan, &seat.id);
    match seat.duty {
        Duty::Lead => {
            let Some(LeadAnswer { answers, .. }) = turn.ballot() else { return Vec::new() };
            let (speakers, rejected) = (speakers(), answers.iter().filter(|one| one.answer == AnswerWord::Reject));
            rejected.filter_map(|one| Some(edge(speakers.seat(&one.to)?, &one.reason))).collect()
        }
        Duty::Debater if plan.protocol == GATE => {
            let objection = objection_of_role(plan, seat, speech);
            objection.map(|text| edge(&SeatId::from("advocate"), &text)).into_iter().collect()
        }
        Duty::Debater => {
            if let Some(lead) = plan.with_duty(Duty::Lead).next() {
                return objection_to_lead(turn).map(|text| edge(&lead.id, &text)).into_iter().collect();
            }
            let challenges = speech.said().challenges;
            if challenges.is_empty() {
                return Vec::new();
            }
            let speakers = speakers();
            challenges.iter().filter_map(|one| Some(edge(speakers.seat(&one.to)?, &one.text))).collect()
        }
        Duty::Synthesizer | Duty::Referee | Duty::Framer | Duty::Control => Vec::new(),
    }
}

/// What a challenger holds against the lead, in its words; nothing where it agrees or accepts. A strong objection is one
/// whatever word stands before it.
fn objection_to_lead(turn: &Turn) -> Option<String> {
    if let Some(Rebuttal { response, reason, .. }) = turn.ballot() {
        return (response != RebuttalWord::Accept).then_some(reason.0);
    }
    let Critique { verdict, objection_strength, critique, .. } = turn.ballot()?;
    let agrees = verdict == Agreement::Agree && objection_strength != Some(Strength::Strong);
    (!agrees).then_some(critique.0)
}

/// What the skeptic asks first, and the operator's reason for a NO-GO: the two challenges of a gate. Files from outside
/// may have no ballot; then the section speaks.
fn objection_of_role(plan: &Plan, seat: &Seat, speech: &Speech) -> Option<String> {
    let reason = speech.said().reason;
    let objection = match seat.id.as_str() {
        "skeptic" => first_line(speech, "Critical Questions", |line| line.contains('?')).or(reason),
        _ if is_operator(plan, seat) && gate::go_word(plan, speech, None) == Some(GoWord::NoGo) => {
            reason.or_else(|| first_line(speech, "Go/No-Go", |_| true))
        }
        _ => return None,
    };
    Some(objection.unwrap_or_default())
}

/// The first list item of a section, else its first line, that is as wanted.
fn first_line(speech: &Speech, title: &str, wanted: impl Fn(&str) -> bool) -> Option<String> {
    let of_title = |section: &&Section| title_matches(&section.title, title);
    let body = &speech.sections.iter().find(of_title)?.body;
    let lines = body.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty());
    form::items(body).into_iter().chain(lines).find(|line| wanted(line))
}

/// What a seat had seen when it spoke are the votes before its wave, as they counted. A challenger is pressed by the lead: by
/// an answer that rejects its objection.
fn conformity(plan: &Plan, turns: &[&Turn], steps: &Steps<'_>) -> Conformity {
    let mut conformity = Conformity::default();
    for rebutted in turns.iter().filter_map(|turn| Rebutted::by(plan, turn, turns)) {
        if rebutted.is_rejected {
            conformity.pressed += 1;
            conformity.count(rebutted.gives_way);
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
        let without_ground = moved.is_some_and(|change| change.standing == Standing::Unearned && follows(&change.to));
        if pressing.is_some() || without_ground {
            conformity.pressed += 1;
            let counts = |change: &&tally::Change| without_ground || Some(&change.to) == pressing;
            conformity.count(moved.filter(counts).map(|change| change.standing));
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
