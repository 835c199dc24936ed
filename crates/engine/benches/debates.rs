//! What the engine costs next to the calls it makes. Prints ratios; asserts no time.
//!
//! `cargo bench -p forge-engine [-- --repeats N] [--against FILE] [--folder DIR]` holds judges debates of two rounds with a
//! supplied text, against a model server on loopback whose replies need no repair, and beside them a bare program that makes
//! the same calls and writes the same bytes to the same files. Every cell is a process of its own; all contestants of a cell
//! take turns, and the best of the repeats is printed. `--against` adds an older build of this benchmark as a contestant.
//! CPU time is that of the process in nanoseconds, memory its peak. Last, panels of 12 seats and two to ten rounds.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use forge_agents::{AgentSettings, Roster, RosterSettings};
use forge_artifacts::disk::{Disk, Durability, WorkspaceDisk};
use forge_artifacts::stamp::Stamp;
use forge_debate::plan::{Choice, Demands, Duty, Families, Hand, Material, Naming, Seat, SeatId, letter};
use forge_debate::protocols::{DEFAULT, Protocols, newest};
use forge_debate::voting::Threshold;
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

const MODEL: &str = "bench-model";
/// So long the server takes for an answer: debates in flight then really are, with all their calls out.
const ANSWER_TAKES: Duration = Duration::from_millis(20);
const REPEATS: usize = 7;

/// What is run: how many debates, how many of them at a time, and whether writes are synced.
struct Cell {
    debates: usize,
    in_flight: usize,
    durability: Durability,
}

const CELLS: &[Cell] = &[
    Cell { debates: 100, in_flight: 1, durability: Durability::None },
    Cell { debates: 320, in_flight: 16, durability: Durability::None },
    Cell { debates: 384, in_flight: 128, durability: Durability::None },
    Cell { debates: 48, in_flight: 16, durability: Durability::Full },
];

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let number = |at: usize| args[at].parse::<usize>().unwrap();
    match args.get(1).map(String::as_str) {
        Some("child-server") => serve(),
        Some("child-engine") => run_engine(&args[2], Path::new(&args[3]), durability(&args[4]), number(5), number(6)),
        Some("child-bare") => {
            run_bare(&args[2], Path::new(&args[3]), durability(&args[4]), number(5), number(6), Path::new(&args[7]))
        }
        Some("child-panel") => run_panel(Path::new(&args[2]), number(3)),
        _ => compare(&args),
    }
}

fn durability(word: &str) -> Durability {
    if word == "full" { Durability::Full } else { Durability::None }
}

fn compare(args: &[String]) {
    let given = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let repeats = given("--repeats").map_or(REPEATS, |count| count.parse().unwrap());
    let this = std::env::current_exe().unwrap();
    let folder = match given("--folder") {
        Some(place) => tempfile::tempdir_in(place).unwrap(),
        None => tempfile::tempdir().unwrap(),
    };
    let mut server =
        Command::new(&this).arg("child-server").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut url = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(server.stdout.as_mut().unwrap()), &mut url).unwrap();
    let url = url.trim();

    let model = folder.path().join("model");
    child(&this, &["child-engine", url, model.to_str().unwrap(), "none", "1", "1"]);
    let mut contestants = vec![("forge", this.clone(), "child-engine"), ("bare program", this.clone(), "child-bare")];
    contestants.extend(given("--against").map(|file| ("forge before", PathBuf::from(file), "child-engine")));
    println!("judges, two rounds, six calls, a supplied text of 2 KB; best of {repeats} in turns, in {folder:?}");
    println!("{:<44} {:>9} {:>9} {:>9} {:>8}", "", "CPU ms", "wall ms", "peak MiB", "x bare");
    for cell in CELLS {
        let word = if cell.durability == Durability::Full { "full" } else { "none" };
        let (debates, in_flight) = (cell.debates.to_string(), cell.in_flight.to_string());
        let mut best = vec![Usage::WORST; contestants.len()];
        for repeat in 0..repeats {
            for (at, (_, program, kind)) in contestants.iter().enumerate() {
                let root = folder.path().join(format!("{kind}-{at}-{repeat}-{in_flight}-{word}"));
                let mut words = vec![*kind, url, root.to_str().unwrap(), word, &debates, &in_flight];
                words.extend((*kind == "child-bare").then(|| model.to_str().unwrap()));
                best[at] = best[at].or_better(&child(program, &words));
                fs::remove_dir_all(&root).unwrap();
            }
        }
        for ((name, ..), usage) in contestants.iter().zip(&best) {
            let synced = if cell.durability == Durability::Full { "synced" } else { "not synced" };
            let (each, bare) = (cell.debates as f64, best[1].cpu_ms);
            let what = format!("{name}, {} in flight, {synced}", cell.in_flight);
            let (cpu, wall, peak) = (usage.cpu_ms / each, usage.wall_ms / each, usage.peak_kib / 1024.0);
            println!("{what:<44} {cpu:>9.2} {wall:>9.2} {peak:>9.1} {:>7.2}x", usage.cpu_ms / bare);
        }
    }
    drop(server.stdin.take());
    let _ = server.kill();
    let _ = server.wait();

    println!("\npanels of 12 seats, rehearsed, not synced: CPU ms of a whole debate");
    for (name, program, _) in contestants.iter().filter(|(_, _, kind)| *kind == "child-engine") {
        for rounds in [2, 5, 10] {
            let mut best = Usage::WORST;
            for repeat in 0..repeats {
                let root = folder.path().join(format!("panel-{repeat}-{rounds}"));
                best = best.or_better(&child(program, &["child-panel", root.to_str().unwrap(), &rounds.to_string()]));
                fs::remove_dir_all(&root).unwrap();
            }
            println!("{:<44} {:>9.1}", format!("{name}, {rounds} rounds"), best.cpu_ms);
        }
    }
}

