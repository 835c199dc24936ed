//! The document between two phases (`docs/forge/handoffs/<from>-to-<to>.md`), as S1 shows it.
//!
//! Written once when a phase is left, then people's: they tick its TODO boxes and its escalation conditions.
//!
//! Pure; if the process dies here nothing is left.

mod answer;
mod escalations;
mod sign_off;

use self::answer::answer;
use super::boxes;
use super::phase_document::unread_boxes;
use super::{FrontMatter, knowledge};
use crate::document::{self, Document, Front};
use crate::markdown;
use forge_prose::blanks::holds_place;
use forge_prose::measure::table_rows;
use forge_prose::outline::{Block, Kind, Outline};
use forge_prose::phrases::Phrases;
use forge_prose::title_matches;
use forge_workflow::extract::passages::{cell, cells, inert, key, one_line};
use forge_workflow::extract::says_nothing;
use forge_workflow::handoff::Handoff;
use forge_workflow::knowledge::{Findings, Risk};
use forge_workflow::snapshot::{Checkbox, HandoffRead, LockedDecision, Unclear};
use std::fmt::Write as _;
use std::sync::LazyLock;

/// Headings of what is to be done next, and of what calls for a debate.
const TODO_HEADINGS: &str = include_str!("../../data/todo-headings.txt");
const ESCALATION_HEADINGS: &str = include_str!("../../data/escalation-headings.txt");

static NO_CONDITION: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/no-condition.txt")));

/// Writes a handoff.
pub fn write(handoff: &Handoff) -> String {
    let (from, to) = (&handoff.from, &handoff.to);
    let mut body = format!("\n# Phase Handoff: {} → {}\n", from.1, to.1);
    for warning in &handoff.warnings {
        let _ = writeln!(body, "\n> **{}**", said(warning));
    }
    body.push_str("\n## Summary\n\n### What Was Done\n");
    for (at, line) in handoff.summary.iter().enumerate() {
        let _ = writeln!(body, "{}{}", if at == 0 { "" } else { "- " }, said(line));
    }
    body.push_str("\n### Key Outcomes\n");
    list(&mut body, handoff.outcomes.iter().map(|one| format!("- {}", said(one))));
    let _ = writeln!(body, "\n### Time Spent\n{}", handoff.time_spent);
    body.push_str("\n## Locked Decisions\n\n");
    table(
        &mut body,
        &["Decision ID", "Title", "Rationale", "Challenge Requires Debate"],
        handoff
            .decisions
            .iter()
            .map(|one| vec![one.id.clone(), one.title.clone(), one.rationale.clone(), yes_no(one.locked).to_owned()]),
    );
    body.push_str("\n## Open Assumptions\n\n");
    table(
        &mut body,
        &["Assumption ID", "Description", "Validation Due By", "Risk if Invalid"],
        handoff.assumptions.iter().map(|one| {
            let due = if one.due.is_empty() { format!("{} phase", to.1) } else { one.due.clone() };
            vec![one.id.clone(), one.text.clone(), due, one.risk_if_invalid.clone()]
        }),
    );
    body.push_str("\n## Constraints for Next Phase\n\n");
    table(
        &mut body,
        &["Constraint ID", "Description", "Source", "Violation Triggers"],
        handoff
            .constraints
            .iter()
            .map(|one| vec![one.id.clone(), one.text.clone(), one.origin.clone(), one.violation.clone()]),
    );
    let _ = write!(body, "\n## TODO List for {} Phase\n\n", to.1);
    list(&mut body, handoff.todo.iter().enumerate().map(|(i, one)| format!("{}. [ ] {}", i + 1, said(one))));
    body.push_str("\n## Escalation Conditions\n\nConditions that require debate before proceeding:\n\n");
    let lost = handoff.ticked.iter().filter(|one| !handoff.escalations.contains(one));
    let is_ticked = |one: &String| if handoff.ticked.contains(one) { 'x' } else { ' ' };
    list(&mut body, handoff.escalations.iter().chain(lost).map(|one| format!("- [{}] {}", is_ticked(one), said(one))));
    body.push_str("\n## Risk Summary\n\n");
    risks(&mut body, &handoff.risks);
    body.push_str("\n## Artifacts Produced\n\n");
    table(
        &mut body,
        &["Artifact", "Location", "Status"],
        handoff.artifacts.iter().map(|(name, place, status)| vec![name.clone(), place.clone(), status.clone()]),
    );
    let _ = write!(
        body,
        "\n## Reference Materials\n\n- Phase output: `docs/forge/phases/{}.md`\n- Decisions: `docs/forge/knowledge/decisions.md`\n- Assumptions: `docs/forge/knowledge/assumptions.md`\n- Risks: `docs/forge/knowledge/risks.md`\n\n## Sign-off\n\nPhase completed: Yes\nBlocked by: None\nReady to proceed: Yes\n",
        from.0
    );
    let mut front = FrontMatter::default()
        .text("from_phase", &from.0)
        .text("to_phase", &to.0)
        .text("generated_at", &handoff.generated_at)
        .text("workflow_id", &handoff.workflow_id)
        .text("status", "final");
    if handoff.rehearsed {
        front = front.raw("gate_rehearsed", "true");
    }
    if let Some(why) = &handoff.skipped {
        front = front.text("left_without_debate_on", why);
    }
    front.finish(&body)
}

