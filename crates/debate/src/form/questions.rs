//! Which questions a text asks, and which of them another text answers.
//!
//! Nothing here understands an answer. A question counts as answered when somebody says by its number that this is the
//! answer, or when a sentence that is not itself a question takes up what the question is about.

use super::measure::list_item;
use super::{is_placeholder, items};
use crate::datum::Fields;
use crate::distinctive::distinctive;
use crate::plan::words;
use crate::sentences;
use crate::turn::{Section, title_matches};
use std::collections::BTreeSet;

/// The most questions of a text that are looked at.
const QUESTIONS_LIMIT: usize = 64;
/// The ballot's field with answers by number.
pub const ANSWERS_FIELD: &str = "answers";
/// The fewest words of an answer in the ballot.
const BALLOT_ANSWER_WORDS: usize = 3;
/// The fewest words beside the number, where a text refers to a question by it.
const REFERRING_WORDS: usize = 4;
/// The fewest distinctive words that a sentence must share with a question to take it up.
const SHARED_WORDS: usize = 2;
/// The section that reports and does not answer.
const SUMMARY: &str = "Debate Summary";

/// A question with its number in the list it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Its place among the list's items, from 1.
    pub number: usize,
    /// The question.
    pub text: String,
}

/// The questions that a text asks: its list items with a question mark, numbered as the list is; or, where no item
/// asks anything, its sentences with one, in order.
pub fn questions(body: &str) -> Vec<Question> {
    let asks = |text: &str| text.contains('?') && !is_placeholder(text) && words(text).next().is_some();
    let numbered = |texts: Vec<String>| -> Vec<Question> {
        let all = texts.into_iter().enumerate().map(|(i, text)| Question { number: i + 1, text });
        all.filter(|question| asks(&question.text)).take(QUESTIONS_LIMIT).collect()
    };
    let listed = numbered(items(body));
    if !listed.is_empty() {
        return listed;
    }
    let blocks = blocks(body);
    let spoken = blocks.iter().flat_map(|block| sentences_of(block)).filter(|sentence| asks(sentence));
    numbered(spoken.map(str::to_owned).collect())
}

/// Those of the questions that nobody answers: neither the ballot's `answers`, nor any section but the summary.
pub fn unanswered<'q>(questions: &'q [Question], ballot: &Fields, sections: &[Section]) -> Vec<&'q Question> {
    let mut numbers = in_ballot(ballot);
    let answering = answering(sections);
    for section in &answering {
        numbers.extend(by_number(section));
    }
    let blocks: Vec<String> = answering.iter().flat_map(|section| blocks(&section.body)).collect();
    let said: Vec<BTreeSet<String>> = blocks
        .iter()
        .flat_map(|block| sentences_of(block))
        .filter(|sentence| !sentence.ends_with('?'))
        .map(distinctive)
        .collect();
    questions.iter().filter(|question| !numbers.contains(&question.number) && !is_taken_up(question, &said)).collect()
}

/// What is said where none of so many questions is answered.
pub(crate) fn none_answered(count: usize) -> String {
    match count {
        1 => "the one question that was asked is not answered".to_owned(),
        _ => format!("none of the {count} questions that were asked is answered"),
    }
}

/// The numbers that the ballot's list answers.
fn in_ballot(ballot: &Fields) -> BTreeSet<usize> {
    ballot
        .records(ANSWERS_FIELD)
        .into_iter()
        .filter(|entry| {
            let answer = entry.text("answer");
            !is_placeholder(answer) && words(answer).count() >= BALLOT_ANSWER_WORDS
        })
        .filter_map(|entry| first_number(entry.text("question")))
        .collect()
}

/// Sections that may answer. A summary only reports; neither it nor its parts nor a title above it counts.
fn answering(sections: &[Section]) -> Vec<&Section> {
    let summary = sections.iter().find(|section| title_matches(&section.title, SUMMARY));
    let reports = |section: &Section| {
        summary.is_some_and(|summary| {
            let (own, whole) = (section.body.trim(), summary.body.trim());
            !whole.is_empty() && (own.contains(whole) || whole.contains(own))
        })
    };
    sections.iter().filter(|section| !reports(section)).collect()
}

/// The numbers of the questions that a section refers to with something to say: `Q2: ...`, `question 2`, or the items
/// of a numbered list under a heading that speaks of questions or the skeptic.
fn by_number(section: &Section) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let about_questions =
        words(&section.title).any(|word| ["question", "questions", "skeptic"].contains(&word.as_str()));
    for block in blocks(&section.body) {
        let mut numbers = references(&block);
        if about_questions && list_item(&block).is_some() {
            numbers.extend(block.split(['.', ')']).next().and_then(|number| number.trim().parse::<usize>().ok()));
        }
        found.extend(answered_in(&block, &numbers));
    }
    let headed = references(&section.title);
    if said_beside(&section.body) >= REFERRING_WORDS {
        found.extend(headed);
    }
    found
}

