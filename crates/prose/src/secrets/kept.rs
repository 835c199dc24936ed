//! The keys that this process was given: the one piece of state here. Every door through which a text enters a file, a brief
//! or the terminal asks [`super::redacted`]; handing each of them the keys would be one argument more everywhere, and one
//! door that was forgotten would be open.
//!
//! Promises: values are added and never taken away; what may be a word is not added.

use super::Known;
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

/// A key with a digit or a sign in it has at least so many characters.
const KEY_CHARS: usize = 12;
/// One of nothing but letters.
const LETTERS: usize = 20;

struct Kept {
    values: BTreeSet<String>,
    known: Option<Arc<Known>>,
}

static KEPT: RwLock<Kept> = RwLock::new(Kept { values: BTreeSet::new(), known: None });

/// Makes these values known as keys, to be removed from whatever this process writes, sends or prints. What is short, has
/// blanks in it or may be a word is passed over.
pub fn keep_secret<'v>(values: impl IntoIterator<Item = &'v str>) {
    let mut kept = KEPT.write().unwrap_or_else(PoisonError::into_inner);
    let before = kept.values.len();
    kept.values.extend(values.into_iter().map(str::trim).filter(|value| is_key(value)).map(str::to_owned));
    if kept.values.len() > before {
        kept.known = Some(Arc::new(Known::new(kept.values.iter().map(String::as_str))));
    }
}

pub(super) fn known() -> Option<Arc<Known>> {
    KEPT.read().unwrap_or_else(PoisonError::into_inner).known.clone()
}

fn is_key(value: &str) -> bool {
    let is_letters = value.chars().all(char::is_alphabetic);
    let least = if is_letters { LETTERS } else { KEY_CHARS };
    value.chars().count() >= least && !value.contains(char::is_whitespace)
}
