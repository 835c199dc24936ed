//! AO's files: what is believed of the environment, how metadata is written beside AO itself, and which worktrees count.

use forge_artifacts::ao::{AoProblem, OWN_FILE, Session, Synced, Worktrees, write_own};
use forge_artifacts::disk::{Disk, Durability, WorkspaceDisk};
use forge_artifacts::git;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

const AO_WROTE: &str = r#"{
  "worktree": "/w/app-1",
  "status": "working",
  "lifecycle": {
    "version": 2,
    "big": 12345678901234567890123,
    "small": 1.10
  },
  "forge_phase": "init",
  "forge_custom": "theirs",
  "pr": "caf\u00e9"
}
"#;

fn pairs(phase: &str) -> Vec<(&'static str, String)> {
    [("forge_phase", phase), ("forge_summary", "say \"hi\" = ok"), ("forge_last_updated", "2026-01-27T14:30:22Z")]
        .map(|(key, value)| (key, value.to_owned()))
        .to_vec()
}

struct Ao {
    folder: tempfile::TempDir,
}

impl Ao {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let names =
            fs::read_dir(self.folder.path()).unwrap().map(|one| one.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// The session `app-1`, as generation B tells of it.
    fn session(&self) -> Session {
        Session::from_variables(self.folder.path().to_str(), Some("app-1"), Some("app-1")).unwrap().unwrap()
    }
}

// seed: S1-13
#[test]
fn without_its_variables_there_is_no_ao() {
    let session =
        |data: Option<&str>, session: Option<&str>, id: Option<&str>| Session::from_variables(data, session, id);
    assert!(session(None, Some("app-1"), Some("app-1")).is_none());
    assert!(session(Some("/tmp"), None, None).is_none());
    assert!(session(Some(""), Some("app-1"), None).is_none());
    assert!(session(Some("/tmp"), Some(""), Some("")).is_none());
    assert!(session(Some("/tmp"), Some("app-1"), None).unwrap().is_ok());
    assert!(session(Some("/tmp"), None, Some("app-1")).unwrap().is_ok());
}

#[test]
fn what_the_variables_say_is_checked() {
    let refused = |data: &str, name: &str| match Session::from_variables(Some(data), Some(name), None).unwrap() {
        Err(AoProblem::Variable { variable, .. }) => variable,
        other => panic!("{data} {name}: {other:?}"),
    };
    for name in ["../app", "a/b", "app.json", "app 1", "äpp", ".", "a\nb", &"a".repeat(1000)] {
        assert_eq!(refused("/tmp", name), "AO_SESSION", "{name:?}");
    }
    let id = Session::from_variables(Some("/tmp"), None, Some("a/b")).unwrap();
    assert!(matches!(id, Err(AoProblem::Variable { variable: "AO_SESSION_ID", .. })));
    let file = tempfile::NamedTempFile::new().unwrap();
    for folder in ["data", "./data", "/nowhere/at/all", file.path().to_str().unwrap()] {
        assert_eq!(refused(folder, "app"), "AO_DATA_DIR", "{folder}");
    }
}

#[test]
fn json_keeps_everything_that_is_not_ours() {
    let ao = Ao::new();
    ao.put("app-1.json", AO_WROTE);
    assert_eq!(ao.session().sync(&pairs("design")).unwrap(), Synced::Written { file: ao.path("app-1.json") });
    let ours = "  \"forge_summary\": \"say \\\"hi\\\" = ok\",\n  \"forge_last_updated\": \"2026-01-27T14:30:22Z\"\n}\n";
    let wanted = AO_WROTE
        .replace("\"forge_phase\": \"init\"", "\"forge_phase\": \"design\"")
        .replace("\"caf\\u00e9\"\n}\n", &format!("\"caf\\u00e9\",\n{ours}"));
    assert_eq!(ao.text("app-1.json"), wanted);
    assert_eq!(ao.names(), ["app-1.json"], "no lock and no temporary file is left");

    let before = fs::metadata(ao.path("app-1.json")).unwrap();
    let again = ao.session().sync(&pairs("design")).unwrap();
    assert_eq!(again, Synced::Unchanged { file: ao.path("app-1.json") });
    let after = fs::metadata(ao.path("app-1.json")).unwrap();
    assert_eq!(std::os::unix::fs::MetadataExt::ino(&before), std::os::unix::fs::MetadataExt::ino(&after));
}

#[test]
fn lines_keep_everything_that_is_not_ours() {
    let ao = Ao::new();
    ao.put("app-1", "# by ao\nworktree=/w/app=1\n\nforge_phase=init\nstatus=working\r\nforge_custom=theirs");
    assert_eq!(ao.session().sync(&pairs("design")).unwrap(), Synced::Written { file: ao.path("app-1") });
    let wanted = "# by ao\nworktree=/w/app=1\n\nforge_phase=design\nstatus=working\r\nforge_custom=theirs\n\
                  forge_summary=say \"hi\" = ok\nforge_last_updated=2026-01-27T14:30:22Z\n";
    assert_eq!(ao.text("app-1"), wanted);
    assert!(matches!(ao.session().sync(&pairs("design")).unwrap(), Synced::Unchanged { .. }));
    assert_eq!(ao.names(), ["app-1"]);
}

#[test]
fn keys_that_no_longer_have_a_value_go() {
    let ao = Ao::new();
    ao.put("app-1.json", r#"{"forge_debate_id":"design-1","a":{"b":1},"forge_phase":1,"forge_phase":"x"}"#);
    ao.session().sync(&pairs("design")[..1]).map(|_| ()).unwrap();
    assert_eq!(ao.text("app-1.json"), "{\n  \"a\": {\"b\":1},\n  \"forge_phase\": \"design\"\n}");
    ao.session().sync(&[]).map(|_| ()).unwrap();
    assert_eq!(ao.text("app-1.json"), "{\n  \"a\": {\"b\":1}\n}");
    ao.put("app-1.json", "a=1\nforge_debate_id=design-1\n");
    ao.session().sync(&[]).map(|_| ()).unwrap();
    assert_eq!(ao.text("app-1.json"), "a=1\n", "the format goes by the text, not by the name");
}

#[test]
fn what_is_not_there_is_not_made() {
    let ao = Ao::new();
    assert_eq!(ao.session().sync(&pairs("design")).unwrap(), Synced::NoFile);
    fs::create_dir(ao.path("app-1")).unwrap();
    assert_eq!(ao.session().sync(&pairs("design")).unwrap(), Synced::NoFile);
    assert_eq!(ao.names(), ["app-1"]);
}

#[test]
fn json_comes_before_lines() {
    let ao = Ao::new();
    ao.put("app-1.json", "{}\n");
    ao.put("app-1", "status=old\n");
    ao.session().sync(&pairs("design")).map(|_| ()).unwrap();
    assert!(ao.text("app-1.json").contains("design"));
    assert_eq!(ao.text("app-1"), "status=old\n");
}

#[test]
fn what_cannot_be_read_is_left_as_it_is() {
    let broken: [&[u8]; 9] =
        [b"{\"a\": 1", b"{} {}", b"", b" \n", b"[1]", b"no pair here\n", b"a b=c\n", b"\xff\xfe", b"\xef\xbb\xbf{}"];
    for bytes in broken {
        let ao = Ao::new();
        fs::write(ao.path("app-1.json"), bytes).unwrap();
        let refused = ao.session().sync(&pairs("design"));
        assert!(matches!(refused, Err(AoProblem::Unreadable { .. })), "{bytes:?}: {refused:?}");
        assert_eq!(fs::read(ao.path("app-1.json")).unwrap(), bytes);
        assert_eq!(ao.names(), ["app-1.json"]);
    }
    let ao = Ao::new();
    ao.put("app-1", "");
    ao.session().sync(&pairs("design")).map(|_| ()).unwrap();
    assert!(ao.text("app-1").starts_with("forge_phase=design\n"), "A reserves a session with an empty file");
    ao.put("app-1", &"a=1\n".repeat(400_000));
    assert!(matches!(ao.session().sync(&pairs("design")), Err(AoProblem::Unreadable { .. })));
}

#[test]
fn only_our_keys_and_flat_values_are_written() {
    let ao = Ao::new();
    ao.put("app-1.json", "{}\n");
    for (key, value) in
        [("status", "done"), ("forge_other", "x"), ("forge_phase", ""), ("forge_phase", "a\nstatus=done")]
    {
        let refused = ao.session().sync(&[(key, value.to_owned())]);
        assert!(matches!(refused, Err(AoProblem::Pair { .. })), "{key}={value}: {refused:?}");
    }
    assert_eq!(ao.text("app-1.json"), "{}\n");
}

#[test]
fn a_link_in_the_metadata_s_place_is_refused() {
    let (ao, outside) = (Ao::new(), tempfile::NamedTempFile::new().unwrap());
    fs::write(outside.path(), AO_WROTE).unwrap();
    ao.put("other.json", AO_WROTE);
    for target in [outside.path(), Path::new("other.json"), Path::new("nowhere")] {
        for name in ["app-1.json", "app-1"] {
            std::os::unix::fs::symlink(target, ao.path(name)).unwrap();
            let refused = ao.session().sync(&pairs("design"));
            assert!(matches!(refused, Err(AoProblem::Link { .. })), "{target:?}: {refused:?}");
            fs::remove_file(ao.path(name)).unwrap();
        }
    }
    assert_eq!(fs::read_to_string(outside.path()).unwrap(), AO_WROTE);
    assert_eq!(ao.text("other.json"), AO_WROTE);
}

#[test]
fn a_lock_that_somebody_holds_is_waited_for() {
    let ao = Ao::new();
    ao.put("app-1.json", "{}\n");
    ao.put("app-1.json.lock", "4711");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(400));
            assert_eq!(ao.text("app-1.json"), "{}\n", "nobody writes while it is held");
            ao.put("app-1.json", "{\n  \"late\": \"1\"\n}\n");
            fs::remove_file(ao.path("app-1.json.lock")).unwrap();
        });
        let began = Instant::now();
        ao.session().sync(&pairs("design")).map(|_| ()).unwrap();
        assert!(began.elapsed() >= Duration::from_millis(350));
    });
    assert!(ao.text("app-1.json").contains("\"late\": \"1\""), "what was written meanwhile is kept");
    assert!(ao.text("app-1.json").contains("design"));
    assert_eq!(ao.names(), ["app-1.json"]);
}

