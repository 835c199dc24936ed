//! Gemini CLI: events as JSON lines, since only they tell errors where the answer would be.
//!
//! It is always given a model: its own default asks a second one which to take. A cut answer looks like a whole one.

use super::reading::{
    OWN_WORD, complained, contradicted, count, ending, events, no_result, nothing, one_line, status_in, text, written,
};
use super::{Occasion, Preparation, Printed, Recipe, Said, Trouble};
use crate::agent::{FailureKind, Served};
use crate::keeper::How;
use serde_json::{Value, json};
use std::time::Duration;

/// The most bytes of the user's settings that are read.
const SETTINGS_LIMIT: u64 = 1024 * 1024;
/// Files of the user's that hold the login.
const LOGIN: &[&str] = &["oauth_creds.json", "google_accounts.json", "gemini-credentials.json", ".env"];
/// Nothing is allowed, so nothing is offered to the model.
const NO_TOOLS: &str = "[[rule]]\ntoolName = \"*\"\ndecision = \"deny\"\npriority = 999\n";
/// The model where not even the list of defaults has one.
const LAST_RESORT: &str = "gemini-2.5-pro";

/// How Gemini CLI is asked.
pub(super) static RECIPE: Recipe = Recipe {
    name: "gemini",
    vendor: "Google",
    family: Some("google"),
    install: "npm install -g @google/gemini-cli",
    login: "gemini, then choose how to log in",
    keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    base_url: Some("GOOGLE_GEMINI_BASE_URL"),
    base_url_key: None,
    makers: &[],
    passes: &["GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA"],
    login_files: &[".gemini/oauth_creds.json"],
    config_files: &[".gemini/settings.json", ".gemini/.env"],
    writes: &[".gemini"],
    clouds: &[".config/gcloud"],
    context_file: "GEMINI.md",
    expands_paths: true,
    dangerous: &["--yolo", "-y", "yolo", "auto_edit", "--allowed-tools", "--policy", "--admin-policy", "--raw-output"],
    silence: Some((Duration::from_secs(90), Duration::from_secs(600))),
    prepare,
    read,
};

fn prepare(occasion: &Occasion<'_>) -> Preparation {
    let policy = occasion.aside.join("no-tools.toml");
    let model = occasion.model.or_else(|| super::default_model(RECIPE.name)).unwrap_or(LAST_RESORT);
    let policy_path = policy.display().to_string();
    let arguments = ["--skip-trust", "-m", model, "-o", "stream-json", "--policy", policy_path.as_str()]
        .map(str::to_owned)
        .to_vec();
    let mut prepared = Preparation { arguments, ..Preparation::default() };
    prepared.files.push((policy, NO_TOOLS.to_owned()));
    for (name, value) in [("GEMINI_CLI_NO_RELAUNCH", "true"), ("GEMINI_TELEMETRY_ENABLED", "false")] {
        prepared.environment.push((name.to_owned(), value.to_owned()));
    }
    if let Some(key) = occasion.key {
        prepared.environment.push(("GEMINI_API_KEY".to_owned(), key.to_owned()));
    }
    if let Some(address) = occasion.base_url {
        prepared.environment.push(("GOOGLE_GEMINI_BASE_URL".to_owned(), address.to_owned()));
    }
    // Its settings are taken only from below a home, or from files that root owns. Where the home is the user's, a home of
    // this call's own is put in its place, with links to the login: so neither the user's context file nor the user's
    // extensions come in.
    let theirs = occasion.home.join(".gemini");
    let mut own = theirs.clone();
    let mut authentication = occasion.key.map(|_| json!({ "selectedType": "gemini-api-key" }));
    if occasion.home_is_the_users {
        let home = occasion.aside.join("gemini");
        prepared.environment.push(("GEMINI_CLI_HOME".to_owned(), home.display().to_string()));
        own = home.join(".gemini");
        prepared.stands_for.push((home, "~"));
        let login = LOGIN.iter().map(|file| (own.join(file), theirs.join(file))).filter(|(_, theirs)| theirs.exists());
        prepared.links.extend(login);
        authentication = authentication.or_else(|| {
            let settings = super::bounded_file(&theirs.join("settings.json"), SETTINGS_LIMIT)?;
            serde_json::from_str::<Value>(&settings).ok()?.pointer("/security/auth").cloned()
        });
    }
    let settings = json!({
        "security": { "auth": authentication.unwrap_or_else(|| json!({})) },
        "privacy": { "usageStatisticsEnabled": false },
        "telemetry": { "enabled": false },
        "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false, "maxAttempts": 2, "retryFetchErrors": false },
        "model": { "maxSessionTurns": 4 },
        "context": { "fileName": RECIPE.context_file },
    });
    prepared.files.push((own.join("settings.json"), settings.to_string()));
    prepared
}

fn read(printed: &Printed<'_>) -> Result<Said, Trouble> {
    let events = events(printed.stdout);
    let of_type = |kind: &'static str| events.iter().filter(move |event| text(event, "/type") == kind);
    let complaint = of_type("error").next_back().map(|event| (text(event, "/message"), None));
    if let Some(trouble) = ending(printed, complaint) {
        return Err(trouble);
    }
    let code = match printed.how {
        How::Exited(code) => *code,
        _ => 0,
    };
    let Some(result) = of_type("result").next_back() else {
        let trouble = no_result(printed);
        // Its own code for wrong or missing authentication.
        return Err(if code == 41 { Trouble { kind: FailureKind::NoAuth, ..trouble } } else { trouble });
    };
    let served = served(result);
    if text(result, "/status") != "success" {
        let said = text(result, "/error/message");
        let said = if said.is_empty() { complaint.map(|(words, _)| words).unwrap_or_default() } else { said };
        // Its code is the HTTP status without what does not fit into a byte. Where that does not tell, its log does.
        let status = u16::try_from(code + 256).ok().filter(|status| (400..512).contains(status) && code > 100);
        let status = status.or_else(|| status_in(said)).or_else(|| status_in(printed.stderr));
        return Err(Trouble { served: served.into(), ..complained(said, status) });
    }
    let answers = of_type("message").filter(|event| text(event, "/role") == "assistant");
    let said: String = answers.map(|event| text(event, "/content")).collect();
    if said.trim().is_empty() {
        return Err(nothing(served));
    }
    if code != 0 {
        return Err(contradicted(code, served));
    }
    let tools = of_type("tool_use").map(|event| format!("wanted to use {}", one_line(text(event, "/tool_name"))));
    let notes = tools.chain(served.model.as_ref().map(|_| OWN_WORD.to_owned())).collect();
    Ok(Said { text: said, served, tries: None, notes })
}

fn served(result: &Value) -> Served {
    let models = result.pointer("/stats/models").and_then(Value::as_object);
    let model = models.and_then(|models| {
        models
            .iter()
            .filter_map(|(name, used)| Some((count(used, "/output_tokens")?, name)))
            .max()
            .map(|(_, name)| name)
    });
    Served {
        model: model.cloned(),
        input_tokens: count(result, "/stats/input_tokens"),
        output_tokens: written(
            count(result, "/stats/output_tokens"),
            count(result, "/stats/total_tokens"),
            count(result, "/stats/input_tokens"),
        ),
        cached_tokens: count(result, "/stats/cached"),
        cost_microdollars: None,
    }
}
