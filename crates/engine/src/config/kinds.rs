//! What the values of keys are, and what is wrong with one that is not. Pure.

use forge_agents::prices::{RATE_LIMIT_DOLLARS, Rates};
use forge_artifacts::formats::money;
use forge_debate::voting::Threshold;
use serde_json::{Map, Value, json};

/// The most characters of one text.
pub(super) const TEXT_LIMIT_CHARS: usize = 4096;
/// The most entries of one list or map.
pub(super) const ENTRIES_LIMIT: usize = 64;

/// What a value is.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Any text.
    Text,
    /// A list of texts.
    Texts,
    /// A whole number.
    Integer {
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// US dollars.
    Dollars {
        /// The least, in millionths.
        least: u64,
        /// The most, in millionths.
        most: u64,
    },
    /// A share of those who vote.
    Share,
    /// What tokens cost.
    Rates,
    /// `true` or `false`.
    Switch,
    /// One of these words.
    Words(fn() -> Vec<&'static str>),
    /// The name of an agent, `human` or `outside`.
    Agent,
    /// The name of a model.
    Model,
    /// A program: a name, or an absolute path.
    Program,
    /// A program with its arguments.
    Command,
    /// `text`, or a JSON pointer.
    Output,
    /// An address on the web.
    Address,
    /// The name of an environment variable.
    Variable,
    /// Names of environment variables.
    VariableNames,
    /// Environment variables with their values.
    Variables,
    /// Absolute paths; `~/` is the user's home.
    Paths,
}

impl Kind {
    /// What is expected, for people.
    pub fn expected(self) -> String {
        match self {
            Kind::Text => "a text".to_owned(),
            Kind::Texts => "a list of texts".to_owned(),
            Kind::Integer { least, most } => format!("a whole number from {least} to {most}"),
            Kind::Dollars { least, most } => {
                let [least, most] = [least, most].map(|micro| money::plain(micro).trim_end_matches(".00").to_owned());
                format!("US dollars from {least} to {most}, such as 0.50")
            }
            Kind::Share => "a share of more than 0 and at most 1, such as 0.67 or \"2/3\"".to_owned(),
            Kind::Rates => {
                "an object of US dollars per million tokens, such as {\"input\": 1.25, \"output\": 10, \"cached_input\": 0.1}: numbers from 0 on, of which only `cached_input` may be left out".to_owned()
            }
            Kind::Switch => "true or false".to_owned(),
            Kind::Words(words) => {
                let words = words().iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>();
                words.join(" or ")
            }
            Kind::Agent => {
                "an agent's name, such as \"claude\" or \"openai:MODEL\", or \"human\" or \"outside\"".to_owned()
            }
            Kind::Model => "a model's name, without blanks and not beginning with -".to_owned(),
            Kind::Program => "a program: its name on the search path, or an absolute path".to_owned(),
            Kind::Command => {
                "a list: a program (its name on the search path, or an absolute path), then its arguments".to_owned()
            }
            Kind::Output => "\"text\", or a JSON pointer such as \"/result\"".to_owned(),
            Kind::Address => {
                "an address that begins with http:// or https://, without a user name, password or query".to_owned()
            }
            Kind::Variable => "the name of an environment variable, such as \"ACME_API_KEY\"".to_owned(),
            Kind::VariableNames => "a list of names of environment variables".to_owned(),
            Kind::Variables => "an object of environment variables and their texts".to_owned(),
            Kind::Paths => "a list of absolute paths, or of paths that begin with ~/".to_owned(),
        }
    }

    /// The value as it will be used, with `~/` filled in; `None` if it is not of this kind.
    pub(super) fn check(self, value: &Value, home: Option<&str>) -> Option<Value> {
        let texts = |is_one: &dyn Fn(&str) -> bool| {
            let entries = value.as_array().filter(|entries| entries.len() <= ENTRIES_LIMIT)?;
            entries.iter().all(|entry| text(entry).is_some_and(is_one)).then(|| value.clone())
        };
        let one = |is_one: fn(&str) -> bool| text(value).filter(|text| is_one(text)).map(|text| json!(text.trim()));
        match self {
            Kind::Text => one(is_said),
            Kind::Texts => texts(&|_| true),
            Kind::Integer { least, most } => value.as_u64().filter(|n| (least..=most).contains(n)).map(|n| json!(n)),
            Kind::Dollars { least, most } => {
                micro(value).filter(|micro| (least..=most).contains(micro)).map(|_| value.clone())
            }
            Kind::Share => share(value).map(|_| value.clone()),
            Kind::Rates => rates(value).map(|_| value.clone()),
            Kind::Switch => value.as_bool().map(|on| json!(on)),
            Kind::Words(words) => text(value).filter(|text| words().contains(text)).map(|text| json!(text)),
            Kind::Agent => one(|name| is_said(name) && !name.trim().starts_with('-')),
            Kind::Model => one(forge_agents::is_model_name),
            Kind::Program => program(text(value)?, home).map(Value::from),
            Kind::Command => {
                let mut command = texts(&|_| true)?;
                let first = command.get_mut(0)?;
                *first = Value::from(program(first.as_str()?, home)?);
                Some(command)
            }
            Kind::Output => one(|text| text == "text" || text.starts_with('/')),
            Kind::Address => one(is_address),
            Kind::Variable => one(is_variable),
            Kind::VariableNames => texts(&is_variable),
            Kind::Variables => {
                let entries = value.as_object().filter(|entries| entries.len() <= ENTRIES_LIMIT)?;
                let sound = entries.iter().all(|(name, value)| is_variable(name) && text(value).is_some());
                sound.then(|| value.clone())
            }
            Kind::Paths => {
                let entries = value.as_array().filter(|entries| entries.len() <= ENTRIES_LIMIT)?;
                entries.iter().map(|entry| absolute(text(entry)?, home).map(Value::from)).collect()
            }
        }
    }

    /// What a schema says about it.
    pub(super) fn schema(self) -> Map<String, Value> {
        let texts = json!({"type": "string", "maxLength": TEXT_LIMIT_CHARS});
        let list = |items: Value| json!({"type": "array", "items": items, "maxItems": ENTRIES_LIMIT});
        let pattern = |pattern: &str| json!({"type": "string", "maxLength": TEXT_LIMIT_CHARS, "pattern": pattern});
        let variable = "^[A-Za-z_][A-Za-z0-9_]*$";
        let schema = match self {
            Kind::Text => json!({"type": "string", "minLength": 1, "maxLength": TEXT_LIMIT_CHARS}),
            Kind::Texts => list(texts),
            Kind::Integer { least, most } => json!({"type": "integer", "minimum": least, "maximum": most}),
            Kind::Dollars { least, most } => {
                let [least, most] = [least, most].map(|micro| micro as f64 / 1e6);
                json!({"type": "number", "minimum": least, "maximum": most})
            }
            Kind::Share => json!({"anyOf": [
                {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
                {"type": "string", "pattern": "^[0-9.]+( ?/ ?[0-9]+|%)?$"},
            ]}),
            Kind::Rates => {
                let rate = json!({"type": "number", "minimum": 0, "maximum": RATE_LIMIT_DOLLARS});
                json!({
                    "type": "object", "required": ["input", "output"], "additionalProperties": false,
                    "properties": {"input": rate, "output": rate, "cached_input": rate},
                })
            }
            Kind::Switch => json!({"type": "boolean"}),
            Kind::Words(words) => json!({"enum": words()}),
            Kind::Agent => pattern("^[^-]"),
            Kind::Model => pattern("^[^-\\s]\\S*$"),
            Kind::Program => pattern("^(/|~/|[^-/.~][^/]*$)"),
            Kind::Command => json!({"type": "array", "items": texts, "minItems": 1, "maxItems": ENTRIES_LIMIT}),
            Kind::Output => pattern("^(text$|/)"),
            Kind::Address => pattern("^https?://[^@?#\\s]+$"),
            Kind::Variable => pattern(variable),
            Kind::VariableNames => list(pattern(variable)),
            Kind::Variables => json!({
                "type": "object", "propertyNames": {"pattern": variable}, "additionalProperties": texts,
                "maxProperties": ENTRIES_LIMIT,
            }),
            Kind::Paths => list(pattern("^(/|~/)")),
        };
        match schema {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }
}

/// A number of dollars in millionths, without a rest.
pub(super) fn micro(value: &Value) -> Option<u64> {
    // A float is told with as few digits as tell it apart, and without an exponent: what was written.
    let number = value.as_number()?;
    let text =
        number.as_u64().map_or_else(|| number.as_f64().map(|dollars| dollars.to_string()), |n| Some(n.to_string()));
    money::microdollars(&text?)
}

/// A share, as a number or as a text such as `2/3`.
pub(crate) fn share(value: &Value) -> Option<Threshold> {
    match value {
        Value::String(text) => Threshold::parse(text),
        Value::Number(number) => Threshold::parse(&number.to_string()),
        _ => None,
    }
}

/// What tokens cost. Half a price is none: what is not said would count as free.
pub(super) fn rates(value: &Value) -> Option<Rates> {
    let said = value.as_object()?;
    let rate = |name: &str| said.get(name).and_then(micro).filter(|micro| *micro <= RATE_LIMIT_DOLLARS * 1_000_000);
    let (input, output) = (rate("input")?, rate("output")?);
    let cached_input = if said.contains_key("cached_input") { rate("cached_input")? } else { input };
    let known = |name: &String| matches!(name.as_str(), "input" | "output" | "cached_input");
    said.keys().all(known).then_some(Rates { input, output, cached_input })
}

/// A text of bearable length without characters that no name, path or argument has.
fn text(value: &Value) -> Option<&str> {
    let is_plain = |text: &&str| text.chars().count() <= TEXT_LIMIT_CHARS && !text.chars().any(char::is_control);
    value.as_str().filter(is_plain)
}

fn is_said(text: &str) -> bool {
    !text.trim().is_empty()
}

fn is_variable(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Keys are no part of an address: addresses stand in receipts.
fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        !rest.is_empty()
            && !rest.starts_with('/')
            && !rest.contains(['@', '?', '#'])
            && !rest.contains(char::is_whitespace)
    })
}

/// A relative path would be looked for in whatever project forge is run in.
fn program(text: &str, home: Option<&str>) -> Option<String> {
    if text.contains('/') {
        return absolute(text, home);
    }
    let is_name = is_said(text) && !text.starts_with(['-', '.', '~']) && text.trim() == text;
    is_name.then(|| text.to_owned())
}

fn absolute(text: &str, home: Option<&str>) -> Option<String> {
    let path = match text.strip_prefix("~/") {
        Some(rest) => format!("{}/{rest}", home?.trim_end_matches('/')),
        None => text.to_owned(),
    };
    let climbs = path.split('/').any(|part| part == "..");
    (path.starts_with('/') && !climbs).then_some(path)
}
