//! opencode: `opencode run`, events as JSON lines. It allows every tool unless told otherwise.
//!
//! Of the user's configuration it is given the models and who serves them, in a variable: no servers of tools, plugins,
//! instructions or permissions. The login stays where it is.

use super::reading::{
    complained, contradicted, count, ending, events, microdollars, no_result, nothing, one_line, text,
};
use super::{Occasion, Preparation, Printed, Recipe, Said, Trouble};
use crate::agent::{FailureKind, Served};
use crate::keeper::How;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::Duration;

/// The configuration files that the user may have; the later ones count more.
const CONFIGURATION: &[&str] = &["config.json", "opencode.json", "opencode.jsonc"];
/// What of them says which model is asked and where.
const TAKEN_OVER: &[&str] = &["model", "small_model", "provider", "enabled_providers", "disabled_providers"];
/// The most bytes of each that are read. All of what is taken has to fit into a variable.
const CONFIGURATION_LIMIT: u64 = 96 * 1024;
/// The key of the wire that another address is asked over.
const WIRES_KEY: &str = "OPENAI_API_KEY";
/// How the names of a provider's options end that hold keys.
const SECRET_OPTIONS: &[&str] = &["key", "token", "secret", "password"];

/// How opencode is asked.
pub(super) static RECIPE: Recipe = Recipe {
    name: "opencode",
    vendor: "whoever serves the model that opencode is set to",
    family: None,
    install: "npm install -g opencode-ai",
    login: "opencode auth login",
    keys: &[
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_GENERATIVE_AI_API_KEY",
        "OPENROUTER_API_KEY",
        "OPENCODE_API_KEY",
    ],
    base_url: None,
    base_url_key: None,
    passes: &[],
    login_files: &[".local/share/opencode/auth.json"],
    config_files: &[".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"],
    writes: &[".local/share/opencode", ".local/state/opencode", ".cache/opencode"],
    context_file: "AGENTS.md",
    expands_paths: false,
    dangerous: &["--dangerously-skip-permissions", "--yolo", "--share"],
    silence: Some((Duration::from_secs(120), Duration::from_secs(600))),
    prepare,
    read,
};

fn prepare(occasion: &Occasion<'_>) -> Preparation {
    // A title of ours saves the call in which it would ask for one.
    let arguments = ["run", "--format", "json", "--title", "forge"].map(str::to_owned).to_vec();
    let mut prepared = Preparation { arguments, ..Preparation::default() };
    let mut configuration = json!({ "autoupdate": false, "share": "disabled", "permission": { "*": "deny" } });
    if occasion.home_is_the_users && occasion.base_url.is_none() {
        let theirs = served_where(&occasion.home.join(".config/opencode"));
        prepared.secrets = theirs.get("provider").map(secrets_of).unwrap_or_default();
        theirs.into_iter().for_each(|(name, value)| configuration[name] = value);
    }
    let mut model = occasion.model.map(str::to_owned);
    if let Some(key) = occasion.key {
        let variable = occasion.key_variable.unwrap_or(WIRES_KEY);
        prepared.environment.push((variable.to_owned(), key.to_owned()));
    }
    if let (Some(address), Some(asked)) = (occasion.base_url, occasion.model) {
        let mut options = json!({ "baseURL": address });
        let variable = occasion.key_variable.unwrap_or(WIRES_KEY);
        // A vendor's key that happened to be there is not for this address.
        let told = occasion.settings.key_env.is_some() || occasion.settings.key_command.is_some();
        if occasion.key.is_some() && (told || variable == WIRES_KEY) {
            options["apiKey"] = json!(format!("{{env:{variable}}}"));
        }
        configuration["provider"] = json!({
            "forge": { "npm": "@ai-sdk/openai-compatible", "options": options, "models": { asked: {} } }
        });
        model = Some(format!("forge/{asked}"));
    }
    if let Some(model) = model {
        prepared.arguments.extend(["--model".to_owned(), model.clone()]);
        configuration["model"] = json!(model);
    }
    for (name, value) in [
        ("OPENCODE_CONFIG_CONTENT", configuration.to_string()),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()),
        ("OPENCODE_DISABLE_CLAUDE_CODE", "1".to_owned()),
        ("OPENCODE_DISABLE_EXTERNAL_SKILLS", "1".to_owned()),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1".to_owned()),
        // Without plugins of others.
        ("OPENCODE_PURE", "1".to_owned()),
        // So that neither the user's own context file there is read, nor the rest of the configuration.
        ("XDG_CONFIG_HOME", occasion.aside.join("config").display().to_string()),
    ] {
        prepared.environment.push((name.to_owned(), value));
    }
    prepared
}

/// What the user's configuration says about models and who serves them.
fn served_where(folder: &Path) -> Map<String, Value> {
    let mut taken = Map::new();
    for file in CONFIGURATION {
        let Some(text) = super::bounded_file(&folder.join(file), CONFIGURATION_LIMIT) else { continue };
        let Ok(Value::Object(said)) = serde_json::from_str(&plain(&text)) else { continue };
        let said = said.into_iter().filter(|(name, _)| TAKEN_OVER.contains(&name.as_str()));
        taken.extend(said.map(|(name, value)| (name, from_folder(value, folder))));
    }
    if Value::Object(taken.clone()).to_string().len() as u64 > CONFIGURATION_LIMIT {
        taken.remove("provider");
    }
    taken
}

