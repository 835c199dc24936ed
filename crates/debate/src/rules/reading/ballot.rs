//! The ballot's values held against their kinds.

use crate::model::datum::{Datum, Fields, field_name};
use crate::model::form::{BALLOT_LIST_LIMIT, Field, Kind, Need};
use crate::model::plan::Plan;
use forge_prose::blanks::is_placeholder;

/// The value of a field among the labelled lines of a file from outside: the field's own name first, then its other
/// spellings in their order. Several lines that vote must say the same.
pub(super) fn from_labels(field: &Field, labels: &[(String, String)], plan: &Plan) -> Result<Option<Datum>, String> {
    let spellings = std::iter::once(&field.name).chain(field.also).map(|name| field_name(name));
    let spelled: Vec<&(String, String)> =
        spellings.flat_map(|name| labels.iter().filter(move |(label, _)| field_name(label) == name)).collect();
    let read = |value: &str| match field.kind {
        Kind::Option => plan.option_meant(value).map(|option| Datum::from(option.id.as_str())),
        Kind::Word(all) => word_first(field, all, value).map(Datum::from),
        _ => None,
    };
    let mut found: Option<Datum> = None;
    for (label, value) in &spelled {
        let value = value.trim().lines().next().unwrap_or_default();
        // A position is told in words, and a vote only where it is an option and nothing else votes.
        let may_be_prose = field_name(label) == POSITION;
        match (read(value), &found) {
            (Some(read), Some(before)) if read != *before => {
                return Err(format!("{:?} is {before} on one line and {read} on another; write one", field.name));
            }
            (Some(read), _) => found = Some(read),
            (None, Some(_)) if is_vote(field) && !may_be_prose => {
                return Err(format!("{label}: {value:?} says something else than the line before; write one"));
            }
            (None, None) if is_vote(field) && !may_be_prose => break,
            (None, _) => {}
        }
    }
    Ok(found.or_else(|| spelled.first().map(|(_, value)| from_label(&field.kind, value, plan))))
}

/// The label under which a memo says its position in words.
const POSITION: &str = "position";

fn is_vote(field: &Field) -> bool {
    matches!(field.kind, Kind::Option) || matches!(field.name, "verdict" | "response")
}

