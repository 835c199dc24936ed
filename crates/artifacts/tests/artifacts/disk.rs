//! The real disk, on real temporary folders.

use forge_artifacts::disk::{
    Created, Disk, DiskError, Durability, EntryKind, READ_LIMIT_BYTES, Refusal, TEMP_PREFIX, Way, WorkspaceDisk,
    read_named,
};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

fn workspace() -> (TempDir, WorkspaceDisk) {
    let folder = tempfile::tempdir().unwrap();
    let disk = WorkspaceDisk::open(folder.path(), Durability::Full).unwrap();
    (folder, disk)
}

fn names(disk: &WorkspaceDisk, folder: &str) -> Vec<String> {
    disk.list(folder).unwrap().into_iter().map(|entry| entry.name).collect()
}

/// What is really in a folder, our own temporary files too.
fn everything(folder: &Path) -> Vec<String> {
    let mut all: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    all.sort();
    all
}

fn mkfifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn what_is_written_is_read() {
    for durability in [Durability::Full, Durability::None] {
        let folder = tempfile::tempdir().unwrap();
        let disk = WorkspaceDisk::open(folder.path(), durability).unwrap();
        assert_eq!(disk.root(), folder.path());
        assert_eq!(disk.read("a/b/c.md").unwrap(), None);
        assert_eq!(disk.create_new("a/b/c.md", b"one").unwrap(), Created::New);
        assert_eq!(disk.create_new("a/b/c.md", b"two").unwrap(), Created::AlreadyThere);
        assert_eq!(disk.read("a/b/c.md").unwrap().unwrap(), b"one");
        disk.replace("a/b/c.md", b"three").unwrap();
        disk.replace("a/x/new.md", b"").unwrap();
        assert_eq!(disk.read("a/b/c.md").unwrap().unwrap(), b"three");
        assert_eq!(disk.read("a/x/new.md").unwrap().unwrap(), b"");
        assert_eq!(everything(&folder.path().join("a/b")), ["c.md"]);
        disk.remove("a/b/c.md").unwrap();
        disk.remove("a/b/c.md").unwrap();
        disk.remove("nowhere/at/all").unwrap();
        assert_eq!(disk.read("a/b/c.md").unwrap(), None);
        assert_eq!(disk.create_new("a/b/c.md", b"four").unwrap(), Created::New);
    }
}

#[test]
fn a_listing_is_sorted_and_hides_our_temporary_files() {
    let (folder, disk) = workspace();
    for path in ["b.md", "a.md", "sub/x.md"] {
        assert_eq!(disk.create_new(path, b"x").unwrap(), Created::New);
    }
    fs::write(folder.path().join(".hidden"), "x").unwrap();
    fs::write(folder.path().join(format!("{TEMP_PREFIX}1-1")), "half").unwrap();
    fs::write(folder.path().join(std::ffi::OsStr::new(&*latin1())), "x").unwrap();
    mkfifo(&folder.path().join("fifo"));
    symlink("a.md", folder.path().join("to-file")).unwrap();
    symlink("sub", folder.path().join("to-folder")).unwrap();
    symlink("/etc", folder.path().join("out")).unwrap();
    symlink("nowhere", folder.path().join("dangling")).unwrap();
    let listed: Vec<(String, EntryKind)> = disk.list("").unwrap().into_iter().map(|e| (e.name, e.kind)).collect();
    let expected = [
        (".hidden", EntryKind::File),
        ("a.md", EntryKind::File),
        ("b.md", EntryKind::File),
        ("dangling", EntryKind::Other),
        ("fifo", EntryKind::Other),
        ("out", EntryKind::Other),
        ("sub", EntryKind::Folder),
        ("to-file", EntryKind::Other),
        ("to-folder", EntryKind::Other),
    ];
    assert_eq!(listed, expected.map(|(name, kind)| (name.to_owned(), kind)));
    assert_eq!(names(&disk, "sub"), ["x.md"]);
    assert!(disk.list("to-folder").is_err(), "no link is followed");
    assert_eq!(names(&disk, "nowhere"), Vec::<String>::new());
    assert!(disk.list("a.md").is_err(), "a file stands where a folder is expected");
}

fn latin1() -> std::ffi::OsString {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(b"caf\xe9.md".to_vec())
}

