//! An agent that follows a script: for tests, for demonstrations, and to replay how a model failed.
//!
//! Calls that the script does not mention are answered in form, the way a rehearsal would. Never waits longer than the
//! call's deadline, and keeps nothing between calls.

use crate::agent::{Agent, Answering, Call, Failure, FailureKind, Receipt, Reply};
use crate::compose::{Wishes, compose};
use crate::conduct;
use crate::script::{Entry, Mishap, Script, ScriptError};
use forge_debate::plan::SCRIPT_LABEL;
use std::path::Path;
use std::time::Duration;

/// No text in any language.
const GARBAGE: &[u8] = b"\xff\xfe\x00\x9f\x92\x96 {\"option\": \xc3\x28";

/// A scripted agent.
#[derive(Debug)]
pub(crate) struct Scripted {
    name: String,
    script: Script,
}

impl Scripted {
    /// The agent `name`, which follows the script at `path`.
    pub(crate) fn new(name: &str, path: &Path) -> Result<Self, ScriptError> {
        Ok(Self { name: name.to_owned(), script: Script::read(path)? })
    }

    fn receipt(&self, entry: &Entry) -> Receipt {
        let served = entry.served();
        Receipt {
            program: self.name.clone(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            model_asked: served.model.clone(),
            served,
            tries: entry.untold_tries.saturating_add(1),
            untold_tries: entry.untold_tries,
            ..Receipt::default()
        }
    }

    async fn play(&self, call: &Call, entry: &Entry) -> Result<Reply, Failure> {
        tokio::time::sleep(Duration::from_millis(entry.delay_ms)).await;
        let failure = |kind, detail: &str| Failure { kind, detail: detail.to_owned(), receipt: self.receipt(entry) };
        let bytes = match entry.mishap {
            None => words(call, entry),
            Some(Mishap::Half) => {
                let whole = words(call, entry);
                whole[..whole.len() / 2].to_vec()
            }
            Some(Mishap::Hang) => std::future::pending().await,
            Some(Mishap::Crash) => return Err(failure(FailureKind::Crashed, "the script says that it crashes")),
            Some(Mishap::Refuse) => return Err(failure(FailureKind::Refused, "the script says that it refuses")),
            Some(Mishap::Garbage) => GARBAGE.to_vec(),
            Some(Mishap::Empty) => Vec::new(),
        };
        Ok(Reply { bytes, receipt: self.receipt(entry) })
    }
}

impl Agent for Scripted {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer<'a>(&'a self, call: &'a Call) -> Answering<'a> {
        Box::pin(async move {
            let silent = Entry::default();
            let entry = self.script.entry(call).unwrap_or(&silent);
            match tokio::time::timeout(call.deadline, self.play(call, entry)).await {
                Ok(outcome) => outcome,
                Err(_) => Err(Failure {
                    kind: FailureKind::TimedOut,
                    detail: format!("no answer within {} ms", call.deadline.as_millis()),
                    receipt: self.receipt(entry),
                }),
            }
        })
    }
}

fn words(call: &Call, entry: &Entry) -> Vec<u8> {
    if let Some(say) = &entry.say {
        return say.clone().into_bytes();
    }
    let wishes = Wishes { ballot: conduct::wishes(&call.brief, &entry.ballot()), sections: entry.sections() };
    compose(&call.brief, SCRIPT_LABEL, &wishes).into_bytes()
}
