//! opencode: `opencode run`, events as JSON lines. It allows every tool unless told otherwise.
//!
//! Of the user's configuration it is given the models and who serves them, in a variable: no servers of tools, plugins,
//! instructions or permissions. Its home and every other folder of its own are this call's: it reads `~/.opencode`, and
//! keeps each session on file. The login and the model that was used last are linked there.

use super::reading::{
    complained, contradicted, count, ending, events, microdollars, no_result, nothing, one_line, text, written,
};
use super::{Maker, Occasion, Preparation, Printed, Recipe, Said, Trouble};
use crate::agent::{FailureKind, Served};
use crate::keeper::How;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Where the user may have configuration, below the home, and in which files; the later ones count more.
const FOLDERS: &[&str] = &[".config/opencode", ".opencode"];
const CONFIGURATION: &[&str] = &["config.json", "opencode.json", "opencode.jsonc"];
/// What of them says which model is asked and where.
const TAKEN_OVER: &[&str] = &["model", "small_model", "provider", "enabled_providers", "disabled_providers"];
/// The most bytes of each that are read. All of what is taken has to fit into a variable.
const CONFIGURATION_LIMIT: u64 = 96 * 1024;
/// The key of the wire that another address is asked over.
const WIRES_KEY: &str = "OPENAI_API_KEY";
/// How the names of a provider's options end that hold keys.
const SECRET_OPTIONS: &[&str] = &["key", "token", "secret", "password"];

/// What it would install into its folder for configuration at every start, were it not said to be there.
const INSTALLED: &str = r#"{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*"}}}}"#;
/// What its folders hold of the user's: where it looks for it, and where that is below the home.
const LINKED: &[(&str, &str)] = &[
    ("data/opencode/auth.json", ".local/share/opencode/auth.json"),
    ("state/opencode/model.json", ".local/state/opencode/model.json"),
    ("cache/opencode/packages", ".cache/opencode/packages"),
];
/// The list of models that it has fetched for its user.
const MODELS: &str = ".cache/opencode/models.json";
/// How its log names the beginning of a call of the model, and a call that failed.
const CALLS: &str = "message=stream ";
const FAILS: &str = "message=\"stream error\" ";

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
    makers: &[
        Maker { name: "anthropic", key: "ANTHROPIC_API_KEY", address: Some("ANTHROPIC_BASE_URL") },
        Maker { name: "openai", key: "OPENAI_API_KEY", address: Some("OPENAI_BASE_URL") },
        Maker { name: "google", key: "GEMINI_API_KEY", address: Some("GOOGLE_GEMINI_BASE_URL") },
        Maker { name: "google", key: "GOOGLE_GENERATIVE_AI_API_KEY", address: Some("GOOGLE_GEMINI_BASE_URL") },
        Maker { name: "openrouter", key: "OPENROUTER_API_KEY", address: None },
        Maker { name: "opencode", key: "OPENCODE_API_KEY", address: None },
    ],
    passes: &[],
    login_files: &[".local/share/opencode/auth.json"],
    config_files: &[".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"],
    writes: &[".local/share/opencode/auth.json", ".cache/opencode/packages"],
    clouds: &[".aws", ".azure", ".config/gcloud"],
    context_file: "AGENTS.md",
    expands_paths: false,
    dangerous: &["--auto", "--attach", "--share"],
    silence: None,
    prepare,
    read,
};

