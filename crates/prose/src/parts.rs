//! The parts of a text: each heading with what stands right below it and the parts below that. A line that is bold as a whole
//! counts as the lowest heading: people write it where they mean one.

use crate::outline::{Block, Kind, Line, Outline};

/// The level of a bold line: below every heading.
pub const BOLD: u8 = 7;
/// The longest bold line that is a heading, in bytes: what is longer is a sentence in bold.
const TITLE_LIMIT_BYTES: usize = 120;

/// A heading with what stands below it. The first part of a text is the text itself: it has level 0 and no title.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    /// From 1; [`BOLD`] for a bold line.
    pub level: u8,
    /// The heading as it stands.
    pub title: Line,
    /// What stands between it and the next part, in order.
    pub own: Vec<Block>,
    /// The parts below it.
    pub below: Vec<Part>,
}

impl Part {
    /// The line of its heading.
    pub fn line(&self) -> usize {
        self.title.line
    }

    /// This part and all parts below it, in order.
    pub fn all(&self) -> Vec<&Part> {
        let mut found = vec![self];
        found.extend(self.below.iter().flat_map(Part::all));
        found
    }

    /// Everything in it, in order: its own blocks, and those of the parts below with their headings.
    pub fn blocks(&self) -> Vec<Block> {
        let heading = |part: &Part| Block {
            kind: Kind::Heading(part.level),
            line: part.line(),
            lines: vec![part.title.clone()],
            depth: 0,
            is_quoted: false,
        };
        let below = self.below.iter().flat_map(|part| [vec![heading(part)], part.blocks()].concat());
        self.own.iter().cloned().chain(below).collect()
    }
}

impl Outline {
    /// The parts of the text that this is the outline of.
    pub fn parts(&self, text: &str) -> Part {
        let rules = self.rules(text);
        let mut open = vec![Part::default()];
        for block in &self.blocks {
            let is_nested = block.is_quoted || block.depth > 0;
            match block.kind {
                Kind::Heading(level) if !is_nested => {
                    if rules.binary_search(&block.line).is_ok() {
                        push(&mut open, Block { kind: Kind::Paragraph, ..block.clone() });
                    } else {
                        begin(&mut open, level, block.joined());
                    }
                }
                Kind::Paragraph if !is_nested => paragraph(&mut open, block),
                _ => push(&mut open, block.clone()),
            }
        }
        close(&mut open, 1);
        open.pop().unwrap_or_default()
    }
}

/// Adds a paragraph, with its bold lines as headings.
fn paragraph(open: &mut Vec<Part>, block: &Block) {
    let mut rest: Vec<Line> = Vec::new();
    let flush = |open: &mut Vec<Part>, lines: &mut Vec<Line>| {
        let lines = std::mem::take(lines);
        if let Some(first) = lines.first() {
            push(open, Block { line: first.line, lines, ..block.clone() });
        }
    };
    for line in &block.lines {
        if is_bold_title(line) {
            flush(open, &mut rest);
            begin(open, BOLD, line.clone());
        } else {
            rest.push(line.clone());
        }
    }
    flush(open, &mut rest);
}

/// Whether a line is bold as a whole, and no sentence.
fn is_bold_title(line: &Line) -> bool {
    let (bold, after) = line.text.split_at_checked(line.bold).unwrap_or((&line.text, ""));
    let bold = bold.trim();
    let is_whole = !bold.is_empty() && matches!(after.trim(), "" | ":" | "：");
    is_whole && bold.len() <= TITLE_LIMIT_BYTES && !bold.ends_with(['.', '!', '?', '。'])
}

fn push(open: &mut [Part], block: Block) {
    if let Some(part) = open.last_mut() {
        part.own.push(block);
    }
}

fn begin(open: &mut Vec<Part>, level: u8, title: Line) {
    close(open, level);
    open.push(Part { level, title, ..Part::default() });
}

/// Ends the parts of this level and below.
fn close(open: &mut Vec<Part>, level: u8) {
    while open.len() > 1 && open.last().is_some_and(|part| part.level >= level) {
        let ended = open.pop();
        if let (Some(part), Some(above)) = (ended, open.last_mut()) {
            above.below.push(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(part: &Part) -> String {
        let own: Vec<String> = part.own.iter().map(Block::text).collect();
        let below: Vec<String> = part.below.iter().map(told).collect();
        format!(
            "{}{:?}{}",
            part.title.text,
            own,
            if below.is_empty() { String::new() } else { format!("({})", below.join(" ")) }
        )
    }

    fn parts(text: &str) -> String {
        told(&Outline::of(text, 1).parts(text))
    }

    #[test]
    fn headings_and_bold_lines_have_what_is_below_them() {
        let text = "before\n\n# A\none\n## B\n**x**\ntwo\nthree\n**y:**\n- four\n## C\n# D\n";
        assert_eq!(parts(text), "[\"before\"](A[\"one\"](B[](x[\"two three\"] y:[\"four\"]) C[]) D[])");
    }

    #[test]
    fn a_bold_sentence_and_a_bold_start_are_no_headings() {
        assert_eq!(parts("**Do not do this.**\n\n**a** is b\n\n- **c**\n"), "[\"Do not do this.\", \"a is b\", \"c\"]");
    }

    #[test]
    fn a_rule_below_a_paragraph_makes_no_heading_where_headings_have_marks() {
        assert_eq!(parts("# A\n\none\n---\n\n# B\n"), "[](A[\"one\"] B[])");
        assert_eq!(parts("A\n---\n\none\n"), "[](A[\"one\"])");
    }
}
