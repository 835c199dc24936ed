//! A phase's working document, its options document, and what came of the phase.
//!
//! The first two are people's: forge makes them once, with places to fill in, reads them as they are, and ticks a box in
//! them when it is told to. The third is derived and rewritten.
//!
//! Promises: reading never fails; line numbers are those of the file; [`tick`] changes the mark in one box and nothing
//! else.
//!
//! Pure; if the process dies here nothing is left.

use super::FrontMatter;
use crate::document::{self, Document, Front};
use crate::markdown;
use forge_debate::form::is_placeholder;
use forge_debate::option_line::{self, OptionLine};
use forge_debate::plan::{Choice, LABEL_LIMIT_BYTES, OptionId, letter};
use forge_debate::turn::{Section, title_matches};
use forge_workflow::definition::{EntryAction, Phase};
use forge_workflow::extract::passages::{lines, one_line};
use forge_workflow::next::PhaseOutcome;
use forge_workflow::snapshot::{Checkbox, Document as PhaseDocument, OptionsRead, Unclear};
use serde_json::Value;
use std::fmt::Write as _;

/// The most options that are read of a document: far more than can be debated, so that their number is told as it is.
const LISTED_LIMIT: usize = 1000;
/// The most characters of an option's description.
const DESCRIPTION_LIMIT: usize = 2000;

/// A working document to be filled in.
pub fn template(phase: &Phase, workflow_id: &str, objective: &str, todo: &[String], now: &str) -> String {
    let mut front = FrontMatter::default()
        .text("phase", &phase.id)
        .text("workflow_id", workflow_id)
        .text("objective", objective)
        .text("created_at", now)
        .finish("");
    let lists = "components: [] # what the phase touches; more than the threshold make a major decision\nchallenges: [] # prior decisions that it puts in question, such as [D1]\n";
    front.truncate(front.len() - "---\n".len());
    let mut text = format!("{front}{lists}---\n\n# {}: {}\n", phase.name, first_line(objective));
    if !phase.description.is_empty() {
        let _ = write!(text, "\n{}\n", phase.description);
    }
    for note in &phase.entry_notes {
        let _ = writeln!(text, "\n- {note}");
    }
    if !todo.is_empty() {
        text.push_str("\n## TODO\n\n");
        for one in todo {
            let _ = writeln!(text, "- [ ] {}", one_line(one));
        }
    }
    for section in &phase.sections {
        let _ = write!(text, "\n## {section}\n\n[{section}: to be written]\n");
    }
    let lists_options = phase.debate.options_document.is_none() && phase.debate.enabled;
    if lists_options && !phase.entry_actions.contains(&EntryAction::CreateOptionsDocument) {
        text.push_str("\n## Options\n\nOnly needed if this phase debates: the approaches to choose from.\n\n- [Name]: [What it is]\n");
    }
    text.push_str(
        "\n<!-- When the phase is left, list items below headings \"Decisions\", \"Constraints\", \"Assumptions\" (also\n\"A1: validated, because ...\") and \"Risks\" go to docs/forge/knowledge/. -->\n",
    );
    text
}

/// An options document to be filled in.
pub fn options_template(phase: &Phase, workflow_id: &str, objective: &str, fewest: usize, now: &str) -> String {
    let body = format!(
        "\n# {} options: {}\n\nAt least {fewest} approaches to choose from, each as `- Name: what it is`. They become the options of the\ndebate; `forge continue` plans it when they are here.\n\n## Options\n\n{}",
        phase.name,
        first_line(objective),
        "- [Name]: [What it is]\n".repeat(fewest)
    );
    FrontMatter::default()
        .text("phase", &phase.id)
        .text("workflow_id", workflow_id)
        .text("objective", objective)
        .text("created_at", now)
        .finish(&body)
}

