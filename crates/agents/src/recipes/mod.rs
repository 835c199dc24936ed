//! Recipes: how each agent CLI is started without a screen and without tools, and how what it prints is read.
//!
//! A recipe is data and two small functions, one file each, one line in [`ALL`]. Everything that holds for all of them
//! (the seat's folder, the keeper, deadlines, secrets, receipts) is in `crate::cli`.

mod claude;
pub(crate) mod codex;
mod defaults;
mod gemini;
mod opencode;
mod qwen;
pub(crate) mod reading;
pub(crate) mod signs;
mod toml;

pub use defaults::{default_model, models_as_of};

use crate::agent::{FailureKind, Served};
use crate::keeper::How;
use crate::settings::AgentSettings;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An agent CLI.
#[derive(Debug)]
pub struct Recipe {
    /// The agent's name, which is the program's too.
    pub name: &'static str,
    /// Who is sent what the program reads.
    pub vendor: &'static str,
    /// Whose weights it runs on, where it runs on one maker's only.
    pub family: Option<&'static str>,
    /// How it is installed.
    pub install: &'static str,
    /// How a person logs in.
    pub login: &'static str,
    /// Variables that may hold its key, the best first.
    pub keys: &'static [&'static str],
    /// The variable that sends it to another address, where there is one.
    pub base_url: Option<&'static str>,
    /// The key to which that variable's address belongs, where it is another program's as well: no other key is sent there.
    pub base_url_key: Option<&'static str>,
    /// Whose models it may ask, where that is not one maker alone.
    pub makers: &'static [Maker],
    /// Other variables of forge's environment that it is given.
    pub passes: &'static [&'static str],
    /// Files below the user's home that show that it is logged in there.
    pub login_files: &'static [&'static str],
    /// Files below the user's home that show that it is set up there. What in them logs it in is in `signs`.
    pub config_files: &'static [&'static str],
    /// What it must write below the user's home when it sees that.
    pub writes: &'static [&'static str],
    /// Credentials of clouds below the user's home by which it may be paid, as `data/private.txt` names them.
    pub clouds: &'static [&'static str],
    /// The file in its folder that it reads by itself.
    pub context_file: &'static str,
    /// Whether it replaces `@path` in a prompt by that file's contents.
    pub expands_paths: bool,
    /// Flags that switch its safety off.
    pub dangerous: &'static [&'static str],
    /// How long until its first byte, and the longest silence after it; `None` where it prints only at its end.
    pub silence: Option<(Duration, Duration)>,
    /// How it is started.
    pub prepare: fn(&Occasion<'_>) -> Preparation,
    /// What it said.
    pub read: fn(&Printed<'_>) -> Result<Said, Trouble>,
}

/// A maker of models, as a program that asks several of them knows it.
#[derive(Debug)]
pub struct Maker {
    /// What the names of its models begin with, before a `/`.
    pub name: &'static str,
    /// The variable that may hold its key.
    pub key: &'static str,
    /// The variable that sends whoever has that key to another address, where there is one.
    pub address: Option<&'static str>,
}

impl Recipe {
    /// The variables that may hold its key for this model, the best first.
    pub fn keys_for(&self, model: Option<&str>) -> Vec<&'static str> {
        let maker = model.and_then(|model| model.split_once('/')).map(|(maker, _)| maker);
        let of_maker = self.makers.iter().filter(|known| Some(known.name) == maker).map(|known| known.key);
        let of_maker: Vec<_> = of_maker.collect();
        if of_maker.is_empty() { self.keys.to_vec() } else { of_maker }
    }
}

/// Whether a program that sees this home is sent to somebody else than its maker by what the user configured there, as far as
/// its recipe takes that over.
pub(crate) fn is_sent_elsewhere(recipe: &Recipe, home: &Path) -> bool {
    recipe.name == codex::RECIPE.name && codex::is_sent_elsewhere(home)
}

