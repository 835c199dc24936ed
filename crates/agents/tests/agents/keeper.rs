//! The keeper with real programs: what goes in, what comes out, and what they can reach.

use forge_agents::keeper::{Ended, Hidden, How, Job, Keeper, Limits, MARK_VARIABLE, Sandbox};
use forge_testkit::scripted_agent::{Record, install};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

pub(crate) fn keeper() -> Keeper {
    Keeper { program: PathBuf::from(env!("CARGO_BIN_EXE_forge-keeper")) }
}

/// Limits that nothing in these tests comes near to.
pub(crate) fn limits() -> Limits {
    Limits {
        first_byte: Duration::from_secs(120),
        idle: Duration::from_secs(120),
        total: Duration::from_secs(120),
        grace: Duration::from_millis(500),
        stdout_bytes: 64 << 20,
        stderr_bytes: 1 << 16,
    }
}

pub(crate) fn job(program: impl Into<PathBuf>, folder: &Path) -> Job {
    Job {
        program: program.into(),
        arguments: Vec::new(),
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        folder: folder.to_owned(),
        writable: Vec::new(),
        hidden: Hidden::default(),
        sandbox: Sandbox::WherePossible,
        scratch: None,
        limits: limits(),
    }
}

/// A scripted agent under a name of one, with a folder to work in. The folder of the program itself may be written, so that
/// it can record.
pub(crate) struct Scripted {
    pub(crate) place: TempDir,
    pub(crate) job: Job,
}

impl Scripted {
    pub(crate) fn new(script: &Value) -> Self {
        let place = tempfile::tempdir().unwrap();
        let program = install(&place.path().join("bin"), "claude", script).unwrap();
        let work = place.path().join("work");
        std::fs::create_dir(&work).unwrap();
        let job = Job { writable: vec![place.path().join("bin")], ..job(program, &work) };
        Self { place, job }
    }

    pub(crate) fn limited(script: &Value, change: impl FnOnce(&mut Limits)) -> Self {
        let mut scripted = Self::new(script);
        change(&mut scripted.job.limits);
        scripted
    }

    pub(crate) async fn run(&self, input: &[u8]) -> Ended {
        keeper().run(&self.job, input).await
    }

    /// What it has recorded, as soon as it has.
    pub(crate) fn recorded(&self) -> Record {
        let records = || forge_testkit::scripted_agent::records(&self.place.path().join("bin"), "claude");
        assert!(soon(|| records().is_ok_and(|records| !records.is_empty())), "it recorded something");
        records().unwrap().remove(0)
    }
}

