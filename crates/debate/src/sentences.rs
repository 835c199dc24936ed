//! Where sentences end, as far as that can be seen without understanding them.

/// What closes a quotation or an emphasis and still belongs to the sentence.
const CLOSING: [char; 7] = ['*', '_', '"', '”', '\'', ')', '`'];

/// Where the sentences of a text end: behind each mark that white space, or nothing, follows. "Node.js" and "7.2" end
/// none.
pub(crate) fn ends(text: &str) -> impl Iterator<Item = usize> + '_ {
    marks(text).filter(|end| text[*end..].chars().next().is_none_or(char::is_whitespace))
}

/// The sentences of a text, each with the mark that ends it. What closes a quotation may stand between the mark and the
/// white space; a table's cell ends a sentence too.
pub(crate) fn split(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for end in marks(text) {
        let next = text[end..].trim_start_matches(CLOSING).chars().next();
        if next.is_none_or(|next| next.is_whitespace() || next == '|') {
            sentences.push(text[start..end].trim());
            start = end;
        }
    }
    sentences.push(text[start..].trim());
    sentences
}

/// The bytes behind each mark that can end a sentence.
fn marks(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?')).map(|(at, c)| at + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_marks_before_white_space() {
        assert_eq!(
            split("Use Node.js 7.2. Why? \"Yes.\" **So!** e"),
            ["Use Node.js 7.2.", "Why?", "\"Yes.", "\" **So!", "** e"]
        );
        assert_eq!(split("| Who? | Me. |"), ["| Who?", "| Me.", "|"]);
        assert_eq!(ends("7.2. Why? \"Yes.\" no").collect::<Vec<_>>(), [4, 9]);
    }

    /// Looking behind every character, and not only behind marks, would take days here.
    #[test]
    fn a_long_run_of_emphasis_is_gone_over_once() {
        let run = "*".repeat(3_000_000);
        assert_eq!(split(&run).len(), 1);
        assert_eq!(split(&format!("Yes.{run} No"))[0], "Yes.");
    }
}
