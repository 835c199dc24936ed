//! OpenAI's chat completions: OpenAI itself, and the many servers that talk like it. One POST per try, streamed.
//!
//! This wire is our own; why is in `docs/decisions/0012-model-apis.md`: whoever answers here may be any program on any port,
//! so every byte is counted before it is kept, and servers that answer whole although a stream was asked for are understood.

use super::model::{Length, Try};
use super::reading::Reading;
use super::setback::{Setback, chain, refusal, unsent};
use crate::agent::Receipt;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;

/// How long the end of a body is waited for after the answer is complete, so that the connection can be used again.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(200);
/// The most bytes of an error's body that are read.
const ERROR_BODY_LIMIT: usize = 64 * 1024;

/// Asks once.
pub(super) async fn ask(attempt: &Try<'_>, receipt: &mut Receipt) -> Result<String, Setback> {
    let connection = attempt.connection;
    let mut request = connection.client.post(connection.url("chat/completions")).json(&body(attempt));
    if let Some(authorization) = attempt.credentials.key.as_deref().and_then(bearer) {
        request = request.header(AUTHORIZATION, authorization);
    }
    let mut response = request.send().await.map_err(|error| unsent(&error.without_url()))?;
    receipt.exit = Some(i64::from(response.status().as_u16()));
    if !response.status().is_success() {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let mut body = Vec::new();
        while let Ok(Some(piece)) = response.chunk().await {
            body.extend_from_slice(&piece);
            if body.len() > ERROR_BODY_LIMIT {
                break;
            }
        }
        return Err(refusal(status, &headers, &body, &connection.address_source));
    }
    // An earlier try may have been answered and cut off; it was paid all the same.
    let paid = receipt.served.clone();
    let mut reading = Reading::new(attempt.call.reply_limit_bytes);
    let mut broken = None;
    while !reading.is_over() {
        match response.chunk().await {
            Ok(Some(bytes)) => reading.take(&bytes)?,
            Ok(None) => break,
            Err(error) => {
                broken = Some(chain(&error.without_url()));
                break;
            }
        }
        // Known now, in case the deadline ends this before the answer does.
        receipt.served = paid.clone().and(&reading.served);
    }
    if reading.is_over() {
        let _ = timeout(DRAIN_TIMEOUT, response.chunk()).await;
    }
    let outcome = reading.finish(broken);
    receipt.served = paid.and(&reading.served);
    receipt.notes.extend(reading.notes);
    outcome
}

/// The header that carries a key.
pub(super) fn bearer(key: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(format!("Bearer {key}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn body(attempt: &Try<'_>) -> Value {
    let (call, dialect) = (attempt.call, attempt.dialect);
    // What is the same for all seats comes first, so that the provider may keep it.
    let mut body = json!({
        "model": attempt.model,
        "messages": [
            { "role": "system", "content": call.brief.case },
            { "role": "user", "content": call.brief.task },
        ],
    });
    if dialect.stream {
        body["stream"] = json!(true);
    }
    if dialect.stream && dialect.usage {
        body["stream_options"] = json!({ "include_usage": true });
    }
    match dialect.length {
        Some(Length::Plain) => body["max_tokens"] = json!(call.max_output_tokens),
        Some(Length::Completion) => body["max_completion_tokens"] = json!(call.max_output_tokens),
        None => {}
    }
    if let Some(schema) = attempt.schema {
        let named = json!({ "name": super::structured::NAME, "strict": true, "schema": schema });
        body["response_format"] = json!({ "type": "json_schema", "json_schema": named });
    }
    body
}
