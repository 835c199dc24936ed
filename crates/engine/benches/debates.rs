//! What the engine costs next to the calls it makes. Prints ratios; asserts nothing.
//!
//! `cargo bench -p forge-engine` runs, each in a process of its own against one model server on loopback that answers at
//! once: 1,000 judges debates through the engine with 128 in flight, and a bare program that makes the same calls
//! and writes the same bytes to the same number of files. CPU time is the process's own, memory its peak. Then `list` and
//! `status` in the tree of 1,000 finished debates.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use forge_agents::{Roster, RosterSettings};
use forge_artifacts::disk::{Disk, Durability, WorkspaceDisk};
use forge_artifacts::stamp::Stamp;
use forge_debate::plan::{Choice, Demands, Families, Hand, Naming, letter};
use forge_debate::protocols::{DEFAULT, Protocols};
use forge_debate::tally::Threshold;
use forge_engine::config::DebateDefaults;
use forge_engine::{Freshness, Request, Run, RunEnd, RunSettings, Silent, Workspace};
use forge_testkit::model_server::{Answer, ModelServer};
use futures_util::stream::{self, StreamExt as _};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

const DEBATES: usize = 1000;
/// With fsync every debate waits for the disk; a tenth tells as much.
const DEBATES_SYNCED: usize = 100;
const IN_FLIGHT: usize = 128;
const MODEL: &str = "bench-model";

const REPLY: &str = r#"## Assessment

Option A keeps what works; option B moves the risk to a place where nobody looks.

## Recommendation

Option A, since its worst day can be undone.

```json
{
  "option": "A",
  "confidence": "HIGH",
  "reason": "its worst day can be undone, and the other one's cannot",
  "arguments": [{"id": "a1", "text": "the worst day of this option can be undone within an hour"}]
}
```
"#;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some("child-server") => serve(),
        Some("child-engine") => run_engine(&args[2], Path::new(&args[3]), durability(&args[4]), count(&args[4])),
        Some("child-bare") => {
            run_bare(&args[2], Path::new(&args[3]), Path::new(&args[4]), durability(&args[5]), count(&args[5]))
        }
        _ => compare(),
    }
}

fn durability(word: &str) -> Durability {
    if word == "full" { Durability::Full } else { Durability::None }
}

fn count(durability: &str) -> usize {
    if durability == "full" { DEBATES_SYNCED } else { DEBATES }
}

fn compare() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Command::new(std::env::current_exe().unwrap())
        .arg("child-server")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(server.stdout.as_mut().unwrap()), &mut url).unwrap();
    let url = url.trim();

    println!(
        "{DEBATES} judges debates, {} calls, {IN_FLIGHT} in flight, a model server on loopback that answers at once",
        3 * DEBATES
    );
    println!("{:<34} {:>12} {:>12} {:>12}", "", "CPU/debate", "peak memory", "wall/debate");
    let tree = folder.path().join("engine");
    let engine = child(&["child-engine", url, tree.to_str().unwrap(), "none"]);
    row("engine, no fsync", &engine, DEBATES);
    let bare =
        child(&["child-bare", url, folder.path().join("bare").to_str().unwrap(), tree.to_str().unwrap(), "none"]);
    row("bare program, no fsync", &bare, DEBATES);
    println!("{:<34} {:>11.2}x {:>11.2}x", "ratio", engine.cpu_ms / bare.cpu_ms, engine.peak_kib / bare.peak_kib);
    let engine_sync = child(&["child-engine", url, folder.path().join("engine-sync").to_str().unwrap(), "full"]);
    row("engine, fsync", &engine_sync, DEBATES_SYNCED);
    let bare_sync =
        child(&["child-bare", url, folder.path().join("bare-sync").to_str().unwrap(), tree.to_str().unwrap(), "full"]);
    row("bare program, fsync", &bare_sync, DEBATES_SYNCED);
    println!(
        "{:<34} {:>11.2}x {:>12} {:>11.2}x",
        "ratio",
        engine_sync.cpu_ms / bare_sync.cpu_ms,
        "",
        engine_sync.wall_ms / bare_sync.wall_ms
    );
    drop(server.stdin.take());
    let _ = server.kill();
    let _ = server.wait();
    readers(&tree);
}

