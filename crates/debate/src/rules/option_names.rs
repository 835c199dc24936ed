//! Which options a text names: by label, by the label's first part, by id, `Option B`.
//!
//! Names are found as whole words (in scripts without blanks, inside a run of characters); of two that overlap the longer
//! one counts, so "Redis Cluster" is not also "Redis". Signs that tell labels apart count; case, hyphens and articles do not.

use crate::model::plan::{Choice, OptionId};
use forge_prose::phrases::Phrases;
use forge_prose::words::{Token, tokens, words};
use std::sync::LazyLock;

static ARTICLES: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/articles.txt")));
static OPTION_WORDS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../data/option-words.txt")));

/// Verbs that a label may begin with and that say nothing but that it is chosen: "Use Redis" is also "Redis".
const NEUTRAL_VERBS: [&[&str]; 9] = [
    &["use"],
    &["adopt"],
    &["choose"],
    &["take"],
    &["pick"],
    &["select"],
    &["go", "with"],
    &["switch", "to"],
    &["move", "to"],
];
/// A label of one word that is this short may be a word of the language too: its capital must be there.
const SHORT_NAME: usize = 4;

/// A part of a text as a reader of choices sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A word in lower case.
    Word(String),
    /// A word in lower case that was written with a capital.
    Capital(String),
    /// A mark.
    Mark(char),
    /// An option, by its place in the list.
    Option(usize),
}

impl Unit {
    /// The word, if it is one.
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Unit::Word(word) | Unit::Capital(word) => Some(word),
            _ => None,
        }
    }

    pub(crate) fn option(&self) -> Option<usize> {
        match self {
            Unit::Option(option) => Some(*option),
            _ => None,
        }
    }
}

/// Whether a word may stand before a name and change nothing.
pub(crate) fn is_article(word: &str) -> bool {
    ARTICLES.has_word(word)
}

/// Whether a word means an option as such.
pub(crate) fn is_option_word(word: &str) -> bool {
    OPTION_WORDS.has_word(word)
}

struct Name {
    option: usize,
    words: Vec<String>,
    needs_capital: bool,
    /// Whether its marks count too: another option has the same words.
    is_exact: bool,
}

/// The names of a plan's options.
pub(crate) struct OptionNames {
    names: Vec<Name>,
    /// Each id with its words.
    ids: Vec<(OptionId, Vec<String>)>,
}

impl OptionNames {
    pub(crate) fn of(options: &[Choice]) -> Self {
        let mut names: Vec<Name> = Vec::new();
        for (option, choice) in options.iter().enumerate() {
            let label = without_articles(&choice.label);
            let is_short = label.len() == 1 && label[0].chars().count() <= SHORT_NAME;
            let needs_capital = is_short && choice.label.trim().starts_with(char::is_uppercase);
            // `--force` and `force`, `v1.2` and `v1-2` differ in their marks alone.
            let is_exact = options.iter().filter(|one| without_articles(&one.label) == label).count() > 1;
            let words =
                if is_exact { tokens(&choice.label).into_iter().map(|token| token.text).collect() } else { label };
            if !words.is_empty() {
                names.push(Name { option, words, needs_capital, is_exact });
            }
        }
        // Shorter names count only where they can mean nobody else.
        for (option, choice) in options.iter().enumerate() {
            for words in shorter_names(&choice.label) {
                let is_taken = |other: usize, other_choice: &Choice| {
                    other != option
                        && (without_articles(&other_choice.label) == words
                            || shorter_names(&other_choice.label).contains(&words))
                };
                if !words.is_empty() && !options.iter().enumerate().any(|(i, one)| is_taken(i, one)) {
                    names.push(Name { option, words, needs_capital: false, is_exact: false });
                }
            }
        }
        Self { names, ids: options.iter().map(|choice| (choice.id.clone(), words(choice.id.as_str()))).collect() }
    }

    pub(crate) fn id(&self, option: usize) -> OptionId {
        self.ids.get(option).map_or_else(|| OptionId::new("?"), |(id, _)| id.clone())
    }

    /// A text as words, marks and options.
    pub(crate) fn units(&self, text: &str) -> Vec<Unit> {
        let all = tokens(text);
        let mut units = Vec::new();
        let mut at = 0;
        while at < all.len() {
            match self.name_at(&all, at) {
                Some((option, length)) => {
                    units.push(Unit::Option(option));
                    at += length;
                }
                // A hyphen, point or slash inside a word ends nothing.
                None if is_inside_word(&all, at) => at += 1,
                None => {
                    let token = &all[at];
                    units.push(match token.is_mark {
                        true => Unit::Mark(token.text.chars().next().unwrap_or(' ')),
                        false if token.is_capital => Unit::Capital(token.text.clone()),
                        false => Unit::Word(token.text.clone()),
                    });
                    at += 1;
                }
            }
        }
        units
    }

