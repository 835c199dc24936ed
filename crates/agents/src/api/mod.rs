//! Model APIs: Anthropic, OpenAI, Gemini, and whatever speaks one of their wires, on this machine too.
//!
//! Read in this order: [`providers`] (who there is), `connection` (where, with which key, in which lane), `model` (the agent:
//! what is tried again, what a failure is called), then one wire: `chat` (chat completions) or `events` (the others, through
//! the crate `genai`).
//!
//! Promises: a key goes into one header and nowhere else; no proxy, no redirect, no compression that was not asked for; the
//! environment is never read, only settings are; no value of a key comes back in an answer, a receipt or a sentence.
//!
//! If the process dies here, nothing is left behind but a call that may be paid.

mod chat;
mod connection;
mod events;
mod gguf;
pub mod local;
mod model;
pub mod providers;
mod reading;
mod retry;
mod setback;
mod sse;
mod structured;

use crate::agent::Agent;
use crate::roster::{Roster, UnknownAgent};
use connection::Connections;
use model::Model;
use std::sync::Arc;

pub(crate) use connection::{Connections as Apis, is_same_host, local_address};
pub(crate) use gguf::seat as seat_file;

/// Seats a model of a provider, of forge's own list or of the configuration's.
pub(crate) fn seat(roster: &Roster, name: &str, model: &str) -> Result<Arc<dyn Agent>, UnknownAgent> {
    let kind = name.split_once(':').map_or(name, |(kind, _)| kind);
    let problem = |problem: String| UnknownAgent::Settings { name: name.to_owned(), problem };
    let apis: &Connections = roster.apis();
    let connection = apis.to(kind, roster.settings(), &roster.keys()).map_err(problem)?;
    let model = Some(model.to_owned()).filter(|model| !model.is_empty()).or_else(|| connection.default_model.clone());
    if model.is_none() && !connection.offers_models() {
        return Err(problem(format!(
            "no model is named: write {kind}:MODEL, or set agents.{kind}.model in the configuration"
        )));
    }
    Ok(Arc::new(Model::new(name, model, connection)))
}
