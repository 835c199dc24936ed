//! What a panel's verdict says besides its outcome.

use crate::fact;
use crate::model::fact::Note;

/// Why a panel of `seats` has no outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shortage {
    Positions,
    Speakers,
    Quotes,
}

pub(super) fn too_few(shortage: Shortage, seats: usize) -> Note {
    Note::voids(match shortage {
        Shortage::Positions => {
            fact!("too_few_positions", "too few seats gave a position; at least 2/3 of {seats} seats must", seats)
        }
        Shortage::Speakers => {
            fact!("too_few_speakers", "too few seats spoke in a round; at least 2/3 of {seats} seats must", seats)
        }
        Shortage::Quotes => {
            fact!(
                "too_few_seats_quote",
                "too few seats quote the supplied material; at least 2/3 of {seats} seats must",
                seats
            )
        }
    })
}

pub(super) fn referee_halted(reason: &str) -> Note {
    Note::footnote(fact!("referee_halted", "the referee halted the rounds: {reason}", reason))
}

/// Seats that object to the synthesis as it stands: after the one correction, or because it never came.
pub(super) fn misrepresented(seats: usize, is_corrected: bool) -> Note {
    let find = if seats == 1 { "seat finds its" } else { "seats find their" };
    let when = if is_corrected { "still, after the correction" } else { "and the correction did not come" };
    Note::footnote(fact!(
        "dissent_misrepresented",
        "{seats} {find} dissent misrepresented, {when}",
        seats,
        corrected = is_corrected
    ))
}
