//! What agents say they used. The protocol has no settled place for it, so each of the known ones is looked at.

use crate::agent::Served;
use serde_json::Value;

const MICRODOLLARS: f64 = 1_000_000.0;
/// No single call costs more; a figure above it is no figure.
const COST_LIMIT_DOLLARS: f64 = 1_000_000.0;

/// What the result of `session/prompt` says: `usage`, and `_meta.quota`, where gemini has its counts and others the model.
pub(super) fn of_turn(result: &Value) -> Option<Served> {
    let quota = &result["_meta"]["quota"];
    let models = quota["model_usage"].as_array();
    let model = models.and_then(|models| models.first()).and_then(|first| first["model"].as_str());
    let total = &quota["token_count"];
    let used = counts(&result["usage"]).unwrap_or_else(|| Served {
        input_tokens: total["input_tokens"].as_u64(),
        output_tokens: total["output_tokens"].as_u64(),
        ..Served::default()
    });
    let used = Served { model: model.map(str::to_owned), ..used };
    (used != Served::default()).then_some(used)
}

/// The model that a `usage_update` names: claude's.
pub(super) fn model(update: &Value) -> Option<String> {
    update["_meta"]["_claude/model"].as_str().map(str::to_owned)
}

/// What a piece of the answer says: qwen's `_meta.usage`, one for each call of the model.
pub(super) fn of_chunk(update: &Value) -> Option<Served> {
    counts(&update["_meta"]["usage"])
}

/// A cost in dollars, in millionths.
pub(super) fn cost(cost: &Value) -> Option<u64> {
    let amount = cost["amount"].as_f64().filter(|amount| (0.0..COST_LIMIT_DOLLARS).contains(amount))?;
    // In range by the line above.
    (cost["currency"] == "USD").then_some((amount * MICRODOLLARS).round() as u64)
}

fn counts(usage: &Value) -> Option<Served> {
    let input = usage["inputTokens"].as_u64()?;
    let output = usage["outputTokens"].as_u64().unwrap_or(0);
    let read = usage["cachedReadTokens"].as_u64();
    let written = usage["cachedWriteTokens"].as_u64().unwrap_or(0);
    // Some count what was cached within what was read, some beside it; their sum tells which.
    let kept = read.unwrap_or(0) + written;
    let is_beside = kept > 0 && usage["totalTokens"].as_u64().is_some_and(|total| total >= input + output + kept);
    Some(Served {
        model: None,
        input_tokens: Some(if is_beside { input + kept } else { input }),
        output_tokens: Some(output),
        cached_tokens: read,
        cost_microdollars: None,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{cost, of_chunk, of_turn};
    use serde_json::json;

    #[test]
    fn usage_is_read_wherever_an_agent_puts_it() {
        let usage = json!({ "usage": { "inputTokens": 100, "outputTokens": 7, "cachedReadTokens": 20, "cachedWriteTokens": 3, "totalTokens": 130 } });
        let used = of_turn(&usage).unwrap();
        assert_eq!((used.input_tokens, used.output_tokens, used.cached_tokens), (Some(123), Some(7), Some(20)));
        let both =
            json!({ "usage": { "inputTokens": 1 }, "_meta": { "quota": { "model_usage": [{ "model": "m" }] } } });
        assert_eq!(of_turn(&both).unwrap().model.as_deref(), Some("m"));
        let within =
            json!({ "usage": { "inputTokens": 100, "outputTokens": 7, "cachedReadTokens": 20, "totalTokens": 107 } });
        assert_eq!(of_turn(&within).unwrap().input_tokens, Some(100));
        let quota = json!({ "_meta": { "quota": {
            "token_count": { "input_tokens": 5, "output_tokens": 6 },
            "model_usage": [{ "model": "m", "token_count": { "input_tokens": 5, "output_tokens": 6 } }] } } });
        let used = of_turn(&quota).unwrap();
        assert_eq!((used.model.as_deref(), used.input_tokens, used.output_tokens), (Some("m"), Some(5), Some(6)));
        assert!(of_chunk(&json!({ "_meta": { "usage": { "inputTokens": 1, "outputTokens": 2 } } })).is_some());
        assert!(of_turn(&json!({ "stopReason": "end_turn" })).is_none());
    }

    #[test]
    fn only_dollars_are_a_cost() {
        assert_eq!(cost(&json!({ "amount": 0.00083, "currency": "USD" })), Some(830));
        assert_eq!(cost(&json!({ "amount": 3, "currency": "credits" })), None);
        assert_eq!(cost(&json!({ "amount": -1, "currency": "USD" })), None);
        assert_eq!(cost(&json!(null)), None);
    }
}
