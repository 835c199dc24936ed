//! What a gate's roles say for the course of the debate: the operator's word, and the two challenges that follow from roles.

use super::operator::GoWord;
use super::{GO_NO_GO, go_word};
use crate::model::plan::{Duty, Plan, Seat, SeatId};
use crate::model::turn::{Section, Speech, title_matches};
use forge_prose::measure::items;

const OPERATOR: &str = "operator";

pub(super) fn stand(plan: &Plan, seat: &Seat, speech: &Speech) -> Option<String> {
    if seat.id.as_str() != OPERATOR {
        return None;
    }
    go_word(plan, speech, None).map(|word| word.word().to_owned())
}

/// What the skeptic asks first, and the operator's reason for a NO-GO, are challenges of the advocate. Files from outside may
/// have no ballot; then the section speaks.
pub(super) fn challenges(plan: &Plan, seat: &Seat, speech: &Speech) -> Vec<(SeatId, String)> {
    if seat.duty != Duty::Debater {
        return Vec::new();
    }
    let reason = speech.said().reason;
    let objection = match seat.id.as_str() {
        "skeptic" => first_line(speech, "Critical Questions", |line| line.contains('?')).or(reason),
        OPERATOR if go_word(plan, speech, None) == Some(GoWord::NoGo) => {
            reason.or_else(|| first_line(speech, GO_NO_GO, |_| true))
        }
        _ => return Vec::new(),
    };
    vec![(SeatId::from("advocate"), objection.unwrap_or_default())]
}

/// The first list item of a section, else its first line, that is as wanted.
fn first_line(speech: &Speech, title: &str, wanted: impl Fn(&str) -> bool) -> Option<String> {
    let of_title = |section: &&Section| title_matches(&section.title, title);
    let body = &speech.sections.iter().find(of_title)?.body;
    let lines = body.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty());
    items(body).into_iter().chain(lines).find(|line| wanted(line))
}
