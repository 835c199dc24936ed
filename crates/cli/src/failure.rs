//! What went wrong, for people and for programs.

use crate::exit::{Exit, is_bad_input};
use crate::render;
use forge_artifacts::store::OpenError;
use forge_engine::config::Resolved;
use forge_engine::{Against, EngineError};
use serde_json::json;

/// How a command that failed says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// A line on standard error.
    Text,
    /// The same, and one JSON document on standard output.
    Json,
}

/// Says what went wrong and what to do next.
pub(crate) fn fail(error: &EngineError, configuration: Option<&Resolved>, output: Output) -> Exit {
    let origin = configuration.and_then(|configuration| origin(error, configuration)).unwrap_or_default();
    let message = format!("{error}{origin}");
    let hint = hint(error);
    render::error(&message);
    if let Some(hint) = &hint {
        render::note(&format!("hint: {hint}"));
    }
    if output == Output::Json {
        render::json(&json!({"error": {"code": error.code(), "message": message, "hint": hint}}));
    }
    Exit::from(error)
}

/// Who named an agent that cannot be seated, where that was the configuration.
fn origin(error: &EngineError, configuration: &Resolved) -> Option<String> {
    let EngineError::Agent { unknown, .. } = error else { return None };
    let names_it = |name: Option<&str>| name == Some(unknown.name());
    let chosen =
        configuration.values.iter().find(|chosen| chosen.names_an_agent() && names_it(chosen.value.as_str()))?;
    Some(format!("; it is what {} says: {}", chosen.path, chosen.origin))
}

fn hint(error: &EngineError) -> Option<String> {
    let cause = if let EngineError::Midway { error, .. } = error { error } else { error };
    match cause {
        EngineError::Open(OpenError::Edited { debate, .. }) => Some(format!(
            "it may not change once a seat was asked. Undo the edit, or start a new debate from it as it is: forge debate run {debate} --fork --adopt"
        )),
        EngineError::Contradicted { debate, verdict_file, .. } => Some(format!(
            "`forge verify {debate}` names what changed. Restore the file; or hold the debate anew (--new, or forge debate run {debate} --fork); or, if the verdict is what is wrong, remove {verdict_file}"
        )),
        EngineError::NotAsTyped { debate, .. } => Some(format!(
            "--new holds the debate that you typed; forge debate run {debate} goes on with the plan as it is"
        )),
        EngineError::NotAsHeld { debate, against: Against::Copy, .. } => Some(format!(
            "undo the change; or, if it is yours or you want it, take the plan over as it is: forge debate run {debate} --adopt (with --fork: into the new debate alone)"
        )),
        EngineError::NotAsHeld { debate, against: Against::Texts, .. } => Some(format!(
            "undo the change; or, if it is yours or you want it, take the texts over as they are: forge debate run {debate} --fork --adopt"
        )),
        EngineError::NotAsHeld { debate, against: Against::Phase, .. } => Some(format!(
            "let the plan take over what the phase asks for: forge debate --regenerate --id {debate}; or, if you know who made it and that is what you want, take it over as it is: forge debate run {debate} --adopt"
        )),
        EngineError::Looser { debate, .. } => Some(format!(
            "tighten the plan before anybody is asked; or hold a debate of your own; or, if you know who made it and that is what you want, take it over as yours: forge debate run {debate} --adopt"
        )),
        EngineError::NobodyAnswers { .. } => Some(
            "`forge doctor` says more; --agent NAME asks another, and --agent rehearsal shows the form without a model"
                .to_owned(),
        ),
        EngineError::Find(_) => Some("`forge debate list` shows the debates of this folder".to_owned()),
        EngineError::Busy { .. } => {
            Some("wait for it, or stop it; a dead holder's lock is taken over by itself".to_owned())
        }
        EngineError::Disk(error) if !is_bad_input(error) => {
            Some("what was recorded is safe; run the same command again when the disk is well".to_owned())
        }
        _ => None,
    }
}
