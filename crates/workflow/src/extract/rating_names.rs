//! What people call the ratings of a risk, and whoever watches it. The words are data.
//!
//! Pure; if the process dies here nothing is left.

use forge_prose::phrases::{Phrases, lines};
use std::ops::Deref;
use std::sync::LazyLock;

/// How likely a risk is.
pub(super) static PROBABILITY: LazyLock<Names> =
    LazyLock::new(|| Names::of(include_str!("../../data/rating-probability.txt")));
/// How bad it is.
pub(super) static IMPACT: LazyLock<Names> = LazyLock::new(|| Names::of(include_str!("../../data/rating-impact.txt")));
/// Both in one.
pub(super) static SCORE: LazyLock<Names> = LazyLock::new(|| Names::of(include_str!("../../data/rating-score.txt")));

/// Who watches it.
pub(super) static OWNER: LazyLock<Names> = LazyLock::new(|| Names::of(include_str!("../../data/risk-owner.txt")));

/// Several names of one rating, the best first.
pub(super) struct Names {
    all: Vec<&'static str>,
    phrases: Phrases,
}

impl Names {
    fn of(data: &'static str) -> Self {
        Self { all: lines(data).collect(), phrases: Phrases::of(data) }
    }

    /// How many of these words are one of the names, from the first on.
    pub(super) fn at<T: AsRef<str>>(&self, words: &[T]) -> usize {
        self.phrases.at(words)
    }
}

impl Deref for Names {
    type Target = [&'static str];

    fn deref(&self) -> &Self::Target {
        &self.all
    }
}
