//! Whether a debate on a decision let it stand.
//!
//! Pure; if the process dies here nothing is left.

use crate::contradiction::Settled;
use crate::knowledge::Decision;
use forge_debate::plan::Choice;
use std::sync::LazyLock;

static KEEP: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let lines = include_str!("../data/keep-words.txt").lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
});

/// Whether everything that a debate chose is what the decision says already: `Mail`, `Keep Mail`, `Keep D1`.
pub fn is_kept(decision: &Decision, settled: Option<&Settled>, chosen: &[&Choice]) -> bool {
    let last = decision.title.rsplit(": ").next().unwrap_or_default();
    let mut same: Vec<Vec<String>> = vec![words(&decision.title), words(last), words(&decision.id)];
    same.extend(settled.iter().flat_map(|one| &one.chosen).map(|label| words(label)));
    let keeps = |choice: &&Choice| {
        let mut said = words(&choice.label);
        if said.is_empty() {
            // Only words of keeping: "Status quo".
            return !choice.label.trim().is_empty();
        }
        let id = words(&decision.id);
        if said.len() > id.len() && said.ends_with(&id) {
            said.truncate(said.len() - id.len());
        }
        same.contains(&said)
    };
    !chosen.is_empty() && chosen.iter().all(keeps)
}

/// The words of a text without those that say that it stays.
fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let all = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    all.filter(|word| !KEEP.contains(word)).map(str::to_owned).collect()
}
