//! A reply, or a turn that somebody left as a file, taken apart: sections, ballot, labels.
//!
//! Promises: only real headings count (not those in code, quotes, lists or HTML); the ballot is the last fenced
//! `json` block and is read whole or not at all; nothing is judged here (forms do that, in `forge_debate::form`); no
//! panic and no long work on any bytes.
//!
//! Must never: take a vote from prose or from quoted words, repair JSON, or hide what it could not read.
//!
//! Pure; if the process dies here nothing is left.

mod ballot;

use crate::document::{Document, Front, decode};
use ballot::Fence;
use forge_debate::brief::plain;
use forge_debate::form::Draft;
use forge_debate::turn::{Section, bare_title};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::borrow::Cow;
use std::ops::Range;

/// The longest label, in bytes: what is longer is a sentence in bold.
const LABEL_LIMIT_BYTES: usize = 80;

/// Takes the bytes of a reply or a turn file apart; at most `limit_bytes` of them are read.
pub fn draft_of_bytes(bytes: &[u8], limit_bytes: usize) -> Draft {
    let mut problems = Vec::new();
    let mut read = bytes;
    if bytes.len() > limit_bytes {
        problems.push(format!("only the first {limit_bytes} of {} bytes were read", bytes.len()));
        read = &bytes[..limit_bytes];
        // Not in the middle of a character.
        while read.last().is_some_and(|byte| *byte >= 0x80) && bytes[read.len()] & 0xC0 == 0x80 {
            read = &read[..read.len() - 1];
        }
    }
    let decoded = decode(read);
    problems.extend(decoded.problems.iter().map(|problem| format!("line {}: {}", problem.line, problem.text)));
    let text = strip_ansi(&decoded.text);
    let document = Document::parse(&text);
    let mut draft = match document.front {
        Front::None | Front::Fields(_) => draft(&document.body, document.body_line),
        // A reply may begin with a rule; what follows it is front matter only if it looks like it.
        Front::Broken { line, text: problem } => {
            if text.lines().nth(1).is_some_and(looks_like_a_field) {
                problems.push(format!("line {line}: {problem}"));
            }
            draft(&text, 1)
        }
    };
    draft.problems = problems;
    draft
}

fn looks_like_a_field(line: &str) -> bool {
    let Some((name, value)) = line.split_once(':') else { return false };
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    is_name && !name.is_empty() && (value.is_empty() || value.starts_with([' ', '\t']))
}

/// Takes a text apart whose first line is line `first_line` of its file.
pub fn draft(text: &str, first_line: usize) -> Draft {
    let lines = Lines::of(text, first_line);
    let outline = Outline::of(text);
    let found = ballot::find(text, &outline.fences, &lines);
    let hole = found.lines.unwrap_or(text.len()..text.len());
    Draft {
        text: [&text[..hole.start], &text[hole.end..]].concat(),
        sections: sections(text, &outline.headings, &hole, &lines),
        ballot: found.ballot,
        ballot_problem: found.problem,
        labels: outline.labels,
        problems: Vec::new(),
    }
}

