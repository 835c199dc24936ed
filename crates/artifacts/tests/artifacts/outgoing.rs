//! Which files are sent to nobody unless the user insists.

use forge_artifacts::disk::named::{Existing, write_named};
use forge_artifacts::disk::{DiskError, Refusal};
use forge_artifacts::git::ignored::{Settings, ignored_by};
use forge_artifacts::outgoing::{self, HeldBack, held_back_in_tree};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    let round = root.join("round");
    symlink("round", &round).unwrap();
    assert_eq!(outgoing::held_back(&round, &root), Some(HeldBack::Untold { file: round }));
    assert_eq!(outgoing::held_back(&root.join("no/such.md"), &root), None, "whoever reads it tells");
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

/// What the user names may go anywhere but into git's own folder and to what is hidden, and through no link of the repository.
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
    for path in [root.join(".github/new.md"), root.join(".env"), around.path().join("own/.profile")] {
        let done = write(&path, Existing::Replaced);
        assert!(matches!(done, Err(DiskError::Refused { why: Refusal::Hidden, .. })), "{done:?}");
    }
    for path in [root.join("docs/new.md"), around.path().join("own/new.md")] {
        assert!(write(&path, Existing::Kept).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }
}

/// What git says to these arguments, reading `.git/typed`.
fn git(folder: &Path, args: &[&str]) -> Option<Vec<u8>> {
    let mut git = Command::new("git");
    git.current_dir(folder).args(args).envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")]);
    if let Ok(typed) = fs::File::open(folder.join(".git/typed")) {
        git.stdin(typed);
    }
    Some(git.env_remove("GIT_DIR").output().ok()?.stdout)
}

const PATHS: &str = "a.md|A.md|b.txt|docs/a.md|docs/b.md|docs/deep/a.md|docs/deep/er/a.md|sal aries.md|trail |docs/x1.md|docs/x-.md|docs/x].md\
    |docs/[x].md|!bang.md|#hash.md|back\\slash.md|docs/eé.md|a/b/c/d.md|foo/bar|docs/a.md.bak|x/docs/a.md|]x.md|nope].md";