fn row(name: &str, usage: &Usage, debates: usize) {
    println!(
        "{name:<34} {:>9.2} ms {:>8.1} MiB {:>9.2} ms",
        usage.cpu_ms / debates as f64,
        usage.peak_kib / 1024.0,
        usage.wall_ms / debates as f64
    );
}

/// `list` and `status` in the tree of finished debates, in this process: what a hook or an editor would wait for.
fn readers(tree: &Path) {
    let workspace = workspace("http://127.0.0.1:1", tree, Durability::None);
    let timed = |name: &str, times: usize, what: &dyn Fn()| {
        what();
        let began = Instant::now();
        for _ in 0..times {
            what();
        }
        println!("{name:<34} {:>9.2} ms", began.elapsed().as_secs_f64() * 1000.0 / times as f64);
    };
    println!("\nin the tree of {DEBATES} finished debates");
    timed("debate list", 5, &|| assert_eq!(workspace.list().unwrap().len(), DEBATES));
    timed("debate status", 50, &|| {
        let files = workspace.open(&id(7)).unwrap();
        assert!(workspace.survey(&files).unwrap().verdict.is_some());
    });
}

struct Usage {
    cpu_ms: f64,
    peak_kib: f64,
    wall_ms: f64,
}

impl Usage {
    /// From `/proc`: user and system time in ticks of 10 ms, and the peak of the resident set.
    fn of_this_process() -> Self {
        let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
        let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .and_then(|rest| rest.split_whitespace().next())
            .and_then(|kib| kib.parse().ok())
            .unwrap_or(0.0);
        Self { cpu_ms: (ticks(11) + ticks(12)) * 10.0, peak_kib: peak, wall_ms: 0.0 }
    }

    fn line(&self) -> String {
        format!("{} {} {}", self.cpu_ms, self.peak_kib, self.wall_ms)
    }
}

fn child(args: &[&str]) -> Usage {
    let output = Command::new(std::env::current_exe().unwrap()).args(args).stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "{args:?} failed");
    let text = String::from_utf8(output.stdout).unwrap();
    let figures: Vec<f64> = text.split_whitespace().map(|figure| figure.parse().unwrap()).collect();
    Usage { cpu_ms: figures[0], peak_kib: figures[1], wall_ms: figures[2] }
}

fn serve() {
    let server = ModelServer::start(|_| Answer::Text(REPLY.to_owned())).unwrap();
    println!("{}", server.base_url());
    std::io::stdout().flush().unwrap();
    // Until the parent closes our standard input, or ten minutes at the most.
    let (done, wait) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let _ = std::io::Read::read(&mut std::io::stdin(), &mut [0u8; 1]);
        let _ = done.send(());
    });
    let _ = wait.recv_timeout(Duration::from_secs(600));
}

fn id(number: usize) -> String {
    format!("question-{number}")
}

fn workspace(url: &str, root: &Path, durability: Durability) -> Workspace {
    fs::create_dir_all(root).unwrap();
    let disk = Arc::new(WorkspaceDisk::open(root, durability).unwrap());
    let roster =
        Roster::new(RosterSettings::with_environment([("OPENAI_BASE_URL", url), ("OPENAI_API_KEY", "not-a-key")]));
    Workspace {
        disk: Arc::clone(&disk) as Arc<dyn Disk>,
        locks: disk,
        roster: Arc::new(roster),
        protocols: Protocols::default(),
        clock: Arc::new(Stamp::now),
        defaults: Arc::new(DebateDefaults::of_forge()),
        made: None,
        host: None,
        vault: None,
        patience: 0,
    }
}

fn request(number: usize) -> Request {
    let option = |i: usize, label: &str| Choice { id: letter(i), label: label.to_owned(), description: String::new() };
    Request {
        at_stake: Vec::new(),
        question: format!("Shall we keep part {number} of the system or replace it?"),
        protocol: &DEFAULT.profile,
        options: vec![option(0, "Keep it"), option(1, "Replace it")],
        materials: Vec::new(),
        hand: Hand::Agent(format!("openai:{MODEL}")),
        seating: forge_engine::Seating::Named,
        stated_families: Default::default(),
        seats: Vec::new(),
        roster: None,
        synthesizer: None,
        rounds: None,
        threshold: Threshold::TWO_THIRDS,
        min_rounds: None,
        timeout_seconds: 120,
        seed: None,
        max_calls: None,
        max_tokens: None,
        max_cost: None,
        naming: Naming::Anonymous,
        families: Families::MustDiffer,
        demands: Demands::default(),
        control: None,
        phase: None,
        feature_dir: None,
        id: Some(id(number)),
        occasion: None,
        challenge: Default::default(),
    }
}

