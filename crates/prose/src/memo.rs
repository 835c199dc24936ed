//! Memos: lines that begin with a label in capitals or in bold, such as `VOTE: REJECT` or `**Reasoning**:`, with what
//! follows them.

use crate::outline::{Block, Kind, Outline};

/// The shortest and the longest label, in characters.
const LABEL_CHARS: std::ops::RangeInclusive<usize> = 3..=40;

impl Outline {
    /// Labels in capitals or in bold with their values, as (label, value): in plain lines, in lists, and in fenced blocks, where memos
    /// often stand. A value goes on to the next label, heading, quotation or fence; its lines stay apart.
    pub fn memo_labels(&self) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = Vec::new();
        let mut is_open = false;
        let mut was_code = false;
        for block in &self.blocks {
            let is_code = block.kind == Kind::Code;
            is_open &= is_code == was_code;
            was_code = is_code;
            if block.is_quoted || !matches!(block.kind, Kind::Paragraph | Kind::Item { .. } | Kind::Code) {
                is_open = false;
                continue;
            }
            for line in &block.lines {
                let text = line.text.trim();
                let in_bold = (line.bold > 0 && !is_code).then(|| line.label()).flatten();
                if let Some((label, value)) = memo_label(text).or(in_bold) {
                    found.push((label.to_owned(), value.to_owned()));
                    is_open = true;
                } else if let Some((_, value)) = found.last_mut().filter(|_| is_open && !text.is_empty()) {
                    if !value.is_empty() {
                        value.push('\n');
                    }
                    value.push_str(&marked(block, text));
                }
            }
        }
        found
    }
}

/// A line of a list keeps its mark, so that items can be told apart.
fn marked(block: &Block, text: &str) -> String {
    match block.kind {
        Kind::Item { .. } => format!("- {text}"),
        _ => text.to_owned(),
    }
}

/// `VOTE: REJECT` as its label and its value.
fn memo_label(line: &str) -> Option<(&str, &str)> {
    let (label, value) = line.split_once([':', '：'])?;
    let label = label.trim();
    let is_capital = |c: char| c.is_uppercase() || matches!(c, ' ' | '-' | '/' | '&' | '\'');
    let letters = label.chars().filter(|c| c.is_alphabetic()).count();
    let fits = LABEL_CHARS.contains(&label.chars().count()) && LABEL_CHARS.contains(&letters);
    (fits && label.starts_with(char::is_uppercase) && label.chars().all(is_capital)).then(|| (label, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<(String, String)> {
        Outline::of(text, 1).memo_labels()
    }

    #[test]
    fn a_memo_is_read_in_a_fence_and_out_of_one() {
        let memo = "POSITION: REJECT\n\nREASONING:\n- It costs twice as much.\n- Nobody asked for it.\n\nRISKS: none that\nwe know\n\nVOTE: REJECT\n";
        for text in
            [memo.to_owned(), format!("# PHASE 1: POSITIONS\n\n## CFO - Independent Position\n\n```\n{memo}```\n")]
        {
            let found = labels(&text);
            let names: Vec<&str> = found.iter().map(|(label, _)| label.as_str()).collect();
            assert_eq!(names, ["POSITION", "REASONING", "RISKS", "VOTE"], "{text}");
            assert_eq!(found[0].1, "REJECT");
            assert!(found[1].1.starts_with("- It costs twice as much.\n- Nobody asked for it."), "{found:?}");
            assert_eq!(found[2].1, "none that\nwe know");
            assert_eq!(found[3].1, "REJECT");
        }
    }

    #[test]
    fn labels_in_bold_go_on_below_too() {
        let found = labels("**Reasoning**:\nIt costs twice as much.\n\n**Vote:** REJECT\n");
        let expected = [("Reasoning", "It costs twice as much."), ("Vote", "REJECT")];
        assert_eq!(found, expected.map(|(label, value)| (label.to_owned(), value.to_owned())));
    }

    #[test]
    fn prose_headings_and_quotations_are_no_labels() {
        for text in [
            "We vote: REJECT",
            "Vote: REJECT",
            "# VOTE: REJECT",
            "> VOTE: REJECT",
            "A: yes",
            "GO: yes",
            "http://x.y",
            "TLS 1.3: yes",
            ": x",
            "| VOTE: A | B |\n|---|---|\n| x | y |",
        ] {
            assert_eq!(labels(text), [], "{text}");
        }
        // What stands under the next heading belongs to no label before it.
        assert_eq!(labels("VOTE: A\n\n## Other\n\nwords"), [("VOTE".to_owned(), "A".to_owned())]);
        assert_eq!(labels("VOTE: A\n\n```\ncode\n```\n"), [("VOTE".to_owned(), "A".to_owned())]);
    }
}
