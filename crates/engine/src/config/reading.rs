//! From one file's text to settings, with what is wrong with it. Nothing is refused by throwing it away: every mistake is
//! named, with its line, so that all of them can be mended at once.

use super::keys::{self, KEYS, Key, SetBy};
use super::{Remark, trust};
use forge_debate::plan::nearest;
use forge_prose::secrets::redacted;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The most characters of a wrong value that are shown.
const SHOWN_CHARS: usize = 60;
/// The most remarks on one file; a file with more is not a configuration.
const REMARKS_LIMIT: usize = 50;

/// One value of one file.
#[derive(Debug)]
pub(super) struct Setting {
    pub(super) names: Vec<String>,
    pub(super) key: &'static Key,
    pub(super) value: Value,
    pub(super) line: usize,
}

/// What one file says.
#[derive(Debug, Default)]
pub(super) struct Layer {
    pub(super) settings: Vec<Setting>,
    pub(super) warnings: Vec<Remark>,
    pub(super) problems: Vec<Remark>,
}

/// How a file is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a> {
    /// Its name for people.
    pub(super) file: &'a str,
    /// Whose it is.
    pub(super) whose: SetBy,
    /// Where what only a user may say belongs.
    pub(super) users_file: &'a str,
    /// What `~/` is.
    pub(super) home: Option<&'a str>,
}

type Members<'t> = BTreeMap<String, &'t RawValue>;

impl Reader<'_> {
    /// Reads a file's text.
    pub(super) fn read(&self, text: &str) -> Layer {
        let mut layer = Layer::default();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() {
            return layer;
        }
        match serde_json::from_str::<Value>(text) {
            Err(error) => {
                let said = error.to_string();
                let what = said.rsplit_once(" at line ").map_or(said.as_str(), |(what, _)| what);
                // A parser may quote what it stumbled over.
                let what = format!("column {}: not JSON: {}", error.column(), redacted(what));
                layer.problems.push(self.remark(error.line(), what));
            }
            Ok(Value::Object(_)) => {
                let lines = Lines::of(text);
                self.look_for_keys(&lines, &mut layer);
                if let Ok(members) = serde_json::from_str::<Members<'_>>(text) {
                    self.walk(&lines, &members, &mut Vec::new(), &mut layer);
                }
                // An address with a password is refused as an address already, which says more.
                let told: Vec<String> = layer.problems.iter().map(|problem| problem.text.clone()).collect();
                let is_told = |text: &str| {
                    let path = text.split_once(": what looks like a key").map(|(path, _)| format!("{path}: expected "));
                    path.is_some_and(|path| told.iter().any(|other| other.starts_with(&path)))
                };
                layer.problems.retain(|problem| !is_told(&problem.text));
            }
            Ok(other) => {
                layer.problems.push(self.remark(1, format!("expected an object of keys, found {}", found(&other))));
            }
        }
        for remarks in [&mut layer.warnings, &mut layer.problems] {
            let more = remarks.len().saturating_sub(REMARKS_LIMIT);
            remarks.truncate(REMARKS_LIMIT);
            remarks.sort_by_key(|remark| remark.line);
            if more > 0 {
                remarks.push(Remark { file: self.file.to_owned(), line: None, text: format!("and {more} more") });
            }
        }
        layer
    }

    fn remark(&self, line: usize, text: String) -> Remark {
        Remark { file: self.file.to_owned(), line: Some(line), text }
    }

    fn walk(&self, lines: &Lines<'_>, members: &Members<'_>, names: &mut Vec<String>, layer: &mut Layer) {
        for (name, raw) in members {
            names.push(name.clone());
            let line = lines.line_of(raw);
            let value = serde_json::from_str::<Value>(raw.get()).unwrap_or_default();
            if value.is_null() {
                // As if nothing were said.
            } else if let Some(key) = keys::find(names) {
                match self.setting(key, names, value, line) {
                    Ok(setting) => layer.settings.push(setting),
                    Err(problem) => layer.problems.push(self.remark(line, problem)),
                }
            } else if KEYS.iter().any(|key| key.begins_with(names)) {
                match serde_json::from_str::<Members<'_>>(raw.get()) {
                    Ok(members) => self.walk(lines, &members, names, layer),
                    Err(_) => {
                        let problem = format!("{}: expected an object, found {}", names.join("."), found(&value));
                        layer.problems.push(self.remark(line, problem));
                    }
                }
            } else if names.first().is_some_and(|first| first == "debate_config") {
                // Nobody else keeps anything there.
                layer.problems.push(self.remark(line, unknown(names)));
            } else if !(value.is_string() && trust::is_named_like_a_key(name)) {
                // What will not be recited need not be thought about.
                let said = if layer.warnings.len() < REMARKS_LIMIT { unknown(names) } else { String::new() };
                layer.warnings.push(self.remark(line, said));
            }
            names.pop();
        }
    }

    fn setting(&self, key: &'static Key, names: &[String], value: Value, line: usize) -> Result<Setting, String> {
        let path = names.join(".");
        if self.whose == SetBy::Anyone && key.set_by == SetBy::User {
            return Err(format!(
                "{path}: a project may not set this, since whoever wrote the project would decide it for you; it belongs in your own configuration, {}",
                self.users_file
            ));
        }
        let checked = key
            .kind
            .check(&value, self.home)
            .ok_or_else(|| format!("{path}: expected {}, found {}", key.kind.expected(), found(&value)))?;
        if self.whose == SetBy::Anyone {
            trust::check_projects_value(key, &checked).map_err(|problem| {
                format!("{path}: {problem}; it belongs in your own configuration, {}", self.users_file)
            })?;
        }
        Ok(Setting { names: names.to_vec(), key, value: checked, line })
    }

    /// Refuses keys, wherever they stand.
    fn look_for_keys(&self, lines: &Lines<'_>, layer: &mut Layer) {
        // By line, with the path of the value that it stands in.
        let mut shaped: BTreeMap<usize, String> = BTreeMap::new();
        for (index, line) in lines.text.lines().enumerate() {
            if redacted(line) != line {
                shaped.insert(index + 1, String::new());
            }
        }
        let mut named: BTreeMap<usize, String> = BTreeMap::new();
        visit(lines.text, &mut Vec::new(), &mut |names, raw| {
            let line = lines.line_of(raw);
            let value = match serde_json::from_str::<Value>(raw.get()) {
                Ok(Value::String(value)) => value,
                // An entry may announce a key that stands on a line of its own.
                Ok(Value::Array(list)) => {
                    if super::holds_key(&list) && shaped.range(lines.of_part(raw)).next().is_none() {
                        shaped.insert(line, redacted(&names.join(".")));
                    }
                    return;
                }
                _ => return,
            };
            if redacted(&value) != value {
                shaped.insert(line, redacted(&names.join(".")));
            }
            let is_key =
                names.last().is_some_and(|name| trust::is_named_like_a_key(name)) && keys::find(names).is_none();
            if is_key && !value.trim().is_empty() {
                named.insert(line, redacted(&names.join(".")));
            }
        });
        let advice = format!(
            "keys come from the environment, or from key_env or key_command in your own configuration, {}",
            self.users_file
        );
        for (line, path) in shaped {
            // What announces its value is known by its name.
            let path = named.remove(&line).filter(|_| path.is_empty()).unwrap_or(path);
            let path = if path.is_empty() { path } else { format!("{path}: ") };
            layer
                .problems
                .push(self.remark(line, format!("{path}what looks like a key stands in this file; {advice}")));
        }
        for (line, path) in named {
            layer.problems.push(self.remark(line, format!("{path}: a key may not stand in this file; {advice}")));
        }
    }
}

