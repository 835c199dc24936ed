//! What a project may say, which may have been cloned from a stranger, and what no file may hold.

use super::keys::Key;
use super::kinds::Kind;
use forge_agents::is_model_name;
use serde_json::Value;

/// Agents whose names are commands or files of whoever wrote them.
const RUN_WHAT_THEY_NAME: &[&str] = &["acp", "local", "scripted"];

/// Names that are what they say, whatever they are part of.
const KEY_NAMES: &[&str] =
    &["key", "apikey", "token", "secret", "password", "passwd", "bearer", "authorization", "credential", "credentials"];
const KEY_ENDINGS: &[&str] = &["_key", "_token", "_secret", "_password", "_apikey", "_credentials"];

/// Whether a field of this name would hold a key: `api_key`, `accessToken`, `OPENAI-API-KEY`.
pub(super) fn is_named_like_a_key(name: &str) -> bool {
    let mut plain = String::new();
    let mut was_small = false;
    for c in name.chars() {
        if c.is_uppercase() && was_small {
            plain.push('_');
        }
        was_small = c.is_lowercase();
        plain.push(if c == '-' || c == '.' || c == ' ' { '_' } else { c.to_ascii_lowercase() });
    }
    KEY_NAMES.contains(&plain.replace('_', "").as_str()) || KEY_ENDINGS.iter().any(|ending| plain.ends_with(ending))
}

/// The agent's name without its model.
pub(super) fn bare_name(agent: &str) -> &str {
    agent.split_once(':').map_or(agent, |(name, _)| name).trim()
}

/// What is wrong with a value that is sound in itself, when a project says it.
pub(super) fn check_projects_value(key: &Key, value: &Value) -> Result<(), String> {
    let text = value.as_str().unwrap_or_default();
    match key.kind {
        Kind::Agent => check_agent(text),
        Kind::Model => check_model(text),
        _ => Ok(()),
    }
}

fn check_agent(name: &str) -> Result<(), String> {
    let bare = bare_name(name);
    if RUN_WHAT_THEY_NAME.iter().any(|runs| bare.eq_ignore_ascii_case(runs)) {
        return Err(format!("a project may not name an agent that runs or reads what it names ({bare}:...)"));
    }
    if !is_agent_name(bare) {
        return Err("a project may only name agents, such as \"claude\" or \"openai:MODEL\"".to_owned());
    }
    match name.split_once(':') {
        Some((_, model)) => check_model(model),
        None => Ok(()),
    }
}

fn check_model(model: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | ':' | '@' | '+');
    let is_path = model.starts_with(['/', '~', '.', '@']) || model.split('/').any(|part| part == "..");
    if is_model_name(model) && !is_path && model.chars().all(is_plain) {
        Ok(())
    } else {
        Err("a project may only name a model, not a path".to_owned())
    }
}

/// Whether an agent can be called this.
pub(super) fn is_agent_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}
