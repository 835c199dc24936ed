//! A speaker that says who it is: `As the risk judge, ...`, `I'm the contrarian`, `Speaking for risk, ...`.

use super::names::{Names, Phrase, Sort};
use super::words::{Words, is_comma, is_pause};
use std::ops::Range;

/// What may follow a name that ends a phrase; any other word makes it a compound: `the risk owner`, `lead times`.
const ENDING: &[&str] = &[
    "here",
    "on",
    "in",
    "and",
    "so",
    "at",
    "for",
    "with",
    "but",
    "who",
    "that",
    "whose",
    "now",
    "again",
    "because",
    "i",
    "my",
    "we",
    "is",
    "was",
    "to",
    "has",
    "must",
    "means",
    "requires",
    "obliges",
    "demands",
    "makes",
    "will",
    "would",
    "should",
    "speaking",
    "made",
    "developed",
    "trained",
    "created",
    "built",
    "by",
    "from",
];
/// What a speaker can have as a seat.
const OFFICES: &[&str] = &[
    "role",
    "seat",
    "position",
    "job",
    "capacity",
    "function",
    "duty",
    "task",
    "perspective",
    "mandate",
    "chair",
    "viewpoint",
    "standpoint",
    "stance",
    "part",
];

/// The names by which the speaker introduces itself.
pub(super) fn find(words: &Words<'_>, names: &Names) -> Vec<Range<usize>> {
    (0..words.len()).filter_map(|i| introduced(words, names, i)).map(|phrase| phrase.span).collect()
}

fn introduced(words: &Words<'_>, names: &Names, i: usize) -> Option<Phrase> {
    let found = match words.at(i) {
        "as" => as_somebody(words, names, i),
        "i" | "we" => i_am(words, names, i),
        "speaking" | "writing" | "arguing" | "answering" | "talking" | "speak" | "argue" | "write" => {
            speaking_for(words, names, i)
        }
        "from" => named_after(words, names, i, 1).filter(|phrase| phrase.sort == Sort::Seat),
        "role" if words.reads(i, &["role", "of"]) => {
            named_after(words, names, i, 2).filter(|phrase| phrase.sort == Sort::Seat)
        }
        "my" => my_role(words, names, i),
        "this" if words.reads(i, &["this", "is"]) => named_after(words, names, i, 2).filter(|phrase| {
            let speaking = words.at(phrase.next) == "speaking" && words.follows_directly(phrase.next);
            speaking || (phrase.sort == Sort::Seat && is_pause(words.before(phrase.next)))
        }),
        _ => None,
    };
    found.or_else(|| somebody_here(words, names, i))
}

/// The name that follows so many words after this one.
fn named_after(words: &Words<'_>, names: &Names, i: usize, skip: usize) -> Option<Phrase> {
    words.follows_directly(i + skip).then(|| names.phrase(words, i + skip)).flatten()
}

fn as_somebody(words: &Words<'_>, names: &Names, i: usize) -> Option<Phrase> {
    if !words.begins_clause(i) {
        return None;
    }
    named_after(words, names, i, 1).filter(|phrase| {
        let gap = words.before(phrase.next);
        let me = first_person(words, phrase.next);
        let i_next = words.follows_directly(phrase.next) && words.at(phrase.next) == "i";
        let bare = !phrase.is_definite && !phrase.is_indefinite;
        match phrase.sort {
            Sort::Seat if phrase.is_indefinite => is_comma(gap) || me,
            Sort::Seat => true,
            // `As the risk I named grows, ...` is about the risk; `As contrarian I must ...` is not.
            Sort::Word => (is_comma(gap) && me) || (bare && i_next && names.means_a_person),
            Sort::Model => (is_comma(gap) && me) || i_next,
        }
    })
}

