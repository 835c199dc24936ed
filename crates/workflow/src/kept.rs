//! Whether a debate on a decision let it stand.
//!
//! Pure; if the process dies here nothing is left.

use crate::contradiction::Settled;
use crate::extract::ids::ids_in;
use crate::knowledge::Decision;
use forge_debate::plan::Choice;
use forge_prose::phrases::Phrases;
use std::sync::LazyLock;

static KEEP: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let lines = include_str!("../data/keep-words.txt").lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
});

static STAYING: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../data/staying.txt")));
static BESIDE: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../data/beside-staying.txt")));

/// Whether a sentence only says that what it names by ids stays: `We stay with D1`. One that begins with the id is an entry
/// about it.
pub(crate) fn only_keeps(text: &str) -> bool {
    let ids = ids_in(text);
    let plain = ids.iter().fold(text.to_owned(), |text, id| text.replacen(id.as_str(), " ", 1));
    let said = forge_prose::words::words(&plain);
    let begins_with_it =
        ids.first().is_none_or(|id| text.trim_start_matches(['*', '`', '[', ' ']).starts_with(id.as_str()));
    !begins_with_it
        && said.iter().any(|word| STAYING.has_word(word))
        && said.iter().all(|word| STAYING.has_word(word) || BESIDE.has_word(word))
}

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