/// A text without terminal escape sequences. Lines stay as many as they were.
pub fn strip_ansi(text: &str) -> Cow<'_, str> {
    const ESCAPE: char = '\u{1B}';
    const CSI: char = '\u{9B}';
    if !text.contains([ESCAPE, CSI]) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find([ESCAPE, CSI]) {
        out.push_str(&rest[..at]);
        let sequence = &rest[at..];
        let length = match sequence.strip_prefix(CSI) {
            Some(parameters) => CSI.len_utf8() + control_length(parameters),
            None => 1 + escape_length(&sequence[1..]),
        };
        rest = &sequence[length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The bytes of an escape sequence after its escape character.
fn escape_length(text: &str) -> usize {
    match text.chars().next() {
        Some('[') => 1 + control_length(&text[1..]),
        // Titles, links and the like run up to a bell or `ESC \`; one that is not ended on its line is no such thing.
        Some(']' | 'P' | 'X' | '^' | '_') => match text.find(['\u{7}', '\u{1B}', '\n']) {
            Some(at) if text[at..].starts_with('\u{7}') => at + 1,
            Some(at) if text[at..].starts_with("\u{1B}\\") => at + 2,
            _ => 1,
        },
        Some(c @ ' '..='/') => {
            c.len_utf8() + text[1..].chars().next().filter(|c| ('0'..='~').contains(c)).map_or(0, char::len_utf8)
        }
        Some(c @ '0'..='~') => c.len_utf8(),
        _ => 0,
    }
}

/// The bytes of a control sequence after its introducer: parameters and one final letter.
fn control_length(text: &str) -> usize {
    let parameters = text.bytes().take_while(|byte| (0x20..=0x3F).contains(byte)).count();
    let closed = text.as_bytes().get(parameters).is_some_and(|byte| (0x40..=0x7E).contains(byte));
    parameters + usize::from(closed)
}

/// Where the lines of a text begin.
struct Lines {
    starts: Vec<usize>,
    first_line: usize,
    length: usize,
}

impl Lines {
    fn of(text: &str, first_line: usize) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { starts, first_line, length: text.len() }
    }

    fn index(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// The file's line number of a byte.
    fn number(&self, offset: usize) -> usize {
        self.first_line + self.index(offset)
    }

    /// The whole lines that a range touches.
    fn whole(&self, range: &Range<usize>) -> Range<usize> {
        let last = self.index(range.end.saturating_sub(1).max(range.start));
        self.starts[self.index(range.start)]..self.starts.get(last + 1).copied().unwrap_or(self.length)
    }
}

/// A heading at the top level.
struct Heading {
    level: HeadingLevel,
    title: String,
    range: Range<usize>,
}

fn sections(text: &str, headings: &[Heading], hole: &Range<usize>, lines: &Lines) -> Vec<Section> {
    let uses_marks = headings.iter().any(|heading| heading.level <= HeadingLevel::H2 && is_marked(text, heading));
    let real: Vec<&Heading> = headings.iter().filter(|heading| !(uses_marks && is_rule(text, heading))).collect();
    let body = |start: usize, end: usize| {
        let (before, after) = (&text[start..end.min(hole.start.max(start))], &text[end.min(hole.end.max(start))..end]);
        [before, after].concat().trim_start_matches('\n').trim_end().to_owned()
    };
    real.iter()
        .enumerate()
        .map(|(at, heading)| {
            let next = real[at + 1..].iter().find(|next| next.level <= heading.level);
            let end = next.map_or(text.len(), |next| lines.whole(&next.range).start);
            let start = lines.whole(&heading.range).end.min(end);
            let title = bare_title(&plain(&heading.title)).to_owned();
            Section { title, body: body(start, end), line: lines.number(heading.range.start) }
        })
        .collect()
}

/// Whether a heading is written with `#`.
fn is_marked(text: &str, heading: &Heading) -> bool {
    text[heading.range.clone()].trim_start().starts_with('#')
}

/// Whether a heading is a paragraph with a `---` right below it. Writers whose headings have marks mean a rule by that.
fn is_rule(text: &str, heading: &Heading) -> bool {
    !is_marked(text, heading)
        && text[heading.range.clone()].trim_end().lines().next_back().map(str::trim) == Some("---")
}

/// What stands in a text, in one pass.
#[derive(Default)]
struct Outline {
    headings: Vec<Heading>,
    fences: Vec<Fence>,
    labels: Vec<(String, String)>,
}

/// How far a line has been read as `**label:** value`.
enum Label {
    /// Nothing of the line yet.
    Start,
    /// Inside the bold text.
    Name(String),
    /// Behind it.
    Value(String, String),
    /// The line is something else.
    No,
}

impl Outline {
    fn of(text: &str) -> Self {
        let mut outline = Outline::default();
        let (mut quotes, mut containers) = (0_usize, 0_usize);
        let mut label = Label::No;
        let mut in_heading = false;
        let mut in_fence = false;
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            match event {
                Event::Start(Tag::BlockQuote(_)) => {
                    outline.finish(&mut label);
                    quotes += 1;
                }
                Event::End(TagEnd::BlockQuote(_)) => quotes = quotes.saturating_sub(1),
                Event::Start(Tag::List(_)) => {
                    outline.finish(&mut label);
                    containers += 1;
                }
                Event::End(TagEnd::List(_)) => containers = containers.saturating_sub(1),
                Event::Start(Tag::Heading { level, .. }) if quotes + containers == 0 => {
                    outline.headings.push(Heading { level, title: String::new(), range });
                    in_heading = true;
                    // A line with a `---` right below it may be a label all the same.
                    label = Label::Start;
                }
                Event::End(TagEnd::Heading(_)) => {
                    in_heading = false;
                    outline.finish(&mut label);
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    outline.finish(&mut label);
                    if let CodeBlockKind::Fenced(info) = kind
                        && quotes == 0
                    {
                        outline.fences.push(Fence::new(text, range, &info));
                        in_fence = true;
                    }
                }
                Event::End(TagEnd::CodeBlock) => in_fence = false,
                Event::Start(Tag::Paragraph | Tag::Item) if quotes == 0 => label = Label::Start,
                Event::End(TagEnd::Paragraph | TagEnd::Item) => outline.finish(&mut label),
                Event::SoftBreak | Event::HardBreak => {
                    outline.title(" ", in_heading);
                    outline.finish(&mut label);
                    label = if quotes == 0 { Label::Start } else { Label::No };
                }
                Event::Start(Tag::Strong) if matches!(label, Label::Start) => label = Label::Name(String::new()),
                Event::End(TagEnd::Strong) => {
                    label = match label {
                        Label::Name(name) => Label::Value(name, String::new()),
                        other => other,
                    };
                }
                Event::Text(piece) if in_fence => {
                    if let Some(fence) = outline.fences.last_mut() {
                        fence.content.push_str(&piece);
                    }
                }
                Event::Text(piece) | Event::Code(piece) => {
                    outline.title(&piece, in_heading);
                    match &mut label {
                        Label::Start => label = Label::No,
                        Label::Name(name) => name.push_str(&piece),
                        Label::Value(_, value) => value.push_str(&piece),
                        Label::No => {}
                    }
                }
                _ => {}
            }
        }
        outline
    }

    fn title(&mut self, piece: &str, in_heading: bool) {
        if let Some(heading) = self.headings.last_mut().filter(|_| in_heading) {
            heading.title.push_str(piece);
        }
    }

    /// Ends a line, and keeps its label if it has one.
    fn finish(&mut self, label: &mut Label) {
        let Label::Value(name, value) = std::mem::replace(label, Label::No) else { return };
        let (name, value) = (plain(&name), plain(&value));
        let pair = match (name.trim().strip_suffix(':'), value.trim().strip_prefix(':')) {
            (Some(name), _) => Some((name, value.as_str())),
            (None, Some(value)) => Some((name.as_str(), value)),
            // `**Chosen Option: B**`
            (None, None) if value.trim().is_empty() => name.split_once(": "),
            (None, None) => None,
        };
        if let Some((name, value)) = pair.map(|(name, value)| (name.trim(), value.trim()))
            && !name.is_empty()
            && !value.is_empty()
            && name.len() <= LABEL_LIMIT_BYTES
        {
            self.labels.push((name.to_owned(), value.to_owned()));
        }
    }
}
