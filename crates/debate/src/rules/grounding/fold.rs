//! Texts with their white space folded, and the way back to a line.

use crate::rules::brief::is_hidden;
use std::ops::Range;

/// A folded text that knows on which line each of its characters stood.
pub(super) struct Folded {
    text: String,
    /// Where the first character of a line is in `text`, and that line's number; lines without one are left out.
    lines: Vec<(usize, usize)>,
}

impl Folded {
    /// Folds a material.
    pub(super) fn of(material: &str) -> Self {
        let mut text = String::with_capacity(material.len());
        let mut lines = Vec::new();
        let mut blank = false;
        let (mut line, mut marked) = (1, 0);
        for c in material.chars() {
            match folded(c) {
                None => {}
                Some(' ') => {
                    blank = true;
                    line += usize::from(c == '\n');
                }
                Some(c) => {
                    if blank && !text.is_empty() {
                        text.push(' ');
                    }
                    blank = false;
                    if line > marked {
                        lines.push((text.len(), line));
                        marked = line;
                    }
                    text.push(c);
                }
            }
        }
        Self { text, lines }
    }

    /// Where these folded words first stand at or after `from`, not beginning or ending inside a word.
    pub(super) fn find(&self, words: &str, from: usize) -> Option<Range<usize>> {
        let (first, last) = (words.chars().next()?, words.chars().next_back()?);
        let joins = |one: char, other: Option<char>| one.is_alphanumeric() && other.is_some_and(char::is_alphanumeric);
        let rest = self.text.get(from..)?;
        rest.match_indices(words).map(|(at, _)| from + at..from + at + words.len()).find(|range| {
            let before = self.text[..range.start].chars().next_back();
            let after = self.text[range.end..].chars().next();
            !joins(first, before) && !joins(last, after)
        })
    }

    /// The line of the character at this place, from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        let after = self.lines.partition_point(|(start, _)| *start <= at);
        after.checked_sub(1).and_then(|i| self.lines.get(i)).map_or(1, |(_, line)| *line)
    }
}

/// A quote folded as the material is.
pub(super) fn fold(text: &str) -> String {
    Folded::of(text).text
}

/// What a character counts as: a blank for any white space, the straight mark for a curly one, nothing for what a brief
/// does not show or a reader does not see.
fn folded(c: char) -> Option<char> {
    match c {
        '\u{00AD}' => None,
        c if is_hidden(c) => None,
        c if c.is_whitespace() => Some(' '),
        '“' | '”' | '„' | '‟' => Some('"'),
        '‘' | '’' | '‚' | '‛' => Some('\''),
        c => Some(c),
    }
}