fn run_engine(url: &str, root: &Path, durability: Durability, debates: usize) {
    let workspace = workspace(url, root, durability);
    let began = Instant::now();
    runtime().block_on(async {
        stream::iter(0..debates)
            .map(|number| {
                let workspace = &workspace;
                async move {
                    let opened = workspace.open_or_create(&request(number), Freshness::GoOn).unwrap();
                    let run = Run::new(workspace, RunSettings::default(), &Silent);
                    let end = run.opened(opened.files).await.unwrap();
                    assert!(matches!(end, RunEnd::Concluded(_)));
                }
            })
            .buffer_unordered(IN_FLIGHT)
            .collect::<Vec<()>>()
            .await;
    });
    report(began);
}

/// The same calls and the same bytes, with nothing in between.
fn run_bare(url: &str, root: &Path, model: &Path, durability: Durability, debates: usize) {
    let calls: Arc<Vec<String>> = Arc::new(sample_requests(model));
    let files: Arc<Vec<(PathBuf, Vec<u8>)>> = Arc::new(sample_files(model));
    let _ = rustls_provider();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let endpoint = format!("{url}/chat/completions");
    let began = Instant::now();
    runtime().block_on(async {
        stream::iter(0..debates)
            .map(|number| {
                let (client, endpoint, calls, files) =
                    (client.clone(), endpoint.clone(), Arc::clone(&calls), Arc::clone(&files));
                async move {
                    let asked = calls.iter().map(|body| {
                        let request = client
                            .post(&endpoint)
                            .header("authorization", "Bearer not-a-key")
                            .header("content-type", "application/json")
                            .body(body.clone());
                        async move { request.send().await.unwrap().bytes().await.unwrap().len() }
                    });
                    let lengths: Vec<usize> = futures_util::future::join_all(asked).await;
                    assert!(lengths.iter().all(|length| *length > 0));
                    for (path, bytes) in files.iter() {
                        write(&root.join(number.to_string()).join(path), bytes, durability);
                    }
                }
            })
            .buffer_unordered(IN_FLIGHT)
            .collect::<Vec<()>>()
            .await;
    });
    report(began);
}

fn rustls_provider() -> Result<(), Arc<rustls::crypto::CryptoProvider>> {
    rustls::crypto::ring::default_provider().install_default()
}

fn write(path: &Path, bytes: &[u8], durability: Durability) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = fs::File::create(path).unwrap();
    file.write_all(bytes).unwrap();
    if durability == Durability::Full {
        file.sync_all().unwrap();
        fs::File::open(path.parent().unwrap()).unwrap().sync_all().unwrap();
    }
}

/// The request bodies of one debate, as the engine sent them.
fn sample_requests(tree: &Path) -> Vec<String> {
    sample_files(tree)
        .into_iter()
        .filter(|(path, _)| path.to_string_lossy().contains("/briefs/"))
        .map(|(_, bytes)| {
            let text = String::from_utf8(bytes).unwrap();
            serde_json::json!({
                "model": MODEL, "stream": true, "stream_options": {"include_usage": true},
                "messages": [{"role": "user", "content": text}],
            })
            .to_string()
        })
        .collect()
}

/// Every file of one debate.
fn sample_files(tree: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    collect(tree, tree, &mut files);
    files
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let inside = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !inside.contains("debate-") || inside.contains(&format!("debate-{}-", id(0))) {
                collect(root, &path, files);
            }
        } else if inside.contains(&format!("debate-{}-", id(0))) {
            files.push((PathBuf::from(inside), fs::read(&path).unwrap()));
        }
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn report(began: Instant) {
    let mut usage = Usage::of_this_process();
    usage.wall_ms = began.elapsed().as_secs_f64() * 1000.0;
    println!("{}", usage.line());
}
