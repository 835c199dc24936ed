//! What must hold after a run was cut off and the same command was run again.
//!
//! Where no call was lost, nothing may be different at all. Where one was, it was made again, and only that may show:
//! one more brief, and the figures and digests that count it.

use crate::money;
use crate::scenario::Scenario;
use crate::stage::{Stage, Tale};
use crate::tree::Tree;
use forge_artifacts::disk::Disk;
use forge_testkit::dying_disk::DyingDisk;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An undisturbed run, to which others are held.
pub(crate) struct Calm {
    pub(crate) tree: Tree,
    pub(crate) tale: Tale,
    /// How many writes it took.
    pub(crate) writes: usize,
}

impl Calm {
    pub(crate) fn of(scenario: &Scenario) -> Self {
        let stage = Stage::new();
        let disk = Arc::new(DyingDisk::counting(stage.disk()));
        let shared: Arc<dyn Disk> = Arc::clone(&disk) as Arc<dyn Disk>;
        let tale = stage.play(scenario, &shared, 0);
        let tale = tale.unwrap_or_else(|stopped| panic!("{}: {}", scenario.name, stopped.error));
        Self { tree: stage.tree(), tale, writes: disk.writes() }
    }

    /// What is wrong with a workspace after `cuts` cuts; nothing if all is well.
    pub(crate) fn wrongs(&self, scenario: &Scenario, found: &Tree, tale: &Tale, cuts: usize) -> Vec<String> {
        if let Some(most) = scenario.max_cost.filter(|_| found != &self.tree) {
            // What a lost call may have cost is money that the others lack: the rest of the debate may be another one.
            let used: u64 = money::used(found).iter().sum();
            let wrong = format!("{used} millionths of a dollar; {most} are allowed");
            return if used > most { vec![wrong] } else { Vec::new() };
        }
        if found.paths() == self.tree.paths() && found.trail("briefs").len() == self.tree.trail("briefs").len() {
            let mut wrongs = found.differences(&self.tree);
            if tale.end != self.tale.end {
                wrongs.push(format!("the end differs:\n{}", tale.end));
            }
            return wrongs;
        }
        let mut wrongs = Vec::new();
        let calls = found.trail("briefs").len();
        if let Some(most) = scenario.max_calls {
            if calls > most as usize {
                wrongs.push(format!("{calls} calls; {most} are allowed"));
            }
            // A lost call is a call less for the others: the rest of the debate may be another one.
            return wrongs;
        }
        if tale.end != self.tale.end {
            wrongs.push(format!("the end differs:\n{}", tale.end));
        }
        wrongs.extend(self.calls_made_again(found, cuts));
        wrongs.extend(comparable(found).differences(&comparable(&self.tree)));
        wrongs
    }

    /// Every turn was answered as before, from a reply that was asked for once.
    fn calls_made_again(&self, found: &Tree, cuts: usize) -> Vec<String> {
        let (briefs, replies) = (by_turn(found, "briefs"), by_turn(found, "replies"));
        let expected = by_turn(&self.tree, "replies");
        let mut wrongs = Vec::new();
        for (turn, asked) in &briefs {
            let answered = replies.get(turn).map(Vec::as_slice).unwrap_or_default();
            let lost = asked.len().saturating_sub(answered.len());
            if lost > cuts {
                wrongs.push(format!("{turn}: {lost} briefs without a reply after {cuts} cuts"));
            }
            if asked.iter().any(|brief| !is_whole(brief)) {
                wrongs.push(format!("{turn}: half a brief"));
            }
            // A script may mend its ways with the attempt, and a lost attempt counts: then the tail is the same.
            let wanted = expected.get(turn).map(Vec::as_slice).unwrap_or_default();
            let said: Vec<&[u8]> = answered.iter().map(|reply| raw(reply)).collect();
            let should: Vec<&[u8]> = wanted.iter().map(|reply| raw(reply)).collect();
            if !should.ends_with(&said) || (said.is_empty() && !should.is_empty()) {
                wrongs.push(format!("{turn}: {} replies instead of {}, or others", said.len(), should.len()));
            }
        }
        let turns = |all: &BTreeMap<String, Vec<&[u8]>>| all.keys().cloned().collect::<BTreeSet<_>>();
        if turns(&by_turn(&self.tree, "briefs")) != turns(&briefs) {
            wrongs.push("other turns were asked for".to_owned());
        }
        wrongs
    }
}

fn by_turn<'t>(tree: &'t Tree, folder: &str) -> BTreeMap<String, Vec<&'t [u8]>> {
    let mut turns: BTreeMap<String, Vec<&[u8]>> = BTreeMap::new();
    for (turn, _, bytes) in tree.trail(folder) {
        turns.entry(turn).or_default().push(bytes);
    }
    turns
}

fn is_whole(brief: &[u8]) -> bool {
    forge_artifacts::formats::call::read_intent(brief).is_some()
}

/// The reply below its receipt.
fn raw(reply: &[u8]) -> &[u8] {
    const END: &[u8] = b"\n---\n";
    let end = reply.windows(END.len()).position(|window| window == END).unwrap();
    &reply[end + END.len()..]
}

/// The tree without the calls, and without what counts them or depends on how many there were.
fn comparable(tree: &Tree) -> Tree {
    let is_call = |path: &str| path.contains("trail/briefs/") || path.contains("trail/replies/");
    Tree(
        tree.0
            .iter()
            .filter(|(path, _)| !is_call(path))
            .map(|(path, bytes)| (path.clone(), without_counts(&String::from_utf8_lossy(bytes)).into_bytes()))
            .collect(),
    )
}

fn without_counts(text: &str) -> String {
    // Of a turn's header, of a verdict for machines, of a report's foot.
    const COUNTS: [&str; 14] = [
        "attempts: ",
        "calls: ",
        "input_tokens: ",
        "output_tokens: ",
        "brief: ",
        "previous: ",
        "\"attempts\": ",
        "\"digest\": ",
        "\"calls\": ",
        "\"possibly_paid\": ",
        "\"calls_without_usage\": ",
        "\"input_tokens\": ",
        "\"output_tokens\": ",
        "\"record_digest\": ",
    ];
    let mut below_cost = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let is_row = line.starts_with("| cost |") || line.contains("| sha256:");
        let counts =
            is_row || COUNTS.iter().any(|key| line.trim_start().starts_with(key)) || line.starts_with("Record: ");
        lines.push(if counts || (below_cost && line.contains(" call")) { "(counts)" } else { line });
        below_cost = line == "## Cost" || (below_cost && line.is_empty());
    }
    lines.join("\n")
}
