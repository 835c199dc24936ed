//! Options for a question that came without any, read from the question's own words.
//!
//! "X or Y for Z?", "X, Y or Z", "X vs Y" and "Should we X?" carry their options in themselves; every other question
//! gets three that fit any question. Never invents a product or a plan that the user did not name.

use crate::voice::one_line;
use forge_debate::datum::{Datum, Fields};
use forge_debate::framing::OPTIONS_WANTED;
use forge_debate::plan::{same_words, words};

/// The most characters of a label; a longer alternative is a story and not an option.
const LABEL_CHARS: usize = 70;
/// The most characters of a question that are searched for alternatives.
const QUESTION_CHARS: usize = 2_000;

const KEEP: (&str, &str) = ("Keep the current approach", "Change nothing for now, and say when to look again.");
const SMALL: (&str, &str) =
    ("Try it on a small scale first", "One small part, with a date on which it is kept or undone.");
const BOTH: (&str, &str) =
    ("Try both on a small scale first", "A small trial of each, with a date on which one is chosen.");
const OPEN: [(&str, &str); 3] = [
    (
        "The simplest answer that could work",
        "The least that answers the question, to be replaced when it no longer does.",
    ),
    ("The most complete answer", "Everything that the question asks for, with what that takes."),
    ("Decide later, with more information", "Say what is missing, who finds it out, and when to look again."),
];
const ANY: [(&str, &str); 3] = [
    ("Do it now", "Go ahead with what the question describes, in full."),
    ("Do a smaller version first", "Go ahead with one part, and decide about the rest after it."),
    ("Do not do it", "Leave things as they are."),
];

/// Ways in which a question begins before it comes to its first alternative.
#[rustfmt::skip]
const OPENERS: &[&str] = &[
    "should we", "should i", "should it be", "should this be", "should the team", "shall we", "do we", "can we", "could we", "would it be better to",
    "is it better to", "are we better off to", "which is better", "what is better", "which one is better",
    "what should we use", "which should we use", "whether to", "whether we should", "whether", "either", "we could",
    "decide between", "decide", "choose between", "choosing between", "between", "is", "are",
];
/// Verbs that say "choose" and are no part of what is chosen.
#[rustfmt::skip]
const CHOOSING: &[&str] = &[
    "use", "choose", "pick", "adopt", "take", "prefer", "go with", "move to", "switch to", "migrate to", "stick with",
    "rely on",
];
/// Verbs that begin an alternative of their own.
#[rustfmt::skip]
const DOING: &[&str] = &[
    "build", "buy", "keep", "stay", "move", "migrate", "switch", "write", "rewrite", "adopt", "use", "wait", "start",
    "stop", "hire", "ship", "launch", "delay", "continue", "replace", "refactor", "split", "merge", "drop", "support",
    "add", "remove", "sell", "rent", "run", "host", "outsource", "do", "let", "make", "leave", "invest", "focus",
    "raise", "lower", "postpone",
];
/// Words that begin the circumstances of a choice.
const TAILS: &[&str] = &[
    "for", "as", "in", "on", "with", "at", "when", "if", "given", "because", "to", "by", "during", "while", "until",
    "under", "from",
];
/// Second halves of an "or" that name no alternative.
const NO_ALTERNATIVE: &[&str] = &["more", "less", "fewer", "so", "later", "otherwise", "even", "similar", "other"];
/// Words after an "or" that begin another question.
const QUESTIONS: &[&str] =
    &["is", "are", "do", "does", "should", "can", "could", "will", "would", "what", "how", "maybe"];
/// Words with which a question asks for anything at all.
const ASKING: &[&str] = &["what", "which", "how", "where", "when", "who", "why"];
/// Judgements that stand after the last alternative.
const PRAISE: &[&str] = &[" the better", " the best", " the right", " better", " a better", " more "];
/// Labels that already mean to leave things as they are.
const KEEPING: &[&str] = &["keep", "stay", "leave", "do nothing", "continue", "wait"];
/// Alternatives that only point at the others.
const POINTERS: &[&str] =
    &["both", "neither", "not", "none", "something else", "none of them", "all of them", "either", "no"];

/// The proposals as the framing ballot wants them.
pub(crate) fn proposals(question: &str) -> Datum {
    let record = |(label, description): &(String, String)| {
        let fields = [("label", label), ("description", description)];
        Datum::Record(
            fields.into_iter().map(|(name, text)| (name.to_owned(), Datum::from(text.as_str()))).collect::<Fields>(),
        )
    };
    Datum::List(options(question).iter().map(record).collect())
}

