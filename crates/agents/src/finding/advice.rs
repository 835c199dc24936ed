//! What to do about a failure: one table, by what failed, how the agent is reached and how it authenticates.
//!
//! Pure: it reads no file and asks nobody. Must never show a key, nor advise what cannot be typed.

use super::{Access, Found, Kind};
use crate::agent::{Failure, FailureKind};
use crate::recipes::{self, Recipe, reading::status_in};
use crate::settings::{AgentSettings, OutputShape, RosterSettings};
use forge_prose::secrets::redacted;

/// How a receipt's note begins that tells the provider's status where a program was between.
pub(crate) const STATUS_NOTE: &str = "the provider's status was ";
/// What is said of an answer without a word in it, by forge and by programs.
const NOTHING: &[&str] = &["answered with nothing", "returned an empty response", "empty response text"];
/// What is said of an answer that is none: it broke off, or is in another form than the wire's.
const GARBLED: &[&str] =
    &["malformed response", "stream disconnected", "incomplete json", "not a chat completion", "broke off"];
/// How advice begins at the end of a sentence about a failure.
const HINT: &str = " (what helps: ";
/// How programs that tell no status say that their provider failed.
const PROVIDERS_WORDS: &[&str] = &["high demand", "server-side issue", "internal server error", "server had an error"];

/// What failed, as far as advice depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing more is known than the kind.
    Plain(FailureKind),
    /// The provider failed while it answered.
    Provider,
    /// The provider does not know the model, or the address.
    NotThere,
    /// There was an answer, and not a word in it.
    Nothing,
    /// What came back broke off, or cannot be an answer of that provider's.
    Garbled,
}

impl Fault {
    /// What a failure was. Codes first; words only where an agent puts its provider's status into words alone.
    pub fn of(failure: &Failure) -> Self {
        let note = || failure.receipt.notes.iter().find_map(|note| note.strip_prefix(STATUS_NOTE)?.parse().ok());
        // No program's exit code is that high.
        let code = failure.receipt.exit.filter(|code| (300..600).contains(code));
        let status: Option<i64> = code.or_else(note).or_else(|| status_in(&failure.detail).map(i64::from));
        match (failure.kind, status) {
            (FailureKind::Crashed, _) if speaks_of(&failure.detail, NOTHING) => Fault::Nothing,
            (FailureKind::Crashed | FailureKind::TimedOut, Some(500..)) => Fault::Provider,
            (FailureKind::Crashed, _) if speaks_of(&failure.detail, GARBLED) => Fault::Garbled,
            (FailureKind::Crashed, None) if speaks_of(&failure.detail, PROVIDERS_WORDS) => Fault::Provider,
            (FailureKind::Unreachable, Some(404)) => Fault::NotThere,
            (kind, _) => Fault::Plain(kind),
        }
    }
}

fn speaks_of(detail: &str, phrases: &[&str]) -> bool {
    let lower = detail.to_lowercase();
    phrases.iter().any(|words| lower.contains(words))
}

/// How an agent is reached, as far as advice depends on it.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// An agent CLI that forge has a recipe for.
    Cli(&'static Recipe),
    /// A command that speaks the Agent Client Protocol, and the recipe of the CLI that it is, where it is one.
    Acp(Option<&'static Recipe>),
    /// A program of the user's own.
    Program,
    /// A model API.
    Api,
    /// A server or a model's file on this machine.
    Here,
    /// forge itself.
    Forge,
}

impl Way {
    fn of(settings: &RosterSettings, found: &Found) -> Self {
        if let Some(command) = acp_command(&found.name) {
            return Way::Acp(crate::acp::recipe_in(command));
        }
        match (found.kind, recipes::named(&found.name)) {
            (Kind::Cli, Some(recipe)) => Way::Cli(recipe),
            (Kind::Local, _) => Way::Here,
            (Kind::Own, _) if settings.agents.get(&found.name).is_some_and(|own| own.command.is_some()) => Way::Program,
            (Kind::Own, _) if !settings.agents.contains_key(&found.name) => Way::Forge,
            _ => Way::Api,
        }
    }

    fn recipe(self) -> Option<&'static Recipe> {
        match self {
            Way::Cli(recipe) => Some(recipe),
            Way::Acp(recipe) => recipe,
            Way::Program | Way::Api | Way::Here | Way::Forge => None,
        }
    }
}

