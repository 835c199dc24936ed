//! Turns that sessions left in worktrees of their own: real git worktrees, real shell lines, a stand-in for AO.

use crate::scenario::Scenario;
use crate::stage::{Notes, Stage, on_a_free_clock};
use forge_artifacts::ao::Session;
use forge_artifacts::git;
use forge_engine::collect::Collected;
use forge_engine::{EngineError, Freshness, Run, RunEnd, RunSettings, Workspace};
use forge_testkit::stub_ao::StubAo;
use forge_workflow::ao::{Generation, SpawnOrder, spawn_line};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

const ID: &str = "design-20260115-143022";
const SCENARIO: &str = "
question: How do we split the monolith?
protocol: gate
options: [Leave it whole, Modules in one process, Services]
hand: outside
phase: design
seed: 5
";

/// A repository with a debate whose seats are all outside.
struct Repository {
    stage: Stage,
    beside: tempfile::TempDir,
    workspace: Workspace,
}

impl Repository {
    fn new() -> Self {
        let (stage, beside) = (Stage::new(), tempfile::tempdir().unwrap());
        let scenario = Scenario::improvise(beside.path(), SCENARIO, "turns: []\n");
        let workspace = stage.healthy(&scenario);
        workspace.open_or_create(&scenario.request(), Freshness::GoOn).unwrap();
        git(stage.root(), &["init", "-q"]);
        git(stage.root(), &["commit", "-q", "--allow-empty", "-m", "before the debate"]);
        Self { stage, beside, workspace }
    }

    fn worktree(&self, name: &str) -> PathBuf {
        let path = self.beside.path().canonicalize().unwrap().join(name);
        git(self.stage.root(), &["worktree", "add", "-q", "-b", name, path.to_str().unwrap()]);
        path
    }

    fn leave(&self, worktree: &Path, file: &str, text: &str) -> PathBuf {
        let path = worktree.join(turn(file));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn collect(&self) -> Collected {
        self.workspace.collect(ID, &git::worktrees(self.stage.root())).unwrap()
    }

    fn run(&self) -> RunEnd {
        self.run_with(RunSettings::default())
    }

    fn run_with(&self, settings: RunSettings) -> RunEnd {
        let notes = Notes::default();
        let files = self.workspace.open(ID).unwrap();
        on_a_free_clock(Run::new(&self.workspace, settings, &notes).opened(files)).unwrap()
    }

    fn here(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.stage.root().join(turn(file))).ok()
    }
}

fn turn(file: &str) -> String {
    format!("docs/forge/debate/{ID}/{file}")
}

