//! What a verdict of a challenge says besides its outcome.

use crate::fact;
use crate::model::fact::Note;
use crate::model::plan::SeatId;
use crate::protocols::parts::UNGROUNDED;

pub(super) fn too_few_ready(ready: usize, needed: usize) -> Note {
    let who = challengers(ready, "answered the probe and is ready", needed);
    Note::voids(fact!("too_few_ready", "{who}", ready, needed))
}

pub(super) fn too_few_spoke(spoke: usize, needed: usize) -> Note {
    let who = challengers(spoke, "spoke", needed);
    Note::voids(fact!("too_few_spoke", "{who}", spoke, needed))
}

fn challengers(count: usize, did: &str, needed: usize) -> String {
    match count {
        0 => format!("no challenger {did}"),
        1 => format!("1 challenger {did}, and at least {needed} must"),
        count => format!("{count} challengers {did}, and at least {needed} must"),
    }
}

pub(super) fn no_position() -> Note {
    Note::voids(fact!("no_position", "the lead gave no position"))
}

pub(super) fn lead_ungrounded() -> Note {
    Note::voids(fact!("lead_ungrounded", "the lead {UNGROUNDED}; a grounded verdict is demanded"))
}

/// `seats` quote nothing, and too few others are left.
pub(super) fn too_few_grounded(seats: &[SeatId], are_all: bool) -> Note {
    let who = if are_all { "every challenger who spoke".to_owned() } else { list(seats) };
    Note::voids(fact!("too_few_grounded", "{who} {UNGROUNDED}; a grounded verdict is demanded", seats = seats))
}

pub(super) fn unearned_yield(seat: &SeatId) -> Note {
    Note::footnote(fact!(
        "unearned_yield",
        "{seat} gave way to an answer that rejects its objection without citing an argument of the lead; the objection stands",
        seat = seat
    ))
}

pub(super) fn doubtful_agreement(seat: &SeatId) -> Note {
    Note::footnote(fact!(
        "doubtful_agreement",
        "{seat} agreed without saying what it examined of the lead's points; counted as partial (moderate)",
        seat = seat
    ))
}

pub(super) fn wants_a_person(seat: &SeatId) -> Note {
    Note::footnote(fact!("wants_a_person", "{seat} asks that a person settle its objection", seat = seat))
}

/// Which families sit in seats that forge does not move is what those say who sit there.
pub(super) fn family_unproven(seats: &[SeatId]) -> Note {
    let who = list(seats);
    Note::footnote(fact!(
        "family_unproven",
        "forge did not ask {who} itself: who or which model family spoke there is what they say it is",
        seats = seats
    ))
}

fn list(seats: &[SeatId]) -> String {
    seats.iter().map(SeatId::as_str).collect::<Vec<_>>().join(", ")
}
