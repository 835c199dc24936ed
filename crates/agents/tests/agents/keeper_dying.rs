//! Whoever dies, and however: forge, a call, the keeper. Nothing of the program stays.

use crate::keeper::{Scripted, is_alive, keeper, parent, soon};
use forge_agents::keeper::{Conversation, How, Job, all_ended};
use forge_testkit::signals::ends_by;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
#[cfg(target_os = "linux")]
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Set where a test runs in a process of its own: the folder of the scripted agent.
const INNER: &str = "KEEPER_TEST_INNER";
/// Set where it is the next forge.
#[cfg(target_os = "linux")]
const NEXT: &str = "KEEPER_TEST_NEXT";
/// Set where a test runs in a namespace of its own.
#[cfg(target_os = "linux")]
const APART: &str = "KEEPER_TEST_APART";
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

/// What `pkill` would end, where there is such a program.
fn pgrep(name: &str) -> Vec<i32> {
    let found = Command::new("pgrep").arg(name).output().map(|found| found.stdout).unwrap_or_default();
    String::from_utf8_lossy(&found).lines().filter_map(|line| line.parse().ok()).collect()
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
    assert_eq!(std::fs::read(format!("/proc/{}/comm", pids[1])).unwrap(), b"seat-keeper\n");
    assert!(!pgrep("forge").contains(&pids[1]), "who ends forge by its name does not end the keeper");
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
    let around = tempfile::tempdir().unwrap();
    for wait in [0, 1, 3, 10, 30] {
        let scratch = around.path().join(wait.to_string());
        std::fs::create_dir_all(scratch.join("work")).unwrap();
        let job = Job { scratch: Some(scratch), ..scripted.job.clone() };
        let call = tokio::time::timeout(Duration::from_millis(wait), keeper().run(&job, b"hello")).await;
        assert!(call.is_err());
    }
    assert!(all_ended(LIMIT).await);
    // Also where the keeper never heard which folder it was to remove.
    assert_eq!(std::fs::read_dir(around.path()).unwrap().count(), 0);
}

/// How a process that waits in a call comes to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    By(Signal),
    /// Stopped first, as by a terminal.
    StoppedAndKilled,
    /// By itself, when a file says so.
    Itself(&'static str),
}