#[test]
fn a_lock_that_is_never_let_go_is_given_up_and_left() {
    let ao = Ao::new();
    ao.put("app-1.json", "{}\n");
    ao.put("app-1.json.lock", "4711");
    let began = Instant::now();
    let refused = ao.session().sync(&pairs("design"));
    assert!(matches!(refused, Err(AoProblem::Busy { .. })), "{refused:?}");
    assert!((5..8).contains(&began.elapsed().as_secs()));
    assert_eq!(ao.text("app-1.json"), "{}\n");
    assert_eq!(ao.text("app-1.json.lock"), "4711");
}

#[test]
fn a_stale_lock_is_taken_over_at_once() {
    let ao = Ao::new();
    ao.put("app-1.json", "{}\n");
    ao.put("app-1.json.lock", "4711");
    let old = SystemTime::now() - Duration::from_secs(31);
    fs::File::options().write(true).open(ao.path("app-1.json.lock")).unwrap().set_modified(old).unwrap();
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| ao.session().sync(&pairs("design")).map(|_| ()).unwrap());
        }
    });
    assert!(began.elapsed() < Duration::from_secs(3));
    assert!(ao.text("app-1.json").contains("design"));
    assert_eq!(ao.names(), ["app-1.json"]);
}

/// AO's own way to add a key, by its rule.
fn as_ao_does(ao: &Ao, key: &str) {
    let lock = ao.path("app-1.json.lock");
    while fs::File::create_new(&lock).is_err() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let text = ao.text("app-1.json");
    let temp = ao.path(&format!("app-1.json.tmp.{key}"));
    fs::write(&temp, text.replacen('{', &format!("{{\n  \"{key}\": \"1\","), 1)).unwrap();
    fs::rename(temp, ao.path("app-1.json")).unwrap();
    fs::remove_file(lock).unwrap();
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let ao = Ao::new();
    ao.put("app-1.json", AO_WROTE);
    std::thread::scope(|scope| {
        let ao = &ao;
        for writer in 0..4 {
            scope.spawn(move || (0..10).for_each(|i| as_ao_does(ao, &format!("w{writer}x{i}"))));
        }
        for writer in 0..4 {
            scope.spawn(move || {
                for i in 0..5 {
                    ao.session().sync(&pairs(&format!("phase-{writer}-{i}"))).map(|_| ()).unwrap();
                }
            });
        }
    });
    let all: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&ao.text("app-1.json")).unwrap();
    for key in (0..4).flat_map(|writer| (0..10).map(move |i| format!("w{writer}x{i}"))) {
        assert_eq!(all.get(&key).unwrap(), "1");
    }
    assert_eq!(all.get("forge_custom").unwrap(), "theirs");
    assert!(all.get("forge_phase").unwrap().as_str().unwrap().starts_with("phase-"));
    assert_eq!(ao.names(), ["app-1.json"]);
}

