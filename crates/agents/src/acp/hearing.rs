//! What an agent has said and tried so far in one call, and whether it has gone too far.
//!
//! Read from the messages as they are: agents send updates that no version of the protocol lists, and one that is not
//! understood must not lose the answer. Every count has a limit; the first that is passed is the breach that ends the call.

use crate::agent::Served;
use serde_json::Value;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The most tools that an agent may call in one turn.
const TOOL_CALLS_LIMIT: usize = 40;
/// The most permissions that it may ask for; each is refused.
const PERMISSIONS_LIMIT: usize = 20;
/// The most other requests that it may make; each is refused.
const REQUESTS_LIMIT: usize = 500;
/// The most updates; an answer may come a word at a time.
const UPDATES_LIMIT: usize = 200_000;
/// The most characters of a stray line that are kept.
const STRAY_CHARS: usize = 200;

/// A limit that an agent has passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breach {
    /// Tools called.
    Tools,
    /// Permissions asked for.
    Permissions,
    /// Other requests.
    Requests,
    /// Updates sent.
    Updates,
    /// Bytes printed.
    Bytes,
    /// Bytes of the answer.
    Answer,
    /// Lines that are no messages.
    Strays,
}

impl Breach {
    /// In words that go on from "it".
    pub(super) fn words(self, reply_limit_bytes: usize) -> String {
        match self {
            Breach::Tools => format!("called more than {TOOL_CALLS_LIMIT} tools instead of answering"),
            Breach::Permissions => format!("kept asking for permissions, more than {PERMISSIONS_LIMIT} times"),
            Breach::Requests => format!("made more than {REQUESTS_LIMIT} requests that are not granted"),
            Breach::Updates => format!("sent more than {UPDATES_LIMIT} updates"),
            Breach::Bytes => "printed more than a call may".to_owned(),
            Breach::Answer => format!("answered with more than {reply_limit_bytes} bytes"),
            Breach::Strays => "printed too many lines that are no messages of the protocol".to_owned(),
        }
    }
}

/// Everything heard in one call; shared by the reader of lines, the handlers of messages and whoever waits.
pub(super) struct Hearing {
    heard: Mutex<Heard>,
    breached: Notify,
    reply_limit_bytes: usize,
}

/// What was heard.
#[derive(Debug, Clone, Default)]
pub(super) struct Heard {
    pieces: Vec<Piece>,
    answer_bytes: usize,
    updates: usize,
    /// Tools called.
    pub(super) tool_calls: usize,
    /// Permissions asked for, and refused.
    pub(super) permissions: usize,
    /// Other requests, and refused.
    pub(super) requests: usize,
    /// Lines that were no messages.
    pub(super) strays: usize,
    /// The first of them.
    pub(super) first_stray: Option<String>,
    /// The limit that was passed first.
    pub(super) breach: Option<Breach>,
    /// What it says it used.
    pub(super) served: Served,
    /// Whether the agent names the messages of its model, so that what has no name is never an answer.
    pub(super) names_messages: bool,
    /// Whether the agent says that its turn broke down, though it will end it as if it had not.
    has_broken_down: bool,
}

/// A piece of the answer.
#[derive(Debug, Clone)]
struct Piece {
    message: Option<String>,
    after_tools: usize,
    text: String,
}

impl Hearing {
    /// Nothing heard yet.
    pub(super) fn new(reply_limit_bytes: usize) -> Self {
        Self { heard: Mutex::default(), breached: Notify::new(), reply_limit_bytes }
    }

    /// What was heard so far.
    pub(super) fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a limit is passed.
    pub(super) async fn breached(&self) -> Breach {
        loop {
            let wait = self.breached.notified();
            if let Some(breach) = self.heard().breach {
                return breach;
            }
            wait.await;
        }
    }

    /// Notes that a limit was passed.
    pub(super) fn breach(&self, breach: Breach) {
        self.heard().breach.get_or_insert(breach);
        self.breached.notify_waiters();
    }

