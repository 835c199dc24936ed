//! The values in an entry's lines: `- Key: value`, `**Key:** value`, `Key: value`, or what stands below a heading.
//!
//! Promises: a value is kept word for word, with all that belongs to it; a rule and a line that only says when the file was
//! written end it.
//!
//! Pure; if the process dies here nothing is left.

use super::criteria::{is_kill_switch, is_part};
use super::passages::{bold_label, dedent, heading, indent, is_rule_line, key, label, lines, marker};
use super::rating_names::{IMPACT, OWNER, PROBABILITY, SCORE};
use super::validations::RESULTS;
use forge_prose::phrases::Phrases;
use std::sync::LazyLock;

/// The keys that an entry's lines may have without a mark before them.
const KEYS: &[&str] = &[
    "status",
    "state",
    "phase",
    "debate",
    "debate id",
    "date",
    "decided by",
    "by",
    "rationale",
    "why",
    "reason",
    "supersedes",
    "superseded by",
    "decision",
    "context",
    "consequences",
    "options considered",
    "constraints imposed",
    "accepted by",
    "evidence",
    "discovered in",
    "source",
    "rests on",
    "origin",
    "violation",
    "violation triggers",
    "locked by",
    "validate by",
    "validation due by",
    "due",
    "risk if invalid",
    "if wrong",
    "probability",
    "likelihood",
    "impact",
    "severity",
    "score",
    "owner",
    "mitigation",
    "title",
    "description",
];

/// How a value was opened, and so what belongs to it.
#[derive(Debug, Clone, Copy)]
enum Opened {
    /// By a list item: what is indented so far below it.
    Item(usize),
    /// By a label or a heading: what follows up to the next.
    Label,
}

/// The values in an entry's lines: `- Key: value`, `**Key:** value`, `Key: value`, or what stands below a heading.
pub fn fields(body: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut opened: Option<Opened> = None;
    let mut after_blank = true;
    for line in lines(body).all {
        let blank = line.text.trim().is_empty();
        let inside = match opened {
            Some(Opened::Item(columns)) if blank || indent(line.text) >= columns => Some(columns),
            Some(Opened::Label) if blank => Some(0),
            _ => None,
        };
        let item = marker(line.text).filter(|item| item.indent < 4);
        if is_over(line.text)
            && !line.hidden
            && !line.nested
            && !matches!(opened, Some(Opened::Item(_)) if inside.is_some())
        {
            opened = None;
            after_blank = true;
            continue;
        }
        // What is indented below a criterion says more about it, whatever it is called.
        let in_kill_switch = found.last().is_some_and(|(name, _)| is_kill_switch(name));
        let is_below = matches!(opened, Some(Opened::Label))
            && marker(line.text)
                .is_some_and(|item| line.nested || (in_kill_switch && (item.indent >= 2 || is_part(item.content))));
        let begun = if inside.is_some() || is_below || line.hidden || blank {
            None
        } else if let Some((_, title)) = heading(line.text) {
            Some((key(&title), String::new(), Opened::Label))
        } else if let Some(item) = item {
            let own = |(name, _): &(String, String)| !matches!(opened, Some(Opened::Label)) || is_key(name);
            label(item.content).filter(own).map(|(name, value)| (name, value, Opened::Item(item.indent + 2)))
        } else {
            of_line(line.text).map(|(name, value)| (name, value, Opened::Label))
        };
        let belongs = !line.hidden
            && match opened {
                Some(Opened::Item(_)) => item.is_none() && !after_blank,
                Some(Opened::Label) => true,
                None => false,
            };
        if let Some((name, value, how)) = begun {
            found.push((name, value));
            opened = Some(how);
        } else if let Some((_, value)) = found.last_mut().filter(|_| inside.is_some() || belongs) {
            value.push('\n');
            value.push_str(dedent(line.text, inside.unwrap_or(0)));
        } else if !line.hidden {
            opened = None;
        }
        after_blank = blank;
    }
    found
}

/// A label that begins a value: in bold, or one of the known ones.
pub(super) fn of_line(line: &str) -> Option<(String, String)> {
    // `**Result: WRONG**`
    let bold = || line.trim().strip_prefix("**")?.strip_suffix("**").filter(|inner| !inner.contains("**"));
    let known = |line: &str| label(line).filter(|(name, _)| is_key(name) || RESULTS.contains(&name.as_str()));
    bold_label(line).or_else(|| known(line)).or_else(|| bold().and_then(known))
}

fn is_key(name: &str) -> bool {
    KEYS.contains(&name) || is_kill_switch(name)
}

/// Whether a line of that name says more about an entry, and is none itself.
pub(super) fn describes(name: &str) -> bool {
    static DESCRIBING: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/describing.txt")));
    let rates = [&*PROBABILITY, &*IMPACT, &*SCORE, &*OWNER].into_iter().any(|names| names.contains(&name));
    is_key(name) || rates || DESCRIBING.has_text(name)
}

/// Whether a line ends whatever stands above it: a rule, or `*Last updated: ...*`.
fn is_over(line: &str) -> bool {
    let bare = line.trim();
    let dated = bare.starts_with(['*', '_']) && !bare.starts_with("**") && bare.ends_with(['*', '_']);
    let says = |words: &&str| key(bare.trim_matches(['*', '_'])).starts_with(*words);
    is_rule_line(line) || (dated && ["last updated", "updated", "last modified"].iter().any(says))
}
