//! Whose a page is. The second line of each page that forge writes is a comment with the digest of all the rest: one that
//! still fits was written by a forge and by nobody else since, whichever version and on whichever machine.

use forge_debate::digest::Digest;

const BEGIN: &str = "written by `forge install`; change the page and it is yours: ";
/// How a comment begins and ends: in front matter, TOML, YAML and the like; and in bare Markdown.
const COMMENTS: [(&str, &str); 2] = [("# ", ""), ("<!-- ", " -->")];

/// Whose a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// forge wrote it, and nobody changed it.
    Forge,
    /// forge wrote it, and somebody changed it.
    Changed,
    /// forge did not write it.
    Other,
}

/// The page with its mark, below its first line.
pub(super) fn marked(path: &str, page: &str) -> String {
    let (first, rest) = page.split_once('\n').unwrap_or((page, ""));
    let is_bare = path.ends_with(".md") && first != "---";
    let (open, close) = COMMENTS[usize::from(is_bare)];
    format!("{first}\n{open}{BEGIN}{}{close}\n{rest}", digest(page))
}

/// Whose a file is.
pub(super) fn owner(bytes: &[u8]) -> Owner {
    // A checkout may end lines in another way.
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let mut lines = text.splitn(3, '\n');
    let (Some(open), Some(line), Some(rest)) = (lines.next(), lines.next(), lines.next()) else { return Owner::Other };
    let inside = |(open, close): &(&str, &str)| line.strip_prefix(open)?.strip_suffix(close)?.strip_prefix(BEGIN);
    match COMMENTS.iter().find_map(inside) {
        Some(said) if said == digest(&format!("{open}\n{rest}")) => Owner::Forge,
        Some(_) => Owner::Changed,
        None => Owner::Other,
    }
}

fn digest(page: &str) -> String {
    Digest::of(page.as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_forges_until_somebody_changes_it() {
        let page = marked("a.md", "---\nname: x\n---\nText.\n");
        let cases = [
            (page.clone(), Owner::Forge),
            (page.replace('\n', "\r\n"), Owner::Forge),
            (page.replace("Text", "My text"), Owner::Changed),
            (format!("{page}\n"), Owner::Changed),
            (page.replace("sha256:", "sha256:0"), Owner::Changed),
            ("---\nname: x\n---\nText.\n".to_owned(), Owner::Other),
            (String::new(), Owner::Other),
            (BEGIN.to_owned(), Owner::Other),
            (marked("a.md", "What it does.\n\nText.\n"), Owner::Forge),
            (marked("a.toml", "description = 1\n"), Owner::Forge),
            (format!("\n{page}"), Owner::Other),
        ];
        for (text, expected) in cases {
            assert_eq!(owner(text.as_bytes()), expected, "{text}");
        }
    }
}
