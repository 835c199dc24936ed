//! Where an agent's key comes from: one rule for every kind of agent.
//!
//! A command that prints it, where the configuration has one; else the variable that the configuration names; else the first
//! of the variables that are known for it and say anything. Whoever says where a key comes from does not mean the one that
//! happens to be there.
//!
//! Promises: a command is run once per roster, however many seats ask at once, and where others wait for no thread; what it
//! prints is repeated nowhere, since it may be the key, or half of it. A failure is told to all who waited for that run, and
//! the next to ask runs it again.
//!
//! If the process dies here: the command is left running, and nobody reads what it prints.

use crate::bounded::{self, Ended, Kept};
use crate::cli::program;
use crate::settings::{AgentSettings, RosterSettings};
use std::collections::BTreeMap;
use std::fmt;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a command that prints a key may take: it may ask its owner.
const COMMAND_LIMIT: Duration = Duration::from_secs(60);
/// The most bytes of a key.
const KEY_BYTES: usize = 16 * 1024;

/// Where a key comes from.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// From what this command prints.
    Command(Vec<String>),
    /// From a variable, with this value.
    Variable(String, String),
    /// From a variable that the configuration names and that says nothing.
    Unset(String),
    /// From nowhere.
    Nowhere,
}

/// Where the key of an agent with these settings comes from; `known` are the variables that usually hold it, the best first.
pub(crate) fn source(settings: &RosterSettings, own: &AgentSettings, known: &[&str]) -> Source {
    let held = |name: &str| Some(Source::Variable(name.to_owned(), settings.variable(name)?.to_owned()));
    match (&own.key_command, &own.key_env) {
        (Some(command), _) => Source::Command(command.clone()),
        (None, Some(variable)) => held(variable).unwrap_or_else(|| Source::Unset(variable.clone())),
        (None, None) => known.iter().find_map(|variable| held(variable)).unwrap_or(Source::Nowhere),
    }
}

/// Makes known as keys what the variables hold that usually hold one, and those that these settings name.
pub fn keep_secret<'s>(variables: &BTreeMap<String, String>, agents: impl IntoIterator<Item = &'s AgentSettings>) {
    let recipes = crate::recipes::ALL.iter().flat_map(|recipe| recipe.keys);
    let usual = recipes.chain(crate::api::providers::ALL.iter().flat_map(|provider| provider.keys)).copied();
    let told = agents.into_iter().filter_map(|agent| agent.key_env.as_deref());
    let values = usual.chain(told).filter_map(|name| variables.get(name)).map(String::as_str);
    forge_prose::secrets::keep_secret(values);
}

/// A key, and the variable in which a program is given it.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Key {
    /// The variable, where it is known.
    pub(crate) variable: Option<String>,
    /// The key, where there is one.
    pub(crate) value: Option<String>,
}

/// The keys that commands have printed, for one roster.
#[derive(Default)]
pub(crate) struct Keys {
    printed: Mutex<BTreeMap<Vec<String>, Arc<Printed>>>,
}

/// What one command has printed, and how often it was run.
#[derive(Default)]
struct Printed {
    runs: AtomicUsize,
    last: tokio::sync::Mutex<Option<Result<String, String>>>,
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").finish_non_exhaustive()
    }
}

impl Keys {
    /// The key of a program with these settings, or why it cannot be had. May wait for a command.
    pub(crate) async fn of(
        &self,
        settings: &RosterSettings,
        own: &AgentSettings,
        known: &[&str],
    ) -> Result<Key, String> {
        match source(settings, own, known) {
            Source::Command(command) => {
                let value = self.printed_by(&command, settings).await?;
                Ok(Key { variable: own.key_env.clone(), value: Some(value) })
            }
            Source::Variable(name, value) => Ok(Key { variable: Some(name), value: Some(value) }),
            Source::Unset(name) => Err(format!("{name} is not set, and its key is looked for there")),
            Source::Nowhere => Ok(Key::default()),
        }
    }

