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
    "xai-",
    "gsk_",
    "pplx-",
    "r8_",
    "sess-",
    "ya29",
    "shpat_",
    "AGE-SECRET-KEY-",
    "npm_",
    "pypi-",
    "dop_v1_",
];
/// Shorter words are not keys.
const KEY_CHARS: usize = 16;

/// What stands in a key's place.
const BLOT: &str = "[key removed]";
/// How a private key's block begins and ends, besides its kind.
const BLOCK: (&str, &str, &str) = ("-----BEGIN ", "-----END ", "PRIVATE KEY-----");
/// How the three parts of a signed token begin: `{"` in base64.
const TOKEN_BEGINNING: &str = "eyJ";

/// Whether a text holds something key-shaped.
pub fn has_key(text: &str) -> bool {
    redacted(text) != text
}

/// The text with every key-shaped word, signed token and private key blotted out.
pub fn redacted(text: &str) -> String {
    words_redacted(&tokens_redacted(&blocks_redacted(text)))
}

/// Private keys go as a whole; one without its end goes as far as its lines look like one. Whoever only writes about such
/// blocks keeps the rest of the text.
fn blocks_redacted(text: &str) -> String {
    let (begin, end, kind) = BLOCK;
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(begin) {
        let line_end = rest[at..].find('\n').map_or(rest.len(), |length| at + length);
        if !rest[at..line_end].contains(kind) {
            out.push_str(&rest[..line_end]);
            rest = &rest[line_end..];
            continue;
        }
        out.push_str(&rest[..at]);
        out.push_str(BLOT);
        let body: usize =
            rest[line_end..].split_inclusive('\n').take_while(|line| is_key_line(line)).map(str::len).sum();
        let after = line_end + body;
        let closed = match rest[after..].strip_prefix(end) {
            Some(last) => last.find(kind).map(|length| after + end.len() + length + kind.len()),
            None => None,
        };
        // What follows an open one keeps its line breaks: a fence must begin a line.
        let open = line_end + rest[line_end..after].trim_end().len();
        rest = &rest[closed.unwrap_or(open)..];
    }
    out.push_str(rest);
    out
}

/// Whether a line may stand inside a private key: base64, a header such as `Proc-Type:`, or nothing.
fn is_key_line(line: &str) -> bool {
    let line = line.trim();
    let is_code = line.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '='));
    is_code || line.starts_with("Proc-Type:") || line.starts_with("DEK-Info:")
}

/// Signed tokens: three parts of base64 with dots between them, of which the first two begin like JSON.
fn tokens_redacted(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_token = |word: &str| {
        let mut parts = word.split('.');
        let begins = |part: Option<&str>| part.is_some_and(|part| part.starts_with(TOKEN_BEGINNING));
        begins(parts.next()) && begins(parts.next()) && parts.next().is_some_and(|part| part.len() >= KEY_CHARS)
    };
    replaced(text, is_part, is_token)
}

fn words_redacted(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let is_key = |word: &str| word.len() >= KEY_CHARS && BEGINNINGS.iter().any(|beginning| word.starts_with(beginning));
    replaced(text, is_part, is_key)
}

/// The text with every word that is a key blotted out, where a word is a run of parts.
fn replaced(text: &str, is_part: impl Fn(char) -> bool, is_key: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        out.push_str(if is_key(word) { BLOT } else { word });
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
        assert_eq!(redacted("xai-0123456789abcdef0123"), "[key removed]");
        assert_eq!(
            redacted("a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb"),
            "a\n[key removed]\nb"
        );
        assert_eq!(redacted("-----BEGIN PRIVATE KEY-----\nMIIE"), "[key removed]");
        assert_eq!(
            redacted("`-----BEGIN PRIVATE KEY-----` is how it starts.\n\n```json\n{}\n```\n"),
            "`[key removed]\n\n```json\n{}\n```\n"
        );
        assert_eq!(redacted("Bearer eyJhbGci.eyJzdWIi.c2lnbmF0dXJlLW9mLWl0"), "Bearer [key removed]");
        assert_eq!(redacted("-----BEGIN CERTIFICATE-----\nMIIE\n"), "-----BEGIN CERTIFICATE-----\nMIIE\n");
        for plain in [
            "eyJ.is.not-a-token",
            "sk-learn is a library",
            "",
            "ein Schlüssel – nein",
            "ask-me-anything-you-like-today",
        ] {
            assert_eq!(redacted(plain), plain);
        }
    }
}
