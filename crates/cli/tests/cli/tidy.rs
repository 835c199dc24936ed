//! What holds the walls besides the compiler: who depends on whom, and that nothing unfinished is left lying about.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The forge crates among the ordinary dependencies of a crate.
fn arrows(name: &str) -> Vec<String> {
    let manifest = fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
    let ordinary = manifest.split_once("[dependencies]").unwrap().1;
    let ordinary = ordinary.split("\n[").next().unwrap();
    ordinary.lines().filter_map(|line| line.strip_prefix("forge-")?.split('.').next().map(str::to_owned)).collect()
}

#[test]
fn the_arrows_between_the_rooms_are_these_and_no_others() {
    let allowed: BTreeMap<&str, Vec<&str>> = [
        ("prose", vec![]),
        ("debate", vec!["prose"]),
        ("agents", vec!["debate", "prose"]),
        ("workflow", vec!["debate", "prose"]),
        ("artifacts", vec!["debate", "prose", "workflow"]),
        ("engine", vec!["agents", "artifacts", "debate", "prose", "workflow"]),
        ("cli", vec!["agents", "artifacts", "debate", "engine", "prose", "workflow"]),
        ("testkit", vec!["artifacts", "debate"]),
    ]
    .into();
    for entry in fs::read_dir(crates()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert_eq!(arrows(&name), allowed[name.as_str()], "{name}");
    }
}

#[test]
fn the_pure_rooms_depend_on_nothing_that_reads_the_world() {
    let mut sources = Vec::new();
    for room in ["prose", "debate", "workflow"] {
        let manifest = fs::read_to_string(crates().join(room).join("Cargo.toml")).unwrap();
        for impure in ["tokio", "reqwest", "serde", "cap-std", "rustix", "jiff"] {
            assert!(!manifest.contains(impure), "{room} depends on {impure}");
        }
        collect(&crates().join(room).join("src"), &mut sources);
    }
    for (path, text) in sources {
        for impure in ["std::fs", "std::env::", "std::net", "std::process", "SystemTime", "Instant::now", "async fn"] {
            assert!(!text.contains(impure), "{}: {impure}", path.display());
        }
    }
}

#[test]
fn nothing_unfinished_is_left() {
    let mut sources = Vec::new();
    collect(&crates(), &mut sources);
    let marks =
        [format!("{}!(", "todo"), format!("{}!(", "unimplemented"), format!("{}ME", "FIX"), format!("#[{}", "ignore")];
    for (path, text) in sources {
        for mark in &marks {
            assert!(!text.contains(mark.as_str()), "{}: {mark}", path.display());
        }
    }
}

/// A session or group that is led from outside a process namespace has the number 0 in it, for which these calls have no word:
/// they panic.
#[test]
fn nobody_asks_the_kernel_who_leads() {
    let mut sources = Vec::new();
    for entry in fs::read_dir(crates()).unwrap() {
        collect(&entry.unwrap().path().join("src"), &mut sources);
    }
    for (path, text) in sources {
        for call in ["getsid(", "getpgid(", "getpgrp("] {
            assert!(!text.contains(call), "{}: {call}", path.display());
        }
    }
}

/// A ballot is read as its struct: a name that is spelled twice can be misspelled once. Facts of an ask are not ballots.
#[test]
fn nobody_reads_a_ballot_by_the_names_of_its_fields() {
    let mut sources = Vec::new();
    for room in ["debate", "workflow"] {
        collect(&crates().join(room).join("src"), &mut sources);
    }
    for (path, text) in &sources {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (at, line) in code.lines().enumerate() {
            for call in [".text(\"", ".texts(\"", ".records(\"", ".flag(\"", ".given(\""] {
                let reads = line.contains(call) && !line.contains("facts");
                assert!(!reads, "{}:{}: {call}", path.display(), at + 1);
            }
        }
    }
    sources.clear();
    for room in ["engine", "artifacts", "agents", "cli"] {
        collect(&crates().join(room).join("src"), &mut sources);
    }
    for (path, text) in sources {
        for call in ["ballot.text(", "ballot.texts(", "ballot.records(", "ballot.flag(", "ballot.get(\""] {
            assert!(!text.contains(call), "{}: {call}", path.display());
        }
    }
}

/// Every prompt that the code asks for is there, and every role that a seat plays.
#[test]
fn every_role_has_its_text() {
    for protocol in forge_debate::protocols::ALL {
        let rosters: Vec<Option<&str>> = match protocol.profile.name {
            "panel" => forge_debate::protocols::panel::rosters().into_iter().map(Some).collect(),
            _ => vec![None],
        };
        let question = "users data deploy rust go python react java sql";
        for roster in rosters {
            for seat in protocol.profile.seats(roster, question).unwrap() {
                let text = crates().join(format!("debate/roles/{}.md", seat.role));
                assert!(text.is_file(), "{}", text.display());
            }
        }
    }
}

fn collect(folder: &Path, sources: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push((path.clone(), fs::read_to_string(&path).unwrap()));
        }
    }
}
