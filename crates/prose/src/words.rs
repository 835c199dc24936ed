//! Words in any script.
//!
//! Letters and digits run together; scripts that are written without blanks give one word a character, so that a name is
//! found inside a run of them. Signs that tell names apart (`%`, `&`, `§`) are words of their own; other marks only separate,
//! but are kept beside the words, since a comma or a bracket may end what a word belongs to.

use std::ops::Range;

/// A word or a mark, with its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// In lower case, full-width forms made plain; a mark as it is.
    pub text: String,
    /// Where it stands.
    pub at: Range<usize>,
    /// Whether it is a mark and no word.
    pub is_mark: bool,
    /// Whether it begins with a capital.
    pub is_capital: bool,
}

impl Token {
    fn word(text: String, at: Range<usize>, is_capital: bool) -> Self {
        Self { text, at, is_mark: false, is_capital }
    }
}

/// Signs that names differ in.
const SIGNS: &str = "%&§$€£@+#=<>~^°±×";

/// Whether a character belongs to a script that puts no blanks between words.
pub fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{0E00}'..='\u{0EFF}' | '\u{1100}'..='\u{11FF}' | '\u{3040}'..='\u{30FF}' | '\u{3105}'..='\u{318F}'
        | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{2FA1F}')
}

/// Full-width forms of ASCII as ASCII, typographic quotes and apostrophes as plain ones.
pub fn plain_char(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        '\u{3000}' | '\u{00A0}' => ' ',
        '’' | '‘' | 'ʼ' => '\'',
        '“' | '”' | '„' | '«' | '»' | '「' | '」' | '『' | '』' => '"',
        '、' => ',',
        '。' => '.',
        '–' => '—',
        '‑' | '‐' => '-',
        _ => c,
    }
}

/// The words and marks of a text, in order.
pub fn tokens(text: &str) -> Vec<Token> {
    let (mut found, mut scratch) = (Vec::new(), Vec::new());
    for (start, run) in runs(text) {
        push_tokens(&mut found, run, start, &mut scratch);
    }
    found
}

/// What stands between blanks, with its place: no word goes on over a blank.
fn runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive(|c: char| c.is_ascii_whitespace()).map(move |run| {
        at += run.len();
        (at - run.len(), run.trim_ascii_end())
    })
}

/// Adds the words and marks of a text without blanks that begins at `start`.
fn push_tokens(found: &mut Vec<Token>, text: &str, start: usize, chars: &mut Vec<(usize, char, char)>) {
    if text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        let is_capital = text.starts_with(|c: char| c.is_ascii_uppercase());
        if !text.is_empty() {
            found.push(Token::word(text.to_ascii_lowercase(), start..start + text.len(), is_capital));
        }
        return;
    }
    chars.clear();
    chars.extend(text.char_indices().map(|(at, c)| (start + at, c, plain_char(c))));
    let end_of = |i: usize| chars.get(i + 1).map_or(start + text.len(), |(at, _, _)| *at);
    let mut i = 0;
    while let Some(&(at, raw, c)) = chars.get(i) {
        if is_unspaced(raw) {
            found.push(Token::word(raw.to_string(), at..end_of(i), false));
            i += 1;
        } else if c.is_alphanumeric() {
            let first = i;
            while chars.get(i + 1).is_some_and(|next| continues(chars, i, next)) {
                i += 1;
            }
            push_word(found, &chars[first..=i], at..end_of(i));
            i += 1;
        } else {
            if SIGNS.contains(c) {
                found.push(Token::word(c.to_string(), at..end_of(i), false));
            } else if !c.is_whitespace() && !c.is_control() {
                found.push(Token { text: c.to_string(), at: at..end_of(i), is_mark: true, is_capital: false });
            }
            i += 1;
        }
    }
}

/// Whether the next character belongs to the word that the one before it belongs to: letters and digits, an apostrophe
/// between letters, the signs of `C++` and `C#`.
fn continues(chars: &[(usize, char, char)], at: usize, next: &(usize, char, char)) -> bool {
    let (_, raw, c) = *next;
    if is_unspaced(raw) {
        return false;
    }
    if c.is_alphanumeric() || is_joining(c) {
        return true;
    }
    let letter = |i: usize| chars.get(i).is_some_and(|(_, raw, c)| c.is_alphabetic() && !is_unspaced(*raw));
    match c {
        '\'' => letter(at) && letter(at + 2),
        '+' | '#' => (letter(at) || chars.get(at).is_some_and(|(_, _, c)| *c == '+')) && !letter(at + 2),
        _ => false,
    }
}

