//! Every key that a configuration file may have, in one table.
//!
//! Reading, refusing, suggesting, the JSON schema, `forge config` and the table in `docs/configuration.md` all follow from
//! [`KEYS`]: a new key is one line here. Who may set a key is decided by one question: could a stranger's repository do
//! harm with it? A project that was cloned must not run a command of its choice, send a key to an address of its choice,
//! see more of the environment, write more of the disk, spend more than the user allows, or switch a safeguard off.

use super::kinds::{self, Kind};
use super::made::{self, Made};
use forge_artifacts::formats::money;
use forge_debate::protocols;
use serde_json::Value;
use std::fmt;

/// One key.
pub struct Key {
    /// Where it stands, with `.` between the names; `*` is a name of the user's choice.
    pub path: &'static str,
    /// What its value is.
    pub kind: Kind,
    /// Whose file may have it.
    pub set_by: SetBy,
    /// What happens when several sources have it.
    pub among: Among,
    /// The environment variable that says the same, where there is one.
    pub variable: Option<&'static str>,
    /// The flag that says the same, where there is one.
    pub flag: Option<&'static str>,
    /// What holds when nobody says anything, as JSON; `None` where it is decided elsewhere, as the text says.
    pub default: Option<&'static str>,
    /// What it is for, in a sentence.
    pub doc: &'static str,
    /// Puts a value that has been checked where it belongs. The names are those that stand for `*`.
    pub(super) put: fn(&mut Made, &[&str], &Value),
}

/// Whose file may have a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetBy {
    /// Only the user's own.
    User,
    /// The user's and the project's.
    Anyone,
}

/// What happens when several files have a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// The project's holds.
    TheProjects,
    /// The smaller holds: a project may not spend more than the user allows, or forge's default where the user says nothing.
    TheSmaller,
    /// `false` holds: a project may not switch on what the user switched off.
    TheFalse,
    /// `true` holds: a project may not leave out what the user, or forge's default, requires.
    TheTrue,
    /// The larger holds: a project may ask for more than the user or forge's default, not for less.
    TheLarger,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Key").field(&self.path).finish()
    }
}

impl Key {
    /// The names of the path; `*` stands for any.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.path.split('.')
    }

    /// Whether these names are this key.
    pub(super) fn is_at<S: AsRef<str>>(&self, names: &[S]) -> bool {
        self.names().count() == names.len() && self.begins_with(names)
    }

    /// Whether these names are this key or lead to it.
    pub(super) fn begins_with<S: AsRef<str>>(&self, names: &[S]) -> bool {
        let mut own = self.names();
        names.iter().all(|name| own.next().is_some_and(|own| own == "*" || own == name.as_ref()))
    }
}

/// The key at these names.
pub(super) fn find<S: AsRef<str>>(names: &[S]) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.is_at(names))
}

const fn anyone(path: &'static str, kind: Kind, doc: &'static str, put: fn(&mut Made, &[&str], &Value)) -> Key {
    Key {
        path,
        kind,
        set_by: SetBy::Anyone,
        among: Among::TheProjects,
        variable: None,
        flag: None,
        default: None,
        doc,
        put,
    }
}

const fn user(path: &'static str, kind: Kind, doc: &'static str, put: fn(&mut Made, &[&str], &Value)) -> Key {
    Key { set_by: SetBy::User, ..anyone(path, kind, doc, put) }
}

/// Groups of settings that one protocol has for itself; its profile names its group.
const JUDGES: &str = "debate_config";
const CHALLENGE: &str = "challenge";

const SECONDS: Kind = Kind::Integer { least: 1, most: 24 * 3600 };
const TOKENS_LIMIT: u64 = 1_000_000_000_000;
const WIRES: fn() -> Vec<&'static str> = || vec!["anthropic", "openai", "openai-responses", "gemini"];

