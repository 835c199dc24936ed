//! Lines, list items, tables and labels of a Markdown text, as far as they can be told without understanding it.
//!
//! Promises: what stands in a code fence or an HTML comment is never taken for structure; one pass, no panic on any text.
//!
//! Must never: judge what it finds (placeholders are values here), or change the words of an item.
//!
//! Pure; if the process dies here nothing is left.

use forge_debate::brief::plain;

/// One line of a text, without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'t> {
    /// Its number, counted from 1.
    pub number: usize,
    /// The byte at which it begins.
    pub start: usize,
    /// Its characters.
    pub text: &'t str,
    /// Whether it stands in a code fence or an HTML comment, or opens or closes one.
    pub hidden: bool,
    /// Whether what hides it is a comment.
    pub comment: bool,
    /// Whether it stands below a list item's first line and belongs to it.
    pub nested: bool,
}

/// The lines of a text, and what is still open where it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines<'t> {
    /// The lines, in order.
    pub all: Vec<Line<'t>>,
    /// What closes the fence or comment that hides whatever would follow; none where nothing is open.
    pub closing: Option<String>,
}

#[derive(Debug, Clone, Copy)]
enum Cover {
    Fence { mark: char, length: usize },
    Comment,
}

/// What hides lines, and the indent below which it ends with the list item that it stands in.
#[derive(Debug, Clone, Copy)]
struct Open {
    cover: Cover,
    container: usize,
}

/// Takes a text apart into lines.
pub fn lines(text: &str) -> Lines<'_> {
    let mut all = Vec::new();
    let mut open: Option<Open> = None;
    // The offset of the outermost list item's content; 0 outside lists.
    let mut container = 0;
    let mut after_blank = true;
    let mut start = 0;
    for (at, raw) in text.split('\n').enumerate() {
        let line = raw.strip_suffix('\r').unwrap_or(raw);
        let (blank, indent) = (line.trim().is_empty(), indent(line));
        if open.is_some_and(|open| !blank && indent < open.container) {
            open = None;
        }
        let mut cover = open.map(|open| open.cover);
        let nested = container > 0 && indent >= container && !blank;
        if let Some(open_since) = cover {
            let ends = match open_since {
                Cover::Fence { mark, length } => closes(line, mark, length),
                Cover::Comment => line.contains("-->"),
            };
            open = open.filter(|_| !ends);
        } else if !blank {
            let item = marker(line);
            let content = item.as_ref().map_or(line.trim(), |item| item.content.trim());
            let opened = opening(content);
            match &item {
                Some(item) if container == 0 || item.indent < container => container = item.offset,
                Some(_) => {}
                None if indent < container => {
                    let interrupts = after_blank || opened.is_some() || content.starts_with(['#', '|']);
                    container = if interrupts { 0 } else { container };
                }
                None => {}
            }
            cover = opened.filter(|_| container > 0 || indent < 4);
            let is_whole = matches!(cover, Some(Cover::Comment)) && content.contains("-->");
            open = cover.filter(|_| !is_whole).map(|cover| Open { cover, container });
        }
        after_blank = blank;
        let (hidden, comment) = (cover.is_some(), matches!(cover, Some(Cover::Comment)));
        all.push(Line { number: at + 1, start, text: line, hidden, comment, nested });
        start += raw.len() + 1;
    }
    let closing = open.filter(|open| open.container == 0).map(|open| match open.cover {
        Cover::Fence { mark, length } => mark.to_string().repeat(length),
        Cover::Comment => "-->".to_owned(),
    });
    Lines { all, closing }
}

fn opening(content: &str) -> Option<Cover> {
    if content.starts_with("<!--") {
        return Some(Cover::Comment);
    }
    let mark = content.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = content.chars().take_while(|c| *c == mark).count();
    let fence = length >= 3 && !(mark == '`' && content[length..].contains('`'));
    fence.then_some(Cover::Fence { mark, length })
}

fn closes(line: &str, mark: char, length: usize) -> bool {
    let bare = line.trim();
    bare.chars().all(|c| c == mark) && bare.chars().count() >= length
}

/// A text without its comments; what looks like one in code is code.
pub fn without_comments(text: &str) -> String {
    let mut shown = Vec::new();
    let mut inside = false;
    for line in lines(text).all {
        inside &= line.comment;
        if line.hidden && !line.comment {
            shown.push(line.text.to_owned());
            continue;
        }
        let (mut kept, mut rest) = (String::new(), line.text);
        while let Some((before, after)) = rest.split_once(if inside { "-->" } else { "<!--" }) {
            // A mark in the middle of a line hides nothing unless the line closes it.
            if !inside && !line.comment && !after.contains("-->") {
                break;
            }
            kept.push_str(if inside { "" } else { before });
            (rest, inside) = (after, !inside);
        }
        kept.push_str(if inside { "" } else { rest });
        shown.push(kept);
    }
    shown.join("\n")
}

