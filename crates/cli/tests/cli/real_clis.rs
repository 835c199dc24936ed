//! The four real agent CLIs in the seats, each speaking its own wire to a model server on loopback.
//!
//! They are installed by `.ci/real-clis`, and found through `FORGE_REAL_CLIS_BIN`. Without them these tests say so, loudly,
//! and pass. Every test ends with [`Field::is_clean`]: nothing runs, nothing was written outside the workspace, no key is
//! on file, nobody was offered a tool that does anything.

mod acp;
mod challenge;
mod doctor;
mod faults;
mod holding;
mod hosted;
mod install;
mod judges;
mod killed;
mod listings;
mod opencode;
mod rounds;
mod stage;
mod tools;

use crate::place::{Done, Place};
use forge_testkit::model_server::{Asked, Errand, ModelServer, Wire};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The CLIs, and the wire that each of them speaks.
const CLIS: [(&str, Wire); 4] =
    [("claude", Wire::Anthropic), ("codex", Wire::Responses), ("gemini", Wire::Gemini), ("qwen", Wire::Chat)];
/// The keys, none of them real, by the variable that holds them, with the wires on which they may be sent.
const KEYS: [(&str, &str, &[Wire]); 3] = [
    ("ANTHROPIC_API_KEY", "sk-ant-api03-loopback-SECRET-anthropic-0000", &[Wire::Anthropic]),
    // Codex and Qwen Code share it, and the address with it.
    ("OPENAI_API_KEY", "sk-loopback-SECRET-openai-00000000000000000", &[Wire::Responses, Wire::Chat]),
    ("GEMINI_API_KEY", "AIzaSyLoopback-SECRET-gemini-0000000000", &[Wire::Gemini]),
];
/// What every key holds, and nothing else does.
const SECRET: &str = "SECRET-";
/// The tools that each wire's CLI offers whatever it is told. Codex: those of code mode, which is off, so that they fail at
/// every call, and with older models the patch, which its sandbox refuses.
const OFFERED: [(Wire, &[&str]); 4] = [
    (Wire::Anthropic, &[]),
    (Wire::Responses, &["exec", "wait", "apply_patch"]),
    (Wire::Gemini, &[]),
    (Wire::Chat, &[]),
];
/// Processes that are still there after this long are not going to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// Fields at once: each has up to four CLIs under way, of which most wait.
const FIELDS: usize = 2;
/// How many fields there are, and who waits for one.
static TAKEN: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

/// A place among the fields; given back when dropped.
struct Turn;

impl Turn {
    fn take() -> Self {
        let (taken, freed) = &TAKEN;
        let count = taken.lock().unwrap_or_else(PoisonError::into_inner);
        let mut count = freed.wait_while(count, |count| *count >= FIELDS).unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        Self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        *TAKEN.0.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        TAKEN.1.notify_one();
    }
}

/// A place with the real CLIs on its path, fake keys and a server behind every address.
struct Field {
    place: Place,
    server: ModelServer,
    outside: BTreeSet<String>,
    _turn: Turn,
}

/// The folder with the CLIs. Without it, says so where nothing is captured.
fn bin() -> Option<PathBuf> {
    let bin = std::env::var_os("FORGE_REAL_CLIS_BIN").map(PathBuf::from);
    let bin = bin.filter(|bin| CLIS.iter().all(|(name, _)| bin.join(name).exists()));
    if bin.is_none() {
        let test = std::thread::current().name().unwrap_or("").to_owned();
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: {test}: the real CLIs are not installed; run .ci/real-clis and set FORGE_REAL_CLIS_BIN"
        );
    }
    bin
}

impl Field {
    /// A field with this server, or nothing where the CLIs are not installed.
    fn with(server: impl FnOnce() -> ModelServer) -> Option<Self> {
        let bin = bin()?;
        let turn = Turn::take();
        let server = server();
        let place = Place::new();
        let temporary = place.around().join("tmp");
        fs::create_dir(&temporary).unwrap();
        let mut place = place
            .with("PATH", &format!("{}:/usr/bin:/bin", bin.display()))
            .with("TMPDIR", &temporary.display().to_string())
            .with("ANTHROPIC_BASE_URL", &server.root())
            .with("OPENAI_BASE_URL", &server.base_url())
            .with("GOOGLE_GEMINI_BASE_URL", &server.root());
        for (name, key, _) in KEYS {
            place.set(name, key);
        }
        let outside = outside(&place);
        Some(Self { place, server, outside, _turn: turn })
    }

