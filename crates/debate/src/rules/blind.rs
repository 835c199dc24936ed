//! The blind vote: what the sealed first round alone would have said. It stands beside every verdict, since the vote
//! explains most of what a debate gains; a debate that ends elsewhere says so above the answer.

use crate::ballot_words;
use crate::model::plan::{OptionId, Plan, SeatId};
use crate::model::turn::{Stage, Turn};
use crate::model::voting::Vote;
use crate::rules::tally;

ballot_words! {
    /// The operator's word.
    pub enum GoWord {
        Go = "GO",
        NoGo = "NO-GO",
        Conditional = "CONDITIONAL",
    }
}

/// What the first round said, before anybody had read anybody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlindVote {
    /// Votes for options, most first.
    Options(Vec<(OptionId, Vec<SeatId>)>),
    /// How many of the challengers who spoke agreed with the lead's first position.
    Agreed {
        /// Who agreed.
        agreed: Vec<SeatId>,
        /// How many spoke.
        of: usize,
    },
    /// The operator's word.
    Go(GoWord),
}

impl BlindVote {
    /// The votes of a stage, as they were cast.
    pub fn of_stage(plan: &Plan, heard: &[&Turn], stage: Stage) -> Option<Self> {
        let vote = |turn: &&&Turn| {
            let cast = turn.speech()?.option()?;
            Some(Vote { seat: turn.seat().clone(), counted: cast.clone(), cast })
        };
        let votes: Vec<Vote> =
            heard.iter().filter(|turn| turn.key.stage == stage).filter_map(|turn| vote(&turn)).collect();
        (!votes.is_empty()).then(|| BlindVote::Options(tally::distribution(plan, &votes)))
    }

    /// The option with most votes; none in a tie, and none where nobody voted for options.
    pub fn leader(&self) -> Option<&OptionId> {
        let BlindVote::Options(rows) = self else { return None };
        match rows.as_slice() {
            [(_, first), (_, second), ..] if first.len() == second.len() => None,
            [(leader, _), ..] => Some(leader),
            [] => None,
        }
    }
}
