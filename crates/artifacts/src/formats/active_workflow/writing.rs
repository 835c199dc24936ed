//! Writing the state file: the values that changed, or a front matter from the start.
//!
//! Whatever is written is read back first. If it does not say what it should, the next safer form is taken: values
//! edited in place, then forge's front matter with the keys that forge does not know, then forge's front matter with
//! the whole text of before as notes below.

use super::sound::make_sound;
use super::{Context, Layout, Read, context_in, understood, words};
use crate::document::{Document, Front, front_text, set_front_block};
use crate::formats::scalar;
use crate::yaml::{plain_or_quoted, quoted};
use forge_debate::plan::Matter;
use forge_workflow::state::{Answered, Called, DebateFlag, State, VERSION};
use serde_json::{Map, Value};
use std::fmt::Write as _;

/// How often values are set anew before it is given up: one that others were derived from may need a second look.
const PASSES: usize = 3;

/// Where a person's notes begin.
const NOTES: &str = "\n# Workflow Notes\n\n## Current Focus\n\n## Blockers\n\n## Next Actions\n";

/// Keys of other layouts whose values are in forge's own keys after a conversion.
const TAKEN_OVER: &[&str] = &[
    "workflow",
    "version",
    "context",
    "metadata",
    "current_phase",
    "active_debate_id",
    "workflow_status",
    "phase_completed_at",
    "debate_triggered",
    "progress",
];

/// The longest text that YAML takes for a key without ado.
const KEY_LIMIT_CHARS: usize = 128;

/// Writes the state file. `previous` is the text that is there now.
pub fn write(previous: Option<&str>, state: &State, around: &Context) -> String {
    let state = &settled(state);
    let Some(previous) = previous.filter(|text| !text.trim().is_empty()) else {
        return format!("{}{NOTES}", front(state, around, &Kept::default()));
    };
    let (known, fields) = understood(previous);
    if let Read::State { state: said, layout, .. } = &known
        && layout.is_edited_in_place()
        && !matches!(Document::parse(previous).front, Front::Broken { .. })
        && let Some(edited) = edited(previous, said, &fields, state, around)
    {
        return edited;
    }
    let document = Document::parse(previous);
    let there = match (&document.front, &known) {
        (_, Read::Newer { .. }) | (Front::None, _) => None,
        (Front::Fields(there), _) => Some(there),
        // Keys are repeated in it, and the last of each was read.
        (Front::Broken { .. }, Read::State { layout, .. }) if *layout != Layout::Prose => Some(&fields),
        (Front::Broken { .. }, _) => None,
    };
    if let Some(there) = there {
        let notes = if document.body.trim().is_empty() { NOTES } else { document.body.as_str() };
        let converted = format!("{}{notes}", front(state, around, &Kept::of(previous, there)));
        let (said, fields) = understood(&converted);
        if matches!(said, Read::State { state: said, .. } if said == *state) && context_in(&fields) == *around {
            return converted;
        }
    }
    format!("{}\n{}", front(state, around, &Kept::default()), previous.trim_start_matches('\u{FEFF}'))
}

/// The state as it can be written: a text that says nothing is none, and what would not be read is left out.
fn settled(state: &State) -> State {
    let mut state = state.clone();
    make_sound(&mut state);
    let optional = [
        &mut state.phase_objective,
        &mut state.phase_started_at,
        &mut state.completed_at,
        &mut state.next_phase,
        &mut state.debate.id,
        &mut state.debate.phase,
        &mut state.reopened_decision,
        &mut state.current_task,
        &mut state.branch,
        &mut state.issue,
    ];
    for text in optional {
        text.take_if(|text| text.is_empty());
    }
    state
}

/// A value, where it stands, and under which heading in a new file.
struct Entry {
    heading: &'static str,
    path: &'static [&'static str],
    lines: Vec<String>,
}

