//! Whoever dies, and however: forge, a call, the keeper. Nothing of the program stays.

use crate::keeper::{Scripted, is_alive, keeper, parent, soon};
use forge_agents::keeper::{Conversation, How, all_ended};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Set where a test runs in a process of its own: the folder of the scripted agent.
const INNER: &str = "KEEPER_TEST_INNER";
const LIMIT: Duration = Duration::from_secs(30);

/// One that makes it hard, with something in its group and something outside of it.
fn hard() -> Value {
    json!(["ignore_term", {"leave": {"session": "own"}}, {"leave": {}}, "record", "hang"])
}

fn send(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
}

/// The program, what it has left, and its keeper.
fn all(scripted: &Scripted) -> Vec<i32> {
    let record = scripted.recorded();
    let mut all = vec![record.pid, parent(record.pid)];
    all.extend(record.left);
    assert!(all.iter().all(|pid| is_alive(*pid)), "they run");
    all
}

fn assert_gone(pids: &[i32]) {
    assert!(soon(|| pids.iter().all(|pid| !is_alive(*pid))), "{pids:?} are gone");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_call_ends_everything() {
    let mut scripted = Scripted::new(&hard());
    scripted.job.scratch = Some(scripted.job.folder.clone());
    scripted.job.environment.push(("KEY".into(), "sk-not-a-key".into()));
    let job = scripted.job.clone();
    let call = tokio::spawn(async move { keeper().run(&job, b"hello").await });
    let pids = all(&scripted);
    assert_eq!(std::fs::read(format!("/proc/{}/cmdline", pids[1])).unwrap(), b"forge\0__keeper\0");
    assert_eq!(std::fs::read(format!("/proc/{}/comm", pids[1])).unwrap(), b"forge-keeper\n");
    for about in ["cmdline", "environ"] {
        let shown = std::fs::read(format!("/proc/{}/{about}", pids[1])).unwrap();
        assert!(!String::from_utf8_lossy(&shown).contains("sk-not-a-key"), "the keeper shows no key");
    }
    call.abort();
    assert!(call.await.is_err());
    assert!(all_ended(LIMIT).await);
    // By now, not before long.
    assert!(pids.iter().all(|pid| !is_alive(*pid)));
    assert!(!scripted.job.folder.exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_conversation_ends_everything() {
    let scripted = Scripted::new(&hard());
    let talk = keeper().converse(&scripted.job).unwrap();
    let pids = all(&scripted);
    drop(talk);
    assert!(all_ended(LIMIT).await);
    assert!(pids.iter().all(|pid| !is_alive(*pid)));

    let scripted = Scripted::new(&hard());
    let Conversation { input, output, ending } = keeper().converse(&scripted.job).unwrap();
    let pids = all(&scripted);
    drop(ending);
    assert!(all_ended(LIMIT).await);
    assert!(pids.iter().all(|pid| !is_alive(*pid)));
    drop((input, output));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_dropped_at_once_leaves_nothing() {
    let scripted = Scripted::new(&hard());
    for wait in [0, 1, 3, 10, 30] {
        let call = tokio::time::timeout(Duration::from_millis(wait), keeper().run(&scripted.job, b"hello")).await;
        assert!(call.is_err());
    }
    assert!(all_ended(LIMIT).await);
}

/// What forge would be, to be killed: waits in a call for ever.
#[test]
fn forge_killed_leaves_nothing() {
    if let Some(place) = std::env::var_os(INNER) {
        let job = crate::keeper::job(
            std::path::Path::new(&place).join("bin/claude"),
            &std::path::Path::new(&place).join("work"),
        );
        let job = forge_agents::keeper::Job {
            writable: vec![std::path::Path::new(&place).join("bin")],
            scratch: Some(job.folder.clone()),
            ..job
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let ended = runtime.block_on(keeper().run(&job, b"hello"));
        panic!("{ended:?}");
    }
    for signal in [Signal::KILL, Signal::TERM] {
        let scripted = Scripted::new(&hard());
        let mut inner = Command::new(std::env::current_exe().unwrap())
            .args(["keeper_dying::forge_killed_leaves_nothing", "--exact"])
            .env(INNER, scripted.place.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let pids = all(&scripted);
        send(i32::try_from(inner.id()).unwrap(), signal);
        inner.wait().unwrap();
        assert_gone(&pids);
        assert!(soon(|| !scripted.job.folder.exists()), "the scratch folder is removed");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_keeper_takes_the_program_with_it() {
    let scripted = Scripted::new(&json!(["ignore_term", "record", "hang"]));
    let job = scripted.job.clone();
    let call = tokio::spawn(async move { keeper().run(&job, b"").await });
    let pids = all(&scripted);
    send(pids[1], Signal::KILL);
    let ended = call.await.unwrap();
    assert!(matches!(ended.how, How::Lost(_)), "{ended:?}");
    assert_gone(&pids);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_keeper_that_is_told_to_end_ends_everything() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let scripted = Scripted::new(&hard());
        let job = scripted.job.clone();
        let call = tokio::spawn(async move { keeper().run(&job, b"").await });
        let pids = all(&scripted);
        send(pids[1], signal);
        let ended = call.await.unwrap();
        assert!(matches!(ended.how, How::Lost(_)), "{ended:?}");
        assert!(pids.iter().all(|pid| !is_alive(*pid)));
    }
}