fn git(folder: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
    let done = Command::new("git").current_dir(folder).args(identity).args(arguments).output().unwrap();
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Lets a file look as if nobody had changed it for a while.
fn rest(file: &Path) {
    let old = SystemTime::now() - Duration::from_secs(90);
    std::fs::File::options().write(true).open(file).unwrap().set_modified(old).unwrap();
}

fn hands(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/gate-outside-files/hands");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn seats<T>(all: &[T], seat: impl Fn(&T) -> String) -> Vec<String> {
    all.iter().map(seat).collect()
}

fn taken(collected: &Collected) -> Vec<String> {
    seats(&collected.taken, |one| one.key.seat.to_string())
}

#[test]
fn turns_are_collected_wave_by_wave() {
    let repository = Repository::new();
    let roles = ["advocate", "skeptic", "operator"];
    for role in roles {
        let worktree = repository.worktree(role);
        repository.leave(&worktree, &format!("{role}.md"), &hands(&format!("{role}.md")));
    }
    // Early: nobody is asked for it yet.
    let last = repository.worktree("last");
    repository.leave(&last, "synthesis.md", &hands("synthesis.md"));
    let first = repository.collect();
    assert_eq!(taken(&first), roles);
    assert_eq!(first.taken[0].to, turn("advocate.md"));
    assert!(first.taken[0].from.ends_with(format!("advocate/{}", turn("advocate.md"))));
    assert_eq!(repository.here("advocate.md").unwrap(), hands("advocate.md"), "as it was written");
    assert!((first.not_yet.is_empty(), first.conflicts.is_empty(), first.refused.is_empty()) == (true, true, true));
    // All three are complete, so they were taken in, and the synthesizer is asked.
    assert_eq!(taken(&repository.collect()), ["synthesizer"]);
    assert!(repository.here("verdict.md").is_some(), "and that was all");
    assert!(matches!(repository.run(), RunEnd::Concluded(_)));
    assert_eq!(repository.collect(), Collected::default(), "a debate that is over asks nobody");
}

#[test]
fn a_half_written_file_is_not_yet() {
    let repository = Repository::new();
    let worktree = repository.worktree("one");
    let file = repository.leave(&worktree, "advocate.md", &hands("advocate-half.md"));
    repository.leave(&worktree, "skeptic.md", "");
    let collected = repository.collect();
    assert!(collected.taken.is_empty());
    assert_eq!(seats(&collected.not_yet, |one| one.key.seat.to_string()), ["advocate", "skeptic"]);
    assert_eq!(collected.not_yet[0].file, file);
    assert!(!collected.not_yet[0].problems.is_empty());
    assert_eq!(repository.here("advocate.md"), None);

    repository.leave(&worktree, "advocate.md", &hands("advocate.md"));
    assert_eq!(taken(&repository.collect()), ["advocate"]);
}

#[test]
fn a_file_that_falls_short_is_given_time() {
    let repository = Repository::new();
    let worktree = repository.worktree("one");
    let long = hands("advocate.md").replace("## Key Strengths", "One. Two. Three. Four.\n\n## Key Strengths");
    let file = repository.leave(&worktree, "advocate.md", &long);
    let collected = repository.collect();
    assert!(collected.taken.is_empty());
    assert!(collected.not_yet[0].problems.iter().any(|line| line.contains("Core Argument")), "{collected:?}");
    rest(&file);
    let collected = repository.collect();
    assert_eq!(taken(&collected), ["advocate"], "nobody finishes it any more");
    assert!(!collected.taken[0].shortcomings.is_empty());
}

#[test]
fn two_different_texts_are_a_conflict_and_two_equal_ones_are_not() {
    let repository = Repository::new();
    let (one, two) = (repository.worktree("one"), repository.worktree("two"));
    let other = hands("advocate.md").replace("most of what", "all of what");
    let files =
        [repository.leave(&one, "advocate.md", &hands("advocate.md")), repository.leave(&two, "advocate.md", &other)];
    for worktree in [&one, &two] {
        repository.leave(worktree, "operator.md", &hands("operator.md"));
    }
    let collected = repository.collect();
    assert_eq!(taken(&collected), ["operator"]);
    assert_eq!(collected.conflicts.len(), 1);
    assert_eq!(collected.conflicts[0].key.seat.as_str(), "advocate");
    assert_eq!(collected.conflicts[0].files, files);
    assert_eq!(repository.here("advocate.md"), None);

    std::fs::remove_file(&files[1]).unwrap();
    assert_eq!(taken(&repository.collect()), ["advocate"], "settled by whoever removes one");
}

#[test]
fn words_in_the_workspace_stand() {
    let repository = Repository::new();
    let worktree = repository.worktree("one");
    repository.leave(repository.stage.root(), "advocate.md", &hands("advocate.md"));
    repository.leave(repository.stage.root(), "operator.md", "half of it\n");
    repository.leave(&worktree, "advocate.md", &hands("advocate.md").replace("most of what", "all of what"));
    repository.leave(&worktree, "operator.md", &hands("operator.md"));
    let collected = repository.collect();
    assert_eq!(taken(&collected), ["operator"], "a half-written file makes room, and is kept");
    assert_eq!(repository.here("trail/aside/case-r1-operator.1.md").unwrap(), "half of it\n");
    assert_eq!(repository.here("advocate.md").unwrap(), hands("advocate.md"));
    assert!(collected.refused[0].why.contains("those stand"), "{collected:?}");
}

#[test]
fn a_link_out_of_a_worktree_is_not_followed() {
    let repository = Repository::new();
    let (one, two) = (repository.worktree("one"), repository.worktree("two"));
    let secret = repository.beside.path().join("secret.md");
    std::fs::write(&secret, hands("advocate.md")).unwrap();
    let at = one.join(turn("advocate.md"));
    std::fs::create_dir_all(at.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&secret, &at).unwrap();
    std::fs::create_dir(one.join(turn("operator.md"))).unwrap();
    // AO's `symlinks: [docs/forge]` shares our own folder: nothing to collect and nothing to say.
    std::fs::create_dir_all(two.join("docs")).unwrap();
    std::os::unix::fs::symlink(repository.stage.root().join("docs/forge"), two.join("docs/forge")).unwrap();
    let collected = repository.collect();
    assert!(collected.taken.is_empty());
    let refused: Vec<&Path> = collected.refused.iter().map(|one| one.path.as_path()).collect();
    assert_eq!(refused, [at.as_path(), one.join(turn("operator.md")).as_path()]);
}

#[test]
fn a_file_that_claims_to_be_forge_s_own_is_not_taken() {
    let repository = Repository::new();
    let worktree = repository.worktree("one");
    for role in ["advocate", "skeptic", "operator"] {
        repository.leave(repository.stage.root(), &format!("{role}.md"), &hands(&format!("{role}.md")));
    }
    repository.run();
    let ours = repository.here("trail/turns/case-r1-advocate.md").unwrap();
    repository.leave(&worktree, "synthesis.md", &ours);
    let collected = repository.collect();
    assert!(collected.taken.is_empty());
    assert!(collected.refused[0].why.contains("header"), "{collected:?}");
}

/// A session mends what blocks: what is newer is taken, and what it replaces is kept.
#[test]
fn what_was_put_aside_does_not_come_back() {
    let repository = Repository::new();
    let worktree = repository.worktree("one");
    for role in ["advocate", "skeptic", "operator"] {
        repository.leave(&worktree, &format!("{role}.md"), &hands(&format!("{role}.md")));
    }
    repository.collect();
    let here = repository.stage.root().join(turn("synthesis.md"));
    let first = hands("synthesis-unclear.md");
    rest(&repository.leave(&worktree, "synthesis.md", &first));
    assert_eq!(taken(&repository.collect()), ["synthesizer"]);
    assert!(matches!(repository.run(), RunEnd::Held(_)), "it decides nothing");

    rest(&here);
    let second = first.replace("in March", "in May");
    rest(&repository.leave(&worktree, "synthesis.md", &second));
    assert_eq!(taken(&repository.collect()), ["synthesizer"]);
    assert_eq!(repository.here("synthesis.md"), Some(second));
    assert_eq!(repository.here("trail/aside/synthesis-r1-synthesizer.1.md"), Some(first.clone()));

    rest(&here);
    rest(&repository.leave(&worktree, "synthesis.md", &first));
    let collected = repository.collect();
    assert!(collected.taken.is_empty(), "{collected:?}");
    assert!(collected.refused[0].why.contains("put aside"), "{collected:?}");
    rest(&repository.leave(&worktree, "synthesis.md", &hands("synthesis.md")));
    std::fs::write(&here, repository.here("synthesis.md").unwrap()).unwrap();
    let collected = repository.collect();
    assert!(collected.refused[0].why.contains("those stand"), "{collected:?}");
    rest(&here);
    repository.leave(&worktree, "synthesis.md", &hands("synthesis.md"));
    assert_eq!(taken(&repository.collect()), ["synthesizer"]);
    assert!(matches!(repository.run(), RunEnd::Concluded(_)));
}

#[test]
fn folders_that_cannot_be_searched_are_named() {
    let repository = Repository::new();
    let gone = repository.beside.path().join("gone");
    let root = repository.stage.root().to_owned();
    let collected = repository.workspace.collect(ID, &[gone.clone(), root.clone(), root.join(".")]).unwrap();
    assert_eq!(seats(&collected.refused, |one| one.path.display().to_string()), [gone.display().to_string()]);
    assert!(matches!(repository.workspace.collect("nobody", &[]), Err(EngineError::Find(_))));
}

/// Runs a line of forge's as a user would.
fn shell(repository: &Repository, stub: &StubAo, line: &str, more: &[(&str, &str)]) -> Output {
    let path = stub.search_path(std::env::var_os("PATH"));
    let mut command = Command::new("sh");
    command.current_dir(repository.stage.root()).args(["-c", line]).env("PATH", path);
    command.envs(stub.variables()).envs(more.iter().copied()).output().unwrap()
}

fn line(repository: &Repository, generation: Generation, role: &str, file: &str) -> String {
    let root = repository.stage.root();
    let at = |file: &str| root.join(turn(file)).to_str().unwrap().to_owned();
    let order = SpawnOrder {
        debate_id: ID,
        role,
        workspace: root.to_str().unwrap(),
        plan_file: &at("debate-plan.md"),
        brief_file: None,
        turn_file: &at(file),
        project: Some("it's $HOME"),
    };
    spawn_line(generation, &order).unwrap()
}

#[test]
fn a_whole_debate_under_each_generation() {
    for (letter, generation) in [('A', Generation::A), ('B', Generation::B), ('C', Generation::C)] {
        let repository = Repository::new();
        let stub = StubAo::install(&repository.beside.path().join("ao"), letter).unwrap();
        let variables = stub.own_session("app-1", repository.stage.root()).unwrap();
        let value = |name: &str| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value): &(_, OsString)| value.to_str().unwrap())
        };
        let session = Session::from_variables(value("AO_DATA_DIR"), value("AO_SESSION"), value("AO_SESSION_ID"));
        let session = session.unwrap().unwrap();
        assert_eq!(session.generation(), generation);
        let waves = [vec!["advocate", "skeptic", "operator"], vec!["synthesizer"]];
        for wave in &waves {
            for role in wave {
                let file = if *role == "synthesizer" { "synthesis.md".to_owned() } else { format!("{role}.md") };
                let done = shell(&repository, &stub, &line(&repository, generation, role, &file), &[]);
                assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
                let said = String::from_utf8(done.stdout).unwrap();
                assert_eq!(
                    said.trim_end().rsplit('\n').next().unwrap().starts_with("SESSION="),
                    letter == 'B',
                    "{said}"
                );
            }
            let worktrees = session.worktrees(repository.stage.root());
            assert!(worktrees.refused.is_empty(), "{worktrees:?}");
            let collected = repository.workspace.collect(ID, &worktrees.accepted).unwrap();
            assert_eq!(taken(&collected), *wave, "{collected:?}");
            assert!(collected.taken.iter().all(|one| one.shortcomings.is_empty()), "{collected:?}");
            repository.run();
        }
        let RunEnd::Concluded(account) = repository.run() else { panic!("no verdict") };
        assert_eq!(account.verdict.outcome().word(), "decided", "{:?}", account.verdict.ruling.findings);
        assert_eq!(stub.log().lines().count(), 4);
    }
}

