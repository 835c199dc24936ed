//! The control arm: the same question to one seat alone, as often as the debate took turns. Did the debate change anything?
//!
//! The answers are independent of each other, and the one given most often counts: that is the strongest thing that so
//! many calls can buy without a debate. Nothing that the control seat says reaches another seat, or is counted.

use crate::ballot;
use crate::model::ballot::{Ballot, Due};
use crate::model::form::{Form, Rail};
use crate::model::plan::{Duty, OptionId, Plan, Seat, SeatId, words};
use crate::model::ruling::{Outcome, Ruling};
use crate::model::turn::{Argument, Speech, Turn, TurnKey};
use crate::model::votes::VoteBallot;
use crate::rules::brief::one_line;
use crate::rules::distinctive::distinctive;
use crate::rules::record::{Ask, Reads};
use forge_prose::measure::{items, table_rows};
use std::collections::BTreeSet;

pub use crate::model::turn::CONTROL;
/// The seat's name where nobody gives it another.
pub const SEAT: &str = "control";

/// At most so many grounds of either side are kept; a reader who wants all of them has the turns.
pub const GROUNDS_LIMIT: usize = 12;
/// At most so many grounds of either side are looked at: each is held against all the others.
pub const GROUNDS_CONSIDERED: usize = 400;
/// Sections in which seats name risks as lists or tables rather than in their ballots.
const RISK_SECTIONS: [&str; 4] = ["Failure Modes", "Risk Analysis", "Risks", "Risks Missed"];

ballot! {
    struct ControlAnswer {
        #[flatten]
        vote: VoteBallot,
        /// what could go wrong with the option you choose, one sentence each
        risks: Due<Vec<String>>,
    }
}

ballot! {
    /// What any ballot names as a ground. Challengers may list no arguments: what they object is their ground.
    #[derive(Default)]
    struct Grounds {
        #[like(VoteBallot)]
        arguments: Vec<Argument>,
        #[like(ControlAnswer)]
        risks: Vec<String>,
        critique: Option<String>,
    }
}

/// What the debate was worth beside one seat alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DebateWorth {
    /// The debate decided for something else.
    ChangedTheAnswer,
    /// The same answer, with grounds or risks that the seat alone never named.
    AddedGrounds,
    /// The same answer and nothing new: it only cost.
    OnlyCost,
    /// The seat alone gave no clear answer, or the debate did not.
    Unclear,
}

impl DebateWorth {
    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            DebateWorth::ChangedTheAnswer => "changed-the-answer",
            DebateWorth::AddedGrounds => "added-grounds",
            DebateWorth::OnlyCost => "only-cost",
            DebateWorth::Unclear => "unclear",
        }
    }
}

/// The debate held against one seat alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    pub seat: SeatId,
    /// How often it was asked.
    pub asked: u32,
    /// How often it answered.
    pub answered: u32,
    /// What it answered, most first.
    pub votes: Vec<(OptionId, u32)>,
    /// The option it answered more often than any other.
    pub answer: Option<OptionId>,
    /// What the debate was worth.
    pub effect: DebateWorth,
    /// Arguments and risks of the debate that the seat alone never named: the first [`GROUNDS_LIMIT`] of them.
    pub only_in_debate: Vec<String>,
    /// Arguments and risks that only the seat alone named: the first [`GROUNDS_LIMIT`] of them.
    pub only_in_control: Vec<String>,
}

/// Whether there is anything to hold the seat alone against. Too few who spoke are no debate, and a gate that blocks is not
/// over: its synthesis may still be mended, and the answers would be paid for twice.
pub fn has_something_to_compare(ruling: &Ruling) -> bool {
    !matches!(ruling.outcome, Outcome::Insufficient | Outcome::Blocked)
}

/// The asks of the control arm: one for each turn of the debate, all alike, all blind.
pub fn asks(seat: &Seat, turns: usize) -> Vec<Ask> {
    let most = u16::try_from(turns).unwrap_or(u16::MAX);
    (1..=most)
        .map(|nth| Ask::new(TurnKey::new(CONTROL, nth, &seat.id), Reads::Blind, form(), "control/answer"))
        .collect()
}

fn form() -> Form {
    Form::asking::<ControlAnswer>("control/answer", &[]).rail(Rail::NoRubberStamp { said: Vec::new() })
}

