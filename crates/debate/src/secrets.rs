//! Key-shaped words, which must reach no file, log or brief.

/// How the keys of well-known vendors begin.
const BEGINNINGS: &[&str] = &[
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "AKIA",
    "ASIA",
    "AIza",
    "hf_",
    "npm_",
    "pypi-",
    "dop_v1_",
];
/// Shorter words are not keys.
const KEY_CHARS: usize = 16;

/// The text with every key-shaped word blotted out.
pub fn redacted(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        let is_key = word.len() >= KEY_CHARS && BEGINNINGS.iter().any(|beginning| word.starts_with(beginning));
        out.push_str(if is_key { "[key removed]" } else { word });
        let separator = after.chars().next().map_or(0, char::len_utf8);
        out.push_str(&after[..separator]);
        rest = &after[separator..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_blotted_out_and_words_are_not() {
        assert_eq!(redacted("bad key sk-secret123456789012345678, sorry"), "bad key [key removed], sorry");
        assert_eq!(redacted("(AKIAIOSFODNN7EXAMPLE)"), "([key removed])");
        for plain in ["sk-learn is a library", "", "ein Schlüssel – nein", "ask-me-anything-you-like-today"] {
            assert_eq!(redacted(plain), plain);
        }
    }
}