#[derive(Clone)]
struct Usage {
    cpu_ms: f64,
    peak_kib: f64,
    wall_ms: f64,
}

impl Usage {
    const WORST: Usage = Usage { cpu_ms: f64::INFINITY, peak_kib: f64::INFINITY, wall_ms: f64::INFINITY };

    /// From `/proc`: the time on a processor of every thread that is still there, and the peak of the resident set.
    fn of_this_process() -> Self {
        let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let on_cpu = |path: PathBuf| {
            let text = fs::read_to_string(path.join("schedstat")).unwrap_or_default();
            text.split_whitespace().next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0)
        };
        let nanoseconds: f64 = threads.map(|thread| on_cpu(thread.path())).sum();
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .and_then(|rest| rest.split_whitespace().next())
            .and_then(|kib| kib.parse().ok())
            .unwrap_or(0.0);
        Self { cpu_ms: nanoseconds / 1e6, peak_kib: peak, wall_ms: 0.0 }
    }

    /// Each figure's best.
    fn or_better(&self, other: &Self) -> Self {
        Self {
            cpu_ms: self.cpu_ms.min(other.cpu_ms),
            peak_kib: self.peak_kib.min(other.peak_kib),
            wall_ms: self.wall_ms.min(other.wall_ms),
        }
    }
}

fn child(program: &Path, args: &[&str]) -> Usage {
    let output = Command::new(program).args(args).stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "{args:?} failed");
    let text = String::from_utf8(output.stdout).unwrap();
    let figures: Vec<f64> = text.split_whitespace().map(|figure| figure.parse().unwrap()).collect();
    Usage { cpu_ms: figures[0], peak_kib: figures[1], wall_ms: figures[2] }
}

fn serve() {
    let server =
        ModelServer::start(|asked| Answer::Late(ANSWER_TAKES, Box::new(Answer::Text(reply(&asked.all))))).unwrap();
    println!("{}", server.base_url());
    std::io::stdout().flush().unwrap();
    // Until the parent closes our standard input, or an hour at the most.
    let (done, wait) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let _ = std::io::Read::read(&mut std::io::stdin(), &mut [0u8; 1]);
        let _ = done.send(());
    });
    let _ = wait.recv_timeout(Duration::from_secs(3600));
}

