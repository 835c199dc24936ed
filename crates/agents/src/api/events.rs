//! The wires of Anthropic's messages, OpenAI's responses and Gemini, through the crate `genai`, which knows their shapes.
//!
//! What forge promises and the crate does not do by itself is done around it: the address and the headers are ours (the
//! crate's own reading of the environment and of model names is never reached), frames are watched as they come for the
//! model, for refusals and for how much came, and its errors are turned into setbacks.
//!
//! Bytes are counted event by event: one event that never ends, and the body of an error, are held back by the deadline
//! alone.

use super::connection::Connection;
use super::model::Try;
use super::providers::Wire;
use super::reading::{cut, flooded, wire_limit};
use super::setback::{End, ProviderError, Setback, chain, judge, refusal, unsent};
use super::structured;
use crate::agent::{FailureKind, Receipt, Served};
use futures_util::StreamExt as _;
use genai::adapter::AdapterKind;
use genai::chat::{
    CacheControl, ChatFrameSink, ChatMessage, ChatOptions, ChatRequest, ChatStreamEvent, FrameCtx, JsonSpec,
    RawFrameRef, StopReason, Usage,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{Headers, ModelIden, ServiceTarget};
use reqwest::Url;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};

/// The version of Anthropic's wire that is spoken.
const ANTHROPIC_VERSION: &str = "2023-06-01";
/// What the crate is told that the model is called: it reads efforts and limits into names, and ours goes in as it is.
const UNNAMED: &str = "model";

/// What came speaks another language.
const NO_ANSWER: &str = "what came is not an answer in events";

/// Where a model is asked.
pub(super) fn url(connection: &Connection, model: &str) -> Url {
    match connection.wire {
        Wire::OpenAi => connection.url("chat/completions"),
        Wire::OpenAiResponses => connection.url("responses"),
        Wire::Anthropic => connection.url("messages"),
        Wire::Gemini => {
            let mut url = connection.url(&format!("models/{model}:streamGenerateContent"));
            url.query_pairs_mut().append_pair("alt", "sse");
            url
        }
    }
}

/// Asks once.
pub(super) async fn ask(attempt: &Try<'_>, receipt: &mut Receipt) -> Result<String, Setback> {
    let connection = attempt.connection;
    let seen = Arc::new(Seen { wire: connection.wire, kept: Mutex::new(Kept::default()) });
    let client = genai::Client::builder()
        .with_reqwest(connection.client.clone())
        .build()
        .map_err(|error| Setback::Final(FailureKind::Crashed, chain(&error)))?;
    let request = ChatRequest::from_messages(vec![ChatMessage::user(&attempt.call.brief.task)])
        .with_system(&attempt.call.brief.case);
    let options = options(attempt, &seen);
    let answer = client.exec_chat_stream(target(attempt), request, Some(&options)).await;
    let mut stream = answer.map_err(|error| trouble(error, connection, 0, receipt))?.stream;

    // An earlier try may have been answered and cut off; it was paid all the same.
    let paid = receipt.served.clone();
    let limit = attempt.call.reply_limit_bytes;
    let (mut text, mut end, mut unread) = (String::new(), None, 0);
    while let Some(event) = stream.next().await {
        match event {
            Ok(ChatStreamEvent::Chunk(chunk)) => text.push_str(&chunk.content),
            Ok(ChatStreamEvent::End(last)) => {
                seen.with(|kept| kept.uses(last.captured_usage.as_ref()));
                end = last.captured_stop_reason;
                break;
            }
            Ok(_) => {}
            // What the frame itself says is better than what the crate makes of it; a part that cannot be read is skipped.
            Err(genai::Error::StreamParse { .. } | genai::Error::JsonValueExt(_))
                if seen.with(|kept| kept.failed.is_none()) =>
            {
                unread += 1;
            }
            Err(error) => {
                let kept = seen.with(std::mem::take);
                receipt.served = paid.and(&kept.served);
                return match kept.failed {
                    Some(error) => Err(failed(&error)),
                    None if kept.is_filtered => judge(String::new(), &kept.refusal, &End::Filtered),
                    None => Err(trouble(error, connection, kept.events, receipt)),
                };
            }
        }
        receipt.exit = Some(200);
        receipt.served = paid.clone().and(&seen.with(|kept| kept.served.clone()));
        if seen.with(|kept| kept.bytes) > wire_limit(limit) {
            return Err(flooded(wire_limit(limit)));
        }
        if text.len() > limit {
            receipt.notes.push(cut(&mut text, limit));
            return Ok(text);
        }
    }
    let kept = seen.with(std::mem::take);
    receipt.served = paid.and(&kept.served);
    if let Some(error) = kept.failed {
        return Err(failed(&error));
    }
    if unread > 0 {
        receipt.notes.push(format!("{unread} parts of the answer could not be read"));
    }
    let end = match end {
        _ if kept.is_filtered => End::Filtered,
        Some(StopReason::MaxTokens(_)) => End::Length,
        Some(StopReason::ContentFilter(_)) => End::Filtered,
        Some(StopReason::Completed(_) | StopReason::StopSequence(_)) => End::Over("stop".to_owned()),
        Some(StopReason::ToolCall(reason) | StopReason::Other(reason)) => End::Over(reason),
        None => return Err(broken_off(&text, kept.frames, kept.events)),
    };
    judge(text, &kept.refusal, &end)
}