/// The command of an agent that is named by it.
pub(super) fn acp_command(name: &str) -> Option<&str> {
    name.strip_prefix("acp:").map(str::trim)
}

/// What the configuration calls an agent.
fn section(name: &str) -> &str {
    name.split_once(':').map_or(name, |(short, _)| short)
}

/// What to do about a failure of an agent's call.
pub fn remedy(settings: &RosterSettings, found: &Found, fault: Fault) -> String {
    let way = Way::of(settings, found);
    let kind = match fault {
        Fault::Provider => return provider_failed(way, found),
        Fault::Garbled if found.redirected.is_some() => return misunderstood(found),
        Fault::Garbled => return provider_failed(way, found),
        Fault::Nothing => return format!("ask again, or {}", another_model(settings, way, found)),
        Fault::NotThere => return not_there(settings, way, found),
        Fault::Plain(kind) => kind,
    };
    match (kind, way) {
        (FailureKind::NoAuth, _) => no_auth(way.recipe(), section(&found.name), &found.access),
        (FailureKind::RateLimited, _) => "wait, or look at the account's limits".to_owned(),
        (FailureKind::GivenUp, _) => "ask again: forge debate run ID --retry-absent".to_owned(),
        (FailureKind::NoContextFile, _) => "put its context file back: forge debate restore ID".to_owned(),
        (FailureKind::Budget, _) => "allow more: --max-calls, --max-tokens, --max-cost".to_owned(),
        (FailureKind::TimedOut, Way::Here) => {
            "a model on this machine may need longer: --timeout 3m; or take a smaller one".to_owned()
        }
        (FailureKind::TimedOut, Way::Program | Way::Acp(None)) => {
            format!("give it more time: --timeout 3m; or {}", by_hand(settings, found))
        }
        (FailureKind::TimedOut, _) => match &found.redirected {
            Some(there) => {
                format!(
                    "see whether {} answers, or change {}; or give it more time: --timeout 3m",
                    there.host, there.by
                )
            }
            None => "look at the network and the provider's status page, or give it more time: --timeout 3m".to_owned(),
        },
        (FailureKind::Unreachable, Way::Program | Way::Acp(None)) => by_hand(settings, found),
        (FailureKind::Unreachable, Way::Here) if found.redirected.is_none() => "see whether it still runs".to_owned(),
        (FailureKind::Unreachable, _) => match &found.redirected {
            Some(there) => format!("see whether {} answers, or change {}", there.host, there.by),
            None => "look at the network and the provider's status page".to_owned(),
        },
        (FailureKind::Refused | FailureKind::TooLong, _) => another_model(settings, way, found),
        (FailureKind::Unparsable, Way::Program) if reads_json(settings, found) => {
            format!("set agents.{}.output to where the answer is in what it prints, or to text", found.name)
        }
        (FailureKind::Crashed | FailureKind::Unparsable, Way::Cli(recipe)) => {
            let there = found.redirected.as_ref().map(|there| format!("see what {} answers, or ", there.host));
            let there = there.unwrap_or_default();
            format!("{there}try it by hand, and install it anew if that fails too: {}", recipe.install)
        }
        (FailureKind::Crashed | FailureKind::Unparsable, Way::Acp(Some(recipe))) => {
            format!("{}; install it anew if that fails too: {}", by_hand(settings, found), recipe.install)
        }
        (FailureKind::Crashed | FailureKind::Unparsable, Way::Acp(None)) => {
            format!("{}; it has to speak the Agent Client Protocol", by_hand(settings, found))
        }
        (FailureKind::Crashed | FailureKind::Unparsable, Way::Program) => {
            format!("{}; forge config shows what agents.{} says", by_hand(settings, found), found.name)
        }
        (FailureKind::Crashed | FailureKind::Unparsable, Way::Forge) => "correct its script".to_owned(),
        (FailureKind::Unparsable, Way::Api | Way::Here) if found.redirected.is_some() => misunderstood(found),
        (FailureKind::Crashed | FailureKind::Unparsable, Way::Api | Way::Here) => {
            format!("ask again; if it stays so, {}", another_model(settings, way, found))
        }
    }
}