/// A reply in the form that a brief asks for. All differ at first; then one judge is convinced by another's argument.
fn reply(brief: &str) -> String {
    let form = brief.split("# The form of your reply").nth(1).unwrap_or_default();
    let titles: Vec<&str> = form.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let is_second = titles.contains(&"Challenges");
    let own = ["What Can Go Wrong", "What Is Lost", "What It Costs"].iter().position(|title| titles.contains(title));
    let own = own.unwrap_or(0);
    // The first argument of whoever holds A, as the brief shows it.
    let held = brief.lines().find(|line| line.starts_with("{\"option\": \"A\""));
    let cited = held.and_then(|line| line.split("\"id\": \"").nth(1)?.split('"').next()).unwrap_or("S1.a1");
    let peer = cited.split('.').next().unwrap_or_default();
    let moves = is_second && own == 2;
    let option = if moves { "A" } else { ["A", "B", "C"][own] };
    let to = if own == 0 { if peer == "S1" { "S2" } else { "S1" } } else { peer };
    let mut text = String::new();
    for title in titles {
        text.push_str(&format!(
            "## {title}\n\nOption {option}. It keeps what works, and its worst day can be undone within an hour; to {to}: what is not \
             named here is who notices first when the cache and the store disagree, and who is woken by it at night. The cost of \
             finding out is a week of two people, and nobody has set that week aside.\n\n"
        ));
    }
    let (a, b) = if is_second { ("a21", "a22") } else { ("a1", "a2") };
    let mut ballot = serde_json::json!({
        "option": option, "confidence": "HIGH",
        "reason": "its worst day can be undone within an hour, and nobody else's can",
        "arguments": [
            {"id": a, "text": format!("the worst day of option {option} can be undone within an hour")},
            {"id": b, "text": format!("two people can build option {option} in a week, and no third has to be hired")},
        ],
    });
    if is_second {
        ballot["challenges"] = serde_json::json!([{"to": to, "text": "nobody says who notices first when it breaks"}]);
    }
    if moves {
        ballot["convinced_by"] = serde_json::json!([cited]);
        ballot["convinced_because"] = "that its worst day can be undone is true, and decides it".into();
    }
    format!("{text}```json\n{ballot:#}\n```\n")
}

fn id(number: usize) -> String {
    format!("question-{number}")
}

fn workspace(url: &str, root: &Path, durability: Durability) -> Workspace {
    fs::create_dir_all(root).unwrap();
    let disk = Arc::new(WorkspaceDisk::open(root, durability).unwrap());
    let mut settings = RosterSettings::with_environment([("OPENAI_BASE_URL", url), ("OPENAI_API_KEY", "not-a-key")]);
    // The lane to a provider is a few calls wide; debates in flight would only wait for each other.
    settings.agents.insert("openai".to_owned(), AgentSettings { parallel: Some(100_000), ..AgentSettings::default() });
    let roster = Roster::new(settings);
    Workspace {
        disk: Arc::clone(&disk) as Arc<dyn Disk>,
        locks: disk,
        roster: Arc::new(roster),
        clock: Arc::new(Stamp::now),
        defaults: Arc::new(DebateDefaults::of_forge()),
        made: None,
        protocols: Protocols::default(),
        host: None,
        vault: None,
        patience: 0,
    }
}

const NOTES: &str = "The store answers in 40 ms at the median and in 900 ms on a bad day. Two people know it, one of them \
leaves in spring. Replacing it was tried twice; both times the export took longer than the weekend that was set aside.\n";

