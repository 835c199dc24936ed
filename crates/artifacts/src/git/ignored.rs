//! Which files git leaves out, read from its own files without git.
//!
//! There are three kinds of sources: the `.gitignore` files of the tree, which are one; the repository's own `info/exclude`;
//! and the user's ignore files. Each is judged by itself: what one of them leaves out is left out, whatever another
//! takes in again. git lets the tree's rules overrule the user's; but the tree is somebody else's.

use super::pattern::Pattern;
use super::{Setting, Unread, config, read_whole};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// The most bytes of one ignore file.
const LIMIT_BYTES: u64 = 4 * 1024 * 1024;

/// Where the user's own settings of git are.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The user's folder.
    pub home: Option<PathBuf>,
    /// Files of configuration; those that are not there say nothing.
    pub configs: Vec<PathBuf>,
    /// What the environment sets beside them.
    pub given: Vec<Setting>,
    /// Ignore files that need no setting.
    pub ignores: Vec<PathBuf>,
}

impl Settings {
    /// Those of the user who runs forge.
    pub fn of_user() -> Self {
        let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let (home, other) = (folder("HOME"), folder("XDG_CONFIG_HOME"));
        let given = config::given(|name| std::env::var_os(name).map(OsStringExt::into_vec));
        let mut found = Self { home: home.clone(), given, ..Self::default() };
        found.configs.push(PathBuf::from("/etc/gitconfig"));
        found.configs.extend(["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].into_iter().filter_map(folder));
        found.configs.extend(home.as_ref().map(|home| home.join(".gitconfig")));
        for folder in [other, home.map(|home| home.join(".config"))].into_iter().flatten() {
            found.configs.push(folder.join("git/config"));
            found.ignores.push(folder.join("git/ignore"));
        }
        found
    }
}

/// That a source leaves a path out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// The file that says so.
    pub by: PathBuf,
    /// The path itself, or the folder above it that the rule is about.
    pub at: PathBuf,
    /// Whether it is a file of the tree, and no file of the user's own.
    pub is_trees: bool,
}

/// What leaves a path out of the repository around it. The path has no links in it.
pub fn ignored_by(path: &Path, settings: &Settings) -> Result<Vec<Ignored>, Unread> {
    let unread = |file: &Path| Unread { file: file.to_owned() };
    let folder = path.parent().ok_or_else(|| unread(path))?;
    let there = folder.ancestors().find(|part| part.exists()).unwrap_or(folder);
    there.canonicalize().map_err(|_| unread(there))?;
    let Some((top, _)) = super::repository(there) else { return Ok(Vec::new()) };
    let git = top.join(".git");
    let (own, common) = super::git_folder(&top).zip(super::common_folder(&top)).ok_or_else(|| unread(&git))?;

    let mut files = settings.ignores.clone();
    let mut folds = false;
    let home = settings.home.as_deref();
    let given = config::with_given(&settings.given, home)?;
    let mut said: Vec<(PathBuf, Setting)> = given.into_iter().map(|setting| (git.clone(), setting)).collect();
    for file in settings.configs.iter().chain(&[common.join("config"), own.join("config.worktree")]) {
        said.extend(config::with_included(file, home)?.into_iter().map(|setting| (file.clone(), setting)));
    }
    for (by, setting) in said.into_iter().filter(|(_, setting)| setting.section == "core") {
        match (setting.key.as_str(), setting.value) {
            ("excludesfile", Some(value)) if !value.is_empty() => {
                files.push(config::path_of(&value, &top, home).ok_or_else(|| unread(&by))?);
            }
            ("ignorecase", value) => folds |= value.as_deref().is_none_or(is_yes),
            _ => {}
        }
    }
    files.push(common.join("info/exclude"));

    let mut found = Vec::new();
    let mut chain = Vec::new();
    for folder in folder.ancestors().take_while(|folder| folder.starts_with(&top)) {
        let file = folder.join(".gitignore");
        // git follows no link here.
        if !file.is_symlink() {
            chain.extend(Rules::read(&file, folder, folds)?);
        }
    }
    let is_trees = true;
    found.extend(decided(&chain, path, &top).map(|(by, at)| Ignored { by, at, is_trees }));
    for file in files {
        let rules = Rules::read(&file, &top, folds)?;
        let said = decided(rules.as_slice(), path, &top);
        found.extend(said.map(|(by, at)| Ignored { by, at, is_trees: false }));
    }
    Ok(found)
}

fn is_yes(value: &[u8]) -> bool {
    !matches!(value.to_ascii_lowercase().as_slice(), b"false" | b"no" | b"off" | b"0" | b"")
}

/// The rules of one file, which hold below a folder.
struct Rules {
    file: PathBuf,
    folder: PathBuf,
    patterns: Vec<Pattern>,
    folds: bool,
}

impl Rules {
    fn read(file: &Path, folder: &Path, folds: bool) -> Result<Option<Self>, Unread> {
        let Some(bytes) = read_whole(file, LIMIT_BYTES)? else { return Ok(None) };
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
        let patterns = text.split(|c| *c == b'\n').filter_map(Pattern::read).collect();
        Ok(Some(Self { file: file.to_owned(), folder: folder.to_owned(), patterns, folds }))
    }

    /// What the last rule that fits says: whether the path is left out.
    fn say(&self, path: &Path, is_folder: bool) -> Option<bool> {
        use std::os::unix::ffi::OsStrExt as _;
        let below = path.strip_prefix(&self.folder).ok()?.as_os_str().as_bytes();
        let fits = |pattern: &&Pattern| !below.is_empty() && pattern.fits(below, is_folder, self.folds);
        self.patterns.iter().rev().find(fits).map(|pattern| !pattern.takes_in)
    }
}

/// The file and the path, or the folder above it, by which these rules leave a path out. The deepest file comes first. What
/// lies in a folder that is left out cannot be taken in again.
fn decided(chain: &[Rules], path: &Path, top: &Path) -> Option<(PathBuf, PathBuf)> {
    let mut parts: Vec<&Path> = path.ancestors().take_while(|part| part.starts_with(top) && *part != top).collect();
    parts.reverse();
    parts.into_iter().find_map(|part| {
        let is_folder = part != path || path.is_dir();
        let (said, rules) = chain.iter().find_map(|rules| Some((rules.say(part, is_folder)?, rules)))?;
        said.then(|| (rules.file.clone(), part.to_owned()))
    })
}