impl Comparison {
    /// Holds the debate's ruling and turns against what the seat alone said.
    pub fn of(plan: &Plan, seat: &Seat, ruling: &Ruling, debate: &[&Turn], alone: &[&Turn]) -> Self {
        let answers: Vec<&Speech> = alone.iter().filter_map(|turn| turn.speech()).collect();
        let votes = votes(plan, &answers);
        let answer = clear_winner(&votes);
        let argues =
            |turn: &&&Turn| plan.seat(turn.seat()).is_some_and(|seat| matches!(seat.duty, Duty::Debater | Duty::Lead));
        let debated = grounds(debate.iter().filter(argues).filter_map(|turn| turn.speech()));
        let named_alone = grounds(answers.iter().copied());
        let only_in_debate = missing_from(&named_alone, &debated);
        Self {
            seat: seat.id.clone(),
            asked: number(alone.len()),
            answered: number(answers.len()),
            effect: effect(ruling, answer.as_ref(), &only_in_debate),
            only_in_control: missing_from(&debated, &named_alone),
            only_in_debate,
            votes,
            answer,
        }
    }
}

/// A combination is an answer that nobody who may name one option alone can give, and so another one.
fn effect(ruling: &Ruling, answer: Option<&OptionId>, only_in_debate: &[String]) -> DebateWorth {
    let settled = matches!(ruling.outcome, Outcome::Consensus | Outcome::Decided) && !ruling.options.is_empty();
    match (settled, answer) {
        (false, _) | (_, None) => DebateWorth::Unclear,
        (true, Some(answer)) if ruling.options != [answer.clone()] => DebateWorth::ChangedTheAnswer,
        (true, Some(_)) if only_in_debate.is_empty() => DebateWorth::OnlyCost,
        (true, Some(_)) => DebateWorth::AddedGrounds,
    }
}

/// How often each option was answered, most first; equals in the plan's order.
fn votes(plan: &Plan, answers: &[&Speech]) -> Vec<(OptionId, u32)> {
    let chosen: Vec<OptionId> = answers.iter().filter_map(|speech| speech.option()).collect();
    let mut votes: Vec<(OptionId, u32)> = plan
        .options
        .iter()
        .map(|option| (option.id.clone(), number(chosen.iter().filter(|id| **id == option.id).count())))
        .filter(|(_, count)| *count > 0)
        .collect();
    votes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    votes
}

fn clear_winner(votes: &[(OptionId, u32)]) -> Option<OptionId> {
    match votes {
        [(first, most), (_, next), ..] if most > next => Some(first.clone()),
        [(only, _)] => Some(only.clone()),
        _ => None,
    }
}

/// An argument or a risk that somebody named, with the words by which it is told from others.
struct Ground {
    text: String,
    distinctive: BTreeSet<String>,
    /// All its words, where none is distinctive.
    plain: Vec<String>,
}

impl Ground {
    fn of(text: &str) -> Self {
        let distinctive = distinctive(text);
        let plain = if distinctive.is_empty() { words(text).collect() } else { Vec::new() };
        Self { text: one_line(text), distinctive, plain }
    }

    /// Whether the two share at least half of the distinctive words of the shorter one. Crude on purpose: anyone can
    /// check it by hand, and no model is asked what another one meant.
    fn says_the_same(&self, other: &Ground) -> bool {
        match self.distinctive.len().min(other.distinctive.len()) {
            0 => self.distinctive == other.distinctive && self.plain == other.plain,
            shorter => 2 * self.distinctive.intersection(&other.distinctive).count() >= shorter,
        }
    }
}

/// What these speeches name as arguments and risks, each once: the first [`GROUNDS_CONSIDERED`] of them.
fn grounds<'s>(speeches: impl Iterator<Item = &'s Speech>) -> Vec<Ground> {
    let mut grounds: Vec<Ground> = Vec::new();
    let named = speeches.flat_map(named).filter(|text| !text.trim().is_empty());
    // What is named again and again is looked at too, so the limit is on what is looked at and not on what is kept.
    for ground in named.take(GROUNDS_CONSIDERED).map(|text| Ground::of(&text)) {
        if !grounds.iter().any(|known| known.says_the_same(&ground)) {
            grounds.push(ground);
        }
    }
    grounds
}

fn named(speech: &Speech) -> Vec<String> {
    let Grounds { arguments, risks, critique } = Grounds::of(&speech.ballot).unwrap_or_default();
    let mut named: Vec<String> = arguments.into_iter().map(|argument| argument.text.0).collect();
    named.extend(risks);
    named.extend(critique);
    for section in RISK_SECTIONS.iter().filter_map(|title| speech.section(title)) {
        named.extend(items(&section.body));
        named.extend(table_rows(&section.body).iter().skip(1).filter_map(|row| first_cell(row)));
    }
    named
}

fn first_cell(row: &str) -> Option<String> {
    row.trim().trim_matches('|').split('|').map(str::trim).find(|cell| !cell.is_empty()).map(str::to_owned)
}

fn missing_from(others: &[Ground], own: &[Ground]) -> Vec<String> {
    let new = own.iter().filter(|ground| !others.iter().any(|other| other.says_the_same(ground)));
    new.take(GROUNDS_LIMIT).map(|ground| ground.text.clone()).collect()
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
