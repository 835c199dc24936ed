//! However forge ends, and whoever ends its keepers: nothing that a seat's program has started runs on.
//!
//! The agents are real programs under real keepers that start something in a session of its own, and wait.

#![cfg(target_os = "linux")]

use crate::model::Asked;
use crate::place::Place;
use forge_testkit::apart;
use forge_testkit::scripted_agent::{Record, install, records};
use forge_testkit::signals::ends_by;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const QUESTION: &str = "Redis or Memcached for sessions?";
/// Set where a test runs in a process namespace of its own: forges of other tests see nothing there that is left running.
const APART: &str = "FORGE_TEST_APART";
const PATIENCE: Duration = Duration::from_secs(60);

/// A debate of this name that these agents hold.
fn asked<'a>(agent: &'a str, id: &'a str) -> [&'a str; 10] {
    ["debate", QUESTION, "--option", "Redis", "--option", "Memcached", "--agent", agent, "--id", id]
}

/// A place with an agent of the user's own.
struct Scene {
    place: Place,
}

impl Scene {
    fn new(script: &Value) -> Self {
        let place = Place::new();
        let bin = place.around().join("bin");
        install(&bin, "mine", script).unwrap();
        let temporary = place.around().join("tmp");
        fs::create_dir(&temporary).unwrap();
        let own = json!({ "command": bin.join("mine"), "writable": [bin], "family": "meta" });
        // The program says the same in every seat, whatever the seat's stance.
        let lenient = json!({ "require_stance_maintenance": false });
        let home = place.around().join("home/.config/forge");
        fs::create_dir_all(&home).unwrap();
        fs::write(
            home.join("config.json"),
            json!({ "agents": { "mine": own }, "debate_config": lenient, "inside_host": { "allow": true } })
                .to_string(),
        )
        .unwrap();
        Self { place: place.with("TMPDIR", &temporary.display().to_string()) }
    }

    fn bin(&self) -> PathBuf {
        self.place.around().join("bin")
    }

