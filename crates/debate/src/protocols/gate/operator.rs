//! What the operator says: GO, NO-GO or CONDITIONAL, for all options or for each.

pub use crate::rules::blind::GoWord;

use crate::model::plan::{OptionId, Plan};
use crate::rules::option_names::OptionNames;
use forge_prose::blanks::is_menu;
use forge_prose::outline::{Block, Kind, Section};
use forge_prose::phrases::Phrases;
use forge_prose::words::{Token, tokens, words};
use std::collections::BTreeMap;
use std::sync::LazyLock;

static LABELS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../../data/go-labels.txt")));
static NO_GO: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../../data/no-go-phrases.txt")));
static CONDITIONAL: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::of(include_str!("../../../data/conditional-phrases.txt")));
static DOUBTS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(include_str!("../../../data/go-doubts.txt")));

/// What can be read of a recommendation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recommendation {
    overall: Option<GoWord>,
    by_option: BTreeMap<OptionId, GoWord>,
    /// Whether the words by option stand in sentences: then they need not cover every option.
    is_spoken: bool,
}

impl Recommendation {
    /// The same word for every option.
    pub fn overall(word: GoWord) -> Self {
        Self { overall: Some(word), ..Self::default() }
    }

    /// The word for an option.
    pub fn of(&self, option: &OptionId) -> Option<GoWord> {
        self.overall.or_else(|| self.by_option.get(option).copied())
    }

    /// The one word that holds whatever is chosen, if there is one.
    pub fn for_all(&self, plan: &Plan) -> Option<GoWord> {
        let mut all = plan.options.iter().map(|option| self.of(&option.id));
        let first = all.next().flatten()?;
        all.all(|word| word == Some(first)).then_some(first)
    }

    /// Whether a word can be read, whatever is chosen.
    pub fn is_complete(&self, plan: &Plan) -> bool {
        let covers_all = plan.options.iter().all(|option| self.by_option.contains_key(&option.id));
        self.overall.is_some() || (!self.by_option.is_empty() && (self.is_spoken || covers_all))
    }
}

/// What the section says: by a labelled line, else by a word for each option, else by a sentence.
pub fn read(section: &Section, plan: &Plan) -> Recommendation {
    let names = OptionNames::of(&plan.options);
    let mut found = Recommendation::default();
    let mut spoken: Vec<GoWord> = Vec::new();
    let mut under: Option<usize> = None;
    for block in section.outline().blocks.iter().filter(|block| block.kind != Kind::Code) {
        // Of boxes only a ticked one says something.
        if matches!(block.kind, Kind::Item { ticked: Some(false) }) {
            continue;
        }
        let block = &without_open_boxes(block);
        if matches!(block.kind, Kind::Heading(_)) {
            let named = names.named(&block.text());
            under = if let [one] = named.as_slice() { Some(*one) } else { None };
            if let Some(word) = begins_with(&block.text()) {
                note(&mut found, &names, under, word);
            }
            continue;
        }
        if block.is_blank() || block.kind == Kind::Head {
            continue;
        }
        by_option(block, &names, &mut found);
        if let [label, cells @ ..] = block.lines.as_slice()
            && block.is_row()
            && LABELS.has_text(&label.text)
        {
            found.overall = graver(found.overall, cells.iter().find_map(|cell| begins_with(&cell.text)));
        }
        for line in &block.lines {
            if let Some((label, value)) = line.label()
                && LABELS.has_text(forge_prose::bare_title(label))
                && !is_menu(value)
            {
                labelled(value, &names, under, &mut found);
            }
        }
        if block.is_row() {
            continue;
        }
        for sentence in block.sentences() {
            for clause in sentence.text.split([';', ',']) {
                let begins = begins_with(clause);
                let Some(word) = begins.or_else(|| said_in(&sentence.text)) else { continue };
                match named_beside(&names, if begins.is_some() { clause } else { &sentence.text }).as_slice() {
                    [one] => {
                        found.is_spoken = true;
                        note(&mut found, &names, Some(*one), word);
                    }
                    [] if under.is_some() => note(&mut found, &names, under, word),
                    [] => spoken.push(word),
                    _ => {}
                }
                if begins.is_none() {
                    break;
                }
            }
        }
    }
    if found.overall.is_none() && found.by_option.is_empty() {
        // The gravest: a NO-GO must not hide behind another sentence.
        let gravest = |word: &GoWord| matches!(word, GoWord::NoGo);
        found.overall = spoken.iter().copied().find(|word| gravest(word)).or_else(|| spoken.first().copied());
    }
    found
}

