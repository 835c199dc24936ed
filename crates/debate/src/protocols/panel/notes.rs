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
                "too_few_quote",
                "too few seats quote the supplied material; at least 2/3 of {seats} seats must",
                seats
            )
        }
    })
}

pub(super) fn referee_halted(reason: &str) -> Note {
    Note::footnote(fact!("referee_halted", "the referee halted the rounds: {reason}", reason))
}

/// Seats that still object after the one correction round.
pub(super) fn misrepresented(seats: usize) -> Note {
    let find = if seats == 1 { "seat still finds its" } else { "seats still find their" };
    Note::footnote(fact!(
        "dissent_misrepresented",
        "{seats} {find} dissent misrepresented after the correction round",
        seats
    ))
}
