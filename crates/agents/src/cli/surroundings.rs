//! The environment that a program sees: an allow-list.

use crate::recipes::Recipe;
use crate::settings::{AgentSettings, RosterSettings};
use std::collections::BTreeMap;
use std::path::Path;

/// Variables that every program is given: where programs are, the language, the way out.
const PASSED: &[&str] = &[
    "PATH",
    "LANG",
    "LANGUAGE",
    "TZ",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];
/// How the names of further ones begin.
const PASSED_BEGINNING: &str = "LC_";
/// Variables that say whose home it is, where that is the user's: keychains ask for them.
const WITH_THE_HOME: &[&str] = &["USER", "LOGNAME"];

/// Whose home a program sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The user's.
    Users,
    /// One of this call's own.
    Fresh,
}

/// For whom an environment is made.
pub(crate) struct Asked<'a> {
    pub(crate) settings: &'a RosterSettings,
    pub(crate) own: &'a AgentSettings,
    pub(crate) recipe: Option<&'a Recipe>,
    pub(crate) home: &'a Path,
    pub(crate) whose: Whose,
}

/// The whole environment of a program. What the configuration sets comes over what is passed on, and what the recipe sets
/// over both: that keeps the program safe.
pub(crate) fn environment(asked: &Asked<'_>, temporary: &Path, set: Vec<(String, String)>) -> BTreeMap<String, String> {
    let theirs = &asked.settings.environment;
    let names = PASSED.iter().chain(asked.recipe.map(|recipe| recipe.passes).unwrap_or_default()).copied();
    let names = names.chain(asked.own.pass_env.iter().map(String::as_str));
    let names = names.chain(WITH_THE_HOME.iter().copied().filter(|_| asked.whose == Whose::Users));
    let named = names.filter_map(|name| theirs.get_key_value(name));
    let language = theirs.iter().filter(|(name, _)| name.starts_with(PASSED_BEGINNING));
    let mut environment: BTreeMap<String, String> =
        named.chain(language).map(|(name, value)| (name.clone(), value.clone())).collect();
    environment.extend(asked.own.env.clone());
    environment.insert("TERM".to_owned(), "dumb".to_owned());
    environment.insert("TMPDIR".to_owned(), temporary.display().to_string());
    environment.insert("HOME".to_owned(), asked.home.display().to_string());
    environment.extend(set);
    environment
}