    /// Takes a line that is no message.
    pub(super) fn stray(&self, line: &str) {
        let mut heard = self.heard();
        heard.strays += 1;
        heard.first_stray.get_or_insert_with(|| line.chars().take(STRAY_CHARS).collect());
    }

    /// Counts a request for a permission.
    pub(super) fn permission(&self) {
        let asked = {
            let mut heard = self.heard();
            heard.permissions += 1;
            heard.permissions
        };
        if asked > PERMISSIONS_LIMIT {
            self.breach(Breach::Permissions);
        }
    }

    /// Counts any other request.
    pub(super) fn request(&self) {
        let asked = {
            let mut heard = self.heard();
            heard.requests += 1;
            heard.requests
        };
        if asked > REQUESTS_LIMIT {
            self.breach(Breach::Requests);
        }
    }

    /// Takes the parameters of a `session/update`.
    pub(super) fn update(&self, params: &Value) {
        let breach = self.heard().take(&params["update"], self.reply_limit_bytes);
        if let Some(breach) = breach {
            self.breach(breach);
        }
    }

    /// Takes what the end of a turn says it used.
    pub(super) fn turn_ended(&self, result: &Value) {
        let mut heard = self.heard();
        if let Some(used) = super::usage::of_turn(result) {
            let before = std::mem::take(&mut heard.served);
            heard.served = Served {
                model: before.model.or(used.model),
                input_tokens: used.input_tokens.or(before.input_tokens),
                output_tokens: used.output_tokens.or(before.output_tokens),
                cached_tokens: used.cached_tokens.or(before.cached_tokens),
                cost_microdollars: before.cost_microdollars,
            };
        }
    }
}

impl Heard {
    fn take(&mut self, update: &Value, reply_limit_bytes: usize) -> Option<Breach> {
        self.updates += 1;
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => {
                if let Some(used) = super::usage::of_chunk(update) {
                    self.served = std::mem::take(&mut self.served).and(&used);
                }
                if let Some(text) = update["content"]["text"].as_str() {
                    let message = update["messageId"].as_str().map(str::to_owned);
                    self.names_messages |= message.is_some();
                    self.answer_bytes += text.len();
                    self.pieces.push(Piece { message, after_tools: self.tool_calls, text: text.to_owned() });
                }
            }
            Some("tool_call") => self.tool_calls += 1,
            Some("usage_update") => {
                self.served.model = super::usage::model(update).or(self.served.model.take());
                // The sum of the session so far, not of the last step.
                if let Some(cost) = super::usage::cost(&update["cost"]) {
                    self.served.cost_microdollars = Some(cost);
                }
            }
            Some("session_info_update") => {
                if let Some(status) = update["_meta"]["codex"]["threadStatus"]["type"].as_str() {
                    self.has_broken_down = status == "systemError";
                }
            }
            _ => {}
        }
        if self.tool_calls > TOOL_CALLS_LIMIT {
            Some(Breach::Tools)
        } else if self.updates > UPDATES_LIMIT {
            Some(Breach::Updates)
        } else if self.answer_bytes > reply_limit_bytes {
            Some(Breach::Answer)
        } else {
            None
        }
    }

    /// The answer. Where messages have names, pieces that belong to none are the program's own warnings and are left out.
    /// Messages before and after a tool are paragraphs of their own.
    pub(super) fn answer(&self) -> String {
        let mut answer = String::new();
        let mut last: Option<&Piece> = None;
        for piece in self.pieces.iter().filter(|piece| !self.is_remark(piece)) {
            let is_another =
                last.is_some_and(|last| last.message != piece.message || last.after_tools != piece.after_tools);
            if is_another && !answer.is_empty() && !answer.ends_with("\n\n") {
                answer.push_str("\n\n");
            }
            answer.push_str(&piece.text);
            last = Some(piece);
        }
        answer
    }

    /// How many pieces were left out as the program's own.
    pub(super) fn remarks(&self) -> usize {
        self.pieces.iter().filter(|piece| self.is_remark(piece)).count()
    }

    /// What the program itself says went wrong, where it did: the turn broke down, or no model said anything.
    pub(super) fn breakdown(&self) -> Option<&str> {
        let last = self.pieces.iter().rfind(|piece| self.is_remark(piece)).map(|piece| piece.text.as_str());
        if self.has_broken_down {
            Some(last.unwrap_or("it says that its turn broke down"))
        } else {
            last.filter(|_| self.answer().trim().is_empty())
        }
    }

    fn is_remark(&self, piece: &Piece) -> bool {
        piece.message.is_none() && self.names_messages
    }
}

