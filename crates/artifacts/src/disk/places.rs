//! Which paths of a workspace forge touches at all, whoever names them.
//!
//! A repository is somebody else's, and so are the paths in it. What is hidden (`.git`, `.github`, `.env`, any other name
//! with a dot) is neither read nor written, but for forge's own `.claude/forge` and the ignore and attribute rules in
//! forge's own folders; `forge install`, which a person types for that, also touches what [`is_installed`] names. Symbolic links are not followed by the disk itself.

use super::TEMP_PREFIX;
use super::{DiskError, Entry, EntryKind};
use std::fmt;
use std::path::Path;

/// The settings of a project's host.
pub const HOST_SETTINGS: &str = ".claude/settings.json";
/// A place where a host looks for a project's pages and agents: the files in `folder` whose names begin and end so. An end with
/// a `/` in it is that of a file in a folder of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostPlace {
    /// The folder.
    pub folder: &'static str,
    begin: &'static str,
    end: &'static str,
}

/// The places that `forge install` may touch.
pub const HOST_PLACES: [HostPlace; 24] = [
    place(".claude/commands/forge", "", ".md"),
    place(".claude/commands/debate", "", ".md"),
    place(".claude/agents", "forge-", ".md"),
    place(".claude/skills", "debate", "/SKILL.md"),
    place(".codex/skills", "forge-", "/SKILL.md"),
    place(".codex/skills", "forge-", "/agents/openai.yaml"),
    place(".codex/skills", "debate", "/SKILL.md"),
    place(".codex/skills", "debate", "/agents/openai.yaml"),
    place(".codex/rules", "forge", ".rules"),
    place(".gemini/commands/forge", "", ".toml"),
    place(".gemini/commands/debate", "", ".toml"),
    place(".gemini/agents", "forge-", ".md"),
    place(".gemini/skills", "debate", "/SKILL.md"),
    place(".qwen/commands/forge", "", ".md"),
    place(".qwen/commands/debate", "", ".md"),
    place(".qwen/agents", "forge-", ".md"),
    place(".qwen/skills", "debate", "/SKILL.md"),
    place(".opencode/command/forge", "", ".md"),
    place(".opencode/command/debate", "", ".md"),
    place(".opencode/agent", "forge-", ".md"),
    place(".opencode/skill", "debate", "/SKILL.md"),
    place(".cursor/commands", "forge-", ".md"),
    place(".cursor/commands", "debate-", ".md"),
    place("debate/skills", "debate", "/SKILL.md"),
];

const fn place(folder: &'static str, begin: &'static str, end: &'static str) -> HostPlace {
    HostPlace { folder, begin, end }
}

impl HostPlace {
    /// Whether it lies below a folder.
    pub fn is_below(&self, folder: &str) -> bool {
        self.folder.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }

    /// Whether each file has a folder of its own.
    pub fn is_in_folder(&self) -> bool {
        self.end.starts_with('/')
    }

    /// Whether all that the folder holds is forge's.
    pub fn is_own_folder(&self) -> bool {
        self.begin.is_empty() && !self.is_in_folder()
    }

    /// Whether a host may take an entry of the folder for a page, or look for pages in it.
    pub fn is_taken_for(&self, entry: &Entry) -> bool {
        let is_left = entry.name.starts_with(TEMP_PREFIX);
        !is_left && (entry.kind != EntryKind::File || entry.name.to_lowercase().ends_with(self.end))
    }

    /// The file that an entry of the folder is, or holds, if it is one of this place with a name that forge gives.
    pub fn file_at(&self, entry: &str) -> Option<String> {
        let end = if self.is_in_folder() { self.end } else { "" };
        Some(format!("{}/{entry}{end}", self.folder)).filter(|path| self.has(path))
    }

    /// Whether a path is one of a file of this place, with a name that forge gives.
    fn has(&self, path: &str) -> bool {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let name = path.strip_prefix(self.folder).and_then(|rest| rest.strip_prefix('/'));
        let name = name.and_then(|name| name.strip_suffix(self.end)).filter(|name| name.starts_with(self.begin));
        name.is_some_and(|name| !name.is_empty() && !name.ends_with('-') && name.bytes().all(is_plain))
    }

    /// Whether a folder is on the way to a file of this place.
    fn is_way(&self, folder: &str) -> bool {
        let own = folder.strip_prefix(self.folder).and_then(|rest| rest.strip_prefix('/'));
        let is_own = own.is_some_and(|own| {
            let (name, below) = own.split_once('/').unwrap_or((own, ""));
            self.is_in_folder()
                && self.has(&format!("{}/{name}{}", self.folder, self.end))
                && (below.is_empty() || self.end.starts_with(&format!("/{below}/")))
        });
        is_own || folder == self.folder || self.is_below(folder)
    }
}

