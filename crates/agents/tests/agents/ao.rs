//! Asking `ao` how it spawns: bounded in time and size, and nothing else is started.

use forge_agents::ao::{HELP_LIMIT, OUTPUT_LIMIT_BYTES, spawn_help};
use forge_testkit::stub_ao::StubAo;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// A folder with an `ao` that is this shell script.
fn ao(folder: &Path, script: &str) -> OsString {
    let program = folder.join("ao");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut path = folder.as_os_str().to_owned();
    path.push(":/usr/bin:/bin");
    path
}

#[test]
fn each_generation_s_help_is_read() {
    for (generation, flag) in [('A', "<project> [issue]"), ('B', "--prompt <text>"), ('C', "--project string")] {
        let folder = tempfile::tempdir().unwrap();
        let stub = StubAo::install(folder.path(), generation).unwrap();
        let wrapped = format!("STUB_AO_GENERATION={generation} exec {}/ao \"$@\"", stub.bin().display());
        let help = spawn_help(Some(&ao(folder.path(), &wrapped))).unwrap();
        assert!(help.contains(flag), "{help}");
    }
}

#[test]
fn both_outputs_count_and_it_is_asked_for_help_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = ao(folder.path(), "echo \"[$*]\"; echo beside >&2; cat; exit 3");
    assert_eq!(spawn_help(Some(&path)).unwrap(), "[spawn --help]\nbeside\n");
}

#[test]
fn without_an_ao_there_is_no_help() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(spawn_help(None), None);
    assert_eq!(spawn_help(Some(OsStr::new(""))), None);
    assert_eq!(spawn_help(Some(folder.path().as_os_str())), None);
    ao(folder.path(), "echo help");
    std::fs::set_permissions(folder.path().join("ao"), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(spawn_help(Some(folder.path().as_os_str())), None, "not a program");
    std::fs::remove_file(folder.path().join("ao")).unwrap();
    std::fs::create_dir(folder.path().join("ao")).unwrap();
    assert_eq!(spawn_help(Some(folder.path().as_os_str())), None, "a folder");
    assert_eq!(spawn_help(Some(OsStr::new(".:tests:target"))), None, "relative folders are not searched");
}

#[test]
fn an_ao_that_hangs_is_ended_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("alive");
    let path = ao(folder.path(), &format!("echo early; (sleep 6; echo > {}) & sleep 60", mark.display()));
    let began = Instant::now();
    assert_eq!(spawn_help(Some(&path)), None);
    assert!(began.elapsed() < HELP_LIMIT + Duration::from_secs(2), "{:?}", began.elapsed());
    std::thread::sleep(Duration::from_secs(4));
    assert!(!mark.exists(), "the child was ended too");
}

#[test]
fn an_ao_that_prints_for_ever_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = ao(folder.path(), "exec yes prompt");
    let began = Instant::now();
    assert_eq!(spawn_help(Some(&path)), None);
    assert!(began.elapsed() < HELP_LIMIT + Duration::from_secs(2), "{:?}", began.elapsed());
}

#[test]
fn an_ao_that_prints_much_is_cut_short_and_not_ended() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("ended");
    let path = ao(folder.path(), &format!("yes prompt | head -c 300000; echo > {}", mark.display()));
    let help = spawn_help(Some(&path)).unwrap();
    assert_eq!(help.len(), OUTPUT_LIMIT_BYTES);
    assert!(mark.exists(), "it came to its own end");
}

#[test]
fn an_ao_that_leaves_a_child_behind_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = ao(folder.path(), "echo help; sleep 30 &");
    assert_eq!(spawn_help(Some(&path)).unwrap(), "help\n");
}
