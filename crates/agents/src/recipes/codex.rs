//! Codex: `codex exec --json`, events as JSON lines.
//!
//! It reads its home's `AGENTS.md` whatever it is told, and follows a link to its login, also when it renews it. So it
//! gets a home of its own in every call, with a link to the user's login and the part of the user's configuration that
//! says where models are served.
//!
//! It takes no other address from its environment: one is written into that home as a provider, so that it stands in no
//! argument, and then neither the login nor the user's providers come along. `OPENAI_BASE_URL` is a word of other programs,
//! and holds for it only with the key that belongs to it.

use super::reading::{complained, contradicted, count, ending, events, no_result, nothing, one_line, text};
use super::toml::{first_name, statements, texts};
use super::{Occasion, Preparation, Printed, Recipe, Said, Trouble};
use crate::agent::Served;
use crate::keeper::How;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// The most bytes of the user's configuration that are read.
const CONFIGURATION_LIMIT: u64 = 1024 * 1024;
/// Features that are switched off: tools, what starts other programs, what phones home, and waiting without end. Without
/// the host of code mode, the `exec` that newer models are offered whatever is said fails at every call.
const OFF: &[&str] = &[
    "apps",
    "code_mode_host",
    "goals",
    "hooks",
    "image_generation",
    "memories",
    "multi_agent",
    "plugins",
    "shell_snapshot",
    "shell_tool",
    "sleep_tool",
    "tool_suggest",
    "unbounded_connection_retries",
    "unified_exec",
    "view_image",
];
/// Other settings. The environment is left out since the folder's name would make every prompt a new one to a cache. The
/// feature of other agents holds for old models only; `agents.enabled` holds for all.
const SETTINGS: &[&str] = &[
    "agents.enabled=false",
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    "include_apps_instructions=false",
    "include_collaboration_mode_instructions=false",
    "include_environment_context=false",
    "include_permissions_instructions=false",
    "skills.bundled.enabled=false",
    "skills.include_instructions=false",
    "tools.experimental_request_user_input.enabled=false",
    "tools.update_plan.enabled=false",
    "web_search=\"disabled\"",
];
/// What of the user's configuration says which model is asked and where.
const TAKEN_OVER: &[&str] = &[
    "chatgpt_base_url",
    "cli_auth_credentials_store",
    "forced_login_method",
    "model",
    PROVIDER,
    "model_reasoning_effort",
    "openai_base_url",
];
/// What of it names another address, or a provider.
const ELSEWHERE: &[&str] = &["chatgpt_base_url", PROVIDER, "openai_base_url"];
/// What names the provider.
const PROVIDER: &str = "model_provider";
/// The provider that is the maker.
const MAKER: &str = "openai";
/// What of it says which model is asked, where it is asked elsewhere.
const TAKEN_ELSEWHERE: &[&str] = &["model", "model_reasoning_effort"];
/// Settings of a provider that may hold keys.
const SECRET_SETTINGS: &[&str] = &["experimental_bearer_token", "http_headers", "query_params"];
/// Items of its output that are no use of a tool.
const QUIET: &[&str] = &["agent_message", "error", "reasoning", "todo_list"];
/// How its warning begins that the host of code mode is off, which is what was asked for.
const EXPECTED_WARNING: &str = "Code Mode is unavailable";
/// What stands in its log before the reason for which a call of a tool came to nothing.
const TOOL_REFUSED: &str = "codex_core::tools::router: error=";
/// The most uses of tools that are told.
const TOLD_USES: usize = 8;
/// The tables of the user's configuration that say where models are served.
const TAKEN_TABLES: &str = "model_providers";

/// How Codex is asked.
pub(super) static RECIPE: Recipe = Recipe {
    name: "codex",
    vendor: "OpenAI",
    family: Some("openai"),
    install: "npm install -g @openai/codex",
    login: "codex login",
    keys: &["CODEX_API_KEY", "OPENAI_API_KEY"],
    base_url: Some("OPENAI_BASE_URL"),
    base_url_key: Some("OPENAI_API_KEY"),
    makers: &[],
    passes: &[],
    login_files: &[".codex/auth.json"],
    config_files: &[".codex/config.toml"],
    writes: &[".codex"],
    clouds: &[],
    context_file: "AGENTS.md",
    expands_paths: false,
    dangerous: &[
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-bypass-hook-trust",
        "--yolo",
        "--full-auto",
        "--approve-for-me",
        "danger-full-access",
        "workspace-write",
        "--add-dir",
        "--enable",
    ],
    silence: Some((Duration::from_secs(60), Duration::from_secs(600))),
    prepare,
    read,
};