/// Labels with their descriptions: three to five, all different.
fn options(question: &str) -> Vec<(String, String)> {
    let question = one_line(question, QUESTION_CHARS);
    let fixed = |(label, description): (&str, &str)| (label.to_owned(), description.to_owned());
    let quoted = |label: String| {
        let description = format!("What the question calls “{label}”.");
        (label, description)
    };
    // A label without a word in it (signs only) is none.
    let worded =
        |labels: Vec<String>| labels.into_iter().filter(|label| words(label).next().is_some()).collect::<Vec<_>>();
    let found = sentences(&question).into_iter().rev().map(alternatives).map(worded).find(|labels| labels.len() > 1);
    let mut options: Vec<(String, String)> = match found {
        Some(labels) => {
            let few = labels.len();
            let keeps = labels.iter().any(|label| KEEPING.iter().any(|word| starts_with_word(label, word)));
            let mut options: Vec<(String, String)> = labels.into_iter().map(quoted).collect();
            if few <= 3 && !keeps {
                options.push(fixed(KEEP));
            }
            if few == 2 {
                options.push(fixed(BOTH));
            }
            options
        }
        None => match sentences(&question)
            .into_iter()
            .rev()
            .find_map(proposed)
            .filter(|label| words(label).next().is_some())
        {
            Some(label) => vec![quoted(label), fixed(SMALL), fixed(KEEP)],
            None if sentences(&question)
                .last()
                .is_some_and(|last| ASKING.iter().any(|word| starts_with_word(last, word))) =>
            {
                OPEN.into_iter().map(fixed).collect()
            }
            None => ANY.into_iter().map(fixed).collect(),
        },
    };
    options.truncate(OPTIONS_WANTED.1);
    options
}

fn sentences(text: &str) -> Vec<&str> {
    text.split_inclusive(['?', '!', '.'])
        .scan(0, |start, piece| {
            let from = *start;
            *start += piece.len();
            Some((from, *start))
        })
        .fold(Vec::new(), |mut ranges: Vec<(usize, usize)>, (from, to)| {
            // "v1.2" and "vs. " do not end a sentence.
            let joins = ranges.last().is_some_and(|last| {
                let before = &text[last.0..last.1];
                !text[from..].starts_with(' ') || before.to_lowercase().ends_with(" vs.")
            });
            match ranges.last_mut() {
                Some(last) if joins => last.1 = to,
                _ => ranges.push((from, to)),
            }
            ranges
        })
        .into_iter()
        .map(|(from, to)| text[from..to].trim())
        .filter(|sentence| !sentence.is_empty())
        .collect()
}

/// The alternatives that a sentence offers; fewer than two where it offers none.
fn alternatives(sentence: &str) -> Vec<String> {
    let bare = sentence.trim_end_matches(['?', '.', '!', ' ']);
    let list = bare.rsplit_once(": ").map_or(bare, |(_, after)| after);
    let list = in_brackets(list).unwrap_or(list);
    let Some((before, last)) = split_at_choice(list) else { return Vec::new() };
    let last = last.split(", ").next().unwrap_or(last);
    if NO_ALTERNATIVE.iter().chain(QUESTIONS).any(|word| starts_with_word(last, word)) {
        return Vec::new();
    }
    let mut parts: Vec<&str> = before
        .trim_end_matches(',')
        .split(", ")
        .flat_map(|part| part.split(" vs "))
        .flat_map(|part| part.split(" or "))
        .collect();
    // "For sessions, Redis or Memcached?": what stands before the first comma may be a circumstance.
    if parts.len() > 1 && parts.first().is_some_and(|first| is_circumstance(first)) {
        parts.remove(0);
    }
    let opened = parts.first().is_some_and(|first| without_opener(first).len() < first.len());
    let last = without_opener(last);
    let acts = DOING.iter().any(|verb| starts_with_word(last, verb));
    let mut labels: Vec<String> = Vec::new();
    for (nth, part) in parts.into_iter().chain([last]).enumerate() {
        let part = without_article(without_opener(part));
        let named = match acts {
            true => part,
            false => without_tail(object(part, opened && nth == 0)),
        };
        let label = label(without_article(named));
        let known = labels.iter().any(|known| same_words(known, &label));
        if !label.is_empty() && label.chars().count() <= LABEL_CHARS && !is_pointer(&label) && !known {
            labels.push(label);
        }
    }
    labels
}

