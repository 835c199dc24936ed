//! Triage: which questions deserve a debate. Whole words, never substrings.

use crate::model::plan::contains_phrase;
use forge_prose::phrases::lines;
use std::sync::LazyLock;

/// What kind of question it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// The answer decides what gets built, for whom, or what is left out: debate it.
    ScopeCritical,
    /// How something is built; whoever builds it can choose.
    Technical,
    /// Taste and wording.
    Preference,
    /// It has an answer that can be looked up.
    Factual,
}

impl Class {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            Class::ScopeCritical => "SCOPE_CRITICAL",
            Class::Technical => "TECHNICAL",
            Class::Preference => "PREFERENCE",
            Class::Factual => "FACTUAL",
        }
    }

    /// Whether such questions go to debate.
    pub fn goes_to_debate(self) -> bool {
        self == Class::ScopeCritical
    }
}

/// A class and the words that led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Triage {
    /// The class.
    pub class: Class,
    /// The phrases found in the question that speak for it.
    pub because: Vec<&'static str>,
}

/// The phrases of a data file, one a line.
macro_rules! phrases {
    ($($name:ident = $file:literal;)+) => {
        $(static $name: LazyLock<Vec<&'static str>> =
            LazyLock::new(|| lines(include_str!(concat!("../../data/triage/", $file, ".txt"))).collect());)+
    };
}

phrases! {
    SCOPE = "scope";
    TECHNICAL = "technical";
    PREFERENCE = "preference";
    FACTUAL = "factual";
    STRONG = "strong";
}

/// The class of a question: the kind with most phrases found; scope wins ties, since a missed debate costs more than a held one.
pub fn classify(question: &str) -> Triage {
    let found = |phrases: &[&'static str]| -> Vec<&'static str> {
        phrases.iter().copied().filter(|phrase| contains_phrase(question, phrase)).collect()
    };
    let scope = found(&SCOPE);
    let weight =
        |phrases: &[&str]| phrases.iter().map(|phrase| if STRONG.contains(phrase) { 2 } else { 1 }).sum::<usize>();
    let mut candidates = vec![
        (weight(&scope), Class::ScopeCritical, scope),
        (2 * found(&FACTUAL).len(), Class::Factual, found(&FACTUAL)),
        (2 * found(&PREFERENCE).len(), Class::Preference, found(&PREFERENCE)),
        (found(&TECHNICAL).len(), Class::Technical, found(&TECHNICAL)),
    ];
    candidates.sort_by_key(|(weight, _, _)| std::cmp::Reverse(*weight));
    match candidates.into_iter().next() {
        Some((weight, class, because)) if weight > 0 => Triage { class, because },
        _ => Triage { class: Class::Technical, because: Vec::new() },
    }
}
