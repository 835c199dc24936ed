//! Question files: S3's debate context, a question prepared by another tool.
//!
//! ```yaml
//! debate_context:
//!   question_id: "offline"
//!   question_text: "..."
//!   options: [{id, label, description}]
//!   spec_context: |
//!     ...
//!   feature_name: "..."
//!   feature_dir: "docs/feature"
//! debate_config:            # beside it or in it
//!   max_rounds: 2
//! ```
//!
//! The outer name may be missing, and the question may be a mapping `question: {id, text, options}` whose options have a
//! description and no label. A template that nobody filled in is refused, with every blank; what is not used is named.

use super::scalar;
use forge_debate::plan::{Choice, LABEL_LIMIT_BYTES, OptionId, letter};
use forge_prose::blanks::is_placeholder;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The most blanks that are named.
const BLANKS_LIMIT: usize = 20;

const CONTEXT: &str = "debate_context";
/// The group of settings that a question may bring along.
pub const CONFIG: &str = "debate_config";
const EXPECTED: &str = "expected debate_context with question_text and options (or question with id, text and options)";

/// A question as another tool prepared it.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Its id, which names the debate's files.
    pub id: Option<String>,
    /// The question.
    pub text: String,
    /// The options.
    pub options: Vec<Choice>,
    /// An excerpt of the specification.
    pub context: Option<String>,
    /// The feature's name.
    pub feature_name: Option<String>,
    /// Where the feature's files are.
    pub feature_dir: Option<String>,
    /// How the debate is to be held, as it is written: names, values and lines of `debate_config`.
    pub config: Vec<(String, Value, usize)>,
    /// Keys that mean nothing here.
    pub unused: Vec<String>,
}

/// Reads a question file: YAML or JSON.
pub fn read(text: &str) -> Result<Question, String> {
    let value: Value = crate::yaml::read(text, 1).map_err(|defect| format!("line {}: {}", defect.line, defect.text))?;
    let Value::Object(outer) = &value else { return Err(EXPECTED.to_owned()) };
    refuse_blanks(text, &value)?;
    let context = match outer.get(CONTEXT) {
        None => outer,
        Some(Value::Object(inner)) => inner,
        Some(_) => return Err(format!("line {}: {CONTEXT} is not a mapping; {EXPECTED}", line_of(text, CONTEXT))),
    };
    let asked = match context.get("question") {
        Some(Value::Object(inner)) => Some(inner),
        _ => None,
    };
    let find = |names: &[(&Map<String, Value>, &str)]| names.iter().find_map(|(map, name)| scalar(map, name));
    let inner = asked.unwrap_or(context);
    let question =
        find(&[(context, "question_text"), (context, "question"), (inner, "text"), (inner, "question_text")]);
    let question = question.filter(|text| !text.trim().is_empty()).ok_or_else(|| {
        let found: Vec<&str> = outer.keys().map(String::as_str).collect();
        match outer.contains_key(CONTEXT) || context.contains_key("question_text") || asked.is_some() {
            true => "question_text is missing or empty".to_owned(),
            false => {
                format!("{EXPECTED}; found {}", if found.is_empty() { "nothing".to_owned() } else { found.join(", ") })
            }
        }
    })?;
    let options = match context.get("options").or_else(|| inner.get("options")) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(rows)) => rows.iter().enumerate().map(|(i, row)| option(i, row)).collect::<Result<_, _>>()?,
        Some(_) => return Err(format!("line {}: options is not a list", line_of(text, "options"))),
    };
    Ok(Question {
        id: find(&[(context, "question_id"), (inner, "question_id"), (inner, "id")]),
        text: question,
        options,
        context: find(&[(context, "spec_context"), (inner, "spec_context")]).filter(|text| !text.trim().is_empty()),
        feature_name: find(&[(context, "feature_name"), (outer, "feature_name")]),
        feature_dir: find(&[(context, "feature_dir"), (outer, "feature_dir")]),
        config: config(text, [outer, context])?,
        unused: unused(outer, context, asked),
    })
}

/// An option: a text, or a mapping with a label. Where only a description is there, it is the label.
fn option(i: usize, row: &Value) -> Result<Choice, String> {
    let row = match row {
        Value::String(label) => {
            return Ok(Choice { id: letter(i), label: label.clone(), description: String::new() });
        }
        Value::Object(row) => row,
        _ => return Err(format!("options[{i}] is neither a text nor a mapping")),
    };
    let description = scalar(row, "description").unwrap_or_default();
    let (label, description) = match scalar(row, "label").or_else(|| scalar(row, "name")) {
        Some(label) => (label, description),
        None if description.trim().is_empty() => {
            return Err(format!("options[{i}] has neither a label nor a description"));
        }
        None => {
            let name = name_of(description.trim()).to_owned();
            let rest = if name == description.trim() { String::new() } else { description };
            (name, rest)
        }
    };
    Ok(Choice { id: scalar(row, "id").map_or_else(|| letter(i), OptionId::new), label, description })
}

/// What a description calls its option: all of it, or what stands before the first dash, colon or full stop where it is long.
fn name_of(description: &str) -> &str {
    const SHORT_CHARS: usize = 80;
    if description.chars().count() <= SHORT_CHARS && !description.contains('\n') {
        return description;
    }
    let marks = [" - ", " – ", " — ", ": ", ". ", "; ", "\n"];
    let end = marks.iter().filter_map(|mark| description.find(mark)).min().unwrap_or(description.len());
    let mut end = end.min(LABEL_LIMIT_BYTES);
    while !description.is_char_boundary(end) {
        end -= 1;
    }
    description[..end].trim()
}

