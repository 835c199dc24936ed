//! What a document says that is taken to show that a phase was done: how much of it is more than headings, blanks and words that
//! put it off, and what it says of itself.
//!
//! Pure; if the process dies here nothing is left.

use super::active_workflow::words;
use super::scalar;
use crate::document::{self, Document};
use crate::markdown::draft;
use forge_debate::protocols::gate::choice;
use forge_debate::turn::Section;
use forge_prose::blanks::{is_menu, is_placeholder, puts_off};
use forge_prose::phrases::Phrases;
use forge_prose::sentences;
use forge_prose::words::words as words_of;
use forge_workflow::extract::ids::ids_in;
use forge_workflow::extract::passages::{cells, without_comments};
use std::sync::LazyLock;

/// Words of `status` for a document that is not done.
static UNFINISHED: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/unfinished-status.txt")));
/// What a document says of a debate that was not held.
static WITHOUT_DEBATE: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/without-debate.txt")));
/// The same, unless the sentence lays down a rule: `Never change D1 without a debate`.
static UNLESS_A_RULE: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::of(include_str!("../../data/without-debate-unless-a-rule.txt")));
/// Words of a sentence that lays down a rule.
static RULES: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/rule-words.txt")));
/// Labels under which a document says whether its debate was held.
static DEBATE_LABELS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/debate-labels.txt")));
/// Labels under which it says that its debate was not held.
static SKIPPED_LABELS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/skipped-labels.txt")));
/// How a value begins that says no.
static NOT_HELD: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/not-held.txt")));
/// Values that say yes.
static YES: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/yes.txt")));

/// What a document shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Proof {
    /// How many characters of it say something.
    pub said: usize,
    /// Whether it calls itself unfinished.
    pub is_draft: bool,
    /// Whether it tells that its phase was left without a debate.
    pub is_without_debate: bool,
}

/// What a document shows.
pub fn of(bytes: &[u8]) -> Proof {
    let text = document::decode(bytes).text;
    let parsed = Document::parse(&text);
    let status = parsed.fields().and_then(|fields| scalar(fields, "status"));
    let body = without_comments(&parsed.body);
    Proof {
        said: said_in(&body),
        is_draft: status.is_some_and(|status| UNFINISHED.has_text(&words::plain(&status).replace('_', " ")))
            || choice::leaves_open(&body),
        is_without_debate: body.lines().any(tells_no_debate) || parsed.fields().is_some_and(fields_tell_no_debate),
    }
}

/// A synthesis that decides, as another tool left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Synthesis {
    /// What was chosen, in its words.
    pub chosen: String,
    /// Its sections.
    pub sections: Vec<Section>,
}

/// What a synthesis decides: one that rejects all, or puts the decision off, shows no debate that passed.
pub fn synthesis(bytes: &[u8]) -> Option<Synthesis> {
    let text = document::decode(bytes).text;
    let body = without_comments(&Document::parse(&text).body);
    let sections = draft(&body, 1).sections;
    choice::chosen(&sections, &body).map(|chosen| Synthesis { chosen, sections })
}

fn fields_tell_no_debate(fields: &serde_json::Map<String, serde_json::Value>) -> bool {
    fields.keys().any(|key| scalar(fields, key).is_some_and(|value| label_tells_no_debate(key, &value)))
}

/// Whether a label and its value say that there was no debate: `Debate ID: none`, `debate_skipped: true`.
fn label_tells_no_debate(label: &str, value: &str) -> bool {
    let (label, said) = (words_of(&label.replace(['_', '-'], " ")), words_of(value));
    let denies = DEBATE_LABELS.has(&label) && NOT_HELD.at(&said) > 0;
    !is_menu(value) && (denies || SKIPPED_LABELS.has(&label) && YES.at(&said) > 0)
}

fn tells_no_debate(line: &str) -> bool {
    let bare = line.trim().trim_start_matches(['-', '*', '>', '+', ' ', '_', '`']);
    let labelled = match line.trim().starts_with('|') {
        true => cells(line).get(..2).is_some_and(|pair| label_tells_no_debate(&pair[0], &pair[1])),
        false => bare.split_once([':', '：']).is_some_and(|(label, value)| label_tells_no_debate(label, value)),
    };
    let in_sentence = |sentence: &str| {
        let said = words_of(sentence);
        WITHOUT_DEBATE.find(&said).is_some() || UNLESS_A_RULE.find(&said).is_some() && RULES.find(&said).is_none()
    };
    labelled || sentences::split(line).into_iter().any(in_sentence)
}

fn said_in(body: &str) -> usize {
    let lines: Vec<&str> = body.lines().map(str::trim).collect();
    let is_rule = |line: &str| line.contains('-') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '='));
    let mut said = 0;
    for (at, line) in lines.iter().enumerate() {
        let is_head = line.starts_with('|') && lines.get(at + 1).is_some_and(|next| is_rule(next));
        if line.starts_with('#') || is_rule(line) || is_head {
            continue;
        }
        said += if line.starts_with('|') { said_in_row(line) } else { said_in_line(line) };
    }
    said
}

/// A row says something if more than its first cell, or a first cell that is no id, is filled in.
fn said_in_row(row: &str) -> usize {
    let filled: Vec<String> = cells(row).into_iter().filter(|cell| !is_blank(cell) && !is_id(cell)).collect();
    filled.iter().map(|cell| cell.chars().count()).sum()
}

/// What a line says besides its marks and its label.
fn said_in_line(line: &str) -> usize {
    let marks = |c: char| matches!(c, '-' | '*' | '>' | '+' | ' ' | '`' | '_') || c.is_ascii_digit() || c == '.';
    let bare = line.trim_start_matches(marks);
    let bare = ["[ ]", "[x]", "[X]"].iter().find_map(|mark| bare.strip_prefix(mark)).unwrap_or(bare).trim();
    let bare = bare.trim_matches(['*', '`', '_', ' ']);
    if bare.ends_with(':') || is_blank(bare) || puts_off(bare) {
        return 0;
    }
    match bare.split_once(':') {
        // A label alone says nothing, and neither does the place of a file.
        Some((label, value)) if words_of(label).len() <= LABEL_WORDS => {
            let value = value.trim_matches(['*', '`', '_', ' ']);
            let is_place = !value.contains(' ') && value.contains('/');
            if is_blank(value) || is_place { 0 } else { value.chars().count() }
        }
        _ => bare.chars().count(),
    }
}

/// The words of the longest label.
const LABEL_WORDS: usize = 4;

fn is_blank(text: &str) -> bool {
    // A sign may be an answer: ✗.
    is_placeholder(text) || is_menu(text) || !text.chars().any(|c| c.is_alphanumeric() || !c.is_ascii())
}

fn is_id(text: &str) -> bool {
    ids_in(text).first().is_some_and(|id| id == text.trim())
}