fn prepare(occasion: &Occasion<'_>) -> Preparation {
    // A title of ours saves the call in which it would ask for one; its log has the model's name, which its events lack.
    let arguments = ["run", "--format", "json", "--title", "forge", "--print-logs", "--log-level", "INFO"];
    let mut prepared = Preparation { arguments: arguments.map(str::to_owned).to_vec(), ..Preparation::default() };
    let mut configuration = json!({ "autoupdate": false, "share": "disabled", "permission": { "*": "deny" } });
    let told_where = occasion.settings.base_url.is_some();
    if occasion.home_is_the_users && !told_where {
        let theirs = served_where(occasion.home);
        prepared.secrets = theirs.get("provider").map(secrets_of).unwrap_or_default();
        theirs.into_iter().for_each(|(name, value)| configuration[name] = value);
    }
    if occasion.has_context_file {
        configuration["instructions"] = json!([occasion.folder.join(RECIPE.context_file)]);
    }
    let variable = occasion.key_variable.unwrap_or(WIRES_KEY);
    if let Some(key) = occasion.key {
        prepared.environment.push((variable.to_owned(), key.to_owned()));
        if variable == "GEMINI_API_KEY" {
            // It finds the maker by this name, and looks for the key under another.
            prepared.environment.push(("GOOGLE_GENERATIVE_AI_API_KEY".to_owned(), key.to_owned()));
        }
    }
    let mut model = occasion.model.map(str::to_owned);
    if told_where {
        model = model.map(|asked| format!("forge/{asked}"));
        configuration["provider"] = json!({ "forge": elsewhere(occasion, variable) });
    } else if let Some(maker) = RECIPE.makers.iter().find(|maker| occasion.key.is_some() && maker.key == variable) {
        let begins = occasion.model.and_then(|model| model.split_once('/')).map_or(maker.name, |(begins, _)| begins);
        if !is_told(occasion, &configuration) && begins == maker.name {
            // Else it might choose a maker that gives models away, and send there what was not meant for it.
            configuration["enabled_providers"] = json!([maker.name]);
        }
        let theirs = format!("/provider/{}/options/baseURL", maker.name);
        if let Some(address) = occasion.base_url.filter(|_| configuration.pointer(&theirs).is_none()) {
            configuration["provider"][maker.name]["options"]["baseURL"] = json!(address_for(maker, address));
        }
    }
    if let Some(model) = model {
        prepared.arguments.extend(["--model".to_owned(), model.clone()]);
        configuration["model"] = json!(model);
    }
    let own = |name: &str| occasion.aside.join(name);
    for (name, value) in [
        ("OPENCODE_CONFIG_CONTENT", configuration.to_string()),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()),
        ("OPENCODE_DISABLE_CLAUDE_CODE", "1".to_owned()),
        ("OPENCODE_DISABLE_EXTERNAL_SKILLS", "1".to_owned()),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1".to_owned()),
        // It has a list of its own.
        ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
        // Or it would look for configuration and context in every folder above its own.
        ("OPENCODE_DISABLE_PROJECT_CONFIG", "1".to_owned()),
        // Without plugins of others.
        ("OPENCODE_PURE", "1".to_owned()),
        ("HOME", own("home").display().to_string()),
        ("XDG_CACHE_HOME", own("cache").display().to_string()),
        ("XDG_CONFIG_HOME", own("config").display().to_string()),
        ("XDG_DATA_HOME", own("data").display().to_string()),
        ("XDG_STATE_HOME", own("state").display().to_string()),
    ] {
        prepared.environment.push((name.to_owned(), value));
    }
    prepared.files.push((own("config/opencode/node_modules/none"), String::new()));
    prepared.files.push((own("config/opencode/package-lock.json"), INSTALLED.to_owned()));
    if occasion.home_is_the_users {
        let links = LINKED.iter().map(|(link, to)| (own(link), occasion.home.join(to)));
        prepared.links = links.filter(|(_, to)| to.exists()).collect();
        let models = Some(occasion.home.join(MODELS)).filter(|models| models.exists());
        prepared.environment.extend(models.map(|path| ("OPENCODE_MODELS_PATH".to_owned(), path.display().to_string())));
    }
    prepared
}

/// Whether the user's own files say whom it asks.
fn is_told(occasion: &Occasion<'_>, configuration: &Value) -> bool {
    let is_logged_in = || RECIPE.login_files.iter().any(|file| occasion.home.join(file).exists());
    let is_set = TAKEN_OVER.iter().any(|name| configuration.get(name).is_some());
    occasion.home_is_the_users && (is_set || is_logged_in())
}

/// The address that the configuration names for this agent, over the wire that most servers speak.
fn elsewhere(occasion: &Occasion<'_>, variable: &str) -> Value {
    let mut options = json!({ "baseURL": occasion.base_url });
    // A vendor's key that happened to be there is not for this address.
    let told = occasion.settings.key_env.is_some() || occasion.settings.key_command.is_some();
    if occasion.key.is_some() && (told || variable == WIRES_KEY) {
        options["apiKey"] = json!(format!("{{env:{variable}}}"));
    }
    let models: Map<_, _> = occasion.model.map(|asked| (asked.to_owned(), json!({}))).into_iter().collect();
    json!({ "npm": "@ai-sdk/openai-compatible", "options": options, "models": models })
}

