//! OpenAI's responses.

use super::{Ending, Served, named};
use serde_json::{Value, json};

pub(super) fn events(served: &Served<'_>) -> Vec<String> {
    let mut events = vec![
        json!({ "type": "response.created", "response": response(served, "in_progress", &[]) }),
        json!({ "type": "response.in_progress", "response": response(served, "in_progress", &[]) }),
    ];
    let items = items(served);
    for (index, item) in items.iter().enumerate() {
        events.push(json!({ "type": "response.output_item.added", "output_index": index, "item": begun(item) }));
        if item["type"] == "message" {
            let at = |kind: &str, more: Value| {
                let mut event = json!({
                    "type": kind, "item_id": item["id"], "output_index": index, "content_index": 0,
                });
                if let (Some(event), Value::Object(more)) = (event.as_object_mut(), more) {
                    event.extend(more);
                }
                event
            };
            let part = &item["content"][0];
            events.push(at("response.content_part.added", json!({ "part": part })));
            if let Ending::Refusal(words) = &served.reply.ending {
                events.push(at("response.refusal.delta", json!({ "delta": words })));
                events.push(at("response.refusal.done", json!({ "refusal": words })));
            } else {
                for piece in served.spoken() {
                    events.push(at("response.output_text.delta", json!({ "delta": piece })));
                }
                events.push(at("response.output_text.done", json!({ "text": served.reply.text })));
            }
            events.push(at("response.content_part.done", json!({ "part": part })));
        }
        events.push(json!({ "type": "response.output_item.done", "output_index": index, "item": item }));
    }
    let (end, status) = match served.reply.ending {
        Ending::Length | Ending::Filter => ("response.incomplete", "incomplete"),
        _ => ("response.completed", "completed"),
    };
    events.push(json!({ "type": end, "response": response(served, status, &items) }));
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    events.iter().map(|event| named(event["type"].as_str().unwrap_or(""), event)).collect()
}

pub(super) fn whole(served: &Served<'_>) -> Value {
    let is_cut = matches!(served.reply.ending, Ending::Length | Ending::Filter);
    let status = if is_cut { "incomplete" } else { "completed" };
    response(served, status, &items(served))
}

fn items(served: &Served<'_>) -> Vec<Value> {
    let content = match &served.reply.ending {
        Ending::Refusal(words) => json!({ "type": "refusal", "refusal": words }),
        _ => json!({ "type": "output_text", "text": served.reply.text, "annotations": [] }),
    };
    let mut items = vec![json!({
        "type": "message", "id": format!("msg_loopback_{}", served.number), "role": "assistant",
        "status": "completed", "content": [content],
    })];
    for (id, name, arguments) in served.calls("loopback_") {
        let mut call = json!({
            "type": "function_call", "id": format!("fc_{id}"), "call_id": format!("call_{id}"), "name": name,
            "arguments": arguments.to_string(), "status": "completed",
        });
        if let Some(group) = group(served.tools, name) {
            call["namespace"] = group.clone();
        }
        items.push(call);
    }
    items
}

/// The name of the group that a tool was offered in, if it was in one.
fn group<'t>(tools: &'t Value, name: &str) -> Option<&'t Value> {
    let has =
        |group: &&Value| group["tools"].as_array().is_some_and(|tools| tools.iter().any(|tool| tool["name"] == name));
    tools.as_array()?.iter().find(has).map(|group| &group["name"])
}

/// An item before anything of it was streamed.
fn begun(item: &Value) -> Value {
    let mut begun = item.clone();
    begun["status"] = json!("in_progress");
    if item["type"] == "message" {
        begun["content"] = json!([]);
    } else {
        begun["arguments"] = json!("");
    }
    begun
}

fn response(served: &Served<'_>, status: &str, output: &[Value]) -> Value {
    let is_over = status != "in_progress";
    let why = if served.reply.ending == Ending::Filter { "content_filter" } else { "max_output_tokens" };
    let usage = json!({
        "input_tokens": served.input, "input_tokens_details": { "cached_tokens": served.reply.cached_tokens },
        "output_tokens": served.output, "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": served.input + served.output,
    });
    json!({
        "id": format!("resp_loopback_{}", served.number), "object": "response", "created_at": 0, "status": status,
        "model": served.model, "output": output, "error": null,
        "incomplete_details": if status == "incomplete" { json!({ "reason": why }) } else { Value::Null },
        "usage": if is_over { usage } else { Value::Null },
    })
}
