//! One Markdown outline: headings with their sections, and below them paragraphs, list items, table rows and code, each
//! with its lines as a reader sees them.
//!
//! Must never take for said what is not: code, comments and struck-out words are no text of a block, and a heading counts
//! only where it is one, not in code, in a quotation or in a list.

use crate::blanks;
use crate::sentences;
use crate::titles::bare_title;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::borrow::Cow;
use std::ops::Range;

/// The longest label, in bytes: what is longer is a sentence in bold.
const LABEL_LIMIT_BYTES: usize = 80;
/// A line shorter than this, before one that begins with a capital, was ended on purpose.
const WRAPPED_CHARS: usize = 50;

/// What of Markdown is read besides its core.
const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_TASKLISTS).union(Options::ENABLE_STRIKETHROUGH);

/// A heading and what stands under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The heading without numbering and decoration.
    pub title: String,
    /// The text below it up to the next heading of the same or a higher level.
    pub body: String,
    /// The heading's line in the file, counted from 1.
    pub line: usize,
    /// The line on which the body begins.
    pub body_line: usize,
}

impl Section {
    /// Its body as an outline, with the lines of the file.
    pub fn outline(&self) -> Outline {
        Outline::of(&self.body, self.body_line)
    }
}

/// A text taken apart.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    /// Headings outside of code, quotations and lists.
    pub headings: Vec<Heading>,
    /// Everything in order, headings too.
    pub blocks: Vec<Block>,
    /// Fenced code outside of quotations.
    pub fences: Vec<Fence>,
}

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// From 1.
    pub level: u8,
    /// Its words.
    pub title: String,
    /// Where it stands.
    pub range: Range<usize>,
    /// Its line in the file.
    pub line: usize,
}

/// A fenced code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// What stands behind the opening fence.
    pub info: String,
    /// What stands in it.
    pub content: String,
    /// Where it stands.
    pub range: Range<usize>,
}

/// A paragraph, a list item, a table's row, a heading, code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: Kind,
    /// Its lines. A row has one for each cell.
    pub lines: Vec<Line>,
    /// Its first line in the file.
    pub line: usize,
    /// In how many list items it stands, its own among them.
    pub depth: usize,
    /// Whether it stands in a quotation.
    pub is_quoted: bool,
}

/// What a block is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A heading of this level.
    Heading(u8),
    /// Running text.
    Paragraph,
    /// A list item, with its box if it has one.
    Item {
        /// Whether its box is ticked.
        ticked: Option<bool>,
    },
    /// A row of a table, with the table's head.
    Row {
        /// The cells of the head.
        head: Vec<String>,
    },
    /// The head of a table.
    Head,
    /// Code.
    Code,
}

/// A line as a reader sees it: without marks of emphasis, links as their text, comments and struck-out words left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// The words.
    pub text: String,
    /// How many bytes from the start are bold.
    pub bold: usize,
    /// What a template left open.
    pub blanks: Vec<Range<usize>>,
    /// What is code.
    pub code: Vec<Range<usize>>,
    /// Its line in the file.
    pub line: usize,
}

/// A sentence with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// The words.
    pub text: String,
    /// Whether something in it is left open.
    pub is_blank: bool,
    /// Its line in the file: that of the block's piece it stands in.
    pub line: usize,
}

/// Something that looks like a heading and is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lookalike {
    /// Its words.
    pub title: String,
    /// Its line.
    pub line: usize,
    /// Why it is none.
    pub why: NoHeading,
}

/// Why a line is no heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoHeading {
    /// It is only bold.
    Bold,
    /// It stands in a code fence.
    InCode,
    /// It stands in a quotation or a list.
    Nested,
    /// It is a plain line of its own.
    Plain,
}

impl Outline {
    /// Takes a text apart whose first line is line `first_line` of its file.
    pub fn of(text: &str, first_line: usize) -> Self {
        let mut reader = Reader::new(text, first_line);
        let shown = with_items(text);
        for (event, range) in Parser::new_ext(&shown, OPTIONS).into_offset_iter() {
            reader.read(event, range);
        }
        reader.finish_block();
        reader.outline
    }