/// The word that a value begins with: `HIGH, since we measured it`. A vote is its word alone, or before a mark that ends it:
/// "Accept nothing of it" and "Accept?" accept nothing. A list of all the words is a form that was not filled in.
fn word_first(field: &Field, all: &[&'static str], value: &str) -> Option<&'static str> {
    let value = value.trim().trim_start_matches(['*', '`', '"']);
    let said: Vec<String> = value.split(|c: char| !(c.is_alphanumeric() || c == '-')).map(field_name).collect();
    let mut named = all.iter().filter(|word| said.contains(&field_name(word)));
    let (word, None) = (named.next()?, named.next()) else { return None };
    let rest = value.get(word.len()..).unwrap_or_default().trim_start_matches(['*', '`', '"', ' ']);
    let ends = rest.is_empty() || rest.starts_with(['.', ',', ';', ':', '(', '-', '–', '—', '\n', '!']);
    (said.first() == Some(&field_name(word)) && (ends || field.name == "confidence")).then_some(word)
}

fn from_label(kind: &Kind, value: &str, plan: &Plan) -> Datum {
    let value = value.trim();
    let on_one_line = || value.split_whitespace().collect::<Vec<_>>().join(" ");
    match kind {
        Kind::Flag => match value.to_ascii_lowercase().trim_end_matches('.') {
            "yes" | "true" => Datum::Flag(true),
            "no" | "false" => Datum::Flag(false),
            _ => Datum::Text(value.to_owned()),
        },
        Kind::Texts(_) => Datum::List(value.split([',', ';', '\n']).map(|part| Datum::from(part.trim())).collect()),
        // A label may have a comma or a plus of its own.
        Kind::Options if plan.option_meant(value).is_some() => Datum::List(vec![Datum::from(value)]),
        Kind::Options => Datum::List(value.split([',', '+', ';']).map(|part| Datum::from(part.trim())).collect()),
        Kind::Records(_, [first, text]) => Datum::List(listed(value, first.name, text.name)),
        Kind::Option | Kind::Word(_) | Kind::Text(_) | Kind::Records(..) => Datum::from(on_one_line()),
    }
}

/// The items of a value as records of two fields: arguments are numbered, and whatever else begins with a name.
fn listed(value: &str, first: &str, text: &str) -> Vec<Datum> {
    let is_item = |line: &str| line.starts_with(['-', '*', '•']) || line.starts_with(|c: char| c.is_ascii_digit());
    let mut items: Vec<String> = Vec::new();
    for line in value.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let bare =
            line.trim_start_matches(|c: char| matches!(c, '-' | '*' | '•' | '.' | ')' | ' ') || c.is_ascii_digit());
        match items.last_mut().filter(|_| !is_item(line)) {
            Some(item) => {
                item.push(' ');
                item.push_str(bare);
            }
            None => items.push(bare.to_owned()),
        }
    }
    let record = |(i, item): (usize, String)| {
        let (name, words) = match first {
            "id" => (format!("a{}", i + 1), item),
            _ => {
                let (name, words) = item.split_once(':')?;
                (name.trim_matches(['*', ' ']).to_owned(), words.trim().to_owned())
            }
        };
        Some(Datum::Record(
            [(first.to_owned(), Datum::from(name)), (text.to_owned(), Datum::from(words))].into_iter().collect(),
        ))
    };
    items.into_iter().enumerate().filter_map(record).collect()
}

pub(super) fn accept(kind: &Kind, value: &Datum, plan: &Plan, name: &str) -> Result<Datum, String> {
    let wrong = |expected: &str| Err(format!("{name:?} is {}; expected {expected}", value.kind()));
    match kind {
        Kind::Option => {
            let Some(said) = value.as_text() else { return wrong("the id of an option") };
            option_id(plan, said, name)
        }
        Kind::Options => {
            let said: Vec<&str> = match value {
                Datum::List(items) => items.iter().filter_map(Datum::as_text).collect(),
                Datum::Text(text) => vec![text.as_str()],
                _ => return wrong("a list of option ids"),
            };
            if said.is_empty() {
                return Err(format!("{name:?} names no option"));
            }
            said.into_iter().map(|text| option_id(plan, text, name)).collect::<Result<Vec<_>, _>>().map(Datum::List)
        }
        Kind::Word(all) => {
            let Some(said) = value.as_text() else { return wrong(&format!("one of {}", all.join(", "))) };
            let plain = field_name(said.trim().trim_matches(['*', '.', '"']));
            all.iter()
                .find(|word| field_name(word) == plain || (plain == "med" && field_name(word) == "medium"))
                .map(|word| Datum::from(*word))
                .ok_or_else(|| format!("{name:?} is {said:?}; expected one of {}", all.join(", ")))
        }
        Kind::Flag => match value {
            Datum::Flag(_) => Ok(value.clone()),
            Datum::Text(text) => match text.trim().to_ascii_lowercase().as_str() {
                "yes" | "true" => Ok(Datum::Flag(true)),
                "no" | "false" => Ok(Datum::Flag(false)),
                _ => wrong("true or false"),
            },
            _ => wrong("true or false"),
        },
        Kind::Text(least) => {
            let Some(text) = value.as_text() else { return wrong("a text") };
            if is_placeholder(text) && *least > 0 {
                return Err(format!("{name:?} is empty or a placeholder"));
            }
            let count = forge_prose::words::words(text).len();
            if count < *least {
                let s = if count == 1 { "" } else { "s" };
                return Err(format!("{name:?} has {count} word{s}; at least {least}"));
            }
            Ok(Datum::from(text))
        }
        Kind::Texts(least) => {
            let texts: Vec<Datum> = match value {
                Datum::List(items) => items.iter().filter_map(as_one_text).collect(),
                Datum::Text(text) if text.trim().is_empty() => Vec::new(),
                Datum::Text(text) => vec![Datum::from(text.as_str())],
                _ => return wrong("a list of texts"),
            };
            within_limits(name, texts.len(), *least)?;
            Ok(Datum::List(texts))
        }
        Kind::Records(least, fields) => {
            let Datum::List(entries) = value else { return wrong("a list of objects") };
            within_limits(name, entries.len(), *least)?;
            entries
                .iter()
                .enumerate()
                .map(|(i, entry)| accept_record(fields, entry, plan, &format!("{name}[{i}]")))
                .collect::<Result<Vec<_>, _>>()
                .map(Datum::List)
        }
    }
}

/// An item of a list of texts; an object's texts are one: `{"point": "R1", "looked_for": "..."}`.
fn as_one_text(item: &Datum) -> Option<Datum> {
    let Datum::Record(fields) = item else { return item.as_text().is_some().then(|| item.clone()) };
    let texts: Vec<&str> = fields.iter().filter_map(|(_, value)| value.as_text()).collect();
    (!texts.is_empty()).then(|| Datum::from(texts.join(": ")))
}

pub(super) fn within_limits(name: &str, count: usize, least: usize) -> Result<(), String> {
    if count < least {
        return Err(format!("{name:?} has {count} entries; at least {least}"));
    }
    if count > BALLOT_LIST_LIMIT {
        return Err(format!("{name:?} has {count} entries; at most {BALLOT_LIST_LIMIT}"));
    }
    Ok(())
}

pub(super) fn accept_record(fields: &[Field], entry: &Datum, plan: &Plan, name: &str) -> Result<Datum, String> {
    let Datum::Record(given) = entry else {
        return Err(format!("{name:?} is {}; expected an object", entry.kind()));
    };
    let mut record = Fields::new();
    for field in fields {
        match given.get(field.name).filter(|value| **value != Datum::Null) {
            Some(value) => record.put(field.name, accept(&field.kind, value, plan, &format!("{name}.{}", field.name))?),
            None if field.need == Need::Required => return Err(format!("\"{name}.{}\" is missing", field.name)),
            None => {}
        }
    }
    Ok(Datum::Record(record))
}

pub(super) fn option_id(plan: &Plan, said: &str, name: &str) -> Result<Datum, String> {
    plan.option_meant(said).map(|option| Datum::from(option.id.as_str())).ok_or_else(|| {
        let known: Vec<String> = plan.options.iter().map(ToString::to_string).collect();
        format!("{name:?} is {said:?}, which is not an option; the options are {}", known.join(", "))
    })
}
