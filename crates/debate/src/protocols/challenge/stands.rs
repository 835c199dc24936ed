//! What the turns of a challenge say for the course of the debate: who agrees, and who objects to whom.

use super::ballots::{Agreement, Critique, LeadAnswer, Rebuttal, Strength};
use crate::model::ballot::Ballot;
use crate::model::objections::{AnswerWord, RebuttalWord};
use crate::model::plan::{Duty, Plan, Seat, SeatId};
use crate::model::turn::Speech;
use crate::rules::anonymity::Speakers;

pub(super) fn stand(_plan: &Plan, _seat: &Seat, speech: &Speech) -> Option<String> {
    let critique = Critique::of(&speech.ballot).map(|critique| critique.stand());
    critique.or_else(|| Some(Rebuttal::of(&speech.ballot)?.response.word().to_owned()))
}

/// The lead challenges those whose objections it rejects, a challenger the lead.
pub(super) fn challenges(plan: &Plan, seat: &Seat, speech: &Speech) -> Vec<(SeatId, String)> {
    match seat.duty {
        Duty::Lead => {
            let Some(LeadAnswer { answers, .. }) = LeadAnswer::of(&speech.ballot) else { return Vec::new() };
            let speakers = Speakers::of(plan, &seat.id);
            let rejected = answers.iter().filter(|one| one.answer == AnswerWord::Reject);
            rejected.filter_map(|one| Some((speakers.seat(&one.to)?.clone(), one.reason.to_string()))).collect()
        }
        Duty::Debater => {
            let Some(lead) = plan.with_duty(Duty::Lead).next() else { return Vec::new() };
            objection_to_lead(speech).map(|text| (lead.id.clone(), text)).into_iter().collect()
        }
        Duty::Synthesizer | Duty::Referee | Duty::Framer | Duty::Control => Vec::new(),
    }
}

/// What a challenger holds against the lead, in its words; nothing where it agrees or accepts. A strong objection is one
/// whatever word stands before it.
fn objection_to_lead(speech: &Speech) -> Option<String> {
    if let Some(Rebuttal { response, reason, .. }) = Rebuttal::of(&speech.ballot) {
        return (response != RebuttalWord::Accept).then_some(reason.0);
    }
    let Critique { verdict, objection_strength, critique, .. } = Critique::of(&speech.ballot)?;
    let agrees = verdict == Agreement::Agree && objection_strength != Some(Strength::Strong);
    (!agrees).then_some(critique.0)
}