fn prepare(occasion: &Occasion<'_>) -> Preparation {
    let mut prepared = Preparation::default();
    let mut arguments: Vec<String> =
        ["exec", "--json", "-s", "read-only", "--skip-git-repo-check", "--ephemeral", "--color"]
            .into_iter()
            .chain(["never", "--ignore-rules", "-C"])
            .map(str::to_owned)
            .collect();
    arguments.push(occasion.folder.display().to_string());
    arguments.extend(settings(occasion).into_iter().flat_map(|setting| ["-c".to_owned(), setting]));
    if let Some(model) = occasion.model {
        arguments.extend(["-m".to_owned(), model.to_owned()]);
    }
    arguments.push("-".to_owned());
    prepared.arguments = arguments;
    if let Some(key) = occasion.key {
        prepared.environment.push(("CODEX_API_KEY".to_owned(), key.to_owned()));
    }
    let theirs = occasion.home.join(".codex");
    let own = if occasion.home_is_the_users { occasion.aside.join("codex") } else { theirs.clone() };
    prepared.environment.push(("CODEX_HOME".to_owned(), own.display().to_string()));
    prepared.stands_for.push((own.clone(), "~/.codex"));
    let mut configuration = String::new();
    if occasion.home_is_the_users {
        let login = theirs.join("auth.json");
        if login.exists() && occasion.base_url.is_none() {
            prepared.links.push((own.join("auth.json"), login));
        }
        let whole = super::bounded_file(&theirs.join("config.toml"), CONFIGURATION_LIMIT).unwrap_or_default();
        let taken = match occasion.base_url {
            None => served_where(&whole, TAKEN_OVER, Some(TAKEN_TABLES)),
            Some(_) => served_where(&whole, TAKEN_ELSEWHERE, None),
        };
        prepared.secrets = taken.secrets;
        configuration = taken.text;
    }
    configuration.extend(occasion.base_url.map(|address| elsewhere(address, occasion)));
    // The folder has to be there, and a file makes it.
    prepared.files.push((own.join("config.toml"), configuration));
    prepared
}

/// What is set in every call, as `a.b=value`.
pub(crate) fn settings(occasion: &Occasion<'_>) -> Vec<String> {
    let off = OFF.iter().map(|feature| format!("features.{feature}=false"));
    let documents = (!occasion.has_context_file).then(|| "project_doc_max_bytes=0".to_owned());
    off.chain(SETTINGS.iter().map(|setting| (*setting).to_owned())).chain(documents).collect()
}

/// The same as one object, for a program that brings Codex to a protocol and takes no arguments for it.
pub(crate) fn settings_as_json(occasion: &Occasion<'_>) -> Value {
    let mut all = Value::Object(serde_json::Map::new());
    for setting in settings(occasion) {
        let Some((path, value)) = setting.split_once('=') else { continue };
        // Truth, numbers and texts are written in JSON as they are in TOML.
        let Ok(value) = serde_json::from_str(value) else { continue };
        let mut place = &mut all;
        for name in path.split('.') {
            place = &mut place[name];
        }
        *place = value;
    }
    all
}

/// A TOML string.
fn quoted(text: &str) -> String {
    // JSON's escapes are TOML's.
    Value::from(text).to_string()
}

/// The provider that stands for another address. Comes last: it ends with a table.
fn elsewhere(address: &str, occasion: &Occasion<'_>) -> String {
    let key = if occasion.key.is_some() { "env_key = \"CODEX_API_KEY\"\n" } else { "" };
    format!(
        "model_provider = \"forge\"\n[{TAKEN_TABLES}.forge]\nname = \"forge\"\nbase_url = {}\nwire_api = \"responses\"\n{key}\
         request_max_retries = 2\nstream_max_retries = 1\nstream_idle_timeout_ms = {}\n",
        quoted(address.trim_end_matches('/')),
        occasion.deadline.as_millis(),
    )
}

/// Whether the user's own configuration sends it to somebody else than the maker.
pub(super) fn is_sent_elsewhere(home: &Path) -> bool {
    let Some(whole) = super::bounded_file(&home.join(".codex/config.toml"), CONFIGURATION_LIMIT) else { return false };
    let taken = served_where(&whole, ELSEWHERE, None).text;
    statements(&taken).iter().any(|said| first_name(said) != PROVIDER || texts(said) != [MAKER])
}