#[test]
fn the_stand_in_keeps_to_each_generation_s_rules() {
    let repository = Repository::new();
    for (letter, wrong) in [
        ('A', "ao spawn"),
        ('A', "ao spawn shop --prompt x"),
        ('B', "ao spawn shop 'debate-role: x'"),
        ('C', "ao spawn shop --name x --project p --prompt y"),
        ('C', "ao spawn --project p --prompt y"),
        ('C', "ao spawn --name aaaaaaaaaaaaaaaaaaaaa --project p --prompt y"),
        ('C', "ao spawn --name x --prompt y"),
    ] {
        let stub = StubAo::install(&repository.beside.path().join(letter.to_string()), letter).unwrap();
        let done = shell(&repository, &stub, wrong, &[]);
        assert!(!done.status.success(), "{letter}: {wrong}");
        assert!(!done.stderr.is_empty());
    }
    let stub = StubAo::install(&repository.beside.path().join("B"), 'B').unwrap();
    let line = line(&repository, Generation::B, "advocate", "advocate.md");
    assert!(shell(&repository, &stub, &line, &[("STUB_AO_WRITES", "half")]).status.success());
    assert_eq!(repository.collect().not_yet.len(), 1);
    assert!(shell(&repository, &stub, &line, &[("STUB_AO_WRITES", "absolute")]).status.success());
    assert!(repository.here("advocate.md").is_some(), "a session that obeys needs no collector");
}
