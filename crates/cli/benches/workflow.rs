//! What `forge status`, `forge gate` and `forge continue` cost in a tree with hundreds of debates, as ratios to `git status` in the
//! same tree. They run in editor hooks and in CI, so they must cost nothing next to what runs there anyway.
//!
//! `cargo bench -p forge-cli`. Figures of one run are comparable with each other, not with those of another machine or day.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const DEBATES: usize = 500;
const ROUNDS: usize = 60;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, &["init", "-q", "-b", "main"]);
    forge(root, &["start", "A store for sessions"]);
    forge(root, &["continue"]);
    std::fs::write(
        root.join("docs/forge/brainstorm-options.md"),
        "# Options\n\n## Options\n\n- Redis: fast\n- Postgres: one store less\n- Cookies: nothing to run\n",
    )
    .unwrap();
    forge(root, &["continue"]);
    for number in 0..DEBATES {
        let question = format!("Question number {number}: now or later?");
        let protocol = ["judges", "gate", "challenge"][number % 3];
        let options = ["--option", "now", "--option", "later", "--option", "never"];
        forge(root, &[&["debate", question.as_str(), "--protocol", protocol][..], &options[..]].concat());
    }
    git(root, &["add", "-A"]);
    git(root, &["-c", "user.name=b", "-c", "user.email=b@localhost", "commit", "-qm", "all"]);

    let commands: [(&str, &str, &[&str]); 5] = [
        ("git status", "git", &["status", "--short"]),
        ("forge status", "forge", &["status"]),
        ("forge gate", "forge", &["gate"]),
        ("forge continue", "forge", &["continue"]),
        ("forge --version", "forge", &["--version"]),
    ];
    // Interleaved, so that whatever else the machine does hits all of them alike.
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); commands.len()];
    for _ in 0..ROUNDS {
        for ((_, program, args), times) in commands.iter().zip(&mut times) {
            let began = Instant::now();
            if *program == "git" {
                git(root, args)
            } else {
                forge(root, args)
            }
            times.push(began.elapsed());
        }
    }
    let medians: Vec<f64> = times
        .iter_mut()
        .map(|all| {
            all.sort();
            all[all.len() / 2].as_secs_f64() * 1000.0
        })
        .collect();
    println!("{DEBATES} debates, {ROUNDS} rounds, medians of wall time");
    for ((name, ..), median) in commands.iter().zip(&medians) {
        println!("{name:<16} {median:>7.2} ms   {:>5.2}x git status", median / medians[0]);
    }
}

fn forge(root: &Path, args: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_forge"));
    command.current_dir(root).args(args).env_clear().env("FORGE_DURABILITY", "none");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
}

fn git(root: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(root).args(args).stdin(Stdio::null()).stdout(Stdio::null());
    assert!(command.status().unwrap().success());
}
