//! The script of a scripted agent: which reply, or which failure, for which call.
//!
//! A YAML or JSON file (JSON is read as the YAML that it is). A script is read once and whole; anything wrong with it is
//! said with file and line before any seat is asked. Which entry answers depends on the call alone, never on what was
//! asked before, so that a resumed debate hears the same replies.

use crate::agent::{Call, Served};
use forge_debate::datum::{Datum, Fields};
use serde::Deserialize;
use serde_json::{Map, Value};
use serde_saphyr::Spanned;
use std::path::{Path, PathBuf};

/// The most bytes of a script.
const SCRIPT_LIMIT_BYTES: u64 = 4 * 1024 * 1024;

/// What is wrong with a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {problem}", path.display(), line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct ScriptError {
    /// The file.
    pub path: PathBuf,
    /// The line, where there is one.
    pub line: Option<u64>,
    /// What is wrong, and what was expected.
    pub problem: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    replies: Vec<Spanned<Entry>>,
}

/// One entry of a script: the calls that it answers, and how.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Entry {
    seat: Option<String>,
    stage: Option<String>,
    round: Option<u16>,
    attempt: Option<u32>,
    /// Whether it answers repairs, or all but repairs.
    repair: Option<bool>,
    /// The whole reply, as it is.
    pub(crate) say: Option<String>,
    ballot: Option<Map<String, Value>>,
    sections: Option<Map<String, Value>>,
    /// What happens instead of an answer in form.
    #[serde(rename = "do")]
    pub(crate) mishap: Option<Mishap>,
    /// How long it takes.
    #[serde(default)]
    pub(crate) delay_ms: u64,
    model: Option<String>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    /// Tries that may have been paid before this one, and told nothing.
    #[serde(default)]
    pub(crate) untold_tries: u32,
}

/// What can go wrong with an agent, on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mishap {
    /// Never answers.
    Hang,
    /// Ends without an answer.
    Crash,
    /// Answers with bytes that are no text.
    Garbage,
    /// Answers with the first half of its reply.
    Half,
    /// Answers with nothing.
    Empty,
    /// Will not answer.
    Refuse,
}

/// A script that has been read and found sound.
#[derive(Debug)]
pub(crate) struct Script {
    entries: Vec<Entry>,
}

impl Script {
    /// Reads a script.
    pub(crate) fn read(path: &Path) -> Result<Self, ScriptError> {
        let wrong = |line: Option<u64>, problem: String| ScriptError { path: path.to_owned(), line, problem };
        let found = std::fs::metadata(path).map_err(|error| wrong(None, error.to_string()))?;
        if !found.is_file() {
            return Err(wrong(None, "not a file".to_owned()));
        }
        let size = found.len();
        if size > SCRIPT_LIMIT_BYTES {
            return Err(wrong(None, format!("{size} bytes; a script may have {SCRIPT_LIMIT_BYTES}")));
        }
        let bytes = std::fs::read(path).map_err(|error| wrong(None, error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let line = error.as_bytes().iter().take(good).filter(|byte| **byte == b'\n').count() as u64 + 1;
            wrong(Some(line), "not UTF-8".to_owned())
        })?;
        Self::parse(&text).map_err(|(line, problem)| wrong(line, problem))
    }

    fn parse(text: &str) -> Result<Self, (Option<u64>, String)> {
        // Only `true` and `false` are flags: an option may well be called `no`.
        let options = serde_saphyr::options! { strict_booleans: true };
        let file: File = serde_saphyr::from_str_with_options(text, options).map_err(|error| {
            let line = error.location().map(|location| location.line());
            let message = error.without_snippet().to_string();
            let bare = message.rsplit_once(" at line ").map_or(message.as_str(), |(bare, _)| bare);
            (line, format!("{bare} (a script is `replies:` and a list of entries)"))
        })?;
        for entry in &file.replies {
            entry.value.check().map_err(|problem| (Some(entry.referenced.line()), problem))?;
        }
        Ok(Self { entries: file.replies.into_iter().map(|entry| entry.value).collect() })
    }

    /// The first entry whose given keys all match the call.
    pub(crate) fn entry(&self, call: &Call) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.is_for(call))
    }
}