/// Manifests of the plugins that forge keeps in a folder of its own.
const HOST_MANIFESTS: [&str; 3] =
    [".claude-plugin/marketplace.json", "forge/.claude-plugin/plugin.json", "debate/.claude-plugin/plugin.json"];
/// forge's own hidden folder.
pub const OWN: &str = ".claude/forge";
/// What forge tells git about its own folders, in files of their own.
const OWN_RULES: [&str; 2] = [".gitignore", ".gitattributes"];
/// The folders in which forge keeps such rules; each `sadd` is one more.
const RULED: [&str; 3] = [OWN, "docs/forge", "debates"];
/// The longest name that file systems have.
const NAME_LIMIT_BYTES: usize = 255;
/// The longest path that is tried.
const PATH_LIMIT_BYTES: usize = 1024;

/// Why a path is left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It is hidden.
    Hidden,
    /// It lies in git's own folder.
    Git,
    /// This is a symbolic link, on the way or at its end.
    Link(String),
    /// The file has other names too, by hard links.
    Names(u64),
    /// No file system has such a path.
    Long,
    /// It has characters in it that nobody sees.
    Unseen,
}

impl Refusal {
    /// What is wrong with a path, with the path said once.
    pub(super) fn about(&self, path: &str) -> String {
        match self {
            Refusal::Link(link) if link == path => self.to_string(),
            why => format!("{path:?}: {why}"),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Hidden => {
                write!(f, "it is hidden, and of what is hidden forge touches its own {OWN} alone")
            }
            Refusal::Git => f.write_str("it lies in git's own folder, which forge leaves alone"),
            Refusal::Link(link) => {
                write!(f, "{link} is a symbolic link, and forge follows none; put the file or folder itself there")
            }
            Refusal::Names(count) => {
                write!(f, "the file has {count} names (hard links), so it may be another's; put a copy in its place")
            }
            Refusal::Long => {
                write!(f, "it is too long; a name has at most {NAME_LIMIT_BYTES} bytes, a path {PATH_LIMIT_BYTES}")
            }
            Refusal::Unseen => f.write_str("it has control or invisible characters in it; type it with plain ones"),
        }
    }
}

/// Why forge would not read at a path, if it would not. The path is relative and has no `.` or `..` in it.
pub(super) fn not_read(path: &str) -> Option<Refusal> {
    if path.len() > PATH_LIMIT_BYTES || path.split('/').any(|part| part.len() > NAME_LIMIT_BYTES) {
        return Some(Refusal::Long);
    }
    let below = match path.strip_prefix(OWN) {
        Some("") => return None,
        Some(rest) if rest.starts_with('/') => &rest[1..],
        _ => path,
    };
    let (folder, name) = below.rsplit_once('/').unwrap_or(("", below));
    let is_hidden = |part: &str| part.starts_with('.');
    let is_rules = || OWN_RULES.contains(&name) && path.rsplit_once('/').is_some_and(|(folder, _)| is_ruled(folder));
    let is_own = |name: &str| name.starts_with(TEMP_PREFIX) || is_rules();
    let hidden = folder.split('/').any(is_hidden) || (is_hidden(name) && !is_own(name));
    hidden.then_some(Refusal::Hidden)
}

/// Why forge would not write at a path, if it would not.
pub fn not_written(path: &str) -> Option<Refusal> {
    not_read(path).or_else(|| path.contains(is_unseen).then_some(Refusal::Unseen))
}

/// Whether `forge install`, and nothing else, may touch a hidden path: the host's settings, forge's own pages and agents, and
/// the folders that hold these.
pub(super) fn is_installed(path: &str) -> bool {
    if path == HOST_SETTINGS || HOST_MANIFESTS.contains(&path) {
        return true;
    }
    HOST_PLACES.iter().any(|place| place.has(path) || place.folder == path)
}

/// Whether `forge install` may take a folder away that nothing is left in.
pub(super) fn is_host_folder(folder: &str) -> bool {
    HOST_PLACES.iter().any(|place| place.is_way(folder))
}

fn is_ruled(folder: &str) -> bool {
    RULED.contains(&folder) || folder == "sadd" || folder.ends_with("/sadd")
}

/// Whether a path of this machine lies in a `.git`, however that is spelled on a disk that takes letters of both cases.
pub fn is_in_git(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().to_string_lossy().to_lowercase() == ".git")
}

/// Whether nobody would see the character, or not where it stands: a path has no line feed, and no blank of Braille.
pub fn is_unseen(c: char) -> bool {
    c.is_control() || c == '\u{2800}' || forge_debate::hidden::is_unseen(c)
}

/// The error for a path that is left alone.
pub(super) fn refused(path: &str, why: Refusal) -> DiskError {
    DiskError::Refused { path: path.to_owned(), why }
}