/// What to do where neither key nor login was accepted. `section` is what the configuration calls the agent.
fn no_auth(recipe: Option<&Recipe>, section: &str, access: &Access) -> String {
    let Some(recipe) = recipe else {
        return match access {
            Access::Key(variable) => {
                format!("the key in {variable} was refused: export {variable}=... with one that is valid")
            }
            Access::KeyCommand => key_command(section),
            _ => format!("set agents.{section}.key_env or agents.{section}.key_command"),
        };
    };
    let login = recipe.login;
    match access {
        Access::Key(variable) => {
            let address =
                address_beside(recipe, variable).map(|address| format!(", and {address}=... of its provider"));
            format!(
                "the key in {variable} was refused: export {variable}=... with one that is valid{}, or unset it and log in: {login}",
                address.unwrap_or_default()
            )
        }
        Access::KeyCommand => key_command(section),
        Access::Configured(file) => format!("correct {}, or log in: {login}; or {}", file.display(), export(recipe)),
        Access::Login(_) | Access::NotNeeded | Access::Missing => match recipe.keys {
            [] => format!("log in: {login}"),
            _ => format!("log in: {login}; or {}", export(recipe)),
        },
    }
}

fn key_command(section: &str) -> String {
    format!("correct agents.{section}.key_command, or the key that it prints")
}

/// How a recipe's program is given a key.
pub(super) fn export(recipe: &Recipe) -> String {
    let Some(key) = recipe.keys.first() else { return String::new() };
    let address = address_beside(recipe, key).map(|address| format!(" {address}=...")).unwrap_or_default();
    format!("export {key}=...{address}")
}

/// The variable that has to say whose key it is, where the one that holds the key is another vendor's by custom.
pub(super) fn address_beside(recipe: &Recipe, key: &str) -> Option<&'static str> {
    recipe.base_url.filter(|_| key == "OPENAI_API_KEY" && recipe.vendor != "OpenAI")
}

fn provider_failed(way: Way, found: &Found) -> String {
    match (&found.redirected, way) {
        (Some(there), _) => format!("{} failed: try again, or see what it says itself", there.host),
        (None, Way::Here) => "the server failed: try again, or see what it says itself".to_owned(),
        (None, _) => "the provider failed: try again, or look at its status page".to_owned(),
    }
}

fn not_there(settings: &RosterSettings, way: Way, found: &Found) -> String {
    let address = found.redirected.as_ref().map(|there| format!(", or correct {}", there.by)).unwrap_or_default();
    format!("{}{address}", another_model(settings, way, found))
}

fn misunderstood(found: &Found) -> String {
    let there = found.redirected.as_ref();
    let (host, by) = there.map_or(("its address", "it"), |there| (there.host.as_str(), there.by.as_str()));
    format!("see whether {host} speaks what it is asked in, or change {by}")
}

