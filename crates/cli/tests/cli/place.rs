//! A folder, the binary in it, and what every run must keep to: a documented exit code, no panic, no escape sequences
//! off a terminal, one JSON document where one was asked for.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;

/// The exit codes of SPEC 3.5, and 130 for a run that was stopped.
const EXIT_CODES: [i32; 9] = [0, 1, 2, 3, 4, 5, 6, 7, 130];
/// Nothing here takes this long; a run that does hangs, and is ended.
const PATIENCE: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(5);

/// The binary under test.
pub(crate) const FORGE: &str = env!("CARGO_BIN_EXE_forge");

/// A folder to work in, with a home that is somewhere else.
pub(crate) struct Place {
    root: TempDir,
    folder: String,
    variables: Vec<(String, String)>,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) args: String,
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A run that goes on.
pub(crate) struct Running {
    child: Child,
    out: JoinHandle<Vec<u8>>,
    err: JoinHandle<Vec<u8>>,
    args: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self::called("work")
    }

    /// A place whose workspace has this name.
    pub(crate) fn called(folder: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join(folder)).unwrap();
        fs::create_dir(root.path().join("home")).unwrap();
        // A model server that happens to run on this machine is none of a test's business: nothing listens at this port.
        let variables = [
            ("FORGE_DURABILITY", "none"),
            ("OLLAMA_HOST", "127.0.0.1:9"),
            ("LLAMACPP_BASE_URL", "http://127.0.0.1:9/v1"),
            ("LMSTUDIO_BASE_URL", "http://127.0.0.1:9/v1"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        Self { root, folder: folder.to_owned(), variables }
    }

    /// The same place with one more variable in its environment.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.set(name, value);
        self
    }

    /// Sets one variable for the runs from here on.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// The workspace.
    pub(crate) fn work(&self) -> PathBuf {
        self.root.path().join(&self.folder)
    }

    /// The folder that holds the workspace: nothing of it may be touched.
    pub(crate) fn around(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.work().join(file)
    }

    pub(crate) fn has(&self, file: &str) -> bool {
        self.path(file).exists()
    }

    pub(crate) fn write(&self, file: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file))
            .unwrap_or_else(|error| panic!("{file}: {error}; there is {:#?}", self.files()))
    }

    pub(crate) fn json(&self, file: &str) -> Value {
        serde_json::from_str(&self.read(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// Changes a file's text.
    pub(crate) fn edit(&self, file: &str, change: impl Fn(&str) -> String) {
        self.write(file, change(&self.read(file)));
    }

    /// Every file of the workspace with its bytes.
    pub(crate) fn tree(&self) -> BTreeMap<String, Vec<u8>> {
        tree_of(&self.work())
    }

    pub(crate) fn files(&self) -> Vec<String> {
        self.tree().into_keys().collect()
    }

    /// The files below a folder, without the folder's name.
    pub(crate) fn files_in(&self, folder: &str) -> Vec<String> {
        let prefix = format!("{folder}/");
        self.files().iter().filter_map(|file| file.strip_prefix(&prefix)).map(str::to_owned).collect()
    }

    /// The only file whose name matches.
    pub(crate) fn only(&self, is_it: impl Fn(&str) -> bool) -> String {
        let mut found: Vec<String> = self.files().into_iter().filter(|file| is_it(file)).collect();
        assert_eq!(found.len(), 1, "{found:?} of {:#?}", self.files());
        found.remove(0)
    }

    /// The binary with these arguments, in this folder and this environment alone.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(FORGE);
        command
            .args(args)
            .current_dir(self.work())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.root.path().join("home"))
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn start(&self, args: &[&str]) -> Running {
        Running::begin(self.command(args), args)
    }

    /// Runs the binary to its end.
    pub(crate) fn forge(&self, args: &[&str]) -> Done {
        self.start(args).end()
    }

    /// The same in another folder.
    pub(crate) fn forge_in(&self, folder: &Path, args: &[&str]) -> Done {
        let mut command = self.command(args);
        command.current_dir(folder);
        Running::begin(command, args).end()
    }

    /// Runs the binary at a terminal on which these lines are typed; what it shows there is its output.
    pub(crate) fn forge_typed(&self, args: &[&str], lines: &str) -> Done {
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let slave = || fs::OpenOptions::new().read(true).write(true).open(&name).unwrap();
        let mut command = self.command(args);
        command.env("NO_COLOR", "1").stdin(slave()).stdout(slave());
        let held = slave();
        let mut child = command.spawn().unwrap();
        // The terminal keeps what is typed until it is read.
        let mut master = fs::File::from(master);
        std::io::Write::write_all(&mut master, lines.as_bytes()).unwrap();
        let err = drain(child.stderr.take().unwrap());
        let status = child.wait().unwrap();
        // The end of what was shown is known by a mark, since a terminal has no end.
        let mark = "\u{1}end of output\u{1}";
        std::io::Write::write_all(&mut &held, mark.as_bytes()).unwrap();
        let mut shown = Vec::new();
        let mut piece = [0; 4096];
        while !String::from_utf8_lossy(&shown).contains("end of output") {
            let count = master.read(&mut piece).unwrap();
            shown.extend_from_slice(&piece[..count]);
        }
        let out = String::from_utf8(shown).unwrap().replace('\r', "");
        let out = out.split('\u{1}').next().unwrap_or_default().to_owned();
        let args = args.join(" ");
        Done { args, code: status.code().unwrap_or(-1), out, err: String::from_utf8(err.join().unwrap()).unwrap() }
    }

    /// Runs the binary with a text on its standard input.
    pub(crate) fn forge_fed(&self, args: &[&str], text: &[u8]) -> Done {
        let file = self.root.path().join("stdin");
        fs::write(&file, text).unwrap();
        let mut command = self.command(args);
        command.stdin(fs::File::open(file).unwrap());
        Running::begin(command, args).end()
    }
}

impl Running {
    pub(crate) fn begin(mut command: Command, args: &[&str]) -> Self {
        let mut child = command.spawn().unwrap();
        let (out, err) = (drain(child.stdout.take().unwrap()), drain(child.stderr.take().unwrap()));
        let args = args.iter().map(|arg| arg.chars().take(80).collect::<String>()).collect::<Vec<_>>().join(" ");
        Self { child, out, err, args }
    }

    pub(crate) fn is_over(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("/bin/kill").args(["-s", name, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success(), "{name}");
    }

    /// Ends the process the hard way, wherever it is, and says whether it was still running.
    pub(crate) fn kill(mut self) -> bool {
        let was_running = !self.is_over();
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let _ = (self.out.join(), self.err.join());
        was_running
    }

    /// Waits for the end, and holds it to what every run promises.
    pub(crate) fn end(mut self) -> Done {
        let mut waited = Duration::ZERO;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if waited > PATIENCE {
                let _ = self.child.kill();
                panic!("hangs: forge {}", self.args);
            }
            std::thread::sleep(POLL);
            waited += POLL;
        };
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        let done = Done {
            code: status.code().unwrap_or(-1),
            out: text(self.out.join().unwrap()),
            err: text(self.err.join().unwrap()),
            args: self.args,
        };
        done.keeps_its_promises();
        done
    }
}

impl Done {
    fn keeps_its_promises(&self) {
        assert!(EXIT_CODES.contains(&self.code), "{self}");
        assert!(!self.err.contains("panicked") && !self.err.contains("RUST_BACKTRACE"), "{self}");
        let wants_json = self.args.split(' ').any(|arg| arg == "--json");
        let is_json = wants_json || self.args.ends_with("--format json");
        for (text, is_json) in [(&self.out, is_json), (&self.err, false)] {
            // In a JSON text the values are faithful; what JSON itself does not escape is the reader's.
            let odd = text.chars().find(|c| {
                (c.is_control() && !matches!(c, '\n' | '\t') && !(is_json && *c > '~')) || (!is_json && is_bidi(*c))
            });
            assert_eq!(odd, None, "a character that a terminal would obey: {self}");
        }
        if wants_json && !matches!(self.code, 1 | 2 | 6 | 130) {
            let _ = self.json();
        }
        if matches!(self.code, 1 | 2 | 6) {
            assert!(!self.err.trim().is_empty(), "an error without a word: {self}");
        }
    }

    /// The exit code that is expected.
    #[track_caller]
    pub(crate) fn code(self, expected: i32) -> Self {
        assert_eq!(self.code, expected, "{self}");
        self
    }

    /// A word that standard output must have.
    #[track_caller]
    pub(crate) fn out(self, word: &str) -> Self {
        assert!(self.out.contains(word), "no {word:?} on stdout of {self}");
        self
    }

    /// A word that standard error must have.
    #[track_caller]
    pub(crate) fn err(self, word: &str) -> Self {
        assert!(self.err.contains(word), "no {word:?} on stderr of {self}");
        self
    }

    /// The one JSON document on standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("not one JSON document ({error}): {self}"))
    }
}

