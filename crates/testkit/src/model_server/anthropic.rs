//! Anthropic's messages.

use super::{Ending, Served, named};
use serde_json::{Value, json};

const TOOL_ID: &str = "toolu_loopback_";

pub(super) fn events(served: &Served<'_>) -> Vec<String> {
    let mut events = vec![json!({ "type": "message_start", "message": message(served, json!([]), Value::Null, 1) })];
    let mut block = |index: usize, start: Value, deltas: Vec<Value>| {
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": start }));
        for delta in deltas {
            events.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        }
        events.push(json!({ "type": "content_block_stop", "index": index }));
    };
    let deltas = served.spoken().map(|piece| json!({ "type": "text_delta", "text": piece })).collect();
    block(0, json!({ "type": "text", "text": "" }), deltas);
    for (at, (id, name, arguments)) in served.calls(TOOL_ID).enumerate() {
        let start = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
        block(1 + at, start, vec![json!({ "type": "input_json_delta", "partial_json": arguments.to_string() })]);
    }
    events.push(json!({
        "type": "message_delta",
        "delta": { "stop_reason": stop_reason(served), "stop_sequence": null },
        "usage": usage(served, served.output),
    }));
    events.push(json!({ "type": "message_stop" }));
    events.iter().map(|event| named(event["type"].as_str().unwrap_or(""), event)).collect()
}

pub(super) fn whole(served: &Served<'_>) -> Value {
    let mut content = vec![json!({ "type": "text", "text": served.reply.text })];
    for (id, name, arguments) in served.calls(TOOL_ID) {
        content.push(json!({ "type": "tool_use", "id": id, "name": name, "input": arguments }));
    }
    message(served, Value::Array(content), json!(stop_reason(served)), served.output)
}

pub(super) fn error(code: u16, message: &str) -> Value {
    let kind = match code {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    json!({ "type": "error", "error": { "type": kind, "message": message }, "request_id": "req_loopback" })
}

fn message(served: &Served<'_>, content: Value, stop_reason: Value, output: u64) -> Value {
    json!({
        "id": format!("msg_loopback_{}", served.number), "type": "message", "role": "assistant", "model": served.model,
        "content": content, "stop_reason": stop_reason, "stop_sequence": null, "usage": usage(served, output),
    })
}

fn usage(served: &Served<'_>, output: u64) -> Value {
    let cached = served.reply.cached_tokens;
    json!({
        "input_tokens": served.input.saturating_sub(cached), "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached, "output_tokens": output,
    })
}

fn stop_reason(served: &Served<'_>) -> &'static str {
    match &served.reply.ending {
        Ending::Length => "max_tokens",
        Ending::Refusal(_) | Ending::Filter => "refusal",
        Ending::Done if !served.reply.calls.is_empty() => "tool_use",
        Ending::Done => "end_turn",
    }
}
