//! What of the user's own settings logs a program in: the signs that each recipe's files may hold, and the smallest reading
//! of JSON, TOML and lines of variables that finds them. A file with a theme in it is no login.
//!
//! Nothing of what is read leaves here but whether it is there. Must never follow a setting: no command is run.

use super::toml::{names, outside_quotes, statements, texts};
use super::{Recipe, bounded_file};
use crate::settings::{AgentSettings, RosterSettings};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The most bytes of a file that are read.
const FILE_LIMIT: u64 = 8 * 1024 * 1024;

/// What logs a program in.
enum Sign {
    /// The file itself: only a login makes it.
    There,
    /// JSON with something at this pointer.
    Says(&'static str),
    /// JSON whose object at this pointer sets one of these variables.
    Sets(&'static str, &'static [&'static str]),
    /// JSON with this word at this pointer, and one of these besides.
    Chooses(&'static str, &'static str, &'static [Need]),
    /// A line that sets one of these variables.
    Line(&'static [&'static str]),
    /// TOML that names a provider, and how it is paid.
    Provider,
}

/// What a choice of the user's needs besides.
enum Need {
    /// This file below the home.
    File(&'static str),
    /// This variable in forge's environment.
    Variable(&'static str),
    /// Nothing that can be seen.
    Nothing,
}

/// Where Gemini CLI says how it authenticates.
const GEMINI_TYPE: &str = "/security/auth/selectedType";
/// Variables that authenticate Gemini CLI.
const GEMINI_VARIABLES: &[&str] = &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENAI_USE_*", "GOOGLE_CLOUD_PROJECT"];
/// Variables that authenticate Claude Code.
const CLAUDE_VARIABLES: &[&str] =
    &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_*"];
/// Providers that Codex knows by itself and that need no key of OpenAI's.
const CODEX_PROVIDERS: &[&str] = &["ollama", "lmstudio", "amazon-bedrock"];
/// Settings of a provider that hold its key, or say where it comes from.
const CODEX_KEYS: &[&str] = &["experimental_bearer_token", "http_headers", "env_http_headers", "auth"];

/// By recipe and file below the home. A recipe that is not here has whatever its files say.
const SIGNS: &[(&str, &str, &[Sign])] = &[
    ("claude", ".claude/settings.json", &[Sign::Says("/apiKeyHelper"), Sign::Sets("/env", CLAUDE_VARIABLES)]),
    ("claude", ".claude.json", &[Sign::Says("/primaryApiKey")]),
    ("codex", ".codex/config.toml", &[Sign::Provider]),
    ("gemini", ".gemini/gemini-credentials.json", &[Sign::There]),
    (
        "gemini",
        ".gemini/settings.json",
        &[
            Sign::Chooses(GEMINI_TYPE, "oauth-personal", &[Need::File(".gemini/oauth_creds.json")]),
            Sign::Chooses(GEMINI_TYPE, "gemini-api-key", &[Need::File(".gemini/gemini-credentials.json")]),
            Sign::Chooses(GEMINI_TYPE, "vertex-ai", &[Need::Variable("GOOGLE_CLOUD_PROJECT")]),
            Sign::Chooses(GEMINI_TYPE, "compute-default-credentials", &[Need::Nothing]),
            Sign::Chooses(GEMINI_TYPE, "cloud-shell", &[Need::Nothing]),
        ],
    ),
    ("gemini", ".gemini/.env", &[Sign::Line(GEMINI_VARIABLES)]),
    ("qwen", ".qwen/settings.json", &[Sign::Says("/security/auth/apiKey"), Sign::Sets("/env", &["*_API_KEY"])]),
    ("qwen", ".qwen/.env", &[Sign::Line(&["*_API_KEY"])]),
];

/// What the user's own settings say about a program's login.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// The file that logs it in.
    pub(crate) file: Option<PathBuf>,
    /// The files that are there and do not, each with why.
    pub(crate) others: Vec<String>,
}

/// Looks through a recipe's files below a home.
pub(crate) fn look(settings: &RosterSettings, own: &AgentSettings, home: &Path, recipe: &Recipe) -> Found {
    let mut found = Found::default();
    let mut known = SIGNS.iter().filter(|(name, ..)| *name == recipe.name).peekable();
    if known.peek().is_none() {
        found.file = recipe.config_files.iter().map(|file| home.join(file)).find(|file| file.exists());
        return found;
    }
    for (_, file, signs) in known {
        let path = home.join(file);
        if !path.exists() {
            continue;
        }
        let Some(text) = bounded_file(&path, FILE_LIMIT) else {
            found.others.push(format!("~/{file} cannot be read, or has more than {FILE_LIMIT} bytes"));
            continue;
        };
        let place = Place { settings, own, home };
        if signs.iter().any(|sign| place.shows(sign, &text)) {
            found.file = Some(path);
            return found;
        }
        // Its own notes, which hold a key only for some.
        if *file != ".claude.json" {
            found.others.push(format!("~/{file} holds nothing that logs it in"));
        }
    }
    found
}

struct Place<'a> {
    settings: &'a RosterSettings,
    own: &'a AgentSettings,
    home: &'a Path,
}

impl Place<'_> {
    fn shows(&self, sign: &Sign, text: &str) -> bool {
        let json = || serde_json::from_str::<Value>(text).unwrap_or_default();
        match sign {
            Sign::There => true,
            Sign::Says(pointer) => json().pointer(pointer).is_some_and(is_said),
            Sign::Sets(pointer, names) => {
                let json = json();
                let set = json.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
                set.into_iter().any(|(name, value)| is_among(name, names) && is_said(value))
            }
            Sign::Chooses(pointer, word, needs) => {
                json().pointer(pointer).and_then(Value::as_str) == Some(word)
                    && needs.iter().any(|need| match need {
                        Need::File(file) => self.home.join(file).exists(),
                        Need::Variable(name) => self.settings.variable(name).is_some(),
                        Need::Nothing => true,
                    })
            }
            Sign::Line(names) => text.lines().filter_map(|line| line.split_once('=')).any(|(name, value)| {
                let name = name.trim().trim_start_matches("export ").trim();
                is_among(name, names) && !value.trim().trim_matches(['"', '\'']).is_empty()
            }),
            Sign::Provider => self.pays(text),
        }
    }

    /// Whether a configuration of Codex's names a provider that can be asked as it is.
    fn pays(&self, text: &str) -> bool {
        let statements = with_tables(text);
        let set = |table: &[&str], name: &str| {
            let of_table = |names: &[&str]| names.split_last() == Some((&name, table));
            let found = statements.iter().find(|(names, _)| of_table(names));
            found.map(|(_, value)| texts(value).first().map_or(value.trim(), |text| *text))
        };
        let Some(provider) = set(&[], "model_provider") else { return false };
        if CODEX_PROVIDERS.contains(&provider) {
            return true;
        }
        let table = ["model_providers", provider];
        let mut its = statements.iter().filter_map(|(names, value)| Some((names.strip_prefix(&table[..])?, *value)));
        // In one line, what it holds is not told apart: it is there.
        if its.any(|(names, _)| names.first().is_none_or(|name| CODEX_KEYS.contains(name))) {
            return true;
        }
        match set(&table, "env_key") {
            // A key of another name is passed on only if the user says so.
            Some(name) => {
                self.own.env.contains_key(name)
                    || (self.own.pass_env.iter().any(|passed| passed == name) && self.settings.variable(name).is_some())
            }
            None => set(&table, "base_url").is_some() && set(&table, "requires_openai_auth") != Some("true"),
        }
    }
}

/// Every setting of a document, by the names that lead to it.
fn with_tables(document: &str) -> Vec<(Vec<&str>, &str)> {
    let mut table = Vec::new();
    let mut found = Vec::new();
    for statement in statements(document) {
        if statement.starts_with('[') {
            let header = statement.trim_start_matches('[');
            let end = outside_quotes(header, ']').next().unwrap_or(header.len());
            table = names(&header[..end]);
        } else if let Some(at) = outside_quotes(statement, '=').next() {
            let (name, value) = (&statement[..at], &statement[at + 1..]);
            found.push((table.iter().copied().chain(names(name)).collect(), value));
        }
    }
    found
}

/// Whether a name is one of these, where a star stands for anything at its beginning or end.
fn is_among(name: &str, patterns: &[&str]) -> bool {
    patterns.iter().any(|pattern| match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (_, Some(beginning)) => name.starts_with(beginning),
        _ => name == *pattern,
    })
}

/// Whether a value says something: neither nothing nor no.
fn is_said(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is) => *is,
        Value::String(text) => !matches!(text.trim(), "" | "0" | "false"),
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Array(_) | Value::Object(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipes;

    fn found(name: &str, file: &str, text: &str, set: impl FnOnce(&mut AgentSettings)) -> Found {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        let settings = RosterSettings::with_environment([("AZURE_KEY", "a-key")]);
        let mut own = AgentSettings::default();
        set(&mut own);
        look(&settings, &own, home.path(), recipes::named(name).unwrap())
    }

    #[test]
    fn only_what_authenticates_is_a_login() {
        let provider = |more: &str| {
            format!("model_provider = \"x\"\n[model_providers.x]\nname = \"x\"\nbase_url = \"http://h/v1\"\n{more}\n")
        };
        let (bearer, environment, openai) = (
            provider("experimental_bearer_token = \"t\""),
            provider("env_key = \"AZURE_KEY\""),
            provider("requires_openai_auth = true"),
        );
        let free = provider("");
        let dotted = "model_provider = \"a.b\"\n[model_providers.\"a.b\"] # [x]\nbase_url = \"http://h/v1\"\n\"http_headers\".\"k=\" = \"v\"\n";
        let elsewhere = "model_provider = \"a.b\"\n[model_providers.a.b]\nbase_url = \"http://h/v1\"\n";
        for (name, file, text, is_login) in [
            ("claude", ".claude/settings.json", r#"{"theme":"dark"}"#, false),
            ("claude", ".claude/settings.json", r#"{"apiKeyHelper":"pass show x"}"#, true),
            ("claude", ".claude/settings.json", r#"{"env":{"ANTHROPIC_AUTH_TOKEN":"t"}}"#, true),
            ("claude", ".claude/settings.json", r#"{"env":{"CLAUDE_CODE_USE_BEDROCK":"1"}}"#, true),
            ("claude", ".claude/settings.json", r#"{"env":{"CLAUDE_CODE_USE_BEDROCK":"0","EDITOR":"vi"}}"#, false),
            ("claude", ".claude/settings.json", "{ no json", false),
            ("claude", ".claude.json", r#"{"numStartups":3}"#, false),
            ("claude", ".claude.json", r#"{"primaryApiKey":"k"}"#, true),
            ("gemini", ".gemini/settings.json", r#"{"ui":{"theme":"x"}}"#, false),
            ("gemini", ".gemini/settings.json", r#"{"security":{"auth":{"selectedType":"oauth-personal"}}}"#, false),
            ("gemini", ".gemini/settings.json", r#"{"security":{"auth":{"selectedType":"cloud-shell"}}}"#, true),
            ("gemini", ".gemini/.env", "# mine\nexport GEMINI_API_KEY='k'\n", true),
            ("gemini", ".gemini/.env", "GEMINI_API_KEY=\nEDITOR=vi\n", false),
            ("qwen", ".qwen/settings.json", r#"{"ui":{}}"#, false),
            ("qwen", ".qwen/settings.json", r#"{"security":{"auth":{"selectedType":"openai","apiKey":"k"}}}"#, true),
            ("qwen", ".qwen/settings.json", r#"{"env":{"BAILIAN_CODING_PLAN_API_KEY":"k"}}"#, true),
            ("codex", ".codex/config.toml", "model = \"gpt-5\"\n[tui]\ntheme = \"x\"\n", false),
            ("codex", ".codex/config.toml", "model_provider = \"ollama\"\n", true),
            ("codex", ".codex/config.toml", &bearer, true),
            ("codex", ".codex/config.toml", &free, true),
            ("codex", ".codex/config.toml", dotted, true),
            (
                "codex",
                ".codex/config.toml",
                "model_provider = 'a.b'\nmodel_providers.'a.b'.base_url = 'http://h/v1'\n",
                true,
            ),
            ("codex", ".codex/config.toml", elsewhere, false),
            ("codex", ".codex/config.toml", &openai, false),
            ("codex", ".codex/config.toml", &environment, false),
        ] {
            let found = found(name, file, text, |_| {});
            assert_eq!(found.file.is_some(), is_login, "{name} {text}");
            let is_told = found.others.iter().any(|why| why.contains(file));
            assert_eq!(is_told, !is_login && file != ".claude.json", "{name} {text}: {found:?}");
        }
        let passed =
            found("codex", ".codex/config.toml", &environment, |own| own.pass_env = vec!["AZURE_KEY".to_owned()]);
        assert!(passed.file.is_some());
    }

    #[test]
    fn what_cannot_be_read_is_no_login_and_is_said() {
        let large = " ".repeat(usize::try_from(FILE_LIMIT).unwrap() + 1);
        let found = found("qwen", ".qwen/settings.json", &large, |_| {});
        assert_eq!(found.file, None);
        assert!(found.others[0].contains("~/.qwen/settings.json cannot be read"), "{found:?}");
    }
}
