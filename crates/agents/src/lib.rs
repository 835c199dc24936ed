//! Who answers: the built-in rehearsal, scripts, model APIs.
//!
//! An agent is given a brief and gives back bytes with a receipt. It knows nothing of the debate's files, of votes or of
//! rounds: whatever comes back is broken input until the engine has held it against its form.
//!
//! Read in this order: [`Agent`], [`Roster`], then one agent. `compose`, `sections` and `voice` write replies in form;
//! `conduct` decides what they say.

mod agent;
mod angles;
pub mod ao;
pub mod bounded;
mod chance;
mod compose;
mod conduct;
mod framer;
mod openai;
mod rehearsal;
mod roster;
mod script;
mod scripted;
mod sections;
mod sse;
mod voice;

pub use agent::{Agent, Answering, Call, Failure, FailureKind, Receipt, Reply, Served};
pub use openai::DEFAULT_BASE_URL;
pub use roster::{Roster, RosterSettings, UnknownAgent};
pub use script::ScriptError;
pub use scripted::UNSCRIPTED;
