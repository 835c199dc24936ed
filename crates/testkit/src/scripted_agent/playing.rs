//! The program itself.
//!
//! Never in a test's own process: it ends the process, and has it ignore signals.

use super::{Action, Case, Leave, Outputs, Print, Record, Script, Session, To};
use rustix::process::{Signal, getpid, kill_process};
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

/// The first argument of a process that only stays.
const LINGER: &str = "__linger";

/// The code with which a script ends that cannot be played.
const BROKEN: u8 = 98;

/// How deep files are listed, and how much of each is told.
const DEPTH: usize = 4;
const FILE_LIMIT: usize = 1 << 16;

/// Plays the script beside this program.
pub fn play() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == LINGER) {
        return linger(&arguments.split_off(1));
    }
    let played = Player::new(arguments).and_then(|mut player| player.play());
    match played {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "scripted-agent: {error}");
            ExitCode::from(BROKEN)
        }
    }
}

/// Stays, in a session of its own if it is told so. Says when it is there.
fn linger(arguments: &[String]) -> ExitCode {
    let [session, ms] = arguments else { return ExitCode::from(BROKEN) };
    if session == "own" {
        let _ = rustix::process::setsid();
    }
    std::thread::sleep(Duration::from_millis(ms.parse().unwrap_or(0)));
    ExitCode::SUCCESS
}

struct Player {
    program: PathBuf,
    arguments: Vec<String>,
    call: u64,
    stdin: Option<Vec<u8>>,
    left: Vec<i32>,
    /// Keeps the handler of an ignored signal in place.
    runtime: Option<tokio::runtime::Runtime>,
}

