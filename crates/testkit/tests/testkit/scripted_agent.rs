//! The scripted agent itself: that the stand-in does what tests rely on.

use forge_testkit::scripted_agent::{install, records};
use serde_json::{Value, json};
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Output, Stdio};

/// Naming it has it built with this test, and so with the whole workspace's tests.
const BUILT: &str = env!("CARGO_BIN_EXE_scripted-agent");

fn play(folder: &std::path::Path, script: &Value, arguments: &[&str], input: &str) -> Output {
    assert!(std::path::Path::new(BUILT).exists());
    let program = install(folder, "claude", script).unwrap();
    let mut child = Command::new(program)
        .args(arguments)
        .env_clear()
        .env("GIVEN", "value")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It need not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn prints_and_ends_as_told() {
    let folder = tempfile::tempdir().unwrap();
    let script = json!([
        {"print": {"text": "out ", "times": 2}},
        {"print": {"bytes": [27, 91], "to": "stderr"}},
        {"exit": 7}
    ]);
    let done = play(folder.path(), &script, &[], "");
    assert_eq!((done.status.code(), done.stdout, done.stderr), (Some(7), b"out out ".to_vec(), vec![27, 91]));
    let done = play(folder.path(), &json!([{"die": 9}]), &[], "");
    assert_eq!(done.status.signal(), Some(9));
}

#[test]
fn chooses_by_call_argument_and_input() {
    let folder = tempfile::tempdir().unwrap();
    let say = |text: &str| json!([{"print": {"text": text}}]);
    let script = json!({"cases": [
        {"argument": "--version", "do": say("1.2.3")},
        {"stdin_has": "pear", "do": say("fruit")},
        {"call": 3, "do": say("third")},
        {"do": say("other")}
    ]});
    let said = |arguments: &[&str], input| play(folder.path(), &script, arguments, input).stdout;
    assert_eq!(said(&["--version"], ""), b"1.2.3");
    assert_eq!(said(&[], "a pear"), b"fruit");
    assert_eq!(said(&[], "nothing"), b"third");
    assert_eq!(said(&[], "nothing"), b"other");
}

#[test]
fn records_what_it_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let done = play(folder.path(), &json!(["read_stdin", "record"]), &["-p", "x"], "the prompt");
    assert_eq!(done.status.code(), Some(0), "{done:?}");
    let records = records(folder.path(), "claude").unwrap();
    let [record] = records.as_slice() else { panic!("{records:?}") };
    assert_eq!((record.call, record.stdin.as_str()), (1, "the prompt"));
    assert_eq!(record.arguments, ["-p", "x"]);
    assert_eq!(record.environment, [("GIVEN".to_owned(), "value".to_owned())].into());
}
