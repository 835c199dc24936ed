//! Models and their makers, where a speaker says that it is one or made by one.

use super::names::Names;
use super::words::{Words, is_apostrophe, is_pause};
use crate::family::FAMILIES;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

/// Names of models and makers that are words as well: alone they are names only where nothing else can be meant.
const ORDINARY: &[&str] = &["command", "nova", "titan", "granite", "seed", "sonar", "aya", "moonshot", "perplexity"];
/// What follows a model's name and belongs to it, besides numbers.
const VARIANTS: &[&str] = &[
    "opus", "sonnet", "haiku", "pro", "flash", "turbo", "mini", "nano", "ultra", "max", "plus", "code", "large",
    "small", "medium", "instruct", "chat", "coder", "thinking", "preview", "lite",
];
/// What follows a maker's name and belongs to it.
const MAKER_PARTS: &[&str] = &["ai", "deepmind", "research", "inc", "cloud"];
/// The most words of a version: `Claude 3.5 Sonnet 20241022`.
const VERSION_WORDS: usize = 6;
/// What may stand between `As an AI` and the maker's name.
const MADE: &[&str] = &[
    "a",
    "an",
    "the",
    "large",
    "language",
    "model",
    "assistant",
    "system",
    "agent",
    "ai",
    "llm",
    "chatbot",
    "that",
    "which",
    "was",
    "is",
    "been",
    "has",
    "made",
    "developed",
    "trained",
    "created",
    "built",
    "designed",
    "provided",
    "served",
    "data",
    "comes",
    "company",
    "people",
    "team",
    "folks",
    "at",
];
/// The most words between the two.
const MADE_WORDS: usize = 10;

/// The word after the model's name and version, if one stands here; `Anthropic's Claude` is one name.
pub(super) fn model(words: &Words<'_>, i: usize) -> Option<usize> {
    let possessed = maker(words, i).and_then(|next| {
        let own = is_apostrophe(words.before(next)) && words.at(next) == "s" && words.follows_directly(next + 1);
        if own { Some(next + 1) } else { words.follows_directly(next).then_some(next) }
    });
    let named = possessed.and_then(|next| model_name(words, next));
    let is_possessed = named.is_some();
    let after_name = named.or_else(|| model_name(words, i))?;
    let mut next = after_name;
    while next < after_name + VERSION_WORDS
        && (words.follows_directly(next) || words.is_joined(next))
        && (words.at(next).contains(|c: char| c.is_ascii_digit()) || words.is(next, VARIANTS))
    {
        next += 1;
    }
    let told = is_possessed || next > after_name || !words.is(after_name - 1, ORDINARY);
    told.then_some(next)
}

/// Names by the first word of each: every word of every text is looked up.
type Index = BTreeMap<&'static str, Vec<&'static str>>;

fn index(names: impl Iterator<Item = &'static &'static str>) -> Index {
    let mut index = Index::new();
    for name in names {
        index.entry(name.split('-').next().unwrap_or(name)).or_default().push(name);
    }
    index
}

static MODELS: LazyLock<Index> =
    LazyLock::new(|| index(FAMILIES.iter().flat_map(|family| family.models.iter().chain(family.called))));
static MAKERS: LazyLock<Index> = LazyLock::new(|| index(FAMILIES.iter().flat_map(|family| family.makers)));

/// The word after the longest of these names that stands here.
fn named(words: &Words<'_>, i: usize, index: &Index) -> Option<usize> {
    let word = words.at(i);
    let unnumbered = word.find(|c: char| c.is_ascii_digit()).map(|at| &word[..at]).filter(|bare| !bare.is_empty());
    let names = [Some(word), unnumbered].into_iter().flatten().filter_map(|first| index.get(first)).flatten();
    names.filter_map(|name| spelled(words, i, name)).max()
}

/// The word after the model's name that stands here, without its version: `gpt`, `gpt5`, `o3`, `command r`.
fn model_name(words: &Words<'_>, i: usize) -> Option<usize> {
    named(words, i, &MODELS)
}

/// The word after a maker's name, if one stands here. `Qwen3` is a model and not its maker.
fn maker(words: &Words<'_>, i: usize) -> Option<usize> {
    let is_numbered = !MAKERS.contains_key(words.at(i));
    let mut next = named(words, i, &MAKERS).filter(|_| !is_numbered)?;
    while words.is(next, MAKER_PARTS) && words.follows_directly(next) {
        next += 1;
    }
    Some(next)
}

/// The word after this name, if it stands here: its parts with blanks or hyphens, a number right after it or not.
fn spelled(words: &Words<'_>, i: usize, name: &str) -> Option<usize> {
    let mut next = i;
    for part in name.split('-') {
        let rest = words.at(next).strip_prefix(part)?;
        let numbered = rest.starts_with(|c: char| c.is_ascii_digit()) && !part.ends_with(|c: char| c.is_ascii_digit());
        let joined = next == i || words.follows_directly(next) || words.is_joined(next);
        if !joined || !(rest.is_empty() || numbered) {
            return None;
        }
        next += 1;
    }
    Some(next)
}

