//! A file taken apart line by line: labels, headings, boxes, items and text. Quotations, code and struck-out words are not
//! among them.

use crate::model::form::Draft;
use crate::rules::brief::one_line;
use forge_prose::measure::items;
use forge_prose::outline::{Block, Kind, Line, Outline};

/// A line of a file.
pub(super) struct Piece {
    pub(super) what: What,
    /// Its words; of a label what stands beside it.
    pub(super) text: String,
    pub(super) line: usize,
    /// The paragraph or item it stands in.
    block: usize,
    /// In how many list items it stands.
    depth: usize,
}

pub(super) enum What {
    Label(String),
    Heading(String),
    Box { is_ticked: bool },
    Item,
    Text,
}

pub(super) struct Page {
    pub(super) pieces: Vec<Piece>,
}

impl Page {
    pub(super) fn of(draft: &Draft) -> Self {
        let outline = Outline::of(&draft.text, draft.first_line.max(1));
        let is_said = |block: &&Block| !block.is_quoted && !matches!(block.kind, Kind::Code | Kind::Head);
        let blocks = outline.blocks.iter().filter(is_said).enumerate();
        Self { pieces: blocks.flat_map(|(at, block)| pieces(at, block)).collect() }
    }

    /// The labels and headings with such a name.
    pub(super) fn titled(&self, is_called: impl Fn(&str) -> bool) -> impl Iterator<Item = usize> {
        let is_it =
            move |piece: &Piece| matches!(&piece.what, What::Label(name) | What::Heading(name) if is_called(name));
        self.pieces.iter().enumerate().filter(move |(_, piece)| is_it(piece)).map(|(at, _)| at)
    }

    /// The labels with their values.
    pub(super) fn labels(&self) -> Vec<(String, String)> {
        let labels = self.pieces.iter().enumerate().filter_map(|(at, piece)| match &piece.what {
            What::Label(name) if piece.text.is_empty() => Some((name.clone(), self.body(at))),
            What::Label(name) => Some((name.clone(), piece.text.clone())),
            _ => None,
        });
        labels.filter(|(_, value)| !value.is_empty()).collect()
    }

    /// What follows a piece in its own paragraph.
    pub(super) fn goes_on(&self, at: usize) -> String {
        let block = self.pieces[at].block;
        let more = self.pieces[at + 1..].iter().take_while(|piece| piece.block == block);
        let more = more.take_while(|piece| matches!(piece.what, What::Text));
        one_line(&more.map(|piece| piece.text.as_str()).collect::<Vec<_>>().join(" "))
    }

    /// What stands beside and below a label or heading, up to the next one.
    fn under(&self, at: usize) -> impl Iterator<Item = &Piece> {
        let below = self.pieces[at + 1..].iter();
        let below = below.take_while(|piece| !matches!(piece.what, What::Label(_) | What::Heading(_)));
        let said = below.filter(|piece| !matches!(piece.what, What::Box { .. }));
        std::iter::once(&self.pieces[at]).chain(said)
    }

    /// The same on one line.
    pub(super) fn text(&self, at: usize) -> String {
        one_line(&self.under(at).map(|piece| piece.text.as_str()).collect::<Vec<_>>().join(" "))
    }

    /// The same as Markdown.
    pub(super) fn body(&self, at: usize) -> String {
        let mut body = String::new();
        let mut block = self.pieces[at].block;
        for piece in self.under(at) {
            if piece.block != block && !matches!(piece.what, What::Item) {
                body.push('\n');
            }
            block = piece.block;
            let is_item = matches!(piece.what, What::Item);
            let indent = "  ".repeat(piece.depth.saturating_sub(usize::from(is_item)));
            body.push_str(&format!("{indent}{}{}\n", if is_item { "- " } else { "" }, piece.text));
        }
        body.trim().to_owned()
    }

    /// The same as a list: its items, else what lines and semicolons part.
    pub(super) fn list(&self, at: usize) -> Vec<String> {
        let body = self.body(at);
        let listed = items(&body);
        if !listed.is_empty() {
            return listed;
        }
        body.split([';', '\n']).map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
    }
}

fn pieces(block_at: usize, block: &Block) -> Vec<Piece> {
    let new = |what: What, text: &str, line: usize| Piece {
        what,
        text: text.trim().to_owned(),
        line,
        block: block_at,
        depth: block.depth,
    };
    if block.is_row() {
        return vec![new(What::Text, &block.text(), block.line)];
    }
    let one = |(at, line): (usize, &Line)| {
        let text = line.text.trim();
        let is_first = at == 0;
        let ticked = match block.kind {
            Kind::Item { ticked } if is_first => ticked.map(|is_ticked| (is_ticked, text)),
            _ => None,
        };
        if let Some((is_ticked, rest)) = ticked.or_else(|| boxed(text)) {
            return new(What::Box { is_ticked }, rest, line.line);
        }
        match (&block.kind, label(line, matches!(block.kind, Kind::Heading(_)))) {
            (_, Some((name, value))) => new(What::Label(name.to_owned()), value, line.line),
            (Kind::Heading(_), None) => new(What::Heading(text.to_owned()), "", line.line),
            (Kind::Item { .. }, None) if is_first => new(What::Item, text, line.line),
            _ => new(What::Text, text, line.line),
        }
    };
    block.lines.iter().enumerate().map(one).collect()
}

/// A label in bold, in capitals or in a heading, with what stands beside it. A line that is nothing but bold is one too.
fn label(line: &Line, is_heading: bool) -> Option<(&str, &str)> {
    let (name, value) = line.label()?;
    // `**Note** on the cost: ...` is a sentence.
    let is_bold = line.bold >= line.text.find(name).unwrap_or(0) + name.len();
    let is_parted = !value.is_empty() || line.text.trim_end().ends_with([':', '：']);
    let is_capital = name.chars().any(char::is_alphabetic) && name.to_uppercase() == name;
    (is_parted && (is_bold || is_heading || is_capital) || is_bold && !is_heading).then_some((name, value))
}

/// A box before a line's words, and the words.
fn boxed(text: &str) -> Option<(bool, &str)> {
    const TICKED: [&str; 3] = ["☑", "☒", "✅"];
    if let Some(rest) = TICKED.iter().find_map(|mark| text.strip_prefix(mark)) {
        return Some((true, rest));
    }
    if let Some(rest) = text.strip_prefix('☐') {
        return Some((false, rest));
    }
    let (mark, rest) = text.strip_prefix('[')?.split_once(']')?;
    match mark.trim() {
        "" => Some((false, rest)),
        "x" | "X" | "✓" | "✔" | "✅" => Some((true, rest)),
        _ => None,
    }
}
