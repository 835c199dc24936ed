//! A model file with a stand-in for `llama-server`: started once, behind a key, gone with the roster.

use crate::keeper::keeper;
use crate::stage::{call, plan};
use forge_agents::keeper::all_ended;
use forge_agents::{Agent, Call, FailureKind, Roster, RosterSettings};
use forge_debate::conclude;
use forge_debate::protocols::judges;
use forge_debate::record::Record;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn a_call() -> Call {
    let plan = plan("judges", None, "Redis or Memcached?", &["Redis", "Memcached", "Neither"], 1);
    let turns = BTreeMap::new();
    let pending = conclude(&judges::PROTOCOL, &plan, &mut Record::new(&turns)).unwrap_err();
    Call { deadline: Duration::from_secs(60), ..call(&plan, &pending.asks[0], &turns) }
}

fn roster(place: &Path) -> Roster {
    forge_testkit::llama_server::install(place).unwrap();
    let mut settings = RosterSettings::with_environment([("PATH", place.display().to_string().as_str())]);
    settings.keeper = Some(keeper());
    settings.workspace = Some(place.to_owned());
    settings.scratch = vec![place.join("scratch")];
    Roster::new(settings)
}

fn is_empty(place: &Path) -> bool {
    std::fs::read_dir(place.join("scratch")).map_or(true, |mut left| left.next().is_none())
}

async fn said(agent: &Arc<dyn Agent>) -> String {
    String::from_utf8(agent.answer(&a_call()).await.unwrap().bytes).unwrap()
}

#[tokio::test]
async fn a_server_is_started_once_and_goes_with_the_roster() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("m.gguf"), "weights").unwrap();
    let roster = roster(place.path());
    let agent = roster.find("local:m.gguf").unwrap();
    assert!(is_empty(place.path()), "nothing runs before it is asked");
    let first = said(&agent).await;
    assert_eq!(first, said(&agent).await, "the same process");
    let process = format!("/proc/{}", first.strip_prefix("pid ").unwrap());
    assert!(Path::new(&process).exists());
    #[cfg(target_os = "linux")]
    {
        let environment = std::fs::read(format!("{process}/environ")).unwrap();
        assert!(String::from_utf8_lossy(&environment).contains("FORGE_SEAT="), "it can be found");
    }
    drop((agent, roster));
    assert!(all_ended(Duration::from_secs(30)).await);
    assert!(!Path::new(&process).exists());
    assert!(is_empty(place.path()));
}

#[test]
fn a_server_rests_with_its_runtime_and_is_started_anew() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("m.gguf"), "weights").unwrap();
    let roster = roster(place.path());
    let runtime = || tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut seen = Vec::new();
    for _ in 0..2 {
        // As forge holds two debates: each with a runtime of its own, both with one roster.
        let runtime = runtime();
        let agent = roster.find("local:m.gguf").unwrap();
        let said = runtime.block_on(said(&agent));
        roster.rest();
        assert!(runtime.block_on(all_ended(Duration::from_secs(30))), "nothing runs afterwards");
        assert!(is_empty(place.path()));
        runtime.shutdown_background();
        assert!(!seen.contains(&said), "another process");
        seen.push(said);
    }
    // Without a rest: what went with its runtime is not taken for a server.
    let (first, second) = (runtime(), runtime());
    let agent = roster.find("local:m.gguf").unwrap();
    first.block_on(said(&agent));
    drop(first);
    assert!(second.block_on(said(&agent)).starts_with("pid "));
}

#[tokio::test]
async fn a_server_that_was_lost_is_started_anew() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("m.gguf"), "weights").unwrap();
    let roster = roster(place.path());
    let agent = roster.find("local:m.gguf").unwrap();
    let first = said(&agent).await;
    let pid: i32 = first.strip_prefix("pid ").unwrap().parse().unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), rustix::process::Signal::KILL).unwrap();
    while !is_empty(place.path()) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_ne!(first, said(&agent).await);
}

#[tokio::test]
async fn the_key_that_is_made_for_a_server_stays_hidden() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("m.gguf"), "echo").unwrap();
    let agent = roster(place.path()).find("local:m.gguf").unwrap();
    assert_eq!(said(&agent).await, "The key is [key removed].");
}

#[tokio::test]
async fn a_server_that_ends_says_why() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("m.gguf"), "broken").unwrap();
    let failure = roster(place.path()).find("local:m.gguf").unwrap().answer(&a_call()).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    assert!(failure.detail.contains("code 1: failed to load model"), "{}", failure.detail);
}

#[tokio::test]
async fn what_is_said_about_a_kind_of_agent_makes_no_agent() {
    let mut settings = RosterSettings::default();
    settings.agents.entry("local".to_owned()).or_default().command = Some("/opt/llama-server".to_owned());
    settings.agents.entry("acp".to_owned()).or_default().parallel = Some(1);
    settings.agents.entry("mine".to_owned()).or_default().command = Some("mine".to_owned());
    let found = forge_agents::finding::look(&settings, Duration::from_millis(1)).await;
    let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
    assert!(names.contains(&"mine") && !names.contains(&"local") && !names.contains(&"acp"), "{names:?}");
}

#[test]
fn what_is_not_there_is_said_before_anything_runs() {
    let place = tempfile::tempdir().unwrap();
    let said = |settings: RosterSettings, name: &str| Roster::new(settings).find(name).err().unwrap().to_string();
    assert!(said(RosterSettings::default(), "local:/nonexistent/m.gguf").contains("no file"));
    let file = place.path().join("m.gguf");
    std::fs::write(&file, "weights").unwrap();
    let name = format!("local:{}", file.display());
    assert!(said(RosterSettings::default(), &name).contains("agents.local.command"));
}
