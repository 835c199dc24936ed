//! Which supplied material a quote's `source` means.

use crate::model::plan::Material;

/// The most bytes of a ballot's `source` in which a name is looked for.
const SOURCE_LIMIT_BYTES: usize = 400;

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

    /// The materials that a ballot's `source` means; none if it means no supplied one.
    pub(super) fn meant(&self, source: &str) -> Vec<usize> {
        let decoration = |c: char| c.is_whitespace() || "`*_\"'“”‘’()[]<>".contains(c);
        let bare = source.trim_matches(decoration).trim_start_matches("./");
        self.whole(bare).or_else(|| self.mention(bare)).unwrap_or_default()
    }

    /// What the text names, if it is a name and at most a line number after it.
    fn whole(&self, text: &str) -> Option<Vec<usize>> {
        let (found, end) = self.starts(text, |_| true)?;
        let rest = text[end..].to_lowercase();
        let mut rest = rest.trim();
        for word in [",", "line", "lines", "section", "page", "§", "#l", "#"] {
            rest = rest.trim_start_matches(word).trim_start();
        }
        rest.chars().all(|c| c.is_ascii_digit() || c.is_whitespace() || ":-–,.l".contains(c)).then_some(found)
    }

    /// What the text names first. A stem counts only if it is no word of the language: `rfc-6749`, not `notes`.
    fn mention(&self, text: &str) -> Option<Vec<usize>> {
        let text = up_to(text, SOURCE_LIMIT_BYTES);
        let mut places = text.char_indices().map(|(at, _)| at).filter(|at| begins_name(&text[..*at]));
        places.find_map(|at| self.starts(&text[at..], |spelling| !spelling.is_word)).map(|(found, _)| found)
    }

    /// The longest of these names that the text begins with: all materials of that name, and where it ends.
    fn starts(&self, text: &str, is_usable: impl Fn(&Spelling) -> bool) -> Option<(Vec<usize>, usize)> {
        let begins = |name: &str| {
            let is_it = text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
            is_it && ends_name(&text[name.len()..])
        };
        let named: Vec<&Spelling> = self.0.iter().filter(|one| is_usable(one) && begins(&one.name)).collect();
        let end = named.iter().map(|one| one.name.len()).max()?;
        Some((named.iter().filter(|one| one.name.len() == end).map(|one| one.material).collect(), end))
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
fn up_to(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
