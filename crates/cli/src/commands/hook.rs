//! `forge hook EVENT`: what forge has to say when a host asks before a step. In the host's own form: JSON where there is
//! something to decide, lines where there is something to know, and silence otherwise.
//!
//! The exit code never says no: a host would take 2 for that, and a mistake of forge's must not hold anybody up.

use super::Context;
use crate::ao;
use crate::args::HookArgs;
use crate::exit::Exit;
use crate::render;
use forge_artifacts::disk::{Disk, Durability, LatePrivateDisk};
use forge_engine::EngineError;
use forge_engine::host::{Around, Decision, Hook, Told};
use forge_engine::workflow::{Drive, Log, Overview, Progress};
use serde_json::json;
use std::io::Read as _;

/// The most that a host may say: a tool may be given a whole file.
const INPUT_LIMIT_BYTES: u64 = 64 * 1024 * 1024;

/// Answers a hook.
pub(crate) fn run(context: &Context<'_>, args: &HookArgs) -> Result<Exit, EngineError> {
    let name = args.event.first().map(String::as_str).unwrap_or_default();
    let hook = Hook::named(name).ok_or_else(|| {
        EngineError::Usage(format!(
            "forge hook {name}: expected session-start, pre-tool-use, post-tool-use, pre-compact, subagent-stop or stop; nothing is held up"
        ))
    })?;
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(INPUT_LIMIT_BYTES).read_to_end(&mut bytes);
    let told = read.ok().and_then(|_| Told::read(&bytes)).ok_or_else(|| {
        EngineError::Usage(
            "standard input: expected the JSON that a host gives its hooks; nothing is held up".to_owned(),
        )
    })?;
    let home = context.environment.state_home.as_ref();
    let memory = home.map(|home| LatePrivateDisk::at(Some(home.join("forge/hosts")), Durability::None));
    let called = std::env::args().next().unwrap_or_default();
    let memory = memory.as_ref().map(|disk| disk as &dyn Disk);
    let around = Around { memory, program: &called, programs: &programs(&called) };
    match context.workspace.hook(hook, &told, &around)? {
        Decision::Nothing => {}
        Decision::Follow => follow(context)?,
        Decision::Tell(lines) => lines.iter().for_each(|line| render::out(&line.to_string())),
        Decision::Ask(agent) => render::json(&json!({"hookSpecificOutput": {
            "hookEventName": hook.event(), "permissionDecision": "ask",
            "permissionDecisionReason": format!("forge would ask the agent {agent}, which costs what it costs"),
        }})),
        Decision::Refuse(why) => render::json(&match hook {
            Hook::PreToolUse => json!({"hookSpecificOutput": {
                "hookEventName": hook.event(), "permissionDecision": "deny", "permissionDecisionReason": why.to_string(),
            }}),
            _ => json!({"decision": "block", "reason": why.to_string()}),
        }),
        Decision::Change { input, is_granted } => {
            let mut said = json!({"hookEventName": hook.event(), "updatedInput": input});
            if is_granted {
                said["permissionDecision"] = json!("allow");
            }
            render::json(&json!({"hookSpecificOutput": said}));
        }
    }
    Ok(Exit::Done)
}

/// Under AO the session's metadata says where the workflow stands.
fn follow(context: &Context<'_>) -> Result<(), EngineError> {
    if !context.environment.ao.is_active() {
        return Ok(());
    }
    if let Ok(Overview { snapshot, step, .. }) = context.workspace.overview(&Drive::default())? {
        ao::sync(context, &Progress { snapshot, step, log: Log::default(), entered: None });
    }
    Ok(())
}

/// How this program may be called: by its name, or as it was called now.
fn programs(called: &str) -> Vec<String> {
    let path = std::env::current_exe().ok().and_then(|path| path.to_str().map(str::to_owned));
    ["forge", called].map(str::to_owned).into_iter().chain(path).collect()
}