/// What stands in brackets, if it offers a choice.
fn in_brackets(text: &str) -> Option<&str> {
    let inside = text.split_once('(')?.1.split_once(')')?.0;
    split_at_choice(inside).map(|_| inside)
}

/// What stands before the last "or" (or the last "vs"), and what after it.
fn split_at_choice(text: &str) -> Option<(&str, &str)> {
    let lower = text.to_ascii_lowercase();
    [", or ", " or ", " vs. ", " versus ", " vs ", " instead of ", " rather than ", " better than "].iter().find_map(
        |mark| {
            let place = lower.rfind(mark)?;
            Some((text.get(..place)?.trim(), text.get(place + mark.len()..)?.trim()))
        },
    )
}

/// The one thing that "Should we ...?" proposes.
fn proposed(sentence: &str) -> Option<String> {
    let bare = sentence.trim_end_matches(['?', '.', '!', ' ']);
    let bare = bare.strip_suffix(" or not").unwrap_or(bare);
    let bare = bare.split(", or ").next().unwrap_or(bare);
    let rest = without_opener(bare);
    let asked = rest.len() < bare.len() && sentence.ends_with('?');
    let label = label(rest);
    (asked && !label.is_empty() && label.chars().count() <= LABEL_CHARS && label.contains(' ')).then_some(label)
}

fn without_opener(text: &str) -> &str {
    let mut rest = text.trim();
    while let Some(after) = OPENERS.iter().find_map(|opener| after_word(rest, opener)) {
        rest = after.trim_start_matches([',', ' ']);
    }
    after_word(rest, "to").unwrap_or(rest)
}

/// What an action is done to, next to an alternative that is only named: "use Redis" -> "Redis", "write it in Rust" ->
/// "Rust". `after_opener` says that the first word must be a verb, as in "should we deploy ...".
fn object(text: &str, after_opener: bool) -> &str {
    if let Some(rest) = CHOOSING.iter().find_map(|verb| after_word(text, verb)) {
        return rest;
    }
    let acts = text.contains(' ') && (after_opener || DOING.iter().any(|verb| starts_with_word(text, verb)));
    if !acts {
        return text;
    }
    let last_tail =
        TAILS.iter().filter_map(|tail| text.rfind(&format!(" {tail} ")).map(|at| at + tail.len() + 2)).max();
    let after_verb = text.split_once(' ').map(|(_, rest)| rest);
    last_tail.and_then(|at| text.get(at..)).or(after_verb).unwrap_or(text)
}

/// "Memcached for sessions" -> "Memcached"; "Go the better choice" -> "Go".
fn without_tail(text: &str) -> &str {
    let tails = TAILS.iter().filter_map(|tail| text.find(&format!(" {tail} ")));
    let praise = PRAISE.iter().filter_map(|praise| text.find(praise));
    tails.chain(praise).min().and_then(|at| text.get(..at)).unwrap_or(text).trim()
}

fn without_article(text: &str) -> &str {
    ["a", "an", "the"].iter().find_map(|article| after_word(text, article)).unwrap_or(text)
}

fn is_circumstance(text: &str) -> bool {
    TAILS.iter().any(|tail| starts_with_word(text, tail))
        || OPENERS.iter().any(|opener| text.eq_ignore_ascii_case(opener))
        || ASKING.iter().any(|word| starts_with_word(text, word))
}

fn is_pointer(label: &str) -> bool {
    POINTERS.iter().any(|pointer| same_words(pointer, label))
}

fn starts_with_word(text: &str, word: &str) -> bool {
    text.eq_ignore_ascii_case(word) || after_word(text, word).is_some()
}

/// What follows `word` at the start of the text, where it is a word of its own.
fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let head = text.get(..word.len())?;
    let rest = text.get(word.len()..)?;
    (head.eq_ignore_ascii_case(word) && rest.starts_with([' ', ','])).then(|| rest.trim_start_matches([',', ' ']))
}

