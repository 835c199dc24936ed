//! One conversation with an agent over the Agent Client Protocol: greet it, open a session, put it into a safe mode, ask,
//! listen.
//!
//! Promises: nothing is granted (permissions are rejected, files and terminals are not offered, whatever else is asked for
//! is not known here); ends by the time that it was given, and asks the agent to stop before it stops listening.
//! Must never: log in, or send anything but the brief.

use super::hearing::Hearing;
use super::lines::{self, Outgoing};
use super::mode::{Modes, Move, Otherwise};
use super::trouble::{self, Setback};
use crate::agent::FailureKind;
use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    CancelNotification, ClientCapabilities, ContentBlock, Implementation, InitializeRequest, NewSessionRequest,
    PromptRequest, SessionId, SetSessionModeRequest, TextContent,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Agent, Client, Error, Lines, UntypedMessage, is_incoming_transport_closed};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

/// How long an agent may take to put its session into a mode.
const MODE_LIMIT: Duration = Duration::from_secs(30);
/// How long the last lines to an agent may take to get out.
const PARTING_LIMIT: Duration = Duration::from_millis(500);

/// The agent that gives a name to every message of its model's, and none to its own remarks.
const NAMES_MESSAGES: &str = "codex-acp";

/// What is to be asked, and by when.
#[derive(Debug, Clone)]
pub(super) struct Errand {
    /// The session's folder.
    pub(super) folder: PathBuf,
    /// The whole prompt.
    pub(super) prompt: String,
    /// How long the agent may take to say that it is there, and to open a session.
    pub(super) opening: Duration,
    /// When it is asked to stop.
    pub(super) until: Instant,
    /// How long it may take to stop then.
    pub(super) stopping: Duration,
    /// The most bytes of an answer.
    pub(super) reply_limit_bytes: usize,
}

/// What an agent says about itself and the turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Introduction {
    /// Its name and version.
    pub(super) version: Option<String>,
    /// The model that the session is set to.
    pub(super) model: Option<String>,
    /// What a reader should know.
    pub(super) notes: Vec<String>,
}