/// Whether the words from here on are of the speaker itself.
fn first_person(words: &Words<'_>, i: usize) -> bool {
    words.is(i, &["i", "my", "we", "our", "me"])
        || [
            ["let", "me"].as_slice(),
            &["here", "is", "my"],
            &["here", "s", "my"],
            &["it", "is", "my"],
            &["it", "s", "my"],
        ]
        .iter()
        .any(|phrase| words.reads(i, phrase))
}

/// Whether nothing follows that would make the name a part of a longer one.
fn ends(words: &Words<'_>, phrase: &Phrase) -> bool {
    let compound = words.follows_directly(phrase.next) && !words.is(phrase.next, ENDING);
    is_pause(words.before(phrase.next)) || (words.follows_directly(phrase.next) && !compound)
}

/// `I am the ...`, `I'm ...`, `we, the ...`
fn i_am(words: &Words<'_>, names: &Names, i: usize) -> Option<Phrase> {
    let am = [["i", "am"], ["i", "m"], ["we", "are"], ["we", "re"]].iter().any(|phrase| words.reads(i, phrase));
    if am {
        return named_after(words, names, i, 2).filter(|phrase| match phrase.sort {
            Sort::Seat => true,
            Sort::Word if phrase.is_definite => ends(words, phrase),
            Sort::Word => !phrase.is_indefinite && is_pause(words.before(phrase.next)),
            Sort::Model => ends(words, phrase),
        });
    }
    let apposition = words.before(i + 1).trim_start_matches(super::words::is_dressing).starts_with(", ");
    let phrase = apposition.then(|| names.phrase(words, i + 1)).flatten()?;
    let closed = is_comma(words.before(phrase.next)) && (phrase.is_definite || phrase.sort != Sort::Word);
    closed.then_some(phrase)
}

/// `speaking as ...`, `I speak for ...`
fn speaking_for(words: &Words<'_>, names: &Names, i: usize) -> Option<Phrase> {
    let phrase = words.follows_directly(i + 1).then(|| named_after(words, names, i, 2)).flatten()?;
    let tells = match words.at(i + 1) {
        "as" => phrase.sort == Sort::Seat || ends(words, &phrase),
        "for" => phrase.sort == Sort::Seat || is_pause(words.before(phrase.next)),
        _ => false,
    };
    (tells && !phrase.is_indefinite).then_some(phrase)
}

/// `my role as ...`, `my role here is ...`, `my name is ...`
fn my_role(words: &Words<'_>, names: &Names, i: usize) -> Option<Phrase> {
    let mut at = i + 1;
    if words.is(at, &["assigned", "own", "given"]) {
        at += 1;
    }
    let (office, is_name) = (words.is(at, OFFICES), words.at(at) == "name");
    if !(office || is_name) || !words.follows_directly(at) {
        return None;
    }
    at += 1;
    if words.at(at) == "here" {
        at += 1;
    }
    if words.at(at) == "as" && office && words.follows_directly(at) {
        return named_after(words, names, at, 1).filter(|p| p.sort == Sort::Seat || ends(words, p));
    }
    let can_be = is_name || words.is(at - 1, &["role", "seat", "here"]);
    let is = words.at(at) == "is" && words.follows_directly(at) && can_be;
    is.then(|| named_after(words, names, at, 1))
        .flatten()
        .filter(|phrase| phrase.sort == Sort::Seat || is_pause(words.before(phrase.next)))
}

/// `Risk judge here.`, `Contrarian here: I ...`
fn somebody_here(words: &Words<'_>, names: &Names, i: usize) -> Option<Phrase> {
    if !words.begins_sentence(i) {
        return None;
    }
    names.phrase(words, i).filter(|phrase| {
        let here = phrase.next;
        let said = words.is(here, &["here", "speaking"]) && words.follows_directly(here);
        let gap = words.after(here);
        let me = first_person(words, here + 1);
        said && is_pause(gap)
            && match phrase.sort {
                Sort::Seat | Sort::Model => true,
                // `Value here: high.`
                Sort::Word => me || (here + 1 >= words.len() && gap.trim() == "."),
            }
    })
}
