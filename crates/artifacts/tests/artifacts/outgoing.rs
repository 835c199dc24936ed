//! Which files are sent to nobody unless the user insists.

use forge_artifacts::outgoing::{HeldBack, held_back};
use std::fs;
use std::path::Path;

#[test]
fn files_that_usually_hold_secrets_are_known_by_their_names() {
    let folder = tempfile::tempdir().unwrap();
    for name in
        [".env", ".env.local", "prod.env", "id_rsa", "id_ed25519", "server.PEM", "tls.key", ".npmrc", "a.tfvars"]
    {
        let path = folder.path().join(name);
        fs::write(&path, "x").unwrap();
        assert_eq!(held_back(&path), Some(HeldBack::Secrets), "{name}");
    }
    for name in [".env.example", "id_rsa.pub", "keys.md", "environment.md", "notes.txt", "monkey"] {
        let path = folder.path().join(name);
        fs::write(&path, "x").unwrap();
        assert_eq!(held_back(&path), None, "{name}");
    }
    assert_eq!(held_back(Path::new(".ssh/config")), Some(HeldBack::Secrets));
}

#[test]
fn common_names_of_secrets_are_known_and_their_relatives_are_not_taken_for_them() {
    for name in [
        "env.local",
        "app.env",
        ".envrc",
        "secrets.yml",
        "secrets.yaml",
        "secrets.json",
        "secrets.toml",
        "token.txt",
        "tokens.json",
        "passwords.txt",
        "a.p12",
        "a.pfx",
        "a.jks",
        "a.kdbx",
        ".pgpass",
        ".htpasswd",
        "service-account.json",
        "service-account-prod.json",
        "client_secret_123.json",
        "kubeconfig",
        ".vault-token",
        "me.ovpn",
    ] {
        assert_eq!(held_back(Path::new(name)), Some(HeldBack::Secrets), "{name}");
    }
    for name in [
        "env.rs",
        "env.local.example",
        "token.rs",
        "tokens.css",
        "token.md",
        "tokenizer.json",
        "password.rs",
        "service-account.md",
        "service-accounts.rs",
        "keys.json",
        "p12.md",
    ] {
        assert_eq!(held_back(Path::new(name)), None, "{name}");
    }
}

#[test]
fn a_link_is_judged_by_what_it_leads_to() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(".env"), "x").unwrap();
    let link = folder.path().join("notes.md");
    std::os::unix::fs::symlink(folder.path().join(".env"), &link).unwrap();
    assert_eq!(held_back(&link), Some(HeldBack::Secrets));
}

#[test]
fn what_the_repository_leaves_out_is_held_back() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let write = |path: &str, text: &str| {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    };
    write(".gitignore", "*.log\nbuild/\n/private\n[broken\n");
    write("docs/.gitignore", "!kept.log\ndraft.md\n");
    write("docs/kept.log", "x");
    write("docs/draft.md", "x");
    write("docs/plan.md", "x");
    write("run.log", "x");
    write("build/deep/report.md", "x");
    write("private/notes.md", "x");
    write("excluded.md", "x");
    let ignored = |path: &str| held_back(&root.join(path));
    assert_eq!(ignored("run.log"), None, "no repository, so nothing leaves it out");
    write(".git/info/exclude", "excluded.md\n");
    let by = |file: &str| Some(HeldBack::Ignored { by: root.join(file) });
    assert_eq!(ignored("run.log"), by(".gitignore"));
    assert_eq!(ignored("build/deep/report.md"), by(".gitignore"));
    assert_eq!(ignored("private/notes.md"), by(".gitignore"));
    assert_eq!(ignored("docs/draft.md"), by("docs/.gitignore"));
    assert_eq!(ignored("excluded.md"), by(".git/info/exclude"));
    assert_eq!(ignored("docs/kept.log"), None, "a deeper file takes it in again");
    assert_eq!(ignored("docs/plan.md"), None);
}
