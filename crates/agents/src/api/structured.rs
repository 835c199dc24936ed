//! The form of a reply as a JSON schema, for providers that can be held to one, and the reply made from what they send.
//!
//! A reply is Markdown with a fenced ballot; a schema can type the ballot and nothing else, so the object asked for is
//! `{"text": sections, "ballot": {...}}`. Whatever comes is held against the form afterwards like any other reply, and
//! what is not such an object is passed on as it is.

use crate::agent::Receipt;
use forge_debate::brief::Brief;
use forge_debate::form::{Field, Kind, Need};
use serde_json::{Map, Value, json};

/// What the schema is called.
pub(super) const NAME: &str = "reply";

/// The schema of the reply to a brief; none where nothing in it could be typed.
pub(super) fn schema(brief: &Brief) -> Option<Value> {
    if brief.form.fields.is_empty() {
        return None;
    }
    let text = json!({
        "type": "string",
        "description": "The sections that the form asks for, in Markdown, without the ballot block; empty where it asks for none.",
    });
    let mut ballot = object(&brief.form.fields, brief);
    ballot["description"] = json!("The ballot that the form asks for as a fenced block.");
    Some(closed([("text".to_owned(), text), ("ballot".to_owned(), ballot)].into_iter().collect()))
}

fn object(fields: &[Field], brief: &Brief) -> Value {
    closed(fields.iter().map(|field| (field.name.to_owned(), typed(field, brief))).collect())
}

/// An object with these properties, all of them, and no others: what every provider's strict mode wants.
fn closed(properties: Map<String, Value>) -> Value {
    let required: Vec<&String> = properties.keys().collect();
    json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false })
}

fn typed(field: &Field, brief: &Brief) -> Value {
    let option = || {
        let ids: Vec<&str> = brief.options.iter().map(|option| option.id.as_str()).collect();
        if ids.is_empty() { json!({ "type": "string" }) } else { json!({ "type": "string", "enum": ids }) }
    };
    let list = |of: Value| json!({ "type": "array", "items": of });
    let mut schema = match field.kind {
        Kind::Option => option(),
        Kind::Options => list(option()),
        Kind::Word(words) => json!({ "type": "string", "enum": words }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Text(_) => json!({ "type": "string" }),
        Kind::Texts(_) => list(json!({ "type": "string" })),
        Kind::Records(_, inner) => list(object(inner, brief)),
    };
    if field.need != Need::Required {
        // Strict modes know no optional property: what need not be there may be null.
        schema = json!({ "anyOf": [schema, { "type": "null" }] });
    }
    schema["description"] = json!(field.help);
    schema
}

/// The reply that such an object stands for.
pub(super) fn reply(sent: String, receipt: &mut Receipt) -> String {
    let Some((text, ballot)) = taken_apart(&sent) else {
        receipt.notes.push("the reply is not the object that the schema asks for; taken as it is".to_owned());
        return sent;
    };
    receipt.notes.push("the reply came as an object after the form's schema".to_owned());
    let text = text.trim();
    let gap = if text.is_empty() { "" } else { "\n\n" };
    format!("{text}{gap}```json\n{ballot}\n```\n")
}

fn taken_apart(sent: &str) -> Option<(String, String)> {
    let mut object: Map<String, Value> = serde_json::from_str(sent.trim()).ok()?;
    let Some(Value::String(text)) = object.remove("text") else { return None };
    let Some(Value::Object(ballot)) = object.remove("ballot") else { return None };
    // The brief asks for the block too, and some models write it twice.
    let text = match text.rsplit_once("```json") {
        Some((before, block)) if block.trim_end().ends_with("```") => before.to_owned(),
        _ => text,
    };
    Some((text, serde_json::to_string_pretty(&without_nulls(ballot)).ok()?))
}

fn without_nulls(fields: Map<String, Value>) -> Value {
    let kept = fields.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| {
        let value = match value {
            Value::Object(inner) => without_nulls(inner),
            Value::Array(items) => items
                .into_iter()
                .map(|item| if let Value::Object(inner) = item { without_nulls(inner) } else { item })
                .collect(),
            other => other,
        };
        (name, value)
    });
    Value::Object(kept.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_becomes_a_reply_and_anything_else_stays() {
        let mut receipt = Receipt::default();
        let sent = r###"{"text": "## Case\nyes\n\n```json\n{}\n```", "ballot": {"option": "A", "note": null, "list": [{"a": null, "b": 1}]}}"###;
        let made = reply(sent.to_owned(), &mut receipt);
        assert_eq!(
            made,
            "## Case\nyes\n\n```json\n{\n  \"option\": \"A\",\n  \"list\": [\n    {\n      \"b\": 1\n    }\n  ]\n}\n```\n"
        );
        for plain in ["## Case\nplain", "{\"text\": 1}", "{\"text\": \"a\"}", "[]", ""] {
            assert_eq!(reply(plain.to_owned(), &mut receipt), plain);
        }
        assert_eq!(receipt.notes.len(), 6);
    }
}
