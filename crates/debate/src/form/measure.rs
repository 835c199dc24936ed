//! What can be measured of a section's text without understanding it.

use crate::sentences;

/// Whether a text says `Option B`, `B:` or `**B**`, and not merely uses the letter.
pub fn names_id(text: &str, id: &str) -> bool {
    let words: Vec<&str> = text
        .split(|c: char| {
            c.is_whitespace() || matches!(c, '*' | '(' | ')' | ',' | ';' | '"' | '`' | '[' | ']' | '+' | '/')
        })
        .filter(|word| !word.is_empty())
        .collect();
    let is_id = |word: &str| word.trim_end_matches(['.', ':', '!']).eq_ignore_ascii_case(id);
    words.windows(2).any(|pair| pair[0].trim_end_matches(':').eq_ignore_ascii_case("option") && is_id(pair[1]))
        || words.first().is_some_and(|word| is_id(word) && (word.len() > 1 || words.len() == 1 || id != "A"))
        || text.contains(&format!("**{id}**"))
        || text.contains(&format!("**{id}:"))
        || (id.len() > 1 && words.iter().any(|word| is_id(word)))
}

/// The list items of a body that stand furthest left; items nested under them do not count.
pub fn items(body: &str) -> Vec<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = body.lines().filter(|line| list_item(line).is_some()).collect();
    let outermost = lines.iter().map(|line| indent(line)).min().unwrap_or(0);
    lines.into_iter().filter(|line| indent(line) == outermost).filter_map(list_item).map(str::to_owned).collect()
}

pub(super) fn list_item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or_else(|| line.strip_prefix("+ "))
    {
        return Some(rest.trim());
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > 3 {
        return None;
    }
    line[digits..].strip_prefix(". ").or_else(|| line[digits..].strip_prefix(") ")).map(str::trim)
}

/// The rows of the first table, its head first and its rule left out.
pub fn table_rows(body: &str) -> Vec<String> {
    body.lines()
        .map(str::trim)
        .skip_while(|line| !line.contains('|'))
        .take_while(|line| line.contains('|'))
        .filter(|line| !line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '+')))
        .map(str::to_owned)
        .collect()
}

/// The rows of all tables that say something: below the head, a cell with a word that holds no place and does not only
/// say that there is none.
pub fn filled_rows(body: &str) -> usize {
    let says = |cell: &str| cell.chars().any(char::is_alphabetic) && !is_placeholder(cell) && !says_none(cell);
    let lines: Vec<&str> = body.lines().map(str::trim).collect();
    lines
        .split(|line| !line.contains('|'))
        .flat_map(|table| table.iter().skip(1))
        .filter(|row| row.split('|').any(says))
        .count()
}

/// Whether a text only says that there are no risks: `None.`, `There are no known risks.`, `We see nothing.`. Any word
/// that has another use may name one: `No rollback` does.
pub fn says_none(text: &str) -> bool {
    const DENYING: &[&str] = &["no", "none", "nothing", "not", "zero", "without"];
    #[rustfmt::skip]
    const IDLE: &[&str] = &[
        "a", "all", "any", "anything", "are", "at", "be", "been", "being", "case", "concern", "concerns", "could", "do",
        "exist", "far", "find", "for", "found", "further", "have", "here", "i", "identified", "in", "is", "issue",
        "issues", "it", "known", "major", "material", "moment", "new", "now", "of", "option", "other", "our", "problem",
        "problems", "real", "relevant", "remain", "remaining", "report", "risk", "risks", "see", "seen", "serious",
        "significant", "so", "speak", "that", "the", "there", "they", "this", "time", "to", "view", "was", "we", "were",
        "whatsoever", "with",
    ];
    let mut denies = false;
    crate::plan::words(text).all(|word| {
        let denying = DENYING.contains(&word.as_str());
        denies |= denying;
        denying || IDLE.contains(&word.as_str())
    }) && denies
}

/// The list items that state a threshold: a figure, a comparison, or a word for one.
pub fn conditions(body: &str) -> Vec<String> {
    const MEASURES: &[&str] = &[
        "zero",
        "one",
        "two",
        "three",
        "twice",
        "any",
        "more than",
        "less than",
        "fewer than",
        "at least",
        "at most",
        "exceeds",
        "exceed",
        "below",
        "above",
        "over",
        "under",
        "half",
        "first",
        "every",
        "none",
    ];
    items(body)
        .into_iter()
        .filter(|item| !is_placeholder(item))
        .filter(|item| {
            item.chars().any(|c| c.is_ascii_digit() || matches!(c, '<' | '>' | '≤' | '≥' | '%'))
                || MEASURES.iter().any(|measure| crate::plan::contains_phrase(item, measure))
        })
        .collect()
}

/// Whether a text only holds a place: `TBD`, `[...]`, `{{...}}`, `...`.
pub fn is_placeholder(text: &str) -> bool {
    let bare = text.trim().trim_matches(|c: char| matches!(c, '*' | '_' | '`' | '-' | '.' | ':' | ' ')).trim();
    if bare.is_empty() {
        return true;
    }
    let lower = bare.to_lowercase();
    let stock =
        ["tbd", "todo", "to be decided", "to be determined", "n/a", "na", "none yet", "fill in", "xxx", "pending"];
    if stock.contains(&lower.as_str()) {
        return true;
    }
    let inside = |open: char, close: char| {
        bare.strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close))
            .is_some_and(|rest| !rest.contains([open, close]))
    };
    let bracketed = inside('[', ']') || (bare.starts_with("{{") && bare.ends_with("}}")) || inside('<', '>');
    let first_word_is_stock = lower.split(|c: char| !c.is_alphanumeric()).next() == Some("tbd");
    // "- [Condition]: [Specific, measurable threshold]" is the seeds' own template line.
    let template =
        bare.contains(':') && bare.split(':').all(|part| part.trim().starts_with('[') && part.trim().ends_with(']'));
    bracketed || template || first_word_is_stock
}

/// Sentences of a prose body: its ends of sentence, at least one where there is any text.
pub fn sentences(body: &str) -> usize {
    // The number of a list item ends no sentence.
    let words = |line: &str| list_item(line).map_or_else(|| line.trim().to_owned(), str::to_owned);
    let prose: String = body.lines().filter(|line| !line.trim().is_empty()).map(words).collect::<Vec<_>>().join(" ");
    let prose = prose.trim();
    // "e.g. " is not the end of a sentence.
    let is_abbreviation = |end: &usize| prose[..*end].ends_with('.') && prose[..*end].chars().rev().nth(2) == Some('.');
    match sentences::ends(prose).filter(|end| !is_abbreviation(end)).count() {
        0 => usize::from(!prose.is_empty()),
        ends => ends,
    }
}