#[test]
fn the_third_generation_s_folder_is_not_touched() {
    let (ao, workspace) = (Ao::new(), tempfile::tempdir().unwrap());
    ao.put("app-1.json", "{}");
    let session = Session::from_variables(ao.folder.path().to_str(), None, Some("app-1")).unwrap().unwrap();
    assert_eq!(session.sync(&pairs("design")).unwrap(), Synced::NotHere);
    assert_eq!(ao.text("app-1.json"), "{}");
    let disk = WorkspaceDisk::open(workspace.path(), Durability::Full).unwrap();
    write_own(&disk, &pairs("design")).unwrap();
    write_own(&disk, &pairs("plan")[..1]).unwrap();
    assert_eq!(disk.read(OWN_FILE).unwrap().unwrap(), b"{\n  \"forge_phase\": \"plan\"\n}\n");
}

fn git(folder: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
    let done = Command::new("git").current_dir(folder).args(identity).args(arguments).output().unwrap();
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn git_s_worktrees_are_read_from_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    assert_eq!(git::worktrees(&root), Vec::<PathBuf>::new(), "no repository");
    let main = root.join("main");
    fs::create_dir(&main).unwrap();
    git(&main, &["init", "-q"]);
    git(&main, &["commit", "-q", "--allow-empty", "-m", "first"]);
    assert_eq!(git::worktrees(&main), std::slice::from_ref(&main));
    for name in ["one", "two words", "three"] {
        git(&main, &["worktree", "add", "-q", "-b", &name.replace(' ', "-"), &format!("../{name}")]);
    }
    let mut wanted = vec![main.clone(), root.join("one"), root.join("three"), root.join("two words")];
    let sorted = |from: &Path| {
        let mut found = git::worktrees(from);
        found.sort();
        found
    };
    wanted.sort();
    assert_eq!(sorted(&main), wanted);
    assert_eq!(sorted(&root.join("one")), wanted, "seen from a linked worktree");

    fs::remove_dir_all(root.join("one")).unwrap();
    fs::create_dir(root.join("one")).unwrap();
    fs::write(root.join("three/.git"), "gitdir: /somewhere/else\n").unwrap();
    wanted.retain(|path| !path.ends_with("one") && !path.ends_with("three"));
    assert_eq!(sorted(&main), wanted, "a folder that is no longer a worktree is none");
    assert!(git::worktrees(Path::new("/nowhere")).is_empty());
}