    /// The sections under its headings. What stands in `hole` is left out of their bodies.
    pub fn sections(&self, text: &str, first_line: usize, hole: &Range<usize>) -> Vec<Section> {
        let lines = Lines::of(text, first_line);
        let rules = self.rules(text);
        let real: Vec<&Heading> =
            self.headings.iter().filter(|heading| rules.binary_search(&heading.line).is_err()).collect();
        let body = |start: usize, end: usize| {
            let (before, after) =
                (&text[start..end.min(hole.start.max(start))], &text[end.min(hole.end.max(start))..end]);
            [before, after].concat().trim_start_matches('\n').trim_end().to_owned()
        };
        real.iter()
            .enumerate()
            .map(|(at, heading)| {
                let next = real[at + 1..].iter().find(|next| next.level <= heading.level);
                let end = next.map_or(text.len(), |next| lines.whole(&next.range).start);
                let start = lines.whole(&heading.range).end.min(end);
                let title = bare_title(&heading.title).to_owned();
                let skipped = text[start..end].len() - text[start..end].trim_start_matches('\n').len();
                let body_line = lines.number((start + skipped).min(text.len()));
                Section { title, body: body(start, end), line: heading.line, body_line }
            })
            .collect()
    }

    /// The lines of headings that are none: a paragraph with a `---` right below it, where the writer's headings have marks. A
    /// rule is meant then.
    pub(crate) fn rules(&self, text: &str) -> Vec<usize> {
        let marked = |heading: &Heading| text[heading.range.clone()].trim_start().starts_with('#');
        let uses_marks = self.headings.iter().any(|heading| heading.level <= 2 && marked(heading));
        let is_rule = |heading: &&Heading| {
            let last = text[heading.range.clone()].trim_end().lines().next_back().map(str::trim);
            uses_marks && !marked(heading) && last == Some("---")
        };
        self.headings.iter().filter(is_rule).map(|heading| heading.line).collect()
    }

    /// Lines such as `**Chosen Option:** B`, as (label, value).
    pub fn bold_labels(&self) -> Vec<(String, String)> {
        let said =
            |block: &&Block| !block.is_quoted && !matches!(block.kind, Kind::Row { .. } | Kind::Head | Kind::Code);
        self.blocks.iter().filter(said).flat_map(|block| &block.lines).filter_map(Line::bold_label).collect()
    }

    /// Lines that look like the heading `title` and are none.
    pub fn lookalikes(&self) -> Vec<Lookalike> {
        let mut found = Vec::new();
        for block in &self.blocks {
            for line in &block.lines {
                let text = line.text.trim();
                let is_marked = text.starts_with('#');
                let why = match block.kind {
                    Kind::Code if is_marked => NoHeading::InCode,
                    Kind::Heading(_) if block.is_quoted || block.depth > 0 => NoHeading::Nested,
                    Kind::Paragraph | Kind::Item { .. } if line.bold > 0 => NoHeading::Bold,
                    Kind::Paragraph if block.lines.len() == 1 => NoHeading::Plain,
                    _ => continue,
                };
                let title = if why == NoHeading::Bold { text.get(..line.bold).unwrap_or(text) } else { text };
                found.push(Lookalike { title: bare_title(title).to_owned(), line: line.line, why });
            }
        }
        found.retain(|one| !one.title.is_empty() && one.title.len() <= LABEL_LIMIT_BYTES);
        found
    }

    /// The blocks that say something by themselves: neither headings nor the heads of tables.
    pub fn said(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|block| !matches!(block.kind, Kind::Heading(_) | Kind::Head))
    }

    /// Whether anything is written here, in a section of this title: something that is neither left open, nor a lead-in,
    /// nor only says that there is nothing.
    pub fn is_written(&self, title: &str) -> bool {
        self.said().any(|block| block.is_written(title))
    }
}

impl Block {
    /// Its words on one line.
    pub fn text(&self) -> String {
        let mark = if matches!(self.kind, Kind::Row { .. } | Kind::Head) { " | " } else { " " };
        self.lines.iter().map(|line| line.text.trim()).collect::<Vec<_>>().join(mark)
    }