/// The value of a labelled line: a word for all, or one for each option that it names.
fn labelled(value: &str, names: &OptionNames, under: Option<usize>, found: &mut Recommendation) {
    for clause in value.split([';', '.']) {
        let parts: Vec<&str> = clause.split(',').collect();
        let is_list = parts.iter().filter(|part| begins_with(part).is_some()).count() > 1;
        for clause in if is_list { parts } else { vec![clause] } {
            let Some(word) = begins_with(clause).or_else(|| said_in(clause)) else { continue };
            match named_beside(names, clause).as_slice() {
                [one] => note(found, names, Some(*one), word),
                _ if under.is_some() => return note(found, names, under, word),
                // What would change the word is no second one.
                _ if is_in_doubt(clause) && found.overall.is_some() => {}
                _ => found.overall = graver(found.overall, Some(word)),
            }
        }
    }
}

/// Of two words that both hold for every option, a NO-GO must not hide behind the other; else the first counts.
fn graver(first: Option<GoWord>, second: Option<GoWord>) -> Option<GoWord> {
    [first, second].into_iter().flatten().find(|word| *word == GoWord::NoGo).or(first).or(second)
}

/// Whether a clause says what would be, and not what is.
fn is_in_doubt(clause: &str) -> bool {
    DOUBTS.find(&words(clause)).is_some()
}

/// The block without lines that begin with an open box, and without the marks of ticked ones.
fn without_open_boxes(block: &Block) -> Block {
    let mut block = block.clone();
    block.lines.retain(|line| !line.text.trim_start().starts_with("[ ]"));
    for line in &mut block.lines {
        for mark in ["[x]", "[X]"] {
            if let Some(rest) = line.text.trim_start().strip_prefix(mark) {
                line.text = rest.trim().to_owned();
            }
        }
    }
    block
}

/// The options that a text names beside its word: an option may be called Go.
fn named_beside(names: &OptionNames, text: &str) -> Vec<usize> {
    let word = tokens(text).into_iter().find(|token| token.text == "go").map(|token| token.at);
    let mut rest = text.to_owned();
    if let Some(at) = word {
        rest.replace_range(at.clone(), &" ".repeat(at.len()));
    }
    names.named(&rest)
}

fn note(found: &mut Recommendation, names: &OptionNames, option: Option<usize>, word: GoWord) {
    match option {
        Some(option) => {
            found.by_option.entry(names.id(option)).or_insert(word);
        }
        None => found.overall = found.overall.or(Some(word)),
    }
}

/// Rows, items and lines that begin with an option and have a word for it.
fn by_option(block: &Block, names: &OptionNames, found: &mut Recommendation) {
    let dashes = [" - ", " – ", " — ", " → ", " => "];
    let mut pairs: Vec<(String, Vec<String>)> = Vec::new();
    if block.is_row() {
        let cells: Vec<String> = block.lines.iter().map(|cell| cell.text.clone()).collect();
        if let Some(at) = cells.iter().position(|cell| names.named(cell).len() == 1) {
            pairs.push((cells[at].clone(), cells[at + 1..].to_vec()));
        }
    } else {
        for line in &block.lines {
            let split = line.label().or_else(|| dashes.iter().find_map(|dash| line.text.split_once(dash)));
            pairs.extend(split.map(|(name, said)| (name.to_owned(), vec![said.to_owned()])));
        }
    }
    for (name, said) in pairs {
        let [option] = names.named(&name)[..] else { continue };
        if let Some(word) = said.iter().find_map(|text| begins_with(text)) {
            found.by_option.entry(names.id(option)).or_insert(word);
        }
    }
}

/// Whether a text names the operator or a NO-GO.
pub(super) fn speaks_of_no_go(text: &str) -> bool {
    let said = words(text);
    said.iter().any(|word| word == "operator" || word == "nogo")
        || said.windows(2).any(|pair| pair[0] == "no" && pair[1] == "go")
}

