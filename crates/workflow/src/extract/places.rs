//! What the headings of a knowledge file lead to.
//!
//! Pure; if the process dies here nothing is left.

use crate::knowledge::Kind;
use forge_prose::words::words;

/// What stands below a heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Entries of the kind: `Active Decisions`, `Soft Constraints`.
    Listing,
    /// How an entry looks: nothing in it is one.
    Sample,
    /// Words about entries: rules, scales, settings. Lists and tables there are none.
    Aside,
    /// Anything.
    Other,
}

const SAMPLES: &[&str] = &["format", "template", "templates", "example", "examples", "sample", "samples", "schema"];
const ASIDES: &[&str] = &[
    "rule",
    "rules",
    "scoring",
    "scale",
    "scales",
    "threshold",
    "thresholds",
    "legend",
    "guideline",
    "guidelines",
    "guide",
    "instructions",
    "matrix",
    "settings",
    "configuration",
    "config",
    "convention",
    "conventions",
    "numbering",
    "process",
    "definitions",
    "levels",
    "usage",
    "references",
    "related",
    "links",
    "changelog",
    "glossary",
    "contents",
];

/// What stands below a heading with that title.
pub(super) fn place(kind: Kind, title: &str) -> Place {
    let said = words(title);
    let is_kind = |word: &String| word.strip_suffix('s').unwrap_or(word) == kind.word();
    let among = |names: &[&str]| said.iter().any(|word| names.contains(&word.as_str()));
    // `Process Risks` are risks, `Risk Process` is none.
    let ends = said.last().is_some_and(is_kind) && said.last().is_some_and(|word| word.ends_with('s'));
    let about_debates = kind == Kind::Constraint && said.first().is_some_and(|word| word == "debate");
    if about_debates {
        Place::Aside
    } else if among(SAMPLES) && !ends {
        Place::Sample
    } else if among(ASIDES) && !ends {
        Place::Aside
    } else if said.iter().any(is_kind) {
        Place::Listing
    } else {
        Place::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_headings_lead_to() {
        for (kind, title, wanted) in [
            (Kind::Decision, "Active Decisions", Place::Listing),
            (Kind::Decision, "Format", Place::Sample),
            (Kind::Decision, "Decision Rules", Place::Aside),
            (Kind::Decision, "Decision Template", Place::Sample),
            (Kind::Decision, "Superseded Decisions", Place::Listing),
            (Kind::Decision, "Overview", Place::Other),
            (Kind::Constraint, "Debate Constraints", Place::Aside),
            (Kind::Constraint, "Constraint Interaction Matrix", Place::Aside),
            (Kind::Constraint, "Constraints locked by debates", Place::Listing),
            (Kind::Risk, "Process Risks", Place::Listing),
            (Kind::Risk, "Risk Scoring", Place::Aside),
            (Kind::Assumption, "Active Assumptions", Place::Listing),
        ] {
            assert_eq!(place(kind, title), wanted, "{title}");
        }
    }
}
