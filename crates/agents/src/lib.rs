//! Who answers: the built-in rehearsal, scripts, model APIs.
//!
//! An agent is given a brief and gives back bytes with a receipt. It knows nothing of the debate's files, of votes or of
//! rounds: whatever comes back is broken input until the engine has held it against its form.

mod agent;
mod compose;
mod openai;
mod rehearsal;
mod roster;
mod scripted;

pub use agent::{Agent, Answering, Call, Failure, FailureKind, Receipt, Reply, Served};
pub use roster::{Roster, UnknownAgent};
