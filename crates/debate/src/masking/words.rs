//! A text as words and what stands between them.

use std::ops::Range;

/// The words of a text, in lower case, with their places.
pub(super) struct Words<'t> {
    /// The text.
    pub(super) text: &'t str,
    spans: Vec<Range<usize>>,
    lower: Vec<String>,
}

impl<'t> Words<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut spans: Vec<Range<usize>> = Vec::new();
        let mut start = None;
        for (at, c) in text.char_indices() {
            match (c.is_alphanumeric(), start) {
                (true, None) => start = Some(at),
                (false, Some(begin)) => {
                    spans.push(begin..at);
                    start = None;
                }
                _ => {}
            }
        }
        spans.extend(start.map(|begin| begin..text.len()));
        let lower = spans.iter().map(|span| text[span.clone()].to_lowercase()).collect();
        Self { text, spans, lower }
    }

    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    /// The word at this place; nothing beyond the end.
    pub(super) fn at(&self, i: usize) -> &str {
        self.lower.get(i).map_or("", String::as_str)
    }

    pub(super) fn is(&self, i: usize, any_of: &[&str]) -> bool {
        any_of.contains(&self.at(i))
    }

    /// Where the word stands; the end of the text beyond the last.
    pub(super) fn span(&self, i: usize) -> Range<usize> {
        self.spans.get(i).cloned().unwrap_or(self.text.len()..self.text.len())
    }

    /// What stands between the word before this one and it.
    pub(super) fn before(&self, i: usize) -> &'t str {
        let start = i.checked_sub(1).map_or(0, |previous| self.span(previous).end);
        &self.text[start..self.span(i).start]
    }

    /// What stands between this word and the next.
    pub(super) fn after(&self, i: usize) -> &'t str {
        self.before(i + 1)
    }

    /// Whether only a blank (and emphasis, or quotation marks) stands before this word.
    pub(super) fn follows_directly(&self, i: usize) -> bool {
        i < self.len() && i > 0 && is_blank(self.before(i))
    }

    /// Whether the word is joined to the one before it: `low-risk`, `risk.md`, `I'm`.
    pub(super) fn is_joined(&self, i: usize) -> bool {
        let gap = self.before(i);
        i > 0 && i < self.len() && (gap.is_empty() || is_joint(gap))
    }

    /// Whether these words stand here one after another; `I'm` is `i m`.
    pub(super) fn reads(&self, i: usize, phrase: &[&str]) -> bool {
        phrase.iter().enumerate().all(|(n, word)| {
            self.at(i + n) == *word && (n == 0 || self.follows_directly(i + n) || is_apostrophe(self.before(i + n)))
        })
    }

    /// Whether a clause can begin at this word.
    pub(super) fn begins_clause(&self, i: usize) -> bool {
        let gap = self.before(i);
        let new_line = gap.contains('\n') && (gap.matches('\n').count() > 1 || gap.contains(['*', '-', '+']));
        let after_mark = gap.chars().any(|c| ".,;:!?()—–#>|\"“”«»".contains(c)) || gap.contains(" - ");
        let joins = ["but", "and", "so", "because", "that", "while", "yet"];
        let begins_text = i == 0 && !gap.ends_with('[');
        begins_text
            || ((new_line || after_mark) && !gap.ends_with('['))
            || (is_blank(gap) && i.checked_sub(1).is_some_and(|before| self.is(before, &joins)))
    }

    /// Whether a sentence or a line begins at this word.
    pub(super) fn begins_sentence(&self, i: usize) -> bool {
        let gap = self.before(i);
        !gap.ends_with('[') && (i == 0 || gap.contains(['\n', '.', '!', '?', ':']) && !self.is_joined(i))
    }
}

/// White space with emphasis or quotation marks, within one paragraph.
pub(super) fn is_blank(gap: &str) -> bool {
    gap.len() <= 8
        && gap.contains(char::is_whitespace)
        && gap.matches('\n').count() <= 1
        && gap.chars().all(|c| c.is_whitespace() || is_dressing(c))
}

/// Emphasis and quotation marks around a name.
pub(super) fn is_dressing(c: char) -> bool {
    matches!(c, '*' | '_' | '`' | '"' | '“' | '”' | '‘')
}

pub(super) fn is_apostrophe(gap: &str) -> bool {
    matches!(gap, "'" | "’")
}

fn is_joint(gap: &str) -> bool {
    let mut chars = gap.chars();
    matches!((chars.next(), chars.next()), (Some('-' | '_' | '/' | '.' | '@' | ':' | '+' | '&' | '=' | '‑'), None))
}

/// Whether what follows a name is a pause, or the end.
pub(super) fn is_pause(gap: &str) -> bool {
    let bare = gap.trim_start_matches(is_dressing);
    let end = bare.trim().is_empty() && (bare.is_empty() || bare.matches('\n').count() > 1);
    end || bare.trim_start().starts_with(|c: char| ".,;:!?)—–(|".contains(c)) || bare.starts_with(" -")
}

/// Whether what follows a name is a comma, a colon or a dash.
pub(super) fn is_comma(gap: &str) -> bool {
    let bare = gap.trim_start_matches(is_dressing).trim_start();
    bare.starts_with([',', ':', '—', '–']) || gap.contains(" - ") || gap.contains(" -- ")
}

/// The range with the asterisks around it, where there are some inside: emphasis is masked whole or not at all.
pub(super) fn with_emphasis(text: &str, range: Range<usize>) -> Range<usize> {
    if !text[range.clone()].contains('*') {
        return range;
    }
    let start = text[..range.start].trim_end_matches('*').len();
    let end = text.len() - text[range.end..].trim_start_matches('*').len();
    start..end
}
