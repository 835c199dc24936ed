//! What becomes of words on their way to a program and back: nothing in them is to be taken for a path or a command.

use crate::recipes::Said;
use std::borrow::Cow;

/// Put after every `@`, so that no CLI takes what follows for a file to be read.
const SEPARATOR: char = '\u{200b}';
/// Put before a prompt that a CLI would take for a command.
const OPENING: &str = "Read what follows and answer it.\n\n";

/// The text so that it does not begin like a command.
pub(super) fn opened(text: String) -> String {
    if text.trim_start().starts_with(['/', '!']) { format!("{OPENING}{text}") } else { text }
}

/// The text with every `@` kept from being read as a path, and how many there were.
pub(super) fn separated(text: &str) -> (String, usize) {
    (text.replace('@', &format!("@{SEPARATOR}")), text.matches('@').count())
}

/// The text as it was before.
pub(super) fn unseparated(text: &str) -> Cow<'_, str> {
    let separated = format!("@{SEPARATOR}");
    if text.contains(&separated) { Cow::Owned(text.replace(&separated, "@")) } else { Cow::Borrowed(text) }
}

/// The answer, cut where it is larger than what is kept.
pub(super) fn within(mut said: Said, limit: usize) -> Said {
    if said.text.len() > limit {
        said.notes.push(format!("the answer has {} bytes and was cut at {limit} bytes", said.text.len()));
        let end = (0..=limit).rev().find(|end| said.text.is_char_boundary(*end)).unwrap_or(0);
        said.text.truncate(end);
    }
    said
}