    /// Its lines as one, with what is code and what is left open in them; bold is what the first begins with.
    pub fn joined(&self) -> Line {
        let mut lines = self.lines.iter();
        let mut whole = lines.next().cloned().unwrap_or_default();
        lines.for_each(|line| whole.join(line));
        whole
    }

    /// Whether it is a row of a table.
    pub fn is_row(&self) -> bool {
        matches!(self.kind, Kind::Row { .. })
    }

    /// Whether something in it is left open.
    pub fn is_blank(&self) -> bool {
        self.lines.iter().any(Line::is_blank)
    }

    /// Whether it says something in a section of this title.
    pub fn is_written(&self, title: &str) -> bool {
        match &self.kind {
            Kind::Row { .. } => {
                let says = |cell: &Line| blanks::says_something(&cell.text, title) && !blanks::is_number(&cell.text);
                !self.is_blank() && self.lines.iter().any(says)
            }
            Kind::Item { .. } if self.is_blank() => false,
            _ => self.sentences().iter().any(|sentence| {
                let is_lead_in = sentence.text.trim_end().ends_with([':', '：']);
                !sentence.is_blank && !is_lead_in && blanks::says_something(&sentence.text, title)
            }),
        }
    }

    /// Its lines, those joined that were only wrapped; the cells of a row stand apart.
    pub fn pieces(&self) -> Vec<Line> {
        let mut pieces: Vec<Line> = Vec::new();
        for line in &self.lines {
            let joins = pieces.last().is_some_and(|before| {
                let stands_apart = self.is_row() || self.kind == Kind::Code || before.ends_on_purpose(line);
                !stands_apart
            });
            match pieces.last_mut().filter(|_| joins) {
                Some(before) => before.join(line),
                None => pieces.push(line.clone()),
            }
        }
        pieces
    }

    /// Its sentences.
    pub fn sentences(&self) -> Vec<Sentence> {
        self.pieces()
            .iter()
            .flat_map(|piece| {
                let base = piece.text.as_ptr() as usize;
                sentences::split(&piece.text).into_iter().map(move |text| {
                    let start = text.as_ptr() as usize - base;
                    let range = start..start + text.len();
                    let is_blank = piece.blanks.iter().any(|blank| blank.start < range.end && range.start < blank.end);
                    Sentence { text: text.to_owned(), is_blank: is_blank || blanks::is_menu(text), line: piece.line }
                })
            })
            .collect()
    }
}

impl Line {
    /// Whether something in it is left open.
    pub fn is_blank(&self) -> bool {
        let is_menu = self.label().is_some_and(|(_, value)| blanks::is_menu(value));
        !self.blanks.is_empty() || is_menu || blanks::is_menu(&self.text)
    }

    /// A label in bold at its start with its value: `**Label:** value`, `**Label**: value`, `**Label: value**`.
    pub fn bold_label(&self) -> Option<(String, String)> {
        let (name, value) = (self.text.get(..self.bold)?.trim(), self.text.get(self.bold..)?.trim());
        let colon = [':', '：'];
        let (name, value) = match (name.strip_suffix(colon), value.strip_prefix(colon)) {
            _ if name.is_empty() => return None,
            (Some(name), _) => (name, value),
            (None, Some(value)) => (name, value),
            (None, None) if value.is_empty() => split_label(name)?,
            (None, None) => return None,
        };
        let (name, value) = (name.trim(), value.trim());
        let fits = !name.is_empty() && !value.is_empty() && name.len() <= LABEL_LIMIT_BYTES;
        fits.then(|| (name.to_owned(), value.to_owned()))
    }

