//! Which supplied material a reference means.

use crate::plan::Material;
use std::ops::Range;

/// The most bytes of a line in which a reference is looked for.
const LINE_LIMIT_BYTES: usize = 400;

/// Whether a file's name without its ending is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stems {
    /// Every stem: the place leaves no doubt that a source is meant.
    All,
    /// Only a stem that is no word of the language: `rfc-6749`, not `notes`.
    Distinctive,
}

/// A reference that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reference {
    /// The materials that it can mean.
    pub(super) materials: Vec<usize>,
    /// Where it stands.
    pub(super) range: Range<usize>,
}

/// The names under which the supplied materials can be referred to.
pub(super) struct Sources(Vec<Spelling>);

struct Spelling {
    name: String,
    material: usize,
    /// Whether it is a stem that is also a word.
    is_word: bool,
}

impl Sources {
    pub(super) fn of(materials: &[Material]) -> Self {
        let mut spellings = Vec::new();
        for (material, one) in materials.iter().enumerate() {
            let name = one.name.trim();
            let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
            let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
            let is_word = stem.chars().all(char::is_alphabetic);
            for (spelling, is_word) in [(name, false), (file, false), (stem, is_word && stem != name)] {
                let known = |other: &Spelling| other.material == material && other.name == spelling;
                if !spelling.is_empty() && !spellings.iter().any(known) {
                    spellings.push(Spelling { name: spelling.to_owned(), material, is_word });
                }
            }
        }
        Self(spellings)
    }

    /// The materials that a ballot's `source` means.
    pub(super) fn meant(&self, source: &str) -> Vec<usize> {
        let decoration = |c: char| c.is_whitespace() || "`*_\"'“”‘’()[]<>".contains(c);
        let bare = source.trim_matches(decoration).trim_start_matches("./");
        self.whole(bare).or_else(|| self.mention(bare)).map(|found| found.materials).unwrap_or_default()
    }

    /// The reference that the text is, but for a line number after it.
    pub(super) fn whole(&self, text: &str) -> Option<Reference> {
        let found = self.starts(text, Stems::All)?;
        let rest = text[found.range.end..].to_lowercase();
        let mut rest = rest.trim();
        for word in [",", "line", "lines", "section", "page", "§", "#l", "#"] {
            rest = rest.trim_start_matches(word).trim_start();
        }
        rest.chars().all(|c| c.is_ascii_digit() || c.is_whitespace() || ":-–,.l".contains(c)).then_some(found)
    }

    /// The reference that the text begins with.
    pub(super) fn starts(&self, text: &str, stems: Stems) -> Option<Reference> {
        self.longest(stems, |name| {
            let is_it = text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
            (is_it && ends_name(&text[name.len()..])).then_some(0..name.len())
        })
    }

    /// The reference that the text ends with.
    pub(super) fn ends(&self, text: &str, stems: Stems) -> Option<Reference> {
        self.longest(stems, |name| {
            let start = text.len().checked_sub(name.len())?;
            let is_it = text.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(name));
            (is_it && begins_name(&text[..start])).then_some(start..text.len())
        })
    }

    /// The first reference in running text.
    pub(super) fn mention(&self, text: &str) -> Option<Reference> {
        let text = up_to(text, LINE_LIMIT_BYTES);
        text.char_indices().filter(|(at, _)| begins_name(&text[..*at])).find_map(|(at, _)| {
            let found = self.starts(&text[at..], Stems::Distinctive)?;
            Some(Reference { range: at + found.range.start..at + found.range.end, ..found })
        })
    }

    /// The longest of the names that the text has at its place, with all materials of that name.
    fn longest(&self, stems: Stems, place: impl Fn(&str) -> Option<Range<usize>>) -> Option<Reference> {
        let mut found: Option<Reference> = None;
        let usable = self.0.iter().filter(|spelling| stems == Stems::All || !spelling.is_word);
        for (spelling, range) in usable.filter_map(|spelling| Some((spelling, place(&spelling.name)?))) {
            match &mut found {
                Some(best) if best.range.len() > range.len() => {}
                Some(best) if best.range.len() == range.len() => best.materials.push(spelling.material),
                _ => found = Some(Reference { materials: vec![spelling.material], range }),
            }
        }
        found
    }
}

/// Whether a name may begin after this text.
fn begins_name(before: &str) -> bool {
    !before.chars().next_back().is_some_and(|c| c.is_alphanumeric() || "-_.".contains(c))
}

/// Whether a name has ended where this text begins: `spec.md` has not in `spec.md.bak`.
fn ends_name(after: &str) -> bool {
    let mut chars = after.chars();
    match chars.next() {
        Some('-' | '.') => !chars.next().is_some_and(char::is_alphanumeric),
        Some(c) => !c.is_alphanumeric() && c != '_',
        None => true,
    }
}

/// The text, or as many of its characters as fit into so many bytes.
pub(super) fn up_to(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// The end of the text, as many characters as fit into so many bytes.
pub(super) fn last_of(text: &str, bytes: usize) -> &str {
    let mut start = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}
