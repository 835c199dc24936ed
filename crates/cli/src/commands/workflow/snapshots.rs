//! `forge save` and `forge restore`: copies of the state file.

use crate::ao;
use crate::args::{JsonArgs, RestoreArgs};
use crate::commands::Context;
use crate::exit::Exit;
use crate::render;
use forge_engine::EngineError;
use forge_engine::workflow::{Kept, Overview, Progress};
use forge_workflow::snapshot::Rehearsals;
use serde_json::json;

/// Keeps a copy of the state file.
pub(crate) fn save(context: &Context<'_>, args: &JsonArgs) -> Result<Exit, EngineError> {
    let (path, text) = match context.workspace.save()? {
        Kept::Made(path) => (path.clone(), format!("saved {path}")),
        Kept::Already(path) => (path.clone(), format!("nothing has changed since {path}")),
        Kept::Nothing => {
            let text = "there is no workflow here to save; begin one with `forge start \"<objective>\"`";
            return Err(EngineError::Usage(text.to_owned()));
        }
    };
    if args.json {
        render::json(&json!({"snapshot": path, "said": [text]}));
    } else {
        render::out(&text);
    }
    Ok(Exit::Done)
}

/// Puts a copy of the state file back.
pub(crate) fn restore(context: &Context<'_>, args: &RestoreArgs) -> Result<Exit, EngineError> {
    let (path, state) = context.workspace.restore(args.snapshot.as_deref())?;
    let drive = super::drive(context, None, Rehearsals::Refused)?;
    if let Ok(Overview { snapshot, step, .. }) = context.workspace.overview(&drive)? {
        ao::follow(context, &Progress { snapshot, step, log: Default::default(), entered: None });
    }
    if args.json {
        render::json(&json!({
            "snapshot": path, "workflow_id": state.workflow_id, "phase": state.phase,
            "phase_status": state.phase_status.word(),
        }));
    } else {
        render::out(&format!("restored {path}: {} in phase {}", state.workflow_id, state.phase));
        render::out("  the state before is kept as a snapshot; documents, debates and knowledge are as they were");
        render::out("  next       forge status");
    }
    Ok(Exit::Done)
}
