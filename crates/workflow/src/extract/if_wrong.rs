//! What an assumption's own words say of the case that it is wrong: `The cache fits in memory; if not, every read is slow.`
//!
//! Pure; if the process dies here nothing is left.

const PHRASES: &str = include_str!("../../data/if-wrong.txt");
/// What stands before such a phrase.
const BEFORE: [char; 8] = [';', '.', ',', ':', '(', '-', '–', '—'];

/// The words after the phrase, or nothing.
pub(super) fn if_wrong(text: &str) -> &str {
    let phrases = PHRASES.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    phrases.filter_map(|phrase| after(text, phrase)).max_by_key(|tail| tail.len()).unwrap_or_default()
}

fn after<'t>(text: &'t str, phrase: &str) -> Option<&'t str> {
    text.char_indices().find_map(|(at, _)| {
        let end = at + phrase.len();
        let is_it = text.get(at..end)?.eq_ignore_ascii_case(phrase);
        let begins = text[..at].trim_end().ends_with(BEFORE);
        let ends = text[end..].starts_with([',', ':', ' ', '-']);
        let tail = text[end..].trim_start_matches([',', ':', ' ', '-', '–', '—']).trim_end_matches([')', ' ']);
        (is_it && begins && ends && tail.split_whitespace().nth(1).is_some()).then_some(tail)
    })
}

#[cfg(test)]
mod tests {
    use super::if_wrong;

    #[test]
    fn the_tail_is_read_and_nothing_else_is() {
        for (text, tail) in [
            ("The cache fits in memory; if not, every read is slow.", "every read is slow."),
            ("Traffic stays flat (if wrong: we pay double)", "we pay double"),
            ("Ada stays. Otherwise nobody knows the parser.", "nobody knows the parser."),
            ("OAuth works - if it fails, logins stop", "logins stop"),
            ("Tell me if wrong answers count.", ""),
            ("It is unknown, if not impossible.", ""),
            ("We ship otherwise finished parts.", ""),
            ("Ünïcode, if not", ""),
        ] {
            assert_eq!(if_wrong(text), tail, "{text}");
        }
    }
}