    fn verdict(&self) -> Value {
        self.place.json(&self.place.only(|file| file.ends_with("trail/verdict.json")))
    }

    /// The requests for answers on one wire.
    fn asked(&self, wire: Wire) -> Vec<Asked> {
        let requests = self.server.requests().into_iter();
        requests.filter(|asked| asked.wire == wire && asked.errand == Errand::Answer).collect()
    }

    /// Waits until so many requests for answers came in.
    fn waits_for(&self, requests: usize) {
        self.patiently("the requests", || (self.server.count() >= requests).then_some(()));
    }

    fn patiently<T>(&self, what: &str, mut ready: impl FnMut() -> Option<T>) -> T {
        let began = Instant::now();
        loop {
            if let Some(value) = ready() {
                return value;
            }
            assert!(began.elapsed() < PATIENCE, "{what} did not come; running: {:#?}", processes_of(&self.place));
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// What must hold after every run.
    #[track_caller]
    fn is_clean(&self, runs: &[&Done]) {
        let running = processes_of(&self.place);
        assert!(running.is_empty(), "still running: {running:#?}");
        assert_eq!(outside(&self.place), self.outside, "something was written outside the workspace");
        for done in runs {
            assert!(!done.out.contains(SECRET) && !done.err.contains(SECRET), "a key was printed: {done}");
        }
        for (file, bytes) in self.place.tree() {
            assert!(!String::from_utf8_lossy(&bytes).contains(SECRET), "a key is on file in {file}");
        }
        for asked in self.server.requests() {
            self.is_harmless(&asked);
        }
    }

    /// No tool is offered but those that do nothing, and no key is sent to where it does not belong.
    #[track_caller]
    fn is_harmless(&self, asked: &Asked) {
        for tool in &asked.tools {
            let offered = OFFERED.iter().any(|(wire, tools)| *wire == asked.wire && tools.contains(&tool.as_str()));
            assert!(offered, "{:?} is offered {tool}: {:?}", asked.wire, asked.tools);
        }
        let sent = format!("{} {:?} {}", asked.path, asked.headers, asked.body);
        for (name, key, wires) in KEYS {
            assert!(wires.contains(&asked.wire) || !sent.contains(key), "{name} on {:?} {}", asked.wire, asked.path);
        }
    }
}

/// Every file and folder beside the workspace: the home, the temporary folder, and what holds them.
fn outside(place: &Place) -> BTreeSet<String> {
    fn collect(folder: &Path, work: &Path, found: &mut BTreeSet<String>) {
        // What is being removed while it is looked at is not there.
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path == work {
                continue;
            }
            found.insert(path.display().to_string());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                collect(&path, work, found);
            }
        }
    }
    let mut found = BTreeSet::new();
    collect(place.around(), &place.work(), &mut found);
    // Which debates were made here is forge's own to keep.
    let made = place.around().join("home/.local/state/forge/made");
    found.retain(|path| {
        !Path::new(path).starts_with(&made) && !made.starts_with(path) || Path::new(path).ends_with("home")
    });
    found
}

/// Processes that point into a place: by their arguments, environment, folder or program.
fn processes_of(place: &Place) -> Vec<String> {
    let root = place.around().display().to_string();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let process = entry.path();
        let is_process = entry.file_name().to_string_lossy().bytes().all(|b| b.is_ascii_digit());
        if !is_process || entry.file_name().to_string_lossy() == std::process::id().to_string() {
            continue;
        }
        let text = |file: &str| String::from_utf8_lossy(&fs::read(process.join(file)).unwrap_or_default()).into_owned();
        let link =
            |file: &str| fs::read_link(process.join(file)).map(|to| to.display().to_string()).unwrap_or_default();
        let arguments = text("cmdline").replace('\0', " ");
        if [&arguments, &text("environ"), &link("cwd"), &link("exe")].iter().any(|said| said.contains(&root)) {
            found.push(format!("{}: {arguments}", entry.file_name().to_string_lossy()));
        }
    }
    found
}