/// What a recipe may know when it prepares a call.
#[derive(Debug)]
pub struct Occasion<'a> {
    /// The model that is asked for, if any.
    pub model: Option<&'a str>,
    /// Where the program runs; empty but for the seat's context file.
    pub folder: &'a Path,
    /// Its home: an empty one of this call's own, or the user's.
    pub home: &'a Path,
    /// Whether that is the user's.
    pub home_is_the_users: bool,
    /// A place for files that the program is pointed to, outside its folder.
    pub aside: &'a Path,
    /// Whether the seat has a context file in the folder.
    pub has_context_file: bool,
    /// The variable under which the key was found, where it was found under one that the recipe knows.
    pub key_variable: Option<&'a str>,
    /// The key, where there is one.
    pub key: Option<&'a str>,
    /// The other address, where there is one.
    pub base_url: Option<&'a str>,
    /// How long the call may take.
    pub deadline: Duration,
    /// What the configuration says.
    pub settings: &'a AgentSettings,
}

/// How a program is started for one call.
#[derive(Debug, Default)]
pub struct Preparation {
    /// Its arguments. Never the prompt, never a key.
    pub arguments: Vec<String>,
    /// Variables to set, besides those passed on.
    pub environment: Vec<(String, String)>,
    /// Files to write first: absolute paths below home (only an empty one) or aside.
    pub files: Vec<(PathBuf, String)>,
    /// Symbolic links to make first, each with what it leads to: absolute paths below home (only an empty one) or aside.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// The name under which the seat's context file is put into the folder, where the recipe's usual one would bring in
    /// the user's own as well.
    pub context_file: Option<&'static str>,
    /// What of the user's own settings came along and must not be told: keys, and addresses that may hold some.
    pub secrets: Vec<String>,
    /// Folders of this call's own, each with what it stands for: in the program's words a reader is told that instead.
    pub stands_for: Vec<(PathBuf, &'static str)>,
}

/// What a program left.
#[derive(Debug)]
pub struct Printed<'a> {
    /// How it ended.
    pub how: &'a How,
    /// Its standard output.
    pub stdout: &'a str,
    /// The kept part of its standard error.
    pub stderr: &'a str,
}

/// An answer, read from what a program printed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Said {
    /// The model's words.
    pub text: String,
    /// What the program says it used.
    pub served: Served,
    /// Calls of the model that it says it made.
    pub tries: Option<u32>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// Why what a program printed is no answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Trouble {
    /// Its kind.
    pub kind: FailureKind,
    /// What happened, in a sentence.
    pub detail: String,
    /// What it used all the same, as far as it says.
    pub served: Box<Served>,
    /// HTTP status that the program reports, where it does.
    pub status: Option<u16>,
    /// Calls of the model that it says it made.
    pub tries: Option<u32>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

impl Trouble {
    /// Trouble of which no more is known.
    pub fn new(kind: FailureKind, detail: String) -> Self {
        Self { kind, detail, served: Box::default(), status: None, tries: None, notes: Vec::new() }
    }
}

/// Every agent CLI that forge knows by itself, in the order in which they are preferred. One line each.
pub static ALL: &[&Recipe] = &[&claude::RECIPE, &codex::RECIPE, &gemini::RECIPE, &qwen::RECIPE, &opencode::RECIPE];

/// The recipe of that name.
pub fn named(name: &str) -> Option<&'static Recipe> {
    ALL.iter().copied().find(|recipe| recipe.name == name)
}

/// The file in which a program looks for its context: as its recipe says, or that of the program that a command of the user's
/// own is called like, or else the one that most read.
pub(crate) fn context_file(recipe: Option<&Recipe>, own: &AgentSettings) -> &'static str {
    const MOST_READ: &str = "AGENTS.md";
    let command = || named(Path::new(own.command.as_deref()?).file_stem()?.to_str()?);
    recipe.or_else(command).map_or(MOST_READ, |recipe| recipe.context_file)
}

/// A small file of the user's, or nothing where it is not there, too large or no text.
pub(crate) fn bounded_file(path: &Path, limit: u64) -> Option<String> {
    let mut text = String::new();
    let length = std::fs::File::open(path).ok()?.take(limit + 1).read_to_string(&mut text).ok()?;
    (u64::try_from(length).ok()? <= limit).then_some(text)
}
