//! Every part of every file of finished debates, changed: the check fails and names the file.
//!
//! A check takes a while in a build without optimisation. So each range is changed in all turns at once, and in all files
//! that turns speak of, where every one of them must be named; and so many files are changed alone, each in one range of it.
//! To change every range of every file alone:
//!
//! ```text
//! FORGE_EVERY_BYTE=1 cargo test --release -p forge-engine every_byte
//! ```

use super::{Finished, held};
use crate::tree::Tree;
use forge_engine::verify::{Kind, Verification};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Into so many ranges each file is cut.
const RANGES: usize = 12;
/// So many files of a debate are changed alone, spread over all of them; and always those that speak of others.
const FILES_ALONE: usize = 15;
/// In a debate of more files than this, where a check takes long, only some ranges are changed.
const MANY_FILES: usize = 40;
/// Of many files every so many-th range: prime to the kinds of changes, so that each kind is made.
const STRIDE: usize = 5;
/// Set, every range of every file is changed alone.
const ALONE: &str = "FORGE_EVERY_BYTE";

/// One change to a range of a file.
#[derive(Debug, Clone, Copy)]
enum Change {
    Flip,
    Delete,
    Duplicate,
}

/// What is done to a range: all are flipped, some are deleted or doubled too.
fn changes(number: usize) -> &'static [Change] {
    match number % 3 {
        0 => &[Change::Flip, Change::Delete],
        1 => &[Change::Flip, Change::Duplicate],
        _ => &[Change::Flip],
    }
}

fn changed(bytes: &[u8], range: Range<usize>, change: Change) -> Vec<u8> {
    let (before, part, after) = (&bytes[..range.start], &bytes[range.clone()], &bytes[range.end..]);
    match change {
        Change::Flip => {
            let mut part = part.to_vec();
            let middle = part.len() / 2;
            part[middle] ^= 1;
            [before, &part, after].concat()
        }
        Change::Delete => [before, after].concat(),
        Change::Duplicate => [before, part, part, after].concat(),
    }
}