/// Reads a working document.
pub fn read(path: &str, bytes: &[u8]) -> PhaseDocument {
    let decoded = document::decode(bytes);
    let parsed = Document::parse(&decoded.text);
    let unclear = |line, text| Unclear { file: path.to_owned(), line, text, holds: true };
    let mut problems: Vec<Unclear> =
        decoded.problems.into_iter().map(|problem| unclear(problem.line, problem.text)).collect();
    let (mut components, mut challenges) = (Vec::new(), Vec::new());
    match &parsed.front {
        Front::Fields(fields) => {
            components = names(fields.get("components"));
            challenges = names(fields.get("challenges"));
        }
        Front::None => {}
        Front::Broken { line, text } => problems.push(unclear(*line, text.clone())),
    }
    let mut sections = markdown::draft(&parsed.body, parsed.body_line).sections;
    // The document's own title is no section: it has all the others for its body.
    let title = sections.first().and_then(|first| decoded.text.lines().nth(first.line.saturating_sub(1)));
    if title.is_some_and(|line| line.starts_with("# ")) {
        sections.remove(0);
    }
    let todo = boxes(&parsed, &sections, "TODO");
    PhaseDocument { path: path.to_owned(), components, challenges, sections, todo, unclear: problems }
}

/// The workflow that a document says it belongs to.
pub fn workflow_of(bytes: &[u8]) -> Option<String> {
    let text = document::decode(bytes).text;
    super::scalar(Document::parse(&text).fields()?, "workflow_id")
}

/// The names in a list, a number of nameless ones, or one name.
fn names(value: Option<&Value>) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(fields) => fields.get("name").and_then(Value::as_str).map(str::to_owned),
        _ => None,
    };
    match value {
        Some(Value::Array(all)) => all.iter().filter_map(text).filter(|name| !is_placeholder(name)).collect(),
        Some(Value::Number(count)) => (1..=count.as_u64().unwrap_or(0).min(1000)).map(|n| n.to_string()).collect(),
        Some(Value::Object(fields)) => fields.keys().cloned().collect(),
        Some(Value::String(list)) => {
            list.split(',').map(|name| name.trim().to_owned()).filter(|name| !is_placeholder(name)).collect()
        }
        _ => Vec::new(),
    }
}

/// The boxes below every heading that begins with `title`, outside code and comments.
pub(crate) fn boxes(document: &Document, sections: &[Section], title: &str) -> Vec<Checkbox> {
    let lines = lines(&document.body).all;
    let numbered = lines.iter().map(|line| (document.body_line + line.number - 1, line));
    let mut found = Vec::new();
    for section in sections.iter().filter(|section| title_matches(&section.title, title)) {
        let end = sections.iter().map(|other| other.line).find(|line| *line > section.line).unwrap_or(usize::MAX);
        let below = numbered.clone().filter(|(number, _)| *number > section.line && *number < end);
        for (number, line) in below.filter(|(_, line)| !line.hidden) {
            if let Some((ticked, text)) = checkbox(line.text.trim_start()) {
                found.push(Checkbox { text: text.to_owned(), ticked, line: number });
            }
        }
    }
    found
}

/// `- [x] text`, `1. [ ] text`.
fn checkbox(line: &str) -> Option<(bool, &str)> {
    let item = line.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(['-', '*', '+', '.', ')']);
    let rest = item.trim_start().strip_prefix('[')?;
    let (mark, text) = rest.split_once(']')?;
    let ticked = match mark {
        " " | "" => false,
        "x" | "X" => true,
        _ => return None,
    };
    let text = text.trim();
    (item.len() < line.len() && !is_placeholder(text)).then_some((ticked, text))
}

/// A text with the first open box of one line ticked: the blank in `[ ]` becomes an `x`, and `[]` gets one. Nothing else
/// is changed.
pub fn tick(text: &str, line: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, whole) in text.split_inclusive('\n').enumerate() {
        if i + 1 == line {
            let open = ["[ ]", "[]"].into_iter().filter_map(|mark| Some((whole.find(mark)?, mark))).min();
            let (at, mark) = open.unwrap_or((whole.len(), ""));
            let ticked = if mark.is_empty() { "" } else { "[x]" };
            out.extend([&whole[..at], ticked, &whole[at + mark.len()..]]);
        } else {
            out.push_str(whole);
        }
    }
    out
}

