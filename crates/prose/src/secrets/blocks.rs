//! Private keys in blocks: where one begins, how far it reaches, and what only mentions one.
//!
//! Promises: a heading, a fence or the rest of a sentence is no part of a key; every line is looked at once.

use super::run;

/// How a block's first and last line begin and end, besides its label.
pub(super) const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// How the label of a private key ends.
const KINDS: [&str; 2] = ["PRIVATE KEY", "PRIVATE KEY BLOCK"];
/// The longest label, in bytes.
const LABEL_LIMIT: usize = 64;
/// The longest quoting before a block's lines, in bytes.
const QUOTING_LIMIT: usize = 32;
/// The longest private key with what is written around its lines, in bytes.
const BLOCK_LIMIT: usize = 64 * 1024;
/// How the lines begin that may stand above a private key.
const HEADERS: &[&str] = &["Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Charset:", "Hash:"];
/// A key's first line has at least this many characters; what has fewer is a word after a mention.
const LEAST: usize = 16;
/// So many of them are a key also where something else stands around them.
const SURELY: usize = 40;

/// The private key whose first dashes stand here. One without its end goes as far as its lines look like one; of a mere
/// mention only the marker goes.
pub(super) fn block(text: &str, at: usize, closings: &mut Closings) -> Option<(usize, usize)> {
    let named = at + marker(&text[at..], BEGIN)?;
    let closed = closings.after(text, named).filter(|closed| is_on_lines(&text[named..*closed]));
    Some((at, closed.unwrap_or_else(|| end(text, at, named))))
}

/// Whether a first and a last line have lines of their own between them: then all of it is the key, whatever is written
/// around its parts. On one line they may be a mention; and what gives a text its form, a heading or a fence, is no key.
fn is_on_lines(between: &str) -> bool {
    let is_form = |line: &str| {
        let words = line.trim_start_matches('#');
        let is_heading = words.len() < line.len() && words.starts_with(' ') && longest_run(words) < LEAST;
        is_heading || line.starts_with("```") || line.starts_with("~~~")
    };
    between.len() <= BLOCK_LIMIT && between.lines().nth(2).is_some() && !between.lines().skip(1).any(is_form)
}

/// Where the markers end that close private keys, asked for places in ascending order: each is looked for once.
#[derive(Default)]
pub(super) struct Closings {
    /// From where on was looked, and what was found: where the marker begins and ends.
    looked: Option<(usize, Option<(usize, usize)>)>,
}

impl Closings {
    pub(super) fn after(&mut self, text: &str, from: usize) -> Option<usize> {
        let is_known = |(looked, found): &(usize, Option<(usize, usize)>)| {
            *looked <= from && found.is_none_or(|(begin, _)| from <= begin)
        };
        if !self.looked.as_ref().is_some_and(is_known) {
            let mut markers = text[from..].match_indices(END).map(|(at, _)| from + at);
            let found = markers.find_map(|at| Some((at, at + marker(&text[at..], END)?)));
            self.looked = Some((from, found));
        }
        self.looked.and_then(|(_, found)| found).map(|(_, end)| end)
    }
}

/// The furthest place that what was blotted out from here may reach to, if a private key begins here: its marker, what
/// follows on its line, and the lines of a block.
pub(super) fn furthest(text: &str, at: usize, closings: &mut Closings) -> Option<usize> {
    let named = at + marker(text.get(at..)?, BEGIN)?;
    if let Some(closed) = closings.after(text, named).filter(|closed| is_on_lines(&text[named..*closed])) {
        return Some(closed);
    }
    let stop = region_end(text.as_bytes(), named);
    if let Some(length) = marker(&text[stop..], END) {
        return Some(stop + length);
    }
    if text[stop..].starts_with(DASHES) {
        return Some(stop);
    }
    let lines = Lines::after(text, stop, quoting(text, at));
    Some(lines.closed.or(lines.open).unwrap_or(stop))
}

/// How the line is quoted on which this place is; nothing if something else stands before it.
pub(super) fn quoting(text: &str, at: usize) -> Option<&str> {
    let is_quoting = |byte: &u8| matches!(byte, b'>' | b'|' | b'#' | b'*' | b'+' | b'-' | b'/' | b';' | b' ' | b'\t');
    let before = text.as_bytes()[..at].iter().rev().take(QUOTING_LIMIT).take_while(|byte| is_quoting(byte)).count();
    let from = at - before;
    (from == 0 || text.as_bytes()[from - 1] == b'\n').then(|| text[from..at].trim())
}