/// Talks with an agent until it has answered or cannot. The answer itself is in `hearing`.
pub(super) async fn talk(
    input: Box<dyn AsyncWrite + Send + Unpin>,
    output: Box<dyn AsyncRead + Send + Unpin>,
    errand: &Errand,
    hearing: &Arc<Hearing>,
    introduction: &Mutex<Introduction>,
) -> Result<(), Setback> {
    let transport = Lines::new(Outgoing::new(input), lines::incoming(output, Arc::clone(hearing)));
    let (requests, updates) = (Arc::clone(hearing), Arc::clone(hearing));
    let outcome = Mutex::new(None);
    let is_over = tokio::sync::Notify::new();
    let connected = Client
        .v1()
        .name("forge")
        .on_receive_request(
            async move |request: UntypedMessage, responder, _: ConnectionTo<Agent>| {
                refuse(&requests, &request, responder)
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_notification(
            async move |message: UntypedMessage, _: ConnectionTo<Agent>| {
                if message.method() == "session/update" {
                    updates.update(message.params());
                }
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .connect_with(transport, async |connection: ConnectionTo<Agent>| {
            let told = Talk { connection, errand, hearing, introduction }.run().await;
            *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
            is_over.notify_one();
            Ok(())
        });
    // The crate waits until its last lines are out, and an agent that no longer reads would keep it waiting.
    let parted = async {
        is_over.notified().await;
        sleep(PARTING_LIMIT).await;
    };
    let ended = tokio::select! {
        ended = connected => ended,
        () = parted => Ok(()),
    };
    let told = outcome.lock().unwrap_or_else(PoisonError::into_inner).take();
    match (told, ended) {
        (Some(told), _) => told,
        (None, Err(error)) => {
            Err(Setback::new(FailureKind::Crashed, format!("the connection failed: {}", error.message)))
        }
        (None, Ok(())) => Err(Setback::new(FailureKind::Crashed, "the connection ended without an answer")),
    }
}

/// Answers a request of the agent's: no.
fn refuse(hearing: &Hearing, request: &UntypedMessage, responder: Responder<Value>) -> Result<(), Error> {
    if request.method() != "session/request_permission" {
        hearing.request();
        return responder.respond_with_error(Error::method_not_found());
    }
    hearing.permission();
    let option = |kind: &str| {
        let options = request.params()["options"].as_array().into_iter().flatten();
        options.filter(|option| option["kind"] == kind).find_map(|option| option["optionId"].as_str())
    };
    responder.respond(match option("reject_once").or_else(|| option("reject_always")) {
        Some(id) => json!({ "outcome": { "outcome": "selected", "optionId": id } }),
        None => json!({ "outcome": { "outcome": "cancelled" } }),
    })
}

struct Talk<'a> {
    connection: ConnectionTo<Agent>,
    errand: &'a Errand,
    hearing: &'a Hearing,
    introduction: &'a Mutex<Introduction>,
}

impl Talk<'_> {
    async fn run(self) -> Result<(), Setback> {
        let opening = Instant::now() + self.errand.opening;
        let ways_in = self.greet(opening).await?;
        let session = self.open(opening, &ways_in).await?;
        let Some(id) = session["sessionId"].as_str() else {
            return Err(Setback::new(FailureKind::Unparsable, "its session has no id"));
        };
        let id = SessionId::new(id);
        self.set_mode(&id, &Modes::read(&session)).await?;
        self.prompt(&id).await
    }

    /// Greets the agent, and gives back the names of the ways in which a person could log in.
    async fn greet(&self, by: Instant) -> Result<String, Setback> {
        let client = Implementation::new("forge", env!("CARGO_PKG_VERSION"));
        let hello = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::new())
            .client_info(client);
        let reply = self.ask("initialize", hello, by).await?;
        // The crate has seen to it that this is version 1.
        let info = &reply["agentInfo"];
        let named = [&info["name"], &info["version"]].map(|value| value.as_str().unwrap_or_default());
        self.introduce(|introduction| {
            introduction.version = Some(named.join(" ").trim().to_owned()).filter(|version| !version.is_empty());
        });
        self.hearing.heard().names_messages = named[0].ends_with(NAMES_MESSAGES);
        let methods = reply["authMethods"].as_array().into_iter().flatten();
        Ok(methods.filter_map(|method| method["name"].as_str()).collect::<Vec<_>>().join(", "))
    }

    async fn open(&self, by: Instant, ways_in: &str) -> Result<Value, Setback> {
        let request = NewSessionRequest::new(self.errand.folder.clone());
        let session = self.ask("session/new", request, by).await.map_err(|setback| match setback.kind {
            FailureKind::NoAuth if !ways_in.is_empty() => {
                Setback { detail: format!("{}; log in first (it offers: {ways_in})", setback.detail), ..setback }
            }
            _ => setback,
        })?;
        self.introduce(|introduction| {
            let mut options = session["configOptions"].as_array().into_iter().flatten();
            let option = options.find(|option| option["category"] == "model" || option["id"] == "model");
            let model = session["models"]["currentModelId"].as_str();
            introduction.model = model.or_else(|| option?["currentValue"].as_str()).map(plain_model);
        });
        Ok(session)
    }

    async fn set_mode(&self, session: &SessionId, modes: &Modes) -> Result<(), Setback> {
        let (mode, otherwise) = match modes.safest() {
            Move::Stay => return Ok(()),
            Move::To(mode, otherwise) => (mode, otherwise),
            Move::Unknown(current) => {
                if let Some(current) = current {
                    self.introduce(|introduction| {
                        introduction
                            .notes
                            .push(format!("it offers no mode that is known to be safe, and is in {current:?}"));
                    });
                }
                return Ok(());
            }
        };
        let by = Instant::now() + MODE_LIMIT;
        let set = match &modes.option {
            None => self.ask("session/set_mode", SetSessionModeRequest::new(session.clone(), mode.clone()), by).await,
            Some(option) => {
                let request = json!({ "sessionId": session, "configId": option, "value": mode });
                self.ask("session/set_config_option", request, by).await
            }
        };
        match (set, otherwise) {
            (Ok(_), _) => {
                self.introduce(|introduction| introduction.notes.push(format!("put into its mode {mode:?}")));
                Ok(())
            }
            (Err(setback), Otherwise::WillDo)
                if setback.kind == FailureKind::Crashed && !self.connection.is_incoming_closed() =>
            {
                self.introduce(|introduction| {
                    introduction.notes.push(format!("could not be put into its mode {mode:?}: {}", setback.detail));
                });
                Ok(())
            }
            (Err(setback), _) => {
                let detail =
                    format!("it could not be put into its mode {mode:?} and was not asked: {}", setback.detail);
                Err(Setback { detail, ..setback })
            }
        }
    }

    async fn prompt(&self, session: &SessionId) -> Result<(), Setback> {
        let text = ContentBlock::Text(TextContent::new(self.errand.prompt.clone()));
        let request = untyped("session/prompt", PromptRequest::new(session.clone(), vec![text]))?;
        let mut turn = std::pin::pin!(self.connection.send_request(request).block_task());
        let ended = tokio::select! {
            biased;
            breach = self.hearing.breached() => Err(self.breach_words(breach)),
            ended = &mut turn => Ok(ended),
            () = sleep_until(self.errand.until) => Err(Setback::new(FailureKind::TimedOut, "no answer in time")),
        };
        let result = match ended {
            Ok(Ok(result)) => result,
            Ok(Err(error)) => return Err(self.failed("session/prompt", &error)),
            Err(setback) => {
                // An agent that is told can stop its model; what it says now is too late.
                let _ = self.connection.send_notification(CancelNotification::new(session.clone()));
                if let Ok(Ok(result)) = timeout_at(Instant::now() + self.errand.stopping, turn).await {
                    self.hearing.turn_ended(&result);
                }
                return Err(setback);
            }
        };
        self.hearing.turn_ended(&result);
        match result["stopReason"].as_str() {
            Some("end_turn") => Ok(()),
            Some("max_tokens") => Err(Setback::new(FailureKind::TooLong, "the answer was cut off at the most tokens")),
            Some("max_turn_requests") => {
                Err(Setback::new(FailureKind::Crashed, "it made the most requests that it may, and did not answer"))
            }
            Some("refusal") => Err(Setback::new(FailureKind::Refused, "it refused to answer")),
            Some("cancelled") => {
                Err(Setback::new(FailureKind::Crashed, "it gave up the turn, though nobody cancelled it"))
            }
            other => {
                let detail = format!("its turn ended for the unknown reason {:?}", other.unwrap_or("(none)"));
                Err(Setback::new(FailureKind::Unparsable, detail))
            }
        }
    }

    /// One request, answered by then.
    async fn ask(&self, method: &str, params: impl Serialize, by: Instant) -> Result<Value, Setback> {
        let request = untyped(method, params)?;
        tokio::select! {
            biased;
            breach = self.hearing.breached() => Err(self.breach_words(breach)),
            reply = self.connection.send_request(request).block_task() => reply.map_err(|error| self.failed(method, &error)),
            () = sleep_until(by.min(self.errand.until)) => {
                Err(Setback::new(FailureKind::TimedOut, format!("it did not answer {method} in time")))
            }
        }
    }

    fn breach_words(&self, breach: super::hearing::Breach) -> Setback {
        let kind = match breach {
            super::hearing::Breach::Strays => FailureKind::Unparsable,
            _ => FailureKind::Crashed,
        };
        Setback::new(kind, format!("it {}", breach.words(self.errand.reply_limit_bytes)))
    }

    fn failed(&self, method: &str, error: &Error) -> Setback {
        if !is_incoming_transport_closed(error) {
            return trouble::read(method, error);
        }
        let heard = self.hearing.heard();
        match (heard.breach, &heard.first_stray) {
            (Some(breach), _) => self.breach_words(breach),
            (None, Some(line)) if method == "initialize" => {
                let detail = format!("what it prints is not the protocol: {line:?}");
                Setback::new(FailureKind::Unparsable, detail)
            }
            (None, _) => Setback::new(FailureKind::Crashed, format!("it ended before it had answered {method}")),
        }
    }

    fn introduce(&self, change: impl FnOnce(&mut Introduction)) {
        change(&mut self.introduction.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// A model's name without what agents put around it: `gpt-6[low]`, `$runtime|openai|qwen3(openai)`.
fn plain_model(id: &str) -> String {
    let last = id.rsplit('|').next().unwrap_or(id);
    last.split(['[', '(']).next().unwrap_or(last).to_owned()
}

fn untyped(method: &str, params: impl Serialize) -> Result<UntypedMessage, Setback> {
    UntypedMessage::new(method, params)
        .map_err(|error| Setback::new(FailureKind::Crashed, format!("{method} cannot be written: {}", error.message)))
}

#[cfg(test)]
mod tests {
    use super::plain_model;

    #[test]
    fn models_are_named_plainly() {
        assert_eq!(plain_model("gpt-6[low]"), "gpt-6");
        assert_eq!(plain_model("$runtime|openai|qwen3(openai)"), "qwen3");
        assert_eq!(plain_model("gemini-3-pro"), "gemini-3-pro");
    }
}
