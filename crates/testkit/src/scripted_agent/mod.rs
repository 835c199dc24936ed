//! A stand-in for the agent programs: a real binary that a test puts into a folder under their names, and that does what the
//! JSON file beside it says, `claude.json` for `claude`.
//!
//! A script is a list of [`Action`]s, done in order, or `{"cases": [{"call": 2, "stdin_has": "...", "argument": "--version",
//! "do": [...]}]}`: then the first case all of whose conditions hold is played. The script is found by the program's own path,
//! since the environment of an agent is an allow-list. Calls are counted in `claude.calls`, and what an agent was given is
//! recorded in `claude.record.jsonl`, both beside it: where they cannot be written, there is no count and no record.
//!
//! Without an action that ends it, the program ends with code 0.

pub(crate) mod installing;
mod playing;

pub use installing::{install, records};
pub use playing::play;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A script: what to do, always or by case.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Script {
    /// Always the same.
    Always(Vec<Action>),
    /// The first case that holds.
    ByCase {
        /// The cases, in order.
        cases: Vec<Case>,
    },
}

/// One of several things to do.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Holds for the call of this number, from 1.
    pub call: Option<u64>,
    /// Holds where this is in what there is to read, which is read for it.
    pub stdin_has: Option<String>,
    /// Holds where this is one of the arguments.
    pub argument: Option<String>,
    /// What to do.
    #[serde(rename = "do")]
    pub actions: Vec<Action>,
}

/// One thing to do: `"read_stdin"`, `{"print": {"text": "hello"}}`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Reads everything there is to read.
    ReadStdin,
    /// Prints.
    Print(Print),
    /// Prints that it wants a login, and waits for one.
    AskForLogin,
    /// Does nothing for so many milliseconds.
    SleepMs(u64),
    /// Does nothing any more.
    Hang,
    /// Takes no notice of TERM from now on.
    IgnoreTerm,
    /// Starts a process that stays.
    Leave(Leave),
    /// Tries to write a file, and prints a line that says whether it could.
    WriteFile {
        /// Where.
        path: String,
        /// What.
        #[serde(default)]
        text: String,
    },
    /// Prints a [`Record`] as one line of JSON.
    Report,
    /// Adds a [`Record`] to the file beside the program.
    Record,
    /// Ends with a code.
    Exit(u8),
    /// Ends itself by a signal.
    Die(i32),
}

/// Something to print.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Print {
    /// This text.
    pub text: Option<String>,
    /// These bytes.
    pub bytes: Option<Vec<u8>>,
    /// What is in this file, which is beside the program.
    pub file: Option<String>,
    /// Where to.
    #[serde(default)]
    pub to: To,
    /// How often.
    #[serde(default = "once")]
    pub times: u64,
    /// How long to wait after each time, in milliseconds.
    #[serde(default)]
    pub pause_ms: u64,
}

fn once() -> u64 {
    1
}

/// An output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum To {
    /// Standard output.
    #[default]
    Stdout,
    /// Standard error.
    Stderr,
}

/// A process that stays.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leave {
    /// In whose session.
    #[serde(default)]
    pub session: Session,
    /// Whether it keeps the outputs.
    #[serde(default)]
    pub outputs: Outputs,
    /// For how long, in milliseconds.
    #[serde(default = "long")]
    pub ms: u64,
}

fn long() -> u64 {
    600_000
}

/// In whose session a process stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Session {
    /// In that of the program, and in its group.
    #[default]
    Same,
    /// In one of its own.
    Own,
}

/// What a process that stays does with the outputs of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outputs {
    /// Holds them open.
    #[default]
    Held,
    /// Has none.
    Closed,
}

/// What a scripted agent was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Which call this is, from 1; 0 where calls cannot be counted.
    pub call: u64,
    /// Its number.
    pub pid: i32,
    /// The numbers of what it has left behind so far.
    pub left: Vec<i32>,
    /// Its arguments, without its own name.
    pub arguments: Vec<String>,
    /// Its environment.
    pub environment: BTreeMap<String, String>,
    /// Where it runs.
    pub folder: String,
    /// The files there, by their paths below it, with what is in them.
    pub files: BTreeMap<String, String>,
    /// What it has read so far.
    pub stdin: String,
    /// Its open descriptors.
    pub descriptors: Vec<i32>,
    /// Whether it leads its own session and group.
    pub leads: bool,
}