fn target(attempt: &Try<'_>) -> ServiceTarget {
    let connection = attempt.connection;
    let (kind, headers) = match (connection.wire, attempt.credentials.key.as_deref()) {
        (Wire::Anthropic, key) => {
            let key = key.map(|key| ("x-api-key".to_owned(), key.to_owned()));
            let version = ("anthropic-version".to_owned(), ANTHROPIC_VERSION.to_owned());
            (AdapterKind::Anthropic, key.into_iter().chain([version]).collect())
        }
        (Wire::Gemini, key) => {
            (AdapterKind::Gemini, key.map(|key| ("x-goog-api-key".to_owned(), key.to_owned())).into_iter().collect())
        }
        (Wire::OpenAi | Wire::OpenAiResponses, key) => {
            let key = key.map(|key| ("authorization".to_owned(), format!("Bearer {key}")));
            (AdapterKind::OpenAIResp, key.into_iter().collect())
        }
    };
    let headers: Vec<(String, String)> = headers;
    let url = url(connection, attempt.model).to_string();
    ServiceTarget {
        endpoint: Endpoint::from_owned(connection.url("").to_string()),
        auth: AuthData::RequestOverride { url, headers: Headers::from(headers) },
        model: ModelIden::new(kind, UNNAMED),
    }
}

fn options(attempt: &Try<'_>, seen: &Arc<Seen>) -> ChatOptions {
    let sink: Arc<dyn ChatFrameSink> = Arc::clone(seen) as Arc<dyn ChatFrameSink>;
    let mut options = ChatOptions::default()
        .with_max_tokens(attempt.call.max_output_tokens)
        .with_capture_usage(true)
        .with_raw_frame_sink_arc(sink);
    match attempt.connection.wire {
        Wire::Anthropic => {
            // The case is the same for all seats of a debate: the provider is asked to keep it.
            options =
                options.with_cache_control(CacheControl::Ephemeral).with_extra_body(json!({ "model": attempt.model }));
        }
        Wire::OpenAi | Wire::OpenAiResponses => options = options.with_extra_body(json!({ "model": attempt.model })),
        Wire::Gemini => {}
    }
    match attempt.schema {
        Some(schema) => options.with_response_format(JsonSpec::new(structured::NAME, schema.clone())),
        None => options,
    }
}

/// What the frames said that the crate does not pass on.
#[derive(Debug)]
struct Seen {
    wire: Wire,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    frames: usize,
    events: usize,
    bytes: usize,
    served: Served,
    refusal: String,
    is_filtered: bool,
    failed: Option<ProviderError>,
}

