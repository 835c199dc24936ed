//! `forge debate --dry-run`: the plan, the briefs' sizes and the cost, without asking or writing anything.

mod egress;

use super::{Context, debate};
use crate::exit::Exit;
use crate::render;
use crate::seating;
use forge_debate::brief::{self, Brief};
use forge_debate::cost;
use forge_debate::framing;
use forge_debate::plan::Plan;
use forge_debate::protocols::{self, Protocol};
use forge_debate::record::{Ask, Record};
use forge_debate::texts::Texts;
use forge_engine::{EngineError, Request};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A token is about this many bytes of English.
const BYTES_PER_TOKEN: u64 = 4;
/// Tokens of a short, well-formed answer.
const SHORT_ANSWER_TOKENS: u64 = 300;

/// Prints what would happen.
pub(crate) fn run(
    context: &Context<'_>,
    request: &Request,
    files: &[PathBuf],
    as_json: bool,
) -> Result<Exit, EngineError> {
    let (plan, protocol) = request.plan()?;
    context.workspace.check_hands(&plan)?;
    let found = seating::found(context)?;
    let recipients = egress::recipients(&plan, &found);
    let briefs = first_briefs(&plan, protocol)?;
    let mut stages = protocols::cost(protocol, &plan);
    if framing::is_needed(&plan) {
        stages.insert(0, cost::StageCost::fixed("Framing: options", 1));
    }
    let total = cost::total(&stages);
    let tokens = tokens(&plan, &briefs, &total, debate::run_settings(context).max_output_tokens);
    if as_json {
        render::json(&json!({
            "dry_run": true,
            "protocol": format!("{}@{}", plan.protocol, plan.version),
            "question": plan.question,
            "options": plan.options.iter().map(|o| json!({"id": o.id.as_str(), "label": o.label, "description": o.description})).collect::<Vec<_>>(),
            "seats": plan.seats.iter().map(|s| json!({"id": s.id.as_str(), "role": s.role, "duty": s.duty.word(), "hand": s.hand.to_string()})).collect::<Vec<_>>(),
            "rounds": plan.limits.rounds,
            "threshold": plan.limits.threshold.to_string(),
            "timeout_seconds": plan.limits.timeout_seconds,
            "seed": plan.seed,
            "stages": stages.iter().map(|s| json!({"stage": s.stage, "min_calls": s.min_calls, "max_calls": s.max_calls})).collect::<Vec<_>>(),
            "calls": {"min": total.min_calls, "max": total.max_calls},
            "tokens": {"min": tokens.0, "max": tokens.1},
            "money": null,
            "sent_to": egress::json(&plan, &recipients, files),
            "briefs": briefs.iter().map(|b| json!({"seat": b.key.seat.as_str(), "stage": b.key.stage.0, "bytes": b.text().len()})).collect::<Vec<_>>(),
        }));
        return Ok(Exit::Done);
    }
    let mut text = format!(
        "Plan (nobody was asked, nothing was written)\n\n  question   {}\n",
        render::one_line(&plan.question, 200)
    );
    text.push_str(&format!("  protocol   {}@{}: {}\n", plan.protocol, plan.version, protocol.summary()));
    if plan.options.is_empty() {
        text.push_str("  options    none given: a framer proposes 3 to 5 first\n");
    }
    for option in &plan.options {
        text.push_str(&format!("  option {:<3} {}\n", option.id.as_str(), render::one_line(&option.label, 120)));
    }
    for seat in &plan.seats {
        text.push_str(&format!("  seat       {} ({}, {})\n", seat.id, seat.duty.word(), seat.hand));
    }
    for material in &plan.materials {
        text.push_str(&format!(
            "  context    {} ({} bytes)\n",
            render::one_line(&material.name, 80),
            material.text.len()
        ));
    }
    text.push_str(&egress::lines(&plan, &recipients, files));
    text.push_str("\n  first briefs\n");
    for brief in &briefs {
        text.push_str(&format!("    {:<32} {:>7} bytes\n", brief.key.to_string(), brief.text().len()));
    }
    text.push_str("\n  calls                                         min    max\n");
    for stage in stages.iter().chain([&total]) {
        text.push_str(&format!("    {:<42} {:>4}   {:>4}\n", stage.stage, stage.min_calls, stage.max_calls));
    }
    text.push_str("    a reply that misses its form is asked for once more: at worst twice as many\n");
    text.push_str(&format!("  tokens     about {} to {}\n", tokens.0, tokens.1));
    text.push_str("  money      no prices are known here, so tokens only\n");
    render::out(&text);
    Ok(Exit::Done)
}

fn first_briefs(plan: &Plan, protocol: &dyn Protocol) -> Result<Vec<Brief>, EngineError> {
    let nothing = BTreeMap::new();
    let mut asks: Vec<Ask> = Record::new(&nothing).first_asks(protocol, plan);
    if framing::is_needed(plan) {
        asks.insert(0, framing::ask());
    }
    let texts = Texts::embedded();
    asks.iter().map(|ask| Ok(brief::render(plan, ask, &nothing, &texts)?)).collect()
}

/// Few short answers at the least; at the most every call repaired, every brief holding everybody's longest words.
fn tokens(plan: &Plan, briefs: &[Brief], total: &cost::StageCost, max_output_tokens: u32) -> (u64, u64) {
    let sizes: Vec<u64> = briefs.iter().map(|brief| brief.text().len() as u64 / BYTES_PER_TOKEN).collect();
    let smallest = sizes.iter().min().copied().unwrap_or(0);
    let largest = sizes.iter().max().copied().unwrap_or(0);
    let answer = u64::from(max_output_tokens);
    let min = u64::from(total.min_calls) * (smallest + SHORT_ANSWER_TOKENS);
    let max = 2 * u64::from(total.max_calls) * (largest + answer * (plan.seats.len() as u64 + 1));
    (min, max)
}
