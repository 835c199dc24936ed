//! Codex with the models that it knows: what they are offered, and what comes of a model that uses it.

use super::Field;
use crate::model::serve_all_wires;
use forge_testkit::model_server::{Answer, Asked, Wire};
use serde_json::{Value, json};

/// What another agent would be told, and nobody else is.
const ERRAND: &str = "ERRAND-for-another-agent";

/// A reply that calls all of these tools.
fn calling(items: &[Value]) -> Answer {
    let usage = json!({ "input_tokens": 1, "output_tokens": 1, "total_tokens": 2 });
    let done = json!({ "id": "r", "object": "response", "status": "completed", "output": items, "usage": usage });
    let items =
        items.iter().map(|item| json!({ "type": "response.output_item.done", "output_index": 0, "item": item }));
    let events = [json!({ "type": "response.created", "response": { "id": "r" } })]
        .into_iter()
        .chain(items)
        .chain([json!({ "type": "response.completed", "response": done })]);
    let said = events.map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()));
    Answer::Raw(said.collect::<String>().into_bytes())
}

/// Another agent on the dearest model, a program, and a file.
fn everything(asked: &Asked) -> Option<Answer> {
    let errand = json!({
        "task_name": "errand", "message": ERRAND, "fork_turns": "none", "model": "gpt-6-astra",
        "reasoning_effort": "ultra",
    });
    let patch = "*** Begin Patch\n*** Add File: owned.txt\n+owned\n*** End Patch";
    let items = [
        json!({ "type": "function_call", "id": "fc_1", "call_id": "c1", "namespace": "collaboration",
                "name": "spawn_agent", "arguments": errand.to_string() }),
        json!({ "type": "custom_tool_call", "id": "ct_2", "call_id": "c2", "name": "exec",
                "input": format!("text(await tools.apply_patch({}))", Value::from(patch)) }),
        json!({ "type": "custom_tool_call", "id": "ct_3", "call_id": "c3", "name": "apply_patch", "input": patch }),
    ];
    asked.results.is_empty().then(|| calling(&items))
}

#[test]
fn codex_has_no_hands_and_starts_nobody_whatever_the_model() {
    let Some(field) = Field::with(|| serve_all_wires(&[], |asked, _| everything(asked))) else { return };
    let mut args = vec!["debate", "Build or buy?", "--protocol", "judges", "--id", "d1", "--timeout", "60s"];
    args.extend(["--option", "Build it", "--option", "Buy it"]);
    // The one that Codex takes by itself, one that has a tool of its own, and one of another generation.
    for seat in ["risk=codex", "value=codex:gpt-5.5", "effort=codex:gpt-5.6-luna"] {
        args.extend(["--seat", seat]);
    }
    let done = field.place.forge(&args).code(0);

    let asked = field.asked(Wire::Responses);
    let models = |name: &str| asked.iter().filter(|asked| asked.model == name).count();
    let (old, other) = (models("gpt-5.5"), models("gpt-5.6-luna"));
    // Each seat asks once more after it was told that it has no tools; nobody else asks anything.
    assert_eq!((asked.len(), old, other), (6, 2, 2), "{:?}", asked.iter().map(|a| &a.model).collect::<Vec<_>>());
    for request in &asked {
        assert!(!request.results.is_empty() || !request.body.to_string().contains(ERRAND), "another agent was started");
        let expected: &[&str] = if request.model == "gpt-5.5" { &["apply_patch"] } else { &["exec", "wait"] };
        assert_eq!(request.tools, expected, "{}", request.model);
    }
    for file in field.place.files().iter().filter(|file| file.contains("trail/replies/")) {
        let receipt = field.place.read(file);
        assert!(receipt.contains("wanted to use a tool and was not let"), "{receipt}");
        assert!(!receipt.contains("Code Mode is unavailable"), "{receipt}");
    }
    field.is_clean(&[&done]);
}
