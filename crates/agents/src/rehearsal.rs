//! The embedded default agent: no network, no waiting, always in form, the same words for the same turn.
//!
//! It lets a user see a whole debate before any model is configured. It restates what the user wrote and says in every
//! reply that it is a rehearsal; it never states anything about the world.

use crate::agent::{Agent, Answering, Call, Receipt, Reply};
use crate::compose::{Wishes, compose};
use crate::conduct;
use forge_debate::datum::Fields;
use forge_debate::plan::{REHEARSAL, REHEARSAL_LABEL};

/// The rehearsal agent.
#[derive(Debug)]
pub(crate) struct Rehearsal;

impl Agent for Rehearsal {
    fn name(&self) -> &str {
        REHEARSAL
    }

    fn answer<'a>(&'a self, call: &'a Call) -> Answering<'a> {
        Box::pin(async move {
            let wishes = Wishes { ballot: conduct::wishes(&call.brief, &Fields::new()), sections: Vec::new() };
            let receipt = Receipt {
                program: REHEARSAL.to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
                tries: 1,
                ..Receipt::default()
            };
            Ok(Reply { bytes: compose(&call.brief, REHEARSAL_LABEL, &wishes).into_bytes(), receipt })
        })
    }
}
