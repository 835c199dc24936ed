//! Programs that flood, hang, stay or leave something behind: each is ended, named for what it did, and nothing stays.

use crate::keeper::{Scripted, is_alive, report};
use forge_agents::keeper::How;
use serde_json::json;
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(400);

#[tokio::test]
async fn a_flood_ends_it() {
    let scripted = Scripted::limited(&json!([{"print": {"text": "flood ", "times": u64::MAX}}]), |limits| {
        limits.stdout_bytes = 1000
    });
    let ended = scripted.run(b"").await;
    assert_eq!((ended.how, ended.stdout.len()), (How::Flooded, 1000));
}

#[tokio::test]
async fn as_much_as_it_may_is_no_flood() {
    let script = json!([{"print": {"text": "0123456789", "times": 100}}]);
    let ended = Scripted::limited(&script, |limits| limits.stdout_bytes = 1000).run(b"").await;
    assert_eq!((ended.how, ended.stdout.len()), (How::Exited(0), 1000));
}

#[tokio::test]
async fn one_that_never_speaks_is_ended() {
    let scripted = Scripted::limited(&json!(["read_stdin", "record", "hang"]), |limits| limits.first_byte = SHORT * 8);
    let ended = scripted.run(b"hello").await;
    assert_eq!(ended.how, How::NeverSpoke);
    assert!(!is_alive(scripted.recorded().pid));
}

#[tokio::test]
async fn one_that_asks_for_a_login_falls_silent() {
    let scripted = Scripted::limited(&json!(["record", "ask_for_login"]), |limits| limits.idle = SHORT);
    let ended = scripted.run(b"").await;
    assert_eq!(ended.how, How::FellSilent);
    assert!(String::from_utf8_lossy(&ended.stdout).contains("not logged in"));
    assert!(!is_alive(scripted.recorded().pid));
}

#[tokio::test]
async fn one_that_speaks_for_ever_runs_out_of_time() {
    let script = json!([{"print": {"text": "still here ", "to": "stderr", "times": u64::MAX, "pause_ms": 50}}]);
    let scripted = Scripted::limited(&script, |limits| limits.total = SHORT * 8);
    let ended = scripted.run(b"").await;
    assert_eq!(ended.how, How::OutOfTime);
    assert!(ended.stderr.starts_with(b"still here still here"), "{ended:?}");
}

#[tokio::test]
async fn one_that_ignores_term_is_killed() {
    let scripted = Scripted::limited(&json!(["ignore_term", "report", "hang"]), |limits| limits.idle = SHORT);
    let ended = scripted.run(b"").await;
    assert_eq!((&ended.how, &ended.left_behind), (&How::FellSilent, &vec![]));
    assert!(!is_alive(report(&ended).pid));
}

#[tokio::test]
async fn one_that_has_stopped_is_killed() {
    let stop = rustix::process::Signal::STOP.as_raw();
    let ended = Scripted::limited(&json!(["report", {"die": stop}]), |limits| limits.idle = SHORT).run(b"").await;
    assert_eq!(ended.how, How::FellSilent);
    assert!(!is_alive(report(&ended).pid));
}

#[tokio::test]
async fn one_left_behind_with_the_outputs_is_named_and_ended() {
    for session in ["same", "own"] {
        let scripted = Scripted::new(&json!([{"leave": {"session": session}}, "report", {"exit": 5}]));
        let ended = scripted.run(b"").await;
        assert_eq!(ended.how, How::Exited(5));
        assert!(ended.leaked_pipe, "{session}: {ended:?}");
        #[cfg(target_os = "linux")]
        assert_eq!(ended.left_behind, ["claude"]);
        assert!(!is_alive(report(&ended).left[0]), "{session}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn one_left_behind_without_the_outputs_is_found_all_the_same() {
    let leave = json!({"leave": {"session": "own", "outputs": "closed"}});
    let scripted = Scripted::new(&json!([leave, leave, {"leave": {"outputs": "closed"}}, "report"]));
    let ended = scripted.run(b"").await;
    assert_eq!((&ended.how, ended.leaked_pipe), (&How::Exited(0), false));
    assert_eq!(ended.left_behind, ["claude"; 3]);
    assert!(report(&ended).left.into_iter().all(|pid| !is_alive(pid)));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_one_that_hangs_has_started_ends_with_it() {
    let leave = |session: &str| json!({"leave": {"session": session}});
    let script = json!(["ignore_term", leave("own"), leave("same"), "report", "hang"]);
    let ended = Scripted::limited(&script, |limits| limits.idle = SHORT).run(b"").await;
    assert_eq!((&ended.how, ended.leaked_pipe), (&How::FellSilent, true));
    assert_eq!(ended.left_behind, ["claude"], "what was in its group went with it");
    let record = report(&ended);
    assert!(record.left.iter().all(|pid| !is_alive(*pid)) && !is_alive(record.pid));
}

#[tokio::test]
async fn one_that_only_passes_by_is_not_named() {
    let scripted = Scripted::new(&json!([{"leave": {"ms": 1}}, {"print": {"text": "x"}}]));
    let ended = scripted.run(b"").await;
    assert_eq!((ended.how, ended.left_behind, ended.leaked_pipe), (How::Exited(0), vec![], false));
}