impl Entry {
    fn check(&self) -> Result<(), String> {
        let composed = self.ballot.is_some() || self.sections.is_some();
        if self.say.is_some() && composed {
            return Err(
                "`say` is the whole reply; `ballot` and `sections` change a composed one: give one or the other"
                    .to_owned(),
            );
        }
        let spoken = composed || self.say.is_some();
        if spoken && self.mishap.is_some_and(|mishap| mishap != Mishap::Half) {
            return Err("of the words for `do`, only `half` goes with something to say".to_owned());
        }
        let odd = self.sections.iter().flatten().find(|(_, body)| !matches!(body, Value::String(_) | Value::Null));
        match odd {
            Some((title, _)) => Err(format!("section {title:?} is no text; give a text, or null to leave it out")),
            None => Ok(()),
        }
    }

    fn is_for(&self, call: &Call) -> bool {
        let key = &call.brief.key;
        self.seat.as_deref().is_none_or(|seat| seat == key.seat.as_str())
            && self.stage.as_deref().is_none_or(|stage| stage == key.stage.0)
            && self.round.is_none_or(|round| round == key.round)
            && self.attempt.is_none_or(|attempt| attempt == call.attempt)
            && self.repair.is_none_or(|repair| repair == call.is_repair)
    }

    /// The ballot's values as given.
    pub(crate) fn ballot(&self) -> Fields {
        self.ballot.iter().flatten().map(|(name, value)| (name.clone(), datum(value))).collect()
    }

    /// The sections as given; a null leaves one out.
    pub(crate) fn sections(&self) -> Vec<(String, Option<String>)> {
        self.sections.iter().flatten().map(|(title, body)| (title.clone(), body.as_str().map(str::to_owned))).collect()
    }

    /// What the script says the call used.
    pub(crate) fn served(&self) -> Served {
        Served {
            model: self.model.clone(),
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
            ..Served::default()
        }
    }
}

fn datum(value: &Value) -> Datum {
    match value {
        Value::Null => Datum::Null,
        Value::Bool(flag) => Datum::Flag(*flag),
        Value::Number(number) => Datum::Number(number.to_string()),
        Value::String(text) => Datum::from(text.as_str()),
        Value::Array(items) => Datum::List(items.iter().map(datum).collect()),
        Value::Object(fields) => {
            Datum::Record(fields.iter().map(|(name, value)| (name.clone(), datum(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_of(text: &str) -> Option<u64> {
        Script::parse(text).unwrap_err().0
    }

    #[test]
    fn a_bad_script_is_refused_with_its_line() {
        assert_eq!(line_of("replies:\n  - seet: risk\n"), Some(2));
        assert_eq!(line_of("replies:\n  - seat: risk\n    round: many\n"), Some(3));
        assert_eq!(line_of("replies:\n  - seat: risk\n  - say: a\n    ballot: {option: B}\n"), Some(3));
        assert_eq!(line_of("replies:\n  - seat: risk\n  - say: a\n    do: crash\n"), Some(3));
        assert_eq!(line_of("replies:\n  - do: explode\n"), Some(2));
        assert_eq!(line_of("replies:\n  - sections: {Position: [1]}\n"), Some(2));
        assert_eq!(line_of("replies: [\n"), Some(1));
        assert!(Script::parse("").is_err());
    }

    #[test]
    fn json_and_yaml_say_the_same() {
        let yaml = "replies:\n  - seat: risk\n    ballot: {option: no, converge: true, n: 2}\n    sections: {Position: null}\n";
        let json = "{\n\t\"replies\": [{\"seat\": \"risk\", \"ballot\": {\"option\": \"no\", \"converge\": true, \"n\": 2}, \"sections\": {\"Position\": null}}]\n}";
        let (yaml, json) = (Script::parse(yaml).unwrap(), Script::parse(json).unwrap());
        assert_eq!(yaml.entries[0].ballot(), json.entries[0].ballot());
        assert_eq!(yaml.entries[0].ballot().text("option"), "no");
        assert_eq!(yaml.entries[0].sections(), vec![("Position".to_owned(), None)]);
    }

    #[test]
    fn files_that_cannot_be_read_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("none.yaml");
        assert_eq!(Script::read(&missing).unwrap_err().path, missing);
        let broken = folder.path().join("bytes.yaml");
        std::fs::write(&broken, b"replies:\n  - say: \xff\n").unwrap();
        let error = Script::read(&broken).unwrap_err();
        assert_eq!((error.line, error.problem.as_str()), (Some(2), "not UTF-8"));
        assert!(error.to_string().ends_with("bytes.yaml:2: not UTF-8"));
    }
}
