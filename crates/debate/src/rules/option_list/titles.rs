//! Which headings list options, and which describe one.

use forge_prose::bare_title;
use forge_prose::phrases::Phrases;
use forge_prose::words::words;
use std::sync::LazyLock;

macro_rules! list {
    ($name:ident, $file:literal) => {
        static $name: LazyLock<Phrases> =
            LazyLock::new(|| Phrases::of(include_str!(concat!("../../../data/options/", $file))));
    };
}

list!(HEADINGS, "headings.txt");
list!(HEADING_WORDS, "heading-words.txt");
list!(HEADING_TAILS, "heading-tails.txt");
list!(TURNED_DOWN, "turned-down.txt");
list!(ELSEWHERE, "elsewhere.txt");
list!(PROS_AND_CONS, "pros-and-cons.txt");
list!(DETAILS, "details.txt");
list!(DETAIL_TAILS, "detail-tails.txt");
list!(REASONS, "reasons.txt");
list!(NAME_COLUMNS, "name-columns.txt");
list!(ID_COLUMNS, "id-columns.txt");
list!(TEXT_COLUMNS, "text-columns.txt");
list!(CRITERIA_COLUMNS, "criteria-columns.txt");

/// Whether options are listed below a heading: `Considered Options`, `3. Options (draft)`, `Options: how to remind readers`.
pub(super) fn is_list(title: &str) -> bool {
    let all = words(title);
    if TURNED_DOWN.find(&all).is_some() {
        return false;
    }
    let said = words(bare(title));
    let is_idle = |words: &[String]| words.iter().all(|word| HEADING_WORDS.has_word(word));
    (0..said.len()).any(|at| {
        let length = HEADINGS.at(&said[at..]);
        let after = &said[(at + length).min(said.len())..];
        let tail = after.iter().position(|word| HEADING_TAILS.has_word(word)).unwrap_or(after.len());
        length > 0 && is_idle(&said[..at]) && is_idle(&after[..tail])
    })
}

/// Whether the sub-headings of a heading are the options, where they are listed nowhere.
pub(super) fn is_elsewhere(title: &str) -> bool {
    ELSEWHERE.has_text(bare(title))
}

/// Whether a heading or label describes an option, or stands beside the options.
pub(super) fn describes(title: &str) -> bool {
    let said = words(bare(title));
    let length = DETAILS.at(&said).max(PROS_AND_CONS.at(&said));
    length > 0 && said.get(length).is_none_or(|next| DETAIL_TAILS.has_word(next))
}

/// Whether a label says that what follows speaks for an option, or against it.
pub(super) fn is_pro_or_con(label: &str) -> bool {
    PROS_AND_CONS.has_text(label)
}

/// Whether what follows a line is no option any more: `Not considered:`.
pub(super) fn turns_down(line: &str) -> bool {
    TURNED_DOWN.find(&words(line)).is_some()
}

/// Whether a list item says something of an option: `Good, because it is cheap`.
pub(super) fn is_reason(text: &str) -> bool {
    REASONS.at(&words(text)) > 0
}

/// A heading up to a colon, a dash or a bracket, without numbering and pictures.
fn bare(title: &str) -> &str {
    let bare = bare_title(title.trim());
    let ends = [": ", "：", " - ", " – ", " — ", " (", " ["];
    let end = ends.iter().filter_map(|mark| bare.find(mark)).min().unwrap_or(bare.len());
    &bare[..end]
}

/// What a column of a table holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Name,
    Id,
    Text,
    Criteria,
    Detail,
    Other,
}

pub(super) fn column(head: &str) -> Column {
    let said = words(head);
    match () {
        _ if head.trim() == "#" || ID_COLUMNS.has(&said) => Column::Id,
        _ if NAME_COLUMNS.has(&said) => Column::Name,
        _ if TEXT_COLUMNS.has(&said) => Column::Text,
        _ if CRITERIA_COLUMNS.has(&said) => Column::Criteria,
        _ if describes(head) => Column::Detail,
        _ => Column::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_options() {
        for title in [
            "Options",
            "OPTIONS:",
            "2. Options",
            "III. Options",
            "🎯 Options",
            "Options ✅",
            "Options (draft)",
            "Options [v2]",
            "The Options",
            "Our three options",
            "Considered Options",
            "Options Considered",
            "Options Under Consideration",
            "Alternatives",
            "Alternatives considered",
            "Approaches",
            "Approaches Considered (Brief)",
            "Candidates",
            "Possible approaches",
            "Design alternatives",
            "List of options",
            "Brainstorm Options: how to remind readers",
            "Brainstorm options - reminders",
            "Options for reminding readers",
            "Options and trade-offs",
            "Possible solutions",
            "Section 3: Options",
            "Optionen",
            "Betrachtete Alternativen",
            "Opciones consideradas",
            "备选方案",
            "Варианты",
        ] {
            assert!(is_list(title), "{title}");
        }
        for title in [
            "Option B: Text message",
            "Rejected options",
            "Options not considered",
            "Alternatives ruled out",
            "Pros and Cons of the Options",
            "Configuration options",
            "Command line options",
            "Design choices",
            "Approach",
            "Context",
            "Stock options",
            "",
        ] {
            assert!(!is_list(title), "{title}");
        }
    }

    #[test]
    fn headings_that_describe() {
        for title in [
            "Pros",
            "**Cons:**",
            "1. Context",
            "Preliminary Tradeoff Matrix",
            "Comparison of the options",
            "Pros & Cons",
        ] {
            assert!(describes(title), "{title}");
        }
        for title in ["Postcard", "Cost sharing", "Context menu", "Option B: Text message", "Approach B"] {
            assert!(!describes(title), "{title}");
        }
    }
}
