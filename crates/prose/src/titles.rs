//! Headings as people write them: numbered, decorated, with or without hyphens.

/// Whether a heading is the wanted one, whatever its case, hyphens, signs and numbering: `## 🎯 3. Kill Switch Criteria` is
/// "Kill-Switch Criteria". More words may follow.
pub fn title_matches(heading: &str, wanted: &str) -> bool {
    let wanted = squeezed(wanted);
    let bare = bare_title(heading);
    let mut rest = bare.char_indices();
    let mut left = wanted.chars();
    let mut next = left.next();
    // Both are gone through letter by letter, so that hyphens and blanks make no difference.
    while let Some(expected) = next {
        match rest.find(|(_, c)| c.is_alphanumeric()) {
            Some((_, c)) if c.to_lowercase().eq(expected.to_lowercase()) => next = left.next(),
            _ => return false,
        }
    }
    !rest.as_str().starts_with(char::is_alphanumeric)
}

fn squeezed(title: &str) -> String {
    title.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// A heading without decoration around it and numbering before it: `3.`, `3)`, `1.2`, `(c)`, `A.`, `III.`, `Section 3:`.
pub fn bare_title(heading: &str) -> &str {
    let is_text =
        |c: char| c.is_alphanumeric() || matches!(c, '(' | '"' | '“' | '[' | '{' | '<' | '$' | '%' | '&' | '§');
    let mut trimmed = heading.trim_matches(|c: char| matches!(c, '*' | '_' | '`' | '#') || c.is_whitespace());
    // Signs and pictures before the first word. "#" and "*" went above, so that a title of nothing else stays as it is.
    let undecorated = trimmed.trim_start_matches(|c: char| !is_text(c));
    if !undecorated.is_empty() {
        trimmed = undecorated;
    }
    let unnamed = ["section ", "part ", "step "]
        .into_iter()
        .find_map(|word| {
            trimmed.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word)).map(|_| &trimmed[word.len()..])
        })
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let numbered = unnamed.unwrap_or(trimmed);
    // `3.Risks`: a number with its mark needs no blank after it.
    let glued = numbered.find(['.', ')']).map(|i| numbered.split_at(i + 1)).filter(|(number, rest)| {
        number.starts_with(|c: char| c.is_ascii_digit())
            && is_numbering(number)
            && rest.starts_with(char::is_alphabetic)
    });
    let Some((number, rest)) = glued.or_else(|| numbered.split_once(char::is_whitespace)) else { return trimmed };
    if is_numbering(number) {
        let rest = rest
            .trim_matches(|c: char| matches!(c, '*' | '_' | '`' | '#' | '-' | ':' | '–' | '—') || c.is_whitespace());
        let bare = rest.trim_start_matches(|c: char| !is_text(c));
        if bare.is_empty() { trimmed } else { bare }
    } else {
        trimmed
    }
}

/// `3`, `3.`, `1.2`, `(3)`, `c)`, `A.`, `IV.`: but not a year or a word.
fn is_numbering(word: &str) -> bool {
    let bare = word.trim_start_matches('(').trim_end_matches([')', '.', ':']);
    let marked = bare.len() < word.len();
    let digits = bare.split('.').all(|part| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit()));
    let letter = marked && bare.len() == 1 && bare.bytes().all(|b| b.is_ascii_alphabetic());
    let roman = marked && !bare.is_empty() && bare.len() <= 5 && bare.bytes().all(|b| matches!(b, b'I' | b'V' | b'X'));
    digits || letter || roman
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_as_people_write_them() {
        for heading in [
            "Final Decision",
            "final decision:",
            "3. Final Decision",
            "3.Final Decision",
            "(c) FINAL DECISION",
            "III. Final Decision",
            "🎯 Final Decision",
            "3. 🎯 Final Decision",
            "✅ 3) Final-Decision",
            "Section 3: Final Decision",
            "**Final Decision**",
            "Final Decision (with rationale)",
            "Final Decision: MVStore",
            "Final Decision — MVStore",
            "Final Decision and Rationale",
            "Final Decision & Rationale",
        ] {
            assert!(title_matches(heading, "Final Decision"), "{heading}");
        }
        for heading in ["Final Decisions", "The Final Decision", "Decision", "2026 Final", ""] {
            assert!(!title_matches(heading, "Final Decision"), "{heading}");
        }
        assert!(title_matches("Killswitch Criteria", "Kill-Switch Criteria"));
        assert!(title_matches("Kill Switch Criteria", "Kill-Switch Criteria"));
        assert!(title_matches("Fall-back Plan", "Fallback Plan"));
        assert!(title_matches("Go / No-Go Recommendation", "Go/No-Go"));
        assert!(title_matches("Second Order Effects", "Second-Order Effects"));
        assert_eq!(bare_title("2026 plan"), "2026 plan");
        assert_eq!(bare_title("###"), "");
    }
}
