//! Scenarios: one text file each, in which commands, edits and recorded output read as a story.
//!
//! A line begins with a verb; `$ forge ...` runs the binary. What it says is recorded below it: `|` is standard output,
//! `!` standard error, `?` the exit code. `FORGE_BLESS=1` writes the recorded lines anew; read the difference before it
//! is kept. The verbs are in [`Stage::act`].

use crate::place::Place;
use forge_artifacts::diff::unified;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

/// Stands for the workspace in recorded output.
const ROOT: &str = "<ROOT>";

/// Texts in the form that a gate's roles need. All choose option A.
const ROLES: [(&str, &str); 4] = [
    ("advocate", include_str!("../../../../testkit/fixtures/stub-ao/texts/advocate.md")),
    ("skeptic", include_str!("../../../../testkit/fixtures/stub-ao/texts/skeptic.md")),
    ("operator", include_str!("../../../../testkit/fixtures/stub-ao/texts/operator.md")),
    ("synthesis", include_str!("../../../../testkit/fixtures/stub-ao/texts/synthesis.md")),
];

/// The folder of the scenarios.
pub(super) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios")
}

/// Plays a scenario, and compares what happens with what is recorded.
pub(super) fn play(name: &str) {
    let path = folder().join(format!("{name}.txt"));
    let told = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(told.starts_with("# "), "{name}: begins with a sentence on what it shows");
    let played = Stage::new(name).play(&told);
    if told == played {
        return;
    }
    if std::env::var_os("FORGE_BLESS").is_some() {
        return fs::write(&path, played).unwrap();
    }
    let diff = unified(&told, &played, 3, ["recorded", "played"]);
    panic!("{name} went otherwise than recorded (FORGE_BLESS=1 records it):\n{diff}");
}

/// Where a scenario is played.
struct Stage {
    place: Place,
    name: String,
    line: usize,
    /// What was recorded last.
    last: String,
}

impl Stage {
    fn new(name: &str) -> Self {
        Self { place: super::repository(), name: name.to_owned(), line: 0, last: String::new() }
    }

    /// The scenario with every recorded line as it is now.
    fn play(mut self, told: &str) -> String {
        let mut played = String::new();
        let mut lines = told.lines().enumerate();
        while let Some((number, line)) = lines.next() {
            if is_recorded(line) {
                continue;
            }
            self.line = number + 1;
            let _ = writeln!(played, "{line}");
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = self.words(line);
            if words.last().is_some_and(|word| word == "<<") {
                let mut text = String::new();
                loop {
                    let Some((_, inner)) = lines.next() else {
                        self.fail("the text has no end; end it with a line <<")
                    };
                    let _ = writeln!(played, "{inner}");
                    if inner == "<<" {
                        break;
                    }
                    let _ = writeln!(text, "{inner}");
                }
                words.pop();
                words.push(text);
            }
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            self.last = self.act(&words);
            played.push_str(&self.last);
        }
        played
    }

    /// Does what a line says, and tells what is recorded of it.
    fn act(&mut self, words: &[&str]) -> String {
        match words {
            ["now", stamp] => {
                self.place.set("FORGE_NOW", stamp);
                String::new()
            }
            ["$", "forge", args @ ..] => self.forge(args),
            // A file as it is to be: lines up to a line `<<`.
            ["put", path, text] => {
                let path = if path.contains('*') { self.found(path) } else { (*path).to_owned() };
                self.place.write(&path, text);
                String::new()
            }
            // A file after the manner of the origins, from `testkit/fixtures/origins`.
            ["origin", name, "->", path] => {
                let from = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../testkit/fixtures/origins").join(name);
                let bytes = fs::read(&from).unwrap_or_else(|error| self.fail(&format!("{}: {error}", from.display())));
                self.place.write(path, bytes);
                String::new()
            }
            ["append", path, text] => self.change(path, |old| format!("{old}{text}")),
            ["replace", path, old, "->", new] => self.change(path, |text| text.replace(old, new)),
            // Every box.
            ["tick", path] => self.change(path, |text| text.replace("[ ]", "[x]")),
            // Every place of the form `[Findings: to be written]`.
            ["fill", path] => self.change(path, filled),
            // A phase's work is done: places filled, boxes ticked.
            ["finish", path] => self.change(path, |text| filled(&text.replace("[ ]", "[x]"))),
            ["roles", folder, roles @ ..] => {
                let folder = self.found(folder);
                for role in roles {
                    let Some((_, text)) = ROLES.iter().find(|(name, _)| name == role) else {
                        self.fail(&format!("there is no text for {role:?}"))
                    };
                    self.place.write(&format!("{folder}/{role}.md"), text);
                }
                String::new()
            }
            ["remove", path] => {
                let path = self.place.path(&self.found(path));
                let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
                removed.unwrap_or_else(|error| self.fail(&error.to_string()));
                String::new()
            }
            ["tree"] => self.tree(""),
            ["tree", folder] => self.tree(&format!("{}/", self.found(folder))),
            ["show", path] => self.recorded('|', &self.place.read(&self.found(path))),
            // The lines that have a word.
            ["grep", word, path] => {
                let text = self.place.read(&self.found(path));
                let lines: Vec<&str> = text.lines().filter(|line| line.contains(word)).collect();
                self.recorded(
                    '|',
                    if lines.is_empty() { "(no such line)".to_owned() } else { lines.join("\n") }.as_str(),
                )
            }
            _ => self.fail(&format!("no such verb, or not with these words: {words:?}")),
        }
    }

