//! What holds the walls inside the code besides the compiler: who may name a protocol, what a layer may import, and
//! that one code of a fact means one thing.

use forge_debate::protocols::names;
use std::collections::BTreeMap;
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

/// The facts that a file makes: the code of each, and the names of its values.
fn facts(code: &str) -> Vec<(String, Vec<String>)> {
    code.split("fact!(")
        .skip(1)
        .filter_map(|rest| parts(rest).split_first().map(|(first, rest)| (first.clone(), rest.to_vec())))
        .filter_map(|(first, rest)| {
            let code = first.strip_prefix('"')?.strip_suffix('"')?.to_owned();
            let mut names: Vec<String> =
                rest.iter().skip(1).map(|one| one.split('=').next().unwrap_or_default().trim().to_owned()).collect();
            names.retain(|name| !name.is_empty());
            names.sort();
            Some((code, names))
        })
        .collect()
}

/// The arguments of a macro, up to its end: commas within brackets and texts part nothing.
fn parts(rest: &str) -> Vec<String> {
    let (mut parts, mut depth, mut is_text, mut is_escaped) = (vec![String::new()], 0, false, false);
    for c in rest.chars() {
        let last = parts.last_mut().expect("there is one from the start");
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            '(' | '[' | '{' if !is_text => depth += 1,
            ')' if !is_text && depth == 0 => return parts.iter().map(|part| part.trim().to_owned()).collect(),
            ')' | ']' | '}' if !is_text => depth -= 1,
            ',' if !is_text && depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        last.push(c);
    }
    Vec::new()
}

/// Programs branch on a fact's code and read its values: one code has the same values wherever it is made.
#[test]
fn a_code_has_one_shape() {
    let mut shapes: BTreeMap<String, (String, Vec<String>)> = BTreeMap::new();
    let mut others = Vec::new();
    for (file, source) in sources() {
        for (code, names) in facts(&source) {
            let (first, known) = shapes.entry(code.clone()).or_insert_with(|| (file.clone(), names.clone()));
            if *known != names {
                others.push(format!("{code}: {known:?} in {first}, {names:?} in {file}"));
            }
        }
    }
    assert!(shapes.len() > 100, "{}", shapes.len());
    assert_eq!(others, Vec::<String>::new());
}
