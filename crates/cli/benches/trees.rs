//! What the commands cost in trees of 100, 1,000 and 10,000 debates. Prints figures; asserts no time.
//!
//! `cargo bench -p forge-cli --bench trees [-- --repeats N] [--sizes 100,1000]`. The debates are rehearsals, made by the engine in this
//! process; each command is the real binary in a process of its own. The best of the repeats is printed: the machine's other
//! work only ever adds. A row that grows down the column costs more the more debates there are.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

use forge_agents::{Roster, RosterSettings};
use forge_artifacts::disk::{Disk, Durability, WorkspaceDisk};
use forge_artifacts::stamp::Stamp;
use forge_debate::plan::{Choice, Demands, Families, Hand, Naming, REHEARSAL, letter};
use forge_debate::protocols::{DEFAULT, Protocols};
use forge_debate::voting::Threshold;
use forge_engine::config::DebateDefaults;
use forge_engine::{Freshness, Request, Run, RunEnd, RunSettings, Seating, Silent, Workspace};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

const SIZES: [usize; 3] = [100, 1000, 10_000];
const REPEATS: usize = 7;

/// What is typed, and how often at the most: what grows with the tree is not run often in a large one.
const COMMANDS: &[(&str, &[&str], usize)] = &[
    ("--version", &["--version"], REPEATS),
    ("status", &["status"], REPEATS),
    ("gate", &["gate"], REPEATS),
    ("continue", &["continue"], REPEATS),
    ("debate status ID", &["debate", "status", "question-7"], REPEATS),
    ("debate status, mistyped", &["debate", "status", "qestion-7"], REPEATS),
    ("verify ID", &["verify", "question-7"], REPEATS),
    ("debate, a new one", &["debate", "NEW", "--option", "now", "--option", "later"], REPEATS),
    ("debate list", &["debate", "list"], REPEATS),
    ("verify --all", &["verify", "--all"], 1),
];

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let given = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let repeats = given("--repeats").map_or(REPEATS, |count| count.parse().unwrap());
    let sizes = given("--sizes").map_or(SIZES.to_vec(), |list| list.split(',').map(|n| n.parse().unwrap()).collect());
    let folder = tempfile::tempdir().unwrap();
    forge(folder.path(), &["start", "A store for sessions"]);
    println!("{:<26} {}", "best wall ms", sizes.iter().map(|size| format!("{size:>10}")).collect::<String>());
    let mut made = 0;
    let mut rows: Vec<Vec<f64>> = vec![Vec::new(); COMMANDS.len()];
    for size in &sizes {
        grow(folder.path(), made, *size);
        made = *size;
        for ((_, words, most), row) in COMMANDS.iter().zip(&mut rows) {
            let one = |repeat: usize| {
                let question = format!("Question {repeat} in a tree of {size}?");
                let words: Vec<&str> =
                    words.iter().map(|word| if *word == "NEW" { &question } else { *word }).collect();
                let began = Instant::now();
                forge(folder.path(), &words);
                began.elapsed().as_secs_f64() * 1000.0
            };
            row.push((0..repeats.min(*most)).map(one).fold(f64::INFINITY, f64::min));
        }
    }
    for ((name, ..), row) in COMMANDS.iter().zip(&rows) {
        println!("{name:<26} {}", row.iter().map(|ms| format!("{ms:>10.1}")).collect::<String>());
    }
}

fn forge(root: &Path, args: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forge"));
    command.current_dir(root).args(args).env_clear().env("FORGE_DURABILITY", "none");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
}

/// Holds rehearsals until there are so many.
fn grow(root: &Path, from: usize, to: usize) {
    let disk = Arc::new(WorkspaceDisk::open(root, Durability::None).unwrap());
    let workspace = Workspace {
        disk: Arc::clone(&disk) as Arc<dyn Disk>,
        locks: disk,
        roster: Arc::new(Roster::new(RosterSettings::default())),
        clock: Arc::new(Stamp::now),
        defaults: Arc::new(DebateDefaults::of_forge()),
        made: None,
        protocols: Protocols::default(),
        host: None,
        vault: None,
        patience: 0,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for number in from..to {
        let opened = workspace.open_or_create(&request(number), Freshness::GoOn).unwrap();
        let end = runtime.block_on(Run::new(&workspace, RunSettings::default(), &Silent).opened(opened.files));
        let Ok(RunEnd::Concluded(_)) = end else { panic!("no end") };
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
        hand: Hand::Agent(REHEARSAL.to_owned()),
        seating: Seating::Named,
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
        id: Some(format!("question-{number}")),
        occasion: None,
        challenge: Default::default(),
    }
}
