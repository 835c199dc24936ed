//! Hand-broken input, as tables: what is broken, what is run, how it must end, and the words that must be said.
//!
//! Every run is held to `Place`'s promises besides: a documented exit code, no panic, nothing that a terminal would obey.
//! Here also: nothing outside the workspace is read or changed, and no run ever ends with 1 unless a row allows it.

mod ballots;
mod flags;
mod given;
mod plans;
mod trees;
mod turns;
mod words;

use crate::place::{Done, Place};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Stands in a file outside the workspace; nobody may read or change it.
const CANARY: &str = "CANARY-7f3a: nobody may read this";

/// What is put in place first.
type Set = Box<dyn Fn(&Place)>;
/// What must hold afterwards.
type Then = Box<dyn Fn(&Place, &Done)>;

/// One row.
struct Row {
    name: String,
    set: Set,
    args: Vec<String>,
    codes: Vec<i32>,
    /// Words that must stand on standard error or output.
    says: Vec<String>,
    then: Then,
}

/// A row that begins with an empty folder.
fn row(name: &str, args: &[&str], codes: &[i32], says: &[&str]) -> Row {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Row {
        name: name.to_owned(),
        set: Box::new(|_| {}),
        args: texts(args),
        codes: codes.to_vec(),
        says: texts(says),
        then: Box::new(|_, _| {}),
    }
}

impl Row {
    fn set(mut self, set: impl Fn(&Place) + 'static) -> Self {
        self.set = Box::new(set);
        self
    }

    fn then(mut self, then: impl Fn(&Place, &Done) + 'static) -> Self {
        self.then = Box::new(then);
        self
    }

    fn play(&self) {
        let place = Place::new();
        let canary = place.around().join("outside").join("secret.md");
        std::fs::create_dir(canary.parent().unwrap()).unwrap();
        std::fs::write(&canary, CANARY).unwrap();
        (self.set)(&place);
        let args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        let done = place.forge(&args);
        assert!(self.codes.contains(&done.code), "expected {:?}: {done}", self.codes);
        for word in &self.says {
            assert!(done.err.contains(word) || done.out.contains(word), "nobody says {word:?}: {done}");
        }
        (self.then)(&place, &done);
        assert_eq!(std::fs::read_to_string(&canary).unwrap(), CANARY, "something outside was changed");
        let outside: Vec<_> =
            std::fs::read_dir(canary.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(outside, ["secret.md"], "something was written outside");
        let told = done.out.contains("CANARY-7f3a") || done.err.contains("CANARY-7f3a");
        let copied = place.tree().into_iter().any(|(_, bytes)| String::from_utf8_lossy(&bytes).contains("CANARY-7f3a"));
        assert!(!told && !copied, "something outside was read: {done}");
        let around: Vec<String> = std::fs::read_dir(place.around())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let strange: Vec<&String> =
            around.iter().filter(|name| !["work", "home", "outside", "stdin"].contains(&name.as_str())).collect();
        assert!(strange.is_empty(), "{strange:?} was made outside");
    }
}

/// Plays all rows, and tells every one that fails.
fn check(rows: Vec<Row>) {
    let count = rows.len();
    let mut failed = Vec::new();
    for row in rows {
        eprintln!("=== {}", row.name);
        if catch_unwind(AssertUnwindSafe(|| row.play())).is_err() {
            failed.push(row.name);
        }
    }
    assert!(failed.is_empty(), "{} of {count} rows fail: {failed:#?}", failed.len());
}

/// Judges `q1` of whom all vote for A, concluded.
fn judged(place: &Place) {
    place.write("agree.yaml", "replies:\n  - {ballot: {option: A, options: [A]}}\n");
    let args = [
        "debate",
        "Which way is best?",
        "--agent",
        "scripted:agree.yaml",
        "--id",
        "q1",
        "--option",
        "One way",
        "--option",
        "Another way",
    ];
    place.forge(&args).code(0);
}

/// A gate `g1` whose seats are all outside, waiting.
fn waiting(place: &Place) {
    let options = ["--option", "Build it", "--option", "Buy it", "--option", "Wait"];
    place
        .forge(
            &[&["debate", "Build or buy?", "--protocol", "gate", "--agent", "outside", "--id", "g1"][..], &options]
                .concat(),
        )
        .code(3);
}

/// A challenge `c1`, concluded.
fn challenged(place: &Place) {
    let args = [
        "debate",
        "Which way is best?",
        "--protocol",
        "challenge",
        "--id",
        "c1",
        "--rounds",
        "1",
        "--option",
        "One way",
        "--option",
        "Another way",
    ];
    place.forge(&args);
}