#[test]
fn metadata_is_believed_only_where_git_agrees() {
    let (ao, folder) = (Ao::new(), tempfile::tempdir().unwrap());
    let root = folder.path().canonicalize().unwrap();
    let main = root.join("main");
    fs::create_dir(&main).unwrap();
    git(&main, &["init", "-q"]);
    git(&main, &["commit", "-q", "--allow-empty", "-m", "first"]);
    git(&main, &["worktree", "add", "-q", "-b", "one", "../one"]);
    git(&main, &["worktree", "add", "-q", "-b", "two", "../two"]);
    std::os::unix::fs::symlink(root.join("two"), root.join("alias")).unwrap();
    let json = |path: &Path| format!("{{\"status\": \"x\", \"worktree\": \"{}\"}}", path.display());
    ao.put("app-1.json", &json(&root.join("one")));
    ao.put("app-2", &format!("status=x\nworktree={}\n", root.join("alias").display()));
    ao.put("app-3.json", &json(Path::new("/etc")));
    ao.put("app-4.json", &json(Path::new("../one")));
    ao.put("app-5.json", &json(&root.join("gone")));
    ao.put("app-6.json", "{\"worktree\": 7}");
    ao.put("app-7.json", "{");
    ao.put("app-8.json.tmp", &json(&main));
    let found = ao.session().worktrees(&main);
    assert_eq!(found.accepted, [root.join("one"), root.join("two")]);
    let refused: Vec<&Path> = found.refused.iter().map(|(path, _)| path.as_path()).collect();
    assert_eq!(refused, [Path::new("/etc"), Path::new("../one")]);
    assert_eq!(Worktrees::among(&[], std::slice::from_ref(&main)), Worktrees::default());

    let third = Session::from_variables(ao.folder.path().to_str(), None, Some("app-1")).unwrap().unwrap();
    let mut all = third.worktrees(&main).accepted;
    all.sort();
    assert_eq!(all, [main, root.join("one"), root.join("two")], "without readable metadata git's list serves");
}