/// How long the marker is with which a text begins.
fn marker(text: &str, beginning: &str) -> Option<usize> {
    let rest = text.strip_prefix(beginning)?;
    let window = rest.as_bytes().get(..LABEL_LIMIT).unwrap_or(rest.as_bytes());
    let length = run(window, 0, |byte| byte.is_ascii_alphanumeric() || byte == b' ');
    let is_private = KINDS.iter().any(|kind| rest[..length].ends_with(kind)) && rest[length..].starts_with(DASHES);
    is_private.then_some(beginning.len() + length + DASHES.len())
}

/// Where the line ends, or the next dashes stand.
fn region_end(bytes: &[u8], from: usize) -> usize {
    let rest = &bytes[from..];
    let ends = |at: &usize| rest[*at] == b'\n' || rest[*at..].starts_with(DASHES.as_bytes());
    (0..rest.len()).find(ends).map_or(bytes.len(), |at| from + at)
}

/// Where what is to go ends, of the block or the mention whose marker is this.
fn end(text: &str, at: usize, named: usize) -> usize {
    let stop = region_end(text.as_bytes(), named);
    let region = &text[named..stop];
    // On one line: in JSON, where line breaks are written otherwise, or in a variable.
    if let Some(length) = marker(&text[stop..], END) {
        let is_key = is_code(&region.replace([' ', '\t', '\r'], "")) || longest_run(region) >= SURELY;
        return if is_key { stop + length } else { named };
    }
    let (cut, longest) = code(region);
    let inline = if longest >= LEAST { named + cut } else { named };
    if text[stop..].starts_with(DASHES) {
        return inline;
    }
    let lines = Lines::after(text, stop, quoting(text, at));
    let first = lines.first.unwrap_or(0);
    let is_alone = region[cut..].trim().is_empty();
    match (lines.closed, lines.open) {
        (Some(closed), _) if is_alone || first >= LEAST => closed,
        (_, Some(open)) if first >= SURELY || (is_alone && first >= LEAST) => open,
        _ => inline,
    }
}

/// The lines after a block's first one, as far as they may belong to it.
#[derive(Default)]
struct Lines {
    /// How long the first line of the key itself is.
    first: Option<usize>,
    /// Where the marker of its end ends.
    closed: Option<usize>,
    /// Where the last line ends that must be of the key, if its end is not marked. Line breaks after it stay: a fence must
    /// begin a line.
    open: Option<usize>,
}

impl Lines {
    fn after(text: &str, stop: usize, quoting: Option<&str>) -> Self {
        let mut lines = Self::default();
        let mut at = text.len().min(stop + 1);
        let mut touches = true;
        for line in text[at..].split_inclusive('\n') {
            let whole = line.trim();
            let bare = whole.strip_prefix(quoting.unwrap_or_default()).unwrap_or(whole).trim_start();
            if let Some(length) = marker(bare, END).or_else(|| marker(whole, END)) {
                lines.closed = line.find(END).map(|from| at + from + length);
                break;
            }
            if bare.is_empty() {
                touches = false;
            } else if bare.bytes().all(is_base64) {
                lines.first.get_or_insert(bare.len());
                // A word on its own after an empty line is a word.
                if touches || bare.len() >= LEAST {
                    lines.open = Some(at + line.trim_end().len());
                    touches = true;
                }
            } else if !is_header(bare) {
                break;
            }
            at += line.len();
        }
        lines
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

fn is_header(line: &str) -> bool {
    HEADERS.iter().any(|header| line.starts_with(header)) && !line.contains(DASHES)
}

/// Whether a text is nothing but a key's lines, with their breaks written as in JSON.
fn is_code(text: &str) -> bool {
    code(text).0 == text.len()
}

/// How much of a text is a key's lines with their breaks written as in JSON, and how long the longest of them is.
fn code(text: &str) -> (usize, usize) {
    let bytes = text.as_bytes();
    let (mut at, mut longest) = (0, 0);
    while at < bytes.len() {
        let rest = &text[at..];
        let escaped = run(bytes, at, |byte| byte == b'\\');
        let next = if is_header(rest.split(['\\', '"']).next().unwrap_or_default()) {
            run(bytes, at, |byte| !matches!(byte, b'\\' | b'"'))
        } else if escaped > at && matches!(bytes.get(escaped), Some(b'n' | b'r')) {
            escaped + 1
        } else {
            let end = run(bytes, at, is_base64);
            longest = longest.max(end - at);
            end
        };
        if next == at {
            break;
        }
        at = next;
    }
    (at, longest)
}

/// The longest run of a key's characters.
fn longest_run(text: &str) -> usize {
    text.split(|c: char| !u8::try_from(c).is_ok_and(is_base64)).map(str::len).max().unwrap_or(0)
}
