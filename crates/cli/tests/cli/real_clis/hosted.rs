//! A debate inside the real `claude`, whose own subagents take the seats. Its model is played: the host's part and the
//! seats', told apart by the header of subagents.

mod playing;
mod walk;

use super::holding::{CLAUDE, Seat, path};
use super::{KEYS, PATIENCE, Turn, bin, processes_of};
use crate::place::{FORGE, Place, Running, front};
use forge_testkit::model_server::{Answer, Asked, ModelServer};
use playing::{Manner, Play};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What is typed.
const TYPED: &str = "/forge:debate Redis or Memcached for sessions?";

/// The real claude in a repository of its own, with forge on its path.
struct Host {
    place: Place,
    server: ModelServer,
    _turn: Turn,
}

impl Host {
    /// A host whose model plays like this, or nothing where claude is not installed.
    fn playing(play: Play) -> Option<Self> {
        Self::answering(move |asked| play.answer(asked))
    }

    /// A host whose model answers like this.
    fn answering(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Option<Self> {
        let bin = bin()?;
        let turn = Turn::take();
        let server = ModelServer::start(answer).unwrap();
        let place = Place::new();
        let tools = place.around().join("bin");
        fs::create_dir(&tools).unwrap();
        symlink(FORGE, tools.join("forge")).unwrap();
        let (key, value, _) = KEYS[0];
        let place = place
            .with("PATH", &format!("{}:{}:/usr/bin:/bin", tools.display(), bin.display()))
            .with("ANTHROPIC_BASE_URL", &server.root())
            .with(key, value)
            .with("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
        let host = Self { place, server, _turn: turn };
        host.git(&["init", "-q"]);
        host.trust();
        host.install();
        Some(host)
    }

    /// The same for a test that takes its time: only where `.ci/full` asks for it.
    fn at_length(play: Play) -> Option<Self> {
        if std::env::var_os("FORGE_FULL").is_none() {
            let test = std::thread::current().name().unwrap_or("").to_owned();
            eprintln!("SKIPPED: {test}: it takes its time; .ci/full runs it (FORGE_FULL=1)");
            return None;
        }
        Self::playing(play)
    }

    /// Installed as a person would, who has forge on the path.
    fn install(&self) {
        let variables = self.place.command(&[]);
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "forge install claude --project"]).current_dir(self.place.work()).env_clear();
        shell.envs(variables.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let done = shell.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// A person has said that the folder is theirs; otherwise its rules and hooks do not count.
    fn trust(&self) {
        let folder = self.place.work().canonicalize().unwrap();
        let trusted = json!({ "projects": { folder.display().to_string(): { "hasTrustDialogAccepted": true } } });
        fs::write(self.place.around().join("home/.claude.json"), trusted.to_string()).unwrap();
    }

    fn git(&self, args: &[&str]) {
        let mut git = Command::new("git");
        git.args(args).current_dir(self.place.work()).env_clear().env("PATH", "/usr/bin:/bin");
        assert!(git.status().unwrap().success());
    }

    /// A session in which this is typed.
    fn session(&self, typed: &str) -> Running {
        // Nobody is there to be asked whether a debate may begin.
        self.session_with(typed, &["--allowedTools", "Bash(forge debate:*)"])
    }

    /// A session in which this is typed, with these rules of its own.
    fn session_with(&self, typed: &str, leave: &[&str]) -> Running {
        let args = [&["-p", typed, "--output-format", "json", "--permission-mode", "default"][..], leave].concat();
        let variables = self.place.command(&[]);
        let mut claude = Command::new(bin().unwrap().join("claude"));
        claude.args(&args).current_dir(self.place.work()).env_clear();
        claude.envs(variables.get_envs().filter_map(|(name, value)| Some((name, value?))));
        claude.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Running::begin(claude, &args)
    }

    /// What a whole session ends with.
    fn says(&self, typed: &str) -> Value {
        Self::said(self.session(typed))
    }

    fn said(session: Running) -> Value {
        let done = session.end();
        assert_eq!(done.code, 0, "{done}");
        let value: Value = serde_json::from_str(&done.out).unwrap_or_else(|error| panic!("{error}: {done}"));
        assert_eq!(value["is_error"], false, "{value:#}");
        value
    }

    /// The requests of subagents.
    fn of_seats(&self) -> Vec<Asked> {
        self.server.requests().into_iter().filter(|asked| asked.subagent().is_some()).collect()
    }

    /// The turns on record.
    fn turns(&self) -> Vec<String> {
        self.place
            .files()
            .iter()
            .filter(|file| file.contains("-trail/turns/"))
            .map(|file| self.place.read(file))
            .collect()
    }

    /// The verdict, which holds.
    #[track_caller]
    fn ends(&self, said: &Value) -> Value {
        let began = Instant::now();
        while !processes_of(&self.place).is_empty() {
            assert!(began.elapsed() < PATIENCE, "still running: {:#?}", processes_of(&self.place));
            std::thread::sleep(Duration::from_millis(20));
        }
        let file = self.place.files().into_iter().find(|file| file.ends_with("trail/verdict.json"));
        let verdict = self.place.json(&file.unwrap_or_else(|| panic!("no verdict: {}", said["result"])));
        self.place.forge(&["verify", verdict["debate"].as_str().unwrap()]).code(0).out("HOLDS");
        verdict
    }
}

/// Holds a debate to its end, and to what every debate of subagents keeps.
#[track_caller]
fn holds(host: &Host, rounds: u64) -> Value {
    let said = host.says(TYPED);
    assert_eq!(said["permission_denials"], json!([]), "{said:#}");
    let verdict = host.ends(&said);
    assert_eq!(verdict["rounds"], rounds, "{said:#}\n{verdict:#}");
    for asked in host.of_seats() {
        assert_eq!(asked.tools.len(), 2, "a seat has Bash and Read: {:?}", asked.tools);
    }
    let names: BTreeSet<String> = host.turns().iter().filter_map(|turn| front(turn, "subagent")).collect();
    assert_eq!(names.len() as u64, 3 * rounds, "every turn names its subagent: {names:?}");
    for role in ["risk", "value", "effort"] {
        assert!(names.iter().any(|name| name.starts_with(&format!("forge-{role}/"))), "{role}: {names:?}");
    }
    // One to read, one to hand in, one to say so, in each round.
    assert_eq!(host.of_seats().len() as u64, 9 * rounds, "nobody was asked twice");
    said
}

#[test]
fn three_subagents_hold_a_debate() {
    let Some(host) = Host::playing(Play::new(Manner::Foreground, &[("effort", "B")])) else { return };
    holds(&host, 1);
}

#[test]
fn in_the_background() {
    let Some(host) = Host::at_length(Play::new(Manner::Background, &[("effort", "B")])) else { return };
    holds(&host, 1);
}

#[test]
fn two_rounds() {
    for manner in [Manner::Foreground, Manner::Background] {
        let Some(host) = Host::at_length(Play::new(manner, &[]).twice()) else { return };
        holds(&host, 2);
    }
}

/// A seat that looks for what the others say finds nothing, and hands in all the same.
#[test]
fn a_spying_seat_is_held() {
    let spy = |seat: &Seat<'_>| {
        if seat.name != "value" {
            return None;
        }
        let folder = seat.ask.rsplit_once('/').map_or("", |(folder, _)| folder);
        let others = path(seat.asked, "working directory: ", &seat.ask.replace("value", "risk"));
        let read = |path: &str| ("Read", json!({ "file_path": path }));
        let run = |command: &str| ("Bash", json!({ "command": command, "description": "look around" }));
        Some(match seat.step() {
            1 => Answer::tools([
                run(&format!("cat {folder}/../../debate-*-risk.md")),
                run("cat ~/.claude/projects/*/*.jsonl"),
                run("forge debate list; ls -R ~/.local/state/forge"),
                read(&others),
                read("/etc/hostname"),
                run(&format!("forge turn submit {} risk --file - <<'END'\nnot mine\nEND", seat.debate)),
            ]),
            7 => seat.reads(),
            _ => return None,
        })
    };
    let Some(host) = Host::at_length(Play::new(Manner::Foreground, &[]).odd(spy)) else { return };
    let said = host.says(TYPED);
    host.ends(&said);
    let spied = host.of_seats().into_iter().filter(|asked| asked.results.len() > 8).max_by_key(|one| one.results.len());
    let results = spied.expect("the seat went all the way").results;
    for (step, words) in [
        (1, "a seat runs"),
        (2, "a seat runs"),
        (3, "a seat runs"),
        (4, "a seat reads nothing but its own ask"),
        (5, "a seat reads nothing but its own ask"),
        (6, "a seat hands in for itself alone"),
    ] {
        assert!(results[step].contains(words), "step {step}: {}", results[step]);
    }
}

/// A seat that ends without a turn is sent back once; then the debate goes on without it.
#[test]
fn a_seat_dies_and_the_debate_goes_on() {
    let dies = |seat: &Seat<'_>| (seat.name == "effort").then(|| Answer::Text("I would rather not.".to_owned()));
    let Some(host) = Host::at_length(Play::new(Manner::Foreground, &[]).odd(dies)) else { return };
    let said = host.says(TYPED);
    let verdict = host.ends(&said);
    assert_eq!(verdict["degraded"], true, "{verdict:#}");
    let sent_back = host.of_seats().into_iter().filter(|asked| asked.all.contains("you have not handed in")).count();
    assert_eq!(sent_back, 1, "once");
}

/// claude is killed while the second round is open; another session ends the debate, and no first turn is asked for again.
#[test]
fn killed_in_the_second_wave_and_ended_by_another_session() {
    let silent = Arc::new(AtomicBool::new(true));
    let switch = Arc::clone(&silent);
    let hangs = move |seat: &Seat<'_>| {
        (seat.is_second() && seat.name != "risk" && switch.load(Ordering::SeqCst)).then_some(Answer::Hang)
    };
    let Some(host) = Host::at_length(Play::new(Manner::Foreground, &[]).twice().odd(hangs)) else { return };
    let running = host.session(TYPED);
    let is_second = |asked: &Asked| Seat::of(asked, &CLAUDE).is_some_and(|seat| seat.is_second());
    let began = Instant::now();
    while host.of_seats().iter().filter(|asked| is_second(asked)).count() < 5 {
        assert!(began.elapsed() < PATIENCE, "the second wave did not come");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(running.kill());
    silent.store(false, Ordering::SeqCst);
    let before = host.of_seats().len();
    let said = host.says("/forge:continue");
    let verdict = host.ends(&said);
    assert_eq!(verdict["rounds"], 2, "{verdict:#}");
    let after = host.of_seats().split_off(before);
    let seats: BTreeSet<String> = after
        .iter()
        .filter_map(|asked| Seat::of(asked, &CLAUDE))
        .map(|seat| format!("{} {}", seat.name, seat.is_second()))
        .collect();
    assert_eq!(seats.into_iter().collect::<Vec<_>>(), ["effort true", "value true"], "only who had not spoken");
}