/// A value in which the files that it names by `{file:PATH}` are found from anywhere.
fn from_folder(value: Value, folder: &Path) -> Value {
    match value {
        Value::String(text) => {
            let mut parts = text.split("{file:");
            let mut whole = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                whole.push_str("{file:");
                if !part.starts_with(['/', '~']) {
                    whole.push_str(&format!("{}/", folder.display()));
                }
                whole.push_str(part);
            }
            Value::String(whole)
        }
        Value::Array(list) => list.into_iter().map(|value| from_folder(value, folder)).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, from_folder(value, folder))).collect(),
        other => other,
    }
}

/// Keys among the options of providers, and addresses, which may hold some.
fn secrets_of(providers: &Value) -> Vec<String> {
    let options = providers.as_object().into_iter().flatten().filter_map(|(_, provider)| provider.get("options"));
    let mut found = Vec::new();
    for (name, value) in options.filter_map(Value::as_object).flatten() {
        let name = name.to_ascii_lowercase();
        match value {
            Value::String(text) if text.contains("://") || SECRET_OPTIONS.iter().any(|end| name.ends_with(end)) => {
                found.push(text.clone());
            }
            Value::Object(headers) if name == "headers" => {
                found.extend(headers.values().filter_map(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
    found
}

/// JSON without the comments and the commas before a closing bracket that this program allows.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let length = if next == '"' {
            let ends =
                |(at, _): &(usize, &str)| rest[1..*at].bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 0;
            let end = rest.match_indices('"').skip(1).find(ends).map_or(rest.len(), |(at, _)| at + 1);
            plain.push_str(&rest[..end]);
            end
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else {
            if matches!(next, ']' | '}') && plain.trim_end().ends_with(',') {
                plain.truncate(plain.trim_end().len() - 1);
            }
            plain.push(next);
            next.len_utf8()
        };
        rest = &rest[length..];
    }
    plain
}

fn read(printed: &Printed<'_>) -> Result<Said, Trouble> {
    let events = events(printed.stdout);
    let of_type = |kind: &'static str| events.iter().filter(move |event| text(event, "/type") == kind);
    let failed = of_type("error").next_back();
    let complaint = failed.map(|event| {
        let status = count(event, "/error/data/statusCode").and_then(|status| u16::try_from(status).ok());
        let words = text(event, "/error/data/message");
        (if words.is_empty() { text(event, "/error/name") } else { words }, status)
    });
    if let Some(trouble) = ending(printed, complaint) {
        return Err(trouble);
    }
    let steps: Vec<&Value> = of_type("step_finish").collect();
    let served = steps.iter().fold(Served::default(), |served, step| served.and(&served_in(step)));
    let tries = u32::try_from(steps.len()).ok();
    if let Some((words, status)) = complaint {
        return Err(Trouble { served: served.into(), tries, ..complained(words, status) });
    }
    let Some(last) = steps.last() else { return Err(no_result(printed)) };
    let said: String = of_type("text").map(|event| text(event, "/part/text")).collect();
    match text(last, "/part/reason") {
        "length" => {
            let detail = format!("the answer reached the length limit after {} bytes", said.len());
            return Err(Trouble { served: served.into(), tries, ..Trouble::new(FailureKind::TooLong, detail) });
        }
        "content-filter" => {
            let detail = "the provider's filter withheld the answer".to_owned();
            return Err(Trouble { served: served.into(), tries, ..Trouble::new(FailureKind::Refused, detail) });
        }
        _ => {}
    }
    if said.trim().is_empty() {
        return Err(Trouble { tries, ..nothing(served) });
    }
    if let How::Exited(code) = printed.how
        && *code != 0
    {
        return Err(Trouble { tries, ..contradicted(*code, served) });
    }
    let tools = of_type("tool_use").map(|event| format!("wanted to use {}", one_line(text(event, "/part/tool"))));
    Ok(Said { text: said, served, tries, notes: tools.collect() })
}

fn served_in(step: &Value) -> Served {
    let cached = count(step, "/part/tokens/cache/read");
    let written = count(step, "/part/tokens/cache/write").unwrap_or(0);
    let input = count(step, "/part/tokens/input");
    Served {
        model: None,
        input_tokens: input.map(|fresh| fresh.saturating_add(cached.unwrap_or(0)).saturating_add(written)),
        output_tokens: count(step, "/part/tokens/output"),
        cached_tokens: cached,
        cost_microdollars: microdollars(step, "/part/cost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_texts_stay() {
        let text = "{ // a \"note\"\n \"u\": \"http://x/*y*/\\\\\", /* , */ \"l\": [1, 2, ], }";
        let read: Value = serde_json::from_str(&plain(text)).unwrap_or_default();
        assert_eq!(read, json!({ "u": "http://x/*y*/\\", "l": [1, 2] }));
        for broken in ["\"", "/*", "{\"a", "//", ",]", "\"\\"] {
            assert!(serde_json::from_str::<Value>(&plain(broken)).is_err(), "{broken}");
        }
    }

    #[test]
    fn files_are_named_from_anywhere_and_keys_are_known() {
        let value = json!({ "a": { "options": { "apiKey": "{file:key.txt}{file:~/k}{file:/k}", "region": "north", "headers": { "X": "hhh" } } } });
        let found = from_folder(value, Path::new("/c"));
        assert_eq!(found["a"]["options"]["apiKey"], "{file:/c/key.txt}{file:~/k}{file:/k}");
        assert_eq!(secrets_of(&found), ["{file:/c/key.txt}{file:~/k}{file:/k}", "hhh"]);
    }
}
