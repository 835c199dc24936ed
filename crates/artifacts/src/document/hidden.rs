//! What hides a part of a document from who reads it: an unfinished merge, a fence or a comment that is not closed, a fence round the
//! whole, a header behind something else.
//!
//! Pure; if the process dies here nothing is left.

use super::{Document, Front, Problem};

/// How far below the first line a header is looked for.
const HEADER_WITHIN_LINES: usize = 12;
/// Keys of a header on which it depends whether a phase debates.
const HEADER_KEYS: [&str; 5] = ["component", "affected_component", "challenges", "challenged", "supersede"];

/// What hides a part of a text, each with its line.
pub fn hidden(text: &str) -> Vec<Problem> {
    let found = [merge_conflict(text), in_a_fence(text), unclosed(text), late_header(text)];
    found.into_iter().flatten().collect()
}

/// What git leaves where two branches differ, with its line: which side is meant nobody knows.
fn merge_conflict(text: &str) -> Option<Problem> {
    let lines = || text.lines().enumerate();
    let (line, _) = lines().find(|(_, line)| line.starts_with("<<<<<<< "))?;
    let (middle, _) = lines().skip(line).find(|(_, line)| *line == "=======")?;
    lines().skip(middle).find(|(_, line)| line.starts_with(">>>>>>> "))?;
    let text = "a merge was not finished here: keep one side, and take out the lines of git".to_owned();
    Some(Problem { line: line + 1, text })
}

/// A fence of code by its first line: the mark, how long it is, and the language.
fn opens(line: &str) -> Option<(char, usize, &str)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    let language = line[length..].trim();
    (length >= 3 && !(mark == '`' && language.contains('`'))).then_some((mark, length, language))
}

fn closes(line: &str, mark: char, length: usize) -> bool {
    let line = line.trim_end();
    line.chars().count() >= length && line.chars().all(|c| c == mark)
}

fn is_heading(line: &str) -> bool {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    (1..=6).contains(&level) && line[level..].starts_with(' ')
}

/// The lines of a text outside of fences, and its fences with their languages: what is left open goes on to the end.
struct Fences<'t> {
    outside: Vec<(usize, &'t str)>,
    inside: Vec<(usize, &'t str, Vec<&'t str>)>,
    is_open: bool,
}

impl<'t> Fences<'t> {
    fn of(text: &'t str) -> Self {
        let mut fences = Self { outside: Vec::new(), inside: Vec::new(), is_open: false };
        let mut open: Option<(char, usize)> = None;
        for (at, line) in text.lines().enumerate() {
            match (open, opens(line)) {
                (Some((mark, length)), _) if closes(line, mark, length) => open = None,
                (Some(_), _) => fences.inside.last_mut().into_iter().for_each(|(.., lines)| lines.push(line)),
                (None, Some((mark, length, language))) => {
                    open = Some((mark, length));
                    fences.inside.push((at + 1, language, Vec::new()));
                }
                (None, None) => fences.outside.push((at + 1, line)),
            }
        }
        fences.is_open = open.is_some();
        fences
    }
}

/// A document that stands in a fence as a whole, as chats give it.
fn in_a_fence(text: &str) -> Option<Problem> {
    let fences = Fences::of(text);
    if fences.outside.iter().any(|(_, line)| is_heading(line)) {
        return None;
    }
    let is_document = |(_, language, lines): &&(usize, &str, Vec<&str>)| {
        matches!(*language, "" | "md" | "markdown") && lines.iter().any(|line| is_heading(line))
    };
    let (line, ..) = fences.inside.iter().find(is_document)?;
    let text =
        "the document stands in a code fence from here on, so nothing of it is read: take the lines of the fence out";
    Some(Problem { line: *line, text: text.to_owned() })
}

/// A fence or a comment that is opened and never closed: all that follows is part of it.
fn unclosed(text: &str) -> Option<Problem> {
    let fences = Fences::of(text);
    let is_section = |line: &str| line.starts_with("## ");
    if let Some((line, _, lines)) = fences.inside.last().filter(|_| fences.is_open)
        && lines.iter().any(|line| is_section(line))
    {
        let text = "the code fence that begins here is not closed, so that everything below it is code and is not read";
        return Some(Problem { line: *line, text: text.to_owned() });
    }
    let mut begun: Option<(usize, usize)> = None;
    for (at, (line, text)) in fences.outside.iter().enumerate() {
        begun = match begun {
            Some(_) if text.contains("-->") => None,
            None if text.starts_with("<!--") && !text.contains("-->") => Some((at, *line)),
            other => other,
        };
    }
    let (at, line) = begun?;
    let text = "the comment that begins here is not closed, so that everything below it is part of it and is not read";
    fences.outside[at..].iter().any(|(_, line)| is_section(line)).then(|| Problem { line, text: text.to_owned() })
}

/// A header that is not at the very start, with keys on which a debate depends.
fn late_header(text: &str) -> Option<Problem> {
    let document = Document::parse(text);
    if matches!(document.front, Front::Broken { .. }) {
        return None;
    }
    let lines: Vec<&str> = document.body.lines().take(HEADER_WITHIN_LINES).collect();
    let opens = lines.iter().position(|line| line.trim_end() == "---")?;
    let tells = |line: &str| {
        let key = line.split_once(':').map(|(key, _)| key.trim().to_lowercase());
        key.is_some_and(|key| HEADER_KEYS.iter().any(|known| key.starts_with(known)))
    };
    let told = lines[opens + 1..].iter().take_while(|line| line.trim_end() != "---").any(|line| tells(line));
    let text = "a header stands here behind something else and is not read: it must begin in the first line";
    told.then(|| Problem { line: document.body_line + opens, text: text.to_owned() })
}
