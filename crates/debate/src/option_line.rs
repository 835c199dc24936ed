//! An option as people list it: `B: Memcached - simple`, `**MVStore** — the store of H2`, `**Option B:** Text message`.

use forge_prose::outline::{Block, Kind, Line, Outline};

/// The longest id before a label.
const ID_CHARS: usize = 3;

/// An option in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionLine {
    /// Its id, if it has one.
    pub id: Option<String>,
    /// Its name.
    pub label: String,
    /// What is said of it.
    pub description: String,
}

/// The options of a list: the items that stand furthest left.
pub fn list(body: &str) -> Vec<OptionLine> {
    let outline = Outline::of(body, 1);
    let is_item = |block: &&Block| matches!(block.kind, Kind::Item { .. }) && !block.is_quoted;
    let outermost = outline.blocks.iter().filter(is_item).map(|block| block.depth).min().unwrap_or(0);
    outline.blocks.iter().filter(is_item).filter(|block| block.depth == outermost).map(read).collect()
}

/// Reads an option from a list item. A bold start is the name; else it ends at the first colon or dash that stands apart,
/// outside of code.
pub fn read(item: &Block) -> OptionLine {
    let line = Line { text: item.text(), ..item.lines.first().cloned().unwrap_or_default() };
    let (head, rest) = match line.bold {
        0 => parted(&line, 0),
        bold => (line.text[..bold].trim(), line.text[bold..].trim()),
    };
    let head = head.trim_end_matches([':', '：']).trim();
    if let Some(id) = id_of(head) {
        let start = line.text.len() - after_separator(rest).len();
        let (label, description) = parted(&line, start);
        if !label.is_empty() {
            return OptionLine { id: Some(id), label: plain(label), description: description.to_owned() };
        }
    }
    // `**B: Memcached** - simple`
    if let Some((id, label)) = head.split_once(": ").and_then(|(id, label)| Some((id_of(id)?, label))) {
        return OptionLine { id: Some(id), label: plain(label), description: after_separator(rest).to_owned() };
    }
    OptionLine { id: None, label: plain(head), description: after_separator(rest).to_owned() }
}

fn plain(label: &str) -> String {
    label.trim().trim_end_matches([':', '：']).trim().to_owned()
}

/// `B`, `Option B`, `B2`.
fn id_of(text: &str) -> Option<String> {
    let bare = text.trim();
    let named = bare.get(..7).filter(|start| start.eq_ignore_ascii_case("option ")).map(|_| &bare[7..]);
    let id = named.unwrap_or(bare).trim();
    let fits = !id.is_empty() && id.chars().count() <= ID_CHARS && id.chars().all(|c| c.is_ascii_alphanumeric());
    // A short name in small letters is a name: `npm: slow`.
    let is_id = named.is_some() || id.chars().next().is_some_and(|c| c.is_ascii_uppercase()) && id.len() <= 2;
    (fits && is_id).then(|| id.to_owned())
}

/// A line from `start` on, at its first colon or dash that stands apart.
fn parted(line: &Line, start: usize) -> (&str, &str) {
    let text = &line.text[start..];
    let marks = [": ", " - ", " – ", " — ", "："];
    let is_code = |at: usize| line.code.iter().any(|code| code.contains(&(start + at)));
    let found = marks.iter().flat_map(|mark| text.match_indices(mark)).filter(|(at, _)| !is_code(*at));
    match found.min_by_key(|(at, _)| *at) {
        Some((at, mark)) => (text[..at].trim(), text[at + mark.len()..].trim()),
        None => (text.trim(), ""),
    }
}

fn after_separator(rest: &str) -> &str {
    rest.trim_start_matches(|c: char| matches!(c, ':' | '-' | '–' | '—' | '：') || c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_as_people_list_them() {
        for (item, id, label, description) in [
            ("Redis", None, "Redis", ""),
            ("Redis: fast and known", None, "Redis", "fast and known"),
            ("Redis - fast: really", None, "Redis", "fast: really"),
            ("**MVStore** — the store of H2", None, "MVStore", "the store of H2"),
            ("**MVStore**: the store of H2", None, "MVStore", "the store of H2"),
            ("**MVStore:** the store of H2", None, "MVStore", "the store of H2"),
            ("B: Memcached - simple", Some("B"), "Memcached", "simple"),
            ("**B: Memcached** - simple", Some("B"), "Memcached", "simple"),
            ("**Option B**: Text message", Some("B"), "Text message", ""),
            ("**Option B:** Text message - costs 6 cents each", Some("B"), "Text message", "costs 6 cents each"),
            ("Option B: Text message", Some("B"), "Text message", ""),
            ("[ ] Keep it", None, "Keep it", ""),
            ("Add `* Category: X` below the heading", None, "Add * Category: X below the heading", ""),
            ("Use the character `§`", None, "Use the character §", ""),
            ("MADR 4.0.0 – The Markdown Records", None, "MADR 4.0.0", "The Markdown Records"),
            ("http://a.example", None, "http://a.example", ""),
            ("数据库表：简单", None, "数据库表", "简单"),
        ] {
            let found = list(&format!("- {item}")).remove(0);
            let wanted =
                OptionLine { id: id.map(str::to_owned), label: label.to_owned(), description: description.to_owned() };
            assert_eq!(found, wanted, "{item}");
        }
    }
}
