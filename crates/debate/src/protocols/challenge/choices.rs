//! The words that choose, and what may stand behind them.
//!
//! A refusal must never count as giving way: behind the word stands nothing, or a mark and a reason that takes nothing back.

use forge_prose::phrases::Phrases;
use forge_prose::words::words;
use std::sync::LazyLock;

macro_rules! lists {
    ($($name:ident = $file:literal;)+) => {
        $(static $name: LazyLock<Phrases> =
            LazyLock::new(|| Phrases::of(include_str!(concat!("../../../data/", $file, ".txt"))));)+
    };
}

lists! {
    CONDITIONS = "conditions";
    DENIALS = "denials";
    RESERVATIONS = "reservations";
    SETTLED = "settled-phrases";
}

/// A word of a menu.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice {
    spelled: &'static str,
    word: &'static str,
    behind: Behind,
}

/// What the reason behind a word may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// It settles an objection: nothing that could take it back.
    NoReservation,
    /// Nothing that begins by taking it back.
    NoDenialFirst,
    /// It refuses: no other word of the menu, and no condition first.
    NoOtherWord,
    /// It stands between the others, and may name both.
    Anything,
}

impl Choice {
    /// Whether a label is the word itself.
    pub(super) fn is_called(&self, label: &str) -> bool {
        words(label) == words(self.spelled) && !label.contains(['?', '!'])
    }
}

const fn choice(spelled: &'static str, word: &'static str, behind: Behind) -> Choice {
    Choice { spelled, word, behind }
}

/// A word that needs no more than itself.
pub(super) const fn plain(word: &'static str) -> Choice {
    choice(word, word, Behind::NoOtherWord)
}

/// The lead's words for what it holds against an objection, as boxes have them.
pub(super) const ANSWERS: [Choice; 5] = [
    choice("PARTIALLY ACCEPT", "PARTIAL", Behind::Anything),
    choice("PARTIAL ACCEPT", "PARTIAL", Behind::Anything),
    choice("PARTIAL", "PARTIAL", Behind::Anything),
    choice("ACCEPT", "ACCEPT", Behind::NoDenialFirst),
    plain("REJECT"),
];
/// How a challenger takes an answer.
pub(super) const RESPONSES: [Choice; 3] =
    [choice("ACCEPT", "ACCEPT", Behind::NoReservation), plain("MAINTAIN"), plain("ESCALATE")];
/// A challenger's first word.
pub(super) const VERDICTS: [Choice; 3] = [
    choice("agree", "agree", Behind::NoReservation),
    choice("partial", "partial", Behind::Anything),
    plain("disagree"),
];

/// What a text says of a menu.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// This word, with the reason behind it.
    Choice(&'static str, String),
    /// It begins with a word, and what follows may take it back.
    Unclear,
    /// It is about something else, or the menu was left whole.
    Nothing,
}

