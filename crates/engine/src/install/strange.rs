//! Pages and agents of forge's names that are not as forge writes them. A host's model follows them, and they may have come
//! with the folder: whoever gives a debate's seats to a host's subagents is told first.

use super::check::first_difference;
use super::hosts::{ALL, PageFile};
use super::{Project, Wanted};
use crate::workspace::EngineError;
use forge_artifacts::disk::{Durability, LatePrivateDisk, WorkspaceDisk, read_named};
use forge_artifacts::document::{self, Document};
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// The most files of a host's folder of agents that are looked at, and the most bytes of one.
const FILES_LIMIT: usize = 1000;
const BYTES_LIMIT: u64 = 1024 * 1024;
/// How deep a host looks for agents.
const DEPTH_LIMIT: usize = 4;
/// The folders in which hosts look for a project's agents.
const AGENTS: [&str; 4] = [".claude/agents", ".gemini/agents", ".qwen/agents", ".opencode/agent"];

/// A file that a host's model follows as if it were forge's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Strange {
    /// It has forge's place and another text.
    Text {
        /// The file.
        path: String,
        /// The first line that differs.
        line: usize,
    },
    /// It has another place and the name of an agent of forge's.
    Name {
        /// The file.
        path: String,
        /// The name.
        name: String,
    },
    /// It stands where forge's stand, and this forge has none of that name.
    Extra {
        /// The file.
        path: String,
    },
    /// A host's folder cannot be looked at.
    Unread {
        /// The host.
        host: &'static str,
        /// Why.
        why: String,
    },
}

impl fmt::Display for Strange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strange::Text { path, line } => write!(f, "{path}:{line} is not as this forge writes it")?,
            Strange::Name { path, name } => write!(f, "{path} calls itself {name}, as an agent of forge's does")?,
            Strange::Extra { path } => {
                write!(f, "{path} stands among forge's pages, and this forge has none of that name")?
            }
            Strange::Unread { host, why } => {
                return write!(f, "the pages and agents of {host} cannot be looked at: {why}");
            }
        }
        f.write_str(", and the host's models follow it. Read it before a subagent is started")
    }
}

/// All such files of a project. `program` is what forge is called by.
pub fn strange(root: &Path, program: &str) -> Result<Vec<Strange>, EngineError> {
    let disk = WorkspaceDisk::open(root, Durability::None)?.for_install();
    let kept = LatePrivateDisk::at(None, Durability::None);
    let mut found = Vec::new();
    let mut names = BTreeSet::new();
    for host in ALL {
        let project = Project { disk: &disk, kept: &kept, host };
        let told = strange_pages(&project, program, &mut names);
        found.extend(told.unwrap_or_else(|error| vec![Strange::Unread { host: host.title, why: error.to_string() }]));
    }
    for folder in AGENTS {
        for path in files_below(&root.join(folder)) {
            let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            let is_named = found
                .iter()
                .any(|one| matches!(one, Strange::Text { path, .. } | Strange::Extra { path } if *path == shown));
            let Ok(bytes) = read_named(&path, BYTES_LIMIT) else { continue };
            let own_names = names_of(&document::decode(&bytes).text);
            let Some(name) = own_names.into_iter().find(|name| names.contains(name)) else { continue };
            let own = format!("{folder}/{name}.md");
            if !is_named && shown != own {
                found.push(Strange::Name { path: shown, name });
            }
        }
    }
    Ok(found)
}

/// The pages at forge's places that differ from forge's own, whatever program those call.
fn strange_pages(
    project: &Project<'_>,
    program: &str,
    names: &mut BTreeSet<String>,
) -> Result<Vec<Strange>, EngineError> {
    let own = Wanted { program: program.to_owned(), hold_stop: false, agents_md: false };
    let files = project.wanted_files(&own);
    let is_agent = |path: &str| AGENTS.iter().any(|folder| path.starts_with(folder));
    names.extend(files.iter().filter(|file| is_agent(&file.path)).flat_map(|file| names_of(&file.text)));
    let pages = project.pages()?;
    let strays = project.strays()?.into_iter().map(|path| Strange::Extra { path });
    if pages.is_empty() {
        return Ok(strays.collect());
    }
    let installed = project.check(program, &|_| true)?.installed.program;
    let others = ["forge", &installed]
        .map(|program| project.wanted_files(&Wanted { program: program.to_owned(), ..own.clone() }));
    let is_extra = |path: &&String| files.iter().all(|file| file.path != **path);
    let extra = pages.keys().filter(is_extra).map(|path| Strange::Extra { path: path.clone() });
    let mut found: Vec<Strange> = extra.chain(strays).collect();
    for (at, file) in files.iter().enumerate() {
        let Some((bytes, _)) = pages.get(&file.path) else { continue };
        let there = document::decode(bytes).text;
        let is_own = |file: &PageFile| file.text == there;
        if !is_own(file) && !others.iter().filter_map(|files| files.get(at)).any(is_own) {
            let line = first_difference(&there, &file.text);
            found.push(Strange::Text { path: file.path.clone(), line });
        }
    }
    Ok(found)
}

/// The names that an agent gives itself in its front matter: as YAML reads it, and line by line where that reads nothing.
fn names_of(text: &str) -> Vec<String> {
    let is_name = |key: &str| key.trim().trim_matches(['"', '\'']).eq_ignore_ascii_case("name");
    let parsed = Document::parse(text);
    let read = parsed.fields().into_iter().flatten().filter(|(key, _)| is_name(key));
    let mut names: Vec<String> = read.filter_map(|(_, value)| value.as_str().map(folded)).collect();
    let is_fence = |line: &&str| line.trim_end() == "---";
    let front = text.lines().skip_while(|line| !is_fence(line)).skip(1).take_while(|line| !is_fence(line));
    let told = front.filter_map(|line| line.split_once(':')).filter(|(key, _)| is_name(key));
    names.extend(told.map(|(_, value)| folded(value.split(" #").next().unwrap_or(value))));
    names
}

/// A name as hosts tell names apart: `forge:risk` is `forge-risk`.
fn folded(name: &str) -> String {
    name.trim().trim_matches(['"', '\'']).replace(':', "-").to_lowercase()
}

/// Regular files below a folder, through links too, as hosts read them.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.take(FILES_LIMIT).flatten() {
            match entry.path().metadata() {
                Ok(kind) if kind.is_dir() && depth < DEPTH_LIMIT => open.push((entry.path(), depth + 1)),
                Ok(kind) if kind.is_file() && found.len() < FILES_LIMIT => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found.sort();
    found
}