    /// A label with its value, bold or not; the value may be empty, and may stand on the next line then.
    pub fn label(&self) -> Option<(&str, &str)> {
        let text = self.text.trim();
        if let Some((name, value)) = split_label(text)
            && name.len() <= LABEL_LIMIT_BYTES
        {
            return Some((name.trim(), value.trim()));
        }
        let bold = self.text.get(..self.bold)?.trim();
        let rest = self.text.get(self.bold..)?.trim();
        let is_label = !bold.is_empty() && bold.len() <= LABEL_LIMIT_BYTES;
        let dash = |c: char| matches!(c, '-' | '–' | '—');
        match rest.strip_prefix(dash) {
            Some(value) if is_label => Some((bold, value.trim())),
            None if is_label && rest.is_empty() => Some((bold, "")),
            _ => None,
        }
    }

    /// Whether the line was ended on purpose before the next one, and not only wrapped.
    fn ends_on_purpose(&self, next: &Line) -> bool {
        let begins = next.text.trim_start().chars().next();
        let last = self.text.trim_end().chars().last();
        let is_open = last.is_some_and(|c| matches!(c, ',' | ':' | '：' | '-' | '–' | '—' | '('));
        let is_label = next.bold > 0 || next.label().is_some_and(|(name, _)| name.split_whitespace().count() <= 4);
        let is_short = self.text.chars().count() < WRAPPED_CHARS;
        !is_open && (is_label || (is_short && begins.is_some_and(|c| c.is_uppercase() || !c.is_alphanumeric())))
    }

    fn join(&mut self, next: &Line) {
        self.text.push(' ');
        let shift = self.text.len();
        self.text.push_str(&next.text);
        let shifted = |range: &Range<usize>| range.start + shift..range.end + shift;
        self.blanks.extend(next.blanks.iter().map(shifted));
        self.code.extend(next.code.iter().map(shifted));
    }
}

/// A text at its first colon that is none of a time, an address or a ratio.
fn split_label(text: &str) -> Option<(&str, &str)> {
    let (at, colon) = text.char_indices().find(|(at, c)| {
        // Scripts without blanks put none behind a colon either.
        let is_unspaced = text[..*at].chars().next_back().is_some_and(crate::words::is_unspaced);
        *c == '：' || (*c == ':' && (is_unspaced || text[at + 1..].chars().next().is_none_or(char::is_whitespace)))
    })?;
    Some((&text[..at], &text[at + colon.len_utf8()..]))
}

/// What stands for a colon that would make a list item the definition of a link.
const NO_DEFINITION: char = '\u{1}';

/// A text in which list items such as `- [Name]: word` are items. Markdown takes them for definitions of links, which
/// nobody sees; no byte moves.
fn with_items(text: &str) -> Cow<'_, str> {
    let mut shown = Cow::Borrowed(text);
    let mark = NO_DEFINITION.to_string();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(colon) = definition_in_item(line) {
            shown.to_mut().replace_range(start + colon..=start + colon, &mark);
        }
        start += line.len();
    }
    shown
}

/// Where the colon of `- [Name]: word` stands. An address may be defined in a list.
fn definition_in_item(line: &str) -> Option<usize> {
    let item = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    let content = item.strip_prefix(['-', '*', '+', '.', ')'])?.trim_start().strip_prefix('[')?;
    let end = line.len() - content.len() + content.find(']')?;
    let address = line[end + 1..].strip_prefix(':')?.trim_start();
    let is_address = address.contains("://") || address.starts_with(['<', '#', '/', '.']);
    (!is_address).then_some(end + 1)
}

/// Where the lines of a text begin.
#[derive(Debug)]
pub struct Lines {
    starts: Vec<usize>,
    first_line: usize,
    length: usize,
}

impl Lines {
    /// The lines of a text whose first is line `first_line` of its file.
    pub fn of(text: &str, first_line: usize) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { starts, first_line, length: text.len() }
    }

    fn index(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// The file's line number of a byte.
    pub fn number(&self, offset: usize) -> usize {
        self.first_line + self.index(offset)
    }

    /// The whole lines that a range touches.
    pub fn whole(&self, range: &Range<usize>) -> Range<usize> {
        let last = self.index(range.end.saturating_sub(1).max(range.start));
        self.starts[self.index(range.start)]..self.starts.get(last + 1).copied().unwrap_or(self.length)
    }
}