/// Somebody's words on one line, in which nothing is markup.
fn said(text: &str) -> String {
    inert(&one_line(text))
}

/// Reads the boxes and the locked decisions of a handoff.
pub fn read(path: &str, bytes: &[u8]) -> HandoffRead {
    let document::Decoded { text, mut problems } = document::decode(bytes);
    problems.extend(document::hidden(&text));
    let parsed = Document::parse(&text);
    let is_escalation = |title: &str| boxes::is_one_of(title, ESCALATION_HEADINGS);
    let is_todo = |title: &str| !is_escalation(title) && boxes::is_one_of(title, TODO_HEADINGS);
    let (_, others) = boxes::below(&parsed.body, parsed.body_line, &is_escalation);
    let mut escalations = conditions(&parsed.body, parsed.body_line);
    let (todo, _) = boxes::below(&parsed.body, parsed.body_line, &is_todo);
    escalations.boxes.retain(|one| !says_none(&one.text));
    let mut unclear = damage(path, problems, &parsed);
    unclear.extend(unread_boxes(path, &escalations));
    unclear.extend(among_boxes(path, &text, &escalations));
    unclear.extend(unread_boxes(path, &todo));
    unclear.extend(elsewhere(path, &others.boxes, &todo.boxes));
    unclear.extend(told_in_words(path, &parsed, &escalations, &is_escalation));
    unclear.extend(shapeless(path, &parsed, &text));
    let (locked, nameless) = locked(path, &parsed);
    unclear.extend(nameless);
    unclear.extend(sign_off::doubts(path, &text, &parsed));
    HandoffRead { path: path.to_owned(), todo: todo.boxes, escalations: escalations.boxes, locked, unclear }
}

/// The escalation conditions of a text. What is written below an open one belongs to it.
pub(super) fn conditions(body: &str, body_line: usize) -> boxes::Boxes {
    let is_escalation = |title: &str| boxes::is_one_of(title, ESCALATION_HEADINGS);
    let (mut found, _) = boxes::below(body, body_line, &is_escalation);
    for (line, below) in std::mem::take(&mut found.nested) {
        if let Some(above) = found.boxes.iter_mut().rev().find(|one| one.line < line).filter(|one| !one.ticked) {
            above.text = format!("{} {below}", above.text);
        }
    }
    escalations::add(&mut found, body, body_line, &is_escalation);
    found
}