/// Everything that is written, in the order of a new file.
fn entries(state: &State, around: &Context) -> Vec<Entry> {
    let mut all = Vec::new();
    let mut put = |heading, path, lines| all.push(Entry { heading, path, lines });
    let maybe = |text: &Option<String>| one(text.as_deref().map_or_else(|| "null".to_owned(), plain_or_quoted));
    let prose = |text: &Option<String>| one(text.as_deref().map_or_else(|| "null".to_owned(), quoted));
    let maybe_time = |text: &Option<String>| one(text.as_deref().map_or_else(|| "null".to_owned(), time));

    let heading = "Identity";
    put(heading, &["phase"], one(plain_or_quoted(&state.phase)));
    put(heading, &["workflow"], one(plain_or_quoted(&format!("forge-{}", state.phase))));
    put(heading, &["version"], one(quoted(VERSION)));
    put(heading, &["workflow_id"], one(plain_or_quoted(&state.workflow_id)));
    put(heading, &["objective"], one(quoted(&state.objective)));
    put(heading, &["phase_objective"], prose(&state.phase_objective));
    put(heading, &["branch"], maybe(&state.branch));
    put(heading, &["issue"], maybe(&state.issue));
    put(heading, &["revision"], one(state.revision.to_string()));

    let heading = "Status";
    put(heading, &["status"], one(state.status.word().to_owned()));
    put(heading, &["phase_status"], one(state.phase_status.word().to_owned()));
    put(heading, &["started_at"], one(time(&state.started_at)));
    put(heading, &["phase_started_at"], maybe_time(&state.phase_started_at));
    put(heading, &["last_updated"], one(time(&state.last_updated)));
    put(heading, &["completed_at"], maybe_time(&state.completed_at));
    put(heading, &["completed_phases"], flow(&state.completed_phases));
    put(heading, &["next_phase"], maybe(&state.next_phase));

    let heading = "Debate State";
    put(heading, &["debate_id"], maybe(&state.debate.id));
    put(heading, &["debate_phase"], maybe(&state.debate.phase));
    put(heading, &["debate_status"], one(state.debate.status.word().to_owned()));
    put(heading, &["debate_gate_passed"], one(state.debate.gate_passed.to_string()));
    put(heading, &["debate_flag"], one(state.debate_flag.word().to_owned()));
    put(heading, &["debates"], pairs(&state.debates, "id"));
    put(heading, &["skipped_debates"], pairs(&state.skipped_debates, "reason"));
    let answered = |one: &Answered| (one.matter.clone(), format!("{} in {}", one.score, one.phase));
    let answered: Vec<(String, String)> = state.answered.iter().map(answered).collect();
    put(heading, &["answered"], pairs(&answered, "answer"));
    let called = |one: &Called| {
        let (name, kind) = match &one.matter {
            Matter::Risk { key, score } => (key.as_str(), format!("risk of {score}")),
            Matter::Decision(id) => (id.as_str(), "decision".to_owned()),
            Matter::Other(_) => ("condition", "ticked".to_owned()),
        };
        (name.to_owned(), format!("{kind}, {}", one.text))
    };
    put(heading, &["called"], pairs(&state.called.iter().map(called).collect::<Vec<_>>(), "call"));
    put(heading, &["rehearsed_phases"], flow(&state.rehearsed_phases));
    put(heading, &["debated_before"], flow(&state.debated_before));
    put(heading, &["reopened_decision"], maybe(&state.reopened_decision));

    let heading = "Progress";
    let blocked: Vec<String> = state.blocked_tasks.iter().map(|(task, _)| task.clone()).collect();
    put(heading, &["completed_tasks"], block(&state.completed_tasks, plain_or_quoted));
    put(heading, &["pending_tasks"], block(&state.pending_tasks, plain_or_quoted));
    put(heading, &["blocked_tasks"], block(&blocked, plain_or_quoted));
    put(heading, &["blocked_reasons"], reasons(&state.blocked_tasks));
    put(heading, &["current_task"], maybe(&state.current_task));

    let heading = "Context";
    put(heading, &["context", "feature"], one(quoted(&around.feature)));
    put(heading, &["context", "branch"], prose(&state.branch));
    put(heading, &["context", "related_docs"], block(&around.related_docs, plain_or_quoted));
    put(heading, &["context", "decisions"], block(&around.decisions, quoted));
    put(heading, &["context", "assumptions"], block(&around.assumptions, quoted));
    all
}

fn one(value: String) -> Vec<String> {
    vec![value]
}

/// A time stands as it is, for shells; anything else is quoted.
fn time(text: &str) -> String {
    let shape = |c: char| c.is_ascii_digit() || matches!(c, '-' | ':' | '.' | 'T' | 'Z');
    let is_time =
        text.len() >= 20 && text.ends_with('Z') && text.chars().all(shape) && text.as_bytes().get(10) == Some(&b'T');
    if is_time { text.to_owned() } else { quoted(text) }
}

/// `[a, b]`, for shells.
fn flow(items: &[String]) -> Vec<String> {
    one(format!("[{}]", items.iter().map(|item| plain_or_quoted(item)).collect::<Vec<_>>().join(", ")))
}