/// Reads the events of the parser into blocks.
struct Reader {
    lines: Lines,
    outline: Outline,
    block: Option<Block>,
    /// The line at hand with code, links and the like made invisible: what a blank is looked for in.
    visible: String,
    head: Vec<String>,
    quotes: usize,
    items: usize,
    strong: usize,
    struck: usize,
    hidden: usize,
    is_fenced: bool,
}

impl Reader {
    fn new(text: &str, first_line: usize) -> Self {
        Self {
            lines: Lines::of(text, first_line),
            outline: Outline::default(),
            block: None,
            visible: String::new(),
            head: Vec::new(),
            quotes: 0,
            items: 0,
            strong: 0,
            struck: 0,
            hidden: 0,
            is_fenced: false,
        }
    }

    fn read(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag),
            Event::TaskListMarker(is_ticked) => {
                if let Some(Block { kind: Kind::Item { ticked }, .. }) = &mut self.block {
                    *ticked = Some(is_ticked);
                }
            }
            Event::Text(piece) => {
                let piece = piece.replace(NO_DEFINITION, ":");
                if self.is_fenced
                    && let Some(fence) = self.outline.fences.last_mut()
                {
                    fence.content.push_str(&piece);
                }
                let mut pieces = piece.split('\n').peekable();
                while let Some(part) = pieces.next() {
                    self.push(part, range.start, true);
                    if pieces.peek().is_some() {
                        self.break_line(range.start);
                    }
                }
            }
            Event::Code(piece) => self.push(&piece.replace(NO_DEFINITION, ":"), range.start, false),
            Event::InlineHtml(piece) | Event::Html(piece) if blanks::is_tag_blank(&piece) => {
                // `Vec<Invoice>` is a type.
                let line = self.block.as_ref().and_then(|block| block.lines.last());
                let is_glued = line.is_some_and(|line| line.text.ends_with(char::is_alphanumeric));
                self.push(piece.trim(), range.start, !is_glued);
            }
            Event::SoftBreak | Event::HardBreak => self.break_line(range.end),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::BlockQuote(_) => {
                self.finish_block();
                self.quotes += 1;
            }
            Tag::List(_) => self.finish_block(),
            Tag::Item => {
                self.finish_block();
                self.items += 1;
                self.begin(Kind::Item { ticked: None }, range.start);
            }
            Tag::Paragraph => {
                let is_items_own = matches!(&self.block, Some(Block { kind: Kind::Item { .. }, lines, .. })
                    if lines.iter().all(|line| line.text.is_empty()));
                if !is_items_own {
                    self.finish_block();
                    self.begin(Kind::Paragraph, range.start);
                }
            }
            Tag::Heading { level, .. } => {
                self.finish_block();
                let level = level_number(level);
                self.begin(Kind::Heading(level), range.start);
                if self.quotes == 0 && self.items == 0 {
                    let line = self.lines.number(range.start);
                    self.outline.headings.push(Heading { level, title: String::new(), range, line });
                }
            }
            Tag::CodeBlock(kind) => {
                self.finish_block();
                self.begin(Kind::Code, range.start);
                let is_fenced = matches!(kind, CodeBlockKind::Fenced(_));
                if let Some(line) = self.block.as_mut().and_then(|block| block.lines.first_mut()).filter(|_| is_fenced)
                {
                    line.line += 1;
                }
                if let CodeBlockKind::Fenced(info) = kind
                    && self.quotes == 0
                {
                    self.outline.fences.push(Fence { info: info.to_string(), content: String::new(), range });
                    self.is_fenced = true;
                }
            }
            Tag::Table(_) => self.finish_block(),
            Tag::TableHead => self.begin_row(Kind::Head, range.start),
            Tag::TableRow => {
                let head = self.head.clone();
                self.begin_row(Kind::Row { head }, range.start);
            }
            Tag::TableCell => {
                self.end_line();
                let line = self.lines.number(range.start);
                if let Some(block) = &mut self.block {
                    block.lines.push(Line { line, ..Line::default() });
                }
            }
            Tag::HtmlBlock => {
                self.finish_block();
                self.begin(Kind::Paragraph, range.start);
            }
            Tag::Strong => self.strong += 1,
            Tag::Strikethrough => self.struck += 1,
            Tag::Link { .. } | Tag::Image { .. } => self.hidden += 1,
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::BlockQuote(_) => {
                self.finish_block();
                self.quotes = self.quotes.saturating_sub(1);
            }
            TagEnd::Item => {
                self.finish_block();
                self.items = self.items.saturating_sub(1);
            }
            TagEnd::Paragraph => {
                // An item may go on behind its first paragraph.
                self.finish_block();
            }
            TagEnd::Heading(_) => {
                let title = self.block.as_ref().map(Block::text).unwrap_or_default();
                if self.quotes == 0
                    && self.items == 0
                    && let Some(heading) = self.outline.headings.last_mut()
                {
                    heading.title = title;
                }
                self.finish_block();
            }
            TagEnd::CodeBlock => {
                self.is_fenced = false;
                self.finish_block();
            }
            TagEnd::TableHead => {
                self.end_line();
                let cells = self.block.as_ref().map(|block| block.lines.iter().map(|line| line.text.trim().to_owned()));
                self.head = cells.map(Iterator::collect).unwrap_or_default();
                self.finish_block();
            }
            TagEnd::TableRow | TagEnd::Table | TagEnd::List(_) | TagEnd::HtmlBlock => self.finish_block(),
            TagEnd::Strong => self.strong = self.strong.saturating_sub(1),
            TagEnd::Strikethrough => self.struck = self.struck.saturating_sub(1),
            TagEnd::Link | TagEnd::Image => self.hidden = self.hidden.saturating_sub(1),
            _ => {}
        }
    }

    fn begin(&mut self, kind: Kind, offset: usize) {
        let line = self.lines.number(offset);
        let lines = vec![Line { line, ..Line::default() }];
        self.block = Some(Block { kind, lines, line, depth: self.items, is_quoted: self.quotes > 0 });
        self.visible.clear();
    }

    fn begin_row(&mut self, kind: Kind, offset: usize) {
        self.finish_block();
        self.begin(kind, offset);
        if let Some(block) = &mut self.block {
            block.lines.clear();
        }
    }

    /// Adds to the line at hand. What is not `visible` can hold no blank.
    fn push(&mut self, piece: &str, offset: usize, visible: bool) {
        if self.struck > 0 || piece.is_empty() {
            return;
        }
        if self.block.is_none() {
            let kind = Kind::Paragraph;
            self.begin(kind, offset);
        }
        let is_code = matches!(&self.block, Some(block) if block.kind == Kind::Code);
        let Some(line) = self.block.as_mut().and_then(|block| block.lines.last_mut()) else { return };
        if self.strong > 0 && line.bold == line.text.len() {
            line.bold += piece.len();
        }
        if !visible {
            line.code.push(line.text.len()..line.text.len() + piece.len());
        }
        line.text.push_str(piece);
        if visible && self.hidden == 0 && !is_code {
            self.visible.push_str(piece);
        } else {
            self.visible.extend(std::iter::repeat_n('x', piece.len()));
        }
    }

    fn break_line(&mut self, offset: usize) {
        self.end_line();
        let line = self.lines.number(offset);
        if let Some(block) = &mut self.block {
            let after = block.lines.last().map_or(line, |last| last.line + 1);
            let line = if block.kind == Kind::Code { after } else { line };
            block.lines.push(Line { line, ..Line::default() });
        }
    }

    fn end_line(&mut self) {
        let visible = std::mem::take(&mut self.visible);
        if let Some(line) = self.block.as_mut().and_then(|block| block.lines.last_mut()) {
            line.blanks = blanks::find(&visible);
        }
    }

    fn finish_block(&mut self) {
        self.end_line();
        let Some(mut block) = self.block.take() else { return };
        if !matches!(block.kind, Kind::Row { .. } | Kind::Head) {
            block.lines.retain(|line| !line.text.trim().is_empty());
        }
        let is_box = matches!(block.kind, Kind::Item { ticked: Some(_) });
        if !block.lines.is_empty() || is_box {
            self.outline.blocks.push(block);
        }
    }
}

fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
