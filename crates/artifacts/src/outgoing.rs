//! Which files are not sent to a model unless the user insists: those that usually hold secrets, those that the repository
//! itself leaves out, and those that a link of the repository leads to and the user did not name.
//!
//! It judges by names, links and ignore files, never by contents; key-shaped words are blotted out of whatever is sent
//! besides (`forge_debate::secrets`). Reads ignore files and writes nothing.

use crate::disk::named::{self, Named};
use crate::git;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::fmt;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Names of files that hold secrets.
const NAMES: &[&str] = &[
    ".env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".htpasswd",
    ".dockercfg",
    "credentials",
    "credentials.json",
    "credentials.toml",
    "kubeconfig",
    "auth.json",
    "oauth_creds.json",
    ".credentials.json",
    "service-account.json",
    "terraform.tfstate",
    "terraform.tfstate.backup",
    "env.local",
    "env.production",
    "env.development",
    "env.staging",
    "token",
    "token.txt",
    "token.json",
    "tokens.txt",
    "tokens.json",
    "password.txt",
    "passwords.txt",
    "apikey.txt",
    "api_key.txt",
    "api-key.txt",
    "api_keys.txt",
    "api-keys.txt",
    ".vault-token",
    ".vault_pass",
    ".s3cfg",
    ".boto",
    ".dockerconfigjson",
    ".terraformrc",
    "rclone.conf",
    "keystore.properties",
];
/// How such names begin.
const BEGINNINGS: &[&str] = &[".env.", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "secrets.", "secret."];
/// How such names end.
const ENDINGS: &[&str] = &[
    ".env",
    ".pem",
    ".key",
    ".p8",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".kdbx",
    ".ppk",
    ".asc",
    ".gpg",
    ".tfvars",
    ".pkcs12",
    ".ovpn",
];
/// How the names of their harmless relatives end: examples, and the public halves of keys.
const HARMLESS: &[&str] = &[".example", ".sample", ".template", ".dist", ".pub"];
/// How the names of data files begin that a service's credentials come in: `service-account-prod.json`.
const DATA_BEGINNINGS: &[&str] =
    &["service-account", "service_account", "serviceaccount", "client_secret", "client-secret"];
/// How data files end.
const DATA_ENDINGS: &[&str] = &[".json", ".yml", ".yaml", ".toml", ".txt"];
/// Folders that hold secrets.
const FOLDERS: &[&str] = &[".git", ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", "gcloud"];

/// Why a file is held back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeldBack {
    /// Files of that name usually hold secrets.
    Secrets,
    /// The repository leaves it out.
    Ignored {
        /// The ignore file that says so.
        by: PathBuf,
    },
    /// It lies in the repository and has other names too, by hard links.
    Names,
    /// A link of the repository leads to it, and it is hidden or lies elsewhere.
    Linked {
        /// What the link leads to.
        to: PathBuf,
    },
}

impl fmt::Display for HeldBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeldBack::Secrets => f.write_str("files of that name usually hold secrets"),
            HeldBack::Ignored { by } => write!(f, "{} leaves it out of the repository", by.display()),
            HeldBack::Names => f.write_str("it has other names too (hard links), so it may be another file"),
            HeldBack::Linked { to } => write!(f, "a link in the repository leads from it to {}", to.display()),
        }
    }
}

/// Whether a file that the user typed is held back, and why. It is judged by what it leads to as well. A link in the
/// `workspace`, or in the repository around it, is its author's: what it leads to is not what the user typed.
pub fn held_back(path: &Path, workspace: &Path) -> Option<HeldBack> {
    let tree = git::top(workspace);
    let (real, is_linked) = match named::resolve(path, &tree) {
        Ok(Named { real, link }) => (Some(real), link.is_some()),
        // What cannot be reached is told by whoever reads it.
        Err(_) => (None, false),
    };
    if std::iter::once(path).chain(real.as_deref()).any(is_secret_by_name) {
        return Some(HeldBack::Secrets);
    }
    let real = real?;
    if let Some(by) = ignored_by(&real) {
        return Some(HeldBack::Ignored { by });
    }
    let count = real.metadata().map_or(1, |found| if found.is_file() { found.nlink() } else { 1 });
    if count > 1 && real.starts_with(&tree) {
        return Some(HeldBack::Names);
    }
    let is_shown = |real: &Path| real.strip_prefix(&tree).is_ok_and(|below| !is_hidden(below));
    (is_linked && !is_shown(&real)).then_some(HeldBack::Linked { to: real })
}

/// Whether a file of the workspace is held back that the user did not name: one that forge looks for in `place`, its own
/// folder, or that a workflow file names. Where the whole place is left out of the repository its files are the user's own,
/// and meant for forge.
pub fn held_back_in_tree(workspace: &Path, path: &str, place: &str) -> Option<HeldBack> {
    if is_secret_by_name(Path::new(path)) {
        return Some(HeldBack::Secrets);
    }
    let workspace = workspace.canonicalize().ok()?;
    let by = ignored_by(&workspace.join(path))?;
    let is_in_place = Path::new(path).starts_with(place);
    let is_place_ignored = || is_in_place && ignored_by(&workspace.join(place)).is_some();
    (!is_place_ignored()).then_some(HeldBack::Ignored { by })
}

fn is_hidden(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
}

fn is_secret_by_name(path: &Path) -> bool {
    let Some(name) = path.file_name().map(|name| name.to_string_lossy().to_lowercase()) else { return false };
    if HARMLESS.iter().any(|ending| name.ends_with(ending)) {
        return false;
    }
    let in_folder = path.parent().into_iter().flat_map(Path::components).any(|part| {
        let part = part.as_os_str().to_string_lossy().to_lowercase();
        FOLDERS.contains(&part.as_str())
    });
    in_folder
        || NAMES.contains(&name.as_str())
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || (DATA_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
            && DATA_ENDINGS.iter().any(|ending| name.ends_with(ending)))
}

/// The ignore file by which a path is left out of the repository around it: those of its folders, the repository's own,
/// then the user's. The first one that says anything decides.
fn ignored_by(path: &Path) -> Option<PathBuf> {
    let (top, _) = git::repository(path.parent()?)?;
    let folders = path.ancestors().skip(1).take_while(|folder| folder.starts_with(&top));
    let own = folders.map(|folder| (folder, folder.join(".gitignore")));
    let exclude = git::exclude_file(&top).map(|file| (top.as_path(), file));
    let users = ignore::gitignore::gitconfig_excludes_path().map(|file| (top.as_path(), file));
    for (folder, file) in own.chain(exclude).chain(users) {
        if !file.is_file() {
            continue;
        }
        match rules(folder, &file).matched_path_or_any_parents(path, path.is_dir()) {
            Match::Ignore(_) => return Some(file),
            Match::Whitelist(_) => return None,
            Match::None => {}
        }
    }
    None
}

/// The rules of an ignore file, as far as they can be read: a rule that makes no sense is skipped, as git does.
fn rules(folder: &Path, file: &Path) -> Gitignore {
    let mut builder = GitignoreBuilder::new(folder);
    let _ = builder.add(file);
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
