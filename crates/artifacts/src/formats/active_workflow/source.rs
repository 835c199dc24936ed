//! The fields of a state file, wherever in it they stand: front matter, bare YAML, or bold words in Markdown.

use super::words;
use crate::document::{Document, Front};
use crate::yaml::{self, YamlProblem};
use forge_workflow::extract::passages::lines;
use serde_json::{Map, Value};

/// Where the fields stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Between `---` lines.
    Front,
    /// In YAML without them.
    Bare,
    /// In JSON.
    Json,
    /// In Markdown.
    Prose,
}

/// A file's fields under the keys that it uses.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) fields: Map<String, Value>,
    pub(super) shape: Shape,
    pub(super) notes: Vec<String>,
}

/// Finds the fields, or the line at which there is nothing to find.
pub(super) fn of(text: &str) -> Result<Source, (usize, String)> {
    if text.trim_start_matches('\u{FEFF}').trim().is_empty() {
        return Err((1, "the file is empty".to_owned()));
    }
    let document = Document::parse(text);
    let (fields, notes) = match document.front {
        Front::Fields(fields) => (fields, Vec::new()),
        Front::Broken { line, text: problem } => {
            let read = last_of_each(inside(text), 2).or_else(|| with_bare_texts(inside(text), 2));
            read.ok_or((line, problem))?
        }
        Front::None => return unfenced(text),
    };
    let says_phase = |fields: &Map<String, Value>| fields.contains_key("phase") || fields.contains_key("current_phase");
    let prose = if says_phase(&fields) { Map::new() } else { bold_fields(&document.body) };
    if says_phase(&prose) {
        return Ok(Source { fields: prose, shape: Shape::Prose, notes });
    }
    Ok(Source { fields, shape: Shape::Front, notes })
}

fn unfenced(text: &str) -> Result<Source, (usize, String)> {
    if let Ok(Value::Object(fields)) = serde_json::from_str(text.trim_start_matches('\u{FEFF}')) {
        return Ok(Source { fields, shape: Shape::Json, notes: Vec::new() });
    }
    let first = text.lines().map(str::trim).find(|line| !(line.is_empty() || line.starts_with('#') || *line == "---"));
    if first.is_some_and(is_key_line) {
        let (bare, first_line) = bare_part(text);
        let read = match fields_in(&bare, first_line) {
            Ok(fields) => Ok((fields, Vec::new())),
            Err(problem) => last_of_each(&bare, first_line).ok_or((problem.line, problem.text)),
        };
        return read.map(|(fields, notes)| Source { fields, shape: Shape::Bare, notes });
    }
    Ok(Source { fields: bold_fields(text), shape: Shape::Prose, notes: Vec::new() })
}

fn fields_in(yaml: &str, first_line: usize) -> Result<Map<String, Value>, YamlProblem> {
    match yaml::read(yaml, first_line)? {
        Value::Object(fields) => Ok(fields),
        _ => Err(YamlProblem { line: first_line, text: "expected `key: value` lines".to_owned() }),
    }
}

/// `key:` at the margin, with a value or without.
fn is_key_line(line: &str) -> bool {
    let Some((key, rest)) = line.split_once(':') else { return false };
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !key.is_empty() && key.chars().all(is_word) && (rest.is_empty() || rest.starts_with(' '))
}

/// The YAML of a file without `---` around it, up to what is Markdown, and its first line.
fn bare_part(text: &str) -> (String, usize) {
    let skipped = text.lines().take_while(|line| line.trim().is_empty() || line.trim() == "---").count();
    let belongs = |line: &&str| {
        let blank = line.trim().is_empty();
        blank || line.starts_with([' ', '\t', '#', '-']) && line.trim_end() != "---" || is_key_line(line)
    };
    let kept: Vec<&str> = text.lines().skip(skipped).take_while(belongs).collect();
    let mut part = kept.join("\n");
    part.push('\n');
    (part, skipped + 1)
}

/// What stands between the first two `---` lines.
fn inside(text: &str) -> &str {
    let after = text.trim_start_matches('\u{FEFF}').split_once('\n').map_or("", |(_, rest)| rest);
    after.find("\n---").and_then(|end| after.get(..=end)).unwrap_or("")
}

/// The fields of YAML in which keys are repeated: scripts append, so the last one holds.
fn last_of_each(yaml: &str, first_line: usize) -> Option<(Map<String, Value>, Vec<String>)> {
    let mut parts: Vec<(Option<&str>, String)> = Vec::new();
    let mut repeated: Vec<&str> = Vec::new();
    for line in yaml.lines() {
        let key = if is_key_line(line) { line.split_once(':').map(|(key, _)| key) } else { None };
        match parts.last_mut() {
            Some((_, part)) if key.is_none() => {
                part.push_str(line);
                part.push('\n');
            }
            _ => {
                if key.is_some() && parts.iter().any(|(known, _)| *known == key) {
                    repeated.extend(key);
                    parts.retain(|(known, _)| *known != key);
                }
                parts.push((key, format!("{line}\n")));
            }
        }
    }
    if repeated.is_empty() {
        return None;
    }
    let once: String = parts.into_iter().map(|(_, part)| part).collect();
    let note = format!("{} stood there more than once; the last one holds", repeated.join(", "));
    fields_in(&once, first_line).ok().map(|fields| (fields, vec![note]))
}

