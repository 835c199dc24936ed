//! One holder at a time.

use forge_artifacts::disk::{Disk, DiskError, Durability, WorkspaceDisk};
use forge_artifacts::lock::{Lock, LockError};
use std::process::Command;

#[test]
fn a_second_holder_is_told_who_holds_it() {
    let folder = tempfile::tempdir().unwrap();
    let disk = WorkspaceDisk::open(folder.path(), Durability::Full).unwrap();
    let other = WorkspaceDisk::open(folder.path(), Durability::Full).unwrap();
    let held = Lock::acquire(&disk, ".claude/forge/lock", "forge continue on host\nsince 10:00").unwrap();
    match Lock::acquire(&other, ".claude/forge/lock", "forge debate") {
        Err(LockError::Busy { holder }) => {
            assert_eq!(holder, format!("pid {}, forge continue on host since 10:00", std::process::id()));
        }
        other => panic!("{other:?}"),
    }
    drop(held);
    assert_eq!(disk.read(".claude/forge/lock").unwrap().unwrap(), b"", "the file stays, the name goes");
    let taken = Lock::acquire(&other, ".claude/forge/lock", "forge debate").unwrap();
    let text = String::from_utf8(disk.read(".claude/forge/lock").unwrap().unwrap()).unwrap();
    assert!(text.ends_with(", forge debate\n"), "{text}");
    drop(taken);
}

#[test]
fn the_lock_of_another_process_holds_until_it_dies() {
    let folder = tempfile::tempdir().unwrap();
    let disk = WorkspaceDisk::open(folder.path(), Durability::Full).unwrap();
    disk.replace("lock", b"pid 1, somebody\n").unwrap();
    // `flock` takes the same kind of lock; it prints once it has it, and is killed without a chance to let go.
    let child = Command::new("flock")
        .arg("--no-fork")
        .arg(folder.path().join("lock"))
        .args(["sh", "-c", "echo held; exec sleep 60"])
        .stdout(std::process::Stdio::piped())
        .spawn();
    let Ok(mut child) = child else { return }; // not installed here
    let mut held = [0; 5];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut held).unwrap();
    match Lock::acquire(&disk, "lock", "me") {
        Err(LockError::Busy { holder }) => assert_eq!(holder, "pid 1, somebody"),
        other => panic!("{other:?}"),
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(Lock::acquire(&disk, "lock", "me").is_ok(), "a dead holder is taken over");
}

#[test]
fn a_lock_file_must_be_a_file_inside() {
    let folder = tempfile::tempdir().unwrap();
    let disk = WorkspaceDisk::open(folder.path(), Durability::Full).unwrap();
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    std::os::unix::fs::symlink("/tmp/elsewhere", folder.path().join("out")).unwrap();
    assert!(Command::new("mkfifo").arg(folder.path().join("fifo")).status().unwrap().success());
    let refused = |path: &str| match Lock::acquire(&disk, path, "me") {
        Err(LockError::Disk(error)) => error,
        other => panic!("{path}: {other:?}"),
    };
    assert!(matches!(refused("folder"), DiskError::NotAFile { .. }));
    assert!(matches!(refused("fifo"), DiskError::NotAFile { .. }));
    // A link is refused wherever it leads: its target would be emptied.
    std::fs::write(folder.path().join("kept"), "kept").unwrap();
    std::os::unix::fs::symlink("kept", folder.path().join("in")).unwrap();
    assert!(matches!(refused("out"), DiskError::Refused { .. }));
    assert!(matches!(refused("in"), DiskError::Refused { .. }));
    // So is a file with another name: that one would be emptied too.
    std::fs::hard_link(folder.path().join("kept"), folder.path().join("twin")).unwrap();
    assert!(matches!(refused("twin"), DiskError::Refused { .. }));
    assert!(matches!(refused(".git/x"), DiskError::Refused { .. }));
    assert_eq!(std::fs::read_to_string(folder.path().join("kept")).unwrap(), "kept");
    assert!(matches!(refused("../lock"), DiskError::Escapes { .. }));
}