/// Whether something becomes so before long.
pub(crate) fn soon(is_so: impl Fn() -> bool) -> bool {
    let until = Instant::now() + Duration::from_secs(30);
    while Instant::now() < until {
        if is_so() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

/// The state and the parent of a process, by the kernel's own table.
fn stat(pid: i32) -> Option<(String, i32)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}

pub(crate) fn is_alive(pid: i32) -> bool {
    stat(pid).is_some_and(|(state, _)| state != "Z" && state != "X")
}

pub(crate) fn parent(pid: i32) -> i32 {
    stat(pid).unwrap().1
}

pub(crate) fn report(ended: &Ended) -> Record {
    let text = String::from_utf8_lossy(&ended.stdout);
    let line = text.lines().find(|line| line.starts_with('{')).unwrap_or_else(|| panic!("{ended:?}"));
    serde_json::from_str(line).unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test]
async fn code_outputs_and_signals_are_told() {
    let script =
        json!(["read_stdin", {"print": {"text": "out"}}, {"print": {"text": "err", "to": "stderr"}}, {"exit": 3}]);
    let ended = Scripted::new(&script).run(b"given").await;
    assert_eq!((ended.how, text(&ended.stdout), text(&ended.stderr)), (How::Exited(3), "out".into(), "err".into()));
    assert_eq!((ended.left_behind, ended.leaked_pipe), (vec![], false));
    let ended = Scripted::new(&json!([{"print": {"text": "x"}}, {"die": 9}])).run(b"").await;
    assert_eq!((ended.how, text(&ended.stdout)), (How::Signalled(9), "x".into()));
    assert_eq!(Scripted::new(&json!([])).run(b"").await.how, How::Exited(0));
}

#[tokio::test]
async fn a_program_gets_what_it_is_given_and_nothing_else() {
    let mut scripted = Scripted::new(&json!(["read_stdin", "report"]));
    // One that this process would leave to whatever it starts.
    let left_open = std::fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&left_open, rustix::io::FdFlags::empty()).unwrap();
    scripted.job.arguments = vec!["-p".into(), "--flag=x y".into()];
    scripted.job.environment = vec![
        ("KEY".into(), "sk-not-a-key".into()),
        ("EMPTY".into(), "".into()),
        // Somebody else's: the program of another forge, say.
        (MARK_VARIABLE.into(), "another".into()),
    ];
    let ended = scripted.run("to read \u{fe}".as_bytes()).await;
    let record = report(&ended);
    assert_eq!(record.stdin, "to read \u{fe}");
    assert_eq!(record.arguments, ["-p", "--flag=x y"]);
    let mut seen = record.environment;
    // One variable of forge's own: nothing in it is worth keeping, and it differs from call to call.
    let mark = seen.remove(MARK_VARIABLE);
    if cfg!(target_os = "linux") {
        let mark = mark.unwrap();
        assert!(mark.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-'), "{mark}");
        assert!(mark.contains(&format!("-{}-", std::process::id())), "{mark}");
        assert_ne!(report(&scripted.run(b"").await).environment[MARK_VARIABLE], mark);
    }
    let given = [("EMPTY", ""), ("KEY", "sk-not-a-key")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(seen, given.into());
    assert_eq!(record.folder, scripted.job.folder.canonicalize().unwrap().display().to_string());
    assert_eq!(record.descriptors, [0, 1, 2]);
    assert!(record.leads);
    assert!(!format!("{:?}", scripted.job).contains("sk-not-a-key"), "a key is not shown");
}

#[tokio::test]
async fn names_and_values_may_be_any_bytes() {
    use std::os::unix::ffi::OsStringExt as _;
    let folder = tempfile::tempdir().unwrap();
    let odd = std::ffi::OsString::from_vec(b"a\xffb".to_vec());
    let arguments = vec!["-c".into(), "printf '%s|%s' \"$1\" \"$ODD\"".into(), "sh".into(), odd.clone()];
    let job = Job { arguments, environment: vec![("ODD".into(), odd)], ..job("/bin/sh", folder.path()) };
    assert_eq!(keeper().run(&job, b"").await.stdout, b"a\xffb|a\xffb");
}

#[tokio::test]
async fn much_goes_in_and_out_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let much: Vec<u8> = (0..8 << 20).map(|at: u32| (at % 251) as u8).collect();
    let ended = keeper().run(&job("/bin/cat", folder.path()), &much).await;
    assert_eq!(ended.how, How::Exited(0));
    assert!(ended.stdout == much, "{} bytes came back", ended.stdout.len());
}

#[tokio::test]
async fn one_that_does_not_read_is_not_waited_for() {
    let ended = Scripted::new(&json!([{"print": {"text": "done"}}, {"exit": 0}])).run(&vec![b'x'; 8 << 20]).await;
    assert_eq!((ended.how, text(&ended.stdout)), (How::Exited(0), "done".into()));
}

#[tokio::test]
async fn complaints_are_kept_up_to_their_limit() {
    let script = json!([{"print": {"text": "0123456789", "to": "stderr", "times": 100_000}}, {"exit": 0}]);
    let ended = Scripted::limited(&script, |limits| limits.stderr_bytes = 15).run(b"").await;
    assert_eq!((ended.how, text(&ended.stderr)), (How::Exited(0), "012345678901234".into()));
}

#[tokio::test]
async fn what_cannot_be_started_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "no program").unwrap();
    let broken = folder.path().join("broken");
    std::fs::write(&broken, "#!/nowhere/at/all\n").unwrap();
    std::fs::set_permissions(&broken, std::fs::Permissions::from_mode(0o755)).unwrap();
    let cases = [
        (job("/nowhere/at/all", folder.path()), "there is no program /nowhere/at/all"),
        (job(&plain, folder.path()), "may not be executed"),
        (job(&broken, folder.path()), "first line"),
        (job("/bin/cat", Path::new("/nowhere")), "there is no folder /nowhere"),
        (job("cat", folder.path()), "not an absolute path"),
    ];
    for (job, expected) in cases {
        let ended = keeper().run(&job, b"").await;
        assert!(matches!(&ended.how, How::NotStarted(why) if why.contains(expected)), "{expected}: {ended:?}");
    }
    let nobody = Keeper { program: "/nowhere/at/all".into() };
    assert!(matches!(nobody.run(&job("/bin/cat", folder.path()), b"").await.how, How::NotStarted(_)));
    let no_keeper = Keeper { program: "/bin/true".into() };
    assert!(matches!(no_keeper.run(&job("/bin/cat", folder.path()), b"").await.how, How::Lost(_)));
}