/// What was taken over of a configuration.
#[derive(Debug, Default, PartialEq, Eq)]
struct Taken {
    text: String,
    secrets: Vec<String>,
}

/// The statements of a configuration that say which model is asked and where: these names, and these tables.
fn served_where(configuration: &str, names: &[&str], tables: Option<&str>) -> Taken {
    let mut taken = Taken::default();
    let mut table = "";
    for statement in statements(configuration) {
        if statement.starts_with('[') {
            table = statement;
        }
        let name = first_name(if table.is_empty() { statement } else { table });
        if tables != Some(name) && !(table.is_empty() && names.contains(&name)) {
            continue;
        }
        taken.text.push_str(statement);
        taken.text.push('\n');
        taken.secrets.extend(secrets_in(statement, table).into_iter().map(str::to_owned));
    }
    taken
}

/// The texts of a statement that may be keys, and the addresses, which may hold some.
fn secrets_in<'s>(statement: &'s str, table: &str) -> Vec<&'s str> {
    let Some((name, value)) = statement.split_once('=') else { return Vec::new() };
    let of_the_program = |text: &str, at: usize| !text[..at].ends_with("env_");
    if SECRET_SETTINGS.iter().any(|secret| table.contains(secret) || name.trim() == *secret) {
        return texts(value);
    }
    let listed = SECRET_SETTINGS.iter().flat_map(|secret| value.match_indices(secret)).flat_map(|(at, secret)| {
        let rest = if of_the_program(value, at) { &value[at + secret.len()..] } else { "" };
        let end = rest.find(if rest.trim_start_matches(['=', ' ']).starts_with('{') { '}' } else { ',' });
        texts(&rest[..end.unwrap_or(rest.len())])
    });
    listed.chain(texts(value).into_iter().filter(|text| text.contains("://"))).collect()
}

fn read(printed: &Printed<'_>) -> Result<Said, Trouble> {
    let events = events(printed.stdout);
    let last = |kind: &str| events.iter().rev().find(|event| text(event, "/type") == kind);
    let items = |kind: &'static str| {
        events.iter().filter(move |event| text(event, "/type") == "item.completed" && text(event, "/item/type") == kind)
    };
    let complaints: Vec<&str> =
        events.iter().filter(|event| text(event, "/type") == "error").map(|event| text(event, "/message")).collect();
    if let Some(trouble) = ending(printed, complaints.last().map(|words| (*words, None))) {
        return Err(trouble);
    }
    // Each complaint but the last, which is the failure itself, was followed by another try.
    let again = complaints.iter().filter(|words| words.starts_with("Reconnecting")).count();
    let tries = Some(u32::try_from(again).unwrap_or(0).saturating_add(1));
    if let Some(failed) = last("turn.failed") {
        return Err(Trouble { tries, ..complained(text(failed, "/error/message"), None) });
    }
    let Some(completed) = last("turn.completed") else { return Err(no_result(printed)) };
    let served = Served {
        // Codex does not tell which model served it.
        model: None,
        input_tokens: count(completed, "/usage/input_tokens"),
        output_tokens: count(completed, "/usage/output_tokens"),
        cached_tokens: count(completed, "/usage/cached_input_tokens"),
        cost_microdollars: None,
    };
    let said = items("agent_message").next_back().map(|event| text(event, "/item/text")).unwrap_or_default();
    if said.trim().is_empty() {
        return Err(Trouble { tries, ..nothing(served) });
    }
    if let How::Exited(code) = printed.how
        && *code != 0
    {
        return Err(Trouble { tries, ..contradicted(*code, served) });
    }
    let warnings = items("error").map(|event| one_line(text(event, "/item/message")));
    let warnings = warnings.filter(|warning| !warning.starts_with(EXPECTED_WARNING));
    let notes = warnings.chain(uses(&events)).chain(refusals(printed.stderr)).collect();
    Ok(Said { text: said.to_owned(), served, tries, notes })
}

