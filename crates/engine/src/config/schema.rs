//! The JSON schema of configuration files, made from the table of keys.

use super::keys::{KEYS, Key, SetBy};
use serde_json::{Map, Value, json};

/// The schema (draft 2020-12). Unknown keys are no mistake: other tools may keep theirs in the same file.
pub fn schema() -> Value {
    let mut root = Map::new();
    root.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    root.insert("title".to_owned(), json!("Configuration of forge"));
    root.insert("type".to_owned(), json!("object"));
    for key in KEYS {
        let names: Vec<&str> = key.names().collect();
        put(&mut root, &names, key);
    }
    Value::Object(root)
}

fn put(object: &mut Map<String, Value>, names: &[&str], key: &Key) {
    let Some((name, rest)) = names.split_first() else { return };
    let place = if *name == "*" {
        object.entry("additionalProperties")
    } else {
        let properties = object.entry("properties").or_insert_with(|| json!({}));
        let Value::Object(properties) = properties else { return };
        properties.entry(*name)
    };
    let place = place.or_insert_with(|| if rest.is_empty() { json!({}) } else { json!({"type": "object"}) });
    let Value::Object(inner) = place else { return };
    if rest.is_empty() {
        *inner = one(key);
    } else {
        put(inner, rest, key);
    }
}

fn one(key: &Key) -> Map<String, Value> {
    let mut schema = Map::new();
    let whose = match key.set_by {
        SetBy::User => " Only in your own configuration; refused in a project's.",
        SetBy::Anyone => "",
    };
    schema.insert("description".to_owned(), json!(format!("{}{whose}", key.doc)));
    schema.extend(key.kind.schema());
    if let Some(default) = key.default.and_then(|default| serde_json::from_str::<Value>(default).ok()) {
        schema.insert("default".to_owned(), default);
    }
    schema
}