#[tokio::test]
async fn an_exit_code_is_not_taken_for_a_failed_start() {
    let folder = tempfile::tempdir().unwrap();
    for code in [1, 2, 126, 127, 255] {
        let arguments = vec!["-c".into(), format!("exit {code}").into()];
        let ended = keeper().run(&Job { arguments, ..job("/bin/sh", folder.path()) }, b"").await;
        assert_eq!(ended.how, How::Exited(code));
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_sandbox_lets_it_write_where_it_may_only() {
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name).display().to_string();
    for folder in ["outside", "granted", "one"] {
        std::fs::create_dir(path(folder)).unwrap();
    }
    std::fs::write(path("one/file"), "before").unwrap();
    std::fs::write(path("outside/kept"), "before").unwrap();
    let write = |path: &str| json!({"write_file": {"path": path, "text": "after"}});
    let mut scripted = Scripted::new(&json!([
        write("inside"),
        write("/dev/null"),
        write(&path("granted/new")),
        write(&path("one/file")),
        write(&path("one/other")),
        write(&path("outside/new")),
        write(&path("outside/kept")),
    ]));
    let granted = ["granted", "one/file", "not-there"];
    scripted.job.writable = granted.iter().map(|name| PathBuf::from(path(name))).collect();
    let ended = scripted.run(b"").await;
    if !ended.sandbox.starts_with("landlock") {
        println!("skipped: {}", ended.sandbox);
        return;
    }
    assert!(
        ended.sandbox.contains(": writes only below its own folder and to what it keeps elsewhere;"),
        "{}",
        ended.sandbox
    );
    let said = text(&ended.stdout);
    let verbs: Vec<&str> = said.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(verbs, ["wrote", "wrote", "wrote", "wrote", "refused", "refused", "refused"], "{said}");
    assert_eq!(std::fs::read_to_string(path("outside/kept")).unwrap(), "before");
    assert!(!Path::new(&path("outside/new")).exists());

    scripted.job.sandbox = Sandbox::Off;
    let ended = scripted.run(b"").await;
    assert_eq!(ended.sandbox, "none: switched off by the user's configuration");
    assert!(!text(&ended.stdout).contains("refused"), "{}", text(&ended.stdout));
}

/// Contents of keys and of the workspace are not read, however they are reached; everything beside them is.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_sandbox_hides_keys_and_the_workspace() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    for file in ["home/.ssh/id_rsa", "home/.netrc", "home/.config/gh/hosts.yml", "src/work/.env", "src/work/a/b.txt"] {
        std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        std::fs::write(root.join(file), "SECRET").unwrap();
    }
    for file in ["home/.agent/login", "home/.config/other", "src/else/file", "bin/tool"] {
        std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        std::fs::write(root.join(file), "OPEN").unwrap();
    }
    std::fs::create_dir(root.join("seat")).unwrap();
    std::os::unix::fs::symlink(root.join("home/.ssh"), root.join("bin/keys")).unwrap();
    std::os::unix::fs::symlink(root.join("src/work"), root.join("home/current")).unwrap();
    let hidden = Hidden {
        keys: ["home/.ssh", "home/.netrc", "home/.config/gh"].iter().map(|path| root.join(path)).collect(),
        workspace: Some(root.join("src/work")),
    };
    let read = "cat home/.ssh/id_rsa home/.netrc home/.config/gh/hosts.yml src/work/.env src/work/a/b.txt bin/keys/id_rsa home/current/a/b.txt src/work/../../home/.netrc 2>/dev/null; ln home/.netrc seat/n 2>/dev/null && cat seat/n; cp -r src/work seat/copy 2>/dev/null; cat home/.agent/login home/.config/other src/else/file bin/tool";
    let arguments = vec!["-c".into(), format!("cd {}; {read}", root.display()).into()];
    let ended = keeper().run(&Job { arguments, hidden, ..job("/bin/sh", &root.join("seat")) }, b"").await;
    if !ended.sandbox.starts_with("landlock") {
        println!("skipped: {}", ended.sandbox);
        return;
    }
    assert!(ended.sandbox.contains("reads neither the workspace nor the user's known keys"), "{}", ended.sandbox);
    assert_eq!(text(&ended.stdout), "OPENOPENOPENOPEN", "{}", text(&ended.stderr));
    assert!(!root.join("seat/copy/a/b.txt").exists());
}