#[test]
fn paths_that_lead_out_are_refused() {
    let (folder, disk) = workspace();
    fs::create_dir(folder.path().join("d")).unwrap();
    for path in ["/etc/passwd", "../x", "d/../../x", "d/..", "..", ".", "", "d//x", "d/", "/", "d/./x", "d/\0x"] {
        let refused = |result: Result<(), DiskError>| {
            assert!(matches!(result, Err(DiskError::Escapes { .. })), "{path:?}: {result:?}");
        };
        refused(disk.read(path).map(|_| ()));
        refused(disk.create_new(path, b"x").map(|_| ()));
        refused(disk.replace(path, b"x"));
        refused(disk.remove(path));
        if !path.is_empty() {
            refused(disk.list(path).map(|_| ()));
        }
    }
    assert_eq!(everything(folder.path()), ["d"]);
}

fn is_link<T: std::fmt::Debug>(result: Result<T, DiskError>, link: &str) {
    let found = format!("{result:?}");
    assert!(matches!(&result, Err(DiskError::Refused { why: Refusal::Link(named), .. }) if named == link), "{found}");
}

/// Wherever a link leads, in or out, to a file, a folder, itself or nowhere, at whatever level: nothing is read or written
/// through it, and it is named.
#[test]
fn no_symbolic_link_is_followed() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "secret").unwrap();
    for target in [outside.path().to_str().unwrap(), "real", ".", "..", ".git", "nowhere", "link"] {
        let (folder, disk) = workspace();
        for (path, text) in [("real/secret", "secret"), (".git/config", "git"), ("real/sub/x.md", "x")] {
            fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
            fs::write(folder.path().join(path), text).unwrap();
        }
        symlink(target, folder.path().join("link")).unwrap();
        let to_file = Path::new(target).join("secret");
        symlink(&to_file, folder.path().join("real/file")).unwrap();
        for (path, link) in
            [("link", "link"), ("link/secret", "link"), ("link/sub/x.md", "link"), ("real/file", "real/file")]
        {
            is_link(disk.read(path), link);
            is_link(disk.create_new(path, b"mine"), link);
            is_link(disk.replace(path, b"mine"), link);
            is_link(disk.names(path), link);
        }
        for path in ["link/secret", "link/new/deep"] {
            is_link(disk.remove(path), "link");
            is_link(disk.create_new(path, b"mine"), "link");
        }
        is_link(disk.list("link"), "link");
        is_link(disk.list("link/sub"), "link");
        assert_eq!(fs::read(folder.path().join("real/secret")).unwrap(), b"secret");
        assert_eq!(everything(&folder.path().join(".git")), ["config"]);
        assert_eq!(everything(&folder.path().join("real")), ["file", "secret", "sub"]);
    }
    assert_eq!(fs::read(outside.path().join("secret")).unwrap(), b"secret");
    assert_eq!(everything(outside.path()), ["secret"]);
}

