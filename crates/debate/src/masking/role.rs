//! Sentences of a role text, where its speaker quotes them.
//!
//! Its questions are left alone. A role text lists questions to ask, and a seat that asks one wants an answer: masked,
//! the peers could not give it, and the challenge would be lost for a hint at who made it.

use super::words::Words;
use super::{MASK, ROLE_MASK};
use crate::sentences;
use std::collections::BTreeMap;
use std::ops::Range;

/// The fewest words of a sentence that only its role would say.
const SENTENCE_WORDS: usize = 6;

/// The sentences of a role text by their first word, the longest first.
#[derive(Debug)]
pub(super) struct RoleText(BTreeMap<String, Vec<Vec<String>>>);

impl RoleText {
    pub(super) fn of(text: &str) -> Self {
        let mut sentences: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
        for sentence in paragraphs(text).iter().flat_map(|paragraph| sentences::split(paragraph)) {
            let is_question = sentence.trim_end_matches(['"', '”', ')', '*', '_', ' ']).ends_with('?');
            if is_question || sentence.contains(MASK) || sentence.contains(ROLE_MASK) {
                continue;
            }
            let words = Words::of(sentence);
            let words: Vec<String> = (0..words.len()).map(|i| words.at(i).to_owned()).collect();
            if let Some(first) = words.first().filter(|_| words.len() >= SENTENCE_WORDS) {
                sentences.entry(first.clone()).or_default().push(words);
            }
        }
        for same in sentences.values_mut() {
            same.sort_by_key(|words| std::cmp::Reverse(words.len()));
        }
        Self(sentences)
    }

    /// Where the sentences stand in a text, whatever the case, white space and marks between their words.
    pub(super) fn quoted(&self, words: &Words<'_>) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut i = 0;
        while i < words.len() {
            let here = self.0.get(words.at(i)).and_then(|same| {
                same.iter().find(|sentence| sentence.iter().enumerate().all(|(n, word)| words.at(i + n) == word))
            });
            match here {
                Some(sentence) => {
                    let last = i + sentence.len() - 1;
                    found.push(words.span(i).start..words.span(last).end);
                    i = last + 1;
                }
                None => i += 1,
            }
        }
        found
    }
}

/// Paragraphs, headings and list items, each on one line.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in text.lines().map(str::trim) {
        let starts_anew = line.is_empty() || line.starts_with(['#', '-', '*', '+', '>', '|']);
        if starts_anew {
            paragraphs.push(String::new());
        }
        if let Some(current) = paragraphs.last_mut() {
            current.push_str(line);
            current.push(' ');
        }
        if line.starts_with('#') {
            paragraphs.push(String::new());
        }
    }
    paragraphs
}