    /// Starts a debate that prints to nobody.
    fn start(&self, id: &str) -> Child {
        self.place.command(&asked("mine", id)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// What the agents have recorded, as soon as there are so many.
    fn recorded(&self, count: usize) -> Vec<Record> {
        let all = || records(&self.bin(), "mine").unwrap_or_default();
        assert!(soon(|| all().len() >= count), "{count} were asked; {:?}", all());
        all()
    }

    /// The processes of a call: the program, what it has started, and its keeper.
    fn processes(&self, count: usize) -> (Vec<i32>, Vec<i32>) {
        let recorded = self.recorded(count);
        let keepers: Vec<i32> = recorded.iter().map(|record| parent(record.pid)).collect();
        let rest = recorded.iter().flat_map(|record| record.left.iter().copied().chain([record.pid]));
        let rest: Vec<i32> = rest.collect();
        assert!(rest.iter().chain(&keepers).all(|pid| is_alive(*pid)), "they run");
        (keepers, rest)
    }

    fn folders(&self) -> usize {
        fs::read_dir(self.place.around().join("tmp")).unwrap().count()
    }
}

/// Starts something in a session of its own, says who it is, and waits.
fn waits() -> Value {
    json!(["read_stdin", { "leave": { "session": "own" } }, "record", "hang"])
}

/// Starts something in a session of its own, and answers in form.
fn answers() -> Value {
    let place = Place::new();
    place.forge(&asked("outside", "d1")).code(3);
    let brief = place.only(|file| file.ends_with("outside/opening-r1-risk.md"));
    let reply = Asked::in_text(&place.read(&brief)).reply(&[]);
    json!(["read_stdin", { "leave": { "session": "own", "outputs": "closed" } }, "record", { "print": { "text": reply } }])
}

fn soon(is_so: impl Fn() -> bool) -> bool {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if is_so() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

fn stat(pid: i32) -> Option<(String, i32)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}

fn is_alive(pid: i32) -> bool {
    stat(pid).is_some_and(|(state, _)| state != "Z" && state != "X")
}

fn parent(pid: i32) -> i32 {
    stat(pid).unwrap().1
}

fn send(signal: &str, pid: i32) {
    assert!(Command::new("/bin/kill").args(["-s", signal, &pid.to_string()]).status().unwrap().success(), "{signal}");
}

fn number(child: &Child) -> i32 {
    i32::try_from(child.id()).unwrap()
}

/// Whether the rest of a test is done already, in a namespace of its own.
fn is_done_apart(test: &str) -> bool {
    if std::env::var_os(APART).is_some() {
        return false;
    }
    let done = apart::run(&format!("afterwards::{test}"), APART);
    assert_ne!(done, Some(false), "it failed in its namespace");
    done.is_some()
}

#[test]
fn however_forge_is_ended_nothing_runs_on() {
    let ends: [(&[&str], i32); 6] =
        [(&["KILL"], 9), (&["HUP"], 1), (&["QUIT"], 3), (&["INT"], 2), (&["TERM"], 15), (&["STOP", "KILL"], 9)];
    for (signals, _) in ends.into_iter().filter(|(_, last)| ends_by(*last)) {
        let scene = Scene::new(&waits());
        let mut forge = scene.start("d1");
        let (keepers, rest) = scene.processes(3);
        signals.iter().for_each(|signal| send(signal, number(&forge)));
        forge.wait().unwrap();
        let all: Vec<i32> = keepers.into_iter().chain(rest).collect();
        assert!(soon(|| !all.iter().any(|pid| is_alive(*pid))), "{signals:?}: {all:?}");
        assert!(soon(|| scene.folders() == 0), "{signals:?}: the seats' folders are removed");
    }
}

#[test]
fn a_debate_whose_output_nobody_reads_ends_and_nothing_runs_on() {
    let scene = Scene::new(&answers());
    let mut forge = scene.place.command(&asked("mine", "d1")).spawn().unwrap();
    // As `| head -0` does.
    drop((forge.stdout.take(), forge.stderr.take()));
    let code = forge.wait().unwrap().code();
    assert_eq!(code, Some(0));
    let left: Vec<i32> = scene.recorded(3).into_iter().flat_map(|record| record.left).collect();
    assert_eq!((left.len(), left.iter().any(|pid| is_alive(*pid))), (3, false));
    scene.place.forge(&["verify", "--all"]).code(0);
}

#[test]
fn who_loses_its_keeper_is_absent_and_nothing_of_it_runs_on() {
    let scene = Scene::new(&waits());
    let forge = scene.place.start(&asked("mine", "d1"));
    let (keepers, rest) = scene.processes(3);
    keepers.iter().for_each(|pid| send("KILL", *pid));
    let done = forge.end().code(5);
    assert!(!rest.iter().any(|pid| is_alive(*pid)), "{rest:?}: {done}");
    let texts: Vec<String> = scene.place.files().iter().map(|file| scene.place.read(file)).collect();
    for words in ["was lost: the keeper ended without a report", "left behind and ended: mine"] {
        assert!(texts.iter().any(|text| text.contains(words)), "{words}: {done}");
    }
    assert_eq!(scene.folders(), 0);
}

#[test]
fn killed_together_with_its_keepers_the_next_run_ends_what_is_left() {
    if is_done_apart("killed_together_with_its_keepers_the_next_run_ends_what_is_left") {
        return;
    }
    // Made first: whatever runs a forge ends what another has left.
    let answers = answers();
    let scene = Scene::new(&waits());
    let mut forge = scene.start("d1");
    let (keepers, rest) = scene.processes(3);
    // Stopped, it does not see its keepers' end.
    send("STOP", number(&forge));
    keepers.iter().for_each(|pid| send("KILL", *pid));
    send("KILL", number(&forge));
    forge.wait().unwrap();
    install(&scene.bin(), "mine", &answers).unwrap();
    let done = scene.place.forge(&asked("mine", "d1")).code(0);
    assert!(!rest.iter().any(|pid| is_alive(*pid)), "{rest:?}: {done}");
    assert!(done.err.contains("a run that was killed had left something running; ended: mine, mine, mine"), "{done}");
    assert_eq!(scene.folders(), 0, "and the folders of the dead are gone");
    assert!(!scene.place.forge(&["debate", "run", "d1"]).code(0).err.contains("ended:"), "once");
}

/// A forge that a seat's program has started carries that seat's mark, and gives its own seats its own.
#[test]
fn a_forge_within_a_seat_is_not_taken_for_its_own_leftovers() {
    if is_done_apart("a_forge_within_a_seat_is_not_taken_for_its_own_leftovers") {
        return;
    }
    let answers = answers();
    let scene = Scene::new(&waits());
    let mut outer = scene.start("d1");
    let (keepers, rest) = scene.processes(3);
    let mark = scene.recorded(3)[0].environment["FORGE_SEAT"].clone();
    send("STOP", number(&outer));
    keepers.iter().for_each(|pid| send("KILL", *pid));
    send("KILL", number(&outer));
    outer.wait().unwrap();

    // What is left of the seat goes on to hold a debate of its own.
    let mut inner = Scene::new(&answers);
    inner.place.set("FORGE_SEAT", &mark);
    inner.place.forge(&asked("mine", "d1")).code(0).err("ended: mine, mine, mine");
    assert!(!rest.iter().any(|pid| is_alive(*pid)), "{rest:?}");
    let marks: Vec<String> = inner.recorded(3).iter().map(|seat| seat.environment["FORGE_SEAT"].clone()).collect();
    assert!(!marks.contains(&mark), "{marks:?}");

    // And the next run outside ends it, upon which its own keepers end its seats.
    install(&inner.bin(), "mine", &waits()).unwrap();
    let _ = fs::remove_file(inner.bin().join("mine.record.jsonl"));
    let mut within = inner.start("d2");
    let (keepers, rest) = inner.processes(3);
    let next = Scene::new(&answers);
    next.place.forge(&asked("mine", "d1")).code(0).err("ended: forge");
    within.wait().unwrap();
    let all: Vec<i32> = keepers.into_iter().chain(rest).collect();
    assert!(soon(|| !all.iter().any(|pid| is_alive(*pid))), "{all:?}");
}

/// The names of the programs that run in a namespace, told into a file by a shell after forge has ended there.
const LOOK: &str = r#""$@"; code=$?; for one in /proc/[0-9]*; do readlink "$one/exe"; done > "$LEFT"; exit $code"#;

/// Runs a debate of this name in a process namespace, as its first process or below these words, to its consensus.
fn debate_below(scene: &Scene, id: &str, words: &[&str], first: &[&str], left: &Path) {
    let inner = scene.place.command(&asked("mine", id));
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).args(first).arg(inner.get_program()).args(inner.get_args());
    let variables = inner.get_envs().filter_map(|(name, value)| Some((name, value?)));
    command.env_clear().envs(variables).env("LEFT", left).current_dir(scene.place.work()).stdin(Stdio::null());
    let done = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert_eq!(done.status.code(), Some(0), "{id}: {out}{err}");
    assert!(out.contains("CONSENSUS"), "{id}: {out}{err}");
}

#[test]
fn in_a_process_namespace_a_debate_ends_and_leaves_nothing() {
    let Some(words) = apart::words() else { return };
    let scene = Scene::new(&answers());
    let left = scene.place.around().join("left");
    for (id, first) in [("n1", &[][..]), ("n2", &["sh", "-c", LOOK, "sh"])] {
        debate_below(&scene, id, words, first, &left);
        let named = |file: &String| file.contains(id) && scene.place.read(file).contains("left behind and ended: mine");
        assert!(scene.place.files().iter().any(named), "{id}");
    }
    let left = fs::read_to_string(&left).unwrap();
    let own = |line: &&str| Path::new(line).starts_with(scene.place.around()) || line.ends_with("/forge");
    assert_eq!(left.lines().filter(own).collect::<Vec<_>>(), Vec::<&str>::new(), "{left}");
    assert_eq!(scene.folders(), 0);
    scene.place.forge(&["verify", "--all"]).code(0);
}

/// With the table of the namespace outside, every number in it is another process's: it is not used, and nobody is hit.
#[test]
fn in_a_process_namespace_with_another_ones_table_a_debate_ends() {
    let Some(words) = apart::words() else { return };
    let words: Vec<&str> = words.iter().copied().filter(|word| *word != "--mount-proc").collect();
    let mut script = answers();
    // Without anything left behind, for which the table would be needed.
    script.as_array_mut().unwrap().remove(1);
    let scene = Scene::new(&script);
    debate_below(&scene, "n3", &words, &[], &scene.place.around().join("left"));
    assert!(scene.recorded(3).iter().all(|seat| !seat.environment.contains_key("FORGE_SEAT")), "there is no mark");
    assert_eq!(scene.folders(), 0);
}

/// It hangs also when it is asked for its version, which one seat after the other gives up.
#[test]
fn no_folder_of_an_agent_that_only_hangs_is_left() {
    let scene = Scene::new(&json!(["hang"]));
    scene.place.forge(&[&asked("mine", "d1")[..], &["--timeout", "2s"]].concat()).code(5).out("timed out");
    assert_eq!(scene.folders(), 0);
}
