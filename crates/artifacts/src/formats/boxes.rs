//! Boxes to tick, as people write them: `- [x] text`, `1. [ ] text`, `✅ text`, `| [ ] | text |`.
//!
//! Promises: what stands in code, a comment or a quotation is no box; a box whose mark cannot be read is told with its line, and
//! so is a list below the heading whose items have no boxes.
//!
//! Pure; if the process dies here nothing is left.

use forge_prose::blanks::holds_place;
use forge_prose::outline::{Block, Kind, Line, Outline};
use forge_prose::parts::Part;
use forge_prose::phrases::{self, Phrases};
use forge_prose::title_matches;
use forge_workflow::extract::passages::{marker, one_line};
use forge_workflow::snapshot::Checkbox;
use std::sync::LazyLock;

static BOX_WORDS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/box-words.txt")));

const TICKS: [char; 6] = ['x', 'X', '✓', '✔', '✅', '☑'];
const OPEN_SIGNS: [char; 5] = ['☐', '⬜', '◻', '□', '🔲'];
const TICKED_SIGNS: [char; 4] = ['✅', '☑', '✔', '✓'];
const OTHER_SIGNS: [char; 4] = ['☒', '❌', '✗', '✘'];
/// What a tick may be drawn with besides itself.
const VARIATION: char = '\u{FE0F}';

/// The boxes below some headings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Boxes {
    /// Those that can be read, in order.
    pub(crate) boxes: Vec<Checkbox>,
    /// Those that cannot: the line, and the mark.
    pub(crate) unread: Vec<(usize, String)>,
    /// List items without a box, but those below another item.
    pub(crate) without: Vec<usize>,
    /// Those below another item: the line, and the words.
    pub(crate) nested: Vec<(usize, String)>,
}

/// What stands before a box's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Open,
    Ticked,
    Unread,
}

/// Whether a heading is one of those in a data file.
pub(crate) fn is_one_of(title: &str, headings: &str) -> bool {
    phrases::lines(headings).any(|wanted| title_matches(title, wanted))
}

/// The boxes below every heading that is wanted, and the boxes elsewhere. A text's own title is no heading of boxes.
pub(crate) fn below(body: &str, body_line: usize, is_wanted: &dyn Fn(&str) -> bool) -> (Boxes, Boxes) {
    let outline = Outline::of(body, body_line);
    let root = outline.parts(body);
    let raw: Vec<&str> = body.lines().collect();
    let raw = |line: usize| line.checked_sub(body_line).and_then(|at| raw.get(at)).copied().unwrap_or_default();
    let (mut inside, mut outside) = (Boxes::default(), Boxes::default());
    divide(&root, is_wanted, &mut |blocks, is_inside| {
        let boxes = if is_inside { &mut inside } else { &mut outside };
        blocks.iter().filter(|block| !block.is_quoted).for_each(|block| boxes.take(block, &raw));
    });
    (inside, outside)
}

fn divide(part: &Part, is_wanted: &dyn Fn(&str) -> bool, take: &mut dyn FnMut(&[Block], bool)) {
    let is_title = part.level <= 1 && !part.below.is_empty();
    if !is_title && is_wanted(&part.title.text) {
        return take(&part.blocks(), true);
    }
    take(&part.own, false);
    part.below.iter().for_each(|one| divide(one, is_wanted, take));
}

