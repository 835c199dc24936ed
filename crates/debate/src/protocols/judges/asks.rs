//! What a judge is asked in each round, and in which form it answers.

use super::{CHALLENGE, OPENING, written};
use crate::model::ballot::Ballot;
use crate::model::datum::Datum;
use crate::model::form::{Form, Handwriting, Need, Rail, SectionRule, Shape};
use crate::model::plan::{OptionId, Plan, Seat, SeatId};
use crate::model::turn::{Argument, Turn};
use crate::model::votes::{ResponseBallot, VoteBallot};
use crate::protocols::parts::{self, Eligibility};
use crate::protocols::voters::Voters;
use crate::rules::record::{Ask, Reads};
use std::sync::Arc;

const OPENING_SECTIONS: &[SectionRule] = &[
    SectionRule {
        title: "Assessment",
        need: Need::Optional,
        shape: Shape::Text,
        hint: "Each option in turn, from your stance: what speaks for it, what against.",
    },
    SectionRule {
        title: "Recommendation",
        need: Need::Optional,
        shape: Shape::Read(parts::NAMES_OPTION),
        hint: "The one option you recommend and the ground that decides it.",
    },
];

const CHALLENGE_SECTIONS: &[SectionRule] = &[
    SectionRule {
        title: "Challenges",
        need: Need::Optional,
        shape: Shape::Text,
        hint: "What is wrong with the other positions, specifically.",
    },
    SectionRule {
        title: "Position",
        need: Need::Optional,
        shape: Shape::Read(parts::NAMES_OPTION),
        hint: "Your recommendation now; if it changed, exactly what convinced you.",
    },
];

pub(super) const RISK_STANCE: &str = "What Can Go Wrong";
pub(super) const VALUE_STANCE: &str = "What Is Lost";
pub(super) const EFFORT_STANCE: &str = "What It Costs";

/// The section in which a judge keeps its stance, by its role.
fn stance(plan: &Plan, judge: &Seat) -> Option<SectionRule> {
    let (title, hint) = match judge.role.as_str() {
        "risk" => (RISK_STANCE, "What can go wrong with the option you recommend yourself: at least one entry."),
        "value" => (VALUE_STANCE, "What is lost by the options you reject, and by whom: at least one entry."),
        "effort" => {
            (EFFORT_STANCE, "What the option you recommend costs in time, money and attention: at least one entry.")
        }
        _ => return None,
    };
    let need = if plan.demands.stances { Need::Required } else { Need::Optional };
    Some(SectionRule { title, need, shape: Shape::Text, hint })
}

/// Nobody has read anybody.
pub(super) fn openings(plan: &Plan) -> Vec<Ask> {
    let counting = Eligibility::after(plan, &[]);
    let opening = |judge: &Seat| {
        let form = Form::asking::<VoteBallot>("judges/opening", OPENING_SECTIONS).rail(parts::no_stamp(&judge.id, &[]));
        let form = completed(form, plan, judge, &counting).handwritten(handwriting(1, None, Arc::from([])));
        Ask::new(parts::key(OPENING, 1, judge), Reads::Blind, form, "judges/opening")
    };
    plan.debaters().into_iter().map(opening).collect()
}

/// Each reads what all have said so far, and must challenge somebody.
pub(super) fn challenges(judges: &Voters<'_, '_>, round: u16) -> Vec<Ask> {
    let argued = arguments(&judges.said);
    judges.seats.iter().map(|judge| challenge(judges, judge, round, Arc::clone(&argued))).collect()
}

fn challenge(judges: &Voters<'_, '_>, judge: &Seat, round: u16, argued: Arc<[(SeatId, Argument)]>) -> Ask {
    let (plan, said) = (judges.plan, &judges.said);
    let held = judges.held(&judge.id);
    let form = Form::asking::<ResponseBallot>("judges/challenge", CHALLENGE_SECTIONS)
        .rail(parts::no_stamp(&judge.id, said))
        .rail(parts::owes_challenge(plan, &judge.id, said));
    let mut form = completed(form, plan, judge, &judges.counting).handwritten(handwriting(round, held.clone(), argued));
    if let Some(from) = held.clone().filter(|_| plan.demands.documented_changes) {
        form = form.rail(Rail::ChangeNeedsCause { from, citable: parts::citable(&judge.id, said) });
    }
    let held = held.map(|option| plan.option_name(&option)).unwrap_or_default();
    Ask::new(parts::key(CHALLENGE, round, judge), parts::seeing(&judge.id, said), form, "judges/challenge")
        .fact("held", held)
        .fact("needs_ground", Datum::Flag(plan.demands.documented_changes))
}

/// The form with what is asked for beside the vote, and with the judge's stance.
fn completed(form: Form, plan: &Plan, judge: &Seat, counting: &Eligibility) -> Form {
    let form = parts::beside_vote(form, plan, &judge.id, counting);
    stance(plan, judge).into_iter().fold(form, Form::section)
}

/// All that these turns argue, with whose it is. Every seat's form of a round shares it.
fn arguments(said: &[&Turn]) -> Arc<[(SeatId, Argument)]> {
    let argued = said.iter().flat_map(|turn| {
        let made = turn.speech().map(|speech| speech.arguments()).unwrap_or_default();
        made.into_iter().map(|argument| (turn.seat().clone(), argument))
    });
    argued.collect()
}

/// How a judge's file is read that somebody wrote by hand.
fn handwriting(round: u16, held: Option<OptionId>, arguments: Arc<[(SeatId, Argument)]>) -> Handwriting {
    let fields = written::JudgeFile::FIELDS;
    Handwriting { round, held, arguments, titles: written::TITLES, fields, read: written::read }
}
