//! Gemini's contents.

use super::{Ending, Served};
use serde_json::{Value, json};

pub(super) fn events(served: &Served<'_>) -> Vec<String> {
    let mut parts: Vec<Value> = served.spoken().map(|piece| json!({ "text": piece })).collect();
    parts.extend(calls(served));
    let last = parts.pop();
    let mut events: Vec<Value> = parts.into_iter().map(|part| response(served, vec![part], None)).collect();
    events.push(response(served, last.into_iter().collect(), Some(finish(served))));
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

pub(super) fn whole(served: &Served<'_>) -> Value {
    let text = json!({ "text": served.reply.text });
    response(served, std::iter::once(text).chain(calls(served)).collect(), Some(finish(served)))
}

pub(super) fn error(code: u16, message: &str) -> Value {
    let status = match code {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        _ => "INTERNAL",
    };
    json!({ "error": { "code": code, "message": message, "status": status } })
}

/// What a wrong key is told: a bad argument, with the reason in its details.
pub(super) fn wrong_key() -> Value {
    let mut error = error(400, "API key not valid. Please pass a valid API key.");
    error["error"]["details"] = json!([{
        "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com",
        "metadata": { "service": "generativelanguage.googleapis.com" },
    }]);
    error
}

fn response(served: &Served<'_>, parts: Vec<Value>, finish: Option<&str>) -> Value {
    let mut candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
    if let Some(reason) = finish {
        candidate["finishReason"] = json!(reason);
    }
    if let (Some(_), Ending::Refusal(words)) = (finish, &served.reply.ending) {
        candidate["finishMessage"] = json!(words);
    }
    json!({
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": served.input, "candidatesTokenCount": served.output,
            "cachedContentTokenCount": served.reply.cached_tokens, "totalTokenCount": served.input + served.output,
        },
        "modelVersion": served.model, "responseId": format!("loopback-{}", served.number),
    })
}

fn finish(served: &Served<'_>) -> &'static str {
    match &served.reply.ending {
        Ending::Length => "MAX_TOKENS",
        Ending::Refusal(_) | Ending::Filter => "SAFETY",
        Ending::Done => "STOP",
    }
}

fn calls(served: &Served<'_>) -> impl Iterator<Item = Value> {
    let calls = served.calls("call-loopback-");
    calls.map(|(id, name, arguments)| json!({ "functionCall": { "id": id, "name": name, "args": arguments } }))
}
