//! Who answers: the built-in rehearsal, scripts, model APIs.
//!
//! An agent is given a brief and gives back bytes with a receipt. It knows nothing of the debate's files, of votes or of
//! rounds: whatever comes back is broken input until the engine has held it against its form.
//!
//! Read in this order: [`Agent`], [`Roster`], then one agent. `compose`, `sections` and `voice` write replies in form;
//! `conduct` decides what they say.

mod acp;
mod agent;
mod angles;
pub mod ao;
pub mod api;
pub mod bounded;
mod chance;
pub mod cli;
mod compose;
mod conduct;
pub mod finding;
mod framer;
pub mod keeper;
mod key;
mod lane;
pub mod prices;
pub mod recipes;
mod rehearsal;
mod roster;
mod script;
mod scripted;
mod sections;
mod settings;
mod spoken;
mod voice;

pub use agent::{Agent, Answering, Call, Failure, FailureKind, Receipt, Reply, Served};
pub use key::keep_secret;
pub use lane::{Lane, Pass};
pub use roster::{Roster, UnknownAgent, command_in, is_kind};
pub use script::ScriptError;
pub use settings::{AgentSettings, Home, OutputShape, PromptWay, RosterSettings, is_model_name};
