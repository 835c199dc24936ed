//! One line of an ignore file, and which paths it fits. Bytes, since names are.

use std::collections::HashSet;

/// A rule.
#[derive(Debug)]
pub(super) struct Pattern {
    text: Vec<u8>,
    /// It begins with `!`: what it fits is taken in again.
    pub(super) takes_in: bool,
    /// It ends with `/`.
    folders_only: bool,
    /// It has no other `/`, so it fits in any folder below.
    name_only: bool,
}

impl Pattern {
    /// The rule of a line, if there is one.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let line = line.split(|c| *c == 0).next().unwrap_or_default();
        let line = without_blanks(line.strip_suffix(b"\r").unwrap_or(line));
        if line.is_empty() || line.starts_with(b"#") {
            return None;
        }
        let (takes_in, text) = line.strip_prefix(b"!").map_or((false, line), |rest| (true, rest));
        let (folders_only, text) = text.strip_suffix(b"/").map_or((false, text), |rest| (true, rest));
        let name_only = !text.contains(&b'/');
        let text = text.strip_prefix(b"/").unwrap_or(text).to_owned();
        Some(Self { text, takes_in, folders_only, name_only })
    }

    /// Whether it fits a path, given from the folder of its file.
    pub(super) fn fits(&self, path: &[u8], is_folder: bool, folds: bool) -> bool {
        if self.folders_only && !is_folder {
            return false;
        }
        let name = path.rsplit(|c| *c == b'/').next().unwrap_or(path);
        let text = if self.name_only { name } else { path };
        // Some versions of git compare what stands before the first wildcard by itself, so that `**` after it counts as one
        // at the beginning. What one of them leaves out is left out.
        let plain = self.text.iter().take_while(|c| !b"*?[\\".contains(c)).count();
        let begins = if self.takes_in || self.name_only { 0 } else { plain };
        Glob { pattern: &self.text, text, folds, begins, failed: HashSet::new() }.fits(0, 0)
    }
}

/// A line without the blanks at its end; one behind a backslash stays.
fn without_blanks(line: &[u8]) -> &[u8] {
    let mut end = 0;
    let mut at = 0;
    while at < line.len() {
        match line[at] {
            b' ' => at += 1,
            b'\\' => {
                at = (at + 2).min(line.len());
                end = at;
            }
            _ => {
                at += 1;
                end = at;
            }
        }
    }
    &line[..end]
}

struct Glob<'g> {
    pattern: &'g [u8],
    text: &'g [u8],
    folds: bool,
    /// Where a `**` counts as one at the beginning.
    begins: usize,
    /// Places from which it was tried in vain, so that no pattern takes long.
    failed: HashSet<(usize, usize)>,
}

impl Glob<'_> {
    /// Whether the pattern from here fits the text from here.
    fn fits(&mut self, mut p: usize, mut t: usize) -> bool {
        while let Some(&c) = self.pattern.get(p) {
            if c == b'*' {
                return self.star_fits(p, t);
            }
            let Some(&there) = self.text.get(t) else { return false };
            p = match c {
                b'?' if there != b'/' => p + 1,
                b'?' => return false,
                b'[' => match self.set_fits(p + 1, there) {
                    Some((true, after)) if there != b'/' => after,
                    _ => return false,
                },
                b'\\' => match self.pattern.get(p + 1) {
                    Some(&same) if self.folded(same) == self.folded(there) => p + 2,
                    _ => return false,
                },
                _ if self.folded(c) == self.folded(there) => p + 1,
                _ => return false,
            };
            t += 1;
        }
        t == self.text.len()
    }

    /// A `*` stays in its folder; a `**` between slashes does not.
    fn star_fits(&mut self, p: usize, t: usize) -> bool {
        if !self.failed.insert((p, t)) {
            return false;
        }
        let stars = self.pattern[p..].iter().take_while(|c| **c == b'*').count();
        let after = p + stars;
        let begins = p == 0 || p == self.begins || self.pattern[p - 1] == b'/';
        let next = &self.pattern[after..];
        let is_deep = stars > 1 && begins && (next.is_empty() || next.starts_with(b"/") || next.starts_with(b"\\/"));
        if is_deep && next.starts_with(b"/") && self.fits(after + 1, t) {
            return true;
        }
        for at in t..=self.text.len() {
            if self.fits(after, at) {
                return true;
            }
            if !is_deep && self.text.get(at) == Some(&b'/') {
                return false;
            }
        }
        false
    }

    /// Whether a set of characters has this one, and where the set ends. Nothing for a set that makes no sense.
    fn set_fits(&self, mut p: usize, there: u8) -> Option<(bool, usize)> {
        let inverted = matches!(self.pattern.get(p), Some(b'!' | b'^'));
        p += usize::from(inverted);
        let (first, mut has) = (p, false);
        let other = if there.is_ascii_lowercase() { there.to_ascii_uppercase() } else { there.to_ascii_lowercase() };
        let either = |test: &dyn Fn(u8) -> bool| test(there) || (self.folds && test(other));
        loop {
            let mut c = *self.pattern.get(p)?;
            if c == b']' && p > first {
                return Some((has != inverted, p + 1));
            }
            if c == b'[' && self.pattern.get(p + 1) == Some(&b':') {
                let rest = &self.pattern[p + 2..];
                let end = rest.iter().position(|c| *c == b']')?;
                if let Some(name) = rest[..end].strip_suffix(b":") {
                    let is_in = class(name)?;
                    has |= either(&|c| is_in(&c));
                    p += 2 + end + 1;
                    continue;
                }
            }
            if c == b'\\' {
                p += 1;
                c = *self.pattern.get(p)?;
            }
            p += 1;
            let is_range = self.pattern.get(p) == Some(&b'-') && self.pattern.get(p + 1).is_some_and(|c| *c != b']');
            if !is_range {
                has |= either(&|there| there == c);
                continue;
            }
            p += 1;
            if self.pattern[p] == b'\\' {
                p += 1;
            }
            let last = *self.pattern.get(p)?;
            has |= either(&|there| (c..=last).contains(&there));
            p += 1;
        }
    }

    fn folded(&self, c: u8) -> u8 {
        if self.folds { c.to_ascii_lowercase() } else { c }
    }
}

/// The characters of a class by its name.
fn class(name: &[u8]) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |c| matches!(c, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |c| matches!(c, b' '..=b'~'),
        b"punct" => u8::is_ascii_punctuation,
        b"space" => |c| matches!(c, b' ' | 9..=13),
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}
