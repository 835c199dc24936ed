//! The real disk, on real temporary folders.

use forge_artifacts::disk::{
    Created, Disk, DiskError, Durability, EntryKind, READ_LIMIT_BYTES, TEMP_PREFIX, WorkspaceDisk, read_named,
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
    for path in ["b.md", "a.md", "sub/x.md", ".hidden"] {
        assert_eq!(disk.create_new(path, b"x").unwrap(), Created::New);
    }
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
        ("to-file", EntryKind::File),
        ("to-folder", EntryKind::Folder),
    ];
    assert_eq!(listed, expected.map(|(name, kind)| (name.to_owned(), kind)));
    assert_eq!(names(&disk, "sub"), ["x.md"]);
    assert_eq!(names(&disk, "to-folder"), ["x.md"]);
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

#[test]
fn symbolic_links_that_lead_out_are_refused() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "secret").unwrap();
    let (folder, disk) = workspace();
    fs::create_dir(folder.path().join("in")).unwrap();
    symlink(outside.path(), folder.path().join("out")).unwrap();
    symlink(outside.path().join("secret"), folder.path().join("in/secret")).unwrap();
    symlink("../..", folder.path().join("in/up")).unwrap();
    for path in ["out/secret", "in/secret", "in/up/x"] {
        assert!(matches!(disk.read(path), Err(DiskError::Escapes { .. })), "{path}");
    }
    for path in ["out/new", "out/secret", "out/a/b", "in/up/x"] {
        assert!(matches!(disk.create_new(path, b"x"), Err(DiskError::Escapes { .. })), "{path}");
        assert!(matches!(disk.replace(path, b"x"), Err(DiskError::Escapes { .. })), "{path}");
        assert!(matches!(disk.remove(path), Err(DiskError::Escapes { .. })), "{path}");
    }
    assert!(matches!(disk.list("out"), Err(DiskError::Escapes { .. })));
    assert!(matches!(disk.create_new("in/secret", b"x"), Err(DiskError::Escapes { .. })));
    disk.replace("in/secret", b"mine").unwrap();
    assert_eq!(disk.read("in/secret").unwrap().unwrap(), b"mine", "the link is replaced, not followed");
    assert_eq!(fs::read(outside.path().join("secret")).unwrap(), b"secret");
    assert_eq!(everything(outside.path()), ["secret"]);
}

#[test]
fn symbolic_links_inside_the_workspace_are_followed() {
    let (folder, disk) = workspace();
    fs::create_dir_all(folder.path().join("real/deep")).unwrap();
    symlink("real", folder.path().join("link")).unwrap();
    symlink("../real/file.md", folder.path().join("real/deep-link")).unwrap();
    assert_eq!(disk.create_new("link/file.md", b"x").unwrap(), Created::New);
    assert_eq!(disk.read("real/file.md").unwrap().unwrap(), b"x");
    assert_eq!(disk.read("real/deep-link").unwrap().unwrap(), b"x");
    assert_eq!(disk.create_new("real/deep-link", b"y").unwrap(), Created::AlreadyThere);
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
    assert_eq!(disk.read("dangling").unwrap(), None);
    assert!(matches!(disk.create_new("dangling", b"x"), Err(DiskError::NotAFile { .. })));
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