    fn forge(&self, args: &[&str]) -> String {
        let done = self.place.forge(args);
        format!("{}{}? {}\n", self.recorded('|', &done.out), self.recorded('!', &done.err), done.code)
    }

    /// Changes a file; it must become another.
    fn change(&self, path: &str, change: impl Fn(&str) -> String) -> String {
        let path = self.found(path);
        let old = self.place.read(&path);
        let new = change(&old);
        if new == old {
            self.fail(&format!("nothing changes in {path}:\n{old}"));
        }
        self.place.write(&path, new);
        String::new()
    }

    fn tree(&self, prefix: &str) -> String {
        let files = self.place.files();
        let counts = |file: &&String| {
            let name = file.rsplit('/').next().unwrap_or_default();
            file.starts_with(prefix)
                && !file.starts_with(".git/")
                && !(name == "lock" || name.ends_with(".lock") || name.starts_with(".forge-tmp-"))
        };
        let shown: Vec<&str> = files.iter().filter(counts).map(|file| file.trim_start_matches(prefix)).collect();
        self.recorded('|', &shown.join("\n"))
    }

    /// The one file or folder that a path with `*` in it means.
    fn found(&self, path: &str) -> String {
        let mut found = vec![String::new()];
        for part in path.split('/') {
            found = found.iter().flat_map(|folder| self.entries(folder, part)).collect();
        }
        match found.as_slice() {
            [one] => one.clone(),
            _ => self.fail(&format!("{path} means {found:?}; there is\n{}", self.tree(""))),
        }
    }

    fn entries(&self, folder: &str, part: &str) -> Vec<String> {
        let join = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        let Some((begin, end)) = part.split_once('*') else {
            return Some(join(part)).filter(|path| self.place.has(path)).into_iter().collect();
        };
        let names = fs::read_dir(self.place.path(folder)).into_iter().flatten();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let fits =
            |name: &String| name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end);
        let mut fitting: Vec<String> = names.filter(fits).map(|name| join(&name)).collect();
        fitting.sort();
        fitting
    }

    fn recorded(&self, mark: char, text: &str) -> String {
        let text = text.replace(&*self.place.work().to_string_lossy(), ROOT);
        assert!(!text.contains(&*self.place.around().to_string_lossy()), "a path that differs from run to run: {text}");
        text.lines().fold(String::new(), |mut lines, line| {
            let _ = writeln!(lines, "{}", format!("{mark} {}", without_seconds(line)).trim_end());
            lines
        })
    }

    /// Splits a line into words as a shell does: quotes hold words together, `\n` and `\"` work in double ones.
    fn words(&self, line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
        let mut letters = line.chars();
        while let Some(letter) = letters.next() {
            match (quote, letter) {
                (None, ' ') => words.extend(word.take()),
                (None, '"' | '\'') => {
                    quote = Some(letter);
                    word.get_or_insert_default();
                }
                (Some(open), _) if open == letter => quote = None,
                (Some('"'), '\\') => {
                    let escaped = match letters.next() {
                        Some('n') => '\n',
                        Some(one @ ('"' | '\\')) => one,
                        other => self.fail(&format!("no such escape: \\{other:?}")),
                    };
                    word.get_or_insert_default().push(escaped);
                }
                _ => word.get_or_insert_default().push(letter),
            }
        }
        if quote.is_some() {
            self.fail("a quote is not closed");
        }
        words.extend(word);
        words
    }

    fn fail(&self, what: &str) -> ! {
        panic!("tests/scenarios/{}.txt:{}: {what}\nbefore that:\n{}", self.name, self.line, self.last)
    }
}

fn is_recorded(line: &str) -> bool {
    ["|", "!", "?"].contains(&line) || ["| ", "! ", "? "].iter().any(|mark| line.starts_with(mark))
}

/// A line of progress without how long a seat took, such as ` (0.0 s)`.
fn without_seconds(line: &str) -> &str {
    let bare = line.strip_suffix(" s)").and_then(|rest| rest.rsplit_once(" ("));
    bare.filter(|(_, seconds)| seconds.parse::<f64>().is_ok()).map_or(line, |(bare, _)| bare)
}

/// A text whose places are filled.
fn filled(text: &str) -> String {
    let mut filled = String::new();
    for line in text.lines() {
        let place = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(": to be written]"));
        let _ = match place {
            Some(name) => writeln!(filled, "{name} is written."),
            None => writeln!(filled, "{line}"),
        };
    }
    filled
}
