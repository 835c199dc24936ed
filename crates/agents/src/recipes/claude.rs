//! Claude Code: `claude -p`, events as JSON lines.
//!
//! It calls an API error a success with `is_error`, so both the flag and the code are looked at. Where an answer reaches
//! the length limit it asks itself to go on and reports the last piece only: that is no answer.

use super::reading::{
    complained, contradicted, count, ending, events, microdollars, no_result, nothing, one_line, text,
};
use super::{Occasion, Preparation, Printed, Recipe, Said, Trouble};
use crate::agent::{FailureKind, Served};
use crate::keeper::How;
use crate::settings::AgentSettings;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::Duration;

/// The most bytes of the user's settings that are read.
const SETTINGS_LIMIT: u64 = 1024 * 1024;
/// What of the user's own settings says how Claude Code authenticates. Nothing else of them is taken over: no hooks, no
/// permissions, no plugins.
const AUTHENTICATION_SETTINGS: &[&str] = &[
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "gcpAuthRefresh",
    "forceLoginMethod",
    "forceLoginOrgUUID",
];
/// How the names of the variables begin that say the vendor's keys and addresses.
const VENDORS_VARIABLES: &str = "ANTHROPIC_";
/// Which variables that those settings set have to do with authentication.
const AUTHENTICATION_VARIABLES: &[&str] =
    &[VENDORS_VARIABLES, "AWS_", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_", "CLOUD_ML_", "VERTEX_"];

/// How Claude Code is asked.
pub(super) static RECIPE: Recipe = Recipe {
    name: "claude",
    vendor: "Anthropic",
    family: Some("anthropic"),
    install: "npm install -g @anthropic-ai/claude-code",
    login: "claude, then /login",
    keys: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
    base_url: Some("ANTHROPIC_BASE_URL"),
    base_url_key: None,
    makers: &[],
    passes: &[],
    login_files: &[".claude/.credentials.json"],
    config_files: &[".claude/settings.json"],
    writes: &[".claude", ".claude.json"],
    clouds: &[".aws", ".azure", ".config/gcloud"],
    context_file: "CLAUDE.md",
    expands_paths: true,
    dangerous: &[
        "--dangerously-skip-permissions",
        "--allow-dangerously-skip-permissions",
        "bypassPermissions",
        "acceptEdits",
        "--allowedTools",
        "--allowed-tools",
        "--tools",
        "--mcp-config",
        "--plugin-dir",
        "--plugin-url",
    ],
    silence: Some((Duration::from_secs(60), Duration::from_secs(600))),
    prepare,
    read,
};

fn prepare(occasion: &Occasion<'_>) -> Preparation {
    let arguments = [
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
        "--tools",
        "",
        "--strict-mcp-config",
        "--setting-sources",
        "project",
        "--permission-mode",
        "dontAsk",
        "--disable-slash-commands",
        "--no-session-persistence",
        "--max-turns",
        "4",
    ]
    .map(str::to_owned)
    .to_vec();
    let mut prepared = Preparation { arguments, ..Preparation::default() };
    if let Some(model) = occasion.model {
        prepared.arguments.extend(["--model".to_owned(), model.to_owned()]);
    }
    let timeout = occasion.deadline.as_millis().to_string();
    for (name, value) in [
        ("CLAUDE_CODE_MAX_RETRIES", "2"),
        ("API_TIMEOUT_MS", timeout.as_str()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1"),
        ("CLAUDE_CODE_DISABLE_FILE_MENTIONS", "1"),
        ("DISABLE_TELEMETRY", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
    ] {
        prepared.environment.push((name.to_owned(), value.to_owned()));
    }
    if !occasion.has_context_file {
        prepared.environment.push(("CLAUDE_CODE_DISABLE_CLAUDE_MDS".to_owned(), "1".to_owned()));
    }
    if let Some(key) = occasion.key {
        let variable = occasion.key_variable.filter(|name| RECIPE.keys.contains(name)).unwrap_or("ANTHROPIC_API_KEY");
        prepared.environment.push((variable.to_owned(), key.to_owned()));
    }
    if let Some(address) = occasion.base_url {
        prepared.environment.push(("ANTHROPIC_BASE_URL".to_owned(), address.to_owned()));
    }
    if occasion.home_is_the_users
        && let Some(theirs) = settings_in(occasion.home)
    {
        // As with Claude Code itself, these come over what its environment says: an address and its key stay together.
        prepared.environment.extend(authentication_variables(&theirs, occasion.settings));
        if let Some(settings) = authentication_settings(&theirs) {
            let file = occasion.aside.join("settings.json");
            prepared.arguments.extend(["--settings".to_owned(), file.display().to_string()]);
            prepared.stands_for.push((file.clone(), "~/.claude/settings.json"));
            prepared.files.push((file, settings.to_string()));
        }
    }
    prepared
}

/// The user's own settings.
fn settings_in(home: &Path) -> Option<Value> {
    let settings = super::bounded_file(&home.join(".claude/settings.json"), SETTINGS_LIMIT)?;
    serde_json::from_str(&settings).ok()
}

/// What the user's own settings say about authentication, if anything: commands and names. The file that they are copied
/// to holds no key; those are in variables.
fn authentication_settings(theirs: &Value) -> Option<Value> {
    let taken: Map<String, Value> = AUTHENTICATION_SETTINGS
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), theirs.get(name)?.clone())))
        .collect();
    (!taken.is_empty()).then(|| json!(taken))
}