    /// What a command prints, or why that is no key.
    pub(crate) async fn printed_by(&self, command: &[String], settings: &RosterSettings) -> Result<String, String> {
        let printed = {
            let mut known = self.printed.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(known.entry(command.to_vec()).or_default())
        };
        let runs = printed.runs.load(Ordering::SeqCst);
        let mut last = printed.last.lock().await;
        match &*last {
            Some(Ok(key)) => return Ok(key.clone()),
            // It was run while we waited, and would most likely fail again, or ask its owner again.
            Some(failure) if printed.runs.load(Ordering::SeqCst) > runs => return failure.clone(),
            _ => {}
        }
        let (command, settings) = (command.to_vec(), settings.clone());
        let outcome = tokio::task::spawn_blocking(move || run(&command, &settings)).await;
        let outcome = outcome.unwrap_or_else(|_| Err("key_command could not be waited for".to_owned()));
        forge_prose::secrets::keep_secret(outcome.iter().map(String::as_str));
        printed.runs.fetch_add(1, Ordering::SeqCst);
        *last = Some(outcome.clone());
        outcome
    }
}

fn run(command: &[String], settings: &RosterSettings) -> Result<String, String> {
    let Some((program, arguments)) = command.split_first() else { return Err("key_command is empty".to_owned()) };
    let path = program::find(settings, program)
        .ok_or_else(|| format!("key_command: there is no program {program:?} on PATH"))?;
    let mut started = Command::new(path);
    started.args(arguments).env_clear().envs(&settings.environment);
    let failed = |how: String| Err(format!("key_command: {program:?} {how}"));
    match bounded::run_keeping(started, COMMAND_LIMIT, KEY_BYTES, Kept::Stdout) {
        Ended::Exited { code: 0, output } => {
            let key = output.trim().to_owned();
            let is_key = !key.is_empty() && !key.contains(char::is_control);
            if is_key { Ok(key) } else { failed("printed no key".to_owned()) }
        }
        Ended::Exited { code, .. } => failed(format!("ended with code {code}")),
        Ended::NotStarted(why) => failed(format!("could not be started: {why}")),
        Ended::Signalled { signal, .. } => failed(format!("was ended by signal {signal}")),
        Ended::TimedOut => failed(format!("printed nothing within {} s", COMMAND_LIMIT.as_secs())),
        Ended::Lost(why) => failed(format!("was lost: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_comes_before_a_variable_and_both_before_what_happens_to_be_there() {
        let settings = RosterSettings::with_environment([("MINE", "mine"), ("USUAL", "usual")]);
        let own = |command: bool, variable: Option<&str>| AgentSettings {
            key_command: command.then(|| vec!["print".to_owned()]),
            key_env: variable.map(str::to_owned),
            ..AgentSettings::default()
        };
        let variable = |name: &str, value: &str| Source::Variable(name.to_owned(), value.to_owned());
        let found = |own: AgentSettings| source(&settings, &own, &["EMPTY", "USUAL"]);
        assert!(found(own(true, Some("MINE"))) == Source::Command(vec!["print".to_owned()]));
        assert!(found(own(false, Some("MINE"))) == variable("MINE", "mine"));
        assert!(found(own(false, Some("EMPTY"))) == Source::Unset("EMPTY".to_owned()));
        assert!(found(own(false, None)) == variable("USUAL", "usual"));
        assert!(source(&settings, &own(false, None), &[]) == Source::Nowhere);
    }

    #[tokio::test]
    async fn a_command_is_run_once_for_all_who_ask() {
        let settings = RosterSettings::with_environment([("PATH", "/usr/bin:/bin")]);
        let place = tempfile::tempdir().unwrap();
        let count = place.path().join("count");
        let command = |code: u8| {
            let script = format!("echo run >> '{}'; sleep 0.2; echo the-key; exit {code}", count.display());
            vec!["sh".to_owned(), "-c".to_owned(), script]
        };
        let runs = || std::fs::read_to_string(&count).unwrap().lines().count();
        let keys = Keys::default();
        let (good, bad) = (command(0), command(3));
        let (one, two) = tokio::join!(keys.printed_by(&good, &settings), keys.printed_by(&good, &settings));
        assert_eq!((one.as_deref(), two.as_deref()), (Ok("the-key"), Ok("the-key")));
        assert_eq!(runs(), 1);
        let (one, two) = tokio::join!(keys.printed_by(&bad, &settings), keys.printed_by(&bad, &settings));
        assert_eq!(one.unwrap_err(), "key_command: \"sh\" ended with code 3");
        assert!(two.is_err());
        assert_eq!(runs(), 2, "those who wait are told the same");
        assert!(keys.printed_by(&bad, &settings).await.is_err());
        assert_eq!(runs(), 3, "whoever asks later has it tried again");
    }
}
