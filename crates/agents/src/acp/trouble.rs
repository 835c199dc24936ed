//! What an agent's errors mean. Codes first; text only where an agent puts its provider's answer into text alone.

use crate::agent::FailureKind;
use crate::recipes::reading::{meaning, status_in};
use agent_client_protocol::{Error, ErrorCode};
use serde_json::Value;

/// The most characters of an agent's own words that are repeated.
const MESSAGE_CHARS: usize = 500;

/// Why a call ends without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setback {
    /// Its kind.
    pub(super) kind: FailureKind,
    /// What happened, in a sentence.
    pub(super) detail: String,
}

impl Setback {
    pub(super) fn new(kind: FailureKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }
}

/// What an error response means.
pub(super) fn read(method: &str, error: &Error) -> Setback {
    let said = words(error);
    let status = u16::try_from(error.code.value()).ok().or_else(|| status_in(&said));
    let kind = match error.code {
        ErrorCode::AUTH_REQUIRED => FailureKind::NoAuth,
        _ => meaning(&said, status),
    };
    Setback::new(kind, format!("{method} failed with {}: {said}", error.code.value()))
}

/// What it means that a program ends its turn with remarks of its own and none of a model's words.
pub(super) fn remark(said: &str) -> Setback {
    let said: String = said.trim().chars().take(MESSAGE_CHARS).collect();
    Setback::new(meaning(&said, status_in(&said)), format!("no model answered: {said}"))
}

fn words(error: &Error) -> String {
    let mut said = error.message.clone();
    let details = error.data.as_ref().map(|data| match data {
        Value::String(text) => text.clone(),
        Value::Object(fields) => ["details", "message", "error"]
            .iter()
            .find_map(|name| fields.get(*name)?.as_str())
            .map_or_else(|| data.to_string(), str::to_owned),
        other => other.to_string(),
    });
    if let Some(details) = details.filter(|details| !details.is_empty() && *details != said) {
        said = format!("{said} ({details})");
    }
    said.chars().take(MESSAGE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::read;
    use crate::agent::FailureKind;
    use agent_client_protocol::Error;
    use serde_json::json;

    #[test]
    fn errors_are_the_absence_that_they_are() {
        let details = |text: &str| Some(json!({ "details": text }));
        for (code, message, data, kind) in [
            (-32000, "Authentication required", None, FailureKind::NoAuth),
            (401, "API key not valid", None, FailureKind::NoAuth),
            (400, "{\"reason\":\"API_KEY_INVALID\",\"message\":\"API key not valid.\"}", None, FailureKind::NoAuth),
            (429, "Quota exceeded", None, FailureKind::RateLimited),
            (-32603, "Internal error", details("401 invalid x-api-key"), FailureKind::NoAuth),
            (-32603, "Internal error", details("[API Error: 429 slow down]"), FailureKind::RateLimited),
            (-32603, "Internal error", details("connect ECONNREFUSED 127.0.0.1:9"), FailureKind::Unreachable),
            (-32603, "Internal error", details("took 4291 ms"), FailureKind::Crashed),
            (-32603, "Internal error", details("took 404 ms"), FailureKind::Crashed),
            (-32603, "it took 404 turns", None, FailureKind::Crashed),
            (-32603, "Internal error", None, FailureKind::Crashed),
            (500, "oops", None, FailureKind::Crashed),
        ] {
            let mut error = Error::new(code, message);
            error.data = data;
            let setback = read("session/prompt", &error);
            assert_eq!(setback.kind, kind, "{setback:?}");
        }
    }
}
