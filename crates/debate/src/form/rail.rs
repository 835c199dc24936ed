//! The rails: rules for a reply that depend on what was said before.

use super::{Defect, Draft, Need, Rail, none_answered, unanswered};
use crate::anonymity::Speakers;
use crate::datum::Fields;
use crate::plan::{Plan, SeatId, words};

pub(super) fn check_rail(rail: &Rail, plan: &Plan, seat: &SeatId, ballot: &Fields, draft: &Draft) -> Vec<Defect> {
    match rail {
        Rail::NoRubberStamp => {
            let reason = ballot.text("reason");
            if !reason.is_empty() && is_rubber_stamp(reason) {
                vec![Defect::new(Need::Must, "\"reason\" only agrees; say why, with a ground of your own")]
            } else {
                Vec::new()
            }
        }
        Rail::OwesChallenge { peers } => {
            if peers.is_empty() {
                return Vec::new();
            }
            let speakers = Speakers::of(plan, seat);
            let made = ballot.records("challenges");
            let known = made.iter().any(|challenge| {
                speakers.seat(challenge.text("to")).is_some_and(|peer| peers.contains(&speakers.prefix(peer)))
            });
            if known {
                Vec::new()
            } else {
                vec![Defect::new(
                    Need::Should,
                    format!(
                        "no position is challenged: \"challenges\" needs at least one entry whose \"to\" is one of {}",
                        peers.join(", ")
                    ),
                )]
            }
        }
        Rail::ChangeNeedsCause { from } => {
            let to = ballot.text("option");
            if to.is_empty() || to == from.as_str() || !ballot.texts("convinced_by").is_empty() {
                Vec::new()
            } else {
                vec![Defect::new(
                    Need::Should,
                    format!(
                        "the option changed from {from} to {to} but \"convinced_by\" cites no argument of another speaker (such as \"S1.a1\"); without one the earlier vote stands"
                    ),
                )]
            }
        }
        Rail::YieldNeedsCause => {
            if ballot.text("response") != "ACCEPT" || !ballot.texts("convinced_by").is_empty() {
                Vec::new()
            } else {
                vec![Defect::new(
                    Need::Should,
                    "you accept an answer that rejects your objection, but \"convinced_by\" cites no argument of the lead (such as \"S1.a1\"); without one your objection stands",
                )]
            }
        }
        Rail::AnswersAll { objections } => {
            let speakers = Speakers::of(plan, seat);
            let answered: Vec<&SeatId> =
                ballot.records("answers").iter().filter_map(|answer| speakers.seat(answer.text("to"))).collect();
            objections
                .iter()
                .filter(|objection| !speakers.seat(objection).is_some_and(|who| answered.contains(&who)))
                .map(|objection| {
                    Defect::new(Need::Should, format!("the objection of {objection} is not answered in \"answers\""))
                })
                .collect()
        }
        Rail::AnswersQuestions { questions } => {
            if questions.is_empty() || unanswered(questions, ballot, &draft.sections).len() < questions.len() {
                Vec::new()
            } else {
                vec![Defect::new(
                    Need::Should,
                    format!("{}; answer each by its number, such as `Q1: ...`", none_answered(questions.len())),
                )]
            }
        }
        Rail::KeepsDissents { seats } => {
            let lower = draft.text.to_lowercase();
            seats
                .iter()
                .filter(|dissenter| !lower.contains(&dissenter.as_str().to_lowercase()))
                .map(|dissenter| {
                    Defect::new(
                        Need::Should,
                        format!("the dissent of {dissenter} is missing; dissents are kept by role"),
                    )
                })
                .collect()
        }
    }
}

/// Whether a reason is only a phrase of assent.
pub fn is_rubber_stamp(reason: &str) -> bool {
    const STOCK: &[&str] = &[
        "looks good to me",
        "looks good",
        "lgtm",
        "sounds good",
        "i agree",
        "agreed",
        "agree",
        "ship it",
        "no objections",
        "no objection",
        "same as above",
        "as stated above",
        "i concur",
        "yes",
        "ok",
        "okay",
        "fine by me",
        "approved",
    ];
    let plain: String = words(reason).collect::<Vec<_>>().join(" ");
    STOCK.contains(&plain.as_str()) || plain.split(' ').filter(|word| !word.is_empty()).count() < 3
}