/// The numbers, if enough is said beside them.
fn answered_in(text: &str, numbers: &[usize]) -> Vec<usize> {
    // Each reference is a word or two itself: `Q2`, `question 2`.
    let referring = words(text).filter(|word| is_reference_word(word)).count();
    let said = said_beside(text).saturating_sub(referring);
    if said >= REFERRING_WORDS { numbers.to_vec() } else { Vec::new() }
}

fn is_reference_word(word: &str) -> bool {
    let numbered = word.strip_prefix('q').unwrap_or(word);
    matches!(word, "question" | "questions" | "critical") || numbered.bytes().all(|b| b.is_ascii_digit())
}

/// Words of a text that are not part of a question: repeating one does not answer it.
fn said_beside(text: &str) -> usize {
    if is_placeholder(text) {
        return 0;
    }
    let statements = sentences_of(text).into_iter().filter(|sentence| !sentence.ends_with('?'));
    statements.map(|sentence| words(sentence).count()).sum()
}

/// The questions that a text refers to: `Q2`, `question 2`, `questions 1, 2 and 4`.
fn references(text: &str) -> Vec<usize> {
    let all: Vec<String> = words(text).collect();
    let number = |word: &String| word.parse::<usize>().ok().filter(|n| *n < 1000);
    let mut found = Vec::new();
    for (i, word) in all.iter().enumerate() {
        if let Some(n) = word.strip_prefix('q').and_then(|digits| digits.parse().ok()) {
            let before = i.checked_sub(1).and_then(|i| all.get(i));
            if !is_quarter(before, all.get(i + 1)) {
                found.push(n);
            }
        }
        if word == "question" || word == "questions" {
            let listed = all[i + 1..].iter().take_while(|next| number(next).is_some() || *next == "and");
            found.extend(listed.filter_map(number));
        }
    }
    found
}

/// `by Q3`, `Q3 2026`: a quarter of a year and not a question.
fn is_quarter(before: Option<&String>, after: Option<&String>) -> bool {
    const OF_TIME: &[&str] = &[
        "in", "by", "until", "before", "after", "since", "during", "early", "mid", "late", "end", "of", "next", "this",
    ];
    before.is_some_and(|word| OF_TIME.contains(&word.as_str()))
        || after.is_some_and(|word| word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit()))
}

