//! What holds the walls inside the code besides the compiler: who may name a protocol.

use forge_debate::protocols::names;
use std::fs;
use std::path::{Path, PathBuf};

#[allow(clippy::disallowed_methods, reason = "it reads the sources")]
/// Every source file of every crate, by its path from the crates' folder, without its own tests.
fn sources() -> Vec<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> =
        fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path().join("src")).collect();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.split("#[cfg(test)]\nmod tests").next().unwrap().to_owned();
                let name = path.strip_prefix(crates).unwrap().to_string_lossy().replace('\\', "/");
                found.push((name, code));
            }
        }
    }
    assert!(found.len() > 300, "{}", found.len());
    found
}

/// Where the word is something else than a protocol: a flag, a key of JSON or of the configuration, a column's heading, a
/// page, a command, what a phase is held by, a stage.
const OTHER_MEANINGS: [(&str, &str); 9] = [
    ("debate/src/protocols/", "Stage = Stage("),
    ("artifacts/src/formats/handoff.rs", "column.contains(\"challenge\")"),
    ("cli/src/args/vote.rs", "long = \"challenge\""),
    ("cli/src/commands/doctor.rs", "\"challenge\": challenge.map("),
    ("engine/src/config/keys.rs", "const CHALLENGE: &str = \"challenge\";"),
    ("engine/src/install/settings.rs", "UNASKED"),
    ("engine/src/install/source.rs", "pages/forge/gate.md"),
    ("workflow/src/next/step.rs", "BlockerKind::Gate => \"gate\""),
    ("testkit/src/", ""),
];

/// Whoever compares a protocol's name has an arm for protocols that it does not know, and is wrong there in silence. What is
/// different between protocols is in their profiles.
#[test]
fn a_protocol_is_named_in_its_own_file() {
    let mut strangers = Vec::new();
    for (file, code) in sources() {
        for name in names() {
            let is_own = [".rs", "/"].iter().any(|end| file.starts_with(&format!("debate/src/protocols/{name}{end}")));
            let lines = code.lines().filter(|line| line.contains(&format!("\"{name}\"")));
            let meant = |line: &&str| {
                !OTHER_MEANINGS.iter().any(|(known, word)| file.starts_with(known) && line.contains(word))
            };
            strangers.extend(lines.filter(|_| !is_own).filter(meant).map(|line| format!("{file}: {}", line.trim())));
        }
    }
    assert_eq!(strangers, Vec::<String>::new());
}

/// The layers of this crate, lowest first.
const LAYERS: [&str; 4] = ["model", "rules", "protocols", "assessment"];

/// The macros that declare ballots and facts, which the compiler keeps at the top of the crate.
const MACROS: [&str; 3] = ["ballot", "ballot_words", "fact"];

/// What a file of a layer imports from this crate: the word after `crate::`.
fn imports(code: &str) -> impl Iterator<Item = &str> {
    let lines = code.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    lines.flat_map(|line| line.split("crate::").skip(1)).map(|rest| {
        let end = rest.find(|c: char| !(c.is_ascii_lowercase() || c == '_')).unwrap_or(rest.len());
        &rest[..end]
    })
}

/// A layer knows itself and what is below it. Where it does not, nothing can be read or tested without everything else.
#[test]
fn a_layer_knows_only_those_below() {
    let mut strangers = Vec::new();
    let mut looked = 0;
    for (file, code) in sources() {
        let Some(name) = file.strip_prefix("debate/src/") else { continue };
        let Some(own) = LAYERS.iter().position(|layer| name.starts_with(&format!("{layer}/"))) else { continue };
        looked += 1;
        let is_known = |word: &&str| LAYERS[..=own].contains(word) || MACROS.contains(word);
        strangers.extend(imports(&code).filter(|word| !is_known(word)).map(|word| format!("{file}: crate::{word}")));
    }
    assert!(looked > 80, "{looked}");
    assert_eq!(strangers, Vec::<String>::new());
}