impl Seen {
    fn with<T>(&self, look: impl FnOnce(&mut Kept) -> T) -> T {
        look(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ChatFrameSink for Seen {
    fn on_frame(&self, _: &FrameCtx, frame: RawFrameRef<'_>) {
        self.with(|kept| {
            kept.frames += 1;
            kept.bytes = kept.bytes.saturating_add(frame.data.len());
            if let Some(value) = frame.json().filter(Value::is_object) {
                kept.events += 1;
                kept.note(self.wire, &value);
            }
        });
    }
}

impl Kept {
    fn note(&mut self, wire: Wire, event: &Value) {
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
        let model = match wire {
            Wire::Anthropic => text("/message/model"),
            Wire::Gemini => text("/modelVersion"),
            Wire::OpenAi | Wire::OpenAiResponses => text("/response/model"),
        };
        if let Some(model) = model {
            self.served.model = Some(model.to_owned());
        }
        let input =
            event.pointer("/message/usage/input_tokens").or_else(|| event.pointer("/usageMetadata/promptTokenCount"));
        if let Some(input) = input.and_then(Value::as_u64) {
            self.served.input_tokens = Some(input);
        }
        match (wire, event.get("type").and_then(Value::as_str)) {
            (Wire::OpenAiResponses, Some("response.refusal.delta")) => {
                self.refusal.push_str(text("/delta").unwrap_or_default());
            }
            (Wire::OpenAiResponses, Some("response.failed")) => {
                self.failed = Some(ProviderError::of(event.pointer("/response").unwrap_or(event)));
            }
            (Wire::OpenAiResponses, Some("response.incomplete")) => {
                self.is_filtered = text("/response/incomplete_details/reason") == Some("content_filter");
            }
            (_, Some("error")) => self.failed = Some(ProviderError::of(event)),
            (Wire::Gemini, _) if event.get("error").is_some() => self.failed = Some(ProviderError::of(event)),
            (Wire::Gemini, _) => {
                if let Some(reason) = text("/promptFeedback/blockReason") {
                    self.is_filtered = true;
                    self.refusal = format!("the brief was blocked ({reason})");
                }
            }
            _ => {}
        }
    }

    fn uses(&mut self, usage: Option<&Usage>) {
        let Some(usage) = usage else { return };
        let count = |count: Option<i32>| count.and_then(|count| u64::try_from(count).ok());
        self.served.input_tokens = count(usage.prompt_tokens).or(self.served.input_tokens);
        self.served.output_tokens = count(usage.completion_tokens);
        self.served.cached_tokens =
            usage.prompt_tokens_details.as_ref().and_then(|details| count(details.cached_tokens));
    }
}

/// An error that came inside the answer.
fn failed(error: &ProviderError) -> Setback {
    error.meaning().unwrap_or_else(|| Setback::Broken(None, format!("the provider failed: {}", error.message)))
}

/// What an error of the crate means, after so many events.
fn trouble(error: genai::Error, connection: &Connection, events: usize, receipt: &mut Receipt) -> Setback {
    let cut_off = |how: String| Setback::Broken(None, format!("the answer was cut off ({how})"));
    match error {
        genai::Error::HttpError { status, body, headers, .. } => {
            receipt.exit = Some(i64::from(status.as_u16()));
            refusal(status.as_u16(), &headers, body.as_bytes(), &connection.address_source)
        }
        genai::Error::ChatResponse { body, .. } => failed(&ProviderError::of(&body)),
        genai::Error::WebStream { error, .. } => match error.downcast::<genai::Error>() {
            Ok(inner) => trouble(*inner, connection, events, receipt),
            Err(error) => match error.downcast::<reqwest::Error>() {
                Ok(inner) if events > 0 => cut_off(chain(&inner)),
                Ok(inner) => unsent(&inner),
                Err(other) if events > 0 => cut_off(chain(other.as_ref())),
                Err(_) => Setback::Final(FailureKind::Crashed, NO_ANSWER.to_owned()),
            },
        },
        other => Setback::Final(FailureKind::Crashed, format!("the answer cannot be read: {}", chain(&other))),
    }
}

fn broken_off(text: &str, frames: usize, events: usize) -> Setback {
    if frames == 0 {
        Setback::Broken(None, "the connection was closed without an answer".to_owned())
    } else if events > 0 {
        Setback::Broken(None, format!("the answer was cut off after {} bytes of text", text.len()))
    } else {
        Setback::Final(FailureKind::Crashed, NO_ANSWER.to_owned())
    }
}