/// How another model is asked for, where that can be typed.
fn another_model(settings: &RosterSettings, way: Way, found: &Found) -> String {
    let takes_model = || {
        let own = settings.agents.get(&found.name);
        own.into_iter().flat_map(|own| own.args.iter().flatten()).any(|argument| argument.contains("{model}"))
    };
    match way {
        Way::Acp(_) => "name another model in its command".to_owned(),
        Way::Program if !takes_model() => by_hand(settings, found),
        Way::Here if found.name.contains(':') => "take another model file".to_owned(),
        Way::Forge => "correct its script".to_owned(),
        Way::Cli(_) | Way::Program | Way::Api | Way::Here => format!("try another model: --agent {}:MODEL", found.name),
    }
}

fn reads_json(settings: &RosterSettings, found: &Found) -> bool {
    let own = settings.agents.get(&found.name);
    own.is_some_and(|own| matches!(own.output, Some(OutputShape::Json(_))))
}

/// The command that a person types to see what a program does.
fn by_hand(settings: &RosterSettings, found: &Found) -> String {
    let command = match (acp_command(&found.name), settings.agents.get(&found.name)) {
        (Some(command), _) => command.to_owned(),
        (None, Some(own)) => typed(own, found.model.as_deref()),
        (None, None) => found.name.clone(),
    };
    format!("run it by hand: `{}`", redacted(&command))
}

/// A command of the user's own with its arguments, as a shell takes it.
fn typed(own: &AgentSettings, model: Option<&str>) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,{}".contains(c);
    let quoted = |word: &String| {
        let word = word.replace("{model}", model.unwrap_or("MODEL")).replace("{prompt_file}", "PROMPT_FILE");
        if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
    };
    own.command.iter().chain(own.args.iter().flatten()).map(quoted).collect::<Vec<_>>().join(" ")
}

/// What is added to the sentence about a failure of a recipe's program, for whoever reads it in a debate.
pub(crate) fn hint(settings: &RosterSettings, name: &str, recipe: &Recipe, kind: FailureKind) -> String {
    let words = match kind {
        FailureKind::NoAuth => no_auth(Some(recipe), recipe.name, &super::clis::access_of(settings, recipe)),
        FailureKind::Unreachable => format!("forge doctor --probe {name}"),
        _ => return String::new(),
    };
    format!("{HINT}{words})")
}

