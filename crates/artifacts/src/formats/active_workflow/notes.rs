//! What forge keeps current in a state file for people: three headings of the notes, and two values of `metadata`.
//!
//! Promises: only what stands between forge's own marks is changed, or values that carry forge's own comment; everything else in
//! the file is its writer's, and the state that the file says is the same before and after.

use super::read;
use forge_debate::digest::Digest;
use forge_workflow::notes::Notes;

/// How forge's part begins; a digest of its lines follows, so that what a person writes there is told from them.
const BEGIN: &str = "<!-- forge ";
const END: &str = "<!-- /forge -->";
/// What tells a value of forge's from a person's.
const OURS: &str = "# kept by forge";

/// Values of the state file's `metadata` that follow from what is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Metadata {
    /// `low`, `medium` or `high`, by the highest active risk; none where no risk is scored.
    pub risk_level: Option<&'static str>,
    /// From when the workflow began to when it last moved.
    pub actual_hours: Option<String>,
}

/// The file with its notes and its metadata as they are now.
pub fn keep_current(text: &str, notes: &Notes, metadata: &Metadata) -> String {
    let blockers = if notes.blockers.is_empty() { vec!["None.".to_owned()] } else { bullets(&notes.blockers) };
    let actions = match notes.actions.is_empty() {
        true => vec!["None.".to_owned()],
        false => notes.actions.iter().enumerate().map(|(i, line)| format!("{}. {}", i + 1, safe(line))).collect(),
    };
    let mut kept = text.to_owned();
    for (title, lines) in
        [("Current Focus", vec![safe(&notes.focus)]), ("Blockers", blockers), ("Next Actions", actions)]
    {
        kept = with_section(&kept, title, &lines);
    }
    let hours = metadata.actual_hours.as_deref();
    for (key, value) in [("actual_hours", hours), ("risk_level", metadata.risk_level)] {
        kept = value.and_then(|value| with_value(&kept, key, value)).unwrap_or(kept);
    }
    if read(&kept) == read(text) { kept } else { text.to_owned() }
}

fn bullets(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| format!("- {}", safe(line))).collect()
}

/// A line that ends neither itself nor forge's marks.
fn safe(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ").replace("<!--", "<! --").replace("-->", "-- >")
}

/// The text with forge's lines below a heading, which is made at the end where there is none.
fn with_section(text: &str, title: &str, lines: &[String]) -> String {
    let block = format!("{BEGIN}{} -->\n{}\n{END}\n", digest(&lines.join("\n")), lines.join("\n"));
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    let Some(at) = heading(&all, title) else {
        if is_fence_open(&all) {
            return text.to_owned();
        }
        let gap = if text.ends_with('\n') { "\n" } else { "\n\n" };
        return format!("{text}{gap}## {title}\n\n{block}");
    };
    let end = all.iter().skip(at + 1).position(|line| line.starts_with('#')).map_or(all.len(), |n| at + 1 + n);
    let mark = |is: &dyn Fn(&str) -> bool| all[at + 1..end].iter().position(|line| is(line.trim())).map(|n| at + 1 + n);
    let (begin, close) = (mark(&|line| line.starts_with(BEGIN)), mark(&|line| line == END));
    let (before, after, theirs) = match (begin, close) {
        (Some(begin), Some(close)) if begin < close => {
            let inside: String = all[begin + 1..close].concat();
            let is_ours = all[begin].contains(&digest(inside.trim_end_matches(['\r', '\n'])));
            (begin, close + 1, if is_ours { String::new() } else { inside })
        }
        (None, None) => {
            let rest = all[at + 1..].concat();
            let line_end = if all[at].ends_with('\n') { "" } else { "\n" };
            let apart = if rest.is_empty() || rest.starts_with(['\r', '\n']) { "" } else { "\n" };
            return format!("{}{line_end}\n{block}{apart}{rest}", all[..=at].concat());
        }
        // Somebody took half of the marks away: what stands there is theirs.
        _ => return text.to_owned(),
    };
    // What a person wrote between the marks stays below them.
    format!("{}{block}{theirs}{}", all[..before].concat(), all[after..].concat())
}

fn digest(lines: &str) -> String {
    Digest::of(lines.as_bytes()).short(8)
}

/// The line of a heading outside of front matter and code.
fn heading(lines: &[&str], title: &str) -> Option<usize> {
    let mut fenced = false;
    let front = lines.iter().skip(1).position(|line| line.trim_end() == "---").map_or(0, |n| n + 2);
    lines.iter().enumerate().skip(front).find_map(|(i, line)| {
        fenced ^= is_fence(line);
        let named = line.trim_start_matches('#').trim().trim_end_matches(':');
        (!fenced && line.starts_with('#') && named.eq_ignore_ascii_case(title)).then_some(i)
    })
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~")
}

/// Whether the text ends in code: whatever is added would be code too.
fn is_fence_open(lines: &[&str]) -> bool {
    lines.iter().filter(|line| is_fence(line)).count() % 2 == 1
}

/// The text with a value of `metadata`, unless a person gave one.
fn with_value(text: &str, key: &str, value: &str) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let end = lines.iter().skip(1).position(|line| line.trim_end() == "---")? + 1;
    let at = lines[..end].iter().position(|line| line.starts_with("metadata:"))?;
    let inside = lines[at + 1..end].iter().take_while(|line| line.starts_with(' ')).count();
    let own = format!("  {key}: {value} {OURS}\n");
    let rest = lines[at]["metadata:".len()..].trim();
    if rest == "{}" || rest == "null" {
        return Some(format!("{}metadata:\n{own}{}", lines[..at].concat(), lines[at + 1..].concat()));
    }
    if !(rest.is_empty() || rest.starts_with('#')) {
        return None;
    }
    let block = at + 1..at + 1 + inside;
    let found = block.clone().find(|i| lines[*i].trim_start().split(':').next() == Some(key));
    match found {
        Some(i) if lines[i].trim_end().ends_with(OURS) => {
            Some(format!("{}{own}{}", lines[..i].concat(), lines[i + 1..].concat()))
        }
        Some(_) => None,
        None => Some(format!("{}{own}{}", lines[..block.end].concat(), lines[block.end..].concat())),
    }
}
