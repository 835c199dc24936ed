//! One model of a provider, as an agent: what is tried again and for how long, and what a failure is called.
//!
//! Rate limits, failing servers and cut answers are tried again within the call's deadline; everything else ends the call
//! with its failure kind. A rate limit holds the whole lane, so that the other seats do not run into it one by one.

use super::connection::{Connection, Credentials, shown};
use super::setback::{SCHEMA_PARAMETER, Setback};
use super::{chat, events, local, providers::Wire, retry, structured};
use crate::agent::{Agent, Answering, Call, Failure, FailureKind, Receipt, Reply};
use crate::lane::Lane;
use forge_debate::brief::Brief;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::{Instant, sleep, timeout_at};

/// The most parameters that are changed because a provider does not know them.
const DIALECT_CHANGES: u32 = 5;

/// A model that can be asked.
#[derive(Debug)]
pub(super) struct Model {
    name: String,
    named: Option<String>,
    offered: OnceCell<String>,
    connection: Arc<Connection>,
    dialect: Mutex<Dialect>,
}

/// What a provider calls things; learnt from its own complaints, and kept for the model's next call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dialect {
    /// How the length limit is said.
    pub(super) length: Option<Length>,
    /// Whether the tokens used are asked for.
    pub(super) usage: bool,
    /// Whether the answer is asked for as a stream.
    pub(super) stream: bool,
    /// Whether the form is sent as a schema.
    pub(super) schema: bool,
}

/// How the length limit of a chat completion is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// `max_tokens`, which every server but OpenAI's newest models knows.
    Plain,
    /// `max_completion_tokens`.
    Completion,
}

impl Dialect {
    fn of(connection: &Connection) -> Self {
        let length = Some(if connection.is_official { Length::Completion } else { Length::Plain });
        Self { length, usage: true, stream: true, schema: connection.is_structured }
    }

    /// Says it differently, if there is another way.
    fn without(&mut self, parameter: &str) -> bool {
        match (parameter, self.length) {
            (SCHEMA_PARAMETER, _) if self.schema => self.schema = false,
            ("max_tokens", Some(Length::Plain)) => self.length = Some(Length::Completion),
            ("max_completion_tokens" | "max_tokens", Some(_)) => self.length = None,
            ("stream_options" | "stream_options.include_usage", _) if self.usage => self.usage = false,
            ("stream", _) if self.stream => self.stream = false,
            _ => return false,
        }
        true
    }
}

/// One try.
#[derive(Debug)]
pub(super) struct Try<'a> {
    pub(super) connection: &'a Connection,
    pub(super) model: &'a str,
    pub(super) call: &'a Call,
    pub(super) credentials: &'a Credentials,
    pub(super) dialect: Dialect,
    /// The form as a schema, where it is sent.
    pub(super) schema: Option<&'a Value>,
}

impl Model {
    /// The agent `name` that asks `model`, or what the server offers first.
    pub(super) fn new(name: &str, model: Option<String>, connection: Arc<Connection>) -> Self {
        let dialect = Mutex::new(Dialect::of(&connection));
        Self { name: name.to_owned(), named: model, offered: OnceCell::new(), connection, dialect }
    }

    async fn model(&self, credentials: &Credentials, receipt: &mut Receipt) -> Result<&str, (FailureKind, String)> {
        if let Some(named) = &self.named {
            return Ok(named);
        }
        let connection = &self.connection;
        let offered = self
            .offered
            .get_or_try_init(async || {
                let url = connection.url("models");
                let offered = local::models(&connection.client, url, credentials.key.as_deref()).await;
                let first = offered.map(|models| models.into_iter().next());
                first.map_err(|detail| (FailureKind::Unreachable, detail))?.ok_or_else(|| {
                    let detail = format!("{} offers no model; load one, or name one", shown(&connection.base));
                    (FailureKind::Unreachable, detail)
                })
            })
            .await?;
        receipt.notes.push(format!("no model was named; asked {offered}, the first that the server offers"));
        Ok(offered)
    }