fn block(items: &[String], written: fn(&str) -> String) -> Vec<String> {
    if items.is_empty() {
        return one("[]".to_owned());
    }
    let items = items.iter().map(|item| format!("  - {}", written(item)));
    std::iter::once(String::new()).chain(items).collect()
}

/// A list of `"phase: text"`; a phase that would be cut in the wrong place stands as a record.
fn pairs(pairs: &[(String, String)], second: &str) -> Vec<String> {
    if pairs.is_empty() {
        return one("[]".to_owned());
    }
    let items = pairs.iter().map(|(phase, rest)| {
        let line = format!("{phase}: {rest}");
        match line.split_once(": ") == Some((phase.as_str(), rest.as_str())) {
            true => format!("  - {}", quoted(&line)),
            false => format!("  - {{\"phase\": {}, {}: {}}}", quoted(phase), quoted(second), quoted(rest)),
        }
    });
    std::iter::once(String::new()).chain(items).collect()
}

/// A map from task to reason; a list in the tasks' order where a task cannot be a key, or is there twice.
fn reasons(blocked: &[(String, String)]) -> Vec<String> {
    if blocked.is_empty() {
        return one("{}".to_owned());
    }
    let differs = |i: usize, task: &str| blocked.iter().take(i).all(|(other, _)| other != task);
    let is_key =
        |(i, (task, _)): (usize, &(String, String))| task.chars().count() <= KEY_LIMIT_CHARS && differs(i, task);
    let items: Vec<String> = match blocked.iter().enumerate().all(is_key) {
        true => blocked.iter().map(|(task, why)| format!("  {}: {}", plain_or_quoted(task), quoted(why))).collect(),
        false => blocked.iter().map(|(_, why)| format!("  - {}", quoted(why))).collect(),
    };
    std::iter::once(String::new()).chain(items).collect()
}

/// What a file has besides what forge writes.
#[derive(Default)]
struct Kept {
    context: Vec<String>,
    metadata: Option<String>,
    unknown: String,
}

impl Kept {
    fn of(text: &str, fields: &Map<String, Value>) -> Self {
        let ours: Vec<&str> = entries(&State::new("", "", "", ""), &Context::default())
            .iter()
            .filter_map(|entry| entry.path.first().copied())
            .collect();
        let written = |key: &str, value: &Value| {
            let as_it_was = front_text(text, key).filter(|lines| lines.ends_with('\n')).map(str::to_owned);
            as_it_was.unwrap_or_else(|| format!("{}: {}\n", quoted(key), flow_value(value)))
        };
        let unknown =
            fields.iter().filter(|(key, _)| !ours.contains(&key.as_str()) && !TAKEN_OVER.contains(&key.as_str()));
        Self {
            context: unknown_context(fields.get("context")),
            metadata: fields.get("metadata").map(|value| written("metadata", value)),
            unknown: unknown.map(|(key, value)| written(key, value)).collect(),
        }
    }
}

/// The subkeys of a context block that forge does not write, a line each.
fn unknown_context(block: Option<&Value>) -> Vec<String> {
    const OURS: &[&str] = &["feature", "branch", "related_docs", "decisions", "assumptions"];
    let Some(Value::Object(block)) = block else { return Vec::new() };
    let unknown = block.iter().filter(|(key, _)| !OURS.contains(&key.as_str()));
    unknown.map(|(key, value)| format!("  {}: {}", plain_or_quoted(key), flow_value(value))).collect()
}

