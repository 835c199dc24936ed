//! `forge config`: what holds, and where it comes from. Reads both files also for the commands that need them.

use super::Context;
use crate::args::ConfigArgs;
use crate::environment::Environment;
use crate::exit::Exit;
use crate::render::{self, Style};
use forge_artifacts::disk::{Disk, DiskError, read_named};
use forge_debate::plan::nearest;
use forge_engine::EngineError;
use forge_engine::config::{
    self, Among, Chosen, FILE_LIMIT_BYTES, File, KEYS, Key, PROJECT_FILE, Resolved, SetBy, Sources, Text, USER_FILE,
    shown,
};
use serde_json::{Map, Value, json};
use std::io::ErrorKind;

/// The most characters of a value in the table.
const VALUE_WIDTH: usize = 60;

/// What both files and the environment say.
pub(crate) fn read(disk: &dyn Disk, environment: &Environment) -> Resolved {
    resolve(users_file(environment), projects_file(disk), environment)
}

/// What holds where no file has been read.
pub(crate) fn unread(environment: &Environment) -> Resolved {
    let absent = |name: String| File { name, text: Text::Absent };
    resolve(absent(users_name(environment)), absent(PROJECT_FILE.to_owned()), environment)
}

fn resolve(user: File, project: File, environment: &Environment) -> Resolved {
    let home = environment.home.as_ref().and_then(|home| home.to_str());
    config::resolve(&Sources { user, project, environment: &environment.variables, home })
}

/// Where the user's configuration is, for people.
pub(crate) fn users_name(environment: &Environment) -> String {
    match &environment.config_home {
        Some(folder) => folder.join(USER_FILE).display().to_string(),
        None => format!("~/.config/{USER_FILE}"),
    }
}

fn users_file(environment: &Environment) -> File {
    let read = environment.config_home.as_ref().map(|folder| read_named(&folder.join(USER_FILE), FILE_LIMIT_BYTES));
    let text = match read {
        None => Text::Absent,
        Some(Err(DiskError::Io { source, .. }))
            if matches!(source.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
        {
            Text::Absent
        }
        Some(read) => match &environment.config_within {
            None => found(read),
            Some(top) => Text::Unreadable(format!(
                "it lies inside of {}, so it came with that and is not yours; keep your own elsewhere, and say where: XDG_CONFIG_HOME",
                top.display()
            )),
        },
    };
    File { name: users_name(environment), text }
}

fn projects_file(disk: &dyn Disk) -> File {
    let text = match disk.read(PROJECT_FILE).transpose() {
        None => Text::Absent,
        Some(Ok(bytes)) if bytes.len() as u64 > FILE_LIMIT_BYTES => {
            Text::Unreadable(format!("too large: at most {} KiB are read", FILE_LIMIT_BYTES / 1024))
        }
        Some(read) => found(read),
    };
    File { name: PROJECT_FILE.to_owned(), text }
}

fn found(read: Result<Vec<u8>, DiskError>) -> Text {
    match read.map(String::from_utf8) {
        Ok(Ok(text)) => Text::Found(text),
        Ok(Err(_)) => Text::Unreadable("not UTF-8".to_owned()),
        Err(error) => Text::Unreadable(error.to_string()),
    }
}

/// Runs `forge config ...`.
pub(crate) fn run(context: &Context<'_>, args: &ConfigArgs) -> Result<Exit, EngineError> {
    if args.schema {
        render::json(&config::schema());
        return Ok(Exit::Done);
    }
    let user = users_file(context.environment);
    let project = projects_file(context.workspace.disk.as_ref());
    let files = [("user", &user), ("project", &project)]
        .map(|(whose, file)| (whose, file.name.clone(), file.text != Text::Absent));
    let resolved = resolve(user, project, context.environment);
    match &args.explain {
        Some(key) if args.json => render::json(&explained(find(key)?, key, &resolved)),
        Some(key) => render::out(&render::safe(&explanation(find(key)?, key, &resolved))),
        None if args.json => render::json(&document(&files, &resolved)),
        None => render::out(&table(&files, &resolved, context.style)),
    }
    for warning in &resolved.warnings {
        render::note(&format!("warning: {warning}"));
    }
    for problem in &resolved.problems {
        render::error(&problem.to_string());
    }
    Ok(if resolved.problems.is_empty() { Exit::Done } else { Exit::Usage })
}

/// Whose file, where it is, and whether it is there.
type Files = [(&'static str, String, bool); 2];

fn document(files: &Files, resolved: &Resolved) -> Value {
    let values = resolved
        .values
        .iter()
        .map(|chosen| (chosen.path.clone(), json!({"value": chosen.shown(), "origin": chosen.origin.to_string()})));
    let remarks = |remarks: &[config::Remark]| {
        let one = |remark: &config::Remark| json!({"file": remark.file, "line": remark.line, "text": remark.text});
        remarks.iter().map(one).collect::<Vec<_>>()
    };
    json!({
        "files": files.iter().map(|(whose, path, found)| json!({"whose": whose, "path": path, "found": found})).collect::<Vec<_>>(),
        "values": values.collect::<Map<_, _>>(),
        "warnings": remarks(&resolved.warnings),
        "problems": remarks(&resolved.problems),
    })
}

fn table(files: &Files, resolved: &Resolved, style: Style) -> String {
    let rows: Vec<(String, String, String)> = resolved
        .values
        .iter()
        .map(|chosen| {
            (render::safe(&chosen.path), value_text(&chosen.shown()), render::safe(&chosen.origin.to_string()))
        })
        .collect();
    let width = |column: fn(&(String, String, String)) -> &str| {
        rows.iter().map(|row| column(row).chars().count()).max().unwrap_or(0)
    };
    let (keys, values) = (width(|row| &row.0), width(|row| &row.1));
    let mut text = String::new();
    for (whose, path, found) in files {
        let found = if *found { "" } else { "  (not there)" };
        text.push_str(&format!("{whose:<8} {}{found}\n", render::safe(path)));
    }
    text.push('\n');
    for (key, value, origin) in rows {
        let gap = " ".repeat(keys.saturating_sub(key.chars().count()));
        let more = " ".repeat(values.saturating_sub(value.chars().count()));
        text.push_str(&format!("{}{gap}  {value}{more}  {}\n", style.bold(&key), style.dim(&origin)));
    }
    text
}

fn value_text(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => render::one_line(text, VALUE_WIDTH),
        other => render::one_line(&other.to_string(), VALUE_WIDTH),
    }
}

/// The key that is meant: by its whole path, or by its pattern.
fn find(path: &str) -> Result<&'static Key, EngineError> {
    let names: Vec<&str> = path.split('.').collect();
    let is_it = |key: &&Key| {
        let own: Vec<&str> = key.path.split('.').collect();
        own.len() == names.len() && own.iter().zip(&names).all(|(own, name)| *own == "*" || own == name)
    };
    KEYS.iter().find(is_it).ok_or_else(|| {
        // A pattern with the names that were typed in its open places: `agents.*.model` is `agents.claude.model`.
        let filled = |key: &Key| {
            let own = key.path.split('.').enumerate();
            own.map(|(n, own)| if own == "*" { names.get(n).copied().unwrap_or(own) } else { own })
                .collect::<Vec<_>>()
                .join(".")
        };
        let paths: Vec<String> = KEYS.iter().map(filled).collect();
        let near = nearest(path, paths.iter().map(String::as_str));
        let near = near.map(|near| format!("; did you mean {near}?"));
        EngineError::Usage(format!("--explain {path}: no such key{}", near.unwrap_or_default()))
    })
}

/// The values of a key: the one at this path, or all that its pattern has.
fn chosen<'r>(key: &Key, path: &str, resolved: &'r Resolved) -> Vec<&'r Chosen> {
    let is_it = |chosen: &&Chosen| chosen.key.path == key.path && (path.contains('*') || chosen.path == path);
    resolved.values.iter().filter(is_it).collect()
}