fn request(number: usize) -> Request {
    let option = |i: usize, label: &str| Choice { id: letter(i), label: label.to_owned(), description: String::new() };
    Request {
        at_stake: Vec::new(),
        question: format!("Shall we keep part {number} of the system or replace it?"),
        protocol: &DEFAULT.profile,
        options: vec![option(0, "Keep it"), option(1, "Replace it"), option(2, "Wait a year")],
        materials: vec![Material { name: "notes.md".to_owned(), text: NOTES.repeat(8) }],
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

fn run_engine(url: &str, root: &Path, durability: Durability, debates: usize, in_flight: usize) {
    let workspace = workspace(url, root, durability);
    let began = Instant::now();
    runtime().block_on(async {
        stream::iter(0..debates)
            .map(|number| {
                let workspace = &workspace;
                async move {
                    let opened = workspace.open_or_create(&request(number), Freshness::GoOn).unwrap();
                    let run = Run::new(workspace, RunSettings::default(), &Silent);
                    let RunEnd::Concluded(account) = run.opened(opened.files).await.unwrap() else { panic!("no end") };
                    // Six calls: two rounds, and nothing was repaired.
                    assert_eq!((account.spent.calls, account.verdict.options().len()), (6, 1));
                }
            })
            .buffer_unordered(in_flight)
            .collect::<Vec<()>>()
            .await;
    });
    report(began);
}

fn run_panel(root: &Path, rounds: usize) {
    let workspace = workspace("http://127.0.0.1:1", root, Durability::None);
    // A rehearsal in which neither seats nor referee end the rounds: all are held.
    let script = root.join("script.yaml");
    fs::write(&script, "replies: [{ballot: {converge: false, ruling: CONTINUE}}]\n").unwrap();
    let hand = Hand::Agent(format!("scripted:{}", script.display()));
    let mut asked = request(0);
    asked.protocol = &newest("panel").unwrap().profile;
    asked.hand = hand.clone();
    asked.rounds = u16::try_from(rounds).ok();
    let began = Instant::now();
    let opened = workspace.open_or_create(&asked, Freshness::GoOn).unwrap();
    // More seats than any roster has.
    let mut plan = opened.files.plan.clone();
    let debaters = plan.debaters().len();
    for number in debaters..12 {
        let id = SeatId::from(format!("guest{number}").as_str());
        let role = plan.debaters()[0].role.clone();
        let at = plan.seats.iter().rposition(|seat| seat.duty == Duty::Debater).unwrap() + 1;
        let seat = Seat { id, role, duty: Duty::Debater, hand: hand.clone(), family: None, context_file: None };
        plan.seats.insert(at, seat);
    }
    let plan_file = opened.files.layout.plan();
    opened.files.put_plan(plan).unwrap();
    runtime().block_on(async {
        let end = Run::new(&workspace, RunSettings::default(), &Silent).debate(&plan_file).await.unwrap();
        assert!(matches!(end, RunEnd::Concluded(_)));
    });
    report(began);
}

/// The same calls and the same bytes, with nothing in between. What a paid call rests on is synced, where anything is.
fn run_bare(url: &str, root: &Path, durability: Durability, debates: usize, in_flight: usize, model: &Path) {
    let files: Arc<Vec<(PathBuf, Vec<u8>)>> = Arc::new(sample_files(model));
    let calls: Arc<Vec<String>> = Arc::new(sample_requests(&files));
    assert_eq!(calls.len(), 6);
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
                    for wave in calls.chunks(3) {
                        let asked = wave.iter().map(|body| {
                            let request = client
                                .post(&endpoint)
                                .header("authorization", "Bearer not-a-key")
                                .header("content-type", "application/json")
                                .body(body.clone());
                            async move { request.send().await.unwrap().bytes().await.unwrap().len() }
                        });
                        let lengths: Vec<usize> = futures_util::future::join_all(asked).await;
                        assert!(lengths.iter().all(|length| *length > 0));
                    }
                    for (path, bytes) in files.iter() {
                        write(&root.join(number.to_string()).join(path), bytes, durability);
                    }
                }
            })
            .buffer_unordered(in_flight)
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
    let text = path.to_string_lossy();
    if durability == Durability::Full && (text.contains("/briefs/") || text.contains("/replies/")) {
        file.sync_all().unwrap();
    }
}

/// The request bodies of one debate, as the engine sent them: those of the first round first.
fn sample_requests(files: &[(PathBuf, Vec<u8>)]) -> Vec<String> {
    let mut briefs: Vec<(String, &[u8])> = files
        .iter()
        .map(|(path, bytes)| (path.to_string_lossy().into_owned(), bytes.as_slice()))
        .filter(|(path, _)| path.contains("/briefs/"))
        .collect();
    briefs.sort_by_key(|(path, _)| !path.contains("opening"));
    briefs
        .into_iter()
        .map(|(_, bytes)| {
            serde_json::json!({
                "model": MODEL, "stream": true, "stream_options": {"include_usage": true},
                "messages": [{"role": "user", "content": String::from_utf8_lossy(bytes)}],
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
    let usage = Usage::of_this_process();
    println!("{} {} {}", usage.cpu_ms, usage.peak_kib, began.elapsed().as_secs_f64() * 1000.0);
}