/// What is hidden is not touched, but for forge's own folder and its rules for git.
#[test]
fn what_is_hidden_is_left_alone() {
    let (folder, disk) = workspace();
    let long = "x".repeat(256);
    let deep = "d/".repeat(600) + "x.md";
    for path in [
        ".git/config",
        ".git",
        ".GIT/hooks/pre-commit",
        ".Git/index.lock",
        ".github/workflows/ci.yml",
        ".gitlab-ci.yml",
        ".gitlab/x.yml",
        ".circleci/config.yml",
        ".env",
        "docs/.env",
        "docs/.git/config",
        ".gitignore",
        ".gitattributes",
        "src/.gitignore",
        ".claude/settings.json",
        ".claude/x.md",
        ".claude/forge/.hidden",
        ".claude/forge/a/.b/c.md",
        ".CLAUDE/forge/x.md",
        ".claude/Forge/x.md",
        ".claude/forgery/x.md",
        "a/.claude/forge/x.md",
        ".ssh/id_rsa",
        "docs/forge/debate/.x/plan.md",
        "debates/.gitignore/x",
        &long,
        &deep,
    ] {
        let refused = |result: Result<(), DiskError>| {
            assert!(matches!(result, Err(DiskError::Refused { .. })), "{path}: {result:?}");
        };
        refused(disk.read(path).map(drop));
        refused(disk.list(path).map(drop));
        refused(disk.create_new(path, b"x").map(drop));
        refused(disk.replace(path, b"x"));
        refused(disk.remove(path));
    }
    for path in
        ["docs/a\u{200b}b.md", "docs/\u{202e}x.md", "docs/a\nb.md", "\u{feff}.git/x", "docs/\u{e0041}.md", "a\u{1b}[m"]
    {
        assert!(
            matches!(disk.create_new(path, b"x"), Err(DiskError::Refused { why: Refusal::Unseen, .. })),
            "{path:?}"
        );
        assert!(matches!(disk.replace(path, b"x"), Err(DiskError::Refused { .. })), "{path:?}");
    }
    assert_eq!(everything(folder.path()), Vec::<String>::new());
    for path in [
        ".claude/forge/x.md",
        ".claude/forge/roles/x.md",
        ".claude/forge/.gitignore",
        "docs/forge/.gitignore",
        "docs/forge/.gitattributes",
        "debates/.gitignore",
        "docs/feature/sadd/.gitattributes",
        "docs/a.b/c..d.md",
        "größe/x.md",
    ] {
        assert_eq!(disk.create_new(path, b"x").unwrap(), Created::New, "{path}");
        assert_eq!(disk.read(path).unwrap().unwrap(), b"x", "{path}");
    }
    // A workspace that is git's own folder, or lies in it.
    fs::create_dir_all(folder.path().join("r/.git/modules/m")).unwrap();
    for root in ["r/.git", "r/.git/modules/m"] {
        let inside = WorkspaceDisk::open(&folder.path().join(root), Durability::None).unwrap();
        assert!(matches!(inside.create_new("x.md", b"x"), Err(DiskError::Refused { why: Refusal::Git, .. })), "{root}");
        assert!(matches!(inside.replace("x.md", b"x"), Err(DiskError::Refused { .. })));
    }
}

/// Whatever a file system can do: of many that create one file exactly one does, nobody sees half of it, and nothing is left.
#[test]
fn a_file_is_there_whole_or_not_at_all_by_every_way() {
    let ways: [&'static [Way]; 4] = [Way::ALL, &[Way::Rename], &[Way::Link], &[Way::Locked]];
    for ways in ways {
        let folder = tempfile::tempdir().unwrap();
        let open = || WorkspaceDisk::open(folder.path(), Durability::None).unwrap().publishing_by(ways);
        let texts: Vec<Vec<u8>> = (0..8u8).map(|writer| vec![b'a' + writer; 200_000]).collect();
        for round in 0..10 {
            let path = format!("sub/file-{round}.md");
            let made: usize = std::thread::scope(|scope| {
                let writers: Vec<_> = texts
                    .iter()
                    .map(|text| scope.spawn(|| usize::from(open().create_new(&path, text).unwrap() == Created::New)))
                    .collect();
                let disk = open();
                while !writers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
                    if let Some(seen) = disk.read(&path).unwrap() {
                        assert!(texts.contains(&seen), "{ways:?}: {} bytes", seen.len());
                    }
                }
                writers.into_iter().map(|writer| writer.join().unwrap()).sum()
            });
            assert_eq!(made, 1, "{ways:?}");
        }
        assert_eq!(everything(&folder.path().join("sub")).len(), 10, "{ways:?}: no temporary file is left");
    }
}

#[test]
fn only_regular_files_are_read_and_nothing_blocks() {
    let (folder, disk) = workspace();
    fs::create_dir(folder.path().join("folder")).unwrap();
    mkfifo(&folder.path().join("fifo"));
    symlink("nowhere", folder.path().join("dangling")).unwrap();
    for path in ["folder", "fifo"] {
        assert!(matches!(disk.read(path), Err(DiskError::NotAFile { .. })), "{path}");
        assert!(matches!(disk.create_new(path, b"x"), Err(DiskError::NotAFile { .. })), "{path}");
    }
    assert!(matches!(disk.remove("folder"), Err(DiskError::NotAFile { .. })));
    assert!(matches!(disk.replace("folder", b"x"), Err(DiskError::NotAFile { .. })));
    is_link(disk.read("dangling"), "dangling");
    is_link(disk.create_new("dangling", b"x"), "dangling");
    assert_eq!(disk.read("fifo/below").unwrap(), None);
    assert!(disk.create_new("fifo/below", b"x").is_err(), "a fifo is no folder");
    assert!(disk.list("fifo").is_err());
    assert_eq!(everything(folder.path()), ["dangling", "fifo", "folder"]);
}

