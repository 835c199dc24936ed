//! Characters that nobody sees, and sequences that steer a terminal.

use std::borrow::Cow;

/// What a character reads as: nothing where nobody sees it, the plain letter for its full-width form, else itself.
pub fn folded(c: char) -> Option<char> {
    match c {
        '\n' | '\r' | '\t' => Some(c),
        _ if is_unseen(c) => None,
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0),
        _ => Some(c),
    }
}

/// Whether a character takes no room on a line: control characters, marks of direction, and whatever Unicode says may be
/// ignored in display. Line feed and tab are none of them.
pub fn is_unseen(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control() && c != '\n' && c != '\t';
    }
    matches!(c,
        '\u{80}'..='\u{9F}' | '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
        | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// A text without such characters. What shapes a picture stays: the selector after `⚠`, and what joins two pictures into one.
pub fn without_unseen(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let shapes = match c {
            '\u{FE0E}' | '\u{FE0F}' => out.chars().next_back().is_some_and(is_picture),
            '\u{200D}' => {
                let mut before = out.chars().rev().skip_while(|c| matches!(c, '\u{FE0E}' | '\u{FE0F}'));
                before.next().is_some_and(is_picture)
            }
            _ => false,
        };
        if shapes || !is_unseen(c) {
            out.push(c);
        }
    }
    out
}

/// Whether a character is a symbol or pictograph, which may have a selector.
fn is_picture(c: char) -> bool {
    matches!(c, '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{2BFF}'
        | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}' | '\u{1F000}'..='\u{1FAFF}')
}

/// The text with every such character written out, so that a reader sees it: `\u{202e}`.
pub fn written_out(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        if is_unseen(c) || matches!(c, '\n' | '\t') {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
        out
    })
}

/// A text without terminal escape sequences. Lines stay as many as they were.
pub fn strip_ansi(text: &str) -> Cow<'_, str> {
    const ESCAPE: char = '\u{1B}';
    const CSI: char = '\u{9B}';
    if !text.contains([ESCAPE, CSI]) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find([ESCAPE, CSI]) {
        out.push_str(&rest[..at]);
        rest = &rest[at + escape_length(&rest[at..])..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The bytes of the escape sequence with which a text begins; at least its first character.
pub fn escape_length(text: &str) -> usize {
    let mut chars = text.chars();
    match chars.next() {
        Some(c @ '\u{9B}') => c.len_utf8() + control_length(chars.as_str()),
        Some(c) => c.len_utf8() + after_escape(chars.as_str()),
        None => 0,
    }
}

/// The bytes of an escape sequence after its escape character.
fn after_escape(text: &str) -> usize {
    match text.chars().next() {
        Some('[') => 1 + control_length(&text[1..]),
        // Titles, links and the like run up to a bell or `ESC \`; one that is not ended on its line is no such thing.
        Some(']' | 'P' | 'X' | '^' | '_') => match text.find(['\u{7}', '\u{1B}', '\n']) {
            Some(at) if text[at..].starts_with('\u{7}') => at + 1,
            Some(at) if text[at..].starts_with("\u{1B}\\") => at + 2,
            _ => 1,
        },
        Some(c @ ' '..='/') => {
            c.len_utf8() + text[1..].chars().next().filter(|c| ('0'..='~').contains(c)).map_or(0, char::len_utf8)
        }
        Some(c @ '0'..='~') => c.len_utf8(),
        _ => 0,
    }
}

/// The bytes of a control sequence after its introducer: parameters and one final letter.
fn control_length(text: &str) -> usize {
    let parameters = text.bytes().take_while(|byte| (0x20..=0x3F).contains(byte)).count();
    let closed = text.as_bytes().get(parameters).is_some_and(|byte| (0x40..=0x7E).contains(byte));
    parameters + usize::from(closed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_keep_their_shape_and_letters_hide_nothing() {
        for (text, shown) in [
            ("\u{26A0}\u{FE0F} disagreed", "\u{26A0}\u{FE0F} disagreed"),
            ("\u{1F468}\u{200D}\u{1F469}", "\u{1F468}\u{200D}\u{1F469}"),
            ("\u{26A0}\u{FE0F}\u{FE0F}\u{FE0F}", "\u{26A0}\u{FE0F}"),
            ("a\u{FE0F}b\u{200D}c\u{E0041}\u{202E}d\t\u{7}", "abcd\t"),
        ] {
            assert_eq!(without_unseen(text), shown);
        }
    }
}
