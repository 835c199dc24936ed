//! `forge debate --dry-run`: the plan, the briefs' sizes and the cost, without asking or writing anything.

pub(super) mod egress;

use super::{Context, debate, money};
use crate::exit::Exit;
use crate::render;
use forge_debate::plan::Plan;
use forge_engine::{EngineError, Estimate, Request};
use serde_json::json;
use std::path::PathBuf;

/// The width of the labels.
const LABEL_WIDTH: usize = 11;

/// What the larger figure stands for.
const MOST_ASSUMES: &str = "at most all rounds, every reply as long as it may be, read by all, and asked for twice";

/// What stands above the table of calls of a protocol's own description.
pub(super) fn phases_title(plan: &Plan) -> String {
    format!("{} for {} participants", plan.protocol.name, plan.debaters().len())
}

/// Prints what would happen.
pub(crate) fn run(
    context: &Context<'_>,
    request: &Request,
    files: &[PathBuf],
    as_json: bool,
) -> Result<Exit, EngineError> {
    let plan = request.plan()?;
    let protocol = context.workspace.protocols.of(plan.protocol).map_err(EngineError::Bug)?;
    context.workspace.check_named(request)?;
    context.workspace.check_hands(&plan)?;
    let recipients = egress::recipients(context, &plan)?;
    let texts = context.workspace.texts_for(request)?;
    let sent = egress::sent_by(&plan, protocol, &texts, files);
    let max_output_tokens = debate::run_settings(context).max_output_tokens;
    let estimate = Estimate::of(&context.workspace, &plan, protocol, &texts, max_output_tokens)?;
    let Estimate { stages, total, tokens, briefs, .. } = &estimate;
    if as_json {
        render::json(&json!({
            "dry_run": true,
            "protocol": plan.protocol.to_string(),
            "question": plan.question,
            "options": plan.options.iter().map(|o| json!({"id": o.id.as_str(), "label": o.label, "description": o.description})).collect::<Vec<_>>(),
            "seats": plan.seats.iter().map(|s| json!({"id": s.id.as_str(), "role": s.role, "duty": s.duty.word(), "hand": s.hand.to_string()})).collect::<Vec<_>>(),
            "rounds": plan.limits.rounds,
            "threshold": plan.limits.threshold.to_string(),
            "timeout_seconds": plan.limits.timeout_seconds,
            "seed": plan.seed,
            "phases": (plan.protocol.phases)(&plan).iter().map(|p| json!({"phase": p.phase, "min_calls": p.min_calls, "max_calls": p.max_calls})).collect::<Vec<_>>(),
            "stages": stages.iter().map(|s| json!({"stage": s.stage, "min_calls": s.min_calls, "max_calls": s.max_calls})).collect::<Vec<_>>(),
            "calls": {"min": total.min_calls, "max": total.max_calls},
            "tokens": {"min": tokens.0, "max": tokens.1},
            "money": money::json(&estimate, plan.limits.max_cost),
            "sent_to": egress::json(&sent, &recipients),
            "briefs": briefs.iter().map(|b| json!({"seat": b.key.seat.as_str(), "stage": b.key.stage.0, "bytes": b.text().len()})).collect::<Vec<_>>(),
        }));
        return Ok(Exit::Done);
    }
    let mut text = format!(
        "Plan (nobody was asked, nothing was written)\n\n  question   {}\n",
        render::one_line(&plan.question, 200)
    );
    text.push_str(&format!("  protocol   {}: {}\n", plan.protocol, plan.protocol.summary));
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
            render::one_line(&material.name, usize::MAX),
            material.text.len()
        ));
    }
    if let Some(replaced) = egress::replaced(&plan, protocol, &texts) {
        text.push_str(&format!("  REPLACED   {}\n", render::one_line(&replaced, usize::MAX)));
    }
    text.push_str(&egress::lines(&sent, &recipients));
    text.push_str("\n  first briefs\n");
    for brief in briefs {
        text.push_str(&format!("    {:<32} {:>7} bytes\n", brief.key.to_string(), brief.text().len()));
    }
    let phases = (plan.protocol.phases)(&plan);
    if !phases.is_empty() {
        text.push_str(&format!("\n  {:<44} min    max\n", phases_title(&plan)));
    }
    for phase in phases {
        text.push_str(&format!("    {:<42} {:>4}   {:>4}\n", phase.phase, phase.min_calls, phase.max_calls));
    }
    text.push_str("\n  calls, as forge counts and caps them          min    max\n");
    for stage in stages.iter().chain([total]) {
        text.push_str(&format!("    {:<42} {:>4}   {:>4}\n", stage.stage, stage.min_calls, stage.max_calls));
    }
    text.push_str("    a reply that misses its form is asked for once more: at worst twice as many\n");
    text.push_str(&format!("  tokens     about {} to {}: {MOST_ASSUMES}\n", tokens.0, tokens.1));
    for line in money::lines(&estimate, plan.limits.max_cost, LABEL_WIDTH) {
        text.push_str(&format!("  {line}\n"));
    }
    render::out(&text);
    Ok(Exit::Done)
}
