//! What a template left open, and what only says that there is nothing.

use crate::phrases::Phrases;
use crate::words::words;
use std::ops::Range;
use std::sync::LazyLock;

static NOT_WRITTEN: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../data/not-written.txt")));
static PUT_OFF: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../data/put-off.txt")));
static FUNCTION_WORDS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../data/function-words.txt")));
static MENU_WORDS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../data/menu-words.txt")));
static HTML_TAGS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../data/html-tags.txt")));

/// The longest text in brackets that is a blank: what is longer is an aside.
const BLANK_LIMIT_BYTES: usize = 160;

/// Whether a word only holds a sentence together, in one of a few languages.
pub fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.has_word(word)
}

/// The blanks of a line in which code and links were made invisible: `[Owner]`, `{{TOPIC}}`, `${ID}`, `{words}`, `<words>`,
/// `___`. Boxes, footnotes, references and indices are none.
pub fn find(visible: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = visible[at..].find(['[', '{', '<', '_', '?']).map(|i| at + i) {
        let rest = &visible[open..];
        let length = match rest.as_bytes().first() {
            Some(b'[') => bracketed(visible, open),
            Some(b'{') => braced(rest),
            Some(b'<') => within_limit(rest).find('>').filter(|end| is_tag_blank(&rest[..=*end])).map(|end| end + 1),
            Some(b'?') => Some(rest.bytes().take_while(|byte| *byte == b'?').count()).filter(|count| *count == 2),
            _ => Some(rest.bytes().take_while(|byte| *byte == b'_').count()).filter(|count| *count >= 3),
        };
        match length {
            Some(length) => {
                found.push(open..open + length);
                at = open + length;
            }
            None => at = open + 1,
        }
    }
    if is_dots(visible) {
        found.push(0..visible.len());
    }
    found
}

fn inside(rest: &str, close: char) -> Option<&str> {
    let body = within_limit(rest.get(1..)?);
    let end = body.find([close, '\n'])?;
    let (body, closing) = body.split_at(end);
    closing.starts_with(close).then_some(body)
}

/// As much of a text as a blank can have.
fn within_limit(text: &str) -> &str {
    let mut end = text.len().min(BLANK_LIMIT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The length of a blank in square brackets.
fn bracketed(visible: &str, open: usize) -> Option<usize> {
    let body = inside(&visible[open..], ']')?;
    let is_index = visible[..open].ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | ']'));
    let bare = body.trim();
    let is_box = bare.is_empty() || matches!(bare, "x" | "X" | "✓" | "✔" | "-" | "*" | "✗");
    let has_digit = bare.chars().any(|c| c.is_ascii_digit());
    // `[1]`, `[ADR-7]`, `[^2]`, `[@ana]`, `[#12]`, `[!NOTE]`: references.
    let is_reference = bare.starts_with(['^', '@', '#', '!']) || (has_digit && !bare.contains(char::is_whitespace));
    // What forge itself puts in the place of a key.
    let is_ours = bare == "key removed";
    let says = !is_ours && body.chars().any(char::is_alphabetic) || matches!(bare, "..." | "…");
    (says && !is_index && !is_box && !is_reference).then(|| body.len() + 2)
}

/// The length of a blank in braces.
fn braced(rest: &str) -> Option<usize> {
    let doubled = rest.starts_with("{{");
    let body = inside(if doubled { &rest[1..] } else { rest }, '}')?;
    let around = if doubled { 4 } else { 2 };
    let length = (body.len() + around).min(rest.len());
    // `{% if %}` and `{# remark #}` are template code.
    let is_code = body.starts_with(['%', '#']);
    (!is_code && body.chars().any(char::is_alphabetic) && rest.is_char_boundary(length)).then_some(length)
}

/// Whether `<words>` is a blank and no tag of HTML.
pub fn is_tag_blank(tag: &str) -> bool {
    let Some(body) = tag.trim().strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) else { return false };
    let starts = body.chars().next().is_some_and(char::is_alphabetic);
    let name: String = body.chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
    let is_html = HTML_TAGS.has_word(&name.to_lowercase());
    starts && !is_html && !body.contains(['<', '=', '@', '/', ':'])
}

fn is_dots(text: &str) -> bool {
    let bare = text.trim();
    !bare.is_empty() && bare.chars().all(|c| matches!(c, '.' | '…' | ' '))
}

/// Whether a text is a list of words to pick from that was left whole: `High/Med/Low`, `GO / NO-GO`, `Yes | No`.
pub fn is_menu(text: &str) -> bool {
    let parts: Vec<&str> = text.split(['/', '|']).map(str::trim).filter(|part| !part.is_empty()).collect();
    parts.len() >= 2 && parts.iter().all(|part| MENU_WORDS.has_text(part))
}

