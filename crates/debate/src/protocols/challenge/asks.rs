//! What is asked of the lead and the challengers at each stage.

use super::ballots::{
    ChallengeFile, Critique, Foundation, GivesWayTo, LeadAnswer, LeadArguments, Opening, Probe, Rebuttal,
};
use super::floor::{ChallengerStand, Floor};
use super::sections::*;
use super::{
    ANSWER, ANSWER_FORM, ASSUMPTIONS, CHALLENGE, CHALLENGE_FORM, OPENING, OPENING_FORM, PROBE, REBUTTAL, REBUTTAL_FORM,
    answer_to, written,
};
use crate::model::ballot::Ballot;
use crate::model::form::{Form, Rail, Spelling};
use crate::model::objections::AnswerWord;
use crate::model::plan::{Plan, Seat};
use crate::model::profile::POINTS;
use crate::model::turn::Turn;
use crate::protocols::parts::{self, Eligibility};
use crate::rules::anonymity::Speakers;
use crate::rules::record::{Ask, Reads};

pub(super) fn probe(seat: &Seat) -> Ask {
    let form = Form::asking::<Probe>("challenge/probe", &[]);
    Ask::new(parts::key(PROBE, 0, seat), Reads::Blind, form, "challenge/probe")
}

pub(super) fn opening(plan: &Plan, lead: &Seat) -> Ask {
    let form = Form::asking::<Opening>(OPENING_FORM, OPENING_SECTIONS).spelled(spelling(1, &ChallengeFile::default()));
    let form = Eligibility::after(plan, &[]).quotes(form, plan, &lead.id);
    Ask::new(parts::key(OPENING, 0, lead), Reads::Blind, form, "challenge/opening")
}

/// Each challenger reads the lead and nobody else.
pub(super) fn challenges(plan: &Plan, challengers: &[&Seat], opening: &Turn) -> Vec<Ask> {
    let counting = Eligibility::after(plan, &[]);
    let challenge = |seat: &&Seat| {
        let form = Form::asking::<Critique>(CHALLENGE_FORM, CHALLENGE_SECTIONS)
            .spelled(spelling(1, &ChallengeFile::default()));
        let form = counting.quotes(form, plan, &seat.id);
        Ask::new(parts::key(CHALLENGE, 1, seat), parts::seeing(&seat.id, &[opening]), form, "challenge/challenge")
            .fact(POINTS, true)
    };
    challengers.iter().map(challenge).collect()
}

/// The lead reads its position and every open objection.
pub(super) fn answer(plan: &Plan, lead: &Seat, round: u16, floor: &Floor<'_>, counting: &Eligibility) -> Ask {
    let speakers = Speakers::of(plan, &lead.id);
    let objections: Vec<String> = floor.open().map(|stand| speakers.prefix(stand.seat())).collect();
    let listed = objections.join(", ");
    let held = floor.option().map(|id| plan.option_name(&id)).unwrap_or_default();
    let before: ChallengeFile = floor.position().ballot().unwrap_or_default();
    let ChallengeFile { option, position, confidence, .. } = before;
    let as_before = ChallengeFile { option, position, confidence, ..ChallengeFile::default() };
    let form = Form::asking::<LeadAnswer>(ANSWER_FORM, ANSWER_SECTIONS)
        .spelled(spelling(1, &as_before))
        .rail(Rail::AnswersAll { objections });
    let form = counting.quotes(form, plan, &lead.id).and::<LeadArguments>();
    let read = position_and_objections(floor);
    Ask::new(parts::key(ANSWER, round, lead), parts::seeing(&lead.id, &read), form, "challenge/answer")
        .fact("objections", listed)
        .fact("held", held)
}

/// Those who still object read the lead's answer, and what they said last.
pub(super) fn rebuttals(
    plan: &Plan,
    challengers: &[&Seat],
    round: u16,
    floor: &Floor<'_>,
    counting: &Eligibility,
) -> Vec<Ask> {
    let rebuttal = |seat: &Seat| {
        let mut read: Vec<&Turn> = vec![floor.position()];
        read.extend(floor.stands.iter().filter(|stand| *stand.seat() == seat.id).map(|stand| stand.last));
        let form = Form::asking::<Rebuttal>(REBUTTAL_FORM, &[]).spelled(spelling(round, &ChallengeFile::default()));
        let mut form = counting.quotes(form, plan, &seat.id).and::<GivesWayTo>();
        if answer_to(plan, &seat.id, floor.position()) == Some(AnswerWord::Reject) {
            form = form.rail(Rail::YieldNeedsCause);
        }
        Ask::new(parts::key(REBUTTAL, round, seat), parts::seeing(&seat.id, &read), form, "challenge/rebuttal")
    };
    floor.objectors(challengers).map(rebuttal).collect()
}

/// Each party says what its stand rests on.
pub(super) fn assumptions(parties: &[&Seat], floor: &Floor<'_>) -> Vec<Ask> {
    let read = position_and_objections(floor);
    let ask = |seat: &&Seat| {
        let form =
            Form::asking::<Foundation>("challenge/assumptions", &[]).spelled(spelling(1, &ChallengeFile::default()));
        Ask::new(parts::key(ASSUMPTIONS, 0, seat), parts::seeing(&seat.id, &read), form, "challenge/assumptions")
    };
    parties.iter().map(ask).collect()
}

fn position_and_objections<'t>(floor: &Floor<'t>) -> Vec<&'t Turn> {
    [floor.position()].into_iter().chain(floor.open().map(ChallengerStand::objection)).collect()
}

/// How files from outside may be written; what they leave out stands as it was.
fn spelling(round: u16, held: &ChallengeFile) -> Spelling {
    Spelling { round, held: held.to_fields(), read: written::respelled }
}