impl std::fmt::Display for Done {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cut = |text: &str| text.chars().take(4_000).collect::<String>();
        write!(
            f,
            "`forge {}` ended {}\n--- stdout\n{}\n--- stderr\n{}\n---",
            self.args,
            self.code,
            cut(&self.out),
            cut(&self.err)
        )
    }
}

fn is_bidi(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn drain(mut from: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        bytes
    })
}

/// Every file below a folder with its bytes.
pub(crate) fn tree_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    collect(folder, folder, &mut found);
    found
}

fn collect(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let kind = fs::symlink_metadata(&path).unwrap().file_type();
        let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        if kind.is_dir() {
            collect(root, &path, found);
        } else if kind.is_file() {
            found.insert(name, fs::read(&path).unwrap());
        } else {
            found.insert(name, b"(no regular file)".to_vec());
        }
    }
}

/// The value of a key in a file's front matter, as it is written there, without quotes.
pub(crate) fn front(text: &str, key: &str) -> Option<String> {
    let block = text.strip_prefix("---\n")?.split_once("\n---\n")?.0;
    let line = block.lines().find_map(|line| line.strip_prefix(&format!("{key}: ")))?;
    Some(line.trim_matches('"').to_owned())
}

/// Whether a file is a turn that forge put on record.
pub(crate) fn is_turn(text: &str) -> bool {
    text.starts_with("---\nforge_turn: ")
}
