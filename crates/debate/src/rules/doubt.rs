//! Whether what follows a named option puts it in doubt: a condition, a refusal, a question, another option.

use forge_prose::phrases::Phrases;
use forge_prose::words::words;
use std::sync::LazyLock;

static DOUBTS: LazyLock<Phrases> = LazyLock::new(|| {
    let lists = [
        include_str!("../../data/doubts.txt"),
        include_str!("../../data/conditions.txt"),
        include_str!("../../data/refusals.txt"),
        include_str!("../../data/turned-down.txt"),
        include_str!("../../data/undecided.txt"),
        include_str!("../../data/withdrawals.txt"),
        include_str!("../../data/half-hearted.txt"),
    ];
    Phrases::of(&lists.join("\n"))
});

/// Marks that no plain choice has behind it.
const MARKS: &[char] = &['?', '？', '%', '/', '|', '❌', '✗', '✘', '🚫'];

/// Begins a reason: what follows it says why, and not whether.
const REASONS: &[&str] =
    &["because", "since", "weil", "denn", "da", "porque", "ya que", "parce que", "car", "perché", "omdat", "因为"];

static REASON_WORDS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&REASONS.join("\n")));

/// Whether a text beside a choice puts it in doubt. What stands behind a reason's first word is not looked at.
pub(crate) fn is_in_doubt(text: &str) -> bool {
    let said = words(text);
    let before = REASON_WORDS.find(&said).map_or(said.as_slice(), |(at, _)| &said[..at]);
    let reason = if before.len() < said.len() { said.get(before.len()) } else { None };
    let start = reason.and_then(|word| text.to_lowercase().find(word.as_str())).unwrap_or(text.len());
    DOUBTS.find(before).is_some() || text.get(..start).unwrap_or(text).contains(MARKS)
}

/// Where a reason begins in a text, if one does.
pub(crate) fn reason_at(text: &str) -> Option<usize> {
    let lower = text.to_lowercase();
    // Where lowering changes lengths, places in the two texts do not match.
    if lower.len() != text.len() {
        return None;
    }
    REASONS.iter().filter_map(|reason| lower.find(&format!(" {reason} "))).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_refusals_and_questions_are_doubts_and_reasons_are_none() {
        for text in [
            "if legal agrees",
            "provided that it fits",
            "subject to approval",
            "pending review",
            "unless it fails",
            "however not in v1",
            "never",
            "rejected",
            "no wait, B",
            "(70%)",
            "sofern es passt",
            "wenn möglich",
            "a menos que falle",
            "sauf avis contraire",
            "tentative",
            "only if legal agrees",
            "❌",
            "?",
        ] {
            assert!(is_in_doubt(text), "{text}");
        }
        for text in [
            "",
            "the short name",
            "Limited offline",
            "with one replica",
            "because it cannot fail",
            "since nobody asked, if at all",
        ] {
            assert!(!is_in_doubt(text), "{text}");
        }
    }
}