/// A maker's address as this program wants it: with the version of the wire, which other programs add by themselves.
fn address_for(maker: &Maker, address: &str) -> String {
    let address = address.trim_end_matches('/');
    let version = match maker.name {
        "anthropic" => "/v1",
        "google" => "/v1beta",
        _ => "",
    };
    if address.ends_with(version) { address.to_owned() } else { format!("{address}{version}") }
}

/// What the user's configuration says about models and who serves them.
fn served_where(home: &Path) -> Map<String, Value> {
    let mut taken = Map::new();
    for (folder, file) in FOLDERS.iter().flat_map(|folder| CONFIGURATION.iter().map(move |file| (folder, file))) {
        let folder = home.join(folder);
        let Some(text) = super::bounded_file(&folder.join(file), CONFIGURATION_LIMIT) else { continue };
        let Ok(Value::Object(said)) = serde_json::from_str(&plain(&text)) else { continue };
        let said = said.into_iter().filter(|(name, _)| TAKEN_OVER.contains(&name.as_str()));
        taken.extend(said.map(|(name, value)| (name, from_folder(value, &folder, home))));
    }
    if Value::Object(taken.clone()).to_string().len() as u64 > CONFIGURATION_LIMIT {
        taken.remove("provider");
    }
    taken
}

/// A value in which the files that it names by `{file:PATH}` are found from anywhere.
fn from_folder(value: Value, folder: &Path, home: &Path) -> Value {
    match value {
        Value::String(text) => {
            let mut parts = text.split("{file:");
            let mut whole = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                whole.push_str("{file:");
                match part.strip_prefix("~/") {
                    Some(below) => whole.push_str(&format!("{}/{below}", home.display())),
                    None if part.starts_with('/') => whole.push_str(part),
                    None => whole.push_str(&format!("{}/{part}", folder.display())),
                }
            }
            Value::String(whole)
        }
        Value::Array(list) => list.into_iter().map(|value| from_folder(value, folder, home)).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, from_folder(value, folder, home))).collect()
        }
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
    let (log, stderr): (Vec<&str>, Vec<&str>) = printed.stderr.lines().partition(|line| line.starts_with("timestamp="));
    // A call that failed is tried again, and told as an event only when that is given up.
    let logged = || Some((field(log.iter().rev().find(|line| line.contains(FAILS))?, "error.error")?, None));
    if let Some(trouble) = ending(printed, complaint.or_else(logged)) {
        return Err(trouble);
    }
    let printed = &Printed { stderr: &stderr.join("\n"), ..*printed };
    let model = log.iter().rev().find(|line| line.contains(CALLS)).and_then(|line| field(line, "modelID"));
    let steps: Vec<&Value> = of_type("step_finish").collect();
    let served = steps.iter().fold(Served::default(), |served, step| served.and(&served_in(step)));
    let served = Served { model: model.filter(|_| !steps.is_empty()).map(str::to_owned), ..served };
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

/// A field of a line of the log.
fn field<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let (_, rest) = line.split_once(&format!(" {name}="))?;
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split(' ').next(),
    }
}

fn served_in(step: &Value) -> Served {
    let cached = count(step, "/part/tokens/cache/read");
    let kept = count(step, "/part/tokens/cache/write").unwrap_or(0);
    let input = count(step, "/part/tokens/input");
    let input = input.map(|fresh| fresh.saturating_add(cached.unwrap_or(0)).saturating_add(kept));
    Served {
        model: None,
        input_tokens: input,
        output_tokens: written(count(step, "/part/tokens/output"), count(step, "/part/tokens/total"), input),
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
        let found = from_folder(value, Path::new("/c"), Path::new("/h"));
        assert_eq!(found["a"]["options"]["apiKey"], "{file:/c/key.txt}{file:/h/k}{file:/k}");
        assert_eq!(secrets_of(&found), ["{file:/c/key.txt}{file:/h/k}{file:/k}", "hhh"]);
    }
}
