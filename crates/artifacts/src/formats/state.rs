//! `state.json` of a challenge (S4): the session's state for readers. Derived.

use super::verdict::{self, Account};
use forge_debate::personas::persona_file;
use forge_debate::plan::Duty;
use serde_json::{Value, json};

/// The state of a debate that is still open.
pub fn open(account: &Account, waiting: &[String]) -> Value {
    let mut state = base(account);
    state["status"] = json!("running");
    state["waiting_for"] = json!(waiting);
    state
}

/// The state of a concluded debate.
pub fn concluded(account: &Account) -> Value {
    let mut state = base(account);
    state["status"] = json!("complete");
    state["outcome"] = json!(account.verdict.outcome().word());
    state["confidence"] = json!(account.verdict.confidence().word());
    state["rounds"] = json!(account.verdict.ruling.rounds);
    state["position"] = json!(account.verdict.ruling.position());
    state["positions"] = json!(
        account
            .verdict
            .ruling
            .positions()
            .iter()
            .map(|p| json!({"version": p.version, "round": p.round, "text": p.text, "because": verdict::causes(p)}))
            .collect::<Vec<_>>()
    );
    state["spent"] = verdict::spent(&account.spent);
    state
}

fn base(account: &Account) -> Value {
    let plan = &account.plan;
    json!({
        "debate": plan.id,
        "topic": plan.question,
        "rehearsal": account.is_rehearsal(),
        "protocol": plan.protocol.to_string(),
        "max_rounds": plan.limits.rounds,
        "timeout_seconds": plan.limits.timeout_seconds,
        "min_challengers": plan.limits.min_challengers,
        "lead": plan.with_duty(Duty::Lead).next().map(|seat| seat.hand.to_string()),
        "challengers": plan.debaters().iter().map(|seat| json!({
            "seat": seat.id.as_str(), "agent": seat.hand.to_string(), "context_file": persona_file(plan, &seat.id),
        })).collect::<Vec<_>>(),
        "turns": account.turns.iter().map(|turn| json!({
            "seat": turn.key.seat.as_str(), "stage": turn.key.stage.0, "round": turn.key.round,
            "file": turn.file, "spoke": turn.text.is_some(),
        })).collect::<Vec<_>>(),
    })
}
