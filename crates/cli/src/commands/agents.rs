//! `forge agents`: what could answer here.

use super::Context;
use crate::args::AgentsArgs;
use crate::exit::Exit;
use crate::render::{self, Style};
use crate::table::{Row, table, wrapped};
use forge_agents::finding::{self, Access, Found, LOCAL_LIMIT};
use forge_engine::EngineError;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Lists agents. Asks nobody.
pub(crate) fn run(context: &Context<'_>, args: &AgentsArgs) -> Result<Exit, EngineError> {
    let found = runtime()?.block_on(finding::look(context.workspace.roster.settings(), LOCAL_LIMIT));
    if args.json {
        render::json(&json!({"agents": found.iter().map(value).collect::<Vec<_>>()}));
    } else {
        render::out(&shown(&found, context.style));
    }
    Ok(Exit::Done)
}

/// What runs calls.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, EngineError> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| EngineError::Bug(format!("threads cannot be started: {error}")))
}

fn shown(found: &[Found], style: Style) -> String {
    let (usable, others): (Vec<&Found>, Vec<&Found>) = found.iter().partition(|one| one.is_usable());
    let mut text = String::new();
    if usable.is_empty() {
        let _ = writeln!(text, "{}", style.bold("No agent can be asked now"));
    } else {
        let _ = writeln!(text, "{}", style.bold("Can be asked now"));
        let rows = usable.iter().map(|one| {
            let model = one.model.clone().unwrap_or_else(|| "its own choice".to_owned());
            let family = one.family.clone().unwrap_or_else(|| "unknown".to_owned());
            let version = one.version.clone().unwrap_or_else(|| "-".to_owned());
            row([&one.name, one.kind.word(), &version, &model, &family, &reached(one)])
        });
        table(&mut text, style, &["agent", "kind", "version", "model", "family", "how"], 5, rows.collect());
    }
    if !others.is_empty() {
        let _ = writeln!(text, "\n{}", style.bold("Could be asked"));
        let rows = others.iter().filter_map(|one| {
            let obstacle = one.obstacle.as_ref()?;
            Some(row([&one.name, one.kind.word(), &obstacle.why, &obstacle.fix]))
        });
        table(&mut text, style, &["agent", "kind", "why not", "what helps"], 2, rows.collect());
    }
    text.push('\n');
    let more = "`forge doctor --probe` asks each of them one tiny question. More agents: docs/agents.md";
    for line in wrapped(more, style.width()) {
        let _ = writeln!(text, "{}", style.dim(&line));
    }
    text
}

fn row<const N: usize>(cells: [&str; N]) -> Row {
    Row { cells: cells.map(str::to_owned).to_vec(), below: Vec::new() }
}

/// How an agent authenticates and where it is asked.
pub(super) fn reached(found: &Found) -> String {
    match &found.redirected {
        Some(there) => format!("{}, asked at {} ({})", found.access.said(), there.host, there.by),
        None => found.access.said(),
    }
}

/// An agent for machines.
pub(super) fn value(found: &Found) -> Value {
    let (variable, file) = match &found.access {
        Access::Key(variable) => (Some(variable.clone()), None),
        Access::Login(file) | Access::Configured(file) => (None, Some(file.display().to_string())),
        Access::KeyCommand | Access::NotNeeded | Access::Missing => (None, None),
    };
    json!({
        "name": found.name,
        "kind": found.kind.word(),
        "usable": found.is_usable(),
        "installed": found.is_installed(),
        "seated_as": found.seated_as(),
        "program": found.program.as_ref().map(|program| program.display().to_string()),
        "version": found.version,
        "access": {"how": found.access.word(), "variable": variable, "file": file},
        "model": found.model,
        "family": found.family,
        "vendor": found.vendor,
        "redirected": found.redirected.as_ref().map(|there| json!({"host": there.host, "by": there.by})),
        "obstacle": found.obstacle.as_ref().map(|obstacle| json!({
            "kind": obstacle.kind.word(), "why": obstacle.why, "fix": obstacle.fix,
        })),
    })
}