/// The settings, beside the context or in it.
fn config(text: &str, places: [&Map<String, Value>; 2]) -> Result<Vec<(String, Value, usize)>, String> {
    let Some(found) = places.iter().find_map(|place| place.get(CONFIG)) else { return Ok(Vec::new()) };
    let at = line_of(text, CONFIG);
    match found {
        Value::Null => Ok(Vec::new()),
        Value::Object(settings) => {
            let lines = lines_of(settings, text, at);
            let row = |(name, value): (&String, &Value)| {
                (name.clone(), value.clone(), lines.get(name.as_str()).copied().unwrap_or(at))
            };
            Ok(settings.iter().map(row).collect())
        }
        _ => Err(format!("line {at}: {CONFIG} is not a mapping")),
    }
}

/// The lines of these settings, from line `at` on: one pass for all of them.
fn lines_of<'s>(settings: &'s Map<String, Value>, text: &str, at: usize) -> BTreeMap<&'s str, usize> {
    let mut found = BTreeMap::new();
    for (index, line) in text.lines().enumerate().skip(at.saturating_sub(1)) {
        // A line may have several keys, as JSON does.
        for name in line.split(':').filter_map(last_name) {
            if let Some((name, _)) = settings.get_key_value(name) {
                found.entry(name.as_str()).or_insert(index + 1);
            }
        }
    }
    found
}

/// The name right before a colon: `max_rounds`, or `"max_rounds"`.
fn last_name(before: &str) -> Option<&str> {
    let bare = before.trim_end().trim_end_matches(['"', '\'']);
    let start = bare.rfind(|c: char| c.is_whitespace() || matches!(c, '{' | ',' | '"' | '\'')).map_or(0, |at| at + 1);
    bare.get(start..).filter(|name| !name.is_empty())
}

fn unused(outer: &Map<String, Value>, context: &Map<String, Value>, asked: Option<&Map<String, Value>>) -> Vec<String> {
    const OUTER: &[&str] = &[CONTEXT, CONFIG, "feature_name", "feature_dir"];
    const INNER: &[&str] = &[
        "question_id",
        "question_text",
        "question",
        "id",
        "text",
        "options",
        "spec_context",
        "feature_name",
        "feature_dir",
        CONFIG,
    ];
    const OPTION: &[&str] = &["id", "label", "name", "description"];
    let mut names: Vec<String> = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut add = |place: &str, map: &Map<String, Value>, known: &[&str]| {
        for name in map.keys().filter(|name| !known.contains(&name.as_str())) {
            let name = if place.is_empty() { name.clone() } else { format!("{place}.{name}") };
            if seen.insert(name.clone()) {
                names.push(name);
            }
        }
    };
    let is_wrapped = outer.contains_key(CONTEXT);
    if is_wrapped {
        add("", outer, OUTER);
    }
    add(if is_wrapped { CONTEXT } else { "" }, context, INNER);
    if let Some(asked) = asked {
        add("question", asked, INNER);
    }
    let options = context.get("options").or_else(|| asked.and_then(|asked| asked.get("options")));
    for row in options.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object) {
        add("options", row, OPTION);
    }
    names
}

/// Refuses a template that nobody filled in, with every blank and its line.
fn refuse_blanks(text: &str, value: &Value) -> Result<(), String> {
    let mut blanks: Vec<(String, String)> = Vec::new();
    collect(value, String::new(), &mut blanks);
    if blanks.is_empty() {
        return Ok(());
    }
    let more = blanks.len().saturating_sub(BLANKS_LIMIT);
    blanks.truncate(BLANKS_LIMIT);
    let mut lines: Vec<String> = Vec::new();
    for (i, (name, blank)) in blanks.iter().enumerate() {
        let before = blanks[..i].iter().filter(|(_, other)| other == blank).count();
        let written = blank.lines().next().unwrap_or_default().trim();
        let at = text.lines().enumerate().filter(|(_, line)| line.contains(written)).nth(before);
        let place = at.map(|(index, _)| format!("line {}: ", index + 1)).unwrap_or_default();
        lines.push(format!("{place}{name} is {written}"));
    }
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    Err(format!("this is a template that is not filled in:\n  {}", lines.join("\n  ")))
}

/// Every value in braces, or in another bracket, that is nothing but a blank.
fn collect(value: &Value, path: String, blanks: &mut Vec<(String, String)>) {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        Value::String(text) if text.contains(['{', '[', '<']) && is_placeholder(text) => {
            let path = path.strip_prefix("debate_context.").unwrap_or(&path).to_owned();
            blanks.push((path, text.trim().to_owned()));
        }
        Value::Array(rows) => {
            rows.iter().enumerate().for_each(|(i, row)| collect(row, format!("{path}[{i}]"), blanks));
        }
        Value::Object(map) => map.iter().for_each(|(name, value)| collect(value, below(name), blanks)),
        _ => {}
    }
}

/// The line of the first key of that name.
fn line_of(text: &str, name: &str) -> usize {
    text.lines().position(|line| is_key(line, name)).map_or(1, |index| index + 1)
}

fn is_key(line: &str, name: &str) -> bool {
    let bare = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '{' | '"' | '\'' | ','));
    let rest = bare.strip_prefix(name).map(|rest| rest.trim_start_matches(['"', '\'']).trim_start());
    rest.is_some_and(|rest| rest.starts_with(':')) || line.contains(&format!("\"{name}\":"))
}
