//! The words of a rehearsal: the user's question and options and the role's own questions, said from the role's angle.
//!
//! Whatever comes from elsewhere (labels, questions, words of peers) is put on one line and shortened first, so that no
//! text can break the form of the reply that it is put into.

use crate::angles::Angle;
use forge_debate::brief::{Brief, plain};
use forge_debate::form::Rail;
use forge_debate::plan::{Choice, OptionId};
use forge_debate::protocols::{challenge, panel};

/// The most characters of an option's label that are repeated in prose.
const LABEL_CHARS: usize = 100;
/// The most characters of the user's question that are repeated.
const QUESTION_CHARS: usize = 300;
/// The most characters of one of the role's questions.
const ROLE_QUESTION_CHARS: usize = 240;
/// The most questions that are taken from a role's text.
const ROLE_QUESTIONS: usize = 12;
/// The heading under which a role's text lists its questions.
const QUESTIONS_HEADING: &str = "questions you always ask";

/// Asked where a role brings too few questions of its own.
const ANYBODYS_QUESTIONS: [&str; 6] = [
    "What would have to be true for this to be the wrong choice?",
    "Who notices first if it goes wrong, and how?",
    "What is the smallest part of it that could be tried?",
    "What is given up by choosing it?",
    "Which of the options can still be left later, and at what price?",
    "What does nobody here know yet?",
];

/// One seat's way of speaking in one turn.
#[derive(Debug)]
pub(crate) struct Voice<'b> {
    /// What is asked.
    pub(crate) brief: &'b Brief,
    /// The role's angle.
    pub(crate) angle: &'static Angle,
    questions: Vec<String>,
}

impl<'b> Voice<'b> {
    /// The voice of the brief's role.
    pub(crate) fn of(brief: &'b Brief) -> Self {
        let mut questions = role_questions(&brief.role_text);
        questions.extend(ANYBODYS_QUESTIONS.iter().map(|question| (*question).to_owned()));
        Self { brief, angle: Angle::of(&brief.role), questions }
    }

    /// The question that is debated, on one line.
    pub(crate) fn debated(&self) -> String {
        one_line(&self.brief.question, QUESTION_CHARS)
    }

    /// A sentence for an option; later turns of a seat begin elsewhere in its stock.
    pub(crate) fn ground(&self, nth: usize, option: Option<&Choice>) -> String {
        let stock = &self.angle.grounds;
        self.say(stock[(self.turns_before() + nth) % stock.len()], option)
    }

    /// A sentence against an option.
    pub(crate) fn doubt(&self, nth: usize, option: Option<&Choice>) -> String {
        let stock = &self.angle.doubts;
        self.say(stock[(self.turns_before() + nth) % stock.len()], option)
    }

    /// One of the role's questions.
    pub(crate) fn question(&self, nth: usize) -> &str {
        &self.questions[(self.turns_before() + nth) % self.questions.len()]
    }

    /// Two arguments, under ids that no other turn of the seat uses.
    pub(crate) fn arguments(&self, option: Option<&Choice>) -> Vec<(String, String)> {
        let first = 2 * self.turns_before();
        (0..2).map(|nth| (format!("a{}", first + nth + 1), self.ground(nth, option))).collect()
    }

    /// The option that this seat's vote counts for so far.
    pub(crate) fn held(&self) -> Option<&'b OptionId> {
        let counted = self.brief.form.rails.iter().find_map(|rail| match rail {
            Rail::ChangeNeedsCause { from, .. } => Some(from),
            _ => None,
        });
        counted.or(self.brief.held.as_ref())
    }

    fn turns_before(&self) -> usize {
        let round = usize::from(self.brief.key.round);
        match self.brief.key.stage {
            panel::RESPONSE | challenge::REBUTTAL => round,
            _ => round.saturating_sub(1),
        }
    }

    fn say(&self, phrase: &str, option: Option<&Choice>) -> String {
        let role = one_line(&self.brief.role, LABEL_CHARS);
        sentence(&phrase.replace("{role}", &role).replace("{option}", &named(option)))
    }
}

/// An option as it is called in prose: `“Redis”`.
pub(crate) fn named(option: Option<&Choice>) -> String {
    let Some(option) = option else { return "what is proposed".to_owned() };
    let label = one_line(&option.label, LABEL_CHARS);
    // A label with sentences in it must not add sentences to a section that may have only three.
    let label = label.replace(". ", "; ").replace("? ", "; ").replace("! ", "; ");
    format!("“{}”", label.trim_end_matches(['.', '?', '!', ' ']))
}

/// A phrase as a sentence.
pub(crate) fn sentence(phrase: &str) -> String {
    let mut chars = phrase.chars();
    let mut text: String = chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default();
    if !text.ends_with(['.', '?', '!']) {
        text.push('.');
    }
    text
}

/// Somebody's words on one line that is neither a heading, a fence nor a row of a table.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    let words: Vec<String> = plain(text)
        .split_whitespace()
        .map(|word| word.replace("```", "'''").replace('|', "/"))
        .filter(|word| word.chars().any(|c| c != '#'))
        .collect();
    let line = words.join(" ");
    if line.chars().count() <= limit {
        return line;
    }
    let short: String = line.chars().take(limit.saturating_sub(3)).collect();
    format!("{}...", short.trim_end())
}

/// The list under "Questions you always ask" in the role's text.
fn role_questions(role: &str) -> Vec<String> {
    role.lines()
        .skip_while(|line| !line.to_lowercase().contains(QUESTIONS_HEADING))
        .skip(1)
        .map(str::trim)
        .skip_while(|line| line.is_empty())
        .map_while(|line| line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")))
        .map(|line| one_line(line, ROLE_QUESTION_CHARS))
        .filter(|question| question.ends_with('?'))
        .take(ROLE_QUESTIONS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read_from_the_role() {
        let role = "# Risk\n\n## Questions you always ask\n\n- How does it fail?\n- not a question\n* And then?\n\n- Too late?\n";
        assert_eq!(role_questions(role), ["How does it fail?", "And then?"]);
    }

    #[test]
    fn foreign_words_cannot_break_a_form() {
        assert_eq!(one_line("# A\n```json\n| b |\u{202e}", 100), "A '''json / b /");
        assert_eq!(one_line("abcdefgh", 6), "abc...");
    }

    #[test]
    fn a_phrase_becomes_a_sentence_once() {
        assert_eq!(sentence("is it so?"), "Is it so?");
        assert_eq!(sentence("it is"), "It is.");
    }
}