#[cfg(test)]
mod tests {
    use super::{Breach, Hearing};
    use serde_json::json;

    fn chunk(text: &str, message: Option<&str>) -> serde_json::Value {
        let mut update = json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } });
        if let Some(message) = message {
            update["messageId"] = json!(message);
        }
        json!({ "sessionId": "s", "update": update })
    }

    fn answer(updates: &[serde_json::Value]) -> String {
        let hearing = Hearing::new(1_000);
        for update in updates {
            hearing.update(update);
        }
        hearing.heard().answer()
    }

    #[test]
    fn pieces_are_joined_and_a_programs_own_warnings_left_out() {
        assert_eq!(answer(&[chunk("a ", None), chunk("b", None)]), "a b");
        assert_eq!(answer(&[chunk("warning!", None), chunk("a ", Some("1")), chunk("b", Some("1"))]), "a b");
        assert_eq!(answer(&[chunk("a", Some("1")), chunk("b", Some("2"))]), "a\n\nb");
        let tool = json!({ "update": { "sessionUpdate": "tool_call", "toolCallId": "t" } });
        assert_eq!(answer(&[chunk("Let me see.", None), tool, chunk("b", None)]), "Let me see.\n\nb");
    }

    #[test]
    fn a_turn_of_remarks_alone_is_a_breakdown() {
        let hearing = Hearing::new(1_000);
        hearing.heard().names_messages = true;
        hearing.update(&chunk("Warning: falling back", None));
        hearing.update(&chunk("exceeded retry limit, last status: 429", None));
        assert_eq!(hearing.heard().breakdown(), Some("exceeded retry limit, last status: 429"));
        hearing.update(&chunk("An answer.", Some("1")));
        assert_eq!(hearing.heard().breakdown(), None);
        let broken = json!({ "sessionUpdate": "session_info_update", "_meta": { "codex": { "threadStatus": { "type": "systemError" } } } });
        hearing.update(&json!({ "update": broken }));
        assert!(hearing.heard().breakdown().is_some());
    }

    #[test]
    fn updates_of_any_shape_are_taken() {
        let thought = json!({ "update": { "sessionUpdate": "agent_thought_chunk", "content": { "text": "hm" } } });
        let odd =
            [json!(null), json!({}), json!({ "update": 3 }), thought, json!({ "update": { "sessionUpdate": "new!" } })];
        assert_eq!(answer(&odd), "");
    }

    #[test]
    fn every_count_has_a_limit() {
        let tool = json!({ "update": { "sessionUpdate": "tool_call" } });
        let hearing = Hearing::new(10);
        (0..100).for_each(|_| hearing.update(&tool));
        assert_eq!(hearing.heard().breach, Some(Breach::Tools));
        let hearing = Hearing::new(10);
        (0..100).for_each(|_| hearing.permission());
        assert_eq!(hearing.heard().breach, Some(Breach::Permissions));
        let hearing = Hearing::new(10);
        (0..1_000).for_each(|_| hearing.request());
        assert_eq!(hearing.heard().breach, Some(Breach::Requests));
        let hearing = Hearing::new(10);
        (0..11).for_each(|_| hearing.update(&chunk("x", None)));
        assert_eq!(hearing.heard().breach, Some(Breach::Answer));
    }
}
