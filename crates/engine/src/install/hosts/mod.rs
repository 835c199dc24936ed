//! The programs that forge can be installed into. One file each: where it looks for pages, and how they speak there.

mod claude;
mod codex;
mod cursor;
mod gemini;
mod opencode;
mod qwen;

pub use claude::plugin_tree;

use super::Wanted;
use super::source::{self, Page, Voice};

/// How a turn is handed in where a command with the whole turn in it would be held up.
const BY_FILE: &str = ", but without a here-document: write the turn to the file `docs/forge/turns/<turn>.md`, where <turn> is the word behind `--turn` in that command, and put that path in the place of the `-` behind `--file`; forge takes the file away once the turn is in";

/// A file and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFile {
    /// Where it stands, below the project's root or the marketplace's folder.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// A program that runs a model.
pub struct Host {
    /// Its name as it is typed.
    pub name: &'static str,
    /// Its name for readers.
    pub title: &'static str,
    /// The folder in a project that is its own.
    pub folder: &'static str,
    /// What the user does after installing.
    pub next: &'static [&'static str],
    files: fn(&Wanted) -> Vec<PageFile>,
}

/// All of them.
pub static ALL: [&Host; 6] = [&claude::HOST, &codex::HOST, &gemini::HOST, &qwen::HOST, &opencode::HOST, &cursor::HOST];

impl Host {
    /// The one of this name, as it is typed.
    pub fn named(name: &str) -> Option<&'static Host> {
        ALL.into_iter().find(|host| host.name == name)
    }

    /// Everything that stands in a project, without forge's marks.
    pub(super) fn files(&self, wanted: &Wanted) -> Vec<PageFile> {
        (self.files)(wanted)
    }

    /// Whether it has settings that forge edits, with rules and hooks.
    pub fn has_settings(&self) -> bool {
        self.name == claude::HOST.name
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A command as most hosts type it.
fn with_colon(plugin: &str, name: &str) -> String {
    format!("/{plugin}:{name}")
}

/// The name of a page where a host has one space of names for all; `debate:debate` and the like are not there.
fn joined(plugin: &str, name: &str) -> String {
    format!("{plugin}-{name}")
}

/// A page in Markdown, as a host reads it that takes front matter with these lines.
fn markdown(path: String, front: &[String], text: &str) -> PageFile {
    PageFile { path, text: format!("---\n{}\n---\n{text}", front.join("\n")) }
}

/// A text as YAML and TOML both read it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The skills as files below a folder.
fn skills(folder: &str, voice: &Voice<'_>) -> Vec<PageFile> {
    let file = |skill: source::Skill| {
        let description = skill.description(voice);
        let front = [format!("name: {}", skill.name), format!("description: {}", quoted(&description))];
        markdown(format!("{folder}/{}/SKILL.md", skill.name), &front, &skill.text(voice))
    };
    source::skills().into_iter().map(file).collect()
}

/// The pages as Markdown files below a folder, each with these lines at its top.
fn commands(folder: &str, voice: &Voice<'_>, front: fn(&Page) -> Vec<String>) -> Vec<PageFile> {
    let file = |page: Page| {
        let path = format!("{folder}/{}/{}.md", page.plugin, page.name);
        markdown(path, &front(&page), &page.text(voice))
    };
    source::pages().into_iter().map(file).collect()
}

/// The lines at the top of a page that say what it is for.
fn described(page: &Page) -> Vec<String> {
    vec![format!("description: {}", quoted(&page.description))]
}

/// The same for a host whose model would otherwise call the page by itself.
fn guarded(page: &Page) -> Vec<String> {
    let hint = page.hint.iter().map(|hint| format!("argument-hint: {}", quoted(hint)));
    let guard = page.spends.then(|| "disable-model-invocation: true".to_owned());
    described(page).into_iter().chain(hint).chain(guard).collect()
}
