//! The ballot's values held against their kinds.

use super::{BALLOT_LIST_LIMIT, Field, Kind, Need, is_placeholder};
use crate::datum::{Datum, Fields, field_name};
use crate::plan::Plan;

pub(super) fn from_label(kind: &Kind, value: &str, plan: &Plan) -> Datum {
    let value = value.trim();
    match kind {
        Kind::Flag => match value.to_ascii_lowercase().trim_end_matches('.') {
            "yes" | "true" => Datum::Flag(true),
            "no" | "false" => Datum::Flag(false),
            _ => Datum::Text(value.to_owned()),
        },
        Kind::Texts(_) => Datum::List(value.split([',', ';']).map(|part| Datum::from(part.trim())).collect()),
        // A label may have a comma or a plus of its own.
        Kind::Options if plan.option_meant(value).is_some() => Datum::List(vec![Datum::from(value)]),
        Kind::Options => Datum::List(value.split([',', '+', ';']).map(|part| Datum::from(part.trim())).collect()),
        _ => Datum::from(value),
    }
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
            None if field.need == Need::Must => return Err(format!("\"{name}.{}\" is missing", field.name)),
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