/// Whether a text is only a number, as in the first column of a table.
pub fn is_number(text: &str) -> bool {
    let bare = text.trim().trim_start_matches('#').trim_end_matches(['.', ')']);
    !bare.is_empty() && bare.chars().all(|c| c.is_ascii_digit())
}

/// Whether a text says something in a section of this title, and not only that there is nothing, or not yet.
pub fn says_something(text: &str, title: &str) -> bool {
    let said = words(text);
    if PUT_OFF.at(&said) > 0 {
        return false;
    }
    let titled = words(title);
    let mut at = 0;
    let mut denies = false;
    while at < said.len() {
        let nothing = NOT_WRITTEN.at(&said[at..]);
        denies |= nothing > 0;
        let small = FUNCTION_WORDS.has_word(&said[at]) || titled.contains(&said[at]);
        match nothing.max(usize::from(small)) {
            0 => return true,
            idle => at += idle,
        }
    }
    !denies && !said.is_empty()
}

/// Whether a text only holds a place: it is empty, left open, or says that nothing is there yet.
pub fn is_placeholder(text: &str) -> bool {
    let bare = unmarked(text);
    let put_off = bare.starts_with(char::is_alphanumeric) && PUT_OFF.at_start(bare) > 0;
    put_off || holds_place(text)
}

/// Whether a line says anywhere that something is still to be written. A single word may be part of a sentence.
pub fn puts_off(line: &str) -> bool {
    let said = words(line);
    (0..said.len()).any(|at| PUT_OFF.at(&said[at..]) > 1)
}

/// The same of a name, which may begin as a put-off does: "Todo board" is one, "TODO" is none.
pub fn holds_place(text: &str) -> bool {
    let bare = unmarked(text);
    if bare.is_empty() || is_dots(bare) || is_menu(bare) {
        return true;
    }
    let blanks = find(bare);
    let is_inside = |at: usize| blanks.iter().any(|blank| blank.contains(&at));
    let open = !blanks.is_empty() && bare.char_indices().all(|(at, c)| is_inside(at) || !c.is_alphanumeric());
    const STOCK: [&str; 5] = ["n/a", "na", "none yet", "xxx", "pending"];
    open || PUT_OFF.has_text(bare) || STOCK.contains(&bare.to_lowercase().as_str())
}

fn unmarked(text: &str) -> &str {
    text.trim().trim_matches(|c: char| matches!(c, '*' | '_' | '`' | '-' | '.' | ':' | ' ')).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_template_left_open() {
        for open in [
            "[Description]",
            "1. **x:** [When to trigger]",
            "{{TOPIC}}",
            "by ${OWNER}",
            "<how we notice>",
            "due ____",
            "...",
        ] {
            assert!(!find(open).is_empty(), "{open}");
        }
        for filled in [
            "[x] done",
            "[ ] do it",
            "see [1] and [ADR-7]",
            "a[i]",
            "footnote[^2]",
            "[@ana] does it",
            "p99 <200 ms and >5%",
            "a <br> b",
            "[!NOTE]",
            "snake_case",
            "{1, 2}",
        ] {
            assert!(find(filled).is_empty(), "{filled}");
        }
        assert!(is_menu("High/Med/Low") && is_menu("GO / NO-GO") && is_menu("HIGH | MEDIUM | LOW"));
        assert!(!is_menu("client/server") && !is_menu("High"));
    }

    #[test]
    fn what_says_nothing() {
        for nothing in [
            "None.",
            "TBD",
            "To be discussed.",
            "tbd - see the next meeting",
            "n/a",
            "There is none yet.",
            "We have no fallback plan.",
            "Nothing so far",
            "To be confirmed with finance",
            "-",
            "?",
            "…",
            "keine",
            "待定",
            "Noch offen.",
        ] {
            assert!(!says_something(nothing, "Fallback Plan"), "{nothing}");
        }
        for something in
            ["Back to JSON.", "Cost.", "Stay on Redis", "Ana", "100 ms", "回到 JSON", "No rollback, we freeze writes."]
        {
            assert!(says_something(something, "Fallback Plan"), "{something}");
        }
    }

    #[test]
    fn placeholders_of_values() {
        for open in [
            "TBD",
            "[...]",
            "[Condition]: [Specific, measurable threshold]",
            "{{X}}",
            "",
            "**",
            "none yet",
            "TBD by Ana",
        ] {
            assert!(is_placeholder(open), "{open}");
        }
        for filled in ["B", "see [1]", "None of our users has a fax", "JSON"] {
            assert!(!is_placeholder(filled), "{filled}");
        }
    }

    #[test]
    fn long_texts_are_gone_over_once() {
        assert!(find(&"[".repeat(300_000)).is_empty());
        assert!(find(&"{".repeat(300_000)).is_empty());
        assert_eq!(find(&"_".repeat(300_000)).len(), 1);
        assert!(find(&"<".repeat(300_000)).is_empty());
    }
}