/// No terminal can be written to, and no other process looked into, root or not.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_sandbox_reaches_no_terminal_and_no_other_process() {
    let folder = tempfile::tempdir().unwrap();
    let look = format!(
        "for t in /dev/pts/* /dev/tty /dev/ptmx /dev/console; do (echo hello > $t) 2>/dev/null && echo wrote $t; (: < $t) 2>/dev/null && echo opened $t; done; cat /proc/{0}/environ /proc/{0}/mem 2>/dev/null | head -c 10 | wc -c",
        std::process::id()
    );
    let ended =
        keeper().run(&Job { arguments: vec!["-c".into(), look.into()], ..job("/bin/sh", folder.path()) }, b"").await;
    if !ended.sandbox.starts_with("landlock") {
        println!("skipped: {}", ended.sandbox);
        return;
    }
    assert_eq!(text(&ended.stdout).trim(), "0", "{}", text(&ended.stderr));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_sandbox_keeps_its_signals_in() {
    let folder = tempfile::tempdir().unwrap();
    let arguments =
        vec!["-c".into(), "sleep 60 & kill $! && echo own; kill -0 $PPID 2>/dev/null || echo refused".into()];
    let ended = keeper().run(&Job { arguments, ..job("/bin/sh", folder.path()) }, b"").await;
    let abi = ended.sandbox.strip_prefix("landlock (abi ").and_then(|rest| rest.split(')').next()?.parse::<u32>().ok());
    if abi.is_none_or(|abi| abi < 6) {
        println!("skipped: {}", ended.sandbox);
        return;
    }
    assert_eq!(text(&ended.stdout), "own\nrefused\n");
}

#[tokio::test]
async fn the_scratch_folder_is_removed_however_it_ends() {
    let scripts = [json!([{"write_file": {"path": "file"}}]), json!([{"write_file": {"path": "file"}}, {"die": 9}])];
    for script in scripts {
        let mut scripted = Scripted::new(&script);
        scripted.job.scratch = Some(scripted.job.folder.clone());
        let locked = scripted.job.folder.join("locked");
        std::fs::create_dir_all(locked.join("in")).unwrap();
        std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o500)).unwrap();
        let ended = scripted.run(b"").await;
        assert!(text(&ended.stdout).starts_with("wrote"), "{ended:?}");
        assert!(!scripted.job.folder.exists());
    }
    let folder = tempfile::tempdir().unwrap();
    let scratch = folder.path().join("scratch");
    std::fs::create_dir(&scratch).unwrap();
    let job = Job { scratch: Some(scratch.clone()), ..job("/nowhere/at/all", &scratch) };
    let _ = keeper().run(&job, b"").await;
    assert!(!scratch.exists());
}

#[tokio::test]
async fn a_conversation_goes_back_and_forth() {
    let folder = tempfile::tempdir().unwrap();
    let mut talk = keeper().converse(&job("/bin/cat", folder.path())).unwrap();
    for said in ["one", "three"] {
        talk.input.write_all(said.as_bytes()).await.unwrap();
        let mut heard = vec![0; said.len()];
        talk.output.read_exact(&mut heard).await.unwrap();
        assert_eq!(heard, said.as_bytes());
    }
    let ended = talk.end().await;
    assert_eq!((ended.how, ended.left_behind), (How::Exited(0), vec![]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_with_one_that_does_not_end_is_ended() {
    let scripted =
        Scripted::new(&json!(["ignore_term", "record", {"print": {"text": "much ", "times": 1_000_000}}, "hang"]));
    // Kept, and not read: that must not hold up the end.
    let talk = keeper().converse(&scripted.job).unwrap();
    let pid = scripted.recorded().pid;
    let _unread = talk.output;
    let ended = talk.ending.end().await;
    assert_eq!(ended.how, How::OutOfTime);
    assert!(!is_alive(pid));
}
