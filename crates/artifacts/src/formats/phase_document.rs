//! A phase's working document, its options document, and what came of the phase.
//!
//! The first two are people's: forge makes them once, with places to fill in, reads them as they are, and ticks a box in
//! them when it is told to. The third is derived and rewritten.
//!
//! Promises: reading never fails; line numbers are those of the file; [`tick`] changes the mark in one box and nothing
//! else.
//!
//! Pure; if the process dies here nothing is left.

use super::report::{harmless, harmless_block};
use super::{FrontMatter, boxes, front_lists, plan};
use crate::document::{self, Document, Front};
use crate::markdown;
use forge_debate::option_list;
use forge_prose::blanks::holds_place;
use forge_prose::title_matches;
use forge_workflow::definition::{EntryAction, Phase};
use forge_workflow::extract::passages::{inert, one_line};
use forge_workflow::next::PhaseOutcome;
use forge_workflow::snapshot::{Document as PhaseDocument, OptionsRead, Unclear};
use std::fmt::Write as _;

/// Headings of a phase document below which the boxes are its TODO list. More words may follow.
const TODO: [&str; 2] = ["TODO", "TODOs"];
/// Headings below which boxes are work, in a phase's own document.
const WORK_HEADINGS: &str = include_str!("../../data/work-headings.txt");

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
    let mut text = format!("{front}{lists}---\n\n{}", title(&phase.name, objective));
    if !phase.description.is_empty() {
        let _ = write!(text, "\n{}\n", phase.description);
    }
    for note in &phase.entry_notes {
        let _ = writeln!(text, "\n- {note}");
    }
    if !todo.is_empty() {
        text.push_str("\n## TODO\n\n");
        for one in todo {
            let _ = writeln!(text, "- [ ] {}", inert(&one_line(one)));
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
        "\n{}\nAt least {fewest} approaches to choose from, each as `- Name: what it is`. They become the options of the\ndebate; `forge continue` plans it when they are here.\n\n## Options\n\n{}",
        title(&format!("{} options", phase.name), objective),
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
    problems.extend(document::hidden(&decoded.text).into_iter().map(|problem| unclear(problem.line, problem.text)));
    let (mut components, mut challenges) = (Vec::new(), Vec::new());
    match &parsed.front {
        Front::Fields(fields) => {
            let (named, unread) = front_lists::components(&decoded.text, fields);
            let (challenged, doubtful) = front_lists::challenges(&decoded.text, fields);
            (components, challenges) = (named, challenged);
            let entries = front_lists::entries(&decoded.text, fields);
            problems.extend(unread.into_iter().chain(doubtful).chain(entries).map(|(line, text)| unclear(line, text)));
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
    let in_body = forge_workflow::extract::challenged(&sections);
    challenges.extend(in_body.into_iter().filter(|id| !challenges.contains(id)).collect::<Vec<_>>());
    problems.extend(forge_workflow::extract::challenges_unread(&sections).map(|(line, said)| {
        let text = format!("whether {said:?} challenges a decision cannot be told; write `- D1: why` below that heading for a decision that is challenged, and `None` where nothing is");
        unclear(line, text)
    }));
    let is_todo = |title: &str| TODO.iter().any(|wanted| title_matches(title, wanted));
    let (todo, _) = boxes::below(&parsed.body, parsed.body_line, &is_todo);
    problems.extend(unread_boxes(path, &todo));
    // An item without a box among others is meant to be done, too.
    let is_mixed = !todo.boxes.is_empty() && todo.unread.is_empty();
    problems.extend(todo.without.first().filter(|_| is_mixed).map(|line| without_box(path, *line)));
    // Boxes of other sections may be options or criteria; below these headings they are work.
    let is_work = |title: &str| !is_todo(title) && boxes::is_one_of(title, WORK_HEADINGS);
    let (work, _) = boxes::below(&parsed.body, parsed.body_line, &is_work);
    problems.extend(work.boxes.iter().find(|one| !one.ticked).map(|one| {
        let text = "open boxes stand here below no TODO heading, and nothing waits for them; what is to be done in this phase belongs below `## TODO`";
        Unclear { file: path.to_owned(), line: one.line, text: text.to_owned(), holds: false }
    }));
    let conditions = super::handoff::conditions(&parsed.body, parsed.body_line);
    let escalations = conditions.boxes.into_iter().filter(|one| one.ticked).collect();
    let todo = todo.boxes;
    PhaseDocument { path: path.to_owned(), components, challenges, sections, todo, escalations, unclear: problems }
}

/// Boxes whose mark cannot be read, which hold, and list items that have none, which are named.
pub(crate) fn unread_boxes(path: &str, found: &boxes::Boxes) -> Vec<Unclear> {
    let unclear = |line, text, holds| Unclear { file: path.to_owned(), line, text, holds };
    let unread = found.unread.iter().map(|(line, shown)| {
        let text =
            format!("the box of {shown:?} cannot be read; write `- [ ]` while it is open and `- [x]` when it is not");
        unclear(*line, text, true)
    });
    let without = found.without.first().filter(|_| found.boxes.is_empty() && found.unread.is_empty());
    unread.chain(without.map(|line| without_box(path, *line))).collect()
}

fn without_box(path: &str, line: usize) -> Unclear {
    let text = "the items of this list have no boxes, so nothing of it holds; write `- [ ] ...` to have them count";
    Unclear { file: path.to_owned(), line, text: text.to_owned(), holds: false }
}

/// The workflow that a document says it belongs to.
pub fn workflow_of(bytes: &[u8]) -> Option<String> {
    let text = document::decode(bytes).text;
    super::scalar(Document::parse(&text).fields()?, "workflow_id").filter(|id| !id.trim().is_empty())
}

/// A text with the first open box of one line ticked. Nothing else is changed.
pub fn tick(text: &str, line: usize) -> String {
    boxes::tick(text, line)
}

/// Reads the options of a document, in its body or else in its front matter.
pub fn read_options(path: &str, bytes: Option<&[u8]>) -> OptionsRead {
    let Some(bytes) = bytes else { return OptionsRead { path: path.to_owned(), ..OptionsRead::default() } };
    let text = document::decode(bytes).text;
    let parsed = Document::parse(&text);
    let mut list = option_list::read(&parsed.body, parsed.body_line);
    if list.options.is_empty() && list.doubts.is_empty() {
        list.options = parsed.fields().and_then(|fields| plan::field_options(fields).ok()).unwrap_or_default();
        list.options.retain(|option| !holds_place(&option.label));
    }
    let unclear = |doubt: option_list::Doubt| Unclear {
        file: path.to_owned(),
        line: doubt.line,
        text: doubt.what.to_string(),
        holds: doubt.what.holds(),
    };
    let unfinished = document::hidden(&text).into_iter().map(|problem| Unclear {
        file: path.to_owned(),
        line: problem.line,
        text: problem.text,
        holds: true,
    });
    OptionsRead {
        path: path.to_owned(),
        there: true,
        line: list.line,
        passed_over: list.passed_over.filter(|_| list.options.is_empty()),
        options: list.options,
        unclear: unfinished.into_iter().chain(list.doubts.into_iter().map(unclear)).collect(),
    }
}

/// What came of a phase, for readers.
pub fn outcome(outcome: &PhaseOutcome) -> String {
    let mut body = format!("\n{}\n", title(&outcome.phase.1, &outcome.objective));
    for warning in &outcome.warnings {
        let _ = writeln!(body, "> {}\n", harmless(&one_line(warning)));
    }
    let _ = writeln!(body, "Working document: `{}`", outcome.document);
    if let Some((id, plan_file, decided)) = &outcome.debate {
        let _ = writeln!(body, "\n## Debate\n\n- Debate: {id} (`{plan_file}`)");
        if !decided.is_empty() {
            let _ = writeln!(body, "- Decided: {}", harmless(&one_line(&decided.join(" + "))));
        }
    }
    if !outcome.decisions.is_empty() {
        body.push_str("\n## Decisions\n");
        for (id, title, rationale) in &outcome.decisions {
            let _ = writeln!(body, "\n### {id}: {}\n\n{}", harmless(&one_line(title)), quoted(rationale));
        }
    }
    FrontMatter::default()
        .text("phase", &outcome.phase.0)
        .text("workflow_id", &outcome.workflow_id)
        .text("completed_at", &outcome.completed_at)
        .text("generated_by", "forge")
        .finish(&body)
}

/// Words of several lines are quoted, so that no heading or list among them is one of this document.
fn quoted(words: &str) -> String {
    match words.trim() {
        one if !one.contains('\n') => harmless(one),
        more => harmless_block(more).lines().map(|line| format!("> {line}").trim_end().to_owned() + "\n").collect(),
    }
}

/// Whether an outcome document is ours to rewrite.
pub fn is_our_outcome(bytes: &[u8]) -> bool {
    let text = document::decode(bytes).text;
    Document::parse(&text).fields().and_then(|fields| super::scalar(fields, "generated_by")).as_deref() == Some("forge")
}

/// A document's title: its name with the first line of the objective, and what follows that line as a quotation, so that
/// nothing in it counts as written here.
fn title(name: &str, objective: &str) -> String {
    let mut lines = objective.trim().lines();
    let first = one_line(lines.next().unwrap_or_default());
    let rest: String = lines.map(|line| format!("> {}", one_line(line)).trim_end().to_owned() + "\n").collect();
    let gap = if rest.is_empty() { "" } else { "\n" };
    format!("# {name}: {first}\n{gap}{rest}")
}
