//! Agent Orchestrator works in worktrees of their own, made from what is committed. One line of its configuration lets all of
//! them see the same `docs/forge`: this puts it in and takes it out, and changes no other byte.

use super::project::{Change, Line};
use crate::workspace::EngineError;
use forge_artifacts::disk::{Disk, WorkspaceDisk};
use forge_artifacts::yaml;
use serde_json::Value;

/// The names of the configuration.
const FILES: [&str; 2] = ["agent-orchestrator.yaml", "agent-orchestrator.yml"];
const KEY: &str = "symlinks";
const SHARED: &str = "docs/forge";

/// What is wrong where it is not installed.
pub const MISSING: &str = "agent-orchestrator.yaml does not link docs/forge, so sessions of ao would not see it";

/// Whether the line is there.
pub fn is_installed(disk: &WorkspaceDisk) -> Result<bool, EngineError> {
    let Some((file, text)) = found(disk)? else { return Ok(false) };
    let block = Block::of(disk, &file, &text)?;
    is_linked(&file, &text, &block.name)
}

/// What becomes of the configuration.
pub fn plan(disk: &WorkspaceDisk, remove: bool) -> Result<Line, EngineError> {
    let Some((file, text)) = found(disk)? else {
        return Err(EngineError::Usage(format!(
            "there is no {} here: run it where ao's configuration lies, or add `{KEY}: [{SHARED}]` to the project's entry there. The ao that is written in Go has no such file: give it --symlink {SHARED} when you add the project",
            FILES[0]
        )));
    };
    let block = Block::of(disk, &file, &text)?;
    if is_linked(&file, &text, &block.name)? != remove {
        return Ok(Line { path: file, change: Change::Same, text: None });
    }
    let edited = if remove { block.without(&text) } else { block.with(&text) };
    // Whatever was read into the lines: the file must say what is wanted, and nothing else may have changed.
    let edited = edited.filter(|edited| is_the_same_but_for_it(&file, &text, edited, &block.name, !remove));
    let Some(edited) = edited else {
        let (verb, line) = if remove { ("take out", block.first) } else { ("add", block.first) };
        return Err(EngineError::Usage(format!(
            "{file}:{line}: forge cannot edit this entry line by line. Please {verb} this yourself, below {}: {KEY}: [{SHARED}]",
            block.name
        )));
    };
    Ok(Line { path: file, change: Change::Edited, text: Some(edited) })
}

/// Writes what was planned.
pub fn write(disk: &WorkspaceDisk, line: &Line) -> Result<(), EngineError> {
    if let Some(text) = &line.text {
        disk.replace(&line.path, text.as_bytes())?;
    }
    Ok(())
}

fn found(disk: &WorkspaceDisk) -> Result<Option<(String, String)>, EngineError> {
    for file in FILES {
        if let Some(bytes) = disk.read(file)? {
            let text = String::from_utf8(bytes)
                .map_err(|_| EngineError::Usage(format!("{file} is not UTF-8; save it as UTF-8, then run it again")))?;
            return Ok(Some((file.to_owned(), text)));
        }
    }
    Ok(None)
}

fn read(file: &str, text: &str) -> Result<Value, EngineError> {
    yaml::read(text, 1).map_err(|problem| EngineError::Usage(format!("{file}:{}: {}", problem.line, problem.text)))
}

fn is_linked(file: &str, text: &str, project: &str) -> Result<bool, EngineError> {
    let value = read(file, text)?;
    Ok(linked(&value, project).iter().any(|path| path.trim_end_matches('/') == SHARED))
}

fn linked<'v>(value: &'v Value, project: &str) -> Vec<&'v str> {
    let list = value.get("projects").and_then(|all| all.get(project)?.get(KEY)?.as_array());
    list.into_iter().flatten().filter_map(Value::as_str).collect()
}

fn is_the_same_but_for_it(file: &str, before: &str, after: &str, project: &str, is_there: bool) -> bool {
    let (Ok(mut before), Ok(mut after)) = (read(file, before), read(file, after)) else { return false };
    let is_done = linked(&after, project).contains(&SHARED) == is_there;
    for value in [&mut before, &mut after] {
        let entry = value.get_mut("projects").and_then(|all| all.get_mut(project)).and_then(Value::as_object_mut);
        let Some(entry) = entry else { return false };
        let list = entry.remove(KEY).and_then(|list| list.as_array().cloned()).unwrap_or_default();
        let others: Vec<Value> = list.into_iter().filter(|item| item.as_str() != Some(SHARED)).collect();
        entry.insert(KEY.to_owned(), Value::Array(others));
    }
    is_done && before == after
}

/// The entry of this project, as lines of the file.
struct Block {
    name: String,
    /// Its first line, from 1.
    first: usize,
    /// Behind its last line that says something.
    end: usize,
    /// How far its keys are indented.
    indent: usize,
}