#[test]
fn large_files_are_refused_at_the_limit() {
    let (folder, disk) = workspace();
    let file = fs::File::create(folder.path().join("large")).unwrap();
    file.set_len(READ_LIMIT_BYTES).unwrap();
    assert_eq!(disk.read("large").unwrap().unwrap().len() as u64, READ_LIMIT_BYTES);
    file.set_len(READ_LIMIT_BYTES + 1).unwrap();
    let error = disk.read("large").unwrap_err();
    assert_eq!(error.to_string(), "large is too large: at most 8 MiB are read");
    assert_eq!(error.path(), "large");
}

#[test]
fn of_sixteen_that_create_one_file_one_is_told_new() {
    for round in 0..20 {
        let (folder, disk) = workspace();
        let path = format!("claims/{round}/plan.md");
        let start = std::sync::Barrier::new(16);
        let outcomes: Vec<Created> = std::thread::scope(|scope| {
            let claim = |n: usize| {
                let (disk, path, start) = (&disk, &path, &start);
                scope.spawn(move || {
                    start.wait();
                    disk.create_new(path, format!("claimed by {n}").as_bytes()).unwrap()
                })
            };
            let threads: Vec<_> = (0..16).map(claim).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == Created::New).count(), 1);
        assert_eq!(everything(&folder.path().join(format!("claims/{round}"))), ["plan.md"]);
    }
}

#[test]
fn readers_see_all_of_a_file_or_nothing() {
    let (_folder, disk) = workspace();
    let versions = [vec![b'a'; 100_000], vec![b'b'; 50_000]];
    disk.replace("state", &versions[0]).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for n in 0..40 {
                disk.replace("state", &versions[n % 2]).unwrap();
            }
        });
        while !writer.is_finished() {
            let seen = disk.read("state").unwrap().unwrap();
            assert!(versions.contains(&seen), "{} bytes", seen.len());
        }
    });
}

#[test]
fn a_replaced_file_keeps_its_permissions() {
    let (folder, disk) = workspace();
    let path = folder.path().join("private.md");
    fs::write(&path, "x").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    disk.replace("private.md", b"y").unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn what_dead_processes_left_is_swept() {
    let (folder, disk) = workspace();
    assert_eq!(disk.sweep("d").unwrap(), 0);
    disk.replace("d/kept.md", b"x").unwrap();
    let dead = format!("{TEMP_PREFIX}{}-7", u32::MAX);
    let own = format!("{TEMP_PREFIX}{}-0", std::process::id());
    for name in [&dead, &own, &format!("{TEMP_PREFIX}nonsense")] {
        fs::write(folder.path().join("d").join(name), "half").unwrap();
    }
    let swept = disk.sweep("d").unwrap();
    if cfg!(target_os = "linux") {
        assert_eq!(swept, 1);
        assert!(!everything(&folder.path().join("d")).contains(&dead));
    }
    assert_eq!(names(&disk, "d"), ["kept.md"]);
    disk.replace("d/kept.md", b"y").unwrap();
    assert!(everything(&folder.path().join("d")).contains(&own), "another thread may be writing it");
}

#[test]
fn a_folder_without_permission_is_named() {
    let (folder, disk) = workspace();
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(closed.join("probe"), "").is_ok() {
        return; // root writes anywhere
    }
    let error = disk.create_new("closed/x.md", b"x").unwrap_err();
    assert!(matches!(error, DiskError::Denied { .. }), "{error:?}");
    assert_eq!(error.path(), "closed/x.md");
}

#[cfg(target_os = "linux")]
#[test]
fn codes_of_the_system_become_kinds() {
    let kind = |code: i32| DiskError::from_io("f", std::io::Error::from_raw_os_error(code));
    assert!(matches!(kind(28), DiskError::Full { .. }), "ENOSPC");
    assert!(matches!(kind(122), DiskError::Full { .. }), "EDQUOT");
    assert!(matches!(kind(13), DiskError::Denied { .. }), "EACCES");
    assert!(matches!(kind(30), DiskError::Denied { .. }), "EROFS");
    assert!(matches!(kind(5), DiskError::Io { .. }), "EIO");
    assert_eq!(kind(28).to_string(), "f cannot be written: the disk is full");
}

#[test]
fn a_workspace_that_is_not_there_is_named() {
    let error = WorkspaceDisk::open(Path::new("/nowhere/at/all"), Durability::Full).unwrap_err();
    assert_eq!(error.path(), "/nowhere/at/all");
}

#[test]
fn files_that_the_user_names_are_read_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.md");
    fs::write(&file, "12345").unwrap();
    assert_eq!(read_named(&file, 5).unwrap(), b"12345");
    let error = read_named(&file, 4).unwrap_err();
    assert!(error.to_string().ends_with("notes.md is too large: at most 4 bytes are read"), "{error}");
    assert!(matches!(read_named(folder.path(), 5), Err(DiskError::NotAFile { .. })));
    assert!(matches!(read_named(Path::new("/dev/zero"), 5), Err(DiskError::TooLarge { .. })));
    assert!(matches!(read_named(&folder.path().join("no"), 5), Err(DiskError::Io { .. })));
    let fifo = folder.path().join("fifo");
    mkfifo(&fifo);
    let writer = fifo.clone();
    let writing = std::thread::spawn(move || fs::write(writer, "piped").unwrap());
    assert_eq!(read_named(&fifo, 100).unwrap(), b"piped");
    writing.join().unwrap();
}

