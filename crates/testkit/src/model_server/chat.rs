//! OpenAI's chat completions.

use super::{Ending, Served};
use serde_json::{Value, json};

pub(super) fn events(served: &Served<'_>, with_usage: bool) -> Vec<String> {
    let chunk = |delta: Value, finish: Value| {
        json!({
            "id": id(served), "object": "chat.completion.chunk", "created": 0, "model": served.model,
            "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }],
        })
    };
    let mut events: Vec<Value> =
        served.spoken().map(|piece| chunk(json!({ "role": "assistant", "content": piece }), Value::Null)).collect();
    if let Ending::Refusal(words) = &served.reply.ending {
        events.push(chunk(json!({ "refusal": words }), Value::Null));
    }
    for (at, mut call) in calls(served).into_iter().enumerate() {
        call["index"] = json!(at);
        events.push(chunk(json!({ "role": "assistant", "tool_calls": [call] }), Value::Null));
    }
    events.push(chunk(json!({}), json!(finish(served))));
    if with_usage {
        events.push(json!({
            "id": id(served), "object": "chat.completion.chunk", "created": 0, "model": served.model,
            "choices": [], "usage": usage(served),
        }));
    }
    let mut lines: Vec<String> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    lines.push("data: [DONE]\n\n".to_owned());
    lines
}

pub(super) fn whole(served: &Served<'_>) -> Value {
    let mut message = json!({ "role": "assistant", "content": served.reply.text, "refusal": null });
    if let Ending::Refusal(words) = &served.reply.ending {
        message["refusal"] = json!(words);
    }
    if !served.reply.calls.is_empty() {
        message["tool_calls"] = json!(calls(served));
    }
    json!({
        "id": id(served), "object": "chat.completion", "created": 0, "model": served.model,
        "choices": [{ "index": 0, "message": message, "finish_reason": finish(served) }],
        "usage": usage(served),
    })
}

pub(super) fn error(code: u16, message: &str) -> Value {
    let (kind, name) = match code {
        401 => ("invalid_request_error", "invalid_api_key"),
        403 => ("insufficient_permissions", "forbidden"),
        404 => ("invalid_request_error", "model_not_found"),
        429 => ("rate_limit_error", "rate_limit_exceeded"),
        500.. => ("server_error", "server_error"),
        _ => ("invalid_request_error", "invalid_request"),
    };
    json!({ "error": { "message": message, "type": kind, "param": null, "code": name } })
}

fn usage(served: &Served<'_>) -> Value {
    json!({
        "prompt_tokens": served.input, "completion_tokens": served.output, "total_tokens": served.input + served.output,
        "prompt_tokens_details": { "cached_tokens": served.reply.cached_tokens },
    })
}

fn finish(served: &Served<'_>) -> &'static str {
    match &served.reply.ending {
        Ending::Length => "length",
        Ending::Filter => "content_filter",
        Ending::Done if !served.reply.calls.is_empty() => "tool_calls",
        Ending::Done | Ending::Refusal(_) => "stop",
    }
}

fn calls(served: &Served<'_>) -> Vec<Value> {
    let call = |(id, name, arguments): (String, &str, &Value)| json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments.to_string() } });
    served.calls("call_loopback_").map(call).collect()
}

fn id(served: &Served<'_>) -> String {
    format!("chatcmpl-loopback-{}", served.number)
}