type Played<T> = Result<T, String>;

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Player {
    fn new(arguments: Vec<String>) -> Played<Self> {
        let program = std::env::current_exe().map_err(words)?;
        Ok(Self { program, arguments, call: 0, stdin: None, left: Vec::new(), runtime: None })
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.program.file_name().unwrap_or_default().to_owned();
        name.push(ending);
        self.program.with_file_name(name)
    }

    fn play(&mut self) -> Played<u8> {
        let file = self.beside(".json");
        let script = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let script: Script = serde_json::from_slice(&script).map_err(words)?;
        self.call = self.count();
        let actions = match script {
            Script::Always(actions) => actions,
            Script::ByCase { cases } => {
                let mut found = None;
                for case in cases {
                    if self.holds(&case)? {
                        found = Some(case.actions);
                        break;
                    }
                }
                found.ok_or_else(|| format!("no case holds for call {}", self.call))?
            }
        };
        for action in actions {
            if let Some(code) = self.act(action)? {
                return Ok(code);
            }
        }
        Ok(0)
    }

    /// Counts this call, by the length of a file that each call makes one byte longer.
    fn count(&self) -> u64 {
        let file = std::fs::OpenOptions::new().append(true).create(true).open(self.beside(".calls"));
        let counted = file.and_then(|mut file| {
            file.write_all(b".")?;
            file.metadata()
        });
        counted.map_or(0, |about| about.len())
    }

    fn holds(&mut self, case: &Case) -> Played<bool> {
        if case.call.is_some_and(|call| call != self.call)
            || case.argument.as_ref().is_some_and(|wanted| !self.arguments.contains(wanted))
        {
            return Ok(false);
        }
        let Some(wanted) = &case.stdin_has else { return Ok(true) };
        self.read_stdin()?;
        Ok(self.stdin_text().contains(wanted))
    }

    fn read_stdin(&mut self) -> Played<()> {
        if self.stdin.is_none() {
            let mut read = Vec::new();
            std::io::stdin().read_to_end(&mut read).map_err(words)?;
            self.stdin = Some(read);
        }
        Ok(())
    }

    fn stdin_text(&self) -> String {
        String::from_utf8_lossy(self.stdin.as_deref().unwrap_or_default()).into_owned()
    }

    /// Does one thing. A code says that this was the last.
    fn act(&mut self, action: Action) -> Played<Option<u8>> {
        match action {
            Action::ReadStdin => self.read_stdin()?,
            Action::Print(print) => self.print(&print)?,
            Action::AskForLogin => {
                say(To::Stdout, b"You are not logged in. Press Enter to open the browser: ")?;
                let _ = std::io::stdin().read_line(&mut String::new());
                hang();
            }
            Action::SleepMs(ms) => std::thread::sleep(Duration::from_millis(ms)),
            Action::Hang => hang(),
            Action::IgnoreTerm => self.ignore_term()?,
            Action::Leave(leave) => self.leave(&leave)?,
            Action::WriteFile { path, text } => {
                let said = match std::fs::write(&path, text) {
                    Ok(()) => format!("wrote {path}\n"),
                    Err(error) => format!("refused {path}: {error}\n"),
                };
                say(To::Stdout, said.as_bytes())?;
            }
            Action::Report => say(To::Stdout, self.record()?.as_bytes())?,
            Action::Record => {
                let file = self.beside(".record.jsonl");
                let record = self.record()?;
                let open = std::fs::OpenOptions::new().append(true).create(true).open(&file);
                open.and_then(|mut open| open.write_all(record.as_bytes()))
                    .map_err(|error| format!("{}: {error}", file.display()))?;
            }
            Action::Exit(code) => return Ok(Some(code)),
            Action::Die(signal) => {
                let signal = Signal::from_named_raw(signal).ok_or("that is no signal")?;
                kill_process(getpid(), signal).map_err(words)?;
                hang();
            }
        }
        Ok(None)
    }

    fn print(&self, print: &Print) -> Played<()> {
        let bytes = match print {
            Print { text: Some(text), .. } => text.clone().into_bytes(),
            Print { bytes: Some(bytes), .. } => bytes.clone(),
            Print { file: Some(file), .. } => std::fs::read(self.program.with_file_name(file)).map_err(words)?,
            _ => return Err("there is nothing to print".to_owned()),
        };
        for _ in 0..print.times {
            say(print.to, &bytes)?;
            std::thread::sleep(Duration::from_millis(print.pause_ms));
        }
        Ok(())
    }

    /// A listener that nobody asks takes the signal's place, so that it does nothing.
    fn ignore_term(&mut self) -> Played<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(words)?;
        let listener = {
            let _inside = runtime.enter();
            tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).map_err(words)?
        };
        drop(listener);
        self.runtime = Some(runtime);
        Ok(())
    }

    fn leave(&mut self, leave: &Leave) -> Played<()> {
        let output = || match leave.outputs {
            Outputs::Held => Stdio::inherit(),
            Outputs::Closed => Stdio::null(),
        };
        let session = if leave.session == Session::Own { "own" } else { "same" };
        let child = Command::new(&self.program)
            .args([LINGER, session, &leave.ms.to_string()])
            .stdin(Stdio::null())
            .stdout(output())
            .stderr(output())
            .spawn()
            .map_err(words)?;
        let number = i32::try_from(child.id()).map_err(words)?;
        self.left.push(number);
        // It is in its own session only a moment later, and whoever looks next is to find it there.
        for _ in 0..1000 {
            if leave.session == Session::Same || leads(number) {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    fn record(&self) -> Played<String> {
        let own = getpid().as_raw_nonzero().get();
        let folder = std::env::current_dir().map_err(words)?;
        let text = |value: std::ffi::OsString| value.to_string_lossy().into_owned();
        let mut files = BTreeMap::new();
        list(&folder, &folder, DEPTH, &mut files);
        let record = Record {
            call: self.call,
            pid: own,
            left: self.left.clone(),
            arguments: self.arguments.clone(),
            environment: std::env::vars_os().map(|(name, value)| (text(name), text(value))).collect(),
            folder: folder.display().to_string(),
            files,
            stdin: self.stdin_text(),
            descriptors: descriptors(),
            leads: leads(own),
        };
        Ok(serde_json::to_string(&record).map_err(words)? + "\n")
    }
}

/// Whether a process leads its session and its group. Asked of the process table, since the leader may be outside this
/// process namespace: its number is 0 then, and for that `getsid` has no word.
fn leads(pid: i32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    // The name stands in brackets and may hold some itself. Behind it: state, parent, group, session.
    let Some((_, behind)) = stat.rsplit_once(") ") else { return false };
    let mut leaders = behind.split(' ').skip(2).map(|number| number.parse() == Ok(pid));
    leaders.next() == Some(true) && leaders.next() == Some(true)
}

/// The open descriptors, without the one that is needed to list them.
fn descriptors() -> Vec<i32> {
    let Ok(listed) = std::fs::read_dir("/proc/self/fd") else { return Vec::new() };
    let numbers: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    // The listing is over, and so its own descriptor is closed.
    let open = numbers.into_iter().filter(|path| path.symlink_metadata().is_ok());
    let mut open: Vec<i32> = open.filter_map(|path| path.file_name()?.to_str()?.parse().ok()).collect();
    open.sort_unstable();
    open
}

fn list(root: &Path, folder: &Path, depth: usize, into: &mut BTreeMap<String, String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() && depth > 0 {
            list(root, &path, depth - 1, into);
        }
        let Ok(mut bytes) = std::fs::read(&path) else { continue };
        bytes.truncate(FILE_LIMIT);
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        into.insert(name, String::from_utf8_lossy(&bytes).into_owned());
    }
}

fn say(to: To, bytes: &[u8]) -> Played<()> {
    match to {
        To::Stdout => {
            let mut stdout = std::io::stdout().lock();
            stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(words)
        }
        To::Stderr => std::io::stderr().write_all(bytes).map_err(words),
    }
}

/// Does nothing, until a signal.
fn hang() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}