/// What a person installs into a host is the one thing of others that is touched, and only by a disk that was opened for it.
#[test]
fn an_installation_touches_its_own_pages_and_the_hosts_settings_alone() {
    let folder = tempfile::tempdir().unwrap();
    let open = || WorkspaceDisk::open(folder.path(), Durability::None).unwrap();
    let (ordinary, installing) = (open(), open().for_install());
    let own = [
        ".claude/settings.json",
        ".claude/commands/forge/debate.md",
        ".claude/commands/debate/start.md",
        ".claude/agents/forge-risk.md",
        ".claude/skills/debate/SKILL.md",
        ".codex/skills/forge-plan/agents/openai.yaml",
        ".codex/rules/forge.rules",
        ".gemini/commands/debate/show.toml",
        ".cursor/commands/forge-plan.md",
        ".claude-plugin/marketplace.json",
        "forge/.claude-plugin/plugin.json",
    ];
    for path in own {
        assert!(ordinary.replace(path, b"x").is_err() && ordinary.read(path).is_err(), "{path}");
        installing.replace(path, b"x").unwrap();
        assert_eq!(installing.read(path).unwrap().unwrap(), b"x", "{path}");
    }
    let others = [
        ".claude/settings.local.json",
        ".claude/CLAUDE.md",
        ".claude/settings.json/x",
        ".claude/agents/risk.md",
        ".claude/agents/forge-.md",
        ".claude/agents/forge-Risk.md",
        ".claude/agents/forge-x/y.md",
        ".claude/agents/forge-x.md.bak",
        ".claude/commands/other/debate.md",
        ".claude/commands/forge.md",
        ".claude/commands/forge/.hidden.md",
        ".claude/commands/forge/a b.md",
        ".claude/hooks/x.sh",
        ".claude/skills/mine/SKILL.md",
        ".codex/config.toml",
        ".codex/rules/default.rules",
        ".codex/skills/forge-plan/scripts/x.sh",
        ".codex/skills/forge-a/b/SKILL.md",
        ".gemini/settings.json",
        ".cursor/mcp.json",
        ".opencode/plugin/x.js",
        "sub/.claude/settings.json",
        ".git/config",
        ".github/workflows/ci.yml",
        ".env",
        ".mcp.json",
        "other/.claude-plugin/plugin.json",
    ];
    for path in others {
        assert!(installing.replace(path, b"x").is_err() && installing.read(path).is_err(), "{path}");
        assert!(installing.remove(path).is_err(), "{path}");
    }
    assert!(installing.remove_empty("docs").is_err() && ordinary.remove_empty(".claude").is_err());
    installing.remove_empty(".claude/agents").unwrap();
    assert!(folder.path().join(".claude/agents/forge-risk.md").is_file());
}