/// Every key. One line each.
#[rustfmt::skip]
pub static KEYS: &[Key] = &[
    anyone("$schema", Kind::Text, "Where an editor finds the schema that `forge config --schema` prints; forge itself does not look.", |_, _, _| {}),

    Key { variable: Some("FORGE_AGENT"), ..anyone("agent", Kind::Agent, "Who moves the seats that nothing else is said about: an agent, `human` or `outside`; chosen by forge where nobody says.", |made, _, value| made.defaults.agent = Some(made::text(value))) },
    anyone("seats.*.*", Kind::Agent, "Who moves one seat of one protocol, such as `seats.judges.risk`; counts where neither a flag nor the environment names an agent.", made::seat),
    Key { default: Some(protocols::DEFAULT_SETTING), ..anyone("protocol", Kind::Words(protocols::names), "The rules by which a debate is held.", |made, _, value| made.defaults.protocol = made::text(value)) },
    Key { default: Some("120"), flag: Some("--timeout"), among: Among::TheSmaller, ..anyone("timeout_seconds", SECONDS, "How long one ask of a debate may take.", |made, _, value| made.defaults.timeout_seconds = made::small(value)) },
    Key { default: Some("16"), flag: Some("--parallel"), among: Among::TheSmaller, ..anyone("parallel", Kind::Integer { least: 1, most: 256 }, "How many seats are asked at the same time.", |made, _, value| made.defaults.parallel = made::count(value)) },
    Key { among: Among::TheSmaller, ..anyone("max_calls", Kind::Integer { least: 1, most: u32::MAX as u64 }, "The most calls of a debate, repairs included; no limit where nobody says.", |made, _, value| made.defaults.max_calls = Some(made::small(value))) },
    Key { among: Among::TheSmaller, ..anyone("max_tokens", Kind::Integer { least: 1, most: TOKENS_LIMIT }, "The most tokens of a debate, in and out; no limit where nobody says.", |made, _, value| made.defaults.max_tokens = value.as_u64()) },
    Key { among: Among::TheSmaller, ..anyone("max_cost", Kind::Dollars { least: 1, most: money::COST_LIMIT }, "The most that a debate may cost, in US dollars; needs a price of every agent in it. No limit where nobody says.", |made, _, value| made.defaults.max_cost = kinds::micro(value)) },
    Key { among: Among::TheSmaller, ..anyone("max_output_tokens", Kind::Integer { least: 256, most: 1_000_000 }, "The most tokens of one answer, where an agent can be told; forge's own figure where nobody says.", |made, _, value| made.defaults.max_output_tokens = Some(made::small(value))) },

    Key { flag: Some("--rounds"), default: Some("2"), among: Among::TheSmaller, ..anyone("debate_config.max_rounds", Kind::Integer { least: 1, most: 5 }, "judges: the most rounds.", |made, _, value| made.group(JUDGES).max_rounds = Some(made::tiny(value))) },
    Key { flag: Some("--threshold"), default: Some("\"2/3\""), among: Among::TheLarger, ..anyone("debate_config.consensus_threshold", Kind::Share, "judges: how many must agree.", |made, _, value| made.group(JUDGES).threshold = kinds::share(value)) },
    Key { among: Among::TheSmaller, ..anyone("debate_config.timeout_per_judge", SECONDS, "judges: how long one ask may take, in seconds; `timeout_seconds` where nobody says.", |made, _, value| made.group(JUDGES).timeout_seconds = Some(made::small(value))) },
    Key { default: Some("true"), among: Among::TheTrue, ..anyone("debate_config.require_stance_maintenance", Kind::Switch, "judges: whether a turn without the section of the judge's stance misses its form.", |made, _, value| made.group(JUDGES).stances = made::switch(value)) },
    Key { default: Some("true"), among: Among::TheTrue, ..anyone("debate_config.require_change_documentation", Kind::Switch, "judges: whether a changed vote counts only with an argument of another judge that it cites.", |made, _, value| made.group(JUDGES).documented_changes = made::switch(value)) },
    Key { flag: Some("--rounds"), among: Among::TheSmaller, default: Some("5"), ..anyone("challenge.max_rounds", Kind::Integer { least: 1, most: 10 }, "The most rounds of a challenge, where `--rounds` says nothing.", |made, _, value| made.group(CHALLENGE).max_rounds = Some(made::tiny(value))) },
    Key { among: Among::TheSmaller, ..anyone("challenge.timeout_seconds", SECONDS, "How long one ask of a challenge may take, where `--timeout` says nothing; `timeout_seconds` where nobody says.", |made, _, value| made.group(CHALLENGE).timeout_seconds = Some(made::small(value))) },
    Key { among: Among::TheLarger, default: Some("1"), ..anyone("challenge.min_challengers", Kind::Integer { least: 1, most: 3 }, "The fewest challengers that must have spoken; with fewer a challenge is insufficient.", |made, _, value| made.group(CHALLENGE).min_challengers = Some(made::tiny(value))) },

    Key { default: Some("true"), flag: Some("--no-rehearsal"), among: Among::TheFalse, ..anyone("rehearsal", Kind::Switch, "Whether the built-in rehearsal may speak where no agent is configured; `--agent rehearsal` asks for it all the same.", |made, _, value| made.defaults.rehearsal = made::switch(value)) },
    user("prices.*", Kind::Rates, "What a model (its name, or the beginning of it and `*`) or an agent costs, instead of its list price.", |made, names, value| made.put_price(names, value)),

    Key { default: Some("\"auto\""), ..user("sandbox", Kind::Words(|| vec!["auto", "off"]), "Whether agents are held in the kernel's sandbox: wherever there is one, or not at all.", made::sandbox) },
    Key { default: Some("false"), ..user("inside_host.allow", Kind::Switch, "Whether an agent's own shell (Claude Code, Codex, ...) may do what runs a program of its choice or speaks for you: `acp:`, `scripted:` and command agents by flag, `decide`, `vote`, raised caps.", |made, _, value| made.defaults.inside_host = made::switch(value)) },
    Key { default: Some("false"), ..user("allow_dangerous", Kind::Switch, "Whether `args` may switch an agent's own safety off.", |made, _, value| made.roster.allow_dangerous = made::switch(value)) },
    Key { among: Among::TheSmaller, ..anyone("first_byte_seconds", SECONDS, "How long a program may take until its first byte; the agent's own figure where nobody says.", |made, _, value| made.roster.first_byte = Some(made::seconds(value))) },
    Key { among: Among::TheSmaller, ..anyone("idle_seconds", SECONDS, "The longest silence of a program after its first byte; the agent's own figure where nobody says.", |made, _, value| made.roster.idle = Some(made::seconds(value))) },

    anyone("agents.*.model", Kind::Model, "The model of this agent where a seat names none.", |made, names, value| made.agent(names).model = Some(made::text(value))),
    Key { among: Among::TheFalse, default: Some("true"), ..anyone("agents.*.enabled", Kind::Switch, "Whether forge may choose this agent by itself; where you say false, a project cannot name it either.", |made, names, value| made.agent(names).enabled = Some(made::switch(value))) },
    Key { among: Among::TheSmaller, ..anyone("agents.*.parallel", Kind::Integer { least: 1, most: 256 }, "How many calls of this agent may be under way at once.", |made, names, value| made.agent(names).parallel = Some(made::count(value))) },
    anyone("agents.*.structured", Kind::Switch, "Whether a model API is sent the form as a JSON schema; where nobody says, only at its maker's own address.", |made, names, value| made.agent(names).structured = Some(made::switch(value))),
    user("agents.*.command", Kind::Program, "The program: a name on the search path, or an absolute path. With it, a name of your own becomes an agent.", |made, names, value| made.agent(names).command = Some(made::text(value))),
    user("agents.*.args", Kind::Texts, "The program's arguments; `{model}` and `{prompt_file}` are filled in.", |made, names, value| made.agent(names).args = Some(made::texts(value))),
    Key { default: Some("\"stdin\""), ..user("agents.*.prompt", Kind::Words(|| vec!["stdin", "file"]), "Where the program reads what it is asked: its standard input, or the file `{prompt_file}`.", made::prompt) },
    Key { default: Some("\"text\""), ..user("agents.*.output", Kind::Output, "Where the answer is in what the program prints: `text` for all of it, or a JSON pointer such as `/result`.", made::output) },
    user("agents.*.api", Kind::Words(WIRES), "The wire of a model API. With it, a name of your own becomes an agent.", |made, names, value| made.agent(names).api = Some(made::text(value))),
    user("agents.*.base_url", Kind::Address, "Where this agent's models answer.", |made, names, value| made.agent(names).base_url = Some(made::text(value))),
    user("agents.*.key_env", Kind::Variable, "The environment variable that holds this agent's key.", |made, names, value| made.agent(names).key_env = Some(made::text(value))),
    user("agents.*.key_command", Kind::Command, "A command that prints this agent's key.", |made, names, value| made.agent(names).key_command = Some(made::texts(value))),
    user("agents.*.family", Kind::Text, "Whose weights this agent runs on, so that a debate can be held among different families.", |made, names, value| made.agent(names).family = Some(made::text(value))),
    user("agents.*.env", Kind::Variables, "Variables to set for the program. No keys: those come from `key_env` or `key_command`.", made::env),
    user("agents.*.pass_env", Kind::VariableNames, "Variables of your environment that the program is given besides those that it needs.", |made, names, value| made.agent(names).pass_env = made::texts(value)),
    Key { default: Some("\"auto\""), ..user("agents.*.home", Kind::Words(|| vec!["auto", "own", "fresh"]), "Which home the program sees: yours where it is logged in there, yours always, or an empty one always.", made::home) },
    user("agents.*.writable", Kind::Paths, "Folders that the program may write besides its own.", made::writable),
    user("agents.*.readable", Kind::Paths, "Files and folders that the program may read although they hold keys or lie in the workspace.", made::readable),
];
