//! `forge decisions`: what was decided, and what stands.

use crate::args::JsonArgs;
use crate::commands::Context;
use crate::exit::Exit;
use crate::render;
use forge_engine::EngineError;
use forge_workflow::extract::taken_from;
use forge_workflow::knowledge::{DecisionStatus, Kind};
use serde_json::json;

/// Lists all decisions.
pub(crate) fn run(context: &Context<'_>, args: &JsonArgs) -> Result<Exit, EngineError> {
    let known = context.workspace.decisions()?;
    if args.json {
        let decisions: Vec<_> = known
            .decisions
            .iter()
            .map(|one| {
                let constraints: Vec<&str> =
                    known.constraints.iter().filter(|c| c.origin == one.id).map(|c| c.id.as_str()).collect();
                json!({
                    "id": one.id, "title": one.title, "rationale": one.rationale, "phase": one.phase,
                    "debate": one.debate, "date": one.date, "locked": one.locked, "by": one.by,
                    "kill_switch": one.kill_switch, "supersedes": one.supersedes,
                    "status": one.status.word(), "stands": known.stands(one),
                    "superseded_by": known.superseded_by(&one.id).map(|later| &later.id),
                    "constraints": constraints, "source": one.source, "claimed": one.claimed,
                })
            })
            .collect();
        render::json(&json!({"decisions": decisions}));
        return Ok(Exit::Done);
    }
    if known.decisions.is_empty() && known.unclear.is_empty() {
        render::out("no decision yet; docs/forge/knowledge/decisions.md fills up as debates are decided");
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    let width = known.decisions.iter().map(|one| one.id.chars().count()).max().unwrap_or(0).max(5);
    for one in &known.decisions {
        let standing = match known.superseded_by(&one.id) {
            Some(later) => format!("superseded by {}", later.id),
            None if !known.stands(one) => one.status.word().to_owned(),
            None if one.claimed => "claimed".to_owned(),
            None if one.locked => "locked".to_owned(),
            None => "stands".to_owned(),
        };
        let from = match (&one.by, &one.debate) {
            (Some(person), Some(debate)) => format!("by {}, after the debate {debate}", render::one_line(person, 60)),
            (None, Some(debate)) => match taken_from(one) {
                Some(file) => format!("by another tool's debate: {file}"),
                None => format!("by the debate {debate}"),
            },
            (Some(person), None) => format!("by {}", render::one_line(person, 60)),
            (None, None) => "by its document".to_owned(),
        };
        let title = render::one_line(&one.title, 100);
        text.push_str(&format!("{:<width$} {:<18} {title}\n", one.id, standing));
        let when = if one.date.is_empty() { String::new() } else { format!(" {}", one.date) };
        let phase = if one.phase.is_empty() { String::new() } else { format!(" in {}", one.phase) };
        let taken = match one.status {
            DecisionStatus::Proposed | DecisionStatus::Rejected => one.status.word(),
            _ => "decided",
        };
        let line = format!("{taken}{when}{phase}, {from}");
        render::row(&mut text, context.style, "", &render::one_line(&line, 200));
    }
    for one in known.unclear.iter().filter(|one| one.file == Kind::Decision.file()) {
        render::row(&mut text, context.style, "note", &format!("{}:{}: {}", one.file, one.line, one.text));
    }
    render::out(&text);
    Ok(Exit::Done)
}
