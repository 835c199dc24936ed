//! Words of shell lines that people copy.
//!
//! Pure; if the process dies here nothing is left.

/// A word of a shell line, in quotes only where it needs them.
pub fn word(text: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | ',' | ':' | '@' | '%');
    if !text.is_empty() && text.chars().all(bare) { text.to_owned() } else { quoted(text) }
}

/// A word of a shell line in single quotes: nothing in it means anything to the shell.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