fn first_number(text: &str) -> Option<usize> {
    let digits: String = text.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Whether one of the sentences shares at least two of the question's distinctive words, and at least half of them.
fn is_taken_up(question: &Question, said: &[BTreeSet<String>]) -> bool {
    let asked = distinctive(&question.text);
    said.iter().any(|sentence| {
        let shared = asked.intersection(sentence).count();
        shared >= SHARED_WORDS && 2 * shared >= asked.len()
    })
}

/// The parts of a body that belong together: a list item with what is indented under it, a paragraph, a table's row.
fn blocks(body: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut item_indent: Option<usize> = None;
    let mut open = false;
    for line in body.lines() {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        let is_item = list_item(line).is_some();
        let is_row = text.starts_with('|');
        let nested = item_indent.is_some_and(|outer| indent > outer);
        if text.is_empty() {
            open = item_indent.is_some();
            continue;
        }
        let starts = is_row || text.starts_with('#') || (is_item && !nested) || !(open || nested);
        match blocks.last_mut().filter(|_| !starts) {
            Some(last) => {
                last.push(' ');
                last.push_str(list_item(line).unwrap_or(text));
            }
            None => blocks.push(text.to_owned()),
        }
        if starts {
            item_indent = is_item.then_some(indent);
        }
        open = !is_row;
    }
    blocks
}

/// The sentences of a block that have a word in them, each with the mark that ends it.
fn sentences_of(block: &str) -> Vec<&str> {
    let mut sentences = sentences::split(list_item(block).unwrap_or(block));
    sentences.retain(|sentence| words(sentence).next().is_some());
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datum::Datum;

    fn numbers(body: &str) -> Vec<usize> {
        questions(body).iter().map(|question| question.number).collect()
    }

    fn asked(texts: &[&str]) -> Vec<Question> {
        texts.iter().enumerate().map(|(i, text)| Question { number: i + 1, text: (*text).to_owned() }).collect()
    }

    fn section(title: &str, body: &str) -> Section {
        Section { title: title.to_owned(), body: body.to_owned(), line: 1 }
    }

    /// The numbers of five questions that this section answers.
    fn answers(title: &str, body: &str) -> Vec<usize> {
        let five = asked(&[
            "What happens to our data when the vendor is sold?",
            "Who pays for the migration back?",
            "Which of the twelve countries do we sell in?",
            "Who?",
            "How many invoices did we send by hand last year?",
        ]);
        let open: Vec<usize> =
            unanswered(&five, &Fields::new(), &[section(title, body)]).iter().map(|question| question.number).collect();
        (1..=5).filter(|n| !open.contains(n)).collect()
    }

    #[test]
    fn questions_are_numbered_as_their_list_is() {
        assert_eq!(numbers("1. Who?\n2. That is plain.\n3. What?"), [1, 3]);
        assert_eq!(numbers("- [Question 1]\n- Why not?\n- TBD\n- ?"), [2]);
        assert_eq!(numbers("Who pays? It is unclear. What then?"), [1, 2]);
        assert_eq!(numbers("- Data\n  - Who holds it?\n  - Where?"), [1, 2], "the outer items ask nothing");
        assert_eq!(numbers("- TBD\n- [Question 2?]\n- None."), Vec::<usize>::new());
        assert_eq!(numbers(""), Vec::<usize>::new());
    }

    #[test]
    fn a_question_over_two_lines_is_one() {
        let found = questions("What happens to the\ndata? Who knows.");
        assert_eq!(found, asked(&["What happens to the data?"]));
    }

    #[test]
    fn a_number_with_something_said_answers() {
        for body in [
            "Q2: finance pays from its own budget.",
            "- **Q2** finance pays from its own budget.",
            "As to question 2, finance pays it.",
            "Critical Question 2 is settled: finance pays it.",
            "| Q2 | finance pays from its own budget |",
            "Q2: Who pays for the migration back? Finance pays it this year.",
            "- Q2: Who pays for the migration back?\n  - Finance pays it this year.",
            "Finance pays from its own budget (Q2).",
        ] {
            assert_eq!(answers("Final Decision", body), [2], "{body}");
        }
        assert_eq!(answers("Action Items", "Questions 1, 2 and 4 go to the platform team."), [1, 2, 4]);
        assert_eq!(answers("Question 4", "The platform team holds it."), [4]);
    }

    #[test]
    fn a_number_alone_or_a_question_again_answers_nothing() {
        for body in [
            "Q2.",
            "Q2: TBD",
            "Q2: Who pays for the migration back?",
            "- Q2: Who pays for the migration back?\n- Something else that is said about the weather here.",
            "We ship it by Q2 with four people and a budget.",
            "We ship it with four people in all, Q2 2026.",
        ] {
            assert_eq!(answers("Final Decision", body), Vec::<usize>::new(), "{body}");
        }
    }

    #[test]
    fn a_numbered_list_answers_only_under_a_heading_about_questions() {
        let list = "1. The contract says that it stays ours.\n2. Finance does, from this year on.";
        assert_eq!(answers("Answers to the Skeptic", list), [1, 2]);
        assert_eq!(answers("Open Questions", list), [1, 2]);
        assert_eq!(answers("Action Items", list), Vec::<usize>::new());
    }

    #[test]
    fn a_sentence_that_takes_up_the_matter_answers() {
        assert_eq!(answers("Fallback Plan", "The migration back is what finance pays for."), [2]);
        assert_eq!(answers("Fallback Plan", "We sell in three countries, not in twelve."), [3]);
        assert_eq!(answers("Fallback Plan", "Who pays for the migration back?"), Vec::<usize>::new());
        assert_eq!(answers("Fallback Plan", "There is a migration. Somebody pays."), Vec::<usize>::new());
    }

    #[test]
    fn a_summary_reports_and_does_not_answer() {
        let told = "Q2: finance pays from its own budget.";
        assert_eq!(answers("1. Debate Summary", told), Vec::<usize>::new());
        let five = asked(&["Who?", "Who pays for the migration back?"]);
        let whole = format!("## Debate Summary\n{told}\n### Skeptic\nQ1: it asks about everybody here.\n## Rest\nYes.");
        let sections = [
            section("Synthesis", &whole),
            section("Debate Summary", &format!("{told}\n### Skeptic\nQ1: it asks about everybody here.")),
            section("Skeptic", "Q1: it asks about everybody here."),
            section("Rest", "Yes."),
        ];
        assert_eq!(unanswered(&five, &Fields::new(), &sections).len(), 2);
    }

    #[test]
    fn the_ballot_answers_by_number_in_three_words() {
        let entry = |number: &str, answer: &str| {
            let fields = [("question", number), ("answer", answer)];
            Datum::Record(fields.iter().map(|(name, text)| ((*name).to_owned(), Datum::from(*text))).collect())
        };
        let entries = [("1", "it stays ours"), ("Q2", "finance"), ("3", "TBD"), ("4.", "the platform team")];
        let mut ballot = Fields::new();
        ballot.set(ANSWERS_FIELD, Datum::List(entries.map(|(n, text)| entry(n, text)).to_vec()));
        let all = asked(&["Who?", "What?", "Why?", "When?", "How?"]);
        let open: Vec<usize> = unanswered(&all, &ballot, &[]).iter().map(|question| question.number).collect();
        assert_eq!(open, [2, 3, 5]);
    }

    /// Finishes at all only where a text is gone over a fixed number of times.
    #[test]
    fn a_text_of_nothing_but_emphasis_asks_nothing() {
        let run = "*".repeat(2_000_000);
        assert_eq!(questions(&run), []);
        assert_eq!(answers("Final Decision", &run), Vec::<usize>::new());
    }
}
