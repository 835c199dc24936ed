//! Which files are sent to nobody unless the user insists.

use forge_artifacts::disk::named::{Existing, write_named};
use forge_artifacts::disk::{DiskError, Refusal};
use forge_artifacts::outgoing::{self, HeldBack, held_back_in_tree};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

fn held_back(path: &Path) -> Option<HeldBack> {
    outgoing::held_back(path, path.parent().unwrap())
}

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

/// A repository with files of every kind that it does not show, and one beside it.
fn repository() -> (tempfile::TempDir, std::path::PathBuf) {
    let around = tempfile::tempdir().unwrap();
    let root = around.path().canonicalize().unwrap().join("repository");
    for (path, text) in [
        (".git/config", "[core]"),
        (".gitignore", "private/\n*.local.md\n"),
        (".env", "KEY=x"),
        ("deploy.key", "x"),
        ("private/notes.md", "x"),
        (".hidden/notes.md", "x"),
        (".github/ci.yml", "x"),
        ("docs/a.md", "x"),
        ("docs/b.local.md", "x"),
        ("docs/forge/own.local.md", "x"),
        ("../outside.md", "x"),
        ("sub/x.md", "x"),
    ] {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
    (around, root)
}

/// However a link of the repository is laid: what it leads to counts, and what the user did not type is not sent.
#[test]
fn links_of_the_repository_lead_to_nothing_that_it_does_not_show() {
    let (around, root) = repository();
    let targets = [
        (".env", true),
        ("deploy.key", true),
        ("private/notes.md", true),
        (".hidden/notes.md", true),
        (".github/ci.yml", true),
        (".git/config", true),
        ("docs/b.local.md", true),
        ("../outside.md", true),
        ("docs/a.md", false),
        ("sub/x.md", false),
    ];
    for (number, (target, is_held)) in targets.into_iter().enumerate() {
        let whole = root.join(target);
        let (folder, name) = (whole.parent().unwrap(), whole.file_name().unwrap());
        let at = |kind: &str| root.join(format!("{kind}-{number}"));
        symlink(target, at("direct")).unwrap();
        symlink(&whole, at("absolute")).unwrap();
        symlink(format!("direct-{number}"), at("chain")).unwrap();
        symlink(folder, at("folder")).unwrap();
        symlink(format!("docs/../{target}"), at("winding")).unwrap();
        let ways = [at("direct"), at("absolute"), at("chain"), at("folder").join(name), at("winding")];
        for path in ways {
            for workspace in [root.clone(), root.join("sub")] {
                let found = outgoing::held_back(&path, &workspace);
                assert_eq!(found.is_some(), is_held, "{} from {}: {found:?}", path.display(), workspace.display());
            }
        }
        // A link that the user keeps elsewhere is the user's.
        let own = around.path().join(format!("own-{number}"));
        symlink(&whole, &own).unwrap();
        let is_shown = ["../outside.md", ".github/ci.yml", ".hidden/notes.md"].contains(&target) || !is_held;
        assert_eq!(outgoing::held_back(&own, &root).is_none(), is_shown, "{target}");
    }
    fs::hard_link(root.join(".env"), root.join("twin.md")).unwrap();
    assert_eq!(outgoing::held_back(&root.join("twin.md"), &root), Some(HeldBack::Names));
    symlink("round", root.join("round")).unwrap();
    assert_eq!(outgoing::held_back(&root.join("round"), &root), None, "whoever reads it tells");
}

#[test]
fn files_that_nobody_typed() {
    let (_around, root) = repository();
    let held = |path: &str, place: &str| held_back_in_tree(&root, path, place).is_some();
    assert!(held("docs/b.local.md", "docs/forge") && held("private/notes.md", "docs/forge"));
    assert!(held("docs/forge/own.local.md", "docs/forge"), "it is left out, its place is not");
    assert!(held("deploy.key", "docs/forge") && held("docs/secrets.md", "docs/forge"));
    assert!(!held("docs/a.md", "docs/forge") && !held("docs/forge/x.md", "docs/forge"));
    fs::write(root.join(".gitignore"), "docs/forge/\n.claude\n").unwrap();
    assert!(!held("docs/forge/own.local.md", "docs/forge"), "all of forge's files are the user's own here");
    assert!(!held(".claude/forge/roles/risk.md", ".claude/forge"));
    fs::write(root.join(".gitignore"), "").unwrap();
    fs::create_dir_all(root.join(".git/info")).unwrap();
    fs::write(root.join(".git/info/exclude"), "docs/a.md\n").unwrap();
    assert!(held("docs/a.md", "docs/forge"));
}

/// What the user names may go anywhere but into git's own folder, and through no link of the repository.
#[test]
fn files_that_are_written_where_the_user_says() {
    let (around, root) = repository();
    let write = |path: &Path, existing| write_named(path, b"mine", &root, existing);
    symlink(".git", root.join("to-git")).unwrap();
    symlink("docs/a.md", root.join("to-file")).unwrap();
    symlink("nowhere.md", root.join("dangling")).unwrap();
    symlink("../..", root.join("docs/up")).unwrap();
    fs::create_dir(root.join(".GIT")).unwrap();
    let mine = around.path().join("mine");
    symlink(root.join(".git"), &mine).unwrap();
    for path in ["to-git/x", "to-file", "dangling", "docs/up/x.md", ".git/x", ".git/config", ".GIT/x", "sub/../.git/x"]
    {
        for existing in [Existing::Kept, Existing::Replaced] {
            let done = write(&root.join(path), existing);
            assert!(
                matches!(done, Err(DiskError::Refused { why: Refusal::Link(_) | Refusal::Git, .. })),
                "{path}: {done:?}"
            );
        }
    }
    assert!(matches!(write(&mine.join("x"), Existing::Replaced), Err(DiskError::Refused { why: Refusal::Git, .. })));
    assert_eq!(fs::read_to_string(root.join(".git/config")).unwrap(), "[core]");
    assert!(!write(&root.join("docs/a.md"), Existing::Kept).unwrap());
    assert_eq!(fs::read_to_string(root.join("docs/a.md")).unwrap(), "x");
    fs::hard_link(root.join("docs/a.md"), root.join("twin.md")).unwrap();
    assert!(write(&root.join("docs/a.md"), Existing::Replaced).unwrap());
    assert_eq!(fs::read_to_string(root.join("twin.md")).unwrap(), "x", "the other name keeps its file");
    let elsewhere = around.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, around.path().join("own")).unwrap();
    for path in [root.join("docs/new.md"), root.join(".github/new.md"), around.path().join("own/new.md")] {
        assert!(write(&path, Existing::Kept).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }
}