fn who(key: &Key) -> &'static str {
    match (key.set_by, key.among) {
        (SetBy::User, _) => "only your own configuration",
        (SetBy::Anyone, Among::TheProjects) => "your own configuration and the project's",
        (SetBy::Anyone, Among::TheSmaller) => {
            "your own configuration and the project's; the project's may only lower it"
        }
        (SetBy::Anyone, Among::TheLarger) => {
            "your own configuration and the project's; the project's may only raise it"
        }
        (SetBy::Anyone, Among::TheFalse) => {
            "your own configuration and the project's; where one says false, it is false"
        }
        (SetBy::Anyone, Among::TheTrue) => {
            "your own configuration and the project's, which may not say false unless yours does"
        }
    }
}

fn explained(key: &Key, path: &str, resolved: &Resolved) -> Value {
    let one = |chosen: &&Chosen| {
        let outdone = chosen.outdone.iter();
        json!({
            "key": chosen.path, "value": chosen.shown(), "origin": chosen.origin.to_string(),
            "outdone": outdone.map(|(value, origin)| json!({"value": shown(key, value), "origin": origin.to_string()})).collect::<Vec<_>>(),
        })
    };
    json!({
        "key": key.path, "description": key.doc, "expected": key.kind.expected(), "set_by": who(key), "variable": key.variable,
        "default": key.default.and_then(|default| serde_json::from_str::<Value>(default).ok()),
        "values": chosen(key, path, resolved).iter().map(one).collect::<Vec<_>>(),
    })
}

fn explanation(key: &Key, path: &str, resolved: &Resolved) -> String {
    let mut text = format!("{}\n  {}\n\n", key.path, key.doc);
    text.push_str(&format!("  expected   {}\n  set by     {}\n", key.kind.expected(), who(key)));
    if let Some(variable) = key.variable {
        text.push_str(&format!("  variable   {variable}\n"));
    }
    text.push_str(&format!("  default    {}\n", key.default.unwrap_or("-")));
    for chosen in chosen(key, path, resolved) {
        text.push_str(&format!(
            "\n  {}\n    holds    {}  ({})\n",
            chosen.path,
            value_text(&chosen.shown()),
            chosen.origin
        ));
        for (value, origin) in chosen.outdone.iter().rev() {
            text.push_str(&format!("    outdone  {}  ({origin})\n", value_text(&shown(key, value))));
        }
    }
    text
}