impl Boxes {
    fn take<'r>(&mut self, block: &Block, raw: &dyn Fn(usize) -> &'r str) {
        match &block.kind {
            Kind::Item { ticked } => {
                let first = block.lines.first();
                let at = first.map_or(block.line, |line| line.line);
                let read = match (ticked, first.and_then(|line| mark(&line.text))) {
                    (Some(true), _) => Some(Mark::Ticked),
                    (Some(false), _) => Some(Mark::Open),
                    (None, read) => read.map(|(mark, _)| mark),
                };
                // A line of the item may begin with a box of its own.
                let rest = block.lines.get(1..).unwrap_or_default();
                let own = rest.iter().position(|line| mark(&line.text).is_some()).unwrap_or(rest.len());
                let content = marker(raw(at)).map_or(raw(at), |item| item.content);
                match read {
                    Some(mark) => self.push(mark, at, content, rest[..own].iter().map(|line| raw(line.line))),
                    None if block.depth == 1 => self.without.push(at),
                    None => self.nested.push((at, one_line(content))),
                }
                self.lines(&rest[own..], raw);
            }
            Kind::Paragraph => self.lines(&block.lines, raw),
            Kind::Row { .. } => {
                let found =
                    block.lines.iter().find_map(|cell| mark(&cell.text).filter(|(_, rest)| rest.trim().is_empty()));
                if let Some((mark, _)) = found {
                    let others =
                        block.lines.iter().map(|cell| cell.text.trim()).filter(|cell| self::mark(cell).is_none());
                    let text = others.filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(" | ");
                    self.add(mark, block.line, &text, raw(block.line));
                }
            }
            // A list that is indented by four blanks is code to Markdown, and a list to whoever wrote it.
            Kind::Code if !is_fence(raw(block.line)) => {
                for line in &block.lines {
                    if let Some(item) = marker(raw(line.line))
                        && let Some((mark, _)) = mark(item.content)
                    {
                        self.push(mark, line.line, item.content, std::iter::empty());
                    }
                }
            }
            Kind::Heading(_) | Kind::Head | Kind::Code => {}
        }
    }

    /// Boxes without a list: each line that begins with one.
    fn lines<'r>(&mut self, lines: &[Line], raw: &dyn Fn(usize) -> &'r str) {
        for line in lines {
            if let Some((mark, _)) = mark(&line.text) {
                self.push(mark, line.line, raw(line.line).trim_start(), std::iter::empty());
            }
        }
    }

    fn push<'r>(&mut self, mark: Mark, line: usize, content: &'r str, more: impl Iterator<Item = &'r str>) {
        let text = self::mark(content).map_or(content, |(_, rest)| rest);
        let whole = std::iter::once(text).chain(more).collect::<Vec<_>>().join(" ");
        self.add(mark, line, &whole, content);
    }

    fn add(&mut self, mark: Mark, line: usize, text: &str, shown: &str) {
        let text = one_line(text);
        match mark {
            Mark::Unread => self.unread.push((line, one_line(shown))),
            // What a template left open is nothing to be done; whoever ticks it says something all the same.
            Mark::Open if holds_place(without_aside(&text)) => {}
            Mark::Ticked if text.is_empty() => {}
            _ => self.boxes.push(Checkbox { text, ticked: mark == Mark::Ticked, line }),
        }
    }
}

fn is_fence(line: &str) -> bool {
    let bare = line.trim_start_matches(['>', ' ', '-', '*', '+']);
    bare.starts_with("```") || bare.starts_with("~~~")
}

/// A text without what stands in brackets at its end: `{task} (priority: low)`.
fn without_aside(text: &str) -> &str {
    text.strip_suffix(')').and_then(|inside| inside.rfind('(')).map_or(text, |open| text[..open].trim_end())
}

/// The box at the start of a text, and what follows it.
fn mark(text: &str) -> Option<(Mark, &str)> {
    let text = text.trim_start();
    if let Some(inside) = text.strip_prefix('[') {
        let (inner, rest) = inside.split_once(']')?;
        // `[text](address)` and `[text][name]` are links.
        return Some((bracketed(inner)?, rest)).filter(|_| !rest.starts_with(['(', '[']));
    }
    if let Some((inner, rest)) = text.strip_prefix('(').and_then(|inside| inside.split_once(')')) {
        let is_box = matches!(inner.trim(), "" | "x" | "X" | "✓" | "✔" | "✅" | "?" | "-" | "*");
        return is_box.then_some((Mark::Unread, rest));
    }
    let sign = text.chars().next()?;
    let rest = text[sign.len_utf8()..].trim_start_matches(VARIATION);
    let signs = [(&TICKED_SIGNS[..], Mark::Ticked), (&OPEN_SIGNS[..], Mark::Open), (&OTHER_SIGNS[..], Mark::Unread)];
    signs.into_iter().find(|(signs, _)| signs.contains(&sign)).map(|(_, mark)| (mark, rest))
}

/// What the mark between square brackets says. References and tags are none: `[1]`, `[D014]`, `[high]`.
fn bracketed(inner: &str) -> Option<Mark> {
    let bare = inner.trim().trim_end_matches(VARIATION);
    let mut chars = bare.chars();
    match (chars.next(), chars.next()) {
        (None, _) => Some(Mark::Open),
        (Some(one), None) if TICKS.contains(&one) => Some(Mark::Ticked),
        (Some(one), None) => (!one.is_ascii_digit()).then_some(Mark::Unread),
        _ => BOX_WORDS.has_text(bare).then_some(Mark::Unread),
    }
}

/// A text with the first open box of one line ticked: the blank in `[ ]` becomes an `x`, and `[]` gets one. Nothing else
/// is changed.
pub(crate) fn tick(text: &str, line: usize) -> String {
    const MARKS: [(&str, &str); 3] = [("[ ]", "[x]"), ("[]", "[x]"), ("☐", "☑")];
    let mut out = String::with_capacity(text.len());
    for (i, whole) in text.split_inclusive('\n').enumerate() {
        let open = MARKS.iter().filter_map(|(open, ticked)| Some((whole.find(open)?, *open, *ticked)));
        match open.min_by_key(|(at, ..)| *at).filter(|_| i + 1 == line) {
            Some((at, open, ticked)) => out.extend([&whole[..at], ticked, &whole[at + open.len()..]]),
            None => out.push_str(whole),
        }
    }
    out
}