/// Shows every member and every entry, with the names that lead to it.
fn visit(raw: &str, names: &mut Vec<String>, see: &mut dyn FnMut(&[String], &RawValue)) {
    if let Ok(members) = serde_json::from_str::<Members<'_>>(raw) {
        for (name, raw) in members {
            names.push(name);
            see(names, raw);
            visit(raw.get(), names, see);
            names.pop();
        }
    } else if let Ok(entries) = serde_json::from_str::<Vec<&RawValue>>(raw) {
        for raw in entries {
            see(names, raw);
            visit(raw.get(), names, see);
        }
    }
}

/// Where the lines of a text begin.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        Self { text, starts: text.match_indices('\n').map(|(index, _)| index + 1).collect() }
    }

    /// The line on which a part of the text begins.
    fn line_of(&self, part: &RawValue) -> usize {
        self.line_at(part.get())
    }

    /// The lines that a part of the text has.
    fn of_part(&self, part: &RawValue) -> std::ops::RangeInclusive<usize> {
        self.line_of(part)..=self.line_at(&part.get()[part.get().len()..])
    }

    fn line_at(&self, part: &str) -> usize {
        let offset = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        1 + self.starts.partition_point(|start| *start <= offset)
    }
}

/// What is said about a key that there is not.
pub(super) fn unknown(names: &[String]) -> String {
    let path = redacted(&names.join("."));
    let (name, above) = names.split_last().map_or(("", names), |(name, above)| (name.as_str(), above));
    let level = |key: &&Key| key.begins_with(above);
    let beside: Vec<&str> =
        KEYS.iter().filter(level).filter_map(|key| key.names().nth(above.len())).filter(|name| *name != "*").collect();
    // `timeout` is far from `timeout_seconds` in letters, and near in meaning.
    let begun = || beside.iter().copied().find(|key| key.split_once('_').is_some_and(|(first, _)| first == name));
    let near = nearest(name, beside.iter().copied()).or_else(begun).map(|near| {
        let mut path = above.to_vec();
        path.push(near.to_owned());
        path.join(".")
    });
    let elsewhere = || {
        let same = KEYS.iter().find(|key| key.names().last() == Some(name));
        same.map(|key| key.path.replace('*', "NAME"))
    };
    match near.or_else(elsewhere) {
        Some(near) => format!("unknown key {path}; did you mean {near}?"),
        None => format!("unknown key {path}; `forge config` shows all that there are"),
    }
}

/// What stands there instead, without anything secret.
fn found(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(on) => on.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => {
            let text = redacted(text);
            let short: String = text.chars().take(SHOWN_CHARS).collect();
            let dots = if short.len() < text.len() { "…" } else { "" };
            format!("{short:?}{dots}")
        }
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
