//! Why a try gave no answer, read from what providers say about it. Nothing here waits; the caller decides.

use super::retry;
use crate::agent::FailureKind;
use crate::voice::one_line;
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::time::{Duration, SystemTime};

/// The most characters of a provider's message that are repeated.
pub(super) const MESSAGE_CHARS: usize = 300;
/// What the parameter is called, on any wire, that holds the form as a schema.
pub(super) const SCHEMA_PARAMETER: &str = "response_format";

/// Why a try gave no answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Setback {
    /// Trying again would not help.
    Final(FailureKind, String),
    /// Asked too often; the provider may say how long to wait.
    RateLimited(Option<Duration>, String),
    /// The provider failed, or its answer broke off; it may say how long to wait.
    Broken(Option<Duration>, String),
    /// No connection.
    Unconnected(String),
    /// The provider does not know this parameter.
    Parameter(String, String),
}

/// What a provider says about an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ProviderError {
    /// Its words.
    pub(super) message: String,
    code: String,
    param: String,
    wait: Option<Duration>,
}

impl ProviderError {
    /// Reads the usual shapes: `{"error": {"message", "code", "type", "status", "param"}}`, `{"error": "..."}`, `{"message"}`.
    pub(super) fn read(body: &[u8]) -> Self {
        match serde_json::from_slice::<Value>(body) {
            Ok(value) => Self::of(&value),
            Err(_) => Self { message: one_line(&String::from_utf8_lossy(body), MESSAGE_CHARS), ..Self::default() },
        }
    }

    /// Reads an error, bare or inside `error`.
    pub(super) fn of(value: &Value) -> Self {
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let text = |name: &str| match error.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let message = error.as_str().map_or_else(|| text("message"), str::to_owned);
        let message = if message.is_empty() { text("detail") } else { message };
        let named = ["code", "type", "status"].into_iter().map(text);
        let code = named.into_iter().find(|code| !code.bytes().all(|byte| byte.is_ascii_digit())).unwrap_or_default();
        let details = error.get("details").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let reason = details.iter().find_map(|detail| detail.get("reason")?.as_str());
        let wait =
            details.iter().find_map(|detail| detail.get("retryDelay")?.as_str()?.strip_suffix('s')?.parse().ok());
        Self {
            message: one_line(&message, MESSAGE_CHARS),
            code: reason.map_or(code, str::to_owned),
            param: text("param"),
            wait: wait.and_then(|seconds: f64| Duration::try_from_secs_f64(seconds).ok()),
        }
    }

    /// What the error means, where its code or its words tell; codes first.
    pub(super) fn meaning(&self) -> Option<Setback> {
        let said = || self.message.clone();
        let setback = match self.code.as_str() {
            "context_length_exceeded"
            | "exceed_context_size_error"
            | "string_above_max_length"
            | "request_too_large" => {
                Setback::Final(FailureKind::TooLong, format!("the brief is too long for the model: {}", said()))
            }
            "content_filter" | "content_policy_violation" => {
                Setback::Final(FailureKind::Refused, format!("the provider's filter refused: {}", said()))
            }
            "model_not_found" | "not_found_error" | "NOT_FOUND" => {
                Setback::Final(FailureKind::Unreachable, format!("no such model: {}", said()))
            }
            "insufficient_quota" | "billing_error" => {
                Setback::Final(FailureKind::RateLimited, format!("the quota is used up: {}", said()))
            }
            "invalid_api_key" | "authentication_error" | "permission_error" | "API_KEY_INVALID" => {
                Setback::Final(FailureKind::NoAuth, format!("the key is refused: {}", said()))
            }
            "rate_limit_exceeded" | "rate_limit_error" | "overloaded_error" | "RESOURCE_EXHAUSTED" => {
                Setback::RateLimited(self.wait, said())
            }
            "unsupported_parameter" | "unknown_parameter" if !self.param.is_empty() => {
                Setback::Parameter(self.param.clone(), said())
            }
            // Local servers give no code for these.
            _ if self.speaks_of(&CONTEXT) => {
                Setback::Final(FailureKind::TooLong, format!("the brief is too long for the model: {}", said()))
            }
            _ if self.speaks_of(&["credit balance"]) => {
                Setback::Final(FailureKind::RateLimited, format!("the quota is used up: {}", said()))
            }
            _ if self.param.starts_with(SCHEMA_PARAMETER) || self.speaks_of(&SCHEMA) => {
                Setback::Parameter(SCHEMA_PARAMETER.to_owned(), said())
            }
            _ => return None,
        };
        Some(setback)
    }

    fn speaks_of(&self, phrases: &[&str]) -> bool {
        let lower = self.message.to_lowercase();
        phrases.iter().any(|phrase| lower.contains(phrase))
    }
}

/// How providers say that a brief is too long.
const CONTEXT: [&str; 6] = [
    "context length",
    "context window",
    "context size",
    "maximum context",
    "prompt is too long",
    "exceeds the maximum number of tokens",
];
/// How providers name the schema that they were sent.
const SCHEMA: [&str; 6] =
    ["response_format", "json_schema", "output_config", "responsejsonschema", "response_json_schema", "text.format"];