/// The tools that it says it used: none should be there.
fn uses(events: &[Value]) -> Vec<String> {
    let mut told: Vec<(&str, String)> = Vec::new();
    for event in events.iter().filter(|event| text(event, "/type").starts_with("item.")) {
        let (id, kind) = (text(event, "/item/id"), text(event, "/item/type"));
        if kind.is_empty() || QUIET.contains(&kind) || told.iter().any(|(known, _)| *known == id) {
            continue;
        }
        let details = ["command", "server", "tool", "query"].map(|name| text(event, &format!("/item/{name}")));
        let words = [kind].into_iter().chain(details).filter(|word| !word.is_empty());
        let mut note = format!("used a tool: {}", one_line(&words.collect::<Vec<_>>().join(" ")));
        if kind.contains("collab") || kind.contains("agent") {
            note.push_str("; what other agents used is not counted");
        }
        told.push((id, note));
    }
    bounded(told.into_iter().map(|(_, note)| note).collect())
}

/// The calls of tools that came to nothing, by its log. Each made it ask the model once more.
fn refusals(log: &str) -> Vec<String> {
    let reasons = log.lines().filter_map(|line| line.split_once(TOOL_REFUSED));
    bounded(reasons.map(|(_, why)| format!("wanted to use a tool and was not let: {}", one_line(why))).collect())
}

fn bounded(mut notes: Vec<String>) -> Vec<String> {
    let more = notes.len().saturating_sub(TOLD_USES);
    notes.truncate(TOLD_USES);
    notes.extend((more > 0).then(|| format!("and {more} more of these")));
    notes
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_where_models_are_served_is_taken_over() {
        let configuration = "model = \"gpt-x\"\napproval_policy = \"never\"\nnotify = [\n\"model = 1\",\n]\n\n\
            [mcp_servers.files]\ncommand = \"\"\"\n[model_providers.trap]\n\"\"\"\n\n\
            [model_providers.azure]\nname = \"a\"\nenv_key = \"K\"\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n";
        let taken = served_where(configuration, TAKEN_OVER, Some(TAKEN_TABLES));
        assert_eq!(taken.text, "model = \"gpt-x\"\n[model_providers.azure]\nname = \"a\"\nenv_key = \"K\"\n");
        assert_eq!(taken.secrets, Vec::<String>::new());
        assert_eq!(served_where(configuration, TAKEN_ELSEWHERE, None).text, "model = \"gpt-x\"\n");
        assert_eq!(served_where("", TAKEN_OVER, None), Taken::default());
    }

    #[test]
    fn keys_in_what_is_taken_over_are_known() {
        let configuration = "model_providers.b = { name = \"bbb\", http_headers = { \"k\" = \"in-line\" }, wire_api = \"responses\" }\n\
            [model_providers.a]\nname = \"a\"\nbase_url = \"https://u:pw@host/v1\"\nexperimental_bearer_token = \"bearer\"\n\
            env_http_headers = { h = \"VARIABLE\" }\nquery_params = { sig = \"query\" }\n\
            [model_providers.a.http_headers]\n\"X-Key\" = \"header\"\n";
        let taken = served_where(configuration, TAKEN_OVER, Some(TAKEN_TABLES));
        assert_eq!(taken.secrets, ["k", "in-line", "https://u:pw@host/v1", "bearer", "query", "header"]);
    }

    #[test]
    fn every_use_of_a_tool_is_told_once() {
        let stdout = r#"{"type":"item.completed","item":{"id":"i0","type":"error","message":"Code Mode is unavailable because"}}
{"type":"item.started","item":{"id":"i1","type":"command_execution","command":"ls"}}
{"type":"item.completed","item":{"id":"i1","type":"command_execution","command":"ls"}}
{"type":"item.started","item":{"id":"i2","type":"collab_tool_call","tool":"spawn_agent"}}
{"type":"item.completed","item":{"id":"i3","type":"mcp_tool_call","server":"files","tool":"read"}}
{"type":"item.completed","item":{"id":"i4","type":"agent_message","text":"Yes."}}
{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}"#;
        let stderr = "2026-01-01T00:00:00Z ERROR codex_core::tools::router: error=code-mode host is disabled\n";
        let said = read(&Printed { how: &How::Exited(0), stdout, stderr }).unwrap();
        let told = [
            "used a tool: command_execution ls",
            "used a tool: collab_tool_call spawn_agent; what other agents used is not counted",
            "used a tool: mcp_tool_call files read",
            "wanted to use a tool and was not let: code-mode host is disabled",
        ];
        assert_eq!(said.notes, told);
        let many = "router: codex_core::tools::router: error=no\n".repeat(TOLD_USES + 3);
        assert_eq!(refusals(&many).last().map(String::as_str), Some("and 3 more of these"));
    }
}
