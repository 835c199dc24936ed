//! How a decision stands, by its status line and by the heading that it stands below.
//!
//! Must never: guess. A status that nobody can read is told, since whether the decision binds depends on it.
//!
//! Pure; if the process dies here nothing is left.

use crate::contradiction::is_denial;
use crate::knowledge::DecisionStatus;
use forge_prose::blanks::is_placeholder;
use forge_prose::phrases::Phrases;
use forge_prose::words::words;
use std::sync::LazyLock;

static WORDS: LazyLock<[(DecisionStatus, Phrases); 6]> = LazyLock::new(|| {
    [
        (DecisionStatus::Superseded, Phrases::of(include_str!("../../data/decision-superseded.txt"))),
        (DecisionStatus::Rejected, Phrases::of(include_str!("../../data/decision-rejected.txt"))),
        (DecisionStatus::Withdrawn, Phrases::of(include_str!("../../data/decision-withdrawn.txt"))),
        (DecisionStatus::Deprecated, Phrases::of(include_str!("../../data/decision-deprecated.txt"))),
        (DecisionStatus::Proposed, Phrases::of(include_str!("../../data/decision-proposed.txt"))),
        (DecisionStatus::Accepted, Phrases::of(include_str!("../../data/decision-stands.txt"))),
    ]
});

static LOCKED: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/decision-locked.txt")));

/// What a status line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    /// Nothing: it is not there, or not filled in.
    Nothing,
    /// This.
    Status(DecisionStatus),
    /// Something that cannot be read.
    Unread,
}

/// Reads `superseded`, `✅ Accepted (2026-01-02)`, `Accepted, superseded by D7`, `proposed -> accepted`.
pub(super) fn status(text: &str) -> Said {
    let plain = without_struck(text);
    let last = ["→", "->", "=>"].iter().filter_map(|arrow| plain.rfind(arrow).map(|at| at + arrow.len())).max();
    let said = plain[last.unwrap_or(0)..].trim();
    let parts: Vec<Option<DecisionStatus>> = said.split(['|', '/']).map(|part| first(&words(part))).collect();
    let differ = parts.iter().flatten().any(|one| Some(*one) != parts[0]);
    if parts.len() > 1 && parts.iter().all(Option::is_some) && differ {
        return Said::Unread;
    }
    let clauses: Vec<Vec<String>> = said
        .split([',', ';', '(', ')', '.', ':', '\n', '–', '—'])
        .flat_map(|part| part.split(" - "))
        .map(words)
        .collect();
    let ended = |clause: &Vec<String>| WORDS[0].1.at(clause) > 0;
    if clauses.iter().any(ended) {
        return Said::Status(DecisionStatus::Superseded);
    }
    match clauses.iter().find(|clause| first(clause).is_some()) {
        Some(clause) => one(clause).map_or(Said::Unread, Said::Status),
        None if said.contains('✅') || said.contains('✔') => Said::Status(DecisionStatus::Accepted),
        None if is_placeholder(said) && !said.contains('/') => Said::Nothing,
        None => Said::Unread,
    }
}

/// Whether a status says that a decision is locked: `locked`, `Final (2026-01-02)`, `approved by Ann`.
pub(super) fn is_locked(text: &str) -> bool {
    let said = words(without_struck(text).rsplit(['→', '>']).next().unwrap_or_default());
    let at = LOCKED.find(&said).map(|(at, _)| at);
    at.is_some_and(|at| {
        !said[..at].iter().any(|word| is_denial(word) || ["be", "until", "to", "awaiting"].contains(&word.as_str()))
    }) && matches!(status(text), Said::Status(DecisionStatus::Accepted))
}

/// What stands in brackets around a title: `Cards (superseded by D7)`, `[REJECTED] Cards`. Only words that are said of
/// decisions alone count: what is deprecated in `HTTP/1.0 (deprecated)` is not the decision.
pub(super) fn in_title(title: &str) -> Option<DecisionStatus> {
    const WORDS: &[&str] = &["superseded", "rejected", "proposed", "withdrawn", "accepted", "draft"];
    let title = title.trim();
    let first = title.strip_prefix(['(', '[']).and_then(|rest| rest.split_once([')', ']'])).map(|(inside, _)| inside);
    let last =
        || title.strip_suffix([')', ']']).and_then(|rest| rest.rsplit_once(['(', '['])).map(|(_, inside)| inside);
    let inside = first.or_else(last)?;
    let counts = words(inside).first().is_some_and(|word| WORDS.contains(&word.as_str()));
    match status(inside) {
        Said::Status(status) if counts => Some(status),
        _ => None,
    }
}