/// What a line says, with the lines that go on behind it.
pub(super) fn said(line: &str, more: &str, choices: &[Choice]) -> Said {
    if is_menu(line, choices) {
        return Said::Nothing;
    }
    let line = line.trim();
    let found = choices.iter().find_map(|choice| {
        let start = line.get(..choice.spelled.len()).filter(|start| start.eq_ignore_ascii_case(choice.spelled))?;
        let rest = &line[start.len()..];
        (!rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')).then_some((choice, rest))
    });
    let Some((choice, rest)) = found else { return Said::Nothing };
    let Some(beside) = behind_a_mark(rest) else { return Said::Unclear };
    let reason = format!("{beside} {more}").trim().to_owned();
    let closed = reason.strip_suffix([')', ']']).filter(|_| !reason.contains(['(', '['])).unwrap_or(&reason);
    if takes_back(choice, &reason, choices) {
        Said::Unclear
    } else {
        Said::Choice(choice.word, closed.trim().to_owned())
    }
}

/// The reason behind the mark that ends a word; nothing where no mark does.
fn behind_a_mark(rest: &str) -> Option<&str> {
    let bare = rest.trim_start();
    let Some(mark) = bare.chars().next() else { return Some("") };
    let after = &bare[mark.len_utf8()..];
    let is_spaced = bare.len() < rest.len() || after.is_empty() || after.starts_with(char::is_whitespace);
    let ends = match mark {
        '.' => !after.starts_with('.'),
        ':' | '：' | ',' | '，' | '、' | '。' | '–' | '—' | '(' | '[' => true,
        '-' => is_spaced || after.starts_with('-'),
        _ => false,
    };
    ends.then(|| after.trim_start_matches(|c: char| c.is_whitespace() || "-–—".contains(c)).trim_end())
}

/// Whether what stands behind a word may say otherwise.
fn takes_back(choice: &Choice, reason: &str, choices: &[Choice]) -> bool {
    let said = words(reason);
    let is_denied = |at: usize| SETTLED.at(&said[at..]) == 0 && DENIALS.at(&said[at..]) > 0;
    let is_reserved = |at: usize| RESERVATIONS.at(&said[at..]) > 0;
    let is_conditional = !said.is_empty() && (is_reserved(0) || CONDITIONS.at(&said) > 0);
    // `MAINTAIN: no` says less than `MAINTAIN: no alert was added`.
    let is_taken_back = !said.is_empty() && is_denied(0) && said.len() < 3;
    let names_another = || {
        let others = choices.iter().filter(|other| other.word != choice.word);
        others.flat_map(|other| words(other.spelled)).any(|other| said.iter().any(|word| is_form_of(word, &other)))
    };
    let is_doubted = is_conditional || is_taken_back;
    match choice.behind {
        Behind::Anything => is_doubted,
        Behind::NoOtherWord => is_doubted || names_another(),
        Behind::NoDenialFirst => is_doubted || names_another() || (!said.is_empty() && is_denied(0)),
        Behind::NoReservation => {
            let has_question = reason.contains(['?', '？']);
            has_question
                || is_conditional
                || names_another()
                || (0..said.len()).any(|at| is_denied(at) || is_reserved(at))
        }
    }
}

/// Whether a word is another one, or a form of it: `accepted`, `escalating`.
fn is_form_of(word: &str, of: &str) -> bool {
    const ENDINGS: [&str; 9] = ["", "e", "s", "d", "es", "ed", "ing", "able", "ance"];
    let stem = of.trim_end_matches('e');
    word == of || word.strip_prefix(stem).is_some_and(|end| ENDINGS.contains(&end))
}

/// Whether a text is the menu itself: all its words and nothing else.
fn is_menu(text: &str, choices: &[Choice]) -> bool {
    let said = words(text);
    let spelled: Vec<String> = choices.iter().flat_map(|choice| words(choice.spelled)).collect();
    let is_whole = choices.iter().all(|choice| {
        choices.iter().filter(|other| other.word == choice.word).any(|other| {
            let wanted = words(other.spelled);
            said.windows(wanted.len()).any(|some| *some == wanted)
        })
    });
    is_whole && said.iter().all(|word| spelled.contains(word) || matches!(word.as_str(), "or" | "one" | "of" | "oder"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_counts_with_nothing_behind_it_that_may_take_it_back() {
        for (text, reason) in [
            ("ACCEPT", ""),
            ("accept.", ""),
            ("Accept: the alert is there", "the alert is there"),
            ("ACCEPT - the alert is there", "the alert is there"),
            ("ACCEPT — the alert is there", "the alert is there"),
            ("ACCEPT -- the alert is there", "the alert is there"),
            ("ACCEPT, the alert is there", "the alert is there"),
            ("ACCEPT (the alert is there)", "the alert is there"),
            ("ACCEPT. The alert is there. I accept it.", "The alert is there. I accept it."),
            ("ACCEPT - no further objection", "no further objection"),
            ("ACCEPT: writes are no longer at risk", "writes are no longer at risk"),
        ] {
            assert_eq!(said(text, "", &RESPONSES), Said::Choice("ACCEPT", reason.to_owned()), "{text}");
        }
        for text in [
            "Accept? No, writes are still lost",
            "Accept nothing of this",
            "Accept the point on cost, maintain the one on failover",
            "ACCEPT!",
            "ACCEPT...",
            "ACCEPT… or not",
            "ACCEPT; or not",
            "ACCEPT/MAINTAIN",
            "accept | maintain",
            "ACCEPT or MAINTAIN",
            "ACCEPT → MAINTAIN",
            "ACCEPT-ish",
            "ACCEPT because I must",
            "ACCEPT, but writes are lost",
            "ACCEPT - only the cost",
            "ACCEPT: if the alert is added",
            "ACCEPT, the alert is there, unless it fails",
            "ACCEPT (not)",
            "ACCEPT. No.",
            "ACCEPT. I maintained the rest.",
            "ACCEPT - this does not settle it",
            "ACCEPT, aber nicht alles",
            "ACCEPT, really?",
            "MAINTAIN? No",
            "MAINTAIN, or ACCEPT",
            "MAINTAIN - not really",
            "ESCALATE: accepted meanwhile",
            "MAINTAIN: no",
            "MAINTAIN, unless the alert is added",
            "MAINTAIN, maybe",
        ] {
            assert_eq!(said(text, "", &RESPONSES), Said::Unclear, "{text}");
        }
        // What goes on in the next line is read too.
        assert_eq!(said("ACCEPT, the alert", "is there but late", &RESPONSES), Said::Unclear);
        assert_eq!(said("ACCEPT", "Not at all.", &RESPONSES), Said::Unclear);
    }

    #[test]
    fn refusals_give_their_reasons_freely() {
        for (text, word) in [
            ("MAINTAIN, nobody sees a late replica", "MAINTAIN"),
            ("MAINTAIN: no alert was added", "MAINTAIN"),
            ("maintain - it is still not seen if the primary dies", "MAINTAIN"),
            ("ESCALATE: who pays for it?", "ESCALATE"),
        ] {
            assert!(matches!(said(text, "", &RESPONSES), Said::Choice(one, _) if one == word), "{text}");
        }
        let partial = said("PARTIALLY ACCEPT - we accept the alert and reject the replica", "", &ANSWERS);
        assert!(matches!(partial, Said::Choice("PARTIAL", _)), "{partial:?}");
        assert!(matches!(
            said("partial - agree on cost, disagree on failover", "", &VERDICTS),
            Said::Choice("partial", _)
        ));
    }

    #[test]
    fn a_menu_that_was_left_whole_and_other_words_say_nothing() {
        for text in [
            "ACCEPT / MAINTAIN / ESCALATE",
            "accept/maintain/escalate",
            "Accept | Maintain | Escalate",
            "ACCEPT, MAINTAIN or ESCALATE",
            "one of ACCEPT, MAINTAIN, ESCALATE",
            "ACCEPTABLE, the alert is there",
            "Accepted",
            "I accept it",
            "Not ACCEPT",
            "",
        ] {
            assert_eq!(said(text, "", &RESPONSES), Said::Nothing, "{text}");
        }
        assert_eq!(said("accept / partially accept / reject", "", &ANSWERS), Said::Nothing);
        assert_eq!(said("agree|partial|disagree", "", &VERDICTS), Said::Nothing);
    }
}