/// Marks that are written over the letter before them.
fn is_joining(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}' | '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}')
}

fn push_word(found: &mut Vec<Token>, chars: &[(usize, char, char)], at: Range<usize>) {
    let is_capital = chars.first().is_some_and(|(_, _, c)| c.is_uppercase());
    let plain: String = chars.iter().map(|(_, _, c)| *c).filter(|c| !is_joining(*c)).collect();
    let lower = plain.to_lowercase();
    let mut parts: Vec<&str> = lower.split('\'').collect();
    let mut push = |text: &str| found.push(Token::word(text.to_owned(), at.clone(), is_capital));
    if parts.len() == 1 {
        return push(&lower);
    }
    let tail = parts.pop().unwrap_or_default();
    let head = parts.join("'");
    match tail {
        "t" if head.ends_with('n') => {
            push(match head.as_str() {
                "won" => "will",
                "can" => "can",
                "shan" => "shall",
                other => &other[..other.len() - 1],
            });
            push("not");
        }
        "s" => push(&head),
        "ll" => [head.as_str(), "will"].into_iter().for_each(push),
        "ve" => [head.as_str(), "have"].into_iter().for_each(push),
        "re" => [head.as_str(), "are"].into_iter().for_each(push),
        "m" => [head.as_str(), "am"].into_iter().for_each(push),
        "d" => [head.as_str(), "would"].into_iter().for_each(push),
        other => [head.as_str(), other].into_iter().for_each(push),
    }
}

/// The words of a text in lower case, without marks.
pub fn words(text: &str) -> Vec<String> {
    each_word(text).collect()
}

/// The same one by one, for whoever needs only the first of them.
pub fn each_word(text: &str) -> impl Iterator<Item = String> {
    let (mut found, mut scratch) = (Vec::new(), Vec::new());
    runs(text).flat_map(move |(start, run)| {
        push_tokens(&mut found, run, start, &mut scratch);
        let words: Vec<Token> = found.drain(..).filter(|token| !token.is_mark).collect();
        words.into_iter().map(|token| token.text)
    })
}

/// Whether two texts have the same words and signs.
pub fn same_words(a: &str, b: &str) -> bool {
    each_word(a).eq(each_word(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_several_scripts() {
        assert_eq!(words("We'll use C++, not C#."), ["we", "will", "use", "c++", "not", "c#"]);
        assert_eq!(words("It won't; we don't, the team's"), ["it", "will", "not", "we", "do", "not", "the", "team"]);
        assert_eq!(words("我们选择MVStore。"), ["我", "们", "选", "择", "mvstore"]);
        assert_eq!(words("超过５％"), ["超", "过", "5", "%"]);
        assert_eq!(words("R&D at 5%"), ["r", "&", "d", "at", "5", "%"]);
        assert_eq!(words("d’utiliser l’option"), ["d", "utiliser", "l", "option"]);
        assert_eq!(words("no-go, 4.0.0"), ["no", "go", "4", "0", "0"]);
    }

    #[test]
    fn signs_tell_names_apart() {
        assert!(!same_words("Use the character `§`", "Use the character `%`"));
        assert!(same_words("Event-Sourcing", "event sourcing"));
    }

    /// Blanks of any script separate, wherever the text is cut.
    #[test]
    fn blanks_cut_no_word() {
        let text = "don' t  C+ +\u{a0}x\u{3000}\u{b}b'\n'c A\u{301} b\u{85}c";
        let cut: Vec<String> = ["don'", "t", "C+", "+", "x", "b'", "'c", "A\u{301}", "b", "c"].map(words).concat();
        assert_eq!(words(text), cut);
        assert!(tokens(text).iter().all(|token| text.get(token.at.clone()).is_some()));
    }

    #[test]
    fn marks_are_kept_with_their_places() {
        let all = tokens("B (x)");
        assert_eq!(all.iter().map(|token| token.text.as_str()).collect::<Vec<_>>(), ["b", "(", "x", ")"]);
        assert!(all[0].is_capital && all[1].is_mark && all[2].at == (3..4));
    }
}
