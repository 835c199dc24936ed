//! Which files are not sent to a model unless the user insists: those that usually hold secrets, and those that the
//! repository itself leaves out.
//!
//! It judges by names and by ignore files, never by contents; key-shaped words are blotted out of whatever is sent besides
//! (`forge_debate::secrets`). Reads ignore files and writes nothing.

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::fmt;
use std::path::{Path, PathBuf};

/// How many folders upwards a repository is looked for.
const FOLDERS_LIMIT: usize = 64;

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
const FOLDERS: &[&str] = &[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", "gcloud"];

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
}

impl fmt::Display for HeldBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeldBack::Secrets => f.write_str("files of that name usually hold secrets"),
            HeldBack::Ignored { by } => write!(f, "{} leaves it out of the repository", by.display()),
        }
    }
}

/// Whether a file is held back, and why. Links are judged by what they lead to as well.
pub fn held_back(path: &Path) -> Option<HeldBack> {
    let real = path.canonicalize().ok();
    let both = || std::iter::once(path).chain(real.as_deref());
    if both().any(is_secret_by_name) {
        return Some(HeldBack::Secrets);
    }
    real.as_deref().and_then(ignored_by).map(|by| HeldBack::Ignored { by })
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

/// The ignore file of the repository around `path` by which it is left out. The deepest one that says anything decides.
fn ignored_by(path: &Path) -> Option<PathBuf> {
    let folders: Vec<&Path> = path.ancestors().skip(1).take(FOLDERS_LIMIT).collect();
    let root = folders.iter().position(|folder| folder.join(".git").exists())?;
    let own = folders[..=root].iter().map(|folder| (*folder, folder.join(".gitignore")));
    let exclude = (folders[root], folders[root].join(".git/info/exclude"));
    for (folder, file) in own.chain(std::iter::once(exclude)) {
        if !file.is_file() {
            continue;
        }
        match rules(folder, &file).matched_path_or_any_parents(path, false) {
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
