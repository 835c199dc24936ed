//! Which files are not sent to a model unless the user insists: those that usually hold secrets, those that the repository
//! itself leaves out, and those that a link of the repository leads to and the user did not name.
//!
//! It judges by names, links and ignore files, never by contents; key-shaped words are blotted out of whatever is sent
//! besides (`forge_prose::secrets`). Reads ignore files and writes nothing.

use crate::disk::named::{self, Named};
use crate::disk::places;
use crate::git::ignored::{Ignored, Settings, ignored_by};
use crate::git::{self, Unread};
use std::fmt;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Folders whose files are not sent if nobody typed them.
const KEY_FOLDERS: &[&str] = &["secret", "secrets", "credentials", "passwords", "private-keys"];
/// Names, without what follows their first dot, of files that are not sent if nobody typed them.
const KEY_LIKE: &str = include_str!("../data/key-like-names.txt");
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
    /// Whether it may be sent cannot be told.
    Untold {
        /// The file that cannot be read.
        file: PathBuf,
    },
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
            HeldBack::Untold { file } => {
                write!(f, "whether git leaves it out cannot be told: {} cannot be read", file.display())
            }
            HeldBack::Linked { to } => write!(f, "a link in the repository leads from it to {}", to.display()),
        }
    }
}

/// Whether a file that the user typed is held back, and why. It is judged by what it leads to as well. A link in the
/// `workspace`, or in the repository around it, is its author's: what it leads to is not what the user typed.
pub fn held_back(path: &Path, workspace: &Path) -> Option<HeldBack> {
    held_back_by(path, workspace, &Settings::of_user())
}

/// The same with these settings of git.
pub fn held_back_by(path: &Path, workspace: &Path, settings: &Settings) -> Option<HeldBack> {
    let tree = git::outermost(workspace);
    let found = named::resolve(path, &tree);
    let real = found.as_ref().ok().map(|found| found.real.as_path());
    if std::iter::once(path).chain(real).any(is_secret_by_name) {
        return Some(HeldBack::Secrets);
    }
    let Named { real, link } = match found {
        Ok(found) => found,
        // There is nothing to send; whoever reads it tells.
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(_) => return Some(HeldBack::Untold { file: path.to_owned() }),
    };
    match ignored_by(&real, settings) {
        Err(Unread { file }) => return Some(HeldBack::Untold { file }),
        Ok(ignored) => {
            if let Some(Ignored { by, .. }) = ignored.into_iter().next() {
                return Some(HeldBack::Ignored { by });
            }
        }
    }
    let count = real.metadata().map_or(1, |found| if found.is_file() { found.nlink() } else { 1 });
    if count > 1 && real.starts_with(&tree) {
        return Some(HeldBack::Names);
    }
    let is_shown = |real: &Path| real.strip_prefix(&tree).is_ok_and(|below| !is_hidden(below));
    (link.is_some() && !is_shown(&real)).then_some(HeldBack::Linked { to: real })
}

/// Where a link of the repository leads from a path that the user typed.
pub fn linked_to(path: &Path, workspace: &Path) -> Option<PathBuf> {
    let found = named::resolve(path, &git::outermost(workspace)).ok()?;
    found.link.map(|_| found.real)
}

/// Whether a file of the workspace is held back that the user did not name: one that forge looks for in `place`, its own
/// folder, or that a workflow file names. Where the whole place is left out of the repository its files are the user's own,
/// and meant for forge; but a rule of the user's must name that very place.
pub fn held_back_in_tree(workspace: &Path, path: &str, place: &str) -> Option<HeldBack> {
    held_back_in_tree_by(workspace, path, place, &Settings::of_user())
}

/// The same with these settings of git.
pub fn held_back_in_tree_by(workspace: &Path, path: &str, place: &str, settings: &Settings) -> Option<HeldBack> {
    if is_secret_by_name(Path::new(path)) || is_key_like(Path::new(path)) {
        return Some(HeldBack::Secrets);
    }
    let judged = || {
        let ignored = ignored_by(&real_path(&workspace.join(path))?, settings)?;
        if ignored.is_empty() || !Path::new(path).starts_with(place) {
            return Ok(ignored);
        }
        let place_at = real_path(&workspace.join(place))?;
        let is_place_ignored = ignored_by(&place_at, settings)?.iter().any(|ignored| ignored.is_trees);
        let is_place = |at: &Path| at == place_at || (place == places::OWN && Some(at) == place_at.parent());
        let is_meant = |one: &Ignored| if one.is_trees { is_place_ignored } else { is_place(&one.at) };
        Ok(ignored.into_iter().filter(|one| !is_meant(one)).collect())
    };
    match judged() {
        Err(Unread { file }) => Some(HeldBack::Untold { file }),
        Ok(ignored) => ignored.into_iter().next().map(|one| HeldBack::Ignored { by: one.by }),
    }
}

/// The path without links. What is not there has the name it would have.
fn real_path(path: &Path) -> Result<PathBuf, Unread> {
    let unread = |_| Unread { file: path.to_owned() };
    let there = path.ancestors().find(|part| part.exists()).unwrap_or(path);
    let real = there.canonicalize().map_err(unread)?;
    Ok(path
        .strip_prefix(there)
        .map_or(real.clone(), |below| if below.as_os_str().is_empty() { real } else { real.join(below) }))
}

fn is_hidden(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
}

/// Whether a file that nobody typed is called as if it held keys, or lies in a folder that is.
fn is_key_like(path: &Path) -> bool {
    let plain = |part: &std::ffi::OsStr| part.to_string_lossy().to_lowercase().replace(['_', ' '], "-");
    let Some(name) = path.file_name().map(plain) else { return false };
    if HARMLESS.iter().any(|ending| name.ends_with(ending)) {
        return false;
    }
    let mut pieces = name.split('.').filter(|piece| !piece.is_empty());
    pieces.next().is_some_and(|stem| KEY_LIKE.lines().any(|line| line == stem))
        || pieces.any(|piece| piece == "env")
        || path.ancestors().skip(1).filter_map(Path::file_name).any(|part| KEY_FOLDERS.contains(&plain(part).as_str()))
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