/// The makers that the speaker says it comes from, and the models that it says it is a kind of.
pub(super) fn find(words: &Words<'_>, names: &Names) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for i in 0..words.len() {
        found.extend(kind_of(words, i));
        found.extend(plain_word(words, names, i));
        if let Some(after) = claim(words, names, i) {
            found.extend(made_by(words, after));
        }
        if let Some(next) = maker(words, i)
            && words.is(next, &["trained", "made", "built", "created", "developed"])
            && words.follows_directly(next)
            && words.at(next + 1) == "me"
            && words.follows_directly(next + 1)
        {
            found.push(words.span(i).start..words.span(next - 1).end);
        }
    }
    found
}

/// The first word after a claim about the speaker's own making.
fn claim(words: &Words<'_>, names: &Names, i: usize) -> Option<usize> {
    const CLAIMS: &[&[&str]] = &[
        &["as", "an", "ai"],
        &["as", "a", "language", "model"],
        &["as", "a", "large", "language", "model"],
        &["as", "a", "model"],
        &["as", "an", "llm"],
        &["i", "was"],
        &["my", "training"],
        &["my", "developer"],
        &["my", "developers"],
        &["my", "maker"],
        &["my", "makers"],
        &["my", "creator"],
        &["my", "creators"],
        &["my", "vendor"],
        &["my", "provider"],
    ];
    if let Some(claim) = CLAIMS.iter().find(|claim| words.reads(i, claim)) {
        return Some(i + claim.len());
    }
    if words.reads(i, &["i", "am"]) || words.reads(i, &["i", "m"]) {
        let next = i + 2;
        let masked = words.at(next) == "masked" && words.before(next).ends_with('[');
        return match names.phrase(words, next).filter(|_| words.follows_directly(next)) {
            Some(phrase) => Some(phrase.next),
            None if masked => Some(next + 1),
            None => words.is(next, &["a", "an", "the"]).then_some(next),
        };
    }
    None
}

/// The maker after `made by`, `trained at` or `from`, with nothing in between but words about the making.
fn made_by(words: &Words<'_>, from: usize) -> Option<Range<usize>> {
    let goes_on = |i: usize| {
        let gap = words.before(i);
        let said = words.follows_directly(i) || matches!(gap.trim(), "," | "]," | "]" | "(" | "—" | "–");
        i < words.len() && said && !gap.contains("\n\n")
    };
    for i in (from..from + MADE_WORDS).take_while(|i| goes_on(*i)) {
        let leads = words.is(i, &["by", "from", "at", "is", "are"]);
        let first = if words.at(i + 1) == "the" { i + 2 } else { i + 1 };
        if leads
            && goes_on(first)
            && let Some(next) = maker(words, first)
            && (!words.is_joined(next) || is_apostrophe(words.before(next)))
        {
            return Some(words.span(first).start..words.span(next - 1).end);
        }
        if !leads && !words.is(i, MADE) {
            break;
        }
    }
    None
}

/// `I am an OpenAI model`, `as an Anthropic assistant`: the maker, where it says what kind of thing speaks.
fn kind_of(words: &Words<'_>, i: usize) -> Option<Range<usize>> {
    let begins = [["i", "am", "an"], ["i", "am", "a"], ["i", "m", "an"], ["i", "m", "a"]]
        .iter()
        .any(|phrase| words.reads(i, phrase));
    let first = if begins {
        i + 3
    } else if (words.reads(i, &["as", "an"]) || words.reads(i, &["as", "a"])) && words.begins_clause(i) {
        i + 2
    } else {
        return None;
    };
    if !words.follows_directly(first) {
        return None;
    }
    let made = maker(words, first).filter(|_| !words.is(first, ORDINARY));
    let next = made.or_else(|| model(words, first))?;
    let things = ["model", "assistant", "ai", "llm", "system", "agent", "chatbot", "language", "instance"];
    let is_thing = words.is(next, &things) && (words.follows_directly(next) || words.before(next) == "-");
    is_thing.then(|| words.span(first).start..words.span(next - 1).end)
}

/// `I am Nova.`, `This is Titan speaking.`: a model whose name is a word too, where it can only be a name.
fn plain_word(words: &Words<'_>, names: &Names, i: usize) -> Option<Range<usize>> {
    const CLAIMS: &[&[&str]] = &[&["i", "am"], &["i", "m"], &["my", "name", "is"], &["this", "is"]];
    let claim = CLAIMS.iter().find(|claim| words.reads(i, claim))?;
    let first = i + claim.len();
    let (span, next) = (words.span(first), model_name(words, first)?);
    let is_written_as_a_name = words.text[span.clone()].starts_with(char::is_uppercase);
    let speaks = words.is(next, &["speaking", "here"]) && words.follows_directly(next);
    let ends = if claim[0] == "this" { speaks } else { speaks || is_pause(words.before(next)) };
    let is_one = words.follows_directly(first) && is_written_as_a_name && !names.is_debated(words.at(first));
    (is_one && ends && words.is(first, ORDINARY)).then_some(span)
}