/// How far a line is indented, a tab being as wide as it is to the next stop of four.
pub fn indent(line: &str) -> usize {
    let mut columns = 0;
    for c in line.chars() {
        match c {
            ' ' => columns += 1,
            '\t' => columns += 4 - columns % 4,
            _ => break,
        }
    }
    columns
}

/// A line without its first `columns` of indent; a tab that reaches into them goes whole.
pub fn dedent(line: &str, columns: usize) -> &str {
    let mut taken = 0;
    let mut rest = line;
    while taken < columns {
        if let Some(after) = rest.strip_prefix(' ') {
            (rest, taken) = (after, taken + 1);
        } else if let Some(after) = rest.strip_prefix('\t') {
            (rest, taken) = (after, taken + 4);
        } else {
            break;
        }
    }
    rest
}

/// A list item's first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marker<'t> {
    /// Where its mark stands.
    pub indent: usize,
    /// Where its content stands.
    pub offset: usize,
    /// What follows the mark.
    pub content: &'t str,
}

/// Reads `- item`, `* item`, `+ item`, `1. item` or `1) item`.
pub fn marker(line: &str) -> Option<Marker<'_>> {
    let bare = line.trim_start_matches([' ', '\t']);
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let width = match digits {
        0 if bare.starts_with(['-', '*', '+']) => 1,
        1..=9 if bare[digits..].starts_with(['.', ')']) => digits + 1,
        _ => return None,
    };
    let content = &bare[width..];
    let spaced = content.is_empty() || content.starts_with([' ', '\t']);
    let indent = indent(line);
    spaced.then(|| Marker { indent, offset: indent + width + 1, content: content.trim_start_matches([' ', '\t']) })
}

/// The level and the text of a heading written with `#`.
pub fn heading(line: &str) -> Option<(usize, String)> {
    let bare = line.trim_start_matches(' ');
    let level = bare.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &bare[level..];
    let is_heading = (1..=6).contains(&level) && indent(line) < 4 && (rest.is_empty() || rest.starts_with([' ', '\t']));
    is_heading.then(|| (level, unclosed(rest.trim())))
}

/// A heading's text without its closing marks. Marks that belong to the text have a `\` before them.
fn unclosed(text: &str) -> String {
    let before = text.trim_end_matches('#');
    let marks = &text[before.len()..];
    match before.strip_suffix('\\').filter(|_| !marks.is_empty()) {
        Some(before) => format!("{before}{marks}"),
        None if before.is_empty() || before.ends_with([' ', '\t']) => before.trim_end().to_owned(),
        None => text.to_owned(),
    }
}

/// A text as a heading's, from which [`heading`] reads it back.
pub fn heading_text(text: &str) -> String {
    let before = text.trim_end_matches('#');
    let mistakable = before.is_empty() || before.ends_with([' ', '\t', '\\']);
    if before.len() < text.len() && mistakable {
        format!("{before}\\{}", &text[before.len()..])
    } else {
        text.to_owned()
    }
}

/// Whether a line is a rule across the page.
pub fn is_rule_line(line: &str) -> bool {
    let marks: String = line.split_whitespace().collect();
    let alike = |mark: char| marks.chars().all(|c| c == mark);
    indent(line) < 4 && marks.len() >= 3 && (alike('-') || alike('*') || alike('_'))
}

/// The list items that stand furthest left, each with everything that belongs to it, word for word.
pub fn blocks(body: &str) -> Vec<String> {
    blocks_at(body).into_iter().map(|(_, block)| block).collect()
}