/// A condition without a box among others that have one: whether it has come about cannot be told.
fn among_boxes(path: &str, text: &str, conditions: &boxes::Boxes) -> Option<Unclear> {
    let line = *conditions.without.first().filter(|_| !conditions.boxes.is_empty())?;
    let said =
        text.lines().nth(line.checked_sub(1)?).map(|said| one_line(said.trim_start_matches(['-', '*', '+', ' '])))?;
    let text = format!(
        "whether {said:?} has come about cannot be told: the other conditions have a box; write `- [x] {said}` if it has, and `- [ ]` before it if not"
    );
    (!says_none(&said) && !says_nothing(&said)).then(|| Unclear { file: path.to_owned(), line, text, holds: true })
}

/// Bytes that are no text and a header that cannot be read: boxes and locked decisions may stand there, so they hold.
fn damage(path: &str, problems: Vec<document::Problem>, parsed: &Document) -> Vec<Unclear> {
    let unclear = |line, text| Unclear { file: path.to_owned(), line, text, holds: true };
    let mut found: Vec<Unclear> = problems.into_iter().map(|problem| unclear(problem.line, problem.text)).collect();
    if let Front::Broken { line, text } = &parsed.front {
        found.push(unclear(*line, text.clone()));
    }
    found
}

/// Sentences below the heading of conditions where no box, row or item stands: whether one of them has come about cannot be
/// told, and a debate depends on it.
fn told_in_words(
    path: &str,
    parsed: &Document,
    conditions: &boxes::Boxes,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Option<Unclear> {
    if !(conditions.boxes.is_empty() && conditions.unread.is_empty() && conditions.without.is_empty()) {
        return None;
    }
    let outline = Outline::of(&parsed.body, parsed.body_line);
    let root = outline.parts(&parsed.body);
    let parts = root.all().into_iter().filter(|part| part.level > 1 && is_wanted(&part.title.text));
    let says = |block: &Block| {
        let text = block.text();
        let leads = text.trim_end().ends_with(':');
        let is_prose = matches!(block.kind, Kind::Paragraph) && !block.is_quoted;
        is_prose && !leads && !says_none(&text) && !says_nothing(&text)
    };
    let first = parts.flat_map(|part| part.own.iter()).find(|block| says(block))?;
    let text = format!(
        "whether {:?} has come about cannot be told, and a debate depends on it; write it as a box, such as `- [ ] {}`, ticked if it has",
        one_line(&first.text()),
        one_line(&first.text())
    );
    Some(Unclear { file: path.to_owned(), line: first.line, text, holds: true })
}

/// A file in a handoff's place that has neither a header nor a heading: nothing of a handoff stands there.
fn shapeless(path: &str, parsed: &Document, text: &str) -> Option<Unclear> {
    let has_shape = parsed.fields().is_some() || !Outline::of(&parsed.body, parsed.body_line).headings.is_empty();
    (!has_shape && !matches!(parsed.front, Front::Broken { .. }) && !text.trim().is_empty()).then(|| Unclear {
        file: path.to_owned(),
        line: 1,
        text: format!(
            "it has no part of a handoff (no header, no TODO, no conditions), so nothing is read from it. If another stood there and was committed: git checkout -- {path}; if it is removed, `forge continue` makes one from the record"
        ),
        holds: false,
    })
}

/// Whether a condition only says that there is none, or is struck out: `None of these apply`, `~~Mail does not cope~~`.
fn says_none(text: &str) -> bool {
    let bare = text.trim();
    let is_struck = bare.len() > 4 && bare.starts_with("~~") && bare.ends_with("~~");
    is_struck || NO_CONDITION.has_text(bare)
}

/// The decisions, constraints and assumptions that a handoff names, under the ids that it names them by.
pub fn named(bytes: &[u8]) -> Findings {
    let text = document::decode(bytes).text;
    let parsed = Document::parse(&text);
    let sections = markdown::draft(&parsed.body, parsed.body_line).sections;
    let body = |title: &str| {
        let section = sections.iter().find(|section| title_matches(&section.title, title));
        section.map(|section| section.body.clone()).unwrap_or_default()
    };
    Findings {
        decisions: knowledge::read_decisions(&body("Locked Decisions")),
        constraints: knowledge::read_constraints(&body("Constraints for Next Phase")),
        assumptions: knowledge::read_assumptions(&body("Open Assumptions")),
        ..Findings::default()
    }
}

/// How many active risks a handoff counts.
pub fn risks_counted(bytes: &[u8]) -> usize {
    let text = document::decode(bytes).text;
    let parsed = Document::parse(&text);
    let sections = markdown::draft(&parsed.body, parsed.body_line).sections;
    let summary = sections.iter().find(|section| title_matches(&section.title, "Risk Summary"));
    let rows = summary.map(|section| table_rows(&section.body)).unwrap_or_default();
    rows.iter().filter_map(|row| cells(row).get(1)?.trim().parse::<usize>().ok()).sum()
}

/// Open boxes that are neither to be done nor conditions: they are named once.
fn elsewhere(path: &str, others: &[Checkbox], todo: &[Checkbox]) -> Option<Unclear> {
    let is_elsewhere = |one: &&Checkbox| !one.ticked && !todo.iter().any(|known| known.line == one.line);
    let count = others.iter().filter(is_elsewhere).count();
    let line = others.iter().find(is_elsewhere)?.line;
    let boxes = if count == 1 { "an open box stands" } else { "open boxes stand" };
    let text = format!(
        "{boxes} here below no TODO heading, and nothing waits for it; what is to be done in this phase belongs below `## TODO`"
    );
    Some(Unclear { file: path.to_owned(), line, text, holds: false })
}

/// The decisions below *Locked Decisions*, in a table or a list, and a note on those without an id.
fn locked(path: &str, parsed: &Document) -> (Vec<LockedDecision>, Vec<Unclear>) {
    let outline = Outline::of(&parsed.body, parsed.body_line);
    let root = outline.parts(&parsed.body);
    let parts = root.all().into_iter().filter(|part| title_matches(&part.title.text, "Locked Decisions"));
    let (mut decisions, mut unclear) = (Vec::new(), Vec::new());
    for block in parts.flat_map(|part| part.blocks()).filter(|block| !block.is_quoted) {
        let (id, title, needs_debate) = match &block.kind {
            Kind::Row { head } => row(head, &block),
            Kind::Item { .. } if block.depth == 1 => item(&block.text()),
            _ => continue,
        };
        if holds_place(&title) {
            continue;
        }
        let line = block.line;
        if id.is_empty() {
            let text = format!(
                "the locked decision {title:?} has no id, so that no phase can challenge it by name; give it one, such as `| D1 | {title} |`"
            );
            unclear.push(Unclear { file: path.to_owned(), line, text, holds: false });
            continue;
        }
        decisions.push(LockedDecision { id, title, needs_debate, file: path.to_owned(), line });
    }
    (decisions, unclear)
}

/// The id, the title and whether a challenge requires a debate, by the table's columns.
fn row(head: &[String], block: &Block) -> (String, String, bool) {
    let columns: Vec<String> = head.iter().map(|cell| key(cell)).collect();
    let cell = |at: usize| block.lines.get(at).map(|cell| one_line(&cell.text)).unwrap_or_default();
    let find = |wanted: &[&str]| columns.iter().position(|column| wanted.contains(&column.as_str()));
    let id_at = find(&["decision id", "id", "#", "no", "nr"]).unwrap_or(0);
    // A table may have no column of ids, and its first one is the title then.
    let is_title = |at: &usize| *at != id_at || !is_id(&cell(*at));
    let title_at = find(&["title", "decision", "description", "summary"]).filter(is_title);
    let challenge = columns.iter().position(|column| column.contains("challenge") || column.contains("debate"));
    let title = cell(title_at.unwrap_or(id_at + 1));
    (
        Some(cell(id_at)).filter(|id| is_id(id)).unwrap_or_default(),
        title,
        challenge.is_none_or(|at| answer(&cell(at)) != Some(false)),
    )
}

/// `D014: Remind by digest mail`.
fn item(text: &str) -> (String, String, bool) {
    let (id, title) = text.split_once([':', '–', '—']).map_or(("", text), |(id, title)| (id.trim(), title));
    let id = id.trim_start_matches("Decision ").trim_start_matches('[').trim_end_matches(']');
    let title = if is_id(id) { title } else { text };
    (Some(id.to_owned()).filter(|id| is_id(id)).unwrap_or_default(), one_line(title), true)
}

fn is_id(text: &str) -> bool {
    !text.contains(char::is_whitespace) && text.contains(|c: char| c.is_ascii_digit()) && !holds_place(text)
}

/// What a handoff says of itself: from, to, workflow, when. Where it has no front matter its title tells the phases.
pub fn header(bytes: &[u8]) -> Option<(String, String, Option<String>, Option<String>)> {
    let text = document::decode(bytes).text;
    let parsed = Document::parse(&text);
    let get = |key: &str| super::scalar(parsed.fields()?, key);
    let (from, to) = get("from_phase").zip(get("to_phase")).or_else(|| titled(&parsed))?;
    Some((from, to, get("workflow_id"), get("generated_at")))
}

/// How the phase was left: whether a rehearsal passed its gate, and what called for the debate that was skipped.
pub fn marks(bytes: &[u8]) -> (bool, Option<String>) {
    let text = document::decode(bytes).text;
    let parsed = Document::parse(&text);
    let get = |key: &str| super::scalar(parsed.fields()?, key);
    (get("gate_rehearsed").as_deref() == Some("true"), get("left_without_debate_on"))
}

/// The phases of `# Handoff: Build → Validate`.
fn titled(parsed: &Document) -> Option<(String, String)> {
    let outline = Outline::of(&parsed.body, parsed.body_line);
    let title = outline.headings.first()?.title.to_lowercase();
    let (_, phases) = title.split_once("handoff:")?;
    let (from, to) = ["→", "->", " to "].iter().find_map(|mark| phases.split_once(mark))?;
    let is_phase = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
    Some((from.trim().to_owned(), to.trim().to_owned())).filter(|(from, to)| is_phase(from) && is_phase(to))
}

fn list(body: &mut String, lines: impl Iterator<Item = String>) {
    let mut any = false;
    for line in lines {
        let _ = writeln!(body, "{line}");
        any = true;
    }
    if !any {
        body.push_str("None.\n");
    }
}

fn table(body: &mut String, head: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let mut any = false;
    for row in rows {
        if !any {
            let _ = writeln!(body, "| {} |\n|{}", head.join(" | "), "---|".repeat(head.len()));
            any = true;
        }
        let cells: Vec<String> = row.iter().map(|text| cell(&one_line(text))).collect();
        let _ = writeln!(body, "| {} |", cells.join(" | "));
    }
    if !any {
        body.push_str("None.\n");
    }
}

fn risks(body: &mut String, risks: &[Risk]) {
    let level = |range: std::ops::RangeInclusive<u8>| {
        let of: Vec<&Risk> = risks.iter().filter(|risk| range.contains(&risk.score().unwrap_or(0))).collect();
        let highest = of.iter().max_by_key(|risk| risk.score()).map_or("", |risk| risk.text.as_str());
        (of.len().to_string(), highest.to_owned())
    };
    let rows = [("High", 6..=9), ("Medium", 3..=5), ("Low", 0..=2)].map(|(name, range)| {
        let (count, highest) = level(range);
        vec![name.to_owned(), count, highest]
    });
    table(body, &["Risk Level", "Count", "Highest Priority Risk"], rows.into_iter());
}

fn yes_no(flag: bool) -> &'static str {
    if flag { "Yes" } else { "No" }
}
