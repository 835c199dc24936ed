//! Word lists: data files with one phrase a line, `#` before a remark.

use crate::words::{each_word, words};
use std::collections::BTreeMap;

/// Phrases to look for in the words of a text.
#[derive(Debug, Clone, Default)]
pub struct Phrases {
    by_first: BTreeMap<String, Vec<Vec<String>>>,
    /// The words of the longest.
    longest: usize,
}

/// The lines of a data file that say something.
pub fn lines(data: &str) -> impl Iterator<Item = &str> {
    data.lines().map(|line| line.split('#').next().unwrap_or_default().trim()).filter(|line| !line.is_empty())
}

impl Phrases {
    /// The phrases of a data file.
    pub fn of(data: &str) -> Self {
        let mut by_first: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
        for phrase in lines(data).map(words) {
            if let Some(first) = phrase.first() {
                by_first.entry(first.clone()).or_default().push(phrase);
            }
        }
        // The longest first: "no one" and not only "no".
        by_first.values_mut().for_each(|phrases| phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len())));
        let longest = by_first.values().flatten().map(Vec::len).max().unwrap_or(0);
        Self { by_first, longest }
    }

    /// How many words of the longest phrase stand right at the beginning of a text; 0 for none.
    pub fn at_start(&self, text: &str) -> usize {
        self.at(&each_word(text).take(self.longest).collect::<Vec<_>>())
    }

    /// How many words of the longest phrase stand right at the beginning of these words; 0 for none.
    pub fn at<T: AsRef<str>>(&self, words: &[T]) -> usize {
        let Some(first) = words.first().and_then(|word| self.by_first.get(word.as_ref())) else { return 0 };
        let stands = |phrase: &&Vec<String>| {
            words.len() >= phrase.len() && phrase.iter().zip(words).all(|(wanted, word)| wanted == word.as_ref())
        };
        first.iter().find(stands).map_or(0, Vec::len)
    }

    /// The first phrase that occurs: its place among the words, and its length.
    pub fn find<T: AsRef<str>>(&self, words: &[T]) -> Option<(usize, usize)> {
        (0..words.len()).find_map(|i| match self.at(&words[i..]) {
            0 => None,
            length => Some((i, length)),
        })
    }

    /// Whether these words are one of the phrases and nothing else.
    pub fn has<T: AsRef<str>>(&self, words: &[T]) -> bool {
        !words.is_empty() && self.at(words) == words.len()
    }

    /// Whether a single word is one of the phrases.
    pub fn has_word(&self, word: &str) -> bool {
        self.has(&[word])
    }

    /// Whether a text is one of the phrases and nothing else.
    pub fn has_text(&self, text: &str) -> bool {
        self.has(&each_word(text).take(self.longest + 1).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_as_whole_words() {
        let phrases = Phrases::of("too early # a remark\nif\n\nno\nno one\n");
        assert_eq!(phrases.find(&words("It is TOO-early")), Some((2, 2)));
        assert_eq!(phrases.find(&words("no one came")), Some((0, 2)));
        assert_eq!(phrases.find(&words("nothing iffy")), None);
        assert!(phrases.has_text("Too early.") && !phrases.has_text("too early now"));
    }
}
