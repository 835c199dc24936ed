//! What a gate's roles are asked.

use super::ballots::{AdvocateCase, OperatorCase, SkepticCase, Synthesis};
use super::sections::*;
use super::{CASE, GATE_SECTIONS, MIN_CONTENT_LENGTH, SYNTHESIS, asked, may_be_no_go, speech_of};
use crate::model::form::{Form, Rail, SectionRule};
use crate::model::plan::{Plan, Seat};
use crate::model::turn::Turn;
use crate::protocols::parts::{self, Eligibility};
use crate::rules::record::{Ask, Reads};

/// The sections of a role's file.
pub(super) fn sections(seat: &Seat) -> &'static [SectionRule] {
    match seat.id.as_str() {
        "advocate" => ADVOCATE_SECTIONS,
        "skeptic" => SKEPTIC_SECTIONS,
        "operator" => OPERATOR_SECTIONS,
        "synthesizer" => SYNTHESIS_SECTIONS,
        _ => &[],
    }
}

pub(super) fn cases(plan: &Plan) -> Vec<Ask> {
    let case = |seat: &Seat| {
        let form = match seat.id.as_str() {
            "skeptic" => Form::asking::<SkepticCase>("gate/skeptic", SKEPTIC_SECTIONS),
            "operator" => Form::asking::<OperatorCase>("gate/operator", OPERATOR_SECTIONS),
            _ => Form::asking::<AdvocateCase>("gate/advocate", ADVOCATE_SECTIONS),
        };
        let (prompt, titles) = (form.name, form.sections.iter().map(|rule| rule.title).collect::<Vec<_>>());
        let form = speaking_for_itself(form, plan, seat, titles).rail(Rail::NoRubberStamp { said: Vec::new() });
        Ask::new(parts::key(CASE, 1, seat), Reads::Blind, form, prompt)
    };
    plan.debaters().into_iter().map(case).collect()
}

/// The synthesizer reads all three, and is told what it must answer.
pub(super) fn synthesis(plan: &Plan, seat: &Seat, cases: &[&Turn]) -> Ask {
    let form = Form::asking::<Synthesis>("gate/synthesis", SYNTHESIS_SECTIONS);
    let form = speaking_for_itself(form, plan, seat, GATE_SECTIONS);
    let reads = Reads::Attributed(cases.iter().map(|turn| turn.key.clone()).collect());
    let no_go = speech_of(cases, "operator").is_some_and(|operator| may_be_no_go(plan, operator));
    let questions = speech_of(cases, "skeptic").map_or(0, |skeptic| asked(skeptic).len());
    let ask = Ask::new(parts::key(SYNTHESIS, 1, seat), reads, form, "gate/synthesis").fact("no_go", no_go);
    if questions == 0 { ask } else { ask.fact("questions", questions.to_string()) }
}

/// The file is what counts: its sections say what a ballot would. Every role speaks once, so nobody has quoted anything
/// before it is asked.
fn speaking_for_itself(form: Form, plan: &Plan, seat: &Seat, needed: impl IntoIterator<Item = &'static str>) -> Form {
    let form = form.with_optional_ballot().at_least(MIN_CONTENT_LENGTH).files_need(needed);
    Eligibility::after(plan, &[]).quotes(form, plan, &seat.id)
}
