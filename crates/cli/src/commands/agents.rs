//! `forge agents`: what could answer here.

use super::Context;
use crate::args::AgentsArgs;
use crate::exit::Exit;
use crate::render::{self, Style};
use forge_agents::finding::{self, Access, Found, LOCAL_LIMIT};
use forge_engine::EngineError;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The most characters of a cell.
const CELL_WIDTH: usize = 60;
/// The most characters of a last cell, which may be a command to type.
const LAST_WIDTH: usize = 300;

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
            vec![one.name.clone(), one.kind.word().to_owned(), version, model, family, reached(one)]
        });
        table(&mut text, style, &["agent", "kind", "version", "model", "family", "how"], rows.collect());
    }
    if !others.is_empty() {
        let _ = writeln!(text, "\n{}", style.bold("Could be asked"));
        let rows = others.iter().filter_map(|one| {
            let obstacle = one.obstacle.as_ref()?;
            Some(vec![one.name.clone(), one.kind.word().to_owned(), obstacle.why.clone(), obstacle.fix.clone()])
        });
        table(&mut text, style, &["agent", "kind", "why not", "what helps"], rows.collect());
    }
    let _ = writeln!(
        text,
        "\n{}",
        style.dim("`forge doctor --probe` asks each of them one tiny question. More agents: docs/agents.md")
    );
    text
}

/// How an agent authenticates and where it is asked.
pub(super) fn reached(found: &Found) -> String {
    match &found.redirected {
        Some(there) => format!("{}, asked at {} ({})", found.access.said(), there.host, there.by),
        None => found.access.said(),
    }
}

/// Rows with aligned columns; the last one may be as wide as it likes.
pub(super) fn table(text: &mut String, style: Style, head: &[&str], rows: Vec<Vec<String>>) {
    let short = |row: Vec<String>| -> Vec<String> {
        let last = row.len().saturating_sub(1);
        let width = |index: usize| if index == last { LAST_WIDTH } else { CELL_WIDTH };
        row.iter().enumerate().map(|(index, cell)| render::one_line(cell, width(index))).collect()
    };
    let rows: Vec<Vec<String>> = rows.into_iter().map(short).collect();
    let widths: Vec<usize> = (0..head.len())
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
            cells.chain([head[column].chars().count()]).max().unwrap_or(0)
        })
        .collect();
    let line = |cells: &[&str]| {
        let cells: Vec<String> = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    let _ = writeln!(text, "  {}", style.dim(&line(head)));
    for row in &rows {
        let _ = writeln!(text, "  {}", line(&row.iter().map(String::as_str).collect::<Vec<_>>()));
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
