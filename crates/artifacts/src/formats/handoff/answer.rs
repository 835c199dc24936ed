//! Yes and no, as people answer: `Yes`, `no, not before May`, `✅`, `❌`, `[x]`.
//!
//! Pure; if the process dies here nothing is left.

use forge_prose::blanks::is_menu;
use forge_prose::phrases;

const YES: &str = include_str!("../../../data/yes-words.txt");
const NO: &str = include_str!("../../../data/no-words.txt");

/// Whether a text begins with a yes or a no; nothing where it does with neither, or lists both to pick from.
pub(super) fn answer(text: &str) -> Option<bool> {
    let text = text.trim().trim_start_matches(['*', '`', '_']).to_lowercase();
    match text.as_str() {
        _ if is_menu(&text) => return None,
        "[x]" => return Some(true),
        "[ ]" | "[]" => return Some(false),
        _ => {}
    }
    let text = text.trim_start_matches('[');
    let listed = || phrases::lines(YES).chain(phrases::lines(NO));
    // A sign that is no answer of its own only marks the line: `⚠️ Yes, once Petra is back`.
    let is_answer = listed().any(|word| begins_with(text, word));
    let text = if is_answer { text } else { text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '[') };
    let begins = |words: &str| phrases::lines(words).any(|word| begins_with(text, word));
    if begins(NO) { Some(false) } else { begins(YES).then_some(true) }
}

/// Whether a text begins with these words or this sign, and not only with letters of theirs.
fn begins_with(text: &str, words: &str) -> bool {
    let is_word = words.ends_with(|c: char| c.is_alphanumeric());
    text.strip_prefix(words).is_some_and(|rest| !(is_word && rest.starts_with(char::is_alphanumeric)))
}