/// The same with the line on which each begins, counted from 1.
pub fn blocks_at(body: &str) -> Vec<(usize, String)> {
    let lines = lines(body).all;
    // A line may hide itself by opening a fence, and begin an item all the same.
    let starts = |line: &Line<'_>| {
        let item = marker(line.text);
        item.map(|item| (item.indent, item.offset, opening(item.content).is_some() || !line.hidden))
            .filter(|(.., visible)| *visible)
            .map(|(indent, offset, _)| (indent, offset))
    };
    let Some(outermost) = lines.iter().filter_map(starts).map(|(indent, _)| indent).min() else { return Vec::new() };
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut columns: Option<usize> = None;
    let mut after_blank = false;
    for line in &lines {
        let blank = line.text.trim().is_empty();
        if let Some((_, offset)) = starts(line).filter(|(indent, _)| *indent <= outermost) {
            columns = Some(offset);
            found.push((line.number, marker(line.text).map_or("", |item| item.content).to_owned()));
        } else if let (Some(offset), Some((_, last))) = (columns, found.last_mut()) {
            let inside = blank || indent(line.text) > outermost;
            let lazy = !after_blank && !line.hidden && heading(line.text).is_none();
            if inside || lazy {
                last.push('\n');
                last.push_str(dedent(line.text, offset));
            } else {
                columns = None;
            }
        }
        after_blank = blank;
    }
    let kept = found.into_iter().map(|(line, block)| (line, tidy(&block)));
    kept.filter(|(_, block)| !block.is_empty()).collect()
}

/// A list item: what it says, and what is listed below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its first paragraph, in one line.
    pub text: String,
    /// Lines `Key: value` below it.
    pub labels: Vec<(String, String)>,
    /// Everything else below it.
    pub rest: String,
}

impl Item {
    /// Takes one of [`blocks`] apart.
    pub fn of(block: &str) -> Item {
        let mut item = Item { text: String::new(), labels: Vec::new(), rest: String::new() };
        let mut text: Vec<&str> = Vec::new();
        let mut below = false;
        for line in block.lines() {
            let listed = marker(line);
            below |= !text.is_empty() && (line.trim().is_empty() || listed.is_some());
            if !below {
                text.push(line);
                continue;
            }
            match listed.map_or_else(|| bold_label(line), |item| label(item.content)) {
                Some((key, value)) => item.labels.push((key, value)),
                None => match item.labels.last_mut().filter(|_| listed.is_none() && !line.trim().is_empty()) {
                    Some((_, value)) => *value = one_line(&format!("{value} {line}")),
                    None => item.rest.push_str(&format!("{line}\n")),
                },
            }
        }
        item.text = one_line(&text.join(" "));
        item.rest = tidy(&item.rest);
        item
    }
}

/// The longest key of a label, in characters: what is longer is a sentence with a colon.
const KEY_LIMIT_CHARS: usize = 40;
const COLONS: [char; 2] = [':', '：'];

/// Reads `Key: value`, `**Key:** value` or `**Key**: value`; the key as [`key`] makes it, the value as it stands.
pub fn label(text: &str) -> Option<(String, String)> {
    bold_label(text).or_else(|| {
        let (name, value) = text.trim().split_once(COLONS)?;
        let spaced =
            value.is_empty() || value.starts_with(char::is_whitespace) || text.trim()[name.len()..].starts_with('：');
        pair(name, value).filter(|_| spaced && !name.contains(['`', '|', '<']))
    })
}

/// Reads `**Key:** value` or `**Key**: value`.
pub fn bold_label(text: &str) -> Option<(String, String)> {
    let (name, value) = text.trim().strip_prefix("**")?.split_once("**")?;
    match (name.trim_end().strip_suffix(COLONS), value.trim_start().strip_prefix(COLONS)) {
        (Some(name), _) => pair(name, value),
        (None, Some(value)) => pair(name, value),
        (None, None) => None,
    }
}

fn pair(name: &str, value: &str) -> Option<(String, String)> {
    let key = key(name);
    let is_key = !key.is_empty() && key.chars().count() <= KEY_LIMIT_CHARS && !name.contains(". ");
    is_key.then(|| (key, value.trim().to_owned()))
}

/// The comparable form of a key or a column's head: `**Kill-Switch**` and `kill switch` are one.
pub fn key(name: &str) -> String {
    let spaced = name.replace(['-', '_'], " ").replace(['*', '`'], "");
    one_line(&spaced).trim_matches([':', '：', '?', ' ']).to_lowercase()
}

/// A table with the lines that it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The columns, as [`key`] makes them.
    pub header: Vec<String>,
    /// The rows: the index of the line, and the cells.
    pub rows: Vec<(usize, Vec<String>)>,
    /// The index of the line after it.
    pub end: usize,
}