/// The sentence about a failure without what is added to it.
pub(super) fn without_hint(detail: &str) -> &str {
    let hint = if detail.ends_with(')') { detail.rfind(HINT) } else { None };
    hint.map_or(detail, |at| &detail[..at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Receipt;
    use crate::finding::Redirection;
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    fn found(name: &str, kind: Kind, access: Access) -> Found {
        Found {
            name: name.to_owned(),
            kind,
            program: None,
            version: None,
            access,
            model: None,
            family: None,
            vendor: String::new(),
            redirected: None,
            obstacle: None,
        }
    }

    fn key(variable: &str) -> Access {
        Access::Key(variable.to_owned())
    }

    fn settings() -> RosterSettings {
        let mine = AgentSettings {
            command: Some("my agent".to_owned()),
            args: Some(["--model", "{model}"].map(str::to_owned).to_vec()),
            output: Some(OutputShape::Json("/text".to_owned())),
            ..AgentSettings::default()
        };
        let plain = AgentSettings { command: Some("plain".to_owned()), ..AgentSettings::default() };
        let gateway = AgentSettings { api: Some("openai".to_owned()), ..AgentSettings::default() };
        let agents = [("mine", mine), ("plain", plain), ("gw", gateway)];
        let agents: BTreeMap<_, _> = agents.into_iter().map(|(name, said)| (name.to_owned(), said)).collect();
        RosterSettings { agents, ..RosterSettings::default() }
    }

    #[test]
    fn advice_fits_what_failed_how_it_is_reached_and_how_it_authenticates() {
        use forge_debate::turn::AbsenceKind::{Crashed, NoAuth, Refused, TimedOut, Unparsable, Unreachable};
        let login = || Access::Login(PathBuf::from("/home/u/.codex/auth.json"));
        let here = Redirection { host: "127.0.0.1:9".to_owned(), by: "OPENAI_BASE_URL".to_owned() };
        let elsewhere = |one: Found| Found { redirected: Some(here.clone()), ..one };
        let own = |name: &str| found(name, Kind::Own, Access::NotNeeded);
        let cli = |name: &str, access: Access| found(name, Kind::Cli, access);
        let claude = || cli("claude", key("ANTHROPIC_API_KEY"));
        let api = || found("openai", Kind::Api, key("OPENAI_API_KEY"));
        let plain = Fault::Plain;
        let table = [
            // The provider's failure is nobody's to install anew.
            (claude(), Fault::Provider, "the provider failed: try again, or look at its status page"),
            (api(), Fault::Provider, "the provider failed: try again, or look at its status page"),
            (elsewhere(api()), Fault::Provider, "127.0.0.1:9 failed: try again, or see what it says itself"),
            (claude(), Fault::Nothing, "ask again, or try another model: --agent claude:MODEL"),
            (own("plain"), Fault::Nothing, "ask again, or run it by hand: `plain`"),
            (claude(), Fault::Garbled, "the provider failed: try again, or look at its status page"),
            (
                elsewhere(api()),
                Fault::Garbled,
                "see whether 127.0.0.1:9 speaks what it is asked in, or change OPENAI_BASE_URL",
            ),
            (own("acp:cat"), Fault::Nothing, "ask again, or name another model in its command"),
            (api(), Fault::NotThere, "try another model: --agent openai:MODEL"),
            // Keys and logins: the one that was refused is named.
            (
                cli("codex", key("OPENAI_API_KEY")),
                plain(NoAuth),
                "the key in OPENAI_API_KEY was refused: export OPENAI_API_KEY=... with one that is valid, or unset it and log in: codex login",
            ),
            (
                cli("qwen", key("OPENAI_API_KEY")),
                plain(NoAuth),
                "the key in OPENAI_API_KEY was refused: export OPENAI_API_KEY=... with one that is valid, and OPENAI_BASE_URL=... of its provider, or unset it and log in: qwen, then /auth",
            ),
            (
                cli("qwen", Access::Missing),
                plain(NoAuth),
                "log in: qwen, then /auth; or export OPENAI_API_KEY=... OPENAI_BASE_URL=...",
            ),
            (cli("codex", login()), plain(NoAuth), "log in: codex login; or export CODEX_API_KEY=..."),
            (own("acp:goose acp"), plain(NoAuth), "set agents.acp.key_env or agents.acp.key_command"),
            (
                cli("acp:qwen --acp", Access::Missing),
                plain(NoAuth),
                "log in: qwen, then /auth; or export OPENAI_API_KEY=... OPENAI_BASE_URL=...",
            ),
            (own("gw"), plain(NoAuth), "set agents.gw.key_env or agents.gw.key_command"),
            (
                api(),
                plain(NoAuth),
                "the key in OPENAI_API_KEY was refused: export OPENAI_API_KEY=... with one that is valid",
            ),
            // Whoever stands in for the provider is looked at first.
            (
                elsewhere(cli("qwen", key("OPENAI_API_KEY"))),
                plain(TimedOut),
                "see whether 127.0.0.1:9 answers, or change OPENAI_BASE_URL; or give it more time: --timeout 3m",
            ),
            (
                elsewhere(cli("qwen", key("OPENAI_API_KEY"))),
                plain(Crashed),
                "see what 127.0.0.1:9 answers, or try it by hand, and install it anew if that fails too: npm install -g @qwen-code/qwen-code",
            ),
            // What fails by itself is tried by itself.
            (own("plain"), plain(Crashed), "run it by hand: `plain`; forge config shows what agents.plain says"),
            (
                own("mine"),
                plain(Crashed),
                "run it by hand: `'my agent' --model MODEL`; forge config shows what agents.mine says",
            ),
            (
                own("mine"),
                plain(Unparsable),
                "set agents.mine.output to where the answer is in what it prints, or to text",
            ),
            (own("mine"), plain(Refused), "try another model: --agent mine:MODEL"),
            (own("plain"), plain(Unreachable), "run it by hand: `plain`"),
            (own("plain"), plain(TimedOut), "give it more time: --timeout 3m; or run it by hand: `plain`"),
            (own("acp:cat"), plain(Crashed), "run it by hand: `cat`; it has to speak the Agent Client Protocol"),
            (
                claude(),
                plain(Crashed),
                "try it by hand, and install it anew if that fails too: npm install -g @anthropic-ai/claude-code",
            ),
            (elsewhere(api()), plain(Unreachable), "see whether 127.0.0.1:9 answers, or change OPENAI_BASE_URL"),
            (claude(), plain(Unreachable), "look at the network and the provider's status page"),
            (own("scripted:a.yaml"), plain(Crashed), "correct its script"),
        ];
        for (found, fault, advice) in table {
            assert_eq!(remedy(&settings(), &found, fault), advice, "{} {fault:?}", found.name);
        }
    }

    #[test]
    fn what_failed_is_told_by_codes_and_otherwise_by_words() {
        use forge_debate::turn::AbsenceKind::{Crashed, NoAuth, TimedOut, Unreachable};
        let fault = |kind, detail: &str, exit: Option<i64>, note: &str| {
            let receipt = Receipt { exit, notes: vec![note.to_owned()], ..Receipt::default() };
            Fault::of(&Failure { kind, detail: detail.to_owned(), receipt })
        };
        assert_eq!(fault(Crashed, "HTTP 500: as told", Some(500), ""), Fault::Provider);
        assert_eq!(fault(Crashed, "claude: API Error", Some(1), "the provider's status was 503"), Fault::Provider);
        assert_eq!(fault(Crashed, "session/prompt failed with 500: oops", None, ""), Fault::Provider);
        assert_eq!(fault(Crashed, "codex: We're currently experiencing high demand", Some(1), ""), Fault::Provider);
        assert_eq!(fault(Crashed, "qwen: answered with nothing", Some(0), ""), Fault::Nothing);
        assert_eq!(fault(Crashed, "gemini: The model returned an empty response", Some(1), ""), Fault::Nothing);
        assert_eq!(fault(Crashed, "codex: stream disconnected before completion", Some(1), ""), Fault::Garbled);
        assert_eq!(fault(Unreachable, "no such model", Some(404), ""), Fault::NotThere);
        assert_eq!(fault(NoAuth, "HTTP 401", Some(401), ""), Fault::Plain(NoAuth));
        assert_eq!(fault(TimedOut, "no answer within 500 s", None, ""), Fault::Plain(TimedOut));
        assert_eq!(fault(Crashed, "was ended by signal 11", Some(-11), ""), Fault::Plain(Crashed));
        assert_eq!(fault(Crashed, "ended with code 1 after 500 lines", Some(1), ""), Fault::Plain(Crashed));
    }

    #[test]
    fn what_is_added_for_a_debate_is_taken_off_where_advice_stands_by_itself() {
        let recipe = recipes::named("codex").unwrap();
        let settings = RosterSettings::with_environment([("OPENAI_API_KEY", "k")]);
        for (kind, words) in [
            (FailureKind::NoAuth, "the key in OPENAI_API_KEY was refused"),
            (FailureKind::Unreachable, "forge doctor --probe codex:gpt-5"),
        ] {
            let hint = hint(&settings, "codex:gpt-5", recipe, kind);
            assert!(hint.contains(words) && !hint.contains("CODEX_API_KEY"), "{hint}");
            assert_eq!(without_hint(&format!("codex: 401 (odd){hint}")), "codex: 401 (odd)");
        }
        assert_eq!(hint(&settings, "codex", recipe, FailureKind::Crashed), "");
    }
}
