//! What a verdict of judges says besides its outcome.

use crate::fact;
use crate::model::fact::Note;
use crate::model::ruling::MissedTurn;
use crate::model::voting::Change;

pub(super) fn too_few_quote(quoting: usize, spoke: usize, needed: usize) -> Note {
    Note::voids(fact!(
        "too_few_quote",
        "{quoting} of {spoke} judges who spoke quote the supplied material; at least {needed} must",
        quoting,
        spoke,
        needed
    ))
}

/// A change that counts although it cites nothing, since the plan asks for no ground.
pub(super) fn ungrounded_change(Change { seat, round, from, to, .. }: &Change) -> Note {
    Note::footnote(fact!(
        "ungrounded_change",
        "{seat} changed from {from} to {to} in round {round} and cites no argument; it counts, since no ground was required",
        seat = seat,
        from = from,
        to = to,
        round = round
    ))
}

/// `left` judges spoke in that round.
pub(super) fn judge_absent(MissedTurn { key, kind, .. }: &MissedTurn, left: usize) -> Note {
    let (seat, round, phrase) = (capitalised(key.seat.as_str()), key.round, kind.phrase());
    let s = if left == 1 { "" } else { "s" };
    Note::footnote(fact!(
        "judge_absent",
        "{seat} judge {phrase} in round {round} - only {left} perspective{s} available",
        seat = &key.seat,
        kind = kind.word(),
        round,
        left
    ))
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