/// What a response other than 2xx means. `address_source` says what to change when the address is wrong.
pub(super) fn refusal(status: u16, headers: &HeaderMap, body: &[u8], address_source: &str) -> Setback {
    let error = ProviderError::read(body);
    let said = if error.message.is_empty() { String::new() } else { format!(": {}", error.message) };
    let detail = format!("HTTP {status}{said}");
    let asked = retry::asked_wait(headers, SystemTime::now()).or(error.wait);
    match (status, error.meaning()) {
        (429, Some(known @ Setback::Final(FailureKind::RateLimited, _))) => known,
        (429, _) => Setback::RateLimited(asked, detail),
        (408 | 409 | 425 | 500..=599, _) => Setback::Broken(asked, detail),
        (401..=403, _) => Setback::Final(FailureKind::NoAuth, format!("the key is refused, {detail}")),
        (400..=499, Some(known)) => known,
        (404, None) => Setback::Final(FailureKind::Unreachable, format!("there is no such model or address, {detail}")),
        (413, None) => Setback::Final(FailureKind::TooLong, format!("the brief is too long, {detail}")),
        (300..=399, _) => Setback::Final(
            FailureKind::Unreachable,
            format!("{detail}: the address has moved; set {address_source} to where it is now"),
        ),
        _ => Setback::Final(FailureKind::Crashed, format!("the provider refused the request, {detail}")),
    }
}

/// A request that never got a response.
pub(super) fn unsent(error: &reqwest::Error) -> Setback {
    if error.is_connect() { Setback::Unconnected(chain(error)) } else { Setback::Broken(None, chain(error)) }
}

/// An error with its causes, on one line. Addresses in it may hold secrets: the first line of a transport error is left out
/// where it names one.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    if let Some(at) = text.find(" for url (") {
        text.truncate(at);
    }
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    one_line(&text, MESSAGE_CHARS)
}

/// How an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// As it should, or for a reason that we do not know.
    Over(String),
    /// At the length limit.
    Length,
    /// The provider's filter withheld it.
    Filtered,
}

/// Whether a text that has come to its end is an answer.
pub(super) fn judge(text: String, refusal: &str, end: &End) -> Result<String, Setback> {
    match end {
        End::Length => {
            let detail = format!("the answer reached the length limit after {} bytes", text.len());
            return Err(Setback::Final(FailureKind::TooLong, detail));
        }
        End::Filtered if refusal.trim().is_empty() => {
            return Err(Setback::Final(FailureKind::Refused, "the provider's filter withheld the answer".to_owned()));
        }
        End::Filtered | End::Over(_) => {}
    }
    if !refusal.trim().is_empty() && (text.trim().is_empty() || *end == End::Filtered) {
        let detail = format!("the model refused: {}", one_line(refusal, MESSAGE_CHARS));
        return Err(Setback::Final(FailureKind::Refused, detail));
    }
    if text.trim().is_empty() {
        let why = match end {
            End::Over(reason) if !reason.is_empty() && reason != "stop" => format!(" (finish reason {reason:?})"),
            _ => String::new(),
        };
        return Err(Setback::Final(FailureKind::Crashed, format!("answered with nothing{why}")));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(status: u16, body: &str) -> Setback {
        refusal(status, &HeaderMap::new(), body.as_bytes(), "BASE")
    }

    #[test]
    fn every_makers_errors_are_understood() {
        let gemini_key = r#"{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}"#;
        assert!(matches!(read(400, gemini_key), Setback::Final(FailureKind::NoAuth, _)));
        let gemini_quota = r#"{"error":{"code":429,"message":"slow","status":"RESOURCE_EXHAUSTED","details":[{"@type":"x","retryDelay":"34.5s"}]}}"#;
        assert!(matches!(read(429, gemini_quota), Setback::RateLimited(Some(wait), _) if wait.as_millis() == 34_500));
        let long = r#"{"error":{"code":400,"message":"The input token count (9) exceeds the maximum number of tokens allowed (8).","status":"INVALID_ARGUMENT"}}"#;
        assert!(matches!(read(400, long), Setback::Final(FailureKind::TooLong, _)));
        let anthropic = |kind: &str, message: &str| {
            format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"{message}"}}}}"#)
        };
        let long = anthropic("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum");
        assert!(matches!(read(400, &long), Setback::Final(FailureKind::TooLong, _)));
        let poor = anthropic("invalid_request_error", "Your credit balance is too low");
        assert!(matches!(read(400, &poor), Setback::Final(FailureKind::RateLimited, _)));
        assert!(matches!(
            read(404, &anthropic("not_found_error", "model: x")),
            Setback::Final(FailureKind::Unreachable, _)
        ));
        assert!(matches!(read(529, &anthropic("overloaded_error", "Overloaded")), Setback::Broken(..)));
        let schema = anthropic("invalid_request_error", "output_config: Extra inputs are not permitted");
        assert!(matches!(read(400, &schema), Setback::Parameter(name, _) if name == SCHEMA_PARAMETER));
    }
}