fn ranges(length: usize) -> Vec<Range<usize>> {
    let cuts: BTreeSet<usize> = (0..=RANGES).map(|i| i * length / RANGES).collect();
    let cuts: Vec<usize> = cuts.into_iter().collect();
    cuts.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// A finished debate with its files as they are.
struct Sweep {
    name: &'static str,
    finished: Finished,
    files: BTreeMap<String, Vec<u8>>,
    missed: Vec<String>,
}

impl Sweep {
    fn of(name: &'static str, finished: Finished) -> Self {
        assert!(finished.check().holds(), "{name}: {:#?}", finished.check());
        // What lies in `.claude` is no part of the debate: an index for finding, which anyone may delete.
        let paths = Tree::read(finished.stage.root()).0.into_keys().filter(|path| !path.starts_with(".claude/"));
        let files = paths.map(|path| (path.clone(), std::fs::read(finished.path(&path)).unwrap())).collect();
        Self { name, finished, files, missed: Vec::new() }
    }

    fn restore(&self) {
        for (path, bytes) in &self.files {
            self.finished.write(path, bytes);
        }
    }

    /// Changes one file alone.
    fn alone(&mut self, path: &str, range: Range<usize>, change: Change) {
        let bytes = &self.files[path];
        let other = changed(bytes, range.clone(), change);
        if other == *bytes {
            return;
        }
        self.finished.write(path, &other);
        let report = self.finished.check();
        self.finished.write(path, bytes);
        if !names(&report, path) {
            let part = String::from_utf8_lossy(&bytes[range.clone()]).into_owned();
            self.missed.push(format!("{path} {range:?} {change:?} {part:?}: {:?}", report.discrepancies));
        }
    }

    fn removed(&mut self, path: &str) {
        std::fs::remove_file(self.finished.path(path)).unwrap();
        let report = self.finished.check();
        self.finished.write(path, &self.files[path]);
        // Without the verdict on file the turns still give it, and a run that was killed leaves no other trace.
        let is_right = match path.ends_with("trail/verdict.json") {
            true => report.holds() && report.notes.iter().any(|note| note.starts_with(path)),
            false => names(&report, path),
        };
        if !is_right {
            self.missed.push(format!("{path} removed: {:?}", report.discrepancies));
        }
    }

    /// Changes the same range of all turns, or of all files that turns and verdict speak of. Who speaks of others is not
    /// changed with them: nobody could say then which of them were.
    fn together(&mut self, are_turns: bool, number: usize, change: Change) {
        let mut touched = Vec::new();
        for (path, bytes) in self.files.iter().filter(|(_, bytes)| bytes.starts_with(b"---\nforge_turn") == are_turns) {
            let Some(range) = ranges(bytes.len()).get(number).cloned() else { continue };
            let other = changed(bytes, range, change);
            if other != *bytes && !path.ends_with("verdict.json") && !is_plan(path) {
                self.finished.write(path, &other);
                touched.push(path.clone());
            }
        }
        let report = self.finished.check();
        for path in touched.iter().filter(|path| !names(&report, path)) {
            self.missed.push(format!("{path}, part {number}, {change:?} with all others"));
        }
        self.restore();
    }

    fn run(mut self) {
        let alone = std::env::var_os(ALONE).is_some();
        let step = self.files.len().div_ceil(FILES_ALONE);
        let stride = if !alone && self.files.len() > MANY_FILES { STRIDE } else { 1 };
        for (i, path) in self.files.keys().cloned().collect::<Vec<_>>().iter().enumerate() {
            let ranges = ranges(self.files[path].len());
            let speaks = path.ends_with("verdict.json") || is_plan(path);
            if !alone && !speaks && i % step != 0 {
                continue;
            }
            for (number, range) in ranges.iter().enumerate() {
                // The step is prime to the number of ranges: file after file, all of them have their turn.
                let has_its_turn = number == (7 * i) % ranges.len();
                for change in changes(number).iter().filter(|change| {
                    alone || has_its_turn || (speaks && number % stride == 0 && matches!(change, Change::Flip))
                }) {
                    self.alone(path, range.clone(), *change);
                }
            }
            if alone || speaks || i % 4 == 0 {
                self.removed(path);
            }
        }
        for number in (0..RANGES).step_by(stride) {
            for change in changes(number) {
                self.together(true, number, *change);
                self.together(false, number, *change);
            }
        }
        let missed = &self.missed;
        assert!(
            missed.is_empty(),
            "{}: {} changes went unnoticed or unnamed\n{}",
            self.name,
            missed.len(),
            missed.join("\n")
        );
        assert!(self.finished.check().holds(), "{}: everything was put back", self.name);
    }
}

/// Whether a report fails and names a file for its own sake: that the chain is broken after it may be due to another.
fn names(report: &Verification, path: &str) -> bool {
    !report.holds() && report.discrepancies.iter().any(|found| found.file == *path && found.kind != Kind::Chain)
}

fn is_plan(path: &str) -> bool {
    path.ends_with("plan.md") || path.ends_with("context.md")
}

macro_rules! every_byte_of {
    ($($test:ident $finished:expr;)*) => {
        $(
            #[test]
            fn $test() {
                Sweep::of(stringify!($test), $finished).run();
            }
        )*
    };
}

every_byte_of! {
    judges Finished::new("judges-one-hangs-one-garbage-repaired");
    judges_with_an_absence_put_aside Finished::new("retry-absent");
    judges_with_a_framer Finished::new("judges-framed-options");
    judges_and_a_person Finished::new("judges-flip-unearned-contested-then-decided-by-person");
    gate Finished::new("gate-decided");
    gate_with_files_from_outside Finished::new("gate-outside-files");
    panel Finished::new("panel-escalated");
    challenge Finished::new("challenge-fast-exit");
    judges_with_sealed_votes held::sealed_votes();
    judges_beside_one_alone held::control_arm();
    gate_mended_after_it_blocked held::mended_gate();
}