/// A value on one line.
fn flow_value(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(flow_value).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| format!("{}: {}", quoted(key), flow_value(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A whole front matter.
fn front(state: &State, around: &Context, kept: &Kept) -> String {
    let mut out = "---\n".to_owned();
    let mut heading = "";
    for entry in entries(state, around) {
        if heading != entry.heading {
            let gap = if heading.is_empty() { "" } else { "\n" };
            heading = entry.heading;
            let _ = writeln!(out, "{gap}# {heading}");
            if heading == "Context" {
                out.push_str("context:\n");
            }
        }
        let pad = "  ".repeat(entry.path.len().saturating_sub(1));
        out.push_str(&written(&entry, &pad));
    }
    for line in &kept.context {
        let _ = writeln!(out, "{line}");
    }
    out.push_str("\n# Metadata\n");
    out.push_str(kept.metadata.as_deref().unwrap_or("metadata: {}\n"));
    out.push_str(&kept.unknown);
    out.push_str("---\n");
    out
}

fn written(entry: &Entry, pad: &str) -> String {
    let key = entry.path.last().copied().unwrap_or_default();
    let (first, rest) = entry.lines.split_first().map_or(("", [].as_slice()), |(first, rest)| (first.as_str(), rest));
    let blank = if first.is_empty() { "" } else { " " };
    let mut out = format!("{pad}{key}:{blank}{first}\n");
    for line in rest {
        let _ = writeln!(out, "{pad}{line}");
    }
    out
}

/// The text with the values that differ set anew; nothing where that cannot be done.
fn edited(
    previous: &str,
    said: &State,
    fields: &Map<String, Value>,
    state: &State,
    around: &Context,
) -> Option<String> {
    let wanted = entries(state, around);
    let mut text = in_our_words(previous, fields, &wanted)?;
    // A new revision: the workflow moved, and the file is forge's from now on.
    let counted = said.revision != state.revision;
    let (mut said, mut fields) = (said.clone(), fields.clone());
    for _ in 0..PASSES {
        let there = entries(&said, &context_in(&fields));
        let pairs = wanted.iter().zip(&there);
        let differing: Vec<&Entry> =
            pairs.filter(|(wanted, there)| wanted.lines != there.lines).map(|(wanted, _)| wanted).collect();
        if differing.is_empty() && said == *state {
            return if counted { with_mirrors(text, &fields, &wanted) } else { Some(text) };
        }
        for entry in differing {
            text = set(&text, entry, &fields, &wanted)?;
        }
        let (read, read_fields) = understood(&text);
        let Read::State { state: read, .. } = read else { return None };
        (said, fields) = (read, read_fields);
    }
    None
}

/// The text with the keys that shells look for at its top level.
fn with_mirrors(text: String, fields: &Map<String, Value>, wanted: &[Entry]) -> Option<String> {
    const MIRRORS: &[&str] =
        &["workflow_id", "objective", "status", "phase_status", "branch", "issue", "completed_phases", "next_phase"];
    let missing = |entry: &&Entry| matches!(entry.path, [key] if MIRRORS.contains(key) && !fields.contains_key(*key));
    wanted.iter().filter(missing).try_fold(text, |text, entry| set_front_block(&text, entry.path, &entry.lines))
}

/// Words that forge reads but does not write, in the keys that shells read.
fn in_our_words(previous: &str, fields: &Map<String, Value>, wanted: &[Entry]) -> Option<String> {
    const WORDS: &[&str] = &["phase", "phase_status", "status", "debate_status"];
    let mut text = previous.to_owned();
    // Said once, it would call for a debate in every phase to come.
    let is_called =
        wanted.iter().any(|entry| entry.path == ["debate_flag"] && entry.lines == [DebateFlag::Forced.word()]);
    if fields.contains_key("debate_triggered") {
        text = set_front_block(&text, &["debate_triggered"], &one(is_called.to_string()))?;
    }
    for entry in wanted {
        let &[key] = entry.path else { continue };
        let Some(said) = scalar(fields, key) else { continue };
        let value = entry.lines.concat();
        let stale = match key {
            "version" => !words::is_current(&said),
            "workflow" => said.starts_with("forge-") && plain_or_quoted(&said) != value,
            key => WORDS.contains(&key) && plain_or_quoted(&said) != value,
        };
        if stale {
            text = set_front_block(&text, entry.path, &entry.lines)?;
        }
    }
    Some(text)
}

/// The text with one value set. `fields` are those of the text.
fn set(text: &str, entry: &Entry, fields: &Map<String, Value>, wanted: &[Entry]) -> Option<String> {
    let block = fields.get("context").and_then(Value::as_object);
    let has_own_branch = block.is_some_and(|block| block.contains_key("branch"));
    match entry.path {
        // Both follow from other values, and were looked at before.
        ["workflow" | "version"] => return Some(text.to_owned()),
        ["branch"] if has_own_branch && !fields.contains_key("branch") => return Some(text.to_owned()),
        ["context", "branch"] if !has_own_branch => return Some(text.to_owned()),
        _ => {}
    }
    if let Some(text) = set_front_block(text, entry.path, &entry.lines) {
        return Some(text);
    }
    let ["context", _] = entry.path else { return None };
    let inside = wanted.iter().filter(|entry| entry.path.len() == 2);
    let lines = inside.flat_map(|entry| written(entry, "  ").lines().map(str::to_owned).collect::<Vec<_>>());
    let lines: Vec<String> =
        std::iter::once(String::new()).chain(lines).chain(unknown_context(fields.get("context"))).collect();
    set_front_block(text, &["context"], &lines)
}