/// The variables that the user's own settings set for authentication. Where forge's configuration names a key or an
/// address, theirs are not mixed with those.
fn authentication_variables(theirs: &Value, told: &AgentSettings) -> Vec<(String, String)> {
    let is_told = told.base_url.is_some() || told.key_env.is_some() || told.key_command.is_some();
    let is_taken = |name: &str| {
        AUTHENTICATION_VARIABLES.iter().any(|beginning| name.starts_with(beginning))
            && !(is_told && name.starts_with(VENDORS_VARIABLES))
    };
    let variables = theirs.get("env").and_then(Value::as_object).into_iter().flatten();
    let taken = variables.filter(|(name, _)| is_taken(name)).filter_map(|(name, value)| {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => return None,
        };
        (!value.contains('\0')).then(|| (name.clone(), value))
    });
    taken.collect()
}

fn read(printed: &Printed<'_>) -> Result<Said, Trouble> {
    let events = events(printed.stdout);
    let of_type = |kind: &str| events.iter().filter(move |event| text(event, "/type") == kind).collect::<Vec<_>>();
    let retries: Vec<&Value> = events.iter().filter(|event| text(event, "/subtype") == "api_retry").collect();
    let complaint = retries.last().map(|event| {
        let status = count(event, "/error_status").and_then(|status| u16::try_from(status).ok());
        (text(event, "/error"), status)
    });
    if let Some(trouble) = ending(printed, complaint) {
        return Err(trouble);
    }
    let Some(result) = of_type("result").pop() else { return Err(no_result(printed)) };
    let answers = of_type("assistant");
    let served = served(result, &answers);
    let tries = count(result, "/num_turns").and_then(|turns| u32::try_from(turns).ok()).unwrap_or(1);
    let tries = Some(tries.saturating_add(u32::try_from(retries.len()).unwrap_or(0)));
    let troubled = |trouble: Trouble| Trouble { served: served.clone().into(), tries, ..trouble };
    let said = text(result, "/result");
    let is_error = result.pointer("/is_error").and_then(Value::as_bool).unwrap_or(true);
    if text(result, "/stop_reason") == "refusal" {
        return Err(troubled(Trouble::new(FailureKind::Refused, format!("the model refused: {}", one_line(said)))));
    }
    if is_error || text(result, "/subtype") != "success" {
        return Err(troubled(failure(result, said)));
    }
    let went_on =
        of_type("user").iter().any(|event| event.pointer("/isSynthetic").and_then(Value::as_bool) == Some(true));
    let pieces = answers.iter().filter(|answer| !words_of(answer).trim().is_empty()).count();
    if went_on && pieces > 1 {
        let detail = format!("the answer reached the length limit and came in {pieces} pieces");
        return Err(troubled(Trouble::new(FailureKind::TooLong, detail)));
    }
    if said.trim().is_empty() {
        return Err(troubled(nothing(Served::default())));
    }
    if let How::Exited(code) = printed.how
        && *code != 0
    {
        return Err(troubled(contradicted(*code, Served::default())));
    }
    Ok(Said { text: said.to_owned(), served: served.clone(), tries, notes: denials(result) })
}

/// What an error result says.
fn failure(result: &Value, said: &str) -> Trouble {
    let status = count(result, "/api_error_status").and_then(|status| u16::try_from(status).ok());
    let errors = || {
        let listed = result.pointer("/errors").and_then(Value::as_array).into_iter().flatten();
        listed.filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
    };
    let said = if said.trim().is_empty() { errors() } else { said.to_owned() };
    let said = if said.trim().is_empty() { format!("reported {:?}", text(result, "/subtype")) } else { said };
    let trouble = complained(&said, status);
    let kind = match (text(result, "/terminal_reason"), text(result, "/api_error"), text(result, "/subtype")) {
        ("prompt_too_long", ..) | (_, "max_output_tokens", _) => FailureKind::TooLong,
        (_, _, "error_max_budget_usd") => FailureKind::Budget,
        _ => trouble.kind,
    };
    Trouble { kind, ..trouble }
}

fn served(result: &Value, answers: &[&Value]) -> Served {
    let used = |name: &str| count(result, &format!("/usage/{name}"));
    let cached = used("cache_read_input_tokens");
    let models = answers.iter().map(|answer| text(answer, "/message/model"));
    // `<synthetic>` is what Claude Code calls itself where it puts words into the model's mouth.
    let model = models.rev().find(|model| !model.is_empty() && !model.starts_with('<')).map(str::to_owned);
    let input = used("input_tokens").map(|fresh| {
        fresh.saturating_add(cached.unwrap_or(0)).saturating_add(used("cache_creation_input_tokens").unwrap_or(0))
    });
    Served {
        model,
        input_tokens: input,
        output_tokens: used("output_tokens"),
        cached_tokens: cached,
        cost_microdollars: microdollars(result, "/total_cost_usd"),
    }
}

fn words_of(answer: &Value) -> String {
    let parts = answer.pointer("/message/content").and_then(Value::as_array).into_iter().flatten();
    parts.map(|part| text(part, "/text")).collect()
}

fn denials(result: &Value) -> Vec<String> {
    let denied = result.pointer("/permission_denials").and_then(Value::as_array).into_iter().flatten();
    denied.map(|denial| format!("wanted to use {} and was not let", one_line(text(denial, "/tool_name")))).collect()
}