    async fn converse(
        &self,
        call: &Call,
        until: Instant,
        credentials: &Credentials,
        receipt: &mut Receipt,
    ) -> Result<String, (FailureKind, String)> {
        let turn = call.brief.key.slug();
        let model = self.model(credentials, receipt).await?;
        receipt.model_asked = Some(model.to_owned());
        receipt.program = format!("POST {}", shown(&events::url(&self.connection, model)));
        let mut dialect = *self.dialect.lock().unwrap_or_else(PoisonError::into_inner);
        // A dialect only ever loses what it has.
        let schema = if dialect.schema { structured::schema(&call.brief) } else { None };
        let (mut refused, mut broken, mut unconnected, mut changed) = (0, 0, 0, 0);
        loop {
            self.connection.lane.released().await;
            receipt.tries += 1;
            // Until it is known better: the deadline may end this in the middle.
            receipt.untold_tries += 1;
            let told = (receipt.served.input_tokens, receipt.served.output_tokens);
            receipt.exit = None;
            let schema = schema.as_ref().filter(|_| dialect.schema);
            let attempt = Try { connection: &self.connection, model, call, credentials, dialect, schema };
            let outcome = match self.connection.wire {
                Wire::OpenAi => chat::ask(&attempt, receipt).await,
                Wire::Anthropic | Wire::OpenAiResponses | Wire::Gemini => events::ask(&attempt, receipt).await,
            };
            let is_told = |now: &Receipt| now.served.input_tokens != told.0 && now.served.output_tokens != told.1;
            let is_refused = outcome.is_err() && receipt.exit.is_some_and(|status| !(200..300).contains(&status));
            if is_told(receipt) || is_refused || matches!(outcome, Err(Setback::Unconnected(_))) {
                receipt.untold_tries -= 1;
            }
            let setback = match outcome {
                Ok(text) if schema.is_some() => return Ok(structured::reply(text, receipt)),
                Ok(text) => return Ok(text),
                Err(setback) => setback,
            };
            let (asked, tries, limit, kind, detail) = match setback {
                Setback::Final(kind, detail) => return Err((kind, detail)),
                Setback::Parameter(name, detail) => {
                    changed += 1;
                    if changed > DIALECT_CHANGES || !dialect.without(&name) {
                        return Err((FailureKind::Crashed, format!("the provider refused the request: {detail}")));
                    }
                    *self.dialect.lock().unwrap_or_else(PoisonError::into_inner) = dialect;
                    receipt.notes.push(format!("the provider does not know {name:?}; asked again without"));
                    continue;
                }
                Setback::RateLimited(asked, detail) => {
                    refused += 1;
                    (asked, refused, retry::RATE_LIMIT_TRIES, FailureKind::RateLimited, detail)
                }
                Setback::Broken(asked, detail) => {
                    broken += 1;
                    (asked, broken, retry::BROKEN_TRIES, FailureKind::Crashed, detail)
                }
                Setback::Unconnected(detail) => {
                    unconnected += 1;
                    (None, unconnected, retry::CONNECT_TRIES, FailureKind::Unreachable, detail)
                }
            };
            let wait = match asked {
                Some(asked) => retry::spread(asked, &turn, call.attempt, tries),
                None => retry::backoff(&turn, call.attempt, tries),
            };
            if kind == FailureKind::RateLimited || asked.is_some() {
                self.connection.lane.hold(wait);
            }
            if tries >= limit {
                return Err((kind, detail));
            }
            // Another seat may have been told to wait longer.
            let wait = wait.max(self.connection.lane.held_for());
            if wait >= until.saturating_duration_since(Instant::now()) {
                return Err((kind, format!("{detail}; the next try in {} would be past the deadline", seconds(wait))));
            }
            receipt.notes.push(format!("{detail}; tried again after {}", seconds(wait)));
            sleep(wait).await;
        }
    }
}

impl Agent for Model {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer<'a>(&'a self, call: &'a Call) -> Answering<'a> {
        Box::pin(async move {
            let program = format!("POST {}", shown(&self.connection.base));
            let mut receipt = Receipt { program, model_asked: self.named.clone(), ..Receipt::default() };
            let until = Instant::now() + call.deadline;
            let late = |_| (FailureKind::TimedOut, format!("no answer within {}", seconds(call.deadline)));
            let credentials = match timeout_at(until, self.connection.credentials()).await {
                Ok(Ok(credentials)) => credentials,
                Ok(Err(detail)) => return Err(Failure { kind: FailureKind::NoAuth, detail, receipt }),
                Err(elapsed) => {
                    let (kind, detail) = late(elapsed);
                    return Err(Failure { kind, detail, receipt });
                }
            };
            let outcome = timeout_at(until, self.converse(call, until, &credentials, &mut receipt)).await;
            let outcome = outcome.map_err(late).flatten();
            let asked = receipt.model_asked.clone().unwrap_or_default();
            let bare = asked.rsplit('/').next().unwrap_or_default();
            let other = |served: &&String| !served.starts_with(&asked) && !served.starts_with(bare);
            if let Some(served) = receipt.served.model.as_ref().filter(other) {
                receipt.notes.push(format!("asked for {asked}, served by {served}"));
            }
            // Whoever answers may repeat what it was sent, anywhere.
            let blotted = |text: String| credentials.secrets.blotted(&text);
            receipt.notes = receipt.notes.into_iter().map(blotted).collect();
            receipt.served.model = receipt.served.model.map(blotted);
            receipt.model_asked = receipt.model_asked.map(blotted);
            receipt.program = blotted(receipt.program);
            match outcome {
                Ok(text) => Ok(Reply { bytes: blotted(text).into_bytes(), receipt }),
                Err((kind, detail)) => Err(Failure { kind, detail: blotted(detail), receipt }),
            }
        })
    }

    fn added_bytes(&self, brief: &Brief) -> usize {
        let sends = self.dialect.lock().unwrap_or_else(PoisonError::into_inner).schema;
        let schema = if sends { structured::schema(brief) } else { None };
        schema.map_or(0, |schema| schema.to_string().len())
    }

    fn lane(&self) -> Option<Arc<Lane>> {
        Some(Arc::clone(&self.connection.lane))
    }
}

fn seconds(wait: Duration) -> String {
    format!("{:.1} s", wait.as_secs_f64())
}
