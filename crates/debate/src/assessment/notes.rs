//! What a verdict may say of a debate of any protocol.

use crate::fact;
use crate::model::fact::Note;
use crate::model::plan::{OptionId, Plan, SeatId};
use crate::model::ruling::{Contest, MissedTurn, Outcome};

/// Nobody sat in an office beside the debate, such as a review.
pub(super) fn office_absent(MissedTurn { key, kind, detail }: &MissedTurn) -> Note {
    let phrase = kind.phrase();
    Note::footnote(fact!("office_absent", "{key} {phrase}: {detail}", turn = key, kind = kind.word(), detail = detail))
}

pub(super) fn one_family_allowed() -> Note {
    Note::footnote(fact!("one_family_allowed", "lead and challengers were allowed to run on one model family"))
}

pub(super) fn overruled(plan: &Plan, by: &str, outcome: Outcome, options: &[OptionId]) -> Note {
    let (names, word) = (plan.option_names(options), outcome.word());
    Note::footnote(fact!(
        "overruled",
        "overruled by {by}: the seats had come to {names} ({word})",
        by,
        outcome = word,
        options = options
    ))
}

pub(super) fn person_decided(outcome: Outcome) -> Note {
    let word = outcome.word();
    Note::footnote(fact!("person_decided", "the seats left this {word}; a person decided", outcome = word))
}

/// A person decided before the seat alone had given all its answers.
pub(super) fn control_cut_short(seat: &SeatId, answered: usize, asked: usize) -> Note {
    Note::footnote(fact!(
        "control_cut_short",
        "a person decided when {seat} had been heard {answered} of {asked} times: there is no comparison with one seat alone",
        seat = seat,
        answered,
        asked
    ))
}

/// A robust verdict was demanded, and this one hangs on these seats.
pub(super) fn fragile(plan: &Plan, options: &[OptionId], pivots: &[&SeatId]) -> Note {
    let names = plan.option_names(options);
    let on = pivots.iter().map(|seat| seat.as_str()).collect::<Vec<_>>().join(" and on ");
    Note::contests(
        Contest::Fragile,
        fact!(
            "fragile",
            "{names} has the votes, but hangs on {on}; a robust verdict was demanded, so a person must decide",
            options = options,
            pivots = pivots
        ),
    )
}
