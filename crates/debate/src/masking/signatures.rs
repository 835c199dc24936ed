//! Lines by which a speaker signs: `— Risk`, `Signed, risk`, `**Risk:**`, `# Risk judge's assessment`.

use super::Kind;
use super::names::{Names, Phrase, Sort};
use super::words::{Words, is_apostrophe};
use std::ops::Range;

/// The longest line that can be a signature or a byline.
const LINE_LIMIT_BYTES: usize = 160;
/// How letters end.
const CLOSINGS: &[&str] = &["signed", "sincerely", "yours", "regards", "respectfully", "cheers", "submitted"];
/// What a byline begins with.
const BYLINES: &[&str] = &["seat", "role", "speaker", "from", "by", "author", "judge", "persona", "model", "agent"];
/// What a heading can call a turn.
const REPORTS: &[&str] = &[
    "assessment",
    "view",
    "views",
    "position",
    "opening",
    "response",
    "opinion",
    "case",
    "statement",
    "verdict",
    "vote",
    "ballot",
    "analysis",
    "take",
    "turn",
    "reply",
    "answer",
    "perspective",
    "challenge",
    "rebuttal",
    "critique",
];

/// A line with its place among the others.
struct Line<'t> {
    start: usize,
    text: &'t str,
    /// Whether a blank line, or nothing, stands before it.
    is_apart: bool,
}

/// The names by which a text is signed.
pub(super) fn find(text: &str, kind: Kind, names: &Names) -> Vec<Range<usize>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut start = 0;
    let mut is_apart = true;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            is_apart = true;
        } else {
            lines.push(Line { start, text: line.trim_end(), is_apart });
            is_apart = false;
        }
        start += line.len();
    }
    let lone_labels = lines.iter().filter(|line| is_label(line.text, true)).count();
    let last = lines.len().saturating_sub(1);
    let mut found: Vec<Range<usize>> = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let page = Page { lines: &lines, lone_labels, at: i, kind, names };
        let signed = (line.text.len() <= LINE_LIMIT_BYTES).then(|| page.signed()).flatten();
        let signed = signed.or_else(|| if i == last { page.signed_at_the_end() } else { None });
        found.extend(signed.map(|range| line.start + range.start..line.start + range.end));
    }
    found
}

/// Whether a value is nothing but a name of the speaker.
pub(super) fn is_name(value: &str, names: &Names) -> bool {
    alone(value, names).is_some()
}

/// The name that a text is, but for emphasis and punctuation around it.
fn alone(text: &str, names: &Names) -> Option<Phrase> {
    let words = Words::of(text);
    let around = |gap: &str| gap.chars().all(|c| c.is_whitespace() || "*_`\"“”.,!:()>".contains(c));
    let phrase = names.phrase(&words, 0)?;
    (phrase.next == words.len() && around(words.before(0)) && around(&text[phrase.span.end..])).then_some(phrase)
}

/// A line being looked at, and the lines around it.
struct Page<'l, 't> {
    lines: &'l [Line<'t>],
    /// How many lines of the text are a label and nothing else.
    lone_labels: usize,
    at: usize,
    kind: Kind,
    names: &'l Names,
}