/// A name is kept as it is written ("npm"); an action begins with a capital.
fn label(text: &str) -> String {
    let text = text
        .trim()
        .trim_matches(|c: char| matches!(c, ',' | ';' | ':' | '"' | '\'' | '(' | ')' | '?' | '“' | '”'))
        .trim();
    let action = text.contains(' ') || DOING.iter().any(|verb| text.eq_ignore_ascii_case(verb));
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if action => first.to_uppercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(question: &str) -> Vec<String> {
        options(question).into_iter().map(|(label, _)| label).collect()
    }

    #[test]
    fn alternatives_are_read_from_the_question() {
        let pair = |a: &str, b: &str| vec![a.to_owned(), b.to_owned(), KEEP.0.to_owned(), BOTH.0.to_owned()];
        let table = [
            ("Redis or Memcached for sessions?", pair("Redis", "Memcached")),
            ("Should we use Postgres or MySQL as the main database?", pair("Postgres", "MySQL")),
            ("Which is better, Redis or Memcached?", pair("Redis", "Memcached")),
            ("Monolith vs microservices for a team of five?", pair("Monolith", "microservices")),
            ("Tabs vs. spaces", pair("Tabs", "spaces")),
            ("Should we build or buy a search engine?", pair("Build", "Buy a search engine")),
            ("Should we rewrite the service in Rust or Go?", pair("Rust", "Go")),
            ("We keep losing sessions. Redis or Memcached, given a small team?", pair("Redis", "Memcached")),
            ("For session storage: npm or pnpm?", pair("npm", "pnpm")),
            ("Should we choose a monolith or a set of services?", pair("monolith", "Set of services")),
            ("Should we deploy on Monday or Tuesday for the launch?", pair("Monday", "Tuesday")),
            ("Should we hire a contractor or a full-time engineer?", pair("contractor", "Full-time engineer")),
            ("Is Rust or Go the better choice for our CLI?", pair("Rust", "Go")),
            ("Is Redis better than Memcached?", pair("Redis", "Memcached")),
            ("Should we open-source our SDK (MIT or Apache-2.0)?", pair("MIT", "Apache-2.0")),
            ("Decide whether to hire a contractor or an engineer", pair("contractor", "engineer")),
            ("Is it better to buy or to build?", pair("Buy", "Build")),
            ("Should we use Redis instead of Memcached?", pair("Redis", "Memcached")),
        ];
        for (question, expected) in table {
            assert_eq!(labels(question), expected, "{question}");
        }
        assert_eq!(
            labels("Which database should we use: Postgres, MySQL, or SQLite?"),
            ["Postgres", "MySQL", "SQLite", KEEP.0]
        );
        assert_eq!(labels("Tailwind or plain CSS or CSS modules?"), ["Tailwind", "Plain CSS", "CSS modules", KEEP.0]);
        assert_eq!(labels("Should we stay on VMs or move to the cloud?"), ["Stay on VMs", "Move to the cloud", BOTH.0]);
        assert_eq!(labels("A, B, C, D, E or F?").len(), OPTIONS_WANTED.1);
    }

    #[test]
    fn a_proposal_can_be_done_tried_or_left() {
        assert_eq!(labels("Should we adopt a four-day week?"), ["Adopt a four-day week", SMALL.0, KEEP.0]);
        assert_eq!(labels("Should we ship on Friday or not?"), ["Ship on Friday", SMALL.0, KEEP.0]);
        assert_eq!(labels("Should we support two or more regions?"), ["Support two or more regions", SMALL.0, KEEP.0]);
    }

    #[test]
    fn any_other_question_gets_options_that_fit_any_question() {
        for question in ["What database should we pick?", "How do we scale?"] {
            assert_eq!(labels(question), OPEN.map(|(label, _)| label), "{question:?}");
        }
        for question in ["", "?", "or", "x or", "or y?", " vs ", "Ünïcode öder nicht?", "a, b, c"] {
            assert_eq!(labels(question), ANY.map(|(label, _)| label), "{question:?}");
        }
    }

    #[test]
    fn every_question_gets_three_to_five_different_labels() {
        let long = "x ".repeat(5_000);
        for question in [
            "Redis or redis?",
            "# Redis\nor Memcached?",
            "İstanbul or Ankara?",
            "Both or neither?",
            &long,
            "Use | or ```?",
        ] {
            let found = labels(question);
            assert!((OPTIONS_WANTED.0..=OPTIONS_WANTED.1).contains(&found.len()), "{question:?}: {found:?}");
            for (i, label) in found.iter().enumerate() {
                assert!(!label.trim().is_empty(), "{question:?}");
                assert!(!found[..i].iter().any(|other| same_words(other, label)), "{question:?}: {found:?}");
            }
        }
    }
}