    /// A text with blanks in the place of options.
    pub(crate) fn masked(&self, text: &str) -> String {
        let all = tokens(text);
        let mut masked = text.to_owned();
        let mut at = 0;
        while at < all.len() {
            let length = self.name_at(&all, at).map_or(0, |(_, length)| length);
            if length > 0 {
                // A number right behind a name is its version.
                let is_number = |token: &Token| token.text.starts_with(|c: char| c.is_ascii_digit());
                let versioned = all.get(at + length).is_some_and(is_number) && !all[at].is_mark;
                let last = at + length - 1 + usize::from(versioned);
                let range = all[at].at.start..all[last].at.end;
                masked.replace_range(range.clone(), &" ".repeat(range.len()));
            }
            at += length.max(1);
        }
        masked
    }

    /// The options that a text names, each once, in the order of the plan.
    pub(crate) fn named(&self, text: &str) -> Vec<usize> {
        let mut named: Vec<usize> = self.units(text).iter().filter_map(Unit::option).collect();
        named.sort_unstable();
        named.dedup();
        named
    }

    /// The longest name that begins here, and how many tokens it has.
    fn name_at(&self, all: &[Token], at: usize) -> Option<(usize, usize)> {
        let by_name = self.names.iter().filter_map(|name| Some((name.option, matches(name, all, at)?)));
        by_name.chain(self.id_at(all, at)).max_by_key(|(option, length)| (*length, std::cmp::Reverse(*option)))
    }

    /// An id that begins here: `Option B`, `B`, `(B)`; a single letter only as a capital, and never as an article.
    fn id_at(&self, all: &[Token], at: usize) -> Option<(usize, usize)> {
        let introduced = !all[at].is_mark && OPTION_WORDS.has_word(&all[at].text);
        let quotes = all.get(at + 1).is_some_and(|token| matches!(token.text.as_str(), ":" | "\"" | "#" | "("));
        let skip = usize::from(introduced) + usize::from(introduced && quotes);
        for (option, (id, wanted)) in self.ids.iter().enumerate() {
            let start = at + skip;
            let stands = wanted.len() <= all.len().saturating_sub(start)
                && wanted.iter().zip(&all[start..]).all(|(word, token)| *word == token.text);
            if wanted.is_empty() || !stands {
                continue;
            }
            let first = &all[start];
            let is_letter = id.as_str().chars().count() == 1;
            let next = all.get(start + 1).filter(|token| !token.is_mark);
            // In the middle of a sentence a capital A is no article.
            let begins = start == 0 || all[start - 1].is_mark;
            let is_article =
                begins && matches!(first.text.as_str(), "a" | "i") && next.is_some_and(|next| !next.is_capital);
            if introduced || !is_letter || (first.is_capital && !is_article && is_alone(all, start)) {
                return Some((option, skip + wanted.len()));
            }
        }
        // `Option 2` of options that have letters.
        let number = all.get(at + skip).filter(|_| introduced)?.text.parse::<usize>().ok()?;
        let has_digits = self.ids.iter().any(|(id, _)| id.as_str().chars().any(|c| c.is_ascii_digit()));
        (!has_digits && (1..=self.ids.len()).contains(&number)).then_some((number - 1, skip + 1))
    }
}

fn is_inside_word(all: &[Token], at: usize) -> bool {
    let token = &all[at];
    let touches = |one: Option<&Token>, end: bool| {
        one.is_some_and(|one| {
            !one.is_mark && if end { one.at.end == token.at.start } else { one.at.start == token.at.end }
        })
    };
    token.is_mark
        && matches!(token.text.as_str(), "-" | "." | "/" | "," | "_" | ":")
        && touches(at.checked_sub(1).and_then(|i| all.get(i)), true)
        && touches(all.get(at + 1), false)
        && [at - 1, at + 1].iter().all(|i| !all[*i].text.chars().any(forge_prose::words::is_unspaced))
}

/// Whether a letter is no part of a name in letters: `Plan B`, `vitamin C`, `R&D`.
fn is_alone(all: &[Token], at: usize) -> bool {
    let joined = |token: &Token| matches!(token.text.as_str(), "&" | "-" | "/" | "'" | "." | "+" | "_");
    let before = at.checked_sub(1).and_then(|i| all.get(i));
    let after = all.get(at + 1);
    let touches_before = before.is_some_and(|one| joined(one) && one.at.end == all[at].at.start);
    let touches_after = after.is_some_and(|one| {
        joined(one) && one.at.start == all[at].at.end && all.get(at + 2).is_some_and(|two| two.at.start == one.at.end)
    });
    let is_idiom =
        before.is_some_and(|one| matches!(one.text.as_str(), "plan" | "vitamin" | "hepatitis" | "type" | "grade"));
    !touches_before && !touches_after && !is_idiom
}