/// The fields of YAML in which a text for people has quotes that a shell script did not escape: it is read as it stands.
fn with_bare_texts(yaml: &str, first_line: usize) -> Option<(Map<String, Value>, Vec<String>)> {
    const TEXTS: &[&str] = &["objective", "phase_objective", "summary", "issue"];
    let (mut kept, mut bare, mut notes) = (String::new(), Map::new(), Vec::new());
    for (i, line) in yaml.lines().enumerate() {
        let text = line.split_once(':').filter(|(key, _)| TEXTS.contains(key));
        match text.filter(|_| fields_in(&format!("{line}\n"), 1).is_err()) {
            Some((key, value)) => {
                let value = value.trim();
                let inner = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
                bare.insert(key.to_owned(), inner.into());
                notes.push(format!("line {} is not YAML; {key} is read as {inner:?}", first_line + i));
            }
            None => kept.push_str(&format!("{line}\n")),
        }
    }
    let mut fields = fields_in(&kept, first_line).ok()?;
    if bare.is_empty() {
        return None;
    }
    fields.extend(bare);
    Some((fields, notes))
}

/// A line without the marks of the quotations that it stands in.
fn unquoted(line: &str) -> &str {
    match line.trim_start().strip_prefix('>') {
        Some(inside) => unquoted(inside.strip_prefix(' ').unwrap_or(inside)),
        None => line,
    }
}

/// `**Current Phase:** build` as fields; the first of a name holds, and code and comments say nothing.
fn bold_fields(body: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut conditions = Conditions::default();
    // Quoted fields count, and so does quoted code.
    let unquoted: String = body.lines().map(|line| format!("{}\n", unquoted(line))).collect();
    for line in lines(&unquoted).all.iter().filter(|line| !line.hidden) {
        conditions.read(line.text);
        let line = line.text.trim_start_matches([' ', '\t', '-', '*']).trim();
        let Some((name, value)) = line.split_once(':') else { continue };
        // The stars before the name are gone with the list marks; those behind it say that it was bold.
        let bold = name.ends_with("**") || value.starts_with("**");
        let value = value.trim_start_matches('*').trim();
        if !bold || value.is_empty() {
            continue;
        }
        let key = match words::plain(name).as_str() {
            "current_phase" | "phase" => "current_phase".to_owned(),
            "started" | "start" => "started_at".to_owned(),
            "completed" | "finished" => "completed_at".to_owned(),
            "updated" | "last_update" => "last_updated".to_owned(),
            "feature" | "goal" => "objective".to_owned(),
            "task" => "current_task".to_owned(),
            "debate" => "debate_id".to_owned(),
            other => other.to_owned(),
        };
        match value.split_once(" (").and_then(|(phase, rest)| Some((phase, rest.strip_suffix(')')?))) {
            Some((phase, status)) if key == "current_phase" => {
                fields.entry("phase_status").or_insert_with(|| status.into());
                fields.entry(key).or_insert_with(|| phase.into());
            }
            _ => {
                fields.entry(key).or_insert_with(|| value.into());
            }
        }
    }
    conditions.hold(&mut fields);
    fields
}

/// The exit conditions of a phase in Markdown: boxes below their label or heading.
#[derive(Default)]
struct Conditions {
    is_below: bool,
    open: Vec<Value>,
}

impl Conditions {
    fn read(&mut self, line: &str) {
        let line = line.trim();
        let is_item = line.starts_with(['-', '*', '+', '[']) && !line.starts_with("**")
            || line.starts_with(|c: char| c.is_ascii_digit());
        if is_item {
            let marks = |c: char| matches!(c, '-' | '*' | '+' | ' ' | '.' | ')') || c.is_ascii_digit();
            let text = line.trim_start_matches(marks).strip_prefix("[ ]").map(str::trim);
            self.open.extend(text.filter(|text| self.is_below && !text.is_empty()).map(Value::from));
        } else if !line.is_empty() {
            let label = line.trim_matches(['#', '*', ':', ' ']);
            self.is_below = matches!(words::plain(label).as_str(), "exit_conditions" | "exit_criteria");
        }
    }

    /// What is open is a task of the phase, which is then not done, whatever its status says.
    fn hold(self, fields: &mut Map<String, Value>) {
        if self.open.is_empty() {
            return;
        }
        let is_done = |said: &Value| {
            let said = said.as_str().map(words::plain);
            said.is_some_and(|said| matches!(said.as_str(), "complete" | "completed" | "done" | "handoff_ready"))
        };
        for key in ["status", "phase_status"] {
            if fields.get(key).is_some_and(is_done) {
                fields.insert(key.to_owned(), "in_progress".into());
            }
        }
        fields.insert("pending_tasks".to_owned(), Value::Array(self.open));
    }
}
