//! What becomes of words on their way to a program and back: nothing in them is to be taken for a path or a command.

use super::Scratch;
use crate::recipes::Said;
use std::borrow::Cow;
use std::path::PathBuf;

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

/// The folders of a call, which are gone when its words are read, and what they stand for.
pub(crate) struct Places(Vec<(String, &'static str)>);

impl Places {
    pub(crate) fn new(scratch: &Scratch, told: Vec<(PathBuf, &'static str)>) -> Self {
        let own =
            [(scratch.home(), "~"), (scratch.folder(), "its folder"), (scratch.root().to_owned(), "its own folder")];
        let places = told.into_iter().chain(own);
        let mut places: Vec<(String, &str)> =
            places.map(|(path, meaning)| (path.display().to_string(), meaning)).collect();
        // What lies in another goes first.
        places.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        Self(places)
    }

    /// Words of a program's, with what its folders stand for in their place.
    pub(crate) fn told(&self, words: &str) -> String {
        self.0.iter().fold(words.to_owned(), |words, (path, meaning)| words.replace(path, meaning))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_are_gone_are_told_by_what_they_stand_for() {
        let around = tempfile::tempdir().unwrap();
        let scratch = Scratch::make(&[around.path().to_owned()]).unwrap();
        let (aside, home, root) = (scratch.aside().join("gemini"), scratch.home(), scratch.root().to_owned());
        let places = Places::new(&scratch, vec![(aside.clone(), "~")]);
        let words = format!(
            "set it in {}/.gemini/settings.json, {}/.x or {}/other",
            aside.display(),
            home.display(),
            root.display()
        );
        assert_eq!(places.told(&words), "set it in ~/.gemini/settings.json, ~/.x or its own folder/other");
    }
}
