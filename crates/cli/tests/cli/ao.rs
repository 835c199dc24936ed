//! Under AO: a stand-in for each of its three generations on the search path, real git worktrees, and the printed lines
//! run by a real shell.

mod debates;
mod metadata;
mod paths;
mod processes;
mod story;
mod worktrees;

use crate::place::{Done, Place};
use forge_testkit::stub_ao::StubAo;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

const GENERATIONS: [char; 3] = ['A', 'B', 'C'];
const NOW: &str = "2026-01-27T10:00:00Z";
const LATER: &str = "2026-01-27T11:30:00Z";
/// The session in which forge runs.
const SESSION: &str = "shop-1";
const ISSUE: &str = "SHOP-7";
const DEBATE: &str = "brainstorm-20260127-100000";
const HOME: &str = "docs/forge/debate/brainstorm-20260127-100000";
const FIRST_WAVE: &str = "advocate skeptic operator";
const OPTIONS: &str = "# Options\n\n## Options\n\n- Redis: a server\n- Cookies: no server\n- Postgres: a table\n";
const ADVOCATE: &str = include_str!("../../../testkit/fixtures/stub-ao/texts/advocate.md");
const SKEPTIC: &str = include_str!("../../../testkit/fixtures/stub-ao/texts/skeptic.md");
const OPERATOR: &str = include_str!("../../../testkit/fixtures/stub-ao/texts/operator.md");

/// A repository, an AO, and the session of it in which forge runs.
struct Stage {
    place: Place,
    stub: StubAo,
    generation: char,
    variables: Vec<(String, OsString)>,
}

impl Stage {
    fn new(generation: char) -> Self {
        Self::called("work", generation)
    }

    /// A repository in a folder of this name.
    fn called(folder: &str, generation: char) -> Self {
        let mut place = Place::called(folder).with("FORGE_NOW", NOW);
        git(&place.work(), &["init", "-q", "-b", "main"]);
        git(&place.work(), &["commit", "-q", "--allow-empty", "-m", "before the debate"]);
        let stub = StubAo::install(&place.around().join("ao"), generation).unwrap();
        let mut variables = stub.variables();
        variables.extend(stub.own_session(SESSION, &place.work()).unwrap());
        variables.push(("AO_ISSUE_ID", ISSUE.into()));
        for (name, value) in &variables {
            place.set(name, value.to_str().unwrap());
        }
        place.set("PATH", stub.search_path(Some("/usr/bin:/bin".into())).to_str().unwrap());
        let variables = variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { place, stub, generation, variables }
    }

    /// The same, without AO's variables.
    fn without_ao(mut self) -> Self {
        self.set_ao(false);
        self
    }

    /// Takes AO's variables away, or brings them back.
    fn set_ao(&mut self, there: bool) {
        for (name, value) in self.variables.iter().filter(|(name, _)| name.starts_with("AO_")) {
            self.place.set(name, if there { value.to_str().unwrap() } else { "" });
        }
    }

    fn forge(&self, args: &[&str]) -> Done {
        self.place.forge(args)
    }

    /// Begins a workflow, and goes on up to the debate of its second phase.
    fn open(&self) -> Done {
        self.forge(&["start", "Sessions for the shop"]).code(0);
        self.forge(&["continue"]).code(0);
        self.place.write("docs/forge/brainstorm-options.md", OPTIONS);
        self.forge(&["continue"]).code(3)
    }

    /// Runs lines as whoever reads them would.
    fn spawn(&self, lines: &[String], writes: &str) {
        for line in lines {
            let done = Command::new("sh")
                .args(["-c", line])
                .current_dir(self.place.work())
                .envs(self.variables.iter().map(|(name, value)| (name, value)))
                .env("PATH", self.stub.search_path(std::env::var_os("PATH")))
                .env("STUB_AO_WRITES", writes)
                .output()
                .unwrap();
            assert!(done.status.success(), "{line}\n{}", String::from_utf8_lossy(&done.stderr));
        }
    }

    /// A worktree of the repository with these role files in it.
    fn worktree(&self, name: &str, files: &[(&str, &str)]) -> PathBuf {
        let path = self.place.around().join(name);
        git(&self.place.work(), &["worktree", "add", "-q", "-b", name, path.to_str().unwrap()]);
        leave(&path, files);
        path.canonicalize().unwrap()
    }

    /// The metadata of a session that works there.
    fn session(&self, name: &str, worktree: &Path) {
        self.stub.own_session(name, worktree).unwrap();
    }

    /// Where the keys are kept: AO's own file, or forge's where AO has no place for them.
    fn metadata_file(&self) -> PathBuf {
        match self.generation {
            'A' => self.stub.data_dir().join(SESSION),
            'B' => self.stub.data_dir().join(format!("{SESSION}.json")),
            _ => self.place.path(".claude/forge/ao-metadata.json"),
        }
    }

    /// All pairs of the metadata, in their order.
    fn metadata(&self) -> Vec<(String, String)> {
        let text = std::fs::read_to_string(self.metadata_file()).unwrap();
        if self.generation == 'A' {
            return text
                .lines()
                .map(|line| line.split_once('=').unwrap())
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect();
        }
        let Value::Object(object) = serde_json::from_str(&text).unwrap() else { panic!("not an object: {text}") };
        object.into_iter().map(|(key, value)| (key, value.as_str().map_or(value.to_string(), str::to_owned))).collect()
    }

    /// What the metadata says under a key.
    fn told(&self, key: &str) -> Option<String> {
        self.metadata().into_iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Who has to speak, as `forge status` says it to machines.
    fn waits_for(&self) -> String {
        let json = self.forge(&["status", "--json"]).code(0).json();
        let seats = json["debate"]["waiting"].as_array().into_iter().flatten();
        seats.map(|one| one["seat"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    fn has_turn(&self, file: &str) -> bool {
        self.place.has(&format!("{HOME}/{file}"))
    }

    /// How often `ao spawn --help` was asked.
    fn asked(&self) -> usize {
        self.stub.log().lines().filter(|line| *line == "[spawn][--help]").count()
    }
}

/// The spawn lines of an output.
fn lines(done: &Done) -> Vec<String> {
    done.out.lines().filter(|line| line.starts_with("ao ")).map(str::to_owned).collect()
}

/// The roles of its spawn lines.
fn roles(done: &Done) -> String {
    let role = |line: &String| line.split_once("debate-role: ")?.1.split(' ').next().map(str::to_owned);
    lines(done).iter().map(|line| role(line).unwrap()).collect::<Vec<_>>().join(" ")
}

/// Leaves role files where a session would.
fn leave(worktree: &Path, files: &[(&str, &str)]) {
    let folder = worktree.join(HOME);
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

fn git(folder: &Path, args: &[&str]) {
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"];
    let done = Command::new("git")
        .current_dir(folder)
        .args(identity)
        .args(args)
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")])
        .env_remove("GIT_DIR")
        .output()
        .unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
}