impl Block {
    fn of(disk: &WorkspaceDisk, file: &str, text: &str) -> Result<Self, EngineError> {
        let value = read(file, text)?;
        let projects = value.get("projects").and_then(Value::as_object);
        let projects = projects.filter(|all| !all.is_empty()).ok_or_else(|| {
            EngineError::Usage(format!("{file}: there are no projects in it; add this one with ao first"))
        })?;
        let root = disk.root().canonicalize().unwrap_or_else(|_| disk.root().to_owned());
        let is_here = |entry: &Value| {
            let path = entry.get("path").and_then(Value::as_str).unwrap_or_default();
            let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            root.join(path).canonicalize().is_ok_and(|path| path == root)
                || (path.starts_with("~/") && root.file_name().is_some_and(|own| own.to_string_lossy() == name))
        };
        let mut here = projects.iter().filter(|(_, entry)| is_here(entry)).map(|(name, _)| name);
        let only = (projects.len() == 1).then(|| projects.keys().next()).flatten();
        let name = match (here.next(), here.next()) {
            (Some(name), None) => Some(name),
            _ => only,
        };
        let Some(name) = name else {
            let names: Vec<&str> = projects.keys().map(String::as_str).collect();
            return Err(EngineError::Usage(format!(
                "{file}: which of {} is this folder? Give it `path: {}`, or add `{KEY}: [{SHARED}]` to it yourself",
                names.join(", "),
                root.display()
            )));
        };
        Self::at(text, name).ok_or_else(|| {
            EngineError::Usage(format!(
                "{file}: forge cannot find the lines of the project {name}; add `{KEY}: [{SHARED}]` to it yourself"
            ))
        })
    }

    fn at(text: &str, name: &str) -> Option<Self> {
        let lines: Vec<&str> = text.lines().collect();
        let top = lines.iter().position(|line| is_key(line, 0, "projects"))?;
        let says = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let depth = indent(lines.iter().skip(top + 1).find(|line| says(line))?);
        let first = (top + 1..lines.len()).find(|at| is_key(lines[*at], depth, name))?;
        let inner = lines.iter().enumerate().skip(first + 1).filter(|(_, line)| says(line));
        let inner: Vec<(usize, usize)> =
            inner.map(|(at, line)| (at, indent(line))).take_while(|(_, own)| *own > depth).collect();
        let (last, _) = inner.last()?;
        Some(Self { name: name.to_owned(), first: first + 1, end: last + 1, indent: inner.first()?.1 })
    }

    /// Where the list begins, and the line behind it.
    fn list(&self, lines: &[&str]) -> Option<(usize, usize)> {
        let at = (self.first..self.end).find(|at| is_key(lines[*at], self.indent, KEY))?;
        let is_item = |line: &str| line.trim_start().starts_with("- ") && indent(line) >= self.indent;
        let end = (at + 1..self.end).find(|at| !is_item(lines[*at])).unwrap_or(self.end);
        Some((at, end))
    }

    fn with(&self, text: &str) -> Option<String> {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let lines: Vec<&str> = text.lines().collect();
        let Some((at, end)) = self.list(&lines) else {
            return Some(inserted(text, self.end, &format!("{}{KEY}: [{SHARED}]", " ".repeat(self.indent)), newline));
        };
        if end > at + 1 {
            return Some(inserted(text, end, &format!("{}- {SHARED}", " ".repeat(indent(lines[at + 1]))), newline));
        }
        let (open, close) = (lines[at].find('[')?, lines[at].rfind(']')?);
        let comma = if lines[at].get(open + 1..close)?.trim().is_empty() { "" } else { ", " };
        Some(replaced(text, at, &format!("{}{comma}{SHARED}{}", &lines[at][..close], &lines[at][close..])))
    }

    fn without(&self, text: &str) -> Option<String> {
        let lines: Vec<&str> = text.lines().collect();
        let (at, end) = self.list(&lines)?;
        if end > at + 1 {
            let item = (at + 1..end).find(|at| lines[*at].trim().trim_start_matches("- ").trim() == SHARED)?;
            let cut = without_line(text, item);
            return Some(if end == at + 2 { without_line(&cut, at) } else { cut });
        }
        let (open, close) = (lines[at].find('[')?, lines[at].rfind(']')?);
        let items: Vec<&str> = lines[at].get(open + 1..close)?.split(',').collect();
        let rest: Vec<&str> = items.iter().copied().filter(|item| item.trim() != SHARED).collect();
        // An entry that has nothing else would be none without it.
        if rest.is_empty() && self.end > self.first + 1 {
            return Some(without_line(text, at));
        }
        Some(replaced(
            text,
            at,
            &format!("{}{}{}", &lines[at][..=open], rest.join(",").trim_start(), &lines[at][close..]),
        ))
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn is_key(line: &str, at: usize, key: &str) -> bool {
    let bare = line.trim_start_matches(' ');
    let name = bare.split_once(':').map_or("", |(name, _)| name.trim_end().trim_matches(['"', '\'']));
    indent(line) == at && name == key
}

/// The lines with their ends.
fn whole_lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn inserted(text: &str, at: usize, line: &str, newline: &str) -> String {
    let lines = whole_lines(text);
    let before: String = lines[..at].concat();
    let after: String = lines[at..].concat();
    match before.ends_with('\n') {
        true => format!("{before}{line}{newline}{after}"),
        // The last line of a file without an end.
        false => format!("{before}{newline}{line}{after}"),
    }
}

fn replaced(text: &str, at: usize, line: &str) -> String {
    let lines = whole_lines(text);
    let end = &lines[at][lines[at].trim_end_matches(['\r', '\n']).len()..];
    format!("{}{line}{end}{}", lines[..at].concat(), lines[at + 1..].concat())
}

fn without_line(text: &str, at: usize) -> String {
    let lines = whole_lines(text);
    let (before, after) = (lines[..at].concat(), lines[at + 1..].concat());
    // The line before was the last one, and had no end.
    match lines[at].ends_with('\n') {
        true => format!("{before}{after}"),
        false => before.trim_end_matches(['\r', '\n']).to_owned() + &after,
    }
}
