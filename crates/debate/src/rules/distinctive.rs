//! The words by which two texts can be seen to speak of the same thing.

use crate::model::plan::words;
use std::collections::BTreeSet;

/// A word is distinctive from this many letters on.
const DISTINCTIVE_LETTERS: usize = 4;

/// The words that tell what a text is about: longer ones, without those that every text has, plurals as singulars.
pub(crate) fn distinctive(text: &str) -> BTreeSet<String> {
    words(text)
        .filter(|word| word.chars().count() >= DISTINCTIVE_LETTERS && !COMMON.contains(&word.as_str()))
        .map(|word| singular(&word))
        .collect()
}

fn singular(word: &str) -> String {
    match word.strip_suffix('s') {
        Some(stem) if !stem.ends_with('s') && stem.chars().count() >= DISTINCTIVE_LETTERS - 1 => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// Words of that many letters and more that say nothing about a matter.
#[rustfmt::skip]
const COMMON: &[&str] = &[
    "about", "after", "again", "against", "also", "although", "always", "among", "another", "anybody", "anyone",
    "anything", "around", "because", "been", "before", "being", "between", "both", "cannot", "come", "comes", "could",
    "does", "doing", "done", "down", "during", "each", "either", "else", "even", "ever", "every", "everybody", "from",
    "gets", "give", "given", "gives", "goes", "going", "happen", "happens", "have", "having", "here", "instead", "into",
    "just", "know", "known", "least", "less", "like", "made", "make", "makes", "many", "more", "most", "much", "must",
    "need", "needs", "never", "nobody", "none", "nothing", "once", "only", "other", "others", "over", "really",
    "same", "says", "shall", "should", "since", "some", "somebody", "something", "still", "such", "take", "takes",
    "than", "that", "their", "them", "then", "there", "these", "they", "thing", "things", "this", "those", "through",
    "today", "until", "upon", "very", "want", "well", "were", "what", "whatever", "when", "where", "whether", "which",
    "while", "whom", "whose", "will", "with", "within", "without", "would", "your",
];