/// Reads the options of a document: items below an `Options` heading, or headings such as `### Option A: Name`.
pub fn read_options(path: &str, bytes: Option<&[u8]>) -> OptionsRead {
    let Some(bytes) = bytes else { return OptionsRead { path: path.to_owned(), ..OptionsRead::default() } };
    let text = document::decode(bytes).text;
    let parsed = Document::parse(&text);
    let sections = markdown::draft(&parsed.body, parsed.body_line).sections;
    // A second list below an untouched template is the one that is meant.
    let lists = || sections.iter().filter(|section| title_matches(&section.title, "Options"));
    let listed = |section: &Section| -> Vec<(String, String)> {
        option_line::list(&section.body).into_iter().filter_map(option_item).collect()
    };
    let is_written = |section: &&Section| !listed(section).is_empty();
    let heading = lists().find(is_written).or_else(|| lists().next());
    let mut named: Vec<(String, String)> = sections.iter().filter_map(option_heading).collect();
    if named.is_empty() {
        named = heading.map(listed).unwrap_or_default();
    }
    let options = named.into_iter().take(LISTED_LIMIT).enumerate().map(|(i, (label, description))| {
        let description = description.chars().take(DESCRIPTION_LIMIT).collect();
        Choice { id: letter(i), label, description }
    });
    let options: Vec<Choice> = distinct(options);
    OptionsRead {
        path: path.to_owned(),
        there: true,
        line: heading.map(|section| section.line),
        options,
        unclear: Vec::new(),
    }
}

/// Two options with one name are one.
fn distinct(options: impl Iterator<Item = Choice>) -> Vec<Choice> {
    let mut kept: Vec<Choice> = Vec::new();
    for option in options {
        if !kept.iter().any(|known| forge_debate::plan::same_words(&known.label, &option.label)) {
            let id: OptionId = letter(kept.len());
            kept.push(Choice { id, ..option });
        }
    }
    kept
}

/// `### Option A: JWT with refresh tokens`.
fn option_heading(section: &Section) -> Option<(String, String)> {
    let rest = section.title.strip_prefix("Option ").or_else(|| section.title.strip_prefix("option "))?;
    let (id, name) = rest.split_once([':', '-', '–', '—'])?;
    let name = name.trim().trim_matches(['*', '`']).trim();
    let is_id = id.trim().chars().count() <= 3 && id.trim().chars().all(char::is_alphanumeric);
    let description = section.body.split("\n\n").next().unwrap_or_default().trim();
    let description = if is_placeholder(description) { "" } else { description };
    (is_id && !is_placeholder(name)).then(|| (name.to_owned(), one_line(description)))
}

/// `Name: description`, `**Name** — description`, `A: Name`.
fn option_item(read: OptionLine) -> Option<(String, String)> {
    // A whole paragraph is no name; it is told by how it begins.
    if read.label.len() > LABEL_LIMIT_BYTES {
        return Some((first_line(&read.label), format!("{} {}", read.label, read.description).trim().to_owned()));
    }
    if is_placeholder(&read.label) {
        return None;
    }
    let description = if is_placeholder(&read.description) { String::new() } else { read.description };
    Some((read.label, description))
}

/// What came of a phase, for readers.
pub fn outcome(outcome: &PhaseOutcome) -> String {
    let mut body = format!("\n# {}: {}\n\n", outcome.phase.1, first_line(&outcome.objective));
    for warning in &outcome.warnings {
        let _ = writeln!(body, "> {warning}\n");
    }
    let _ = writeln!(body, "Working document: `{}`", outcome.document);
    if let Some((id, plan_file, decided)) = &outcome.debate {
        let _ = writeln!(body, "\n## Debate\n\n- Debate: {id} (`{plan_file}`)");
        if !decided.is_empty() {
            let _ = writeln!(body, "- Decided: {}", decided.join(" + "));
        }
    }
    if !outcome.decisions.is_empty() {
        body.push_str("\n## Decisions\n");
        for (id, title, rationale) in &outcome.decisions {
            let _ = writeln!(body, "\n### {id}: {}\n\n{}", first_line(title), rationale.trim());
        }
    }
    FrontMatter::default()
        .text("phase", &outcome.phase.0)
        .text("workflow_id", &outcome.workflow_id)
        .text("completed_at", &outcome.completed_at)
        .text("generated_by", "forge")
        .finish(&body)
}

/// Whether an outcome document is ours to rewrite.
pub fn is_our_outcome(bytes: &[u8]) -> bool {
    let text = document::decode(bytes).text;
    Document::parse(&text).fields().and_then(|fields| super::scalar(fields, "generated_by")).as_deref() == Some("forge")
}

/// The first line of a text, as a heading can carry it.
pub(crate) fn first_line(text: &str) -> String {
    const WIDTH: usize = 100;
    let line = one_line(text.trim().lines().next().unwrap_or_default());
    if line.chars().count() <= WIDTH && !text.trim().contains('\n') {
        return line;
    }
    let cut: String = line.chars().take(WIDTH).collect();
    format!("{}…", cut.trim_end())
}
