//! A person's decision over what the seats left open.

use crate::ballot;
use crate::model::form::Form;
use crate::model::plan::{OptionId, SeatId};
use crate::model::turn::{Stage, TurnKey};
use crate::rules::record::{Ask, Reads};

/// The stage in which a person decides what the seats left open.
pub const DECISION: Stage = Stage("decision");
/// The seat of that person.
pub const PERSON: &str = "person";

ballot! {
    /// A person's decision.
    pub struct DecisionBallot {
        /// the option decided for
        #[also("Decision", "Chosen Option")]
        option: OptionId,
        /// who decided
        #[also("Decided By")]
        by: String,
        /// why
        #[also("Reason")]
        because: String,
        /// true where the decision is against what the seats came to
        overrules: Option<bool>,
    }
}

/// The ask whose answer is a person's decision.
pub fn decision_ask() -> Ask {
    let form = Form::asking::<DecisionBallot>("decision", &[]);
    Ask::new(TurnKey::new(DECISION, 0, &SeatId::from(PERSON)), Reads::Blind, form, "decision")
}