/// What a heading says of the decisions below it.
pub(super) fn of_heading(title: &str) -> Option<DecisionStatus> {
    const ARCHIVE: &[&str] = &["archive", "archives", "graveyard"];
    let said = words(title);
    let negated = said.iter().any(|word| word == "not" || word == "never");
    let archived = said.iter().any(|word| ARCHIVE.contains(&word.as_str())).then_some(DecisionStatus::Withdrawn);
    first(&said).or(archived).filter(|_| !negated)
}

/// The first status that a text names.
fn first(said: &[String]) -> Option<DecisionStatus> {
    (0..said.len()).find_map(|at| at_start(&said[at..]))
}

/// The status at the start of some words; of several the longest phrase: `no longer valid`, `not decided`.
fn at_start(said: &[String]) -> Option<DecisionStatus> {
    WORDS
        .iter()
        .map(|(status, names)| (names.at(said), *status))
        .filter(|(length, _)| *length > 0)
        .max_by_key(|(length, _)| *length)
        .map(|(_, status)| status)
}

/// The one status that a clause names; none where it names several or denies it.
fn one(said: &[String]) -> Option<DecisionStatus> {
    const DENIALS: &[&str] = &["not", "never", "no", "be", "until", "if", "was", "partially", "partly"];
    let mut found = None;
    let mut at = 0;
    while at < said.len() {
        let Some(status) = at_start(&said[at..]) else {
            if found.is_none() && DENIALS.contains(&said[at].as_str()) {
                return None;
            }
            at += 1;
            continue;
        };
        if found.is_some_and(|known| known != status) {
            return None;
        }
        found = Some(status);
        at += WORDS.iter().map(|(_, names)| names.at(&said[at..])).max().unwrap_or(1);
    }
    found
}

/// A text without what is struck out in it.
fn without_struck(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split("~~").enumerate() {
        if at % 2 == 0 {
            out.push_str(part);
        }
    }
    if text.matches("~~").count() % 2 == 1 { text.to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DecisionStatus::{Accepted, Deprecated, Proposed, Rejected, Superseded, Withdrawn};

    #[test]
    fn status_lines() {
        for (line, wanted) in [
            ("accepted", Accepted),
            ("locked", Accepted),
            ("**Accepted**", Accepted),
            ("✅ Accepted (2026-01-02)", Accepted),
            ("✅", Accepted),
            ("Accepted, proposed by Ann", Accepted),
            ("accepted - supersedes D3", Accepted),
            ("proposed -> accepted", Accepted),
            ("~~proposed~~ accepted", Accepted),
            ("Accepted / Locked", Accepted),
            ("superseded", Superseded),
            ("Superseded by D7", Superseded),
            ("Accepted; superseded by [ADR-0007](0007.md)", Superseded),
            ("⛔ replaced by DB2", Superseded),
            ("rejected", Rejected),
            ("REJECTED (too dear)", Rejected),
            ("proposed", Proposed),
            ("Pending", Proposed),
            ("TBD", Proposed),
            ("under review", Proposed),
            ("Draft v2", Proposed),
            ("deprecated", Deprecated),
            ("withdrawn on 2026-03-01", Withdrawn),
            ("No longer valid", Withdrawn),
        ] {
            assert_eq!(status(line), Said::Status(wanted), "{line}");
        }
        for nothing in ["", "-", "[status]", "{{STATUS}}", "<status>", "..."] {
            assert_eq!(status(nothing), Said::Nothing, "{nothing}");
        }
        for unread in [
            "green",
            "2026-01-02",
            "proposed | accepted | superseded | rejected",
            "accepted/rejected",
            "not accepted",
            "to be accepted",
            "accepted until superseded",
            "see the minutes",
        ] {
            assert_eq!(status(unread), Said::Unread, "{unread}");
        }
    }

    #[test]
    fn headings() {
        for (title, wanted) in [
            ("Superseded Decisions", Some(Superseded)),
            ("Superseded", Some(Superseded)),
            ("🗄️ Archive", Some(Withdrawn)),
            ("Rejected and superseded", Some(Rejected)),
            ("Open Decisions", Some(Proposed)),
            ("Active Decisions", Some(Accepted)),
            ("Decisions", None),
            ("2026", None),
            ("Not superseded", None),
        ] {
            assert_eq!(of_heading(title), wanted, "{title}");
        }
    }
}
