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
//! ```

use super::scalar;
use forge_debate::plan::{Choice, OptionId, letter};
use serde_json::Value;

/// A question as another tool prepared it.
#[derive(Debug, Clone, PartialEq, Eq)]
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
}

/// Reads a question file: YAML or JSON, with or without the outer `debate_context`.
pub fn read(text: &str) -> Result<Question, String> {
    let value: Value = crate::yaml::read(text, 1).map_err(|defect| format!("line {}: {}", defect.line, defect.text))?;
    let map = match &value {
        Value::Object(outer) => match outer.get("debate_context") {
            Some(Value::Object(inner)) => inner,
            _ => outer,
        },
        _ => return Err("expected a mapping with question_text and options".to_owned()),
    };
    let question = scalar(map, "question_text")
        .or_else(|| scalar(map, "question"))
        .filter(|text| !text.trim().is_empty())
        .ok_or("question_text is missing or empty")?;
    let options = match map.get("options") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(rows)) => rows
            .iter()
            .enumerate()
            .map(|(i, row)| match row {
                Value::String(label) => Ok(Choice { id: letter(i), label: label.clone(), description: String::new() }),
                Value::Object(row) => Ok(Choice {
                    id: scalar(row, "id").map_or_else(|| letter(i), OptionId::new),
                    label: scalar(row, "label").ok_or_else(|| format!("options[{i}].label is missing"))?,
                    description: scalar(row, "description").unwrap_or_default(),
                }),
                _ => Err(format!("options[{i}] is neither a text nor a mapping")),
            })
            .collect::<Result<_, String>>()?,
        Some(_) => return Err("options is not a list".to_owned()),
    };
    Ok(Question {
        id: scalar(map, "question_id"),
        text: question,
        options,
        context: scalar(map, "spec_context").filter(|text| !text.trim().is_empty()),
        feature_name: scalar(map, "feature_name"),
        feature_dir: scalar(map, "feature_dir"),
    })
}
