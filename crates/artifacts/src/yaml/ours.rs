//! The YAML that forge itself writes, read fast: top-level scalars, and lists of flat records, every scalar as JSON.
//!
//! A turn's header is read in every pass over a debate, and a full YAML reader costs more than all the rest of the
//! pass. Whatever is not exactly what forge writes is left to the full reader; both give the same values.

use serde_json::{Map, Value};

/// The fields, if the text is in the form that forge writes.
pub(crate) fn read(text: &str) -> Option<Map<String, Value>> {
    let mut fields = Map::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let (key, rest) = line.split_once(':')?;
        if !is_key(key) || fields.contains_key(key) {
            return None;
        }
        let value = match rest {
            "" => {
                let mut records = Vec::new();
                while let Some(first) = lines.peek().and_then(|line| line.strip_prefix("  - ")) {
                    let mut record = Map::new();
                    put(&mut record, first)?;
                    lines.next();
                    while let Some(next) = lines.peek().and_then(|line| line.strip_prefix("    ")) {
                        put(&mut record, next)?;
                        lines.next();
                    }
                    records.push(Value::Object(record));
                }
                if records.is_empty() { return None } else { Value::Array(records) }
            }
            " []" => Value::Array(Vec::new()),
            rest => scalar(rest.strip_prefix(' ')?)?,
        };
        fields.insert(key.to_owned(), value);
    }
    Some(fields)
}

fn put(record: &mut Map<String, Value>, line: &str) -> Option<()> {
    let (key, value) = line.split_once(": ")?;
    let fresh = is_key(key) && record.insert(key.to_owned(), scalar(value)?).is_none();
    fresh.then_some(())
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

fn scalar(text: &str) -> Option<Value> {
    match text {
        "null" => Some(Value::Null),
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        text if text.starts_with('"') => serde_json::from_str::<String>(text).ok().map(Value::String),
        text if text == "0" || text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0') => {
            text.parse::<u64>().ok().map(Value::from)
        }
        text if is_amount(text) => text.parse::<f64>().ok().map(Value::from),
        _ => None,
    }
}

/// Dollars as forge writes them: with six digits after the point.
fn is_amount(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.split_once('.').is_some_and(|(whole, part)| digits(whole) && part.len() == 6 && digits(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_forge_writes_is_read_as_the_full_reader_reads_it() {
        let text = "a: \"x \\\"y\\\" \\u2028 é\"\nb: 12\nc: null\nd: true\ne: 0.000001\nf: 12.345600\nlist:\n  - id: \"A\"\n    label: \"l: m\"\n  - id: \"B\"\n    label: \"\"\nnone: []\n";
        let fast = read(text).unwrap();
        let full = crate::yaml::read(text, 1).unwrap();
        assert_eq!(Value::Object(fast), full);
    }

    #[test]
    fn anything_else_is_left_to_the_full_reader() {
        for text in [
            "a: b\n",
            "a: 007\n",
            "a: \"x\" # c\n",
            "a: 1\na: 2\n",
            "A: 1\n",
            "a:\n  b: 1\n",
            "a: 'x'\n",
            "a: 1.5\n",
            "a:\n",
            "# c\n",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }
}