/// How many tokens a name takes up here, if it stands here.
fn matches(name: &Name, all: &[Token], at: usize) -> Option<usize> {
    if name.is_exact {
        let here = all.get(at..at + name.words.len())?;
        return here.iter().zip(&name.words).all(|(token, word)| token.text == *word).then_some(name.words.len());
    }
    let mut from = at;
    for (i, wanted) in name.words.iter().enumerate() {
        // Articles and marks inside a name change nothing, but for stops.
        while i > 0
            && all.get(from).is_some_and(|token| {
                let is_pause = token.is_mark && !matches!(token.text.as_str(), "." | ";" | "!" | "?" | "," | ":");
                (is_pause || ARTICLES.has_word(&token.text)) && token.text != *wanted
            })
        {
            from += 1;
        }
        let token = all.get(from).filter(|token| !token.is_mark)?;
        let is_verb = i == 0 && name.words.len() > 1 && is_form_of(&token.text, wanted);
        if token.text != *wanted && !is_verb {
            return None;
        }
        if name.needs_capital && !token.is_capital {
            return None;
        }
        from += 1;
        // `4.0.0`: points stand between the words of a version.
        while i + 1 < name.words.len() && all.get(from).is_some_and(|token| token.text == "." || token.text == ",") {
            let next = all.get(from + 1);
            if next.is_none_or(|next| next.text != name.words[i + 1]) {
                break;
            }
            from += 1;
        }
    }
    Some(from - at)
}

/// Whether a word is a form of a verb: keeps, keeping, kept is not looked up.
fn is_form_of(word: &str, verb: &str) -> bool {
    let Some(rest) = word.strip_prefix(verb.strip_suffix('e').unwrap_or(verb)) else { return false };
    let doubled = verb.chars().last().map(|c| format!("{c}ing")).unwrap_or_default();
    matches!(rest, "s" | "es" | "ing" | "ed") || rest == doubled
}

fn without_articles(label: &str) -> Vec<String> {
    let all = words(label);
    let kept: Vec<String> = all.iter().filter(|word| !ARTICLES.has_word(word)).cloned().collect();
    if kept.is_empty() { all } else { kept }
}

/// The label's part before a dash, a colon or a bracket; the label without a verb that only chooses.
fn shorter_names(label: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let dashes = [" - ", " – ", " — ", ": ", " (", "（", "："];
    if let Some(at) = dashes.iter().filter_map(|dash| label.find(dash)).min() {
        found.push(without_articles(&label[..at]));
    }
    let whole = without_articles(label);
    for verb in NEUTRAL_VERBS {
        if whole.len() > verb.len() && whole.iter().zip(verb).all(|(word, verb)| word == verb) {
            found.push(whole[verb.len()..].to_vec());
        }
    }
    found.retain(|words| *words != whole && words.iter().any(|word| word.chars().any(char::is_alphanumeric)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::plan::letter;

    fn names(labels: &[&str]) -> OptionNames {
        let choices: Vec<Choice> = labels
            .iter()
            .enumerate()
            .map(|(i, label)| Choice { id: letter(i), label: (*label).to_owned(), description: String::new() })
            .collect();
        OptionNames::of(&choices)
    }

    #[test]
    fn options_are_named_in_many_ways() {
        let three = names(&["JSON", "MVStore – the store of H2", "Keep the custom format"]);
        for (text, named) in [
            ("We take mvstore.", vec![1]),
            ("Option B", vec![1]),
            ("option b: MVStore", vec![1]),
            ("B (MVStore)", vec![1]),
            ("Option 2", vec![1]),
            ("A simple format", vec![]),
            ("We choose A.", vec![0]),
            ("keeping our custom format", vec![2]),
            ("a custom format", vec![]),
            ("JSONs", vec![]),
            ("JSON, MVStore", vec![0, 1]),
            ("Plan B", vec![]),
            ("我们选择MVStore。", vec![1]),
            ("方案B", vec![1]),
        ] {
            assert_eq!(three.named(text), named, "{text}");
        }
        assert_eq!(names(&["Redis", "Redis Cluster"]).named("We use Redis Cluster"), [1]);
        assert_eq!(names(&["Use the character `§`", "Use the character `%`"]).named("the character §"), [0]);
        assert_eq!(names(&["数据库表", "JSON"]).named("我们选择数据库表，因为简单。"), [0]);
        assert_eq!(names(&["MADR 4.0.0 – The Markdown Records", "Nygard"]).named("\"MADR 4.0.0\""), [0]);
        let flags = names(&["--force", "force", "-force"]);
        for (text, named) in [("We choose `--force`.", [0]), ("We choose force.", [1]), ("-force", [2])] {
            assert_eq!(flags.named(text), named, "{text}");
        }
        assert_eq!(names(&["v1.2", "v1-2"]).named("We take v1-2."), [1]);
        assert_eq!(names(&["Go", "Rust"]).named("we go with Rust"), [1]);
        assert_eq!(names(&["Do not emphasize", "Emphasize"]).named("We choose: Do not emphasize"), [0]);
    }
}