/// What forge would be: waits in a call, until it is killed or ends as the file beside the agent says.
fn wait_in_a_call(place: &Path) -> ! {
    let job = crate::keeper::job(place.join("bin/claude"), &place.join("work"));
    let mut job = Job { writable: vec![place.join("bin")], scratch: Some(job.folder.clone()), ..job };
    if place.join("patient").exists() {
        job.limits.grace = LIMIT;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let keeper = keeper();
    let word = runtime.block_on(async {
        let told = async {
            loop {
                match std::fs::read_to_string(place.join("end")) {
                    Ok(word) if !word.is_empty() => return word,
                    _ => tokio::time::sleep(Duration::from_millis(10)).await,
                }
            }
        };
        tokio::select! {
            ended = keeper.run(&job, b"hello") => panic!("{ended:?}"),
            word = told => match word.as_str() {
                "panic" => panic!("as it was told"),
                // Not given the time to drop anything.
                "exit" => std::process::exit(1),
                "abort" => std::process::abort(),
                _ => word,
            }
        }
    });
    panic!("{word}");
}

fn start_inner(test: &str, scripted: &Scripted) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([&format!("keeper_dying::{test}"), "--exact"])
        .env(INNER, scripted.place.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn forge_gone_leaves_nothing() {
    if let Some(place) = std::env::var_os(INNER) {
        wait_in_a_call(Path::new(&place));
    }
    let signals = [Signal::KILL, Signal::TERM, Signal::HUP, Signal::QUIT];
    let signals = signals.into_iter().filter(|signal| ends_by(signal.as_raw())).map(End::By);
    let itself = ["panic", "exit", "abort"].map(End::Itself);
    for end in signals.chain(itself).chain([End::StoppedAndKilled]) {
        let scripted = Scripted::new(&hard());
        let mut inner = start_inner("forge_gone_leaves_nothing", &scripted);
        let pids = all(&scripted);
        let number = i32::try_from(inner.id()).unwrap();
        match end {
            End::By(signal) => send(number, signal),
            End::StoppedAndKilled => [Signal::STOP, Signal::KILL].into_iter().for_each(|signal| send(number, signal)),
            End::Itself(word) => std::fs::write(scripted.place.path().join("end"), word).unwrap(),
        }
        inner.wait().unwrap();
        assert!(soon(|| pids.iter().all(|pid| !is_alive(*pid))), "{end:?}: {pids:?} are gone");
        assert!(soon(|| !scripted.job.folder.exists()), "{end:?}: the scratch folder is removed");
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

/// The kernel does not end what the program has started; forge does, and says so.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_killed_keeper_could_not_end_is_ended_and_named() {
    let mut scripted = Scripted::new(&hard());
    scripted.job.scratch = Some(scripted.job.folder.clone());
    let job = scripted.job.clone();
    let call = tokio::spawn(async move { keeper().run(&job, b"").await });
    let pids = all(&scripted);
    send(pids[1], Signal::KILL);
    let ended = call.await.unwrap();
    assert_eq!(ended.how, How::Lost("the keeper ended without a report".to_owned()));
    assert_eq!(ended.left_behind, ["claude"; 2]);
    // By now, not before long.
    assert!(pids.iter().all(|pid| !is_alive(*pid)), "{pids:?}");
    assert!(!scripted.job.folder.exists());

    let scripted = Scripted::new(&hard());
    let talk = keeper().converse(&scripted.job).unwrap();
    let pids = all(&scripted);
    send(pids[1], Signal::KILL);
    let ended = talk.end().await;
    assert_eq!(
        (&ended.left_behind[..], matches!(ended.how, How::Lost(_))),
        (&["claude", "claude"].map(str::to_owned)[..], true)
    );
    assert!(pids.iter().all(|pid| !is_alive(*pid)), "{pids:?}");
}

/// Also where nobody waits for the call any more.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_keeper_killed_after_its_call_was_dropped_leaves_nothing() {
    let mut scripted = Scripted::new(&hard());
    scripted.job.limits.grace = LIMIT;
    let talk = keeper().converse(&scripted.job).unwrap();
    let pids = all(&scripted);
    drop(talk);
    send(pids[1], Signal::KILL);
    assert!(all_ended(LIMIT).await);
    assert!(pids.iter().all(|pid| !is_alive(*pid)), "{pids:?}");
}

/// Calls of one forge are not taken for each other.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_loss_of_one_keeper_is_no_other_calls_end() {
    let (lost, other) = (Scripted::new(&hard()), Scripted::new(&hard()));
    let talks = [&lost, &other].map(|scripted| keeper().converse(&scripted.job).unwrap());
    let (pids, others) = (all(&lost), all(&other));
    send(pids[1], Signal::KILL);
    let [lost, other] = talks;
    assert_eq!(lost.end().await.left_behind.len(), 2);
    assert!(others.iter().all(|pid| is_alive(*pid)));
    drop(other);
    assert!(all_ended(LIMIT).await);
    assert!(pids.iter().chain(&others).all(|pid| !is_alive(*pid)));
}

/// What a keeper is at work on is the keeper's: a program that needs a moment to end well has it.
#[cfg(target_os = "linux")]
#[test]
fn the_next_run_leaves_a_keeper_to_its_work() {
    const NAME: &str = "the_next_run_leaves_a_keeper_to_its_work";
    const SLOW: &str = "#!/bin/sh\ntrap 'sleep 1; echo bye > \"${0%/*}/said\"; exit 0' TERM\necho > \"${0%/*}/ready\"\nwhile :; do sleep 0.1; done\n";
    if let Some(place) = std::env::var_os(INNER) {
        wait_in_a_call(Path::new(&place));
    }
    if std::env::var_os(NEXT).is_some() {
        forge_agents::keeper::end_what_killed_runs_left();
        return;
    }
    let scripted = Scripted::new(&json!([]));
    let beside = |name: &str| scripted.place.path().join("bin").join(name);
    // It is a link to what every test runs.
    std::fs::remove_file(beside("claude")).unwrap();
    std::fs::write(beside("claude"), SLOW).unwrap();
    std::fs::set_permissions(beside("claude"), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(scripted.place.path().join("patient"), "").unwrap();
    let mut inner = start_inner(NAME, &scripted);
    assert!(soon(|| beside("ready").exists()), "it runs");
    inner.kill().unwrap();
    inner.wait().unwrap();
    let next = Command::new(std::env::current_exe().unwrap())
        .args([&format!("keeper_dying::{NAME}"), "--exact"])
        .env(NEXT, "1")
        .output()
        .unwrap();
    assert!(next.status.success());
    assert!(soon(|| beside("said").exists()), "it ended well");
}

/// In a process namespace of its own where that can be had: what is left running here for a moment is then nothing that a
/// forge of another test could find, and end.
#[cfg(target_os = "linux")]
#[test]
fn forge_and_keeper_killed_leave_it_to_the_next_run() {
    const NAME: &str = "forge_and_keeper_killed_leave_it_to_the_next_run";
    if let Some(place) = std::env::var_os(INNER) {
        wait_in_a_call(Path::new(&place));
    }
    if std::env::var_os(NEXT).is_some() {
        // What only looks like a mark, and what carries that of a forge that runs, is left alone.
        let ended = forge_agents::keeper::end_what_killed_runs_left();
        println!("ended: {}", ended.join(" "));
        return;
    }
    if std::env::var_os(APART).is_none() {
        let test = format!("keeper_dying::{NAME}");
        if let Some(done) = forge_testkit::apart::run(&test, APART) {
            assert!(done, "it failed in its namespace");
            return;
        }
    }
    let carrying = |mark: &str| {
        let mut command = Command::new("/bin/sleep");
        let child = command.arg("600").env_clear().env("FORGE_SEAT", mark).stdin(Stdio::null()).spawn().unwrap();
        (i32::try_from(child.id()).unwrap(), child)
    };
    let living = Scripted::new(&hard());
    let mut living_forge = start_inner(NAME, &living);
    let living_pids = all(&living);
    let scripted = Scripted::new(&hard());
    let mut inner = start_inner(NAME, &scripted);
    let pids = all(&scripted);
    let mark = scripted.recorded().environment["FORGE_SEAT"].clone();
    let [boot, machine, namespace, rest] = mark.splitn(4, '-').collect::<Vec<_>>()[..] else { unreachable!("{mark}") };
    let odd = [
        format!("{boot}-{machine}-1{namespace}-{rest}"),
        // Of an earlier boot, which nothing has outlived.
        format!("1-{machine}-{namespace}-{rest}"),
        format!("{mark}-0"),
        format!("{mark} "),
        String::new(),
    ];
    let mut bystanders: Vec<(i32, Child)> = odd.iter().map(|mark| carrying(mark)).collect();
    // Stopped, it cannot see the keeper's end.
    send(i32::try_from(inner.id()).unwrap(), Signal::STOP);
    send(pids[1], Signal::KILL);
    send(i32::try_from(inner.id()).unwrap(), Signal::KILL);
    inner.wait().unwrap();
    // A keeper that is still being killed would be taken for one that keeps.
    assert_gone(&pids[1..2]);
    // One that carries the mark itself, as a forge does that a seat's program has started, and one above it.
    let next = Command::new("/bin/sh")
        .args(["-c", "\"$0\" \"$1\" --exact --nocapture; true"])
        .arg(std::env::current_exe().unwrap())
        .arg(format!("keeper_dying::{NAME}"))
        .env(NEXT, "1")
        .env("FORGE_SEAT", &mark)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&next.stdout).into_owned();
    assert!(pids.iter().all(|pid| !is_alive(*pid)), "{pids:?} are gone; {said}");
    assert!(said.contains("test result: ok"), "neither it nor what is above it was ended: {said}");
    assert!(living_pids.iter().all(|pid| is_alive(*pid)), "another forge's are its own");
    assert!(bystanders.iter().all(|(pid, _)| is_alive(*pid)), "{said}");
    for (_, child) in &mut bystanders {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    living_forge.kill().unwrap();
    living_forge.wait().unwrap();
    assert_gone(&living_pids);
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