impl<'t> Page<'_, 't> {
    fn line(&self) -> &'t str {
        self.lines[self.at].text
    }

    fn neighbours(&self) -> impl Iterator<Item = &'t str> {
        let before = self.at.checked_sub(1).and_then(|i| self.lines.get(i));
        before.into_iter().chain(self.lines.get(self.at + 1)).map(|line| line.text)
    }

    fn is_last(&self) -> bool {
        self.at + 1 == self.lines.len()
    }

    /// The name after so many bytes of the line, if nothing else follows.
    fn alone_after(&self, bytes: usize) -> Option<Phrase> {
        let phrase = alone(self.line().get(bytes..)?, self.names)?;
        Some(Phrase { span: bytes + phrase.span.start..bytes + phrase.span.end, ..phrase })
    }

    /// The name in a line that signs, introduces or heads a turn.
    fn signed(&self) -> Option<Range<usize>> {
        self.dashed()
            .or_else(|| self.closed())
            .or_else(|| self.bylined())
            .or_else(|| self.headed())
            .or_else(|| self.labelled())
            .or_else(|| self.by_itself())
            .map(|phrase| phrase.span)
    }

    /// `— Risk`; but not one of several lines that begin so, which are a list.
    fn dashed(&self) -> Option<Phrase> {
        let bare = self.line().trim_start_matches(|c: char| c.is_whitespace() || c == '*' || c == '_' || c == '>');
        let indent = self.line().len() - bare.len();
        let dash: String = bare.chars().take_while(|c| "—–-~".contains(*c)).collect();
        let listed = |line: &str| match dash.as_str() {
            "-" => line.trim_start().starts_with(['-', '*', '+']),
            dash => line.trim_start().starts_with(dash),
        };
        let is_rule = dash.is_empty() || dash.len() > 6;
        if is_rule || self.neighbours().any(listed) || (dash == "-" && !self.is_last()) {
            return None;
        }
        self.alone_after(indent + dash.len())
    }

    /// `Signed, risk`, also with the name on the next line.
    fn closed(&self) -> Option<Phrase> {
        let words = Words::of(self.line());
        let closing = |words: &Words<'_>| (0..words.len().min(3)).find(|i| words.is(*i, CLOSINGS));
        if let Some(mut at) = closing(&words) {
            if words.is(at + 1, &["by", "sincerely"]) {
                at += 1;
            }
            let gap = words.after(at);
            let leads = words.at(at) == "by" || gap.trim_start().starts_with([',', ':', '—', '–', '-']);
            return if leads {
                self.alone_after(words.span(at).end).or_else(|| self.after_gap(&words, at))
            } else {
                None
            };
        }
        let previous = self.at.checked_sub(1).and_then(|i| self.lines.get(i))?.text;
        if previous.len() > LINE_LIMIT_BYTES || !previous.ends_with([',', ':']) {
            return None;
        }
        let words = Words::of(previous);
        if closing(&words).is_some() && words.len() <= 3 { self.alone_after(0) } else { None }
    }

    fn after_gap(&self, words: &Words<'_>, at: usize) -> Option<Phrase> {
        self.alone_after(words.span(at + 1).start)
    }

    /// `Seat: risk`
    fn bylined(&self) -> Option<Phrase> {
        let words = Words::of(self.line());
        let gap = words.after(0);
        let begins = words.is(0, BYLINES) && gap.contains(':') && !words.before(0).contains(|c: char| "[(".contains(c));
        if begins { self.after_gap(&words, 0) } else { None }
    }

    /// `# Risk judge's assessment`, `# Risk` over the whole text.
    fn headed(&self) -> Option<Phrase> {
        let level = |line: &str| line.chars().take_while(|c| *c == '#').count();
        let own = level(self.line());
        if own == 0 || own > 6 {
            return None;
        }
        let words = Words::of(self.line());
        let phrase = self.names.phrase(&words, 0);
        let Some(phrase) = phrase else {
            let by = (0..words.len()).rev().find(|i| words.is(*i, &["by", "of", "from"]))?;
            return self.alone_after(words.span(by + 1).start).filter(|phrase| phrase.sort == Sort::Seat);
        };
        let gap = words.before(phrase.next);
        let ends = phrase.next >= words.len();
        let possessive = is_apostrophe(gap) && words.at(phrase.next) == "s";
        let is_report = possessive && words.is(phrase.next + 1, REPORTS);
        let titled = gap.trim_start().starts_with([':', '—', '–', '-', '(']);
        let title_of_all = self.kind == Kind::Prose
            && self.at == 0
            && ends
            && self.lines.iter().filter(|line| level(line.text) == own).count() == 1;
        let tells = match phrase.sort {
            Sort::Seat => ends || possessive || titled,
            Sort::Word => is_report || title_of_all,
            Sort::Model => is_report || (title_of_all && !self.is_debated(&words, 0)),
        };
        tells.then_some(phrase)
    }

    fn is_debated(&self, words: &Words<'_>, i: usize) -> bool {
        self.names.is_debated(words.at(i))
    }

    /// `Risk:` as who speaks. In a row of such labels it is one criterion among others.
    fn labelled(&self) -> Option<Phrase> {
        let (words, phrase) = self.label()?;
        if phrase.sort == Sort::Seat {
            return Some(phrase);
        }
        let is_alone = phrase.next >= words.len();
        let next = self.lines.get(self.at + 1).map(|line| line.text);
        let itemised = next.is_some_and(|line| line.trim_start().starts_with(['-', '*', '+', '|']) && is_alone);
        let in_a_row = match is_alone {
            true => self.lone_labels > 1,
            false => next.is_some_and(|line| is_label(line, false)),
        };
        let placed = self.kind == Kind::Prose && (self.at == 0 || is_alone) && !itemised && !in_a_row;
        let debated = phrase.sort == Sort::Model && self.is_debated(&words, 0);
        (placed && !debated && !phrase.is_indefinite).then_some(phrase)
    }

    /// The name before the colon with which the line begins.
    fn label(&self) -> Option<(Words<'t>, Phrase)> {
        let words = Words::of(self.line());
        let begins = words.before(0).chars().all(|c| c.is_whitespace() || "*_".contains(c));
        let phrase = self.names.phrase(&words, 0)?;
        let gap = words.before(phrase.next).trim_start_matches(|c: char| "*_)".contains(c));
        (begins && gap.starts_with(':')).then_some((words, phrase))
    }

    /// A line that is nothing but the name: as a byline or a signature, apart from the rest.
    fn by_itself(&self) -> Option<Phrase> {
        let phrase = self.alone_after(0)?;
        let line = &self.lines[self.at];
        let listed = |line: &str| line.trim_start().starts_with(['-', '*', '+', '|']);
        let ends_text = self.is_last() && self.at > 0 && line.is_apart;
        let begins_text = self.at == 0 && self.lines.get(1).is_some_and(|next| next.is_apart);
        let bracketed = self.line().trim().starts_with('(') && self.line().trim().ends_with(')');
        let debated = || self.is_debated(&Words::of(self.line()), 0);
        let tells = match phrase.sort {
            Sort::Seat => true,
            Sort::Model if bracketed => self.lines.len() > 1 && (self.at == 0 || self.is_last()),
            Sort::Model => (ends_text || begins_text) && !debated(),
            Sort::Word => self.kind == Kind::Prose && (ends_text || (begins_text && self.line().starts_with("**"))),
        };
        // A bullet or a row of a table is part of something else; `**Risk**` is not a bullet.
        let in_a_list = listed(self.line()) && !self.line().trim_start().starts_with("**");
        (tells && !in_a_list && !self.line().contains(':')).then_some(phrase)
    }

    /// `... and so I choose B. — Risk`
    fn signed_at_the_end(&self) -> Option<Range<usize>> {
        let line = self.line();
        let (at, dash) = ["—", "–", "--"].iter().filter_map(|dash| Some((line.rfind(dash)?, dash.len()))).max()?;
        let ended = line[..at].trim_end().ends_with(['.', '!', '?', ')', '"', '”', '*']);
        let phrase = ended.then(|| self.alone_after(at + dash)).flatten()?;
        Some(phrase.span)
    }
}

/// Whether a line is a short label with a colon, with nothing after it or with something.
fn is_label(line: &str, is_alone: bool) -> bool {
    let bare = line.trim().trim_start_matches(['*', '_']);
    let Some((label, rest)) = bare.split_once(':') else { return false };
    let label = Words::of(label);
    let empty = rest.trim_matches(['*', '_', ' ']).is_empty();
    (1..=3).contains(&label.len()) && empty == is_alone && !bare.starts_with(['-', '#', '>', '|'])
}
