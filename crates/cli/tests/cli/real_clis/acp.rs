//! The CLIs that speak the Agent Client Protocol by themselves, asked over it.

use super::Field;
use crate::model::serve_all_wires;
use crate::place::front;
use forge_testkit::model_server::{Answer, Wire};
use serde_json::json;
use std::sync::Mutex;

#[test]
fn over_the_protocol_they_answer_and_what_their_models_call_does_nothing() {
    let target: &'static Mutex<String> = Box::leak(Box::default());
    let server = || {
        serve_all_wires(&[], |request, _| {
            let file = target.lock().unwrap().clone();
            let call = || Answer::tool("write_file", json!({ "file_path": file, "content": "owned" }));
            request.results.is_empty().then(call)
        })
    };
    let Some(field) = Field::with(server) else { return };
    let owned = field.place.path("owned");
    *target.lock().unwrap() = owned.display().to_string();
    let mut args = vec!["debate", "Build or buy?", "--protocol", "judges", "--id", "d1", "--timeout", "120s"];
    args.extend(["--option", "Build it", "--option", "Buy it", "--seat", "risk=acp:gemini --acp -m gemini-2.5-flash"]);
    args.extend(["--seat", "value=acp:qwen --acp", "--seat", "effort=codex"]);
    let done = field.place.forge(&args).code(0).out("CONSENSUS");
    assert!(!done.out.contains("DEGRADED"), "{done}");
    assert!(!owned.exists(), "a tool wrote: {done}");
    for (seat, wire) in [("risk", Wire::Gemini), ("value", Wire::Chat)] {
        assert!(field.asked(wire).iter().any(|asked| !asked.results.is_empty()), "{seat} was told no: {done}");
        let receipt = field.place.only(|file| file.contains("trail/replies/") && file.contains(seat));
        let receipt = field.place.read(&receipt);
        for key in ["model_served", "input_tokens", "sandbox", "version"] {
            assert!(front(&receipt, key).is_some_and(|value| value != "null"), "{key}: {receipt}");
        }
    }
    field.place.forge(&["verify", "--all"]).code(0);
    field.is_clean(&[&done]);
}