/// The table whose header is the line of that index.
pub fn table_at(lines: &[Line<'_>], at: usize) -> Option<Table> {
    let (head, rule) = (lines.get(at)?, lines.get(at + 1)?);
    let is_other =
        |text: &str| !text.trim_start().starts_with('|') && (marker(text).is_some() || text.starts_with('>'));
    let is_row =
        |line: &Line<'_>| !line.hidden && line.text.contains('|') && indent(line.text) < 4 && !is_other(line.text);
    if !is_row(head) || !is_row(rule) || !is_rule(rule.text) {
        return None;
    }
    let (mut rows, mut end) = (Vec::new(), at + 2);
    while let Some(next) = lines.get(end) {
        if is_row(next) && heading(next.text).is_none() {
            rows.push((end, cells(next.text)));
            end += 1;
            continue;
        }
        // A row that somebody adds after an empty line is one of the table above it, unless it heads another.
        let blank = lines[end..].iter().take_while(|line| !line.hidden && line.text.trim().is_empty()).count();
        let apart = lines.get(end + blank).filter(|line| blank > 0 && is_row(line) && line.text.starts_with('|'));
        let heads_another = lines.get(end + blank + 1).is_some_and(|line| is_rule(line.text));
        if apart.is_none() || heads_another {
            break;
        }
        end += blank;
    }
    Some(Table { header: cells(head.text).iter().map(|cell| key(cell)).collect(), rows, end })
}

fn is_rule(line: &str) -> bool {
    line.contains('-') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

/// The cells of a row, as they were before they were written into it.
pub fn cells(row: &str) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let mut all = vec![String::new()];
    let mut rest = row;
    while let Some(c) = rest.chars().next() {
        let broken = line_break(rest);
        let escaped = rest.get(1..2).filter(|next| c == '\\' && matches!(*next, "\\" | "|" | "<" | "["));
        let (piece, length) = match (escaped, broken) {
            (Some(next), _) => (next, 2),
            (None, Some(length)) => ("\n", length),
            (None, None) => (&rest[..c.len_utf8()], c.len_utf8()),
        };
        if c == '|' {
            all.push(String::new());
        } else if let Some(cell) = all.last_mut() {
            cell.push_str(piece);
        }
        rest = &rest[length..];
    }
    if all.len() > 1 && all.last().is_some_and(|cell| cell.trim().is_empty()) {
        all.pop();
    }
    all.into_iter().map(|cell| cell.trim().to_owned()).collect()
}

/// A text as a cell of one line, from which [`cells`] reads it back.
pub fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        match c {
            '\\' if rest[1..].chars().next().is_none_or(|next| matches!(next, '\\' | '|' | '<' | '[' | '\n')) => {
                out.push_str("\\\\");
            }
            '|' => out.push_str("\\|"),
            '<' | '[' if line_break(rest).is_some() || opens_markup(text, rest) => out.extend(['\\', c]),
            '\n' => out.push_str("<br>"),
            c => out.push(c),
        }
    }
    out
}

/// Whether a viewer could take this for the beginning of a tag, a link or a picture.
fn opens_markup(text: &str, rest: &str) -> bool {
    match rest.as_bytes() {
        [b'<', next, ..] => next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?'),
        [b'[', ..] => ["](", "][", "]:", "!["].iter().any(|mark| text.contains(mark)),
        _ => false,
    }
}

/// Somebody's words as Markdown in which nothing is a tag, a link, a picture or a fence; [`spoken`] reads them back.
pub fn inert(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_line_start = true;
    for (at, c) in text.char_indices() {
        let rest = &text[at..];
        let is_fence = is_line_start && (rest.starts_with("```") || rest.starts_with("~~~"));
        let is_escape = c == '\\' && rest[1..].chars().next().is_none_or(is_escaped);
        if is_fence || is_escape || opens_markup(text, rest) {
            out.push('\\');
        }
        out.push(c);
        is_line_start = c == '\n' || is_line_start && matches!(c, ' ' | '\t' | '>' | '-' | '*' | '+');
    }
    out
}

/// Words that [`inert`] wrote, as they were.
pub fn spoken(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(next) if c == '\\' && is_escaped(*next) => out.extend(chars.next()),
            _ => out.push(c),
        }
    }
    out
}

fn is_escaped(c: char) -> bool {
    matches!(c, '<' | '[' | '`' | '~' | '\\')
}

/// The bytes of a `<br>` at the start of a text.
fn line_break(text: &str) -> Option<usize> {
    let inside = text.get(..3).filter(|start| start.eq_ignore_ascii_case("<br")).map(|_| &text[3..])?;
    let bare = inside.trim_start_matches(' ');
    let bare = bare.strip_prefix('/').unwrap_or(bare);
    bare.strip_prefix('>').map(|rest| text.len() - rest.len())
}

/// A text as it is kept: without hidden characters, blanks at the ends of lines, and empty lines around it.
pub fn tidy(text: &str) -> String {
    let ended = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<String> = ended.split('\n').map(|line| plain(line).trim_end().to_owned()).collect();
    lines.join("\n").trim().to_owned()
}

/// A text in one line.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().map(plain).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
