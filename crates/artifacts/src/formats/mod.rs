//! One file, one format. Described for readers in `docs/formats.md`.

pub mod active_workflow;
pub mod adr;
mod boxes;
pub mod brief;
pub mod call;
pub mod commitment;
pub mod details;
mod front_lists;
pub mod handoff;
pub mod html;
pub mod knowledge;
pub mod money;
mod outcome;
pub mod phase_document;
pub mod picture;
pub mod plan;
pub mod proof;
pub mod question;
pub mod report;
pub mod result;
pub mod state;
pub mod summary;
pub mod transcript;
pub mod turn;
pub mod verdict;
pub mod workflow_file;
pub mod workflow_record;

use crate::yaml::quoted;
use std::fmt::Write as _;

/// Front matter as it is written: scalars in a fixed order, texts always quoted.
#[derive(Debug, Default)]
pub(crate) struct FrontMatter(String);

impl FrontMatter {
    pub(crate) fn text(mut self, key: &str, value: &str) -> Self {
        let _ = writeln!(self.0, "{key}: {}", quoted(value));
        self
    }

    pub(crate) fn maybe(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self.raw(key, "null"),
        }
    }

    pub(crate) fn number(self, key: &str, value: impl std::fmt::Display) -> Self {
        self.raw(key, &value.to_string())
    }

    pub(crate) fn maybe_number(self, key: &str, value: Option<impl std::fmt::Display>) -> Self {
        let written = value.map_or_else(|| "null".to_owned(), |value| value.to_string());
        self.raw(key, &written)
    }

    /// Lines that are YAML already.
    pub(crate) fn raw(mut self, key: &str, value: &str) -> Self {
        let _ = writeln!(self.0, "{key}: {value}");
        self
    }

    /// A list of records under a key, each a list of (key, text).
    pub(crate) fn records(mut self, key: &str, records: &[Vec<(&str, String)>]) -> Self {
        if records.is_empty() {
            return self.raw(key, "[]");
        }
        let _ = writeln!(self.0, "{key}:");
        for record in records {
            for (i, (name, value)) in record.iter().enumerate() {
                let lead = if i == 0 { "  - " } else { "    " };
                let _ = writeln!(self.0, "{lead}{name}: {}", quoted(value));
            }
        }
        self
    }

    pub(crate) fn finish(self, body: &str) -> String {
        format!("---\n{}---\n{body}", self.0)
    }
}

/// The most tokens of one turn or call that are believed, far above what any model reads. Sums of what is believed stay sums.
const TOKENS_LIMIT: u64 = 1_000_000_000_000_000;

/// Tokens as they are written and read: a figure that nobody can have counted is none.
pub fn believed(tokens: Option<u64>) -> Option<u64> {
    tokens.filter(|tokens| *tokens <= TOKENS_LIMIT)
}

/// A front matter's value as text, whatever scalar it was written as.
pub fn scalar(map: &serde_json::Map<String, serde_json::Value>, key: &str) -> Option<String> {
    match map.get(key)? {
        serde_json::Value::String(text) => Some(text.clone()),
        // Without an exponent, however small: amounts are read digit by digit.
        serde_json::Value::Number(number) if number.is_f64() => Some(number.as_f64()?.to_string()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        serde_json::Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}