const RULES: &str = r"a.md|/a.md|*.md|/*.md|docs|docs/|/docs/|/docs/*|docs/*|docs/**|**/a.md|docs/**/a.md|**/deep|**/deep/|a/**/d.md|a/**|**|*|/*|?.md|docs/?.md
|d?cs/a.md|docs?a.md|docs*a.md|[a-c].md|[!a].md|[^a].md|[[:alpha:]].md|[[:upper:]].md|[[:lower:]].md|x[[:digit:]].md|x[[:punct:]].md|x[]].md|x[]-].md|x[!]].md
|[[]x].md|\[x].md|[|[a|[[:nope:]].md|[[:alpha].md|sal aries.md|sal aries.md   |sal\ aries.md|trail|trail\ |trail |trail\  |!a.md|*.md~!a.md|*.md~!docs/a.md|docs/~!docs/a.md
|docs/*~!docs/a.md|docs/*~!docs/deep/~|\!bang.md|!bang.md|#hash.md|\#hash.md|back\\slash.md|back\slash.md|*a*|*a*a*|**a**|a**d.md|a/**d.md|***/a.md|/**/a.md|foo/*
|foo/bar/|/|//|!|\|a.md\|docs//a.md|./a.md|docs/../a.md|[d]ocs/a.md|docs[/]a.md|docs[!x]a.md|docs/[[:alpha:]]*|docs/[a-]*|docs/[!a-z]*|e?.md|e??.md|docs/e*|*.BAK|A.MD|DOCS/
|[A-B].md|a\.md|\a.md|[\a].md|[\]x].md|[a-\c].md|x[0-9].md|x[9-0].md|a/b/c/d.md|b/c/d.md|c/|/b/|**/|**/c/**|a/*/c/*|[]x.md|[]]x.md|[[:alpha:]|[[:alpha:]-z].md|[--x].md|[a-]x.md";

/// Each rule against each path, with `core.ignorecase` and without: the same as git says.
#[test]
fn rules_are_read_as_git_reads_them() {
    let around = tempfile::tempdir().unwrap();
    let root = around.path().canonicalize().unwrap();
    if git(&root, &["init", "-q"]).is_none() {
        return;
    }
    let paths: Vec<&str> = PATHS.split('|').collect();
    for path in &paths {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), "x").unwrap();
    }
    let typed: Vec<String> = paths.iter().map(|path| format!("./{path}")).collect();
    fs::write(root.join(".git/typed"), typed.join("\0")).unwrap();
    let rules = RULES.split('|').map(|rule| rule.trim_end_matches('\n').replace('~', "\n"));
    let others = ["a.md\r", "a.md\r\nb.txt\r\n", "\t a.md", "a.md\t", "\u{feff}a.md", "a.md\0b\nb.txt"];
    let rules: Vec<String> = rules.chain(others.map(str::to_owned)).collect();
    let mut wrong = Vec::new();
    for folds in ["false", "true"] {
        git(&root, &["config", "core.ignorecase", folds]);
        for rule in &rules {
            fs::write(root.join(".gitignore"), rule).unwrap();
            let said = git(&root, &["check-ignore", "-z", "--no-index", "--stdin"]).unwrap();
            let said: Vec<&[u8]> = said.split(|c| *c == 0).collect();
            for (path, typed) in paths.iter().zip(&typed) {
                let ours = !ignored_by(&root.join(path), &Settings::default()).unwrap().is_empty();
                if ours != said.contains(&typed.as_bytes()) {
                    wrong.push(format!("rule {rule:?}, path {path:?}, ignorecase {folds}: {ours}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong[..wrong.len().min(30)].join("\n"));
}

/// Files with their texts; those that begin with `~/` are the user's.
type Files<'f> = &'f [(&'f str, &'f [u8])];

/// A repository and a user's folder with these files.
fn with_user(files: Files<'_>) -> (tempfile::TempDir, PathBuf, Settings) {
    let around = tempfile::tempdir().unwrap();
    let real = around.path().canonicalize().unwrap();
    let (root, home) = (real.join("repository"), real.join("home"));
    let write = |path: &Path, bytes: &[u8]| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    write(&root.join(".git/HEAD"), b"ref: refs/heads/main\n");
    write(&root.join("docs/salaries.md"), b"x");
    write(&root.join("docs/forge/role.md"), b"x");
    for (path, bytes) in files {
        write(&path.strip_prefix("~/").map_or_else(|| root.join(path), |below| home.join(below)), bytes);
    }
    let (configs, ignores) = (vec![home.join(".gitconfig")], vec![home.join(".config/git/ignore")]);
    (around, root, Settings { configs, ignores, home: Some(home), ..Settings::default() })
}

/// What the user's own files leave out stays out, wherever they are and whatever the tree says.
#[test]
fn each_source_is_judged_by_itself() {
    const SET: &[u8] = b"[core]\n\texcludesFile = ~/mine\n";
    const RULE: &[u8] = b"salaries.md\n";
    let held: &[Files<'_>] = &[
        &[(".git/config", SET), ("~/mine", RULE)],
        &[(".git/config.worktree", SET), ("~/mine", RULE)],
        &[("~/.gitconfig", SET), ("~/mine", RULE)],
        &[("~/.gitconfig", b"[include]\npath = inc\n"), ("~/inc", SET), ("~/mine", RULE)],
        &[("~/.gitconfig", b"[includeIf \"gitdir:~/w]/\"]\npath = ~/inc\n"), ("~/inc", SET), ("~/mine", RULE)],
        &[("~/.gitconfig", b"[core]\n excludesFile = \"~/my ignore\" ; mine\n"), ("~/my ignore", RULE)],
        &[("~/.gitconfig", b"[core] excludesFile = ~/my\" \"ignore # mine\n"), ("~/my ignore", RULE)],
        &[("~/.gitconfig", b"[CORE]\nExcludesfile=~/mi\\\nne\n"), ("~/mine", RULE)],
        &[("~/.gitconfig", b"[core]\n\texcludesfile   =   ~/mine   \t\r\n"), ("~/mine", RULE)],
        &[(".git/config", b"[core]\nexcludesfile = mine\n"), ("mine", RULE)],
        &[("~/.config/git/ignore", RULE)],
        &[(".git/info/exclude", b"caf\xe9\nsalaries.md\n")],
        &[(".git/info/exclude", b"caf\0e\nsalaries.md\n")],
        &[(".git/info/exclude", b"[[:alpha:]]alaries.md\n")],
        &[(".git/config", b"[core]\nignorecase\n"), (".git/info/exclude", b"SALARIES.md\n")],
        &[(".git/info/exclude", b"docs/\n"), (".gitignore", b"!docs/salaries.md\n!docs/\n")],
        &[(".git/info/exclude", RULE), (".gitignore", b"!salaries.md\n"), ("docs/.gitignore", b"!*\n")],
        &[("~/.config/git/ignore", RULE), ("docs/.gitignore", b"!salaries.md\n")],
        &[("~/.config/git/ignore", RULE), (".git/info/exclude", b"!salaries.md\n")],
        // What cannot be read whole.
        &[("~/.gitconfig", b"[core\nexcludesfile = ~/mine\n")],
        &[("~/.gitconfig", b"[core]\nexcludesfile = ~ada/mine\n")],
        &[("~/.gitconfig", b"[include]\npath = .gitconfig\n")],
        &[(".git/info/exclude/x", b"")],
    ];
    for files in held {
        let (_around, root, settings) = with_user(files);
        let found = outgoing::held_back_in_tree_by(&root, "docs/salaries.md", "docs/forge", &settings);
        let typed = outgoing::held_back_by(&root.join("docs/salaries.md"), &root, &settings);
        assert!(matches!(found, Some(HeldBack::Ignored { .. } | HeldBack::Untold { .. })), "{files:?}: {found:?}");
        assert_eq!(typed, found, "{files:?}");
    }
    let free: &[Files<'_>] = &[
        &[],
        &[("~/.gitconfig", b"# [core]\n; excludesfile = ~/mine\n"), ("~/mine", RULE)],
        &[("~/.gitconfig", b"[core \"x\"]\nexcludesfile = ~/mine\n"), ("~/mine", RULE)],
        &[("~/.gitconfig", SET)],
        &[("~/.gitconfig", b"[core]\nexcludesfile =\n[include]\npath = gone\n")],
        &[("~/.gitconfig", b"[core]\nexcludesfile = /dev/null\n")],
        &[(".git/config", b"[core]\nignorecase = false\n"), (".git/info/exclude", b"SALARIES.md\n")],
        &[(".gitignore", b"*.md\n"), ("docs/.gitignore", b"!salaries.md\n")],
        &[("~/.gitconfig", b"[user]\n\tname = Ada # me\n[alias]\n\tl = \"!git log\"\n[remote \"a]b\"]\nurl = x\n")],
    ];
    for files in free {
        let (_around, root, settings) = with_user(files);
        let found = outgoing::held_back_in_tree_by(&root, "docs/salaries.md", "docs/forge", &settings);
        assert_eq!(found, None, "{files:?}");
    }
}

/// Whose rule leaves all of forge's own folder out.
#[test]
fn a_place_that_is_left_out_as_a_whole() {
    let held = |files: Files<'_>, path: &str, place: &str| {
        let (_around, root, settings) = with_user(files);
        outgoing::held_back_in_tree_by(&root, path, place, &settings).is_some()
    };
    let cases: &[(Files<'_>, bool)] = &[
        (&[(".gitignore", b"docs/forge/\n")], false),
        (&[(".gitignore", b"docs/\n")], false),
        (&[(".gitignore", b"docs/forge/*\n")], true),
        (&[(".gitignore", b"docs/forge/\n"), (".git/info/exclude", b"role.md\n")], true),
        (&[(".gitignore", b"docs/forge/\n"), ("~/.config/git/ignore", b"role.md\n")], true),
        (&[(".git/info/exclude", b"docs/forge/\n")], false),
        (&[(".git/info/exclude", b"docs/\n")], true),
        (&[(".git/info/exclude", b"*\n")], true),
    ];
    for (files, is_held) in cases {
        assert_eq!(held(files, "docs/forge/role.md", "docs/forge"), *is_held, "{files:?}");
    }
    assert!(!held(&[("~/.config/git/ignore", b".claude/\n")], ".claude/forge/roles/risk.md", ".claude/forge"));
}

#[test]
fn names_of_files_that_nobody_typed() {
    let (_around, root, settings) = with_user(&[]);
    let held = |name: &str| outgoing::held_back_in_tree_by(&root, &format!("docs/{name}"), "docs/forge", &settings);
    let names = "credentials.md|Credentials.txt|password.md|passwords.md|passwd.txt|private-key.txt|private_key.md|kubeconfig.txt|env.txt|prod.env.txt|keys.txt\
        |vault.txt|wallet.txt|seed-phrase.txt|recovery codes.txt|secret/plan.md|secrets/x/plan.md|api_keys.md|docs.env.md";
    for name in names.split('|') {
        assert_eq!(held(name), Some(HeldBack::Secrets), "{name}");
    }
    for name in
        "environment.md|keyboard.md|passwordless-login.md|secret-santa.md|tokenizer.md|password.md.example".split('|')
    {
        assert_eq!(held(name), None, "{name}");
    }
    assert_eq!(outgoing::held_back_by(&root.join("docs/keys.md"), &root, &settings), None, "typed");
}
