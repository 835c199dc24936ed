//! Programs that must end: nothing they do holds us up, and nothing they start stays.

use forge_agents::bounded::{Ended, run};
use std::process::Command;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(20);
/// Set where a test runs in a process of its own.
#[cfg(target_os = "linux")]
const INNER: &str = "BOUNDED_TEST_INNER";

fn shell(script: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(script);
    command
}

fn exited(code: i32, output: &str) -> Ended {
    Ended::Exited { code, output: output.to_owned() }
}

#[test]
fn code_and_outputs_are_told() {
    assert_eq!(run(shell("echo out; echo err >&2; exit 3"), LIMIT, 100), exited(3, "out\nerr\n"));
    assert_eq!(run(shell("cat"), LIMIT, 100), exited(0, ""), "there is nothing to read");
    assert_eq!(run(shell("echo x; kill -9 $$"), LIMIT, 100), Ended::Signalled { signal: 9, output: "x\n".to_owned() });
    assert!(matches!(run(Command::new("/nowhere/at/all"), LIMIT, 100), Ended::NotStarted(why) if !why.is_empty()));
}

#[test]
fn one_that_prints_too_much_is_read_on_and_ends_by_itself() {
    let ended =
        run(shell("yes out | head -c 3000000 || exit 9; yes err | head -c 3000000 >&2 || exit 9; exit 4"), LIMIT, 8);
    assert_eq!(ended, exited(4, "out\nout\nerr\nerr\n"));
}

#[test]
fn one_that_prints_for_ever_is_ended_in_time() {
    let began = Instant::now();
    assert_eq!(run(shell("exec yes"), Duration::from_millis(300), 8), Ended::TimedOut);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[test]
fn whatever_it_started_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let ends: [(&str, Ended); 3] = [
        ("exit 0", exited(0, "")),
        ("kill -9 $$", Ended::Signalled { signal: 9, output: String::new() }),
        ("sleep 60", Ended::TimedOut),
    ];
    for (at, (script, end)) in ends.into_iter().enumerate() {
        let limit = if end == Ended::TimedOut { Duration::from_millis(300) } else { LIMIT };
        let mark = folder.path().join(at.to_string());
        let lingers = format!("(sleep 2; echo > {}) & {script}", mark.display());
        assert_eq!(run(shell(&lingers), limit, 100), end);
    }
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "none was left to write its mark");
}

#[test]
fn one_that_left_the_group_does_not_hold_us_up() {
    let began = Instant::now();
    assert_eq!(run(shell("echo x; setsid sleep 3 & sleep 0.2"), LIMIT, 100), exited(0, "x\n"));
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}

/// A process whose children are reaped by the system cannot wait for them; that is not the program's slowness.
#[cfg(target_os = "linux")]
#[test]
fn an_error_of_waiting_is_told_as_one() {
    if std::env::var_os(INNER).is_some() {
        assert!(matches!(run(shell("exit 0"), LIMIT, 100), Ended::Lost(why) if !why.is_empty()));
        return;
    }
    let inner = Command::new("/usr/bin/env")
        .arg("--ignore-signal=CHLD")
        .arg(std::env::current_exe().unwrap())
        .args(["bounded::an_error_of_waiting_is_told_as_one", "--exact"])
        .env(INNER, "1")
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&inner.stdout);
    assert!(inner.status.success() && out.contains("1 passed"), "{out}");
}