/// The word that a text is or begins with.
fn begins_with(text: &str) -> Option<GoWord> {
    let all = without_pair(tokens(text));
    let said: Vec<&str> = all.iter().filter(|token| !token.is_mark).map(|token| token.text.as_str()).collect();
    let small = [
        "a",
        "an",
        "the",
        "it",
        "is",
        "verdict",
        "recommendation",
        "status",
        "overall",
        "clear",
        "firm",
        "strong",
        "my",
        "our",
        "final",
    ];
    let skip = said.iter().take_while(|word| small.contains(*word)).count();
    let said = &said[skip..];
    if NO_GO.at(said) > 0 {
        Some(GoWord::NoGo)
    } else if CONDITIONAL.at(said) > 0 {
        Some(GoWord::Conditional)
    } else if matches!(said, ["go"] | ["go", ..] | ["proceed", ..]) {
        // "Go through the list again" begins with a verb.
        let raw =
            all.iter().find(|token| token.text == "go" || token.text == "proceed").map(|token| &text[token.at.clone()]);
        let is_alone = said.len() == 1;
        let is_loud = raw.is_some_and(|raw| raw == "GO" || raw == "PROCEED");
        let is_closed =
            all.iter().position(|token| token.text == "go" || token.text == "proceed").and_then(|i| all.get(i + 1));
        let stops = is_closed.is_some_and(|next| next.is_mark && next.text != "-" && next.text != "?");
        let goes_on =
            said.get(1).is_some_and(|next| matches!(*next, "for" | "with" | "if" | "provided" | "but" | "on" | "from"));
        let is_asked = is_closed.is_some_and(|next| next.text == "?");
        let is_ahead = matches!(said, ["go", "ahead"]);
        let is_plain =
            is_ahead || is_alone || stops || (is_loud && !is_in_doubt(text)) || (goes_on && raw == Some("Go"));
        (!is_asked && is_plain).then_some(GoWord::Go)
    } else {
        None
    }
}

/// The word that a sentence says somewhere, without a doubt: in capitals, or as "a go", "a no-go".
fn said_in(sentence: &str) -> Option<GoWord> {
    let all = without_pair(tokens(sentence));
    let said: Vec<&str> = all.iter().filter(|token| !token.is_mark).map(|token| token.text.as_str()).collect();
    if DOUBTS.find(&said).is_some() || sentence.trim_end().ends_with(['?', '？']) {
        return None;
    }
    if NO_GO.find(&said).is_some() {
        return Some(GoWord::NoGo);
    }
    if CONDITIONAL.find(&said).is_some() {
        return Some(GoWord::Conditional);
    }
    let plain: Vec<&Token> = all.iter().filter(|token| !token.is_mark).collect();
    let says = plain.iter().enumerate().any(|(i, token)| {
        let before = i.checked_sub(1).map(|i| plain[i].text.as_str());
        let is_end = plain.get(i + 1).is_none_or(|next| matches!(next.text.as_str(), "for" | "from" | "with" | "on"));
        token.text == "go" && (&sentence[token.at.clone()] == "GO" || (before == Some("a") && is_end))
    });
    says.then_some(GoWord::Go)
}

/// Without "go/no-go", which names the question and not the answer.
fn without_pair(mut all: Vec<Token>) -> Vec<Token> {
    let is = |all: &[Token], i: usize, word: &str| all.get(i).is_some_and(|token| token.text == word);
    let mut i = 0;
    while i < all.len() {
        let slash = is(&all, i + 1, "/") || is(&all, i + 1, "-") || is(&all, i + 1, "or");
        if is(&all, i, "go") && slash && is(&all, i + 2, "no") {
            let dash = usize::from(is(&all, i + 3, "-"));
            if is(&all, i + 3 + dash, "go") {
                all.drain(i..=i + 3 + dash);
                continue;
            }
        }
        i += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_at_the_beginning() {
        for (text, word) in [
            ("GO - it fits", Some(GoWord::Go)),
            ("**GO**", Some(GoWord::Go)),
            ("NO-GO: too slow", Some(GoWord::NoGo)),
            ("No go.", Some(GoWord::NoGo)),
            ("GO WITH CONDITIONS", Some(GoWord::Conditional)),
            ("Conditional GO", Some(GoWord::Conditional)),
            ("🟢 GO", Some(GoWord::Go)),
            ("Go/No-Go is hard", None),
            ("Go through the list again", None),
            ("Going well", None),
            ("GO / NO-GO", None),
            ("Go, provided the budget holds", Some(GoWord::Conditional)),
        ] {
            assert_eq!(begins_with(text), word, "{text}");
        }
        assert_eq!(said_in("My recommendation is a GO for B."), Some(GoWord::Go));
        assert_eq!(said_in("It becomes a NO-GO if H2 leaves the classpath."), None);
        assert_eq!(said_in("We recommend against it."), Some(GoWord::NoGo));
    }
}
