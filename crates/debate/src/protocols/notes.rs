//! What the ruling of any protocol may say besides its outcome.

use crate::fact;
use crate::model::fact::Note;
use crate::model::plan::{OptionId, Plan};
use crate::model::ruling::Contest;
use crate::model::turn::{KeptVote, TurnKey};

pub(super) fn vote_kept(key: &TurnKey, vote: &KeptVote) -> Note {
    let KeptVote { field, kept, refused } = vote;
    Note::footnote(fact!("vote_kept", "{key}: {vote}", turn = key, field = field, kept = kept, refused = refused))
}

/// Nobody challenged anybody in this round, and the seats agreed all the same.
pub(super) fn never_tested(plan: &Plan, round: u16, options: &[OptionId]) -> Note {
    let names = plan.option_names(options);
    Note::contests(
        Contest::NobodyChallenged,
        fact!(
            "never_tested",
            "round {round}: nobody challenged anybody, so the agreement on {names} was never tested; a person must decide",
            round,
            options = options
        ),
    )
}
