//! Triage: which questions deserve a debate. Whole words, never substrings.

use crate::plan::contains_phrase;

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

const SCOPE: &[&str] = &[
    "scope",
    "out of scope",
    "in scope",
    "mvp",
    "feature",
    "features",
    "requirement",
    "requirements",
    "must have",
    "should we",
    "support",
    "offline",
    "offline sync",
    "launch",
    "release",
    "v1",
    "which users",
    "target users",
    "users need",
    "customers need",
    "market",
    "pricing",
    "business model",
    "compliance",
    "gdpr",
    "hipaa",
    "platform",
    "platforms",
    "multi-tenant",
    "rewrite",
    "migrate",
    "migration",
    "build or buy",
    "buy or build",
    "deprecate",
    "drop support",
    "sunset",
    "architecture",
    "breaking change",
    "data retention",
    "roadmap",
    "prioritize",
    "prioritise",
    "priority",
    "integrate",
    "integration",
    "include",
    "exclude",
    "adopt",
    "replace",
    "roles",
    "permissions",
    "instead of",
    "or",
    "whether to include",
    "whether to support",
    "do we need",
    "minimum viable",
    "phase 1",
    "phase 2",
    "v2",
    "future release",
    "future releases",
    "future version",
    "future phase",
    "future work",
    "later release",
    "later releases",
    "later version",
    "later phase",
    "ship later",
    "add later",
    "for later",
    "until later",
    "nice to have",
    "required feature",
    "required features",
    "required for launch",
    "required for v1",
    "required at launch",
    "required in v1",
    "optional",
    "critical",
    "essential",
    "usage limit",
    "usage limits",
    "plan limit",
    "plan limits",
    "limit ourselves",
    "maximum",
    "minimum",
    "boundary",
    "threshold",
    "usage cap",
    "spending cap",
    "price cap",
    "feature flag",
    "toggle",
    "enable",
    "disable",
    "support for",
];
const TECHNICAL: &[&str] = &[
    "function",
    "variable",
    "class",
    "refactor",
    "lint",
    "linter",
    "test",
    "tests",
    "unit test",
    "library",
    "helper",
    "directory",
    "file name",
    "rename",
    "regex",
    "loop",
    "import",
    "dependency",
    "version bump",
    "log level",
    "index",
    "query",
    "endpoint",
    "type",
    "format",
    "indent",
    "tabs",
    "spaces",
    "comment",
    "comments",
    "cache",
    "caching",
    "cached",
    "ttl",
    "expiry",
    "invalidate",
    "timeout",
    "delay",
    "interval",
    "polling",
    "refresh rate",
    "retry",
    "backoff",
    "fallback",
    "recovery",
    "encoding",
    "serialization",
    "pagination",
    "page size",
    "batch",
];
const PREFERENCE: &[&str] = &[
    "color",
    "colour",
    "font",
    "icon",
    "icons",
    "wording",
    "copy text",
    "label",
    "padding",
    "margin",
    "button",
    "tagline",
    "logo",
    "tone",
    "emoji",
    "title case",
    "theme",
    "how to display",
    "how to show",
    "what to show",
    "appearance",
    "look and feel",
    "animation",
    "animate",
    "transition",
    "motion",
    "layout",
    "placement",
    "arrange",
    "typography",
    "toast",
    "snackbar",
    "dialog",
    "notification",
    "indicator",
    "spinner",
];
const FACTUAL: &[&str] = &[
    "what is",
    "what are",
    "when was",
    "who is",
    "how many",
    "how much",
    "where is",
    "which version",
    "what version",
    "does it support",
    "is there",
];

/// Phrases that weigh double: they say by themselves that the question is about what gets built.
const STRONG: &[&str] = &[
    "scope",
    "out of scope",
    "in scope",
    "mvp",
    "must have",
    "build or buy",
    "buy or build",
    "drop support",
    "should we",
    "or",
    "whether to include",
    "whether to support",
    "do we need",
    "minimum viable",
    "nice to have",
    "feature flag",
];

/// The class of a question: the kind with most phrases found; scope wins ties, since a missed debate costs more than a held one.
pub fn classify(question: &str) -> Triage {
    let found = |phrases: &'static [&'static str]| -> Vec<&'static str> {
        phrases.iter().copied().filter(|phrase| contains_phrase(question, phrase)).collect()
    };
    let scope = found(SCOPE);
    let weight =
        |phrases: &[&str]| phrases.iter().map(|phrase| if STRONG.contains(phrase) { 2 } else { 1 }).sum::<usize>();
    let mut candidates = vec![
        (weight(&scope), Class::ScopeCritical, scope),
        (2 * found(FACTUAL).len(), Class::Factual, found(FACTUAL)),
        (2 * found(PREFERENCE).len(), Class::Preference, found(PREFERENCE)),
        (found(TECHNICAL).len(), Class::Technical, found(TECHNICAL)),
    ];
    candidates.sort_by_key(|(weight, _, _)| std::cmp::Reverse(*weight));
    match candidates.into_iter().next() {
        Some((weight, class, because)) if weight > 0 => Triage { class, because },
        _ => Triage { class: Class::Technical, because: Vec::new() },
    }
}
